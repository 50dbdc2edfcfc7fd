"""Control flow: what runs, in which worlds, and whether a failure would be noticed."""

import pytest
from running import lines, run, said

from flagguard.command import Status


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("if true; then c a; else c b; fi", ["c a"]),
        ("if false; then c a; elif true; then c b; fi", ["c b"]),
        ("case abc in a*) c a;; *) c b;; esac", ["c a"]),
        ("case a in a) c a;& b) c b;; c) c c;; esac", ["c a", "c b"]),
        ("case ab in a*) c a;;& *b) c b;;& c) c c;; *) c d;; esac", ["c a", "c b", "c d"]),
        ("for i in a 'b c'; do c $i; done", ["c a", "c b c"]),
        ("for ((i=0;i<3;i++)); do c $i; done", ["c 0", "c 1", "c 2"]),
        ("i=0; while [ $i -lt 2 ]; do c $i; i=$((i+1)); done; c e", ["c 0", "c 1", "c e"]),
        ("for i in a b c; do [ $i = b ] && continue; c $i; done", ["c a", "c c"]),
        ("for i in a b c; do [ $i = b ] && break; c $i; done", ["c a"]),
        ("for i in a b; do for j in x y; do continue 2; c no; done; c no; done; c e", ["c e"]),
        ("break; c a", ["c a"]),
        ("f() { c $1; return; c no; }; f x; c e", ["c x", "c e"]),
        ("f() { local V=in; c $V; }; V=out; f; c $V", ["c in", "c out"]),
        ("f() { c 1; }; f() { c 2; }; f; unset -f f; f", ["c 2", "f"]),
        ("exit; c a", []),
        ("(exit); c a", ["c a"]),
        ("set -e; false; c a", []),
        ("set -e; false || c a; c b", ["c a", "c b"]),
        ("set -e; if false; then :; fi; ! true; c a", ["c a"]),
        ("set -eo pipefail; false | true; c a", []),
        ("V=1; (V=2; c $V); c $V", ["c 2", "c 1"]),
        ("V=1; V=2 c $V; c $V", ["c 1", "c 1"]),
        ("echo a | { read x; c $x; }", ["c a"]),
        ("mapfile -t A < <(printf '%s\\n' a 'b c'); c \"${A[@]}\"", ["c a <b c>"]),
        ("read -r a b <<< 'x y z'; c \"$b\" $a", ["c <y z> x"]),
        ("trap 'c t' EXIT; c a", ["c a", "c t"]),
        ("eval 'c a; V=1'; c $V", ["c a", "c 1"]),
        ("sh -c 'c $1' n x; c b", ["c x", "c b"]),
        ("coproc c a; c b", ["c a", "c b"]),
        ("c a & c b; wait", ["c a", "c b"]),
        ("exec > log; c a", ["c a"]),
        ("exec c a; c b", ["c a"]),
        ("command c a; command -p c b", ["c a", "c b"]),
        ("[[ abc =~ ^a(.)c$ ]] && c ${BASH_REMATCH[1]}", ["c b"]),
        ("n=5; [[ 2+3 -eq n ]] && c a", ["c a"]),
        ("(( 2 > 1 )) && c a; (( 0 )) || c b", ["c a", "c b"]),
    ],
)
def test_what_runs_is_certain(text: str, shown: list[str]) -> None:
    evaluation = run(text, arguments=())
    assert [said(c) for c in evaluation.commands] == shown
    assert not any(c.when or c.opt_in for c in evaluation.commands)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("if test -f x; then c a; else c b; fi", [("c a", "`test -f x` is true"), ("c b", "`test -f x` is false")]),
        ("d || c a", [("d", ""), ("c a", "`d` fails")]),
        ('if [ -n "$V" ]; then c "$V"; fi', [("c $V", "$V is set")]),
        ('if [ "$V" = x ]; then c "$V"; fi', [("c x", "$V is x")]),
        ("case $1 in x | y) c a;; *) c b;; esac", [("c a", "$1 is x or y"), ("c b", "$1 is not x|$1 is not y")]),
    ],
)
def test_each_world_says_what_it_assumes(text: str, shown: list[tuple[str, str]]) -> None:
    assert [(said(c), "|".join(c.when)) for c in run(text).commands] == shown


