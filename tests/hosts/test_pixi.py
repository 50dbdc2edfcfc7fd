"""pixi's tasks: what deno_task_shell gets, on which platforms, in which environments; and `pixi run`."""

import shlex
from pathlib import Path

import pytest

from flagguard.command import Command
from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import collect
from flagguard.hosts import Setting, hosts_for, pixi
from flagguard.shell import evaluate
from flagguard.text import SourceText

from .support import Memory, problems, reading

PLATFORMS = ("linux-x86_64", "macos-arm64", "windows-x86_64")
HEAD = '[workspace]\nplatforms = ["linux-64", "osx-arm64", "win-64"]\n'


def found(text: str, files: "dict[str, str] | None" = None) -> "list[tuple[str, Command]]":
    source = SourceText("pixi.toml", HEAD + text)
    memory = Memory({"pixi.toml": source.text, **(files or {})})
    out = []
    for script in pixi.read(source, Setting(memory, PLATFORMS)).scripts:
        platforms = PLATFORMS if script.platforms is None else tuple(sorted(script.platforms))
        commands = evaluate(script, Setting(memory, platforms)).commands
        out += [(script.place.task or "", command) for command in commands]
    return out


def lines(text: str, files: "dict[str, str] | None" = None) -> list[str]:
    """Each command with its task, and its systems where it is not there on all."""
    said = []
    for task, command in found(text, files):
        systems = "" if len(command.platforms) == 3 else f" @{','.join(p.partition('-')[0] for p in command.platforms)}"
        said.append(f"{task}: {' '.join(command.shown)}{systems}")
    return said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # forms of a task
        ('[tasks]\na = "x y"', ["a: x y"]),
        ('[tasks]\na = { cmd = "x y" }', ["a: x y"]),
        ('[tasks.a]\ncmd = "x y"', ["a: x y"]),
        ('[tasks]\na = { cmd = ["x", "y z", "d[1]", ""] }', ["a: x y z d[1] "]),
        ('[tasks]\na = { cmd = ["x", "\\"q\\"", "a\\\\ b"] }', ["a: x q a\\\\ b"]),  # escaped for a shell that keeps it
        ('[tasks]\na = "x && y || z; v & w"', ["a: x", "a: y", "a: z", "a: v", "a: w"]),
        ('[tasks]\na = """\nx \\\n  y\nz\n"""', ["a: x y", "a: z"]),  # TOML joins
        ("[tasks]\na = '''\nx \\\n  y\nz\n'''", ["a: x y", "a: z"]),  # the shell joins
        ('[tasks]\na = [{ task = "b" }]\nb = "x"', ["b: x"]),
        ('[tasks]\na = { depends-on = ["b"] }\nb = "x"', ["b: x"]),
        ('[tasks]\na = { cmd = "y", depends-on = "b" }\nb = "x"', ["a: y", "b: x"]),
        ('[tasks]\na = { cmd = "y", depends_on = ["b"] }\nb = "x"', ["a: y", "b: x"]),
        ('[tasks]\na = { cmd = "x $V", env = { V = "1 2" } }', ["a: x 1 2"]),
        ('[tasks]\na = { cmd = "x $V", env = { V = "1 2", W = "$V" } }', ["a: x 1 2"]),
        ('[tasks]\na = { cmd = "x $W", env = { V = "1 2", W = "-$V" } }', ["a: x -1 2"]),
        ('[tasks]\na = { cmd = "x $V", env = { V = "a\\"b" } }', ['a: x a"b']),
        ('[tasks]\na = { cmd = "x", inputs = ["{{ b }}"], outputs = [] }', ["a: x"]),
        ('[tasks]\na = {\n  cmd = "x", # why\n  description = "d",\n}\nb = "y"', ["a: x", "b: y"]),  # TOML 1.1
        ('[tasks]\na = { cmd = "x", args = [\n "v", # }\n { arg = "w", default = "1" },\n] }', ["a: x"]),
        # arguments and templates
        ('[tasks]\na = { cmd = "x {{ v }}", args = ["v"] }', ["a: x {{ v }}"]),
        ('[tasks]\na = { cmd = "x {{ v }}", args = [{ arg = "v", default = "1 2" }] }', ["a: x 1 2"]),
        ('[tasks]\na = { cmd = "x {{ v | upper }}", args = [{ arg = "v", default = "ab" }] }', ["a: x AB"]),
        ('[tasks]\na = { cmd = "x {{v|replace(\'a\', \'o\')}}", args = [{ arg = "v", default = "ab" }] }', ["a: x ob"]),
        ('[tasks]\na = { cmd = "x {{ v | foo }}", args = [{ arg = "v", default = "ab" }] }', ["a: x {{ v | foo }}"]),
        ('[tasks]\na = { cmd = "x {{ v + w }}", args = [{ arg = "v", default = "a" }, { arg = "w", default = "!" }] }',
         ["a: x a!"]),
        ('[tasks]\na = { cmd = "x {{ v | lower if \'A\' in v }}", args = [{ arg = "v", default = "AB" }] }',
         ["a: x ab"]),
        ('[tasks]\na = { cmd = "x {{ v | lower if \'Z\' in v }}", args = [{ arg = "v", default = "AB" }] }', ["a: x"]),
        ('[tasks]\na = { cmd = "{% for n in v | split %}x {{ n }};{% endfor %}",'
         ' args = [{ arg = "v", default = "a b" }] }',
         ["a: x a", "a: x b"]),
        ('[tasks]\na = { cmd = "x {% if v == \'1\' %}-O2{% else %}-O3{% endif %}",'
         ' args = [{ arg = "v", default = "1" }] }',
         ["a: x -O2"]),
        ('[tasks]\na = { cmd = "x {% if v == \'1\' %}-O2{% else %}-O3{% endif %}", args = ["v"] }',
         ["a: x -O2", "a: x -O3"]),
        ('[tasks]\na = { cmd = "x {{ v }}", args = [{ arg = "v", default = "{{ w }}" }] }', ["a: x {{ w }}"]),
        ('[tasks]\na = { cmd = "x $V", env = { V = "{{ v }}" }, args = [{ arg = "v", default = "1" }] }', ["a: x 1"]),
        ('[tasks]\na = "x {{ pixi.platform }}"',
         ["a: x linux-64 @linux", "a: x osx-arm64 @macos", "a: x win-64 @windows"]),
        ('[tasks]\na = "{% if pixi.is_win %}x.bat{% else %}./x{% endif %}"',
         ["a: ./x @linux,macos", "a: x.bat @windows"]),
        ('[tasks]\na = "x {{ pixi.is_win | lower }}"', ["a: x false @linux,macos", "a: x true @windows"]),
        ('[tasks]\na = "x {{ pixi.environment.name }}"', ["a: x default"]),
        ('[tasks]\na = "x {# why #} {{ \'{{\' }} {% raw %}{{ y }}{% endraw %}"', ["a: x {{ {{ y }}"]),
        # what a task hands to those that it waits for
        ('[tasks]\na = { depends-on = [{ task = "b", args = ["1", { w = "2" }] }] }\n'
         '[tasks.b]\nargs = [{ arg = "v", default = "d" }, { arg = "w", default = "e" }]\ncmd = "x {{ v }} {{ w }}"',
         ["b: x 1 2", "b: x d e"]),
        ('[tasks]\na = { depends-on = [{ task = "b", args = ["1"] }] }\nb = { cmd = "x {{ v }}", args = ["v"] }',
         ["b: x 1"]),
        ('[tasks]\na = { args = [{ arg = "q", default = "7" }], depends-on = [{ task = "b", args = ["{{ q }}"] }] }\n'
         'b = { cmd = "x {{ v }}", args = ["v"] }', ["b: x 7"]),
        ('[tasks]\na = { depends-on = [{ task = "b", args = ["y z"] }] }\nb = "x"', ["b: x y z", "b: x"]),
        # platforms
        ('[tasks]\na = "x"\n[target.win.tasks]\na = "y"', ["a: x @linux,macos", "a: y @windows"]),
        ('[tasks]\na = "x"\n[target.unix.tasks]\na = "y"', ["a: x @windows", "a: y @linux,macos"]),
        ('[tasks]\na = "x"\n[target.linux.tasks]\na = "y"\n[target.linux-64.tasks]\na = "z"',
         ["a: x @macos,windows", "a: z @linux"]),
        # the target that is declared last wins
        ('[tasks]\na = "x"\n[target.linux-64.tasks]\na = "z"\n[target.linux.tasks]\na = "y"',
         ["a: x @macos,windows", "a: y @linux"]),
        ('[target.osx-arm64.tasks]\na = "x"', ["a: x @macos"]),
        ('[feature.f.tasks]\na = "x"\n[environments]\nf = ["f"]', ["a: x"]),
        ('[feature.f.target.win-64.tasks]\na = "x"\n[environments]\nf = ["f"]', ["a: x @windows"]),
        ('[feature.f]\nplatforms = ["linux-64"]\ntasks = { a = "x" }\n[environments]\nf = ["f"]', ["a: x @linux"]),
        ('[feature.f.tasks]\na = "x"', ["a: x"]),
        ('[environments.e.tasks]\na = "x"', ["a: x"]),
        # activation
        ('[activation.env]\nV = "1"\n[tasks]\na = "x $V"', ["a: x 1"]),
        ('[activation]\nenv = { V = "1" }\n[target.win.activation.env]\nV = "2"\n[tasks]\na = "x $V"',
         ["a: x 1 @linux,macos", "a: x 2 @windows"]),
        ('[activation.env]\nV = "1"\n[tasks]\na = { cmd = "x $V", env = { V = "2" } }', ["a: x 2"]),
        ('[activation.env]\nV = "$W z"\n[tasks]\na = "x $V"', ["a: x z @linux,macos", "a: x $W z @windows"]),
        ('[feature.f.activation.env]\nV = "2"\n'
         '[activation.env]\nV = "1"\n[environments]\nf = ["f"]\n[tasks]\na = "x $V"',
         ["a: x 1", "a: x 2"]),
        ('[feature.f.activation.env]\nV = "2"\n[environments]\nf = { features = ["f"], no-default-feature = true }\n'
         '[tasks]\na = "x $V"', ["a: x"]),
        ('[feature.f.activation.env]\nV = "2"\n[feature.f.tasks]\na = "x $V"\n[environments]\nf = ["f"]', ["a: x 2"]),
        ('[feature.f.activation.env]\nV = "2"\n[environments]\nf = ["f"]\n'
         '[tasks]\na = { cmd = "x $V", default-environment = "f" }', ["a: x 2", "a: x"]),
    ],
)  # fmt: skip
def test_what_a_task_runs(text: str, expected: list[str]) -> None:
    assert sorted(lines(text)) == sorted(expected)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("export V=1\n", ["a: x 1 @linux,macos", "a: x @windows"]),
        ("V=1\n", ["a: x"]),
        ("if [ -n \"$Q\" ]; then export V=1; else export V=2; fi\n", ["a: x $V @linux,macos", "a: x @windows"]),
    ],
)  # fmt: skip
def test_an_activation_script_is_followed_on_unix(script: str, expected: list[str]) -> None:
    text = '[activation]\nscripts = ["env.sh"]\n[tasks]\na = "x $V"'
    assert sorted(lines(text, {"env.sh": script})) == sorted(expected)


