"""A job's `strategy.matrix`, row by row.

Follows https://docs.github.com/en/actions/how-tos/write-workflows/choose-what-workflows-do/run-job-variations: all
combinations, less `exclude`, then `include`. What the workflow computes (`fromJSON(needs…)`) is unknown in each row.
"""

from collections.abc import Mapping
from itertools import product

from flagguard.hosts.github_expressions import Context, resolved, walk
from flagguard.hosts.github_values import NOWHERE, Unknown, Value, as_text, constant
from flagguard.hosts.tree import Entry, Items, Node, Scalar, Table, same
from flagguard.text import Decider
from flagguard.values import dataclass, field

MOST_ROWS = 256
"""GitHub's own limit for one matrix."""

_COMPUTED = Unknown("the workflow computes its matrix", Decider.REPOSITORY)
_TOO_MANY = Unknown(f"one of more than {MOST_ROWS} rows of the matrix", Decider.REPOSITORY)
MOST_VALUES = 20_000
"""Values in a `strategy`, each as often as an anchor repeats it."""
_ENORMOUS = Unknown(f"the matrix has more than {MOST_VALUES} values", Decider.REPOSITORY)
_NO_MATRIX = Unknown("the job has no matrix that says it", Decider.REPOSITORY)


@dataclass(frozen=True)
class Row:
    values: Mapping[str, Value] = field(default_factory=dict)
    others: Unknown | None = None
    """What a name is that the row does not have; None: nothing, as in GitHub."""

    def get(self, parts: tuple[str, ...]) -> Value:
        """`matrix.PARTS`."""
        if not parts:
            entries = [Entry(n, NOWHERE, v) for n, v in self.values.items() if not isinstance(v, Unknown)]
            return self.others or (Table(NOWHERE, tuple(entries)) if len(entries) == len(self.values) else _COMPUTED)
        name = parts[0] if parts[0] in self.values else next(
            (n for n in self.values if n.lower() == parts[0].lower()), parts[0])  # fmt: skip
        if name not in self.values and self.others is not None:
            return self.others
        return walk(self.values.get(name, constant(None)), parts[1:])

    @property
    def label(self) -> str:
        """As GitHub shows it behind the job's name: the values, joined by commas."""
        shown = [t for v in self.values.values() for t in _texts(v)]
        return ", ".join(shown)


def _texts(value: Value) -> list[str]:
    if isinstance(value, Scalar):
        return [as_text(value).shown] if value.text else []
    if isinstance(value, Table):
        return [t for e in value.entries for t in _texts(e.value)]
    if isinstance(value, Items):
        return [t for i in value.items for t in _texts(i)]
    return ["…"]


def rows(strategy: Node | None, context: Context) -> tuple[Row, ...]:
    """The rows of a job with that `strategy`; one without a matrix has one row, in which `matrix.X` is unknown."""
    if strategy is not None and _size(strategy, {}) > MOST_VALUES:
        return (Row(others=_ENORMOUS),)
    given = resolved(strategy, context) if strategy is not None else None
    if isinstance(given, Unknown):
        return (Row(others=_COMPUTED),)
    matrix = _resolved(given.get("matrix"), context) if isinstance(given, Table) else None
    if matrix is None:
        return (Row(others=_NO_MATRIX),)
    if not isinstance(matrix, Table):
        return (Row(others=_COMPUTED),)
    axes: dict[str, list[Value]] = {}
    for entry in matrix.entries:
        if entry.name not in ("include", "exclude"):
            values = _resolved(entry.value, context)
            axes[entry.name] = list(values.items) if isinstance(values, Items) else [_COMPUTED]
    size = 1
    for values_of_axis in axes.values():
        size *= max(len(values_of_axis), 1)
    if size > MOST_ROWS:
        return (Row(dict.fromkeys(axes, _TOO_MANY), _TOO_MANY),)
    found = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())] if axes else []
    exclude = _resolved(matrix.get("exclude"), context)
    for item in exclude.items if isinstance(exclude, Items) else ():
        if isinstance(item, Table):
            found = [row for row in found if not _matches(row, item)]
    include = _resolved(matrix.get("include"), context)
    computed = include is not None and not isinstance(include, Items)
    _include(found, include.items if isinstance(include, Items) else (), tuple(axes))
    others = _COMPUTED if computed else None
    out = [Row(values, others) for values in found[:MOST_ROWS]]
    if computed:
        out.append(Row(others=_COMPUTED))
    return tuple(out)


def _size(node: Node, known: dict[int, int]) -> int:
    """How many values there are, counted once for each use; what an anchor shares is looked at once."""
    if isinstance(node, Scalar):
        return 1
    found = known.get(id(node))
    if found is None:
        inner = node.items if isinstance(node, Items) else [e.value for e in node.entries]
        found = known[id(node)] = 1 + sum(_size(n, known) for n in inner)
    return found


def _resolved(node: Node | None, context: Context) -> Value | None:
    """A value with its expressions replaced, as deep as they are known."""
    if node is None:
        return None
    found = resolved(node, context)
    return found if isinstance(found, Unknown) else _deep(found, context)


def _deep(node: Node, context: Context) -> Node:
    """The parts of a value with their expressions replaced; one that is not known stays as it is written."""
    if isinstance(node, Scalar):
        found = resolved(node, context)
        return node if isinstance(found, Unknown) else found
    if isinstance(node, Items):
        return Items(node.span, tuple(_deep(item, context) for item in node.items))
    return Table(node.span, tuple(Entry(e.name, e.key, _deep(e.value, context)) for e in node.entries))


def _matches(row: Mapping[str, Value], wanted: Table) -> bool:
    for entry in wanted.entries:
        value = row.get(entry.name)
        if value is None or isinstance(value, Unknown) or not same(value, entry.value):
            return False
    return bool(wanted.entries)


def _include(found: list[dict[str, Value]], items: tuple[Node, ...], axes: tuple[str, ...]) -> None:
    """Each entry goes to the rows whose original values it does not change; where there are none, it is a row."""
    original = len(found)
    for item in items:
        if not isinstance(item, Table):
            continue
        fitting = [
            row
            for row in found[:original]
            if all(
                e.name not in axes or (not isinstance(v := row[e.name], Unknown) and same(v, e.value))
                for e in item.entries
            )
        ]
        for row in fitting:
            row.update((e.name, e.value) for e in item.entries)
        if not fitting:
            found.append({e.name: e.value for e in item.entries})
