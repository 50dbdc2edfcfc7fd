"""poethepoet: which tasks, which words, which environment; poe itself is the judge where it is installed."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from flagguard.command import Dialect, Reading, Script
from flagguard.hosts import poe
from flagguard.text import Decider, SourceText

from .support import PLATFORMS, env, problems, reading, shown


def read(text: str, path: str = "pyproject.toml", **more: "dict[str, str]") -> Reading:
    return reading(poe, text, path, **more)


def one(text: str, **more: "dict[str, str]") -> Script:
    found = read(text, **more)
    assert found.problems == ()
    (script,) = found.scripts
    return script


@pytest.mark.parametrize(
    ("path", "claimed"),
    [
        ("pyproject.toml", True),
        ("sub/pyproject.toml", True),
        ("poe_tasks.toml", True),
        ("a/poe_tasks.yaml", True),
        ("poe_tasks.json", True),
        ("tasks.toml", False),
        ("pyproject.toml.in", False),
    ],
)
def test_which_files_are_read(path: str, claimed: bool) -> None:
    assert poe.claims(path, b"") is claimed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[tool.poe.tasks]\na = 'x --y'", [("a", ["x", "--y"])]),
        ("[tool.poe.tasks]\na = {cmd = 'x'}\nb.cmd = 'y'\n[tool.poe.tasks.c]\ncmd = 'z'",
         [("a", ["x"]), ("b", ["y"]), ("c", ["z"])]),
        ("[tool.poe]\ndefault_task_type = 'shell'\n[tool.poe.tasks]\na = 'x | y'", [("a", "x | y")]),
        ("tool.poe.tasks.a.shell = 'x'", [("a", "x")]),
        ("[tool.poe.tasks]\na = ['b', {cmd = 'x'}, {shell = 'y'}, ['c']]",
         [("a", ["poe", "b"]), ("a", ["x"]), ("a", "y"), ("a", ["poe", "c"])]),
        ("[tool.poe.tasks.a]\nsequence = ['x y']\ndefault_item_type = 'cmd'", [("a", ["x", "y"])]),
        ("[tool.poe]\ndefault_array_item_task_type = 'cmd'\n[tool.poe.tasks]\na = ['x y']", [("a", ["x", "y"])]),
        ("[tool.poe.tasks.a]\nparallel = ['b', 'c']", [("a", ["poe", "b"]), ("a", ["poe", "c"])]),
        ("[tool.poe.tasks]\na.ref = \"b --k 'v w'\"", [("a", ["poe", "b", "--k", "v w"])]),
        ("[tool.poe.tasks]\na.script = 'm:f'\nb.expr = '1'", []),
        ("[tool.poe.tasks.a]\ncmd = 'x'\ndeps = ['b', 'c -d']", [("a", ["poe", "b"]), ("a", ["poe", "c", "-d"]),
         ("a", ["x"])]),
        ("[tool.poe.groups.g.tasks]\na = 'x'", [("a", ["x"])]),
        ("[tool.other]\nx = 1", []),
    ],
)  # fmt: skip
def test_every_form_of_a_task_is_read(text: str, expected: "list[tuple[str, object]]") -> None:
    found = read(text)
    assert found.problems == ()
    assert [(s.place.task, shown(s)) for s in found.scripts] == expected


@pytest.mark.parametrize(
    ("interpreter", "dialect", "told"),
    [
        ("'posix'", Dialect.SH, 0),
        ("'sh'", Dialect.SH, 0),
        ("'bash'", Dialect.BASH, 0),
        ("['bash', 'sh']", Dialect.BASH, 0),
        ("'zsh'", Dialect.BASH, 1),
        ("'fish'", Dialect.UNREAD, 1),
        ("'python'", Dialect.UNREAD, 1),
    ],
)
def test_the_interpreter_decides_the_dialect(interpreter: str, dialect: Dialect, told: int) -> None:
    for text in (
        f"[tool.poe.tasks.a]\nshell = 'x'\ninterpreter = {interpreter}",
        f"[tool.poe]\nshell_interpreter = {interpreter}\n[tool.poe.tasks]\na.shell = 'x'",
    ):
        found = read(text)
        assert [s.dialect for s in found.scripts] == [dialect]
        assert [p.fatal for p in found.problems] == [False] * told


def test_a_shell_body_is_unindented_and_keeps_its_places() -> None:
    text = '[tool.poe.tasks.a]\nshell = """\n  x \\\\\n    -y\n  z\n"""\n'
    script = one(text)
    assert script.text.text == "x \\\n  -y\nz\n"
    at = script.text.text.index("z")
    span = script.text.cut(at, at + 1).route[0]
    assert SourceText("p", text).position(span.start) == (5, 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[tool.poe]\nenv.A = '1'\n[tool.poe.tasks.a]\ncmd = 'x $A ${A}'", ["x", "1", "1"]),
        ("[tool.poe]\nenv.A = '1'\n[tool.poe.tasks.a]\ncmd = 'x $A'\nenv = {A = '2'}", ["x", "2"]),
        ("[tool.poe]\nenv.A = '1'\n[tool.poe.tasks.a]\ncmd = 'x $B'\nenv = {B = 'b${A}$A'}", ["x", "b1$A"]),
        ("[tool.poe.tasks.a]\ncmd = 'x $A'\nenv = {A = {default = 'd'}}", ["x", "d"]),
        ("[tool.poe]\nenv.A = '1'\n[tool.poe.tasks.a]\ncmd = 'x $A'\nenv = {A = {default = 'd'}}", ["x", "1"]),
        ("[tool.poe.tasks.a]\ncmd = 'x --cpu $cpu'\nargs = [{name = 'cpu', default = 'v2'}]", ["x", "--cpu", "v2"]),
        ("[tool.poe.tasks.a]\ncmd = 'x $the_cpu'\nargs = {the-cpu = {default = 'v2'}}", ["x", "v2"]),
        ("[tool.poe.tasks.a]\ncmd = 'x $cpu ${cpu:-v1}'\nargs = ['cpu']", ["x", "$cpu", "v1"]),
        ("[tool.poe.tasks.a]\ncmd = 'x ${f:+--fast}'\nargs = [{name = 'f', type = 'boolean'}]", ["x", "${f:+--fast}"]),
        ("[tool.poe.tasks.a]\ncmd = 'x $f'\nargs = [{name = 'f', type = 'boolean', default = true}]", ["x", "True"]),
        ("[tool.poe.tasks.a]\ncmd = 'x $n'\nargs = [{name = 'n', type = 'integer', default = 3}]", ["x", "3"]),
        ("[tool.poe.tasks.a]\ncmd = 'x $NO y'", ["x", "y"]),
        ("[tool.poe.tasks.a]\ncmd = 'x $POE_ROOT $HOME'", ["x", "$POE_ROOT", "$HOME"]),
        ("[tool.poe.tasks.a]\ncmd = 'x $SET'", ["x", "v2"]),
    ],
)
def test_variables_are_expanded_as_poe_does(text: str, expected: list[str]) -> None:
    assert shown(one(text, assume={"SET": "v2"})) == expected


def test_an_envfile_is_read_where_the_tree_has_it() -> None:
    text = "[tool.poe.tasks.a]\ncmd = 'x $A $B $C $D'\nenvfile = 'conf/.env'"
    files = {"sub/conf/.env": "# c\nA=1\nexport B='two' # c\nC=\"th ree\"\nD=$(date)\n"}
    found = reading(poe, text, "sub/pyproject.toml", files)
    (script,) = found.scripts
    assert shown(script) == ["x", "1", "two", "th", "ree", "$(date)"]
    assert found.depends == ("sub/conf/.env",)
    assert script.argv[1].route[-1].path == "sub/conf/.env"


def test_an_envfile_outside_the_tree_may_set_anything() -> None:
    text = "[tool.poe]\nenvfile = '.env'\nenv.K = 'k'\n[tool.poe.tasks]\na = 'x $A $K'\nb.shell = 'x $A $K'"
    first, second = read(text).scripts
    assert shown(first) == ["x", "$A", "k"]
    assert "A" in second.outside
    assert "K" not in second.outside


def test_the_environment_goes_to_the_script() -> None:
    text = "[tool.poe]\nenv.A = '1'\n[tool.poe.tasks.a]\nshell = 'x'\nenv.B = '2'\nuses.C = 'other'\nargs = ['d']"
    called, script = read(text).scripts
    assert shown(called) == ["poe", "other"]
    assert env(script) == {"A": "1", "B": "2", "C": "$C"}
    assert "d" in script.outside
    (value,) = [v.value for v in script.env if v.name == "C"]
    assert value.holes[0].decider is Decider.REPOSITORY


def test_a_private_variable_stays_with_poe() -> None:
    text = "[tool.poe]\nenv = {_a = '1', _B = '2'}\n[tool.poe.tasks]\na = 'x $_a'\nb = {shell = 'x', args = ['_c']}"
    first, second = read(text).scripts
    assert shown(first) == ["x", "1"]
    assert env(second) == {"_B": "2"}
    assert "_c" not in second.outside


def test_a_switch_lists_its_cases() -> None:
    text = """
