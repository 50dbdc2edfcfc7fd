"""ways: of very many ways to the same command a few are kept, and nothing that differs is lost."""

import pytest

from flagguard.command import Command, Place, Status, Word
from flagguard.text import Span, literal
from flagguard.values import replace
from flagguard.ways import FEW, few

HERE = Span("configure", 0, 2)
PLACE = Place("script")


def command(text: str = "cc -O2", when: tuple[str, ...] = ()) -> Command:
    argv = tuple(Word(literal(w).pieces) for w in text.split())
    return Command(argv, PLACE, HERE, HERE, platforms=("linux-x86_64",), when=when)


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flagguard.ways.MANY", 5)


def test_those_that_ask_for_the_fewest_conditions_are_kept_in_their_order() -> None:
    ways = [command(when=tuple(f"w{n}" for n in range(size))) for size in (4, 0, 3, 1, 5, 2, 6)]
    assert [len(c.when) for c in few(ways)] == [0, 1, 2]
    assert FEW == 3


def test_where_there_are_few_commands_each_way_is_told() -> None:
    ways = [command(when=(str(n),)) for n in range(5)]
    assert few(ways) is ways


@pytest.mark.parametrize(
    "other",
    [
        command("cc -O3"),
        replace(command(), platforms=("macos-arm64",)),
        replace(command(), env={"CFLAGS": literal("-O3")}),
        replace(command(), status=Status.IGNORED),
        replace(command(), opt_in=True),
        replace(command(), unit="all"),
        replace(command(), place=Place("script", job="build")),
        replace(command(), span=Span("configure", 7, 9)),
        replace(command(), argv=(Word(literal("cc", HERE).pieces), Word(literal("-O2").pieces))),
        replace(command(), brought=(Word(literal("-g").pieces),)),
        replace(command(), configured={"build.target": literal("x")}),
        replace(command(), directory="src"),
        replace(command(), order=(1,)),
        replace(command(), needs=("first",)),
    ],
)
def test_what_differs_in_more_than_the_way_is_kept(other: Command) -> None:
    ways = [command(when=(str(n),)) for n in range(9)]
    assert few([*ways, other])[-1] is other