def test_a_folder_is_the_one_that_cwd_names() -> None:
    text = '[tasks]\na = { cmd = "x", cwd = "sub/dir" }\nb = "y"\nc = "./$PIXI_PROJECT_ROOT/z"'
    assert [c.directory for _, c in found(text)] == ["sub/dir", "", ""]


def test_words_stand_where_they_are_written() -> None:
    text = '[activation.env]\nV = "-O2 -g"\n[tasks]\na = { cmd = ["gcc", "-c", "a b.c", "$V"] }\n'
    (command,) = {c.span: c for _, c in found(text)}.values()
    whole = HEAD + text
    last = [p.route[-1] for w in command.argv for p in w.pieces]
    assert [whole[s.start : s.end] for s in last] == ["gcc", "-c", "a b.c", "-O2", "-g"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[tasks\n", [(1, None)]),
        ('[tasks]\na = "x\n', [(2, "a")]),
        ("[tasks]\na = 1\n", [(2, "tasks.a")]),
        ("[tasks]\na = { cmd = 1 }\n", [(2, "tasks.a")]),
        ('[tasks]\na = { cmd = ["x", 1] }\n', [(2, "tasks.a.cmd")]),
        ('[tasks]\na = { depends-on = ["b"] }\n', [(2, "tasks.a.depends-on")]),
        ('[tasks]\na = "x {{ y }}"\n', [(2, "tasks.a")]),
        ('[tasks]\na = "x {{ y"\n', [(2, "tasks.a")]),
        ('[tasks]\na = "x {% if y %}"\n', [(2, "tasks.a")]),
        ('[tasks]\na = { cmd = "x", env = "y" }\n', [(2, "tasks.a.env")]),
        ("tasks = 1\n", [(1, "tasks")]),
        ('[environments]\ne = ["f"]\n', [(2, "environments.e")]),
        ('[tasks]\na = ["x", "-c"]\n', [(2, "tasks.a")]),
    ],
)
def test_what_is_wrong_is_told_once_with_its_line(text: str, expected: "list[tuple[int, str | None]]") -> None:
    assert problems(reading(pixi, text, "pixi.toml")) == expected


