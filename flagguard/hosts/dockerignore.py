"""Which files of a build's context stay outside of an image: `.dockerignore`.

Follows ".dockerignore files" in https://docs.docker.com/build/concepts/context/ and moby's patternmatcher: the file
that has the Dockerfile's name before `.dockerignore` counts, else the one at the top of the context; of the lines that
match a path, or a folder above it, the last decides.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from posixpath import normpath

from flagguard.hosts import Files
from flagguard.paths import LeftOut
from flagguard.text import SourceText
from flagguard.values import dataclass

_NAMES = (".dockerignore", ".containerignore")


@dataclass(frozen=True, slots=True)
class Ignored:
    """What the ignore files of the folders that may be the context leave out."""

    contexts: tuple[tuple[str, tuple[str, ...]], ...]
    """A folder, and the lines of its file."""

    def __contains__(self, path: str) -> bool:
        """Whether it comes from no folder at all."""
        found = [(folder, lines) for folder, lines in self.contexts if not folder or path.startswith(folder + "/")]
        return bool(found) and all(_excludes(lines, path[len(folder) :].lstrip("/")) for folder, lines in found)


def left_out(dockerfile: str, contexts: Sequence[str], files: Files) -> LeftOut | None:
    """What the build of this Dockerfile does not see of its context, whose folder is one of ``contexts``."""
    own = _first(files, [dockerfile + name for name in _NAMES])
    found = []
    for folder in contexts:
        source = own or _first(files, [f"{folder}/{name}".lstrip("/") for name in _NAMES])
        found.append((folder, _lines(source.text) if source is not None else ()))
    return Ignored(tuple(found)) if any(lines for _, lines in found) else None


def _first(files: Files, paths: Iterable[str]) -> SourceText | None:
    return next((source for path in paths if (source := files.read(path)) is not None), None)


def _lines(text: str) -> tuple[str, ...]:
    lines = text.removeprefix("\ufeff").split("\n")
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))


@lru_cache(maxsize=4096)
def _excludes(lines: tuple[str, ...], path: str) -> bool:
    for line in reversed(lines):
        again = line.startswith("!")
        if _pattern(line.removeprefix("!").strip()).fullmatch(path):
            return not again
    return False


@lru_cache(maxsize=1024)
def _pattern(line: str) -> re.Pattern[str]:
    """The paths that a line names, and all that stands below them."""
    line = normpath("/" + line).lstrip("/")
    out, at = "", 0
    while at < len(line):
        char = line[at]
        at += 1
        if char == "*" and line.startswith("*", at):
            at = at + 2 if line.startswith("/", at + 1) else at + 1
            out += "(?:.*/)?" if at < len(line) else ".*"
        elif char == "*":
            out += "[^/]*"
        elif char == "?":
            out += "[^/]"
        elif char == "[" and (end := line.find("]", at)) > at:
            out += f"[{line[at:end]}]"
            at = end + 1
        elif char == "\\" and at < len(line):
            out += re.escape(line[at])
            at += 1
        else:
            out += re.escape(char)
    try:
        return re.compile(f"{out}(?:/.*)?", re.DOTALL)
    except re.error:  # the builder refuses it
        return re.compile("(?!)")
