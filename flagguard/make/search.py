"""The search for the implicit rule that makes a file.

Manual: "Implicit Rule Search Algorithm", "How Patterns Match", "Match-Anything Pattern Rules", "Searching Directories
for Prerequisites".
"""

from collections.abc import Callable, Iterable, Iterator

from flagguard.make.folder import Folder
from flagguard.make.functions.text import Pattern, find_percent
from flagguard.make.holes import Fit
from flagguard.make.prerequisites import MEMBER, matched
from flagguard.make.rules import Database, PatternRule
from flagguard.text import HOLE_MARK, Decider, Hole, Piece, Shape, Traced, hole, join, literal
from flagguard.values import dataclass, field

CHAIN = 12
"""How many implicit rules may follow each other: `x: x.o: x.c: x.y`; none may come twice."""


@dataclass(frozen=True, slots=True)
class Found:
    """An implicit rule for a target, with its stem put in."""

    rule: PatternRule
    stem: Traced
    prerequisites: tuple[Traced, ...]
    order_only: tuple[Traced, ...]
    together: tuple[str, ...]
    """All targets that the rule makes at once."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """One target pattern of one rule, taken apart."""

    order: int
    rule: PatternRule
    prefix: str
    suffix: str
    has_slash: bool
    prerequisites: tuple[str, ...]

    @property
    def anything(self) -> bool:
        return not self.prefix and not self.suffix


@dataclass(frozen=True, slots=True)
class _Candidate:
    entry: _Entry
    folder: str
    stem: str

    def needs(self) -> list[str]:
        """The prerequisites; those that are expanded a second time are not among them."""
        return [self.folder + p.replace("%", self.stem, 1) if "%" in p else p for p in self.entry.prerequisites]


Expand = Callable[[PatternRule, str, str, str], tuple[list[Traced], list[Traced]]]
"""The prerequisites of a rule that expands them a second time, for a target, its folder and its stem."""
SearchResults = dict[object, tuple[dict[str, _Candidate | None], dict[str, bool], dict[str, bool]]]


@dataclass(slots=True)
class Search:
    """The implicit rule for a file, among a database's rules and the files of the folder."""

    database: Database
    folder: Folder
    folders: list[str]
    """``VPATH``."""
    shared: SearchResults
    """What earlier searches among the same rules and names found."""
    expand: Expand
    libraries: list[str]
    """``.LIBPATTERNS``."""
    _known: dict[str, _Candidate | None] = field(default_factory=dict)
    _makeable: dict[str, bool] = field(default_factory=dict)
    _present: dict[str, bool] = field(default_factory=dict)
    _entries: dict[str, list[_Entry]] = field(default_factory=dict)
    _all: list[_Entry] = field(default_factory=list)
    _anything: list[_Entry] = field(default_factory=list)
    _kinds: list[_Entry] = field(default_factory=list)
    """Patterns without prerequisites and recipe: they say that a target is a file of a kind."""
    _later: dict[tuple[int, str], tuple[list[Traced], list[Traced]]] = field(default_factory=dict)
    _used: set[int] = field(default_factory=set)
    """The rules that a search is inside of."""
    _sizes: list[int] = field(default_factory=list)
    _places: list[tuple[Pattern, list[str]]] = field(default_factory=list)
    _suffixes: tuple[str, ...] = ()

    _ready: bool = False

    def __post_init__(self) -> None:
        self._places = [(Pattern(literal(p)), folders) for p, folders in self.database.search]
        if self.folders:
            self._places.append((Pattern(literal("%")), self.folders))

    def _prepare(self) -> None:
        """Sort the rules; only when a search needs it, since this looks at the list of the tree's files."""
        self._ready = True
        order = 0
        for rule in (*self.database.patterns, *self.database.built_in_rules(self.folder.versioned)):
            prerequisites = tuple(p.text for p in rule.prerequisites)
            for target in rule.targets:
                pattern = Pattern(target)
                if pattern.suffix is None:
                    continue
                entry = _Entry(order, rule, pattern.prefix, pattern.suffix, "/" in target.text, prerequisites)
                order += 1
                self._all.append(entry)
                if not rule.recipe:
                    self._kinds.append(entry)
                elif entry.anything:
                    self._anything.append(entry)
                else:
                    self._entries.setdefault(pattern.suffix, []).append(entry)
        self._sizes = sorted({len(s) for s in self._entries}, reverse=True)
        self._suffixes = tuple(self.database.suffixes) if self.database.built_in else ()
        rules = tuple((e.prefix, e.suffix, e.has_slash, e.prerequisites, e.rule.terminal) for e in self._all)
        places = tuple((p.prefix, p.suffix, tuple(f)) for p, f in self._places)
        database = self.database
        if not any(rule.later for rule in database.patterns):
            key = (rules, places, self._suffixes, frozenset(database.targets), frozenset(database.mentioned))
            self._known, self._makeable, self._present = self.shared.setdefault(key, ({}, {}, {}))

    def rule(self, name: Traced) -> Found | None:
        text = name.text
        if not self._ready:
            self._prepare()
        if not name.known:
            member = MEMBER.match(text)
            if member is None or HOLE_MARK in member[1]:
                return None
            return next((self._put_in(c, name) for c in self._candidates(text[member.end(1) :], False)), None)
        if text not in self._known:
            self._known[text] = self._search(text)
        candidate = self._known[text]
        return self._put_in(candidate, name) if candidate is not None else None

    def _search(self, text: str) -> _Candidate | None:
        found = self._find(text, CHAIN)
        if found is None and text.endswith(")"):
            member = MEMBER.match(text)
            found = self._find(text[member.end(1) :], CHAIN, text) if member is not None else None
        return found

    def mention(self, names: Iterable[str]) -> None:
        """Files that a rule which was found speaks of: from now on they count as files that can be made."""
        new = [name for name in names if name not in self.database.mentioned]
        if new:
            self.database.mentioned.update(new)
            if any(not self._present.get(name, True) for name in new):
                self._known, self._makeable, self._present = {}, {}, {}

    def located(self, name: Traced) -> Traced:
        """The file as ``VPATH`` and ``vpath`` find it."""
        if not name.known or name.text in self.database.targets:
            return name
        if not self._places and not name.text.startswith("-l"):
            return name
        folder = self._folder_of(name.text)
        if folder is None:
            return self._library(name) if name.text.startswith("-l") else name
        found = join((literal(f"{folder}/"), name))
        if self.rule(name) is None:
            return found
        return hole(Hole(found.text, "it is found there, or made anew here", Decider.OUTSIDE, Shape.PATH), name.route)

    def _library(self, name: Traced) -> Traced:
        """``-lNAME``: a file of the tree that `.LIBPATTERNS` finds, or one of the system's (manual 4.5.6)."""
        for pattern in self.libraries:
            text = pattern.replace("%", name.text[2:], 1)
            if self.folder.exists(text):
                return Traced((Piece(text, name.route),))
        places = [
            ((index, at), f"{folder}/{text}")
            for pattern in self.libraries
            for text in (pattern.replace("%", name.text[2:], 1),)
            for index, (fitting, folders) in enumerate(self._places)
            if fitting.fits(text) is Fit.YES
            for at, folder in enumerate(folders)
            if self.folder.exists(f"{folder}/{text}")
        ]
        if places:
            return Traced((Piece(min(places, key=lambda place: place[0])[1], name.route),))
        return hole(Hole(name.text, "where the system has the library", Decider.OUTSIDE, Shape.PATH), name.route)

    def _folders_for(self, text: str) -> Iterator[str]:
        for pattern, folders in self._places:
            if pattern.fits(text) is Fit.YES:
                yield from folders

    def _folder_of(self, text: str) -> str | None:
        if text.startswith("/") or self.folder.exists(text):
            return None
        return next((f for f in self._folders_for(text) if self.folder.exists(f"{f}/{text}")), None)

    def _exists(self, text: str) -> bool:
        known = self._present.get(text)
        if known is None:
            database = self.database
            known = text in database.targets or text in database.mentioned or text in database.phony
            known = known or self.folder.exists(text)
            if not known and self._places:
                known = self._folder_of(text) is not None
            self._present[text] = known
        return known

    def _candidates(self, text: str, top: bool) -> list[_Candidate]:
        slash = text.rfind("/") + 1
        base = text[slash:]
        found: list[_Candidate] = []
        for size in self._sizes:
            for entry in self._entries.get(text[len(text) - size :] if size else "", ()):
                name, folder = (text, "") if entry.has_slash else (base, text[:slash])
                if name.startswith(entry.prefix) and len(name) > len(entry.prefix) + size:
                    found.append(_Candidate(entry, folder, name[len(entry.prefix) : len(name) - size]))
        # A rule for anything is not tried where a more particular one fits, nor in a chain, unless it is terminal.
        specific = bool(found) or not top or text.endswith(self._suffixes) or self._is_of_a_kind(text, base)
        found += [
            _Candidate(entry, text[:slash], base) for entry in self._anything if entry.rule.terminal or not specific
        ]
        found.sort(key=lambda c: (len(c.folder) + len(c.stem), c.entry.order))
        return found

    def _is_of_a_kind(self, text: str, base: str) -> bool:
        return any(
            name.startswith(e.prefix) and name.endswith(e.suffix) and len(name) > len(e.prefix) + len(e.suffix)
            for e in self._kinds
            for name in (text if e.has_slash else base,)
        )

    def _find(self, text: str, depth: int, whole: str = "") -> _Candidate | None:
        """``whole``: the member of an archive, where ``text`` is only its part in brackets."""
        candidates = [c for c in self._candidates(text, depth == CHAIN) if id(c.entry.rule) not in self._used]
        needed = [self._needs(candidate, whole or text) for candidate in candidates]
        for candidate, needs in zip(candidates, needed, strict=True):
            if all(map(self._exists, needs)):
                return candidate
        if depth > 1:
            for candidate, needs in zip(candidates, needed, strict=True):
                rule = candidate.entry.rule
                if rule.terminal:
                    continue
                self._used.add(id(rule))
                try:
                    if all(self._exists(p) or self._can_make(p, depth - 1) for p in needs):
                        return candidate
                finally:
                    self._used.discard(id(rule))
        return None

    def _needs(self, candidate: _Candidate, text: str) -> list[str]:
        if candidate.entry.rule.later is None:
            needs = candidate.needs()
            if any(c in need for need in needs for c in "*?["):
                return [found for need in needs for found in self.folder.matching(need) or [need]]
            return needs
        return [name.text for names in self._expanded(candidate, text) for name in names]

    def _expanded(self, candidate: _Candidate, text: str) -> tuple[list[Traced], list[Traced]]:
        key = (candidate.entry.order, text)
        known = self._later.get(key)
        if known is None:
            stem = candidate.folder + candidate.stem
            known = self._later[key] = self.expand(candidate.entry.rule, text, candidate.folder, stem)
        return known

    def _can_make(self, text: str, depth: int) -> bool:
        known = self._makeable.get(text)
        if known is None:
            self._makeable[text] = False
            known = self._makeable[text] = self._find(text, depth) is not None
        return known

    def _put_in(self, candidate: _Candidate, name: Traced) -> Found:
        entry, folder = self._all[candidate.entry.order], candidate.folder
        member = MEMBER.match(name.text) if entry.prefix.startswith("(") else None
        offset = member.end(1) if member is not None else 0
        start = offset + (0 if entry.has_slash else len(folder)) + len(entry.prefix)
        stem = name.cut(start, start + len(candidate.stem))

        def filled(pattern: Traced) -> Traced:
            at = find_percent(pattern.text)
            if at < 0:
                return pattern
            named = join((pattern.cut(0, at), stem, pattern.cut(at + 1, len(pattern))))
            return join((literal(folder), named)) if folder else named

        whole = join((literal(folder), stem)) if folder else stem
        rule = entry.rule
        if rule.later is not None:
            names, order = self._expanded(candidate, name.text)
        else:
            names = [found for p in rule.prerequisites for found in matched(filled(p), self.folder)]
            order = [found for p in rule.order_only for found in matched(filled(p), self.folder)]
        together = tuple(filled(t).text for t in rule.targets) if len(rule.targets) > 1 else ()
        return Found(rule, whole, tuple(names), tuple(order), together)
