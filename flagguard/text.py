"""Text that knows where it stands: spans, files, traced strings, edits.

A :class:`Traced` is a string of which every character knows the way from the place where it is used to the place
where it is written. Hosts hand out scripts as traced strings, the shell cuts words out of them, and whatever a word
came to can be pointed at, or edited, in its file. Nothing here knows of hosts, shells or rules.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from enum import Enum

from flagguard.values import cached_property, dataclass, field, replace


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Characters ``start`` to ``end`` (exclusive, 0-based) of the file ``path`` (relative to the root, with ``/``)."""

    path: str
    start: int
    end: int

    def cut(self, start: int, end: int) -> "Span":
        """Characters ``start`` to ``end`` of this span."""
        return Span(self.path, self.start + start, self.start + end)


_DEEPEST = 32
"""Steps of a route; of a longer one (`V="$V x"` again and again) the middle is left out."""
Route = tuple[Span, ...]
"""From the outermost use inwards to the text as written: the ``$cpu`` of a command, then its assignment's value."""


def moved(span: Span, move: tuple[Span, Span]) -> Span:
    """The span, which stands within the first of two that say the same, in the second; any other as it is."""
    here, there = move
    if span.path != here.path or span.start < here.start or span.end > here.end:
        return span
    by = there.start - here.start
    return Span(there.path, span.start + by, span.end + by)


class Decider(Enum):
    """Who decides what a hole holds."""

    OUTSIDE = "outside"
    """The caller, the user, the machine: a variable of the environment, a positional parameter, `$HOME`."""
    REPOSITORY = "repository"
    """Something in the tree that the reader cannot see through: `$(cat flags)`, an unread file, an unknown function."""


class Shape(Enum):
    """What is known of a hole's content all the same."""

    ANY = "any"
    PATH = "path"
    """A file name or a path: never an option."""
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Hole:
    """Something that cannot be known statically.

    ``text`` is how the source writes it (``$(git describe)``), ``reason`` why it is not known, as half a sentence
    ("the output of a command", "nothing in the repository sets it").
    """

    text: str
    reason: str
    decider: Decider = Decider.OUTSIDE
    shape: Shape = Shape.ANY
    name: str | None = None
    """The variable that it is the value of, if it is that."""
    path: str | None = None
    """The file or folder of the tree that it surely names, relative to the root: `$(dirname "$0")`, `$PWD`."""
    file: str | None = None
    """The file of the tree of which it is the text: `$(cat FILE)`, `< FILE`."""
    among: "tuple[Traced, ...]" = ()
    """Where that is known: the texts of which it is one."""
    several: bool = False
    """Among the words of a command: it may be any number of them, or none."""


HOLE_MARK = "\ue000"
"""Stands for one hole in the text of a :class:`Traced`; a word character to every parser."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of characters of one origin, or one hole.

    ``verbatim``: the last span of ``route`` is as long as ``text`` and says the same, character by character; else the
    whole of it stands for the whole of ``text`` (an escape sequence, a folded line). An empty route: no file says it
    (make's own ``CC = cc``).
    """

    text: str
    route: Route = ()
    verbatim: bool = False
    hole: Hole | None = None
    overridable: bool = False
    """A default (`${V:-x}`, `?=`, `ARG`) that somebody outside may replace."""
    unset: str | None = None
    """With an empty ``text``: a variable that nobody in the repository sets was expanded here to nothing."""

    def cut(self, start: int, end: int) -> "Piece":
        if self.hole is not None or (start <= 0 and end >= len(self.text)):
            return self
        route = self.route
        if self.verbatim and route:
            last = route[-1]
            route = (*route[:-1], Span(last.path, last.start + start, last.start + end))
        return Piece(self.text[start:end], route, self.verbatim, None, self.overridable, self.unset)


