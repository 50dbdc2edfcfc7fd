"""How just is called: the words of its command line.

Follows `just --help` of just 1.59 and "Command-line Options" in its README. Recipes and their parameters are not known
here.
"""

from collections.abc import Mapping, Sequence

from flagguard.command import Word
from flagguard.text import EMPTY, Traced
from flagguard.values import dataclass, field, replace

_VALUED = frozenset(
    "--alias-style --ceiling --chooser --color --command-color --cygpath --dump-format "
    "--evaluate-format --group --indentation --jobs --justfile-name --list-heading --list-prefix --tempdir "
    "--timestamp-format --completions --request".split()
)
_NO_RUN = frozenset(
    "--changelog --choose --clean --completions --dump --edit -e --evaluate --eval --fmt --format --groups --init "
    "--initialize --json --list -l --man --show -s --summary --usage --variables --help -h --version -V "
    "--dry-run -n --global-justfile -g --request".split()
)
"""Options with which no recipe of the tree runs, or nobody knows which."""
_SHORT_VALUED = "fdEF"


@dataclass(frozen=True)
class CommandLine:
    """One call."""

    words: tuple[Word, ...] = ()
    """Recipes and their arguments."""
    overrides: Mapping[str, Traced] = field(default_factory=dict)
    justfile: Traced | None = None
    working_directory: Traced | None = None
    search: Traced | None = None
    """The folder where the search for the justfile begins."""
    shell: Traced | None = None
    shell_arguments: tuple[Traced, ...] | None = None
    dotenv_filename: Traced | None = None
    dotenv_path: Traced | None = None
    dotenv_commands: tuple[Traced, ...] = ()
    no_dotenv: bool = False
    no_dependencies: bool = False
    command: tuple[Word, ...] = ()
    """`--command`: what is run instead of recipes."""


@dataclass(frozen=True)
class Called:
    """How a justfile is entered."""

    line: CommandLine | None = None
    """None: nobody calls it; every recipe is read."""
    environment: Mapping[str, Traced] = field(default_factory=dict)
    directory: str | None = None
    """Where just is started."""
    folder: str | None = None
    """What ``line.working_directory`` names."""

    @property
    def options(self) -> CommandLine:
        return self.line or CommandLine()

    @property
    def values(self) -> tuple[object, ...]:
        """All that makes a difference, to be compared."""
        line = self.options
        given = [tuple((n, v.pieces) for n, v in sorted(m.items())) for m in (line.overrides, self.environment)]
        texts = (line.working_directory, line.shell, line.dotenv_filename, line.dotenv_path)
        return (
            tuple(w.pieces for w in line.words),
            tuple(w.pieces for w in line.command),
            *given,
            *(None if t is None else t.pieces for t in texts),
            None if line.shell_arguments is None else tuple(t.pieces for t in line.shell_arguments),
            tuple(t.pieces for t in line.dotenv_commands),
            (self.directory, self.folder, line.no_dotenv, line.no_dependencies),
        )


def read(words: Sequence[Word]) -> CommandLine | None:
    """The words behind the program; None where no recipe is run, or nobody knows which."""
    line = CommandLine()
    rest = list(words)
    while rest and rest[0].text.startswith("-") and rest[0].text != "-":
        word = rest.pop(0)
        text = word.text
        if text == "--":
            break
        if text.startswith("--"):
            name, equals, _ = text.partition("=")
            value: Traced | None = word.cut(len(name) + 1, len(word)) if equals else None
        else:
            found = _cluster(word)
            if found is None:
                return None
            name, value = found
        if name in _NO_RUN:
            return None
        if name in ("-c", "--command"):
            own = [Word(value.pieces)] if value is not None else []
            return replace(line, command=(*own, *rest))
        changed = _option(line, name, value, rest)
        if changed is None:
            return None
        line = changed
    return _operands(line, rest)


def _cluster(word: Word) -> tuple[str, Traced | None] | None:
    """Short options: the one of them that matters, with its joined value."""
    for i, letter in enumerate(word.text[1:], 1):
        name = f"-{letter}"
        if letter in _SHORT_VALUED or letter == "c":
            value = word.cut(i + 1, len(word))
            if value.text.startswith("="):
                value = value.cut(1, len(value))
            return name, value or None
        if name in _NO_RUN:
            return name, None
        if letter not in "quvy":
            return None
    return "", None


def _option(line: CommandLine, name: str, value: Traced | None, rest: list[Word]) -> CommandLine | None:
    def taken() -> Traced:
        return value if value is not None else rest.pop(0) if rest else EMPTY

    match name:
        case "-f" | "--justfile":
            return replace(line, justfile=taken())
        case "-d" | "--working-directory":
            return replace(line, working_directory=taken())
        case "-E" | "--dotenv-path":
            return replace(line, dotenv_path=taken())
        case "-F" | "--dotenv-filename":
            return replace(line, dotenv_filename=taken())
        case "--dotenv-command":
            return replace(line, dotenv_commands=(*line.dotenv_commands, taken()))
        case "--set":
            variable = taken()
            said: Traced = rest.pop(0) if rest else EMPTY
            return replace(line, overrides={**line.overrides, variable.text: said})
        case "--shell":
            return replace(line, shell=taken())
        case "--shell-arg":
            return replace(line, shell_arguments=(*(line.shell_arguments or ()), taken()))
        case "--clear-shell-args":
            return replace(line, shell_arguments=())
        case "--no-dotenv":
            return replace(line, no_dotenv=True)
        case "--no-deps" | "--no-dependencies":
            return replace(line, no_dependencies=True)
        case _:
            if name in _VALUED:
                taken()
            return line


def _operands(line: CommandLine, rest: list[Word]) -> CommandLine | None:
    """Overrides, a folder to search from, and recipes with their arguments."""
    overrides = dict(line.overrides)
    while rest and "=" in rest[0].text:
        name = rest[0].text.partition("=")[0]
        overrides[name] = Traced(rest[0].cut(len(name) + 1, len(rest[0])).pieces)
        rest.pop(0)
    search: Traced | None = None
    if rest and (rest[0].text in (".", "..") or "/" in rest[0].text):
        first = rest.pop(0)
        slash = first.text.rfind("/")
        search = first if slash < 0 else first.cut(0, slash + 1)
        name_part = first.cut(slash + 1, len(first)) if slash >= 0 else EMPTY
        if name_part:
            rest.insert(0, Word(name_part.pieces))
    return replace(line, words=tuple(rest), overrides=overrides, search=search)
