"""calls: what a command starts is evaluated under each call, with what the call passes, and not a second time alone."""

import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from flagguard import calls
from flagguard.calls import MAX_TEXT, MAX_WAYS, Calls, Came
from flagguard.command import Command
from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import FileCommands, collect
from flagguard.handed import MARK
from flagguard.hosts import Entered
from flagguard.judge import place_key
from flagguard.text import Decider

LINUX = Config(baseline={"linux-x86_64": "x86-64-v2"})
STEPS = "on: push\njobs:\n  b:\n    runs-on: ubuntu-latest\n    steps:\n"
MAKEFILE = "ARCH ?= x86-64\nall:\n\tgcc -march=$(ARCH) a.c\n"
POE = "[tool.poe.tasks]\n"
Lay = Callable[[Mapping[str, str]], Tree]


@pytest.fixture
def lay(tmp_path: Path) -> Lay:
    def make(files: Mapping[str, str]) -> Tree:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)
        return Tree(tmp_path)

    return make


def listed(tree: Tree, config: Config = LINUX) -> list[str]:
    """Each command as `FILE:LINE argv < CALL < CALL`, callers outermost last."""
    return [line for found in collect(tree, config, strict=True) for line in lines(found, tree)]


def lines(found: FileCommands, tree: Tree) -> list[str]:
    def at(path: str, start: int) -> str:
        source = tree.read(path)
        assert source is not None
        return f"{path}:{source.position(start)[0]}"

    return [
        " < ".join(
            (
                f"{at(c.span.path, c.span.start)} {' '.join(c.shown)}",
                *(at(v.path, v.start) for v in reversed(c.via)),
            )
        )
        for c in found.commands
    ]


