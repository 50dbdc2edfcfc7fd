"""Builtins that read: ``read``, ``mapfile``, ``getopts`` (POSIX.1-2024 XCU read, getopts; bash manual 4.2)."""

import re
from collections.abc import Mapping, Sequence

from flagguard.command import Word, word
from flagguard.patterns import expression
from flagguard.shell.assign import named
from flagguard.shell.loading import load_name
from flagguard.shell.machine import Call, Machine
from flagguard.shell.operators import quoted_text
from flagguard.shell.state import UNSET, Var, World
from flagguard.text import HOLE_MARK, Decider, Hole, Shape, Traced, hole, join, literal
from flagguard.values import dataclass

_VARIABLE = expression(r"[A-Za-z_]\w*(?:\[[^]]+\])?")
_MOST_CALLS = 64

_LISTS = expression(r"(?:<|\$)\(\s*(?:find|ls|fd|git\s+ls-files|git\s+diff\s+--name-only)\b")
"""Commands that print names of files, one a line (their manuals)."""


@dataclass(frozen=True, slots=True)
class _Line:
    """What `read` has taken of the input."""

    text: Traced
    rest: Traced
    whole: bool
    """Its end was found, or as many characters as were asked for."""
    kept: frozenset[int] = frozenset()
    """Characters of it that stood behind a backslash and so part no fields."""


def _options(words: Sequence[Word], with_argument: str) -> tuple[dict[str, Word | None], list[Word]]:
    """The options of a builtin, each with its argument, and its operands."""
    found: dict[str, Word | None] = {}
    rest = list(words)
    while rest and re.fullmatch("-[A-Za-z].*|--", rest[0].text, re.DOTALL):
        item = rest.pop(0)
        if item.text == "--":
            break
        for i, letter in enumerate(item.text[1:], 1):
            if letter not in with_argument:
                found[letter] = None
                continue
            joined = word(item.cut(i + 1, len(item)), item.written)
            found[letter] = joined if joined.text else rest.pop(0) if rest else joined
            break
    return found, rest


def read(machine: Machine, call: Call, world: World) -> list[World]:
    options, operands = _options(call.words[1:], "adinNptu" if machine.bash else "pt")
    array = options.get("a")
    targets = [array] if array is not None else operands
    names = [w.text for w in targets if not load_name(world, w, call.node.shown, given=True)]
    if any(_VARIABLE.fullmatch(name) is None and HOLE_MARK not in name for name in names):
        world.succeed(False)
        return [world]
    if any(world.fixed(name) for name in names):
        world.succeed(False)
        world.code = 1 if machine.bash else 2
        return [world]
    ready = options.get("t")
    if ready is not None and ready.text == "0":
        world.succeed(None)
        return [world]
    line = _taken(options, world.stdin)
    if line is None:
        for name in names or ["REPLY"]:
            gap = _heard(f"${name}", name, world.stdin)
            got = Var(hole(gap))
            world.put(name, got.opened(hole(gap)) if array is not None else got)
        world.succeed(None)
        return [world]
    world.stdin = line.rest
    if not names:
        world.assign("REPLY", line.text)
        world.succeed(line.whole)
        return [world]
    var = call.env.get("IFS") or (world.vars["IFS"].scalar if "IFS" in world.vars else None)
    blanks = var.text if var is not None else " \t\n"
    fields = [line.text] if "N" in options else _split(line.text, blanks, 0 if array else len(names), line.kept)
    world.succeed(line.whole)
    if array is not None:
        world.put(names[0], Var(items=dict(enumerate(fields))))
        return [world]
    for i, name in enumerate(names):
        machine.assign(named(name, fields[i] if i < len(fields) else Traced()), world)
    return [world]


def _taken(options: Mapping[str, Word | None], heard: Traced | None) -> _Line | None:
    """What `read` takes of the input; None where that is not known."""
    descriptor = options.get("u")
    if heard is None or not heard.known or (descriptor is not None and descriptor.text != "0"):
        return None
    ending, most = "\n", None
    separator = options.get("d")
    if separator is not None:
        if not separator.known:
            return None
        ending = separator.text[:1] or "\0"
    for letter in "nN":
        count = options.get(letter)
        if count is not None:
            if not count.text.isdigit():
                return None
            most, ending = int(count.text), "" if letter == "N" else ending
    if most is not None and "\\" in heard.text and "r" not in options:
        return None
    return _line(heard, "r" in options, ending, most)


def _heard(shown: str, name: str, heard: Traced | None) -> Hole:
    """A line of input that is not known. A list of files holds names, no options."""
    only = heard.holes[0] if heard is not None and heard.text.strip() == HOLE_MARK else None
    if only is not None and _LISTS.match(only.text):
        return Hole(shown, "the name of a file", only.decider, Shape.PATH, name)
    return Hole(shown, "read from the input", Decider.REPOSITORY, name=name)


