"""What the commands of Hatch come to: its fields in braces, and scripts that name other scripts.

Follows https://hatch.pypa.io/latest/config/context/ ("Global fields", "Environment fields") and Python's format strings
(https://docs.python.org/3/library/string.html#formatstrings), in which a field's modifier may hold fields itself.
"""

from collections.abc import Callable, Mapping, Sequence

from flagguard.text import EMPTY, Decider, Hole, Shape, Traced, hole, join, literal
from flagguard.values import dataclass

MACHINE = frozenset("HOME PATH PWD TMPDIR TEMP TMP SHELL".split())
"""Variables that every machine sets."""

_DEEPEST = 10
_MOST_COMMANDS = 1_000


class FormatError(Exception):
    """Hatch would refuse the text: why, and where in it."""

    def __init__(self, message: str, at: Traced) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


@dataclass(frozen=True)
class Fields:
    """What the fields say."""

    name: str
    kind: str
    folder: str
    windows: bool
    matrix: Mapping[str, Traced]
    variable: Callable[[str], Traced | None]
    """The value of an environment variable; None where nobody in the repository sets it."""
    args: Traced | None = None

    def fill(self, text: Traced, depth: int = 0) -> Traced:
        """The text with its fields replaced. Raises :class:`FormatError`."""
        raw = text.text
        parts: list[Traced] = []
        at = start = 0
        while at < len(raw):
            char = raw[at]
            if char not in "{}":
                at += 1
                continue
            if raw[at : at + 2] in ("{{", "}}"):
                parts += [text.cut(start, at + 1)]
                at = start = at + 2
                continue
            if char == "}" or depth >= _DEEPEST:
                raise FormatError("a brace stands alone", text.cut(at, at + 1))
            end = _closing(raw, at)
            if end < 0:
                raise FormatError("a brace is not closed", text.cut(at, at + 1))
            parts += [text.cut(start, at), self._field(text, at, end, depth)]
            at = start = end + 1
        return join([*parts, text.cut(start, len(text))]) if parts else text

    def _field(self, text: Traced, start: int, end: int, depth: int) -> Traced:
        written = text.cut(start, end + 1)
        inside = text.text[start + 1 : end]
        name, colon, _ = inside.partition(":")
        data = self.fill(text.cut(start + 1 + len(name) + len(colon), end), depth + 1)
        name = name.partition("!")[0]
        route = written.route
        if name == "args":
            return data if self.args is None else self.args
        if name in ("env", "matrix"):
            return self._named(name, data, written)
        if name in ("root", "home"):
            known = name == "root" and not data.text.replace("real", "")
            path = self.folder if known else None
            return hole(Hole(written.shown, f"where the {name} is", shape=Shape.PATH, path=path), route)
        if name == "/":
            return literal("\\" if self.windows else "/").grounded(route)
        if name == ";":
            return literal(";" if self.windows else ":").grounded(route)
        if name == "env_name":
            return literal(self.name).grounded(route)
        if name == "env_type":
            return literal(self.kind).grounded(route)
        if name == "verbosity":
            return _verbosity(data.text).grounded(route)
        raise FormatError(f"there is no field `{name}`", written)

    def _named(self, kind: str, data: Traced, written: Traced) -> Traced:
        """A variable of the environment or of the matrix, with its default."""
        name, colon, _ = data.text.partition(":")
        if not name:
            raise FormatError(f"the field `{kind}` has to name a variable", written)
        found = self.variable(name) if kind == "env" else self.matrix.get(name)
        if found is not None:
            return found.through(written.route)
        default = data.cut(len(name) + 1, len(data))
        if kind == "env" and name in MACHINE:
            return hole(Hole(written.shown, "the machine sets it", shape=Shape.PATH, name=name), written.route)
        if colon:
            return default.overridable() if kind == "env" else default
        said = "the caller's environment says it" if kind == "env" else "no matrix here says it"
        decider = Decider.OUTSIDE if kind == "env" else Decider.REPOSITORY
        return hole(Hole(written.shown, said, decider, name=name if kind == "env" else None), written.route)


def _closing(raw: str, at: int) -> int:
    depth = 0
    for index in range(at, len(raw)):
        depth += (raw[index] == "{") - (raw[index] == "}")
        if not depth:
            return index
    return -1


def _verbosity(data: str) -> Traced:
    """`{verbosity}` where nobody asks for more or less."""
    kind, _, by = data.partition(":")
    if kind != "flag":
        return literal("0")
    try:
        number = int(by or "0")
    except ValueError:
        return EMPTY
    return literal("" if not number else f"-{('v' if number > 0 else 'q') * min(abs(number), 3)}")


def parsed(command: Traced) -> tuple[str, Traced, bool]:
    """A command as the name of a script, its words, and whether its status is ignored."""
    raw = command.text
    start = 2 if raw.startswith("- ") else 0
    name = raw[start:].partition(" ")[0]
    return name, command.cut(start + len(name) + 1, len(raw)), bool(start) or raw == "-"


def expanded(
    name: str,
    scripts: Mapping[str, Sequence[Traced]],
    active: tuple[str, ...] = (),
    known: "dict[str, list[Traced]] | None" = None,
) -> list[Traced]:
    """The commands of a script, those of scripts that it names in their place. Raises :class:`FormatError`."""
    known = {} if known is None else known
    if name in known:
        return known[name]
    out: list[Traced] = []
    for command in scripts[name]:
        other, args, ignored = parsed(command)
        if other not in scripts:
            out.append(command)
            continue
        if other in active or other == name:
            raise FormatError(f"the scripts {' and '.join(dict.fromkeys((*active, name)))} name each other", command)
        for one in expanded(other, scripts, (*active, name), known):
            seen = one.through(command.route)
            if args:
                out.append(join([seen, literal(" "), args]))
            else:
                out.append(join([literal("- "), seen]) if ignored and not one.text.startswith("- ") else seen)
        if len(out) > _MOST_COMMANDS:
            raise FormatError(f"the script {name} comes to more than {_MOST_COMMANDS} commands", command)
    known[name] = out
    return out
