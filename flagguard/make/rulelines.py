"""Rule lines: targets, prerequisites, recipes, target-specific variables, special targets; into the database.

Manual: "Rule Syntax", "Static Pattern Rules", "Target-specific Variable Values", "Special Built-in Target Names".
"""

from flagguard.make.assign import defined
from flagguard.make.defaults import POSIX_VARIABLES
from flagguard.make.expand import Expander, Stop
from flagguard.make.functions.text import Pattern, find_percent
from flagguard.make.holes import Fit
from flagguard.make.lines import collapse, find_outside, odd_backslashes, strip, unquote, words
from flagguard.make.prerequisites import listed
from flagguard.make.prerequisites import names as listed_names
from flagguard.make.reader import assignment
from flagguard.make.rules import Database, Later, Making, PatternRule, PatternVariable, Prerequisite
from flagguard.make.syntax import Assignment, Modifier, RuleLine
from flagguard.make.variables import Definition, Origin
from flagguard.make.visits import filled
from flagguard.text import HOLE_MARK, Decider, Hole, Shape, Traced, hole, join, literal
from flagguard.values import dataclass, field, replace

SPECIAL_TARGETS = frozenset(
    (
        ".PHONY", ".SUFFIXES", ".DEFAULT", ".PRECIOUS", ".INTERMEDIATE", ".SECONDARY", ".SECONDEXPANSION",
        ".DELETE_ON_ERROR", ".IGNORE", ".LOW_RESOLUTION_TIME", ".SILENT", ".EXPORT_ALL_VARIABLES", ".NOTPARALLEL",
        ".ONESHELL", ".POSIX", ".NOTINTERMEDIATE", ".WAIT",
    )
)  # fmt: skip


Prerequisites = tuple[list[Traced], list[Traced]]
"""Normal ones and order-only ones."""


