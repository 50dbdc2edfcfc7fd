"""Programs whose argument is another command: taking one layer off an argument vector.

:func:`peel` reads the wrapper's own words by the table (:mod:`flagguard.shell.wrapper_table`) and hands back the
command inside, as words or as shell text. It knows no tree, no variables and no compiler. Options are read as
getopt_long(3) reads them, with the differences that each entry names; the manuals are beside the entries.
"""

from collections.abc import Sequence

from flagguard.command import Dialect, Word, looked_up, word
from flagguard.patterns import expression
from flagguard.shell.parallel import peel_parallel, with_inputs
from flagguard.shell.peeled import Peeled
from flagguard.shell.split_string import split_string
from flagguard.shell.wrapper_forms import (
    command_text,
    named_options,
    peel_cmd,
    peel_find,
    peel_python,
    peel_shell,
    python_script,
)
from flagguard.shell.wrapper_table import Effect, Entry, Env, Runs, Separator, WrapperOption, Wrappers, load
from flagguard.text import HOLE_MARK, Hole, Shape, Traced, literal
from flagguard.values import dataclass, field, replace

__all__ = ["Env", "Peeled", "Wrappers", "load", "peel"]

_SHELLS = {"SHELL": "bash", "BASH": "bash"}
"""Variables that name a shell (bash manual, "Bash Variables"); in ``SHELL`` it is the user's, mostly a bash."""
_ASSIGNMENT = expression(r"([A-Za-z_][A-Za-z0-9_]*)=")
_NAME = expression(r"[A-Za-z_][A-Za-z0-9_]*")
_PYTHON = expression(rf"(?:python|pypy|py)[0-9.]*[tdm]?{HOLE_MARK}?(?:\.exe)?")
_NUMBER = expression(r"--?[+-]?\d+")


def peel(argv: Sequence[Word], table: Wrappers | None = None) -> tuple[Peeled, ...]:
    """The commands that ``argv`` runs as a wrapper, one layer deep.

    ``()`` where it is no wrapper or runs nothing here; several for ``find -exec a \\; -exec b +``.
    """
    if not argv:
        return ()
    known = load() if table is None else table
    if _PYTHON.fullmatch(argv[0].text.rsplit("/", 1)[-1]):
        found = peel_python(argv)
        at = python_script(argv) if known.own and not found else 0
        return _peel_file(tuple(argv), at, known) if at else found
    entry = known.find(_program(argv[0]))
    if entry is None or not _stands_right(argv[0].text, entry):
        return ()
    found = _peel(tuple(argv), 1, entry)
    if known.own and len(found) == 1 and found[0].script_file is not None:
        return _peel_file(tuple(argv), len(argv) - len(found[0].arguments) - 1, known) or found
    return found


def _peel_file(argv: tuple[Word, ...], at: int, table: Wrappers) -> tuple[Peeled, ...]:
    """An interpreter that runs the file at ``at``, where the configuration calls that a wrapper."""
    entry = table.find(_program(argv[at])) if _program(argv[at]) in table.own else None
    if entry is None:
        return ()
    return tuple(
        replace(p, wrapper=(*argv[:at], *p.wrapper), index=p.index + at if p.index >= 0 else -1)
        for p in _peel(argv[at:], 1, entry)
    )


def _program(first: Word) -> str:
    """The program's name without its folder; empty where a hole may be part of it."""
    name = first.text.rsplit("/", 1)[-1]
    if name == HOLE_MARK:
        return looked_up(first) or _SHELLS.get(first.holes[-1].name or "", "") if len(first) == 1 else ""
    return "" if HOLE_MARK in name else name.removesuffix(".exe")


def _stands_right(path: str, entry: Entry) -> bool:
    """Whether a program of this path can be the entry's: ``./watch`` is the repository's own."""
    folder = path.rpartition("/")[1] == "/"
    if entry.folder == "none":
        return not folder
    return entry.folder == "any" or not folder or path[0] in "/" + HOLE_MARK


