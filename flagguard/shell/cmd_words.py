"""The words of cmd.exe: `%X%`, `!X!`, `%1`, and how programs split their command line.

Follows Microsoft's pages for `cmd`, `set`, `call` (parameter modifiers) and "Parsing C command-line arguments".
"""

import re
from collections.abc import Callable
from enum import Enum

from flagguard.command import Word
from flagguard.patterns import expression
from flagguard.shell.outside import CHECKOUTS
from flagguard.text import Decider, Hole, Piece, Route, Shape, Span, Traced, hole, join, literal
from flagguard.values import dataclass, field, replace

_PERCENT = expression(r"%%|%\*|%~[fdpnxsatzFDPNXSATZ]*(?:\$[^:%\s]+:)?[0-9]|%[0-9]|%([^%:\r\n]+)(:[^%\r\n]*)?%|%")
_ON_LINE = expression(r"%([^%:\r\n]+)(:[^%\r\n]*)?%")
_DELAYED = expression(r"!([^!:\r\n]+)(:[^!\r\n]*)?!|\^(.)")
_SLICE = expression(r":~\s*(-?\d+)?(?:,\s*(-?\d+)?)?")
_DYNAMIC = {
    **dict.fromkeys(("CD", "CMDCMDLINE", "DATE", "TIME", "HIGHESTNUMANODENUMBER", "CMDEXTVERSION"), Shape.PATH),
    **dict.fromkeys(("ERRORLEVEL", "RANDOM"), Shape.NUMBER),
}
_MACHINE = frozenset(
    "PATH TEMP TMP USERPROFILE APPDATA LOCALAPPDATA PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432 PROGRAMDATA SYSTEMROOT "
    "WINDIR COMSPEC SYSTEMDRIVE HOMEDRIVE HOMEPATH USERNAME COMPUTERNAME NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE "
    "OS ALLUSERSPROFILE PUBLIC PATHEXT COMMONPROGRAMFILES USERDOMAIN PROMPT".split()
)
"""What every Windows machine sets."""
_DELIMITERS = " \t,;=\u00a0"


class Mode(Enum):
    """How percent signs are read: a batch file's rules differ from a command line's."""

    BATCH = "batch"
    LINE = "line"


@dataclass
class Variables:
    """What is set: the environment, arguments, variables of `for`. Names in capitals are the same."""

    values: dict[str, tuple[str, Traced]] = field(default_factory=dict)
    arguments: tuple[Traced, ...] | None = None
    """`%1` onwards; None: nobody knows them."""
    loop: dict[str, Traced] = field(default_factory=dict)
    delayed: bool = False
    outside: frozenset[str] = frozenset()
    script: str | None = None
    """The file of the tree that is run."""
    announced: Callable[[str], str | None] | None = None
    """What a variable from outside says of the platform."""

    def copy(self) -> "Variables":
        return replace(self, values=dict(self.values), loop=dict(self.loop))

    def put(self, name: str, value: Traced | None) -> None:
        if value is None or not value.pieces:
            self.values.pop(name.upper(), None)
        else:
            self.values[name.upper()] = (name, value)

    @property
    def environment(self) -> dict[str, Traced]:
        return dict(self.values.values())

    def value(self, name: str, shown: str, route: Route) -> Traced | None:
        """A variable's value as its use sees it; None where it is set nowhere."""
        key = name.upper()
        if key in self.values:
            return self.values[key][1].through(route)
        if key in _DYNAMIC:
            return hole(Hole(shown, "cmd sets it", Decider.OUTSIDE, _DYNAMIC[key], name), route)
        if key in CHECKOUTS:
            reason = "where the repository is checked out"
            return hole(Hole(shown, reason, Decider.OUTSIDE, Shape.PATH, name, path=""), route)
        if key in _MACHINE or name in self.outside:
            said = self.announced(key) if self.announced is not None else None
            if said is not None:
                return literal(said).through(route)
            return hole(Hole(shown, "it is set outside of the repository", Decider.OUTSIDE, name=name), route)
        return None


def expand(text: Traced, variables: Variables, mode: Mode) -> Traced:
    """A line with its percent signs replaced, as it is when cmd reads it."""
    if "%" not in text.text:
        return text
    pattern = _PERCENT if mode is Mode.BATCH else _ON_LINE
    return _replaced(text, pattern, lambda m: _percent(m, text, variables, mode))


def _replaced(text: Traced, pattern: "re.Pattern[str]", by: "Callable[[re.Match[str]], Traced]") -> Traced:
    parts: list[Traced] = []
    at = 0
    for found in pattern.finditer(text.text):
        parts += [text.cut(at, found.start()), by(found)]
        at = found.end()
    return join([*parts, text.cut(at, len(text))])


