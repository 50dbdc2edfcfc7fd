"""Makefiles written for the tests: rules, the search for them, special targets, recipes, included makefiles."""

from .written import Case, empty

RULES = {
    "order only": Case("all: a | b a\n\techo $^ / $| / $<\na b: ; @:\n"),
    "order only turned normal": Case("all: | b\nall: b ; echo [$^][$|]\nb: ; @:\n"),
    "bar without blanks": Case("all: a|b ; echo $^ / $|\na b: ; @:\n"),
    "double colon": Case("all:: ; echo 1\nall:: a ; echo 2 $^\na: ; echo a\n"),
    "double colon without a recipe": Case("all:: a\nall:: ; echo 2\na: ; echo a\n"),
    "prerequisites of several rules": Case("all: c\nall: a b ; echo $^ $<\nall: d\na b c d: ; @:\n"),
    "the last recipe counts": Case("all: a ; echo 1\nall: b ; echo 2 $^\na b: ; @:\n"),
    "doubles": Case("all: a b a ; echo $^ / $+\na b: ; @:\n"),
    "many targets": Case("all: a b\na b: c ; echo $@ $<\nc: ; @:\n"),
    "grouped": Case("all: a b\na b &: c ; gen $@ $<\nc: ; @:\n"),
    "grouped, the second first": Case("all: b a\na b &: ; gen $@\n"),
    "grouped with own prerequisites": Case("all: a b\na b &: ; gen $@\nb: c\nc: ; echo c\n"),
    "static pattern": Case("O=a.o b.o\nall: $(O)\n$(O): %.o: %.c ; cc $< -o $@ $*\n", empty("a.c", "b.c")),
    "static pattern in a folder": Case("all: o/a.o\no/a.o: o/%.o: s/%.c ; cc $< $@ $* $(@D) $(*F)\n", empty("s/a.c")),
    "static pattern of many": Case("all: x.o\nx.o: %.o: %.c %.h common.h ; cc $^\n", empty("x.c", "x.h", "common.h")),
    "static pattern without a percent": Case("all: a b\na b: %: c ; echo $@ $* $<\nc: ; @:\n"),
    "static pattern with filter": Case(
        "F=a.el b.o\nall: $(F)\n$(filter %.o,$(F)): %.o: %.c ; cc $<\n$(filter %.el,$(F)): %.el: %.x ; el $<\n",
        empty("b.c", "a.x"),
    ),
    "static pattern, recipe elsewhere": Case("all.x: %.x: %.y\nall.x: ; echo $* $^\nall.y: ; @:\n"),
    "static pattern with an empty stem": Case("foo: foo%: %a % b% ; echo $^ [$*]\na b: ; @:\n"),
    "targets from a shell pattern": Case(
        ".PHONY: all a.one a.two\nall: a.one a.two\na.*: ; echo $@\n", empty("a.one", "a.two")
    ),
    "prerequisites from a shell pattern": Case("all: s/*.c ; echo $^\n", empty("s/b.c", "s/a.c")),
    "a dot and a slash": Case("all: ./a ; echo $^\n./a: ; echo $@\n"),
    "quoted blank": Case("all: a\\ b\na\\ b: ; echo '$@'\n"),
    "quoted number sign": Case("all: a\\#b\na\\#b: ; echo '$@'\n"),
    "quoted colon": Case("all: a\\:b\na\\:b: ; echo '$@'\n"),
    "percent in an explicit target": Case("all: a%b\na\\%b: ; echo '$@'\n"),
    "dollar in a target": Case("all: a$$b\na$$b: ; echo '$@'\n"),
    "target of a variable": Case("T=a b\nall: $(T)\n$(T): ; echo $@\n"),
    "no targets": Case("E=\n$(E): ; echo 1\nall: ; echo 2\n"),
    "recipe after a semicolon": Case("all: ; echo 1\n\techo 2\n"),
    "recipe after a comment": Case("all: # c\n\techo 1\n# c\n\n\techo 2\n"),
    "a comment with a tab": Case("all:\n\t# shell comment\n\techo 1\n"),
    "variables of the target name": Case(
        "all: s/a.b.c ; echo $(<D) $(<F) $(basename $<) $(suffix $<)\ns/a.b.c: ; @:\n"
    ),
    "parts": Case("all: d/a /e/b c ; echo $(^D) / $(^F) / $(+D)\nd/a /e/b c: ; @:\n"),
    "stem of an explicit rule": Case("all: a.o ; @:\na.o: ; echo [$*]\n"),
    "no recipe, not phony": Case("all: a\na:\n"),
    "empty recipe": Case("all: a ; echo all\na: ;\n"),
    "extra prerequisites": Case(".EXTRA_PREREQS = x\nall: a ; echo $^ $(.EXTRA_PREREQS)\na x: ; echo $@\n"),
    "extra prerequisites of a target": Case("all: a ; echo $^\nall: .EXTRA_PREREQS = x\na x: ; echo $@\n"),
    "an old-style loop": Case("all: b ; echo all\nb: all ; echo b\n"),
}

