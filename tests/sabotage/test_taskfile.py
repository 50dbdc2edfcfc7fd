"""Edits of Taskfiles: in each way to write a text in YAML, in variables, in templates, in `env`."""

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
    ("body", "expected"),
    [
        ("tasks:\n  a: gcc -march=x86-64-v2 -fPIC -c a.c", ["+  a: gcc -fPIC -c a.c"]),
        ("tasks:\n  a:\n    cmds:\n      - 'gcc -march=x86-64-v2 -fPIC -c a.c'", ["+      - 'gcc -fPIC -c a.c'"]),
        ('tasks:\n  a:\n    cmds:\n      - "gcc -march=x86-64-v2 -fPIC -c a.c"', ['+      - "gcc -fPIC -c a.c"']),
        (
            "tasks:\n  a:\n    cmds:\n      - |\n        gcc -march=x86-64-v2 \\\n          -fPIC -c a.c\n        x",
            ["-        gcc -march=x86-64-v2 \\"],
        ),
        ("tasks:\n  a:\n    cmds:\n      - cmd: gcc -march=x86-64-v2 -fPIC -c a.c", ["+      - cmd: gcc -fPIC -c a.c"]),
        (
            "vars:\n  F: -march=x86-64-v2\ntasks:\n  a: gcc {{.F}} -fPIC -c a.c",
            ["-  F: -march=x86-64-v2"],
        ),
        (
            'tasks:\n  a: gcc {{.F | default "-march=x86-64-v2"}} -fPIC -c a.c',
            ['+  a: gcc {{.F | default ""}} -fPIC -c a.c'],
        ),
        (
            "tasks:\n  a:\n    env:\n      F: -march=x86-64-v2\n    cmds: [gcc $F -fPIC -c a.c]",
            ["-      F: -march=x86-64-v2"],
        ),
    ],
)
def test_every_way_to_write_a_command_can_be_edited_and_is_caught(
    tmp_path: Path, body: str, expected: list[str]
) -> None:
    proof = prove(tmp_path, RULES, {"Taskfile.yml": f"version: '3'\n{body}\n"})
    bad = [r for r in proof.results if r.outcome.value not in ("caught", "stayed-clean", "not-applicable")]
    assert [(r.operator.value, r.outcome.value, r.diff) for r in bad] == []
    caught = [r.diff.splitlines() for r in proof.results if r.outcome.value == "caught"]
    assert any(set(expected) <= set(diff) for diff in caught), caught
