"""Functions on text that is not fully known: what holds for every content of the holes, else a hole."""

import pytest

from flagguard.hosts import Setting
from flagguard.make.evaluate import evaluate
from flagguard.text import Decider

from .judge import HERE, Folder


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("$(H)", "<H>"),
        ("$(strip  $(H)  a )", "<H> a"),
        ("$(firstword gcc $(H))", "gcc"),
        ("$(firstword $(H) gcc)", "<$(firstword $(H) gcc)>"),
        ("$(lastword $(H) a)", "a"),
        ("$(word 2,a b $(H))", "b"),
        ("$(words $(H) a)", "<$(words $(H) a)>"),
        ("$(words -I$(H) a)", "2"),
        ("$(filter -O%,-O2 -g)", "-O2"),
        ("$(filter -O%,-O2 $(H) -g)", "-O2 <$(filter -O%,-O2 $(H) -g)>"),
        ("$(filter -O%,-I$(H))", ""),
        ("$(filter-out -O%,-O2 $(H) -g)", "<$(filter-out -O%,-O2 $(H) -g)> -g"),
        ("$(filter-out -O%,-I$(H))", "-I<H>"),
        ("$(filter-out $(H),a)", "<$(filter-out $(H),a)>"),
        ("$(subst a,b,x-$(H)-a)", "x-<H>-b"),
        ("$(subst ab,x,a$(H) ab)", "<$(subst ab,x,a$(H) ab)> x"),
        ("$(patsubst %.c,%.o,src/$(H)/a.c)", "src/<H>/a.o"),
        ("$(patsubst %.c,%.o,$(H) b.c)", "<$(patsubst %.c,%.o,$(H) b.c)> b.o"),
        ("$(findstring x,x$(H))", "x"),
        ("$(findstring z,$(H))", "<$(findstring z,$(H))>"),
        ("$(sort b a)", "a b"),
        ("$(sort b $(H))", "<$(sort b $(H))>"),
        ("$(addprefix -I,$(H))", "<$(addprefix -I,$(H))>"),
        ("$(addprefix -I,a/$(H))", "-Ia/<H>"),
        ("$(notdir $(CURDIR)/s/x.c)", "x.c"),
        ("$(dir $(CURDIR)/s/x.c)", "<$(CURDIR)>/s/"),
        ("$(notdir s/$(H))", "<$(notdir s/$(H))>"),
        ("$(basename $(H).c)", "<H>"),
        ("$(suffix $(H).c)", ".c"),
        ("$(abspath a/../b)", "<$(CURDIR)>/b"),
        ("$(wildcard *.c $(H)/*.c)", "m.c <$(wildcard *.c $(H)/*.c)>"),
        ("$(wildcard /usr/include/x.h)", "<$(wildcard /usr/include/x.h)>"),
        ("$($(H)_FLAGS)", "<$($(H)_FLAGS)>"),
        ("$(foreach i,a $(H),-$(i))", "-a <$(foreach i,a $(H),-$(i))>"),
        ("$(call $(H),a)", "<$(call $(H),a)>"),
        ("$(A)", "<$(A)>"),
    ],
)
def test_functions_on_text_with_holes(expression: str, shown: str) -> None:
    makefile = f"H := $(shell ask)\nA = $(A)\nall: ; x {expression}\n"
    reading = evaluate("Makefile", Setting(Folder({"Makefile": makefile, "m.c": ""}), (HERE,)))
    text = reading.scripts[-1].text
    said = "".join(f"<{p.hole.text}>" if p.hole is not None else p.text for p in text.pieces)
    assert said.replace("$(shell ask)", "H").removeprefix("x ") == shown


def test_the_repository_decides_a_hole_where_it_decides_a_cause() -> None:
    makefile = "A := $(shell cat flags)\nB := $(shell date)\nall: ; x $(addprefix -I,$(A)) $(addprefix -I,$(B))\n"
    reading = evaluate("Makefile", Setting(Folder({"Makefile": makefile, "flags": "-O2\n"}), (HERE,)))
    deciders = [h.decider for h in reading.scripts[-1].text.holes]
    assert deciders == [Decider.REPOSITORY, Decider.OUTSIDE]


def test_a_file_that_is_not_there_is_made_by_the_build() -> None:
    makefile = "A := $(shell cat flags)\nall: ; x $(A) $(shell date)\n"
    reading = evaluate("Makefile", Setting(Folder({"Makefile": makefile}), (HERE,)))
    assert [h.decider for h in reading.scripts[-1].text.holes] == [Decider.REPOSITORY, Decider.OUTSIDE]
