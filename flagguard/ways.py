"""The ways that lead to one command: a part that is reached by hundreds of them is told with a few.

What is judged is the command with its words and its surroundings; by which call, and under which conditions, it comes
to the same once more adds to no verdict.
"""

from collections.abc import Sequence

from flagguard.command import Command

MANY = 1_000
"""With so many commands of one call the ways to each are counted,"""
FEW = 3
"""and so many are kept: those that ask for the fewest conditions."""


def few(commands: Sequence[Command]) -> Sequence[Command]:
    """The commands in their order, each by a few of the ways on which nothing else about it differs."""
    if len(commands) <= MANY:
        return commands
    sites: dict[tuple[object, ...], list[list[int]]] = {}
    for at, command in enumerate(commands):
        groups = sites.setdefault(_site(command), [])
        group = next((group for group in groups if _same(commands[group[0]], command)), None)
        if group is None:
            groups.append([at])
        else:
            group.append(at)
    kept: list[int] = []
    for groups in sites.values():
        for group in groups:
            kept += group if len(group) <= FEW else sorted(group, key=lambda at: len(commands[at].when))[:FEW]
    return [commands[at] for at in sorted(kept)]


def _site(command: Command) -> tuple[object, ...]:
    """What tells most commands apart; to hash whole words, with all they know, would cost more than the rest."""
    place = (command.span, command.place, command.unit, command.platforms, command.opt_in, command.status)
    return (*place, command.directory, command.order, command.needs, *[word.text for word in command.argv])


def _same(one: Command, other: Command) -> bool:
    facts = ("argv", "extent", "wrappers", "env", "vanished", "brought", "configured", "layout", "dialect")
    return all(getattr(one, fact) == getattr(other, fact) for fact in facts)
