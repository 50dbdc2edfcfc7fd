"""The variables that a task of a Taskfile sees, and its environment.

Follows https://taskfile.dev/docs/guide ("Variables", ".env files") and https://taskfile.dev/docs/reference/templating
("Special Variables"). What is run with them is not known here.
"""

import posixpath
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from flagguard.command import Dialect, Place, Script
from flagguard.command import Variable as Exported
from flagguard.hosts import Setting
from flagguard.hosts.gotemplate import Surroundings, TemplateError, fill, resolve
from flagguard.hosts.gotemplate_functions import Missing, Unknown, Value, text_of
from flagguard.hosts.just_dotenv import variables as dotenv
from flagguard.hosts.pipelines import written
from flagguard.hosts.taskfile_files import Task, Taskfile, Variable
from flagguard.hosts.tree import Items, Kind, Node, Scalar, Table
from flagguard.hosts.tree import text_of as text_at
from flagguard.paths import inside, resolved
from flagguard.text import EMPTY, Decider, Hole, Shape, Traced, hole, literal
from flagguard.values import dataclass, field, replace

_STDOUT = "/dev/stdout"
_MACHINE = frozenset("HOME PATH USER LOGNAME PWD SHELL TMPDIR LANG TERM HOSTNAME".split())
_PATHS = frozenset("HOME PWD TMPDIR SHELL".split())

Tell = Callable[[Traced, str], None]


@dataclass
class World:
    """What is assumed of conditions that nobody can decide."""

    forced: tuple[bool, ...] = ()
    taken: list[bool] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    _known: dict[str, bool] = field(default_factory=dict)

    def decide(self, said: str) -> bool:
        if said not in self._known:
            chosen = self.forced[len(self.taken)] if len(self.taken) < len(self.forced) else True
            self.taken.append(chosen)
            self.assumed.append(said if chosen else f"not ({said})")
            self._known[said] = chosen
        return self._known[said]


