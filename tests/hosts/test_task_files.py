"""Files of task runners as they stand: what each task runs when nobody is known to call it, and what is wrong."""

import json
from importlib import import_module
from pathlib import Path

import pytest

from flagguard.cli import main
from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import collect
from flagguard.hosts import Setting, by_path, hosts_for
from flagguard.shell import evaluate
from flagguard.text import SourceText

from .support import Memory, problems, reading

EVERYWHERE = ("linux-x86_64", "macos-arm64", "windows-x86_64")


def lines(host: str, path: str, text: str, files: "dict[str, str] | None" = None) -> list[str]:
    """Each command with its task, and its systems where it is not there on all (Windows only where it is named)."""
    asked = EVERYWHERE if "windows" in text or "os()" in text else EVERYWHERE[:2]
    source = SourceText(path, text)
    memory = Memory({path: text, **(files or {})})
    said: list[str] = []
    module = import_module(f"flagguard.hosts.{host}")
    for script in module.read(source, Setting(memory, asked)).scripts:
        platforms = asked if script.platforms is None else tuple(sorted(script.platforms))
        for command in evaluate(script, Setting(memory, platforms)).commands:
            systems = ",".join(p.partition("-")[0] for p in command.platforms)
            marks = "" if command.platforms == asked else f" @{systems}"
            marks += f" when {'; '.join(command.when)}" if command.when else ""
            marks += " ignored" if command.status.value == "ignored" else ""
            env = "".join(f"{n}={v.shown} " for n, v in command.env.items() if n.startswith("V"))
            said.append(f"{script.place.task}: {env}{' '.join(command.shown)}{marks}")
    return list(dict.fromkeys(said))


RYE = "[tool.rye.scripts]\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = \"cc -O2 'x y' $V *.c\"", ["a: cc -O2 x y $V *.c"]),
        ('a = ["cc", "x y"]', ["a: cc x y"]),
        ('a = { cmd = "cc x", env = { V = "1" } }', ["a: V=1 cc x"]),
        ('a = { cmd = ["cc", "x"], env-file = ".env", env = { V = "1" } }', ["a: V=file cc x"]),
        ('a = { chain = ["b", "cc own", ["cc", "list"]] }\nb = "cc b"', ["a: cc own", "a: cc list", "b: cc b"]),
        ('a = { chain = ["b -x"] }\nb = "cc b"', ["b: cc b -x", "b: cc b"]),
        ('a = { call = "m:f" }', []),
    ],
)
def test_rye(text: str, expected: list[str]) -> None:
    assert lines("rye", "pyproject.toml", RYE + text, {".env": "V=file\n"}) == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("rye run a -q", ["cc b", "cc own"]),
        ("rye run c -q 'x y'", ["cc c -q x y"]),
        ("rye run cc z", ["cc z"]),
        ("cd sub && rye run c", ["cc c"]),
    ],
)
def test_rye_is_called(tmp_path: Path, call: str, expected: list[str]) -> None:
    scripts = 'a = { chain = ["b", "cc own"] }\nb = "cc b"\nc = "cc c"\n'
    (tmp_path / "pyproject.toml").write_text(RYE + scripts)
    (tmp_path / "go.sh").write_text(call + "\n")
    found = [c for f in collect(Tree(tmp_path), Config()) if f.path == "go.sh" for c in f.commands]
    assert sorted(" ".join(c.shown) for c in found if c.argv[0].text == "cc") == sorted(expected)


