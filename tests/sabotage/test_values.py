"""Sabotage's own reading of conditions: what they refuse, and a value that they refuse."""

import pytest

from flagguard.rules import Condition, Constraint, Subject
from flagguard.sabotage.values import hitting, refuses, worse

BASELINE = {"linux-x86_64": "x86-64-v2"}


def constraint(condition: Condition, *operand: str) -> Constraint:
    return Constraint(Subject.FLAG, ("--x",), condition, operand)


@pytest.mark.parametrize(
    ("condition", "operand", "text", "refused"),
    [
        (Condition.PRESENT, (), "x", False),
        (Condition.PRESENT, (), " ", True),
        (Condition.VALUE, ("x86-64-*",), "x86-64-v2", False),
        (Condition.VALUE, ("x86-64-*",), "native", True),
        (Condition.ONE_OF, ("v1", "v2"), "v3", True),
        (Condition.ONE_OF, ("v1", "v2"), "v2", False),
        (Condition.NOT, ("native", "host*"), "host-cpu", True),
        (Condition.NOT, ("native",), "generic", False),
        (Condition.MATCHES, ("^v[12]$",), "v1", False),
        (Condition.MATCHES, ("^v[12]$",), "v12", True),
        (Condition.CONTAINS, ("7.5",), "7.0;7.5", False),
        (Condition.CONTAINS, ("7.5",), "7.50", True),
        (Condition.AT_MOST, ("baseline",), "x86-64-v2", False),
        (Condition.AT_MOST, ("baseline",), "x86-64-v3", True),
        (Condition.AT_MOST, ("baseline",), "native", True),
        (Condition.AT_MOST, ("11.0",), "10.15", False),
        (Condition.AT_MOST, ("11.0",), "12.1", True),
        (Condition.AT_MOST, ("11.0",), "host", True),
    ],
)
def test_what_a_condition_refuses(condition: Condition, operand: tuple[str, ...], text: str, refused: bool) -> None:
    assert refuses(constraint(condition, *operand), text, "linux-x86_64", BASELINE) is refused


def test_features_count_on_top_of_a_cpu() -> None:
    asked = constraint(Condition.AT_MOST, "baseline")
    assert not refuses(asked, "generic", "linux-x86_64", BASELINE, ("-msse4.2",))
    assert refuses(asked, "generic", "linux-x86_64", BASELINE, ("-mavx2",))


@pytest.mark.parametrize(
    ("condition", "operand", "text", "bad"),
    [
        (Condition.PRESENT, (), "x", None),
        (Condition.VALUE, ("x86-64-*",), "x86-64-v2", "native"),
        (Condition.VALUE, ("*",), "x", None),
        (Condition.NOT, ("native",), "generic", "native"),
        (Condition.NOT, ("debug",), "release", "debug"),
        (Condition.CONTAINS, ("7.5",), "7.0;7.5;8.0", "7.0;8.0"),
        (Condition.CONTAINS, ("7.5",), "7.5 8.0", "8.0"),
        (Condition.AT_MOST, ("baseline",), "x86-64-v2", "native"),
        (Condition.MATCHES, ("native|x",), "x", "none"),
    ],
)
def test_a_worse_value(condition: Condition, operand: tuple[str, ...], text: str, bad: str | None) -> None:
    assert worse(constraint(condition, *operand), text, "linux-x86_64", BASELINE) == bad


@pytest.mark.parametrize(
    ("condition", "operand", "value"),
    [
        (Condition.PRESENT, (), ""),
        (Condition.VALUE, ("native",), "native"),
        (Condition.VALUE, ("x*",), "x"),
        (Condition.ONE_OF, ("a", "b"), "a"),
        (Condition.NOT, ("native",), "none"),
        (Condition.MATCHES, ("^(native|host)$",), "native"),
        (Condition.CONTAINS, ("7.5", "8.0"), "7.5;8.0"),
    ],
)
def test_a_value_that_is_forbidden(condition: Condition, operand: tuple[str, ...], value: str) -> None:
    assert hitting(constraint(condition, *operand)) == value
