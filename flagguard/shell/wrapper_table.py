"""The table of wrappers as values, read from ``wrappers-*.toml``.

One table an entry, named as its program. An option is written as its manual writes it, one line each:

    -u --unset =  :unset     several names; ``=``: it takes a value, joined or as the next word; ``=2``: two words;
    -i --replace ?  :replace ``?``: it takes a value only when it is joined; nothing: a switch
                             ``:…``: what it means for the command inside (:class:`Effect`), also several

This module knows the form of the table only; :mod:`flagguard.shell.wrappers` reads argument vectors with it.
"""

from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache
from typing import Any

from flagguard import tables as shipped
from flagguard.command import Dialect
from flagguard.values import dataclass, field, replace


class Env(Enum):
    """What the inner command sees of the environment around the wrapper."""

    KEEP = "keep"
    CLEAR = "clear"
    """Nothing that the repository set (sudo, ``env -i``, a container)."""


class Runs(Enum):
    """What the operands of the wrapper are."""

    ARGV = "argv"
    """The command, word by word."""
    TEXT = "text"
    """Shell text, the words joined by one blank (ssh, eval)."""
    TEXTS = "texts"
    """Each operand is a shell text (concurrently)."""
    LAST_TEXT = "last-text"
    """The last operand is a shell text (scl); words after ``--`` are a command."""
    OPTION = "option"
    """Nothing: only an option brings a command (nix-shell)."""
    FILE = "file"
    """A file of shell text and its arguments (source)."""
    SHELL = "shell"
    """A shell's own command line."""
    SU = "su"
    """``[-] [USER [ARGUMENT…]]``."""
    CMD = "cmd"
    """``/c TEXT…``."""
    FIND = "find"
    PARALLEL = "parallel"
    GROUP = "group"
    """Nothing: the command is in one of the subcommands (docker)."""


class Separator(Enum):
    """What ``--`` is good for."""

    OPTIONS = "options"
    """It ends the wrapper's options, as getopt has it."""
    COMMAND = "command"
    """The command begins behind it, wherever it stands (kubectl exec)."""
    REQUIRED = "required"
    """As COMMAND, and without it there is no command (tox exec)."""
    INSIDE = "inside"
    """The wrapper reads options behind the program's name too, up to ``--``, which it takes away (npm exec)."""


class Effect(Enum):
    """What an option of a wrapper means for the command inside."""

    NOTHING = "nothing"
    """No command runs here (``--help``, ``command -v``)."""
    CLEAR = "clear"
    KEEP = "keep"
    ASSIGN = "assign"
    """The value is ``NAME=VALUE``; a bare ``NAME`` is carried over."""
    ASSIGN_OR_UNSET = "assign-or-unset"
    """The value is ``NAME=VALUE``; a bare ``NAME`` is taken away."""
    SET = "set"
    """The two values are NAME and VALUE."""
    UNSET = "unset"
    PASS = "pass"
    """The value names variables that are carried over, with commas or blanks between them."""
    TEXT = "text"
    """The value is shell text."""
    FILE = "file"
    """The value is a file of shell text."""
    ENV_FILE = "env-file"
    """The value is a file of `NAME=VALUE` lines."""
    CHDIR = "chdir"
    """The value is the folder that the command runs in."""
    MOUNT = "mount"
    """The value says which folder stands where in a container: `SOURCE:TARGET`."""
    REST = "rest"
    """The command begins with the next word."""
    PROGRAM = "program"
    """The value is the program, the operands are its arguments."""
    MODULE = "module"
    """The value is a Python module, the operands are its arguments."""
    REPLACE = "replace"
    """The value is the text that stands for an input."""
    APPEND = "append"
    """Takes REPLACE back: inputs go to the end."""
    APPEND_MANY = "append-many"
    """The same, where the value is not 1."""
    SPLIT = "split"
    """The value is cut into words that take its place (``env -S``)."""
    AS_ARGV = "as-argv"
    AS_TEXT = "as-text"
    SHELL = "shell"
    """Without a command, a shell reads standard input."""
    DIALECT = "dialect"
    """The value is the shell that reads the text."""
    HONOURS = "honours"
    IGNORES = "ignores"
    """The command's exit status is lost."""


