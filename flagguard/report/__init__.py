"""Reports: one module a format, and the names that the command line offers.

A report is a pure function from records to lines of text; it knows nothing of trees, rules or how a verdict came about.
"""

from importlib import import_module

from flagguard.report.interface import Format

FORMATS = ("text", "json", "github", "sarif", "gitlab", "junit")


def report(name: str) -> Format:
    """The format of that name, one of :data:`FORMATS`; only its own module is imported."""
    module: Format = import_module(f"flagguard.report.{name}")
    return module
