"""Azure Pipelines: the steps of a job as scripts and calls, one after another.

Follows https://learn.microsoft.com/azure/devops/pipelines/yaml-schema/steps and
https://learn.microsoft.com/azure/devops/pipelines/process/set-variables-scripts: `$( )` is replaced before any shell
sees the text, every variable is in the environment too, and what a step sets by `##vso[task.setvariable]` is there
for the steps behind it. A `task:` that runs no script is the command `uses TASK` with its inputs as flags.
"""

from collections.abc import Iterator, Mapping, Sequence

from flagguard.command import Call, Dialect, Place, Script, Variable, Word
from flagguard.hosts import Setting
from flagguard.hosts.azure_expressions import evaluate, truth
from flagguard.hosts.azure_tasks import SHELLS, Run, default_shell, run_of
from flagguard.hosts.azure_templates import DEEPEST, Scope, Templates, contradicts, parameters_of
from flagguard.hosts.github_values import Unknown, Value
from flagguard.hosts.pipelines import STDOUT, Frame, Notes, Shell, TooLarge, is_false, open_hole, text, unread, written
from flagguard.hosts.tree import Entry, Kind, Node, Scalar, Table
from flagguard.paths import resolved
from flagguard.patterns import expression
from flagguard.text import Piece, Span, Traced, join, literal
from flagguard.values import dataclass, replace

_MOST_STEPS = 5_000
_SET = expression(r"##vso\[task\.setvariable\s+([^\]]*)\]")
_PROPERTY = expression(r"([A-Za-z]+)\s*=\s*([^;\]]*)")
_SETS = (
    "AGENT_BUILDDIRECTORY AGENT_HOMEDIRECTORY AGENT_ID AGENT_JOBNAME AGENT_JOBSTATUS AGENT_MACHINENAME AGENT_NAME "
    "AGENT_OS AGENT_OSARCHITECTURE AGENT_TEMPDIRECTORY AGENT_TOOLSDIRECTORY AGENT_WORKFOLDER "
    "BUILD_ARTIFACTSTAGINGDIRECTORY BUILD_BINARIESDIRECTORY BUILD_BUILDID BUILD_BUILDNUMBER BUILD_DEFINITIONNAME "
    "BUILD_QUEUEDBY BUILD_REASON BUILD_REPOSITORY_LOCALPATH BUILD_REPOSITORY_NAME BUILD_REPOSITORY_URI "
    "BUILD_REQUESTEDFOR BUILD_SOURCEBRANCH BUILD_SOURCEBRANCHNAME BUILD_SOURCESDIRECTORY BUILD_SOURCEVERSION "
    "BUILD_SOURCEVERSIONMESSAGE BUILD_STAGINGDIRECTORY COMMON_TESTRESULTSDIRECTORY PIPELINE_WORKSPACE "
    "SYSTEM_ACCESSTOKEN SYSTEM_COLLECTIONURI SYSTEM_DEFAULTWORKINGDIRECTORY SYSTEM_DEFINITIONID SYSTEM_JOBATTEMPT "
    "SYSTEM_JOBDISPLAYNAME SYSTEM_JOBID SYSTEM_JOBNAME SYSTEM_PULLREQUEST_ISFORK SYSTEM_PULLREQUEST_PULLREQUESTID "
    "SYSTEM_PULLREQUEST_PULLREQUESTNUMBER SYSTEM_PULLREQUEST_SOURCEBRANCH SYSTEM_PULLREQUEST_TARGETBRANCH "
    "SYSTEM_STAGEATTEMPT SYSTEM_STAGENAME SYSTEM_TEAMFOUNDATIONCOLLECTIONURI SYSTEM_TEAMPROJECT TF_BUILD"
).split()
"""https://learn.microsoft.com/azure/devops/pipelines/build/variables."""
_NO_COMMANDS = frozenset("checkout download downloadbuild getpackage publish reviewapp".split())
_OUTCOME = ("succeeded()", "succeededOrFailed()", "always()")


@dataclass(frozen=True)
class Job:
    """Where steps stand."""

    frame: Frame
    scope: Scope
    key: str
    windows: bool = False
    depth: int = 0


