"""What the steps of one job have in common, and how the courses of a step or a job come together again."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from flagguard.command import Call, Script, Variable
from flagguard.hosts.github_context import Around
from flagguard.hosts.github_worlds import Course, Plan, added, any_of, courses
from flagguard.hosts.tree import Node
from flagguard.text import SourceText, Span
from flagguard.values import dataclass, field, replace

_T = TypeVar("_T")
Thing = Script | Call


@dataclass(frozen=True)
class Defaults:
    """What `defaults.run` says."""

    shell: Node | None = None
    folder: Node | None = None


@dataclass(frozen=True)
class Job:
    """One row of a job's matrix, in one course; or a composite action that is called there."""

    id: str | None
    key: str
    source: SourceText
    """The file that its steps stand in."""
    around: Around
    defaults: Defaults = field(default_factory=Defaults)
    base: tuple[Variable, ...] = ()
    """The environment of the workflow and of the job,"""
    over: tuple[Variable, ...] = ()
    """and of the step that calls the action."""
    platforms: frozenset[str] | None = None
    runner: str | None = None
    container: bool = False
    when: tuple[str, ...] = ()
    opt_in: bool = False
    ignored: bool = False
    plan: Plan = field(default_factory=dict)
    via: tuple[Span, ...] = ()
    unit: str = ""
    order: tuple[int, ...] = ()
    needs: tuple[str, ...] = ()
    composite: bool = False
    depth: int = 0


@dataclass(frozen=True)
class Made:
    """What one step runs."""

    order: tuple[int, ...]
    thing: Thing


def together(results: Sequence[tuple[Plan, _T | None]], base: Plan) -> list[tuple[tuple[str, ...], _T]]:
    """What the courses came to, with what each assumes; None: nothing. Those that come to the same are one."""
    kept = [(plan, found) for plan, found in results if found is not None]
    if not kept:
        return []
    first = kept[0][1]
    if len(kept) == len(results) and all(found == first for _, found in kept[1:]):
        return [((), first)]
    return [(added(plan, base), found) for plan, found in kept]


@dataclass(frozen=True)
class Guard:
    """Courses in which an `if:` holds."""

    plan: Plan
    when: tuple[str, ...] = ()
    opt_in: bool = False
    """Somebody outside has to ask for it."""


Verdict = tuple[tuple[str, ...], bool]
"""What an `if:` asks for in one course, and whether somebody outside has to ask for it."""


def guarded(
    base: Plan, condition: str, decide: Callable[[Course], Verdict | None]
) -> tuple[tuple[Guard, ...], tuple[Plan, ...]]:
    """Where a condition holds, and the courses in which it does not."""
    if not condition:
        return (Guard(base),), ()
    results = courses(base, decide)
    others = tuple(plan for plan, verdict in results if verdict is None)
    guards = []
    for opt_in in (False, True):
        kept = [(plan, verdict) for plan, verdict in results if verdict is not None and verdict[1] is opt_in]
        if kept:
            asks = len(kept) < len(results) or any(said for _, (said, _) in kept)
            plan = {**base, **any_of([plan for plan, _ in kept])}
            guards.append(Guard(plan, (condition,) if asks else (), opt_in))
    return tuple(guards), others


def assuming(made: Made, labels: Sequence[str]) -> Made:
    """The same where ``labels`` hold."""
    if not labels:
        return made
    when = (*labels, *(w for w in made.thing.when if w not in labels))
    return replace(made, thing=replace(made.thing, when=when))


Tell = Callable[[SourceText, Node, str, str, bool], None]
"""Where a problem goes: its file, its place, what is wrong, the key, and whether it is fatal."""
