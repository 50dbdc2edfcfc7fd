"""Variables in which CI systems say the platform, in each shell."""

import pytest
from running import Files

from flagguard.command import Dialect, Place, Script
from flagguard.hosts import Setting
from flagguard.shell import Evaluation, evaluate
from flagguard.shell.announced import announced
from flagguard.text import SourceText

PLATFORMS = ("linux-aarch64", "macos-arm64", "windows-x86_64")
OUTSIDE = ("RUNNER_OS", "TRAVIS_CPU_ARCH")
POSIX = 'case $RUNNER_OS in Windows) cc w ;; *) cc "$RUNNER_OS" ;; esac\ncc x-$TRAVIS_CPU_ARCH'
SCRIPTS = {
    Dialect.BASH: 'if [[ "$RUNNER_OS" == Windows ]]; then cc w; else cc $RUNNER_OS; fi\ncc x-$TRAVIS_CPU_ARCH',
    Dialect.SH: POSIX,
    Dialect.POWERSHELL: 'if ($env:RUNNER_OS -eq "Windows") { cc w } else { cc $env:RUNNER_OS }\n'
    'cc "x-$env:TRAVIS_CPU_ARCH"',
    Dialect.CMD: "if %RUNNER_OS%==Windows (cc w) else (cc %RUNNER_OS%)\ncc x-%TRAVIS_CPU_ARCH%",
}


def run(text: str, dialect: Dialect = Dialect.BASH, outside: tuple[str, ...] = OUTSIDE) -> Evaluation:
    script = Script(Place("shellscript"), dialect, SourceText("x.sh", text).traced(), outside=outside)
    return evaluate(script, Setting(Files({"x.sh": text}), PLATFORMS))


@pytest.mark.parametrize("dialect", SCRIPTS)
def test_the_platform_decides_what_the_runner_says(dialect: Dialect) -> None:
    found = run(SCRIPTS[dialect], dialect).commands
    assert {(c.argv[1].shown, p) for c in found for p in c.platforms} == {
        *(("Linux", "linux-aarch64"), ("macOS", "macos-arm64"), ("w", "windows-x86_64")),
        *(("x-arm64", "linux-aarch64"), ("x-arm64", "macos-arm64"), ("x-amd64", "windows-x86_64")),
    }
    assert all(c.when == () for c in found)


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        (Dialect.BASH, 'if [ "$OS" = Windows_NT ]; then cc w; else cc x; fi'),
        (Dialect.CMD, "if %OS%==Windows_NT (cc w) else (cc x)"),
    ],
)
def test_windows_says_so_itself(dialect: Dialect, text: str) -> None:
    on_windows = [c for c in run(text, dialect).commands if "windows-x86_64" in c.platforms]
    assert [(c.argv[1].text, c.when) for c in on_windows] == [("w", ())]


def test_a_variable_of_a_runner_that_is_not_there_is_unset() -> None:
    (found,) = run("cc x$RUNNER_OS", outside=()).commands
    assert [w.text for w in found.argv] == ["cc", "x"]


@pytest.mark.parametrize(
    ("name", "platform", "said"),
    [
        ("AGENT_OS", "windows-x86_64", "Windows_NT"),
        ("AGENT_OSARCHITECTURE", "linux-x86_64", "X64"),
        ("TRAVIS_OS_NAME", "macos-x86_64", "osx"),
        ("CIRRUS_OS", "macos-arm64", "darwin"),
        ("CIRRUS_ARCH", "linux-aarch64", "arm64"),
        ("DRONE_STAGE_ARCH", "linux-x86_64", "amd64"),
        ("RUNNER_OS", "freebsd-x86_64", None),
        ("PATH", "linux-x86_64", None),
    ],
)
def test_what_is_said(name: str, platform: str, said: "str | None") -> None:
    assert announced(name, platform) == said


def test_a_value_that_the_runner_surely_gives_nobody_has_to_ask_for() -> None:
    text = 'if [ "$GITHUB_REF_NAME" = main ]; then cc a; else cc b; fi'
    found = run(text, outside=("GITHUB_REF_NAME",)).commands
    assert [(c.argv[1].text, c.when, c.opt_in) for c in found] == [
        ("a", ("$GITHUB_REF_NAME is main",), False),
        ("b", ("$GITHUB_REF_NAME is not main",), False),
    ]
    unset = run(text, outside=()).commands
    assert [(c.argv[1].text, c.opt_in) for c in unset] == [("a", True), ("b", False)]


@pytest.mark.parametrize("dialect", [Dialect.BASH, Dialect.POWERSHELL])
def test_who_runs_the_script_is_known(dialect: Dialect) -> None:
    name = "GITHUB_ACTIONS" if dialect is Dialect.BASH else "env:GITHUB_ACTIONS"
    found = run(f"cc ${name}", dialect, ("GITHUB_ACTIONS",)).commands
    assert [c.argv[1].text for c in found] == ["true"]
    decided = run('if [ "$CI" ]; then cc x$CI; else cc y; fi', outside=("CI",))
    assert [c.argv[1].text for c in decided.commands] == ["xtrue"]
