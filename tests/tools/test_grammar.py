"""Cutting a command line into options and operands, whatever stands in it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flagguard.command import Word
from flagguard.tools.catalogue import GENERIC, tool_for
from flagguard.tools.grammar import Item, parse

from .support import invocation, word

TOOLS = ("gcc", "mojo", "cargo", "cmake", "make", "docker", "git", "icx", "cl", "python", "unknown")
PARTS = st.sampled_from(
    [
        "-",
        "--",
        "-O",
        "-D",
        "-C",
        "x",
        "=",
        ":",
        "/",
        "-march",
        "native",
        "build",
        "run",
        "{X}",
        "{P/}",
        ",",
        " ",
        "'",
        "@f",
    ]
)
WORDS = st.lists(st.lists(PARTS, max_size=4).map("".join).map(word), max_size=8)


@given(st.sampled_from(TOOLS), WORDS)
@settings(max_examples=300, deadline=None)
def test_no_word_is_lost_and_none_is_read_twice(name: str, words: list[Word]) -> None:
    tool = tool_for(name)
    read = parse(tool.root if tool else GENERIC, [Item(w, i) for i, w in enumerate(words)])
    found = [at for o in read.options for at in dict.fromkeys(o.words)]
    found += [i.at for i in read.operands if i.at is not None]
    for at, w in enumerate(words):
        if at in found:
            continue
        known = w.text in ("--", *(n for node in read.nodes for n in node.commands)) or w.holes
        assert known, (at, w.shown)
    separate = [at for o in read.options for at in o.words[1:]]
    assert len(separate) == len(set(separate))


@pytest.mark.parametrize(
    ("line", "operands"),
    [
        ("mojo build -I src a.mojo -o b", ["a.mojo"]),
        ("mojo run -I src a.mojo --flag 1", ["a.mojo", "--flag", "1"]),
        ("gcc -o a -x c b.c -lm -L lib", ["b.c"]),
        ("gcc -O2 -", ["-"]),
        ("make -C dir -j 4 all V=1", ["all"]),
        ("make -j all", ["all"]),
        ("npm install", []),
        ("npm i left-pad", ["left-pad"]),
        ("zig build test", ["test"]),
        ("cargo run --release -- --flag", ["--flag"]),
        ("cargo rustc -- -C opt-level=3", []),
        ("git -C dir commit -m msg file", ["file"]),
        ("docker run --rm -v a:b image cmd --flag", ["image", "cmd", "--flag"]),
        ("cl /c /Foout/ /Iinc a.c", ["a.c"]),
        ("icc -c /src/a.c", ["/src/a.c"]),
        ("cmake -E env X=1 gcc -march=native", ["X=1", "gcc", "-march=native"]),
        ("tool a --name b c", ["a", "c"]),
    ],
)
def test_operands(line: str, operands: list[str]) -> None:
    found = [w.text for w in invocation(line).operands]
    assert [w for w in found if w != "env"] == operands


@pytest.mark.parametrize(
    ("line", "name", "words"),
    [
        ("mojo build --target-cpu x a.mojo", "--target-cpu", (2, 3)),
        ("mojo build --target-cpu=x a.mojo", "--target-cpu", (2,)),
        ("git commit -anm msg", "-n", (2,)),
        ("git commit -anm msg", "-m", (2, 3)),
        ("git commit -anmmsg", "-m", (2,)),
        ("make -kj 4", "-j", (1, 2)),
    ],
)
def test_places(line: str, name: str, words: tuple[int, ...]) -> None:
    (found,) = [o for o in invocation(line).options if name in o.names]
    assert found.words == words
    assert found.word.text == line.split()[words[0]]
