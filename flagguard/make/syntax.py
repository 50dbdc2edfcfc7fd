"""The statements of a makefile, as values; nothing in them is expanded yet."""

from enum import Enum

from flagguard.text import Traced
from flagguard.values import dataclass


class Modifier(Enum):
    EXPORT = "export"
    OVERRIDE = "override"
    PRIVATE = "private"


Modifiers = frozenset[Modifier]


@dataclass(frozen=True, slots=True)
class Assignment:
    """``NAME op value`` or ``define``; ``operator`` as it is written, ``=`` for a plain define."""

    name: Traced
    operator: str
    value: Traced
    modifiers: Modifiers
    line: Traced


@dataclass(frozen=True, slots=True)
class Undefine:
    name: Traced
    modifiers: Modifiers
    line: Traced


@dataclass(frozen=True, slots=True)
class Export:
    """``export NAMES`` and ``unexport NAMES``; without names: all variables."""

    names: Traced
    on: bool
    line: Traced


@dataclass(frozen=True, slots=True)
class Include:
    names: Traced
    optional: bool
    line: Traced


@dataclass(frozen=True, slots=True)
class SearchPath:
    """``vpath PATTERN FOLDERS``."""

    text: Traced
    line: Traced


@dataclass(frozen=True, slots=True)
class RuleLine:
    """Anything that is no directive and no assignment: a rule, a target-specific variable, or text that expands."""

    head: Traced
    """Without the recipe after ``;`` and without the comment, continuations joined."""
    recipe: Traced | None
    """What stands after the ``;``."""
    line: Traced


@dataclass(frozen=True, slots=True)
class RecipeLine:
    """A line that starts with the recipe prefix, where a rule may be open."""

    text: Traced
    """Without the prefix; backslash-newlines stay, the prefix after them is gone."""
    line: Traced


class Operator(Enum):
    IFEQ = "ifeq"
    IFNEQ = "ifneq"
    IFDEF = "ifdef"
    IFNDEF = "ifndef"
    AUTOMAKE = "if"
    """``if COND`` of a Makefile.am: configure decides it."""


@dataclass(frozen=True, slots=True)
class Test:
    operator: Operator
    left: Traced
    """The left side, or the name."""
    right: Traced
    line: Traced


@dataclass(frozen=True, slots=True)
class Arm:
    test: Test | None
    """None: ``else``."""
    body: tuple["Statement", ...]


@dataclass(frozen=True, slots=True)
class Conditional:
    arms: tuple[Arm, ...]
    line: Traced


Statement = Assignment | Undefine | Export | Include | SearchPath | RuleLine | RecipeLine | Conditional


@dataclass(frozen=True, slots=True)
class Fault:
    """Text that is no makefile."""

    line: Traced
    message: str
    fatal: bool = True


@dataclass(frozen=True, slots=True)
class Makefile:
    """One makefile, or the text of one ``$(eval)``, read."""

    statements: tuple[Statement, ...]
    faults: tuple[Fault, ...] = ()
