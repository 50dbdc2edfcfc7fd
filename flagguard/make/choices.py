"""What a variable is where any of several arms may have run: what is the same in all, and a choice for the rest.

Pure functions on definitions. Nothing here knows which conditions are open (DESIGN 4.3, "past a bounded number").
"""

from collections.abc import Sequence

from flagguard.make.variables import Definition, Flavor
from flagguard.text import Decider, Hole, Piece, Traced

TOO_MANY = "it hangs on more open conditions than can be followed"
MOST = 8
"""Of how many texts one may be the value."""


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
    perhaps = len(known) < len(distinct)
    if len(known) > MOST or not _alike(known):
        return Definition(Traced((Piece(whole.text, hole=whole),)), origin=origin, perhaps=perhaps)
    nothing = [()] if perhaps else []
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


def _alike(definitions: Sequence[Definition]) -> bool:
    """Whether one flavor can say what each of them says."""
    if any(one.appends or one.private or one.perhaps for one in definitions):
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
