"""The variables of a CMake run: scopes, the cache, the environment, and what a run that may go two ways leaves in them.

Follows cmake-language(7), "Variables". Values know where they are written. No command is known here.
"""

from collections.abc import Callable, Iterable, Mapping

from flagguard.text import EMPTY, Decider, Hole, Piece, Traced, compact
from flagguard.values import dataclass, field

MOST = 8
"""Of how many texts one may be the value."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A value. ``text`` is None for a variable that is unset."""

    text: Traced | None
    outside: bool = False
    """A default: whoever configures may give another value (`-D`)."""


UNSET = Definition(None)


@dataclass
class State:
    """All variables at one point of a run."""

    scopes: list[dict[str, Definition]] = field(default_factory=lambda: [{}])
    """From the outermost directory to the innermost function."""
    cache: dict[str, Definition] = field(default_factory=dict)
    environment: dict[str, Definition] = field(default_factory=dict)
    perhaps: set[str] = field(default_factory=set)
    """Prefixes of variables that something unread has set."""
    loose: bool = False
    """Something unread may have set any variable."""

    def copy(self) -> "State":
        scopes = [dict(scope) for scope in self.scopes]
        return State(scopes, dict(self.cache), dict(self.environment), set(self.perhaps), self.loose)

    def become(self, other: "State") -> None:
        """Take over what the other says, in place: others hold on to this one."""
        self.scopes[:] = other.scopes
        self.cache, self.environment = other.cache, other.environment
        self.perhaps, self.loose = other.perhaps, other.loose

    def normal(self, name: str) -> Definition | None:
        """The variable that is no cache entry."""
        for scope in reversed(self.scopes):
            found = scope.get(name)
            if found is not None:
                return found if found.text is not None else None
        return None

    def inherited(self, level: int) -> "Callable[[str], Traced | None]":
        """What a variable is that the scope itself does not set."""

        def of(name: str) -> Traced | None:
            for scope in reversed(self.scopes[:level]):
                found = scope.get(name)
                if found is not None:
                    return found.text
            cached = self.cache.get(name)
            return cached.text if cached is not None else None

        return of

    def get(self, name: str) -> Definition | None:
        found = self.normal(name)
        return found if found is not None else self.cache.get(name)

    def set(self, name: str, definition: Definition) -> None:
        self.scopes[-1][name] = definition

    def set_above(self, name: str, definition: Definition) -> None:
        """`PARENT_SCOPE`."""
        if len(self.scopes) > 1:
            self.scopes[-2][name] = definition


def joined(states: list[State], unset: Callable[[str], Traced]) -> State:
    """One state for several of which any may be the one: what differs is one of several texts.

    ``unset``: what a variable is that none of the files sets.
    """
    first = states[0]
    if len(states) == 1:
        return first
    out = State([], {}, {}, set().union(*(s.perhaps for s in states)), any(s.loose for s in states))
    for level in range(len(first.scopes)):
        below = [s.inherited(level) for s in states]
        out.scopes.append(_joined([s.scopes[level] for s in states], lambda name, b=below: b[0](name) or unset(name)))  # type: ignore[misc]
    out.cache = _joined([s.cache for s in states], unset)
    out.environment = _joined([s.environment for s in states], lambda name: EMPTY)
    return out


def _joined(tables: list[dict[str, Definition]], unset: Callable[[str], Traced]) -> dict[str, Definition]:
    first = tables[0]
    if all(table == first for table in tables[1:]):
        return first
    out = {}
    for name in dict.fromkeys(name for table in tables for name in table):
        found = [table.get(name) for table in tables]
        head = found[0]
        if head is None or any(one != head for one in found):
            there = [Definition(unset(name)) if one is None else one for one in found]
            out[name] = one_of(name, there)
        else:
            out[name] = head
    return out


def one_of(name: str, definitions: Iterable[Definition | None]) -> Definition:
    """Any of them: what all begin and end with, and a choice between."""
    distinct = list(dict.fromkeys(definitions))
    if all(one is None or one.text is None for one in distinct):
        return UNSET
    texts = list(dict.fromkeys(one.text if one is not None and one.text is not None else EMPTY for one in distinct))
    outside = any(one is not None and one.outside for one in distinct)
    reason = "which way was taken before it cannot be known here"
    among: dict[Traced, None] = {}
    lead, tail, middles = _parted(texts)
    for text in middles:
        held = text.pieces[0].hole if len(text.pieces) == 1 else None
        among.update(dict.fromkeys(held.among) if held is not None and held.among else {text: None})
    choices = tuple(among) if len(among) <= MOST else ()
    hole = Hole(f"${{{name}}}", reason, Decider.REPOSITORY, name=name, among=choices)
    return Definition(Traced((*lead, Piece(hole.text, hole=hole), *tail)), outside)


def _parted(texts: list[Traced]) -> tuple[tuple[Piece, ...], tuple[Piece, ...], list[Traced]]:
    first = compact(texts[0].pieces)
    lists = [list(compact(text.pieces)) for text in texts]
    start = 0
    while all(len(one) > start and one[start] == first[start] for one in lists):
        start += 1
    end = 0
    shortest = min(map(len, lists)) - start
    while end < shortest and all(one[-1 - end] == first[-1 - end] for one in lists):
        end += 1
    middles = [Traced(tuple(one[start : len(one) - end])) for one in lists]
    return tuple(first[:start]), tuple(first[len(first) - end :]), middles


def environment_of(values: Mapping[str, Traced]) -> dict[str, Definition]:
    return {name: Definition(value) for name, value in values.items()}
