"""The inputs that workflows and actions declare, what starts a workflow, and what a job hands to the jobs behind it.

Follows https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax ("on", "on.workflow_call",
"on.workflow_dispatch.inputs") and metadata-syntax ("inputs").
"""

from collections.abc import Mapping
from types import MappingProxyType

from flagguard.hosts.github_values import Value, as_text, constant, string
from flagguard.hosts.tree import Items, Kind, Node, Scalar, Table, text_of
from flagguard.text import EMPTY, Piece, Traced
from flagguard.values import dataclass, field, replace

DISPATCH, CALL = "workflow_dispatch", "workflow_call"


@dataclass(frozen=True)
class Input:
    """One input."""

    name: str
    kind: str = "string"
    default: Scalar | None = None
    """With pieces that somebody may override."""
    options: tuple[Scalar, ...] = ()
    """What one can choose from, the default first; none: anything."""
    events: frozenset[str] = frozenset()
    """The events that have it; none: it is an action's."""

    def option(self, number: int, as_string: bool) -> Scalar:
        found = self.options[number]
        found = replace(found, text=_sure(found.text))
        return string(as_text(found)) if as_string else found

    def typed(self, given: Value) -> Value:
        """What a caller gives, as the callee sees it."""
        if not isinstance(given, Scalar) or not self.events or self.kind in ("string", "choice", "environment"):
            return string(as_text(given)) if isinstance(given, Scalar) else given
        return given

    def unsaid(self) -> Value:
        """Where the caller does not give it."""
        if self.default is not None:
            return replace(self.default, text=_sure(self.default.text))
        if self.kind == "boolean":
            return constant(False)
        return constant(0) if self.kind == "number" else string(EMPTY)


def _sure(text: Traced) -> Traced:
    """A default that nobody can override any more: the call is made without it."""
    return Traced(tuple(replace(piece, overridable=False) for piece in text.pieces))


@dataclass(frozen=True)
class Needed:
    """A job that others need."""

    outputs: Mapping[str, Value] = field(default_factory=dict)
    result: Node = field(default_factory=lambda: constant("success"))
    skipped: bool = False


def events_of(on: Node | None) -> tuple[str, ...]:
    """What starts a workflow, in the order in which it says it."""
    if isinstance(on, Table):
        return tuple(e.name for e in on.entries)
    if isinstance(on, Items):
        return tuple(dict.fromkeys(text_of(i).text for i in on.items if text_of(i)))
    return (text_of(on).text,) if text_of(on) else ()


def workflow_inputs(on: Node | None) -> Mapping[str, Input]:
    """The inputs of `on.workflow_dispatch` and of `on.workflow_call`."""
    found: dict[str, Input] = {}
    for event in (DISPATCH, CALL):
        part = on.get(event) if isinstance(on, Table) else None
        inputs = part.get("inputs") if isinstance(part, Table) else None
        for entry in inputs.entries if isinstance(inputs, Table) else ():
            old = found.get(entry.name)
            made = _input(entry.name, entry.value, frozenset({event}))
            if old is not None:
                # both events have it: what one of them leaves open is open
                default = old.default if old.default is not None else made.default
                made = replace(old, events=old.events | made.events, default=default)
            found[entry.name] = made
    return MappingProxyType(found)


def action_inputs(root: Table) -> Mapping[str, Input]:
    inputs = root.get("inputs")
    entries = inputs.entries if isinstance(inputs, Table) else ()
    made = (_input(e.name, e.value, frozenset()) for e in entries)
    # an action's inputs are texts
    return MappingProxyType({i.name: replace(i, kind="string", options=()) for i in made})


def _input(name: str, node: Node, events: frozenset[str]) -> Input:
    said = node if isinstance(node, Table) else None
    kind = text_of(said.get("type")).text if said is not None else ""
    default = said.get("default") if said is not None else None
    if isinstance(default, Scalar) and default.kind is not Kind.NULL:
        text = as_text(default) or Traced((Piece(""),))  # also an empty text may be overridden
        default = replace(default, text=text.overridable())
    else:
        default = None
    options: list[Scalar] = []
    if kind == "boolean":
        first = bool(default.value) if default is not None and default.kind is Kind.BOOLEAN else False
        options = [constant(first), constant(not first)]
        if default is not None and default.kind is Kind.BOOLEAN:
            options[0] = replace(options[0], text=as_text(default))
    elif kind == "choice" and said is not None and isinstance(given := said.get("options"), Items):
        options = [string(as_text(o)) for o in given.items if isinstance(o, Scalar)]
        if default is not None:
            options.sort(key=lambda o: o.text.text != default.text.text)
    return Input(name, kind or "string", default, tuple(options), events)
