"""pkg-config's `.pc` files, and the `.pc.in` that they are made of: what every user of a library compiles with.

Follows pc(5) of pkgconf and pkg-config(1): `NAME=VALUE` lines, `Key: VALUE` fields, `${NAME}`, `#` comments, and a
backslash that joins lines. `@NAME@`, which configure or CMake replaces, is a hole. A field is a command: `pc:Cflags`.
"""

from collections.abc import Callable, Mapping
from re import Match

from flagguard.command import Call, Place, Reading, Word
from flagguard.hosts import Setting
from flagguard.hosts.pipelines import LONGEST, fill
from flagguard.patterns import expression
from flagguard.text import EMPTY, Decider, Hole, Problem, SourceText, Traced, hole, literal
from flagguard.tools.streams import cut_blank

NAME = "pkgconfig"

_LINE = expression(r"#[^\r\n]*|((?:[^\\\r\n#]|\\(?:\r\n|[\s\S]))+)")
"""A comment, whose last backslash joins nothing, or what is none."""
_ENTRY = expression(r"\s*([\w.]+)[ \t]*([:=])[ \t]*")
_JOINED = expression(r"\\\r?\n")
_USE = expression(r"\$\{([\w.]+)\}|@([A-Za-z_]\w*)@|\$\$")
_FIELDS = {"cflags": "Cflags", "cflags.private": "Cflags.private", "libs": "Libs", "libs.private": "Libs.private"}
_GIVEN = frozenset({"pcfiledir", "pc_sysrootdir", "pc_top_builddir"})


def read(source: SourceText, setting: Setting) -> Reading:
    del setting
    values: dict[str, Traced] = {}
    calls: list[Call] = []
    problems: list[Problem] = []
    for found in _LINE.finditer(source.text):
        if found[1] is None:
            continue
        line = source.traced(*found.span())
        entry = _ENTRY.match(line.text)
        if entry is None:
            continue
        value = line.cut(entry.end(), len(line.text))
        said = fill(fill(value, _JOINED, _join), _USE, _put(values))
        if len(said.text) > LONGEST:
            told = f"{entry[1]} is too long to be followed"
            problems.append(Problem(source.path, source.position(found.start())[0], told))
        elif entry[2] == "=":
            values[entry[1]] = said
        elif entry[1].lower() in _FIELDS:
            at = source.traced(*(found.start() + n for n in entry.span(1))).route[-1]
            words = tuple(cut_blank(said))
            if words:
                program = Word(literal(f"pc:{_FIELDS[entry[1].lower()]}", at).pieces, at)
                calls.append(Call((program, *words), Place(NAME), at))
    return Reading(calls=tuple(calls), problems=tuple(problems))


def _join(found: Match[str], written: Traced) -> Traced:
    """What pkgconf makes of a line's end behind a backslash: nothing, or a blank for CR LF."""
    return literal(" ", written.route[-1]) if "\r" in found[0] else EMPTY


def _put(values: Mapping[str, Traced]) -> Callable[[Match[str], Traced], Traced | None]:
    def put(found: Match[str], written: Traced) -> Traced | None:
        name = found[1] or found[2]
        if name is None:
            return written.cut(0, 1)
        if found[1] is not None and name not in _GIVEN:
            return values.get(name, Traced())
        told = "the place of the file gives it" if name in _GIVEN else "it is put in when the file is made"
        return hole(Hole(written.text, told, Decider.OUTSIDE, name=name), written.route)

    return put
