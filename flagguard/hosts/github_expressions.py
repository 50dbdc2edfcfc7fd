"""GitHub Actions' expressions, as far as they can be known: `${{ … }}` in a text, and conditions.

Follows https://docs.github.com/en/actions/reference/workflows-and-actions/expressions; the syntax is that of the
runner's own reader (https://github.com/actions/runner, src/Sdk/DTExpressions2: LexicalAnalyzer.cs, ExpressionParser.cs,
Operators/Index.cs). What the contexts hold is the caller's part. An expression that is not known comes out as a hole,
never as a guess.
"""

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

from flagguard.hosts.github_functions import STATUS, Argument, WrongCall, call
from flagguard.hosts.github_values import (
    NOWHERE,
    Unknown,
    Value,
    as_text,
    compared,
    constant,
    gap,
    number,
    overridable,
    parse_number,
    string,
    text_value,
    truth,
    unknown_of,
)
from flagguard.hosts.tree import Entry, Items, Node, Scalar, Table
from flagguard.patterns import expression
from flagguard.text import EMPTY, HOLE_MARK, Decider, Traced, join, literal
from flagguard.values import dataclass, replace


class Context(Protocol):
    """Where an expression stands."""

    def get(self, parts: tuple[str, ...]) -> Value:
        """What ``matrix.os`` and the like hold, by their parts."""
        ...

    def choose(self, key: str, options: Sequence[str]) -> int | None:
        """Which of several courses is looked at; None: nobody follows them apart. ``options``: what each assumes."""
        ...

    def unusual(self) -> "Context":
        """The same place, where it is not known how jobs and steps before went."""
        ...


_TEXT = expression(r"\$\{\{((?:'(?:[^']|'')*'|[^'])*?)\}\}", re.DOTALL)
_STRING = expression(r"'((?:[^']|'')*)'", re.DOTALL)
_OPERATOR = expression(r"&&|\|\||[=!<>]=|[!<>()\[\],*]")
_WORD = expression(r"[^\s()\[\],.!<>=&|']+")
_NUMBER = expression(r"[-+.\d](?:[^\s()\[\],!<>=&|'])*")
_NAME = expression(r"[A-Za-z_][\w-]*", re.ASCII)
_LITERALS = {"true": True, "false": False, "null": None, "NaN": math.nan, "Infinity": math.inf}
CONTEXTS = frozenset("github env vars job jobs steps runner secrets strategy matrix needs inputs".split())
MOST_TOKENS = 5_000


class Unreadable(Exception):
    """Not an expression that GitHub takes."""


# -- texts ------------------------------------------------------------------------------------------------------------


def render(text: Traced, context: Context) -> Traced:
    """``text`` with each `${{ … }}` replaced by what it is, or by a hole."""
    raw = text.text
    if "${{" not in raw:
        return text
    parts, at = [], 0
    for found in _TEXT.finditer(raw):
        parts.append(text.cut(at, found.start()))
        written = text.cut(*found.span())
        value = evaluate(text.cut(*found.span(1)), context, forks=True)
        said = text_value(value)
        if said is None:
            assert isinstance(value, Unknown)
            said = gap(value, written.shown, _variable(found[1]))
        parts.append(said.through(written.route))
        at = found.end()
    parts.append(text.cut(at, len(raw)))
    return join(parts)


def _variable(text: str) -> str | None:
    name = text.strip()
    return name if re.fullmatch(r"[\w.-]+", name) else None


def whole(text: Traced) -> Traced | None:
    """The expression, where the text is one `${{ … }}` and nothing else."""
    raw = text.text
    if "${{" not in raw:
        return None
    start, end = len(raw) - len(raw.lstrip()), len(raw.rstrip())
    found = _TEXT.fullmatch(raw, start, end)
    return text.cut(*found.span(1)) if found else None


def evaluate(text: Traced, context: Context, forks: bool = False, usual: bool = True) -> Value:
    """``forks``: what an unknown condition chooses between is looked at apart, as far as the context allows it."""
    try:
        return _Parser(text, context, forks, usual).all()
    except (Unreadable, WrongCall, RecursionError):
        return Unknown("an expression that is not read", Decider.REPOSITORY)


