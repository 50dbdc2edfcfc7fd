"""Texts, lists and numbers: `string`, `list`, `math`, `cmake_path` (cmake-commands(7)).

What is not computed here leaves a value that is not known.
"""

import re
from collections.abc import Callable

from flagguard.hosts.cmake_conditions import translated
from flagguard.hosts.cmake_flags import added, assigned
from flagguard.hosts.cmake_lexer import Invocation
from flagguard.hosts.cmake_references import items, listed
from flagguard.hosts.cmake_run import Run
from flagguard.hosts.cmake_state import Definition
from flagguard.text import EMPTY, HOLE_MARK, Piece, Traced, join, literal

_GAP = "what the command computes is not known"


def _value(run: Run, name: str) -> Traced:
    return run.lookup(name)[0] or EMPTY


def _put(run: Run, name: Traced, value: Traced | None, invocation: Invocation) -> None:
    if not name.known:
        return
    if value is None:
        run.gap(name.text, invocation, _GAP)
    else:
        run.state.set(name.text, Definition(value))


# -- string -----------------------------------------------------------------------------------------------------------


def _string(run: Run, invocation: Invocation) -> None:
    found = [Traced(word.pieces).one() for word in run.words(invocation.arguments)]
    if len(found) < 2:
        return
    kind = found[0].text
    if kind in ("APPEND", "PREPEND"):
        old, more = _value(run, found[1].text), join(found[2:])
        _put(run, found[1], join([old, more] if kind == "APPEND" else [more, old]), invocation)
        added(run, invocation, found[1], more)
    elif kind == "REGEX" and len(found) > 4:
        _regex(run, found, invocation)
    elif kind == "REPLACE" and len(found) > 4:
        text = join(found[4:])
        known = found[1].known and found[2].known
        _put(run, found[3], _replaced(text, found[1].text, found[2]) if known else None, invocation)
        assigned(run, invocation, found[3], _value(run, found[3].text), replaces=False)
    elif kind == "CONCAT":
        _put(run, found[1], join(found[2:]), invocation)
        added(run, invocation, found[1], join(found[2:]))
    elif kind == "JOIN" and len(found) > 2:
        glued = [part for i, text in enumerate(found[3:]) for part in ((found[1], text) if i else (text,))]
        _put(run, found[2], join(glued), invocation)
        added(run, invocation, found[2], join(glued))
    elif kind in ("TOUPPER", "TOLOWER") and len(found) > 2:
        _put(run, found[2], _cased(found[1], str.upper if kind == "TOUPPER" else str.lower), invocation)
    elif kind == "STRIP" and len(found) > 2:
        said = found[1].text
        start = len(said) - len(said.lstrip())
        _put(run, found[2], found[1].cut(start, len(said.rstrip())), invocation)
    elif kind == "LENGTH" and len(found) > 2:
        _put(run, found[2], literal(str(len(found[1].text.encode()))) if found[1].known else None, invocation)
    elif kind == "SUBSTRING" and len(found) > 4:
        _put(run, found[4], _substring(found), invocation)
    elif kind == "REPEAT" and len(found) > 3:
        times = int(found[2].text) if found[2].text.isdecimal() else -1
        _put(run, found[3], join([found[1]] * times) if 0 <= times <= 200 else None, invocation)
    elif kind == "FIND" and len(found) > 3:
        known = found[1].known and found[2].known
        at = found[1].text.rfind(found[2].text) if "REVERSE" in [f.text for f in found[4:]] else -2
        at = found[1].text.find(found[2].text) if at == -2 else at
        _put(run, found[3], literal(str(at)) if known else None, invocation)
    elif kind == "COMPARE" and len(found) > 4:
        _put(run, found[4], None, invocation)
    else:
        # MAKE_C_IDENTIFIER, TIMESTAMP, RANDOM, CONFIGURE, JSON, hashes
        at = {"TIMESTAMP": 1, "UUID": 1, "RANDOM": -1, "CONFIGURE": 2, "MAKE_C_IDENTIFIER": 2, "ASCII": -1,
              "HEX": 2, "GENEX_STRIP": 2, "JSON": 1}.get(kind, 1)  # fmt: skip
        _put(run, found[at], None, invocation)


