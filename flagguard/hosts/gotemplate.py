"""Go's text templates, filled in: what Taskfiles are written in.

Follows https://pkg.go.dev/text/template. The functions are in ``gotemplate_functions``; which variables there are is
the caller's business. A condition that nobody can decide is put to the caller.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from flagguard.hosts.gotemplate_functions import FUNCTIONS, Missing, Unknown, Value, text_of, truth
from flagguard.patterns import expression
from flagguard.text import Decider, Hole, Piece, Route, Traced, hole, join, literal
from flagguard.values import dataclass, field, replace

MOST_TURNS = 200
MOST_STEPS = 20_000
MOST_TEXT, MOST_PIECES = 200_000, 1_000
TOO_LARGE = "it comes to more than is followed"
_ACTION = expression(r"\{\{(-\s)?")
_COMMENT = expression(r"\s*/\*[\s\S]*?\*/\s*(-)?\}\}")
_STRING = r'"(?:\\.|[^"\\\n])*"|`[^`]*`'
_TOKEN = expression(
    rf"\s*(?:(?P<string>{_STRING})|(?P<number>-?\d+(?:\.\d+)?)|(?P<field>(?:\.[A-Za-z_]\w*)+)"
    r"|(?P<variable>\$\w*)|(?P<name>[A-Za-z_]\w*)|(?P<op>:=|[|(),=.]))"
)
_STRINGS = expression(rf"{_STRING}|'(?:\\.|[^'\\])'")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "'": "'", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPED = expression(r"\\([ntr\"\\'abfv]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})")

Decide = Callable[[str], bool]
"""What is assumed of a condition that nobody can decide."""


class TemplateError(Exception):
    """Go would refuse the template: why, and where in it."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a template may ask for."""

    variables: Mapping[str, Value]
    platform: str
    decide: Decide


def fill(template: Traced, around: Surroundings) -> Traced:
    """What the template comes to. Raises :class:`TemplateError`."""
    if "{{" not in template.text:
        return template
    try:
        body = _Parser(template).body()
        found = join(_Renderer(template, around).all(body, around.variables, {}))
    except RecursionError:
        raise TemplateError("nested too deeply", 0) from None
    if len(found.pieces) > MOST_PIECES or len(found) > MOST_TEXT:
        raise TemplateError(TOO_LARGE, 0)
    return found


def resolve(reference: Traced, around: Surroundings) -> Value:
    """The value of an expression alone (`ref:`). Raises :class:`TemplateError` and :class:`Unknown`."""
    if reference.text.strip() == ".":
        return dict(around.variables)
    return _Expression(reference, around, around.variables, {}, len(reference)).pipeline(0)


# -- reading ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Node:
    """``text``, ``out``, ``if``, ``with``, ``range``; expressions are kept as their places."""

    kind: str
    start: int
    end: int
    arms: tuple[tuple[tuple[int, int] | None, tuple["_Node", ...]], ...] = ()
    shown: tuple[int, int] = (0, 0)


class _Parser:
    def __init__(self, template: Traced) -> None:
        self.raw = template.text
        self.at = 0
        self.trims = False

    def body(self) -> tuple[_Node, ...]:
        nodes, word, _ = self._until(())
        if word:
            raise TemplateError(f"`{word}` closes nothing", self.at)
        return nodes

    def _until(self, ends: Sequence[str]) -> tuple[tuple[_Node, ...], str, tuple[int, int]]:
        nodes: list[_Node] = []
        while True:
            found = _ACTION.search(self.raw, self.at)
            start, stop = self.at, found.start() if found else len(self.raw)
            if self.trims:
                start = stop - len(self.raw[start:stop].lstrip())
            if found is not None and found[1]:
                stop = start + len(self.raw[start:stop].rstrip())
            if stop > start:
                nodes.append(_Node("text", start, stop))
            self.trims = False
            if found is None:
                self.at = len(self.raw)
                if ends:
                    raise TemplateError("`end` is missing", self.at)
                return tuple(nodes), "", (0, 0)
            comment = _COMMENT.match(self.raw, found.end())
            if comment is not None:
                self.at, self.trims = comment.end(), bool(comment[1])
                continue
            inner, end = self._action(found.end())
            self.at = end
            word, rest = _first_word(self.raw, *inner)
            if word in ends:
                return tuple(nodes), word, rest
            if word in ("if", "range", "with"):
                nodes.append(self._block(word, rest, (found.start(), end)))
            elif word in ("define", "block", "template", "break", "continue"):
                raise TemplateError(f"`{word}` is not read", found.start())
            elif word in ("end", "else"):
                raise TemplateError(f"`{word}` closes nothing", found.start())
            else:
                nodes.append(_Node("out", *inner, shown=(found.start(), end)))

    def _action(self, start: int) -> tuple[tuple[int, int], int]:
        at = start
        while at < len(self.raw):
            quoted = _STRINGS.match(self.raw, at)
            if quoted is not None:
                at = quoted.end()
            elif self.raw.startswith("}}", at):
                self.trims = at - 2 >= start and self.raw[at - 1] == "-" and self.raw[at - 2].isspace()
                return (start, at - 2 if self.trims else at), at + 2
            else:
                at += 1
        raise TemplateError("`{{` is not closed", start - 2)

    def _block(self, kind: str, rest: tuple[int, int], shown: tuple[int, int]) -> _Node:
        arms: list[tuple[tuple[int, int] | None, tuple[_Node, ...]]] = []
        condition: tuple[int, int] | None = rest
        while True:
            nodes, word, following = self._until(("else", "end") if condition is not None else ("end",))
            arms.append((condition, nodes))
            if word == "end":
                return _Node(kind, *shown, arms=tuple(arms), shown=shown)
            inner, after = _first_word(self.raw, *following)
            if inner == kind and kind in ("if", "with"):
                condition = after
            elif inner:
                raise TemplateError(f"`else {inner}` is not read", following[0])
            else:
                condition = None


