"""Which variables of its environment can make a difference to what the rules say of a command.

A tool asks for those that its tables name, a rule for those that it names itself; a compiler in a recipe asks for few
of the many that a makefile exports. Errs on the side of too many.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from re import Pattern
from typing import Any

from flagguard import tables
from flagguard.command import Command, Word
from flagguard.config import Config
from flagguard.rules import Subject, constraints_of
from flagguard.text import Traced
from flagguard.tools.catalogue import Tool
from flagguard.tools.identity import identify, is_hole

_ALL = re.compile("")
_EMPTY: frozenset[str] = frozenset()


class Heeded:
    """The variables that matter under one configuration, to the commands of one file, which must be kept as long."""

    def __init__(self, config: Config) -> None:
        self._tools = tuple(config.tools.items())
        constraints = [r for rule in config.rules for r in (*rule.require, *rule.forbid, *rule.with_, *rule.without)]
        constraints += [r for exemption in config.exemptions for r in (*exemption.with_, *exemption.without)]
        asked = [c for one in constraints for c in constraints_of(one) if c.subject is Subject.ENV]
        self._by_rules = frozenset(name for constraint in asked for name in constraint.names)
        self._known: dict[tuple[int, str], frozenset[str]] = {}

    def names(self, command: Command) -> frozenset[str]:
        """The names of variables, of the environment and of what files set, that matter to the command."""
        if not command.env and not command.configured:
            return _EMPTY
        asked = self._asked(command)
        return self._of(command.env, asked) | self._of(command.configured, asked)

    def _of(self, values: Mapping[str, Traced], asked: Pattern[str]) -> frozenset[str]:
        if not values:
            return _EMPTY
        key = (id(values), asked.pattern)
        known = self._known.get(key)
        if known is None:
            known = frozenset([n for n in values if n in self._by_rules or asked.fullmatch(n)])
            self._known[key] = known
        return known

    def _asked(self, command: Command) -> Pattern[str]:
        """What the names look like that its program and its wrappers ask for."""
        files: set[str] = set()
        argvs = [command.argv, *command.wrappers]
        if len(command.argv) > 1 and is_hole(command.argv[0]):
            argvs.append(command.argv[1:])
        for argv in argvs:
            if not argv:
                continue
            tools = [i.tool for i in identify(argv, self._tools)[0] if i.tool is not None]
            if _may_be_another(argv, tools, bool(self._tools)):
                return _ALL
            files.update(tool.file for tool in tools)
        return _pattern(frozenset(files))


def _may_be_another(argv: tuple[Word, ...], tools: list[Tool], given: bool) -> bool:
    """Whether it is another tool where a hole holds another of its texts."""
    if any(hole.among for hole in argv[0].holes):
        return True
    handed = given or argv[0].text == "uses" or any(tool.hands_over for tool in tools)
    return handed and any(hole.among for word in argv for hole in word.holes)


@cache
def _pattern(files: frozenset[str]) -> Pattern[str]:
    reached, left = set(files), list(files)
    names: set[str] = set()
    while left:
        own, others, lends = _of_file(left.pop())
        if lends:
            return _ALL
        names |= own
        left += others - reached
        reached |= others
    return re.compile("|".join(f"(?:{name})" for name in sorted(names)) if names else "(?!)")


@cache
def _of_file(file: str) -> tuple[frozenset[str], frozenset[str], bool]:
    """The variables that a file of the catalogue names, the files whose grammars it uses, and whether one of its
    options takes a value from any variable.
    """
    names: set[str] = set()
    files: set[str] = set()
    lends = False
    for key, value in _entries(tables.table(f"tools/{file}.toml")):
        if key == "environment":
            names.update(_strings(value))
        elif key == "overrides" and isinstance(value, str):
            names.add(value)
        elif key in ("grammar", "after-terminator", "switch-to", "words") and isinstance(value, str):
            files.add(value.partition("/")[0])
        elif isinstance(value, str):
            said = value.split()
            files.update(w.partition(":")[2].partition("/")[0] for w in said if w.startswith("carries:"))
            lends = lends or "lends" in said
    for own in tables.table("data/projects.toml").values():
        names.update(flag.removesuffix("=") for flag in own["unless"])
    return frozenset(n if _is_pattern(n) else re.escape(n) for n in names), frozenset(files), lends


def _entries(value: Any) -> Iterator[tuple[str, Any]]:
    """Every key of a table and of the tables in it, with what it holds."""
    if isinstance(value, dict):
        for key, held in value.items():
            yield str(key), held
            yield from _entries(held)
    elif isinstance(value, list):
        for held in value:
            yield from _entries(held)


def _strings(value: Any) -> Iterator[str]:
    """Every text in a table or list, keys among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, held in value.items():
            yield str(key)
            yield from _strings(held)
    elif isinstance(value, list):
        for held in value:
            yield from _strings(held)


def _is_pattern(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return True
