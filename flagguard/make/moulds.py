"""One recipe line for many targets: expanded once, with blanks for the automatic variables, then filled for each.

A line of which an automatic variable goes through a function, a condition or a substitution is none of those: it is
expanded for each target by itself. Knows nothing of rules or of what the shell makes of a line. Manual: "Automatic
Variables".
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from flagguard.command import BLANK, BLANKS, Alike, Mould
from flagguard.make.expand import AUTOMATIC, Expander
from flagguard.make.lines import spaced
from flagguard.make.lines import words as split
from flagguard.make.memory import Recording
from flagguard.make.variables import Definition, Frame, Origin
from flagguard.patterns import expression
from flagguard.text import HOLE_MARK, Piece, Span, Traced, literal
from flagguard.values import dataclass, field, replace

_BLANK_OF = {name: chr(BLANKS[index]) for index, name in enumerate(sorted(AUTOMATIC))}
COMPUTED = chr(BLANKS[len(AUTOMATIC)])
"""The first of the blanks that are no automatic variables."""
_NAME_OF = {blank: name for name, blank in _BLANK_OF.items()}
_PREFIX = expression(r"$|[ \t@+-]")
"""Where a line begins with it, it is no part of the command, or what follows begins the line."""
_FRAME: Frame = {n: Definition(Traced((Piece(b),)), origin=Origin.AUTOMATIC) for n, b in _BLANK_OF.items()}

Move = tuple[Span, Span]
"""Where a line stands for which a mould was made, and where another one stands that says the same."""
Words = Callable[[str], tuple[Traced, ...]]
"""The words of an automatic variable."""
Value = Callable[[Traced], Traced]
"""What a reference comes to for one target."""
Cut = Callable[[Traced], Iterable[tuple[Traced, bool]]]
"""An expanded line as the texts that the shell gets, and whether their failure is ignored."""


@dataclass(frozen=True, slots=True)
class _Given:
    """What one target puts into a blank."""

    text: Traced
    words: tuple[Traced, ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """One text for the shell, with blanks."""

    mould: Mould
    dashed: bool
    blanks: tuple[int, ...]
    """Which of its pieces are blanks,"""
    among: Mapping[int, tuple[str, ...]]
    """and which are holes of which some text has blanks."""
    _filled: dict[tuple[object, ...], list[Alike]] = field(default_factory=dict, compare=False)

    def fill(self, given: Mapping[str, _Given], move: Move | None) -> Alike:
        """The text with what is given for one target."""
        pieces = self.mould.text.pieces
        texts = {blank: one.words for blank, one in given.items()}
        key = (move[1] if move is not None else None, *[one.text.text for one in given.values()])
        alike = self._filled.setdefault(key, [])
        for known in alike:
            if known.names == texts:
                return known
        out: list[Piece] = []
        at = 0
        for i in sorted((*self.blanks, *self.among)):
            out += pieces[at:i]
            out += _filled(pieces[i], given)
            at = i + 1
        text = Traced((*out, *pieces[at:]))
        made = Alike(self.mould, texts, text if move is None else text.moved(move), move)
        alike.append(made)
        return made


def _filled(piece: Piece, given: Mapping[str, _Given]) -> list[Piece]:
    if piece.hole is None:
        return _put(piece, given[piece.text].text) if piece.text in given else [piece]
    if not piece.hole.among:
        return [piece]
    among = tuple(Traced(tuple(p for inner in one.pieces for p in _filled(inner, given))) for one in piece.hole.among)
    return [replace(piece, hole=replace(piece.hole, among=among))]


def _blanks_among(piece: Piece) -> list[str]:
    """The blanks in the texts that a hole may be."""
    among = piece.hole.among if piece.hole is not None else ()
    return [b for one in among for p in one.pieces for b in (*BLANK.findall(p.text), *_blanks_among(p))]


def _put(blank: Piece, value: Traced) -> list[Piece]:
    route = blank.route
    return [
        Piece(p.text, route + p.route, p.verbatim, p.hole, p.overridable or blank.overridable, p.unset)
        for p in value.pieces
    ]


@dataclass(frozen=True, slots=True)
class _Known:
    """What a line came to among some target-specific variables."""

    held: tuple[object, ...]
    """Keeps the identities in its key."""
    casts: tuple[Cast, ...]
    commands: tuple[Traced, ...]
    """Those inside ``$(shell …)``."""
    recording: Recording

    @property
    def free(self) -> bool:
        """It did nothing but give this text: the same may be said elsewhere."""
        return not (self.commands or self.recording.spoiled)


@dataclass(slots=True)
class Moulds:
    """The lines of one run."""

    run: Expander
    cut: Cut
    _known: dict[tuple[int, ...], _Known] = field(default_factory=dict)

    def of(self, text: Traced, frames: Sequence[Frame]) -> tuple[tuple[Cast, ...], Move | None] | None:
        """The casts of a line among ``frames``, which are those that the names are looked up in; None for none."""
        site = _site(text)
        first = self.run.shared.first.setdefault(text.text, text) if site is not None else text
        if first is not text and site is not None and (here := _site(first)) is not None:
            known = self._of(first, frames)
            if known is not None and known.free:
                self._note(known)
                return known.casts, (here, site)
        known = self._of(text, frames)
        if known is None:
            return None
        self._note(known)
        self.run.commands.extend(known.commands)
        return known.casts, None

    def _note(self, known: _Known) -> None:
        if self.run.recording is not None:
            self.run.recording.add(known.recording)

    def _of(self, text: Traced, frames: Sequence[Frame]) -> _Known | None:
        run, shared = self.run, self.run.shared
        if not run.settled or shared.unfit.get(id(text)) is text:
            return None
        key = (id(text), *map(id, frames))
        known = self._known.get(key)
        if known is not None:
            return known
        told, commands = len(run.told), len(run.commands)
        outer = run.recording
        recording = run.recording = Recording()
        run.moulding, run.looked = True, False
        try:
            with run.variables.within(_FRAME):
                expanded = run.remembered(text)
        finally:
            looked, run.moulding, run.looked, run.recording = run.looked, False, False, outer
        met = tuple(run.commands[commands:])
        del run.commands[commands:]
        casts = None if looked else self._casts(expanded)
        if casts is None:
            if looked:
                shared.unfit[id(text)] = text
            del run.told[told:]
            return None
        known = _Known((text, *frames), casts, met, recording)
        if not recording.spoiled:
            self._known[key] = known
        return known

    def filled(
        self, made: tuple[tuple[Cast, ...], Move | None], words: Words, value: Value
    ) -> list[tuple[Traced, bool, Alike | None]] | None:
        """The texts of a line for one target; None where what is put in makes other lines of it."""
        casts, move = made
        out: list[tuple[Traced, bool, Alike | None]] = []
        for cast in casts:
            if not (cast.blanks or cast.among) and move is None:
                out.append((cast.mould.text, cast.dashed, None))
                continue
            begins = cast.mould.text.text[:1]
            given: dict[str, _Given] = {}
            needed = [cast.mould.text.pieces[index].text for index in cast.blanks]
            for blank in (*needed, *(blank for some in cast.among.values() for blank in some)):
                if blank not in given:
                    one = given[blank] = self._given(blank, words, value)
                    if "\n" in one.text.text or (begins == blank and _PREFIX.match(one.text.text)):
                        return None
            alike = cast.fill(given, move)
            if alike.text.text.strip():
                out.append((alike.text, cast.dashed, alike))
        return out

    def _given(self, blank: str, words: Words, value: Value) -> _Given:
        name = _NAME_OF.get(blank)
        if name is not None and len(name) == 1:
            several = words(name)
            return _Given(spaced(list(several)), several)
        if name is not None and (parts := _parts(words(name[0]), name[1])) is not None:
            return _Given(spaced(list(parts)), parts)
        written = literal(f"$({name})") if name is not None else self.run.shared.blanks[blank]
        text = value(written)
        outer = len(written.route)
        if outer:
            pieces = [Piece(p.text, p.route[outer:], p.verbatim, p.hole, p.overridable, p.unset) for p in text.pieces]
            text = Traced(tuple(pieces))
        return _Given(text, tuple(split(text)))

    def _casts(self, expanded: Traced) -> tuple[Cast, ...] | None:
        """None where the makefile itself holds such characters."""
        known = self.run.shared.casts.get(id(expanded))
        if known is None or known[0] is not expanded:
            known = self.run.shared.casts[id(expanded)] = (expanded, self._cut(expanded))
        return known[1]

    def _cut(self, expanded: Traced) -> tuple[Cast, ...] | None:
        casts = []
        for text, dashed in self.cut(expanded):
            blanks = tuple(i for i, p in enumerate(text.pieces) if p.hole is None and BLANK.fullmatch(p.text))
            if len(BLANK.findall(text.text)) != len(blanks):
                return None
            among = {
                i: tuple(found) for i, p in enumerate(text.pieces) if p.hole is not None and (found := _blanks_among(p))
            }
            casts.append(Cast(Mould(text), dashed, blanks, among))
        return tuple(casts)


def _site(text: Traced) -> Span | None:
    """Where a line is written that one span says."""
    only = text.pieces[0] if len(text.pieces) == 1 else None
    return only.route[0] if only is not None and only.verbatim and len(only.route) == 1 else None


def _parts(words: Sequence[Traced], part: str) -> tuple[Traced, ...] | None:
    """`$(@D)` and its like; None where a hole may hold the slash."""
    out: list[Traced] = []
    for word in words:
        slash = word.text.rfind("/")
        if slash <= 0 or HOLE_MARK in word.text:
            return None
        out.append(word.cut(0, slash) if part == "D" else word.cut(slash + 1, len(word)))
    return tuple(out)
