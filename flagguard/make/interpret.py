"""Running a makefile's statements: what make does while it reads.

Leaves the global variables in the expander and the rules in the database. Manual: "How `make` Reads a Makefile",
"Including Other Makefiles", "Communicating Variables to a Sub-make", "Special Built-in Target Names".
"""

from dataclasses import dataclass, field

from flagguard.make import conditions, defaults
from flagguard.make.expand import Expander, Stop
from flagguard.make.functions.control import shell_output
from flagguard.make.functions.names import below_curdir
from flagguard.make.functions.text import Pattern, find_percent
from flagguard.make.holes import Fit
from flagguard.make.lines import collapse, find_outside, makefile_text, odd_backslashes, strip, unquote, words
from flagguard.make.reader import assignment, read
from flagguard.make.rules import Database, Making, PatternRule
from flagguard.make.syntax import (
    Assignment,
    Conditional,
    Export,
    Include,
    Makefile,
    Modifier,
    Operator,
    RecipeLine,
    RuleLine,
    SearchPath,
    Statement,
    Test,
    Undefine,
)
from flagguard.make.variables import Definition, Flavor, Origin
from flagguard.make.worlds import Assumption, Kind
from flagguard.text import EMPTY, HOLE_MARK, Piece, Traced, join, literal

NESTING = 40
"""How deep includes and evals may nest."""
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
    recipe: list[Traced] = field(default_factory=list)
    has_recipe: bool = False


