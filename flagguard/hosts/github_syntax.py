"""The grammar of GitHub Actions' expressions: a text as a tree, read once however often it is asked for.

Follows the runner's own reader (https://github.com/actions/runner, src/Sdk/DTExpressions2: LexicalAnalyzer.cs,
ExpressionParser.cs). Positions count from the beginning of the expression. What anything is worth is not known here.
"""

import math
import re
from collections.abc import Sequence
from functools import lru_cache

from flagguard.hosts.github_values import Value, constant, parse_number, string
from flagguard.patterns import expression
from flagguard.text import literal
from flagguard.values import dataclass

_TEXT = expression(r"\$\{\{((?:'(?:[^']|'')*'|[^'])*?)\}\}", re.DOTALL)
_STRING = expression(r"'((?:[^']|'')*)'", re.DOTALL)
_OPERATOR = expression(r"&&|\|\||[=!<>]=|[!<>()\[\],*]")
_WORD = expression(r"[^\s()\[\],.!<>=&|']+")
_NUMBER = expression(r"[-+.\d](?:[^\s()\[\],!<>=&|'])*")
_NAME = expression(r"[A-Za-z_][\w-]*", re.ASCII)
_LITERALS = {"true": True, "false": False, "null": None, "NaN": math.nan, "Infinity": math.inf}
CONTEXTS = frozenset("github env vars job jobs steps runner secrets strategy matrix needs inputs".split())
MOST_TOKENS = 5_000


class Unreadable(Exception):
    """Not an expression that GitHub takes."""


# -- the tree ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, `true`, `false`, `null`."""

    value: Value


@dataclass(frozen=True, slots=True)
class Text:
    """A string, between its quotes."""

    start: int
    end: int
    quotes: tuple[int, ...]
    """Where a quote is written twice in it."""


@dataclass(frozen=True, slots=True)
class Property:
    """`.NAME`."""

    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class Every:
    """`.*` or `[*]`."""


@dataclass(frozen=True, slots=True)
class Named:
    """A context, and what is taken of it: the names that stand there as such, then all the rest."""

    parts: tuple[str, ...]
    rest: tuple["Index", ...]


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    arguments: tuple[tuple["Tree", int, int], ...]
    """Each with where it stands."""
    rest: tuple["Index", ...]


@dataclass(frozen=True, slots=True)
class Group:
    inner: "Tree"
    rest: tuple["Index", ...]


@dataclass(frozen=True, slots=True)
class Not:
    inner: "Tree"


@dataclass(frozen=True, slots=True)
class Comparison:
    operator: str
    left: "Tree"
    right: "Tree"


@dataclass(frozen=True, slots=True)
class Logic:
    """`&&` (``both``) or `||`; ``start`` and ``end`` are those of the left side."""

    both: bool
    left: "Tree"
    right: "Tree"
    start: int
    end: int


Tree = Constant | Text | Named | Call | Group | Not | Comparison | Logic
Index = Property | Every | Tree
"""What is taken of a value: one part by its name, all parts, or one that is computed."""


@lru_cache(maxsize=4096)
def tree(text: str) -> Tree | None:
    """The expression as a tree; None where GitHub does not take it."""
    try:
        return _Parser(text).all()
    except (Unreadable, RecursionError):
        return None


@lru_cache(maxsize=4096)
def expressions(text: str) -> tuple[tuple[int, int, int, int], ...]:
    """Where the `${{ … }}` of a text stand, and where what is in them."""
    return tuple((*found.span(), *found.span(1)) for found in _TEXT.finditer(text))


@lru_cache(maxsize=4096)
def only(text: str) -> tuple[int, int] | None:
    """Where the expression stands, where the text is one `${{ … }}` and nothing else."""
    found = _TEXT.match(text, len(text) - len(text.lstrip()))
    # no full match: it would stretch the first of several expressions to the end of the last
    return found.span(1) if found and found.end() == len(text.rstrip()) else None


# -- tokens -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


_BEFORE_VALUE = frozenset("( [ , && || ! == != < <= > >=".split())
"""After these a `.` begins a number."""


