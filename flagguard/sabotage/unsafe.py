"""The sabotages: edits that take a requirement away, each in one place (DESIGN 3, 6).

From a need to planned edits of text; whether they are caught is found out elsewhere.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from flagguard.command import Word
from flagguard.constraints import Outcome, Reason
from flagguard.judging import Clause
from flagguard.patterns import expression
from flagguard.rules import AnyOf, Constraint, Severity, Subject, constraints_of
from flagguard.sabotage.assignments import assignment as assigned
from flagguard.sabotage.ground import NEXT, Ground, disjoint, inside
from flagguard.sabotage.manners import POSIX, WITHOUT_COMMENTS, Manner, assignment, manner_of, quote_around, shell_task
from flagguard.sabotage.needs import Need
from flagguard.sabotage.passing import only_this, uses
from flagguard.sabotage.plan import Operator, Plan, Target
from flagguard.sabotage.spelling import Spelled, adding, repeating
from flagguard.sabotage.surface import NO_SHELL, Style, Surface
from flagguard.sabotage.values import worse
from flagguard.text import Edit, Span, Traced
from flagguard.tools.grammar import Option, Winner
from flagguard.values import dataclass

_TAKING = frozenset({Operator.DROP_FLAG, Operator.DROP_ASSIGNMENT})
_VARIABLE = expression(r"\$(?:\w+|\{[^{}]*\}|\([\w.-]+\)|\{\{[^{}]*\}\})")
"""The use of one variable, in a shell, a makefile, CMake or a workflow."""


@dataclass(frozen=True)
class Unsafe:
    """The sabotages of one need."""

    need: Need
    ground: Ground
    baseline: Mapping[str, str]

    def plans(self) -> Iterator[Plan]:
        need, outcome = self.need, self.need.outcome
        if need.clause is Clause.FORBID:
            yield from self._forbidden()
        elif need.clause is Clause.REQUIRE and outcome is not None:
            if outcome.constraint.subject is Subject.ENV:
                if outcome.word is not None:
                    yield from self._variable(outcome.word, outcome.constraint)
            elif outcome.option is not None:
                yield from self._told(self._option(outcome, outcome.option), outcome.option)
            elif outcome.variable is not None and outcome.word is not None:
                yield from self._variable(outcome.word, outcome.constraint)
            elif outcome.reason is Reason.DEFAULT:
                yield from self._added(outcome.constraint, hit=False)

    # -- flags --------------------------------------------------------------------------------------------------------

    def _told(self, plans: Iterable[Plan], option: Option) -> Iterator[Plan]:
        """The plans; where they take the flag away nowhere, that is said."""
        taken = False
        for plan in plans:
            taken = taken or plan.operator in _TAKING
            yield plan
        if not taken:
            yield from self._unwritten(option)

    def _option(self, outcome: Outcome, option: Option) -> Iterator[Plan]:
        argv = self.need.invocation.argv
        words = [argv[i] for i in self._indexes(option) if i < len(argv)]
        here = [self.ground.own(w, self.need.command, argv) for w in words]
        spans = [s for s in here if s is not None]
        flag = self._text(option)
        deep = [self.ground.deepest(t) for t in (option.word, option.value) if t is not None]
        touched = tuple(dict.fromkeys(s for s in (*spans, flag, *deep) if s is not None))
        whole = bool(words) and len(spans) == len(words)
        if whole:
            yield from self._dropped(spans, touched)
        if flag is not None and not (whole and _within(flag, spans)):
            yield from self._dropped([flag], touched)
        if flag is None:
            yield from self._nameless(option, touched, whole=whole)
        yield from self._values(outcome, option, words, touched)
        for text in (option.word, option.value):
            if text is not None and (not words or len(text.route) > 1):
                yield from self._assignments(text, touched)
                yield from self._on_the_way(text, outcome.constraint)
        yield from self._everywhere(outcome.constraint)

    def _indexes(self, option: Option) -> Sequence[int]:
        """The words of the option; of one that others carry, all of theirs: `-Xlinker -z -Xlinker now`."""
        if option.carrier is None:
            return option.words
        main = self.need.invocation.streams[0].parse.options
        carrying = {o.words[0]: o.words for o in main if o.words}
        return sorted({i for first in option.words for i in carrying.get(first, (first,))})

    def _nameless(self, option: Option, touched: tuple[Span, ...], *, whole: bool) -> Iterator[Plan]:
        """A flag that is put together (`printf -v`, `a[0]=`) without its name: its value is left alone.

        ``whole``: the command writes it as words of its own, which have been taken away.
        """
        first = option.word.pieces[0] if option.word.pieces else None
        if first is None or first.hole is not None or not first.verbatim or not first.route:
            return
        name = first.route[-1]
        if first.text.startswith(("-", "/")) and not (whole and inside(name, self.need.command.extent)):
            alone = not self.ground.text(Span(name.path, name.end, name.end + 1)).strip()
            edit = self.ground.without(name) if alone else Edit(name, "")
            yield self._plan(Operator.DROP_FLAG, (edit,), (*touched, name))

    def _everywhere(self, constraint: Constraint) -> Iterator[Plan]:
        """A flag that stands several times, all of it at once: while one is left, it says the same."""
        if constraint.subject is not Subject.FLAG:
            return
        here = self.need.invocation.on(self.need.platform)
        found = [o for name in constraint.names for o in here.occurrences(name)]
        options = list({(id(o.word), o.words): o for o in found}.values())
        spans = set[Span]()
        for option in options:
            spans.update(self._written_at(option))
        paths = {span.path for span in spans}
        if len(options) < 2 or len(spans) < 2 or len(paths) > 1 or not all(map(self._written_at, options)):
            return
        edits = self.ground.without_all(sorted(spans))
        if disjoint(edits):
            yield self._plan(Operator.DROP_FLAG, edits, tuple(sorted(spans)))

    def _written_at(self, option: Option) -> tuple[Span, ...]:
        """The text of the option: words of the command, or in a variable; none where it is put together."""
        argv = self.need.invocation.argv
        words = [argv[i] for i in self._indexes(option) if i < len(argv)]
        here = [self.ground.own(w, self.need.command, argv) for w in words]
        own = tuple(s for s in here if s is not None)
        if words and len(own) == len(words):
            return own
        text = self._text(option)
        return (text,) if text is not None else ()

    def _text(self, option: Option) -> Span | None:
        """Where the flag and its value are written side by side, in a command or in an assignment."""
        rest = option.whole if option.whole is not None else option.value
        word, value = option.word, rest
        first = self.ground.deepest(word)
        if value is None or (first is not None and (found := self.ground.deepest(value)) and inside(found, first)):
            return self.ground.assembled(word)
        joined = value.text and word.text.endswith(value.text) and _holds(word, value)
        found = self.ground.assembled(word if joined else Traced(word.pieces + value.pieces))
        return found if found is not None or joined else self.ground.items(word, value)

    def _dropped(self, spans: Sequence[Span], touched: tuple[Span, ...]) -> Iterator[Plan]:
        edits = self.ground.without_all(spans)
        yield self._plan(Operator.DROP_FLAG, edits, touched)
        said = " ".join(self.ground.text(s) for s in sorted(spans))
        yield from self._commented(edits, spans, said, touched)
        yield from self._echoed(edits, spans, said, touched)

    def _commented(
        self, edits: tuple[Edit, ...], spans: Sequence[Span], said: str, touched: tuple[Span, ...]
    ) -> Iterator[Plan]:
        path, last = spans[0].path, max(s.end for s in spans)
        extent = self.need.command.extent
        last = max(last, extent.end if self._is_here(spans) else last)
        manner = self.ground.manner(path, last, extent, self._manner)
        at = self.ground.comment_end(path, last, extent, manner)
        if at is None or "\n" in said or not manner.tail:
            return
        comment = Edit(Span(path, at, at), self.ground.remark(path, at, manner.tail, said))
        if self.need.command.place.host in WITHOUT_COMMENTS and not self._is_shell():
            surface = self.ground.surface(path)
            if surface is None or surface.region(at).style not in NO_SHELL:
                return  # there `#` is a word like others
        if disjoint((*edits, comment)) and self.ground.is_comment((*edits, comment), comment, manner):
            yield self._plan(Operator.COMMENT_FLAG, (*edits, comment), touched)

    def _echoed(
        self, edits: tuple[Edit, ...], spans: Sequence[Span], said: str, touched: tuple[Span, ...]
    ) -> Iterator[Plan]:
        """Only where a shell reads the command: `echo FLAG; COMMAND`."""
        extent = self.need.command.extent
        surface = self.ground.surface(extent.path)
        if surface is None or not self._is_shell() or "\n" in said:
            return
        manner = self._manner
        quoted = bool(set(said) & set("'\"\\"))
        if manner is not POSIX and (quoted or manner.nested):
            around = quote_around(surface.text, extent.start, manner)
            if bool(around) is not manner.nested or (quoted and around):
                return
        if quoted and not (self._is_here(spans) and not self._outer(surface, spans[0])):
            return  # copied, quotes would mean something else
        at = self.ground.opening(extent.path, extent.start)
        echo = Edit(Span(extent.path, at, at), manner.echo.format(said))
        if disjoint((*edits, echo)):
            yield self._plan(Operator.ECHO_FLAG, (*edits, echo), touched)

    @property
    def _manner(self) -> Manner:
        return manner_of(self.need.command)

    def _outer(self, surface: Surface, span: Span) -> str:
        """The quotes of the shell that the place stands inside of."""
        manner = self._manner
        if manner is POSIX:
            return surface.outer_quote(span.start, span.end)
        return quote_around(surface.text, self.need.command.extent.start, manner)

    def _is_here(self, spans: Sequence[Span]) -> bool:
        return all(inside(s, self.need.command.extent) for s in spans)

    def _is_shell(self) -> bool:
        extent = self.need.command.extent
        surface = self.ground.surface(extent.path)
        if surface is None:
            return False
        region = surface.region(extent.start)
        if region.style in NO_SHELL:
            return False
        return shell_task(self.need.command.place.host, surface.text, region.start)

    def _unwritten(self, option: Option) -> Iterator[Plan]:
        span = self.need.command.span
        yield self._plan(
            Operator.DROP_FLAG,
            (Edit(Span(span.path, span.start, span.start), ""),),
            (),
            why_not=f"`{option.word.shown}` is put together from several places, so no one text is the flag",
        )

    # -- values -------------------------------------------------------------------------------------------------------

    def _values(
        self, outcome: Outcome, option: Option, words: Sequence[Word], touched: tuple[Span, ...]
    ) -> Iterator[Plan]:
        value = option.value
        if value is not None and value.text:
            use = self._use(value, words)
            if use is not None:
                yield self._valueless(value, use, words, touched)
            bad = self._bad(outcome, value)
            if bad is not None:
                if use is not None:
                    said = f'"{bad}"' if self.ground.is_expression(use) else bad
                    yield self._plan(self._worsened(bad), (Edit(use, said),), touched)
                yield from self._handed_on(value, bad, touched)
                yield from self._spoilt(value, bad, touched)
        yield from self._repeated(outcome, option, words, touched)

    def _use(self, value: Word, words: Sequence[Word]) -> Span | None:
        """What the command writes for the value: a word of its own, or a part of one."""
        extent = self.need.command.extent
        own = self.ground.own(value, self.need.command, self.need.invocation.argv) if value in words else None
        among = self.need.invocation.argv if words else self.need.command.env.values()
        use = own or self.ground.used(value, among)
        return self.ground.filled_in(use) if use is not None and inside(use, extent) else None

    def _valueless(self, value: Word, use: Span, words: Sequence[Word], touched: tuple[Span, ...]) -> Plan:
        """An empty value. A word of its own becomes an empty word: were it gone, the next one would be the value."""
        argv = self.need.invocation.argv
        if self.ground.is_expression(use):
            return self._plan(Operator.DROP_VALUE, (Edit(use, '""'),), touched)
        if len(words) < 2 or self.ground.own(value, self.need.command, argv) != use:
            return self._plan(Operator.DROP_VALUE, (Edit(use, ""),), touched)
        if words[-1] is argv[-1]:
            return self._plan(Operator.DROP_VALUE, (self.ground.without(use),), touched)
        surface = self.ground.surface(use.path)
        if surface is not None and surface.region(use.start).style is Style.EXEC_FORM:
            return self._plan(Operator.DROP_VALUE, (Edit(use, ""),), touched)  # its quotes stay
        outer = self._outer(surface, use) if surface is not None else ""
        spelled = (self.ground.spelled(use.path, use.start, q * 2) for q in self._manner.quotes if q != outer)
        empty = next((text for text in spelled if text is not None), None)
        why = "the text there cannot say an empty word" if empty is None else None
        return self._plan(Operator.DROP_VALUE, (Edit(use, empty or ""),), touched, why)

    def _worse(self, constraint: Constraint, text: str) -> str | None:
        platform = self.need.outcome.platform if self.need.outcome is not None else ""
        return worse(constraint, text, platform or self.need.platform, self.baseline)

    def _bad(self, outcome: Outcome, value: Traced) -> str | None:
        """The value of the option with a worse one in it: a triple holds the oldest system, `arm64-apple-macos11`."""
        held = outcome.word.text if outcome.word is not None else ""
        before, found, after = value.text.rpartition(held) if held else ("", "", "")
        if outcome.constraint.subject is not Subject.EFFECTIVE or not found or not (before or after):
            return self._worse(outcome.constraint, value.text)
        platform = outcome.platform or self.need.platform
        bad = worse(outcome.constraint, held, platform, self.baseline, inside=True)
        return None if bad is None else before + bad + after

    def _worsened(self, bad: str) -> Operator:
        return Operator.NATIVE_VALUE if bad == "native" else Operator.WORSE_VALUE

    def _spoilt(self, value: Traced, bad: str, touched: tuple[Span, ...]) -> Iterator[Plan]:
        """Spoil the text that a variable gives: for one platform, where a `case` chose it."""
        deep = self.ground.deepest(value)
        if deep is None or inside(deep, self.need.command.extent):
            return
        surface = self.ground.surface(deep.path)
        arm = surface is not None and surface.in_case_arm(deep.start, deep.end)
        yield self._plan(Operator.SPOIL_ARM if arm else Operator.SPOIL_ASSIGNMENT, (Edit(deep, bad),), (*touched, deep))

    def _handed_on(self, value: Traced, bad: str, touched: tuple[Span, ...]) -> Iterator[Plan]:
        """Spoil it on its way: as an argument of a function or of a script, as an element, as what `read` is given."""
        depth = min((len(piece.route) for piece in value.pieces), default=0)
        for step in range(1, depth - 1):
            spans = {piece.route[step] for piece in value.pieces}
            use = spans.pop()
            if spans or inside(use, self.need.command.extent) or not _VARIABLE.fullmatch(self.ground.text(use)):
                continue
            if self._through(use) == value.text:
                yield self._plan(Operator.SPOIL_ASSIGNMENT, (Edit(use, bad),), (*touched, use))

    def _through(self, use: Span) -> str:
        """All that comes to the command by the use of a variable."""
        texts = (*self.need.invocation.argv, *self.need.command.env.values())
        return "".join(piece.text for text in texts for piece in text.pieces if use in piece.route)

    def _repeated(
        self, outcome: Outcome, option: Option, words: Sequence[Word], touched: tuple[Span, ...]
    ) -> Iterator[Plan]:
        last = option.spec is None or option.spec.winner is Winner.LAST
        if option.accumulates or not last or not words or option.carrier is not None:
            return
        written = self.ground.own(words[-1], self.need.command, self.need.invocation.argv)
        again = repeating(self.need, outcome, option, self._bad)
        if again is None:
            return
        if written is None:
            written = words[-1].written or self.ground.deepest(words[-1])
            if written is None:
                return
        yield self._insert(Operator.REPEAT_FLAG, written, again, touched)

    def _insert(self, operator: Operator, after: Span, text: str, touched: tuple[Span, ...]) -> Plan:
        at = Span(after.path, after.end, after.end)
        if self._manner.listed and self._in_list(after):
            return self._plan(operator, (Edit(at, "".join(f', "{word}"' for word in text.split())),), touched)
        surface = self.ground.surface(after.path)
        listed = surface is not None and surface.region(after.end).style is Style.EXEC_FORM
        in_text = surface is not None and listed and after.end < surface.region(after.end).end
        if in_text and not set(text) & set("'\"\\"):
            return self._plan(operator, (Edit(at, f" {text}"),), touched)  # a word of the text that a shell is given
        spelled = self.ground.spelled(after.path, after.end, f" {text}" if listed else text)
        if spelled is None:
            return self._plan(operator, (Edit(at, ""),), touched, why_not=f"the text there cannot say `{text}`")
        return self._plan(operator, (Edit(at, spelled if listed else f" {spelled}"),), touched)

    def _in_list(self, span: Span) -> bool:
        """Whether the word is a quoted item of a list (about_Arrays of PowerShell)."""
        surface = self.ground.surface(span.path)
        text = surface.text if surface is not None else ""
        if text[span.end - 1 : span.end] not in ('"', "'"):
            return False
        return text[: span.start].rstrip().endswith(",") or NEXT.search(text, span.start, span.end) is not None

    # -- assignments and the environment ------------------------------------------------------------------------------

    def _assignments(self, text: Traced, touched: tuple[Span, ...]) -> Iterator[Plan]:
        deep = self.ground.deepest(text)
        if deep is None:
            return
        surface = self.ground.surface(deep.path)
        found = self._assignment(surface, deep) if surface is not None else None
        if found is not None:
            start, end, instead = found
            span = Span(deep.path, start, end)
            program = self.need.invocation.argv[0]
            own = any(inside(step, span) for piece in program.pieces for step in piece.route)
            why = f"`{program.shown}` itself stands in the assignment" if own else None
            yield self._plan(Operator.DROP_ASSIGNMENT, (Edit(span, instead),), (*touched, deep), why)

    def _on_the_way(self, value: Traced, constraint: Constraint) -> Iterator[Plan]:
        """Take away each assignment that hands on what another variable holds."""
        for use in uses(value):
            surface = self.ground.surface(use.path)
            found = self._assignment(surface, use) if surface is not None else None
            if found is not None and _VARIABLE.search(self.ground.text(use)):
                gone = Span(use.path, found[0], found[1])
                if only_this(self.need, constraint, value, gone):
                    yield self._plan(Operator.DROP_ASSIGNMENT, (Edit(gone, found[2]),), (use,))

    def _assignment(self, surface: Surface, deep: Span) -> tuple[int, int, str] | None:
        """What to take away so that the variable is not set, and what to put there."""
        extent = self.need.command.extent
        manner = self.ground.manner(deep.path, deep.start, extent, self._manner)
        if manner is POSIX:
            return assigned(surface, deep.start, deep.end)
        if inside(deep, extent):
            return None
        line = assignment(surface.text, deep.start, manner)
        return (*line, "") if line is not None else None

    def _variable(self, value: Traced, constraint: Constraint) -> Iterator[Plan]:
        deep = self.ground.deepest(value)
        at = deep or self.ground.assembled(value)
        surface = self.ground.surface(at.path) if at is not None else None
        found = self._assignment(surface, at) if surface is not None and at is not None else None
        if at is None or (deep is None and found is None and len(value.pieces) > 1):
            span = self.need.command.span
            yield self._plan(
                Operator.DROP_ASSIGNMENT,
                (Edit(Span(span.path, span.start, span.start), ""),),
                (),
                why_not="the value is put together from several places",
            )
            return
        if found is not None:
            edit = Edit(Span(at.path, found[0], found[1]), found[2])
            yield self._plan(Operator.DROP_ASSIGNMENT, (edit,), (at,))
        yield self._emptied(at)
        bad = self._worse(constraint, self.ground.text(at) if deep is None else value.text)
        if bad is not None:
            yield self._plan(self._worsened(bad), (Edit(at, bad),), (at,))
        yield from self._on_the_way(value, constraint)

    def _emptied(self, value: Span) -> Plan:
        """Without its text; an item of a list stays one, for without it there is one row less, and no command of it."""
        surface = self.ground.surface(value.path)
        text = surface.text if surface is not None else ""
        bare = surface is not None and surface.region(value.start).style is Style.YAML_PLAIN
        item = bare and text[: value.start].rstrip().endswith(("[", ","))
        return self._plan(Operator.DROP_VALUE, (Edit(value, '""' if item else ""),), (value,))

    # -- what is forbidden --------------------------------------------------------------------------------------------

    def _forbidden(self) -> Iterator[Plan]:
        requirement = self.need.requirement
        if requirement is not None:
            found = constraints_of(requirement)
            one = found[:1] if isinstance(requirement, AnyOf) else found
            for constraint in one:
                about_cpu = constraint.subject is Subject.EFFECTIVE and constraint.names[0] == "cpu"
                kept = list(self._retuned(constraint)) if about_cpu else []
                yield from kept or self._added(constraint, hit=True)

    def _retuned(self, constraint: Constraint) -> Iterator[Plan]:
        """What keeps a project from tuning itself to the build machine, taken away or set to what it does anyway."""
        invocation, env = self.need.invocation, self.need.command.env
        for project in invocation.projects:
            for flag in project.unless:
                for option in invocation.occurrences(flag):
                    spans = self._written_at(option)
                    if not spans:
                        continue
                    yield from self._dropped(spans, spans)
                    value = self.ground.deepest(option.value) if option.value is not None else None
                    for still in project.still if value is not None else ():
                        if value is not None and still.startswith(flag):
                            yield self._plan(Operator.WORSE_VALUE, (Edit(value, still[len(flag) :]),), spans)
                variable = flag.removesuffix("=")
                if variable != flag and variable in env and not invocation.occurrences(flag):
                    gone = (Operator.DROP_ASSIGNMENT, Operator.DROP_VALUE)  # any other value may do as well
                    yield from (p for p in self._variable(env[variable], constraint) if p.operator in gone)

    def _added(self, constraint: Constraint, *, hit: bool) -> Iterator[Plan]:
        """Add what must not be there."""
        added = adding(self.need, constraint, self.ground, self.baseline, hit=hit)
        if isinstance(added, Spelled):
            spelled = self.ground.spelled(added.at.path, added.at.start, added.text)
            edit = Edit(added.at, spelled or "")
            why = None if spelled is not None else f"the text there cannot say `{added.text.strip()}`"
            yield self._plan(Operator.ADD_FLAG, (edit,), (), why_not=why)
        else:
            span = self.need.command.span
            yield self._plan(Operator.ADD_FLAG, (Edit(Span(span.path, span.start, span.start), ""),), (), why_not=added)

    def _plan(
        self, operator: Operator, edits: tuple[Edit, ...], touched: tuple[Span, ...], why_not: str | None = None
    ) -> Plan:
        return Plan(operator, self.need.rule.id, edits, (target(self.need, touched),), why_not)


def target(need: Need, touched: tuple[Span, ...] = ()) -> Target:
    platforms = frozenset({need.platform} if need.platform else ())
    warns = need.command.opt_in or need.rule.severity is Severity.WARNING
    return Target(need.rule.id, need.span, need.command.place, platforms, need.requirement, touched, need.name, warns)


def _within(flag: Span, spans: Sequence[Span]) -> bool:
    """Whether the place lies in what the words take up together."""
    return flag.path == spans[0].path and min(s.start for s in spans) <= flag.start <= max(s.end for s in spans)


def _holds(word: Word, value: Word) -> bool:
    """Whether the value is the end of the word, and not a word of its own with the same text."""
    last, end = word.pieces[-1], value.pieces[-1]
    return last.route[:-1] == end.route[:-1] and bool(last.route) and last.route[-1].end == end.route[-1].end
