"""Woodpecker CI and Drone: https://woodpecker-ci.org/docs/usage/workflow-syntax, https://docs.drone.io/pipeline/docker/syntax/"""

import pytest

from .ci_support import BOMB, argvs, read, told

MAIN = ".woodpecker.yml"

CASES: list[tuple[str, str, list[str]]] = [
    ("steps in a list", "steps: [{name: a, image: x, commands: [cc a]}]", ["cc a"]),
    ("steps in a table", "steps: {a: {image: x, commands: cc a}}", ["cc a"]),
    ("the old key", "pipeline: {a: {image: x, commands: [cc a]}}", ["cc a"]),
    ("a plugin has settings only", "steps: [{name: a, image: p, settings: {x: y}}]", []),
    (
        "commands share a shell, steps do not",
        "steps: {a: {commands: [X=1, cc $X]}, b: {commands: [cc $X]}}",
        ["cc 1", "cc"],
    ),
    (
        "a condition that never holds",
        'steps: {a: {when: {evaluate: "false"}, commands: [cc a]}, b: {when: {evaluate: x}, commands: [cc b]}}',
        ["cc b"],
    ),
    ("an environment", "steps: {a: {environment: {F: -O2}, commands: [cc $F]}}", ["cc -O2"]),
    ("as a list", "steps: {a: {environment: [F=-O2], commands: [cc $F]}}", ["cc -O2"]),
    ("a secret", "steps: {a: {environment: {F: {from_secret: s}}, commands: [cc $F]}}", ["cc $F"]),
    (
        "an empty value is a row",
        'matrix: {C: [a, ""]}\nsteps: {a: {commands: ["cc -O2 ${C}"]}}',
        ["cc -O2 a", "cc -O2"],
    ),
    ("a matrix", 'matrix: {C: [a, b]}\nsteps: {a: {commands: ["cc ${C} $C"]}}', ["cc a a", "cc b b"]),
    (
        "include",
        'matrix: {include: [{C: a, D: x}, {C: b, D: y}]}\nsteps: {a: {commands: ["cc ${C} ${D}"]}}',
        ["cc a x", "cc b y"],
    ),
    ("a doubled dollar is the shell's", 'steps: {a: {commands: ["C=1", "cc $${C}"]}}', ["cc 1"]),
    ("what the server gives", 'steps: {a: {commands: ["cc ${CI_COMMIT_TAG}"]}}', ["cc ${CI_COMMIT_TAG}"]),
    (
        "documents of Drone",
        "kind: pipeline\nsteps: [{name: a, commands: [cc a]}]\n---\nkind: secret\nname: s\n---\n"
        "kind: pipeline\nsteps: [{name: b, commands: [cc b]}]\n",
        ["cc a", "cc b"],
    ),
    (
        "a list put into a list",
        "c:\n  - &c [cc a, cc b]\nsteps: {a: {commands: [<<: *c, cc c]}}",
        ["cc a", "cc b", "cc c"],
    ),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_what_runs(text: str, expected: list[str]) -> None:
    assert argvs("woodpecker", {MAIN: text}) == expected


def test_the_place() -> None:
    text = (
        "kind: pipeline\nname: arm\nplatform: {os: linux, arch: arm64}\nsteps:\n"
        "- {name: a, image: gcc, commands: [x]}\n- {name: b, commands: [y], failure: ignore, when: {branch: main}}\n"
        "- {name: c, depends_on: [a], commands: [z]}\n"
    )
    found = [
        (s.place.job, s.place.step, s.place.runner, sorted(s.platforms or ()), s.needs, s.ignored, s.when)
        for s in read("woodpecker", {".drone.yml": text}).scripts
    ]
    arm = ["linux-aarch64"]
    assert found == [
        ("arm", "a", "gcc", arm, (), False, ()),
        ("arm", "b", None, arm, ("a",), True, ("when: {branch: main}",)),
        ("arm", "c", None, arm, ("a",), False, ()),
    ]


def test_a_label_says_the_platform() -> None:
    text = "labels: {platform: linux/arm64}\nsteps: {a: {commands: [x]}}"
    (script,) = read("woodpecker", {MAIN: text}).scripts
    assert (script.platforms, script.errexit) == (frozenset({"linux-aarch64"}), True)


def test_a_broken_file_is_one_problem() -> None:
    assert told("woodpecker", {MAIN: "steps: [\n"}) == [(1, True)]


def test_a_bomb_of_aliases_is_one_problem() -> None:
    assert told("woodpecker", {MAIN: BOMB + "steps: {a: {commands: *a11}}\n"}) == [(1, True)]
