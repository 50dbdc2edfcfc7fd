"""A data file (TOML, YAML, JSON) as a tree of values that know where they stand.

What a value means to a host is not known here. Offsets: the grammars count bytes, :class:`~flagguard.text.Span` counts
characters; :class:`Offsets` translates.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from enum import Enum
from types import MappingProxyType

from flagguard.text import EMPTY, Problem, SourceText, Span, Traced
from flagguard.values import cached_property, dataclass

Plain = str | bool | int | float | None


class Kind(Enum):
    STRING = "a string"
    BOOLEAN = "true or false"
    NUMBER = "a number"
    NULL = "nothing"
    OTHER = "a date"


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value that is no container. ``text`` is what a string says; of any other kind, how it is written."""

    span: Span
    text: Traced
    kind: Kind
    value: Plain = None

    @property
    def named(self) -> str:
        return self.kind.value


@dataclass(frozen=True, slots=True)
class Items:
    span: Span
    items: tuple["Node", ...] = ()
    tag: str = ""
    """A tag of the format's own: GitLab's `!reference`."""
    named = "a list"


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    key: Span
    """Where the key is written (the last part of a dotted one)."""
    value: "Node"


@dataclass(frozen=True)
class Table:
    span: Span
    entries: tuple[Entry, ...] = ()
    named = "a table"

    @cached_property
    def by_name(self) -> Mapping[str, Entry]:
        return MappingProxyType({e.name: e for e in self.entries})

    def get(self, name: str) -> "Node | None":
        entry = self.by_name.get(name)
        return None if entry is None else entry.value


Node = Scalar | Items | Table


@dataclass(frozen=True, slots=True)
class Document:
    """What came of one file: its top value, where it could be read, and what was wrong."""

    root: Node | None
    problems: tuple[Problem, ...] = ()


def text_of(node: "Node | None") -> Traced:
    """What a string says; nothing for anything else."""
    return node.text if isinstance(node, Scalar) and node.kind is Kind.STRING else EMPTY


def same(one: Node, other: Node) -> bool:
    """Whether two values are equal, wherever they stand; strings are told from numbers, texts from other texts."""
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        if one.kind is Kind.STRING or other.kind is Kind.STRING:
            return one.kind is other.kind and one.text.text == other.text.text
        return one.value == other.value
    if isinstance(one, Items) and isinstance(other, Items):
        return len(one.items) == len(other.items) and all(map(same, one.items, other.items))
    if isinstance(one, Table) and isinstance(other, Table):
        if one.by_name.keys() != other.by_name.keys():
            return False
        return all(same(e.value, other.by_name[e.name].value) for e in one.entries)
    return False


def weight(node: Node, most: int) -> int:
    """How many values it holds, those behind an alias once for each use; above ``most`` it is not counted on.

    Raises RecursionError where aliases nest too deeply.
    """
    known: dict[int, int] = {}

    def of(node: Node) -> int:
        found = known.get(id(node))
        if found is None:
            inner = node.items if isinstance(node, Items) else ()
            if isinstance(node, Table):
                inner = tuple(e.value for e in node.entries)
            found = 1
            for one in inner:
                found += of(one)
                if found > most:
                    break
            known[id(node)] = found
        return found

    return of(node)


class Offsets:
    """Byte offsets of ``text`` in UTF-8 (surrogate escapes as their bytes), as offsets in characters."""

    def __init__(self, text: str) -> None:
        self._wide: list[int] = []
        self._extra: list[int] = [0]
        if not text.isascii():
            self._fill(text)

    def _fill(self, text: str) -> None:
        extra = 0
        for at, char in enumerate(text):
            if char > "\x7f":
                point = ord(char)
                size = 1 if 0xDC80 <= point <= 0xDCFF else 2 if point < 0x800 else 3 if point < 0x10000 else 4
                if size > 1:
                    self._wide.append(at + extra + 1)
                    extra += size - 1
                    self._extra.append(extra)

    def __getitem__(self, byte: int) -> int:
        return byte - self._extra[bisect_left(self._wide, byte)] if self._wide else byte


def encoded(text: str) -> bytes:
    """The bytes of the file that ``text`` came from."""
    return text.encode("utf-8", "surrogateescape")


def undecoded(source: SourceText) -> Iterator[int]:
    """The lines that hold bytes that are not UTF-8."""
    if source.text.isascii():
        return
    seen = 0
    for at, char in enumerate(source.text):
        if "\udc80" <= char <= "\udcff":
            line = source.position(at)[0]
            if line != seen:
                seen = line
                yield line
