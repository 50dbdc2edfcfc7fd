"""Travis CI: https://docs.travis-ci.com/user/job-lifecycle/ and build-matrix"""

import pytest

from .ci_support import BOMB, argvs, read, told

MAIN = ".travis.yml"

CASES: list[tuple[str, str, list[str]]] = [
    (
        "the phases",
        "before_install: cc 1\ninstall: [cc 2]\nbefore_script: cc 3\nscript: [cc 4]\nafter_success: cc 5\n"
        "after_script: cc 6",
        ["cc 1", "cc 2", "cc 3", "cc 4", "cc 5", "cc 6"],
    ),
    ("a condition that never holds", "jobs: {include: [{if: false, script: cc a}, {if: x, script: cc b}]}", ["cc b"]),
    ("what Travis says of the platform", "script: cc $TRAVIS_OS_NAME-$TRAVIS_CPU_ARCH", ["cc linux-amd64"]),
    ("they share a shell", "install: export X=1\nscript: cc $X", ["cc 1"]),
    ("skip and true are no commands", "install: skip\nbefore_script: true\nscript: cc", ["cc"]),
    ("an environment", "env: F=-O2\nscript: cc $F", ["cc -O2"]),
    ("quotes", "env: ['F=\"-O2 -g\" G=x']\nscript: cc $F $G", ["cc -O2 -g x"]),
    ("each environment is a job", "env: [F=a, F=b]\nscript: cc $F", ["cc a", "cc b"]),
    ("global and jobs", "env: {global: [G=g, secure: x], jobs: [F=a, F=b]}\nscript: cc $G $F", ["cc g a", "cc g b"]),
    ("the old key", "env: {global: G=g, matrix: [F=a]}\nscript: cc $G $F", ["cc g a"]),
    ("a table", "env: {global: {G: g}}\nscript: cc $G", ["cc g"]),
    ("compilers", "compiler: [gcc, clang]\nscript: $CC $CXX", ["gcc g++", "clang clang++"]),
    ("include alone", "jobs: {include: [{env: F=a, script: cc $F}, {script: cc b}]}\nscript: cc no", ["cc a", "cc b"]),
    ("include as well", "env: [F=a]\njobs: {include: [{env: F=b}]}\nscript: cc $F", ["cc a", "cc b"]),
    (
        "exclude",
        "os: [linux, osx]\ncompiler: [gcc, clang]\njobs: {exclude: [{os: osx, compiler: gcc}]}\nscript: $CC",
        ["gcc", "clang", "clang"],
    ),
    ("a deployment", "script: cc a\ndeploy: {provider: script, script: cc d}", ["cc a", "cc d"]),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_what_runs(text: str, expected: list[str]) -> None:
    assert argvs("travis", {MAIN: text}) == expected


def test_the_place() -> None:
    text = (
        "os: [linux, osx, windows]\narch: [arm64]\nscript: x\nafter_failure: y\n"
        "jobs: {include: [{name: N, os: linux, arch: ppc64le, if: type = cron, script: z}]}\n"
    )
    found = [
        (s.place.job, s.place.step, sorted(s.platforms or ()), s.ignored, s.when)
        for s in read("travis", {MAIN: text}).scripts
        if s.place.step == "script" or s.place.job == "N"
    ]
    assert found == [
        ("linux, arm64", "script", ["linux-aarch64"], False, ()),
        ("osx, arm64", "script", ["macos-arm64"], False, ()),
        ("windows, arm64", "script", ["windows-arm64"], False, ()),
        ("N", "script", ["linux-ppc64le"], False, ("if: type = cron",)),
        ("N", "after_failure", ["linux-ppc64le"], True, ("if: type = cron",)),
    ]


def test_a_broken_file_is_one_problem() -> None:
    assert told("travis", {MAIN: "script: [\n"}) == [(1, True)]


def test_a_bomb_of_aliases_is_one_problem() -> None:
    assert told("travis", {MAIN: BOMB + "script: *a11\n"}) == [(1, True)]
