"""Each shipped rule on its proof: every sabotage is caught, and no harmless edit is flagged."""

import datetime
from pathlib import Path

import pytest

from flagguard import packs
from flagguard.config import load
from flagguard.discover import Tree
from flagguard.rules import Rule
from flagguard.sabotage import Kind, Outcome, run
from flagguard.text import SourceText

ROOT = Path(__file__).resolve().parent.parent.parent / "sabotage"
RULES = [rule for name in packs.names() for rule in packs.load(name).rules if not rule.never]
"""Of those with `never` there is nothing to take away: tests/test_packs.py shows that they can fail."""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_rule_can_fail_in_every_way(rule: Rule) -> None:
    folder = ROOT / rule.id
    loaded = load(SourceText("flagguard.toml", (folder / "flagguard.toml").read_text()), datetime.date(2026, 1, 1))
    proof = run(Tree(folder), loaded.config, strict=True)
    wrong = [(r.path, r.line, r.operator.value, r.outcome.value, r.detail) for r in proof.results if r.fails]
    assert (proof.refusal, wrong) == (None, [])
    assert (proof.status, proof.score) == (0, 100.0)
    assert proof.count(Outcome.INVALID) == 0
    caught = [r for r in proof.results if r.rule == rule.id and r.outcome is Outcome.CAUGHT]
    assert len(caught) >= 5
    assert len({(r.path, r.line) for r in caught}) >= 4
    assert sum(r.kind is Kind.HARMLESS for r in proof.results) >= 10
