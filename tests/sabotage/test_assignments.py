"""The deciding assignment of a makefile: findings point at it, and sabotage edits it."""

from pathlib import Path

import pytest

from flagguard.sabotage import Outcome
from flagguard.sabotage.plan import Operator
from tests.sabotage.support import prove

REQUIRED = """
packs = []
[baseline]
linux-x86_64 = "x86-64-v2"
[[rule]]
id = "opt"
command = "@c-compiler"
require = ["-O2"]
why = "x"
"""

RECIPE = "a.o: a.c\n\t$(CC) $(CFLAGS) -c a.c\n"
# the files, and where the flag stands: file and line
CASES = {
    "=": ({"Makefile": "CFLAGS = -Wall -O2\n" + RECIPE}, "Makefile", 1),
    "+=": ({"Makefile": "CFLAGS = -Wall\nCFLAGS += -O2\n" + RECIPE}, "Makefile", 2),
    "?=": ({"Makefile": "CFLAGS ?= -O2\n" + RECIPE}, "Makefile", 1),
    ":=, through another": ({"Makefile": "OPT := -O2\nCFLAGS := $(OPT) -Wall\n" + RECIPE}, "Makefile", 1),
    "define": ({"Makefile": "define F\n-Wall\n-O2\nendef\nCFLAGS = $(strip $(F))\n" + RECIPE}, "Makefile", 3),
    "of a target": ({"Makefile": "CFLAGS = -Wall\na.o: CFLAGS += -O2\n" + RECIPE}, "Makefile", 2),
    "of a pattern": ({"Makefile": "%.o: CFLAGS = -O2\n" + RECIPE}, "Makefile", 1),
    "private": ({"Makefile": "a.o: private CFLAGS = -O2\n" + RECIPE}, "Makefile", 1),
    "eval": ({"Makefile": "$(eval CFLAGS += -O2)\n" + RECIPE}, "Makefile", 1),
    "eval of a call": (
        {"Makefile": "define T\n$(1) = -O2\nendef\n$(eval $(call T,CFLAGS))\n" + RECIPE}, "Makefile", 2,
    ),
    "if": ({"Makefile": "N = 1\nCFLAGS = $(if $(N),-O2,-O0)\n" + RECIPE}, "Makefile", 2),
    "foreach": ({"Makefile": "LEVELS = 2\nCFLAGS = $(foreach o,$(LEVELS),-O$(o))\n" + RECIPE}, "Makefile", 2),
    "an arm": (
        {"Makefile": "ifeq ($(shell uname -m),s390x)\nO = -O0\nelse\nO = -O2\nendif\nCFLAGS = $(O)\n" + RECIPE},
        "Makefile", 4,
    ),
    "override": ({"Makefile": "override CFLAGS += -O2\n" + RECIPE}, "Makefile", 1),
    "an included file": ({"Makefile": "include flags.mk\n" + RECIPE, "flags.mk": "CFLAGS = -O2\n"}, "flags.mk", 1),
    "a command line": (
        {"Makefile": "all:\n\t$(MAKE) lib CFLAGS='-Wall -O2'\nlib:\n\t$(CC) $(CFLAGS) -c a.c\n"}, "Makefile", 2,
    ),
    "a variable on a command line": (
        {"Makefile": "OPT = -O2\nall:\n\t$(MAKE) -C sub CFLAGS=\"$(OPT)\"\n", "sub/Makefile": RECIPE}, "Makefile", 1,
    ),
    "the environment": ({"Makefile": "export CFLAGS = -O2\nall:\n\tcc $$CFLAGS -c a.c\n"}, "Makefile", 1),
    "a built-in rule": ({"Makefile": "CFLAGS = -O2\na.o: a.c\n", "a.c": ""}, "Makefile", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_flag_is_taken_away_where_it_is_assigned(tmp_path: Path, name: str) -> None:
    files, path, line = CASES[name]
    proof = prove(tmp_path, REQUIRED, files)
    caught = {
        (r.path, r.line) for r in proof.results if r.operator is Operator.DROP_FLAG and r.outcome is Outcome.CAUGHT
    }
    assert (path, line) in caught
    assert proof.status == 0, [(r.operator, r.outcome, r.diff) for r in proof.results if r.fails]
