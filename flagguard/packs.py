"""The shipped packs: files of rules that travel inside the package.

In a wheel they are ``flagguard/_rules/*.toml``; in a checkout ``rules/*.toml`` beside the package. A pack is read by
the same reader as the configuration; its rules have ``at-least = 0``.
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from flagguard import tables
from flagguard.rulefile import Sheet, read_rules
from flagguard.rules import Rule
from flagguard.text import Problem, SourceText
from flagguard.values import dataclass

_KEYS = ("about", "opt-in", "rule")


@dataclass(frozen=True)
class Pack:
    name: str
    about: str
    rules: tuple[Rule, ...]
    opt_in: bool = False
    """It asks for what few repositories do yet: ``init`` does not turn it on by itself."""
    problems: tuple[Problem, ...] = ()


def folder() -> Path:
    """Where the packs are: in the package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent
    inside = package / "_rules"
    return inside if inside.is_dir() else package.parent / "rules"


@lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """The packs that there are."""
    return tuple(sorted(path.stem for path in folder().glob("*.toml")))


def proposed() -> tuple[str, ...]:
    """Those that ``init`` may turn on where they meet a command."""
    return tuple(name for name in names() if not load(name).opt_in)


@lru_cache(maxsize=32)
def load(name: str) -> Pack:
    """One shipped pack; the name must be one of :func:`names`."""
    path = folder() / f"{name}.toml"
    return _read(name, SourceText(f"rules/{name}.toml", path.read_text("utf-8")), tables.table_at(str(path)))


def read(name: str, source: SourceText) -> Pack:
    """A pack from its text; raises TOMLDecodeError where it is no TOML."""
    import tomllib  # the shipped ones are kept parsed

    return _read(name, source, tomllib.loads(source.text))


def _read(name: str, source: SourceText, data: Mapping[str, object]) -> Pack:
    sheet = Sheet(source, pack=name, has_baseline=True)
    table = sheet.table(data, (), _KEYS)
    about = sheet.text(table.get("about"), ("about",)).strip()
    rules = read_rules(sheet, table.get("rule", []))
    opt_in = "opt-in" in table and sheet.truth(table["opt-in"], ("opt-in",))
    return Pack(name, about, tuple(rule for _, rule in rules), opt_in, tuple(sheet.problems))
