"""From the rules to scripts: which targets are made, in which context, and what their recipes give to the shell.

Manual: "Recipe Syntax", "Recipe Execution", "Automatic Variables", "Target-specific Variable Values". Knows nothing of
what stands in the shell text.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from posixpath import basename

from flagguard.command import Dialect, Place, Script, Variable
from flagguard.make import conditions
from flagguard.make.command_line import assignment
from flagguard.make.expand import Stop
from flagguard.make.functions.text import find_percent
from flagguard.make.interpret import Interpreter
from flagguard.make.lines import closing, collapse, odd_backslashes, spaced, words
from flagguard.make.outcome import Distinct
from flagguard.make.rules import Making, PatternRule, Recipe
from flagguard.make.search import Found, Search
from flagguard.make.variables import Definition, Flavor, Frame, Origin
from flagguard.patterns import expression
from flagguard.text import EMPTY, HOLE_MARK, Decider, Hole, Piece, Route, Shape, Traced, hole, join, literal
from flagguard.values import dataclass, field, replace

HOST = "makefile"
CONTEXTS = 16
"""In how many contexts (inherited target-specific variables) one target is read."""

_PREFIX = expression(r"[ \t@+-]*")
_NAME = expression(r"[A-Za-z_][A-Za-z0-9_]*$")
_SHELL_TEST = expression(r"\[\[?\s[^\n;]*?\s\]|\btest\s[^;|&]*|\bcase\s.*?\sin\b")
_STEM = Hole("$*", "any file that fits the pattern", Decider.OUTSIDE, Shape.PATH)
_DIALECTS = {"sh": Dialect.SH, "dash": Dialect.SH, "ash": Dialect.SH, "ksh": Dialect.BASH, "bash": Dialect.BASH,
             "zsh": Dialect.BASH, "busybox": Dialect.SH}  # fmt: skip


def _derived(text: str) -> Definition:
    return Definition(literal(text), Flavor.RECURSIVE, Origin.AUTOMATIC)


# $(@D) and $(@F) and their like. Manual: "Automatic Variables".
_PARTS: dict[str, Definition] = {
    name: definition
    for one in "@*<%^+?"
    for name, definition in (
        (f"{one}D", _derived(f"$(patsubst %/,%,$(dir ${one}))")),
        (f"{one}F", _derived(f"$(notdir ${one})")),
    )
}


@dataclass(frozen=True, slots=True)
class _Visit:
    """A target in a context."""

    name: Traced
    chain: tuple[Frame, ...] = ()
    goal: str | None = None
    """The goal whose variables the target inherits."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One way to make a target, with what the implicit rule adds."""

    making: Making
    found: Found | None
    names: list[Traced]
    """The prerequisites."""
    order_only: list[Traced]
    together: tuple[str, ...]
    """The targets that one run of the recipe makes."""
    own: list[dict[str, Definition]]
    """Target-specific variables, the outermost first."""


