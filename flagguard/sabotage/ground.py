"""The text that edits stand on: where a word of a command is written, and how a piece of it is taken away or put in.

Turns words and routes into spans and edits of files. Knows commands and files; knows nothing of rules.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from flagguard.command import Command, Word
from flagguard.hosts import cmake_text
from flagguard.patterns import expression
from flagguard.sabotage.dockerfile_surface import listed
from flagguard.sabotage.manners import POSIX, Manner, quote_around
from flagguard.sabotage.plan import moved
from flagguard.sabotage.surface import NO_SHELL, Style, Surface, shell_comment
from flagguard.text import HOLE_MARK, Edit, Piece, SourceText, Span, Traced, apply

_BLANK = " \t"
_OPENING = expression(r"\$?\{\{-?[ \t]*")
_CLOSING = expression(r"[ \t]*-?\}\}")
NEXT = expression(r"""(["'])\s*,\s*\1""")
"""What stands between two items of a list."""
_BETWEEN = frozenset("'\"\\$ \t")
"""What may stand between the parts of a flag: quotes, the first sign of `$$`, blanks."""


class Ground:
    """The files of the tree, read as surfaces once."""

    def __init__(self, read: Callable[[str], SourceText | None]) -> None:
        self._read = read
        self._surfaces: dict[str, Surface | None] = {}

    def surface(self, path: str) -> Surface | None:
        if path not in self._surfaces:
            source = self._read(path)
            self._surfaces[path] = Surface(source) if source is not None else None
        return self._surfaces[path]

    def text(self, span: Span) -> str:
        surface = self.surface(span.path)
        return surface.text[span.start : span.end] if surface is not None else ""

    # -- where it is written ------------------------------------------------------------------------------------------

    def own(self, word: Word, command: Command, argv: Sequence[Word]) -> Span | None:
        """The word as the command itself writes it, where it stands there for nothing else."""
        written = word.written
        if written is None or not inside(written, command.extent) or self._scattered(written):
            return None
        if sum(other.written == written for other in argv) > 1:
            return None
        return self._from_dollar(written)

    def deepest(self, text: Traced) -> Span | None:
        """The one place where all of the text is written, character by character."""
        spans = [p.route[-1] for p in text.pieces if p.text and p.route and p.verbatim and p.hole is None]
        if not spans or len(spans) != sum(1 for p in text.pieces if p.text or p.hole is not None):
            return None
        for one, other in pairwise(spans):
            if one.path != other.path or one.end != other.start:
                return None
        return Span(spans[0].path, spans[0].start, spans[-1].end)

    def assembled(self, text: Traced) -> Span | None:
        """The one place where the text is put together, with the variables, quotes and blanks in it."""
        pieces = [p for p in text.pieces if p.text or p.hole is not None]
        if not pieces or any(not p.route for p in pieces):
            return None
        depth = min(len(p.route) for p in pieces) - 1
        while depth and any(p.route[:depth] != pieces[0].route[:depth] for p in pieces):
            depth -= 1
        spans = [p.route[depth] for p in pieces]
        for one, other in pairwise(spans):
            if one.path != other.path or (one.end > other.start and one != other):
                return None
            if one.end < other.start and set(self.text(Span(one.path, one.end, other.start))) - _BETWEEN:
                return None
        whole = self._whole_templates(Span(spans[0].path, spans[0].start, spans[-1].end))
        if whole is None:
            return None
        found = self._quoted(self._from_dollar(whole))
        said = self.text(found)
        if self._scattered(found):
            return None
        return found if said.count('"') % 2 == 0 and said.count("'") % 2 == 0 else None

    def _scattered(self, span: Span) -> bool:
        """Whether it reaches from one place of a justfile to another: from an argument to the recipe."""
        surface = self.surface(span.path)
        return surface is not None and surface.language == "just" and "\n" in self.text(span)

    def _quoted(self, span: Span) -> Span:
        """With the quotes around it that begin or end in it: of `--cpu "$x` and of `--cpu" "$x`."""
        said = self.text(span)
        before = self.text(Span(span.path, max(span.start - 1, 0), span.start))
        after = self.text(Span(span.path, span.end, span.end + 1))
        for quote in "\"'":
            if said.count(quote) % 2:
                if after == quote:
                    return Span(span.path, span.start, span.end + 1)
                if before == quote:
                    return Span(span.path, span.start - 1, span.end)
            elif quote in said and before == after == quote:
                return Span(span.path, span.start - 1, span.end + 1)
        return span

    def items(self, one: Traced, other: Traced) -> Span | None:
        """From the one to the other, where they are items of a list that follow each other."""
        first, last = self.deepest(one), self.deepest(other)
        if first is None or last is None or first.path != last.path or first.end > last.start:
            return None
        between = self.text(Span(first.path, first.end, last.start))
        return Span(first.path, first.start, last.end) if NEXT.fullmatch(between) else None

    def used(self, text: Traced, among: Iterable[Traced]) -> Span | None:
        """The place where the text, and nothing else ``among`` them, is used: the variable, or the text itself."""
        spans = [p.route[0] for p in text.pieces if p.route]
        if not spans or any(s.path != spans[0].path for s in spans):
            return None
        found = Span(spans[0].path, min(s.start for s in spans), max(s.end for s in spans))
        there = (_part(p, found) for w in among for p in w.pieces if p.route and _overlap(p.route[0], found))
        if "".join(there) != text.text:
            return None
        return self._from_dollar(found)

    # -- templates ----------------------------------------------------------------------------------------------------

    def filled_in(self, span: Span) -> Span | None:
        """The use of a variable with the braces of its template, `{{ x }}`; None in a longer expression."""
        before, at = self._template(span.path, span.start)
        if at is None:
            return span
        surface = self.surface(span.path)
        after = _CLOSING.match(surface.text, span.end) if surface is not None else None
        return Span(span.path, at, after.end()) if after and _OPENING.fullmatch(before) else None

    def _whole_templates(self, span: Span) -> Span | None:
        """With the braces of the templates that it begins and ends in; None where they hold more."""
        start = self.opening(span.path, span.start)
        _, opened = self._template(span.path, span.end)
        if opened is None:
            return Span(span.path, start, span.end)
        surface = self.surface(span.path)
        after = _CLOSING.match(surface.text, span.end) if surface is not None else None
        return Span(span.path, start, after.end()) if after is not None else None

    def opening(self, path: str, at: int) -> int:
        """Where something may stand before the place: not inside of a template."""
        _, opened = self._template(path, at)
        return at if opened is None else opened

    def _template(self, path: str, at: int) -> tuple[str, int | None]:
        """What stands between the beginning of the template around a place and the place; where it begins."""
        surface = self.surface(path)
        line = surface.text[surface.line_start(at) : at] if surface is not None else ""
        opened = line.rfind("{{")
        if opened < 0 or "}}" in line[opened:]:
            return "", None
        opened -= line[:opened].endswith("$")
        return line[opened:], at - len(line) + opened

    def is_expression(self, span: Span) -> bool:
        """Whether the place is in an expression of a justfile, where text is in quotes."""
        surface = self.surface(span.path)
        if surface is None or surface.language != "just" or surface.region(span.start).style is not Style.STRUCTURE:
            return False
        return surface.text[max(span.start - 1, 0) : span.start] not in ("'", '"')

    def remark(self, path: str, at: int, form: str, text: str) -> str:
        """A comment that says the text, in the ``form`` of the shell, or that of the file where no shell reads."""
        surface = self.surface(path)
        slashes = surface is not None and surface.language in ("jenkins", "rust")
        slashes = slashes and surface is not None and surface.region(at).style is Style.STRUCTURE
        return form.replace("#", "//").format(text) if slashes else form.format(text)

    def _from_dollar(self, span: Span) -> Span:
        """With the first sign of a makefile's `$$`."""
        surface = self.surface(span.path)
        doubled = surface is not None and surface.language == "make"
        if doubled and span.start and self.text(Span(span.path, span.start - 1, span.start + 1)) == "$$":
            return Span(span.path, span.start - 1, span.end)
        return span

    # -- taking away --------------------------------------------------------------------------------------------------

    def without(self, span: Span) -> Edit:
        """Take the span away, with one blank; with its line where nothing is left of it."""
        surface = self.surface(span.path)
        assert surface is not None
        text = surface.text
        start, end = _item(text, span.start, span.end, "[({" if surface.language in ("python", "ruby") else "[")
        if (start, end) != (span.start, span.end):
            return Edit(Span(span.path, start, end), "")
        if surface.is_bare_item(start, end):
            return Edit(span, '""')  # the list keeps its length, a matrix its rows
        line = surface.line_start(start)
        before = text[line:start]
        if before.strip() and before[-1] in _BLANK:
            start -= 1
        elif text[end : end + 1] in (" ", "\t") and before[-1:] != "=":  # behind `X=` the blank parts words
            end += 1
        newline = text.find("\n", end)
        after = text[end : len(text) if newline < 0 else newline]
        if not before.strip() and not after.strip() and newline >= 0 and line > 0:
            above = text[: line - 1].rstrip("\r")
            whole = surface.region(span.start).style is not Style.STRUCTURE and not surface.in_heredoc(span.start)
            if whole and not above.endswith("\\"):
                return Edit(Span(span.path, line, newline + 1), "")
        return Edit(Span(span.path, start, end), "")

    def without_all(self, spans: Sequence[Span]) -> tuple[Edit, ...]:
        """Take several words away; those with only blanks between them, or next in a list, as one."""
        joined: list[Span] = []
        for span in sorted(spans):
            last = joined[-1] if joined else None
            if last is not None and last.path == span.path and last.end <= span.start:
                between = self.text(Span(span.path, last.end, span.start))
                if not between.strip(_BLANK) or NEXT.fullmatch(between):
                    joined[-1] = Span(span.path, last.start, span.end)
                    continue
            joined.append(span)
        return tuple(self.without(span) for span in joined)

    def comment_end(self, path: str, offset: int, extent: Span, manner: Manner = POSIX) -> int | None:
        """Where a comment may stand at the end of the line of ``offset``; ``extent``: a command of the script.

        In a string that is no script of the command (an entry of `env`), a comment is none: there it stands after it.
        """
        surface = self.surface(path)
        if surface is None:
            return None
        region = surface.region(offset)
        if region.style in (Style.INSTRUCTION, Style.EXEC_FORM, Style.WORDS):
            return None
        if self.manner(path, offset, extent, manner) is not POSIX:
            at = surface.logical_end(offset)
            open_ = quote_around(surface.text, at, manner) or quote_around(surface.text, extent.start, manner)
            return None if open_ or surface.text[:at].endswith(manner.mark) else at
        script = region.style in (Style.SHELL, Style.MAKE, Style.RECIPE, Style.INI)
        if script or (path == extent.path and region == surface.region(extent.start)):
            at = surface.logical_end(offset)
            return None if surface.outer_quote(at, at) else at
        at = surface.line_end(offset)
        if surface.language == "cmake" and cmake_text.argument_at(surface.source, at, at) is not None:
            return None  # in a string of several lines
        block = region.style in (Style.YAML_LITERAL, Style.YAML_FOLDED)
        return None if block or (region.style is not Style.STRUCTURE and at < region.end) else at

    def manner(self, path: str, offset: int, extent: Span, manner: Manner) -> Manner:
        """``manner``, in which the command at ``extent`` is written, where the place is in the same script."""
        surface = self.surface(path)
        if manner is POSIX or surface is None or path != extent.path:
            return POSIX
        region = surface.region(extent.start)
        within = region.start <= offset <= region.end and region.style not in NO_SHELL
        return manner if within else POSIX

    def is_comment(self, edits: Sequence[Edit], comment: Edit, manner: Manner = POSIX) -> bool:
        """Whether the shell takes the ``#`` of ``comment`` for one, once all edits are made."""
        surface = self.surface(comment.span.path)
        if surface is None:
            return False
        if manner is not POSIX:
            return not quote_around(surface.text, comment.span.start, manner)
        region = surface.region(comment.span.start)
        if region.style is Style.STRUCTURE and comment.span.path.endswith(".json"):
            return False  # it has no comments
        if region.style is Style.MAKE and surface.defines(comment.span.start):
            return False  # a line of a `define` is text of the variable
        if region.style in (Style.STRUCTURE, Style.MAKE, Style.YAML_PLAIN, Style.RECIPE, Style.INI):
            return True  # outside of strings `#` after a blank is one; a recipe line has been asked for its quotes
        inner = [
            Edit(Span(e.span.path, e.span.start - region.start, e.span.end - region.start), e.text)
            for e in edits
            if e.span.path == comment.span.path and region.start <= e.span.start and e.span.end <= region.end
        ]
        at = moved(comment.span.start, comment.span.path, tuple(e for e in edits if e.span < comment.span))
        first = moved(region.start, comment.span.path, tuple(e for e in edits if e.span.end < region.start))
        if at is None or first is None:
            return False
        text = apply(surface.text[region.start : region.end], inner)
        return shell_comment(text, at - first + comment.text.index("#"), region.style)

    # -- putting in ---------------------------------------------------------------------------------------------------

    def spelled(self, path: str, at: int, text: str) -> str | None:
        """How the file writes ``text`` at that place; None where its form cannot say it."""
        surface = self.surface(path)
        if surface is None:
            return None
        if surface.region(at).style is Style.EXEC_FORM:
            quote = surface.text[surface.region(at).start - 1] if surface.language in ("python", "ruby") else '"'
            return listed(text) if quote == '"' else listed(text).replace('"', quote)
        plain = not set(text) & set("'\"\\\n") or surface.region(at).style in (Style.STRUCTURE, Style.MAKE)
        if surface.language in ("toml", "yaml") and plain:
            return text
        return surface.encode(Span(path, at, at), text)


def _overlap(one: Span, other: Span) -> bool:
    return one.path == other.path and one.start < other.end and other.start < one.end


def _part(piece: Piece, span: Span) -> str:
    """What of the piece stands in the span."""
    if piece.hole is not None:
        return HOLE_MARK
    if len(piece.route) > 1 or not piece.verbatim:
        return piece.text
    start = piece.route[0].start
    return piece.text[max(span.start - start, 0) : span.end - start]


def inside(span: Span, extent: Span) -> bool:
    return span.path == extent.path and extent.start <= span.start and span.end <= extent.end


def disjoint(edits: Iterable[Edit]) -> bool:
    """Whether no edit touches the text of another."""
    ordered = sorted(edits, key=lambda e: e.span)
    return all(a.span.path != b.span.path or a.span.end <= b.span.start for a, b in pairwise(ordered))


def _item(text: str, start: int, end: int, opening: str) -> tuple[int, int]:
    """A quoted item of a list in brackets with its quotes and one comma; else the place itself."""
    quote = text[start - 1 : start]
    if quote not in ("'", '"') or text[end : end + 1] != quote:
        return start, end
    before = text[: start - 1].rstrip()
    after = text[end + 1 :].lstrip()
    closing = {"[": "]", "(": ")", "{": "}"}
    if before[-1:] not in (*opening, ",") or after[:1] not in (*(closing[one] for one in opening), ","):
        return start, end
    first, last = start - 1, end + 1
    if after[0] == ",":
        last = len(text) - len(after) + 1
        while text[last : last + 1] in (" ", "\t"):
            last += 1
    elif before[-1] == ",":
        first = len(before) - 1
    return first, last
