"""Tests: ``[ ]``, ``test`` and ``[[ ]]`` (POSIX.1-2024 XCU test; bash manual 6.4), decided or forked (DESIGN 4.3).

A condition on what nobody can know splits the world, and each half says what it assumes. The half in which an outside
variable has one particular value that nothing in the repository gives it is opt-in.
"""

import re
from collections.abc import Sequence

from flagguard.command import Word
from flagguard.shell.expand import Expander
from flagguard.shell.outside import ALWAYS_SET
from flagguard.shell.pattern import Match, Pattern, match, verbatim
from flagguard.shell.state import FAILED, Var, World, folded
from flagguard.shell.syntax import Binary, Both, Either, Not, Test, Unary
from flagguard.text import EMPTY, HOLE_MARK, Decider, Hole, Piece, Shape, Traced, hole
from flagguard.values import dataclass

Outcome = tuple[World, bool]

_NUMERIC = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_UNARY = frozenset("-b -c -d -e -f -g -h -k -n -p -r -s -t -u -v -w -x -z -G -L -N -O -R -S".split())
_BINARY = frozenset("= == != < > -nt -ot -ef".split()) | _NUMERIC


@dataclass(frozen=True, slots=True)
class Operand:
    """A test's operand. ``bare``: an unset variable without quotes, which leaves no word at all."""

    text: Traced
    bare: bool = False


def fork(world: World, yes: str, no: str, opt_in: bool = False) -> list[Outcome]:
    """Both outcomes, each with its assumption; ``opt_in``: only the first has to be asked for."""
    first, second = world.copy(), world
    first.assume(yes, opt_in)
    if not opt_in:
        second.assume(no)
    return [(first, True), (second, False)]


def conditional(test: Test, world: World, expander: Expander, shown: str) -> list[Outcome]:
    """``[[ … ]]``; ``shown`` is its source, for the assumption."""
    match test:
        case _ if world.flow is not None:
            return [(world, False)]
        case Not(inner):
            return [(w, not truth) for w, truth in conditional(inner, world, expander, shown)]
        case Both(left, right):
            return _lazily(left, right, world, expander, shown, stop=False)
        case Either(left, right):
            return _lazily(left, right, world, expander, shown, stop=True)
        case Unary(op, word):
            return unary(op, Operand(expander.single(word, world)), world, shown)
        case Binary(op, left_word, right_word):
            left_text = expander.single(left_word, world)
            if op == "=~":
                return _regex(left_text, expander.regex(right_word, world), world, shown)
            if op in ("=", "==", "!="):
                pattern = expander.pattern(right_word, world)
                return equals(*any_case(left_text, pattern, world), op == "!=", world, shown)
            if op in _NUMERIC:
                right_text = expander.single(right_word, world)
                given = not any(p.unset for p in (*left_text.pieces, *right_text.pieces))
                if _has_failed(left_text):
                    return _numeric(op, left_text, right_text, world, shown)
                a, b = (expander.number(w, world) if given else None for w in (left_word, right_word))
                return [(world, False)] if world.flow is not None else _compared(op, a, b, world, shown)
            return binary(op, Operand(left_text), Operand(expander.single(right_word, world)), world, shown)


def _lazily(left: Test, right: Test, world: World, expander: Expander, shown: str, stop: bool) -> list[Outcome]:
    out: list[Outcome] = []
    for one, truth in conditional(left, world, expander, shown):
        done = truth is stop or one.flow is not None
        out += [(one, truth)] if done else conditional(right, one, expander, shown)
    return out


def bracket(words: Sequence[Word], vanished: Sequence[tuple[int, Hole]], world: World, shown: str) -> list[Outcome]:
    """``test`` with these arguments (the closing bracket taken off)."""
    operands = [Operand(w) for w in words]
    for index, gap in reversed(vanished):
        if index <= len(operands):
            operands.insert(index, Operand(Traced((Piece("", unset=gap.name),)), bare=True))
    before = world.when
    return told(_Bracket(operands, world, shown).evaluate(), before, shown)


def told(outcomes: list[Outcome], before: tuple[str, ...], shown: str) -> list[Outcome]:
    """The outcomes of a whole test: what they assume of it is what it comes to, whatever was negated inside."""
    yes, no = f"`{shown}` is true", f"`{shown}` is false"
    for world, truth in outcomes:
        if (yes in world.when and yes not in before) or (no in world.when and no not in before):
            kept = tuple(w for w in world.when if w in before or w not in (yes, no))
            world.when = (*kept, yes if truth else no)
    return outcomes