CASES: dict[str, tuple[dict[str, str], list[str]]] = {
    "make's variable from a workflow": (
        {"w.yml": "      - run: make ARCH=native\n", "Makefile": MAKEFILE},
        ["w.yml:6 make ARCH=native", "Makefile:3 gcc -march=native a.c < w.yml:6"],
    ),
    "the environment before make": (
        {"b.sh": "ARCH=native make\n", "Makefile": MAKEFILE},
        ["Makefile:3 gcc -march=native a.c < b.sh:1", "b.sh:1 make"],
    ),
    "what is exported reaches make, what is not does not": (
        {"b.sh": "ARCH=no\nmake\nexport ARCH=yes\nmake\n", "Makefile": MAKEFILE},
        [
            "Makefile:3 gcc -march=x86-64 a.c < b.sh:2",
            "Makefile:3 gcc -march=yes a.c < b.sh:4",
            "b.sh:2 make",
            "b.sh:4 make",
        ],
    ),
    "an assignment in the makefile stands against the environment, not against -e": (
        {"b.sh": "export F=env\nmake\nmake -e\nmake F=line\n", "Makefile": "F = file\nall:\n\tgcc $(F)\n"},
        [
            "Makefile:3 gcc file < b.sh:2",
            "Makefile:3 gcc env < b.sh:3",
            "Makefile:3 gcc line < b.sh:4",
            "b.sh:2 make",
            "b.sh:3 make -e",
            "b.sh:4 make F=line",
        ],
    ),
    "MAKEFLAGS of the environment": (
        {"b.sh": "export MAKEFLAGS='F=-march=native'\nmake\n", "Makefile": "F = -O2\nall:\n\tgcc $(F)\n"},
        ["Makefile:3 gcc -march=native < b.sh:2", "b.sh:2 make"],
    ),
    "make hands its variables down to make": (
        {
            "b.sh": "make F='-O3 -g'\n",
            "Makefile": "F = a\nall:\n\t$(MAKE) -C s\n",
            "s/Makefile": "F = b\nall:\n\tgcc $(F)\n",
        },
        ["Makefile:3 make -C s < b.sh:1", "b.sh:1 make F=-O3 -g", "s/Makefile:3 gcc -O3 -g < Makefile:3 < b.sh:1"],
    ),
    "a makefile of another name": (
        {"Makefile": "all:\n\t$(MAKE) -f other.txt\n", "other.txt": "x:\n\tmojo build a.mojo\n"},
        ["Makefile:2 make -f other.txt", "other.txt:2 mojo build a.mojo < Makefile:2"],
    ),
    "make's --eval": (
        {"b.sh": "make --eval='F=-g'\n", "Makefile": "all:\n\tgcc $(F)\n"},
        ["Makefile:2 gcc -g < b.sh:1", "b.sh:1 make --eval=F=-g"],
    ),
    "only the goals that are called, and alone what nobody calls": (
        {"b.sh": "make a\n", "Makefile": "a: ; gcc a\nb: ; gcc b\nc: d\nd: ; gcc d\n"},
        ["Makefile:1 gcc a < b.sh:1", "b.sh:1 make a", "Makefile:2 gcc b", "Makefile:4 gcc d"],
    ),
    "a line is judged alone for the goals that nobody calls": (
        {"b.sh": "make a\n", "Makefile": "z: F = -march=native\na: o\nz: o\no: ; gcc $(F) x.c\n"},
        ["Makefile:4 gcc x.c < b.sh:1", "b.sh:1 make a", "Makefile:4 gcc -march=native x.c"],
    ),
    "a pattern rule that is called for one file, and alone one that nobody calls": (
        {"b.sh": "make bin-x\n", "Makefile": "bin-%: F = -g\nbin-%: ; gcc $(F) $*.c\nlib-%: ; gcc -shared $*.c\n"},
        ["Makefile:2 gcc -g x.c < b.sh:1", "b.sh:1 make bin-x", "Makefile:3 gcc -shared $*.c"],
    ),
    "a makefile that calls itself": (
        {"Makefile": "all:\n\t$(MAKE) F=1 x\n\t$(MAKE) F=2 x\nx:\n\tgcc $(F)\n"},
        [
            "Makefile:2 make F=1 x",
            "Makefile:3 make F=2 x",
            "Makefile:5 gcc 1 < Makefile:2",
            "Makefile:5 gcc 2 < Makefile:3",
        ],
    ),
    "a goal that is not known is any goal": (
        {"b.sh": "make F=-g $(cat goal)\n", "Makefile": "a: ; gcc $(F) a\nb: ; gcc $(F) b\n"},
        [
            "Makefile:1 gcc -g a < b.sh:1",
            "Makefile:2 gcc -g b < b.sh:1",
            "b.sh:1 cat goal",
            "b.sh:1 make F=-g $(cat goal)",
        ],
    ),
    "make -n runs nothing": (
        {"b.sh": "make -n\n", "Makefile": "all: ; gcc a\n"},
        ["Makefile:1 gcc a", "b.sh:1 make -n"],
    ),
    "a script's arguments": (
        {"x.sh": "#!/bin/sh\n./y.sh native\n", "y.sh": "#!/bin/sh\ngcc -march=${1:-x86-64} a.c\n"},
        ["x.sh:2 ./y.sh native", "y.sh:2 gcc -march=native a.c < x.sh:2"],
    ),
    "a script's environment": (
        {"w.yml": "      - run: ./y.sh\n        env: {CPU: native}\n", "y.sh": "gcc ${CPU:-x86-64}\n"},
        ["w.yml:6 ./y.sh", "y.sh:1 gcc native < w.yml:6"],
    ),
    "a file of no claimed name, read by a shell": (
        {"x.sh": "sh build.inc\nbash -x build.inc\nbash -n build.inc\n", "build.inc": "mojo build a.mojo\n"},
        [
            "build.inc:1 mojo build a.mojo < x.sh:1",
            "build.inc:1 mojo build a.mojo < x.sh:2",
            "x.sh:1 sh build.inc",
            "x.sh:2 bash -x build.inc",
            "x.sh:3 bash -n build.inc",
        ],
    ),
    "a script that runs its arguments is a wrapper": (
        {"x.sh": "./w.sh mojo build a.mojo\n", "w.sh": '#!/bin/sh\nexec "$@"\n'},
        ["x.sh:1 ./w.sh mojo build a.mojo", "x.sh:1 mojo build a.mojo < x.sh:1"],
    ),
    "a script in its own folder": (
        {"s/x.sh": 'cd "$(dirname "$0")"\n./y.sh\ncd ..\nbash s/y.sh\n', "s/y.sh": "gcc $0\n"},
        [
            "s/x.sh:1 dirname $0",
            "s/x.sh:2 ./y.sh",
            "s/x.sh:4 bash s/y.sh",
            "s/y.sh:1 gcc ./y.sh < s/x.sh:2",
            "s/y.sh:1 gcc s/y.sh < s/x.sh:4",
        ],
    ),
    "working-directory and cd": (
        {
            "w.yml": "      - run: make\n        working-directory: s\n      - run: (cd s && make CC=icc); make\n",
            "s/Makefile": "all: ; $(CC) x.c\n",
            "Makefile": "all: ; gcc root.c\n",
        },
        [
            "w.yml:6 make",
            "w.yml:8 make CC=icc",
            "w.yml:8 make",
            "Makefile:1 gcc root.c < w.yml:8",
            "s/Makefile:1 cc x.c < w.yml:6",
            "s/Makefile:1 icc x.c < w.yml:8",
        ],
    ),
    "nobody knows where that is": (
        {"b.sh": 'cd "$BUILD"\nmake F=1\n', "Makefile": "all: ; gcc $(F)\n"},
        ["Makefile:1 gcc", "b.sh:2 make F=1"],
    ),
    "a task's arguments, by a reference and in a sequence": (
        {
            "pyproject.toml": POE
            + 'a.ref = "build native"\nb = ["build v2"]\n'
            + 'build = {cmd = "gcc $cpu", args = [{name = "cpu", positional = true, default = "none"}]}\n'
        },
        [
            "pyproject.toml:2 poe build native",
            "pyproject.toml:3 poe build v2",
            "pyproject.toml:4 gcc native < pyproject.toml:2",
            "pyproject.toml:4 gcc v2 < pyproject.toml:3",
        ],
    ),
    "a task that a workflow calls": (
        {
            "w.yml": "      - run: uv run poe d --x -g\n        env: {X: env}\n      - run: poe e --cpu=v3 --fast\n",
            "pyproject.toml": POE
            + 'd = "gcc $X"\n'
            + 'e = {cmd = "gcc $cpu $fast", args = ["cpu", {name = "fast", type = "boolean"}]}\n',
        },
        [
            "w.yml:6 poe d --x -g",
            "w.yml:8 poe e --cpu=v3 --fast",
            "pyproject.toml:2 gcc env --x -g < w.yml:6",
            "pyproject.toml:3 gcc v3 True < w.yml:8",
        ],
    ),
    "a task's body that runs make and a script": (
        {
            "pyproject.toml": POE + 'c = {shell = "make CPU=$CPU; ./y.sh x", env = {CPU = "v2"}}\n',
            "Makefile": "all: ; gcc $(CPU)\n",
            "y.sh": "gcc $1 $CPU\n",
        },
        [
            "Makefile:1 gcc v2 < pyproject.toml:2",
            "pyproject.toml:2 make CPU=v2",
            "pyproject.toml:2 ./y.sh x",
            "y.sh:1 gcc x v2 < pyproject.toml:2",
        ],
    ),
    "scripts that only call each other": (
        {"a.sh": "gcc a\n./b.sh\n", "b.sh": "gcc b\n./a.sh\n"},
        [
            "a.sh:1 gcc a",
            "a.sh:1 gcc a < b.sh:2 < a.sh:2",
            "a.sh:2 ./b.sh",
            "a.sh:2 ./b.sh < b.sh:2 < a.sh:2",
            "b.sh:1 gcc b < a.sh:2",
            "b.sh:2 ./a.sh < a.sh:2",
        ],
    ),
    "scripts that PATH finds": (
        {"x.sh": "PATH=$PWD/ci:$PATH b.sh 1\nb.sh 2\n", "ci/b.sh": "gcc $1\n"},
        ["ci/b.sh:1 gcc 1 < x.sh:1", "x.sh:1 b.sh 1", "x.sh:2 b.sh 2"],
    ),
    "an earlier step says where programs are": (
        {
            "w.yml": '      - run: echo "$PWD/ci" >> "$GITHUB_PATH"\n      - run: b.sh 1\n',
            "ci/b.sh": "gcc $1\n",
        },
        ["ci/b.sh:1 gcc 1 < w.yml:7", "w.yml:7 b.sh 1"],
    ),
    "what is copied to where an image looks for programs": (
        {
            "Dockerfile": "FROM x\nCOPY ci/b.sh /usr/local/bin/\nCOPY ci/b.sh /usr/bin/tool\nRUN b.sh 1\nRUN tool 2\n",
            "ci/b.sh": "#!/bin/sh\ngcc $1\n",
        },
        [
            "Dockerfile:4 b.sh 1",
            "Dockerfile:5 tool 2",
            "ci/b.sh:2 gcc 1 < Dockerfile:4",
            "ci/b.sh:2 gcc 2 < Dockerfile:5",
        ],
    ),
    "wrappers that go into a folder": (
        {
            "x.sh": "uv --directory s run make\npoetry -C s run make\nuv run --project s make\n",
            "s/Makefile": "all: ; gcc\n",
        },
        ["s/Makefile:1 gcc < x.sh:1", "s/Makefile:1 gcc < x.sh:2", "x.sh:1 make", "x.sh:2 make", "x.sh:3 make"],
    ),
    "mise's environment in tasks that are files": (
        {"mise.toml": "[env]\nF = '-O2'\n", "mise-tasks/b": "#!/bin/sh\ngcc $F\n"},
        ["mise-tasks/b:1 ./mise-tasks/b", "mise-tasks/b:2 gcc -O2 < mise-tasks/b:1"],
    ),
    "another machine's tree": (
        {"x.sh": "ssh host make F=1\nenv -C s make F=1\n", "Makefile": "all: ; gcc $(F)\n"},
        ["Makefile:1 gcc", "x.sh:1 make F=1", "x.sh:2 make F=1"],
    ),
}


