"""tox's configurations: the words and variables that each environment's commands get; and how `tox` starts them."""

import json
from pathlib import Path
from typing import Any

import pytest

from flagguard.command import Reading, Script, Word
from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import collect
from flagguard.hosts import Setting, hosts_for, tox, tox_environment
from flagguard.hosts.tox_environment import Called
from flagguard.text import SourceText, literal

from . import tox_oracle
from .support import Memory, env, problems, reading, shown
from .tox_cases import CASES, EXTRA

RECORDED = tox_oracle.recorded()
LINUX = ("linux-x86_64",)


def called(name: str, text: str, words: "list[str] | None", environment: str) -> Reading:
    given = None if words is None else tuple(Word(literal(w).pieces) for w in words)
    setting = Setting(Memory({name: text, **EXTRA}), LINUX)
    return tox_environment.read(SourceText(name, text), setting, Called((environment,), given, {}))


def told(scripts: "list[Script]", answer: "dict[str, Any]") -> "dict[str, Any]":
    mine = [["-" if s.ignored else "", *(w.shown for w in s.argv)] for s in scripts]
    theirs = [["-" if c[0] else "", *c[1:]] for key in tox_oracle.KEYS for c in answer[key]]
    return {"commands": mine, "theirs": theirs}


def test_there_is_an_answer_of_tox_for_every_case() -> None:
    assert {tox_oracle.key(*case) for case in CASES} == RECORDED.keys()
    assert len(CASES) >= 80


@pytest.mark.parametrize(("name", "text", "words"), CASES)
def test_an_environment_comes_to_the_words_that_tox_passes(name: str, text: str, words: "list[str] | None") -> None:
    for environment, answer in RECORDED[tox_oracle.key(name, text, words)].items():
        if environment == "error":
            continue
        found = [s for s in called(name, text, words, environment).scripts if not _installs(s)]
        both = told(found, answer)
        assert both["commands"] == both["theirs"], environment
        for script in found:
            assert env(script) == answer["set_env"], environment


def _installs(script: Script) -> bool:
    return "install" in [w.text for w in script.argv]


@pytest.mark.parametrize(("name", "text", "words"), CASES)
def test_the_environments_are_those_that_tox_finds(name: str, text: str, words: "list[str] | None") -> None:
    answer = RECORDED[tox_oracle.key(name, text, words)]
    if "error" in answer:
        return
    found: list[object] = []
    settings = tox_environment._settings(SourceText(name, text), found)  # type: ignore[arg-type]
    assert settings is not None
    aside = {"py", "linux", "darwin", "win32", "x86_64", "arm64"}
    assert set(settings.environments()) - aside == set(answer) - aside
    assert "py" in settings.environments() or settings.listed() or "testenv]" not in text


@pytest.mark.parametrize("case", CASES[::12])
def test_the_recorded_answers_are_those_of_tox(case: "tuple[str, str, list[str] | None]") -> None:
    pytest.importorskip("tox", reason="tox is not installed")
    assert tox_oracle.answer(*case, EXTRA) == RECORDED[tox_oracle.key(*case)]


# -- as it stands -----------------------------------------------------------------------------------------------------


def read(text: str, path: str = "tox.ini", **more: "dict[str, str]") -> Reading:
    return reading(tox, text, path, **more)


def test_what_several_environments_come_to_alike_stands_under_the_first() -> None:
    found = read("[tox]\nenv_list = a,b,c\n[testenv]\ncommands =\n  x\n  c: y\n")
    assert [(s.place.task, shown(s)) for s in found.scripts] == [("a", ["x"]), ("c", ["y"])]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[testenv]\nplatform = win32|darwin\ncommands = x", [("x", {"macos-arm64", "windows-x86_64"})]),
        ("[testenv]\ncommands =\n  linux: x\n  win32: y\n  arm64: z", [
            ("x", {"linux-x86_64", "linux-aarch64"}),
            ("z", {"linux-aarch64", "macos-arm64"}),
            ("y", {"windows-x86_64"}),
        ]),
        ("[testenv]\ncommands = x{/}y", [("x/y", None), ("x\\y", {"windows-x86_64"})]),
        ("[testenv]\ncommands = x a\\b", [("x ab", None), ("x a\\b", {"windows-x86_64"})]),
    ],
)  # fmt: skip
def test_the_platform_decides(text: str, expected: "list[tuple[str, set[str] | None]]") -> None:
    found = {" ".join(shown(s)): s.platforms for s in read(text + "\n").scripts}
    assert found.keys() == {said for said, _ in expected}
    for said, platforms in expected:
        assert platforms is None or found[said] == platforms


def test_a_command_that_is_for_another_system_alone_is_read_for_it() -> None:
    source = SourceText("tox.ini", "[testenv]\ncommands =\n  x\n  win32: y\n")
    scripts = tox.read(source, Setting(Memory({}), LINUX)).scripts
    assert [(shown(s), s.platforms) for s in scripts] == [(["x"], None), (["y"], frozenset({"windows-x86_64"}))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("install_command = pip install -q {opts} {packages}\ndeps = a",
         ["pip", "install", "-q", "{opts}", "{packages}"]),
        ("deps =\n  a>=1\n  -r req.txt\n  -c{tox_root}/c.txt",
         ["python", "-I", "-m", "pip", "install", "a>=1", "-r", "req.txt", "-c{tox_root}/c.txt"]),
    ],
)  # fmt: skip
def test_packages_are_put_in_first(text: str, expected: list[str]) -> None:
    found = read(f"[testenv]\n{text}\ncommands = x\n")
    assert [shown(s) for s in found.scripts] == [expected, ["x"]]


