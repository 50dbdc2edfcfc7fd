"""`flagguard why FILE:LINE`: the commands there, the way of each word, what they come to, what each rule says."""

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence

from flagguard.asking import question, with_environment
from flagguard.command import Command
from flagguard.commands import RefusalError
from flagguard.commands.explain import words
from flagguard.commands.project import Project, Write, project, strict, style
from flagguard.engine import FileCommands, collect
from flagguard.judging import Clause, Judgement, judgements
from flagguard.report import text
from flagguard.report.interface import CommandRecord, Style
from flagguard.report.records import Spots, command_record, problem_records, quoted
from flagguard.text import SourceText
from flagguard.tools.effective import Effective
from flagguard.tools.invocation import Invocation, understand

_SPOT = re.compile(r"(.+?):(\d+)(?::(\d+))?")
_BY_DEFAULT = " (the tool's default)"
_ANSWERS = {"holds": "holds", "fails": "BROKEN", "open": "unresolved"}


def run(options: argparse.Namespace, write: Write) -> int:
    found = _SPOT.fullmatch(options.spot)
    if found is None:
        raise RefusalError(f"`{options.spot}` is no place: write FILE:LINE or FILE:LINE:COLUMN")
    options.paths = [found[1]]
    here = project(options)
    path, line, column = (here.paths or (found[1],))[0], int(found[2]), found[3]
    spots = Spots(here.read)
    files = collect(here.tree, here.config, strict=strict())
    on = [c for f in files for c in f.commands if _stands(c, path, line, here)]
    if column is not None:
        on = [c for c in on if spots.point(c.span).column == int(column)] or on
    problems = [p for f in files for p in f.problems if p.path == path and p.line == line]
    write(f"{p.file}:{p.line}: {'problem' if p.fatal else 'note'}: {p.message}" for p in problem_records(problems))
    if not on:
        if problems:
            return 2
        raise RefusalError(f"{path}:{line}: no command stands there{_near(_written(files, path, here), line)}")
    looks = style(here.prefix)
    for command, calls in _once(on, spots):
        write(_lines(command, calls, here, spots, looks))
    return 0


def _stands(command: Command, path: str, line: int, here: Project) -> bool:
    """Whether the line is one of those that the command is written on."""
    if path not in (command.span.path, command.extent.path):
        return False
    source = here.read(path)
    return source is not None and any(first <= line <= last for first, last in _range(command, path, source))


def _range(command: Command, path: str, source: SourceText) -> Iterator[tuple[int, int]]:
    for span in (command.span, command.extent):
        if span.path == path:
            yield source.position(span.start)[0], source.position(max(span.end - 1, span.start))[0]


def _written(files: Iterable[FileCommands], path: str, here: Project) -> list[int]:
    """The lines of the file on which commands stand."""
    source = here.read(path)
    if source is None:
        return []
    commands = (command for found in files for command in found.commands)
    return sorted({source.position(command.span.start)[0] for command in commands if command.span.path == path})


def _near(lines: Sequence[int], line: int) -> str:
    if not lines:
        return "; the file has none"
    nearest = min(lines, key=lambda other: (abs(other - line), other))
    return f"; the nearest is in line {nearest}"


def _once(commands: Iterable[Command], spots: Spots) -> list[tuple[Command, int]]:
    """In the order of `commands`; what differs in its callers alone once, with their number."""
    found: dict[object, list[Command]] = {}
    for command in commands:
        key = (command.span, tuple(w.shown for w in command.argv), command.platforms, command.when)
        found.setdefault(key, []).append(command)
    groups = sorted(found.values(), key=lambda g: (spots.point(g[0].span), g[0].platforms, g[0].when, g[0].shown))
    return [(group[0], len(group)) for group in groups]


def _lines(command: Command, calls: int, here: Project, spots: Spots, looks: Style) -> Iterator[str]:
    record = command_record(command, spots)
    yield from text.command(record, looks)
    if calls > 1:
        yield text.row("also", [f"in {calls - 1} more calls or jobs (`flagguard commands` lists them)"], looks)
    for invocation in understand(command, here.config.tools, here.tree.read)[:1]:
        yield from _effective(invocation, record, looks)
    yield from _verdicts(command, here, looks)
    yield ""


