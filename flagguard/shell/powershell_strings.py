"""PowerShell's strings and variables, and the cursor over a script (about_Quoting_Rules, about_Special_Characters).

Quotes and dashes have the typographic forms too, as the language's specification says (2.3.5).
"""

import re
from abc import abstractmethod

from flagguard.patterns import expression
from flagguard.shell.powershell_syntax import Expr, Hash, ScriptBlock, Statement, Str, Sub, Text, Variable
from flagguard.shell.syntax import ShellSyntaxError
from flagguard.text import Traced, literal

SINGLE = "'\u2018\u2019\u201a\u201b"
DOUBLE = '"\u201c\u201d\u201e'
QUOTES = SINGLE + DOUBLE
_NAME = expression(r"\$(?:\{((?:[^}`]|`u\{\w*\}|`.)*)\}|(\w+):(?!:)(\w+)|(\w+)|([?$^]))")
SPLAT = expression(r"@(?:(?:global|script|local|private|using):)?(\w+)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}
_UNICODE = expression(r"`u\{([0-9A-Fa-f]{1,6})\}")
CONTINUED = expression(r"`\r?\n")
_KEY = expression(r"[A-Za-z_][\w.-]*(?=\s*=)|[\w-]+(?=\s*=)")
_END_SINGLE = expression(f"[{SINGLE}]")
_IN_DOUBLE = expression(f"[`${DOUBLE}]")
_IN_HERE = expression("[`$]")
_END_HERE_SINGLE = expression(rf"\r?\n[{SINGLE}]@")
_END_HERE_DOUBLE = expression(rf"\r?\n[{DOUBLE}]@")
_MAX_DEPTH = 45


class Strings:
    """A cursor over a script; reads blanks, strings and variables."""

    def __init__(self, source: Traced) -> None:
        self.source = source
        self.text = source.text
        self.at = 0
        self.depth = 0

    def fail(self, message: str) -> ShellSyntaxError:
        return ShellSyntaxError(message, self.at)

    @abstractmethod
    def statements(self, closing: str = "") -> tuple[Statement, ...]:
        """The statements up to ``closing``, which is read too."""

    @abstractmethod
    def statement(self) -> Statement | None: ...

    @abstractmethod
    def script_block(self, start: int) -> ScriptBlock:
        """A script block behind its brace."""

    @abstractmethod
    def unary(self) -> Expr:
        """An expression without binary operators."""

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise self.fail("blocks and brackets are nested too deeply")

    # -- blanks

    def blanks(self, newlines: bool = False) -> None:
        text, size = self.text, len(self.text)
        while self.at < size:
            c = text[self.at]
            if c in " \t\r\f\v\ufeff\u00a0\u0085" or (newlines and c in "\n;"):
                self.at += 1
            elif c == "`" and (found := CONTINUED.match(text, self.at)):
                self.at = found.end()
            elif c == "<" and text.startswith("<#", self.at):
                end = text.find("#>", self.at)
                if end < 0:
                    raise self.fail("a comment is not closed")
                self.at = end + 2
            elif c == "#":
                end = text.find("\n", self.at)
                self.at = size if end < 0 else end
            else:
                return

    def close(self, closing: str) -> None:
        self.blanks(newlines=True)
        if not self.text.startswith(closing, self.at):
            raise self.fail(f"{closing!r} is missing")
        self.at += len(closing)

    # -- strings

    def string(self) -> Expr:
        return self.single() if self.text[self.at] in SINGLE else self.double()

    def _escape(self) -> Traced:
        start = self.at
        letter = self.text[start + 1 : start + 2]
        code = _UNICODE.match(self.text, start)
        if code is not None:
            self.at = code.end()
            number = int(code.group(1), 16)
            return self._said(chr(number) if number < 0x110000 else "", start)
        self.at += 2
        if letter == "\r" and self.text.startswith("\n", self.at):
            self.at += 1
        value = _ESCAPES.get(letter)
        return self.source.cut(start + 1, start + 2) if value is None else self._said(value, start)

    def _said(self, value: str, start: int) -> Traced:
        return literal(value).through(self.source.cut(start, self.at).route)

    def single(self) -> Text:
        found = None
        self.at += 1
        start = self.at
        out = Traced()
        while (found := _END_SINGLE.search(self.text, self.at)) is not None:
            out += self.source.cut(start, found.start())
            self.at = found.end()
            if self.at >= len(self.text) or self.text[self.at] not in SINGLE:
                return Text(out, quoted=True)
            start = self.at
            self.at += 1
        raise self.fail("a single quote is not closed")

    def double(self) -> Expr:
        opening = self.at
        self.at += 1
        parts: list[Expr] = []
        start = self.at
        while (found := _IN_DOUBLE.search(self.text, self.at)) is not None:
            c = found.group()
            if c in DOUBLE:
                again = self.text[found.end() : found.end() + 1]
                self._literal(parts, start, found.end() if again and again in DOUBLE else found.start())
                self.at = start = found.end()
                if not again or again not in DOUBLE:
                    return self._strung(parts)
                self.at = start = found.end() + 1
                continue
            start = self._inside(parts, start, found.start())
        self.at = opening
        raise self.fail("a double quote is not closed")

    def _strung(self, parts: list[Expr]) -> Expr:
        if all(isinstance(p, Text) for p in parts):
            whole = Traced(tuple(piece for p in parts if isinstance(p, Text) for piece in p.value.pieces))
            return Text(whole, quoted=True)
        return Str(tuple(parts))

    def _literal(self, parts: list[Expr], start: int, end: int) -> None:
        if end > start:
            parts.append(Text(self.source.cut(start, end), quoted=True))

    def _inside(self, parts: list[Expr], start: int, here: int) -> int:
        """An escape or a variable inside a string at ``here``: where the literal text goes on."""
        self.at = here
        if self.text[here] == "`":
            self._literal(parts, start, here)
            parts.append(Text(self._escape(), quoted=True))
        elif self.text.startswith("$(", here):
            self._literal(parts, start, here)
            parts.append(self.group(here, "$("))
        elif (named := _NAME.match(self.text, here)) is not None:
            self._literal(parts, start, here)
            parts.append(self._variable(named))
        else:
            self.at += 1
            return start
        return self.at

    def _here_string(self, quote: str) -> Expr:
        begin = self.text.find("\n", self.at)
        single = quote in SINGLE
        ends = (_END_HERE_SINGLE if single else _END_HERE_DOUBLE).search(self.text, begin) if begin >= 0 else None
        if ends is None:
            raise self.fail("a here-string is not closed")
        first, stop = begin + 1, max(begin + 1, ends.start())
        if single:
            self.at = ends.end()
            return Text(self.source.cut(first, stop), quoted=True)
        parts: list[Expr] = []
        self.at = start = first
        while (found := _IN_HERE.search(self.text, self.at, stop)) is not None:
            start = self._inside(parts, start, found.start())
        self._literal(parts, start, stop)
        self.at = ends.end()
        return self._strung(parts)

    # -- what begins with $ and @

    def dollar(self) -> Expr:
        start, text = self.at, self.text
        if text.startswith("$(", start):
            return self.group(start, "$(")
        if text.startswith("@(", start):
            return self.group(start, "@(")
        if text.startswith("@{", start):
            return self._hash(start)
        if text[start] == "@" and text[start + 1 : start + 2] in tuple(QUOTES):
            self.at += 1
            return self._here_string(text[self.at])
        if text[start] == "@":
            splat = SPLAT.match(text, start)
            if splat is None:
                raise self.fail("unexpected '@'")
            self.at = splat.end()
            return Variable(splat.group(1).lower(), False, start, self.at, splat=True)
        found = _NAME.match(text, start)
        if found is None:
            self.at += 1
            return Text(self.source.cut(start, self.at))
        return self._variable(found)

    def _variable(self, found: "re.Match[str]") -> Variable:
        braced, scope, scoped, plain, special = found.groups()
        self.at = found.end()
        name = braced or scoped or plain or special or ""
        scope = (scope or "").lower()
        if braced and ":" in braced:
            scope, _, name = braced.partition(":")
            scope = scope.lower()
        environment = scope == "env"
        if scope and not environment and scope not in ("global", "script", "local", "private", "using", "variable"):
            name = f"{scope}:{name}"
        return Variable(name if environment else name.lower(), environment, found.start(), found.end())

    def group(self, start: int, opening: str) -> Sub:
        self.at = start + len(opening)
        body = self.statements(")")
        return Sub(body, opening, start, self.at)

    def _hash(self, start: int) -> Hash:
        self.deeper()
        self.at += 2
        entries: list[tuple[Expr, tuple[Statement, ...]]] = []
        while True:
            self.blanks(newlines=True)
            if self.text.startswith("}", self.at):
                self.at += 1
                break
            key = _KEY.match(self.text, self.at)
            if key is not None:
                name: Expr = Text(self.source.cut(self.at, key.end()))
                self.at = key.end()
            else:
                name = self.unary()
            self.close("=")
            self.blanks(newlines=True)
            value = self.statement()
            entries.append((name, (value,) if value is not None else ()))
        self.depth -= 1
        return Hash(tuple(entries), start, self.at)