class Values:
    """Of one Taskfile on one platform in one world."""

    def __init__(
        self, file: Taskfile, platform: str, world: World, given: Mapping[str, Traced], setting: Setting, tell: Tell
    ) -> None:
        self.file = file
        self.platform = platform
        self.world = world
        self.given = given
        self.setting = replace(setting, platforms=(platform,))
        self.tell = tell
        self.folder = posixpath.dirname(file.source.path)
        self.commands: list[tuple[Traced, str | None, tuple[Exported, ...]]] = []
        """The commands of dynamic variables, each with its folder and its environment."""
        self.looked_at: list[str] = []
        self._printed: dict[tuple[str, str | None], Traced] = {}

    # -- templates

    def filled(self, text: Traced, names: Mapping[str, Value]) -> Traced:
        try:
            return fill(text, Surroundings(_Names(names, self.setting.assume), self.platform, self.world.decide))
        except TemplateError as error:
            self.tell(text.cut(error.at, error.at + 1) or text, f"Task would not run this: {error.message}")
            return text

    def value(
        self, node: Node, names: Mapping[str, Value], folder: str | None, env: tuple[Exported, ...] = ()
    ) -> Value:
        """What a variable is, as it is declared."""
        if isinstance(node, Items):
            return [self.value(item, names, folder) for item in node.items]
        if isinstance(node, Scalar):
            if node.kind is Kind.NULL:
                return Missing("")
            return node.value if node.kind is Kind.BOOLEAN else self.filled(node.text, names)
        command, reference = node.get("sh"), node.get("ref")
        if command is not None:
            return self._output(self.filled(text_at(command), names), folder, env)
        if reference is not None:
            return self._referred(text_at(reference), names)
        for key in ("map", "value"):
            inner = node.get(key)
            if inner is not None and len(node.entries) <= 2:
                return self._plain(inner, names)
        return self._plain(node, names)

    def _plain(self, node: Node, names: Mapping[str, Value]) -> Value:
        if isinstance(node, Table):
            return {entry.name: self._plain(entry.value, names) for entry in node.entries}
        if isinstance(node, Items):
            return [self._plain(item, names) for item in node.items]
        return node.value if node.kind is Kind.BOOLEAN else self.filled(node.text, names)

    def _referred(self, text: Traced, names: Mapping[str, Value]) -> Value:
        around = Surroundings(_Names(names, self.setting.assume), self.platform, self.world.decide)
        try:
            return resolve(text, around)
        except Unknown as unknown:
            return hole(Hole(text.shown, f"{unknown.what} is not known", Decider.REPOSITORY), text.route)
        except TemplateError as error:
            self.tell(text, f"Task would not run this: {error.message}")
            return Missing("")

    def _output(self, command: Traced, folder: str | None, env: tuple[Exported, ...]) -> Traced:
        """What a command prints, without its last new line: followed where it only prints what is known."""
        key = (command.shown, folder)
        if key not in self._printed:
            self.commands.append((command, folder, env))
            self._printed[key] = self._followed(command, folder, env)
        return self._printed[key]

    def _followed(self, command: Traced, folder: str | None, env: tuple[Exported, ...]) -> Traced:
        script = Script(Place("taskfile"), Dialect.BASH, command, env=env, directory=folder)
        found = (written(script, self.setting, _STDOUT) or {}).get(_STDOUT, ())
        texts = [text.cut(0, len(text) - text.text.endswith("\n")) for text in found]
        if len(texts) == 1 and texts[0].known and not any(p.unset for p in texts[0].pieces):
            return texts[0].through(command.route)
        reason = "the output of a command"
        among = tuple(texts) if texts and all(t.known for t in texts) else ()
        return hole(Hole(f"$({command.shown.strip()})", reason, Decider.REPOSITORY, among=among), command.route)

    # -- what a task sees

    def special(self, task: Task | None, folder: str | None) -> dict[str, Value]:
        def place(name: str, path: str | None) -> Traced:
            return hole(Hole(f"{{{{.{name}}}}}", "where the tree is", shape=Shape.PATH, path=path))

        source = task.source.path if task is not None else self.file.source.path
        windows = self.platform.startswith("windows")
        return {
            "TASK": literal(task.name if task is not None else ""),
            "ALIAS": literal(task.name if task is not None else ""),
            "TASK_EXE": literal("task"),
            "ROOT_TASKFILE": place("ROOT_TASKFILE", self.file.source.path),
            "ROOT_DIR": place("ROOT_DIR", self.folder),
            "TASKFILE": place("TASKFILE", source),
            "TASKFILE_DIR": place("TASKFILE_DIR", posixpath.dirname(source)),
            "TASK_DIR": place("TASK_DIR", folder),
            "USER_WORKING_DIR": place("USER_WORKING_DIR", None),
            "TASK_VERSION": hole(Hole("{{.TASK_VERSION}}", "the version of Task")),
            "PATH_LIST_SEPARATOR": literal(";" if windows else ":"),
            "FILE_PATH_SEPARATOR": literal("\\" if windows else "/"),
            "CHECKSUM": hole(Hole("{{.CHECKSUM}}", "a checksum of files", Decider.REPOSITORY)),
            "TIMESTAMP": hole(Hole("{{.TIMESTAMP}}", "the time of files", Decider.REPOSITORY)),
            "EXIT_CODE": EMPTY,
        }

    def names(
        self, task: Task | None, passed: Mapping[str, Value], globals_: Mapping[str, Value], folder: str | None
    ) -> dict[str, Value]:
        """The variables, each worked out with those before it."""
        names: dict[str, Value] = dict(self.given)
        names.update(self.special(task, folder))
        for variable in (*self.file.environment, *self.file.variables):
            names[variable.name] = self.value(
                variable.node, names, variable.folder or self.folder, self.exported(names)
            )
        names.update(globals_)
        for variable in task.include_vars if task is not None else ():
            names[variable.name] = self.value(variable.node, names, self.folder)
        for variable in task.file_vars if task is not None else ():
            names[variable.name] = self.value(variable.node, names, folder)
        names.update(passed)
        if task is not None and isinstance(own := task.get("vars"), Table):
            for entry in own.entries:
                names[entry.name] = self.value(entry.value, names, folder, self.exported(names))
        return names

    def exported(self, names: Mapping[str, Value]) -> tuple[Exported, ...]:
        """What of the variables a command of a dynamic one finds in its environment."""
        declared = {v.name for v in (*self.file.environment, *self.file.variables)}
        env = {n: v for n, v in names.items() if isinstance(v, Traced) and n in declared}
        env.update(self.given)
        return tuple(Exported(name, value) for name, value in env.items())

    def environment(self, task: Task, names: Mapping[str, Value], folder: str | None) -> dict[str, Traced]:
        """What a command of the task finds in its environment; what the caller has set stays."""
        found: dict[str, Traced] = {}
        for variable in self.file.environment:
            self._put(variable, names, self.folder, found)
        for node in self.file.dotenv:
            self._read(node, names, self.folder, found)
        of_task: dict[str, Traced] = {}
        for node in task.items("dotenv"):
            self._read(node, names, folder, of_task, found)
        found.update(of_task)  # which the file's own `env` does not outdo, as it does the file's `dotenv`
        own = task.get("env")
        for entry in own.entries if isinstance(own, Table) else ():
            self._put(Variable(entry.name, entry.value), names, folder, found)
        return {**found, **self.given}

    def _put(
        self, variable: Variable, names: Mapping[str, Value], folder: str | None, found: dict[str, Traced]
    ) -> None:
        env = tuple(Exported(name, value) for name, value in {**found, **self.given}.items())
        value = self.value(variable.node, names, folder, env)
        if isinstance(value, Traced | bool | int):
            found[variable.name] = text_of(value)

    def _read(
        self,
        node: Node,
        names: Mapping[str, Value],
        folder: str | None,
        found: dict[str, Traced],
        before: Mapping[str, Traced] = MappingProxyType({}),
    ) -> None:
        name = self.filled(text_at(node), names)
        path = resolved(name, folder)
        source = self.setting.files.read(path) if path is not None else None
        if path is not None:
            self.looked_at.append(path)
        for key, value in dotenv(source, {**before, **found, **self.given}) if source is not None else ():
            found.setdefault(key, self.filled(value, names))

    def directory(self, task: Task, names: Mapping[str, Value]) -> str | None:
        """Where the task runs."""
        here: str | None = self.folder
        for folder in task.folders:
            here = inside("", folder) if isinstance(folder, str) else None
        own = self.filled(text_at(task.get("dir")), names)
        return resolved(own, here) if own.text else here


class _Names(Mapping[str, Value]):
    """Variables, with what the configuration and the machine give."""

    def __init__(self, names: Mapping[str, Value], assume: Mapping[str, str]) -> None:
        self._names, self._assume = names, assume

    def __getitem__(self, name: str) -> Value:
        if name in self._names:
            return self._names[name]
        if name in self._assume:
            return literal(self._assume[name])
        if name in _MACHINE:
            shape = Shape.PATH if name in _PATHS else Shape.ANY
            return hole(Hole(f"{{{{.{name}}}}}", "the machine sets it", shape=shape, name=name))
        raise KeyError(name)

    def __iter__(self) -> "Sequence[str]":  # type: ignore[override]
        return iter(self._names)  # type: ignore[return-value]

    def __len__(self) -> int:
        return len(self._names)
