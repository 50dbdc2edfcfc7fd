"""`flagguard commands`: list the commands that are found."""

import argparse
from collections.abc import Sequence

from flagguard.commands import RefusalError
from flagguard.commands.project import Project, Write, project, strict, style
from flagguard.config import Config
from flagguard.engine import FileCommands, collect
from flagguard.entries import names, unreached
from flagguard.report import report
from flagguard.report.interface import Listed
from flagguard.report.records import Spots, command_record, problem_records
from flagguard.rules import Rule, Where
from flagguard.text import Problem
from flagguard.values import replace


def run(options: argparse.Namespace, write: Write) -> int:
    here = project(options)
    if options.platform and not options.log:
        raise RefusalError("--platform: says where the build of a `--log` ran")
    if options.log:
        return _of_logs(options, here, write)
    config = _with_entries(here.config, options.entries or ())
    files = collect(here.tree, config, strict=strict())
    problems = [*here.problems, *here.unread(found.path for found in files)]
    problems += [problem for found in files for problem in found.problems if here.asked(problem.path)]
    spots = Spots(here.read)
    commands = [command for found in files for command in found.commands]
    if options.unreached:
        commands = unreached((found.path, found.hosts, found.commands) for found in files)
    if options.entries:
        commands = [command for command in commands if any(entry in command.entries for entry in options.entries)]
        problems += _no_file(options.entries, files)
    records = [command_record(command, spots) for command in commands if here.asked(command.span.path)]
    records.sort(key=lambda r: (r.at, r.via, r.platforms, r.when, r.argv))
    write(report(options.format).commands(Listed(tuple(records), problem_records(problems)), style(here.prefix)))
    return 2 if any(problem.fatal for problem in problems) else 0


def _with_entries(config: Config, entries: Sequence[str]) -> Config:
    """The configuration with entry points of the command line, as a rule's `where.from` names them."""
    if not entries:
        return config
    asking = Rule("from", "", (), Where({"from": tuple(entries)}))
    return replace(config, rules=(*config.rules, asking))


def _no_file(entries: Sequence[str], files: Sequence[FileCommands]) -> list[Problem]:
    return [
        Problem(".", 1, f"--from: no file that holds commands is `{entry.partition(':')[0]}`")
        for entry in entries
        if not any(names(entry, found.path) for found in files)
    ]


def _of_logs(options: argparse.Namespace, here: Project, write: Write) -> int:
    from flagguard.commands.logs import opened

    logs = opened(options, here)
    spots = logs.spots(here)
    records = [command_record(command, spots) for found in logs.files for command in found.commands]
    problems = [*here.problems, *logs.problems, *(problem for found in logs.files for problem in found.problems)]
    write(report(options.format).commands(Listed(tuple(records), problem_records(problems)), style(here.prefix)))
    return 2 if any(problem.fatal for problem in problems) else 0
