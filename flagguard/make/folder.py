"""The files of the tree as make sees them from the folder that it runs in.

Knows no makefile syntax. Paths inside are relative to the tree's root, with ``/``; those outside are as makefiles
write them, relative to the folder.
"""

import fnmatch
import re
from functools import lru_cache
from posixpath import dirname, normpath

from flagguard.hosts import Files
from flagguard.patterns import expression
from flagguard.text import SourceText
from flagguard.values import cached_property, dataclass


@dataclass(frozen=True)
class _Held:
    """A tree's files, and what its folders hold."""

    paths: frozenset[str]
    folders: dict[str, list[str]]
    versioned: bool
    """Some file is one of RCS or SCCS."""


_VERSIONED = expression(r"(?:^|/)(?:RCS|SCCS)/|(?:^|/)s\.[^/]*$|,v$")


@lru_cache(maxsize=4)
def _held(paths: tuple[str, ...]) -> _Held:
    """The same for each of a tree's many makefiles."""
    held: dict[str, set[str]] = {}
    for path in paths:
        inner = path
        while inner:
            above = dirname(inner)
            known = held.setdefault(above, set())
            name = inner[len(above) + 1 :] if above else inner
            if name in known:
                break
            known.add(name)
            inner = above
    return _Held(
        frozenset(paths),
        {folder: sorted(names) for folder, names in held.items()},
        any(_VERSIONED.search(path) for path in paths),
    )


@dataclass(frozen=True)
class Folder:
    files: Files
    path: str
    """The folder relative to the root, "" for the root itself."""

    def rooted(self, name: str) -> str | None:
        """The path from the root of what is called ``name`` here; None where it leaves the tree."""
        if name.startswith("/"):
            return None
        joined = normpath(f"{self.path}/{name}" if self.path else name)
        if joined == ".":
            return ""
        return None if joined.startswith("../") or joined == ".." else joined

    @cached_property
    def _tree(self) -> "_Held":
        return _held(tuple(self.files.paths()))

    @property
    def paths(self) -> frozenset[str]:
        return self._tree.paths

    @property
    def folders(self) -> dict[str, list[str]]:
        """What each folder holds, files and folders, by name."""
        return self._tree.folders

    @property
    def versioned(self) -> bool:
        return self._tree.versioned

    def read(self, name: str) -> SourceText | None:
        path = self.rooted(name)
        return self.files.read(path) if path else None

    def exists(self, name: str) -> bool:
        path = self.rooted(name)
        return path is not None and (path in self.paths or path in self.folders)

    def matching(self, pattern: str) -> list[str]:
        """The files and folders that a shell pattern names, sorted, as glob(3) does; hidden ones only by a dot."""
        if not re.search(r"[*?\[]", pattern):
            return [pattern] if self.exists(pattern.rstrip("/") or "/") else []
        fixed: list[str] = []
        parts = pattern.split("/")
        while parts and not re.search(r"[*?\[]", parts[0]):
            fixed.append(parts.pop(0))
        start = "/".join(fixed)
        found = [start]
        for index, part in enumerate(parts):
            found = [
                f"{base}/{name}" if base else name for base in found for name in self._named(base, part, index, parts)
            ]
        return sorted(found)

    def _named(self, base: str, part: str, index: int, parts: list[str]) -> list[str]:
        folder = self.rooted(base or ".")
        if folder is None:
            return []
        if part in ("", ".", ".."):
            return [part] if folder in self.folders else []
        names = self.folders.get(folder, [])
        regex = re.compile(fnmatch.translate(part))
        last = index == len(parts) - 1
        prefix = f"{folder}/" if folder else ""
        return [
            name
            for name in names
            if (part.startswith(".") or not name.startswith("."))
            and regex.match(name)
            and (last or prefix + name in self.folders)
        ]
