"""Extended patterns, ``?(a|b) *(…) +(…) @(…) !(…)`` (bash manual 3.5.8.1), on text that is known.

A pattern is followed as the set of places that it can have come to; so the cost is bounded, whatever the pattern.
"""

import re
from collections.abc import Callable, Sequence
from typing import Union

Atom = tuple[str, bool]
"""One character of a pattern, and whether it is quoted; a hole's mark stands for any text."""
Bracket = Callable[[tuple[Atom, ...], int], tuple[str, int] | None]
Node = Union[str, "re.Pattern[str]", tuple[str, "list[list[Node]]"]]
"""A character, a set of characters, or a group: its kind and what it chooses among."""

_ANY = re.compile(".", re.DOTALL)
MOST_CHARACTERS = 400
"""Of a text that is matched: the cost grows with its square."""


class Extended:
    """One pattern. ``bracket`` reads a bracket expression, as plain patterns have it too."""

    def __init__(self, pattern: tuple[Atom, ...], bracket: Bracket) -> None:
        self._bracket = bracket
        self._nodes, _ = self._sequence(pattern, 0, ())

    def matches(self, text: str) -> bool:
        """Whether the whole text matches."""
        return len(text) in self._run(self._nodes, text, {0})

    def ends(self, text: str, start: int) -> set[int]:
        """Where a match that begins at ``start`` can end."""
        return self._run(self._nodes, text, {start})

    def _sequence(self, pattern: tuple[Atom, ...], at: int, ending: Sequence[str]) -> tuple[list[Node], int]:
        out: list[Node] = []
        while at < len(pattern):
            c, quoted = pattern[at]
            if not quoted and c in ending:
                break
            if not quoted and c in "?*+@!" and pattern[at + 1 : at + 2] == (("(", False),):
                group, at = self._group(c, pattern, at + 2)
                out.append(group)
            elif not quoted and c == "[" and (found := self._bracket(pattern, at)) is not None:
                out.append(re.compile(found[0], re.DOTALL))
                at = found[1]
            elif not quoted and c == "\\" and at + 1 < len(pattern):
                out.append(pattern[at + 1][0])
                at += 2
            elif not quoted and c in "*?":
                out.append(_ANY if c == "?" else ("*", [[_ANY]]))
                at += 1
            else:
                out.append(c)
                at += 1
        return out, at

    def _group(self, kind: str, pattern: tuple[Atom, ...], at: int) -> tuple[Node, int]:
        choices: list[list[Node]] = []
        while True:
            choice, at = self._sequence(pattern, at, ("|", ")"))
            choices.append(choice)
            at += 1
            if at > len(pattern) or pattern[at - 1][0] == ")":
                return (kind, choices), at

    def _run(self, nodes: list[Node], text: str, places: set[int]) -> set[int]:
        for node in nodes:
            places = self._step(node, text, places)
            if not places:
                break
        return places

    def _step(self, node: Node, text: str, places: set[int]) -> set[int]:
        if isinstance(node, str):
            return {p + 1 for p in places if text[p : p + 1] == node}
        if isinstance(node, re.Pattern):
            return {p + 1 for p in places if node.fullmatch(text, p, min(p + 1, len(text))) and p < len(text)}
        kind, choices = node
        if kind == "!":
            return {end for p in places for end in set(range(p, len(text) + 1)) - self._any(choices, text, {p})}
        found = self._any(choices, text, places)
        if kind == "@":
            return found
        if kind == "?":
            return found | places
        new = found - places if kind == "*" else found
        found = found | places if kind == "*" else found
        while new:
            new = self._any(choices, text, new) - found
            found = found | new
        return found

    def _any(self, choices: list[list[Node]], text: str, places: set[int]) -> set[int]:
        return {end for choice in choices for end in self._run(choice, text, places)}
