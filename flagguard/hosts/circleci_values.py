"""CircleCI: parameters, `<< … >>`, and the conditions of `when` and `unless`.

Follows https://circleci.com/docs/reusing-config/ ("Using the parameters declaration"),
https://circleci.com/docs/pipeline-variables/ and https://circleci.com/docs/configuration-reference/ ("Logic
statements"). A parameter of a pipeline has its default, which whoever starts it may replace.
"""

import math
import re
from collections.abc import Mapping, Sequence

from flagguard.hosts.pipelines import fill, outside
from flagguard.hosts.tree import Entry, Items, Kind, Node, Scalar, Table, same
from flagguard.patterns import expression
from flagguard.text import EMPTY, HOLE_MARK, Piece, Shape, Traced
from flagguard.values import dataclass, field, replace

_USE = expression(r"(?<!\\)<<\s*((?:pipeline\.)?(?:parameters|matrix)\.[\w.-]+|pipeline\.[\w.-]+)\s*>>")
_SECTION = expression(
    r"(?<!\\)<<([#^])\s*((?:pipeline\.)?parameters\.[\w.-]+)\s*>>((?:(?!<<[#^/]).)*)(?<!\\)<</\s*\2\s*>>", re.DOTALL
)
_SAFE = expression(r"[^*+{]*|[^()]{1,80}")
_NUMBERS = frozenset({"pipeline.number"})
_PATHS = frozenset({"pipeline.git.revision", "pipeline.git.base_revision", "pipeline.id"})
_DEEPEST = 30


@dataclass(frozen=True)
class Scope:
    """What `<< … >>` can name at a place."""

    parameters: Mapping[str, Node] = field(default_factory=dict)
    pipeline: Mapping[str, Node] = field(default_factory=dict)
    matrix: Mapping[str, Node] = field(default_factory=dict)

    def get(self, name: str) -> Node | None:
        """The value of `parameters.X` and the like; None where nobody here knows it."""
        for begin, table in (("parameters.", self.parameters), ("pipeline.parameters.", self.pipeline),
                             ("matrix.", self.matrix)):  # fmt: skip
            if name.startswith(begin):
                return table.get(name[len(begin) :])
        return None

    def into(self, node: Node, depth: int = 0) -> Node:
        """A value with what it names in its place, as deep as it goes."""
        if isinstance(node, Items):
            return Items(node.span, tuple(self.into(item, depth) for item in node.items), node.tag)
        if isinstance(node, Table):
            return Table(node.span, tuple(self._entry(e, depth) for e in node.entries))
        if "<<" not in node.text.text:
            return node
        whole = _USE.fullmatch(node.text.text.strip())
        value = self.get(whole[1]) if whole is not None else None
        if value is None:
            return replace(node, text=self.text(node.text))
        if isinstance(value, Scalar):
            return replace(value, text=value.text.through(node.text.route), span=node.span)
        return self.into(value, depth + 1) if depth < _DEEPEST else value

    def _entry(self, entry: Entry, depth: int) -> Entry:
        name = self.text(Traced((Piece(entry.name),))).shown if "<<" in entry.name else entry.name
        return Entry(name, entry.key, self.into(entry.value, depth))

    def text(self, whole: Traced) -> Traced:
        """A text with what it names in its place."""
        while "<<#" in whole.text or "<<^" in whole.text:
            found = _SECTION.search(whole.text)
            if found is None:
                break
            kept = truth(self.get(found[2])) is not (found[1] == "^")
            inner = whole.cut(*found.span(3)) if kept else EMPTY
            whole = whole.cut(0, found.start()) + inner + whole.cut(found.end(), len(whole))
        return fill(whole, _USE, lambda m, _: self._put(m[1], m[0]))

    def _put(self, name: str, written: str) -> Traced:
        value = self.get(name)
        if isinstance(value, Scalar):
            return value.text if value.kind is not Kind.NULL else EMPTY
        shape = Shape.NUMBER if name in _NUMBERS else Shape.PATH if name in _PATHS else Shape.ANY
        reason = "CircleCI gives it" if name.startswith("pipeline.") else "a parameter that the caller gives"
        return outside(name, written, reason, shape)


