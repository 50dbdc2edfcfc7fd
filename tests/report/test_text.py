"""The report for people."""

from dataclasses import replace

import pytest

from flagguard.findings import Summary
from flagguard.report import text
from flagguard.report.interface import (
    PLAIN,
    Checked,
    CommandRecord,
    EditRecord,
    Excerpt,
    FindingRecord,
    HoleRecord,
    Listed,
    PlaceRecord,
    Point,
    ProblemRecord,
    Proved,
    Style,
)

FINDING = FindingRecord(
    rule="ship-is-pinned",
    severity="error",
    verdict="wrong-value",
    message="`--target-cpu` is `native`",
    at=Point("pyproject.toml", 76, 1),
    place=PlaceRecord("poe", task="dist-cli"),
    platforms=("linux-x86_64", "macos-arm64"),
    when=("$FAST is set",),
    argv=("mojo", "build", "--target-cpu", "native", "src/cli.mojo"),
    origin=Point("pyproject.toml", 70, 24),
    help='--target-cpu "x86-64-v2"',
    why="mojo build compiles for the host CPU when it is not told otherwise",
    line="mojo build --target-cpu native src/cli.mojo",
    marks=(Excerpt(Point("pyproject.toml", 76, 25), 'mojo build --target-cpu "$tcpu" \\', 7),),
    route=(
        Excerpt(Point("pyproject.toml", 76, 26), 'mojo build --target-cpu "$tcpu" \\', 5),
        Excerpt(Point("pyproject.toml", 70, 24), "  Linux-x86_64)  tcpu=native ;;", 6),
    ),
)


def shown(finding: FindingRecord, style: Style = PLAIN) -> list[str]:
    lines = "\n".join(text.check(Checked(Summary(), (finding,)), style)).splitlines()
    return lines[:-2]


def test_a_finding_says_what_where_on_what_why_and_what_to_write() -> None:
    assert shown(FINDING) == [
        "pyproject.toml:76:1: error[ship-is-pinned]: `--target-cpu` is `native`",
        '  76 | mojo build --target-cpu "$tcpu" \\',
        "     |                         ^^^^^^^",
        "  place:     task dist-cli",
        "  platforms: linux-x86_64, macos-arm64",
        "  when:      $FAST is set",
        '  from:      pyproject.toml:76:26: mojo build --target-cpu "$tcpu" \\',
        "             pyproject.toml:70:24: Linux-x86_64)  tcpu=native ;;",
        "  argv:      mojo build --target-cpu native src/cli.mojo",
        "  why:       mojo build compiles for the host CPU when it is not told otherwise",
        '  help:      --target-cpu "x86-64-v2"',
    ]


def test_what_is_not_known_takes_no_line() -> None:
    bare = FindingRecord("r", "warning", "too-few", "2 of 3", Point("flagguard.toml", 3, 6), PlaceRecord())
    assert shown(bare) == ["flagguard.toml:3:6: warning[r]: 2 of 3"]


@pytest.mark.parametrize(
    ("line", "column", "width", "expected"),
    [
        ("\tcc -O2 x.c", 5, 3, ["    cc -O2 x.c", "       ^^^"]),
        ("e\u0301 cc", 4, 2, ["e\u0301 cc", "  ^^"]),
        ("echo 漢字; cc", 10, 2, ["echo 漢字; cc", "           ^^"]),
        ("cc \x1b[2J -O2", 9, 3, ["cc \\x1b[2J -O2", "           ^^^"]),
        ("cc \u202e -O2", 6, 3, ["cc \\u202e -O2", "          ^^^"]),
        ("x" * 400 + " cc " + "y" * 400, 402, 2, None),
        ("cc", 1, 0, ["cc"]),
    ],
)
def test_carets_stand_under_the_word(line: str, column: int, width: int, expected: list[str] | None) -> None:
    lines = shown(replace(FINDING, at=Point("a", 7, 1), marks=(Excerpt(Point("a", 7, column), line, width),)))[1:3]
    if expected is None:
        assert all(len(line) < 170 for line in lines)
        start = lines[1].index("^^")
        assert lines[0][start : start + 2] == "cc"
    else:
        assert [line.partition("| ")[2] for line in lines[: len(expected)]] == expected


def test_several_lines_are_shown_in_their_order() -> None:
    marks = (Excerpt(Point("a", 9, 1), "mojo build \\", 0), Excerpt(Point("a", 11, 3), "  --target-cpu native", 12))
    assert shown(replace(FINDING, at=Point("a", 9, 1), marks=marks))[1:5] == [
        "   9 | mojo build \\",
        "  …",
        "  11 |   --target-cpu native",
        "     |   ^^^^^^^^^^^^",
    ]


