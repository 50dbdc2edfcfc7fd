"""pkg-config's files: pc(5) of pkgconf."""

import shutil
import subprocess
from pathlib import Path

import pytest

from flagguard.hosts import Setting, by_path, pkgconfig
from flagguard.text import SourceText

from .support import Memory

HEAD = "prefix=/usr\nName: a\nDescription: d\nVersion: 1\n"
CASES: list[tuple[str, str, list[str]]] = [
    ("a field", "Cflags: -I/x -march=native\n", ["pc:Cflags -I/x -march=native"]),
    ("another spelling", "CFlags: -a\n", ["pc:Cflags -a"]),
    ("variables", "a=-x\nb=${a}y\nCflags: ${b} -I${prefix}/include\n", ["pc:Cflags -xy -I/usr/include"]),
    ("lines that go on", "Cflags: -a \\\n  -b\nLibs: -l\n", ["pc:Cflags -a -b", "pc:Libs -l"]),
    ("a comment", "Cflags: -a # -b\n# Cflags: -c\n", ["pc:Cflags -a"]),
    (
        "a comment joins no lines",
        "# c \\\nCflags: -a # c \\\nLibs.private: -b\n",
        ["pc:Cflags -a", "pc:Libs.private -b"],
    ),
    ("a line goes on in a word", "Cflags: -DA\\\nB -c\n", ["pc:Cflags -DAB -c"]),
    ("capitals, in no order", "CFLAGS: -a${later}\nlater=-b\n", ["pc:Cflags -a"]),
    ("private ones", "Libs.private: -a\nCflags.private: -b\n", ["pc:Libs.private -a", "pc:Cflags.private -b"]),
    ("other fields", "Requires: glib\nURL: https://example.org\n", []),
    ("nothing", "Cflags:\n", []),
]


def fields(text: str, path: str = "a.pc") -> list[str]:
    found = pkgconfig.read(SourceText(path, text), Setting(Memory({}), ("linux-x86_64",)))
    assert found.problems == ()
    return [" ".join(word.shown for word in call.argv) for call in found.calls]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_fields(text: str, expected: list[str]) -> None:
    assert fields(HEAD + text) == expected


@pytest.mark.skipif(not shutil.which("pkg-config"), reason="there is no pkg-config")
@pytest.mark.parametrize("text", [c[1] for c in CASES[:8]], ids=[c[0] for c in CASES[:8]])
def test_as_the_program_says(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.pc").write_text(HEAD + text)
    command = ["pkg-config", "--define-variable=prefix=/usr", "--cflags", str(tmp_path / "a.pc")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    own = next((f.split()[1:] for f in fields(HEAD + text) if f.startswith("pc:Cflags ")), [])
    assert sorted(said) == sorted(w for w in own if w != "-I/usr/include")


def test_what_configure_puts_in_is_a_hole() -> None:
    source = SourceText("a.pc.in", "Cflags: -a@CPU@ ${pcfiledir}/b\n")
    (call,) = pkgconfig.read(source, Setting(Memory({}), ("linux-x86_64",))).calls
    assert [[hole.name for hole in word.holes] for word in call.argv] == [[], ["CPU"], ["pcfiledir"]]


def test_one_that_grows_too_long_is_told() -> None:
    text = "a0=xxxxxxxxxx\n" + "".join(f"a{n + 1}=" + f"${{a{n}}}" * 10 + "\n" for n in range(12)) + "Cflags: ${a12}\n"
    found = pkgconfig.read(SourceText("a.pc", text), Setting(Memory({}), ("linux-x86_64",)))
    assert found.problems or all(word.holes for call in found.calls for word in call.argv[1:])


def test_a_field_in_capitals_is_read_in_a_file_too() -> None:
    (host,) = by_path.claiming("a.pc")
    assert host.read(SourceText("a.pc", "LIBS: -march=native\n"), Setting(Memory({}), ("linux-x86_64",))).calls


@pytest.mark.parametrize("path", ["a.pc", "b/a.pc.in", "a.pc.cmake.in"])
def test_claims(path: str) -> None:
    assert [host.NAME for host in by_path.claiming(path)] == ["pkgconfig"]
