"""mise: `mise.toml` and its other names, tasks in files; how a command starts them.

Follows https://mise.jdx.dev/tasks/ ("Running Tasks", "TOML-based Tasks", "File Tasks", "Task Arguments"),
https://mise.jdx.dev/configuration.html and https://mise.jdx.dev/cli/run.html, as of 2026.9. What the files say is read
in ``mise_tasks``.
"""

import posixpath
from collections.abc import Sequence

from flagguard.command import Command, Reading, Word
from flagguard.hosts import Entered, Setting
from flagguard.hosts.task_tables import called_key, front, pieces, plain
from flagguard.paths import resolved
from flagguard.text import SourceText, Traced
from flagguard.values import dataclass

NAME = "mise"

FILES = (
    *("mise.local.toml", ".mise.local.toml", "mise.toml", ".mise.toml", "mise/config.toml", ".mise/config.toml"),
    *(".config/mise.toml", ".config/mise/config.toml", ".config/mise/mise.toml", ".rtx.toml"),
)
"""In a folder, the first wins (https://mise.jdx.dev/configuration.html)."""
FOLDERS = ("mise-tasks", ".mise-tasks", "mise/tasks", ".mise/tasks", ".config/mise/tasks")
"""Where tasks are files (https://mise.jdx.dev/tasks/file-tasks.html)."""
_VALUED = (
    *("-C", "--cd", "-E", "--env", "-j", "--jobs", "-s", "--shell", "-t", "--tool", "-o", "--output", "--timeout"),
    *("--log-level", "--skip-deps-of", "-c", "--command"),
)
_STOPS = ("-h", "--help", "--version", "-V", "-n", "--dry-run")
_OWN = frozenset(
    "activate alias backends bin-paths cache completion config deactivate doctor edit en env fmt generate implode "
    "install install-into latest link lock ls ls-remote mcp outdated plugins prune registry reshim search self-update "
    "set settings shell shell-alias sync tool tool-alias tool-stub trust uninstall unset unuse upgrade use version "
    "watch where which e i p u up w".split()
)


@dataclass(frozen=True)
class CommandLine:
    """Tasks, each with its words; or, with no name, a program or a text that runs in mise's environment."""

    tasks: tuple[tuple[str, tuple[Traced, ...]], ...] = ()
    program: tuple[Word, ...] = ()
    text: Traced | None = None
    folder: Traced | None = None


def home(path: str) -> str:
    """The folder that a configuration is for."""
    name = next((f for f in FILES if path == f or path.endswith(f"/{f}")), None)
    if name is None:
        folder, _, _ = path.rpartition("/")
        for end in (".config/mise/conf.d", ".config/mise", ".mise", "mise"):
            if folder == end or folder.endswith(f"/{end}"):
                return folder.removesuffix(end).rstrip("/")
        return folder
    return path.removesuffix(name).rstrip("/")


def read(source: SourceText, setting: Setting) -> Reading:
    if not _says_something(source) and not any(word in source.text for word in _RUN_BESIDES):
        return Reading()
    from flagguard.hosts import mise_tasks

    return mise_tasks.read(source, setting)


_RUN_BESIDES = ("hooks", "postinstall", "watch_files", "prepare", "deps")


def _says_something(source: SourceText) -> bool:
    return "tasks" in source.text or "[env" in source.text or "env." in source.text


def command_line(words: Sequence[Word]) -> CommandLine | None:
    """The words behind the program; None where nothing is run, or nobody knows what."""
    said = front(words, _VALUED, _STOPS)
    if said is None or not said[1] or not said[1][0].known:
        return None
    folder = dict(said[0]).get("-C", dict(said[0]).get("--cd"))
    verb, rest = said[1][0].text, said[1][1:]
    if verb in ("exec", "x"):
        return _exec(rest, folder)
    if verb in ("tasks", "task", "t") and rest and rest[0].text in ("run", "r"):
        verb, rest = "run", rest[1:]
    if verb in ("run", "r"):
        again = front(rest, _VALUED, _STOPS)
        if again is None:
            return None
        folder = dict(again[0]).get("-C", dict(again[0]).get("--cd", folder))
        rest = again[1]
    elif verb in _OWN or verb in ("tasks", "task", "t"):
        return None
    else:
        rest = said[1]
    tasks: list[tuple[str, tuple[Traced, ...]]] = []
    group: list[Word] = []
    for word in [*rest, None]:
        if word is not None and word.text != ":::":
            group.append(word)
            continue
        if not group or not all(piece.hole is None or piece.hole.text in "**" for piece in group[0].pieces):
            return None
        behind = group[2:] if len(group) > 1 and group[1].text == "--" else group[1:]
        tasks.append((group[0].shown, plain(behind)))
        group = []
    return CommandLine(tuple(tasks), folder=folder)


def _exec(rest: Sequence[Word], folder: Traced | None) -> CommandLine | None:
    at = next((i for i, word in enumerate(rest) if word.text == "--"), None)
    said = front(rest if at is None else rest[:at], _VALUED, _STOPS)
    if said is None:
        return None
    text = dict(said[0]).get("-c", dict(said[0]).get("--command"))
    if text is not None:
        return CommandLine(text=text, folder=folder)
    return CommandLine(program=tuple(rest[at + 1 :]), folder=folder) if at is not None and rest[at + 1 :] else None


def starts(words: Sequence[Word], directory: str | None, setting: Setting) -> bool:
    """Whether `mise exec` runs a program in an environment of which a configuration says something."""
    line = command_line(words[1:])
    return line is not None and not line.tasks and _sets(_configurations(line, directory, setting))


def enter(command: Command, setting: Setting) -> Entered | None:
    """``mise run NAME … ::: NAME …`` and ``mise exec -- PROGRAM``: the tasks with those that they wait for."""
    line = command_line(command.argv[1:])
    sources = _configurations(line, command.directory, setting) if line is not None else []
    if line is None:
        return None
    from flagguard.hosts import mise_tasks

    there = _folder(line, command.directory)
    if line.tasks and (there is None or not mise_tasks.knows(sources, there, setting, [t for t, _ in line.tasks])):
        return None
    if not line.tasks and not _sets(sources):
        return None
    env = dict(command.env)
    tasks = tuple((name, pieces(words)) for name, words in line.tasks)
    program = (pieces(plain(line.program)), line.text.pieces if line.text is not None else ())
    paths = tuple(source.path for source in sources)
    key = called_key(env, NAME, paths, tasks, program, there)
    first = paths[0] if paths else command.span.path
    return Entered(first, key, lambda inner: mise_tasks.call(sources, inner, line, env, there))


def _sets(sources: Sequence[SourceText]) -> bool:
    """Whether one of the configurations may set variables."""
    return any("env" in source.text for source in sources)


def _folder(line: CommandLine | None, directory: str | None) -> str | None:
    if line is None or directory is None:
        return None
    return resolved(line.folder, directory) if line.folder is not None else directory


def _configurations(line: CommandLine | None, directory: str | None, setting: Setting) -> list[SourceText]:
    """The configurations of the folder and of those above, the nearest first."""
    folder = _folder(line, directory)
    found: list[SourceText] = []
    while folder is not None:
        for name in FILES:
            source = setting.files.read(posixpath.join(folder, name))
            if source is not None and _says_something(source):
                found.append(source)
        folder = posixpath.dirname(folder) if folder else None
    return found