def resolved(node: Node, context: Context) -> Value:
    """A value of the workflow that may be one whole expression, or a text with some."""
    if not isinstance(node, Scalar) or "${{" not in node.text.text:
        return node
    inner = whole(node.text)
    if inner is not None:
        return placed(evaluate(inner, context, forks=True), node.text)
    return string(render(node.text, context))


def placed(value: Value, at: Traced) -> Value:
    """A value that comes from the expression ``at``."""
    if isinstance(value, Scalar) and value.text:
        return replace(value, text=value.text.through(at.route))
    return value


def holds(condition: Traced, context: Context) -> bool | None:
    """Whether an `if:` holds; None: nobody knows. A text around `${{ }}` is true, as a text.

    In the usual course no step before has failed. What another course runs is not known to run, nor not to.
    """
    inner = whole(condition)
    if inner is None and "${{" in condition.text:
        return None
    asked = condition if inner is None else inner
    found = truth(evaluate(asked, context))
    if found is False and (asks_status(asked.text) or _RESULT.search(asked.text)):
        return truth(evaluate(asked, context.unusual(), usual=False))
    return found


_STATUS = expression(rf"\b(?:{'|'.join(sorted(STATUS))})\s*\(", re.IGNORECASE)


_RESULT = expression(
    r"\.\s*(?:result|outcome|conclusion|status)\b|\[\s*'(?:result|outcome|conclusion|status)'", re.IGNORECASE
)


def asks_status(condition: str) -> bool:
    """Whether a condition asks how the steps before went, so that `success()` is not added to it."""
    return _STATUS.search(condition) is not None


# -- tokens -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


_BEFORE_VALUE = frozenset("( [ , && || ! == != < <= > >=".split())
"""After these a `.` begins a number."""


@lru_cache(maxsize=4096)
def _tokens(text: str) -> Sequence[_Token]:
    found: list[_Token] = []
    at, end = 0, len(text)
    while True:
        while at < end and text[at].isspace():
            at += 1
        if at >= end:
            return found
        if len(found) >= MOST_TOKENS:
            raise Unreadable
        last = found[-1].text if found and found[-1].kind == "operator" else "" if found else "("
        start = at
        if text[at] == "'":
            match, kind = _STRING.match(text, at), "string"
        elif text[at] in "-+0123456789" or (text[at] == "." and last in _BEFORE_VALUE):
            match, kind = _NUMBER.match(text, at), "number"
        elif text[at] == ".":
            at += 1
            found.append(_Token("operator", ".", start, at))
            continue
        elif operator := _OPERATOR.match(text, at):
            match, kind = operator, "operator"
        else:
            match, kind = _WORD.match(text, at), "name"
            if match is None or not _NAME.fullmatch(match.group()):
                raise Unreadable
        if match is None:
            raise Unreadable
        at = match.end()
        found.append(_Token(kind, match.group(), start, at))


# -- the grammar ------------------------------------------------------------------------------------------------------


class _Filtered:
    """The list that a `*` made: what follows it is taken of each item (Index.cs, FilteredArray)."""

    def __init__(self, items: Sequence[Node]) -> None:
        self.items = items