def test_a_finding_fits_a_screen() -> None:
    step = FINDING.route[0]
    long = replace(
        FINDING,
        line="cc " + "-DX=1 " * 5000,
        message="m",
        via=tuple(Point("a", n, 1) for n in range(1, 100)),
        route=tuple(replace(step, at=Point("a", n, 1)) for n in range(1, 100)),
        marks=tuple(Excerpt(Point("a", n, 1), "x" * 9999, 9999) for n in range(1, 100)),
    )
    lines = shown(long)
    assert len(lines) <= 40
    assert max(len(line) for line in lines) < 260


def test_colour_only_when_asked() -> None:
    assert "\x1b[" not in "\n".join(shown(FINDING))
    assert "\x1b[31;1merror[ship-is-pinned]\x1b[0m" in "\n".join(shown(FINDING, Style(colour=True)))


def test_counts_are_the_last_line() -> None:
    summary = Summary(files=1, commands=14, judged=6, errors=1, warnings=0, unresolved=2, exempt=3)
    result = Checked(summary, problems=(ProblemRecord("a", 1, "x"), ProblemRecord("a", 2, "y", fatal=False)))
    lines = list(text.check(result, PLAIN))
    assert lines[0:2] == ["a:1: problem: x", "a:2: note: y"]
    assert lines[-1] == (
        "1 file, 14 commands, 6 judged: 1 error, 0 warnings (2 of them unresolved), 3 exempt; "
        "1 problem: not everything could be judged"
    )
    assert text.counts(Checked(summary)).endswith("3 exempt")
    assert text.counts(Checked(replace(summary, unresolved=0))).endswith("0 warnings, 0 unresolved, 3 exempt")


def test_what_is_said_about_one_word_is_one_block() -> None:
    mark = (Excerpt(Point("a.sh", 4, 1), "mojo build a.mojo", 4),)
    base = replace(FINDING, at=Point("a.sh", 4, 1), place=PlaceRecord("shellscript"), marks=mark, route=(), when=())
    base = replace(base, verdict="missing", line="mojo build a.mojo", why="it tunes", help="write `--target-cpu x`")
    one = replace(base, rule="a", message="no CPU", platforms=("linux-x86_64",))
    two = replace(base, rule="a", message="no other CPU", platforms=("macos-arm64",), help="write `--target-cpu y`")
    same = replace(one, rule="b", why="")
    open_ = replace(one, rule="c", verdict="unresolved", message="may be", severity="warning", help="")
    elsewhere = replace(one, rule="d", marks=(replace(mark[0], at=Point("a.sh", 4, 6)),))
    lines = "\n".join(text.check(Checked(Summary(), (one, two, same, open_, elsewhere)), PLAIN)).splitlines()
    assert lines[:12] == [
        "a.sh:4:1: error[a, b]: no CPU",
        "          error[a]: no other CPU",
        "          warning[c, unresolved]: may be",
        "  4 | mojo build a.mojo",
        "    | ^^^^",
        "  platforms: linux-x86_64, macos-arm64",
        "  argv:      mojo build a.mojo",
        "  why:       it tunes",
        "  help:      write `--target-cpu x` on linux-x86_64",
        "             write `--target-cpu y` on macos-arm64",
        "             write `--target-cpu x`",
        "",
    ]
    assert lines[12] == "a.sh:4:1: error[d]: no CPU"


def test_help_that_differs_on_one_platform_does_not_name_it() -> None:
    base = replace(FINDING, platforms=("linux-x86_64",), marks=(), route=(), via=(), when=())
    two = (replace(base, help="add `--x`"), replace(base, message="another", help="add `--y`"))
    lines = "\n".join(text.check(Checked(Summary(), two), PLAIN)).splitlines()
    assert [line.strip() for line in lines if "add" in line] == ["help:      add `--x`", "add `--y`"]


def test_findings_of_the_configuration_stay_apart() -> None:
    bare = FindingRecord("r", "error", "too-few", "none", Point("flagguard.toml", 3, 6), PlaceRecord())
    lines = list(text.check(Checked(Summary(), (bare, replace(bare, rule="s"))), PLAIN))
    assert lines[:3] == ["flagguard.toml:3:6: error[r]: none", "", "flagguard.toml:3:6: error[s]: none"]


