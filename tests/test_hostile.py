"""Hostile and unlucky surroundings: nothing of the tree runs, no endless wait, no traceback, one clear message."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flagguard import cli, discover
from flagguard.checking import check
from flagguard.config import load
from flagguard.discover import Tree
from flagguard.rules import Severity
from flagguard.text import SourceText

NATIVE = "#!/bin/sh\nmojo build --target-cpu native x.mojo\n"


def flagguard(shell: str, folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a line of shell in which `$FG` is flagguard."""
    package = str(Path(cli.__file__).parents[1])
    around = os.environ | {"FG": f"{sys.executable} -P -m flagguard", "PYTHONPATH": package} | environment
    around.pop("FLAGGUARD_TRACEBACK", None)
    words = ["bash", "-c", shell]
    return subprocess.run(words, cwd=folder, env=around, capture_output=True, text=True, check=False, timeout=30)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    top = tmp_path / "tree"
    top.mkdir()
    (top / "good.sh").write_text(NATIVE)
    return top


@pytest.mark.parametrize(
    ("shell", "told"),
    [
        ("$FG check >&-", "flagguard: the standard output is closed\n"),
        ("$FG --version >&-", "flagguard: the standard output is closed\n"),
        ("$FG check > /dev/full", "flagguard: the output cannot be written: No space left on device\n"),
        ("$FG --version > /dev/full", "flagguard: the output cannot be written: No space left on device\n"),
        (
            "mkdir gone && cd gone && rmdir ../gone && $FG check",
            "flagguard check: the working directory cannot be read: No such file or directory\n",
        ),
        ("$FG frobnicate 2> /dev/full", ""),
        ("$FG frobnicate 2>&-", ""),
    ],
)
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_nobody_can_be_told(shell: str, told: str, tree: Path) -> None:
    answer = flagguard(shell, tree)
    assert (answer.returncode, answer.stderr) == (2, told)


@pytest.mark.parametrize(
    "path", [".:/usr/bin:/bin", ":/usr/bin:/bin", "{tree}:/usr/bin:/bin", "{tree}/bin:/usr/bin:/bin"]
)
def test_a_git_of_the_tree_is_not_started(path: str, tree: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tree)], check=True)
    (tree / "bin").mkdir()
    for folder in (tree, tree / "bin"):
        (folder / "git").write_text("#!/bin/sh\ntouch ran-git\n")
        (folder / "git").chmod(0o755)
    answer = flagguard(f"export PATH={path.format(tree=tree)}; $FG check", tree)
    assert answer.returncode == 1
    assert not (tree / "ran-git").exists()


def test_a_git_that_waits_is_given_up(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "-q", str(tree)], check=True)
    os.mkfifo(tree / ".gitignore")
    monkeypatch.setattr(discover, "PATIENCE", 0.3)
    found = Tree(tree)
    assert "good.sh" in found.paths()
    assert [problem.fatal for problem in found.problems] == [False]
    assert "git did not answer" in found.problems[0].message


@pytest.mark.parametrize(
    "text",
    [
        "- " * 254,
        "- " * 50_000,
        "? " * 300,
        ": " * 300,
        "\n".join(" " * i + "a:" for i in range(300)),
        "\r".join(" " * i + "a:" for i in range(300)),
        "\n".join("  " * i + "- a:" for i in range(150)),
    ],
)
def test_yaml_that_the_parser_could_not_bear(text: str, tree: Path) -> None:
    flows = tree / ".github" / "workflows"
    flows.mkdir(parents=True)
    (flows / "ci.yml").write_bytes(text.encode())
    answer = flagguard("$FG check", tree)
    assert answer.returncode == 2
    assert "not YAML that can be read: nested too deeply" in answer.stdout
    assert "good.sh:2:" in answer.stdout


def test_yaml_that_is_only_wide_is_read(tree: Path) -> None:
    flows = tree / ".github" / "workflows"
    flows.mkdir(parents=True)
    steps = "jobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: |\n"
    (flows / "ci.yml").write_text(
        steps + " " * 10 + "true\n" + " " * 400 + "cc -march=native a.c\n" + " " * 500 + "true\n"
    )
    answer = flagguard("$FG check", tree)
    assert answer.returncode == 1
    assert ".github/workflows/ci.yml:7:401:" in answer.stdout


SCRIPTS = (Path(__file__).parent / "hostile_scripts.txt").read_text()
CONFIG = """
[baseline]
linux-x86_64 = "x86-64-v2"
[[rule]]
id = "names-a-cpu"
why = "the default is the build machine's own CPU"
command = "mojo build"
require = [{ flag = "--target-cpu", at-most = "baseline" }]
at-least = 0
"""


def scripts() -> Iterator[tuple[str, str]]:
    """What each comes to, and its text."""
    for part in SCRIPTS.split("\n=== ")[1:]:
        verdict, _, text = part.partition("\n")
        yield verdict, text.rstrip("\n")


def outcome(text: str, root: Path) -> str:
    """`finding`, `warning`, `told` (a problem), or `nothing` of these."""
    text = text.replace("@N", "gcc -march=native a.c").replace("@M", "mojo build a.mojo")
    first, *others = text.split("\n--- ")
    files = {"s.sh": first if first.startswith("#!") else f"#!/bin/bash\n{first}"}
    files |= {name: body for name, _, body in (part.partition("\n") for part in others)}
    for name, body in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(body + "\n")
    report = check(Tree(root), load(SourceText("flagguard.toml", CONFIG)).config, strict=True).report
    if any(finding.severity is Severity.ERROR for finding in report.findings):
        return "finding"
    return "warning" if report.findings else "told" if report.problems else "nothing"


@pytest.mark.parametrize("wanted", ["finding", "warning", "told", "nothing"])
def test_what_runs_is_judged_or_told_and_what_does_not_run_is_silent(wanted: str, tmp_path: Path) -> None:
    of_this_kind = [text for verdict, text in scripts() if verdict == wanted]
    assert of_this_kind
    wrong = []
    for number, text in enumerate(of_this_kind):
        came = outcome(text, tmp_path / str(number))
        if came != wanted:
            wrong.append((came, text))
    assert wrong == []
