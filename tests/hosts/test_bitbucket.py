"""Bitbucket Pipelines: https://support.atlassian.com/bitbucket-cloud/docs/bitbucket-pipelines-configuration-reference/"""

import pytest

from flagguard.command import Dialect

from .ci_support import BOMB, argvs, read, told

MAIN = "bitbucket-pipelines.yml"

CASES: list[tuple[str, str, list[str]]] = [
    ("a step", "pipelines: {default: [{step: {script: [cc a]}}]}", ["cc a"]),
    (
        "a script is one shell",
        "pipelines: {default: [{step: {script: [X=1, cc $X]}}, {step: {script: [cc $X]}}]}",
        ["cc 1", "cc"],
    ),
    ("after-script is another", "pipelines: {default: [{step: {script: [X=1], after-script: [cc $X]}}]}", ["cc"]),
    (
        "parallel",
        "pipelines: {default: [{parallel: [{step: {script: [cc a]}}, {step: {script: [cc b]}}]}]}",
        ["cc a", "cc b"],
    ),
    (
        "parallel with steps",
        "pipelines: {default: [{parallel: {fail-fast: true, steps: [{step: {script: [cc a]}}]}}]}",
        ["cc a"],
    ),
    ("a stage", "pipelines: {default: [{stage: {name: s, steps: [{step: {script: [cc a]}}]}}]}", ["cc a"]),
    (
        "branches and others",
        'pipelines: {branches: {main: [{step: {script: [cc b]}}]}, tags: {"v*": [{step: {script: [cc t]}}]}}',
        ["cc b", "cc t"],
    ),
    (
        "an anchor",
        "definitions: {steps: [{step: &s {script: [cc a]}}]}\npipelines: {default: [{step: *s}], "
        "custom: {x: [{step: {<<: *s, name: n}}]}}",
        ["cc a", "cc a"],
    ),
    (
        "definitions alone do not run",
        "definitions: {steps: [{step: &s {script: [cc a]}}]}\npipelines: {default: [{step: {script: [cc b]}}]}",
        ["cc b"],
    ),
    ("a pipe runs nothing here", "pipelines: {default: [{step: {script: [{pipe: a/b:1}, cc a]}}]}", ["cc a"]),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_what_runs(text: str, expected: list[str]) -> None:
    assert argvs("bitbucket", {MAIN: text}) == expected


def test_the_place() -> None:
    text = (
        "image: gcc\npipelines:\n  default:\n  - step: {name: N, script: [x], after-script: [y]}\n"
        "  custom:\n    c:\n    - variables: [{name: V}]\n    - step: {script: [z], runs-on: [self.hosted, "
        "linux.arm64]}\n"
    )
    found = [
        (s.place.job, s.place.step, s.place.runner, sorted(s.platforms or ()), s.ignored, s.when)
        for s in read("bitbucket", {MAIN: text}).scripts
    ]
    assert found == [
        ("default", "N", "gcc", ["linux-x86_64"], False, ()),
        ("default", "N", "gcc", ["linux-x86_64"], True, ()),
        ("custom: c", "1", "self.hosted, linux.arm64", ["linux-aarch64"], False, ("custom: c",)),
    ]


def test_windows_runs_powershell() -> None:
    text = "pipelines: {default: [{step: {runs-on: [self.hosted, windows], script: [x]}}]}"
    assert [s.dialect for s in read("bitbucket", {MAIN: text}).scripts] == [Dialect.POWERSHELL]


def test_what_is_wrong_is_told() -> None:
    assert told("bitbucket", {MAIN: "pipelines: [\n"}) == [(1, True)]
    assert told("bitbucket", {MAIN: "pipelines: {default: [{step: {script: [{pipe: a/b:1}]}}]}"}) == [(1, False)]


def test_a_bomb_of_aliases_is_one_problem() -> None:
    assert told("bitbucket", {MAIN: BOMB + "pipelines: {default: [{step: {script: *a11}}]}\n"}) == [(1, True)]