class Steps:
    """The steps of one job, one after another."""

    def __init__(self, notes: Notes, setting: Setting, templates: Templates) -> None:
        self.notes = notes
        self.setting = setting
        self.templates = templates
        self.set: dict[str, Traced] = {}
        """What earlier steps have set."""
        self._count = 0

    def run(self, node: Node, job: Job) -> Iterator[Script | Call]:
        for item, scope, when, asked in job.scope.items(node):
            if contradicts(job.frame, when):
                continue
            frame = job.frame.assuming(*when)
            frame = replace(frame, opt_in=frame.opt_in or asked)
            here = replace(job, frame=frame, scope=scope)
            if not isinstance(item, Table):
                if not (
                    isinstance(item, Scalar) and (item.kind is Kind.NULL or item.text.holes or "${{" in item.text.text)
                ):
                    self.notes.wrong(item, "a step", job.key)
                elif isinstance(item, Scalar) and item.text:
                    self.notes.tell(item.span, "which steps these are is not known here", job.key)
                continue
            table = Table(item.span, tuple(e for e, _, _ in scope.entries(item)))
            if table.get("template") is not None:
                yield from self._template(table, here)
            else:
                yield from self._step(table, here)

    def _template(self, step: Table, job: Job) -> Iterator[Script | Call]:
        at = step.get("template")
        assert at is not None
        name = job.scope.rendered(at)
        root = self.templates.find(name, at)
        if root is None:
            return
        if job.depth >= DEEPEST:
            raise TooLarge("templates use each other too deeply")
        scope = inner_scope(root, step, job.scope)
        steps = next((e.value for e, _, _ in scope.entries(root) if e.name == "steps"), None)
        frame = replace(job.frame, via=(*job.frame.via, at.span))
        if steps is not None:
            yield from self.run(steps, replace(job, frame=frame, scope=scope, depth=job.depth + 1))

    # -- one step

    def _step(self, step: Table, job: Job) -> Iterator[Script | Call]:
        self._count += 1
        if self._count > _MOST_STEPS:
            raise TooLarge(f"a job comes to more than {_MOST_STEPS} steps")
        number = self._count
        scope = replace(job.scope, variables={**job.scope.variables, **self.set})
        enabled = step.get("enabled")
        if enabled is not None and is_false(_node(scope.value(enabled))):
            return
        verdict = condition(step.get("condition"), scope)
        if verdict is None:
            return
        frame = verdict.on(job.frame)
        frame = replace(frame, order=(*frame.order, number - 1), values=self._environment(step, scope))
        going = step.get("continueOnError")
        frame = replace(frame, ignored=frame.ignored or (going is not None and truth(scope.value(going)) is True))
        kind = step.entries[0].name if step.entries else ""
        kind = next((e.name for e in step.entries if e.name in (*_KINDS, "task")), kind)
        said = scope.rendered(step.get("displayName")).shown or text(step.get("name")).shown or str(number)
        here = replace(job, frame=frame, scope=scope)
        if kind in _KINDS:
            yield from self._script(step, kind, said, here)
        elif kind == "task":
            yield from self._task(step, said, here)
        elif kind.lower() not in _NO_COMMANDS:
            told = "a step is a script, a task, a template or the like; this is none that is known"
            self.notes.tell(step.span, told, job.key, fatal=False)

    def _environment(self, step: Table, scope: Scope) -> Mapping[str, Traced]:
        """Every variable, by its name in the environment, and the step's `env`."""
        found: dict[str, Traced] = {}
        for name in scope.variables:
            value = scope.variable(name, f"$({name})")
            if value is not None:
                found[name.upper().replace(".", "_").replace(" ", "_")] = value
        env = step.get("env")
        for entry, own, sure in scope.entries(env) if isinstance(env, Table) else ():
            value = own.rendered(entry.value)
            found[entry.name] = value if sure else open_hole(f"${entry.name}", "a condition decides it", entry.name)
        return found

    def _script(self, step: Table, kind: str, said: str, job: Job) -> Iterator[Script]:
        body = job.scope.rendered(step.get(kind))
        if not body:
            return
        shell = _KINDS[kind] or default_shell(job.windows)
        folder = job.scope.rendered(step.get("workingDirectory"))
        yield self._made(Run(body, shell, folder), said, job, f"{job.key}.{kind}", text(step.get("name")).text)

    def _task(self, step: Table, said: str, job: Job) -> Iterator[Script | Call]:
        node = step.get("task")
        name = job.scope.rendered(node)
        inputs = step.get("inputs")
        given: list[tuple[Entry, Traced]] = []
        for entry, own, sure in job.scope.entries(inputs) if isinstance(inputs, Table) else ():
            value = own.rendered(entry.value)
            given.append((entry, value if sure else open_hole("…", "a condition decides it")))
        known = {entry.name.lower(): value for entry, value in given}
        task = name.text.partition("@")[0].rpartition(".")[2].lower()
        run = run_of(task, known, job.windows)
        if run is not None and run.text:
            yield self._made(run, said, job, f"{job.key}.task", text(step.get("name")).text)
        if task not in SHELLS and node is not None:
            yield _call(step, name, given, said, job.frame)

    def _made(self, run: Run, said: str, job: Job, key: str, name: str) -> Script:
        folder = resolved(run.folder, "") if run.folder else ""
        frame = replace(job.frame, directory=folder)
        script = unread(self.notes, frame.script(said, run.text, run.shell), key)
        self._note(script, name)
        return script

    # -- what steps set

    def _note(self, script: Script, name: str) -> None:
        if "task.setvariable" not in script.text.text:
            return
        found = written(script, self.setting, STDOUT)
        held = found.get(STDOUT, ()) if found is not None else ()
        values: dict[str, list[Traced]] = {}
        for one in held:
            for variable, output, value in _commands(one):
                for own in (variable, f"{name}.{variable}") if output and name else (variable,):
                    values.setdefault(own, []).append(value)
        sure = len(held) == 1 and script.platforms is not None
        for variable, several in values.items():
            same = all(v == several[0] for v in several) and len(several) == len(held)
            self.set[variable] = several[-1] if sure or same else _open(variable)
        for found_ in _SET.finditer(script.text.text):
            variable = dict(_PROPERTY.findall(found_[1])).get("variable", "").strip("\"' ")
            if variable and variable not in values:
                self.set[variable] = _open(variable)
                if name:
                    self.set[f"{name}.{variable}"] = _open(variable)


