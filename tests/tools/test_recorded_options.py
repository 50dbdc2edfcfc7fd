"""Generated command lines with the answers that the compilers confirmed (tests/corpus/option_grammar)."""

import json
import shlex
from collections import Counter
from pathlib import Path

import pytest

from .support import LINUX, invocation

Row = tuple[str, list[str], dict[str, str], dict[str, str], dict[str, str]]
"""Compiler, words, environment, files; the properties (for go, the flags) that are said, in flagguard's words."""

ROWS: list[Row] = json.loads(Path(__file__).with_name("options_recorded.json").read_text())
COMPILERS = ("gcc", "gxx", "clang", "rustc", "mojo", "zig", "go")
PROPERTIES = (
    "cpu tune pic optimisation fast-math fortify stack-protector lto debug exceptions sanitize code-model prefix-map "
    "sysroot"
).split()
LEADS = {"gxx": "g++", "mojo": "mojo build", "zig": "zig build-exe", "go": "go build"}


def said(row: Row) -> dict[str, str]:
    """What flagguard says of the line, of the same names as the recorded answer and of all others."""
    compiler, words, env, files, recorded = row
    source = {"gcc": ["p.c"], "gxx": ["p.c"], "clang": ["p.c"], "rustc": ["p.rs"], "zig": ["p.zig"]}.get(compiler, [])
    line = f"{LEADS.get(compiler, compiler)} {shlex.join([*words, *source])}"
    found = invocation(line, env, files=files)
    out: dict[str, str] = {}
    if compiler == "go":
        level = found.effective("cpu", LINUX).value
        out["level"] = level.shown if level is not None else ""
        for flag in ("-trimpath", "-ldflags", "-gcflags", "-buildmode", "-race", "-tags", "-o", "-a"):
            options = [o for o in found.counting(flag) if not o.turned_off]
            value = options[-1].value if options else None
            out[flag] = value.text if value is not None else "on" if options else ""
        return {name: value for name, value in out.items() if value}
    named = PROPERTIES if compiler in ("gcc", "gxx", "clang") else [n for n in PROPERTIES if n in MEASURED[compiler]]
    for name in named:
        effective = found.effective(name, LINUX)
        if effective.value is not None and effective.value.text:
            out[name] = effective.value.text
        if name == "cpu" and effective.changes:
            out["changes"] = " ".join(effective.changes)
    del recorded
    return out


MEASURED = {
    "rustc": frozenset("cpu optimisation pic debug exceptions code-model".split()),
    "mojo": frozenset({"cpu"}),
    "zig": frozenset("cpu optimisation pic".split()),
}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_answers_are_those_that_the_compiler_confirmed(compiler: str) -> None:
    rows = [row for row in ROWS if row[0] == compiler]
    wrong = [(*row, said(row)) for row in rows if said(row) != row[4]]
    assert len(rows) >= 40
    assert wrong == []


def test_every_property_is_said_often() -> None:
    counts = Counter(name for row in ROWS for name in row[4])
    assert all(counts[name] >= 10 for name in PROPERTIES)