def _percent(found: "re.Match[str]", text: Traced, variables: Variables, mode: Mode) -> Traced:
    shown = found.group()
    route = text.cut(*found.span()).route
    if shown == "%%":
        return text.cut(found.start(), found.start() + 1)
    if shown == "%":
        return Traced()
    if found.group(1) is not None:
        value = _named(found.group(1), found.group(2) or "", shown, route, variables)
        if value is None:
            unset = Traced((Piece("", route, unset=found.group(1)),))
            return unset if mode is Mode.BATCH else text.cut(*found.span())
        return value
    if shown == "%*":
        if variables.arguments is None:
            return hole(Hole(shown, "the caller gives the arguments"), route)
        parts: list[Traced] = []
        for i, each in enumerate(variables.arguments):
            parts += [Traced((Piece(" "),)), each] if i else [each]
        return join(parts).through(route)
    return _numbered(shown, route, variables)


def _numbered(shown: str, route: Route, variables: Variables) -> Traced:
    """`%0` to `%9`, with modifiers."""
    number = int(shown[-1])
    if number == 0:
        path = variables.script
        if path is not None and shown.lower() == "%~dp0":  # it ends with a backslash
            path = path[: path.rfind("/") + 1]
        elif shown.lower() not in ("%0", "%~0", "%~f0", "%~dpnx0"):
            path = None
        return hole(Hole(shown, "the path of the script", Decider.OUTSIDE, Shape.PATH, path=path), route)
    if variables.arguments is None:
        return hole(Hole(shown, "the caller gives the arguments"), route)
    if number > len(variables.arguments):
        return Traced((Piece("", route, unset=shown),))
    value = variables.arguments[number - 1]
    if "~" not in shown:
        return value.through(route)
    return _changed(value, shown[2:-1], shown).through(route)


def _changed(value: Traced, modifiers: str, shown: str) -> Traced:
    """A parameter without its quotes, or its name (`n`), its extension (`x`); what else there is asks for a folder."""
    quoted = len(value) > 1 and value.text[0] == value.text[-1] == '"'
    bare = value.cut(1, len(value) - 1) if quoted else value
    if not modifiers:
        return bare
    if not value.known or set(modifiers.lower()) - set("nx") or set(value.text) & set("*?"):
        return hole(Hole(shown, "a part of a path", Decider.OUTSIDE, Shape.PATH))
    text = bare.text
    start = max(text.rfind(c) for c in "\\/:") + 1
    dot = text.rfind(".", start)
    dot = dot if dot >= 0 else len(text)
    return bare.cut(start if "n" in modifiers.lower() else dot, len(text) if "x" in modifiers.lower() else dot)


def _named(name: str, change: str, shown: str, route: Route, variables: Variables) -> Traced | None:
    value = variables.value(name, shown, route)
    if value is None or not change or change == ":":
        return value
    if value.known:
        sliced = _SLICE.fullmatch(change)
        if sliced is not None:
            size = len(value)
            start, count = int(sliced.group(1) or 0), sliced.group(2)
            start = max(size + start, 0) if start < 0 else min(start, size)
            length = size - start if count is None else int(count)
            end = size + length if length < 0 else start + length
            return value.cut(start, min(end, size))
        old, equals, new = change[1:].partition("=")
        if equals and old and not old.startswith("*"):
            return _substituted(value, old, new, route)
    return hole(Hole(shown, "a changed value that is not worked out", Decider.REPOSITORY, name=name), route)


def _substituted(value: Traced, old: str, new: str, route: Route) -> Traced:
    parts: list[Traced] = []
    at, folded = 0, value.text.lower()
    while (found := folded.find(old.lower(), at)) >= 0:
        parts += [value.cut(at, found), Traced((Piece(new, route),))]
        at = found + len(old)
    return join([*parts, value.cut(at, len(value))])


def late(text: Traced, variables: Variables) -> Traced:
    """What is replaced when a command runs: variables of `for`, then `!X!` where that is on."""
    if variables.loop and "%" in text.text:
        names = "".join(re.escape(n) for n in variables.loop)
        pattern = re.compile(rf"%(~[fdpnxsatzFDPNXSATZ]*(?:\$[^:%\s]+:)?)?([{names}])")
        text = _replaced(text, pattern, lambda m: _looped(m, text, variables))
    if variables.delayed and "!" in text.text:
        text = _replaced(text, _DELAYED, lambda m: _delayed(m, text, variables))
    return text


def _looped(found: "re.Match[str]", text: Traced, variables: Variables) -> Traced:
    route = text.cut(*found.span()).route
    value = variables.loop[found.group(2)]
    if found.group(1) is None:
        return value.through(route)
    return _changed(value, found.group(1)[1:], found.group()).through(route)


