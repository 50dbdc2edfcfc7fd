"""Aliases (POSIX.1-2024 XCU 2.3.1; bash manual 6.6): a command whose first word the shell replaces before it reads on.

The shell does so while it reads, line by line. Here the text of the command is made anew and read again; what an alias
begins and another command ends is not seen.
"""

import re

from flagguard.shell.machine import MAX_CALLS, Context, Machine
from flagguard.shell.state import Alias, World
from flagguard.shell.syntax import Lit, Simple, WordNode
from flagguard.text import Span, Traced, join, literal

_NEXT = re.compile(r"[ \t]*([^\s'\"\\$`|&;()<>#]+)(?![^\s|&;()<>])")


def aliased(machine: Machine, node: Simple, world: World) -> tuple[Traced, frozenset[str]] | None:
    """The text that the shell reads instead of the command, and the aliases in it; None where there is none."""
    if machine.bash and "expand_aliases" not in world.options:
        return None
    name = _first(node)
    alias = world.aliases.get(name) if name is not None else None
    if name is None or alias is None or not _counts(machine, alias, node):
        return None
    at = next(((a, b) for a, b in node.spans if node.text[a:b] == name), None)
    if at is None or machine.depth >= MAX_CALLS or any(r.op in ("<<", "<<-") for r in node.redirects):
        return None
    used = {name}
    parts = [_source(node, 0, at[0]), alias.value]
    rest = at[1]
    while parts[-1].text[-1:] in (" ", "\t"):
        found = _NEXT.match(node.text, rest)
        further = world.aliases.get(found.group(1)) if found is not None else None
        if found is None or further is None or not _counts(machine, further, node):
            break
        used.add(found.group(1))
        parts.append(further.value)
        rest = found.end()
    return join([*parts, _source(node, rest, len(node.text))]), frozenset(used)


def run_aliased(
    machine: Machine, text: tuple[Traced, frozenset[str]], node: Simple, world: World, context: Context
) -> list[World]:
    """Run the text; an alias is not replaced inside of itself."""
    source, used = text
    kept = {n: a for n, a in world.aliases.items() if n in used}
    world.aliases = {n: a for n, a in world.aliases.items() if n not in used}
    span = node.route[-1] if node.route else None
    via = world.via
    world.via = (*via, span) if span is not None else via
    machine.depth += 1
    try:
        ends = machine.run_text(source, [world], context)
    finally:
        machine.depth -= 1
    for end in ends:
        end.aliases, end.via = {**kept, **end.aliases}, via
    return ends


def _first(node: Simple) -> str | None:
    """The first word, where no part of it is quoted or expanded."""
    first = node.words[0] if node.words else None
    only = first.parts[0] if isinstance(first, WordNode) and len(first.parts) == 1 else None
    return only.value.text if isinstance(only, Lit) and not only.quoted and only.value.known else None


def _source(node: Simple, start: int, end: int) -> Traced:
    own = node.route[-1] if node.route else None
    if own is None or own.end - own.start != len(node.text):
        return literal(node.text[start:end])
    found = literal(node.text[start:end], Span(own.path, own.start + start, own.start + end))
    return found.through(node.route[:-1])


def _counts(machine: Machine, alias: Alias, node: Simple) -> bool:
    """Whether the alias was there when the command was read: a line before it, or in another text."""
    here = node.route[-1] if node.route else None
    if alias.place is None or here is None or alias.place.path != here.path:
        return True
    source = machine.setting.files.read(here.path)
    return alias.place.end <= here.start and (source is None or "\n" in source.text[alias.place.end : here.start])
