"""What ``printf`` and ``echo`` print (POSIX.1-2024 XCU printf, echo; bash manual 4.2), on text that may have holes."""

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from flagguard.patterns import expression
from flagguard.shell.operators import quoted_text
from flagguard.text import EMPTY, HOLE_MARK, Hole, Piece, Shape, Traced, hole, join, literal
from flagguard.values import dataclass, field

_DIRECTIVE = expression(r"%(?:%|([-+ #0']*)(\*|[0-9]*)(?:(\.)(\*|[0-9]*))?([hlLjzt]*)(\([^)]*\)T|.)?)", re.DOTALL)
_ESCAPE = expression(
    r"\\(?:(0[0-7]{0,3})|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|(.))", re.DOTALL
)
_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", "e": "\x1b"}
_NUMBER = expression(r"\s*([-+]?)(0[xX][0-9A-Fa-f]+|0[0-7]*|[1-9][0-9]*)")
_TURNS = 200
_MOST_DIGITS = 4
_MOST = 2**63
_SPECIAL = frozenset(" \t\n'\"\\|&;()<>!{}*[]?^$`,")
"""What `%q` puts a backslash before."""


@dataclass(frozen=True, slots=True)
class Printed:
    text: Traced
    succeeds: bool | None = True
    stops: bool = False
    """Nothing more is printed, no newline either (``\\c``)."""


@dataclass(slots=True)
class _Output:
    """The output as it grows, and the arguments that are left."""

    bash: bool
    rest: list[Traced]
    parts: list[Traced] = field(default_factory=list)
    succeeds: bool | None = True
    stops: bool = False


def printf(form: Traced, arguments: Sequence[Traced], bash: bool = True) -> Printed:
    """The output of ``printf FORM ARGUMENTS…``, FORM without holes; what is not known is a hole in it."""
    out = _Output(bash, list(arguments))
    for _ in range(_TURNS):
        used = _once(form, out)
        if not out.rest or not used or out.stops:
            break
    return Printed(join(out.parts), out.succeeds, out.stops)


def _once(form: Traced, out: _Output) -> bool:
    """The format once; whether it used an argument."""
    at, used = 0, False
    for found in _DIRECTIVE.finditer(form.text):
        if found.start() < at:
            continue
        out.parts.append(_format_text(form.cut(at, found.start()), out.bash))
        at = found.end()
        if found.group() == "%%":
            out.parts.append(literal("%"))
            continue
        flags, width, dot, precision, length, kind = found.groups()
        used = True
        if kind is None or not _is_kind(kind, out.bash) or (not out.bash and (length or "'" in flags)):
            out.succeeds, out.stops = False, True
            return used
        if width == "*":
            width = _taken_number(out)
            if width is not None and width.startswith("-"):
                flags, width = flags + "-", width[1:]
        if precision == "*":
            precision = _taken_number(out)
            if precision is not None and precision.startswith("-"):
                dot = precision = None
        if width is None or (dot and precision is None):
            out.parts.append(_gap("a computed width"))
            out.rest.clear()
            continue
        given = bool(out.rest)
        value = out.rest.pop(0) if given else EMPTY
        if kind == "c" and not value.text:
            value = literal("\0")
        out.parts.append(_formatted(flags.replace("'", ""), width, precision if dot else None, kind, value, given, out))
        if out.stops:
            return used
    out.parts.append(_format_text(form.cut(at, len(form)), out.bash))
    return used


def _is_kind(kind: str, bash: bool) -> bool:
    return kind in "diouxXeEfFgGaAcsb" or (bash and (kind in "qQ" or len(kind) > 1))


def _taken_number(out: _Output) -> str | None:
    """An argument that is a width or a precision."""
    value = out.rest.pop(0) if out.rest else literal("0")
    number = _integer(value.text, True, out) if value.known else _MOST
    return str(number) if abs(number) < 10**_MOST_DIGITS else None


def _formatted(
    flags: str, width: str, precision: str | None, kind: str, value: Traced, given: bool, out: _Output
) -> Traced:
    plain = not width.lstrip("0") and precision is None
    if kind == "s" and plain:
        return Traced(value.pieces)
    if kind == "b" and plain:
        printed = escaped(value, out.bash, argument=True)
        out.stops = printed.stops
        return printed.text
    if kind == "b" or len(kind) > 1 or kind in "aA":
        return _gap("a format that is not followed")
    if kind in "qQ":
        quoted = quoted_word(value.text) if value.known and plain else None
        return literal(quoted).through(value.route) if quoted is not None else _gap("a quoted value")
    if not value.known:
        return _gap("a formatted value that is not known", Shape.NUMBER if kind in "diouxXeEfFgG" else Shape.ANY)
    if any(len(size or "") > _MOST_DIGITS for size in (width, precision)):
        return _gap("a value of enormous width")
    spec = f"%{flags}{width}{'' if precision is None else '.' + precision}"
    if kind in "sc":
        if not value.text.isascii():
            return _gap("a value whose length the locale tells")
        text = (spec.replace("0", "", flags.count("0")) + "s") % (value.text[:1] if kind == "c" else value.text)
    else:
        made = _number(spec, flags, precision, kind, value.text, given, out)
        if made is None:
            return _gap("a number that is not followed", Shape.NUMBER)
        text = made
    return Traced((Piece(text, value.route),)) if text else EMPTY


