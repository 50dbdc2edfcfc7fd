"""Shell arithmetic (POSIX.1-2024 XCU 2.6.4; bash manual 6.5): integers, or unknown."""

import re
from collections.abc import Callable

from flagguard.patterns import expression

_TOKEN = expression(
    r"\s*(0[xX][0-9A-Fa-f]+|[0-9]+#[0-9A-Za-z@_]+|[0-9]+|[A-Za-z_]\w*|\*\*|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--"
    r"|[-+*/%&|^]=|[-+*/%&|^~!<>=?:(),\[\]])"
)
_PRECEDENCE = {
    "**": 12,
    "*": 11,
    "/": 11,
    "%": 11,
    "+": 10,
    "-": 10,
    "<<": 9,
    ">>": 9,
    "<": 8,
    "<=": 8,
    ">": 8,
    ">=": 8,
    "==": 7,
    "!=": 7,
    "&": 6,
    "^": 5,
    "|": 4,
    "&&": 3,
    "||": 2,
}
_ASSIGNING = frozenset("= += -= *= /= %= <<= >>= &= ^= |=".split())
_MAX_DEPTH = 100
_DIGITS = {c: i for i, c in enumerate("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_")}
_OF_BASH = frozenset({"**", ",", "++", "--", "["})
"""What dash does not know."""
_UNREAD = expression(r"[\[\\'\"$`]")
"""Quotes and subscripts are not read as the shell does: where they stand, nothing is surely wrong."""


class Unknown(Exception):
    """The value depends on something that is not known."""


class Wrong(Exception):
    """The shell refuses the expression: a division by zero, a text that is none."""


def evaluate(
    text: str, get: Callable[[str], str | None], put: Callable[[str, int], None], bash: bool = True
) -> int | None:
    """The value of an expression; None where it is not known. ``get`` gives a variable's text, None when unknown.

    Raises :class:`Wrong`.
    """
    try:
        tokens = _tokens(text)
        if not bash and not _OF_BASH.isdisjoint(tokens):
            return None
        reader = _Reader(tokens, get, put, 0, bash)
        if not tokens:
            return 0
        value = reader.comma()
        if reader.at < len(tokens):
            raise Wrong
        return value
    except Wrong:
        if _UNREAD.search(text) is None:
            raise
        return None
    except (Unknown, OverflowError, RecursionError):
        return None


def assigned(text: str) -> list[str]:
    """The names that an expression may assign to."""
    return re.findall(r"([A-Za-z_]\w*)(?:\[[^]]*\])?\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))", text) + re.findall(
        r"(?:\+\+|--)\s*([A-Za-z_]\w*)", text
    )


def _tokens(text: str) -> list[str]:
    out, at = [], 0
    text = text.rstrip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise Wrong
        out.append(found.group(1))
        at = found.end()
    return out


def _number(text: str) -> int:
    if "#" in text:
        base, digits = text.split("#", 1)
        values = [_DIGITS[c] for c in (digits.lower() if int(base) <= 36 else digits)]
        if not 2 <= int(base) <= 64 or max(values) >= int(base):
            raise Wrong
        number = 0
        for value in values:
            number = _wrap(number * int(base) + value)
        return number
    try:
        return _wrap(int(text, 8 if len(text) > 1 and text[0] == "0" and text[1] not in "xX" else 0))
    except ValueError:
        raise Wrong from None


