"""Which findings are one to a reader: what is said of one word at one command, whoever calls it and on any platform.

One bad line of a makefile that fifteen jobs run is one block with its calls, not fifteen screens.
"""

from collections.abc import Callable, Iterator, Sequence

from flagguard.report.interface import FindingRecord, PlaceRecord, Point
from flagguard.values import dataclass, entries


def blocks(findings: Sequence[FindingRecord]) -> list[list[FindingRecord]]:
    """The findings by place, word and origin, in the order of the first of each.

    Of several rules only those share a block that speak of the same argv: it shows one.
    """
    argvs: dict[object, set[object]] = {}
    for finding in findings:
        argvs.setdefault((_word(finding), finding.rule), set()).add(finding.argv)
    groups: dict[object, list[FindingRecord]] = {}
    for finding in findings:
        word = _word(finding)
        groups.setdefault((word, frozenset(argvs[word, finding.rule])), []).append(finding)
    return list(groups.values())


def _word(finding: FindingRecord) -> object:
    # a rule, an exemption: no command is meant
    alone = finding if not finding.argv else None
    return (finding.at, finding.marks, finding.route, finding.origin, alone)


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which the command of a block comes to run, as far as the ways differ."""

    via: tuple[Point, ...]
    place: PlaceRecord
    when: tuple[str, ...]
    platforms: tuple[str, ...]


def shared_place(group: Sequence[FindingRecord]) -> PlaceRecord:
    """The facts that are the same everywhere."""
    first = entries(group[0].place)
    return PlaceRecord(**{k: v for k, v in first.items() if all(getattr(f.place, k) == v for f in group)})


def shared_when(group: Sequence[FindingRecord]) -> tuple[str, ...]:
    """The conditions that hold in each world."""
    return tuple(told for told in group[0].when if all(told in finding.when for finding in group))


def shared_via(group: Sequence[FindingRecord]) -> tuple[Point, ...]:
    first = group[0].via
    return first if all(finding.via == first for finding in group) else ()


def ways(group: Sequence[FindingRecord]) -> list[Way]:
    """The ways in which the findings of a block differ, each once; none where there is one way only."""
    common, told, via = entries(shared_place(group)), set(shared_when(group)), shared_via(group)
    platforms: dict[tuple[tuple[Point, ...], PlaceRecord, tuple[str, ...]], set[str]] = {}
    for finding in group:
        place = PlaceRecord(**{k: v for k, v in entries(finding.place).items() if common[k] is None})
        when = tuple(one for one in finding.when if one not in told)
        key = (finding.via if not via else (), place, when)
        platforms.setdefault(key, set()).update(finding.platforms)
    if len(platforms) < 2:
        return []
    same = len({frozenset(found) for found in platforms.values()}) == 1
    return [
        Way(via, place, when, () if same else tuple(sorted(found))) for (via, place, when), found in platforms.items()
    ]


def told_once(group: Sequence[FindingRecord], same: Callable[[FindingRecord], object]) -> Iterator[list[FindingRecord]]:
    """The findings of a block that say the same."""
    found: dict[object, list[FindingRecord]] = {}
    for finding in group:
        found.setdefault(same(finding), []).append(finding)
    yield from found.values()
