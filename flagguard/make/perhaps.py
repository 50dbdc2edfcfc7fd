"""Which files of a makefile a name may be that is not known in full.

Pure functions on names. Knows no rules and no worlds.
"""

from collections.abc import Iterable
from itertools import product

from flagguard.make.holes import could_be
from flagguard.make.lines import words
from flagguard.text import Traced, join

MOST = 32
"""How many texts one name may be before it counts as any text."""


def meant(name: Traced, files: Iterable[Traced]) -> list[Traced]:
    """The names that it may be: those that its holes tell and, of ``files``, those that may be the same."""
    texts = _texts(name)
    if texts is None:
        return [file for file in files if not file.known or could_be(name.text, file.text)]
    found = {word.text: word for text in texts for word in words(text)}
    return [*found.values(), *(file for file in files if not file.known and _may_be(file, found))]


def _may_be(file: Traced, known: Iterable[str]) -> bool:
    texts = _texts(file)
    if texts is None:
        return any(could_be(file.text, one) for one in known)
    return not {word.text for text in texts for word in words(text)}.isdisjoint(known)


def _texts(text: Traced) -> list[Traced] | None:
    """The texts of which it is one; None where nobody knows them, or they are too many."""
    parts: list[list[Traced]] = []
    count = 1
    for piece in text.pieces:
        if piece.hole is None:
            inner = [Traced((piece,))]
        else:
            among = [_texts(one) if "$" not in one.text else None for one in piece.hole.among] or [None]
            if None in among:
                return None
            inner = [found.through(piece.route) for some in among for found in some or ()]
        parts.append(inner)
        count *= len(inner)
        if count > MOST:
            return None
    return [join(chosen) for chosen in product(*parts)]
