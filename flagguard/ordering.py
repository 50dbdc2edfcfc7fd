"""What a rule asks of a command's place (DESIGN 5): what runs before it in its job, which jobs that waits for, and
whether anybody would notice that it fails.

Knows commands and rules; the facts themselves (`order`, `needs`, `status`) are the hosts' and the shell's business.
"""

from collections.abc import Iterator, Sequence

from flagguard import globs
from flagguard.answers import Answer
from flagguard.command import BESIDE, Command, Status
from flagguard.config import Config
from flagguard.judging import Clause, Judgement, Read, matching
from flagguard.values import replace


def placings(
    judgement: Judgement, commands: Sequence[Command], config: Config, read: Read | None = None
) -> Iterator[Judgement]:
    """What `after`, `needs` and `status` come to where a rule matches. ``commands``: all that the file runs."""
    rule, command = judgement.rule, judgement.command
    if rule.honoured:
        told = "" if command.status is Status.HONOURED else f"nobody notices when `{judgement.name}` fails here"
        yield _judged(judgement, Clause.STATUS, told)
    if rule.needs:
        yield _judged(judgement, Clause.NEEDS, _unmet_needs(rule.needs, command, commands))
    if rule.after:
        yield _judged(judgement, Clause.AFTER, _unmet_after(judgement, commands, config, read))


def _judged(base: Judgement, clause: Clause, told: str) -> Judgement:
    answer = Answer.HOLDS if not told else Answer.FAILS if base.sure else Answer.OPEN
    return replace(base, clause=clause, answer=answer, told=told)


# -- needs ------------------------------------------------------------------------------------------------------------


def _job(command: Command) -> str:
    """The job's own name, without the row of its matrix."""
    return (command.place.job or "").partition(" (")[0]


def _unmet_needs(patterns: Sequence[str], command: Command, commands: Sequence[Command]) -> str:
    own = _job(command)
    if not own:
        return "this command stands in no job, so it waits for none"
    jobs = {job for other in commands if (job := _job(other)) and job != own}
    for pattern in patterns:
        wanted = sorted(job for job in jobs if any(globs.matches(pattern, name) for name in _names(job)))
        if not wanted:
            return f"no job of this workflow is `{pattern}`"
        missing = [job for job in wanted if not set(_names(job)) & set(command.needs)]
        if missing:
            return f"the job `{own}` does not wait for `{missing[0]}`: its `needs` do not reach it"
    return ""


def _names(job: str) -> list[str]:
    """A job of a called workflow is reached as well through the job that calls it."""
    parts = job.split(" / ")
    return [" / ".join(parts[:n]) for n in range(1, len(parts) + 1)] + parts[1:]


# -- after ------------------------------------------------------------------------------------------------------------


def _unmet_after(judgement: Judgement, commands: Sequence[Command], config: Config, read: Read | None) -> str:
    command, names = judgement.command, judgement.rule.after
    shown = " or ".join(f"`{name}`" for name in names)
    there = [c for c in commands if _same_job(c, command) and matching(c, names, config, read) is Answer.HOLDS]
    if not there:
        return f"{shown} does not run in this job"
    before = [c for c in there if _earlier(c, command)]
    if not before:
        return f"{shown} runs after this command, and not before it"
    for other in before:
        on_platform = not other.platforms or not judgement.platform or judgement.platform in other.platforms
        if on_platform and not other.opt_in and set(other.when) <= set(command.when):
            return ""
    return f"{shown} does not run before this command in every course"


def _same_job(one: Command, other: Command) -> bool:
    if one.place.job is None or other.place.job is None:
        mine, theirs = one.place, other.place
        same = (mine.host, mine.task, mine.target, mine.job) == (theirs.host, theirs.task, theirs.target, theirs.job)
        return same and one.span.path == other.span.path
    if _job(one) != _job(other):
        return False
    rows = [job for c in (one, other) if " (" in (job := c.place.job or "")]
    return len(rows) < 2 or rows[0] == rows[1]


def _earlier(one: Command, other: Command) -> bool:
    if one.order != other.order:
        together = BESIDE in one.order[1:2] and one.order[:4] == other.order[:4]
        return one.order < (other.order if together else _begins(other.order))
    mine, theirs = one.root or one.span, other.root or other.span
    return mine.path == theirs.path and (mine.start, one.span.start) < (theirs.start, other.span.start)


def _begins(order: tuple[int, ...]) -> tuple[int, ...]:
    """Where a step begins: one that runs beside others is ordered by its end."""
    return order[2:3] if BESIDE in order[1:2] else order
