"""Task's files: `Taskfile.yml` and its other names; how a command starts their tasks.

Follows https://taskfile.dev/docs/guide ("Supported file names") and https://taskfile.dev/docs/reference/cli. What the
files say is read in ``taskfile_files``, and what of it runs in ``taskfile_tasks``.
"""

from collections.abc import Sequence

from flagguard.command import Command, Reading, Word
from flagguard.hosts import Entered, Setting
from flagguard.paths import resolved
from flagguard.text import EMPTY, SourceText, Traced
from flagguard.values import dataclass, field

NAME = "taskfile"

FILES = tuple(
    f"{name}{dist}.{end}" for dist in ("", ".dist") for end in ("yml", "yaml") for name in ("Taskfile", "taskfile")
)
"""In the order in which Task looks for them."""
_VALUED = frozenset("-o --output -C --concurrency -I --interval --sort --output-group-begin --output-group-end".split())
_NO_RUN = frozenset(
    "-h --help --version -l --list -a --list-all -i --init -n --dry -g --global --status --summary --completion -j "
    "--json --download --clear-cache".split()
)


@dataclass(frozen=True)
class CommandLine:
    tasks: tuple[str, ...] = ("default",)
    variables: tuple[tuple[str, Traced], ...] = ()
    words: tuple[Word, ...] = field(default=())
    """What stands behind `--`."""
    file: Traced | None = None
    folder: Traced | None = None


def read(source: SourceText, setting: Setting) -> Reading:
    from flagguard.hosts import taskfile_tasks

    return taskfile_tasks.read(source, setting)


def command_line(words: Sequence[Word]) -> CommandLine | None:
    """The words behind the program; None where no task is run, or nobody knows which."""
    tasks: list[str] = []
    variables: list[tuple[str, Traced]] = []
    places: dict[str, Traced] = {}
    given: tuple[Word, ...] = ()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        text = word.text
        if text == "--":
            given = tuple(rest)
            break
        name, equals, _ = text.partition("=")
        value = Traced(word.cut(len(name) + 1, len(word)).pieces)
        if text.startswith("-") and len(text) > 1:
            if name in _NO_RUN:
                return None
            if not text.startswith("--") and len(text) > 2 and text[1] in "td":
                name, value, equals = text[:2], Traced(word.cut(2, len(word)).pieces), "="
            if name in _VALUED or name in ("-t", "--taskfile", "-d", "--dir"):
                if not equals:
                    value = rest.pop(0) if rest else EMPTY
                places[name.lstrip("-")[0]] = value
        elif equals:
            variables.append((name, value))
        elif word.known:
            tasks.append(text)
        else:
            return None
    return CommandLine(tuple(tasks) or ("default",), tuple(variables), given, places.get("t"), places.get("d"))


def enter(command: Command, setting: Setting) -> Entered | None:
    """``task NAME VAR=… -- …``: the tasks with those that they wait for."""
    line = command_line(command.argv[1:])
    source = _found(line, command.directory, setting) if line is not None else None
    if line is None or source is None:
        return None
    from flagguard.hosts import taskfile_tasks

    called = taskfile_tasks.Called(line, dict(command.env), command.directory)
    found = source
    if not taskfile_tasks.knows(found, setting, line.tasks):
        return None
    key = ("taskfile", source.path, called.key)
    return Entered(source.path, key, lambda inner: taskfile_tasks.read(found, inner, called))


def _found(line: CommandLine, directory: str | None, setting: Setting) -> SourceText | None:
    if directory is None:
        return None
    named = line.file if line.file is not None else line.folder
    if named is not None:
        path = resolved(named, directory)
        return in_path(path, setting) if path is not None else None
    while True:
        source = in_path(directory, setting)
        if source is not None or not directory:
            return source
        directory = directory.rpartition("/")[0]


def in_path(path: str, setting: Setting) -> SourceText | None:
    """The file of that path, or the Taskfile in the folder."""
    if path.endswith((".yml", ".yaml")):
        return setting.files.read(path)
    found = (setting.files.read(f"{path}/{name}".lstrip("/")) for name in FILES)
    return next((source for source in found if source is not None), None)
