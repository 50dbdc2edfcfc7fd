"""How make is called: what its command line means (GNU make manual 9.7 "Summary of Options", 9.5 "Overriding").

Words in, values out; nothing is looked up.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from flagguard.command import Word
from flagguard.patterns import expression
from flagguard.text import HOLE_MARK, Traced, join, literal
from flagguard.values import dataclass, field, replace

_WITH_VALUE = frozenset("CfIoWE")
_MAYBE_VALUE = frozenset("jlO")
"""Their value, if any, is joined; `-j 4` and `-l 4` may also stand apart."""
_LONG_WITH_VALUE = {
    "directory": "C",
    "file": "f",
    "makefile": "f",
    "include-dir": "I",
    "old-file": "o",
    "assume-old": "o",
    "what-if": "W",
    "new-file": "W",
    "assume-new": "W",
    "eval": "E",
}
_FLAG = expression(r"(?s:\\.|[^\s\\])+")
_QUOTED = expression(r"[\s\\]")
_ASSIGNMENT = expression(rf"([^\s:#={HOLE_MARK}+?!]+)\s*(\+|\?|:{{0,3}})=")


@dataclass(frozen=True)
class CommandLine:
    """One call of make."""

    directories: tuple[Traced, ...] = ()
    """The values of -C, each relative to the one before."""
    makefiles: tuple[Traced, ...] = ()
    goals: tuple[Traced, ...] = ()
    overrides: Mapping[str, Traced] = field(default_factory=dict)
    environment_wins: bool = False
    """-e"""
    runs: bool = True
    """False for -n, -q, -t, --version and --help: no recipe is run."""
    ignores: bool = False
    """-i: the recipes' exit status is ignored."""
    doubt: Word | None = None
    """A word that is not known, and may be a goal, a variable or an option."""
    evals: tuple[Traced, ...] = ()
    """The values of --eval."""


def with_flags(words: Sequence[Word], flags: Traced | None) -> CommandLine:
    """The words behind the program, with what the environment's MAKEFLAGS says before them (manual 5.7.3)."""
    inherited = list(_flags(flags)) if flags is not None else []
    above, own = read(inherited), read(words)
    return replace(
        own,
        overrides={**above.overrides, **own.overrides},
        environment_wins=above.environment_wins or own.environment_wins,
        runs=above.runs and own.runs,
        ignores=above.ignores or own.ignores,
        evals=(*above.evals, *own.evals),
    )


def _flags(flags: Traced) -> Iterator[Word]:
    """The words of MAKEFLAGS: blanks separate them, a backslash quotes; the first may be letters without their dash."""
    for index, found in enumerate(_FLAG.finditer(flags.text)):
        text = found[0]
        word = flags.cut(*found.span())
        if text == "--":
            continue
        if index == 0 and not text.startswith("-") and "=" not in text:
            word = join((literal("-"), word))
        parts, at = [], 0
        while (quote := word.text.find("\\", at)) >= 0:
            parts += [word.cut(at, quote), word.cut(quote + 1, quote + 2)]
            at = quote + 2
        yield Word(join((*parts, word.cut(at, len(word)))).pieces)


def assignment(name: str, value: Traced) -> Traced:
    """``NAME=VALUE`` as MAKEFLAGS carries it."""
    parts, at = [literal(f"{name}=")], 0
    for found in _QUOTED.finditer(value.text):
        parts += [value.cut(at, found.start()), literal("\\")]
        at = found.start()
    return join((*parts, value.cut(at, len(value))))


def read(words: Sequence[Word]) -> CommandLine:
    """The words behind the program."""
    reader = _Reader(list(words))
    reader.read()
    return CommandLine(
        tuple(reader.directories),
        tuple(reader.makefiles),
        tuple(reader.goals),
        reader.overrides,
        "e" in reader.switches,
        not reader.switches & set("nqtvh"),
        "i" in reader.switches,
        reader.doubt,
        tuple(reader.evals),
    )


class _Reader:
    def __init__(self, words: list[Word]) -> None:
        self.words = words
        self.at = 0
        self.directories: list[Traced] = []
        self.makefiles: list[Traced] = []
        self.goals: list[Traced] = []
        self.overrides: dict[str, Traced] = {}
        self.switches: set[str] = set()
        self.doubt: Word | None = None
        self.evals: list[Traced] = []

    def read(self) -> None:
        only_operands = False
        while self.at < len(self.words):
            word = self.words[self.at]
            text = word.text
            self.at += 1
            if only_operands or not text.startswith("-") or text == "-":
                self._operand(word)
            elif text == "--":
                only_operands = True
            elif text.startswith("--"):
                self._long(word)
            else:
                self._short(word)

    def _operand(self, word: Word) -> None:
        found = _ASSIGNMENT.match(word.text)
        if found is not None:
            value = word.cut(found.end(), len(word))
            name = found.group(1)
            if found.group(2) == "+" and name in self.overrides:
                value = Traced((*self.overrides[name].pieces, *value.pieces))
            self.overrides[name] = value
        elif HOLE_MARK in word.text and word.whole_hole is not None:
            self.doubt = self.doubt or word
        elif word.text:
            self.goals.append(Traced(word.pieces))

    def _short(self, word: Word) -> None:
        text = word.text
        for i, letter in enumerate(text[1:], 1):
            rest = word.cut(i + 1, len(word))
            if letter in _WITH_VALUE:
                self._value(letter, rest if rest else self._next())
                return
            if letter in _MAYBE_VALUE:
                if not rest and letter in "jl" and self.at < len(self.words):
                    following = self.words[self.at].text
                    self.at += bool(re.fullmatch(r"[0-9.]+", following)) or following == HOLE_MARK
                return
            self.switches.add(letter)

    def _long(self, word: Word) -> None:
        name, equals, _ = word.text[2:].partition("=")
        known = [long for long in _LONG_WITH_VALUE if long == name] or [
            long for long in _LONG_WITH_VALUE if name and long.startswith(name)
        ]
        if known:
            letter = _LONG_WITH_VALUE[known[0]]
            self._value(letter, word.cut(len(name) + 3, len(word)) if equals else self._next())
            return
        short = {
            "environment-overrides": "e",
            "just-print": "n",
            "dry-run": "n",
            "recon": "n",
            "question": "q",
            "touch": "t",
            "ignore-errors": "i",
            "version": "v",
            "help": "h",
        }
        self.switches.add(short.get(name, ""))

    def _next(self) -> Traced:
        if self.at >= len(self.words):
            return Traced()
        word = self.words[self.at]
        self.at += 1
        return Traced(word.pieces)

    def _value(self, letter: str, value: Traced) -> None:
        if letter == "C":
            self.directories.append(value)
        elif letter == "f":
            self.makefiles.append(value)
        elif letter == "E":
            self.evals.append(value)
