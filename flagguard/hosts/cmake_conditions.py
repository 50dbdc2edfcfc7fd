"""Conditions of `if`, `elseif` and `while`.

Follows cmake-commands(7), `if()`: parentheses, unary tests, binary tests, NOT, then AND and OR from left to right
without precedence. The answer is None where it hangs on something that is not known.
"""

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from flagguard.hosts.cmake_references import items
from flagguard.text import Traced, literal
from flagguard.values import dataclass

Truth = bool | None


@dataclass(frozen=True, slots=True)
class Term:
    """One argument of a condition."""

    text: Traced
    quoted: bool = False


class Facts(Protocol):
    """What a condition asks about."""

    def variable(self, name: str) -> Traced | None:
        """The value; None where there is none."""
        ...

    def defined(self, name: str) -> Truth:
        """`DEFINED name`, `DEFINED ENV{name}`, `DEFINED CACHE{name}`."""
        ...

    def exists(self, path: Traced, folder: bool) -> Truth: ...

    def matched(self, text: Traced, pattern: str) -> None:
        """`MATCHES` holds: what its groups are is known from here on."""
        ...

    def has(self, kind: str, name: str) -> Truth:
        """`COMMAND`, `TARGET`, `POLICY`, `TEST`"""
        ...


_ENDLESS = re.compile(r"\((?:\[[^]]*\]|\\?.)[*+]\)[*+]")
"""`(a+)+`, for which Python's matcher takes twice the time with each character."""
_FALSE = frozenset({"", "0", "OFF", "NO", "FALSE", "N", "IGNORE", "NOTFOUND"})
_TRUE = frozenset({"1", "ON", "YES", "TRUE", "Y"})
_UNARY = frozenset(
    "EXISTS IS_DIRECTORY IS_SYMLINK IS_ABSOLUTE IS_READABLE IS_WRITABLE IS_EXECUTABLE COMMAND POLICY TARGET TEST "
    "DEFINED".split()
)
_FILES = frozenset("EXISTS IS_DIRECTORY IS_SYMLINK IS_READABLE IS_WRITABLE IS_EXECUTABLE".split())
_BINARY = frozenset(
    "EQUAL LESS GREATER LESS_EQUAL GREATER_EQUAL STREQUAL STRLESS STRGREATER STRLESS_EQUAL STRGREATER_EQUAL "
    "VERSION_EQUAL VERSION_LESS VERSION_GREATER VERSION_LESS_EQUAL VERSION_GREATER_EQUAL MATCHES IN_LIST "
    "PATH_EQUAL IS_NEWER_THAN".split()
)
_ORDER: dict[str, Callable[[int], bool]] = {
    "EQUAL": lambda n: n == 0,
    "LESS": lambda n: n < 0,
    "GREATER": lambda n: n > 0,
    "LESS_EQUAL": lambda n: n <= 0,
    "GREATER_EQUAL": lambda n: n >= 0,
}


def constant(text: str) -> Truth:
    """What a text says by itself: true, false, or neither."""
    upper = text.upper()
    if upper in _FALSE or upper.endswith("-NOTFOUND"):
        return False
    if upper in _TRUE:
        return True
    try:
        return float(text) != 0 if text[:1] in "+-.0123456789" and "_" not in text else None
    except ValueError:
        return None


def negated(truth: Truth) -> Truth:
    return None if truth is None else not truth


def holds(terms: Sequence[Term], facts: Facts) -> Truth:
    """Whether the condition holds. Raises ValueError where CMake would refuse it."""
    found, at = _Condition(terms, facts).all(0)
    if at < len(terms):
        raise ValueError(f"“{terms[at].text.shown}” is not expected there")
    return found


