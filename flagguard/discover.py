"""The files of a tree, read-only: which there are, and what each one holds.

Where there is a git, its view of the tree counts (`git ls-files`: what is committed and what is not ignored); elsewhere
the folders are walked. Nothing here knows which files hold commands, and nothing of the tree is ever run: git is asked
with its file system monitor off, which is the one program that a repository could make `ls-files` start
(git-config(1), core.fsmonitor).
"""

import os
import stat
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from flagguard.globs import matches
from flagguard.text import Problem, SourceText
from flagguard.values import cached_property, dataclass

HEAD = 512
"""Bytes of a file that are enough to see a `#!` line (the kernel reads 256, execve(2))."""
LIMIT = 4 * 1024 * 1024
"""Bytes of the largest file that is read."""
PATIENCE = 30
"""Seconds that git may take: a pipe in place of one of its files would make it wait for ever."""

_SKIPPED = frozenset(
    {".git", ".hg", ".svn", ".jj", ".venv", "node_modules", "__pycache__", ".tox", ".nox", ".pixi", ".direnv"}
    | {".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", ".eggs", ".flagguard_cache"}
)
"""Folders that a walk leaves out: other tools' stores, which git ignores in practice."""

_OWN_ENVIRONMENT = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_CEILING_DIRECTORIES")
"""Set by git for its hooks (githooks(5)); they would point `ls-files` at another repository than the root's."""

_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class _Entry:
    """What is known of one file: its text, or why there is none (``missing`` is no trouble, only nothing to read)."""

    source: SourceText | None = None
    trouble: str | None = None


_MISSING = _Entry()


class Tree:
    """The files under ``root``. Reads lazily and once; an overlay shares what has been read."""

    def __init__(self, root: Path, limit: int = LIMIT) -> None:
        self.root = root
        self.memo: dict[object, object] = {}
        """For what is computed from this tree and may be kept as long as it: shared by its overlays."""
        self.changed: Mapping[str, SourceText] = {}
        """The overlay: files whose text is not the one on the disk."""
        self.base: Tree = self
        self._limit = limit
        self._entries: dict[str, _Entry] = {}
        self._folders: dict[str, str] = {}

    @cached_property
    def _listing(self) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
        return _list(self.root)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self._listing[0])

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What went wrong when the files were listed."""
        return self.base._listing[1]

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        base = self.base
        added = [path for path in self.changed if path not in base._known]
        return tuple(sorted((*base._listing[0], *added))) if added else base._listing[0]

    def paths(self) -> tuple[str, ...]:
        """Every file, sorted, relative to the root, with ``/``."""
        return self._paths

    def with_text(self, path: str, text: str) -> "Tree":
        """The same tree with another text in one file; nothing is written."""
        tree = Tree.__new__(Tree)
        tree.root, tree.memo, tree.base, tree._limit = self.root, self.memo, self.base, self._limit
        tree.changed = {**self.changed, path: SourceText(path, text)}
        tree._entries, tree._folders = self._entries, self._folders
        return tree

    def head(self, path: str) -> bytes | None:
        """The first bytes of a file, empty where there is nothing to open; None where the system refuses to read it."""
        entry = self._entries.get(path)
        source = self.changed.get(path) or (entry.source if entry is not None else None)
        if source is not None:
            return source.text[:HEAD].encode("utf-8", "surrogateescape")
        try:
            name = self._locate(path)
            return b"" if name is None else _bytes(name, HEAD)[0]
        except (FileNotFoundError, _NotAFileError):
            return b""
        except OSError:
            return None

    def read(self, path: str) -> SourceText | None:
        """The file's text; None where there is no such file in the tree, or it is no text (then see `trouble`)."""
        return self._entry(path).source

    def trouble(self, path: str) -> str | None:
        """Why an existing file has no text, as half a sentence."""
        return self._entry(path).trouble

    def links_to(self, path: str) -> str | None:
        """The file of the tree that ``path`` is a symbolic link to; None where it is no link, or leads elsewhere."""
        if path in self.changed:
            return None
        try:
            if not stat.S_ISLNK(os.lstat(self.root / path).st_mode):
                return None
            real = os.path.relpath(os.path.realpath(self.root / path), self._real(""))
        except (OSError, ValueError):
            return None
        real = real.replace(os.sep, "/")
        return real if real in self.base._known else None

    def _entry(self, path: str) -> _Entry:
        if path in self.changed:
            return _Entry(self.changed[path])
        entry = self._entries.get(path)
        if entry is None:
            entry = self._entries[path] = self._load(path)
        return entry

    def _load(self, path: str) -> _Entry:
        if path not in self.base._known:
            return _MISSING
        try:
            name = self._locate(path)
        except OSError as error:  # such as /proc/1/cwd
            return _Entry(trouble=f"is a link that cannot be followed: {error.strerror or error}")
        if name is None:
            return _Entry(trouble="is a link that leads out of the tree; it is not followed")
        try:
            data, size = _bytes(name, self._limit)
        except FileNotFoundError:
            broken = os.path.lexists(self.root / path)
            return _Entry(trouble="is a link to a file that does not exist") if broken else _MISSING
        except _NotAFileError:
            return _MISSING if os.path.isdir(name) else _Entry(trouble="is no regular file")
        except OSError as error:
            return _Entry(trouble=f"cannot be read: {error.strerror or error}")
        if size > self._limit:
            return _Entry(trouble=f"is too large to read ({size} bytes; the limit is {self._limit})")
        if b"\0" in data:
            kind = "UTF-16" if data.startswith(_UTF16) else "binary (it holds a NUL byte)"
            return _Entry(trouble=f"is {kind}, not UTF-8 text")
        return _Entry(SourceText(path, data.decode("utf-8", "surrogateescape")))

    def _real(self, folder: str) -> str:
        """Where a folder of the tree really is; kept, since most files share theirs."""
        real = self._folders.get(folder)
        if real is None:
            real = self._folders[folder] = os.path.realpath(self.root / folder)
        return real

    def _locate(self, path: str) -> str | None:
        """The file's name on the disk; None where a link leads out of the tree."""
        folder, _, base = path.rpartition("/")
        name = os.path.join(self._real(folder), base)
        if os.path.islink(name):
            name = os.path.realpath(name)
        elif self._real(folder) == os.path.join(self._real(""), folder).rstrip("/"):
            return name
        top = self._real("")
        return name if os.path.commonpath((name, top)) == top else None


