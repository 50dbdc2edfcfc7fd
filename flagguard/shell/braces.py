"""Brace expansion (bash manual 3.5.1): one word's parts to several, before any other expansion."""

import re
from collections.abc import Sequence
from itertools import pairwise

from flagguard.shell.syntax import Lit, Param, Part
from flagguard.text import Traced, compact, literal
from flagguard.values import replace

_Atom = tuple[str, Part]
"""A character of unquoted text (or "" for any other part) and the part it is."""
_LIMIT = 1024
_MOST_BRACES = 50
_MOST_NUMBER = 2**31 - 4
"""Past so many numbers bash leaves a sequence as it is."""


def expand_braces(parts: Sequence[Part]) -> list[tuple[Part, ...]] | None:
    """The words that ``parts`` stand for (one, unchanged, without braces); None where they are more than the bound."""
    if not any(isinstance(p, Lit) and not p.quoted and "{" in p.value.text for p in parts):
        return [tuple(parts)]
    atoms: list[_Atom] = []
    for part in parts:
        if isinstance(part, Lit) and not part.quoted:
            text = part.value.text
            atoms.extend((text[i], Lit(part.value.cut(i, i + 1), quoted=False)) for i in range(len(text)))
        else:
            atoms.append(("", part))
    if sum(c == "{" for c, _ in atoms) > _MOST_BRACES:
        return None
    words = _expand(atoms)
    return [_merged(word) for word in words] if len(words) <= _LIMIT else None


def _expand(atoms: list[_Atom]) -> list[list[_Atom]]:
    start = 0
    while True:
        opening = next((i for i in range(start, len(atoms)) if atoms[i][0] == "{"), None)
        if opening is None:
            return [atoms]
        found = _group(atoms, opening)
        if found is None:
            start = opening + 1
            continue
        closing, choices = found
        out: list[list[_Atom]] = []
        tails = _expand(atoms[closing + 1 :])
        for choice in choices:
            for middle in _expand(choice):
                out.extend([*atoms[:opening], *middle, *tail] for tail in tails)
                if len(out) > _LIMIT:
                    return out
        return out


def _group(atoms: list[_Atom], opening: int) -> tuple[int, list[list[_Atom]]] | None:
    """Where the group that opens there closes, and its choices; None where it is only text."""
    if opening and atoms[opening - 1][0] == "$":
        return None
    depth, commas = 0, []
    for i in range(opening + 1, len(atoms)):
        c = atoms[i][0]
        if c == "{":
            depth += 1
        elif c == "}" and depth:
            depth -= 1
        elif c == "," and not depth:
            commas.append(i)
        elif c == "}":
            if commas:
                edges = [opening, *commas, i]
                return i, [atoms[a + 1 : b] for a, b in pairwise(edges)]
            sequence = _sequence(atoms[opening + 1 : i])
            return (i, sequence) if sequence is not None else None
    return None


def _sequence(atoms: list[_Atom]) -> list[list[_Atom]] | None:
    if any(not c for c, _ in atoms):
        return None
    text = "".join(c for c, _ in atoms)
    numbers = re.fullmatch(r"(-?[0-9]+)\.\.(-?[0-9]+)(?:\.\.(-?[0-9]+))?", text)
    letters = re.fullmatch(r"([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?[0-9]+))?", text)
    found = numbers or letters
    if found is None:
        return None
    first, last, by = found.groups()
    a, b = (int(first), int(last)) if numbers else (ord(first), ord(last))
    step = abs(int(by or 1)) or 1
    if max(abs(a), abs(b), step) > _MOST_NUMBER:
        return None
    values = (range(a, b + 1, step) if a <= b else range(a, b - 1, -step))[: _LIMIT + 1]
    width = 0
    if numbers and any(re.match(r"-?0[0-9]", t) for t in (first, last)):
        width = max(len(first), len(last))
    place = [p for _, p in atoms]
    route = _join(place).route
    out: list[list[_Atom]] = []
    for value in values:
        written = f"{value:0{width}d}" if numbers else chr(value)
        if written.isalnum():
            # they may go on with a name that stands before
            out.append([(c, Lit(literal(c).through(route), quoted=False)) for c in written])
        else:
            out.append([("", Lit(literal(written).through(route), quoted=True))])
    return out


def _join(parts: Sequence[Part]) -> Traced:
    return Traced(compact(piece for p in parts if isinstance(p, Lit) for piece in p.value.pieces))


def _merged(word: list[_Atom]) -> tuple[Part, ...]:
    """Runs of unquoted characters as one literal again."""
    out: list[Part] = []
    run: list[Part] = []
    for c, part in word:
        last = out[-1] if out and not run else None
        if c and isinstance(last, Param) and _is_bare(last) and _goes_on(c):
            # `$A{x,y}` is `$Ax $Ay`: braces come first.
            out[-1] = replace(last, name=last.name + c, shown=last.shown + c)
        elif c:
            run.append(part)
        else:
            if run:
                out.append(Lit(_join(run), quoted=False))
                run = []
            out.append(part)
    if run:
        out.append(Lit(_join(run), quoted=False))
    return tuple(out)


def _is_bare(part: Param) -> bool:
    """Whether it is written ``$name``, without braces and quotes."""
    return not part.quoted and part.shown == f"${part.name}" and part.name.isidentifier()


def _goes_on(c: str) -> bool:
    return c == "_" or (c.isascii() and c.isalnum())
