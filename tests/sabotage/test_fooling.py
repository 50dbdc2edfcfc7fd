"""A proof of the proof: checks that are wrong on purpose, and what sabotage says of them.

A judge that never fails must be missed everywhere, one that always fails must give false alarms, one that looks at the
wrong thing must be told so. What sabotage says may not depend on what the judge says is right.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flagguard.checking import check
from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.exempting import Comment
from flagguard.findings import Finding
from flagguard.judge import FileCommands, Judged, judge_file
from flagguard.judging import Read
from flagguard.rules import Severity
from flagguard.sabotage import Kind, Operator, Outcome, Proof, again
from flagguard.sabotage.runner import planned
from flagguard.sabotage.verdicts import judged as verdict_of
from flagguard.text import Problem, Span
from tests.sabotage.support import config, prove, tree

SCRIPT = """#!/bin/sh
# every build says --target-cpu
case "$(uname -m)" in
  x86_64) cpu=x86-64-v2 ;;
  *)      cpu=generic ;;
esac
mojo build --target-cpu "$cpu" -I src a.mojo -o a || exit 1
mojo run --mcpu generic b.mojo
"""
RULES = """packs = []
[baseline]
linux-x86_64  = "x86-64-v2"
linux-aarch64 = "generic"
[[rule]]
id      = "pinned"
command = ["mojo build", "mojo run"]
require = [{ flag = ["--target-cpu", "--mcpu"], at-most = "baseline" }]
"""
Judge = Callable[..., Judged]


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> Callable[[Judge], None]:
    """Replace the judge, once the baseline has been judged."""
    return lambda judge: monkeypatch.setattr(again, "judge_file", judge)


def wrong(change: Callable[[Judged, FileCommands], Judged]) -> Judge:
    def judge(file: FileCommands, config: Config, comments: Sequence[Comment] = (), read: Read | None = None) -> Judged:
        return change(judge_file(file, config, comments, read), file)

    return judge


def came(proof: Proof, kind: Kind) -> set[Outcome]:
    return {r.outcome for r in proof.results if r.kind is kind}


def test_the_right_judge(tmp_path: Path) -> None:
    proof = prove(tmp_path, RULES, {"a.sh": SCRIPT})
    assert (proof.status, proof.score) == (0, 100.0)
    assert came(proof, Kind.SABOTAGE) == {Outcome.CAUGHT}
    assert came(proof, Kind.HARMLESS) == {Outcome.STAYED_CLEAN}


def test_a_judge_that_never_fails_is_missed_everywhere(tmp_path: Path, judged: Callable[[Judge], None]) -> None:
    judged(wrong(lambda j, _: replace(j, findings=())))
    proof = prove(tmp_path, RULES, {"a.sh": SCRIPT})
    assert came(proof, Kind.SABOTAGE) == {Outcome.MISSED}
    assert came(proof, Kind.HARMLESS) == {Outcome.STAYED_CLEAN}
    assert (proof.status, proof.score) == (1, 0.0)


def finding(file: FileCommands, rule: str = "pinned") -> tuple[Finding, ...]:
    model = judge_file(file, config(RULES.replace("at-most", "value")))
    assert model.findings
    return tuple(replace(f, rule=rule) for f in model.findings)


def test_a_judge_that_always_fails_gives_false_alarms(tmp_path: Path, judged: Callable[[Judge], None]) -> None:
    judged(wrong(lambda j, file: replace(j, findings=finding(file) if file.commands else ())))
    clean = prove(tmp_path, RULES, {"a.sh": "mojo build --target-cpu generic a.mojo\n"})
    assert came(clean, Kind.HARMLESS) == {Outcome.FALSE_ALARM}
    assert clean.status == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda f: replace(f, rule="another"),
        lambda f: replace(f, span=Span(f.span.path, f.span.start + 1, f.span.end)),
        lambda f: replace(f, place=replace(f.place, task="another")),
        lambda f: replace(f, span=Span("b.sh", 0, 4)),
    ],
)
def test_a_finding_of_another_rule_or_command_is_a_wrong_reason(
    tmp_path: Path, judged: Callable[[Judge], None], change: Callable[[Finding], Finding]
) -> None:
    judged(wrong(lambda j, _: replace(j, findings=tuple(map(change, j.findings)))))
    proof = prove(tmp_path, RULES, {"a.sh": SCRIPT})
    assert came(proof, Kind.SABOTAGE) == {Outcome.WRONG_REASON}
    assert (proof.status, proof.score) == (1, 0.0)


def test_a_finding_on_one_platform_of_two_is_a_miss(tmp_path: Path, judged: Callable[[Judge], None]) -> None:
    only = lambda f: replace(f, platforms=tuple(p for p in f.platforms if p == "linux-x86_64"))
    judged(wrong(lambda j, _: replace(j, findings=tuple(g for f in j.findings if (g := only(f)).platforms))))
    proof = prove(tmp_path, RULES, {"a.sh": SCRIPT})
    dropped = {r.outcome for r in proof.results if r.operator is Operator.DROP_FLAG}
    assert dropped == {Outcome.MISSED}
    assert proof.status == 1


def test_a_judge_that_only_warns_does_not_fail(tmp_path: Path, judged: Callable[[Judge], None]) -> None:
    judged(wrong(lambda j, _: replace(j, findings=tuple(replace(f, severity=Severity.WARNING) for f in j.findings))))
    assert came(prove(tmp_path, RULES, {"a.sh": SCRIPT}), Kind.SABOTAGE) == {Outcome.MISSED}


def test_a_judge_that_reads_the_text_is_found_out(tmp_path: Path, judged: Callable[[Judge], None]) -> None:
    """Satisfied where the file's line speaks of the flag: comments, echo and values pass."""

    def by_text(found: Judged, file: FileCommands) -> Judged:
        return replace(found, findings=tuple(f for f in found.findings if "no `--target-cpu`" in f.message))

    judged(wrong(by_text))
    proof = prove(tmp_path, RULES, {"a.sh": SCRIPT})
    missed = {r.operator for r in proof.results if r.outcome is Outcome.MISSED}
    assert missed >= {Operator.NATIVE_VALUE, Operator.DROP_VALUE, Operator.SPOIL_ARM, Operator.DROP_ASSIGNMENT}
    assert Operator.DROP_FLAG not in missed


