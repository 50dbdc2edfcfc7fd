"""A line that is expanded once for many targets comes to what it comes to for each by itself, with the same places."""

import pytest

from flagguard.command import Script
from flagguard.hosts import Setting
from flagguard.make import evaluate, recipes
from flagguard.make.moulds import Moulds

from .judge import Folder

FILES = dict.fromkeys(("a.c", "b.c", "sub/c.c", "x.cpp"), "")
HEAD = """
CFLAGS = -O2 -Wall
CFLAGS += $(if $(DEBUG),-g)
DEPS = -MF $(dir $@).$(notdir $@).d
say = @echo $(1) $@;
V_0 = @echo CC $@;
V_ =
V = 0
ifdef WIDE
CFLAGS += -mavx2
endif
all: a.o b.o sub/c.o app tool
app tool: a.o b.o
"""
LINES = [
    "$(CC) $(CFLAGS) -c $< -o $@",
    "@$(V_$(V))$(CC) $(CFLAGS) $(DEPS) -c $< -o $@",
    "-$(CC) -DF='$(<F)' -DD=\"$(@D)\" $(<:.c=.i) -c $< -o $@",
    "$(call say,CC)$(CC) $(CFLAGS) -c $<",
    "@mkdir -p $(@D) && $(CC) $(CFLAGS) $(filter %.c,$^) $(patsubst lib%,-l%,$+) -o $@",
    "$(CC) $(if $(filter sub/%,$@),-O3,-O1) $($@_FLAGS) -c $<",
    "$(foreach f,$^,$(CC) -c $f;)",
    "$(shell echo $(CC)) $(CFLAGS) -c $< $(shell date $@)",
    "$(eval N := -DN=$@)$(CC) $(N) -c $<",
    "$(CC) $(LATER) $(undefined $<) $| $* $? -c $<",
    "$(COMPILE) -o $@",
    "$(CC) \\\n\t  $(CFLAGS) \\\n\t  -c $<",
    "$(V_$(HOME))$(CC) $(CFLAGS) -c $< -o $@",
    "$(V_$(shell date))$(patsubst %.o,-@%,$@) $(CC) -c $<",
    "$(filter-out app,$@) -x $<",
]
TAIL = "COMPILE = $(CC) $(CFLAGS) -c $(abspath $<)\nLATER = $(TARGET_FLAGS) $(word 2,$^)\n"


def read(line: str, platforms: tuple[str, ...] = ("linux-x86_64", "macos-arm64")) -> list[Script]:
    rules = f"%.o: %.c\n\t{line}\napp:\n\t{line}\ntool:\n\t{line}\nsub/c.o: TARGET_FLAGS = -Os\n"
    arch = "ifeq ($(shell uname -m),arm64)\nCFLAGS += -mcpu=apple-m1\nendif\n"
    folder = Folder({**FILES, "Makefile": HEAD + arch + TAIL + rules})
    return list(evaluate.evaluate_source(folder.files["Makefile"], Setting(folder, platforms)).scripts)


def said(scripts: list[Script]) -> list[object]:
    return [
        (s.place, [p for p in s.text.pieces if p.text or p.hole], s.env, s.when, s.platforms, s.ignored, s.unit)
        for s in scripts
    ]


def plainly(scripts: list[Script]) -> list[Script]:
    """Those of the world in which nothing is set outside."""
    return [s for s in scripts if not any(w.endswith("is set") for w in s.when)]


