"""moon: `moon.yml` and `.moon/tasks.yml`; how a command starts their tasks.

Follows https://moonrepo.dev/docs/config/project, https://moonrepo.dev/docs/config/tasks and
https://moonrepo.dev/docs/commands/run. What a task runs is read in ``moon_tasks``.
"""

from collections.abc import Sequence

from flagguard.command import Command, Reading, Word
from flagguard.hosts import Entered, Setting
from flagguard.text import SourceText, Traced
from flagguard.values import dataclass

NAME = "moon"

_VALUED = (
    *("--concurrency", "-c", "--log", "--log-file", "--color", "--profile", "--query", "--status", "--dependents"),
    *("--affected", "--base", "--head", "-n", "--on-failure", "-s", "--summary", "--downstream", "--upstream"),
)
_STOPS = ("-h", "--help", "-V", "--version")


@dataclass(frozen=True)
class CommandLine:
    targets: tuple[str, ...]
    words: tuple[Traced, ...]


def read(source: SourceText, setting: Setting) -> Reading:
    if "tasks" not in source.text:
        return Reading()
    from flagguard.hosts import moon_tasks

    return moon_tasks.read(source, setting)


def command_line(words: Sequence[Word]) -> CommandLine | None:
    """The words behind the program; None where no task is run, or nobody knows which."""
    from flagguard.hosts.task_tables import options_and_names, plain

    end = next((i for i, word in enumerate(words) if word.text == "--"), len(words))
    said = options_and_names(words[:end], _VALUED, _STOPS)
    if said is None:
        return None
    names = said[1]
    if names and names[0].text in ("run", "exec", "r", "x"):
        names.pop(0)
    elif not names or ":" not in names[0].text:
        return None
    if not names or not all(name.known for name in names):
        return None
    return CommandLine(tuple(name.text for name in names), plain(words[end + 1 :]))


def enter(command: Command, setting: Setting) -> Entered | None:
    """``moon run PROJECT:TASK -- …``: the task with those that it waits for."""
    line = command_line(command.argv[1:])
    if line is None or command.directory is None:
        return None
    from flagguard.hosts import moon_tasks
    from flagguard.hosts.task_tables import called_key, pieces
    from flagguard.hosts.workspace import top

    folder = top(command.directory, setting, ".moon/workspace.yml", ".moon/workspace.yaml")
    if folder is None:
        return None
    env, where, directory = dict(command.env), folder, command.directory
    if not moon_tasks.knows(where, setting, line, directory):
        return None
    path = f"{where}/.moon/workspace.yml".lstrip("/")
    key = called_key(env, NAME, path, line.targets, pieces(line.words), directory)
    return Entered(path, key, lambda inner: moon_tasks.call(where, inner, line, env, directory))
