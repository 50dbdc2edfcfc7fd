"""Templates of MiniJinja, filled in: what pixi's tasks are written in.

Follows https://docs.rs/minijinja/latest/minijinja/syntax/ and the lists of its filters and tests, with undefined values
strict. Which names there are is the caller's business. A condition that nobody can decide is followed both ways.
"""

from collections.abc import Iterator, Mapping, Sequence

from flagguard.hosts.minijinja_values import FILTERS, TESTS, UNDEFINED, Unknown, Value, equal, text_of, truth
from flagguard.patterns import expression
from flagguard.text import EMPTY, Decider, Hole, Piece, Route, Traced, hole, join, literal
from flagguard.values import dataclass, field

MOST = 16
"""Renderings of one template,"""
MOST_TURNS = 200
"""and turns of one loop."""

_TAG = expression(r"\{\{-?|\{%-?|\{#")
_STRING = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
_TOKEN = expression(
    rf"\s*(?:(?P<string>{_STRING})|(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<op>==|!=|<=|>=|//|\*\*|[-+*/%~|.,:()\[\]<>]))"
)
_STRINGS = expression(_STRING)
_RAW = expression(r"\{%-?\s*endraw\s*-?%\}")
_ESCAPE = expression(r"\\(.)")
_COMPARED = ("==", "!=", "<", ">", "<=", ">=")


class TemplateError(Exception):
    """MiniJinja would refuse the template: why, and where in it."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


@dataclass(frozen=True, slots=True)
class Rendered:
    """What a template comes to, and what was assumed for it."""

    text: Traced
    when: tuple[str, ...] = ()


def renderings(template: Traced, names: Mapping[str, Value]) -> tuple[Rendered, ...]:
    """Everything that the template may come to. Raises :class:`TemplateError`."""
    if "{" not in template.text:
        return (Rendered(template),)
    body = _Parser(template).body()
    found: list[Rendered] = []
    waiting: list[tuple[bool, ...]] = [()]
    while waiting and len(found) < MOST:
        forced = waiting.pop(0)
        renderer = _Renderer(template, names, forced)
        try:
            text = join(renderer.all(body, dict(names)))
        except RecursionError:
            raise TemplateError("nested too deeply", 0) from None
        found.append(Rendered(text, tuple(renderer.assumed)))
        for index in range(len(forced), len(renderer.taken)):
            waiting.append((*renderer.taken[:index], not renderer.taken[index]))
    if waiting:
        raise TemplateError("too many open conditions", 0)
    return tuple(found)


# -- reading ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Node:
    """``text``, ``out``, ``if``, ``for``, ``set``; expressions are kept as their places in the template."""

    kind: str
    start: int
    end: int
    name: str = ""
    arms: tuple[tuple[tuple[int, int] | None, tuple["_Node", ...]], ...] = ()
    shown: tuple[int, int] = (0, 0)


class _Parser:
    def __init__(self, template: Traced) -> None:
        self.raw = template.text
        self.at = 0

    def body(self) -> tuple[_Node, ...]:
        nodes, word, _ = self._until(())
        if word:
            raise TemplateError(f"`{word}` closes nothing", self.at)
        return nodes

    def _until(self, ends: Sequence[str]) -> tuple[tuple[_Node, ...], str, tuple[int, int]]:
        """The nodes up to a tag of one of the names, and the tag's name and rest."""
        nodes: list[_Node] = []
        trimmed = False
        while True:
            found = _TAG.search(self.raw, self.at)
            start, stop = self.at, found.start() if found else len(self.raw)
            if trimmed:
                start = stop - len(self.raw[start:stop].lstrip())
            if found is not None and found[0].endswith("-"):
                stop = start + len(self.raw[start:stop].rstrip())
            if stop > start:
                nodes.append(_Node("text", start, stop))
            if found is None:
                self.at = len(self.raw)
                if ends:
                    raise TemplateError(f"`{ends[-1]}` is missing", len(self.raw))
                return tuple(nodes), "", (0, 0)
            inner, end, trimmed = self._tag(found.end(), found[0][:2])
            shown = (found.start(), end)
            self.at = end
            if found[0][:2] == "{{":
                nodes.append(_Node("out", *inner, shown=shown))
            elif found[0][:2] == "{%":
                word, rest = _first_word(self.raw, *inner)
                if word in ends:
                    return tuple(nodes), word, rest
                nodes.append(self._block(word, rest, shown))
                trimmed = self.raw[self.at - 3 : self.at] == "-%}"

    def _tag(self, start: int, opens: str) -> tuple[tuple[int, int], int, bool]:
        """The inside of a tag, where the tag ends, and whether it takes the blanks behind it away."""
        closes = {"{{": "}}", "{%": "%}", "{#": "#}"}[opens]
        at = start
        while at < len(self.raw):
            quoted = _STRINGS.match(self.raw, at) if opens != "{#" else None
            if quoted is not None:
                at = quoted.end()
            elif self.raw.startswith(closes, at):
                trims = self.raw[at - 1] == "-" and at > start
                return (start, at - 1 if trims else at), at + 2, trims
            else:
                at += 1
        raise TemplateError(f"`{opens}` is not closed", start - 2)

    def _block(self, word: str, rest: tuple[int, int], shown: tuple[int, int]) -> _Node:
        if word == "if":
            arms: list[tuple[tuple[int, int] | None, tuple[_Node, ...]]] = []
            condition: tuple[int, int] | None = rest
            while True:
                ends = ("elif", "else", "endif") if condition is not None else ("endif",)
                nodes, name, following = self._until(ends)
                arms.append((condition, nodes))
                if name == "endif":
                    return _Node("if", *shown, arms=tuple(arms))
                condition = following if name == "elif" else None
        if word == "for":
            said = self.raw[rest[0] : rest[1]]
            name, _, _ = said.partition(" in ")
            if " in " not in said:
                raise TemplateError("a loop has to be `for NAME in VALUES`", rest[0])
            over = (rest[0] + len(name) + 4, rest[1])
            inside, end, _ = self._until(("else", "endfor"))
            otherwise = self._until(("endfor",))[0] if end == "else" else ()
            return _Node("for", *shown, name=name.strip(), arms=((over, inside), (None, otherwise)))
        if word == "set" and "=" in self.raw[rest[0] : rest[1]]:
            name, _, _ = self.raw[rest[0] : rest[1]].partition("=")
            return _Node("set", rest[0] + len(name) + 1, rest[1], name=name.strip())
        if word == "raw":
            found = _RAW.search(self.raw, self.at)
            if found is None:
                raise TemplateError("`endraw` is missing", shown[0])
            start, self.at = self.at, found.end()
            return _Node("text", start, found.start())
        raise TemplateError(f"`{{% {word} %}}` is not read", shown[0])


