"""Names of files that are not known in full: what they may be, and what of a makefile runs then."""

from pathlib import Path

import pytest

from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import commands_of
from flagguard.make.lines import WORD, words
from flagguard.make.perhaps import meant
from flagguard.text import Decider, Hole, Piece, Traced, hole, join, literal


def unknown(*among: Traced) -> Traced:
    return hole(Hole("$(X)", "it is open", Decider.REPOSITORY, among=among))


A, B = literal("a"), literal("b")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (unknown(), ["a.c", "a.o", "b.o", "$(X)"]),
        (join((unknown(), literal(".o"))), ["a.o", "b.o", "$(X)"]),
        (join((unknown(A), literal(".o"))), ["a.o", "$(X)"]),
        (join((unknown(A, B), literal(".o"))), ["a.o", "b.o", "$(X)"]),
        (join((unknown(A, unknown(B)), literal(".o"))), ["a.o", "b.o", "$(X)"]),
        (unknown(literal("a.c b.o")), ["a.c", "b.o", "$(X)"]),
        (unknown(literal("")), []),
        (join((unknown(literal("$(Y)")), literal(".c"))), ["a.c", "$(X)"]),
        (join((unknown(*[literal(str(i)) for i in range(40)]), literal(".c"))), ["a.c", "$(X)"]),
    ],
)
def test_the_files_that_a_name_may_be(name: Traced, expected: list[str]) -> None:
    files = [literal(text) for text in ("a.c", "a.o", "b.o")]
    assert [one.shown for one in meant(name, [*files, unknown()])] == expected


def test_a_target_that_is_none_of_the_texts_is_not_meant() -> None:
    assert [one.shown for one in meant(unknown(A), [unknown(A, B), unknown(B)])] == ["a", "$(X)"]


OPEN = "".join(f"ifdef O{i}\nX{i} = 1\nendif\n" for i in range(4))
MAKEFILE = f"""{OPEN}ifdef KIND
NAME = one
else
NAME = two
endif
all: $(NAME).o
one.o: ; cc one
two.o: ; cc two
three.o: ; cc three
install: ; cc install
"""


def test_only_what_an_open_name_may_be_runs(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text(MAKEFILE)
    (tmp_path / "build.sh").write_text("#!/bin/sh\nmake\n")
    found = commands_of("build.sh", Tree(tmp_path), Config(baseline={"linux-x86_64": ""}), strict=True)
    assert found is not None
    assert {" ".join(c.shown) for c in found.commands if c.argv[0].text == "cc"} == {"cc one", "cc two"}


PIECES = (" ", "a", "", " b c", "\t", "d ", "e\nf")


@pytest.mark.parametrize("seed", range(60))
def test_words_are_those_of_the_text(seed: int) -> None:
    """However the text is cut into pieces, among them holes and variables that nobody sets."""
    every = [Piece(text, unset="U" if not text else None) for text in PIECES]
    every.append(unknown().pieces[0])
    some = [every[(seed * 7 + i * i * (seed % 5 + 1)) % len(every)] for i in range(2 + seed % 9)]
    text = Traced(tuple(some))
    assert words(text) == [text.cut(*match.span()) for match in WORD.finditer(text.text)]
