"""Diffs of one edit are what difflib says of the whole files."""

from difflib import unified_diff

import pytest

from flagguard.sabotage.difference import difference
from flagguard.text import SourceText

LINES = "".join(f"line {n}\n" for n in range(40))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LINES, LINES.replace("line 20\n", "line XX\n")),
        (LINES, LINES.replace("line 0\n", "")),
        (LINES, LINES.replace("line 39\n", "line 39\nmore\n")),
        (LINES, LINES.replace("line 3\n", "").replace("line 30\n", "other\n")),
        ("a\n", "b\n"),
        ("", "b\n"),
        ("same\nsame\nsame\n", "same\nsame\n"),
    ],
)
def test_as_difflib_has_it(before: str, after: str) -> None:
    whole = unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), "a/f", "b/f", n=2)
    assert difference(SourceText("f", before), SourceText("f", after)) == "".join(whole)


def test_a_last_line_without_its_end_says_so() -> None:
    said = difference(SourceText("f", "a"), SourceText("f", "b"))
    assert said.splitlines()[2:] == [
        "@@ -1 +1 @@",
        "-a",
        "\\ No newline at end of file",
        "+b",
        "\\ No newline at end of file",
    ]


def test_nothing_changed() -> None:
    assert difference(SourceText("f", "a\n"), SourceText("f", "a\n")) == ""