class _Condition:
    def __init__(self, terms: Sequence[Term], facts: Facts) -> None:
        self.terms, self.facts = terms, facts

    def _word(self, at: int) -> str:
        """The keyword at this place; quoted arguments are none (policy CMP0054)."""
        if not 0 <= at < len(self.terms) or self.terms[at].quoted:
            return ""
        return self.terms[at].text.text

    def all(self, at: int) -> tuple[Truth, int]:
        left, at = self._negation(at)
        while (word := self._word(at)) in ("AND", "OR"):
            right, at = self._negation(at + 1)
            if word == "AND":
                left = False if left is False or right is False else (None if left is None or right is None else True)
            else:
                left = True if left is True or right is True else (None if left is None or right is None else False)
        return left, at

    def _negation(self, at: int) -> tuple[Truth, int]:
        if self._word(at) == "NOT" and self._word(at + 1) not in _BINARY:
            found, at = self._negation(at + 1)
            return negated(found), at
        return self._test(at)

    def _test(self, at: int) -> tuple[Truth, int]:
        if at >= len(self.terms):
            raise ValueError("the condition is not complete")
        word = self._word(at)
        if word == "(":
            found, end = self.all(at + 1) if self._word(at + 1) != ")" else (False, at + 1)
            if self._word(end) != ")":
                raise ValueError("a parenthesis is not closed")
            return found, end + 1
        if word in _UNARY and at + 1 < len(self.terms) and self._word(at + 1) not in (*_BINARY, ")"):
            return self._unary(word, self.terms[at + 1].text), at + 2
        if self._word(at + 1) in _BINARY and at + 2 < len(self.terms):
            return self._binary(at, self._word(at + 1)), at + 3
        return self._plain(self.terms[at]), at + 1

    def _unary(self, word: str, operand: Traced) -> Truth:
        if word in _FILES:
            return self.facts.exists(operand, word == "IS_DIRECTORY")
        if word == "IS_ABSOLUTE":
            return operand.text.startswith(("/", "~")) if operand.known else None
        if not operand.known:
            return None
        return self.facts.defined(operand.text) if word == "DEFINED" else self.facts.has(word, operand.text)

    def _plain(self, term: Term) -> Truth:
        """A constant, a variable, or a string."""
        text = term.text
        if not text.known:
            return None
        found = constant(text.text)
        if found is not None:
            return found
        if term.quoted or re.fullmatch(r"(?:ENV|CACHE)\{.*\}", text.text):
            return False
        value = self.facts.variable(text.text)
        if value is None:
            return False
        if not value.known:
            return None
        said = constant(value.text)
        return True if said is None else said

    def _operand(self, at: int) -> Traced:
        """An unquoted operand that names a variable stands for its value."""
        term = self.terms[at]
        if not term.quoted and term.text.known:
            value = self.facts.variable(term.text.text)
            if value is not None:
                return value
        return term.text

    def _binary(self, at: int, word: str) -> Truth:
        right = self.terms[at + 2]
        if word == "IN_LIST":
            return self._in_list(self.terms[at].text, right.text)
        left_text = self._operand(at)
        if word == "MATCHES":
            found = matches(left_text, right.text)
            if found and left_text.known:
                self.facts.matched(left_text, right.text.text)
            return found
        right_text = self._operand(at + 2)
        if word == "IS_NEWER_THAN":
            return None
        if not left_text.known or not right_text.known:
            return _apart(word, left_text, right_text)
        return compared(word, left_text.text, right_text.text)

    def _in_list(self, item: Traced, name: Traced) -> Truth:
        if not name.known:
            return None
        value = self.facts.variable(name.text)
        if value is None:
            return False
        parts = list(items(value))
        if item.known and any(part.known and part.text == item.text for part in parts):
            return True
        return False if item.known and value.known else None


def _apart(word: str, left: Traced, right: Traced) -> Truth:
    """Two texts with holes that cannot be equal all the same: neither may begin otherwise."""
    if word != "STREQUAL":
        return None
    choices = [_all(left), _all(right)]
    if choices[0] is not None and choices[1] is not None:
        equal = {a == b for a in choices[0] for b in choices[1]}
        return equal.pop() if len(equal) == 1 else None
    return None


def _all(text: Traced) -> list[str] | None:
    """The texts that it may be, where they are known."""
    if text.known:
        return [text.text]
    only = text.pieces[0].hole if len(text.pieces) == 1 else None
    if only is None or not only.among or not all(one.known for one in only.among):
        return None
    return [one.text for one in only.among]


def compared(word: str, left: str, right: str) -> Truth:
    if word.startswith("VERSION_"):
        one, other = version(left), version(right)
        return _ORDER[word.removeprefix("VERSION_")]((one > other) - (one < other))
    if word.startswith("STR"):
        return _ORDER[word.removeprefix("STR")]((left > right) - (left < right))
    if word == "PATH_EQUAL":
        return re.sub("/+", "/", left) == re.sub("/+", "/", right)
    numbers = [re.match(r"\s*[-+]?[0-9]+(?:\.[0-9]*)?", text) for text in (left, right)]
    if numbers[0] is None or numbers[1] is None:
        return False
    one_number, other_number = float(numbers[0][0]), float(numbers[1][0])
    return _ORDER[word]((one_number > other_number) - (one_number < other_number))


def version(text: str) -> tuple[int, ...]:
    """`1.2.3` as numbers, trailing zeros left out."""
    parts = []
    for part in text.split("."):
        digits = re.match(r"[0-9]+", part)
        if digits is None:
            break
        parts.append(int(digits[0]))
        if digits[0] != part:
            break
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)


def translated(expression: str) -> "re.Pattern[str] | None":
    """CMake's regular expression (string(), "Regex Specification") as one of Python's; None where it is none."""
    if _ENDLESS.search(expression):
        return None
    out: list[str] = []
    inside = False
    at = 0
    while at < len(expression):
        char = expression[at]
        if inside:
            if char == "]" and out[-1] not in ("[", "[^"):
                inside = False
                out.append("]")
            else:
                doubled = char == "-" and "-" in (expression[at + 1 : at + 2], out[-1])
                out.append("\\" + char if doubled or char in "\\[]&~|" else char)
        elif char == "\\":
            at += 1
            following = expression[at : at + 1]
            if not following:
                return None
            out.append(re.escape(following))
        elif char == "[":
            inside = True
            negative = expression[at + 1 : at + 2] == "^"
            out.append("[^" if negative else "[")
            at += negative
        elif char in "{}":
            out.append("\\" + char)
        elif char == "$":
            out.append(r"\Z")
        else:
            out.append("(?s:.)" if char == "." else char)
        at += 1
    try:
        return re.compile("".join(out))
    except (re.error, RecursionError, OverflowError):
        return None


def matches(left: Traced, pattern: Traced) -> Truth:
    if not pattern.known:
        return None
    compiled = translated(pattern.text)
    if compiled is None:
        return None
    choices = _all(left)
    if choices is None:
        return None
    found = {bool(compiled.search(text)) for text in choices}
    return found.pop() if len(found) == 1 else None


def term(text: str) -> Term:
    return Term(literal(text))
