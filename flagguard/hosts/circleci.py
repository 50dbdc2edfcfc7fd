"""CircleCI: the jobs that the workflows of a configuration start, as scripts.

Follows https://circleci.com/docs/configuration-reference/. A job runs where a workflow names it, once for each row of
its matrix; one that no workflow names does not run. A configuration without workflows runs its job `build`; one that
has no such job either is a part of another, and each of its jobs is read.
"""

from collections.abc import Iterator, Mapping, Sequence

from flagguard.command import Reading, Script
from flagguard.hosts import Setting
from flagguard.hosts.circleci_executors import Executor, executor_of
from flagguard.hosts.circleci_steps import Library, Steps, arguments, library
from flagguard.hosts.circleci_values import Scope, declared, judge
from flagguard.hosts.pipelines import Frame, Notes, guarded, reached, text, texts
from flagguard.hosts.tree import Items, Node, Scalar, Table, same
from flagguard.text import SourceText, Span, literal
from flagguard.values import dataclass, field, replace

NAME = "circleci"

_SETS = (
    "BASH_ENV CI CIRCLECI HOME PATH "
    + " ".join(
        f"CIRCLE_{name}"
        for name in (
            "BRANCH BUILD_NUM BUILD_URL INTERNAL_TASK_DATA JOB NODE_INDEX NODE_TOTAL OIDC_TOKEN OIDC_TOKEN_V2 "
            "ORGANIZATION_ID PIPELINE_ID PREVIOUS_BUILD_NUM PROJECT_ID PROJECT_REPONAME PROJECT_USERNAME PR_NUMBER "
            "PR_REPONAME PR_USERNAME PULL_REQUEST PULL_REQUESTS REPOSITORY_URL SHA1 TAG USERNAME WORKFLOW_ID "
            "WORKFLOW_JOB_ID WORKFLOW_WORKSPACE_ID WORKING_DIRECTORY"
        ).split()
    )
).split()
"""https://circleci.com/docs/variables/ ("Built-in environment variables")."""
_OF_WORKFLOWS = frozenset(
    "requires context filters matrix name type pre-steps post-steps serial-group override-with".split()
)
"""Keys of a job in a workflow that are no parameters of the job."""
_MOST_ROWS = 256


def read(source: SourceText, setting: Setting) -> Reading:
    notes = Notes(setting)

    def scripts() -> Iterator[Script]:
        roots = notes.documents(source)
        table = notes.table(roots[0], "the configuration") if roots else None
        if table is not None:
            yield from _Configuration(table, notes, setting).scripts()

    found = guarded(notes, source.path, scripts)
    return Reading(found, problems=notes.all())


@dataclass(frozen=True)
class _Start:
    """A job where a workflow starts it, in one row of its matrix."""

    name: str
    """As the workflow calls it,"""
    shown: str
    """with the row of its matrix behind it,"""
    job: str
    """and as the configuration does."""
    at: Span
    options: Table | None
    row: Mapping[str, Node] = field(default_factory=dict)
    needs: tuple[str, ...] = ()


