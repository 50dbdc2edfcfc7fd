"""Wrappers at work: the command inside ``sudo``, ``env``, ``sh -c``, ``xargs``, and what reaches it of the environment.

:mod:`flagguard.shell.wrappers` says what is inside; here it is evaluated.
"""

import re
from collections.abc import Sequence

from flagguard.command import Dialect, Word, word
from flagguard.hosts import starts_task
from flagguard.paths import inside, resolved
from flagguard.shell.functions import source
from flagguard.shell.handing import handed_over
from flagguard.shell.loading import harmless, is_environment, load, load_text, of_file
from flagguard.shell.machine import MAX_CALLS, Call, Machine
from flagguard.shell.noting import environment, note
from flagguard.shell.peeled import Peeled
from flagguard.shell.state import UNSET, Var, World
from flagguard.shell.wrapper_table import Env
from flagguard.shell.wrappers import peel
from flagguard.shell.written import contents, tree_file, unknown, written
from flagguard.shell.xargs import Options, argument_lists, from_file
from flagguard.text import HOLE_MARK, Decider, Hole, Piece, Shape, Traced, hole, join, literal
from flagguard.values import replace

_MOST_WRAPPERS = 40
_MOST_RUNS = 64
"""Runs of xargs that are looked at one by one."""

_STANDARD_INPUT = ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
_VOLUME = re.compile(r"(?P<source>[^:]*):(?P<target>[^:]+)(?::[\w,]*)?")
_BOUND = re.compile(r"(?:source|src)=(?P<source>[^,]*),(?:.*,)?(?:target|dst|destination)=(?P<target>[^,]*)")
"""`--volume` and `--mount` of docker run."""
_READ_FILES = frozenset({"at", "batch"})
"""Wrappers that are no shells, and hand a file to one."""
_STARTS_BASH = frozenset({"parallel", "sem", "env_parallel"})
"""Wrappers that hand their command to the user's shell, which knows exported functions (parallel(1))."""


def external(machine: Machine, call: Call, world: World) -> list[World]:
    """A command that no shell reads: no function and no builtin."""
    inner = peel(call.words, machine.setting.wrappers)
    if not inner or starts_task(call.words, world.directory, machine.setting):
        return note(machine, call, world)
    for peeled in inner:
        enter(machine, peeled, call, world)
    return [world]


def _folder(name: Word, mounts: tuple[Word, ...], here: str | None) -> str | None:
    """The folder of the tree that a wrapper's command runs in."""
    if not name.known or not name.text.startswith("/"):
        return resolved(name, here)
    for mount in reversed(mounts):
        found = _BOUND.search(mount.text) or _VOLUME.fullmatch(mount.text)
        if found is None:
            continue
        target = found["target"].rstrip("/")
        if name.text.rstrip("/") == target or name.text.startswith(f"{target}/"):
            source = resolved(mount.cut(*found.span("source")), here)
            return None if source is None else inside(source, name.text[len(target) :].strip("/") or ".")
    return None


