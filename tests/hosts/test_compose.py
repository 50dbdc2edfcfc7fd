"""Compose files: https://docs.docker.com/reference/compose-file/build/ and services/"""

import pytest

from flagguard.hosts import Setting, entered
from flagguard.shell import evaluate

from .ci_support import BOMB, argvs, commands, read, told
from .support import Memory

MAIN = "compose.yml"

CASES: list[tuple[str, str, list[str]]] = [
    ("a context", "services: {a: {build: ./x}}", ["docker build ./x"]),
    (
        "all of a build",
        "services: {a: {build: {context: x, dockerfile: D, args: {C: v2}, target: t, "
        "platforms: [linux/amd64, linux/arm64]}}}",
        ["docker build --build-arg C=v2 --file x/D --target t --platform linux/amd64,linux/arm64 x"],
    ),
    (
        "arguments in a list",
        "services: {a: {build: {context: ., args: [C=v2, D]}}}",
        ["docker build --build-arg C=v2 --build-arg D ."],
    ),
    (
        "an argument without a value",
        "services: {a: {build: {context: ., args: {C: }}}}",
        ["docker build --build-arg C ."],
    ),
    (
        "the platform of the service",
        "services: {a: {build: ., platform: linux/arm64}}",
        ["docker build --platform linux/arm64 ."],
    ),
    ("an image builds nothing", "services: {a: {image: x}}", []),
    ("a default", 'services: {a: {build: {context: ., args: {C: "${C:-v2}"}}}}', ["docker build --build-arg C=v2 ."]),
    (
        "a default in a default",
        'services: {a: {build: {context: ., args: {C: "${C:-${D:-v3}}"}}}}',
        ["docker build --build-arg C=v3 ."],
    ),
    (
        "what nobody sets",
        'services: {a: {build: {context: ., args: {C: "x${C}"}}}}',
        ["docker build --build-arg C=x ."],
    ),
    ("a command", 'services: {a: {command: cc -O2 "a b"}}', ["cc -O2 a b"]),
    ("a command as a list", "services: {a: {command: [cc, a b]}}", ["cc a b"]),
    ("no shell reads it", "services: {a: {command: cc a && cc b}}", ["cc a && cc b"]),
    ("a shell in it", 'services: {a: {command: sh -c "cc a && cc $$F", environment: {F: b}}}', ["cc a", "cc b"]),
    ("an entrypoint", "services: {a: {entrypoint: [cc], command: [a]}}", ["cc a"]),
    (
        "a check",
        "services: {a: {healthcheck: {test: [CMD-SHELL, cc a]}}, b: {healthcheck: {test: [CMD, cc, b]}}}",
        ["cc a", "cc b"],
    ),
    (
        "an extended service",
        "services: {b: {build: {context: x, args: {C: a, D: d}}}, a: {extends: b, build: {args: {C: c}}}}",
        ["docker build --build-arg C=a --build-arg D=d x", "docker build --build-arg C=c --build-arg D=d x"],
    ),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_what_runs(text: str, expected: list[str]) -> None:
    assert argvs("compose", {MAIN: text}) == expected


def test_an_environment_file_beside_it() -> None:
    files = {MAIN: "services: {a: {build: {context: ., args: {C: $C}}, env_file: x.env, command: sh -c 'cc $$F'}}"}
    files |= {".env": "C=v2\n", "x.env": "F=-O2\n"}
    assert argvs("compose", files) == ["docker build --build-arg C=v2 .", "cc -O2"]


def test_the_build_is_followed_into_the_dockerfile() -> None:
    files = {
        "deploy/compose.yml": "services: {a: {build: {context: .., dockerfile: deploy/Dockerfile, args: {C: v2}}}}",
        "deploy/Dockerfile": "FROM x\nARG C\nRUN cc -m$C\n",
    }
    (build,) = commands("compose", files)
    setting = Setting(Memory(files), ("linux-x86_64",))
    found = entered(build, setting)
    assert found is not None
    assert found.path == "deploy/Dockerfile"
    shown = [c.shown for s in found.read(setting).scripts for c in evaluate(s, setting).commands]
    assert shown == [["cc", "-mv2"]]


def test_a_mounted_script_is_found() -> None:
    files = {
        MAIN: "services: {a: {command: ./x.sh, volumes: ['.:/app'], working_dir: /app}}",
        "x.sh": "#!/bin/sh\ncc x\n",
    }
    (command,) = commands("compose", files)
    found = entered(command, Setting(Memory(files), ("linux-x86_64",)))
    assert found is not None
    assert found.path == "x.sh"


def test_the_words_stand_where_they_are_written() -> None:
    text = "services:\n  a:\n    build:\n      context: .\n      args:\n        C: v2\n"
    (build,) = commands("compose", {MAIN: text})
    places = [text.count("\n", 0, w.route[-1].start) + 1 for w in build.argv]
    assert places == [3, 3, 6, 6, 4]


WRONG: list[tuple[str, list[tuple[int, bool]]]] = [
    ("services: [\n", [(1, True)]),
    ("services: [a]\n", [(1, True)]),
    ("services:\n  a: x\n", [(2, True)]),
    ("services:\n  a: {extends: b}\n", [(2, False)]),
    ("services:\n  a: {build: {context: ., dockerfile_inline: FROM $x}}\n", [(2, False)]),
]


@pytest.mark.parametrize(("text", "expected"), WRONG)
def test_what_is_wrong_is_told_with_its_line(text: str, expected: list[tuple[int, bool]]) -> None:
    assert told("compose", {MAIN: text}) == expected


def test_a_service_that_extends_itself_ends() -> None:
    assert argvs("compose", {MAIN: "services: {a: {extends: a, build: .}}"}) == ["docker build ."]


def test_a_bomb_of_aliases_is_one_problem() -> None:
    assert told("compose", {MAIN: BOMB + "services: {a: {command: *a11}}\n"}) == [(1, True)]


INLINE = """\
services:
  a:
    platform: linux/arm64
    build:
      context: sub
      target: t
      args: {CPU: v2}
      dockerfile_inline: |
        FROM x AS other
        RUN cc other
        FROM x AS t
        ARG CPU
        # no comment of a shell
        RUN cc -O2 \\
            a.c
        RUN <<EOF
        cc b
        cc c
        EOF
        CMD ["run", "it"]
"""


def test_a_dockerfile_inside_of_the_file() -> None:
    reading = read("compose", {MAIN: INLINE})
    assert reading.problems == ()
    found = []
    for script in reading.scripts:
        assert script.place.job == "a"
        for command in evaluate(script, Setting(Memory({}), ("linux-aarch64",))).commands:
            line = INLINE.count("\n", 0, command.span.start) + 1
            cpu = command.env["CPU"].text if "CPU" in command.env else ""
            found.append((line, " ".join(command.shown), cpu, command.platforms))
    assert found == [
        (14, "cc -O2 a.c", "v2", ("linux-aarch64",)),
        (17, "cc b", "v2", ("linux-aarch64",)),
        (18, "cc c", "v2", ("linux-aarch64",)),
        (20, "run it", "", ("linux-aarch64",)),
    ]
