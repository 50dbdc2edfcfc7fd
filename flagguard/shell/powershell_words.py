"""PowerShell's words and expressions (about_Parsing, about_Quoting_Rules, about_Special_Characters, about_Operators).

Two modes, as about_Parsing has them: an expression, and the arguments of a command. A word that begins with ``-`` is a
parameter: variables in it are not expanded, and it ends before ``.`` and ``[`` (PowerShell issues 6291, 14587).
"""

import re
from abc import abstractmethod

from flagguard.patterns import expression
from flagguard.shell.powershell_syntax import (
    Arg,
    Array,
    Binary,
    Expr,
    Hash,
    Other,
    ScriptBlock,
    Statement,
    Str,
    Sub,
    Text,
    Unary,
    Variable,
)
from flagguard.shell.syntax import ShellSyntaxError
from flagguard.text import Traced, literal

_SINGLE = "'\u2018\u2019\u201a\u201b"
_DOUBLE = '"\u201c\u201d\u201e'
_QUOTES = _SINGLE + _DOUBLE
_DASH = "-\u2013\u2014\u2015"
_NAME = expression(r"\$(?:\{((?:[^}`]|`u\{\w*\}|`.)*)\}|(\w+):(?!:)(\w+)|(\w+)|([?$^]))")
_SPLAT = expression(r"@(?:(?:global|script|local|private|using):)?(\w+)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}
_UNICODE = expression(r"`u\{([0-9A-Fa-f]{1,6})\}")
_CONTINUED = expression(r"`\r?\n")
_RUN = expression(rf"[^\s;|&()\{{\}},<>`${_QUOTES}]+")
_PARAMETER = expression(rf"[{_DASH}][A-Za-z_?][^\s{{}}();,|&.\[`:{_QUOTES}]*:?")
_DASHED = expression(rf"[{_DASH}](?:[A-Za-z]+)(?![\w])")
_NUMBER = expression(r"(?:0[xX][0-9a-fA-F]+|0[bB][01]+|(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?:[a-zA-Z]{0,3})")
_MEMBER = expression(r"\??\.(?!\.)|::")
_ASSIGNS = expression(r"(?:\?\?|[-+*/%])?=(?!=)")
_OPERATOR = expression(r"\.\.|\?\?(?!=)|[-+/%](?!=)|\*(?![=>])|\?(?!\?)")
_BINARY = {
    **dict.fromkeys("-and -or -xor".split(), 1),
    **dict.fromkeys("-band -bor -bxor".split(), 2),
    **dict.fromkeys(
        (prefix + name)
        for name in "eq ne gt ge lt le like notlike match notmatch contains notcontains in notin replace split".split()
        for prefix in ("-", "-i", "-c")
    ),
}
_BINARY = {
    **{op: p or 3 for op, p in _BINARY.items()},
    **dict.fromkeys("-is -isnot -as -join -shl -shr".split(), 3),
    "-f": 6,
}
_SIGNS = {"+": 4, "-": 4, "*": 5, "/": 5, "%": 5, "..": 7, "??": 2}
_UNARY = ("-not", "-bnot", "-join", "-split", "-isplit", "-csplit")
_MAX_DEPTH = 45


class Words:
    """A cursor over a script; reads blanks, words and expressions."""

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
            elif c == "`" and (found := _CONTINUED.match(text, self.at)):
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

    # -- expressions

    def expression(self, least: int = 0, commas: bool = True) -> Expr:
        start = self.at
        left = self._operand(commas)
        while True:
            here = self.at
            self.blanks()
            op, strength = self._operator()
            if not op or strength < least or (op == "," and not commas):
                self.at = here
                return left
            if op == "?":
                left = self._ternary(left, start)
                continue
            self.blanks(newlines=True)
            right = self.expression(strength + 1, commas)
            left = Binary(op, left, right, start, self.at)

    def _operator(self) -> tuple[str, int]:
        """The binary operator here, read; empty where there is none."""
        found = _DASHED.match(self.text, self.at)
        if found is not None:
            op = "-" + found.group()[1:].lower()
            if op in _BINARY:
                self.at = found.end()
                return op, _BINARY[op]
        sign = _OPERATOR.match(self.text, self.at)
        if sign is None or (sign.group() in "+-" and self.text[self.at + 1 : self.at + 2] == sign.group()):
            return "", 0
        self.at = sign.end()
        return sign.group(), _SIGNS.get(sign.group(), 0)

    def _ternary(self, left: Expr, start: int) -> Expr:
        self.blanks(newlines=True)
        first = self.expression()
        self.close(":")
        self.blanks(newlines=True)
        return Other((left, first, self.expression()), start, self.at)

    def _operand(self, commas: bool) -> Expr:
        """A unary expression, or several with commas between them."""
        start = self.at
        if commas and self.text.startswith(",", start):
            self.at += 1
            self.blanks(newlines=True)
            only = self._unary()
            return Array((only,), start, self.at, ((start + 1, self.at),))
        first = self._unary()
        items, spans = [first], [(start, self.at)]
        while commas:
            here = self.at
            self.blanks()
            if not self.text.startswith(",", self.at):
                self.at = here
                break
            self.at += 1
            self.blanks(newlines=True)
            begin = self.at
            items.append(self._unary())
            spans.append((begin, self.at))
        return first if len(items) == 1 else Array(tuple(items), start, self.at, tuple(spans))

    def _unary(self) -> Expr:
        start, text = self.at, self.text
        found = _DASHED.match(text, start)
        if found is not None and "-" + found.group()[1:].lower() in _UNARY:
            return self._prefixed("-" + found.group()[1:].lower(), start, found.end())
        c = text[start : start + 1]
        if c == "!":
            return self._prefixed("!", start, start + 1)
        if c and c in "+" + _DASH and not (c in _DASH and text[start + 1 : start + 2].isalpha()):
            double = text[start + 1 : start + 2] == c
            return self._prefixed("++" if double else c, start, start + 1 + double)
        return self._postfix(self._primary(), start)

    def _prefixed(self, op: str, start: int, end: int) -> Expr:
        self.deeper()
        self.at = end
        self.blanks(newlines=True)
        operand = self._unary()
        self.depth -= 1
        return Unary(op, operand, start, self.at)

    def _primary(self) -> Expr:
        start, text = self.at, self.text
        c = text[start : start + 1]
        if c and c in _SINGLE:
            return self.single()
        if c and c in _DOUBLE:
            return self.double()
        if c == "$" or c == "@":
            return self.dollar()
        if c == "(":
            return self.group(start, "(")
        if c == "{":
            self.at += 1
            return self.script_block(start)
        if c == "[":
            return self._type(start)
        number = _NUMBER.match(text, start)
        if number is not None:
            self.at = number.end()
            return Text(self.source.cut(start, self.at))
        raise self.fail(f"unexpected {c!r}" if c else "an expression is missing")

    def _type(self, start: int) -> Expr:
        """``[type]`` alone, or as a cast before an operand."""
        self.bracketed()
        here = self.at
        self.blanks()
        c = self.text[self.at : self.at + 1]
        if c and (c in "$@({[" + _QUOTES or c.isdigit() or (c in _DASH and self.at == here)):
            self.deeper()
            operand = self._unary()
            self.depth -= 1
            return Unary("[]", operand, start, self.at)
        self.at = here
        return Other((), start, self.at)

    def bracketed(self) -> None:
        """A type or an attribute in brackets: only its brackets, strings and blocks matter."""
        self.deeper()
        self.at += 1
        while True:
            self.blanks(newlines=True)
            c = self.text[self.at : self.at + 1]
            if not c:
                raise self.fail("']' is missing")
            if c == "]":
                self.at += 1
                break
            if c == "[":
                self.bracketed()
            elif c == "(":
                self.at += 1
                self.arguments()
            elif c in _QUOTES:
                self.string()
            else:
                self.at += 1
        self.depth -= 1

    def arguments(self) -> tuple[Expr, ...]:
        """The arguments of a method or an attribute, behind the parenthesis."""
        out: list[Expr] = []
        self.deeper()
        while True:
            self.blanks(newlines=True)
            if self.text.startswith(")", self.at):
                self.at += 1
                break
            if self.text.startswith(",", self.at):
                self.at += 1
                continue
            named = _ARGUMENT.match(self.text, self.at)
            if named is not None:
                self.at = named.end()
                if not named.group().endswith("="):
                    continue
                self.blanks(newlines=True)
            out.append(self.expression(commas=False))
        self.depth -= 1
        return tuple(out)

    def _postfix(self, value: Expr, start: int) -> Expr:
        text = self.text
        inner: list[Expr] = [value]
        if isinstance(value, Text) and not value.quoted:
            return value
        while self.at < len(text):
            c = text[self.at]
            member = _MEMBER.match(text, self.at) if c in ".:?" else None
            if member is not None:
                self.at = member.end()
                self.blanks(newlines=True)
                self._member(inner)
            elif c == "[" or text.startswith("?[", self.at):
                self.at += 1 if c == "[" else 2
                self.blanks(newlines=True)
                if not text.startswith("]", self.at):
                    inner.append(self.expression())
                self.close("]")
            elif text.startswith(("++", "--"), self.at):
                self.at += 2
            else:
                break
            value = Other(tuple(inner), start, self.at)
        return value

    def _member(self, inner: list[Expr]) -> None:
        c = self.text[self.at : self.at + 1]
        if c in _QUOTES and c:
            inner.append(self.string())
        elif c == "$":
            inner.append(self.dollar())
        elif c == "(":
            inner.append(self.group(self.at, "("))
        else:
            name = _MEMBER_NAME.match(self.text, self.at)
            if name is None:
                raise self.fail("a member's name is missing")
            self.at = name.end()
        typed = _GENERIC_CALL.match(self.text, self.at)
        if typed is not None:
            self.at = typed.end()
        if self.text.startswith("(", self.at):
            self.at += 1
            inner += self.arguments()
        elif self.text.startswith("{", self.at):
            self.at += 1
            inner.append(self.script_block(self.at - 1))

    # -- strings

    def string(self) -> Expr:
        return self.single() if self.text[self.at] in _SINGLE else self.double()

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
            if self.at >= len(self.text) or self.text[self.at] not in _SINGLE:
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
            if c in _DOUBLE:
                again = self.text[found.end() : found.end() + 1]
                self._literal(parts, start, found.end() if again and again in _DOUBLE else found.start())
                self.at = start = found.end()
                if not again or again not in _DOUBLE:
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
        single = quote in _SINGLE
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
        if text[start] == "@" and text[start + 1 : start + 2] in tuple(_QUOTES):
            self.at += 1
            return self._here_string(text[self.at])
        if text[start] == "@":
            splat = _SPLAT.match(text, start)
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
                name = self._unary()
            self.close("=")
            self.blanks(newlines=True)
            value = self.statement()
            entries.append((name, (value,) if value is not None else ()))
        self.depth -= 1
        return Hash(tuple(entries), start, self.at)

    # -- arguments of a command

    def argument(self) -> Arg:
        """One argument, with its commas."""
        start = self.at
        first = self._bare()
        items, spans = [first], [(start, self.at)]
        while True:
            here = self.at
            self.blanks()
            if not self.text.startswith(",", self.at):
                self.at = here
                break
            self.at += 1
            self.blanks(newlines=True)
            begin = self.at
            if begin >= len(self.text) or self.text[begin] in ";|&)}":
                break
            items.append(self._bare())
            spans.append((begin, self.at))
        value: Expr = first if len(items) == 1 else Array(tuple(items), start, spans[-1][1], tuple(spans))
        return Arg(value, start, self.at)

    def _bare(self) -> Expr:
        """One argument without commas."""
        start, text = self.at, self.text
        c = text[start]
        if c in "@" and text[start + 1 : start + 2] not in tuple("({" + _QUOTES) and not _SPLAT.match(text, start):
            return self._generic(start, [])
        if c in "@({" or c in _QUOTES:
            return self._postfix(self._primary(), start)
        if c == "$":
            value = self._postfix(self.dollar(), start)
            if isinstance(value, Text) and not value.quoted:
                return self._generic(start, [value])
            if isinstance(value, Sub) or not self._goes_on():
                return value
            return self._generic(start, [value])
        parameter = _PARAMETER.match(text, start)
        if parameter is not None:
            self.at = parameter.end()
            word = Text(self.source.cut(start, self.at))
            if self.at < len(text) and text[self.at] in "`" + _QUOTES and not word.value.text.endswith(":"):
                return self._generic(start, [word])
            return word
        return self._generic(start, [])

    def _goes_on(self) -> bool:
        """Whether a word goes on here."""
        if self.at >= len(self.text):
            return False
        if self.text[self.at] == "`":
            return _CONTINUED.match(self.text, self.at) is None
        return self.text[self.at] in "$" + _QUOTES or _RUN.match(self.text, self.at) is not None

    def _generic(self, start: int, parts: list[Expr]) -> Expr:
        text = self.text
        while self.at < len(text):
            c = text[self.at]
            run = _RUN.match(text, self.at)
            if run is not None:
                parts.append(Text(self.source.cut(self.at, run.end())))
                self.at = run.end()
            elif c == "`":
                if _CONTINUED.match(text, self.at) or self.at + 1 >= len(text):
                    break
                parts.append(Text(self._escape(), quoted=True))
            elif c in _QUOTES:
                parts.append(self.string())
            elif c == "$":
                parts.append(self.dollar())
            else:
                break
        if self.at == start:
            raise self.fail(f"unexpected {text[start]!r}")
        if all(isinstance(p, Text) for p in parts):
            quoted = any(p.quoted for p in parts if isinstance(p, Text))
            whole = Traced(tuple(piece for p in parts if isinstance(p, Text) for piece in p.value.pieces))
            return Text(whole, quoted)
        return parts[0] if len(parts) == 1 else Str(tuple(parts), quoted=False)


_ARGUMENT = expression(r"[A-Za-z_]\w*\s*(?:=(?!=)|(?=[,)]))")
_MEMBER_NAME = expression(r"\w+|\*")
_GENERIC_CALL = expression(r"\[[\w., \[\]]+\](?=\()")
_KEY = expression(r"[A-Za-z_][\w.-]*(?=\s*=)|[\w-]+(?=\s*=)")
_END_SINGLE = expression(f"[{_SINGLE}]")
_IN_DOUBLE = expression(f"[`${_DOUBLE}]")
_IN_HERE = expression("[`$]")
_END_HERE_SINGLE = expression(rf"\r?\n[{_SINGLE}]@")
_END_HERE_DOUBLE = expression(rf"\r?\n[{_DOUBLE}]@")
