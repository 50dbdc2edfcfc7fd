"""Ways to write a command, in every form of a file, with something around it: all is caught, nothing is flagged."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from flagguard.sabotage import Outcome
from tests.sabotage.support import prove

RULES = """packs = []
[baseline]
linux-x86_64 = "x86-64-v2"
[[rule]]
id      = "pinned"
command = ["mojo build", "mojo run"]
require = [{ flag = ["--target-cpu", "--mcpu"], at-most = "baseline" }]
"""
COMMANDS = (
    "mojo build --target-cpu x86-64-v2 -I src a.mojo -o a",
    "mojo build -I src --target-cpu=x86-64-v2 a.mojo",
    'mojo build -I src "--target-cpu" "x86-64-v2" a.mojo',
    "mojo build -I src --target-cpu 'x86-64-v2' a.mojo",
    "mojo build a.mojo --target-cpu x86-64-v2",
    "mojo run --mcpu x86-64-v2 a.mojo --target-cpu native",
)
AROUND = (
    "{}", "uv run {}", "sudo {}", "A=b {}", "env A=b {}", "{} || exit 1", "ls && {}", "( {} )", "! {}", "{} | tee log",
    "if {}; then ls; fi", "for f in a b; do {}; done", "x=$({})", "{} 2>&1", "{}  # --target-cpu native", "time {}",
)  # fmt: skip
WORKFLOW = "jobs:\n  b:\n    runs-on: ubuntu-latest\n    steps:\n      - run: "


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def forms(line: str) -> Iterator[dict[str, str]]:
    yield {"a.sh": f"#!/bin/bash\nset -e\n{line}\n"}
    yield {"a.sh": "#!/bin/bash\n" + line.replace(" -I", " \\\n  -I")}
    yield {"pyproject.toml": f"[tool.poe.tasks.t]\nshell = '''\n{line}\n'''\n"}
    yield {"pyproject.toml": f'[tool.poe.tasks.t]\nshell = """\n{line}\n"""\n'}
    yield {"pyproject.toml": f'[tool.poe.tasks]\nt = {{ shell = "{escaped(line)}" }}\n'}
    yield {".github/workflows/w.yml": f"{WORKFLOW}|\n          {line}\n"}
    yield {".github/workflows/w.yml": f'{WORKFLOW}"{escaped(line)}"\n'}
    yield {".github/workflows/w.yml": WORKFLOW + "'" + line.replace("'", "''") + "'\n"}
    yield {"Makefile": "all:\n\t@" + line.replace("$", "$$") + "\n"}
    yield {"Makefile": "all:\n\t" + line.replace("$", "$$").replace(" -I", " \\\n\t  -I") + "\n"}


def grid() -> Iterator[tuple[str, dict[str, str]]]:
    """Each form with each command, each time with something else around it."""
    number = 0
    for command in COMMANDS:
        for form in range(10):
            line = AROUND[number % len(AROUND)].format(command)
            yield line, list(forms(line))[form]
            number += 3


@pytest.mark.parametrize(("line", "files"), list(grid()))
def test_all_is_caught_and_nothing_is_flagged(tmp_path: Path, line: str, files: dict[str, str]) -> None:
    proof = prove(tmp_path, RULES, files)
    assert proof.clean.status == 0
    wrong = {(r.operator.value, r.outcome.value, r.detail) for r in proof.results if r.fails}
    assert wrong == set()
    came = {r.outcome for r in proof.results}
    assert came <= {Outcome.CAUGHT, Outcome.STAYED_CLEAN, Outcome.SKIPPED}
    caught = {r.operator.value for r in proof.results if r.outcome is Outcome.CAUGHT}
    assert caught >= {"drop-flag", "set-value-native", "drop-value"}
    assert (proof.status, proof.score) == (0, 100.0)
