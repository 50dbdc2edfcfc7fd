"""Everything that reaches a tool: its own words, and the words that options, settings and the environment carry.

Each carrier gives one stream of words with the grammar of the tool that reads them. Streams are in the order in which
the tool sees them. Which variables and options carry words is data; what a slot, a rank and a lane are:

    slot    of several that fill one slot, the last counts (`-DCMAKE_C_FLAGS=` replaces CFLAGS, a later one both)
    rank    only the lowest rank that is present counts (RUSTFLAGS hides `build.rustflags`)
    lane    words for one language only; each lane is judged on its own
    empty   `nothing`: a variable without words is as if it were not set

Must not know of rules or hosts.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from flagguard.command import Word, word
from flagguard.patterns import expression
from flagguard.text import HOLE_MARK, Decider, Hole, Piece, SourceText, Traced
from flagguard.tools.catalogue import Tool, grammar
from flagguard.tools.grammar import Hider, Item, Option, Parse, parse
from flagguard.tools.platforms import architecture, split
from flagguard.values import dataclass, replace

Read = Callable[[str], SourceText | None]
"""Reads a file of the tree."""


@dataclass(frozen=True)
class Stream:
    """One sequence of words for one tool."""

    tool: Tool
    parse: Parse
    carrier: str | None = None
    lane: str = ""
    early: bool = False
    """The tool sees these words before its own."""
    below: bool = False
    """They count where its own say nothing."""


# -- cutting values into words ----------------------------------------------------------------------------------------


def cut_blank(text: Traced) -> list[Word]:
    """At blanks, with a shell's quotes and backslashes (also what CMake and configure do)."""
    out: list[Word] = []
    source = text.text
    parts: list[Traced] = []
    started = False
    quote = ""
    i = 0
    while i < len(source):
        c = source[i]
        if quote:
            if c == quote:
                quote = ""
            elif c == "\\" and quote == '"' and source[i + 1 : i + 2] in ('"', "\\"):
                i += 1
                parts.append(text.cut(i, i + 1))
            else:
                parts.append(text.cut(i, i + 1))
        elif c in "'\"":
            quote, started = c, True
        elif c == "\\" and i + 1 < len(source):
            i += 1
            parts.append(text.cut(i, i + 1))
        elif c.isspace():
            if parts or started:
                out.append(_joined(parts))
            parts, started = [], False
        else:
            end = i + 1
            while end < len(source) and source[end] not in "'\"\\" and not source[end].isspace():
                end += 1
            parts.append(text.cut(i, end))
            i = end - 1
        i += 1
    if parts or started:
        out.append(_joined(parts))
    return out


def _joined(parts: Iterable[Traced]) -> Word:
    pieces: list[Piece] = []
    for part in parts:
        pieces += part.pieces
    return Word(tuple(pieces))


def cut_plain(text: Traced) -> list[Word]:
    """At blanks, quotes being nothing special (RUSTFLAGS)."""
    return [word(text.cut(m.start(), m.end())) for m in re.finditer(r"[^\s]+", text.text)]


def cut_at(text: Traced, mark: str) -> list[Word]:
    """At each `mark`; nothing from nothing."""
    return [word(text.cut(m.start(), m.end())) for m in re.finditer(f"[^{re.escape(mark)}]+", text.text)]


_QUOTED = expression(r"""(?:'[^']*'|"[^"]*"|[^,])+""")


def cut_quoted(text: Traced) -> list[Word]:
    """At commas; an item may be in quotes (measured, nvcc 13.0: `-Xcompiler '"-O2"'` is `-O2`)."""
    out = []
    for found in _QUOTED.finditer(text.text):
        start, end = found.span()
        inner = end - start > 1 and found[0][0] in "'\"" and found[0][-1] == found[0][0]
        out.append(word(text.cut(start + inner, end - inner)))
    return out


def cut_list(text: Traced) -> list[Word]:
    """`['-O2', '-g']`, else at blanks, or at commas as before Meson 0.52 (Meson, Build options, arrays)."""
    if not text.text.lstrip().startswith("["):
        ends = [m.start() for m in re.finditer(",(?=-)", text.text)]
        starts = [0, *(end + 1 for end in ends)]
        return [w for a, b in zip(starts, [*ends, len(text)], strict=True) for w in cut_blank(text.cut(a, b))]
    return [word(text.cut(m.start(1), m.end(1))) for m in re.finditer(r"""["']([^"']*)["']""", text.text)]