IMPLICIT = {
    "pattern": Case("all: a.x\n%.x: %.y ; mk $< $@ $*\n", empty("a.y")),
    "pattern with a prefix": Case("all: lib/libfoo.so\nlib/lib%.so: %.c ; cc $< $@ $*\n", empty("foo.c")),
    "pattern in a folder": Case("all: d/a.x\n%.x: %.y ; mk $< $@ $* $(@F)\n", empty("d/a.y")),
    "pattern to another folder": Case("all: o/d/a.o\no/%.o: s/%.c ; cc $< $@ $*\n", empty("s/d/a.c")),
    "pattern without a percent in its prerequisite": Case("all: a.x\n%.x: common ; mk $< $@\n", empty("common")),
    "pattern without prerequisites": Case("all: a.x b.x\n%.x: ; mk $@ $*\n"),
    "pattern of two targets": Case("all: a.p a.q\n%.p %.q: %.y ; mk $@ $<\n", empty("a.y")),
    "pattern with order only": Case("all: a.x\n%.x: %.y | dir ; mk $< / $|\ndir: ; mkdir dir\n", empty("a.y")),
    "shortest stem": Case("all: foo.x\n%.x: %.y ; mk1 $*\nf%.x: f%.y ; mk2 $*\n", empty("foo.y")),
    "first rule that fits": Case("all: a.x\n%.x: %.y ; mk1 $<\n%.x: %.z ; mk2 $<\n", empty("a.y", "a.z")),
    "the one whose file is there": Case("all: a.x\n%.x: %.y ; mk1 $<\n%.x: %.z ; mk2 $<\n", empty("a.z")),
    "chain": Case("all: a.3\n%.3: %.2 ; mk3 $<\n%.2: %.1 ; mk2 $<\n%.1: %.0 ; mk1 $<\n", empty("a.0")),
    "long chain": Case(
        "all: a.7\n" + "".join(f"%.{n}: %.{n - 1} ; mk{n} $< $@\n" for n in range(7, 0, -1)), empty("a.0")
    ),
    "a rule for anything": Case("all: x\n%: %.in ; gen $< $@\n", empty("x.in")),
    "a terminal rule for anything": Case("all: x\n%:: %.in ; gen $< $@\n", empty("x.in")),
    "no recipe, own prerequisites": Case("all: a.o\na.o: b.h\n%.o: %.c ; cc $< $^\n", empty("a.c", "b.h")),
    "own recipe wins": Case("all: a.o\na.o: a.c ; own $<\n%.o: %.c ; cc $<\n", empty("a.c")),
    "phony has none": Case(".PHONY: a.o\nall: a.o\na.o: ; own\n%.o: %.c ; cc $<\n", empty("a.c")),
    "cancelled": Case("%.o: %.c\nall: a.o\na.o: ; own\n", empty("a.c")),
    "replaced": Case("%.o: %.c ; mine $<\nall: a.o\n", empty("a.c")),
    "replaced twice": Case("%.x: %.y ; mk1\n%.x: %.y ; mk2\nall: a.x\n", empty("a.y")),
    "compile c": Case("CFLAGS=-O2\nCPPFLAGS=-DX\nall: a.o\n", empty("a.c")),
    "compile c++": Case("CXXFLAGS=-O2\nall: a.o b.o c.o\n", empty("a.cc", "b.cpp", "c.C")),
    "compile fortran": Case("FFLAGS=-O2\nall: a.o b.o\n", empty("a.f", "b.F")),
    "assemble": Case("ASFLAGS=-g\nall: a.o b.o\n", empty("a.s", "b.S")),
    "link": Case("LDFLAGS=-L.\nLDLIBS=-lm\nprog: prog.o util.o\n", empty("prog.c", "util.c")),
    "link by an object that has a variable": Case("prog.o: CFLAGS=-g\nall: prog\n", empty("prog.c")),
    "link by an object that is a goal": Case("all: ; @:\n", empty("prog.c"), goals=("prog.o", "prog")),
    "the folder counts for the stem": Case("all: d/p.x\n%.x: %.y ; mk $*\nd/%.x: %.y ; md $*\n", empty("p.y", "d/p.y")),
    "link from source": Case("CFLAGS=-O2\nall: prog\n", empty("prog.c")),
    "link from c++": Case("all: prog\nprog: prog.o\n", empty("prog.cc")),
    "target arch": Case("TARGET_ARCH=-m32\nall: a.o\n", empty("a.c")),
    "output option": Case("OUTPUT_OPTION=-x $@\nall: a.o\n", empty("a.c")),
    "own compile line": Case("COMPILE.c=$(CC) -own -c\nall: a.o\n", empty("a.c")),
    "yacc": Case("YFLAGS=-d\nall: p.o\n", empty("p.y")),
    "no built-in rules": Case("all: a.o ; echo $^\na.o: ; own\n", empty("a.c"), options=("-r",)),
    "a file that is there": Case("all: a.c ; echo $<\n", empty("a.c")),
    "suffix rule": Case(".SUFFIXES: .x .y\n.y.x: ; mk $< $@ $*\nall: a.x\n", empty("a.y")),
    "suffix rule before its suffixes": Case(".y.x: ; mk $<\n.SUFFIXES: .x .y\nall: a.x\n", empty("a.y")),
    "suffix rule before they are taken away": Case(".c.o: ; mk $<\n.SUFFIXES:\na.o: ; own\nall: a.o\n", empty("a.c")),
    "pattern before a suffix rule": Case(".c.o: ; one $<\n%.o: %.c ; two $<\nall: a.o\n", empty("a.c")),
    "single suffix": Case(".SUFFIXES: .y\n.y: ; mk $< $@\nall: a ; @:\n", empty("a.y")),
    "suffixes taken away": Case(".SUFFIXES:\nall: a.o ; @:\na.o: ; own\n", empty("a.c")),
    "suffixes of its own": Case(".SUFFIXES:\n.SUFFIXES: .c .o\n.c.o: ; mine $<\nall: a.o\n", empty("a.c")),
    "suffix rule that is none": Case(".q.w: ; echo $@\nall: .q.w\n"),
    "built-in suffix rule replaced": Case(".c.o:\n\tmine -c $<\nall: a.o\n", empty("a.c")),
    "second expansion": Case(".SECONDEXPANSION:\nall: $$(V) ; echo $^\nV=a b\na b: ; echo $@\n"),
    "second expansion of the target": Case(
        ".SECONDEXPANSION:\na_D=x\nb_D=y\nall: a b\na b: $$($$@_D) ; echo $@ $^\nx y: ; @:\n"
    ),
    "second expansion with a function": Case(".SECONDEXPANSION:\nall: $$(addsuffix .x,a b) ; echo $^\n%.x: ; mk $@\n"),
    "second expansion of others": Case(
        ".SECONDEXPANSION:\nall: a b\nall: $$(addsuffix .x,$$^)\nall: ; echo $^\na b a.x b.x: ; @:\n"
    ),
    "second expansion, order only": Case(".SECONDEXPANSION:\nP=a|b\nall: $$(P) ; echo $^ / $|\na b: ; @:\n"),
    "second expansion in a pattern": Case(
        ".SECONDEXPANSION:\na_D=h1 h2\nall: a.x\n%.x: %.y $$($$*_D) ; mk $^\nh1 h2: ; @:\n", empty("a.y")
    ),
    "second expansion in a pattern of a folder": Case(
        ".SECONDEXPANSION:\nall: d/a.x\n%.x: $$(addsuffix .y,%) ; mk $^ $*\n", empty("d/a.y")
    ),
    "second expansion in a static pattern": Case(
        ".SECONDEXPANSION:\na_D=h\nall: a.x\na.x: %.x: $$(%_D) %.y ; mk $^ $*\nh: ; @:\n", empty("a.y")
    ),
    "second expansion only behind the target": Case(
        "A=1\nall: $$(A)\n.SECONDEXPANSION:\nx: ; @:\n$$(A): ; echo '$@'\n"
    ),
    "vpath": Case("VPATH=s t\nall: a.o b.o\n%.o: %.c ; cc $< $@\n", empty("s/a.c", "t/b.c")),
    "vpath with colons": Case("VPATH=s:t\nall: a.c b.c ; echo $^\n", empty("s/a.c", "t/b.c")),
    "vpath directive": Case("vpath %.c s\nvpath %.h i:j\nall: a.c x.h ; echo $^ $<\n", empty("s/a.c", "j/x.h")),
    "vpath taken away": Case("vpath %.c s\nvpath %.c\nall: a.c ; echo $^\na.c: ; @:\n", empty("s/a.c")),
    "vpath and a slash": Case("VPATH=s/\nall: a.c ; echo $^\n", empty("s/a.c")),
    "vpath for a pattern": Case("VPATH=s\nall: a.o\n", empty("s/a.c")),
    "library in the folder": Case("all: -lfoo ; echo $^\n", empty("libfoo.a")),
    "library by vpath": Case("VPATH=l\nall: -lfoo ; echo $<\n", empty("l/libfoo.so")),
    "library patterns": Case(".LIBPATTERNS=%.lib\nall: -lfoo ; echo $<\n", empty("foo.lib")),
    "member of an archive": Case("all: lib.a(a.o)\nlib.a(a.o): a.o ; put $@ $% $<\na.o: ; @:\n"),
    "members of an archive": Case("all: lib.a(a.o b.o)\n", empty("a.c", "b.c")),
    "archive rule": Case("(%): % ; put $@ $%\nall: l.a(x) l.a(y)\nx y: ; mk $@\n"),
    "archive suffix rule": Case(".c.a: ; put $< $@ $%\nall: l.a(x.o)\n", empty("x.c")),
    "rcs": Case("CO=true\nall: a.txt ; echo $<\n", empty("RCS/a.txt,v")),
    "sccs": Case("all: a.txt ; echo $<\n", empty("SCCS/s.a.txt")),
    "default": Case(".DEFAULT: ; mk $@ [$<]\nall: a b ; echo $^\n"),
    "default with a goal": Case("all: ; @:\n.DEFAULT: ; sub $@\n", goals=("other",)),
    "default and other targets": Case(".DEFAULT x: ; mk $@\nall: x y ; @:\n", goals=("all",)),
    "default taken back": Case(".DEFAULT: ; mk $@\n.DEFAULT:\nall: ; echo all\n"),
}

