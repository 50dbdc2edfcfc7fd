"""What the parts of the evaluation share: a command on its way, its surroundings, and what they ask of each other.

The interpreter is the machine; builtins, assignments, wrappers and control flow see it only through this protocol.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from flagguard.command import Script, Word
from flagguard.hosts import Setting
from flagguard.shell.expand import Expander
from flagguard.shell.liveness import Liveness
from flagguard.shell.record import Record, Recorder
from flagguard.shell.state import Var, World
from flagguard.shell.substitutions import Substitutions
from flagguard.shell.syntax import Assign, ListNode, Node, Simple
from flagguard.text import Hole, Span, Traced
from flagguard.values import dataclass

T = TypeVar("T")

MAX_CALLS = 12
"""How deep functions, sourced files and `sh -c` may go into each other."""


@dataclass(frozen=True, slots=True)
class Context:
    """How a command stands in its surroundings."""

    tested: bool = False
    """Its failure is looked at (`if`, the left of `||`): errexit does not see it."""
    last: bool = True
    """Its exit status is that of the whole script."""
    swallowed: bool = False
    """Nothing can notice its failure (before a pipe, in the background)."""
    closing: bool = False
    """Its exit status is that of a subshell or a function, which errexit sees."""
    loops: int = 0
    """How many loops of the running function are around it."""


@dataclass(frozen=True, slots=True)
class Call:
    """A command on its way: its words, and what has been taken off in front of them."""

    node: Simple
    words: tuple[Word, ...]
    vanished: tuple[tuple[int, Hole], ...]
    operands: tuple[Assign | None, ...]
    """For each word: the assignment that it was, if it is a declaration's."""
    env: Mapping[str, Traced]
    wrappers: tuple[tuple[Word, ...], ...]
    context: Context
    unset: tuple[str, ...] = ()
    passes: tuple[str, ...] = ()
    """Names that are carried over although the environment is cleared."""
    cleared: bool = False


class Machine(Substitutions, Protocol):
    """The evaluation as its parts see it."""

    script: Script
    setting: Setting
    course: Liveness
    """What is being run, and what may still be read."""
    expander: Expander
    recorder: Recorder
    depth: int
    """How deep functions, sourced files and nested texts stand in each other."""
    called: set[str]
    """Functions that somebody calls."""
    sets: dict[int, tuple[Node, tuple[str, ...]]]
    """By the identity of a function's body, which is held here: the names that it assigns to."""
    open_calls: list[tuple[Word, World]]
    """Calls whose program is not known and may be a function, and the worlds that they were met in."""
    reached: set[Span]
    """Where the simple commands stand that were evaluated, here or on a platform whose syntax is known here."""
    depends: set[str]
    """Files of the tree that were looked at or looked for."""
    wrapped: tuple[tuple[Word, ...], ...]
    """The wrappers around the text that is being evaluated."""
    listening: list[str]
    """The source of each substitution that listens to what is printed, outermost first."""
    substituted: int
    """How many command substitutions have been made,"""
    answered: tuple[bool | None, int | None]
    """and the exit status of the last one: dash's `$?` shows it when the command is done, bash's at once."""
    alternatives: int
    """How many lists with ``||`` are being evaluated."""

    @property
    def limit(self) -> int:
        """How many worlds may go on side by side."""
        ...

    @property
    def turns(self) -> int:
        """How many turns of a loop whose course is known are followed."""
        ...

    @property
    def tired(self) -> bool:
        """Whether so much has been followed that functions are not followed again."""
        ...

    def merged(self, worlds: list[World], statuses: bool = False) -> list[World]:
        """Worlds that are alike to what is still to be run as one; ``statuses``: it looks at the exit status too."""
        ...

    def branch(self, world: World, compute: Callable[[World], T]) -> list[tuple[World, T]]:
        """``compute`` in every world that its choices make."""
        ...

    def run(self, node: Node, world: World, context: Context) -> list[World]:
        """The worlds after ``node``."""
        ...

    def run_list(self, node: ListNode, worlds: list[World], context: Context) -> list[World]:
        """The worlds after a list, those that have left it too."""
        ...

    def run_text(self, source: Traced, worlds: list[World], context: Context, bash: bool | None = None) -> list[World]:
        """The worlds after a text that the shell reads anew."""
        ...

    def subshell(self, world: World) -> World:
        """The world as a subshell begins with it."""
        ...

    def finish(self, ends: list[World]) -> list[World]:
        """The end of a shell: its EXIT trap runs."""
        ...

    def dispatch(self, call: Call, world: World) -> list[World]:
        """Run what the words name."""
        ...

    def assign(self, node: Assign, world: World, declared: Var | None = None) -> None:
        """An assignment to the shell's own variable. ``declared``: attributes that it gets on the way."""
        ...

    def settle(self, noted: Sequence[Record], failures: Sequence[World], context: Context) -> None:
        """Decide whether the failure of the commands noted is noticed, by what the worlds come to where they fail."""
        ...

    def problem(self, where: Traced, message: str, fatal: bool = True) -> None:
        """Tell something that cannot be followed, at its place."""
        ...
