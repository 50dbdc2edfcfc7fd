"""Syntax trees of the text that is edited, and the places in them (tree-sitter's own documentation, "Using Parsers").

Only this module touches the grammars. Offsets are characters, as everywhere.
"""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from flagguard.hosts.tree import Offsets, encoded

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


class Syntax:
    """The tree of one text in one language."""

    def __init__(self, text: str, language: str) -> None:
        self.text = text
        self._ascii = text.isascii()
        self._offsets = Offsets(text)
        self._root = _parser(language).parse(encoded(text)).root_node

    def at(self, start: int, end: int) -> "Iterator[Node]":
        """The nodes that hold the characters ``start`` to ``end``, innermost first."""
        node = self._root.descendant_for_byte_range(self._byte(start), self._byte(end))
        while node is not None:
            yield node
            node = node.parent

    def range(self, node: "Node") -> tuple[int, int]:
        return self._offsets[node.start_byte], self._offsets[node.end_byte]

    def written(self, node: "Node") -> str:
        start, end = self.range(node)
        return self.text[start:end]

    def _byte(self, offset: int) -> int:
        return offset if self._ascii else len(encoded(self.text[:offset]))


def pair_above(node: "Node") -> "Node | None":
    """The pair of a YAML mapping that a pair stands in; None in a list."""
    above = node.parent
    while above is not None and above.type not in ("block_mapping_pair", "flow_pair"):
        if above.type in ("block_sequence_item", "flow_sequence"):
            return None
        above = above.parent
    return above


@cache
def _parser(language: str) -> "Parser":
    from tree_sitter import Language, Parser

    return Parser(Language(import_module(f"tree_sitter_{language}").language()))
