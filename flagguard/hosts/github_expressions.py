"""GitHub Actions' expressions, as far as they can be known: `${{ … }}` in a text, and conditions.

Follows https://docs.github.com/en/actions/reference/workflows-and-actions/expressions. What the contexts hold is the
caller's part. An expression that is not known comes out as a hole, never as a guess.
"""

import re
from collections.abc import Callable, Sequence

from flagguard.hosts.tree import Entry, Items, Kind, Node, Plain, Scalar, Table, same
from flagguard.patterns import expression
from flagguard.text import EMPTY, HOLE_MARK, Decider, Hole, Piece, Shape, Span, Traced, hole, join
from flagguard.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that nobody knows here: why, and who decides it."""

    reason: str
    decider: Decider = Decider.OUTSIDE
    shape: Shape = Shape.ANY
    truth: bool | None = None
    """As a condition it is this all the same."""


Value = Node | Unknown
Context = Callable[[tuple[str, ...]], Value]
"""What ``matrix.os`` and the like hold, by their parts."""

_NOWHERE = Span("", 0, 0)
_TEXT = expression(r"\$\{\{((?:'(?:[^']|'')*'|[^'])*?)\}\}", re.DOTALL)
_TOKEN = expression(
    r"\s*(?:(?P<string>'(?:[^']|'')*')|(?P<number>[-+]?(?:0x[0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?))"
    r"|(?P<name>[A-Za-z_][\w-]*)|(?P<operator>&&|\|\||[=!<>]=|[<>!()\[\],.*]))"
)


class _Unreadable(Exception):
    """Not an expression that is known here."""


def constant(value: Plain, span: Span = _NOWHERE) -> Scalar:
    """A value that no file says, or that stands at ``span`` in other words."""
    kind = (
        Kind.NULL if value is None
        else Kind.BOOLEAN if isinstance(value, bool)
        else Kind.NUMBER if isinstance(value, int | float)
        else Kind.STRING
    )  # fmt: skip
    said = _shown(value)
    route = () if span is _NOWHERE else (span,)
    return Scalar(span, Traced((Piece(said, route),)) if said else EMPTY, kind, value)


def _shown(value: Plain) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.15g}"
    return str(value)


def as_text(scalar: Scalar) -> Traced:
    """A scalar as GitHub puts it into a text: `3.10` is the number 3.1, `null` is nothing."""
    if scalar.kind in (Kind.STRING, Kind.OTHER):
        return scalar.text
    said = _shown(scalar.value)
    if said == scalar.text.text:
        return scalar.text
    return Traced((Piece(said, scalar.text.route),)) if said else EMPTY


def render(text: Traced, context: Context) -> Traced:
    """``text`` with each `${{ … }}` replaced by what it is, or by a hole."""
    raw = text.text
    if "${{" not in raw:
        return text
    parts, at = [], 0
    for found in _TEXT.finditer(raw):
        parts.append(text.cut(at, found.start()))
        written = text.cut(*found.span())
        value = evaluate(found[1], context)
        if isinstance(value, Scalar):
            parts.append(as_text(value).through(written.route))
        else:
            unknown = value if isinstance(value, Unknown) else Unknown("not one text")
            told = Hole(written.shown, unknown.reason, unknown.decider, unknown.shape, _variable(found[1]))
            parts.append(hole(told, written.route))
        at = found.end()
    parts.append(text.cut(at, len(raw)))
    return join(parts)


def _variable(expression: str) -> str | None:
    name = expression.strip()
    return name if re.fullmatch(r"[\w.-]+", name) else None


def whole(text: str) -> str | None:
    """The expression, where the text is one `${{ … }}` and nothing else."""
    found = _TEXT.fullmatch(text.strip())
    return found[1] if found else None


def evaluate(expression: str, context: Context) -> Value:
    try:
        return _Parser(expression, context).all()
    except (_Unreadable, RecursionError):
        return Unknown("an expression that is not read", Decider.REPOSITORY)


def holds(condition: str, context: Context) -> bool | None:
    """Whether an `if:` holds; None: nobody knows. A text around `${{ }}` is true, as a text."""
    inner = whole(condition)
    if inner is None and "${{" in condition:
        return None
    value = evaluate(condition if inner is None else inner, context)
    return _truth(value)


def _truth(value: Value) -> bool | None:
    if isinstance(value, Unknown):
        return value.truth
    if not isinstance(value, Scalar):
        return True
    if value.kind is not Kind.STRING:
        return bool(value.value)
    return bool(value.text.text.replace(HOLE_MARK, "")) or (None if value.text else False)


class _Parser:
    """Recursive descent, evaluating as it goes."""

    def __init__(self, expression: str, context: Context) -> None:
        self.context = context
        self.tokens = _tokens(expression)
        self.at = 0

    def all(self) -> Value:
        value = self.either()
        if self.at < len(self.tokens):
            raise _Unreadable
        return value

    def accept(self, *operators: str) -> str | None:
        if self.at < len(self.tokens):
            kind, text = self.tokens[self.at]
            if kind == "operator" and text in operators:
                self.at += 1
                return text
        return None

    def expect(self, operator: str) -> None:
        if self.accept(operator) is None:
            raise _Unreadable

    def either(self) -> Value:
        value = self.both()
        while self.accept("||"):
            other = self.both()
            match _truth(value):
                case False if not isinstance(value, Unknown):
                    value = other
                case False | None if isinstance(value, Unknown):
                    value = replace(value, truth=_truth(other) or None)
        return value

    def both(self) -> Value:
        value = self.equal()
        while self.accept("&&"):
            other = self.equal()
            match _truth(value):
                case True if not isinstance(value, Unknown):
                    value = other
                case True | None if isinstance(value, Unknown):
                    value = replace(value, truth=None if _truth(other) is not False else False)
        return value

    def equal(self) -> Value:
        value = self.ordered()
        while operator := self.accept("==", "!="):
            value = _compared(operator, value, self.ordered())
        return value

    def ordered(self) -> Value:
        value = self.negated()
        while operator := self.accept("<=", ">=", "<", ">"):
            value = _compared(operator, value, self.negated())
        return value

    def negated(self) -> Value:
        if self.accept("!"):
            value = self.negated()
            truth = _truth(value)
            return value if truth is None else constant(not truth)
        return self.primary()

    def primary(self) -> Value:
        if self.accept("("):
            value = self.either()
            self.expect(")")
            return self.property_of(value)
        if self.at >= len(self.tokens):
            raise _Unreadable
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "string":
            return constant(text[1:-1].replace("''", "'"))
        if kind == "number":
            return constant(float(int(text, 16)) if "x" in text.lower() else float(text))
        if kind != "name":
            raise _Unreadable
        if text in ("true", "false", "null"):
            return constant({"true": True, "false": False, "null": None}[text])
        if self.accept("("):
            return self.property_of(_called(text.lower(), self.arguments()))
        parts, unknown = self.parts()
        return unknown or self.context((text, *parts))

    def arguments(self) -> list[Value]:
        found: list[Value] = []
        if self.accept(")"):
            return found
        while True:
            found.append(self.either())
            if self.accept(")"):
                return found
            self.expect(",")

    def property_of(self, value: Value) -> Value:
        parts, unknown = self.parts()
        return unknown or step_into(value, parts)

    def parts(self) -> tuple[list[str], Unknown | None]:
        """The `.name` and `[index]` that follow; what is unknown where one of them is."""
        parts: list[str] = []
        unknown = None
        while True:
            if self.accept("."):
                if self.accept("*"):
                    unknown = Unknown("a filter over a list", Decider.REPOSITORY)
                    continue
                if self.at >= len(self.tokens) or self.tokens[self.at][0] != "name":
                    raise _Unreadable
                parts.append(self.tokens[self.at][1])
                self.at += 1
            elif self.accept("["):
                index = self.either()
                self.expect("]")
                if isinstance(index, Scalar) and index.text.known:
                    parts.append(as_text(index).text)
                else:
                    unknown = Unknown("an index that is not known", Decider.REPOSITORY)
            else:
                return parts, unknown


def _tokens(expression: str) -> list[tuple[str, str]]:
    found, at, end = [], 0, len(expression.rstrip())
    while at < end:
        token = _TOKEN.match(expression, at)
        if token is None or token.lastgroup is None:
            raise _Unreadable
        found.append((token.lastgroup, token[token.lastgroup]))
        at = token.end()
    return found


def step_into(value: Value, parts: Sequence[str]) -> Value:
    """The property ``parts`` of a value; what is not there is null, as in GitHub."""
    for part in parts:
        if isinstance(value, Unknown):
            return value
        if isinstance(value, Items) and part.isdecimal() and int(part) < len(value.items):
            value = value.items[int(part)]
        elif isinstance(value, Table):
            entry = value.by_name.get(part) or next((e for e in value.entries if e.name.lower() == part.lower()), None)
            value = entry.value if entry else constant(None)
        else:
            return constant(None)
    return value


def _number(value: Node) -> float | None:
    if not isinstance(value, Scalar):
        return None
    if value.kind is Kind.STRING:
        try:
            return float(value.text.text.strip() or 0)
        except ValueError:
            return None
    return float(value.value or 0) if not isinstance(value.value, str) else None


def _compared(operator: str, one: Value, other: Value) -> Value:
    for side in (one, other):
        if isinstance(side, Unknown):
            return side
        if isinstance(side, Scalar) and not side.text.known:
            return Unknown(side.text.holes[0].reason, side.text.holes[0].decider)
    assert not isinstance(one, Unknown)
    assert not isinstance(other, Unknown)
    strings = isinstance(one, Scalar) and isinstance(other, Scalar) and one.kind is other.kind is Kind.STRING
    if strings and isinstance(one, Scalar) and isinstance(other, Scalar):
        left, right = one.text.text.lower(), other.text.text.lower()
        order = (left > right) - (left < right)
    elif isinstance(one, Scalar) and isinstance(other, Scalar):
        first, second = _number(one), _number(other)
        if first is None or second is None:
            return constant(operator == "!=")
        order = (first > second) - (first < second)
    else:
        order = 0 if same(one, other) else 1
    results = {"==": order == 0, "!=": order != 0, "<": order < 0, ">": order > 0, "<=": order <= 0, ">=": order >= 0}
    return constant(results[operator])


def _called(name: str, arguments: list[Value]) -> Value:
    if name in ("always", "success"):
        return constant(True)
    if name == "hashfiles":
        return Unknown("a checksum of files", Decider.OUTSIDE, Shape.PATH)
    for argument in arguments:
        if isinstance(argument, Unknown):
            return argument
        if isinstance(argument, Scalar) and not argument.text.known:
            return Unknown(argument.text.holes[0].reason, argument.text.holes[0].decider)
    known = [a for a in arguments if not isinstance(a, Unknown)]
    texts = [as_text(a).text if isinstance(a, Scalar) else "" for a in known]
    if name == "contains" and len(known) == 2:
        if isinstance(known[0], Items):
            return constant(any(isinstance(i, Scalar) and _equal_texts(i, texts[1]) for i in known[0].items))
        return constant(texts[1].lower() in texts[0].lower())
    if name == "startswith" and len(known) == 2:
        return constant(texts[0].lower().startswith(texts[1].lower()))
    if name == "endswith" and len(known) == 2:
        return constant(texts[0].lower().endswith(texts[1].lower()))
    if name == "format" and known and all(isinstance(a, Scalar) for a in known):
        return _formatted([as_text(a) for a in known if isinstance(a, Scalar)])
    if name == "join" and known and isinstance(known[0], Items):
        between = texts[1] if len(known) > 1 else ","
        return constant(between.join(as_text(i).text for i in known[0].items if isinstance(i, Scalar)))
    if name == "fromjson" and len(known) == 1:
        try:
            import json  # few workflows compute their values

            return _from_plain(json.loads(texts[0]))
        except (ValueError, RecursionError):
            return Unknown("not JSON", Decider.REPOSITORY)
    if name in ("cancelled", "failure"):
        return Unknown("how the steps before went")
    return Unknown(f"the value of {name}()", Decider.REPOSITORY)


def _equal_texts(item: Scalar, text: str) -> bool:
    return as_text(item).text.lower() == text.lower()


def _formatted(texts: list[Traced]) -> Value:
    parts, at = [], 0
    pattern = texts[0]
    for found in re.finditer(r"\{\{|\}\}|\{(\d+)\}", pattern.text):
        parts.append(pattern.cut(at, found.start()))
        if found[1] is None:
            parts.append(pattern.cut(found.start(), found.start() + 1))
        elif int(found[1]) + 1 < len(texts):
            parts.append(texts[int(found[1]) + 1])
        else:
            return Unknown("format() without that argument", Decider.REPOSITORY)
        at = found.end()
    parts.append(pattern.cut(at, len(pattern.text)))
    text = join(parts)
    return replace(constant(""), text=text, value=text.text)


def _from_plain(value: object) -> Node:
    if isinstance(value, dict):
        return Table(_NOWHERE, tuple(Entry(str(k), _NOWHERE, _from_plain(v)) for k, v in value.items()))
    if isinstance(value, list):
        return Items(_NOWHERE, tuple(_from_plain(v) for v in value))
    return constant(value if isinstance(value, str | bool | int | float) else None)
