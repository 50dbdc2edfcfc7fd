"""`check` and `commands` as a user meets them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from flagguard import cli

Run = Callable[..., tuple[int, str]]
SCRIPT = '#!/bin/sh\ncpu=native\nsudo mojo build --target-cpu "$cpu" x.mojo\n'


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*words: str, **files: str) -> tuple[int, str]:
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("FLAGGUARD_TRACEBACK", "1")
        status = cli.main(list(words))
        out, err = capsys.readouterr()
        assert err == ""
        return status, out

    return call


def test_a_finding_leads_from_the_word_to_what_decides_it(run: Run) -> None:
    status, out = run("check", build_sh=SCRIPT)
    assert status == 1
    lines = out.splitlines()
    assert lines[0].startswith("build.sh:3:6: error[cpu-baseline/not-native]: ")
    assert lines[1:5] == [
        '  3 | sudo mojo build --target-cpu "$cpu" x.mojo',
        "    |                              ^^^^^^",
        "  platforms: linux-x86_64",
        "  from:      build.sh:2:5: cpu=native",
    ]
    assert lines[-2].startswith("note: there is no flagguard.toml")
    assert lines[-1] == "1 file, 1 command, 1 judged: 1 error, 0 warnings, 0 unresolved, 0 exempt"


def test_warnings_do_not_change_the_status(run: Run) -> None:
    rule = "packs = []\n[[rule]]\nid = 'a'\ncommand = 'mojo build'\nnever = true\nseverity = 'warning'\n"
    status, out = run("check", build_sh=SCRIPT, flagguard_toml=rule)
    assert status == 0
    assert "warning[a]" in out
    assert out.endswith("0 errors, 1 warning, 0 unresolved, 0 exempt\n")


def test_problems_win_over_findings(run: Run) -> None:
    status, out = run("check", build_sh=SCRIPT, flagguard_toml="packs = ['cpu-baseline', 'x']\n")
    assert status == 2
    assert "flagguard.toml:1: problem: " in out
    assert "error[cpu-baseline/not-native]" in out


def test_paths_restrict_what_is_shown(run: Run) -> None:
    status, out = run("check", "sub", build_sh=SCRIPT, sub__x_sh="true\ncc -O2 -c x.c\n")
    assert status == 0
    assert out.splitlines()[-2:] == [
        "note: only what stands in sub is shown; the whole tree was read",
        "1 file, 1 command, 1 judged: 0 errors, 0 warnings, 0 unresolved, 0 exempt",
    ]


def test_commands_as_json(run: Run) -> None:
    status, out = run("commands", "--format", "json", build_sh=SCRIPT)
    assert status == 0
    (command,) = json.loads(out)["commands"]
    assert command["argv"] == ["mojo", "build", "--target-cpu", "native", "x.mojo"]
    assert (command["file"], command["line"], command["column"]) == ("build.sh", 3, 6)
    assert command["wrappers"] == [["sudo"]]
    assert command["place"]["host"] == "shellscript"


def test_two_runs_print_the_same_bytes(run: Run) -> None:
    files = {"a_sh": SCRIPT * 3, "b_sh": SCRIPT, "sub__c_sh": 'for f in a b; do cc -march=native "$f" $X; done\n'}
    for words in (["check"], ["check", "--format", "json"], ["check", "--format", "github"], ["commands"]):
        assert run(*words, **files) == run(*words)


def test_json_and_text_say_the_same(run: Run) -> None:
    text = run("check", build_sh=SCRIPT * 2)[1]
    data = json.loads(run("check", "--format", "json")[1])
    assert text.count("error[") == len(data["findings"]) == data["summary"]["errors"] > 1


def test_nothing_judged_is_told(run: Run) -> None:
    note = "note: no command was judged: no rule speaks of any that was read, so nothing is guarded here"
    assert note in run("check", build_sh="#!/bin/sh\nls\n")[1].splitlines()
    assert note not in run("check", build_sh=SCRIPT)[1].splitlines()
    assert (
        "::notice title=flagguard::no command was judged"
        in run("check", "--format", "github", build_sh="#!/bin/sh\nls\n")[1]
    )


def test_outside_of_git_the_root_is_told(run: Run, tmp_path: Path) -> None:
    told = f"note: this is no git repository: every file below {tmp_path} was read"
    assert told in run("check", build_sh=SCRIPT)[1].splitlines()
    (tmp_path / ".git").mkdir()
    assert told not in run("check", build_sh=SCRIPT)[1].splitlines()
