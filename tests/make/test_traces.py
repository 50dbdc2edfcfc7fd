"""Every character of a script knows the way: the uses from outside inwards, then the text as it is written."""

import pytest

from flagguard.hosts import Setting
from flagguard.make.evaluate import evaluate
from flagguard.text import Traced

from .judge import HERE, Folder


def traced(text: str, **files: str) -> tuple[Traced, dict[str, str]]:
    texts = {"Makefile": text, **{n.replace("__", "."): t for n, t in files.items()}}
    reading = evaluate("Makefile", Setting(Folder(texts), (HERE,)))
    assert not reading.problems
    return reading.scripts[0].text, texts


def way(text: Traced, wanted: str, texts: dict[str, str]) -> list[str]:
    """What the files say at each step of the way to ``wanted``."""
    at = text.text.index(wanted)
    return [f"{s.path}: {texts[s.path][s.start : s.end]}" for s in text.cut(at, at + len(wanted)).route]


@pytest.mark.parametrize(
    ("makefile", "wanted", "expected"),
    [
        ("all:\n\tcc -c x.c\n", "-c", ["Makefile: -c"]),
        ("F = -O2\nall:\n\tcc $(F) x.c\n", "-O2", ["Makefile: $(F)", "Makefile: -O2"]),
        ("A = -O2\nF = $(A)\nall: ; cc ${F}\n", "-O2", ["Makefile: ${F}", "Makefile: $(A)", "Makefile: -O2"]),
        ("A = -O2\nF := $(A)\nall: ; cc $F\n", "-O2", ["Makefile: $F", "Makefile: $(A)", "Makefile: -O2"]),
        ("F = -a\nF += -b\nall: ; cc $(F)\n", "-b", ["Makefile: $(F)", "Makefile: -b"]),
        ("F = -a \\\n  -b\nall: ; cc $(F)\n", "-b", ["Makefile: $(F)", "Makefile: -b"]),
        ("all: a.c\n\tcc $<\n", "a.c", ["Makefile: $<", "Makefile: a.c"]),
        ("F = a.c b.c\nall: ; cc $(F:.c=.o)\n", "b", ["Makefile: $(F:.c=.o)", "Makefile: b"]),
        ("F = -O2 -march=native\nall: ; cc $(filter-out -O%,$(F))\n", "-march=native",
         ["Makefile: $(filter-out -O%,$(F))", "Makefile: $(F)", "Makefile: -march=native"]),
        ("f = -march=$(1)\nall: ; cc $(call f,native)\n", "native",
         ["Makefile: $(call f,native)", "Makefile: $(1)", "Makefile: native"]),
        ("$(eval F := -march=native)\nall: ; cc $(F)\n", "native", ["Makefile: $(F)", "Makefile: native"]),
        ("all: F = -O2\nall: ; cc $(F)\n", "-O2", ["Makefile: $(F)", "Makefile: -O2"]),
        ("include a.mk\nall: ; cc $(F)\n", "-O3", ["Makefile: $(F)", "a.mk: -O3"]),
        ("all: ; $(CC) x.c\n", "cc", ["Makefile: $(CC)"]),
        ("define r\ncc -c $(1)\nendef\nall:\n\t$(call r,x.c)\n", "cc", ["Makefile: $(call r,x.c)", "Makefile: cc"]),
        ("app: a.o\n", "cc", ["Makefile: a.o"]),
        ("CFLAGS = -O2\napp: a.o\n", "-O2", ["Makefile: a.o", "Makefile: -O2"]),
    ],
)  # fmt: skip
def test_the_way_to_a_word(makefile: str, wanted: str, expected: list[str]) -> None:
    reading = evaluate("Makefile", Setting(Folder({"Makefile": makefile, "a.mk": "F = -O3\n", "a.c": ""}), (HERE,)))
    texts = {"Makefile": makefile, "a.mk": "F = -O3\n"}
    assert not reading.problems
    assert expected in [way(s.text, wanted, texts) for s in reading.scripts if wanted in s.text.text]


def test_lines_with_carriage_returns_keep_their_places() -> None:
    text, texts = traced("F = -O2 \\\r\n  -g\r\nall:\r\n\tcc $(F) \\\r\n\t  x.c\r\n")
    assert text.text == "cc -O2 -g \\\n  x.c"
    assert way(text, "-g", texts) == ["Makefile: $(F)", "Makefile: -g"]
    assert way(text, "x.c", texts) == ["Makefile: x.c"]


def test_configure_substitutions_are_holes() -> None:
    folder = Folder({"Makefile.in": "CFLAGS = -g @CFLAGS@\nall:\n\t@CC@ $(CFLAGS) x.c\n"})
    (script,) = evaluate("Makefile.in", Setting(folder, (HERE,))).scripts
    assert script.text.shown == "@CC@ -g @CFLAGS@ x.c"
    assert [h.text for h in script.text.holes] == ["@CC@", "@CFLAGS@"]
