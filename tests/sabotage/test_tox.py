"""Edits of tox's configurations: in INI lines, in lists of words, in `set_env`."""

from pathlib import Path

import pytest

from .support import prove

RULES = """
packs = []
[baseline]
linux-x86_64 = "x86-64-v2"
[[rule]]
id      = "pinned"
command = "gcc"
require = [{ effective = "cpu", at-most = "baseline" }, "-march", "-fPIC"]
"""


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        (
            "tox.ini",
            "[testenv]\ncommands = gcc -march=x86-64-v2 -fPIC -c a.c",
            ["+commands = gcc -fPIC -c a.c"],
        ),
        (
            "tox.ini",
            "[testenv]\ncommands =\n  gcc -c a.c \\\n    -march=x86-64-v2 \\\n    -fPIC\n  x",
            ["-    -march=x86-64-v2 \\"],
        ),
        (
            "tox.ini",
            "[testenv]\ncommands =\n  gcc '-march=x86-64-v2' -fPIC -c a.c",
            ["+  gcc -fPIC -c a.c"],
        ),
        (
            "tox.ini",
            "[f]\nf = -march=x86-64-v2\n[testenv]\ncommands = gcc {[f]f} -fPIC -c a.c",
            ["-f = -march=x86-64-v2"],
        ),
        (
            "tox.ini",
            "[testenv]\ncommands = gcc {posargs:-march=x86-64-v2} -fPIC -c a.c",
            ["+commands = gcc {posargs:} -fPIC -c a.c"],
        ),
        (
            "tox.ini",
            "[testenv]\nset_env =\n  F = -march=x86-64-v2\n  G = 1\ncommands = bash -c 'gcc $F -fPIC -c a.c'",
            ["-  F = -march=x86-64-v2"],
        ),
        (
            "tox.toml",
            '[env_run_base]\ncommands = [["gcc", "-march=x86-64-v2", "-fPIC", "-c", "a.c"]]',
            ['+commands = [["gcc", "-fPIC", "-c", "a.c"]]'],
        ),
        (
            "pyproject.toml",
            "[tool.tox]\nlegacy_tox_ini = '''\n[testenv]\ncommands =\n  gcc -march=x86-64-v2 -fPIC -c a.c\n'''",
            ["+  gcc -fPIC -c a.c"],
        ),
    ],
)
def test_every_way_to_write_a_command_can_be_edited_and_is_caught(
    tmp_path: Path, path: str, body: str, expected: list[str]
) -> None:
    proof = prove(tmp_path, RULES, {path: f"{body}\n"})
    bad = [r for r in proof.results if r.outcome.value not in ("caught", "stayed-clean", "not-applicable")]
    assert [(r.operator.value, r.outcome.value, r.diff) for r in bad] == []
    caught = [r.diff.splitlines() for r in proof.results if r.outcome.value == "caught"]
    assert any(set(expected) <= set(diff) for diff in caught), caught
