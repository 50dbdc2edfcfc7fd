"""What GitHub Actions' contexts hold at a place of a workflow or of an action.

Follows https://docs.github.com/en/actions/reference/workflows-and-actions/contexts and
https://docs.github.com/en/actions/reference/workflows-and-actions/variables (the variables that the runner sets). What
happens in some courses only is asked for at the course that is followed.
"""

from collections.abc import Callable, Mapping, Sequence

from flagguard.command import Variable
from flagguard.hosts.github_expressions import evaluate, placed, render, walk, whole
from flagguard.hosts.github_inputs import CALL, Input, Needed
from flagguard.hosts.github_matrix import Row
from flagguard.hosts.github_runners import runner_arch, runner_os
from flagguard.hosts.github_values import NOWHERE, Unknown, Value, as_text, constant, gap, string
from flagguard.hosts.github_worlds import NO_COURSE, Course, Fixed, Plan, agrees
from flagguard.hosts.github_written import Written
from flagguard.hosts.tree import Entry, Scalar, Table
from flagguard.patterns import expression
from flagguard.text import Decider, Piece, Shape, Traced, hole
from flagguard.values import cached_property, dataclass, field, replace

RUNNER_SETS = (
    *("CI", "HOME", "PATH", "PWD", "USER", "SHELL"),
    *(
        f"GITHUB_{name}"
        for name in (
            "ACTION ACTION_PATH ACTION_REPOSITORY ACTIONS ACTOR ACTOR_ID API_URL BASE_REF ENV EVENT_NAME EVENT_PATH "
            "GRAPHQL_URL HEAD_REF JOB OUTPUT PATH REF REF_NAME REF_PROTECTED REF_TYPE REPOSITORY REPOSITORY_ID "
            "REPOSITORY_OWNER REPOSITORY_OWNER_ID RETENTION_DAYS RUN_ATTEMPT RUN_ID RUN_NUMBER SERVER_URL SHA STATE "
            "STEP_SUMMARY TRIGGERING_ACTOR WORKFLOW WORKFLOW_REF WORKFLOW_SHA WORKSPACE"
        ).split()
    ),
    *(f"RUNNER_{name}" for name in "ARCH DEBUG ENVIRONMENT NAME OS TEMP TOOL_CACHE".split()),
)

_SHAPES = {
    **dict.fromkeys(
        (("github", n) for n in "workspace action_path event_path env path output sha run_id token".split()), Shape.PATH
    ),
    **dict.fromkeys((("github", n) for n in "run_number run_attempt".split()), Shape.NUMBER),
    **dict.fromkeys((("runner", n) for n in "temp tool_cache workspace".split()), Shape.PATH),
    ("strategy", "job-index"): Shape.NUMBER,
    ("strategy", "job-total"): Shape.NUMBER,
}
_REASONS = {
    "env": "nothing that can be seen here sets it",
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
    "matrix": "the job has no matrix that says it",
}
_EXPORTED = expression(
    r"pythonLocation|Python\d?_ROOT_DIR|PKG_CONFIG_PATH|LD_LIBRARY_PATH|JAVA_HOME\w*|GO(?:ROOT|PATH)|NODE_AUTH_TOKEN"
    r"|NPM_CONFIG_\w+|DOTNET_ROOT"
)
"""Variables that GitHub's own `actions/setup-*` set."""
_SOME_COURSES = Unknown("an earlier step writes it in some courses only", Decider.REPOSITORY)


@dataclass(frozen=True)
class Record:
    """What a step has handed on, in each of its courses."""

    id: str
    scope: str
    """The workflow's job, or the call of a composite action, that the step's id counts in."""
    courses: tuple[tuple[Plan, Written], ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for _, written in self.courses for name, _ in written.env))


