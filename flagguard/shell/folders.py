"""The working directory: ``cd``, ``pushd``, ``popd``, ``pwd`` (POSIX.1-2024 XCU "cd"; bash manual 6.8.1)."""

from flagguard.command import Word
from flagguard.paths import resolved
from flagguard.shell.machine import Call, Machine
from flagguard.shell.state import World
from flagguard.text import Decider, Hole, Shape, hole, literal


def cd(machine: Machine, call: Call, world: World) -> list[World]:
    operands = _operands(call)
    known = bool(operands) and not any(index <= len(call.words) for index, _ in call.vanished)
    minus = known and operands[0].text == "-"
    _move(world, (world.before if minus else resolved(operands[0], world.directory)) if known else None)
    return _moved(machine, world)


def pushd(machine: Machine, call: Call, world: World) -> list[World]:
    operands = _operands(call)
    here = world.directory
    if operands:
        _move(world, resolved(operands[0], here) if operands[0].text[:1] not in ("+", "-") else None)
        world.folders = (*world.folders, here)
    elif world.folders:
        _move(world, world.folders[-1])
        world.folders = (*world.folders[:-1], here)
    _say(call, world)
    return _moved(machine, world)


def popd(machine: Machine, call: Call, world: World) -> list[World]:
    if world.folders and len(call.words) == 1:
        _move(world, world.folders[-1])
        world.folders = world.folders[:-1]
    else:
        _move(world, None)
    _say(call, world)
    return _moved(machine, world)


def dirs(machine: Machine, call: Call, world: World) -> list[World]:
    world.succeed()
    _say(call, world)
    return [world]


def _say(call: Call, world: World) -> None:
    """The stack of folders, which these print."""
    gap = Hole(f"$({call.words[0].text})", "the working directory", Decider.OUTSIDE, Shape.PATH)
    world.emit(hole(gap, call.node.route))
    world.emit(literal("\n"))


def pwd(machine: Machine, call: Call, world: World) -> list[World]:
    what = Hole("$(pwd)", "the working directory", Decider.OUTSIDE, Shape.PATH, path=world.directory)
    world.emit(hole(what, call.node.route))
    world.emit(literal("\n"))
    world.succeed()
    return [world]


def _operands(call: Call) -> tuple[Word, ...]:
    words = call.words[1:]
    while words and words[0].known and words[0].text.startswith("-") and words[0].text != "-":
        words = words[1:]
    return words


def _move(world: World, directory: str | None) -> None:
    world.before, world.directory = world.directory, directory


def _moved(machine: Machine, world: World) -> list[World]:
    # Whether it fails matters only where the script says what then.
    world.succeed(None if machine.alternatives else True)
    return [world]
