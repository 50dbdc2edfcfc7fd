"""The rules of a makefile, and what is said of its targets.

Knows nothing of how text is expanded. Manual: "Writing Rules", "Defining and Redefining Pattern
Rules", "Old-Fashioned Suffix Rules", "Special Built-in Target Names".
"""

from collections.abc import Iterable

from flagguard.make import defaults
from flagguard.make.functions.text import Pattern
from flagguard.make.holes import Fit
from flagguard.make.syntax import Assignment
from flagguard.make.variables import Definition, Origin
from flagguard.text import Traced, literal
from flagguard.values import dataclass, field

Recipe = tuple[Traced, ...]


@dataclass(frozen=True, slots=True)
class Later:
    """Prerequisites that are expanded a second time, when all makefiles are read (``.SECONDEXPANSION``)."""

    text: Traced
    stem: Traced | None = None
    """Of a static pattern rule."""


Prerequisite = Traced | Later


@dataclass(slots=True)
class Making:
    """One way to make a target: prerequisites and, perhaps, a recipe. A double-colon target has several."""

    prerequisites: list[Prerequisite] = field(default_factory=list)
    order_only: list[Traced] = field(default_factory=list)
    recipe: Recipe | None = None
    stem: Traced | None = None
    together: tuple[str, ...] = ()
    """The targets that one run of the recipe makes."""

    @property
    def files(self) -> list[Traced]:
        """The prerequisites that are known by name."""
        return [p for p in self.prerequisites if isinstance(p, Traced)]


@dataclass(slots=True)
class Target:
    name: Traced
    makings: list[Making] = field(default_factory=list)
    double: bool = False

    @property
    def prerequisites(self) -> list[Prerequisite]:
        """Those of all its rules."""
        return [p for making in self.makings for p in making.prerequisites]


@dataclass(frozen=True, slots=True)
class PatternRule:
    targets: tuple[Traced, ...]
    prerequisites: tuple[Traced, ...]
    order_only: tuple[Traced, ...]
    recipe: Recipe
    terminal: bool = False
    built_in: bool = False
    later: Traced | None = None
    """The prerequisites as they are written, where they are expanded a second time for each target."""

    @property
    def named(self) -> tuple[list[str], list[str]]:
        """By which a rule replaces an earlier one."""
        return [t.text for t in self.targets], [p.text for p in self.prerequisites]


@dataclass(frozen=True, slots=True)
class PatternVariable:
    """A pattern-specific variable: its assignment happens anew for each target that fits."""

    pattern: str
    name: str
    statement: Assignment
    origin: Origin
    simple: Definition | None
    """What it is where it was expanded when it was read."""


def _built_in(rules: Iterable[tuple[str, str, tuple[str, ...]]], terminal: bool = False) -> tuple[PatternRule, ...]:
    return tuple(
        PatternRule(
            (literal(target),), tuple(literal(p) for p in prerequisites.split()), (), tuple(literal(r) for r in recipe),
            terminal, built_in=True,
        )
        for target, prerequisites, recipe in rules
    )  # fmt: skip


SUFFIX_RULES = _built_in(defaults.SUFFIX_RULES)
PATTERN_RULES = _built_in(defaults.PATTERN_RULES)
VERSION_CONTROL = _built_in(defaults.VERSION_CONTROL_RULES, terminal=True)


