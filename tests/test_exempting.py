"""Exempting comments: what is one, and which commands it covers."""

from dataclasses import replace

import pytest
from rule_cases import command

from flagguard.exempting import comments
from flagguard.text import SourceText, Span


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("# flagguard: exempt r - why", ("r", "why")),
        ("  #flagguard:exempt pack/rule -- why not", ("pack/rule", "why not")),
        ("# flagguard: exempt r: why", ("r", "why")),
        ("# flagguard: exempt r — why", ("r", "why")),
        ("# flagguard: exempt r", ("r", None)),
        ("# flagguard: exempt r -", ("r", None)),
        ("# flagguard: exempt r why", ("r", None)),
        ("# flagguard: exempt", (None, None)),
        ("gcc a.c # flagguard: exempt r - why", ("r", "why")),
        ('echo "it\'s" # flagguard: exempt r - why', ("r", "why")),
        ("echo it\\'s # flagguard: exempt r - why", ("r", "why")),
        ('x = """ # flagguard: exempt r - why', ("r", "why")),
        ("gcc a.c; # flagguard: exempt r - why", ("r", "why")),
    ],
)
def test_comments(line: str, expected: tuple[str | None, str | None]) -> None:
    (found,) = comments(SourceText("f", f"first\n{line}\nlast\n"))
    assert (found.rule, found.reason) == expected


@pytest.mark.parametrize(
    "line",
    [
        "echo '# flagguard: exempt r - why'",
        "echo 'a # flagguard: exempt r - why'",
        'echo "a # flagguard: exempt r - why"',
        "gcc a.c#flagguard: exempt r - why",
        "# see flagguard: exempt r - why",
        "# about # flagguard: exempt r - why",
        "# flagguard: exempted r - why",
        "# flagguard ignores what it cannot read - mostly",
        "# flagguard: see the manual",
        "# flagguard disable",
        "# flagguard exempt from tax",
    ],
)
def test_what_is_no_comment(line: str) -> None:
    assert comments(SourceText("f", f"{line}\n")) == ()


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("# flagguard: exempt r - why", None),
        ("# flagguard: ignore r - why", "# flagguard: ignore"),
        ("# flagguard: disable", "# flagguard: disable"),
        ("# flagguard exempt r - why", "# flagguard exempt"),
        ("#flagguard ignore r: why", "# flagguard ignore"),
    ],
)
def test_words_that_do_not_exempt(line: str, written: str | None) -> None:
    (found,) = comments(SourceText("f", f"{line}\n"))
    assert found.written == written


TEXT = """\
# flagguard: exempt r - above
one
two # flagguard: exempt r - beside
three \\
  more # flagguard: exempt r - at the end
four
"""


@pytest.mark.parametrize(
    ("reason", "covered"),
    [("above", ["one"]), ("beside", ["two"]), ("at the end", ["three"])],
)
def test_what_a_comment_covers(reason: str, covered: list[str]) -> None:
    (comment,) = (c for c in comments(SourceText("build.sh", TEXT)) if c.reason == reason)
    commands = []
    for name in ("one", "two", "three", "four"):
        at = TEXT.index(name)
        whole = "three \\\n  more" if name == "three" else name
        commands.append(replace(command(name, at=at), extent=Span("build.sh", at, at + len(whole))))
    assert [c.argv[0].text for c in commands if comment.covers(c)] == covered
    assert not any(
        comment.covers(replace(c, span=Span("other.sh", 0, 3), extent=Span("other.sh", 0, 3))) for c in commands
    )


def test_a_comment_above_a_wrapped_command_covers_it() -> None:
    text = "# flagguard: exempt r - why\nuv run \\\n  mojo build\n"
    (comment,) = comments(SourceText("build.sh", text))
    at = text.index("mojo")
    wrapped = replace(command("mojo build", at=at), extent=Span("build.sh", text.index("uv"), len(text)))
    assert comment.covers(wrapped)
    assert not comment.covers(replace(wrapped, extent=wrapped.span))


def test_line_ends_and_columns() -> None:
    (found,) = comments(SourceText("f", "a\r\n# flagguard: exempt r - why \r\nb\r\n"))
    assert (found.reason, found.span) == ("why", Span("f", 3, 30))
