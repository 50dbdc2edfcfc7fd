"""Makefiles written for the tests, by what the manual they follow is about; each with the other files of its folder
and the call. What real make makes of them is in `recorded.json`."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    """A makefile, the other files of its folder, and the call."""

    makefile: str
    files: dict[str, str] = field(default_factory=dict)
    goals: tuple[str, ...] = ()
    overrides: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()


def empty(*names: str) -> dict[str, str]:
    return dict.fromkeys(names, "")


TEXT_FUNCTIONS = {
    "subst of nothing": Case("all: ; echo [$(subst a,b,)] [$(subst a,,banana)] [$(subst ,x,abc)]\n"),
    "subst keeps blanks": Case('all: ; echo "$(subst a,b,  a   a )"\n'),
    "subst of a dollar": Case("D=$$\nall: ; echo '$(subst $(D),S,x$(D)y)'\n"),
    "patsubst drops blanks": Case('all: ; echo "$(patsubst %.c,%.o,  a.c   b.c )"\n'),
    "patsubst with a percent in a word": Case("all: ; echo $(patsubst a%,b%%,ab a%) $(patsubst %,%,x%y)\n"),
    "patsubst escaped percent": Case("all: ; echo '$(patsubst \\%a,X,%a)' '$(patsubst %a,\\%%,xa)'\n"),
    "patsubst with backslashes": Case("all: ; echo '$(patsubst a\\\\%,X%,a\\b)'\n"),
    "reference with two percents": Case("L=a.c b.h\nall: ; echo $(L:%.c=%.o) $(L:%=<%>) $(L:.h=.%)\n"),
    "reference to nothing": Case("all: ; echo [$(NONE:a=b)] [$(NONE:%=x)]\n"),
    "reference with variables": Case("L=a.c\nF=.c\nT=.o\nall: ; echo $(L:$(F)=$(T)) ${L:${F}=.x}\n"),
    "strip": Case('all: ; echo "[$(strip   a   b  )]" "[$(strip )]"\n'),
    "findstring": Case("all: ; echo [$(findstring a,abc)] [$(findstring d,abc)] [$(findstring ,abc)]\n"),
    "filter with escapes": Case("all: ; echo $(filter a\\%c,a%c abc) $(filter-out %x,ax b)\n"),
    "filter keeps the order": Case("all: ; echo $(filter b a,a b c b)\n"),
    "filter with many patterns": Case("all: ; echo $(filter %.c %.h x%,a.c b.h xy q)\n"),
    "filter-out all": Case("all: ; echo [$(filter-out %,a b)] [$(filter ,a b)] [$(filter-out ,a b)]\n"),
    "sort drops doubles": Case("all: ; echo $(sort c b a c) [$(sort )]\n"),
    "word past the end": Case("all: ; echo [$(word 4,a b c)] $(word 3,a b c) $(words a b c) $(words)\n"),
    "wordlist": Case("all: ; echo $(wordlist 1,2,a b c) [$(wordlist 3,2,a b c)] $(wordlist 2,9,a b c)\n"),
    "firstword and lastword": Case("all: ; echo $(firstword  x y) $(lastword x y ) [$(firstword )]\n"),
    "dir of many": Case("all: ; echo $(dir src/foo.c hacks / /a a/ a//b)\n"),
    "notdir of many": Case("all: ; echo $(notdir src/foo.c hacks / a/ /a)\n"),
    "suffix of many": Case("all: ; echo $(suffix src/foo.c src-1.0/bar.c hacks .x a.) [$(suffix a/b.c/d)]\n"),
    "basename of many": Case("all: ; echo $(basename src/foo.c src-1.0/bar hacks .x a. a.b.c)\n"),
    "affixes": Case("all: ; echo $(addprefix a b,x y) $(addsuffix .c .d,x) [$(addsuffix .c,)]\n"),
    "join of uneven lists": Case("all: ; echo $(join a b,.c .o .x) $(join a b c,1) [$(join ,)]\n"),
    "abspath of dots": Case("all: ; echo $(notdir $(abspath ./a/../b//c)) $(abspath /x/./y/../z /)\n"),
    "commas in arguments": Case("comma=,\nall: ; echo $(subst $(comma),;,a$(comma)b) $(subst a,b,a,b)\n"),
    "blanks in arguments": Case('e=\ns=$(e) $(e)\nall: ; echo "$(subst $(s),-,a b c)" "$(addprefix  x,a)"\n'),
    "brackets in arguments": Case("o=(\nall: ; echo '$(subst $(o),[,(a))' '${subst (,[,(a}'\n"),
    "a function's name as a variable": Case("subst=own\nall: ; echo $(subst) $(subst a,b,a)\n"),
    "nested functions": Case("all: ; echo $(sort $(patsubst %.c,%.o,$(filter %.c,b.c a.c x.h)))\n"),
}

CONTROL_FUNCTIONS = {
    "if with blanks": Case("all: ; echo [$(if   ,a,b)] [$(if x,,b)] [$(if ,a)] [$(if a , b , c )]\n"),
    "if expands one arm": Case("all: ; echo $(if y,$(eval A=1)yes,$(eval A=2)no) $(A)\n"),
    "if with commas": Case("all: ; echo '$(if x,a,b,c)' '$(if ,a,b,c)'\n"),
    "or and and": Case("all: ; echo [$(or a,b)] [$(or , ,c)] [$(and a,b)] [$(and a,,b)] [$(or )]\n"),
    "foreach over nothing": Case("all: ; echo [$(foreach i,,x$(i))] [$(foreach i,a b,)]\n"),
    "foreach nested": Case("all: ; echo $(foreach i,a b,$(foreach j,1 2,$(i)$(j)))\n"),
    "foreach restores": Case("i=out\nall: ; echo $(foreach i,a,$(i)) $(i) $(foreach i,a,$(foreach i,b,$(i))$(i))\n"),
    "foreach with a computed name": Case("n=i\nall: ; echo $(foreach $(n),a b,<$(i)>)\n"),
    "foreach sees recursive": Case("v=[$(i)]\nall: ; echo $(foreach i,a b,$(v))\n"),
    "call with too few": Case("f=[$(1)|$(2)|$(3)]\nall: ; echo '$(call f,a)' '$(call f)' '$(call f,a,b,c,d)'\n"),
    "call nested": Case("f=<$(1)>\ng=$(call f,$(2))$(call f,$(1))\nall: ; echo '$(call g,a,b)'\n"),
    "call of a simple variable": Case("f:=x$(1)y\nall: ; echo $(call f,a)\n"),
    "call of nothing": Case("all: ; echo [$(call none,a)] [$(call ,a)]\n"),
    "call of a function": Case("all: ; echo $(call subst,a,b,aa) $(call sort,b a) $(call foreach,i,a b,x)\n"),
    "call zero": Case("f=$(0)($(1))\nall: ; echo '$(call f,a)'\n"),
    "call with a computed name": Case("f_a=A$(1)\nf_b=B$(1)\nk=b\nall: ; echo $(call f_$(k),1) $(call f_a,2)\n"),
    "call strips nothing": Case('f="[$(1)][$(2)]"\nall: ; echo $(call f, a , b)\n'),
    "call recursive": Case(
        "r=$(if $(1),$(call r,$(wordlist 2,9,$(1)))$(firstword $(1)))\nall: ; echo $(call r,a b c)\n"
    ),
    "value": Case("A=$(B)c\nB=b\nall: ; echo '$(value A)' $(A) '$(value NONE)'\n"),
    "value of simple": Case("A:=$$(B)\nall: ; echo '$(value A)' '$(A)'\n"),
    "eval of a rule": Case("$(eval all: x ; echo all)\nx: ; echo x\n"),
    "eval of many lines": Case("define T\nA=1\nB=$$(A)2\nendef\n$(eval $(T))\nA=3\nall: ; echo $(A)$(B)\n"),
    "eval twice": Case("define T\n$(1)_x := $$($(1))y\nendef\nA=a\n$(eval $(call T,A))\nall: ; echo $(A_x)\n"),
    "eval of a target variable": Case("$(eval all: V=1)\nall: ; echo $(V)\n"),
    "eval of a conditional": Case(
        "X=1\ndefine T\nifdef X\nY=yes\nelse\nY=no\nendif\nendef\n$(eval $(T))\nall: ; echo $(Y)\n"
    ),
    "eval of a define": Case("define D\ndefine E\nin $(1)\nendef\nendef\n$(eval $(call D,q))\nall: ; echo $(E)\n"),
    "eval in foreach": Case("$(foreach v,a b,$(eval $(v)_V:=$(v)1))\nall: ; echo $(a_V) $(b_V)\n"),
    "eval of a pattern rule": Case("$(eval %.o: %.c ; cc $$< -o $$@)\nall: a.o\n", empty("a.c")),
    "eval of an include": Case("$(eval include a.mk)\nall: ; echo $(A)\n", {"a.mk": "A=1\n"}),
    "eval of an export": Case("$(eval export A=1)\nall: ; echo $(A)\n"),
    "eval of nothing": Case("$(eval )\nA=$(eval )x\nall: ; echo $(A)\n"),
    "origin": Case(
        "A=1\noverride B=2\nall: ; echo $(foreach n,A B C D E CC @,$(origin $(n)))\n",
        overrides={"C": "3"},
        environment={"D": "4"},
    ),
    "flavor": Case("A=1\nB:=1\nC+=1\nD?=1\nall: ; echo $(flavor A) $(flavor B) $(flavor C) $(flavor D) $(flavor E)\n"),
    "flavor after an append": Case("A:=1\nA+=2\nB=1\nB+=2\nall: ; echo $(flavor A) $(flavor B)\n"),
    "warning says nothing": Case("all: ; echo x$(warning z)\n"),
    "an error that is not reached": Case("all: ; echo $(if ,$(error no),fine)\n"),
    "file that is read": Case("A:=$(file < a.txt)\nall: ; echo '$(A)'\n", {"a.txt": "one two\n"}),
    "wildcard with a folder": Case("all: ; echo $(wildcard s/*.c s/*/x.c none/*)\n", empty("s/a.c", "s/t/x.c")),
    "wildcard with brackets": Case("all: ; echo $(wildcard [ab].c ?.h)\n", empty("a.c", "b.c", "c.c", "d.h")),
    "wildcard of a name": Case(
        "all: ; echo [$(wildcard a.c)] [$(wildcard z.c)] [$(wildcard s)]\n", empty("a.c", "s/x")
    ),
    "shell echo": Case("A:=$(shell echo a b)\nB:=$(shell echo 'x  y')\nall: ; echo $(A) '$(B)'\n"),
    "shell true": Case("A:=$(shell true)\nall: ; echo [$(A)]\n"),
    "shell in a condition": Case("ifeq ($(shell echo yes),yes)\nA=1\nendif\nall: ; echo $(A)\n"),
    "shell assignment": Case("A != echo one\nB != echo '$$(A)'\nall: ; echo $(A) $(B)\n"),
    "shell pipeline": Case("A:=$(shell echo Linux-x | tr A-Z a-z | cut -d- -f1)\nall: ; echo $(A)\n"),
    "shell and": Case("ifeq ($(shell echo a-b | grep -q b && echo y),y)\nA=1\nendif\nall: ; echo [$(A)]\n"),
    "shell lines": Case("A:=$(shell printf 'a\\nb\\n' | sed 's/b/c/')\nall: ; echo [$(A)]\n"),
    "shell uname": Case("ifneq ($(filter Linux%,$(shell uname)),)\nA=lin\nelse\nA=other\nendif\nall: ; echo $(A)\n"),
}

VARIABLES = {
    "export before a default": Case("export A\nA?=1\nexport B\nB=2\nall: ; echo [$(A)] $(B)\n"),
    "unexport before a default": Case("unexport A\nA?=1\nall: ; echo [$(A)]\n"),
    "recursive sees later": Case("A=$(B)\nall: ; echo $(A)\nB=1\n"),
    "simple does not": Case("A:=[$(B)]\nB=1\nall: ; echo '$(A)'\n"),
    "posix simple": Case("B=1\nA::=$(B)\nB=2\nall: ; echo $(A)\n"),
    "append to nothing": Case("A+=1\nA+=$(B)\nB=2\nall: ; echo $(A)\n"),
    "append to simple": Case("B=1\nA:=0\nA+=$(B)\nB=2\nall: ; echo $(A)\n"),
    "append nothing": Case('A=1\nA+=\nB:=1\nB+=\nall: ; echo "[$(A)][$(B)]"\n'),
    "append after a default": Case("A?=1\nA+=2\nall: ; echo $(A)\n"),
    "default after nothing": Case("A=\nA?=1\nall: ; echo [$(A)]\n"),
    "default is recursive": Case("A?=$(B)\nB=1\nall: ; echo $(A)\n"),
    "undefine then default": Case("A=1\nundefine A\nA?=2\nall: ; echo $(A)\n"),
    "undefine of a computed name": Case("A=1\nn=A\nundefine $(n)\nall: ; echo [$(A)] $(origin A)\n"),
    "names with signs": Case("a.b-c/d=1\nall: ; echo $(a.b-c/d) $(a.b-c/d:1=2)\n"),
    "a computed name that is set": Case("n=A\n$(n)_x=1\n$(n)_$(n):=2\nall: ; echo $(A_x)$(A_A)\n"),
    "one letter": Case("A=1\nAB=2\nall: ; echo $A $AB $(AB) ${A}B\n"),
    "dollars": Case("A=$$\nB=$$$$\nall: ; echo '$(A)' '$(B)' '$$' '$(A)$(A)'\n"),
    "blanks at the ends": Case('A=  x  # c\nB:=  y\nall: ; echo "[$(A)][$(B)]"\n'),
    "a value of one blank": Case('e:=\ns:=$(e) # end\nall: ; echo "[$(s)]"\n'),
    "continued value": Case("A=a\\\n  b \\\n\tc\nall: ; echo $(A)\n"),
    "continued with a comment": Case("A=a # b \\\n c\nall: ; echo $(A)\n"),
    "continued empty line": Case("A=a \\\n\nB=b\nall: ; echo [$(A)][$(B)]\n"),
    "number sign": Case("A=a\\#b\nB=$(subst x,\\#,axb)\nall: ; echo '$(A)' '$(B)'\n"),
    "number sign in a reference": Case("f=$(1)\nA:=$(call f,#x#)#y\nall: ; echo '$(A)'\n"),
    "backslashes before a number sign": Case("A=a\\\\#b\nall: ; echo '$(A)'\n"),
    "equals in a value": Case("A=b=c\nB:=x:=y\nC=-DX=\"1\"\nall: ; echo $(A) $(B) '$(C)'\n"),
    "colon equals blank": Case("A := 1\nall: ; echo $(A)\n"),
    "define keeps lines": Case("define A\necho 1\n@echo 2\nendef\nall:\n\t$(A)\n\techo 3\n"),
    "define of nothing": Case("define A\nendef\ndefine B\n\nendef\nall: ; echo [$(A)][$(strip $(B))]\n"),
    "define with an operator": Case("define A :=\n$(B)\nendef\nB=1\ndefine C +=\nx\nendef\nall: ; echo [$(A)][$(C)]\n"),
    "define nested": Case("define A\ndefine B\nx\nendef\nendef\nall: ; echo '$(firstword $(A))'\n"),
    "define with a comment": Case("define A # c\nx # d\nendef # e\nall: ; echo '$(A)'\n"),
    "define exported": Case("export define A\nx\nendef\nall: ; echo $(A) $(flavor A)\n"),
    "define with override": Case("override define A\nx\nendef\nall: ; echo $(A)\n", overrides={"A": "cmd"}),
    "define in a conditional": Case("ifdef X\ndefine A\n1\nendef\nelse\ndefine A\n2\nendef\nendif\nall: ; echo $(A)\n"),
    "define with conditional text": Case(
        "define A\nifdef X\nY=1\nelse\nY=2\nendif\nendef\n$(eval $(A))\nall: ; echo $(Y)\n"
    ),
    "override append": Case("override A+=x\nA+=y\nall: ; echo $(A)\n", overrides={"A": "c"}),
    "override default": Case("override A?=x\noverride B?=y\nall: ; echo $(A) $(B)\n", overrides={"A": "c"}),
    "override undefine": Case(
        "override undefine A\nundefine B\nall: ; echo [$(A)][$(B)]\n", overrides={"A": "1", "B": "2"}
    ),
    "command line recursive": Case("B=1\nall: ; echo $(A)\n", overrides={"A": "$(B)"}),
    "command line before default": Case("A?=x\nA:=y\nall: ; echo $(A)\n", overrides={"A": "c"}),
    "environment and append": Case("A+=x\nall: ; echo $(A)\n", environment={"A": "e"}),
    "environment and default": Case("A?=x\nB?=y\nall: ; echo $(A) $(B)\n", environment={"A": "e"}),
    "environment first": Case(
        "A=x\nB?=y\nall: ; echo $(A) $(B) $(origin A)\n", environment={"A": "e"}, options=("-e",)
    ),
    "environment first, append": Case("A+=x\nall: ; echo $(A)\n", environment={"A": "e"}, options=("-e",)),
    "environment first, override": Case("override A=x\nall: ; echo $(A)\n", environment={"A": "e"}, options=("-e",)),
    "environment with a reference": Case("B=1\nall: ; echo $(A)\n", environment={"A": "$(B)"}),
    "environment in a condition": Case("ifdef A\nX=1\nendif\nall: ; echo [$(X)]\n", environment={"A": ""}),
    "makefile list": Case(
        "A:=$(MAKEFILE_LIST)\ninclude a.mk\nall: ; echo $(A) / $(MAKEFILE_LIST) / $(B)\n",
        {"a.mk": "B:=$(lastword $(MAKEFILE_LIST))\n"},
    ),
    "default goal is told": Case("A:=[$(.DEFAULT_GOAL)]\nall: ; echo '$(A)' $(.DEFAULT_GOAL)\n"),
    "default goal is set": Case(".DEFAULT_GOAL := two\none: ; echo 1\ntwo: ; echo 2\n"),
    "default goal is computed": Case("D=two\n.DEFAULT_GOAL = $(D)\none: ; echo 1\ntwo: ; echo 2\n"),
    "goals": Case("all x: ; echo $(MAKECMDGOALS) $@\n", goals=("x", "all")),
    "recipe prefix": Case(
        ".RECIPEPREFIX = >\nall:\n>echo 1\n> echo 2\n.RECIPEPREFIX =\nb:\n\techo 3\n", goals=("all", "b")
    ),
    "features": Case("ifneq ($(filter grouped-target,$(.FEATURES)),)\nA=yes\nendif\nall: ; echo $(A)\n"),
    "levels": Case("ifeq ($(MAKELEVEL),0)\nA=top\nendif\nall: ; echo $(A)\n"),
    "suffixes": Case("all: ; echo $(firstword $(SUFFIXES)) $(words $(SUFFIXES))\n"),
    "no built-in variables": Case("all: ; echo [$(CC)][$(RM)][$(SHELL)]\n", options=("-R",)),
    "default variables": Case(
        "all: ; echo $(CC) $(CXX) $(AR) $(ARFLAGS) $(RM) $(AS) $(FC) $(LEX) $(YACC) $(CPP) $(LD)\n"
    ),
    "private global": Case("private A=1\nB:=$(A)\nall: ; echo [$(A)] $(B)\n"),
    "the name of make": Case("all: ; echo $(notdir $(MAKE_COMMAND))\n"),
}

CONDITIONALS = {
    "ifeq with quotes": Case("A=x\nifeq '$(A)' \"x\"\nB=1\nendif\nifneq \"a\" 'b'\nC=2\nendif\nall: ; echo $(B)$(C)\n"),
    "ifeq with blanks": Case(
        "ifeq (a, a)\nA=1\nendif\nifeq ( a,a)\nB=1\nendif\nifeq (a ,a)\nC=1\nendif\nall: ; echo $(A)-$(B)-$(C)\n"
    ),
    "ifeq with commas": Case("A=x,y\nifeq ($(A),x,y)\nB=1\nendif\nall: ; echo [$(B)]\n"),
    "ifeq with brackets": Case("ifeq ((a),(a))\nA=1\nendif\nall: ; echo $(A)\n"),
    "ifeq with calls": Case(
        "A=a b\nifeq ($(words $(A)),2)\nB=1\nendif\nifeq ($(filter b,$(A)),b)\nC=1\nendif\nall: ; echo $(B)$(C)\n"
    ),
    "ifdef is not expansion": Case("A=$(NONE)\nifdef A\nB=1\nendif\nC=\nifdef C\nD=1\nendif\nall: ; echo $(B)[$(D)]\n"),
    "ifdef of a computed name": Case("n=A\nA=1\nifdef $(n)\nB=1\nendif\nall: ; echo $(B)\n"),
    "ifndef": Case("ifndef A\nB=1\nelse\nB=2\nendif\nall: ; echo $(B)\n"),
    "else chain": Case(
        "A=3\nifeq ($(A),1)\nB=1\nelse ifeq ($(A),2)\nB=2\nelse ifdef A\nB=3\nelse\nB=4\nendif\nall: ; echo $(B)\n"
    ),
    "nested in a dead arm": Case("ifdef X\nifdef Y\nA=1\nelse\nA=2\nendif\nelse\nA=3\nendif\nall: ; echo $(A)\n"),
    "in a recipe": Case("A=1\nall:\n\techo 1\nifdef A\n\techo 2\nelse\n\techo 3\nendif\n\techo 4\n"),
    "around a rule": Case("ifdef X\nall: a\nelse\nall: b\nendif\n\techo $^\na b: ; @:\n"),
    "with a comment": Case("ifdef A # c\nB=1\nelse # d\nB=2\nendif # e\nall: ; echo $(B)\n"),
    "indented": Case("ifndef X\n  ifndef Y\n    A = 1\n  endif\nendif\nall: ; echo $(A)\n"),
    "with a tab": Case("ifndef X\n\tA = 1\nendif\nall: ; echo $(A)\n"),
    "broken text in a dead arm": Case("ifdef X\nthis is no makefile\nendif\nall: ; echo fine\n"),
    "a dead include": Case("ifdef X\ninclude nothing.mk\nendif\nall: ; echo fine\n"),
    "on a goal": Case("ifneq ($(filter x,$(MAKECMDGOALS)),)\nA=1\nendif\nx: ; echo [$(A)]\n", goals=("x",)),
    "on the origin": Case("ifeq ($(origin CC),default)\nCC=gcc\nendif\nall: ; echo $(CC)\n"),
    "on the origin, from outside": Case(
        "ifeq ($(origin CC),default)\nCC=gcc\nendif\nall: ; echo $(CC)\n", environment={"CC": "clang"}
    ),
}

TARGET_VARIABLES = {
    "inherited": Case("all: V=1\nall: x\nx: ; echo $(V)\n"),
    "not upwards": Case("all: x ; echo [$(V)]\nx: V=1\nx: ; echo $(V)\n"),
    "through two levels": Case("V=g\nall: V=a\nall: x\nx: y ; echo $(V)\ny: ; echo $(V)\n"),
    "simple at once": Case("A=1\nall: V:=$(A)\nA=2\nall: ; echo $(V)\n"),
    "append to global": Case("V=g\nall: V+=t\nall: ; echo $(V)\n"),
    "append twice": Case("V=g\nall: V+=1\nall: V+=2\nall: ; echo $(V)\n"),
    "append then set": Case("V=g\nall: V+=1\nall: V=2\nall: V+=3\nall: ; echo $(V)\n"),
    "append in the prerequisite": Case("V=g\nall: V+=a\nall: x\nx: V+=x\nx: ; echo $(V)\n"),
    "default": Case("all: V?=1\nall: W?=2\nW=g\nall: ; echo $(V) $(W)\n"),
    "many targets": Case("all: a b\na b: V=$@\na b: ; echo $(V)\n"),
    "private": Case("all: private V=1\nV=g\nall: x ; echo $(V)\nx: ; echo $(V)\n"),
    "override": Case("all: override V=1\nall: ; echo $(V)\n", overrides={"V": "c"}),
    "command line wins": Case("all: V=1\nall: ; echo $(V)\n", overrides={"V": "c"}),
    "command line and append": Case("all: V+=1\nall: ; echo $(V)\n", overrides={"V": "c"}),
    "environment loses": Case("all: V=1\nall: ; echo $(V)\n", environment={"V": "e"}),
    "environment first": Case("all: V=1\nall: ; echo $(V)\n", environment={"V": "e"}, options=("-e",)),
    "in prerequisites": Case("V=a\nall: V=b\nall: $(V)\na b: ; echo $@\n"),
    "with the target": Case("all: V=$@.x\nall: ; echo $(V)\n"),
    "with the prerequisites": Case("all: V=$(^:.a=.b)\nall: x.a ; echo $(V)\nx.a: ; @:\n"),
    "name of a variable": Case("all:A=x\nall:V$(A)=ok\nall: ; echo $(V) $(Vx)\n"),
    "pattern": Case("%.o: V=p\nall: a.o b\na.o b: ; echo $@ $(V)\nV=g\n"),
    "pattern append": Case("V=g\n%.o: V+=p\na.o: V+=o\nall: a.o\na.o: ; echo $(V)\n"),
    "patterns by length": Case("%.o: V=1\na%.o: V=2\n%: W=3\nall: ab.o\nab.o: ; echo $(V) $(W)\n"),
    "patterns in order": Case("a%: V=1\n%b: V+=2\na%: V+=3\n%b: W?=4\nab: ; echo $(V) $(W)\n"),
    "pattern override": Case("%.x: override V=1\nall: a.x\na.x: ; echo $(V)\n", overrides={"V": "c"}),
    "pattern private": Case("%.x: private V=1\nV=g\na.x: b ; echo $(V)\nb: ; echo $(V)\n"),
    "pattern simple": Case("A=1\n%.x: V:=$(A)\nA=2\na.x: ; echo $(V)\n"),
    "pattern of the goal inherited": Case("%.x: V=1\na.x: b ; echo $(V)\nb: ; echo [$(V)]\n"),
    "export with a value": Case("all: export V=1\nall: ; echo $(V)\n"),
    "a target that is named like a modifier": Case("all: override\noverride: ; echo $@\n"),
    "undefine does not count": Case("all: V=1\nundefine V\nall: ; echo $(V)\n"),
    "shared prerequisite, first goal": Case(
        "debug: F=-g\nrelease: F=-O2\ndebug release: x ; echo $@ $(F)\nx: ; echo $(F)\n", goals=("debug",)
    ),
    "shared prerequisite, second goal": Case(
        "debug: F=-g\nrelease: F=-O2\ndebug release: x ; echo $@ $(F)\nx: ; echo $(F)\n", goals=("release",)
    ),
    "shared prerequisite, both": Case(
        "debug: F=-g\nrelease: F=-O2\ndebug release: x ; echo $@ $(F)\nx: ; echo $(F)\n", goals=("debug", "release")
    ),
    "of an implicit rule": Case("CFLAGS=-O2\na.o: CFLAGS+=-g\nall: a.o b.o\n", empty("a.c", "b.c")),
    "define for a target": Case("define V\n1\nendef\nall: V+=2\nall: ; echo $(V)\n"),
}
