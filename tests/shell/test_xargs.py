"""xargs on a known input: the runs that it makes."""

import pytest
from running import lines

from flagguard.command import word
from flagguard.shell.xargs import argument_lists
from flagguard.text import Hole, hole, literal


@pytest.mark.parametrize(
    ("options", "stdin", "runs"),
    [
        ("", "a b\nc\n", [["a", "b", "c"]]),
        ("-n 2", "a b c", [["a", "b"], ["c"]]),
        ("-n1", "'a b' c\\ d", [["a b"], ["c d"]]),
        ("-I{}", "a b\n c \n", [["a b"], ["c "]]),
        ("-0", "a b\0c\0", [["a b", "c"]]),
        ("-d ,", "a,b c", [["a", "b c"]]),
        ("", "", [[]]),
        ("-r", "", []),
    ],
)
def test_runs(options: str, stdin: str, runs: list[list[str]]) -> None:
    found = argument_lists([word(literal(w)) for w in ("xargs", *options.split())], literal(stdin))
    assert found is not None
    assert [[t.text for t in items] for items in found[1]] == runs


@pytest.mark.parametrize("options", ["-a file", "-L 1", "--unheard-of"])
def test_options_that_are_not_understood(options: str) -> None:
    assert argument_lists([word(literal(w)) for w in ("xargs", *options.split())], literal("a")) is None


def test_input_with_a_hole_is_not_known() -> None:
    assert argument_lists([word(literal("xargs"))], hole(Hole("$x", ""))) is None


def test_in_a_script() -> None:
    assert lines("printf '%s\\n' a b | xargs -n1 gcc -c") == ["gcc -c a", "gcc -c b"]
    assert lines("echo a | xargs -I% gcc %.c -o %.o") == ["gcc a.c -o a.o"]
