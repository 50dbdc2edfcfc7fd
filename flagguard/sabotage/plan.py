"""Planned edits: what is changed, and where a check must then fail. Values only (DESIGN 3, 6)."""

from enum import Enum

from flagguard.command import Place
from flagguard.rules import Requirement
from flagguard.text import Edit, Span
from flagguard.values import dataclass


class Kind(Enum):
    SABOTAGE = "sabotage"
    HARMLESS = "harmless"


class Operator(Enum):
    """What an edit does; the values are words of the machine format."""

    DROP_FLAG = "drop-flag"
    COMMENT_FLAG = "move-flag-into-comment"
    ECHO_FLAG = "move-flag-into-echo"
    DROP_VALUE = "drop-value"
    NATIVE_VALUE = "set-value-native"
    WORSE_VALUE = "set-value-worse"
    REPEAT_FLAG = "repeat-flag-worse"
    DROP_ASSIGNMENT = "drop-assignment"
    SPOIL_ASSIGNMENT = "spoil-assignment"
    SPOIL_ARM = "spoil-arm"
    ADD_FLAG = "add-forbidden-flag"
    DROP_COMMAND = "drop-command"
    ECHO_COMMAND = "move-command-into-echo"
    ADD_COMMAND = "add-forbidden-command"

    REQUOTE = "requote"
    REORDER = "reorder-flags"
    SPLIT_LINE = "split-line"
    JOIN_LINE = "join-line"
    COMMENT_LINE = "add-comment-line"
    COMMENT_TAIL = "add-comment-at-end"

    @property
    def kind(self) -> Kind:
        return Kind.HARMLESS if self in _HARMLESS else Kind.SABOTAGE


_HARMLESS = frozenset(
    {
        Operator.REQUOTE,
        Operator.REORDER,
        Operator.SPLIT_LINE,
        Operator.JOIN_LINE,
        Operator.COMMENT_LINE,
        Operator.COMMENT_TAIL,
    }
)


@dataclass(frozen=True)
class Target:
    """A rule at a command: where an edit must be noticed."""

    rule: str
    span: Span
    """Where the command's first word stands, before the edit."""
    place: Place
    platforms: frozenset[str]
    requirement: Requirement | None = None
    words: tuple[Span, ...] = ()
    """The text of the flag that is edited: it is no other word that says the same."""
    name: str = ""
    """The entry of the rule's ``command`` that matches."""
    warns: bool = False
    """What is found there is a warning: the rule is one, or somebody has to ask for the command (DESIGN 4.3)."""


@dataclass(frozen=True)
class Plan:
    """One edit that is to be made. Exactly one change, though it may take text from one place to another."""

    operator: Operator
    rule: str
    edits: tuple[Edit, ...]
    targets: tuple[Target, ...] = ()
    why_not: str | None = None
    """Why it cannot be made in this text; ``edits`` then only says where it would be."""
    too_few: bool = False
    """The command itself goes: what must fail is the rule's `at-least`."""

    @property
    def kind(self) -> Kind:
        return self.operator.kind

    @property
    def path(self) -> str:
        return self.edits[0].span.path


def moved(offset: int, path: str, edits: tuple[Edit, ...]) -> int | None:
    """Where a character of ``path`` stands after the edits; None where it was taken away."""
    shift = 0
    for edit in edits:
        span = edit.span
        if span.path != path:
            continue
        if span.end <= offset:
            shift += len(edit.text) - (span.end - span.start)
        elif span.start <= offset:
            return None
    return offset + shift
