"""GitHub Actions: the steps of a job, as scripts and calls, one after another.

Follows https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax ("jobs.<job_id>.steps") and
metadata-syntax ("runs for composite actions"). A composite action of the repository is followed where it is called. A
`uses:` is a call whose inputs are its flags.
"""

from collections.abc import Sequence

from flagguard.command import Call, Dialect, Place, Script, Variable, Word
from flagguard.hosts import Setting, github_background, github_shell
from flagguard.hosts.github import NAME
from flagguard.hosts.github_background import Beside
from flagguard.hosts.github_context import Around, Record
from flagguard.hosts.github_expressions import evaluate, holds, render, whole
from flagguard.hosts.github_expressions import resolved as value_of
from flagguard.hosts.github_inputs import action_inputs
from flagguard.hosts.github_job import Defaults, Job, Made, Tell, Verdict, assuming, guarded, together
from flagguard.hosts.github_local import Actions
from flagguard.hosts.github_values import Value, as_text, overridable, string
from flagguard.hosts.github_worlds import NO_COURSE, Choice, Course, Plan, any_of, courses
from flagguard.hosts.github_written import NOTHING, Written, announced, is_foreign, may_write, writings
from flagguard.hosts.shells import READ_AS_BASH, program
from flagguard.hosts.tree import Entry, Items, Kind, Node, Scalar, Table, text_of
from flagguard.paths import inside, resolved
from flagguard.patterns import expression
from flagguard.text import Piece, Span, Traced, join, literal
from flagguard.values import dataclass, replace

DEEPEST = 10
"""How deep composite actions, and workflows, may call each other: GitHub's own limit."""
_CARRIES = expression(r"FLAGS|OPT|ARG|CARGO|RUST|^GO|CIBW|CMAKE|ARCH|CPU|NATIVE|TARGET|PORTABLE|^CC$|^CXX$|^LD|DEFINES")
"""Variables that tools look at by themselves, whether or not a step names them."""
UNIT = "runs"
"""What the part of an action's file is called that others call."""


@dataclass(frozen=True)
class _Built:
    """What a step comes to in one course."""

    things: tuple[Script | Call, ...] = ()
    inner: Job | None = None
    """The composite action that it calls,"""
    action: str | None = None
    """by the path of its file."""


