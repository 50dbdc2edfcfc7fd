"""What becomes of a program that is run: it is noted where it stands, and what it prints is heard or becomes a hole."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from flagguard.command import Word
from flagguard.patterns import expression
from flagguard.shell import filters, known
from flagguard.shell.languages import texts
from flagguard.shell.machine import Call, Machine
from flagguard.shell.record import Record
from flagguard.shell.state import World
from flagguard.shell.syntax import Simple, WordNode
from flagguard.shell.written import WRITERS, contents, tree_file, unknown, writes, written
from flagguard.text import HOLE_MARK, Decider, Hole, Piece, Route, Span, Traced, hole, join, literal
from flagguard.values import replace


def environment(call: Call, world: World, passes: Sequence[str] = ()) -> Mapping[str, Traced]:
    """What the repository puts into a command's environment."""
    if not (call.cleared or call.unset or call.env):
        return world.environ
    out = dict(world.environ)
    if call.cleared:
        out = {n: v for n, v in out.items() if n in passes or n in call.passes}
    for name in call.unset:
        out.pop(name, None)
    out.update(call.env)
    return out


def note(machine: Machine, call: Call, world: World) -> list[World]:
    """A program that is run: the place where a rule may look."""
    if call.words[0].text.rsplit("/", 1)[-1] in WRITERS:
        writes(machine, call.words, world)
    printed, status = _printed(machine, call, world)
    world.succeed(status)
    if world.out is not None:
        if printed is None:
            shown = machine.listening[-1] if machine.listening else "$(…)"
            printed = _heard(call.words, shown, world.stdin, known.output_path(call.words, world.directory))
        world.emit(printed)
    span = _site(call.words[0], call.node)
    if span is None:
        return [world]
    _note_texts(machine, call, world)
    _tell_unread(machine, call, world)
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


def _heard(argv: Sequence[Word], shown: str, stdin: Traced | None, path: str | None) -> Traced:
    """What a command prints that is not known; ``path``: the file or folder that it names."""
    return _same_hole(known.output_hole(argv, shown, stdin), path)


@lru_cache(maxsize=4096)  # the same one is known again without looking into it
def _same_hole(gap: Hole, path: str | None) -> Traced:
    return hole(replace(gap, path=path) if path is not None else gap)


_MADE = expression(r"the output of|the contents of|read from")
"""Reasons of holes that are texts which the repository makes, or keeps in a file."""
_MAKES = frozenset({"make", "gmake", "gnumake", "mingw32-make", "remake"})


def _tell_unread(machine: Machine, call: Call, world: World) -> None:
    """What a command runs, and nobody reads: a program that the repository names somewhere, a makefile that is made."""
    first, told = call.words[0], None
    if first.text == HOLE_MARK and first.holes[0].decider is Decider.REPOSITORY and _MADE.match(first.holes[0].reason):
        told = f"which program runs here is not known: it is {first.holes[0].reason}"
    elif first.text.rsplit("/", 1)[-1] in _MAKES:
        for option, value in pairwise(call.words[1:]):
            if option.text in ("-f", "--file", "--makefile") and (
                value.text in ("-", "/dev/stdin") or written(world, value) or unknown(value, world) is not None
            ):
                told = "the makefile is made by the script: what it runs is not judged"
    if told is not None:
        machine.problem(Traced(first.pieces), told, fatal=False)


def _note_texts(machine: Machine, call: Call, world: World) -> None:
    """Texts in other languages that the command hands over."""
    language, found = texts(call.words, world.stdin)
    for text in found:
        whole = contents(machine, text) or text
        if span := next((p.route[0] for p in whole.pieces if p.route), None):
            record = Record(
                argv=(Word(whole.pieces),),
                wrappers=((Word(literal(language).pieces),),),
                env={},
                span=span,
                extent=span,
                via=world.via,
                vanished=(),
                when=world.when,
                opt_in=world.opt_in,
                reading=("", ()),
            )
            machine.recorder.texts.setdefault((span, world.via, whole.pieces), record).platforms.add(machine.platform)


def _files(machine: Machine, files: Sequence[Word], world: World) -> Traced | None:
    """What `cat FILE…` prints: the texts that the script has written, and those of the tree as holes."""
    parts: list[Traced] = []
    for file in files:
        texts = written(world, file)
        path = tree_file(machine, file, world) if not texts else None
        if file.text == "-" and world.stdin is not None:
            parts.append(world.stdin)
        elif len(texts) == 1:
            parts.append(texts[0])
        elif path is not None:
            gap = Hole(f"$(cat {file.shown})", "the contents of a file", Decider.REPOSITORY, file=path)
            parts.append(hole(gap, file.route))
        else:
            return None
    return join(parts)


def _printed(machine: Machine, call: Call, world: World) -> tuple[Traced | None, bool | None]:
    """What a command prints, and whether it succeeds, where that is known."""
    if not call.words[0].known:
        return None, None
    name = call.words[0].text.rsplit("/", 1)[-1]
    if name in known.ASKS_PLATFORM:
        machine.asked_platform = True
    if name == "cat" and len(call.words) > 1:
        printed = _files(machine, call.words[1:], world)
    else:
        filtered = filters.filtered(name, call.words[1:], world.stdin)
        if filtered.text is not None:
            return filtered.text, filtered.succeeds
        printed = known.output(call.words, machine.platform, world.stdin)
        if printed is None:
            return None, filtered.succeeds
    return printed, None if printed is None else True


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