def _first_word(raw: str, start: int, end: int) -> tuple[str, tuple[int, int]]:
    said = raw[start:end]
    first = said.split(None, 1)[0] if said.strip() else ""
    if not first.isalpha():
        return "", (start, end)
    return first, (start + said.index(first) + len(first), end)


# -- expressions ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Expression:
    template: Traced
    around: Surroundings
    dot: Value
    variables: dict[str, Value]
    end: int
    at: int = 0
    tokens: list[tuple[str, str, int, int]] = field(default_factory=list)

    def read(self, start: int) -> None:
        raw, at = self.template.text, start
        while at < self.end and raw[at : self.end].strip():
            found = _TOKEN.match(raw, at, self.end)
            if found is None:
                raise TemplateError("the expression cannot be read", at)
            kind = found.lastgroup or ""
            self.tokens.append((kind, found[kind], found.start(kind), found.end(kind)))
            at = found.end()

    def pipeline(self, start: int) -> Value:
        """The whole of it, with an assignment in front; what is assigned is kept, and the value given."""
        self.read(start)
        names = self.assigned()
        value = self._pipeline()
        if self.at < len(self.tokens):
            raise TemplateError("the expression cannot be read", self.tokens[self.at][2])
        for name in names[-1:]:
            self.variables[name] = value
        return value

    def assigned(self) -> list[str]:
        names: list[str] = []
        at = 0
        while at < len(self.tokens) and self.tokens[at][0] == "variable":
            names.append(self.tokens[at][1])
            at += 1
            if at < len(self.tokens) and self.tokens[at][1] in (":=", "="):
                self.at = at + 1
                return names
            if at < len(self.tokens) and self.tokens[at][1] == ",":
                at += 1
        return []

    def _is(self, said: str) -> bool:
        return self.at < len(self.tokens) and self.tokens[self.at][0] == "op" and self.tokens[self.at][1] == said

    def _pipeline(self) -> Value:
        value = self._command(())
        while self._is("|"):
            self.at += 1
            value = self._command((value,))
        return value

    def _command(self, last: tuple[Value, ...]) -> Value:
        if self.at >= len(self.tokens):
            raise TemplateError("a value is missing", self.end)
        kind, said, start, _ = self.tokens[self.at]
        if kind != "name" or said in ("true", "false", "nil"):
            value = self._operand()
            if last:
                raise TemplateError("a value is no function", start)
            return value
        self.at += 1
        arguments: list[Value] = []
        unknown: Unknown | None = None
        while self.at < len(self.tokens) and not self._is("|") and not self._is(")"):
            if said in ("and", "or") and arguments and self._decided(said, arguments[-1]):
                self._skipped()
                continue
            try:
                arguments.append(self._operand())
            except Unknown as found:
                unknown = found
        if unknown is not None:
            raise unknown
        return self._call(said, (*arguments, *last), start)

    def _decided(self, name: str, value: Value) -> bool:
        return truth(value) is (name == "or")

    def _skipped(self) -> None:
        try:
            self._operand()
        except Unknown:
            return

    def _call(self, name: str, arguments: tuple[Value, ...], at: int) -> Value:
        function = FUNCTIONS.get(name)
        if function is None:
            raise Unknown(f"what {name} gives")
        try:
            return function(self.around.platform, *arguments)
        except (TypeError, ValueError, IndexError, ZeroDivisionError):
            raise TemplateError(f"{name} does not take these values", at) from None

    def _operand(self) -> Value:
        if self.at >= len(self.tokens):
            raise TemplateError("a value is missing", self.end)
        kind, said, start, end = self.tokens[self.at]
        self.at += 1
        value: Value
        if kind == "string":
            inner = self.template.cut(start + 1, end - 1)
            value = inner
            if said[0] == '"' and "\\" in said:
                value = literal(_ESCAPED.sub(_unescaped, said[1:-1])).grounded(inner.route)
        elif kind == "number":
            value = int(said) if "." not in said else self.template.cut(start, end)
        elif kind == "field":
            value = self._seen(_member(self.dot, said[1:].split(".")), start, end)
        elif kind == "variable":
            value = self.around.variables if said == "$" else self.variables.get(said, Missing(said))
        elif kind == "name":
            value = {"true": True, "false": False}.get(said)
            if said not in ("true", "false", "nil"):
                value = self._call(said, (), start)
        elif said == "(":
            value = self._pipeline()
            if not self._is(")"):
                raise TemplateError("`)` is missing", self.end)
            self.at += 1
        elif said == ".":
            value = self._seen(self.dot, start, end)
        else:
            raise TemplateError("the expression cannot be read", start)
        joined = self.at < len(self.tokens) and self.tokens[self.at][0] == "field"
        if joined and self.tokens[self.at][2] == self.tokens[self.at - 1][3]:
            self.at += 1
            value = _member(value, self.tokens[self.at - 1][1][1:].split("."))
        return value

    def _seen(self, value: Value, start: int, end: int) -> Value:
        return value.through(self.template.cut(start, end).route) if isinstance(value, Traced) else value


