"""Past the number of conditions that are followed one by one, each text that a variable may have is known."""

import pytest

from flagguard.hosts import Setting
from flagguard.make.evaluate import Called, evaluate
from flagguard.text import HOLE_MARK, Traced

from .judge import Folder

OPEN = "".join(f"ifneq ($(wildcard /usr/lib/{i}),)\nX{i} = 1\nendif\n" for i in range(4))
"""More open conditions than one call is followed through."""


def recipe(text: str) -> list[Traced]:
    """The recipe of `all`, in the world that stands for all that is left."""
    called = Called(goals=("all",))
    reading = evaluate("Makefile", Setting(Folder({"Makefile": OPEN + text}), ("linux-x86_64",)), called)
    assert not [p for p in reading.problems if p.fatal], reading.problems
    return [s.text for s in reading.scripts if "any of many conditions" in s.when]


def told(text: Traced) -> str:
    """`{a|b}` for one of two texts."""
    out = []
    for piece in text.pieces:
        among = piece.hole.among if piece.hole is not None else ()
        out.append("{" + "|".join(map(told, among)) + "}" if among else piece.hole.text if piece.hole else piece.text)
    return "".join(out)


IF = "ifneq ($(wildcard /opt/y),)\n"
IF2 = "ifneq ($(wildcard /opt/w),)\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"F = -O2\n{IF}F += -g\nendif\nall: ; cc $(F)", ["cc -O2 {|-g}"]),
        (f"F := -O2\n{IF}F += -g\nendif\nall: ; cc $(F)", ["cc -O2 {|-g}"]),
        (f"F = -O2\n{IF}F += -g\nendif\nF += -c\nall: ; cc $(F)", ["cc -O2 {|-g} -c"]),
        (f"{IF}F = -a\nelse\nF = -b\nendif\nall: ; cc $(F)", ["cc {-a|-b}"]),
        (f"F = -O2\n{IF}F += $(G)\nendif\nG = -late\nall: ; cc $(F)", ["cc -O2 {|-late}"]),
        (f"F = -O2\n{IF}F := -O3\nendif\nall: ; cc $(F)", ["cc {-O2|-O3}"]),
        (f"F = -O2\n{IF}F += -g\nendif\nH := $(F) -h\nall: ; cc $(H)", ["cc -O2 {|-g} -h"]),
        (
            f"{IF}F = -a\nelse ifneq ($(wildcard /opt/z),)\nF = -b\nelse\nF = -c\nendif\nall: ; cc $(F)",
            ["cc {-a|-b|-c}"],
        ),
        (f"{IF}F = -a\nelse ifeq (a,b)\nF = -b\nelse\nF = -c\nendif\nall: ; cc $(F)", ["cc {-a|-c}"]),
        ("all: ; cc $(if $(wildcard /opt/y),-a,-b)", ["cc {-a|-b}"]),
        (f"{IF}F = -a\nendif\nall: ; cc $(F)", ["cc {-a|}"]),
        (f"{IF}F = -a\nendif\nF ?= -b\nall: ; cc $(F)", ["cc {-a|-b}"]),
        (f"{IF}{IF2}F = -a\nendif\nelse\nF = -b\nendif\nall: ; cc $(F)", ["cc {{-a|}|-b}"]),
        (f"{IF}{IF2}F = -a\nendif\nF += -c\nendif\nall: ; cc $(F)", ["cc {{-a|} -c|}"]),
        (f"{IF}{IF2}F = -a\nendif\nendif\nF ?= -b\nall: ; cc $(F)", ["cc {{-a|-b}|-b}"]),
        (f"{IF}{IF2}F =\nendif\nendif\nF ?= -b\nall: ; cc $(F)", ["cc {{|-b}|-b}"]),
        (f"{IF}{IF2}F = $(G)\nendif\nelse\nF = -b\nendif\nG = -late\nall: ; cc $(F)", ["cc {{-late|}|-b}"]),
        (f"{IF}{IF2}F = -a\nendif\nF ?= $(G)\nendif\nG = -late\nall: ; cc $(F)", ["cc {{-a|-late}|}"]),
        ("all: ; cc $(or $(wildcard /opt/y),-b)", ["cc $(or $(wildcard /opt/y),-b)"]),
        ("all: ; cc $(and $(wildcard /opt/y),-b)", ["cc $(and $(wildcard /opt/y),-b)"]),
    ],
)
def test_what_a_variable_may_be(text: str, expected: list[str]) -> None:
    found = recipe(text)
    assert [told(one) for one in found] == expected
    assert all(HOLE_MARK in one.text for one in found)


def test_a_variable_that_may_be_undefined_keeps_its_condition_open() -> None:
    text = f"{IF}F = -a\nendif\nifdef F\nG = -g\nelse\nG = -h\nendif\nall: ; cc $(G)"
    assert [told(one) for one in recipe(text)] == ["cc {-g|-h}"]
