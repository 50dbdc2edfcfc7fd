"""Spack's recipes (`package.py`): what each build system runs with the arguments of its class, and what recipes call.

Follows Spack's "Packaging Guide: customizing the build" (phases, `setup_build_environment`, `flag_handler`, `@when`,
`@run_before`) and "Build Systems" (Autotools, CMake, CachedCMake, Meson, Makefile, QMake, SCons, Waf, Perl, Python,
Cargo, Go, R). Python is read as in `python_reading`; nothing is imported. Flags that `flag_handler` gives to Spack's
compiler wrappers are the declaration `spack:cflags` and its kin.
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from flagguard.command import Call, Place, Reading, Script, Word, word
from flagguard.hosts import Setting
from flagguard.hosts.python_calls import Arguments
from flagguard.hosts.python_programs import only_span
from flagguard.hosts.python_reading import reduced, runs
from flagguard.hosts.python_statements import Returned, run, start
from flagguard.hosts.python_text import MAX_STEPS, BrokenFile, Parsed
from flagguard.hosts.python_values import (
    Class,
    Function,
    Instance,
    Items,
    Named,
    Plain,
    Unknown,
    Value,
    several,
    text_of,
)
from flagguard.hosts.python_values import Mapping as Dictionary
from flagguard.hosts.python_world import Decision, Exhausted, Key, Stopped, World
from flagguard.hosts.spack_world import NAME, Recipe, as_word, concrete, flags
from flagguard.patterns import expression
from flagguard.text import Decider, Hole, Piece, Problem, Shape, SourceText, Span, Traced, join, literal
from flagguard.values import dataclass, replace

_CLASS = expression(r"(\w*?)(?:Package|PackageBase|Builder|Extension|BuilderWithDefaults)")
_NO_RECIPE = expression(r"Error$|Exception$|^(?:object|Enum|IntEnum|NamedTuple|dict|list|str|tuple|Protocol|ABC)$")
_CFLAGS = ("cflags", "cxxflags", "cppflags", "fflags", "ldflags", "ldlibs")
_TO_CMAKE = {
    "cflags": ("CMAKE_C_FLAGS",),
    "cxxflags": ("CMAKE_CXX_FLAGS",),
    "fflags": ("CMAKE_Fortran_FLAGS",),
    "cppflags": ("CMAKE_C_FLAGS", "CMAKE_CXX_FLAGS", "CMAKE_Fortran_FLAGS"),
    "ldflags": ("CMAKE_EXE_LINKER_FLAGS", "CMAKE_MODULE_LINKER_FLAGS", "CMAKE_SHARED_LINKER_FLAGS"),
}
"""`CMakePackage.flags_to_build_system_args`"""
_CACHED = tuple(f"initconfig_{part}_entries" for part in ("compiler", "hardware", "mpi", "package"))
_OPTIONS = {
    "pip": {
        "config_settings": "--config-settings=",
        "global_options": "--global-option=",
        "install_options": "--install-option=",
    },
    "R": {"configure_args": "--configure-args=", "configure_vars": "--configure-vars="},
}


@dataclass(frozen=True)
class Phase:
    """What a build system runs in a phase that the recipe does not define: `@` is a path."""

    name: str
    words: str
    arguments: str = ""
    """The method, or the attribute, whose words follow."""


_CMAKE = "cmake -DCMAKE_INSTALL_PREFIX:STRING=@ -DCMAKE_BUILD_TYPE:STRING=Release -DBUILD_TESTING:BOOL=OFF"
_MESON = "meson setup -Dprefix=@ -Dbuildtype=release -Dstrip=false -Ddefault_library=shared"
_SYSTEMS: dict[str, tuple[Phase, ...]] = {
    "Autotools": (
        Phase("configure", "./configure --prefix=@", "configure_args"),
        Phase("build", "make", "build_targets"),
        Phase("install", "make", "install_targets"),
    ),
    "CMake": (
        Phase("cmake", _CMAKE, "cmake_args"),
        Phase("build", "cmake --build .", "build_targets"),
    ),
    "CachedCMake": (
        Phase("cmake", _CMAKE, "cmake_args"),
        Phase("build", "cmake --build .", "build_targets"),
    ),
    "Meson": (
        Phase("meson", _MESON, "meson_args"),
        Phase("build", "ninja -v", "build_targets"),
    ),
    "Makefile": (Phase("build", "make", "build_targets"), Phase("install", "make", "install_targets")),
    "QMake": (Phase("qmake", "qmake", "qmake_args"), Phase("build", "make")),
    "SCons": (Phase("build", "scons", "build_args"), Phase("install", "scons install", "install_args")),
    "Waf": (Phase("configure", "python waf configure --prefix=@", "configure_args"),
            Phase("build", "python waf build", "build_args")),
    "Perl": (Phase("configure", "perl Makefile.PL INSTALL_BASE=@", "configure_args"), Phase("build", "make")),
    "Cargo": (Phase("build", "cargo install --root out --path .", "build_args"),),
    "Go": (Phase("build", "go build -modcacherw -trimpath", "build_args"),),
    "Python": (Phase("install", "python -m pip install --no-deps --no-build-isolation --prefix=@", "pip"),),
    "NMake": (Phase("build", "nmake", "nmake_args"),),
    "MSBuild": (Phase("build", "msbuild", "msbuild_args"),),
    "Maven": (Phase("build", "mvn package -DskipTests", "build_args"),),
    "R": (Phase("install", "R --vanilla CMD INSTALL", "R"),),
}  # fmt: skip
"""The build systems, by the names of their classes without `Package` or `Builder`."""
_OVERRIDABLE = ("-DCMAKE_BUILD_TYPE:STRING=Release", "-Dbuildtype=release")
_ENVIRONMENT = "setup_build_environment"
_NO_BUILD = frozenset(
    "setup_run_environment setup_dependent_build_environment setup_dependent_run_environment setup_dependent_package"
    " url_for_version flag_handler __init__".split()
)
"""Methods that belong to other packages' builds, or to none."""


