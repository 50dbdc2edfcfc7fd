"""How a command starts a build script in Python: `nox -s NAME`, `invoke NAME`, `python SCRIPT.py`.

Follows https://nox.thea.codes/en/stable/usage.html ("Command-line usage") and https://docs.pyinvoke.org/en/stable/invoke.html.
What the scripts say is read in `python_reading`; the words of a call are not followed into them.
"""

import posixpath
from collections.abc import Sequence

from flagguard.command import Command, Reading, Variable, Word
from flagguard.hosts import Entered, Setting, python
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
    return _entered(command, source, None, directory) if source is not None and python.claims(path, b"") else None


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
    sessions = {
        base for name in names for base in (name, name.partition("(")[0], name.partition("(")[0].rpartition("-")[0])
    }
    return _entered(command, source, sessions or None, posixpath.dirname(path or "")) if source is not None else None


def _invoke(command: Command, words: Sequence[Word], directory: str, setting: Setting) -> Entered | None:
    names: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, _ = word.text.partition("=")
        if name in _NO_INVOKE or name in ("-c", "--collection", "-r", "--search-root"):
            return None
        if name in _OF_INVOKE and not equals and rest:
            rest.pop(0)
        elif not name.startswith("-") and word.known:
            names.append(name)  # an argument of a task names none, and does no harm
    folder: str | None = directory
    while folder is not None:
        source = setting.files.read(posixpath.join(folder, "tasks.py"))
        if source is not None:
            tasks = {one for n in names for one in (n, n.replace("-", "_"), n.replace("_", "-"))}
            return _entered(command, source, tasks, directory) if tasks else None
        folder = posixpath.dirname(folder) if folder else None
    return None


def _entered(command: Command, source: SourceText, names: "set[str] | None", folder: str) -> Entered:
    """What of a script runs: all, or what belongs to the names, with what belongs to none."""
    env = {name: Traced(value.pieces) for name, value in command.env.items()}

    def read(setting: Setting) -> Reading:
        found = python.read(source, setting)
        variables = tuple(Variable(name, value) for name, value in env.items())
        scripts = [s for s in found.scripts if names is None or s.place.task is None or s.place.task in names]
        moved = (
            replace(
                s, env=(*variables, *s.env), directory=inside(folder, s.directory) if s.directory is not None else None
            )
            for s in scripts
        )
        calls = (
            replace(c, env=(*variables, *c.env))
            for c in found.calls
            if names is None or c.place.task is None or c.place.task in names
        )
        return replace(found, scripts=tuple(moved), calls=tuple(calls))

    key = (python.NAME, source.path, tuple(sorted(names)) if names is not None else None, folder)
    return Entered(source.path, (*key, tuple((n, v.pieces) for n, v in sorted(env.items()))), read)
