"""The tokens of a justfile.

Follows just's own lexer (https://github.com/casey/just/blob/1.58.0/src/lexer.rs) and GRAMMAR.md: indentation matters,
a recipe's body is text with `{{…}}` in it, and what stands between delimiters may go over several lines. What the
tokens mean is not known here.
"""

from enum import Enum

from flagguard.patterns import expression
from flagguard.values import dataclass


class Kind(Enum):
    NAME = "a name"
    STRING = "a string"
    FORMAT_START = "the beginning of a format string"
    FORMAT_MIDDLE = "a format string"
    FORMAT_END = "the end of a format string"
    BACKTICK = "a backtick"
    SIGN = "a sign"
    COMMENT = "a comment"
    TEXT = "recipe text"
    OPEN = "`{{`"
    CLOSE = "`}}`"
    EOL = "the end of the line"
    INDENT = "indentation"
    DEDENT = "the end of the indentation"
    END = "the end of the file"


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str
    start: int
    end: int


class JustError(Exception):
    """The file is not what just can read: why, and where."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at, self.message = at, message


OPENING, ESCAPED, CLOSING = "{{", "{{{{", "}}"
QUOTES = ("```", "`", '"""', '"', "'''", "'")
"""The delimiters of strings and backticks; the longer ones are tried first."""

_NAME = expression(r"[A-Za-z_][A-Za-z0-9_-]*")
_BLANKS = expression(r"[ \t]*")
_DEDENT = expression(r"[ \t\r\n]*\n[^ \t\r\n]")
_SIGN = expression(r"&&|\|\||:=|::|==|=~|!=|!~|\+\+|[!$()*+,/:=?@\[\]{}]")
_CONTINUED = expression(r"\\\r?\n[ \t]*")
_EOL = expression(r"\r?\n")
_TEXT_END = expression(r"\{\{|\r?\n")
_PAIRS = {")": "(", "]": "[", "}": "{"}


def lex(text: str) -> list[Token]:
    """The tokens, blanks left out."""
    return _Lexer(text).run()


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.tokens: list[Token] = []
        self.indentation = [""]
        self.interpolation: int | None = None
        """Where the open `{{` stands."""
        self.delimiters: list[tuple[str, int]] = []
        """Open delimiters, a format string by its quotes, and where each stands."""
        self.body = False
        self.body_pending = False

    def run(self) -> list[Token]:
        if self.text.startswith("\ufeff"):
            self.at = 1
        line_start = True
        while True:
            if line_start or self.text[self.at - 1 : self.at] == "\n":
                line_start = False
                self._line_start()
            if self.at >= len(self.text):
                break
            if self.interpolation is None and self.body:
                self._body()
            elif self.interpolation is not None and not self.delimiters and self._here(CLOSING):
                self.interpolation = None
                self._token(Kind.CLOSE, self.at + 2)
            else:
                self._normal()
        if self.interpolation is not None:
            raise JustError(self.interpolation, "this `{{` is not closed")
        if self.delimiters:
            raise JustError(self.delimiters[-1][1], f"this `{self.delimiters[-1][0]}` is not closed")
        while len(self.indentation) > 1:
            self._dedent()
        self._token(Kind.END, self.at)
        return self.tokens

    def _here(self, text: str) -> bool:
        return self.text.startswith(text, self.at)

    def _token(self, kind: Kind, end: int) -> None:
        self.tokens.append(Token(kind, self.text[self.at : end], self.at, end))
        self.at = end

    def _dedent(self) -> None:
        self._token(Kind.DEDENT, self.at)
        self.indentation.pop()
        self.body = self.body_pending = False

    # -- the beginning of a line

    def _line_start(self) -> None:
        found = _BLANKS.match(self.text, self.at)
        assert found is not None
        blanks, end = found[0], found.end()
        if self.delimiters or self.interpolation is not None:
            self.at = end
            return
        current = self.indentation[-1]
        if end == len(self.text) or _EOL.match(self.text, end):
            if _DEDENT.match(self.text, self.at):
                while len(self.indentation) > 1:
                    self._dedent()
            self.at = end
        elif blanks == current or (self.body and blanks.startswith(current)):
            self.at += len(current)
        elif blanks in self.indentation:
            while self.indentation[-1] != blanks:
                self._dedent()
            self.at = end
        elif self._mixed(blanks, current):
            raise JustError(self.at, "the indentation mixes blanks and tabs")
        elif not blanks.startswith(current):
            raise JustError(self.at, "the indentation differs from that of the lines above")
        else:
            self.indentation.append(blanks)
            self._token(Kind.INDENT, end)
            self.body = self.body or self.body_pending

    def _mixed(self, blanks: str, current: str) -> bool:
        seen = blanks[: len(current)] if self.body else blanks
        return " " in seen and "\t" in seen

    # -- a recipe's body

    def _body(self) -> None:
        end = self.at
        while True:
            found = _TEXT_END.search(self.text, end)
            if found is None:
                end = len(self.text)
                break
            end = found.start()
            if found[0] != OPENING or not self.text.startswith(ESCAPED, end):
                break
            end += len(ESCAPED)
        if end > self.at:
            self._token(Kind.TEXT, end)
        if found is None:
            return
        if found[0] == OPENING:
            self.interpolation = self.at
            self._token(Kind.OPEN, found.end())
        else:
            self._token(Kind.EOL, found.end())

    # -- outside of bodies

    def _normal(self) -> None:
        text, at = self.text, self.at
        first = text[at]
        if first in " \t":
            self.at += 1
        elif first == "#":
            found = _EOL.search(text, at)
            self._token(Kind.COMMENT, found.start() if found else len(text))
        elif first == "\\":
            continued = _CONTINUED.match(text, at)
            if continued is None:
                raise JustError(at, "a backslash may stand only at the end of a line here")
            self.at = continued.end()
        elif first in "\r\n":
            self._eol()
        elif first in "`\"'":
            self._string()
        elif first == "}" and self.delimiters and self.delimiters[-1][0] in QUOTES and self._here(CLOSING):
            self._string(self.delimiters[-1][0])
        elif (name := _NAME.match(text, at)) is not None:
            self._token(Kind.NAME, name.end())
        else:
            self._sign()

    def _eol(self) -> None:
        found = _EOL.match(self.text, self.at)
        if found is None:
            raise JustError(self.at, "a carriage return without a line feed")
        if self.delimiters or self.interpolation is not None:
            self.at = found.end()
        else:
            self._token(Kind.EOL, found.end())

    def _sign(self) -> None:
        found = _SIGN.match(self.text, self.at)
        if found is None:
            raise JustError(self.at, f"`{self.text[self.at]}` cannot stand here")
        sign = found[0]
        if sign in "([{":
            self.delimiters.append((sign, self.at))
        elif sign in _PAIRS:
            if not self.delimiters or self.delimiters[-1][0] != _PAIRS[sign]:
                raise JustError(self.at, f"nothing is open that `{sign}` would close")
            self.delimiters.pop()
        elif sign == ":":
            self.body_pending = True
        self._token(Kind.SIGN, found.end())

    def _string(self, continues: str | None = None) -> None:
        """A string or a backtick; ``continues``: the quotes of the format string that goes on behind `}}`."""
        text, start = self.text, self.at
        quotes = continues or next(q for q in QUOTES if self._here(q))
        end = start + len(CLOSING if continues else quotes)
        before = self.tokens[-1] if self.tokens else None
        is_format = before is not None and (before.kind, before.text, before.end) == (Kind.NAME, "f", start)
        interpolates = continues is not None or (is_format and quotes[0] != "`")
        escape = False
        while True:
            if end >= len(text):
                raise JustError(start, f"this {'backtick' if quotes[0] == '`' else 'string'} is not closed")
            if quotes[0] == '"' and not escape and text[end] == "\\":
                escape = True
            elif interpolates and text.startswith(ESCAPED, end):
                escape = False
                end += 3
            elif not escape and (text.startswith(quotes, end) or (interpolates and text.startswith(OPENING, end))):
                break
            else:
                escape = False
            end += 1
        if interpolates and text.startswith(OPENING, end):
            if continues is None:
                self.delimiters.append((quotes, start))
            self._token(Kind.FORMAT_START if continues is None else Kind.FORMAT_MIDDLE, end + 2)
            return
        end += len(quotes)
        if continues is not None:
            self.delimiters.pop()
            self._token(Kind.FORMAT_END, end)
        else:
            self._token(Kind.BACKTICK if quotes[0] == "`" else Kind.STRING, end)
