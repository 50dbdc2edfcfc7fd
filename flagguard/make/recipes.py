"""From the rules to scripts: which targets are made, in which context, and what their recipes give to the shell.

Manual: "Recipe Syntax", "Recipe Execution", "Automatic Variables", "Target-specific Variable Values". Knows nothing of
what stands in the shell text.
"""

from collections import deque
from collections.abc import Iterator, Sequence

from flagguard.command import Alike, Dialect, Place, Script, Variable
from flagguard.make import conditions, perhaps
from flagguard.make.automatic import Automatic, stem_of
from flagguard.make.emitted import KEPT, Emitted, recorded
from flagguard.make.expand import Stop
from flagguard.make.interpret import Interpreter
from flagguard.make.lines import words
from flagguard.make.moulds import Moulds
from flagguard.make.outcome import Distinct
from flagguard.make.recipe_lines import collapse_in_references, commands, physical_lines, prefix_end
from flagguard.make.rules import Making, PatternRule, Recipe
from flagguard.make.search import Found, Search
from flagguard.make.second import SecondExpansion
from flagguard.make.surroundings import Surroundings, before_text
from flagguard.make.variables import Definition, Frame
from flagguard.make.visits import STEM, Step, Visit, filled, needed
from flagguard.patterns import expression
from flagguard.renaming import written
from flagguard.text import EMPTY, Decider, Hole, Piece, Route, Shape, Traced, hole, join, literal
from flagguard.values import dataclass, field, replace

HOST = "makefile"
UNKNOWN = 64
"""Of how many needed files, whose names are not known, each is looked for by itself."""
CONTEXTS = 16
"""In how many contexts (inherited target-specific variables) one target is read."""

_MAKE = expression(r"(?i)make")
"""Text that may call make, or use what make hands to a sub-make."""
_CALLS_MAKE = expression(r"\$[({]MAKE[)}]")
_HEADERS = (".d", ".dd", ".dep", ".deps", ".depend", ".Po", ".P")
"""What files are called that a compiler's `-M` writes."""
_MISSING = Hole("$@", "any file that no rule makes", Decider.OUTSIDE, Shape.PATH)


