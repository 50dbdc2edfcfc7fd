"""One layer of wrapper taken off, by the table."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from peeling import facts, one_word, shown, words

from flagguard.command import word
from flagguard.shell.wrapper_table import Wrappers, entry, load
from flagguard.shell.wrappers import peel
from flagguard.text import Span, literal

INNER = "gcc -c a.c"

WORDS = [
    ("git bisect run", {}),
    ("git -c a.b=c -C x bisect run", {}),
    ("screen -dmS name", {}),
    ("screen -S name -d -m", {}),
    ("lxc exec c --", {"env": "clear"}),
    ("incus exec c --env A=x --", {"env": "clear", "assignments": {"A": "x"}}),
    ("machinectl shell -E A=x m", {"env": "clear", "assignments": {"A": "x"}}),
    ("ch-run -w img --", {}),
    ("enroot start -e A=x img", {"env": "clear", "assignments": {"A": "x"}}),
    ("udocker run --env=A=x img", {"env": "clear", "assignments": {"A": "x"}}),
    ("dune exec --root x --", {}),
    ("s6-setuidgid u", {}),
    ("chpst -u u -e d", {}),
    ("softlimit -m 5", {}),
    ("dockerize -wait x", {}),
    ("reflex -r x --", {"ignores_status": True}),
    ("spack -e x build-env --clean zlib", {}),
    ("spack build-env zlib --", {}),
    ("retry -t 3 -d 1 --", {}),
    # the wrapper's words before `gcc -c a.c`, and what else is found
    ("/usr/bin/env", {}),
    ("env CC=x A=y=z", {"assignments": {"CC": "x", "A": "y=z"}}),
    ("env -i PATH=/bin", {"assignments": {"PATH": "/bin"}, "env": "clear"}),
    ("env - A=x", {"assignments": {"A": "x"}, "env": "clear"}),
    ("env -iu X", {"unset": "X", "env": "clear"}),
    ("env -uX --unset Y --unset=Z", {"unset": "X Y Z"}),
    ("env --uns=Z --ignore-env", {"unset": "Z", "env": "clear"}),
    ("env -C dir --chdir=x --block-signal --", {}),
    ("env -- A=x", {"assignments": {"A": "x"}}),
    ("env CFLAGS=@@F@@", {"assignments": {"CFLAGS": "$F"}}),
    ("sudo", {"env": "clear"}),
    ("sudo -Eu builder", {}),
    ("sudo -E", {}),
    ("sudo --preserve-env", {}),
    ("sudo --preserve-env=CC,CFLAGS -u root", {"passes": "CC CFLAGS", "env": "clear"}),
    ("sudo -u root CC=x -n", {"assignments": {"CC": "x"}, "env": "clear"}),
    ("sudo -iu builder --", {"env": "clear"}),
    ("sudo --user=x --gro y", {"env": "clear"}),
    ("sudo --newest", {"env": "clear", "doubt": "--newest"}),
    ("sudo @@SUDO_FLAGS@@", {"env": "clear", "doubt": "$SUDO_FLAGS"}),
    ("doas -u x", {"env": "clear"}),
    ("runuser -u builder --", {}),
    ("runuser -u builder", {}),
    ("/usr/bin/time -v -o t.txt", {}),
    ("time -f %e --app", {}),
    ("nice", {}),
    ("nice -n 10", {}),
    ("nice -n10", {}),
    ("nice -10", {}),
    ("nice --10", {}),
    ("nice --adj=5", {}),
    ("ionice -c3", {}),
    ("ionice -c 2 -n 0", {}),
    ("chrt -b 0", {}),
    ("taskset -c 0-3", {}),
    ("taskset 0x3", {}),
    ("numactl -N 0 --membind=0", {}),
    ("nohup", {}),
    ("setsid", {}),
    ("setsid -f", {"ignores_status": True}),
    ("stdbuf -oL -e 0", {}),
    ("unbuffer", {}),
    ("script -q /dev/null", {"ignores_status": True}),
    ("timeout 5m", {}),
    ("timeout -k 5 10s", {}),
    ("timeout --signal=KILL 5h", {}),
    ("timeout --sig KILL --fore 5h", {}),
    ("timeout @@LIMIT@@", {}),
    ("gtimeout -s9 1", {}),
    ("flock -n build.lock", {}),
    ("flock -w 5 /tmp/x", {}),
    ("ccache", {}),
    ("sccache", {}),
    ("distcc", {}),
    ("icecc", {}),
    ("strace -f -o out", {}),
    ("strace -E A=x -E B -e trace=file", {"assignments": {"A": "x"}, "unset": "B"}),
    ("ltrace -S -o x", {}),
    ("valgrind --tool=memcheck --leak-check=full -q", {}),
    ("gdb -batch -ex run --args", {"ignores_status": True}),
    ("perf stat -e cycles -r 5", {}),
    ("perf record -g -o x --", {}),
    ("perf record --call-graph dwarf", {}),
    ("rr record -n", {}),
    ("heaptrack", {}),
    ("exec", {}),
    ("exec -a name -c", {"env": "clear"}),
    ("exec -la name", {}),
    ("command -p", {}),
    ("builtin", {}),
    ("xargs", {"appended": "the input of xargs"}),
    ("xargs -0 -P4 -n 1", {"appended": "the input of xargs"}),
    ("xargs -0 -P4 -n 1 -I{}", {"replaces": "{}"}),
    ("xargs -I {} -n1", {"replaces": "{}"}),
    ("xargs -I {} -n2", {"appended": "the input of xargs"}),
    ("xargs -iF", {"replaces": "F"}),
    ("xargs -i", {"replaces": "{}"}),
    ("xargs --rep=Q -r", {"replaces": "Q"}),
    ("xargs --max-args=2 --null -d '\\n'", {"appended": "the input of xargs"}),
    ("xargs -n@@N@@", {"appended": "the input of xargs"}),
    ("fd -e c -x", {"appended": "the files that fd finds"}),
    ("watch -x -n 5", {"ignores_status": True}),
    ("entr -r", {"replaces": "/_", "ignores_status": True}),
    ("chroot --userspec=a:b /mnt", {}),
    ("unshare -r -n --mount-proc", {}),
    ("nsenter -t 1 -m", {}),
    ("bwrap --ro-bind / / --setenv A x --unsetenv B --dev /dev", {"assignments": {"A": "x"}, "unset": "B"}),
    ("fakeroot --", {}),
    ("proot -r root -b /dev", {}),
    ("firejail --net=none --env=A=x --quiet", {"assignments": {"A": "x"}}),
    ("systemd-run --scope -p MemoryMax=1G", {}),
    ("systemd-run -p MemoryMax=1G", {"env": "clear", "ignores_status": True}),
    ("systemd-run --wait --setenv=A=x -EB", {"assignments": {"A": "x"}, "passes": "B", "env": "clear"}),
    ("systemd-inhibit --what=sleep", {}),
    ("xvfb-run -a -s '-screen 0'", {}),
    ("dbus-run-session --", {}),
    ("busybox", {}),
    ("setarch x86_64 -R", {}),
    ("setarch -R", {}),
    ("linux32", {}),
    ("arch -x86_64", {}),
    ("arch -arch arm64 -e A=x", {"assignments": {"A": "x"}}),
    ("caffeinate -i -t 60", {}),
    ("xcrun", {}),
    ("xcrun --sdk macosx", {}),
    ("xcrun -sdk macosx --toolchain x", {}),
    ("./libtool --tag=CC --mode=compile", {}),
    ("@@top_builddir@@/libtool --silent --mode=link", {}),
    ("emcmake", {}),
    ("cmake -E env A=x --unset=B", {"assignments": {"A": "x"}, "unset": "B"}),
    ("cmake -E time", {}),
    ("scan-build -o out --use-cc=clang", {}),
    ("bear --output x.json --", {}),
    ("bear", {}),
    ("intercept-build --cdb x", {}),
    ("cov-build --dir cov", {}),
    ("wine", {}),
    ("./wait-for-it.sh db:5432 -t 30 --", {}),
    ("run0 -u x --setenv=A=x", {"assignments": {"A": "x"}, "env": "clear"}),
    ("uv run", {}),
    ("uv --quiet run --with x -p 3.12 --locked", {}),
    ("uv run --", {}),
    ("uvx --from x", {}),
    ("uv tool run", {}),
    ("poetry -C d run", {}),
    ("pipenv run", {}),
    ("pdm run -p x", {}),
    ("rye run", {}),
    ("hatch -e env run", {}),
    ("hatch run", {}),
    (
        "tox exec -e x --",
        {
            "env": "clear",
            "passes": "CC CFLAGS CCSHARED CXX CPPFLAGS LD_LIBRARY_PATH LDFLAGS LANG LANGUAGE HOME TMPDIR",
        },
    ),
    ("pixi run", {}),
    ("magic run", {}),
    ("pixi run -e dev --locked", {}),
    ("pixi run --manifest-path x/pixi.toml --frozen", {}),
    ("conda run -n x --no-capture-output", {}),
    ("micromamba run -p /x -e A=x", {"assignments": {"A": "x"}}),
    ("mise exec node@20 --", {}),
    ("mise x -C d --", {}),
    ("asdf exec", {}),
    ("pyenv exec", {}),
    ("rustup run nightly", {}),
    ("bundle exec", {}),
    ("npm exec --", {}),
    ("npx -y", {}),
    ("npx --package=x --no-install", {}),
    ("pnpm exec", {}),
    ("pnpm -C d dlx", {}),
    ("yarn dlx -p x", {}),
    ("cross-env A=x B=y", {"assignments": {"A": "x", "B": "y"}}),
    ("node_modules/.bin/cross-env A=x", {"assignments": {"A": "x"}}),
    ("dotenv run --", {}),
    ("dotenv -f x run", {}),
    ("dotenv -e .env --", {}),
    ("op run --env-file=x --", {}),
    ("doppler -p x run --", {}),
    ("aws-vault exec prof --", {}),
    ("aws-vault exec -n prof", {}),
    ("direnv exec .", {}),
    ("nix develop -c", {}),
    ("nix develop .#x -i -k A --command", {"passes": "A", "env": "clear"}),
    ("nix shell nixpkgs#gcc nixpkgs#make -c", {}),
    ("guix shell --pure gcc make --", {"env": "clear"}),
    ("scl enable x --", {}),
    ("docker run IMAGE", {"env": "clear"}),
    (
        "docker --context x run -e A=x --env B -itv a:b -w/w --rm --platform linux/amd64 gcc:12",
        {"assignments": {"A": "x"}, "passes": "B", "env": "clear"},
    ),
    ("docker run -d @@IMAGE@@", {"env": "clear", "ignores_status": True}),
    ("docker run @@DOCKER_OPTS@@ img", {"env": "clear", "doubt": "$DOCKER_OPTS"}),
    ("docker run -v @@PWD@@:/src -eCC=x img", {"env": "clear", "assignments": {"CC": "x"}}),
    ("podman exec -it -u x box", {"env": "clear"}),
    ("docker container run --rm img", {"env": "clear"}),
    ("docker compose -f c.yml run --rm -e A=x svc", {"assignments": {"A": "x"}, "env": "clear"}),
    ("docker-compose exec -T svc", {"env": "clear"}),
    ("buildah run box --", {"env": "clear"}),
    ("kubectl -n ns exec pod -c box --", {"env": "clear"}),
    ("kubectl exec -it pod", {"env": "clear"}),
    ("toolbox run -c x", {"env": "clear"}),
    ("distrobox enter x --", {}),
    ("lima", {"env": "clear"}),
    ("multipass exec vm --", {"env": "clear"}),
    ("apptainer exec --cleanenv --bind a:b x.sif", {"env": "clear"}),
]


@pytest.mark.parametrize(("before", "expected"), WORDS, ids=[w[0] for w in WORDS])
def test_words_behind_the_wrapper_are_the_command(before: str, expected: dict[str, object]) -> None:
    outer = words(f"{before} {INNER}")
    (peeled,) = peel(outer)
    assert facts(peeled) == {"wrapper": shown(words(before)), "argv": INNER, **expected}
    assert peeled.argv == outer[peeled.index :]


SEVERAL = [
    ("find . -name '*.c' -exec gcc -c {} ';' -exec cc {} +", ["gcc -c {}", "cc"]),
    ("find . -exec a + -b {} ';'", ["a + -b {}"]),
    ("find . -name -exec -type f", []),
    ("find . -exec a {} ';' -o -okdir b ';'", ["a {}", "b"]),
    (
        "parallel mojo build --target-cpu {} ::: x86-64-v2 'a b' @@X@@",
        ["mojo build --target-cpu x86-64-v2", "mojo build --target-cpu 'a b'", "mojo build --target-cpu '$X'"],
    ),
    ("concurrently -n a,b 'x 1' 'y 2' --kill-others", ["x 1", "y 2"]),
    ("hyperfine -w 3 'x 1' 'y 2'", ["x 1", "y 2"]),
    ("parallel gcc -c {} -o {.}.o ::: a.c b.c", ["gcc -c a.c -o a.o", "gcc -c b.c -o b.o"]),
    ("parallel ::: 'x 1' 'y 2'", ["x 1", "y 2"]),
    ("fd -x a {} ';' -x b", ["a {}"]),
]


@pytest.mark.parametrize(("line", "expected"), SEVERAL, ids=[s[0] for s in SEVERAL])
def test_wrappers_of_several_commands(line: str, expected: list[str]) -> None:
    assert [shown(p.argv) if p.script is None else p.script.shown for p in peel(words(line))] == expected


def test_find_loses_the_status_of_one_command_each_and_adds_files_to_the_one_command_for_all() -> None:
    each, many = peel(words("find . -exec gcc -c {} ; -exec cc -v {} +".replace(" ; ", " ';' ")))
    assert (each.ignores_status, each.replaces, each.appended, each.index) == (True, "{}", None, 3)
    assert (many.ignores_status, many.replaces, many.index) == (False, None, 8)
    assert many.appended is not None
    assert shown(many.wrapper) == "find . -exec -exec"


NO_WRAPPER = [
    "gcc -c a.c",
    "@@CC@@ -c a.c",
    "@@E@@nv gcc",
    "./watch gcc",
    "tools/env gcc",
    "./eval x",
    "env",
    "env A=x",
    "env --help gcc",
    "sudo",
    "sudo -l gcc",
    "sudo -u",
    "command -v gcc",
    "command -V gcc",
    "exec",
    "exec -a x",
    "timeout 5",
    "flock 9",
    "xargs",
    "xargs -0",
    "ccache -s",
    "taskset -p 1",
    "docker build .",
    "docker run IMAGE",
    "docker @@X@@ img gcc",
    "docker",
    "uv pip install x",
    "uv sync",
    "python x.py -m y",
    "python -c 'import x' -m y",
    "cargo run -- gcc",
    "mojo run x.mojo",
    "npm run build",
    "make gcc",
    "tox exec -e x",
    "tox -e x -- gcc",
    "nix develop",
    "nix-shell -p gcc",
    "cmake --build x",
    "cmake -E copy a b",
    "xcrun --find clang",
    "xcrun --sdk macosx --show-sdk-path",
    "bash -n x.sh",
    "bash --version",
    "sh -c",
    "gdb ./x",
    "gdb -p 1",
    "watch",
    "eval",
    "perf report",
    "env -S 'gcc \"a' b",
    "",
]


@pytest.mark.parametrize("line", NO_WRAPPER)
def test_what_runs_no_other_command(line: str) -> None:
    assert peel(words(line)) == ()


def test_the_value_of_an_assignment_keeps_its_place() -> None:
    span = Span("Makefile", 10, 18)
    (peeled,) = peel((word(literal("env")), word(literal("CC=clang", span)), word(literal("make"))))
    ((name, value),) = peeled.assignments
    assert (name, value.text, value.route) == ("CC", "clang", (Span("Makefile", 13, 18),))


def test_split_words_keep_their_place() -> None:
    span = Span("x.sh", 5, 15)
    (peeled,) = peel(
        (word(literal("env")), word(literal("-S")), word(literal("gcc -O2 -c", span)), word(literal("a.c")))
    )
    assert [w.route for w in peeled.argv[:2]] == [(Span("x.sh", 5, 8),), (Span("x.sh", 9, 12),)]


VOCABULARY = (
    *(
        "-- - -c -e -i -I{} -n -n1 -o -u --x --x=y --entrypoint --env A=x A=@@H@@ ; + {} ::: run exec shell develop ssh"
    ).split(),
    *("@@H@@ -@@H@@ --x=@@H@@ @@MY_OPTS@@ gcc 'a b' ''").split(),
)


@given(st.sampled_from(sorted(load().tables)), st.lists(st.sampled_from(VOCABULARY), max_size=7))
@settings(max_examples=600, deadline=None, derandomize=True, database=None)
def test_any_words_can_be_read_and_none_is_invented(program: str, rest: list[str]) -> None:
    outer = (word(literal(program)), *(one_word(text) for text in rest))
    for peeled in peel(outer):
        assert (
            sum(x is not None and x != () for x in (peeled.argv, peeled.script, peeled.script_file))
            + peeled.reads_stdin
            == 1
        )
        assert set(peeled.wrapper) <= set(outer)
        if peeled.index >= 0 and program not in ("find", "gfind", "bfs", "env", "genv", "npm"):
            assert peeled.wrapper == outer[: peeled.index]
            following = outer[peeled.index + 1 :][: len(peeled.argv) - 1]
            assert [w.shown for w in peeled.argv[1:]] == [w.shown for w in following]
        if peeled.index >= 0:
            assert peeled.argv[0].shown in outer[peeled.index].shown


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("python -m pip install x", ["pip", "install", "x"]),
        ("python3.12 -I -m build --wheel", ["build", "--wheel"]),
        ("/usr/bin/python3 -W error -mpip list", ["pip", "list"]),
        ("pypy3 -X dev -m cibuildwheel", ["cibuildwheel"]),
    ],
)
def test_a_module_is_a_program(line: str, expected: list[str]) -> None:
    (peeled,) = peel(words(line))
    assert [w.text for w in peeled.argv] == expected


def test_every_entry_of_the_table_is_well_formed_and_names_its_source() -> None:
    table = load()
    assert len(table.tables) > 200
    for name in table.tables:
        found = table.find(name)
        assert found is not None
        assert found.source
        for word_, sub in found.commands.items():
            assert sub.source, (name, word_)


def _described(name: str, table: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    yield name, [token for token in table.get("options", "").split() if token[0] in "-+"]
    for word_, sub in table.get("commands", {}).items():
        yield from _described(f"{name} {word_}", sub)


def test_no_entry_describes_an_option_twice() -> None:
    for name, table in load().tables.items():
        for where, names in _described(name, table):
            assert len(names) == len(set(names)), where


def test_further_wrappers_are_added_to_the_table() -> None:
    table = load().with_tables({"withtools": {"source": "tools/README", "options": "-t --tool =", "operands": ["ENV"]}})
    (peeled,) = peel(words("tools/withtools -t x prod gcc a.c"), table)
    assert shown(peeled.argv) == "gcc a.c"
    assert peel(words("sudo gcc"), table)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "'source' is missing"),
        ({"source": "x", "option": ""}, "unknown key 'option'"),
        ({"source": 1}, "'source' is a string"),
        ({"source": "x", "runs": "words"}, "words"),
        ({"source": "x", "options": "-x :cleared"}, "cleared"),
        ({"source": "x", "operands": "A"}, "'operands' is a list"),
        ({"source": "x", "shell": "yes"}, "true or false"),
        ({"source": "x", "folder": "bin"}, "'folder' is one of"),
        ({"source": "x", "commands": 3}, "'commands'"),
    ],
)
def test_a_malformed_table_is_refused(table: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        entry("w", table)
    with pytest.raises(ValueError, match=message):
        Wrappers({}).with_tables({"w": table})
