"""Sabotage of build scripts in Python: items of lists, texts for the shell."""

from pathlib import Path

import pytest

from flagguard.cli import main

SCRIPT = """\
import subprocess
from setuptools import Extension, setup
portable = ['-march=x86-64-v2', '-O2']
setup(
    ext_modules=[
        Extension("a", ["a.c"], extra_compile_args=portable),
        Extension("b", ["b.c"], extra_compile_args=["-O2", "-march=x86-64-v2"]),
    ],
)
subprocess.check_call(["mojo", "build", '--target-cpu', "x86-64-v2", "x.mojo"])
subprocess.check_call("mojo build --target-cpu x86-64-v2 y.mojo", shell=True)
"""
CONFIG = """\
packs = []
[baseline]
linux-x86_64 = "x86-64-v2"
[[rule]]
id = "extension"
why = "wheels"
command = "@python-extension"
require = [{ effective = "cpu", at-most = "baseline" }, { flag = "-march", value = "x86-64-v2" }]
[[rule]]
id = "mojo"
why = "wheels"
command = "mojo build"
require = [{ flag = "--target-cpu", value = "x86-64-v2" }]
"""


def test_every_sabotage_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "setup.py").write_text(SCRIPT)
    (tmp_path / "flagguard.toml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    status = main(["sabotage", "."])
    said = capsys.readouterr().out
    assert status == 0, said
    assert "4 sites" in said
    assert "0 missed" in said
    assert "0 false alarms" in said
    assert "invalid" not in said
