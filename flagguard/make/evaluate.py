"""From a makefile to its scripts, in every world and for every platform that makes a difference.

The one entry of this package. Pure: the same files and values give the same reading.
"""

from collections.abc import Mapping
from functools import lru_cache
from posixpath import dirname, relpath

from flagguard.command import Reading, Script
from flagguard.hosts import Setting
from flagguard.make import choices, start
from flagguard.make.answers import CURDIR
from flagguard.make.command_line import CommandLine
from flagguard.make.expand import Expander, Shared, Stop, Told
from flagguard.make.folder import Folder
from flagguard.make.holes import variable_hole
from flagguard.make.interpret import Interpreter
from flagguard.make.lines import makefile_text, words
from flagguard.make.outcome import Distinct, Masked
from flagguard.make.reader import FOREIGN, read
from flagguard.make.recipes import Recipes
from flagguard.make.syntax import Makefile
from flagguard.make.variables import Definition, Flavor, Origin
from flagguard.make.worlds import Assumption, Beyond, Explored, Kind, World, explore
from flagguard.renaming import GOAL
from flagguard.text import Problem, SourceText, Traced, hole, literal
from flagguard.values import dataclass, field, replace

CALLED_WORLDS = 2
"""In how many worlds one call of make is followed,"""
WORLDS = 16
"""In how many worlds one makefile is read for one platform,"""
WORK = 100_000
"""and how many pieces of text may come out of all of them together."""


MANY = "any of many conditions"
"""What is assumed in the world that stands for all that were not tried."""


@dataclass(frozen=True)
class Called:
    """How make is called."""

    goals: tuple[str, ...] | None = None
    """None: every target of the file; (): the default goal."""
    overrides: Mapping[str, Traced] = field(default_factory=dict)
    """Variables of the command line."""
    environment: Mapping[str, Traced] = field(default_factory=dict)
    directory: str | None = None
    """Where make runs, relative to the root; None: where the makefile is."""
    options: CommandLine = field(default_factory=CommandLine)
    more: tuple[str, ...] = ()
    """Makefiles that are read behind the first one."""
    evals: tuple[Traced, ...] = ()
    """What is read before it."""
    perhaps: frozenset[str] = frozenset()
    """The variables that may as well not be given: names, those of the command line behind :data:`start.OVERRIDING`."""
    open: bool = False
    """By a command of the world that stands for many: there is no other world for what is called."""

    @property
    def values(self) -> tuple[object, ...]:
        """All that makes a difference, to be compared."""
        given = [tuple((n, v.pieces) for n, v in sorted(m.items())) for m in (self.overrides, self.environment)]
        evals = tuple(text.pieces for text in self.evals)
        return (self.goals, *given, self.directory, self.options.identity, evals, self.open, self.perhaps)


@dataclass(frozen=True)
class _Task:
    """What is the same in every run."""

    source: SourceText
    makefiles: tuple[tuple[str, Makefile], ...]
    """Each with its path; none for ``--eval``."""
    before: frozenset[str]
    """Those of $(MAKEFILES)."""
    folder: Folder
    setting: Setting
    called: Called
    environment: Mapping[str, Traced]
    shared: Shared


@dataclass(frozen=True)
class _Result:
    """One run in one world."""

    alternatives: tuple[World, ...]
    scripts: tuple[Script, ...]
    told: tuple[Told, ...]
    asked_platform: bool
    included: tuple[str, ...]
    stopped: bool
    statements: int
    """How many statements were run."""
    started: tuple[str, ...] = ()
    """The default goal, and all that it needs."""
    named: str = ""
    """What the computed names of targets come to."""


def evaluate(path: str, setting: Setting, called: Called | None = None) -> Reading:
    """The scripts of the makefile ``path``; as ``called``, or else every target of it."""
    source = setting.files.read(path)
    if source is None:
        return Reading(problems=(Problem(path, 1, "the makefile cannot be read"),))
    return evaluate_source(source, setting, called)


def evaluate_source(source: SourceText, setting: Setting, called: Called | None = None) -> Reading:
    """:func:`evaluate`, of text that is read already."""
    task = _task(source, setting, called or Called())
    platforms = setting.platforms or ("linux-x86_64",)
    first = _explored(task, platforms[0])
    explored = {platforms[0]: first}
    asked = any(result.asked_platform for _, result in first.worlds)
    if asked:
        for platform in platforms[1:]:
            explored[platform] = _explored(task, platform)
    return _reading(task, explored, asked)


def evaluate_once(source: SourceText, setting: Setting, called: Called) -> Reading:
    """The same on the setting's first platform, where nothing but what is given is set outside."""
    task = _task(source, setting, called)
    platform = setting.platforms[0]
    only = explore(lambda world: _run(task, platform, world), lambda _: 1)
    return _reading(task, {platform: replace(only, left=())}, False)


