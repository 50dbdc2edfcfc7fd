"""`why FILE:LINE`: each word's way, what the options come to, what the rules say, and how to ask the compiler."""

from collections.abc import Callable
from pathlib import Path

import pytest

from flagguard import cli
from flagguard.asking import question, with_environment
from flagguard.command import Command, Place, Word
from flagguard.text import Span, literal
from flagguard.tools.invocation import understand

Run = Callable[..., tuple[int, str]]
CONFIG = "[baseline]\nlinux-x86_64 = 'x86-64-v2'\nmacos-arm64 = 'apple-m1'\n"
SCRIPT = """#!/bin/sh -e
case $(uname) in
  Darwin) cpu=apple-m1 ;;
  *) cpu=native ;;
esac
sudo mojo build \\
  --target-cpu "$cpu" a.mojo
gcc -O2 -march=x86-64-v2 -mavx2 -c a.c
RUSTFLAGS='-C target-cpu=x86-64-v2' cargo build
own --x
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    (tmp_path / "b.sh").write_text(SCRIPT)
    (tmp_path / "flagguard.toml").write_text(CONFIG)

    def call(spot: str) -> tuple[int, str]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("FLAGGUARD_TRACEBACK", "1")
        status = cli.main(["why", spot])
        out, err = capsys.readouterr()
        return status, out + err

    return call


@pytest.mark.parametrize("spot", ["b.sh:6", "b.sh:7", "b.sh:6:6"])
def test_a_command_on_each_platform(run: Run, spot: str) -> None:
    status, out = run(spot)
    assert status == 0
    first, second = out.split("\n\n")[:2]
    assert first.splitlines()[:4] == [
        "b.sh:6:6: linux-x86_64",
        "    mojo build --target-cpu native a.mojo",
        "  through:   sudo",
        "  from:      native: b.sh:4:10: *) cpu=native ;;",
    ]
    assert "  effective: cpu: native (by `--target-cpu native`)" in first
    assert "  ask:       mojo build --target-cpu native --print-effective-target FILE" in first
    assert "  rules:     cpu-baseline/at-most: BROKEN: the effective cpu at most the baseline" in first
    assert second.startswith("b.sh:6:6: macos-arm64\n")
    assert "cpu-baseline/at-most: holds: " in second


def test_what_is_added_and_what_is_the_default(run: Run) -> None:
    _, out = run("b.sh:8")
    assert "cpu: x86-64-v2 +avx2 (by `-march=x86-64-v2`)" in out
    assert "optimisation: -O2 (by `-O2`)" in out
    assert "by default: " in out
    assert "fast-math off" in out
    assert "  ask:       gcc -O2 -march=x86-64-v2 -mavx2 -Q --help=target\n" in out


def test_flags_of_the_environment(run: Run) -> None:
    _, out = run("b.sh:9")
    assert "cpu: x86-64-v2 (by `RUSTFLAGS`)" in out
    assert "  ask:       RUSTFLAGS='-C target-cpu=x86-64-v2' cargo rustc -- --print cfg\n" in out


def test_a_program_that_nobody_knows(run: Run) -> None:
    status, out = run("b.sh:10")
    assert status == 0
    assert "tool:      the catalogue does not know it" in out
    assert "rules:     no rule speaks of it" in out


@pytest.mark.parametrize(
    ("spot", "told"),
    [
        ("b.sh:1", "b.sh:1: no command stands there; the nearest is in line 2"),
        ("b.sh", "is no place: write FILE:LINE"),
        ("gone:1", "gone: no such file or folder"),
        ("flagguard.toml:1", "the file has none"),
    ],
)
def test_places_without_a_command(run: Run, spot: str, told: str) -> None:
    status, out = run(spot)
    assert status == 2
    assert told in out


@pytest.mark.parametrize(
    ("argv", "deciding", "asked"),
    [
        ("clang -O2 a.c", [1], "clang -O2 -### -x c -c /dev/null"),
        (
            "/usr/bin/aarch64-linux-gnu-gcc-12 -mcpu=x a.c",
            [1],
            "/usr/bin/aarch64-linux-gnu-gcc-12 -mcpu=x -Q --help=target",
        ),
        ("rustc -C target-cpu=x a.rs", [1, 2], "rustc -C target-cpu=x --print cfg"),
        ("mojo run --mcpu x a.mojo", [2, 3], "mojo build --mcpu x --print-effective-target FILE"),
        ("go build ./x", [], "go env GOARCH GOAMD64 GOARM64 GOFLAGS"),
        ("npm ci", [], None),
    ],
)
def test_questions(argv: str, deciding: list[int], asked: str | None) -> None:
    span = Span("a", 0, 1)
    words = tuple(Word(literal(word, span).pieces) for word in argv.split())
    (invocation, *_) = understand(Command(words, Place("x"), span, span), {})
    assert question(invocation, deciding, argv.split()) == asked


def test_a_question_with_the_environment() -> None:
    assert with_environment("cargo x", [("A", "'b c'")]) == "A='b c' cargo x"
