"""A command with words of which a few texts are possible, as the commands that it may be (DESIGN 5.1, 2).

Pure. Nothing here knows tools or rules. Where there are too many, or a text would mean something to the shell, the word
stays a hole.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import product
from math import prod
from re import Pattern

from flagguard.command import Command, Word
from flagguard.patterns import expression
from flagguard.text import HOLE_MARK, Hole, Piece, Traced, join
from flagguard.values import replace

MOST = 16
"""As how many commands one is judged."""
_SPECIAL = expression(r"""['"\\$;|&<>()`*?\[\]#~{}\n]""")
"""What the shell would not take as it is."""
_BLANKS = expression(r"[ \t]+")
_IN_NAMES = frozenset("/.\\")


def variants(command: Command, heeded: Collection[str] | None = None) -> tuple[Command, ...]:
    """The commands that it may be; the command alone where it has no such words.

    ``heeded``: the variables that make a difference, if not all do.
    """
    texts_of = list(_texts(command, heeded))
    taken = _taken(_choices(texts_of), frozenset(command.argv[0].holes) if command.argv else frozenset())
    if not taken:
        return (command,)
    numbers = {hole: number for number, hole in enumerate(taken)}
    # to hash a hole with all its texts costs much: each that stands in the command is told by its identity
    holes = {id(p.hole): p.hole for word in texts_of for p in word.pieces if p.hole is not None and p.hole.among}
    at = {key: numbers[hole] for key, hole in holes.items() if hole in numbers}
    return tuple(_with(command, {k: texts[n] for k, n in at.items()}) for texts in product(*taken.values()))


_Ways = tuple[tuple[Traced, ...], ...]
"""The texts of a hole: with those of the holes within them, and as they are."""


def _taken(choices: Mapping[Hole, _Ways], program: frozenset[Hole]) -> dict[Hole, tuple[Traced, ...]]:
    """The texts of as many holes as there is room for; holes within them where room is left, in the program's first."""
    taken: dict[Hole, tuple[Traced, ...]] = {}
    size = 1
    for hole, ways in choices.items():
        tried = ways if hole in program else ways[-1:]
        texts = next((one for one in tried if size * len(one) <= MOST), None)
        if texts is not None:
            size *= len(texts)
            taken[hole] = texts
    for hole, texts in taken.items():
        within = choices[hole][0]
        if size // len(texts) * len(within) <= MOST:
            size = size // len(texts) * len(within)
            taken[hole] = within
    return taken


def could_hold(text: Traced, forms: Collection[str]) -> bool:
    """Whether a hole of the text may hold a word that is, or goes with, an option written in one of the forms."""
    return _could_hold(text, _told_by(frozenset(forms)))


_Forms = tuple[Pattern[str], frozenset[str]]
"""What holds one of the forms, and what one begins with."""


@lru_cache(512)
def _told_by(forms: frozenset[str]) -> _Forms:
    # `-Wp,-c`, but not `-fsigned-char`
    within = re.compile(f"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, forms))})" if forms else "(?!)")
    return within, frozenset(form[:end] for form in forms for end in range(1, len(form) + 1))


def _could_hold(text: Traced, forms: _Forms) -> bool:
    return any(not hole.among or any(_speaks(one, forms) for one in hole.among) for hole in text.holes)


def _speaks(text: Traced, forms: _Forms) -> bool:
    pattern, beginnings = forms
    holes = iter(text.holes)
    for word in text.text.split():
        within = [next(holes) for mark in word if mark == HOLE_MARK] if HOLE_MARK in word else ()
        begins = word.split(HOLE_MARK, maxsplit=1)[0] if within else word
        known = word.replace(HOLE_MARK, "") if within else word
        if word.startswith("@") or begins in beginnings or pattern.search(known):
            return True
        # what is glued to the end of a word is no option of its own, and a word with a folder or an ending is a file
        if (
            within
            and not begins
            and not _IN_NAMES & set(known)
            and _could_hold(Traced((Piece(within[0].text, hole=within[0]),)), forms)
        ):
            return True
    return False


def _choices(texts: Collection[Traced]) -> Mapping[Hole, _Ways]:
    """The texts of each hole that the shell takes as they are."""
    holes = dict.fromkeys(p.hole for word in texts for p in word.pieces if p.hole and p.hole.among)
    known = {hole: tuple(dict.fromkeys((_distinct(_inner(hole.among)), _distinct(hole.among)))) for hole in holes}
    return {hole: ways for hole, ways in known.items() if not any(_SPECIAL.search(text.text) for text in ways[0])}


def _distinct(texts: tuple[Traced, ...]) -> tuple[Traced, ...]:
    """One for all that say the same, wherever they stand."""
    return tuple({(text.text, text.holes): text for text in reversed(texts)}.values())[::-1]


def _inner(among: tuple[Traced, ...]) -> tuple[Traced, ...]:
    found: dict[Traced, None] = {}
    for text in among:
        parts = [_inner(p.hole.among) if p.hole and p.hole.among else (Traced((p,)),) for p in text.pieces]
        if prod(map(len, parts)) + len(found) > MOST:
            return among
        found.update(dict.fromkeys(map(join, product(*parts))))
    return tuple(found)


def _texts(command: Command, heeded: Collection[str] | None) -> Iterator[Traced]:
    yield from command.argv
    for values in (command.env, command.configured):
        yield from (value for name, value in values.items() if heeded is None or name in heeded)


_Texts = Mapping[int, Traced]
"""By the identity of a hole: the text that takes its place."""


def _with(command: Command, texts: _Texts) -> Command:
    argv = tuple(word for given in command.argv for word in _words(given, texts))
    if not argv:
        return command
    return replace(
        command, argv=argv, env=_all_filled(command.env, texts), configured=_all_filled(command.configured, texts)
    )


def _all_filled(values: Mapping[str, Traced], texts: _Texts) -> Mapping[str, Traced]:
    if not any(_has(value, texts) for value in values.values()):
        return values
    return {n: Traced(tuple(_filled(value, texts))) if _has(value, texts) else value for n, value in values.items()}


def _has(text: Traced, texts: _Texts) -> bool:
    return any([id(piece.hole) in texts for piece in text.pieces])  # noqa: C419


def _filled(text: Traced, texts: _Texts) -> Iterator[Piece]:
    for piece in text.pieces:
        filled = texts.get(id(piece.hole))
        yield from (piece,) if filled is None else filled.through(piece.route).pieces


def _words(word: Word, texts: _Texts) -> Iterator[Word]:
    """The words that one becomes: a text that is not quoted is split at its blanks."""
    if not _has(word, texts):
        yield word
        return
    current: list[Piece] | None = None
    for piece in word.pieces:
        filled = texts.get(id(piece.hole))
        if filled is None or piece.hole is None:
            current = [*(current or ()), piece]
        elif not piece.hole.several:
            current = [*(current or ()), *filled.through(piece.route).pieces]
        else:
            for blank, part in _split(filled):
                if blank:
                    if current is not None:
                        yield Word(tuple(current), word.written)
                    current = None
                else:
                    current = [*(current or ()), *part.through(piece.route).pieces]
    if current is not None:
        yield Word(tuple(current), word.written)


def _split(text: Traced) -> Iterator[tuple[bool, Traced]]:
    """The runs of blanks, and what stands between them."""
    at = 0
    for found in _BLANKS.finditer(text.text):
        if found.start() > at:
            yield False, text.cut(at, found.start())
        yield True, text.cut(found.start(), found.end())
        at = found.end()
    if at < len(text):
        yield False, text.cut(at, len(text))
