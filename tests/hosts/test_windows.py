"""Windows scripts as hosts, and how commands of other files start them."""

import re

import pytest

from flagguard.command import Command, Dialect, Place, Word
from flagguard.hosts import Setting, entered, hosts_for, windows
from flagguard.text import Hole, Shape, SourceText, Span, hole, join, literal


class Files:
    def __init__(self, *paths: str) -> None:
        self.sources = {path: SourceText(path, "a\n") for path in paths}

    def paths(self) -> tuple[str, ...]:
        return tuple(self.sources)

    def read(self, path: str) -> SourceText | None:
        return self.sources.get(path)


@pytest.mark.parametrize(
    ("path", "dialect"),
    [
        ("a.ps1", Dialect.POWERSHELL),
        ("x/Build.PSM1", Dialect.POWERSHELL),
        ("a.bat", Dialect.CMD),
        ("a.CMD", Dialect.CMD),
        ("a.txt", None),
        ("ps1", None),
    ],
)
def test_which_files_are_read_and_as_what(path: str, dialect: Dialect | None) -> None:
    assert [h.NAME for h in hosts_for(path, b"")] == (["windows"] if dialect else [])
    if dialect is not None:
        (script,) = windows.read(SourceText(path, "a"), Setting(Files(), ("linux-x86_64",))).scripts
        assert script.dialect is dialect
        assert script.platforms == (frozenset({"windows-x86_64"}) if dialect is Dialect.CMD else None)


@pytest.mark.parametrize(
    ("call", "path", "arguments"),
    [
        ("./s/b.ps1 -Cpu v2", "s/b.ps1", ["-Cpu", "v2"]),
        (r".\s\b.ps1", "s/b.ps1", []),
        ("pwsh -NoProfile -ExecutionPolicy Bypass -File s/b.ps1 x", "s/b.ps1", ["x"]),
        ("powershell s/b.ps1", "s/b.ps1", []),
        ("c.bat 1 2", "c.bat", ["1", "2"]),
        (r"<>\s\b.ps1 x", "s/b.ps1", ["x"]),
        ("<>/c.bat", "c.bat", []),
        ("pwsh -c x", None, []),
        ("nope.ps1", None, []),
        ("../c.bat", None, []),
    ],
)
def test_a_command_starts_a_script(call: str, path: str | None, arguments: list[str]) -> None:
    span = Span("w.yml", 0, 1)
    root = hole(Hole("$root", "where the repository is checked out", shape=Shape.PATH, path=""), (span,))
    parts = [[root if part == "<>" else literal(part, span) for part in re.split("(<>)", w)] for w in call.split()]
    argv = tuple(Word(join(part).pieces, span) for part in parts)
    setting = Setting(Files("s/b.ps1", "c.bat"), ("windows-x86_64",))
    found = entered(Command(argv, Place("t"), span, span, env={"E": literal("1")}), setting)
    assert (found.path if found else None) == path
    if found is not None:
        (script,) = found.read(setting).scripts
        assert [w.text for w in script.arguments] == arguments
        assert script.knows_arguments
        assert [(v.name, v.value.text) for v in script.env] == [("E", "1")]
