"""Environment files as just reads them.

Follows "Dotenv Settings" in just's README and dotenvy 0.15 (https://docs.rs/dotenvy), which reads the lines. Where the
file is looked for is not known here.
"""

from collections.abc import Iterator, Mapping

from flagguard.patterns import expression
from flagguard.text import Decider, Hole, SourceText, Traced, hole, join, literal

_LINE = expression(r"[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*")
_PART = expression(
    r"""'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|(\\.)|(\$\{[A-Za-z_]\w*\}|\$[A-Za-z_]\w*)"""
    r"""|([ \t]+(?:\#.*)?(?m:$))|([^\n'"\\$ \t]+|[ \t]|\$)"""
)
_INSIDE = expression(r"\\([\s\S])|\$\{[A-Za-z_]\w*\}|\$[A-Za-z_]\w*")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def variables(source: SourceText, environment: Mapping[str, Traced]) -> Iterator[tuple[str, Traced]]:
    """The file's variables in their order. ``environment``: what else `$NAME` may name."""
    known = dict(environment)
    text, at = source.text, 0
    while at < len(text):
        found = _LINE.match(text, at)
        if found is None:
            end = text.find("\n", at)
            at = end + 1 if end >= 0 else len(text)
            continue
        value, at = _value(source, found.end(), known)
        known[found[1]] = value
        yield found[1], value
        end = text.find("\n", at)
        at = end + 1 if end >= 0 else len(text)


def _value(source: SourceText, at: int, known: Mapping[str, Traced]) -> tuple[Traced, int]:
    parts: list[Traced] = []
    while (found := _PART.match(source.text, at)) is not None and found.end() > at:
        if found[5] is not None:
            break
        at = found.end()
        if found[1] is not None:
            parts.append(source.traced(*found.span(1)))
        elif found[2] is not None:
            parts.append(_filled(source, *found.span(2), known))
        elif found[3] is not None:
            parts.append(source.traced(found.start() + 1, found.end()))
        elif found[4] is not None:
            parts.append(_named(found[4], source.traced(*found.span()), known))
        else:
            parts.append(source.traced(*found.span()))
    return join(parts), at


def _filled(source: SourceText, start: int, end: int, known: Mapping[str, Traced]) -> Traced:
    """What stands in double quotes."""
    parts: list[Traced] = []
    at = start
    for found in _INSIDE.finditer(source.text, start, end):
        parts.append(source.traced(at, found.start()))
        at = found.end()
        if found[1] is None:
            parts.append(_named(found[0], source.traced(*found.span()), known))
        elif found[1] in _ESCAPES:
            parts.append(literal(_ESCAPES[found[1]]))
        else:
            parts.append(source.traced(*found.span(1)))
    return join([*parts, source.traced(at, end)])


def _named(shown: str, place: Traced, known: Mapping[str, Traced]) -> Traced:
    name = shown.strip("${}")
    value = known.get(name)
    if value is not None:
        return value.through(place.route)
    return hole(Hole(shown, "it is set outside of the repository", Decider.OUTSIDE, name=name), place.route)