def _first_word(raw: str, start: int, end: int) -> tuple[str, tuple[int, int]]:
    said = raw[start:end]
    first = said.split(None, 1)[0] if said.strip() else ""
    return first, (start + said.index(first) + len(first), end)


# -- expressions ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Expression:
    """Reads one expression and works it out at once."""

    template: Traced
    names: Mapping[str, Value]
    end: int
    at: int = 0
    idle: int = 0
    """Above 0 in an arm that is not taken: what is unknown there does not count."""
    tokens: list[tuple[str, str, int, int]] = field(default_factory=list)

    def value(self, start: int) -> Value:
        raw, at = self.template.text, start
        while at < self.end and raw[at : self.end].strip():
            found = _TOKEN.match(raw, at, self.end)
            if found is None:
                raise TemplateError("the expression cannot be read", at)
            kind = found.lastgroup or ""
            self.tokens.append((kind, found[kind], found.start(kind), found.end(kind)))
            at = found.end()
        value = self._ternary()
        if self.at < len(self.tokens):
            raise TemplateError("the expression cannot be read", self.tokens[self.at][2])
        return value

    def _peek(self, *said: str) -> bool:
        return self.at < len(self.tokens) and self.tokens[self.at][1] in said and self.tokens[self.at][0] != "string"

    def _take(self, *said: str) -> bool:
        if self._peek(*said):
            self.at += 1
            return True
        return False

    def _need(self, said: str) -> None:
        if not self._take(said):
            raise TemplateError(f"`{said}` is missing", self.end)

    def _ternary(self) -> Value:
        start = self.at
        self.idle += 1
        value = self._or()
        self.idle -= 1
        if not self._peek("if"):
            self.at = start
            return self._or()
        self.at += 1
        chosen = truth(self._or())
        after = self.at
        if not chosen:
            return self._ternary() if self._take("else") else EMPTY
        self.at = start
        value = self._or()
        self.at = after
        if self._take("else"):
            self.idle += 1
            self._ternary()
            self.idle -= 1
        return value

    def _or(self) -> Value:
        value = self._and()
        while self._take("or"):
            decided = not self.idle and truth(value)
            other = self._skipped(self._and) if decided else self._and()
            value = value if decided else other
        return value

    def _and(self) -> Value:
        value = self._not()
        while self._take("and"):
            decided = not self.idle and not truth(value)
            other = self._skipped(self._not) if decided else self._not()
            value = value if decided else other
        return value

    def _skipped(self, read: "object") -> Value:
        self.idle += 1
        value: Value = read()  # type: ignore[operator]
        self.idle -= 1
        return value

    def _not(self) -> Value:
        if self._take("not"):
            value = self._not()
            return value if self.idle else not truth(value)
        return self._compared()

    def _compared(self) -> Value:
        value = self._joined()
        while True:
            negated = self._peek("not") and self.at + 1 < len(self.tokens) and self.tokens[self.at + 1][1] == "in"
            if negated:
                self.at += 1
            if self._take("in"):
                other = self._joined()
                value = False if self.idle else (_within(value, other) is not negated)
                continue
            sign = next((s for s in _COMPARED if self._take(s)), None)
            if sign is None:
                return value
            other = self._joined()
            value = False if self.idle else _compare(sign, value, other)

    def _joined(self) -> Value:
        value = self._sum()
        while self._take("~"):
            value = join([text_of(value), text_of(self._sum())])
        return value

    def _sum(self) -> Value:
        value = self._product()
        while self._peek("+", "-"):
            sign = self.tokens[self.at][1]
            self.at += 1
            value = self._arithmetic(sign, value, self._product())
        return value

    def _product(self) -> Value:
        value = self._postfix()
        while self._peek("*", "/", "//", "%"):
            sign = self.tokens[self.at][1]
            self.at += 1
            value = self._arithmetic(sign, value, self._postfix())
        return value

    def _arithmetic(self, sign: str, one: Value, other: Value) -> Value:
        if self.idle:
            return one
        if sign == "+" and isinstance(one, Traced) and isinstance(other, Traced):
            return one + other
        if isinstance(one, int) and isinstance(other, int) and not isinstance(one, bool):
            if sign in ("//", "%") and other:
                return one // other if sign == "//" else one % other
            if sign in ("+", "-", "*"):
                return one + other if sign == "+" else one - other if sign == "-" else one * other
        raise Unknown(f"what `{sign}` comes to")

    def _postfix(self) -> Value:
        value = self._primary()
        while True:
            if self._take("."):
                name = self._name()
                value = value if self.idle else _member(value, name)
            elif self._take("["):
                key = self._ternary()
                self._need("]")
                value = value if self.idle else _member(value, text_of(key).text if not isinstance(key, int) else key)
            elif self._take("|"):
                name = self._name()
                given = self._arguments() if self._take("(") else ()
                if not self.idle:
                    if name not in FILTERS:
                        raise Unknown(f"what the filter {name} makes of it")
                    value = FILTERS[name](value, *given)
            elif self._take("is"):
                negated = self._take("not")
                name = self._name()
                given = self._arguments() if self._take("(") else ()
                if not self.idle:
                    if name not in TESTS:
                        raise Unknown(f"whether it is {name}")
                    value = TESTS[name](value, *given) is not negated
            elif self._take("("):
                self._arguments()
                if not self.idle:
                    raise Unknown("what a function gives")
            else:
                if value is UNDEFINED and not self.idle and not self._peek("|", "is"):
                    raise TemplateError("nothing gives this name a value", self.tokens[max(self.at - 1, 0)][2])
                return value

    def _name(self) -> str:
        if self.at >= len(self.tokens):
            raise TemplateError("a name is missing", self.end)
        self.at += 1
        return self.tokens[self.at - 1][1]

    def _arguments(self) -> tuple[Value, ...]:
        found: list[Value] = []
        while not self._take(")"):
            found.append(self._ternary())
            if not self._take(","):
                self._need(")")
                break
        return tuple(found)

    def _primary(self) -> Value:
        if self.at >= len(self.tokens):
            raise TemplateError("a value is missing", self.end)
        kind, said, start, end = self.tokens[self.at]
        self.at += 1
        if kind == "string":
            inner = self.template.cut(start + 1, end - 1)
            return inner if "\\" not in said else literal(_ESCAPE.sub(r"\1", said[1:-1])).grounded(inner.route)
        if kind == "number":
            return int(said) if "." not in said else self.template.cut(start, end)
        if said in ("true", "True", "false", "False"):
            return said.lower() == "true"
        if said in ("none", "None"):
            return None
        if said == "(":
            value = self._ternary()
            self._need(")")
            return value
        if said == "[":
            items: list[Value] = []
            while not self._take("]"):
                items.append(self._ternary())
                if not self._take(","):
                    self._need("]")
                    break
            return items
        if said == "-":
            value = self._postfix()
            return -value if isinstance(value, int) else value
        if kind != "name":
            raise TemplateError("the expression cannot be read", start)
        found = self.names.get(said, UNDEFINED)
        return found.through(self.template.cut(start, end).route) if isinstance(found, Traced) else found


