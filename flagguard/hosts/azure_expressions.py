"""Azure Pipelines' expressions: `${{ … }}`, `$[ … ]` and conditions, as far as they can be known.

Follows https://learn.microsoft.com/azure/devops/pipelines/process/expressions: there are no operators, only functions.
What the contexts hold is the caller's part; what is not known comes out as such, never as a guess.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from flagguard.hosts.github_values import NOWHERE, Unknown, Value, constant, number, parse_number, string, unknown_of
from flagguard.hosts.tree import Entry, Items, Kind, Node, Scalar, Table
from flagguard.patterns import expression
from flagguard.text import EMPTY, HOLE_MARK, Decider, Piece, Traced, join, literal
from flagguard.values import dataclass

Lookup = Callable[[tuple[str, ...]], Value]
"""What `parameters.x`, `variables['x']` and the like hold, by their parts."""

_TOKEN = expression(r"\s*(?:('(?:[^']|'')*')|(-?(?:\d+\.?\d*|\.\d+)(?![\w.]))|([A-Za-z_$][\w-]*)|([()\[\],.*]))")
_MOST_TOKENS = 5_000
_STATUS = frozenset("always canceled failed succeeded succeededorfailed".split())
_UNREAD = Unknown("an expression that is not read", Decider.REPOSITORY)


class Unreadable(Exception):
    """Not an expression that Azure takes."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    start: int
    end: int
    text: str


@lru_cache(maxsize=4096)
def _tokens(text: str) -> Sequence[_Token]:
    found: list[_Token] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None or len(found) > _MOST_TOKENS:
            raise Unreadable
        group = match.lastindex or 0
        kind = ("string", "number", "name", "mark")[group - 1]
        found.append(_Token(kind, match.start(group), match.end(group), match[group]))
        at = match.end()
    return found


def evaluate(text: Traced, lookup: Lookup, usual: bool = True) -> Value:
    """The value of an expression. ``usual``: no step before has failed; else nobody knows how they went."""
    try:
        parser = _Parser(text, lookup, usual)
        value = parser.value()
        return value if parser.at == len(parser.tokens) else _UNREAD
    except (Unreadable, RecursionError):
        return _UNREAD


# -- values -----------------------------------------------------------------------------------------------------------


def text_of_value(value: Value) -> Traced | None:
    """A value in a text; None where nobody knows it, or it has no text."""
    if not isinstance(value, Scalar):
        return None
    if value.kind is Kind.BOOLEAN:
        return _said("True" if value.value else "False", value)
    if value.kind is Kind.NULL:
        return EMPTY
    return value.text


def _said(text: str, value: Scalar) -> Traced:
    over = any(p.overridable for p in value.text.pieces)
    return Traced((Piece(text, value.text.route, overridable=over),))


def truth(value: Value) -> bool | None:
    """As a condition; None: nobody knows. A text is true unless it is empty, `false` included."""
    if isinstance(value, Unknown):
        return value.truth
    if not isinstance(value, Scalar):
        return True
    if value.kind in (Kind.STRING, Kind.OTHER):
        return bool(value.text.text.replace(HOLE_MARK, "")) or (None if value.text else False)
    return bool(value.value)


def overridable(value: Value) -> bool:
    """Whether somebody outside may replace it: a pipeline's parameter."""
    if isinstance(value, Table):
        return any(overridable(e.value) for e in value.entries)
    if isinstance(value, Items):
        return any(overridable(i) for i in value.items)
    return isinstance(value, Scalar) and any(p.overridable for p in value.text.pieces)


def _like(value: Scalar, other: Scalar) -> Scalar:
    """``other`` as a value of the kind of ``value``."""
    if value.kind is Kind.BOOLEAN and other.kind is not Kind.BOOLEAN:
        said = other.text.text.lower()
        return constant(said == "true") if said in ("true", "false") else other
    if value.kind is Kind.STRING and other.kind is not Kind.STRING:
        return string(text_of_value(other) or EMPTY)
    if value.kind is Kind.NUMBER and other.kind is Kind.STRING:
        return constant(parse_number(other.text.text))
    return other


def _equal(one: Node, other: Node) -> bool:
    if not isinstance(one, Scalar) or not isinstance(other, Scalar):
        return one is other
    other = _like(one, other)
    if one.kind is Kind.STRING and other.kind is Kind.STRING:
        return one.text.text.upper() == other.text.text.upper()
    if one.kind is not other.kind:
        return not text_of_value(one) and not text_of_value(other)
    return one.value == other.value


