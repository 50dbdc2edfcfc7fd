"""What a script runs for real and a reader of flags could overlook: loaded environments, open calls, aliases, loops
that run no time, files that the script writes."""

import pytest
from running import Files, run, said

from flagguard.command import Command, Dialect, Place, Script
from flagguard.hosts import Setting
from flagguard.shell import evaluate
from flagguard.text import Decider, Piece, Span, Traced

_MAY_SET = Decider.REPOSITORY


def _deciders(command: Command) -> list[Decider]:
    return [h.decider for w in command.argv for h in w.holes]


@pytest.mark.parametrize(
    "load",
    [
        "export $(cat .env | xargs)",
        "export $(grep -v '^#' .env)",
        'eval "$(cat .env)"',
        'eval "$(<.env)"',
        'F=-O2; eval "$(cat .env)"',
        'eval "$(./env-tool)"',
        'eval "$1=-march=native"',
        'eval "export $(cat .env)"',
        'while read -r l; do export "$l"; done < .env',
        'while IFS="=" read -r k v; do export "$k=$v"; done < .env',
        'declare "$1=-march=native"',
        'read "$1" <<< -march=native',
        'printf -v "$1" %s -march=native',
        "set -a; . ./unread; set +a",
        "source ./unread",
        "if test -f .env; then export $(cat .env); fi",
    ],
)
@pytest.mark.parametrize("use", ["gcc $F", "sh -c 'gcc $F'", 'gcc "${F:--O2}"'])
def test_loaded_environment_makes_holes(load: str, use: str) -> None:
    command = run(f"{load}\n{use}").commands[-1]
    assert command.argv[0].text == "gcc"
    if "sh -c" not in use or "F=-O2" not in load:
        assert _deciders(command) == [_MAY_SET]


def test_env_with_a_file_makes_holes_in_its_command_alone() -> None:
    _, inside, outside = run("env $(cat .env) sh -c 'gcc $F'; gcc $F x").commands
    assert (_deciders(inside), _deciders(outside)) == ([_MAY_SET], [])


@pytest.mark.parametrize(
    "load",
    [
        'eval "$(ssh-agent -s)"',
        'eval "$(conda shell.bash hook)"',
        "eval $(opam env)",
        'eval "$(/opt/homebrew/bin/brew shellenv)"',
        'eval "$(direnv hook bash)"',
        'eval "$@"',
        'eval "gcc $1"',
        'export "$@"',
        'f() { eval "$1=\\$2"; }; f V x',
        'while read -r l; do export "$l"; done < <(find .)',
    ],
)
def test_harmless_texts_load_nothing(load: str) -> None:
    command = run(f"{load}\ncc $F").commands[-1]
    assert said(command) == "cc"
    assert [h.name for _, h in command.vanished] == ["F"]


_BUILD = "build() { c a; }\n"


@pytest.mark.parametrize(
    ("text", "opt_in"),
    [
        ('"$1"', False),
        ('"$@"', False),
        ('"bu$1"', False),
        ('for t in "$@"; do $t; done', False),
        ('type "$1" >/dev/null && "$@"', False),
        ('cmd=$1; shift; $cmd "$@"', False),
        ('main() { "$@"; }\nmain "$@"', False),
        ('other() { :; }\n"${1:-other}"', False),
        ('"cmd_$1"', True),
        ('exec "$@"', True),
        ("$CC x", True),
        ("exit", True),
    ],
)
def test_function_that_the_caller_names(text: str, opt_in: bool) -> None:
    found = [c for c in run(_BUILD + text).commands if said(c) == "c a"]
    assert [(c.when, c.opt_in) for c in found] == [(("build is called",), opt_in)]


@pytest.mark.parametrize(
    "text",
    [
        "bash -c build",
        "echo 1 | xargs -I{} bash -c build",
        "bash -c 'bash -c build'",
        "parallel build ::: x",
        r'find . -exec bash -c "build {}" \;',
    ],
)
def test_exported_function_is_called(text: str) -> None:
    found = [c for c in run(f"{_BUILD}export -f build\n{text}").commands if said(c) == "c a"]
    assert [(c.when, c.opt_in) for c in found] == [((), False)]


@pytest.mark.parametrize(
    "text", ["export -f build\nsh -c build", "bash -c build", "export -f build\nexport -nf build\nbash -c build"]
)
def test_function_that_is_not_exported_is_not_called(text: str) -> None:
    assert [c.opt_in for c in run(_BUILD + text).commands if said(c) == "c a"] == [True]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("alias mb='c build'\nmb a", ["c build a"]),
        ("alias c='c a #'\nc --flag", ["c a"]),
        ("alias c='c -x'\nc a; F=1 c b > o", ["c -x a", "c -x b"]),
        ("alias c='c -x'; c a", ["c a"]),
        ("alias s='sudo '\nalias c='c -x'\ns c a", ["c -x a"]),
        ("alias s='sudo'\nalias c='c -x'\ns c a", ["c a"]),
        ("f() { c a; }\nalias c='c -x'\nf\n\\c b\n\"c\" d", ["c a", "c b", "c d"]),
        ("alias a=b\nunalias a\na x", ["a x"]),
        ("alias x='c a; c b'\nx d", ["c a", "c b d"]),
        ('alias x="c $1"\nx a', ["c $1 a"]),
    ],
)
def test_alias(text: str, shown: list[str]) -> None:
    assert [said(c) for c in run(text, bash=False).commands] == shown
    assert [said(c) for c in run(f"shopt -s expand_aliases\n{text}").commands] == shown