def cut(value: Traced, how: str) -> list[Word]:
    match how:
        case "blank":
            return cut_blank(value)
        case "plain":
            return cut_plain(value)
        case "comma":
            return cut_at(value, ",")
        case "quoted":
            return cut_quoted(value)
        case "unit":
            return cut_at(value, "\x1f")
        case "lines":
            return cut_at(value, "\n")
        case "semicolon":
            return cut_at(value, ";")
        case "per-file":  # bazel's `REGEX@OPTION,OPTION`
            return cut_at(value.cut(value.text.find("@") + 1, len(value)), ",")
        case "list":
            return cut_list(value)
        case _:
            return [value if isinstance(value, Word) else word(value)]


# -- response files ---------------------------------------------------------------------------------------------------


_DEEPEST = 20
"""How many response files may name one another; gcc gives up at 2000 files (libiberty, expandargv)."""


def opened(items: Sequence[Item], how: str | None, read: Read | None, depth: int = 0) -> list[Item]:
    """The words with each `@file` replaced by what the file holds; one that cannot be read is a hole.

    A file may name others (GCC manual, 3.2), but not one whose words are its lines (rustc reads no further).
    """
    if how is None or not any(i.word.text.startswith("@") for i in items):
        return list(items)
    out = []
    for item in items:
        text = item.word.text
        if not text.startswith("@") or len(text) == 1:
            out.append(item)
            continue
        source = read(text[1:]) if read is not None and item.word.known and depth < _DEEPEST else None
        if source is None:
            reason = "the response file is not in the repository"
            missing = Hole(item.word.shown, reason, Decider.REPOSITORY)
            out.append(Item(Word((Piece(item.word.shown, item.word.route, hole=missing),)), item.at))
        else:
            held = [Item(w, item.at) for w in cut(source.traced(), "blank" if how == "shell" else how)]
            out += opened(held, how, read, depth + 1) if how == "shell" else held
    return out


# -- carriers ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Carried:
    """Words on their way: the entry of the catalogue, where they come from."""

    items: tuple[Item, ...]
    grammar: str
    carrier: str
    lane: str
    slot: str
    rank: int
    early: bool = False
    late: bool = False
    """They come behind others of the rank, wherever they stand."""
    implied: bool = False
    """A build type implies them, unless its flags are given."""
    of_type: bool = False
    """They are the flags of the build type."""


def streams(
    tool: Tool, main: Parse, environment: Mapping[str, Traced], platform: str, read: Read | None = None
) -> tuple[Stream, ...]:
    """All streams of an invocation: first its own words."""
    out = [Stream(tool, main)]
    if main.node.after_terminator and main.rest:
        other = grammar(main.node.after_terminator)
        items = opened(main.rest, other.response, read)
        out.append(Stream(other, parse(other.root, items, "--"), "--"))
    carried = [*_from_environment(tool, main, environment, platform), *_from_settings(tool, main, platform, read)]
    ranks = [c.rank for c in carried if c.rank]
    best = min(ranks, default=0)
    slots: dict[str, _Carried] = {}
    loose = []
    for c in carried:
        if c.rank and c.rank != best:
            continue
        if c.slot:
            slots[c.slot] = c
        else:
            loose.append(c)
    for c in sorted(_less_implied([*slots.values(), *loose]), key=lambda c: (c.late, c.implied)):
        out.append(_stream(c, read))
    out += _from_carrying_options(main.options, read)
    for outer in out[1:]:  # what is carried may carry in its turn: `CMAKE_ARGS=-DCMAKE_C_FLAGS=…`
        out += [_stream(c, read) for c in _from_settings(outer.tool, outer.parse, platform, read)]
        out += _from_carrying_options(outer.parse.options, read)
        if len(out) > _MOST_STREAMS:
            break
    return tuple(out)


_MOST_STREAMS = 200


def _less_implied(carried: Sequence[_Carried]) -> Iterable[_Carried]:
    """Less what a build type implies for those languages of which its flags are given."""
    given = {c.lane for c in carried if c.of_type}
    others = sorted({c.lane for c in carried} - given - {""})
    for c in carried:
        if c.implied and given:
            yield from (replace(c, lane=lane) for lane in others)
        else:
            yield c


