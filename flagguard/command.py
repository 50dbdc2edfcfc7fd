"""What the hosts and the shell hand on: platforms, places, words, scripts, commands."""

from collections.abc import Mapping, Sequence
from enum import Enum

from flagguard.paths import Layout
from flagguard.patterns import expression
from flagguard.reaching import Part
from flagguard.text import EMPTY, Hole, Problem, SourceText, Span, Traced
from flagguard.values import dataclass, field

# -- platforms --------------------------------------------------------------------------------------------------------

PLATFORMS: dict[str, tuple[str, str, str]] = {
    # platform: `uname -s`, `uname -m`, bash's $OSTYPE (a trailing * : a version follows)
    "linux-x86_64": ("Linux", "x86_64", "linux-gnu"),
    "linux-aarch64": ("Linux", "aarch64", "linux-gnu"),
    "linux-ppc64le": ("Linux", "ppc64le", "linux-gnu"),
    "linux-riscv64": ("Linux", "riscv64", "linux-gnu"),
    "linux-s390x": ("Linux", "s390x", "linux-gnu"),
    "linux-armv7l": ("Linux", "armv7l", "linux-gnueabihf"),
    "linux-i686": ("Linux", "i686", "linux-gnu"),
    "macos-arm64": ("Darwin", "arm64", "darwin*"),
    "macos-x86_64": ("Darwin", "x86_64", "darwin*"),
    "windows-x86_64": ("MINGW64_NT-*", "x86_64", "msys"),
    "windows-arm64": ("MINGW64_NT-*", "aarch64", "msys"),
    "freebsd-x86_64": ("FreeBSD", "amd64", "freebsd*"),
}
"""The platforms that flagguard can name, with what their machines answer (uname(1), config.guess, bash's manual)."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command stands, in the words of its host; each part ``None`` where the host knows no such thing."""

    host: str
    task: str | None = None
    target: str | None = None
    job: str | None = None
    step: str | None = None
    runner: str | None = None


class Status(Enum):
    """Whether somebody would notice that the command failed."""

    HONOURED = "honoured"
    IGNORED = "ignored"


BESIDE = -1
"""In the order of a step: it runs beside others."""


# -- words ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Word(Traced):
    """One argument after expansion and quote removal.

    ``written``: the source text of the word as the command writes it, quotes and all (``"$cpu"``), if one span of one
    file is just that. Words that field splitting made of one expansion share it.
    """

    written: Span | None = None

    @property
    def whole_hole(self) -> Hole | None:
        """The hole, where the word is one hole and nothing else."""
        return self.pieces[0].hole if len(self.pieces) == 1 else None


def word(traced: Traced, written: Span | None = None) -> Word:
    return Word(traced.pieces, written)


# -- scripts: what a host hands out ----------------------------------------------------------------------------------


class Dialect(Enum):
    SH = "sh"
    BASH = "bash"
    POWERSHELL = "powershell"
    CMD = "cmd"
    DENO = "deno"
    """deno_task_shell, the shell of Deno's and pixi's tasks."""
    ARGV = "argv"
    """No shell: the host has split the command itself, ``Script.argv`` holds the words."""
    UNREAD = "unread"
    """A dialect that is not read (fish, python, perl): told as a problem that is not fatal."""


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable that the host sets for its script."""

    name: str
    value: Traced


BLANKS = range(0xE100, 0xF100)
"""Characters for private use: each stands in a mould where a host puts names in."""
BLANK = expression(f"[{chr(BLANKS.start)}-{chr(BLANKS.stop - 1)}]")


@dataclass(frozen=True, slots=True)
class Mould:
    """The text that scripts have in common, with blanks where they differ."""

    text: Traced
    kept: dict[object, object] = field(default_factory=dict, compare=False)
    """What the shell's evaluation keeps of it."""


