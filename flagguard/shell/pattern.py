"""Shell patterns (POSIX.1-2024 XCU 2.14; bash manual 3.5.8.1) on text that may have holes: yes, no or maybe."""

import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache

from flagguard.text import HOLE_MARK, Traced


class Match(Enum):
    YES = "yes"
    NO = "no"
    MAYBE = "maybe"


Atom = tuple[str, bool]
"""One character of a pattern, and whether it is quoted; :data:`HOLE_MARK` is a hole."""

_SHORT = 16
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


def atoms(fragments: Sequence[tuple[Traced, bool]]) -> tuple[Atom, ...]:
    """The atoms of a pattern given as (text, quoted) runs."""
    return tuple((c, quoted) for traced, quoted in fragments for c in traced.text)


@lru_cache(maxsize=4096)
def regex(pattern: tuple[Atom, ...], extended: bool = True) -> str:
    """The pattern as a regular expression; a hole in it is anything."""
    out, i = [], 0
    closing: list[str] = []
    while i < len(pattern):
        c, quoted = pattern[i]
        if c == HOLE_MARK:
            out.append(".*")
        elif quoted:
            out.append(re.escape(c))
        elif extended and c in "?*+@!" and i + 1 < len(pattern) and pattern[i + 1] == ("(", False):
            if c == "!":
                end = _group_end(pattern, i + 2)
                inner = regex(pattern[i + 2 : end], extended)
                out.append(f"(?:(?!(?:{inner})$).*)" if end >= len(pattern) - 1 else f"(?:(?!(?:{inner})).*?)")
                i = end + 1
                continue
            out.append("(?:")
            closing.append({"?": ")?", "*": ")*", "+": ")+", "@": ")"}[c])
            i += 1
        elif closing and c == "|":
            out.append("|")
        elif closing and c == ")":
            out.append(closing.pop())
        elif c == "*":
            out.append(".*")
        elif c == "?":
            out.append(".")
        elif c == "[":
            found = _bracket(pattern, i)
            if found is None:
                out.append("\\[")
            else:
                text, i = found
                out.append(text)
                continue
        elif c == "\\" and i + 1 < len(pattern):
            i += 1
            out.append(re.escape(pattern[i][0]))
        else:
            out.append(re.escape(c))
        i += 1
    return "".join(out)


def _group_end(pattern: tuple[Atom, ...], i: int) -> int:
    depth = 0
    while i < len(pattern):
        if pattern[i] == ("(", False):
            depth += 1
        elif pattern[i] == (")", False):
            if depth == 0:
                return i
            depth -= 1
        i += 1
    return i


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


def match(pattern: tuple[Atom, ...], word: Traced) -> Match:
    """Whether the whole word matches, for every content of its holes (yes), for some (maybe), for none (no)."""
    text = word.text
    if any(c == HOLE_MARK for c, _ in pattern):
        if HOLE_MARK not in text and not _compiled(pattern).fullmatch(text):
            return Match.NO
        return Match.MAYBE
    if _costly(pattern, text):
        return Match.MAYBE
    if HOLE_MARK not in text:
        return Match.YES if _compiled(pattern).fullmatch(text) else Match.NO
    if all(c == "*" and not q for c, q in pattern) and pattern:
        return Match.YES
    if any(not q and c == "(" for c, q in pattern):
        return Match.MAYBE
    tokens = _tokens(pattern)
    if not _possible(tokens, text):
        return Match.NO
    return Match.YES if _certain(tokens, text) else Match.MAYBE


@lru_cache(maxsize=4096)
def _compiled(pattern: tuple[Atom, ...]) -> "re.Pattern[str]":
    if not any(not quoted and c == "(" for c, quoted in pattern):
        return re.compile(_linear(_tokens(pattern)), re.DOTALL)
    try:
        return re.compile(regex(pattern), re.DOTALL)
    except re.error:
        return re.compile(re.escape("".join(c for c, _ in pattern)))


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


def _costly(pattern: tuple[Atom, ...], text: str) -> bool:
    """Whether an extended pattern may take for ever: several repetitions over a text that is not short."""
    free = [c if not quoted else "" for c, quoted in pattern]
    return "(" in free and sum(c in ("*", "+") for c in free) > 1 and len(text) > _SHORT


def _tokens(pattern: tuple[Atom, ...]) -> list[str]:
    """One regular expression a character, ``*`` for any run."""
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


def _step(tokens: list[str], states: set[int], c: str) -> set[int]:
    out = set()
    for i in states:
        if i >= len(tokens):
            continue
        if tokens[i] == "*":
            out.add(i)
        elif re.fullmatch(tokens[i], c, re.DOTALL):
            out.add(i + 1)
    return out


def without_prefix(pattern: tuple[Atom, ...], value: Traced, longest: bool) -> Traced | None:
    """``${V#p}`` and ``${V##p}``; None where holes leave it open."""
    return _without(pattern, value, longest, prefix=True)


def without_suffix(pattern: tuple[Atom, ...], value: Traced, longest: bool) -> Traced | None:
    """``${V%p}`` and ``${V%%p}``; None where holes leave it open."""
    return _without(pattern, value, longest, prefix=False)


def _without(pattern: tuple[Atom, ...], value: Traced, longest: bool, prefix: bool) -> Traced | None:
    text, size = value.text, len(value)
    if any(c == HOLE_MARK for c, _ in pattern) or _costly(pattern, text):
        return None
    if not value.known:
        # Only what stands before (behind) every hole can be decided, and only by a pattern without a run.
        if any(not q and c in "*(" for c, q in pattern):
            return None
        run = text.split(HOLE_MARK)[0] if prefix else text.rsplit(HOLE_MARK, 1)[-1]
        cut = len(_tokens(pattern))
        if cut > len(run):
            return None
        if prefix:
            return value.cut(cut, size) if _compiled(pattern).fullmatch(run[:cut]) else value
        return value.cut(0, size - cut) if _compiled(pattern).fullmatch(run[len(run) - cut :]) else value
    lengths = range(size, -1, -1) if longest else range(size + 1)
    compiled = _compiled(pattern)
    for n in lengths:
        if compiled.fullmatch(text[:n] if prefix else text[size - n :]):
            return value.cut(n, size) if prefix else value.cut(0, size - n)
    return value