def test_words_stand_where_they_are_written() -> None:
    text = "[base]\nf = -O2 -g\n[testenv]\ncommands =\n  gcc {[base]f} \\\n    'a b.c' {posargs:-c}\n"
    (script,) = read(text).scripts
    written = [[text[s.start : s.end] for s in p.route] for w in script.argv for p in w.pieces]
    assert written == [["gcc"], ["{[base]f}", "-O2"], ["{[base]f}", "-g"], ["a b.c"], ["-c"]]


def test_a_condition_that_nobody_can_decide_is_followed_both_ways() -> None:
    text = '[env.a]\ncommands = [["x", { replace = "if", condition = "env.CI", then = "1", else = "2" }]]\n'
    found = read(text, "tox.toml")
    assert [(shown(s), s.when) for s in found.scripts] == [(["x", "2"], ("not (env.CI)",)), (["x", "1"], ("env.CI",))]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("tox.ini", "x = 1\n", [(1, None)]),
        ("tox.ini", "[testenv]\ncommands = x\n[testenv]\n", [(3, None)]),
        ("tox.ini", "[testenv]\ncommands = x\ncommands = y\n", [(3, None)]),
        ("tox.ini", "[testenv]\nword\n", [(2, None)]),
        ("tox.ini", "[testenv]\nset_env =\n  A\ncommands = x\n", [(3, None)]),
        ("tox.ini", "[testenv]\nset_env = file|no.txt\ncommands = x\n", [(2, None)]),
        ("tox.toml", "[env_run_base\n", [(1, None)]),
        ("tox.toml", 'x = "\n', [(1, "x")]),
        ("tox.toml", '[env_run_base]\ncommands = ["x"]\n', [(2, None)]),
        ("setup.cfg", "[metadata]\nx\n", []),
        ("pyproject.toml", "[tool.poe]\n", []),
    ],
)
def test_what_is_wrong_is_told_once_with_its_line(
    path: str, text: str, expected: "list[tuple[int, str | None]]"
) -> None:
    assert problems(read(text, path)) == expected


@pytest.mark.parametrize(
    ("path", "claimed"),
    [("tox.ini", True), ("a/tox.toml", True), ("setup.cfg", True), ("pyproject.toml", True), ("pytest.ini", False)],
)
def test_which_files_are_read(path: str, claimed: bool) -> None:
    assert ("tox" in [h.NAME for h in hosts_for(path, b"")]) is claimed


@pytest.mark.parametrize("text", ["{" * 3000 + "}", "[testenv]\ncommands = " + "{posargs:" * 2000 + "}" * 2000])
def test_nothing_takes_long_or_fails(text: str) -> None:
    read(text)
    doubled = "".join(f"v{i} = {{[s]v{i - 1}}}{{[s]v{i - 1}}}\n" for i in range(1, 60))
    read(f"[s]\nv0 = xy\n{doubled}[testenv]\ncommands = x {{[s]v59}}\n")
    both = "{[testenv]commands} {[testenv:b]commands}"
    read(f"[testenv]\ncommands = x {both}\n[testenv:b]\ncommands = {both}\n")


# -- calls ------------------------------------------------------------------------------------------------------------

FILE = """[tox]
env_list = a,b
[testenv]
pass_env = RUSTFLAGS
set_env = FROM=tox
commands =
  a: x {posargs:-d} {env:CFLAGS:none}
  b: y
  lint: l {env:RUSTFLAGS:no}
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tox", ["x -d none", "y"]),
        ("tox -e a", ["x -d none"]),
        ("tox -ea -- 1 '2 3'", ["x 1 2 3 none"]),
        ("tox -e a --", ["x none"]),
        ("tox run -e a,lint", ["x -d none", "l no"]),
        ("tox -qre b", ["y"]),
        ("tox -vveb", ["y"]),
        ("tox -e lint -q -p auto", ["l no"]),
        ("CFLAGS=-O2 tox -e a", ["x -d -O2"]),
        ("TOXENV=b tox", ["y"]),
        ("cd sub && tox -e b", ["y"]),
        ("tox -c ../tox.ini -e b", []),
        ("tox -c tox.ini -e b", ["y"]),
        ("python -m tox -e b", ["y"]),
        ("uvx --with tox-uv tox -e b", ["y"]),
        ("tox list", []),
        ("tox --version", []),
        ("tox exec -e a -- z", []),
    ],
)
def test_a_call_runs_the_environments(tmp_path: Path, line: str, expected: list[str]) -> None:
    (tmp_path / "tox.ini").write_text(FILE)
    (tmp_path / "go.sh").write_text(f"{line}\n")
    (tmp_path / "sub").mkdir()
    commands = [c for f in collect(Tree(tmp_path), Config()) for c in f.commands if c.via]
    assert [" ".join(c.shown) for c in sorted(commands, key=lambda c: c.span.start)] == expected


def test_what_is_not_passed_does_not_reach_a_command(tmp_path: Path) -> None:
    (tmp_path / "tox.ini").write_text(FILE)
    (tmp_path / "go.sh").write_text("export RUSTFLAGS=-g OTHER=1 CFLAGS=-O2\ntox -e b\n")
    (command,) = [c for f in collect(Tree(tmp_path), Config()) for c in f.commands if c.via]
    assert {n: v.shown for n, v in command.env.items()} == {"RUSTFLAGS": "-g", "CFLAGS": "-O2", "FROM": "tox"}


def test_the_answers_are_no_accident() -> None:
    told_of = [conf for answer in RECORDED.values() for conf in answer.values() if isinstance(conf, dict)]
    words = [command for conf in told_of for command in conf["commands"]]
    assert len(words) > 150
    assert json.dumps(words).count("{tox_root}") >= 5
