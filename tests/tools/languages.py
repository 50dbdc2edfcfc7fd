"""What flagguard says of compilers of other languages, in the words that tests/corpus/language_grammar compares."""

import shlex
from collections.abc import Sequence

from tests.tools.support import LINUX, invocation

GCC = "cpu tune pic optimisation fast-math stack-protector code-model".split()
PROPERTIES = {
    "gfortran": GCC,
    "gdc": GCC,
    "gnatmake": "cpu pic optimisation fast-math stack-protector".split(),
    "nim": "cpu pic optimisation fast-math".split(),
    "ghc": ["cpu"],
    "fpc": ["cpu", "pic"],
}
"""The properties of each that can be compared."""
SOURCES = {"gfortran": "a.f90", "gdc": "a.d", "gnatmake": "a.adb", "nim": "a.nim", "ghc": "a.hs", "fpc": "a.pas"}


def says(tool: str, words: Sequence[str]) -> dict[str, str]:
    """The properties that the words set; those that are only defaults are not told."""
    return said(f"{tool} {shlex.join(words)}", PROPERTIES[tool])


def said(line: str, properties: Sequence[str]) -> dict[str, str]:
    found = invocation(line)
    out: dict[str, str] = {}
    for name in properties:
        effective = found.effective(name, LINUX)
        if effective.missing is not None:
            out[name] = "?"
        elif effective.value is not None:
            out[name] = effective.value.text
        if name == "cpu" and effective.changes:
            out["changes"] = " ".join(effective.changes)
    return out
