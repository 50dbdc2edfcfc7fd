"""tox's configurations: `tox.ini`, `setup.cfg`, `tox.toml`, `[tool.tox]` in `pyproject.toml`; how a command runs them.

Follows https://tox.wiki/en/latest/reference/cli.html. What they say is read in ``tox_environment``.
"""

from collections.abc import Sequence

from flagguard.command import Command, Reading, Word
from flagguard.hosts import Entered, Setting
from flagguard.paths import resolved
from flagguard.text import EMPTY, SourceText, Traced
from flagguard.values import dataclass

NAME = "tox"

_FILES = ("tox.ini", "setup.cfg", "pyproject.toml", "tox.toml")
"""In the order in which tox looks for them."""
_VALUED = frozenset(
    "--workdir --root --runner --result-json --hashseed --discover --skip-env -m --force-dep --installpkg -x "
    "--override --plus -p --parallel -f --colored --stderr-color --exit-and-dump-after --list-dependencies".split()
)
_RUNS = ("run", "r", "run-parallel", "p", "legacy", "le")
_OTHERS = (
    "config c list l devenv d exec e quickstart q depends de schema man".split()  # commands that run none of the file's
)
_NO_RUN = frozenset("-h --help --version --showconfig -l --listenvs -a --listenvs-all -n --notest --devenv -b".split())


@dataclass(frozen=True)
class CommandLine:
    environments: tuple[str, ...] | None = None
    """None: those of the list."""
    words: tuple[Word, ...] | None = None
    """What stands behind `--`."""
    file: Traced | None = None


def read(source: SourceText, setting: Setting) -> Reading:
    if not says_tox(source):
        return Reading()
    from flagguard.hosts import tox_environment

    return tox_environment.read(source, setting)


def says_tox(source: SourceText) -> bool:
    """Whether a file that may hold other things holds a configuration of tox."""
    name = source.path.rpartition("/")[2]
    if name == "setup.cfg":
        return "[tox:tox]" in source.text
    return name != "pyproject.toml" or "tool.tox" in source.text


def command_line(words: Sequence[Word]) -> CommandLine | None:
    """The words behind the program; None where nothing of the file is run, or nobody knows what."""
    environments: list[str] | None = None
    file: Traced | None = None
    given: tuple[Word, ...] | None = None
    rest = list(words)
    while rest:
        word = rest.pop(0)
        text = word.text
        if text == "--":
            given = tuple(rest)
            break
        if not text.startswith("-"):
            if text in _OTHERS or text not in _RUNS:
                return None
            continue
        if not text.startswith("--"):
            text = text[:1] + text[1:].lstrip("qvr" if text[1:].strip("qvr") else "")  # flags in one word: `-qre`
        name, equals, _ = text.partition("=")
        if not text.startswith("--") and len(text) > 2 and text[1] in "ecmfxp":
            name, value, joined = text[:2], Traced(word.cut(len(word) - len(text) + 2, len(word)).pieces), True
        else:
            value, joined = Traced(word.cut(len(name) + 1, len(word)).pieces), bool(equals)
        if name in _NO_RUN:
            return None
        if name in ("-e", "--env", "-c", "--conf") or name in _VALUED:
            counted = bool(rest) and (rest[0].text in ("auto", "all") or rest[0].text.isdigit())
            if name in ("-p", "--parallel") and not counted:
                continue
            if not joined:
                value = rest.pop(0) if rest else EMPTY
        if name in ("-e", "--env"):
            if not value.known:
                return None
            environments = [*(environments or ()), *(e for e in value.text.replace(" ", ",").split(",") if e)]
        elif name in ("-c", "--conf"):
            file = value
    if environments is not None and "ALL" in environments:
        environments = None
    return CommandLine(None if environments is None else tuple(environments), given, file)


def enter(command: Command, setting: Setting) -> Entered | None:
    """``tox -e NAME -- …``: the environments that it runs."""
    line = command_line(command.argv[1:])
    source = _found(line, command.directory, setting) if line is not None else None
    if line is None or source is None:
        return None
    from flagguard.hosts import tox_environment

    env = dict(command.env)
    chosen = env.get("TOXENV")
    if line.environments is None and chosen is not None and chosen.known and chosen.text != "ALL":
        names = tuple(e.strip() for e in chosen.text.split(",") if e.strip())
        line = CommandLine(names, line.words, line.file)
    called = tox_environment.Called(line.environments, line.words, env)
    found = source
    return Entered(
        source.path, ("tox", source.path, called.key), lambda inner: tox_environment.read(found, inner, called)
    )


def _found(line: CommandLine, directory: str | None, setting: Setting) -> SourceText | None:
    if directory is None:
        return None
    if line.file is not None:
        path = resolved(line.file, directory)
        if path is None:
            return None
        if path.endswith((".ini", ".cfg", ".toml")):
            return setting.files.read(path)
        return _in_folder(path, setting)
    while True:
        source = _in_folder(directory, setting)
        if source is not None or not directory:
            return source
        directory = directory.rpartition("/")[0]


def _in_folder(directory: str, setting: Setting) -> SourceText | None:
    for name in _FILES:
        source = setting.files.read(f"{directory}/{name}".lstrip("/"))
        if source is not None and says_tox(source):
            return source
    return None
