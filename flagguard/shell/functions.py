"""Functions and sourced files: text that runs in the shell that calls it (POSIX.1-2024 XCU 2.9.5, ``dot``)."""

import re
from posixpath import dirname, normpath
from posixpath import join as join_path

from flagguard.command import Word
from flagguard.paths import resolved
from flagguard.patterns import expression
from flagguard.shell.loading import load
from flagguard.shell.machine import MAX_CALLS, Call, Machine
from flagguard.shell.state import Flow, Var, World, unknown
from flagguard.shell.syntax import Assign, For, Node, Simple, WordNode
from flagguard.shell.written import contents, written
from flagguard.text import HOLE_MARK, Decider, Traced
from flagguard.values import replace

_WELL_KNOWN = ("activate", "cargo/env", "conda.sh", "nvm.sh", "emsdk_env.sh", "/etc/profile", "vcvars", "setvars.sh")
"""Files outside of the repository that are sourced for PATH's sake: they set no build flags."""

_DEFAULTED = expression(r'"?\$\{[0-9@*]+:?-')
"""An argument of the script with a default."""


def call_function(machine: Machine, name: str, body: Node, call: Call, world: World) -> list[World]:
    if machine.tired and name in machine.called:
        return _passed_over(machine, name, body, call, world)
    machine.called.add(name)
    if machine.depth >= MAX_CALLS:
        machine.problem(Traced(call.words[0].pieces), f"{name} calls itself too deeply to follow", fatal=False)
        world.succeed(None)
        return [world]
    args, known, reset = world.args, world.args_known, world.reset_args
    via, spare = world.via, world.copy()
    listening, alternatives = len(machine.listening), machine.alternatives
    span = call.words[0].written
    world.args = tuple(Traced(w.pieces) for w in call.words[1:])
    world.args_known = True
    world.via = (*via, span) if span is not None else via
    world.frames = (*world.frames, {})
    for variable, value in call.env.items():
        world.localise(variable)
        world.put(variable, Var(value, exported=True))
    depth = len(world.frames)
    machine.depth += 1
    machine.course.enter(call.node)
    try:
        ends = machine.run(body, world, replace(call.context, loops=0, closing=True))
    except RecursionError:
        del machine.listening[listening:]
        machine.alternatives = alternatives
        told = f"{name} is nested too deeply to follow: not all of it is judged"
        machine.problem(Traced(call.words[0].pieces), told, fatal=False)
        return _forgotten(machine, name, body, spare)
    finally:
        machine.depth -= 1
        machine.course.leave()
    for end in ends:
        while len(end.frames) >= depth:
            end.leave()
        end.args, end.args_known, end.via, end.reset_args = args, known, via, reset
        if end.flow is Flow.RETURN:
            end.flow = None
    return ends


def may_name_functions(program: Word, node: Simple) -> bool:
    """Whether a program may be a function that the caller names (`"$1"`, `"cmd_$1"`, `"${1:-all}"`), not only a program
    that the environment names (`$CC`)."""
    pieces = program.pieces
    if len(pieces) == 1 and pieces[0].hole is None and not pieces[0].overridable:
        return False
    if program.known:
        if not any([p.overridable for p in pieces]):  # noqa: C419  (a list is faster than a generator)
            return False
        first = node.words[0] if node.words else None
        return isinstance(first, WordNode) and _DEFAULTED.match(first.shown) is not None
    return all(h.decider is not Decider.OUTSIDE or not (h.name or "").isidentifier() for h in program.holes)


def may_be(program: Word, name: str) -> bool:
    """Whether a program that is not known may be the function ``name``."""
    if program.known:
        return True
    return re.fullmatch(".*".join(map(re.escape, program.text.split(HOLE_MARK))), name) is not None


def _passed_over(machine: Machine, name: str, body: Node, call: Call, world: World) -> list[World]:
    """A call that is not followed, since the script has too many courses: what the function sets is not known."""
    told = "the script has too many courses to follow: not every call of its functions is judged"
    machine.problem(machine.script.text, told)
    return _forgotten(machine, name, body, world)


