"""Rust by tree-sitter-rust: nodes with their places, and what literals say (The Rust Reference, "Tokens").

Nothing here knows what a build script is.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from flagguard.hosts.tree import Offsets, encoded
from flagguard.text import EMPTY, Piece, SourceText, Span, Traced, join

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "\\": "\\", "'": "'", '"': '"'}
_WRAPPER = (b"fn f(){y(", b");}")


@cache
def _parser() -> "Parser":
    import tree_sitter_rust
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_rust.language()))


class Rust:
    """One file as a syntax tree."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self._bytes = encoded(source.text)
        self._offsets = Offsets(source.text)
        self.root = _parser().parse(self._bytes).root_node

    def span(self, node: "Node") -> Span:
        return Span(self.source.path, self._offsets[node.start_byte], self._offsets[node.end_byte])

    def written(self, node: "Node") -> str:
        at = self.span(node)
        return self.source.text[at.start : at.end]

    def field(self, node: "Node", name: str) -> str:
        """How the source writes a field of the node; nothing where it has none."""
        found = node.child_by_field_name(name)
        return self.written(found) if found is not None else ""

    def line(self, node: "Node") -> int:
        return node.start_point[0] + 1

    def arguments(self, macro: "Node") -> list["Node"]:
        """The arguments of a macro that takes expressions; none where they are something else."""
        tree = next((n for n in macro.named_children if n.type == "token_tree"), None)
        if tree is None or tree.start_byte < len(_WRAPPER[0]):
            return []
        inner = self._bytes[tree.start_byte + 1 : tree.end_byte - 1]
        # blanks before, so that every byte stands where it stood
        lead = b" " * (tree.start_byte + 1 - len(_WRAPPER[0])) + _WRAPPER[0]
        root = _parser().parse(lead + inner + _WRAPPER[1]).root_node
        found = next((n for n in walk(root) if n.type == "arguments"), None)
        return [] if found is None or root.has_error else list(found.named_children)

    def string(self, node: "Node") -> Traced:
        """What a string literal says."""
        out: list[Traced] = []
        folds = False
        for part in node.named_children:
            at = self.span(part)
            if part.type == "string_content":
                start = at.start
                if folds:  # a backslash at the end of a line takes the blanks of the next one away
                    start += len(self.written(part)) - len(self.written(part).lstrip())
                out.append(self.source.traced(start, at.end))
                folds = False
            elif part.type == "escape_sequence":
                said = _escaped(self.written(part))
                folds = not said
                out.append(Traced((Piece(said, (at,)),)) if said else EMPTY)
        return join(out)


@lru_cache(maxsize=4)
def strings(source: SourceText) -> tuple[tuple[int, int, bool], ...]:
    """The texts of the file without their quotes, and whether each is an item of an array, or a program."""
    rust = Rust(source)
    out = []
    for node in walk(rust.root):
        if node.type in ("string_literal", "raw_string_literal"):
            at = rust.span(node)
            before = source.text.find('"', at.start, at.end) + 1
            behind = source.text.rfind('"', before, at.end)
            listed = node.parent is not None and node.parent.type in ("array_expression", "token_tree")
            blank = at.start
            while blank and source.text[blank - 1].isspace():
                blank -= 1
            listed = listed and source.text.endswith(("[", ","), 0, blank)
            program = source.text.endswith("Command::new(", 0, blank)
            out.append((before, max(behind, before), listed or program))
    return tuple(out)


def encode(source: SourceText, span: Span, text: str) -> str | None:
    """What to write in place of ``span``, in a literal of the file, so that it says ``text``; None: it cannot."""
    inside = next((start for start, end, _ in strings(source) if start <= span.start <= end), None)
    if inside is None or not text.isprintable():
        return None
    raw = source.text[:inside].rstrip('#"').endswith("r")
    if raw:
        return text if '"' not in text else None
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _escaped(written: str) -> str:
    if (found := re.fullmatch(r"\\(?:u\{([0-9a-fA-F_]+)\}|x([0-9a-fA-F]{2}))", written)) is not None:
        number = int((found[1] or found[2]).replace("_", ""), 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
    return _ESCAPES.get(written[1:2], "")


def walk(node: "Node") -> Iterator["Node"]:
    """The node and all below it, in the order of the file."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += reversed(one.named_children)
