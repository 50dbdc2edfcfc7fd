"""One constraint against one invocation on one platform (DESIGN 5, 5.1): does it hold, and what decided it.

Sees invocations only. What a finding says about the outcome is written in ``wording``; which rules ask is known to
``judging``.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum

from flagguard.answers import Answer, all_unknown, blank, compare, decided_here
from flagguard.command import Word
from flagguard.patterns import expression
from flagguard.rules import AnyOf, Condition, Constraint, Requirement, Subject
from flagguard.text import Traced, literal
from flagguard.tools.invocation import Effective, Invocation, Option
from flagguard.values import dataclass, replace


class Mode(Enum):
    """What the constraint is asked for."""

    REQUIRE = "require"
    """It has to be met: an empty or unknown value meets nothing."""
    SELECT = "select"
    """It is looked for (`forbid`, `with`, `without`): open only where the repository decides and nobody can see."""


class Reason(Enum):
    """What the answer rests on."""

    ABSENT = "absent"
    NO_VALUE = "no-value"
    EMPTY = "empty"
    VALUE = "value"
    DEFAULT = "default"
    """Nothing was said, and the tool's default decides."""
    HIDDEN = "hidden"
    """A word with a hole may be what is asked for."""
    NO_BASELINE = "no-baseline"
    TAKEN_BACK = "taken-back"
    """It is there, and a later option takes it back."""
    REFUSED = "refused"
    """The tool does not take such a value."""


class Excess(Enum):
    """Why a value is not at most its limit."""

    ABOVE = "above"
    HOST = "host"
    UNKNOWN_NAME = "unknown-name"
    OTHER_ARCHITECTURE = "other-architecture"
    LIMIT = "limit"
    """The limit is no CPU of the platform."""
    NO_VERSION = "no-version"


@dataclass(frozen=True)
class Outcome:
    """The answer, and what it rests on."""

    answer: Answer
    constraint: Constraint
    reason: Reason
    name: str
    """The flag, variable or property that decided; the first of the constraint's where none did."""
    option: Option | None = None
    word: Traced | None = None
    """The value, or the word that may hide it."""
    platform: str = ""
    """What the invocation builds for."""
    limit: str | None = None
    excess: Excess | None = None
    extra: tuple[str, ...] = ()
    """The features above the limit, or the nearest name that is known."""
    default: str | None = None
    added: tuple[Option, ...] = ()
    above: Option | None = None
    """Of a CPU that is itself within the limit: the feature switch that is not."""
    beyond: tuple[Option, ...] = ()
    """The feature switches that are above the limit on their own."""
    variable: str | None = None
    """The variable of the environment that decided."""
    by: Option | None = None
    """What takes the option back."""
    ways: tuple[str, ...] = ()
    """What would do, as one writes it."""
    joint: str = "="
    """What stands between the flag and its value."""


def evaluate(
    requirement: Requirement, invocation: Invocation, platform: str, mode: Mode, baseline: Mapping[str, str]
) -> Outcome:
    """The outcome of a constraint; of an `any`, that of the constraint that speaks for it."""
    if isinstance(requirement, AnyOf):
        return strongest(evaluate(c, invocation, platform, mode, baseline) for c in requirement.constraints)
    asked = _Asked(requirement, invocation, platform, mode, baseline)
    if requirement.subject is Subject.FLAG:
        return strongest(replace(asked, invocation=invocation.on(platform)).flags())
    if requirement.subject is Subject.ENV:
        return strongest(asked.variables())
    return asked.effective()


def strongest(outcomes: Iterable[Outcome]) -> Outcome:
    """One that holds, else one that is open, else the one that says most."""
    weight = {Answer.HOLDS: 0, Answer.OPEN: 1, Answer.FAILS: 2}
    return min(outcomes, key=lambda o: (weight[o.answer], o.reason is Reason.ABSENT))


