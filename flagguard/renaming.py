"""Parts with computed names: which name under a call is which name where the file is read for itself.

`$(OUT)/app` is `build/app` in the one and `dist/app` in the other: the same part of the file. A reader tells what its
computed names come to, by the place where they are written; two such lists are compared here. Knows no format.
"""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

NAMED = "\1"
"""Before the list of the computed names, where the name of a part stands."""
GOAL = " goal "
"""Between a part and the one whose values it takes over."""
_Groups = Mapping[str, Sequence[str]]


def written(places: _Groups, implied: _Groups) -> str:
    """The names at each place, in their order, and what each part needs by no rule of its own, as one text."""
    if not any(places.values()):
        return ""
    return NAMED + json.dumps([places, implied], separators=(",", ":"), sort_keys=True)


@lru_cache(maxsize=1024)
def renamed(alone: str, called: str) -> Mapping[str, str]:
    """Of the names under the call those that are others where the file is read for itself, with these."""
    if alone == called:
        return {}
    (here, own), (there, needs) = (json.loads(text[len(NAMED) :]) for text in (alone, called))
    kept, known = (
        frozenset(name for groups in both for names in groups.values() for name in names)
        for both in ((here, own), (there, needs))
    )
    found: dict[str, str] = {}

    def pair(ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
        if not ours or ours == theirs:
            return []
        pairs = _paired([n for n in ours if n not in known], [n for n in theirs if n not in kept | found.keys()])
        found.update(pairs)
        return list(pairs)

    for place, names in there.items():
        pair(here.get(place, ()), names)
    pending = list(needs)
    while pending:
        name = pending.pop()
        pending += pair(own.get(found.get(name, name), ()), needs.get(name, ()))
    return found


def _paired(ours: Sequence[str], theirs: Sequence[str]) -> dict[str, str]:
    """Those that end alike; of the rest the first is the first, where they are equally many."""
    ours, theirs = list(dict.fromkeys(ours)), list(dict.fromkeys(theirs))
    ends = [Counter(map(_end, names)) for names in (ours, theirs)]
    by_end = {_end(name): name for name in ours}
    pairs = {name: by_end[end] for name in theirs if all(count[end := _end(name)] == 1 for count in ends)}
    taken = frozenset(pairs.values())
    ours, theirs = [n for n in ours if n not in taken], [n for n in theirs if n not in pairs]
    return {**pairs, **dict(zip(theirs, ours, strict=True))} if len(ours) == len(theirs) else pairs


def _end(name: str) -> str:
    return name.rpartition("/")[2]


def unit(name: str, other: Mapping[str, str]) -> str:
    """The name of a part with its computed names replaced."""
    part, goal, of = name.partition(GOAL)
    return f"{other.get(part, part)}{goal}{other.get(of, of)}"


def among(name: str, parts: Collection[str]) -> bool:
    """Whether a part is one of those; with the values of another part: whether both are, in whatever order."""
    if name in parts or GOAL not in name:
        return name in parts
    part, _, of = name.partition(GOAL)
    return part in parts and of in parts