@dataclass(frozen=True, slots=True)
class Alike:
    """How a script comes of its mould."""

    mould: Mould
    names: Mapping[str, Sequence[Traced]]
    """What is put into each blank: these words, with a space between them."""
    text: Traced
    """What that gives: the script's text."""
    move: tuple[Span, Span] | None = None
    """Where the mould stands, and where the same is written for this script; None where the mould is written for it."""


@dataclass(frozen=True)
class Script:
    """One piece of shell text, or one ready argv, with the facts of its place."""

    place: Place
    dialect: Dialect
    text: Traced = EMPTY
    argv: tuple[Word, ...] = ()
    env: tuple[Variable, ...] = ()
    """In the order in which they are set; a later one of the same name wins."""
    arguments: tuple[Word, ...] = ()
    """``$1`` onwards, where the host knows them; otherwise they are holes from outside."""
    knows_arguments: bool = False
    platforms: frozenset[str] | None = None
    """The platforms that the place allows; None: any."""
    when: tuple[str, ...] = ()
    opt_in: bool = False
    """Reached only when an outside variable has one particular value that nothing in the repository gives it."""
    errexit: bool = False
    pipefail: bool = False
    ignored: bool = False
    """The host ignores its exit status (make's ``-``, ``continue-on-error``)."""
    via: tuple[Span, ...] = ()
    """The calls that lead here, outermost first."""
    directory: str | None = ""
    """Where it runs, relative to the root (`""`: there); None where that is not known."""
    outside: tuple[str, ...] = ()
    """Names of variables that the host's runner surely sets, with values nobody knows here (``GITHUB_*``)."""
    vanished: tuple[tuple[int, Hole], ...] = ()
    """As in :class:`Command`, for a ready argv."""
    unit: str = ""
    """Which part of its file it is, for those who call that part: a task, a target."""
    file: str | None = None
    """The file of the tree that ``$0`` names."""
    name: Word | None = None
    """``$0``, where the caller is known."""
    language: str = ""
    """What an unread text is written in."""
    order: tuple[int, ...] = ()
    """The number of its step in its job, and of each step of an action that is called there. Of one that runs beside
    others: where it has surely ended, `BESIDE`, where it begins, and which of several that begin there it is."""
    needs: tuple[str, ...] = ()
    """The jobs that have ended before its job begins."""
    layout: Layout | None = None
    """Where the files of the container that it runs in come from, if it runs in one."""
    files: tuple[tuple[str, Traced], ...] = ()
    """Files that are written before it runs, by name, with their text."""
    machine: str | None = None
    """The platform that it runs on, where that is not the one that it builds for (a cross build)."""
    alike: Alike | None = field(default=None, compare=False)
    """Where its host makes many of one mould."""


@dataclass(frozen=True, slots=True)
class Call:
    """Something that carries flags without a shell (DESIGN 4.5): a `uses:` step, a declaration."""

    argv: tuple[Word, ...]
    place: Place
    span: Span
    env: tuple[Variable, ...] = ()
    platforms: frozenset[str] | None = None
    when: tuple[str, ...] = ()
    opt_in: bool = False
    ignored: bool = False
    via: tuple[Span, ...] = ()
    unit: str = ""
    order: tuple[int, ...] = ()
    needs: tuple[str, ...] = ()


