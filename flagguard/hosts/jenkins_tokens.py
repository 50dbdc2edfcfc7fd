"""The words of a Jenkinsfile: names, strings, marks. Comments are left out.

Follows https://groovy-lang.org/syntax.html ("Comments", "Strings"). What a name means is not known here.
"""

from collections.abc import Callable, Iterator, Sequence

from flagguard.patterns import expression
from flagguard.text import EMPTY, Piece, SourceText, Span, Traced, join
from flagguard.values import dataclass

_TOKEN = expression(
    r"(?P<blank>[ \t\r\f]+|\\\r?\n)|(?P<line>\n|;)|(?P<comment>//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)|\A#![^\n]*)"
    r"|(?P<name>[A-Za-z_$][\w$]*)|(?P<number>\d[\w.]*)"
)
_QUOTES = ("'''", '"""', "'", '"')
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "s": " ", "0": "\0", "\n": ""}
_DOLLAR = expression(r"\$(?:\{|([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*))")
_BEFORE_REGEX = ("(", ",", "=", "~", "[", ":", "{", "")
_BACK = expression(r"\\(?:u+([0-9A-Fa-f]{4})|(\r?\n)|([\s\S]))")


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    """name, number, string, line, mark, end"""
    text: str
    start: int
    end: int
    quote: str = ""


class Broken(Exception):
    """A string, or a bracket, that does not end."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


def tokens(source: SourceText) -> list[Token]:
    """The words of the file. Raises Broken."""
    text = source.text
    found: list[Token] = []
    at, end = 0, len(text)
    last = ""
    while at < end:
        quote = next((q for q in _QUOTES if text.startswith(q, at)), None)
        if quote is not None:
            stop = _string_end(text, at + len(quote), quote)
            if stop is None:
                raise Broken("a string that does not end", at)
            found.append(Token("string", text[at + len(quote) : stop], at, stop + len(quote), quote))
            at, last = stop + len(quote), "string"
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            if text[at] == "/" and last in _BEFORE_REGEX and (stop := _slashy(text, at)) is not None:
                found.append(Token("string", text[at + 1 : stop], at, stop + 1, "/"))
                at, last = stop + 1, "string"
                continue
            found.append(Token("mark", text[at], at, at + 1))
            last = text[at]
            at += 1
            continue
        kind = match.lastgroup or ""
        if kind == "line":
            found.append(Token("line", match[0], at, match.end()))
        elif kind in ("name", "number"):
            found.append(Token(kind, match[0], at, match.end()))
            last = kind
        at = match.end()
    found.append(Token("end", "", end, end))
    return found


def _string_end(text: str, at: int, quote: str) -> int | None:
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text.startswith(quote, at):
            return at
        elif text[at] == "\n" and len(quote) == 1:
            return None
        elif quote[0] == '"' and text.startswith("${", at):
            at = _hole_end(text, at + 2)
        else:
            at += 1
    return None


def _hole_end(text: str, at: int) -> int:
    """Behind the `}` of a `${`; strings inside may hold anything."""
    depth = 1
    while at < len(text) and depth:
        char = text[at]
        if char in "'\"":
            stop = text.find(char, at + 1)
            line = text.find("\n", at + 1)
            if stop >= 0 and (line < 0 or stop < line):
                at = stop
        depth += (char == "{") - (char == "}")
        at += 1
    return at


def _slashy(text: str, at: int) -> int | None:
    line = text.find("\n", at)
    stop = at + 1
    while True:
        stop = text.find("/", stop)
        if stop < 0 or (0 <= line < stop):
            return None
        if text[stop - 1] != "\\":
            return stop
        stop += 1


# -- strings ----------------------------------------------------------------------------------------------------------


def value(source: SourceText, token: Token, named: Callable[[str, str], Traced]) -> Traced:
    """What a string says. ``named``: the value of `${…}`, from what stands in it and how all of it is written."""
    size = len(token.quote)
    whole = source.traced(token.start + size, token.end - size)
    if token.quote == "/":
        return whole
    return join(_parts(whole, token.quote[0] == '"', named))


def _parts(whole: Traced, interpolated: bool, named: Callable[[str, str], Traced]) -> Iterator[Traced]:
    raw = whole.text
    at = start = 0
    while at < len(raw):
        if raw[at] == "\\" and (found := _BACK.match(raw, at)) is not None:
            yield whole.cut(start, at)
            yield _escaped(whole.cut(at, found.end()), found[1], found[2], found[3])
            at = start = found.end()
        elif interpolated and raw[at] == "$" and (hole := _DOLLAR.match(raw, at)) is not None:
            yield whole.cut(start, at)
            stop = hole.end() if hole[1] else _hole_end(raw, hole.end())
            inner = hole[1] or raw[hole.end() : stop - 1]
            yield named(inner.strip(), raw[at:stop]).through(whole.cut(at, stop).route)
            at = start = stop
        else:
            at += 1
    yield whole.cut(start, len(raw))


def _escaped(written: Traced, code: str | None, joined: str | None, char: str | None) -> Traced:
    plain = "" if joined is not None else _SIMPLE.get(char or "", char or "")
    text = chr(int(code, 16)) if code is not None else plain
    return Traced((Piece(text, written.route),)) if text else EMPTY


def closing(found: Sequence[Token], at: int) -> int:
    """The index of the bracket that closes the one at ``at``. Raises Broken."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    depth: list[str] = []
    for i in range(at, len(found)):
        token = found[i]
        if token.kind != "mark":
            continue
        if token.text in pairs:
            depth.append(pairs[token.text])
        elif depth and token.text == depth[-1]:
            depth.pop()
            if not depth:
                return i
    raise Broken(f"a `{found[at].text}` that does not end", found[at].start)


def strings(source: SourceText) -> Iterator[tuple[int, int, bool]]:
    """The strings of the file, without their quotes, and whether each may have several lines."""
    try:
        found = tokens(source)
    except Broken:
        return
    for token in found:
        if token.kind == "string":
            size = len(token.quote)
            yield token.start + size, token.end - size, size == 3


def encode(source: SourceText, span: Span, text: str) -> str | None:
    """What to write in place of ``span``, inside of a string, so that it says ``text`` there."""
    try:
        token = next((t for t in tokens(source) if t.start < span.start and span.end < t.end), None)
    except Broken:
        return None
    return _encoded(text, token.quote) if token is not None and token.kind == "string" else None


def _encoded(text: str, quote: str) -> str | None:
    if quote == "/":
        return text if "/" not in text and "\n" not in text else None
    out = text.replace("\\", "\\\\").replace(quote[0], "\\" + quote[0])
    if quote[0] == '"':
        out = out.replace("$", "\\$")
    return out if len(quote) == 3 else out.replace("\n", "\\n")
