"""Compilation databases: https://clang.llvm.org/docs/JSONCompilationDatabase.html"""

import json
import shlex
from pathlib import Path

import pytest

from flagguard import cli
from flagguard.hosts import compile_commands
from flagguard.hosts.compile_commands import gnu_words
from flagguard.text import SourceText, literal

from .support import problems, reading, shown

PATH = "build/compile_commands.json"


def argvs(entries: object) -> list[object]:
    return [shown(s) for s in reading(compile_commands, json.dumps(entries, indent=1), PATH).scripts]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"arguments": ["cc", "-DA=a b", "-c", "x.c"]}, ["cc", "-DA=a b", "-c", "x.c"]),
        ({"command": "cc -c x.c"}, ["cc", "-c", "x.c"]),
        ({"command": 'cc -DV=\\"1.0\\" x.c'}, ["cc", '-DV="1.0"', "x.c"]),
        ({"command": "cc '-DA=a b' \"-DB=c d\" x.c"}, ["cc", "-DA=a b", "-DB=c d", "x.c"]),
        # in double quotes each backslash escapes, and nothing is expanded
        ({"command": 'cc "-DA=\\$x" -DB=$HOME *.c; ls'}, ["cc", "-DA=$x", "-DB=$HOME", "*.c;", "ls"]),
        ({"command": "cc '' x.c"}, ["cc", "", "x.c"]),
        ({"command": "cc 'open"}, ["cc", "open"]),
        ({"command": "cc x.c", "arguments": ["clang", "y.c"]}, ["clang", "y.c"]),
        (
            {"directory": "C:\\b", "command": 'C:\\bin\\cl.exe /DV=\\"1\\" "/Ic:\\a b" x.c'},
            ["C:\\bin\\cl.exe", '/DV="1"', "/Ic:\\a b", "x.c"],
        ),
    ],
)
def test_the_words_of_an_entry(entry: dict[str, object], words: list[str]) -> None:
    assert argvs([{"directory": "/b", "file": "x.c"} | entry]) == [words]


@pytest.mark.parametrize("text", ["a b", "a\\ b", "'a'\\''b' c", 'a"b c"d', " x  y ", "\"a'b\" 'c\"d'", "a\\\\b"])
def test_words_are_the_shell_s_where_nothing_is_expanded(text: str) -> None:
    assert [w.text for w in gnu_words(literal(text))] == shlex.split(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[{"directory": "/b"}]', "neither `arguments` nor `command`"),
        ('[{"command": 1}]', "`command` must be a string"),
        ('[{"arguments": "cc"}]', "`arguments` must be a list of strings"),
        ('[{"arguments": []}]', "is empty"),
        ('["cc"]', "must be an object"),
        ('{"a": 1}', "must be a list"),
        ("[{", "not JSON"),
    ],
)
def test_what_is_wrong_with_a_database(text: str, told: str) -> None:
    found = reading(compile_commands, text, PATH)
    assert told in found.problems[0].message
    assert not found.scripts


def test_a_broken_entry_leaves_the_others() -> None:
    found = reading(compile_commands, '[\n{"a": [{"b": 1}]},\n{"command": "cc x.c"}]', PATH)
    assert problems(found) == [(2, "0")]
    assert [shown(s) for s in found.scripts] == [["cc", "x.c"]]


def test_places() -> None:
    text = '[\n {"directory": "sub", "file": "x.c", "output": "x.o",\n  "command": "cc \\"-DA\\\\n=1\\" x.c"}]'
    (script,) = compile_commands.read(SourceText(PATH, text), None).scripts  # type: ignore[arg-type]
    assert (script.place.host, script.place.target, script.directory) == ("compile_commands", "x.o", "build/sub")
    span = script.argv[0].route[-1]
    assert text[span.start : span.end] == "cc"
    assert script.argv[1].text == "-DAn=1"


def test_a_database_in_the_tree_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = {"directory": "/b", "file": "x.c", "arguments": ["ccache", "cc", "-march=native", "x.c"]}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    monkeypatch.chdir(tmp_path)
    assert cli.main(["check", "--no-cache"]) == 1
    assert "compile_commands.json:1:62: error[cpu-baseline/not-native]" in capsys.readouterr().out
