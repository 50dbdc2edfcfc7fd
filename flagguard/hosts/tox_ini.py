"""tox's INI files: sections, keys and values as Python's configparser reads them, and what tox makes of a raw value.

Follows https://docs.python.org/3/library/configparser.html (no interpolation) and tox 4's own steps: comments go, then
lines whose factors do not fit, then backslashes at the ends of lines. What a key means is not known here.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, groupby, product

from flagguard.patterns import expression
from flagguard.text import EMPTY, Traced, join, literal
from flagguard.values import dataclass, field

_HEADER = expression(r"\[(.+)\]")
_OPTION = expression(r"(.*?)\s*[=:]\s*")
_MARKER = expression(r":(?:\s|$)")
_FACTOR = expression(r"!?[\w.*?][\w.*?-]*|^$")
_GROUPS = expression(r"((?:\{[^}]+\})+)|,")
_GROUP = expression(r"\{([^}]+)\}")
_RANGE = expression(r"((\d+)-(\d+)|(\d+)-|(?<=[{,])-(\d+)|\d+)(?:,|\})")
OLDEST, NEWEST = 10, 15
"""The minor versions of Python that an open range ends at, as of tox 4.67."""
_MOST = 2_000
"""Names that one list may come to."""


@dataclass
class Section:
    name: str
    header: Traced
    values: dict[str, Traced] = field(default_factory=dict)
    keys: dict[str, Traced] = field(default_factory=dict)


@dataclass(frozen=True)
class Broken:
    """Why the file cannot be read, and where."""

    message: str
    at: int


def parse(text: Traced) -> "dict[str, Section] | Broken":
    """The sections of a file."""
    raw = text.text
    sections: dict[str, Section] = {}
    parts: list[Traced] = []
    current: Section | None = None
    option = ""
    indent = at = 0
    for line in raw.split("\n"):
        start, at = at, at + len(line) + 1
        value = line.strip()
        first = start + len(line) - len(line.lstrip())
        if not value or value[0] in "#;":
            if not value and option:
                parts.append(EMPTY)
            continue
        here = text.cut(first, first + len(value))
        if current is not None and option and first - start > indent:
            parts.append(here)
            continue
        if current is not None and option:
            current.values[option] = _lines(parts)
        indent, option = first - start, ""
        header = _HEADER.match(value)
        if header is not None:
            if header[1] in sections:
                return Broken(f"the section [{header[1]}] comes twice", first)
            current = sections[header[1]] = Section(header[1], here)
            continue
        if current is None:
            return Broken("a line stands before the first section", first)
        found = _OPTION.match(value)
        if found is None or not found[1]:
            return Broken("neither a section nor a key with a value", first)
        option = found[1].lower()
        if option in current.values:
            return Broken(f"the key {option} comes twice in [{current.name}]", first)
        current.keys[option] = text.cut(first, first + len(found[1]))
        current.values[option] = EMPTY
        parts = [text.cut(first + found.end(), first + len(value))]
    if current is not None and option:
        current.values[option] = _lines(parts)
    defaults = sections.pop("DEFAULT", None)
    if defaults is None:
        return sections
    for section in sections.values():
        section.values = {**defaults.values, **section.values}
        section.keys = {**defaults.keys, **section.keys}
    return sections


def _lines(parts: Iterable[Traced]) -> Traced:
    lines = list(parts)
    while lines and not lines[-1]:
        lines.pop()
    return join([part for line in lines for part in (literal("\n"), line)][1:])


def split_lines(value: Traced) -> Iterator[Traced]:
    at = 0
    for line in value.text.split("\n"):
        yield value.cut(at, at + len(line))
        at += len(line) + 1


def stripped(value: Traced) -> Traced:
    raw = value.text
    start = len(raw) - len(raw.lstrip())
    return value.cut(start, start + len(raw.strip()))


def settled(value: Traced, factors: frozenset[str]) -> Traced | None:
    """A raw value for an environment with these factors; None: nothing of it is left, so another section counts."""
    plain = [_uncommented(line) for line in split_lines(value) if not line.text.startswith("#")]
    kept = list(_fitting(plain, factors))
    if not any(line.text for line in kept) and any(line.text.strip() for line in plain):
        return None
    return _continued(join([part for line in kept for part in (literal("\n"), line)][1:]))


def _uncommented(line: Traced) -> Traced:
    raw = line.text
    parts: list[Traced] = []
    at = 0
    for i, char in enumerate(raw):
        if char == "#" and (i == 0 or raw[i - 1] != "\\"):
            return join([*parts, line.cut(at, len(raw[:i].rstrip()))])
        if char == "#":
            parts.append(line.cut(at, i - 1))
            at = i
    return join([*parts, line.cut(at, len(raw))]) if parts else line


def _continued(value: Traced) -> Traced:
    parts: list[Traced] = []
    at, raw = 0, value.text
    while (found := raw.find("\\\n", at)) >= 0:
        parts.append(value.cut(at, found))
        at = found + 2
    return join([*parts, value.cut(at, len(raw))]) if parts else value


# -- factors ----------------------------------------------------------------------------------------------------------

Group = list[tuple[str, bool]]
"""Factors, and whether each is negated."""


def _fitting(lines: Iterable[Traced], factors: frozenset[str]) -> Iterator[Traced]:
    """The lines that count: a line's continuations share its fate."""
    goes_on = skips = False
    for line in lines:
        groups, content = conditional(line)
        ends = content.text.endswith("\\")
        if groups is None:
            if skips and not goes_on and not ends:
                skips = False
                continue
            if content.text:
                yield content
                goes_on = ends
            skips = False
        elif any(all((name in factors) is not negated for name, negated in group) for group in groups):
            yield content
            goes_on, skips = ends, False
        else:
            skips = ends


