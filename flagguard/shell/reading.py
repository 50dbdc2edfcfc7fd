"""Builtins that read: ``read``, ``mapfile``, ``getopts`` (POSIX.1-2024 XCU read, getopts; bash manual 4.2)."""

import re

from flagguard.patterns import expression
from flagguard.shell.loading import load_name
from flagguard.shell.machine import Call, Machine
from flagguard.shell.state import UNSET, Var, World
from flagguard.text import HOLE_MARK, Decider, Hole, Shape, Traced, hole, join, literal

_LISTS = expression(r"(?:<|\$)\(\s*(?:find|ls|fd|git\s+ls-files|git\s+diff\s+--name-only)\b")
"""Commands that print names of files, one a line (their manuals)."""


def read(machine: Machine, call: Call, world: World) -> list[World]:
    names, words, raw, array = [], list(call.words[1:]), False, False
    separator = None
    while words:
        item = words.pop(0)
        text = item.text
        if re.fullmatch("-[A-Za-z]+", text):
            raw = raw or "r" in text
            array = array or "a" in text
            if text[-1] in "dinNptu" and words:
                separator = words.pop(0).text if text[-1] == "d" else (words.pop(0), separator)[1]
        elif not load_name(world, item, call.node.shown, given=True):
            names.append(text)
    _store(names, call, world, array, separator, raw)
    return [world]


def _store(names: list[str], call: Call, world: World, array: bool, separator: str | None, raw: bool) -> None:
    heard = world.stdin
    if heard is None or not heard.known or separator is not None:
        for name in names or ["REPLY"]:
            gap = _heard(f"${name}", name, heard)
            got = Var(hole(gap))
            world.put(name, got.opened(hole(gap)) if array else got)
        world.succeed(None)
        return
    line, rest, whole, kept = _line(heard, raw)
    world.stdin = rest
    if not names:
        world.assign("REPLY", line)
        world.succeed(whole)
        return
    var = call.env.get("IFS") or (world.vars["IFS"].scalar if "IFS" in world.vars else None)
    blanks = var.text if var is not None else " \t\n"
    fields = _split(line, blanks, 0 if array else len(names), kept)
    world.succeed(whole)
    if array:
        world.put(names[0], Var(items=dict(enumerate(fields))))
        return
    for i, name in enumerate(names):
        world.assign(name, fields[i] if i < len(fields) else Traced())


def _heard(shown: str, name: str, heard: Traced | None) -> Hole:
    """A line of input that is not known. A list of files holds names, no options."""
    only = heard.holes[0] if heard is not None and heard.text.strip() == HOLE_MARK else None
    if only is not None and _LISTS.match(only.text):
        return Hole(shown, "the name of a file", only.decider, Shape.PATH, name)
    return Hole(shown, "read from the input", Decider.REPOSITORY, name=name)


def mapfile(machine: Machine, call: Call, world: World) -> list[World]:
    names = [w.text for w in call.words[1:] if not w.text.startswith("-")]
    name = names[-1] if names else "MAPFILE"
    heard = world.stdin
    strips = any(w.text == "-t" for w in call.words)
    if heard is not None and heard.known and len(names) <= 1:
        items: dict[int | str, Traced] = {}
        at = 0
        for line in heard.text.splitlines(keepends=True):
            size = len(line.rstrip("\n")) if strips else len(line)
            items[len(items)] = heard.cut(at, at + size)
            at += len(line)
        world.put(name, Var(items=items))
    else:
        gap = _heard(f"${{{name}[@]}}", name, heard)
        world.put(name, Var(items={}).opened(hole(gap)))
    world.succeed()
    return [world]


def getopts(machine: Machine, call: Call, world: World) -> list[World]:
    name = call.words[2].text if len(call.words) > 2 else "OPT"
    given = [Traced(w.pieces) for w in call.words[3:]] or (list(world.args) if world.args_known else None)
    if given is not None and len(call.words) > 2 and call.words[1].known and all(a.known for a in given):
        return _next_option(call.words[1].text, name, given, world)
    gap = Hole(f"${name}", "an option of the script", Decider.OUTSIDE)
    world.put(name, Var(hole(gap)))
    argument = Hole("$OPTARG", "an option's argument", Decider.OUTSIDE)
    world.put("OPTARG", Var(hole(argument)))
    world.put("OPTIND", Var(hole(Hole("$OPTIND", "an option's index", Decider.OUTSIDE, Shape.NUMBER))))
    world.succeed(None)
    return [world]


