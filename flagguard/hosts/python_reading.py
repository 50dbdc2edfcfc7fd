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
from flagguard.hosts.python_programs import actions
from flagguard.hosts.python_statements import Returned, run, start
from flagguard.hosts.python_text import BrokenFile, Parsed
from flagguard.hosts.python_values import (
    Class,
    Function,
    Instance,
    Items,
    Mapping,
    Named,
    Plain,
    Value,
    gap,
)
from flagguard.hosts.python_world import Decision, Exhausted, Found, Key, Stopped, World
from flagguard.patterns import expression
from flagguard.text import Decider, Problem, SourceText, Traced
from flagguard.values import replace

MAX_OPEN = 6
"""Questions of which all answers are combined,"""
MAX_RUNS = 40
"""and runs for one platform."""
_STEPS = ("initialize_options", "finalize_options", "run", "build_extensions", "build_extension", "build_libraries")
_COMMANDS = ("Command", "build_ext", "BuildExtension", "build", "build_py", "build_clib", "develop", "install", "sdist",
             "bdist_wheel", "egg_info", "install_lib", "test")  # fmt: skip
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_CARRIES = expression(r"create_target_machine|extra_\w+_args|Extension\(|\breloc\s*=|codemodel\s*=|\bsetup\(")
"""What a function must speak of to be read where nothing in the file calls it."""
_T = TypeVar("_T", Call, Script)
Given = dict[Key, bool]


def read(source: SourceText, setting: Setting) -> Reading:
    try:
        parsed = Parsed(source)
    except BrokenFile as broken:
        return Reading(problems=(Problem(source.path, broken.line, f"not Python 3, so not read: {broken.message}"),))
    calls: list[Call] = []
    scripts: list[Script] = []
    problems: list[Problem] = []
    for platform in setting.platforms:
        found, asked = _platform(parsed, platform, setting)
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


def _platform(parsed: Parsed, platform: str, setting: Setting) -> tuple[Found, bool]:
    """All runs on one platform: of the script itself, then of each function that something outside calls."""
    together = Found()
    asked = False
    called: set[int] = set()
    entries: dict[int, bool] = {}

    def unit(entry: int | None, *, declared: bool) -> None:
        nonlocal asked
        for world, told in _runs(parsed, platform, setting, entry):
            asked = asked or world.asked
            together.calls += world.found.calls
            together.scripts += [] if declared else world.found.scripts
            together.problems += world.found.problems
            called.update(world.called)
            entries.update({f.node.lineno: _receiver(world, f) != "" for f in world.functions if _is_entry(world, f)})
            if told:
                together.problems.append(Problem(parsed.source.path, 1, told, fatal="questions are open" not in told))

    unit(None, declared=False)
    for line in sorted(line for line, started in entries.items() if started):
        unit(line, declared=False)
    for line in sorted(line for line, started in entries.items() if not started):
        if not _lines(parsed, called) & {line}:
            unit(line, declared=True)
    return together, asked


def _lines(parsed: Parsed, called: set[int]) -> set[int]:
    """Where the functions stand that have been called."""
    return {node.lineno for node in ast.walk(parsed.tree) if id(node) in called and isinstance(node, _FUNCTIONS)}


def _runs(parsed: Parsed, platform: str, setting: Setting, entry: int | None) -> list[tuple[World, str]]:
    return runs(lambda given: _one(parsed, platform, setting, given, entry))


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


def _one(parsed: Parsed, platform: str, setting: Setting, given: Given, entry: int | None) -> tuple[World, str]:
    world = World(parsed, platform, setting.assume, given)
    told = ""
    try:
        with suppress(Stopped):
            run(world, parsed.tree.body, Returned())
        if entry is None:
            for value in list(world.classes):
                if isinstance(value, Class) and any(name.rpartition(".")[2] in _COMMANDS for name in value.foreign):
                    _command_class(world, value)
        else:
            world.made.clear()
            world.found.scripts.clear()
            for function in [f for f in world.functions if f.node.lineno == entry]:
                _entry(world, function)
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
    span = world.parsed.span(function.node)
    return (
        _receiver(world, function) != "" or _CARRIES.search(world.parsed.source.text, span.start, span.end) is not None
    )


