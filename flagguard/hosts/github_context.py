"""What GitHub Actions' contexts hold at a place: `env`, `matrix`, `runner`, `inputs`; the rest is unknown.

Follows https://docs.github.com/en/actions/reference/workflows-and-actions/contexts and
https://docs.github.com/en/actions/reference/workflows-and-actions/variables (the variables that the runner sets).
"""

from collections.abc import Mapping
from types import MappingProxyType

from flagguard.command import Variable
from flagguard.hosts.github_expressions import Context, Unknown, Value, as_text, evaluate, render, step_into, whole
from flagguard.hosts.github_matrix import Row
from flagguard.hosts.github_runners import runner_arch, runner_os
from flagguard.hosts.tree import Kind, Node, Scalar, Table
from flagguard.text import Decider, Shape, Span, Traced, literal
from flagguard.values import dataclass, field, replace

RUNNER_SETS = (
    *("CI", "HOME", "PATH", "PWD", "USER", "SHELL"),
    *(
        f"GITHUB_{name}"
        for name in (
            "ACTION ACTION_PATH ACTION_REPOSITORY ACTIONS ACTOR ACTOR_ID API_URL BASE_REF ENV EVENT_NAME EVENT_PATH "
            "GRAPHQL_URL HEAD_REF JOB OUTPUT PATH REF REF_NAME REF_PROTECTED REF_TYPE REPOSITORY REPOSITORY_ID "
            "REPOSITORY_OWNER REPOSITORY_OWNER_ID RETENTION_DAYS RUN_ATTEMPT RUN_ID RUN_NUMBER SERVER_URL SHA STATE "
            "STEP_SUMMARY WORKFLOW WORKFLOW_REF WORKFLOW_SHA WORKSPACE"
        ).split()
    ),
    *(f"RUNNER_{name}" for name in "ARCH DEBUG ENVIRONMENT NAME OS TEMP TOOL_CACHE".split()),
)

_SHAPES = {
    **dict.fromkeys(
        (("github", n) for n in "workspace action_path event_path env path sha run_id token".split()), Shape.PATH
    ),
    **dict.fromkeys((("github", n) for n in "run_number run_attempt".split()), Shape.NUMBER),
    **dict.fromkeys((("runner", n) for n in "temp tool_cache workspace".split()), Shape.PATH),
    ("strategy", "job-index"): Shape.NUMBER,
    ("strategy", "job-total"): Shape.NUMBER,
}
_SPAN = Span("", 0, 0)
_REASONS = {
    "github": "GitHub gives it when the workflow runs",
    "runner": "the runner gives it",
    "vars": "a variable of the repository's settings",
    "secrets": "a secret",
    "inputs": "an input that the caller gives",
    "steps": "the output of another step",
    "needs": "the output of another job",
    "job": "GitHub gives it when the job runs",
    "jobs": "the output of another job",
    "strategy": "GitHub gives it when the job runs",
}

Inputs = Mapping[str, Scalar]


def inputs_of(node: Node | None) -> Inputs:
    """The inputs with a default: of an action's `inputs`, of `on.workflow_call` and `on.workflow_dispatch`."""
    if not isinstance(node, Table):
        return {}
    found: dict[str, Scalar] = {}
    for part in (node, node.get("workflow_call"), node.get("workflow_dispatch")):
        inputs = part.get("inputs") if isinstance(part, Table) else None
        for entry in inputs.entries if isinstance(inputs, Table) else ():
            default = entry.value.get("default") if isinstance(entry.value, Table) else None
            if isinstance(default, Scalar):
                text = as_text(default).overridable()
                found.setdefault(entry.name, replace(default, text=text))
    return MappingProxyType(found)


@dataclass(frozen=True)
class Around:
    """Where an expression stands."""

    inputs: Inputs = field(default_factory=dict)
    variables: tuple[Variable, ...] = ()
    written: tuple[str, ...] = ()
    """Names that earlier steps of the job wrote to $GITHUB_ENV."""
    row: Row = field(default_factory=Row)
    platform: str | None = None

    def inside(self) -> "Around":
        """Seen from a step: what an earlier step wrote takes the place of the job's and the workflow's value."""
        return replace(self, variables=tuple(v for v in self.variables if v.name not in self.written))

    @property
    def visible(self) -> tuple[Variable, ...]:
        return self.variables

    def outside(self) -> tuple[str, ...]:
        own = {v.name for v in self.variables}
        return (*RUNNER_SETS, *(n for n in dict.fromkeys(self.written) if n not in own))

    def context(self) -> Context:
        values = {v.name: v.value for v in self.variables}

        def look(parts: tuple[str, ...]) -> Value:
            head = parts[0].lower()
            if head == "env" and len(parts) == 2:
                return _environment(values, parts[1])
            if head == "matrix":
                return self._computed(self.row.get(parts[1:]))
            if head == "runner" and len(parts) == 2 and self.platform is not None:
                said = {"os": runner_os, "arch": runner_arch}.get(parts[1].lower(), lambda _: None)(self.platform)
                if said is not None:
                    text = literal(said)
                    return Scalar(_SPAN, text, Kind.STRING, said)
            if tuple(p.lower() for p in parts[:3]) == ("github", "event", "inputs"):
                head, parts = "inputs", parts[2:]
            if head == "inputs" and len(parts) == 2 and parts[1] in self.inputs:
                return self._computed(self.inputs[parts[1]])
            return _unknown(head, parts)

        return look

    def _computed(self, value: Value) -> Value:
        """A value that is itself written with expressions."""
        if not isinstance(value, Scalar) or "${{" not in value.text.text:
            return value
        outer = replace(self, row=Row(others=Unknown("the matrix computes itself", Decider.REPOSITORY)), inputs={})
        inner = whole(value.text.text)
        if inner is not None:
            return step_into(evaluate(inner, outer.context()), ())
        text = render(value.text, outer.context())
        return _value(text)


def _value(text: Traced) -> Value:
    if text.holes and len(text.pieces) == 1:
        return Unknown(text.holes[0].reason, text.holes[0].decider, text.holes[0].shape)
    return Scalar(_SPAN, text, Kind.STRING, text.text)


def _environment(values: Mapping[str, Traced], name: str) -> Value:
    if name in values:
        return _value(values[name])
    return Unknown("nothing that can be seen here sets it")


def _unknown(head: str, parts: tuple[str, ...]) -> Unknown:
    if head not in _REASONS:
        return Unknown("not a context that is known", Decider.REPOSITORY)
    shape = _SHAPES.get((head, parts[1].lower()), Shape.ANY) if len(parts) == 2 else Shape.ANY
    return Unknown(_REASONS[head], Decider.OUTSIDE, shape)
