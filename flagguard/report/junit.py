"""JUnit's XML, as CI servers read it (the schema of Apache Ant's junitreport; Jenkins, GitLab, Azure, Buildkite).

Each rule with findings is a test case of the suite with one failure for each; warnings are told in `system-out`. What
could not be judged is an `error`. A run in which all is well has one test case, since an empty suite is an error to
some readers.
"""

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from flagguard.patterns import expression
from flagguard.report import text
from flagguard.report.interface import Checked, Listed, ProblemRecord, Proved, Style
from flagguard.report.sentences import edit_sentence, sentence
from flagguard.values import dataclass

_NO_XML = expression("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML 1.0 document may hold (2.2 Characters)."""


@dataclass(frozen=True, slots=True)
class _Case:
    name: str
    tag: str = ""
    """`failure`, `error`; empty: passed."""
    message: str = ""
    body: str = ""
    file: str = ""
    line: int = 1
    out: str = ""


def check(result: Checked, style: Style) -> Iterator[str]:
    cases = list(_problems(result.problems, style))
    for finding in result.findings:
        file = style.prefix + finding.at.file
        spot = f"{file}:{finding.at.line}:{finding.at.column}"
        body = "\n".join(line for line in (spot, f"argv: {finding.line}" if finding.line else "", finding.help) if line)
        said = sentence(finding)
        if finding.severity == "error":
            cases.append(_Case(f"{finding.rule} {spot}", "failure", said, body, file, finding.at.line))
        else:
            told = f"warning: {said}\n{body}"
            cases.append(_Case(f"{finding.rule} {spot}", file=file, line=finding.at.line, out=told))
    yield from _suite("flagguard check", cases, text.counts(result))


def commands(result: Listed, style: Style) -> Iterator[str]:
    yield from _suite("flagguard commands", list(_problems(result.problems, style)), "")


def sabotage(result: Proved, style: Style) -> Iterator[str]:
    cases = list(_problems(result.problems, style))
    for edit in result.edits:
        name = f"{edit.rule} {edit.operator} {style.prefix}{edit.file}:{edit.line}"
        if edit.verdict in text.BAD_VERDICTS:
            said = edit_sentence(edit)
            cases.append(_Case(name, "failure", said, edit.diff, style.prefix + edit.file, edit.line))
        elif edit.verdict in ("caught", "stayed-clean"):
            cases.append(_Case(name, file=style.prefix + edit.file, line=edit.line))
    yield from _suite("flagguard sabotage", cases, text.proof_counts(result))


def _problems(problems: Iterable[ProblemRecord], style: Style) -> Iterator[_Case]:
    for problem in problems:
        if problem.fatal:
            file = "" if problem.file == "." else style.prefix + problem.file
            name = f"could not judge {file}:{problem.line}" if file else "could not judge"
            yield _Case(name, "error", problem.message, file=file, line=problem.line)


def _suite(name: str, cases: list[_Case], told: str) -> Iterator[str]:
    cases = cases or [_Case("nothing was found", out=told)]
    counted = {tag: sum(case.tag == tag for case in cases) for tag in ("failure", "error")}
    numbers = f'tests="{len(cases)}" failures="{counted["failure"]}" errors="{counted["error"]}" skipped="0" time="0"'
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f"<testsuites {numbers}>"
    yield f"  <testsuite name={_attribute(name)} {numbers}>"
    for case in cases:
        yield from _case(case, name)
    if told:
        yield f"    <system-out>{_content(told)}</system-out>"
    yield "  </testsuite>"
    yield "</testsuites>"


def _case(case: _Case, suite: str) -> Iterator[str]:
    place = f" file={_attribute(case.file)} line={_attribute(str(case.line))}" if case.file else ""
    head = f'    <testcase classname={_attribute(suite)} name={_attribute(case.name)}{place} time="0"'
    if not case.tag and not case.out:
        yield head + "/>"
        return
    yield head + ">"
    if case.tag:
        yield f"      <{case.tag} message={_attribute(case.message)}>{_content(case.body)}</{case.tag}>"
    if case.out:
        yield f"      <system-out>{_content(case.out)}</system-out>"
    yield "    </testcase>"


def _content(value: str) -> str:
    return escape(_NO_XML.sub("\ufffd", value))


def _attribute(value: str) -> str:
    return quoteattr(_NO_XML.sub("\ufffd", value), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