def _less(one: Node, other: Node) -> bool:
    if not isinstance(one, Scalar) or not isinstance(other, Scalar):
        return False
    other = _like(one, other)
    if one.kind is Kind.STRING:
        return one.text.text.upper() < other.text.text.upper()
    return number(one) < number(other)


def _known(values: Sequence[Value]) -> Unknown | None:
    """Why one of them is not known."""
    return next((unknown for v in values if (unknown := unknown_of(v)) is not None), None)


def _open(unknown: Unknown, truth: bool | None = None) -> Unknown:
    return Unknown(unknown.reason, unknown.decider, truth=truth, boolean=True)


# -- functions --------------------------------------------------------------------------------------------------------


def _call(name: str, args: Sequence[Value], usual: bool) -> Value:
    name = name.lower()
    if name in _STATUS:
        known = usual or name == "always"
        return constant(name not in ("failed", "canceled")) if known else Unknown("how the steps before went")
    if name in ("and", "or"):
        return _logic(name == "and", args)
    if name == "not" and args:
        held = truth(args[0])
        return constant(not held) if held is not None else _open(_known(args) or _UNREAD)
    if name == "iif" and len(args) == 3:
        held = truth(args[0])
        return args[1 if held else 2] if held is not None else Unknown("a condition that is not known")
    if name == "coalesce":
        for value in args:
            if isinstance(value, Unknown) or not isinstance(value, Scalar) or value.text:
                return value
        return constant(None)
    if name in ("in", "notin", "containsvalue"):
        return _among(name, args)
    unknown = _known(args)
    if name == "counter":
        return Unknown("a counter that Azure keeps")
    if unknown is not None:
        return _open(unknown) if name in _TESTS else Unknown(unknown.reason, unknown.decider)
    nodes = [a for a in args if not isinstance(a, Unknown)]
    if name in _TESTS and len(nodes) >= 2:
        return constant(_TESTS[name](nodes[0], nodes[1]))
    return _text_function(name, nodes)


def _logic(every: bool, args: Sequence[Value]) -> Value:
    held = [truth(a) for a in args]
    if (not every) in held:
        return constant(not every)
    if None in held:
        return _open(_known(args) or _UNREAD)
    return constant(every)


def _among(name: str, args: Sequence[Value]) -> Value:
    if len(args) < 2:
        raise Unreadable
    first, others = args[0], list(args[1:])
    if name == "containsvalue":
        inner, first = args[0], args[1]
        others = list(inner.items if isinstance(inner, Items) else
                      (e.value for e in inner.entries) if isinstance(inner, Table) else ())  # fmt: skip
        if isinstance(inner, Unknown):
            return _open(inner)
    found = None
    if not isinstance(first, Unknown) and unknown_of(first) is None:
        known = [o for o in others if not isinstance(o, Unknown) and unknown_of(o) is None]
        if any(_equal(first, o) for o in known):
            found = True
        elif len(known) == len(others):
            found = False
    if found is None:
        return _open(_known(args) or _UNREAD)
    return constant(found is not (name == "notin"))


def _text(node: Node) -> str:
    found = text_of_value(node)
    return found.text if found is not None else ""


_TESTS: Mapping[str, Callable[[Node, Node], bool]] = {
    "eq": _equal,
    "ne": lambda a, b: not _equal(a, b),
    "lt": _less,
    "gt": lambda a, b: _less(b, a),
    "le": lambda a, b: _less(a, b) or _equal(a, b),
    "ge": lambda a, b: _less(b, a) or _equal(a, b),
    "xor": lambda a, b: truth(a) is not truth(b),
    "startswith": lambda a, b: _text(a).lower().startswith(_text(b).lower()),
    "endswith": lambda a, b: _text(a).lower().endswith(_text(b).lower()),
    "contains": lambda a, b: (
        any(_equal(i, b) for i in a.items) if isinstance(a, Items) else _text(b).lower() in _text(a).lower()
    ),
}


def _text_function(name: str, args: Sequence[Node]) -> Value:
    texts = [text_of_value(a) or EMPTY for a in args]
    match name, len(args):
        case "lower" | "upper", 1:
            changed = texts[0].text.lower() if name == "lower" else texts[0].text.upper()
            return string(Traced((Piece(changed, texts[0].route),))) if changed else string(EMPTY)
        case "trim", 1:
            raw = texts[0].text
            start = len(raw) - len(raw.lstrip())
            return string(texts[0].cut(start, len(raw.rstrip())))
        case "length", 1:
            size = len(args[0].items) if isinstance(args[0], Items) else len(texts[0].text)
            return constant(size)
        case "replace", 3:
            parts, at, raw, old = [], 0, texts[0].text, texts[1].text
            while old and (found := raw.find(old, at)) >= 0:
                parts += [texts[0].cut(at, found), texts[2]]
                at = found + len(old)
            return string(join([*parts, texts[0].cut(at, len(raw))]))
        case "join", 2 if isinstance(args[1], Items):
            out: list[Traced] = []
            for item in args[1].items:
                out += [texts[0], text_of_value(item) or EMPTY] if out else [text_of_value(item) or EMPTY]
            return string(join(out))
        case "split", 2:
            cuts, at, raw, marks = [], 0, texts[0].text, texts[1].text
            for i, char in enumerate(raw):
                if char in marks:
                    cuts.append(string(texts[0].cut(at, i)))
                    at = i + 1
            return Items(NOWHERE, (*cuts, string(texts[0].cut(at, len(raw)))))
        case "format", _ if args:
            return string(_formatted(texts[0], texts[1:]))
    return Unknown(f"{name}() is not followed", Decider.REPOSITORY)


