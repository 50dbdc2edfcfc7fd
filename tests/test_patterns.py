"""patterns: an expression behaves as a compiled one, and each of the package's can be compiled."""

import importlib
import pkgutil
import re

import pytest

import flagguard
from flagguard import patterns
from flagguard.patterns import expression


@pytest.mark.parametrize("name", patterns._Pattern._METHODS)
def test_the_methods_are_those_of_a_compiled_expression(name: str) -> None:
    given = ("-", "A-B") if name.startswith("sub") else ("A-b",)
    ours, theirs = expression("[a-z]+", re.IGNORECASE), re.compile("[a-z]+", re.IGNORECASE)
    for _ in range(2):
        found, expected = getattr(ours, name)(*given), getattr(theirs, name)(*given)
        if name == "finditer":
            found, expected = list(found), list(expected)
        assert repr(found) == repr(expected)


def test_the_facts_are_there_too() -> None:
    made = expression("(?P<a>x)(y)", re.DOTALL)
    assert (made.pattern, made.groups, dict(made.groupindex)) == ("(?P<a>x)(y)", 2, {"a": 1})
    assert made.flags & re.DOTALL


def test_nothing_is_compiled_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    real = re.compile
    monkeypatch.setattr(patterns.re, "compile", lambda *said: compiled.append(said[0]) or real(*said))
    made = expression("x")
    assert compiled == []
    made.match("x")
    made.search("x")
    assert compiled == ["x"]


def test_every_expression_of_the_package_is_one() -> None:
    """A fault in one shows only when it is used, so all are used here."""
    used = 0
    for module in pkgutil.walk_packages(flagguard.__path__, "flagguard."):
        if not module.name.endswith("__main__"):
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, patterns._Pattern):
                    value.search(value.pattern[:0])  # type: ignore[attr-defined]
                    used += 1
    assert used > 20