@dataclass
class Recipes:
    """The scripts of one run."""

    interpreter: Interpreter
    _distinct: Distinct = field(default_factory=Distinct)
    _used_patterns: set[int] = field(default_factory=set)
    _contexts: dict[str, int] = field(default_factory=dict)
    _used_default: bool = False
    _whole: bool = True
    """Every line is run, not just those that -n leaves."""
    _saved: dict[str, Definition] | None = None
    _has_env: bool = False
    _reached: set[str] = field(default_factory=set)
    _unknown: list[Visit] = field(default_factory=list)
    """Needed files of which the repository decides the names, and nobody can see how."""

    def __post_init__(self) -> None:
        self.run = self.interpreter.run
        self.database = self.interpreter.database
        self.run.evaluate = self._evaluate_in_recipe
        known = self.run.variables.globals
        if any(definition.private for definition in known.values()):
            self.run.variables.globals = {n: d for n, d in known.items() if not d.private}
        self.run.settle()
        self.database.convert_suffix_rules(self.interpreter.rules.posix)
        self.around = Surroundings(self.interpreter)
        folders = [f.rstrip("/") or "/" for w in words(self.run.value("VPATH")) for f in w.text.split(":") if f]
        libraries = self.run.value(".LIBPATTERNS").text.split()
        self.moulds = Moulds(self.run, commands)
        exported = tuple(sorted(name for name, on in self.interpreter.exported.items() if on))
        self._facts = (exported, self.interpreter.rules.exports_all, tuple(self.database.suffixes))
        self.second = SecondExpansion(self.run, self.interpreter.rules)
        self.second.expand_all()
        searches = self.run.shared.searches
        self.search = Search(
            self.database, self.run.folder, folders, searches, self.second.of_rule, libraries=libraries
        )

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
        roots = [Visit(self.database.targets[g].name) for g in self.database.goals]
        self._visit(roots)
        for rule in self.database.patterns:
            if id(rule) not in self._used_patterns and rule.recipe:
                self._abstract(rule)
        if self.database.default and not self._used_default:
            values = Automatic(hole(_MISSING), [], [], EMPTY)
            self._scripts(self.database.default, ".DEFAULT", Visit(hole(_MISSING)), (), values, ())
        return [entry.script for entry in self._distinct.entries]

    def of_goals(self, goals: Sequence[str]) -> list[Script]:
        """What ``make GOALS`` runs; without goals the default goal."""
        self.inner_commands(None, ())
        names = list(goals) or self.default_goal()
        targets = self.database.targets
        self.search.mention(names)
        makefiles = [m for m in dict.fromkeys(self.interpreter.makefiles) if self._remade(m)]
        self._tell_made(makefiles)
        self._whole = True  # makefiles are made even under -n
        for group in (makefiles, names):
            self._visit_once([Visit(targets[g].name if g in targets else literal(g)) for g in group])
            self._whole = not self.interpreter.options.only_marked
        while self.run.beyond is not None and self._unknown:
            self._visit_once(self._meant())
        return [entry.script for entry in self._distinct.entries]

    def _meant(self) -> list[Visit]:
        """The files that the names which are not known may be, each where it is needed."""
        unknown, self._unknown = self._unknown, []
        targets = self.database.targets
        files = [targets[g].name for g in self.database.goals if g not in self.database.phony]
        if len(unknown) > UNKNOWN:
            return [Visit(name) for name in files]
        names = [(visit, name) for visit in unknown for name in perhaps.meant(visit.name, files)]
        return [
            Visit(targets[name.shown].name if name.shown in targets else name, visit.chain, visit.goal)
            for visit, name in names
        ]

    def _tell_made(self, makefiles: Sequence[str]) -> None:
        """What a makefile says that a recipe writes is not known; lists of headers hold no commands."""
        for name in makefiles:
            target = self.database.targets.get(name)
            if target is None or name.endswith(_HEADERS) or self.run.folder.exists(name):
                continue
            if any(making.recipe for making in target.makings):
                told = f"{name} is read once this rule has made it; what it says is not known"
                self.run.tell(target.name.route, told, fatal=False)

    def started(self) -> tuple[str, ...]:
        """What is made where nobody names a goal: the default goal, first, and all that it needs."""
        targets = self.database.targets
        pending = deque(Visit(targets[g].name if g in targets else literal(g)) for g in self.default_goal())
        names = {visit.unit: visit for visit in pending}
        while pending:
            visit = pending.popleft()
            more = {v.unit: v for v in self._following(visit, self._steps(visit)) if v.unit not in names}
            names.update(more)
            pending.extend(more.values())
        return tuple(names)

    def goals_met(self) -> tuple[str, ...]:
        """What was reached that hands variables on, whether or not it has a recipe."""
        return tuple(sorted(name for name in self._reached if name in self.database.variables))

    def patterns(self) -> tuple[str, ...]:
        """The pattern rules by which something was made, as they are called where they are read alone."""
        used = (rule for rule in self.database.patterns if id(rule) in self._used_patterns)
        return tuple(filled(rule.targets[0]).shown for rule in used)

    def named(self) -> str:
        """What the computed names come to."""
        return written(self.database.written, self.database.implied)

    def _remade(self, makefile: str) -> bool:
        """Whether make makes a makefile before it starts again: one that a rule makes (manual 3.5)."""
        target = self.database.targets.get(makefile)
        if makefile in self.database.phony or (target is not None and target.double and not target.prerequisites):
            return False
        if target is not None:
            return True
        found = self.search.rule(literal(makefile))
        exists = self.run.folder.exists
        there = exists(makefile)  # a chain of rules does not make again what is there
        return found is not None and not (there and not all(exists(n.text) for n in found.prerequisites))

    def default_goal(self) -> list[str]:
        given = self.run.value(".DEFAULT_GOAL")
        return [given.shown.strip()] if given.text.strip() else []

    # -- which targets

    def _visit(self, roots: list[Visit]) -> None:
        """Each target in each context in which a goal reaches it."""
        queued: dict[tuple[object, ...], tuple[Frame, ...]] = {(root.name.shown,): () for root in roots}
        pending = deque(roots)
        while pending:
            visit = pending.popleft()
            shown = visit.name.shown
            if shown not in self.database.targets and self.search.rule(visit.name) is None and not self._missing(visit):
                continue
            if self._contexts.get(shown, 0) >= CONTEXTS:
                continue
            self._contexts[shown] = self._contexts.get(shown, 0) + 1
            steps = self._steps(visit)
            self._emit(visit, steps)
            chain, goal = self._context(visit, steps)
            ids = tuple(map(id, chain))
            for name in needed(steps):
                key = (name.shown, *ids)
                if key not in queued and (chain or key[0] not in self.database.targets):
                    queued[key] = chain  # which keeps the identities in the key
                    pending.append(Visit(name, chain, goal))

    def _visit_once(self, roots: list[Visit]) -> None:
        """Each target once, prerequisites first, as make does."""
        seen = self._reached
        pending: list[tuple[Visit, list[Step] | None]] = [(v, None) for v in reversed(roots)]
        active: set[str] = set()
        while pending:
            visit, ready = pending.pop()
            if ready is not None:
                self._emit(visit, ready)
                if not ready:
                    active.discard(visit.name.shown)
                continue
            if visit.name.shown in seen:
                continue
            seen.add(visit.name.shown)
            if any(gap.decider is Decider.REPOSITORY for gap in visit.name.holes):
                self._unknown.append(visit)
            active.add(visit.name.shown)
            pending.append((visit, []))
            for found in reversed(self._steps(visit, mentions=True)):
                step = found.without(active)
                together = [t for t in step.together if t not in seen]
                seen.update(together)
                pending.append((visit, [step]))
                pending.extend((v, None) for t in reversed(together) for v in self._beside(t, visit))
                pending.extend((v, None) for v in reversed(self._following(visit, [step])))

    def _beside(self, other: str, visit: Visit) -> list[Visit]:
        """What a target that the same recipe makes needs by rules of its own."""
        target = self.database.targets.get(other)
        names = [n for making in target.makings for n in (*making.files, *making.order_only)] if target else []
        return [Visit(name, visit.chain, visit.goal) for name in reversed(names)]

    def _missing(self, visit: Visit) -> bool:
        """Whether ``.DEFAULT`` makes the file: it is not there, and no rule makes it."""
        name = visit.name.text
        return bool(self.database.default) and visit.name.known and not self.run.folder.exists(name)

    def _steps(self, visit: Visit, mentions: bool = False) -> list[Step]:
        """The ways to make a target, implicit rules found; with ``mentions`` files that they name can be made now."""
        shown = visit.name.shown
        target = self.database.targets.get(shown)
        own = self.interpreter.rules.specific(shown)
        steps = []
        for making in target.makings if target else [Making()]:
            found: Found | None = None
            if making.recipe is None and shown not in self.database.phony:
                found = self.search.rule(visit.name)
            names, order_only = making.files, making.order_only
            if found is not None:
                names = [*found.prerequisites, *names]
                order_only = [*order_only, *found.order_only]
                self._used_patterns.add(id(found.rule))
                self._note_implied(shown, found)
                if mentions:
                    self.search.mention((*found.together, *(n.text for n in found.prerequisites)))
            elif target is None and shown not in self.database.phony and self._missing(visit):
                steps.append(Step(Making(recipe=self.database.default), None, [], [], (), own, [], True))
                self._used_default = True
                continue
            together = found.together if found is not None else making.together
            extra = self._extra(shown, own) if target is not None or found is not None else []
            steps.append(Step(making, found, names, order_only, together, own, extra).without({shown}))
        return steps

    def _note_implied(self, target: str, found: Found) -> None:
        if self.database.written:
            exists = self.run.folder.exists
            known = self.database.implied.get(target, ())
            names = [n.shown for n in found.prerequisites if n.shown not in known and not exists(n.text)]
            if names:
                self.database.implied[target] = [*known, *names]

    def _extra(self, target: str, frames: Sequence[Frame]) -> list[Traced]:
        """``.EXTRA_PREREQS``: prerequisites that no automatic variable tells."""
        if ".EXTRA_PREREQS" not in self.run.variables.globals and not any(".EXTRA_PREREQS" in f for f in frames):
            return []
        with self.run.variables.within(*frames):
            names = words(self.run.value(".EXTRA_PREREQS"))
        return [] if any(name.text == target for name in names) else names

    def _following(self, visit: Visit, steps: list[Step]) -> list[Visit]:
        """The prerequisites, each in its context."""
        chain, goal = self._context(visit, steps)
        return [Visit(name, chain, goal) for name in needed(steps)]

    def _context(self, visit: Visit, steps: list[Step]) -> tuple[tuple[Frame, ...], str | None]:
        """What the prerequisites inherit, and from which goal."""
        own = steps[0].own if steps else []
        inherited = [
            {n: d for n, d in frame.items() if not d.private} if any(d.private for d in frame.values()) else frame
            for frame in own
        ]
        chain = (*visit.chain, *(f for f in inherited if f))
        if visit.goal is not None or not (chain or visit.name.shown in self.database.variables):
            return chain, visit.goal
        return chain, visit.name.shown  # also where the command line or the environment keeps its variables out

    def _emit(self, visit: Visit, steps: list[Step]) -> None:
        for step in steps:
            with self.run.variables.within(*visit.chain, *step.own):
                self._recipe(visit, step)

    def _recipe(self, visit: Visit, step: Step) -> None:
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
            stem = stem_of(visit.name, self.database.suffixes)
        located = [self.search.located(n) for n in step.names]
        names = Automatic(visit.name, located, step.order_only, stem, visit.name if step.default else None)
        self._scripts(recipe, place, visit, (*visit.chain, *step.own), names, site)

    def _abstract(self, rule: PatternRule) -> None:
        """A pattern rule that no file of the tree fits: its stem is a hole."""
        target = filled(rule.targets[0])
        own = self.interpreter.rules.specific(rule.targets[0].text)
        names = [filled(p) for p in rule.prerequisites]
        if rule.later is not None:
            names = [hole(Hole(rule.later.shown, "prerequisites that are expanded for each target", Decider.OUTSIDE))]
        values = Automatic(target, names, [filled(p) for p in rule.order_only], hole(STEM))
        with self.run.variables.within(*own):
            self._scripts(rule.recipe, rule.targets[0].shown, Visit(target), tuple(own), values, ())

    # -- one recipe

    def _scripts(
        self, recipe: Recipe, place: str, visit: Visit, frames: tuple[Frame, ...], names: Automatic, site: Route
    ) -> None:
        """``frames``: the target-specific variables, which are in front already."""
        when = (f"goal {visit.goal}",) if visit.goal is not None and visit.chain else ()
        unit = visit.unit
        ignored = self.database.ignores_all or visit.name.shown in self.database.ignored
        facts = (ignored, self._whole, self.database.one_shell, self.run.beyond)
        key = (place, unit, len(frames), site, *facts)
        kept = self.run.shared.emitted.setdefault(key, [])
        for old in kept:
            if old.fits(recipe, names, self._facts) and self.run.still(old.memory):
                self.run.replay(old.memory)
                self.inner_commands(place, when, unit)
                again = old.with_env(self.around.environment(frames) if old.env is not None else ())
                for script in again.scripts:
                    self._add(script)
                return
        around = (when, unit, ignored)
        made, memory = recorded(self.run, lambda: self._made(recipe, place, visit, frames, names, site, around))
        for script in made:
            self._add(script)
        if memory is not None and len(kept) < KEPT:
            env = None if frames else self.around.environment(())
            kept.append(Emitted(recipe, names, self._facts, memory, made, env))

    def _made(
        self, recipe: Recipe, place: str, visit: Visit, frames: tuple[Frame, ...], names: Automatic, site: Route,
        surroundings: tuple[tuple[str, ...], str, bool],
    ) -> tuple[Script, ...]:  # fmt: skip
        when, unit, ignored = surroundings
        self._saved = None
        told = len(self.run.told)
        try:
            made = list(self._lines(recipe, site, visit, frames, names))
            env = self._environment(frames, names)
            dialect, errexit, pipefail = self.around.shell()
            below = self.around.for_make() if any(_MAKE.search(text.text) for text, _, _ in made) else ()
        except Stop as stop:
            if stop.fatal:
                del self.run.told[told:]
                self.run.tell(stop.route, stop.message)
            return ()
        finally:
            if self._saved is not None:
                self.run.spoil()
                self.run.variables.globals = self._saved
                self.run.settled = True
                self._saved = None
        self.inner_commands(place, when, unit)
        foreign = self.around.foreign_shell(dialect)
        scripts: list[Script] = []
        for text, dashed, alike in made:
            if foreign is not None:  # make starts it itself: that much is known even where the text is not read
                scripts.append(
                    Script(
                        Place(HOST, target=place), Dialect.ARGV, argv=before_text(foreign, text), env=env, when=when,
                        ignored=dashed or ignored, directory=self.run.folder.path, unit=unit,
                    )
                )  # fmt: skip
            scripts.append(
                Script(
                    Place(HOST, target=place), dialect, text,
                    env=(*env, *below) if below and _MAKE.search(text.text) else env,
                    when=when, errexit=errexit, pipefail=pipefail,
                    ignored=dashed or ignored, directory=self.run.folder.path, unit=unit, alike=alike,
                )
            )  # fmt: skip
        return tuple(scripts)

    def _environment(self, frames: tuple[Frame, ...], names: Automatic) -> tuple[Variable, ...]:
        if not frames and self._has_env:
            return self.around.environment(())
        self._has_env = True
        with self.run.variables.within(names.frame):
            return self.around.environment(frames)

    def _lines(
        self, recipe: Recipe, site: Route, visit: Visit, frames: tuple[Frame, ...], names: Automatic
    ) -> Iterator[tuple[Traced, bool, Alike | None]]:
        """The texts that make hands to the shell, one by one, and whether their failure is ignored."""
        if self.database.one_shell and len(recipe) > 1:
            with self.run.variables.within(names.frame):
                yield from self._one_shell(recipe)
            return
        for line in recipe:
            for text in self._prepared(line, site):
                prefix = text.text[: prefix_end(text.text)]
                if not self._whole and "+" not in prefix and not _CALLS_MAKE.search(text.text):
                    continue
                dashed = "-" in prefix
                if conditions.is_tested(text):
                    with self.run.variables.within(names.frame):
                        conditions.note_tests(self.run, text)
                met = len(self.run.commands)
                casts = self.moulds.of(text, frames) if not site else None
                cast = None
                if casts is not None:
                    cast = self.moulds.filled(casts, names.words, lambda t: self._of_target(t, visit, names))
                if cast is not None:
                    for command, ignored, alike in cast:
                        yield command, dashed or ignored, alike
                    continue
                del self.run.commands[met:]
                with self.run.variables.within(names.frame):
                    expanded = self.run.remembered(text, visit.name.shown)
                for command, ignored in commands(expanded):
                    yield command, dashed or ignored, None

    def _of_target(self, text: Traced, visit: Visit, names: Automatic) -> Traced:
        with self.run.variables.within(names.frame):
            return self.run.remembered(text, visit.name.shown)

    def _prepared(self, line: Traced, site: Route) -> list[Traced]:
        """The lines to expand, the same values each time."""
        key = (line.pieces if site else id(line), site)
        known = self.run.shared.lines.get(key)
        if known is None or known[0] is not line:
            found = [collapse_in_references(physical) for physical in physical_lines(line)]
            if site:
                found = [Traced(tuple(Piece(p.text, site) for p in text.pieces)) for text in found]
            known = self.run.shared.lines[key] = (line, found)
        return known[1]

    def _one_shell(self, recipe: Recipe) -> Iterator[tuple[Traced, bool, Alike | None]]:
        parts: list[Traced] = []
        dashed = False
        foreign = self.around.shell()[0] is Dialect.UNREAD  # no shell: its lines keep what only looks like a prefix
        for index, line in enumerate(recipe):
            expanded = self.run.expand(collapse_in_references(line))
            end = 0 if foreign and index else prefix_end(expanded.text)
            dashed = dashed or (index == 0 and "-" in expanded.text[:end])
            parts += [expanded.cut(end, len(expanded)), literal("\n")]
        script = join(parts[:-1])
        if script.text.strip():
            yield script, dashed, None

    def _add(self, script: Script) -> None:
        if not (script.when and self._distinct.find(replace(script, when=()))):
            self._distinct.add(script, 0)

    def inner_commands(self, target: str | None, when: tuple[str, ...], unit: str = "") -> None:
        """The commands inside ``$(shell …)`` that were met since the last time."""
        for text in self.run.commands:
            place, folder = Place(HOST, target=target), self.run.folder.path
            self._add(Script(place, Dialect.SH, text, when=when, ignored=True, directory=folder, unit=unit))
        self.run.commands.clear()
