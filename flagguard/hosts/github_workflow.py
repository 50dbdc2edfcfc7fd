"""GitHub Actions: the steps of workflows and composite actions, as scripts and calls.

Follows https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax and metadata-syntax. An
expression is replaced before any shell sees the text. A job with a literal matrix is read once for each row. A `uses:`
is a call whose inputs are its flags.
"""

from collections.abc import Iterable
from itertools import groupby
from typing import TypeVar

from flagguard.command import Call, Dialect, Place, Reading, Script, Variable, Word
from flagguard.hosts import Setting, github_shell, yaml_text
from flagguard.hosts.github import NAME, WORKFLOW
from flagguard.hosts.github_context import Around, inputs_of
from flagguard.hosts.github_expressions import as_text, evaluate, holds, render, whole
from flagguard.hosts.github_matrix import Row, rows
from flagguard.hosts.github_runners import platforms_of
from flagguard.hosts.tree import Items, Kind, Node, Scalar, Table, text_of
from flagguard.paths import inside, resolved
from flagguard.patterns import expression
from flagguard.text import Piece, Problem, SourceText, Span, Traced, join, literal
from flagguard.values import dataclass, field, replace

_T = TypeVar("_T", Script, Call)

_ALWAYS = expression(r"\s*(?:\$\{\{)?\s*(?:always\(\)|success\(\)|!\s*cancelled\(\))\s*(?:\}\})?\s*")


def read(source: SourceText, setting: Setting) -> Reading:
    document = yaml_text.read(source)
    reader = _Reader(source, setting)
    if document.root is not None:
        try:
            (reader.workflow if WORKFLOW.fullmatch(source.path) else reader.action)(document.root)
        except RecursionError:
            reader.problems.append(Problem(source.path, 1, "nested too deeply to be read"))
    problems = sorted({*document.problems, *reader.problems})
    return Reading(tuple(reader.scripts), tuple(reader.calls), tuple(problems))


@dataclass(frozen=True)
class _Defaults:
    """What `defaults.run` says."""

    shell: Node | None = None
    folder: Node | None = None


_NO_DEFAULTS = _Defaults()


@dataclass(frozen=True)
class _Job:
    """What the steps of a job have in common, in one row of its matrix."""

    id: str | None
    key: str
    around: Around
    defaults: _Defaults = _NO_DEFAULTS
    platforms: frozenset[str] | None = None
    runner: str | None = None
    container: bool = False
    row: str = ""
    when: tuple[str, ...] = ()
    ignored: bool = False


@dataclass
class _Found:
    """The scripts and calls of one job, by step, before rows that are alike become one."""

    scripts: list[tuple[int, str, Script]] = field(default_factory=list)
    calls: list[tuple[int, str, Call]] = field(default_factory=list)


