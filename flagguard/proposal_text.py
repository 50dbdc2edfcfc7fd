"""A proposal as TOML: a new file with comments, or what is missing put into one that there is.

tomlkit keeps the style of what stands there: comments, order, quotes (https://tomlkit.readthedocs.io). It is imported
here alone.
"""

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.items import Array, Table

from flagguard.proposing import Bound, Exempted, Survey
from flagguard.values import dataclass

_RULE = """
A rule of your own: what the commands that you ship must pass. Without a match it fails, so that the
guard cannot be lost together with the command. `flagguard rules` lists classes of commands for
`command`; `flagguard sabotage` proves that the rule would fail.

[[rule]]
id       = "shipped-builds"
why      = "…"
command  = "{command}"
require  = ["{flag}"]
"""


@dataclass(frozen=True)
class Proposal:
    """What is to be written."""

    survey: Survey
    packs: tuple[str, ...]
    about: Mapping[str, str]
    """What each pack is about,"""
    more: tuple[str, ...]
    """the packs that only some projects want, of those that meet a command,"""
    off: tuple[str, ...]
    """and those that meet none."""
    exemptions: tuple[Exempted, ...] = ()
    today: datetime.date = datetime.date.min


def new(proposal: Proposal) -> str:
    """A flagguard.toml of its own."""
    document = tomlkit.document()
    _fill(document, proposal)
    return tomlkit.dumps(document)


def into_pyproject(text: str, proposal: Proposal) -> str:
    """The same as `[tool.flagguard]`, behind all that the file says."""
    document = tomlkit.parse(text)
    table = tomlkit.table()
    _fill(table, proposal)
    tool = document.get("tool")
    if tool is None:
        tool = tomlkit.table(is_super_table=True)
        document["tool"] = tool
    tool["flagguard"] = table
    return tomlkit.dumps(document)


def updated(text: str, base: Sequence[str], proposal: Proposal) -> str:
    """A configuration with the packs, the platforms and the exemptions that it lacks; the rest as it was."""
    document = tomlkit.parse(text)
    table: Any = document
    for name in base:
        table = table[name]
    packs = table.get("packs")
    if packs is None:
        if set(proposal.packs) != {"cpu-baseline"}:
            table["packs"] = _texts(proposal.packs)
    else:
        for name in proposal.packs:
            if name not in packs:
                packs.append(name)
    baseline = table.get("baseline")
    if baseline is None:
        table["baseline"] = _baseline(proposal.survey.bounds)
    else:
        for bound in proposal.survey.bounds:
            if bound.platform not in baseline:
                baseline[bound.platform] = bound.cpu
    _exempt(table, proposal)
    return tomlkit.dumps(document)


def _fill(table: Any, proposal: Proposal) -> None:
    seen = proposal.survey
    for line in (
        "What flagguard judges here (`flagguard check`), as `flagguard init` found it; change what you know better.",
        f"read: {_counted(seen.hosts)}",
        f"compile: {_counted(seen.tools) or 'nothing that is known'}",
    ):
        table.add(tomlkit.comment(line))
    table.add(tomlkit.nl())
    for name in proposal.packs:
        table.add(tomlkit.comment(f"{name}: {proposal.about[name]}"))
    table["packs"] = _texts(proposal.packs)
    if proposal.more:
        table.add(tomlkit.comment(f"stricter packs, for what is released: {', '.join(proposal.more)}"))
    if proposal.off:
        table.add(tomlkit.comment(f"other packs, which meet no command today: {', '.join(proposal.off)}"))
    if seen.bundled:
        table.add(tomlkit.nl())
        told = "folders that look like other projects' files; without the `#` nothing in them is judged"
        table.add(tomlkit.comment(told))
        globs = ", ".join(f'"{folder}/**"' for folder in seen.bundled)
        table.add(tomlkit.comment(f"exclude = [{globs}]"))
    _add_rule(table, seen)
    if seen.bounds:
        table["baseline"] = _baseline(seen.bounds)
    _exempt(table, proposal)


def _add_rule(table: Any, seen: Survey) -> None:
    if seen.shipped is None:
        return
    text = _RULE.format(command=seen.shipped, flag=seen.flag or "--flag").rstrip()
    if seen.entry is not None:
        text += f'\nwhere    = {{ from = "{seen.entry}" }}'
    for line in text.splitlines():
        table.add(tomlkit.comment(line) if line else tomlkit.nl())


def _counted(counts: Sequence[tuple[str, int]]) -> str:
    shown = [f"{name} ({number})" for name, number in counts[:8]]
    more = f" and {len(counts) - 8} more" if len(counts) > 8 else ""
    return ", ".join(shown) + more


def _texts(values: Sequence[str]) -> Array:
    array = tomlkit.array()
    for value in values:
        array.append(value)
    return array


def _baseline(bounds: Sequence[Bound]) -> Table:
    table = tomlkit.table()
    table.add(tomlkit.comment("the oldest CPU that each platform must support: no command may build for a newer one"))
    for bound in bounds:
        item = tomlkit.string(bound.cpu)
        item.comment(bound.why)
        table[bound.platform] = item
    return table


def _exempt(table: Any, proposal: Proposal) -> None:
    if not proposal.exemptions:
        return
    known = table.get("exempt")
    if known is None:
        known = table["exempt"] = tomlkit.aot()
    for one in proposal.exemptions:
        entry = tomlkit.table()
        entry["rule"] = one.rule
        where = tomlkit.inline_table()
        where.update(dict(one.where))
        entry["where"] = where
        entry["reason"] = f"found by `flagguard init` on {proposal.today.isoformat()}; mend it, or say why it stays"
        known.append(entry)
