"""Hatch: `[tool.hatch.envs.*]` of `pyproject.toml`, and `hatch.toml`; how a command starts their scripts.

Follows https://hatch.pypa.io/latest/config/environment/overview/ ("Scripts", "Commands", "Environment variables") and
https://hatch.pypa.io/latest/cli/reference/#hatch-run, as of 1.18. What the environments are is read in
``hatch_environments``, and what their commands come to in ``hatch_format``.
"""

from collections.abc import Sequence

from flagguard.command import Command, Reading, Word
from flagguard.hosts import Entered, Setting
from flagguard.hosts.task_tables import above, called_key, front, inner, pieces, plain, toml
from flagguard.text import SourceText, literal
from flagguard.values import dataclass, field

NAME = "hatch"

_FILES = ("hatch.toml", "pyproject.toml")
_VALUED = ("-e", "--env", "-p", "--project", "--data-dir", "--cache-dir", "--config")
_STOPS = ("-h", "--help", "--version")
_OF_TESTS = ("-i", "--include", "-x", "--exclude", "-py", "--python", "--cov-report", "--retries", "--retry-delay")


@dataclass(frozen=True)
class CommandLine:
    """`hatch run` with what it says."""

    environment: str | None
    words: tuple[Word, ...] = ()
    """The command; none where only the environment is made."""
    included: tuple[str, ...] = ()
    excluded: tuple[str, ...] = field(default=())
    force: bool = False


def read(source: SourceText, setting: Setting) -> Reading:
    if not says_hatch(source):
        return Reading()
    from flagguard.hosts import hatch_environments

    return hatch_environments.read(source, setting)


def says_hatch(source: SourceText) -> bool:
    """Whether a file holds environments of Hatch."""
    if not source.path.endswith("pyproject.toml"):
        return True
    return "hatch" in source.text and inner(toml(source).root, "tool", "hatch") is not None


def command_line(words: Sequence[Word]) -> CommandLine | None:
    """The words behind the program; None where no command is run, or nobody knows which."""
    said = front(words, _VALUED, _STOPS)
    if said is None or not said[1] or not said[1][0].known:
        return None
    given = dict(said[0])
    if "-p" in given or "--project" in given:
        return None
    named = given.get("-e", given.get("--env"))
    environment = named.text if named is not None and named.known else None
    verb, *rest = said[1]
    if verb.text == "run":
        return _run(environment, rest)
    if verb.text == "env" and rest and rest[0].text == "create":
        names = [word.text for word in rest[1:] if not word.text.startswith("-") and word.known]
        return CommandLine(names[0] if names else environment)
    if verb.text == "env" and rest and rest[0].text == "run":
        return _env_run(environment, rest[1:])
    if verb.text in ("test", "fmt"):
        return _made(verb.text, rest)
    return None


def _run(environment: str | None, rest: Sequence[Word]) -> CommandLine | None:
    included: list[str] = []
    excluded: list[str] = []
    at = 0
    while at < len(rest) and rest[at].text[:1] in ("+", "-") and rest[at].text not in _STOPS:
        (included if rest[at].text[0] == "+" else excluded).append(rest[at].text[1:])
        at += 1
    if at >= len(rest) or rest[at].text in _STOPS:
        return None
    first = rest[at]
    name, colon, _ = first.text.rpartition(":")
    if not first.known:
        return None
    if colon:
        environment = name or "system"
        first = Word(first.cut(len(name) + 1, len(first)).pieces)
    words = list(rest[at + 1 :])
    dashes = next((i for i, word in enumerate(words) if word.text == "--"), None)
    if dashes is not None:
        words.pop(dashes)  # the command line of Hatch itself (click) takes the first away
    return CommandLine(environment, (first, *words), tuple(included), tuple(excluded))


def _env_run(environment: str | None, rest: Sequence[Word]) -> CommandLine | None:
    said = front(rest, ("-e", "--env", "-i", "--include", "-x", "--exclude", "-f", "--filter"), _STOPS)
    if said is None:
        return None
    words = said[1][1:] if said[1] and said[1][0].text == "--" else said[1]
    if not words or not words[0].known or any(name in ("-f", "--filter") for name, _ in said[0]):
        return None
    for name, value in said[0]:
        environment = value.text if name in ("-e", "--env") and value.known else environment
    included = tuple(v.text for name, v in said[0] if name in ("-i", "--include"))
    excluded = tuple(v.text for name, v in said[0] if name in ("-x", "--exclude"))
    force = any(name == "--force-continue" for name, _ in said[0])
    return CommandLine(environment, words, included, excluded, force)


def _made(verb: str, rest: Sequence[Word]) -> CommandLine | None:
    """`hatch test` and `hatch fmt` (https://hatch.pypa.io/latest/config/internal/testing/): scripts of Hatch's own."""
    said = front(rest, _OF_TESTS, _STOPS)
    if said is None:
        return None
    names = {name for name, _ in said[0]}
    script = "run-cov" if names & {"-c", "--cover", "--cover-quiet"} else "run"
    environment = "hatch-test"
    if verb == "fmt":
        check = bool(names & {"--check"})
        kind = "format" if names & {"-f", "--formatter"} else "lint"
        script, environment = f"{kind}-{'check' if check else 'fix'}", "hatch-static-analysis"
    words = said[1][1:] if said[1] and said[1][0].text == "--" else said[1]
    return CommandLine(environment, (Word(literal(script).pieces), *words))


def starts(words: Sequence[Word], directory: str | None, setting: Setting) -> bool:
    """Whether `hatch run` starts a script, or a program in an environment of which the file says more."""
    line = command_line(words[1:])
    source = _project(directory, setting) if line is not None else None
    if line is None or source is None:
        return False
    from flagguard.hosts import hatch_environments

    return hatch_environments.has_part(source, setting, line)


def enter(command: Command, setting: Setting) -> Entered | None:
    """``hatch run ENV:SCRIPT …``: the commands that it comes to, in each environment that is meant."""
    if not starts(command.argv, command.directory, setting):
        return None
    from flagguard.hosts import hatch_environments

    line = command_line(command.argv[1:])
    source = _project(command.directory, setting)
    assert line is not None
    assert source is not None
    env, directory = dict(command.env), command.directory
    found = source
    words = pieces(plain(line.words))
    key = called_key(
        env, NAME, source.path, line.environment, words, line.included, line.excluded, line.force, directory
    )
    return Entered(source.path, key, lambda inner: hatch_environments.read(found, inner, line, env, directory))


def _project(directory: str | None, setting: Setting) -> SourceText | None:
    """The file of the project: `hatch.toml` where it is there, for it wins."""
    if directory is None:
        return None
    project = above(directory, ("pyproject.toml", "hatch.toml"), setting, says_hatch)
    if project is None:
        return None
    folder = project.path.rpartition("/")[0]
    return above(folder, _FILES, setting, says_hatch) if folder else above("", _FILES, setting, says_hatch)
