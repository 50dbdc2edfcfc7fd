"""Pipelines (POSIX.1-2024 XCU 2.9.2): what each command reads of the one before, and whose exit status counts."""

from collections.abc import Sequence

from flagguard.shell.branches import shown
from flagguard.shell.machine import Context, Machine
from flagguard.shell.state import World
from flagguard.shell.syntax import Pipeline
from flagguard.text import Decider, Hole, Piece, Traced, compact, hole
from flagguard.values import replace

_MOST_TEXTS = 4
"""Texts that one command of a pipeline may give to the next."""


def follow_pipeline(machine: Machine, node: Pipeline, world: World, context: Context) -> list[World]:
    """The worlds after a pipeline."""
    if not node.commands:
        world.succeed(not node.negated)
        return [world]
    if len(node.commands) == 1:
        return _alone(machine, node, world, context)
    checked = "pipefail" in world.options
    statuses: set[bool | None] = set()
    readers = [machine.subshell(world)]
    for command in node.commands[:-1]:
        inner = Context(swallowed=not checked, tested=context.tested)
        ends = []
        machine.listening.append(f"$({shown(command)})")
        for reader in readers:
            reader.out = ()
            ends += machine.finish(machine.run(command, reader, inner))
        machine.listening.pop()
        readers = _readers(machine, ends, world, f"$({shown(command)})")
        statuses |= {w.status for w in ends}
    ends = [end for reader in readers for end in machine.finish(machine.run(node.commands[-1], reader, context))]
    out = []
    for end in machine.merged(ends, statuses=True):
        status = end.status
        if checked and status is not False and statuses - {True}:
            status = False if statuses == {False} else None
        if node.negated and status is not None:
            status = not status
        back = _stayed(world, end) if machine.bash and "lastpipe" in world.options else world.after(end)
        if status is not end.status:
            back.succeed(status)
        out.append(back)
    return machine.merged(out, statuses=True)


def _stayed(world: World, end: World) -> World:
    """The shell itself after it has run the last command (`shopt -s lastpipe`)."""
    end.frames, end.on_exit, end.stdin = world.frames, world.on_exit, world.stdin
    return end


def _alone(machine: Machine, node: Pipeline, world: World, context: Context) -> list[World]:
    """One command, perhaps behind `!`."""
    inner = replace(context, tested=True) if node.negated else context
    mark = len(machine.recorder.journal)
    worlds = machine.run(node.commands[0], world, inner)
    if node.negated:
        if not context.tested:
            for record in machine.recorder.journal[mark:]:
                record.ignored = True
        for one in worlds:
            if one.flow is None:
                one.succeed(None if one.status is None else not one.status)
    return worlds


def _readers(machine: Machine, ends: Sequence[World], world: World, what: str) -> list[World]:
    """The next command's worlds: one for each text that the command before it may print."""
    if len(ends) == 1:
        return [_reader(machine, compact(ends[0].out or ()), ends[0], world)]
    texts: dict[tuple[Piece, ...], list[World]] = {}
    for end in ends:
        texts.setdefault(compact(end.out or ()), []).append(end)
    if len(texts) > _MOST_TEXTS:
        unknown = Hole(what, "it differs in too many ways", Decider.REPOSITORY)
        texts = {hole(unknown).pieces: list(ends)}
    readers = []
    for pieces, printed in texts.items():
        reader = _reader(machine, pieces, printed[0], world)
        if len(texts) > 1 and len(printed) == 1:
            reader.when, reader.opt_in = printed[0].when, printed[0].opt_in
        readers.append(reader)
    return readers or [machine.subshell(world)]


def _reader(machine: Machine, pieces: tuple[Piece, ...], printed: World, world: World) -> World:
    reader = machine.subshell(world)
    reader.stdin = Traced(pieces)
    reader.files = printed.files
    return reader
