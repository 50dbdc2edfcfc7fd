"""Builtins: what each changes, prints and returns."""

import pytest
from running import lines, run


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("c $(echo -n a; echo -e 'b\\tc')", "c ab c"),
        ("c \"$(printf '%s,%03d,%x,%%' a 7 255)\"", "c a,007,ff,%"),
        ("printf -v V '%s-%s' a b; c $V", "c a-b"),
        ("export A=1 B; c $A", "c 1"),
        ("readonly A=1; c $A", "c 1"),
        ("declare -i n=2+3; n+=4; c $n", "c 9"),
        ("declare -u V=ab; c $V", "c AB"),
        ("declare -n R=V; R=x; c $V", "c x"),
        ("f() { local -n r=$1; r=x; }; f V; c $V", "c x"),
        ("A=(a b c); unset 'A[1]'; c ${A[@]} ${#A[@]}", "c a c 2"),
        ("A=(a b c); unset A[1]; i=2; unset A[$i]; c ${A[@]} ${#A[@]}", "c a 1"),
        ("V=x; unset V; c a$V", "c a"),
        ("let 'n = 2 * 3'; c $n", "c 6"),
        ("set -- a b c; shift 2; c $1 $#", "c c 1"),
        ("set -- -a -b x y; while getopts ab: o; do V=$V$o$OPTARG; done; shift $((OPTIND-1)); c $V $1", "c abx y"),
        ("read -r a b <<< 'x  y z'; c $a \"$b\"", "c x <y z>"),
        ("IFS=, read -ra A <<< 'a,b'; c ${A[1]}", "c b"),
        ("while read -r l; do V=$V$l.; done <<< $'a\\nb'; c $V", "c a.b."),
        ("mapfile -t A <<< $'a\\nb'; c ${#A[@]} ${A[1]}", "c 2 b"),
        ("set -o noglob; c *", "c *"),
        ("test 1 -eq 1 -a ! x = y && c yes", "c yes"),
        ("[ a = a ] && [ ! -z a ] && c yes", "c yes"),
        ("f() { return 3; }; f; c $?", "c 3"),
        ("false; c $?", "c 1"),
        ("eval V='x'; c $V", "c x"),
        ("set +; c $#", "c 0"),
        ("set + a b; c $# $1", "c 2 a"),
        ("set a; set - x; c $@; set -", "c x"),
        ("set a b; set -; c $@", "c a b"),
        ("c a; set -n; c b", "c a"),
        ("c a; shopt -so noexec; c b", "c a"),
        ("A=b eval '(c $A)'", "c b"),
        ("V=x; V=y read V <<< z; c $V", "c x"),
        ("V=x; V=y unset V; c $V", "c x"),
        ("declare -n R=V; c ${!R}", "c V"),
        ("declare -n R=V; V=(x y); c ${R[1]}", "c y"),
        ("declare -n R=V; R+=(x y); c ${R[@]} ${#V[@]}", "c x y 2"),
        ("declare -n R=V; V=(1 2 3); unset 'R[1]'; c ${!V[@]}", "c 0 2"),
        ("declare -n R=V V=R; R=1; c $R", "c"),
        ("f() { local -n V=V; c $V; }; V=x; f", "c x"),
        ("V=x; unset 'V[0]'; c ${V-no}", "c no"),
        ("A=(x y); unset 'A[@]'; c ${#A[@]}", "c 0"),
        ("A=(w x y z); i=2; unset 'A[i+1]'; c ${!A[@]}", "c 0 1 2"),
        ("readonly V=1; unset V; c $V $?", "c 1 1"),
        ('c "$(dirs)"', "c $(dirs)"),
        ("read <<< '  a  b '; c \"$REPLY\"", "c <  a  b >"),
        ("IFS=: read a b <<< '1\\:2:3'; c $a $b", "c 1:2 3"),
        ("getopts :a: o -a; c $o $OPTARG", "c : a"),
        ("getopts :abc o -z; c $o $OPTARG", "c ? z"),
        ("while getopts ab: o -bv -a; do V=$V$o${OPTARG-.}; done; c $V", "c bva."),
        ("declare -f no; c $?", "c 1"),
        ("f() { :; }; declare -f f; c $?", "c 0"),
        ('declare -A M=([k]=v); : "${M[j]=z}"; c ${M[j]} ${M[k]}', "c z v"),
    ],
)
def test_builtin(text: str, shown: str) -> None:
    assert lines(text, arguments=()) == [shown]


@pytest.mark.parametrize(
    ("text", "bash", "dash"),
    [
        ("c \"$(echo 'a\\tb')\"", "c a\\tb", "c <a\tb>"),
        ("A=1 :; c a$A", "c a", "c a1"),
        ("f() { local V; c a$V; }; V=1; f", "c a", "c a1"),
    ],
)
def test_bash_and_dash_differ(text: str, bash: str, dash: str) -> None:
    assert (lines(text), lines(text, bash=False)) == ([bash], [dash])


@pytest.mark.parametrize(
    ("text", "env"),
    [
        ("export A=1; B=2; c", {"A": "1"}),
        ("A=1 c", {"A": "1"}),
        ("export A=1; export -n A; c", {}),
        ("export A=1; unset A; c", {}),
        ("set -a; A=1; set +a; B=2; c", {"A": "1"}),
        ("export A=1; sudo c", {}),
        ("env A=1 c", {"A": "1"}),
        ("export A=1 B=2; env -u A c", {"B": "2"}),
        ("declare -x A=1; A=2; c", {"A": "2"}),
        ("f() { c; }; A=1 f", {"A": "1"}),
        ("f() { local -x A=1; c; }; f", {"A": "1"}),
    ],
)
def test_environment(text: str, env: dict[str, str]) -> None:
    (command,) = run(text).commands
    assert {n: v.text for n, v in command.env.items()} == env


def test_alias_of_a_dash_script_is_replaced() -> None:
    assert lines("alias gcc='gcc -O2'\ngcc a", bash=False) == ["gcc -O2 a"]


def test_getopts_over_unknown_arguments_is_a_hole() -> None:
    text = 'while getopts m: o; do case $o in m) M=$OPTARG;; esac; done; c "$M"'
    shown = {tuple(c.shown) for c in run(text).commands}
    assert any("$M" in w or "$OPTARG" in w for argv in shown for w in argv)
