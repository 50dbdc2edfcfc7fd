"""Worlds that become one: those that are alike to what is still to be run, and, past a bound, all.

What is lost of them is a hole from then on, or told no more. Knows nothing of commands.
"""

from collections.abc import Mapping, Sequence

from flagguard.shell.descriptors import common
from flagguard.shell.state import MANY_WAYS, Alive, Flow, Var, World, unknown
from flagguard.text import Decider, Hole, Piece, Shape, Traced

_FEW = 3
"""Worlds that are compared one with the other."""


def merge(worlds: list[World], limit: int, statuses: bool = False, alive: Alive | None = None) -> list[World]:
    """Equal worlds as one (with what all of them assume); past ``limit``, all as one with holes where they differ.

    ``statuses``: somebody will look at the exit status, so worlds that differ in it are not equal. ``alive``: whether a
    variable may still be read; without it, all are.
    """
    if len(worlds) < 2:
        return worlds
    if len(worlds) == 2:
        one, other = worlds
        if not one.alike(other, statuses, alive):
            return worlds if limit > 1 else _collapse(worlds, limit)
        _join(one, other)
        return [one]
    kept: list[World] = []
    names: list[str] = []
    if len(worlds) > _FEW:
        first = worlds[0]
        differing = {name for world in worlds for name in world.vars.differing(first.vars)}
        own = {name for world in worlds for name in world.vars.own() if name in differing}
        names = sorted(own if alive is None else [name for name in own if alive(name, first.on_exit)])
    groups: dict[object, list[World]] = {}
    for world in worlds:
        group = groups.setdefault(_signature(world, names), [])
        same = next((other for other in group if other.alike(world, statuses, alive)), None)
        if same is None:
            kept.append(world)
            group.append(world)
        else:
            _join(same, world)
    return kept if len(kept) <= limit else _collapse(kept, limit)


def _signature(world: World, names: Sequence[str]) -> object:
    """Equal for worlds that are alike: to compare each with each takes too long where there are many."""
    if not names:
        return None
    if world.flow is Flow.EXIT and world.on_exit is None:
        return world.flow
    found = (world.vars.get(name) for name in names)
    return world.flow, tuple([None if var is None or var.assumed else var.value.text for var in found])


def _join(one: World, other: World) -> None:
    one.blur(other)
    if one.opt_in and not other.opt_in:
        one.when, one.opt_in = other.when, False
        one.vars, one.exports, one._environ = other.vars.copy(), other.exports, other._environ
    elif one.opt_in == other.opt_in:
        one.when = shared(one.when, other.when)
        _disagree(one, other)
    if one.directory != other.directory:
        # After `mkdir x && cd x` it is the folder of the course in which nothing failed.
        good = [w for w in (one, other) if w.status]
        one.directory = good[0].directory if len(good) == 1 else None
        one.before = good[0].before if len(good) == 1 else None
    one.sourced = one.sourced or other.sourced
    one.descriptors = common(one.descriptors, other.descriptors)
    one.files = _either(one.files, other.files)
    if one.status is not other.status:
        one.status = one.code = None
    elif one.code != other.code:
        one.code = None


