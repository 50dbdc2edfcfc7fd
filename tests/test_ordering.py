"""Rules on jobs: `after`, `needs`, `status` (DESIGN 5)."""

from pathlib import Path

import pytest

from flagguard.checking import check
from flagguard.config import load
from flagguard.discover import Tree
from flagguard.text import SourceText

WORKFLOW = ".github/workflows/ci.yml"
ACTION = {"act/action.yml": "runs:\n  using: composite\n  steps:\n    - {run: setup now, shell: bash}\n"}


def findings(folder: Path, rule: str, files: dict[str, str]) -> list[tuple[int, str, str]]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    loaded = load(SourceText("flagguard.toml", f'packs = []\n[[rule]]\nid = "r"\n{rule}\n'))
    assert loaded.problems == ()
    tree = Tree(folder)
    report = check(tree, loaded.config, strict=True).report
    out = []
    for found in report.findings:
        source = tree.read(found.span.path) if found.span is not None else None
        line = source.position(found.span.start)[0] if source is not None and found.span is not None else 0
        out.append((line, found.verdict.value, found.message))
    return out


def job(*steps: str, more: str = "") -> str:
    lines = "".join(f"      - {step}\n" for step in steps)
    return f"on: [push, workflow_dispatch]\njobs:\n  j:\n    runs-on: macos-14\n{more}    steps:\n{lines}"


AFTER = 'command = "iron build"\nafter = "setup now"'
BESIDE = "`setup now` runs after this command, and not before it"
NOT_ALWAYS = "`setup now` does not run before this command in every course"


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (("run: setup now", "run: iron build"), None),
        (("run: setup now && iron build",), None),
        (("uses: ./act", "run: iron build"), None),
        (("run: iron build", "run: setup now"), "`setup now` runs after this command, and not before it"),
        (("run: iron build && setup now",), "`setup now` runs after this command, and not before it"),
        (("run: iron build", "uses: ./act"), "`setup now` runs after this command, and not before it"),
        (("run: setup later", "run: iron build"), "`setup now` does not run in this job"),
        (("run: echo setup now", "run: iron build"), "`setup now` does not run in this job"),
        (("{run: setup now, if: github.ref == 'x'}", "run: iron build"), NOT_ALWAYS),
        (("{run: setup now, if: false}", "run: iron build"), "`setup now` does not run in this job"),
        (("{run: setup now, if: github.ref == 'x'}", "{run: iron build, if: github.ref == 'x'}"), None),
        (("{run: setup now, if: github.event_name == 'push'}", "run: iron build"), NOT_ALWAYS),
        (("{run: setup now, background: true}", "run: iron build"), BESIDE),
        (("{run: setup now, background: true, id: s}", "wait: s", "run: iron build"), None),
        (("{run: setup now, background: true, id: s}", "run: iron build", "wait: s"), BESIDE),
        (("{run: iron build, background: true}", "run: setup now", "wait-all: "), BESIDE),
        (("run: setup now", "{run: iron build, background: true}"), None),
        (("parallel: [{run: setup now}, {run: iron build}]",), BESIDE),
        (("parallel: [{run: setup now}]", "run: iron build"), None),
        (("run: setup now", "parallel: [{run: x}, {run: iron build}]"), None),
        (("parallel: [{run: x}, {run: setup now && iron build}]",), None),
    ],
)
def test_after_asks_for_a_command_earlier_in_the_job(
    tmp_path: Path, steps: tuple[str, ...], expected: "str | None"
) -> None:
    found = findings(tmp_path, AFTER, {WORKFLOW: job(*steps), **ACTION})
    assert [message for _, _, message in found] == ([expected] if expected is not None else [])
    assert all(verdict == "missing" for _, verdict, _ in found)


def test_what_another_job_ran_is_not_before(tmp_path: Path) -> None:
    other = "  k:\n    runs-on: macos-14\n    steps:\n      - run: setup now\n"
    found = findings(tmp_path, AFTER, {WORKFLOW: job("run: iron build") + other})
    assert [line for line, _, _ in found] == [6]


def test_the_row_of_a_matrix_counts(tmp_path: Path) -> None:
    matrix = "    strategy: {matrix: {os: [macos-14, ubuntu-latest]}}\n"
    steps = ("{run: setup now, if: matrix.os == 'macos-14'}", "run: iron build ${{ matrix.os }}")
    found = findings(tmp_path, AFTER, {WORKFLOW: job(*steps, more=matrix)})
    assert len(found) == 1


NEEDS = 'command = "uses pypa/gh-action-pypi-publish"\nneeds = ["test-*"]'


def publish(needs: str, jobs: str = "") -> str:
    plain = "{runs-on: ubuntu-latest, steps: [{run: x}]}"
    mid = "{needs: [test-a, test-b], runs-on: x, steps: [{run: y}]}"
    steps = "    runs-on: ubuntu-latest\n    steps:\n      - uses: pypa/gh-action-pypi-publish@v1\n"
    others = f"  test-a: {plain}\n  test-b: {plain}\n  mid: {mid}\n"
    return f"on: push\njobs:\n{others}{jobs}  p:\n    needs: {needs}\n{steps}"


@pytest.mark.parametrize(
    ("needs", "expected"),
    [
        ("[test-a, test-b]", None),
        ("mid", None),
        ("[test-a]", "the job `p` does not wait for `test-b`: its `needs` do not reach it"),
        ("[]", "the job `p` does not wait for `test-a`: its `needs` do not reach it"),
    ],
)
def test_needs_asks_for_the_jobs_that_are_waited_for(tmp_path: Path, needs: str, expected: "str | None") -> None:
    found = findings(tmp_path, NEEDS, {WORKFLOW: publish(needs)})
    assert [message for _, _, message in found] == ([expected] if expected is not None else [])


def test_needs_of_jobs_that_are_not_there_is_a_finding(tmp_path: Path) -> None:
    found = findings(tmp_path, NEEDS.replace("test-*", "check-*"), {WORKFLOW: publish("mid")})
    assert [message for _, _, message in found] == ["no job of this workflow is `check-*`"]


STATUS = 'command = "cargo test"\nstatus = "honoured"'


@pytest.mark.parametrize(
    ("step", "ignored"),
    [
        ("run: cargo test", False),
        ("run: cargo test && echo done", False),
        ("run: cargo test || exit 1", False),
        ("run: cargo test || true", True),
        ("run: cargo test | tee log", True),
        ("{run: cargo test | tee log, shell: bash}", False),
        ("{run: cargo test, continue-on-error: true}", True),
    ],
)
def test_a_status_that_nobody_looks_at_is_a_finding(tmp_path: Path, step: str, ignored: bool) -> None:
    found = findings(tmp_path, STATUS, {WORKFLOW: job(step)})
    assert [message for _, _, message in found] == ["nobody notices when `cargo test` fails here"] * ignored


def test_a_recipe_is_a_job_of_its_own(tmp_path: Path) -> None:
    made = "all:\n\tsetup now\n\tiron build\nother:\n\tiron build\n"
    found = findings(tmp_path, AFTER, {"Makefile": made})
    assert [(line, message) for line, _, message in found] == [(5, "`setup now` does not run in this job")]


def test_an_exemption_speaks_of_these_as_well(tmp_path: Path) -> None:
    exempt = '\n[[exempt]]\nrule = "r"\nreason = "known"\nwhere = { job = "j" }'
    assert findings(tmp_path, STATUS + exempt, {WORKFLOW: job("run: cargo test || true")}) == []
