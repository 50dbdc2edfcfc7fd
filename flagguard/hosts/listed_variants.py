"""What a file that lists commands comes to where parts of it count for some builds only.

Netlify's contexts and CodeBuild's batches go over the rest of the file, snapcraft chooses entries by architecture, an
editor's tasks have words for each system. Each way of reading the file is a tree of its own.
"""

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from flagguard import globs
from flagguard.command import PLATFORMS
from flagguard.hosts import by_path
from flagguard.hosts.gitlab_config import merged
from flagguard.hosts.listed_ways import beside, follow, start, steps
from flagguard.hosts.pipelines import Notes, of_systems, text, texts
from flagguard.hosts.tree import Entry, Items, Node, Table, weight
from flagguard.patterns import expression
from flagguard.values import dataclass

MOST = 200
"""Ways of reading one file that are looked at,"""
MOST_VALUES = 500_000
"""and values in all of them."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of reading the file."""

    root: Node
    name: str = ""
    """The context, the task of the batch."""
    platforms: frozenset[str] | None = None
    elsewhere: bool = False
    """It is another file, which is read by itself too."""


Others = Callable[[str], Sequence[Node]]
"""The documents of another file of the format."""


def variants(
    format_: str, known: Mapping[str, Any], root: Node, path: str, notes: Notes, other: Others
) -> list[Variant]:
    """Each way of reading the file of that path."""
    most = max(4, min(MOST, MOST_VALUES // weight(root, MOST_VALUES)))
    found = list(islice(_all(format_, known, root, path, notes, other), most + 1))
    if len(found) > most:
        notes.tell(root.span, f"it comes to more than {most} ways of building; the rest is not judged", fatal=True)
    return found[:most]


def _all(
    format_: str, known: Mapping[str, Any], root: Node, path: str, notes: Notes, other: Others
) -> Iterator[Variant]:
    if isinstance(root, Table):
        # a file that is read by itself comes first, so that what it says is not told twice
        yield from _of_others(format_, known, root, path, notes, other)
    prepare = _PREPARED.get(known.get("prepared", ""))
    yield from prepare(root, notes) if prepare is not None else (Variant(root),)
    if isinstance(root, Table):
        for rule in known.get("overlays", ()):
            yield from _overlaid(rule, root, other)


# -- parts that go over others ----------------------------------------------------------------------------------------


def _overlaid(rule: Mapping[str, str], root: Table, other: Others) -> Iterator[Variant]:
    """`each`: what goes over the part `over`; `file`: the other file that it is for, and `item`: who says so."""
    for passed in follow(start(root), steps(rule["each"])):
        over = passed[-1].node
        if not isinstance(over, Table):
            continue
        names = [text(found[-1].node) for found in beside(passed, rule["file"])] if "file" in rule else []
        name = passed[-1].name or next((one.name for one in reversed(passed) if one.name), "")
        if not names:
            yield Variant(_put(root, rule["over"], over), name)
        for one in names:
            for document in other(one.text) if one.known else ():
                if isinstance(document, Table):
                    yield Variant(_put(document, rule["over"], over), name)


def _put(root: Table, name: str, over: Table) -> Table:
    below = root.get(name)
    whole = merged(below, over) if isinstance(below, Table) else over
    kept = [entry for entry in root.entries if entry.name != name]
    return Table(root.span, (*kept, Entry(name, over.span, whole)))


def _of_others(
    format_: str, known: Mapping[str, Any], root: Table, path: str, notes: Notes, other: Others
) -> Iterator[Variant]:
    """Files that this one names, or that are called so beside it; the text of some goes over this one's."""
    folder, _, own = path.rpartition("/")
    over = known.get("over", ())
    beside_it = [posixpath.join(folder, name) for name in over if own not in over]
    waiting = [(name, True) for name in beside_it if notes.source(name) is not None]
    waiting += _named(known, root, notes)
    seen = {path}
    while waiting and len(seen) < MOST:
        name, goes_over = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        elsewhere = any(format_ == host.NAME for host in by_path.claiming(name))
        for document in other(name):
            if isinstance(document, Table):
                yield Variant(document, elsewhere=elsewhere)
                if goes_over:
                    yield Variant(merged(root, document))
                waiting += _named(known, document, notes)


def _named(known: Mapping[str, Any], root: Table, notes: Notes) -> Iterator[tuple[str, bool]]:
    for key in ("extends", "also"):
        for way in known.get(key, ()):
            for found in follow(start(root), steps(way)):
                for name in (posixpath.normpath(one.text) for one in texts(found[-1].node) if one.known):
                    names = [name]
                    if "*" in name or "?" in name:
                        names = [one for one in sorted(notes.setting.files.paths()) if globs.matches(name, one)]
                    yield from ((one, key == "extends") for one in names)


# -- choices by architecture ------------------------------------------------------------------------------------------

_STATEMENT = expression(r"(?:on\s+(?P<on>[\w,\s-]+?))?\s*(?:(?:to|for)\s+(?P<to>[\w,\s-]+))?|else|try")
_ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64", "ppc64el": "ppc64le", "s390x": "s390x", "riscv64": "riscv64"}


def _by_architecture(root: Node, notes: Notes) -> Iterator[Variant]:
    """Snapcraft's grammar: `on ARCH`, `to ARCH`, `else` (https://documentation.ubuntu.com/snapcraft/stable/reference/advanced-grammar/)."""
    said: dict[tuple[str, str], None] = {}
    _mentioned(root, said)
    if not said:
        yield Variant(root)
        return
    machines = {own: name for name, own in _ARCHITECTURES.items()}
    native = [machines.get(p.partition("-")[2]) for p in notes.setting.platforms if p.startswith("linux-")]
    pairs = dict.fromkeys((one, one) for one in native if one)
    for on, to in said:
        names = (on or to, to or on)
        pairs.setdefault((on, on) if not to else (to, to) if not on else names)
    for on, to in pairs:
        platform = f"linux-{_ARCHITECTURES.get(to, to)}"
        allowed = frozenset({platform}) if platform in PLATFORMS else of_systems(notes.setting, "linux")
        yield Variant(_chosen(root, on, to), "", allowed)


def _statement(node: Node) -> tuple[str, Node] | None:
    """What an item chooses by, and what it holds."""
    if not isinstance(node, Table) or len(node.entries) != 1 or not isinstance(node.entries[0].value, Items):
        return None
    name = node.entries[0].name.strip()
    return (name, node.entries[0].value) if name and _STATEMENT.fullmatch(name) else None


def _mentioned(node: Node, said: dict[tuple[str, str], None]) -> None:
    if isinstance(node, Table):
        for entry in node.entries:
            _mentioned(entry.value, said)
    for item in node.items if isinstance(node, Items) else ():
        statement = _statement(item)
        if statement is not None:
            found = _STATEMENT.fullmatch(statement[0])
            ons, tos = _names(found and found["on"]), _names(found and found["to"])
            said.update(dict.fromkeys((on, to) for on in ons or [""] for to in tos or [""] if on or to))
        _mentioned(item, said)


def _names(written: str | None) -> list[str]:
    return [name.strip() for name in (written or "").split(",") if name.strip()]


def _chosen(node: Node, on: str, to: str) -> Node:
    """The tree of a build on one architecture for another."""
    if isinstance(node, Table):
        return Table(node.span, tuple(Entry(e.name, e.key, _chosen(e.value, on, to)) for e in node.entries))
    if not isinstance(node, Items):
        return node
    out: list[Node] = []
    taken = False
    for item in node.items:
        statement = _statement(item)
        if statement is None:
            out.append(_chosen(item, on, to))
            continue
        found = _STATEMENT.fullmatch(statement[0])
        if statement[0] == "else":
            holds, taken = not taken, True
        else:
            ons, tos = _names(found and found["on"]), _names(found and found["to"])
            holds = (not ons or on in ons) and (not tos or to in tos)
            taken = holds
        inner = _chosen(statement[1], on, to)
        out += inner.items if holds and isinstance(inner, Items) else ()
    return Items(node.span, tuple(out), node.tag)


def _for_systems(root: Node, notes: Notes) -> Iterator[Variant]:
    from flagguard.hosts import vscode_tasks  # few repositories have such tasks

    if not isinstance(root, Table):
        yield Variant(root)
        return
    written = vscode_tasks.systems(root)
    asked = dict.fromkeys(p.partition("-")[0] for p in notes.setting.platforms)
    for system in dict.fromkeys((*asked, *written)):
        yield Variant(vscode_tasks.prepared(root, system), "", of_systems(notes.setting, system))


_PREPARED: Mapping[str, Callable[[Node, Notes], Iterator[Variant]]] = {
    "architectures": _by_architecture,
    "systems": _for_systems,
}
