"""What every command starts from: the root, its files, its configuration, and what of it was asked for."""

import datetime
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from flagguard import config as configuration
from flagguard.commands import RefusalError
from flagguard.config import Config, Loaded
from flagguard.discover import Tree, within
from flagguard.report.interface import Style
from flagguard.text import Problem, SourceText
from flagguard.values import dataclass

if TYPE_CHECKING:
    import argparse

Write = Callable[[Iterable[str]], None]


@dataclass(frozen=True)
class Project:
    root: Path
    tree: Tree
    config: Config
    problems: tuple[Problem, ...]
    """What is wrong with the configuration or with listing the files."""
    paths: tuple[str, ...] = ()
    """What was asked for, relative to the root; empty: everything."""
    prefix: str = ""
    """The way from the repository's top to the root."""
    outside: bool = False
    """There is no git repository around the root."""

    def read(self, path: str) -> SourceText | None:
        """A file of the tree, or the configuration, which may be none of its files."""
        source = self.config.source
        return source if source is not None and source.path == path else self.tree.read(path)

    def asked(self, path: str) -> bool:
        return not self.paths or within(path, self.paths)

    def unread(self, paths: Iterable[str]) -> tuple[Problem, ...]:
        """That nothing was read is no pass."""
        if any(self.asked(path) for path in paths):
            return ()
        if not self.tree.paths():
            return (Problem(".", 1, "nothing to read: there are no files"),)
        place = f" in {', '.join(self.paths)}" if self.paths else ""
        return (Problem(".", 1, f"nothing to read: no file{place} is of a format that holds commands"),)


def project(options: "argparse.Namespace") -> Project:
    """The project around the working directory."""
    here = Path.cwd()
    top = _top(here)
    given = options.config
    found = _given(here, given) if given is not None else _found(here)
    root = top or here
    if given is None and found is not None and (top is None or found.parent.is_relative_to(top)):
        root = found.parent
    today = datetime.date.today()
    tree = Tree(root)
    loaded = Loaded(configuration.default(today)) if found is None else configuration.load(_source(found, root), today)
    paths = _asked(here, root, tree, getattr(options, "paths", []))
    prefix = root.relative_to(top).as_posix() + "/" if top is not None and top != root else ""
    return Project(root, tree, loaded.config, (*loaded.problems, *tree.problems), paths, prefix, top is None)


def strict() -> bool:
    """Whether somebody asked for tracebacks."""
    return bool(os.environ.get("FLAGGUARD_TRACEBACK"))


def style(prefix: str = "") -> Style:
    """Colour only where somebody looks, and only where they have not said no (no-color.org)."""
    wanted = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Style(colour=wanted, prefix=prefix)


def _top(here: Path) -> Path | None:
    """The top of the git work tree around ``here``."""
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), None)


def _given(here: Path, name: str) -> Path:
    path = Path(os.path.normpath(here / name))
    if not path.is_file():
        raise RefusalError(f"--config: {name}: {'not a file' if path.exists() else 'no such file'}")
    return path


def _found(here: Path) -> Path | None:
    try:
        return configuration.find(here)
    except OSError as error:
        raise RefusalError(f"{error.filename}: cannot be read: {error.strerror}") from error


def _source(path: Path, root: Path) -> SourceText:
    name = Path(os.path.relpath(path, root)).as_posix()
    if not path.is_file():
        kind = "a link to nothing" if path.is_symlink() and not path.exists() else "no file"
        raise RefusalError(f"{name}: the configuration cannot be read: it is {kind}")
    try:
        return SourceText(name, path.read_bytes().decode("utf-8", "surrogateescape"))
    except OSError as error:
        raise RefusalError(f"{name}: cannot be read: {error.strerror or error}") from error


def _asked(here: Path, root: Path, tree: Tree, names: Iterable[str]) -> tuple[str, ...]:
    """The paths of the command line, relative to the root; empty where one of them is the root itself."""
    asked = []
    for name in names:
        path = os.path.normpath(here / name)
        if not os.path.lexists(path):
            raise RefusalError(f"{name}: no such file or folder")
        if not Path(path).is_relative_to(root):
            path = os.path.realpath(path)
        if not Path(path).is_relative_to(root):
            raise RefusalError(f"{name}: is not in {root}, the project around the working directory")
        below = Path(path).relative_to(root).as_posix()
        if below != "." and not any(within(known, [below]) for known in tree.paths()):
            hint = f"; `--log {name}` reads it all the same" if name.endswith((".log", "compile_commands.json")) else ""
            raise RefusalError(f"{name}: nothing to read there (empty, or ignored by git){hint}")
        asked.append(below)
    return () if "." in asked else tuple(dict.fromkeys(asked))
