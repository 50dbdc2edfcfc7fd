"""uv's settings: https://docs.astral.sh/uv/reference/settings/"""

from pathlib import Path

import pytest

from flagguard.checking import check
from flagguard.config import load
from flagguard.discover import Tree
from flagguard.hosts import Setting, uv
from flagguard.text import SourceText

from .support import Memory

CASES = [
    ("no-build-isolation = true", ["uv:settings --no-build-isolation"]),
    ("no-build-isolation = false", []),
    ('no-build-isolation-package = ["a"]', ["uv:settings --no-build-isolation-package a"]),
    ('config-settings = { a = "b" }', ["uv:settings --config-setting a=b"]),
    ('config-settings = { a = ["b", "c"] }', ["uv:settings --config-setting a=b --config-setting a=c"]),
    ('config-settings-package = { p = { a = "b" } }', ["uv:settings --config-settings-package p:a=b"]),
    (
        'pip = { no-binary = ["a"], require-hashes = true }',
        ["uv:settings --require-hashes", "uv:settings --no-binary a"],
    ),
    ('extra-build-variables = { p = { CFLAGS = "-O3" } }', ["uv:extra-build-variables p [CFLAGS=-O3]"]),
    ('dev-dependencies = ["a"]', []),
]


def shown(path: str, text: str) -> list[str]:
    found = []
    for call in uv.read(SourceText(path, text), Setting(Memory({path: text}), ("linux-x86_64",))).calls:
        env = [f"{v.name}={v.value.text}" for v in call.env]
        found.append(" ".join(w.text for w in call.argv) + (f" [{' '.join(env)}]" if env else ""))
    return found


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_what_settings_stand_for(text: str, expected: list[str]) -> None:
    assert sorted(shown("uv.toml", f"{text}\n")) == sorted(expected)
    assert sorted(shown("pyproject.toml", f"[tool.uv]\n{text}\n")) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('config-settings = ["a=b"]', "config-settings"),
        ("config-settings = { a = { b = 1 } }", "config-settings.a"),
        ('config-settings-package = { p = ["a"] }', "config-settings-package.p"),
        ('extra-build-variables = { p = ["F=1"] }', "extra-build-variables.p"),
        ('extra-build-variables = { p = { F = ["1"] } }', "extra-build-variables.p.F"),
        ('no-binary-package = "a"', "no-binary-package"),
    ],
)
def test_a_setting_of_another_kind_is_told(text: str, key: str) -> None:
    for path, whole in (("uv.toml", f"{text}\n"), ("pyproject.toml", f"[tool.uv]\n{text}\n")):
        (problem,) = uv.read(SourceText(path, whole), Setting(Memory({}), ("linux-x86_64",))).problems
        assert (problem.key, problem.fatal) == (key, True)


RULE = """
packs = []
[[rule]]
id = "a"
command = "@build-tool"
forbid = [{ effective = "cpu", value = "native" }]
at-least = 0
"""
FLAGS = 'config-settings = { "cmake.args" = "-DCMAKE_CXX_FLAGS=-march=native" }\n'


def test_the_settings_of_one_package_hand_on_flags(tmp_path: Path) -> None:
    text = '[config-settings-package.p]\n"cmake.args" = "-DCMAKE_C_FLAGS=-march=native"\n'
    assert found(tmp_path, {"uv.toml": text}) == [("uv.toml", 2)]


def found(folder: Path, files: dict[str, str]) -> list[tuple[str, int]]:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    report = check(Tree(folder), load(SourceText("flagguard.toml", RULE)).config).report
    return sorted(
        {(f.span.path, (folder / f.span.path).read_text().count("\n", 0, f.span.start) + 1) for f in report.findings}
    )


CALLS: list[tuple[dict[str, str], list[tuple[str, int]]]] = [
    ({"uv.toml": FLAGS}, [("uv.toml", 1)]),
    ({"uv.toml": FLAGS, "a.sh": "uv sync\nuv build x\nuv cache clean\n"}, [("a.sh", 1), ("a.sh", 2)]),
    ({"uv.toml": FLAGS, "a.sh": "uv sync --no-config\n"}, [("uv.toml", 1)]),
    ({"pyproject.toml": f"[tool.uv.pip]\n{FLAGS}", "a.sh": "uv sync\nuv pip install .\n"}, [("a.sh", 2)]),
    # a `uv.toml` hides the settings of the `pyproject.toml` beside it
    (
        {"pyproject.toml": f"[tool.uv]\n{FLAGS}", "uv.toml": "offline = true\n", "a.sh": "uv sync\n"},
        [("pyproject.toml", 2)],
    ),
    ({"uv.toml": 'extra-build-variables = { p = { CFLAGS = "-march=native" } }\n'}, [("uv.toml", 1)]),
]


@pytest.mark.parametrize(("files", "expected"), CALLS)
def test_what_reaches_a_call(tmp_path: Path, files: dict[str, str], expected: list[tuple[str, int]]) -> None:
    assert found(tmp_path, files) == expected
