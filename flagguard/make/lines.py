"""Lexical make: line ends, continuations, comments, searching for a character outside references.

Works on traced text, so that what is cut or joined keeps its way back to the file. Knows no statements.
Manual: "Splitting Long Lines", "What Makefiles Contain" (comments), "Splitting Recipe Lines".
"""

import re
from collections.abc import Iterator

from flagguard.patterns import expression
from flagguard.text import EMPTY, Hole, Piece, SourceText, Span, Traced, hole, join

BLANK = " \t"
SPACE = " \t\n\r\v\f"
WORD = expression(r"[^ \t\n\r\v\f]+")
_CLOSE = {"(": ")", "{": "}"}


def makefile_text(source: SourceText) -> Traced:
    """The file's text as make reads it: without a byte order mark, CR LF as LF (GNU make 4.3 on Linux, measured)."""
    if source.path.endswith((".in", ".am")) and _SUBSTITUTION.search(source.text):
        return _with_substitutions(source)
    start = 1 if source.text.startswith("\ufeff") else 0
    if "\r\n" not in source.text:
        return source.traced(start)
    parts = []
    at = start
    for match in re.finditer(r"\r\n", source.text):
        parts.append(source.traced(at, match.start()))
        parts.append(source.traced(match.end() - 1, match.end()))
        at = match.end()
    parts.append(source.traced(at))
    return join(parts)


_SUBSTITUTION = expression(r"@[A-Za-z_]\w*@")


def _with_substitutions(source: SourceText) -> Traced:
    """A template for configure: each ``@NAME@`` is a hole (automake and autoconf manuals)."""
    parts, at = [], 0
    for match in _SUBSTITUTION.finditer(source.text):
        span = Span(source.path, match.start(), match.end())
        parts += [source.traced(at, match.start()), hole(Hole(match[0], "configure sets it"), (span,))]
        at = match.end()
    parts.append(source.traced(at))
    return join(parts)


def logical_lines(text: str) -> Iterator[tuple[int, int]]:
    """Start and end (before the newline) of each line, backslash-newlines joined."""
    at, size = 0, len(text)
    while at < size:
        end = at
        while True:
            end = text.find("\n", end)
            if end < 0:
                end = size
                break
            if not odd_backslashes(text, end, at):
                break
            end += 1
        yield at, end
        at = end + 1


def odd_backslashes(text: str, end: int, start: int = 0) -> bool:
    """Whether the character at ``end`` is quoted: an odd number of backslashes stands before it."""
    at = end
    while at > start and text[at - 1] == "\\":
        at -= 1
    return (end - at) % 2 == 1


_CONTINUATION = expression(r"(\\+)\n")


