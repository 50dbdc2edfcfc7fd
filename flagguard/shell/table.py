"""A mapping that is cheap to copy: a large part that is shared and a small part of one's own on top."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

V = TypeVar("V")

_GONE = object()
_SMALL = 32


class Table(Generic[V]):
    """A mapping by name. :meth:`copy` costs as much as the few names that were set last."""

    __slots__ = ("_base", "_top")

    def __init__(self, base: Mapping[str, V] | None = None) -> None:
        self._base: Mapping[str, V] = base or {}
        self._top: dict[str, object] = {}

    def copy(self) -> "Table[V]":
        if len(self._top) > _SMALL + len(self._base) // 16:
            self._fold()
        out: Table[V] = Table.__new__(Table)
        out._base, out._top = self._base, self._top.copy()
        return out

    def _fold(self) -> None:
        self._base = dict(self.items())
        self._top = {}

    def get(self, name: str) -> V | None:
        found = self._top.get(name)
        if found is None:
            return self._base.get(name)
        return None if found is _GONE else found  # type: ignore[return-value]

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None

    def __getitem__(self, name: str) -> V:
        found = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def __setitem__(self, name: str, value: V) -> None:
        self._top[name] = value

    def drop(self, name: str) -> None:
        if name in self._base:
            self._top[name] = _GONE
        else:
            self._top.pop(name, None)

    def items(self) -> Iterator[tuple[str, V]]:
        """In the order in which the names were first set."""
        for name, value in self._base.items():
            own = self._top.get(name, value)
            if own is not _GONE:
                yield name, own  # type: ignore[misc]
        for name, own in self._top.items():
            if own is not _GONE and name not in self._base:
                yield name, own  # type: ignore[misc]

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.items())

    def own(self) -> Iterable[str]:
        """The names that were set last: some of those by which a copy may differ."""
        return self._top

    def differing(self, other: "Table[V]") -> Iterator[str]:
        """The names whose values may differ: only they have to be compared."""
        if self._base is other._base:
            names = self._top.keys() | other._top.keys()
            return (n for n in names if self._top.get(n) is not other._top.get(n))
        names = dict(self.items()).keys() | dict(other.items()).keys()
        return (n for n in names if self.get(n) is not other.get(n))