class Steps:
    """The steps of one row of a job, in one course of it."""

    def __init__(self, setting: Setting, tell: Tell, actions: Actions) -> None:
        self.setting = setting
        self.tell = tell
        self.actions = actions
        self.records: list[Record] = []
        self.made: list[Made] = []
        self.foreign = False
        """Some step before may have set variables that nobody can name here."""

    def run(self, table: Table, job: Job) -> None:
        key, node = f"{job.key}.steps", table.get("steps")
        if not isinstance(node, Items):
            said = f"has to be a list, and is {node.named}" if node is not None else "there are none"
            self.tell(job.source, node or table, said, key, node is not None)
            return
        beside = Beside(self.records)
        for number, step in enumerate(node.items):
            here = replace(job, key=f"{key}[{number}]", order=(*job.order, number))
            if not isinstance(step, Table):
                self.tell(job.source, step, f"has to be a mapping, and is {step.named}", here.key, True)
            elif not github_background.asked(step):
                self.step(step, str(number + 1), here)
            elif not job.composite:
                self.beside(step, number, node.items, here, beside)
            else:
                said = "steps of an action cannot run beside others, so GitHub refuses it"
                self.tell(job.source, step, said, here.key, True)
        beside.ended(None)

    def beside(self, step: Table, number: int, steps: Sequence[Node], job: Job, beside: Beside) -> None:
        """A step that runs beside others, several of them, or one that waits for such."""
        group = step.get("parallel")
        if group is not None:
            key, members = f"{job.key}.parallel", group.items if isinstance(group, Items) else ()
            if not isinstance(group, Items):
                self.tell(job.source, group, f"has to be a list, and is {group.named}", key, True)
            for at, member in enumerate(members):
                here = replace(job, key=f"{key}[{at}]", order=github_background.order_of(number, number, at))
                if isinstance(member, Table):
                    self.apart(member, f"{number + 1}.{at + 1}", here, beside, f"{number}")
                else:
                    self.tell(job.source, member, f"has to be a mapping, and is {member.named}", here.key, True)
            beside.ended(frozenset({f"{number}"}))
        elif github_background.in_background(step):
            end = github_background.end_of(steps, number)
            order = github_background.order_of(end.at, number)
            here = replace(job, order=order, ignored=job.ignored or end.ignored)
            self.apart(step, str(number + 1), here, beside, text_of(step.get("id")).text.lower())
        elif step.get("cancel") is None:
            beside.ended(github_background.waits_for(step))

    def apart(self, step: Table, number: str, job: Job, beside: Beside, ident: str) -> None:
        """One step whose writings nobody sees yet."""
        before = len(self.records)
        self.step(step, number, job)
        beside.keep(ident, before)

    # -- one step

    def step(self, step: Table, number: str, job: Job) -> None:
        guards, others = guarded(job.plan, if_text(step), lambda course: self.asked(step, job, course))
        outer = [(plan, NOTHING) for plan in others]
        for guard in guards:
            when = (*job.when, *(w for w in guard.when if w not in job.when))
            here = replace(job, plan=guard.plan, when=when, opt_in=job.opt_in or guard.opt_in)
            outer += self.taken(step, number, here)
        ident = text_of(step.get("id")).text
        if ident or any(written for _, written in outer):
            self.records.append(Record(ident, job.around.scope, tuple(outer)))
        self.foreign = self.foreign or is_foreign(step) or any(written.open for _, written in outer)

    def taken(self, step: Table, number: str, job: Job) -> list[tuple[Plan, Written]]:
        """The step where its `if:` holds; what it hands on, in each course."""
        results = courses(job.plan, lambda course: self.build(step, number, job, course))
        for labels, kept in together(results, job.plan):
            self.made += [assuming(Made(job.order, thing), labels) for thing in kept.things]
        if any(built is not None and built.inner is not None for _, built in results):
            return self.inside(results, job)
        return [one for plan, built in results for one in self.written(plan, built, job)]

    def around(self, job: Job, course: Course, text: str) -> Around:
        """What can be seen from a step that speaks of ``text``."""

        def relevant(name: str) -> bool:
            return name in text or _CARRIES.search(name) is not None

        sees_all = job.around.sees_all and not self.foreign
        around = replace(job.around, course=course, records=tuple(self.records), sees_all=sees_all)
        around = around.later(job.base, relevant)
        return replace(around, variables=(*around.variables, *job.over)) if job.over else around

    def asked(self, step: Table, job: Job, course: Course) -> Verdict | None:
        condition = step.get("if")
        if condition is None:
            return (), False
        text = condition.text.text if isinstance(condition, Scalar) else ""
        around = self.around(job, course, text) if "env" in text else replace(
            job.around, course=course, records=tuple(self.records))  # fmt: skip
        # a step is not left out for a variable that nobody seems to set
        return decided(condition, replace(around, sees_all=False), job, f"{job.key}.if", self.tell)

    def build(self, step: Table, number: str, job: Job, course: Course) -> _Built | None:
        """The step in one course; None where it cannot be read."""
        around = self.around(job, course, job.source.text[step.span.start : step.span.end])
        around = around.with_env(env_entries(step.get("env"), job, f"{job.key}.env", self.tell, around))
        place = Place(NAME, job=job.id, step=self.named(step, number, around), runner=job.runner)
        here = replace(job, around=around, ignored=job.ignored or tolerated(step, around))
        run, uses = step.get("run"), step.get("uses")
        if uses is not None:
            return self.call(step, uses, here, place)
        if isinstance(run, Scalar):
            return _Built((self.script(step, run, here, place),))
        if run is not None:
            self.tell(job.source, run, f"has to be a text, and is {run.named}", f"{job.key}.run", True)
        else:
            self.tell(job.source, step, "a step has a `run` or a `uses`; this has neither", job.key, True)
        return None

    def named(self, step: Table, number: str, around: Around) -> str:
        name = step.get("name")
        said = render(as_text(name), around.quiet()).shown if isinstance(name, Scalar) else ""
        return said or text_of(step.get("id")).text or number

    # -- `run`

    def script(self, step: Table, run: Scalar, job: Job, place: Place) -> Script:
        node = step.get("shell")
        if node is None and job.composite:
            self.tell(job.source, step, "a `run` of a composite action needs a `shell`", job.key, False)
        node = node if node is not None else job.defaults.shell
        folder = step.get("working-directory") or job.defaults.folder
        around = job.around
        template = render(as_text(node), around) if isinstance(node, Scalar) and node.text else None
        shell = github_shell.shell_of(template, job.platforms, job.container)
        if shell.dialect is Dialect.UNREAD:
            said = template.shown if template else "its shell"
            told = f"{said} is not read, so its commands are not judged"
            self.tell(job.source, run, told, f"{job.key}.run", False)
        elif template and (words := template.text.split()) and program(words[0]) in READ_AS_BASH:
            self.tell(job.source, run, f"{program(words[0])} is read as bash", f"{job.key}.run", False)
        variables = (*_told(run.text.text, around), *around.variables)
        if around.action is not None and "ACTION_PATH" in run.text.text:
            own = render(literal("${{ github.action_path }}"), around)
            variables = (
                Variable("GITHUB_ACTION_PATH", Traced(tuple(replace(p, route=()) for p in own.pieces))),
                *variables,
            )
        made = Script(
            place,
            shell.dialect,
            render(as_text(run), around),
            env=variables,
            platforms=job.platforms,
            when=job.when,
            opt_in=job.opt_in,
            errexit=shell.errexit,
            pipefail=shell.pipefail,
            ignored=job.ignored,
            via=job.via,
            outside=around.outside(),
            directory=_folder(render(as_text(folder), around)) if isinstance(folder, Scalar) else "",
            unit=job.unit,
            order=job.order,
            needs=job.needs,
            language=template.shown if template and shell.dialect is Dialect.UNREAD else "",
        )
        more = announced(made, self.setting)
        return replace(made, env=(*more, *made.env)) if more else made

    # -- `uses`

    def call(self, table: Table, uses: Node, job: Job, place: Place) -> _Built | None:
        call = called(table, uses, job, place, self.tell)
        if call is None:
            return None
        name = call.argv[1].text
        given = {w.text[2:].partition("=")[0]: _given(w) for w in call.argv[2:]}
        if name.startswith(("./", "../")) or name == ".":
            return self.local(name, uses, given, job, call)
        if call.argv[1].known:
            from flagguard.hosts import github_actions  # the table of well-known actions

            return _Built((call, *github_actions.runs(call, given, job)))
        return _Built((call,))

    def local(self, name: str, uses: Node, given: dict[str, Value], job: Job, call: Call) -> _Built:
        """An action of the repository: a composite one is followed, what others run is their own business."""
        found = self.actions.find(name, self.setting)
        composite = found is not None and text_of(found.runs.get("using")).text == "composite"
        self.foreign = self.foreign or not composite
        if found is None or job.depth >= DEEPEST:
            told = "is not in the repository" if found is None else "is called too deeply"
            self.tell(job.source, uses, f"{name} {told}, so what it runs is not judged", f"{job.key}.uses", False)
            return _Built((call,))
        self.actions.followed(job.unit, found.source.path, UNIT)
        kind = text_of(found.runs.get("using")).text
        folder = found.source.path.rpartition("/")[0]
        inputs = action_inputs(found.root)
        scope = f"{job.around.scope}/{'.'.join(map(str, job.order))}"
        around = replace(job.around, file=found.source.path, inputs=inputs, given=given, action=folder, scope=scope)
        around = replace(around, course=NO_COURSE)
        inner = replace(
            job,
            key="runs",
            source=found.source,
            around=around,
            over=tuple(v for v in job.around.variables if v not in job.base),
            via=(*job.via, uses.span),
            defaults=Defaults(),
            composite=True,
            depth=job.depth + 1,
        )
        if kind.lower() == "docker":
            from flagguard.hosts import github_actions

            return _Built((call, *github_actions.container(found, inner, call)))
        return _Built((call,), inner if kind == "composite" else None, found.source.path)

    def inside(self, results: Sequence[tuple[Plan, _Built | None]], job: Job) -> list[tuple[Plan, Written]]:
        """The steps of the composite actions that a step calls; what the actions hand on."""
        inners = [(plan, built.inner if built is not None else None) for plan, built in results]
        out = [(plan, NOTHING) for plan, inner in inners if inner is None]
        for labels, inner in together(inners, job.plan):
            plans = [plan for plan, other in inners if other == inner]
            found = self.actions.read(inner.source)
            if found is None:
                continue
            before = len(self.made)
            plan = any_of(plans)
            self.run(found.runs, replace(inner, plan=plan))
            self.made[before:] = [assuming(m, labels) for m in self.made[before:]]
            out += self.outputs(found.root, replace(inner, plan=plan))
        return out

    def outputs(self, root: Table, inner: Job) -> list[tuple[Plan, Written]]:
        """The outputs of a composite action, in each course."""
        declared = root.get("outputs")

        def value(course: Course) -> Written:
            around = replace(inner.around, course=course, records=tuple(self.records))
            pairs = []
            for entry in declared.entries if isinstance(declared, Table) else ():
                node = entry.value.get("value") if isinstance(entry.value, Table) else None
                if isinstance(node, Scalar):
                    pairs.append((entry.name, render(as_text(node), around)))
            return Written(outputs=tuple(pairs))

        return list(courses(inner.plan, value))

    def writings(self, script: Script, unsafe: bool) -> tuple[Written, ...]:
        """What a script writes for others; the same script is followed once."""
        known = self.actions.memo.setdefault(_key(script, unsafe), {})
        own = script.platforms or frozenset()
        found = known.get(None, known.get(own))
        if found is None:
            found, everywhere = writings(script, self.setting, unsafe)
            known[None if everywhere else own] = found
        return found

    # -- what later steps see

    def written(self, plan: Plan, built: _Built | None, job: Job) -> list[tuple[Plan, Written]]:
        """What a step hands on in a course; a script with several courses of its own makes several of it."""
        script = built.things[0] if built is not None and built.things else None
        if isinstance(script, Call) and script.argv[1].known:
            from flagguard.hosts import github_actions

            texts = {w.text[2:].partition("=")[0]: w.cut(w.text.index("=") + 1, len(w)) for w in script.argv[2:]}
            return [(plan, Written(tuple(github_actions.sets(script.argv[1].text, texts, script.env))))]
        if not isinstance(script, Script) or script.opt_in:
            return [(plan, NOTHING)]
        if not may_write(script.text.text):
            return [(plan, NOTHING)]
        unsafe = any(v.name == "ACTIONS_ALLOW_UNSECURE_COMMANDS" and v.value.text == "true" for v in script.env)
        found = self.writings(script, unsafe)
        if any(w.open for w in found):
            told = "writes variables that cannot be named here, so what later steps see is not known"
            self.tell(job.source, _at(script), f"a step {told}", f"{job.key}.run", False)
        if len(found) < 2:
            return [(plan, w) for w in found] or [(plan, NOTHING)]
        options = tuple(f"step {script.place.step} writes {_shown(w)}" for w in found)
        key = f"{job.around.scope}: {job.key}"
        return [({**plan, key: Choice((i,), options)}, w) for i, w in enumerate(found)]


