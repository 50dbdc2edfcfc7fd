"""`--log`: what a build printed, judged like any command."""

import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from flagguard import cli

Run = Callable[..., tuple[int, str]]
CONFIG = "[baseline]\nlinux-x86_64 = 'x86-64-v2'\n"
NATIVE = "gcc -O2 -march=native -c a.c\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(log: str | bytes, *words: str, config: str = CONFIG, name: str = "build.log") -> tuple[int, str]:
        (tmp_path / "flagguard.toml").write_text(config)
        (tmp_path / name).write_bytes(log if isinstance(log, bytes) else log.encode())
        # the tree is not judged besides
        (tmp_path / "b.sh").write_text("#!/bin/sh\ngcc -march=native b.c\n")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("FLAGGUARD_TRACEBACK", "1")
        status = cli.main([*(words or ("check",)), "--log", name])
        out, err = capsys.readouterr()
        return status, out + err

    return call


def test_a_finding_in_a_log(run: Run) -> None:
    status, out = run("make: Entering directory '/x'\n" + NATIVE)
    assert status == 1
    assert out.startswith("build.log:2:1: error[cpu-baseline/at-most]: ")
    assert "b.sh" not in out
    assert out.endswith("1 file, 1 command, 1 judged: 1 error, 0 warnings, 0 unresolved, 0 exempt\n")


def test_a_clean_log(run: Run) -> None:
    assert run("gcc -O2 -c a.c\n")[0] == 0


@pytest.mark.parametrize(
    ("log", "told"),
    [
        ("make: Nothing to be done for 'all'.\n", "no line of the log is a command of a compiler"),
        ("git clone x\n", "no command of the log is one that a rule speaks of"),
        ("  CC      a.o\n  CC      b.o\n", "the log hides what is run: `CC      a.o` and 1 more"),
        ("gcc -c a.c -o a.o\n  CC      a.o\n  CC      b.o\n", "`CC      b.o`; let the build print"),
        ('gcc -O2 -c a.c\ngcc -O2 "-DX -c b.c\n', "build.log:2: problem: the shell cannot read this"),
    ],
)
def test_a_log_that_proves_nothing_is_a_problem(run: Run, log: str, told: str) -> None:
    status, out = run(log)
    assert status == 2
    assert told in out


def test_steps_whose_commands_are_printed_hide_nothing(run: Run) -> None:
    log = "[ 50%] Building C object x.dir/a.c.o\n/usr/bin/cc -o x.dir/a.c.o -c /s/a.c\n[100%] Linking C executable x\n"
    assert run(log + "/usr/bin/cc x.dir/a.c.o -o x\n")[0] == 0
    assert run(log)[0] == 2
    assert run("  CC      a.o\ngcc -c s/a.c\n")[0] == 0
    assert run("   Compiling my-x v1.0.0\n     Running `rustc --crate-name my_x src/lib.rs`\n")[0] == 0
    assert run("   Compiling my-x v1.0.0\n     Running `rustc --crate-name other src/lib.rs`\n")[0] == 2


@pytest.mark.parametrize(
    "line",
    [
        " /usr/lib/gcc/x/12/cc1 -march=native a.c",
        "gcc version 12.2.0 (Debian 12.2.0-14)",
        "gcc failed; don't panic",
        "gcc (a b",
    ],
)
def test_prose_is_no_problem(run: Run, line: str) -> None:
    status, out = run(f"gcc -O2 -c a.c\n{line}\n")
    assert status == 0
    assert "1 command, 1 judged" in out


def test_commands_lists_a_log(run: Run) -> None:
    status, out = run("cd x && ccache gcc -DA='b c' \\\n  -c a.c\n", "commands", "--format", "json")
    (found,) = json.loads(out)["commands"]
    assert status == 0
    assert (found["line"], found["column"], found["wrappers"]) == (1, 16, [["ccache"]])
    assert found["argv"] == ["gcc", "-DA=b c", "-c", "a.c"]
    assert (found["place"]["host"], found["platforms"]) == ("log", ["linux-x86_64"])


def test_a_compilation_database_by_any_name(run: Run) -> None:
    entry = {"directory": "/b", "file": "a.c", "command": NATIVE.strip()}
    status, out = run(json.dumps([entry]), name="db.json")
    assert status == 1
    assert "place:     target a.c" in out


def test_utf16_of_msbuild(run: Run) -> None:
    text = "^C:\\A.C\r\n/c /arch:AVX2 C:\\A.C\r\n"
    config = "[baseline]\nwindows-x86_64 = 'x86-64-v2'\n"
    status, out = run(b"\xff\xfe" + text.encode("utf-16-le"), config=config, name="CL.command.1.tlog")
    assert status == 1
    assert "argv:      cl /c /arch:AVX2" in out


def test_the_platform_is_said_or_the_machine_s(run: Run) -> None:
    config = "[baseline]\nlinux-x86_64 = 'x86-64-v2'\nlinux-aarch64 = 'armv8-a'\n"
    status, out = run("gcc -mcpu=neoverse-v1 -c a.c\n", "check", "--platform", "linux-aarch64", config=config)
    assert status == 1
    assert "platforms: linux-aarch64\n" in out
    assert "this machine's platform" not in out
    assert "this machine's platform; `--platform NAME`" in run("gcc -c a.c\n", config=config)[1]


def test_rules_that_ask_for_places_of_a_tree_are_told(run: Run) -> None:
    config = CONFIG + (
        "[[rule]]\nid = 'a'\ncommand = 'mojo build'\nwhere = { task = 'x' }\n"
        "[[rule]]\nid = 's'\ncommand = 'gcc'\nstatus = 'honoured'\n"
        "[[rule]]\nid = 'b'\ncommand = 'mojo build'\nrequire = ['--target-cpu']\n"
        "[[rule]]\nid = 'c'\ncommand = 'own-cc'\nrequire = ['--safe']\n"
    )
    status, out = run("own-cc --fast a.c\n", config=config)
    assert status == 1
    assert "places that a log does not have: a, s\n" in out
    assert "met no command of the log: b\n" in out
    assert "error[c]: `own-cc` has no `--safe`" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["check", "b.sh"], "name no paths besides"),
        (["check", "--platform", "linux-amd64"], "did you mean `linux-x86_64`?"),
        (["check", "--log", "gone"], "gone:1: problem: cannot be read: No such file"),
    ],
)
def test_wrong_use(run: Run, words: list[str], told: str) -> None:
    status, out = run("gcc -c a.c\n", *words)
    assert status == 2
    assert told in out


def test_the_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run("")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(NATIVE.encode())))
    assert cli.main(["check", "--log", "-"]) == 1
    assert capsys.readouterr().out.startswith("-:1:1: error")


def test_an_ignored_log_as_a_path_is_told_the_option(run: Run, tmp_path: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("needs git")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / "flagguard.toml").write_text(CONFIG)
    (tmp_path / "build.log").write_text(NATIVE)
    status, out = run(NATIVE, "check", "build.log", name="other.log")
    assert status == 2
    assert "build.log: nothing to read there (empty, or ignored by git); `--log build.log` reads it all the same" in out