@dataclass(frozen=True)
class Traced:
    """An immutable string made of pieces. ``text`` has :data:`HOLE_MARK` where a hole is."""

    pieces: tuple[Piece, ...] = ()

    @cached_property
    def text(self) -> str:
        pieces = self.pieces
        if len(pieces) == 1:
            return pieces[0].text if pieces[0].hole is None else HOLE_MARK
        return "".join([HOLE_MARK if p.hole is not None else p.text for p in pieces])

    @cached_property
    def _starts(self) -> list[int]:
        starts, at = [], 0
        for piece in self.pieces:
            starts.append(at)
            at += 1 if piece.hole is not None else len(piece.text)
        return starts

    def __len__(self) -> int:
        return len(self.text)

    def __bool__(self) -> bool:
        return bool(self.text)

    def __add__(self, other: "Traced") -> "Traced":
        return Traced(self.pieces + other.pieces)

    @property
    def shown(self) -> str:
        """The text with each hole as its source wrote it."""
        pieces = self.pieces
        if len(pieces) == 1:
            return pieces[0].text if pieces[0].hole is None else pieces[0].hole.text
        return "".join([p.hole.text if p.hole is not None else p.text for p in pieces])

    @property
    def holes(self) -> tuple[Hole, ...]:
        return tuple([p.hole for p in self.pieces if p.hole is not None])

    @property
    def known(self) -> bool:
        for piece in self.pieces:  # noqa: SIM110  (a generator takes longer)
            if piece.hole is not None:
                return False
        return True

    @property
    def several(self) -> bool:
        """Whether it stands for a number of words that nobody knows."""
        return any([p.hole is not None and p.hole.several for p in self.pieces])  # noqa: C419

    def one(self) -> "Traced":
        """The text as one word."""
        if not self.several:
            return self
        return Traced(tuple(replace(p, hole=replace(p.hole, several=False)) if p.hole else p for p in self.pieces))

    def cut(self, start: int, end: int) -> "Traced":
        """Characters ``start`` to ``end`` (a hole counts as one)."""
        if start >= end:
            return EMPTY
        if len(self.pieces) == 1:
            piece = self.pieces[0]
            size = len(piece.text) if piece.hole is None else 1
            if start <= 0 and end >= size:
                return self if size else EMPTY
            return Traced((piece.cut(max(start, 0), min(end, size)),)) if start < size else EMPTY
        out = []
        starts = self._starts
        for i in range(max(bisect_right(starts, start) - 1, 0), len(self.pieces)):
            at = starts[i]
            if at >= end:
                break
            piece = self.pieces[i]
            size = 1 if piece.hole is not None else len(piece.text)
            if at + size > start:
                out.append(piece.cut(max(start - at, 0), min(end - at, size)))
        return Traced(tuple(out))

    def marks(self, at: int) -> "Traced":
        """The unset variables that were expanded to nothing just before character ``at``."""
        if not any([p.unset is not None and not p.text for p in self.pieces]):  # noqa: C419
            return EMPTY
        places = zip(self._starts, self.pieces, strict=True)
        return Traced(tuple(p for start, p in places if start == at and not p.text and p.hole is None and p.unset))

    @property
    def route(self) -> Route:
        """The way to the text as one route; ``()`` where no file says it.

        Where it comes from several places, the route ends at the last use that they share, widened over all of them.
        """
        return shared_route(self.pieces)

    def through(self, route: Route) -> "Traced":
        """The same text, seen from a use at ``route``."""
        if not route:
            return self
        pieces = [Piece(p.text, route + p.route, p.verbatim, p.hole, p.overridable, p.unset) for p in self.pieces]
        if pieces and max([len(p.route) for p in pieces]) > _DEEPEST:
            half = _DEEPEST // 2
            shorter = (p.route if len(p.route) <= _DEEPEST else p.route[:half] + p.route[-half:] for p in pieces)
            pieces = [
                Piece(p.text, r, p.verbatim, p.hole, p.overridable, p.unset)
                for p, r in zip(pieces, shorter, strict=True)
            ]
        return Traced(tuple(pieces))

    def grounded(self, route: Route) -> "Traced":
        """The same text, in which what no file says stands at ``route``: a command must have a place."""
        if all([p.route or not p.text for p in self.pieces]):  # noqa: C419  (a list is faster than a generator)
            return self
        pieces = [p if p.route else Piece(p.text, route, False, p.hole, p.overridable, p.unset) for p in self.pieces]
        return Traced(tuple(pieces))

    def moved(self, move: tuple[Span, Span]) -> "Traced":
        """The same text, used where the second span says what the first one says."""
        return Traced(
            tuple(
                [
                    Piece(p.text, tuple([moved(s, move) for s in p.route]), p.verbatim, p.hole, p.overridable, p.unset)
                    for p in self.pieces
                ]
            )
        )

    def overridable(self) -> "Traced":
        """The same text as a default that somebody outside may replace."""
        return Traced(tuple([Piece(p.text, p.route, p.verbatim, p.hole, True, p.unset) for p in self.pieces]))