MAKE = [
    ('[tasks.a]\ncommand = "cc"\nargs = ["-O2", "x y", "${V}"]\n[env]\nV = "1 2"', ["a: V=1 2 cc -O2 x y 1 2"]),
    ('[tasks.a]\nscript = "cc 1\\ncc 2"', ["a: cc 1", "a: cc 2"]),
    ('[tasks.a]\nscript = ["cc 1", "cc 2"]\nignore_errors = true', ["a: cc 1 ignored", "a: cc 2 ignored"]),
    ('[tasks.a]\nscript = "cc ${v[@]}"\nscript_runner = "bash"', ["a: cc"]),
    ('[tasks.a]\nscript_runner = "@rust"\nscript = "fn main() {}"', []),
    ('[tasks.a]\nscript = { pre = "cc 1", main = "cc 2", post = "cc 3" }', ["a: cc 1", "a: cc 2", "a: cc 3"]),
    ('[tasks.a]\nextend = "b"\nargs = ["2"]\n[tasks.b]\ncommand = "cc"\nargs = ["1"]', ["a: cc 2", "b: cc 1"]),
    ('[tasks.a]\ncommand = "cc"\nargs = ["1"]\n[tasks.a.linux]\nargs = ["lin"]\n[tasks.a.windows]\nscript = "cl x"',
     ["a: cc lin @linux", "a: cc 1 @macos", "a: cl x @windows"]),
    ('[tasks.a]\ncommand = "cc"\ncondition = { platforms = ["mac"] }', ["a: cc @macos"]),
    ('[tasks.a]\ncommand = "cc"\ncondition = { env_set = ["Q"] }', ["a: cc when the condition on env_set holds"]),
    ('[tasks.a]\ndisabled = true\ncommand = "cc"', []),
    ('[tasks.a]\ncommand = "cc"\nenv = { V = "own" }\n[env]\nV = "all"\n[env.production]\nV = "p"', ["a: V=own cc"]),
    ('[tasks.a]\ndependencies = ["b"]\nrun_task = "b"\n[tasks.b]\ncommand = "cc"', ["b: cc"]),
    ('[tasks.build]\nargs = ["build", "--release"]', ["build: cargo build --release"]),
    ('[tasks.a]\ntoolchain = "nightly"\ncommand = "cargo"\nargs = ["build"]', ["a: cargo build"]),
    ('[tasks.a]\ncommand = "cc"\nargs = ["x", "${@}"]', ["a: cc x ${@}"]),
    ('[tasks.a]\ncommand = "cc"\nargs = ["@@split(F, )"]', ["a: cc @@split(F, )"]),
    ('extend = "more.toml"\n[tasks.a]\nargs = ["top"]', ["a: V=more cc top"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), MAKE)
def test_cargo_make(text: str, expected: list[str]) -> None:
    more = {"more.toml": '[env]\nV = "more"\n[tasks.a]\ncommand = "cc"\nargs = ["below"]\n'}
    assert lines("cargo_make", "Makefile.toml", text, more) == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("cargo make a", ["cc dep", "cc a", "cc sub"]),
        ("cargo make --no-workspace -p release a 1 '2 3'", ["cc dep", "cc a 1 2 3", "cc sub"]),
        ("cargo make --makefile Makefile.toml -t dep", ["cc dep"]),
        ("makers dep", ["cc dep"]),
        ("cargo make -e W=9 env", ["cc 9"]),
        ("cargo make", ["cc default"]),
        ("cargo build", []),
    ],
)
def test_cargo_make_is_called(tmp_path: Path, call: str, expected: list[str]) -> None:
    (tmp_path / "Makefile.toml").write_text(
        '[tasks.dep]\ncommand = "cc"\nargs = ["dep"]\n[tasks.b]\nalias = "a"\n[tasks.default]\nscript = "cc default"\n'
        '[tasks.a]\ndependencies = ["dep"]\ncommand = "cc"\nargs = ["a", "${@}"]\n[tasks.env]\nscript = "cc $W"\n'
        '[tasks.a2]\nscript = "cc sub"\n[tasks.a.linux]\nrun_task = { name = ["a2"] }\ncommand = "cc"\n'
    )
    (tmp_path / "go.sh").write_text(call + "\n")
    found = [c for f in collect(Tree(tmp_path), Config()) if f.path == "go.sh" for c in f.commands]
    assert sorted(" ".join(c.shown) for c in found if c.argv[0].text == "cc") == sorted(expected)


