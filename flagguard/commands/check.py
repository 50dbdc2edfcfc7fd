"""`flagguard check`: judge every build command against the rules."""

import os
from typing import TYPE_CHECKING

from flagguard.commands import RefusalError
from flagguard.commands.project import Project, Write, project, strict, style
from flagguard.findings import Report
from flagguard.remembering import check
from flagguard.report import report
from flagguard.report.interface import Checked
from flagguard.report.records import Spots, finding_records, problem_records

if TYPE_CHECKING:
    import argparse


def run(options: "argparse.Namespace", write: Write) -> int:
    here = project(options)
    if options.platform and not options.log:
        raise RefusalError("--platform: says where the build of a `--log` ran")
    if options.log:
        from flagguard.commands.logs import checked

        result = checked(options, here)
        write(report(options.format).check(result, style(here.prefix)))
        return status(result)
    asked = here.asked if here.paths else None
    jobs = options.jobs or cores()
    found = check(here.tree, here.config, asked=asked, kept=options.cache, strict=strict(), jobs=jobs)
    problems = problem_records((*here.problems, *here.unread(found.paths), *found.report.problems))
    findings = finding_records(found.report.findings, Spots(here.read))
    result = Checked(found.report.summary, findings, problems, _notes(here, found.report))
    write(report(options.format).check(result, style(here.prefix)))
    return status(result)


def status(result: Checked) -> int:
    """2 could not judge, 1 findings, 0 clean."""
    if any(problem.fatal for problem in result.problems):
        return 2
    return 1 if result.summary.errors else 0


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _notes(here: Project, report: Report) -> tuple[str, ...]:
    told = []
    if here.config.whole and report.summary.commands and not report.summary.judged:
        told.append("no command was judged: no rule speaks of any that was read, so nothing is guarded here")
    if here.outside:
        told.append(f"this is no git repository: every file below {here.root} was read")
    if here.config.path is None:
        told.append(
            "there is no flagguard.toml: judged by the pack cpu-baseline, as far as it needs no baseline "
            "(nothing may be tuned to the build machine)"
        )
    if here.paths:
        told.append(f"only what stands in {', '.join(here.paths)} is shown; the whole tree was read")
    return tuple(told)
