"""Shell scripts: `*.sh`, `*.bash` and their like, and files that begin with a shell's `#!`.

Follows execve(2) and env(1) for the first line. The text itself is the shell's part.
"""

import posixpath
import re
from collections.abc import Mapping, Sequence

from flagguard.command import Command, Dialect, Place, Reading, Script, Variable, Word
from flagguard.handed import MARK
from flagguard.hosts import Entered, Setting
from flagguard.hosts.shells import READ_AS_BASH, SHELLS, options, program
from flagguard.paths import IN_CONTAINER, inside, resolved
from flagguard.patterns import expression
from flagguard.text import EMPTY, Decider, Hole, Problem, SourceText, Traced, hole, literal
from flagguard.values import replace

NAME = "shellscript"

_EXTENSIONS = {".sh": "bash", ".bash": "bash", ".zsh": "zsh", ".ksh": "ksh", ".fish": "fish"}
"""The shell where no first line says it: such a file is sourced, mostly by bash."""
_BIN = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
"""Where an image looks for programs that it is told nothing else of."""
_HOOK = expression(r"(?:.*/)?\.husky/[a-z]+(?:-[a-z]+)*")
"""A hook of husky, which `sh -e` runs (https://typicode.github.io/husky/how-to.html); it needs no first line."""
_PLAIN = expression(r"[\w.+-]+")


def claims(path: str, head: bytes) -> bool:
    named = posixpath.splitext(path)[1] in _EXTENSIONS or _HOOK.fullmatch(path) is not None
    if not head.removeprefix(b"\xef\xbb\xbf").startswith(b"#!"):
        return named
    shell = interpreter(head.split(b"\n", 1)[0].decode("utf-8", "replace"))[0]
    return shell in SHELLS or (named and not _PLAIN.fullmatch(shell))


def read(source: SourceText, setting: Setting) -> Reading:
    del setting
    shell, words = interpreter(source.text.split("\n", 1)[0])
    if shell not in SHELLS:
        shell, words = _EXTENSIONS.get(posixpath.splitext(source.path)[1], "bash"), []
    if _HOOK.fullmatch(source.path):
        shell, words = "sh", ["-e"]
    errexit, pipefail = options(words)
    script = Script(Place(NAME), SHELLS[shell], source.traced(), errexit=errexit, pipefail=pipefail, file=source.path)
    told = "is read as bash" if shell in READ_AS_BASH else ""
    if script.dialect is Dialect.UNREAD:
        told = "is not read, so its commands are not judged"
        script = replace(script, language=shell)
    problems = (Problem(source.path, 1, f"{shell} {told}", fatal=False),) if told else ()
    return Reading((script,), problems=problems)


def interpreter(line: str) -> tuple[str, list[str]]:
    """The program that a `#!` line starts, and the words behind it; through `env` and `busybox`."""
    line = line.removeprefix("\ufeff")
    words = line[2:].split() if line.startswith("#!") else []
    while words and program(words[0]) in ("env", "busybox"):
        words = words[1:]
        while words and (words[0].startswith("-") or re.match(r"[A-Za-z_]\w*=", words[0])):
            takes = words[0] in ("-u", "-C", "--unset", "--chdir")
            glued = words[0].removeprefix("-S") if words[0].startswith("-S") and words[0] != "-S" else ""
            words = [glued, *words[1:]] if glued else words[2 if takes else 1 :]
    return (program(words[0]), words[1:]) if words else ("", [])