@dataclass(slots=True)
class _Pending:
    """The rule whose recipe lines are coming in."""

    targets: list[Traced]
    rest: Traced
    """The prerequisites, expanded."""
    pattern: Traced | None
    double: bool
    place: str
    """Where a rule with computed names is written: the outermost text that it comes from."""
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
    posix: bool = False
    ignores_recipe: bool = False
    """A rule without targets is open: make drops its recipe."""
    _frames: dict[tuple[int, ...], dict[str, Definition]] = field(default_factory=dict)
    """Pattern-specific variables, by the assignments that a target fits."""

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
        targets = listed_names(names, run.folder, "\\:#", run.shared.words_of)
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
        self.pending = _Pending(targets, rest, pattern, double, _place(statement))
        if recipe is not None:
            self.pending.has_recipe = True
            self.pending.recipe.append(recipe)

    def close(self) -> None:
        rule, self.pending = self.pending, None
        self.ignores_recipe = False
        if rule is None:
            return
        recipe = tuple(rule.recipe) if rule.has_recipe else None
        self._note_goal(rule)
        later = self.database.second_expansion and "$" in rule.rest.text
        names, order_only = ([], []) if later else listed(rule.rest, self.run.folder, self.run.shared.words_of)
        rule.rest = unquote(rule.rest, ":") if later else rule.rest
        if rule.place:
            self._note_names(rule, [*names, *order_only])
        for target in rule.targets:
            name = target.text
            if name in SPECIAL_TARGETS:
                self._special(name, names, recipe)
            elif rule.pattern is not None:
                self._static_pattern(target, rule.pattern, rule, (names, order_only), later, recipe)
            elif "%" in name and find_percent(name) >= 0:
                pattern = PatternRule(
                    tuple(rule.targets), tuple(names), tuple(order_only), recipe or (), rule.double,
                    later=rule.rest if later else None,
                )  # fmt: skip
                self.database.add_pattern(pattern)
                break
            else:
                self._explicit(target, rule, (names, order_only), later, recipe)

    def _note_names(self, rule: _Pending, needed: list[Traced]) -> None:
        """The names of the rule's targets, and of what they need that no rule of the file may name."""
        targets = [filled(target).shown for target in rule.targets if target.text not in SPECIAL_TARGETS]
        if targets:
            self.database.written.setdefault(rule.place, []).extend(targets)
            self.database.written.setdefault(f"{rule.place}<", []).extend(name.shown for name in needed)

    def _note_goal(self, rule: _Pending) -> None:
        """The first target that may be it becomes the default goal (manual 6.14)."""
        given = self.run.variables.globals.get(".DEFAULT_GOAL")
        if self.database.takes_goals and (given is None or not given.value.text.strip()):
            for target in rule.targets:
                name = target.text
                if (not name.startswith(".") or "/" in name) and find_percent(name) < 0:
                    self.run.variables.globals[".DEFAULT_GOAL"] = Definition(target)
                    return

    def _explicit(
        self, target: Traced, rule: _Pending, given: Prerequisites, later: bool, recipe: tuple[Traced, ...] | None
    ) -> None:
        names, order_only = given
        target = unquote(target, "%")
        making = Making([Later(rule.rest)] if later else list(names), list(order_only), recipe)
        if rule.grouped:
            making.together = tuple(t.shown for t in rule.targets)
        self.database.add(target, making, rule.double)

    def _static_pattern(
        self,
        target: Traced,
        written: Traced,
        rule: _Pending,
        given: Prerequisites,
        later: bool,
        recipe: tuple[Traced, ...] | None,
    ) -> None:
        pattern = Pattern(written)
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

        names, order_only = ([name for name in map(filled, one) if name.text] for one in given)
        prerequisites: list[Prerequisite] = [Later(rule.rest, stem)] if later else [*names]
        making = Making(prerequisites, order_only, recipe, stem)
        self.database.add(target, making, rule.double)

    def _special(self, name: str, prerequisites: list[Traced], recipe: tuple[Traced, ...] | None) -> None:
        names = [p.text for p in prerequisites]
        database = self.database
        database.mentioned.update(names)
        match name:
            case ".DEFAULT":
                if recipe is not None or not names:
                    database.default = recipe
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
                self.posix = True
                for variable, text in POSIX_VARIABLES.items():
                    self.run.variables.define(variable, Definition(literal(text), origin=Origin.DEFAULT))

    def _target_variable(self, targets: list[Traced], statement: Assignment) -> None:
        origin = Origin.OVERRIDE if Modifier.OVERRIDE in statement.modifiers else Origin.FILE
        for target in targets:
            key = target.shown
            if "%" in key:
                self._pattern_variable(key, statement, origin)
                continue
            self.database.mentioned.add(key.removeprefix("./"))
            frame = self.database.variables.setdefault(key.removeprefix("./"), {})
            with self.run.variables.within(frame):
                name = self._settable(statement, origin)
                if name is not None:
                    self._assign(frame, name, statement, origin)

    def _settable(self, statement: Assignment, origin: Origin) -> str | None:
        """The name of the variable, if it can be set."""
        name = self.run.expand(statement.name)
        outer = self.run.variables.globals.get(name.text)
        first = (Origin.COMMAND, Origin.ENVIRONMENT_OVERRIDE)
        fixed = outer is not None and outer.origin in first and origin is not Origin.OVERRIDE
        return None if HOLE_MARK in name.text or fixed else name.text

    def _assign(self, frame: dict[str, Definition], name: str, statement: Assignment, origin: Origin) -> None:
        definition = defined(self.run, name, statement, origin, frame.get(name), append=True)
        if definition is not None:
            frame[name] = replace(definition, exported=True) if Modifier.EXPORT in statement.modifiers else definition

    def _pattern_variable(self, key: str, statement: Assignment, origin: Origin) -> None:
        name = self._settable(statement, origin)
        if name is None:
            return
        simple: dict[str, Definition] = {}
        if statement.operator in (":=", "::=", "!="):
            self._assign(simple, name, statement, origin)
        variable = PatternVariable(key, name, statement, origin, simple.get(name))
        self.database.pattern_variables.append(variable)

    def specific(self, name: str) -> list[dict[str, Definition]]:
        """A target's variables: those of the patterns that it fits, then its own."""
        frames = []
        fitting = self.database.fitting(name) if self.database.pattern_variables else []
        if fitting:
            key = tuple(map(id, fitting))
            frame = self._frames.get(key)
            if frame is None:
                frame = self._frames[key] = {}
                with self.run.variables.within(frame):
                    for one in fitting:
                        if one.simple is not None:
                            frame[one.name] = one.simple
                        else:
                            self._assign(frame, one.name, one.statement, one.origin)
            frames.append(frame)
        own = self.database.variables.get(name)
        return [*frames, own] if own else frames


def _place(statement: RuleLine) -> str:
    """Where the rule is written, if its names are computed; else nothing."""
    pieces = statement.line.pieces
    if "$" not in statement.head.text and all([len(p.route) == 1 for p in pieces]):  # noqa: C419  (a list is faster)
        return ""
    at = next((piece.route[0] for piece in pieces if piece.route), None)
    return f"{at.path}:{at.start}" if at is not None else ""


def _plain_colon(text: str) -> int:
    """The first colon of expanded text that no backslash quotes."""
    at = text.find(":")
    while at >= 0 and (odd_backslashes(text, at) or _drive(text, at)):
        at = text.find(":", at + 1)
    return at


def _drive(text: str, at: int) -> bool:
    """Whether the colon belongs to ``C:/`` …"""
    return at > 0 and text[at - 1].isalpha() and (at == 1 or text[at - 2].isspace()) and text[at + 1 : at + 2] == "\\"
