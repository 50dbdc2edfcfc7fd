"""From commands, findings and problems to the records that a report shows.

Turns every span into file, line and column. Knows how a word is shown; knows nothing of formats.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from flagguard.command import Command, Place, Word
from flagguard.findings import Finding
from flagguard.patterns import expression
from flagguard.report.interface import (
    CommandRecord,
    Excerpt,
    FindingRecord,
    HoleRecord,
    PlaceRecord,
    Point,
    ProblemRecord,
)
from flagguard.text import Problem, Route, SourceText, Span, Traced
from flagguard.values import entries, replace

_BARE = expression(r"[\w@%+=:,./-]+|\[\[?|\]\]?|\{\}", re.ASCII)


class Spots:
    """Where spans stand in their files."""

    def __init__(self, read: Callable[[str], SourceText | None]) -> None:
        self._read = read

    def point(self, span: Span) -> Point:
        source = self._read(span.path)
        if source is None:
            return Point(span.path, 1, 1)
        return Point(span.path, *source.position(span.start))

    def excerpt(self, span: Span) -> Excerpt:
        """The line on which the span begins."""
        at = self.point(span)
        source = self._read(span.path)
        if source is None:
            return Excerpt(at, "", 0)
        line = source.line(at.line)
        return Excerpt(at, line, max(min(span.end - span.start, len(line) - at.column + 1), 0))

    def route(self, route: Route) -> tuple[Excerpt, ...]:
        """Each step of a route; what stands at the same place twice once."""
        return tuple(dict.fromkeys(self.excerpt(span) for span in route))


def place_record(place: Place | None) -> PlaceRecord:
    return PlaceRecord(**entries(place)) if place is not None else PlaceRecord()


def problem_record(problem: Problem) -> ProblemRecord:
    message = problem.message
    if problem.key is not None and problem.key not in message:
        message = f"{problem.key}: {message}"
    return ProblemRecord(problem.path, problem.line, message, problem.fatal)


def problem_records(problems: Iterable[Problem]) -> tuple[ProblemRecord, ...]:
    """By file and line, each once."""
    return tuple(dict.fromkeys(problem_record(problem) for problem in sorted(problems)))


def command_record(command: Command, spots: Spots) -> CommandRecord:
    return CommandRecord(
        at=spots.point(command.span),
        place=place_record(command.place),
        via=tuple(spots.point(span) for span in command.via),
        platforms=command.platforms,
        when=command.when,
        wrappers=tuple(tuple(word.shown for word in words) for words in command.wrappers),
        argv=tuple(word.shown for word in command.argv),
        holes=tuple(_holes(command.argv)),
        env=shown(command.env),
        status=command.status.value,
        line=spelled(command.argv),
        origins=tuple(_origins(command, spots)),
        opt_in=command.opt_in,
    )


def finding_record(finding: Finding, spots: Spots) -> FindingRecord:
    marks = _marks(finding, spots)
    lines = {(mark.at.file, mark.at.line) for mark in marks}
    route = tuple(step for step in spots.route(finding.route) if (step.at.file, step.at.line) not in lines)
    return FindingRecord(
        rule=finding.rule,
        severity=finding.severity.value,
        verdict=finding.verdict.value,
        message=finding.message,
        at=spots.point(finding.span),
        place=place_record(finding.place),
        via=tuple(spots.point(span) for span in finding.via),
        platforms=finding.platforms,
        when=finding.when,
        argv=tuple(word.shown for word in finding.argv),
        origin=spots.point(finding.origin) if finding.origin is not None else None,
        help=finding.help or "",
        why=finding.why,
        line=spelled(finding.argv),
        marks=marks,
        route=route,
    )


def finding_records(findings: Iterable[Finding], spots: Spots) -> tuple[FindingRecord, ...]:
    """By file, line, column and rule."""
    records = (finding_record(finding, spots) for finding in findings)
    return tuple(sorted(records, key=lambda r: (r.at, r.rule, r.platforms, r.when, r.verdict, r.message)))


def _marks(finding: Finding, spots: Spots) -> tuple[Excerpt, ...]:
    """The line of the command, then that of the word that is meant, where it is another one."""
    command = spots.excerpt(finding.span)
    if finding.mark is None:
        return (command,)
    meant = spots.excerpt(finding.mark)
    if (meant.at.file, meant.at.line) == (command.at.file, command.at.line):
        return (meant,)
    return (replace(command, width=0), meant)


def shown(env: Mapping[str, Traced]) -> dict[str, str]:
    """The environment as text, by name."""
    return {name: env[name].shown for name in sorted(env)}


def spelled(argv: Sequence[Traced]) -> str:
    """The argv as one would type it in a shell; holes as their source wrote them."""
    return " ".join(quoted(word) for word in argv)


def quoted(word: Traced) -> str:
    """A word as one would type it."""
    text = word.shown
    if word.holes:
        known = "".join(piece.text for piece in word.pieces if piece.hole is None)
        return text if _BARE.fullmatch(known + "x") else f'"{text}"'
    return text if _BARE.fullmatch(text) else "'" + text.replace("'", "'\\''") + "'"


def _holes(argv: Sequence[Word]) -> Iterator[HoleRecord]:
    for index, word in enumerate(argv):
        for hole in word.holes:
            yield HoleRecord(index, hole.text, hole.reason)


def _origins(command: Command, spots: Spots) -> Iterator[tuple[int, tuple[Excerpt, ...]]]:
    """The way of each word that was not written where the command stands."""
    for index, word in enumerate(command.argv):
        route = word.route
        if len(route) > 1 or (route and not _inside(route[-1], command.extent)):
            yield index, spots.route(route)


def _inside(span: Span, extent: Span) -> bool:
    return span.path == extent.path and extent.start <= span.start and span.end <= extent.end
