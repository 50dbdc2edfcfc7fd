"""What nobody decides: worlds, what they assume, and what is a hole."""

import pytest

from flagguard.command import Dialect, Script
from flagguard.hosts import Setting
from flagguard.make.evaluate import evaluate
from flagguard.text import Decider, Problem

from .judge import Folder

LINUX, MAC = "linux-x86_64", "macos-arm64"


def scripts(text: str, *platforms: str, assume: dict[str, str] | None = None, **files: str) -> list[Script]:
    folder = Folder({"Makefile": text, **{n.replace("__", "."): t for n, t in files.items()}})
    reading = evaluate("Makefile", Setting(folder, platforms or (LINUX,), assume or {}))
    assert not [p for p in reading.problems if p.fatal], reading.problems
    return list(reading.scripts)


def told(text: str, **more: str) -> list[tuple[str, tuple[str, ...], bool]]:
    return [(s.text.shown, s.when, s.opt_in) for s in scripts(text, **more)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("all: ; cc $(NONE) x.c", [("cc  x.c", (), False)]),
        (
            "ifdef DEBUG\nF=-O0\nelse\nF=-O2\nendif\nall: ; cc $(F)",
            [("cc -O2", ("DEBUG is not set",), False), ("cc -O0", ("DEBUG is set",), False)],
        ),
        (
            "ifeq ($(A),native)\nF=-march=native\nendif\nall: ; cc $(F)",
            [("cc ", ("A is not native",), False), ("cc -march=native", ("A is native",), True)],
        ),
        (
            "A ?= x86\nifeq ($(A),native)\nF=-march=native\nendif\nall: ; cc $(F)",
            [("cc ", ("A is not native",), False), ("cc -march=native", ("A is native",), True)],
        ),
        ("A = x86\nifeq ($(A),native)\nF=-march=native\nendif\nall: ; cc $(F)", [("cc ", (), False)]),
        (
            "all: ; cc $(if $(T),-t $(T)) x",
            [("cc  x", ("T is not set",), False), ("cc -t $(T) x", ("T is set",), False)],
        ),
        (
            "ifeq ($(shell pkg-config x),1)\nF=-DX\nendif\nall: ; cc $(F)",
            [
                ("pkg-config x", (), False),
                ("cc ", ("$(shell pkg-config x) is not 1",), False),
                ("cc -DX", ("$(shell pkg-config x) is 1",), False),
            ],
        ),
        (
            "ifndef CPU\n$(error name a CPU)\nendif\nall: ; cc -march=$(CPU)",
            [("cc -march=$(CPU)", ("CPU is set",), False)],
        ),
        ("$(error not here)\nall: ; cc x.c", [("cc x.c", (), False)]),
        ("ifdef DEBUG\nendif\nall: ; cc x.c", [("cc x.c", (), False)]),
        (
            'all: ; if [ "$(A)" = "" ]; then cc x; fi',
            [
                ('if [ "" = "" ]; then cc x; fi', ("A is not set",), False),
                ('if [ "$(A)" = "" ]; then cc x; fi', ("A is set",), False),
            ],
        ),
        (
            "H := $(wildcard /usr/x.h /usr/y.h)\nifneq ($(H),)\nF=-DX\nendif\nall: ; cc $(F)",
            [
                ("cc -DX", ("$(wildcard /usr/x.h /usr/y.h) is not empty",), False),
                ("cc ", ("$(wildcard /usr/x.h /usr/y.h) is empty",), False),
            ],
        ),
        (
            "all: ; cc $(if $(strip $(shell one) $(shell two)),-DX)",
            [
                ("one", (), False),
                ("two", (), False),
                ("cc -DX", ("$(shell one) $(shell two) is not empty",), False),
                ("cc ", ("$(shell one) $(shell two) is empty",), False),
            ],
        ),
        (
            "ifeq ($(MAKECMDGOALS),dist)\nF=-O3\nendif\nall: ; cc $(F)",
            [("cc ", ("not goal dist",), False), ("cc -O3", ("goal dist",), False)],
        ),
    ],
)
def test_open_conditions_fork(text: str, expected: list[tuple[str, tuple[str, ...], bool]]) -> None:
    assert told(text) == expected


def test_the_platform_decides_what_it_can() -> None:
    text = "ifeq ($(shell uname -s),Darwin)\nF=-arch arm64\nendif\nall: ; cc $(F) x.c\nother: ; echo"
    found = [(s.text.shown, s.platforms) for s in scripts(text, LINUX, MAC) if not s.ignored]
    assert found == [
        ("cc  x.c", frozenset({LINUX})),
        ("echo", None),
        ("cc -arch arm64 x.c", frozenset({MAC})),
    ]


def test_a_variable_that_nobody_sets_leaves_its_name() -> None:
    (script,) = scripts("A = $(B)\nall: ; cc $(A) x.c")
    assert [(p.text, p.unset) for p in script.text.pieces if p.unset] == [("", "B")]


def test_a_goal_hands_its_variables_to_its_prerequisites() -> None:
    text = "F=-O2\nfast: F+=-march=native\nfast: a.o ; ld\na.o: ; cc $(F)"
    assert told(text) == [("ld", (), False), ("cc -O2", (), False), ("cc -O2 -march=native", ("goal fast",), False)]


def test_assume_gives_a_variable() -> None:
    text = "ifdef DEBUG\nF=-O0\nendif\nall: ; cc $(F)"
    assert [(s.text.shown, s.when) for s in scripts(text, assume={"DEBUG": "1"})] == [("cc -O0", ())]


def test_a_default_can_be_overridden_and_a_plain_value_not() -> None:
    (script,) = scripts("A ?= 1\nB = 2\nall: ; x $(A) $(B)")
    assert [(p.text, p.overridable) for p in script.text.pieces if p.text in "12"] == [("1", True), ("2", False)]


