"""cibuildwheel: https://cibuildwheel.pypa.io/en/stable/options/"""

from pathlib import Path

import pytest

from flagguard.hosts import cibuildwheel

from .ci_support import argvs
from .support import env, problems, reading, shown
from .test_by_path import listed

BUILD = "build {package} --wheel --outdir={dest_dir}"

CASES: list[tuple[str, str, list[str]]] = [
    ("no table", "[tool.x]\na = 'cibuildwheel'\n", []),
    ("the build alone", "[tool.cibuildwheel]\n", [BUILD]),
    (
        "in their order, a list joined",
        "[tool.cibuildwheel]\ntest-command = 'cc t'\nbefore-build = 'cc b'\nbefore-all = ['cc 1', 'cc 2']\n"
        "before-test = 'cc bt'\nrepair-wheel-command = 'fix {wheel} {dest_dir}'\n",
        ["cc 1", "cc 2", "cc b", BUILD, "fix {wheel} {dest_dir}", "cc bt", "cc t"],
    ),
    (
        "a platform's own over the global one",
        "[tool.cibuildwheel]\nbefore-all = 'cc a'\n[tool.cibuildwheel.linux]\nbefore-all = 'cc l'\n"
        "[tool.cibuildwheel.macos]\nbefore-all = 'cc m'\n",
        ["cc l", BUILD],
    ),
    (
        "an environment as a text, as the shell sees it",
        "[tool.cibuildwheel]\nbefore-all = 'cc $F $G'\nenvironment = 'F=\"-O2 -g\" G=\"$F-x\"'\n",
        ["cc -O2 -g -O2 -g-x", BUILD],
    ),
    (
        "an environment as a table",
        "[tool.cibuildwheel]\nbefore-all = 'cc $F $G $H'\nenvironment = {F = '-O2', G = 3, H = true}\n",
        ["cc -O2 3 True", BUILD],
    ),
    (
        "a platform's environment replaces",
        "[tool.cibuildwheel]\nbefore-all = 'cc $F $G'\nenvironment = {F = 'f'}\nlinux.environment = {G = 'g'}\n",
        ["cc g", BUILD],
    ),
    (
        "only the first line of an environment",
        "[tool.cibuildwheel]\nbefore-all = 'cc $F $G'\nenvironment = '''\nF=f\nG=g\n'''\n",
        ["cc f", BUILD],
    ),
    (
        "what an environment runs",
        "[tool.cibuildwheel]\nenvironment = 'F=\"$(cc v)\"'\n",
        ["cc v", BUILD],
    ),
    (
        "placeholders",
        "[tool.cibuildwheel]\nbefore-build = '{python} {pip} {project}/a {package} #{package} {x}'\n",
        ["python pip {project}/a {package} {package} {x}", BUILD],
    ),
    (
        "settings",
        "[tool.cibuildwheel]\nconfig-settings = {a = 'x y', 'b.c' = ['1', '2']}\n",
        [f"{BUILD} -Ca=x y -Cb.c=1 -Cb.c=2"],
    ),
    ("settings as a text", "[tool.cibuildwheel]\nconfig-settings = 'a=\"x y\" b=2'\n", [f"{BUILD} -Ca=x y -Cb=2"]),
    (
        "a frontend",
        "[tool.cibuildwheel]\nbuild-frontend = {name = 'pip', args = ['-q']}\n",
        ["pip wheel {package} --no-deps --wheel-dir={dest_dir} -q"],
    ),
    ("a frontend as a text", "[tool.cibuildwheel]\nbuild-frontend = 'build; args: -n -x'\n", [f"{BUILD} -n -x"]),
    ("nothing to build", "[tool.cibuildwheel]\nbefore-all = 'cc a'\nskip = '*-manylinux* *-{mus,x}*linux*'\n", []),
    ("another architecture", "[tool.cibuildwheel]\nlinux.archs = ['aarch64']\n", []),
    ("the machine's architecture", "[tool.cibuildwheel]\narchs = 'auto aarch64'\n", [BUILD]),
    (
        "an override of all builds",
        "[tool.cibuildwheel]\nbefore-all = 'cc a'\n[[tool.cibuildwheel.overrides]]\nselect = '*'\n"
        "before-all = 'cc o'\n",
        ["cc o", BUILD],
    ),
    (
        "overrides that add",
        "[tool.cibuildwheel]\nbefore-all = 'cc a'\nenvironment = {F = 'f'}\n"
        "[[tool.cibuildwheel.overrides]]\nselect = '*linux*'\n"
        "inherit = {before-all = 'append', environment = 'prepend'}\n"
        "before-all = 'cc $F $G'\nenvironment = {G = 'g', F = 'o'}\n",
        ["cc a", "cc f g", BUILD],
    ),
    (
        "an environment of the tests",
        "[tool.cibuildwheel]\nbefore-build = 'cc $F'\ntest-command = 'cc $F'\ntest-environment = 'F=t'\n"
        "environment = {F = ''}\n",
        ["cc", BUILD, "cc t"],
    ),
    ("nothing that is text", "[tool.cibuildwheel]\nbefore-all = ''\n# before-build = 'cc no'\n", [BUILD]),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_what_runs(text: str, expected: list[str]) -> None:
    assert argvs("cibuildwheel", {"pyproject.toml": text}) == expected


def test_an_override_of_some_builds_says_so() -> None:
    text = (
        "[tool.cibuildwheel]\nbefore-all = 'cc a'\nskip = 'pp* cp3?-* *t-*'\n"
        "[[tool.cibuildwheel.overrides]]\nselect = '*-musllinux*'\nbefore-all = 'cc m'\n"
    )
    every = reading(cibuildwheel, text, "pyproject.toml").scripts
    found = [s for s in every if s.place.step == "before-all" and "linux-x86_64" in (s.platforms or ())]
    assert [(shown(s), s.when, "macos-arm64" in (s.platforms or ())) for s in found] == [
        ("cc a", (), True),
        ("cc m", ("`*-musllinux*` selects the build",), False),
    ]


def test_each_platform_has_its_shell_and_its_environment() -> None:
    text = (
        "[tool.cibuildwheel]\nbefore-all = 'cc a'\nenvironment = {F = 'f'}\nmacos.environment = {M = 'm'}\n"
        'windows.before-all = """cc w\ncc never"""\n'
    )
    found = [s for s in reading(cibuildwheel, text, "pyproject.toml").scripts if s.place.step == "before-all"]
    assert [(shown(s), s.dialect.value, env(s), sorted(s.platforms or ())) for s in found] == [
        ("cc a", "sh", {"F": "f"}, ["linux-aarch64", "linux-x86_64"]),
        ("cc a", "sh", {"M": "m"}, ["macos-arm64"]),
        ("cc w", "cmd", {"F": "f"}, ["windows-x86_64"]),
    ]


def test_builds_that_are_not_tested_run_no_tests() -> None:
    text = "[tool.cibuildwheel]\ntest-command = 'cc t'\ntest-skip = '*-macosx_arm64 cp*-manylinux_aarch64 *musl*'\n"
    found = [s for s in reading(cibuildwheel, text, "pyproject.toml").scripts if s.place.step == "test-command"]
    assert {p for s in found for p in s.platforms or ()} == {"linux-x86_64", "linux-aarch64", "windows-x86_64"}
    text = text.replace(" cp*", " *")
    found = [s for s in reading(cibuildwheel, text, "pyproject.toml").scripts if s.place.step == "test-command"]
    assert {p for s in found for p in s.platforms or ()} == {"linux-x86_64", "windows-x86_64"}


def test_tests_run_in_a_folder_of_their_own() -> None:
    text = "[tool.cibuildwheel]\nbefore-test = 'cc b'\ntest-command = 'cc t'\n"
    found = reading(cibuildwheel, text, "a/pyproject.toml").scripts
    assert {(s.place.step, s.directory) for s in found} == {
        ("before-test", "a"),
        ("build", "a"),
        ("test-command", None),
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[tool]\ncibuildwheel = 3\n", [(2, "tool.cibuildwheel")]),
        ("[tool.cibuildwheel]\nbefore-all = {a = 'b'}\n", [(2, "before-all")]),
        ("[tool.cibuildwheel]\nenvironment = {A = ['1']}\n", [(2, "environment.A")]),
        ("[tool.cibuildwheel]\nenvironment = ['A=1']\n", [(2, "environment")]),
        ("[tool.cibuildwheel]\nenvironment = 'A=\"'\n", [(1, "environment")]),
        ("[tool.cibuildwheel]\nenvironment = '''A=1\nB=2'''\n", [(1, "environment")]),
        ("[tool.cibuildwheel]\npyodide.before-all = 'cc p'\n", [(2, "tool.cibuildwheel.pyodide")]),
        ("[[tool.cibuildwheel.overrides]]\nbefore-all = 'cc p'\n", [(1, "tool.cibuildwheel.overrides")]),
        ("[tool.cibuildwheel\n", [(1, None)]),
    ],
)
def test_what_is_wrong_is_told(text: str, expected: list[tuple[int, str]]) -> None:
    assert problems(reading(cibuildwheel, text, "pyproject.toml")) == expected