_SEVERAL_TYPES = ("Visual Studio", "Xcode", "Ninja Multi-Config")
"""Generators whose build type is chosen when it is built (cmake-generators(7))."""


def _implied(entry: Mapping[str, Any], value: Traced, main: Parse, platform: str, at: int | None) -> tuple[Item, ...]:
    """What a build type stands for (Modules/Compiler/GNU.cmake, Modules/Platform/Windows-MSVC.cmake)."""
    generators = [o.value.text for o in main.options if "-G" in o.names and o.value is not None]
    generator = generators[-1] if generators else ""
    windows = split(platform)[0] == "windows"
    if generator.startswith(_SEVERAL_TYPES) or (windows and not generator):
        return ()
    if not value.known:
        level = Word((Piece("-O"), *value.pieces)) if HOLE_MARK in value.text else Word()
        return (Item(level, at),)
    table = entry["windows" if windows and "MinGW" not in generator else "implied"]
    said = table.get(value.text.upper(), "")
    return tuple([Item(Word((Piece(text, value.route),)), at) for text in said.split()])


def _stream(c: _Carried, read: Read | None) -> Stream:
    other = grammar(c.grammar)
    return Stream(
        other, parse(other.root, opened(c.items, other.response, read), c.carrier), c.carrier, c.lane, c.early
    )


def _from_carrying_options(options: Sequence[Option], read: Read | None) -> list[Stream]:
    """`-Xcompiler`, `-Wp,`: the words of all occurrences make one command line for the other tool."""
    gathered: dict[str, list[tuple[str, Item]]] = {}
    below: set[str] = set()
    for option in options:
        spec = option.spec
        if spec is None or spec.carries is None or option.value is None:
            continue
        at = option.words[0] if option.words else None
        below |= {spec.carries} if spec.below else set()
        if spec.split == "named":
            itself = Word((Piece(spec.spellings[0], option.word.route),))
            gathered.setdefault(spec.carries, []).append((_spelled(option), Item(itself, at)))
        for w in cut(option.value, spec.split):
            gathered.setdefault(spec.carries, []).append((_spelled(option), Item(w, at)))
    out = []
    for name, items in gathered.items():
        words = tuple(i for _, i in items)
        out.append(replace(_stream(_Carried(words, name, items[0][0], "", "", 0), read), below=name in below))
    return out


def _spelled(option: Option) -> str:
    """The spelling that the option was given in."""
    fits = [s for s in option.names if option.word.text.startswith(s)]
    return max(fits, key=len, default=option.name)


def _from_environment(tool: Tool, main: Parse, environment: Mapping[str, Traced], platform: str) -> Iterable[_Carried]:
    for entry in tool.environment:
        for name, value in environment.items():
            found = re.fullmatch(entry["name"], name)
            if found is None or not for_command(entry, main):
                continue
            if "triple" in entry and not _triple_fits(found[1], platform):
                continue
            if "as" in entry:
                meant = next(e for e in tool.carry if e.get("key") == entry["as"])
                words = _implied(meant, value, main, platform, None)
                yield _Carried(words, meant["grammar"], name, "", name, 0, late=True, implied=True)
                continue
            items = tuple(Item(w) for w in cut(value, entry["split"]))
            if not items and entry.get("empty") == "nothing":
                continue
            slot = entry.get("slot", name)
            lane, rank, early = entry.get("lane", ""), entry.get("rank", 0), entry.get("early", False)
            yield _Carried(items, entry["grammar"], name, lane, slot, rank, early)


def for_command(entry: Mapping[str, Any], main: Parse) -> bool:
    """Whether an entry of the catalogue speaks of this subcommand, or of this use of the tool."""
    if any(not set(entry["without"]).isdisjoint(option.names) for option in main.options if "without" in entry):
        return False
    return "commands" not in entry or (bool(main.path) and main.path[0] in entry["commands"])


def _triple_fits(upper: str, platform: str) -> bool:
    """Whether `X86_64_UNKNOWN_LINUX_GNU` is a triple of the platform."""
    system, machine = split(platform)
    first = upper.lower()
    fits_machine = architecture(machine) == next(
        (architecture(a) for a in ("x86_64", first.split("_")[0]) if first.startswith(a)), None
    )
    marks = {"macos": "apple_darwin", "windows": "windows", "linux": "linux", "freebsd": "freebsd"}
    return fits_machine and marks.get(system, system) in first


