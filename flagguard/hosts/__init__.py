"""Host readers: one module a format, and the registry that says which files each reads.

A reader turns one file into scripts (shell text or ready argv, with the facts of their place) and calls. It never runs,
imports or fetches anything, and nothing outside this package knows the formats' names.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

from flagguard.command import Command, Reading, Word
from flagguard.reaching import Part
from flagguard.text import Problem, SourceText, Traced
from flagguard.values import dataclass, field, replace

if TYPE_CHECKING:
    from flagguard.shell.wrapper_table import Wrappers


class Files(Protocol):
    """The files of the tree, read-only; paths relative to the root, with ``/``."""

    def paths(self) -> Iterable[str]: ...

    def read(self, path: str) -> SourceText | None:
        """The file's text; None where there is none, or it is no text."""
        ...


@dataclass(frozen=True)
class Setting:
    """What a reader may know besides the file."""

    files: Files
    platforms: tuple[str, ...]
    """The platforms to read for."""
    assume: Mapping[str, str] = field(default_factory=dict)
    """Values from outside, from ``[assume]``."""
    wrappers: "Wrappers | None" = None
    """The table of wrappers, where ``[wrappers]`` adds to the shipped one."""
    runners: Mapping[str, str] = field(default_factory=dict)
    """The platforms of the repository's own runners, by their labels, from ``[runners]``."""


@dataclass(frozen=True)
class Entered:
    """A part of the tree that a command starts."""

    path: str
    key: tuple[object, ...]
    """What it is, and the values that it is started with: with equal keys the readings are equal."""
    read: Callable[[Setting], Reading]
    """What runs in it."""
    platforms: tuple[str, ...] = ()
    """The platforms that it runs for, where those are not the caller's."""
    kind: tuple[object, ...] = ()
    """What tells the call apart even where the part is called in too many ways to look at each,"""
    values: Mapping[str, Traced] = field(default_factory=dict)
    """and what does not then: what it passes."""
    looser: "Callable[[Mapping[str, Traced], frozenset[str]], Entered] | None" = None
    """The same for all callers of its kind, with values that stand for what they all pass; those of the second may be
    passed, or not.
    """


@dataclass(frozen=True)
class Folded:
    """A command with what files of the tree add to it: `cmake --preset NAME`."""

    commands: tuple[Command, ...]
    """As it is on its platforms."""
    parts: tuple[Part, ...]
    """What adds to it; those parts are no commands of their own then."""
    problems: tuple[Problem, ...] = ()


class Host(Protocol):
    """A host reader: a module with these names.

    Every run imports it to ask what it claims, so it imports at its top no more than that needs; what reads the format
    is imported in `read`.
    """

    NAME: str
    """As in ``place.host`` and ``where = { host = … }``."""

    def claims(self, path: str, head: bytes) -> bool:
        """Whether the file is of this format: by its path alone where that is enough, else by its first bytes."""
        ...

    def read(self, source: SourceText, setting: Setting) -> Reading:
        """Everything in the file that runs; what cannot be read as a problem with its line, never as an exception."""
        ...


_MODULES: Sequence[str] = ("poe", "github", "makefile", "just", "dockerfile", "shellscript", "windows", "python")


def names() -> tuple[str, ...]:
    """The hosts that there are, as `where` names them."""
    from flagguard.hosts import by_path

    modules: list[Host] = [import_module(f"flagguard.hosts.{name}") for name in _MODULES]
    return tuple(host.NAME for host in (*modules, *by_path.HOSTS))


def hosts_for(path: str, head: bytes) -> list[Host]:
    """The readers that claim the file; a ``pyproject.toml`` may hold several formats."""
    from flagguard.hosts import by_path

    found: list[Host] = []
    for name in _MODULES:
        module: Host = import_module(f"flagguard.hosts.{name}")
        if module.claims(path, head):
            found.append(module)
    return [*found, *by_path.claiming(path)]


_STARTERS: Mapping[str, str] = {
    **dict.fromkeys("make gmake gnumake mingw32-make remake".split(), "makefile"),
    **dict.fromkeys(("poe", "poethepoet"), "poe"),
    "just": "just",
    **dict.fromkeys("sh bash dash ash zsh ksh ksh93 mksh".split(), "shellscript"),
    **dict.fromkeys(("pwsh", "powershell"), "windows"),
    **dict.fromkeys("podman podman-remote buildah nerdctl".split(), "dockerfile compose"),
    "docker": "dockerfile bake compose",
    **dict.fromkeys(("buildx", "docker-buildx"), "dockerfile bake"),
    **dict.fromkeys(("docker-compose", "podman-compose"), "compose"),
    **dict.fromkeys(("cmake", "cmake3"), "cmake"),
    **dict.fromkeys(("pixi", "magic"), "pixi"),
    "tox": "tox",
    "cibuildwheel": "cibuildwheel",
    **dict.fromkeys("dh dh_auto_configure dh_auto_build dh_auto_test dh_auto_install".split(), "debhelper"),
    "task": "taskfile taskipy",
    "go-task": "taskfile",
    **{name: name for name in "hatch pdm rye briefcase mise wireit turbo lerna nx moon".split()},
    **dict.fromkeys(("cargo", "makers"), "cargo_make"),
    **dict.fromkeys("nox invoke inv python python3".split(), "python_call"),
    **dict.fromkeys("npm pnpm yarn yarnpkg bun run-s run-p run-z npm-run-all npm-run-all2".split(), "npm"),
}
"""The programs that start parts of the tree, and the modules whose ``enter(command, setting)`` says which part."""
_ELSEWHERE = frozenset({"ssh", "chroot", "schroot", "vagrant", "adb", "rsh", "mosh"})
"""Wrappers whose commands run in another tree,"""
_FOLLOWED = frozenset({"env", "genv", "sudo", "docker", "podman", "nerdctl", "uv", "uvx", "poetry"})
"""wrappers whose change of folder the shell's evaluation follows,"""
_MOVING = frozenset({"-C", "-D", "--chdir", "--directory", "--project", "--cwd", "--manifest-path"})
"""and options of others that change the folder: uv, poetry, pixi."""


