"""The expressions of `%if` and `%[…]`.

Follows rpm-macros(7), "Expression expansion", and rpm-spec(5), "Conditionals". A value that hangs on a hole is not
known, but a number that is there is not zero.
"""

from collections.abc import Callable

from flagguard.patterns import expression
from flagguard.text import HOLE_MARK, Traced

_TOKEN = expression(r'\s*(v?"(?:[^"\\]|\\.)*"|\|\||&&|==|!=|<=|>=|[-+*/<>!()?:]|[\w.' + HOLE_MARK + r"~^]+)")
_DIGITS = expression(r"\d+")


class _Open:
    """A value that nobody knows here; ``truth``: but whether it is zero or empty."""

    def __init__(self, truth: bool | None = None) -> None:
        self.truth = truth


class _Wrong(Exception):
    """No expression."""


_Value = int | str | _Open


def holds(written: Traced) -> bool | None:
    """Whether an expanded condition holds; None where nobody knows, or it is none."""
    try:
        return _truth(_Reader(written.text).whole())
    except (_Wrong, RecursionError):
        return None


def chosen(inner: Traced, expand: Callable[[Traced], Traced]) -> Traced | None:
    """What `%[…]` comes to: its number, or the arm of `? :` that is a text; None where nobody knows."""
    from flagguard.text import literal

    written = expand(inner)
    try:
        value = _Reader(written.text).whole()
    except (_Wrong, RecursionError):
        return None
    if isinstance(value, _Open):
        return None
    if isinstance(value, str):
        at = written.text.find(f'"{value}"')
        if at >= 0:
            return written.cut(at + 1, at + 1 + len(value))
    return literal(str(value)).grounded(inner.route)


def _truth(value: _Value) -> bool | None:
    return value.truth if isinstance(value, _Open) else bool(value)


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        at = 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            if found is None:
                raise _Wrong
            self.tokens.append(found[1])
            at = found.end()
        self.at = 0

    def whole(self) -> _Value:
        if not self.tokens:
            raise _Wrong
        value = self._ternary()
        if self.at < len(self.tokens):
            raise _Wrong
        return value

    def _take(self, *said: str) -> str:
        if self.at < len(self.tokens) and self.tokens[self.at] in said:
            self.at += 1
            return self.tokens[self.at - 1]
        return ""

    def _ternary(self) -> _Value:
        value = self._or()
        if not self._take("?"):
            return value
        one = self._ternary()
        if not self._take(":"):
            raise _Wrong
        other = self._ternary()
        holds = _truth(value)
        return _Open() if holds is None else one if holds else other

    def _or(self) -> _Value:
        value = self._and()
        while self._take("||"):
            other = self._and()
            one, two = _truth(value), _truth(other)
            value = 1 if one or two else _Open() if one is None or two is None else 0
        return value

    def _and(self) -> _Value:
        value = self._compared()
        while self._take("&&"):
            other = self._compared()
            one, two = _truth(value), _truth(other)
            value = 0 if one is False or two is False else _Open() if one is None or two is None else 1
        return value

    def _compared(self) -> _Value:
        value = self._sum()
        while sign := self._take("==", "!=", "<", "<=", ">", ">="):
            value = _compare(sign, value, self._sum())
        return value

    def _sum(self) -> _Value:
        value = self._product()
        while sign := self._take("+", "-"):
            value = _arithmetic(sign, value, self._product())
        return value

    def _product(self) -> _Value:
        value = self._primary()
        while sign := self._take("*", "/"):
            value = _arithmetic(sign, value, self._primary())
        return value

    def _primary(self) -> _Value:
        if self._take("("):
            value = self._ternary()
            if not self._take(")"):
                raise _Wrong
            return value
        if self._take("!"):
            holds = _truth(self._primary())
            return _Open() if holds is None else int(not holds)
        if self._take("-"):
            value = self._primary()
            return -value if isinstance(value, int) else _Open()
        if self.at >= len(self.tokens):
            raise _Wrong
        said = self.tokens[self.at]
        self.at += 1
        if HOLE_MARK in said:
            # `0%{?fedora}`: whichever release it is, it is not zero
            return _Open(True if _DIGITS.fullmatch(said.replace(HOLE_MARK, "")) else None)
        if _DIGITS.fullmatch(said):
            return int(said)
        if said.startswith("v"):
            return _Open()
        return said[1:-1] if said.startswith('"') else said


def _compare(sign: str, one: _Value, other: _Value) -> _Value:
    order = _order(one, other)
    if order is None:
        return _Open()
    found = {"==": order == 0, "!=": order != 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}
    return int(found[sign])


def _order(one: _Value, other: _Value) -> int | None:
    if isinstance(one, int) and isinstance(other, int):
        return (one > other) - (one < other)
    if isinstance(one, str) and isinstance(other, str):
        return (one > other) - (one < other)
    return None


def _arithmetic(sign: str, one: _Value, other: _Value) -> _Value:
    if not isinstance(one, int) or not isinstance(other, int) or (sign == "/" and not other):
        return _Open()
    return {"+": one + other, "-": one - other, "*": one * other, "/": one // other if other else 0}[sign]
