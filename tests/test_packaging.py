"""What is shipped: the wheel, the hooks of pre-commit, the one script that CI runs."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

from flagguard import __version__, packs
from flagguard.checking import check
from flagguard.config import Config, load
from flagguard.discover import Tree
from flagguard.text import SourceText

ROOT = Path(__file__).resolve().parents[1]
TEST_COMMAND = "python3 -m venv .venv && .venv/bin/pip install -q -e '.[dev]' && .venv/bin/pytest"


def run(*words: "str | os.PathLike[str]", cwd: Path) -> "subprocess.CompletedProcess[str]":
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "FLAGGUARD_TRACEBACK")}
    return subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout without the network."""
    pytest.importorskip("hatchling")
    out = tmp_path_factory.mktemp("wheel")
    built = run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT, cwd=out)
    assert built.returncode == 0, built.stdout + built.stderr
    (found,) = out.glob("flagguard-*.whl")
    return found


@pytest.mark.slow
def test_the_wheel_holds_the_package_with_its_data_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert wheel.name == f"flagguard-{__version__}-py3-none-any.whl"
    assert {name.split("/")[0] for name in names} == {"flagguard", f"flagguard-{__version__}.dist-info"}
    shipped = {f"flagguard/_rules/{path.name}" for path in (ROOT / "rules").glob("*.toml")}
    assert shipped
    data = {p.relative_to(ROOT).as_posix() for p in (ROOT / "flagguard").rglob("*") if p.suffix in (".py", ".toml")}
    assert shipped | data <= set(names)
    assert any(name.endswith("/licenses/LICENSE") for name in names)


@pytest.mark.slow
def test_the_wheel_runs_in_an_empty_environment_outside_of_the_checkout(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "venv"
    assert run(sys.executable, "-m", "venv", "--without-pip", home, cwd=tmp_path).returncode == 0
    python = home / "bin/python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel]
    installed = run(*pip, cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr
    # the dependencies come from the environment of the tests; its editable flagguard does not, for `.pth` files of an
    # added folder are not followed (site, "path configuration files")
    (site,) = home.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text("\n".join(p for p in sys.path if p.endswith("site-packages")) + "\n")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "build.sh").write_text("#!/bin/sh\nmojo build --target-cpu native x.mojo\ngcc -O2 -c x.c\n")

    tool = home / "bin/flagguard"
    where = run(python, "-c", "import flagguard; print(flagguard.__file__)", cwd=tree)
    assert where.stdout.strip() == str(site / "flagguard/__init__.py")
    assert run(tool, "--version", cwd=tree).stdout == f"flagguard {__version__}\n"
    listed = run(tool, "rules", cwd=tree)
    assert listed.returncode == 0, listed.stderr
    assert [name for name in packs.names() if f" {name}: " not in listed.stdout] == []
    checked = run(tool, "check", cwd=tree)
    assert (checked.returncode, checked.stderr) == (1, "")
    assert "build.sh:2:1: error[cpu-baseline/not-native]" in checked.stdout


def test_the_hooks_name_commands_that_exist_and_always_run() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert {hook["id"]: hook["entry"] for hook in hooks} == {
        "flagguard": "flagguard check",
        "flagguard-sabotage": "flagguard sabotage",
    }
    for hook in hooks:
        assert (hook["language"], hook["pass_filenames"], hook["always_run"]) == ("python", False, True)
        assert run(sys.executable, "-m", *hook["entry"].split(), "--help", cwd=ROOT).returncode == 0


def test_ci_runs_the_test_command_and_the_checks() -> None:
    script = (ROOT / ".ci/run").read_text()
    assert f"\n{TEST_COMMAND} || exit 1\n" in script
    for words in (
        "ruff check",
        "ruff format . --check",
        "mypy flagguard --strict",
        '"$flagguard" check',
        '"$flagguard" sabotage',
    ):
        assert words in script, words
    assert os.access(ROOT / ".ci/run", os.X_OK)
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    steps = workflow["jobs"]["check"]["steps"]
    assert [step["run"] for step in steps if "run" in step] == ["bash .ci/run"]


@pytest.fixture(scope="module")
def project() -> tuple[Tree, Config]:
    loaded = load(SourceText("flagguard.toml", (ROOT / "flagguard.toml").read_text()))
    assert loaded.problems == ()
    return Tree(ROOT), loaded.config


def test_the_project_holds_its_own_rules(project: tuple[Tree, Config]) -> None:
    report = check(*project, strict=True).report
    assert (report.findings, report.problems) == ((), ())
    assert report.summary.judged >= len(project[1].rules) - 1


@pytest.mark.parametrize(
    ("path", "old", "new", "rule"),
    [
        (".ci/run", " && .venv/bin/pytest", " # && .venv/bin/pytest", "the-tests-run"),
        (".ci/run", "'.[dev]'", ".", "dev-extras-are-installed"),
        (".ci/run", " --strict", "", "types-are-checked-strictly"),
        (".ci/run", " --check", "", "format-is-checked-not-changed"),
        (".github/workflows/ci.yml", "persist-credentials: false", "fetch-depth: 1", "checkout-keeps-no-credentials"),
    ],
)
def test_the_project_s_own_rules_can_fail(
    path: str, old: str, new: str, rule: str, project: tuple[Tree, Config]
) -> None:
    tree, config = project
    text = (ROOT / path).read_text()
    assert text.count(old) == 1
    assert [f.rule for f in check(tree.with_text(path, text.replace(old, new)), config).report.findings] == [rule]


def test_the_readme_gives_the_test_command() -> None:
    readme = (ROOT / "README.md").read_text()
    if not readme:
        pytest.skip("there is no README yet")
    assert TEST_COMMAND in readme


def test_dependencies_have_lower_bounds_and_the_licence_is_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    everything = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    assert [d for d in everything if not re.fullmatch(r"[a-z0-9-]+>=[0-9.]+", d)] == []
    assert project["license"] == "GPL-3.0-or-later"
    assert "GNU GENERAL PUBLIC LICENSE" in (ROOT / "LICENSE").read_text()


def test_no_file_is_too_long() -> None:
    long = {
        path.relative_to(ROOT).as_posix(): count
        for path in (ROOT / "flagguard").rglob("*.py")
        if (count := len(path.read_text().splitlines())) > 500
    }
    assert long == {}
