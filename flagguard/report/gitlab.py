"""GitLab's code quality report (docs.gitlab.com, "Code Quality", "Code Quality report format").

A list of objects with `description`, `check_name`, `fingerprint`, `location.path`, `location.lines.begin` and
`severity`: info, minor, major, critical or blocker. What could not be judged is a blocker: it must not look clean.
"""

import json
from collections.abc import Iterator

from flagguard.report import text
from flagguard.report.interface import Checked, Listed, ProblemRecord, Proved, Style
from flagguard.report.sentences import digest, edit_sentence, numbered, sentence


def check(result: Checked, style: Style) -> Iterator[str]:
    entries = [_problem(problem, style) for problem in result.problems if problem.fatal]
    for finding, mark in numbered(result.findings):
        severity = "major" if finding.severity == "error" else "minor"
        entries.append(_entry(sentence(finding), finding.rule, mark, finding.at.file, finding.at.line, severity, style))
    yield _list(entries)


def commands(result: Listed, style: Style) -> Iterator[str]:
    yield _list([_problem(problem, style) for problem in result.problems if problem.fatal])


def sabotage(result: Proved, style: Style) -> Iterator[str]:
    entries = [_problem(problem, style) for problem in result.problems if problem.fatal]
    for edit in result.edits:
        if edit.verdict in text.BAD_VERDICTS:
            mark = digest(edit.rule, edit.operator, edit.file, edit.diff, edit.detail)
            entries.append(_entry(edit_sentence(edit), edit.rule, mark, edit.file, edit.line, "major", style))
    yield _list(entries)


def _list(entries: list[dict[str, object]]) -> str:
    return json.dumps(entries, ensure_ascii=False, indent=2)


def _problem(problem: ProblemRecord, style: Style) -> dict[str, object]:
    mark = digest("problem", problem.file, problem.message)
    return _entry(problem.message, "flagguard", mark, problem.file, problem.line, "blocker", style)


def _entry(
    description: str, check_name: str, mark: str, file: str, line: int, severity: str, style: Style
) -> dict[str, object]:
    return {
        "description": description,
        "check_name": check_name,
        "fingerprint": mark,
        "severity": severity,
        "location": {"path": style.prefix + file if file != "." else ".", "lines": {"begin": max(line, 1)}},
    }