class _Parser:
    """Recursive descent, evaluating as it goes."""

    def __init__(self, text: Traced, context: Context, forks: bool, usual: bool) -> None:
        self.text, self.context, self.forks, self.usual = text, context, forks, usual
        self.tokens = _tokens(text.text)
        self.at = 0
        self.filtered: _Filtered | None = None

    def all(self) -> Value:
        value = self.either()
        if self.at < len(self.tokens):
            raise Unreadable
        return value

    def accept(self, *operators: str) -> str | None:
        if self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.kind == "operator" and token.text in operators:
                self.at += 1
                return token.text
        return None

    def ahead(self, operator: str) -> bool:
        return self.at < len(self.tokens) and self.tokens[self.at].text == operator

    def expect(self, operator: str) -> None:
        if self.accept(operator) is None:
            raise Unreadable

    def written(self, since: int) -> str:
        """The source from token ``since`` up to here."""
        if since >= self.at:
            return ""
        return " ".join(self.text.cut(self.tokens[since].start, self.tokens[self.at - 1].end).shown.split())

    # -- operators

    def either(self) -> Value:
        start = self.at
        value = self.both()
        while True:
            if not self.ahead("||"):
                return value
            written = self.written(start) if self.forks else ""
            self.at += 1
            held = self.decided(value, written)
            value = self.chosen(value, self.both(), held, takes=False)

    def both(self) -> Value:
        start = self.at
        value = self.equal()
        while True:
            if not self.ahead("&&"):
                return value
            written = self.written(start) if self.forks else ""
            self.at += 1
            held = self.decided(value, written)
            value = self.chosen(value, self.equal(), held, takes=True)

    def decided(self, value: Value, written: str) -> bool | None:
        """The truth of what stands before an operator."""
        held = truth(value)
        if held is None and self.forks:
            taken = self.context.choose(f"if: {written}", (f"if: {written}", f"if: !({written})"))
            return None if taken is None else not taken
        return held

    def chosen(self, value: Value, other: Value, held: bool | None, takes: bool) -> Value:
        """``value && other`` (``takes``) or ``value || other``."""
        if held is takes:
            return _kept(other, value)
        if held is not None:
            if unknown_of(value) is not None and truth(value) is None and not held:
                boolean = isinstance(value, Unknown) and value.boolean
                return constant(False) if boolean else string(EMPTY)
            return value
        unknown = unknown_of(value) or Unknown("not known")
        known = truth(other)
        # `x && false` is never true, `x || true` always
        return Unknown(unknown.reason, unknown.decider, unknown.shape, known if known is not takes else None)

    def equal(self) -> Value:
        value = self.ordered()
        while operator := self.accept("==", "!="):
            value = _both_kept(operator, value, self.ordered())
        return value

    def ordered(self) -> Value:
        value = self.negated()
        while operator := self.accept("<=", ">=", "<", ">"):
            value = _both_kept(operator, value, self.negated())
        return value

    def negated(self) -> Value:
        if not self.accept("!"):
            return self.primary()
        value = self.negated()
        held = truth(value)
        if held is not None:
            return _kept(constant(not held), value)
        unknown = unknown_of(value) or Unknown("not known")
        return Unknown(unknown.reason, unknown.decider, boolean=True)

    # -- values

    def primary(self) -> Value:
        self.filtered = None
        if self.accept("("):
            value = self.either()
            self.expect(")")
            return self.indexed(value)
        if self.at >= len(self.tokens):
            raise Unreadable
        token = self.tokens[self.at]
        self.at += 1
        if token.kind == "string":
            return self.literal(token)
        if token.kind == "number":
            found = parse_number(token.text)
            if math.isnan(found):
                raise Unreadable
            return constant(found)
        if token.kind != "name":
            raise Unreadable
        if self.accept("("):
            arguments = self.arguments()
            value = call(token.text, arguments, self.usual)
            for argument in arguments:
                value = _kept(value, argument.value)
            return self.indexed(value)
        if token.text in _LITERALS:
            return constant(_LITERALS[token.text])
        if token.text.lower() not in CONTEXTS:
            raise Unreadable
        return self.named(token.text.lower())

    def literal(self, token: _Token) -> Value:
        inner = self.text.cut(token.start + 1, token.end - 1)
        if "''" not in inner.text:
            return string(inner)
        parts, at = [], 0
        for found in re.finditer("''", inner.text):
            parts.append(inner.cut(at, found.start() + 1))
            at = found.end()
        return string(join([*parts, inner.cut(at, len(inner.text))]))

    def arguments(self) -> list[Argument]:
        found: list[Argument] = []
        if self.accept(")"):
            return found
        while True:
            start = self.at
            value = self.either()
            found.append(Argument(value, self.written(start)))
            if self.accept(")"):
                return found
            self.expect(",")

    def named(self, name: str) -> Value:
        """A context with the properties that follow it, as far as they are names."""
        parts = [name]
        while True:
            mark = self.at
            index = self.index()
            if index is None:
                return self.context.get(tuple(parts))
            if not isinstance(index, Scalar) or not index.text.known:
                self.at = mark
                return self.indexed(self.context.get(tuple(parts)))
            parts.append(as_text(index).text)

    def index(self) -> "Value | str | None":
        """One `.name` or `[index]`; ``*`` for a filter."""
        if self.accept("."):
            if self.accept("*"):
                return "*"
            if self.at >= len(self.tokens) or self.tokens[self.at].kind != "name":
                raise Unreadable
            self.at += 1
            return string(literal(self.tokens[self.at - 1].text))
        if self.accept("["):
            if self.accept("*"):
                self.expect("]")
                return "*"
            outer = self.filtered
            index = self.either()
            self.filtered = outer
            self.expect("]")
            return index
        return None

    def indexed(self, value: Value) -> Value:
        while (index := self.index()) is not None:
            value = self.step(value, index)
        return value

    def step(self, value: Value, index: "Value | str") -> Value:
        if isinstance(value, Unknown):
            return Unknown(value.reason, value.decider, value.shape)
        if not isinstance(index, str) and unknown_of(index) is not None:
            return Unknown("an index that is not known", Decider.REPOSITORY)
        filtered = self.filtered
        if filtered is not None and isinstance(value, Items) and value.items is filtered.items:
            found = [node for item in filtered.items for node in _each(item, index)]
            return self.filter(found)
        if index == "*":
            return self.filter(_children(value))
        assert not isinstance(index, str)
        return step_into(value, index)

    def filter(self, items: Sequence[Node]) -> Value:
        made = tuple(items)
        self.filtered = _Filtered(made)
        return Items(NOWHERE, made)


