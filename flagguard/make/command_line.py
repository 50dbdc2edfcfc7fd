"""How make is called: what its command line means (GNU make manual 9.7 "Summary of Options", 9.5 "Overriding").

Words in, values out; nothing is looked up.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from flagguard.command import Word
from flagguard.patterns import expression
from flagguard.text import HOLE_MARK, Hole, Traced, hole, join, literal
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
_LONG_SWITCHES = {
    "always-make": "B", "environment-overrides": "e", "ignore-errors": "i", "keep-going": "k", "stop": "S",
    "no-keep-going": "S", "check-symlink-times": "L", "just-print": "n", "dry-run": "n", "recon": "n",
    "print-data-base": "p", "question": "q", "no-builtin-rules": "r", "no-builtin-variables": "R", "silent": "s",
    "quiet": "s", "touch": "t", "print-directory": "w", "version": "v", "help": "h", "trace": "--trace",
    "no-silent": "--no-silent", "no-print-directory": "--no-print-directory",
    "warn-undefined-variables": "--warn-undefined-variables",
}  # fmt: skip
_LONG_MAYBE_VALUE = {"jobs": "j", "load-average": "l", "max-load": "l", "output-sync": "O", "debug": "--debug="}
_PASSED_ON = "BdeikLnpqrRstw"
"""The letters that MAKEFLAGS hands on, in its order,"""
_PASSED_LATER = ("--trace", "--no-print-directory", "--warn-undefined-variables")
"""and the long options (make's table of switches)."""
_FLAG = expression(r"(?s:\\.|[^\s\\])+")
_QUOTED = expression(r"[\s\\$]")
_ASSIGNMENT = expression(rf"([^\s:#={HOLE_MARK}+?!]+)\s*(\+|\?|:{{0,3}})=")


@dataclass(frozen=True)
class CommandLine:
    """One call of make."""

    directories: tuple[Traced, ...] = ()
    """The values of -C, each relative to the one before."""
    makefiles: tuple[Traced, ...] = ()
    goals: tuple[Traced, ...] = ()
    overrides: Mapping[str, Traced] = field(default_factory=dict)
    switches: frozenset[str] = frozenset()
    """Letters, and the long options that have none."""
    valued: Mapping[str, Traced] = field(default_factory=dict)
    """-j, -l, -O, --debug with their values."""
    include: tuple[Traced, ...] = ()
    """The values of -I."""
    doubt: Word | None = None
    """A word that is not known, and may be a goal, a variable or an option."""
    evals: tuple[Traced, ...] = ()
    """The values of --eval."""

    @property
    def identity(self) -> tuple[object, ...]:
        """The options, to be compared."""
        valued = tuple((name, value.pieces) for name, value in self.valued.items())
        return tuple(sorted(self.switches)), valued, tuple(folder.pieces for folder in self.include)

    @property
    def runs(self) -> bool:
        """Whether any recipe line is run."""
        return not self.switches & {"v", "h"}

    @property
    def only_marked(self) -> bool:
        """Whether just the lines that call make, or start with a plus sign, are run (manual 9.3)."""
        return bool(self.switches & {"n", "q", "t"})

    @property
    def environment_wins(self) -> bool:
        """-e"""
        return "e" in self.switches

    @property
    def ignores(self) -> bool:
        """-i: the recipes' exit status is ignored."""
        return "i" in self.switches

    def makeflags(self, below: bool) -> Traced:
        """The options as MAKEFLAGS tells them; ``below``: in a sub-make (manual 5.7.3, make's `define_makeflags`)."""
        on = set(self.switches)
        if "R" in on:
            on.add("r")
        if (below or self.directories) and "s" not in on:
            on.add("w")
        if "--no-print-directory" in on:
            on.discard("w")
        if "S" in on:
            on.discard("k")
        parts = [literal("".join(letter for letter in _PASSED_ON if letter in on))]
        for name, values in (("-I", self.include), *((n, (v,)) for n, v in self.valued.items())):
            for value in values:
                dashed = name if name.startswith("-") else f"-{name}"
                parts += [literal(f" {dashed}"), _quoted(value)]
        jobs = self.valued.get("j")
        if jobs is not None and jobs.text not in ("", "1"):
            parts += [literal(" --jobserver-auth="), hole(Hole("R,W", "the jobserver's descriptors"))]
        parts += [literal(f" {name}") for name in _PASSED_LATER if name in on]
        for text in self.evals:
            parts += [literal(" --eval="), _doubled(_quoted(text))]
        return join(parts)


def with_flags(words: Sequence[Word], *flags: Traced | None) -> CommandLine:
    """The words behind the program, with what the environment's MAKEFLAGS says before them (manual 5.7.3)."""
    line = read(words)
    for given in reversed(flags):
        if given is not None:
            above = read(list(_flags(given)))
            line = below(replace(above, switches=above.switches - {"w"}), line)  # a sub-make has -w by itself
    return line


def below(above: CommandLine, own: CommandLine) -> CommandLine:
    """The options of two places together; those of ``own`` count."""
    return replace(
        own,
        overrides={**above.overrides, **own.overrides},
        switches=above.switches | own.switches,
        valued={**above.valued, **own.valued},
        include=(*above.include, *own.include),
        evals=(*above.evals, *own.evals),
    )


def flags_of(value: Traced) -> CommandLine:
    """What a value of MAKEFLAGS says."""
    return read(list(_flags(value)))


def _flags(flags: Traced) -> Iterator[Word]:
    """The words of MAKEFLAGS: blanks separate them, a backslash quotes; the first may be letters without their dash."""
    for index, found in enumerate(_FLAG.finditer(flags.text)):
        text = found[0]
        word = _single(flags.cut(*found.span()))
        if text == "--":
            continue
        if index == 0 and not text.startswith("-") and "=" not in text:
            word = join((literal("-"), word))
        parts, at = [], 0
        while (quote := word.text.find("\\", at)) >= 0:
            parts += [word.cut(at, quote), word.cut(quote + 1, quote + 2)]
            at = quote + 2
        yield Word(join((*parts, word.cut(at, len(word)))).pieces)


def _doubled(text: Traced) -> Traced:
    """Dollars as they stand in a recursive variable."""
    parts, at = [], 0
    while (dollar := text.text.find("$", at)) >= 0:
        parts += [text.cut(at, dollar + 1), literal("$")]
        at = dollar + 1
    return join((*parts, text.cut(at, len(text)))) if parts else text


def _single(word: Traced) -> Traced:
    """Double dollars as one: make expands the value."""
    parts, at = [], 0
    while (double := word.text.find("$$", at)) >= 0:
        parts.append(word.cut(at, double + 1))
        at = double + 2
    return join((*parts, word.cut(at, len(word)))) if parts else word


def assignment(name: str, value: Traced) -> Traced:
    """``NAME=VALUE`` as MAKEFLAGS carries it."""
    return join((literal(f"{name}="), _quoted(value)))


def _quoted(value: Traced) -> Traced:
    parts, at = [], 0
    for found in _QUOTED.finditer(value.text):
        parts += [value.cut(at, found.start()), literal("$" if found[0] == "$" else "\\")]
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
        frozenset(reader.switches),
        {name: reader.valued[name] for name in ("j", "l", "O", "--debug=") if name in reader.valued},
        tuple(reader.include),
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
        self.include: list[Traced] = []
        self.valued: dict[str, Traced] = {}

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
                value = join((self.overrides[name], literal(" "), value))
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
                    following = self.words[self.at]
                    if re.fullmatch(r"[0-9.]+", following.text) or following.text == HOLE_MARK:
                        self.at += 1
                        rest = Traced(following.pieces)
                self.valued[letter] = rest
                return
            self._switch(letter)

    def _long(self, word: Word) -> None:
        name, equals, _ = word.text[2:].partition("=")
        letter = None if name in _LONG_SWITCHES else _long_name(name, _LONG_WITH_VALUE)
        if letter is not None:
            self._value(letter, word.cut(len(name) + 3, len(word)) if equals else self._next())
            return
        optional = _long_name(name, _LONG_MAYBE_VALUE)
        if optional is not None:
            given = word.cut(len(name) + 3, len(word)) if equals else Traced()
            if not (optional == "--debug=" and not given) or equals:
                self.valued[optional] = given
            return
        switch = _long_name(name, _LONG_SWITCHES)
        if switch is not None:
            self._switch(switch)

    def _switch(self, name: str) -> None:
        opposite = {"--no-silent": "s", "S": "k", "k": "S", "s": "--no-silent"}.get(name)
        self.switches.discard(opposite or "")
        self.switches.add(name)

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
        elif letter == "I":
            self.include.append(value)
        elif letter == "E":
            self.evals.append(value)


def _long_name(name: str, table: Mapping[str, str]) -> str | None:
    """What a long option is, which may be cut short (getopt_long(3))."""
    if name in table:
        return table[name]
    known = {table[long] for long in table if name and long.startswith(name)}
    return known.pop() if len(known) == 1 else None