def enter(command: Command, setting: Setting) -> Entered | None:
    """A script that is called by its path, or by the name of a shell (sh(1), "command_file")."""
    words = command.argv
    shell = program(words[0].text)
    given: list[str] = []
    if shell in SHELLS:
        found = _operands(words[1:])
        if found is None:
            return None
        given, words = found
    else:
        shell = ""
    path = None
    if words:
        path = (
            _script(words[0], command, setting)
            if shell or "/" in words[0].text
            else _on_path(words[0], command, setting)
        )
    source = setting.files.read(path) if path is not None else None
    if path is None or source is None:
        return None
    if not shell and not claims(path, source.text[:256].encode("utf-8", "surrogateescape")):
        return None
    arguments = words[1:]
    known = not any(_ALL.match(hole.text) for word in arguments for hole in word.holes)
    env = tuple(Variable(name, value) for name, value in command.env.items())
    directory = command.directory

    def read_called(
        inner: Setting, name: Word = words[0], env: Sequence[Variable] = env, known: bool = known
    ) -> Reading:
        reading = read(source, inner)
        (script,) = reading.scripts
        if shell:  # the shell that is named reads it, whatever its first line says
            errexit, pipefail = options(given)
            script = replace(script, dialect=SHELLS[shell], errexit=errexit, pipefail=pipefail)
        passed = tuple(_argument(word, n) for n, word in enumerate(arguments, 1)) if known else ()
        script = replace(script, env=tuple(env), name=name, directory=directory)
        script = replace(script, arguments=passed, knows_arguments=known)
        return replace(reading, scripts=(script,))

    values = tuple((name, value.pieces) for name, value in sorted(command.env.items()))
    passed = tuple(word.pieces for word in words)

    # whether a variable is set makes a difference to a script (`${X+x}`)
    kind = ("script", path, shell, tuple(given), words[0].text, tuple(sorted(command.env)), directory)

    def looser(values: Mapping[str, Traced], perhaps: frozenset[str]) -> Entered:
        del perhaps
        called = Word(literal(words[0].text).pieces)
        any_env = [Variable(name, value) for name, value in values.items()]
        key = (*kind, tuple(value.pieces for value in values.values()))
        return Entered(path, key, lambda inner: read_called(inner, called, any_env, False))

    key = ("script", path, shell, tuple(given), passed, values, directory)
    return Entered(path, key, read_called, kind=kind, values=command.env, looser=looser)


def one_of_many(name: str, among: tuple[Traced, ...] = ()) -> Traced:
    """The value of a variable in a part of the tree that is called in too many ways to look at each."""
    if name == MARK:
        return EMPTY
    reason = "it is called with too many different values of it"
    return hole(Hole(f"${name}", reason, Decider.REPOSITORY, name=name, among=among))


_ALL = expression(r"\$[@*]|\$\{[@*]")
"""All arguments of a caller whose arguments nobody knows."""


def _argument(word: Word, number: int) -> Word:
    """An argument as the script sees it: what nobody knows is `$1` there."""
    gap = word.whole_hole
    if gap is None:
        return word
    shown = f"${number}" if number < 10 else f"${{{number}}}"
    return Word((replace(word.pieces[0], text=shown, hole=replace(gap, text=shown)),), word.written)


def _operands(words: tuple[Word, ...]) -> tuple[list[str], tuple[Word, ...]] | None:
    """A shell's options and what follows them; None where it reads no file, or only checks it."""
    given: list[str] = []
    while words and words[0].text[:1] in ("-", "+"):
        text = words[0].text
        words = words[1:]
        if text in ("-", "--"):
            break
        given.append(text)
        if text.startswith("--"):
            words = words[1:] if text in ("--rcfile", "--init-file") else words
            continue
        if set("csnD") & set(text[1:]):
            return None
        if text[1:] and text[-1] in "oO" and words:
            given.append(words[0].text)
            words = words[1:]
    return given, words


def _on_path(word: Word, command: Command, setting: Setting) -> str | None:
    """A program's file in the folders of PATH, as far as they are of the tree (POSIX.1-2024 XBD 8.3)."""
    if not word.known or not _PLAIN.fullmatch(word.text):
        return None
    folders = [resolved(each, command.directory) for each in _elements(command.env.get("PATH", EMPTY))]
    if command.layout is not None:
        folders += [IN_CONTAINER + folder for folder in _BIN]
    places = (posixpath.join(folder, word.text) for folder in folders if folder is not None)
    return next((path for path in places if setting.files.read(path) is not None), None)


def _elements(value: Traced) -> list[Traced]:
    parts, at = [], 0
    for found in re.finditer(":", value.text):
        parts.append(value.cut(at, found.start()))
        at = found.end()
    return [part for part in (*parts, value.cut(at, len(value))) if part.pieces]


def _script(word: Word, command: Command, setting: Setting) -> str | None:
    path = resolved(word, command.directory)
    if path is not None and setting.files.read(path) is not None:
        return path
    if word.known and not command.directory and command.place.host == NAME and not word.text.startswith("/"):
        # A script may as well be started in its own folder.
        return inside(posixpath.dirname(command.span.path), word.text)
    return path
