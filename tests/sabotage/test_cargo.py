"""Sabotage of flags in cargo's configuration: every edit of the list or text is caught."""

from pathlib import Path

import pytest

from flagguard import cli

RULES = """packs = []
[baseline]
linux-x86_64 = "x86-64-v2"
[[rule]]
id = "pinned"
why = "w"
command = "cargo build"
require = [{ flag = "-C target-cpu", value = "x86-64-v2" }]
"""


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ('["-C", "target-cpu=x86-64-v2"]', 3),
        ('["-g", "-Ctarget-cpu=x86-64-v2"]', 5),
        ('"-g -C target-cpu=x86-64-v2"', 4),
    ],
)
def test_each_edit_in_the_configuration_is_caught(
    value: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".cargo").mkdir()
    (tmp_path / ".cargo/config.toml").write_text(f"[build]\nrustflags = {value}\n")
    (tmp_path / "b.sh").write_text("#!/bin/sh\ncargo build\n")
    (tmp_path / "flagguard.toml").write_text(RULES)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["sabotage"]) == 0
    assert f"{count} sabotages: {count} caught, 0 missed" in capsys.readouterr().out