@dataclass
class Interpreter:
    run: Expander
    database: Database = field(default_factory=Database)
    exported: dict[str, bool] = field(default_factory=dict)
    exports_all: bool = False
    included: list[str] = field(default_factory=list)
    """Paths from the root of what was included or looked for."""
    pending: _Pending | None = None
    stopped: bool = False
    _nesting: int = 0

    def __post_init__(self) -> None:
        self.run.evaluate = self.evaluate_text

    def execute(self, makefile: Makefile) -> None:
        """Run all statements; raises :class:`Stop` where make would stop."""
        for fault in makefile.faults:
            self.run.tell(fault.line.route, fault.message, fault.fatal)
        self._statements(makefile.statements)
        self.close_rule()

    def evaluate_text(self, text: Traced) -> None:
        """``$(eval)``."""
        key = text.pieces
        known = self.run.shared.texts.get(key)
        if known is None:
            known = self.run.shared.texts[key] = read(text)
        if self._nesting >= NESTING:
            self.run.tell(text.route, "evals nest too deeply")
            return
        pending, self.pending = self.pending, None
        self._nesting += 1
        try:
            self.execute(known)
        finally:
            self._nesting -= 1
            self.pending = pending

    def _statements(self, statements: tuple[Statement, ...]) -> None:
        for statement in statements:
            match statement:
                case Assignment():
                    self.close_rule()
                    self.assign(statement)
                case RecipeLine():
                    self._recipe_line(statement)
                case RuleLine():
                    self.close_rule()
                    self._rule_line(statement)
                case Conditional():
                    self._conditional(statement)
                case Include():
                    self.close_rule()
                    self._include(statement)
                case Export():
                    self.close_rule()
                    self._export(statement)
                case Undefine():
                    self.close_rule()
                    name = self.run.expand(statement.name).text
                    old = self.run.variables.globals.get(name)
                    if old and (old.origin < Origin.COMMAND or Modifier.OVERRIDE in statement.modifiers):
                        del self.run.variables.globals[name]
                case SearchPath():
                    self.close_rule()
                    self._search_path(statement)

    # -- variables

    def assign(self, statement: Assignment) -> None:
        name = self.run.expand(statement.name)
        if HOLE_MARK in name.text:
            self.run.tell(statement.line.route, f"the name of the variable is not known: {name.shown}", fatal=False)
            return
        override = Modifier.OVERRIDE in statement.modifiers
        origin = Origin.OVERRIDE if override else Origin.FILE
        if not name.text:
            self.run.tell(statement.line.route, "empty variable name")
            return
        definition = self.defined(name.text, statement, origin, self.run.variables.globals.get(name.text), append=False)
        if definition is not None:
            self.run.variables.define(name.text, definition)
            if name.text == "MAKEFLAGS":
                self._make_flags(definition.value.text)
        if Modifier.EXPORT in statement.modifiers:
            self.exported[name.text] = True

    def _make_flags(self, text: str) -> None:
        for index, word in enumerate(text.split()):
            short = word.startswith("-") and not word.startswith("--")
            letters = word.lstrip("-") if short or (index == 0 and "=" not in word and not word.startswith("-")) else ""
            if word in ("--no-builtin-rules", "--no-builtin-variables") or "r" in letters or "R" in letters:
                self.database.built_in = False

    def defined(
        self, name: str, statement: Assignment, origin: Origin, old: Definition | None, append: bool
    ) -> Definition | None:
        """What the assignment makes of the variable; None where it changes nothing."""
        run = self.run
        private = Modifier.PRIVATE in statement.modifiers
        value = statement.value
        match statement.operator:
            case "=":
                return Definition(value, Flavor.RECURSIVE, origin, private=private)
            case ":=" | "::=":
                return Definition(run.expand(value), Flavor.SIMPLE, origin, private=private)
            case ":::=":
                return Definition(_escaped(run.expand(value)), Flavor.RECURSIVE, origin, private=private)
            case "?=":
                if run.variables.find(name) is not None:
                    return None
                return Definition(value.overridable(), Flavor.RECURSIVE, origin, private=private, conditional=True)
            case "!=":
                command = run.expand(value)
                output = shell_output(run, command, join((literal("$(shell "), value, literal(")"))))
                return Definition(output, Flavor.SIMPLE, origin, private=private)
        return self._appended(name, value, origin, old, append, private)

    def _appended(
        self, name: str, value: Traced, origin: Origin, old: Definition | None, append: bool, private: bool
    ) -> Definition | None:
        run = self.run
        if old is None:
            if not append and self._may_be_set(name):
                old = Definition(run.undefined(name), Flavor.SIMPLE, Origin.ENVIRONMENT)
                joined = join((old.value, literal(" "), value))
                return Definition(joined, Flavor.RECURSIVE, origin, private=private)
            return Definition(value, Flavor.RECURSIVE, origin, appends=append, private=private)
        if old.origin > origin:
            return None
        if old.origin is Origin.DEFAULT and run.unread is not None and name.isupper():
            old = Definition(run.value(name), Flavor.RECURSIVE, origin)
        more = value if old.recursive else run.expand(value)
        if not more:
            return None
        joined = join((old.value, literal(" "), more)) if old.value else more
        return Definition(joined, old.flavor, origin, old.appends and append, private, old.conditional)

    def _may_be_set(self, name: str) -> bool:
        return self.run.unread is not None and not name.startswith(".")

    def _export(self, statement: Export) -> None:
        names = words(self.run.expand(statement.names))
        if not statement.names:
            self.exports_all = statement.on
        for name in names:
            self.exported[name.text] = statement.on

    # -- conditionals

    def _conditional(self, statement: Conditional) -> None:
        for arm in statement.arms:
            if arm.test is None or self._holds(arm.test):
                self._statements(arm.body)
                return

    def _holds(self, test: Test) -> bool:
        run = self.run
        match test.operator:
            case Operator.IFEQ:
                return conditions.equal(run, test.left, test.right)
            case Operator.IFNEQ:
                return not conditions.equal(run, test.left, test.right)
            case Operator.IFDEF | Operator.IFNDEF:
                name = strip(run.expand(test.left)).text
                return conditions.is_defined(run, name) is (test.operator is Operator.IFDEF)
        name = test.left.text.strip()
        negated, name = name.startswith("!"), name.lstrip("!")
        key = f"@{name}@"
        held = key in run.assumed
        run.assume_open(Assumption(key, Kind.TRUE, f"{name} holds", f"{name} does not hold", variable=False))
        return held is not negated

    # -- includes

    def _include(self, statement: Include) -> None:
        run = self.run
        for word in words(run.expand(statement.names)):
            name = word.text
            if not word.known:
                rest = below_curdir(word)
                if rest is None or HOLE_MARK in rest:
                    if not statement.optional:
                        self._unread(word.shown)
                    continue
                name = rest
            found = run.folder.matching(name) or [name]
            for one in found:
                self._include_file(one, statement)

    def _unread(self, name: str) -> None:
        self.run.unread = self.run.unread or name

    def _include_file(self, name: str, statement: Include) -> None:
        run = self.run
        path = run.folder.rooted(name)
        if path is not None and path not in self.included:
            self.included.append(path)
        source = run.folder.read(name)
        if source is None:
            if not statement.optional:
                self._unread(name)
            return
        if self._nesting >= NESTING:
            run.tell(statement.line.route, "includes nest too deeply")
            return
        self.note_makefile(name)
        text = makefile_text(source)
        known = run.shared.texts.get(text.pieces)
        if known is None:
            known = run.shared.texts[text.pieces] = read(text)
        self._nesting += 1
        try:
            self.execute(known)
        finally:
            self._nesting -= 1

    def note_makefile(self, name: str) -> None:
        listed = self.run.variables.globals.get("MAKEFILE_LIST")
        before = listed.value if listed else EMPTY
        self.run.variables.globals["MAKEFILE_LIST"] = Definition(join((before, literal(" " + name))))

    def _search_path(self, statement: SearchPath) -> None:
        parts = words(self.run.expand(statement.text))
        search = self.database.search
        if not parts:
            search.clear()
        elif len(parts) == 1:
            search[:] = [s for s in search if s[0] != parts[0].text]
        else:
            folders = [f for p in parts[1:] for f in p.text.split(":") if f]
            search.append((parts[0].text, folders))

    # -- rules

    def _recipe_line(self, statement: RecipeLine) -> None:
        if self.pending is not None:
            self.pending.recipe.append(statement.text)
            self.pending.has_recipe = True
            return
        again = self.run.shared.texts.get(statement.line.pieces)
        if again is None:
            again = self.run.shared.texts[statement.line.pieces] = read(statement.line)
        for one in again.statements:
            if isinstance(one, RuleLine) and self.run.expand(one.head).text.strip():
                self.run.tell(statement.line.route, "recipe commences before first target")
                return
        self._statements(again.statements)

    def _rule_line(self, statement: RuleLine) -> None:
        run = self.run
        head = statement.head
        colon = find_outside(head.text, ":")
        names = run.expand(head if colon < 0 else head.cut(0, colon))
        inner = _plain_colon(names.text)
        expanded = inner >= 0 or colon < 0
        if expanded:
            names = names if colon < 0 else run.expand(head)
            colon = _plain_colon(names.text)
            if colon < 0:
                self._no_rule(names, statement)
                return
            names, rest = names.cut(0, colon), names.cut(colon + 1, len(names))
        else:
            rest = head.cut(colon + 1, len(head))
        if names.text.endswith("&"):
            names = names.cut(0, len(names.text) - 1)
        targets = [unquote(t, "\\:# ") for t in words(names)]
        double = rest.text.startswith(":")
        if double:
            rest = rest.cut(1, len(rest))
        if not targets:
            return
        specific = assignment(rest)
        if specific is not None:
            if statement.recipe is not None:
                tail = collapse(join((literal(";"), statement.recipe)))
                specific = assignment(join((rest, tail))) or specific
            self._target_variable(targets, specific)
            return
        self._rule(targets, rest if expanded else run.expand(rest), double, statement)

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
        for word in words(rest):
            if word.text == "|":
                into = order_only
                continue
            into.extend(self._named(word))
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

    def close_rule(self) -> None:
        rule, self.pending = self.pending, None
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
        self.database.add(name, making, rule.double)

    def _static_pattern(self, target: Traced, rule: _Pending, recipe: tuple[Traced, ...] | None) -> None:
        assert rule.pattern is not None
        pattern = Pattern(rule.pattern)
        if pattern.fits(target.text) is not Fit.YES:
            self.run.tell(target.route, f"target {target.shown} doesn't match the target pattern", fatal=False)
            return
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
                definition = self.defined(name.text, statement, origin, frame.get(name.text), append=True)
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


def _escaped(value: Traced) -> Traced:
    """``:::=``: dollars doubled, so that a later expansion gives the same."""
    if "$" not in value.text:
        return value
    parts, at = [], 0
    for index, character in enumerate(value.text):
        if character == "$":
            parts += [value.cut(at, index + 1), literal("$")]
            at = index + 1
    return join((*parts, value.cut(at, len(value))))


def start_variables(run: Expander) -> None:
    """make's own variables, as they are before the makefile is read."""
    known = run.variables.globals
    for name, text in defaults.VARIABLES.items():
        known[name] = Definition(literal(text), Flavor.RECURSIVE, Origin.DEFAULT)
    for name, text in defaults.SIMPLE.items():
        known[name] = Definition(literal(text), Flavor.SIMPLE, Origin.DEFAULT)