def mapfile(machine: Machine, call: Call, world: World) -> list[World]:
    options, operands = _options(call.words[1:], "dnOsucC")
    name = operands[0].text if operands else "MAPFILE"
    heard = world.stdin if "u" not in options else None
    texts = {letter: found.text for letter, found in options.items() if found is not None}
    numbers = [texts.get(letter, "0") for letter in "nOs"]
    world.succeed()
    if world.fixed(name):
        world.succeed(False)
        return [world]
    known = all(w.known for w in options.values() if w is not None) and all(n.isdigit() for n in numbers)
    lines = None
    if heard is not None and heard.known and known:
        most, origin, skipped = map(int, numbers)
        lines, world.stdin = _lines(heard, texts.get("d", "\n")[:1] or "\0", skipped, most, "t" in options)
    name = world.target(name)
    if lines is None:
        gap = _heard(f"${{{name}[@]}}", name, heard)
        world.put(name, Var(items={}).opened(hole(gap)))
        lines, origin = [hole(gap)], 0
    else:
        old = world.vars.get(name)
        items = dict(old.items or {}) if "O" in options and old is not None else {}
        world.put(name, Var(items={**items, **{origin + i: line for i, line in enumerate(lines)}}))
    callback = options.get("C")
    if callback is None:
        return [world]
    worlds, each = [world], int(texts["c"]) if texts.get("c", "").isdigit() else 5000
    for i in range(each - 1, min(len(lines), _MOST_CALLS), max(each, 1)):
        shown = quoted_text(lines[i].text) if lines[i].known else None
        argument = literal(shown) if shown is not None else lines[i]
        text = join([Traced(callback.pieces), literal(f" {origin + i} "), argument])
        worlds = machine.run_text(text, worlds, call.context)
    return worlds


def _lines(heard: Traced, ending: str, skipped: int, most: int, strips: bool) -> tuple[list[Traced], Traced]:
    """The lines that `mapfile` stores, and what it leaves."""
    out: list[Traced] = []
    at, text = 0, heard.text
    while at < len(text) and not (most and len(out) - skipped >= most):
        end = text.find(ending, at)
        stop = len(text) if end < 0 else end
        out.append(heard.cut(at, stop if strips or end < 0 or ending == "\0" else end + 1))
        at = stop + 1
    return out[skipped:], heard.cut(at, len(text))


def getopts(machine: Machine, call: Call, world: World) -> list[World]:
    name = call.words[2].text if len(call.words) > 2 else "OPT"
    given = [Traced(w.pieces) for w in call.words[3:]] or (list(world.args) if world.args_known else None)
    # sh ends at the first variable that it may not set; bash goes on, but counts on behind OPTIND's back
    followed = not world.fixed("OPTIND") and (machine.bash or not (world.fixed(name) or world.fixed("OPTARG")))
    known = given is not None and len(call.words) > 2 and call.words[1].known and all(a.known for a in given)
    if given is not None and known and followed:
        _next_option(machine, call.words[1].text, name, given, world)
    else:
        for variable, gap in (
            (name, Hole(f"${name}", "an option of the script", Decider.OUTSIDE)),
            ("OPTARG", Hole("$OPTARG", "an option's argument", Decider.OUTSIDE)),
            ("OPTIND", Hole("$OPTIND", "an option's index", Decider.OUTSIDE, Shape.NUMBER)),
        ):
            if not world.fixed(variable):
                world.put(variable, Var(hole(gap)))
        world.succeed(None)
    if world.fixed(name) and (world.status or not machine.bash):
        world.status, world.code = False, 2
    return [world]


def _next_option(machine: Machine, wanted: str, name: str, given: list[Traced], world: World) -> None:
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
        if machine.bash:
            world.put("OPTARG", UNSET)
        world.succeed(False)
        return
    letter = item.text[inside]
    rest = item.cut(inside + 1, len(item))
    place = wanted.find(letter) if letter != ":" else -1
    found: Traced = literal(letter)
    silent = wanted.startswith(":")
    if place < 0 and silent:
        world.assign("OPTARG", found)
    elif place < 0 or not world.fixed("OPTARG"):
        # bash takes it away after an option that is wrong, even where it is readonly
        world.put("OPTARG", UNSET)
    if place < 0:
        found = literal("?")
    elif wanted[place + 1 : place + 2] == ":":
        if not rest and at < len(given):
            at += 1
            rest = given[at - 1]
        elif not rest:
            found, rest = literal(":" if silent else "?"), found if silent else rest
            if not silent:
                world.put("OPTARG", UNSET)
        if rest:
            world.assign("OPTARG", rest)
        rest = Traced()
    inside = inside + 1 if rest else 0
    at = at if rest else at + 1
    world.options_at = inside
    world.assign("OPTIND", literal(str(at)))
    world.assign(name, found)
    world.succeed()


def _line(heard: Traced, raw: bool, ending: str, most: int | None) -> _Line:
    """A line of the input as `read` takes it. ``ending``: the character that ends it, if one does."""
    text, at = heard.text, 0
    kept: set[int] = set()
    gone = 0
    out: list[Traced] = []
    run = 0
    end = len(text) if most is None else min(most, len(text))
    while at < end and (not ending or text[at] != ending):
        if text[at] == "\\" and not raw:
            out.append(heard.cut(run, at))
            joined = text[at + 1 : at + 2] == "\n"
            run = at + 2 if joined else at + 1
            if not joined:
                kept.add(at - gone)
            gone += 2 if joined else 1
            at += 1
        elif text[at] == "\0":
            out.append(heard.cut(run, at))
            run = at + 1
            gone += 1
        at += 1
    out.append(heard.cut(run, min(at, len(text))))
    ended = at < len(text) and bool(ending) and text[at] == ending and at != most
    whole = ended or (most is not None and at >= most)
    return _Line(join(out), heard.cut(at + 1 if ended else at, len(text)), whole, frozenset(kept))


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
