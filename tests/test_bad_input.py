"""Bad input: one clear message with file and line, status 2, the rest judged; never a traceback, never a wait."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from flagguard import cli

NATIVE = "#!/bin/sh\nmojo build --target-cpu native x.mojo\n"
"""A script with one finding: it shows that the rest is judged."""

Files = dict[str, "str | bytes"]
Check = Callable[..., "tuple[int, list[str], list[str]]"]


def lay(root: Path, files: Files) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Check:
    """Lay the files, run `flagguard check`: the status, the problems as `file:line: message`, the findings' places."""

    def run(files: Files, *words: str, command: str = "check") -> tuple[int, list[str], list[str]]:
        monkeypatch.chdir(lay(tmp_path, files))
        monkeypatch.delenv("FLAGGUARD_TRACEBACK", raising=False)
        status = cli.main([command, "--format", "json", *words])
        out, err = capsys.readouterr()
        assert err == ""
        data = json.loads(out)
        problems = [f"{p['file']}:{p['line']}: {p['message']}" for p in data["problems"]]
        return status, problems, [f"{f['file']}:{f['line']}" for f in data.get("findings", [])]

    return run


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("pyproject.toml", "[tool.poe.tasks]\na = 'b\n", "pyproject.toml:2: "),
        ("pyproject.toml", b"[tool.poe.tasks]\n# caf\xe9\na = 'true'\n", "pyproject.toml:2: "),
        ("pyproject.toml", "[tool.poe.tasks]\na = 'true'\n".encode("utf-16"), "pyproject.toml:1: is UTF-16"),
        (".github/workflows/ci.yml", "jobs:\n  a: [\n", ".github/workflows/ci.yml:"),
        (".github/workflows/ci.yml", "jobs:\n\ta: b\n", ".github/workflows/ci.yml:"),
        ("Makefile", b"all:\n\tcc\0\n", "Makefile:1: is binary"),
        ("Makefile", "all:\n\tcc\n".encode("utf-16"), "Makefile:1: is UTF-16"),
        ("big.sh", b"true\n" * 900_000, "big.sh:1: is too large to read (4500000 bytes"),
        ("bad.sh", "true\nif then ((( \n", "bad.sh:"),
        ("bad.sh", "true\necho 'open\n", "bad.sh:2: "),
    ],
)
def test_a_file_that_cannot_be_read(name: str, content: "str | bytes", told: str, check: Check) -> None:
    status, problems, findings = check({name: content, "good.sh": NATIVE})
    assert status == 2
    assert [problem for problem in problems if problem.startswith(told)] == problems != []
    assert findings == ["good.sh:2"]


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("latin1.sh", b"# caf\xe9\nmojo build --target-cpu native x.mojo\n", 2),
        ("crlf.sh", b"#!/bin/sh\r\nmojo build --target-cpu native x.mojo\r\n", 2),
        ("bom.sh", b"\xef\xbb\xbf# x\nmojo build --target-cpu native x.mojo\n", 2),
        ("Makefile", b"# caf\xe9\nall:\n\tmojo build --target-cpu native x.mojo\n", 3),
        ("Makefile", b"all:\r\n\tmojo build --target-cpu native x.mojo\r\n", 2),
        ("noeol.sh", b"mojo build --target-cpu native x.mojo", 1),
        ("long.sh", b"mojo build --target-cpu native " + b"x.mojo " * 20_000, 1),
    ],
)
def test_odd_text_that_the_shell_would_run_is_judged(name: str, content: bytes, line: int, check: Check) -> None:
    status, problems, findings = check({name: content})
    assert (status, problems, findings) == (1, [], [f"{name}:{line}"])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("packs = [\n", "flagguard.toml:"),
        (
            "packs = ['cpu-baselin']\n",
            "flagguard.toml:1: packs: there is no pack `cpu-baselin`; did you mean `cpu-baseline`?",
        ),
        ("exclud = []\n", "flagguard.toml:1: unknown key `exclud`; did you mean `exclude`?"),
        ("[baseline]\nlinux-x8664 = 'x86-64-v2'\n", "flagguard.toml:2: "),
        ("[baseline]\nlinux-x86_64 = 'x86-64-v9'\n", "flagguard.toml:2: "),
        ("[[rule]]\nid = 'a'\ncommand = 'cc'\nwhre = {}\n", "flagguard.toml:4: "),
        ("[[rule]]\nid = 'a'\ncommand = 'cc'\n[[rule]]\nid = 'a'\ncommand = 'cc'\n", "flagguard.toml:5: "),
        ("[[exempt]]\nrule = 'nope'\nreason = 'x'\n", "flagguard.toml:2: "),
        ("packs = 3\n", "flagguard.toml:1: "),
        ("\0", "flagguard.toml:1: "),
        ("a = 1\n".encode("utf-16").decode("latin-1"), "flagguard.toml:1: "),
        ("rule = " + "[" * 5000 + "]" * 5000, "flagguard.toml:1: "),
    ],
)
def test_a_configuration_that_is_wrong(text: str, told: str, check: Check) -> None:
    status, problems, _ = check({"flagguard.toml": text.encode("latin-1"), "good.sh": "true\n"})
    assert status == 2
    assert [problem for problem in problems if problem.startswith(told)] == problems != []


