"""What a condition of just comes to: decided, or open, with what would have to be assumed for the other way.

DESIGN 4.3, as for make (`flagguard.make.conditions`): a value from outside counts as its default, or as no particular
value; that it has one particular value is another world. Follows "Conditional Expressions" in just's README.
"""

from collections.abc import Mapping
from typing import Protocol

from flagguard.hosts.just_functions import regex
from flagguard.make.holes import could_be
from flagguard.make.worlds import Assumption, Kind
from flagguard.text import Traced


class Run(Protocol):
    """An evaluation in one world."""

    def assumed(self, key: str) -> Assumption | None: ...

    def assume_open(self, *assumptions: Assumption) -> None: ...

    @property
    def defaults(self) -> Mapping[str, "Default"]:
        """The values from outside whose defaults were used for the two sides."""
        ...


class Default:
    """The default of a value from outside: an argument, a variable of the environment."""

    __slots__ = ("key", "label", "value")

    def __init__(self, key: str, label: str, value: Traced) -> None:
        self.key, self.label, self.value = key, label, value


def equal(run: Run, left: Traced, right: Traced) -> bool:
    """Whether two texts are the same; the likeliest answer where it is open."""
    if left.known and right.known:
        answer = left.text == right.text
        for default in run.defaults.values():
            _other_way(run, default, left, right, answer)
        return answer
    if left.known:
        return _is(run, right, left)
    if right.known:
        return _is(run, left, right)
    if left.shown == right.shown:
        return True
    return undecided(run, f"{left.shown} is {right.shown}", f"{left.shown} is not {right.shown}")


def fits(run: Run, text: Traced, pattern: Traced) -> bool:
    """Whether a regular expression matches somewhere in a text."""
    found = regex(pattern.text, text.text) if pattern.known else None
    if found is not None and text.known:
        for default in run.defaults.values():
            if run.assumed(default.key) is None and default.value.text == text.text:
                run.assume_open(_set(default))
        return found.search(text.text) is not None
    shown = _short(text.shown) or "the empty text"
    return undecided(run, f"{shown} matches {pattern.shown}", f"{shown} does not match {pattern.shown}")


def _is(run: Run, unknown: Traced, text: Traced) -> bool:
    """Whether text with holes is just ``text``."""
    if not could_be(unknown.text, text.text):
        return False
    key, label, opt_in = _known_as(unknown)
    known = run.assumed(key)
    if known is not None and known.value is not None:
        return known.value.text == text.text
    opt_in = opt_in or (known is not None and known.opt_in)
    run.assume_open(_value(key, label, text, opt_in))
    return False


def _known_as(unknown: Traced) -> tuple[str, str, bool]:
    """How an unknown text is called in assumptions, to users, and whether the outside may leave it unset."""
    only = unknown.pieces[0].hole if len(unknown.pieces) == 1 else None
    if only is None:
        return unknown.shown, _short(unknown.shown), False
    if only.text.startswith("{{"):
        return only.text, only.text.strip("{}"), False
    if only.name is not None:
        return only.name, only.name, False
    return only.text, _short(only.text), False


def _other_way(run: Run, default: Default, left: Traced, right: Traced, answer: bool) -> None:
    """Tell what to assume of a value whose default decided the comparison, so that it comes out the other way."""
    side, other = (left, right) if left.text == default.value.text else (right, left)
    if side.text != default.value.text or run.assumed(default.key) is not None:
        return
    if answer:
        run.assume_open(_set(default))
    elif other.text:
        run.assume_open(_value(default.key, default.label, other, True))
    else:
        empty = Assumption(default.key, Kind.VALUE, f"{default.label} is empty", f"{default.label} is not empty", other)
        run.assume_open(empty)


def _value(key: str, label: str, text: Traced, opt_in: bool) -> Assumption:
    shown = text.text or "empty"
    return Assumption(key, Kind.VALUE, f"{label} is {shown}", f"{label} is not {shown}", text, opt_in=opt_in)


def _set(default: Default) -> Assumption:
    shown = default.value.shown
    if not shown:
        return Assumption(default.key, Kind.SET, f"{default.label} is set", f"{default.label} is not set")
    told, denied = f"{default.label} is not {shown}", f"{default.label} is {shown}"
    return Assumption(default.key, Kind.SET, told, denied, opt_in=True)


def undecided(run: Run, told: str, denied: str) -> bool:
    """Something that nobody can know: it does not hold, and in another world it does."""
    known = run.assumed(told)
    if known is not None:
        return True
    run.assume_open(Assumption(told, Kind.TRUE, told, denied))
    return False


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 60 else plain[:57] + "…"
