"""GitLab CI/CD: the jobs of a configuration as scripts.

Follows https://docs.gitlab.com/ci/yaml/. `before_script` and `script` are one shell, `after_script` is another, whose
failure nobody notices. A job is read once for each row of its matrix, and for each set of variables that its rules may
give. A pipeline of the repository that a job triggers is followed with the variables that the job hands on.
"""

from collections.abc import Iterator, Mapping, Sequence

from flagguard.command import Reading, Script
from flagguard.hosts import Setting
from flagguard.hosts.gitlab_config import Configuration
from flagguard.hosts.gitlab_dotenv import handed_on
from flagguard.hosts.gitlab_rules import PREDEFINED, Outcome, Variables, outcomes, scalar_text
from flagguard.hosts.gitlab_runners import platforms_of, shell_for
from flagguard.hosts.pipelines import (
    Frame,
    Notes,
    Values,
    guarded,
    is_false,
    is_true,
    lines,
    ordered,
    reached,
    rows_of,
    text,
    texts,
    unread,
    values_of,
)
from flagguard.hosts.tree import Entry, Items, Node, Table
from flagguard.text import EMPTY, SourceText, Span, Traced
from flagguard.values import dataclass, field, replace

NAME = "gitlab"

_GLOBAL = frozenset(
    "default include stages types variables workflow image services before_script after_script cache spec".split()
)
"""Keywords of the file, which no job can be called."""
_DEFAULTS = ("image", "before_script", "after_script", "tags", "hooks", "id_tokens", "artifacts")
_MOST_ROWS = 200
"""GitLab's own limit for one matrix."""
_DEEPEST = 3
"""Pipelines that start each other; GitLab's limit is two levels of children."""


def read(source: SourceText, setting: Setting) -> Reading:
    notes = Notes(setting)
    configuration = Configuration(notes)

    def scripts() -> Iterator[Script]:
        table = configuration.load(source)
        if table is not None:
            yield from _Pipeline(table, configuration, notes, setting).scripts()

    found = guarded(notes, source.path, scripts)
    return Reading(found, problems=notes.all())


@dataclass(frozen=True)
class _Parent:
    """The job that starts a pipeline."""

    name: str = ""
    values: Values = field(default_factory=dict)
    via: tuple[Span, ...] = ()
    when: tuple[str, ...] = ()
    opt_in: bool = False
    depth: int = 0


@dataclass(frozen=True)
class _Row:
    """A job in one row of its matrix and in one outcome of its rules."""

    name: str
    table: Table
    outcome: Outcome
    values: Values
    label: str = ""


