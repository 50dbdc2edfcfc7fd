"""Taskfiles: what the tasks run, as they stand and as Task is called."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from flagguard.command import Command, Reading, Word
from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import collect
from flagguard.hosts import Setting, hosts_for, taskfile
from flagguard.shell import evaluate
from flagguard.text import SourceText

from . import taskfile_oracle
from .support import Memory, problems, reading, shown
from .taskfile_cases import CASES, files

RECORDED = taskfile_oracle.recorded()
_CONDITIONAL = re.compile(r"\|\||status:|preconditions:|if: '\[ \"|for i in|if \[")
"""Cases in which commands are shown that run only at times."""


def called(folder: Path, tree: "dict[str, str]", line: str) -> list[Command]:
    """What the line's calls come to."""
    for name, text in {**tree, "go.sh": f"{line}\n"}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = collect(Tree(folder), Config(), strict=True)
    return [c for f in found if f.path == "go.sh" for c in f.commands if c.via and not c.opt_in]


def is_said(words: "Sequence[Word]", said: list[str]) -> bool:
    """Whether the words are these, where holes may be anything."""
    pattern = "\x1f".join("".join(".*" if p.hole else re.escape(p.text) for p in w.pieces) for w in words)
    return re.fullmatch(pattern, "\x1f".join(said), re.DOTALL) is not None


def test_there_is_an_answer_of_task_for_every_case() -> None:
    assert {taskfile_oracle.key(*case) for case in CASES} == RECORDED.keys()
    assert len(CASES) >= 100
    assert sum(map(len, RECORDED.values())) > 150


@pytest.mark.parametrize(("tree", "line"), CASES)
def test_a_call_comes_to_the_words_that_task_passes(tmp_path: Path, tree: "dict[str, str]", line: str) -> None:
    theirs = RECORDED[taskfile_oracle.key(tree, line)]
    found = [c for c in called(tmp_path, tree, line) if c.argv[0].text == "rec"]
    for run in theirs:
        assert any(is_said(c.argv[1:], run) for c in found), (run, [c.shown for c in found])
    if not _CONDITIONAL.search("".join(tree.values())):
        for command in found:
            assert any(is_said(command.argv[1:], run) for run in theirs), (command.shown, theirs)


PROGRAM = taskfile_oracle.found()


@pytest.mark.skipif(PROGRAM is None, reason="Task is not installed (pip install go-task-bin)")
@pytest.mark.parametrize("case", CASES[::20])
def test_the_recorded_answers_are_those_of_task(case: "tuple[dict[str, str], str]") -> None:
    assert PROGRAM is not None
    assert taskfile_oracle.runs(*case, PROGRAM) == RECORDED[taskfile_oracle.key(*case)]


# -- as they stand ----------------------------------------------------------------------------------------------------

PLATFORMS = ("linux-x86_64", "macos-arm64", "windows-x86_64")


