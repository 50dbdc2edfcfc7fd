"""`flagguard check`: judge every build command against the rules."""

import argparse

from flagguard.commands.project import Project, Write, project, strict, style
from flagguard.remembering import Outcome, check
from flagguard.report import report
from flagguard.report.interface import Checked
from flagguard.report.records import Spots, finding_records, problem_records


def run(options: argparse.Namespace, write: Write) -> int:
    here = project(options)
    found = _outcome(here, options.cache)
    problems = problem_records((*here.problems, *here.unread(found.paths), *found.report.problems))
    findings = finding_records(found.report.findings, Spots(here.read))
    result = Checked(found.report.summary, findings, problems, _notes(here))
    write(report(options.format).check(result, style(here.prefix)))
    return 2 if any(problem.fatal for problem in problems) else found.report.status


def _outcome(here: Project, kept: bool) -> Outcome:
    asked = here.asked if here.paths else None
    if kept and not strict():
        return check(here.tree, here.config, asked=asked)
    from flagguard import checking  # imports all the stages

    found = checking.check(here.tree, here.config, asked=asked, strict=strict())
    return Outcome(tuple(file.path for file in found.files), found.report)


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
