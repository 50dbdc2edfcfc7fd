"""Azure Pipelines: stages and jobs of a pipeline, and template files by themselves.

Follows https://learn.microsoft.com/azure/devops/pipelines/yaml-schema: a pipeline has stages, or jobs, or steps, or
extends a template. A job is read once for each row of its matrix. A template file that a pipeline uses is judged where
it is used; by itself it has holes in the place of the parameters that its users give.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from flagguard.command import Call, Reading, Script
from flagguard.hosts import Setting
from flagguard.hosts.azure_expressions import text_of_value
from flagguard.hosts.azure_steps import Job, Steps, condition, inner_scope, outside_names
from flagguard.hosts.azure_templates import DEEPEST, Scope, Templates, contradicts, parameters_of, split
from flagguard.hosts.github_values import Unknown
from flagguard.hosts.pipelines import Frame, Notes, TooLarge, guarded, open_hole, own_runner, reached, speaking, text
from flagguard.hosts.tree import Items, Node, Scalar, Table
from flagguard.patterns import expression
from flagguard.text import EMPTY, SourceText, Traced
from flagguard.values import dataclass, replace

NAME = "azure"

_IMAGES: tuple[tuple[str, str], ...] = (
    # https://learn.microsoft.com/azure/devops/pipelines/agents/hosted, as of 2026-11
    (r"ubuntu-(?:latest|\d\d\.\d\d|1604|1804)(?:-vs)?", "linux-x86_64"),
    (r"windows-(?:latest|\d{4})|vs\d{4}-win\d{4}|vs2017-win2016|win\d{4}-vs\d{4}|windows-latest-\w+", "windows-x86_64"),
    (r"macos-(?:latest|\d+)-arm64", "macos-arm64"),
    (r"macos-(?:latest|\d+(?:\.\d+)?)", "macos-x86_64"),
)
_PATTERNS = tuple((re.compile(pattern, re.IGNORECASE), platform) for pattern, platform in _IMAGES)
_STARTS = ("trigger", "pr", "pool", "schedules", "resources", "extends")
"""Keys that only a pipeline has, and no template."""
_OVERRIDE = expression(r"(?i)ImageOverride\s+-equals\s+")
_MOST_WORLDS = 8
_MOST_ROWS = 256
_PHASES = ("preDeploy", "deploy", "routeTraffic", "postRouteTraffic")


def read(source: SourceText, setting: Setting) -> Reading:
    notes = Notes(setting)
    reader = _Reader(notes, setting)

    def things() -> Iterator[Script]:
        roots = notes.documents(source)
        if roots and isinstance(roots[0], Table):
            for thing in reader.file(roots[0]):
                if isinstance(thing, Script):
                    yield thing
                else:
                    reader.calls.append(thing)
        elif roots:
            notes.table(roots[0], "the pipeline")

    found = guarded(notes, source.path, things)
    return Reading(found, tuple(reader.calls), notes.all())


@dataclass(frozen=True)
class _Around:
    """What a stage or a pipeline says for its jobs."""

    scope: Scope
    frame: Frame
    pool: Traced = EMPTY
    needs: tuple[str, ...] = ()
    """The jobs of the stages before."""
    depth: int = 0


class _Reader:
    def __init__(self, notes: Notes, setting: Setting) -> None:
        self.notes = notes
        self.setting = setting
        self.templates = Templates(notes)
        self.calls: list[Call] = []

    def file(self, root: Table) -> Iterator[Script | Call]:
        name = root.span.path.rpartition("/")[2].lower().replace("_", "-")
        started = "azure-pipelines" in name or any(root.get(key) is not None for key in _STARTS)
        scope = Scope(assume=self.setting.assume, alone=not started)
        scope = replace(scope, parameters=parameters_of(root, None, scope, top=True))
        yield from self._pipeline(root, _Around(scope, Frame(NAME)))

    def _pipeline(self, root: Table, around: _Around) -> Iterator[Script | Call]:
        """Whatever a file holds: stages, jobs, steps, or what it extends."""
        top = Table(root.span, tuple(e for e, _, _ in around.scope.entries(root)))
        for one in self._deeper(top, around):
            yield from self._parts(top, one)

    def _parts(self, top: Table, around: _Around) -> Iterator[Script | Call]:
        if top.get("extends") is not None:
            extends = self.notes.table(top.get("extends"), "extends")
            if extends is not None:
                yield from self._template(extends, around)
        for key, follow in (("stages", self._stages), ("jobs", self._jobs)):
            node = top.get(key)
            if node is not None:
                yield from follow(node, around)
        if top.get("steps") is not None and top.get("jobs") is None:
            job = replace(around.frame, job=None)
            yield from self._one_job(top, replace(around, frame=job), "", ())

    def _deeper(self, table: Table, around: _Around) -> Iterator[_Around]:
        """Inside of a pipeline, a stage or a job: its variables and its pool; once for each way its conditions go."""
        worlds = [(around.scope, around.frame)]
        if table.get("variables") is not None:
            worlds = self.variables(table.get("variables"), around.scope, around.frame)
        pool = table.get("pool")
        for scope, frame in worlds:
            yield replace(around, scope=scope, frame=frame, pool=around.pool if pool is None else _pool(pool, scope))

    def _template(self, user: Table, around: _Around) -> Iterator[Script | Call]:
        at = user.get("template")
        root = self.templates.find(around.scope.rendered(at), at) if at is not None else None
        if root is None or at is None:
            return
        if around.depth >= DEEPEST:
            raise TooLarge("templates use each other too deeply")
        scope = inner_scope(root, user, around.scope)
        frame = replace(around.frame, via=(*around.frame.via, at.span))
        yield from self._pipeline(root, replace(around, scope=scope, frame=frame, depth=around.depth + 1))

    # -- variables

    def variables(self, node: Node | None, scope: Scope, frame: Frame, depth: int = 0) -> list[tuple[Scope, Frame]]:
        """With the variables of a `variables:`, in each world that its conditions make."""
        if isinstance(node, Table):
            for entry, own, sure in scope.entries(node):
                value = _value(own, entry.value)
                scope = _with(
                    scope, entry.name, value if sure else open_hole(f"$({entry.name})", "a condition decides it")
                )
            return [(scope, frame)]
        worlds = [(scope, frame)]
        for item, own, when, asked in scope.items(node) if isinstance(node, Items) else ():
            if not isinstance(item, Table) or asked:
                continue
            before, worlds = worlds, []
            for known, assumed in before:
                ways = split(assumed, when) if len(before) <= _MOST_WORLDS else [(assumed, True)]
                for there, holds in ways:
                    if not holds:
                        worlds.append((known, there))
                        continue
                    sure = not when or len(before) <= _MOST_WORLDS
                    worlds += self._variable(item, own, known, there, sure, depth)
        return worlds

    def _variable(
        self, item: Table, own: Scope, scope: Scope, frame: Frame, sure: bool, depth: int
    ) -> list[tuple[Scope, Frame]]:
        """With one item of a list of variables."""
        name = own.rendered(item.get("name")).text
        if item.get("group") is not None:
            return [(replace(scope, open=True), frame)]
        if item.get("template") is not None:
            return self._shared(item, own, scope, frame, depth)
        if not name:
            return [(scope, frame)]
        value = _value(own, item.get("value")) if sure else open_hole(f"$({name})", "a condition decides it", name)
        return [(_with(scope, name, value), frame)]

    def _shared(self, item: Table, own: Scope, scope: Scope, frame: Frame, depth: int) -> list[tuple[Scope, Frame]]:
        """A file of variables."""
        at = item.get("template")
        root = self.templates.find(own.rendered(at), at) if at is not None and depth < DEEPEST else None
        if root is None:
            return [(replace(scope, open=True), frame)]
        inner = inner_scope(root, item, own)
        return [
            (replace(scope, variables={**scope.variables, **found.variables}, open=scope.open or found.open), there)
            for found, there in self.variables(root.get("variables"), inner, frame, depth + 1)
        ]

    # -- stages

    def _stages(self, node: Node, around: _Around) -> Iterator[Script | Call]:
        done: dict[str, tuple[str, ...]] = {}
        needs: dict[str, tuple[str, ...]] = {}
        last: str | None = None
        for item, scope, when, asked in around.scope.items(node):
            if contradicts(around.frame, when):
                continue
            frame = replace(around.frame.assuming(*when), opt_in=around.frame.opt_in or asked)
            here = replace(around, scope=scope, frame=frame)
            if not isinstance(item, Table):
                self._strange(item, "a stage")
                continue
            stage = Table(item.span, tuple(e for e, _, _ in scope.entries(item)))
            if stage.get("template") is not None:
                yield from self._template(stage, here)
                continue
            name = scope.rendered(stage.get("stage")).shown or f"stage {len(done) + 1}"
            depends = stage.get("dependsOn")
            needs[name] = (
                tuple(t.shown for t in _texts(depends, scope)) if depends is not None else (last,) if last else ()
            )
            before = tuple(job for other in reached(name, needs) for job in done.get(other, ()))
            for one in self._deeper(stage, here):
                verdict = condition(stage.get("condition"), one.scope)
                jobs = stage.get("jobs")
                if verdict is not None and jobs is not None:
                    done[name] = _named(jobs, one.scope)
                    yield from self._jobs(jobs, replace(one, frame=verdict.on(one.frame), needs=before))
            last = name

    def _strange(self, item: Node, wanted: str) -> None:
        if isinstance(item, Scalar) and (item.text.holes or "${{" in item.text.text):
            self.notes.tell(item.span, f"{item.text.shown}: what this is, is not known here; it is not judged")
        elif not (isinstance(item, Scalar) and not item.text):
            self.notes.wrong(item, wanted, wanted.rsplit(maxsplit=1)[-1] + "s")

    # -- jobs

    def _jobs(self, node: Node, around: _Around) -> Iterator[Script | Call]:
        found: list[tuple[Table, _Around, str]] = []
        needs: dict[str, tuple[str, ...]] = {}
        for item, scope, when, asked in around.scope.items(node):
            if contradicts(around.frame, when):
                continue
            frame = replace(around.frame.assuming(*when), opt_in=around.frame.opt_in or asked)
            here = replace(around, scope=scope, frame=frame)
            if not isinstance(item, Table):
                self._strange(item, "a job")
                continue
            job = Table(item.span, tuple(e for e, _, _ in scope.entries(item)))
            if job.get("template") is not None:
                yield from self._template(job, here)
                continue
            name = scope.rendered(job.get("job") or job.get("deployment")).shown or f"Job{len(found) + 1}"
            needs[name] = tuple(t.shown for t in _texts(job.get("dependsOn"), scope))
            found.append((job, here, name))
        for job, here, name in found:
            yield from self._job(job, here, name, reached(name, needs))

    def _job(self, job: Table, around: _Around, name: str, needs: Sequence[str]) -> Iterator[Script | Call]:
        for one in self._deeper(job, around):
            yield from self._one_job(job, one, name, needs)

    def _one_job(self, job: Table, around: _Around, name: str, needs: Sequence[str]) -> Iterator[Script | Call]:
        verdict = condition(job.get("condition"), around.scope)
        if verdict is None:
            return
        around = replace(around, frame=verdict.on(around.frame))
        going = job.get("continueOnError")
        frame = replace(
            around.frame,
            ignored=around.frame.ignored or (going is not None and text(going).text.lower() == "true"),
            needs=tuple(dict.fromkeys((*around.needs, *needs))),
        )
        for label, row in self._rows(job.get("strategy"), around.scope, name):
            scope = replace(around.scope, variables={**around.scope.variables, **row})
            pool = scope.expanded(around.pool)
            platforms = self._platforms(pool, job, scope.alone)
            only = next(iter(platforms)) if platforms is not None and len(platforms) == 1 else None
            scope = replace(scope, platform=only)
            windows = platforms is not None and all(p.startswith("windows-") for p in platforms)
            own = replace(
                frame,
                job=(f"{name} ({label})" if label else name) or None,
                runner=pool.shown or None,
                platforms=platforms,
                outside=outside_names(row),
            )
            steps = Steps(self.notes, self.setting, self.templates)
            for node in _lists_of_steps(job):
                yield from steps.run(node, Job(own, scope, f"{name or 'the pipeline'}.steps", windows))

    def _rows(self, strategy: Node | None, scope: Scope, name: str) -> Iterator[tuple[str, Mapping[str, Traced]]]:
        matrix = strategy.get("matrix") if isinstance(strategy, Table) else None
        if matrix is None:
            yield "", {}
            return
        found = scope.value(matrix) if isinstance(matrix, Scalar) else matrix
        if not isinstance(found, Table):
            self.notes.tell(
                matrix.span, "the pipeline computes its matrix, so its values are not known", f"{name}.matrix"
            )
            yield "", {}
            return
        for count, (entry, own, _) in enumerate(scope.entries(found)):
            if count >= _MOST_ROWS:
                raise TooLarge(f"a matrix has more than {_MOST_ROWS} rows")
            row = own.value(entry.value) if isinstance(entry.value, Scalar) else entry.value
            if isinstance(row, Table):
                yield entry.name, {e.name: _value(inner, e.value) for e, inner, _ in own.entries(row)}

    def _platforms(self, pool: Traced, job: Table, alone: bool) -> frozenset[str] | None:
        own = own_runner([pool.text], self.setting.runners) if pool else None
        if own is not None:
            return frozenset({own})
        for pattern, platform in _PATTERNS if pool else ():
            if pattern.fullmatch(pool.text.strip()):
                return frozenset({platform})
        if not pool:
            # ubuntu-latest; a template by itself runs where its users say
            return None if alone else frozenset({"linux-x86_64"})
        usual = "linux" if text(job.get("container")) else None
        return speaking([pool.text] if pool.known else [], self.setting, usual)


def _with(scope: Scope, name: str, value: Traced) -> Scope:
    kept = {n: v for n, v in scope.variables.items() if n.lower() != name.lower()}
    return replace(scope, variables={**kept, name: value})


def _value(scope: Scope, node: Node | None) -> Traced:
    """A variable's value, its macros as they are written."""
    if not isinstance(node, Scalar):
        return EMPTY
    found = scope.value(node)
    said = text_of_value(found) if not isinstance(found, Unknown) and "${{" in node.text.text else None
    return said if said is not None else scope.text(text(node))