def _started_in(path: str) -> str:
    """The folder that make is started in for a makefile: its own; for `debian/rules` the one above (Policy 4.9)."""
    folder = dirname(path)
    return dirname(folder) if f"/{path}".endswith("/debian/rules") else folder


@lru_cache(maxsize=256)
def _read(source: SourceText) -> Makefile:
    """The same for each of a makefile's many calls."""
    return read(makefile_text(source), automake=source.path.endswith(".am"))


def _task(source: SourceText, setting: Setting, called: Called) -> _Task:
    folder = Folder(setting.files, _started_in(source.path) if called.directory is None else called.directory)
    before = called.overrides.get("MAKEFILES") or called.environment.get("MAKEFILES")
    names = [folder.rooted(word.text) for word in words(before) if word.known] if before else []
    sources = [*filter(None, (setting.files.read(name) for name in names if name)), source]
    sources += filter(None, map(setting.files.read, called.more))
    makefiles = [("", read(text)) for text in called.evals]
    makefiles += [(one.path, _read(one)) for one in sources]
    unnamed = frozenset(one.path for one in sources[: sources.index(source)])
    given = {name: literal(text) for name, text in setting.assume.items()} | dict(called.environment)
    return _Task(source, tuple(makefiles), unnamed, folder, setting, called, given, Shared())


def _reading(task: _Task, explored: Mapping[str, Explored[_Result]], asked: bool) -> Reading:
    found = Distinct()
    platforms = list(explored)
    for index, one in enumerate(explored.values()):
        for script in _scripts(task, one):
            found.add(script, index)
    scripts = tuple(
        e.script
        if not asked or len(e.indexes) == len(platforms)
        else replace(e.script, platforms=frozenset(platforms[i] for i in e.indexes))
        for e in found.entries
    )
    if task.called.open:
        scripts = tuple(replace(script, when=(*script.when, MANY)) for script in scripts)
    results = [result for one in explored.values() for _, result in one.worlds]
    depends = dict.fromkeys(path for result in results for path in result.included)
    started = {(result.started[0], name): None for result in results for name in result.started}
    if _is_call(task.called):
        # what is made with a goal's values is made: nobody is left who makes it by itself
        made = (script.unit.partition(GOAL)[0] for script in scripts if not script.opt_in and GOAL in script.unit)
        started = {(name, name): None for name in (*(goal for _, goal in started), *made)}
    return Reading(
        scripts,
        problems=_problems(task, explored),
        depends=tuple(depends),
        started=tuple(started),
        named=tuple(dict.fromkeys(result.named for result in results if result.named)),
    )


def _is_call(called: Called) -> bool:
    """Whether the makefile is not just read for itself."""
    return called.goals is not None or called.directory is not None


