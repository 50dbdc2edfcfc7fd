"""`flagguard sabotage`: prove that check fails when a flag goes missing."""

import argparse
import sys
from pathlib import Path

from flagguard.commands.project import Write, project, strict, style
from flagguard.report import report
from flagguard.report.interface import EditRecord, ProblemRecord, Proved
from flagguard.report.records import problem_records
from flagguard.sabotage import Proof, Result
from flagguard.sabotage import run as prove


def run(options: argparse.Namespace, write: Write) -> int:
    here = project(options)
    asked = here.asked if here.paths else None
    if options.guard is None:
        proof = prove(here.tree, here.config, asked=asked, progress=_progress, strict=strict())
    else:
        from flagguard.sabotage.foreign import Guard, prove_guard

        folder = Path.cwd().relative_to(here.root).as_posix() if Path.cwd().is_relative_to(here.root) else ""
        guard = Guard(options.guard, folder, options.timeout)
        proof = prove_guard(here.tree, here.config, guard, asked=asked, progress=_progress, strict=strict())
    nothing = here.unread(()) if not proof.clean.summary.files else ()
    problems = problem_records((*here.problems, *proof.clean.problems, *nothing))
    problems += _refused(proof) if not nothing else ()
    edits = tuple(_record(result) for result in proof.results)
    write(report(options.format).sabotage(Proved(proof.summary(), edits, problems), style(here.prefix)))
    return 2 if any(problem.fatal for problem in problems) else proof.status


def _refused(proof: Proof) -> tuple[ProblemRecord, ...]:
    """That nothing was proved is told like anything else that keeps it from being judged."""
    return (ProblemRecord(".", 1, proof.refusal),) if proof.refusal is not None else ()


def _record(result: Result) -> EditRecord:
    return EditRecord(
        kind=result.kind.value,
        operator=result.operator.value,
        rule=result.rule,
        file=result.path,
        line=result.line,
        verdict=result.outcome.value,
        detail=result.detail,
        diff=result.diff,
    )


def _progress(done: int, total: int) -> None:
    """How far it is, on a terminal only; the last call wipes it away."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done} of {total} edits" if done < total else "\r\x1b[K")
        sys.stderr.flush()
