"""What commands print, where that is known."""

import pytest

from flagguard.command import word
from flagguard.shell.known import os_type, output, output_hole
from flagguard.text import Decider, Hole, Shape, Traced, hole, literal


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
        ("dpkg --print-architecture", "linux-x86_64", "amd64\n"),
        ("dpkg --print-architecture", "linux-armv7l", "armhf\n"),
        ("dpkg --print-architecture", "macos-arm64", None),
        ("dpkg -l", "linux-x86_64", None),
        ("apk --print-arch", "linux-aarch64", "aarch64\n"),
        ("getconf LONG_BIT", "linux-i686", "32\n"),
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
        ("basename a/b.c .c", None, "b\n"),
        ("dirname a/b/c", None, "a/b\n"),
        ("dirname a", None, ".\n"),
        ("true", None, ""),
        ("git describe", None, None),
    ],
)
def test_what_is_printed(command: str, stdin: str | None, printed: str | None) -> None:
    assert _printed(command, stdin) == printed


@pytest.mark.parametrize(
    ("command", "decider", "shape"),
    [
        ("nproc", Decider.OUTSIDE, Shape.NUMBER),
        ("mktemp -d", Decider.OUTSIDE, Shape.PATH),
        ("git describe", Decider.OUTSIDE, Shape.ANY),
        ("llvm-config --cflags", Decider.OUTSIDE, Shape.ANY),
        ("./flags.sh", Decider.REPOSITORY, Shape.ANY),
        ("cat flags", Decider.REPOSITORY, Shape.ANY),
        ("find . -name x", Decider.OUTSIDE, Shape.PATH),
        ("find . -printf -O3", Decider.OUTSIDE, Shape.ANY),
        ("ls -1t", Decider.OUTSIDE, Shape.PATH),
        ("ls -l", Decider.OUTSIDE, Shape.ANY),
        ("head -1", Decider.REPOSITORY, Shape.ANY),
    ],
)
def test_who_decides_what_is_printed(command: str, decider: Decider, shape: Shape) -> None:
    found = output_hole([word(literal(w)) for w in command.split()], f"$({command})")
    assert (found.decider, found.shape, found.text) == (decider, shape, f"$({command})")


FOUND = Hole("$(find .)", "", Decider.OUTSIDE, Shape.PATH)
TAGS = Hole("$(git tag)", "", Decider.OUTSIDE)
FLAGS = Hole("$(cat flags)", "", Decider.REPOSITORY)


@pytest.mark.parametrize(
    ("command", "stdin", "decider", "shape"),
    [
        ("head -n 1", hole(FOUND), Decider.OUTSIDE, Shape.PATH),
        ("sort -t . -k 1,1n", hole(FOUND), Decider.OUTSIDE, Shape.PATH),
        ("grep -v x", hole(FOUND) + literal("\n"), Decider.OUTSIDE, Shape.PATH),
        ("tail -1", hole(TAGS), Decider.OUTSIDE, Shape.ANY),
        ("tr a b", hole(FLAGS), Decider.REPOSITORY, Shape.ANY),
        ("head -n 1", hole(FOUND) + literal(" -O3"), Decider.REPOSITORY, Shape.ANY),
        ("head -n 1 flags", hole(FOUND), Decider.REPOSITORY, Shape.ANY),
        ("grep x flags", hole(FOUND), Decider.REPOSITORY, Shape.ANY),
        ("sed s/x/-O3/", hole(FOUND), Decider.REPOSITORY, Shape.ANY),
    ],
)
def test_what_a_filter_passes_on_is_like_its_input(command: str, stdin: Traced, decider: Decider, shape: Shape) -> None:
    found = output_hole([word(literal(w)) for w in command.split()], "$(…)", stdin)
    assert (found.decider, found.shape) == (decider, shape)


def test_os_type() -> None:
    assert (os_type("linux-x86_64").text, os_type("macos-arm64").shown) == ("linux-gnu", "darwin$(OSTYPE)")
