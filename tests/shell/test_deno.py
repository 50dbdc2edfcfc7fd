"""deno_task_shell: its own grammar and tests, https://github.com/denoland/deno_task_shell."""

import pytest
from dialects import evaluated, shown, words

from flagguard.command import Dialect

CASES = [
    ("a b 'c d' \"e f\" g\"h i\"'j'", "a b c␣d e␣f gh␣ij"),
    ("a && b || c; d & e", "a ; b ; c ; d ; e"),
    ("a | b |& c", "a ; b ; c"),
    ("A=1 a $A", "a"),
    ("A=1; a $A $B x", "a 1 x"),
    ("A=1 && a $A", "a 1"),
    ("export A='x y' && a $A \"$A\" -$A-", "a x y x␣y -x y-"),
    ("a ${A} {A} $ \\$A \\x \\ y", "a ${A} {A} $ $A \\x ␣y"),  # no ${…}; a backslash quotes few characters
    ('a "q\\"r" \'a\\b\'', 'a q"r a\\b'),
    ('a {x,y}{1..3} {z} "{p,q}"', "a x1 x2 x3 y1 y2 y3 {z} {p,q}"),
    ("a {a..c} {3..1..2} {,v}", "a a b c 3 1 v"),
    ("(cd x && a b) > out; ! c", "a b ; c"),
    ("a > out\nb 2>&1 # comment\n# c\nd", "a ; b ; d"),
    ("a \\\n  b && \\\n  c", "a b ; c"),
    ("a $(b c) `d e`", "b c ; d e ; a $(b␣c) `d␣e`"),
    ("uv run mojo build x", "mojo build x"),
    ("sh -c 'mojo build $X' && y", "mojo build ; y"),
    ("a x~ ~/y", "a x~ ~/y"),
    ("a b#c", "a b#c"),
    ("rm -rf out && cp a{1,2} out && mkdir -p d", "rm -rf out ; cp a1 a2 out ; mkdir -p d"),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_tasks_come_to_their_commands(text: str, expected: str) -> None:
    found, problems = evaluated(text, Dialect.DENO, "linux-x86_64")
    assert not problems
    assert [c for c in shown(found) if c[0] != "cd"] == words(expected)


REFUSED = [
    "if true",
    "for x",
    "a 'b",
    'a "b',
    "a $(b",
    "(a",
    "a > x > y",
    "a >",
    "a $$",
    "A=1 B=2",
    "a &&",
    "a |",
    "a ~user",
    "a)",
    "a>b",
    "(" * 500 + "a" + ")" * 500,
    "$(" * 5000,
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_the_shell_refuses_does_not_run(text: str) -> None:
    found, problems = evaluated("ok; " + text, Dialect.DENO)
    assert not found
    assert [p.fatal for p in problems] == [True]


def test_a_wildcard_is_a_hole_and_an_environment_reaches_the_command() -> None:
    (command,), _ = evaluated("A=1 a *.c", Dialect.DENO)
    assert command.env["A"].text == "1"
    assert command.argv[1].holes
