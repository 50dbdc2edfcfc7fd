"""GitHub Actions: the jobs of workflows, and composite actions by themselves.

Follows https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax and reuse-workflows. An
expression is replaced before any shell sees the text. A job is read once for each row of its matrix, and for each
course that it can take by what starts it. A workflow of the repository that a job calls is followed with the values of
the call.
"""

from collections.abc import Iterable, Mapping, Sequence

from flagguard.command import Call, Place, Reading, Script
from flagguard.hosts import Setting
from flagguard.hosts.github import NAME, WORKFLOW
from flagguard.hosts.github_context import Around
from flagguard.hosts.github_expressions import asks_status, render, resolved
from flagguard.hosts.github_inputs import CALL, Needed, action_inputs, events_of, workflow_inputs
from flagguard.hosts.github_job import Defaults, Job, Made, Thing, Verdict, assuming, guarded, together
from flagguard.hosts.github_local import Actions
from flagguard.hosts.github_matrix import rows
from flagguard.hosts.github_runners import is_hosted, platforms_of
from flagguard.hosts.github_steps import DEEPEST, UNIT, Steps, called, decided, env_entries, if_text, tolerated
from flagguard.hosts.github_values import Unknown, Value, as_text, constant, string
from flagguard.hosts.github_worlds import Course, Plan, added, any_of, courses
from flagguard.hosts.tree import Entry, Items, Kind, Node, Scalar, Table, text_of
from flagguard.text import Decider, Problem, SourceText
from flagguard.values import dataclass, replace

_OF_PLATFORM = ("runner.", "RUNNER_OS", "RUNNER_ARCH")
"""What asks for the platform of the runner."""


def read(source: SourceText, setting: Setting) -> Reading:
    actions = Actions(source.path.partition(".github/")[0] if ".github/" in source.path else "")
    document = actions.document(source)
    reader = _Reader(source, setting, actions)
    if document.root is not None:
        try:
            (reader.file if WORKFLOW.fullmatch(source.path) else reader.action)(document.root)
        except RecursionError:
            reader.problems.append(Problem(source.path, 1, "nested too deeply to be read"))
    problems = sorted({*document.problems, *reader.problems})
    made = reader.kept()
    scripts = tuple(m.thing for m in made if isinstance(m.thing, Script))
    calls = tuple(m.thing for m in made if isinstance(m.thing, Call))
    return Reading(scripts, calls, tuple(problems), follows=tuple(actions.parts))


@dataclass(frozen=True)
class _Caller:
    """The job that calls the workflow; nobody, for a workflow that is started."""

    name: str = ""
    job: Job | None = None
    given: Mapping[str, Value] | None = None