def entered(command: Command, setting: Setting) -> Entered | None:
    """The part of the tree that the command starts, with what it passes; None where it starts none that is known."""
    first = command.argv[0]
    name = first.text.rpartition("/")[2].removesuffix(".exe")
    searched = "PATH" in command.env or command.layout is not None
    starter = _STARTERS.get(name) or ("shellscript" if "/" in first.text or searched else None)
    if name.lower().endswith((".ps1", ".bat", ".cmd")):
        starter = "windows"
    if name.endswith(".py"):
        starter = "python_call"
    if ":" in first.shown:  # concurrently's `npm:SCRIPT`
        starter = _STARTERS.get(first.shown.partition(":")[0], starter)
    if starter is None or command.directory is None or any(map(_leads_away, command.wrappers)):
        return None
    for one in starter.split():
        module = import_module(f"flagguard.hosts.{one}")
        within = command.layout is not None
        found: Entered | None = _in_container(command, setting, module) if within else module.enter(command, setting)
        if found is not None:
            return found
    return None


_WRAPPING: Mapping[str, str] = {
    **dict.fromkeys(("pixi", "magic"), "pixi"),
    **{name: name for name in "hatch pdm rye mise".split()},
}
"""The wrappers whose command may be the name of a task, and the module whose ``starts(words, …)`` says so."""


def starts_task(words: Sequence[Word], directory: str | None, setting: Setting) -> bool:
    """Whether a wrapper runs a task of the tree, and no program."""
    module = _WRAPPING.get(words[0].text.rpartition("/")[2].removesuffix(".exe"))
    return module is not None and bool(import_module(f"flagguard.hosts.{module}").starts(words, directory, setting))


_FOLDING: Mapping[str, str] = {
    **dict.fromkeys(("cmake", "cmake3"), "cmake"),
    **dict.fromkeys("cargo cross maturin".split(), "cargo"),
    **dict.fromkeys(("bazel", "bazelisk"), "bazelrc"),
    **dict.fromkeys(("go", "garble"), "cgo"),
    "uv": "uv",
    **dict.fromkeys(
        "pyo3/maturin-action actions-rs/cargo clechasseur/rs-cargo houseabsolute/actions-rust-cross".split(), "cargo"
    ),
}
"""The programs and actions to which files of the tree add; the module's ``fold(command, setting)`` says what."""


PROJECT = "cmake"
"""The host of what a configured project comes to."""


def configures(command: Command) -> bool:
    """Whether the command configures a project, of which hundreds of commands may come."""
    return _STARTERS.get(command.argv[0].text.rpartition("/")[2].removesuffix(".exe")) == PROJECT


def folded(command: Command, setting: Setting) -> Folded | None:
    """The command with what files of the tree add to it; None where they add nothing."""
    name = command.argv[0].text.rpartition("/")[2].removesuffix(".exe")
    if name == "uses" and len(command.argv) > 1:
        name = command.argv[1].text.partition("@")[0].lower()
    module = _FOLDING.get(name)
    if module is None or (module == "cmake" and (command.directory is None or command.layout is not None)):
        return None
    if command.layout is not None:
        from flagguard.hosts.containers import inside

        setting = replace(setting, files=inside(setting.files, command.layout))
    found: Folded | None = import_module(f"flagguard.hosts.{module}").fold(command, setting)
    return found


def _in_container(command: Command, setting: Setting, module: ModuleType) -> Entered | None:
    """A part of the tree that a command starts in a container, where it stands elsewhere."""
    from flagguard.hosts.containers import Inside

    layout = command.layout
    assert layout is not None
    files = Inside(setting.files, layout)
    found: Entered | None = module.enter(command, replace(setting, files=files))
    if found is None:
        return None

    def read(inner: Setting) -> Reading:
        reading = found.read(replace(inner, files=Inside(inner.files, layout)))
        return replace(reading, scripts=tuple(replace(script, layout=layout) for script in reading.scripts))

    return Entered(files.in_tree(found.path), ("container", found.key, layout), read, found.platforms)


def _leads_away(wrapper: Sequence[Word]) -> bool:
    program = wrapper[0].text.rpartition("/")[2]
    if program in _ELSEWHERE or program in _FOLLOWED:
        return program in _ELSEWHERE
    return any(word.text.partition("=")[0] in _MOVING for word in wrapper[1:])
