"""How a command starts a build script in Python: `nox -s NAME`, `invoke NAME`, `python SCRIPT.py`.

Follows https://nox.thea.codes/en/stable/usage.html ("Command-line usage") and https://docs.pyinvoke.org/en/stable/invoke.html.
What the scripts say is read in `python_reading`.
"""

import posixpath
from collections.abc import Sequence

from flagguard.command import Command, Reading, Word
from flagguard.hosts import Entered, Setting, python
from flagguard.hosts.python_world import INVOKE, NOX, Called
from flagguard.paths import inside, resolved
from flagguard.text import SourceText, Traced
from flagguard.values import replace

_OF_NOX = frozenset("-s -e --session --sessions --nox-session".split())
_OF_NOX_VALUED = frozenset(
    "-f --noxfile -t --tags -k --keywords -p --python --pythons --force-python -P --extra-pythons "
    "--default-venv-backend --envdir --report -R".split()
)
_NO_NOX = frozenset("-l --list --list-sessions --version -h --help --install-only".split())
_OF_INVOKE = frozenset("-c --collection -r --search-root -f --config -T --command-timeout".split())
_NO_INVOKE = frozenset("-l --list -h --help -V --version -R --dry --print-completion-script".split())
_OF_PYTHON = ("-m", "-c", "-")


def enter(command: Command, setting: Setting) -> Entered | None:
    """The parts of a script that a command runs."""
    name = command.argv[0].text.rpartition("/")[2].removesuffix(".exe")
    words, directory = command.argv[1:], command.directory
    if directory is None:
        return None
    if name == "nox":
        return _nox(command, words, directory, setting)
    if name in ("invoke", "inv"):
        return _invoke(command, words, directory, setting)
    script = command.argv[0] if name.endswith(".py") else _script(words)
    path = resolved(script, directory) if script is not None else None
    if path is None or not path.endswith(".py") or posixpath.basename(path) == "setup.py":
        return None
    source = setting.files.read(path)
    if source is None or not python.claims(path, b""):
        return None
    at = next((i for i, word in enumerate(words) if word is script), -1) + 1
    return _entered(source, Called(words=words[at:], env=_env(command)), directory)


def _env(command: Command) -> "dict[str, Traced]":
    return {name: Traced(value.pieces) for name, value in command.env.items()}


def _script(words: Sequence[Word]) -> Word | None:
    for at, word in enumerate(words):
        if word.text in _OF_PYTHON:
            return None
        if word.text in ("-W", "-X"):
            return _script(words[at + 2 :])
        if not word.text.startswith("-"):
            return word
    return None


def _nox(command: Command, words: Sequence[Word], directory: str, setting: Setting) -> Entered | None:
    names: list[str] = []
    file = "noxfile.py"
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.text.partition("=")
        if name == "--":
            break
        if name in _NO_NOX or not word.known:
            return None
        if name in _OF_NOX:
            names += [value] if equals else []
            while not equals and rest and not rest[0].text.startswith("-"):
                if not rest[0].known:
                    return None
                names.append(rest.pop(0).text)
        elif name in _OF_NOX_VALUED and not equals and rest:
            value = rest.pop(0).text
        file = value if name in ("-f", "--noxfile") else file
    path = inside(directory, file)
    source = setting.files.read(path) if path is not None else None
    if source is None:
        return None
    called = Called(NOX, frozenset(names) or None, tuple(rest), _env(command))
    return _entered(source, called, posixpath.dirname(path or ""))


def _invoke(command: Command, words: Sequence[Word], directory: str, setting: Setting) -> Entered | None:
    names: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, _ = word.text.partition("=")
        of_task = bool(names) and not name.startswith("--")  # a letter behind a task is the task's own
        if not of_task and (name in _NO_INVOKE or name in ("-c", "--collection", "-r", "--search-root")):
            return None
        if not of_task and name in _OF_INVOKE and not equals and rest:
            rest.pop(0)
        elif not name.startswith("-") and word.known:
            names.append(name)  # an argument of a task names none, and does no harm
    folder: str | None = directory
    while folder is not None:
        source = setting.files.read(posixpath.join(folder, "tasks.py"))
        if source is not None:
            called = Called(INVOKE, frozenset(names), tuple(words), _env(command))
            return _entered(source, called, directory) if names else None
        folder = posixpath.dirname(folder) if folder else None
    return None


def _entered(source: SourceText, called: Called, folder: str) -> Entered:
    """What of a script runs: what belongs to no session or task, and those that are named."""

    def read(setting: Setting) -> Reading:
        found = python.read(source, setting, called)
        moved = [s if s.directory is None else replace(s, directory=inside(folder, s.directory)) for s in found.scripts]
        return replace(found, scripts=tuple(moved))

    units = tuple(sorted(called.units)) if called.units is not None else None
    env = tuple((name, value.pieces) for name, value in sorted(called.env.items()))
    key = (python.NAME, source.path, called.runner, units, tuple(w.pieces for w in called.words), folder, env)
    return Entered(source.path, key, read)
