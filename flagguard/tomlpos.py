"""Where each key and each value of a TOML file stands.

tomllib gives the values and no positions; tree-sitter-toml gives the positions. A path is the way to a value as tomllib
nests it: ``("rule", 0, "require", 1, "flag")``. Values are not interpreted here. Follows TOML 1.0, "Table", "Array of
Tables" and "Inline Table".
"""

import tomllib
from typing import TYPE_CHECKING

from flagguard.text import SourceText, Span
from flagguard.values import dataclass, field

if TYPE_CHECKING:
    from tree_sitter import Node

KeyPath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Position:
    """One entry: its key as written (None for an element of an array) and its value.

    For a table with a header, ``key`` is the key in the header and ``value`` everything up to the next header.
    """

    key: Span | None
    value: Span


@dataclass(frozen=True)
class Positions:
    """The positions of a whole file."""

    path: str
    entries: dict[KeyPath, Position] = field(default_factory=dict)

    def key(self, path: KeyPath) -> Span:
        """Where the key stands; for an element of an array, where the element does."""
        entry, exact = self._nearest(path)
        return entry.value if not exact and entry.key is None else entry.key or entry.value

    def value(self, path: KeyPath) -> Span:
        """Where the value stands; for a path that is not there, where the nearest table around it begins."""
        entry, exact = self._nearest(path)
        return entry.value if exact else entry.key or entry.value

    def _nearest(self, path: KeyPath) -> tuple[Position, bool]:
        for size in range(len(path), 0, -1):
            found = self.entries.get(path[:size])
            if found is not None:
                return found, size == len(path)
        return Position(None, Span(self.path, 0, 0)), False


def positions(source: SourceText) -> Positions:
    """The positions of all that ``source`` holds; it should be valid TOML, of other text what can be told."""
    import tree_sitter  # only where a place is asked for: the parser's packages take long to import
    import tree_sitter_toml

    data = source.text.encode("utf-8", "surrogateescape")
    tree = tree_sitter.Parser(tree_sitter.Language(tree_sitter_toml.language())).parse(data)
    walk = _Walk(source.path, data, source.text.isascii())
    here: KeyPath = ()
    for node in tree.root_node.named_children:
        if node.type == "pair":
            walk.pair(node, ())
        elif node.type in ("table", "table_array_element"):
            here = walk.header(node, array=node.type == "table_array_element")
            for child in node.named_children:
                if child.type == "pair":
                    walk.pair(child, here)
    return Positions(source.path, walk.entries)


class _Walk:
    def __init__(self, path: str, data: bytes, ascii_only: bool) -> None:
        self.path = path
        self.data = data
        self.ascii_only = ascii_only
        self.entries: dict[KeyPath, Position] = {}
        self.sizes: dict[KeyPath, int] = {}

    def span(self, node: "Node") -> Span:
        return Span(self.path, self.characters(node.start_byte), self.characters(node.end_byte))

    def characters(self, offset: int) -> int:
        return offset if self.ascii_only else len(self.data[:offset].decode("utf-8", "surrogateescape"))

    def header(self, node: "Node", array: bool) -> KeyPath:
        keys = self.keys(node.named_children[0]) if node.named_children else []
        here: KeyPath = ()
        for at, (name, key) in enumerate(keys):
            here = (*here, name)
            last = at == len(keys) - 1
            if here in self.sizes and not (array and last):
                here = (*here, self.sizes[here] - 1)  # a header below [[x]] speaks of its last element
            elif array and last:
                number = self.sizes.get(here, 0)
                self.sizes[here] = number + 1
                self.entries.setdefault(here, Position(self.span(key), self.span(node)))
                here = (*here, number)
                self.entries[here] = Position(self.span(key), self.span(node))
            else:
                self.entries.setdefault(here, Position(self.span(key), self.span(node)))
        return here

    def pair(self, node: "Node", table: KeyPath) -> None:
        children = node.named_children
        if len(children) < 2:
            return
        here, value = table, children[-1]
        for name, key in self.keys(children[0]):
            here = (*here, name)
            self.entries.setdefault(here, Position(self.span(key), self.span(value)))
        self.contents(value, here)

    def contents(self, value: "Node", here: KeyPath) -> None:
        if value.type == "inline_table":
            for child in value.named_children:
                if child.type == "pair":
                    self.pair(child, here)
        elif value.type == "array":
            elements = [c for c in value.named_children if c.type not in ("comment", "ERROR")]
            for number, element in enumerate(elements):
                self.entries[(*here, number)] = Position(None, self.span(element))
                self.contents(element, (*here, number))

    def keys(self, node: "Node") -> list[tuple[str, "Node"]]:
        if node.type == "dotted_key":
            return [found for child in node.named_children for found in self.keys(child)]
        text = self.data[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")
        return [(_plain(text) if node.type == "quoted_key" else text, node)]


def _plain(quoted: str) -> str:
    try:
        return next(iter(tomllib.loads(quoted + " = 0")))
    except (tomllib.TOMLDecodeError, StopIteration):
        return quoted[1:-1]