@pytest.mark.parametrize(
    ("text", "assumed"),
    [
        ("a && b || c", "`a && b` fails"),
        ("a && b && d || c", "`a && b && d` fails"),
        ("a && b && d && e && f || c", "`a && b && … && f` fails"),
        ("a && b || c && d", "`a && b` fails"),
        ("a && b || d || c", "`a && b` fails|`d` fails"),
        ("! a && b || c", "`! a && b` fails"),
        ("{ a && b; } || c", "`the command before` fails"),
        ("f() { a && b; }; f || c", "`f` fails"),
        ('[ -n "$V" ] && b || c', '`[ -n "$V" ] && b` fails'),
        ("[ -f x ] && [ -f y ] || c", "`[ -f x ] && [ -f y ]` fails"),
        ("[ -f x ] || [ -f y ] && c", "`[ -f x ] || [ -f y ]` succeeds"),
        ("if a && b; then d; else c; fi", "`a && b` fails"),
        ("if a && b; then c; fi", "`a && b` succeeds"),
        ("if [ -f x ] || [ -f y ]; then c; fi", "`[ -f x ] || [ -f y ]` succeeds"),
        ("if [ -f x ] && [ -f y ]; then d; elif e; then c; fi", "`[ -f x ] && [ -f y ]` fails|`e` succeeds"),
        ("a && b; c", ""),
        ("a || b; c", ""),
        ("a || b && c", ""),
    ],
)
def test_what_several_courses_have_come_to_is_assumed(text: str, assumed: str) -> None:
    """A command that runs where one of several has failed does not run always."""
    assert ["|".join(c.when) for c in run(text).commands if said(c) == "c"] == [assumed]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('if [ ! -d "$A" ]; then c a; else c b; fi', {"c a": "true", "c b": "false"}),
        ('[ ! -d "$A" ] && c a', {"c a": "true"}),
        ('[[ ! -d "$A" ]] && c a', {"c a": "true"}),
        ('[ -f a -a ! -d "$A" ] && c a', {"c a": "true"}),
    ],
)
def test_negated_test_is_told_as_a_whole(text: str, shown: dict[str, str]) -> None:
    test = text[text.index("[") : text.rindex("]") + 1]
    assert {said(c): "|".join(c.when) for c in run(text).commands} == {
        command: f"`{test}` is {truth}" for command, truth in shown.items()
    }


@pytest.mark.parametrize(
    "text",
    [
        'case "$V" in x | y | z) [ "$V" = z ] && c a || c b;; esac',
        'case "$V" in x-[0-9]) [ "$V" = x-1 ] && c a || c b;; esac',
        "V=$(d); case $V in x | y) [ $V = y ] && c a || c b;; esac",
        "read -r V; case $V in x | y) [ $V = y ] && c a || c b;; esac",
        "./d; if [ $? -eq 77 ]; then c a; else c b; fi",
        "if ./d; then :; elif [ $? -eq 77 ]; then c a; else c b; fi",
        "./d || r=$?; case $r in 3) c a;; *) c b;; esac",
    ],
)
def test_what_is_left_open_is_followed_both_ways(text: str) -> None:
    assert {"c a", "c b"} <= {said(c) for c in run(text).commands}


@pytest.mark.parametrize(
    "text",
    [
        "./d || if [ $? -ne 0 ]; then c a; else c b; fi",
        "./d || if [ $? = 0 ]; then c b; else c a; fi",
        "./d || { r=$?; if [ $r -gt 0 ]; then c a; else c b; fi; }",
        "./d || if [[ $? -eq 0 ]]; then c b; else c a; fi",
        "./d || case $? in 0) c b;; *) c a;; esac",
    ],
)
def test_status_of_a_failed_command_is_not_zero(text: str) -> None:
    assert [said(c) for c in run(text).commands] == ["./d", "c a"]


def test_array_that_is_set_in_too_many_ways_stays_an_array() -> None:
    text = "".join(f'[ -d "$A{i}" ] || F+=({i})\n' for i in range(9))
    text += 'if [ ${#F[@]} -gt 0 ]; then c few; exit; fi\nc "${F[1]}"\nfor i in "${F[@]}"; do d $i; done'
    shown = {said(c) for c in run("F=()\n" + text).commands}
    assert {"c few", "c ${F[1]}", "d $F"} <= shown


@pytest.mark.parametrize("text", ["A=(*.x)", "A=($(d))", "read -ra A < f", "mapfile -t A < f", 'A=("$@")'])
def test_array_of_unknown_length(text: str) -> None:
    command = run(text + '; c ${#A[@]} "${A[1]}"').commands[-1]
    assert said(command) == "c ${#A[@]} ${A[1]}"


@pytest.mark.parametrize("text", [". ./made; c $1", "source made; c $1"])
def test_sourced_file_that_is_not_read_may_set_the_arguments(text: str) -> None:
    assert [said(c) for c in run(text, arguments=("x",)).commands] == ["c $1"]


def test_function_nested_too_deeply_loses_nothing_else() -> None:
    body = "if a; then " * 30 + "f" + "; fi" * 30
    found = run(f"f() {{ {body}; }}; c a; f; c b")
    assert {"c a", "c b"} <= {said(c) for c in found.commands}
    assert [p.fatal for p in found.problems] == [False]


def test_one_value_of_an_outside_variable_is_opt_in() -> None:
    found = run('if [ "$MODE" = debug ]; then c a; else c b; fi').commands
    assert [(said(c), c.opt_in) for c in found] == [("c a", True), ("c b", False)]


