"""Unexpanded text cut into literal text, variable references and function calls.

Syntax only: nothing is looked up. Manual: "Basics of Variable References", "Function Call Syntax",
"Substitution References".
"""

import re
from itertools import pairwise

from flagguard.make.lines import closing, strip_left
from flagguard.patterns import expression
from flagguard.text import Route, Traced
from flagguard.values import dataclass

Template = tuple["Part", ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """``$(NAME)``, ``$X``, ``$(NAME:a=b)``: the name is itself a template; a substitution is seen when it is known."""

    written: Traced
    route: Route
    name: Template
    plain: str | None
    """The name, where it holds no reference and no colon."""


@dataclass(frozen=True, slots=True)
class Call:
    """``$(function a,b)``."""

    written: Traced
    route: Route
    function: str
    arguments: tuple[Traced, ...]
    """As they are written."""


@dataclass(frozen=True, slots=True)
class Unclosed:
    """A reference without its closing bracket: make stops there."""

    written: Traced
    route: Route


Part = Traced | Reference | Call | Unclosed

_FUNCTION = expression(r"([a-z][a-z-]*)(?=[ \t\n\r\v\f]|$)")

# The number of arguments that a comma still separates; the last takes the rest. 0: no limit. (make's function.c table,
# manual "Functions for Transforming Text".)
FUNCTIONS: dict[str, int] = {
    "abspath": 1, "addprefix": 2, "addsuffix": 2, "basename": 1, "dir": 1, "notdir": 1, "subst": 3, "suffix": 1,
    "filter": 2, "filter-out": 2, "findstring": 2, "firstword": 1, "flavor": 1, "join": 2, "lastword": 1,
    "patsubst": 3, "realpath": 1, "shell": 1, "sort": 1, "strip": 1, "wildcard": 1, "word": 2, "wordlist": 3,
    "words": 1, "origin": 1, "foreach": 3, "call": 0, "info": 1, "error": 1, "warning": 1, "intcmp": 5, "if": 3,
    "or": 0, "and": 0, "let": 3, "value": 1, "eval": 1, "file": 2, "guile": 1,
}  # fmt: skip


def parse(text: Traced) -> Template:
    """Cut ``text`` into its parts."""
    source = text.text
    dollar = source.find("$")
    if dollar < 0:
        return (text,) if source else ()
    parts: list[Part] = []
    at, size = 0, len(source)
    while dollar >= 0:
        if dollar > at:
            parts.append(text.cut(at, dollar))
        following = source[dollar + 1 : dollar + 2]
        if following == "":
            parts.append(text.cut(dollar, size))
            at = size
        elif following == "$":
            parts.append(text.cut(dollar + 1, dollar + 2))
            at = dollar + 2
        elif following in "({":
            at = _bracketed(text, source, dollar, parts)
        else:
            at = dollar + 2
            if not following.isspace():
                written = text.cut(dollar, at)
                parts.append(Reference(written, written.route, (text.cut(dollar + 1, at),), following))
        dollar = source.find("$", at)
    if at < size:
        parts.append(text.cut(at, size))
    return tuple(parts)


def _bracketed(text: Traced, source: str, dollar: int, parts: list[Part]) -> int:
    opening = dollar + 1
    match = _FUNCTION.match(source, opening + 1)
    close = closing(source, opening)
    if match and match[1] in FUNCTIONS:
        if close < 0:
            return _unclosed(text, dollar, parts)
        written = text.cut(dollar, close + 1)
        arguments = _arguments(text, source, opening, match.end(), close, FUNCTIONS[match[1]])
        parts.append(Call(written, written.route, match[1], arguments))
        return close + 1
    first = source.find("}" if source[opening] == "{" else ")", opening)
    if first < 0:
        return _unclosed(text, dollar, parts)
    inner_reference = "$" in source[opening:first]
    if not inner_reference or close < 0:
        close = first
    written = text.cut(dollar, close + 1)
    inside = text.cut(opening + 1, close)
    plain = inside.text if "$" not in inside.text and ":" not in inside.text and inside.known else None
    parts.append(Reference(written, written.route, parse(inside), plain))
    return close + 1


def _unclosed(text: Traced, dollar: int, parts: list[Part]) -> int:
    written = text.cut(dollar, len(text))
    parts.append(Unclosed(written, written.route))
    return len(text)


def _arguments(text: Traced, source: str, opening: int, start: int, close: int, limit: int) -> tuple[Traced, ...]:
    left = source[opening]
    right = source[close]
    cuts: list[int] = []
    depth = 0
    for match in re.finditer("[," + re.escape(left + right) + "]", source[start:close]):
        character = match[0]
        if character == left:
            depth += 1
        elif character == right:
            depth -= 1
        elif depth == 0:
            if limit and len(cuts) + 1 >= limit:
                break
            cuts.append(start + match.start())
    bounds = [start - 1, *cuts, close]
    found = [text.cut(a + 1, b) for a, b in pairwise(bounds)]
    found[0] = strip_left(found[0])
    return tuple(found)
