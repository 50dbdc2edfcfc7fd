"""The repositories of tests/corpus.toml, laid out on disk at their commits. Nothing in them is ever executed."""

import os
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LIST = Path(__file__).parents[1] / "corpus.toml"


@dataclass(frozen=True, slots=True)
class Repository:
    """One entry of the list."""

    name: str
    commit: str

    @property
    def short(self) -> str:
        return self.name.rpartition("/")[2]


def listed(kind: str = "repository") -> list[Repository]:
    """The entries of one kind: ``repository`` or ``table``."""
    with LIST.open("rb") as file:
        return [Repository(entry["name"], entry["commit"]) for entry in tomllib.load(file)[kind]]


def chosen(names: list[str]) -> Iterator[Repository]:
    """The listed repositories that ``names`` name, in that order; all where there are no names."""
    every = listed()
    known = {name: repository for repository in every for name in (repository.short, repository.name)}
    yield from (known[name] for name in names) if names else every


def git_dir(repository: Repository, clones: Path) -> Path:
    """The repository's git directory below ``clones``; fetched from GitHub, that commit alone, where there is none."""
    folder = clones / repository.name.replace("/", "+")
    for place in (folder / "repo", folder):
        if (place / "objects").is_dir():
            return place
    subprocess.run(["git", "init", "--quiet", "--bare", str(folder)], check=True)
    url = f"https://github.com/{repository.name}"
    fetch = ["git", "-C", str(folder), "fetch", "--quiet", "--depth", "1", url, repository.commit]
    subprocess.run(fetch, check=True)
    return folder


def lay_out(repository: Repository, clones: Path, trees: Path) -> Path:
    """The files of the commit below ``trees``; laid out once."""
    tree = trees / repository.short
    stamp = trees / f"{repository.short}.commit"
    if stamp.is_file() and stamp.read_text() == repository.commit:
        return tree
    tree.mkdir(parents=True, exist_ok=True)
    index = trees / f"{repository.short}.index"
    index.unlink(missing_ok=True)
    git = ["git", f"--git-dir={git_dir(repository, clones).resolve()}", f"--work-tree={tree.resolve()}"]
    # no hooks, no filters of the machine's configuration, symbolic links as they are
    environment = {**os.environ, "GIT_INDEX_FILE": str(index.resolve()), "GIT_CONFIG_GLOBAL": "/dev/null"}
    options = ["-c", "core.hooksPath=/dev/null", "-c", "core.bare=false", "-c", "core.autocrlf=false"]
    checkout = [*git, *options, "checkout", "--quiet", "--force", repository.commit, "--", "."]
    subprocess.run(checkout, check=True, env=environment)
    index.unlink(missing_ok=True)
    stamp.write_text(repository.commit)
    return tree