@dataclass
class Recipes:
    """The scripts of one run."""

    interpreter: Interpreter
    _distinct: Distinct = field(default_factory=Distinct)
    _used_patterns: set[int] = field(default_factory=set)
    _contexts: dict[str, int] = field(default_factory=dict)
    _env: tuple[Variable, ...] | None = None
    _saved: dict[str, Definition] | None = None

    def __post_init__(self) -> None:
        self.run = self.interpreter.run
        self.database = self.interpreter.database
        self.run.evaluate = self._evaluate_in_recipe
        self.run.settle()
        folders = [f for w in words(self.run.value("VPATH")) for f in w.text.split(":") if f]
        self.search = Search(self.database, self.run.folder, folders, self.run.shared.searches)

    def _evaluate_in_recipe(self, text: Traced) -> None:
        """What a recipe's ``$(eval)`` changes stays in that target: nobody knows which targets make runs before."""
        if self._saved is None:
            self._saved = dict(self.run.variables.globals)
        self.run.settled = False
        self.run.valid.clear()
        self.interpreter.evaluate_text(text)

    def of_file(self) -> list[Script]:
        """Every target of the makefile, and every pattern rule."""
        self.inner_commands(None, ())
        roots = [_Visit(self.database.targets[g].name) for g in self.database.goals]
        self._visit(roots)
        for rule in self.database.patterns:
            if id(rule) not in self._used_patterns:
                self._abstract(rule)
        return [entry.script for entry in self._distinct.entries]

    def of_goals(self, goals: Sequence[str]) -> list[Script]:
        """What ``make GOALS`` runs; without goals the default goal."""
        self.inner_commands(None, ())
        names = list(goals) or self.default_goal()
        targets = self.database.targets
        self._visit_once([_Visit(targets[g].name if g in targets else literal(g)) for g in names])
        return [entry.script for entry in self._distinct.entries]

    def default_goal(self) -> list[str]:
        given = self.run.value(".DEFAULT_GOAL").text.strip()
        if given:
            return [given]
        return [g for g in self.database.goals if not g.startswith(".") or "/" in g][:1]

    # -- which targets

    def _visit(self, roots: list[_Visit]) -> None:
        """Each target in each context in which a goal reaches it."""
        seen: set[tuple[object, ...]] = set()
        pending = deque(roots)
        while pending:
            visit = pending.popleft()
            shown = visit.name.shown
            if shown not in self.database.targets and self.search.rule(visit.name) is None:
                continue
            key = (shown, *map(id, visit.chain))
            if key in seen or self._contexts.get(shown, 0) >= CONTEXTS:
                continue
            seen.add(key)
            self._contexts[shown] = self._contexts.get(shown, 0) + 1
            steps = self._steps(visit)
            self._emit(visit, steps)
            following = [
                v for v in self._following(visit, steps) if v.chain or v.name.shown not in self.database.targets
            ]
            pending.extend(following)

    def _visit_once(self, roots: list[_Visit]) -> None:
        """Each target once, prerequisites first, as make does."""
        seen: set[str] = set()
        pending: list[tuple[_Visit, list[_Step] | None]] = [(v, None) for v in reversed(roots)]
        while pending:
            visit, ready = pending.pop()
            if ready is not None:
                self._emit(visit, ready)
                continue
            if visit.name.shown in seen:
                continue
            seen.add(visit.name.shown)
            for step in reversed(self._steps(visit)):
                seen.update(step.together)
                pending.append((visit, [step]))
                pending.extend((v, None) for v in reversed(self._following(visit, [step])))

    def _steps(self, visit: _Visit) -> list[_Step]:
        """The ways to make a target, implicit rules found."""
        shown = visit.name.shown
        target = self.database.targets.get(shown)
        own = list(self.database.specific(shown))
        steps = []
        for making in target.makings if target else [Making()]:
            found: Found | None = None
            if making.recipe is None and shown not in self.database.phony:
                found = self.search.rule(visit.name)
            names, order_only = making.prerequisites, making.order_only
            if found is not None:
                names = [*found.prerequisites, *names]
                order_only = [*order_only, *found.order_only]
                self._used_patterns.add(id(found.rule))
            with self.run.variables.within(*visit.chain, *own):
                names = self._second(names, visit.name, making.stem)
            together = found.together if found is not None else making.together
            steps.append(_Step(making, found, names, order_only, together, own))
        return steps

    def _following(self, visit: _Visit, steps: list[_Step]) -> list[_Visit]:
        """The prerequisites, each in its context."""
        own = steps[0].own if steps else []
        inherited = [
            {n: d for n, d in frame.items() if not d.private} if any(d.private for d in frame.values()) else frame
            for frame in own
        ]
        chain = (*visit.chain, *(f for f in inherited if f))
        goal = visit.goal or (visit.name.shown if chain else None)
        return [_Visit(name, chain, goal) for step in steps for name in (*step.names, *step.order_only)]

    def _emit(self, visit: _Visit, steps: list[_Step]) -> None:
        for step in steps:
            with self.run.variables.within(*visit.chain, *step.own):
                self._recipe(visit, step)

    def _second(self, names: list[Traced], target: Traced, stem: Traced | None) -> list[Traced]:
        """``.SECONDEXPANSION``."""
        if not self.database.second_expansion or not any("$" in n.text for n in names):
            return names
        frame = automatic(target, [], [], stem or EMPTY)
        with self.run.variables.within(frame):
            return [w for n in names for w in words(self.run.expand(n))]

    def _recipe(self, visit: _Visit, step: _Step) -> None:
        making, found = step.making, step.found
        recipe = making.recipe
        stem = making.stem
        place = visit.name.shown
        site: Route = ()
        if recipe is None and found is not None:
            recipe, stem = found.rule.recipe, found.stem
            if found.rule.built_in:
                site = visit.name.route
            else:
                place = found.rule.targets[0].shown
        if not recipe:
            return
        if stem is None:
            stem = _stem_of(visit.name, self.database.suffixes)
        located = [self.search.located(n) for n in step.names]
        with self.run.variables.within(automatic(visit.name, located, step.order_only, stem)):
            self._scripts(recipe, place, visit, bool(visit.chain or step.own), site)

    def _abstract(self, rule: PatternRule) -> None:
        """A pattern rule that no file of the tree fits: its stem is a hole."""

        def filled(name: Traced) -> Traced:
            at = find_percent(name.text)
            return name if at < 0 else join((name.cut(0, at), hole(_STEM), name.cut(at + 1, len(name))))

        target = filled(rule.targets[0])
        own = [f for text, f in self.database.pattern_variables if text == rule.targets[0].text]
        names = [filled(p) for p in rule.prerequisites]
        frame = automatic(target, names, [filled(p) for p in rule.order_only], hole(_STEM))
        with self.run.variables.within(*own, frame):
            self._scripts(rule.recipe, rule.targets[0].shown, _Visit(target), bool(own), ())

    # -- one recipe

    def _scripts(self, recipe: Recipe, place: str, visit: _Visit, specific: bool, site: Route) -> None:
        self._saved = None
        told = len(self.run.told)
        try:
            made = list(self._lines(recipe, site, visit))
            env = self._environment(specific)
            dialect, errexit, pipefail = self._shell()
        except Stop as stop:
            if stop.fatal:
                del self.run.told[told:]
                self.run.tell(stop.route, stop.message)
            return
        finally:
            if self._saved is not None:
                self.run.variables.globals = self._saved
                self.run.settled = True
                self._saved = None
        when = (f"goal {visit.goal}",) if visit.goal is not None and visit.chain else ()
        unit = " ".join((visit.name.shown, *when))
        self.inner_commands(place, when, unit)
        ignored = self.database.ignores_all or visit.name.shown in self.database.ignored
        for text, dashed in made:
            self._add(
                Script(
                    Place(HOST, target=place), dialect, text, env=env, when=when, errexit=errexit, pipefail=pipefail,
                    ignored=dashed or ignored, directory=self.run.folder.path, unit=unit,
                )
            )  # fmt: skip

    def _lines(self, recipe: Recipe, site: Route, visit: _Visit) -> Iterator[tuple[Traced, bool]]:
        """The texts that make hands to the shell, one by one, and whether their failure is ignored."""
        if self.database.one_shell and len(recipe) > 1:
            yield from self._one_shell(recipe)
            return
        for line in recipe:
            for text in self._prepared(line, site):
                dashed = "-" in text.text[: _prefix_end(text.text)]
                self._tests(text)
                expanded = self.run.remembered(text, visit.name.shown)
                for part in split_lines(expanded):
                    end = _prefix_end(part.text)
                    command = part.cut(end, len(part))
                    if command.text.strip():
                        yield command, dashed or "-" in part.text[:end]

    def _prepared(self, line: Traced, site: Route) -> list[Traced]:
        """The lines to expand, the same values each time."""
        key = (line.pieces if site else id(line), site)
        known = self.run.shared.lines.get(key)
        if known is None or known[0] is not line:
            found = [collapse_in_references(physical) for physical in _recipe_lines(line)]
            if site:
                found = [Traced(tuple(Piece(p.text, site) for p in text.pieces)) for text in found]
            known = self.run.shared.lines[key] = (line, found)
        return known[1]

    def _tests(self, text: Traced) -> None:
        """A shell test of a variable that nobody sets: that somebody sets it is another world."""
        if "$(" not in text.text and "${" not in text.text:
            return
        for match in _SHELL_TEST.finditer(text.text):
            if "$" in match[0]:
                conditions.note_test(self.run, text.cut(match.start(), match.end()))

    def _one_shell(self, recipe: Recipe) -> Iterator[tuple[Traced, bool]]:
        parts: list[Traced] = []
        dashed = False
        for index, line in enumerate(recipe):
            expanded = self.run.expand(collapse_in_references(line))
            end = _prefix_end(expanded.text)
            dashed = dashed or (index == 0 and "-" in expanded.text[:end])
            parts += [expanded.cut(end, len(expanded)), literal("\n")]
        script = join(parts[:-1])
        if script.text.strip():
            yield script, dashed

    def _add(self, script: Script) -> None:
        if not (script.when and self._distinct.find(replace(script, when=()))):
            self._distinct.add(script, 0)

    def inner_commands(self, target: str | None, when: tuple[str, ...], unit: str = "") -> None:
        """The commands inside ``$(shell …)`` that were met since the last time."""
        for text in self.run.commands:
            place, folder = Place(HOST, target=target), self.run.folder.path
            self._add(Script(place, Dialect.SH, text, when=when, ignored=True, directory=folder, unit=unit))
        self.run.commands.clear()

    # -- its surroundings

    def _shell(self) -> tuple[Dialect, bool, bool]:
        shell = self.run.value("SHELL")
        words_of_shell = shell.text.split() or ["sh"]
        name = basename(words_of_shell[0])
        if name == "env" and len(words_of_shell) > 1:
            name = words_of_shell[-1]
        name = name.removesuffix(".exe")
        dialect = Dialect.SH if HOLE_MARK in name else _DIALECTS.get(name, Dialect.UNREAD)
        flags = self.run.value(".SHELLFLAGS").text.split()
        errexit = any(f.startswith("-") and not f.startswith("--") and "e" in f[1:] for f in flags)
        return dialect, errexit, "pipefail" in flags

    def _environment(self, specific: bool) -> tuple[Variable, ...]:
        if not specific and self._env is not None:
            return self._env
        exported = self.interpreter.exported
        names = [n for n, on in exported.items() if on]
        if self.interpreter.rules.exports_all:
            known = self.run.variables.globals
            names += [
                n
                for n, d in known.items()
                if n not in exported
                and d.origin >= Origin.FILE
                and _NAME.match(n)
                and n not in ("MAKEFILE_LIST", "SHELL", "CURDIR")
            ]
        env = tuple(Variable(n, self.run.value(n)) for n in names if self.run.variables.find(n) is not None)
        env = (*env, *self._flags())
        if not specific:
            self._env = env
        return env

    def _flags(self) -> tuple[Variable, ...]:
        """MAKEFLAGS, where it hands variables of the command line to sub-makes (manual 5.7.2, MAKEOVERRIDES)."""
        overrides = self.interpreter.overrides
        kept = self.run.variables.find("MAKEOVERRIDES")
        if not overrides or (kept is not None and kept.origin is not Origin.DEFAULT and not kept.value.text.strip()):
            return ()
        parts = [self.run.value("MAKEFLAGS"), literal(" --")]
        for name, value in overrides.items():
            parts += [literal(" "), assignment(name, value)]
        return (Variable("MAKEFLAGS", join(parts)),)


