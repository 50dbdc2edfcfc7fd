"""Words of Dockerfiles: quotes, escapes and variables as the builder (buildkit's shell lexer) reads them."""

import pytest

from flagguard.hosts.dockerfile_words import WordError, expand, split
from flagguard.text import Hole, Traced, hole, literal

ENV = {"V": "value", "E": "", "P": "/usr/lib/lib.so.1", "S": "a  b", "X": "foobarfoo"}


def lookup(name: str) -> Traced | None:
    if name == "H":
        return hole(Hole("$H", "nobody knows"))
    return literal(ENV[name]) if name in ENV else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("$V", "value"),
        ("${V}x", "valuex"),
        ("$Vx", ""),
        ("$U", ""),
        ("a$U-b", "a-b"),
        ("\\$V", "$V"),
        ("'$V'", "$V"),
        ('"$V"', "value"),
        ('"\\$V \\" \\n"', '$V " \\n'),
        ("'it'\\''s'", "it's"),
        ("a\\ b", "a b"),
        ("${U:-w}", "w"),
        ("${U-w}", "w"),
        ("${E:-w}", "w"),
        ("${E-w}", ""),
        ("${V:-w}", "value"),
        ("${V:+w}", "w"),
        ("${V+w}", "w"),
        ("${E:+w}", ""),
        ("${E+w}", "w"),
        ("${U:+w}", ""),
        ("${U:-${V}}", "value"),
        ("${U:-$U${V:+x}}", "x"),
        ("${V?no}", "value"),
        ("${P#*/}", "usr/lib/lib.so.1"),
        ("${P##*/}", "lib.so.1"),
        ("${P%/*}", "/usr/lib"),
        ("${P%%.*}", "/usr/lib/lib"),
        ("${X/foo/z}", "zbarfoo"),
        ("${X//foo/z}", "zbarz"),
        ("${X//o/}", "fbarf"),
        ("${X/ba?/-}", "foo-foo"),
        ("${P/\\/usr/}", "/lib/lib.so.1"),
        ("${X/nothing/z}", "foobarfoo"),
        ("$", "$"),
        ("a$.b", "a$.b"),
        ("$1a", "a"),
        ("${H:-w}", "$H"),
        ("<<EOF", "<<EOF"),
    ],
)
def test_replacement(text: str, expected: str) -> None:
    assert expand(literal(text), lookup).shown == expected


@pytest.mark.parametrize("text", ["${}", "${", "${V", "'a", '"a', "${V:x}", "${U?}", "${E:?gone}", "${V/a}", "${V^^}"])
def test_what_the_builder_refuses(text: str) -> None:
    with pytest.raises(WordError):
        expand(literal(text), lookup)


def test_the_escape_of_the_file_counts() -> None:
    assert expand(literal("`$V \\$V"), lookup, "`").text == "$V \\value"


def test_without_quotes_only_variables_and_escapes_are_read() -> None:
    assert expand(literal("'$V' \\$V"), lookup, quotes=False).text == "'value' $V"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b", ["a", "b"]),
        ("$S", ["a", "b"]),
        ('"$S" c', ["a  b", "c"]),
        ("a\\ b", ["a b"]),
        ('"" x', ["x"]),
        ("x$U y", ["x", "y"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert [w.text for w in split(literal(text), lookup)] == expected


def test_a_default_remembers_that_it_can_be_overridden_and_what_is_unset_leaves_a_mark() -> None:
    assert expand(literal("${U:-w}"), lookup).pieces[0].overridable
    assert [p.unset for p in expand(literal("a$U"), lookup).pieces] == [None, "U"]


def test_a_value_that_is_not_known_stays_open_when_it_is_cut() -> None:
    assert [h.text for h in expand(literal("${H%.*}"), lookup).holes] == ["${H%.*}"]