def _open(name: str) -> Traced:
    return open_hole(f"$({name})", "an earlier step sets it", name)


def _commands(text: Traced) -> Iterator[tuple[str, bool, Traced]]:
    """The `##vso[task.setvariable …]` among what a step prints: the name, whether it is an output, the value."""
    at = 0
    for line in text.text.split("\n"):
        found = _SET.search(line)
        if found is not None:
            said = {k.lower(): v.strip() for k, v in _PROPERTY.findall(found[1])}
            if said.get("variable"):
                yield (
                    said["variable"],
                    said.get("isoutput", "").lower() == "true",
                    text.cut(at + found.end(), at + len(line)),
                )
        at += len(line) + 1


_KINDS: Mapping[str, Shell | None] = {
    "script": None,
    "bash": Shell(Dialect.BASH),
    "pwsh": Shell(Dialect.POWERSHELL),
    "powershell": Shell(Dialect.POWERSHELL),
}


def outside_names(values: Mapping[str, Traced]) -> tuple[str, ...]:
    return tuple(name for name in _SETS if name not in values)


def _node(value: Value) -> Node | None:
    return None if isinstance(value, Unknown) else value


@dataclass(frozen=True)
class Verdict:
    """What a condition asks for. ``asked``: whoever starts the pipeline has to ask for it."""

    when: tuple[str, ...] = ()
    asked: bool = False

    def on(self, frame: Frame) -> Frame:
        return replace(frame.assuming(*self.when), opt_in=frame.opt_in or self.asked)


def condition(node: Node | None, scope: Scope) -> Verdict | None:
    """What the condition of a step or a job asks for; None: it never holds."""
    if node is None:
        return Verdict()
    said = scope.text(text(node))
    shown = " ".join(said.shown.split())
    if said.text.lower() == "true" or shown in _OUTCOME:
        return Verdict()
    held = truth(evaluate(said, scope.get))
    if held:
        return Verdict()
    asked = f"condition: {shown}"[:200]
    if held is None or truth(evaluate(said, scope.get, usual=False)) is not False:
        return Verdict((asked,))
    return Verdict((asked,), True) if any(p.overridable for p in said.pieces) else None


def inner_scope(root: Table, user: Table, scope: Scope) -> Scope:
    """What a template sees: the parameters that its user gives, and the variables there."""
    given = user.get("parameters")
    values: dict[str, Value] = {}
    for entry, own, sure in scope.entries(given) if isinstance(given, Table) else ():
        values[entry.name] = own.value(entry.value) if sure else Unknown("a condition decides it")
    inner = replace(scope, loops={}, alone=False)
    return replace(inner, parameters=parameters_of(root, values, inner))


def _call(step: Table, name: Traced, given: Sequence[tuple[Entry, Traced]], said: str, frame: Frame) -> Call:
    key, node = step.by_name["task"].key, step.by_name["task"].value
    argv = [Word(literal("uses", key).pieces, key), Word(name.pieces, node.span)]
    for entry, value in given:
        at = Span(entry.key.path, entry.key.start, max(entry.key.end, entry.value.span.end))
        flag = join((Traced((Piece("--"),)), literal(entry.name, entry.key), Traced((Piece("="),)), value))
        argv.append(Word(flag.pieces, at))
    return Call(
        tuple(argv),
        Place(frame.host, job=frame.job, step=said, runner=frame.runner),
        node.span,
        tuple(Variable(n, v) for n, v in frame.values.items()),
        frame.platforms,
        frame.when,
        frame.opt_in,
        frame.ignored,
        frame.via,
        frame.unit,
        frame.order,
        frame.needs,
    )