def read(source: SourceText, setting: Setting) -> Reading:
    try:
        parsed = Parsed(source)
    except BrokenFile as broken:
        return Reading(problems=(Problem(source.path, broken.line, f"not Python 3, so not read: {broken.message}"),))
    scripts: list[Script] = []
    calls: list[Call] = []
    problems: dict[Problem, None] = {}
    for platform in setting.platforms:
        found = _Platform(parsed, platform, setting)
        found.read()
        scripts += found.scripts if found.asked else (replace(script, platforms=None) for script in found.scripts)
        calls += found.calls if found.asked else (replace(call, platforms=None) for call in found.calls)
        problems.update(found.problems)
        if not found.asked:
            break
    return Reading(tuple(scripts), tuple(calls), tuple(problems))


Unit = Callable[["_Build"], None]
"""What runs by itself: a phase, a method of the recipe."""


class _Platform:
    """A recipe on one platform."""

    def __init__(self, parsed: Parsed, platform: str, setting: Setting) -> None:
        self.parsed = parsed
        parsed.budget = MAX_STEPS
        self.base = Recipe(parsed, platform, setting.assume, {})
        self.setting = setting
        self.asked = False
        self.called: set[int] = set()
        self.scripts: list[Script] = []
        self.calls: list[Call] = []
        self.problems: dict[Problem, None] = {}

    def read(self) -> None:
        try:
            with suppress(Stopped):
                run(self.base, self.parsed.tree.body, Returned())
        except (Exhausted, RecursionError):
            self._tell("it is too long, or nested too deeply, to be followed; nothing of it is judged", fatal=True)
            return
        self.asked = self.base.asked
        for of in self._classes():
            for unit in _phases(of, self.base):
                self._unit(of, unit)
            for function in _functions(of, self.base):
                if function.name not in _NO_BUILD and not _static(function) and id(function.node) not in self.called:
                    self._unit(of, partial(_method, function=function))
            if any(f.name == "flag_handler" for f in _functions(of, self.base)):
                self._unit(of, _injected)

    def _classes(self) -> list[Class]:
        return [c for c in self.base.classes if isinstance(c, Class) and _kinds(c)]

    def _tell(self, told: str, fatal: bool = False) -> None:
        self.problems[Problem(self.parsed.source.path, 1, told, fatal=fatal)] = None

    def _unit(self, of: Class, unit: Unit) -> None:
        scripts: list[tuple[Script, tuple[Decision, ...]]] = []
        calls: list[tuple[Call, tuple[Decision, ...]]] = []
        for world, told in runs(lambda given: self._one(of, unit, given)):
            self.asked = self.asked or world.asked
            self.called |= world.called
            scripts += world.found.scripts
            calls += world.found.calls
            if told:
                self._tell(told, fatal="questions are open" not in told)
        self.scripts += reduced(scripts)
        self.calls += reduced(calls)

    def _one(self, of: Class, unit: Unit, given: Mapping[Key, bool]) -> tuple[World, str]:
        world = Recipe(self.parsed, self.base.platform, self.setting.assume, given, self.base)
        build = _Build(world, of)
        told = ""
        try:
            with suppress(Stopped):
                build.prepare()
                unit(build)
        except Exhausted:
            told = "it runs too long to be followed; from some place on nothing is judged"
        except RecursionError:
            told = "it is nested too deeply to be followed"
        return world, told


