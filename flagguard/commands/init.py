"""`flagguard init`: look at the repository, propose a configuration, write it, and say what it would find."""

import argparse
import datetime
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flagguard import config as configuration
from flagguard import packs, proposing
from flagguard.checking import judged_file
from flagguard.commands import RefusalError
from flagguard.commands.project import Project, Write, project, strict
from flagguard.concluding import conclude
from flagguard.config import NAME, PYPROJECT, Config
from flagguard.engine import FileCommands, collect
from flagguard.findings import Report
from flagguard.report.records import problem_records
from flagguard.text import SourceText
from flagguard.values import replace

if TYPE_CHECKING:
    from flagguard.proposal_text import Proposal


def run(options: argparse.Namespace, write: Write) -> int:
    here = project(options)
    target = _target(here, options)
    files = collect(here.tree, Config(exclude=here.config.exclude), strict=strict())
    report, proposal = _tried(here, files, options.exempt)
    text = _text(target, here, options, proposal)
    told = configuration.load(SourceText(target.name, text), datetime.date.today()).problems
    if told:
        raise RefusalError(f"{target.name}:{told[0].line}: would not be valid: {told[0].message}")
    if options.dry_run:
        write(text.rstrip("\n").splitlines())
        return 0
    before = target.read_text("utf-8") if target.exists() else None
    if before == text:
        write([f"{target.name} has all of this already; nothing was written"])
    else:
        try:
            target.write_text(text, "utf-8")
        except OSError as error:
            raise RefusalError(f"{target.name}: cannot be written: {error.strerror or error}") from error
        write([f"{'changed' if before is not None else 'wrote'} {_shown(target)}"])
    write(_summary(proposal.survey, proposal.packs))
    write(f"{p.file}:{p.line}: problem: {p.message}" for p in problem_records(report.problems) if p.fatal)
    write(_found(report, bool(proposal.exemptions)))
    write(_next(report, bool(proposal.exemptions)))
    return 0


def _target(here: Project, options: argparse.Namespace) -> Path:
    """The file to write."""
    existing = here.config.path
    if options.config is not None or (existing is not None and not options.force and not options.update):
        named = options.config or existing
        raise RefusalError(
            f"{named} is there already: `--update` adds to it what is missing, `--force` writes {NAME} anew"
            if options.config is None
            else "--config: init writes the project's own configuration; it takes no other file"
        )
    if options.update and existing is None:
        raise RefusalError("--update: there is no configuration yet")
    if options.update and existing is not None:
        if not here.config.whole:
            raise RefusalError(f"--update: {existing} has mistakes (`flagguard rules` tells them); mend those first")
        return here.root / existing
    target = here.root / (PYPROJECT if options.pyproject else NAME)
    if options.pyproject and not target.is_file():
        raise RefusalError(f"--pyproject: there is no {PYPROJECT} in {here.root}")
    if options.force and existing is not None and Path(existing).name != target.name:
        raise RefusalError(f"--force: the configuration stands in {existing}, and a second one would hide it")
    return target


def _tried(here: Project, files: Sequence[FileCommands], exempt: bool) -> "tuple[Report, Proposal]":
    """What all shipped rules say of the commands under the proposed baseline; and what is proposed from that."""
    from flagguard.proposal_text import Proposal

    surveyed = proposing.survey(files)
    names = packs.names()
    today = datetime.date.today()
    listed = ", ".join(f'"{name}"' for name in names)
    bounds = "".join(f'{bound.platform} = "{bound.cpu}"\n' for bound in surveyed.bounds)
    trial = configuration.load(SourceText(NAME, f"packs = [{listed}]\n[baseline]\n{bounds}"), today).config
    trial = replace(trial, exclude=here.config.exclude)
    report = conclude([judged_file(found, here.tree, trial, strict())[0] for found in files], trial)
    of = {rule.id: rule.pack for rule in trial.rules if rule.pack is not None}
    wanted = proposing.wanted_packs(report.matched, {r: p for r, p in of.items() if p in packs.proposed()})
    kept = replace(report, findings=tuple(f for f in report.findings if of.get(f.rule) in wanted))
    about = {name: " ".join(packs.load(name).about.split()) for name in wanted}
    off = tuple(name for name in names if name not in wanted)
    found = proposing.exempted(kept.findings) if exempt else ()
    return kept, Proposal(surveyed, wanted, about, off, found, today)


def _text(target: Path, here: Project, options: argparse.Namespace, proposal: "Proposal") -> str:
    from flagguard import proposal_text

    if not options.update and target.name != PYPROJECT:
        return proposal_text.new(proposal)
    try:
        text = target.read_text("utf-8")
        if options.update:
            base = ("tool", "flagguard") if target.name == PYPROJECT else ()
            return proposal_text.updated(text, base, proposal)
        if configuration.speaks(text):
            raise RefusalError(f"{PYPROJECT} has a [tool.flagguard] already: `--update` adds to it what is missing")
        return proposal_text.into_pyproject(text, proposal)
    except (OSError, UnicodeDecodeError) as error:
        raise RefusalError(f"{target.name}: cannot be read: {error}") from error
    except ValueError as error:  # tomlkit's ParseError
        raise RefusalError(f"{target.name}: not valid TOML: {error}") from error


def _shown(path: Path) -> str:
    here = Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else path.as_posix()


def _summary(surveyed: proposing.Survey, wanted: tuple[str, ...]) -> Iterator[str]:
    yield f"  packs:     {', '.join(wanted)}"
    for number, bound in enumerate(surveyed.bounds):
        yield f"  {'' if number else 'baseline:':<10} {bound.platform} = {bound.cpu} ({bound.why})"
    tools = ", ".join(f"{name} ({count})" for name, count in surveyed.tools[:6])
    yield f"  compile:   {tools or 'nothing that is known'}"


def _found(report: Report, exempt: bool) -> Iterator[str]:
    """What the rules say today, in a few lines."""
    failing = [finding for finding in report.findings if finding.fails]
    if not failing:
        yield "`flagguard check` finds nothing today"
        return
    noun = "error" if len(failing) == 1 else "errors"
    yield f"`flagguard check` finds {len(failing)} {noun} today{', all of them exempt now' if exempt else ''}:"
    for (rule, path), count in sorted(Counter((f.rule, f.span.path) for f in failing).items())[:8]:
        yield f"  {path}: {count} of {rule}"
    rest = len({(f.rule, f.span.path) for f in failing}) - 8
    if rest > 0:
        yield f"  and {rest} more such lines"


def _next(report: Report, exempt: bool) -> Iterator[str]:
    judged = sum(report.matched.values())
    if not judged:
        yield "next: no command here is one that a shipped rule speaks of; write a [[rule]] for those that matter"
    elif any(finding.fails for finding in report.findings) and not exempt:
        yield "next: set the CPUs of [baseline] to what you support, then run `flagguard check` and mend what it finds"
        yield "      (`flagguard init --update --exempt` writes an exemption for each of today's errors)"
    else:
        yield "next: set the CPUs of [baseline] to what you support; `flagguard check`, then `flagguard sabotage`"
