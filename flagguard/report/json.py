"""JSON, schema 1 (DESIGN 6): the field names are a contract."""

import json
from collections.abc import Iterator

from flagguard.report.interface import (
    Checked,
    CommandRecord,
    FindingRecord,
    Listed,
    PlaceRecord,
    Point,
    ProblemRecord,
    Proved,
    Style,
)
from flagguard.values import entries

SCHEMA = 1


def check(result: Checked, style: Style) -> Iterator[str]:
    yield from _lines(
        {
            "schema": SCHEMA,
            "summary": entries(result.summary),
            "findings": [_finding(finding) for finding in result.findings],
            "problems": _problems(result.problems),
        }
    )


def commands(result: Listed, style: Style) -> Iterator[str]:
    yield from _lines(
        {
            "schema": SCHEMA,
            "commands": [_command(command) for command in result.commands],
            "problems": _problems(result.problems),
        }
    )


def sabotage(result: Proved, style: Style) -> Iterator[str]:
    yield from _lines(
        {
            "schema": SCHEMA,
            "summary": result.summary,
            "edits": [entries(edit) for edit in result.edits],
            "problems": _problems(result.problems),
        }
    )


def _lines(value: dict[str, object]) -> Iterator[str]:
    yield json.dumps(value, ensure_ascii=False, indent=2)


def _point(at: Point) -> dict[str, object]:
    return {"file": at.file, "line": at.line, "column": at.column}


def _place(place: PlaceRecord) -> dict[str, object]:
    return entries(place)


def _via(points: tuple[Point, ...]) -> list[dict[str, object]]:
    return [{"file": at.file, "line": at.line} for at in points]


def _problems(problems: tuple[ProblemRecord, ...]) -> list[dict[str, object]]:
    return [{"file": p.file, "line": p.line, "message": p.message} for p in problems]


def _finding(finding: FindingRecord) -> dict[str, object]:
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "verdict": finding.verdict,
        "message": finding.message,
        **_point(finding.at),
        "place": _place(finding.place),
        "via": _via(finding.via),
        "platforms": list(finding.platforms),
        "when": list(finding.when),
        "argv": list(finding.argv),
        "origin": _point(finding.origin) if finding.origin is not None else None,
        "help": finding.help,
    }


def _command(command: CommandRecord) -> dict[str, object]:
    return {
        **_point(command.at),
        "place": _place(command.place),
        "via": _via(command.via),
        "platforms": list(command.platforms),
        "when": list(command.when),
        "wrappers": [list(words) for words in command.wrappers],
        "program": command.argv[0] if command.argv else "",
        "argv": list(command.argv),
        "holes": [{"index": hole.index, "text": hole.text, "reason": hole.reason} for hole in command.holes],
        "env": command.env,
        "status": command.status,
    }
