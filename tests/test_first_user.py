"""A project like the first user's: two shipping tasks, a guard that a comment satisfied, the fix, and the proof."""

import datetime
import json
import subprocess
import sys
from pathlib import Path

import pytest

from flagguard.checking import check
from flagguard.config import Config, load
from flagguard.discover import Tree
from flagguard.sabotage import run
from flagguard.text import SourceText

EXAMPLE = Path(__file__).parent.parent / "sabotage" / "example"

BEFORE = '''
[project]
name = "kestrel"
version = "0.1.0"

# The compiler targets the build machine unless --target-cpu says otherwise.
[tool.poe.tasks.build-server]
shell = """
mkdir -p build
# Ship with --target-cpu x86-64-v2: see the release notes.
mojo build -I lib src/server.mojo -o build/server || exit 1
echo "built with --target-cpu $(uname -m)"
"""

[tool.poe.tasks.build-cabi]
shell = """
case "$(uname)" in Darwin) ext=dylib ;; *) ext=so ;; esac
mojo build --emit shared-lib \\\\
  -I lib \\\\
  src/capi.mojo -o "build/libkestrel.$ext" || exit 1
"""

[tool.poe.tasks.build]
sequence = ["build-server", "build-cabi"]

[tool.poe.tasks]
docs = "mojo doc lib -o build/api.json"
'''

CASE = """
case "$(uname)-$(uname -m)" in
  Darwin-arm64)  tcpu=apple-m1 ;;
  Linux-aarch64) tcpu=generic ;;
  Linux-x86_64)  tcpu=x86-64-v2 ;;
  *) echo "no CPU for $(uname -m)" >&2; exit 1 ;;
esac
"""

RULES = """
packs = []

[baseline]
linux-x86_64  = "x86-64-v2"
linux-aarch64 = "generic"
macos-arm64   = "apple-m1"

[[rule]]
id       = "ship-is-pinned"
why      = "mojo build compiles for the machine it runs on unless it is told otherwise"
command  = "mojo build"
where    = { task = "build-*" }
require  = [{ flag = ["--target-cpu", "--mcpu"], at-most = "baseline" }]
at-least = 2
"""


def fixed(text: str) -> str:
    for first in ("mojo build -I lib src/server", "mojo build --emit shared-lib"):
        text = text.replace(first, CASE.lstrip() + first.replace("mojo build", 'mojo build --target-cpu "$tcpu"'))
    return text


def project(folder: Path, text: str) -> Tree:
    (folder / "pyproject.toml").write_text(text)
    (folder / "flagguard.toml").write_text(RULES)
    return Tree(folder)


@pytest.fixture
def config() -> Config:
    loaded = load(SourceText("flagguard.toml", RULES), datetime.date(2026, 11, 30))
    assert loaded.problems == ()
    return loaded.config


def test_before_the_fix_each_shipping_task_is_one_finding(tmp_path: Path, config: Config) -> None:
    report = check(project(tmp_path, BEFORE), config, strict=True).report
    found = [(f.rule, f.place.task, f.verdict.value, set(f.platforms)) for f in report.findings]
    everywhere = {"linux-x86_64", "linux-aarch64", "macos-arm64"}
    assert sorted(found, key=str) == [
        ("ship-is-pinned", "build-cabi", "missing", everywhere),
        ("ship-is-pinned", "build-server", "missing", everywhere),
    ]


def test_after_the_fix_it_is_clean_and_every_sabotage_is_caught(tmp_path: Path, config: Config) -> None:
    tree = project(tmp_path, fixed(BEFORE))
    assert check(tree, config, strict=True).report.findings == ()
    proof = run(tree, config, strict=True)
    outcomes = [r.outcome.value for r in proof.results]
    assert set(outcomes) <= {"caught", "stayed-clean", "not-applicable"}, [r for r in proof.results if r.fails]
    assert outcomes.count("caught") >= 20
    assert outcomes.count("stayed-clean") >= 8
    assert proof.score == 100


def test_the_bundled_example_has_one_finding() -> None:
    words = [sys.executable, "-m", "flagguard", "check", "--format", "json"]
    done = subprocess.run(words, cwd=EXAMPLE, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    findings = json.loads(done.stdout)["findings"]
    assert [(f["rule"], f["line"], f["verdict"]) for f in findings] == [("shipped-code-names-its-cpu", 29, "missing")]
