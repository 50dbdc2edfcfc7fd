"""PowerShell's words and expressions (about_Parsing, about_Quoting_Rules, about_Special_Characters, about_Operators).

Two modes, as about_Parsing has them: an expression, and the arguments of a command. A word that begins with ``-`` is a
parameter: variables in it are not expanded, and it ends before ``.`` and ``[`` (PowerShell issues 6291, 14587).
"""

from collections.abc import Callable

from flagguard.patterns import expression
from flagguard.shell.powershell_strings import CONTINUED, QUOTES, SPLAT, Strings
from flagguard.shell.powershell_syntax import (
    Arg,
    Array,
    Binary,
    Expr,
    Other,
    Str,
    Sub,
    Text,
    Unary,
)
from flagguard.text import Traced

DASH = "-\u2013\u2014\u2015"
_RUN = expression(rf"[^\s;|&()\{{\}},<>`${QUOTES}]+")
_PARAMETER = expression(rf"[{DASH}][A-Za-z_?][^\s{{}}();,|&.\[`:{QUOTES}]*:?")
DASHED = expression(rf"[{DASH}](?:[A-Za-z]+)(?![\w])")
NUMBER = expression(
    r"(?:0[xX][0-9a-fA-F]+|0[bB][01]+|(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?i:u[lsy]?|[dlnsy])?(?i:[kmgtp]b)?"
)
_MEMBER = expression(r"\??\.(?!\.)|::")
ASSIGNS = expression(r"(?:\?\?|[-+*/%])?=(?!=)")
_OPERATOR = expression(r"\.\.|\?\?(?!=)|[-+/%](?!=)|\*(?![=>])|\?(?!\?)")
_COMPARISONS = "eq ne gt ge lt le like notlike match notmatch contains notcontains in notin replace split".split()
_BINARY: dict[str, int] = {
    **dict.fromkeys("-and -or -xor".split(), 1),
    **dict.fromkeys("-band -bor -bxor".split(), 2),
    **dict.fromkeys((prefix + name for name in _COMPARISONS for prefix in ("-", "-i", "-c")), 3),
    **dict.fromkeys("-is -isnot -as -join -shl -shr".split(), 3),
    "-f": 6,
}
"""about_Operator_Precedence: the higher, the tighter."""
_SIGNS = {"+": 4, "-": 4, "*": 5, "/": 5, "%": 5, "..": 7, "??": 2}
UNARY = ("-not", "-bnot", "-join", "-split", "-isplit", "-csplit")
_ARGUMENT = expression(r"[A-Za-z_]\w*\s*(?:=(?!=)|(?=[,)]))")
_MEMBER_NAME = expression(r"\w+|\*")
_GENERIC_CALL = expression(r"\[[\w., \[\]]+\](?=\()")


class Words(Strings):
    """Reads words and expressions."""

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
        found = DASHED.match(self.text, self.at)
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

    def _between_commas(self, read: Callable[[], Expr], ending: str = "") -> tuple[list[Expr], list[tuple[int, int]]]:
        """What ``read`` reads, again behind each comma, and where; a comma before one of ``ending`` is the last."""
        items: list[Expr] = []
        spans: list[tuple[int, int]] = []
        while True:
            begin = self.at
            if items and ending and (begin >= len(self.text) or self.text[begin] in ending):
                return items, spans
            items.append(read())
            spans.append((begin, self.at))
            here = self.at
            self.blanks()
            if not self.text.startswith(",", self.at):
                self.at = here
                return items, spans
            self.at += 1
            self.blanks(newlines=True)

    def _operand(self, commas: bool) -> Expr:
        """A unary expression, or several with commas between them."""
        start = self.at
        if commas and self.text.startswith(",", start):
            self.at += 1
            self.blanks(newlines=True)
            only = self.unary()
            return Array((only,), start, self.at, ((start + 1, self.at),))
        if not commas:
            return self.unary()
        items, spans = self._between_commas(self.unary)
        return items[0] if len(items) == 1 else Array(tuple(items), start, self.at, tuple(spans))

    def unary(self) -> Expr:
        start, text = self.at, self.text
        found = DASHED.match(text, start)
        if found is not None and "-" + found.group()[1:].lower() in UNARY:
            return self._prefixed("-" + found.group()[1:].lower(), start, found.end())
        c = text[start : start + 1]
        if c == "!":
            return self._prefixed("!", start, start + 1)
        if c and c in "+" + DASH and not (c in DASH and text[start + 1 : start + 2].isalpha()):
            double = text[start + 1 : start + 2] == c
            return self._prefixed("++" if double else c, start, start + 1 + double)
        return self._postfix(self._primary(), start)

    def _prefixed(self, op: str, start: int, end: int) -> Expr:
        self.deeper()
        self.at = end
        self.blanks(newlines=True)
        operand = self.unary()
        self.depth -= 1
        return Unary(op, operand, start, self.at)

    def _primary(self) -> Expr:
        start, text = self.at, self.text
        c = text[start : start + 1]
        if c and c in QUOTES:
            return self.string()
        if c in ("$", "@"):
            return self.dollar()
        if c == "(":
            return self.group(start, "(")
        if c == "{":
            self.at += 1
            return self.script_block(start)
        if c == "[":
            return self._type(start)
        number = NUMBER.match(text, start)
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
        if c and (c in "$@({[" + QUOTES or c.isdigit() or (c in DASH and self.at == here)):
            self.deeper()
            operand = self.unary()
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
            elif c in QUOTES:
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
        if c in QUOTES and c:
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

    # -- arguments of a command

    def argument(self) -> Arg:
        """One argument, with its commas."""
        start = self.at
        items, spans = self._between_commas(self.bare, ending=";|&)}")
        value: Expr = items[0] if len(items) == 1 else Array(tuple(items), start, spans[-1][1], tuple(spans))
        return Arg(value, start, self.at)

    def bare(self) -> Expr:
        """One argument without commas."""
        start, text = self.at, self.text
        c = text[start]
        if c in "@" and text[start + 1 : start + 2] not in tuple("({" + QUOTES) and not SPLAT.match(text, start):
            return self.generic(start, [])
        if c in "@({" or c in QUOTES:
            return self._postfix(self._primary(), start)
        if c == "$":
            value = self._postfix(self.dollar(), start)
            if isinstance(value, Text) and not value.quoted:
                return self.generic(start, [value])
            if isinstance(value, Sub) or not self._goes_on():
                return value
            return self.generic(start, [value])
        parameter = _PARAMETER.match(text, start)
        if parameter is not None:
            self.at = parameter.end()
            word = Text(self.source.cut(start, self.at))
            if self.at < len(text) and text[self.at] in "`" + QUOTES and not word.value.text.endswith(":"):
                return self.generic(start, [word])
            return word
        return self.generic(start, [])

    def _goes_on(self) -> bool:
        """Whether a word goes on here."""
        if self.at >= len(self.text):
            return False
        if self.text[self.at] == "`":
            return CONTINUED.match(self.text, self.at) is None
        return self.text[self.at] in "$" + QUOTES or _RUN.match(self.text, self.at) is not None

    def generic(self, start: int, parts: list[Expr]) -> Expr:
        text = self.text
        while self.at < len(text):
            c = text[self.at]
            run = _RUN.match(text, self.at)
            if run is not None:
                parts.append(Text(self.source.cut(self.at, run.end())))
                self.at = run.end()
            elif c == "`":
                if CONTINUED.match(text, self.at) or self.at + 1 >= len(text):
                    break
                parts.append(Text(self._escape(), quoted=True))
            elif c in QUOTES:
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