class _Bracket:
    """The argument rules of XCU test, with ``-a``, ``-o`` and parentheses."""

    def __init__(self, operands: list[Operand], world: World, shown: str) -> None:
        self.operands = operands
        self.world = world
        self.shown = shown

    def evaluate(self) -> list[Outcome]:
        if not self.operands:
            return [(self.world, False)]
        return self._either(self.operands, self.world)

    def _either(self, operands: list[Operand], world: World) -> list[Outcome]:
        return self._split(operands, world, "-o", True)

    def _split(self, operands: list[Operand], world: World, op: str, stop: bool) -> list[Outcome]:
        following = self._one if op == "-a" else self._both
        depth = 0
        for i, operand in enumerate(operands):
            text = operand.text.text
            depth += {"(": 1, ")": -1}.get(text, 0)
            if text == op and depth == 0 and 0 < i < len(operands) - 1 and len(operands) > 3:
                out: list[Outcome] = []
                for one, truth in following(operands[:i], world):
                    if truth is stop:
                        out.append((one, truth))
                    else:
                        out += self._split(operands[i + 1 :], one, op, stop)
                return out
        return following(operands, world)

    def _both(self, operands: list[Operand], world: World) -> list[Outcome]:
        return self._split(operands, world, "-a", False)

    def _one(self, operands: list[Operand], world: World) -> list[Outcome]:
        texts = [o.text.text for o in operands]
        size = len(operands)
        if size == 1:
            return unary("-n", operands[0], world, self.shown)
        if size == 3 and texts[1] in _BINARY:
            return binary(texts[1], operands[0], operands[2], world, self.shown)
        if texts[0] == "!" and size > 1:
            return [(w, not truth) for w, truth in self._one(operands[1:], world)]
        if texts[0] == "(" and texts[-1] == ")" and size > 2:
            return self._either(operands[1:-1], world)
        if size == 2 and texts[0] in _UNARY:
            return unary(texts[0], operands[1], world, self.shown)
        if all(o.text.known and not any(p.unset for p in o.text.pieces) for o in operands):
            return [(world, False)]
        return fork(world, f"`{self.shown}` is true", f"`{self.shown}` is false")


def malformed(words: Sequence[Word]) -> bool:
    """Whether `test` may refuse its arguments, with the status 2: no number where it wants one, or no test at all."""
    texts = [w.text for w in words]
    for i, text in enumerate(texts):
        if text in _NUMERIC and any(
            HOLE_MARK not in t and not re.fullmatch(r"\s*[-+]?[0-9]+\s*", t)
            for t in (*texts[max(i - 1, 0) : i], *texts[i + 1 : i + 2])
        ):
            return True
    rest = texts[1:] if texts[:1] == ["!"] else texts
    if len(rest) == 2:
        return rest[0] not in _UNARY
    return len(rest) > 3 or (len(rest) == 3 and rest[1] not in _BINARY and rest[1] not in ("-a", "-o"))


# -- operators


def unary(op: str, operand: Operand, world: World, shown: str) -> list[Outcome]:
    text = operand.text
    if op in ("-n", "-z"):
        return _given(op == "-n", operand, world)
    if op == "-v" and text.known:
        var = world.vars.get(text.text.split("[")[0])
        if var is not None:
            return [(world, var.given)]
    return fork(world, f"`{shown}` is true", f"`{shown}` is false")


def _given(wanted: bool, operand: Operand, world: World) -> list[Outcome]:
    """Whether a string is not empty (``wanted``: the test is ``-n``)."""
    text = operand.text
    if text.text.replace(HOLE_MARK, ""):
        return [(world, wanted)]
    if any(h.shape is Shape.NUMBER or h.name in ALWAYS_SET for h in text.holes):
        return [(world, wanted)]
    names = [p.unset for p in text.pieces if p.unset is not None]
    if text.holes:
        shown = text.shown
        yes, no = f"{shown} is not empty", f"{shown} is empty"
        full, empty = world.copy(), world
        full.assume(yes)
        empty.assume(no)
        return [(full, wanted), (empty, not wanted)]
    if not names:
        return [(world, not wanted)]
    name = names[0]
    given, absent = world.copy(), world
    given.assume(f"${name} is set")
    bind(given, name, hole(Hole(f"${name}", "it comes from outside", Decider.OUTSIDE, Shape.ANY, name)))
    absent.assume(f"${name} is not set")
    return [(given, wanted), (absent, True if operand.bare else not wanted)]


