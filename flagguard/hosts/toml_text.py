"""TOML as a tree of traced values: the values are tomllib's, the places tree-sitter-toml's.

Follows TOML 1.0 (https://toml.io/en/v1.0.0). Nothing here knows what a key means. A string whose source map does not
add up to tomllib's value keeps the value and points at the whole string.
"""

import re
import tomllib
from functools import cache
from typing import TYPE_CHECKING, Any

from flagguard.hosts.tree import Document, Entry, Items, Kind, Node, Offsets, Plain, Scalar, Table, encoded, undecoded
from flagguard.patterns import expression
from flagguard.text import Piece, Problem, SourceText, Span, Traced, literal
from flagguard.values import dataclass, field

if TYPE_CHECKING:
    from tree_sitter import Node as Syntax
    from tree_sitter import Parser

_BOM = "\ufeff"
_AT = expression(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_KEY = expression(r"""\s*([A-Za-z0-9_."'-]+(?:\s*\.\s*[A-Za-z0-9_."'-]+)*)\s*=|\s*\[+\s*([^]\n]+?)\s*\]""")
_ESCAPE = expression(
    r"""\\(?:(?P<trim>[ \t]*\r?\n[ \t\r\n]*)|(?P<one>[btnfre"\\])"""
    r"|(?P<hex>x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}))"
    r"|\r(?=\n)"
)
_TRIMS = expression(r"\\+[ \t]*(?=\r?\n)")
_CR = expression(r"\r(?=\n)")
_ONE = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b", '"': '"', "\\": "\\"}
_CONTROL = expression(r"[\x00-\x08\x0a-\x1f\x7f]")


def load(source: SourceText) -> tuple[dict[str, Any] | None, tuple[Problem, ...]]:
    """The plain values, and what was wrong with the file."""
    lines = list(undecoded(source))
    if lines:
        return None, tuple(Problem(source.path, n, "not UTF-8, which TOML has to be") for n in lines[:1])
    text = source.text
    problems: tuple[Problem, ...] = ()
    if text.startswith(_BOM):
        text = " " + text[1:]
        problems = (Problem(source.path, 1, "starts with a byte order mark, which TOML does not allow", fatal=False),)
    try:
        return tomllib.loads(text), problems
    except RecursionError:
        return None, (Problem(source.path, 1, "not TOML that can be read: nested too deeply"),)
    except ValueError as error:
        return None, (_broken(source, str(error)),)


def _broken(source: SourceText, message: str) -> Problem:
    found = _AT.search(message)
    last = source.text.rstrip().count("\n") + 1
    line = int(found[1]) if found and found[1] else last if found else 1
    key = _KEY.match(source.line(min(line, source.text.count("\n") + 1)))
    return Problem(
        source.path, line, f"not TOML: {_AT.sub('', message)}", key=(key[1] or key[2]).strip() if key else None
    )


def read(source: SourceText, values: dict[str, Any] | None = None) -> Document:
    """The file as a tree; ``values``: what :func:`load` gave, where that was called before."""
    problems: tuple[Problem, ...] = ()
    if values is None:
        values, problems = load(source)
    if values is None:
        return Document(None, problems)
    try:
        return Document(_Reader(source).tree(values), problems)
    except RecursionError:  # `a.b.c…`, of which tomllib needs no depth
        return Document(None, (*problems, Problem(source.path, 1, "not TOML that can be read: nested too deeply")))


@cache
def _parser() -> "Parser":
    import tree_sitter_toml
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_toml.language()))


def _parse(source: SourceText) -> "Syntax":
    text = source.text
    if text.startswith(_BOM):
        text = "   " + text[1:]
    # The grammar knows no blanks between a backslash and the line's end; only the structure is taken from it.
    text = _TRIMS.sub(lambda m: "x" * len(m[0]), text)
    return _parser().parse(encoded(text)).root_node


@dataclass(slots=True)
class _Building:
    """A table while it is read: TOML may come back to it from anywhere in the file."""

    span: Span
    entries: dict[str, tuple[Span, "_Building | list[_Building] | Syntax"]] = field(default_factory=dict)


