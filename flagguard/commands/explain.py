"""`flagguard explain RULE`: what a rule asks, why, with sources, and how to fix or exempt what it finds."""

import argparse
import textwrap
from collections.abc import Iterable, Iterator

from flagguard import packs
from flagguard.classes import about, programs
from flagguard.commands import RefusalError
from flagguard.commands.project import Write, project
from flagguard.config import Config
from flagguard.naming import nearest
from flagguard.rules import AnyOf, Condition, Constraint, Operands, Requirement, Rule, Subject

_ASKED = {
    Condition.PRESENT: "",
    Condition.VALUE: " with the value {}",
    Condition.ONE_OF: " with one of the values {}",
    Condition.NOT: " with any value but {}",
    Condition.MATCHES: " with a value that matches {}",
    Condition.CONTAINS: " with the item {} in its list",
    Condition.AT_MOST: " at most {}",
}

_CPU = frozenset({"cpu", "--target-cpu", "--mcpu", "-march", "-mcpu", "-C target-cpu"})
_COMPILERS = {
    # how a compiler tells what it builds for, by the first word of a rule's `command`
    "mojo": "mojo build --print-effective-target FILE",  # `mojo build --help`
    "@c-compiler": "gcc -Q --help=target FLAGS",  # GCC manual, "Overall Options", --help
    "@cxx-compiler": "g++ -Q --help=target FLAGS",
    "@rust-compiler": "rustc --print cfg FLAGS",  # the rustc book, "Print Options"
}


def run(options: argparse.Namespace, write: Write) -> int:
    config = project(options).config
    known = {rule.id: rule for name in packs.names() for rule in packs.load(name).rules}
    active = {rule.id: rule for rule in config.rules}
    known |= active
    rule = known.get(options.rule)
    if rule is not None:
        write(_lines(rule, config, rule.id in active))
    elif options.rule in packs.names():
        write(_pack(packs.load(options.rule), config))
    elif options.rule.startswith("@") and options.rule in programs():
        write(_class(options.rule))
    else:
        kind, names = (
            ("class", tuple(programs())) if options.rule.startswith("@") else ("rule", (*known, *packs.names()))
        )
        more = nearest(options.rule, names) or " (see `flagguard rules`)"
        raise RefusalError(f"there is no {kind} `{options.rule}`{more}")
    return 0


def _pack(pack: packs.Pack, config: Config) -> Iterator[str]:
    active = {rule.id for rule in config.rules}
    yield f"{pack.name}  [pack, {'on' if pack.name in config.packs else 'off'}]"
    yield from _section("about", [pack.about])
    for rule in pack.rules:
        yield f"{rule.id}{'' if rule.id in active else '  [not in force]'}"
        yield from textwrap.wrap(rule.why, 100, initial_indent="    ", subsequent_indent="    ")
    yield from _section("turn on", [f'packs = ["{pack.name}"]'] if pack.name not in config.packs else [])


def _class(name: str) -> Iterator[str]:
    yield f"{name}  [class of commands]"
    yield from _section("about", [about(name)] if about(name) else [])
    yield from _section("programs", [", ".join(programs()[name]) or "no tool of the catalogue yet"])
    yield from _section("use", [f'command = "{name}"'])


def _lines(rule: Rule, config: Config, active: bool) -> Iterator[str]:
    source = f"pack {rule.pack}" if rule.pack else config.path or "the configuration"
    yield f"{rule.id}  [{rule.severity.value}, {source}{'' if active else ', not in force'}]"
    yield from _section("why", [rule.why or "(no reason is given)"])
    yield from _section("judges", [" or ".join(f"`{name}`" for name in rule.command), *_selection(rule)])
    asked = [words(requirement, config) for requirement in rule.require]
    asked += [f"never {words(requirement, config)}" for requirement in rule.forbid]
    asked += ["the command itself is the finding"] if rule.never else []
    asked += [f"at least {rule.at_least} such command{'s' if rule.at_least > 1 else ''}"] if rule.at_least else []
    yield from _section("asks", asked)
    yield from _section("fix", [rule.fix] if rule.fix else [])
    yield from _section("sources", rule.sources)
    yield from _section("ask", _questions(rule))
    yield from _section("exempt", _exempting(rule))
    yield from _section("proof", _proof(rule))


def _section(name: str, paragraphs: Iterable[str]) -> Iterator[str]:
    label = f"{name}:"
    for paragraph in paragraphs:
        for line in paragraph.strip().splitlines():
            width = 100 if " " in line else len(line) + 20
            for part in textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]:
                yield f"{label:<9}{' ' if len(label) > 8 else ''}{part}".rstrip()
                label = ""


def _selection(rule: Rule) -> Iterator[str]:
    for key, globs in rule.where.globs.items():
        if key == "from":
            yield f"only what {' or '.join(f'`{glob}`' for glob in globs)} reaches"
            continue
        yield f"where the {key} is {' or '.join(f'`{glob}`' for glob in globs)}"
    for requirement in rule.with_:
        yield f"only with {words(requirement)}"
    for requirement in rule.without:
        yield f"only without {words(requirement)}"
    if rule.operands is not Operands.FREE:
        yield "only without operands" if rule.operands is Operands.NONE else "only with operands"


def _questions(rule: Rule) -> Iterator[str]:
    """How to ask the compiler which CPU it really builds for."""
    asked = [c for r in (*rule.require, *rule.forbid) for c in (r.constraints if isinstance(r, AnyOf) else (r,))]
    if any(name in _CPU for constraint in asked for name in constraint.names):
        first = dict.fromkeys(name.split()[0] for name in rule.command)
        yield from (_COMPILERS[name] for name in first if name in _COMPILERS)
    if any(constraint.subject is Subject.EFFECTIVE for constraint in asked):
        yield "`flagguard why FILE:LINE` tells what a command's options come to, and asks with its own flags"


def _proof(rule: Rule) -> Iterator[str]:
    """How anyone sees that the rule can fail."""
    yield "`flagguard sabotage` spoils each command that meets it, in memory: the rule has to fail there"
    if rule.pack is not None:
        yield f"sabotage/{rule.pack} of flagguard's sources holds build files for it, with the edits that it must catch"


def _exempting(rule: Rule) -> Iterator[str]:
    yield "a comment on the command's line or on the line above it:"
    yield f"# flagguard: exempt {rule.id} - REASON"
    yield "or in the configuration:"
    yield "[[exempt]]"
    yield f'rule   = "{rule.id}"'
    yield 'where  = { path = "…" }'
    yield 'reason = "…"'


def words(requirement: Requirement, config: Config | None = None) -> str:
    """A constraint in words; with a configuration, a baseline in its values."""
    if isinstance(requirement, AnyOf):
        return ", or ".join(words(constraint, config) for constraint in requirement.constraints)
    subject = _subject(requirement)
    operand = [f"`{value}`" for value in requirement.operand]
    if requirement.condition is Condition.AT_MOST and requirement.operand == ("baseline",):
        known = ", ".join(f"{p}: {c}" for p, c in config.baseline.items()) if config is not None else ""
        operand = [f"the baseline ({known})" if known else "the baseline"]
    return subject + _ASKED[requirement.condition].format(" or ".join(operand))


def _subject(constraint: Constraint) -> str:
    names = " or ".join(f"`{name}`" for name in constraint.names)
    if constraint.subject is Subject.ENV:
        return f"{names} in the environment"
    if constraint.subject is Subject.EFFECTIVE:
        return f"the effective {' or '.join(constraint.names)}"
    return names
