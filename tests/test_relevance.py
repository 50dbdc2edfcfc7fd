"""relevance: a variable is left out of a call only where nothing in the texts can ask for it."""

import ast
import re
from pathlib import Path

import pytest

import flagguard
from flagguard import relevance


@pytest.mark.parametrize(
    ("text", "name", "told"),
    [
        ("echo $FLAGS", "FLAGS", True),
        ("echo $FLAGS", "LAGS", False),
        ("echo $FLAGS_A", "FLAGS", False),
        ("# FLAGS are not used", "FLAGS", True),
        ("x=${kind}_FLAGS", "C_FLAGS", True),
        ("$(CCOPT_$(ARCH))", "CCOPT_x86", True),
        ("$(CCOPT_$(ARCH))", "CCOPS_x86", False),
        ("echo $(uname)_x", "A_x", True),
        ("echo ${!C@}", "CI", True),
        ("compgen -v X", "CI", True),
    ],
)
def test_named(text: str, name: str, told: bool) -> None:
    assert relevance.named(text)(name) is told


_DATA = {"ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_EVALUATED = ("shell", "make", "make/functions", "hosts/shellscript.py", "hosts/makefile.py", "hosts/shells.py")


def test_every_variable_that_the_code_asks_for_is_kept() -> None:
    """`.get("NAME")` of the shell's and make's own code: a script need not name what they look for."""
    root = Path(flagguard.__file__).parent
    asked: set[str] = set()
    for part in _EVALUATED:
        for file in (root / part).glob("*.py") if (root / part).is_dir() else [root / part]:
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                    first = node.args[0]
                    if node.func.attr in ("get", "value", "var", "lookup", "known") and isinstance(first, ast.Constant):
                        asked.add(str(first.value))
    names = {name for name in asked if re.fullmatch(r"[A-Z][A-Z0-9_]+", name)} - _DATA
    assert len(names) > 10
    assert names <= relevance.of_calls()