def _delayed(found: "re.Match[str]", text: Traced, variables: Variables) -> Traced:
    if found.group(3) is not None:
        return text.cut(found.start() + 1, found.end())
    route = text.cut(*found.span()).route
    value = _named(found.group(1), found.group(2) or "", found.group(), route, variables)
    return Traced((Piece("", route, unset=found.group(1)),)) if value is None else value


# -- words -------------------------------------------------------------------------------------------------------------


def words(text: Traced) -> tuple[list[Word], int]:
    """The argument vector of a command line, and where the arguments begin in it."""
    raw, at = text.text, 0
    while at < len(raw) and raw[at] in _DELIMITERS + "@":
        at += 1
    start, quoted = at, False
    while at < len(raw) and (quoted or raw[at] not in _DELIMITERS):
        quoted ^= raw[at] == '"'
        at += 1
    if at == start:
        return [], at
    out = [Word(_without_quotes(text.cut(start, at)).pieces, _written(text, start, at))]
    return out + arguments(text, at), at


def _without_quotes(text: Traced) -> Traced:
    return join(text.cut(*m.span()) for m in re.finditer(r'[^"]+', text.text))


def _written(text: Traced, start: int, end: int) -> Span | None:
    """The source of a word: one span, where all of it is written in one place."""
    spans = [p.route[0] for p in text.cut(start, end).pieces if p.route]
    if not spans or any(s.path != spans[0].path for s in spans):
        return None
    return Span(spans[0].path, min(s.start for s in spans), max(s.end for s in spans))


def arguments(text: Traced, at: int) -> list[Word]:
    """The words from ``at`` on, as the C runtime splits them."""
    raw, size = text.text, len(text)
    out: list[Word] = []
    while True:
        while at < size and raw[at] in " \t":
            at += 1
        if at >= size:
            return out
        start, begin, quoted = at, at, False
        parts: list[Traced] = []
        while at < size and (quoted or raw[at] not in " \t"):
            if raw[at] == '"':
                parts.append(text.cut(begin, at))
                if quoted and raw[at + 1 : at + 2] == '"':
                    at += 1
                    begin = at
                else:
                    quoted = not quoted
                    begin = at + 1
                at += 1
            elif raw[at] == "\\":
                slashes = at
                while at < size and raw[at] == "\\":
                    at += 1
                if raw[at : at + 1] == '"':
                    count = at - slashes
                    parts.append(text.cut(begin, slashes + count // 2))
                    begin = at
                    if count % 2:
                        at += 1
            else:
                at += 1
        parts.append(text.cut(begin, at))
        made = join(parts)
        if made.pieces or '"' in raw[start:at]:
            gone = all(not p.text and p.hole is None for p in made.pieces) and '"' not in raw[start:at]
            if not gone:
                out.append(Word(made.pieces, _written(text, start, at)))


def keep(text: Traced, start: int, end: int) -> Traced:
    """As ``text.cut``, with the variables that were expanded to nothing at its edges (an inner edge keeps one once)."""
    if all(p.unset is None for p in text.pieces):
        return text.cut(start, end)
    out: list[Piece] = []
    at, whole = 0, len(text)
    for piece in text.pieces:
        size = 1 if piece.hole is not None else len(piece.text)
        if size == 0:
            if start <= at < end or at == end == whole:
                out.append(piece)
        elif at < end and at + size > start:
            out.append(piece.cut(max(start - at, 0), min(end - at, size)))
        at += size
    return Traced(tuple(out))


def with_vanished(text: Traced, made: list[Word]) -> tuple[list[Word], tuple[tuple[int, Hole], ...]]:
    """The words, and the variables that left no word: (the index before which they stood, what they were).

    A program's name that vanished is put back as a hole.
    """
    lost: list[tuple[int, Hole]] = []
    raw, at = text.text, 0
    for piece in text.pieces:
        size = 1 if piece.hole is not None else len(piece.text)
        alone = raw[at - 1 : at] in ("", " ", "\t", "@") and raw[at : at + 1] in ("", " ", "\t")
        if size == 0 and piece.unset is not None and alone:
            shown = piece.unset if piece.unset.startswith("%") else f"%{piece.unset}%"
            gone = Hole(shown, "nothing in the repository sets it", Decider.OUTSIDE, name=piece.unset)
            before = len(words(text.cut(0, at))[0])
            if not before and not raw[:at].strip():
                made = [Word((Piece(shown, piece.route, hole=gone),), _written_at(piece.route)), *made]
                lost = [(i + 1, h) for i, h in lost]
            else:
                lost.append((before + (1 if made and made[0].whole_hole and not raw[:1].strip() else 0), gone))
        at += size
    return made, tuple(lost)


def _written_at(route: Route) -> Span | None:
    return route[0] if route else None
