"""Which name was meant."""

import pytest

from flagguard.naming import Vocabulary, meant, meant_platform, platform


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("linux-amd64", "linux-x86_64"),
        ("linux/arm64", "linux-aarch64"),
        ("darwin-arm64", "macos-arm64"),
        ("darwin-aarch64", "macos-arm64"),
        ("Darwin-x86_64", "macos-x86_64"),
        ("osx-arm64", "macos-arm64"),
        ("win-64", "windows-x86_64"),
        ("win-x64", "windows-x86_64"),
        ("linux-i386", "linux-i686"),
        ("linux-mips", None),
        ("linux", None),
    ],
)
def test_names_that_other_tools_have_for_a_platform(name: str, expected: str | None) -> None:
    assert platform(name) == expected


def test_without_a_near_name_all_are_listed() -> None:
    assert meant("zzz", ("path", "host"), "keys here") == "; the keys here are `path`, `host`"
    assert meant("pth", ("path", "host"), "keys here") == "; did you mean `path`?"
    assert meant("file", ("path", "host"), "keys here") == "; did you mean `path`?"
    assert meant("file", ("host",), "keys here") == "; the keys here are `host`"
    assert "`linux-x86_64`" in meant_platform("plan9-mips")


@pytest.mark.parametrize(
    ("variable", "expected"),
    [("RUSTFLAGS", True), ("CFLAGS", True), ("GOFLAGS", True), ("GOAMD64", False), ("X", False)],
)
def test_variables_that_hold_flags(variable: str, expected: bool) -> None:
    assert Vocabulary().holds_flags(variable) is expected


@pytest.mark.parametrize(
    ("command", "effective", "expected"),
    [
        ("mojo build", "cpu", True),
        ("mojo build", "fortify", False),
        ("@c-compiler", "fortify", True),
        ("npm install", "cpu", False),
        ("cargo build", "cpu", True),
        ("cmake", "cpu", True),
        ("zig cc", "fortify", True),
        ("./x.py build", "cpu", False),
        ("goreleaser:build", "cpu", True),
    ],
)
def test_which_command_can_have_a_property(command: str, effective: str, expected: bool) -> None:
    assert Vocabulary().may_have(command, effective) is expected
