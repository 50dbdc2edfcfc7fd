"""What commands print, where that is known."""

import pytest

from flagguard.command import word
from flagguard.shell.known import os_type, output, output_hole
from flagguard.text import Decider, Hole, Shape, hole, literal


def _printed(command: str, stdin: str | None = None, platform: str = "linux-x86_64") -> str | None:
    found = output([word(literal(w)) for w in command.split(" ")], platform, None if stdin is None else literal(stdin))
    return None if found is None else found.shown


@pytest.mark.parametrize(
    ("command", "platform", "printed"),
    [
        ("uname", "linux-x86_64", "Linux\n"),
        ("uname -s", "macos-arm64", "Darwin\n"),
        ("uname -m", "linux-aarch64", "aarch64\n"),
        ("uname -sm", "macos-arm64", "Darwin arm64\n"),
        ("uname -m -s", "linux-ppc64le", "Linux ppc64le\n"),
        ("uname -o", "linux-x86_64", "GNU/Linux\n"),
        ("uname -p", "macos-arm64", "arm\n"),
        ("/usr/bin/arch", "macos-arm64", "arm64\n"),
        ("uname -s", "windows-x86_64", "MINGW64_NT-$(uname)\n"),
        ("uname -r", "linux-x86_64", None),
        ("uname -p", "linux-x86_64", None),
    ],
)
def test_uname(command: str, platform: str, printed: str | None) -> None:
    assert _printed(command, platform=platform) == printed


@pytest.mark.parametrize(
    ("command", "stdin", "printed"),
    [
        ("cat", "a\n", "a\n"),
        ("cat f", "a\n", None),
        ("tr a-c A-C", "abcd\n", "ABCd\n"),
        ("tr -d x", "axb\n", "ab\n"),
        ("tr [:upper:] [:lower:]", "Linux\n", "linux\n"),
        ("sed s/a/b/", "aa\nca\n", "ba\ncb\n"),
        ("sed s/a/b/g", "aa\n", "bb\n"),
        ("sed s,^a,/,", "aa\n", "/a\n"),
        ("sed s/a.*//", "abc\n", None),
        ("sed -n s/a/b/p", "a\n", None),
        ("basename a/b.c .c", None, "b\n"),
        ("dirname a/b/c", None, "a/b\n"),
        ("dirname a", None, ".\n"),
        ("true", None, ""),
        ("git describe", None, None),
    ],
)
def test_filters(command: str, stdin: str | None, printed: str | None) -> None:
    assert _printed(command, stdin) == printed


def test_filter_of_a_hole_is_not_known() -> None:
    command = [word(literal(w)) for w in ("tr", "a", "b")]
    assert output(command, "linux-x86_64", hole(Hole("$x", ""))) is None


@pytest.mark.parametrize(
    ("command", "decider", "shape"),
    [
        ("nproc", Decider.OUTSIDE, Shape.NUMBER),
        ("mktemp -d", Decider.OUTSIDE, Shape.PATH),
        ("git describe", Decider.OUTSIDE, Shape.ANY),
        ("llvm-config --cflags", Decider.OUTSIDE, Shape.ANY),
        ("./flags.sh", Decider.REPOSITORY, Shape.ANY),
        ("cat flags", Decider.REPOSITORY, Shape.ANY),
    ],
)
def test_who_decides_what_is_printed(command: str, decider: Decider, shape: Shape) -> None:
    found = output_hole([word(literal(w)) for w in command.split()], f"$({command})")
    assert (found.decider, found.shape, found.text) == (decider, shape, f"$({command})")


def test_os_type() -> None:
    assert (os_type("linux-x86_64").text, os_type("macos-arm64").shown) == ("linux-gnu", "darwin$(OSTYPE)")