def _tokens(text: str) -> Sequence[_Token]:
    found: list[_Token] = []
    at, end = 0, len(text)
    while True:
        while at < end and text[at].isspace():
            at += 1
        if at >= end:
            return found
        if len(found) >= MOST_TOKENS:
            raise Unreadable
        last = found[-1].text if found and found[-1].kind == "operator" else "" if found else "("
        start = at
        if text[at] == "'":
            match, kind = _STRING.match(text, at), "string"
        elif text[at] in "-+0123456789" or (text[at] == "." and last in _BEFORE_VALUE):
            match, kind = _NUMBER.match(text, at), "number"
        elif text[at] == ".":
            at += 1
            found.append(_Token("operator", ".", start, at))
            continue
        elif operator := _OPERATOR.match(text, at):
            match, kind = operator, "operator"
        else:
            match, kind = _WORD.match(text, at), "name"
            if match is None or not _NAME.fullmatch(match.group()):
                raise Unreadable
        if match is None:
            raise Unreadable
        at = match.end()
        found.append(_Token(kind, match.group(), start, at))


# -- the grammar ------------------------------------------------------------------------------------------------------


class _Parser:
    """Recursive descent."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.at = 0

    def all(self) -> Tree:
        value = self.either()
        if self.at < len(self.tokens):
            raise Unreadable
        return value

    def accept(self, *operators: str) -> str | None:
        if self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.kind == "operator" and token.text in operators:
                self.at += 1
                return token.text
        return None

    def expect(self, operator: str) -> None:
        if self.accept(operator) is None:
            raise Unreadable

    def span(self, since: int) -> tuple[int, int]:
        """Where the tokens from ``since`` up to here stand."""
        return (self.tokens[since].start, self.tokens[self.at - 1].end) if since < self.at else (0, 0)

    # -- operators

    def either(self) -> Tree:
        start = self.at
        value = self.both()
        while True:
            span = self.span(start)
            if not self.accept("||"):
                return value
            value = Logic(False, value, self.both(), *span)

    def both(self) -> Tree:
        start = self.at
        value = self.equal()
        while True:
            span = self.span(start)
            if not self.accept("&&"):
                return value
            value = Logic(True, value, self.equal(), *span)

    def equal(self) -> Tree:
        value = self.ordered()
        while operator := self.accept("==", "!="):
            value = Comparison(operator, value, self.ordered())
        return value

    def ordered(self) -> Tree:
        value = self.negated()
        while operator := self.accept("<=", ">=", "<", ">"):
            value = Comparison(operator, value, self.negated())
        return value

    def negated(self) -> Tree:
        return Not(self.negated()) if self.accept("!") else self.primary()

    # -- values

    def primary(self) -> Tree:
        if self.accept("("):
            inner = self.either()
            self.expect(")")
            return Group(inner, self.rest())
        if self.at >= len(self.tokens):
            raise Unreadable
        token = self.tokens[self.at]
        self.at += 1
        if token.kind == "string":
            start, end = token.start + 1, token.end - 1
            twice = re.finditer("''", self.text[start:end])
            return Text(start, end, tuple(start + found.start() for found in twice))
        if token.kind == "number":
            number = parse_number(token.text)
            if math.isnan(number):
                raise Unreadable
            return Constant(constant(number))
        if token.kind != "name":
            raise Unreadable
        if self.accept("("):
            arguments = self.arguments()
            return Call(token.text, arguments, self.rest())
        if token.text in _LITERALS:
            return Constant(constant(_LITERALS[token.text]))
        if token.text.lower() not in CONTEXTS:
            raise Unreadable
        parts, rest = [token.text.lower()], list(self.rest())
        while rest and isinstance(first := rest[0], Property):
            parts.append(first.name)
            rest.pop(0)
        return Named(tuple(parts), tuple(rest))

    def arguments(self) -> tuple[tuple[Tree, int, int], ...]:
        found: list[tuple[Tree, int, int]] = []
        if self.accept(")"):
            return ()
        while True:
            start = self.at
            value = self.either()
            found.append((value, *self.span(start)))
            if self.accept(")"):
                return tuple(found)
            self.expect(",")

    def rest(self) -> tuple["Index", ...]:
        """The `.NAME` and `[INDEX]` that follow."""
        found: list[Index] = []
        while True:
            if self.accept("."):
                found.append(Every() if self.accept("*") else self.property())
            elif self.accept("["):
                found.append(Every() if self.accept("*") else self.either())
                self.expect("]")
            else:
                return tuple(found)

    def property(self) -> Property:
        if self.at >= len(self.tokens) or self.tokens[self.at].kind != "name":
            raise Unreadable
        self.at += 1
        name = self.tokens[self.at - 1].text
        return Property(name, string(literal(name)))
