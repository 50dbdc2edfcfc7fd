"""Sums, formats and items of a build script's values (Language Reference, 6.7; "Built-in Types")."""

import ast
import operator as op
import re
from collections.abc import Callable
from typing import Any

from flagguard.hosts.python_values import Items, Mapping, Plain, Unknown, Value, soft, text_of
from flagguard.patterns import expression
from flagguard.text import Decider, Hole, Traced, hole, join, literal
from flagguard.values import replace

_NUMBERS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: op.add, ast.Sub: op.sub, ast.Mult: op.mul, ast.FloorDiv: op.floordiv, ast.Mod: op.mod,
    ast.Div: op.truediv, ast.BitOr: op.or_, ast.BitAnd: op.and_,
}  # fmt: skip
_PERCENT = expression(r"%(?:\((\w+)\))?([-#0 +]*\d*(?:\.\d+)?)([sdirfxX%])")
_BRACES = expression(r"\{\{|\}\}|\{(\w*)(![rsa])?(:[^{}]*)?\}")
_LONG = expression(r"\d{4}")
MAX_TEXT = 20_000


def binary(operator: ast.operator, left: Value, right: Value) -> Value | None:
    """The result; None where it is not known."""
    if isinstance(operator, ast.Add):
        return _sum(left, right)
    if isinstance(operator, ast.BitOr) and isinstance(left, Mapping) and isinstance(right, Mapping):
        return Mapping({**left.entries, **right.entries}, left.rest or right.rest, left.environ or right.environ)
    if isinstance(operator, ast.Div) and isinstance(left, (Traced, Unknown)):
        parts = [text_of(left).one(), literal("/"), text_of(right).one()]
        return join(parts)  # pathlib
    if isinstance(operator, ast.Mult):
        for one, other in ((left, right), (right, left)):
            if isinstance(other, Plain) and isinstance(other.value, int) and 0 <= other.value < 100:
                if isinstance(one, Items) and len(one.items) * other.value < 1000:
                    return Items(one.items * other.value, one.kind)
                if isinstance(one, Traced) and len(one) * other.value < MAX_TEXT:
                    return join([one] * other.value)
    if isinstance(left, Plain) and isinstance(right, Plain):
        return numbers(operator, left, right)
    return None


def numbers(operator: ast.operator, left: Plain, right: Plain) -> Plain | None:
    numeric = (int, float)
    if not isinstance(left.value, numeric) or not isinstance(right.value, numeric) or type(operator) not in _NUMBERS:
        return None
    if abs(left.value) > 1e15 or abs(right.value) > 1e15:
        return None
    try:
        return Plain(_NUMBERS[type(operator)](left.value, right.value), left.span, soft(left) or soft(right))
    except (ArithmeticError, TypeError, ValueError):
        return None


def _sum(left: Value, right: Value) -> Value | None:
    if isinstance(left, Items) or isinstance(right, Items):
        kind = left.kind if isinstance(left, Items) else right.kind if isinstance(right, Items) else "list"
        return Items([*_listed(left), *_listed(right)], kind)
    if isinstance(left, Traced) or isinstance(right, Traced):
        if len(text_of(left)) + len(text_of(right)) > MAX_TEXT:
            return None
        return text_of(left).one() + text_of(right).one()
    if isinstance(left, Plain) and isinstance(right, Plain):
        return numbers(ast.Add(), left, right)
    return None


def _listed(value: Value) -> list[Value]:
    if isinstance(value, Items):
        return value.items
    if isinstance(value, Unknown):
        return [replace(value, hole=replace(value.hole, several=True))]
    return [Unknown(Hole("[…]", "what it holds is not known", Decider.REPOSITORY, several=True))]


def formatted(text: Traced, given: Value) -> Traced | None:
    """`text % given`"""
    values = list(given.items) if isinstance(given, Items) and given.kind == "tuple" else [given]
    entries = given.entries if isinstance(given, Mapping) else {}

    def value(found: "re.Match[str]") -> Traced | None:
        if found[3] == "%":
            return literal("%")
        if found[1] is not None:
            return shown(entries.get(found[1]), found[0], "%", found[2] + found[3])
        return shown(values.pop(0) if values else None, found[0], "%", found[2] + found[3])

    return _filled(text, _PERCENT, value)