@dataclass(frozen=True)
class Around:
    """Where an expression stands, and the course in which it is looked at."""

    file: str = ""
    inputs: Mapping[str, Input] = field(default_factory=dict)
    given: Mapping[str, Value] | None = None
    """What a caller gives; None: nobody calls."""
    events: tuple[str, ...] = ()
    """What starts the workflow."""
    variables: tuple[Variable, ...] = ()
    row: Row = field(default_factory=Row)
    platform: str | None = None
    hosted: bool = False
    """One of GitHub's own runners."""
    job: str | None = None
    name: str | None = None
    """The workflow's name."""
    action: str | None = None
    """The folder of the action that the step is in."""
    scope: str = ""
    records: tuple[Record, ...] = ()
    needs: Mapping[str, Needed] = field(default_factory=dict)
    assume: Mapping[str, str] = field(default_factory=dict)
    course: Course = NO_COURSE
    usual: bool = True
    """No job and no step before has failed."""
    sees_all: bool = False
    """Nobody sets variables of the workflow but those who can be seen here."""

    # -- a context for expressions

    def choose(self, key: str, options: Sequence[str]) -> int | None:
        return self.course.choose(key, options)

    def get(self, parts: tuple[str, ...]) -> Value:
        head, names = parts[0], tuple(p.lower() for p in parts[1:])
        if head == "github" and names[:2] == ("event", "inputs") and len(parts) > 3:
            value = self._input(parts[3], as_string=True)
            return walk(value, parts[4:])
        if head == "matrix":
            return self._computed(self.row.get(parts[1:]))
        if head == "inputs" and len(parts) > 1:
            return walk(self._input(parts[1]), parts[2:])
        found = self._one(head, names, parts) if len(parts) == 2 else self._deep(head, names, parts)
        return found if found is not None else _unknown(head, parts)

    def _one(self, head: str, names: tuple[str, ...], parts: tuple[str, ...]) -> Value | None:
        name = names[0]
        if head == "env":
            windows = self.platform is not None and self.platform.startswith("windows")
            for variable in reversed(self.variables):
                if variable.name == parts[1] or (windows and variable.name.lower() == name):
                    return _value(variable.value)
            if parts[1] in self.assume:
                return constant(self.assume[parts[1]])
            unset = self.sees_all and _EXPORTED.fullmatch(parts[1]) is None
            return string(Traced((Piece("", unset=parts[1]),))) if unset else None
        if head == "runner":
            if self.platform is not None and name in ("os", "arch"):
                said = (runner_os if name == "os" else runner_arch)(self.platform)
                return constant(said) if said is not None else None
            return constant("github-hosted") if name == "environment" and self.hosted else None
        if head == "vars" and parts[1] in self.assume:
            return constant(self.assume[parts[1]])
        if head == "github":
            return self._github(name)
        return constant("success") if head == "job" and name == "status" and self.usual else None

    def _github(self, name: str) -> Value | None:
        if name == "event_name":
            return self.event()
        if name == "job" and self.job is not None:
            return constant(self.job)
        if name == "workflow" and self.name is not None:
            return constant(self.name)
        if name == "workspace":
            return _folder("GitHub gives it when the workflow runs", "")
        if name == "action_path" and self.action is not None:
            return _folder("the folder of the action", self.action)
        return None

    def _deep(self, head: str, names: tuple[str, ...], parts: tuple[str, ...]) -> Value | None:
        if head == "steps" and len(parts) == 4 and names[1] == "outputs":
            return self._output(parts[1], parts[3])
        if head in ("needs", "jobs") and len(parts) == 4 and names[1] == "outputs":
            needed = self.needs.get(parts[1])
            return needed.outputs.get(parts[3]) if needed is not None else None
        if head == "needs" and len(parts) == 3 and names[1] == "result":
            needed = self.needs.get(parts[1])
            return needed.result if needed is not None and (self.usual or needed.skipped) else None
        if head == "needs" and len(parts) == 1 and self.needs and self.usual:
            entries = [Entry(name, NOWHERE, Table(NOWHERE, (Entry("result", NOWHERE, needed.result),)))
                       for name, needed in self.needs.items()]  # fmt: skip
            return Table(NOWHERE, tuple(entries))
        if head == "env" and len(parts) == 1:
            said = {v.name: Entry(v.name, NOWHERE, string(v.value)) for v in self.variables}
            return Table(NOWHERE, tuple(said.values()))
        return None

    def unusual(self) -> "Around":
        return replace(self, usual=False)

    def quiet(self) -> "Around":
        """The same place, where nothing new is asked of the course: for names, which nobody runs."""
        return replace(self, course=Fixed(self.course.plan))

    # -- events and inputs

    def event(self) -> Value:
        """`github.event_name`."""
        taken = self._event() if CALL not in self.events else None
        return Unknown("what starts the workflow") if taken is None else constant(self.events[taken])

    def _event(self) -> int | None:
        if not self.events:
            return None
        return self.choose("github.event_name", [f"on: {event}" for event in self.events])

    def _input(self, name: str, as_string: bool = False) -> Value:
        declared = self.inputs.get(name) or next((i for n, i in self.inputs.items() if n.lower() == name.lower()), None)
        if self.given is not None:
            if declared is None:
                return constant(None)
            given = next((v for n, v in self.given.items() if n.lower() == name.lower()), None)
            return declared.typed(given) if given is not None else self._computed(declared.unsaid())
        if declared is None:
            return constant(None)
        if declared.events and not declared.events.issuperset(self.events):
            taken = self._event()
            if taken is None:
                return Unknown(_REASONS["inputs"])
            if self.events[taken] not in declared.events:
                return constant(None)
        if declared.options:
            # somebody chooses among what the workflow offers
            shown = [f"inputs.{declared.name} is {as_text(o).shown}" for o in declared.options]
            taken = self.choose(f"{self.file}: inputs.{declared.name}", shown)
            if taken is not None:
                return declared.option(taken, as_string)
            return Unknown(_REASONS["inputs"])
        return self._computed(declared.default) if declared.default is not None else Unknown(_REASONS["inputs"])

    # -- what others give

    def _output(self, step: str, name: str) -> Value | None:
        for record in reversed(self.records):
            if record.scope != self.scope or record.id.lower() != step.lower():
                continue
            if not any(n == name for _, written in record.courses for n, _ in written.outputs):
                return None
            for plan, written in record.courses:
                fits = agrees(plan, self.course)
                if fits is None:
                    return _SOME_COURSES
                if fits:
                    found = dict(written.outputs).get(name)
                    return _value(found) if found is not None else constant(None)
        return None

    def _computed(self, value: Value) -> Value:
        """A value that is itself written with expressions."""
        if not isinstance(value, Scalar) or "${{" not in value.text.text:
            return value
        row = Row(others=Unknown("the matrix computes itself", Decider.REPOSITORY))
        outer = replace(self, row=row, inputs={} if value.text.pieces[0].overridable else self.inputs)
        inner = whole(value.text)
        if inner is not None:
            return placed(evaluate(inner, outer, forks=True), value.text)
        return _value(render(value.text, outer))

    # -- variables

    def outside(self) -> tuple[str, ...]:
        return RUNNER_SETS

    def with_env(self, entries: Sequence[Entry]) -> "Around":
        """With an `env:` on top; its values see what was there before."""
        added = [Variable(e.name, self._of_env(e, e.value)) for e in entries if isinstance(e.value, Scalar)]
        return replace(self, variables=(*self.variables, *added))

    def _of_env(self, entry: Entry, value: Scalar) -> Traced:
        """An empty value keeps its place."""
        found = render(as_text(value), self)
        written = value.span if value.span.start < value.span.end else entry.key
        return found if found.pieces else Traced((Piece("", (written,)),))

    def later(self, base: Sequence[Variable], relevant: Callable[[str], bool]) -> "Around":
        """Seen from the next step: what earlier steps wrote takes the place of the job's and the workflow's values."""
        values = {v.name: v for v in base}
        for record in self.records:
            for name, value in self._carried(record, relevant).items():
                values.pop(name, None)
                values[name] = Variable(name, value)
        return replace(self, variables=tuple(values.values()))

    def _carried(self, record: Record, relevant: Callable[[str], bool]) -> Mapping[str, Traced]:
        names = record.names
        if not names:
            return {}
        asks = any(map(relevant, names))
        for plan, written in record.courses:
            fits = agrees(plan, self.course if asks else Fixed(self.course.plan))
            if fits is None:
                same = {name: {dict(w.env).get(name) for _, w in record.courses} for name in names}
                open_ = gap(_SOME_COURSES, "$")
                return {n: v if len(s) == 1 and (v := next(iter(s))) is not None else _named(open_, n)
                        for n, s in same.items()}  # fmt: skip
            if fits:
                return dict(written.env)
        return {}


def _named(text: Traced, name: str) -> Traced:
    return hole(replace(text.holes[0], text=f"${name}", name=name))


def _value(text: Traced) -> Value:
    if len(text.pieces) == 1 and text.pieces[0].hole is not None:
        found = text.pieces[0].hole
        if found.path is None and found.file is None:
            return Unknown(found.reason, found.decider, found.shape)
    return string(text)


def _folder(reason: str, path: str) -> Value:
    return Unknown(reason, Decider.OUTSIDE, Shape.PATH, path=path)


def _unknown(head: str, parts: tuple[str, ...]) -> Unknown:
    shape = _SHAPES.get((head, parts[1].lower()), Shape.ANY) if len(parts) == 2 else Shape.ANY
    return Unknown(_REASONS[head], Decider.OUTSIDE, shape)


def text_at(node: Scalar, around: Around) -> Traced:
    """A scalar of the workflow as a text, expressions replaced."""
    return render(as_text(node), around)
