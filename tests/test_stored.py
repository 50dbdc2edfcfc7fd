"""stored: what a file was judged as comes back whole, and nothing else does."""

import marshal
from typing import Any

import pytest

from flagguard import stored
from flagguard.command import Place, Word
from flagguard.exempting import comments
from flagguard.findings import Finding, Judged, PlaceKey, Verdict
from flagguard.rules import Severity
from flagguard.text import Decider, Hole, Piece, Problem, Shape, SourceText, Span

SPAN = Span("a.sh", 3, 7)
HOLE = Hole("$X", "nobody sets it", Decider.REPOSITORY, Shape.PATH, "X")
PLACES = tuple(PlaceKey("a.sh", at, None, "t", None, None) for at in range(4))
FINDING = Finding(
    rule="r",
    severity=Severity.WARNING,
    verdict=Verdict.WRONG_VALUE,
    message="m \udc80",
    span=SPAN,
    place=Place("shellscript", job="j"),
    via=(SPAN,),
    platforms=("linux-x86_64",),
    when=("x",),
    argv=(Word((Piece("gcc", (SPAN,), True), Piece("$X", (SPAN, SPAN), hole=HOLE)), SPAN), Word()),
    mark=SPAN,
    route=(SPAN,),
    origin=SPAN,
    why="w",
    help=None,
)
(COMMENT,) = comments(SourceText("a.sh", "gcc x.c # flagguard: exempt r - so\n"))
FULL: dict[str, Any] = {
    "path": "a.sh",
    "findings": (FINDING,),
    "problems": (Problem("a.sh", 1, "p", "k", False),),
    "commands": frozenset(PLACES),
    "judged": frozenset(PLACES[:2]),
    "exempt": frozenset(PLACES[1:3]),
    "matched": {"r": frozenset(PLACES[:1]), "s": frozenset()},
    "perhaps": {"r": frozenset(PLACES[3:])},
    "exemptions": frozenset({0, 3}),
    "tools": frozenset({"x.py build"}),
    "wrappers": frozenset({"ci/run.sh"}),
    "comments": (COMMENT,),
    "comments_used": frozenset({COMMENT}),
    "heads": frozenset({"gcc", "mojo build"}),
    "meant": ((COMMENT, 7),),
}


def test_every_field_comes_back() -> None:
    assert set(FULL) == set(Judged.__match_args__), "a new field needs a value here"
    for judged in (Judged(**FULL), Judged("b")):
        plain = marshal.loads(marshal.dumps(stored.packed(judged)))
        again = stored.unpacked(plain)
        assert again == judged
        for name in Judged.__match_args__:
            assert repr(getattr(again, name)).startswith("frozenset") or repr(getattr(again, name)) == repr(
                getattr(judged, name)
            )


def test_a_class_that_is_not_named_is_refused() -> None:
    with pytest.raises(ValueError, match="object is not kept"):
        stored.packed(Judged("a", findings=(object(),)))  # type: ignore[arg-type]


PLAIN = stored.packed(Judged(**FULL))


@pytest.mark.parametrize(
    "plain",
    [
        None,
        7,
        "text",
        (),
        ((), ()),
        (PLAIN[0], PLAIN[1][:-1]),
        ((), PLAIN[1]),
        (((1, 2),), PLAIN[1]),
        (PLAIN[0], (7, *PLAIN[1][1:])),
        (PLAIN[0], ("a.sh", "x", *PLAIN[1][2:])),
        (PLAIN[0], ("a.sh", (99, 1), *PLAIN[1][2:])),
        (PLAIN[0], ("a.sh", (4, "no severity"), *PLAIN[1][2:])),
        (PLAIN[0], ("a.sh", (9, 1), *PLAIN[1][2:])),
        (PLAIN[0], ("a.sh", (2, 1), *PLAIN[1][2:])),
        (PLAIN[0], ("a.sh", ("x",), *PLAIN[1][2:])),
        (PLAIN[0], ("a.sh", (), *PLAIN[1][2:])),
    ],
)
def test_anything_else_is_refused(plain: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (which one does not matter)
        stored.unpacked(plain)
