"""Wrappers that run shell text, files or standard input, or a command that is not just the rest of their words."""

import pytest
from peeling import facts, words

from flagguard.shell.wrappers import peel

TEXTS: list[tuple[str, dict[str, object]]] = [
    (
        "git submodule foreach --recursive 'gcc a.c'",
        {"wrapper": "git submodule foreach --recursive", "script": "gcc a.c"},
    ),
    ("git -C x submodule -q foreach gcc a.c", {"wrapper": "git -C x submodule -q foreach", "script": "gcc a.c"}),
    ("git rebase -i -x TEXT main", {"wrapper": "git rebase -i -x main", "script": "TEXT"}),
    ("git rebase --exec=TEXT --onto x main", {"wrapper": "git rebase --onto x main", "script": "TEXT"}),
    (
        "git filter-branch --tree-filter TEXT HEAD",
        {"wrapper": "git filter-branch --tree-filter HEAD", "script": "TEXT"},
    ),
    ("tmux -L x new -d -s y TEXT", {"wrapper": "tmux -L x new -d -s y", "script": "TEXT"}),
    ("tmux send-keys -t x TEXT Enter", {"wrapper": "tmux send-keys -t x", "script": "TEXT"}),
    ("at now + 1 min", {"wrapper": "at now + 1 min", "reads_stdin": True}),
    ("batch", {"wrapper": "batch", "reads_stdin": True}),
    ("at -f FILE now", {"wrapper": "at -f FILE now", "script_file": "FILE"}),
    ("sbatch -n 1", {"wrapper": "sbatch -n 1", "reads_stdin": True, "ignores_status": True}),
    ("nodemon -e c --exec TEXT", {"wrapper": "nodemon -e c --exec", "script": "TEXT", "ignores_status": True}),
    ("cargo watch -w src -s TEXT", {"wrapper": "cargo watch -w src -s", "script": "TEXT"}),
    (
        "msys2_shell.cmd -defterm -here -c TEXT",
        {"wrapper": "msys2_shell.cmd -defterm -here -c", "script": "TEXT", "dialect": "bash"},
    ),
    ("cmd.exe /d /c gcc a.c", {"wrapper": "cmd.exe /d /c", "script": "gcc a.c", "dialect": "cmd"}),
    ("cmd //c gcc a.c", {"wrapper": "cmd //c", "script": "gcc a.c", "dialect": "cmd"}),
    ("@@SHELL@@ -c TEXT", {"wrapper": "$SHELL -c", "script": "TEXT", "dialect": "bash"}),
    ("@@BASH@@ -c TEXT", {"wrapper": "$BASH -c", "script": "TEXT", "dialect": "bash"}),
    ("sh -c 'gcc a.c'", {"wrapper": "sh -c", "script": "gcc a.c"}),
    ("/bin/sh -c TEXT n a b", {"wrapper": "/bin/sh -c", "script": "TEXT", "name": "n", "arguments": "a b"}),
    (
        "bash -euo pipefail -c TEXT",
        {
            "wrapper": "bash -euo pipefail -c",
            "script": "TEXT",
            "errexit": True,
            "nounset": True,
            "pipefail": True,
            "dialect": "bash",
        },
    ),
    ("bash -lc TEXT", {"wrapper": "bash -lc", "script": "TEXT", "dialect": "bash"}),
    ("bash -ceu TEXT", {"wrapper": "bash -ceu", "script": "TEXT", "errexit": True, "nounset": True, "dialect": "bash"}),
    ("bash -c -e TEXT n", {"wrapper": "bash -c -e", "script": "TEXT", "name": "n", "errexit": True, "dialect": "bash"}),
    ("bash -e +e -c TEXT", {"wrapper": "bash -e +e -c", "script": "TEXT", "dialect": "bash"}),
    (
        "bash --rcfile x --norc -O extglob -o errexit -c TEXT",
        {
            "wrapper": "bash --rcfile x --norc -O extglob -o errexit -c",
            "script": "TEXT",
            "errexit": True,
            "dialect": "bash",
        },
    ),
    (
        "bash @@BASH_OPTS@@ -c TEXT",
        {"wrapper": "bash $BASH_OPTS -c", "script": "TEXT", "doubt": "$BASH_OPTS", "dialect": "bash"},
    ),
    ("bash @@X@@ -c", {"wrapper": "bash", "script_file": "$X", "arguments": "-c", "dialect": "bash"}),
    (
        "docker --newest run img x",
        {"wrapper": "docker --newest run img", "argv": "x", "doubt": "--newest", "env": "clear"},
    ),
    (
        "docker run -e=A=x img sh",
        {"wrapper": "docker run -e=A=x img", "argv": "sh", "assignments": {"A": "x"}, "env": "clear"},
    ),
    (
        "docker run --rm=true --entrypoint= img sh -c x",
        {"wrapper": "docker run --rm=true --entrypoint= img", "argv": "sh -c x", "env": "clear"},
    ),
    (
        "gdb --batch -ex run --args ./x",
        {"wrapper": "gdb --batch -ex run --args", "argv": "./x", "ignores_status": True},
    ),
    ("perf stat -i gcc", {"wrapper": "perf stat -i", "argv": "gcc"}),
    ("dash -c -- TEXT", {"wrapper": "dash -c --", "script": "TEXT"}),
    ("sh -c @@CMD@@", {"wrapper": "sh -c", "script": "$CMD"}),
    ("sh build.sh a b", {"wrapper": "sh", "script_file": "build.sh", "arguments": "a b"}),
    ("bash -e @@x@@/b.sh", {"wrapper": "bash -e", "script_file": "$x/b.sh", "errexit": True, "dialect": "bash"}),
    ("sh", {"wrapper": "sh", "reads_stdin": True}),
    ("sh -", {"wrapper": "sh -", "reads_stdin": True}),
    ("bash -s a b", {"wrapper": "bash -s", "reads_stdin": True, "arguments": "a b", "dialect": "bash"}),
    ("sh -s -- a", {"wrapper": "sh -s --", "reads_stdin": True, "arguments": "a"}),
    ("fish -c TEXT", {"wrapper": "fish -c", "script": "TEXT", "dialect": "unread"}),
    ("pwsh -NoP -Command TEXT", {"wrapper": "pwsh -NoP -Command", "script": "TEXT", "dialect": "powershell"}),
    ("eval gcc '$F' a.c", {"wrapper": "eval", "script": "gcc $F a.c", "in_process": True}),
    ("eval -- x", {"wrapper": "eval --", "script": "x", "in_process": True}),
    (". ./env.sh a", {"wrapper": ".", "script_file": "./env.sh", "arguments": "a", "in_process": True}),
    ("source x", {"wrapper": "source", "script_file": "x", "in_process": True}),
    ("su -c TEXT", {"wrapper": "su -c", "script": "TEXT"}),
    ("su - user -c TEXT", {"wrapper": "su - user -c", "script": "TEXT", "env": "clear"}),
    ("su -l user --comm=TEXT", {"wrapper": "su -l user", "script": "TEXT", "env": "clear"}),
    (
        "su -s /bin/bash u -c TEXT n a",
        {"wrapper": "su -s /bin/bash u -c", "script": "TEXT", "name": "n", "arguments": "a", "dialect": "bash"},
    ),
    ("su - user", {"wrapper": "su - user", "reads_stdin": True, "env": "clear"}),
    ("runuser user -c TEXT", {"wrapper": "runuser user -c", "script": "TEXT"}),
    ("script -qec TEXT /dev/null", {"wrapper": "script -qec /dev/null", "script": "TEXT"}),
    ("script out -c TEXT", {"wrapper": "script out -c", "script": "TEXT", "ignores_status": True}),
    ("flock build.lock -c TEXT", {"wrapper": "flock build.lock -c", "script": "TEXT"}),
    ("ssh -p 22 host cd x '&&' make", {"wrapper": "ssh -p 22 host", "script": "cd x && make", "env": "clear"}),
    ("ssh host -t make", {"wrapper": "ssh host -t", "script": "make", "env": "clear"}),
    ("ssh host", {"wrapper": "ssh host", "reads_stdin": True, "env": "clear"}),
    ("watch -n 5 make all", {"wrapper": "watch -n 5", "script": "make all", "ignores_status": True}),
    ("entr -s TEXT", {"wrapper": "entr -s", "script": "TEXT", "ignores_status": True}),
    ("scl enable a b TEXT", {"wrapper": "scl enable a b", "script": "TEXT"}),
    (
        "nix-shell -p a b --pure --keep A --run TEXT",
        {
            "wrapper": "nix-shell -p a b --pure --keep A --run",
            "script": "TEXT",
            "passes": "A",
            "env": "clear",
            "dialect": "bash",
        },
    ),
    ("vagrant ssh box -c TEXT", {"wrapper": "vagrant ssh box -c", "script": "TEXT", "env": "clear"}),
    ("npx -p x -c TEXT", {"wrapper": "npx -p x -c", "script": "TEXT"}),
    ("sudo -s", {"wrapper": "sudo -s", "reads_stdin": True, "env": "clear"}),
    ("chroot /mnt", {"wrapper": "chroot /mnt", "reads_stdin": True}),
    ("parallel gcc -c {} ::: a.c", {"wrapper": "parallel", "script": "gcc -c a.c"}),
    ("parallel -j4 gcc -c :::: list", {"wrapper": "parallel -j4", "script": "gcc -c {}"}),
    ("parallel -q gcc -c {}", {"wrapper": "parallel -q", "argv": "gcc -c {}"}),
    (
        "docker run --entrypoint X img -c y",
        {"wrapper": "docker run --entrypoint X img", "argv": "X -c y", "env": "clear"},
    ),
    ("docker run --entrypoint=X img", {"wrapper": "docker run --entrypoint=X img", "argv": "X", "env": "clear"}),
    ("parallel -q gcc -c", {"wrapper": "parallel -q", "argv": "gcc -c", "appended": "an input of parallel"}),
    ("fd -e c -x gcc {} -o {.}.o '{abc}'", {"wrapper": "fd -e c -x", "argv": "gcc {} -o {.}.o {abc}"}),
    ("npm exec tool -- -x", {"wrapper": "npm exec", "argv": "tool -x"}),
    ("npm exec -- tool -- -x", {"wrapper": "npm exec --", "argv": "tool -- -x"}),
    ("npm exec tool@1 -x", {"wrapper": "npm exec", "argv": "tool -x", "doubt": "-x"}),
    ("sbatch -n 4 --wrap=TEXT", {"wrapper": "sbatch -n 4", "script": "TEXT", "ignores_status": True}),
    (
        "kubectl run x --image=i --env A=x --command -- make all",
        {
            "wrapper": "kubectl run x --image=i --env A=x --command --",
            "argv": "make all",
            "env": "clear",
            "assignments": {"A": "x"},
        },
    ),
    ("uv run -m pkg a", {"wrapper": "uv run -m pkg", "argv": "python -m pkg a"}),
    ("hatch run test:pytest -x", {"wrapper": "hatch run", "argv": "pytest -x"}),
    ("npx cross-env@7 A=x node", {"wrapper": "npx", "argv": "cross-env A=x node"}),
    ("npx @scope/tool@1 x", {"wrapper": "npx", "argv": "@scope/tool x"}),
    ("env -S 'A=x gcc -O2' a.c", {"wrapper": "env -S A=x gcc -O2", "argv": "gcc -O2 a.c", "assignments": {"A": "x"}}),
    ("env -iS 'gcc -c' a.c", {"wrapper": "env -iS gcc -c", "argv": "gcc -c a.c", "env": "clear"}),
    ("env '-Sgcc ${F}' a.c", {"wrapper": "env -Sgcc ${F}", "argv": "gcc ${F} a.c"}),
    ("env -S A=x gcc a.c", {"wrapper": "env -S A=x", "argv": "gcc a.c", "assignments": {"A": "x"}}),
    ("sudo @@X@@ gcc", {"wrapper": "sudo", "argv": "$X gcc", "env": "clear"}),
    ("sudo -u@@U@@ @@CC@@ a.c", {"wrapper": "sudo -u$U", "argv": "$CC a.c", "env": "clear"}),
    ("nice -@@N@@ gcc", {"wrapper": "nice -$N", "argv": "gcc", "doubt": "-$N"}),
]


@pytest.mark.parametrize(("line", "expected"), TEXTS, ids=[t[0] for t in TEXTS])
def test_what_the_wrapper_runs(line: str, expected: dict[str, object]) -> None:
    (peeled,) = peel(words(line))
    assert facts(peeled) == expected


def test_what_fd_makes_of_a_file_is_not_known() -> None:
    (peeled,) = peel(words("fd -x gcc {} -o {.}.o {abc}"))
    assert [len(w.holes) for w in peeled.argv] == [0, 1, 0, 1, 0]
    assert peeled.appended is None
