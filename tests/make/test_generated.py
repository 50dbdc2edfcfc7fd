"""Generated makefiles: variables of every flavour and calls of every text function, against real make."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .judge import agree, ours, real

NAMES = ("A", "B", "C", "D")
WORDS = ("a", "b.c", "d/e.c", "-O2", "x%y", "f.o", "c", "ab", "%", ".c", "d/", "..", "a.b.c")

PATTERNS = ("%.c", "a%", "%", "b.c", "%b%")
TESTS = ("ifeq ($(A),$(B))", "ifneq ($(strip $(C)),)", "ifdef D", "ifndef A", 'ifeq "$A" "a"')

words = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
references = st.sampled_from(NAMES).map(lambda n: f"$({n})")
atoms = st.one_of(words, references, st.sampled_from(("$$", "", " ", "$(A:.c=.o)", "${B:%.c=o/%.o}", "$C", "$(N$(A))")))


def _calls(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def call(name: str, *arguments: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.tuples(*arguments).map(lambda a: f"$({name} {','.join(a)})")

    word = st.sampled_from(WORDS)
    number = st.sampled_from(("1", "2", "5"))
    return st.one_of(
        call("subst", word, word, inner),
        call(
            "patsubst", st.sampled_from(("%.c", "a%", "%", "b.c", "%b%")), st.sampled_from(("%.o", "x", "o/%")), inner
        ),
        call("filter", words, inner),
        call("filter-out", words, inner),
        call("findstring", word, inner),
        call("strip", inner),
        call("sort", inner),
        call("words", inner),
        call("word", number, inner),
        call("wordlist", number, number, inner),
        call("firstword", inner),
        call("lastword", inner),
        call("dir", inner),
        call("notdir", inner),
        call("suffix", inner),
        call("basename", inner),
        call("addprefix", word, inner),
        call("addsuffix", word, inner),
        call("join", inner, inner),
        call("if", inner, inner, inner),
        call("or", inner, inner),
        call("and", inner, inner),
        call("call", st.sampled_from(("F", "G", "sort")), inner, inner),
        call("foreach", st.just("i"), inner, st.sampled_from(("[$(i)]", "$(i)$(i)", "$(i:.c=.o)"))),
        call("value", st.sampled_from(NAMES)),
        call("origin", st.sampled_from((*NAMES, "CC", "NONE"))),
        call("flavor", st.sampled_from(NAMES)),
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(" ".join),
    )


values = st.recursive(atoms, _calls, max_leaves=5)
operators = st.sampled_from(("=", ":=", "+=", "?=", "::="))


@st.composite
def _statements(draw: st.DrawFn) -> list[str]:
    lines = []
    for index in range(draw(st.integers(2, 6))):
        # A recursive variable only names those before it in the alphabet, so that none refers to itself.
        name = draw(st.sampled_from(NAMES))
        value = draw(values)
        operator = draw(operators)
        if any(f"({n}" in value or f"{{{n}" in value or f"${n}" in value for n in NAMES if n >= name) or "N$" in value:
            operator = ":="
        lines.append(f"{name} {operator} {value}")
        if draw(st.integers(0, 3)) == 0:
            test = draw(st.sampled_from(TESTS))
            lines += [test, f"{name} := $({name}) then{index}", "else", f"{name} := else{index}", "endif"]
    return lines


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.lists(_statements(), min_size=1, max_size=1), st.lists(values, min_size=4, max_size=8))
def test_generated_makefiles_expand_as_real_make_expands_them(statements: list[list[str]], shown: list[str]) -> None:
    head = "F = <$(1)|$(2)>\nG = $(2)$(1)$(0)\n" + "\n".join(line for block in statements for line in block)
    recipe = "".join(f"\techo {index} [{value}]\n" for index, value in enumerate(shown))
    recipe += "".join(f"\techo {name} [$({name})]\n" for name in NAMES)
    files = {"Makefile": f"{head}\n\nall:\n{recipe}"}
    with tempfile.TemporaryDirectory() as folder:
        try:
            expected = real(Path(folder), files)
        except AssertionError:
            return
    texts = ours(files)
    assert agree(texts, expected), (files["Makefile"], [(t.shown, e) for t, e in zip(texts, expected, strict=False)])
