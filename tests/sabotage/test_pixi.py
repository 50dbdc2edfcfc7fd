"""Edits of pixi's manifests: in strings, in lists of words, in `env`, in activation."""

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
        ('[tasks]\na = "gcc -march=x86-64-v2 -fPIC -c a.c"', ['+a = "gcc -fPIC -c a.c"']),
        ("[tasks]\na = 'gcc -march=x86-64-v2 -fPIC -c a.c'", ["+a = 'gcc -fPIC -c a.c'"]),
        ('[tasks]\na = """\ngcc -march=x86-64-v2 \\\n  -fPIC -c a.c\n"""', ["-gcc -march=x86-64-v2 \\"]),
        ("[tasks]\na = '''\ngcc -march=x86-64-v2 \\\n  -fPIC -c a.c\n'''", ["-gcc -march=x86-64-v2 \\"]),
        (
            '[tasks]\na = { cmd = ["gcc", "-march=x86-64-v2", "-fPIC", "-c", "a.c"] }',
            ['+a = { cmd = ["gcc", "-fPIC", "-c", "a.c"] }'],
        ),
        (
            '[tasks]\na = { cmd = [\n  "gcc",\n  "-march=x86-64-v2",\n  "-fPIC",\n  "-c", "a.c",\n] }',
            ['-  "-march=x86-64-v2",'],
        ),
        (
            '[tasks]\na = { cmd = "gcc $F -fPIC -c a.c", env = { F = "-march=x86-64-v2", G = "1" } }',
            ['+a = { cmd = "gcc $F -fPIC -c a.c", env = { G = "1" } }'],
        ),
        ('[activation.env]\nF = "-march=x86-64-v2"\n[tasks]\na = "gcc $F -fPIC -c a.c"', ['-F = "-march=x86-64-v2"']),
        (
            '[tasks]\na = { cmd = "gcc {{ f }} -fPIC -c a.c", args = [{ arg = "f", default = "-march=x86-64-v2" }] }',
            ['+a = { cmd = "gcc {{ f }} -fPIC -c a.c", args = [{ arg = "f", default = "" }] }'],
        ),
    ],
)
def test_every_way_to_write_a_command_can_be_edited_and_is_caught(
    tmp_path: Path, body: str, expected: list[str]
) -> None:
    head = '[workspace]\nplatforms = ["linux-64"]\n'
    proof = prove(tmp_path, RULES, {"pixi.toml": f"{head}{body}\n"})
    bad = [r for r in proof.results if r.outcome.value not in ("caught", "stayed-clean", "not-applicable")]
    bad = [r for r in bad if not (r.outcome.value == "skipped" and "[tasks]\na = '" in body)]  # no quote fits there
    assert [(r.operator.value, r.outcome.value, r.diff) for r in bad] == []
    caught = [r.diff.splitlines() for r in proof.results if r.outcome.value == "caught"]
    assert any(set(expected) <= set(diff) for diff in caught), caught
