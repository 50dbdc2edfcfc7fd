"""Texts in languages that are not read (python, fish, perl): where one speaks of a program that a rule names.

Such a text may run the program, so that a rule on it is undecided there, never clean. A word of the text counts, a line
that is a comment does not. Rules of packs are left out: they ask for nothing where a repository does nothing of their
kind. A text is handed on as a command of which the one word is the text, and the wrapper the language.
"""

import re
from collections.abc import Iterator

from flagguard.command import Command, Word
from flagguard.config import Config
from flagguard.judging import placed
from flagguard.rules import Rule
from flagguard.text import Span, Traced, literal
from flagguard.tools.identity import named
from flagguard.values import dataclass, replace


@dataclass(frozen=True)
class Mention:
    """One program that a text speaks of, and the rule that names it."""

    rule: Rule
    program: str
    command: Command
    """The text as a command, at the place of the word."""
    message: str
    exemption: int | None = None
    """The number of the ``[[exempt]]`` that covers it."""
    help: str = "run the command from a shell that is read, or exempt this place with a reason"


def mentions(text: Command, config: Config) -> Iterator[Mention]:
    """What the text says of the programs of rules that speak of its place: the first word for each rule."""
    for rule in config.rules:
        if rule.pack is not None or not placed(rule.where, text):
            continue
        for program in _programs(rule):
            found = _first(text.argv[0], program)
            if found is not None:
                language = text.wrappers[0][0].text
                message = f"this is written in {language}, which is not read, and speaks of `{program}`"
                here = replace(text, span=found, extent=found, argv=(Word(literal(program, found).pieces, found),))
                numbered = enumerate(config.exemptions)
                number = next((n for n, e in numbered if e.of(rule.id) and placed(e.where, text)), None)
                yield Mention(rule, program, replace(here, wrappers=()), message, number)
                break


def _programs(rule: Rule) -> Iterator[str]:
    for name in rule.command:
        if name.startswith("@"):
            from flagguard import classes

            yield from dict.fromkeys(member.split()[0] for member in classes.programs().get(name, ()))
        elif ":" not in name and name != "uses" and not name.startswith("uses "):
            yield named(name)[0]


def _first(text: Traced, program: str) -> Span | None:
    """Where the program's name stands first as a word, outside of comment lines."""
    for found in re.finditer(rf"(?<![\w.-]){re.escape(program)}(?:\.exe)?(?![\w-])", text.text):
        line = text.text[text.text.rfind("\n", 0, found.start()) + 1 : found.start()]
        if line.lstrip().startswith("#"):
            continue
        route = text.cut(*found.span()).route
        if route:
            return route[0]
    return None
