"""`nox`, `invoke` and `python SCRIPT` as calls of build scripts."""

from pathlib import Path

import pytest

from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import collect

NOX = """
import nox
@nox.session(python=["3.11", "3.12"])
def build(session):
    session.run("cc", "b", external=True)
@nox.session
def lint(session):
    session.run("cc", "l")
"""
TASKS = """
from invoke import task
@task
def build_all(c):
    c.run("cc all")
@task
def lint(c):
    c.run("cc l")
"""
SCRIPT = 'import subprocess\nsubprocess.run(["cc", "s"])\n'


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("nox -s build", ["cc b"]),
        ("nox -s build-3.11 lint", ["cc b", "cc l"]),
        ("nox --session=lint -- x", ["cc l"]),
        ("nox", ["cc b", "cc l"]),
        ("nox -l", []),
        ("uv run nox -s lint", ["cc l"]),
        ("invoke build-all", ["cc all"]),
        ("inv lint --x 1", ["cc l"]),
        ("invoke --list", []),
        ("python tools/x.py --y", ["cc s"]),
        ("python3 -u tools/x.py", ["cc s"]),
        ("./tools/x.py", ["cc s"]),
        ("cd tools && python x.py", ["cc s"]),
        ("python -m x", []),
        ("python setup.py build", []),
    ],
)
def test_a_call_runs_what_it_names(tmp_path: Path, call: str, expected: list[str]) -> None:
    (tmp_path / "tools").mkdir()
    files = {"noxfile.py": NOX, "tasks.py": TASKS, "tools/x.py": SCRIPT, "setup.py": SCRIPT}
    for name, text in {**files, "go.sh": f"export CFLAGS=-O2\n{call}\n"}.items():
        (tmp_path / name).write_text(text)
    found = {f.path: f.commands for f in collect(Tree(tmp_path), Config())}
    called = [c for c in found["go.sh"] if c.argv[0].text == "cc"]
    assert sorted({" ".join(c.shown) for c in called}) == expected
    assert all(c.env["CFLAGS"].shown == "-O2" and c.via for c in called)
