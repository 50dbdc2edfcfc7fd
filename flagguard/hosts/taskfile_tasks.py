"""The tasks of a Taskfile, as scripts: one shell for each command, as mvdan/sh reads it.

Follows https://taskfile.dev/docs/guide and https://taskfile.dev/docs/reference/schema. A task is read as somebody may
start it, and as those start it that hand variables to it.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from flagguard.command import Dialect, Place, Reading, Script, Variable
from flagguard.hosts import Setting
from flagguard.hosts.gotemplate_functions import Missing, Unknown, Value, fields, machine, system, text_of
from flagguard.hosts.taskfile import NAME, CommandLine
from flagguard.hosts.taskfile_files import Loader, Task, Taskfile
from flagguard.hosts.taskfile_values import Values, World
from flagguard.hosts.tox_words import quoted
from flagguard.hosts.tree import Items, Node, Scalar, Table
from flagguard.hosts.tree import text_of as text_at
from flagguard.text import EMPTY, Decider, Hole, Problem, Shape, SourceText, Span, Traced, hole, join, literal
from flagguard.values import dataclass, replace

_MOST_WORLDS = 8
_MOST_ITEMS = 200
_MOST_DEEP = 40
_USUAL = {"linux": "linux-x86_64", "darwin": "macos-arm64", "windows": "windows-x86_64"}


@dataclass(frozen=True)
class Called:
    """How Task is called."""

    line: CommandLine
    env: Mapping[str, Traced]
    directory: str | None

    @property
    def key(self) -> tuple[object, ...]:
        line = self.line
        given = tuple((n, v.pieces) for n, v in line.variables)
        env = tuple((n, v.pieces) for n, v in sorted(self.env.items()))
        return (line.tasks, given, tuple(w.pieces for w in line.words), env, self.directory)


def read(source: SourceText, setting: Setting, called: Called | None = None) -> Reading:
    """The tasks of a file; ``called``: those that a call runs."""
    reader = _Reader(source, setting, called)
    try:
        reader.run()
    except RecursionError:
        reader.told.setdefault(Problem(source.path, 1, "nested too deeply to be read"))
    return Reading(
        tuple(reader.scripts()),
        problems=tuple(sorted(reader.told)),
        depends=tuple(dict.fromkeys(reader.looked_at)),
    )


def knows(source: SourceText, setting: Setting, names: Sequence[str]) -> bool:
    """Whether a file has a task of one of the names."""
    file = Loader(setting, (setting.platforms or ("linux-x86_64",))[0]).load(source)
    return file is not None and any(file.find(name) is not None for name in names)


class _Reader:
    def __init__(self, source: SourceText, setting: Setting, called: Called | None) -> None:
        self.source = source
        self.setting = setting
        self.called = called
        self.told: dict[Problem, None] = {}
        self.looked_at: list[str] = []
        self._found: list[tuple[Script, set[str]]] = []
        self._alike: dict[object, list[tuple[Script, set[str]]]] = {}
        self._files: dict[str, Taskfile | None] = {}
        self._places: set[object] = set()

    def scripts(self) -> Iterator[Script]:
        for script, platforms in self._found:
            everywhere = platforms == set(self.setting.platforms)
            yield script if everywhere else replace(script, platforms=frozenset(platforms))

    def tell(self, text: Traced, message: str, fatal: bool = True) -> None:
        route = next((p.route for p in text.pieces if p.route), ())
        path = route[-1].path if route else self.source.path
        source = self.source if path == self.source.path else self.setting.files.read(path)
        line = source.position(route[-1].start)[0] if route and source is not None else 1
        self.told.setdefault(Problem(path, line, message, fatal=fatal))

    def file(self, platform: str) -> Taskfile | None:
        if platform not in self._files:
            known = next(iter(self._files.values()), None)
            if self._files and not self._by_platform:
                self._files[platform] = known
            else:
                loader = Loader(self.setting, platform)
                self._files[platform] = loader.load(self.source)
                self._by_platform = loader.asked_platform
                self.looked_at += loader.looked_at
                self.told.update(dict.fromkeys(loader.problems))
        return self._files[platform]

    _by_platform = False

    def run(self) -> None:
        for platform in self.setting.platforms:
            file = self.file(platform)
            if file is None:
                return
            if self.called is not None:
                self._worlds(platform, self._call)
                continue
            handed = _handed(file)
            for task in file.tasks.values():
                needs = bool(task.items("requires"))
                if task.name in handed and (needs or task.internal):
                    continue
                self._worlds(platform, lambda run, task=task: run.task(task, {}, whole=False))
        if self.called is None:
            self._others()

    def _others(self) -> None:
        """Commands that are for systems alone that nobody asked for."""
        asked = {system(p) for p in self.setting.platforms}
        for name, platform in _USUAL.items():
            file = self.file(platform) if name not in asked and name in self.source.text else None
            for task in file.tasks.values() if file is not None else ():
                self._worlds(platform, lambda run, task=task: run.task(task, {}, whole=False), only_new=True)

    def _worlds(self, platform: str, start: "Any", only_new: bool = False) -> None:
        waiting: list[tuple[bool, ...]] = [()]
        count = 0
        file = self.file(platform)
        assert file is not None
        while waiting and count < _MOST_WORLDS:
            world = World(waiting.pop(0))
            count += 1
            run = _Run(self, file, platform, world)
            start(run)
            self.looked_at += run.values.looked_at
            for script in run.finished():
                self._add(script, platform, only_new)
            forced = len(world.forced)
            waiting += [(*world.taken[:i], not world.taken[i]) for i in range(forced, len(world.taken))]
        if waiting:
            self.told.setdefault(Problem(self.source.path, 1, "too many open conditions to follow all", fatal=False))

    def _call(self, run: "_Run") -> None:
        assert self.called is not None
        line = self.called.line
        for name in line.tasks:
            found = run.file.find(name)
            if found is not None:
                run.task(found[0], {}, whole=True, matched=found[1])

    def _add(self, script: Script, platform: str, only_new: bool) -> None:
        first = next((p.route[-1] for p in script.text.pieces if p.route), None)
        if only_new and first in self._places:
            return
        if not only_new:
            self._places.add(first)
        alike = self._alike.setdefault((script.unit, script.via, script.when, script.text.text), [])
        known = next((platforms for other, platforms in alike if other == script), None)
        if known is None:
            alike.append((script, {platform}))
            self._found.append(alike[-1])
        else:
            known.add(platform)


class _Run:
    """One way of running tasks: on a platform, in a world."""

    def __init__(self, reader: _Reader, file: Taskfile, platform: str, world: World) -> None:
        self.reader = reader
        self.file = file
        self.platform = platform
        called = reader.called
        self.called = called
        given = dict(called.env) if called is not None else {}
        self.values = Values(file, platform, world, given, reader.setting, reader.tell)
        self.world = world
        self.found: list[Script] = []
        self._running: list[str] = []
        self._ran: set[object] = set()
        words = [Traced(w.pieces) for w in called.line.words] if called is not None else []
        self.globals: dict[str, Value] = {
            "CLI_ARGS": quoted(words),
            "CLI_ARGS_LIST": list(words),
            "CLI_FORCE": False,
            "CLI_SILENT": False,
            "CLI_VERBOSE": False,
            "CLI_OFFLINE": False,
            "CLI_ASSUME_YES": False,
        }
        self.globals.update(called.line.variables if called is not None else ())

    def finished(self) -> Iterator[Script]:
        """The scripts, those of dynamic variables among them."""
        when = tuple(self.world.assumed)
        for command, folder, env in self.values.commands:
            yield Script(Place(NAME), Dialect.BASH, command, env=env, directory=folder)
        for script in self.found:
            yield replace(script, when=when) if when else script

    # -- a task

    def task(
        self,
        task: Task,
        passed: Mapping[str, Value],
        whole: bool,
        via: tuple[Span, ...] = (),
        matched: tuple[str, ...] = (),
    ) -> None:
        if not _fits(task.items("platforms"), self.platform) or task.name in self._running:
            return
        key = (task.name, matched, tuple((n, _plain(v)) for n, v in sorted(passed.items())))
        if key in self._ran or len(self._running) >= _MOST_DEEP:
            return
        self._ran.add(key)
        folder = self.values.directory(task, {**self.values.special(task, None), **passed})
        given = {**self._required(task, passed), **passed, **self._matched(task, matched)}
        names = self.values.names(task, given, self.globals, folder)
        folder = self.values.directory(task, names)
        env = self.values.environment(task, names, folder)
        unit = _Unit(self, task, names, env, folder, via)
        self._running.append(task.name)
        try:
            unit.run(whole)
        finally:
            self._running.pop()

    def _required(self, task: Task, passed: Mapping[str, Value]) -> dict[str, Value]:
        """The variables that a task needs and nobody gives."""
        requires = task.get("requires")
        wanted = requires.get("vars") if isinstance(requires, Table) else None
        found: dict[str, Value] = {}
        for node in wanted.items if isinstance(wanted, Items) else ():
            name = text_at(node.get("name") if isinstance(node, Table) else node).text
            if not name or name in passed or name in self.globals or name in self.values.given:
                continue
            if any(v.name == name for v in self.file.variables) or name in self.values.setting.assume:
                continue
            enum = node.get("enum") if isinstance(node, Table) else None
            among = tuple(text_at(n) for n in enum.items) if isinstance(enum, Items) else ()
            found[name] = hole(Hole(f"{{{{.{name}}}}}", "the caller gives it", name=name, among=among), ())
        return found

    def _matched(self, task: Task, matched: tuple[str, ...]) -> dict[str, Value]:
        stars = task.name.count("*")
        if not stars:
            return {}
        if matched:
            return {"MATCH": [literal(said) for said in matched]}
        return {"MATCH": [hole(Hole("*", "the name that the task is called by")) for _ in range(stars)]}


@dataclass
class _Unit:
    """A task that is run."""

    on: _Run
    task: Task
    names: dict[str, Value]
    env: dict[str, Traced]
    folder: str | None
    via: tuple[Span, ...]

    def run(self, whole: bool) -> None:
        task = self.task
        for node in task.items("deps"):
            for item, names in self._each(node):
                self._called(item, names, whole, ())
        condition = self._filled(text_at(task.get("if")), self.names)
        for node in task.items("preconditions"):
            self._add(self._filled(text_at(node.get("sh") if isinstance(node, Table) else node), self.names))
        for node in task.items("status"):
            self._add(self._filled(text_at(node), self.names), ignored=True)
        last: list[Node] = []
        for node in self._commands():
            if isinstance(node, Table) and node.get("defer") is not None:
                last.insert(0, node)
                continue
            for item, names in self._each(node):
                self._command(item, names, whole, condition)
        for node in last:
            deferred = node.get("defer") if isinstance(node, Table) else None
            if deferred is not None:
                self._command(deferred, {**self.names, "EXIT_CODE": Missing("EXIT_CODE")}, whole, condition)

    def _commands(self) -> Sequence[Node]:
        node = self.task.node
        if isinstance(node, Scalar):
            return (node,)
        if isinstance(node, Items):
            return node.items
        return (*self.task.items("cmd"), *self.task.items("cmds"))

    def _filled(self, text: Traced, names: Mapping[str, Value]) -> Traced:
        return self.on.values.filled(text, names)

    def _command(self, node: Node, names: Mapping[str, Value], whole: bool, condition: Traced) -> None:
        if isinstance(node, Scalar):
            self._add(_guarded(condition, self._filled(node.text, names)))
            return
        if not isinstance(node, Table):
            self.on.reader.tell(Traced(text_at(node).pieces), "a command has to be a text or a mapping")
            return
        if not _fits(_list(node.get("platforms")), self.on.platform):
            return
        own = self._filled(text_at(node.get("if")), names)
        if node.get("task") is not None:
            for text in (condition, own):
                self._add(text, ignored=True)
            self._called(node, names, whole, tuple(t.shown.strip() for t in (condition, own) if t.text.strip()))
            return
        text = self._filled(text_at(node.get("cmd")), names)
        ignored = isinstance(fails := node.get("ignore_error"), Scalar) and fails.value is True
        options = tuple(text_at(n).text for n in _list(node.get("set")))
        self._add(_guarded(condition, _guarded(own, text)), ignored, options)

    def _add(self, text: Traced, ignored: bool = False, options: tuple[str, ...] = ()) -> None:
        if not text.text.strip():
            return
        task = self.task
        options = (*self.on.file.options, *(text_at(n).text for n in task.items("set")), *options)
        # Task turns errexit on itself
        fails = task.get("ignore_error")
        self.on.found.append(
            Script(
                Place(NAME, task=task.name),
                Dialect.BASH,
                text,
                env=tuple(Variable(name, value) for name, value in self.env.items()),
                errexit=True,
                pipefail="pipefail" in options,
                ignored=ignored or (isinstance(fails, Scalar) and fails.value is True),
                directory=self.folder,
                via=self.via,
                unit=task.name,
                knows_arguments=True,
            )
        )

    # -- calls

    def _called(self, node: Node, names: Mapping[str, Value], whole: bool, when: tuple[str, ...]) -> None:
        written = text_at(node.get("task") if isinstance(node, Table) else node)
        name = self._filled(written, names)
        if not name.known or not name.text:
            return
        found = self.on.file.find(_full(name.text, self.task.namespace))
        if found is None:
            self.on.reader.tell(written, f"there is no task {name.text}", fatal=not self.on.file.partial)
            return
        given = node.get("vars") if isinstance(node, Table) else None
        passed: dict[str, Value] = {}
        for entry in given.entries if isinstance(given, Table) else ():
            passed[entry.name] = self.on.values.value(entry.value, names, self.folder)
        if not whole and not passed and not found[1]:
            return
        before = len(self.on.found)
        self.on.task(found[0], passed, whole, (*self.via, node.span), found[1])
        if when:
            self.on.found[before:] = [replace(s, when=(*s.when, *when)) for s in self.on.found[before:]]

    # -- loops

    def _each(self, node: Node) -> Iterator[tuple[Node, Mapping[str, Value]]]:
        """A command or a dependency for each value of its `for`."""
        loop = node.get("for") if isinstance(node, Table) else None
        if loop is None:
            yield node, self.names
            return
        name = text_at(loop.get("as")).text if isinstance(loop, Table) else ""
        items = self._items(loop)
        if len(items) > _MOST_ITEMS:
            self.on.reader.tell(text_at(loop), f"a loop has more than {_MOST_ITEMS} turns; the rest is not judged")
        for key, value in items[:_MOST_ITEMS]:
            extra = {name or "ITEM": value, **({"KEY": key} if key is not None else {})}
            yield node, {**self.names, **extra}

    def _items(self, loop: Node) -> list[tuple[Value, Value]]:
        values = self.on.values
        if isinstance(loop, Items):
            return [(None, values._plain(item, self.names)) for item in loop.items]
        if isinstance(loop, Scalar):
            shown = f"a file of {loop.text.shown}"
            return [(None, hole(Hole("{{.ITEM}}", shown, Decider.REPOSITORY, Shape.PATH), loop.text.route))]
        matrix = loop.get("matrix")
        if isinstance(matrix, Table):
            rows = [self._row(entry.value) for entry in matrix.entries]
            keys = [entry.name for entry in matrix.entries]
            return [(None, dict(zip(keys, row, strict=True))) for row in islice(product(*rows), _MOST_ITEMS + 1)]
        name = text_at(loop.get("var")).text
        value = self.names.get(name, Missing(name))
        if isinstance(value, list):
            return [(None, item) for item in value]
        if isinstance(value, Mapping):
            return [(literal(key), item) for key, item in value.items()]
        text = text_of(value)
        try:
            split = text_at(loop.get("split"))
            parts = _parts(text, split.text) if split.text else fields(text)
        except Unknown:
            shown = f"a part of {text.shown}"
            return [(None, hole(Hole("{{.ITEM}}", shown, Decider.REPOSITORY), text.route))]
        return [(None, part) for part in parts]

    def _row(self, node: Node) -> list[Value]:
        if isinstance(node, Items):
            return [self.on.values._plain(item, self.names) for item in node.items]
        value = self.on.values.value(node, self.names, self.folder)
        return value if isinstance(value, list) else [value]


def _parts(text: Traced, separator: str) -> list[Value]:
    from flagguard.hosts.gotemplate_functions import FUNCTIONS

    found: list[Value] = FUNCTIONS["splitList"]("", literal(separator), text)
    return found


def _guarded(condition: Traced, text: Traced) -> Traced:
    """A command that runs only where its condition holds."""
    if not condition.text.strip():
        return text
    return join([literal("if { "), condition, literal("\n}; then\n"), text, literal("\nfi\n")]) if text else EMPTY


def _plain(value: Value) -> object:
    return value.pieces if isinstance(value, Traced) else repr(value)


def _list(node: Node | None) -> tuple[Node, ...]:
    return node.items if isinstance(node, Items) else (node,) if node is not None else ()


def _fits(nodes: Sequence[Node], platform: str) -> bool:
    """Whether a list of platforms has this one: `linux`, `amd64`, `darwin/arm64`."""
    names = [text_at(node).text for node in nodes]
    here = {system(platform), machine(platform), f"{system(platform)}/{machine(platform)}"}
    return not names or any(name in here for name in names)


def _full(name: str, namespace: str) -> str:
    """The name of a task that a task of a namespace calls; a colon in front leads out of the namespace."""
    if namespace and name.startswith(":"):
        outer = namespace.rpartition(":")[0]
        return f"{outer}{name}" if outer else name[1:]
    return f"{namespace}:{name}" if namespace else name


def _handed(file: Taskfile) -> set[str]:
    """The tasks to which others hand variables."""
    found: set[str] = set()
    for task in file.tasks.values():
        for node in (*task.items("cmds"), *task.items("cmd"), *task.items("deps")):
            if isinstance(node, Table) and isinstance(node.get("vars"), Table):
                name = text_at(node.get("task")).text
                called = file.find(_full(name, task.namespace))
                found |= {called[0].name} if called is not None else set()
    return found