def _forgotten(machine: Machine, name: str, body: Node, world: World) -> list[World]:
    """The world after a function that was not followed."""
    for variable in _sets(machine, body):
        world.assign(variable, unknown(variable, f"{name} may set it"))
    world.succeed(None)
    return [world]


def _sets(machine: Machine, body: Node) -> tuple[str, ...]:
    """The names that a function assigns to, as far as the syntax alone tells."""
    known = machine.sets.get(id(body))
    if known is None:
        names: set[str] = set()
        waiting: list[object] = [body]
        while waiting:
            node = waiting.pop()
            if isinstance(node, tuple):
                waiting.extend(node)
            elif hasattr(node, "__slots__") and not isinstance(node, Traced):
                if isinstance(node, Assign | For):
                    names.add(node.name)
                waiting.extend([getattr(node, part) for part in node.__slots__])
        known = machine.sets[id(body)] = body, tuple(sorted(names))
    return known[1]


def source(machine: Machine, file: Word, arguments: tuple[Word, ...], call: Call, world: World) -> list[World]:
    """``. FILE``: a file of the repository is evaluated in this shell."""
    texts = written(world, file)
    if texts and machine.depth < MAX_CALLS:
        return [
            end
            for text in texts
            for end in _sourced(machine, contents(machine, text) or text, None, arguments, call, world.copy())
        ]
    path = _path(machine, file, world)
    text = None
    if path is not None and machine.depth < MAX_CALLS:
        machine.depends.add(path)
        text = machine.setting.files.read(path)
    if text is None:
        if not any(end in file.shown for end in _WELL_KNOWN):
            load(world, file.shown, ", and that file is not read")
            world.args, world.args_known = (), False
        world.succeed(None)
        return [world]
    return _sourced(machine, text.traced(), text.path, arguments, call, world)


def _sourced(
    machine: Machine, text: Traced, path: str | None, arguments: tuple[Word, ...], call: Call, world: World
) -> list[World]:
    """The text of a file, in this shell."""
    args, known, name = world.args, world.args_known, world.name
    via, outer, reset = world.via, world.source, world.reset_args
    world.source = path
    if not machine.bash:
        arguments = ()  # dash passes none on
    if arguments:
        world.args, world.args_known = tuple(Traced(w.pieces) for w in arguments), True
        world.reset_args = False
    span = call.words[0].written
    world.via = (*via, span) if span is not None else via
    machine.depth += 1
    try:
        ends = machine.run_text(text.grounded(call.node.route), [world], call.context)
    finally:
        machine.depth -= 1
    for end in ends:
        end.via, end.name, end.source = via, name, outer
        if arguments:
            if not end.reset_args:
                end.args, end.args_known = args, known
            end.reset_args = reset or end.reset_args
        if end.flow is Flow.RETURN:
            end.flow = None
    return ends


def _path(machine: Machine, file: Word, world: World) -> str | None:
    """The file of the repository that a sourced name is: relative to the root, or to the script's folder."""
    exact = resolved(file, world.directory)
    if exact is not None and machine.setting.files.read(exact) is not None:
        return exact
    if exact is not None:
        machine.depends.add(exact)
    if file.known:
        name = file.text
    else:
        # "$(dirname "$0")/x.sh" and "$ROOT/x.sh": the script's own folder, or the root.
        pieces = file.pieces
        if len(pieces) < 2 or pieces[0].hole is None or any(p.hole for p in pieces[1:]):
            return None
        name = "".join(p.text for p in pieces[1:]).lstrip("/")
    if name.startswith("/"):
        return None
    own = next((s.path for p in machine.script.text.pieces for s in p.route[-1:]), "")
    for base in ("", dirname(own)):
        path = normpath(join_path(base, name))
        if not path.startswith("..") and machine.setting.files.read(path) is not None:
            return path
    path = normpath(name)
    return None if path.startswith("..") else path