RECIPES = {
    "prefixes": Case("all:\n\t@echo 1\n\t-echo 2\n\t@- echo 4\n\t  @ echo 5\n"),
    "prefixes of a variable": Case("Q=@\nall:\n\t$(Q)echo 1\n\t$(Q)-echo 2\n"),
    "lines of a variable": Case("define R\n@echo 1\n-echo 2\nendef\nall:\n\t@$(R)\n"),
    "joined": Case("all:\n\techo a \\\n\tb \\\n\t  c\n"),
    "joined in quotes": Case("all:\n\techo 'a\\\n\tb' \"c\\\n\td\"\n"),
    "joined in a reference": Case("all:\n\techo $(subst a,b,a \\\n\t a)\n"),
    "two backslashes": Case("all:\n\techo a\\\\\n\techo b\n"),
    "a dollar for the shell": Case("all:\n\tfor i in a b; do echo $$i $${i} $$(echo x); done\n"),
    "empty lines": Case("all:\n\n\techo 1\n\t\n\techo 2\n"),
    "one shell": Case(".ONESHELL:\nall:\n\techo 1; \\\n\techo 2\n"),
    "nothing but blanks": Case("E=\nall:\n\t$(E)\n\t  $(E) \n\techo 1\n"),
    "a conditional command": Case("all:\n\t$(if $(X),echo x,echo y)\n"),
    "a foreach": Case("all:\n\t$(foreach i,a b,echo $(i);)\n"),
    "a foreach with line ends": Case("define n\n\n\nendef\nall:\n\t$(foreach i,a b,echo $(i)$(n))\n"),
    "a call": Case("c=echo $(1) > $(2)\nall:\n\t$(call c,a,b)\n"),
    "an assignment is the shell's": Case("all:\n\tA=1; echo $$A\n"),
    "define with target": Case("define R\necho $@ $<\nendef\nall: a ; $(R)\na: ; $(R)\n"),
    "silent": Case(".SILENT:\nall: ; echo 1\n"),
    "ignore": Case(".IGNORE: all\nall: ; echo 1\n"),
    "precious and others": Case(
        ".PRECIOUS: a\n.INTERMEDIATE: b\n.SECONDARY: c\n.NOTPARALLEL:\n.DELETE_ON_ERROR:\nall: ; echo 1\n"
    ),
    "posix": Case(".POSIX:\nA=a \\\n  b\nall: ; echo '$(A)' $(CC) $(CFLAGS)\n"),
    "crlf": Case("A=1\r\nall: b\r\n\techo $(A)\r\nb: ; @:\r\n"),
    "byte order mark": Case("\ufeffA=1\nall: ; echo $(A)\n"),
    "no newline at the end": Case("all:\n\techo 1"),
    "names beyond ascii": Case("Ä=1\nall: ü ; echo $(Ä) $<\nü: ; @:\n"),
}

