"""What a makefile leaves open is told as open: no list of flags is shown that nobody passes, none is lost."""

import re

import pytest

from flagguard.command import Script
from flagguard.hosts import Setting
from flagguard.make.evaluate import Called, evaluate
from flagguard.text import HOLE_MARK

from .judge import HERE, Folder

UNREAD = "include config.mak\n"


def scripts(text: str, *goals: str) -> list[Script]:
    called = Called(goals) if goals else None
    return list(evaluate("Makefile", Setting(Folder({"Makefile": text, "a.c": ""}), (HERE,)), called).scripts)


def test_what_a_file_that_is_not_read_may_set_is_open() -> None:
    found = scripts(UNREAD + "F = -O2\nifdef NATIVE\nF += -march=native\nendif\na.o: a.c\n\tcc $(F) -c a.c\n")
    assert {(s.text.text, s.when) for s in found} == {
        ("cc -O2 -march=native -c a.c", ("NATIVE is set",)),
        ("cc -O2 -c a.c", ("NATIVE is not set",)),
    }


def test_the_default_goal_beside_a_file_that_is_not_read() -> None:
    found = evaluate("Makefile", Setting(Folder({"Makefile": UNREAD + "a.o: a.c\n\tcc -c a.c\n"}), (HERE,)), Called(()))
    assert [s.text.text for s in found.scripts] == ["cc -c a.c"]


OPEN = """T := $(shell cc -E -dM x.h)
ifneq (,$(findstring OLD 1,$(T)))
SYS = Old
endif
H := $(shell uname -s)
SYS ?= $(H)
ifneq ($(H),$(SYS))
F += -DOTHER
endif
ifneq (,$(findstring A 1,$(T)))
F += -DA
endif
ifneq (,$(findstring B 1,$(T)))
F += -DB
endif
ifeq ($(SYS),Old)
LAST = old.o
else
LAST = a.o
endif
all: $(LAST)
%.o: %.c
	cc $(F) -c $< -o $@
old.o a.o:
"""


@pytest.mark.parametrize("flags", ["", "-DA", "-DB", "-DA -DB"])
def test_every_choice_of_many_open_conditions_fits_what_is_shown(flags: str) -> None:
    shown = [[part.strip() for part in s.text.text.split(HOLE_MARK)] for s in scripts(OPEN, "all")]
    patterns = [".*".join(map(re.escape, parts)) for parts in shown]
    line = " ".join(f"cc {flags} -c a.c -o a.o".split())
    assert any(re.fullmatch(pattern, line) for pattern in patterns), patterns
