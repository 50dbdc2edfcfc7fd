"""`--log FILE`, for `check` and `commands`: what a build printed, instead of what the tree would run."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from flagguard.command import PLATFORMS
from flagguard.commands import RefusalError
from flagguard.commands.project import Project
from flagguard.engine import FileCommands
from flagguard.hosts import Setting
from flagguard.logs import check, collect, load
from flagguard.naming import meant_platform, platform
from flagguard.report.interface import Checked
from flagguard.report.records import Spots, finding_records, problem_records
from flagguard.text import Problem, SourceText
from flagguard.values import dataclass

if TYPE_CHECKING:
    import argparse


@dataclass(frozen=True)
class Opened:
    """The logs of the command line."""

    sources: dict[str, SourceText]
    files: tuple[FileCommands, ...]
    problems: tuple[Problem, ...]
    platform: str
    chosen: bool
    """The platform was said, or is the only one of the baseline."""

    def spots(self, here: Project) -> Spots:
        return Spots(lambda path: self.sources.get(path) or here.read(path))


def opened(options: "argparse.Namespace", here: Project) -> Opened:
    """Reads the logs. Raises RefusalError where the words of the command line do not go together."""
    if options.paths:
        raise RefusalError("--log: judges the logs instead of the tree; name no paths besides")
    name, chosen = _platform(options.platform, tuple(here.config.baseline))
    found = [load(log, Path.cwd(), here.root, sys.stdin.buffer.read) for log in dict.fromkeys(options.log)]
    sources = {one.path: one for one in found if isinstance(one, SourceText)}
    problems = tuple(one for one in found if isinstance(one, Problem))
    setting = Setting(here.tree, (name,), here.config.assume, here.config.wrapper_table)
    return Opened(sources, collect(sources.values(), setting, here.config), problems, name, chosen)


def checked(options: "argparse.Namespace", here: Project) -> Checked:
    """What `check` says of the logs."""
    logs = opened(options, here)
    report, notes = check(logs.files, here.config)
    problems = problem_records((*here.problems, *logs.problems, *report.problems))
    findings = finding_records(report.findings, logs.spots(here))
    if not logs.chosen:
        notes = (*notes, f"judged for {logs.platform}, this machine's platform; `--platform NAME` says another one")
    return Checked(report.summary, findings, problems, notes)


def _platform(asked: str | None, baseline: tuple[str, ...]) -> tuple[str, bool]:
    """The platform that the build ran on; whether anybody said so."""
    if asked is not None:
        if asked not in PLATFORMS:
            raise RefusalError(f"--platform: unknown platform `{asked}`{meant_platform(asked)}")
        return asked, True
    if len(baseline) == 1:
        return baseline[0], True
    if sys.platform == "win32":
        return "windows-x86_64", False
    system = os.uname()
    return platform(f"{system.sysname}-{system.machine}") or "linux-x86_64", False