def test_function_that_nobody_calls_is_opt_in() -> None:
    (command,) = run("f() { c $1; }").commands
    assert (said(command), command.opt_in, command.when) == ("c $1", True, ("f is called",))


def test_platform_decides() -> None:
    text = 'case "$(uname)-$(uname -m)" in Linux-x86_64) t=v2;; Darwin-arm64) t=m1;; esac; c $t'
    found = run(text, platforms=("linux-x86_64", "macos-arm64")).commands
    shown = {said(c): c.platforms for c in found if c.shown[0] == "c"}
    assert shown == {"c v2": ("linux-x86_64",), "c m1": ("macos-arm64",)}


def test_independent_ifs_stay_linear() -> None:
    text = "".join(f'if [ -n "$A{i}" ]; then c {i}; fi\n' for i in range(20)) + "c end"
    found = run(text).commands
    assert len(found) == 21
    assert found[-1].when == ()


def test_too_many_ways_to_set_a_variable_are_a_hole() -> None:
    text = "V=\n" + "".join(f'test -f {i} && V="$V -D{i}"\n' for i in range(8)) + "c $V"
    reasons = {h.reason for c in run(text).commands if c.shown[0] == "c" for w in c.argv for h in w.holes}
    assert reasons == {"it is set in too many different ways"}


@pytest.mark.parametrize(
    ("text", "honoured"),
    [
        ("c", True),
        ("c; d", False),
        ("set -e; c; d", True),
        ("set -e; set +e; c; d", False),
        ("c || true", False),
        ("c || :", False),
        ("c || exit 1; d", True),
        ("c || { echo no; exit 1; }; d", True),
        ("c || exit 0", False),
        ("c && d", True),
        ("set -e; c && d; e", False),
        ("set -e; d && c; e", True),
        ("set -e; (c && d); e", True),
        ("set -e; f() { c && d; }; f; e", True),
        ("! c", False),
        ("set -e; ! c; d", False),
        ("c | d", False),
        ("set -o pipefail; c | d", True),
        ("set -e -o pipefail; c | d; e", True),
        ("c & wait", False),
        ("if c; then d; fi", False),
        ("if ! c; then exit 1; fi; d", True),
        ("if c; then d; else exit 1; fi; d", True),
        ("set -e; V=$(c); d", True),
        ("set -e; c || true; d", False),
        ("f() { c; }; f || exit 1; d", True),
        ("f() { c; return 0; }; f", False),
        ("set -e; (c); d", True),
        ("while c; do d; done", False),
        ("trap c EXIT", False),
    ],
)
def test_status(text: str, honoured: bool) -> None:
    found = next(c for c in run(text, arguments=()).commands if c.shown[0] == "c")
    assert (found.status is Status.HONOURED) is honoured


FILES = {"lib/env.sh": "CFLAGS=-O2\nf() { c $1; }\nreturn\nc no\n", "args.sh": 'c "$@"\n'}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (". lib/env.sh; c $CFLAGS", ["c -O2"]),
        ("source ./lib/env.sh; f x", ["c x"]),
        ('. "$(dirname "$0")/lib/env.sh"; f y', ["c y"]),
        ('set -- a; . ./args.sh; . ./args.sh b; c "$@"', ["c a", "c b", "c a"]),
    ],
)
def test_sourced_file_of_the_tree_runs_in_the_shell(text: str, shown: list[str]) -> None:
    found = run(text, files=FILES, arguments=()).commands
    assert [said(c) for c in found if c.shown[0] == "c" and not c.opt_in] == shown


def test_sourced_file_is_a_dependency() -> None:
    assert run(". lib/env.sh; . no.sh", files=FILES).depends == ("lib/env.sh", "no.sh")


def test_text_with_a_hole_that_cannot_be_read_is_no_error_of_the_script() -> None:
    assert [p.fatal for p in run('eval "V=\\${$1 x}"').problems] == [False]
    assert [p.fatal for p in run("eval 'V=${a x}'").problems] == [True]


def test_bad_substitution_is_told_where_it_is_made_and_the_rest_is_judged() -> None:
    found = run('c1\nif false; then c ${a b}; fi\nc2 "${a b}$(c3)"\nc4\n')
    assert [(p.line, p.fatal) for p in found.problems] == [(3, True)]
    assert "${a b} is a bad substitution" in found.problems[0].message
    assert [c.argv[0].text for c in found.commands] == ["c1", "c3", "c2", "c4"]


def test_flags_of_zsh_stop_nobody() -> None:
    found = run('if [ -n "$1" ]; then for k in ${(ok)x}; do c "$k"; done; fi\nc2\n')
    assert [(p.line, p.fatal) for p in found.problems] == [(1, False)]
    assert [c.argv[0].text for c in found.commands] == ["c", "c2"]


def test_sh_reads_what_only_bash_takes_as_bash_does() -> None:
    assert lines('D="${BASH_SOURCE[0]}"; V=W; W=x; c "${!V}" "${V[0]}"', bash=False) == ["c x W"]
