"""The functions of GitHub Actions' expressions.

Follows https://docs.github.com/en/actions/reference/workflows-and-actions/expressions#functions; for what it does not
say, src/Sdk/DTExpressions2/Expressions2/Sdk/Functions of https://github.com/actions/runner. What is not known of the
arguments stays a hole in a text, and makes anything else unknown.
"""

from collections.abc import Callable, Mapping, Sequence

from flagguard.hosts.github_values import (
    NOWHERE,
    Unknown,
    Value,
    constant,
    equal,
    gap,
    shown,
    string,
    text_value,
    truth,
    unknown_of,
)
from flagguard.hosts.tree import Entry, Items, Kind, Node, Scalar, Table
from flagguard.patterns import expression
from flagguard.text import EMPTY, HOLE_MARK, Decider, Piece, Shape, Traced, join, literal
from flagguard.values import dataclass, replace


class WrongCall(Exception):
    """A call that GitHub refuses: an unknown function, another number of arguments, a broken format."""


@dataclass(frozen=True, slots=True)
class Argument:
    value: Value
    written: str


Arguments = Sequence[Argument]
STATUS = frozenset({"success", "failure", "cancelled", "always"})
"""The functions of conditions ("Status check functions")."""


def call(name: str, arguments: Arguments, usual: bool) -> Value:
    """``NAME(ARGUMENTS)``. ``usual``: the course in which no step fails and nobody cancels the run."""
    name = name.lower()
    least, most, function = _FUNCTIONS.get(name, (0, -1, _status))
    if not least <= len(arguments) <= most:
        if name not in STATUS or arguments:
            raise WrongCall(name)
        if name == "always":
            return constant(True)
        return constant(name == "success") if usual else Unknown("how the steps before went", boolean=True)
    return function(arguments)


def _status(arguments: Arguments) -> Value:
    raise WrongCall(str(len(arguments)))


def _text(argument: Argument) -> Traced:
    found = text_value(argument.value)
    if found is not None:
        return found
    assert isinstance(argument.value, Unknown)
    return gap(argument.value, "${{ " + argument.written + " }}", argument.written)


def _undecided(arguments: Arguments) -> Unknown:
    """What is true or false, and nobody knows which."""
    found = next((u for a in arguments if (u := unknown_of(a.value)) is not None), None)
    reason, decider = (found.reason, found.decider) if found is not None else ("not known", Decider.OUTSIDE)
    return Unknown(reason, decider, boolean=True)


def _primitive(argument: Argument) -> bool:
    return isinstance(argument.value, Scalar | Unknown)


def _contains(arguments: Arguments) -> Value:
    search, item = arguments
    if isinstance(search.value, Items):
        sure = [v for v in search.value.items if unknown_of(v) is None]
        wanted = item.value
        if isinstance(wanted, Unknown) or unknown_of(wanted) is not None:
            return _undecided(arguments) if search.value.items else constant(False)
        if any(equal(wanted, v) for v in sure):
            return constant(True)
        return constant(False) if len(sure) == len(search.value.items) else Unknown("an item that is not known")
    if not _primitive(search) or not _primitive(item):
        return constant(False)
    whole, part = _text(search).text.upper(), _text(item).text.upper()
    if HOLE_MARK not in part and part in whole:
        return constant(True)
    return _undecided(arguments) if HOLE_MARK in whole + part else constant(False)


def _starts(arguments: Arguments) -> Value:
    if not all(map(_primitive, arguments)):
        return constant(False)
    whole, part = (_text(a).text.upper() for a in arguments)
    return _begins(whole, part, arguments)


def _ends(arguments: Arguments) -> Value:
    if not all(map(_primitive, arguments)):
        return constant(False)
    whole, part = (_text(a).text.upper()[::-1] for a in arguments)
    return _begins(whole, part, arguments)


def _begins(whole: str, part: str, arguments: Arguments) -> Value:
    if HOLE_MARK not in part and whole.startswith(part):
        return constant(True)
    known = whole.partition(HOLE_MARK)[0], part.partition(HOLE_MARK)[0]
    size = min(map(len, known))
    if known[0][:size] != known[1][:size] or HOLE_MARK not in whole + part:
        return constant(False)
    return _undecided(arguments)


_FORMAT = expression(r"\{\{|\}\}|\{(\d+)\}|[{}]")


