"""The rules of a makefile, and what is said of its targets.

Knows nothing of how text is expanded. Manual: "Writing Rules", "Defining and Redefining Pattern
Rules", "Old-Fashioned Suffix Rules", "Special Built-in Target Names".
"""

from collections.abc import Iterator

from flagguard.make import defaults
from flagguard.make.functions.text import Pattern
from flagguard.make.variables import Definition
from flagguard.text import Traced, literal
from flagguard.values import dataclass, field

Recipe = tuple[Traced, ...]


@dataclass(slots=True)
class Making:
    """One way to make a target: prerequisites and, perhaps, a recipe. A double-colon target has several."""

    prerequisites: list[Traced] = field(default_factory=list)
    order_only: list[Traced] = field(default_factory=list)
    recipe: Recipe | None = None
    stem: Traced | None = None
    together: tuple[str, ...] = ()
    """The targets that one run of the recipe makes."""


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
            known.recipe, known.stem, known.together = making.recipe, making.stem, making.together
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
