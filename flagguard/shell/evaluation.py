"""A script evaluated for each of its platforms."""

from collections.abc import Mapping

from flagguard.command import Command, Dialect, Script
from flagguard.hosts import Setting, containers
from flagguard.shell.alike import told
from flagguard.shell.functions import may_be
from flagguard.shell.inside import external
from flagguard.shell.interpret import Interpreter, TooMuch
from flagguard.shell.machine import Call, Context
from flagguard.shell.merging import merge
from flagguard.shell.parser import Parsed, parse
from flagguard.shell.record import Record
from flagguard.shell.state import Var, World
from flagguard.shell.syntax import ListNode, Simple
from flagguard.text import Problem, Span, Traced, literal, shared_route
from flagguard.values import dataclass, field, replace

STDOUT = "/dev/stdout"
"""Among the files of a script: what it prints is to be known."""


@dataclass(frozen=True)
class Evaluation:
    """What a script runs, on which platforms and in which worlds."""

    commands: tuple[Command, ...] = ()
    problems: tuple[Problem, ...] = ()
    depends: tuple[str, ...] = ()
    """Files of the tree that it sources, or would."""
    parsed: frozenset[Span] = frozenset()
    """Where the simple commands stand that were read, those of substitutions and functions too."""
    evaluated: frozenset[Span] = frozenset()
    """Where those stand that run in some world, on some platform."""
    unread_from: int | None = None
    """The offset in the script's text from which on it could not be read; that is one of the problems."""
    written: Mapping[str, tuple[Traced, ...]] | None = field(default_factory=dict)
    """The texts that the script's files may have at its end, :data:`STDOUT` among them; None: nobody knows."""
    texts: tuple[Command, ...] = ()
    """Texts in languages that are not read: the text as the one word, the language as the wrapper."""
    everywhere: bool = False
    """Nothing asked for the platform: on others it comes to the same."""

    @property
    def unreached(self) -> frozenset[Span]:
        """Where those stand that never run: code after an exit, in ``if false``, in a function that nobody calls."""
        return self.parsed - self.evaluated


def evaluate(script: Script, setting: Setting) -> Evaluation:
    """The commands of ``script`` on each platform of the setting that its place allows. Nothing is run."""
    if script.dialect is Dialect.UNREAD:
        return Evaluation()
    if script.alike is not None and (same := told(script, script.alike, setting, evaluate)) is not None:
        return same
    platforms = [p for p in setting.platforms if script.platforms is None or p in script.platforms]
    if script.platforms is not None and not platforms:
        platforms = sorted(script.platforms)
    if script.dialect in (Dialect.POWERSHELL, Dialect.CMD):
        return _foreign(script, setting, platforms)
    if script.layout is not None:
        setting = replace(setting, files=containers.inside(setting.files, script.layout))
    parsed = _parsed(script)
    records: list[Record] = []
    problems: list[Problem] = []
    depends: set[str] = set()
    read: set[Span] = {c.route[-1] for c in parsed.commands if c.route}
    reached: set[Span] = set()
    texts: dict[object, Record] = {}
    written: Mapping[str, tuple[Traced, ...]] | None = {}
    earlier: Interpreter | None = None
    everywhere = False
    for i, platform in enumerate(platforms):
        interpreter = Interpreter(script, script.machine or platform, setting, len(parsed.commands))
        if earlier is not None:
            interpreter.know(earlier)
            earlier.end()
        earlier = interpreter
        ends = _run(interpreter, parsed)
        if script.files:
            written = _written(written, script, ends)
        found = interpreter.recorder.records
        problems += [p for p in interpreter.problems if p not in problems]
        depends |= interpreter.depends
        read |= interpreter.parsed
        reached |= interpreter.reached
        for key, record in interpreter.recorder.texts.items():
            texts.setdefault(key, record).platforms |= record.platforms
        if i == 0 and (script.machine or not interpreter.asked_platform):
            for record in found:
                record.platforms = set(platforms)
            for record in texts.values():
                record.platforms = set(platforms)
            records = found
            everywhere = True
            break
        _merge(records, found)
    if earlier is not None:
        earlier.end()
    unread = parsed.unread if parsed.error is not None else None
    commands = tuple(r.command(script.place, script.when, script.opt_in) for r in records)
    if script.layout is not None:
        commands = tuple(replace(c, layout=script.layout) for c in commands)
    if script.via:
        commands = tuple(replace(c, via=(*script.via, *c.via)) for c in commands)
    asked = tuple(sorted(depends))
    other = tuple(r.command(script.place, script.when, script.opt_in) for r in texts.values())
    return Evaluation(
        commands, tuple(problems), asked, frozenset(read), frozenset(reached), unread, written, other, everywhere
    )


def _written(
    before: Mapping[str, tuple[Traced, ...]] | None, script: Script, ends: list[World] | None
) -> Mapping[str, tuple[Traced, ...]] | None:
    """What the script's files may hold, with what they may hold on another platform."""
    if before is None or ends is None:
        return None
    found = {name: list(texts) for name, texts in before.items()}
    # after a script that fails nothing else is run, as a rule
    going = [end for end in ends if end.status is not False] or ends
    for name, _ in script.files:
        for end in going:
            if name == STDOUT:
                texts: tuple[Traced, ...] = (Traced(end.out or ()),)
            elif name in end.files:
                texts = end.files[name]
            else:
                return None
            kept = found.setdefault(name, [])
            kept += [text for text in texts if text not in kept]
    return {name: tuple(texts) for name, texts in found.items()}


