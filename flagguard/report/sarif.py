"""SARIF 2.1.0, for code scanning (OASIS, "Static Analysis Results Interchange Format", sections in the code).

Columns count characters, so `columnKind` is said (3.14.17). What is the same finding in the next commit has the same
fingerprint (3.27.17): rule, file, message and argv, not the line.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from flagguard import __version__
from flagguard.report import text
from flagguard.report.interface import (
    Checked,
    EditRecord,
    FindingRecord,
    Listed,
    Point,
    ProblemRecord,
    Proved,
    Style,
)
from flagguard.report.sentences import edit_sentence, numbered, sentence

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning"}


def check(result: Checked, style: Style) -> Iterator[str]:
    rules = {finding.rule: finding for finding in reversed(result.findings)}
    listed = [_rule(rules[name]) for name in sorted(rules)]
    yield from _log(
        listed, [_result(f, sorted(rules), style) for f in numbered(result.findings)], result.problems, style
    )


def commands(result: Listed, style: Style) -> Iterator[str]:
    yield from _log([], [], result.problems, style)


def sabotage(result: Proved, style: Style) -> Iterator[str]:
    bad = [edit for edit in result.edits if edit.verdict in text.BAD_VERDICTS]
    rules = sorted({edit.rule for edit in bad})
    listed: list[dict[str, object]] = [{"id": name, "name": _name(name)} for name in rules]
    yield from _log(listed, [_edit(edit, rules, style) for edit in bad], result.problems, style)


def _log(
    rules: Sequence[dict[str, object]],
    results: Sequence[dict[str, object]],
    problems: Iterable[ProblemRecord],
    style: Style,
) -> Iterator[str]:
    told = [_notification(problem, style) for problem in problems]
    failed = any(notification["level"] == "error" for notification in told)
    driver = {
        "name": "flagguard",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": list(rules),
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The top of the repository."}}},
        # 3.20.14: whether the tool could do its work
        "invocations": [{"executionSuccessful": not failed, "toolExecutionNotifications": told}],
        "results": list(results),
    }
    yield json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2)


def _rule(finding: FindingRecord) -> dict[str, object]:
    """3.49 reportingDescriptor."""
    rule: dict[str, object] = {"id": finding.rule, "name": _name(finding.rule)}
    if finding.why:
        rule["shortDescription"] = {"text": finding.why}
    rule["help"] = {"text": f"`flagguard explain {finding.rule}` tells why, the sources, and how to exempt."}
    rule["defaultConfiguration"] = {"level": _LEVELS.get(finding.severity, "warning")}
    return rule


def _name(rule: str) -> str:
    return "".join(part.capitalize() for part in rule.replace("/", "-").split("-"))


def _result(one: tuple[FindingRecord, str], rules: Sequence[str], style: Style) -> dict[str, object]:
    """3.27 result."""
    finding, mark = one
    result: dict[str, object] = {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "level": _LEVELS.get(finding.severity, "warning"),
        "message": {"text": sentence(finding)},
        "locations": [_location(finding.at, style, _end(finding))],
        "partialFingerprints": {"flagguard/v1": mark},
        "properties": {
            "verdict": finding.verdict,
            "platforms": list(finding.platforms),
            "when": list(finding.when),
            "argv": list(finding.argv),
        },
    }
    related = []
    if finding.origin is not None:
        related.append(_location(finding.origin, style) | {"message": {"text": "decided here"}})
    related += [_location(point, style) | {"message": {"text": "called here"}} for point in finding.via]
    if related:
        result["relatedLocations"] = [location | {"id": number} for number, location in enumerate(related)]
    return result


def _end(finding: FindingRecord) -> int | None:
    """The column behind the program's word, where its line is shown."""
    mark = next((m for m in finding.marks if m.at == finding.at and m.width), None)
    return finding.at.column + mark.width if mark is not None else None


def _location(at: Point, style: Style, end: int | None = None) -> dict[str, object]:
    """3.28 location."""
    region: dict[str, object] = {"startLine": at.line, "startColumn": at.column}
    if end is not None:
        region["endColumn"] = end
    return {"physicalLocation": {"artifactLocation": _artifact(at.file, style), "region": region}}


def _artifact(file: str, style: Style) -> dict[str, object]:
    """3.4: a relative reference (RFC 3986) below a base that the reader knows."""
    path = (style.prefix + file).encode("utf-8", "surrogateescape")
    return {"uri": quote(path, safe="/@!$&'()*+,;=~"), "uriBaseId": "SRCROOT"}


def _notification(problem: ProblemRecord, style: Style) -> dict[str, object]:
    """3.58: what kept the tool from judging."""
    told: dict[str, object] = {
        "level": "error" if problem.fatal else "note",
        "message": {"text": problem.message},
    }
    if problem.file != ".":
        told["locations"] = [_location(Point(problem.file, problem.line, 1), style)]
    return told


def _edit(edit: EditRecord, rules: Sequence[str], style: Style) -> dict[str, object]:
    return {
        "ruleId": edit.rule,
        "ruleIndex": rules.index(edit.rule),
        "level": "error",
        "message": {"text": edit_sentence(edit)},
        "locations": [_location(Point(edit.file, max(edit.line, 1), 1), style)],
        "properties": {"operator": edit.operator, "verdict": edit.verdict, "diff": edit.diff},
    }
