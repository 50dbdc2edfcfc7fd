"""From a makefile to its scripts, in every world and for every platform that makes a difference.

The one entry of this package. Pure: the same files and values give the same reading.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from posixpath import dirname, relpath

from flagguard.command import Reading, Script
from flagguard.hosts import Setting
from flagguard.make.answers import CURDIR
from flagguard.make.expand import Expander, Shared, Stop, Told
from flagguard.make.folder import Folder
from flagguard.make.holes import variable_hole
from flagguard.make.interpret import Interpreter, start_variables
from flagguard.make.lines import makefile_text
from flagguard.make.reader import read
from flagguard.make.recipes import Recipes
from flagguard.make.syntax import Makefile
from flagguard.make.variables import Definition, Flavor, Origin
from flagguard.make.worlds import Explored, Kind, World, explore
from flagguard.text import Problem, SourceText, Traced, hole, literal

WORLDS = 16
"""In how many worlds one makefile is read for one platform."""


@dataclass(frozen=True)
class _Task:
    """What is the same in every run."""

    source: SourceText
    makefile: Makefile
    folder: Folder
    setting: Setting
    goals: tuple[str, ...] | None
    overrides: Mapping[str, Traced]
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


@dataclass(slots=True)
class _Found:
    """A script, and where it was found."""

    script: Script
    platforms: set[str] = field(default_factory=set)


def evaluate(
    path: str,
    setting: Setting,
    goals: Sequence[str] | None = None,
    overrides: Mapping[str, Traced] | None = None,
    environment: Mapping[str, Traced] | None = None,
    directory: str | None = None,
) -> Reading:
    """The scripts of the makefile ``path``.

    ``goals``: None for every target of the file, () for the default goal. ``overrides``: variables on make's command
    line. ``environment``: what its caller exports. ``directory``: where make runs, relative to the root; None: where
    the makefile is.
    """
    source = setting.files.read(path)
    if source is None:
        return Reading(problems=(Problem(path, 1, "the makefile cannot be read"),))
    return evaluate_source(source, setting, goals, overrides, environment, directory)


def evaluate_source(
    source: SourceText,
    setting: Setting,
    goals: Sequence[str] | None = None,
    overrides: Mapping[str, Traced] | None = None,
    environment: Mapping[str, Traced] | None = None,
    directory: str | None = None,
) -> Reading:
    """:func:`evaluate`, of text that is read already."""
    folder = Folder(setting.files, dirname(source.path) if directory is None else directory)
    makefile = read(makefile_text(source), automake=source.path.endswith(".am"))
    given = {name: literal(text) for name, text in setting.assume.items()} | dict(environment or {})
    task = _Task(
        source, makefile, folder, setting, None if goals is None else tuple(goals), overrides or {}, given, Shared()
    )
    platforms = setting.platforms or ("linux-x86_64",)
    first = _explored(task, platforms[0])
    explored = {platforms[0]: first}
    asked = any(result.asked_platform for _, result in first.worlds)
    if asked:
        for platform in platforms[1:]:
            explored[platform] = _explored(task, platform)
    found: dict[object, _Found] = {}
    for platform, one in explored.items():
        for script in _scripts(one):
            found.setdefault(_key(script), _Found(script)).platforms.add(platform)
    everywhere = set(explored)
    scripts = tuple(
        f.script if not asked or f.platforms == everywhere else replace(f.script, platforms=frozenset(f.platforms))
        for f in found.values()
    )
    results = [result for one in explored.values() for _, result in one.worlds]
    depends = dict.fromkeys(path for result in results for path in result.included)
    return Reading(scripts, problems=_problems(task, explored), depends=tuple(depends))


def _key(script: Script) -> object:
    return (script.place, script.text.pieces, script.env, script.when, script.opt_in, script.ignored, script.dialect)


def _explored(task: _Task, platform: str) -> Explored[_Result]:
    explored = explore(lambda world: _run(task, platform, world, goes_on=False), WORLDS)
    if all(result.stopped for _, result in explored.worlds):
        explored = explore(lambda world: _run(task, platform, world, goes_on=True), WORLDS)
    return explored


def _run(task: _Task, platform: str, world: World, goes_on: bool) -> _Result:
    run = Expander(task.folder, platform, task.shared, goes_on=goes_on)
    start_variables(run)
    interpreter = Interpreter(run)
    known = run.variables.globals
    here = task.folder.path or "."
    known["CURDIR"] = Definition(hole(CURDIR), Flavor.SIMPLE, Origin.FILE)
    goals = " ".join(task.goals or ())
    if task.goals:
        known["MAKECMDGOALS"] = Definition(literal(goals), Flavor.SIMPLE, Origin.DEFAULT)
    for name, value in task.environment.items():
        known[name] = Definition(value, Flavor.RECURSIVE, Origin.ENVIRONMENT)
        interpreter.exported[name] = True
    for assumption in world:
        run.assumed[assumption.key] = assumption
        if assumption.variable:
            outside = assumption.value
            if outside is None or assumption.kind is Kind.SET:
                outside = hole(variable_hole(assumption.key))
            known[assumption.key] = Definition(outside, Flavor.SIMPLE, Origin.ENVIRONMENT)
    for name, value in task.overrides.items():
        known[name] = Definition(value, Flavor.RECURSIVE, Origin.COMMAND)
        interpreter.exported[name] = True
    interpreter.note_makefile(relpath(task.source.path, here))
    stopped = False
    try:
        interpreter.execute(task.makefile)
    except Stop as stop:
        stopped = not stop.fatal
        if stop.fatal:
            run.tell(stop.route, stop.message)
        interpreter.close_rule()
    recipes = Recipes(interpreter)
    scripts: list[Script] = []
    if not stopped:
        scripts = recipes.of_file() if task.goals is None else recipes.of_goals(task.goals)
    alternatives = tuple(run.alternatives)
    return _Result(
        alternatives, tuple(scripts), tuple(run.told), run.asked_platform, tuple(interpreter.included), stopped
    )


def _scripts(explored: Explored[_Result]) -> list[Script]:
    """The scripts of all worlds, each once, with what was assumed."""
    where: dict[object, list[int]] = {}
    known: dict[object, Script] = {}
    for index, (_, result) in enumerate(explored.worlds):
        for script in result.scripts:
            key = _key(script)
            known.setdefault(key, script)
            where.setdefault(key, []).append(index)
    return [_told(known[key], indexes, explored) for key, indexes in where.items()]


def _told(script: Script, indexes: list[int], explored: Explored[_Result]) -> Script:
    """The script with the assumptions that it needs."""
    worlds = explored.worlds
    if indexes[0] == 0:
        missing = [
            world[0].denied
            for index, (world, result) in enumerate(worlds)
            if len(world) == 1 and index not in indexes and not result.stopped
        ]
        return replace(script, when=(*script.when, *missing)) if missing else script
    candidates = [worlds[i][0] for i in indexes]
    best = min(candidates, key=lambda w: (any(a.opt_in for a in w), len(w)))
    return replace(script, when=(*script.when, *(a.told for a in best)), opt_in=any(a.opt_in for a in best))


def _problems(task: _Task, explored: Mapping[str, Explored[_Result]]) -> tuple[Problem, ...]:
    problems: dict[Problem, None] = {}
    for one in explored.values():
        for _, result in one.worlds:
            for told in result.told:
                span = told.route[-1] if told.route else None
                source = task.setting.files.read(span.path) if span and span.path != task.source.path else task.source
                path = source.path if source else task.source.path
                line = source.position(span.start)[0] if source and span else 1
                problems.setdefault(Problem(path, line, told.message, fatal=told.fatal))
        if one.left:
            told_left = ", ".join(dict.fromkeys(a.told for world in one.left for a in world))
            message = f"too many open conditions, not read for: {told_left}"
            problems.setdefault(Problem(task.source.path, 1, message, fatal=False))
    return tuple(sorted(problems))
