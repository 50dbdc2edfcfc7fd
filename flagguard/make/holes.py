"""Holes as make's expansion makes them, and what can be said of text that has some. Pure functions on traced text."""

import re
from enum import Enum

from flagguard.text import HOLE_MARK, Decider, Hole, Piece, Route, Shape, Traced, hole


def through(value: Traced, route: Route) -> Traced:
    """``value`` seen from a use at ``route``."""
    if not route or not value.pieces:
        return value
    pieces = [Piece(p.text, route + p.route, p.verbatim, p.hole, p.overridable, p.unset) for p in value.pieces]
    return Traced(tuple(pieces))


def variable_hole(name: str) -> Hole:
    return Hole(f"$({name})", "nothing in the repository sets it", name=name)


def unknown(written: Traced, reason: str, *causes: Traced, decider: Decider | None = None) -> Traced:
    """A hole for ``written``; who decides it follows from the holes of ``causes``."""
    if decider is None:
        holes = [h for cause in causes for h in cause.holes]
        outside = holes and all(h.decider is Decider.OUTSIDE for h in holes)
        decider = Decider.OUTSIDE if outside else Decider.REPOSITORY
    return hole(Hole(written.shown, reason, decider))


class Fit(Enum):
    """Whether text fits a pattern, whatever its holes hold."""

    YES = "yes"
    NO = "no"
    MAYBE = "maybe"


def many(word: Traced) -> bool:
    """Whether the word may be several words, or none: it is one hole, of anything."""
    return len(word.pieces) == 1 and word.pieces[0].hole is not None and word.pieces[0].hole.shape is Shape.ANY


def fits(prefix: str, suffix: str | None, word: str) -> Fit:
    """Whether ``word`` (holes as marks) is ``prefix`` + anything + ``suffix``; with no suffix: just ``prefix``."""
    if HOLE_MARK not in word:
        if suffix is None:
            return Fit.YES if word == prefix else Fit.NO
        long_enough = len(word) >= len(prefix) + len(suffix)
        return Fit.YES if long_enough and word.startswith(prefix) and word.endswith(suffix) else Fit.NO
    head, tail = word.split(HOLE_MARK, 1)[0], word.rsplit(HOLE_MARK, 1)[1]
    if suffix is not None and len(head) >= len(prefix) and len(tail) >= len(suffix):
        return Fit.YES if head.startswith(prefix) and tail.endswith(suffix) else Fit.NO
    if suffix is None:
        return Fit.MAYBE if could_be(word, prefix) else Fit.NO
    head_fits = head.startswith(prefix) or prefix.startswith(head)
    tail_fits = tail.endswith(suffix) or suffix.endswith(tail)
    return Fit.MAYBE if head_fits and tail_fits else Fit.NO


def could_be(text: str, other: str) -> bool:
    """Whether ``text`` (holes as marks) could be ``other``, which has none."""
    parts = text.split(HOLE_MARK)
    return re.fullmatch(".*".join(re.escape(p) for p in parts), other, re.S) is not None
