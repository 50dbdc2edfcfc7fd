"""What formats for machines share: a finding as one sentence, and what makes it the same in the next commit."""

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256

from flagguard.report.interface import EditRecord, FindingRecord


def sentence(finding: FindingRecord) -> str:
    """What is wrong, on which platforms and when, and what to write instead."""
    said = finding.message
    if any(platform not in said for platform in finding.platforms):
        said += f" on {', '.join(finding.platforms)}"
    if finding.when:
        said += f", when {' and '.join(finding.when)}"
    help = "; ".join(line.strip() for line in finding.help.splitlines() if line.strip())
    return f"{said}. Help: {help}" if help else said


def edit_sentence(edit: EditRecord) -> str:
    return f"{edit.verdict}: {edit.operator}" + (f": {edit.detail}" if edit.detail else "")


def digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def fingerprint(finding: FindingRecord) -> str:
    """The same for the same finding after lines were added above it."""
    place = (finding.place.task, finding.place.target, finding.place.job, finding.place.step)
    return digest(
        *(finding.rule, finding.verdict, finding.at.file, finding.message),
        *(*finding.platforms, "", *finding.argv, ""),
        *(*(fact or "" for fact in place), *(point.file for point in finding.via), "", *finding.when),
    )


def numbered(findings: Sequence[FindingRecord]) -> Iterator[tuple[FindingRecord, str]]:
    """Each with its fingerprint; of equal ones all but the first have a number."""
    seen: Counter[str] = Counter()
    for finding in findings:
        mark = fingerprint(finding)
        seen[mark] += 1
        yield finding, mark if seen[mark] == 1 else f"{mark}-{seen[mark]}"