def _within(one: Value, other: Value) -> bool:
    if isinstance(other, list):
        return any(equal(one, item) for item in other)
    if isinstance(one, Traced) and isinstance(other, Traced):
        if one.known and other.known:
            return one.text in other.text
        raise Unknown("whether it holds that")
    return isinstance(other, dict) and isinstance(one, Traced) and one.text in other


def _compare(sign: str, one: Value, other: Value) -> bool:
    if sign in ("==", "!="):
        return equal(one, other) is (sign == "==")
    if isinstance(one, int) and isinstance(other, int):
        return {"<": one < other, ">": one > other, "<=": one <= other, ">=": one >= other}[sign]
    raise Unknown("which is greater")


def _member(value: Value, name: "str | int") -> Value:
    if isinstance(value, dict):
        return value.get(str(name), UNDEFINED)
    if isinstance(value, list) and isinstance(name, int):
        return value[name] if -len(value) <= name < len(value) else UNDEFINED
    raise Unknown("what a part of it is")


# -- rendering --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Renderer:
    template: Traced
    names: Mapping[str, Value]
    forced: tuple[bool, ...]
    taken: list[bool] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    known: dict[str, bool] = field(default_factory=dict)

    def all(self, nodes: Sequence[_Node], names: dict[str, Value]) -> Iterator[Traced]:
        for node in nodes:
            if node.kind == "text":
                yield self.template.cut(node.start, node.end)
            elif node.kind == "out":
                yield self._shown(node, names)
            elif node.kind == "set":
                names[node.name] = self._worked_out(node, names)
            elif node.kind == "if":
                for condition, body in node.arms:
                    if condition is None or self._holds(condition, names):
                        yield from self.all(body, names)
                        break
            else:
                yield from self._loop(node, names)

    def _value(self, place: tuple[int, int], names: Mapping[str, Value]) -> Value:
        return _Expression(self.template, names, place[1]).value(place[0])

    def _shown(self, node: _Node, names: Mapping[str, Value]) -> Traced:
        written = self.template.cut(*node.shown)
        try:
            return _seen(text_of(self._value((node.start, node.end), names)), written.route)
        except Unknown as unknown:
            return hole(Hole(written.shown, f"{unknown.what} is not known", Decider.REPOSITORY), written.route)

    def _worked_out(self, node: _Node, names: Mapping[str, Value]) -> Value:
        written = self.template.cut(node.start, node.end)
        try:
            return self._value((node.start, node.end), names)
        except Unknown as unknown:
            return hole(Hole(written.shown, f"{unknown.what} is not known", Decider.REPOSITORY), written.route)

    def _holds(self, place: tuple[int, int], names: Mapping[str, Value]) -> bool:
        try:
            return truth(self._value(place, names))
        except Unknown:
            said = self.template.cut(*place).shown.strip()
        if said not in self.known:
            number = len(self.taken)
            chosen = self.forced[number] if number < len(self.forced) else True
            self.taken.append(chosen)
            self.known[said] = chosen
            self.assumed.append(said if chosen else f"not ({said})")
        return self.known[said]

    def _loop(self, node: _Node, names: dict[str, Value]) -> Iterator[Traced]:
        (over, body), (_, otherwise) = node.arms
        assert over is not None
        written = self.template.cut(*over)
        try:
            values = self._value(over, names)
        except Unknown:
            values = [hole(Hole(written.shown, "one of the values of a loop", Decider.REPOSITORY), written.route)]
        if not isinstance(values, list):
            raise TemplateError("a loop needs a list", over[0])
        if len(values) > MOST_TURNS:
            raise TemplateError("a loop has too many turns", over[0])
        for number, value in enumerate(values):
            turn: Value = {
                "index": number + 1,
                "index0": number,
                "first": number == 0,
                "last": number + 1 == len(values),
                "length": len(values),
            }
            yield from self.all(body, {**names, node.name: value, "loop": turn})
        if not values:
            yield from self.all(otherwise, names)


def _seen(text: Traced, route: Route) -> Traced:
    """A value that no file says stands where it is used."""
    pieces = [p if p.route else Piece(p.text, route, False, p.hole, p.overridable, p.unset) for p in text.pieces]
    return Traced(tuple(pieces))
