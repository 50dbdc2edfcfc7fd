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


def replaced_lines(text: Traced, lookup: Lookup, words: Traced | None) -> Traced:
    """The lines of commands with their substitutions made: a value within quotes stays within, and one that shares its
    line with other text is no line of its own.

    ``words``: what is passed behind `--`, as one text; None: nothing is.
    """
    if "{" not in text.text and "[]" not in text.text and "\\" not in text.text:
        return text
    parts = _Reader(text).arguments(0, "")[0][0]
    shown = ["\0" if isinstance(part, _Expression) else part.text for part in parts]
    out: list[Traced] = []
    quote = ""
    for i, part in enumerate(parts):
        if isinstance(part, Traced):
            value = part
        else:
            value = _value(part, lookup, 0)
            if not _is_default(part, value, lookup):
                if quote and _name(part) == "posargs" and words is not None:
                    value = words
                line = "".join(shown[:i]).rpartition("\n")[2] + "".join(shown[i + 1 :]).partition("\n")[0]
                value = _one_line(value) if quote or line.strip() else value
                if quote:
                    out.append(_escaped(value, quote))
                    continue
        quote = _open_quote(quote, value.text)
        out.append(value)
    return join(out)


def _name(part: _Expression) -> str:
    return "".join(p.text if isinstance(p, Traced) else "{}" for p in part.arguments[0])


def _is_default(part: _Expression, value: Traced, lookup: Lookup) -> bool:
    """Whether a value is the default that stands in the substitution itself: it is text like the text around it."""
    start = {"posargs": 1, "env": 2}.get(_name(part))
    if start is None or len(part.arguments) <= start:
        return False
    return arguments_joined([_joined(a, lookup, 1) for a in part.arguments[start:]]).text == value.text


def _one_line(value: Traced) -> Traced:
    at, parts = 0, []
    for line in value.text.splitlines(keepends=True):
        end = at + len(line.rstrip("\r\n"))
        parts += [literal(" "), value.cut(at, end)]
        at += len(line)
    return join(parts[1:]) if len(parts) > 2 else value


def _escaped(value: Traced, quote: str) -> Traced:
    parts, at, raw = [], 0, value.text
    for i, char in enumerate(raw):
        if (char == quote or (quote == '"' and char == "\\" and raw[i + 1 : i + 2] != "#")) and value.cut(
            i, i + 1
        ).known:
            parts += [value.cut(at, i), literal("'\"'\"'" if quote == "'" else f"\\{char}")]
            at = i + 1
    return join([*parts, value.cut(at, len(raw))]) if parts else value


def _open_quote(quote: str, text: str) -> str:
    """The quote that is open behind a text."""
    escaped = False
    for char in text:
        if char == "\n":
            quote, escaped = "", False
        elif escaped:
            escaped = False
        elif char == "\\" and quote != "'":
            escaped = True
        elif char == quote:
            quote = ""
        elif not quote and char in "'\"":
            quote = char
    return quote


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
