"""Which variables of its environment a part of the tree can tell apart: what makes two calls of it the same call.

A script or a makefile that never names a variable does the same whatever it holds, so calls that differ in such
variables alone are evaluated once. A name that a text may put together (`${prefix}_FLAGS`) counts as named.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from flagguard.command import Command
from flagguard.handed import MARK
from flagguard.patterns import expression
from flagguard.text import Traced
from flagguard.values import replace

KINDS = frozenset({"script", "make"})
"""What may be called without the variables that it does not name; other formats pass them on by patterns."""
_WORD = expression(r"[A-Za-z_][A-Za-z0-9_]*")
_BEHIND = expression(r"[})]([A-Za-z0-9_]{2,})")
_BEFORE = expression(r"([A-Za-z_][A-Za-z0-9_]+)\$")
_BEGINNING = expression(r"\$\{!([A-Za-z_][A-Za-z0-9_]*)[@*]\}")
"""The names that begin so (bash manual 3.5.3)."""
OF_SHELLS = frozenset(
    """BASH_ENV BASHOPTS BASH_ARGV0 BASH_COMPAT BASH_FUNC CDPATH CI COLUMNS COMSPEC CONDA_PREFIX DEBUG DIRSTACK
    DOCKER_OPTS ENV EUID EXECIGNORE FIGNORE FUNCNEST GLOBIGNORE GROUPS HOME HOSTNAME HOSTTYPE IFS INPUTRC LANG LINENO
    LINES LOGNAME MACHTYPE OLDPWD OPTARG OPTERR OPTIND OS OSTYPE PATH PATHEXT POSIXLY_CORRECT PPID PS4 PWD SHELL
    SHELLOPTS SHLVL TEMP TERM TMP TMPDIR UID USER WINDIR WORKSPACE""".split()
)
"""What shells ask for themselves, no text need name it;"""
OF_MAKE = frozenset(
    """CLEAR CURDIR GNUMAKEFLAGS MAKE MAKECMDGOALS MAKEFILES MAKEFILE_LIST MAKEFLAGS MAKEINFO MAKELEVEL MAKEOVERRIDES
    MAKE_COMMAND MAKE_RESTARTS MAKE_TERMERR MAKE_TERMOUT MAKE_VERSION MFLAGS SUFFIXES TARGET_ARCH TARGET_MACH
    VPATH""".split()
)
"""what make asks for, besides the variables of its built-in rules."""


@lru_cache(4_000)
def named(text: str) -> Callable[[str], bool]:
    """Whether the text names a variable, or may put its name together."""
    words = frozenset(_WORD.findall(text))
    ends = tuple({part for part in _BEHIND.findall(text) if "_" in part})
    starts = tuple({part for part in _BEFORE.findall(text) if "_" in part} | {*_BEGINNING.findall(text)})
    every = "compgen" in words

    def told(name: str) -> bool:
        return every or name in words or name.endswith(ends) or name.startswith(starts)

    return told


@lru_cache(1)
def of_calls() -> frozenset[str]:
    """What is never left out where another part of the tree is called: it may be a makefile."""
    from flagguard.make.defaults import VARIABLES

    return OF_SHELLS | OF_MAKE | frozenset(_WORD.findall(" ".join((*VARIABLES, *VARIABLES.values()))))


def unnamed(
    env: Mapping[str, Traced], words: Iterable[Traced], texts: Iterable[str], kept: frozenset[str] = OF_SHELLS
) -> frozenset[str]:
    """The variables of the environment that neither the texts name nor the words nor the values of the others.

    ``kept``: those that count even so.
    """
    names = {name for name in env if name not in kept and name != MARK}
    for text in texts:
        if not names:
            break
        told = named(text)
        names = {name for name in names if not told(name)}
    if not names:
        return frozenset()
    said = " ".join([w.text for w in words] + [value.text for name, value in env.items() if name not in names])
    return frozenset(names.difference(_WORD.findall(said)))


Filled = dict[int, tuple[Mapping[str, Traced], Mapping[str, Traced]]]
"""Environments by their identity: as they were, and with the variables put back."""


def put_back(
    commands: Sequence[Command], env: Mapping[str, Traced], names: frozenset[str], known: Filled
) -> tuple[Command, ...]:
    """The commands with the variables where the mark has come through. ``known``: what that gave so far."""
    given = {name: env[name] for name in names}
    if MARK in env:
        given[MARK] = env[MARK]

    def filled(own: Mapping[str, Traced]) -> Mapping[str, Traced]:
        found = known.get(id(own))
        if found is None:
            found = known[id(own)] = (own, {**{n: v for n, v in own.items() if n != MARK}, **given})
        return found[1]

    return tuple([replace(c, env=filled(c.env)) if MARK in c.env else c for c in commands])
