"""How cmake is called: the source folder, the values for the cache, the environment.

Follows cmake(1), "Generate a Project Buildsystem" and "Options". Only a call that configures enters a project.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from flagguard.command import Command, Word
from flagguard.hosts import Setting
from flagguard.paths import inside, resolved
from flagguard.patterns import expression
from flagguard.text import EMPTY, Traced
from flagguard.values import dataclass, field

_NO_CONFIGURE = frozenset(
    "--build --install --open --workflow -E -P --find-package --help -help -h -H --version -version /V "
    "--system-information --list-presets -N --help-full --help-manual --help-command --help-module --help-policy "
    "--help-property --help-variable --help-commands --help-modules".split()
)
_VALUED = frozenset({"-G", "-A", "-T", "-C", "--preset", "--graphviz", "--log-level", "--trace-source",
                     "--trace-format", "--trace-redirect", "--install-prefix", "--debug-find-pkg", "--debug-find-var",
                     "--profiling-output", "--profiling-format", "--project-file"})  # fmt: skip
_JOINED = ("-S", "-B", "-D", "-U", "-C", "-G", "-A", "-T")


@dataclass(frozen=True)
class Line:
    """One command line."""

    configures: bool = True
    source: Traced | None = None
    build: Traced | None = None
    operand: Traced | None = None
    preset: Traced | None = None
    workflow: bool = False
    definitions: tuple[tuple[str, Traced | None], ...] = ()
    """Names and values in order; None takes entries away (`-U`)."""
    toolchain: Traced | None = None
    scripts: tuple[Traced, ...] = ()
    """`-C FILE`: scripts that fill the cache."""
    unsure: bool = False
    """A word that is not known may be any option."""


def line_of(words: Sequence[Word]) -> Line:
    """The words behind the program."""
    facts: dict[str, Traced | None] = dict.fromkeys(("source", "build", "operand", "preset", "toolchain"))
    definitions: list[tuple[str, Traced | None]] = []
    scripts: list[Traced] = []
    configures, workflow, unsure = True, False, False
    rest = list(words)

    def taken(word: Word, name: str) -> Traced:
        value = word.cut(len(name), len(word))
        return value if value else rest.pop(0) if rest else EMPTY

    while rest:
        word = rest.pop(0)
        text = word.text
        name, equals, _ = text.partition("=")
        if name in _NO_CONFIGURE:
            workflow = workflow or name == "--workflow"
            configures = False
            if not workflow:
                break
            if equals:  # `--workflow=NAME` is none; `--workflow NAME`, CMake 3.31, is
                break
            if rest and not rest[0].text.startswith("-"):
                facts["preset"] = rest.pop(0)
        elif text.startswith(_JOINED) and not text.startswith("--"):
            option = text[:2]
            value = taken(word, option)
            if option in ("-D", "-U"):
                definitions += _definition(value, option)
            elif option == "-S":
                facts["source"] = value
            elif option == "-B":
                facts["build"] = value
            elif option == "-C":
                scripts.append(value)
        elif name in ("--preset", "--toolchain", "--install-prefix"):
            value = word.cut(len(name) + 1, len(word)) if equals else (rest.pop(0) if rest else EMPTY)
            if name != "--install-prefix":
                facts[name[2:]] = value
        elif text in _VALUED:
            rest[:1] = []
        elif not word.known and word.pieces and word.pieces[0].hole is not None:
            unsure = unsure or word.several or len(word.pieces) == 1
            facts["operand"] = facts["operand"] or (word if word.pieces[0].hole.path is not None else None)
        elif not text.startswith("-"):
            facts["operand"] = word
    return Line(configures, **facts, workflow=workflow, definitions=tuple(definitions), scripts=tuple(scripts),
                unsure=unsure)  # fmt: skip


def _definition(value: Traced, option: str) -> list[tuple[str, Traced | None]]:
    """`NAME:TYPE=VALUE`"""
    text = value.text
    if option == "-U":
        return [(text, None)] if value.known else []
    name, equals, _ = text.partition("=")
    bare = name.partition(":")[0]
    return [(bare, value.cut(len(name) + 1, len(value)))] if equals and "\ue000" not in bare else []


@dataclass(frozen=True)
class Called:
    """How a project is configured."""

    path: str
    definitions: tuple[tuple[str, Traced | None], ...]
    environment: Mapping[str, Traced] = field(default_factory=dict)
    toolchain: Traced | None = None
    scripts: tuple[Traced, ...] = ()
    directory: str | None = None
    unsure: bool = False
    """There may be more words than are known."""

    @property
    def key(self) -> tuple[object, ...]:
        """All that makes a difference."""
        values = tuple((name, None if value is None else value.pieces) for name, value in self.definitions)
        env = tuple((name, value.pieces) for name, value in sorted(self.environment.items()))
        toolchain = None if self.toolchain is None else self.toolchain.pieces
        scripts = tuple(script.pieces for script in self.scripts)
        return ("cmake", self.path, values, env, toolchain, scripts, self.directory, self.unsure)


def called(command: Command, setting: Setting, *, absent: bool = False) -> Called | None:
    """The project that a command configures; None: none of the tree, unless it may be ``absent``."""
    from flagguard.hosts.cmake_presets import chosen

    line = line_of(command.argv[1:])
    if not line.configures and not line.workflow:
        return None
    preset = chosen(line, command, setting)
    folder = source_folder(line, command)
    path = inside(folder, "CMakeLists.txt") if folder is not None else None
    if path is None or (not absent and setting.files.read(path) is None):
        return None
    definitions: tuple[tuple[str, Traced | None], ...] = line.definitions
    environment = dict(command.env)
    toolchain = line.toolchain
    if preset is not None:
        definitions = (*((name, value) for name, value in preset.cache), *definitions)
        environment |= dict(preset.environment)
        toolchain = toolchain or preset.toolchain
    spoken = _spoken(setting)
    last = {name: value for name, value in definitions if name in spoken or name.startswith("CMAKE_")}
    environment = {name: value for name, value in environment.items() if name in spoken or name in _READ}
    # cmake-env-variables(7), CMAKE_TOOLCHAIN_FILE
    toolchain = toolchain or last.get("CMAKE_TOOLCHAIN_FILE") or command.env.get("CMAKE_TOOLCHAIN_FILE")
    return Called(path, tuple(last.items()), environment, toolchain, line.scripts, command.directory,
                  line.unsure or (line.preset is not None and preset is None))  # fmt: skip


_READ = frozenset("CC CXX CFLAGS CXXFLAGS LDFLAGS CUDAFLAGS FFLAGS MACOSX_DEPLOYMENT_TARGET".split())
"""Variables of the environment that CMake itself reads (cmake-env-variables(7))."""
_IDENTIFIER = expression(r"[A-Za-z_]\w*")


@lru_cache(maxsize=2048)
def _names(text: str) -> frozenset[str]:
    return frozenset(_IDENTIFIER.findall(text))


def _spoken(setting: Setting) -> frozenset[str]:
    """The names that CMake's files of the tree speak of: no other value makes a difference to them."""
    paths = [p for p in setting.files.paths() if p.endswith((".cmake", "CMakeLists.txt"))]
    sources = [source for path in paths if (source := setting.files.read(path)) is not None]
    return frozenset[str]().union(*(_names(source.text) for source in sources))


def source_folder(line: Line, command: Command) -> str | None:
    """Where the project is: `-S`, the operand, or the working folder (`..` where only that is named)."""
    directory = command.directory
    if line.source is not None:
        return resolved(line.source, directory)
    if line.operand is not None:
        return resolved(line.operand, directory)
    # with no folder named, cmake configures the working folder where there is a project
    return directory