_FIELD = expression(r"\{\{|\}\}|\{(\d+)(?::[^{}]*)?\}")


def _formatted(form: Traced, args: Sequence[Traced]) -> Traced:
    parts, at = [], 0
    for found in _FIELD.finditer(form.text):
        parts.append(form.cut(at, found.start()))
        at = found.end()
        if found[1] is None:
            parts.append(form.cut(found.start(), found.start() + 1))
        elif int(found[1]) < len(args):
            parts.append(args[int(found[1])])
        else:
            raise Unreadable
    return join([*parts, form.cut(at, len(form))])


# -- the grammar ------------------------------------------------------------------------------------------------------


class _Parser:
    def __init__(self, text: Traced, lookup: Lookup, usual: bool) -> None:
        self.text, self.lookup, self.usual = text, lookup, usual
        self.tokens = _tokens(text.text)
        self.at = 0

    def accept(self, mark: str) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at].kind == "mark" and self.tokens[self.at].text == mark:
            self.at += 1
            return True
        return False

    def value(self) -> Value:
        if self.at >= len(self.tokens):
            raise Unreadable
        token = self.tokens[self.at]
        self.at += 1
        if token.kind == "string":
            inner = self.text.cut(token.start + 1, token.end - 1)
            parts = []
            at = 0
            for found in re.finditer("''", inner.text):
                parts.append(inner.cut(at, found.start() + 1))
                at = found.end()
            return string(join([*parts, inner.cut(at, len(inner))]))
        if token.kind == "number":
            return constant(parse_number(token.text))
        if token.kind != "name":
            raise Unreadable
        if self.accept("("):
            return self.indexed(_call(token.text, self.arguments(), self.usual))
        low = token.text.lower()
        if low in ("true", "false"):
            return constant(low == "true")
        if low == "null":
            return constant(None)
        return self.named(token.text)

    def arguments(self) -> list[Value]:
        found: list[Value] = []
        if self.accept(")"):
            return found
        while True:
            found.append(self.value())
            if self.accept(")"):
                return found
            if not self.accept(","):
                raise Unreadable

    def index(self) -> Value | None:
        if self.accept("."):
            if self.at >= len(self.tokens) or self.tokens[self.at].kind not in ("name", "number"):
                raise Unreadable
            self.at += 1
            return string(literal(self.tokens[self.at - 1].text))
        if self.accept("["):
            found = self.value()
            if not self.accept("]"):
                raise Unreadable
            return found
        return None

    def named(self, name: str) -> Value:
        parts = [name]
        while (index := self.index()) is not None:
            if not isinstance(index, Scalar) or not index.text.known:
                return self.indexed(Unknown("an index that is not known", Decider.REPOSITORY))
            parts.append(index.text.text)
        return self.lookup(tuple(parts))

    def indexed(self, value: Value) -> Value:
        while (index := self.index()) is not None:
            value = step_into(value, index)
        return value


def step_into(value: Value, index: Value) -> Value:
    """One property of a value; what is not there is null."""
    if isinstance(value, Unknown):
        return value
    if not isinstance(index, Scalar) or not index.text.known:
        return Unknown("an index that is not known", Decider.REPOSITORY)
    if isinstance(value, Items):
        at = number(index)
        return value.items[int(at)] if 0 <= at < len(value.items) else constant(None)
    if isinstance(value, Table):
        name = index.text.text.lower()
        found = next((e for e in value.entries if e.name.lower() == name), None)
        return found.value if found is not None else constant(None)
    return constant(None)


def pair(entry: Entry) -> Table:
    """What `each` goes through of a table."""
    key = Scalar(entry.key, literal(entry.name, entry.key), Kind.STRING, entry.name)
    return Table(entry.key, (Entry("key", entry.key, key), Entry("value", entry.key, entry.value)))
