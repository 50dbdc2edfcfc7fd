"""Courses of a script that differ in what they set: each is followed on its own, up to a bound.

A dialect without worlds of its own runs a script from the beginning for every combination of arms that set variables
differently; commands that all courses share are one.
"""

from collections.abc import Callable

from flagguard.command import Command
from flagguard.text import Traced
from flagguard.values import dataclass, field, replace

_MOST = 8
"""Courses that are followed. Beyond them what differs is a hole."""
_MOST_TEXT = 40_000
"""How many characters are followed in all; a long script has fewer courses."""


@dataclass
class Course:
    """One way through a script: which arm each open branch took."""

    chosen: tuple[int, ...] = ()
    most: int = _MOST
    counts: list[int] = field(default_factory=list)
    assumed: set[str] = field(default_factory=set)
    """What the arms assume."""

    def choose(self, count: int) -> int | None:
        """The arm to go on with, of ``count``; None where there are too many courses already."""
        at, product = len(self.counts), count
        for each in self.counts:
            product *= each
        if product > self.most:
            return None
        self.counts.append(count)
        return self.chosen[at] if at < len(self.chosen) else 0

    @property
    def others(self) -> list[tuple[int, ...]]:
        """The courses that leave this one at a branch that was not decided before."""
        before = len(self.chosen)
        taken = (*self.chosen, *(0 for _ in self.counts[before:]))
        return [(*taken[:i], arm) for i in range(before, len(self.counts)) for arm in range(1, self.counts[i])]


def follow_all(run: Callable[[Course], list[Command]], size: int = 0) -> list[Command]:
    """The commands of every course. ``run`` follows one of them, of a script of ``size`` characters."""
    most = min(_MOST, _MOST_TEXT // size if size else _MOST)
    first = Course(most=most)
    courses = [(first, run(first))]
    waiting = first.others
    while waiting:
        course = Course(waiting.pop(), most)
        courses.append((course, run(course)))
        waiting += course.others
    return courses[0][1] if len(courses) == 1 else _merged(courses)


def same(one: Traced | None, other: Traced | None) -> bool:
    """Whether two values are the same for all that is known, wherever they are written."""
    if one is None or other is None or not (one.known and other.known):
        return one == other
    return one.text == other.text and [p.unset for p in one.pieces] == [p.unset for p in other.pieces]


@dataclass
class _Met:
    """A command and the courses that have it, with what each says to assume."""

    command: Command
    by: dict[int, Command] = field(default_factory=dict)


def _merged(courses: list[tuple[Course, list[Command]]]) -> list[Command]:
    met: dict[object, list[_Met]] = {}
    order: list[_Met] = []
    for number, (_, commands) in enumerate(courses):
        for command in commands:
            bare = replace(command, when=())
            same = met.setdefault((command.span, tuple(command.shown)), [])
            found = next((m for m in same if number not in m.by and m.command == bare), None)
            if found is None:
                found = _Met(bare)
                same.append(found)
                order.append(found)
            found.by[number] = command
    return [c for m in order for c in _stated(m, courses)]


def _stated(met: _Met, courses: list[tuple[Course, list[Command]]]) -> list[Command]:
    """A command with what all of its courses assume, where that says which courses have it; else once for each."""
    commands = list(met.by.values())
    shared = tuple(w for w in commands[0].when if all(w in c.when for c in commands[1:]))
    assumed = {w for course, _ in courses for w in course.assumed} & set(shared)
    if {i for i, (course, _) in enumerate(courses) if assumed <= course.assumed} == set(met.by):
        return [replace(commands[0], when=shared)]
    return commands
