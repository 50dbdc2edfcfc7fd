"""Which variables may still be read; and that worlds which differ in others alone show nothing wrong."""

import pytest
from running import run, said

from flagguard.shell.liveness import Liveness
from flagguard.shell.parser import parse
from flagguard.text import literal


def _alive(text: str, after: int, called: set[str] | None = None) -> set[str]:
    """Which of x, y and z may be read behind the item of that number of a script's list."""
    body = parse(literal(text)).body
    liveness = Liveness(called or set())
    liveness.add(body)
    liveness.advance(liveness.enter(body), after)
    return {name for name in "xyz" if liveness.alive(name)}


@pytest.mark.parametrize(
    ("text", "alive"),
    [
        ("a; c $x; c ${y}q", {"x", "y"}),
        ("a; x=1; c $x", set()),
        ("a; x=$y; c $x", {"y"}),
        ("a; x+=1; c $x", {"x"}),
        ("a; x=$((x+1)); c $x", {"x"}),
        ("a; x=1 y=2 c $x", {"x", "y"}),
        ("a; if b; then x=1; fi; c $x", {"x"}),
        ("a; if b; then x=1; else x=2; fi; c $x", set()),
        ("a; if x=1; then c $x; fi", {"x"}),
        ("a; x=1 && b; c $x", set()),
        ("a; b && x=1; c $x", {"x"}),
        ("a; (x=1); c $x", {"x"}),
        ("a; { x=1; }; c $x", set()),
        ("a; x=1 & c $x", {"x"}),
        ("a; x=${y?}; c $x", {"x", "y"}),
        ("a; for x in 1 2; do c $x; done", set()),
        ("a; for i in 1 2; do c $x; x=1; done", {"x"}),
        ("a; while b $x; do y=1; c $y; done", {"x"}),
        ("a; case $x in $y) c;; esac", {"x", "y"}),
        ("a; [[ $x == $y ]] && ((z > 1))", {"x", "y", "z"}),
        ("a; cat <<E\n$x\nE", {"x"}),
        ("a; eval 'c $x'", {"x"}),
        ('a; eval "$b"', {"x", "y", "z"}),
        ("a; . ./b", {"x", "y", "z"}),
        ("a; c ${!b}", {"x", "y", "z"}),
        ("a; declare -n b=x; c $b", {"x", "y", "z"}),
        ('a; export "$b"', {"x", "y", "z"}),
        ("a; export x; unset y", {"x", "y"}),
        ("f() { c $x; }; f", {"x"}),
        ("f() { x=1; c $x; }; f; c $y", {"y"}),
        ("f() { g; }; g() { c $z; }; f", {"z"}),
        ("f() { local x=1; c $x; }; f; c $y", {"y"}),
    ],
)
def test_alive_behind_the_first_command(text: str, alive: set[str]) -> None:
    assert _alive(text, 0, {"f", "g"}) == alive


def test_functions_that_nobody_calls_are_evaluated_last() -> None:
    assert _alive("f() { c $x; }; a", 1) == {"x"}
    assert _alive("f() { c $x; }; a", 1, {"f"}) == set()


_FORK = "if a; then x=1; else x=2; fi\n"


@pytest.mark.parametrize(
    "text",
    [
        "c $x",
        'eval "c \\$x"',
        "trap 'c $x' EXIT; b",
        "n=x; b; c ${!n}",
        "n=x; b; c $((n))",
        "declare -n n=x; b; c $n",
        "f() { c $x; }; b; f",
        "f() { c $x; }; b; g=f; b; $g",
        'f() { b; "$@"; }; f eval "c \\$x"',
        'set -- eval "c \\$x"; b; "$@"',
        "e=eval; b; $e 'c $x'",
        "b; while d; do c $x; done",
        "b; sh -c 'c $1' - $x",
        "export x; b; sh -c 'c $x'",
        "set -a; x=$x; b; sh -c 'c $x'",
        ". ./file",
        "x=$x; for i in 1 2; do b; c $x; x=$x; done",
        "f() { local x=3; b; }; f; c $x",
        "(x=3; b); c $x",
        "y=$x; x=; b; c $y",
        "A=($x); x=; b; c ${A[0]}",
        "cat > r.sh <<E\nc $x\nE\nx=; b; sh r.sh",
        "alias c='c $x'; shopt -s expand_aliases; b\nc",
        "read y <<< $x; x=; b; c $y",
        "b | c $x",
        "y=$(b; echo $x); x=; b; c $y",
    ],
)
def test_no_value_of_two_is_lost(text: str) -> None:
    """Both are shown, or a hole stands for them; never one of them alone."""
    found = [c for c in run(_FORK + text, files={"file": "b; c $x"}).commands if c.argv[0].text == "c"]
    shown = {said(c) for c in found}
    assert any(c.holes for command in found for c in command.argv) or {"c 1", "c 2"} <= shown


def test_worlds_that_differ_in_the_past_alone_are_one() -> None:
    """Twenty conditions make no more worlds than one, so that the last command's values are all known."""
    text = (
        "".join(f"if a{i}; then x=1; else x=2; fi\nc{i} $x\n" for i in range(20)) + "if b; then y=1; else y=2; fi\nc $y"
    )
    assert [said(c) for c in run(text).commands][-2:] == ["c 1", "c 2"]
    many = "".join(f"if a{i}; then x{i}=1; else x{i}=2; fi\nc $x{i}\n" for i in range(20))
    assert not any(w.holes for c in run(many).commands for w in c.argv)


_MANY = "".join(f"if a{i}; then V{i}=1; else V{i}=2; fi\n" for i in range(7))
_ALL = "".join(f"$V{i}" for i in range(7))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f"{_MANY}c {_ALL}", 128),
        (f"x=$({_MANY}echo {_ALL})\nc $x", 128),
        (f"{_MANY}echo {_ALL} | while read x; do c $x; done", 128),
        (f"f() {{\n{''.join(f'if a{i}; then V={i}; return; fi;' for i in range(50))}\n}}\nf\nc $V x", 51),
        (f"for i in 1; do {''.join(f'if a{i}; then V={i}; break; fi;' for i in range(50))} done\nc $V x", 51),
    ],
)
def test_too_many_worlds_make_holes(text: str, count: int) -> None:
    found = [c for c in run(text).commands if c.argv[0].text == "c"]
    assert len(found) == count or any(w.holes for c in found for w in c.argv)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"if t; then :; else trap 'c x' EXIT; fi\n{_MANY}d {_ALL}", "c x"),
        (f"if t; then trap 'c y' EXIT; else trap 'c x' EXIT; fi\n{_MANY}d {_ALL}", "c x"),
        (f"if t; then trap 'c y' EXIT; else trap 'c x' EXIT; fi\n{_MANY}d {_ALL}", "c y"),
        (f"if t; then :; else f() {{ c x; }}; fi\n{_MANY}d {_ALL}\nf", "c x"),
        (f"if t; then :; else cd a; fi\n{_MANY}d {_ALL}\ncat <<E > b.sh\nc x\nE\nsh b.sh", "c x"),
    ],
)
def test_too_many_worlds_lose_no_command(text: str, shown: str) -> None:
    assert shown in [said(c) for c in run(text).commands]