def test_an_included_file_that_is_missing_may_set_anything() -> None:
    (script,) = scripts("A = 1\ninclude config.mk\nall: ; $(CC) $(A) $(B)")
    assert [(h.text, h.decider) for h in script.text.holes] == [
        ("$(CC)", Decider.OUTSIDE),
        ("$(B)", Decider.OUTSIDE),
    ]
    (script,) = scripts("-include config.mk\nall: ; $(CC) $(B)")
    assert script.text.shown == "cc "


@pytest.mark.parametrize(
    ("expression", "decider"),
    [
        ("$(shell git describe)", Decider.OUTSIDE),
        ("$(shell cat flags.txt)", Decider.REPOSITORY),
        ("$(shell ./flags.sh)", Decider.REPOSITORY),
        ("$(HOME)", Decider.OUTSIDE),
        ("$(guile (x))", Decider.REPOSITORY),
    ],
)
def test_who_decides_a_hole(expression: str, decider: Decider) -> None:
    script = scripts(f"all: ; cc {expression}", flags__txt="-O2\n", flags__sh="")[-1]
    (hole,) = script.text.holes
    assert (hole.text, hole.decider) == (expression, decider)


def test_beyond_the_room_for_worlds_values_are_holes_that_say_so() -> None:
    conditions = "".join(f"ifdef V{i}\nF{i}=-D{i}\nendif\n" for i in range(40))
    text = conditions + "all: ; cc " + " ".join(f"$(F{i})" for i in range(40))
    folder = Folder({"Makefile": text})
    reading = evaluate("Makefile", Setting(folder, (LINUX,)))
    assert [p.fatal for p in reading.problems] == [False]
    assert "too many open conditions" in reading.problems[0].message
    last = reading.scripts[-1]
    assert "$(F39)" in last.text.shown
    assert all(h.decider is Decider.REPOSITORY for h in last.text.holes)


def test_commands_inside_shell_functions_are_scripts_of_their_place() -> None:
    found = scripts("A := $(shell $(CC) -march=native -E x.h)\nall: ; echo $(shell date)")
    assert [(s.text.shown, s.place.target, s.ignored) for s in found] == [
        ("cc -march=native -E x.h", None, True),
        ("date", "all", True),
        ("echo $(shell date)", "all", False),
    ]


@pytest.mark.parametrize(
    ("text", "dialect", "errexit", "pipefail"),
    [
        ("all: ; x", Dialect.SH, False, False),
        ("SHELL = /bin/bash\nall: ; x", Dialect.BASH, False, False),
        ("SHELL := $(shell which bash)\nall: ; x", Dialect.BASH, False, False),
        ("SHELL := /usr/bin/env bash\n.SHELLFLAGS := -eu -o pipefail -c\nall: ; x", Dialect.BASH, True, True),
        ("SHELL = python3\nall: ; x", Dialect.UNREAD, False, False),
        ("all: SHELL = bash\nall: ; x", Dialect.BASH, False, False),
        (".POSIX:\nall: ; x", Dialect.SH, True, False),
    ],
)
def test_the_shell_of_a_recipe(text: str, dialect: Dialect, errexit: bool, pipefail: bool) -> None:
    script = scripts(text)[-1]
    assert (script.dialect, script.errexit, script.pipefail) == (dialect, errexit, pipefail)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("export A = 1\nB = 2\nall: ; x", {"A": "1"}),
        ("A = $(B)\nB = 2\nexport A\nall: ; x", {"A": "2"}),
        ("A = 1\nexport\nunexport C\nC = 3\nall: ; x", {"A": "1"}),
        (".EXPORT_ALL_VARIABLES:\nA = 1\nall: ; x", {"A": "1"}),
        ("all: export A = 1\nall: ; x", {"A": "1"}),
        ("export A\nA = g\nall: A = t\nall: ; x", {"A": "t"}),
        ("export NONE\nall: ; x", {"NONE": ""}),
    ],
)
def test_the_environment_of_a_recipe(text: str, expected: dict[str, str]) -> None:
    (script,) = scripts(text)
    assert {v.name: v.value.shown for v in script.env} == expected


@pytest.mark.parametrize(
    ("text", "line", "message", "fatal"),
    [
        ("all:\n\techo\nfoo bar\n", 3, "missing separator", True),
        ("define X\n a\n", 1, "missing endef: unterminated define", True),
        ("all: ; x\nifdef A\n", 2, "missing endif", True),
        ("endif\n", 1, "extraneous endif", True),
        ("else\n", 1, "extraneous else", True),
        ("ifeq (a,b\nendif\n", 1, "invalid syntax in conditional", True),
        ("\techo\n", 1, "recipe commences before first target", True),
        ("A = $(A) b\nall: ; x $(A)\n", 1, "the variable A refers to itself", True),
        ("A = $(B\nall: ; x $(A)\n", 1, "unterminated variable reference", True),
        ("a: %.o: b ; x\n", 1, "target a doesn't match the target pattern", False),
        (".if defined(X)\n.endif\n", 1, "a directive of BSD make or NMAKE: not read", False),
        ("!IF 1\n!ENDIF\n", 1, "a directive of BSD make or NMAKE: not read", False),
    ],
)
def test_what_is_no_makefile_is_told_with_its_line(text: str, line: int, message: str, fatal: bool) -> None:
    folder = Folder({"Makefile": text})
    reading = evaluate("Makefile", Setting(folder, (LINUX,)))
    assert Problem("Makefile", line, message) in reading.problems
    assert [p.fatal for p in reading.problems if p.message == message] == [fatal]