def automatic(target: Traced, names: list[Traced], order_only: list[Traced], stem: Traced) -> dict[str, Definition]:
    """The automatic variables."""
    unique = list({n.shown: n for n in reversed(names)}.values())[::-1]

    def fixed(value: Traced) -> Definition:
        return Definition(value, origin=Origin.AUTOMATIC)

    once = fixed(spaced(unique))
    return {
        "@": fixed(target),
        "<": fixed(names[0] if names else EMPTY),
        "^": once,
        "+": fixed(spaced(names)),
        "?": once,
        "|": fixed(spaced(list({n.shown: n for n in order_only}.values()))),
        "*": fixed(stem),
        "%": fixed(EMPTY),
        **_PARTS,
    }


def _stem_of(name: Traced, suffixes: list[str]) -> Traced:
    """``$*`` in an explicit rule: the target without a suffix that make knows."""
    for suffix in suffixes:
        if name.text.endswith(suffix) and len(name.text) > len(suffix):
            return name.cut(0, len(name.text) - len(suffix))
    return EMPTY


def _prefix_end(text: str) -> int:
    match = _PREFIX.match(text)
    return match.end() if match else 0


def _recipe_lines(line: Traced) -> list[Traced]:
    """The lines of a recipe that a variable holds, as make cuts them before expansion."""
    return [line] if "\n" not in line.text else split_lines(line)


def split_lines(text: Traced) -> list[Traced]:
    """At each newline that no backslash quotes."""
    source = text.text
    if "\n" not in source:
        return [text]
    parts, at, search = [], 0, 0
    while True:
        found = source.find("\n", search)
        if found < 0:
            break
        search = found + 1
        if odd_backslashes(source, found):
            continue
        parts.append(text.cut(at, found))
        at = search
    parts.append(text.cut(at, len(source)))
    return parts


def collapse_in_references(line: Traced) -> Traced:
    """Backslash-newlines inside references become one space; those outside are the shell's."""
    text = line.text
    if "\\\n" not in text or "$" not in text:
        return line
    parts: list[Traced] = []
    at = 0
    dollar = text.find("$")
    while dollar >= 0:
        following = text[dollar + 1 : dollar + 2]
        if following in ("(", "{"):
            end = closing(text, dollar + 1)
            if end < 0:
                break
            if "\n" in text[dollar:end]:
                parts += [line.cut(at, dollar), collapse(line.cut(dollar, end + 1))]
                at = end + 1
            dollar = text.find("$", end + 1)
        else:
            dollar = text.find("$", dollar + 2)
    parts.append(line.cut(at, len(text)))
    return join(parts)