[tool.poe.tasks.a]
control.cmd = "hostname"
[[tool.poe.tasks.a.switch]]
case = ["one", "two"]
cmd = "x"
[[tool.poe.tasks.a.switch]]
cmd = "y"
"""
    found = read(text)
    assert [(shown(s), s.when) for s in found.scripts] == [
        (["hostname"], ()),
        (["x"], ("hostname is one or two",)),
        (["y"], ("hostname is none of the other cases",)),
    ]


def test_a_switch_on_the_platform_is_decided() -> None:
    cases = '[[tool.poe.tasks.a.switch]]\ncase = "darwin"\ncmd = "x"\n[[tool.poe.tasks.a.switch]]\ncmd = "y"\n'
    first, second = read('[tool.poe.tasks.a]\ncontrol.expr = "sys.platform"\n' + cases).scripts
    assert first.platforms == {"macos-arm64", "macos-x86_64"}
    assert second.platforms is not None
    assert "linux-x86_64" in second.platforms
    assert "macos-arm64" not in second.platforms


@pytest.mark.parametrize(
    ("control", "case", "platforms"),
    [
        ('cmd = "uname -s"', "Linux", {"linux-x86_64", "linux-aarch64"}),
        ('cmd = "uname"', "Darwin", {"macos-arm64"}),
        ('shell = "uname -m"', "aarch64", {"linux-aarch64"}),
        ('expr = "platform.system()"', "Windows", {"windows-x86_64"}),
        ('expr = "platform.machine()"', "AMD64", {"windows-x86_64"}),
        ('expr = "os.name"', "posix", {"linux-x86_64", "linux-aarch64", "macos-arm64"}),
    ],
)
def test_what_the_machine_says_decides_a_switch(control: str, case: str, platforms: set[str]) -> None:
    cases = f'[[tool.poe.tasks.a.switch]]\ncase = "{case}"\ncmd = "x"\n[[tool.poe.tasks.a.switch]]\ncmd = "y"\n'
    *_, first, second = read(f"[tool.poe.tasks.a]\ncontrol.{control}\n" + cases).scripts
    assert first.platforms is not None
    assert second.platforms is not None
    assert first.platforms & {*PLATFORMS} == platforms
    assert second.platforms & {*PLATFORMS} == {*PLATFORMS} - platforms


def test_an_included_file_has_the_environment_of_the_project() -> None:
    project = "[tool.poe]\ninclude = ['t/poe_tasks.toml']\nenv.A = '1'\n"
    part = "[tool.poe]\nenv.B = '2'\n[tool.poe.tasks]\nx = 'rec $A $B'\n"
    (script,) = read(project, files={"t/poe_tasks.toml": part}).scripts
    assert shown(script) == ["rec", "1", "2"]
    files = {"pyproject.toml": project, "t/poe_tasks.toml": part}
    assert read(part, "t/poe_tasks.toml", files=files).scripts == ()
    alone = {"pyproject.toml": "[tool.poe]\ninclude = 'u/poe_tasks.toml'\n"}
    assert [shown(s) for s in read(part, "t/poe_tasks.toml", files=alone).scripts] == [["rec", "2"]]


def test_a_swallowed_exit_status_is_told() -> None:
    text = "[tool.poe.tasks.a]\ncmd = 'x'\nignore_fail = true\n[tool.poe.tasks.b]\ncmd = 'x'\nignore_fail = false"
    assert [s.ignored for s in read(text).scripts] == [True, False]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[tool.poe.tasks]\na = 1", [(2, "tool.poe.tasks.a")]),
        ("[tool.poe.tasks]\na.cmd = 1", [(2, "tool.poe.tasks.a.cmd")]),
        ("[tool.poe.tasks]\na = {cmd = 'x', shell = 'y'}", [(2, "tool.poe.tasks.a")]),
        ("[tool.poe.tasks]\na = {help = 'x'}", [(2, "tool.poe.tasks.a")]),
        ("[tool.poe.tasks]\na.sequence = 'x'", [(2, "tool.poe.tasks.a.sequence")]),
        ("[tool.poe.tasks]\na.sequence = ['x', 2]", [(2, "tool.poe.tasks.a[1]")]),
        ("[tool]\npoe = 3", [(2, "tool.poe")]),
        ("[tool.poe]\ntasks = []", [(2, "tool.poe.tasks")]),
        ("[tool.poe.tasks]\na.cmd = '''\nx\n  \"y'''", [(4, "tool.poe.tasks.a.cmd")]),
        ("[tool.poe.tasks]\na = 'x; y'", [(2, "tool.poe.tasks.a")]),
        ("[tool.poe.tasks]\na = ''", [(2, "tool.poe.tasks.a")]),
        ("[tool.poe.tasks.a]\ncmd = 'x'\nenv = {B = 1}", [(3, "tool.poe.tasks.a.env.B")]),
        ("[tool.poe.tasks.a]\ncmd = 'x'\nargs = 'y'", [(3, "tool.poe.tasks.a.args")]),
        ("[tool.poe]\ndefault_task_type = 'sh'", [(2, "tool.poe.default_task_type")]),
        ("[tool.poe.tasks.a]\nshell = 'x'\ninterpreter = 'tcsh'", [(3, "tool.poe.tasks.a.interpreter")]),
        ("[tool.poe.tasks\na = 1", [(1, None)]),
        ("[tool.poe]\ninclude = 'gone.toml'", [(2, "tool.poe.include")]),
    ],
)
def test_what_is_wrong_is_told_with_line_and_key(text: str, expected: "list[tuple[int, str | None]]") -> None:
    found = problems(read(text))
    assert [line for line, _ in found] == [line for line, _ in expected]
    assert all(key is None or key == got for (_, got), (_, key) in zip(found, expected, strict=True))


def test_what_is_nested_too_deeply_is_told() -> None:
    for depth in (100, 300, 480, 2000):
        found = read("[tool.poe.tasks]\na = " + "[" * depth + "'x'" + "]" * depth)
        assert len(found.scripts) + len(found.problems) == 1


def test_a_wrong_task_does_not_hide_the_others() -> None:
    found = read("[tool.poe.tasks]\na = 1\nb = 'x'\nc = {}\nd.shell = 'y'")
    assert [s.place.task for s in found.scripts] == ["b", "d"]
    assert len(found.problems) == 2


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("poe_tasks.toml", "env.A = 'v2'\n[tasks]\na = 'x $A'"),
        ("poe_tasks.toml", "[tool.poe]\nenv.A = 'v2'\n[tool.poe.tasks]\na = 'x $A'"),
        ("poe_tasks.yaml", "env:\n  A: v2\ntasks:\n  a: >-\n    x\n    $A\n"),
        ("poe_tasks.json", '{\n\t"env": {"A": "v2"},\n\t"tasks": {"a": "x $A"}\n}'),
    ],
)
def test_the_other_files_of_poe_are_read(path: str, text: str) -> None:
    found = read(text, path)
    assert found.problems == ()
    assert [(s.place.task, shown(s)) for s in found.scripts] == [("a", ["x", "v2"])]


def test_an_included_file_is_read_with_its_own_places() -> None:
    text = (
        "[tool.poe]\ninclude = ['sub/more.toml', {path = 'poe_tasks.toml'}]\nenv.A = '1'\n[tool.poe.tasks]\na = 'x $B'"
    )
    files = {
        "sub/more.toml": "[tool.poe]\ninclude = 'last.json'\nenv = {A = '2', B = '3'}\n"
        "[tool.poe.tasks]\na = 'hidden'\nb = 'x $A'",
        "sub/last.json": '{"tasks": {"c": "y"}}',
        "poe_tasks.toml": "tasks.c = 'z'",
    }
    found = read(text, files=files)
    assert [shown(s) for s in found.scripts] == [["x", "3"], ["x", "1"], ["y"]]
    paths = [s.argv[0].route[0].path for s in found.scripts]
    assert paths == ["pyproject.toml", "sub/more.toml", "sub/last.json"]
    assert set(found.depends) == {"sub/more.toml", "sub/last.json", "poe_tasks.toml"}


def test_includes_in_a_circle_end() -> None:
    found = read("[tool.poe]\ninclude = 'a.toml'", files={"a.toml": "include = ['a.toml', 'b.toml']",
                 "b.toml": "include = 'a.toml'\ntasks.x = 'x'"})  # fmt: skip
    assert [shown(s) for s in found.scripts] == [["x"]]


REAL = r'''
[tool.poe]
env.CPU = "x86-64-v2"
env.FLAGS = "-a  -b"
executor.type = "simple"
[tool.poe.tasks]
t0 = "rec --target-cpu $CPU -I src"
t1.cmd = """
rec build \
  --target-cpu ${CPU}  # --mcpu native
  -o 'a b' "c $CPU" \\$CPU
