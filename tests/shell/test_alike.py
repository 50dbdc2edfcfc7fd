"""What is told of a script from its mould is what its own evaluation says, in every field; else nothing is told."""

import pytest

from flagguard.command import BLANKS, Alike, Dialect, Mould, Place, Script
from flagguard.hosts import Setting
from flagguard.shell import evaluation
from flagguard.shell.alike import told
from flagguard.shell.evaluation import Evaluation
from flagguard.text import Piece, SourceText, Span, Traced, join, literal
from flagguard.values import entries, replace

NAMES = [{"@": ["a.o"], "<": ["a.c"], "^": ["a.c", "b.h", "c-d.h"]}, {"@": ["d/b.o"], "<": ["b+b.c"], "^": ["b+b.c"]}]


class Tree:
    def __init__(self, text: str) -> None:
        self.source = SourceText("Makefile", text)

    def paths(self) -> list[str]:
        return ["Makefile", "a.c"]

    def read(self, path: str) -> SourceText | None:
        return self.source if path == "Makefile" else None


def scripts(line: str, names: list[dict[str, list[str]]], moved: bool = False) -> tuple[list[Script], Setting]:
    """One script for each of the names, as a host hands them out; ``moved``: the second from another line."""
    tree = Tree(line + "\n" + line + "\n" + "\n".join(w for n in names for words in n.values() for w in words))
    source = tree.source
    blank_of = {name: chr(BLANKS[index]) for index, name in enumerate("@<^")}
    mould = Mould(cut(source, line, 0, {name: [Traced((Piece(b),))] for name, b in blank_of.items()}))
    made = []
    for index, given in enumerate(names):
        words = {n: [source.traced(at := source.text.rindex(w), at + len(w)) for w in ws] for n, ws in given.items()}
        start = len(line) + 1 if moved and index else 0
        text = cut(source, line, start, words)
        used = {b: tuple(words[name]) for name, b in blank_of.items() if f"${name}" in line}
        move = (Span("Makefile", 0, len(line)), Span("Makefile", start, start + len(line))) if start else None
        alike = Alike(mould, used, text, move)
        made.append(Script(Place("makefile", target=str(index)), Dialect.SH, text, unit=str(index), alike=alike))
    return made, Setting(tree, ("linux-x86_64", "macos-arm64"))


def cut(source: SourceText, line: str, start: int, words: dict[str, list[Traced]]) -> Traced:
    parts, at, here = [], 0, 0
    while (here := line.find("$", at)) >= 0 and line[here + 1] in "@<^":
        parts.append(source.traced(start + at, start + here))
        use = (Span("Makefile", start + here, start + here + 2),)
        for index, word in enumerate(words[line[here + 1]]):
            parts += [literal(" ").through(use)] if index else []
            parts.append(word.through(use))
        at = here + 2
    return join([*parts, source.traced(start + at, start + len(line))])


def said(found: Evaluation) -> list[object]:
    """All that an evaluation says, the pieces of its words too."""
    fields = [(n, v) for n, v in entries(found).items() if n != "commands"]
    return [*fields, *([(n, v) for n, v in entries(command).items()] for command in found.commands)]


def answers(made: list[Script], setting: Setting) -> list[Evaluation | None]:
    """For the scripts behind the first, which is evaluated itself."""
    found = [told(script, script.alike, setting, evaluation.evaluate) for script in made if script.alike is not None]
    assert found[0] is None
    return found[1:]


@pytest.mark.parametrize("moved", [False, True], ids=["one line", "two lines"])
@pytest.mark.parametrize(
    "line",
    [
        "cc -O2 -c $< -o $@",
        "cc -O2 -c $^ -o $@ -lm",
        "cc -c \"$<\" -o '$@'",
        "mkdir -p out && cc -I. -c $< -o out/$@",
        "echo CC $@; cc -c $< -o $@ >/dev/null",
        "cc -MF$@.d -c $<; rm -f $@.tmp || true",
        "(cd src && cc -c ../$< -o ../$@)",
        "cc -E $< > $@",
        "make -C sub $@",
        "if test -d x; then echo y; fi; cc -c $<",
    ],
)
def test_told_as_evaluated(line: str, moved: bool) -> None:
    made, setting = scripts(line, [*NAMES, NAMES[1]], moved)
    for script, found in zip(made[1:], answers(made, setting), strict=True):
        assert found is not None
        assert said(found) == said(evaluation.evaluate(replace(script, alike=None), setting))


@pytest.mark.parametrize(
    "line",
    [
        "cd $@ && cc -c x.c",
        "./$@ --test",
        "sh $<",
        "env $@ cc",
        "test -f $< && cc -c x.c",
        "X=$@ cc -c x.c",
        "cp gen.sh $@; ./a.o",
        "eval $@",
        "for f in $^; do cc -c $$f; done",
        "echo $@ | xargs cc -c",
        "cc -c $(basename $<)",
        "cc $@*.c",
        "set -- $^; cc",
        "python3 $<",
        "f() { cc -c $<; }; f",
    ],
)
def test_where_a_name_may_matter_nothing_is_told(line: str) -> None:
    made, setting = scripts(line, [*NAMES, NAMES[1]])
    assert answers(made, setting) == [None, None]


@pytest.mark.parametrize("name", ["a b.c", "*.c", "$x.c", "~/a.c", "a;b.c", "2", "", "a'b.c", "a\\b"])
def test_a_name_that_the_shell_reads_is_evaluated(name: str) -> None:
    odd = {"@": [name or "a.o"], "<": [name] if name else [], "^": []}
    made, setting = scripts("cc -O2 $< -o'$@' 2>x" if name != "2" else "cc -O2 $<>$@", [NAMES[0], odd, odd])
    found = answers(made, setting)
    whole = [evaluation.evaluate(replace(script, alike=None), setting) for script in made[1:]]
    assert all(f is None or said(f) == said(w) for f, w in zip(found, whole, strict=True))
    assert name == "" or found == [None, None]


def test_another_text_is_not_told() -> None:
    made, setting = scripts("cc -O2 -c $<", NAMES)
    answers(made, setting)
    other = replace(made[1], text=literal("cc -O3 -c b.c"))
    assert other.alike is not None
    assert told(other, other.alike, setting, evaluation.evaluate) is None
