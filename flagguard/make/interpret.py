"""Running a makefile's statements: what make does while it reads.

Leaves the global variables in the expander and the rules in the database. Manual: "How `make` Reads a Makefile",
"Including Other Makefiles", "Communicating Variables to a Sub-make", "Special Built-in Target Names".
"""

from collections.abc import Sequence
from contextlib import suppress

from flagguard import dpkg
from flagguard.make import choices, conditions
from flagguard.make.assign import defined
from flagguard.make.command_line import CommandLine, below, flags_of
from flagguard.make.expand import Expander, Stop
from flagguard.make.functions.names import below_curdir
from flagguard.make.lines import makefile_text, strip, words
from flagguard.make.reader import read
from flagguard.make.rulelines import RuleLines
from flagguard.make.syntax import (
    Arm,
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
from flagguard.text import EMPTY, HOLE_MARK, Traced, join, literal
from flagguard.values import dataclass, field, replace

NESTING = 40
"""How deep includes and evals may nest."""


@dataclass
class Interpreter:
    run: Expander
    exported: dict[str, bool] = field(default_factory=dict)
    included: list[str] = field(default_factory=list)
    """Paths from the root of what was included or looked for."""
    count: int = 0
    """Of the statements that were run."""
    options: CommandLine = field(default_factory=CommandLine)
    """How make is called."""
    given_flags: Definition | None = None
    """MAKEFLAGS as it is when no makefile has changed it."""
    include_paths: list[str] = field(default_factory=list)
    """-I"""
    makefiles: list[str] = field(default_factory=list)
    """The names of what is read or looked for: make makes them too, by its rules."""
    _nesting: int = 0

    def __post_init__(self) -> None:
        self.run.evaluate = self.evaluate_text
        self.rules = RuleLines(self.run, self.exported)
        self.database = self.rules.database

    def execute(self, makefile: Makefile) -> None:
        """Run all statements; raises :class:`Stop` where make would stop."""
        for fault in makefile.faults:
            self.run.tell(fault.line.route, fault.message, fault.fatal)
        self._statements(makefile.statements)
        self.rules.close()

    def evaluate_text(self, text: Traced) -> None:
        """``$(eval)``."""
        key = text.pieces
        known = self.run.shared.texts.get(key)
        if known is None:
            known = self.run.shared.texts[key] = read(text)
        if self._nesting >= NESTING:
            self.run.tell(text.route, "evals nest too deeply")
            return
        pending, self.rules.pending = self.rules.pending, None
        self._nesting += 1
        try:
            self.execute(known)
        finally:
            self._nesting -= 1
            self.rules.pending = pending

    def _statements(self, statements: tuple[Statement, ...]) -> None:
        self.count += len(statements)
        for statement in statements:
            match statement:
                case Assignment():
                    self.rules.close()
                    self.assign(statement)
                case RecipeLine():
                    self._recipe_line(statement)
                case RuleLine():
                    self.rules.close()
                    self.rules.line(statement)
                case Conditional():
                    self._conditional(statement)
                case Include():
                    self.rules.close()
                    self._include(statement)
                case Export():
                    self.rules.close()
                    self._export(statement)
                case Undefine():
                    self.rules.close()
                    name = self.run.expand(statement.name).text
                    old = self.run.variables.globals.get(name)
                    if old and (old.origin <= Origin.FILE or Modifier.OVERRIDE in statement.modifiers):
                        del self.run.variables.globals[name]
                case SearchPath():
                    self.rules.close()
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
        definition = defined(
            self.run, name.text, statement, origin, self.run.variables.globals.get(name.text), append=False
        )
        if definition is not None:
            self.run.variables.define(name.text, definition)
        if Modifier.EXPORT in statement.modifiers:
            self.exported[name.text] = True

    def set_flags(self, options: CommandLine) -> None:
        """MAKEFLAGS and MFLAGS of these options."""
        known = self.run.variables.globals
        level = self.run.value("MAKELEVEL").text
        self.options = options
        flags = options.makeflags(below=level != "0")
        dash = literal("-" if flags.text and not flags.text.startswith(" ") else "")
        known["MFLAGS"] = Definition(strip(join((dash, flags))), Flavor.SIMPLE, Origin.ENVIRONMENT)
        overrides = known.get("MAKEOVERRIDES")
        handed = overrides is not None and bool(overrides.value.text)
        text = join((flags, literal(" -- $(MAKEOVERRIDES)"))) if handed else flags
        self.given_flags = known["MAKEFLAGS"] = Definition(text, Flavor.RECURSIVE, Origin.FILE)

    def with_own_flags(self, value: Traced) -> CommandLine:
        """The options, with those that a value of MAKEFLAGS adds."""
        return below(self.options, replace(flags_of(value), directories=self.options.directories))

    def flags(self) -> Traced:
        """MAKEFLAGS for a sub-make."""
        value = self.run.value("MAKEFLAGS")
        overrides = self.run.value("MAKEOVERRIDES")
        if " -- " not in value.text and overrides.text.strip():
            value = join((value, literal(" -- "), overrides))
        if value.text.rstrip().endswith(" --"):
            value = value.cut(0, value.text.rindex(" --"))
        return value

    def _export(self, statement: Export) -> None:
        names = words(self.run.expand(statement.names))
        if not statement.names:
            self.rules.exports_all = statement.on
        for name in names:
            self.exported[name.text] = statement.on
            if self.run.variables.find(name.text) is None:
                self.run.variables.exported_empty.add(name.text)

    # -- conditionals

    def _conditional(self, statement: Conditional) -> None:
        possible: list[Arm] = []
        certain = False
        for arm in statement.arms:
            self.run.met_capped = False
            held = arm.test is None or self._holds(arm.test)
            doubtful, self.run.met_capped = self.run.met_capped, False
            if held or doubtful:
                possible.append(arm)
            certain = held and not doubtful
            if certain:
                break
        if certain and len(possible) == 1:
            self._statements(possible[0].body)
        elif possible:
            self._any_arm(possible, certain)

    def _any_arm(self, arms: Sequence[Arm], one_surely: bool) -> None:
        """No room to follow the arms apart: the rules of all, and of what they set differently each."""
        variables = self.run.variables
        before = variables.globals
        outcomes = [] if one_surely else [before]
        for arm in arms:
            variables.globals = dict(before)
            with suppress(Stop):
                self._statements(arm.body)
                outcomes.append(variables.globals)
        known = dict(before)
        for name in dict.fromkeys([n for outcome in outcomes for n in outcome]):
            definitions = [outcome.get(name) for outcome in outcomes]
            definition = definitions[0]
            if any([one is not definition for one in definitions]):  # noqa: C419  (most are the same in all)
                definition = choices.merged(name, definitions)
            if definition is not None:
                known[name] = definition
            else:
                known.pop(name, None)
        variables.globals = known

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
            found = run.folder.matching(name)
            for folder in self.include_paths:
                if not found and not name.startswith("/"):
                    found = run.folder.matching(f"{folder}/{name}")
            for one in found or [name]:
                self._include_file(one, statement)

    def _unread(self, name: str) -> None:
        self.run.unread = self.run.unread or name

    def _include_file(self, name: str, statement: Include) -> None:
        run = self.run
        path = run.folder.rooted(name)
        if path is not None and path not in self.included:
            self.included.append(path)
        source = run.folder.read(name)
        if source is None and name.startswith("/usr/share/dpkg/"):
            said = "DEB_BUILD_MAINT_OPTIONS" in run.variables.globals
            options = run.expand(literal("$(DEB_BUILD_MAINT_OPTIONS)")) if said else EMPTY
            known_text = options.text if options.known else None
            of_dpkg = dpkg.included(name, run.platform, run.variables.globals, known_text)
            if of_dpkg is not None:
                run.ask_platform()
                self.execute(read(literal(of_dpkg).grounded(statement.line.route)))
                return
        if source is None:
            self.makefiles.append(name)
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
        self.makefiles.append(name)
        listed = self.run.variables.globals.get("MAKEFILE_LIST")
        before = listed.value if listed else EMPTY
        added = literal(" " + name if before else name)
        self.run.variables.globals["MAKEFILE_LIST"] = Definition(join((before, added)))

    def _search_path(self, statement: SearchPath) -> None:
        parts = words(self.run.expand(statement.text))
        search = self.database.search
        if not parts:
            search.clear()
        elif len(parts) == 1:
            search[:] = [s for s in search if s[0] != parts[0].text]
        else:
            folders = [f.rstrip("/") or "/" for p in parts[1:] for f in p.text.split(":") if f]
            search.append((parts[0].text, folders))

    # -- rules

    def _recipe_line(self, statement: RecipeLine) -> None:
        if self.rules.recipe_line(statement.text):
            return
        again = self.run.shared.texts.get(statement.line.pieces)
        if again is None:
            again = self.run.shared.texts[statement.line.pieces] = read(statement.line)
        self._statements(again.statements)
