"""Edits of package.json: inside of strings, with JSON's escapes, and no comments outside of them."""

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
    ("script", "expected"),
    [
        ("gcc -march=x86-64-v2 -fPIC -c a.c", '    "a": "gcc -fPIC -c a.c",'),
        ('gcc \\"-march=x86-64-v2\\" -fPIC -c a.c', '    "a": "gcc -fPIC -c a.c",'),
        ("gcc '-march=x86-64-v2' -fPIC -c a.c && x", '    "a": "gcc -fPIC -c a.c && x",'),
        ("F=-march=x86-64-v2; gcc $F -fPIC -c a.c", '    "a": "true; gcc $F -fPIC -c a.c",'),
        ("cross-env X=1 gcc -c a.c -fPIC -march=x86-64-v2", '    "a": "cross-env X=1 gcc -c a.c -fPIC",'),
    ],
)
@pytest.mark.parametrize("indent", ["    ", "\t"])
def test_every_way_to_write_a_command_can_be_edited_and_is_caught(
    tmp_path: Path, script: str, expected: str, indent: str
) -> None:
    text = f'{{\n  "scripts": {{\n{indent}"a": "{script}",\n{indent}"b": "x"\n  }}\n}}\n'
    proof = prove(tmp_path, RULES, {"package.json": text})
    bad = [r for r in proof.results if r.outcome.value not in ("caught", "stayed-clean", "not-applicable")]
    assert [(r.operator.value, r.outcome.value, r.diff) for r in bad] == []
    caught = [r.diff.replace("\t", "    ") for r in proof.results if r.outcome.value == "caught"]
    assert any(f"+{expected}" in diff for diff in caught), caught
