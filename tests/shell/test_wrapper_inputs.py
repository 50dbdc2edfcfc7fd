"""What wrappers read besides their words: standard input, files of the tree, files that the script writes."""

import pytest
from running import lines, run, said

FILES = {
    "cmds": "gcc a.c\ngcc b.c\n",
    "head": "set -e\n",
    ".env": "# flags\nF=-O2\nG='x y'\n",
    "flags.env": "F=-O2\nG=a b\nH\n#I=1\n",
}

READ: list[tuple[str, list[str]]] = [
    ("bash < cmds", ["gcc a.c", "gcc b.c"]),
    ("bash -s < cmds", ["gcc a.c", "gcc b.c"]),
    ("ssh host bash -s < cmds", ["gcc a.c", "gcc b.c"]),
    ("docker run -i IMAGE sh < cmds", ["gcc a.c", "gcc b.c"]),
    ("sudo bash < cmds", ["gcc a.c", "gcc b.c"]),
    ("at now < cmds", ["gcc a.c", "gcc b.c"]),
    ("at -f cmds now", ["gcc a.c", "gcc b.c"]),
    ("cat cmds | sh", ["cat cmds", "gcc a.c", "gcc b.c"]),
    ("cat head cmds | sh", ["cat head cmds", "gcc a.c", "gcc b.c"]),
    ("tee log < cmds | sh", ["tee log", "gcc a.c", "gcc b.c"]),
    ('eval "$(cat cmds)"', ["cat cmds", "gcc a.c", "gcc b.c"]),
    ('eval "$(<cmds)"', ["gcc a.c", "gcc b.c"]),
    ('bash -c "$(cat cmds)"', ["cat cmds", "gcc a.c", "gcc b.c"]),
    ('T=$(cat cmds); eval "$T"', ["cat cmds", "gcc a.c", "gcc b.c"]),
    ("source /dev/stdin < cmds", ["gcc a.c", "gcc b.c"]),
    (". <(cat cmds)", ["cat cmds", "gcc a.c", "gcc b.c"]),
    ("bash <(echo gcc c.c)", ["gcc c.c"]),
    ("source <(echo gcc c.c)", ["gcc c.c"]),
    ("cp cmds x.sh; sh x.sh", ["cp cmds x.sh", "gcc a.c", "gcc b.c"]),
    ("cat head cmds > x.sh; sh x.sh", ["cat head cmds", "gcc a.c", "gcc b.c"]),
    ("install -m755 cmds x; ./x", ["install -m755 cmds x", "gcc a.c", "gcc b.c"]),
    ("dd if=cmds of=x; sh x", ["dd if=cmds of=x", "gcc a.c", "gcc b.c"]),
    ("dd of=x <<< 'gcc c.c'; sh x", ["dd of=x", "gcc c.c"]),
    ("printf 'gcc c.c\\n' | sh", ["gcc c.c"]),
    ("printf 'gcc c.c\\n' > x; . ./x", ["gcc c.c"]),
    ("printf 'gcc %s\\n' a b | tee log | sh", ["tee log", "gcc a", "gcc b"]),
    ("if test -f x; then echo gcc a.c; else echo gcc b.c; fi | sh", ["gcc a.c", "gcc b.c"]),
    ("./gen > cmds; cat cmds | sh", ["./gen", "cat cmds", "sh"]),
    ("{ ./gen; } > cmds; sh < cmds", ["./gen", "sh"]),
    ("echo gcc d.c > cmds; cat cmds | sh", ["cat cmds", "gcc d.c"]),
    ("BASH_ENV=cmds bash -c 'gcc c.c'", ["gcc a.c", "gcc b.c", "gcc c.c"]),
    ("$SHELL -c 'gcc c.c'", ["gcc c.c"]),
    ("\"${SHELL:-/bin/sh}\" -c 'gcc c.c'", ["gcc c.c"]),
    ("trap 'gcc c.c' EXIT; $(printf 'gcc a.c')", ["gcc a.c", "gcc c.c"]),
]


