"""`flagguard rules`: what is enforced, where each rule comes from, and the packs that there are."""

import argparse
import textwrap
from collections.abc import Iterator

from flagguard import packs
from flagguard.classes import about, programs
from flagguard.commands.project import Write, project
from flagguard.config import Config
from flagguard.report.records import problem_records


def run(options: argparse.Namespace, write: Write) -> int:
    here = project(options)
    write(f"{p.file}:{p.line}: problem: {p.message}" for p in problem_records(here.problems) if p.fatal)
    write(_lines(here.config))
    return 2 if any(problem.fatal for problem in here.problems) else 0


def _lines(config: Config) -> Iterator[str]:
    for rule in config.rules:
        source = f"pack {rule.pack}" if rule.pack else config.path or ""
        yield f"{rule.id}  [{rule.severity.value}, {source}]"
        yield from textwrap.wrap(
            rule.why or "(no reason is given)", 100, initial_indent="    ", subsequent_indent="    "
        )
    if config.baseline:
        yield ""
        yield "baseline: " + ", ".join(f"{platform} = {cpu}" for platform, cpu in config.baseline.items())
    yield ""
    yield "packs:"
    for name in packs.names():
        mark = "on " if name in config.packs else "off"
        yield f"  {mark} {name}: {' '.join(packs.load(name).about.split())}"
    yield ""
    yield "classes, for a rule's `command` (`flagguard explain NAME` tells more of a rule, a pack or a class):"
    for name, members in programs().items():
        yield f"  {name}: {about(name)} ({_listed(members)})"
    yield ""
    yield f"{len(config.rules)} rules in force"


def _listed(members: tuple[str, ...]) -> str:
    if not members:
        return "no tool yet"
    more = f" and {len(members) - 6} more" if len(members) > 6 else ""
    return ", ".join(members[:6]) + more