def bind(world: World, name: str, value: Traced) -> None:
    """Give an outside variable the value that the world assumes."""
    if name.isidentifier():
        world.put(name, Var(value, assumed=True))


def binary(op: str, left: Operand, right: Operand, world: World, shown: str) -> list[Outcome]:
    if op in ("=", "==", "!="):
        left_unset = any(p.unset for p in left.text.pieces)
        right_unset = any(p.unset for p in right.text.pieces)
        settled = not (left_unset or right_unset or any(p.overridable for p in left.text.pieces))
        if settled and left.text.known and right.text.known:
            return [(world, (left.text.text == right.text.text) is (op != "!="))]
        if (left_unset or right.text.known or not left.text.known) and (left_unset or not right_unset):
            return equals(left.text, verbatim(right.text.text), op == "!=", world, shown)
        return equals(right.text, verbatim(left.text.text), op == "!=", world, shown)
    if op in _NUMERIC:
        return _numeric(op, left.text, right.text, world, shown)
    if op in ("<", ">") and left.text.known and right.text.known:
        truth = left.text.text < right.text.text if op == "<" else left.text.text > right.text.text
        return [(world, truth)]
    return fork(world, f"`{shown}` is true", f"`{shown}` is false")


def _numeric(op: str, left: Traced, right: Traced, world: World, shown: str) -> list[Outcome]:
    if right.text == "0" and _has_failed(left):
        return [(world, op in ("-ne", "-gt", "-ge"))]
    if left.known and right.known and not any(p.unset for p in (*left.pieces, *right.pieces)):
        try:
            return _compared(op, int(left.text), int(right.text), world, shown)
        except ValueError:
            return [(world, False)]
    return _compared(op, None, None, world, shown)


def _has_failed(text: Traced) -> bool:
    """Whether it is the exit status of a command that surely failed."""
    return len(text.pieces) == 1 and any(h.reason == FAILED for h in text.holes)


def _compared(op: str, a: int | None, b: int | None, world: World, shown: str) -> list[Outcome]:
    if a is None or b is None:
        return fork(world, f"`{shown}` is true", f"`{shown}` is false")
    truth = {"-eq": a == b, "-ne": a != b, "-lt": a < b, "-le": a <= b, "-gt": a > b, "-ge": a >= b}[op]
    return [(world, truth)]


def _regex(text: Traced, expression: str | None, world: World, shown: str) -> list[Outcome]:
    known = text.known and not any(p.unset for p in text.pieces)
    if expression is not None and known and not _costly(expression, text.text):
        try:
            found = re.search(_python(expression), text.text, re.I if "nocasematch" in world.options else 0)
        except re.error:
            return fork(world, f"`{shown}` is true", f"`{shown}` is false")
        else:
            groups = range(found.re.groups + 1) if found else ()
            items: dict[int | str, Traced] = {i: text.cut(*found.span(i)) for i in groups if found is not None}
            if found is not None and not _same_longest(expression):
                gap = Hole("${BASH_REMATCH[@]}", "which of several matches is the longest is not followed")
                world.put("BASH_REMATCH", Var(items=items).opened(hole(gap)))
            else:
                world.put("BASH_REMATCH", Var(items=items))
            return [(world, found is not None)]
    outcomes = fork(world, f"`{shown}` is true", f"`{shown}` is false")
    gap = Hole("${BASH_REMATCH[@]}", "what matches is not known")
    for one, truth in outcomes:
        one.put("BASH_REMATCH", Var(items={}).opened(hole(gap)) if truth else Var(items={}))
    return outcomes


def _same_longest(expression: str) -> bool:
    """Whether the first match is the longest too, as POSIX wants it: no choice of which one begins another."""
    if "|" not in expression:
        return True
    choices = re.split(r"[()|]", expression.strip("^$"))
    plain = [c for c in choices if c]
    if expression.startswith("^") and expression.endswith("$"):
        return True
    return all(re.fullmatch(r"[\w-]+", c) for c in plain) and not any(
        a is not b and b.startswith(a) for a in plain for b in plain
    )


