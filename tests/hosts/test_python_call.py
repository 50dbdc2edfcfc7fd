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


SESSIONS = """
import os, nox
nox.options.sessions = ["wheel"]
@nox.session(python=["3.11", "3.12"])
def wheel(session):
    session.run("rec", "wheel", session.python, *session.posargs, external=True)
    session.notify("after")
@nox.session(name="o-b-j", requires=["before"])
def obj(session):
    session.run("rec", "obj", *(session.posargs or ["-g", "a b"]), external=True)
@nox.session(default=False)
def before(session):
    os.environ["V_B"] = "1"
    session.env["V_S"] = "s"
    session.run("rec", "before", external=True, env={"V_A": os.environ["V_IN"]})
@nox.session
def after(session):
    session.run("rec", "after", external=True)
    session.skip("no more")
    session.run("rec", "never", external=True)
"""
TASKED = """
from invoke import task, call
@task
def one(c, level="2", name="it"):
    c.run(f"rec one -O{level} {name:>4}")
@task(pre=[call(one, level="0")], post=[one], aliases=["al"])
def two(c, unit, fast=False, slow=True, some_more=3):
    with c.cd("sub"), c.prefix("export V_P=p"):
        c.run(f"rec two {unit} {fast} {slow} {some_more:02d}", env={"V_E": "e"})
"""
ARGUMENTS = """
import subprocess, sys
subprocess.check_call(["rec", *sys.argv[1:]])
if sys.argv[1] == "fast":
    subprocess.check_call(["rec", "is-fast"])
"""
RUNS = [
    # the call, and what nox 2026.10, Invoke 3.0 and Python ran
    ("nox", ["after", "wheel 3.11", "wheel 3.12"]),
    ("nox -s wheel-3.12 -- p 'q r'", ["after", "wheel 3.12 p 'q r'"]),
    ("V_IN=i nox -s o-b-j", ["before V_A=i V_B=1 V_IN=i V_S=s", "obj -g 'a b' V_B=1 V_IN=i"]),
    ("V_IN=i nox -s before o-b-j -- ''", ["before V_A=i V_B=1 V_IN=i V_S=s", "obj '' V_B=1 V_IN=i"]),
    ("invoke one -l 1 --name=x", ["one -O1 x"]),
    ("inv al u --fast --no-slow -o 7", ["one -O0 it", "one -O2 it", "two u True False 07 V_E=e V_P=p"]),
    ("inv two --unit='a b'", ["one -O0 it", "one -O2 it", "two a b False True 03 V_E=e V_P=p"]),
    ("python tools/x.py fast 'a b'", ["fast 'a b'", "is-fast"]),
    ("python tools/x.py slow", ["slow"]),
]


@pytest.mark.parametrize(("call", "expected"), RUNS)
def test_a_call_hands_on_its_words_and_its_environment(tmp_path: Path, call: str, expected: list[str]) -> None:
    (tmp_path / "tools").mkdir()
    files = {"noxfile.py": SESSIONS, "tasks.py": TASKED, "tools/x.py": ARGUMENTS}
    for name, text in {**files, "go.sh": f"{call}\n"}.items():
        (tmp_path / name).write_text(text)
    found = {f.path: f.commands for f in collect(Tree(tmp_path), Config(), strict=True)}["go.sh"]
    shown = set()
    for command in found:
        env = [f"{name}={value.shown}" for name, value in sorted(command.env.items()) if name.startswith("V_")]
        words = [w if w and " " not in w else f"'{w}'" for w in command.shown[1:]]
        if command.argv[0].text == "rec" and not command.opt_in:
            shown.add(" ".join([*words, *env]))
    assert sorted(shown) == expected
