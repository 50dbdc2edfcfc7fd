"""What a recipe runs in: the shell, and the environment that make gives it.

Manual: "Choosing the Shell", "Communicating Variables to a Sub-make", "Communicating Options to a Sub-make".
"""

from collections.abc import Iterator, Sequence
from posixpath import basename

from flagguard.command import Dialect, Variable, Word
from flagguard.make.holes import through
from flagguard.make.interpret import Interpreter
from flagguard.make.variables import Frame, Origin
from flagguard.patterns import expression
from flagguard.text import HOLE_MARK, Hole, Shape, Traced, hole, join, literal
from flagguard.values import dataclass

_NAME = expression(r"[A-Za-z_][A-Za-z0-9_]*$")
_DIALECTS = {"sh": Dialect.SH, "dash": Dialect.SH, "ash": Dialect.SH, "ksh": Dialect.BASH, "bash": Dialect.BASH,
             "zsh": Dialect.BASH, "busybox": Dialect.SH}  # fmt: skip
_NEVER = frozenset(("MAKEFLAGS", "MAKELEVEL", "MAKEFILE_LIST", "CURDIR", "SHELL"))
"""Names that `.EXPORT_ALL_VARIABLES` does not mean, or that are handed on in their own way."""


_PART = expression(r"""(?:[^\s'"\\]|\\.|'[^']*'|"[^"]*")+""")


def _words(text: Traced) -> Iterator[Traced]:
    """The words of SHELL, with its quotes gone (make cuts it as a command)."""
    for match in _PART.finditer(text.text):
        word = text.cut(*match.span())
        plain = [word.cut(i, i + 1) for i, c in enumerate(word.text) if c not in "'\""]
        yield word if len(plain) == len(word.text) else join(plain)


def before_text(shell: Sequence[Traced], text: Traced) -> tuple[Word, ...]:
    """The words that make passes to a shell for a text; those of the shell stand where the text does."""
    route = text.route
    return (*(Word(through(word, route).pieces) for word in shell), Word(text.pieces))


DEEPER = hole(Hole("$(MAKELEVEL)", "how many calls of make are above this one", shape=Shape.NUMBER))
"""MAKELEVEL below the first call: not counted, so that what a makefile comes to is the same in each."""


@dataclass
class Surroundings:
    """Of the recipes of one run."""

    interpreter: Interpreter
    _env: tuple[Variable, ...] | None = None

    def shell(self) -> tuple[Dialect, bool, bool]:
        """The language, and whether ``-e`` and ``pipefail`` are on."""
        run = self.interpreter.run
        words_of_shell = run.value("SHELL").text.split() or ["sh"]
        name = basename(words_of_shell[0])
        if name == "env" and len(words_of_shell) > 1:
            name = words_of_shell[-1]
        name = name.removesuffix(".exe")
        dialect = Dialect.SH if HOLE_MARK in name else _DIALECTS.get(name, Dialect.UNREAD)
        flags = run.value(".SHELLFLAGS").text.split()
        errexit = any(f.startswith("-") and not f.startswith("--") and "e" in f[1:] for f in flags)
        return dialect, errexit, "pipefail" in flags

    def foreign_shell(self, dialect: Dialect) -> list[Traced] | None:
        """The words that make puts before the text, where the program is no shell that is read."""
        if dialect is not Dialect.UNREAD:
            return None
        run = self.interpreter.run
        return [*_words(run.value("SHELL")), *_words(run.value(".SHELLFLAGS"))]

    def environment(self, frames: Sequence[Frame]) -> tuple[Variable, ...]:
        """The exported variables among the frames of a target; the automatic variables are in front already."""
        if not frames and self._env is not None:
            return self._env
        run, exported = self.interpreter.run, self.interpreter.exported
        names = [n for n, on in exported.items() if on and n not in ("MAKEFLAGS", "MAKELEVEL")]
        if self.interpreter.rules.exports_all:
            known = run.variables.globals
            names += [
                n
                for n, d in known.items()
                if n not in exported and n not in _NEVER and d.origin >= Origin.FILE and _NAME.match(n)
            ]
        names += [n for frame in frames for n, d in frame.items() if d.exported and n not in names]
        env = tuple(Variable(name, run.value(name)) for name in names)
        if not frames:
            self._env = env
        return env

    def for_make(self) -> tuple[Variable, ...]:
        """What make adds for the sake of a sub-make."""
        run = self.interpreter.run
        deeper = literal("1") if run.value("MAKELEVEL").text == "0" else DEEPER
        flags = self.interpreter.flags()
        variables = [Variable("MAKELEVEL", deeper)]
        return (*variables, Variable("MAKEFLAGS", flags)) if flags.text else tuple(variables)


def handed_on(flags: Traced, overrides: Traced) -> Traced:
    """MAKEFLAGS of the options and the variables of the command line."""
    return join((flags, literal(" -- "), overrides)) if overrides.text.strip() else flags
