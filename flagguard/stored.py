"""What a file was judged as, in the plain values that the cache keeps, and back.

Only the classes that are named here come back, each with as many fields as it has; anything else is a ``ValueError``,
and the file is judged again. Nothing here knows where values are kept, or under which key.
"""

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from flagguard.command import Place, Word
from flagguard.exempting import Comment
from flagguard.findings import Finding, Judged, PlaceKey, Verdict
from flagguard.rules import Severity
from flagguard.text import Decider, Hole, Piece, Problem, Shape, Span

_CLASSES: tuple[Any, ...] = (Finding, Problem, Span, Place, Word, Piece, Hole, Comment)
_ENUMS: tuple[type[Enum], ...] = (Severity, Verdict, Decider, Shape)
_NUMBERS: dict[type, int] = {made: number for number, made in enumerate((*_ENUMS, *_CLASSES), 1)}
_TUPLE = 0


def packed(judged: Judged) -> tuple[Any, ...]:
    """The plain values of what a file was judged as. Raises ValueError where it holds a class that is not named."""
    places: dict[PlaceKey, int] = {}

    def numbers(keys: Iterable[PlaceKey]) -> tuple[int, ...]:
        return tuple(places.setdefault(key, len(places)) for key in keys)

    sets = tuple(numbers(keys) for keys in (judged.commands, judged.judged, judged.exempt))
    by_rule = tuple(
        tuple((rule, numbers(keys)) for rule, keys in found.items()) for found in (judged.matched, judged.perhaps)
    )
    return (
        judged.path,
        tuple((p.path, p.start, p.task, p.target, p.job, p.step) for p in places),
        sets,
        by_rule,
        tuple(judged.exemptions),
        tuple(judged.tools),
        _pack(judged.findings),
        _pack(judged.problems),
        _pack(judged.comments),
        _pack(tuple(judged.comments_used)),
        tuple(judged.heads),
        _pack(judged.meant),
    )


def unpacked(plain: Any) -> Judged:
    """The values again. Raises ValueError for anything that `packed` does not give."""
    try:
        path, keys, sets, by_rule, exemptions, tools, findings, problems, comments, used, heads, meant = plain
        places = [PlaceKey(*key) for key in keys]
        commands, judged, exempt = (frozenset([places[number] for number in numbers]) for numbers in sets)
        matched, perhaps = (
            {rule: frozenset([places[number] for number in numbers]) for rule, numbers in found} for found in by_rule
        )
        return Judged(
            path=_of(str, path),
            findings=_all(Finding, findings),
            problems=_all(Problem, problems),
            commands=commands,
            judged=judged,
            exempt=exempt,
            matched=matched,
            perhaps=perhaps,
            exemptions=frozenset(exemptions),
            tools=frozenset(tools),
            comments=_all(Comment, comments),
            comments_used=frozenset(_all(Comment, used)),
            heads=frozenset(heads),
            meant=_unpack(meant),
        )
    except (TypeError, IndexError, AttributeError, RecursionError) as error:
        raise ValueError("not what was kept") from error


def _pack(value: Any) -> Any:
    """A value as plain ones: text and numbers as they are, everything else a tuple that begins with its kind."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, tuple):
        return (_TUPLE, *map(_pack, value))
    number = _NUMBERS.get(type(value))
    if number is None:
        raise ValueError(f"{type(value).__name__} is not kept")
    if isinstance(value, Enum):
        return (number, value.value)
    return (number, *[_pack(getattr(value, name)) for name in value.__match_args__])


def _unpack(plain: Any) -> Any:
    if plain.__class__ is not tuple:
        return plain
    number, *rest = plain
    if number == _TUPLE:
        return tuple(map(_unpack, rest))
    if number <= len(_ENUMS):
        return _ENUMS[number - 1](rest[0])
    made: Callable[..., Any] = _CLASSES[number - 1 - len(_ENUMS)]
    if len(rest) != len(made.__match_args__):  # type: ignore[attr-defined]
        raise ValueError("another number of fields")
    return made(*map(_unpack, rest))


def _all(kind: type, plain: Any) -> tuple[Any, ...]:
    return tuple(_of(kind, value) for value in _of(tuple, _unpack(plain)))


def _of(kind: type, value: Any) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f"{value!r} is no {kind.__name__}")
    return value