def collapse(line: Traced, keeps_blanks: bool = False) -> Traced:
    """Backslash-newlines with the blanks around them as one space; backslashes before a newline halved.

    ``keeps_blanks``: those before stay, and each line end is a space, as POSIX has it.
    """
    text = line.text
    if "\\\n" not in text:
        return line
    parts: list[Traced] = []
    at, drop_blank = 0, False
    for match in _CONTINUATION.finditer(text):
        if match.start() < at:
            continue
        count = len(match[1])
        head_end = match.start()
        after = match.end()
        if count % 2:
            while after < len(text) and text[after] in BLANK:
                after += 1
            kept = count // 2
            if not kept and not keeps_blanks:
                while head_end > at and text[head_end - 1] in BLANK:
                    head_end -= 1
            parts.append(line.cut(at, head_end))
            parts.append(line.cut(match.start(), match.start() + kept))
            joined = kept == 0 and head_end == at and drop_blank and not keeps_blanks
            if not joined:
                parts.append(_space(line, match.start() + kept, after))
            drop_blank = True
        else:
            parts.append(line.cut(at, match.start() + count // 2))
            parts.append(line.cut(match.end() - 1, match.end()))
            drop_blank = False
        at = after
    parts.append(line.cut(at, len(text)))
    return join(parts)


def _space(line: Traced, start: int, end: int) -> Traced:
    return Traced((Piece(" ", line.cut(start, end).route),))


def closing(text: str, opening: int) -> int:
    """Where the bracket at ``opening`` is closed, counting brackets of its kind only; -1 if it is not."""
    left = text[opening]
    right = _CLOSE[left]
    depth, at = 1, opening + 1
    while True:
        close = text.find(right, at)
        if close < 0:
            return -1
        depth += text.count(left, at, close) - 1
        if not depth:
            return close
        at = close + 1


def find_outside(text: str, wanted: str, start: int = 0) -> int:
    """The first of the characters ``wanted`` that is neither quoted by a backslash nor inside a reference; or -1."""
    pattern = _stops(wanted)
    at = start
    while True:
        match = pattern.search(text, at)
        if match is None:
            return -1
        here = match.start()
        if match[0] == "$":
            nxt = text[here + 1 : here + 2]
            if nxt in ("(", "{"):
                close = closing(text, here + 1)
                if close < 0:
                    return -1
                at = close + 1
            else:
                at = here + 2 if nxt and nxt in "$" else here + 1
            continue
        if odd_backslashes(text, here, start):
            at = here + 1
            continue
        return here


_STOPS: dict[str, re.Pattern[str]] = {
    wanted: re.compile("[$" + re.escape(wanted) + "]") for wanted in ("#", ";#", ":", ":;", ";", "=", "%")
}


def _stops(wanted: str) -> re.Pattern[str]:
    return _STOPS.get(wanted) or re.compile("[$" + re.escape(wanted) + "]")


def unquote(traced: Traced, quoted: str) -> Traced:
    """Without the backslash before each quoted character of ``quoted``; backslashes before that are halved."""
    text = traced.text
    if "\\" not in text:
        return traced
    parts: list[Traced] = []
    at = 0
    for match in re.finditer(r"(\\+)([" + re.escape(quoted) + r"])", text):
        parts.append(traced.cut(at, match.start() + len(match[1]) // 2))
        at = match.end() - 1
    if not parts:
        return traced
    parts.append(traced.cut(at, len(text)))
    return join(parts)


def without_comment(line: Traced) -> Traced:
    """The line up to its comment; ``\\#`` is a number sign (since 4.3 one inside a reference is not a comment)."""
    text = line.text
    if "#" not in text:
        return line
    at = find_outside(text, "#")
    if at >= 0:  # the backslashes before it are halved
        slashes = len(text[:at]) - len(text[:at].rstrip("\\"))
        line = line.cut(0, at - slashes // 2)
    return unquote_outside(line, "#") if "\\#" in line.text else line


def unquote_outside(traced: Traced, quoted: str) -> Traced:
    """:func:`unquote`, but not inside references."""
    parts: list[Traced] = []
    at = 0
    dollar = traced.text.find("$")
    while dollar >= 0:
        end = dollar + 2
        if traced.text[dollar + 1 : end] in ("(", "{"):
            close = closing(traced.text, dollar + 1)
            end = close + 1 if close >= 0 else len(traced.text)
            parts += [unquote(traced.cut(at, dollar), quoted), traced.cut(dollar, end)]
            at = end
        dollar = traced.text.find("$", end)
    return join((*parts, unquote(traced.cut(at, len(traced)), quoted)))


def strip(traced: Traced, blanks: str = SPACE) -> Traced:
    text = traced.text
    start, end = 0, len(text)
    while start < end and text[start] in blanks:
        start += 1
    while end > start and text[end - 1] in blanks:
        end -= 1
    return traced if start == 0 and end == len(text) else traced.cut(start, end)


def strip_left(traced: Traced, blanks: str = SPACE) -> Traced:
    text = traced.text
    start = 0
    while start < len(text) and text[start] in blanks:
        start += 1
    return traced.cut(start, len(text)) if start else traced


def words(traced: Traced) -> list[Traced]:
    """The words between blanks."""
    text = traced.text
    if not text:
        return []
    if len(traced.pieces) > 1:
        return _words_of_pieces(traced)
    found = [traced.cut(m.start(), m.end()) for m in WORD.finditer(text)]
    return found if len(found) != 1 or len(found[0]) != len(text) else [traced]


def _words_of_pieces(traced: Traced) -> list[Traced]:
    """The same in one walk over the pieces: lists of files are long."""
    found: list[Traced] = []
    word: list[Piece] = []
    size = 0  # of the word, without the empty pieces that may follow it
    for piece in traced.pieces:
        text = piece.text
        if piece.hole is not None or not text:
            if piece.hole is not None:
                word.append(piece)
                size = len(word)
            elif word:
                word.append(piece)
            continue
        at = 0
        for match in WORD.finditer(text):
            start, end = match.span()
            if start > at and word:
                found.append(Traced(tuple(word[:size])))
                word = []
            word.append(piece.cut(start, end))
            size = len(word)
            at = end
        if at < len(text) and word:
            found.append(Traced(tuple(word[:size])))
            word = []
    if word:
        found.append(Traced(tuple(word[:size])))
    return found


_ONE_SPACE = Traced((Piece(" "),))


def spaced(parts: list[Traced]) -> Traced:
    """The parts with one space between them."""
    if not parts:
        return EMPTY
    pieces: list[Piece] = list(parts[0].pieces)
    for part in parts[1:]:
        pieces.append(_ONE_SPACE.pieces[0])
        pieces.extend(part.pieces)
    return Traced(tuple(pieces))
