"""The written makefiles: what flagguard expands each recipe to is what real make would run, as it was recorded.

`python -m tests.make.test_written` records anew with the make that is installed.
"""

import json
import shutil
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from . import written, written_rules
from .judge import agree, ours, real
from .written import Case

RECORDED = Path(__file__).with_name("recorded.json")
GROUPS: dict[str, Mapping[str, Case]] = {
    "text functions": written.TEXT_FUNCTIONS,
    "control functions": written.CONTROL_FUNCTIONS,
    "variables": written.VARIABLES,
    "conditionals": written.CONDITIONALS,
    "target variables": written.TARGET_VARIABLES,
    "rules": written_rules.RULES,
    "implicit rules": written_rules.IMPLICIT,
    "recipes": written_rules.RECIPES,
    "includes": written_rules.INCLUDES,
}
CASES = {f"{group}: {name}": case for group, cases in GROUPS.items() for name, case in cases.items()}
ANSWERS: dict[str, list[str]] = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}


@pytest.mark.parametrize("name", CASES)
def test_recipes_expand_as_make_expanded_them(name: str) -> None:
    case = CASES[name]
    files = {"Makefile": case.makefile, **case.files}
    texts = ours(files, case.goals, case.overrides, case.environment, case.options)
    assert agree(texts, ANSWERS[name]), ([t.shown for t in texts], ANSWERS[name])


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
def test_what_is_recorded_is_what_make_says() -> None:
    assert asked() == ANSWERS


def asked() -> dict[str, list[str]]:
    """What real make says of every case."""
    with ThreadPoolExecutor(4) as pool:
        return dict(zip(CASES, pool.map(_ask, CASES.values()), strict=True))


def _ask(case: Case) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        files = {"Makefile": case.makefile, **case.files}
        return real(Path(folder), files, case.goals, case.overrides, case.environment, case.options)


if __name__ == "__main__":
    RECORDED.write_text(json.dumps(asked(), indent=0, ensure_ascii=False) + "\n")
    sys.exit()
