"""Scripts of several worlds and platforms put together: each once, with where it is found."""

from flagguard.command import Script
from flagguard.hosts import Files
from flagguard.make.moulds import COMPUTED
from flagguard.patterns import expression
from flagguard.text import Piece, Span
from flagguard.values import dataclass, field


@dataclass(slots=True)
class Entry:
    """One script and the numbers of the worlds, or of the platforms, in which it is found."""

    script: Script
    indexes: list[int] = field(default_factory=list)

    def note(self, index: int) -> None:
        if self.indexes[-1] != index:
            self.indexes.append(index)


@dataclass(slots=True)
class Distinct:
    """Scripts without doubles, in the order in which they came."""

    entries: list[Entry] = field(default_factory=list)
    _by_text: dict[object, list[Entry]] = field(default_factory=dict)

    def find(self, script: Script) -> Entry | None:
        alike = self._by_text.get((script.place.target, script.text.text, script.when), ())
        return next((entry for entry in alike if same(entry.script, script)), None)

    def add(self, script: Script, index: int) -> Entry:
        # The text stands for the pieces here: their comparison is dear and seldom needed.
        key = (script.place.target, script.text.text, script.when)
        alike = self._by_text.setdefault(key, [])
        for entry in alike:
            if same(entry.script, script):
                entry.note(index)
                return entry
        entry = Entry(script, [index])
        alike.append(entry)
        self.entries.append(entry)
        return entry


def same(one: Script, other: Script) -> bool:
    """Whether two scripts differ in nothing but the world and the platform."""
    return one is other or (
        (one.text is other.text or one.text.pieces == other.text.pieces)
        and (one.env is other.env or one.env == other.env)
        and one.place == other.place
        and (one.ignored, one.dialect, one.when, one.opt_in, one.errexit, one.pipefail)
        == (other.ignored, other.dialect, other.when, other.opt_in, other.errexit, other.pipefail)
    )


_AUTOMATIC = expression(r"\$(?:[@<^*+?|%]|\([@<^*+?|%][DF]?\)|\{[@<^*+?|%][DF]?\})$|\$[({][@<^*+?|%][DF]?:")


_EACH = 12
"""For so many targets each is told by itself."""


@dataclass(slots=True)
class Masked:
    """Scripts of further worlds: of one recipe line for many targets, a few stand for all.

    What is new in such a world is a flag, and the first world lists every target already; only the automatic
    variables would differ. A line that calls make is followed for each target.
    """

    found: Distinct
    files: Files
    _seen: dict[object, dict[str | None, Entry]] = field(default_factory=dict)
    _spans: dict[Span, bool] = field(default_factory=dict)
    _same: dict[int, bool] = field(default_factory=dict)
    """By identity: the scripts of all worlds are held while they are compared."""

    def add(self, script: Script, index: int) -> None:
        known = self.found.find(script)
        if known is not None:
            known.note(index)
            return
        key: tuple[object, ...]
        if script.alike is not None:
            computed = tuple((b, *[w.text for w in ws]) for b, ws in script.alike.names.items() if b >= COMPUTED)
            key = (script.when, script.ignored, id(script.alike.mould), script.alike.move, computed)
        else:
            key = (script.when, script.ignored, *((p.text, p.route) for p in script.text.pieces if not self._varies(p)))
        by_target = self._seen.setdefault(key, {})
        known = by_target.get(script.place.target)
        if known is None and len(by_target) >= _EACH and "make" not in script.text.text:
            known = next(iter(by_target.values()))
        if known is not None:
            known.note(index)
        else:
            by_target[script.place.target] = self.found.add(script, index)

    def _varies(self, piece: Piece) -> bool:
        for span in piece.route[:-1]:
            known = self._same.get(id(span))
            if known is None:
                known = self._same[id(span)] = self._is_automatic(span)
            if known:
                return True
        return False

    def _is_automatic(self, span: Span) -> bool:
        known = self._spans.get(span)
        if known is None:
            source = self.files.read(span.path)
            text = source.text[span.start : span.end] if source is not None and span.end - span.start < 80 else ""
            known = self._spans[span] = bool(_AUTOMATIC.match(text))
        return known