class _Configuration:
    def __init__(self, table: Table, notes: Notes, setting: Setting) -> None:
        self.table = table
        self.notes = notes
        self.setting = setting
        self.library = library(table)
        self.pipeline = Scope(pipeline=declared(table.get("parameters"), overridable=True))

    def scripts(self) -> Iterator[Script]:
        workflows = self.table.get("workflows")
        jobs = self.notes.table(self.table.get("jobs"), "jobs")
        if workflows is None:
            known = jobs.by_name if jobs is not None else {}
            for name in ("build",) if "build" in known else known:
                yield from self._job(_Start(name, name, name, known[name].key, None), Frame(NAME), {})
            return
        table = self.notes.table(workflows, "workflows")
        for entry in table.entries if table is not None else ():
            if isinstance(entry.value, Table):
                yield from self._workflow(entry.name, entry.value)

    # -- workflows

    def _workflow(self, name: str, workflow: Table) -> Iterator[Script]:
        frame = Frame(NAME)
        for key in ("when", "unless"):
            condition = workflow.get(key)
            if condition is None:
                continue
            verdict = judge(condition, self.pipeline)
            held = verdict.held if key == "when" or verdict.held is None else not verdict.held
            if held is False and not verdict.asked:
                return
            if not held:
                source = self.notes.source(condition.span.path)
                raw = source.text[condition.span.start : condition.span.end] if source is not None else "…"
                said = f"workflow {name} {key}: {' '.join(raw.split())}"[:200]
                frame = replace(frame.assuming(said), opt_in=frame.opt_in or held is False)
        starts = [start for node in self.notes.items(workflow.get("jobs"), f"workflows.{name}.jobs")
                  for start in self._starts(node, name)]  # fmt: skip
        called: dict[str, list[str]] = {}
        for start in starts:
            matrix = start.options.get("matrix") if start.options is not None else None
            alias = text(matrix.get("alias")).text if isinstance(matrix, Table) else ""
            for known in (start.name, start.job if not start.name else "", alias, start.job):
                if known and start.name not in called.setdefault(known, []):
                    called[known].append(start.name)
        needs = {s.name: tuple(o for n in s.needs for o in called.get(n, ())) for s in starts}
        for start in starts:
            yield from self._job(start, frame, needs)

    def _starts(self, node: Node, workflow: str) -> Iterator[_Start]:
        if isinstance(node, Scalar):
            yield _Start(node.text.text, node.text.text, node.text.text, node.span, None)
            return
        table = self.notes.table(node, f"workflows.{workflow}.jobs")
        for entry in table.entries if table is not None else ():
            options = entry.value if isinstance(entry.value, Table) else None
            if options is not None and text(options.get("type")).text == "approval":
                continue
            for row in self._rows(options, workflow):
                scope = replace(self.pipeline, matrix=row)
                given = options.get("name") if options is not None else None
                shown = scope.text(text(given)).shown
                own = "-".join(text(v).shown for v in row.values() if isinstance(v, Scalar))
                name = shown or (f"{entry.name}-{own}" if own else entry.name)
                requires = texts(options.get("requires")) if options is not None else []
                listed = options.get("requires") if options is not None else None
                if isinstance(listed, Items):
                    requires += [literal(i.entries[0].name) for i in listed.items if isinstance(i, Table) and i.entries]
                needs = tuple(scope.text(r).shown for r in requires)
                label = shown if shown and shown != text(given).shown else own
                told = f"{entry.name} ({label})" if label else name
                yield _Start(name, told, entry.name, entry.key, options, row, needs)

    def _rows(self, options: Table | None, workflow: str) -> Sequence[Mapping[str, Node]]:
        matrix = options.get("matrix") if options is not None else None
        axes = matrix.get("parameters") if isinstance(matrix, Table) else None
        if not isinstance(axes, Table):
            return ({},)
        rows: list[dict[str, Node]] = [{}]
        for entry in axes.entries:
            value = self.pipeline.into(entry.value)
            values = value.items if isinstance(value, Items) else (value,)
            rows = [{**row, entry.name: one} for row in rows for one in values]
            if len(rows) > _MOST_ROWS:
                told = f"more than {_MOST_ROWS} rows; they are not judged"
                self.notes.tell(axes.span, told, f"workflows.{workflow}.matrix", fatal=True)
                return ()
        excluded = matrix.get("exclude") if isinstance(matrix, Table) else None
        for one in excluded.items if isinstance(excluded, Items) else ():
            if isinstance(one, Table):
                rows = [r for r in rows if not all(e.name in r and same(r[e.name], e.value) for e in one.entries)]
        return rows

    # -- jobs

    def _job(self, start: _Start, frame: Frame, needs: Mapping[str, Sequence[str]]) -> Iterator[Script]:
        found = self.library.find("jobs", start.job)
        if not isinstance(found, tuple):
            told = (
                f"what the orb {found} runs is not in the repository, so it is not judged"
                if found
                else "there is no job of this name, so what it runs is not known"
            )
            self.notes.tell(start.at, told, start.job, fatal=False)
            return
        table, home = found
        given = start.options
        outer = replace(self.pipeline, matrix=start.row)
        entries = tuple(e for e in given.entries if e.name not in _OF_WORKFLOWS) if given is not None else ()
        scope = arguments(table, Table(table.span, entries), outer)
        scope = replace(scope, parameters={**scope.parameters, **start.row})
        job = Table(table.span, tuple(e if e.name == "steps" else replace(e, value=scope.into(e.value))
                                      for e in table.entries))  # fmt: skip
        executor = self._executor(job, scope, home, start.job)
        root = executor.folder.text if executor.folder is not None and executor.folder.known else ""
        here = replace(
            frame,
            job=start.shown,
            runner=executor.runner,
            platforms=executor.platforms,
            values=dict(executor.values),
            outside=tuple(n for n in _SETS if n not in executor.values),
            shell=executor.shell,
            needs=reached(start.name, needs),
        )
        steps = Steps(self.notes, self.setting, root, f"jobs.{start.job}")
        first = 0
        before, after = (given.get("pre-steps"), given.get("post-steps")) if given is not None else (None, None)
        for node, seen, own in (
            (before, outer, self.library),
            (job.get("steps"), scope, home),
            (after, outer, self.library),
        ):
            yield from steps.run(node, here, seen, own, first=first)
            first += len(node.items) if isinstance(node, Items) else 0
        if job.get("steps") is None and text(job.get("type")).text not in (
            "approval",
            "release",
            "no-op",
            "lock",
            "unlock",
        ):
            self.notes.tell(table.span, "a job has `steps`; this has none", f"jobs.{start.job}", fatal=True)

    def _executor(self, job: Table, scope: Scope, home: Library, key: str) -> Executor:
        """The job's executor, with what the job itself says on top."""
        node = job.get("executor")
        if node is None:
            return executor_of(job, self.notes, self.setting, f"jobs.{key}")
        named = text(node.get("name") if isinstance(node, Table) else node)
        found = home.find("executors", named.text)
        own = Table(job.span, tuple(e for e in job.entries if e.name not in ("parameters", "steps")))
        if not isinstance(found, tuple):
            windows = isinstance(found, str) and found.startswith("circleci/windows@")
            if not windows:
                told = f"which machine {named.shown} is, is not known here"
                self.notes.tell(node.span, told, f"jobs.{key}.executor", fatal=False)
            return executor_of(own, self.notes, self.setting, f"jobs.{key}", windows)
        table, _ = found
        entries = node.entries if isinstance(node, Table) else ()
        given = Table(job.span, tuple(e for e in entries if e.name != "name"))
        below = arguments(table, given, scope).into(table)
        assert isinstance(below, Table)
        first = executor_of(below, self.notes, self.setting, f"executors.{named.text}")
        kept = [e for e in below.entries if e.name not in own.by_name and e.name != "environment"]
        whole = executor_of(Table(job.span, (*kept, *own.entries)), self.notes, self.setting, f"jobs.{key}")
        return replace(whole, values={**first.values, **whole.values})
