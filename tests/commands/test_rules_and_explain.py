"""`rules` and `explain`: what is enforced and why, from the rules as they are read."""

from pathlib import Path

import pytest

from flagguard import cli, packs
from flagguard.classes import about
from flagguard.naming import Vocabulary

CONFIGURATION = """
packs = ["mojo"]

[baseline]
linux-x86_64 = "x86-64-v2"

[[rule]]
id       = "ship-is-pinned"
why      = "mojo build compiles for the host CPU"
command  = ["mojo build", "mojo run"]
where    = { task = ["build-*", "dist-*"], path = "pyproject.toml" }
with     = ["--emit"]
without  = ["-g"]
operands = "some"
require  = [{ flag = ["--target-cpu", "--mcpu"], at-most = "baseline" }, "-o",
            { any = [{ env = "A", one-of = ["1", "2"] }, { effective = "pic", value = "none" }] }]
forbid   = [{ flag = "-D", contains = "X" }]
at-least = 2
severity = "warning"
fix      = "write --target-cpu"
sources  = ["https://example.org/manual"]

[[rule]]
id      = "no-npm-install"
command = "npm install"
never   = true
at-least = 0
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "flagguard.toml").write_text(CONFIGURATION)
    monkeypatch.chdir(tmp_path)


def test_explain_says_all_that_a_rule_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "ship-is-pinned"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ship-is-pinned  [warning, flagguard.toml]",
        "why:     mojo build compiles for the host CPU",
        "judges:  `mojo build` or `mojo run`",
        "         where the task is `build-*` or `dist-*`",
        "         where the path is `pyproject.toml`",
        "         only with `--emit`",
        "         only without `-g`",
        "         only with operands",
        "asks:    `--target-cpu` or `--mcpu` at most the baseline (linux-x86_64: x86-64-v2)",
        "         `-o`",
        "         `A` in the environment with one of the values `1` or `2`, or the effective pic with the value `none`",
        "         never `-D` with the item `X` in its list",
        "         at least 2 such commands",
        "fix:     write --target-cpu",
        "sources: https://example.org/manual",
        "ask:     mojo build --print-effective-target FILE",
        "         `flagguard why FILE:LINE` tells what a command's options come to, and asks with its own flags",
        "exempt:  a comment on the command's line or on the line above it:",
        "         # flagguard: exempt ship-is-pinned - REASON",
        "         or in the configuration:",
        "         [[exempt]]",
        '         rule   = "ship-is-pinned"',
        '         where  = { path = "…" }',
        '         reason = "…"',
        "proof:   `flagguard sabotage` spoils each command that meets it, in memory: the rule has to fail there",
    ]


def test_explain_of_a_command_that_must_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "no-npm-install"]) == 0
    out = capsys.readouterr().out
    assert "asks:    the command itself is the finding\n" in out
    assert "why:     (no reason is given)\n" in out


def test_explain_knows_the_rules_of_packs_that_are_off(capsys: pytest.CaptureFixture[str]) -> None:
    rule = packs.load("cpu-baseline").rules[0]
    assert cli.main(["explain", rule.id]) == 0
    assert f"{rule.id}  [{rule.severity.value}, pack cpu-baseline, not in force]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "told"), [("ship-is-pined", "did you mean `ship-is-pinned`?"), ("zzz", "see `flagguard rules`")]
)
def test_explain_of_a_rule_that_is_not_there(name: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", name]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert told in err


def test_rules_lists_rules_packs_and_the_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["rules"]) == 0
    out = capsys.readouterr().out
    assert "ship-is-pinned  [warning, flagguard.toml]\n    mojo build compiles for the host CPU\n" in out
    for rule in packs.load("mojo").rules:
        assert f"{rule.id}  [{rule.severity.value}, pack mojo]" in out
    assert "baseline: linux-x86_64 = x86-64-v2\n" in out
    assert "  on  mojo: " in out
    assert "  off cpu-baseline: " in out
    assert out.endswith(f"{2 + len(packs.load('mojo').rules)} rules in force\n")


def test_rules_with_a_wrong_configuration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "flagguard.toml").write_text("exclud = []\n")
    assert cli.main(["rules"]) == 2
    assert capsys.readouterr().out.startswith("flagguard.toml:1: problem: unknown key `exclud`")


def test_every_shipped_rule_can_be_explained(capsys: pytest.CaptureFixture[str]) -> None:
    for name in packs.names():
        for rule in packs.load(name).rules:
            assert cli.main(["explain", rule.id]) == 0
            out = capsys.readouterr().out
            assert "sources: http" in out, rule.id
            assert "\nasks: " in out, rule.id
            assert "(no reason is given)" not in out, rule.id


def test_a_pack_and_a_class_can_be_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "mojo"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("mojo  [pack, on]\nabout:   ")
    assert "\nmojo/names-a-cpu\n    mojo compiles" in out
    assert cli.main(["explain", "@rust-compiler"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("@rust-compiler  [class of commands]\n")
    assert "cargo build, " in out
    assert "rustc" in out


def test_rules_lists_the_classes_with_their_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["rules"]) == 0
    out = capsys.readouterr().out
    assert "  @go-compiler: compiles Go (go build, go install, go run, go test)\n" in out
    for name in Vocabulary().classes:
        assert f"  {name}: {about(name)} (" in out
        assert about(name), name
