"""Who is run by whom: which parts of the tree's files some call reaches, so that they are not judged as if run alone.

Parts are named by their file and their name in it (a make target, a task; "" for a whole script). Knows no commands.
"""

from collections.abc import Iterable

from flagguard.renaming import NAMED, renamed, unit
from flagguard.text import Span

Part = tuple[str, str]
"""A file's path, and the name of the part."""


def reached(calls: Iterable[tuple[Part, Part]]) -> frozenset[Part]:
    """The parts that others run. Of parts that only run each other, the first counts as run by nobody."""
    runs: dict[Part, set[Part]] = {}
    for caller, called in calls:
        if caller != called:
            runs.setdefault(caller, set()).add(called)
    called_ones = set[Part]().union(*runs.values()) if runs else set()
    alone = [part for part in sorted(runs) if part not in called_ones]
    seen: set[Part] = set()
    for start in [*alone, *sorted(called_ones & runs.keys())]:
        if start in seen:
            continue
        # all that it runs, by calls of calls too; what a part runs that is called with other values does not count
        seen |= runs[start] - {start}
    return frozenset(seen)


ALONE = "\0"
"""Before the name of a caller: by itself, so that what it runs counts as run alone where nobody calls it."""
Share = tuple[frozenset[Span], frozenset[str]]
"""Of one file: the places and the parts that others run."""


def left_out(
    files: Iterable[tuple[str, Iterable[Span], Iterable[tuple[str, Part]]]],
) -> dict[str, Share]:
    """What others run of each file, from each file's path, the places that it reaches without a call, and its calls."""
    spans: dict[str, set[Span]] = {}
    calls: list[tuple[Part, Part]] = []
    for path, places, called in files:
        for span in places:
            spans.setdefault(span.path, set()).add(span)
        calls += [((path, name), part) for name, part in called]
    calls = _by_their_own_names(calls)
    alone = [((path, name[1:]), part) for (path, name), part in calls if name.startswith(ALONE)]
    others = reached((caller, part) for caller, part in calls if not caller[1].startswith(ALONE))
    # whoever runs make without a goal does not ask which other goals of the makefile run that one
    asked_for = {part for (path, name), part in calls if path != part[0] and not name.startswith(ALONE)}
    others -= {part for first, part in alone if first not in asked_for}
    parts: dict[str, set[str]] = {}
    for path, name in others:
        parts.setdefault(path, set()).add(name)
    return {
        path: (frozenset(spans.get(path, ())), frozenset(parts.get(path, ()))) for path in sorted(spans.keys() | parts)
    }


def _by_their_own_names(calls: list[tuple[Part, Part]]) -> list[tuple[Part, Part]]:
    """The calls of parts whose names are computed, by what those are called where nobody calls them."""
    told = [(caller, part) for caller, part in calls if part[1].startswith(NAMED)]
    if not told:
        return calls
    own: dict[str, list[str]] = {}
    under: dict[tuple[Part, str], list[str]] = {}
    for caller, (path, names) in sorted(told):
        if caller == (path, ALONE):
            own.setdefault(path, []).append(names)
        else:
            under.setdefault((caller, path), []).append(names)
    others = {
        key: [other for alone in own.get(key[1], ()) for called in lists if (other := renamed(alone, called))]
        for key, lists in under.items()
    }
    out: list[tuple[Part, Part]] = []
    for caller, part in calls:
        path, name = part
        if not name.startswith(NAMED):
            out.append((caller, part))
            out += [(caller, (path, unit(name, other))) for other in others.get((caller, path), ())]
    return out
