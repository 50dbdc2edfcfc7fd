"""What the operators of a parameter expansion make of a value: ``#`` ``%`` ``/`` ``:`` ``^`` ``,`` ``@`` (bash 3.5.3).

Which value it is, and whether there is one, is the business of ``parameters``.
"""

import re
from collections.abc import Sequence
from posixpath import dirname
from typing import Protocol

from flagguard.paths import resolved
from flagguard.shell.extended import MOST_CHARACTERS
from flagguard.shell.pattern import (
    Match,
    Pattern,
    match,
    regex,
    without_prefix,
    without_suffix,
)
from flagguard.shell.state import Var, World, folded
from flagguard.shell.syntax import Param, WordNode
from flagguard.text import EMPTY, Decider, Hole, Piece, Shape, Traced, hole, join
from flagguard.values import replace


class Words(Protocol):
    """What the operators of a parameter need of the expansion of their own words."""

    def single(self, node: WordNode, world: World, assignment: bool = False) -> Traced: ...

    def pattern(self, node: WordNode, world: World, extended: bool = True) -> Pattern: ...

    def number(self, node: WordNode, world: World) -> int | None: ...

    def runs(self, node: WordNode, world: World) -> Sequence[tuple[Traced, bool]]: ...


def gap(part: Param, reason: str, decider: Decider = Decider.OUTSIDE, shape: Shape = Shape.ANY) -> Traced:
    """The hole that stands for what a parameter expands to."""
    return hole(Hole(part.shown, reason, decider, shape, part.name), part.route)


_CONTROL = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\x1b": "\\E"}


def quoted_text(text: str) -> str | None:
    """The text as bash quotes it for another reading (`@Q`, `printf %q` where it must); None where its locale tells."""
    if not text.isascii():
        return None
    if text == "'":
        return "\\'"
    if text.isprintable():
        return "'" + text.replace("'", "'\\''") + "'"
    table = {**_CONTROL, "\\": "\\\\", "'": "\\'"}
    return "$'" + "".join(table.get(c) or (c if c.isprintable() else f"\\{ord(c):03o}") for c in text) + "'"


def attributes(var: Var) -> str:
    """The letters of ``${V@a}``."""
    array = "" if var.items is None else "A" if var.associative else "a"
    fold = {"lower": "l", "upper": "u"}.get(var.fold, "")
    flags = (("i", var.integer), ("r", var.readonly), ("x", var.exported))
    return array + "".join(letter for letter, on in flags if on) + fold


class Dialect(Protocol):
    """Which shell it is."""

    bash: bool


