"""From a justfile to its scripts, in every world and on every platform that makes a difference.

As it stands (every recipe that may be started by itself, and what each hands to those that it depends on), or as one
call of just starts it. Pure: the same files and values give the same reading.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from flagguard.command import Dialect, Place, Reading, Script
from flagguard.hosts import Setting
from flagguard.hosts.just_call import Called
from flagguard.hosts.just_evaluator import Evaluator, Frame, Stop
from flagguard.hosts.just_invocation import Invocation, invocations
from flagguard.hosts.just_modules import SYSTEMS, Loader, Module, enabled
from flagguard.hosts.just_recipes import Instance, Ran, Recipes
from flagguard.hosts.just_surroundings import NAME
from flagguard.hosts.just_syntax import Recipe
from flagguard.make.worlds import World, explore
from flagguard.make.worlds import name as world_name
from flagguard.text import Problem, SourceText, Span, Traced, literal
from flagguard.values import dataclass, field, replace

WORLDS = 16
"""In how many worlds one recipe is read for one platform,"""
CALLED_WORLDS = 4
"""and what a call starts;"""
WORK = 120
"""and how many scripts may come out of all of them together, but for the first few."""
_USUAL = {"linux": "linux-x86_64", "macos": "macos-arm64", "windows": "windows-x86_64", "freebsd": "freebsd-x86_64"}
"""The platform of a recipe that is there only on a system that nobody asked for."""


def read(source: SourceText, setting: Setting, called: Called | None = None) -> Reading:
    """The scripts of a justfile; ``called``: of what one call starts."""
    reader = _Reader(source, setting, called or Called())
    try:
        reader.run()
    except RecursionError:
        reader.told.setdefault(Problem(source.path, 1, "nested too deeply to be read"))
    return Reading(
        tuple(entry.finished(reader.complete) for entry in reader.entries),
        problems=tuple(sorted(reader.told)),
        depends=tuple(dict.fromkeys(reader.looked_at)),
    )


@dataclass
class _Entry:
    """One script, and the platforms on which it runs."""

    script: Script
    platforms: set[str] = field(default_factory=set)
    all: bool = False
    """Nothing asked for the platform."""

    def finished(self, complete: frozenset[str]) -> Script:
        everywhere = self.all or self.platforms >= complete
        return self.script if everywhere else replace(self.script, platforms=frozenset(self.platforms))


@dataclass(frozen=True)
class _Result:
    """A recipe in one world."""

    alternatives: tuple[World, ...]
    scripts: tuple[Script, ...]
    stop: Stop | None = None
    asked_system: bool = False
    asked_machine: bool = False


_Key = tuple[str, int]
"""A recipe: its path, and where it stands."""
Task = Callable[[Recipes], None]
"""Runs something, once its world is made."""


class _Reader:
    def __init__(self, source: SourceText, setting: Setting, called: Called) -> None:
        self.source = source
        self.setting = setting
        self.called = called
        self.entries: list[_Entry] = []
        self.told: dict[Problem, None] = {}
        self.looked_at: list[str] = []
        self.complete = frozenset(setting.platforms)
        self._alike: dict[object, list[_Entry]] = {}
        self._roots: dict[str, Module | None] = {}
        self._worlds: dict[tuple[str, object], Recipes] = {}
        self._by_platform = False
        self._recipes: dict[str, dict[_Key, tuple[Module, Recipe]]] = {}
        self._handed: set[tuple[int, bool]] = set()

    # -- the modules

    def root(self, platform: str) -> Module | None:
        key = platform.partition("-")[0]
        if key not in self._roots:
            loader = Loader(self.setting.files, platform)
            self._roots[key] = loader.root(self.source)
            self._by_platform = self._by_platform or loader.depends_on_platform
            self.looked_at += loader.looked_at
            for problem in loader.problems:
                if problem.path == self.source.path or not _claimed(problem.path):
                    self.told.setdefault(problem)
        return self._roots[key]

    def run(self) -> None:
        platforms = self.setting.platforms or ("linux-x86_64",)
        first = self.root(platforms[0])
        if first is None:
            return
        if self.called.line is not None:
            self._call(platforms)
            return
        extra = self._more_platforms(platforms)
        keys = dict.fromkeys(key for platform in (*platforms, *extra) for key in self._found(platform))
        for key in keys:
            self._recipe(key, platforms, extra)
        self._variables(platforms)

    def _found(self, platform: str) -> Mapping[_Key, tuple[Module, Recipe]]:
        """The recipes that are there on a platform."""
        system = platform.partition("-")[0]
        if system not in self._recipes:
            root = self.root(platform)
            modules = root.all if root is not None else ()
            self._recipes[system] = {
                (module.path(recipe.name), recipe.span.start): (module, recipe)
                for module in modules
                for recipe, _ in module.recipes.values()
            }
            if root is not None:
                self._handed |= _dependents(root)
        return self._recipes[system]

    def _more_platforms(self, platforms: Sequence[str]) -> tuple[str, ...]:
        """Systems that attributes name and nobody asked for: what is there only on them is read for them."""
        root = self.root(platforms[0])
        named = [_USUAL[a] for a in _systems(self.source, root) if a in _USUAL]
        systems = {p.partition("-")[0] for p in platforms}
        return tuple(dict.fromkeys(p for p in named if p.partition("-")[0] not in systems))

    # -- what is started

    def _recipe(self, key: _Key, platforms: Sequence[str], extra: Sequence[str]) -> None:
        """One recipe as it stands, on every platform that has it."""

        def task(platform: str) -> Task | None:
            found = self._found(platform).get(key)
            return (lambda recipes: self._alone(recipes, *found)) if found is not None else None

        there = [p for p in platforms if key in self._found(p)]
        if not there:
            there = [p for p in extra if key in self._found(p) and _only_on(self._found(p)[key][1], p)]
        self._on(there, task)

    def _alone(self, recipes: Recipes, module: Module, recipe: Recipe) -> None:
        """A recipe that somebody may start by himself; not one that only ever gets arguments from others."""
        plain = (id(recipe), False) in self._handed
        handed = (id(recipe), True) in self._handed
        needs = any(p.required for p in recipe.parameters)
        if (needs and handed) or (recipe.private and handed and not plain):
            return
        recipes.run(Instance(module, recipe, unit=module.path(recipe.name)), None)

    def _call(self, platforms: Sequence[str]) -> None:
        def task(platform: str) -> Task | None:
            root = self.root(platform)
            line = self.called.options
            if root is None:
                return None
            if line.command:
                return lambda recipes: self._command(recipes, root)
            found = invocations(root, line.words)
            return (lambda recipes: _invoke(recipes, root, found)) if found is not None else None

        self._on([p for p in platforms if task(p) is not None], task)

    def _command(self, recipes: Recipes, root: Module) -> None:
        """`just --command`: with just's folder and environment."""
        frame = Frame(root, Recipe("", Span(root.source.path, 0, 0), (), (), (), ()))
        directory = recipes.surroundings.base(root)
        script = recipes.surroundings.script(literal(""), frame, unit="", via=(), directory=directory)
        words = self.called.options.command
        place = Place(NAME)
        recipes.scripts.append(replace(script, place=place, dialect=Dialect.ARGV, argv=words, text=Traced()))

    def _variables(self, platforms: Sequence[str]) -> None:
        """The commands inside the backticks of variables."""

        def task(platform: str) -> Task | None:
            root = self.root(platform)
            return (lambda recipes: _all_variables(recipes, root)) if root is not None else None

        self._on(platforms, task)

    # -- worlds and platforms

    def _on(self, platforms: Sequence[str], task: Callable[[str], Task | None]) -> None:
        """The scripts of a task on each platform; on one alone where that makes no difference."""
        by_system: dict[str, list[Script]] = {}
        everything: list[_Result] = []
        for index, platform in enumerate(platforms):
            run = task(platform)
            if run is None:
                continue
            system = platform.partition("-")[0]
            results: list[_Result] = []
            scripts = by_system[system] if system in by_system else self._explored(platform, run, results)
            everything += results
            system_matters = self._by_platform or any(r.asked_system for r in results)
            machine_matters = any(r.asked_machine for r in results)
            if results and not machine_matters:
                by_system[system] = scripts
            everywhere = index == 0 and len(platforms) == len(self.complete)
            alone = everywhere and not system_matters and not machine_matters
            for script in scripts:
                self._add(script, platform, alone)
            if alone:
                break
        if everything and all(r.stop is not None for r in everything):
            stop = everything[0].stop
            assert stop is not None
            self.problem(stop.span, f"just always stops here: {stop.message}", fatal=False)

    def _explored(self, platform: str, task: Task, results: list[_Result]) -> list[Script]:
        most = WORLDS if self.called.line is None else CALLED_WORLDS
        found = explore(lambda world: self._result(platform, world, task), lambda first: _room(first, most))
        tried = {a.same for world, _ in found.worlds for a in world}
        names = list(dict.fromkeys(a.told for world in found.left for a in world if a.same not in tried))
        if names:
            shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
            told = f"too many open conditions; what hangs on these is not known: {shown}"
            self.told.setdefault(Problem(self.source.path, 1, told, fatal=False))
        results += [result for _, result in found.worlds]
        return list(_scripts(found.worlds))

    def _result(self, platform: str, world: World, task: Task) -> _Result:
        recipes = self._world(platform, world)
        recipes.begin()
        notes = recipes.evaluator.notes
        stop: Stop | None = None
        try:
            root = self.root(platform)
            if root is not None:
                recipes.prepare(root)
            task(recipes)
        except Stop as stopped:
            stop = stopped
        scripts = () if stop is not None else tuple(recipes.scripts)
        return _Result(tuple(notes.alternatives), scripts, stop, notes.asked_system, notes.asked_machine)

    def _world(self, platform: str, world: World) -> Recipes:
        """The evaluation of a world; the variables of a world are the same for every recipe."""
        key = (platform, world_name(world))
        recipes = self._worlds.get(key)
        if recipes is None:
            called = self.called
            given = {name: literal(text) for name, text in self.setting.assume.items()} | dict(called.environment)
            overrides = {tuple(name.split("::")): value for name, value in called.options.overrides.items()}
            evaluator = Evaluator(platform, world, overrides, given, self.problem)
            recipes = self._worlds[key] = Recipes(evaluator, self.setting, called, self.looked_at)
            recipes.surroundings.elsewhere = lambda other: self._world(platform, other).evaluator
        return recipes

    def problem(self, span: Span, message: str, fatal: bool = True) -> None:
        source = self.source if span.path == self.source.path else self.setting.files.read(span.path)
        line = source.position(span.start)[0] if source is not None else 1
        self.told.setdefault(Problem(span.path, line, message, fatal=fatal))

    def _add(self, script: Script, platform: str, alone: bool) -> None:
        alike = self._alike.setdefault((script.unit, script.via, script.when, script.text.text), [])
        entry = next((e for e in alike if e.script == script), None)
        if entry is None:
            entry = _Entry(script)
            alike.append(entry)
            self.entries.append(entry)
        entry.platforms.add(platform)
        entry.all = entry.all or alone