class _NotAFileError(OSError):
    """A folder, a pipe, a socket or a device: opening it could wait for ever, or do something."""


def _bytes(name: "str | os.PathLike[str]", limit: int) -> tuple[bytes, int]:
    """The first ``limit`` bytes of a regular file, and its size."""
    if not stat.S_ISREG(os.stat(name).st_mode):
        raise _NotAFileError
    descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise _NotAFileError
        parts, left = [], limit + 1
        while left > 0 and (part := os.read(descriptor, left)):
            parts.append(part)
            left -= len(part)
    finally:
        os.close(descriptor)
    data = b"".join(parts)
    return data[:limit], max(len(data), status.st_size)


def _list(root: Path) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    if not _inside_git(root):
        return _walk(root)
    names, problems = _ask_git(root)
    if names is not None:
        return names, problems
    found, more = _walk(root)
    return found, (*problems, *more)


def _inside_git(root: Path) -> bool:
    return any((folder / ".git").exists() for folder in (root.absolute(), *root.absolute().parents))


def _ask_git(root: Path) -> tuple[tuple[str, ...] | None, tuple[Problem, ...]]:
    """What git lists, or None with the reason."""
    import subprocess  # only where there is a git

    environment = {k: v for k, v in os.environ.items() if k not in _OWN_ENVIRONMENT}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    git = _git(root)
    if git is None:
        return None, (_unlisted("git cannot be started: it is in no folder of PATH"),)
    words = [git, "-c", "core.fsmonitor=false", "-C", os.fspath(root)]
    words += ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    closed = subprocess.DEVNULL
    try:
        answer = subprocess.run(
            words, env=environment, stdin=closed, capture_output=True, check=False, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return None, (_unlisted(f"git did not answer within {PATIENCE} seconds"),)
    except OSError as error:
        return None, (_unlisted(f"git cannot be started: {error.strerror or error}"),)
    told = os.fsdecode(answer.stderr).splitlines()
    if answer.returncode:
        return None, (_unlisted(told[0] if told else f"git ended with {answer.returncode}"),)
    names = {os.fsdecode(name) for name in answer.stdout.split(b"\0") if name and not name.endswith(b"/")}
    mark = "warning: could not open directory '"
    shut = [line.removeprefix(mark).partition("'")[0] for line in told if line.startswith(mark)]
    return tuple(sorted(names)), tuple(_shut(path.rstrip("/"), "permission denied") for path in shut)


def _git(root: Path) -> str | None:
    """The git to ask: never one of the tree, which a relative folder of PATH, or Windows by itself, would start."""
    top = os.path.realpath(root)
    for folder in os.get_exec_path():
        name = os.path.join(folder, "git.exe" if sys.platform == "win32" else "git")
        if os.path.isabs(folder) and os.path.isfile(name) and os.access(name, os.X_OK):
            real = os.path.realpath(folder)
            if real != top and not real.startswith(os.path.join(top, "")):
                return name
    return None


def _unlisted(why: str) -> Problem:
    return Problem(".", 1, f"git does not list the files, so every folder is walked ({why})", fatal=False)


def _shut(path: str, why: str) -> Problem:
    return Problem(path or ".", 1, f"the folder cannot be opened: {why}")


def _walk(root: Path) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    """Every regular file and link, links to folders not entered."""
    found: list[str] = []
    problems: list[Problem] = []
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(root / folder) as entries:
                for entry in entries:
                    path = folder + entry.name
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in _SKIPPED and not os.path.exists(os.path.join(entry.path, "pyvenv.cfg")):
                            waiting.append(path + "/")
                    else:
                        found.append(path)
        except OSError as error:
            problems.append(_shut(folder.rstrip("/"), (error.strerror or str(error)).lower()))
    return tuple(sorted(found)), tuple(sorted(problems))


def excluded(path: str, patterns: Iterable[str]) -> bool:
    """Whether a glob matches the path or a folder above it."""
    if not patterns:
        return False
    parts = path.split("/")
    tops = ["/".join(parts[:i]) for i in range(1, len(parts) + 1)]
    globs = [glob.removeprefix("./").rstrip("/") for glob in patterns]
    return any(matches(glob, top, path=True) for glob in globs for top in tops)


def within(path: str, folders: Iterable[str]) -> bool:
    """Whether ``path`` is one of ``folders`` (files or folders, relative to the root), or lies below one."""
    return any(folder in (".", "", path) or path.startswith(folder + "/") for folder in folders)
