"""Texts that are not read: a rule's program in one is undecided, never clean."""

from pathlib import Path

import pytest

from flagguard.checking import check
from flagguard.config import load
from flagguard.discover import Tree
from flagguard.findings import Report
from flagguard.text import SourceText

RULE = """
packs = []

[[rule]]
id       = "pinned"
command  = ["mojo build", "@zig-compiler"]
require  = ["--target-cpu"]
at-least = 0
"""
WORKFLOW = """\
on: push
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - shell: python
        run: |
          import subprocess
"""


def judged(root: Path, body: str, more: str = "", path: str = ".github/workflows/a.yml") -> Report:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(WORKFLOW + "".join(f"          {line}\n" for line in body.splitlines()))
    loaded = load(SourceText("flagguard.toml", RULE + more))
    assert loaded.problems == ()
    return check(Tree(root), loaded.config).report


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ('subprocess.run(["mojo", "build"])', [9]),
        ("x\nos.system('mojo build')", [10]),
        ("run('/opt/bin/mojo')", [9]),
        ("zig = which('zig.exe')", [9]),
        ("# mojo build", []),
        ("mojolib.mojo_build('x-mojo')", []),
        ("print('no')", []),
    ],
)
def test_a_word_of_the_text_is_undecided_at_its_line(tmp_path: Path, body: str, lines: list[int]) -> None:
    report = judged(tmp_path, body)
    source = SourceText("", (tmp_path / ".github/workflows/a.yml").read_text())
    assert [source.position(f.span.start)[0] for f in report.findings] == lines
    assert {f.verdict.value for f in report.findings} <= {"unresolved"}
    assert report.status == (1 if lines else 0)


def test_the_message_says_what_it_is_written_in(tmp_path: Path) -> None:
    (finding,) = judged(tmp_path, "run('mojo')").findings
    assert finding.message == "this is written in python, which is not read, and speaks of `mojo`"
    assert finding.place is not None
    assert finding.place.job == "a"


@pytest.mark.parametrize(
    ("body", "more", "status"),
    [
        ("run('mojo')  # flagguard: exempt pinned - benchmarks", "", 0),
        ("run('mojo')", '[[exempt]]\nrule = "pinned"\nwhere = { job = "a" }\nreason = "x"\n', 0),
        ("run('mojo')", '[[exempt]]\nrule = "pinned"\nwhere = { job = "b" }\nreason = "x"\n', 1),
    ],
)
def test_it_can_be_exempt(tmp_path: Path, body: str, more: str, status: int) -> None:
    report = judged(tmp_path, body, more)
    assert any(f.verdict.value == "unresolved" for f in report.findings) == bool(status)