def enter(machine: Machine, peeled: Peeled, call: Call, world: World) -> list[World]:
    """What runs inside a wrapper; the call itself where that cannot be known."""
    if peeled.directory is not None:
        here = world.directory
        world.directory = _folder(peeled.directory, peeled.mounts, here)
        ends = enter(machine, replace(peeled, directory=None), call, world)
        for end in ends:
            end.directory = here
        return ends
    wrappers = (*call.wrappers, peeled.wrapper)
    if len(wrappers) > _MOST_WRAPPERS:
        machine.problem(Traced(call.words[0].pieces), "there are too many wrappers around this command to follow")
        return note(machine, call, world)
    if peeled.doubt is not None:
        what = f"what {peeled.doubt.shown} means to {peeled.wrapper[0].shown} is not known"
        machine.problem(Traced(peeled.doubt.pieces), f"{what}: the command may begin elsewhere", fatal=False)
    if peeled.dialect is Dialect.UNREAD:
        told = f"the commands that {peeled.wrapper[0].shown} runs are in a language that is not read"
        machine.problem(Traced(call.words[0].pieces), told, fatal=False)
        return note(machine, call, world)
    if (
        peeled.dialect in (Dialect.POWERSHELL, Dialect.CMD)
        and peeled.script is not None
        and peeled.script.text != HOLE_MARK
    ):
        return handed_over(machine, peeled.dialect, peeled.script, replace(call, wrappers=wrappers), world)
    if peeled.argv and peeled.wrapper[0].text.endswith("xargs"):
        given, own = from_file(machine, peeled.wrapper, world)
        heard = given if given is not None else world.stdin
        lists = argument_lists(own, contents(machine, heard) or heard) if heard is not None else None
        if lists is not None:
            return _each(machine, peeled, lists, call, world)
        if peeled.appended is not None and heard is not None and not heard.known:
            peeled = replace(peeled, appended=_of(peeled.appended, heard))
    if peeled.argv:
        shape = Shape.PATH if peeled.wrapper[0].text.endswith("find") else Shape.ANY
        argv = tuple(_with_input(w, peeled.replaces, shape) for w in peeled.argv)
        if peeled.appended is not None:
            argv = (*argv, Word((Piece(peeled.appended.text, hole=peeled.appended),)))
        vanished: tuple[tuple[int, Hole], ...] = ()
        if peeled.index >= 0:
            vanished = tuple((i - peeled.index, h) for i, h in call.vanished if i >= peeled.index)
        inner = replace(call, words=argv, vanished=vanished, operands=(), wrappers=wrappers)
        inner = replace(inner, env=_environment(machine, peeled, call, world), unset=(*call.unset, *peeled.unset))
        if peeled.env is Env.CLEAR:
            inner = replace(inner, cleared=True, passes=peeled.passes)
        if peeled.ignores_status:
            inner = replace(inner, context=replace(call.context, swallowed=True))
        if len(argv) > 1 and of_file(argv[0]) and peeled.wrapper[0].text.rsplit("/", 1)[-1] == "env":
            return _with_file(machine, inner, world)
        return machine.dispatch(inner, world)
    if peeled.script is not None:
        return _text(machine, peeled, peeled.script, call, world, wrappers)
    if peeled.script_file is not None and peeled.script_file.text in _STANDARD_INPUT and world.stdin is not None:
        return _text(machine, peeled, world.stdin, call, world, wrappers)
    if peeled.script_file is not None and (gap := unknown(peeled.script_file, world)) is not None:
        tell_unknown(machine, call, gap)
    if peeled.script_file is not None and not peeled.in_process:
        texts = written(world, peeled.script_file) or _elsewhere(machine, peeled, world)
        if texts:
            return run_written(machine, peeled, texts, call, world)
    if peeled.script_file is not None and peeled.in_process:
        return source(machine, peeled.script_file, peeled.arguments, call, world)
    if peeled.reads_stdin and world.stdin is not None:
        return _text(machine, peeled, world.stdin, call, world, wrappers)
    if peeled.script_file is not None and peeled.dialect is Dialect.BASH and machine.depth < MAX_CALLS:
        machine.depth += 1
        _startup(machine, call, _child(machine, peeled, call, world))
        machine.depth -= 1
    return note(machine, call, world)


def _with_file(machine: Machine, call: Call, world: World) -> list[World]:
    """`env $(cat FILE) COMMAND`: the lines of the file are the environment of the command alone."""
    before = world.sourced
    load(world, f"`{call.words[0].shown}`")
    vanished = tuple((i - 1, h) for i, h in call.vanished if i >= 1)
    ends = machine.dispatch(replace(call, words=call.words[1:], vanished=vanished), world)
    for end in ends:
        end.sourced = before
    return ends


def run_written(machine: Machine, peeled: Peeled, texts: Sequence[Traced], call: Call, world: World) -> list[World]:
    """A file that the script itself has written is run."""
    wrappers = (*call.wrappers, peeled.wrapper)
    span, via = call.words[0].written, world.via
    out: list[World] = []
    for text in texts:
        trial = world.copy()
        trial.via = (*via, span) if span is not None else via
        out += _text(machine, peeled, text, call, trial, wrappers)
    for end in out:
        end.via = via
    return out