@dataclass(frozen=True)
class _Asked:
    constraint: Constraint
    invocation: Invocation
    platform: str
    mode: Mode
    baseline: Mapping[str, str]

    # -- subjects -----------------------------------------------------------------------------------------------------

    def flags(self) -> Iterator[Outcome]:
        """One outcome for each flag that is there; where none is, what could hide one, or that none is."""
        found = [(name, self.invocation.counting(name)) for name in self.constraint.names]
        for name, options in found:
            if options:
                yield strongest(self._option(name, o) for o in options)
        if not any(options for _, options in found) or self.mode is Mode.SELECT:
            for name in self.constraint.names:
                hider = self.invocation.could_hide(name)
                if hider is not None and (self.mode is Mode.REQUIRE or decided_here(hider)):
                    yield self._outcome(Answer.OPEN, Reason.HIDDEN, name, word=hider)
                back = self.invocation.found(name) if self.mode is Mode.REQUIRE else None
                if back is not None and back.by is not None and not back.options:
                    outcome = self._outcome(Answer.FAILS, Reason.TAKEN_BACK, name, back.undone)
                    yield replace(outcome, by=back.by)
            yield self._outcome(Answer.FAILS, Reason.ABSENT, self.constraint.names[0])

    def variables(self) -> Iterator[Outcome]:
        env = self.invocation.command.env
        for name in self.constraint.names:
            value = env.get(name)
            if value is None:
                yield self._outcome(Answer.FAILS, Reason.ABSENT, name)
            else:
                yield self._value(name, value, None)

    def effective(self) -> Outcome:
        """Of several languages with flags of their own, the one that decides: all must meet, one is enough to hit."""
        name = self.constraint.names[0]
        outcomes = [self._lane(name, found) for found in self.invocation.effectives(name, self.platform)]
        if self.mode is Mode.REQUIRE:
            weight = {Answer.FAILS: 0, Answer.OPEN: 1, Answer.HOLDS: 2}
            return min(outcomes, key=lambda o: weight[o.answer])
        return strongest(outcomes)

    def _lane(self, name: str, found: Effective) -> Outcome:
        outcome = self._decided(name, found)
        if found.missing is None or outcome.reason is Reason.NO_BASELINE or outcome.answer is Answer.OPEN:
            return outcome
        # what was said stands, unless the repository may say otherwise; what nobody said may be said by the hole
        good = Answer.HOLDS if self.mode is Mode.REQUIRE else Answer.FAILS
        unsaid = found.option is None and found.variable is None and outcome.answer is not good
        if unsaid or (outcome.answer is good and decided_here(found.missing)):
            hidden = replace(outcome, answer=Answer.OPEN, reason=Reason.HIDDEN, word=found.missing)
            return self._with_ways(hidden, name)
        return outcome

    def _decided(self, name: str, found: Effective) -> Outcome:
        if found.value is not None:
            outcome = self._value(name, found.value, found.option, found)
            if found.refused and self._met(outcome):
                outcome = replace(outcome, answer=Answer.FAILS, reason=Reason.REFUSED)
            return self._with_ways(replace(outcome, added=found.added, variable=found.variable), name)
        default = found.default
        if found.added and self.mode is Mode.SELECT and self.constraint.condition is Condition.PRESENT:
            return replace(self._outcome(Answer.HOLDS, Reason.VALUE, name, found.added[0]), added=found.added)
        if default is None or self.constraint.condition is Condition.PRESENT:
            outcome = replace(self._outcome(Answer.FAILS, Reason.ABSENT, name), default=default)
            return self._with_ways(outcome, name)
        if self.constraint.condition is Condition.AT_MOST:
            outcome = self._at_most(name, literal(default), None, found)
        else:
            value = "native" if name == "cpu" and default == "host" else default
            answer = compare(self.constraint.condition, self.constraint.operand, literal(value))
            outcome = self._outcome(answer, Reason.DEFAULT, name)
        reason = outcome.reason
        if reason is not Reason.NO_BASELINE:
            # an option that is there and says nothing has an empty value
            reason = Reason.DEFAULT if found.option is None else Reason.EMPTY
        outcome = replace(outcome, reason=reason, default=default, option=found.option, word=None, added=found.added)
        return self._with_ways(outcome, name)

    def _met(self, outcome: Outcome) -> bool:
        """Whether a requirement is met by a value that its owner has not written out."""
        written_out = self.constraint.condition in (Condition.VALUE, Condition.ONE_OF, Condition.CONTAINS)
        return self.mode is Mode.REQUIRE and outcome.answer is Answer.HOLDS and not written_out

    def _with_ways(self, outcome: Outcome, name: str) -> Outcome:
        """What may be written to meet a requirement that is not met."""
        if self.mode is not Mode.REQUIRE or outcome.answer is Answer.HOLDS:
            return outcome
        condition, values = self.constraint.condition, self.constraint.operand
        if condition is Condition.PRESENT:
            return replace(outcome, ways=self.invocation.ways(name, None, self.platform, None))
        if condition is Condition.AT_MOST:
            values = (outcome.limit,) if outcome.limit is not None else ()
        elif condition not in (Condition.VALUE, Condition.ONE_OF):
            values = ()
        plain = [value for value in values if not set(value) & set("*?[")]
        ways = [w for value in plain for w in self.invocation.ways(name, value, self.platform, outcome.option)]
        return replace(outcome, ways=tuple(ways))

    # -- values -------------------------------------------------------------------------------------------------------

    def _option(self, name: str, option: Option) -> Outcome:
        if option.missing:
            met = self.mode is Mode.SELECT and self.constraint.condition is Condition.PRESENT
            return self._outcome(Answer.HOLDS if met else Answer.FAILS, Reason.NO_VALUE, name, option)
        if option.value is None:
            met = self.constraint.condition in (Condition.PRESENT, Condition.NOT)
            reason = Reason.VALUE if met else Reason.NO_VALUE
            return self._outcome(Answer.HOLDS if met else Answer.FAILS, reason, name, option)
        if option.turned_off and self.constraint.condition is Condition.PRESENT:
            return replace(self._outcome(Answer.FAILS, Reason.TAKEN_BACK, name, option, option.value), by=option)
        outcome = self._value(name, option.value, option)
        if self._met(outcome) and self.invocation.refuses(option, self.platform):
            return replace(outcome, answer=Answer.FAILS, reason=Reason.REFUSED)
        return outcome

    def _value(self, name: str, value: Traced, option: Option | None, found: Effective | None = None) -> Outcome:
        if self.mode is Mode.REQUIRE:
            if all_unknown(value):
                return self._outcome(Answer.OPEN, Reason.VALUE, name, option, value)
            if blank(value):
                return self._outcome(Answer.FAILS, Reason.EMPTY, name, option, value)
        if self.constraint.condition is Condition.AT_MOST:
            outcome = self._at_most(name, value, option, found)
        else:
            shown = literal("native") if name == "cpu" and _is_host(value) else value
            answer = compare(self.constraint.condition, self.constraint.operand, shown)
            outcome = self._outcome(answer, Reason.VALUE, name, option, value)
        if self.mode is Mode.SELECT and outcome.answer is Answer.OPEN and not decided_here(value):
            return replace(outcome, answer=Answer.FAILS)
        return outcome

    def _at_most(self, name: str, value: Traced, option: Option | None, found: Effective | None) -> Outcome:
        limit = self.constraint.operand[0]
        outcome = self._outcome(Answer.FAILS, Reason.VALUE, name, option, value)
        built = outcome.platform
        if limit == "baseline":
            if built not in self.baseline:
                return replace(outcome, reason=Reason.NO_BASELINE)
            limit = self.baseline[built]
        outcome = replace(outcome, limit=limit)
        if not value.known:
            return replace(outcome, answer=Answer.OPEN)
        if _VERSION.fullmatch(limit):
            return _version_at_most(outcome, value.text, limit)
        added, changes = (found.added, found.changes) if found is not None else ((), ())
        open_words = [o for o in added if o.value is not None and not o.value.known]
        compared = _cpu_at_most(outcome, value.text, changes, limit, built)
        if compared.excess is Excess.ABOVE and added:
            beyond = tuple(o for o in added if _switch_above(limit, (o,), limit, built) is not None)
            compared = replace(compared, above=_switch_above(value.text, added, limit, built), beyond=beyond)
        return replace(compared, answer=Answer.OPEN) if open_words and compared.answer is Answer.HOLDS else compared

    def _outcome(
        self,
        answer: Answer,
        reason: Reason,
        name: str,
        option: Option | None = None,
        word: Traced | None = None,
    ) -> Outcome:
        platform = self.platform
        if self.constraint.condition is Condition.AT_MOST:
            platform = self.invocation.builds_for(platform)
        told = self.mode is Mode.REQUIRE and answer is not Answer.HOLDS and self.constraint.subject is Subject.FLAG
        joint = self.invocation.joint(name) if told else "="
        return Outcome(answer, self.constraint, reason, name, option, word, platform, joint=joint)


