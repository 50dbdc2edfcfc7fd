"""just's strings: written so that just, and its reader, find the text again."""

import pytest

from flagguard.hosts import just, writing
from flagguard.hosts.just_lexer import JustError
from flagguard.hosts.just_parser import parse
from flagguard.hosts.just_strings import unindented
from flagguard.text import SourceText, Span, literal

from .support import reading, shown

TEXTS = [
    "plain",
    "with blank",
    'a "quoted" word',
    "it's",
    "back\\slash",
    "tab\tin",
    "two\nlines",
    "{{",
    "{{{{",
    "'''",
    '"""',
    "ends with '",
    'ends with "',
    "`x`",
    "$HOME",
    "ü",
    "\\n",
    "",
]
PLACES = [
    "f := 'MARK'\na:\n  x {{f}}\n",
    'f := "MARK"\na:\n  x {{f}}\n',
    "f := '''MARK'''\na:\n  x {{f}}\n",
    'f := """MARK"""\na:\n  x {{f}}\n',
    "f := '''\n  MARK\n'''\na:\n  x {{f}}\n",
    'f := """\n  MARK\n"""\na:\n  x {{f}}\n',
    "f := f'MARK'\na:\n  x {{f}}\n",
    "f := f\"1{{ '2' }}MARK\"\na:\n  x {{f}}\n",
    "a:\n  x MARK\n",
    "a:\n  x {{ 'MARK' }} y\n",
    "a:\n  #!/bin/sh\n  x MARK\n",
    "a p='MARK':\n  x {{p}}\n",
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("text", TEXTS)
def test_what_is_written_is_read_again_or_cannot_be_said(place: str, text: str) -> None:
    source = SourceText("justfile", place)
    start = place.index("MARK")
    written = writing.encode(source, Span("justfile", start, start + 4), text)
    if written is None:
        return
    (before,) = reading(just, place, "justfile").scripts
    (after,) = reading(just, place[:start] + written + place[start + 4 :], "justfile").scripts
    assert shown(after) == str(shown(before)).replace("MARK", text)


def test_most_texts_can_be_said_in_most_places() -> None:
    said = sum(
        writing.encode(SourceText("justfile", p), Span("justfile", p.index("MARK"), p.index("MARK") + 4), t) is not None
        for p in PLACES
        for t in TEXTS
    )
    assert said >= len(PLACES) * len(TEXTS) * 4 // 5


def test_structure_is_no_place_for_text() -> None:
    assert writing.encode(SourceText("justfile", "a := 'b'\n"), Span("justfile", 0, 1), "c") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # the tests of just's own unindent.rs say the same of such texts
        ("foo", "foo"),
        ("  foo\n  bar", "foo\nbar"),
        ("  foo\n  bar\n\n", "foo\nbar\n"),
        ("\n  one\n    two\n  ", "one\n  two\n"),
        ("one\n  two", "one\n  two"),
        ("  a\r\n\r\n  b\r\n", "a\r\n\r\nb\r\n"),
        ("\t\ta\n\t b", "\ta\n b"),
        ("\n\n  a\n", "\na\n"),
        ("", ""),
        ("   ", ""),
    ],
)
def test_the_common_indentation_is_taken_off(text: str, expected: str) -> None:
    found = unindented(literal(text, Span("justfile", 0, len(text))))
    assert found.text == expected
    assert all(text[p.route[-1].start : p.route[-1].end] == p.text for p in found.pieces)


@pytest.mark.parametrize("text", ['"\\x"', '"\\u{110000}"', '"\\u{}"', '"\\u{1234567}"', '"\\ua"', '"a', "'a", "f'{{'"])
def test_what_is_no_string_is_refused(text: str) -> None:
    with pytest.raises(JustError):
        parse(SourceText("justfile", f"x := {text}\n"))
