"""Globs: on paths, on names, and on texts of which a part is not known.

``*`` any characters, ``?`` one, ``[abc]``, ``[a-z]``, ``[!a]`` one of a set. On a path (anchored at the root) ``*`` and
``?`` stop at ``/``, ``**/`` is any number of folders and a trailing ``/**`` everything below. Nothing here knows what
is matched.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from flagguard.values import dataclass

_LIMIT = 4000
"""States of one automaton; a glob that needs more on an unknown text is not decided."""


def fault(pattern: str) -> str | None:
    """What is wrong with a glob, as half a sentence; None where nothing is."""
    try:
        tokens(pattern)
    except ValueError as error:
        return str(error)
    return None


def matches(pattern: str, text: str, path: bool = False) -> bool:
    """Whether the whole of ``text`` matches; upper and lower case differ."""
    return _compiled(pattern, path).fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Token:
    """One step of a glob: a star, or one character out of a set (``negated``: out of all others)."""

    star: bool = False
    chars: frozenset[str] = frozenset()
    negated: bool = False

    def takes(self, char: str) -> bool:
        return self.star or (char in self.chars) != self.negated


@lru_cache(maxsize=4096)
def tokens(pattern: str) -> tuple[Token, ...]:
    """The steps of a glob; raises ValueError with what is wrong."""
    out: list[Token] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if char == "*":
            if not (out and out[-1].star):
                out.append(Token(star=True))
        elif char == "?":
            out.append(Token(negated=True))
        elif char == "[":
            end = pattern.find("]", at + (2 if pattern[at : at + 1] == "!" else 1))
            if end < 0:
                raise ValueError("a `[` without its `]` (a `[` itself is written `[[]`)")
            out.append(_set(pattern[at:end]))
            at = end + 1
        else:
            out.append(Token(chars=frozenset(char)))
    return tuple(out)


def literal(text: str) -> tuple[Token, ...]:
    """The steps that match ``text`` and nothing else."""
    return tuple(Token(chars=frozenset(c)) for c in text)


def _set(body: str) -> Token:
    negated = body.startswith("!")
    rest = body[1:] if negated else body
    chars: set[str] = set()
    at = 0
    while at < len(rest):
        if rest[at + 1 : at + 2] == "-" and at + 2 < len(rest):
            first, last = ord(rest[at]), ord(rest[at + 2])
            if first > last or last - first > 256:
                raise ValueError(f"the range `{rest[at : at + 3]}` is backwards or too wide")
            chars.update(chr(c) for c in range(first, last + 1))
            at += 3
        else:
            chars.add(rest[at])
            at += 1
    return Token(chars=frozenset(chars), negated=negated)


@lru_cache(maxsize=4096)
def _compiled(pattern: str, path: bool) -> re.Pattern[str]:
    one, star = ("[^/]", "[^/]*") if path else (".", ".*")
    if not path:
        return re.compile("".join(_regex(t, one, star) for t in tokens(pattern)), re.DOTALL)
    out: list[str] = []
    parts = pattern.split("/")
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        if part == "**":
            out.append(".*" if last else "(?:[^/]+/)*")
        else:
            out.append("".join(_regex(t, one, star) for t in tokens(part)) + ("" if last else "/"))
    return re.compile("".join(out), re.DOTALL)


def _regex(token: Token, one: str, star: str) -> str:
    if token.star:
        return star
    if not token.chars:
        return one
    inner = "".join(re.escape(c) for c in sorted(token.chars))
    if len(token.chars) == 1 and not token.negated:
        return inner
    return f"[{'^' if token.negated else ''}{inner}]"


Unknown = str | None
"""What may stand in an unknown part: None for any text, else the characters that it is made of."""


def possible(globs: Sequence[tuple[Token, ...]], parts: Iterable[str | tuple[Unknown]]) -> tuple[bool, bool]:
    """Whether a text with unknown parts may match one of the globs, and whether it always does.

    ``parts``: known text as strings, an unknown part as a tuple of one. (True, False) where it costs too much.
    """
    alphabet = {c for glob in globs for token in glob for c in token.chars} | {"\ue001"}
    states = {_closed(globs, frozenset((k, 0) for k in range(len(globs))))}
    for part in parts:
        if isinstance(part, str):
            for char in part:
                states = {_step(globs, state, char) for state in states}
        else:
            chars = alphabet if part[0] is None else set(part[0])
            waiting = list(states)
            while waiting:
                state = waiting.pop()
                for char in chars:
                    after = _step(globs, state, char)
                    if after not in states:
                        states.add(after)
                        waiting.append(after)
                if len(states) > _LIMIT:
                    return True, False
    accepted = [any(at == len(globs[k]) for k, at in state) for state in states]
    return any(accepted), all(accepted)


State = frozenset[tuple[int, int]]


def _step(globs: Sequence[tuple[Token, ...]], state: State, char: str) -> State:
    after = set()
    for k, at in state:
        if at < len(globs[k]) and globs[k][at].takes(char):
            after.add((k, at if globs[k][at].star else at + 1))
    return _closed(globs, frozenset(after))


def _closed(globs: Sequence[tuple[Token, ...]], state: State) -> State:
    out = set(state)
    waiting = list(state)
    while waiting:
        k, at = waiting.pop()
        if at < len(globs[k]) and globs[k][at].star and (k, at + 1) not in out:
            out.add((k, at + 1))
            waiting.append((k, at + 1))
    return frozenset(out)
