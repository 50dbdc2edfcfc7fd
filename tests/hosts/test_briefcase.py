"""Briefcase: https://briefcase.beeware.org/en/stable/reference/configuration/"""

from pathlib import Path

import pytest

from flagguard.command import Command, Dialect, Place, Reading, Script
from flagguard.hosts import Setting, briefcase, entered
from flagguard.shell import evaluate
from flagguard.text import SourceText, Span, literal

from .support import Memory

PLATFORMS = ("linux-x86_64", "macos-arm64")
PATH = "pyproject.toml"
FILE = """\
[tool.briefcase]
requirement_installer_args = ["--find-links", "wheels"]
[tool.briefcase.app.foo]
requires = ["a==1"]
test_requires = ["t"]
[tool.briefcase.app.foo.macOS]
requires = ["m"]
[tool.briefcase.app.foo.linux.system]
requires = ["l"]
requirement_installer_args = ["--no-binary", ":all:"]
[tool.briefcase.app.foo.iOS]
requires = ["i"]
[tool.briefcase.app.bar]
sources = ["src/bar"]
"""
PIP = "pip install --disable-pip-version-check --no-user --upgrade"


def read(text: str, *platforms: str) -> Reading:
    return briefcase.read(SourceText(PATH, text), Setting(Memory({PATH: text}), platforms or PLATFORMS))


def shown(reading: Reading, *platforms: str) -> list[tuple[str | None, str, tuple[str, ...]]]:
    setting = Setting(Memory({}), platforms or PLATFORMS)
    return [
        (c.place.step, " ".join(c.shown), c.platforms) for s in reading.scripts for c in evaluate(s, setting).commands
    ]


def called(text: str, setting: Setting) -> Command:
    [command] = evaluate(
        Script(Place("shellscript"), Dialect.SH, literal(text, Span("x.sh", 0, len(text)))), setting
    ).commands
    return command


def test_what_is_installed() -> None:
    linux, macos = ("linux-x86_64",), ("macos-arm64",)
    assert shown(read(FILE)) == [
        ("macOS", f"{PIP} --find-links wheels a==1 m t", macos),
        ("linux", f"{PIP} --find-links wheels a==1 t", linux),
        ("linux system", f"{PIP} --no-binary :all: a==1 l t", linux),
        ("iOS", f"{PIP} --only-binary :all: --find-links wheels a==1 i t", macos),
    ]


@pytest.mark.parametrize(
    ("call", "steps"),
    [
        ("briefcase build linux", ["linux", "linux system"]),
        ("briefcase package linux system -a foo", ["linux system"]),
        ("briefcase build linux -a bar", []),
        ("briefcase update macos --app=foo", ["macOS"]),
    ],
)
def test_what_a_call_starts(call: str, steps: list[str]) -> None:
    setting = Setting(Memory({PATH: FILE}), PLATFORMS)
    found = entered(called(call, setting), setting)
    assert found is not None
    assert [step for step, _, _ in shown(found.read(setting))] == steps


@pytest.mark.parametrize("call", ["briefcase --help", "briefcase new", "briefcase build --help"])
def test_what_starts_nothing(call: str) -> None:
    setting = Setting(Memory({PATH: FILE}), PLATFORMS)
    assert entered(called(call, setting), setting) is None


def test_a_vendor_and_its_versions_have_settings_of_their_own() -> None:
    text = (
        '[tool.briefcase.app.a]\nrequires = ["x"]\n[tool.briefcase.app.a.linux.system.ubuntu]\nrequires = ["y"]\n'
        '[tool.briefcase.app.a.linux.system.ubuntu.jammy]\nrequirement_installer_args = ["-z"]\n'
        '[tool.briefcase.app.a.linux.system.debian]\nsystem_requires = ["w"]\n'
    )
    assert [
        (step, said) for step, said, _ in shown(read(text, "linux-x86_64"), "linux-x86_64") if "linux" in str(step)
    ] == [
        ("linux", f"{PIP} x"),
        ("linux system", f"{PIP} x"),
        ("linux system ubuntu", f"{PIP} x y"),
        ("linux system ubuntu jammy", f"{PIP} -z x y"),
    ]


WRONG = [
    ("[tool.briefcase.app]\nfoo = 1\n", [(2, True)]),
    ('[tool.briefcase.app.foo]\nrequires = "a"\n', [(2, True)]),
    ('[tool.briefcase.app.foo.linux.system]\ndockerfile_extra_content = "RUN make"\n', [(2, False)]),
    ("[tool.briefcase.app.foo\n", [(1, True)]),
    ("[tool.briefcase]\n", []),
]


@pytest.mark.parametrize(("text", "expected"), WRONG)
def test_what_is_wrong_is_told(text: str, expected: list[tuple[int, bool]]) -> None:
    assert [(p.line, p.fatal) for p in read(text).problems] == expected


def test_sabotage(tmp_path: Path) -> None:
    from flagguard.config import load
    from flagguard.discover import Tree
    from flagguard.sabotage import run

    (tmp_path / PATH).write_text(FILE)
    rule = (
        'packs = []\n[baseline]\nlinux-x86_64 = "x86-64"\n[[rule]]\nid = "a"\ncommand = "pip install"\n'
        'where = { step = "linux system" }\nrequire = [{ flag = "--no-binary", value = ":all:" }]\n'
    )
    proof = run(Tree(tmp_path), load(SourceText("flagguard.toml", rule)).config, strict=True)
    assert proof.sites == 1
    assert {r.outcome.value for r in proof.results} <= {"caught", "stayed-clean", "skipped"}
    assert "caught" in {r.outcome.value for r in proof.results}
