"""What judging comes to: findings, and the report over all files (DESIGN 6). Values only."""

from collections.abc import Mapping
from enum import Enum

from flagguard.command import Place, Word
from flagguard.exempting import Comment
from flagguard.rules import Severity
from flagguard.text import Problem, Route, Span
from flagguard.values import dataclass, field


class Verdict(Enum):
    """Why something is a finding; the values are words of the machine format."""

    MISSING = "missing"
    WRONG_VALUE = "wrong-value"
    FORBIDDEN = "forbidden"
    UNRESOLVED = "unresolved"
    NO_BASELINE = "no-baseline"
    TOO_FEW = "too-few"
    EXEMPT_EXPIRED = "exempt-expired"
    EXEMPT_WITHOUT_REASON = "exempt-without-reason"
    EXEMPT_UNUSED = "exempt-unused"


@dataclass(frozen=True)
class Finding:
    """A rule that does not hold, at a place, on platforms."""

    rule: str
    severity: Severity
    verdict: Verdict
    message: str
    """What is wrong, in one sentence without its full stop."""
    span: Span
    """Where the command's first word stands; for a rule or an exemption, where it is written."""
    place: Place | None = None
    via: tuple[Span, ...] = ()
    platforms: tuple[str, ...] = ()
    when: tuple[str, ...] = ()
    argv: tuple[Word, ...] = ()
    mark: Span | None = None
    """The word that is meant, as the command writes it; None: the command as a whole."""
    route: Route = ()
    """Where the deciding word comes from, from the use to the text as written."""
    origin: Span | None = None
    """The end of ``route``."""
    why: str = ""
    help: str | None = None

    @property
    def fails(self) -> bool:
        """Whether it makes the exit status 1."""
        return self.severity is Severity.ERROR


@dataclass(frozen=True, slots=True)
class Summary:
    """The counts of the last line; commands are counted by their places."""

    files: int = 0
    commands: int = 0
    judged: int = 0
    errors: int = 0
    warnings: int = 0
    unresolved: int = 0
    exempt: int = 0


@dataclass(frozen=True)
class Report:
    """The outcome over all files, in the order of file, place and rule."""

    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    summary: Summary = Summary()
    matched: Mapping[str, int] = field(default_factory=dict)
    """For each rule, the places that it matches."""

    @property
    def status(self) -> int:
        """The exit status: 2 could not judge, 1 findings, 0 clean."""
        if any(problem.fatal for problem in self.problems):
            return 2
        return 1 if any(finding.fails for finding in self.findings) else 0


@dataclass(frozen=True, slots=True)
class PlaceKey:
    """What `at-least` counts: a place, not its worlds, platforms or callers (DESIGN 5.1, 8)."""

    path: str
    start: int
    task: str | None
    target: str | None
    job: str | None
    step: str | None


@dataclass(frozen=True)
class Judged:
    """What the rules say of one file."""

    path: str
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    commands: frozenset[PlaceKey] = frozenset()
    judged: frozenset[PlaceKey] = frozenset()
    exempt: frozenset[PlaceKey] = frozenset()
    matched: dict[str, frozenset[PlaceKey]] = field(default_factory=dict)
    """For each rule, the places that it surely matches."""
    perhaps: dict[str, frozenset[PlaceKey]] = field(default_factory=dict)
    """For each rule, the places that it may match."""
    exemptions: frozenset[int] = frozenset()
    """The numbers of the ``[[exempt]]`` that were needed."""
    tools: frozenset[str] = frozenset()
    """The entries of ``[tools]`` that name a command,"""
    wrappers: frozenset[str] = frozenset()
    """and of ``[wrappers]``."""
    comments: tuple[Comment, ...] = ()
    comments_used: frozenset[Comment] = frozenset()
    heads: frozenset[str] = frozenset()
    """The programs of the commands, each with its first word where that may be a subcommand."""
    meant: tuple[tuple[Comment, int], ...] = ()
    """Of comments that exempt nothing: the line of the next command that breaks their rule."""