@pytest.mark.parametrize(
    ("path", "hosts"),
    [("pixi.toml", ["pixi"]), ("a/mojoproject.toml", ["pixi"]), ("Cargo.toml", ["build_rs"]), ("pixi.lock", [])],
)
def test_which_files_are_read(path: str, hosts: list[str]) -> None:
    assert [h.NAME for h in hosts_for(path, b"")] == hosts


def test_a_pyproject_may_hold_several_formats() -> None:
    text = '[tool.poe.tasks]\na = "x"\n[tool.pixi.tasks]\nb = "y"\n'
    scripts = [s for h in hosts_for("pyproject.toml", b"") for s in reading(h, text, "pyproject.toml").scripts]
    assert {(s.place.host, s.place.task) for s in scripts} == {("poe", "a"), ("pixi", "b")}


# -- calls ------------------------------------------------------------------------------------------------------------

TASKS = """[workspace]
platforms = ["linux-64"]
[tasks]
build = { cmd = "cc $CFLAGS", depends-on = ["gen"] }
gen = "gen-it"
cc = "never"
typed = { cmd = "t {{ m }}", args = [{ arg = "m", default = "d" }] }
[feature.f.tasks]
only = "o $V"
[feature.f.activation.env]
V = "f"
[environments]
f = ["f"]
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pixi run build", ["gen-it", "cc"]),
        ("CFLAGS=-O2 pixi run build", ["gen-it", "cc -O2"]),
        ("pixi run build -g 'a b'", ["gen-it", "cc -g 'a b'"]),
        ("pixi run --skip-deps build", ["cc"]),
        ("pixi run --frozen -e f build", ["gen-it", "cc"]),
        ("pixi run 'build -g'", ["gen-it", "cc -g"]),
        ("pixi run -- build", ["gen-it", "cc"]),
        ("pixi r typed", ["t d"]),
        ("pixi run typed 1 -- -v", ["t 1 -v"]),
        ("pixi run only", ["o f"]),
        ("pixi run -e f only x", ["o f x"]),
        ("pixi run --manifest-path pixi.toml gen", ["gen-it"]),
        ("cd sub && pixi run gen", ["gen-it"]),
        ("pixi run other -x", []),
        ("pixi run -x cc y", []),
        ("magic run gen", ["gen-it"]),
    ],
)
def test_a_call_runs_the_task_with_those_before_it(tmp_path: Path, line: str, expected: list[str]) -> None:
    (tmp_path / "pixi.toml").write_text(TASKS)
    (tmp_path / "go.sh").write_text(f"{line}\n")
    (tmp_path / "sub").mkdir()
    commands = [c for f in collect(Tree(tmp_path), Config()) for c in f.commands if c.via]
    assert [shlex.join(c.shown) for c in sorted(commands, key=lambda c: c.span.start, reverse=True)] == expected


def test_a_task_that_is_called_like_a_tool_is_no_call_of_the_tool(tmp_path: Path) -> None:
    (tmp_path / "pixi.toml").write_text(TASKS)
    (tmp_path / "go.sh").write_text("pixi run cc -x\npixi run gcc -y\n")
    commands = [c for f in collect(Tree(tmp_path), Config()) for c in f.commands]
    assert [c.shown for c in commands if c.span.path == "go.sh"] == [["pixi", "run", "cc", "-x"], ["gcc", "-y"]]