@pytest.mark.parametrize("line", LINES)
def test_as_if_each_target_were_expanded_by_itself(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = read(line)
    monkeypatch.setattr(Moulds, "of", lambda *_: None)
    monkeypatch.setattr(recipes, "KEPT", 0)
    alone = read(line)
    assert len(plainly(found)) > 5
    assert said(plainly(found)) == said(plainly(alone))
    assert {(s.place, s.when) for s in found} == {(s.place, s.when) for s in alone}


def test_lines_that_say_the_same_share_a_mould_and_stand_where_they_stand() -> None:
    found = [s for s in plainly(read("$(CC) $(CFLAGS) -c $< -o $@")) if "-mcpu" not in s.text.text]
    moulds = [s.alike.mould for s in found if s.alike is not None]
    assert len(moulds) == 5  # three objects, app and tool
    assert len({id(mould) for mould in moulds}) == 1
    starts = {s.text.pieces[0].route[0].start for s in found if s.alike is not None}
    assert len(starts) == 3  # the rule for objects, app and tool


def test_no_blank_is_left_in_what_is_shown() -> None:
    for line in LINES:
        assert all(c < "\ue100" or c >= "\uf100" for s in read(line) for c in s.text.text), line


def test_a_target_that_nothing_differs_for_is_read_once() -> None:
    makefile = "".join(f"ifdef X{i}\nCFLAGS{i} = -DX{i}\nendif\n" for i in range(6))
    makefile += "all: " + " ".join(f"t{i}" for i in range(60)) + "\n"
    makefile += "".join(f"t{i}:\n\tcc -O2 $(CFLAGS{i % 6 if i < 6 else ''}) $@.c\n" for i in range(60))
    folder = Folder({"Makefile": makefile})
    made = 0
    plain = recipes.Recipes._made

    def counted(*given: object) -> tuple[Script, ...]:
        nonlocal made
        made += 1
        return plain(*given)  # type: ignore[arg-type]

    recipes.Recipes._made = counted  # type: ignore[method-assign]
    try:
        found = evaluate.evaluate_source(folder.files["Makefile"], Setting(folder, ("linux-x86_64",))).scripts
    finally:
        recipes.Recipes._made = plain  # type: ignore[method-assign]
    assert {s.text.text for s in found if s.when} >= {f"cc -O2 -DX{i} t{i}.c" for i in range(6)}
    assert made <= 60 + 2 * 6 + 6


def test_other_names_or_another_recipe_in_another_world_are_seen() -> None:
    makefile = "app: a.o\nifdef MORE\napp: b.o\nendif\napp:\n\tcc -o $@ $^\n"
    makefile += "ifdef OTHER\ntool:\n\tcc -O3 tool.c\nelse\ntool:\n\tcc -O2 tool.c\nendif\n"
    folder = Folder({"Makefile": makefile})
    scripts = evaluate.evaluate_source(folder.files["Makefile"], Setting(folder, ("linux-x86_64",))).scripts
    found = {(s.text.text, s.when) for s in scripts}
    assert ("cc -o app a.o b.o", ("MORE is set",)) in found
    assert ("cc -O3 tool.c", ("OTHER is set",)) in found
    assert any(text == "cc -o app a.o" for text, _ in found)


def test_what_a_function_makes_of_a_name_is_a_blank_too() -> None:
    alike = [s.alike for s in read(LINES[4]) if s.alike is not None and "mkdir" in s.text.text]
    assert len({id(one.mould) for one in alike}) < len({one.text.text for one in alike})


def test_texts_that_a_hole_may_be_have_the_names_of_their_target() -> None:
    found = [s for s in read("$(V_$(HOME))$(CC) -c $< -o $@") if s.alike is not None]
    assert len({id(s.alike.mould) for s in found if s.alike is not None}) == 1
    for script in found:
        among = [t.text for p in script.text.pieces if p.hole is not None for t in p.hole.among]
        assert f"@echo CC {script.unit.split()[0]};" in among, among


def test_the_world_that_stands_for_many_is_the_same_where_an_earlier_one_is_remembered() -> None:
    makefile = "".join(f"ifdef X{i}\nFLAGS += -DX{i}\nendif\n" for i in range(20))
    makefile += "ifeq ($(shell uname -m),arm64)\nFLAGS += -mcpu=apple-m1\nendif\n"
    makefile += "MODE = $(if $(X3),-O3,-O2) $(if $(CONST),-g)\n" + "a b c:\n\tcc $(FLAGS) $(MODE) -c $@.c\n"
    folder = Folder({"Makefile": makefile})

    def many(*platforms: str) -> list[tuple[str, tuple[object, ...]]]:
        scripts = evaluate.evaluate_source(folder.files["Makefile"], Setting(folder, platforms)).scripts
        of_last = [s for s in scripts if s.platforms is None or platforms[-1] in s.platforms]
        return [(s.unit, s.text.pieces) for s in of_last if evaluate.MANY in s.when]

    assert many("macos-arm64")
    assert many("linux-x86_64", "macos-arm64") == many("macos-arm64")


@pytest.mark.parametrize(("targets", "told"), [(3, 3), (12, 12), (40, 12)])
def test_in_another_world_each_of_a_few_targets_is_told_and_some_of_many(targets: int, told: int) -> None:
    names = [f"t{n}.o" for n in range(targets)]
    makefile = f"ifdef X\nF = -DX\nendif\nall: {' '.join(names)}\n{' '.join(names)}:\n\tcc $(F) -c $@.c\n"
    folder = Folder({"Makefile": makefile})
    scripts = evaluate.evaluate_source(folder.files["Makefile"], Setting(folder, ("linux-x86_64",))).scripts
    assert len({s.place.target for s in scripts if "-DX" in s.text.text}) == told
    assert {s.place.target for s in scripts if "-DX" not in s.text.text} == set(names)


def test_in_another_world_each_call_of_make_is_followed() -> None:
    names = [f"t{n}" for n in range(20)]
    makefile = f"ifdef X\nF = -DX\nendif\nall: {' '.join(names)}\n{' '.join(names)}:\n\t$(MAKE) -C $@ F=$(F)\n"
    folder = Folder({"Makefile": makefile})
    scripts = evaluate.evaluate_source(folder.files["Makefile"], Setting(folder, ("linux-x86_64",))).scripts
    assert {s.place.target for s in scripts if "-DX" in s.text.text} == set(names)
