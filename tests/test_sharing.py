"""sharing, and the variables that calls are made without: nothing but the work is less."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from flagguard import engine, relevance, shell
from flagguard.command import Command
from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import collect

BOTH = Config(baseline={"linux-x86_64": "x86-64-v2", "macos-arm64": "apple-m1"})
WORKFLOW = "on: push\njobs:\n" + "".join(
    f"  j{i}:\n    runs-on: {runner}\n    env: {{WHO: w{i}, CC: {cc}, FLAGS: -O{i % 2}, A_FLAGS: -g{i}}}\n"
    f"    steps:\n      - run: ./build.sh {i % 2}\n      - run: make CPU=v{i % 2}\n"
    for i, (runner, cc) in enumerate(
        [("ubuntu-latest", "gcc"), ("ubuntu-latest", "clang"), ("macos-14", "clang"), ("ubuntu-24.04-arm", "gcc")]
    )
)
MAKEFILE = """\
export MODE ?= fast
CFLAGS += -march=$(CPU)
all: a.o b.o sub
\t@if [ -f lib.sh ]; then . ./lib.sh; fi
\t$(CC) -o $@ $^ $$WHO
sub:
\t$(MAKE) -C sub WHAT=$(MODE)
\tenv -i gcc -O3
\tFLAGS=-Os sh -c 'gcc $$FLAGS $$NOBODY'
"""
SCRIPTS = {
    "plain": "gcc $FLAGS -O2",
    "indirect": 'for x in FLAGS WHO; do gcc "${!x}"; done',
    "evaluated": 'kind=A; eval "gcc \\$${kind}_FLAGS"',
    "sourced": ". ./lib.sh\nenv WHO=me gcc",
    "exported": "export NEW=$WHO; unset CC; make",
    "dropped": "env -i PATH=$PATH gcc; sudo gcc; sudo -E gcc; env -u WHO gcc",
    "listed": 'gcc $(env | grep FLAGS); export -p; gcc "${!A_@}"',
    "container": "docker run -e WHO -v $PWD:/w -w /w img gcc $WHO",
    "nested": "bash -c './other.sh $0' $WHO",
    "platform": "case $(uname)-$(uname -m) in Darwin-*) gcc -O2;; *-aarch64) gcc -O3;; *) gcc $WHO;; esac",
    "choosing": 'case $1 in 0) gcc -O0;; *) gcc $WHO;; esac',
}  # fmt: skip


def laid(folder: Path, script: str) -> Tree:
    files = {
        ".github/workflows/w.yml": WORKFLOW,
        "Makefile": MAKEFILE,
        "sub/Makefile": "all:\n\tgcc $(WHAT) $(A_FLAGS)\n",
        "build.sh": f"#!/bin/bash\n{script}\n",
        "other.sh": "#!/bin/sh\ngcc $1 $CC\n",
        "lib.sh": "gcc $A_FLAGS $WHO\n",
        "a.c": "",
        "b.c": "",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    return Tree(folder)


def all_of(tree: Tree) -> Mapping[str, tuple[Command, ...]]:
    return {file.path: file.commands for file in collect(tree, BOTH, strict=True)}


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_is_shared_is_what_each_would_have_come_to(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = all_of(laid(tmp_path, SCRIPTS[name]))
    monkeypatch.setattr(engine, "_evaluator", lambda *_: lambda script, setting, _: shell.evaluate(script, setting))
    monkeypatch.setattr(relevance, "unnamed", lambda *_: frozenset())
    plain = all_of(laid(tmp_path, SCRIPTS[name]))
    assert found.keys() == plain.keys()
    for path, commands in found.items():
        assert commands == plain[path], path


def test_scripts_that_differ_in_what_they_do_not_name_are_evaluated_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: list[str] = []
    original = shell.evaluate

    def recording(script: engine.Script, setting: engine.Setting) -> shell.Evaluation:
        texts.append(script.text.text)
        return original(script, setting)

    monkeypatch.setattr(shell, "evaluate", recording)
    (tmp_path / "all.sh").write_text("".join(f"make WHO={i}\n" for i in range(9)))
    (tmp_path / "Makefile").write_text("export WHO\nall:\n\tgcc -O2\n\tgcc $(WHO)\n\tgcc $$WHO\n")
    found = [c for f in collect(Tree(tmp_path), BOTH, strict=True) for c in f.commands if c.via]
    assert texts.count("gcc -O2") == 1
    assert texts.count("gcc $WHO") == 9 + 1  # in the calls, and as if nobody called it
    assert {c.env["WHO"].text for c in found if c.argv[-1].text == "-O2"} == {str(i) for i in range(9)}


ROWS = """\
on: push
jobs:
  a:
    strategy: {matrix: {os: [ubuntu-latest, macos-14], level: ["1", "2"]}}
    runs-on: ${{ matrix.os }}
    env: {LEVEL: "${{ matrix.level }}"}
    continue-on-error: ${{ matrix.level == 2 }}
    steps:
      - {name: "at ${{ matrix.level }}", run: gcc -Os}
      - {if: "matrix.level == 2", run: "gcc -g\\necho CC=clang >> $GITHUB_ENV"}
      - run: gcc -O$LEVEL
      - run: gcc "$(uname)"
      - run: $CC -c
"""


def test_a_step_is_evaluated_once_for_all_rows_and_runners_that_make_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    (folder / "w.yml").write_text(ROWS)
    texts: list[str] = []
    original = shell.evaluate

    def recording(script: engine.Script, setting: engine.Setting) -> shell.Evaluation:
        texts.append(script.text.text)
        return original(script, setting)

    monkeypatch.setattr(shell, "evaluate", recording)
    found = all_of(Tree(tmp_path))
    # a status that is ignored is told while a script is evaluated, so the levels are two
    assert [texts.count(t) for t in ("gcc -Os", "gcc -O$LEVEL", 'gcc "$(uname)"', "$CC -c")] == [2, 2, 4, 2]
    monkeypatch.setattr(engine, "_evaluator", lambda *_: lambda script, setting, _: original(script, setting))
    assert found == all_of(Tree(tmp_path))
    said = {(c.argv[-1].text, c.place.step, c.status.value, c.platforms) for c in found[".github/workflows/w.yml"]}
    assert {s for s in said if s[0] == "-Os"} == {
        ("-Os", f"at {level}", status, (platform,))
        for level, status in (("1", "honoured"), ("2", "ignored"))
        for platform in ("linux-x86_64", "macos-arm64")
    }
