"""xargs on a known input: the runs that it makes."""

import subprocess
from pathlib import Path

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
        ("--max-args=2", "a b c", [["a", "b"], ["c"]]),
        ("--max-args 2 --no-run-if-empty", "a b c", [["a", "b"], ["c"]]),
        ("-rtn1 -P4", "a b", [["a"], ["b"]]),
        ("--nu --delim=,", "a,b", [["a,b"]]),
        ("-i", "a b\n", [["a b"]]),
        ("--replace=% -P 2", "a b\n", [["a b"]]),
        ("-x -s 500 -n 3", "a b", [["a", "b"]]),
        ("-L 1", "a b\n\nc\n", [["a", "b"], ["c"]]),
        ("-L2", "a\nb\nc\n", [["a", "b"], ["c"]]),
        ("-l", "a b \nc\nd\n", [["a", "b", "c"], ["d"]]),
        ("-L1", "", [[]]),
        ("-r --max-lines=1", "", []),
        ("-L1 -n5", "a\nb\n", [["a", "b"]]),
        ("-n5 -L1", "a\nb\n", [["a"], ["b"]]),
    ],
)
def test_runs(options: str, stdin: str, runs: list[list[str]]) -> None:
    found = argument_lists([word(literal(w)) for w in ("xargs", *options.split())], literal(stdin))
    assert found is not None
    assert [[t.text for t in items] for items in found[1]] == runs


@pytest.mark.parametrize("options", ["-a file", "-L x", "-E x", "--unheard-of", "--max", "x"])
def test_options_that_are_not_understood(options: str) -> None:
    assert argument_lists([word(literal(w)) for w in ("xargs", *options.split())], literal("a")) is None


def test_input_with_a_hole_is_not_known() -> None:
    assert argument_lists([word(literal("xargs"))], hole(Hole("$x", ""))) is None


def test_in_a_script() -> None:
    assert lines("printf '%s\\n' a b | xargs -n1 gcc -c") == ["gcc -c a", "gcc -c b"]
    assert lines("echo a | xargs -I% gcc %.c -o %.o") == ["gcc a.c -o a.o"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("xargs -a list gcc -c", ["gcc -c a b"]),
        ("xargs -n1 -alist gcc -c", ["gcc -c a", "gcc -c b"]),
        ("xargs --arg-file=list -n 1 gcc", ["gcc a", "gcc b"]),
        ("xargs -n1 gcc < list", ["gcc a", "gcc b"]),
        ("cat list | xargs -n1 gcc", ["cat list", "gcc a", "gcc b"]),
        ("cat list - <<< c | xargs gcc", ["cat list -", "gcc a b c"]),
        ("echo x > list; xargs gcc < list", ["gcc x"]),
        ("xargs gcc < gone", ["gcc {}"]),
    ],
)
def test_input_from_a_file_of_the_tree(line: str, expected: list[str]) -> None:
    assert lines(line, files={"list": "a\nb\n"}) == expected


def test_real_xargs_makes_the_same_runs(tmp_path: Path) -> None:
    told = subprocess.run(["xargs", "--version"], check=False, capture_output=True, text=True)
    if "GNU findutils" not in told.stdout:
        pytest.skip("no xargs of GNU findutils is installed")
    (tmp_path / "rec").write_text("#!/bin/sh\nprintf '<%s>' \"$@\"; echo\n")
    (tmp_path / "rec").chmod(0o755)
    for options in ("-n2", "-n 1", "--max-args=2", "--max-args 2 -r", "-rtn1", "-d ,", "-I{}", "-i", "-0", "-x -n3"):
        for text in ("a 'b c' d\\ e f\n", "a,b\nc\n", " x\ty \n\n"):
            wrapper = ["xargs", *options.split()]
            found = argument_lists([word(literal(w)) for w in wrapper], literal(text))
            assert found is not None
            replaces = found[0].replaces
            program = [str(tmp_path / "rec"), *([replaces] if replaces else [])]
            ran = subprocess.run([*wrapper, *program], check=False, input=text, capture_output=True, text=True)
            ours = ["".join(f"<{item.text}>" for item in items) for items in found[1]]
            assert "\n".join(ours) + "\n" == ran.stdout, (options, text)
