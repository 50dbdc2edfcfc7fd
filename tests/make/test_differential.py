"""Written makefiles: what flagguard expands each recipe to is what `make --dry-run` prints."""

from pathlib import Path

import pytest

from .judge import agree, ours, real
from .written import Case

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
    "recipeprefix": Case(".RECIPEPREFIX = >\nall: x\n> echo $^\nx:\n> echo x \\\n>   y\n"),
    "norules": Case("MAKEFLAGS += -r\nall: x.o ; @echo $^\nx.o: ; touch $@\n"),
    "evalrule": Case(
        "define T\n"
        ".PHONY: $(1)\n"
        "$(1): $(1).c\n"
        "\t$$(CC) -D$(2) -c $$< -o $$@\n"
        "ifeq ($(2),one)\n"
        "\techo extra\n"
        "endif\n"
        "endef\n"
        "$(eval $(call T,a,one))\n"
        "$(eval $(call T,b,two))\n"
        "all: a b\n",
        files={"a.c": "", "b.c": ""},
        goals=("all",),
    ),
    "goals": Case("ifeq ($(MAKECMDGOALS),two)\nX=2\nelse\nX=1\nendif\none two: ; echo $(X) $@\n", goals=("two",)),
    "goals2": Case(
        "ifneq ($(filter clean,$(MAKECMDGOALS)),)\nX=c\nendif\nall: ; echo $(X)\nclean: ; echo $(X)\n",
        goals=("all", "clean"),
    ),
    "multipat": Case("all: a.x a.y\n%.x %.y: %.z\n\tgen $< $*\n", files={"a.z": ""}),
    "dc": Case("all: f\nf:: a ; echo 1 $^ $<\nf:: b ; echo 2 $^ $<\na b: ; echo $@\n"),
    "orderonly": Case("all: a | b c\n\techo $^ / $| / $<\na b c: ; echo $@\n"),
    "staticsub": Case(
        "O=x/a.o y/b.o\nall: $(O)\n$(O): %.o: src/%.c\n\tcc $< $@ $* $(@D) $(*F)\n",
        files={"src/x/a.c": "", "src/y/b.c": ""},
    ),
    "builtinS": Case("all: a.o b.o c.o d\n", files={"a.s": "", "b.f": "", "c.m": "", "d.cc": ""}),
    "phonyimplicit": Case(".PHONY: all\nall: a.o\n", files={"a.c": "", "all.c": ""}),
    "vars in targets": Case("T=all\nD=x y\n$(T): $(D)\n\techo $@ $^\n$(D):\n\techo $@\n"),
    "dollar in prereq": Case('all: a$$b\na$$b: ; echo "$@"\n'),
    "target spec multi": Case("all: a b\na b: V=1\na: V+=2\na b: ; echo $(V) $@\n"),
    "target spec simple": Case("X=1\nall: a\na: Y:=$(X)\na: ; echo $(Y)\nX=2\n"),
    "target spec cond": Case("all: a\na: V?=d\na: ; echo $(V)\n"),
    "target spec cond2": Case("V=g\nall: a\na: V?=d\na: ; echo $(V)\n"),
    "target ov": Case("all: override V=t\nall: ; echo $(V)\n", overrides={"V": "c"}),
    "target noov": Case("all: V=t\nall: ; echo $(V)\n", overrides={"V": "c"}),
    "override append": Case("override CFLAGS += -g\nCFLAGS += -O\nall: ; echo $(CFLAGS)\n", overrides={"CFLAGS": "-x"}),
    "override target": Case(
        "override CFLAGS += -g\nall: CFLAGS += -t\nall: ; echo $(CFLAGS)\n", overrides={"CFLAGS": "-x"}
    ),
    "env append": Case("CFLAGS += -g\nall: ; echo $(CFLAGS) $(origin CFLAGS)\n", environment={"CFLAGS": "-e"}),
    "env simple": Case("CFLAGS := $(CFLAGS) -g\nall: ; echo $(CFLAGS)\n", environment={"CFLAGS": "-e"}),
    "env cond": Case("ifdef DEBUG\nF=-g\nendif\nall: ; echo $(F)\n", environment={"DEBUG": "1"}),
    "nested if": Case("A=1\nB=\nifdef A\nifdef B\nX=ab\nelse\nX=a\nendif\nelse\nX=none\nendif\nall: ; echo $(X)\n"),
    "else ifs": Case(
        "A=3\n"
        "ifeq ($(A),1)\n"
        "X=1\n"
        "else ifeq ($(A),2)\n"
        "X=2\n"
        "else ifneq ($(A),3)\n"
        "X=n\n"
        "else ifdef A\n"
        "X=d\n"
        "endif\n"
        "all: ; echo $(X)\n"
    ),
    "if quoted": Case(
        "A=x y\n"
        "ifeq '$(A)' \"x y\"\n"
        "X=1\n"
        "endif\n"
        'ifeq ("$(A)","x y")\n'
        "X+=2\n"
        "endif\n"
        "ifeq ( a , a )\n"
        "X+=3\n"
        "endif\n"
        "all: ; echo $(X)\n"
    ),
    "define ops": Case(
        "define A :=\n$(B)\nendef\ndefine A +=\nmore\nendef\nB=late\ndefine C ?=\nc\nendef\nall: ; echo $(A) $(C)\n"
    ),
    "define nested": Case("define A\ndefine B\ninner\nendef\nendef\n$(eval $(A))\nall: ; echo $(B)\n"),
    "define recipe": Case("define R\n@echo 1\n-echo 2 \\\n   3\n+@:\nendef\nall:\n\t@echo 0\n\t$(R)\n\techo 4\n"),
    "recursive call": Case(
        "rev=$(if $(1),$(call rev,$(wordlist 2,99,$(1))) $(firstword $(1)))\nall: ; echo $(call rev,a b c d)\n"
    ),
    "map": Case('map=$(foreach a,$(2),$(call $(1),$(a)))\nq=<$(1)>\nall: ; echo "$(call map,q,a b c)"\n'),
    "foreach shadow": Case("i=outer\nall: ; echo $(foreach i,a b,$(i)) $(i)\n"),
    "computed, again": Case("a=1\nb=a\nc=b\nall: ; echo $($($(c))) $(a:1=2) $($(b):1=3)\n"),
    "subst ref %": Case("S=a.c b.c\nall: ; echo $(S:%.c=obj/%.o) $(S:%=x/%) $(S:.c=) $(S:b.c=z)\n"),
    "escaped": Case('A=a\\%b a%b\nall: ; echo "$(patsubst a\\%b,X,$(A))" "$(filter a\\%b,$(A))"\n'),
    "filter multi": Case("L=a.c b.h c.c d\nall: ; echo $(filter %.c %.h,$(L)) - $(filter-out %.c d,$(L))\n"),
    "sort": Case("all: ; echo $(sort b a c a B A 10 9)\n"),
    "wordlist": Case("all: ; echo [$(word 9,a b)] [$(wordlist 2,1,a b)] [$(wordlist 2,9,a b c)] [$(words )]\n"),
    "path": Case(
        "all: ; echo $(dir a /x/y x/) $(notdir a /x/y x/) $(suffix a.b/c a.b.c .x) $(basename a.b/c a.b.c .x)\n"
    ),
    "join": Case("all: ; echo $(join a b c,1 2) $(join ,1 2) $(addprefix p,) $(addsuffix s,a b)\n"),
    "strip nl": Case('define N\n\n\nendef\nall: ; echo "[$(strip $(N) a $(N))]"\n'),
    "and or": Case("A=\nB=1\nall: ; echo $(and $(A),$(B)) $(and $(B),x) $(or $(A),$(B),z) [$(or ,)]\n"),
    "wildcard subs": Case(
        "all: ; echo $(patsubst src/%.c,obj/%.o,$(wildcard src/*.c src/*/*.c)) $(wildcard src) $(wildcard s*c/a.?)\n",
        files={"src/a.c": "", "src/b.c": "", "src/d/e.c": ""},
    ),
    "prereq glob": Case("all: *.c\n\techo $^\n", files={"b.c": "", "a.c": ""}),
    "include chain": Case(
        "include x.mk\nall: ; echo $(A) $(B)\n", files={"x.mk": "A=1\ninclude y.mk\n", "y.mk": "B=2\n"}
    ),
    "include rule": Case("include r.mk\nall: ; echo main\n", files={"r.mk": "first: ; echo first\n"}),
    "include cond": Case("C=1\nifdef C\ninclude x.mk\nendif\nall: ; echo $(A)\n", files={"x.mk": "A=1\n"}),
    "makefile list": Case(
        "D:=$(dir $(lastword $(MAKEFILE_LIST)))\ninclude sub/x.mk\nall: ; echo $(D) $(E)\n",
        files={"sub/x.mk": "E:=$(dir $(lastword $(MAKEFILE_LIST)))\n"},
    ),
    "abs include": Case(
        "R:=$(abspath $(dir $(lastword $(MAKEFILE_LIST))))\n"
        "include $(R)/a.mk\n"
        "all: ; echo $(A) $(notdir $(wildcard $(R)/*.c))\n",
        files={"a.mk": "A=1\n", "q.c": ""},
    ),
    "curdir": Case(
        "S=$(CURDIR)/src\nO=$(patsubst $(S)/%.c,%.o,$(wildcard $(S)/*.c))\nall: ; echo $(O)\n",
        files={"src/a.c": "", "src/b.c": ""},
    ),
    "shell known": Case(
        "U:=$(shell uname)\n"
        "ifeq ($(U),Darwin)\n"
        "X=mac\n"
        "else\n"
        "X=lin\n"
        "endif\n"
        "ifeq ($(shell uname -m),x86_64)\n"
        "X+=64\n"
        "endif\n"
        "ifneq (,$(findstring Linux,$(shell uname -a)))\n"
        "endif\n"
        "all: ; echo $(X)\n"
    ),
    "os": Case("ifeq ($(OS),Windows_NT)\nX=w\nelse\nX=u\nendif\nall: ; echo $(X)\n"),
    "undef": Case("A=1\nB=2\nundefine A\noverride undefine B\nall: ; echo [$(A)$(B)] $(origin A)\n"),
    "eq in value": Case("A=b=c:d\nB:=x:=y\nall: ; echo $(A) $(B)\n"),
    "colon in value": Case("A=c:/x\nall: ; echo $(A)\n"),
    "hash escaped": Case('A=x\\#y\nB=$(A)\nall: ; echo "$(B)"\n'),
    "trailing blank": Case('A=x \nB=y\nall: ; echo "[$(A)$(B)]"\n'),
    "tab var": Case("ifdef MAKE\n\tA = 1\n\tB := 2\nendif\nall: ; echo $(A) $(B)\n"),
    "conditional recipe": Case("A=1\nall:\n\techo 1\nifdef A\n\techo 2\nendif\n\techo 3\n# c\n\n\techo 4\n"),
    "comment recipe": Case("all:\n\techo 1\n# a comment \\\n\tstill\n\techo 2\n"),
    "mixed static": Case(
        "OBJS=a.o b.o\nall: $(OBJS) c.o\n$(OBJS): %.o: %.c\n\tcc1 $<\nc.o: c.c\n\tcc2 $<\n",
        files={"a.c": "", "b.c": "", "c.c": ""},
    ),
    "implicit prereq add": Case("all: a.o\na.o: h.h\n%.o: %.c\n\tcc $< $^\n", files={"a.c": "", "h.h": ""}),
    "cancel": Case("%.o: %.c\nall: x.o\nx.o: ; echo own\n", files={"x.c": ""}),
    "last recipe": Case("x=1\nall: ; echo a\n"),
    "empty target var": Case("E=\n$(E) all: ; echo x\n"),
    "grouped2": Case("all: a b\na b &: c ; gen\nc: ; touch c\n"),
    "vpathcolon": Case("VPATH=a:b\nall: x.o y.o\n%.o: %.c ; cc $<\n", files={"a/x.c": "", "b/y.c": ""}),
    "vpath2": Case(
        "vpath %.c a b\nvpath %.h inc\nall: x.o\nx.o: x.c x.h ; cc $< $^\n", files={"b/x.c": "", "inc/x.h": ""}
    ),
    "suffix override": Case(
        ".SUFFIXES:\n.SUFFIXES: .x .o\n.x.o: ; xc $< $@ $*\nall: a.o\n", files={"a.x": "", "a.c": ""}
    ),
    "single suffix": Case(
        ".SUFFIXES: .sh2\n.sh2: ; mk $< $@\nall: prog\nall: ; @:\n", files={"prog.sh2": ""}, goals=("prog",)
    ),
    "default goal order": Case(".PHONY: x\nx: ; echo x\nall: ; echo all\n"),
    "default goal hidden": Case(".hidden: ; echo h\nall: ; echo all\n"),
    "percent dir": Case("all: out/a/x.o\nout/%.o: %.c\n\tcc $< -> $@ $(@D) $(*D) $(<F)\n", files={"a/x.c": ""}),
    "long join": Case("A = a\\\nb\\\n\\\nc\nall: ; echo $(A)\n"),
    "multi line call": Case("f=$(1)-$(2)\nall:\n\techo $(call f,a,\\\n\t  b) \\\n\t  c\n"),
    "quote newline": Case("all:\n\techo \"a\\\n\tb\" 'c\\\n\td'\n"),
    "secondexp2": Case(".SECONDEXPANSION:\na_D=x\nb_D=y z\nall: a b\na b: $$($$@_D)\n\techo $@ $^\nx y z: ; @:\n"),
    "escape colon": Case('all: a\\:b\na\\:b: ; echo "$@"\n'),
    "empty cmd": Case("all: a b\na: ;\nb:\n\t\n\techo b\n"),
    "eval append": Case("$(foreach x,a b c,$(eval L += -l$(x)))\nall: ; echo $(L)\n"),
    "eval cond": Case(
        "define S\nifeq ($(1),x)\nV=isx\nelse\nV=notx\nendif\nendef\n$(eval $(call S,x))\nall: ; echo $(V)\n"
    ),
    "eval target": Case("X:=$(eval Y:=2)1\nall: ; echo $(X)$(Y)\n"),
    "call spaces": Case('f=[$(1)][$(2)]\nall: ; echo "$(call f, a , b )"\n'),
    "call builtin": Case("all: ; echo $(call patsubst,%.c,%.o,a.c) $(call words,a b)\n"),
    "value": Case("A=$(B) $$x\nall: ; echo '$(value A)'\n"),
    "flavor": Case(
        "A=1\n"
        "B:=2\n"
        "define C\n"
        "endef\n"
        "all: ; echo $(flavor A) $(flavor B) $(flavor C) $(flavor D)\n"
        "\techo $(origin A) $(origin MAKE) $(origin CC) $(origin PATH)\n"
    ),
    "patsubst ws": Case('all: ; echo "$(patsubst a,b, a  c )" "$(subst a,b, a  c )"\n'),
    "if trim": Case('all: ; echo "[$(if x, a , b )]" "[$(if  ,a,b)]"\n'),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_recipes_expand_as_real_make_expands_them(case: Case, tmp_path: Path) -> None:
    files = {"Makefile": case.makefile, **case.files}
    expected = real(tmp_path, files, case.goals, case.overrides, case.environment)
    texts = ours(files, case.goals, case.overrides, case.environment)
    assert agree(texts, expected), [t.shown for t in texts]
