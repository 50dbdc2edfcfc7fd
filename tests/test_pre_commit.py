"""The hooks under the real pre-commit, on real commits.

Only how the hook is installed differs from a user's: instead of an environment of its own it runs this checkout.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
GOOD = "#!/bin/sh\nmojo build --target-cpu x86-64-v2 x.mojo\n"
BAD = GOOD.replace("x86-64-v2", "native")
CONFIGURATION = "[[rule]]\nid = 'built'\nwhy = 'it ships'\ncommand = 'mojo build'\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    pytest.importorskip("pre_commit")
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    hook = next(hook for hook in hooks if hook["id"] == "flagguard")
    hook |= {"language": "system", "entry": hook["entry"].replace("flagguard", f"{sys.executable} -m flagguard", 1)}
    del hook["minimum_pre_commit_version"]
    root = tmp_path / "project"
    root.mkdir()
    (root / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [{"repo": "local", "hooks": [hook]}]}))
    (root / "flagguard.toml").write_text(CONFIGURATION)
    (root / "build.sh").write_text(GOOD)
    (root / "notes.txt").write_text("mojo build --target-cpu native\n")
    git(root, "init", "-q")
    git(root, "add", "-A")
    installed = run(root, sys.executable, "-m", "pre_commit", "install")
    assert installed.returncode == 0, installed.stdout
    return root


def run(root: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    env |= {"PRE_COMMIT_HOME": str(root.parent / "store"), "PYTHONPATH": str(ROOT), "GIT_CONFIG_GLOBAL": os.devnull}
    stdout, stderr = subprocess.PIPE, subprocess.STDOUT
    return subprocess.run(words, cwd=root, env=env, stdout=stdout, stderr=stderr, text=True, check=False)


def git(root: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return run(root, "git", "-c", "user.name=n", "-c", "user.email=e@example.org", *words)


@pytest.mark.slow
def test_a_commit_goes_through_only_with_the_flag(repository: Path) -> None:
    first = git(repository, "commit", "-qm", "good")
    assert first.returncode == 0, first.stdout
    assert "flagguard check" in first.stdout

    (repository / "build.sh").write_text(BAD)
    second = git(repository, "commit", "-qam", "bad")
    assert second.returncode == 1
    assert "build.sh:2:1: error[cpu-baseline/not-native]" in second.stdout


@pytest.mark.slow
def test_a_commit_that_only_deletes_is_judged_too(repository: Path) -> None:
    assert git(repository, "commit", "-qm", "good").returncode == 0
    git(repository, "rm", "-q", "build.sh")
    deleted = git(repository, "commit", "-qm", "gone")
    assert deleted.returncode == 1
    assert "error[built]" in deleted.stdout
