"""Targets whose names are computed: a rule that a call reaches under another name is not judged by itself as well."""

from pathlib import Path

import pytest

from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import collect
from flagguard.renaming import renamed, unit, written

LINUX = Config(baseline={"linux-x86_64": "x86-64"})


def run(folder: Path, call: str, makefile: str) -> list[str]:
    """The compiler commands that stand in the makefile, however they are reached."""
    (folder / "build.sh").write_text(f"#!/bin/sh\n{call}\n")
    (folder / "Makefile").write_text(makefile)
    for name in ("a.c", "b.c", "main.c", "debug.mk"):
        (folder / name).write_text("OUT = dbg\n" if name == "debug.mk" else "")
    found = collect(Tree(folder), LINUX, strict=True)
    return sorted(" ".join(c.shown) for file in found for c in file.commands if c.argv[0].text == "cc")


OUT = "OUT ?= build\nall: $(OUT)/app\n$(OUT)/app: main.c ; cc -o $@\n"
FIRST = "OUT ?= build\n$(OUT)/app: main.c ; cc -o $@\n"
OBJECTS = """\
OUT ?= build
OBJS = $(OUT)/a.o $(OUT)/b.o
all: $(OUT)/app
$(OUT)/app: $(OBJS) ; cc -o $@
$(OUT)/%.o: %.c ; cc -c $@
"""
CHAIN = "O ?= build\nall: $(O)/fw.bin\n%.bin: %.elf ; cc bin $@\n%.elf: ; cc elf $@\n"
MODES = "MODES ?= release debug\nall: $(MODES:%=%/app)\n$(MODES:%=%/app): ; cc $@\n"
TEMPLATE = """\
D ?= build
define rule
$(D)/$(1): $(D)/$(1).o
\tcc $$@
$(D)/$(1).o: ; cc -c $$@
endef
all: $(D)/x $(D)/y
$(foreach p,x y,$(eval $(call rule,$(p))))
"""
SPECIFIC = "B ?= build\nall: $(B)/app\n$(B)/app: X = -g\n$(B)/app: $(B)/lib.o\n$(B)/lib.o: ; cc $(X) $@\n"
LITERAL = "app: X = -g\nsmall: X = -s\napp small: lib.o\nlib.o: ; cc $(X) $@\n"
SECOND = """\
.SECONDEXPANSION:
O ?= build
app_OBJS = $(O)/a.o
app: $$($$@_OBJS) ; cc $@
$(O)/a.o: a.c ; cc -c $@
"""
INDIRECT = "ifdef DEBUG\ninclude debug.mk\nelse\nOUT := $(if $(X),x,std)\nendif\nall: $(OUT)/app\n$(OUT)/app: ; cc $@\n"
INNER = "O ?= build\nall: ; $(MAKE) O=sub $(if $(O),inner)\ninner: $(O)/x\n$(O)/x: ; cc $@\n"
STATIC = "P ?= p\nOBJS = $(addprefix $(P)-,a.o b.o)\nall: $(OBJS)\n$(OBJS): $(P)-%.o: %.c ; cc $@\n"


@pytest.mark.parametrize(
    ("call", "makefile", "expected"),
    [
        ("make", OUT, ["cc -o build/app"]),
        ("make OUT=dist", OUT, ["cc -o dist/app"]),
        ("make OUT=dist dist/app", OUT, ["cc -o build/app", "cc -o dist/app"]),  # nobody calls the default goal
        ("make OUT=dist\nmake OUT=", OUT, ["cc -o /app", "cc -o dist/app"]),
        ("OUT=dist make", FIRST, ["cc -o dist/app"]),
        ("make OUT=dist", OUT.replace("OUT ?= build\n", ""), ["cc -o dist/app"]),
        ("make OUT=dist clean", OUT + "clean: ; rm\n", ["cc -o build/app"]),
        ("make OUT=d all", OBJECTS, ["cc -c d/a.o", "cc -c d/b.o", "cc -o d/app"]),
        ("make OUT=d d/a.o", OBJECTS, ["cc -c build/a.o", "cc -c build/b.o", "cc -c d/a.o", "cc -o build/app"]),
        ("make O=d", CHAIN, ["cc bin d/fw.bin", "cc elf d/fw.elf"]),
        ("make MODES=debug", MODES, ["cc debug/app", "cc release/app"]),
        ("make MODES=profile", MODES, ["cc debug/app", "cc profile/app", "cc release/app"]),
        ("make MODES='one two'", MODES, ["cc one/app", "cc two/app"]),
        ("make D=d", TEMPLATE, ["cc -c d/x.o", "cc -c d/y.o", "cc d/x", "cc d/y"]),
        ("make D=d all d/x", TEMPLATE, ["cc -c d/x.o", "cc -c d/y.o", "cc d/x", "cc d/y"]),
        ("make B=d", SPECIFIC, ["cc -g d/lib.o"]),
        ("make", LITERAL, ["cc -g lib.o", "cc -s lib.o"]),  # nobody calls the goal `small`
        ("make small X=-1", LITERAL, ["cc -1 lib.o", "cc -g lib.o"]),
        ("make all", "all: X = -1\nall: app\n" + LITERAL, ["cc -g lib.o", "cc -s lib.o"]),
        ("make O=d", SECOND, ["cc -c d/a.o", "cc app"]),
        ("make DEBUG=1", INDIRECT, ["cc dbg/app"]),
        ("make X=1", INDIRECT, ["cc dbg/app", "cc x/app"]),  # DEBUG may be set outside
        ("make", INNER, ["cc sub/x"]),
        ("make P=q", STATIC, ["cc q-a.o", "cc q-b.o"]),
    ],
)
def test_a_computed_target_is_listed_where_somebody_runs_it(
    call: str, makefile: str, expected: list[str], tmp_path: Path
) -> None:
    assert run(tmp_path, call, makefile) == expected


@pytest.mark.parametrize(
    ("alone", "called", "expected"),
    [
        ({"M:1": ["b/x", "b/y"]}, {"M:1": ["d/x", "d/y"]}, {"d/x": "b/x", "d/y": "b/y"}),
        ({"M:1": ["b/x"]}, {"M:2": ["d/x"]}, {}),  # another rule
        ({"M:1": ["x", "y"]}, {"M:1": ["y", "x"]}, {}),  # the same ones
        ({"M:1": ["x", "y"]}, {"M:1": ["y"]}, {}),
        ({"M:1": ["p-x", "p-y"]}, {"M:1": ["q-x", "q-y"]}, {"q-x": "p-x", "q-y": "p-y"}),
        ({"M:1": ["p-x", "p-y"]}, {"M:1": ["q-y"]}, {}),  # nobody can tell which
        ({"M:1": ["b/x", "b/y"]}, {"M:1": ["d/y", "d/z", "d/w"]}, {"d/y": "b/y"}),
        ({"M:1": ["b/x"], "M:2": ["d/x"]}, {"M:1": ["d/x"], "M:2": ["d/x"]}, {}),
    ],
)
def test_which_name_is_which(
    alone: dict[str, list[str]], called: dict[str, list[str]], expected: dict[str, str]
) -> None:
    assert renamed(written(alone, {}), written(called, {})) == expected


def test_the_goal_whose_values_a_part_takes_over_is_a_name_too() -> None:
    assert unit("d/x.o goal d/x", {"d/x.o": "b/x.o", "d/x": "b/x"}) == "b/x.o goal b/x"