def _formatted(arguments: Arguments) -> Value:
    pattern = _text(arguments[0])
    if isinstance(arguments[0].value, Unknown):
        return replace(_undecided(arguments), boolean=False)
    parts, at = [], 0
    for found in _FORMAT.finditer(pattern.text):
        parts.append(pattern.cut(at, found.start()))
        if found[1] is not None and len(found[1]) <= 3 and int(found[1]) + 1 < len(arguments):
            parts.append(_text(arguments[int(found[1]) + 1]))
        elif found.group() in ("{{", "}}"):
            parts.append(pattern.cut(found.start(), found.start() + 1))
        else:
            raise WrongCall("format")
        at = found.end()
    return string(join([*parts, pattern.cut(at, len(pattern.text))]))


def _joined(arguments: Arguments) -> Value:
    first = arguments[0]
    if not isinstance(first.value, Items):
        if isinstance(first.value, Unknown):
            return Unknown(first.value.reason, first.value.decider)
        return string(_text(first)) if isinstance(first.value, Scalar) else string(EMPTY)
    given = arguments[1] if len(arguments) > 1 and _primitive(arguments[1]) else None
    separator = _text(given) if given is not None else literal(",")
    parts: list[Traced] = []
    for i, item in enumerate(first.value.items):
        parts += [separator] if i else []
        parts.append(text_value(item) or EMPTY)
    return string(join(parts))


def _to_json(arguments: Arguments) -> Value:
    if unknown_of(arguments[0].value) is not None:
        return replace(_undecided(arguments), boolean=False)
    return constant(_json(arguments[0].value, 0))


def _json(value: Value, level: int) -> str:
    inner, outer = "\n" + "  " * (level + 1), "\n" + "  " * level
    if isinstance(value, Items):
        items = [inner + _json(v, level + 1) for v in value.items]
        return f"[{','.join(items)}{outer}]" if items else "[]"
    if isinstance(value, Table):
        items = [f"{inner}{_quoted(e.name)}: {_json(e.value, level + 1)}" for e in value.entries]
        return f"{{{','.join(items)}{outer}}}" if items else "{}"
    if not isinstance(value, Scalar) or value.kind is Kind.NULL:
        return "null"
    return _quoted(value.text.text) if value.kind in (Kind.STRING, Kind.OTHER) else shown(value.value)


def _quoted(text: str) -> str:
    import json  # few workflows compute their values

    return json.dumps(text, ensure_ascii=False)


def _from_json(arguments: Arguments) -> Value:
    found = text_value(arguments[0].value)
    if found is None or not found.known:
        return replace(_undecided(arguments), boolean=False)
    try:
        import json  # few workflows compute their values

        return _placed(json.loads(found.text), found)
    except (ValueError, RecursionError):
        raise WrongCall("fromJSON") from None


def _placed(value: object, text: Traced) -> Node:
    """What a JSON text says; strings know where they stand in it, where that is clear."""
    if isinstance(value, dict):
        return Table(NOWHERE, tuple(Entry(str(k), NOWHERE, _placed(v, text)) for k, v in value.items()))
    if isinstance(value, list):
        return Items(NOWHERE, tuple(_placed(v, text) for v in value))
    made = constant(value if isinstance(value, str | bool | int | float) else None)
    if not made.text or not text.route:
        return made
    written = _quoted(made.text.text) if made.kind is Kind.STRING else made.text.text
    at = text.text.find(written)
    if made.kind is Kind.STRING and text.text.count(written) == 1 and written[1:-1] == made.text.text:
        return string(text.cut(at + 1, at + len(written) - 1))
    return Scalar(NOWHERE, Traced((Piece(made.text.text, text.route),)), made.kind, made.value)


def _hash(arguments: Arguments) -> Value:
    del arguments
    return Unknown("a checksum of files", Decider.OUTSIDE, Shape.PATH)


def _case(arguments: Arguments) -> Value:
    if len(arguments) % 2 == 0:
        raise WrongCall("case")
    for asked, came in zip(arguments[:-1:2], arguments[1::2], strict=True):
        held = truth(asked.value)
        if not isinstance(asked.value, Unknown) and (
            not isinstance(asked.value, Scalar) or asked.value.kind is not Kind.BOOLEAN
        ):
            raise WrongCall("case")
        if held is None:
            return replace(_undecided([asked]), boolean=False)
        if held:
            return came.value
    return arguments[-1].value


_MANY = 255
_FUNCTIONS: Mapping[str, tuple[int, int, Callable[[Arguments], Value]]] = {
    # name: the least and the most arguments (ExpressionConstants.cs; hashFiles: WorkflowTemplateConstants.cs)
    "contains": (2, 2, _contains),
    "startswith": (2, 2, _starts),
    "endswith": (2, 2, _ends),
    "format": (1, _MANY, _formatted),
    "join": (1, 2, _joined),
    "tojson": (1, 1, _to_json),
    "fromjson": (1, 1, _from_json),
    "hashfiles": (1, _MANY, _hash),
    "case": (3, _MANY, _case),
}
