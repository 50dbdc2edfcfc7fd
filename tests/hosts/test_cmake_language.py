"""CMake's language: what our run calls each command with is what CMake says (`cmake_recorded.json`)."""

import json
import shutil
from pathlib import Path

import pytest

from flagguard.hosts.cmake_genex import Build, answers
from flagguard.hosts.cmake_lexer import BrokenFile, Invocation, nodes
from flagguard.hosts.cmake_run import Flow, Run
from flagguard.text import SourceText, literal

from . import cmake_oracle
from .cmake_cases import CASES, GENERATOR
from .support import Memory

RECORDED = json.loads(Path(__file__).with_name("cmake_recorded.json").read_text())


class Recording(Run):
    """Notes each command with its words, where nothing is assumed."""

    def __init__(self, source: SourceText) -> None:
        super().__init__(Memory({source.path: source.text}), "linux-x86_64", {}, whole=True)
        self.seen: list[list[str]] = []

    def _command(self, invocation: Invocation) -> Flow:
        self._note(invocation)
        return super()._command(invocation)

    def command(self, name: str, invocation: Invocation) -> Flow | None:
        self._note(invocation)
        return super().command(name, invocation)

    def _note(self, invocation: Invocation) -> None:
        if invocation.name not in cmake_oracle.SKIPPED and not self.when and not self.opt_in:
            self.seen.append([invocation.name, *(self.text(argument).shown for argument in invocation.arguments)])


def said(text: str) -> list[list[str]]:
    source = SourceText("CMakeLists.txt", text)
    run = Recording(source)
    run.directory(source)
    assert run.notes.problems == []
    return run.seen


@pytest.mark.parametrize("case", CASES)
def test_commands_are_called_as_cmake_calls_them(case: str) -> None:
    assert said(CASES[case]) == RECORDED["commands"][case]


@pytest.mark.parametrize("case", GENERATOR)
def test_generator_expressions_come_to_what_cmake_says(case: str) -> None:
    [answer] = answers(literal(GENERATOR[case]), Build("Linux", "Release"))
    assert (answer.text.text, answer.when) == (RECORDED["expressions"][case], ())


@pytest.mark.skipif(shutil.which("cmake") is None, reason="CMake is not installed")
def test_what_is_recorded_is_what_cmake_says() -> None:
    assert cmake_oracle.traced(CASES) == RECORDED["commands"]
    assert cmake_oracle.generated(GENERATOR) == RECORDED["expressions"]


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("message(a\n", 1, "not closed"),
        ('a()\nmessage("b\n', 2, "not closed"),
        ("message([[a\n", 1, "not closed"),
        ("#[[ a\n", 1, "not closed"),
        ("a()\n)\n", 2, "expected"),
        ("message\n", 1, "expected"),
        ("if(A)\n", 1, "endif"),
        ("a()\nendif()\n", 2, "closes nothing"),
        ("if(A)\nendforeach()\nendif()\n", 2, "does not close"),
        ("a() = b\n", 1, "expected"),
        ("if(A)\n" * 70 + "endif()\n" * 70, 61, "too deeply"),
    ],
)
def test_a_broken_file_is_one_problem_with_its_line(text: str, line: int, told: str) -> None:
    source = SourceText("CMakeLists.txt", text)
    found = nodes(source)
    assert isinstance(found, BrokenFile)
    assert told in found.message
    assert source.position(found.at)[0] == line
