"""Workflow commands of GitHub Actions: an annotation for each finding and each problem.

After GitHub's "Workflow commands for GitHub Actions" (setting an error message) and the escapes of actions/toolkit,
`packages/core/src/command.ts`.
"""

from collections.abc import Iterator

from flagguard.report import text
from flagguard.report.blocks import blocks, shared_when, told_once, ways
from flagguard.report.interface import PLAIN, Checked, Listed, ProblemRecord, Proved, Style


def check(result: Checked, style: Style) -> Iterator[str]:
    for problem in result.problems:
        yield _problem(problem, style)
    # GitHub shows ten annotations of a step: one for all calls of a command
    said = (f for block in blocks(result.findings) for f in told_once(block, lambda f: (f.rule, f.severity, f.message)))
    for group in said:
        finding = group[0]
        level = "error" if finding.severity == "error" else "warning"
        told = [finding.message]
        platforms = sorted({platform for one in group for platform in one.platforms})
        unsaid = [platform for platform in platforms if platform not in finding.message]
        told += [f"on {', '.join(platforms)}"] if unsaid else []
        when = shared_when(group)
        told += [f"when {' and '.join(when)}"] if when else []
        told += [f"in {len(ways(group))} ways"] if ways(group) else []
        told += [f"decided at {finding.origin.file}:{finding.origin.line}"] if finding.origin else []
        told += [f"help: {finding.help}"] if finding.help else []
        yield _annotation(
            level,
            {
                "file": style.prefix + finding.at.file,
                "line": str(finding.at.line),
                "col": str(finding.at.column),
                "title": f"flagguard {finding.rule}",
            },
            "\n".join(told),
        )
    yield from (f"::notice title=flagguard::{_data(note)}" for note in result.notes)
    yield text.counts(result)


def commands(result: Listed, style: Style) -> Iterator[str]:
    for problem in result.problems:
        yield _problem(problem, style)
    yield from text.commands(Listed(result.commands), PLAIN)


def sabotage(result: Proved, style: Style) -> Iterator[str]:
    for problem in result.problems:
        yield _problem(problem, style)
    for edit in result.edits:
        if edit.verdict in text.BAD_VERDICTS:
            where = {"file": style.prefix + edit.file, "line": str(edit.line), "title": f"flagguard {edit.rule}"}
            yield _annotation("error", where, f"{edit.verdict}: {edit.operator}: {edit.detail}")
    yield text.proof_counts(result)


def _problem(problem: ProblemRecord, style: Style) -> str:
    where = {"file": style.prefix + problem.file, "line": str(problem.line), "title": "flagguard"}
    if problem.file == ".":  # of the tree as a whole
        where = {"title": "flagguard"}
    return _annotation("error" if problem.fatal else "warning", where, problem.message)


def _annotation(level: str, properties: dict[str, str], message: str) -> str:
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {listed}::{_data(message)}"


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")