def _cased(text: Traced, cased: Callable[[str], str]) -> Traced:
    return Traced(tuple(p if p.hole else Piece(cased(p.text), p.route, p.verbatim and cased(p.text) == p.text)
                        for p in text.pieces))  # fmt: skip


def _substring(found: list[Traced]) -> Traced | None:
    text = found[1]
    try:
        begin, length = int(found[2].text), int(found[3].text)
    except ValueError:
        return None
    if not text.known or begin < 0 or begin > len(text):
        return None
    return text.cut(begin, len(text) if length < 0 else begin + length)


def _replaced(text: Traced, old: str, new: Traced) -> Traced:
    if not old:
        return text
    parts: list[Traced] = []
    at = 0
    while (found := text.text.find(old, at)) >= 0:
        parts += [text.cut(at, found), new]
        at = found + len(old)
    return join([*parts, text.cut(at, len(text))])


def _regex(run: Run, found: list[Traced], invocation: Invocation) -> None:
    mode, pattern = found[1].text, found[2]
    compiled = translated(pattern.text) if pattern.known else None
    if mode == "REPLACE" and len(found) > 5:
        text = join(found[5:])
        value = _substituted(text, compiled, found[3]) if compiled is not None and found[3].known else None
        _put(run, found[4], value, invocation)
        assigned(run, invocation, found[4], _value(run, found[4].text), replaces=False)
        return
    text = join(found[4:])
    value = None
    if compiled is not None and text.known:
        matches = [text.cut(m.start(), m.end()) for m in compiled.finditer(text.text)]
        value = listed(matches[:1] if mode == "MATCH" else matches)
        for m in [m for m in [compiled.search(text.text)] if m is not None]:
            for number in range(min(compiled.groups, 9) + 1):
                span = m.span(number)
                run.state.set(f"CMAKE_MATCH_{number}", Definition(text.cut(*span) if span[0] >= 0 else EMPTY))
    _put(run, found[3], value, invocation)


def _substituted(text: Traced, pattern: "re.Pattern[str]", new: Traced) -> Traced | None:
    """The text with what matches replaced; None where a hole may be part of a match."""
    if not text.known and any(HOLE_MARK in m[0] for m in pattern.finditer(text.text)):
        return None
    parts: list[Traced] = []
    at = 0
    for m in pattern.finditer(text.text):
        if not m[0] and not pattern.pattern:
            return None
        parts.append(text.cut(at, m.start()))
        parts += _group_references(new, m, text)
        at = m.end()
    return join([*parts, text.cut(at, len(text))])


def _group_references(new: Traced, m: "re.Match[str]", text: Traced) -> list[Traced]:
    parts: list[Traced] = []
    at = 0
    for reference in re.finditer(r"\\([0-9\\])", new.text):
        parts.append(new.cut(at, reference.start()))
        at = reference.end()
        if reference[1] == "\\":
            parts.append(new.cut(reference.start(), reference.start() + 1))
        elif int(reference[1]) <= m.re.groups and m.start(int(reference[1])) >= 0:
            parts.append(text.cut(*m.span(int(reference[1]))))
    return [*parts, new.cut(at, len(new))]


# -- list -------------------------------------------------------------------------------------------------------------


def _list(run: Run, invocation: Invocation) -> None:
    found = run.words(invocation.arguments)
    if len(found) < 2 or not found[1].known:
        return
    kind, name = found[0].text, found[1]
    more = [Traced(word.pieces) for word in found[2:]]
    value = _value(run, name.text)
    if kind in ("APPEND", "PREPEND"):
        old = [value] if value.text else []
        _put(run, name, listed([*old, *more] if kind == "APPEND" else [*more, *old]), invocation)
        added(run, invocation, name, listed(more))
        return
    parts = list(items(value)) if value.pieces else []
    if kind in ("LENGTH", "FIND", "GET", "SUBLIST", "JOIN"):
        _put(run, Traced(found[-1].pieces), _read(kind, value, parts, more), invocation)
        if kind == "JOIN":
            added(run, invocation, Traced(found[-1].pieces), _value(run, found[-1].text))
        return
    changed = _changed(kind, value, parts, more)
    if kind in ("POP_BACK", "POP_FRONT"):
        for out in more:
            popped = (parts[-1] if kind == "POP_BACK" else parts[0]) if parts else EMPTY
            _put(run, out, popped if value.known else None, invocation)
    _put(run, name, changed, invocation)


