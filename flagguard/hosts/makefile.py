"""Makefiles: which files they are, and the scripts that their recipes are. The language is in `flagguard.make`."""

from flagguard.command import Reading
from flagguard.hosts import Setting
from flagguard.patterns import expression
from flagguard.text import SourceText

NAME = "makefile"

_NAMES = expression(r"(?:GNU)?[Mm]akefile(?:\.[^/]*)?$|[^/]*\.(?:mk|mak|make)$|[^/]*[Mm]akefile$")
# Not make's language, or made from another file of the tree.
_NOT = expression(
    r"\.(?:py|rb|pl|PL|js|ts|json|toml|ya?ml|md|rst|txt|html|sh|orig|rej|bak|swp|cmake|lua|go|rs|diff|patch)$|~$"
)


def claims(path: str, head: bytes) -> bool:
    name = path.rpartition("/")[2]
    return ("m" in name or "M" in name) and bool(_NAMES.fullmatch(name)) and not _NOT.search(name)


def read(source: SourceText, setting: Setting) -> Reading:
    """Every recipe and every ``$(shell …)`` of the makefile."""
    from flagguard.make.evaluate import evaluate_source  # make's language takes long to import

    return evaluate_source(source, setting)