def shared(when: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """What both assume."""
    if when == other:
        return when
    theirs = frozenset(other)
    return tuple([what for what in when if what in theirs])


def _disagree(one: World, other: World) -> None:
    """Where two worlds assume different values of a variable, what stands for both assumes none."""
    for name in one.vars.differing(other.vars):
        mine, theirs = one.vars.get(name), other.vars.get(name)
        if mine is None or not mine.assumed or not mine.value.known:
            continue
        if theirs is None:
            one.drop(name)
        elif theirs.value.text != mine.value.text:
            gap = Hole(f"${name}", "it comes from outside", Decider.OUTSIDE, Shape.ANY, name)
            one.put(name, Var(Traced((Piece(gap.text, hole=gap),)), assumed=True))


_TOO_MANY = Traced((Piece("", hole=Hole("…", "it is written in too many different ways", Decider.REPOSITORY)),))


def _either(
    one: Mapping[str, tuple[Traced, ...]], other: Mapping[str, tuple[Traced, ...]]
) -> Mapping[str, tuple[Traced, ...]]:
    """Written files with the texts of both courses."""
    if one is other or not other:
        return one
    both = dict(one)
    for name, texts in other.items():
        mine = both.get(name, ())
        if mine is not texts:
            # compared text by text: to hash them, with all that they know of their places, takes long
            new = [t for t in texts if not any(t is m or (t.text == m.text and t == m) for m in mine)]
            whole = (*mine, *new)
            both[name] = mine if not new else whole if len(whole) <= _FEW else (*whole[: _FEW - 1], _TOO_MANY)
    return both


def _collapse(worlds: list[World], limit: int) -> list[World]:
    """One world that goes on and a few that have left, with holes where those that they stand for differ."""
    going = [w for w in worlds if w.flow is None]
    gone = [w for w in worlds if w.flow is not None]
    if len(gone) < limit:
        return [*_one(going), *gone]
    left: dict[object, list[World]] = {}
    for world in gone:
        left.setdefault((world.flow, world.levels), []).append(world)
    return [*_one(going), *[world for alike in left.values() for world in _one(alike)]]


def _one(worlds: list[World]) -> list[World]:
    if len(worlds) < 2:
        return worlds
    first = worlds[0]
    for name in sorted({name for w in worlds[1:] for name in first.vars.differing(w.vars)}):
        values = [w.vars.get(name) for w in worlds]
        some = next((v for v in values if v is not None), None)
        if some is None or all([v is values[0] or v == values[0] for v in values]):  # noqa: C419
            continue
        value = _one_of(name, values) or unknown(name, MANY_WAYS)
        array = next((v for v in values if v is not None and v.items is not None), None)
        if array is not None:
            first.put(name, array.opened(value))
        else:
            first.put(name, Var(value, exported=some.exported))
    if any(w.args != first.args or w.args_known != first.args_known for w in worlds):
        first.args, first.args_known = (), False
    first.sourced = next((w.sourced for w in worlds if w.sourced is not None), None)
    for other in worlds[1:]:
        first.when = shared(first.when, other.when)
    first.opt_in = all(w.opt_in for w in worlds)
    if any(w.status is not first.status for w in worlds):
        first.status = first.code = None
    elif any(w.code != first.code for w in worlds):
        first.code = None
    for other in worlds[1:]:
        _take_in(first, other)
    return [first]


_TEXTS = 8
"""Of how many texts a part of a value may be one,"""
_PIECES = 64
"""and of how many pieces the value is made."""


def _one_of(name: str, values: Sequence[Var | None]) -> Traced | None:
    """What the values have in common, with a hole that may be any of their rests; None where they are not alike."""
    texts: list[tuple[Piece, ...]] = []
    seen: set[int] = set()
    for var in values:
        if var is not None and (var.items is not None or not var.given or var.assumed):
            return None
        pieces = () if var is None else var.value.pieces
        if len(pieces) > _PIECES:
            return None
        if id(pieces) in seen:
            continue
        seen.add(id(pieces))
        if not any([_same(pieces, other) for other in texts]):  # noqa: C419  (a list is faster than a generator)
            texts.append(pieces)
        if len(texts) > _TEXTS:
            return None
    shortest = min(map(len, texts))
    start, end = 0, 0
    while start < shortest and all(_alike(t[start], texts[0][start]) for t in texts):
        start += 1
    while end < shortest - start and all(_alike(t[-1 - end], texts[0][-1 - end]) for t in texts):
        end += 1
    head, tail = texts[0][:start], texts[0][len(texts[0]) - end :]
    rests = [t[start : len(t) - end] for t in texts]
    rests = [way for rest in rests for way in _ways(rest)]
    if len(rests) > 2 * _TEXTS:
        return None
    if head and all(not rest or (rest[0].text[:1] == " " and rest[0].hole is None) for rest in rests):
        # the blank of `V="$V more"`: what follows it is words of its own
        head = (*head, Piece(" "))
        rests = [(rest[0].cut(1, len(rest[0].text)), *rest[1:]) if rest else () for rest in rests]
    elif tail and all(not rest or (rest[-1].text[-1:] == " " and rest[-1].hole is None) for rest in rests):
        tail = (Piece(" "), *tail)
        rests = [(*rest[:-1], rest[-1].cut(0, len(rest[-1].text) - 1)) if rest else () for rest in rests]
    among = tuple(dict.fromkeys(map(Traced, rests)))
    gap = Hole(f"${name}", MANY_WAYS, Decider.REPOSITORY, name=None if head or tail else name, among=among)
    return Traced((*head, Piece(gap.text, hole=gap), *tail))


def _ways(pieces: tuple[Piece, ...]) -> list[tuple[Piece, ...]]:
    """The texts of which pieces may be one, some of them being one of a few."""
    ways: list[tuple[Piece, ...]] = [()]
    for piece in pieces:
        among = piece.hole.among if piece.hole is not None else ()
        ends = [text.pieces for text in among] if among else [(piece,)]
        ways = [(*way, *end) for way in ways for end in ends][: 3 * _TEXTS]
    return ways


def _same(one: tuple[Piece, ...], other: tuple[Piece, ...]) -> bool:
    return len(one) == len(other) and all(map(_alike, one, other))


def _alike(one: Piece, other: Piece) -> bool:
    """Whether two pieces say the same; where they say it does not matter."""
    return one.text == other.text and (one.hole is other.hole or one.hole == other.hole)


def _take_in(first: World, other: World) -> None:
    """What else two worlds differ in, so that the one stands for both."""
    first.files = _either(first.files, other.files)
    first.descriptors = common(first.descriptors, other.descriptors)
    for name in first.functions.differing(other.functions):
        body = other.functions.get(name)
        if body is not None and name not in first.functions:
            first.functions[name] = body
    if first.directory != other.directory:
        first.directory = first.before = None
    if first.stdin != other.stdin:
        first.stdin = None
    if first.out != other.out and first.out is not None:
        gap = Hole("$(…)", "it is printed in too many different ways", Decider.REPOSITORY)
        first.out = (Piece(gap.text, hole=gap),)
    if other.on_exit is not None and other.on_exit != first.on_exit:
        texts = [first.on_exit, Traced((Piece("\n"),))] if first.on_exit is not None else []
        if not texts or other.on_exit.text not in texts[0].text:
            first.on_exit = Traced(tuple([p for text in (*texts, other.on_exit) for p in text.pieces]))