def _next_option(wanted: str, name: str, given: list[Traced], world: World) -> list[World]:
    """One step of getopts (XCU getopts) over arguments that are known."""
    counter = (world.vars.get("OPTIND") or Var(literal("1"))).scalar
    at = int(counter.text) if counter is not None and counter.text.isdigit() else 1
    if at == 1 and "OPTIND" not in world.vars:
        world.options_at = 0
    inside = world.options_at or 1
    item = given[at - 1] if at <= len(given) else None
    if item is None or not item.text.startswith("-") or item.text in ("-", "--"):
        if item is not None and item.text == "--":
            at += 1
        world.assign("OPTIND", literal(str(at)))
        world.assign(name, literal("?"))
        world.options_at = 0
        world.succeed(False)
        return [world]
    letter = item.text[inside]
    rest = item.cut(inside + 1, len(item))
    place = wanted.find(letter) if letter != ":" else -1
    found: Traced = literal(letter)
    silent = wanted.startswith(":")
    if place < 0 and silent:
        world.assign("OPTARG", found)
    else:
        world.put("OPTARG", UNSET)
    if place < 0:
        found = literal("?")
    elif wanted[place + 1 : place + 2] == ":":
        if not rest and at < len(given):
            at += 1
            rest = given[at - 1]
        elif not rest:
            found, rest = literal(":" if silent else "?"), found if silent else rest
        if rest:
            world.assign("OPTARG", rest)
        rest = Traced()
    inside = inside + 1 if rest else 0
    at = at if rest else at + 1
    world.options_at = inside
    world.assign("OPTIND", literal(str(at)))
    world.assign(name, found)
    world.succeed()
    return [world]


def _line(heard: Traced, raw: bool) -> tuple[Traced, Traced, bool, frozenset[int]]:
    """A line of the input as `read` takes it, what is left, whether the line was whole, and which characters of it
    stood behind a backslash and so part no fields."""
    text, at = heard.text, 0
    kept: set[int] = set()
    gone = 0
    out: list[Traced] = []
    run = 0
    while at < len(text) and text[at] != "\n":
        if text[at] == "\\" and not raw:
            out.append(heard.cut(run, at))
            joined = text[at + 1 : at + 2] == "\n"
            run = at + 2 if joined else at + 1
            if not joined:
                kept.add(at - gone)
            gone += 2 if joined else 1
            at += 1
        at += 1
    out.append(heard.cut(run, min(at, len(text))))
    return join(out), heard.cut(at + 1, len(text)), at < len(text), frozenset(kept)


def _split(line: Traced, separators: str, limit: int, kept: frozenset[int] = frozenset()) -> list[Traced]:
    """Fields as `read` makes them; the last of ``limit`` takes the rest. ``kept``: characters that separate nothing."""
    text = "".join("\0" if i in kept else c for i, c in enumerate(line.text)) if kept else line.text
    blanks = "".join(c for c in separators if c in " \t\n")
    out: list[Traced] = []
    at, end = 0, len(text)
    while at < end and text[at] in blanks:
        at += 1
    while end > at and text[end - 1] in blanks:
        end -= 1
    if not separators:
        return [line]
    while at < end:
        if limit and len(out) == limit - 1:
            out.append(line.cut(at, end))
            return out
        stop = at
        while stop < end and text[stop] not in separators:
            stop += 1
        out.append(line.cut(at, stop))
        at = stop + 1
        if stop < end and text[stop] in blanks:
            while at < end and text[at] in blanks:
                at += 1
            if at < end and text[at] in separators and text[at] not in blanks:
                at += 1
        while at < end and text[at] in blanks:
            at += 1
    return out