def _room(first: _Result, most: int) -> int:
    """In how many worlds a makefile of this size is read."""
    size = sum(len(script.text.pieces) for script in first.scripts) + 5 * first.statements + 1
    return max(2, min(most, WORK // size))


def _explored(task: _Task, platform: str) -> Explored[_Result]:
    """All worlds; where the makefile refuses to go on in each of them, as if it did not."""
    goes_on = False
    if task.called.open:
        results = (_run(task, platform, (), goes_on, Beyond(opt_in=False)) for goes_on in (False, True))
        return Explored((((), next(r for r in results if not r.stopped)),), ())
    most = CALLED_WORLDS if _is_call(task.called) else WORLDS
    explored = explore(lambda world: _run(task, platform, world), lambda first: _room(first, most))
    if all(result.stopped for _, result in explored.worlds):
        goes_on = True
        explored = explore(lambda world: _run(task, platform, world, goes_on), lambda first: _room(first, most))
    if not explored.left:
        return explored
    tried = {a.same for world, _ in explored.worlds for a in world}
    left = {a.same: a for world in explored.left for a in world if a.same not in tried}
    rest = Assumption(
        choices.TOO_MANY,
        Kind.TRUE,
        MANY,
        "none of many conditions",
        opt_in=all(a.opt_in for a in left.values()),
        variable=False,
    )
    result = _run(task, platform, (rest,), goes_on, Beyond(rest.opt_in))
    return Explored((*explored.worlds, ((rest,), result)), explored.left)


def _run(task: _Task, platform: str, world: World, goes_on: bool = False, beyond: Beyond | None = None) -> _Result:
    task.shared.runs += 1
    run = Expander(task.folder, platform, task.shared, goes_on=goes_on, beyond=beyond, number=task.shared.runs)
    interpreter = Interpreter(run)
    options = task.called.options
    start.own_variables(interpreter, options)
    known = run.variables.globals
    here = task.folder.path or "."
    known["CURDIR"] = Definition(hole(replace(CURDIR, path=task.folder.path)), Flavor.SIMPLE, Origin.FILE)
    called = task.called
    goals = " ".join(called.goals or ())
    if called.goals:
        known["MAKECMDGOALS"] = Definition(literal(goals), Flavor.SIMPLE, Origin.DEFAULT)
    start.from_environment(interpreter, options, task.environment, called.perhaps)
    for assumption in world:
        run.assumed[assumption.key] = assumption
        if assumption.variable:
            outside = assumption.value
            if outside is None or assumption.kind is Kind.SET:
                outside = hole(variable_hole(assumption.key))
            known[assumption.key] = Definition(outside, Flavor.SIMPLE, Origin.ENVIRONMENT)
    start.from_command_line(interpreter, options, called.overrides, called.perhaps)
    interpreter.include_paths = [folder.text for folder in options.include if folder.known]
    stopped = False
    try:
        for path, makefile in task.makefiles:
            # no target of $(MAKEFILES) is the default goal (manual 3.4)
            interpreter.database.takes_goals = path == "" or path not in task.before
            if path:
                interpreter.note_makefile(relpath(path, here))
            interpreter.execute(makefile)
    except Stop as stop:
        stopped = not stop.fatal
        if stop.fatal:
            run.tell(stop.route, stop.message)
        interpreter.rules.close()
    start.settle_flags(interpreter)
    recipes = Recipes(interpreter)
    scripts: list[Script] = []
    if not stopped:
        scripts = recipes.of_file() if called.goals is None else recipes.of_goals(called.goals)
    started: tuple[str, ...] = ()
    if not stopped:
        if _is_call(called):
            started = (*(called.goals or recipes.default_goal()), *recipes.patterns(), *recipes.goals_met())
        else:
            started = recipes.started()
    if options.only_marked:  # -n and its like: nothing of it is made
        started = ()
    alternatives = tuple(run.alternatives)
    return _Result(
        alternatives,
        tuple(scripts),
        tuple(run.told),
        run.asked_platform,
        tuple(interpreter.included),
        stopped,
        interpreter.count,
        started,
        "" if stopped else recipes.named(),
    )


def _scripts(task: _Task, explored: Explored[_Result]) -> list[Script]:
    """The scripts of all worlds, each once, with what was assumed."""
    found = Distinct()
    for script in explored.worlds[0][1].scripts:
        found.add(script, 0)
    masked = Masked(found, task.setting.files)
    for index, (_, result) in enumerate(explored.worlds[1:], 1):
        for script in result.scripts:
            masked.add(script, index)
    return [_told(entry.script, entry.indexes, explored) for entry in found.entries]


def _told(script: Script, indexes: list[int], explored: Explored[_Result]) -> Script:
    """The script with the assumptions that it needs."""
    worlds = explored.worlds
    if indexes[0] == 0:
        missing = [
            world[0].denied
            for index, (world, result) in enumerate(worlds)
            if len(world) == 1 and world[0].key != choices.TOO_MANY and index not in indexes and not result.stopped
        ]
        return replace(script, when=(*script.when, *missing)) if missing else script
    candidates = [worlds[i][0] for i in indexes]
    best = min(candidates, key=lambda w: (any(a.opt_in for a in w), len(w)))
    return replace(script, when=(*script.when, *(a.told for a in best)), opt_in=any(a.opt_in for a in best))


def _problems(task: _Task, explored: Mapping[str, Explored[_Result]]) -> tuple[Problem, ...]:
    problems: dict[Problem, None] = {}
    foreign: set[str] = set()
    for one in explored.values():
        for _, result in one.worlds:
            for told in result.told:
                span = told.route[-1] if told.route else None
                source = task.setting.files.read(span.path) if span and span.path != task.source.path else task.source
                path = source.path if source else task.source.path
                line = source.position(span.start)[0] if source and span else 1
                problems.setdefault(Problem(path, line, told.message, fatal=told.fatal))
                if told.message == FOREIGN:
                    foreign.add(path)
        if one.left:
            names = list(dict.fromkeys(a.told for world in one.left for a in world))
            shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
            message = f"too many open conditions; what hangs on these is not known: {shown}"
            if _is_call(task.called):  # the same for all calls, so that it is told once
                message = "too many open conditions; what hangs on them is not all known where the makefile is called"
            problems.setdefault(Problem(task.source.path, 1, message, fatal=False))
    return tuple(sorted(replace(p, fatal=p.fatal and p.path not in foreign) for p in problems))
