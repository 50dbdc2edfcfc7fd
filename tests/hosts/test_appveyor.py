"""AppVeyor: https://www.appveyor.com/docs/appveyor-yml/"""

import pytest

from flagguard.command import Dialect

from .ci_support import BOMB, argvs, read, told

MAIN = "appveyor.yml"

CASES: list[tuple[str, str, list[str]]] = [
    (
        "the phases",
        "install: cc 1\nbefore_build: [cc 2]\nbuild_script: [cc 3]\nafter_build: cc 4\ntest_script: cc 5\n"
        "on_success: cc 6",
        ["cc 1", "cc 2", "cc 3", "cc 4", "cc 5", "cc 6"],
    ),
    ("an environment", "environment: {F: -O2}\nbuild_script: [cc %F%]", ["cc -O2"]),
    (
        "each row is a job",
        "environment: {G: g, matrix: [{F: a}, {F: b}]}\nbuild_script: [cc %G% %F%]",
        ["cc g a", "cc g b"],
    ),
    ("global", "environment: {global: {G: g}, matrix: [{F: a}]}\nbuild_script: [cc %G% %F%]", ["cc g a"]),
    (
        "platforms and configurations",
        "platform: [x64, x86]\nconfiguration: Release\nbuild_script: [cc %PLATFORM% %CONFIGURATION%]",
        ["cc x64 Release", "cc x86 Release"],
    ),
    ("set reaches later phases", "install: [set F=-O2]\nbuild_script: [cc %F%]", ["cc -O2"]),
    ("powershell", "build_script: [{ps: cc $env:F}]\nenvironment: {F: -O2}", ["cc -O2"]),
    ("shells side by side", "build_script: [cc a, {ps: cc b}, {cmd: cc c}]", ["cc a", "cc b", "cc c"]),
    ("a Linux image", "image: Ubuntu2204\nenvironment: {F: -O2}\nbuild_script: [cc $F]", ["cc -O2"]),
    (
        "for an image",
        "image: [Visual Studio 2022, Ubuntu]\nbuild_script: [cc w]\n"
        "for: [{matrix: {only: [{image: Ubuntu}]}, build_script: [cc u]}]",
        ["cc w", "cc u"],
    ),
    (
        "for a row",
        "environment: {matrix: [{F: a}, {F: b}]}\nbuild_script: [cc w]\nfor: [{matrix: {only: [{F: b}]}, "
        "build_script: [cc %F%]}]",
        ["cc w", "cc b"],
    ),
    ("a project", "build: {project: x.sln}", ["msbuild x.sln"]),
    ("no build", "build: false\ntest_script: [cc]", ["cc"]),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_what_runs(text: str, expected: list[str]) -> None:
    assert argvs("appveyor", {MAIN: text}) == expected


def test_the_place() -> None:
    text = "image: macOS\nenvironment: {matrix: [{F: a}]}\nbuild_script: [x]\non_finish: [y]\n"
    found = [
        (s.place.job, s.place.step, s.place.runner, sorted(s.platforms or ()), s.dialect, s.ignored)
        for s in read("appveyor", {MAIN: text}).scripts
    ]
    mac = ["macos-x86_64"]
    assert found == [
        ("build (a)", "build_script", "macOS", mac, Dialect.BASH, False),
        ("build (a)", "on_finish", "macOS", mac, Dialect.BASH, True),
    ]


def test_what_is_wrong_is_told() -> None:
    assert told("appveyor", {MAIN: "install: [\n"}) == [(1, True)]
    assert told("appveyor", {MAIN: "install: [{fish: x}]"}) == [(1, False)]
    rows = ", ".join(f"{{F: {i}}}" for i in range(150))
    text = f"platform: [a, b]\nenvironment: {{matrix: [{rows}]}}\nbuild_script: [x]"
    assert told("appveyor", {MAIN: text}) == [(1, True)]


def test_a_bomb_of_aliases_is_one_problem() -> None:
    assert told("appveyor", {MAIN: BOMB + "install: *a11\n"}) == [(1, True)]
