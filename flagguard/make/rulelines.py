"""Rule lines: targets, prerequisites, recipes, target-specific variables, special targets; into the database.

Manual: "Rule Syntax", "Static Pattern Rules", "Target-specific Variable Values", "Special Built-in Target Names".
"""

from flagguard.make.assign import defined
from flagguard.make.expand import Expander, Stop
from flagguard.make.functions.text import Pattern, find_percent
from flagguard.make.holes import Fit
from flagguard.make.lines import collapse, find_outside, odd_backslashes, strip, unquote, words
from flagguard.make.reader import assignment
from flagguard.make.rules import Database, Making, PatternRule
from flagguard.make.syntax import Assignment, Modifier, RuleLine
from flagguard.make.variables import Definition, Origin
from flagguard.text import HOLE_MARK, Decider, Hole, Piece, Shape, Traced, hole, join, literal
from flagguard.values import dataclass, field

_SPECIAL_TARGETS = frozenset(
    (
        ".PHONY", ".SUFFIXES", ".DEFAULT", ".PRECIOUS", ".INTERMEDIATE", ".SECONDARY", ".SECONDEXPANSION",
        ".DELETE_ON_ERROR", ".IGNORE", ".LOW_RESOLUTION_TIME", ".SILENT", ".EXPORT_ALL_VARIABLES", ".NOTPARALLEL",
        ".ONESHELL", ".POSIX", ".NOTINTERMEDIATE", ".WAIT",
    )
)  # fmt: skip


@dataclass(slots=True)
class _Pending:
    """The rule whose recipe lines are coming in."""

    targets: list[Traced]
    prerequisites: list[Traced]
    order_only: list[Traced]
    pattern: Traced | None
    double: bool
    grouped: bool = False
    recipe: list[Traced] = field(default_factory=list)
    has_recipe: bool = False