class _Reader:
    def __init__(self, source: SourceText, setting: Setting, actions: Actions) -> None:
        self.source = source
        self.setting = setting
        self.actions = actions
        self.problems: list[Problem] = []
        self.made: list[tuple[str, str, Made]] = []
        """The job, the row, and what is run there."""

    def tell(self, source: SourceText, node: Node, message: str, key: str, fatal: bool) -> None:
        line = source.position(node.span.start)[0]
        self.problems.append(Problem(source.path, line, f"{key}: {message}", key=key, fatal=fatal))

    def table(self, source: SourceText, node: Node | None, key: str) -> Table | None:
        """``node``, where it is a table; anything else but nothing is a problem."""
        if node is None or isinstance(node, Table):
            return node
        if not (isinstance(node, Scalar) and node.kind is Kind.NULL):
            self.tell(source, node, f"has to be a mapping, and is {node.named}", key, True)
        return None

    # -- files --------------------------------------------------------------------------------------------------------

    def file(self, root: Node) -> None:
        top = self.table(self.source, root, "the workflow")
        if top is None:
            return
        self.table(self.source, top.get("env") if not _computed(top.get("env")) else None, "env")
        events = events_of(top.get("on"))
        unit = CALL if events == (CALL,) else ""
        self.workflow(self.source, top, _Caller(), unit)

    def action(self, root: Node) -> None:
        runs = root.get("runs") if isinstance(root, Table) else None
        if not isinstance(root, Table) or not isinstance(runs, Table):
            return
        if text_of(runs.get("using")).text != "composite":
            return
        around = Around(self.source.path, action_inputs(root), assume=self.setting.assume,
                        action=self.source.path.rpartition("/")[0])  # fmt: skip
        job = Job(None, "runs", self.source, around, unit=UNIT, composite=True)
        self.made += [("", "", made) for made in self.steps(runs, job)[0]]

    def workflow(self, source: SourceText, top: Table, caller: _Caller, unit: str) -> Mapping[str, Needed]:
        """The jobs of a workflow, each after those that it needs; what they hand on."""
        jobs = self.table(source, top.get("jobs"), "jobs")
        if jobs is None:
            if top.get("jobs") is None:
                self.tell(source, top, "jobs: there is none, so nothing runs", "jobs", True)
            return {}
        around = Around(
            file=source.path,
            inputs=workflow_inputs(top.get("on")),
            given=caller.given,
            events=events_of(top.get("on")) if caller.job is None else caller.job.around.events,
            name=text_of(top.get("name")).text or None,
            assume=self.setting.assume,
        )
        done: dict[str, Needed] = {}
        needs = {e.name: _needs(e.value) for e in jobs.entries}
        for name in _ordered(needs):
            table = self.table(source, jobs.get(name), f"jobs.{name}")
            if table is not None:
                own = replace(around, needs={n: done[n] for n in needs[name] if n in done})
                reached = tuple(sorted(_reached(name, needs)))
                done[name] = self.job(source, name, table, top, own, caller, unit, reached)
        return done

    # -- jobs ---------------------------------------------------------------------------------------------------------

    def job(
        self, source: SourceText, name: str, table: Table, top: Table, around: Around, caller: _Caller, unit: str,
        needs: tuple[str, ...],
    ) -> Needed:  # fmt: skip
        """One job, in each row of its matrix and in each course."""
        condition = table.get("if")
        text = as_text(condition).text if isinstance(condition, Scalar) else ""
        if any(n.skipped for n in around.needs.values()) and not asks_status(text):
            return Needed(result=constant("skipped"), skipped=True)
        outer = caller.job
        ident = f"{caller.name} / {name}" if caller.name else name
        base = Job(
            ident,
            f"jobs.{name}",
            source,
            replace(around, job=name, scope=f"{outer.around.scope if outer else ''}>{source.path}:{name}"),
            when=outer.when if outer else (),
            opt_in=outer.opt_in if outer else False,
            ignored=outer.ignored if outer else False,
            plan=outer.plan if outer else {},
            via=outer.via if outer else (),
            unit=unit,
            order=outer.order if outer else (),
            needs=tuple(dict.fromkeys((*(outer.needs if outer else ()), *needs))),
            depth=outer.depth if outer else 0,
        )
        guards, _ = guarded(base.plan, if_text(table), lambda course: self.asked(table, base, course))
        outputs: list[Mapping[str, Value]] = []
        for guard in guards:
            when = (*base.when, *(w for w in guard.when if w not in base.when))
            here = replace(base, plan=guard.plan, when=when, opt_in=base.opt_in or guard.opt_in)
            outputs += self.courses(name, table, top, here)
        if not guards:
            return Needed(result=constant("skipped"), skipped=True)
        return Needed(_agreed(outputs))

    def courses(self, name: str, table: Table, top: Table, base: Job) -> list[Mapping[str, Value]]:
        """A job where its `if:` holds, in each course; its outputs."""
        results = courses(base.plan, lambda course: self.rows(name, table, top, base, course))
        outputs: list[Mapping[str, Value]] = []
        found: list[tuple[Plan, tuple[tuple[str, Made], ...] | None]] = []
        for plan, jobs in results:
            # the jobs of a called workflow do not come together with those of other courses
            own = added(plan, base.plan) if table.get("uses") is not None else ()
            made: list[tuple[str, Made]] = []
            for job in jobs:
                came, handed = self.row(table, replace(job, plan=plan, when=(*job.when, *own)))
                made += [(job.around.row.label, one) for one in came]
                outputs += handed
            found.append((plan, tuple(made)))
        for labels, several in together(found, base.plan):
            self.made += [(base.id or "", row, assuming(one, labels)) for row, one in several]
        return outputs

    def asked(self, table: Table, job: Job, course: Course) -> Verdict | None:
        return decided(table.get("if"), replace(job.around, course=course), job, f"{job.key}.if", self.tell)

    def rows(self, name: str, table: Table, top: Table, base: Job, course: Course) -> list[Job]:
        """The rows of a job in one course."""
        key, source = f"jobs.{name}", base.source
        around = replace(base.around, course=course)
        around = around.with_env(env_entries(top.get("env"), base, "env", self.tell, around))
        defaults = self.defaults(source, table, f"{key}.", self.defaults(source, top, "", Defaults()))
        strategy = table.get("strategy")
        if not _computed(strategy):
            strategy = self.table(source, strategy, f"{key}.strategy")
        out: list[Job] = []
        for row in rows(strategy, around):
            here = replace(around, row=row)
            labels, shown = self.labels(table.get("runs-on"), here, base, f"{key}.runs-on")
            platforms = platforms_of(labels, self.setting.runners) if labels else None
            job = replace(
                base,
                defaults=defaults,
                runner=shown if shown is not None else base.runner,
                platforms=platforms,
            )
            for platform, own in self.platforms(table, job):
                seen = replace(here, platform=platform, hosted=is_hosted(labels), sees_all=True)
                seen = seen.with_env(self.container_env(table, job, seen))
                seen = seen.with_env(env_entries(table.get("env"), job, f"{key}.env", self.tell, seen))
                out.append(replace(
                    job, around=seen, base=seen.variables, platforms=own, container=_contained(table),
                    ignored=job.ignored or tolerated(table, seen),
                ))  # fmt: skip
        return out

    def container_env(self, table: Table, job: Job, around: Around) -> Sequence[Entry]:
        container = table.get("container")
        node = container.get("env") if isinstance(container, Table) else None
        return env_entries(node, job, f"{job.key}.container.env", self.tell, around)

    def platforms(self, table: Table, job: Job) -> list[tuple[str | None, frozenset[str] | None]]:
        """The platforms to read a job for, one by one where it asks for the runner's."""
        if job.platforms is not None and len(job.platforms) == 1:
            return [(next(iter(job.platforms)), job.platforms)]
        text = job.source.text[table.span.start : table.span.end]
        asked = (word in text or self.actions.speak_of(word, text, self.setting) for word in _OF_PLATFORM)
        if table.get("uses") is not None or not any(asked):
            return [(None, job.platforms)]
        return [(p, frozenset({p})) for p in sorted(job.platforms or self.setting.platforms)]

    def defaults(self, source: SourceText, table: Table, key: str, outer: Defaults) -> Defaults:
        defaults = self.table(source, table.get("defaults"), f"{key}defaults")
        run = self.table(source, defaults.get("run"), f"{key}defaults.run") if defaults else None
        if run is None:
            return outer
        return Defaults(run.get("shell") or outer.shell, run.get("working-directory") or outer.folder)

    def labels(self, node: Node | None, around: Around, job: Job, key: str) -> tuple[list[str], str | None]:
        """The labels that `runs-on` asks for (none: not known), and how to show them."""
        if isinstance(node, Scalar):
            value = resolved(node, around)
            node = node if isinstance(value, Unknown) else value
        if isinstance(node, Table):
            group, node = node.get("group"), node.get("labels")
            if node is None and isinstance(group, Scalar):
                return [], render(as_text(group), around).shown
            return self.labels(node, around, job, key)
        parts = node.items if isinstance(node, Items) else [node] if node is not None else []
        texts = [render(as_text(p), around) for p in parts if isinstance(p, Scalar)]
        if len(texts) < len(parts):
            self.tell(job.source, parts[0], "has to be a label or a list of them", key, True)
        shown = ", ".join(t.shown for t in texts) or None
        return ([t.text for t in texts] if all(t.known for t in texts) else []), shown

    def row(self, table: Table, job: Job) -> tuple[list[Made], list[Mapping[str, Value]]]:
        """What one row runs, and its outputs, in one course."""
        uses = table.get("uses")
        if uses is not None:
            return self.call(table, uses, job)
        made, steps = self.steps(table, job)
        declared = table.get("outputs")
        if not isinstance(declared, Table) or not declared.entries:
            return made, []

        def outputs(course: Course) -> Mapping[str, Value]:
            around = replace(job.around, course=course, records=tuple(steps.records))
            return {e.name: _text(e.value, around) for e in declared.entries if isinstance(e.value, Scalar)}

        return made, [found for _, found in courses(job.plan, outputs)]

    def steps(self, table: Table, job: Job) -> tuple[list[Made], Steps]:
        steps = Steps(self.setting, self.tell, self.actions)
        steps.run(table, job)
        return steps.made, steps

    # -- workflows that are called ------------------------------------------------------------------------------------

    def call(self, table: Table, uses: Node, job: Job) -> tuple[list[Made], list[Mapping[str, Value]]]:
        """A workflow that the job calls, with what it gives."""
        results = courses(job.plan, lambda course: self.given(table, uses, job, course))
        made: list[Made] = []
        outputs: list[Mapping[str, Value]] = []
        for labels, given in together(results, job.plan):
            made.append(assuming(Made(job.order, given.call), labels))
            plan = any_of([plan for plan, other in results if other == given])
            if given.name.startswith("./"):
                inner = replace(job, plan=plan, when=(*job.when, *labels))
                outputs.append(self.called(given, uses, inner))
        return made, outputs

    def given(self, table: Table, uses: Node, job: Job, course: Course) -> "_Given | None":
        around = replace(job.around, course=course)
        call = called(table, uses, replace(job, around=around), Place(NAME, job=job.id, runner=job.runner), self.tell)
        if call is None:
            return None
        inputs = table.get("with")
        entries = inputs.entries if isinstance(inputs, Table) else ()
        return _Given(call, call.argv[1].text, {e.name: _value(e.value, around) for e in entries})

    def called(self, given: "_Given", uses: Node, job: Job) -> Mapping[str, Value]:
        """The jobs of a workflow of the repository, as the call runs them; what it hands back."""
        path = self.actions.base + given.name.removeprefix("./")
        source = self.setting.files.read(path)
        root = self.actions.document(source).root if source is not None else None
        if source is None or not isinstance(root, Table) or job.depth >= DEEPEST:
            told = "is not in the repository" if source is None else "cannot be followed"
            self.tell(job.source, uses, f"{given.name} {told}, so what it runs is not judged", f"{job.key}.uses", False)
            return {}
        self.actions.followed(job.unit, path, CALL)
        scope = f"{job.around.scope}@{uses.span.start}"
        inner = replace(job, via=(*job.via, uses.span), depth=job.depth + 1, order=())
        inner = replace(inner, around=replace(job.around, scope=f"{scope} {job.around.row.label}"))
        row = f" ({job.around.row.label})" if job.around.row.label else ""
        done = self.workflow(source, root, _Caller(f"{job.id}{row}", inner, given.values), job.unit)
        on = root.get("on")
        part = on.get(CALL) if isinstance(on, Table) else None
        declared = part.get("outputs") if isinstance(part, Table) else None
        around = Around(source.path, needs=done, assume=self.setting.assume)
        handed: dict[str, Value] = {}
        for entry in declared.entries if isinstance(declared, Table) else ():
            value = entry.value.get("value") if isinstance(entry.value, Table) else None
            if isinstance(value, Scalar):
                handed[entry.name] = _text(value, around)
        return handed

    # -- rows that are alike ------------------------------------------------------------------------------------------

    def kept(self) -> list[Made]:
        """A step that is the same in every row is there once; else the job's name says the row."""
        rows_of: dict[str, set[str]] = {}
        groups: dict[tuple[str, tuple[int, ...], bool], list[tuple[str, Made]]] = {}
        for job, row, made in self.made:
            rows_of.setdefault(job, set()).add(row)
            groups.setdefault((job, made.order, isinstance(made.thing, Call)), []).append((row, made))
        out: list[Made] = []
        for (job, _, _), group in groups.items():
            if len(rows_of[job]) < 2:
                out += _merged(made for _, made in group)
                continue
            by_row: dict[str, list[Made]] = {}
            for row, made in group:
                by_row.setdefault(row, []).append(made)
            together_ = _merged(made for _, made in group)
            if by_row.keys() == rows_of[job] and all(len(_merged(own)) == len(together_) for own in by_row.values()):
                out += together_
                continue
            for row, own in by_row.items():
                for made in _merged(own):
                    place = made.thing.place
                    named = replace(place, job=f"{place.job} ({row})") if row and place.job is not None else place
                    out.append(replace(made, thing=replace(made.thing, place=named)))
        return out


