"""conda-build's selectors: which lines of a file count on a platform.

Follows conda-build's documentation, "Defining metadata (meta.yaml)", "Preprocessing selectors": a Python expression in
brackets at a line's end, in a comment. What it hangs on may be one of several values, or not known at all: then the
answer may be open.
"""

import ast
import operator
from collections.abc import Callable, Iterator, Mapping

from flagguard.patterns import expression

Values = Mapping[str, tuple[object, ...]]
"""The values that each name may have; a name that is not there may have any."""
_BRACKETS = expression(r"\[([^\[\]]+)\]")
_NAME = expression(r"[A-Za-z_]\w*")
_PARENTHESES = expression(r"[()]")
_COMPARES: Mapping[type[ast.cmpop], Callable[[object, object], object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,  # type: ignore[dict-item]
    ast.LtE: operator.le,  # type: ignore[dict-item]
    ast.Gt: operator.gt,  # type: ignore[dict-item]
    ast.GtE: operator.ge,  # type: ignore[dict-item]
    ast.In: lambda one, many: one in many,  # type: ignore[operator]
    ast.NotIn: lambda one, many: one not in many,  # type: ignore[operator]
}
_BOTH = frozenset({True, False})
_MOST = 64
"""Combinations of values that are compared."""


def split(line: str, values: Values) -> tuple[str, str]:
    """The line without its selector, and the selector; ``""`` where it has none.

    Brackets outside of a comment count too, for conda-build; here only where they hold a condition that is decided, so
    that a list is a list.
    """
    if "[" not in line or line.lstrip().startswith("#"):
        return line, ""
    mark = line.find("#", 1)
    if mark > 0:
        for found in reversed([*_BRACKETS.finditer(line, mark)]):
            if not _PARENTHESES.search(line[found.end() :]):
                return line[:mark].rstrip(), found[1].strip()
    end = line.rstrip()
    last = _BRACKETS.search(end, end.rfind("["))
    if last is not None and last.end() == len(end) and last.start() > 0 and _speaks(last[1], values):
        return line[: last.start()].rstrip(), last[1].strip()
    return line, ""


def _speaks(said: str, values: Values) -> bool:
    """Whether it is a condition on names that are known."""
    return any(name in values for name in _NAME.findall(said)) and decided(said, values) is not None


def decided(condition: str, values: Values) -> bool | None:
    """Whether it holds; None where that is open, or it cannot be read."""
    try:
        answers = _truths(ast.parse(condition.strip(), mode="eval").body, values)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return next(iter(answers)) if len(answers) == 1 else None


def _truths(node: ast.expr, values: Values) -> frozenset[bool]:
    if isinstance(node, ast.BoolOp):
        parts = [_truths(part, values) for part in node.values]
        ends = isinstance(node.op, ast.Or)  # the answer that ends it
        if frozenset({ends}) in parts:
            return frozenset({ends})
        return frozenset({not ends}) if all(part == {not ends} for part in parts) else _BOTH
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return frozenset(not answer for answer in _truths(node.operand, values))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return frozenset(_compared(node, values))
    known = _values(node, values)
    return _BOTH if known is None else frozenset(map(bool, known))


def _compared(node: ast.Compare, values: Values) -> Iterator[bool]:
    one, other = _values(node.left, values), _values(node.comparators[0], values)
    compare = _COMPARES.get(type(node.ops[0]))
    if one is None or other is None or compare is None or len(one) * len(other) > _MOST:
        yield from _BOTH
        return
    for left in one:
        for right in other:
            try:
                yield bool(compare(left, right))
            except TypeError:
                yield from _BOTH


def _values(node: ast.expr, values: Values) -> tuple[object, ...] | None:
    """What it may be; None: anything."""
    if isinstance(node, ast.Constant):
        return (node.value,)
    if isinstance(node, ast.Name):
        return values.get(node.id)
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        parts = [_values(part, values) for part in node.elts]
        if any(part is None or len(part) != 1 for part in parts):
            return None
        return (tuple(part[0] for part in parts if part is not None),)
    if isinstance(node, ast.BoolOp | ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
        return tuple(sorted(_truths(node, values)))
    return None


def typed(said: str) -> object:
    """A variant's value, as a selector sees it: numbers and truths are such."""
    if said.lower() in ("true", "false"):
        return said.lower() == "true"
    try:
        return int(said)
    except ValueError:
        return said
