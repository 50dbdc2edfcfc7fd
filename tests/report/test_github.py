"""Annotations for GitHub Actions."""

from flagguard.findings import Summary
from flagguard.report import github
from flagguard.report.interface import (
    PLAIN,
    Checked,
    EditRecord,
    FindingRecord,
    PlaceRecord,
    Point,
    ProblemRecord,
    Proved,
    Style,
)


def test_findings_and_problems_become_annotations() -> None:
    finding = FindingRecord(
        "pinned",
        "error",
        "missing",
        "50% of it\r\nis gone: `a,b::c`",
        Point("a,b:c%.yml", 3, 4),
        PlaceRecord("github"),
        platforms=("linux-x86_64",),
        when=("x", "y"),
        origin=Point("z", 1, 1),
        help="--flag",
    )
    warning = FindingRecord("w", "warning", "missing", "m", Point("a", 1, 1), PlaceRecord("github"))
    problems = (ProblemRecord("p", 2, "broken"), ProblemRecord("p", 3, "told", fatal=False))
    assert list(github.check(Checked(Summary(), (finding, warning), problems), PLAIN)) == [
        "::error file=p,line=2,title=flagguard::broken",
        "::warning file=p,line=3,title=flagguard::told",
        "::error file=a%2Cb%3Ac%25.yml,line=3,col=4,title=flagguard pinned::50%25 of it%0D%0Ais gone: `a,b::c`"
        "%0Aon linux-x86_64%0Awhen x and y%0Adecided at z:1%0Ahelp: --flag",
        "::warning file=a,line=1,col=1,title=flagguard w::m",
        "0 files, 0 commands, 0 judged: 0 errors, 0 warnings, 0 unresolved, 0 exempt; "
        "1 problem: not everything could be judged",
    ]


def test_paths_count_from_the_top_of_the_repository() -> None:
    result = Checked(Summary(), problems=(ProblemRecord("Makefile", 2, "broken"),))
    assert next(github.check(result, Style(prefix="sub/dir/"))).startswith("::error file=sub/dir/Makefile,")


def test_only_bad_edits_are_annotated() -> None:
    edits = (
        EditRecord("sabotage", "o", "r", "a", 1, "caught"),
        EditRecord("harmless", "o", "r", "a", 1, "false-alarm"),
    )
    lines = list(github.sabotage(Proved({}, edits), PLAIN))
    assert [line.partition("::")[2][:30] for line in lines[:-1]] == ["error file=a,line=1,title=flag"]


def test_platforms_are_said_once() -> None:
    message = "`X` is empty on linux-x86_64"
    finding = FindingRecord(
        "r", "error", "missing", message, Point("a", 1, 1), PlaceRecord(), platforms=("linux-x86_64",)
    )
    line = next(github.check(Checked(Summary(), (finding,)), PLAIN))
    assert line.count("linux-x86_64") == 1


def test_notes_and_problems_of_the_whole_tree_have_no_place() -> None:
    result = Checked(Summary(), problems=(ProblemRecord(".", 1, "nothing to read"),), notes=("50% of it",))
    assert list(github.check(result, Style(prefix="sub/")))[:2] == [
        "::error title=flagguard::nothing to read",
        "::notice title=flagguard::50%25 of it",
    ]
