"""Quote removal and where words begin and end: each row was tried in bash and dash."""

import pytest
from running import lines, run

from flagguard.shell.cursor import MAX_DEPTH
from flagguard.shell.parser import parse
from flagguard.text import SourceText

BOTH = [
    ("c 'a b' x", "c <a b> x"),
    ("c \"a b\"'c'd\\ e", "c <a bcd e>"),
    ("c \"\" ''", "c <> <>"),
    ("c 'it'\\''s'", "c it's"),
    ("c -DV='\"1.2\"'", 'c -DV="1.2"'),
    ("c a\\\nb", "c ab"),
    ('c "a\\\nb"', "c ab"),
    ("c 'a\\\nb'", "c <a\\\nb>"),
    ('c "\\a\\$\\`\\"\\\\"', 'c \\a$`"\\'),
    ("c a#b #c", "c a#b"),
    ("c a;# c", "c a"),
    ("c $", "c $"),
    ("c a\\", "c a"),
    ("c {a}", "c {a}"),
    ("c a=b", "c a=b"),
    ("c ${N:-a<b>}", "c a<b>"),
]


@pytest.mark.parametrize(("text", "shown"), BOTH)
def test_word_is_what_the_shell_passes(text: str, shown: str) -> None:
    assert lines(text) == [shown]


@pytest.mark.parametrize(
    ("text", "bash", "dash"),
    [
        ("c $'a\\tb'", "c <a\tb>", "c $a\\tb"),
        ("c $'\\x41\\u42\\103'", "c ABC", "c $\\x41\\u42\\103"),
        ("c $'a\\0b'c", "c ac", "c $a\\0bc"),
        ('c $"a"', "c a", "c $a"),
        ("c {a,b}", "c a b", "c {a,b}"),
    ],
)
def test_what_only_bash_knows_is_text_in_dash(text: str, bash: str, dash: str) -> None:
    assert (lines(text), lines(text, bash=False)) == ([bash], [dash])


def test_each_character_knows_its_place() -> None:
    (command,) = run("c 'a'\"b\"c\n").commands
    spans = [p.route[-1] for p in command.argv[1].pieces]
    assert [(s.start, s.end) for s in spans] == [(3, 4), (6, 7), (8, 9)]
    written = command.argv[1].written
    assert written is not None
    assert (written.start, written.end) == (2, 9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("c 'a", "a single quote is not closed"),
        ('c "a', "a double quote is not closed"),
        ("c `a", "a backquote is not closed"),
        ("c ${a b", "bad substitution: the brace is not closed"),
        ("c $(a", "')' is missing"),
        ("$(" * 100, f"constructs are nested more than {MAX_DEPTH} deep"),
    ],
)
def test_unreadable_word_is_an_error_with_its_place(text: str, message: str) -> None:
    error = parse(SourceText("x", text).traced()).error
    assert error is not None
    assert (error.message, 0 <= error.offset <= len(text)) == (message, True)
