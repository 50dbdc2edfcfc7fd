"""From a build script to its commands: one run for each way in which open questions can be answered, on each platform.

Past :data:`MAX_OPEN` each answer is given at least once, not all of them together, and that is told.
"""

import ast
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TypeVar

from flagguard.command import Call, Reading, Script
from flagguard.hosts import Setting
from flagguard.hosts.python_carriers import finish
from flagguard.hosts.python_entries import chosen, enter, guarded, receiver
from flagguard.hosts.python_scons import world_of
from flagguard.hosts.python_statements import Returned, run
from flagguard.hosts.python_text import BrokenFile, Parsed
from flagguard.hosts.python_values import (
    Class,
    Function,
    Instance,
    Value,
    gap,
    text_of,
)
from flagguard.hosts.python_world import Called, Decision, Exhausted, Found, Key, Stopped, World
from flagguard.patterns import expression
from flagguard.text import Problem, SourceText, Traced
from flagguard.values import replace

MAX_OPEN = 6
"""Questions of which all answers are combined,"""
MAX_RUNS = 40
"""and runs for one platform."""
_STEPS = ("initialize_options", "finalize_options", "run", "build_extensions", "build_extension", "build_libraries")
_COMMANDS = ("Command", "build_ext", "BuildExtension", "build", "build_py", "build_clib", "develop", "install", "sdist",
             "bdist_wheel", "egg_info", "install_lib", "test")  # fmt: skip
