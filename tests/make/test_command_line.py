"""What make's command line means."""

import pytest

from flagguard.command import Word
from flagguard.make.command_line import CommandLine, read
from flagguard.text import Hole, Piece, literal


def words(text: str) -> list[Word]:
    return [Word(literal(w).pieces) for w in text.split()]


def shown(line: CommandLine) -> dict[str, object]:
    return {
        "C": [d.text for d in line.directories],
        "f": [f.text for f in line.makefiles],
        "goals": [g.text for g in line.goals],
        "set": {n: v.text for n, v in line.overrides.items()},
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("all install", {"goals": ["all", "install"]}),
        ("-C sub -j8 all", {"C": ["sub"], "goals": ["all"]}),
        ("-Csub/a -C b", {"C": ["sub/a", "b"]}),
        ("--directory=sub -j 4 x", {"C": ["sub"], "goals": ["x"]}),
        ("--directory sub", {"C": ["sub"]}),
        ("-j build", {"goals": ["build"]}),
        ("-kC sub x", {"C": ["sub"], "goals": ["x"]}),
        ("-f a.mk --file b.mk --makefile=c.mk", {"f": ["a.mk", "b.mk", "c.mk"]}),
        ("CC=gcc CFLAGS:=-O2 all", {"set": {"CC": "gcc", "CFLAGS": "-O2"}, "goals": ["all"]}),
        ("A=1 A=2", {"set": {"A": "2"}}),
        ("A=1 A+=2", {"set": {"A": "1 2"}}),
        ("EMPTY= x=y=z", {"set": {"EMPTY": "", "x": "y=z"}}),
        ("-- -odd A=1", {"goals": ["-odd"], "set": {"A": "1"}}),
        ("-I inc -o old -W new t", {"goals": ["t"]}),
        ("-Otarget --output-sync t", {"goals": ["t"]}),
    ],
)
def test_words(text: str, expected: dict[str, object]) -> None:
    whole = {"C": [], "f": [], "goals": [], "set": {}, **expected}
    assert shown(read(words(text))) == whole


@pytest.mark.parametrize(
    ("text", "runs", "ignores", "environment_wins"),
    [
        ("-n all", True, False, False),
        ("--help", False, False, False),
        ("--version", False, False, False),
        ("-ik", True, True, False),
        ("-e x", True, False, True),
        ("--environment-overrides", True, False, True),
        ("-s", True, False, False),
    ],
)
def test_switches(text: str, runs: bool, ignores: bool, environment_wins: bool) -> None:
    line = read(words(text))
    assert (line.runs, line.ignores, line.environment_wins) == (runs, ignores, environment_wins)


def test_a_word_that_is_not_known_is_a_doubt_and_no_goal() -> None:
    gap = Hole("$GOAL", "an argument of the script")
    line = read([Word((Piece("$GOAL", hole=gap),)), *words("all")])
    assert line.doubt is not None
    assert [g.text for g in line.goals] == ["all"]


def test_a_value_with_a_hole_keeps_it() -> None:
    gap = Hole("$PWD", "it is set outside")
    word = Word((*literal("CFLAGS=-O2 -I").pieces, Piece("$PWD", hole=gap)))
    assert read([word]).overrides["CFLAGS"].shown == "-O2 -I$PWD"
