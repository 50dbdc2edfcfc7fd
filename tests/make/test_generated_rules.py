"""Generated makefiles: rules of every kind with target- and pattern-specific variables, against real make."""

import re
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .judge import agree, lines, ours, real

EXPLICIT = ("all", "a", "b", "c.x", "d/e.x", "lib/f.o")
FILES = dict.fromkeys(("p.y", "q.z", "d/p.y", "src/r.y", "t.c", "u.cc", "lib/f.c"), "")
IMPLICIT = ("p.x", "q.x", "d/p.x", "r.x", "t.o", "u.o", "t", "none.x", "p.w")
NAMES = ("V", "W", "CFLAGS")
PATTERNS = ("%", "%.x", "%.o", "a%", "d/%", "%b", "p.%")
RULES = (
    "%.x: %.y ; mk $@ $< $* $(V)",
    "%.x: %.z ; mz $@ $^ $* $(W)",
    "%.w: %.x | b ; mw $@ $< $|",
    "%.x %.w2: %.q ; two $@",
    "d/%.x: %.y ; md $@ $< $*",
    "%.o: %.c b ; cc $(CFLAGS) $^ -o $@",
    "%.x: %.y",
    "%.x: src/%.y ; ms $@ $<",
    "p%: q% ; pq $@ $* $<",
    "%:: %.in ; never",
    ".y.x: ; suffix $< $@",
)
LINES = (
    "VPATH = src",
    "vpath %.y src",
    "vpath %.y",
    ".PHONY: a b",
    ".SUFFIXES:",
    ".SUFFIXES: .y .x .c .o",
    ".SECONDEXPANSION:",
    ".DEFAULT_GOAL := b",
    "export V",
    "unexport V",
    ".IGNORE: a",
    "private W = priv",
    ".DEFAULT: ; dflt $@",
    "define T\n$(1): $(2) ; tmpl $$@ $$^ $(3)\nendef",
    "$(eval $(call T,ev.x,b,$(V)))",
    "$(foreach i,1 2,$(eval n$(i).x: ; each $$@ $(i)))",
    "undefine W",
    "override V += o",
    "include more.mk",
)
MORE = {"more.mk": "V += more\nmore.x: b ; inc $@ $(V)\n"}
OPERATORS = ("=", ":=", "+=", "?=")

targets = st.sampled_from((*EXPLICIT, *IMPLICIT))
prerequisites = st.lists(targets, max_size=3)
values = st.sampled_from(("1", "$(W)x", "$@", "$(CFLAGS) -g", "$(V:1=2)", "$(notdir $@)", "a b", ""))


@st.composite
def _rules(draw: st.DrawFn) -> str:
    names = draw(st.lists(st.sampled_from(EXPLICIT), min_size=1, max_size=2, unique=True))
    before = " ".join(draw(prerequisites))
    behind = " ".join(draw(st.lists(targets, max_size=1)))
    order = f" | {behind}" if behind else ""
    colon = draw(st.sampled_from((":", ":", ":", "::")))
    recipe = draw(
        st.sampled_from(("", " ; run $@ [$^] [$|] $(V)", " ; one $< $(W) $(@D)", " ; @two $+ $(CFLAGS)\n\tthree $(@F)"))
    )
    return f"{' '.join(names)}{colon} {before}{order}{recipe}"


@st.composite
def _static(draw: st.DrawFn) -> str:
    names = " ".join(draw(st.lists(st.sampled_from(("s1.x", "s2.x", "d/s.x")), min_size=1, max_size=2, unique=True)))
    needs = draw(st.sampled_from(("%.y2", "b", "%.y2 b", "src/%.y2 | a")))
    return f"{names}: %.x: {needs} ; static $@ $* $^ $(V)\n%.y2: ; y2 $@ $*"


assignments = st.builds(
    lambda name, op, value: f"{name} {':=' if name in value else op} {value}",
    st.sampled_from(NAMES),
    st.sampled_from(OPERATORS),
    values,
)
specific = st.builds(
    # make 4.3 marks the outer variable where a modifier stands before ?= and it is set already
    lambda target, modifier, assignment: f"{target}: {'' if '?=' in assignment else modifier}{assignment}",
    st.one_of(targets, st.sampled_from(PATTERNS)),
    st.sampled_from(("", "", "override ", "private ", "export ")),
    assignments,
)
line = st.one_of(
    _rules(), _rules(), _static(), st.sampled_from(RULES), assignments, specific, specific, st.sampled_from(LINES)
)


@st.composite
def _makefiles(draw: st.DrawFn) -> tuple[str, tuple[str, ...], dict[str, str], dict[str, str]]:
    lines = draw(st.lists(line, min_size=3, max_size=14))
    if draw(st.integers(0, 2)) == 0:
        test = draw(st.sampled_from(("ifdef V", "ifeq ($(W),1)", "ifneq ($(filter a,$(MAKECMDGOALS)),)")))
        lines += [test, draw(line), "else", draw(line), "endif"]
    goals = tuple(draw(st.lists(targets, max_size=2, unique=True)))
    overrides = draw(st.dictionaries(st.sampled_from(NAMES), st.sampled_from(("c", "-O2")), max_size=1))
    environment = draw(st.dictionaries(st.sampled_from(NAMES), st.sampled_from(("e", "-O1")), max_size=1))
    return "\n".join(lines) + "\n", goals, overrides, environment


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(_makefiles())
def test_generated_rules_run_as_real_make_runs_them(
    made: tuple[str, tuple[str, ...], dict[str, str], dict[str, str]],
) -> None:
    compare(*made)


_ODD = re.compile(r"(?m)^\S*%\S*: .*\+=|^private ")
"""Where make 4.3 errs when the command line sets the variable: a pattern's += gives it twice, `private` hides it."""


def compare(text: str, goals: tuple[str, ...], overrides: dict[str, str], environment: dict[str, str]) -> None:
    if overrides and _ODD.search(text):
        return
    files = {"Makefile": text, **MORE, **FILES}
    with tempfile.TemporaryDirectory() as folder:
        try:
            expected = real(Path(folder), files, goals, overrides, environment, ("-B",))
        except AssertionError:
            return  # make refuses the makefile, or a file that no rule makes
    try:
        texts = ours(files, goals, overrides, environment)
    except AssertionError as problem:
        raise AssertionError(f"{problem}\n{text}{goals}") from problem
    # make keeps normal and order-only prerequisites in one row; here only what is run counts
    texts.sort(key=lambda text: lines(text.text))
    expected.sort()
    said = [t.shown for t in texts]
    assert agree(texts, expected), f"\n{text}{goals} {overrides} {environment}\nours {said}\nmake {expected}"