_TELLS = {"GITHUB_EVENT_NAME": "event_name", "GITHUB_JOB": "job", "GITHUB_WORKFLOW": "workflow"}


def _told(text: str, around: Around) -> list[Variable]:
    """What the runner's variables say that a text names, as far as the workflow says it."""
    found = {name: around.get(("github", key)) for name, key in _TELLS.items() if name in text}
    return [Variable(name, value.text) for name, value in found.items() if isinstance(value, Scalar)]


_SOURCES = expression(r"(?:^|[\s;&|(])(?:source|\.)\s|\.(?:sh|ps1|bat)\b")


def _key(script: Script, unsafe: bool) -> object:
    """What the writings of a script depend on, besides its platforms."""
    text = script.text.text
    every = _SOURCES.search(text) is not None
    env = tuple((v.name, v.value.pieces) for v in script.env if every or v.name in text)
    return script.dialect, script.text.pieces, env, script.directory, unsafe


def _shown(written: Written) -> str:
    said = [f"{name}={value.shown}" for name, value in (*written.env, *written.outputs)]
    return ", ".join(said)[:80] or "nothing"


def _at(script: Script) -> Node:
    route = script.text.route
    return string(script.text) if not route else Scalar(route[0], script.text, Kind.STRING, script.text.text)


def _given(word: Word) -> Value:
    at = word.text.index("=") + 1
    return string(word.cut(at, len(word)))