def test_what_is_right_in_a_wrong_configuration_still_counts(check: Check) -> None:
    status, problems, findings = check({"flagguard.toml": "exclud = []\n", "good.sh": NATIVE})
    assert (status, len(problems), findings) == (2, 1, ["good.sh:2"])


@pytest.mark.parametrize("command", ["check", "commands"])
def test_an_empty_tree_is_no_pass(command: str, check: Check) -> None:
    assert check({}, command=command)[:2] == (2, [".:1: nothing to read: there are no files"])


@pytest.mark.parametrize("command", ["check", "commands"])
def test_a_tree_without_commands_is_no_pass(command: str, check: Check) -> None:
    status, problems, _ = check({"README.txt": "mojo build\n"}, command=command)
    assert (status, problems) == (2, [".:1: nothing to read: no file is of a format that holds commands"])


def test_links_in_a_loop_and_out_of_the_tree(tmp_path: Path) -> None:
    tree = lay(tmp_path / "tree", {"good.sh": NATIVE})
    lay(tmp_path, {"outside.sh": NATIVE})
    (tree / "up").symlink_to("..")
    (tree / "here").symlink_to(".")
    (tree / "self.sh").symlink_to("self.sh")
    (tree / "out.sh").symlink_to("../outside.sh")
    (tree / "gone.sh").symlink_to("nowhere.sh")
    status, problems, findings = _in(tree)
    assert (status, findings) == (2, ["good.sh:2"])
    assert [problem.partition(":")[0] for problem in problems] == ["gone.sh", "out.sh", "self.sh"]


def test_a_pipe_in_the_tree_makes_nobody_wait(tmp_path: Path) -> None:
    tree = lay(tmp_path / "tree", {"good.sh": NATIVE})
    os.mkfifo(tree / "Makefile")
    os.mkfifo(tree / "pipe")
    assert _in(tree) == (2, ["Makefile:1: is no regular file"], ["good.sh:2"])


def test_a_pipe_as_the_configuration_makes_nobody_wait(tmp_path: Path) -> None:
    tree = lay(tmp_path / "tree", {"good.sh": NATIVE})
    os.mkfifo(tree / "pyproject.toml")
    status, problems, findings = _in(tree)
    assert (status, findings) == (2, ["good.sh:2"])
    assert problems == ["pyproject.toml:1: is no regular file"]


@pytest.mark.skipif(os.getuid() != 0, reason="needs root, to run as somebody who may not read")
def test_what_may_not_be_read_is_told(tmp_path: Path) -> None:
    tree = lay(tmp_path / "tree", {"good.sh": NATIVE, "shut/x.sh": NATIVE, "closed.sh": NATIVE, "tool": NATIVE})
    _open_up(tmp_path)
    (tree / "shut").chmod(0o700)
    (tree / "closed.sh").chmod(0o600)
    (tree / "tool").chmod(0o600)
    try:
        status, problems, findings = _in(tree, user=65534)
    except PermissionError:
        pytest.skip("somebody else cannot run this Python")
    assert (status, findings) == (2, ["good.sh:2"])
    assert problems == [
        "closed.sh:1: cannot be read: Permission denied",
        "shut:1: the folder cannot be opened: permission denied",
        "tool:1: cannot be read: Permission denied",
    ]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere"], "nowhere: no such file or folder"),
        (["/"], "/: is not in "),
        (["--config", "nowhere.toml"], "--config: nowhere.toml: no such file"),
        (["--config", "sub"], "--config: sub: not a file"),
        (["empty"], "empty: nothing to read there"),
    ],
)
def test_a_path_that_is_wrong_is_one_line(
    words: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(lay(tmp_path, {"good.sh": NATIVE, "sub/x.sh": NATIVE}))
    (tmp_path / "empty").mkdir()
    assert cli.main(["check", *words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"flagguard check: {told}")


def _in(tree: Path, user: int | None = None) -> tuple[int, list[str], list[str]]:
    """`flagguard check` as a process of its own, which may not take long."""
    ran = subprocess.run(
        [sys.executable, "-m", "flagguard", "check", "--format", "json"],
        cwd=tree,
        user=user,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
        stdin=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(Path(cli.__file__).parents[1]), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert ran.stderr == ""
    data = json.loads(ran.stdout)
    problems = [f"{p['file']}:{p['line']}: {p['message']}" for p in data["problems"]]
    return ran.returncode, problems, [f"{f['file']}:{f['line']}" for f in data["findings"]]


def _open_up(folder: Path) -> None:
    """Let others go through the folders of the test."""
    for parent in (folder, *folder.parents):
        if parent.owner() != "root" or parent == Path("/tmp"):
            break
        parent.chmod(0o755)
