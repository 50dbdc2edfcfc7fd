"""Calls: commands that start another unit of the repository, evaluated with what each call passes (DESIGN 4.3).

A makefile's target or a script is judged where its commands stand, once for each call and with that call's values. Which
units there are, and what a call passes to them, is each unit's own business; here are the edges and their bounds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from posixpath import basename, dirname, normpath
from posixpath import join as join_path

from flagguard.command import Command, Dialect, Place, Reading, Script, Variable, Word
from flagguard.hosts import Setting
from flagguard.text import Span, Traced

MAX_DEPTH = 8
"""How many calls may follow each other."""
MAX_CALLS = 400
"""How many calls from one file are followed."""
SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh"})


@dataclass(frozen=True)
class Entered:
    """A unit that a command starts."""

    reading: Reading
    unit: tuple[object, ...]
    """What it is, for telling a cycle: the same unit with the same values."""


Enter = Callable[[Command, Setting], Entered | None]


@dataclass(frozen=True)
class Followed:
    """What the calls of some commands come to."""

    scripts: tuple[Script, ...]
    reading: Reading
    truncated: bool = False


def entered(command: Command, setting: Setting) -> Entered | None:
    """The unit of the repository that ``command`` starts; None where it starts none that is known."""
    if not command.argv or len(command.via) >= MAX_DEPTH or command.directory is None:
        return None
    program = command.argv[0]
    if not program.known:
        return None
    name = basename(program.text)
    for enter, names in _TABLE:
        if names is None or name in names:
            found = enter(command, setting)
            if found is not None:
                return _as_called(found, command)
    return None


def _as_called(found: Entered, command: Command) -> Entered:
    scripts = tuple(_called(script, command) for script in found.reading.scripts)
    return replace(found, reading=replace(found.reading, scripts=scripts))


def _called(script: Script, command: Command) -> Script:
    """The script with what its caller brings: the way to it, its platforms and worlds, its job."""
    platforms = frozenset(command.platforms)
    if script.platforms is not None:
        platforms &= script.platforms
    here, there = command.place, script.place
    place = Place(
        there.host,
        there.task or here.task,
        there.target or here.target,
        there.job or here.job,
        there.step or here.step,
        there.runner or here.runner,
    )
    return replace(
        script,
        place=place,
        via=(*command.via, command.span, *script.via),
        platforms=platforms,
        when=(*command.when, *(w for w in script.when if w not in command.when)),
        opt_in=command.opt_in or script.opt_in,
        ignored=script.ignored or command.status.value == "ignored",
    )


# -- the units --------------------------------------------------------------------------------------------------------


def enter_make(command: Command, setting: Setting) -> Entered | None:
    """``make``: the goals' recipes, with the variables of the command line and what is exported (manual 5.7, 9.5)."""
    from flagguard.make.command_line import read
    from flagguard.make.evaluate import evaluate

    line = read(command.argv[1:])
    if not line.runs or line.doubt is not None or not all(t.known for t in (*line.directories, *line.makefiles)):
        return None
    directory = command.directory or ""
    for step in line.directories:
        directory = _inside(directory, step.text)
    if directory.startswith(".."):
        return None
    path = _makefile(directory, line.makefiles, setting)
    if path is None:
        return None
    goals = tuple(g.text for g in line.goals)
    reading = evaluate(path, setting, goals, dict(line.overrides), dict(command.env), directory)
    values = tuple((n, v.pieces) for n, v in sorted(line.overrides.items()))
    return Entered(reading, ("make", path, goals, values))


def _makefile(directory: str, named: Sequence[Traced], setting: Setting) -> str | None:
    names = [named[0].text] if named else ["GNUmakefile", "makefile", "Makefile"]
    for name in names:
        path = _inside(directory, name)
        if setting.files.read(path) is not None:
            return path
    return None


def enter_script(command: Command, setting: Setting) -> Entered | None:
    """A script of the repository, called by its path, or by the name of its shell."""
    words = list(command.argv)
    shell = basename(words[0].text)
    options: list[str] = []
    if shell in SHELLS:
        words = words[1:]
        while words and words[0].text[:1] in ("-", "+") and words[0].known:
            text = words.pop(0).text
            options.append(text)
            if text in ("-c", "-s", "--") or ("c" in text.lstrip("-") and not text.startswith("--")):
                if text == "--":
                    break
                return None
            if text in ("-o", "+o", "-O", "+O") and words:
                options.append(words.pop(0).text)
    elif "/" not in words[0].text:
        return None
    if not words or not words[0].known or words[0].text.startswith("/"):
        return None
    path = _inside(command.directory or "", words[0].text)
    if path.startswith(".."):
        return None
    source = setting.files.read(path)
    if source is None:
        return None
    from flagguard.hosts import shellscript

    head = source.text[:256].encode("utf-8", "surrogateescape")
    if shell not in SHELLS and not shellscript.claims(path, head):
        return None
    reading = shellscript.read(source, setting)
    scripts = tuple(_with_arguments(s, words, command, shell, options) for s in reading.scripts)
    given = tuple(w.pieces for w in words[1:])
    return Entered(replace(reading, scripts=scripts), ("script", path, given))


def _with_arguments(
    script: Script, words: Sequence[Word], command: Command, shell: str, options: Sequence[str]
) -> Script:
    from flagguard.hosts.shells import options as shell_options

    dialect = script.dialect
    errexit, pipefail = script.errexit, script.pipefail
    if shell in SHELLS:
        # The shell that is named reads it, whatever its first line says; options there do not count then.
        dialect = Dialect.BASH if shell in ("bash", "zsh", "ksh") else Dialect.SH
        errexit, pipefail = shell_options(list(options))
    return replace(
        script,
        dialect=dialect,
        errexit=errexit,
        pipefail=pipefail,
        arguments=tuple(words[1:]),
        knows_arguments=True,
        env=tuple(Variable(name, value) for name, value in command.env.items()),
        directory=command.directory,
    )


def _inside(directory: str, path: str) -> str:
    joined = normpath(join_path(directory, path))
    return "" if joined == "." else joined


_TABLE: tuple[tuple[Enter, frozenset[str] | None], ...] = (
    (enter_make, frozenset({"make", "gmake", "gnumake", "mingw32-make", "remake"})),
    (enter_script, None),
)


def follow(
    commands: Sequence[Command], setting: Setting, run: Callable[[Reading], Sequence[Command]]
) -> tuple[list[Command], bool]:
    """The commands that the calls among ``commands`` come to, calls of calls included; and whether a bound was hit.

    ``run`` evaluates a reading's scripts.
    """
    found: list[Command] = []
    waiting = list(commands)
    seen: set[tuple[object, ...]] = set()
    count = 0
    while waiting:
        command = waiting.pop(0)
        inner = entered(command, setting)
        if inner is None:
            continue
        key = (*inner.unit, command.span, command.via, command.platforms, command.when)
        if key in seen or _is_cycle(command, command.span):
            continue
        seen.add(key)
        count += 1
        if count > MAX_CALLS:
            return found, True
        new = list(run(inner.reading))
        found += new
        waiting += new
    return found, False


def _is_cycle(command: Command, span: Span) -> bool:
    return span in command.via


__all__ = ["Entered", "Followed", "dirname", "entered", "follow"]
