"""Generated command lines of compilers of other languages, as they were compared (tests/corpus/language_grammar)."""

import json
from pathlib import Path

import pytest

from .languages import PROPERTIES, says

Row = tuple[str, list[str], dict[str, str]]
"""Tool, words; what is said of them, which was compared with what the compiler does."""

ROWS: list[Row] = json.loads(Path(__file__).with_name("languages_recorded.json").read_text())


@pytest.mark.parametrize("tool", PROPERTIES)
def test_what_is_said_is_what_was_compared(tool: str) -> None:
    rows = [row for row in ROWS if row[0] == tool]
    wrong = [(*row, found) for row in rows if (found := says(tool, row[1])) != row[2]]
    assert len(rows) >= 30
    assert wrong == []


MEASURED = [
    # GNAT 12, Nim 1.6: what goes to the linker and the binder says nothing of how files are compiled
    ("gnatmake", ["a.adb", "-largs", "-march=znver2"], {}),
    ("gnatmake", ["a.adb", "-largs", "-O2", "-cargs", "-march=haswell"], {"cpu": "haswell"}),
    ("nim", ["c", "--passL:-march=znver2"], {}),
    ("nim", ["c", "--passC:-O1", "-d:release", "--opt:size"], {"optimisation": "-Os"}),
    ("nim", ["c", "--opt:size", "-d:release"], {"optimisation": "-Os"}),
    ("nim", ["c", "-d:release", "--passC:-O1"], {"optimisation": "-O3"}),
    # GHC 9.0: the macros __AVX2__ and __SSE4_2__; Free Pascal 3.2: CPUCOREAVX2, FPUSSE41
    ("ghc", ["-mavx2", "-optl-march=znver2"], {"changes": "+avx2"}),
    ("fpc", ["-CpCOREAVX2", "-CfSSE41", "-OpCOREI"], {"cpu": "haswell", "changes": "+sse4.1"}),
]


@pytest.mark.parametrize(("tool", "words", "said"), MEASURED)
def test_measured_lines(tool: str, words: list[str], said: dict[str, str]) -> None:
    assert says(tool, words) == said
