"""GitHub Actions' expressions, as far as they can be known: `${{ … }}` in a text, and conditions.

Follows https://docs.github.com/en/actions/reference/workflows-and-actions/expressions and the runner's own sources
(https://github.com/actions/runner, src/Sdk/DTExpressions2, Operators/Index.cs). What the contexts hold is the caller's
part. An expression that is not known comes out as a hole, never as a guess.
"""

import re
from collections.abc import Sequence
from typing import Protocol

from flagguard.hosts.github_functions import STATUS, Argument, WrongCall, call
from flagguard.hosts.github_syntax import (
    Call,
    Comparison,
    Constant,
    Every,
    Index,
    Logic,
    Named,
    Not,
    Property,
    Text,
    Tree,
    expressions,
    only,
    tree,
)
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
    string,
    text_value,
    truth,
    unknown_of,
)
from flagguard.hosts.tree import Entry, Items, Node, Scalar, Table
from flagguard.patterns import expression
from flagguard.text import EMPTY, HOLE_MARK, Decider, Piece, Traced, join, literal
from flagguard.values import replace


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


# -- texts ------------------------------------------------------------------------------------------------------------


def render(text: Traced, context: Context) -> Traced:
    """``text`` with each `${{ … }}` replaced by what it is, or by a hole."""
    raw = text.text
    if "${{" not in raw:
        return text
    pieces: list[Piece] = []
    at = 0
    for start, end, inner, inner_end in expressions(raw):
        if at < start:
            pieces += text.cut(at, start).pieces
        written = text.cut(start, end)
        value = _evaluated(text, inner, raw[inner:inner_end], context, True, True)
        said = text_value(value)
        if said is None:
            assert isinstance(value, Unknown)
            said = gap(value, written.shown, _variable(raw[inner:inner_end]))
        pieces += said.through(written.route).pieces
        at = end
    if at < len(raw):
        pieces += text.cut(at, len(raw)).pieces
    return Traced(tuple(pieces))


def _variable(text: str) -> str | None:
    name = text.strip()
    return name if re.fullmatch(r"[\w.-]+", name) else None


def whole(text: Traced) -> Traced | None:
    """The expression, where the text is one `${{ … }}` and nothing else."""
    raw = text.text
    found = only(raw) if "${{" in raw else None
    return text.cut(*found) if found else None


def evaluate(text: Traced, context: Context, forks: bool = False, usual: bool = True) -> Value:
    """``forks``: what an unknown condition chooses between is looked at apart, as far as the context allows it."""
    return _evaluated(text, 0, text.text, context, forks, usual)


def _evaluated(text: Traced, base: int, written: str, context: Context, forks: bool, usual: bool) -> Value:
    """The expression ``written``, which stands at ``base`` of the text."""
    found = tree(written)
    if found is not None:
        try:
            return _Evaluation(text, base, context, forks, usual).value(found)
        except (WrongCall, RecursionError):
            pass
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


# -- values -----------------------------------------------------------------------------------------------------------


class _Filtered:
    """The list that a `*` made: what follows it is taken of each item (Index.cs, FilteredArray)."""

    def __init__(self, items: Sequence[Node]) -> None:
        self.items = items


class _Evaluation:
    """One expression, which begins at ``base`` of a text, in one context."""

    def __init__(self, text: Traced, base: int, context: Context, forks: bool, usual: bool) -> None:
        self.text, self.base, self.context, self.forks, self.usual = text, base, context, forks, usual
        self.filtered: _Filtered | None = None

    def value(self, tree: Tree) -> Value:
        match tree:
            case Named():
                return self.named(tree)
            case Text():
                self.filtered = None
                return self.string(tree)
            case Comparison():
                return _both_kept(tree.operator, self.value(tree.left), self.value(tree.right))
            case Logic():
                value = self.value(tree.left)
                held = self.decided(value, tree)
                return self.chosen(value, self.value(tree.right), held, takes=tree.both)
            case Call():
                return self.indexed(self.called(tree), tree.rest)
            case Not():
                return self.negated(self.value(tree.inner))
            case Constant():
                self.filtered = None
                return tree.value
        self.filtered = None
        return self.indexed(self.value(tree.inner), tree.rest)

    def written(self, start: int, end: int) -> str:
        return " ".join(self.text.cut(self.base + start, self.base + end).shown.split())

    # -- operators

    def decided(self, value: Value, tree: Logic) -> bool | None:
        """The truth of what stands before an operator."""
        held = truth(value)
        if held is None and self.forks:
            written = self.written(tree.start, tree.end)
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

    def negated(self, value: Value) -> Value:
        held = truth(value)
        if held is not None:
            return _kept(constant(not held), value)
        unknown = unknown_of(value) or Unknown("not known")
        return Unknown(unknown.reason, unknown.decider, boolean=True)

    # -- what stands for itself, contexts, functions

    def string(self, tree: Text) -> Value:
        at, end = self.base + tree.start, self.base + tree.end
        if not tree.quotes:
            return string(self.text.cut(at, end))
        parts = []
        for quote in tree.quotes:
            parts.append(self.text.cut(at, self.base + quote + 1))
            at = self.base + quote + 2
        return string(join([*parts, self.text.cut(at, end)]))

    def called(self, tree: Call) -> Value:
        self.filtered = None
        arguments = [Argument(self.value(one), self.written(start, end)) for one, start, end in tree.arguments]
        value = call(tree.name, arguments, self.usual)
        for argument in arguments:
            value = _kept(value, argument.value)
        return value

    def named(self, tree: Named) -> Value:
        """A context with the properties that follow it, as far as they are names."""
        self.filtered = None
        parts = tree.parts
        for at, index in enumerate(tree.rest):
            found = self.index(index)
            if not isinstance(found, Scalar) or not found.text.known:
                return self.indexed(self.context.get(parts), tree.rest[at:])
            parts = (*parts, as_text(found).text)
        return self.context.get(parts)

    # -- what is taken of a value

    def index(self, index: Index) -> "Value | None":
        """The index; None for all parts."""
        if isinstance(index, Property):
            return index.value
        if isinstance(index, Every):
            return None
        outer = self.filtered
        found = self.value(index)
        self.filtered = outer
        return found

    def indexed(self, value: Value, rest: Sequence[Index]) -> Value:
        for index in rest:
            value = self.step(value, self.index(index))
        return value

    def step(self, value: Value, index: "Value | None") -> Value:
        if isinstance(value, Unknown):
            return Unknown(value.reason, value.decider, value.shape)
        if index is not None and unknown_of(index) is not None:
            return Unknown("an index that is not known", Decider.REPOSITORY)
        filtered = self.filtered
        if filtered is not None and isinstance(value, Items) and value.items is filtered.items:
            found = [node for item in filtered.items for node in _each(item, index)]
            return self.filter(found)
        if index is None:
            return self.filter(_children(value))
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


def _each(item: Node, index: "Value | None") -> Sequence[Node]:
    """What an index takes of one item of a filtered list: nothing, where it has no such part."""
    if index is None:
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
    at = -1 if isinstance(index, Unknown) else number(index)
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
