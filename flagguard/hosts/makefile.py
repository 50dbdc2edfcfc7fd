"""Makefiles: which files they are, and the scripts that their recipes are. The language is in `flagguard.make`."""

import re
from posixpath import basename

from flagguard.command import Reading
from flagguard.hosts import Setting
from flagguard.make.evaluate import evaluate_source
from flagguard.text import SourceText

NAME = "makefile"

_NAMES = re.compile(r"(?:GNU)?[Mm]akefile(?:\.[^/]*)?$|[^/]*\.(?:mk|mak|make)$|[^/]*[Mm]akefile$")
# Not make's language, or made from another file of the tree.
_NOT = re.compile(
    r"\.(?:py|rb|pl|PL|js|ts|json|toml|ya?ml|md|rst|txt|html|sh|orig|rej|bak|swp|cmake|lua|go|rs|diff|patch)$|~$"
)


def claims(path: str, head: bytes) -> bool:
    name = basename(path)
    return bool(_NAMES.fullmatch(name)) and not _NOT.search(name)


def read(source: SourceText, setting: Setting) -> Reading:
    """Every recipe and every ``$(shell …)`` of the makefile."""
    return evaluate_source(source, setting)
