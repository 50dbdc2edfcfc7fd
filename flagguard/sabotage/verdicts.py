"""What came of one edit: the findings after it against the places that had to be noticed (DESIGN 6).

Looks for evidence apart from the judge: that an edit changes nothing is believed only where another word, written
outside of the edit, is found in the argv and says the same.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum

from flagguard.command import Command
from flagguard.config import Config
from flagguard.findings import Finding, Verdict
from flagguard.judging import Read
from flagguard.rules import Constraint, Subject, constraints_of
from flagguard.sabotage.needs import same_place
from flagguard.sabotage.plan import Kind, Plan, Target, moved
from flagguard.sabotage.values import refuses
from flagguard.text import Problem, SourceText, Span, Traced
from flagguard.tools.invocation import Invocation, Match, understand
from flagguard.values import dataclass

_Said = tuple[Traced, Traced | None]
"""The word that spells a flag, and its value."""


class Outcome(Enum):
    """The verdict on one edit; the values are words of the machine format."""

    CAUGHT = "caught"
    MISSED = "missed"
    NOT_APPLICABLE = "not-applicable"
    WRONG_REASON = "wrong-reason"
    INVALID = "invalid"
    SKIPPED = "skipped"
    STAYED_CLEAN = "stayed-clean"
    FALSE_ALARM = "false-alarm"
    TIMEOUT = "timeout"
    """A guard of somebody else's did not end."""


@dataclass(frozen=True)
class After:
    """The tree after one edit: what is found in it that was not found before."""

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    commands: Mapping[str, Sequence[Command]]
    """The commands of the files that were read again, by the path that they stand in."""
    texts: Mapping[str, SourceText]
    """The edited files."""
    read: Read | None = None
    """Opens response files."""


@dataclass(frozen=True)
class Judgement:
    outcome: Outcome
    detail: str = ""
    lost: bool = False
    """Nothing that was read again has the command."""


def judged(plan: Plan, after: After, config: Config) -> Judgement:
    """The verdict on the edit."""
    edited = {edit.span.path for edit in plan.edits}
    broken = next((p for p in after.problems if p.path in edited and p.fatal), None)
    if broken is not None:
        return Judgement(Outcome.INVALID, f"{broken.path}:{broken.line}: {broken.message}")
    failing = [f for f in after.findings if f.fails]
    stopped = next((p for p in after.problems if p.fatal), None)
    if plan.kind is Kind.HARMLESS:
        if failing:
            return Judgement(Outcome.FALSE_ALARM, _told(failing[0]))
        if stopped is not None:
            return Judgement(Outcome.FALSE_ALARM, f"{stopped.path}:{stopped.line}: {stopped.message}")
        return Judgement(Outcome.STAYED_CLEAN)
    warned = list(after.findings) if any(target.warns for target in plan.targets) else failing
    if plan.too_few:
        return _absence(plan, warned)
    return _Search(plan, after, config, warned).verdict()


def _told(finding: Finding) -> str:
    return f"{finding.rule}: {finding.message}"


def _absence(plan: Plan, counting: Sequence[Finding]) -> Judgement:
    for finding in counting:
        if finding.rule == plan.rule and finding.verdict in (Verdict.TOO_FEW, Verdict.UNRESOLVED):
            return Judgement(Outcome.CAUGHT, finding.message)
    if counting:
        return Judgement(Outcome.WRONG_REASON, f"found instead: {_told(counting[0])}")
    return Judgement(Outcome.MISSED, "check is still clean without the command")


