"""Calls of make from a script and of make from make: what reaches the inner one, as GNU make 4.3 was seen to do it."""

from pathlib import Path

import pytest

from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import commands_of

LINUX = Config(baseline={"linux-x86_64": "x86-64"})


def called(folder: Path, call: str, makefile: str, files: dict[str, str] | None = None) -> list[str]:
    """The commands in order, those of make left out."""
    for name, text in {"build.sh": f"#!/bin/sh\n{call}\n", "Makefile": makefile, **(files or {})}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = commands_of("build.sh", Tree(folder), LINUX, strict=True)
    assert found is not None
    return [" ".join(c.shown) for c in found.commands if c.argv[0].text != "make" and not c.opt_in]


FLAGS = "all: ; @cc [$(MAKEFLAGS)]\n"
DEEP = "all: ; @cc $(MAKELEVEL); $(MAKE) two\ntwo: ; @cc $(MAKELEVEL) $(A)\n"


@pytest.mark.parametrize(
    ("call", "makefile", "expected"),
    [
        ("make -k -e", FLAGS, ["cc [ek]"]),
        ("make --no-print-directory -s", FLAGS, ["cc [s --no-print-directory]"]),
        ("make -s --no-silent", FLAGS, ["cc []"]),
        ("make -R", FLAGS, ["cc [rR]"]),
        ("make A=1 'B=2 3'", FLAGS, ["cc [ -- B=2 3 A=1]"]),
        ("MAKEFLAGS=k make -i", FLAGS, ["cc [ik]"]),
        ("GNUMAKEFLAGS=-k make", FLAGS, ["cc [k]"]),
        ("make", DEEP, ["cc 0", "cc 1"]),
        ("make A=x", DEEP, ["cc 0", "cc 1 x"]),
        ("make", "MAKEOVERRIDES += A+=bar\n" + DEEP, ["cc 0", "cc 1 bar"]),
        ("make A=x", "MAKEOVERRIDES =\nA=y\n" + DEEP, ["cc 0", "cc 1 y"]),
        ("make", "ifeq ($(MAKELEVEL),0)\nexport A=top\nendif\n" + DEEP, ["cc 0", "cc 1 top"]),
        ("make", "export A\nall: ; @$(MAKE) two\ntwo: ; @cc [$(origin A)]\n", ["cc [environment]"]),
        ("make", "A=1\nall: ; @$(MAKE) two\ntwo: ; @cc [$(A)]\n", ["cc [1]"]),
        (
            "make",
            "all: export A=1\nall: b ; @$(MAKE) two B=$$A\nb: ; @cc b$$A\ntwo: ; @cc [$(A)$(B)]\n",
            ["cc b1", "cc [11]"],
        ),
        ("make -n", "all: ; cc 1\n\t+cc 2\n\t$(MAKE) two\ntwo: ; cc 3\n\t+cc 4\n", ["cc 2", "cc 4"]),
        ("make --version", "all: ; cc 1\n", []),
        ("A=e make -e", "A=f\nall: ; cc $(A) '$(origin A)'\n", ["cc e environment override"]),
        ("make -C sub", "", ["cc sub 1"]),
        ("make", "include gen.mk\nall: ; @cc $(NONE)all\ngen.mk: ; cc gen\n", ["cc gen", "cc $(NONE)all"]),
        ("make", ".DEFAULT: ; cc default $@\nall: one\n", ["cc default one"]),
        ("make", "SHELL=tool x\n.SHELLFLAGS=-y\nall: ; a b\n", ["tool x -y a b"]),
    ],
)
def test_what_reaches_the_inner_make(call: str, makefile: str, expected: list[str], tmp_path: Path) -> None:
    found = called(tmp_path, call, makefile, {"sub/Makefile": "A=1\nall: ; cc sub $(A)\n"})
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("$(intcmp 1,2,less,same,more)", "less"),
        ("$(intcmp 3,3,less,same,more)", "same"),
        ("$(intcmp 4,3,a,b,c)", "c"),
        ("$(intcmp 2,2)", "2"),
        ("[$(intcmp 1,2)]", "[]"),
        ("$(intcmp 9,2,a,b)", "b"),
        ("$(let a b,1 2 3,$(b)-$(a))", "2 3-1"),
        ("$(let a,x y,<$(a)>)", "<x y>"),
        ("$(let a b,x,[$(b)])", "[]"),
    ],
)
def test_functions_since_4_4_as_the_manual_has_them(call: str, expected: str, tmp_path: Path) -> None:
    assert called(tmp_path, "make", f"all: ; @cc '{call}'\n") == [f"cc {expected}"]


def test_a_call_of_which_neither_goals_nor_conditions_are_known_is_told(tmp_path: Path) -> None:
    open_ones = "".join(f"ifdef O{i}\nX{i} = 1\nendif\n" for i in range(3))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "Makefile").write_text("one: ; cc one\n")
    (tmp_path / "build.sh").write_text("#!/bin/sh\nmake\n")
    last = "ifdef LAST\nall: deep\nendif\nall: ; cc all\ndeep: ; $(MAKE) -C sub $(shell cat goals)\n"
    (tmp_path / "Makefile").write_text(open_ones + last)
    found = commands_of("build.sh", Tree(tmp_path), LINUX, strict=True)
    assert found is not None
    told = [(p.path, p.line, p.fatal) for p in found.problems if "neither the goals" in p.message]
    assert told == [("Makefile", 14, False)]


def test_conditions_left_in_several_calls_are_told_once(tmp_path: Path) -> None:
    (tmp_path / "build.sh").write_text("#!/bin/sh\nmake one\nmake two\nmake two O0=1\n")
    open_ones = "".join(f"ifdef O{i}\nX{i} = 1\nendif\n" for i in range(5))
    (tmp_path / "Makefile").write_text(open_ones + "one two: ; cc $@ $(X0)$(X1)\n")
    found = commands_of("build.sh", Tree(tmp_path), LINUX, strict=True)
    assert found is not None
    assert [p.path for p in found.problems if "too many open conditions" in p.message] == ["Makefile"]


def test_a_goal_with_a_blank_is_one_goal(tmp_path: Path) -> None:
    makefile = "some: ; cc some\nfile.x: ; cc file\n%.x: ; cc '$@'\n"
    assert called(tmp_path, "make 'some file.x'", makefile) == ["cc some file.x"]


@pytest.mark.parametrize(("name", "lines"), [("flags.mk", [3]), ("all.d", [])])
def test_a_makefile_that_a_recipe_writes_is_told(name: str, lines: list[int], tmp_path: Path) -> None:
    (tmp_path / "build.sh").write_text("#!/bin/sh\nmake\n")
    (tmp_path / "Makefile").write_text(f"all: ; cc all\n-include {name}\n{name}: ; gen > $@\n")
    found = commands_of("build.sh", Tree(tmp_path), LINUX, strict=True)
    assert found is not None
    assert [p.line for p in found.problems if "once this rule has made it" in p.message and not p.fatal] == lines
