"""Courses of events in a workflow: where nobody can know how it goes on, each course is looked at apart.

What is chosen between (an event, the value of an input, whether a condition holds) has a key, so that all who ask the
same in one course get the same answer. Knows nothing of workflows.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from flagguard.values import dataclass

_T = TypeVar("_T")

MOST = 8
"""Courses that one computation is followed in."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What may be taken of the options; nothing: there were too many courses to follow it."""

    taken: tuple[int, ...]
    options: tuple[str, ...]

    @property
    def label(self) -> str:
        return self.options[self.taken[0]] if len(self.taken) == 1 else ""


Plan = Mapping[str, Choice]
"""A course: what was chosen, by key."""


class _Fork(Exception):
    def __init__(self, key: str, choice: Choice) -> None:
        self.key, self.choice = key, choice


class Course:
    """One course while it is followed."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def choose(self, key: str, options: Sequence[str]) -> int | None:
        if len(options) < 2:
            return 0 if options else None
        found = self.plan.get(key) or Choice(tuple(range(len(options))), tuple(options))
        if len(found.taken) > 1:
            raise _Fork(key, found)
        return found.taken[0] if found.taken else None


class Fixed(Course):
    """A course in which nothing new is asked."""

    def choose(self, key: str, options: Sequence[str]) -> int | None:
        found = self.plan.get(key)
        if found is None:
            return 0 if len(options) == 1 else None
        return found.taken[0] if len(found.taken) == 1 else None


NO_COURSE = Course({})
"""Before any course is followed."""


def courses(base: Plan, compute: Callable[[Course], _T]) -> list[tuple[Plan, _T]]:
    """``compute`` in every course that its choices make; it is run again for each."""
    out: list[tuple[Plan, _T]] = []
    plans: list[Plan] = [base]
    while plans:
        plan = plans.pop()
        try:
            out.append((plan, compute(Course(plan))))
        except _Fork as fork:
            choice = fork.choice
            room = MOST - len(out) - len(plans)
            several = [(one,) for one in choice.taken] if len(choice.taken) <= room else [()]
            plans += [{**plan, fork.key: Choice(one, choice.options)} for one in reversed(several)]
    return out


def any_of(plans: Sequence[Plan]) -> Plan:
    """What several courses have in common: of what was chosen, all that one of them takes."""
    first = plans[0]
    out: dict[str, Choice] = {}
    for key, choice in first.items():
        if all(key in plan for plan in plans):
            taken = tuple(sorted({one for plan in plans for one in plan[key].taken}))
            sure = all(plan[key].taken for plan in plans)
            out[key] = Choice(taken if sure else (), choice.options)
    return out


def added(plan: Plan, base: Plan) -> tuple[str, ...]:
    """What a course assumes besides another."""
    return tuple(c.label for key, c in plan.items() if base.get(key) != c and c.label)


def agrees(plan: Plan, course: Course) -> bool | None:
    """Whether what happened in ``plan`` happens in the course; None where the course does not tell."""
    sure = True
    for key, choice in plan.items():
        if not choice.taken or len(choice.taken) == len(choice.options):
            sure = sure and bool(choice.taken)
            continue
        known = course.plan.get(key)
        if known is not None and known.taken and set(known.taken) <= set(choice.taken):
            continue
        taken = course.choose(key, choice.options)
        if taken is None:
            sure = False
        elif taken not in choice.taken:
            return False
    return True if sure else None
