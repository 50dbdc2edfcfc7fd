"""The values of GitHub Actions' expressions: as a text, as a number, as a condition, and how they compare.

Follows https://docs.github.com/en/actions/reference/workflows-and-actions/expressions ("Literals", "Operators"); where
it is silent, the runner's own sources decide (https://github.com/actions/runner, src/Sdk/DTExpressions2:
EvaluationResult.cs, ExpressionUtility.cs). Contexts, functions and syntax are not known here.
"""

import math

from flagguard.hosts.tree import Items, Kind, Node, Plain, Scalar
from flagguard.patterns import expression
from flagguard.text import EMPTY, HOLE_MARK, Decider, Hole, Piece, Shape, Span, Traced, hole
from flagguard.values import dataclass


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that nobody knows here: why, and who decides it."""

    reason: str
    decider: Decider = Decider.OUTSIDE
    shape: Shape = Shape.ANY
    truth: bool | None = None
    """As a condition it is this all the same."""
    path: str | None = None
    """The folder of the tree that it surely names."""
    boolean: bool = False
    """It is true or false; others are texts, as a rule."""


Value = Node | Unknown

NOWHERE = Span("", 0, 0)
_NUMBER = expression(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_NAMED = {"infinity": math.inf, "+infinity": math.inf, "-infinity": -math.inf}


def constant(value: Plain, span: Span = NOWHERE) -> Scalar:
    """A value that no file says, or that stands at ``span`` in other words."""
    kind = (
        Kind.NULL if value is None
        else Kind.BOOLEAN if isinstance(value, bool)
        else Kind.NUMBER if isinstance(value, int | float)
        else Kind.STRING
    )  # fmt: skip
    said = shown(value)
    route = () if span is NOWHERE else (span,)
    return Scalar(span, Traced((Piece(said, route),)) if said else EMPTY, kind, value)


def string(text: Traced) -> Scalar:
    return Scalar(NOWHERE, text, Kind.STRING, text.text)


def shown(value: Plain) -> str:
    """As a text: numbers with 15 digits, as .NET's format G15 writes them."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    try:
        number = float(value)
    except OverflowError:
        number = math.inf if value > 0 else -math.inf
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return f"{number:.15g}".replace("e", "E")


def as_text(scalar: Scalar) -> Traced:
    """A scalar as GitHub puts it into a text: `3.10` is the number 3.1, `null` is nothing."""
    if scalar.kind in (Kind.STRING, Kind.OTHER):
        return scalar.text
    said = shown(scalar.value)
    if said == scalar.text.text:
        return scalar.text
    return Traced((Piece(said, scalar.text.route),)) if said else EMPTY


def text_value(value: Value) -> Traced | None:
    """What a value is in a text; None where nobody knows."""
    if isinstance(value, Scalar):
        return as_text(value)
    if isinstance(value, Unknown):
        return None
    return Traced((Piece("Array" if isinstance(value, Items) else "Object"),))


def unknown_of(value: Value) -> Unknown | None:
    """Why a value is not known, or not all of it."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Scalar) and value.text.holes:
        first = value.text.holes[0]
        return Unknown(first.reason, first.decider, first.shape)
    return None


def gap(value: Unknown, written: str, name: str | None = None) -> Traced:
    """The hole that stands for it in a text."""
    return hole(Hole(written, value.reason, value.decider, value.shape, name, value.path))


def parse_number(text: str) -> float:
    text = text.strip()
    if not text:
        return 0.0
    if _NUMBER.fullmatch(text):
        return float(text)
    for begin, base, most in (("0x", 16, 8), ("0o", 8, 11)):
        digits = text[2:]
        if text.startswith(begin) and digits and len(digits) <= most and digits.isalnum():
            try:
                number = int(digits, base)
            except ValueError:
                return math.nan
            # 32 bits, of which the first is the sign
            return float(number - 2**32 if number >= 2**31 else number) if number < 2**32 else math.nan
    return _NAMED.get(text.lower(), math.nan)


def number(value: Node) -> float:
    """A value as a number; NaN where it is none."""
    if not isinstance(value, Scalar):
        return math.nan
    if isinstance(value.value, str):
        return parse_number(value.text.text)
    try:
        return float(value.value or 0)
    except OverflowError:
        return math.inf


def truth(value: Value) -> bool | None:
    """As a condition; None: nobody knows."""
    if isinstance(value, Unknown):
        return value.truth
    if not isinstance(value, Scalar):
        return True
    if value.kind in (Kind.STRING, Kind.OTHER):
        return bool(value.text.text.replace(HOLE_MARK, "")) or (None if value.text else False)
    return bool(value.value) and not (isinstance(value.value, float) and math.isnan(value.value))


def _is_text(value: Node) -> bool:
    return isinstance(value, Scalar) and value.kind in (Kind.STRING, Kind.OTHER)


def equal(one: Node, other: Node) -> bool:
    """``==``: texts without case, else as numbers; lists and objects only if they are the very same."""
    if not isinstance(one, Scalar) or not isinstance(other, Scalar):
        return one is other
    if _is_text(one) and _is_text(other):
        return one.text.text.upper() == other.text.text.upper()
    return number(one) == number(other)


def less(one: Node, other: Node) -> bool:
    """``<``, which never holds for NaN, lists and objects."""
    if _is_text(one) and _is_text(other):
        assert isinstance(one, Scalar)
        assert isinstance(other, Scalar)
        return one.text.text.upper() < other.text.text.upper()
    return number(one) < number(other)


def compared(operator: str, one: Value, other: Value) -> Value:
    """``one OPERATOR other``."""
    unknown = unknown_of(one) or unknown_of(other)
    if isinstance(one, Unknown) or isinstance(other, Unknown):
        assert unknown is not None
        return Unknown(unknown.reason, unknown.decider, boolean=True)
    if unknown is not None:
        if operator in ("==", "!=") and _differ(one, other):
            return constant(operator == "!=")
        return Unknown(unknown.reason, unknown.decider, boolean=True)
    match operator:
        case "==":
            return constant(equal(one, other))
        case "!=":
            return constant(not equal(one, other))
        case "<":
            return constant(less(one, other))
        case ">":
            return constant(less(other, one))
        case "<=":
            return constant(equal(one, other) or less(one, other))
    return constant(equal(one, other) or less(other, one))


def _differ(one: Node, other: Node) -> bool:
    """Whether two texts surely differ, of which one has holes: in what stands before or behind them."""
    if not (_is_text(one) and _is_text(other)) or not isinstance(one, Scalar) or not isinstance(other, Scalar):
        return False
    texts = [side.text.text.upper() for side in (one, other)]
    begins = [text.partition(HOLE_MARK)[0] for text in texts]
    ends = [text.rpartition(HOLE_MARK)[2] for text in texts]
    size = min(map(len, begins))
    if begins[0][:size] != begins[1][:size]:
        return True
    size = min(map(len, ends))
    if size and ends[0][-size:] != ends[1][-size:]:
        return True
    return any(HOLE_MARK not in text and len(text) < len(other) - other.count(HOLE_MARK)
               for text, other in (texts, texts[::-1]))  # fmt: skip


def overridable(value: Value) -> bool:
    """Whether somebody outside may replace it: the default of an input."""
    return isinstance(value, Scalar) and any([p.overridable for p in value.text.pieces])  # noqa: C419