class Operators:
    """Applies operators to values."""

    def __init__(self, expander: Words, shell: Dialect) -> None:
        self.expander = expander
        self.shell = shell

    def changed(self, part: Param, value: Traced, world: World) -> Traced:
        """The value after ``#``, ``%``, ``/``, ``:``, ``^`` or ``,``."""
        op = part.op
        if op == ":":
            return self._substring(part, value, world)
        if op == "@":
            return self._transformed(part, value)
        if op in ("^^", ",,", "^", ","):
            return self._cased(part, value, world)
        assert part.argument is not None
        pattern = self.expander.pattern(part.argument, world, extended=False)
        if op in ("/", "//"):
            return self._replaced(part, value, pattern, world)
        change = without_prefix if op[0] == "#" else without_suffix
        out = change(pattern, value, len(op) == 2)
        if out is not None:
            return out
        gap = self._changed_gap(part, value)
        path = resolved(value, None) if op == "%" and part.shown.endswith("%/*}") else None
        return hole(replace(gap.holes[0], path=dirname(path)), part.route) if path else gap

    def _changed_gap(self, part: Param, value: Traced) -> Traced:
        shapes = {h.shape for h in value.holes}
        decided = any(h.decider is Decider.REPOSITORY for h in value.holes)
        shape = Shape.PATH if shapes <= {Shape.PATH, Shape.NUMBER} else Shape.ANY
        decider = Decider.REPOSITORY if decided else Decider.OUTSIDE
        return gap(part, "a part of a value that is not known", decider, shape)

    def _substring(self, part: Param, value: Traced, world: World) -> Traced:
        start = self.expander.number(part.argument, world) if part.argument else 0
        length = self.expander.number(part.second, world) if part.second else None
        if start is None or (part.second and length is None) or not value.known:
            return self._changed_gap(part, value)
        size = len(value)
        if start < 0:
            start += size
            if start < 0:
                return EMPTY
        end = size if length is None else (start + length if length >= 0 else size + length)
        if end < start <= size:
            world.fail(self.shell.bash)
        return value.cut(start, min(end, size))

    def _transformed(self, part: Param, value: Traced) -> Traced:
        letter = part.argument.literal if part.argument else None
        if letter in ("U", "L"):
            return folded(value, "upper" if letter == "U" else "lower")
        if letter == "u":
            return join((folded(value.cut(0, 1), "upper"), value.cut(1, len(value))))
        if letter in ("Q", "K", "k"):
            return self.quoted(part, value)
        if letter in ("E", "P") and value.known and not re.search(r"[\\$`!]", value.text):
            return value
        return gap(part, "this transformation is not evaluated", Decider.REPOSITORY)

    def quoted(self, part: Param, value: Traced) -> Traced:
        """``${V@Q}``."""
        quoted = quoted_text(value.text) if value.known and not any(p.unset for p in value.pieces) else None
        if quoted is None:
            return gap(part, "this transformation is not evaluated", Decider.REPOSITORY)
        return Traced((Piece(quoted, part.route),))

    def _cased(self, part: Param, value: Traced, world: World) -> Traced:
        fold = "upper" if part.op[0] == "^" else "lower"
        size = len(value) if len(part.op) == 2 else min(1, len(value))
        if part.argument is None or not part.argument.parts:
            return join((folded(value.cut(0, size), fold), value.cut(size, len(value))))
        pattern = self.expander.pattern(part.argument, world, extended=False)
        letters = [value.cut(i, i + 1) for i in range(size)]
        changed = [folded(c, fold) if match(pattern, c) is Match.YES else c for c in letters]
        return join((*changed, value.cut(size, len(value))))

    def _replaced(self, part: Param, value: Traced, pattern: Pattern, world: World) -> Traced:
        runs = self.expander.runs(part.second, world) if part.second is not None else ()
        if not value.known or pattern.open:
            return self._changed_gap(part, value) if not value.known else gap(part, "a pattern that is not known")
        anchor = pattern[0][0] if pattern and part.op == "/" and pattern[0] in (("#", False), ("%", False)) else ""
        body = Pattern(pattern[1:]) if anchor else pattern
        if not body and not anchor:
            return value
        if "nocasematch" in world.options:
            return gap(part, "how letters compare is not followed here", Decider.REPOSITORY)
        if body.grouped and len(value) > MOST_CHARACTERS:
            return gap(part, "a value too long to follow", Decider.REPOSITORY)
        if not value.text and body.grouped:
            return gap(part, "what a group makes of nothing", Decider.REPOSITORY)
        out, at, first = list[Traced](), 0, True
        while at < len(value) or (first and not value.text):
            first = False
            found = _found(body, value.text, at, anchor)
            if found is None:
                break
            start, end = found
            out += [value.cut(at, start), *_replacement(runs, value.cut(start, end))]
            at = end
            if part.op == "/":
                break
            if start == end:
                # bash puts the replacement in here too, and goes on behind the next character
                out.append(value.cut(at, at + 1))
                at += 1
        return join([*out, value.cut(at, len(value))])


def _found(pattern: Pattern, text: str, at: int, anchor: str) -> tuple[int, int] | None:
    """Where the pattern stands first in the text from ``at`` on, as much of it as can be."""
    if not pattern.grouped:
        plain = regex(pattern)
        expression = {"#": rf"\A(?:{plain})", "%": rf"(?:{plain})\Z"}.get(anchor, plain)
        found = re.compile(expression, re.DOTALL).search(text, at)
        return found.span() if found is not None else None
    whole = pattern.extended
    for start in range(at, 1 if anchor == "#" else len(text) + 1):
        ends = whole.ends(text, start)
        if anchor == "%":
            ends &= {len(text)}
        if ends:
            return start, max(ends)
    return None


def _replacement(runs: Sequence[tuple[Traced, bool]], matched: Traced) -> list[Traced]:
    """The text that takes the place of ``matched``: an unquoted ``&`` in it is ``matched`` (bash 5.2)."""
    out: list[Traced] = []
    for text, quoted in runs:
        at = 0
        while not quoted and (found := text.text.find("&", at)) >= 0:
            out += [text.cut(at, found), matched]
            at = found + 1
        out.append(text.cut(at, len(text)))
    return out
