"""The command lines that build the services of compose files, and what they hand to them.

Follows https://docs.docker.com/reference/cli/docker/compose/ (`build`, `up`, `create`, `run`) and
https://docs.docker.com/compose/how-tos/multiple-compose-files/merge/.
"""

from collections.abc import Iterator, Sequence

from flagguard.command import Command, Reading, Script, Word
from flagguard.hosts import Entered, Setting
from flagguard.hosts.compose import NAME, Given, Project
from flagguard.hosts.gitlab_config import merged
from flagguard.hosts.pipelines import Notes, guarded
from flagguard.hosts.tree import Table
from flagguard.paths import inside, resolved
from flagguard.text import SourceText, Traced
from flagguard.values import dataclass, field

_BEFORE = frozenset(
    "-f --file -p --project-name --profile --env-file --project-directory --ansi --parallel --progress".split()
)
"""Options of `docker compose` that take a value,"""
_VALUED = frozenset(
    "--build-arg --builder -m --memory --progress --ssh --attach --exit-code-from --no-attach --pull --scale -t "
    "--timeout --wait-timeout -e --env --entrypoint -l --label --name -p --publish -u --user -v --volume -w --workdir "
    "--env-from-file --cap-add --cap-drop --provenance --sbom".split()
)
"""and those of its commands."""
_STARTS = frozenset({"up", "create"})
_FILES = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")


@dataclass
class _Line:
    """A command line of compose."""

    files: list[Traced] = field(default_factory=list)
    verb: str = ""
    args: dict[str, Traced | None] = field(default_factory=dict)
    services: list[str] = field(default_factory=list)
    builds: bool = True


def enter(command: Command, setting: Setting) -> Entered | None:
    words = _behind(command.argv)
    line = _read(words) if words is not None else None
    if line is None or not line.builds or command.directory is None:
        return None
    sources = _sources(line, command.directory, setting)
    if not sources:
        return None
    args = {n: command.env.get(n) if value is None else value for n, value in line.args.items()}
    environment = {name: Traced(value.pieces) for name, value in command.env.items()}
    given = Given(
        tuple(line.services),
        line.verb in _STARTS,
        {name: Traced(value.pieces) for name, value in args.items() if value is not None},
        environment,
    )
    pairs = [tuple((n, v.pieces) for n, v in sorted(of.items())) for of in (given.args, environment)]
    key = (NAME, tuple(s.path for s in sources), given.services, given.starts, *pairs)
    return Entered(sources[0].path, key, lambda inner: _reading(sources, given, inner))


def _reading(sources: Sequence[SourceText], given: Given, setting: Setting) -> Reading:
    notes = Notes(setting)

    def scripts() -> Iterator[Script]:
        whole: Table | None = None
        for source in sources:
            root = notes.table(next(iter(notes.documents(source)), None), "the file")
            whole = root if whole is None else merged(whole, root) if root is not None else whole
        if whole is not None:
            yield from Project(whole, sources[0].path, notes, setting, given).called()

    path = sources[0].path
    return Reading(guarded(notes, path, scripts), problems=notes.all(), depends=tuple(s.path for s in sources[1:]))


def _behind(argv: Sequence[Word]) -> Sequence[Word] | None:
    if argv[0].text.rpartition("/")[2].removesuffix(".exe") in ("docker-compose", "podman-compose"):
        return argv[1:]
    return argv[2:] if len(argv) > 1 and argv[1].text == "compose" else None


def _read(words: Sequence[Word]) -> _Line | None:
    """The command line; None where it builds nothing."""
    line = _Line()
    at = 0
    while at < len(words):
        word: Traced = words[at]
        at += 1
        if not word.text.startswith("-"):
            if line.verb == "run" and line.services:
                break  # what follows is the container's
            if line.verb:
                line.services.append(word.text)
            else:
                line.verb = word.text
            continue
        name, equals, _ = word.text.partition("=")
        value: Traced | None = word.cut(len(name) + 1, len(word)) if equals else None
        if value is None and name in (_VALUED if line.verb else _BEFORE):
            value = words[at] if at < len(words) else None
            at += 1
        _note(line, name, value)
    return line if line.verb in _STARTS | {"build", "run"} else None


def _note(line: _Line, name: str, value: Traced | None) -> None:
    if name in ("--no-build", "--print", "--check", "--help", "--dry-run"):
        line.builds = False
    elif value is not None and not line.verb and name in ("-f", "--file"):
        line.files.append(Traced(value.pieces))
    elif value is not None and name == "--build-arg":
        key, equals, _ = value.text.partition("=")
        line.args[key] = value.cut(len(key) + 1, len(value)) if equals else None


def _sources(line: _Line, folder: str, setting: Setting) -> list[SourceText]:
    """The files that are named, or the one that compose finds with the one that goes over it."""
    if line.files:
        named = [resolved(file, folder) for file in line.files]
        found = [setting.files.read(path) if path is not None else None for path in named]
        return [source for source in found if source is not None] if all(found) else []
    for name in _FILES:
        path = inside(folder, name)
        source = setting.files.read(path) if path is not None else None
        if source is not None:
            stem = source.path.rpartition(".")[0]
            over = (setting.files.read(f"{stem}.override.{end}") for end in ("yml", "yaml"))
            return [source, *(one for one in over if one is not None)]
    return []
