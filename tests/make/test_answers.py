"""What `$(shell …)` is known to print."""

import shutil
import subprocess

import pytest

from flagguard.make.answers import answer
from flagguard.text import literal

ON_PLATFORMS = [
    ("uname -m", "linux-aarch64", "aarch64"),
    ("uname -m 2>/dev/null || echo unknown", "linux-x86_64", "x86_64"),
    ("uname -m | sed -e s/x86_64/amd64/ -e s/aarch64/arm64/", "linux-aarch64", "arm64"),
    ("uname -m | sed -e 's/i.86/x86/;s/^armv[67].*/arm/'", "linux-armv7l", "arm"),
    ("uname -s | tr '[:upper:]' '[:lower:]'", "macos-arm64", "darwin"),
    ("uname -m | grep -q x86 && echo -mavx2", "linux-x86_64", "-mavx2"),
    ("uname -m | grep -q x86 && echo -mavx2", "linux-aarch64", ""),
    ("if [ $(uname -s) = Linux ]; then echo so; else echo dylib; fi", "linux-x86_64", None),
    ("case $(uname -s) in Linux) echo so ;; *) echo dylib ;; esac", "macos-arm64", "dylib"),
    ("sh -c 'uname -s 2>/dev/null'", "freebsd-x86_64", "FreeBSD"),
]
ANYWHERE = [
    "echo a b",
    "printf 'a\\nb\\n\\n'",
    "echo 'x  y'",
    "echo a-b-c | cut -d- -f2",
    "echo 1.2 | awk -F. '{print $1}'",
]
OPEN = [
    "uname -r",
    "echo $HOME",
    "echo $(cat VERSION)",
    "git describe || echo none",
    "echo `date`",
    "test -f x && echo y",
]


@pytest.mark.parametrize(("command", "platform", "printed"), ON_PLATFORMS)
def test_what_hangs_on_the_platform(command: str, platform: str, printed: str | None) -> None:
    found, on_platform = answer(literal(command), platform)
    assert (found.text if found is not None else None) == printed
    assert on_platform or printed is None


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs sh")
@pytest.mark.parametrize("command", ANYWHERE)
def test_what_does_not(command: str) -> None:
    real = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stdout
    found, on_platform = answer(literal(command), "linux-x86_64")
    assert found is not None
    assert (found.text, on_platform) == (real.rstrip("\n").replace("\n", " "), False)


@pytest.mark.parametrize("command", OPEN)
def test_what_asks_for_what_is_around_it_is_not_known(command: str) -> None:
    assert answer(literal(command), "linux-x86_64")[0] is None
