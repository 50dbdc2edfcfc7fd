"""The search for the implicit rule that makes a file.

Manual: "Implicit Rule Search Algorithm", "How Patterns Match", "Match-Anything Pattern Rules", "Searching Directories
for Prerequisites".
"""

from flagguard.make.folder import Folder
from flagguard.make.functions.text import Pattern, find_percent
from flagguard.make.rules import Database, PatternRule
from flagguard.text import Traced, join, literal
from flagguard.values import dataclass, field

CHAIN = 4
"""How many implicit rules may follow each other: `x: x.o: x.c: x.y`."""


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
        return [self.folder + p.replace("%", self.stem, 1) if "%" in p else p for p in self.entry.prerequisites]


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
    _known: dict[str, _Candidate | None] = field(default_factory=dict)
    _makeable: dict[str, bool] = field(default_factory=dict)
    _present: dict[str, bool] = field(default_factory=dict)
    _entries: dict[str, list[_Entry]] = field(default_factory=dict)
    _all: list[_Entry] = field(default_factory=list)
    _anything: list[_Entry] = field(default_factory=list)
    _sizes: list[int] = field(default_factory=list)
    _places: list[tuple[Pattern, list[str]]] = field(default_factory=list)
    _suffixes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        order = 0
        for rule in (*self.database.patterns, *self.database.built_in_rules()):
            prerequisites = tuple(p.text for p in rule.prerequisites)
            for target in rule.targets:
                pattern = Pattern(target)
                if pattern.suffix is None:
                    continue
                entry = _Entry(order, rule, pattern.prefix, pattern.suffix, "/" in target.text, prerequisites)
                order += 1
                self._all.append(entry)
                if entry.anything:
                    self._anything.append(entry)
                else:
                    self._entries.setdefault(pattern.suffix, []).append(entry)
        self._sizes = sorted({len(s) for s in self._entries}, reverse=True)
        self._places = [(Pattern(literal(p)), folders) for p, folders in self.database.search]
        if self.folders:
            self._places.append((Pattern(literal("%")), self.folders))
        self._suffixes = tuple(self.database.suffixes) if self.database.built_in else ()
        rules = tuple((e.prefix, e.suffix, e.has_slash, e.prerequisites, e.rule.terminal) for e in self._all)
        places = tuple((p.prefix, p.suffix, tuple(f)) for p, f in self._places)
        database = self.database
        key = (rules, places, self._suffixes, frozenset(database.targets), frozenset(database.mentioned))
        self._known, self._makeable, self._present = self.shared.setdefault(key, ({}, {}, {}))

    def rule(self, name: Traced) -> Found | None:
        if not name.known:
            return None
        text = name.text
        if text not in self._known:
            self._known[text] = self._find(text, CHAIN)
        candidate = self._known[text]
        return self._put_in(candidate, name) if candidate is not None else None

    def located(self, name: Traced) -> Traced:
        """The file as ``VPATH`` and ``vpath`` find it."""
        if not self._places or not name.known or name.text in self.database.targets:
            return name
        folder = self._folder_of(name.text)
        return join((literal(f"{folder}/"), name)) if folder is not None else name

    def _folder_of(self, text: str) -> str | None:
        if text.startswith("/") or self.folder.exists(text):
            return None
        for pattern, folders in self._places:
            if pattern.fits(text).value == "yes":
                for folder in folders:
                    if self.folder.exists(f"{folder}/{text}"):
                        return folder
        return None

    def _exists(self, text: str) -> bool:
        known = self._present.get(text)
        if known is None:
            database = self.database
            known = text in database.targets or text in database.mentioned or self.folder.exists(text)
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
        specific = bool(found) or not top or text.endswith(self._suffixes)
        found += [
            _Candidate(entry, text[:slash], base) for entry in self._anything if entry.rule.terminal or not specific
        ]
        found.sort(key=lambda c: (len(c.stem), c.entry.order))
        return found

    def _find(self, text: str, depth: int) -> _Candidate | None:
        candidates = self._candidates(text, depth == CHAIN)
        for candidate in candidates:
            if all(map(self._exists, candidate.needs())):
                return candidate
        if depth > 1 and not (depth == CHAIN and self.folder.exists(text)):
            for candidate in candidates:
                if candidate.entry.rule.terminal:
                    continue
                if all(self._exists(p) or self._can_make(p, depth - 1) for p in candidate.needs()):
                    return candidate
        return None

    def _can_make(self, text: str, depth: int) -> bool:
        known = self._makeable.get(text)
        if known is None:
            self._makeable[text] = False
            known = self._makeable[text] = self._find(text, depth) is not None
        return known

    def _put_in(self, candidate: _Candidate, name: Traced) -> Found:
        entry, folder = self._all[candidate.entry.order], candidate.folder
        start = (0 if entry.has_slash else len(folder)) + len(entry.prefix)
        stem = name.cut(start, start + len(candidate.stem))

        def filled(pattern: Traced) -> Traced:
            at = find_percent(pattern.text)
            if at < 0:
                return pattern
            named = join((pattern.cut(0, at), stem, pattern.cut(at + 1, len(pattern))))
            return join((literal(folder), named)) if folder else named

        whole = join((literal(folder), stem)) if folder else stem
        rule = entry.rule
        together = tuple(filled(t).text for t in rule.targets) if len(rule.targets) > 1 else ()
        order_only = tuple(map(filled, rule.order_only))
        return Found(rule, whole, tuple(map(filled, rule.prerequisites)), order_only, together)
