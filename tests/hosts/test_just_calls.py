"""Calls of just: which commands each comes to, as the real just runs them."""

import json
import re
import shlex

import pytest

from flagguard.command import Command, Place, Word
from flagguard.hosts import Entered, Setting, just
from flagguard.shell import evaluate
from flagguard.text import Span, literal
from flagguard.values import replace

from . import just_oracle
from .just_cases import CASES, Files
from .support import Memory

RECORDED = just_oracle.recorded()
GENERATED = just_oracle.recorded(just_oracle.GENERATED)


def word(text: str) -> Word:
    return Word(literal(text, Span("call.sh", 0, len(text))).pieces)


def call(words: str, **more: object) -> Command:
    here = Span("call.sh", 0, 4)
    env = {name: literal(text) for name, text in just_oracle.GIVEN.items()}
    argv = (word("just"), *map(word, shlex.split(words)))
    return replace(Command(argv, Place("shellscript"), here, here, env=env), **more)


def entered(files: Files, words: str, platform: str = "linux-x86_64", **more: object) -> Entered | None:
    return just.enter(call(words, **more), Setting(Memory(files), (platform,)))


def commands(files: Files, words: str, platform: str = "linux-x86_64") -> list[Command]:
    """What the call comes to."""
    setting = Setting(Memory(files), (platform,))
    found = entered(files, words, platform)
    if found is None:
        return []
    scripts = found.read(setting).scripts
    return [c for script in scripts for c in evaluate(script, setting).commands if not c.opt_in]


def is_said(words: "tuple[Word, ...]", said: list[str]) -> bool:
    """Whether the words are these, where holes may be anything: unquoted even nothing."""
    pattern = "\x1f".join("".join(".*" if p.hole else re.escape(p.text) for p in w.pieces) for w in words)
    return re.fullmatch(pattern, "\x1f".join(said), re.DOTALL) is not None


def distinct(runs: list[list[str]]) -> list[list[str]]:
    """A recipe that runs twice with the same words is one place."""
    return [run for i, run in enumerate(runs) if run not in runs[:i]]


def test_there_is_an_answer_of_just_for_every_case() -> None:
    assert {just_oracle.name(*case) for case in CASES} == RECORDED.keys()
    assert len(CASES) >= 200


@pytest.mark.parametrize(("files", "words"), CASES)
def test_a_call_comes_to_the_words_that_just_passes(files: Files, words: str) -> None:
    agree(files, words, RECORDED[just_oracle.name(files, words)])


@pytest.mark.parametrize("case", GENERATED)
def test_a_made_up_call_comes_to_the_words_that_just_passes(case: str) -> None:
    agree(*json.loads(case), GENERATED[case])


def agree(files: Files, words: str, said: "list[list[str]] | None") -> None:
    found = {tuple(c.shown): c for c in commands(files, words) if c.argv[0].text == "rec"}
    theirs = distinct(said or [])
    assert len(found) == len(theirs), (found.keys(), theirs)
    for mine, run in zip(found.values(), theirs, strict=True):
        assert is_said(mine.argv[1:], run), (mine.shown, run)


@pytest.mark.skipif(just_oracle.JUST is None, reason="just is not installed (pip install rust-just)")
@pytest.mark.parametrize("case", [*list(RECORDED)[::8], *list(GENERATED)[::16]])
def test_the_recorded_answers_are_those_of_just(case: str) -> None:
    assert just_oracle.runs(*json.loads(case)) == (RECORDED | GENERATED)[case]
