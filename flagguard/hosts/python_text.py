"""A Python file as a tree, and where its nodes and the characters of its strings stand.

Follows the Python Language Reference, 2.4 "Literals"; the tree is that of the standard `ast`, which reads and never
runs. What the tree means is not known here.
"""

import ast
import re
import warnings
from itertools import accumulate

from flagguard.patterns import expression
from flagguard.text import EMPTY, Piece, SourceText, Span, Traced, compact, literal

_TOKEN = expression(
    r"""(?s)([rRbBuUfF]{0,2})('''(?:\\.|.)*?'''|\"{3}(?:\\.|.)*?\"{3}|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")"""
)
_ESCAPE = expression(r"(?s)\\(?:\r\n|N\{[^}]*\}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)")
_LINE = expression(r"\r\n|\r|\n")
_LONE = expression("[\ud800-\udfff]")


MAX_STEPS = 200_000
"""Statements and expressions that all runs of one file may come to."""


class BrokenFile(Exception):
    """The file is not Python 3."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class Parsed:
    """One file."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.budget = MAX_STEPS
        self._shift = 1 if source.text.startswith("\ufeff") else 0
        text = _LONE.sub("?", source.text[self._shift :])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.tree = ast.parse(text)
        except SyntaxError as error:
            raise BrokenFile(error.msg or "a syntax error", max(error.lineno or 1, 1)) from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise BrokenFile(str(error) or "nested too deeply", 1) from None
        self._starts = [0, *(m.end() for m in _LINE.finditer(text))]
        self._text = text
        self._lines: dict[int, list[int]] = {}

    def _offset(self, line: int, column: int) -> int:
        """A place of the tree, whose columns count bytes of UTF-8, in characters of the file."""
        start = self._starts[min(line, len(self._starts)) - 1]
        end = self._starts[line] if line < len(self._starts) else len(self._text)
        if not self._text.isascii():
            if line not in self._lines:
                sizes = (len(c.encode("utf-8")) for c in self._text[start:end])
                self._lines[line] = list(accumulate(sizes, initial=0))
            known = self._lines[line]
            column = known.index(column) if column in known else column
        return start + column + self._shift

    def span(self, node: ast.AST) -> Span:
        first = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        last = getattr(node, "end_lineno", None) or first[0], getattr(node, "end_col_offset", None) or first[1]
        return Span(self.source.path, self._offset(*first), self._offset(*last))

    def written(self, node: ast.AST) -> str:
        """How the source writes a node, on one line."""
        span = self.span(node)
        return " ".join(self.source.text[span.start : span.end].split())

    def string(self, node: ast.Constant) -> Traced:
        """What a string says, each character where it stands."""
        span, said = self.span(node), str(node.value)
        parts: list[Piece] = []
        for token in _TOKEN.finditer(self.source.text, span.start, span.end):
            parts += self._token(token)
        made = Traced(compact(parts))
        if made.text == said:
            return made
        return literal(said, span) if len(said) != span.end - span.start else Traced((Piece(said, (span,)),))

    def _token(self, token: "re.Match[str]") -> list[Piece]:
        quote = 3 if token[2][:3] in ("'''", '"""') else 1
        start, end = token.start(2) + quote, token.end(2) - quote
        raw, path = "r" in token[1].lower(), self.source.path
        out: list[Piece] = []
        at = start
        for escape in () if raw else _ESCAPE.finditer(self.source.text, start, end):
            out += self._plain(at, escape.start())
            at = escape.end()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    meant = str(ast.literal_eval(f'"{escape[0]}"')) if escape[0] != '\\"' else '"'
            except (SyntaxError, ValueError):
                meant = escape[0]
            if meant:
                out.append(Piece(meant, (Span(path, escape.start(), escape.end()),)))
        return [*out, *self._plain(at, end)]

    def _plain(self, start: int, end: int) -> tuple[Piece, ...]:
        text = self.source.text[start:end]
        span = Span(self.source.path, start, end)
        if "\r" in text:
            return (Piece(text.replace("\r\n", "\n").replace("\r", "\n"), (span,)),)
        return literal(text, span).pieces

    def in_format(self, node: ast.JoinedStr, text: str, after: int) -> tuple[Traced, int]:
        """A part of an f-string that is no field, sought from a place on; and where it ends."""
        span = self.span(node)
        at = self.source.text.find(text, max(after, span.start), span.end)
        if not text or at < 0:
            return (Traced((Piece(text, (span,)),)) if text else EMPTY), after
        return literal(text, Span(span.path, at, at + len(text))), at + len(text)


def strings(source: SourceText) -> list[tuple[int, int, bool]]:
    """The strings of the file without their quotes, and whether each is an item of a list or a call."""
    try:
        parsed = Parsed(source)
    except BrokenFile:
        return []
    out: list[tuple[int, int, bool]] = []
    for node in ast.walk(parsed.tree):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Constant) and isinstance(child.value, str):
                listed = isinstance(node, (ast.List, ast.Set)) or len(getattr(node, "elts", ())) > 2
                listed = listed or (isinstance(node, ast.Call) and len(node.args) > 1 and child in node.args)
                span = parsed.span(child)
                found = list(_TOKEN.finditer(source.text, span.start, span.end))
                for token in found:
                    quote = 3 if token[2][:3] in ("'''", '"""') else 1
                    out.append((token.start(2) + quote, token.end(2) - quote, listed and len(found) == 1))
    return out


def encode(source: SourceText, span: Span, text: str) -> str | None:
    """What to write in place of ``span``, in a string of the file, so that Python reads ``text`` there."""
    if not text.isprintable() and "\n" not in text:
        return None
    for token in _TOKEN.finditer(source.text, source.text.rfind("\n", 0, span.start) + 1):
        if token.start() > span.start:
            break
        if token.start(2) < span.start and span.end < token.end(2) + 1:
            quote = token[2][0]
            if "r" in token[1].lower():
                return None if quote in text or "\n" in text or text.endswith("\\") else text
            doubled = text.replace("{", "{{").replace("}", "}}") if "f" in token[1].lower() else text
            escaped = doubled.replace("\\", "\\\\").replace(quote, f"\\{quote}")
            return escaped if token[2].startswith(quote * 3) else escaped.replace("\n", "\\n")
    return text