def _kinds(of: Class) -> list[str]:
    """The build systems of a class; empty for one that is no package and no builder."""
    found = [name.rpartition(".")[2] for name in of.foreign]
    known = [m[1] or "Generic" for name in found if (m := _CLASS.fullmatch(name))]
    # what comes of another recipe's class
    return known or ["Generic" for name in found if not _NO_RECIPE.search(name)]


def _functions(of: Class, world: Recipe) -> list[Function]:
    """The methods that a class defines, those that another of the same name hides included (`@when`)."""
    found = [f for f in world.functions if f.owner is of or f.scope is of.scope]
    for function in found:
        function.owner, function.scope = of, world.module
    return [f for f in found if not isinstance(f.node, ast.Lambda)]


def _static(function: Function) -> bool:
    """Whether Spack calls it for something else than a build: to find installed packages, to compute a value."""
    names = [d.name.rpartition(".")[2] for d in function.decorators if isinstance(d, Named)]
    return any(name in ("classmethod", "staticmethod") or name.endswith("property") for name in names)


class _Build:
    """One run of one class."""

    def __init__(self, world: Recipe, of: Class) -> None:
        self.world = world
        self.of = of
        self.instance = Instance(of)
        self.system: list[Traced] = []
        """Flags that the build system gets from `flag_handler`, as `NAME=VALUE`."""
        self.span = world.parsed.span(world.parsed.tree)
        world.goes_above = self._above

    def prepare(self) -> None:
        """What a build has before any phase: the environment, the flags."""
        world = self.world
        for holder in (
            self.instance,
            *(Instance(c) for c in world.classes if c is not self.of and isinstance(c, Class)),
        ):
            world.receiver(holder, self.span)
            self.instance.attributes.setdefault("pkg", holder)
        for of in dict.fromkeys((self._package(), self.of)):
            function = self._chosen(of, _ENVIRONMENT)
            if function is not None:
                self.call(function)
            self._handled(of)
        world.found.scripts.clear()

    def _package(self) -> Class:
        """The class of the package, where this one is a builder."""
        pkg = self.instance.attributes.get("pkg")
        return pkg.of if isinstance(pkg, Instance) and _builds(self.of) else self.of

    def _chosen(self, of: Class, name: str) -> Function | None:
        """The method of the class that counts: the first whose `@when` holds, else the one without."""
        usual = None
        for function in _functions(of, self.world):
            if function.name != name:
                continue
            asked = [d.name.partition(":")[2] for d in function.decorators
                     if isinstance(d, Named) and d.name.startswith("spack.when:")]  # fmt: skip
            if not asked:
                usual = function
            elif all(self.world.satisfied(spec) for spec in asked):
                return function
        return usual

    def call(self, function: Function) -> Value:
        """The method as Spack calls it."""
        arguments = function.node.args
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)][1:]
        given: list[Value] = [self.instance]
        for name in names:
            if name in function.defaults:
                break
            known = {
                "env": Named("spack.env"),
                "pkg": self.instance,
                "prefix": concrete("prefix", self.span, Shape.PATH),
            }
            given.append(known.get(name) or concrete(name, self.span))
        return start(self.world, function, given)

    def _handled(self, of: Class) -> None:
        """What `flag_handler` puts into the environment, and what it hands to the build system."""
        for name, parts in self._flags(of).items():
            if parts[1]:
                self.world.environ.entries[name.upper()] = _spaced(parts[1])
            if parts[2]:
                self.system += _given_to(_kinds(of), name, _spaced(parts[2]))

    def _flags(self, of: Class) -> dict[str, list[list[Traced]]]:
        function = self._chosen(of, "flag_handler")
        found: dict[str, list[list[Traced]]] = {}
        for name in _CFLAGS if function is not None else ():
            assert function is not None
            value = start(self.world, function, [self.instance, literal(name), Items()])
            items = value.items if isinstance(value, Items) and len(value.items) == 3 else []
            if items:
                found[name] = [flags(item) for item in items]
        return found

    def injected(self) -> None:
        function = self._chosen(self.of, "flag_handler")
        if function is None:
            return
        at = named_at(self.world.parsed, function)
        for name, parts in self._flags(self.of).items():
            if parts[0]:
                program = Word((Piece(f"spack:{name}", (at,)),), at)
                argv = (program, *(word(part.grounded((at,)), only_span(part)) for part in parts[0]))
                place = Place(NAME, job=self.world.job, step=function.name)
                platforms = frozenset({self.world.platform})
                self.world.found.calls.append((Call(argv, place, at, platforms=platforms), self.world.decisions))

    # -- phases --------------------------------------------------------------------------------------------------------

    def phase(self, phase: "Phase") -> None:
        """What the build system runs in a phase."""
        self.world.task = phase.name
        values, at = self._arguments(phase.arguments)
        at = at or named_at(self.world.parsed, self.of)
        words: list[Traced] = []
        for said in phase.words.split():
            before, path, after = said.partition("@")
            gap = text_of(concrete("prefix", at, Shape.PATH)) if path else Traced()
            soft = said in _OVERRIDABLE
            made = join(
                [literal(before, at) if not soft else literal(before, at).overridable(), gap, literal(after, at)]
            )
            words.append(Traced(tuple(replace(p, route=(at,), verbatim=False) for p in made.pieces)))
        if phase.arguments.endswith("_args"):
            words += self.system
        program = [Word(w.pieces, at if i == 0 else None) for i, w in enumerate(words)]
        self.world.emit([*program, *(as_word(value, at) for value in values)])

    def _arguments(self, name: str) -> tuple[list[Value], Span | None]:
        """The words that a method or an attribute of the class gives, and where it is defined."""
        if name in ("pip", "R"):
            return self._options(name)
        function = next((f for of in (self.of, self._package()) if (f := self._chosen(of, name)) is not None), None)
        value = self.of.find(name) if function is None and name else None
        if isinstance(value, Function):  # one of the file, or a lambda, as the attribute
            function = value
        at = named_at(self.world.parsed, function) if function is not None and function is not value else None
        if function is not None:
            value = self.call(function)
        more = self._cached() if name == "cmake_args" else []
        if isinstance(value, Items):
            items = [item for item in value.items if not (isinstance(item, Traced) and not item.pieces)]
            return [*items, *more], at
        if value is None or (isinstance(value, Plain) and value.value is None):
            return more, at
        of = Hole(f"*{name}", "what it gives is not known", Decider.REPOSITORY, several=True)
        return [Unknown(of, span=at or self.span), *more], at

    def _cached(self) -> list[Value]:
        """What the cache file of a CachedCMakePackage says."""
        found: list[Value] = []
        for name in _CACHED if "CachedCMake" in _kinds(self.of) else ():
            function = self._chosen(self.of, name)
            value = self.call(function) if function is not None else None
            found += [v for v in value.items if text_of(v).text.startswith("-D") or several(v)] if isinstance(
                value, Items) else []  # fmt: skip
        return found

    def _options(self, kind: str) -> tuple[list[Value], Span | None]:
        """Options of pip and R that carry what methods give."""
        found: list[Value] = []
        where = None
        for name, option in _OPTIONS[kind].items():
            function = self._chosen(self.of, name)
            if function is None:
                continue
            where = where or named_at(self.world.parsed, function)
            value = self.call(function)
            if isinstance(value, Dictionary):
                found += [join([literal(f"{option}{key}="), text_of(v).one()]) for key, v in value.entries.items()]
            elif isinstance(value, Items) and kind == "R":
                found.append(join([literal(option), _spaced([text_of(v).one() for v in value.items])]))
            elif isinstance(value, Items):
                found += [join([literal(option), text_of(v).one()]) for v in value.items]
        return found, where

    def _above(self, name: str, given: Arguments) -> Value | None:
        """`super().NAME(…)`"""
        if name == "flag_handler":
            return Items([given.values[1] if len(given.values) > 1 else Items(), Plain(None), Plain(None)], "tuple")
        for kind in _kinds(self.of):
            for phase in _SYSTEMS.get(kind, ()):
                if phase.name == name:
                    self.phase(phase)
                    return Plain(None)
        if name.endswith(("_args", "_entries", "_targets", "_options", "_vars")):
            return Items()
        return Plain(None) if name.startswith(("setup_", "patch", "check", "edit")) else None


