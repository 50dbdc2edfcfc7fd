"""A command with words of which a few texts are possible, as the commands that it may be (DESIGN 5.1, 2).

Pure. Nothing here knows tools or rules. Where there are too many, or a text would mean something to the shell, the word
stays a hole.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import product

from flagguard.command import Command, Word
from flagguard.patterns import expression
from flagguard.text import HOLE_MARK, Hole, Piece, Traced
from flagguard.values import replace

MOST = 16
"""As how many commands one is judged."""
_SPECIAL = expression(r"""['"\\$;|&<>()`*?\[\]#~{}\n]""")
"""What the shell would not take as it is."""
_BLANKS = expression(r"[ \t]+")


def variants(command: Command) -> tuple[Command, ...]:
    """The commands that it may be; the command alone where it has no such words."""
    taken: dict[Hole, tuple[Traced, ...]] = {}
    size = 1
    for hole, texts in _choices(command).items():  # the program's first
        if size * len(texts) <= MOST:
            size *= len(texts)
            taken[hole] = texts
    if not taken:
        return (command,)
    return tuple(_with(command, dict(zip(taken, texts, strict=True))) for texts in product(*taken.values()))


def could_hold(text: Traced, forms: Collection[str]) -> bool:
    """Whether a hole of the text may hold a word that is, or goes with, an option written in one of the forms."""
    return any(not hole.among or any(_speaks(one, forms) for one in hole.among) for hole in text.holes)


def _speaks(text: Traced, forms: Collection[str]) -> bool:
    words = text.text.replace(HOLE_MARK, " ").split()
    if any(word.startswith("@") or any(form in word or form.startswith(word) for form in forms) for word in words):
        return True
    return bool(text.holes) and could_hold(text, forms)


def _choices(command: Command) -> Mapping[Hole, tuple[Traced, ...]]:
    holes = dict.fromkeys(
        p.hole for word in (*command.argv, *command.env.values()) for p in word.pieces if p.hole and p.hole.among
    )
    return {hole: hole.among for hole in holes if not any(_SPECIAL.search(text.text) for text in hole.among)}


def _with(command: Command, texts: Mapping[Hole, Traced]) -> Command:
    argv = tuple(word for given in command.argv for word in _words(given, texts))
    if not argv:
        return command
    env = {name: Traced(tuple(_filled(value, texts))) for name, value in command.env.items()}
    return replace(command, argv=argv, env=env)


def _filled(text: Traced, texts: Mapping[Hole, Traced]) -> Iterator[Piece]:
    for piece in text.pieces:
        filled = texts.get(piece.hole) if piece.hole is not None else None
        yield from (piece,) if filled is None else filled.through(piece.route).pieces


def _words(word: Word, texts: Mapping[Hole, Traced]) -> Iterator[Word]:
    """The words that one becomes: a text that is not quoted is split at its blanks."""
    if not any(piece.hole in texts for piece in word.pieces):
        yield word
        return
    current: list[Piece] | None = None
    for piece in word.pieces:
        filled = texts.get(piece.hole) if piece.hole is not None else None
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
