"""Generated command lines of cmake, cargo, nvcc, ldc2, with what their compilers got (tests/corpus/builder_grammar)."""

import json
from pathlib import Path

import pytest

from .builders import builder_says

Row = tuple[str, list[str], dict[str, str], dict[str, str]]
"""Tool, words, environment; the properties that the compiler's own command line has."""

ROWS: list[Row] = json.loads(Path(__file__).with_name("builders_recorded.json").read_text())
TOOLS = ("cmake", "cargo", "nvcc", "ldc2")


@pytest.mark.parametrize("tool", TOOLS)
def test_what_the_compiler_gets_is_what_is_said(tool: str) -> None:
    rows = [row for row in ROWS if row[0] == tool]
    wrong = [(*row, said) for row in rows if (said := builder_says(tool, row[1], row[2])) != row[3]]
    assert len([row for row in rows if row[3]]) >= 20
    assert wrong == []


MEASURED = [
    # what comes behind what, seen in the words that the compiler was given
    ("cargo", ["build", "--config", "target.'cfg(unix)'.rustflags=['-Ctarget-cpu=haswell']", "--config",
               "target.x86_64-unknown-linux-gnu.rustflags=['-Ctarget-cpu=znver2']"], {"cpu": "haswell"}),
    ("cmake", ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-march=znver2", "-DCMAKE_C_FLAGS=-march=haswell"],
     {"cpu": "znver2"}),
    ("cmake", ["-B", "b", "-DCMAKE_C_FLAGS=-fno-pic", "-DCMAKE_POSITION_INDEPENDENT_CODE=yes"], {"pic": "-fPIC"}),
    ("cmake", ["-DCMAKE_POSITION_INDEPENDENT_CODE=ON", "-DCMAKE_POSITION_INDEPENDENT_CODE=0"], {}),
    ("cmake", ["-DGGML_NATIVE=ON", "-DGGML_NATIVE=OFF"], {}),
    ("nvcc", ["-Xcompiler", "'-march=znver2'"], {"cpu": "znver2"}),
    ("nvcc", ["-Xcompiler", '"-fPIC",-march=haswell'], {"cpu": "haswell", "pic": "-fPIC"}),
    ("ldc2", ["-I", "-mcpu=native"], {}),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "words", "said"), MEASURED)
def test_what_was_measured(tool: str, words: list[str], said: dict[str, str]) -> None:
    assert builder_says(tool, words, {}) == said
