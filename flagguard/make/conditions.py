"""What a condition comes to: decided, or open, with what would have to be assumed for the other way.

Manual: "Syntax of Conditionals". DESIGN 4.3: a variable that nobody sets is empty; that somebody sets it is another
world; that it has one particular value which nothing in the repository gives it is an opt-in world.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flagguard.make.holes import could_be, many
from flagguard.make.lines import strip, words
from flagguard.make.worlds import Assumption, Kind
from flagguard.patterns import expression
from flagguard.text import EMPTY, HOLE_MARK, Decider, Traced

if TYPE_CHECKING:
    from flagguard.make.expand import Expander

GOALS = "MAKECMDGOALS"


def holds(run: Expander, text: Traced) -> bool:
    """Whether the text, which is not expanded yet, expands to something: the condition of ``$(if …)``."""
    return not equal(run, text, EMPTY)


def is_defined(run: Expander, name: str) -> bool:
    """``ifdef``: whether the variable has a value, expanded or not."""
    definition = run.find(name)
    if definition is not None:
        if definition.perhaps and run.beyond is None:
            told, denied = f"{name} is set", f"{name} is not set"
            return _assumed(run, Assumption(f"ifdef {name}", Kind.TRUE, told, denied, variable=False))
        if definition.perhaps:
            run.met_capped = True
        return bool(definition.value.text)
    run.touched.discard(name)
    value = run.undefined(name)
    if not value.text and name in run.touched:
        run.assume_open(_set(name))
        return False
    if run.may_be_set(name):
        run.assume_open(Assumption(name, Kind.VALUE, f"{name} is not set", f"{name} is set", EMPTY))
        return True
    return name not in run.touched


def equal(run: Expander, left: Traced, right: Traced) -> bool:
    """Whether both sides, which are not expanded yet, expand to the same; the likeliest answer where it is open."""
    saved = run.touched
    run.touched = set()
    try:
        a, b = run.remembered(left), run.remembered(right)
        touched = run.touched
    finally:
        run.touched = saved | run.touched
    answer = _equal(run, a, b)
    if not run.trial:
        for name in sorted(touched):
            _other_way(run, name, left, right, answer)
    return answer


def _equal(run: Expander, a: Traced, b: Traced) -> bool:
    if a.known and b.known:
        return a.text == b.text
    if b.known:
        return _is(run, a, b)
    if a.known:
        return _is(run, b, a)
    if a.text == b.text and a.shown == b.shown:
        return True
    one, other = shortened(a.shown), shortened(b.shown)
    told, denied = f"{one} is {other}", f"{one} is not {other}"
    return _assumed(run, Assumption(f"{a.shown} = {b.shown}", Kind.TRUE, told, denied, variable=False))


def _is(run: Expander, unknown: Traced, text: Traced) -> bool:
    """Whether text with holes is just ``text``."""
    # a function puts no blank between words that are not there
    nothing = not text.text and all(many(word) for word in words(unknown))
    if not nothing and not could_be(strip(unknown).text if text.text else unknown.text, text.text):
        return False
    name = _variable(unknown)
    if name is not None and not text.text:
        return False
    key = name or unknown.shown
    what = name or shortened(unknown.shown)
    shown = shortened(text.text) or "empty"
    known = run.assumption(key)
    if known is not None and known.value is not None:
        return known.value.text == text.text
    if known is not None and name is None:
        return False
    return _assumed(
        run,
        Assumption(
            key,
            Kind.VALUE,
            f"{what} is {shown}",
            f"{what} is not {shown}",
            text,
            opt_in=name is not None,
            variable=name is not None,
        ),
    )


def shortened(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 60 else plain[:57] + "…"


def _assumed(run: Expander, assumption: Assumption) -> bool:
    known = run.assumption(assumption.key)
    if known is not None and known.same == assumption.same:
        return True
    run.assume_open(assumption)
    return False


def _variable(text: Traced) -> str | None:
    """The variable from outside that the text is the value of, if it is just that."""
    text = strip(text)
    gap = text.pieces[0].hole if len(text.pieces) == 1 else None
    return gap.name if gap is not None and gap.decider is Decider.OUTSIDE and not gap.among else None


def _set(name: str, default: str | None = None) -> Assumption:
    if default is not None:
        return Assumption(name, Kind.SET, f"{name} is not {default}", f"{name} is {default}", opt_in=True)
    return Assumption(name, Kind.SET, f"{name} is set", f"{name} is not set")


def _other_way(run: Expander, name: str, left: Traced, right: Traced, answer: bool) -> None:
    """Tell what to assume of the variable ``name`` so that the comparison comes out the other way."""
    if run.assumption(name) is not None:
        return
    definition = run.find(name)
    default = definition.value.shown if definition is not None else None
    with run.supposing(name):
        a, b = run.expand(left), run.expand(right)
    if a.known and b.known:
        return
    lone, other = (a, b) if not a.known else (b, a)
    if _variable(lone) == name and other.known:
        if not other.text or answer:
            run.assume_open(_set(name, shortened(default) if default is not None else None))
        elif name == GOALS:
            told = f"goal {shortened(other.text)}"
            run.assume_open(Assumption(name, Kind.VALUE, told, f"not {told}", other))
        else:
            shown = shortened(other.text)
            told, denied = f"{name} is {shown}", f"{name} is not {shown}"
            run.assume_open(Assumption(name, Kind.VALUE, told, denied, other, opt_in=True))
        return
    if HOLE_MARK not in lone.text or default is not None:
        return
    if other.known and not could_be(lone.text, other.text):
        if answer:
            run.assume_open(_set(name))
        return
    given = _set(name)
    if answer:
        run.assume_open(given)
        return
    if other.known:
        shown = shortened(other.text) or "empty"
        what = shortened(lone.shown)
        run.assume_open(
            Assumption(name, Kind.SET, given.told, given.denied, opt_in=True),
            Assumption(lone.shown, Kind.VALUE, f"{what} is {shown}", f"{what} is not {shown}", other, variable=False),
        )


_SHELL_TEST = expression(r"\[\[?\s[^\n;]*?\s\]|\btest\s[^;|&]*|\bcase\s.*?\sin\b")


def is_tested(text: Traced) -> bool:
    """Whether a shell tests references in the text, as far as can be seen before it is expanded."""
    return ("$(" in text.text or "${" in text.text) and _SHELL_TEST.search(text.text) is not None


def note_tests(run: Expander, text: Traced) -> None:
    """In unexpanded text that a shell tests: tell that the variables which nobody sets may be set."""
    for match in _SHELL_TEST.finditer(text.text):
        if "$" in match[0]:
            _note_test(run, text.cut(match.start(), match.end()))


def _note_test(run: Expander, text: Traced) -> None:
    saved, trial = run.touched, run.trial
    run.touched, run.trial = set(), True
    try:
        run.expand(text)
        touched = run.touched
    finally:
        run.touched, run.trial = saved, trial
    for name in sorted(touched):
        if run.find(name) is None and run.assumption(name) is None:
            run.assume_open(_set(name))