def test_a_tree_that_ignores_edits_is_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tree, "with_text", lambda self, path, text: self)
    proof = prove(tmp_path, RULES, {"a.sh": SCRIPT})
    assert came(proof, Kind.SABOTAGE) == {Outcome.MISSED}
    assert proof.status == 1


def test_an_evaluation_that_reads_comments_is_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The flag of a comment is no other word that says the same, though it is found in the argv."""
    from flagguard import shell

    real = shell.evaluate

    def evaluate(script: Any, setting: Any) -> Any:
        pieces = tuple(replace(p, text=p.text.replace("  # ", "    ")) for p in script.text.pieces)
        return real(replace(script, text=type(script.text)(pieces)), setting)

    monkeypatch.setattr(shell, "evaluate", evaluate)
    proof = prove(tmp_path, RULES, {"a.sh": "mojo build --target-cpu generic a.mojo\n"})
    into_comment = [r for r in proof.results if r.operator is Operator.COMMENT_FLAG]
    assert [r.outcome for r in into_comment] == [Outcome.MISSED]


def test_an_edit_after_which_the_file_cannot_be_read_is_invalid(tmp_path: Path) -> None:
    files, rules = tree(tmp_path, {"a.sh": SCRIPT, "b.sh": SCRIPT}), config(RULES)
    plan = planned(files, rules, check(files, rules))[0]
    bench = again.Again(files, rules, check(files, rules), strict=True)
    good = bench.after(plan.edits)
    for path, outcome in (("a.sh", Outcome.INVALID), ("b.sh", Outcome.CAUGHT)):
        broken = replace(good, problems=(Problem(path, 1, "cannot be read"),))
        assert verdict_of(plan, broken, rules).outcome is outcome


def test_a_count_that_never_falls_is_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = "packs = []\n[[rule]]\nid = 'there'\ncommand = 'mojo build'\n"
    files = {"a.sh": "mojo build a.mojo\n"}
    assert prove(tmp_path, rules, files).status == 0
    real = again.conclude

    def never(judged: Any, config: Config, *, complete: bool = True) -> Any:
        return real(judged, config, complete=False)

    monkeypatch.setattr(again, "conclude", never)
    assert came(prove(tmp_path, rules, files), Kind.SABOTAGE) == {Outcome.MISSED}
