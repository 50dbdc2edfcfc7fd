"""`flagguard commands`: list the commands that are found."""

import argparse

from flagguard.commands.project import Write, project, strict, style
from flagguard.engine import collect
from flagguard.report import report
from flagguard.report.interface import Listed
from flagguard.report.records import Spots, command_record, problem_records


def run(options: argparse.Namespace, write: Write) -> int:
    here = project(options)
    files = collect(here.tree, here.config, strict=strict())
    problems = [*here.problems, *here.unread(found.path for found in files)]
    problems += [problem for found in files for problem in found.problems if here.asked(problem.path)]
    spots = Spots(here.read)
    records = [command_record(c, spots) for found in files for c in found.commands if here.asked(c.span.path)]
    records.sort(key=lambda r: (r.at, r.via, r.platforms, r.when, r.argv))
    write(report(options.format).commands(Listed(tuple(records), problem_records(problems)), style(here.prefix)))
    return 2 if any(problem.fatal for problem in problems) else 0