def laid(files: Mapping[str, str]) -> dict[str, str]:
    return {
        (f".github/workflows/{n}" if n == "w.yml" else n): (STEPS + t if n == "w.yml" else t) for n, t in files.items()
    }


@pytest.mark.parametrize("name", CASES)
def test_under_each_call(lay: Lay, name: str) -> None:
    files, expected = CASES[name]
    assert sorted(line.replace(".github/workflows/", "") for line in listed(lay(laid(files)))) == sorted(expected)


class Plain:
    """Nothing is taken off, nothing put back."""

    def __init__(self, command: Command) -> None:
        self.command = command

    def command_of(self, command: Command) -> Command:
        return command


@pytest.mark.parametrize("name", CASES)
def test_places_are_put_back_as_they_were(lay: Lay, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    tree = lay(laid(CASES[name][0]))
    found = collect(tree, LINUX, strict=True)
    tree.memo.clear()
    monkeypatch.setattr(calls, "Handed", Plain)
    for one, other in zip(found, collect(tree, LINUX, strict=True), strict=True):
        assert one == other
        for command, same in zip(one.commands, other.commands, strict=True):
            assert [w.pieces for w in command.argv] == [w.pieces for w in same.argv]


def test_what_is_called_alike_is_evaluated_once(lay: Lay, monkeypatch: pytest.MonkeyPatch) -> None:
    script = "".join(f"make F=-O{n % 2} -C s  # {n}\n" for n in range(20))
    tree = lay({"a.sh": script, "b.sh": script, "s/Makefile": "all: ; gcc $(F)\n"})
    read: list[object] = []
    monkeypatch.setattr(Calls, "_evaluated", counting(Calls._evaluated, read))
    commands = [c for found in collect(tree, LINUX, strict=True) for c in found.commands if c.via]
    assert len(commands) == 40
    assert len(read) == 2
    origins = {(c.argv[1].pieces[0].route[-1].path, c.argv[1].pieces[0].route[-1].start) for c in commands}
    assert len(origins) == 40


def counting(evaluate: Callable[..., object], read: list[object]) -> Callable[..., object]:
    def counted(self: Calls, found: object, command: object) -> object:
        read.append(found)
        return evaluate(self, found, command)

    return counted


def test_what_the_caller_brings(lay: Lay) -> None:
    step = "      - run: make || true\n        if: github.ref == 'x'\n        name: compile\n"
    tree = lay(laid({"w.yml": step, "Makefile": "all: ; gcc a\n"}))
    (gcc,) = [c for found in collect(tree, LINUX) for c in found.commands if c.argv[0].text == "gcc"]
    place = gcc.place
    assert (place.host, place.target, place.job, place.step, place.runner) == (
        "makefile", "all", "b", "compile", "ubuntu-latest",
    )  # fmt: skip
    assert gcc.when == ("if: github.ref == 'x'",)
    assert gcc.status.value == "ignored"
    assert gcc.platforms == ("linux-x86_64",)


def test_calls_for_some_platforms_only(lay: Lay) -> None:
    tree = lay(
        {"b.sh": 'case "$(uname)" in Darwin) make F=mac ;; *) make F=else ;; esac\n', "Makefile": "all: ; gcc $(F)\n"}
    )
    config = Config(baseline={"linux-x86_64": "x86-64-v2", "macos-arm64": "apple-m1"})
    found = [(c.shown[-1], c.platforms) for f in collect(tree, config) for c in f.commands if c.argv[0].text == "gcc"]
    assert sorted(found) == [("else", ("linux-x86_64",)), ("mac", ("macos-arm64",))]


def test_a_call_that_somebody_has_to_ask_for_leaves_the_part_alone(lay: Lay) -> None:
    tree = lay({"b.sh": "unused() { make F=1; }\n", "Makefile": "all: ; gcc $(F)\n"})
    assert "Makefile:1 gcc" in listed(tree)


def test_an_excluded_file_is_not_entered(lay: Lay) -> None:
    tree = lay({"b.sh": "make -C third\n", "third/Makefile": "all: ; gcc a\n"})
    assert listed(tree, Config(baseline=LINUX.baseline, exclude=("third/**",))) == ["b.sh:1 make -C third"]


def test_calls_without_an_end_are_told(lay: Lay) -> None:
    tree = lay({"Makefile": "all:\n\tgcc $(N)\n\t$(MAKE) N=$(N)x\n"})
    (found,) = collect(tree, LINUX, strict=True)
    assert [p.message for p in found.problems if "too deeply" in p.message]
    assert not any(p.fatal for p in found.problems)
    assert len(found.commands) < 20


def test_an_overlay_reaches_the_callers(lay: Lay) -> None:
    tree = lay(laid({"w.yml": "      - run: make\n", "Makefile": "F = -O2\nall:\n\t./y.sh $(F)\n", "y.sh": "gcc $1\n"}))
    before = listed(tree)
    assert "y.sh:1 gcc -O2 < Makefile:3 < .github/workflows/w.yml:6" in before
    for path, text, wanted in (
        ("Makefile", "F = -O3\nall:\n\t./y.sh $(F)\n", "y.sh:1 gcc -O3 < Makefile:3 < .github/workflows/w.yml:6"),
        ("y.sh", "g++ $1\n", "y.sh:1 g++ -O2 < Makefile:3 < .github/workflows/w.yml:6"),
        ("GNUmakefile", "all: ; gcc other\n", "GNUmakefile:1 gcc other < .github/workflows/w.yml:6"),
    ):
        assert wanted in listed(tree.with_text(path, text))
        assert listed(tree) == before


STUB = '#!/bin/sh\nprintf "%s " "$(basename "$0")" "$@" >> "$LOG"\necho >> "$LOG"\n'


@pytest.mark.skipif(shutil.which("make") is None, reason="GNU make is not there")
@pytest.mark.parametrize(
    "name", [n for n, (files, _) in CASES.items() if set(files) <= {"b.sh", "Makefile", "s/Makefile"}]
)
def test_the_real_make_runs_the_same(lay: Lay, tmp_path: Path, name: str) -> None:
    files, expected = CASES[name]
    if "b.sh" not in files or "cat goal" in files["b.sh"] or "BUILD" in files["b.sh"]:
        pytest.skip("nobody knows what that runs")
    tree = lay(files)
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    for tool in ("gcc", "cc"):
        (stubs / tool).write_text(STUB)
        (stubs / tool).chmod(0o755)
    log = tmp_path / "log"
    log.write_text("")
    run = ["sh", "b.sh"]
    path = f"{stubs}:/usr/bin:/bin"
    subprocess.run(run, cwd=tmp_path, env={"PATH": path, "LOG": str(log)}, capture_output=True, check=False, timeout=20)
    real = sorted(line.rstrip() for line in log.read_text().splitlines())
    shown = sorted(line.partition(" < ")[0].partition(" ")[2] for line in listed(tree) if " < " in line)
    assert [line for line in shown if line.startswith(("gcc", "cc"))] == real
    del expected


def test_a_part_counts_once_however_many_call_it(lay: Lay) -> None:
    tree = lay(laid({"w.yml": "      - run: make\n      - run: make F=1\n", "Makefile": "all: ; gcc $(F)\n"}))
    called = [c for found in collect(tree, LINUX) for c in found.commands if c.argv[0].text == "gcc"]
    assert len(called) == 2
    assert len({place_key(c) for c in called}) == 1


def test_a_file_that_is_called_in_very_many_ways_is_not_followed_without_end_and_not_passed_over(
    tmp_path: Path,
) -> None:
    lines = "".join(f"make LEVEL={i}\n" for i in range(MAX_WAYS + 5))
    (tmp_path / "all.sh").write_text("#!/bin/sh\n" + lines)
    (tmp_path / "Makefile").write_text("all:\n\tgcc -O$(LEVEL) -c a.c\n")
    files = collect(Tree(tmp_path), Config(), strict=True)
    levels = [c.argv[1] for f in files for c in f.commands if c.argv[0].text == "gcc" and c.via]
    assert sorted({w.text for w in levels if w.known}) == sorted(f"-O{i}" for i in range(MAX_WAYS))
    (gap,) = {hole for w in levels for hole in w.holes}
    assert gap.name == "LEVEL"
    assert gap.decider is Decider.REPOSITORY
    assert len([w for w in levels if not w.known]) == 5
    assert not [p for f in files for p in f.problems if p.fatal]


def test_what_is_called_in_too_many_ways_hears_that_its_words_and_variables_are_open(lay: Lay) -> None:
    ways = "".join(f"FLAGS=-O{i} sh build.sh {i}\n" for i in range(MAX_WAYS + 5))
    tree = lay({"all.sh": ways, "build.sh": 'gcc $FLAGS -c "$1.c"\n'})
    found = [c for f in collect(tree, LINUX, strict=True) for c in f.commands if c.argv[0].text == "gcc" and c.via]
    open_ones = [c for c in found if c.argv[1].holes]
    assert len(found) == MAX_WAYS + 5
    assert len(open_ones) == 5
    assert all(c.argv[-1].holes for c in open_ones)
    assert len({c.via for c in found}) == MAX_WAYS + 5


def test_a_long_file_is_read_for_fewer_ways(lay: Lay) -> None:
    long = "gcc $FLAGS\n" + "# nothing\n" * 2_000
    ways = "".join(f"FLAGS=-O{i} sh build.sh\n" for i in range(20))
    tree = lay({"all.sh": ways, "build.sh": long})
    found = [c for f in collect(tree, LINUX, strict=True) for c in f.commands if c.argv[0].text == "gcc" and c.via]
    assert len([c for c in found if c.argv[1].known]) == MAX_TEXT // len(long)
    assert len(found) == 20


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that calls are evaluated in, one entry an evaluation."""
    paths: list[str] = []
    original = Calls._evaluated

    def recording(self: Calls, found: Entered, command: Command) -> Came:
        paths.append(found.path)
        return original(self, found, command)

    monkeypatch.setattr(Calls, "_evaluated", recording)
    return paths


JOBS = "on: push\njobs:\n" + "".join(
    f"  j{i}:\n    runs-on: ubuntu-latest\n    env: {{WHO: w{i}, MODE: {'a' if i < 5 else 'b'}}}\n"
    "    steps:\n      - run: ./build.sh\n"
    for i in range(10)
)


@pytest.mark.parametrize(
    ("script", "times"),
    [
        ("gcc -O$MODE", 2),
        ("gcc -O2", 1),
        ("gcc -O$MODE $WHO", 10),
        ('name=WHO; gcc "${!name}"', 10),
        ("make", 1),
        (". ./other.sh", 2 + 1),
        ("tox", 10 + 1),
    ],
)
def test_calls_that_differ_in_what_nothing_names_are_evaluated_once(
    lay: Lay, evaluated: list[str], script: str, times: int
) -> None:
    tree = lay(
        {
            ".github/workflows/w.yml": JOBS,
            "build.sh": f"#!/bin/bash\n{script}\n",
            "other.sh": "gcc -O$MODE\n",
            "Makefile": "all:\n\tgcc -O2\n",
            "tox.ini": "[testenv]\npassenv = W*\ncommands = gcc -O2\n",
        }
    )
    found = [c for f in collect(tree, LINUX, strict=True) for c in f.commands if c.argv[0].text == "gcc" and c.via]
    assert evaluated.count("build.sh") == times
    assert {c.place.job for c in found} == {f"j{i}" for i in range(10)}
    if script != "tox":  # what it passes on it names by patterns
        assert {(c.place.job, c.env["WHO"].text) for c in found} == {(f"j{i}", f"w{i}") for i in range(10)}


def test_what_drops_the_environment_drops_what_nothing_names(lay: Lay) -> None:
    tree = lay({".github/workflows/w.yml": JOBS, "build.sh": "#!/bin/sh\nenv -i gcc -O1\ngcc -O2\n"})
    found = [c for f in collect(tree, LINUX, strict=True) for c in f.commands if c.argv[0].text == "gcc" and c.via]
    assert {(c.argv[1].text, "WHO" in c.env) for c in found} == {("-O1", False), ("-O2", True)}
    assert not any(MARK in c.env for c in found)


@pytest.mark.parametrize(
    ("files", "alone"),
    [
        ({"Makefile": "all: app\napp: ; gcc $(F)\nrelease: ; $(MAKE) F=-g app\n"}, True),
        ({"Makefile": "release: ; $(MAKE) F=-g app\nall: app\napp: ; gcc $(F)\n"}, False),
        ({"Makefile": "all: app\napp: ; gcc $(F)\nrelease: ; $(MAKE) F=-g app\n", "b.sh": "make F=-O2\n"}, False),
        ({"Makefile": "all: app\napp: ; gcc $(F)\n", "b.sh": "make F=-g app\n"}, True),
        ({"Makefile": "all: app\napp: ; gcc $(F)\nrelease: ; $(MAKE) F=-g all\n"}, True),
        ({"Makefile": "all: app\napp: ; gcc $(F)\nr: ; $(MAKE) F=-g all\n", "b.sh": "make r\n"}, False),
        ({"Makefile": ".DEFAULT_GOAL = app\nall: app\napp: ; gcc $(F)\n", "b.sh": "make F=-g app\n"}, False),
    ],
)
def test_what_the_default_goal_needs_runs_alone_unless_somebody_calls_that_goal(
    lay: Lay, files: Mapping[str, str], alone: bool
) -> None:
    found = [c for f in collect(lay(files), LINUX, strict=True) for c in f.commands if c.argv[0].text == "gcc"]
    assert any(not c.via for c in found) is alone
    assert any(c.via for c in found)


def test_what_every_call_gives_is_known_where_a_file_is_called_in_too_many_ways(tmp_path: Path) -> None:
    calls = "".join(f"CC=gcc-{i} make\n" for i in range(MAX_WAYS + 5))
    (tmp_path / "all.sh").write_text("#!/bin/sh\n" + calls)
    (tmp_path / "Makefile").write_text("all:\n\t$(CC) -c a.c\n")
    files = collect(Tree(tmp_path), Config(), strict=True)
    (gap,) = {hole for f in files for c in f.commands for hole in c.argv[0].holes}
    assert gap.name == "CC"
    assert {text.text for text in gap.among} >= {f"gcc-{i}" for i in range(MAX_WAYS, MAX_WAYS + 5)}


@pytest.mark.parametrize("last", ["make", "CC= make", "CC=$(cat cc) make"])
def test_what_may_be_empty_or_is_not_always_given_is_open_there(tmp_path: Path, last: str) -> None:
    calls = "".join(f"CC=gcc LEVEL={i} make\n" for i in range(MAX_WAYS + 5))
    (tmp_path / "all.sh").write_text(f"#!/bin/sh\n{calls}LEVEL=x {last}\n")
    (tmp_path / "Makefile").write_text("CC ?= clang\nall:\nifdef CC\n\t$(CC) -O$(LEVEL) -c a.c\nelse\n\tnone\nendif\n")
    files = collect(Tree(tmp_path), Config(), strict=True)
    heads = {w for f in files for c in f.commands if c.via for w in c.argv[:1] if w.holes}
    assert heads
    # of which texts it is one may be said, where one of those is open
    assert not any(hole.among and all(text.known for text in hole.among) for word in heads for hole in word.holes)


def test_poe_sets_what_the_file_says_for_all_once_in_a_run(lay: Lay) -> None:
    """Measured with poethepoet 0.49: a reference stays in the run, `poe NAME` as a command begins one."""
    tasks = '[tool.poe.env]\nC = "all"\n[tool.poe.tasks]\nz = { cmd = "rec $C" }\n'
    tasks += 'a = { ref = "z", env = { C = "own" } }\nb = { cmd = "poe z", env = { C = "own" } }\n'
    tasks += 'c = { sequence = ["z"], env = { C = "own" } }\n'
    tree = lay({"pyproject.toml": tasks, "r.sh": "poe a\npoe b\npoe c\n"})
    ran = {line.partition(" < ")[2][-6:]: line.split()[2] for line in listed(tree) if " rec " in line}
    assert ran == {"r.sh:1": "own", "r.sh:2": "all", "r.sh:3": "own"}
