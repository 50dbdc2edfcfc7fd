"""`flagguard check`: judge every build command against the rules."""

import argparse

from flagguard.checking import check
from flagguard.commands.project import Project, Write, project, strict, style
from flagguard.report import report
from flagguard.report.interface import Checked
from flagguard.report.records import Spots, finding_records, problem_records


def run(options: argparse.Namespace, write: Write) -> int:
    here = project(options)
    found = check(here.tree, here.config, asked=here.asked if here.paths else None, strict=strict())
    problems = problem_records((*here.problems, *here.unread(found.files), *found.report.problems))
    findings = finding_records(found.report.findings, Spots(here.read))
    result = Checked(found.report.summary, findings, problems, _notes(here))
    write(report(options.format).check(result, style(here.prefix)))
    return 2 if any(problem.fatal for problem in problems) else found.report.status


def _notes(here: Project) -> tuple[str, ...]:
    told = []
    if here.config.path is None:
        told.append(
            "there is no flagguard.toml: judged by the pack cpu-baseline, as far as it needs no baseline "
            "(nothing may be tuned to the build machine)"
        )
    if here.paths:
        told.append(f"only what stands in {', '.join(here.paths)} is shown; the whole tree was read")
    return tuple(told)
