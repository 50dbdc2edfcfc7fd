"""Command substitutions: what the expansions ask of whoever runs them, and what becomes of their output.

POSIX.1-2024 XCU 2.6.3; bash manual 3.5.4.
"""

from collections.abc import Sequence
from typing import Protocol

from flagguard.shell.state import World
from flagguard.shell.syntax import CommandSub, ProcessSub, Simple, WordNode
from flagguard.text import Traced


class Substitutions(Protocol):
    """What the expansions need of the evaluation."""

    platform: str
    bash: bool
    asked_platform: bool
    """Whether anything depended on the platform."""

    def weigh(self, pieces: int) -> None:
        """A text of so many pieces has been made: the evaluation ends where that is too much work."""
        ...

    def substitute(self, node: CommandSub, world: World) -> Traced:
        """What the substitution prints, without its last newlines."""
        ...

    def process(self, node: ProcessSub, world: World) -> Traced | None:
        """What the commands of a process substitution print, where that is known."""
        ...

    def choose(self, world: World, options: Sequence[tuple[str | None, bool]]) -> int:
        """Fork: one course for each option (what it assumes, whether it is opt-in)."""
        ...

    def problem(self, where: Traced, message: str, fatal: bool = True) -> None:
        """Tell something that cannot be followed, at its place."""
        ...


def read_file(node: CommandSub) -> WordNode | None:
    """The file of ``$(<file)``."""
    only = node.body.items[0].node if len(node.body.items) == 1 else None
    if isinstance(only, Simple) and not only.words and not only.assigns and len(only.redirects) == 1:
        redirect = only.redirects[0]
        return redirect.target if redirect.op == "<" and not redirect.fd else None
    return None


def without_newlines(text: Traced) -> Traced:
    """What is left of an output: the newlines at its end go (XCU 2.6.3)."""
    end = len(text)
    value = text.text
    while end and value[end - 1] == "\n":
        end -= 1
    return text if end == len(text) else text.cut(0, end)


def is_own(text: Traced, node: CommandSub) -> bool:
    """Whether the substitution itself is where the text stands."""
    return bool(text.pieces) and all(p.route == node.route for p in text.pieces)
