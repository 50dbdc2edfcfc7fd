"""`flagguard sabotage`: prove that check fails when a flag goes missing."""

import argparse

from flagguard.commands import RefusalError
from flagguard.commands.project import Write, project


def run(options: argparse.Namespace, write: Write) -> int:
    here = project(options)
    raise RefusalError(f"not there yet (the project is {here.root})")
