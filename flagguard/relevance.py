"""Which variables of its environment a part of the tree can tell apart: what makes two calls of it the same call.

A script or a makefile that never names a variable does the same whatever it holds, so calls that differ in such
variables alone are evaluated once. A name that a text may put together (`${prefix}_FLAGS`) counts as named.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from flagguard.command import Command
from flagguard.handed import MARK
from flagguard.patterns import expression
from flagguard.text import EMPTY, SourceText, Traced
from flagguard.values import replace

KINDS = frozenset({"script", "make"})
"""What may be called without the variables that it does not name; other formats pass them on by patterns."""
_WORD = expression(r"[A-Za-z_][A-Za-z0-9_]*")
_BEHIND = expression(r"[})]([A-Za-z0-9_]{2,})")
_BEFORE = expression(r"([A-Za-z_][A-Za-z0-9_]+)\$")
OWN = frozenset(
    """BASH_ENV BASHOPTS BASH_ARGV0 BASH_COMPAT BASH_FUNC CDPATH CI CLEAR COLUMNS COMSPEC CONDA_PREFIX CURDIR DEBUG
    DIRSTACK DOCKER_OPTS ENV EUID EXECIGNORE FIGNORE FUNCNEST GLOBIGNORE GNUMAKEFLAGS GROUPS HOME HOSTNAME HOSTTYPE
    IFS INPUTRC LANG LINENO LINES LOGNAME MACHTYPE MAKE MAKECMDGOALS MAKEFILES MAKEFILE_LIST MAKEFLAGS MAKEINFO
    MAKELEVEL MAKEOVERRIDES MAKE_COMMAND MAKE_RESTARTS MAKE_TERMERR MAKE_TERMOUT MAKE_VERSION MFLAGS OLDPWD OPTARG
    OPTERR OPTIND OS OSTYPE PATH PATHEXT POSIXLY_CORRECT PPID PS4 PWD SHELL SHELLOPTS SHLVL SUFFIXES TARGET_ARCH
    TARGET_MACH TEMP TERM TMP TMPDIR UID USER VPATH WINDIR WORKSPACE""".split()
)
"""Names that the shell and make ask for themselves: never left out. So are the variables of make's built-in rules."""


def named(source: SourceText) -> Callable[[str], bool]:
    """Whether the text names a variable, or may put its name together."""
    return _named(source.text)


@lru_cache(2_000)
def _named(text: str) -> Callable[[str], bool]:
    words = frozenset(_WORD.findall(text))
    ends = tuple({part for part in _BEHIND.findall(text) if "_" in part})
    starts = tuple({part for part in _BEFORE.findall(text) if "_" in part})

    def told(name: str) -> bool:
        return name in words or name.endswith(ends) or name.startswith(starts)

    return told


@lru_cache(1)
def _built_in() -> frozenset[str]:
    """What make's built-in rules ask for."""
    from flagguard.make.defaults import VARIABLES

    return frozenset(_WORD.findall(" ".join((*VARIABLES, *VARIABLES.values()))))


def unnamed(command: Command, texts: Iterable[SourceText]) -> frozenset[str]:
    """The variables of the command's environment that neither the texts name nor its own words and values."""
    names = {name for name in command.env if name not in OWN and name != MARK} - _built_in()
    for text in texts:
        if not names:
            break
        told = named(text)
        names = {name for name in names if not told(name)}
    said = " ".join([w.text for w in command.argv] + [v.text for n, v in command.env.items() if n not in names])
    return frozenset(names.difference(_WORD.findall(said)))


def without(command: Command, names: frozenset[str]) -> Command:
    """The command with a mark in its environment for the variables that are left out."""
    env = {name: value for name, value in command.env.items() if name not in names}
    return replace(command, env={**env, MARK: EMPTY})


def put_back(commands: Sequence[Command], caller: Command, names: frozenset[str]) -> tuple[Command, ...]:
    """The commands with the variables where the mark has come through."""
    given = {name: caller.env[name] for name in names}
    if MARK in caller.env:
        given[MARK] = caller.env[MARK]
    known: dict[int, Mapping[str, Traced]] = {}  # the commands hold what the numbers stand for

    def filled(env: Mapping[str, Traced]) -> Mapping[str, Traced]:
        found = known.get(id(env))
        if found is None:
            found = known[id(env)] = {**{n: v for n, v in env.items() if n != MARK}, **given}
        return found

    return tuple([replace(c, env=filled(c.env)) if MARK in c.env else c for c in commands])
