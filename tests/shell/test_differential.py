"""flagguard's argv and environment against what real bash and dash pass to the programs they start."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from agreement import disagreements
from generate import scripts
from hypothesis import HealthCheck, Phase, given, settings
from oracle import FILES, Toolbox
from written_cases import Case, all_cases

pytestmark = pytest.mark.skipif(not (shutil.which("bash") and shutil.which("dash")), reason="needs bash and dash")

CASES = all_cases()
EXAMPLES = int(os.environ.get("FLAGGUARD_SHELL_EXAMPLES", "150"))
OPEN = frozenset((Path(__file__).parent / "open.txt").read_text().split())
"""Written scripts on which the two still differ; one that agrees has to leave the list."""


@pytest.fixture(scope="module")
def toolbox(tmp_path_factory: pytest.TempPathFactory) -> Toolbox:
    return Toolbox(tmp_path_factory.mktemp("oracle"))


def _cases() -> Iterator[object]:
    for case in CASES:
        marks = [pytest.mark.xfail(strict=True)] if case.name in OPEN else []
        yield pytest.param(case, id=case.name, marks=marks)


@pytest.mark.parametrize("case", list(_cases()))
def test_written_script_agrees(case: Case, toolbox: Toolbox) -> None:
    found = disagreements(case, toolbox)
    assert not found, "\n" + "\n".join(map(str, found))


def test_generated_scripts_agree(toolbox: Toolbox) -> None:
    """Only finds; `fuzz.py` makes what it finds small."""

    @settings(
        derandomize=EXAMPLES == 150,
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(scripts())
    def agree(case: Case) -> None:
        found = disagreements(case, toolbox)
        assert not found, "\n" + "\n".join(map(str, found))

    agree()


def test_names_are_unique() -> None:
    names = [case.name for case in CASES]
    assert sorted(names) == sorted(set(names))
    assert set(names) >= OPEN


def test_recorder_tells_argv_and_environment(toolbox: Toolbox) -> None:
    script = b"export A='x y'\nB=2 gcc 'a  b' \"\" $(uname -m)\nsudo make\ntest-tool || gcc c\n"
    for shell in ("bash", "dash"):
        run = toolbox.run(shell, script, "macos-arm64", exits={"test-tool": 1})
        assert [r.argv for r in run.records] == [
            ("gcc", "a  b", "", "arm64"),
            ("make",),
            ("test-tool",),
            ("gcc", "c"),
        ]
        assert (run.records[0].env["A"], run.records[0].env["B"]) == ("x y", "2")
        assert "A" not in run.records[1].env


def test_recorder_starts_each_script_in_a_clean_folder(toolbox: Toolbox) -> None:
    toolbox.run(
        "bash", b"echo x >left; command -p mkdir -p deep/er; echo y >deep/er/z; echo >main.c; command -p rm util.c\n"
    )
    toolbox.run("bash", b"")
    found = sorted(
        str(p.relative_to(toolbox.work)) for p in toolbox.work.rglob("*") if p.is_file() and not p.is_symlink()
    )
    assert found == ["build.sh", *sorted(FILES)]
    assert {name: (toolbox.work / name).read_text() for name in FILES} == FILES


def test_recorder_needs_no_compiler(tmp_path: Path) -> None:
    toolbox = Toolbox(tmp_path / "box", compiler="")
    run = toolbox.run("dash", b"A='x y' gcc 'a\nb' \"'\"\nmake ''\n", exits={"make": 3})
    assert [r.argv for r in run.records] == [("gcc", "a\nb", "'"), ("make", "")]
    assert run.records[0].env["A"] == "x y"
    assert run.status == 3


def test_recorder_stops_at_the_limit(toolbox: Toolbox) -> None:
    assert toolbox.run("dash", b"while :; do :; done\n", limit=0.2).status is None
