"""Host readers: one module a format, and the registry that says which files each reads.

A reader turns one file into scripts (shell text or ready argv, with the facts of their place) and calls. It never runs,
imports or fetches anything, and nothing outside this package knows the formats' names.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Protocol

from flagguard.command import Reading
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


_MODULES: Sequence[str] = ("poe", "github", "makefile", "shellscript")


def hosts_for(path: str, head: bytes) -> list[Host]:
    """The readers that claim the file; a ``pyproject.toml`` may hold several formats."""
    found = []
    for name in _MODULES:
        module: Host = import_module(f"flagguard.hosts.{name}")
        if module.claims(path, head):
            found.append(module)
    return found