@dataclass(slots=True)
class Database:
    """All that the reading of a makefile has left, besides global variables."""

    targets: dict[str, Target] = field(default_factory=dict)
    patterns: list[PatternRule] = field(default_factory=list)
    cancelled: set[tuple[str, str]] = field(default_factory=set)
    """Built-in rules that a pattern rule without a recipe takes away."""
    variables: dict[str, dict[str, Definition]] = field(default_factory=dict)
    """Target-specific variables."""
    pattern_variables: list[PatternVariable] = field(default_factory=list)
    search: list[tuple[str, list[str]]] = field(default_factory=list)
    """``vpath``: pattern, folders."""
    suffixes: list[str] = field(default_factory=lambda: list(defaults.SUFFIXES))
    phony: set[str] = field(default_factory=set)
    default: Recipe | None = None
    """``.DEFAULT``: what makes a file that no rule makes."""
    ignored: set[str] = field(default_factory=set)
    ignores_all: bool = False
    one_shell: bool = False
    second_expansion: bool = False
    built_in: bool = True
    mentioned: set[str] = field(default_factory=set)
    goals: list[str] = field(default_factory=list)
    """The explicit targets in the order of the file."""
    written: dict[str, list[str]] = field(default_factory=dict)
    """What the computed names of rules come to, by the rule's place,"""
    implied: dict[str, list[str]] = field(default_factory=dict)
    """and what targets need besides what their rules name."""
    takes_goals: bool = True
    """A target that is read now may become the default goal."""

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
        self.mentioned.update(p.shown for p in (*making.prerequisites, *making.order_only) if isinstance(p, Traced))
        if double or not target.makings:
            target.makings.append(making)
            return
        known = target.makings[0]
        if making.recipe is not None:
            known.prerequisites[:0] = making.prerequisites
            known.order_only[:0] = making.order_only
            known.recipe, known.together = making.recipe, making.together
        else:
            known.prerequisites.extend(making.prerequisites)
            known.order_only.extend(making.order_only)
        known.stem = making.stem or known.stem

    def add_pattern(self, rule: PatternRule) -> None:
        """A rule without a recipe takes the same rule away; without prerequisites too, it only says that the target is
        a file of a kind (manual 10.5.5, 10.5.6)."""
        if not rule.recipe:
            for target in rule.targets:
                self.cancelled.add((target.text, " ".join(p.text for p in rule.prerequisites)))
        self.patterns = [old for old in self.patterns if old.later is not None or old.named != rule.named]
        if rule.recipe or not (rule.prerequisites or rule.later):
            self.patterns.append(rule)

    def suffix_rule(self, name: str, recipe: Recipe) -> PatternRule | None:
        """``.c.o:`` and ``.c:`` as pattern rules; ``.c.a:`` makes a member of an archive (manual 11.4)."""
        for first in self.suffixes:
            if not name.startswith(first):
                continue
            second = name[len(first) :]
            if second == ".a":
                return PatternRule((literal("(%.o)"),), (literal("%" + first),), (), recipe)
            if second == "" or second in self.suffixes:
                return PatternRule((literal("%" + second),), (literal("%" + first),), (), recipe)
        return None

    def convert_suffix_rules(self, posix: bool) -> None:
        """When all makefiles are read, by the suffixes that are known then; POSIX has none with prerequisites."""
        for name, target in list(self.targets.items()):
            recipe = target.makings[0].recipe if name.startswith(".") and target.makings else None
            if recipe is None or (posix and target.prerequisites):
                continue
            rule = self.suffix_rule(name, recipe)
            if rule is None:
                continue
            if all(old.named != rule.named or old.later is not None for old in self.patterns):
                self.patterns.append(rule)
            if not target.prerequisites:
                del self.targets[name]
                self.goals.remove(name)

    def fitting(self, name: str) -> list[PatternVariable]:
        """Pattern-specific variables for a target, the least specific first."""
        matching = []
        for index, variable in enumerate(self.pattern_variables):
            # the sign stands for one character at least here (make's `lookup_pattern_var`)
            if len(name) >= len(variable.pattern) and Pattern(literal(variable.pattern)).fits(name) is Fit.YES:
                matching.append((len(variable.pattern), index, variable))
        return [variable for _, _, variable in sorted(matching, key=lambda m: m[:2])]

    def built_in_rules(self, version_control: bool) -> list[PatternRule]:
        """Those that the makefile has not taken away, with or without the rules for RCS and SCCS."""
        if not self.built_in:
            return []
        known = set(self.suffixes)
        suffix_rules = [
            rule
            for rule in SUFFIX_RULES
            if rule.prerequisites[0].text[1:] in known
            and (rule.targets[0].text == "%" or rule.targets[0].text[1:] in known)
        ]
        others = (*PATTERN_RULES, *(VERSION_CONTROL if version_control else ()))
        return [
            rule
            for rule in (*suffix_rules, *others)
            if (rule.targets[0].text, " ".join(p.text for p in rule.prerequisites)) not in self.cancelled
        ]
