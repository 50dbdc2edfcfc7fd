"""Lerna: `lerna run SCRIPT` starts the scripts of that name in the packages of the repository.

Follows https://github.com/lerna/lerna/tree/main/libs/commands/run#readme and https://lerna.js.org/docs/features/run-tasks.
A lerna.json holds no commands.
"""

from collections.abc import Sequence

from flagguard.command import Command, Reading, Word
from flagguard.hosts import Entered, Setting
from flagguard.hosts.task_tables import Tasks, called_key, options_and_names, pieces, plain
from flagguard.hosts.workspace import is_named, manager, packages, starts_script, top
from flagguard.text import Traced
from flagguard.values import dataclass

NAME = "lerna"

_VALUED = (
    *("--scope", "--ignore", "--since", "--concurrency", "--npm-client", "--loglevel", "--exclude-dependents"),
    *("--profile-location", "--max-buffer"),
)
_STOPS = ("-h", "--help", "-v", "--version")


@dataclass(frozen=True)
class CommandLine:
    scripts: tuple[Traced, ...]
    words: tuple[Traced, ...]
    scopes: tuple[str, ...]
    program: str


def command_line(words: Sequence[Word]) -> CommandLine | None:
    """The words behind the program; None where no script is run, or nobody knows which."""
    end = next((i for i, word in enumerate(words) if word.text == "--"), len(words))
    said = options_and_names(words[:end], _VALUED, _STOPS)
    if said is None:
        return None
    options, names = said
    scopes: list[str] = []
    program = ""
    for name, value in options:
        if name == "--scope" and not value.known:
            return None
        scopes += [value.text] if name == "--scope" else []
        program = value.text if name == "--npm-client" else program
    if len(names) < 2 or names[0].text != "run" or not names[1].known:
        return None
    scripts = tuple(names[1].cut(a, b) for a, b in _parts(names[1].text))
    return CommandLine(scripts, plain((*names[2:], *words[end + 1 :])), tuple(scopes), program)


def _parts(text: str) -> list[tuple[int, int]]:
    found, at = [], 0
    for part in text.split(","):
        found.append((at, at + len(part)))
        at += len(part) + 1
    return found


def enter(command: Command, setting: Setting) -> Entered | None:
    """``lerna run SCRIPT -- …``: the scripts of the packages."""
    line = command_line(command.argv[1:])
    folder = (
        top(command.directory, setting, "lerna.json") if line is not None and command.directory is not None else None
    )
    source = setting.files.read(f"{folder}/lerna.json".lstrip("/")) if folder is not None else None
    if line is None or folder is None or source is None:
        return None
    env, found, where = dict(command.env), source, folder

    def reading(setting: Setting) -> Reading:
        reader = Tasks(NAME, found, setting, env)
        members = packages(where, setting)
        program = line.program or manager(where, setting)
        chosen = [m for m in members if not line.scopes or any(is_named(m, s) for s in line.scopes)]
        for name in line.scripts:
            for one in chosen:
                if name.text in one.scripts:
                    words = line.words
                    reader.add(starts_script(reader.script(name.text, directory=one.folder), program, name, words))
        return reader.reading()

    key = called_key(env, NAME, source.path, pieces(line.scripts), pieces(line.words), line.scopes, line.program)
    return Entered(source.path, key, reading)
