"""The tree as it is seen from inside of a container.

Knows no formats: a layout says which files of the tree stand where.
"""

from collections.abc import Iterable

from flagguard.hosts import Files
from flagguard.paths import IN_CONTAINER, Layout
from flagguard.text import SourceText
from flagguard.values import cached_property


class Inside:
    """The files of a tree, those of a container among them."""

    def __init__(self, files: Files, layout: Layout) -> None:
        self._files = files
        self.layout = layout

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        own = tuple(self._files.paths())
        return (*own, *dict.fromkeys(there for path in own for there in self.layout.in_container(path)))

    def paths(self) -> Iterable[str]:
        return self._paths

    def read(self, path: str) -> SourceText | None:
        """The file with the path that it has in the tree, so that its places are right."""
        if not path.startswith(IN_CONTAINER):
            return self._files.read(path)
        for candidate in self.layout.in_tree(path):
            source = self._files.read(candidate)
            if source is not None:
                return source
        return None

    def in_tree(self, path: str) -> str:
        """The path in the tree; the path itself where it names no file of it."""
        source = self.read(path)
        return source.path if source is not None else path


def inside(files: Files, layout: Layout | None) -> Files:
    """The files as a command sees them that runs where ``layout`` says."""
    if layout is None or isinstance(files, Inside):
        return files
    return Inside(files, layout)
