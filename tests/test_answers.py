"""Conditions on values with unknown parts: each answer is compared with what filling the holes gives."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_cases import word

from flagguard import globs
from flagguard.answers import Answer, all_of, any_of, compare
from flagguard.rules import Condition
from flagguard.text import HOLE_MARK

H, F, U = Answer.HOLDS, Answer.FAILS, Answer.OPEN


@pytest.mark.parametrize(
    ("answers", "one", "every"),
    [([H, F], H, F), ([F, U], U, F), ([H, U], H, U), ([F, F], F, F), ([H, H], H, H), ([], F, H)],
)
def test_any_and_all(answers: list[Answer], one: Answer, every: Answer) -> None:
    assert (any_of(answers), all_of(answers)) == (one, every)


@pytest.mark.parametrize(
    ("condition", "operand", "value", "expected"),
    [
        (Condition.VALUE, "a*", "ab", H),
        (Condition.VALUE, "a*", "ba", F),
        (Condition.VALUE, "a*", "a<$X>", H),
        (Condition.VALUE, "a*b", "a<$X>", U),
        (Condition.VALUE, "a*b", "a<$X>b", H),
        (Condition.VALUE, "a*b", "<$X>c", F),
        (Condition.VALUE, "[0-9]*", "<#N>x", U),
        (Condition.VALUE, "v?", "v<#N>", U),
        (Condition.VALUE, "[a-z]*", "<#N>", F),
        (Condition.VALUE, "*[!0-9]*", "1<#N>2", F),
        (Condition.VALUE, "", "x", F),
        (Condition.ONE_OF, "a*", "a*", H),
        (Condition.ONE_OF, "a*", "ab", F),
        (Condition.NOT, "native", "native", F),
        (Condition.NOT, "native", "nat<$X>", U),
        (Condition.NOT, "native", "x<$X>", H),
        (Condition.MATCHES, "b+", "abbc", H),
        (Condition.MATCHES, "^b", "abbc", F),
        (Condition.MATCHES, "b+", "a<$X>b", H),
        (Condition.MATCHES, "b+$", "a<$X>b", U),
        (Condition.MATCHES, "x=[^ ]+", "x=<$X>", U),
        (Condition.MATCHES, "x=[^ ]+", "x=1<$X>", H),
        (Condition.MATCHES, "^b+", "b<$X>", H),
        (Condition.MATCHES, "^ab", "c<$X>", F),
        (Condition.MATCHES, "^a?c", "c<$X>", H),
        (Condition.MATCHES, r"^a\.b", "a.<$X>", U),
        (Condition.MATCHES, r"^a\.b", "axb<$X>", F),
        (Condition.MATCHES, "^[ab]c", "b<$X>", U),
        (Condition.MATCHES, "^b$", "b<$X>", U),
        (Condition.MATCHES, "^(?!ab)", "a<$X>", U),
        (Condition.MATCHES, "^a|b", "c<$X>", U),
        (Condition.CONTAINS, "9.0", "7.5;9.0", H),
        (Condition.CONTAINS, "9.0", "9.0a", F),
        (Condition.CONTAINS, "9.0", "7.5;<$X>", U),
        (Condition.CONTAINS, "9.0", "9.0 <$X>", H),
        (Condition.CONTAINS, "9.0", "9.0<$X>", U),
    ],
)
def test_conditions(condition: Condition, operand: str, value: str, expected: Answer) -> None:
    assert compare(condition, (operand,), word(f"{{{value}}}", "f", 0)) is expected


_FILLS = ("", "a", "b", "ab", "ba", "x", "aab", "bb")


@given(st.text("ab*?", max_size=5), st.text(f"ab{HOLE_MARK}", max_size=4))
def test_globs_around_holes_agree_with_every_filling(pattern: str, text: str) -> None:
    runs = text.split(HOLE_MARK)
    parts: list[str | tuple[str | None]] = [runs[0]]
    for run in runs[1:]:
        parts += [(None,), run]
    possible, certain = globs.possible((globs.tokens(pattern),), parts)
    for fills in itertools.product(_FILLS, repeat=len(runs) - 1):
        filled = runs[0] + "".join(f + r for f, r in zip(fills, runs[1:], strict=True))
        hit = globs.matches(pattern, filled)
        assert possible or not hit
        assert not certain or hit
    if len(runs) == 1:
        assert possible is certain