def _merged(several: Iterable[Made]) -> list[Made]:
    """Those that differ in more than their platforms, each with the platforms of all that are like it."""
    distinct: list[Made] = []
    alike: dict[object, list[int]] = {}
    for made in several:
        # the texts alone tell most apart; to hash whole scripts costs more than the rest
        known = alike.setdefault(_said(made.thing), [])
        bare = replace(made.thing, platforms=None)
        same = next((i for i in known if replace(distinct[i].thing, platforms=None) == bare), None)
        if same is None:
            known.append(len(distinct))
            distinct.append(made)
            continue
        mine, others = made.thing.platforms, distinct[same].thing.platforms
        both = None if mine is None or others is None else mine | others
        distinct[same] = replace(distinct[same], thing=replace(distinct[same].thing, platforms=both))
    return distinct


def _said(thing: Thing) -> tuple[object, ...]:
    text = thing.text.text if isinstance(thing, Script) else ""
    return text, thing.when, *(w.text for w in thing.argv)


@dataclass(frozen=True)
class _Given:
    """The call of a workflow."""

    call: Call
    name: str
    values: Mapping[str, Value]


def _computed(node: Node | None) -> bool:
    return isinstance(node, Scalar) and "${{" in node.text.text


def _contained(table: Table) -> bool:
    container = table.get("container")
    if isinstance(container, Scalar) or container is None:
        return isinstance(container, Scalar) and bool(container.text)
    return True