def lines(text: str, more: "dict[str, str] | None" = None, platforms: "tuple[str, ...]" = PLATFORMS) -> list[str]:
    """Each command with its task, and its systems where it is not there on all."""
    source = SourceText("Taskfile.yml", text)
    memory = Memory({"Taskfile.yml": text, **(more or {})})
    said = []
    for script in taskfile.read(source, Setting(memory, platforms)).scripts:
        on = platforms if script.platforms is None else tuple(sorted(script.platforms))
        for command in evaluate(script, Setting(memory, on)).commands:
            names = ",".join(p.partition("-")[0] for p in command.platforms)
            systems = "" if set(command.platforms) == set(platforms) else f" @{names}"
            said.append(f"{script.place.task or ''}: {' '.join(command.shown)}{systems}")
    return said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tasks:\n  a: x {{OS}}/{{ARCH}}",
         ["a: x linux/amd64 @linux", "a: x darwin/arm64 @macos", "a: x windows/amd64 @windows"]),
        ("tasks:\n  a: '{{if eq OS \"windows\"}}x.bat{{else}}x.sh{{end}}'",
         ["a: x.sh @linux,macos", "a: x.bat @windows"]),
        ("tasks:\n  a: x{{exeExt}}", ["a: x @linux,macos", "a: x.exe @windows"]),
        ("tasks:\n  a:\n    platforms: [darwin]\n    cmds: [x]", ["a: x @macos"]),
        ("tasks:\n  a:\n    cmds:\n      - {cmd: x, platforms: [linux, arm64]}\n      - y",
         ["a: x @linux,macos", "a: y"]),
        ("vars:\n  U: {sh: uname -m}\ntasks:\n  a: x {{.U}}",
         ["a: x x86_64 @linux,windows", "a: x arm64 @macos", ": uname -m"]),
        ("vars:\n  U: {sh: git describe}\ntasks:\n  a: x {{.U}}", ["a: x $(git describe)", ": git describe"]),
        ("tasks:\n  a:\n    requires: {vars: [V]}\n    cmds: ['x {{.V}}']", ["a: x {{.V}}"]),
        ("tasks:\n  a:\n    requires: {vars: [V]}\n    cmds: ['x {{.V}}']\n"
         "  b:\n    cmds:\n      - task: a\n        vars: {V: 1}", ["a: x 1"]),
        ("tasks:\n  a:\n    cmds: ['x {{.V}}']\n  b:\n    cmds:\n      - task: a\n        vars: {V: 1}",
         ["a: x", "a: x 1"]),
        ("tasks:\n  'a:*': x {{index .MATCH 0}}", ["a:*: x *"]),
        ("tasks:\n  a: x {{.CLI_ARGS}} y", ["a: x y"]),
        ("tasks:\n  a: '{{if .V}}x{{else}}y{{end}}'", ["a: y"]),
        ("vars: {V: {sh: cmd}}\ntasks:\n  a: '{{if .V}}x{{else}}y{{end}}'", ["a: x", "a: y", ": cmd", ": cmd"]),
        ("tasks:\n  a:\n    cmds:\n      - {cmd: x, if: '[ \"$(uname)\" = Linux ]'}",
         ["a: x @linux", "a: uname", "a: ["]),
        ("tasks:\n  a: x {{nosuch .V}}", ["a: x {{nosuch .V}}"]),
        ("tasks:\n  a: x\n  b:\n    deps: [a]\n    cmds: [y]", ["a: x", "b: y"]),
    ],
)  # fmt: skip
def test_what_a_task_runs(text: str, expected: list[str]) -> None:
    found = lines(f"version: '3'\n{text}\n")
    ours = [line for line in found if not line.startswith(("a: [ ", "a: uname"))]
    assert sorted(set(ours)) == sorted({line for line in expected if line not in ("a: [", "a: uname")})


def test_deferred_commands_come_last_and_the_last_of_them_first() -> None:
    text = "tasks:\n  a:\n    cmds:\n      - {defer: y}\n      - x\n      - {defer: z}\n"
    assert lines(text) == ["a: x", "a: z", "a: y"]


def test_a_command_for_another_system_alone_is_read_for_it() -> None:
    text = "tasks:\n  a:\n    cmds:\n      - {cmd: w, platforms: [windows]}\n      - l\n"
    assert lines(text, platforms=("linux-x86_64",)) == ["a: l", "a: w @windows"]


def test_tasks_of_an_included_file_have_its_name_in_front() -> None:
    main = "includes: {n: {taskfile: d, dir: d/sub}}\ntasks: {a: x}\n"
    other = "tasks:\n  b:\n    dir: q\n    cmds: ['y {{.TASKFILE_DIR}}/z']\n"
    found = reading(taskfile, main, "Taskfile.yml", {"d/Taskfile.yml": other})
    assert [(s.place.task, shown(s), s.directory) for s in found.scripts] == [
        ("a", "x", ""),
        ("n:b", "y {{.TASKFILE_DIR}}/z", "d/sub/q"),
    ]
    assert "d/Taskfile.yml" in found.depends


