"""One defect is one block, however many call it."""

from flagguard.findings import Summary
from flagguard.report import github, text
from flagguard.report.blocks import blocks, ways
from flagguard.report.interface import PLAIN, Checked, Excerpt, FindingRecord, PlaceRecord, Point, ProblemRecord
from flagguard.values import replace

AT = Point("Makefile", 4, 2)
ONE = FindingRecord(
    "r",
    "error",
    "forbidden",
    "`gcc` is tuned",
    AT,
    PlaceRecord("makefile", target="lib", job="j0", runner="ubuntu"),
    via=(Point("ci.yml", 10, 3),),
    platforms=("linux-x86_64",),
    when=("always so",),
    argv=("gcc", "-march=native"),
    origin=Point("Makefile", 4, 6),
    help="write another",
    why="because",
    line="gcc -march=native",
    marks=(Excerpt(AT, "\tgcc -march=native", 3),),
)


def called(number: int, **changes: object) -> FindingRecord:
    place = replace(ONE.place, job=f"j{number}")
    return replace(ONE, place=place, via=(Point("ci.yml", 10 + number, 3),), **changes)


def lines(*findings: FindingRecord) -> list[str]:
    return list(text.check(Checked(Summary(), findings), PLAIN))


def test_findings_of_one_word_are_one_block() -> None:
    other_word = called(1, origin=Point("vars.mk", 1, 1))
    other_line = called(1, at=Point("Makefile", 5, 2))
    assert [len(b) for b in blocks([ONE, called(1), other_word, called(2), other_line])] == [3, 1, 1]


def test_a_finding_of_no_command_stands_alone() -> None:
    bare = replace(ONE, argv=(), line="")
    assert [len(b) for b in blocks([bare, replace(bare, rule="s")])] == [1, 1]


def test_what_differs_is_listed_and_what_is_the_same_is_said_once() -> None:
    arm = called(2, platforms=("linux-aarch64",), when=("always so", "X is set"))
    assert lines(ONE, called(1), arm)[:13] == [
        "Makefile:4:2: error[r]: `gcc` is tuned",
        "  4 |     gcc -march=native",
        "    |     ^^^",
        "  place:     target lib, runner ubuntu",
        "  platforms: linux-aarch64, linux-x86_64",
        "  when:      always so",
        "  called:    at ci.yml:10 (job j0; on linux-x86_64)\n"
        "             at ci.yml:11 (job j1; on linux-x86_64)\n"
        "             at ci.yml:12 (job j2; on linux-aarch64; when X is set)",
        "  argv:      gcc -march=native",
        "  why:       because",
        "  help:      write another",
        "",
        "note: 3 findings are shown as 1: those that differ only in their calls are one",
        "0 files, 0 commands, 0 judged: 0 errors, 0 warnings, 0 unresolved, 0 exempt",
    ]


def test_many_calls_are_a_few_and_a_number() -> None:
    shown = "\n".join(lines(*(called(number) for number in range(40))))
    assert "at ci.yml:14 (job j4)\n             and 35 more\n" in shown
    assert shown.count("\n") < 20


def test_jobs_without_calls_run_it() -> None:
    matrix = [replace(called(number), via=()) for number in range(2)]
    assert "  runs:      job j0\n             job j1" in lines(*matrix)


def test_other_argvs_are_counted() -> None:
    assert "  argv:      gcc -march=native\n             and 1 other argv" in lines(ONE, called(1, argv=("gcc", "-x")))


def test_rules_of_one_place_are_heads_of_one_block_without_a_note() -> None:
    shown = lines(ONE, replace(ONE, rule="s", message="m"))
    assert shown[:2] == ["Makefile:4:2: error[r]: `gcc` is tuned", "              error[s]: m"]
    assert not any(line.startswith("note") for line in shown)


def test_one_way_is_shown_as_a_route() -> None:
    assert ways([ONE, replace(ONE, platforms=("linux-aarch64",))]) == []
    assert "  called:    at ci.yml:10" in lines(ONE)


def test_notes_alike_are_one_and_problems_are_not() -> None:
    notes = [ProblemRecord("a", 1, f"too many; {number}", fatal=False) for number in range(3)]
    others = [
        ProblemRecord("a", 2, "too many; 0", fatal=False),
        ProblemRecord("a", 1, "bad; 1"),
        ProblemRecord("a", 1, "bad; 2"),
    ]
    assert list(text.check(Checked(Summary(), (), (*notes, *others)), PLAIN))[:4] == [
        "a:1: note: too many; 0 (and 2 more like it)",
        "a:2: note: too many; 0",
        "a:1: problem: bad; 1",
        "a:1: problem: bad; 2",
    ]
    long = ProblemRecord("a", 1, "x" * 999, fatal=False)
    assert len(next(text.check(Checked(Summary(), (), (long,)), PLAIN))) < 260


def test_github_gets_one_annotation_for_all_calls() -> None:
    found = list(github.check(Checked(Summary(), (ONE, called(1), called(2, message="other"))), PLAIN))
    assert [line.count("::") for line in found[:-1]] == [2, 2]
    assert "%0Ain 2 ways%0A" in found[0]


def test_rules_that_speak_of_other_commands_have_blocks_of_their_own() -> None:
    other = replace(ONE, rule="s", argv=("gcc", "-O2"), line="gcc -O2", platforms=("macos-arm64",))
    assert [[f.rule for f in block] for block in blocks([ONE, other, replace(ONE, rule="t")])] == [["r", "t"], ["s"]]
    assert [len(block) for block in blocks([ONE, replace(other, rule="r")])] == [2]
