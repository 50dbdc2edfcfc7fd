"""Targets in their contexts, and the ways to make them: what recipes are read for.

Manual: "Target-specific Variable Values", "Pattern Rules".
"""

from collections.abc import Sequence, Set

from flagguard.make.functions.text import find_percent
from flagguard.make.rules import Making
from flagguard.make.search import Found
from flagguard.make.variables import Definition, Frame
from flagguard.renaming import GOAL
from flagguard.text import Decider, Hole, Shape, Traced, hole, join
from flagguard.values import dataclass, replace

STEM = Hole("$*", "any file that fits the pattern", Decider.OUTSIDE, Shape.PATH)


def filled(name: Traced) -> Traced:
    """A name of a pattern rule whose stem nobody knows."""
    at = find_percent(name.text)
    return name if at < 0 else join((name.cut(0, at), hole(STEM), name.cut(at + 1, len(name))))


@dataclass(frozen=True, slots=True)
class Visit:
    """A target in a context."""

    name: Traced
    chain: tuple[Frame, ...] = ()
    goal: str | None = None
    """The goal whose variables the target inherits."""

    @property
    def unit(self) -> str:
        """What the part of the file is called."""
        return self.name.shown if self.goal is None else f"{self.name.shown}{GOAL}{self.goal}"


@dataclass(frozen=True, slots=True)
class Step:
    """One way to make a target, with what the implicit rule adds."""

    making: Making
    found: Found | None
    names: list[Traced]
    """The prerequisites."""
    order_only: list[Traced]
    together: tuple[str, ...]
    """The targets that one run of the recipe makes."""
    own: list[dict[str, Definition]]
    """Target-specific variables, the outermost first."""
    extra: list[Traced]
    """``.EXTRA_PREREQS``"""
    default: bool = False
    """By ``.DEFAULT``."""

    def without(self, circular: Set[str]) -> "Step":
        """Less the prerequisites that wait for this very target: make drops them."""
        if not any(n.shown in circular for n in (*self.names, *self.order_only)):
            return self
        names, order_only = ([n for n in part if n.shown not in circular] for part in (self.names, self.order_only))
        return replace(self, names=names, order_only=order_only)


def needed(steps: Sequence[Step]) -> list[Traced]:
    """The prerequisites."""
    return [name for step in steps for name in (*step.names, *step.order_only, *step.extra)]