def _parsed(script: Script) -> Parsed:
    if script.dialect is Dialect.ARGV:
        return Parsed(ListNode(()))
    if script.dialect is Dialect.DENO:
        from flagguard.shell.deno import parse_deno

        return parse_deno(script.text)
    return parse(script.text, script.dialect is Dialect.BASH)


def _foreign(script: Script, setting: Setting, platforms: list[str]) -> Evaluation:
    """A script of a shell that is none of POSIX's kin."""
    from flagguard.shell.cmd import evaluate_cmd
    from flagguard.shell.powershell import evaluate_powershell

    of = evaluate_cmd if script.dialect is Dialect.CMD else evaluate_powershell
    commands, problems = of(script, setting, platforms)
    return Evaluation(tuple(commands), tuple(problems))


def _merge(records: list[Record], found: list[Record]) -> None:
    """Equal commands of several platforms are one; the order is that of the events."""
    at_span: dict[Span, list[Record]] = {}
    for record in records:
        at_span.setdefault(record.span, []).append(record)
    behind: dict[int, list[Record]] = {}
    last = 0
    for record in found:
        same = next((known for known in at_span.get(record.span, ()) if known.equals(record)), None)
        if same is None:
            behind.setdefault(last, []).append(record)
        else:
            same.platforms |= record.platforms
            last = id(same)
    ordered = behind.get(0, [])
    for record in records:
        ordered += (record, *behind.get(id(record), ()))
    records[:] = ordered


def _run(interpreter: Interpreter, parsed: Parsed) -> list[World] | None:
    """The worlds at the end of the script; None where it could not be followed to its end."""
    script = interpreter.script
    world = _start(script, interpreter)
    context = Context(swallowed=script.ignored)
    try:
        if script.dialect is Dialect.ARGV:
            _run_argv(interpreter, world, context)
            return None
        if parsed.error is not None:
            rest = script.text.cut(parsed.error.offset, len(script.text)) or script.text
            interpreter.problem(rest, _message(parsed.error.message, script.text, parsed.unread))
        interpreter.course.add(parsed.body)
        ends = interpreter.finish(interpreter.run_list(parsed.body, [world], context))
        left = [world.copy() for world in ends]
        _uncalled(interpreter, ends or [world], context)
        return left if parsed.error is None else None
    except TooMuch:
        interpreter.problem(script.text, "the script has too many courses to follow; the rest of it is not judged")
    except RecursionError:
        interpreter.problem(script.text, "the script is nested too deeply to follow; it is not judged")
    return None


def _message(reason: str, text: Traced, unread: int) -> str:
    """What the problem of a syntax error says: why, and which commands behind it are not judged."""
    # tree-sitter is needed for broken scripts alone
    from flagguard.shell.second import hidden

    return f"the shell cannot read this: {reason}; what follows in the script is not judged{hidden(text, unread)}"


def _start(script: Script, interpreter: Interpreter) -> World:
    world = World(args=tuple(Traced(w.pieces) for w in script.arguments), args_known=script.knows_arguments)
    for name, text in interpreter.setting.assume.items():
        world.put(name, Var(literal(text), exported=True, inherited=True))
    for variable in script.env:
        world.put(variable.name, Var(variable.value, exported=True, inherited=True))
    options = (("errexit", script.errexit), ("pipefail", script.pipefail))
    world.options = frozenset(name for name, on in options if on)
    world.outside = frozenset(script.outside)
    world.files = {name: (text,) for name, text in script.files}
    world.out = () if STDOUT in world.files else None
    world.directory = script.directory
    world.file = world.source = script.file
    world.name = Traced(script.name.pieces) if script.name is not None else world.name
    return world


def _run_argv(interpreter: Interpreter, world: World, context: Context) -> None:
    """A command that its host has split: no shell reads it, but wrappers do."""
    route = shared_route(p for w in interpreter.script.argv for p in w.pieces)
    shown = " ".join(w.shown for w in interpreter.script.argv)
    node = Simple((), (), (), route, shown)
    words = interpreter.script.argv
    if words:
        call = Call(node, words, interpreter.script.vanished, (None,) * len(words), {}, (), context)
        external(interpreter, call, world)


_MOST_STARTS = 4
"""Ends of a script in which the functions are evaluated that nobody calls; of more, one that stands for all."""


def _uncalled(interpreter: Interpreter, ends: list[World], context: Context) -> None:
    """Functions that the script only defines (a library): evaluated as if somebody called them when it has run."""
    waiting = {n: b for w in ends for n, b in w.functions.items()}
    if waiting.keys() <= interpreter.called:
        return
    starts = [world.copy() for world in ends]
    for world in starts:
        world.flow, world.out = None, None
    starts = merge(starts, _MOST_STARTS, alive=interpreter.course.alive)
    for name, body in waiting.items():
        if name in interpreter.called:
            continue
        interpreter.called.add(name)
        opened = next((w for program, w in interpreter.open_calls if may_be(program, name)), None)
        for start in starts if opened is None else [opened]:
            world = start.copy()
            world.flow, world.out, world.descriptors = None, None, None
            world.args, world.args_known = (), False
            world.frames = (*world.frames, {})
            world.assume(f"{name} is called", opt_in=opened is None)
            interpreter.run(body, world, context)
