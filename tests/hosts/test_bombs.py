"""Small files that come to much: values that double, tasks that run each other, brackets in brackets.

Each is read in well under two seconds of the processor's time, without an exception, and what is given up is said:
as a problem, or as a hole where the value would have stood.
"""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import FrameType

import pytest

from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import FileCommands, commands_of
from flagguard.hosts.npm_scripts import _matching

Files = dict[str, str]

SECONDS = 2.0


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Ends what takes longer, so that a bomb fails and does not hang the tests."""

    def stop(signal_number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"more than {seconds} s")

    if not hasattr(signal, "setitimer"):  # Windows
        yield
        return
    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds * 3)
    begun = time.process_time()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    assert time.process_time() - begun < seconds * 3


def lay(tmp_path: Path, files: Files) -> FileCommands:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
    with within(SECONDS):
        found = commands_of(next(iter(files)), Tree(tmp_path), Config(), strict=True)
    assert found is not None
    return found


def doubled(first: str, line: str, last: int = 60) -> str:
    """``line`` with each number and the one before it."""
    return first + "".join(line.format(new=i + 1, old=i) for i in range(last))


VALUES = {
    "mise variables": {
        "mise.toml": "[vars]\nV0 = 'xx'\n"
        + doubled("", 'V{new} = "{{{{vars.V{old}}}}}{{{{vars.V{old}}}}}"\n')
        + '[tasks]\na = "cc {{vars.V60}} -a"\n'
    },
    "mise environment": {
        "mise.toml": doubled('[env]\nV0 = "xx"\n', 'V{new} = "{{{{env.V{old}}}}}{{{{env.V{old}}}}}"\n')
        + '[tasks]\na = "cc $V60 -a"\n'
    },
    "mise names itself": {"mise.toml": '[vars]\na = "{{vars.b}}"\nb = "{{vars.a}}"\n[tasks]\na = "cc {{vars.a}} -a"\n'},
    "cargo-make": {
        "Makefile.toml": doubled('[env]\nV0 = "xx"\n', 'V{new} = "${{V{old}}}${{V{old}}}"\n')
        + '[tasks.a]\nscript = "cc $V60 -a"\n'
    },
    "taskipy": {
        "pyproject.toml": doubled(
            '[tool.taskipy.variables]\nV0 = "xx"\n', 'V{new} = {{ var = "{{V{old}}}{{V{old}}}", recursive = true }}\n'
        )
        + '[tool.taskipy.tasks]\na = { cmd = "cc {V60} -a", use_vars = true }\n'
    },
    "conda": {
        "meta.yaml": "{% set a = 'xx' %}\npackage: {name: a}\n"
        + "{% set a = a ~ a %}\n" * 60
        + "build:\n  script: cc {{ a }} -a\n"
    },
    "bake": {
        "docker-bake.hcl": doubled(
            'variable "V0" { default = "xx" }\n', 'variable "V{new}" {{ default = "${{V{old}}}${{V{old}}}" }}\n'
        )
        + 'target "a" { args = { X = V60 } }\n',
        "Dockerfile": "FROM x\nARG X\nRUN cc $X -a\n",
    },
    "homebrew texts": {
        "Formula/a.rb": "class A < Formula\n  def install\n"
        + doubled('    a0 = "xx"\n', '    a{new} = "#{{a{old}}}#{{a{old}}}"\n')
        + '    system "cc", a60, "-a"\n  end\nend\n'
    },
    "homebrew lists": {
        "Formula/a.rb": "class A < Formula\n  def install\n"
        + doubled('    a0 = ["-x"]\n', "    a{new} = a{old} + a{old}\n")
        + '    system "cc", *a60, "-a"\n  end\nend\n'
    },
    "meson": {
        "meson.build": "a = ['-x']\n" + "a += a\n" * 60 + "add_project_arguments(a, '-a', language: 'c')\n",
    },
    "bazel": {
        "BUILD": doubled('A0 = ["-x"]\n', "A{new} = A{old} + A{old}\n", 39)
        + 'cc_library(name = "a", copts = A39 + ["-a"])\n'
    },
    "cmake": {
        "CMakeLists.txt": "project(a C)\nset(a x)\n" + 'set(a "${a}${a}")\n' * 60 + "add_compile_options(${a} -a)\n"
    },
    "presets": {
        "CMakePresets.json": '{"version": 6, "configurePresets": [{"name": "a", "environment": {"V0": "xx"'
        + doubled("", ', "V{new}": "$env{{V{old}}}$env{{V{old}}}"')
        + '}, "cacheVariables": {"CMAKE_C_FLAGS": "$env{V60} -a"}}]}'
    },
}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_that_doubles_is_a_hole(name: str, tmp_path: Path) -> None:
    found = lay(tmp_path, VALUES[name])
    shown = [c for c in found.commands if any(w.holes for w in c.argv) or any(w.holes for w in c.env.values())]
    assert shown, [c.shown for c in found.commands]


TASKS = {
    "hatch": {
        "pyproject.toml": doubled("[tool.hatch.envs.a.scripts]\ns0 = 'cc'\n", "s{new} = ['s{old}', 's{old}']\n", 40)
    },
    "pdm": {
        "pyproject.toml": doubled(
            "[tool.pdm.scripts]\ns0 = 'cc'\n", "s{new} = {{ composite = ['s{old}', 's{old}'] }}\n", 40
        )
    },
}


@pytest.mark.parametrize("name", TASKS)
def test_tasks_that_come_to_too_much_are_told(name: str, tmp_path: Path) -> None:
    found = lay(tmp_path, TASKS[name])
    assert any(problem.fatal for problem in found.problems)


DEEP = {
    "meson": ("meson.build", "project('a', 'c')\nadd_project_arguments(" + "[" * 3000 + "\n", 2),
    "meson's length": ("meson.build", "#" * 400_000 + "\nadd_project_arguments('-a', language: 'c')\n", 1),
    "TOML": ("mise.toml", "[tasks]\n" + "a." * 1500 + "b = 1\n", 1),
    "nix": ("a.nix", "{ buildPhase = ''" + "${''" * 3000, 1),
    "goreleaser": (".goreleaser.yml", "builds:\n  - flags: [" + "a, " * 20_001 + "a]\n", 1),
}


@pytest.mark.parametrize("name", DEEP)
def test_what_is_too_deep_or_too_long_is_told(name: str, tmp_path: Path) -> None:
    path, text, line = DEEP[name]
    found = lay(tmp_path, {path: text})
    assert [(p.path, p.line, p.fatal) for p in found.problems] == [(path, line, True)]


READ = {
    "a number of 10,000 digits": ("package.json", '{"scripts": {"a": "cc -a"}, "x": ' + "9" * 10_000 + "}"),
    "the same in a database": (
        "compile_commands.json",
        '[{"directory": "/", "file": "a.c", "command": "cc -a", "x": ' + "9" * 10_000 + "}]",
    ),
    "a line that ends with CR alone": ("BUILD.bazel", 'x = 1\rcc_library(name = "a", copts = ["-a"])'),
    "a number without end": ("docker-bake.hcl", 'target "a" {\n  y = 1e999\n  args = { X = "-a" }\n}\n'),
    "presets that inherit twice": (
        "CMakePresets.json",
        '{"version": 6, "configurePresets": [{"name": "p0", "cacheVariables": {"CMAKE_C_FLAGS": "-a"}}'
        + doubled("", ', {{"name": "p{new}", "inherits": ["p{old}", "p{old}"]}}', 30)
        + "]}",
    ),
}


@pytest.mark.parametrize("name", READ)
def test_what_is_only_odd_is_read(name: str, tmp_path: Path) -> None:
    path, text = READ[name]
    found = lay(tmp_path, {path: text})
    assert not [p for p in found.problems if p.fatal]
    assert any("-a" in " ".join(c.shown) for c in found.commands)


def test_a_bake_target_that_inherits_twice_at_each_step(tmp_path: Path) -> None:
    text = doubled(
        'target "t0" { args = { X = "-a" } }\n', 'target "t{new}" {{ inherits = ["t{old}", "t{old}"] }}\n', 15
    )
    found = lay(tmp_path, {"docker-bake.hcl": text, "Dockerfile": "FROM x\nARG X\nRUN cc $X\n"})
    assert any("X=-a" in c.shown for c in found.commands)


@pytest.mark.parametrize(
    ("rc", "told"),
    [
        ("build --config=a\nbuild:a " + "--config=a " * 10 + "--copt=-a\n", True),
        ("import %workspace%/.bazelrc\n" * 20 + "build --copt=-a\n", False),
    ],
)
def test_a_bazelrc_that_leads_to_itself(rc: str, told: bool, tmp_path: Path) -> None:
    found = lay(tmp_path, {"b.sh": "bazel build //x\n", ".bazelrc": rc})
    assert any(problem.fatal for problem in found.problems) is told
    assert any("--copt=-a" in [w.text for w in c.brought] for c in found.commands)


def test_bazel_files_that_load_themselves_often(tmp_path: Path) -> None:
    loads = 'load(":a.bzl", "X")\n' * 20
    found = lay(tmp_path, {"BUILD": loads + 'cc_library(name = "a", copts = X + ["-a"])\n', "a.bzl": loads})
    assert any("-a" in c.shown for c in found.commands)


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("build:*", "build:a", True),
        ("build:*", "build:a:b", False),
        ("build:**", "build:a:b", True),
        ("build:**", "build", False),
        ("**:x", "a:b:x", True),
        ("b*d", "build", True),
        ("b*l*d", "build", True),
        ("b*l*x", "build", False),
        ("*a" * 40, "a" * 3000, False),
        ("**:" * 40 + "z", ":".join("a" * 60), False),
    ],
)
def test_a_pattern_of_scripts_takes_no_time(pattern: str, name: str, fits: bool) -> None:
    with within(0.5):
        assert bool(_matching(pattern, [name])) is (fits or pattern == "*a" * 40)


@pytest.mark.parametrize("pattern", ["(a+)+$", "([a-z]*)*x", r"(\a+)+b"])
def test_an_expression_that_python_never_finishes_is_not_tried(pattern: str) -> None:
    conditions = import_module("flagguard.hosts.cmake_conditions")
    assert conditions.translated(pattern) is None
    assert conditions.translated(r"([0-9]+(\.[0-9]+)*)") is not None
