"""poethepoet's own command lines: how a `cmd` task becomes an argv, and how its templates are filled in.

Follows the guide of poethepoet 0.49 (https://poethepoet.natn.io/tasks/task_types/cmd.html) and what its parser does: no
shell, no command substitution; new lines are blanks; `#` starts a comment wherever it is not quoted, even inside a
word; a backslash escapes any character outside quotes and only `"` and `$` inside double quotes; a quoted expansion
that comes to nothing leaves no word. Nothing here knows of files or tasks.
"""

import itertools
import re
from collections.abc import Callable, Iterator
from enum import Enum, auto

from flagguard.command import Word, word
from flagguard.patterns import expression
from flagguard.text import EMPTY, HOLE_MARK, Decider, Hole, Piece, Shape, Span, Traced, hole, join
from flagguard.values import dataclass, field

Lookup = Callable[[str], Traced | None]
"""A variable's value; None: it is not set."""

_NAME = expression(r"[A-Za-z_][A-Za-z0-9_]*")
_COMMENT_ENDS = expression(r"[\r\n\f\v]")
_SPACE = expression(r"\s+")


class CommandError(Exception):
    """poe would refuse the command line: why, and where in it."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


@dataclass(frozen=True, slots=True)
class Unset:
    """A variable that nobody sets and that left no word behind."""

    index: int
    hole: Hole


class _Role(Enum):
    """What a character means to a file name pattern."""

    QUOTED = auto()
    PLAIN = auto()
    PATTERN = auto()


@dataclass(slots=True)
class _Open:
    """The word that is being put together."""

    parts: list[tuple[Traced, _Role]] = field(default_factory=list)
    unset: list[Hole] = field(default_factory=list)


@dataclass(frozen=True)
class Split:
    words: tuple[Word, ...]
    unset: tuple[Unset, ...]


def split(text: Traced, lookup: Lookup) -> Split:
    """The argv of a command line. Raises :class:`CommandError`."""
    return _Splitter(text, lookup).split()


def fill(text: Traced, lookup: Lookup, braces: bool = False) -> Traced:
    """A template with its expansions made. ``braces``: only ``${NAME}`` is one. Raises :class:`CommandError`."""
    filler = _Splitter(text, lookup, braces)
    raw, at, parts = filler.raw, 0, []
    while at < len(raw):
        if raw[at] == "\\" and raw[at + 1 : at + 2] in ("$", "\\"):
            parts.append(text.cut(at + 1, at + 2))
            at += 2
        elif raw[at] == "$" and (expansion := filler.expansion(at)) is not None:
            parts.append(filler.flat(expansion))
            at = expansion.end
        else:
            parts.append(text.cut(at, at + 1))
            at += 1
    return _merged(join(parts))


@dataclass(frozen=True, slots=True)
class _Expansion:
    name: str
    start: int
    end: int
    operator: str = ""
    argument: tuple["_Segment", ...] = ()


@dataclass(frozen=True, slots=True)
class _Segment:
    """A quoted or an unquoted run of a word; the blanks of an unquoted argument are ``None``."""

    quoted: bool
    parts: tuple["tuple[Traced, _Role] | _Expansion | None", ...]


class _Splitter:
    def __init__(self, text: Traced, lookup: Lookup, braces: bool = False) -> None:
        self.text = text
        self.braces = braces
        self.raw = text.text
        self.lookup = lookup
        self.words: list[Word] = []
        self.unset: list[Unset] = []

    # -- reading ------------------------------------------------------------------------------------------------------

    def split(self) -> Split:
        raw, at = self.raw, 0
        begun = ended = False
        while at < len(raw):
            char = raw[at]
            if char == "#":
                end = _COMMENT_ENDS.search(raw, at)
                at = end.end() if end else len(raw)
                begun = False
            elif char == ";":
                ended, begun = ended or begun, False
                at += 1
            elif char.isspace():
                at += 1
            else:
                if ended:
                    raise CommandError("poe takes one command only; for several use `shell` or `sequence`", at)
                start, segments, begun = at, [], True
                while at < len(raw) and not raw[at].isspace() and raw[at] not in ";#":
                    segment, at = self.segment(at)
                    segments.append(segment)
                self.resolve(segments, start, at)
        return Split(tuple(self.words), tuple(self.unset))

    def segment(self, at: int, argument: bool = False) -> tuple[_Segment, int]:
        if self.raw[at] == "'":
            end = self.raw.find("'", at + 1)
            if end < 0:
                raise CommandError("a single quote is not closed", at)
            return _Segment(True, ((self.text.cut(at + 1, end), _Role.QUOTED),)), end + 1
        if self.raw[at] == '"':
            return self.double_quoted(at)
        return self.unquoted(at, argument)

    def double_quoted(self, at: int) -> tuple[_Segment, int]:
        raw, start = self.raw, at
        parts: list[tuple[Traced, _Role] | _Expansion | None] = []
        at += 1
        while at < len(raw):
            if raw[at] == '"':
                return _Segment(True, tuple(parts) or ((EMPTY, _Role.QUOTED),)), at + 1
            expansion = self.expansion(at) if raw[at] == "$" else None
            if expansion is not None:
                parts.append(expansion)
                at = expansion.end
                continue
            if raw[at] == "\\" and raw[at + 1 : at + 2] in ('"', "$"):
                at += 1
            parts.append((self.text.cut(at, at + 1), _Role.QUOTED))
            at += 1
        raise CommandError("a double quote is not closed", start)

    def unquoted(self, at: int, argument: bool) -> tuple[_Segment, int]:
        raw = self.raw
        stops = "'\"}" if argument else "'\";#"
        parts: list[tuple[Traced, _Role] | _Expansion | None] = []
        while at < len(raw) and raw[at] not in stops:
            char = raw[at]
            if char.isspace():
                if not argument:
                    break
                found = _SPACE.match(raw, at)
                at = found.end() if found else at + 1
                parts.append(None)
            elif char == "$" and (expansion := self.expansion(at)) is not None:
                parts.append(expansion)
                at = expansion.end
            elif char in "*?[" and not argument:
                group, at = self.pattern(at)
                parts += group
            elif char == "\\":
                if at + 1 == len(raw):
                    raise CommandError("nothing follows the backslash", at)
                parts.append((self.text.cut(at + 1, at + 2), _Role.QUOTED))
                at += 2
            else:
                start = at
                while at < len(raw) and raw[at] not in "'\"$\\" + ("}" if argument else ";#?*["):
                    if raw[at].isspace():
                        break
                    at += 1
                if at == start:
                    at += 1
                parts.append((self.text.cut(start, at), _Role.QUOTED if raw[start] == "$" else _Role.PLAIN))
        return _Segment(False, tuple(parts)), at

    def pattern(self, at: int) -> tuple[list[tuple[Traced, _Role] | _Expansion | None], int]:
        """``*``, ``?``, a whole ``[group]``, or a bracket that opens none."""
        raw, cut = self.raw, self.text.cut
        if raw[at] != "[":
            return [(cut(at, at + 1), _Role.PATTERN)], at + 1
        group: list[tuple[Traced, _Role] | _Expansion | None] = [(cut(at, at + 1), _Role.PATTERN)]
        i = at + 1
        while i < len(raw) and not raw[i].isspace():
            if raw[i] in "'\"" or (raw[i] == "$" and re.match("[{A-Za-z_]", raw[i + 1 : i + 2])):
                return [(cut(at, at + 1), _Role.PATTERN)], at + 1
            if raw[i] == "\\":
                if i + 1 == len(raw):
                    raise CommandError("nothing follows the backslash", i)
                group.append((cut(i + 1, i + 2), _Role.QUOTED))
                i += 2
                continue
            group.append((cut(i, i + 1), _Role.PATTERN))
            i += 1
            if raw[i - 1] == "]" and raw[at + 1 : i - 1] not in ("", "!"):
                return group, i
        return [(cut(at, at + 1), _Role.QUOTED)], at + 1

    def expansion(self, at: int) -> _Expansion | None:
        """The expansion that starts at the ``$`` there; None: the ``$`` is just that."""
        raw = self.raw
        if raw[at + 1 : at + 2] != "{":
            found = _NAME.match(raw, at + 1)
            return _Expansion(found[0], at, found.end()) if found and not self.braces else None
        found = _NAME.match(raw, at + 2)
        if found is None:
            raise CommandError("not an expansion that poe knows", at)
        end = found.end()
        if raw[end : end + 1] == "}":
            return _Expansion(found[0], at, end + 1)
        operator = raw[end : end + 2]
        if operator not in (":-", ":+"):
            raise CommandError("poe knows ${NAME}, ${NAME:-default} and ${NAME:+value} only", at)
        end += 2
        segments = []
        while end < len(raw) and raw[end] != "}":
            segment, end = self.segment(end, argument=True)
            segments.append(segment)
        if end >= len(raw):
            raise CommandError("an expansion is not closed", at)
        return _Expansion(found[0], at, end + 1, operator, tuple(segments))

    # -- expanding ----------------------------------------------------------------------------------------------------

    def chosen(self, expansion: _Expansion) -> "Traced | tuple[_Segment, ...]":
        """What an expansion stands for: a value, or its own argument. Seen from where it is used."""
        value = self.lookup(expansion.name)
        route = self.text.cut(expansion.start, expansion.end).route
        if expansion.operator:
            filled = _filled(value)
            if filled is None:
                return self.open(expansion, value)
            if (filled is True) == (expansion.operator == ":+"):
                return expansion.argument
        return value.through(route) if value else EMPTY

    def open(self, expansion: _Expansion, value: Traced | None) -> "Traced | tuple[_Segment, ...]":
        """``${V:-x}`` counts as its default; whether ``${V:+x}`` is anything is not known."""
        if expansion.operator == ":-":
            return expansion.argument
        written = self.text.cut(expansion.start, expansion.end)
        known = value.holes[0] if value and value.holes else None
        reason = known.reason if known else "the caller may set it"
        decider = known.decider if known else Decider.OUTSIDE
        return hole(Hole(written.shown, reason, decider, name=expansion.name), written.route)

    def flat(self, expansion: _Expansion) -> Traced:
        chosen = self.chosen(expansion)
        if isinstance(chosen, Traced):
            return chosen
        parts = []
        for segment in chosen:
            for part in segment.parts:
                if part is None:
                    parts.append(Traced((Piece(" "),)))
                else:
                    parts.append(self.flat(part) if isinstance(part, _Expansion) else part[0])
        default = join(parts)
        return default.overridable() if expansion.operator == ":-" else default

    def resolve(self, segments: list[_Segment], start: int, end: int) -> None:
        """The words that one written word comes to: one, none, or several."""
        span = written_at(self.text.cut(start, end))
        word_open = _Open()

        def finish() -> None:
            if word_open.parts:
                self.words.append(_closed(word_open.parts, span))
            else:
                self.unset += (Unset(len(self.words), h) for h in word_open.unset)
            word_open.parts, word_open.unset = [], []

        def expand(expansion: _Expansion, quoted: bool, overridable: bool) -> None:
            chosen = self.flat(expansion) if quoted else self.chosen(expansion)
            if isinstance(chosen, tuple):
                add(chosen, overridable or expansion.operator == ":-")
                return
            value = chosen.overridable() if overridable else chosen
            if not value:
                written = self.text.cut(expansion.start, expansion.end)
                word_open.unset.append(Hole(written.shown, "nothing sets it", name=expansion.name))
            elif quoted:
                word_open.parts.append((value, _Role.QUOTED))
            else:
                for blank, run in _runs(value):
                    if blank:
                        if word_open.parts:
                            finish()
                    else:
                        special = any(c in "*?[" for c in run.text)
                        word_open.parts.append((run, _Role.PATTERN if special else _Role.PLAIN))

        def add(parts: tuple[_Segment, ...], overridable: bool) -> None:
            for segment in parts:
                for part in segment.parts:
                    if part is None:
                        if word_open.parts:
                            finish()
                    elif isinstance(part, _Expansion):
                        expand(part, segment.quoted, overridable)
                    else:
                        word_open.parts.append((part[0].overridable() if overridable else part[0], part[1]))

        add(tuple(segments), False)
        finish()


def _runs(value: Traced) -> Iterator[tuple[bool, Traced]]:
    """The blanks and the words of a value, in turn (as Python's ``str.split`` sees them)."""
    at, raw = 0, value.text
    for blank in _SPACE.finditer(raw):
        if blank.start() > at:
            yield False, value.cut(at, blank.start())
        yield True, EMPTY
        at = blank.end()
    if at < len(raw):
        yield False, value.cut(at, len(raw))


def _filled(value: Traced | None) -> bool | None:
    """Whether a variable is set to something; None: nobody knows."""
    if not value or not value.text:
        return False
    return True if value.text.strip(HOLE_MARK) else None


def _closed(parts: list[tuple[Traced, _Role]], span: Span | None) -> Word:
    traced = _merged(join(t for t, _ in parts))
    if not _is_pattern(parts):
        return word(traced, span)
    reason = "the files that match it, or the pattern itself where none does"
    found = Hole(traced.shown, reason, Decider.REPOSITORY, Shape.PATH)
    return Word((Piece(traced.shown, traced.route, hole=found),), span)


def _is_pattern(parts: list[tuple[Traced, _Role]]) -> bool:
    chars = [(c, role) for traced, role in parts for c in traced.text]
    for i, (char, role) in enumerate(chars):
        if role is _Role.PATTERN and char in "*?":
            return True
        if role is _Role.PATTERN and char == "[":
            rest = chars[i + 1 :]
            rest = rest[1:] if rest[:1] and rest[0][0] == "!" and rest[0][1] is not _Role.QUOTED else rest
            if any(c == "]" and r is not _Role.QUOTED for c, r in rest[1:]):
                return True
    return False


def _merged(traced: Traced) -> Traced:
    """Neighbouring verbatim pieces that also neighbour in the file, as one."""
    out: list[Piece] = []
    for piece in traced.pieces:
        last = out[-1] if out else None
        if (
            last is not None
            and last.verbatim
            and piece.verbatim
            and last.overridable == piece.overridable
            and last.route[:-1] == piece.route[:-1]
            and last.route[-1].path == piece.route[-1].path
            and last.route[-1].end == piece.route[-1].start
        ):
            span = Span(last.route[-1].path, last.route[-1].start, piece.route[-1].end)
            out[-1] = Piece(last.text + piece.text, (*last.route[:-1], span), True, None, last.overridable)
        else:
            out.append(piece)
    return Traced(tuple(out))


def written_at(written: Traced) -> Span | None:
    """The one span of one file that the text is written at."""
    spans = [p.route[0] for p in written.pieces if len(p.route) == 1]
    if len(spans) != len(written.pieces) or not spans:
        return None
    for one, two in itertools.pairwise(spans):
        if one.path != two.path or one.end != two.start:
            return None
    return Span(spans[0].path, spans[0].start, spans[-1].end)
