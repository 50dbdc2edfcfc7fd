"""What nobody in the makefile decides: assumptions about the outside, and the worlds that they make.

A makefile is run once with no assumption (nothing set outside, no unknown text is any particular value); each
condition that this leaves open tells the assumption under which it comes out the other way, and the makefile is run
again under it, from its start. DESIGN 4.3. Knows neither makefiles nor scripts.
"""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Generic, Protocol, TypeVar

from flagguard.text import Traced
from flagguard.values import dataclass


class Kind(Enum):
    SET = "set"
    """The variable is set outside, to something."""
    VALUE = "value"
    """The variable, or the unknown text, is just this."""
    TRUE = "true"
    """The condition holds."""


@dataclass(frozen=True)
class Assumption:
    key: str
    """The variable's name, or the text that is not known."""
    kind: Kind
    told: str
    denied: str
    value: Traced | None = None
    opt_in: bool = False
    variable: bool = True
    """Whether ``key`` is a variable's name."""

    @property
    def same(self) -> tuple[str, Kind, str]:
        return self.key, self.kind, self.value.text if self.value is not None else ""


World = tuple[Assumption, ...]


@dataclass(frozen=True, slots=True)
class Beyond:
    """The world that stands for all that were not tried: in it each open condition comes out both ways.

    Those that were tried alone too: with others they were not.
    """

    opt_in: bool
    """Conditions that are opt-in among them."""

    def met(self, alternative: World) -> bool:
        """Whether the condition with this other way is one of those."""
        return self.opt_in or not any(a.opt_in for a in alternative)


class Run(Protocol):
    """What running a makefile once must tell."""

    @property
    def alternatives(self) -> Sequence[World]:
        """For each open condition, what to assume for the other way."""
        ...


R = TypeVar("R", bound=Run)


@dataclass(frozen=True)
class Explored(Generic[R]):
    worlds: tuple[tuple[World, R], ...]
    """The first is the one without assumptions."""
    left: tuple[World, ...]
    """Assumptions that were never tried, for want of room."""


def merged(world: World, more: World) -> World | None:
    """``world`` with ``more`` assumed too; None where they contradict each other or add nothing."""
    known = {a.key: a for a in world}
    added = False
    for assumption in more:
        old = known.get(assumption.key)
        if old is None or (old.kind is Kind.SET and assumption.kind is Kind.VALUE):
            known[assumption.key] = assumption
            added = True
        elif old.same != assumption.same:
            return None
    return tuple(known.values()) if added else None


def name(world: World) -> frozenset[tuple[str, Kind, str]]:
    return frozenset(a.same for a in world)


def explore(run: Callable[[World], R], room: Callable[[R], int]) -> Explored[R]:
    """Run in every world, those with fewer assumptions and with new ones first.

    ``room``: in how many worlds at most, from the outcome of the first.
    """
    limit = 1
    done: list[tuple[World, R]] = []
    seen = {name(())}
    tried: set[tuple[str, Kind, str]] = set()
    fresh: list[World] = [()]
    combined: list[World] = []
    while (fresh or combined) and len(done) < limit:
        world = fresh.pop(0) if fresh else combined.pop(0)
        result = run(world)
        done.append((world, result))
        limit = room(result) if not world else limit
        for more in result.alternatives:
            other = merged(world, more)
            if other is None or name(other) in seen:
                continue
            seen.add(name(other))
            new = any(a.same not in tried for a in more)
            tried.update(a.same for a in more)
            (fresh if new else combined).append(other)
    return Explored(tuple(done), tuple(fresh))
