"""Scripts that are made to cost much: each ends soon, with a message where it is not followed to its end."""

import gc
import sys
import time
from collections.abc import Iterator

import pytest
from running import run

from flagguard.shell import interpret, simple_reader

BOMBS = {
    "parentheses": "(" * 10000 + ")" * 10000,
    "substitutions": "$(" * 10000,
    "arithmetic": "x=$((" + "(" * 10000 + "1" + ")" * 10000 + "))",
    "power": "c $((9**9**9**9)) $((1<<99999999))",
    "word": "c " + "a" * 1_000_000,
    "worlds": "V=\n" + "".join(f'if test -f {i}; then V="$V{i}"; fi\n' for i in range(40)) + "c $V",
    "fork": "f(){ f|f& };f",
    "recursion": "f(){ g; g; }; g(){ f; f; }; f",
    "eval": "x='c a;'\n" + 'x="$x$x"\n' * 40 + 'eval "$x"',
    "arguments": "set -- a\n" + 'set -- "$@" "$@"\n' * 40 + 'c "$@"',
    "quotes": 'c "' + '\\"' * 50_000 + '"',
    "braces": "c " + "{a,b}" * 40,
    "brackets": "x[\n" * 5000 + "declare " + "x[ " * 5000,
    "pattern": "case " + "a" * 3000 + " in " + "*a" * 30 + "b) c;; esac",
    "expression": "[[ " + "a" * 40 + " =~ ^(a+)+$b ]] && c",
    "counting": "for ((i=0;i<1000000000;i++)); do c $i; done",
    "loops": "".join(f"for a{i} in 1 2 3 4 5 6 7 8 9; do " for i in range(7)) + "c $a1" + "; done" * 7,
    "replacement": "V=" + "a" * 200 + "\n" + "V=${V//a/aaaa}\n" * 20 + "c $V",
    "format": "c $(printf '%999999999d' 1)",
    "case": "case $1 in\n" + "".join(f"a{i}) c {i};;\n" for i in range(4000)) + "esac",
    "exports": "".join(f"export V{i}=x{i}\n" for i in range(500)) + "".join(f"c{i} a\n" for i in range(500)),
    "wrappers": "env " * 5000 + "c",
    "or": " || ".join(f"c{i}" for i in range(1500)),
    "choices": "c " + "$(echo $(c) " * 25 + "x" + ")" * 25,
    "texts": 'x=\'eval "$x"; eval "$x"\'\neval "$x"',
    "growing texts": 'f=\'eval "$f"; eval "$f $f"\'\neval "$f"',
    "equal": "x=" + "a" * 500_000 + "\n" + '[ "$x" = "$x" ] && c\n' * 500,
    "inner shells": "f() { c; }\nexport -f f\n" + "bash -c f\n" * 1000,
    "prefix": "x=" + "ab" * 20_000 + "\nc ${x##*b*b*b*c} ${x%%*c*b*d}",
}


@pytest.fixture(autouse=True)
def _collection() -> Iterator[None]:
    """Circles are looked for as seldom as under the command line; a test run holds much that is looked through."""
    before = gc.get_threshold()
    gc.set_threshold(20_000, 50, 100)
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize("name", BOMBS)
def test_bomb_ends(name: str) -> None:
    begun = time.process_time()
    run(BOMBS[name])
    assert time.process_time() - begun < 3


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("substitutions", "nested more than"),
        ("recursion", "calls itself too deeply"),
        ("wrappers", "too many wrappers"),
    ],
)
def test_bomb_is_told(name: str, message: str) -> None:
    assert any(message in p.message for p in run(BOMBS[name]).problems)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("".join(f'V="$V x{i}"\n' for i in range(200)) + "c $V", "too many courses"),
        ("".join(f'V="$V x{i}"; c $V\n' for i in range(100)), "too many courses"),
        ("A=(" + "a " * 3000 + ')\nc "${A[@]}" "${A[@]}"', "too many courses"),
        ("c " + '"a$x"' * 3000, "too many courses"),
        ("case $1 in\n" + "".join(f"a{i}) c {i};;\n" for i in range(400)) + "esac", "too many courses"),
        (
            "c\n" * 600,
            "more than 500 commands; what follows in the script is not judged: 100 commands (`c` in line 501,",
        ),
        ("c\n" * 20_600, "at least 10000 commands"),
    ],
)
def test_bound_is_told(text: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpret, "MAX_PIECES", 10_000)
    monkeypatch.setattr(simple_reader, "MOST_COMMANDS", 500)
    assert any(message in p.message for p in run(text).problems)


def test_cost_is_linear() -> None:
    def cost(size: int) -> int:
        return _calls("".join(f"V{i}=x{i}\nc $V{i}\n" for i in range(size)))

    assert cost(2000) < 5 * cost(500)


def _calls(text: str) -> int:
    """How many functions are called: the same on every machine, however busy it is."""
    count = 0

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    run(text)  # what is read once and kept is no part of the cost
    sys.setprofile(counted)
    try:
        run(text)
    finally:
        sys.setprofile(None)
    return count
