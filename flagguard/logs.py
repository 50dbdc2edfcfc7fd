"""Build logs and compilation databases that the command line names: from files to their commands.

What a build printed is judged like any command, but for what only a tree has: tasks, jobs, callers. A log in which
nothing can be judged, or which hides what it compiled, is a problem: green must mean something.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path

from flagguard.command import Command
from flagguard.concluding import conclude
from flagguard.config import Config
from flagguard.engine import FileCommands, merged
from flagguard.findings import Judged, Report
from flagguard.hosts import Setting, compile_commands, log
from flagguard.hosts.log import Hidden, Known
from flagguard.judge import judge_file
from flagguard.rules import Rule
from flagguard.shell import evaluate
from flagguard.text import Problem, SourceText
from flagguard.tools.catalogue import basename, tool_for
from flagguard.tools.identity import identify
from flagguard.values import replace

LIMIT = 512 * 1024 * 1024
"""Bytes of the largest log that is read."""

_NOT_IN_LOGS = ("task", "target", "job", "step", "runner", "from")
"""What `where` may ask for and no log says."""
_UTF16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_INNER = frozenset("cc1 cc1plus cc1obj cc1objplus f951 lto1 lto-wrapper collect2 d21 gnat1 go1".split())
"""What `gcc -v` prints below the command that runs it (gccint, "Collect2" and "Passes")."""
_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".m", ".mm", ".f", ".f90", ".F90", ".cu", ".hip", ".rs", ".go",
            ".zig", ".mojo", ".swift", ".s", ".S", ".o", ".obj", ".lo")  # fmt: skip


def load(name: str, here: Path, root: Path, standard: Callable[[], bytes]) -> SourceText | Problem:
    """A log by its name on the command line; `-` is the standard input."""
    if name == "-":
        return decoded("-", standard())
    path = Path(os.path.normpath(here / name))
    shown = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
    try:
        if path.stat().st_size > LIMIT:
            return Problem(shown, 1, f"is too large to read (the limit is {LIMIT} bytes)")
        return decoded(shown, path.read_bytes())
    except OSError as error:
        return Problem(shown, 1, f"cannot be read: {error.strerror or error}")


def decoded(name: str, data: bytes) -> SourceText:
    """UTF-8, or UTF-16 where a mark says so (MSBuild's tracking logs); NULs are no text."""
    encoding = _UTF16.get(data[:2])
    if encoding is not None:
        return SourceText(name, data[2:].decode(encoding, "replace"))
    return SourceText(name, data.decode("utf-8", "surrogateescape").replace("\0", " "))


def collect(sources: Iterable[SourceText], setting: Setting, config: Config) -> tuple[FileCommands, ...]:
    """The commands of each log, in the order of their lines."""
    known = _known(setting, config)
    return tuple(_commands(source, setting, known, config) for source in sources)


def _known(setting: Setting, config: Config) -> Known:
    """The catalogue's programs, those that rules and `[tools]` name, and what runs others."""
    from flagguard.shell.wrapper_table import load as shipped

    wrappers = setting.wrappers or shipped()
    named = config.programs | {basename(name.split()[0]) for name in config.tools}
    answers: dict[str, bool] = {}

    def known(word: str) -> bool:
        found = answers.get(word)
        if found is None:
            base = basename(word)
            found = answers[word] = base in named or log.is_tool(word) or wrappers.find(base) is not None
        return found

    return known


def _commands(source: SourceText, setting: Setting, known: Known, config: Config) -> FileCommands:
    hidden: list[Hidden] = []
    if compile_commands.is_database(source.text):
        reading = compile_commands.read(source, setting)
        scripts, problems = list(reading.scripts), list(reading.problems)
        name = compile_commands.NAME
    else:
        scripts, hidden = log.scripts(source, known)
        problems, name = [], log.NAME
    commands: list[Command] = []
    for script in scripts:
        found = evaluate(script, setting)
        commands += [c for c in found.commands if _is_meant(c, config)]
        if found.problems and _looks_like_one(script.text.text):
            problems += found.problems[:1]
    problems += _told(source, hidden, commands)
    return FileCommands(source.path, (name,), merged(commands), tuple(dict.fromkeys(problems)))


def _is_meant(command: Command, config: Config) -> bool:
    """A command of a program that is looked for; of a compiler, one that compiles: `gcc version 12` is prose."""
    if basename(command.argv[0].text) in _INNER:
        return False
    given = tuple(config.tools.items())
    identities = identify(command.argv, given)[0]
    if any(i.tool is not None and any(c.endswith("-compiler") for c in i.tool.classes) for i in identities):
        return any(w.text.startswith(("-", "@", "/")) or w.text.endswith(_SOURCES) for w in command.argv[1:])
    if any(i.tool is not None for i in identities):
        return True
    names = {name.split()[0] for rule in config.rules for name in rule.command}
    return any(not names.isdisjoint(i.names) for i in identities)


def _looks_like_one(text: str) -> bool:
    """Whether a compiler and an option, or a source, stand next to each other in a line that the shell cannot read."""
    words = text.split()
    for one, following in pairwise(words):
        tool = tool_for(basename(one.strip("\"'(`;&|")))
        if tool is not None and any(c.endswith("-compiler") for c in tool.classes):
            return following.startswith("-") or following.endswith(_SOURCES)
    return False


def _told(source: SourceText, hidden: Sequence[Hidden], commands: Sequence[Command]) -> list[Problem]:
    """That the log hides commands: steps of which no command names the file that they make."""
    if not hidden:
        return []
    made: set[str] = set()
    for command in commands:
        for word in command.argv:
            name = basename(word.text)
            # without `-o` the object is named after the source; cargo names crates, rustc gets `--crate-name`
            made |= {name, name.partition(".")[0]} if name.endswith(_SOURCES) else {name, name.replace("_", "-")}
    lost = [one for one in hidden if made.isdisjoint((basename(one.name), basename(one.name).partition(".")[0]))]
    if not lost:
        return []
    more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
    said = (
        f"the log hides what is run: `{lost[0].shown}`{more}; let the build print its commands "
        "(`make V=1 VERBOSE=1`, `ninja -v`, `cmake --build DIR --verbose`)"
    )
    return [Problem(source.path, lost[0].line, said)]


# -- judging ----------------------------------------------------------------------------------------------------------


def check(files: Sequence[FileCommands], config: Config) -> tuple[Report, tuple[str, ...]]:
    """What the rules say of the logs, and what a reader should know besides.

    A log is one build, so that rules and exemptions which meet nothing there are told and are no findings; a log in
    which no rule judges anything is a problem.
    """
    # a log prints commands, not who looks at their status
    rules = tuple(replace(rule, honoured=False) for rule in config.rules if not _elsewhere(rule))
    judging = replace(config, rules=rules)
    judged = [judge_file(found, judging) for found in files]
    whole = conclude(judged, judging, complete=False)
    problems = list(whole.problems)
    for one in judged:
        if not one.judged and not any(p.path == one.path for p in problems):
            problems.append(Problem(one.path, 1, _nothing(one, rules)))
    report = replace(whole, problems=tuple(sorted(problems)))
    notes = []
    left = [rule.id for rule in config.rules if _elsewhere(rule)]
    if left:
        notes.append(f"not judged, since they ask for places that a log does not have: {', '.join(left)}")
    met = {rule for one in judged for rule in one.matched if one.matched[rule]}
    unmet = [rule.id for rule in rules if rule.at_least and rule.id not in met]
    if unmet:
        notes.append(f"met no command of the log: {', '.join(unmet)}")
    return report, tuple(notes)


def _nothing(one: Judged, rules: Sequence[Rule]) -> str:
    if not rules:
        return "nothing to judge: no rule in force speaks of a log"
    if not one.commands:
        return "nothing to judge: no line of the log is a command of a compiler or another known tool"
    return "nothing to judge: no command of the log is one that a rule speaks of"


def _elsewhere(rule: Rule) -> bool:
    if rule.honoured and not (rule.require or rule.forbid or rule.never):
        return True
    return bool(rule.after or rule.needs) or any(key in _NOT_IN_LOGS for key in rule.where.globs)