def _effective(invocation: Invocation, record: CommandRecord, looks: Style) -> Iterator[str]:
    """What the options come to, by the tool's own order of precedence, and how to ask the tool."""
    if invocation.tool is None:
        yield text.row("tool", ["the catalogue does not know it: its words are read as `--name value`"], looks)
        return
    deciding: set[int] = set()
    variables: set[str] = set()
    told = []
    plain: list[str] = []
    for name in sorted(invocation.tool.effective.keys() - {"platform"}):
        by_answer: dict[str, list[str]] = {}
        for platform in record.platforms or ("",):
            found = invocation.effective(name, platform)
            deciding.update(number for option in (found.option, *found.added) if option for number in option.words)
            variables.update(v for v in (found.variable, found.option and found.option.carrier) if v in record.env)
            by_answer.setdefault(_answer(found, record), []).append(platform)
        if list(by_answer) == [answer := next(iter(by_answer))] and answer.endswith(_BY_DEFAULT):
            plain.append(f"{name} {answer.removesuffix(_BY_DEFAULT)}")
            continue
        for answer, platforms in by_answer.items():
            where = f" on {', '.join(platforms)}" if len(by_answer) > 1 else ""
            told.append(f"{name}: {answer}{where}")
    told += [f"by default: {', '.join(plain)}"] if plain else []
    if told:
        yield text.row("effective", told, looks)
    typed = [quoted(word) for word in invocation.argv]
    asked = question(invocation, (n for n in deciding if n < len(typed)), typed)
    if asked is not None:
        environment = [(name, f"'{record.env[name]}'") for name in sorted(variables)]
        yield text.row("ask", [text.visible(with_environment(asked, environment))], looks)


def _answer(found: Effective, record: CommandRecord) -> str:
    if found.missing is not None:
        return f"not known: `{found.missing.shown}` may decide it"
    if found.value is None:
        return f"{found.default}{_BY_DEFAULT}" if found.default is not None else "not said"
    by = found.variable or ""
    if found.option is not None:
        words_ = [record.argv[number] for number in found.option.words if number < len(record.argv)]
        by = " ".join(words_) or found.option.carrier or found.option.name
    features = "".join(f" +{feature}" for feature in found.features)
    return text.visible(f"{found.value.shown}{features}" + (f" (by `{by}`)" if by else ""))


def _verdicts(command: Command, here: Project, looks: Style) -> Iterator[str]:
    """Each rule that speaks of the command, and what its clauses come to."""
    rules: dict[str, dict[str, list[str]]] = {}
    for judgement in judgements(command, here.config, here.tree.read):
        clauses = rules.setdefault(judgement.rule.id, {})
        asked = _clause(judgement, here)
        if asked is not None:
            clauses.setdefault(asked, []).append(judgement.platform)
    told = []
    for rule, clauses in rules.items():
        said = clauses or {"holds: the command is there": []}
        for clause, platforms in said.items():
            everywhere = not platforms or set(platforms) >= set(command.platforms)
            told.append(f"{rule}: {clause}" + ("" if everywhere else f" on {', '.join(dict.fromkeys(platforms))}"))
    yield text.row("rules", told or ["no rule speaks of it"], looks)


def _clause(judgement: Judgement, here: Project) -> str | None:
    """What one clause of a rule comes to, in words."""
    if judgement.clause is Clause.EXISTS:
        return None
    answer = _ANSWERS[judgement.answer.value]
    if judgement.exemption is not None:
        answer = "exempt"
    if judgement.clause is Clause.NEVER:
        return f"{answer}: the command must not run"
    if judgement.requirement is None:
        return f"{answer}: {judgement.told or judgement.clause.value}"
    asked = words(judgement.requirement, here.config)
    return f"{answer}: {'never ' if judgement.clause is Clause.FORBID else ''}{asked}"
