"""GNU parallel: what it starts, as parallel 20221122 did; and as the installed one does, where there is one."""

import shutil
import subprocess
from pathlib import Path

import pytest
from running import run, said

CALLS: list[tuple[str, list[str]]] = [
    ("parallel -k rec {1} {2} ::: a b ::: c d", ["rec a c", "rec a d", "rec b c", "rec b d"]),
    ("parallel -k rec {2} {1} ::: a b :::+ c d", ["rec c a", "rec d b"]),
    ("parallel -k --link rec ::: a b c ::: x y", ["rec a x", "rec b y", "rec c x"]),
    (
        "parallel -k rec {} {/} {//} {.} {/.} ::: d/e/f.tar.gz g",
        ["rec d/e/f.tar.gz f.tar.gz d/e d/e/f.tar f.tar", "rec g g . g g"],
    ),
    ("parallel -k rec :::: in", ["rec <a b>", "rec c"]),
    ("parallel -k -a in rec {}", ["rec <a b>", "rec c"]),
    ("parallel -k --arg-file=in rec x{}y", ["rec <xa by>", "rec xcy"]),
    ('parallel -k rec ::: "it\'s"', ["rec it's"]),
    ("parallel -k rec ::: 'a  b' '$x'", ["rec <a  b>", "rec $x"]),
    ("parallel -k rec {1/} {2.} ::: d/a ::: b.c", ["rec a b"]),
    ("parallel -k ::: 'rec a b' 'rec c'", ["rec a b", "rec c"]),
    ("parallel -k rec {} ::: a b ::: c", ["rec a c", "rec b c"]),
    ("parallel -k rec ::: a ::: b c", ["rec a b", "rec a c"]),
    ("parallel -k rec {+} ::: a", ["rec {+} a"]),
    ("parallel -k rec :::: in ::: x", ["rec <a b> x", "rec c x"]),
    ("parallel -k rec < in", ["rec <a b>", "rec c"]),
    ("printf 'rec x y\\nrec z\\n' | parallel -k", ["rec x y", "rec z"]),
    ("parallel --dry-run rec ::: a", []),
    ("printf 'x\\n' | tee log | parallel -k rec {}z", ["rec xz"]),
]
INPUT = "a b\nc\n"


def shown(line: str) -> list[str]:
    commands = run(line, files={"in": INPUT}).commands
    return [said(c) for c in commands if c.argv[0].text == "rec"]


@pytest.mark.parametrize(("line", "expected"), CALLS, ids=[line for line, _ in CALLS])
def test_each_input_makes_its_command(line: str, expected: list[str]) -> None:
    assert shown(line) == expected


@pytest.mark.skipif(shutil.which("parallel") is None, reason="GNU parallel is not installed")
@pytest.mark.parametrize(("line", "expected"), CALLS, ids=[line for line, _ in CALLS])
def test_the_installed_one_starts_the_same(line: str, expected: list[str], tmp_path: Path) -> None:
    (tmp_path / "in").write_text(INPUT)
    (tmp_path / "rec").write_text(
        """#!/bin/sh
printf rec
for a; do case $a in *" "*) printf ' <%s>' "$a" ;; *) printf ' %s' "$a" ;; esac; done
echo
"""
    )
    (tmp_path / "rec").chmod(0o755)
    (tmp_path / ".parallel").mkdir()
    (tmp_path / ".parallel" / "will-cite").touch()
    path = f"{tmp_path}:{Path(shutil.which('parallel') or '').parent}:/usr/bin:/bin"
    environment = {"PATH": path, "HOME": str(tmp_path), "LC_ALL": "C"}
    words = ["bash", "-c", line]
    ran = subprocess.run(
        words,
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        check=False,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert ran.stdout.splitlines() == expected


@pytest.mark.parametrize(
    ("line", "hole"),
    [
        ("parallel rec ::: $(./list)", "$(./list)"),
        ("find . -name '*.c' | parallel rec", "{}"),
        ("parallel rec :::: none", "{}"),
        ("parallel -n2 rec ::: a b", "{}"),
        ("parallel -X rec ::: a b", "{}"),
        ("parallel -0 rec < in", "{}"),
        ("parallel rec {#} ::: a", "{#}"),
        ("./make-list | parallel rec", "{}"),
    ],
)
def test_what_is_not_known_is_a_hole(line: str, hole: str) -> None:
    assert shown(line) == [f"rec {hole}"]