_ESCAPED = expression(r"\\<<")


def plain(whole: Traced) -> Traced:
    r"""A text that the shell gets: `\<<` is `<<`."""
    return fill(whole, _ESCAPED, lambda _, written: written.cut(1, 3))


def declared(node: Node | None, overridable: bool = False) -> dict[str, Node]:
    """The defaults of a `parameters:`."""
    found: dict[str, Node] = {}
    for entry in node.entries if isinstance(node, Table) else ():
        default = entry.value.get("default") if isinstance(entry.value, Table) else None
        if default is None and overridable and isinstance(entry.value, Scalar):
            default = entry.value
        if isinstance(default, Scalar) and overridable:
            default = replace(default, text=default.text.overridable())
        if default is not None:
            found[entry.name] = default
    return found


# -- conditions -------------------------------------------------------------------------------------------------------


def truth(value: Node | None) -> bool | None:
    """What a value is as a condition; None: nobody knows."""
    if value is None:
        return None
    if not isinstance(value, Scalar):
        return True
    if value.kind is Kind.STRING:
        return bool(value.text.text.replace(HOLE_MARK, "")) or (None if value.text else False)
    return bool(value.value) and not (isinstance(value.value, float) and math.isnan(value.value))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a condition holds: None, nobody knows. ``asked``: whoever starts the pipeline may have it otherwise."""

    held: bool | None
    asked: bool = False


def judge(condition: Node, scope: Scope) -> Verdict:
    """Whether a condition holds at a place."""
    found = _held(scope.into(condition), 0)
    asked = _overridable(condition, scope)
    return Verdict(found, asked)


def _overridable(node: Node, scope: Scope) -> bool:
    if isinstance(node, Table):
        return any(_overridable(e.value, scope) for e in node.entries)
    if isinstance(node, Items):
        return any(_overridable(item, scope) for item in node.items)
    if "<<" not in node.text.text:
        return False
    resolved = scope.into(node)
    return isinstance(resolved, Scalar) and any(p.overridable for p in resolved.text.pieces)


def _held(node: Node, depth: int) -> bool | None:
    if depth > _DEEPEST:
        return None
    if isinstance(node, Table) and len(node.entries) == 1:
        entry = node.entries[0]
        values = entry.value.items if isinstance(entry.value, Items) else (entry.value,)
        match entry.name:
            case "and":
                return _all([_held(v, depth + 1) for v in values])
            case "or":
                found = _all([_not(_held(v, depth + 1)) for v in values])
                return _not(found)
            case "not":
                return _not(_held(entry.value, depth + 1))
            case "equal":
                return _equal(values)
            case "matches":
                return _matches(entry.value)
    if isinstance(node, Table):
        return None
    if isinstance(node, Scalar) and node.kind is Kind.STRING and _EXPRESSION.search(node.text.text):
        return None  # an expression: `pipeline.git.branch == "main"`
    return truth(node)


_EXPRESSION = expression(r"\bpipeline\.|==|!=|=~|\bstarts-with\b")


def _not(value: bool | None) -> bool | None:
    return None if value is None else not value


def _all(values: Sequence[bool | None]) -> bool | None:
    return False if any(v is False for v in values) else None if any(v is None for v in values) else True


def _equal(values: Sequence[Node]) -> bool | None:
    if any(isinstance(v, Scalar) and not v.text.known for v in values):
        known = {v.text.text for v in values if isinstance(v, Scalar) and v.text.known}
        return False if len(known) > 1 else None
    return all(same(values[0], other) for other in values[1:])


def _matches(node: Node) -> bool | None:
    pattern = node.get("pattern") if isinstance(node, Table) else None
    value = node.get("value") if isinstance(node, Table) else None
    if not isinstance(pattern, Scalar) or not isinstance(value, Scalar) or not value.text.known:
        return None
    if not _SAFE.fullmatch(pattern.text.text) or len(value.text.text) > 500:
        return None
    try:
        return re.search(pattern.text.text, value.text.text) is not None
    except (re.error, OverflowError, RecursionError):
        return None