def _number(
    spec: str, flags: str, precision: str | None, kind: str, text: str, given: bool, out: _Output
) -> str | None:
    """A formatted number; None where it is not known how the shell writes it."""
    if kind in "eEfFgG":
        return _real(spec, precision, kind, text)
    value = _integer(text, given, out)
    if not -_MOST <= value < _MOST:
        return None
    if kind in "di":
        return (spec + "d") % value
    if value < 0:
        value += 2**64
    spec = "%" + re.sub("[+ ]", "", flags) + spec[1 + len(flags) :]
    if kind == "o" and "#" in flags:
        return None if precision or re.search("[1-9]", spec) else f"0{value:o}".replace("00", "0")
    if kind in "xX" and "#" in flags and value == 0:
        return None
    return (spec + ("d" if kind == "u" else kind)) % value


def _integer(text: str, given: bool, out: _Output) -> int:
    """The number that an argument is; one that is none in whole counts as what it begins with, and `printf` fails."""
    if text[:1] in ("'", '"') and len(text) > 1:
        return ord(text[1]) if text[1].isascii() else _MOST
    found = _NUMBER.match(text)
    if found is None or found.end() < len(text.rstrip()):
        out.succeeds = None if not text and given else out.succeeds if not text else False
    sign, digits = found.groups() if found is not None else ("", "0")
    value = int(digits, 8 if digits.startswith("0") and digits[1:2] not in ("x", "X") else 0)
    return -value if sign == "-" else value


def _real(spec: str, precision: str | None, kind: str, text: str) -> str | None:
    """A floating-point number; the shell has more digits than this language, so only where that makes no difference."""
    try:
        value = Decimal(text or "0")
    except InvalidOperation:
        return None
    digits = int(precision or "0") if precision is not None else 6
    if not value.is_finite() or len(value.as_tuple().digits) > 15 or digits > 15:
        return None
    if kind in "fF":
        step = Decimal(1).scaleb(-digits)
        if abs(value) > 10**15 or (value / step) % 1 in (Decimal("0.5"), Decimal("-0.5")):
            return None
    return (spec + kind) % float(value)


def quoted_word(text: str) -> str | None:
    """The text as `%q` writes it; None where the locale tells."""
    if not text:
        return "''"
    if not text.isprintable() or not text.isascii():
        return quoted_text(text)
    out = []
    for i, c in enumerate(text):
        special = c in _SPECIAL or (c == "~" and (i == 0 or text[i - 1] in ":=")) or (c == "#" and i == 0)
        out.append(f"\\{c}" if special else c)
    return "".join(out)


def _gap(reason: str, shape: Shape = Shape.ANY) -> Traced:
    return hole(Hole("$(printf)", reason, shape=shape))


def _format_text(text: Traced, bash: bool) -> Traced:
    """The escapes of a format: at most three octal digits, a zero among them."""
    if "\\" not in text.text:
        return text
    out: list[Traced] = []
    at = 0
    for found in _ESCAPE.finditer(text.text):
        zero, octal, code, short, wide, letter = found.groups()
        digits = zero or octal
        if digits is not None:
            made = character(int(digits[:3], 8) & 255) + digits[3:]
        else:
            made = _escape(found.group(), code, short, wide, letter, bash, quotes=bash)
        out += [text.cut(at, found.start()), Traced((Piece(made, text.cut(found.start(), found.end()).route),))]
        at = found.end()
    return join([*out, text.cut(at, len(text))])


def escaped(text: Traced, bash: bool, argument: bool = False) -> Printed:
    """The escapes of `%b` (``argument``) and of `echo`."""
    if "\\" not in text.text:
        return Printed(Traced(text.pieces))
    out: list[Traced] = []
    at, value = 0, text.text
    for found in _ESCAPE.finditer(value):
        zero, octal, code, short, wide, letter = found.groups()
        out.append(text.cut(at, found.start()))
        at = found.end()
        if letter == "c":
            return Printed(join(out), stops=True)
        if letter == HOLE_MARK:
            out += [literal("\\"), text.cut(at - 1, at)]
            continue
        if zero is not None:
            made = character(int(zero, 8) & 255)
        elif octal is not None:
            made = character(int(octal, 8) & 255) if argument or not bash else found.group()
        else:
            made = _escape(found.group(), code, short, wide, letter, bash, quotes=False)
        out.append(Traced((Piece(made, text.cut(found.start(), at).route),)))
    return Printed(join([*out, text.cut(at, len(text))]))


def _escape(
    written: str, code: str | None, short: str | None, wide: str | None, letter: str | None, bash: bool, quotes: bool
) -> str:
    if letter is not None:
        if quotes and letter in "'\"?":
            return letter
        return _SIMPLE.get("e" if bash and letter == "E" else letter, written)
    number = int(code or short or wide or "", 16)
    if not bash or number > 0x10FFFF:
        return written
    return character(number) if code is not None else literal(chr(number)).text


def character(number: int) -> str:
    """The byte of this number, as text that is not decoded has it."""
    return chr(number) if number < 128 else chr(0xDC00 + number)
