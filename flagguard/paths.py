"""Which file or folder of the tree a text names, seen from a folder of it. Nothing is looked up.

A container has a file system of its own. Its paths are told from the tree's by :data:`IN_CONTAINER` before them, and a
:class:`Layout` says which files of the tree were copied where.
"""

from collections.abc import Iterator
from posixpath import join, normpath
from typing import Protocol

from flagguard.text import Traced
from flagguard.values import dataclass

IN_CONTAINER = "\ue002"
"""Stands before every path inside of a container; no file of the tree is called so."""


class LeftOut(Protocol):
    """The files of the tree that never come into a container."""

    def __contains__(self, path: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Layout:
    """What a container's files are in the tree.

    ``copies``: a path in the container (without the mark), and the paths of the tree that may stand there, the
    likeliest first; later copies lie over earlier ones.
    """

    copies: tuple[tuple[str, tuple[str, ...]], ...] = ()
    left_out: LeftOut | None = None

    def in_tree(self, path: str) -> Iterator[str]:
        """The paths of the tree that a path in the container may be, the likeliest first."""
        path = path.removeprefix(IN_CONTAINER)
        for there, sources in reversed(self.copies):
            if path == there or path.startswith(there.rstrip("/") + "/"):
                rest = path[len(there) :].lstrip("/")
                found = (inside(source, rest) for source in sources)
                yield from (path for path in found if path is not None and not self._lacks(path))

    def in_container(self, path: str) -> Iterator[str]:
        """The paths in the container at which a file of the tree may stand, with the mark."""
        for there, sources in self.copies if not self._lacks(path) else ():
            for source in sources:
                if not source or path == source or path.startswith(source + "/"):
                    rest = path[len(source) :].lstrip("/")
                    yield IN_CONTAINER + (join(there, rest) if rest else there)

    def _lacks(self, path: str) -> bool:
        return self.left_out is not None and path in self.left_out


def resolved(name: Traced, directory: str | None) -> str | None:
    """The path from the root; None where it is not known, or leaves the tree.

    ``directory``: the folder that a relative name starts from; None: not known.
    """
    pieces = [p for p in name.pieces if p.text or p.hole is not None]
    if not pieces or any(p.hole is not None for p in pieces[1:]):
        return None
    first = pieces[0].hole
    rest = "".join(p.text for p in pieces[1:])
    if first is None:
        text = pieces[0].text + rest
        if directory is None or text[0] == "~":
            return None
        if text[0] == "/":
            return IN_CONTAINER + normpath(text) if directory.startswith(IN_CONTAINER) else None
        return inside(directory, text)
    if first.path is None:
        return None
    if rest.startswith("/"):
        return inside(first.path, rest.lstrip("/"))
    return inside("", first.path + rest)


def inside(directory: str, name: str) -> str | None:
    """``name`` as it is called in ``directory``, from the root; None where it lies outside."""
    path = normpath(join(directory, name))
    if path == ".":
        return ""
    return None if path.startswith(("../", "/")) or path == ".." else path