def _unescaped(found: "object") -> str:
    said: str = found[1]  # type: ignore[index]
    return _ESCAPES[said] if said in _ESCAPES else chr(int(said[1:], 16))


def _member(value: Value, names: Sequence[str]) -> Value:
    for name in names:
        if isinstance(value, Traced) and not value.known:
            raise Unknown("what a part of it is")
        value = value.get(name, Missing(name)) if isinstance(value, Mapping) else Missing(name)
    return value


# -- rendering --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Renderer:
    template: Traced
    around: Surroundings
    steps: list[int] = field(default_factory=lambda: [0])

    def all(self, nodes: Sequence[_Node], dot: Value, variables: dict[str, Value]) -> Iterator[Traced]:
        for node in nodes:
            self.steps[0] += 1
            if self.steps[0] > MOST_STEPS:
                raise TemplateError(TOO_LARGE, node.start)
            if node.kind == "text":
                yield self.template.cut(node.start, node.end)
            elif node.kind == "out":
                yield self._shown(node, dot, variables)
            elif node.kind == "range":
                yield from self._loop(node, dot, variables)
            else:
                for condition, body in node.arms:
                    inner = dict(variables)
                    value: Value = True
                    if condition is not None:
                        value, holds = self._holds(condition, dot, inner)
                        if not holds:
                            continue
                    own = value if node.kind == "with" and condition is not None else dot
                    yield from self.all(body, own, inner)
                    variables.update((name, inner[name]) for name in variables)
                    break

    def _expression(self, place: tuple[int, int], dot: Value, variables: dict[str, Value]) -> _Expression:
        return _Expression(self.template, self.around, dot, variables, place[1])

    def _shown(self, node: _Node, dot: Value, variables: dict[str, Value]) -> Traced:
        written = self.template.cut(*node.shown)
        reader = self._expression((node.start, node.end), dot, variables)
        try:
            value = reader.pipeline(node.start)
            return literal("") if reader.assigned() else _seen(text_of(value), written.route)
        except Unknown as unknown:
            found = hole(Hole(written.shown, f"{unknown.what} is not known", Decider.REPOSITORY), written.route)
            for name in reader.assigned()[-1:]:
                variables[name] = found
                return literal("")
            return found

    def _holds(self, place: tuple[int, int], dot: Value, variables: dict[str, Value]) -> tuple[Value, bool]:
        try:
            value = self._expression(place, dot, variables).pipeline(place[0])
            return value, truth(value)
        except Unknown:
            said = self.template.cut(*place).shown.strip()
            written = self.template.cut(*place)
            return hole(Hole(said, "not known", Decider.REPOSITORY), written.route), self.around.decide(said)

    def _loop(self, node: _Node, dot: Value, variables: dict[str, Value]) -> Iterator[Traced]:
        (over, body), *rest = node.arms
        assert over is not None
        reader = self._expression(over, dot, dict(variables))
        reader.read(over[0])
        names = reader.assigned()
        reader = replace(reader, tokens=[], at=0, variables=dict(variables))
        try:
            values = reader.pipeline(over[0])
        except Unknown:
            written = self.template.cut(*over)
            values = [hole(Hole(written.shown, "one of the values of a loop", Decider.REPOSITORY), written.route)]
        pairs: list[tuple[Value, Value]]
        if isinstance(values, Mapping):
            pairs = [(literal(key), values[key]) for key in sorted(values)]
        elif isinstance(values, int) and not isinstance(values, bool):
            pairs = [(number, number) for number in range(min(values, MOST_TURNS + 1))]
        else:
            pairs = list(enumerate(values)) if isinstance(values, list) else []
        if len(pairs) > MOST_TURNS:
            raise TemplateError("a loop has too many turns", over[0])
        for key, value in pairs:
            inner = dict(variables)
            if names:
                inner[names[-1]] = value
            if len(names) > 1:
                inner[names[0]] = key
            yield from self.all(body, value, inner)
        if not pairs and rest:
            yield from self.all(rest[0][1], dot, variables)


def _seen(text: Traced, route: Route) -> Traced:
    """A value that no file says stands where it is used."""
    pieces = [p if p.route else Piece(p.text, route, False, p.hole, p.overridable, p.unset) for p in text.pieces]
    return Traced(tuple(pieces))
