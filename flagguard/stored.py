"""What a file was judged as, in the plain values that the cache keeps, and back.

Only the classes that are named here come back, each with as many fields as it has; anything else is a ``ValueError``,
and the file is judged again. Every field of what is judged is kept. Nothing here knows where values are kept, or under
which key.
"""

from collections.abc import Callable
from enum import Enum
from typing import Any

from flagguard.command import Place, Word
from flagguard.exempting import Comment
from flagguard.findings import Finding, Judged, PlaceKey, Verdict
from flagguard.rules import Severity
from flagguard.text import Decider, Hole, Piece, Problem, Shape, Span, Traced

_TUPLE, _SET, _TABLE, _PLACES = range(4)
"""Kinds of plain values; a set of places is one of numbers, since most of them come up again and again."""
_ENUMS: tuple[type[Enum], ...] = (Severity, Verdict, Decider, Shape)
_CLASSES: tuple[Any, ...] = (PlaceKey, Finding, Problem, Span, Place, Word, Piece, Hole, Traced, Comment)
_NUMBERS: dict[type, int] = {made: number for number, made in enumerate((*_ENUMS, *_CLASSES), _PLACES + 1)}
_FIRST_CLASS = _PLACES + 1 + len(_ENUMS)


def packed(judged: Judged) -> tuple[Any, ...]:
    """The plain values of what a file was judged as. Raises ValueError where it holds a class that is not named."""
    places: dict[PlaceKey, int] = {}
    fields = tuple([_pack(getattr(judged, name), places) for name in judged.__match_args__])
    return tuple([_fields(place, {}) for place in places]), fields


def unpacked(plain: Any) -> Judged:
    """The values again. Raises ValueError for anything that `packed` does not give."""
    try:
        keys, fields = plain
        places = [PlaceKey(*key) for key in keys]
        if len(fields) != len(Judged.__match_args__):
            raise ValueError("another number of fields")
        judged = Judged(*[_unpack(value, places) for value in fields])
    except (TypeError, IndexError, AttributeError, RecursionError) as error:
        raise ValueError("not what was kept") from error
    empty = Judged("")
    for name in judged.__match_args__:
        if not isinstance(getattr(judged, name), type(getattr(empty, name))):
            raise ValueError(f"{name} is something else")
    return judged


def _fields(value: Any, places: dict[PlaceKey, int]) -> tuple[Any, ...]:
    return tuple([_pack(getattr(value, name), places) for name in value.__match_args__])


def _pack(value: Any, places: dict[PlaceKey, int]) -> Any:
    """A value as plain ones: text and numbers as they are, everything else a tuple that begins with its kind."""
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, tuple):
        return (_TUPLE, *[_pack(item, places) for item in value])
    if isinstance(value, frozenset):
        if value and all(isinstance(item, PlaceKey) for item in value):
            return (_PLACES, *[places.setdefault(item, len(places)) for item in value])
        return (_SET, *[_pack(item, places) for item in value])
    if isinstance(value, dict):
        return (_TABLE, *[_pack(item, places) for pair in value.items() for item in pair])
    number = _NUMBERS.get(type(value))
    if number is None:
        raise ValueError(f"{type(value).__name__} is not kept")
    return (number, value.value) if isinstance(value, Enum) else (number, *_fields(value, places))


def _unpack(plain: Any, places: list[PlaceKey]) -> Any:
    if plain.__class__ is not tuple:
        return plain
    number, *rest = plain
    if number == _PLACES:
        return frozenset([places[index] for index in rest])
    items = [_unpack(item, places) if item.__class__ is tuple else item for item in rest]
    if number == _TUPLE:
        return tuple(items)
    if number == _SET:
        return frozenset(items)
    if number == _TABLE:
        return dict(zip(items[::2], items[1::2], strict=True))
    if number < _FIRST_CLASS:
        return _ENUMS[number - _PLACES - 1](*items)
    made: Callable[..., Any] = _CLASSES[number - _FIRST_CLASS]
    if len(items) != len(made.__match_args__):  # type: ignore[attr-defined]
        raise ValueError("another number of fields")
    return made(*items)
