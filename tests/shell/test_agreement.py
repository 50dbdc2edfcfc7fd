"""The comparison itself can fail: each kind of disagreement is found."""

import pytest
from agreement import differences, matches
from oracle import Record
from written_cases import Case, read_case

from flagguard.command import Command, Place, word
from flagguard.text import Hole, Span, Traced, hole, join, literal

_CASE = Case("x", b"gcc a")
_SPAN = Span("build.sh", 0, 3)
_UNKNOWN = hole(Hole("$V", "from outside"))


def _command(*words: str, env: dict[str, str] | None = None, when: tuple[str, ...] = ()) -> Command:
    argv = tuple(word(literal(w)) for w in words)
    return Command(argv, Place("x"), _SPAN, _SPAN, env={k: literal(v) for k, v in (env or {}).items()}, when=when)


def _kinds(records: list[Record], shown: list[Command], case: Case = _CASE) -> list[str]:
    return [kind for kind, _, _ in differences(case, records, shown)]


_A, _B = Record(("gcc", "a"), {"HOME": "/h"}), Record(("make", "b"), {"V": "1"})


@pytest.mark.parametrize(
    ("records", "shown", "kinds"),
    [
        ([_A], [_command("gcc", "a")], []),
        ([_A], [], ["lost"]),
        ([], [_command("gcc", "a")], ["invented"]),
        ([_A], [_command("gcc", "b")], ["argv"]),
        ([_A], [_command("gcc", "a", "")], ["argv"]),
        ([_A, _A], [_command("gcc", "a")], []),
        ([_A], [_command("gcc", "a"), _command("gcc", "a")], ["invented"]),
        ([_A, _A, _B, _A], [_command("gcc", "a"), _command("make", "b", env={"V": "1"}), _command("gcc", "a")], []),
        ([_B], [_command("make", "b", env={"V": "1"})], []),
        ([_B], [_command("make", "b")], ["environment"]),
        ([_B], [_command("make", "b", env={"V": "2"})], ["environment"]),
        ([_A], [_command("gcc", "a", env={"W": ""})], ["environment"]),
        ([_A, _B], [_command("make", "b", env={"V": "1"}), _command("gcc", "a")], ["order"]),
        ([_A], [_command("gcc", "a", when=("it rains",))], ["fork"]),
    ],
)
def test_kinds(records: list[Record], shown: list[Command], kinds: list[str]) -> None:
    assert _kinds(records, shown) == kinds


def test_hole_is_legal_only_where_the_case_says_so() -> None:
    shown = [Command((word(literal("gcc")), word(_UNKNOWN)), Place("x"), _SPAN, _SPAN)]
    assert _kinds([_A], shown) == ["hole"]
    assert _kinds([_A], shown, Case("x", b"", holes=True)) == []


def test_other_arm_is_legal_only_where_the_case_forks() -> None:
    shown = [_command("gcc", "a", when=("x",)), _command("gcc", "b", when=("not x",))]
    assert _kinds([_A], shown, Case("x", b"", forks=True)) == []
    assert _kinds([_A], shown[1:], Case("x", b"", forks=True)) == ["lost"]


@pytest.mark.parametrize(
    ("words", "argv", "expected"),
    [
        ([literal("a")], ["a"], True),
        ([literal("a")], ["b"], False),
        ([], [], True),
        ([], ["a"], False),
        ([_UNKNOWN], [], True),
        ([_UNKNOWN], ["a", "b"], True),
        ([_UNKNOWN, literal("c")], ["a", "b"], False),
        ([join([literal("-m"), _UNKNOWN])], ["-march=x"], True),
        ([join([literal("-m"), _UNKNOWN])], ["-O2"], False),
        ([join([literal("-m"), _UNKNOWN])], [], False),
    ],
)
def test_matches(words: list[Traced], argv: list[str], expected: bool) -> None:
    assert matches(words, argv) is expected


def test_header_with_an_unknown_word_is_refused() -> None:
    with pytest.raises(ValueError, match="hole"):
        read_case("x", b"", "hole")