class _Pipeline:
    def __init__(
        self, table: Table, configuration: Configuration, notes: Notes, setting: Setting, parent: _Parent | None = None
    ) -> None:
        self.root = configuration.referenced(table)
        self.configuration = configuration
        self.notes = notes
        self.setting = setting
        self.parent = parent or _Parent()
        self.raw: frozenset[str] = frozenset()
        self.handed: dict[str, Values] = {}
        """What the jobs hand on as `artifacts:reports:dotenv`."""

    def scripts(self) -> Iterator[Script]:
        jobs = {
            entry.name: self.configuration.extended(self.root, entry.name, entry.value)
            for entry in self.root.entries
            if isinstance(entry.value, Table) and entry.name not in _GLOBAL and entry.name[:1] != "."
        }
        for entry in self.root.entries:
            if not isinstance(entry.value, Table | Items) and entry.name not in _GLOBAL and entry.name[:1] != ".":
                self.notes.wrong(entry.value, "a job", entry.name)
        workflow = self.notes.table(self.root.get("workflow"), "workflow")
        ways = outcomes(workflow.get("rules") if workflow else None, self._variables({}), self.notes, "workflow.rules")
        if not any(one.variables for one in ways):
            # which pipelines there are at all is no assumption of a job's
            ways = [Outcome(opt_in=all(one.opt_in for one in ways))] if ways else []
        needs = self._needs(jobs)
        for way in ways:
            self.handed = {}
            for name in ordered(needs):
                yield from self._job(name, jobs[name], way, needs)

    # -- which jobs come before

    def _needs(self, jobs: Mapping[str, Table]) -> dict[str, tuple[str, ...]]:
        stages = [s.text for s in texts(self.root.get("stages"))] or ["build", "test", "deploy"]
        rank = {stage: i for i, stage in enumerate((".pre", *stages, ".post"))}
        place = {name: rank.get(text(job.get("stage")).text or "test", 0) for name, job in jobs.items()}
        found: dict[str, tuple[str, ...]] = {}
        for name, job in jobs.items():
            given = job.get("needs")
            if given is None:
                found[name] = tuple(other for other in jobs if place[other] < place[name])
                continue
            named = (
                [i.get("job") if isinstance(i, Table) else i for i in given.items] if isinstance(given, Items) else []
            )
            found[name] = tuple(dict.fromkeys(t for n in named if (t := text(n).text) in jobs))
        return found

    # -- one job

    def _job(self, name: str, job: Table, way: Outcome, needs: Mapping[str, Sequence[str]]) -> Iterator[Script]:
        job = self._with_defaults(job)
        own = self._own(job.get("variables"), f"{name}.variables")
        inherited = self._inherited(job, way)
        before = {k: v for other in reached(name, needs) for k, v in self.handed.get(other, {}).items()}
        base = {**inherited, **own}
        ways = outcomes(job.get("rules"), self._variables(base), self.notes, f"{name}.rules")
        for outcome in ways:
            ruled = self._own(outcome.variables, f"{name}.rules.variables")
            for label, row in self._rows(name, job):
                values = {**base, **ruled, **row, **before, **self.parent.values}
                yield from self._row(_Row(name, job, outcome, values, label), way, needs)

    def _with_defaults(self, job: Table) -> Table:
        default = self.root.get("default")
        inherit = job.get("inherit")
        allowed = inherit.get("default") if isinstance(inherit, Table) else None
        added: list[Entry] = []
        for key in _DEFAULTS:
            entry = default.by_name.get(key) if isinstance(default, Table) else None
            entry = entry or (self.root.by_name.get(key) if key in _GLOBAL else None)
            if entry is not None and key not in job.by_name and _allows(allowed, key):
                added.append(entry)
        return Table(job.span, (*job.entries, *added)) if added else job

    def _own(self, node: Node | None, key: str) -> dict[str, Traced]:
        table = self.notes.table(node, key)
        found: dict[str, Traced] = {}
        for entry in table.entries if table is not None else ():
            if isinstance(entry.value, Items):
                self.notes.wrong(entry.value, "a text", f"{key}.{entry.name}")
                continue
            found[entry.name] = scalar_text(entry.value)
            if isinstance(entry.value, Table) and is_false(entry.value.get("expand")):
                self.raw |= {entry.name}
        return found

    def _inherited(self, job: Table, way: Outcome) -> dict[str, Traced]:
        everywhere = self._own(self.root.get("variables"), "variables")
        everywhere.update(self._own(way.variables, "workflow.rules.variables"))
        inherit = job.get("inherit")
        allowed = inherit.get("variables") if isinstance(inherit, Table) else None
        return {name: value for name, value in everywhere.items() if _allows(allowed, name)}

    def _variables(self, values: Values) -> Variables:
        everywhere = self._own(self.root.get("variables"), "variables")
        merged = {**everywhere, **values, **self.parent.values}
        return Variables(merged, self.setting.assume, self.raw, self.configuration.open)

    def _rows(self, name: str, job: Table) -> Iterator[tuple[str, Values]]:
        parallel = job.get("parallel")
        matrix = parallel.get("matrix") if isinstance(parallel, Table) else None
        if matrix is None:
            yield "", {}
            return
        count = 0
        for table in self.notes.items(matrix, f"{name}.parallel.matrix"):
            own = self.notes.table(table, f"{name}.parallel.matrix")
            pairs = [(e.name, values_of(e.value)) for e in own.entries] if own is not None else []
            rows = rows_of(pairs, _MOST_ROWS - count)
            if rows is None:
                told = f"more than {_MOST_ROWS} rows, which GitLab refuses"
                self.notes.tell(table.span, told, f"{name}.parallel.matrix", fatal=True)
                return
            for row in rows:
                count += 1
                yield f"[{', '.join(value.shown for value in row.values())}]", row

    def _row(self, row: _Row, way: Outcome, needs: Mapping[str, Sequence[str]]) -> Iterator[Script]:
        job = row.table
        variables = replace(self._variables({}), values=row.values, raw=self.raw)
        tags = [variables.expanded(tag) for tag in texts(job.get("tags"))]
        image = job.get("image")
        image_name = variables.expanded(text(image.get("name") if isinstance(image, Table) else image))
        wanted = image.get("docker") if isinstance(image, Table) else None
        built_for = variables.expanded(text(wanted.get("platform"))) if isinstance(wanted, Table) else EMPTY
        platforms = platforms_of([t.text for t in tags], image_name.text, built_for.text, self.setting)
        allowed = row.outcome.ignored if row.outcome.ignored is not None else is_true(job.get("allow_failure"))
        name = f"{row.name}: {row.label}" if row.label else row.name
        frame = Frame(
            NAME,
            job=f"{self.parent.name} / {name}" if self.parent.name else name,
            runner=", ".join(t.shown for t in tags) or None,
            platforms=platforms,
            values=variables.all(),
            outside=tuple(n for n in (*PREDEFINED, *_keys(job)) if n not in row.values),
            shell=shell_for(platforms, image_name.text),
            ignored=allowed,
            opt_in=way.opt_in or row.outcome.opt_in or self.parent.opt_in,
            via=self.parent.via,
            needs=reached(row.name, needs),
        ).assuming(*self.parent.when, *way.when, *row.outcome.when, *_only(job))  # fmt: skip
        if job.get("trigger") is not None:
            yield from self._triggered(job, frame)
            return
        yield from self._scripts(row.name, job, frame)

    def _scripts(self, name: str, job: Table, frame: Frame) -> Iterator[Script]:
        hooks = job.get("hooks")
        first = texts(hooks.get("pre_get_sources_script")) if isinstance(hooks, Table) else []
        if first:
            yield self._one("pre_get_sources_script", first, replace(frame, order=(0,)), name)
        body = [*texts(job.get("before_script")), *texts(job.get("script"))]
        if texts(job.get("script")):
            script = self._one("script", body, replace(frame, order=(1,)), name)
            if job.get("artifacts") is not None:
                self.handed[name] = {**self.handed.get(name, {}), **handed_on(job, script, self.setting)}
            yield script
        for number, step in enumerate(self.notes.items(job.get("run"), f"{name}.run")):
            if isinstance(step, Table) and text(step.get("script")):
                said = text(step.get("name")).shown or str(number + 1)
                yield self._one(said, texts(step.get("script")), replace(frame, order=(1, number)), name)
            elif isinstance(step, Table):
                told = (
                    f"{text(step.get('step')).shown or 'a step'} is not in the repository; what it runs is not judged"
                )
                self.notes.tell(step.span, told, f"{name}.run")
        if job.get("script") is None and job.get("run") is None:
            told = "a job has a `script`, a `run` or a `trigger`; this has none"
            open_ = self.configuration.open or job.get("extends") is not None
            self.notes.tell(job.span, told, name, fatal=not open_)
        last = texts(job.get("after_script"))
        if last:
            yield self._one("after_script", last, replace(frame, order=(2,), ignored=True), name)

    def _one(self, step: str, body: Sequence[Traced], frame: Frame, name: str) -> Script:
        return unread(self.notes, frame.script(step, lines(body)), f"{name}.{step}")

    # -- pipelines that a job starts

    def _triggered(self, job: Table, frame: Frame) -> Iterator[Script]:
        trigger = job.get("trigger")
        include = trigger.get("include") if isinstance(trigger, Table) else None
        if include is None or self.parent.depth >= _DEEPEST:
            return  # a pipeline of another project
        forward = trigger.get("forward") if isinstance(trigger, Table) else None
        kept = not (isinstance(forward, Table) and is_false(forward.get("yaml_variables")))
        inner = Configuration(self.notes)
        table = inner.load_all(include)
        parent = _Parent(
            frame.job or "",
            frame.values if kept else {},
            (*frame.via, include.span),
            frame.when,
            frame.opt_in,
            self.parent.depth + 1,
        )
        yield from _Pipeline(table, inner, self.notes, self.setting, parent).scripts()


def _allows(node: Node | None, name: str) -> bool:
    """Whether `inherit` lets a keyword or a variable in."""
    if isinstance(node, Items):
        return name in [t.text for t in texts(node)]
    return not is_false(node)


def _keys(job: Table) -> tuple[str, ...]:
    """The secrets of a job, by the names of their variables."""
    nodes = (job.get("secrets"), job.get("id_tokens"))
    return tuple(e.name for node in nodes if isinstance(node, Table) for e in node.entries)


def _only(job: Table) -> tuple[str, ...]:
    """What `only` and `except` ask for."""
    found = []
    for key in ("only", "except"):
        node = job.get(key)
        if node is None:
            continue
        parts = node if not isinstance(node, Table) else (node.get("refs") or node.get("variables"))
        said = ", ".join(" ".join(t.shown.split()) for t in texts(parts)) or "…"
        found.append(f"{key}: {said}"[:200])
    return tuple(found)
