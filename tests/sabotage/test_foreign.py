"""`sabotage --guard`: somebody else's guard against the same edits."""

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from flagguard import cli
from flagguard.sabotage import foreign
from flagguard.sabotage.foreign import Guard

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the guards are written for sh")

RULE = (
    "packs = []\n[[rule]]\nid = 'pinned'\ncommand = 'mojo build'\n"
    "require = [{ flag = '--target-cpu', at-most = 'x86-64-v2' }]\n"
)
GOOD = "#!/bin/sh\nmojo build --target-cpu x86-64-v2 -o x x.mojo\n"
Run = Callable[..., tuple[int, list[dict[str, str]], str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    (tmp_path / "flagguard.toml").write_text(RULE)
    (tmp_path / "build.sh").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLAGGUARD_TRACEBACK", "1")

    def call(guard: str, *words: str) -> tuple[int, list[dict[str, str]], str]:
        status = cli.main(["sabotage", "--guard", guard, "--format", "json", *words])
        data = json.loads(capsys.readouterr().out)
        return status, data["edits"], "".join(problem["message"] for problem in data["problems"])

    return call


def verdicts(edits: list[dict[str, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for edit in edits:
        found.setdefault(edit["operator"], set()).add(edit["verdict"])
    return found


def test_a_guard_that_searches_text_misses_what_text_hides(run: Run, tmp_path: Path) -> None:
    status, edits, _ = run("grep -q -e --target-cpu build.sh")
    assert status == 1
    found = verdicts(edits)
    assert found["drop-flag"] == {"caught"}
    assert found["move-flag-into-comment"] == {"missed"}
    assert found["move-flag-into-echo"] == {"missed"}
    assert found["set-value-native"] == {"missed"}
    assert found["add-comment-line"] == {"stayed-clean"}
    assert (tmp_path / "build.sh").read_text() == GOOD
    assert sorted(path.name for path in tmp_path.iterdir()) == ["build.sh", "flagguard.toml"]


def test_a_guard_that_flags_every_change_raises_false_alarms(run: Run) -> None:
    status, edits, _ = run(f"test \"$(cat build.sh)\" = '{GOOD.strip()}'")
    assert status == 1
    counted = Counter((edit["kind"], edit["verdict"]) for edit in edits if edit["verdict"] != "skipped")
    assert set(counted) == {("sabotage", "caught"), ("harmless", "false-alarm")}
    assert "the guard ends with status 1" in {edit["detail"] for edit in edits}


def test_a_guard_that_is_never_clean_proves_nothing(run: Run) -> None:
    status, edits, told = run("echo well; echo no >&2; exit 3")
    assert (status, edits) == (2, [])
    assert told == "the guard ends with status 3 on the tree as it is, so nothing can be proved: no"


def test_a_guard_that_does_not_end(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def ends_on_the_clean_tree(guard: Guard, root: Path) -> foreign.Ended:
        return foreign.Ended(0 if "x86-64-v2" in (root / "build.sh").read_text() else None, "")

    monkeypatch.setattr(foreign, "run_in", ends_on_the_clean_tree)
    status, edits, _ = run("true", "--timeout", "7")
    assert status == 1
    assert {edit["detail"] for edit in edits if edit["verdict"] == "timeout"} == {
        "the guard did not end within 7 seconds"
    }


def test_what_does_not_end_is_stopped(tmp_path: Path) -> None:
    guard = Guard("echo $$ > pid; exec tail -f /dev/null", patience=0.2)
    assert foreign.run_in(guard, tmp_path).status is None
    pid = (tmp_path / "pid").read_text().strip() if (tmp_path / "pid").exists() else ""
    assert not pid or not Path(f"/proc/{pid}").exists()


def test_what_the_guard_writes_is_thrown_away(run: Run, tmp_path: Path) -> None:
    status, _, _ = run("test ! -e written && echo > written && grep -q -e '^mojo build --target-cpu' build.sh")
    assert status == 1
    assert not (tmp_path / "written").exists()


def test_it_runs_where_its_user_is(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "guard.sh").write_text("grep -q -e --target-cpu ../build.sh\n")
    monkeypatch.chdir(tmp_path / "sub")
    _, edits, told = run("sh guard.sh")
    assert told == ""
    assert verdicts(edits)["drop-flag"] == {"caught"}


def test_a_tree_that_is_not_clean_is_told_before_the_guard_runs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "build.sh").write_text(GOOD.replace("x86-64-v2", "native"))
    status, _, told = run("touch ran; true")
    assert status == 2
    assert told.startswith("check is not clean")
