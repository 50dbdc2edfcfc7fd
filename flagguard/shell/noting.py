"""What becomes of a program that is run: it is noted where it stands, and what it prints is heard or becomes a hole."""

from collections.abc import Sequence

from flagguard.command import Word
from flagguard.shell import known
from flagguard.shell.machine import Call, Machine
from flagguard.shell.record import Record
from flagguard.shell.state import World
from flagguard.shell.syntax import Simple, WordNode
from flagguard.shell.written import tee
from flagguard.text import Hole, Piece, Route, Span, Traced, hole
from flagguard.values import replace


def environment(call: Call, world: World, passes: Sequence[str] = ()) -> dict[str, Traced]:
    """What the repository puts into a command's environment."""
    out: dict[str, Traced] = {}
    for name in world.exports:
        var = world.vars.get(name)
        if var is not None and var.given and not var.assumed and var.scalar is not None:
            out[name] = var.scalar
    if call.cleared:
        out = {n: v for n, v in out.items() if n in passes or n in call.passes}
    for name in call.unset:
        out.pop(name, None)
    out.update(call.env)
    return out


def note(machine: Machine, call: Call, world: World) -> list[World]:
    """A program that is run: the place where a rule may look."""
    world.succeed(None)
    if call.words[0].text.rsplit("/", 1)[-1] == "tee":
        tee(call.words, world)
    printed = _printed(machine, call, world.stdin)
    if printed is not None:
        world.succeed()
    if world.out is not None:
        if printed is None:
            shown = machine.listening[-1] if machine.listening else "$(…)"
            gap = known.output_hole(call.words, shown)
            printed = hole(replace(gap, path=known.output_path(call.words, world.directory)))
        world.emit(printed)
    span = _site(call.words[0], call.node)
    if span is None:
        return [world]
    route, context = call.node.route, call.context
    noticed = context.last or context.tested or "errexit" in world.options
    record = Record(
        argv=call.words,
        wrappers=(*machine.wrapped, *call.wrappers),
        env=environment(call, world),
        span=span,
        extent=route[-1] if route and route[-1].path == span.path else span,
        via=world.via,
        vanished=call.vanished,
        when=world.when,
        opt_in=world.opt_in,
        reading=(call.node.text, call.node.spans),
        ignored=context.swallowed or not noticed,
        directory=world.directory,
    )
    machine.recorder.note(record, machine.platform)
    return [world]


def _printed(machine: Machine, call: Call, stdin: Traced | None) -> Traced | None:
    if not call.words[0].known:
        return None
    if call.words[0].text.rsplit("/", 1)[-1] in ("uname", "arch"):
        machine.asked_platform = True
    return known.output(call.words, machine.platform, stdin)


def with_lost_program(call: Call, lost: Hole) -> Call:
    """The call with a program that only the outside names put back as a hole."""
    route = _route_of(call.node, lost)
    program = Word((Piece(lost.text, route, hole=lost),), route[-1] if route else None)
    vanished = tuple((i + 1, h) for i, h in call.vanished if h is not lost)
    return replace(call, words=(program, *call.words), vanished=vanished, operands=(None, *call.operands))


def _route_of(node: Simple, lost: Hole) -> Route:
    for item in node.words:
        if isinstance(item, WordNode) and lost.text in item.shown:
            return item.route
    return node.route


def _site(first: Word, node: Simple) -> Span | None:
    """Where the program stands: its written word, or, for an argument handed on, the word at the call."""
    own = next((p.route[0] for p in first.pieces if p.route), None)
    written = first.written
    if own is None:
        return written or (node.route[-1] if node.route else None)
    if written is not None and written.path == own.path and written.start <= own.start <= written.end:
        return written
    return own