@pytest.mark.parametrize(
    ("host", "path", "text", "expected"),
    [
        ("pdm", "pyproject.toml", '[tool.pdm.scripts]\na = { composite = ["b x"] }\nb = "cc b"', ["b: cc b x"]),
        ("pdm", "pyproject.toml", '[tool.pdm.scripts]\n_.env = { V = "1" }\na.shell = "cc $V && cc 2"',
         ["a: V=1 cc 1", "a: V=1 cc 2"]),
        ("hatch", "hatch.toml", '[envs.default.scripts]\na = "cc {args:x}"\n[envs.t.scripts]\nb = ["a", "- cc b"]',
         ["a: cc x", "t:b: cc x", "t:b: cc b ignored"]),
        ("hatch", "hatch.toml", '[envs.t.overrides]\nplatform.windows.env-vars = ["V=w"]\n[envs.t.scripts]\na = "cc"',
         ["t:a: cc @linux,macos", "t:a: V=w cc @windows"]),
        ("hatch", "hatch.toml", '[envs.t.overrides]\nenv.CI.env-vars = ["V=ci"]\n[envs.t.scripts]\na = "cc"',
         ["t:a: cc when not ($CI is set)", "t:a: V=ci cc when $CI is set"]),
        ("taskipy", "pyproject.toml", '[tool.taskipy.tasks]\na = "cc a"\npre_a = { cmd = "cc pre" }',
         ["a: cc a", "pre_a: cc pre"]),
        ("mise", "mise.toml", '[tasks.a]\nrun = "cc a"\nrun_windows = "cl a"\ndepends = ["b"]\n[tasks.b]\nrun = "cc b"',
         ["a: cc a @linux,macos", "a: cl a @windows", "b: cc b @linux,macos", "b: cc b @windows"]),
        ("mise", ".config/mise/config.toml", '[env]\nV = "1"\n[tasks]\na = "cc {{ os() }} {{ arg(name=\'x\') }}"',
         ["a: V=1 cc linux {{usage.x}} @linux", "a: V=1 cc macos {{usage.x}} @macos",
          "a: V=1 cc windows {{usage.x}} @windows"]),
        ("nx", "p/project.json", json.dumps({"targets": {"a": {"executor": "nx:run-commands", "options": {
            "command": "cc a"}, "configurations": {"prod": {"command": "cc prod"}}}, "b": {"command": "cc b"}}}),
         ["a: cc a", "a: cc prod", "b: cc b"]),
        ("nx", "package.json", '{"name": "p", "nx": {"targets": {"a": {"command": "cc a"}}}}', ["a: cc a"]),
        ("moon", "moon.yml", "tasks:\n  a:\n    command: cc a\n    args: [x y]\n    env: {V: '1', W: null}\n"
         "  b:\n    script: cc 1 && cc 2\n    options: {os: linux}\n  c: {deps: [a]}\n",
         ["a: V=1 cc a x y", "b: cc 1 @linux", "b: cc 2 @linux"]),
        ("moon", ".moon/tasks.yml", "tasks:\n  a:\n    command: cc a\n", ["a: cc a"]),
    ],
)  # fmt: skip
def test_tasks_that_nobody_calls(host: str, path: str, text: str, expected: list[str]) -> None:
    assert lines(host, path, text) == expected