class _Reader:
    def __init__(self, source: SourceText, setting: Setting) -> None:
        self.source = source
        self.setting = setting
        self.scripts: list[Script] = []
        self.calls: list[Call] = []
        self.problems: list[Problem] = []

    def problem(self, node: Node, message: str, key: str, fatal: bool = True) -> None:
        line = self.source.position(node.span.start)[0]
        self.problems.append(Problem(self.source.path, line, f"{key}: {message}", key=key, fatal=fatal))

    def table(self, node: Node | None, key: str) -> Table | None:
        """``node``, where it is a table; anything else but nothing is a problem."""
        if node is None or isinstance(node, Table):
            return node
        if not (isinstance(node, Scalar) and node.kind is Kind.NULL):
            self.problem(node, f"has to be a mapping, and is {node.named}", key)
        return None

    # -- files --------------------------------------------------------------------------------------------------------

    def workflow(self, root: Node) -> None:
        top = self.table(root, "the workflow")
        if top is None:
            return
        jobs = self.table(top.get("jobs"), "jobs")
        if jobs is None:
            if top.get("jobs") is None:
                self.problem(top, "there is none, so nothing runs", "jobs")
            return
        around = Around(inputs=inputs_of(top.get("on")))
        around = self.with_env(around, top.get("env"), "env")
        defaults = self.defaults(top, "", _NO_DEFAULTS)
        for entry in jobs.entries:
            job = self.table(entry.value, f"jobs.{entry.name}")
            if job is not None:
                self.job(entry.name, job, around, defaults)

    def action(self, root: Node) -> None:
        runs = root.get("runs") if isinstance(root, Table) else None
        if not isinstance(root, Table) or not isinstance(runs, Table):
            return
        if text_of(runs.get("using")).text != "composite":
            return
        around = Around(inputs=inputs_of(root))
        found = _Found()
        self.steps(runs, _Job(None, "runs", around), found, composite=True)
        self.keep(found, None)

    def defaults(self, table: Table, key: str, outer: _Defaults) -> _Defaults:
        defaults = self.table(table.get("defaults"), f"{key}defaults")
        run = self.table(defaults.get("run"), f"{key}defaults.run") if defaults else None
        if run is None:
            return outer
        return _Defaults(run.get("shell") or outer.shell, run.get("working-directory") or outer.folder)

    def with_env(self, around: Around, node: Node | None, key: str) -> Around:
        """``around`` with an `env:` on top."""
        table = self.table(node, key)
        if table is None:
            return around
        context = around.context()
        added = []
        for entry in table.entries:
            if isinstance(entry.value, Scalar):
                added.append(Variable(entry.name, render(as_text(entry.value), context)))
            else:
                self.problem(entry.value, f"has to be a text, and is {entry.value.named}", f"{key}.{entry.name}")
        return replace(around, variables=(*around.variables, *added))

    # -- jobs ---------------------------------------------------------------------------------------------------------

    def job(self, name: str, table: Table, around: Around, outer: _Defaults) -> None:
        key = f"jobs.{name}"
        strategy = table.get("strategy")
        if not (isinstance(strategy, Scalar) and whole(strategy.text.text) is not None):
            strategy = self.table(strategy, f"{key}.strategy")
        matrix = rows(strategy, around.context())
        found = _Found()
        default = self.defaults(table, f"{key}.", outer)
        for row in matrix:
            self.row(name, table, replace(around, row=row), default, row, found)
        self.keep(found, name)

    def row(self, name: str, table: Table, around: Around, defaults: _Defaults, row: Row, found: _Found) -> None:
        key = f"jobs.{name}"
        around = self.with_env(around, table.get("env"), f"{key}.env")
        job = _Job(name, key, around, defaults, row=row.label)
        condition = self.condition(table.get("if"), around, f"{key}.if")
        if condition is None:
            return
        job = replace(job, when=condition, ignored=self.tolerated(table, around))
        labels, shown = self.labels(table.get("runs-on"), around, f"{key}.runs-on")
        platforms = platforms_of(labels) if labels else None
        container = table.get("container")
        job = replace(
            job,
            platforms=platforms,
            runner=shown,
            container=container is not None and not (isinstance(container, Scalar) and not container.text),
        )
        uses = table.get("uses")
        if uses is not None:
            self.call(table, uses, job, Place(NAME, job=name, runner=shown), 0, found)
        else:
            self.steps(table, job, found)

    def labels(self, node: Node | None, around: Around, key: str) -> tuple[list[str], str | None]:
        """The labels that `runs-on` asks for (none: not known), and how to show them."""
        if isinstance(node, Table):
            node = node.get("labels")
        if isinstance(node, Scalar):
            inner = whole(node.text.text)
            value = evaluate(inner, around.context()) if inner is not None else node
            node = value if isinstance(value, Scalar | Items) else node
        parts = node.items if isinstance(node, Items) else [node] if node is not None else []
        texts = [render(as_text(p), around.context()) for p in parts if isinstance(p, Scalar)]
        if len(texts) < len(parts):
            self.problem(parts[0], "has to be a label or a list of them", key)
        shown = ", ".join(t.shown for t in texts) or None
        return ([t.text for t in texts] if all(t.known for t in texts) else []), shown

    def condition(self, node: Node | None, around: Around, key: str) -> tuple[str, ...] | None:
        """What an `if:` asks for; None: it never holds."""
        if node is None:
            return ()
        if not isinstance(node, Scalar):
            self.problem(node, f"has to be a condition, and is {node.named}", key)
            return ()
        text = node.text.text
        if _ALWAYS.fullmatch(text):
            return ()
        held = holds(text, around.context())
        if held is not None:
            return () if held else None
        return (f"if: {' '.join(text.split())}",)

    def tolerated(self, table: Table, around: Around) -> bool:
        """Whether `continue-on-error` surely is on."""
        node = table.get("continue-on-error")
        if not isinstance(node, Scalar):
            return False
        inner = whole(node.text.text)
        return node.value is True or (inner is not None and holds(inner, around.context()) is True)

    # -- steps --------------------------------------------------------------------------------------------------------

    def steps(self, table: Table, job: _Job, found: _Found, composite: bool = False) -> None:
        key, node = f"{job.key}.steps", table.get("steps")
        if not isinstance(node, Items):
            said = f"has to be a list, and is {node.named}" if node is not None else "there are none"
            self.problem(node or table, said, key, fatal=node is not None)
            return
        written: tuple[str, ...] = ()
        for number, step in enumerate(node.items):
            inside = f"{key}[{number}]"
            if not isinstance(step, Table):
                self.problem(step, f"has to be a mapping, and is {step.named}", inside)
                continue
            own = replace(job, key=inside, around=replace(job.around, written=written))
            for platform, own_platforms in self.platforms(step, own):
                here = replace(own, platforms=own_platforms, around=replace(own.around, platform=platform))
                self.step(step, here, number, found, composite)
            written = (*written, *github_shell.exported(text_of(step.get("run")).text))

    def platforms(self, step: Table, job: _Job) -> list[tuple[str | None, frozenset[str] | None]]:
        """The platforms to read a step for, one by one where it asks for the runner's."""
        if job.platforms is not None and len(job.platforms) == 1:
            return [(next(iter(job.platforms)), job.platforms)]
        if not any("runner." in self.source.text[s.start : s.end] for s in (e.value.span for e in step.entries)):
            return [(None, job.platforms)]
        return [(p, frozenset({p})) for p in sorted(job.platforms or self.setting.platforms)]

    def step(self, step: Table, job: _Job, number: int, found: _Found, composite: bool) -> None:
        around, key = job.around, job.key
        named = render(as_text(n), around.context()).shown if isinstance(n := step.get("name"), Scalar) else ""
        place = Place(
            NAME, job=job.id, step=named or text_of(step.get("id")).text or str(number + 1), runner=job.runner
        )
        around = self.with_env(around.inside(), step.get("env"), f"{key}.env")
        condition = self.condition(step.get("if"), around, f"{key}.if")
        if condition is None:
            return
        job = replace(job, around=around, when=(*job.when, *condition))
        job = replace(job, ignored=job.ignored or self.tolerated(step, around))
        run, uses = step.get("run"), step.get("uses")
        if uses is not None:
            self.call(step, uses, job, place, number, found)
        elif isinstance(run, Scalar):
            self.script(step, run, job, place, number, found, composite)
        elif run is not None:
            self.problem(run, f"has to be a text, and is {run.named}", f"{key}.run")
        else:
            self.problem(step, "a step has a `run` or a `uses`; this has neither", key)

    def script(
        self, step: Table, run: Scalar, job: _Job, place: Place, number: int, found: _Found, composite: bool
    ) -> None:
        node = step.get("shell")
        if node is None and composite:
            self.problem(step, "a `run` of a composite action needs a `shell`", job.key, fatal=False)
        node = node if node is not None else job.defaults.shell
        folder = step.get("working-directory") or job.defaults.folder
        context = job.around.context()
        template = render(as_text(node), context) if isinstance(node, Scalar) and node.text else None
        shell = github_shell.shell_of(template, job.platforms, job.container)
        if shell.dialect is Dialect.UNREAD:
            said = template.shown if template else "its shell"
            self.problem(run, f"{said} is not read, so its commands are not judged", f"{job.key}.run", fatal=False)
        script = Script(
            place,
            shell.dialect,
            render(as_text(run), context),
            env=job.around.visible,
            platforms=job.platforms,
            when=job.when,
            errexit=shell.errexit,
            pipefail=shell.pipefail,
            ignored=job.ignored,
            outside=job.around.outside(),
            directory=_folder(render(as_text(folder), context)) if isinstance(folder, Scalar) else "",
            language=template.shown if template and shell.dialect is Dialect.UNREAD else "",
        )
        found.scripts.append((number, job.row, script))

    def call(self, table: Table, uses: Node, job: _Job, place: Place, number: int, found: _Found) -> None:
        if not isinstance(uses, Scalar) or not uses.text:
            self.problem(uses, f"has to be a text, and is {uses.named}", f"{job.key}.uses")
            return
        context = job.around.context()
        key = table.by_name["uses"].key
        argv = [Word(literal("uses", key).pieces, key), Word(render(as_text(uses), context).pieces, uses.span)]
        given = self.table(table.get("with"), f"{job.key}.with")
        for entry in given.entries if given else ():
            if not isinstance(entry.value, Scalar):
                said = f"has to be a text, and is {entry.value.named}"
                self.problem(entry.value, said, f"{job.key}.with.{entry.name}")
                continue
            value = render(as_text(entry.value), context)
            written = Span(entry.key.path, entry.key.start, max(entry.key.end, entry.value.span.end))
            argv.append(Word(_flag(entry.name, entry.key, value).pieces, written))
        call = Call(tuple(argv), place, uses.span, job.around.visible, job.platforms, job.when)
        found.calls.append((number, job.row, call))

    # -- rows that are alike ------------------------------------------------------------------------------------------

    def keep(self, found: _Found, job: str | None) -> None:
        """A step that is the same in every row is there once; else the job's name says the row."""
        for _, group in groupby(sorted(found.scripts, key=lambda f: f[0]), key=lambda f: f[0]):
            distinct = _distinct((row, replace(s, platforms=None), s.platforms) for _, row, s in group)
            for row, script, platforms in distinct:
                place = replace(script.place, job=_named(job, row, len(distinct)))
                self.scripts.append(replace(script, platforms=platforms, place=place))
        for _, calls in groupby(sorted(found.calls, key=lambda f: f[0]), key=lambda f: f[0]):
            kept = _distinct((row, replace(c, platforms=None), c.platforms) for _, row, c in calls)
            for row, call, platforms in kept:
                place = replace(call.place, job=_named(job, row, len(kept)))
                self.calls.append(replace(call, platforms=platforms, place=place))