EMPTY = Traced()


def shared_route(pieces: Iterable[Piece]) -> Route:
    """One route for several pieces: their common uses, then one span over where they part (in one file)."""
    routes = [p.route for p in pieces if p.route]
    if not routes:
        return ()
    first, rest = routes[0], routes[1:]
    if not rest:
        return first
    depth = 0
    while all(len(r) > depth and r[depth] == first[depth] for r in routes if len(first) > depth) and len(first) > depth:
        depth += 1
    if depth == len(first):
        return first
    parted = [r[depth] for r in routes if len(r) > depth and r[depth].path == first[depth].path]
    if len(parted) < len(routes):
        return first[:depth]
    return (*first[:depth], Span(first[depth].path, min(s.start for s in parted), max(s.end for s in parted)))


def compact(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """The pieces with neighbours joined that continue each other in one file."""
    out: list[Piece] = []
    for piece in pieces:
        last = out[-1] if out else None
        if (
            last is not None
            and last.verbatim
            and piece.verbatim
            and last.route[-1].end == piece.route[-1].start
            and last.route[:-1] == piece.route[:-1]
            and last.route[-1].path == piece.route[-1].path
            and last.overridable == piece.overridable
        ):
            span = Span(last.route[-1].path, last.route[-1].start, piece.route[-1].end)
            route = (*last.route[:-1], span)
            out[-1] = Piece(last.text + piece.text, route, True, None, last.overridable, last.unset)
        elif piece.text or piece.hole is not None or piece.unset is not None:
            out.append(piece)
    return tuple(out)


def literal(text: str, span: Span | None = None) -> Traced:
    """``text`` as it stands at ``span``, or, without a span, as no file says it."""
    if not text:
        return Traced()
    if HOLE_MARK in text:
        # A character for private use that the file itself holds is no hole.
        text = text.replace(HOLE_MARK, "\ufffd")
    if span is None:
        return Traced((Piece(text),))
    return Traced((Piece(text, (span,), verbatim=span.end - span.start == len(text)),))


def hole(hole: Hole, route: Route = ()) -> Traced:
    """One hole."""
    return Traced((Piece(hole.text, route, hole=hole),))


_LONGEST = 100_000
_MOST_PIECES = 4_000


def too_long(text: Traced) -> bool:
    """Whether a value is longer than anybody writes: values that are made of values may double with each."""
    return len(text.text) > _LONGEST or len(text.pieces) > _MOST_PIECES


def join(parts: Iterable[Traced]) -> Traced:
    """The parts one after another."""
    return Traced(tuple(p for part in parts for p in part.pieces))


@dataclass(frozen=True)
class SourceText:
    """One file, decoded (UTF-8; bytes that are not UTF-8 as surrogate escapes, so that edits write them back).

    Line ends stay as they are in the file.
    """

    path: str
    text: str

    @cached_property
    def _lines(self) -> list[int]:
        starts, at = [0], self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column (both 1-based; columns count characters) of ``offset``."""
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of line ``number`` (1-based) without its end."""
        start = self._lines[number - 1]
        end = self._lines[number] if number < len(self._lines) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def offset(self, line: int, column: int = 1) -> int:
        return self._lines[line - 1] + column - 1

    def traced(self, start: int = 0, end: int | None = None) -> Traced:
        """Characters ``start`` to ``end`` of the file, verbatim."""
        end = len(self.text) if end is None else end
        return literal(self.text[start:end], Span(self.path, start, end))


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace ``span`` by ``text``."""

    span: Span
    text: str


def apply(text: str, edits: Sequence[Edit]) -> str:
    """``text`` with the edits made; they may not overlap."""
    for edit in sorted(edits, key=lambda e: e.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """Something that could not be read or decided: it makes the exit status 2."""

    path: str
    line: int
    message: str
    key: str | None = field(default=None, compare=False)
    fatal: bool = field(default=True, compare=False)
    """False: told, but the exit status is not 2 for it alone."""
