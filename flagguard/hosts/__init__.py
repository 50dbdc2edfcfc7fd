"""Host readers: one module a format, and the registry that says which files each reads.

A reader turns one file into scripts (shell text or ready argv, with the facts of their place) and calls. It never runs,
imports or fetches anything, and nothing outside this package knows the formats' names.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Protocol

from flagguard.command import Command, Reading, Word
from flagguard.text import SourceText
from flagguard.values import dataclass, field


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


@dataclass(frozen=True)
class Entered:
    """A part of the tree that a command starts."""

    path: str
    key: tuple[object, ...]
    """What it is, and the values that it is started with: with equal keys the readings are equal."""
    read: Callable[[Setting], Reading]
    """What runs in it."""


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


_MODULES: Sequence[str] = ("poe", "github", "makefile", "shellscript", "windows")


def names() -> tuple[str, ...]:
    """The hosts that there are, as `where` names them."""
    modules: list[Host] = [import_module(f"flagguard.hosts.{name}") for name in _MODULES]
    return tuple(module.NAME for module in modules)


def hosts_for(path: str, head: bytes) -> list[Host]:
    """The readers that claim the file; a ``pyproject.toml`` may hold several formats."""
    found = []
    for name in _MODULES:
        module: Host = import_module(f"flagguard.hosts.{name}")
        if module.claims(path, head):
            found.append(module)
    return found


_STARTERS: Mapping[str, str] = {
    **dict.fromkeys("make gmake gnumake mingw32-make remake".split(), "makefile"),
    **dict.fromkeys(("poe", "poethepoet"), "poe"),
    **dict.fromkeys("sh bash dash ash zsh ksh ksh93 mksh".split(), "shellscript"),
    **dict.fromkeys(("pwsh", "powershell"), "windows"),
}
"""The programs that start parts of the tree, and the module whose ``enter(command, setting)`` says which part."""
_ELSEWHERE = frozenset({"ssh", "chroot", "schroot", "vagrant", "adb", "rsh", "mosh"})
"""Wrappers whose commands run in another tree,"""
_MOVING = frozenset({"-C", "-D", "--chdir", "--directory", "--project", "--cwd", "--manifest-path"})
"""and options of wrappers that change the folder: env(1), sudo(8), uv, poetry, pixi."""


def entered(command: Command, setting: Setting) -> Entered | None:
    """The part of the tree that the command starts, with what it passes; None where it starts none that is known."""
    first = command.argv[0]
    name = first.text.rpartition("/")[2].removesuffix(".exe")
    starter = _STARTERS.get(name) or ("shellscript" if "/" in first.text else None)
    if name.lower().endswith((".ps1", ".bat", ".cmd")):
        starter = "windows"
    if starter is None or command.directory is None or any(map(_leads_away, command.wrappers)):
        return None
    module = import_module(f"flagguard.hosts.{starter}")
    found: Entered | None = module.enter(command, setting)
    return found


def _leads_away(wrapper: Sequence[Word]) -> bool:
    if wrapper[0].text.rpartition("/")[2] in _ELSEWHERE:
        return True
    return any(word.text.partition("=")[0] in _MOVING for word in wrapper[1:])
