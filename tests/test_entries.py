"""`where.from`, `commands --from` and `commands --unreached`: what an entry point reaches."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from flagguard import cli
from flagguard.config import load
from flagguard.discover import Tree
from flagguard.engine import collect
from flagguard.entries import names
from flagguard.sabotage import run as prove
from flagguard.text import SourceText

MAKEFILE = (
    "all: lib\n\tgcc -c all.c\nlib: obj\n\tgcc -c lib.c\nobj:\n\tgcc -c obj.c\n"
    "dist: lib\n\tgcc -c dist.c\n\t./scripts/x.sh\nbench:\n\tgcc -march=native -c bench.c\n"
)
WORKFLOW = "on: push\njobs:\n  {job}:\n    runs-on: ubuntu-latest\n    steps:\n      - run: {run}\n"
FILES = {
    "Makefile": MAKEFILE,
    "scripts/x.sh": "#!/bin/sh\ngcc -c x.c\n",
    "tools/own.sh": "#!/bin/sh\ngcc -c own.c\n",
    ".github/workflows/release.yml": WORKFLOW.format(job="build", run="make dist")
    + "  publish:\n    needs: build\n    runs-on: ubuntu-latest\n    steps:\n      - run: gcc -c publish.c\n",
    ".github/workflows/ci.yml": WORKFLOW.format(job="t", run="make all"),
    "pyproject.toml": '[tool.poe.tasks]\na = "gcc -c a.c"\nb = ["a", "c"]\nc = {shell = "gcc -c c.c"}\n',
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def rule(entry: str, **more: str) -> SourceText:
    lines = ["packs = []", "[[rule]]", "id = 'a'", "command = 'gcc'", f"where = {{ from = {entry!r} }}"]
    return SourceText("flagguard.toml", "\n".join([*lines, *(f"{k} = {v}" for k, v in more.items())]) + "\n")


@pytest.mark.parametrize(
    ("entry", "reached"),
    [
        ("release.yml", "dist lib obj publish x"),
        (".github/workflows/release.yml", "dist lib obj publish x"),
        ("release.yml:publish", "publish"),
        ("release.yml:b*", "dist lib obj x"),
        ("ci.yml", "all lib obj"),
        # prerequisites of a target, whoever asks for it
        ("Makefile:dist", "dist lib lib obj obj x"),
        ("Makefile:lib", "lib lib obj obj"),
        ("Makefile:bench", "bench"),
        ("pyproject.toml:b", "a c"),
        ("pyproject.toml:c", "c"),
        ("scripts/x.sh", "x"),
        ("*.sh", "own x"),
        ("gone.yml", ""),
    ],
)
def test_what_an_entry_reaches(tree: Path, entry: str, reached: str) -> None:
    config = load(rule(entry, never="true")).config
    files = collect(Tree(tree), config, strict=True)
    found = [c.shown[-1] for f in files for c in f.commands if c.entries and c.shown[0] == "gcc"]
    assert sorted(found) == [f"{name}.c" for name in reached.split()]


@pytest.mark.parametrize(
    ("entry", "path", "named"),
    [
        ("release.yml", ".github/workflows/release.yml", True),
        ("release.yml:x", "release.yml", True),
        ("a/release.yml", "b/a/release.yml", False),
        ("**/release.yml", "b/a/release.yml", True),
        ("release.yml", "prerelease.yml", False),
    ],
)
def test_the_file_of_an_entry(entry: str, path: str, named: bool) -> None:
    assert names(entry, path) is named


Call = Callable[..., tuple[int, str]]


@pytest.fixture
def call(tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*words: str) -> tuple[int, str]:
        monkeypatch.chdir(tree)
        monkeypatch.setenv("FLAGGUARD_TRACEBACK", "1")
        status = cli.main(list(words))
        out, err = capsys.readouterr()
        return status, out + err

    return run


def listed(out: str) -> list[str]:
    return sorted(c["argv"][-1] for c in json.loads(out)["commands"] if c["program"] == "gcc")


def test_a_host_tuned_benchmark_stays_legal_and_a_shipped_build_does_not(tree: Path, call: Call) -> None:
    forbid = "[{ effective = 'cpu', value = 'native' }]"
    (tree / "flagguard.toml").write_text(rule("release.yml", forbid=forbid).text)
    assert call("check", "--no-cache")[0] == 0
    (tree / "Makefile").write_text(MAKEFILE.replace("gcc -c lib.c", "gcc -march=native -c lib.c"))
    status, out = call("check", "--no-cache")
    assert status == 1
    assert out.startswith("Makefile:4:2: error[a]: ")
    assert "1 error," in out


def test_the_cache_sees_that_an_entry_reaches_something_else(tree: Path, call: Call) -> None:
    (tree / "flagguard.toml").write_text(rule("Makefile:dist", forbid="['-march']").text)
    assert call("check")[0] == 0
    (tree / "Makefile").write_text(MAKEFILE.replace("dist: lib", "dist: lib bench"))
    assert call("check")[0] == 1


def test_an_entry_that_is_no_file_is_told(tree: Path, call: Call) -> None:
    (tree / "flagguard.toml").write_text(rule("relaese.yml", forbid="['-march']", **{"at-least": "0"}).text)
    status, out = call("check", "--no-cache")
    assert status == 2
    assert "flagguard.toml:3: problem: where.from: no file that holds commands is `relaese.yml`" in out


def test_an_exemption_from_an_entry(tree: Path, call: Call) -> None:
    exempt = "[[exempt]]\nrule = 'a'\nwhere = { from = 'Makefile:bench' }\nreason = 'tuned'\n"
    text = "packs = []\n[[rule]]\nid = 'a'\ncommand = 'gcc'\nforbid = ['-march']\n" + exempt
    (tree / "flagguard.toml").write_text(text)
    status, out = call("check", "--no-cache")
    assert (status, out.splitlines()[-1].rpartition(" ")[0].rpartition(" ")[2]) == (0, "1")


def test_sabotage_proves_a_rule_with_from(tree: Path) -> None:
    config = load(rule("release.yml:publish", require="['-c']")).config
    proof = prove(Tree(tree), config, strict=True)
    assert (proof.status, proof.score) == (0, 100)
    assert {result.path for result in proof.results if result.path.startswith(".")} == {".github/workflows/release.yml"}


def test_sabotage_of_a_file_that_calls_nothing(tmp_path: Path) -> None:
    path = tmp_path / ".github/workflows/release.yml"
    path.parent.mkdir(parents=True)
    path.write_text(WORKFLOW.format(job="build", run="gcc -c a.c"))
    proof = prove(Tree(tmp_path), load(rule("release.yml", require="['-c']")).config, strict=True)
    assert (proof.status, proof.score) == (0, 100)


def test_commands_from_an_entry(call: Call) -> None:
    status, out = call("commands", "--format", "json", "--from", "release.yml:publish", "--from", "pyproject.toml:c")
    assert (status, listed(out)) == (0, ["c.c", "publish.c"])
    status, out = call("commands", "--from", "gone.yml")
    assert status == 2
    assert "--from: no file that holds commands is `gone.yml`" in out


def test_what_no_pipeline_reaches(tree: Path, call: Call) -> None:
    status, out = call("commands", "--unreached", "--format", "json")
    assert (status, listed(out)) == (0, ["a.c", "bench.c", "c.c", "own.c"])
    (tree / "flagguard.toml").write_text(rule("pyproject.toml:b", never="true").text)
    assert listed(call("commands", "--unreached", "--format", "json")[1]) == ["bench.c", "own.c"]