@dataclass
class _Scan:
    """What the wrapper's own words have said so far."""

    argv: tuple[Word, ...]
    entry: Entry
    env: Env
    ignores_status: bool
    assignments: list[tuple[str, Word]] = field(default_factory=list)
    env_files: list[Word] = field(default_factory=list)
    directory: Word | None = None
    mounts: list[Word] = field(default_factory=list)
    file: Word | None = None
    unset: list[str] = field(default_factory=list)
    passes: list[str] = field(default_factory=list)
    text: Traced | None = None
    text_at: int | None = None
    lead: tuple[Word, ...] = ()
    """Words that come before the operands: a program that an option names."""
    replaces: str | None = None
    appends: bool = True
    runs: Runs = Runs.ARGV
    shell: bool = False
    dialect: Dialect = Dialect.SH
    doubt: Word | None = None
    nothing: bool = False
    rest: bool = False

    @property
    def takes_all_operands(self) -> bool:
        """Whether no operand begins the command."""
        collects = self.runs in (Runs.OPTION, Runs.TEXTS, Runs.LAST_TEXT, Runs.SU)
        return collects or self.entry.separator is Separator.REQUIRED

    def take(self, effect: Effect, value: Word | None, at: int) -> None:
        """An option's meaning; ``at``: the index of the word that holds the value (or the option itself)."""
        match effect:
            case Effect.NOTHING:
                self.nothing = True
            case Effect.CLEAR:
                self.env = Env.CLEAR
            case Effect.PASS if value is None:
                self.env = Env.KEEP
            case Effect.KEEP:
                self.env = Env.KEEP
            case Effect.HONOURS | Effect.IGNORES:
                self.ignores_status = effect is Effect.IGNORES
            case Effect.REST:
                self.rest = True
            case Effect.SHELL:
                self.shell = True
            case Effect.AS_ARGV:
                self.runs = Runs.ARGV
            case Effect.AS_TEXT:
                self.runs = Runs.TEXT
            case Effect.APPEND:
                self.replaces, self.appends = None, True
            case Effect.APPEND_MANY:
                if value is None or value.text != "1":
                    self.replaces, self.appends = None, True
            case Effect.REPLACE:
                self.replaces, self.appends = value.text if value else "{}", False
            case _ if value is not None:
                self._take_value(effect, value, at)
            case _:
                pass

    def _take_value(self, effect: Effect, value: Word, at: int) -> None:
        match effect:
            case Effect.ASSIGN:
                self.assign(value)
            case Effect.ASSIGN_OR_UNSET:
                if _NAME.fullmatch(value.text):
                    self.unset.append(value.text)
                self.assign(value)
            case Effect.SET:
                name, given = self.argv[at - 1].text, value
                self.assignments.append((name, given))
            case Effect.UNSET:
                self.unset.append(value.text)
            case Effect.PASS:
                self.passes += _NAME.findall(value.text)
            case Effect.TEXT:
                self.text, self.text_at = value, at
            case Effect.FILE:
                self.file = value
            case Effect.ENV_FILE:
                self.env_files.append(value)
            case Effect.CHDIR:
                self.directory = value
            case Effect.MOUNT:
                self.mounts.append(value)
            case Effect.PROGRAM:
                self.lead = (value,) if value else ()
            case Effect.MODULE:
                self.lead = (word(literal("python")), word(literal("-m")), value)
                self.rest = True
            case Effect.DIALECT:
                self.dialect = _dialect(value)
            case _:
                pass

    def assign(self, given: Word) -> None:
        if given.text.startswith("="):
            given = word(given.cut(1, len(given)))
        match = _ASSIGNMENT.match(given.text)
        if match is not None:
            value = given.cut(match.end(), len(given))
            self.assignments.append((match[1], word(value)))
        elif _NAME.fullmatch(given.text):
            self.passes.append(given.text)


def _dialect(shell: Word) -> Dialect:
    entry = load().find(_program(shell))
    return entry.dialect if entry is not None and entry.runs is Runs.SHELL else Dialect.UNREAD


def _peel(argv: tuple[Word, ...], start: int, entry: Entry) -> tuple[Peeled, ...]:
    match entry.runs:
        case Runs.SHELL:
            return peel_shell(argv, start, entry)
        case Runs.FIND:
            return peel_find(argv, entry)
        case Runs.CMD:
            return peel_cmd(argv)
        case _:
            pass
    scan = _Scan(
        argv, entry, entry.env, entry.ignores_status, runs=entry.runs, shell=entry.shell, dialect=entry.dialect
    )
    scan.replaces = entry.replaces
    scan.passes += entry.passes
    at, operands = _own_words(scan, start)
    if at < 0:
        return _peel_split(scan, -at)
    if scan.nothing:
        return ()
    if entry.commands and at < len(argv) and not scan.rest:
        inner = entry.commands.get(argv[at].text)
        if inner is not None or entry.runs is Runs.GROUP:
            found = _peel(argv, at + 1, inner) if inner is not None else ()
            return tuple(
                replace(p, doubt=scan.doubt or p.doubt, directory=p.directory or scan.directory) for p in found
            )
    if entry.runs is Runs.PARALLEL:
        return peel_parallel(argv, at, scan.runs is Runs.ARGV, scan.doubt)
    return _inner(scan, at, operands)