@dataclass(frozen=True, slots=True)
class WrapperOption:
    values: int = 0
    joined: bool = False
    """A value only when it is joined to the name."""
    effects: tuple[Effect, ...] = ()


@dataclass(frozen=True)
class Entry:
    """One wrapper, or one subcommand of a program that is a wrapper there."""

    source: str
    """The manual that says all this."""
    options: Mapping[str, WrapperOption] = field(default_factory=dict)
    commands: Mapping[str, "Entry"] = field(default_factory=dict)
    runs: Runs = Runs.ARGV
    operands: tuple[str, ...] = ()
    """What must stand before the command, as the manual names it (``DURATION``)."""
    optional: frozenset[str] = frozenset()
    """Words that may stand before the command (setarch's architectures)."""
    assignments: bool = False
    """``NAME=VALUE`` words may stand before the command."""
    separator: Separator = Separator.OPTIONS
    interspersed: bool = False
    """Options may follow operands."""
    abbreviations: bool = False
    """Long options may be cut short, as getopt_long allows."""
    joined_only: bool = False
    """No option has its value in the next word."""
    env: Env = Env.KEEP
    passes: tuple[str, ...] = ()
    """Variables that are carried over although ``env`` is CLEAR."""
    ignores_status: bool = False
    shell: bool = False
    """Without a command, a shell reads standard input."""
    appends: str | None = None
    """What it adds at the end of the command."""
    replaces: str | None = None
    name_until: str | None = None
    """The program's name ends before this character (``npx cross-env@7``)."""
    name_after: str | None = None
    """The program's name begins after this character (``hatch run test:pytest``)."""
    dialect: Dialect = Dialect.SH
    in_process: bool = False
    folder: str = "any"
    """Where the program may stand: ``none`` (a builtin), ``system`` (no folder of the repository), ``any``."""


@dataclass(frozen=True)
class Wrappers:
    """Wrappers by the name of the program."""

    tables: Mapping[str, Mapping[str, Any]]
    own: frozenset[str] = frozenset()
    """Those that a configuration names: files of the repository, which an interpreter may run (`python ci/run.py`)."""
    _entries: dict[str, Entry] = field(default_factory=dict, compare=False, repr=False)

    def find(self, program: str) -> Entry | None:
        """The entry of a program; the table is read entry by entry, when it is asked for.

        Raises ValueError for a malformed table.
        """
        known = self._entries.get(program)
        if known is None and program in self.tables:
            known = self._entries[program] = entry(program, self.tables[program])
        return known

    def with_tables(self, tables: Mapping[str, Mapping[str, Any]], own: bool = False) -> "Wrappers":
        """The same with more wrappers, or others in their place. Raises ValueError for a malformed table."""
        for name, table in tables.items():
            entry(name, table)
        more = _with_aliases(tables)
        return Wrappers({**self.tables, **more}, self.own.union(more) if own else self.own)


FILES = ("system", "isolation", "shells", "containers", "builds", "environments", "javascript", "sessions")


@cache
def load() -> Wrappers:
    """The shipped table."""
    tables: dict[str, Mapping[str, Any]] = {}
    for name in FILES:
        tables |= _with_aliases(shipped.table(f"shell/wrappers-{name}.toml"))
    return Wrappers(tables)


