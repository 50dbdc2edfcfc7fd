"""No command is lost: the second reader's count, and what a syntax error hides."""

import pytest
from running import run

from flagguard.shell.accounting import lost
from flagguard.shell.second import commands
from flagguard.text import SourceText


def test_second_reader_finds_commands_outside_here_documents() -> None:
    found = commands("a é $(b)\ncat <<E\nc\nE\nexport X=1\nif d; then e; fi\n")
    assert [f.shown.split()[0] for f in found] == ["a", "b", "cat", "export", "d", "e"]


@pytest.mark.parametrize(
    "text",
    [
        "a; b && c\n",
        "exit\na\n",
        "f() { a; }\n",
        "if false; then a $(b); fi",
        "a\nif b; then\nc\nd )\n",
        "sh -c 'a' | b",
    ],
)
def test_every_command_is_accounted_for(text: str) -> None:
    assert lost(SourceText("x.sh", text).traced(), run(text)) == ()


def test_command_that_an_evaluation_does_not_know_is_lost() -> None:
    text = "a\nb c\n"
    assert [f.shown for f in lost(SourceText("x.sh", text).traced(), run("a\n"))] == ["b c"]


def test_problem_says_how_many_commands_a_syntax_error_hides() -> None:
    (problem,) = run("a\nif b; then\nc\nfi )\nd\ne\n").problems
    assert problem.message == (
        "the shell cannot read this: unexpected ')'; what follows in the script is not judged: "
        "4 commands (`b` in line 2, `c` in line 3, `d` in line 5, …)"
    )
