"""Where a command starts from: the root, the configuration, the paths that were asked for."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest

from flagguard.commands import RefusalError
from flagguard.commands.project import project
from flagguard.engine import FileCommands
from flagguard.text import Problem


def lay(root: Path, *names: str, **texts: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts.get(path.name, ""))
    return root


def options(*paths: str, config: str | None = None) -> argparse.Namespace:
    return argparse.Namespace(paths=list(paths), config=config)


def git(root: Path) -> None:
    subprocess.run(["git", "init", "-q", root], check=True)


@pytest.mark.parametrize(
    ("files", "repository", "start", "root", "config", "prefix"),
    [
        (["a/b/x.sh"], None, "a/b", "a/b", None, ""),
        (["a/b/x.sh"], "a", "a/b", "a", None, ""),
        (["a/flagguard.toml", "a/b/x.sh"], None, "a/b", "a", "flagguard.toml", ""),
        (["a/b/flagguard.toml"], "a", "a/b", "a/b", "flagguard.toml", "b/"),
        (["flagguard.toml", "a/b/x.sh"], "a", "a/b", "a", "../flagguard.toml", ""),
    ],
    ids=["nothing", "git alone", "configuration", "configuration in git", "configuration above git"],
)
def test_the_root_is_the_configuration_s_folder_and_never_above_the_repository(
    files: list[str],
    repository: str | None,
    start: str,
    root: str,
    config: str | None,
    prefix: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lay(tmp_path, *files)
    if repository:
        git(tmp_path / repository)
    monkeypatch.chdir(tmp_path / start)
    found = project(options())
    assert (found.root, found.config.path, found.prefix) == (tmp_path / root, config, prefix)


def test_a_pyproject_counts_only_where_it_speaks_of_flagguard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(tmp_path, "pyproject.toml", "sub/pyproject.toml")
    (tmp_path / "pyproject.toml").write_text("[tool.flagguard]\nexclude = ['x']\n")
    monkeypatch.chdir(tmp_path / "sub")
    found = project(options())
    assert (found.root, found.config.path, found.config.exclude) == (tmp_path, "pyproject.toml", ("x",))


def test_a_given_configuration_does_not_move_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(tmp_path, "other/mine.toml", "tree/x.sh", "tree/flagguard.toml")
    (tmp_path / "other/mine.toml").write_text("exclude = ['x']\n")
    monkeypatch.chdir(tmp_path / "tree")
    found = project(options(config="../other/mine.toml"))
    assert (found.root, found.config.path, found.config.exclude) == (tmp_path / "tree", "../other/mine.toml", ("x",))
    source = found.read("../other/mine.toml")
    assert source is not None
    assert source.text.startswith("exclude")


@pytest.mark.parametrize(
    ("start", "paths", "asked"),
    [
        (".", ["."], ()),
        (".", [], ()),
        (".", ["a", "b/y.sh", "./a/"], ("a", "b/y.sh")),
        ("a", ["x.sh"], ("a/x.sh",)),
        ("a", ["../b"], ("b",)),
        ("a", ["."], ("a",)),
        ("a", ["..", "x.sh"], ()),
    ],
)
def test_paths_count_from_the_working_directory(
    start: str, paths: list[str], asked: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(tmp_path, "flagguard.toml", "a/x.sh", "b/y.sh", "b/z.sh")
    monkeypatch.chdir(tmp_path / start)
    found = project(options(*paths))
    assert found.paths == asked
    assert project(options(*(os.path.abspath(p) for p in paths))).paths == asked


def test_a_path_that_git_ignores_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(tmp_path, ".gitignore", "out/x.sh", "a.sh")
    (tmp_path / ".gitignore").write_text("out\n")
    git(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RefusalError, match="out: nothing to read there"):
        project(options("out"))


def test_that_nothing_was_read_is_told_for_the_paths_that_were_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(tmp_path, "a/x.sh", "b/notes.txt")
    monkeypatch.chdir(tmp_path)
    files = (FileCommands("a/x.sh", ("shellscript",)),)
    assert project(options("a")).unread(f.path for f in files) == ()
    told = "nothing to read: no file in b is of a format that holds commands"
    assert project(options("b")).unread(f.path for f in files) == (Problem(".", 1, told),)


@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
def test_a_configuration_that_is_no_file_is_not_passed_over(kind: str, tmp_path: Path) -> None:
    (tmp_path / "build.sh").write_text("gcc -c a.c\n")
    place = tmp_path / "flagguard.toml"
    match kind:
        case "folder":
            place.mkdir()
        case "link":
            place.symlink_to("nowhere.toml")
        case _:
            os.mkfifo(place)
    words = [sys.executable, "-m", "flagguard", "check"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=20)
    assert done.returncode == 2
    assert "flagguard.toml: the configuration cannot be read: it is" in done.stderr + done.stdout