"""
t2 = "rec $FLAGS \"$FLAGS\" ${NO_SUCH:-d e} ${CPU:+set} $NO_SUCH end"
t3.cmd = 'rec a#b'
t4 = {cmd = "rec $X ${Y}", env = {X = "${CPU}!", Y = {default = "dy"}}}
t5 = {cmd = "rec --cpu=$cpu", args = [{name = "cpu", default = "${CPU}"}]}
t6 = {cmd = "rec '' \"\" \"$NO_SUCH\" x"}
t7.cmd = """rec v2\
   -I a"""
t8.cmd = """
rec build \\\\
"""
'''


def test_poe_itself_passes_the_same_words(tmp_path: Path) -> None:
    if find_spec("poethepoet") is None:
        pytest.skip("poethepoet is not installed")
    (tmp_path / "pyproject.toml").write_text(REAL)
    stub = tmp_path / "rec"
    stub.write_text(f"#!{sys.executable}\nimport json, sys\nprint(json.dumps(sys.argv))\n")
    stub.chmod(0o755)
    expected = {s.place.task: [w.text for w in s.argv] for s in read(REAL).scripts}
    assert len(expected) == 9
    around = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    for task, argv in expected.items():
        command = [sys.executable, "-m", "poethepoet", "-q", str(task)]
        done = subprocess.run(command, cwd=tmp_path, env=around, capture_output=True, text=True, check=False)
        assert [argv[0], *json.loads(done.stdout or "[null]")[1:]] == argv, (task, done.stderr)