_HOOKS = {
    "BuildHookInterface": ("initialize", "finalize"),
    "MetadataHookInterface": ("update",),
    "ConanFile": ("config_options", "configure", "source", "generate", "build", "package", "package_info", "test"),
}
"""Classes of Hatchling and Conan whose methods a build calls."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_CARRIES = expression(r"create_target_machine|extra_\w+_args|Extension\(|\breloc\s*=|codemodel\s*=|\bsetup\(")
"""What a function must speak of to be read where nothing in the file calls it,"""
_RUNS = expression(r"\bsubprocess\.|\bos\.(?:system|popen|exec|spawn)|\b(?:check_call|check_output|Popen)\(")
"""or call."""
_T = TypeVar("_T", Call, Script)
Given = dict[Key, bool]


def read(source: SourceText, setting: Setting, called: Called | None = None) -> Reading:
    """What the script runs and carries. ``called``: how somebody starts it; None: nobody does."""
    try:
        parsed = Parsed(source)
    except BrokenFile as broken:
        return Reading(problems=(Problem(source.path, broken.line, f"not Python 3, so not read: {broken.message}"),))
    calls: list[Call] = []
    scripts: list[Script] = []
    problems: list[Problem] = []
    for platform in setting.platforms:
        found, asked = _platform(parsed, platform, setting, called)
        if not asked:
            calls += [replace(call, platforms=None) for call in reduced(found.calls)]
            scripts += [replace(script, platforms=None) for script in reduced(found.scripts)]
        else:
            calls += reduced(found.calls)
            scripts += reduced(found.scripts)
        problems += found.problems
        if not asked:
            break
    return Reading(tuple(scripts), tuple(calls), tuple(dict.fromkeys(problems)))


def _platform(parsed: Parsed, platform: str, setting: Setting, called_by: Called | None) -> tuple[Found, bool]:
    """All runs on one platform: of the script itself, then of each function that something outside calls."""
    together = Found()
    asked = False
    called: set[int] = set()
    entries: dict[int, bool] = {}
    wanted: list[int] | None = None
    imported = False
    """Whether the script runs nothing itself: it is there for others to import."""

    def unit(entry: int | None, *, declared: bool) -> None:
        nonlocal asked, wanted, called_by
        made = runs(lambda given: _one(parsed, platform, setting, given, entry, called_by))
        if entry is not None and called_by is not None and called_by.runner:
            # one process runs them all
            called_by = replace(called_by, env={**called_by.env, **_kept([world for world, _ in made])})
        for world, told in made:
            more = chosen(world, frozenset(world.notified) if entry is not None else None)
            if more is not None and (wanted is not None or entry is None):
                wanted = list(dict.fromkeys([*(wanted or ()), *more]))
            asked = asked or world.asked
            together.calls += world.found.calls
            found = world.found.scripts
            together.scripts += [one for one in found if imported and _told_apart(one[0])] if declared else found
            together.problems += world.found.problems
            called.update(world.called)
            entries.update({f.node.lineno: receiver(world, f) != "" for f in world.functions if _is_entry(world, f)})
            if told:
                together.problems.append(Problem(parsed.source.path, 1, told, fatal="questions are open" not in told))

    unit(None, declared=False)
    done: set[int] = set()
    while pending := {n for n, started in entries.items() if started and (wanted is None or n in wanted)} - done:
        done |= pending
        for line in sorted(pending, key=(wanted or sorted(pending)).index):
            unit(line, declared=False)
    imported = not together.scripts and not done and "__main__" not in parsed.source.text
    for line in sorted(line for line, started in entries.items() if not started):
        if not _lines(parsed, called) & {line} and called_by is None:
            unit(line, declared=True)
    return together, asked


def _told_apart(script: Script) -> bool:
    """Whether it is known which program runs: a helper that runs what it is given says nothing alone."""
    first = script.argv[0] if script.argv else script.text.cut(0, len(script.text.text.partition(" ")[0]))
    return bool(first.text) and first.known


def _kept(worlds: Iterable[World]) -> dict[str, Traced]:
    """The environment that a session or a task leaves behind."""
    found: dict[str, Traced] = {}
    for world in worlds:
        for name, value in world.environ.entries.items():
            text = text_of(value)
            if isinstance(name, str) and found.setdefault(name, text).shown != text.shown:
                found[name] = text_of(gap(f"${name}", "what ran before decides it", None))
    return found


def _lines(parsed: Parsed, called: set[int]) -> set[int]:
    """Where the functions stand that have been called."""
    return {node.lineno for node in ast.walk(parsed.tree) if id(node) in called and isinstance(node, _FUNCTIONS)}


def runs(one: Callable[[Given], tuple[World, str]]) -> list[tuple[World, str]]:
    """Every way to answer what is open; past the bound, each answer with the others as they are first.

    ``one``: a run with some answers, and what is wrong with it.
    """
    together: list[tuple[World, str]] = []
    pending: list[Given] = [{}]
    while pending and len(together) + len(pending) <= MAX_RUNS:
        given = pending.pop()
        world, told = one(given)
        together.append((world, told))
        trail = world.decisions
        if not given and len(trail) > MAX_OPEN:
            break
        for i, decision in enumerate(trail):
            if decision.key not in given:
                turned = {d.key: d.outcome for d in trail[:i]}
                pending.append({**turned, decision.key: not decision.outcome})
    else:
        if not pending:
            return together
    return _each(one)


def _each(one: Callable[[Given], tuple[World, str]]) -> list[tuple[World, str]]:
    together: list[tuple[World, str]] = []
    pending: list[Given] = [{}]
    seen: set[Key] = set()
    told = f"more than {MAX_OPEN} questions are open: each answer is judged, not all of them together"
    while pending and len(together) < 2 * MAX_RUNS:
        given = pending.pop(0)
        world, wrong = one(given)
        for decision in world.decisions:
            if decision.key not in seen:
                seen.add(decision.key)
                pending.append({**given, decision.key: not decision.outcome})
        found = world.found
        found.calls = [(call, tuple(d for d in trail if d.key in given)) for call, trail in found.calls]
        found.scripts = [(script, tuple(d for d in trail if d.key in given)) for script, trail in found.scripts]
        together.append((world, wrong or told))
    return together


def _one(
    parsed: Parsed, platform: str, setting: Setting, given: Given, entry: int | None, called_by: Called | None
) -> tuple[World, str]:
    world = world_of(parsed.source.path)(parsed, platform, setting.assume, given, called_by)
    world.begin()
    told = ""
    try:
        with suppress(Stopped):
            run(world, parsed.tree.body, Returned())
        if entry is None:
            world.enter()
            for value in list(world.classes):
                bases = {name.rpartition(".")[2] for name in value.foreign} if isinstance(value, Class) else set()
                if isinstance(value, Class) and bases & {*_COMMANDS, *_HOOKS}:
                    hooks = next((_HOOKS[name] for name in _HOOKS if name in bases), _STEPS)
                    _command_class(world, value, hooks)
        else:
            world.made.clear()
            world.found.scripts.clear()
            for function in [f for f in world.functions if f.node.lineno == entry]:
                enter(world, function)
        finish(world)
    except Exhausted:
        told = "it runs too long to be followed; from some place on nothing is judged"
    except RecursionError:
        told = "it is nested too deeply to be followed"
    return world, told


# -- what something outside calls -------------------------------------------------------------------------------------


def _is_entry(world: World, function: Function) -> bool:
    """Whether something outside may call it, and it says something that matters."""
    if isinstance(function.node, ast.Lambda) or (function.owner is None and function.scope is not world.module):
        return False
    if receiver(world, function) != "":
        return True
    span, text = world.parsed.span(function.node), world.parsed.source.text
    return any(wanted.search(text, span.start, span.end) is not None for wanted in (_CARRIES, _RUNS))


def _command_class(world: World, of: Class, steps: tuple[str, ...]) -> None:
    instance = Instance(of)
    for name in steps:
        found = of.find(name)
        if not isinstance(found, Function) or id(found.node) in world.called:
            continue
        if name != "build_extension":
            guarded(world, found, [instance])
            continue
        made: list[Value] = [m.instance or m for m in world.made if m.name.endswith("Extension")]
        for extension in made or [gap("ext", "an extension", None)]:
            guarded(world, found, [instance, extension])


# -- what differs -----------------------------------------------------------------------------------------------------


def reduced(found: Iterable[tuple[_T, tuple[Decision, ...]]]) -> list[_T]:
    """Each once for each set of answers that it really depends on."""
    groups: dict[object, tuple[_T, set[frozenset[tuple[Key, bool]]]]] = {}
    decisions: dict[Key, Decision] = {}
    for one, trail in found:
        argv = tuple(w.pieces for w in one.argv)
        where = one.span if isinstance(one, Call) else (one.text.pieces, one.dialect, one.directory, one.ignored)
        env = tuple((v.name, v.value.pieces) for v in one.env)
        group = groups.setdefault((where, argv, env, one.place), (one, set()))
        group[1].add(frozenset((d.key, d.outcome) for d in trail))
        for decision in trail:
            decisions.setdefault(decision.key, decision)
    out: list[_T] = []
    for one, answers in groups.values():
        for answer in _simplified(answers):
            told = [(decisions[key], outcome) for key, outcome in answer]
            told.sort(key=lambda pair: list(decisions).index(pair[0].key))
            when = tuple(dict.fromkeys(d.text if outcome else f"not ({d.text})" for d, outcome in told))
            opt_in = any(d.opt_in is outcome for d, outcome in told)
            out.append(replace(one, when=when, opt_in=opt_in))
    return out


def _simplified(answers: set[frozenset[tuple[Key, bool]]]) -> list[frozenset[tuple[Key, bool]]]:
    """Fewer sets of answers that say the same: a question that both answers lead through is dropped."""
    current = set(answers)
    changed = True
    while changed and len(current) > 1:
        changed = False
        for answer in sorted(current, key=lambda a: (-len(a), sorted(map(repr, a)))):
            for key, outcome in sorted(answer, key=repr):
                rest = answer - {(key, outcome)}
                if rest | {(key, not outcome)} in current:
                    current -= {answer, rest | {(key, not outcome)}}
                    current.add(rest)
                    changed = True
                    break
            if changed:
                break
        smaller = {a for a in current if not any(b < a for b in current)}
        changed = changed or len(smaller) < len(current)
        current = smaller
    if len(current) > 16:
        shared = frozenset.intersection(*current)
        return [shared]
    return sorted(current, key=lambda a: sorted(map(repr, a)))
