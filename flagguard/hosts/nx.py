"""Nx: targets in `project.json` and in the `nx` table of a package.json; how a command starts them.

Follows https://nx.dev/docs/reference/nx-commands ("nx run", "nx run-many"), https://nx.dev/docs/reference/project-configuration
and https://nx.dev/docs/guides/tasks--caching/run-commands-executor. What a target runs is read in ``nx_targets``.
"""

from collections.abc import Sequence

from flagguard.command import Command, Reading, Word
from flagguard.hosts import Entered, Setting
from flagguard.text import SourceText, Traced
from flagguard.values import dataclass

NAME = "nx"

_VALUED = (
    *(
        "-c",
        "--configuration",
        "-t",
        "--target",
        "--targets",
        "-p",
        "--projects",
        "--exclude",
        "--parallel",
        "--runner",
    ),
    *("--output-style", "--outputStyle", "--project", "--base", "--head", "--files", "--maxParallel"),
)
_STOPS = ("-h", "--help", "--version", "--graph")
_OWN = frozenset(
    "add affected:graph configure-ai-agents connect daemon dep-graph exec fix-ci format format:check format:write "
    "generate g graph import init list migrate nx-cloud login logout mcp plugin release repair report reset show sync "
    "sync:check view-logs watch workspace-lint".split()
)

_SHORT = {"b": "build", "e": "e2e", "l": "lint", "s": "serve", "t": "test"}


@dataclass(frozen=True)
class CommandLine:
    """Targets of projects (None: of all), with a configuration and the words for what they run."""

    targets: tuple[str, ...]
    projects: tuple[str, ...] | None
    configuration: str = ""
    words: tuple[Traced, ...] = ()


def read(source: SourceText, setting: Setting) -> Reading:
    if not source.path.endswith("project.json") and '"nx"' not in source.text:
        return Reading()
    from flagguard.hosts import nx_targets

    return nx_targets.read(source, setting)


def command_line(words: Sequence[Word]) -> CommandLine | None:
    """The words behind the program; None where no target is run, or nobody knows which."""
    from flagguard.hosts.task_tables import front, plain

    given: dict[str, Traced] = {}
    names: list[Word] = []
    behind: list[Word] = []
    rest: Sequence[Word] = words
    while rest:
        word = rest[0]
        if word.text == "--":
            behind += rest[1:]
            break
        name = word.text.partition("=")[0]
        if word.text.startswith("-") and name not in _VALUED and name not in _STOPS and names:
            behind.append(word)
            if "=" not in word.text and len(rest) > 1 and not rest[1].text.startswith("-"):
                behind.append(rest[1])
                rest = rest[1:]
            rest = rest[1:]
            continue
        if not word.text.startswith("-"):
            names.append(word)
            rest = rest[1:]
            continue
        said = front(rest[: 1 if "=" in word.text else 2], _VALUED, _STOPS)
        if said is None:
            return None
        given.update(said[0][:1])
        rest = rest[1 + (("=" not in word.text) and name in _VALUED) :]
    if not names or not all(name.known for name in names) or not all(value.known for value in given.values()):
        return None
    extra = plain(behind)
    verb = names[0].text
    if verb != "run":
        verb = _SHORT.get(verb, verb)
    configuration = next((given[k].text for k in ("-c", "--configuration") if k in given), "")
    if verb in ("run-many", "affected"):
        return _many(given, names[1:], configuration, extra)
    if verb == "run":
        if len(names) < 2:
            return None
        project, _, target = names[1].text.partition(":")
        target, _, own = target.partition(":")
        target = _SHORT.get(target, target)
        words_of = (*plain(names[2:]), *extra)
        return CommandLine((target,), (project,), own or configuration, words_of) if target else None
    if verb in _OWN:
        return None
    named = given.get("--project", names[1] if len(names) > 1 else None)
    return CommandLine(
        (verb,), (named.text,) if named is not None else None, configuration, (*plain(names[2:]), *extra)
    )


def _many(
    given: "dict[str, Traced]", names: Sequence[Word], configuration: str, extra: "tuple[Traced, ...]"
) -> CommandLine | None:
    said = next((given[k].text for k in ("-t", "--target", "--targets") if k in given), "")
    targets = tuple(t for t in (*said.split(","), *(n.text for n in names)) if t)
    chosen = next((given[k].text for k in ("-p", "--projects") if k in given), "")
    projects = tuple(p for p in chosen.split(",") if p) or None
    return CommandLine(targets, projects, configuration, extra) if targets else None


def enter(command: Command, setting: Setting) -> Entered | None:
    """``nx run PROJECT:TARGET``, ``nx TARGET PROJECT``, ``nx run-many -t TARGET``."""
    line = command_line(command.argv[1:])
    if line is None or command.directory is None:
        return None
    from flagguard.hosts import nx_targets
    from flagguard.hosts.task_tables import called_key, pieces
    from flagguard.hosts.workspace import top

    folder = top(command.directory, setting, "nx.json", "workspace.json")
    if folder is None:
        return None
    env, where = dict(command.env), folder
    if not nx_targets.knows(where, setting, line):
        return None
    path = f"{where}/nx.json".lstrip("/")
    key = called_key(env, NAME, path, line.targets, line.projects, line.configuration, pieces(line.words))
    return Entered(path, key, lambda inner: nx_targets.call(where, inner, line, env))