@dataclass
class RuleLines:
    """Reads rule lines one by one; the recipe lines that follow belong to the last."""

    run: Expander
    exported: dict[str, bool]
    database: Database = field(default_factory=Database)
    exports_all: bool = False
    pending: _Pending | None = None
    ignores_recipe: bool = False
    """A rule without targets is open: make drops its recipe."""

    def recipe_line(self, text: Traced) -> bool:
        """Take a recipe line; False where no rule is open."""
        if self.pending is None:
            return self.ignores_recipe
        self.pending.recipe.append(text)
        self.pending.has_recipe = True
        return True

    def line(self, statement: RuleLine) -> None:
        run = self.run
        self.ignores_recipe = False
        if statement.line.text[:1] == "\t":
            run.tell(statement.line.route, "recipe commences before first target")
            return
        head = statement.head
        cut = run.shared.split.get(id(statement))
        if cut is None:
            colon = find_outside(head.text, ":")
            after = head.cut(colon + 1, len(head)) if colon >= 0 else None
            cut = run.shared.split[id(statement)] = (statement, head if colon < 0 else head.cut(0, colon), after)
        _, before, written = cut
        names = run.remembered(before)
        expanded = written is None or _plain_colon(names.text) >= 0
        if expanded:
            names = names if written is None else run.remembered(head)
            colon = _plain_colon(names.text)
            if colon < 0:
                self._no_rule(names, statement)
                return
            names, rest = names.cut(0, colon), names.cut(colon + 1, len(names))
        else:
            assert written is not None
            rest = written
        grouped = names.text.endswith("&")
        if grouped:
            names = names.cut(0, len(names.text) - 1)
        targets = [unquote(t, "\\:# ") for t in run.shared.words_of(names)]
        double = rest.text.startswith(":")
        if double:
            rest = rest.cut(1, len(rest))
        if not targets:
            self.ignores_recipe = True
            return
        specific = assignment(rest)
        if specific is not None:
            if statement.recipe is not None:
                tail = collapse(join((literal(";"), statement.recipe)))
                specific = assignment(join((rest, tail))) or specific
            self._target_variable(targets, specific)
            return
        self._rule(targets, rest if expanded else run.remembered(rest), double, statement)
        if self.pending is not None:
            self.pending.grouped = grouped

    def _no_rule(self, text: Traced, statement: RuleLine) -> None:
        plain = strip(text)
        if not plain:
            return
        if not text.known:
            self.run.tell(
                statement.line.route, f"it is not known what this line is: {statement.line.shown.strip()}", fatal=False
            )
            return
        raise Stop("missing separator", statement.line.route, fatal=True)

    def _rule(self, targets: list[Traced], rest: Traced, double: bool, statement: RuleLine) -> None:
        recipe = statement.recipe
        if recipe is None:
            semicolon = find_outside(rest.text, ";")
            if semicolon >= 0:
                rest, recipe = rest.cut(0, semicolon), rest.cut(semicolon + 1, len(rest))
        pattern: Traced | None = None
        colon = _plain_colon(rest.text)
        if colon >= 0:
            found = words(rest.cut(0, colon))
            rest = rest.cut(colon + 1, len(rest))
            if len(found) != 1 or find_percent(found[0].text) < 0:
                message = "multiple target patterns" if len(found) > 1 else "target pattern contains no '%'"
                raise Stop(message if found else "missing target pattern", statement.line.route, fatal=True)
            pattern = found[0]
        prerequisites: list[Traced] = []
        order_only: list[Traced] = []
        into = prerequisites
        for word in self.run.shared.words_of(rest):
            if word.text == "|":
                into = order_only
                continue
            into.extend(self._named(unquote(word, ":")))
        self.pending = _Pending(targets, prerequisites, order_only, pattern, double)
        if recipe is not None:
            self.pending.has_recipe = True
            self.pending.recipe.append(recipe)

    def _named(self, word: Traced) -> list[Traced]:
        """The prerequisite, or the files that its shell pattern names."""
        if word.text == "." or not any(c in word.text for c in "*?["):
            return [word.cut(2, len(word)) if word.text.startswith("./") and len(word.text) > 2 else word]
        found = self.run.folder.matching(word.text) if word.known else []
        return [Traced((Piece(name, word.route),)) for name in found] or [word]

    def close(self) -> None:
        rule, self.pending = self.pending, None
        self.ignores_recipe = False
        if rule is None:
            return
        recipe = tuple(rule.recipe) if rule.has_recipe else None
        for target in rule.targets:
            name = target.text
            if name in _SPECIAL_TARGETS:
                self._special(name, rule.prerequisites)
            elif rule.pattern is not None:
                self._static_pattern(target, rule, recipe)
            elif "%" in name and find_percent(name) >= 0:
                pattern = PatternRule(
                    (target,) if rule.double else tuple(rule.targets), tuple(rule.prerequisites),
                    tuple(rule.order_only), recipe or (), rule.double,
                )  # fmt: skip
                self.database.add_pattern(pattern)
                if not rule.double:
                    break
            else:
                self._explicit(target, rule, recipe)

    def _explicit(self, target: Traced, rule: _Pending, recipe: tuple[Traced, ...] | None) -> None:
        if target.text.startswith(".") and not rule.prerequisites and recipe is not None:
            implicit = self.database.suffix_rule(target.text, recipe)
            if implicit is not None:
                self.database.add_pattern(implicit)
                return
        name = target.cut(2, len(target)) if target.text.startswith("./") and len(target.text) > 2 else target
        making = Making(list(rule.prerequisites), list(rule.order_only), recipe)
        if rule.grouped:
            making.together = tuple(t.shown for t in rule.targets)
        self.database.add(name, making, rule.double)

    def _static_pattern(self, target: Traced, rule: _Pending, recipe: tuple[Traced, ...] | None) -> None:
        assert rule.pattern is not None
        pattern = Pattern(rule.pattern)
        if pattern.fits(target.text) is not Fit.YES:
            if target.known and pattern.known:
                self.run.tell(target.route, f"target {target.shown} doesn't match the target pattern", fatal=False)
                return
            stem = hole(Hole("$*", "the target is not known", Decider.OUTSIDE, Shape.PATH))
        else:
            stem = pattern.stem(target)

        def filled(name: Traced) -> Traced:
            at = find_percent(name.text)
            return name if at < 0 else join((name.cut(0, at), stem, name.cut(at + 1, len(name))))

        making = Making([filled(p) for p in rule.prerequisites], [filled(p) for p in rule.order_only], recipe, stem)
        self.database.add(target, making, rule.double)

    def _special(self, name: str, prerequisites: list[Traced]) -> None:
        names = [p.text for p in prerequisites]
        database = self.database
        match name:
            case ".PHONY":
                database.phony.update(names)
            case ".SUFFIXES":
                database.suffixes = [*database.suffixes, *names] if names else []
            case ".ONESHELL":
                database.one_shell = True
            case ".SECONDEXPANSION":
                database.second_expansion = True
            case ".EXPORT_ALL_VARIABLES":
                self.exports_all = True
            case ".IGNORE":
                database.ignored.update(names)
                database.ignores_all = database.ignores_all or not names
            case ".POSIX":
                self.run.variables.define(".SHELLFLAGS", Definition(literal("-ec"), origin=Origin.DEFAULT))

    def _target_variable(self, targets: list[Traced], statement: Assignment) -> None:
        run = self.run
        name = run.expand(statement.name)
        override = Modifier.OVERRIDE in statement.modifiers
        outer = run.variables.globals.get(name.text)
        if HOLE_MARK in name.text or (outer is not None and outer.origin is Origin.COMMAND and not override):
            return
        for target in targets:
            key = target.shown
            if "%" in key:
                frame: dict[str, Definition] = {}
                for known, old_frame in self.database.pattern_variables:
                    if known == key:
                        frame = old_frame
                        break
                else:
                    self.database.pattern_variables.append((key, frame))
            else:
                frame = self.database.variables.setdefault(key.removeprefix("./"), {})
            with run.variables.within(frame):
                origin = Origin.OVERRIDE if override else Origin.FILE
                definition = defined(run, name.text, statement, origin, frame.get(name.text), append=True)
            if definition is not None:
                frame[name.text] = definition
            if Modifier.EXPORT in statement.modifiers:
                self.exported.setdefault(name.text, True)


def _plain_colon(text: str) -> int:
    """The first colon of expanded text that no backslash quotes."""
    at = text.find(":")
    while at >= 0 and (odd_backslashes(text, at) or _drive(text, at)):
        at = text.find(":", at + 1)
    return at


def _drive(text: str, at: int) -> bool:
    """Whether the colon belongs to ``C:/`` …"""
    return at > 0 and text[at - 1].isalpha() and (at == 1 or text[at - 2].isspace()) and text[at + 1 : at + 2] == "\\"
