"""YAML's scalars as traced text, one function a style.

Follows YAML 1.2.2, chapters 6.5 (line folding), 7.3 (flow scalars), 8.1 (block scalars) and 10.3 (the core schema).
Where the specification leaves a choice (a last line without its end), PyYAML and libyaml decide.
"""

import re
from collections.abc import Iterator

from flagguard.hosts.tree import Kind, Plain
from flagguard.patterns import expression
from flagguard.text import Piece, SourceText, Span, Traced, literal
from flagguard.values import dataclass

_BREAK = r"(?:\r\n|\r|\n)"
_FOLD = rf"[ \t]*(?:{_BREAK}[ \t]*)+"
_PLAIN = expression(f"(?P<fold>{_FOLD})")
_SINGLE = expression(f"(?P<fold>{_FOLD})|(?P<quote>'')")
_DOUBLE = expression(
    rf"\\(?P<joined>{_BREAK}[ \t]*(?:{_BREAK}[ \t]*)*)"
    r"|\\(?P<pair>u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2})"
    r"|\\(?P<hex>x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})"
    r"|\\(?P<one>.)"
    rf"|(?P<fold>{_FOLD})"
)
_LINES = expression(_BREAK)
_ONE = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_INT = expression(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = expression(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)


_MARKS = {_SINGLE: "'", _DOUBLE: "\\"}
"""What stands in a quoted scalar of one line that does not say just what is written."""


def kind_of(text: str) -> tuple[Kind, Plain]:
    """What a plain scalar is by the core schema."""
    if text in ("", "~", "null", "Null", "NULL"):
        return Kind.NULL, None
    if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return Kind.BOOLEAN, text[0] in "tT"
    if len(text) < 400 and text[0] in "-+.0123456789":
        if _INT.fullmatch(text):
            return Kind.NUMBER, int(text, 0) if text[:2] in ("0o", "0x") else int(text)
        if _FLOAT.fullmatch(text):
            return Kind.NUMBER, float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
    return Kind.STRING, text


def plain(source: SourceText, span: Span) -> Traced:
    return _flow(source, span, _PLAIN)


def single_quoted(source: SourceText, span: Span) -> Traced:
    """``span`` without the quotes."""
    return _flow(source, span, _SINGLE)


def double_quoted(source: SourceText, span: Span) -> Traced:
    """``span`` without the quotes. Raises ValueError with the escape that YAML does not know."""
    return _flow(source, span, _DOUBLE)


def _flow(source: SourceText, span: Span, special: re.Pattern[str]) -> Traced:
    text, at = source.text, span.start
    written = text[at : span.end]
    if "\n" not in written and "\r" not in written and (special is _PLAIN or _MARKS[special] not in written):
        return literal(written, span)
    pieces: list[Piece] = []
    for found in special.finditer(text, span.start, span.end):
        if found.start() > at:
            pieces.append(Piece(text[at : found.start()], (Span(span.path, at, found.start()),), verbatim=True))
        at = found.end()
        meaning = _meaning(found)
        if meaning:
            pieces.append(Piece(meaning, (Span(span.path, found.start(), found.end()),)))
    if not pieces:
        return literal(text[at : span.end], Span(span.path, at, span.end))
    if at < span.end:
        pieces.append(Piece(text[at : span.end], (Span(span.path, at, span.end),), verbatim=True))
    return Traced(tuple(pieces))


def _meaning(found: re.Match[str]) -> str:
    kind, text = found.lastgroup, found[found.lastgroup or 0]
    if kind == "fold":
        breaks = len(_LINES.findall(text))
        return " " if breaks == 1 else "\n" * (breaks - 1)
    if kind == "joined":
        return "\n" * (len(_LINES.findall(text)) - 1)
    if kind == "quote":
        return "'"
    if kind == "pair":
        return chr(0x10000 + ((int(text[1:5], 16) & 0x3FF) << 10) + (int(text[7:], 16) & 0x3FF))
    if kind == "hex":
        point = int(text[1:], 16)
        return chr(point) if point < 0x110000 and not 0xD800 <= point < 0xE000 else "\ufffd"
    if text not in _ONE:
        raise ValueError(f"\\{text}")
    return _ONE[text]


# -- block scalars ----------------------------------------------------------------------------------------------------

_HEADER = expression(r"([|>])(?:([1-9])([-+]?)|([-+]?)([1-9]?))[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n|$)")


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    """Before the line's end."""
    next: int


def block(source: SourceText, start: int, parent: int) -> tuple[Traced, int] | None:
    """The scalar whose ``|`` or ``>`` stands at ``start``, and where it ends.

    ``parent``: the column (0-based) of the mapping or sequence that it is in; -1: none. None: no such header.
    """
    header = _HEADER.match(source.text, start)
    if header is None:
        return None
    folded, chomp = header[1] == ">", header[3] or header[4]
    given = header[2] or header[5]
    indent = max(parent, 0) + int(given) if given else _indentation(source.text, header.end(), max(parent + 1, 1))
    content: list[tuple[_Line, bool]] = []
    """The lines of the scalar; whether each is blank."""
    end = header.end()
    for line in _lines(source.text, header.end()):
        width = _width(source.text, line)
        blank = line.start + width == line.end and width <= indent
        if width < indent and not blank:
            break
        content.append((line, blank))
        end = line.next
    return _assemble(source, content, indent, folded, chomp), end


def _lines(text: str, at: int) -> Iterator[_Line]:
    """The lines from ``at`` on, as far as anybody asks."""
    for found in _LINES.finditer(text, at):
        yield _Line(at, found.start(), found.end())
        at = found.end()
    if at < len(text):
        yield _Line(at, len(text), len(text))


def _width(text: str, line: _Line) -> int:
    at = line.start
    while at < line.end and text[at] == " ":
        at += 1
    return at - line.start


def _indentation(text: str, at: int, least: int) -> int:
    widest = least
    for line in _lines(text, at):
        width = _width(text, line)
        widest = max(widest, width) if line.start + width == line.end or width >= least else widest
        if line.start + width < line.end:
            break
    return widest


def _assemble(source: SourceText, lines: list[tuple[_Line, bool]], indent: int, folded: bool, chomp: str) -> Traced:
    text, path = source.text, source.path
    pieces: list[Piece] = []
    last = max((i for i, (_, blank) in enumerate(lines) if not blank), default=-1)

    def newline(line: _Line) -> None:
        if line.next > line.end:
            pieces.append(Piece("\n", (Span(path, line.next - 1, line.next),), verbatim=text[line.next - 1] == "\n"))

    def indented(line: _Line) -> bool:
        return text[line.start + indent : line.start + indent + 1] in (" ", "\t")

    for i, (line, blank) in enumerate(lines):
        if i > last:
            if chomp == "+":
                newline(line)
            continue
        if blank:
            newline(line)
            continue
        start = line.start + indent
        ends = i == last
        plain_end = line.next == line.end + 1 and text[line.end] == "\n"
        if folded and not ends and not indented(line):
            following = next(j for j in range(i + 1, len(lines)) if not lines[j][1])
            if not indented(lines[following][0]):
                pieces.append(Piece(text[start : line.end], (Span(path, start, line.end),), verbatim=True))
                if following == i + 1:
                    pieces.append(Piece(" ", (Span(path, line.end, lines[following][0].start + indent),)))
                continue
        keep = not ends or chomp != "-"
        if keep and plain_end:
            pieces.append(Piece(text[start : line.next], (Span(path, start, line.next),), verbatim=True))
            continue
        pieces.append(Piece(text[start : line.end], (Span(path, start, line.end),), verbatim=True))
        if keep:
            newline(line)
    return Traced(tuple(p for p in pieces if p.text))
