"""From commands and findings to what a report shows."""

from flagguard.command import Command, Place, Status, Word, word
from flagguard.findings import Finding, Verdict
from flagguard.report.interface import Excerpt, HoleRecord, Point, ProblemRecord
from flagguard.report.records import (
    Spots,
    command_record,
    finding_record,
    finding_records,
    problem_records,
    spelled,
)
from flagguard.rules import Severity
from flagguard.text import Hole, Piece, Problem, SourceText, Span, hole, join, literal

SOURCE = SourceText("a.sh", 'cpu=native\nsudo mojo build "$cpu" \\\n  "$OUT" é x\n')
SPOTS = Spots(lambda path: SOURCE if path == "a.sh" else None)


def at(text: str) -> Span:
    start = SOURCE.text.index(text)
    return Span("a.sh", start, start + len(text))


CPU = Word((Piece("native", (at("$cpu"), at("native")), verbatim=True),), at('"$cpu"'))
OUT = word(hole(Hole("$OUT", "nothing in the repository sets it"), (at("$OUT"),)), at('"$OUT"'))
COMMAND = Command(
    argv=(
        word(literal("mojo", at("mojo"))),
        word(literal("build", at("build"))),
        CPU,
        OUT,
        word(literal("x", at("x\n").cut(0, 1))),
    ),
    place=Place("shellscript"),
    span=at("mojo"),
    extent=Span("a.sh", at("sudo").start, len(SOURCE.text) - 1),
    wrappers=((word(literal("sudo")),),),
    env={"B": literal("2"), "A": literal("1")},
    via=(at("cpu="),),
    platforms=("linux-x86_64",),
    status=Status.IGNORED,
)


def test_a_command() -> None:
    record = command_record(COMMAND, SPOTS)
    assert record.at == Point("a.sh", 2, 6)
    assert record.argv == ("mojo", "build", "native", "$OUT", "x")
    assert record.line == "mojo build native $OUT x"
    assert record.holes == (HoleRecord(3, "$OUT", "nothing in the repository sets it"),)
    assert list(record.env.items()) == [("A", "1"), ("B", "2")]
    assert (record.wrappers, record.via, record.status) == ((("sudo",),), (Point("a.sh", 1, 1),), "ignored")
    assert [(index, [(s.at.line, s.width) for s in steps]) for index, steps in record.origins] == [
        (2, [(2, 4), (1, 6)])
    ]


def test_a_finding_points_at_the_word_and_at_where_it_came_from() -> None:
    finding = Finding(
        "r",
        Severity.ERROR,
        Verdict.WRONG_VALUE,
        "m",
        COMMAND.span,
        COMMAND.place,
        argv=COMMAND.argv,
        mark=OUT.written,
        route=(at("$cpu"), at("native")),
        origin=at("native"),
    )
    record = finding_record(finding, SPOTS)
    assert record.marks == (
        Excerpt(Point("a.sh", 2, 6), 'sudo mojo build "$cpu" \\', 0),
        Excerpt(Point("a.sh", 3, 3), '  "$OUT" é x', 6),
    )
    assert record.origin == Point("a.sh", 1, 5)
    assert [step.at for step in record.route] == [Point("a.sh", 1, 5)]


def test_a_route_that_says_no_more_than_the_lines_above_it_is_left_out() -> None:
    finding = Finding("r", Severity.ERROR, Verdict.FORBIDDEN, "m", COMMAND.span, route=(at("build"),), mark=at("build"))
    record = finding_record(finding, SPOTS)
    assert record.route == ()
    assert [mark.width for mark in record.marks] == [5]


def test_findings_stand_by_file_line_column_and_rule() -> None:
    def finding(rule: str, span: Span) -> Finding:
        return Finding(rule, Severity.ERROR, Verdict.MISSING, "m", span)

    spans = {"b": at("mojo"), "a": at("mojo"), "c": at("cpu="), "z": at("sudo"), "y": Span("Z", 0, 1)}
    records = finding_records([finding(rule, span) for rule, span in spans.items()], SPOTS)
    assert [record.rule for record in records] == ["y", "c", "z", "a", "b"]


def test_a_mark_over_several_lines_ends_with_its_first_line() -> None:
    assert SPOTS.excerpt(COMMAND.extent).width == len('sudo mojo build "$cpu" \\')


def test_a_place_in_a_file_that_is_not_there() -> None:
    assert SPOTS.excerpt(Span("gone", 5, 6)) == Excerpt(Point("gone", 1, 1), "", 0)


def test_problems_stand_by_file_and_line_each_once_with_their_key() -> None:
    problems = [
        Problem("b", 1, "x"),
        Problem("a", 9, "unknown key", key="rule.whre"),
        Problem("a", 2, "y"),
        Problem("b", 1, "x"),
    ]
    assert problem_records(problems) == (
        ProblemRecord("a", 2, "y"),
        ProblemRecord("a", 9, "rule.whre: unknown key"),
        ProblemRecord("b", 1, "x"),
    )


def test_words_are_spelled_as_one_would_type_them() -> None:
    mixed = join([literal("a b "), hole(Hole("$X", "r"))])
    plain = join([literal("-DX="), hole(Hole("$(git describe)", "r"))])
    words = [literal("cc"), literal("a b"), literal("it's"), literal(""), literal("-O2"), mixed, plain, literal("[")]
    assert spelled(words) == "cc 'a b' 'it'\\''s' '' -O2 \"a b $X\" -DX=$(git describe) ["
