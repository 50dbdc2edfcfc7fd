"""The rules of a makefile, and the search for the rule that makes a file.

Knows nothing of how text is expanded. Manual: "Writing Rules", "Using Implicit Rules", "Implicit Rule Search
Algorithm", "Old-Fashioned Suffix Rules".
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from posixpath import basename, dirname

from flagguard.make import defaults
from flagguard.make.folder import Folder
from flagguard.make.functions.text import Pattern
from flagguard.make.variables import Definition
from flagguard.text import Traced, join, literal

CHAIN = 4
"""How many implicit rules may follow each other: `x: x.o: x.c: x.y`."""

Recipe = tuple[Traced, ...]


@dataclass(slots=True)
class Making:
    """One way to make a target: prerequisites and, perhaps, a recipe. A double-colon target has several."""

    prerequisites: list[Traced] = field(default_factory=list)
    order_only: list[Traced] = field(default_factory=list)
    recipe: Recipe | None = None
    stem: Traced | None = None


@dataclass(slots=True)
class Target:
    name: Traced
    makings: list[Making] = field(default_factory=list)
    double: bool = False


@dataclass(frozen=True, slots=True)
class PatternRule:
    targets: tuple[Traced, ...]
    prerequisites: tuple[Traced, ...]
    order_only: tuple[Traced, ...]
    recipe: Recipe
    terminal: bool = False
    built_in: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """An implicit rule for a target, with its stem put in."""

    rule: PatternRule
    stem: Traced
    prerequisites: tuple[Traced, ...]
    order_only: tuple[Traced, ...]


def _built_in() -> tuple[PatternRule, ...]:
    return tuple(
        PatternRule(
            (literal(target),), tuple(literal(p) for p in prerequisites.split()), (), tuple(literal(r) for r in recipe),
            built_in=True,
        )
        for target, prerequisites, recipe in defaults.PATTERN_RULES
    )  # fmt: skip


BUILT_IN = _built_in()


@dataclass(slots=True)
class Database:
    """All that the reading of a makefile has left, besides global variables."""

    targets: dict[str, Target] = field(default_factory=dict)
    patterns: list[PatternRule] = field(default_factory=list)
    cancelled: set[tuple[str, str]] = field(default_factory=set)
    """Built-in rules that a pattern rule without a recipe takes away."""
    variables: dict[str, dict[str, Definition]] = field(default_factory=dict)
    """Target-specific variables."""
    pattern_variables: list[tuple[str, dict[str, Definition]]] = field(default_factory=list)
    search: list[tuple[str, list[str]]] = field(default_factory=list)
    """``vpath``: pattern, folders."""
    suffixes: list[str] = field(default_factory=lambda: list(defaults.SUFFIXES))
    phony: set[str] = field(default_factory=set)
    ignored: set[str] = field(default_factory=set)
    ignores_all: bool = False
    one_shell: bool = False
    second_expansion: bool = False
    built_in: bool = True
    mentioned: set[str] = field(default_factory=set)
    goals: list[str] = field(default_factory=list)
    """The explicit targets in the order of the file."""
    _found: dict[str, Found | None] = field(default_factory=dict)

    def target(self, name: Traced) -> Target:
        key = name.shown
        known = self.targets.get(key)
        if known is None:
            known = self.targets[key] = Target(name)
            self.goals.append(key)
        return known

    def add(self, name: Traced, making: Making, double: bool) -> None:
        """A rule for one explicit target; several of them share prerequisites, the last recipe counts."""
        target = self.target(name)
        target.double = target.double or double
        self.mentioned.update(p.shown for p in (*making.prerequisites, *making.order_only))
        if double or not target.makings:
            target.makings.append(making)
            return
        known = target.makings[0]
        if making.recipe is not None:
            known.prerequisites[:0] = making.prerequisites
            known.recipe, known.stem = making.recipe, making.stem
        else:
            known.prerequisites.extend(making.prerequisites)
        known.order_only.extend(making.order_only)

    def add_pattern(self, rule: PatternRule) -> None:
        if not rule.recipe:
            for target in rule.targets:
                self.cancelled.add((target.text, " ".join(p.text for p in rule.prerequisites)))
            return
        key = [t.text for t in rule.targets], [p.text for p in rule.prerequisites]
        self.patterns = [
            old for old in self.patterns if ([t.text for t in old.targets], [p.text for p in old.prerequisites]) != key
        ]
        self.patterns.append(rule)

    def suffix_rule(self, name: str, recipe: Recipe) -> PatternRule | None:
        """``.c.o:`` and ``.c:`` as pattern rules."""
        for first in self.suffixes:
            if not name.startswith(first):
                continue
            second = name[len(first) :]
            if second == "" or second in self.suffixes:
                return PatternRule((literal("%" + second),), (literal("%" + first),), (), recipe)
        return None

    def specific(self, name: str) -> Iterator[dict[str, Definition]]:
        """Pattern-specific variables for a target, the least specific first, then its own."""
        matching = []
        for index, (text, frame) in enumerate(self.pattern_variables):
            pattern = Pattern(literal(text))
            if pattern.fits(name).value == "yes":
                matching.append((-len(name) + len(text), index, frame))
        for _, _, frame in sorted(matching, key=lambda m: (m[0], m[1])):
            yield frame
        own = self.variables.get(name)
        if own:
            yield own

    def built_in_rules(self) -> list[PatternRule]:
        if not self.built_in:
            return []
        known = set(self.suffixes)
        return [
            rule
            for rule in BUILT_IN
            if (rule.targets[0].text, " ".join(p.text for p in rule.prerequisites)) not in self.cancelled
            and all(p.text.lstrip("%") in known for p in rule.prerequisites if p.text != "%")
            and (rule.targets[0].text == "%" or rule.targets[0].text[1:] in known)
        ]


@dataclass(slots=True)
class Search:
    """The implicit rule for a file, among a database's rules and the files of the folder."""

    database: Database
    folder: Folder
    folders: list[str]
    """``VPATH``."""
    _known: dict[str, Found | None] = field(default_factory=dict)
    _rules: list[PatternRule] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rules = [*self.database.patterns, *self.database.built_in_rules()]

    def rule(self, name: Traced) -> Found | None:
        key = name.shown
        if key not in self._known:
            self._known[key] = None
            self._known[key] = self._find(name, CHAIN, frozenset())
        return self._known[key]

    def located(self, name: Traced) -> Traced:
        """The file as ``VPATH`` and ``vpath`` find it."""
        text = name.text
        if not name.known or text.startswith("/") or text in self.database.targets:
            return name
        if not (self.folders or self.database.search) or self.folder.exists(text):
            return name
        for pattern, folders in [*self.database.search, ("%", self.folders)]:
            if Pattern(literal(pattern)).fits(text).value != "yes":
                continue
            for folder in folders:
                if self.folder.exists(f"{folder}/{text}"):
                    return join((literal(f"{folder}/"), name))
        return name

    def _exists(self, name: Traced) -> bool:
        text = name.shown
        if text in self.database.targets or text in self.database.mentioned:
            return True
        return name.known and (self.folder.exists(text) or self.located(name) is not name)

    def _find(self, name: Traced, depth: int, used: frozenset[int]) -> Found | None:
        if not name.known:
            return None
        candidates: list[tuple[int, int, PatternRule, tuple[str, Traced]]] = []
        specific = any(name.text.endswith(s) for s in self.database.suffixes if self.database.built_in)
        for index, rule in enumerate(self._rules):
            if index in used:
                continue
            for target in rule.targets:
                split = _stem(target, name)
                if split is not None:
                    candidates.append((len(split[1].text), index, rule, split))
                    specific = specific or target.text != "%"
                    break
        # A rule for anything is not tried where a more particular one fits, nor in a chain, unless it is terminal.
        if specific or depth < CHAIN:
            candidates = [c for c in candidates if c[2].targets[0].text != "%" or c[2].terminal]
        candidates.sort(key=lambda c: (c[0], c[1]))
        for may_chain in (False, True):
            for _, index, rule, (folder, stem) in candidates:
                found = _put_in(rule, folder, stem)
                if all(self._exists(p) for p in found.prerequisites):
                    return found
                if not may_chain or rule.terminal or depth <= 1:
                    continue
                if all(self._exists(p) or self._find(p, depth - 1, used | {index}) for p in found.prerequisites):
                    return found
        return None


def _stem(pattern: Traced, name: Traced) -> tuple[str, Traced] | None:
    """Folder and stem where ``name`` fits; a pattern without a slash fits the name in any folder."""
    compiled = Pattern(pattern)
    text = name.text
    folder = ""
    if "/" not in pattern.text and "/" in text:
        folder = dirname(text) + "/" if dirname(text) != "/" else "/"
        text = basename(text)
        if folder != name.text[: len(folder)]:
            folder = name.text[: len(name.text) - len(text)]
        name = name.cut(len(folder), len(name))
    if compiled.suffix is None or compiled.fits(text).value != "yes":
        return None
    stem = compiled.stem(name)
    return (folder, stem) if stem.text else None


def _put_in(rule: PatternRule, folder: str, stem: Traced) -> Found:
    def filled(pattern: Traced) -> Traced:
        at = pattern.text.find("%")
        if at < 0:
            return pattern
        named = join((pattern.cut(0, at), stem, pattern.cut(at + 1, len(pattern))))
        return join((literal(folder), named)) if folder else named

    whole = join((literal(folder), stem)) if folder else stem
    return Found(rule, whole, tuple(map(filled, rule.prerequisites)), tuple(map(filled, rule.order_only)))
