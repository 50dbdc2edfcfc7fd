"""Formats that are told by their path: which module reads which files, and what whole trees of them come to."""

import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from flagguard.config import load
from flagguard.discover import Tree
from flagguard.engine import collect
from flagguard.hosts import by_path
from flagguard.text import SourceText

PATHS = [
    (".buildkite/pipeline.yml", ["buildkite"]),
    (".buildkite/sub/x.json", ["buildkite"]),
    (".travis.yml", ["travis"]),
    ("travis.yml", []),
    (".cirrus.yml", ["cirrus"]),
    (".woodpecker.yml", ["woodpecker"]),
    (".woodpecker/build.yaml", ["woodpecker"]),
    (".drone.yml", ["woodpecker"]),
    ("bitbucket-pipelines.yml", ["bitbucket"]),
    ("appveyor.yml", ["appveyor"]),
    (".appveyor.yml", ["appveyor"]),
    ("Jenkinsfile", ["jenkins"]),
    ("ci/Jenkinsfile.release", ["jenkins"]),
    ("build.jenkinsfile", ["jenkins"]),
    ("Jenkinsfiles/x.txt", []),
    ("compose.yml", ["compose"]),
    ("docker-compose.override.yaml", ["compose"]),
    ("decompose.yml", []),
    ("docker-bake.hcl", ["bake"]),
    ("docker-bake.override.json", ["bake"]),
    ("main.hcl", []),
    (".devcontainer/devcontainer.json", ["devcontainer"]),
    (".devcontainer/x/devcontainer.json", ["devcontainer"]),
    (".devcontainer.json", ["devcontainer"]),
    ("cibuildwheel.toml", ["cibuildwheel"]),
    ("settings.json", []),
    ("recipe/meta.yaml", ["conda"]),
    ("recipe.yaml", ["conda"]),
    ("foo.spec", ["rpmspec"]),
    ("packaging/foo.spec.in", ["rpmspec"]),
    ("PKGBUILD", ["pkgbuild"]),
    ("x/APKBUILD", ["apkbuild"]),
    ("Formula/f/foo.rb", ["homebrew"]),
    ("foo.rb", ["homebrew"]),
    ("lib/foo.rb", []),
    ("pkgs/default.nix", ["nix"]),
    ("ports/x/portfile.cmake", ["cmake"]),
]


@pytest.mark.parametrize(("path", "hosts"), PATHS)
def test_which_files_are_read(path: str, hosts: list[str]) -> None:
    assert [host.NAME for host in by_path.claiming(path)] == hosts


def test_each_has_a_module_of_its_name_or_a_table() -> None:
    from flagguard.hosts import listed as listed_

    with (Path(listed_.__file__).parent / "data" / "listed.toml").open("rb") as file:
        tables = tomllib.load(file)
    for host in by_path.HOSTS:
        assert host.NAME in tables or import_module(f"flagguard.hosts.{host.NAME}").NAME == host.NAME


def listed(folder: Path, files: dict[str, str], extra: str = "") -> list[str]:
    """The commands of a tree: `FILE:LINE ARGV`."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    tree = Tree(folder)
    config = load(SourceText("flagguard.toml", f"packs = []\n{extra}")).config
    found = []
    for file in collect(tree, config, strict=True):
        for command in file.commands:
            line = files[command.span.path].count("\n", 0, command.span.start) + 1
            found.append(f"{command.span.path}:{line} {' '.join(command.shown)}")
    return sorted(found)


def test_what_is_included_is_there_once(tmp_path: Path) -> None:
    files = {
        ".gitlab-ci.yml": "include: ci/a.gitlab-ci.yml\nvariables: {F: x}\n",
        "ci/a.gitlab-ci.yml": "j: {script: cc $F}\n",
    }
    assert listed(tmp_path, files) == ["ci/a.gitlab-ci.yml:1 cc x"]


def test_a_template_that_is_used_is_there_as_it_is_used(tmp_path: Path) -> None:
    files = {
        "azure-pipelines.yml": "steps: [{template: .azure-pipelines/t.yml, parameters: {p: v2}}]\n",
        ".azure-pipelines/t.yml": "parameters: [{name: p}]\nsteps:\n- script: cc ${{ parameters.p }}\n",
    }
    assert listed(tmp_path, files) == [".azure-pipelines/t.yml:3 cc v2"]


def test_a_dockerfile_that_compose_builds_is_judged_with_its_arguments(tmp_path: Path) -> None:
    files = {
        "compose.yml": "services: {a: {build: {context: ., args: {C: v2}}}}\n",
        "Dockerfile": "FROM x\nARG C=v1\nRUN cc -m$C\n",
    }
    assert {"Dockerfile:3 cc -mv2", "compose.yml:1 docker build --build-arg C=v2 ."} <= set(listed(tmp_path, files))


def test_a_script_that_a_job_calls_sees_its_variables(tmp_path: Path) -> None:
    files = {".gitlab-ci.yml": "j: {variables: {F: -O2}, script: ./b.sh a}\n", "b.sh": "#!/bin/sh\ncc $F $1\n"}
    assert listed(tmp_path, files) == [".gitlab-ci.yml:1 ./b.sh a", "b.sh:2 cc -O2 a"]


def test_what_is_excluded_is_not_read(tmp_path: Path) -> None:
    files = {"a/.gitlab-ci.yml": "j: {script: cc a}\n", "b/.gitlab-ci.yml": "j: {script: cc b}\n"}
    assert listed(tmp_path, files, 'exclude = ["a/**"]') == ["b/.gitlab-ci.yml:1 cc b"]
