"""just's strings: what they say, with the way of each character, and how text is written into them.

Follows "Strings" in just's README: raw strings (`'`), cooked ones (`"`, with escapes), indented ones of three quotes,
from which the common indentation is taken before escapes are read, and format strings.
"""

from flagguard.hosts.just_lexer import CLOSING, ESCAPED, OPENING, QUOTES, JustError, Kind, Token, lex
from flagguard.patterns import expression
from flagguard.text import Piece, SourceText, Span, Traced, compact, join

_ESCAPE = expression(r"\\(?:(?P<one>[nrt\\\"])|(?P<line>\r?\n)|u\{(?P<hex>[0-9A-Fa-f]{1,6})\}|(?P<bad>[\s\S])|$)")
_ONE = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"'}
_INDENT = expression(r"[ \t]*")
_LINES = expression(r"[^\n]*\n|[^\n]+")


def quotes_of(written: str) -> str:
    """The delimiter that a string or backtick begins with."""
    return next(q for q in QUOTES if written.startswith(q))


def content(source: SourceText, token: Token) -> Traced:
    """What a string or a backtick says."""
    quotes = quotes_of(token.text)
    raw = source.traced(token.start + len(quotes), token.end - len(quotes))
    if len(quotes) == 3:
        raw = unindented(raw)
    return cooked(raw, token.start) if quotes[0] == '"' else raw


def format_part(source: SourceText, token: Token, quotes: str) -> Traced:
    """What one text of a format string says; its indentation is taken off when all of it is known."""
    first = token.kind in (Kind.FORMAT_START, Kind.STRING)
    last = token.kind in (Kind.FORMAT_END, Kind.STRING)
    start = token.start + (len(quotes) if first else len(CLOSING))
    end = token.end - (len(quotes) if last else len(OPENING))
    raw = unescaped(source.traced(start, end))
    return cooked(raw, token.start) if quotes[0] == '"' else raw


def unescaped(text: Traced) -> Traced:
    """`{{{{` stands for `{{`."""
    raw = text.text
    if ESCAPED not in raw:
        return text
    parts, at = [], 0
    while (found := raw.find(ESCAPED, at)) >= 0:
        escape = text.cut(found, found + len(ESCAPED))
        parts += [text.cut(at, found), Traced((Piece(OPENING, escape.route),))]
        at = found + len(ESCAPED)
    return join([*parts, text.cut(at, len(raw))])


def unindented(text: Traced) -> Traced:
    """Without the blanks that all lines begin with, and without a first and a last line of nothing but blanks."""
    lines = _LINES.findall(text.text)
    common: str | None = None
    for line in lines:
        if line.strip(" \t\r\n"):
            found = _INDENT.match(line)
            blanks = found[0] if found else ""
            common = blanks if common is None else _shared(common, blanks)
    parts, at = [], 0
    for number, line in enumerate(lines):
        end = at + len(line)
        if line.strip(" \t\r\n"):
            parts.append(text.cut(at + len(common or ""), end))
        elif 0 < number < len(lines) - 1:
            parts.append(text.cut(end - (2 if line.endswith("\r\n") else 1), end))
        at = end
    return Traced(compact(join(parts).pieces))


def _shared(one: str, other: str) -> str:
    size = 0
    while size < min(len(one), len(other)) and one[size] == other[size]:
        size += 1
    return one[:size]


def cooked(text: Traced, at: int) -> Traced:
    """The text with its escapes read; ``at``: where the string stands."""
    raw = text.text
    if "\\" not in raw:
        return text
    parts, end = [], 0
    for found in _ESCAPE.finditer(raw):
        if found["bad"] or found.end() == found.start() + 1:
            route = text.cut(*found.span()).route
            raise JustError(route[-1].start if route else at, f"`{found[0][:2]}` is no escape that just knows")
        parts.append(text.cut(end, found.start()))
        end = found.end()
        said = _ONE.get(found["one"] or "", "") if found["hex"] is None else _character(found["hex"], at)
        if said:
            parts.append(Traced((Piece(said, text.cut(*found.span()).route),)))
    return join([*parts, text.cut(end, len(raw))])


def _character(digits: str, at: int) -> str:
    code = int(digits, 16)
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        raise JustError(at, f"`\\u{{{digits}}}` is no character")
    return chr(code)


# -- writing ----------------------------------------------------------------------------------------------------------


def string_at(source: SourceText, span: Span) -> tuple[Token, str] | None:
    """The string, backtick, part of a format string or recipe text that ``span`` lies in, and its quotes."""
    try:
        tokens = lex(source.text)
    except JustError:
        return None
    formats: list[str] = []
    for token in tokens:
        if token.kind is Kind.FORMAT_START:
            formats.append(quotes_of(token.text))
        if token.start <= span.start and span.end <= token.end and token.start < token.end:
            if token.kind is Kind.TEXT:
                return token, ""
            if token.kind in (Kind.STRING, Kind.BACKTICK):
                return token, quotes_of(token.text)
            if token.kind in (Kind.FORMAT_START, Kind.FORMAT_MIDDLE, Kind.FORMAT_END):
                return token, formats[-1]
        if token.kind is Kind.FORMAT_END:
            formats.pop()
    return None


def encode(source: SourceText, span: Span, text: str) -> str | None:
    """What to write in place of ``span``, inside a string or a recipe, so that it says ``text``; None: it cannot."""
    found = string_at(source, span)
    if found is None:
        return None
    token, quotes = found
    if not quotes:  # a recipe's line
        spilt = text.startswith("{") and source.text[: span.start].endswith("{")
        return None if "\n" in text.replace("\\\n", "") or spilt else text.replace(OPENING, ESCAPED)
    if len(quotes) == 3 and not text.strip() and not _beside(source.text, span).strip():
        return None  # a line of blanks counts for no indentation
    if quotes[0] == '"':
        return _cooked_text(text, len(quotes) == 3, token)
    if len(quotes) == 3 and "\n" in text:
        return None  # a new line of its own would need the indentation of the others
    if quotes[0] in text and (len(quotes) == 1 or quotes in text or text[-1:] == quotes[0]):
        return None
    return text.replace(OPENING, ESCAPED) if _formats(token, source) else text


def _beside(text: str, span: Span) -> str:
    """What stands on the line beside the span."""
    end = text.find("\n", span.end)
    return text[text.rfind("\n", 0, span.start) + 1 : span.start] + text[span.end : len(text) if end < 0 else end]


def _formats(token: Token, source: SourceText) -> bool:
    before = source.text[max(token.start - 1, 0) : token.start]
    return token.kind in (Kind.FORMAT_START, Kind.FORMAT_MIDDLE, Kind.FORMAT_END) or before == "f"


def _cooked_text(text: str, indented: bool, token: Token) -> str:
    out = text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "\\r").replace("\t", "\\t")
    if indented:
        out = out.replace("\n", "\\n")  # a new line of its own would need the indentation of the others
    return out.replace(OPENING, ESCAPED) if token.kind is not Kind.STRING else out
