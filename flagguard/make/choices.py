"""What a variable is where any of several arms may have run: what is the same in all, and a choice for the rest.

Pure functions on definitions. Nothing here knows which conditions are open (DESIGN 4.3, "past a bounded number").
"""

from collections.abc import Callable, Sequence

from flagguard.make.variables import Definition, Flavor
from flagguard.text import EMPTY, Decider, Hole, Piece, Traced
from flagguard.values import replace

TOO_MANY = "it hangs on more open conditions than can be followed"
MOST = 8
"""Of how many texts one may be the value."""
_UNDEFINED = Traced((Piece("", verbatim=True),))
"""Among the texts: it is none of them, for the variable is not defined."""


def merged(name: str, definitions: Sequence[Definition | None]) -> Definition | None:
    """The definition that stands for each of the given ones, ``None`` among them: it may be undefined.

    What is not defined expands to nothing (manual 6.2).
    """
    distinct = list(dict.fromkeys(definitions))
    if len(distinct) == 1:
        return distinct[0]
    known = [one for one in distinct if one is not None]
    origin = max(one.origin for one in known)
    whole = Hole(f"$({name})", TOO_MANY, Decider.REPOSITORY, name=name)
    perhaps = len(known) < len(distinct) or any(one.perhaps for one in known)
    if len(known) > MOST or not _alike(known):
        return Definition(Traced((Piece(whole.text, hole=whole),)), origin=origin, perhaps=perhaps)
    nothing = [_UNDEFINED.pieces] if len(known) < len(distinct) else []
    head, choices, tail = _parted([*(one.value.pieces for one in known), *nothing])
    if not head and not tail:
        one_of = Hole(whole.text, TOO_MANY, Decider.REPOSITORY, name=name, among=choices)
    else:
        one_of = Hole(f"$({name})", TOO_MANY, Decider.REPOSITORY, among=choices)
    value = Traced((*head, Piece(one_of.text, hole=one_of), *tail))
    recursive = any(one.recursive for one in known)
    flavor = Flavor.RECURSIVE if recursive else Flavor.SIMPLE
    conditional = any(one.conditional for one in known)
    return Definition(value, flavor, origin, conditional=conditional, chosen=recursive, perhaps=perhaps)


def defaulted(name: str, given: Definition, default: Definition) -> Definition | None:
    """What ``?=`` makes of a variable that may be undefined: only there its default counts."""
    value = _with_default(given.value, default.value)
    if value is None or not _alike((given, default)):
        either = merged(name, (given, default))
        return replace(either, perhaps=False) if either is not None else None
    recursive = given.recursive or default.recursive
    flavor = Flavor.RECURSIVE if recursive else Flavor.SIMPLE
    return replace(given, value=value, flavor=flavor, conditional=True, chosen=recursive, perhaps=False)


def _with_default(value: Traced, default: Traced) -> Traced | None:
    """``value`` with the default where it is not defined; None where it does not tell."""
    if value == _UNDEFINED:
        return default
    piece = value.pieces[0] if len(value.pieces) == 1 else None
    if piece is None or piece.hole is None:
        return None
    among = [(one, _with_default(one, default)) for one in piece.hole.among]
    if all(filled is None for _, filled in among):
        return None
    texts = tuple([one if filled is None else filled for one, filled in among])
    return Traced((replace(piece, hole=replace(piece.hole, among=texts)),))


def expanded(value: Traced, written: Traced, expand: Callable[[Traced], Traced]) -> Traced:
    """``value``, to which a definition was expanded, with the texts that the holes of the definition may be expanded.

    Those of the holes within them too.
    """
    raw = {id(piece.hole) for piece in written.pieces}
    return Traced(tuple([_filled(p, expand) if id(p.hole) in raw else p for p in value.pieces]))


def _filled(piece: Piece, expand: Callable[[Traced], Traced]) -> Piece:
    if piece.hole is None or not piece.hole.among:
        return piece
    texts = dict.fromkeys([expanded(expand(text), text, expand) if text.text else EMPTY for text in piece.hole.among])
    return replace(piece, hole=replace(piece.hole, among=tuple(texts)))


def _alike(definitions: Sequence[Definition]) -> bool:
    """Whether one flavor can say what each of them says."""
    if any(one.appends or one.private for one in definitions):
        return False
    simple = [one for one in definitions if not one.recursive]
    return len(simple) in (0, len(definitions)) or not any("$" in one.value.text for one in simple)


def _parted(
    values: Sequence[tuple[Piece, ...]],
) -> tuple[tuple[Piece, ...], tuple[Traced, ...], tuple[Piece, ...]]:
    """What all begin with, what each has there, and what all end with."""
    first, shortest = values[0], min(map(len, values))
    start = 0
    while start < shortest and all(value[start] == first[start] for value in values):
        start += 1
    end = 0
    while end < shortest - start and all(value[-1 - end] == first[-1 - end] for value in values):
        end += 1
    head, tail = first[:start], first[len(first) - end :]
    if not _balanced(head) or not _balanced(tail):
        return (), tuple(map(Traced, values)), ()
    middles = [value[start : len(value) - end] for value in values]
    if head and all(not middle or middle[0].text == " " for middle in middles):
        # the blank that `+=` puts between: what follows it is words of its own
        head = (*head, Piece(" "))
        middles = [middle[1:] for middle in middles]
    return head, tuple(map(Traced, middles)), tail


def _balanced(pieces: Sequence[Piece]) -> bool:
    """Whether no reference is cut in two."""
    text = Traced(tuple(pieces)).text
    return all(text.count(left) == text.count(right) for left, right in ("()", "{}")) and not text.endswith("$")
