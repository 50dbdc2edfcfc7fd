"""Written makefiles: what flagguard expands each recipe to is what `make --dry-run` prints."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from .judge import agree, ours, real


@dataclass(frozen=True)
class Case:
    """A makefile, the other files of its folder, and the call."""

    makefile: str
    files: dict[str, str] = field(default_factory=dict)
    goals: tuple[str, ...] = ()
    overrides: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)


CASES = {
    "simple": Case("CC=gcc\nall:\n\t$(CC) -c x.c\n"),
    "flavors": Case("A=1\nB=$(A)\nC:=$(A)\nA=2\nall:\n\t@echo $(B) $(C) ${A} $A $$A $$$$\n"),
    "append": Case("A=x\nA+=$(B)\nB=late\nS:=s\nS+=$(T)\nT=t\nall:\n\techo $(A) $(S)\n"),
    "cond": Case("D?=3\nE:=q\nE?=z\nall:\n\techo $(D) $(E)\n"),
    "joined": Case("A = a \\\n   b \\\n   c\nall: ; echo $(A) \\\n  d\n"),
    "comment": Case("A = a # b \\\n c\nB = x\\#y\n# note \\\n all: x\nall:\n\techo $(A)$(B) # sh\n"),
    "ifs": Case(
        "X=1\n"
        "ifeq ($(X),1)\n"
        "A=one\n"
        "else ifeq ($(X),2)\n"
        "A=two\n"
        "else\n"
        "A=other\n"
        "endif\n"
        "ifdef A\n"
        "B=d\n"
        "endif\n"
        "ifndef Z\n"
        "C=nz\n"
        "endif\n"
        "ifneq \"$(X)\" '2'\n"
        "E=ne\n"
        "endif\n"
        "all:\n"
        "ifeq (a,a)\n"
        "\techo $(A) $(B) $(C) $(E)\n"
        "else\n"
        "\techo no\n"
        "endif\n"
        "\techo more\n"
    ),
    "define": Case("define X\necho a\n@echo b\n-echo $(1)\nendef\nall:\n\t$(call X,hello)\n"),
    "define2": Case("define X =\nfoo \\\n bar\nendef\nall:\n\techo $(X)\n"),
    "targetspec": Case(
        "CFLAGS=-O2\n"
        "all: debug release\n"
        "debug: CFLAGS+=-g\n"
        "debug: a.o\n"
        "\tcc $(CFLAGS) debug\n"
        "release: CFLAGS:=-O3\n"
        "release: b.o\n"
        "\tcc $(CFLAGS) release\n"
        "a.o b.o:\n"
        "\tcc $(CFLAGS) -c $@\n"
    ),
    "auto": Case(
        "all: b/c.o x.y\n"
        "b/c.o: s/d.c e.h e.h | dir\n"
        "\techo $@ $< $^ $+ $| $(@D) $(@F) $(<D) $(^F) $* $(basename $@)\n"
        "dir:\n"
        "\tmkdir dir\n"
        "x.y: a\n"
        "\ttouch $@ $*\n"
        "a s/d.c e.h:\n"
        "\ttouch $@\n"
    ),
    "pattern": Case("all: a.o b.o\n%.o: %.c\n\tcc -c $< -o $@ $*\n", files={"a.c": "", "b.c": ""}),
    "static": Case(
        "OBJS=a.o b.o\nall: $(OBJS)\n$(OBJS): %.o: %.c h.h\n\tcc -c $< -o $@ $^ $*\n",
        files={"a.c": "", "b.c": "", "h.h": ""},
    ),
    "builtin": Case("app: a.o b.o\n", files={"a.c": "", "b.cc": ""}),
    "builtin2": Case("CFLAGS=-O2\nLDLIBS=-lm\nall: app tool\napp: a.o\n", files={"a.c": "", "tool.c": ""}),
    "builtin3": Case("CXXFLAGS=-O2\nall: x.o y.o z.o\n", files={"x.cpp": "", "y.C": "", "z.S": ""}),
    "yacc": Case("all: p\np: p.o\n\tcc -o $@ $^\n", files={"p.y": ""}),
    "suffix": Case(".SUFFIXES: .foo .bar\n.foo.bar:\n\tconv $< $@\nall: x.bar\n", files={"x.foo": ""}),
    "suffix2": Case(".SUFFIXES:\n.SUFFIXES: .c .o\n.c.o:\n\tmycc -c $<\nall: x.o\n", files={"x.c": ""}),
    "dcolon": Case("all:: ; echo 1\nall:: ; echo 2\n"),
    "text functions": Case(
        "L=a.c b.c d/e.h a.c\n"
        "all:\n"
        "\techo $(subst a,X,$(L)) / $(patsubst %.c,%.o,$(L)) / $(L:.c=.o) / $(L:%.c=o/%.o)\n"
        "\techo $(filter %.c,$(L)) / $(filter-out a.%,$(L)) / $(sort $(L)) / $(words $(L)) $(word 2,$(L))\n"
        "\techo $(wordlist 2,3,$(L)) $(firstword $(L)) $(lastword $(L)) $(findstring b.c,$(L)) [$(strip  a  b )]\n"
    ),
    "name functions": Case(
        "L=a.c b.c d/e.h a.c\n"
        "all:\n"
        "\techo $(dir $(L)) $(notdir $(L)) $(suffix $(L)) $(basename $(L)) $(addprefix -I,$(L))\n"
        "\techo $(addsuffix .x,$(L)) $(join a b,1 2 3)\n"
    ),
    "foreach": Case(
        "all:\n\techo $(foreach i,1 2 3,[$(i)]) $(if a,yes,no) $(if ,yes,no) $(or ,b,c) $(and a,b) $(and a,,b)\n"
    ),
    "call": Case(
        "rev=$(2)$(1)\nw=$(call rev,$(1),x)\nall:\n\techo $(call rev,a,b) $(call w,q) $(call subst,a,b,aaa)\n"
    ),
    "eval": Case(
        "define R\n$(1).o: $(1).c\n\tcc -c $(1).c $$@\nendef\n$(foreach m,a b,$(eval $(call R,$(m))))\nall: a.o b.o\n",
        files={"a.c": "", "b.c": ""},
        goals=("all",),
    ),
    "evalvar": Case(
        "$(eval X=1)\n"
        "$(eval Y:=$(X)2)\n"
        "all:\n"
        "\techo $(X)$(Y) $(origin X) $(flavor X) $(flavor Y) $(origin CC) $(origin @) $(value Z)\n"
        "Z=$(X)z\n"
    ),
    "include": Case(
        "include a.mk\n-include nothere.mk\nall: ; echo $(A) $(MAKEFILE_LIST)\n", files={"a.mk": "A=inc\n"}
    ),
    "incvar": Case("D=d\ninclude $(D)/*.mk\nall: ; echo $(A) $(B)\n", files={"d/a.mk": "A=1\n", "d/b.mk": "B=2\n"}),
    "wild": Case(
        "S=$(wildcard *.c)\nall: $(S:.c=.o)\n\techo $(S) $(wildcard src/*/*.h) $(wildcard nope.c)\n",
        files={"z.c": "", "a.c": "", "src/q/a.h": ""},
    ),
    "override": Case(
        "override A+=x\nB+=y\nC:=c\nD?=d\noverride E=e\nall: ; echo $(A) $(B) $(C) $(D) $(E)\n",
        overrides={"A": "cmd", "B": "cmd", "C": "cmd", "D": "cmd", "E": "cmd"},
    ),
    "env": Case(
        "A+=x\nB?=b\nC=c\nall: ; echo $(A) $(B) $(C) $(D)\n", environment={"A": "ea", "B": "eb", "C": "ec", "D": "ed"}
    ),
    "computed": Case("A_x=1\nk=x\nall: ; echo $(A_$(k)) ${A_${k}} $(A_$k)\n"),
    "shell": Case(
        "S:=$(shell uname -s)\n"
        "M:=$(shell uname -m)\n"
        "ifeq ($(S),Linux)\n"
        "L=linux\n"
        "endif\n"
        'all: ; echo $(S) $(M) $(L) $(shell echo hi "a  b") $(shell uname -s | tr A-Z a-z)\n'
    ),
    "shellassign": Case("X != echo hey\nall: ; echo [$(X)]\n"),
    "pats": Case("%.o: CFLAGS=-pat\na.o: CFLAGS+=-own\nall: a.o b.o ; @:\n%.o:\n\tcc $(CFLAGS) $@\n"),
    "pats2": Case("lib%.o: V=lib\n%.o: V=any\nall: liba.o b.o ; @:\n%.o:\n\tcc $(V) $@\n"),
    "private": Case("all: private V=all\nall: x\n\techo $(V)\nx:\n\techo [$(V)]\nV=global\n"),
    "inherit": Case("V=g\nall: V=all\nall: x\n\techo $(V)\nx: V+=x\nx: y\n\techo [$(V)]\ny:\n\techo $(V)\n"),
    "vpath": Case(
        "VPATH=src\nvpath %.h inc\nall: a.o\n%.o: %.c x.h\n\tcc $< $^\n", files={"src/a.c": "", "inc/x.h": ""}
    ),
    "oneline": Case("all: a b ; echo hi\na b: ; @echo $@\n"),
    "dollar": Case("A=a$$b\nB=$(A)c\nC:=$(A)\nall: ; echo $(A) $(B) $(C) $(subst $$,D,$(A))\n"),
    "nested": Case('open:=(\nA=$(subst $(open),[,(a))\nall: ; echo "$(A)" $(subst $(comma),X,a)\ncomma:=,\n'),
    "semi": Case('all: X=1;2\nall: ; echo "$(X)"\n'),
    "recipejoin": Case("all:\n\techo a \\\n\t  b \\\n\t$(subst x,y,x \\\n\t z)\n"),
    "prefixes": Case("all:\n\t@-echo a\n\t -echo b\n\t@ echo c\n"),
    "export": Case("export A=1\nB=2\nexport B\nall: ; echo $(A)\n"),
    "undefine": Case("A=1\nundefine A\nall: ; echo [$(A)]\n"),
    "multi": Case("a b c: ; echo $@\nall: a b c\n", goals=("all",)),
    "order": Case("all: x\nx: y\n\techo x\ny: z\n\techo y\nz:\n\techo z\n"),
    "laterecipe": Case("all: a\nall: b\n\techo $^ $<\nall: c\na b c: ; echo $@\n"),
    "secondexp": Case(".SECONDEXPANSION:\nx_DEP=q\nall: x\nx: $$($$@_DEP)\n\techo $^\nq: ; echo q\n"),
    "chain": Case("all: a.out2\n%.out2: %.mid\n\tm2 $< $@\n%.mid: %.src\n\tm1 $< $@\n", files={"a.src": ""}),
    "dirpat": Case("all: obj/a.o obj/s/b.o\nobj/%.o: src/%.c\n\tcc $< $@ $*\n", files={"src/a.c": "", "src/s/b.c": ""}),
    "dirpat2": Case("all: d/a.o\n%.o: %.c\n\tcc $< $@ $*\n", files={"d/a.c": ""}),
    "stemlen": Case("all: foo.o\n%.o: %.c\n\techo any $*\nf%.o: f%.c\n\techo f $*\n", files={"foo.c": ""}),
    "grouped": Case("all: a\na b &: c\n\tgen $@\nc: ; touch c\n"),
    "abs": Case("all: ; echo $(abspath a/../b) $(notdir $(CURDIR)/x.c) $(dir $(abspath x/y.c)) $(CURDIR)\n"),
    "spacevar": Case("E:=\nS:=$(E) $(E)\nC:=,\nL=a b c\nall: ; echo $(subst $(S),$(C),$(L))\n"),
    "condtab": Case("X=1\nifdef X\n\tY=2\nendif\nall:\n\techo $(Y)\n"),
    "ifempty": Case(
        "ifeq ($(strip $(NOPE)),)\nA=e\nendif\nifeq (,$(findstring x,abc))\nB=n\nendif\nall: ; echo $(A)$(B)\n"
    ),
    "spaces": Case('A =   b  \nall: ; echo "[$(A)]"\n'),
    "crlf": Case("A=1\r\nall:\r\n\techo $(A) \\\r\n\tb\r\n"),
    "patparen": Case('f=$(patsubst (%),[%],$(1))\nall: ; echo "$(call f,(a))"\n'),
    "defaultgoal": Case(".DEFAULT_GOAL=two\none: ; echo 1\ntwo: ; echo 2\n"),
    "recur": Case("A=$(B)\nB=$(C)\nC=c\nall: ; echo $(A:c=d)\n"),
    "ifrecipe": Case("all:\n\techo a\nX=1\nifeq ($(X),1)\nall: b\nendif\nb: ; echo b\n"),
    "equalsarg": Case("all: ; echo $(patsubst %=1,%,a=1) $(subst =, ,a=b)\n"),
    "target=": Case("all: t\nt: A = b=c\nt: ; echo $(A)\n"),
    "emptyrecipe": Case("all: x;\nx: ; echo x\n"),
    "hashin": Case("all: ; echo $(subst a,b,a#a) \\# c\n"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_recipes_expand_as_real_make_expands_them(case: Case, tmp_path: Path) -> None:
    files = {"Makefile": case.makefile, **case.files}
    expected = real(tmp_path, files, case.goals, case.overrides, case.environment)
    texts = ours(files, case.goals, case.overrides, case.environment)
    assert agree(texts, expected), [t.shown for t in texts]
