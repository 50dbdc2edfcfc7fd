"""Which commands a rule speaks of."""

import pytest
from rule_cases import BASELINE, command, config, findings, rule, verdicts

from flagguard.answers import Answer
from flagguard.judging import Clause, judgements
from flagguard.text import SourceText, Span


@pytest.mark.parametrize(
    ("where", "facts", "matches"),
    [
        ('{ task = "dist-*" }', {"task": "dist-lib"}, True),
        ('{ task = "dist-*" }', {"task": "samples"}, False),
        ('{ task = "dist-*" }', {}, False),
        ('{ task = ["a", "b"], job = "c" }', {"task": "b", "job": "c"}, True),
        ('{ task = ["a", "b"], job = "c" }', {"task": "b", "job": "d"}, False),
        ('{ path = "scripts/*.sh" }', {"path": "scripts/build.sh"}, True),
        ('{ platform = "linux-*", task = "b" }', {"task": "c"}, False),
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
    ("text", "env", "found"),
    [
        ("go build", {}, ["missing"]),
        ("go build", {"GOARCH": "arm64"}, []),
        ("go build", {"GOOS": "darwin", "GOARCH": "amd64"}, []),
        ("go build", {"GOARCH": "amd64"}, ["missing"]),
        ("aarch64-linux-gnu-gcc a.c", {}, []),
        ("gcc a.c", {}, ["missing"]),
        ("clang --target=aarch64-linux-gnu a.c", {}, []),
        ("cargo build --target aarch64-unknown-linux-gnu", {}, []),
    ],
)
def test_a_platform_in_where_is_that_of_the_product(text: str, env: dict[str, str], found: list[str]) -> None:
    settings = rule(
        command='["go build", "gcc", "clang", "cargo build"]',
        more='where = { platform = "linux-x86_64" }\nrequire = ["--x"]',
    )
    assert verdicts(settings, text, env=env, platforms=("linux-x86_64",)) == found


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
        ('with = [{ flag = "-x", value = "c" }]', "gcc -x <$L> a", []),
        ('with = [{ flag = "-x", value = "c" }]', "gcc -x <!L> a", ["unresolved"]),
        ('operands = "some"', "gcc a.o", ["missing"]),
        ('operands = "none"', "gcc a.o", []),
        ('operands = "none"', "gcc -v", ["missing"]),
    ],
)
def test_with_without_and_operands(selector: str, text: str, expected: list[str]) -> None:
    assert verdicts(rule('"gcc"', f'{selector}\nrequire = ["-Wl,-z,now"]'), text) == expected


@pytest.mark.parametrize(
    ("clause", "text", "expected"),
    [
        ('require = ["-Wl,-z,now"]', "gcc <!LDFLAGS> -Wl,-z,now a.o", []),
        ('require = ["-Wl,-z,now"]', "gcc <!LDFLAGS> a.o", ["unresolved"]),
        ('forbid = ["-s"]', "gcc <!LDFLAGS> -s a.o", ["unresolved"]),
        ('forbid = ["-s"]', "gcc <$LDFLAGS> -s a.o", []),
        ('forbid = ["-s"]', "gcc -shared -s a.o", ["forbidden"]),
        ('forbid = ["-s"]', "gcc -shared a.o", []),
    ],
)
def test_a_command_that_may_be_selected(clause: str, text: str, expected: list[str]) -> None:
    assert verdicts(rule('"gcc"', f'with = ["-shared"]\n{clause}'), text) == expected


@pytest.mark.parametrize(
    ("name", "text", "some"),
    [
        ("tool build", "tool build", False),
        ("tool build", "tool build a", True),
        ("tool build", "tool build build", True),
        ("tool a b", "tool a b", False),
        ("tool a b", "tool a b c", True),
        ("npm run", "npm run run", True),
        ("npm run build", "npm run build", False),
        ("npm run build", "npm run build run", True),
        ("npm run --silent", "npm run --silent build", True),
    ],
)
def test_the_words_that_name_a_command_are_no_operands(name: str, text: str, some: bool) -> None:
    assert bool(verdicts(rule(f'"{name}"', 'operands = "some"\nrequire = ["--x"]'), text)) is some


_LINUX, _MACOS = ("linux-x86_64",), ("macos-arm64",)
_AT_MOST = '[{ flag = "--target-cpu", at-most = "baseline" }]'
_HOST = '[{ effective = "cpu", value = "native" }]'


@pytest.mark.parametrize(
    ("more", "cpu", "expected"),
    [
        (f"forbid = {_AT_MOST}", "x86-64-v2", [("forbidden", _LINUX)]),
        (f'with = {_AT_MOST}\nrequire = ["--x"]', "x86-64-v2", [("missing", _LINUX)]),
        (f'without = {_AT_MOST}\nrequire = ["--x"]', "x86-64-v2", [("missing", _MACOS)]),
        ('require = ["--x"]', "x86-64-v2", [("missing", _LINUX + _MACOS)]),
        ('require = ["--x"]\n[[exempt]]\nwhere = { platform = "linux-*" }', "x86-64-v2", [("missing", _MACOS)]),
        (f'require = ["--x"]\n[[exempt]]\nwith = {_AT_MOST}', "x86-64-v2", [("missing", _MACOS)]),
        (f'require = ["--x"]\n[[exempt]]\nwithout = {_AT_MOST}', "x86-64-v2", [("missing", _LINUX)]),
        (f'require = ["--x"]\n[[exempt]]\nwith = {_HOST}', "native", []),
    ],
)
def test_each_platform_is_judged_by_itself(more: str, cpu: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    settings = rule(more=more.replace("[[exempt]]", '[[exempt]]\nrule = "r"\nreason = "old"'), top=BASELINE)
    found = findings(settings, command(f"mojo build --target-cpu {cpu} a", platforms=_LINUX + _MACOS))
    assert [(f.verdict.value, f.platforms) for f in found] == expected


def test_a_default_of_the_platform() -> None:
    settings = rule('"gcc"', 'require = [{ effective = "pic", value = "-fPIC" }]')
    found = findings(settings, command("gcc -c a.c", platforms=_MACOS + _LINUX))
    assert [(f.verdict.value, f.platforms) for f in found] == [("wrong-value", _LINUX)]


def test_one_rule_for_each_platform() -> None:
    rules = "".join(
        f'[[rule]]\nid = "{name}"\nwhy = "w"\ncommand = "gcc"\nat-least = 0\n'
        f'where = {{ platform = "{name}-*" }}\nrequire = ["--x"]\n'
        for name in ("macos", "linux")
    )
    assert [f.rule for f in findings(config(rules), command("gcc a.c"))] == ["linux"]


@pytest.mark.parametrize("text", ["gcc @flags", "<$SUDO> gcc @flags", "<$SUDO> gcc @flags a.c"])
def test_a_response_file_is_opened(text: str) -> None:
    settings = rule('"gcc"', 'require = ["-fPIC"]')

    def read(path: str) -> SourceText | None:
        return SourceText(path, "-fPIC a.c") if path == "flags" else None

    told = [(j.clause, j.answer) for j in judgements(command(text), settings, read)]
    assert told == [(Clause.EXISTS, Answer.HOLDS), (Clause.REQUIRE, Answer.HOLDS)]


@pytest.mark.parametrize(("text", "expected"), [("<$SUDO> make", ["missing"]), ("<$SUDO> make -j", ["missing"])])
def test_a_short_command_behind_a_program_that_nobody_knows(text: str, expected: list[str]) -> None:
    assert verdicts(rule('"make"', 'require = ["PORTABLE="]'), text) == expected


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
