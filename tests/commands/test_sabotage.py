"""`sabotage` as a user meets it: the status, and the fields of the machine format."""

import json
from pathlib import Path

import pytest

from flagguard import cli

RULE = """
packs = []
[[rule]]
id      = "pinned"
command = "mojo build"
require = [{ flag = "--target-cpu", value = "x86-64-v2" }]
"""
GOOD = "#!/bin/sh\nmojo build --target-cpu x86-64-v2 -o x x.mojo\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "flagguard.toml").write_text(RULE)
    (tmp_path / "build.sh").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLAGGUARD_TRACEBACK", "1")


def test_all_is_caught_and_nothing_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert cli.main(["sabotage"]) == 0
    out, err = capsys.readouterr()
    assert out.endswith("score 100 %\n")
    assert err == ""
    assert (tmp_path / "build.sh").read_text() == GOOD


def test_the_machine_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["sabotage", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    names = {"sites", "sabotages", "caught", "missed", "harmless", "false_alarms", "invalid", "skipped", "score"}
    assert names <= data["summary"].keys()
    assert data["summary"]["score"] == 100
    fields = ["kind", "operator", "rule", "file", "line", "verdict", "detail", "diff"]
    assert {tuple(edit) for edit in data["edits"]} == {tuple(fields)}
    dropped = next(edit for edit in data["edits"] if edit["operator"] == "drop-flag")
    assert (dropped["kind"], dropped["rule"], dropped["file"], dropped["line"]) == ("sabotage", "pinned", "build.sh", 2)
    assert dropped["verdict"] == "caught"
    assert "-mojo build --target-cpu" in dropped["diff"]


def test_a_tree_that_is_not_clean_proves_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "build.sh").write_text(GOOD.replace("x86-64-v2", "native"))
    assert cli.main(["sabotage"]) == 2
    assert "check is not clean, so nothing can be proved" in capsys.readouterr().out


def test_no_rule_that_could_lose_anything_proves_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "flagguard.toml").write_text("packs = []\n")
    assert cli.main(["sabotage"]) == 2
    assert "nothing to prove" in capsys.readouterr().out


def test_without_a_build_file_it_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "build.sh").unlink()
    assert cli.main(["sabotage"]) == 2
    assert capsys.readouterr().out.splitlines() == [
        "problem: nothing to read: no file is of a format that holds commands",
        "0 sites, 0 sabotages: nothing was proved",
    ]
