"""What an expansion came to, kept for other worlds and places in which all that it read is the same.

Knows nothing of make's syntax; makes nothing known that a fresh expansion would not.
"""

from typing import Protocol

from flagguard.make.variables import Definition, Variables
from flagguard.make.worlds import Assumption, Beyond, World
from flagguard.text import Traced
from flagguard.values import dataclass, field

KEPT = 6
"""How many outcomes of one text are kept."""


@dataclass(slots=True)
class Recording:
    """What one expansion reads and tells, while it runs."""

    reads: dict[str, list[Definition]] = field(default_factory=dict)
    """The definitions of each variable that was read, outermost first."""
    assumed: dict[str, Assumption | None] = field(default_factory=dict)
    alternatives: list[World] = field(default_factory=list)
    commands: list[Traced] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)
    asked_platform: bool = False
    met_capped: bool = False
    spoiled: bool = False
    """It changed something, or told a problem: it must happen again."""

    def add(self, inner: "Recording | Memory") -> None:
        for name, chain in inner.reads.items():
            self.reads.setdefault(name, chain)
        for key, assumption in inner.assumed.items():
            self.assumed.setdefault(key, assumption)
        self.alternatives.extend(inner.alternatives)
        self.commands.extend(inner.commands)
        self.touched |= inner.touched
        self.asked_platform = self.asked_platform or inner.asked_platform
        if isinstance(inner, Recording):
            self.spoiled = self.spoiled or inner.spoiled


@dataclass(frozen=True, slots=True)
class Memory:
    """One expansion that is over."""

    value: Traced
    run: int
    """The number of the run in which it happened."""
    settled: bool
    """Whether all makefiles had been read by then, so that global variables did not change any more."""
    platform: str
    reads: dict[str, list[Definition]]
    names: frozenset[str]
    framed: frozenset[str]
    """Those of the names that a frame defined: a target's variable, an argument."""
    unframed: frozenset[str]
    assumed: dict[str, Assumption | None]
    alternatives: tuple[World, ...]
    commands: tuple[Traced, ...]
    touched: frozenset[str]
    asked_platform: bool
    unread: str | None
    beyond: Beyond | None
    """In the world that stands for many: it holds in that one alone."""
    met_capped: bool
    """It met a condition that only that world follows."""


class Moment(Protocol):
    """What an expansion knows of the run that it is in."""

    number: int
    settled: bool
    platform: str
    unread: str | None
    beyond: Beyond | None
    variables: Variables


def memory(recording: Recording, value: Traced, moment: Moment) -> Memory:
    """What was recorded, to keep."""
    names = frozenset(recording.reads)
    framed = frozenset().union(*[names.intersection(frame) for frame in moment.variables.frames])
    return Memory(
        value,
        moment.number,
        moment.settled,
        moment.platform,
        recording.reads,
        names,
        framed,
        names - framed,
        recording.assumed,
        tuple(recording.alternatives),
        tuple(recording.commands),
        frozenset(recording.touched),
        recording.asked_platform,
        moment.unread,
        moment.beyond,
        recording.met_capped,
    )


@dataclass(slots=True)
class Snapshots:
    """The global variables of each run after reading, and where two runs differ."""

    taken: dict[int, dict[str, Definition]] = field(default_factory=dict)
    _differences: dict[tuple[int, int], frozenset[str]] = field(default_factory=dict)

    def difference(self, one: int, other: int) -> frozenset[str]:
        """The variables that are not the same in both runs."""
        key = (one, other)
        known = self._differences.get(key)
        if known is None:
            a, b = self.taken[one], self.taken[other]
            changed = {n for n, d in a.items() if b.get(n) is not d and b.get(n) != d}
            known = self._differences[key] = frozenset(changed | (b.keys() - a.keys()))
        return known


def same_reads(old: Memory, run: int, settled: bool, variables: Variables, snapshots: Snapshots) -> bool:
    """Whether each variable that ``old`` read is now what it was."""
    if not (settled and old.settled):
        return all(variables.chain(name) == chain for name, chain in old.reads.items())
    for frame in variables.frames:
        if not old.unframed.isdisjoint(frame):
            return False
    if old.run != run and not old.names.isdisjoint(snapshots.difference(old.run, run)):
        return False
    return all(variables.chain(name) == old.reads[name] for name in old.framed)
