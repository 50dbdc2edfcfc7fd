"""The second opinion on words: agreement is silence, another cut is doubt."""

import pytest

from flagguard.shell.witness import agrees


@pytest.mark.parametrize(
    ("text", "spans", "agreed"),
    [
        ("gcc a", ((0, 3), (4, 5)), True),
        ("gcc 'a b' \"$c\"", ((0, 3), (4, 9), (10, 14)), True),
        ("gcc a$(b c)", ((0, 3), (4, 11)), True),
        ("gcc `a b`", ((0, 3), (4, 9)), True),
        ("gcc a$(b c)", ((0, 3), (4, 8), (9, 11)), False),
        ("cat <<E", ((0, 3),), True),
        ("$S <(c x)", ((0, 2), (3, 9)), True),
    ],
)
def test_agreement(text: str, spans: tuple[tuple[int, int], ...], agreed: bool) -> None:
    assert agrees(text, spans) is agreed
