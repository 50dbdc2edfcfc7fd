"""poe's command lines: a table, and poe's own parser as the judge where it is installed."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flagguard.hosts.poe_cmd import CommandError, fill, split
from flagguard.text import Decider, Hole, SourceText, Traced, hole, literal

GLOB = "<files>"

ENV = {"CPU": "x86-64-v2", "TWO": "a b", "PAD": " a ", "BLANK": "  ", "EMPTY": "", "STAR": "x*"}


def lookup(env: Mapping[str, str]) -> "dict[str, Traced | None]":
    return {k: literal(v) for k, v in env.items()}


def argv(text: str, env: Mapping[str, str] = ENV) -> list[str]:
    words = split(SourceText("x", text).traced(), lookup(env).get).words
    return [GLOB if w.whole_hole else w.text for w in words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mojo build  -I src\n  -o out", ["mojo", "build", "-I", "src", "-o", "out"]),
        ("mojo build # --target-cpu x\n -o out", ["mojo", "build", "-o", "out"]),
        ("mojo build#--target-cpu", ["mojo", "build"]),
        ("mojo '--a b' \"c # d\" e\\ f \\#g", ["mojo", "--a b", "c # d", "e f", "#g"]),
        ("mojo --target-cpu $CPU", ["mojo", "--target-cpu", "x86-64-v2"]),
        ("mojo --target-cpu ${CPU} -D$CPU", ["mojo", "--target-cpu", "x86-64-v2", "-Dx86-64-v2"]),
        ("mojo '$CPU' \\$CPU $ $1", ["mojo", "$CPU", "$CPU", "$", "$1"]),
        ('mojo "$NO" $NO x', ["mojo", "x"]),
        ("mojo \"\" '' x", ["mojo", "", "", "x"]),
        ('mojo $TWO "$TWO" x$PAD"y"', ["mojo", "a", "b", "a b", "x", "a", "y"]),
        ("mojo ${NO:-a b} \"${NO:-a  b}\" ${NO:-'a b'}", ["mojo", "a", "b", "a b", "a b"]),
        ("mojo ${CPU:+--cpu $CPU} ${NO:+--no}", ["mojo", "--cpu", "x86-64-v2"]),
        ("mojo ${NO:-${CPU:-z}}", ["mojo", "x86-64-v2"]),
        ("mojo src/*.mojo 'src/*' \\*", ["mojo", GLOB, "src/*", "*"]),
        ("mojo [ab].c [a b] []x [a", ["mojo", GLOB, "[a", "b]", "[]x", "[a"]),
        ("mojo $STAR", ["mojo", GLOB]),
        ("mojo build ;", ["mojo", "build"]),
        ("mojo a\\\nb", ["mojo", "a\nb"]),
    ],
)
def test_a_command_line_is_split_as_poe_does(text: str, expected: list[str]) -> None:
    assert argv(text) == expected


@pytest.mark.parametrize(
    "text", ["mojo 'a", 'mojo "a', "mojo a; mojo b", "mojo ${}", "mojo ${A%x}", "mojo ${A", "mojo a\\"]
)
def test_what_poe_refuses_is_refused(text: str) -> None:
    with pytest.raises(CommandError):
        argv(text)


def test_a_word_points_at_its_source_and_at_the_value_that_it_uses() -> None:
    source = SourceText("x", "mojo --cpu=$CPU 'a b'")
    value = SourceText("y", "v2")
    words = split(source.traced(), {"CPU": value.traced()}.get).words
    assert [(w.written.start, w.written.end) for w in words if w.written] == [(0, 4), (5, 15), (16, 21)]
    flag = words[1]
    assert [(p.text, [s.path for s in p.route]) for p in flag.pieces] == [("--cpu=", ["x"]), ("v2", ["x", "y"])]
    assert all(p.verbatim for p in flag.pieces)


def test_defaults_can_be_overridden_and_holes_stay_holes() -> None:
    unknown = hole(Hole("$V", "the caller may set it", Decider.OUTSIDE, name="V"))
    env = {"V": unknown}
    words = split(SourceText("x", "m ${V:-a} ${N:-b} ${V:+c} $V").traced(), env.get).words
    assert [w.shown for w in words] == ["m", "a", "b", "${V:+c}", "$V"]
    assert [w.pieces[0].overridable for w in words[1:3]] == [True, True]
    assert [w.whole_hole is not None for w in words] == [False, False, False, True, True]


def test_a_variable_that_nobody_sets_is_remembered() -> None:
    found = split(SourceText("x", 'm --cpu "$NO" b').traced(), {}.get)
    assert [(u.index, u.hole.text, u.hole.name) for u in found.unset] == [(2, "$NO", "NO")]


@pytest.mark.parametrize(
    ("text", "braces", "expected"),
    [
        ("a ${CPU} $CPU", False, "a x86-64-v2 x86-64-v2"),
        ("a ${CPU} $CPU", True, "a x86-64-v2 $CPU"),
        ("\\${CPU} \\\\ \\n ${NO:-d 'e'}", True, "${CPU} \\ \\n d e"),
        ("${NO}x", True, "x"),
    ],
)
def test_a_template_is_filled_in(text: str, braces: bool, expected: str) -> None:
    assert fill(SourceText("x", text).traced(), lookup(ENV).get, braces).text == expected


_PARTS = [
    *"ab \n'\"\\$#;*?[]!{}-:é", "$CPU", "${CPU}", "${NO:-", "${CPU:+", "${NO:-a b}", "$NO", "$TWO", "$PAD", "$BLANK",
    "$EMPTY", "$STAR", "${EMPTY:-x}", '"$NO"', '"a"', "'b'", '"${TWO:+', "[ab]", "[$CPU]", '["a"]', "\\\n", "\\$",
]  # fmt: skip


@given(st.lists(st.sampled_from(_PARTS), max_size=10).map(lambda p: "m " + "".join(p)))
@settings(max_examples=600, deadline=None)
def test_any_command_line_is_split_as_poe_does(text: str) -> None:
    parse = pytest.importorskip("poethepoet.helpers.parse", reason="poethepoet is not installed")
    core = pytest.importorskip("poethepoet.helpers.parse.core")
    try:
        lines = parse.parse_poe_cmd(text).command_lines
        refused = any(line.terminator == ";" for line in lines[:-1])
    except (core.ParseError, TypeError, AttributeError):
        refused, lines = True, ()
    if refused:
        with pytest.raises(CommandError):
            argv(text)
        return
    expected = [token if glob is None else GLOB for line in lines for token, glob in line.resolve_tokens(ENV)]
    assert argv(text) == expected