def _own_words(scan: _Scan, at: int) -> tuple[int, list[int]]:
    """Reads the wrapper's own words from ``at`` on: where the command begins, and the operands before it.

    A negative index: the option of that word is to be split (``env -S``).
    """
    argv, entry = scan.argv, scan.entry
    operands: list[int] = []
    options_over = False
    while at < len(argv) and not scan.nothing and not scan.rest:
        current = argv[at]
        text = current.text
        if not options_over and text in entry.commands:
            break
        if not options_over and text == "--":
            options_over = True
            at += 1
            if entry.separator in (Separator.COMMAND, Separator.REQUIRED) or entry.runs is Runs.LAST_TEXT:
                scan.rest = True
        elif not options_over and text[:1] == "-" and (text != "-" or "-" in entry.options):
            after, split = _take_option(scan, at)
            if split:
                return -at, operands
            at = after
        elif not options_over and named_options(current):
            scan.doubt = scan.doubt or current
            at += 1
        elif entry.assignments and _ASSIGNMENT.match(text):
            scan.assign(current)
            at += 1
            options_over = options_over or not entry.interspersed
        elif not operands and text in entry.optional:
            at += 1
        elif len(operands) < len(entry.operands) or scan.takes_all_operands:
            operands.append(at)
            at += 1
            mixed = entry.interspersed or scan.takes_all_operands or entry.separator is Separator.COMMAND
            options_over = options_over or not mixed
        else:
            break
    return at, operands


def _take_option(scan: _Scan, at: int) -> tuple[int, bool]:
    """Reads the option word at ``at``: the index behind it and its values, and whether it is to be split."""
    current = scan.argv[at]
    for option, joined in _options_in(current, scan):
        if Effect.SPLIT in option.effects:
            return at, True
        taken, value, value_at = 0, joined, at
        if value is None and option.values and not option.joined:
            taken = option.values
            value_at = at + taken
            if value_at >= len(scan.argv):
                scan.nothing = Effect.REPLACE not in option.effects
                return len(scan.argv), False
            value = scan.argv[value_at]
        for effect in option.effects:
            scan.take(effect, value, value_at)
        if taken:
            return value_at + 1, False
    return at + 1, False


def _options_in(current: Word, scan: _Scan) -> list[tuple[WrapperOption, Word | None]]:
    """The options that one word holds, each with its joined value; those that are not known make a doubt."""
    text, options = current.text, scan.entry.options
    if text.startswith("--") and text[1:].partition("=")[0] in options:
        text, current = text[1:], word(current.cut(1, len(current)))
    if text in options:
        return [(options[text], None)]
    name, equals, _ = text.partition("=")
    joined = word(current.cut(len(name) + 1, len(current))) if equals else None
    if name in options and joined is not None and (name.startswith("--") or len(name) > 2):
        return [(options[name], joined)]
    if text.startswith("--"):
        if scan.entry.abbreviations and HOLE_MARK not in name:
            fits = {options[o] for o in options if o.startswith(name)}
            if len(fits) == 1:
                return [(fits.pop(), joined)]
        if joined is None and not scan.entry.joined_only and not _NUMBER.fullmatch(text):
            scan.doubt = scan.doubt or current
        return []
    found: list[tuple[WrapperOption, Word | None]] = []
    for i in range(1, len(text)):
        option = options.get("-" + text[i])
        if option is None:
            if not scan.entry.joined_only and not _NUMBER.fullmatch(text):
                scan.doubt = scan.doubt or current
            break
        value = word(current.cut(i + 1, len(current))) if i + 1 < len(text) else None
        if option.values or option.joined:
            found.append((option, value))
            break
        found.append((option, None))
    return found


def _peel_split(scan: _Scan, at: int) -> tuple[Peeled, ...]:
    """``env -S``: the words of the string take its place, then env reads them all again."""
    current = scan.argv[at]
    text = current.text
    flags: tuple[Word, ...] = ()
    if text.startswith("--"):
        value = current.cut(text.find("=") + 1, len(text)) if "=" in text else None
    else:
        letter = text.index("S")
        flags = (word(current.cut(0, letter)),) if letter > 1 else ()
        value = current.cut(letter + 1, len(text)) if letter + 1 < len(text) else None
    after = at + 1
    if value is None:
        if after >= len(scan.argv):
            return ()
        value, after = scan.argv[after], after + 1
    words = split_string(value)
    if words is None:
        return ()
    before = (*scan.argv[:at], *flags)
    found = _peel((*before, *words, *scan.argv[after:]), 1, scan.entry)
    shift = after - len(before) - len(words)
    return tuple(
        replace(
            p,
            wrapper=scan.argv[:after] + p.wrapper[len(before) + len(words) :],
            index=p.index + shift if p.index >= len(before) + len(words) else -1,
        )
        for p in found
    )


