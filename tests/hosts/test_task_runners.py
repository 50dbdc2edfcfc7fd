"""Task runners: what a call comes to is what the real runner ran (see `runner_oracle`)."""

import json
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from flagguard.command import Command, Word
from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import collect

from . import runner_oracle
from .runner_cases import CASES, PROGRAMS

RECORDED = runner_oracle.recorded()


def called(folder: Path, files: "dict[str, str]", line: str) -> "tuple[list[Command], list[str]]":
    """What the line's calls come to, and the problems."""
    for name, text in {**files, "go.sh": f"{line}\n"}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = list(collect(Tree(folder), Config(), strict=True))
    commands = [c for f in found if f.path == "go.sh" for c in f.commands]
    problems = [f"{p.path}:{p.line}: {p.message}" for f in found for p in f.problems if p.fatal]
    return [c for c in commands if c.argv[0].text == "rec" and not c.opt_in], problems


def is_said(words: "Sequence[Word]", said: list[str]) -> bool:
    """Whether the words are these, where holes may be anything."""
    pattern = "\x1f".join("".join(".*" if p.hole else re.escape(p.text) for p in w.pieces) for w in words)
    return re.fullmatch(pattern, "\x1f".join(said), re.DOTALL) is not None


def agrees(command: Command, run: "dict[str, object]") -> bool:
    """Whether a command is the run: its words, its variables, its folder."""
    argv, env = run["argv"], run["env"]
    assert isinstance(argv, list)
    assert isinstance(env, dict)
    ours = {n: v for n, v in command.env.items() if n.startswith("V_")}
    same = ours.keys() == env.keys() and all(is_said([Word(v.pieces)], [env[n]]) for n, v in ours.items())
    return same and is_said(command.argv[1:], argv) and command.directory in (run["folder"], None)


def test_there_is_an_answer_of_the_runner_for_every_case() -> None:
    assert {runner_oracle.key(*case) for case in CASES} == RECORDED.keys()


@pytest.mark.parametrize(("tool", "files", "line"), CASES)
def test_a_call_comes_to_what_the_runner_runs(tmp_path: Path, tool: str, files: "dict[str, str]", line: str) -> None:
    theirs = RECORDED[runner_oracle.key(tool, files, line)]
    found, problems = called(tmp_path, files, line)
    shown = [(c.shown, {n: v.shown for n, v in c.env.items()}, c.directory, c.when) for c in found]
    for run in theirs:
        assert any(agrees(command, run) for command in found), (run, shown, problems)
    open_ends = any("||" in text or "; false" in text or "false;" in text for text in files.values())
    for command in found:
        assert open_ends or command.when or any(agrees(command, run) for run in theirs), (command.shown, shown, theirs)
    assert not (theirs and problems)


SAMPLES = [next(case for case in CASES if case[0] == tool) for tool in dict.fromkeys(case[0] for case in CASES)]


@pytest.mark.parametrize("case", SAMPLES, ids=[case[0] for case in SAMPLES])
def test_the_recorded_answers_are_those_of_the_runner(case: "tuple[str, dict[str, str], str]") -> None:
    if shutil.which(PROGRAMS[case[0]]) is None or not os.environ.get("FLAGGUARD_REAL_RUNNERS"):
        pytest.skip(f"{case[0]} is not installed, or not asked for")
    assert json.loads(json.dumps(runner_oracle.runs(case[1], case[2]))) == RECORDED[runner_oracle.key(*case)]