def _room(first: _Result, most: int) -> int:
    """In how many worlds something of this size is read."""
    alone = len(first.alternatives) + 3  # each condition alone, and some of them together
    return max(3, min(most, alone, WORK // (len(first.scripts) + 1)))


def _all_variables(recipes: Recipes, root: Module) -> None:
    recipes.variables(root)
    recipes.scripts = recipes.of_variables


def _invoke(recipes: Recipes, root: Module, found: Iterable[Invocation]) -> None:
    recipes.variables(root)
    ran: Ran = set()
    for one in found:
        unit = one.module.path(one.recipe.name)
        recipes.run(Instance(one.module, one.recipe, one.given, unit=unit), ran)
    recipes.scripts = [*recipes.of_variables, *recipes.scripts]


def _scripts(worlds: "Sequence[tuple[World, _Result]]") -> Iterable[Script]:
    """The scripts of all worlds, each once, with what was assumed."""
    found: list[tuple[Script, list[int]]] = []
    by_text: dict[object, list[tuple[Script, list[int]]]] = {}
    for index, (_, result) in enumerate(worlds):
        for script in result.scripts:
            alike = by_text.setdefault((script.text.text, script.unit, script.via), [])
            known = next((indexes for other, indexes in alike if other == script), None)
            if known is None:
                entry = (script, [index])
                alike.append(entry)
                found.append(entry)
            elif known[-1] != index:
                known.append(index)
    for script, indexes in found:
        yield _assuming(script, indexes, worlds)


def _assuming(script: Script, indexes: list[int], worlds: "Sequence[tuple[World, _Result]]") -> Script:
    """The script with the assumptions that it needs."""
    if indexes[0] == 0:
        missing = [
            world[0].denied
            for index, (world, result) in enumerate(worlds)
            if len(world) == 1 and index not in indexes and result.stop is None
        ]
        return replace(script, when=(*script.when, *missing)) if missing else script
    best = min((worlds[i][0] for i in indexes), key=lambda w: (any(a.opt_in for a in w), len(w)))
    opt_in = script.opt_in or any(a.opt_in for a in best)
    return replace(script, when=(*script.when, *(a.told for a in best)), opt_in=opt_in)


def _only_on(recipe: Recipe, platform: str) -> bool:
    return any(a.name in SYSTEMS for a in recipe.attributes) and enabled(recipe.attributes, platform)


def _dependents(root: Module) -> set[tuple[int, bool]]:
    """The recipes that others depend on, and whether with arguments."""
    found: set[tuple[int, bool]] = set()
    for module in root.all:
        for recipe, _ in module.recipes.values():
            for dependency in (*recipe.before, *recipe.after):
                target = module.find(dependency.target)
                if target is not None:
                    found.add((id(target[1]), bool(dependency.arguments)))
    return found


def _systems(source: SourceText, root: Module | None) -> Iterable[str]:
    """The systems that attributes may speak of."""
    texts = [source.text, *(m.source.text for m in (root.all if root is not None else ()))]
    return [name for name in SYSTEMS if any(f"[{name}" in text or f", {name}" in text for text in texts)]


def _claimed(path: str) -> bool:
    from flagguard.hosts.just import claims

    return claims(path, b"")
