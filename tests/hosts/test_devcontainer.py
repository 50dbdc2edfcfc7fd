"""Development containers: https://containers.dev/implementors/json_reference/"""

import pytest

from .ci_support import argvs, read, told

MAIN = ".devcontainer/devcontainer.json"

CASES: list[tuple[str, str, list[str]]] = [
    ("a text goes to a shell", '{"postCreateCommand": "cc a && cc b"}', ["cc a", "cc b"]),
    ("a list is words", '{"postCreateCommand": ["cc", "a && b"]}', ["cc a && b"]),
    ("a table has several", '{"postCreateCommand": {"x": "cc a", "y": ["cc", "b"]}}', ["cc a", "cc b"]),
    (
        "in their order",
        '{"postStartCommand": "cc 3", "onCreateCommand": "cc 1", "postCreateCommand": "cc 2"}',
        ["cc 1", "cc 2", "cc 3"],
    ),
    (
        "comments and commas",
        '{\n  // "postCreateCommand": "cc no",\n  "postCreateCommand": "cc // a", /* x */\n}',
        ["cc // a"],
    ),
    (
        "an environment",
        '{"containerEnv": {"F": "-O2"}, "remoteEnv": {"G": "g"}, "postCreateCommand": "cc $F $G"}',
        ["cc -O2 g"],
    ),
    ("not on the developer's machine", '{"containerEnv": {"F": "-O2"}, "initializeCommand": "cc $F"}', ["cc"]),
    ("a variable", '{"postCreateCommand": "cc ${localEnv:X} ${localEnv:Y:d}"}', ["cc ${localEnv:X} d"]),
    (
        "a build",
        '{"build": {"dockerfile": "Dockerfile", "context": "..", "args": {"C": "v2"}, "target": "t"}}',
        ["docker build --build-arg C=v2 --file Dockerfile --target t .."],
    ),
    ("the old form", '{"dockerFile": "D"}', ["docker build --file D ."]),
    ("an image", '{"image": "x"}', []),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_what_runs(text: str, expected: list[str]) -> None:
    assert argvs("devcontainer", {MAIN: text}) == expected


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        (".devcontainer/devcontainer.json", ""),
        (".devcontainer/x/devcontainer.json", ""),
        ("sub/.devcontainer/devcontainer.json", "sub"),
        (".devcontainer.json", ""),
    ],
)
def test_the_commands_run_in_the_folder_of_the_project(path: str, folder: str) -> None:
    (script,) = read("devcontainer", {path: '{"postCreateCommand": "x"}'}).scripts
    assert (script.directory, script.place.step) == (folder, "postCreateCommand")


def test_the_build_is_followed_from_its_own_folder() -> None:
    (script,) = read("devcontainer", {MAIN: '{"build": {"dockerfile": "D"}}'}).scripts
    assert script.directory == ".devcontainer"


def test_a_broken_file_is_one_problem() -> None:
    assert told("devcontainer", {MAIN: '{"a": [\n'}) == [(1, True)]
    assert told("devcontainer", {MAIN: "[1]"}) == [(1, True)]