def _receiver(world: World, function: Function) -> str:
    """What nox, Invoke or doit give the function; empty where none of them calls it."""
    node = function.node
    if isinstance(node, ast.Lambda) or function.owner is not None:
        return ""
    said = [ast.unparse(d).partition("(")[0].rpartition(".")[2] for d in node.decorator_list]
    if "session" in said:
        return "nox.Session"
    if "task" in said:
        return "invoke.Context"
    doit = world.path.rpartition("/")[2] == "dodo.py" and node.name.startswith("task_")
    return "doit" if doit else ""


def _guarded(world: World, function: Function, values: list[Value]) -> Value:
    try:
        return start(world, function, values)
    except Stopped:
        return Plain(None)


def _command_class(world: World, of: Class) -> None:
    instance = Instance(of)
    for name in _STEPS:
        found = of.find(name)
        if not isinstance(found, Function) or id(found.node) in world.called:
            continue
        if name != "build_extension":
            _guarded(world, found, [instance])
            continue
        made: list[Value] = [m.instance or m for m in world.made if m.name.endswith("Extension")]
        for extension in made or [gap("ext", "an extension", None)]:
            _guarded(world, found, [instance, extension])


def _entry(world: World, function: Function) -> None:
    """A session, a task, or a function that others may call."""
    node = function.node
    receiver = _receiver(world, function)
    if isinstance(node, ast.Lambda):
        return
    if receiver == "doit":
        _task(world, node.name.removeprefix("task_"))
        actions(world, _guarded(world, function, []), node)
        return
    if not receiver:
        if function.owner is None:
            _guarded(world, function, [])
        for value in world.classes if function.owner is not None else ():
            # a method is called on what comes of its class as well
            if isinstance(value, Class) and value.find(function.name) is function:
                _guarded(world, function, [Instance(value)])
        return
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    _task(world, _said_name(node) or node.name)
    for values in _parameters(world, node):
        rest: list[Value] = []
        for argument in names[1:]:
            default = function.defaults.get(argument)
            if argument in values:
                rest.append(values[argument])
            elif isinstance(default, Traced):
                rest.append(default.overridable())
            elif isinstance(default, Plain):
                rest.append(replace(default, soft=True))
            elif default is not None:
                rest.append(default)
            else:
                rest.append(gap(argument, "an argument of the task", None, Decider.OUTSIDE, name=argument))
        world.session = Mapping() if receiver == "nox.Session" else None
        _guarded(world, function, [Named(receiver), *rest][: len(names)])


def _task(world: World, name: str | None) -> None:
    world.task = name
    world.session = None
    world.folder = ""


def _said_name(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    for decorator in node.decorator_list:
        for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                return str(keyword.value.value)
    return None


def _parameters(world: World, node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[dict[str, Value]]:
    """What `@nox.parametrize` gives, one call after the other."""
    from flagguard.hosts.python_expressions import evaluate

    rows: list[dict[str, Value]] = [{}]
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Call) or not ast.unparse(decorator.func).endswith("parametrize"):
            continue
        found = [evaluate(world, part) for part in decorator.args[:2]]
        if len(found) < 2 or not isinstance(found[1], Items) or not found[1].items:
            continue
        said = found[0].items if isinstance(found[0], Items) else []
        names = [n.text for n in said if isinstance(n, Traced)] or (
            [n.strip() for n in found[0].text.split(",")] if isinstance(found[0], Traced) else [])  # fmt: skip
        made: list[dict[str, Value]] = []
        for row in rows:
            for value in found[1].items[:16]:
                values = value.items if len(names) > 1 and isinstance(value, Items) else [value]
                made.append({**row, **dict(zip(names, values, strict=False))})
        rows = made[:32] or rows
    return rows


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
