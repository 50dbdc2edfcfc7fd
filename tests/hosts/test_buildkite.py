"""Buildkite: https://buildkite.com/docs/pipelines/configure/step-types/command-step"""

import pytest

from .ci_support import BOMB, argvs, read, told

MAIN = ".buildkite/pipeline.yml"

CASES: list[tuple[str, str, list[str]]] = [
    ("a command", "steps: [{command: cc a}]", ["cc a"]),
    ("a condition that never holds", 'steps: [{command: cc a, if: "false"}, {command: cc b, if: x}]', ["cc b"]),
    (
        "skip",
        "steps: [{command: cc a, skip: true}, {command: cc b, skip: why}, {command: cc c, skip: false}]",
        ["cc c"],
    ),
    ("commands share a shell", "steps: [{commands: [X=1, cc $$X]}]", ["cc 1"]),
    ("a list alone", "- command: cc a\n- command: cc b", ["cc a", "cc b"]),
    ("the environment of the pipeline", "env: {F: -O2}\nsteps: [{command: cc $F}]", ["cc -O2"]),
    ("the environment of a step, when it runs", "steps: [{command: cc $$F, env: {F: -O2}}]", ["cc -O2"]),
    ("is not there when it is uploaded", "steps: [{command: cc $F x, env: {F: -O2}}]", ["cc x"]),
    ("a backslash keeps a dollar", "steps: [{command: 'cc \\$F', env: {F: -O2}}]", ["cc -O2"]),
    ("a default", 'steps: [{command: "cc ${F:--O1}"}]', ["cc -O1"]),
    ("what Buildkite gives", "steps: [{command: cc $BUILDKITE_COMMIT}]", ["cc $BUILDKITE_COMMIT"]),
    ("an empty value is a row", 'steps: [{command: "cc -O2 {{matrix}}", matrix: [a, ""]}]', ["cc -O2 a", "cc -O2"]),
    ("a matrix", 'steps: [{command: "cc {{matrix}}", matrix: [a, b]}]', ["cc a", "cc b"]),
    (
        "a matrix with names",
        'steps: [{command: "cc {{matrix.x}} {{matrix.y}}", matrix: {setup: {x: [a, b], y: [c]}}}]',
        ["cc a c", "cc b c"],
    ),
    (
        "adjustments",
        'steps: [{command: "cc {{matrix}}", matrix: {setup: [a, b], adjustments: [{with: a, skip: true}, {with: c}]}}]',
        ["cc b", "cc c"],
    ),
    ("a group", "steps: [{group: g, steps: [{command: cc a}]}]", ["cc a"]),
    ("others run nothing", "steps: [wait, {block: b}, {trigger: t}, {input: i}, {command: cc}]", ["cc"]),
    (
        "a container sees what is passed",
        'env: {F: -O2, G: -g}\nsteps: [{command: "cc $$F $$G", plugins: [{docker#v5: {image: x, environment: [G]}}]}]',
        ["cc -g"],
    ),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_what_runs(text: str, expected: list[str]) -> None:
    assert argvs("buildkite", {MAIN: text}) == expected


def test_the_place() -> None:
    text = (
        "steps:\n- {command: x, label: One, key: one, agents: {queue: linux-arm64}, soft_fail: true}\n- wait\n"
        "- {command: y, if: build.tag != null, agents: [queue=macos-x86_64]}\n"
    )
    found = [
        (s.place.job, s.place.step, s.place.runner, s.needs, s.ignored, s.when, sorted(s.platforms or ()))
        for s in read("buildkite", {MAIN: text}).scripts
    ]
    assert found == [
        ("one", "One", "linux-arm64", (), True, (), ["linux-aarch64"]),
        ("3", None, "macos-x86_64", ("one",), False, ("if: build.tag != null",), ["macos-x86_64"]),
    ]


def test_a_broken_file_is_one_problem() -> None:
    assert told("buildkite", {MAIN: "steps: [\n"}) == [(1, True)]


def test_a_bomb_of_aliases_is_one_problem() -> None:
    assert told("buildkite", {MAIN: BOMB + "steps: *a11\n"}) == [(1, True)]
