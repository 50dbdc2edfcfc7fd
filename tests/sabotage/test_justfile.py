"""Edits of justfiles: in lines, scripts, strings of every kind, arguments of dependencies."""

from pathlib import Path

import pytest

from .support import changed, prove

RULES = """
packs = []
[baseline]
linux-x86_64 = "x86-64-v2"
[[rule]]
id      = "pinned"
command = "gcc"
require = [{ effective = "cpu", at-most = "baseline" }, "-march"]
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:\n  gcc -march=x86-64-v2 -c a.c\n", ("-  gcc -march=x86-64-v2 -c a.c", "+  gcc -c a.c")),
        ("a:\n  gcc -O2 \\\n    -march=x86-64-v2 \\\n    -c a.c\n", ("-    -march=x86-64-v2 \\", "+    \\")),
        ("a:\n  #!/bin/sh\n  gcc -march=x86-64-v2 -c a.c\n",
         ("-  gcc -march=x86-64-v2 -c a.c", "+  gcc -c a.c")),
        ("f := '-march=x86-64-v2'\na:\n  gcc {{f}} -c a.c\n", ("-f := '-march=x86-64-v2'", "+f := ''")),
        ("f := \"-O2 \\\"-march=x86-64-v2\\\"\"\na:\n  gcc {{f}} -c a.c\n",
         ("-f := \"-O2 \\\"-march=x86-64-v2\\\"\"", "+f := \"-O2 \\\"\\\"\"")),
        ("f := '''\n  -O2\n  -march=x86-64-v2\n'''\na:\n  gcc {{replace(f, \"\\n\", ' ')}} -c a.c\n",
         ("-  -march=x86-64-v2",)),
        ("c := 'x86-64-v2'\nf := '-march=' + c\na:\n  gcc {{f}} -c a.c\n", ("-c := 'x86-64-v2'", "+c := 'native'")),
        ("f := if os() == 'linux' { '-march=x86-64-v2' } else { '-g' }\na:\n  gcc {{f}} -c a.c\n",
         ("-f := if os() == 'linux' { '-march=x86-64-v2' } else { '-g' }",
          "+f := if os() == 'linux' { '' } else { '-g' }")),
        ("a: (_gcc '-march=x86-64-v2')\n_gcc flag:\n  gcc {{flag}} -c a.c\n",
         ("-a: (_gcc '-march=x86-64-v2')", "+a: (_gcc '')")),
        ("a: (_run 'gcc -march=x86-64-v2 -c a.c')\n_run cmd:\n  {{cmd}}\n",
         ("-a: (_run 'gcc -march=x86-64-v2 -c a.c')", "+a: (_run 'gcc -c a.c')")),
        ("a:\n  just _run \"gcc -march=x86-64-v2 -c a.c\"\n_run cmd:\n  {{cmd}}\n",
         ("-  just _run \"gcc -march=x86-64-v2 -c a.c\"", "+  just _run \"gcc -c a.c\"")),
        ("a flag='-march=x86-64-v2':\n  gcc {{flag}} -c a.c\n",
         ("-a flag='-march=x86-64-v2':", "+a flag='':")),
        ("export CFLAGS := '-march=x86-64-v2'\na:\n  gcc $CFLAGS -c a.c\n",
         ("-export CFLAGS := '-march=x86-64-v2'", "+export CFLAGS := ''")),
        ("x := `gcc -march=x86-64-v2 -c a.c`\na:\n  true {{x}}\n",
         ("-x := `gcc -march=x86-64-v2 -c a.c`", "+x := `gcc -c a.c`")),
    ],
)  # fmt: skip
def test_every_way_to_write_a_command_can_be_edited_and_is_caught(
    tmp_path: Path, text: str, expected: tuple[str, ...]
) -> None:
    proof = prove(tmp_path, RULES, {"justfile": text})
    good = ("caught", "stayed-clean", "not-applicable")
    bad = [r for r in proof.results if r.outcome.value not in good and not (r.outcome.value == "skipped" and r.detail)]
    assert [(r.operator.value, r.outcome.value, r.diff) for r in bad] == []
    caught = [changed(r) for r in proof.results if r.outcome.value == "caught"]
    assert caught
    assert not expected or expected in caught, caught