def _wrap(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


class _Reader:
    def __init__(
        self,
        tokens: list[str],
        get: Callable[[str], str | None],
        put: Callable[[str, int], None],
        depth: int,
        bash: bool,
    ) -> None:
        self.tokens = tokens
        self.at = 0
        self.get = get
        self.put = put
        self.depth = depth
        self.bash = bash
        self.live = True
        if depth > _MAX_DEPTH:
            raise Unknown

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *wanted: str) -> bool:
        if self.peek() in wanted and self.peek():
            self.at += 1
            return True
        return False

    def name(self) -> str:
        """A variable or an element of an array (``A[2]``); empty where there is none."""
        token = self.peek()
        if not (token[:1].isalpha() or token[:1] == "_"):
            return ""
        self.at += 1
        if not self.take("["):
            return token
        index = self.comma()
        if not self.take("]"):
            raise Unknown
        return f"{token}[{index}]"

    def behind_name(self) -> str:
        """The token behind the variable, or the array's element, that stands here; empty where none does."""
        if not re.match("[^\\W0-9]", self.peek()):
            return ""
        at, depth = self.at + 1, 0
        while at < len(self.tokens) and (depth or self.tokens[at] == "["):
            depth += {"[": 1, "]": -1}.get(self.tokens[at], 0)
            at += 1
            if not depth:
                break
        return self.tokens[at] if at < len(self.tokens) else ""

    def comma(self) -> int:
        value = self.assignment()
        while self.take(","):
            value = self.assignment()
        return value

    def assignment(self) -> int:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise Unknown
        try:
            op = self.behind_name()
            if op in _ASSIGNING:
                name = self.name()
                self.at += 1
                value = self.assignment()
                if op != "=":
                    value = self.apply(op[:-1], self.value(name), value)
                self.store(name, value)
                return value
            return self.ternary()
        finally:
            self.depth -= 1

    def ternary(self) -> int:
        test = self.binary(2)
        if not self.take("?"):
            return test
        live = self.live
        self.live = live and test != 0
        yes = self.assignment()
        if not self.take(":"):
            raise Wrong
        self.live = live and test == 0
        no = self.assignment()
        self.live = live
        return yes if test else no

    def binary(self, least: int) -> int:
        left = self.unary()
        while True:
            op = self.peek()
            rank = _PRECEDENCE.get(op)
            if rank is None or rank < least:
                return left
            self.at += 1
            live = self.live
            if op in ("&&", "||"):
                self.live = live and (left != 0) == (op == "&&")
            right = self.binary(rank if op == "**" else rank + 1)
            self.live = live
            left = self.apply(op, left, right)

    def apply(self, op: str, a: int, b: int) -> int:
        if not self.live:
            return 0
        if op in ("/", "%"):
            if b == 0:
                raise Wrong
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return _wrap(quotient if op == "/" else a - quotient * b)
        if op == "**":
            if b < 0:
                raise Wrong
            return _wrap(pow(a, b, 2**64))
        if op in ("<<", ">>"):
            return _wrap(a << (b & 63) if op == "<<" else a >> (b & 63))
        table: dict[str, Callable[[], int]] = {
            "*": lambda: a * b,
            "+": lambda: a + b,
            "-": lambda: a - b,
            "<": lambda: a < b,
            "<=": lambda: a <= b,
            ">": lambda: a > b,
            ">=": lambda: a >= b,
            "==": lambda: a == b,
            "!=": lambda: a != b,
            "&": lambda: a & b,
            "^": lambda: a ^ b,
            "|": lambda: a | b,
            "&&": lambda: bool(a) and bool(b),
            "||": lambda: bool(a) or bool(b),
        }
        return _wrap(int(table[op]()))

    def unary(self) -> int:
        token = self.peek()
        if token in ("+", "-", "!", "~"):
            self.at += 1
            value = self.unary()
            return _wrap({"+": value, "-": -value, "!": int(not value), "~": ~value}[token])
        if token in ("++", "--"):
            self.at += 1
            name = self.name()
            if not name:
                raise Unknown
            value = self.value(name) + (1 if token == "++" else -1)
            self.store(name, value)
            return value
        return self.primary()

    def primary(self) -> int:
        token = self.peek()
        self.at += 1
        if token == "(":
            value = self.comma()
            if not self.take(")"):
                raise Wrong
            return value
        if token[:1].isdigit():
            return _number(token)
        if token[:1].isalpha() or token[:1] == "_":
            self.at -= 1
            name = self.name()
            value = self.value(name)
            if self.peek() in ("++", "--"):
                step = 1 if self.peek() == "++" else -1
                self.at += 1
                self.store(name, value + step)
            return value
        raise Wrong

    def value(self, name: str) -> int:
        if not self.live:
            return 0
        text = self.get(name)
        if text is None:
            raise Unknown
        text = text.strip()
        if not text:
            return 0
        if re.fullmatch(r"-?[0-9]+", text) and not text.lstrip("-").startswith("0"):
            return _wrap(int(text))
        if not self.bash and not re.fullmatch(r"[-+]?(?:0[xX][0-9A-Fa-f]+|[0-9]+)", text):
            raise Wrong
        inner = _Reader(_tokens(text), self.get, self.put, self.depth + 10, self.bash)
        value = inner.comma()
        if inner.at < len(inner.tokens):
            raise Wrong
        return value

    def store(self, name: str, value: int) -> None:
        if self.live:
            self.put(name, value)
