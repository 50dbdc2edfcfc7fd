"""Comparisons of a build script's values (Python Language Reference, 6.10 "Comparisons")."""

import ast
import operator as op
from collections.abc import Callable
from typing import Any

from flagguard.hosts.python_values import Items, Mapping, Named, Plain, Unknown, Value, key_of, several
from flagguard.hosts.python_world import World
from flagguard.text import Traced

_ORDER: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: op.lt, ast.LtE: op.le, ast.Gt: op.gt, ast.GtE: op.ge,
}  # fmt: skip
OLDEST = (3, 9)
"""The oldest Python that a build is thought to run on: a test for an older one has one answer."""


def compared(world: World, operator: ast.cmpop, left: Value, right: Value, text: str) -> bool | None:
    """The outcome; None where it is not known."""
    known = world.compares(operator, left, right, text)
    if known is not None:
        return known
    match operator:
        case ast.Eq():
            return _equal(left, right)
        case ast.NotEq():
            return _not(_equal(left, right))
        case ast.Is() | ast.IsNot():
            found = _same(world, left, right, text)
            return found if isinstance(operator, ast.Is) else _not(found)
        case ast.In():
            return _contained(world, left, right, text)
        case ast.NotIn():
            return _not(_contained(world, left, right, text))
    for one, other, turned in ((left, right, False), (right, left, True)):
        if isinstance(one, Named) and one.name == "sys.version_info":
            return _version(operator, other) if not turned else None
    try:
        return bool(_ORDER[type(operator)](key_of(left), key_of(right)))
    except (KeyError, TypeError):
        return None


def _not(found: bool | None) -> bool | None:
    return None if found is None else not found


def _version(operator: ast.cmpop, other: Value) -> bool | None:
    try:
        asked = key_of(other)
    except KeyError:
        return None
    if not isinstance(asked, tuple) or not all(isinstance(n, int) for n in asked):
        return None
    if asked <= OLDEST:
        return isinstance(operator, (ast.Gt, ast.GtE))
    if asked >= (4,):
        return isinstance(operator, (ast.Lt, ast.LtE))
    return None


def _equal(left: Value, right: Value) -> bool | None:
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return None
    try:
        return key_of(left) == key_of(right)
    except KeyError:
        pass
    if isinstance(left, Traced) and isinstance(right, Traced):
        return None if may_equal(left, right) else False
    if isinstance(left, Named) or isinstance(right, Named):
        return None
    if isinstance(left, Items) and isinstance(right, Items):
        return None
    return None if type(left) is type(right) else False


def may_equal(left: Traced, right: Traced) -> bool:
    """Whether two texts, of which one has holes, can be the same: by what stands before and after the holes."""
    one, other = (left, right) if not left.known else (right, left)
    if not other.known:
        return True
    first, last = one.pieces[0], one.pieces[-1]
    before = first.text if first.hole is None else ""
    after = last.text if last.hole is None else ""
    return other.text.startswith(before) and other.text.endswith(after)


def _same(world: World, left: Value, right: Value, text: str) -> bool | None:
    if isinstance(right, Plain) and isinstance(left, Unknown):
        if right.value is None and left.variable is not None:
            return not world.decide(("set", left.variable), f"not ({text})")
        return None
    if isinstance(left, Plain) and isinstance(right, Plain):
        return left.value is right.value
    if isinstance(right, Plain) and not isinstance(left, Named):
        return False
    return True if left is right else None


def _contained(world: World, left: Value, right: Value, text: str) -> bool | None:
    if isinstance(right, Mapping):
        try:
            key = key_of(left)
        except KeyError:
            return None
        if key in right.entries:
            return True
        if right.environ and isinstance(key, str):
            if key in world.assume:
                return True
            return world.decide(("set", key), text)
        return None if right.rest else False
    if isinstance(right, Items):
        found = [None if several(item) else _equal(left, item) for item in right.items]
        return True if True in found else None if None in found else False
    if isinstance(right, Traced) and isinstance(left, Traced) and left.known:
        if left.text in right.text:
            return True
        return False if right.known else None
    return None
