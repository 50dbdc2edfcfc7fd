"""What the arguments of a command come to: variable references, escapes, and lists that make several words.

Follows cmake-language(7), "Command Arguments", "Escape Sequences", "Variable References", "Lists".
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

from flagguard.command import Word
from flagguard.hosts.cmake_lexer import Argument, Kind
from flagguard.patterns import expression
from flagguard.text import (
    EMPTY,
    HOLE_MARK,
    Decider,
    Hole,
    Piece,
    SourceText,
    Span,
    Traced,
    hole,
    join,
    literal,
    too_long,
)
from flagguard.values import replace

_REFERENCE = expression(r"\$(?:(ENV|CACHE)?\{)|\\")
_SPECIAL = expression(r"[$\\;" + HOLE_MARK + "]")
_ESCAPES = {"t": "\t", "r": "\r", "n": "\n"}
_MOST_DEEP = 40


class Variables(Protocol):
    """Who knows what a reference comes to; ``kind`` is "", "ENV" or "CACHE"."""

    def refer(self, kind: str, name: Traced, written: str, span: Span) -> Traced: ...


def expanded(argument: Argument, source: SourceText, variables: Variables) -> Traced:
    """The argument as one text, not yet cut at its semicolons."""
    text = argument.text
    if argument.kind is Kind.BRACKET or ("$" not in text and "\\" not in text):
        if argument.kind is Kind.BRACKET:
            text = text.replace("\r\n", "\n")
        return literal(text, Span(source.path, argument.start, argument.end))
    value = _Expansion(source, variables, argument).text()
    if too_long(value):
        span = Span(source.path, argument.start, argument.end)
        gap = Hole(text[:60], "the value is too long to follow", Decider.REPOSITORY, several=True)
        return hole(gap, (span,))
    return value


def words(arguments: Sequence[Argument], source: SourceText, variables: Variables) -> list[Word]:
    """The words that the arguments come to: unquoted ones are cut at semicolons, and what is empty falls away."""
    out: list[Word] = []
    for argument in arguments:
        whole = Span(source.path, argument.first, argument.last)
        if argument.kind is Kind.UNQUOTED and not _SPECIAL.search(argument.text):
            out.append(Word((Piece(argument.text, (whole,), True),), whole))
            continue
        value = expanded(argument, source, variables)
        if argument.kind is not Kind.UNQUOTED:
            out.append(Word(value.pieces, whole))
        elif value.known and ";" not in value.text:
            if value.text:
                out.append(Word(value.pieces, whole))
        else:
            parts = [part for part in items(value) if part.text]
            written = whole if len(parts) == 1 else None
            out += (Word(_spread(part).pieces, written) for part in parts)
    return out


def _spread(part: Traced) -> Traced:
    """A hole outside of quotes may hold a list."""
    if part.known:
        return part
    return Traced(tuple(replace(p, hole=replace(p.hole, several=True)) if p.hole else p for p in part.pieces))


def items(value: Traced) -> Iterator[Traced]:
    """The items of a list: between semicolons that no backslash and no square bracket protects."""
    text = value.text
    if ";" not in text:
        if value.pieces:
            yield value
        return
    if "[" not in text and "\\" not in text:
        at = 0
        while (end := text.find(";", at)) >= 0:
            yield value.cut(at, end)
            at = end + 1
        yield value.cut(at, len(text))
        return
    start, depth, at = 0, 0, 0
    gone: list[int] = []
    while at < len(text):
        char = text[at]
        if char == "\\" and text[at + 1 : at + 2] == ";":
            gone.append(at)
            at += 1
        elif char == "[":
            depth += 1
        elif char == "]":
            depth = max(depth - 1, 0)
        elif char == ";" and not depth:
            yield _without(value, start, at, gone)
            start, gone = at + 1, []
        at += 1
    yield _without(value, start, len(text), gone)


def _without(value: Traced, start: int, end: int, gone: Sequence[int]) -> Traced:
    if not gone:
        return value.cut(start, end)
    edges = [start, *(edge for at in gone for edge in (at, at + 1)), end]
    return join(value.cut(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True))


def listed(parts: Sequence[Traced]) -> Traced:
    """The items as one list."""
    return join(part for i, item in enumerate(parts) for part in ((literal(";"), item) if i else (item,)))


class _Expansion:
    """The text of one argument."""

    def __init__(self, source: SourceText, variables: Variables, argument: Argument) -> None:
        self.path, self.variables, self.argument = source.path, variables, argument
        self.said = argument.text
        self.shift = argument.start
        self._open: set[int] = set()
        """Behind the references that are never closed."""

    def text(self) -> Traced:
        parts, _ = self._until(0, None, 0)
        return join(parts)

    def _verbatim(self, start: int, end: int) -> Traced:
        return literal(self.said[start:end], Span(self.path, self.shift + start, self.shift + end))

    def _until(self, at: int, closing: str | None, depth: int) -> tuple[list[Traced], int]:
        """The parts up to the brace that closes a reference, or to the end; -1 where it is never closed."""
        parts: list[Traced] = []
        while at < len(self.said):
            found = _REFERENCE.search(self.said, at)
            end = found.start() if found is not None else len(self.said)
            if closing is not None:
                brace = self.said.find(closing, at)
                if 0 <= brace < end:
                    parts.append(self._verbatim(at, brace))
                    return parts, brace + 1
            if end > at:
                parts.append(self._verbatim(at, end))
            if found is None:
                break
            at = end
            if found[0] == "\\":
                part, at = self._escape(at, closing is not None)
                parts.append(part)
                continue
            goes_on = depth < _MOST_DEEP and found.end() not in self._open
            inner, after = self._until(found.end(), "}", depth + 1) if goes_on else ([], -1)
            if after < 0:
                self._open.add(found.end())
                parts.append(self._verbatim(at, found.end()))
                at = found.end()
                continue
            span = Span(self.path, self.shift + at, self.shift + after)
            value = self.variables.refer(found[1] or "", join(inner), self.said[at:after], span)
            parts.append(value)
            at = after
        return parts, (len(self.said) if closing is None else -1)

    def _escape(self, at: int, inside: bool) -> tuple[Traced, int]:
        following = self.said[at + 1 : at + 2]
        span = Span(self.path, self.shift + at, self.shift + at + 2)
        if following == "\n" or self.said.startswith("\r\n", at + 1):
            return EMPTY, at + (2 if following == "\n" else 3)
        if following == ";" and not inside:
            return self._verbatim(at, at + 2), at + 2
        if not following or (following.isalnum() and following not in _ESCAPES):
            return self._verbatim(at, at + 1), at + 1
        return Traced((Piece(_ESCAPES.get(following, following), (span,)),)), at + 2