def _kept(value: Value, source: Value) -> Value:
    """A value that a default decides is one that somebody may override as well."""
    if overridable(source) and isinstance(value, Scalar):
        return replace(value, text=value.text.overridable())
    return value


def _both_kept(operator: str, one: Value, other: Value) -> Value:
    return _kept(_kept(compared(operator, one, other), one), other)


def _children(value: Value) -> Sequence[Node]:
    if isinstance(value, Items):
        return value.items
    return [e.value for e in value.entries] if isinstance(value, Table) else []


def _each(item: Node, index: "Value | str") -> Sequence[Node]:
    """What an index takes of one item of a filtered list: nothing, where it has no such part."""
    if isinstance(index, str):
        return _children(item)
    if isinstance(item, Table):
        name = as_text(index).text if isinstance(index, Scalar) else None
        entry = _entry(item, name) if name is not None else None
        return [entry.value] if entry is not None else []
    at = _position(index)
    return [item.items[at]] if isinstance(item, Items) and at is not None and at < len(item.items) else []


def _entry(table: Table, name: str) -> Entry | None:
    found = table.by_name.get(name)
    return found or next((e for e in table.entries if e.name.lower() == name.lower()), None)


def _position(index: Value) -> int | None:
    at = math.nan if isinstance(index, Unknown) else number(index)
    return int(at) if 0 <= at < 2**31 else None


def step_into(value: Value, index: Value) -> Value:
    """One property of a value; what is not there is null, as in GitHub."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Items):
        at = _position(index)
        return value.items[at] if at is not None and at < len(value.items) else constant(None)
    if isinstance(value, Table) and isinstance(index, Scalar):
        entry = _entry(value, as_text(index).text)
        return entry.value if entry is not None else constant(None)
    if isinstance(value, Scalar) and value.text.text == HOLE_MARK:
        hole = value.text.holes[0]
        return Unknown(hole.reason, hole.decider)
    return constant(None)


def walk(value: Value, parts: Sequence[str]) -> Value:
    """The property ``parts`` of a value."""
    for part in parts:
        value = step_into(value, string(literal(part)) if part else string(EMPTY))
    return value
