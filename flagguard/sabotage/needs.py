"""What there is to prove: each requirement that a command meets, each forbidden thing that it does not do, each rule
that only asks for its command.

Exemptions stay in force: what is exempt needs nothing. Reads judgements; knows nothing of edits.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from flagguard.answers import Answer
from flagguard.command import Command, Place
from flagguard.config import Config
from flagguard.constraints import Outcome
from flagguard.engine import FileCommands
from flagguard.exempting import Comment
from flagguard.judging import Clause, Judgement, Read, judgements
from flagguard.rules import Requirement, Rule
from flagguard.text import Span
from flagguard.tools.invocation import Invocation
from flagguard.values import dataclass


@dataclass(frozen=True)
class Need:
    """One thing that one command does right, on one platform, in one world."""

    rule: Rule
    clause: Clause
    command: Command
    invocation: Invocation
    platform: str
    name: str
    requirement: Requirement | None = None
    outcome: Outcome | None = None

    @property
    def span(self) -> Span:
        """Where a finding would point: the program, or the wrapper that the rule speaks of."""
        if self.invocation.argv is self.command.argv:
            return self.command.span
        first = self.invocation.argv[0]
        return first.written or (first.route[0] if first.route else self.command.span)


def needs(
    files: Iterable[FileCommands],
    config: Config,
    comments: Callable[[FileCommands], Sequence[Comment]],
    read: Read | None = None,
) -> Iterator[Need]:
    """Everything that the tree does right, in the order of its files and commands; ``read`` opens response files."""
    counted = frozenset(rule.id for rule in config.rules if rule.at_least)
    for found in files:
        spoken = comments(found)
        for command in found.commands:
            for judgement in judgements(command, config, read):
                if judgement.exemption is None and judgement.sure and not _exempted(judgement, command, spoken):
                    yield from _need(judgement, counted)


def _exempted(judgement: Judgement, command: Command, spoken: Sequence[Comment]) -> bool:
    return any(c.rule == judgement.rule.id and c.covers(command) for c in spoken)


def _need(judgement: Judgement, counted: frozenset[str]) -> Iterator[Need]:
    rule, clause = judgement.rule, judgement.clause
    if clause is Clause.EXISTS:
        asks = rule.require or rule.forbid or rule.never
        wanted = rule.id in counted and not asks and not judgement.command.opt_in
    else:
        wanted = clause in (Clause.REQUIRE, Clause.FORBID) and judgement.answer is Answer.HOLDS
    if wanted:
        yield Need(
            rule,
            clause,
            judgement.command,
            judgement.invocation,
            judgement.platform,
            judgement.name,
            judgement.requirement,
            judgement.outcome,
        )


def same_place(one: Place | None, other: Place | None) -> bool:
    """Whether two places are one, whatever runner they stand on and whatever row of a matrix a job is named after."""
    if one is None or other is None:
        return one is other
    return _facts(one) == _facts(other)


def _facts(place: Place) -> tuple[str | None, ...]:
    job = place.job.split(" (")[0].split(": [")[0] if place.job is not None else None
    return place.host, place.task, place.target, job, place.step
