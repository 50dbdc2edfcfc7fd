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
    proposal = _proposed(here)
    text = _text(target, here, options, proposal)
    config = _loaded(target, text)
    report = left = _judged(here, config)
    if options.exempt:
        proposal = replace(proposal, exemptions=proposing.exempted(report.findings))
        text = _text(target, here, options, proposal)
        config = _loaded(target, text)
        left = _judged(here, config)
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
    write(_summary(proposal.survey, config))
    write(f"{p.file}:{p.line}: problem: {p.message}" for p in problem_records(left.problems) if p.fatal)
    write(_found(report, left))
    write(_next(left))
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


def _proposed(here: Project) -> "Proposal":
    """What the commands suggest, with what all shipped rules would say of them."""
    from flagguard.proposal_text import Proposal

    files = collect(here.tree, Config(exclude=here.config.exclude), strict=strict())
    surveyed = proposing.survey(files)
    names = packs.names()
    today = datetime.date.today()
    listed = ", ".join(f'"{name}"' for name in names)
    bounds = "".join(f'{bound.platform} = "{bound.cpu}"\n' for bound in surveyed.bounds)
    trial = configuration.load(SourceText(NAME, f"packs = [{listed}]\n[baseline]\n{bounds}"), today).config
    trial = replace(trial, exclude=here.config.exclude)
    matched = _report(here, files, trial).matched
    of = {rule.id: rule.pack for rule in trial.rules if rule.pack is not None}
    wanted = proposing.wanted_packs(matched, {r: p for r, p in of.items() if p in packs.proposed()})
    about = {name: " ".join(packs.load(name).about.split()) for name in wanted}
    met = proposing.wanted_packs(matched, of)
    more = tuple(name for name in met if name not in wanted)
    off = tuple(name for name in names if name not in met)
    return Proposal(surveyed, wanted, about, more, off, today=today)


def _loaded(target: Path, text: str) -> Config:
    """The configuration that the text is."""
    loaded = configuration.load(SourceText(target.name, text), datetime.date.today())
    if loaded.problems:
        told = loaded.problems[0]
        raise RefusalError(f"{target.name}:{told.line}: would not be valid: {told.message}")
    return loaded.config


def _judged(here: Project, config: Config) -> Report:
    """What `flagguard check` says with it."""
    return _report(here, collect(here.tree, config, strict=strict()), config)


def _report(here: Project, files: Sequence[FileCommands], config: Config) -> Report:
    return conclude([judged_file(found, here.tree, config, strict())[0] for found in files], config)


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


def _summary(surveyed: proposing.Survey, config: Config) -> Iterator[str]:
    why = {(bound.platform, bound.cpu): f" ({bound.why})" for bound in surveyed.bounds}
    used = dict.fromkeys(rule.pack for rule in config.rules if rule.pack is not None)
    yield f"  packs:     {', '.join(used) or 'none'}"
    for number, (platform, named) in enumerate(config.baseline.items()):
        yield f"  {'' if number else 'baseline:':<10} {platform} = {named}{why.get((platform, named), '')}"
    tools = ", ".join(f"{name} ({count})" for name, count in surveyed.tools[:6])
    yield f"  compile:   {tools or 'nothing that is known'}"


def _found(report: Report, left: Report) -> Iterator[str]:
    """What the rules say today, in a few lines; ``left``: with the exemptions that are written."""
    failing = [finding for finding in report.findings if finding.fails]
    if not failing:
        yield "`flagguard check` finds nothing today"
        return
    noun = "error" if len(failing) == 1 else "errors"
    remain = sum(finding.fails for finding in left.findings)
    exempt = "" if left is report else ", all of them exempt now" if not remain else f", {remain} of them not exempt"
    yield f"`flagguard check` finds {len(failing)} {noun} today{exempt}:"
    for (rule, path), count in sorted(Counter((f.rule, f.span.path) for f in failing).items())[:8]:
        yield f"  {path}: {count} of {rule}"
    rest = len({(f.rule, f.span.path) for f in failing}) - 8
    if rest > 0:
        yield f"  and {rest} more such lines"


def _next(report: Report) -> Iterator[str]:
    judged = sum(report.matched.values())
    if not report.summary.files:
        yield "next: there is nothing here that flagguard reads; `flagguard check` ends with 2 until there is"
    elif not judged:
        yield "next: no command here is one that a rule speaks of; write a [[rule]] for those that matter"
    elif any(finding.fails for finding in report.findings):
        yield "next: set the CPUs of [baseline] to what you support, then run `flagguard check` and mend what it finds"
        yield "      (`flagguard init --update --exempt` writes an exemption for each of today's errors)"
    else:
        yield "next: set the CPUs of [baseline] to what you support; `flagguard check`, then `flagguard sabotage`"
