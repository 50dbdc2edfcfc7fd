"""YAML (and JSON) as a tree of traced values, by tree-sitter-yaml.

Follows YAML 1.2.2 (https://yaml.org/spec/1.2.2/) with YAML 1.1's merge key. Nothing here knows what a key means. A file
that the grammar finds an error in is not read any further: a half-read tree could say what the file does not.
"""

import re
from functools import cache
from typing import TYPE_CHECKING

from flagguard.hosts import yaml_scalars
from flagguard.hosts.tree import Document, Entry, Items, Kind, Node, Offsets, Scalar, Table, encoded, undecoded
from flagguard.patterns import expression
from flagguard.text import EMPTY, Problem, SourceText, Span
from flagguard.values import dataclass

if TYPE_CHECKING:
    from tree_sitter import Node as Syntax
    from tree_sitter import Parser

_STYLES = frozenset({"plain_scalar", "single_quote_scalar", "double_quote_scalar", "block_scalar"})


@cache
def _parser() -> "Parser":
    import tree_sitter_yaml
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_yaml.language()))


def _parse(text: str) -> "Syntax":
    if text.startswith("\ufeff"):
        text = "   " + text[1:]
    return _parser().parse(encoded(text)).root_node


_DEEPEST = 200
"""Block collections in each other: past 253 tree-sitter-yaml 0.7.2 writes over the end of its scanner's state."""
_WIDE = expression(r"(?:^|[\r\n])(?: |[-?:][ \t]){" + str(_DEEPEST // 2) + "}")
_STARTS = expression(r"(?: |[-?:][ \t])*")


def _too_deep(text: str) -> int | None:
    """The line where more block collections are open than the parser can bear; counts too many, never too few."""
    if not _WIDE.search(text):
        return None
    open_: list[int] = []
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        found = _STARTS.match(line)
        lead = found[0] if found else ""
        # a sequence may stand at the column of the key that holds it, so it counts half a column more
        columns = [2 * i + (mark == "-") for i, mark in enumerate(lead) if mark not in " \t"]
        if len(lead) < len(line):
            columns.append(2 * len(lead))
        if columns:
            while open_ and open_[-1] >= columns[0]:
                open_.pop()
            open_ += columns
        if len(open_) > _DEEPEST:
            return number
    return None


def read(source: SourceText, merges: str | None = None) -> Document:
    """The first document of the file as a tree, and everything that is wrong with the file.

    ``merges``: what to tell of a merge key, where the format has none; it is followed all the same.
    """
    found, problems = documents(source, merges=merges)
    if len(found) > 1:
        line = source.position(found[1].start)[0]
        told = Problem(source.path, line, "a second document: only the first one of a file is read")
        problems = tuple(sorted((*problems, told)))
    return Document(found[0].root if found else None, problems)


@dataclass(frozen=True, slots=True)
class Part:
    """One document of a file."""

    root: Node
    start: int


def documents(
    source: SourceText, repeats: bool = False, lists: bool = False, merges: str | None = None
) -> tuple[tuple[Part, ...], tuple[Problem, ...]]:
    """All documents of the file, and everything that is wrong with it.

    ``repeats``: a key may stand several times; from the second on a NUL and a number follow its name.
    ``lists``: `<<` before a list puts its items in, which is left to the reader of the format.
    ``merges``: as for :func:`read`.
    """
    for line in undecoded(source):
        return (), (Problem(source.path, line, "not UTF-8, which YAML has to be"),)
    deep = _too_deep(source.text)
    if deep is not None:
        return (), (Problem(source.path, deep, "not YAML that can be read: nested too deeply"),)
    root = _parse(source.text)
    if root.has_error:
        return (), (_broken(source),)
    reader = _Reader(source, repeats, lists, merges)
    found = []
    try:
        for node in root.named_children:
            if node.type == "document":
                reader.anchors = {}
                found.append(Part(reader.content(node), reader.offsets[node.start_byte]))
    except RecursionError:
        return (), (Problem(source.path, 1, "not YAML that can be read: nested too deeply"),)
    return tuple(found), tuple(sorted(reader.problems))


def read_json(source: SourceText) -> Document:
    """A JSON file as a tree. Every JSON text is YAML, but for the tabs that indent it."""
    import json

    try:
        json.loads(source.text.removeprefix("\ufeff"), parse_int=float)  # an int may have too many digits for Python
    except RecursionError:
        return Document(None, (Problem(source.path, 1, "not JSON that can be read: nested too deeply"),))
    except json.JSONDecodeError as error:
        return Document(None, (Problem(source.path, error.lineno, f"not JSON: {error.msg}"),))
    return read(SourceText(source.path, source.text.replace("\t", " ")))


def _broken(source: SourceText) -> Problem:
    """Where the file stops being YAML: after the longest beginning that is.

    The grammar recovers from errors, so the places that it marks are seldom the culprits.
    """
    lines = source.text.splitlines(keepends=True)
    good, bad = 0, len(lines)
    while bad - good > 1:
        middle = (good + bad) // 2
        if _bad(lines[:middle]):
            bad = middle
        else:
            good = middle
        if bad - good == 1:
            # What is open here (a quote, a bracket) may still be closed later.
            later = (n for n in range(min(bad + _OPEN_FOR, len(lines) - 1), bad, -1) if not _bad(lines[:n]))
            found = next(later, None)
            if found is not None:
                good, bad = found, len(lines)
    if lines and re.match(r" *\t\s*[^\s#]", lines[bad - 1]):
        return Problem(source.path, bad, "not YAML: a tab indents the line, where YAML takes blanks only")
    written = lines[bad - 1].strip()[:40] if lines else ""
    return Problem(source.path, max(bad, 1), f"not YAML: cannot be read at “{written}”")


_OPEN_FOR = 20


def _bad(lines: list[str]) -> bool:
    return _parse("".join(lines)).has_error


class _Reader:
    def __init__(self, source: SourceText, repeats: bool, lists: bool, merges: str | None) -> None:
        self.source = source
        self.merges = merges
        self.repeats = repeats
        self.lists = lists
        self.offsets = Offsets(source.text)
        self.anchors: dict[str, Node] = {}
        self.problems: list[Problem] = []

    def span(self, node: "Syntax") -> Span:
        return Span(self.source.path, self.offsets[node.start_byte], self.offsets[node.end_byte])

    def problem(self, node: "Syntax", message: str, key: str | None = None) -> None:
        line = self.source.position(self.offsets[node.start_byte])[0]
        self.problems.append(Problem(self.source.path, line, message, key=key))

    def content(self, node: "Syntax | None", at: int = 0) -> Node:
        """A document, a block node or a flow node: what it holds, its anchor noted, its tag honoured."""
        anchor, tag, inner = None, None, None
        children = node.named_children if node is not None else ()
        if len(children) == 1 and children[0].type in _STYLES:
            return self._scalar(children[0])
        for child in children:
            if child.type == "anchor":
                anchor = self._written(child)[1:]
            elif child.type == "tag":
                tag = self._written(child)
            elif child.type != "comment":
                inner = child
        at = self.offsets[node.end_byte] if node is not None else at
        found = self._node(inner) if inner is not None else Scalar(Span(self.source.path, at, at), EMPTY, Kind.NULL)
        if tag in ("!!str", "!") and isinstance(found, Scalar):
            found = Scalar(found.span, found.text, Kind.STRING, found.text.text)
        if tag is not None and tag[:2] != "!!" and isinstance(found, Items):
            found = Items(found.span, found.items, tag)
        if anchor is not None:
            self.anchors[anchor] = found
        return found

    def _written(self, node: "Syntax") -> str:
        span = self.span(node)
        return self.source.text[span.start : span.end]

    def _node(self, node: "Syntax") -> Node:
        kind = node.type
        if kind in _STYLES:
            return self._scalar(node)
        if kind in ("block_mapping", "flow_mapping"):
            return self._mapping(node, [n for n in node.named_children if n.type != "comment"])
        if kind == "flow_pair":
            return self._mapping(node, [node])
        if kind == "block_sequence":
            items = (n for n in node.named_children if n.type == "block_sequence_item")
            return Items(self.span(node), tuple(self.content(self._child(n), self._end(n)) for n in items))
        if kind == "flow_sequence":
            parts = (n for n in node.named_children if n.type != "comment")
            return Items(
                self.span(node), tuple(self._node(n) if n.type == "flow_pair" else self.content(n) for n in parts)
            )
        if kind == "alias":
            name = self._written(node)[1:]
            if name in self.anchors:
                return self.anchors[name]
            self.problem(node, f"the alias *{name} has no anchor before it")
            return Scalar(self.span(node), EMPTY, Kind.NULL)
        return self.content(node)

    def _child(self, node: "Syntax") -> "Syntax | None":
        return next((n for n in node.named_children if n.type != "comment"), None)

    def _end(self, node: "Syntax") -> int:
        return self.offsets[node.end_byte]

    def _mapping(self, node: "Syntax", pairs: "list[Syntax]") -> Table:
        entries: dict[str, Entry] = {}
        merged: list[Node] = []
        for pair in pairs:
            is_pair = pair.type in ("block_mapping_pair", "flow_pair")
            key_node = pair.child_by_field_name("key") if is_pair else pair
            value_node = pair.child_by_field_name("value") if is_pair else None
            key = self.content(key_node, self.offsets[pair.start_byte])
            value = self.content(value_node, self._end(pair))
            if not isinstance(key, Scalar):
                self.problem(pair, "a key that is not a plain value is not read")
                continue
            name = key.text.text
            listed = self.lists and isinstance(value, Items) and not all(isinstance(i, Table) for i in value.items)
            if name == "<<" and key_node is not None and self._written(key_node) == "<<" and not listed:
                merged += value.items if isinstance(value, Items) else [value]
                if self.merges is not None:
                    self.problem(pair, self.merges, "<<")
            elif name in entries and self.repeats:
                entries[f"{name}\0{len(entries)}"] = Entry(f"{name}\0{len(entries)}", key.span, value)
            elif name in entries:
                first = self.source.position(entries[name].key.start)[0]
                self.problem(pair, f"“{name}” is already defined in line {first}", name)
            else:
                entries[name] = Entry(name, key.span, value)
        for table in merged:
            if isinstance(table, Table):
                for entry in table.entries:
                    entries.setdefault(entry.name, entry)
            else:
                self.problem(node, "<< takes a mapping, or a list of them")
        return Table(self.span(node), tuple(entries.values()))

    def _scalar(self, node: "Syntax") -> Scalar:
        span = self.span(node)
        if node.type == "plain_scalar":
            text = yaml_scalars.plain(self.source, span)
            kind, value = yaml_scalars.kind_of(text.text)
            return Scalar(span, text, kind, value)
        if node.type == "block_scalar":
            found = yaml_scalars.block(self.source, span.start, _parent_column(node))
            if found is None:
                self.problem(node, "not the head of a block scalar that YAML knows")
                return Scalar(span, EMPTY, Kind.STRING, "")
            text, end = found
            return Scalar(Span(span.path, span.start, end), text, Kind.STRING, text.text)
        inner = span.cut(1, span.end - span.start - 1)
        if node.type == "single_quote_scalar":
            text = yaml_scalars.single_quoted(self.source, inner)
        else:
            try:
                text = yaml_scalars.double_quoted(self.source, inner)
            except ValueError as error:
                self.problem(node, f"not YAML: there is no escape {error}")
                text = EMPTY
        return Scalar(span, text, Kind.STRING, text.text)


def _parent_column(node: "Syntax") -> int:
    parent = node.parent
    while parent is not None:
        if parent.type in ("block_mapping", "block_sequence"):
            return parent.start_point.column
        parent = parent.parent
    return -1


# -- writing ----------------------------------------------------------------------------------------------------------

_SPOILS_PLAIN = expression(r": |:$| #|^[#&*!|>'\"%@`]|^[-?:](?: |$)|[\n\r]|^ | $")
_FLOW_ONLY = expression(r"[][{},]")
_CONTROL = expression(r"[\x00-\x08\x0a-\x1f\x7f]")


def encode(source: SourceText, span: Span, text: str) -> str | None:
    """What to write in place of ``span``, inside a scalar, so that the scalar says ``text`` there.

    None where that style cannot say it, or where ``span`` is not inside a scalar.
    """
    before = len(encoded(source.text[: span.start]))
    size = len(encoded(source.text[span.start : span.end]))
    node: Syntax | None = _parse(source.text).descendant_for_byte_range(before, before + size)
    while node is not None and node.type not in _STYLES:
        node = node.parent
    if node is None:
        return None
    offsets = Offsets(source.text)
    whole = Span(source.path, offsets[node.start_byte], offsets[node.end_byte])
    if node.type == "double_quote_scalar":
        inside = whole.start < span.start and span.end < whole.end
        out = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        return _CONTROL.sub(lambda m: f"\\u{ord(m[0]):04x}", out) if inside else None
    if _CONTROL.search(text.replace("\n", "")):
        return None
    if node.type == "single_quote_scalar":
        inside = whole.start < span.start and span.end < whole.end
        return text.replace("'", "''") if inside and "\n" not in text else None
    if node.type == "block_scalar":
        return _into_block(source, whole.start, span, text)
    line_end = source.text.find("\n", span.end)
    rest = source.text[span.end : whole.end if line_end < 0 else min(line_end, whole.end)]
    spoilt = _SPOILS_PLAIN.search(source.text[whole.start : span.start].rpartition("\n")[2] + text + rest)
    if spoilt or (_FLOW_ONLY.search(text) and _in_flow(node)):
        return None
    return text


def _in_flow(node: "Syntax") -> bool:
    parent = node.parent
    while parent is not None:
        if parent.type in ("flow_mapping", "flow_sequence"):
            return True
        parent = parent.parent
    return False


def _into_block(source: SourceText, start: int, span: Span, text: str) -> str | None:
    header = source.text.find("\n", start)
    if header < 0 or span.start <= header:
        return None
    if "\n" not in text:
        return text
    if source.text[start] == ">":
        return None
    first = re.compile(r"(?:[ \t]*\r?\n)*( *)").match(source.text, header + 1)
    return text.replace("\n", "\n" + (first[1] if first else ""))
