"""values: the classes behave as the standard library's do."""

import dataclasses
from functools import cached_property
from typing import Any

import pytest

from flagguard import values

DECORATORS = {"standard": dataclasses, "ours": values}


def classes(module: Any) -> dict[str, Any]:
    """The same classes by either module."""
    dataclass, field = module.dataclass, module.field

    @dataclass(frozen=True, slots=True, order=True)
    class Span:
        path: str
        start: int = 0
        key: str | None = field(default=None, compare=False)

    @dataclass(frozen=True)
    class Traced:
        pieces: tuple[int, ...] = ()
        made: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

        @cached_property
        def size(self) -> int:
            return len(self.pieces)

    @dataclass(frozen=True)
    class Word(Traced):
        written: int | None = None

    @dataclass(slots=True)
    class Building:
        names: list[str] = field(default_factory=list)
        count: int = 0

    @dataclass(frozen=True, eq=False)
    class Mark:
        name: str

    @dataclass
    class Started:
        name: str

        def __post_init__(self) -> None:
            self.name = self.name.upper()

    @dataclass(frozen=True)
    class Own:
        name: str

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

    @dataclass(frozen=True)
    class Nothing:
        pass

    return {k: v for k, v in locals().items() if isinstance(v, type)}


SAID = [
    "Span('a', 1)",
    "Span(path='a')",
    "Span('a', 1) == Span('a', 1, 'k')",
    "Span('a', 1) == Span('a', 2)",
    "Span('a', 1) == 1",
    "Span('a', 1) != Span('a', 1)",
    "hash(Span('a', 1)) == hash(Span('a', 1, 'k'))",
    "hash(Span('a', 1)) == hash(('a', 1))",
    "sorted([Span('b'), Span('a', 2), Span('a', 1)])",
    "[Span('a') < Span('b'), Span('a') <= Span('a'), Span('a') > Span('b'), Span('a') >= Span('b')]",
    "Span('a') < 1",
    "Span()",
    "Span('a', 1, 'k', 2)",
    "Span('a', other=1)",
    "setattr(Span('a'), 'path', 'b')",
    "delattr(Span('a'), 'path')",
    "Span.__match_args__",
    "Span.__slots__",
    "Span.__qualname__.endswith('classes.<locals>.Span')",
    "hasattr(Span('a'), '__dict__')",
    "Traced((1, 2)).size",
    "Traced((1, 2))",
    "Traced().made is Traced().made",
    "Traced((1,)) == Word((1,))",
    "Word((1,), written=3)",
    "Word((1,), written=3) == Word((1,), {'a': 1}, 3)",
    "Word.__match_args__",
    "setattr(Word(), 'pieces', 1)",
    "Building()",
    "Building().names is Building().names",
    "Building(['x']) == Building(['x'])",
    "hash(Building())",
    "Mark('a') == Mark('a')",
    "Mark('a').name",
    "Started('a')",
    "Own('a')",
    "Own('a') == Own('b')",
    "hash(Own('a'))",
    "[Nothing(), Nothing() == Nothing(), hash(Nothing())]",
    "replace(Span('a', 1, 'k'), start=2).key",
    "replace(Word((1,), {}, 3), pieces=())",
    "replace(Span('a'), other=2)",
    "dataclasses.replace(Span('a', 1, 'k'), start=2).key",
    "dataclasses.asdict(Word((1,), {'a': 1}, 3))",
    "[f.name for f in dataclasses.fields(Word)]",
    "[(f.name, f.compare, f.repr) for f in dataclasses.fields(Traced((1,)))]",
    "dataclasses.is_dataclass(Span('a'))",
]


def outcome(said: str, module: Any) -> tuple[str, str]:
    known = classes(module) | {"replace": module.replace, "dataclasses": dataclasses}
    first = last = ""
    for _ in range(2):  # the first call makes the method
        try:
            last = repr(eval(said, known))
        except Exception as error:
            last = type(error).__name__
        first = first or last
    return first, last


@pytest.mark.parametrize("said", SAID)
def test_as_the_standard_library(said: str) -> None:
    expected = outcome(said, dataclasses)
    assert outcome(said, values) == expected


def test_entries() -> None:
    made = classes(values)["Span"]("a", 1)
    assert values.entries(made) == dataclasses.asdict(made) == {"path": "a", "start": 1, "key": None}
