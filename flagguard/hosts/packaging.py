"""What the readers of packaging formats share: scripts alike in several worlds of a file, scripts made of functions.

Knows no format.
"""

from collections.abc import Iterable, Iterator, Mapping

from flagguard.command import Script
from flagguard.hosts import Setting
from flagguard.patterns import expression
from flagguard.text import SourceText, Span, Traced, join, literal
from flagguard.values import replace


def merged(scripts: Iterable[Script]) -> Iterator[Script]:
    """Each script once, for all its platforms; what only some of several worlds assume is no assumption."""
    alike: dict[object, tuple[list[Script], set[str]]] = {}
    for script in scripts:
        key = replace(script, platforms=None, when=(), opt_in=False)
        found, platforms = alike.setdefault(key, ([], set()))
        found.append(script)
        platforms |= script.platforms or set()
    for found, platforms in alike.values():
        asked = all(script.opt_in for script in found)
        first, *rest = sorted({script.when for script in found if asked or not script.opt_in})
        when = tuple(one for one in first if all(one in other for other in rest))
        yield replace(found[0], platforms=frozenset(platforms), when=when, opt_in=asked)


_FUNCTION = expression(r"(?m)^[ \t]*(?:function[ \t]+([A-Za-z_][\w@.+-]*)|([A-Za-z_][\w@.+-]*)[ \t]*\([ \t]*\))")


def functions(source: SourceText) -> dict[str, Span]:
    """The functions that a shell script defines at the beginning of a line, and where each is named."""
    found = _FUNCTION.finditer(source.text)
    return {one[one.lastindex or 0]: Span(source.path, *one.span(one.lastindex or 0)) for one in found}


def calls(defined: Mapping[str, Span], names: Iterable[str], apart: bool = False) -> Traced:
    """Calls of those functions that there are; ``apart``: each in a process of its own."""
    parts: list[Traced] = []
    for name in names:
        if name in defined:
            parts += [literal("(" if apart else ""), literal(name, defined[name]), literal(")\n" if apart else "\n")]
    return join(parts)


def architectures(listed: Iterable[str], names: Mapping[str, str], setting: Setting) -> frozenset[str]:
    """The platforms that a package is for: of those to read for, the ones that it lists; else all that it lists.

    ``names``: what the packaging system calls each platform. What it calls otherwise is no platform that is known.
    """
    wanted = {platform for name in listed if (platform := names.get(name)) is not None}
    return frozenset(p for p in setting.platforms if p in wanted) or frozenset(wanted)
