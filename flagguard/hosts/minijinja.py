"""Templates of MiniJinja, filled in: what pixi's tasks are written in.

Follows https://docs.rs/minijinja/latest/minijinja/syntax/ and the lists of its filters and tests, with undefined values
strict. Which names there are is the caller's business. A condition that nobody can decide is followed both ways.
"""

from collections.abc import Iterator, Mapping, Sequence

from flagguard.hosts.minijinja_expressions import STRING, Expression, TemplateError
from flagguard.hosts.minijinja_values import Unknown, Value, text_of, truth
from flagguard.patterns import expression
from flagguard.text import Decider, Hole, Piece, Route, Traced, hole, join
from flagguard.values import dataclass, field

MOST = 16
"""Renderings of one template,"""
MOST_TURNS = 200
MOST_STEPS = 20_000
"""and turns of one loop."""

_TAG = expression(r"\{\{-?|\{%-?|\{#")
_STRINGS = expression(STRING)
_RAW = expression(r"\{%-?\s*endraw\s*-?%\}")


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


# -- rendering --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Renderer:
    template: Traced
    names: Mapping[str, Value]
    forced: tuple[bool, ...]
    taken: list[bool] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    known: dict[str, bool] = field(default_factory=dict)
    steps: int = 0

    def all(self, nodes: Sequence[_Node], names: dict[str, Value]) -> Iterator[Traced]:
        for node in nodes:
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise TemplateError("it comes to more than is followed", node.start)
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
        return Expression(self.template, names, place[1]).value(place[0])

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
        if isinstance(values, Traced) and not values.known:
            values = [values]
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
