"""Expansions: the fields that a word becomes, in bash."""

import pytest
from running import lines, run, said

KNOWN = [
    ("V='a b'; c $V \"$V\"", "c a b <a b>"),
    ("V=; c $V x", "c x"),
    ('V=; c "$V" x', "c <> x"),
    ("V=abc; c ${V:1:1} ${V: -1} ${#V} ${V^} ${V^^}", "c b c 3 Abc ABC"),
    ("V=a/b.c; c ${V##*/} ${V%.*} ${V/b/x} ${V//[ac]/-}", "c b.c a/b a/x.c -/b.-"),
    ('V=b; c "${V/b/[&]}"', "c [b]"),
    ("V=x; c ${V:-a} ${V:+b} ${N-d} ${N+e}", "c x b d"),
    ("c ${N:-a b} \"${N:-a b}\" ${N:-'a b'}", "c a b <a b> <a b>"),
    ("c ${N:-''} x", "c <> x"),
    ("c ${N:=5} $N", "c 5 5"),
    ("N=V; V=x; c ${!N}", "c x"),
    ("PRE_A=1; PRE_B=2; c ${!PRE_*}", "c PRE_A PRE_B"),
    ("A=(x 'y z' w); c ${A[1]} \"${A[@]}\" ${#A[@]} ${!A[@]}", "c y z x <y z> w 3 0 1 2"),
    ('A=(a b c); c "${A[@]:1}" ${A[@]#a} ${A[-1]}', "c b c b c c"),
    ("A=(a); A+=(b); A[5]=z; c ${A[*]}", "c a b z"),
    ('declare -A M=([k]=v); M[x y]=w; c ${M[k]} "${M[x y]}"', "c v w"),
    ('IFS=:; V=a:b; c $V "$V"', "c a b a:b"),
    ('IFS=:; set -- a b; c "$*"', "c a:b"),
    ('set -- \'a b\' c; c "$@" $# $1; shift; c "$@"', "c <a b> c 2 a b"),
    ("c {a,b}{1..3} x{01..03}", "c a1 a2 a3 b1 b2 b3 x01 x02 x03"),
    ("c a{b c,d}", "c a{b c,d}"),
    ("c $((1+2)) $[3]", "c 3 3"),
    ('c $(echo a b) "$(echo a b)" `echo c`', "c a b <a b> c"),
    ("c $(printf '%s-' a b)", "c a-b-"),
    ("V=$(echo Linux); c $V", "c Linux"),
    ("HOME=/h; c ~ ~/x a~ '~'", "c /h /h/x a~ ~"),
    ("V='*'; c \"$V\" '?'", "c * ?"),
    ("set -f; c *", "c *"),
]


MORE = [
    ('c "$IFS"', "c < \t\n>"),
    ("a='[[:wrong:]]'; c ${a//[[:wrong:]]}", "c [[:wrong:]]"),
    ("a=xyz; c ${a//[z-a]} ${a//[^[:wrong:]]/-}", "c xyz ---"),
    ("c a{0..9999999999}b", "c a{0..9999999999}b"),
    ('a=(1 2); c "${a[@]: -9}" "${a[@]: -1}"', "c 2"),
    ('A_X=1 A_Y=2 IFS=-; c "${!A_*}" "${!A_@}"', "c A_X-A_Y A_X A_Y"),
    ("c \ue000a$'\\ue000'", "c \ufffda\ufffd"),
]


@pytest.mark.parametrize(("text", "shown"), MORE)
def test_rare_expansion(text: str, shown: str) -> None:
    (command,) = run(text, arguments=()).commands
    assert said(command) == shown


@pytest.mark.parametrize("text", ["c a+(0|[1-2]|8)z", "c ?(a b)", "c @(a|'b c')d"])
def test_extended_pattern_is_a_hole(text: str) -> None:
    (command,) = run("shopt -s extglob; " + text).commands
    assert [len(w.holes) for w in command.argv] == [0, 1]


@pytest.mark.parametrize("text", ["${V}", "${V#x}", "${#V}", "${V/x/y}"])
def test_nounset_asks_for_the_variable(text: str) -> None:
    (command,) = run(f"set -u; c {text}").commands
    assert (said(command), command.when) == (f"c {text}", ("$V is set",))


@pytest.mark.parametrize(("text", "shown"), KNOWN)
def test_fields(text: str, shown: str) -> None:
    found = run(text).commands
    assert lines(text)[0] == shown
    assert all(w.known for w in found[0].argv)


@pytest.mark.parametrize(
    ("text", "shown", "reason"),
    [
        ("c *.c", "*", "the files that match the pattern (a glob)"),
        ("c $HOME", "$HOME", "it is set outside of the repository"),
        ("c $(git describe)", "$(git describe)", "the output of git"),
        ("c $(< f)", "$(< f)", "the contents of a file"),
        ("c <(d)", "<(d)", "the name of a pipe"),
        ("c $1", "$1", "an argument of the script"),
        ("c $RANDOM$((RANDOM))", "$RANDOM", "it is set outside of the repository"),
        ("c {1..9999}", "{1..9999}", "more words than are followed"),
        ("x=a\n" + 'x="$x$x"\n' * 30 + "c $x", "$x", "the value is too long to follow"),
        (". /opt/env.sh\nc $V", "$V", "/opt/env.sh may set it, and that file is not read"),
    ],
)
def test_what_cannot_be_known_is_a_hole_with_its_reason(text: str, shown: str, reason: str) -> None:
    command = next(c for c in run(text).commands if c.shown[0] == "c")
    gap = command.argv[-1].holes[0]
    assert (gap.text, gap.reason) == (shown, reason)


def test_unset_variable_leaves_no_word_and_is_remembered() -> None:
    (command,) = run('c $N -x "$N"').commands
    assert command.shown == ["c", "-x", ""]
    assert [(i, h.text) for i, h in command.vanished] == [(1, "$N")]


def test_default_can_be_overridden() -> None:
    (command,) = run("c ${cpu:-v2}").commands
    assert command.shown == ["c", "v2"]
    assert command.argv[1].pieces[0].overridable
