"""Shell patterns (POSIX.1-2024 XCU 2.14; bash manual 3.5.8.1) on text that may have holes: yes, no or maybe."""

import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from itertools import pairwise, repeat

from flagguard.shell.extended import MOST_CHARACTERS, Atom, Extended
from flagguard.text import HOLE_MARK, Traced
from flagguard.values import cached_property


class Match(Enum):
    YES = "yes"
    NO = "no"
    MAYBE = "maybe"


_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
    "word": "\\w",
}


_SPECIAL = frozenset("*?[\\")
_MOST_STEPS = 200_000
_LONG = 10_000
"""From so many characters on it is not tried how much of a text a pattern takes, unless that is found at once."""


class Pattern(tuple[Atom, ...]):
    """A pattern as its atoms; what is asked of it again and again is worked out once."""

    @cached_property
    def text(self) -> str:
        return "".join([c for c, _ in self])

    @cached_property
    def plain(self) -> str | None:
        """The only text that it matches, where each atom stands for itself."""
        return self.text if len(self.head) == len(self) and not self.grouped else None

    @cached_property
    def open(self) -> bool:
        """Whether there is a hole in it."""
        return HOLE_MARK in self.text

    @cached_property
    def grouped(self) -> bool:
        """Whether it has a group of extended patterns."""
        return ("(", False) in self and any(
            b == ("(", False) and not a[1] and a[0] in "?*+@!" for a, b in pairwise(self)
        )

    @cached_property
    def head(self) -> str:
        """What every text that it matches begins with, as far as that is seen at once: the atoms before a special one.

        Only of a pattern without groups, as ``tail`` is."""
        end = next((i for i, atom in enumerate(self) if _stands_for_more(atom)), len(self))
        return self.text[:end]

    @cached_property
    def tail(self) -> str:
        """What it ends with."""
        if ("[", False) in self or ("\\", False) in self:
            return ""
        end = next((i for i, atom in enumerate(reversed(self)) if _stands_for_more(atom)), len(self))
        return self.text[len(self) - end :]

    @cached_property
    def tokens(self) -> list[str]:
        """One regular expression a character, ``*`` for any run."""
        return _tokens(self)

    @cached_property
    def compiled(self) -> "re.Pattern[str]":
        """Of a pattern without groups."""
        return re.compile(_linear(self.tokens), re.DOTALL)

    @cached_property
    def extended(self) -> Extended:
        """Of a pattern with groups."""
        return Extended(self, _bracket)


def _stands_for_more(atom: Atom) -> bool:
    c, quoted = atom
    return c == HOLE_MARK or (not quoted and c in _SPECIAL)


def atoms(fragments: Sequence[tuple[Traced, bool]]) -> Pattern:
    """The pattern given as (text, quoted) runs."""
    return Pattern([atom for traced, quoted in fragments for atom in zip(traced.text, repeat(quoted))])


def verbatim(text: str) -> Pattern:
    """The pattern that matches just this text."""
    return Pattern(zip(text, repeat(True)))


def regex(pattern: Pattern) -> str:
    """A pattern without groups as a regular expression; a hole in it is anything."""
    return "".join([".*" if token == "*" else token for token in pattern.tokens])


def _bracket(pattern: tuple[Atom, ...], start: int) -> tuple[str, int] | None:
    """The bracket expression at ``start`` as a regular expression, and where it ends; None where it is not one."""
    i = start + 1
    out = ["["]
    if i < len(pattern) and pattern[i][0] in "!^" and not pattern[i][1]:
        out.append("^")
        i += 1
    first = True
    while i < len(pattern):
        c, quoted = pattern[i]
        if c == "]" and not quoted and not first:
            return _valid("".join(out)), i + 1
        if c == "[" and not quoted and i + 1 < len(pattern) and pattern[i + 1][0] == ":":
            text = "".join(a for a, _ in pattern[i:])
            named = re.match(r"\[:(\w+):\]", text)
            if named is not None:
                out.append(_CLASSES.get(named.group(1), ""))
                i += named.end()
                first = False
                continue
        if c == "-" and not quoted and not first and i + 1 < len(pattern) and pattern[i + 1][0] != "]":
            out.append("-")
        else:
            out.append(re.escape(c))
        first = False
        i += 1
    if any(pattern[k : k + 2] == (("[", False), (":", False)) for k in range(start + 1, len(pattern))):
        return "(?!)", i  # a class that is not closed: bash matches nothing
    return None