def conditional(line: Traced) -> tuple[list[Group] | None, Traced]:
    """The factors that a line is for, and what it says for them; None: it is for all."""
    found = _MARKER.search(line.text)
    if found is None:
        return None, line
    try:
        groups = list(factor_groups(line.text[: found.start()].strip()))
    except ValueError:
        return None, line
    return groups, stripped(line.cut(found.start() + 1, len(line)))


def factor_groups(said: str) -> Iterator[Group]:
    """`{py,!pi}-{a,b},c` as its groups. Raises ValueError."""
    for name in _names(_RANGE.sub(_ranged, said)):
        yield [(f.removeprefix("!"), f.startswith("!")) for f in name.split("-")]


def names(said: str) -> list[str]:
    """The environments that a list or a section's name speaks of."""
    try:
        groups = chain.from_iterable(factor_groups(line) for line in said.split("\n"))
        return list(dict.fromkeys("-".join(name for name, _ in group) for group in groups))
    except ValueError:
        return []


def _names(said: str) -> Iterator[str]:
    count = 0
    for filled, group in groupby(_GROUPS.split(said), key=bool):
        if not filled:
            continue
        parts = [[i.strip() for i in p.split(",")] for p in _GROUP.split("".join(group).strip())]
        for variant in product(*parts):
            name = "".join(variant)
            if not all(_FACTOR.fullmatch(part) for part in name.split("-")):
                raise ValueError(name)
            count += 1
            if count > _MOST:
                return
            yield name


def _ranged(found: "re.Match[str]") -> str:
    _, first, last, low, high = found.groups()
    if first:
        one, other = int(first), int(last)
        step = 1 if one < other else -1
        if abs(one - other) > _MOST:
            return found[0]
        made = range(one, other + step, step)
    elif low:
        made = range(int(low), NEWEST + 1)
    elif high:
        made = range(OLDEST, int(high) + 1)
    else:
        return found[0]
    return ",".join(map(str, made)) + found[0][-1]


def conditions(values: Mapping[str, Traced]) -> Iterator[str]:
    """The environments that the conditions of a section's lines speak of."""
    for value in values.values():
        for line in split_lines(value):
            groups, _ = conditional(line)
            for group in groups or ():
                yield "-".join(name for name, _ in group)
