"""What is known of the values with which a part of a tree is called that is called in too many ways to look at each.

It is read once for all of them: a variable that every call gives is one of the texts that were given, another is open.
That nothing is lost counts for more than what is known: a text that may be empty could be replaced by a default, so its
variable is open, and so is one of which new texts keep coming.
"""

from flagguard.handed import MARK
from flagguard.hosts import Entered
from flagguard.hosts.shellscript import one_of_many
from flagguard.text import HOLE_MARK, Hole, Piece, Traced
from flagguard.values import dataclass, field

_MOST = 64
"""Of how many texts a variable may be one,"""
_LONGEST = 2_000
"""and how many characters they may have together."""

_Said = tuple[tuple[str, Hole | None], ...]
"""A text without its places."""


@dataclass
class _Values:
    """The values of the calls of one kind."""

    texts: dict[str, set[_Said] | None] = field(default_factory=dict)
    """By the variable; None: it is open."""
    perhaps: set[str] = field(default_factory=set)
    """The variables that only some calls give."""
    read: bool = False
    """It has been asked for: to read the part anew for each new text would take too long."""


class Loosened:
    """The calls that are read together, by what tells them apart even so."""

    def __init__(self) -> None:
        self._kinds: dict[object, _Values] = {}

    def add(self, found: Entered, *, open: bool = False) -> None:
        """One more call; ``open``: of a part that takes so long to read that its values are all open."""
        given = {name: value for name, value in found.values.items() if name != MARK}
        known = self._kinds.get(found.kind)
        if known is None:
            known = self._kinds[found.kind] = _Values({name: set() for name in given})
        new = given.keys() ^ known.texts.keys()
        new -= known.perhaps
        for name in new:
            known.perhaps.add(name)
            known.texts[name] = None
        for name, value in given.items():
            texts = known.texts[name]
            said = tuple([(piece.text, piece.hole) for piece in value.pieces])
            if texts is None or said in texts:
                continue
            texts.add(said)
            length = sum(len(text) for one in texts for text, _ in one)
            if open or known.read or _may_be_empty(value) or len(texts) > _MOST or length > _LONGEST:
                known.texts[name] = None

    def looser(self, found: Entered) -> Entered:
        """The call as one of all those of its kind that are known so far."""
        assert found.looser is not None
        known = self._kinds[found.kind]
        known.read = True
        ordered = sorted(known.texts.items())
        values = {name: one_of_many(name.rpartition(" ")[2], _traced(texts)) for name, texts in ordered}
        if MARK in found.values:
            values[MARK] = one_of_many(MARK)
        return found.looser(values, frozenset(known.perhaps))


def _may_be_empty(value: Traced) -> bool:
    return not value.text.replace(HOLE_MARK, "").strip()


def _traced(texts: set[_Said] | None) -> tuple[Traced, ...]:
    ordered = sorted(texts or (), key=lambda said: [text for text, _ in said])
    return tuple([Traced(tuple([Piece(text, hole=gap) for text, gap in said])) for said in ordered])
