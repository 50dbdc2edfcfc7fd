"""Ways of keys through a file, as ``data/listed.toml`` writes them, and whether what stands there is of its kind.

A way is written `phases.*.commands` or `steps[].script`: `*` is each key of a table, `[]` each item of a list, `a|b`
either key, and what stands in parentheses may come any number of times: `jobs[](.group.jobs[]).run`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from flagguard import tables
from flagguard.hosts.pipelines import Notes, text
from flagguard.hosts.tree import Items, Kind, Node, Scalar, Table
from flagguard.values import dataclass

Step = str | tuple[str, ...]
_STEP = re.compile(r"\(([^()]+)\)|([^.\[\]()]+|\[\])")
_NAMING = ("id", "name", "label", "title", "repo", "taskName", "identifier")
FORMATS = "hosts/data/listed.toml"


@dataclass(frozen=True, slots=True)
class Passed:
    """A value on the way, and what it is called there."""

    step: str
    node: Node
    name: str = ""
    """The key of a table that the way does not name, or what the item of a list calls itself, else its number."""
    key: str = ""


def start(root: Node) -> tuple[Passed, ...]:
    return (Passed("", root),)


@cache
def steps(way: str) -> tuple[Step, ...]:
    return tuple(steps(found[1]) if found[1] else found[0] for found in _STEP.finditer(way))  # type: ignore[misc]


def follow(passed: tuple[Passed, ...], ahead: Sequence[Step]) -> Iterator[tuple[Passed, ...]]:
    """Each value at the end of the steps, with those that lead there."""
    node = passed[-1].node
    if not ahead:
        yield passed
        return
    step, rest = ahead[0], ahead[1:]
    if isinstance(step, tuple):
        yield from follow(passed, rest)
        yield from follow(passed, (*step, *ahead))
    elif step == "[]":
        for number, item in enumerate(node.items if isinstance(node, Items) else (), 1):
            yield from follow((*passed, Passed("[]", item, called(item) or str(number))), rest)
    elif isinstance(node, Table):
        for entry in node.entries:
            if _is(step, entry.name):
                name = entry.name if step == "*" else ""
                yield from follow((*passed, Passed(step, entry.value, name, entry.name)), rest)


def _is(step: str, name: str) -> bool:
    return step == "*" or name in step.split("|")


def called(item: Node) -> str:
    said = (text(item.get(key)) for key in _NAMING) if isinstance(item, Table) else ()
    return next((one.shown for one in said if one), "")


def beside(passed: Sequence[Passed], way: str) -> Iterator[tuple[Passed, ...]]:
    """What another way leads to, as far as the two are the same by the same keys and items, the outermost first."""
    for ahead in _written_out(steps(way), len(passed)):
        shared = 0
        for one, step in zip(passed[1:], ahead, strict=False):
            if one.step != step:
                break
            shared += 1
        yield from follow(tuple(passed[: shared + 1]), ahead[shared:])


def _written_out(whole: tuple[Step, ...], most: int) -> Iterator[tuple[Step, ...]]:
    """The way with what may come again written out as often as it came on the way of so many values."""
    at = next((i for i, step in enumerate(whole) if isinstance(step, tuple)), None)
    if at is None:
        yield whole
        return
    for times in range(max(1, (most - at - 1) // len(whole[at]) + 1)):
        yield (*whole[:at], *(tuple(whole[at]) * times), *whole[at + 1 :])


# -- kinds ------------------------------------------------------------------------------------------------------------


class Shape:
    """What may stand at a place of a format."""

    __slots__ = ("inner", "roles")

    def __init__(self) -> None:
        self.roles: set[str] = set()
        self.inner: dict[str, Shape] = {}

    def at(self, ahead: Sequence[Step]) -> "Shape":
        here = self
        for step in ahead:
            if isinstance(step, tuple):
                above = here.at(step[:-1])
                above.inner.setdefault(step[-1], here)
            else:
                here = here.inner.setdefault(step, Shape())
        return here


_ROLES = {
    "before": "command",
    "behind": "command",
    "environment": "pairs",
    "substitutions": "pairs",
    "folder": "text",
    "shell-at": "words",
    "ignored": "any",
    "runner": "any",
}
WORD = re.compile(r"([^@]*)@([\w.-]+)(?::(?P<how>.*)|=(?P<default>.*)|(?P<mark>[,']))?", re.DOTALL)
"""A word that the item says under a key: see the head of the table."""


@cache
def _shape(name: str) -> Shape:
    """What the ways of a format say of its values."""
    known = tables.table(FORMATS)[name]
    out = Shape()
    for rule in known["runs"]:
        whole: Mapping[str, Any] = {**known, **rule}
        item = out.at(steps(whole["at"]))
        if "loose" in whole:
            _loosen(out, steps(whole["at"]), len(steps(whole["loose"])))
        words = [w for line in (whole.get("argv", ()), *_lines(whole)) for w in line]
        item.roles.add("any" if "told" in whole else "table" if words or "by" in whole else "command")
        for written in (one for word in words for one in ([word] if isinstance(word, str) else word)):
            found = WORD.fullmatch(written)
            if found is not None:
                item.at(steps(found[2])).roles.update(
                    {"words", "pairs"} if found[1].endswith(("-D", ":")) else {"words"}
                )
        for key, role in _ROLES.items():
            for way in whole.get(key, ()):
                out.at(steps(way)).roles.add("text" if key == "substitutions" and "*" in way else role)
    return out


def _loosen(out: Shape, whole: Sequence[Step], strict: int) -> None:
    """What stands behind the first steps may be anything else."""
    for end in range(strict + 1, len(whole) + 1):
        out.at(whole[:end]).roles.add("any")


def _lines(rule: Mapping[str, Any]) -> Iterator[Sequence[str | Sequence[str]]]:
    for lines in rule.get("commands", {}).values():
        yield from lines


def check(name: str, root: Node, notes: Notes) -> None:
    """Tell what is of another kind than the format has there: it would be lost."""
    _check((_shape(name),), root, "", notes)


def _check(shapes: Sequence[Shape], node: Node, key: str, notes: Notes, any_key: bool = False) -> None:
    """``any_key``: the format does not name the key, so that it may be a setting."""
    roles = {role for shape in shapes for role in shape.roles}
    listed = [shape.inner["[]"] for shape in shapes if "[]" in shape.inner]
    keyed = any(step != "[]" for shape in shapes for step in shape.inner)
    where = key or "the file"
    if isinstance(node, Scalar):
        odd = node.kind in (Kind.NUMBER, Kind.OTHER) and "command" in roles
        setting = any_key and node.kind in (Kind.NUMBER, Kind.BOOLEAN) and not roles
        if node.kind is not Kind.NULL and not setting and (odd or not roles & {"command", "words", "text", "any"}):
            notes.wrong(node, _wanted(roles, listed, keyed), where)
    elif isinstance(node, Items):
        if listed:
            for number, item in enumerate(node.items, 1):
                _check(listed, item, f"{key}[{number}]", notes)
        elif not roles & {"command", "words", "pairs", "any"}:
            notes.wrong(node, _wanted(roles, listed, keyed), where)
        elif "command" in roles or "words" in roles:
            _check_items(roles, node, where, notes)
    elif keyed:
        for entry in node.entries:
            meant = {step for s in shapes for step in s.inner if step != "[]" and _is(step, entry.name)}
            inner = [s.inner[step] for s in shapes for step in s.inner if step in meant]
            if inner:
                _check(inner, entry.value, f"{key}.{entry.name}".lstrip("."), notes, meant == {"*"})
    elif "pairs" in roles:
        for entry in node.entries:
            if isinstance(entry.value, Table):
                notes.wrong(entry.value, "a text", f"{where}.{entry.name}")
    elif not roles & {"table", "any"}:
        notes.wrong(node, _wanted(roles, listed, keyed), where)


def _check_items(roles: set[str], node: Items, where: str, notes: Notes) -> None:
    for item in node.items:
        if isinstance(item, Items):
            _check_items(roles, item, where, notes)
        elif isinstance(item, Table):
            if "<<" not in item.by_name:
                notes.wrong(item, "a text", where)
        elif "command" in roles and item.kind in (Kind.NUMBER, Kind.OTHER):
            notes.wrong(item, "a text", where)


def _wanted(roles: set[str], listed: Sequence[Shape], keyed: bool) -> str:
    if "command" in roles:
        return "a command or a list of commands"
    if "words" in roles:
        return "a text or a list of texts"
    if listed:
        return "a list"
    return "a mapping" if keyed or roles & {"pairs", "table"} else "a text"