# -- commands ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Command:
    """One simple command after expansion, wrappers peeled: ``argv[0]`` is the program."""

    argv: tuple[Word, ...]
    place: Place
    span: Span
    """Where the program's word stands in its file."""
    extent: Span
    """The whole simple command as it is written, wrappers and assignments included."""
    wrappers: tuple[tuple[Word, ...], ...] = ()
    """The words of each wrapper, outermost first: `sudo -E`, `uv run`, `sh -c`."""
    env: Mapping[str, Traced] = field(default_factory=dict)
    """What the repository puts into the environment of the command (not what the machine has anyway)."""
    via: tuple[Span, ...] = ()
    platforms: tuple[str, ...] = ()
    when: tuple[str, ...] = ()
    opt_in: bool = False
    status: Status = Status.HONOURED
    vanished: tuple[tuple[int, Hole], ...] = ()
    """Unset variables that left no word: (the index in ``argv`` before which it stood, what it was)."""
    brought: tuple[Word, ...] = ()
    """Words that files of the tree add in front of its own (`cmake --preset NAME`): the program sees them, argv not."""
    configured: Mapping[str, Traced] = field(default_factory=dict)
    """Settings that files of the tree give its program, by their keys (`build.target` of cargo's configuration)."""

    directory: str | None = field(default="", compare=False)
    """Where it runs, relative to the root; None where that is not known."""
    unit: str = field(default="", compare=False)
    """The part of the file that it belongs to, or whose call leads to it: see :class:`Script`."""
    root: Span | None = field(default=None, compare=False)
    """Where the outermost call stands, if it is reached by a call."""
    reading: tuple[str, tuple[tuple[int, int], ...]] = field(default=("", ()), compare=False)
    """The source of the simple command, and where its words stand in it: what a second reader can check."""
    dialect: Dialect | None = field(default=None, compare=False)
    """The shell that reads it, where that is none of POSIX's kin."""
    layout: Layout | None = field(default=None, compare=False)
    """As in :class:`Script`."""
    order: tuple[int, ...] = field(default=(), compare=False)
    """As in :class:`Script`,"""
    needs: tuple[str, ...] = field(default=(), compare=False)
    """and this too."""
    entries: tuple[str, ...] = field(default=(), compare=False)
    """The entry points of the configuration (`where.from`) that reach it."""

    @property
    def shown(self) -> list[str]:
        return [w.shown for w in self.argv]


_LOOKED_UP = expression(
    r"[$`(]*\s*(?:(?:command|builtin)\s+-v|g?which|type\s+-[pP]|xcrun\s+(?:-f|--find))\s+"
    r"[\"']?(?:[\w.+-]*/)*([\w.+-]+)[\"']?\s*(?:2?>\s*/dev/null\s*)?[)`]*"
)
"""`$(which gcc)` and its kin: where a program is installed, by its name."""


def looked_up(program: Traced) -> str | None:
    """The name of the program that a word is nothing but the place of."""
    only = program.pieces[0].hole if len(program.pieces) == 1 else None
    found = _LOOKED_UP.fullmatch(only.text) if only is not None else None
    return found.group(1) if found is not None else None


@dataclass(frozen=True)
class Reading:
    """What a host reader made of one file."""

    scripts: tuple[Script, ...] = ()
    calls: tuple[Call, ...] = ()
    problems: tuple[Problem, ...] = ()
    depends: tuple[str, ...] = ()
    """Other files of the tree that it looked at or looked for (an ``include``)."""
    follows: tuple[tuple[str, Part], ...] = ()
    """The parts of other files of which the reader followed the calls itself, each with the part that calls."""
    started: tuple[tuple[str, str], ...] = ()
    """What runs where nobody says which part: the part that is taken then, with each that it runs (itself included).

    Of a part that is called: itself.
    """
    named: tuple[str, ...] = ()
    """What the computed names of its parts come to: see :mod:`flagguard.renaming`."""


_FOUND = (
    ("macos-arm64", expression(r"(?i)darwin|macos|osx|\bOS *[!=]= *[\"']mac\b")),
    ("linux-aarch64", expression(r"(?i)aarch64|arm64")),
    ("linux-ppc64le", expression(r"(?i)ppc64le")),
    ("linux-riscv64", expression(r"(?i)riscv64")),
    ("linux-s390x", expression(r"(?i)s390x")),
    ("windows-x86_64", expression(r"(?i)mingw|msys|cygwin|windows|win-64|\bOS *[!=]= *[\"']win\b")),
)


def platforms_named(source: SourceText) -> tuple[str, ...]:
    """The platforms that a file speaks of, for a configuration that names none; Linux on x86-64 is always one."""
    return ("linux-x86_64", *(name for name, pattern in _FOUND if pattern.search(source.text)))
