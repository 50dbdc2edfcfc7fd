"""What flagguard says of tools that start compilers, and of the compilers that they start, in the same words."""

import shlex
from collections.abc import Mapping, Sequence

from tests.tools.support import LINUX, invocation

PROPERTIES = {
    "cmake": "cpu pic fast-math stack-protector lto optimisation debug fortify".split(),
    "cargo": "cpu pic optimisation exceptions".split(),
    "nvcc": "cpu pic fortify stack-protector lto".split(),
    "ldc2": ["cpu"],
}
_AS_NOTHING = frozenset({"", "none", "off", "0"})
"""What a compiler does as well when it is told nothing: a builder may say it, and pass no option."""
_LEADS = {"nvcc": "nvcc -c", "ldc2": "ldc2 -c"}
_SOURCES = {"nvcc": "x.cu", "ldc2": "x.d"}


def builder_says(tool: str, words: Sequence[str], env: Mapping[str, str]) -> dict[str, str]:
    """The properties that are said; those that are only defaults are not."""
    line = f"{_LEADS.get(tool, tool)} {shlex.join([*words])} {_SOURCES.get(tool, '')}"
    return _said(tool, line, env)


def compiler_says(tool: str, argv: Sequence[str]) -> dict[str, str]:
    """The same of the command line of the compiler; for ldc2, of what its output says."""
    if tool != "ldc2":
        return _said(tool, shlex.join(argv), {})
    cpu, features = argv[1:]
    said = {"cpu": cpu} if cpu != "x86-64" else {}
    changes = _last([f for f in features.split(",") if f not in ("", "+cx16")])  # ldc2 has that on every x86-64
    return said | ({"changes": " ".join(changes)} if changes else {})


def _last(changes: Sequence[str]) -> list[str]:
    """Each feature as the last switch leaves it."""
    return sorted({change[1:]: change for change in changes}.values())


def _said(tool: str, line: str, env: Mapping[str, str]) -> dict[str, str]:
    found = invocation(line, env)
    out: dict[str, str] = {}
    for name in PROPERTIES[tool]:
        effective = found.effective(name, LINUX)
        if effective.missing is not None:
            out[name] = "?"
        elif effective.value is not None and effective.value.text not in _AS_NOTHING:
            out[name] = effective.value.text
        if name == "cpu" and effective.changes:
            out["changes"] = " ".join(effective.changes if tool != "ldc2" else _last(effective.changes))
    return out