_WORKSPACE = expression(r"\$\{\{\s*github\.workspace\s*\}\}/?")


def _folder(written: Traced) -> str | None:
    """A `working-directory`, from the root of the repository."""
    found = _WORKSPACE.match(written.shown)
    if found is None:
        return resolved(written, "")
    return inside("", written.shown[found.end() :] or ".")


def _named(job: str | None, row: str, rows_: int) -> str | None:
    return f"{job} ({row})" if job is not None and row and rows_ > 1 else job


def _distinct(found: Iterable[tuple[str, _T, frozenset[str] | None]]) -> list[tuple[str, _T, frozenset[str] | None]]:
    """Those that differ in more than their platforms, each with the platforms of all that are like it."""
    rows_ = list(found)
    if len(rows_) == 1:
        return rows_
    out: dict[_T, tuple[str, frozenset[str] | None]] = {}
    for row, one, platforms in rows_:
        if one in out:
            first, others = out[one]
            out[one] = first, None if platforms is None or others is None else platforms | others
        else:
            out[one] = row, platforms
    return [(row, one, platforms) for one, (row, platforms) in out.items()]


def _flag(name: str, key: Span, value: Traced) -> Traced:
    """``--NAME=VALUE`` for one input."""
    return join((Traced((Piece("--"),)), literal(name, key), Traced((Piece("="),)), value))
