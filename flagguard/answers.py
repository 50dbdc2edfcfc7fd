"""Values against conditions, in three answers (DESIGN 5.1, 2): a word may have parts that nobody knows.

A condition holds when it holds for every content of the word's holes, fails when it holds for none, and is open
otherwise. Nothing here knows of tools or places; CPUs are compared in ``constraints``.
"""

import re
from collections.abc import Iterable
from enum import Enum
from functools import lru_cache

from flagguard import globs
from flagguard.patterns import expression
from flagguard.rules import Condition
from flagguard.text import HOLE_MARK, Decider, Shape, Traced


class Answer(Enum):
    """Whether something holds."""

    HOLDS = "holds"
    FAILS = "fails"
    OPEN = "open"

    def negated(self) -> "Answer":
        if self is Answer.OPEN:
            return self
        return Answer.FAILS if self is Answer.HOLDS else Answer.HOLDS


def any_of(answers: Iterable[Answer]) -> Answer:
    """Holds when one does; fails when all do."""
    found = Answer.FAILS
    for answer in answers:
        if answer is Answer.HOLDS:
            return answer
        if answer is Answer.OPEN:
            found = answer
    return found


def all_of(answers: Iterable[Answer]) -> Answer:
    """Fails when one does; holds when all do."""
    return any_of(answer.negated() for answer in answers).negated()


def decided_here(word: Traced) -> bool:
    """Whether the repository decides the content of one of the holes (DESIGN 5.1, 3)."""
    return any(hole.decider is Decider.REPOSITORY for hole in word.holes)


def blank(value: Traced) -> bool:
    """Whether nothing stands there: no known character and no hole."""
    return not value.text.strip()


def all_unknown(value: Traced) -> bool:
    """Whether no character of it is known: such a value meets nothing (DESIGN 5.1, 2)."""
    return bool(value.holes) and not value.text.replace(HOLE_MARK, "").strip()


def compare(condition: Condition, operand: tuple[str, ...], value: Traced) -> Answer:
    """Whether the value answers to the condition; not for ``at-most``."""
    if condition is Condition.PRESENT:
        return Answer.HOLDS
    if condition in (Condition.VALUE, Condition.ONE_OF, Condition.NOT):
        patterns = tuple(globs.literal(o) if condition is Condition.ONE_OF else globs.tokens(o) for o in operand)
        possible, certain = globs.possible(patterns, _parts(value))
        answer = Answer.HOLDS if certain else Answer.OPEN if possible else Answer.FAILS
        return answer.negated() if condition is Condition.NOT else answer
    if condition is Condition.CONTAINS:
        return _contains(operand, value)
    if condition is Condition.MATCHES:
        return _searched(operand[0], value)
    raise ValueError(f"{condition} has no answer here")


def _parts(value: Traced) -> list[str | tuple[str | None]]:
    """The known runs of characters, and for each hole what it may be made of."""
    parts: list[str | tuple[str | None]] = []
    for piece in value.pieces:
        if piece.hole is None:
            parts.append(piece.text)
        else:
            parts.append(("0123456789" if piece.hole.shape is Shape.NUMBER else None,))
    return parts


def _contains(operand: tuple[str, ...], value: Traced) -> Answer:
    """An item of a list, whole (DESIGN 5.1, 11); several operands: each of them."""
    items = set(re.split(r"[\s,;]+", value.text))
    if all(item in items for item in operand):
        return Answer.HOLDS
    return Answer.OPEN if value.holes else Answer.FAILS


_DEPENDS = expression(r"\\[bBAZ]|\(\?|(?<!\\)\$|(?<![\\\[])\^")
"""Parts of a pattern by which text beside a match can undo it: anchors, word edges, lookaround."""
_BEGINNING = expression(r"\^((?:[\w/ =;,-]|\\[.+*?$])+)(?![*?{+])")
"""Known text that a pattern asks for at the beginning."""


def _searched(pattern: str, value: Traced) -> Answer:
    """A regular expression, searched. Around holes, what is not proven is open."""
    compiled = _regex(pattern)
    if value.known:
        return Answer.HOLDS if compiled.search(value.text) else Answer.FAILS
    runs = value.text.split(HOLE_MARK)
    if not _DEPENDS.search(pattern):
        return Answer.HOLDS if any(run and compiled.search(run) for run in runs) else Answer.OPEN
    if pattern.startswith("^") and not _DEPENDS.search(pattern[1:]) and "|" not in pattern:
        if runs[0] and compiled.match(runs[0]):
            return Answer.HOLDS
        asked = _BEGINNING.match(pattern)
        known = re.sub(r"\\(.)", r"\1", asked[1]) if asked else ""
        size = min(len(known), len(runs[0]))
        if known[:size] != runs[0][:size]:
            return Answer.FAILS
    return Answer.OPEN


@lru_cache(maxsize=512)
def _regex(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