def test_words_stand_where_they_are_written() -> None:
    text = "vars:\n  F: -O2 -g\ntasks:\n  a:\n    cmds:\n      - gcc {{.F}} 'a b.c' {{.X | default \"-c\"}}\n"
    script = reading(taskfile, text, "Taskfile.yml").scripts[0]
    (command,) = evaluate(script, Setting(Memory({}), ("linux-x86_64",))).commands
    spans = [w.pieces[0].route[-1] for w in command.argv]
    assert [text[s.start : s.end] for s in spans] == ["gcc", "-O2", "-g", "a b.c", "-c"]
    assert command.argv[-1].pieces[0].overridable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tasks: [", [(1, None)]),
        ("tasks:\n  a: x\n b: y\n", [(3, None)]),
        ("- x\n", [(1, "the file")]),
        ("tasks: 1\n", [(1, "tasks")]),
        ("tasks:\n  a: 1\n", [(2, "tasks.a")]),
        ("tasks:\n  a:\n    cmds: x\n", [(3, "tasks.a.cmds")]),
        ("tasks:\n  a: x {{if}\n", [(2, None)]),
        ("tasks:\n  a: x {{if .V}} y\n", [(2, None)]),
        ("tasks:\n  a:\n    cmds:\n      - task: b\n", [(4, None)]),
        ("includes: {n: no.yml}\ntasks: {a: x}\n", [(1, None)]),
        ("includes: {n: https://x.y/T.yml}\ntasks: {a: x}\n", [(1, None)]),
        ("version: '3'\n", []),
        ("", []),
    ],
)
def test_what_is_wrong_is_told_once_with_its_line(text: str, expected: "list[tuple[int, str | None]]") -> None:
    assert problems(_read(text)) == expected


def _read(text: str) -> Reading:
    return reading(taskfile, text, "Taskfile.yml")


@pytest.mark.parametrize(
    "text",
    [
        "tasks:\n  a:\n    cmds: [{task: a}]\n",
        "tasks:\n  a:\n    deps: [b]\n  b:\n    deps: [{task: a, vars: {X: '{{.X}}1'}}]\n",
        "includes: {n: Taskfile.yml}\ntasks: {a: x}\n",
        "vars: {A: '{{.A}}{{.A}}'}\ntasks: {a: 'x {{.A}}'}\n",
        "vars:\n  A0: xy\n"
        + "".join(f"  A{i}: '{{{{.A{i - 1}}}}}{{{{.A{i - 1}}}}}'\n" for i in range(1, 60))
        + "tasks: {a: 'x {{.A59}}'}\n",
        "tasks:\n  a: '" + "{{range until 200}}" * 5 + "x" + "{{end}}" * 5 + "'\n",
        "tasks:\n  a: '" + "{{if .X}}" * 300 + "x" + "{{end}}" * 300 + "'\n",
        "tasks:\n  a: '{{" + "(" * 3000 + "1" + ")" * 3000 + "}}'\n",
    ],
)
def test_nothing_takes_long_or_fails(text: str) -> None:
    _read(text)


@pytest.mark.parametrize(
    ("path", "claimed"),
    [("Taskfile.yml", True), ("a/taskfile.dist.yaml", True), ("Taskfile", False), ("MyTaskfile.yml", False)],
)
def test_which_files_are_read(path: str, claimed: bool) -> None:
    assert ("taskfile" in [h.NAME for h in hosts_for(path, b"")]) is claimed


def test_the_environment_of_a_call_goes_with_it_and_wins(tmp_path: Path) -> None:
    tree = files("env: {E: own, F: f}\ntasks:\n  a: rec $E")
    (command,) = called(tmp_path, tree, "E=outer task a")
    assert command.shown == ["rec", "outer"]
    assert {n: v.shown for n, v in command.env.items()} == {"E": "outer", "F": "f"}


def test_another_program_called_task_starts_nothing(tmp_path: Path) -> None:
    assert called(tmp_path, files("tasks:\n  a: rec a"), "task add shopping\ntask") == []


def test_which_value_of_a_variable_a_command_finds() -> None:
    """Measured with Task 3: the file's `dotenv` under its `env`, under the task's `dotenv`, under the task's `env`."""
    head = "dotenv: [f.env]\nenv: {B: file, C: file, D: file}\n"
    text = head + "tasks:\n  a:\n    dotenv: [t.env]\n    env: {D: task}\n    cmds: [x $A $B $C $D]\n"
    files = {"f.env": "A=first\nB=first\n", "t.env": "C=second\nD=second\n"}
    assert lines(f"version: '3'\n{text}", files, ("linux-x86_64",)) == ["a: x first file second task"]
