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


class Unknown(Exception):
    """The value depends on something that is not known, or the text is no expression."""


def evaluate(text: str, get: Callable[[str], str | None], put: Callable[[str, int | None], None]) -> int | None:
    """The value of an expression; None where it is not known. ``get`` gives a variable's text, None when unknown."""
    try:
        reader = _Reader(_tokens(text), get, put, 0)
        if not reader.tokens:
            return 0
        value = reader.comma()
        if reader.at < len(reader.tokens):
            return None
        return value
    except (Unknown, OverflowError, RecursionError):
        return None


def assigned(text: str) -> list[str]:
    """The names that an expression may assign to."""
    return re.findall(r"([A-Za-z_]\w*)\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))", text) + re.findall(
        r"(?:\+\+|--)\s*([A-Za-z_]\w*)", text
    )


def _tokens(text: str) -> list[str]:
    out, at = [], 0
    text = text.rstrip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise Unknown
        out.append(found.group(1))
        at = found.end()
    return out


def _number(text: str) -> int:
    if "#" in text:
        base, digits = text.split("#", 1)
        if not 2 <= int(base) <= 36:
            raise Unknown
        try:
            return int(digits, int(base))
        except ValueError:
            raise Unknown from None
    if len(text) > 1 and text[0] == "0" and text[1] not in "xX":
        try:
            return int(text, 8)
        except ValueError:
            raise Unknown from None
    return int(text, 0)


def _wrap(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


class _Reader:
    def __init__(
        self, tokens: list[str], get: Callable[[str], str | None], put: Callable[[str, int | None], None], depth: int
    ) -> None:
        self.tokens = tokens
        self.at = 0
        self.get = get
        self.put = put
        self.depth = depth
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
            raise Unknown
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
                raise Unknown
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return _wrap(quotient if op == "/" else a - quotient * b)
        if op == "**":
            if b < 0 or b > 64:
                raise Unknown
            return _wrap(a**b)
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
                raise Unknown
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
        raise Unknown

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
            return int(text)
        inner = _Reader(_tokens(text), self.get, self.put, self.depth + 10)
        value = inner.comma()
        if inner.at < len(inner.tokens):
            raise Unknown
        return value

    def store(self, name: str, value: int) -> None:
        if self.live:
            self.put(name, value)