def _inner(scan: _Scan, at: int, operands: list[int]) -> tuple[Peeled, ...]:
    """The command that begins at ``at``, in the way that the wrapper runs it."""
    argv, entry = scan.argv, scan.entry
    base = Peeled(
        argv[:at],
        dialect=scan.dialect,
        in_process=entry.in_process,
        env=scan.env,
        assignments=tuple(scan.assignments),
        env_files=tuple(scan.env_files),
        directory=scan.directory,
        mounts=tuple(scan.mounts),
        unset=tuple(scan.unset),
        passes=tuple(scan.passes) if scan.env is Env.CLEAR else (),
        ignores_status=scan.ignores_status,
        doubt=scan.doubt,
    )
    rest = argv[at:]
    if scan.text is not None:
        arguments = operands[1:] if scan.runs is Runs.SU else []
        own = tuple(w for i, w in enumerate(argv[:at]) if i != scan.text_at and i not in arguments)
        given = tuple(argv[i] for i in arguments)
        return (replace(base, wrapper=own, script=scan.text, name=given[0] if given else None, arguments=given[1:]),)
    if scan.file is not None:
        return (replace(base, script_file=scan.file),)
    if scan.runs is Runs.SU:
        return _peel_su(base, argv, operands)
    if scan.runs is Runs.TEXTS:
        own = tuple(w for i, w in enumerate(argv[:at]) if i not in operands)
        return tuple(replace(base, wrapper=own, script=argv[i]) for i in operands if argv[i].text not in entry.optional)
    if entry.runs is Runs.LAST_TEXT and not rest:
        if len(operands) <= len(entry.operands):
            return ()
        return (replace(base, wrapper=argv[: operands[-1]], script=argv[operands[-1]]),)
    if scan.lead:
        return (replace(base, argv=(*scan.lead, *rest)),)
    missing = len(operands) < len(entry.operands) and not scan.rest
    if missing or not rest or (entry.separator is Separator.REQUIRED and not scan.rest):
        return (replace(base, reads_stdin=True),) if scan.shell and not missing and not rest else ()
    match scan.runs:
        case Runs.TEXT:
            return (replace(base, script=command_text(rest)),)
        case Runs.FILE:
            return (replace(base, script_file=rest[0], arguments=rest[1:]),)
        case _:
            return (_words(scan, base, at),)


def _words(scan: _Scan, base: Peeled, at: int) -> Peeled:
    entry = scan.entry
    rest = scan.argv[at:]
    ends = next((i for i, w in enumerate(rest) if w.text == ";"), len(rest)) if entry.replaces else len(rest)
    inner = (_named(rest[0], entry), *rest[1:ends])
    if entry.separator is Separator.INSIDE and not any(w.text == "--" for w in scan.argv[:at]):
        ends = next((i for i, w in enumerate(inner) if w.text == "--"), len(inner))
        lost = next((w for w in inner[1:ends] if w.text.startswith("-")), None)
        base, inner = replace(base, doubt=base.doubt or lost), inner[:ends] + inner[ends + 1 :]
    if entry.appends is None or not scan.appends:
        return replace(base, argv=inner, index=at, replaces=scan.replaces)
    appended = Hole("{}", entry.appends, shape=Shape.PATH if entry.replaces else Shape.ANY)
    if entry.replaces is None:
        return replace(base, argv=inner, index=at, appended=appended)
    filled = tuple(word(with_inputs(w, appended), w.written) for w in inner)
    return replace(base, argv=filled, index=at, appended=appended if filled == inner else None)


def _named(first: Word, entry: Entry) -> Word:
    """The program's name without what the wrapper takes off: a version, an environment."""
    text = first.text
    start = text.find(entry.name_after) + 1 if entry.name_after else 0
    end = text.find(entry.name_until, 1) if entry.name_until else -1
    if start <= 0 and end <= 0:
        return first
    return word(first.cut(start, end if end > 0 else len(text)))


def _peel_su(base: Peeled, argv: tuple[Word, ...], operands: list[int]) -> tuple[Peeled, ...]:
    """``su [-] [USER [ARGUMENT…]]`` without ``-c``: the arguments are the shell's own."""
    if not operands[1:]:
        return (replace(base, reads_stdin=True),)
    shell = peel_shell((*argv[: operands[0] + 1], *(argv[i] for i in operands[1:])), operands[0] + 1, Entry(""))
    return tuple(replace(p, env=base.env, dialect=base.dialect, doubt=base.doubt) for p in shell)