INCLUDES = {
    "include": Case("include a.mk\nall: ; echo $(A)\n", {"a.mk": "A=1\n"}),
    "include many": Case("include a.mk b.mk\nall: ; echo $(A)$(B)\n", {"a.mk": "A=1\n", "b.mk": "B=2\n"}),
    "include a pattern": Case("include m/*.mk\nall: ; echo $(A)$(B)\n", {"m/a.mk": "A=1\n", "m/b.mk": "B=2\n"}),
    "include a variable": Case("F=a\ninclude $(F).mk $(NONE)\nall: ; echo $(A)\n", {"a.mk": "A=1\n"}),
    "include in an include": Case(
        "include m/a.mk\nall: ; echo $(A)$(B)\n", {"m/a.mk": "A=1\ninclude m/b.mk\n", "m/b.mk": "B=2\n"}
    ),
    "optional": Case("-include none.mk\nsinclude none2.mk\nall: ; echo fine\n"),
    "default goal of an include": Case("include a.mk\nall: ; echo all\n", {"a.mk": "first: ; echo first\n"}),
    "rules of an include": Case("all: a b\ninclude a.mk\n", {"a.mk": "a b: ; echo $@\n"}),
    "include adds a recipe": Case("all: a\na:\ninclude a.mk\n", {"a.mk": "a: ; echo $@\n"}),
    "dependency file": Case("all: a.o\n-include a.d\n", {"a.d": "a.o: a.c a.h\na.h:\n", "a.c": "", "a.h": ""}),
    "include folder": Case("include a.mk\nall: ; echo $(A)\n", {"inc/a.mk": "A=1\n"}, options=("-I", "inc")),
    "conditional over an include": Case(
        "ifeq ($(wildcard a.mk),a.mk)\ninclude a.mk\nendif\nall: ; echo $(A)\n", {"a.mk": "A=1\n"}
    ),
    "where an include stands": Case(
        "include m/a.mk\nall: ; echo $(D)\n", {"m/a.mk": "D:=$(dir $(lastword $(MAKEFILE_LIST)))\n"}
    ),
    "eval on the command line": Case("all: ; echo $(A)\n", options=("--eval=A=1",)),
    "makefiles": Case(
        "all: ; echo $(A) $(MAKEFILE_LIST)\n", {"a.mk": "A=1\nfirst: ; echo no\n"}, overrides={"MAKEFILES": "a.mk"}
    ),
    "two makefiles": Case(
        "A=1\n", {"two.mk": "all: ; echo $(A) $(MAKEFILE_LIST)\n"}, options=("-f", "Makefile", "-f", "two.mk")
    ),
    "another makefile": Case("", {"other.mk": "all: ; echo other\n"}, options=("-f", "other.mk")),
    "another folder": Case(
        "", {"sub/Makefile": "all: ; echo $(notdir $(CURDIR)) $(wildcard *.c)\n", "sub/x.c": ""}, options=("-C", "sub")
    ),
}
