"""Cirrus CI: https://cirrus-ci.org/guide/writing-tasks/"""

import pytest

from flagguard.command import Dialect

from .ci_support import BOMB, argvs, read, told

MAIN = ".cirrus.yml"

CASES: list[tuple[str, str, list[str]]] = [
    ("a task", "task: {script: cc a}", ["cc a"]),
    ("tasks of one name", "task:\n  a_script: cc a\ntask:\n  b_script: cc b\n", ["cc a", "cc b"]),
    ("named tasks", "x_task: {script: cc a}\ny_task: {script: cc b}", ["cc a", "cc b"]),
    ("templates do not run", "t_template: &t {script: cc a}\nx_task:\n  <<: *t\n  env: {F: x}\n", ["cc a"]),
    ("lists", "task: {build_script: [cc a, cc b]}", ["cc a", "cc b"]),
    ("environments", "env: {A: x}\ntask: {env: {B: $A/y}, script: cc $A $B}", ["cc x x/y"]),
    ("a variable in itself is a hole", "env: {A: $A x}\ntask: {script: cc $A}", ["cc $A x"]),
    ("a matrix", "task: {matrix: [{script: cc a}, {script: cc b}]}", ["cc a", "cc b"]),
    ("a matrix of environments", "task: {env: {matrix: [{F: a}, {F: b}]}, script: cc $F}", ["cc a", "cc b"]),
    ("a matrix of a value", "task: {env: {F: {matrix: [a, b]}}, script: cc $F}", ["cc a", "cc b"]),
    (
        "two matrices",
        "task: {env: {F: {matrix: [a, b]}}, matrix: [{x_script: cc 1 $F}, {y_script: cc 2 $F}]}",
        ["cc 1 a", "cc 2 a", "cc 1 b", "cc 2 b"],
    ),
    ("CIRRUS_ENV reaches later steps", "task: {a_script: echo F=-O2 >> $CIRRUS_ENV, b_script: cc $F}", ["cc -O2"]),
    ("a cache", "task: {x_cache: {folder: f, populate_script: cc p}, script: cc}", ["cc p", "cc"]),
    (
        "a condition that never holds",
        "a_task: {only_if: false, script: cc a}\nb_task: {only_if: $X, script: cc b}",
        ["cc b"],
    ),
    ("skip", 'a_task: {skip: true, script: cc a}\nb_task: {skip: "false", script: cc b}', ["cc b"]),
    ("what Cirrus says of the platform", "task: {script: 'cc $CIRRUS_OS-$CIRRUS_ARCH'}", ["cc linux-amd64"]),
    (
        "always",
        "task: {script: cc a, always: {b_script: cc b}, on_failure: {c_script: cc c}}",
        ["cc a", "cc b", "cc c"],
    ),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_what_runs(text: str, expected: list[str]) -> None:
    assert argvs("cirrus", {MAIN: text}) == expected


@pytest.mark.parametrize(
    ("machine", "platform", "dialect"),
    [
        ("container: {image: gcc}", "linux-x86_64", Dialect.BASH),
        ("arm_container: {image: gcc}", "linux-aarch64", Dialect.BASH),
        ("macos_instance: {image: x}", "macos-arm64", Dialect.BASH),
        ("freebsd_instance: {image_family: x}", "freebsd-x86_64", Dialect.BASH),
        ("windows_container: {image: x}", "windows-x86_64", Dialect.CMD),
        ("windows_container: {image: x}\n  env: {CIRRUS_SHELL: powershell}", "windows-x86_64", Dialect.POWERSHELL),
    ],
)
def test_where_a_task_runs(machine: str, platform: str, dialect: Dialect) -> None:
    (script,) = read("cirrus", {MAIN: f"task:\n  {machine}\n  script: x\n"}).scripts
    assert (script.platforms, script.dialect) == (frozenset({platform}), dialect)


def test_the_machine_of_the_file_is_for_tasks_that_name_none() -> None:
    text = "macos_instance: {image: m}\na_task: {script: x}\nb_task: {container: {image: c}, script: y}\n"
    assert [s.place.runner for s in read("cirrus", {MAIN: text}).scripts] == ["m", "c"]


def test_the_place() -> None:
    text = "a_task: {script: x}\nb_task: {depends_on: a, allow_failures: true, only_if: $CI, x_script: y}\n"
    found = [(s.place.job, s.place.step, s.needs, s.ignored, s.when) for s in read("cirrus", {MAIN: text}).scripts]
    assert found == [("a", "script", (), False, ()), ("b", "x_script", ("a",), True, ("only_if: $CI",))]


def test_a_broken_file_is_one_problem() -> None:
    assert told("cirrus", {MAIN: "task: [\n"}) == [(1, True)]


def test_matrices_of_matrices_are_bounded() -> None:
    axes = ", ".join(f"V{i}: {{matrix: [a, b, c, d]}}" for i in range(9))
    assert told("cirrus", {MAIN: f"task: {{env: {{{axes}}}, script: cc}}"}) == [(1, True)]


def test_a_bomb_of_aliases_is_one_problem() -> None:
    assert told("cirrus", {MAIN: BOMB + "task: {script: *a11}\n"}) == [(1, True)]
