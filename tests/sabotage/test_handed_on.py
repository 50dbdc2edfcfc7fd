"""A flag that a script hands on before it arrives, and texts in which an edit has to be written another way."""

from pathlib import Path

import pytest

from flagguard.sabotage import Outcome
from flagguard.sabotage.plan import Operator
from tests.sabotage.support import changed, prove

RULES = """
packs = []
[baseline]
linux-x86_64 = "x86-64-v2"
[[rule]]
at-least = 0
id      = "pinned"
command = ["mojo build", "mojo run"]
require = [{ flag = ["--target-cpu", "--mcpu"], at-most = "baseline" }]
[[rule]]
at-least = 0
id      = "old-enough"
command = "clang"
require = [{ effective = "deployment-target", at-most = "11.0" }]
[[rule]]
at-least = 0
id      = "bound"
command = "cc"
require = ["-z now"]
"""

HANDED_ON = {
    "printf -v": ("printf -v opt -- '--mcpu=%s' \"$cpu\"", 'mojo build "$opt" a.mojo'),
    "printf -v, of words": ("printf -v opt '%s=%s' --mcpu \"$cpu\"", 'mojo build "$opt" a.mojo'),
    "set --": ('set -- --mcpu "$cpu" a.mojo', 'mojo build "$@"'),
    "quoted words": ('set -- "--mcpu" "$cpu"', 'mojo build "$@" a.mojo'),
    "an element": ("a[0]=--mcpu; a[1]=$cpu", 'mojo build "${a[@]}" a.mojo'),
    "an array": ('a=(--mcpu "$cpu")', 'mojo build "${a[@]}" a.mojo'),
    "the command": ('a=(mojo build --mcpu "$cpu")', '"${a[@]}" a.mojo'),
    "declare": ('declare -a a=(--mcpu "$cpu")', 'mojo build "${a[@]}" a.mojo'),
    "read": ('read -r opt <<< "--mcpu=$cpu"', "mojo build $opt a.mojo"),
    "a here-document": ("read -r opt << X\n--mcpu=$cpu\nX", "mojo build $opt a.mojo"),
    "an argument": ('f() { mojo build --mcpu "$1" a.mojo; }', 'f "$cpu"'),
    "getopts": (
        'f() { local o c=; while getopts "c:" o; do [ $o = c ] && c=$OPTARG; done; mojo build --mcpu "$c" a.mojo; }',
        'f -c "$cpu"',
    ),
    "a reference": ('a=(--mcpu "$cpu"); f() { local -n r=$1; mojo build "${r[@]}" a.mojo; }', "f a"),
}  # fmt: skip


@pytest.mark.parametrize("name", HANDED_ON)
def test_each_step_can_be_spoilt(tmp_path: Path, name: str) -> None:
    steps = HANDED_ON[name]
    script = "\n".join(["#!/bin/bash", "set -eu", "cpu=x86-64-v2", *steps]) + "\n"
    proof = prove(tmp_path, RULES, {"b.sh": script})
    assert [(r.operator, r.outcome, r.detail, changed(r)) for r in proof.results if r.fails] == []
    caught = {r.line for r in proof.results if r.outcome is Outcome.CAUGHT}
    first = 5 if name == "a here-document" else 4
    assert caught >= {3, first}
    assert any(r.operator is Operator.DROP_FLAG and r.outcome is Outcome.CAUGHT for r in proof.results)


def test_what_takes_the_program_away_is_no_lost_flag(tmp_path: Path) -> None:
    script = '#!/bin/bash\na=(mojo build --mcpu x86-64-v2)\n"${a[@]}" a.mojo\n'
    proof = prove(tmp_path, RULES, {"b.sh": script})
    skipped = {(r.operator, r.detail) for r in proof.results if r.outcome is Outcome.SKIPPED}
    assert skipped == {(Operator.DROP_ASSIGNMENT, "`mojo` itself stands in the assignment")}


# a file, the lines in it that are edited, and what one of the edits puts there
WRITTEN = {
    "an argument of a recipe": (
        "justfile", 'default: (compile "a" "x86-64-v2")\n\ncpu := "x86-64-v2"\n'
        "tool: (compile \"b\" cpu)\n\ncompile name cpu:\n    mojo build --mcpu={{cpu}} {{name}}.mojo\n",
        '+default: (compile "a" "native")',
    ),
    "a template": (
        "pixi.toml",
        '[tasks]\nc = { cmd = "mojo run --mcpu {{ cpu }} a.mojo", args = [{ arg = "cpu", default = "x86-64-v2" }] }\n',
        '+c = { cmd = "mojo run --mcpu native a.mojo", args = [{ arg = "cpu", default = "x86-64-v2" }] }',
    ),
    "options that carry": (
        "b.sh", "cc -Xlinker -z -Xlinker now a.o -o a\n", "+cc a.o -o a",
    ),
    "a triple": (
        "b.sh", "clang -target arm64-apple-macos11 -c e.c\n", "+clang -target arm64-apple-macos101.0 -c e.c",
    ),
    "a list of words": (
        "b.ps1", 'Start-Process clang -ArgumentList "a.c", "-mmacosx-version-min=11.0" -Wait\n',
        '+Start-Process clang -ArgumentList "a.c", "-mmacosx-version-min=11.0", "-mmacosx-version-min=native" -Wait',
    ),
    "a job called matrix": (
        ".gitlab-ci.yml",
        "matrix:\n  variables:\n    CPU: x86-64-v2\n    B: x\n  script:\n    - mojo build --mcpu $CPU a.mojo\n",
        "-    CPU: x86-64-v2",
    ),
    "Groovy": (
        "Jenkinsfile",
        "pipeline {\n agent any\n stages { stage('a') { steps {\n sh 'mojo run --mcpu x86-64-v2 a.mojo'\n } } }\n}\n",
        "+ // --mcpu native",
    ),
    "comments in a RUN": (
        "Dockerfile", "FROM x\nRUN mojo build \\\n    # the oldest \\\n    --mcpu x86-64-v2 a.mojo\n",
        "+    --mcpu native a.mojo",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_an_edit_is_written_as_the_place_needs_it(tmp_path: Path, name: str) -> None:
    path, text, line = WRITTEN[name]
    proof = prove(tmp_path, RULES, {path: text})
    assert proof.refusal is None
    assert [(r.operator, r.outcome, r.detail, changed(r)) for r in proof.results if r.fails] == []
    assert proof.count(Outcome.INVALID) == 0
    assert line in {one for r in proof.results for one in changed(r)}


def test_words_that_a_call_puts_behind_a_script_are_no_comment(tmp_path: Path) -> None:
    text = '{"scripts": {\n"build": "mojo run",\n"release": "npm run build -- --mcpu x86-64-v2 a.mojo"\n}}\n'
    rules = RULES.replace('command = ["mojo build", "mojo run"]', 'command = "mojo run"\noperands = "some"')
    proof = prove(tmp_path, rules, {"package.json": text})
    assert proof.refusal is None
    assert [r.diff for r in proof.results if r.fails] == []
    assert any(r.outcome is Outcome.CAUGHT for r in proof.results)
