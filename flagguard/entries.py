"""`where.from`: which commands an entry point reaches (DESIGN 5).

An entry is written `FILE` or `FILE:UNIT`: `release.yml`, `release.yml:publish`, `Makefile:dist`. FILE is a glob on the
path, or on the file's name where it has no slash; UNIT is a glob on the job, the task or the target. In a pipeline the
commands of its jobs are reached, and what they call with what they pass; of another file, what its unit runs, whoever
calls it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from posixpath import basename, dirname
from shlex import quote

from flagguard import globs
from flagguard.command import Command
from flagguard.discover import Tree
from flagguard.text import Span
from flagguard.values import dataclass, replace

PIPELINES = frozenset(
    "github gitlab circleci azure buildkite travis cirrus woodpecker bitbucket appveyor jenkins".split()
)
"""The hosts that start by themselves: on a push, a tag, a date."""
_MAKE = "makefile"
_SCRIPT = "flagguard-entry.sh"


@dataclass(frozen=True)
class Reached:
    """What an entry reaches in files that are no pipelines, and what was looked at to know it."""

    spans: frozenset[Span]
    asked: frozenset[str]


@dataclass(frozen=True)
class Read:
    """What one file came to, as far as it counts here."""

    hosts: tuple[str, ...]
    commands: Sequence[Command]
    asked: frozenset[str]


Look = Callable[[str, Tree], Read | None]
"""The commands of a file, as if no other reached them."""


def marked(
    commands: Iterable[Command], path: str, hosts: Iterable[str], entries: Sequence[str], tree: Tree, look: Look
) -> tuple[tuple[Command, ...], frozenset[str]]:
    """The commands of the file ``path`` with the entries that reach them, and the files that were looked at."""
    found = reaches(entries, tree, look)
    pipeline = not PIPELINES.isdisjoint(hosts)
    out = []
    for command in commands:
        own = tuple(e for e in entries if _starts(e, command, path, pipeline) or command.span in found[e].spans)
        out.append(replace(command, entries=own) if own else command)
    return tuple(out), frozenset[str]().union(*(found[entry].asked for entry in entries))


def reaches(entries: Iterable[str], tree: Tree, look: Look) -> Mapping[str, Reached]:
    """For each entry, what it reaches outside of pipelines; kept with the tree."""
    kept = tree.memo.get(reaches)
    if not isinstance(kept, tuple) or kept[0] is not tree:
        kept = tree.memo[reaches] = (tree, {})
    known: dict[str, Reached] = kept[1]
    for entry in entries:
        if entry not in known:
            known[entry] = _reached(entry, tree, look)
    return known


def _reached(entry: str, tree: Tree, look: Look) -> Reached:
    spans: set[Span] = set()
    asked: set[str] = set()
    _, _, unit = entry.partition(":")
    for path in tree.paths():
        if not names(entry, path):
            continue
        found = look(path, tree)
        if found is None or not PIPELINES.isdisjoint(found.hosts):
            continue
        asked |= found.asked
        mine = [c for c in found.commands if not unit or _is_unit(unit, command_units(c))]
        spans.update(command.span for command in mine)
        if unit and _MAKE in found.hosts:
            spans_of, more = _made(path, sorted({c.unit for c in mine} | _plain(unit)), tree, look)
            spans |= spans_of
            asked |= more
    return Reached(frozenset(spans), frozenset(asked) - {_SCRIPT})


def _plain(unit: str) -> set[str]:
    return set() if any(c in unit for c in "*?[") else {unit}


def _made(path: str, goals: Iterable[str], tree: Tree, look: Look) -> tuple[set[Span], frozenset[str]]:
    """What make runs for the goals: their prerequisites are parts of their own."""
    start = f"make -C {quote(dirname(path) or '.')} -f {quote(basename(path))}"
    lines = [f"{start} {quote(goal)}" for goal in goals if goal]
    if not lines:
        return set(), frozenset()
    found = look(_SCRIPT, tree.with_text(_SCRIPT, "#!/bin/sh\n" + "\n".join(lines) + "\n"))
    if found is None:
        return set(), frozenset()
    return {c.span for c in found.commands if c.span.path != _SCRIPT}, found.asked


def _starts(entry: str, command: Command, path: str, pipeline: bool) -> bool:
    """Whether the outermost part that runs the command is the entry."""
    if not names(entry, path):
        return False
    _, _, unit = entry.partition(":")
    units = (command.place.job,) if pipeline else command_units(command)
    return not unit or _is_unit(unit, units)


def command_units(command: Command) -> tuple[str | None, ...]:
    """What the part of the file is called that runs the command."""
    if command.unit:
        return (command.unit,)
    return (command.place.task, command.place.target, command.place.job)


def _is_unit(pattern: str, units: Iterable[str | None]) -> bool:
    return any(unit is not None and globs.matches(pattern, unit) for unit in units)


def names(entry: str, path: str) -> bool:
    """Whether the entry speaks of the file."""
    file, _, _ = entry.partition(":")
    return globs.matches(file, path if "/" in file else basename(path), path=True)


def unreached(files: Iterable[tuple[str, Iterable[str], Sequence[Command]]]) -> list[Command]:
    """The commands that no pipeline and no entry of the configuration reaches.

    ``files``: path, formats and commands of each file.
    """
    files = list(files)
    started = [c for _, hosts, commands in files if not PIPELINES.isdisjoint(hosts) for c in commands]
    spans = {command.span for command in started} | {c.span for _, _, commands in files for c in commands if c.entries}
    alone = [c for _, hosts, commands in files if PIPELINES.isdisjoint(hosts) for c in commands]
    return [command for command in alone if command.span not in spans]