def _read(kind: str, value: Traced, parts: list[Traced], more: list[Traced]) -> Traced | None:
    if kind == "JOIN" and len(more) > 1:
        return join([part for i, item in enumerate(parts) for part in ((more[0], item) if i else (item,))])
    if not value.known:
        return None
    if kind == "LENGTH":
        return literal(str(len(parts)))
    if kind == "FIND" and more:
        return literal(str(next((i for i, item in enumerate(parts) if item.text == more[0].text), -1)))
    try:
        numbers = [int(one.text) for one in more[:-1]]
        if kind == "GET":
            return listed([parts[number] for number in numbers])
        begin, length = numbers
        return listed(parts[begin:] if length < 0 else parts[begin : begin + length])
    except (ValueError, IndexError):
        return None


def _changed(kind: str, value: Traced, parts: list[Traced], more: list[Traced]) -> Traced | None:
    if kind == "REMOVE_ITEM" and all(one.known for one in more):
        # what is not known may be what goes, and is then no loss to know
        gone = {one.text for one in more}
        return listed([item for item in parts if not item.known or item.text not in gone])
    if kind == "REMOVE_DUPLICATES":
        return listed(list({item.text if item.known else str(i): item for i, item in enumerate(parts)}.values())
                      if not value.known else _unique(parts))  # fmt: skip
    if kind == "FILTER" and len(more) == 3 and value.known:
        pattern = translated(more[2].text)
        if pattern is None:
            return None
        return listed([item for item in parts if bool(pattern.search(item.text)) == (more[0].text == "INCLUDE")])
    if kind == "REVERSE":
        return listed(parts[::-1])
    if kind == "SORT" and value.known and not more:
        return listed(sorted(parts, key=lambda item: item.text))
    try:
        if kind == "REMOVE_AT" and value.known:
            gone_at = {int(one.text) % len(parts) for one in more}
            return listed([item for i, item in enumerate(parts) if i not in gone_at])
        if kind == "INSERT" and value.known and more:
            at = int(more[0].text)
            return listed([*parts[:at], *more[1:], *parts[at:]])
    except (ValueError, ZeroDivisionError):
        return None
    if kind == "POP_BACK" and value.known:
        return listed(parts[:-1])
    if kind == "POP_FRONT" and value.known:
        return listed(parts[1:])
    if kind == "TRANSFORM" and len(more) > 1 and more[0].text in ("APPEND", "PREPEND") and len(more) == 2:
        before = more[0].text == "PREPEND"
        return listed([join([more[1], item] if before else [item, more[1]]) for item in parts])
    return None


def _unique(parts: list[Traced]) -> list[Traced]:
    seen: dict[str, Traced] = {}
    for item in parts:
        seen.setdefault(item.text, item)
    return list(seen.values())


# -- numbers ----------------------------------------------------------------------------------------------------------


def _math(run: Run, invocation: Invocation) -> None:
    """`math(EXPR VAR "2 * 3")`; the numbers are of 64 bits."""
    found = run.words(invocation.arguments)
    if len(found) < 3:
        return
    text = found[2]
    value: Traced | None = None
    if text.known and len(text.text) < 100 and re.fullmatch(r"\s*\d+(\s*[-+*]\s*\d+)*\s*", text.text):
        value = literal(str(_computed(text.text)))
    _put(run, Traced(found[1].pieces), value, invocation)


def _computed(text: str) -> int:
    """Sums of products."""
    total = 0
    for sign, product in re.findall(r"([-+]?)\s*(\d+(?:\s*\*\s*\d+)*)", text):
        value = 1
        for factor in product.split("*"):
            value *= int(factor)
        total += -value if sign == "-" else value
    return total


def _path(run: Run, invocation: Invocation) -> None:
    found = run.words(invocation.arguments)
    if len(found) > 1 and found[0].text in ("SET", "APPEND", "APPEND_STRING") and found[1].known:
        values = [word for word in found[2:] if word.text != "NORMALIZE"]
        if found[0].text == "SET":
            _put(run, found[1], join(values), invocation)
            return
    for word in (found[-1:], found[1:2]):
        if word and word[0].known:
            run.gap(word[0].text, invocation, "a path that is not computed here")


COMMANDS = {"string": _string, "list": _list, "math": _math, "cmake_path": _path}