@pytest.mark.parametrize(
    ("host", "path", "text", "expected"),
    [
        ("pdm", "pyproject.toml", "[tool.pdm.scripts]\na = 1\nb = {}\nc = \"x 'y\"\nd = 'cc'",
         [(2, "tool.pdm.scripts.a"), (3, "tool.pdm.scripts.b"), (4, "tool.pdm.scripts.c")]),
        ("rye", "pyproject.toml", "[tool.rye.scripts]\na = 1\nb = {}", [(2, f"tool.rye.scripts.{n}") for n in "a"] + [
            (3, "tool.rye.scripts.b")]),
        ("hatch", "hatch.toml", '[envs.default.scripts]\na = 1\nb = "cc {nope}"\nc = "d"\nd = "c"',
         [(2, "envs.default.scripts.a"), (3, "envs.default.scripts.b"), (4, "envs.default.scripts.d"),
          (5, "envs.default.scripts.c")]),
        ("taskipy", "pyproject.toml", '[tool.taskipy.tasks]\na = 1\nb = { cmd = "{v}", use_vars = true }',
         [(2, "tool.taskipy.tasks.a"), (3, "tool.taskipy.tasks.b")]),
        ("mise", "mise.toml", "[tasks.a]\nrun = 1\n[tasks.b]\nrun = '{% nope %}cc'",
         [(2, "tasks.a.run"), (4, "tasks.b.run")]),
        ("cargo_make", "Makefile.toml", "[tasks]\na = 1\n[tasks.b]\ncommand = 1",
         [(2, "tasks.a"), (4, "tasks.b.command")]),
        ("nx", "project.json", '{"targets": {\n"a": 1,\n"b": {"executor": "nx:run-commands", "options": {}}}}',
         [(2, "targets.a"), (3, "targets.b")]),
        ("moon", "moon.yml", "tasks:\n  a:\n    command: {x: 1}\n", [(3, "tasks.a.command")]),
        ("pdm", "pyproject.toml", "[tool.pdm.scripts\n", [(1, None)]),
        ("mise", "mise.toml", "[tasks\n", [(1, None)]),
        ("nx", "project.json", '{"targets": ', [(1, None)]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(
    host: str, path: str, text: str, expected: "list[tuple[int, str | None]]"
) -> None:
    found = reading(import_module(f"flagguard.hosts.{host}"), text, path)
    assert sorted(set(problems(found)), key=str) == sorted(expected, key=str)
    assert all(p.fatal for p in found.problems)


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("a/pyproject.toml", {"hatch", "pdm", "rye", "taskipy"}),
        ("hatch.toml", {"hatch"}),
        ("mise.toml", {"mise"}),
        (".mise.toml", {"mise"}),
        ("mise.ci.toml", {"mise"}),
        ("a/.config/mise/conf.d/x.toml", {"mise"}),
        ("Makefile.toml", {"cargo_make"}),
        ("libs/p/project.json", {"nx"}),
        ("moon.yml", {"moon"}),
        (".moon/tasks/node.yml", {"moon"}),
        (".moon/workspace.yml", set()),
        ("turbo.json", set()),
    ],
)
def test_which_files_are_read(path: str, names: set[str]) -> None:
    ours = {"hatch", "pdm", "rye", "taskipy", "mise", "cargo_make", "nx", "moon", "turbo", "lerna", "wireit"}
    assert {h.NAME for h in hosts_for(path, b"")} & ours == names
    assert ours <= {h.NAME for h in by_path.HOSTS}


SABOTAGED = {
    "pyproject.toml": '[tool.pdm.scripts]\na = "gcc -O2 -c x.c"\nb = ["gcc", "-O2", "-c", "x y.c"]\n'
    'c.shell = "gcc -O2 -c z.c"\n[tool.rye.scripts]\na = { cmd = "gcc -O2 -c r.c" }\n',
    "Makefile.toml": '[tasks.a]\ncommand = "gcc"\nargs = ["-O2", "-c", "x.c"]\n'
    '[tasks.b]\nscript = ["gcc -O2 -c y.c"]\n',
    "hatch.toml": '[envs.default.scripts]\na = ["gcc -O2 -c x.c"]\n',
    "mise.toml": "[tasks.a]\nrun = 'gcc -O2 -c x.c'\n",
    "p/project.json": '{"targets": {"a": {"command": "gcc -O2 -c \\"x.c\\""}}}\n',
}


def test_edits_are_made_as_each_runner_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = 'packs = []\n[[rule]]\nid = "o"\nwhy = "w"\ncommand = "gcc"\nrequire = ["-O2"]\n'
    for name, text in {**SABOTAGED, "flagguard.toml": rule}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    assert main(["sabotage", "--format", "json"]) == 0
    summary = json.loads(capsys.readouterr().out)["summary"]
    assert (summary["sites"], summary["missed"], summary["invalid"], summary["false_alarms"]) == (9, 0, 0, 0)
    assert summary["caught"] >= 20


def test_commands_outside_of_tasks() -> None:
    """Hooks of mise, what it runs behind an installation, and what cargo-make runs before a task."""
    text = '[hooks]\nenter = "cc -a"\ncd = ["cc -b", { script = "cc -c" }]\nleave = { script = "cc", shell = "fish" }\n'
    text += '[tools]\ngo = "1"\nnode = { version = "1", postinstall = "cc -d" }\n'
    assert lines("mise", "mise.toml", text) == [
        "hooks.enter: cc -a",
        "hooks.cd: cc -b",
        "hooks.cd: cc -c",
        "tools.node.postinstall: cc -d",
    ]
    text = '[tasks.a]\ninstall_script = "cc -a"\nscript = "cc -b"\n'
    assert lines("cargo_make", "Makefile.toml", text) == ["a: cc -a", "a: cc -b"]