_VERSION = expression(r"\d+(?:\.\d+)*")


def feature(option: Option) -> str:
    """A feature switch as it is written: ``-mavx2``, ``+avx2``."""
    return option.value.shown if option.value is not None else option.word.shown


def _is_host(value: Traced) -> bool:
    if not value.known:
        return False
    from flagguard import cpu

    return cpu.is_host(value.text)


def _version_at_most(outcome: Outcome, text: str, limit: str) -> Outcome:
    if text in ("host", "native"):
        return replace(outcome, excess=Excess.HOST)
    if not _VERSION.fullmatch(text):
        return replace(outcome, excess=Excess.NO_VERSION)
    if _version(text) <= _version(limit):
        return replace(outcome, answer=Answer.HOLDS)
    return replace(outcome, excess=Excess.ABOVE)


def _version(text: str) -> tuple[int, ...]:
    parts = [int(part) for part in text.split(".")]
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)


def _cpu_at_most(outcome: Outcome, name: str, added: tuple[str, ...], limit: str, platform: str) -> Outcome:
    from flagguard import cpu  # reads the tables of CPUs, only where a rule compares them

    if cpu.is_host(name):
        return replace(outcome, excess=Excess.HOST)
    if not cpu.known(limit, platform):
        return replace(outcome, excess=Excess.LIMIT)
    compared = cpu.at_most(name, added, limit, platform)
    if compared.verdict is cpu.Verdict.YES:
        return replace(outcome, answer=Answer.HOLDS)
    if compared.verdict is cpu.Verdict.UNKNOWN_NAME:
        near = cpu.nearest(name, platform)
        return replace(outcome, excess=Excess.UNKNOWN_NAME, extra=(near,) if near else ())
    if compared.verdict is cpu.Verdict.OTHER_ARCHITECTURE:
        return replace(outcome, excess=Excess.OTHER_ARCHITECTURE)
    return replace(outcome, excess=Excess.ABOVE, extra=tuple(compared.extra))


def _switch_above(name: str, added: tuple[Option, ...], limit: str, platform: str) -> Option | None:
    """The first feature switch that goes beyond the limit; None where the CPU does without any."""
    from flagguard import cpu

    def within(*switches: str) -> bool:
        return cpu.at_most(name, switches, limit, platform).verdict is cpu.Verdict.YES

    return next((o for o in added if not within(feature(o))), None) if within() else None


def deciding_word(outcome: Outcome) -> Word | Traced | None:
    """The word to point at: the value where there is one, else the option."""
    if outcome.above is not None:
        return outcome.above.value or outcome.above.word
    if outcome.word is not None and outcome.word.route and outcome.by is None:
        return outcome.word
    option = outcome.by or outcome.option
    return option.word if option is not None else outcome.word