def test_a_block_of_many_rules_fits_a_screen() -> None:
    group = tuple(
        replace(
            FINDING,
            rule=f"r{n}",
            message=f"m{n}",
            why=f"because {n}",
            help="\n".join(f"line {k}" for k in range(50)),
            via=tuple(Point("a", k, 1) for k in range(1, 100)),
            route=tuple(replace(FINDING.route[0], at=Point("a", k, 1)) for k in range(1, 100)),
            marks=tuple(Excerpt(Point(f"f{k}", 3 * k, 1), "x" * 99, 9) for k in range(1, 100)),
        )
        for n in range(30)
    )
    lines = "\n".join(text.check(Checked(Summary(), group), PLAIN)).splitlines()
    assert len(lines) <= 42
    assert "  … and 25 more" in lines


def test_a_problem_of_the_tree_as_a_whole_has_no_place() -> None:
    lines = list(text.check(Checked(Summary(), problems=(ProblemRecord(".", 1, "nothing to read"),)), PLAIN))
    assert lines[0] == "problem: nothing to read"


def test_a_command_with_everything() -> None:
    command = CommandRecord(
        at=Point("Makefile", 3, 2),
        place=PlaceRecord("makefile", target="all"),
        via=(Point("ci.yml", 9, 5),),
        platforms=("linux-x86_64",),
        when=("$CC is not set",),
        wrappers=(("sudo", "-E"), ("ccache",)),
        argv=("cc", "-O2", "$X"),
        holes=(HoleRecord(2, "$X", "nothing in the repository sets it"),),
        env={"A": "1", "B": "2"},
        status="ignored",
        line="cc -O2 $X",
        opt_in=True,
        origins=((1, (Excerpt(Point("Makefile", 1, 10), "CFLAGS = -O2", 3),)),),
    )
    assert list("\n".join(text.commands(Listed((command,)), PLAIN)).splitlines()) == [
        "Makefile:3:2: target all | linux-x86_64",
        "    cc -O2 $X",
        "  env:       A=1 B=2",
        "  through:   sudo -E",
        "             ccache",
        "  when:      $CC is not set (only where somebody asks for it)",
        "  called:    at ci.yml:9",
        "  status:    ignored",
        "  from:      -O2: Makefile:1:10: CFLAGS = -O2",
        "  open:      $X: nothing in the repository sets it",
        "1 command at 1 place",
    ]


def test_sabotage_shows_what_was_not_caught_and_the_score() -> None:
    summary: dict[str, int | float] = {
        "sites": 2,
        "sabotages": 3,
        "caught": 2,
        "missed": 1,
        "score": 66.7,
        "harmless": 1,
    }
    edits = (
        EditRecord("sabotage", "drop-flag", "r", "a", 3, "caught"),
        EditRecord("sabotage", "to-comment", "r", "a", 3, "missed", "still clean", "-x\n+y\n"),
    )
    lines = list(text.sabotage(Proved(summary, edits), PLAIN))
    assert lines[:4] == ["a:3: missed[r]: to-comment", "  still clean", "  | -x", "  | +y"]
    assert lines[-1].endswith("1 harmless edit, 0 false alarms; score 66.7 %")
    assert "2 sites, 3 sabotages: 2 caught, 1 missed; " in lines[-1]


def test_sabotage_groups_what_it_did_not_count_by_its_reason() -> None:
    summary: dict[str, int | float] = {"sites": 1, "sabotages": 4, "caught": 1, "missed": 0, "score": 100}
    edits = (
        EditRecord("sabotage", "drop-flag", "r", "a", 3, "caught"),
        EditRecord("sabotage", "to-echo", "r", "a", 3, "not-applicable", "the default is allowed"),
        EditRecord("sabotage", "to-comment", "r", "a", 3, "not-applicable", "the default is allowed"),
        EditRecord("sabotage", "empty", "r", "a", 3, "not-applicable", "another word says the same"),
        EditRecord("sabotage", "split", "r", "a", 3, "skipped", "generated file"),
    )
    assert list(text.sabotage(Proved(summary, edits), PLAIN))[:-1] == [
        "2 not applicable: the default is allowed",
        "1 not applicable: another word says the same",
        "1 skipped: generated file",
    ]


def test_sabotage_without_an_edit_has_no_score() -> None:
    assert list(text.sabotage(Proved({"sites": 0, "sabotages": 0, "score": 0}), PLAIN)) == [
        "0 sites, 0 sabotages: nothing was proved"
    ]