def _each(
    machine: Machine, peeled: Peeled, lists: tuple[Options, list[list[Traced]]], call: Call, world: World
) -> list[World]:
    """xargs on a known input: each run that it makes."""
    options, runs = lists
    out = [world]
    world.succeed()
    for items in runs[:_MOST_RUNS]:
        if options.replaces:
            argv = tuple(_filled(w, options.replaces, items[0]) for w in peeled.argv)
        else:
            argv = (*peeled.argv, *(Word(i.pieces) for i in items))
        inner = replace(call, words=argv, vanished=(), operands=(), wrappers=(*call.wrappers, peeled.wrapper))
        out = [w for one in out for w in machine.dispatch(inner, one)]
    return out


def _environment(machine: Machine, peeled: Peeled, call: Call, world: World) -> dict[str, Traced]:
    env = {} if peeled.env is Env.CLEAR else dict(call.env)
    for name in peeled.passes:
        if name in call.env:
            env[name] = call.env[name]
    for name in peeled.unset:
        env.pop(name, None)
    for file in peeled.env_files:
        env.update(_of_env_file(machine, file, world))
    for name, value in peeled.assignments:
        env[name] = Traced(value.pieces)
    return env


def _of_env_file(machine: Machine, file: Word, world: World) -> dict[str, Traced]:
    """The lines of `docker run --env-file`: no quotes, no expansion (docker's reference, "run", "Set environment
    variables"); a file that is not read may set anything."""
    path = tree_file(machine, file, world)
    source = machine.setting.files.read(path) if path is not None else None
    texts = written(world, file) or ((source.traced(),) if source is not None else ())
    if len(texts) != 1:
        load(world, file.shown, ", and that file is not read")
        return {}
    found: dict[str, Traced] = {}
    at = 0
    for line in texts[0].text.split("\n"):
        name, equals, _ = line.partition("=")
        if equals and re.fullmatch(r"\s*[A-Za-z_]\w*", name):
            found[name.strip()] = texts[0].cut(at + len(name) + 1, at + len(line.rstrip("\r")))
        at += len(line) + 1
    return found


def _text(
    machine: Machine, peeled: Peeled, script: Traced, call: Call, world: World, wrappers: tuple[tuple[Word, ...], ...]
) -> list[World]:
    """Shell text inside a wrapper."""
    if machine.depth >= MAX_CALLS:
        machine.problem(Traced(call.words[0].pieces), "commands are nested too deeply to follow", fatal=False)
        return note(machine, call, world)
    text = contents(machine, script)
    if text is not None and not is_environment(text.text):
        return run_written(machine, peeled, (text,), call, world)
    if not script.known and script.text.strip() == HOLE_MARK:
        tell_unknown(machine, call, script.holes[0])
        if peeled.in_process:
            load_text(world, script, call.node.shown)
        return note(machine, call, world)
    script = script.grounded(call.node.route)
    machine.depth += 1
    try:
        if peeled.in_process:
            ends = machine.run_text(script, [world], call.context)
            for end in ends:
                load_text(end, script, call.node.shown)
            return ends
        return _in_child(machine, peeled, script, call, world, wrappers)
    finally:
        machine.depth -= 1


def _elsewhere(machine: Machine, peeled: Peeled, world: World) -> tuple[Traced, ...]:
    """The text of a file that something else than a shell has a shell read (`at -f FILE`)."""
    if peeled.script_file is None or peeled.wrapper[0].text.rsplit("/", 1)[-1] not in _READ_FILES:
        return ()
    path = tree_file(machine, peeled.script_file, world)
    source = machine.setting.files.read(path) if path is not None else None
    return (source.traced(),) if source is not None else ()


def tell_unknown(machine: Machine, call: Call, gap: Hole) -> None:
    """A text that the repository makes, and that a shell runs: what it runs is not judged, and that is told."""
    if gap.decider is Decider.REPOSITORY and not harmless(gap, hole(gap)):
        told = f"what {call.words[0].shown} runs here is {gap.reason}: the commands in it are not judged"
        machine.problem(Traced(call.words[0].pieces), told, fatal=False)


