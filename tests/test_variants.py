"""A command with words of which a few texts are possible: each of them is judged."""

import pytest

from flagguard.command import Command, Place, Word
from flagguard.text import Decider, Hole, Piece, Span, Traced, literal
from flagguard.variants import MOST, could_hold, variants

SPOT = Span("Makefile", 10, 14)


def one_of(*texts: str | Traced, several: bool = True, name: str = "$(F)") -> Piece:
    among = tuple(text if isinstance(text, Traced) else literal(text, Span("Makefile", 0, len(text))) for text in texts)
    hole = Hole(name, "many conditions", Decider.REPOSITORY, among=among, several=several)
    return Piece(name, (SPOT,), hole=hole)


def command(*words: str | Piece | tuple[Piece, ...], **env: Piece) -> Command:
    argv = tuple(
        Word(literal(w, SPOT).pieces if isinstance(w, str) else w if isinstance(w, tuple) else (w,), SPOT)
        for w in words
    )
    values = {name: Traced((piece,)) for name, piece in env.items()}
    return Command(argv, Place("makefile"), SPOT, SPOT, env=values)


def shown(found: Command) -> list[str]:
    return [word.shown for word in found.argv]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["cc", "-c"], [["cc", "-c"]]),
        (["cc", one_of("", "-O2")], [["cc"], ["cc", "-O2"]]),
        (["cc", one_of("-a  -b", "-c\t-d ")], [["cc", "-a", "-b"], ["cc", "-c", "-d"]]),
        (["cc", one_of("-a -b", several=False)], [["cc", "-a -b"]]),
        (["cc", (Piece("-O"), one_of("2 -g", "3"), Piece("x"))], [["cc", "-O2", "-gx"], ["cc", "-O3x"]]),
        (["cc", one_of("", several=False)], [["cc", ""]]),
        ([one_of("gcc", "clang"), "x.c"], [["gcc", "x.c"], ["clang", "x.c"]]),
        ([one_of("", "ccache")], [["$(F)"], ["ccache"]]),
        (["cc", one_of("-D'x'", "-O2")], [["cc", "$(F)"]]),
        (["cc", one_of("$X", "-O2")], [["cc", "$(F)"]]),
        ([one_of(Traced((one_of("gcc", "icx"),)), "cc")], [["gcc"], ["icx"], ["cc"]]),
        (
            ["cc", one_of(Traced((one_of("", "-a"), Piece(" -b"))), "-c")],
            [["cc", "-b"], ["cc", "-a", "-b"], ["cc", "-c"]],
        ),
        (["cc", one_of(Traced((one_of("$X", "-a"),)), "-c")], [["cc", "$(F)"]]),
    ],
)
def test_each_command_that_it_may_be(words: list[str | Piece], expected: list[list[str]]) -> None:
    assert [shown(one) for one in variants(command(*words))] == expected


def test_the_same_choice_comes_out_the_same_everywhere() -> None:
    choice = one_of("-a", "-b")
    assert [shown(one) for one in variants(command("cc", choice, choice))] == [["cc", "-a", "-a"], ["cc", "-b", "-b"]]
    found = variants(command("cc", choice, CFLAGS=choice))
    assert [(shown(one), one.env["CFLAGS"].text) for one in found] == [(["cc", "-a"], "-a"), (["cc", "-b"], "-b")]


def test_past_the_bound_the_program_comes_first() -> None:
    flags = [one_of("", f"-D{i}", name=f"$({i})") for i in range(8)]
    found = variants(command(one_of("gcc", "clang"), *flags))
    assert len(found) == MOST
    assert {one.argv[0].text for one in found} == {"gcc", "clang"}
    assert all(shown(one)[-5:] == [f"$({i})" for i in range(3, 8)] for one in found)


def test_holes_within_a_text_take_no_room_from_other_words() -> None:
    many = one_of(*(Traced((one_of(f"-D{i}", f"-E{i}"),)) for i in range(4)), name="$(A)")
    found = variants(command("cc", many, one_of("-a", "-b", name="$(B)"), one_of("-c", "-d", name="$(C)")))
    assert len(found) == MOST
    assert all(shown(one)[2] in ("-a", "-b") and shown(one)[3] in ("-c", "-d") for one in found)
    assert all(shown(one)[1] == "$(F)" for one in found)


def test_texts_that_say_the_same_are_one() -> None:
    same = tuple(literal("-a", Span("Makefile", at, at + 2)) for at in (0, 5))
    assert [shown(one) for one in variants(command("cc", one_of(*same, "-b")))] == [["cc", "-a"], ["cc", "-b"]]


def test_a_text_keeps_the_place_where_it_is_written() -> None:
    (found,) = variants(command("cc", one_of("-x -y")))
    assert [word.route for word in found.argv[1:]] == [
        (SPOT, Span("Makefile", 0, 2)),
        (SPOT, Span("Makefile", 3, 5)),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (Traced((one_of("-O2", "-DX"),)), False),
        (Traced((one_of("-O2", "-march=native"),)), True),
        (Traced((one_of("-O2 -march", "native"),)), True),
        (Traced((one_of("-Wp,-march=x"),)), True),
        (Traced((one_of("@flags"),)), True),
        (Traced((one_of("-m"),)), True),
        (Traced((one_of(Traced((one_of("-O2"),))),)), False),
        (Traced((one_of(Traced((one_of("-march=x"),))),)), True),
        (Traced((Piece("$X", hole=Hole("$X", "unknown")),)), True),
        (Traced((one_of(Traced((Piece("$X", hole=Hole("$X", "unknown")), Piece("/lib/a.so")))),)), False),
        (Traced((one_of(Traced((Piece("$X", hole=Hole("$X", "unknown")), Piece("x")))),)), True),
        (literal("-march=native"), False),
    ],
)
def test_what_a_hole_may_hold(text: Traced, expected: bool) -> None:
    assert could_hold(text, ["-march", "-mcpu"]) is expected


@pytest.mark.parametrize(
    ("word", "expected"), [("-fsigned-char", False), ("-c", True), ("-Wp,-c", True), ("X=-c", True), ("a-c", False)]
)
def test_an_option_begins_where_no_word_goes_on(word: str, expected: bool) -> None:
    assert could_hold(Traced((one_of(word, "-O2"),)), ["-c"]) is expected