def format_call(text: Traced, arguments: list[Value], keywords: dict[str, Value]) -> Traced | None:
    """`text.format(…)`"""
    numbered = iter(range(len(arguments)))

    def value(found: "re.Match[str]") -> Traced | None:
        if found[0] in ("{{", "}}"):
            return literal(found[0][0])
        name = found[1] or str(next(numbered, len(arguments)))
        conversion, layout = found[2] or "", (found[3] or "")[1:]
        if name.isdigit():
            given = arguments[int(name)] if int(name) < len(arguments) else None
            return shown(given, found[0], conversion, layout)
        return shown(keywords.get(name), found[0], conversion, layout)

    return _filled(text, _BRACES, value)


def shown(value: Value | None, written: str, conversion: str, layout: str) -> Traced:
    """A value in the place of a field."""
    if isinstance(value, Unknown):
        return text_of(value).one()
    made = laid_out(value, conversion, layout) if isinstance(value, (Traced, Plain)) else None
    reason = "nothing is given for it" if value is None else "how it is laid out is not followed"
    return made.one() if made is not None else hole(Hole(written, reason, Decider.REPOSITORY))


_CONVERSIONS: dict[str, Callable[[object], str]] = {"!r": repr, "!s": str, "!a": ascii}


def field(part: ast.FormattedValue, value: Value) -> Traced | None:
    """A field of an f-string; None where it is not known."""
    parts = part.format_spec.values if isinstance(part.format_spec, ast.JoinedStr) else []
    layout = "".join(str(p.value) if isinstance(p, ast.Constant) else "\0" for p in parts)
    if not isinstance(value, (Traced, Plain)) or "\0" in layout:
        return None
    return laid_out(value, "" if part.conversion < 0 else f"!{chr(part.conversion)}", layout)


def laid_out(value: Traced | Plain, conversion: str, layout: str) -> Traced | None:
    """`{value!r:>8}` or, with the conversion `%`, `%-8s` (Library Reference, "Format Specification Mini-Language")."""
    text = text_of(value)
    if (conversion, layout) in (("", ""), ("!s", ""), ("%", "s")):
        return text
    said = text.text if isinstance(value, Traced) else value.value
    if not text.known or _LONG.search(layout) is not None:
        return None
    try:
        if conversion == "%":
            made = f"%{layout}" % (said,)
        else:
            made = format(_CONVERSIONS[conversion](said) if conversion else said, layout)
    except (ValueError, TypeError):
        return None
    if made == text.text or not text.pieces:
        return text if made == text.text else literal(made)
    return Traced((replace(text.pieces[0], text=made, verbatim=False),))


def _filled(
    text: Traced, pattern: "re.Pattern[str]", value: Callable[["re.Match[str]"], Traced | None]
) -> Traced | None:
    parts: list[Traced] = []
    at = 0
    for found in pattern.finditer(text.text):
        parts.append(text.cut(at, found.start()))
        made = value(found)
        if made is None:
            return None
        parts.append(made.through(text.cut(*found.span()).route))
        at = found.end()
    return join([*parts, text.cut(at, len(text))])


def subscript(value: Value, key: object) -> Value | None:
    """The item; None where there is none or it is not known."""
    try:
        match value:
            case Mapping():
                return value.entries.get(key)
            case Items() if isinstance(key, slice):
                return Items(value.items[key], value.kind) if not _open(value) else None
            case Items() if isinstance(key, int):
                found: Value = value.items[key] if not _open(value) else None
                return found
            case Traced() if isinstance(key, slice):
                first, last, step = key.indices(len(value))
                return value.cut(first, last) if step == 1 and value.known else None
            case Traced() if isinstance(key, int) and value.known:
                at = key if key >= 0 else len(value) + key
                return value.cut(at, at + 1) or None
    except (IndexError, TypeError, ValueError):
        return None
    return None


def _open(value: Items) -> bool:
    return any(isinstance(item, Unknown) and item.hole.several for item in value.items)
