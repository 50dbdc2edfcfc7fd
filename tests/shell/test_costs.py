"""Scripts that are made to cost much: each ends soon, with a message where it is not followed to its end."""

import sys
import time

import pytest
from running import run

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
}


@pytest.mark.parametrize("name", BOMBS)
def test_bomb_ends(name: str) -> None:
    begun = time.process_time()
    run(BOMBS[name])
    assert time.process_time() - begun < 4


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("substitutions", "nested more than"),
        ("recursion", "calls itself too deeply"),
    ],
)
def test_bomb_is_told(name: str, message: str) -> None:
    assert any(message in p.message for p in run(BOMBS[name]).problems)


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