def _with_aliases(tables: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for name, table in tables.items():
        for alias in (name, *_words(table, "aliases")):
            found[alias] = table
    return found


_KEYS = frozenset(
    [
        "source",
        "aliases",
        "options",
        "commands",
        "runs",
        "operands",
        "optional",
        "assignments",
        "separator",
        "interspersed",
        "abbreviations",
        "joined-only",
        "env",
        "passes",
        "ignores-status",
        "shell",
        "appends",
        "replaces",
        "name-until",
        "name-after",
        "dialect",
        "in-process",
        "folder",
    ]
)
_FOLDERS = ("none", "system", "any")


def entry(name: str, table: Mapping[str, Any], outer: Entry | None = None) -> Entry:
    """The entry that a TOML table describes. Raises ValueError, which names the table and the key.

    A subcommand has the options of its program too, and its source and way of abbreviating.
    """
    for key in table:
        if key not in _KEYS:
            raise ValueError(f"wrapper {name}: unknown key {key!r}")
    source = _text(name, table, "source") or (outer.source if outer else None)
    if source is None:
        raise ValueError(f"wrapper {name}: the key 'source' is missing")
    commands = table.get("commands", {})
    if not isinstance(commands, dict) or not all(isinstance(sub, dict) for sub in commands.values()):
        raise ValueError(f"wrapper {name}: 'commands' holds one table for each subcommand")
    folder = _text(name, table, "folder") or "any"
    if folder not in _FOLDERS:
        raise ValueError(f"wrapper {name}: 'folder' is one of {', '.join(_FOLDERS)}")
    made = Entry(
        source=source,
        options={**(outer.options if outer else {}), **options(_text(name, table, "options") or "")},
        runs=Runs(_text(name, table, "runs") or ("group" if commands else "argv")),
        operands=_words(table, "operands"),
        optional=frozenset(_words(table, "optional")),
        assignments=_flag(name, table, "assignments"),
        separator=Separator(_text(name, table, "separator") or "options"),
        interspersed=_flag(name, table, "interspersed"),
        abbreviations=_flag(name, table, "abbreviations") or bool(outer and outer.abbreviations),
        joined_only=_flag(name, table, "joined-only"),
        env=Env(_text(name, table, "env") or "keep"),
        passes=_words(table, "passes"),
        ignores_status=_flag(name, table, "ignores-status"),
        shell=_flag(name, table, "shell"),
        appends=_text(name, table, "appends"),
        replaces=_text(name, table, "replaces"),
        name_until=_text(name, table, "name-until"),
        name_after=_text(name, table, "name-after"),
        dialect=Dialect(_text(name, table, "dialect") or "sh"),
        in_process=_flag(name, table, "in-process"),
        folder=folder,
    )
    inner: dict[str, Entry] = {}
    for word, sub in commands.items():
        read = entry(f"{name} {word}", sub, made)
        inner |= dict.fromkeys((word, *_words(sub, "aliases")), read)
    return replace(made, commands=inner)


@cache
def options(text: str) -> Mapping[str, WrapperOption]:
    """The options that the lines of ``text`` describe, by name."""
    found: dict[str, WrapperOption] = {}
    for line in text.splitlines():
        names: list[str] = []
        effects: list[Effect] = []
        values, joined = 0, False
        for token in line.split():
            if token == "?":
                joined = True
            elif token[0] == "=" and (token == "=" or token[1:].isdigit()):
                values = int(token[1:] or 1)
            elif token[0] == ":" and len(token) > 1:
                effects.append(Effect(token[1:]))
            else:
                names.append(token)
        option = WrapperOption(values, joined, tuple(effects))
        found |= dict.fromkeys(names, option)
    return found


def _text(name: str, table: Mapping[str, Any], key: str) -> str | None:
    value = table.get(key)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"wrapper {name}: {key!r} is a string")
    return value


def _flag(name: str, table: Mapping[str, Any], key: str) -> bool:
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise ValueError(f"wrapper {name}: {key!r} is true or false")
    return value


def _words(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value: Iterable[str] = table.get(key, ())
    if isinstance(value, str) or not all(isinstance(v, str) for v in value):
        raise ValueError(f"{key!r} is a list of strings")
    return tuple(value)