class _Reader:
    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.offsets = Offsets(source.text)

    def span(self, node: "Syntax") -> Span:
        return Span(self.source.path, self.offsets[node.start_byte], self.offsets[node.end_byte])

    def tree(self, values: dict[str, Any]) -> Table:
        top = _Building(Span(self.source.path, 0, len(self.source.text)))
        table = top
        root = _parse(self.source)
        for node in root.named_children:
            if node.type == "pair":
                self._pair(node, top)
            elif node.type in ("table", "table_array_element"):
                table = self._header(node, top)
                for pair in node.named_children:
                    if pair.type == "pair":
                        self._pair(pair, table)
        return self._table(top, values)

    def _keys(self, node: "Syntax") -> list[tuple[str, Span]]:
        if node.type == "dotted_key":
            return [key for child in node.named_children for key in self._keys(child)]
        span = self.span(node)
        raw = self.source.text[span.start : span.end]
        if node.type == "quoted_key":
            raw = next(iter(tomllib.loads(f"{raw} = 0")))
        return [(raw, span)]

    def _header(self, node: "Syntax", top: _Building) -> _Building:
        keys = [key for child in node.named_children if child.type.endswith("_key") for key in self._keys(child)]
        table = top
        for name, span in keys[:-1]:
            table = self._step(table, name, span)
        name, span = keys[-1]
        if node.type == "table_array_element":
            rows = table.entries.setdefault(name, (span, []))[1]
            if isinstance(rows, list):
                rows.append(_Building(span))
                return rows[-1]
            return _Building(span)
        return self._step(table, name, span)

    def _step(self, table: _Building, name: str, span: Span) -> _Building:
        found = table.entries.setdefault(name, (span, _Building(span)))[1]
        if isinstance(found, list):
            return found[-1]
        return found if isinstance(found, _Building) else _Building(span)

    def _pair(self, node: "Syntax", table: _Building) -> None:
        if len(node.named_children) < 2:
            return
        keys = self._keys(node.named_children[0])
        for name, span in keys[:-1]:
            table = self._step(table, name, span)
        values = [n for n in node.named_children[1:] if n.type != "comment"]
        if values:
            table.entries.setdefault(keys[-1][0], (keys[-1][1], values[0]))

    def _table(self, table: _Building, values: dict[str, Any]) -> Table:
        entries = []
        for name, value in values.items():
            key, found = table.entries.get(name, (table.span, None))
            entries.append(Entry(name, key, self._value(found, value, key)))
        return Table(table.span, tuple(entries))

    def _value(self, found: "_Building | list[_Building] | Syntax | None", value: Any, near: Span) -> Node:
        """``value`` with the places of ``found``; where the grammar lost it, all of it stands at ``near``."""
        if isinstance(found, _Building) and isinstance(value, dict):
            return self._table(found, value)
        if isinstance(found, list) and isinstance(value, list) and len(found) == len(value):
            return Items(near, tuple(self._table(t, v) for t, v in zip(found, value, strict=True)))
        if found is None or isinstance(found, _Building | list):
            return _placeless(value, near)
        span = self.span(found)
        if isinstance(value, dict):
            inner = _Building(span)
            for pair in found.named_children:
                if pair.type == "pair":
                    self._pair(pair, inner)
            return self._table(inner, value)
        if isinstance(value, list):
            nodes = [n for n in found.named_children if n.type not in ("comment", "ERROR")]
            if len(nodes) != len(value):
                return _placeless(value, span)
            return Items(span, tuple(self._value(n, v, span) for n, v in zip(nodes, value, strict=True)))
        if isinstance(value, str):
            return Scalar(span, decode(self.source, span, value), Kind.STRING, value)
        return Scalar(span, self.source.traced(span.start, span.end), *_kind(value))


def _kind(value: object) -> tuple[Kind, Plain]:
    if isinstance(value, bool):
        return Kind.BOOLEAN, value
    if isinstance(value, int | float):
        return Kind.NUMBER, value
    return Kind.OTHER, None


