"""What ``printf`` prints (POSIX.1-2024 XCU printf), on text that may have holes."""

import re
from collections.abc import Sequence

from flagguard.patterns import expression
from flagguard.text import EMPTY, HOLE_MARK, Hole, Piece, Shape, Traced, hole, join, literal

_DIRECTIVE = expression(r"%(?:%|([-+ #0]*)(\*|[0-9]*)(?:\.(\*|[0-9]*))?([diouxXeEfgGcsbq]))")
_ESCAPE = expression(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))", re.DOTALL)
_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", '"': '"', "'": "'"}
_TURNS = 200
_MOST_DIGITS = 4


def printf(form: str, arguments: Sequence[Traced]) -> Traced:
    """The output of ``printf FORM ARGUMENTS…``; what is not known is a hole in it."""
    out: list[Traced] = []
    rest = list(arguments)
    for _ in range(_TURNS):
        used = _once(form, rest, out)
        if not rest or not used:
            break
    return join(out)


def _once(form: str, rest: list[Traced], out: list[Traced]) -> bool:
    """The format once; whether it used an argument."""
    at, used = 0, False
    for found in _DIRECTIVE.finditer(form):
        out.append(literal(unescaped(form[at : found.start()])))
        at = found.end()
        if found.group() == "%%":
            out.append(literal("%"))
            continue
        flags, width, precision, kind = found.groups()
        if width == "*" or precision == "*":
            out.append(_gap("a computed width"))
            rest.clear()
            continue
        value = rest.pop(0) if rest else EMPTY
        used = True
        out.append(_formatted(flags, width, precision, kind, value))
    out.append(literal(unescaped(form[at:])))
    return used


def _formatted(flags: str, width: str, precision: str | None, kind: str, value: Traced) -> Traced:
    plain = not flags and not width and precision is None
    if kind == "s" and plain:
        return Traced(value.pieces)
    if kind == "b" and plain:
        if "\\" not in value.text:
            return Traced(value.pieces)
        return Traced(tuple(p if p.hole else Piece(unescaped(p.text), p.route) for p in value.pieces))
    if kind == "q" and plain and re.fullmatch(r"[\w@%+=:,./-]+", value.text) and value.known:
        return Traced(value.pieces)
    if not value.known:
        return _gap("a formatted value that is not known", Shape.NUMBER if kind in "diouxXeEfgG" else Shape.ANY)
    if any(len(size or "") > _MOST_DIGITS for size in (width, precision)):
        return _gap("a value of enormous width")
    spec = f"%{flags}{width}{'' if precision is None else '.' + precision}"
    try:
        if kind in "sb":
            text = (spec + "s") % value.text
        elif kind == "c":
            text = (spec + "s") % value.text[:1]
        elif kind in "diouxX":
            number = int(value.text or "0", 0)
            text = (spec + ("d" if kind in "iu" else kind)) % number
        elif kind in "eEfgG":
            text = (spec + kind) % float(value.text or "0")
        else:
            return _gap("a quoted value")
    except (ValueError, OverflowError):
        return _gap("a value that is no number")
    return Traced((Piece(text, value.route),)) if text else EMPTY


def _gap(reason: str, shape: Shape = Shape.ANY) -> Traced:
    return hole(Hole("$(printf)", reason, shape=shape))


def unescaped(text: str) -> str:
    """Backslash escapes of a format or of ``%b``."""
    if "\\" not in text:
        return text

    def one(found: "re.Match[str]") -> str:
        octal, code, letter = found.groups()
        if octal is not None:
            return chr(int(octal, 8) & 255)
        if code is not None:
            return chr(int(code, 16))
        return _SIMPLE.get(letter, letter if letter == HOLE_MARK else "\\" + letter)

    return _ESCAPE.sub(one, text)