def _valid(text: str) -> str:
    """A bracket expression, given without its end: without characters, or with a bad range, it matches nothing."""
    if text in ("[", "[^"):
        return "(?!)" if text == "[" else "."
    try:
        re.compile(text + "]")
    except re.error:
        return "(?!)"
    return text + "]"


def glob_end(pattern: tuple[Atom, ...], at: int) -> int | None:
    """Where the special characters end that stand at ``at``; None where there are none."""
    c, quoted = pattern[at]
    if quoted:
        return None
    if c in "*?":
        return at + 1
    found = _bracket(pattern, at) if c == "[" else None
    return found[1] if found is not None else None


def match(pattern: Pattern, word: Traced) -> Match:
    """Whether the whole word matches, for every content of its holes (yes), for some (maybe), for none (no)."""
    text = word.text
    gap = HOLE_MARK in text
    if pattern.plain is not None and not gap:
        return Match.YES if pattern.plain == text else Match.NO
    if pattern.open:
        return Match.NO if not gap and not pattern.grouped and not pattern.compiled.fullmatch(text) else Match.MAYBE
    if pattern.grouped:
        if gap or len(text) > MOST_CHARACTERS:
            return Match.MAYBE
        return Match.YES if pattern.extended.matches(text) else Match.NO
    if not gap:
        return Match.YES if pattern.compiled.fullmatch(text) else Match.NO
    if pattern and not pattern.text.strip("*") and ("*", True) not in pattern:
        return Match.YES
    if text == HOLE_MARK:
        return Match.MAYBE
    before, behind = text.partition(HOLE_MARK)[0], text.rpartition(HOLE_MARK)[2]
    if not _agree(pattern.head, before) or not _agree(pattern.tail[::-1], behind[::-1]):
        return Match.NO
    if len(pattern.tokens) * len(text) > _MOST_STEPS:
        return Match.MAYBE
    if not _possible(pattern.tokens, text):
        return Match.NO
    return Match.YES if _certain(pattern.tokens, text) else Match.MAYBE


def _agree(one: str, other: str) -> bool:
    """Whether two beginnings can be of one text."""
    return one.startswith(other) or other.startswith(one)


def _linear(tokens: list[str]) -> str:
    """The expression for a whole match: what follows a ``*`` is taken where it first stands, and never tried again."""
    runs: list[list[str]] = [[]]
    for token in tokens:
        if token == "*":
            runs.append([])
        else:
            runs[-1].append(token)
    texts = ["".join(run) for run in runs]
    if len(texts) == 1:
        return texts[0]
    middle = "".join(f"(?>.*?{text})" for text in texts[1:-1] if text)
    return f"{texts[0]}{middle}.*{texts[-1]}"


def _tokens(pattern: tuple[Atom, ...]) -> list[str]:
    out, i = list[str](), 0
    while i < len(pattern):
        c, quoted = pattern[i]
        if c == HOLE_MARK or (not quoted and c == "*"):
            out.append("*")
        elif not quoted and c == "\\" and i + 1 < len(pattern):
            i += 1
            out.append(re.escape(pattern[i][0]))
        elif not quoted and c == "[":
            found = _bracket(pattern, i)
            if found is not None:
                out.append(found[0])
                i = found[1]
                continue
            out.append("\\[")
        else:
            out.append("." if not quoted and c == "?" else re.escape(c))
        i += 1
    return out


def _possible(tokens: list[str], text: str) -> bool:
    """Whether some content of the holes makes it match: both sides may skip."""
    states = _close(tokens, {0})
    for c in text:
        if c == HOLE_MARK:
            low = min(states, default=len(tokens) + 1)
            states = set(range(low, len(tokens) + 1)) if states else set()
        else:
            states = _step(tokens, states, c)
        states = _close(tokens, states)
    return len(tokens) in states