@dataclass(frozen=True)
class _Search:
    plan: Plan
    after: After
    config: Config
    counting: Sequence[Finding]

    def verdict(self) -> Judgement:
        rivals: list[str] = []
        unseen: list[str] = []
        caught: list[str] = []
        for target in self.plan.targets:
            hits = [f for f in self.counting if self._is_at(f, target)]
            seen = frozenset[str]().union(*(f.platforms for f in hits))
            caught += [f.message for f in hits]
            left = target.platforms - seen if target.platforms else frozenset(() if hits else ("",))
            for platform in sorted(left):
                rival = self._rival(target, platform)
                if rival is None:
                    unseen.append(f"{target.span.path}:{self._line(target)}" + (f" on {platform}" if platform else ""))
                else:
                    rivals.append(rival)
        if unseen:
            where = ", ".join(dict.fromkeys(unseen))
            if caught:
                return Judgement(Outcome.MISSED, f"found elsewhere, but not at {where}")
            if self.counting:
                return Judgement(Outcome.WRONG_REASON, f"found instead: {_told(self.counting[0])}")
            lost = not any(self._stands(target) for target in self.plan.targets)
            told = "no such command is found any more" if lost else "check is still clean"
            return Judgement(Outcome.MISSED, f"{told} at {where}", lost)
        if caught:
            return Judgement(Outcome.CAUGHT, caught[0])
        return Judgement(Outcome.NOT_APPLICABLE, rivals[0] if rivals else "")

    # -- places -------------------------------------------------------------------------------------------------------

    def _at(self, target: Target) -> int | None:
        return moved(target.span.start, target.span.path, self.plan.edits)

    def _line(self, target: Target) -> int:
        source = self.after.texts.get(target.span.path)
        at = self._at(target)
        return source.position(at)[0] if source is not None and at is not None else 0

    def _is_at(self, finding: Finding, target: Target) -> bool:
        return (
            finding.rule == target.rule
            and (finding.fails or target.warns)
            and finding.span.path == target.span.path
            and finding.span.start == self._at(target)
            and (same_place(finding.place, target.place) or self._merged(target))
        )

    def _merged(self, target: Target) -> bool:
        """Whether the command stands there for another call only: calls that come to the same are one."""
        there = [c for c in self.after.commands.get(target.span.path, ()) if c.span.start == self._at(target)]
        return bool(there) and not any(same_place(c.place, target.place) for c in there)

    def _stands(self, target: Target) -> bool:
        return any(c.span.start == self._at(target) for c in self.after.commands.get(target.span.path, ()))

    # -- another word that says the same ------------------------------------------------------------------------------

    def _rival(self, target: Target, platform: str) -> str | None:
        """What meets the requirement there now, in every world, other than what was edited."""
        at = self._at(target)
        requirement = target.requirement
        if at is None or requirement is None:
            return None
        told: str | None = None
        for command in self.after.commands.get(target.span.path, ()):
            if not same_place(command.place, target.place) or (platform and platform not in command.platforms):
                continue
            for invocation in understand(command, self.config.tools, self.after.read):
                if _start(invocation) != at or invocation.is_a(target.name) is not Match.YES:
                    continue
                asked = constraints_of(requirement)
                found = (
                    self._swallowed(c, invocation, target) or self._met(c, invocation, platform, target) for c in asked
                )
                told = next((f for f in found if f is not None), None)
                if told is None:
                    return None
        return told

    def _met(self, constraint: Constraint, invocation: Invocation, platform: str, target: Target) -> str | None:
        built = invocation.builds_for(platform)
        invocation = invocation.on(platform)
        if constraint.subject is Subject.ENV:
            values = [invocation.command.env[n] for n in constraint.names if n in invocation.command.env]
            return next(self._said(constraint, ((v, v) for v in values), built, target), None)
        if constraint.subject is Subject.FLAG:
            options = [o for name in constraint.names for o in invocation.counting(name) if not o.missing]
            words = ((o.word, o.value) for o in options)
            return next(self._said(constraint, words, built, target), None)
        found = invocation.effective(constraint.names[0], platform)
        if found.missing is not None:
            return None
        if found.value is not None and (found.option is not None or found.variable is not None):
            given = invocation.command.env.get(found.variable or "", found.value)
            word = found.option.word if found.option is not None else given
            return next(self._said(constraint, [(word, found.value)], built, target), None)
        said = invocation.command.env.get(found.variable) if found.variable is not None else None
        if said is not None and found.value is not None:
            return next(self._said(constraint, [(said, found.value)], built, target), None)
        default = found.default
        if found.value is not None or default in (None, "host"):
            return None
        added = tuple((o.value if o.value is not None else o.word).shown for o in found.added)
        if refuses(constraint, str(default), built, self.config.baseline, added):
            return None
        return f"`{invocation.program}` does the same when it is told nothing: {default}"

    def _swallowed(self, constraint: Constraint, invocation: Invocation, target: Target) -> str | None:
        """The flag is there as it was and takes the next word for its value: the tool refuses that."""
        own = list(self._own(target))
        for name in constraint.names:
            for option in invocation.counting(name) if constraint.subject is Subject.FLAG else ():
                if option.value is None or not option.value.text or len(option.words) < 2 or option.carrier:
                    continue
                word, value = option.word.pieces[0].route, option.value.pieces[0].route
                if not word or not value or any(_covers(new, value[0]) for new in self._written()):
                    continue
                if any(_covers(o, word[-1]) for o in own) and not any(_covers(o, value[0]) for o in own):
                    return f"`{option.word.shown}` takes the next word, `{option.value.shown}`, for its value"
        return None

    def _own(self, target: Target) -> Iterator[Span]:
        """Where the text of the flag stands after the edit, as far as it is left."""
        for span in target.words:
            start = moved(span.start, span.path, self.plan.edits)
            if start is not None:
                end = moved(max(span.end - 1, span.start), span.path, self.plan.edits)
                yield Span(span.path, start, (start if end is None else end) + 1)

    def _said(self, constraint: Constraint, words: Iterable[_Said], platform: str, target: Target) -> Iterator[str]:
        for word, value in words:
            if value is not None and (
                not value.known or refuses(constraint, value.text, platform, self.config.baseline)
            ):
                continue
            where = self._elsewhere(word, target)
            if where is None and value is not None:
                where = self._elsewhere(value, target)
            if where is not None:
                yield where

    def _elsewhere(self, word: Traced, target: Target) -> str | None:
        """Where the word is written, if that is in the text, outside of the edit, and not the flag that was edited."""
        for piece in word.pieces:
            if not piece.route or piece.hole is not None:
                return None
        if not word.pieces:
            return None
        span = word.pieces[0].route[-1]
        if any(_covers(new, span) for new in (*self._own(target), *self._written())):
            return None
        source = self.after.texts.get(span.path)
        if source is not None and word.pieces[0].verbatim and source.text[span.start : span.end] != word.pieces[0].text:
            return None
        line = source.position(span.start)[0] if source is not None else 0
        return f"`{word.shown}` says the same" + (f" at {span.path}:{line}" if line else f" in {span.path}")

    def _written(self) -> Iterator[Span]:
        """The texts that the edits put in, where they stand afterwards."""
        for edit in self.plan.edits:
            if edit.text:
                before = tuple(e for e in self.plan.edits if e.span.path == edit.span.path and e.span < edit.span)
                start = moved(edit.span.start, edit.span.path, before)
                if start is not None:
                    yield Span(edit.span.path, start, start + len(edit.text))


def _covers(span: Span, other: Span) -> bool:
    return span.path == other.path and span.start <= other.start < span.end


def _start(invocation: Invocation) -> int:
    command = invocation.command
    if invocation.argv is command.argv:
        return command.span.start
    first = invocation.argv[0]
    return (first.written or (first.route[0] if first.route else command.span)).start