def _method(build: _Build, function: Function) -> None:
    """A method that nothing else has called; the one of several of its name whose `@when` holds."""
    asked = [d.name.partition(":")[2] for d in function.decorators
             if isinstance(d, Named) and d.name.startswith("spack.when:")]  # fmt: skip
    if all(build.world.satisfied(spec) for spec in asked):
        build.world.task = function.name
        build.call(function)


def _injected(build: _Build) -> None:
    build.injected()


def _phases(of: Class, world: Recipe) -> Iterator[Unit]:
    """The phases of the class's build systems that it does not define itself."""
    own = {f.name for f in _functions(of, world)}
    builders = {kind for c in world.classes if isinstance(c, Class) and _builds(c) for kind in _kinds(c)}
    said = of.find("phases")
    listed = {text_of(item).text for item in said.items} if isinstance(said, Items) else None
    for kind in dict.fromkeys(_kinds(of)):
        if kind in builders and not _builds(of):
            continue  # the builder runs it
        for phase in _SYSTEMS.get(kind, ()):
            if phase.name not in own and (listed is None or phase.name in listed):
                yield partial(_Build.phase, phase=phase)


def _builds(of: Class) -> bool:
    return any(name.endswith("Builder") for name in of.foreign)


def _spaced(parts: Sequence[Traced]) -> Traced:
    return join([one for part in parts for one in (literal(" "), part)][1:])


def _given_to(kinds: Sequence[str], name: str, value: Traced) -> list[Traced]:
    """`flags_to_build_system_args` of the build systems that have it."""
    if any(kind.endswith("CMake") for kind in kinds):
        names = _TO_CMAKE.get(name, ())
        return [join([literal(f"-D{said}="), value]) for said in names]
    if "Autotools" in kinds:
        said = "LIBS" if name == "ldlibs" else name.upper()
        return [join([literal(f"{one}="), value]) for one in ((said, "FCFLAGS") if name == "fflags" else (said,))]
    return []


def named_at(parsed: Parsed, of: Function | Class) -> Span:
    """Where the name of a function or a class stands."""
    node = of.node if isinstance(of, Function) else next(
        n for n in ast.walk(parsed.tree) if isinstance(n, ast.ClassDef) and n.name == of.name)  # fmt: skip
    whole = parsed.span(node)
    start = parsed.source.text.find(of.name, whole.start)
    return Span(whole.path, start, start + len(of.name))