def _pool(node: Node, scope: Scope) -> Traced:
    """The image of a pool, or its name."""
    found = scope.value(node) if isinstance(node, Scalar) else node
    if isinstance(found, Scalar):
        return scope.text(text(found))
    if not isinstance(found, Table):
        return scope.text(text(node)) if isinstance(node, Scalar) else EMPTY
    held = {e.name: own.rendered(e.value) for e, own, _ in scope.entries(found) if isinstance(e.value, Scalar)}
    for demand in _texts(found.get("demands"), scope):
        named = _OVERRIDE.match(demand.text)
        if named is not None:  # https://learn.microsoft.com/azure/devops/managed-devops-pools: the image of a pool
            return demand.cut(named.end(), len(demand))
    return held.get("vmImage") or held.get("image") or held.get("os") or held.get("name") or EMPTY


def _texts(node: Node | None, scope: Scope) -> list[Traced]:
    if node is None:
        return []
    return [scope.rendered(item) for item, *_ in scope.items(node) if isinstance(item, Scalar) and item.text]


def _named(jobs: Node, scope: Scope) -> tuple[str, ...]:
    """The names of the jobs of a list."""
    found = []
    for item, own, *_ in scope.items(jobs):
        if isinstance(item, Table):
            name = own.rendered(item.get("job") or item.get("deployment")).shown
            if name:
                found.append(name)
    return tuple(found)


def _lists_of_steps(job: Table) -> Iterator[Node]:
    """The steps of a job, and those of the phases of a deployment."""
    own = job.get("steps")
    if own is not None:
        yield own
    strategy = job.get("strategy")
    for entry in strategy.entries if isinstance(strategy, Table) else ():
        if entry.name not in ("runOnce", "rolling", "canary") or not isinstance(entry.value, Table):
            continue
        phases = [entry.value.get(name) for name in _PHASES]
        after = entry.value.get("on")
        if isinstance(after, Table):
            phases += [after.get("success"), after.get("failure")]
        for phase in phases:
            steps = phase.get("steps") if isinstance(phase, Table) else None
            if steps is not None:
                yield steps