def _from_settings(tool: Tool, main: Parse, platform: str, read: Read | None) -> Iterable[_Carried]:
    """`-DCMAKE_C_FLAGS=…`, `CFLAGS=…`, `--config build.rustflags=…`"""
    for option in main.options:
        for entry in tool.carry:
            if option.value is None or not for_command(entry, main):
                continue
            name = option.name
            key = option.key
            if "option" in entry:
                if entry["option"] not in option.names:
                    continue
            elif name.endswith("="):
                key = name[:-1]
            else:
                continue
            lane, slot = "", ""
            if "key" in entry:
                found = re.fullmatch(entry["key"], key or "")
                if found is None or not _of_configuration(entry, found, main.options):
                    continue
                lane = entry.get("lane") or (found[1] if found.groups() and found[1] else "")
                slot = key or ""
                if "unless" in entry and _is_given(entry["unless"].format(*found.groups()), main.options):
                    continue
            at = option.words[0] if option.words else None
            carrier = f"{name}{key}" if key and not name.endswith("=") else name
            value: Traced = option.value
            if entry["split"] == "cargo-config":
                yield from _cargo_config(option, entry, carrier, platform, read)
                continue
            if "implied" in entry:
                words = _implied(entry, value, main, platform, at)
                yield _Carried(words, entry["grammar"], carrier, "", slot, 0, late=True, implied=True)
                continue
            if entry["split"] in ("file", "meson-file", "opaque"):
                items = tuple(Item(w, at) for w in _held(value, entry["split"], read))
                yield _Carried(items, entry["grammar"], carrier, lane, slot, 0, early=True)
                continue
            items = tuple(Item(w, at) for w in cut(value, entry["split"]))
            late = "config" in entry  # CMAKE_<LANG>_FLAGS_<CONFIG> comes behind CMAKE_<LANG>_FLAGS
            of_type = late and "unless" not in entry
            rank = entry.get("rank", 0)
            yield _Carried(items, entry["grammar"], carrier, lane, slot, rank, late=late, of_type=of_type)


def _held(name: Traced, how: str, read: Read | None) -> list[Word]:
    """The words of the file that an option names: clang's `--config` (Clang user's manual, Configuration files).

    A file that is not of the tree is the machine's own. One that is `opaque` may hold anything.
    """
    source = read(name.text) if read is not None and name.known and name.text else None
    if source is None and name.known:
        return []
    if source is not None and how == "meson-file":
        lines = re.finditer(r"(?m)^[ \t]*(?:c|cpp|objc|fortran)_args[ \t]*=[ \t]*(.*)$", source.text)
        return [w for m in lines for w in cut_list(source.traced(m.start(1), m.end(1)))]
    if source is not None and how == "file":
        text = source.traced()
        lines = re.finditer(r"(?m)^(?!\s*#).+$", text.text)
        return [w for m in lines for w in cut_blank(text.cut(m.start(), m.end()))]
    reason = f"what `{name.shown}` adds is not read"
    return [Word((Piece(name.shown, name.route, hole=Hole(name.shown, reason, Decider.REPOSITORY)),))]


def _is_given(key: str, options: Sequence[Option]) -> bool:
    return any(option.key == key for option in options)


def _of_configuration(entry: Mapping[str, Any], found: re.Match[str], options: Sequence[Option]) -> bool:
    """Whether the flags of one build configuration are those that are used (`CMAKE_C_FLAGS_DEBUG`)."""
    if "config" not in entry:
        return True
    chosen = [o.value for o in options if o.key == entry["config"] and o.value is not None]
    if not chosen or not chosen[-1].known:
        return True
    return chosen[-1].text.upper() == found[2]


def _cargo_config(
    option: Option, entry: Mapping[str, Any], carrier: str, platform: str, read: Read | None
) -> Iterable[_Carried]:
    from flagguard.tools.cargo import rustflags

    at = option.words[0] if option.words else None
    value = option.value
    if value is None:
        return
    for rank, words, late in rustflags(value, platform, read):
        yield _Carried(tuple(Item(w, at) for w in words), entry["grammar"], carrier, "", "", rank, late=late)


def hidden(all_streams: Sequence[Stream]) -> Iterable[tuple[Stream, Hider]]:
    """Every word in which an option may hide."""
    for stream in all_streams:
        for hider in stream.parse.hiders:
            yield stream, hider
