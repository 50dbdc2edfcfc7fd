"""Shell patterns: yes, no, or maybe where the text has holes."""

import time

import pytest

from flagguard.shell.pattern import Match, Pattern, atoms, match, without_prefix, without_suffix
from flagguard.text import HOLE_MARK, Hole, Traced, hole, join, literal


def _pattern(text: str) -> Pattern:
    return atoms([(literal(text), False)])


def _text(text: str) -> Traced:
    parts = [literal(p) for p in text.split("@")]
    return join([t for i, p in enumerate(parts) for t in ((hole(Hole("$x", "")), p) if i else (p,))])


@pytest.mark.parametrize(
    ("pattern", "text", "verdict"),
    [
        ("a*c", "abc", Match.YES),
        ("a*c", "ab", Match.NO),
        ("a?c", "abc", Match.YES),
        ("[a-c]x", "bx", Match.YES),
        ("[!a-c]x", "bx", Match.NO),
        ("[[:digit:]]", "7", Match.YES),
        ("[]x]", "]", Match.YES),
        ("a[", "a[", Match.YES),
        ("*a*b*", "xaybz", Match.YES),
        ("*a*a", "aba", Match.YES),
        ("*ab", "aab", Match.YES),
        ("@(a|b)c", "bc", Match.YES),
        ("!(a)", "a", Match.NO),
        ("+(a|b)", "abba", Match.YES),
        ("?(a)b", "b", Match.YES),
        ("*", "@", Match.YES),
        ("x*", "@", Match.MAYBE),
        ("x*", "x@", Match.YES),
        ("x*", "y@", Match.NO),
        ("*-x86", "@-arm", Match.NO),
        ("*-x86", "@-x86", Match.YES),
        ("abc", "a@c", Match.MAYBE),
        ("", "", Match.YES),
    ],
)
def test_match(pattern: str, text: str, verdict: Match) -> None:
    assert match(_pattern(pattern), _text(text)) is verdict


def test_quoted_characters_stand_for_themselves() -> None:
    assert match(atoms([(literal("*"), True)]), literal("a")) is Match.NO
    assert match(atoms([(literal("*"), True)]), literal("*")) is Match.YES


def test_hole_in_a_pattern_may_be_anything() -> None:
    pattern = Pattern([*_pattern("a"), (HOLE_MARK, False)])
    assert match(pattern, literal("ab")) is Match.MAYBE
    assert match(pattern, literal("b")) is Match.NO


@pytest.mark.parametrize(
    ("pattern", "text", "short", "long"),
    [
        ("*/", "a/b/c", "b/c", "c"),
        ("a", "aab", "ab", "ab"),
        ("x", "abc", "abc", "abc"),
        ("?", "@b", None, None),
        ("a", "a@", "$x", "$x"),
    ],
)
def test_prefix_is_taken_off(pattern: str, text: str, short: str | None, long: str | None) -> None:
    found = [without_prefix(_pattern(pattern), _text(text), longest) for longest in (False, True)]
    assert [f.shown if f is not None else None for f in found] == [short, long]


@pytest.mark.parametrize(
    ("pattern", "text", "short", "long"),
    [("/*", "a/b/c", "a/b", "a"), (".*", "x.tar.gz", "x.tar", "x")],
)
def test_suffix_is_taken_off(pattern: str, text: str, short: str, long: str) -> None:
    found = [without_suffix(_pattern(pattern), _text(text), longest) for longest in (False, True)]
    assert [f.shown if f is not None else None for f in found] == [short, long]


@pytest.mark.parametrize("pattern", ["*a" * 30 + "*b", "*(*(a))b", "+(+(a))b"])
def test_costly_pattern_ends(pattern: str) -> None:
    begun = time.process_time()
    assert match(_pattern(pattern), literal("a" * 3000)) is not Match.YES
    assert time.process_time() - begun < 1


@pytest.mark.parametrize(
    ("pattern", "text", "verdict"),
    [
        ("!(a)b", "aab", Match.YES),
        ("!(a)b", "ab", Match.NO),
        ("+(ab|a)b", "abab", Match.YES),
        ("*.@(tar|zip)?(.gz)", "a.tar.gz", Match.YES),
        ("@(a|@(b|c))", "c", Match.YES),
        ("+([0-9])", "12x", Match.NO),
        ("[[:", "[[:", Match.NO),
    ],
)
def test_group(pattern: str, text: str, verdict: Match) -> None:
    assert match(_pattern(pattern), literal(text)) is verdict