def _of(appended: Hole, heard: Traced) -> Hole:
    """What xargs appends: who decides its input decides it."""
    gap = next((h for h in heard.holes if h.file is not None), None)
    return appended if gap is None else replace(appended, decider=gap.decider)


def _in_child(
    machine: Machine, peeled: Peeled, script: Traced, call: Call, world: World, wrappers: tuple[tuple[Word, ...], ...]
) -> list[World]:
    saved, machine.wrapped = machine.wrapped, (*machine.wrapped, *wrappers)
    try:
        bash = peeled.dialect is Dialect.BASH
        swallowed = call.context.swallowed or peeled.ignores_status
        context = replace(call.context, swallowed=swallowed, loops=0)
        child = _child(machine, peeled, call, world)
        begun = _startup(machine, call, child) if bash else [child]
        ends = machine.finish(machine.run_text(script, begun, context, bash))
    finally:
        machine.wrapped = saved
    return [world.after(end) for end in ends]


def _startup(machine: Machine, call: Call, child: World) -> list[World]:
    """bash runs the file that BASH_ENV names first (bash manual 6.2)."""
    var = child.vars.get("BASH_ENV")
    file = var.scalar if var is not None else None
    if file is None or not file.text:
        return [child]
    outer, machine.bash = machine.bash, True
    try:
        return source(machine, word(file), (), call, child)
    finally:
        machine.bash = outer


def _child(machine: Machine, peeled: Peeled, call: Call, world: World) -> World:
    """The world of a new shell: only what is exported reaches it."""
    seen = dict(environment(replace(call, cleared=call.cleared or peeled.env is Env.CLEAR), world, peeled.passes))
    seen.update(_environment(machine, peeled, call, world))
    inner = World(when=world.when, opt_in=world.opt_in, out=world.out, via=world.via, directory=world.directory)
    inner.sourced, inner.files = world.sourced, world.files
    inner.descriptors = world.descriptors if peeled.env is not Env.CLEAR else {}
    inner.stdin = None if peeled.reads_stdin else world.stdin
    if peeled.dialect is Dialect.BASH or peeled.wrapper[0].text.rsplit("/", 1)[-1] in _STARTS_BASH:
        _share(world, inner)
    for name, value in seen.items():
        inner.put(name, Var(value, exported=True, inherited=True))
    for name, var in world.vars.items():
        if var.assumed and name not in inner.vars:
            inner.put(name, var)
    for name in (*peeled.unset, *call.unset):
        inner.put(name, UNSET)
    inner.args = tuple(Traced(w.pieces) for w in peeled.arguments)
    inner.args_known = True
    inner.name = Traced(peeled.name.pieces) if peeled.name is not None else literal("sh")
    options = (("errexit", peeled.errexit), ("pipefail", peeled.pipefail), ("nounset", peeled.nounset))
    inner.options = frozenset(name for name, on in options if on)
    return inner


def _share(world: World, inner: World) -> None:
    inner.shared = world.shared
    for name in sorted(world.shared):
        body = world.functions.get(name)
        if body is not None:
            inner.functions[name] = body


def _with_input(item: Word, replaces: str | None, shape: Shape) -> Word:
    """A word of `xargs -I{}` or `find -exec` with the input's place as a hole."""
    if not replaces or replaces not in item.text:
        return item
    out: list[Piece] = []
    at, text = 0, item.text
    while True:
        found = text.find(replaces, at)
        if found < 0:
            out.extend(item.cut(at, len(text)).pieces)
            return word(Traced(tuple(out)), item.written)
        out.extend(item.cut(at, found).pieces)
        gap = Hole(replaces, "an item of the input", Decider.OUTSIDE, shape)
        out.append(Piece(replaces, item.cut(found, found + len(replaces)).route, hole=gap))
        at = found + len(replaces)


def _filled(item: Word, replaces: str, value: Traced) -> Word:
    """A word of `xargs -I` with the input put in."""
    parts, at, text = [], 0, item.text
    while (found := text.find(replaces, at)) >= 0:
        parts += [item.cut(at, found), value]
        at = found + len(replaces)
    return word(join([*parts, item.cut(at, len(text))]), item.written) if parts else item