def _certain(tokens: list[str], text: str) -> bool:
    """Whether a ``*`` takes up every hole."""
    states = _close(tokens, {0})
    for c in text:
        states = (
            {i for i in states if i < len(tokens) and tokens[i] == "*"} if c == HOLE_MARK else _step(tokens, states, c)
        )
        states = _close(tokens, states)
    return len(tokens) in states


def _close(tokens: list[str], states: set[int]) -> set[int]:
    out = set(states)
    for i in sorted(states):
        at = i
        while at < len(tokens) and tokens[at] == "*":
            at += 1
            out.add(at)
    return out


@lru_cache(maxsize=4096)
def _fits(token: str, c: str) -> bool:
    """Whether the character is one of those that the expression stands for."""
    return re.fullmatch(token, c, re.DOTALL) is not None


def _step(tokens: list[str], states: set[int], c: str) -> set[int]:
    out = set()
    for i in states:
        if i >= len(tokens):
            continue
        if tokens[i] == "*":
            out.add(i)
        elif _fits(tokens[i], c):
            out.add(i + 1)
    return out


def without_prefix(pattern: Pattern, value: Traced, longest: bool) -> Traced | None:
    """``${V#p}`` and ``${V##p}``; None where holes leave it open."""
    return _without(pattern, value, longest, prefix=True)


def without_suffix(pattern: Pattern, value: Traced, longest: bool) -> Traced | None:
    """``${V%p}`` and ``${V%%p}``; None where holes leave it open."""
    return _without(pattern, value, longest, prefix=False)


def _without(pattern: Pattern, value: Traced, longest: bool, prefix: bool) -> Traced | None:
    text, size = value.text, len(value)
    groups = pattern.grouped
    if pattern.open or (groups and (not value.known or size > MOST_CHARACTERS)):
        return None
    if not value.known:
        # Only what stands before (behind) every hole can be decided, and only by a pattern without a run.
        if any(not q and c == "*" for c, q in pattern):
            return None
        run = text.split(HOLE_MARK)[0] if prefix else text.rsplit(HOLE_MARK, 1)[-1]
        cut = len(pattern.tokens)
        if cut > len(run):
            return None
        if prefix:
            return value.cut(cut, size) if pattern.compiled.fullmatch(run[:cut]) else value
        return value.cut(0, size - cut) if pattern.compiled.fullmatch(run[len(run) - cut :]) else value
    if groups:
        whole = pattern.extended
        if prefix:
            found = whole.ends(text, 0)
            return value.cut((max if longest else min)(found), size) if found else value
        starts = [n for n in range(size + 1) if size in whole.ends(text, n)]
        return value.cut(0, (min if longest else max)(starts)) if starts else value
    n = _taken(pattern, text, longest, prefix)
    if n is not None:
        return value if n < 0 else value.cut(n, size) if prefix else value.cut(0, size - n)
    if size > _LONG:
        return None
    compiled = pattern.compiled
    for n in range(size, -1, -1) if longest else range(size + 1):
        if compiled.fullmatch(text[:n] if prefix else text[size - n :]):
            return value.cut(n, size) if prefix else value.cut(0, size - n)
    return value


def _taken(pattern: Pattern, text: str, longest: bool, prefix: bool) -> int | None:
    """How many characters a text without a pattern in it takes, or one with a ``*`` at its inner end; -1: none fit."""
    if pattern.plain is not None:
        fits = text.startswith(pattern.plain) if prefix else text.endswith(pattern.plain)
        return len(pattern.plain) if fits else -1
    star, rest = (pattern[0], Pattern(pattern[1:])) if prefix else (pattern[-1], Pattern(pattern[:-1]))
    if star != ("*", False) or not rest.plain:
        return None
    if prefix:
        at = text.rfind(rest.plain) if longest else text.find(rest.plain)
        return at + len(rest.plain) if at >= 0 else -1
    at = text.find(rest.plain) if longest else text.rfind(rest.plain)
    return len(text) - at if at >= 0 else -1