JOB = "on: push\njobs:\n  j:\n    runs-on: {}\n    env: {{F: outer, {}}}\n    steps:\n    - {}\n"
TABLE = "[tool.cibuildwheel]\nbefore-all = 'cc a $F'\nenvironment = {F = 'f'}\n"
CALLS: list[tuple[str, str, str, str, str, list[str]]] = [
    (
        "an environment of the caller's",
        "ubuntu-latest",
        "CIBW_ENVIRONMENT: F=c",
        "run: cibuildwheel",
        TABLE,
        ["cc a c"],
    ),
    (
        "the platform's own",
        "ubuntu-latest",
        "CIBW_ENVIRONMENT: F=c, CIBW_ENVIRONMENT_LINUX: F=l, CIBW_ENVIRONMENT_MACOS: F=m",
        "run: cibuildwheel",
        TABLE,
        ["cc a l"],
    ),
    ("a command", "ubuntu-latest", "CIBW_BEFORE_ALL: cc b $F", "run: cibuildwheel", TABLE, ["cc b f"]),
    ("a step", "ubuntu-latest", "CIBW_BEFORE_ALL: cc b $F", "uses: pypa/cibuildwheel@v3", TABLE, ["cc b f"]),
    ("the container has its own", "ubuntu-latest", "X: x", "run: cibuildwheel", TABLE.partition("env")[0], ["cc a"]),
    (
        "what is passed into it",
        "ubuntu-latest",
        "CIBW_ENVIRONMENT_PASS: F",
        "run: cibuildwheel",
        TABLE.partition("env")[0],
        ["cc a outer"],
    ),
    ("macOS has no container", "macos-14", "X: x", "run: cibuildwheel", TABLE.partition("env")[0], ["cc a outer"]),
    ("no table", "ubuntu-latest", "CIBW_BEFORE_ALL: cc b", "run: cibuildwheel", "", ["cc b"]),
    (
        "an environment that is not known",
        "ubuntu-latest",
        "CIBW_ENVIRONMENT: '${{ inputs.x }}'",
        "run: cibuildwheel",
        TABLE,
        ["cc a"],
    ),
    ("other platforms", "ubuntu-latest", "CIBW_BEFORE_ALL: cc b", "run: cibuildwheel --platform macos", "", []),
]


@pytest.mark.parametrize(
    ("runner", "variables", "step", "table", "expected"), [c[1:] for c in CALLS], ids=[c[0] for c in CALLS]
)
def test_a_call_brings_its_options(
    tmp_path: Path, runner: str, variables: str, step: str, table: str, expected: list[str]
) -> None:
    files = {".github/workflows/w.yml": JOB.format(runner, variables, step), "pyproject.toml": table or "[project]\n"}
    found = [line.partition(" ")[2] for line in listed(tmp_path, files)]
    assert [one for one in found if one.startswith("cc ")] == expected


def test_a_setup_py_that_it_builds_is_still_judged(tmp_path: Path) -> None:
    files = {
        ".github/workflows/w.yml": JOB.format(
            "ubuntu-latest", "CIBW_BEFORE_ALL: cc b", "uses: pypa/cibuildwheel@v2.22.0"
        ),
        "setup.py": "from setuptools import Extension, setup\nsetup(ext_modules=[Extension('a', ['a.c'])])\n",
    }
    found = [line.partition(" ")[2] for line in listed(tmp_path, files)]
    assert "python:Extension a a.c" in found
    assert found.count("cc b") == 1
