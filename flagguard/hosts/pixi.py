"""pixi's manifests: `pixi.toml`, `mojoproject.toml` and `[tool.pixi]` in `pyproject.toml`; how a command starts a task.

Follows https://pixi.sh/latest/reference/cli/pixi/run/. What the manifests say is read in ``pixi_manifest``, and what of
it runs in ``pixi_tasks``.
"""

import shlex
from collections.abc import Sequence

from flagguard.command import Command, Reading, Word
from flagguard.hosts import Entered, Setting
from flagguard.paths import resolved
from flagguard.text import EMPTY, Piece, SourceText, Traced
from flagguard.values import dataclass

NAME = "pixi"

_FILES = ("pixi.toml", "mojoproject.toml", "pyproject.toml")
_VALUED = frozenset(
    "-p --platform --color --config-file --auth-file --concurrent-downloads --concurrent-solves --pinning-strategy "
    "--pypi-keyring-provider --tls-root-certs -w --workspace".split()
)
_NO_TASK = frozenset("-x --executable -h --help -V --version --list -s --script".split())


@dataclass(frozen=True)
class CommandLine:
    """`pixi run` with what it says."""

    task: str
    words: tuple[Word, ...]
    environment: str | None = None
    manifest: Traced | None = None
    skips: bool = False
    """The tasks that it waits for are not run."""
    clean: bool = False


def read(source: SourceText, setting: Setting) -> Reading:
    if not _says_pixi(source):
        return Reading()
    from flagguard.hosts import pixi_tasks

    return pixi_tasks.read(source, setting)


def _says_pixi(source: SourceText) -> bool:
    return not source.path.endswith("pyproject.toml") or "tool.pixi" in source.text


def command_line(words: Sequence[Word]) -> CommandLine | None:
    """The words behind the program; None where no task is run, or nobody knows which."""
    environment: str | None = None
    manifest: Traced | None = None
    skips = clean = running = False
    rest = list(words)
    while rest:
        word = rest.pop(0)
        text = word.text
        if not text.startswith("-"):
            if not running and text in ("run", "r"):
                running = True
                continue
            if not running or not word.known:
                return None
            if not rest:  # one word is a command line
                try:
                    split = shlex.split(text)
                except ValueError:
                    return None
                if len(split) > 1:
                    text, rest = split[0], [Word((Piece(w, word.route),)) for w in split[1:]]
            return CommandLine(text, tuple(rest), environment, manifest, skips, clean)
        name, equals, _ = text.partition("=")
        if name in _NO_TASK:
            return None
        valued = name in _VALUED or name in ("-e", "--environment", "-m", "--manifest-path")
        value: Traced = word.cut(len(name) + 1, len(word)) if equals else EMPTY
        if valued and not equals:
            value = rest.pop(0) if rest else EMPTY
        if name in ("-e", "--environment"):
            if not value.known:
                return None
            environment = value.text
        elif name in ("-m", "--manifest-path"):
            manifest = value
        skips, clean = skips or name == "--skip-deps", clean or name == "--clean-env"
    return None


def starts(words: Sequence[Word], directory: str | None, setting: Setting) -> bool:
    """Whether `pixi run` starts a task of the manifest, and not a program."""
    line = command_line(words[1:])
    source = _manifest(line, directory, setting) if line is not None else None
    if line is None or source is None:
        return False
    from flagguard.hosts import pixi_manifest

    return line.task in pixi_manifest.read(source).names


def enter(command: Command, setting: Setting) -> Entered | None:
    """``pixi run TASK …``: the task with those that it waits for."""
    if not starts(command.argv, command.directory, setting):
        return None
    from flagguard.hosts import pixi_tasks

    line = command_line(command.argv[1:])
    source = _manifest(line, command.directory, setting) if line is not None else None
    assert line is not None
    assert source is not None
    called = pixi_tasks.Called(line, dict(command.env), command.directory)
    found = source
    return Entered(source.path, ("pixi", source.path, called.key), lambda inner: pixi_tasks.read(found, inner, called))


def _manifest(line: CommandLine | None, directory: str | None, setting: Setting) -> SourceText | None:
    """The manifest that a call means: named, or in its folder or the nearest one above."""
    if line is None or directory is None:
        return None
    if line.manifest is not None:
        path = resolved(line.manifest, directory)
        if path is None:
            return None
        if path.endswith(".toml"):
            return setting.files.read(path)
        directory = path
    while True:
        for name in _FILES:
            source = setting.files.read(f"{directory}/{name}".lstrip("/"))
            if source is not None and _says_pixi(source):
                return source
        if not directory:
            return None
        directory = directory.rpartition("/")[0]