_NESTED = re.compile(r"[*+}]\)[*+{]|\)[*+{].*[*+}]\)")


def _costly(expression: str, text: str) -> bool:
    """Whether a regular expression may take for ever: repetitions of repetitions, or many over a long text."""
    return _NESTED.search(expression) is not None or (len(re.findall("[*+{]", expression)) > 3 and len(text) > 500)


def _python(expression: str) -> str:
    """An extended regular expression in Python's spelling: only the classes differ for what scripts write."""
    for name, characters in (
        ("alnum", "a-zA-Z0-9"),
        ("alpha", "a-zA-Z"),
        ("digit", "0-9"),
        ("lower", "a-z"),
        ("upper", "A-Z"),
        ("space", r"\s"),
        ("xdigit", "0-9A-Fa-f"),
    ):
        expression = expression.replace(f"[:{name}:]", characters)
    return expression


def any_case(text: Traced, pattern: Pattern, world: World) -> tuple[Traced, Pattern]:
    """Both as `case` and `[[` compare them under `shopt -s nocasematch`."""
    if "nocasematch" not in world.options:
        return text, pattern
    return folded(text, "lower"), Pattern([(c.lower(), quoted) for c, quoted in pattern])


def equals(text: Traced, pattern: Pattern, negated: bool, world: World, shown: str) -> list[Outcome]:
    """Whether ``text`` matches ``pattern`` (all quoted: equals it)."""
    return [(w, truth is not negated) for w, truth in _matches(text, pattern, world, shown)]


def _matches(text: Traced, pattern: Pattern, world: World, shown: str) -> list[Outcome]:
    wanted = pattern.text
    names = [p.unset for p in text.pieces if p.unset is not None]
    if names and not text.text and len(text.pieces) == 1:
        name = names[0]
        if not pattern:
            return [(w, not truth) for w, truth in _given(True, Operand(text), world)]
        if match(pattern, EMPTY) is Match.YES:
            return [(world, True)]
        return _asked_for(world, name, pattern)
    if wanted == "0" and _has_failed(text):
        return [(world, False)]
    verdict = match(pattern, text)
    if verdict is not Match.MAYBE:
        truth = verdict is Match.YES
        if any([p.overridable for p in text.pieces]):  # noqa: C419  (a list is faster than a generator)
            other = world.copy()
            other.assume(f"{wanted} is not the default" if truth else f"`{shown}` is true", opt_in=True)
            return [(world, truth), (other, not truth)]
        return [(world, truth)]
    only = text.pieces[0].hole if len(text.pieces) == 1 else None
    named = only.name if only is not None else None
    asked = (
        only is not None
        and only.decider is Decider.OUTSIDE
        and named is not None
        and named.isidentifier()
        and not pattern.open
        and named not in world.outside  # the runner sets it, to one value or the other
    )
    subject = text.shown
    said = _said(wanted)
    outcomes = fork(world, f"{subject} is {said}", f"{subject} is not {said}", opt_in=asked)
    denied = f"{subject} is not "
    outcomes[0][0].when = tuple([w for w in outcomes[0][0].when if not w.startswith(denied)])
    if named is not None and _is_text(pattern):
        bind(outcomes[0][0], named, Traced((Piece(wanted),)) if wanted else EMPTY)
    return outcomes


def _is_text(pattern: Pattern) -> bool:
    """Whether it stands for itself, but for a backslash."""
    return pattern.plain is not None or (not pattern.open and all(q or c not in "*?[(" for c, q in pattern))


def _said(wanted: str) -> str:
    return wanted.replace(HOLE_MARK, "…") or "empty"


def _asked_for(world: World, name: str, pattern: Pattern) -> list[Outcome]:
    """A comparison of a variable that nobody sets with a value: false, and true only for who asks for it."""
    wanted = pattern.text
    natural, asked = world, world.copy()
    asked.assume(f"${name} is {_said(wanted)}", opt_in=True)
    if _is_text(pattern):
        bind(asked, name, Traced((Piece(wanted),)))
    else:
        bind(asked, name, hole(Hole(f"${name}", "it comes from outside", Decider.OUTSIDE, Shape.ANY, name)))
    return [(natural, False), (asked, True)]
