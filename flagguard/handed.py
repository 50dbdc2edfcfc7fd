"""What a call hands over, with the places of its words taken off and put back.

Calls that say the same come to the same, but for the places in the files that their words and values stem from. So the
words get marks for places, what they come to is kept, and each caller's own places are put where the marks are. Knows
no formats and no files.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import chain

from flagguard.command import Command, Word
from flagguard.text import Piece, Route, Span, Traced, shared_route
from flagguard.values import replace

MARK = "\ue001"
"""Stands for a file's path; no file is called so."""


class Handed:
    """The words and the environment of one command."""

    def __init__(self, command: Command) -> None:
        self._pieces: list[Piece] = []
        self._starts: list[int] = []
        self._words: dict[tuple[int, int], Span | None] = {}
        self._envs: dict[int, tuple[Mapping[str, Traced], Mapping[str, Traced]]] = {}
        self._at = 0
        argv = tuple(map(self._word, command.argv))
        env = {name: Traced(self._taken(value)) for name, value in sorted(command.env.items())}
        self.command = replace(command, argv=argv, env=env)
        """The command with marks."""

    def _taken(self, text: Traced) -> tuple[Piece, ...]:
        out = []
        for piece in text.pieces:
            if not piece.route:
                out.append(piece)
                continue
            end = self._at + max(len(piece.text), 1)
            self._starts.append(self._at)
            self._pieces.append(piece)
            plain = piece.hole is None and bool(piece.text)
            out.append(replace(piece, route=(Span(MARK, self._at, end),), verbatim=plain))
            self._at = end + 1  # pieces that stand side by side stay two
        return tuple(out)

    def _word(self, word: Word) -> Word:
        start = self._at
        pieces = self._taken(word)
        if self._at == start:
            return Word(pieces)
        self._words[start, self._at] = word.written
        return Word(pieces, Span(MARK, start, self._at) if word.written is not None else None)

    # -- back

    def command_of(self, command: Command) -> Command:
        """A command that came of the marked one, with the caller's places; the command itself where it has no marks."""
        argv = tuple(map(self._word_of, command.argv))
        wrappers = tuple(tuple(map(self._word_of, words)) for words in command.wrappers)
        env = self._env_of(command.env)
        span, via = self._site(command.span), tuple(map(self._site, command.via))
        same = span is command.span and env is command.env and via == command.via
        if same and argv == command.argv and wrappers == command.wrappers:
            return command
        extent = self._site(command.extent)
        return replace(command, argv=argv, wrappers=wrappers, env=env, span=span, extent=extent, via=via)

    def _env_of(self, env: Mapping[str, Traced]) -> Mapping[str, Traced]:
        known = self._envs.get(id(env))
        if known is None:
            back = env
            if _marked_values(env):
                back = {name: Traced(self._pieces_of(value)) for name, value in env.items()}
            known = self._envs[id(env)] = (env, back)  # kept there, so that no other gets its id
        return known[1]

    def _word_of(self, word: Word) -> Word:
        written = word.written
        if not _marked_word(word):
            return word
        if written is not None and written.path == MARK:
            written = self._written(written)
        return Word(self._pieces_of(word), written)

    def _pieces_of(self, text: Traced) -> tuple[Piece, ...]:
        return tuple(self._piece_of(piece) if _marked(piece) else piece for piece in text.pieces)

    def _piece_of(self, piece: Piece) -> Piece:
        route: list[Span] = []
        verbatim = piece.verbatim
        for index, span in enumerate(piece.route):
            if span.path != MARK:
                route.append(span)
                continue
            found, exact = self._route(span)
            route += found
            if index == len(piece.route) - 1:
                verbatim = verbatim and exact
        return replace(piece, route=tuple(route), verbatim=verbatim)

    def _route(self, span: Span) -> tuple[Route, bool]:
        """Where a mark's text stems from, and whether it says the same there."""
        first, last = bisect_right(self._starts, span.start) - 1, bisect_right(self._starts, max(span.end - 1, 0)) - 1
        if first != last:
            return shared_route(self._pieces[max(first, 0) : last + 1]), False
        piece = self._pieces[first]
        start = self._starts[first]
        cut = piece.cut(span.start - start, span.end - start)
        return cut.route, cut.verbatim

    def _written(self, span: Span) -> Span | None:
        """The source text of a whole word, or of the part of one that became a word."""
        if (span.start, span.end) in self._words:
            return self._words[span.start, span.end]
        route = self._route(span)[0]
        return route[-1] if route else None

    def _site(self, span: Span) -> Span:
        """Where a command stands whose program the caller hands over."""
        if span.path != MARK:
            return span
        return self._written(span) or self.command.span


def marked(commands: Sequence[Command]) -> tuple[int, ...]:
    """Which of the commands have marks."""
    envs: dict[int, bool] = {}
    found = []
    for index, command in enumerate(commands):
        known = envs.get(id(command.env))
        if known is None:
            known = envs[id(command.env)] = _marked_values(command.env)
        spans = (command.span, command.extent, *command.via)
        words = (command.argv, *command.wrappers)
        if known or any(s.path == MARK for s in spans) or any(map(_marked_word, chain.from_iterable(words))):
            found.append(index)
    return tuple(found)


def _marked_word(word: Word) -> bool:
    return (word.written is not None and word.written.path == MARK) or any(map(_marked, word.pieces))


def _marked_values(env: Mapping[str, Traced]) -> bool:
    return any(_marked(piece) for value in env.values() for piece in value.pieces)


def _marked(piece: Piece) -> bool:
    return any([span.path == MARK for span in piece.route])  # noqa: C419  (a list is faster than a generator)