def _text(node: Node, around: Around) -> Value:
    """An output: always a text."""
    return string(render(as_text(node), around)) if isinstance(node, Scalar) else constant(None)


def _value(node: Node, around: Around) -> Value:
    """An input that a job gives to a workflow."""
    return resolved(node, around)


def _agreed(several: Sequence[Mapping[str, Value]]) -> Mapping[str, Value]:
    """The outputs of a job, where its rows and courses agree."""
    out: dict[str, Value] = {}
    for name in dict.fromkeys(n for outputs in several for n in outputs):
        values = [outputs.get(name, constant(None)) for outputs in several]
        said = [as_text(v).shown if isinstance(v, Scalar) else None for v in values]
        same = said[0] is not None and all(text == said[0] for text in said)
        out[name] = values[0] if same else Unknown("rows or courses of the job give it differently", Decider.REPOSITORY)
    return out


def _needs(node: Node) -> tuple[str, ...]:
    given = node.get("needs") if isinstance(node, Table) else None
    if isinstance(given, Items):
        return tuple(text_of(i).text for i in given.items)
    return (text_of(given).text,) if text_of(given) else ()


def _ordered(needs: Mapping[str, Sequence[str]]) -> list[str]:
    """Each job after those that it needs; what needs itself comes in the order of the file."""
    done: dict[str, None] = {}
    waiting = list(needs)
    while waiting:
        ready = [n for n in waiting if all(o in done or o not in needs for o in needs[n])] or waiting[:1]
        done.update(dict.fromkeys(ready))
        waiting = [n for n in waiting if n not in done]
    return list(done)


def _reached(name: str, needs: Mapping[str, Sequence[str]]) -> Iterable[str]:
    """The jobs that a job waits for, directly or through others."""
    found: set[str] = set()
    waiting = list(needs[name])
    while waiting:
        other = waiting.pop()
        if other not in found:
            found.add(other)
            waiting += needs.get(other, ())
    return found - {name}