# -- what steps and jobs have in common -------------------------------------------------------------------------------


def if_text(table: Table) -> str:
    """The `if:` of a job or a step, as it is told."""
    node = table.get("if")
    if node is None:
        return ""
    return f"if: {' '.join(node.text.text.split()) if isinstance(node, Scalar) else node.named}"


def decided(node: Node | None, around: Around, job: Job, key: str, tell: Tell) -> Verdict | None:
    """What an `if:` asks for in this course, and whether somebody outside has to ask for it; None: it does not hold."""
    if node is None:
        return (), False
    if not isinstance(node, Scalar):
        tell(job.source, node, f"has to be a condition, and is {node.named}", key, True)
        return (), False
    text = " ".join(node.text.text.split())
    held = holds(as_text(node), around)
    if held:
        return (), False
    if held is None:
        plain, yes = _plain(text)
        taken = around.choose(f"if: {plain}", (f"if: {plain}", f"if: !({plain})"))
        if taken is None:
            return (text,), False
        return ((), False) if taken == (0 if yes else 1) else None
    inner = whole(node.text)
    value = evaluate(inner if inner is not None else as_text(node), around)
    return ((text,), True) if overridable(value) else None


_NOT = expression(r"!\s*\(?([^()!&|]*(?:\([^()]*\))?[^()!&|]*)\)?")