def test_alias_of_bash_waits_for_its_option() -> None:
    assert [said(c) for c in run("alias mb='c build'\nmb a").commands] == ["mb a"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("for f; do F=1; done; c $F x", {"c 1 x", "c x"}),
        ('for f in "$@"; do F=1; done; c $F x', {"c 1 x", "c x"}),
        ("shopt -s nullglob; for f in *.c; do F=1; done; c $F x", {"c 1 x", "c x"}),
        ("for f in $(ls); do F=1; done; c $F x", {"ls", "c 1 x", "c x"}),
        ("F=1; for i in $(seq 5); do c $F x; F=; done", {"seq 5", "c 1 x", "c x"}),
        ('for f in "$@"; do c $f; exit; done; c x', {"c $@", "c x"}),
        ("for f in *.c; do F=1; done; c $F x", {"c 1 x"}),
        ("for f in a $(ls); do F=1; done; c $F x", {"ls", "c 1 x"}),
        ('for f in "$1"; do F=1; done; c $F x', {"c 1 x"}),
    ],
)
def test_loop_over_words_that_are_not_known(text: str, shown: set[str]) -> None:
    assert {said(c) for c in run(text).commands} == shown


def test_loop_that_changes_nothing_assumes_nothing() -> None:
    assert [c.when for c in run('for f in "$@"; do c $f; done; c x').commands] == [(), ()]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("cat > r.sh <<E\nc a\nE\nsh r.sh", ["cat", "c a"]),
        ("echo 'c a' > r.sh; chmod +x r.sh; ./r.sh", ["chmod +x r.sh", "c a"]),
        ("echo 'c a' | tee r.sh >/dev/null; sh r.sh", ["tee r.sh", "c a"]),
        ("echo c a > r.sh; echo c b >> r.sh; sh ./r.sh", ["c a", "c b"]),
        ("{ echo c a; echo c b; } > r.sh; sh r.sh", ["c a", "c b"]),
        ("(echo c a > r.sh); cd .; sh r.sh", ["c a"]),
        ("echo 'F=1' > e.inc\n. ./e.inc\nc $F", ["c 1"]),
        ("echo 'c $1' > $T/r.sh; bash $T/r.sh x", ["c x"]),
        ("if c; then echo a > r.sh; else echo b > r.sh; fi; sh r.sh", ["c", "a", "b"]),
        ("echo 'c a' >> old.sh; sh old.sh", ["c old", "c a"]),
        ("cat f > r.sh; sh r.sh", ["cat f", "sh r.sh"]),
        ("c > r.sh; sh r.sh", ["c", "sh r.sh"]),
    ],
)
def test_file_that_the_script_writes(text: str, shown: list[str]) -> None:
    assert [said(c) for c in run(text, files={"old.sh": "c old\n"}).commands] == shown


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ('if [ "', '" = "" ]; then c a; else c b; fi', {"c a": "$ARGS is not set", "c b": "$ARGS is set"}),
        ("[ -n '", "' ] && c b", {"c b": "$ARGS is set"}),
        ('V="', '"; if [ -z "$V" ]; then c a; fi', {"c a": "$ARGS is not set"}),
    ],
)
def test_unset_variable_in_quotes_is_seen_by_conditions(before: str, after: str, shown: dict[str, str]) -> None:
    at, text = len(before), before + after
    pieces = (
        Piece(before, (Span("x", 0, at),), True),
        Piece("", (Span("x", at, at),), unset="ARGS"),
        Piece(after, (Span("x", at, len(text)),), True),
    )
    script = Script(Place("makefile"), Dialect.SH, Traced(pieces))
    found = evaluate(script, Setting(Files({"x": text}), ("linux-x86_64",))).commands
    assert {said(c): c.when[0] for c in found} == shown


@pytest.mark.parametrize(
    ("text", "deciders"),
    [
        ('while IFS= read -r f; do c "$f"; done < <(ls)', {Decider.OUTSIDE}),
        ("mapfile -t F < <(find . -name '*.c'); c \"${F[@]}\"", {Decider.OUTSIDE}),
        ("git ls-files '*.c' | while read -r f; do c $f; done", {Decider.OUTSIDE}),
        ('A=(x); while [ $# -gt 0 ]; do A+=("$1"); shift; done; c "${A[@]}"', {Decider.OUTSIDE}),
        ("while read -r f; do c $f; done < list", {Decider.REPOSITORY}),
        ("while read -r f; do c $f; done < <(./flags)", {Decider.REPOSITORY}),
        ("A=(); while a; do A+=(x); done; c ${A[@]}", {Decider.REPOSITORY}),
    ],
)
def test_who_decides_what_a_loop_collects(text: str, deciders: set[Decider]) -> None:
    found = [c for c in run(text).commands if c.argv[0].text == "c"]
    assert {d for c in found for d in _deciders(c)} == deciders
