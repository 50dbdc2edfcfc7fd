"""A cursor over traced text: what every reader of shell text shares.

It knows places, how deep constructs are nested and where brackets close; of words and commands it knows nothing.
"""

import re

from flagguard.shell.syntax import ShellSyntaxError, Simple
from flagguard.text import EMPTY, HOLE_MARK, Piece, Route, Span, Traced

MAX_DEPTH = 60
"""Nested constructs; no build script needs more, and the interpreter's stack is finite."""
_MAX_SCAN = 8
"""How often the text may be searched through, on average, for brackets that close."""
_BRACKETS = {
    ")": re.compile(r"[()\\]"),
    "]": re.compile(r"[\[\]\\]"),
}


class Cursor:
    """A cursor. ``bash`` off: only what POSIX sh knows is special. ``found``: the simple commands read so far."""

    def __init__(self, source: Traced, bash: bool, depth: int = 0, found: list[Simple] | None = None) -> None:
        self.source = source
        self.text = source.text
        self.at = 0
        self.bash = bash
        self.depth = depth
        self.found: list[Simple] = [] if found is None else found
        self._scans = _MAX_SCAN * len(self.text) + 100_000
        only = source.pieces[0] if len(source.pieces) == 1 else None
        self._whole = only if only is not None and only.verbatim and only.route and only.hole is None else None

    def cut(self, start: int, end: int) -> Traced:
        if self._whole is not None:
            if start >= end:
                return EMPTY
            return Traced((self._whole.cut(start, end),))
        return self.source.cut(start, end)

    def route(self, start: int, end: int) -> Route:
        if self._whole is not None:
            own = self._whole.route
            return (*own[:-1], own[-1].cut(start, end))
        return self.source.cut(start, end).route

    def plain(self, start: int, end: int) -> tuple[Piece, Route] | None:
        """Characters ``start`` to ``end`` as one piece, and its route, in a text that one place of a file says."""
        whole = self._whole
        if whole is None:
            return None
        last = whole.route[-1]
        route = (*whole.route[:-1], Span(last.path, last.start + start, last.start + end))
        return Piece(self.text[start:end], route, True, None, whole.overridable, whole.unset), route

    def show(self, start: int, end: int) -> str:
        return self.text[start:end] if self._whole is not None else self.source.cut(start, end).shown

    def fail(self, message: str, offset: int | None = None) -> ShellSyntaxError:
        return ShellSyntaxError(message, self.at if offset is None else offset)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.fail(f"constructs are nested more than {MAX_DEPTH} deep")

    def stands_for(self, text: str, start: int, end: int) -> Traced:
        """``text`` as what characters ``start`` to ``end`` stand for."""
        if text == HOLE_MARK:
            return self.cut(end - 1, end)
        return Traced((Piece(text, self.route(start, end)),)) if text else EMPTY

    def closing(self, bracket: str, at: int) -> int | None:
        """Where ``bracket`` stands that answers an opening before ``at``; those between are balanced.

        A square bracket closes on its line.
        """
        text, depth, start = self.text, 0, at
        special = _BRACKETS[bracket]
        newline = text.find("\n", at) if bracket == "]" else -1
        end = len(text) if newline < 0 else newline
        found = special.search(text, at, end)
        while found is not None:
            at, c = found.start(), found.group()
            if c == "\\":
                at += 1
            elif c != bracket:
                depth += 1
            elif depth == 0:
                self._scanned(at - start)
                return at
            else:
                depth -= 1
            found = special.search(text, at + 1, end)
        self._scanned(end - start)
        return None

    def _scanned(self, size: int) -> None:
        self._scans -= size
        if self._scans < 0:
            raise self.fail("too many brackets are not closed")

    def arithmetic_end(self, at: int) -> int | None:
        """Where the ``))`` stands that ends the expression from ``at`` on; None where it is no expression."""
        end = self.closing(")", at)
        if end is None or not self.text.startswith("))", end):
            return None
        return end