def _plain(text: str) -> tuple[str, bool]:
    """A condition without its `${{ }}` and without a `!` before the whole of it; False: it is the opposite of that."""
    if text.startswith("${{") and text.endswith("}}") and text.count("${{") == 1:
        text = text[3:-2].strip()
    found = _NOT.fullmatch(text)
    return (found[1].strip(), False) if found is not None else (text, True)


def tolerated(table: Table, around: Around) -> bool:
    """Whether `continue-on-error` surely is on."""
    node = table.get("continue-on-error")
    if not isinstance(node, Scalar):
        return False
    inner = whole(node.text)
    return node.value is True or (inner is not None and holds(inner, around.quiet()) is True)


def env_entries(node: Node | None, job: Job, key: str, tell: Tell, around: Around) -> Sequence[Entry]:
    """The entries of an `env:`, which may be a whole expression."""
    if isinstance(node, Scalar) and "${{" in node.text.text:
        found = value_of(node, around)
        node = found if isinstance(found, Table) else None
    if node is None or (isinstance(node, Scalar) and node.kind is Kind.NULL):
        return ()
    if not isinstance(node, Table):
        tell(job.source, node, f"has to be a mapping, and is {node.named}", key, True)
        return ()
    for entry in node.entries:
        if not isinstance(entry.value, Scalar):
            tell(job.source, entry.value, f"has to be a text, and is {entry.value.named}", f"{key}.{entry.name}", True)
    return node.entries


def called(table: Table, uses: Node, job: Job, place: Place, tell: Tell) -> Call | None:
    """A `uses:` as the command that it is (DESIGN 4.5)."""
    if not isinstance(uses, Scalar) or not uses.text:
        tell(job.source, uses, f"has to be a text, and is {uses.named}", f"{job.key}.uses", True)
        return None
    around = job.around
    key = table.by_name["uses"].key
    argv = [Word(literal("uses", key).pieces, key), Word(render(as_text(uses), around).pieces, uses.span)]
    given = table.get("with")
    if given is not None and not isinstance(given, Table) and not (isinstance(given, Scalar) and not given.text):
        tell(job.source, given, f"has to be a mapping, and is {given.named}", f"{job.key}.with", True)
    for entry in given.entries if isinstance(given, Table) else ():
        if not isinstance(entry.value, Scalar):
            said = f"has to be a text, and is {entry.value.named}"
            tell(job.source, entry.value, said, f"{job.key}.with.{entry.name}", True)
            continue
        value = render(as_text(entry.value), around)
        written = Span(entry.key.path, entry.key.start, max(entry.key.end, entry.value.span.end))
        argv.append(Word(_flag(entry.name, entry.key, value).pieces, written))
    return Call(
        tuple(argv),
        place,
        uses.span,
        around.variables,
        job.platforms,
        job.when,
        job.opt_in,
        job.ignored,
        job.via,
        job.unit,
        job.order,
        job.needs,
    )


def _flag(name: str, key: Span, value: Traced) -> Traced:
    """``--NAME=VALUE`` for one input."""
    return join((Traced((Piece("--"),)), literal(name, key), Traced((Piece("="),)), value))


def _folder(written: Traced) -> str | None:
    """A `working-directory`, from the root of the repository."""
    found = resolved(written, "")
    return found if found is not None or not written.text.startswith("./") else inside("", written.text)
