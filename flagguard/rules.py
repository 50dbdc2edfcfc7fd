"""Rules as values (DESIGN 4.6 and 5). Reading them from TOML lives here too; judging does not."""

import datetime
from collections.abc import Callable, Mapping
from enum import Enum

from flagguard.text import Span
from flagguard.values import dataclass, field

Locate = Callable[[], Span]
"""Finds a place when it is asked for: most runs point at none of the configuration."""


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


class Subject(Enum):
    FLAG = "flag"
    ENV = "env"
    EFFECTIVE = "effective"


class Condition(Enum):
    """What is asked of the value."""

    PRESENT = "present"
    VALUE = "value"  # a glob
    ONE_OF = "one-of"
    NOT = "not"  # a glob, or a list of globs
    MATCHES = "matches"  # a regular expression, searched
    CONTAINS = "contains"  # an item of a list (DESIGN 5.1, 11)
    AT_MOST = "at-most"  # a CPU, a version, or "baseline"


@dataclass(frozen=True, slots=True)
class Constraint:
    """One subject, at most one condition on its value."""

    subject: Subject
    names: tuple[str, ...]
    """Any of them: flags as the tool's manual writes them, variables, or one effective property."""
    condition: Condition = Condition.PRESENT
    operand: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Met (or hit) when one of them is."""

    constraints: tuple[Constraint, ...]


Requirement = Constraint | AnyOf


def constraints_of(requirement: Requirement) -> tuple[Constraint, ...]:
    """The constraint itself, or those that it may be met by."""
    return requirement.constraints if isinstance(requirement, AnyOf) else (requirement,)


@dataclass(frozen=True, slots=True)
class Where:
    """Globs on the facts of a place; a fact that is not named is free."""

    globs: Mapping[str, tuple[str, ...]]
    """Keys: path, host, task, target, job, step, runner, platform, from."""


class Operands(Enum):
    FREE = "free"
    NONE = "none"
    SOME = "some"


@dataclass(frozen=True)
class Rule:
    id: str
    why: str
    command: tuple[str, ...]
    """``mojo build``, or a class ``@c-compiler``; any of them."""
    where: Where
    with_: tuple[Requirement, ...] = ()
    without: tuple[Requirement, ...] = ()
    operands: Operands = Operands.FREE
    require: tuple[Requirement, ...] = ()
    forbid: tuple[Requirement, ...] = ()
    never: bool = False
    at_least: int = 1
    after: tuple[str, ...] = ()
    """One of these commands has to run earlier in the same job."""
    needs: tuple[str, ...] = ()
    """Globs on jobs that the command's job has to wait for."""
    honoured: bool = False
    """Its failure has to be noticed."""
    severity: Severity = Severity.ERROR
    fix: str | None = None
    sources: tuple[str, ...] = ()
    pack: str | None = None
    without_baseline: bool = False
    """Of a pack: it applies only where the configuration has no ``[baseline]``."""
    locate: Locate | None = field(default=None, compare=False, repr=False)

    @property
    def span(self) -> Span | None:
        """Where the configuration (or the pack) writes it."""
        return self.locate() if self.locate is not None else None


@dataclass(frozen=True)
class Exemption:
    rule: str
    """The rule, or the rules, as the configuration names them."""
    where: Where
    reason: str
    until: datetime.date | None = None
    with_: tuple[Requirement, ...] = ()
    without: tuple[Requirement, ...] = ()
    rules: tuple[str, ...] = ()
    """The ids of the rules that it speaks of; none: that of ``rule``."""
    locate: Locate | None = field(default=None, compare=False, repr=False)

    def of(self, rule: str) -> bool:
        """Whether it speaks of the rule with this id."""
        return rule in self.rules if self.rules else rule == self.rule

    @property
    def span(self) -> Span | None:
        """Where the configuration writes it."""
        return self.locate() if self.locate is not None else None
