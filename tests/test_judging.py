"""Which commands a rule speaks of."""

import pytest
from rule_cases import command, findings, rule, verdicts

from flagguard.text import Span


@pytest.mark.parametrize(
    ("where", "facts", "matches"),
    [
        ('{ task = "dist-*" }', {"task": "dist-lib"}, True),
        ('{ task = "dist-*" }', {"task": "samples"}, False),
        ('{ task = "dist-*" }', {}, False),
        ('{ task = ["a", "b"], job = "c" }', {"task": "b", "job": "c"}, True),
        ('{ task = ["a", "b"], job = "c" }', {"task": "b", "job": "d"}, False),
        ('{ path = "scripts/*.sh" }', {"path": "scripts/build.sh"}, True),
        ('{ path = "*.sh" }', {"path": "scripts/build.sh"}, False),
        ('{ path = "**/*.sh" }', {"path": "scripts/build.sh"}, True),
        ('{ path = "**/*.sh" }', {"path": "build.sh"}, True),
        ('{ host = "shell*" }', {}, True),
        ('{ runner = "macos-*" }', {"runner": "macos-14"}, True),
        ('{ runner = "macos-*" }', {"runner": "ubuntu-24.04"}, False),
        ('{ platform = "linux-*" }', {"platforms": ("macos-arm64",)}, False),
        ('{ platform = "linux-*" }', {"platforms": ("macos-arm64", "linux-x86_64")}, True),
    ],
)
def test_where(where: str, facts: dict[str, object], matches: bool) -> None:
    settings = rule(more=f'where = {where}\nrequire = ["--x"]')
    assert bool(verdicts(settings, "mojo build a.mojo", **facts)) is matches


def test_a_platform_in_where_leaves_the_others_alone() -> None:
    settings = rule(more='where = { platform = "linux-*" }\nrequire = ["--x"]')
    found = findings(settings, command("mojo build a", platforms=("linux-x86_64", "macos-arm64")))
    assert [f.platforms for f in found] == [("linux-x86_64",)]


@pytest.mark.parametrize(
    ("selector", "text", "expected"),
    [
        ('with = ["-shared"]', "gcc -shared a.o", ["missing"]),
        ('with = ["-shared"]', "gcc a.o", []),
        ('with = ["-shared", "-s"]', "gcc -shared a.o", []),
        ('with = ["-shared"]', "gcc <$LDFLAGS> a.o", []),
        ('with = ["-shared"]', "gcc <!LDFLAGS> a.o", ["unresolved"]),
        ('without = ["-c", "-S"]', "gcc -c a.c", []),
        ('without = ["-c", "-S"]', "gcc a.o", ["missing"]),
        ('with = [{ flag = "-x", value = "c" }]', "gcc -x c a", ["missing"]),
        ('with = [{ flag = "-x", value = "c" }]', "gcc -x c++ a", []),
        ('operands = "some"', "gcc a.o", ["missing"]),
        ('operands = "none"', "gcc a.o", []),
        ('operands = "none"', "gcc -v", ["missing"]),
    ],
)
def test_with_without_and_operands(selector: str, text: str, expected: list[str]) -> None:
    assert verdicts(rule('"gcc"', f'{selector}\nrequire = ["-Wl,-z,now"]'), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<$MOJO> build a.mojo", ["unresolved"]),
        ("<$MOJO> build --target-cpu x a.mojo", ["unresolved"]),
        ("<$MOJO> format a.mojo", []),
        ("<$DIR>/mojo build a.mojo", ["missing"]),
        ("/opt/mojo build a.mojo", ["missing"]),
        ("mojox build a.mojo", []),
    ],
)
def test_a_program_that_nobody_knows(text: str, expected: list[str]) -> None:
    assert verdicts(rule(more='require = ["--target-cpu"]'), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<$SUDO> mojo build a.mojo", ["missing"]),
        ("<$SUDO> mojo build --target-cpu x a.mojo", []),
        ("<!RUN> mojo build a.mojo", ["unresolved"]),
        ("<$SUDO> -E mojo build a.mojo", ["unresolved"]),
        ("<$SUDO> mojo format", []),
    ],
)
def test_a_command_behind_a_program_that_nobody_knows(text: str, expected: list[str]) -> None:
    assert verdicts(rule(more='require = ["--target-cpu"]'), text) == expected


def test_the_unknown_program_is_named() -> None:
    found = findings(rule(more='require = ["--target-cpu"]'), command("<$MOJO> build a.mojo"))
    assert [(f.message, f.mark) for f in found] == [
        ("`$MOJO` may be `mojo`, or not: nobody here says it", Span("build.sh", 0, 7))
    ]
