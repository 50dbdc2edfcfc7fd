"""The ways that lead to one command: a part that is reached by hundreds of them is told with a few.

What is judged is the command with its words and its surroundings; by which call, and under which conditions, it comes
to the same once more adds to no verdict.
"""

from collections.abc import Callable, Iterable, Sequence

from flagguard.command import Command

MANY = 1_000
"""With so many commands of one call the ways to each are counted,"""
FEW = 3
"""and so many are kept: those that ask for the fewest conditions."""
_FACTS = ("argv", "extent", "wrappers", "env", "vanished", "brought", "configured")


def alike(
    commands: Iterable[Command], site: Callable[[Command], tuple[object, ...]], facts: tuple[str, ...]
) -> list[list[int]]:
    """Which commands say the same: by their numbers, those of one site whose words and these facts are equal.

    The texts alone tell most commands apart; to hash whole words, with all they know, would cost more than the rest.
    """
    compared = (*_FACTS, *facts)
    sites: dict[tuple[object, ...], list[tuple[Command, list[int]]]] = {}
    for number, command in enumerate(commands):
        groups = sites.setdefault((*site(command), *[word.text for word in command.argv]), [])
        for first, group in groups:
            if _same(first, command, compared):
                group.append(number)
                break
        else:
            groups.append((command, [number]))
    return [group for groups in sites.values() for _, group in groups]


def few(commands: Sequence[Command]) -> Sequence[Command]:
    """The commands in their order, each by a few of the ways on which nothing else about it differs."""
    if len(commands) <= MANY:
        return commands
    kept: list[int] = []
    for group in alike(commands, _site, ("layout", "dialect")):
        kept += sorted(group, key=lambda at: len(commands[at].when))[:FEW]
    return [commands[at] for at in sorted(kept)]


def _same(one: Command, other: Command, facts: Iterable[str]) -> bool:
    return all(getattr(one, fact) == getattr(other, fact) for fact in facts)


def _site(command: Command) -> tuple[object, ...]:
    place = (command.span, command.place, command.unit, command.platforms, command.opt_in, command.status)
    return (*place, command.directory, command.order, command.needs)
