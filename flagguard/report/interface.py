"""What a report is given, and what a format has to offer.

Records hold no spans, no words and no rules any more: every place is a file, a line and a column (DESIGN 6), every word
is text. `records` makes them.
"""

from collections.abc import Iterator
from typing import Protocol

from flagguard.findings import Summary
from flagguard.values import dataclass, field


@dataclass(frozen=True, slots=True, order=True)
class Point:
    """A place in a file; line and column are 1-based, columns count characters."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Excerpt:
    """One line of a file, with the part of it that is meant."""

    at: Point
    text: str
    width: int
    """How many characters are meant, from ``at.column`` on."""


@dataclass(frozen=True, slots=True)
class PlaceRecord:
    host: str | None = None
    task: str | None = None
    target: str | None = None
    job: str | None = None
    step: str | None = None
    runner: str | None = None


@dataclass(frozen=True, slots=True)
class HoleRecord:
    index: int
    """The word of ``argv`` that it is in."""
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class CommandRecord:
    at: Point
    place: PlaceRecord
    via: tuple[Point, ...]
    platforms: tuple[str, ...]
    when: tuple[str, ...]
    wrappers: tuple[tuple[str, ...], ...]
    argv: tuple[str, ...]
    holes: tuple[HoleRecord, ...]
    env: dict[str, str]
    status: str
    line: str
    """The argv as one would type it."""
    origins: tuple[tuple[int, tuple[Excerpt, ...]], ...] = ()
    """The words that come from elsewhere than where the command stands: their index, and the way there."""
    opt_in: bool = False
    """Runs only where somebody asks for it by a variable's value."""


@dataclass(frozen=True, slots=True)
class FindingRecord:
    rule: str
    severity: str
    verdict: str
    message: str
    at: Point
    place: PlaceRecord
    via: tuple[Point, ...] = ()
    platforms: tuple[str, ...] = ()
    when: tuple[str, ...] = ()
    argv: tuple[str, ...] = ()
    origin: Point | None = None
    help: str = ""
    why: str = ""
    line: str = ""
    """The argv as one would type it."""
    marks: tuple[Excerpt, ...] = ()
    """The lines to show, in their order; the last one holds the offending word."""
    route: tuple[Excerpt, ...] = ()
    """Where the deciding word came from, from the use to the text as written; without the lines of ``marks``."""


@dataclass(frozen=True, slots=True)
class ProblemRecord:
    file: str
    line: int
    message: str
    fatal: bool = True


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of `check`."""

    summary: Summary
    findings: tuple[FindingRecord, ...] = ()
    problems: tuple[ProblemRecord, ...] = ()
    notes: tuple[str, ...] = ()
    """What a reader should know besides: that there is no configuration, that only some paths were asked for."""


@dataclass(frozen=True, slots=True)
class Listed:
    """The result of `commands`."""

    commands: tuple[CommandRecord, ...] = ()
    problems: tuple[ProblemRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class Style:
    """How lines may look."""

    colour: bool = False
    prefix: str = ""
    """What stands before each path: the way from the repository's top to the root, for annotations."""


PLAIN = Style()


@dataclass(frozen=True, slots=True)
class EditRecord:
    """One edit of `sabotage` and its verdict (DESIGN 6)."""

    kind: str
    operator: str
    rule: str
    file: str
    line: int
    verdict: str
    detail: str = ""
    diff: str = ""


@dataclass(frozen=True, slots=True)
class Proved:
    """The result of `sabotage`; ``summary`` has the names of DESIGN 6."""

    summary: dict[str, int | float]
    edits: tuple[EditRecord, ...] = ()
    problems: tuple[ProblemRecord, ...] = field(default=())


class Format(Protocol):
    """A format: a module with these functions, each of which gives lines without their ends."""

    def check(self, result: Checked, style: Style) -> Iterator[str]: ...

    def commands(self, result: Listed, style: Style) -> Iterator[str]: ...

    def sabotage(self, result: Proved, style: Style) -> Iterator[str]: ...
