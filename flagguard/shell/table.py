"""A mapping that is cheap to copy: a large part that is shared and a small part of one's own on top."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

V = TypeVar("V")

_GONE = object()
_SMALL = 32


class Table(Generic[V]):
    """A mapping by name. A copy shares all until one of the two is changed, and then the large part still."""

    __slots__ = ("_base", "_dropped", "_shared", "_top")

    def __init__(self, base: Mapping[str, V] | None = None) -> None:
        self._base: Mapping[str, V] = base or {}
        self._top: dict[str, object] = {}
        self._shared = False
        """Whether a copy uses the same small part."""
        self._dropped = False
        """Whether the small part says of a name that it is gone."""

    def copy(self) -> "Table[V]":
        if not self._shared and len(self._top) > _SMALL + len(self._base) // 16:
            self._base, self._top, self._dropped = self._whole(), {}, False
        out: Table[V] = Table.__new__(Table)
        out._base, out._top, out._dropped = self._base, self._top, self._dropped
        out._shared = self._shared = True
        return out

    def _part(self) -> None:
        """Take a small part of one's own."""
        self._top, self._shared = self._top.copy(), False

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
        if self._shared:
            self._part()
        self._top[name] = value

    def drop(self, name: str) -> None:
        if self._shared:
            self._part()
        if name in self._base:
            self._top[name], self._dropped = _GONE, True
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

    def differing(self, other: "Table[V]") -> Iterable[str]:
        """The names whose values may differ: only they have to be compared."""
        mine, theirs = self._top, other._top
        if self._base is other._base:
            if mine is theirs:
                return ()
            found = [name for name, value in mine.items() if theirs.get(name) is not value]
            return found + [name for name in theirs if name not in mine]
        my_whole, their_whole = self._whole(), other._whole()
        found = [name for name, value in my_whole.items() if their_whole.get(name) is not value]
        return found + [name for name in their_whole if name not in my_whole]

    def _whole(self) -> dict[str, V]:
        whole: dict[str, object] = {**self._base, **self._top}
        if self._dropped:
            whole = {name: value for name, value in whole.items() if value is not _GONE}
        return whole  # type: ignore[return-value]