def _placeless(value: Any, near: Span) -> Node:
    if isinstance(value, dict):
        return Table(near, tuple(Entry(k, near, _placeless(v, near)) for k, v in value.items()))
    if isinstance(value, list):
        return Items(near, tuple(_placeless(v, near) for v in value))
    traced = Traced((Piece(str(value), (near,)),)) if value != "" else Traced()
    if isinstance(value, str):
        return Scalar(near, traced, Kind.STRING, value)
    return Scalar(near, traced, *_kind(value))


# -- strings ----------------------------------------------------------------------------------------------------------


def _quotes(raw: str) -> str:
    return raw[:3] if raw[:3] in ('"""', "'''") and len(raw) >= 6 else raw[:1]


def decode(source: SourceText, span: Span, value: str) -> Traced:
    """The string at ``span`` (its quotes included), whose value is ``value``, with the way of each character."""
    text = source.text
    raw = text[span.start : span.end]
    quotes = _quotes(raw)
    start, end = span.start + len(quotes), span.end - len(quotes)
    if len(quotes) == 3:
        start += 2 if text.startswith("\r\n", start) else 1 if text.startswith("\n", start) else 0
    if text[start:end] == value and end - start == len(value):
        return literal(value, Span(span.path, start, end))
    pieces: list[Piece] = []
    at = start
    for found in (_ESCAPE if quotes[0] == '"' else _CR).finditer(text, start, end):
        if found.start() > at:
            pieces.append(Piece(text[at : found.start()], (Span(span.path, at, found.start()),), verbatim=True))
        at = found.end()
        one = _meaning(found) if quotes[0] == '"' else ""
        if one:
            pieces.append(Piece(one, (Span(span.path, found.start(), found.end()),)))
    if at < end:
        pieces.append(Piece(text[at:end], (Span(span.path, at, end),), verbatim=True))
    traced = Traced(tuple(pieces))
    return traced if traced.text == value else Traced((Piece(value, (span,)),))


def _meaning(found: re.Match[str]) -> str:
    if found["one"]:
        return _ONE[found["one"]]
    return chr(int(found["hex"][1:], 16)) if found["hex"] else ""


def string_at(source: SourceText, span: Span) -> Span | None:
    """The whole string, quotes included, that ``span`` lies in (between the quotes)."""
    offsets = Offsets(source.text)
    before = encoded(source.text[: span.start])
    node: Syntax | None = _parse(source).descendant_for_byte_range(
        len(before), len(before) + len(encoded(source.text[span.start : span.end]))
    )
    while node is not None and node.type != "string":
        node = node.parent
    if node is None:
        return None
    found = Span(source.path, offsets[node.start_byte], offsets[node.end_byte])
    size = len(_quotes(source.text[found.start : found.end]))
    inside = found.start + size <= span.start and span.end <= found.end - size
    return found if inside else None


def encode(source: SourceText, span: Span, text: str) -> str | None:
    """What to write in place of ``span``, inside a string, so that the string says ``text`` there.

    None where that kind of string cannot say it, or where ``span`` is not inside a string.
    """
    string = string_at(source, span)
    if string is None:
        return None
    quotes = _quotes(source.text[string.start : string.end])
    first = len(quotes) == 3 and span.start == string.start + 3 and text.startswith("\n")
    if quotes[0] == "'":
        if first:
            return None
        spoilt = _CONTROL.search(text.replace("\n", "") if len(quotes) == 3 else text) is not None
        around = source.text[span.start - 1] + text + source.text[span.end]
        return None if spoilt or ("'" in text if len(quotes) == 1 else "'" in text and "''" in around) else text
    out = text.replace("\\", "\\\\")
    touching = '"' in (source.text[span.start - 1], source.text[span.end])
    if len(quotes) == 1 or '""' in out or (touching and '"' in out):
        out = out.replace('"', '\\"')
    keep = "\n" if len(quotes) == 3 else ""
    return _CONTROL.sub(lambda m: m[0] if m[0] == keep and not (first and m.start() == 0) else _escaped(m[0]), out)


def _escaped(char: str) -> str:
    short = next((k for k, v in _ONE.items() if v == char and k in "btnfr"), None)
    return f"\\{short}" if short else f"\\u{ord(char):04X}"
