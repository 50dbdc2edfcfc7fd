"""The shipped packs: files of rules that travel inside the package.

In a wheel they are ``flagguard/_rules/*.toml``; in a checkout ``rules/*.toml`` beside the package. A pack is read by
the same reader as the configuration; its rules have ``at-least = 0``.
"""

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from flagguard.rulefile import Sheet, read_rules
from flagguard.rules import Rule
from flagguard.text import Problem, SourceText

_KEYS = ("about", "rule")


@dataclass(frozen=True)
class Pack:
    name: str
    about: str
    rules: tuple[Rule, ...]
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


@lru_cache(maxsize=32)
def load(name: str) -> Pack:
    """One shipped pack; the name must be one of :func:`names`."""
    return read(name, SourceText(f"rules/{name}.toml", (folder() / f"{name}.toml").read_text("utf-8")))


def read(name: str, source: SourceText) -> Pack:
    """A pack from its text; raises TOMLDecodeError where it is no TOML."""
    sheet = Sheet(source, pack=name, has_baseline=True)
    table = sheet.table(tomllib.loads(source.text), (), _KEYS)
    about = sheet.text(table.get("about"), ("about",)).strip()
    rules = read_rules(sheet, table.get("rule", []))
    return Pack(name, about, tuple(rule for _, rule in rules), tuple(sheet.problems))