@pytest.mark.parametrize(("text", "expected"), READ, ids=[text for text, _ in READ])
def test_a_text_that_is_known_is_followed(text: str, expected: list[str]) -> None:
    assert lines(text, files=FILES) == expected


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("./gen | sh", "what sh runs here is the output of gen"),
        ("sed s/a/b/ cmds | bash", "what bash runs here is the output of sed"),
        ('eval "$(./gen)"', "what eval runs here is the output of gen"),
        ("./gen > cmds; sh cmds", "what sh runs here is the output of gen"),
        ("{ ./gen; } > cmds; . ./cmds", "what . runs here is the output of gen"),
        ('while read -r l; do eval "$l"; done < cmds', "what eval runs here is read from the input"),
        ("CMD=$(cat cmds); $CMD", "which program runs here is not known: it is the contents of a file"),
        ("make -f - <<< 'all:; gcc a.c'", "the makefile is made by the script"),
        ("echo 'all:; gcc a.c' > x.mk; make -f x.mk", "the makefile is made by the script"),
    ],
)
def test_a_text_that_is_not_known_is_told(text: str, what: str) -> None:
    problems = run(text, files=FILES).problems
    assert [p.message.startswith(what) for p in problems] == [True]
    assert not any(p.fatal for p in problems)


@pytest.mark.parametrize(
    "text",
    ["curl -s https://x | sh", 'eval "$@"', 'eval "$1"', 'eval "$(ssh-agent)"', "bash", "ssh host bash", 'sh -c "$X"'],
)
def test_a_text_of_somebody_outside_is_not_told(text: str) -> None:
    assert run(text, files=FILES).problems == ()


def test_an_environment_is_loaded_not_run() -> None:
    (command,) = (c for c in run('eval "$(cat .env)"; gcc $F', files=FILES).commands if c.argv[0].text == "gcc")
    assert [h.reason for w in command.argv for h in w.holes] == ['`eval "$(cat .env)"` may set it']


def test_env_file_of_a_container() -> None:
    text = "docker run --env-file flags.env -e J=1 IMAGE sh -c 'gcc $F \"$G\" $H $I'"
    (command,) = run(text, files=FILES).commands
    assert (said(command), command.env["J"].text) == ("gcc -O2 <a b>", "1")


def test_env_file_that_is_not_in_the_tree_may_set_anything() -> None:
    (command,) = run("docker run --env-file other.env IMAGE sh -c 'gcc $F'").commands
    assert said(command) == "gcc $F"


@pytest.mark.parametrize(
    ("text", "language", "inside"),
    [
        ("python3 -c 'import os'", "Python", "import os"),
        ("python3 -Ic 'import os' a", "Python", "import os"),
        ("python3 -W ignore - a <<< 'import os'", "Python", "import os\n"),
        ("python3.12 <<< x", "Python", "x\n"),
        ("perl -lne 'print'", "Perl", "print"),
        ("perl -I lib -e x -e y", "Perl", "x|y"),
        ("ruby -rjson -e 'puts'", "Ruby", "puts"),
        ("node --eval='x' f", "JavaScript", "x"),
        ("php -r 'x;'", "PHP", "x;"),
        ("awk -F: -v a=b '{print}' f", "awk", "{print}"),
        ("gawk -f x.awk f", "", ""),
        ("python3 x.py -c y", "", ""),
        ("python3 -m x -c y", "", ""),
        ("vim -es -c '!gcc' x", "Vim script", "!gcc"),
        ("echo '* * * * * x' | crontab -", "crontab", "* * * * * x\n"),
        ("sudo python3 -c x", "Python", "x"),
        ("cat head | perl", "Perl", "set -e\n"),
    ],
)
def test_texts_of_other_languages_are_handed_on(text: str, language: str, inside: str) -> None:
    found = run(text, files=FILES).texts
    assert "|".join(c.argv[0].text for c in found) == inside
    assert {c.wrappers[0][0].text for c in found} == ({language} if language else set())


@pytest.mark.parametrize(
    ("text", "opt_in"),
    [
        ("trap 'gcc a' ERR", False),
        ("trap 'gcc a' DEBUG", False),
        ("trap 'gcc a' INT", True),
        ("trap 'gcc a' USR1 err", False),
    ],
)
def test_what_bash_signals_itself_needs_nobody_outside(text: str, opt_in: bool) -> None:
    (command,) = run(f"{text}\ntrue").commands
    assert command.opt_in is opt_in


@pytest.mark.parametrize("program", ["$(which gcc)", '"$(command -v gcc)"', "`type -P gcc`", '"$(xcrun -f gcc)"'])
def test_a_program_that_is_looked_up_is_known_by_its_name(program: str) -> None:
    from flagguard.command import looked_up

    assert looked_up(run(f"{program} a.c").commands[-1].argv[0]) == "gcc"
