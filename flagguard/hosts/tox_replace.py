"""tox's substitutions: `{posargs}`, `{env:NAME:default}`, `{[section]key}`, `{toxinidir}`, `{/}`, `[]`.

Follows https://tox.wiki/en/latest/reference/config.html ("Substitutions"): a backslash before `:`, `{`, `}`, `[` or `]`
takes their meaning away; what cannot be replaced stays as it is written. What a reference means the caller says.
"""

from collections.abc import Callable, Sequence

from flagguard.text import EMPTY, Traced, join, literal
from flagguard.values import dataclass

_ESCAPED = ":{}[]"
MOST = 100
"""Replacements inside of each other."""

Lookup = Callable[[str, Sequence[Traced], Traced, int], Traced | None]
"""What a substitution comes to: its first part, the others, the whole as it is written, and how deep it is; None where
there is no such thing."""


@dataclass(frozen=True, slots=True)
class _Expression:
    arguments: "tuple[tuple[Traced | _Expression, ...], ...]"
    written: Traced


def replaced(text: Traced, lookup: Lookup, depth: int = 0) -> Traced:
    """The text with its substitutions made."""
    raw = text.text
    if "{" not in raw and "[]" not in raw and "\\" not in raw:
        return text
    return _joined(_Reader(text).arguments(0, "")[0][0], lookup, depth)


class _Reader:
    def __init__(self, text: Traced) -> None:
        self.text = text
        self.raw = text.text
        self._known: dict[int, tuple[_Expression, int] | None] = {}

    def arguments(self, at: int, end: str) -> "tuple[list[tuple[Traced | _Expression, ...]], int]":
        """The arguments up to ``end``, and where that stands; -1 where it is missing."""
        raw, cut = self.raw, self.text.cut
        arguments: list[tuple[Traced | _Expression, ...]] = []
        parts: list[Traced | _Expression] = []
        start = at
        while at < len(raw):
            char, following = raw[at], raw[at + 1 : at + 2]
            if char == "\\" and following:
                if following in _ESCAPED:
                    parts += [cut(start, at), cut(at + 1, at + 2)]
                    start = at + 2
                at += 2 if following in _ESCAPED or following == "\\" else 1
                continue
            if end and char == end:
                parts.append(cut(start, at))
                return [*arguments, tuple(parts)], at
            if end and char == ":":
                parts.append(cut(start, at))
                arguments.append(tuple(parts))
                parts, at, start = [], at + 1, at + 1
                continue
            found = self.expression(at) if char in "{[" else None
            if found is not None:
                parts += [cut(start, at), found[0]]
                at = start = found[1]
                continue
            at += 1
        parts.append(cut(start, at))
        return [*arguments, tuple(parts)], -1 if end else at

    def expression(self, at: int) -> tuple[_Expression, int] | None:
        if at not in self._known:
            self._known[at] = self._expression(at)
        return self._known[at]

    def _expression(self, at: int) -> tuple[_Expression, int] | None:
        if self.raw.startswith("[]", at):
            return _Expression(((literal("posargs"),),), self.text.cut(at, at + 2)), at + 2
        if self.raw[at] != "{" or self.raw.find("}", at) < 0:
            return None
        inner, end = self.arguments(at + 1, "}")
        if end < 0:
            return None
        return _Expression(tuple(inner), self.text.cut(at, end + 1)), end + 1


def _joined(parts: "Sequence[Traced | _Expression]", lookup: Lookup, depth: int) -> Traced:
    return join([p if isinstance(p, Traced) else _value(p, lookup, depth) for p in parts])


def _value(found: _Expression, lookup: Lookup, depth: int) -> Traced:
    first, *rest = (_joined(argument, lookup, depth) for argument in found.arguments)
    if depth < MOST and first.known:
        value = lookup(first.text, rest, found.written, depth)
        if value is not None:
            return value
    between = [part for argument in (first, *rest) for part in (literal(":"), argument)][1:]
    whole = join([literal("{"), *between, literal("}")])
    # where nothing inside was replaced, it stands in the file just so
    return found.written if whole.text == found.written.text else whole


def arguments_joined(rest: Sequence[Traced]) -> Traced:
    """A default that holds colons."""
    return join([part for argument in rest for part in (literal(":"), argument)][1:]) if rest else EMPTY
