"""What targets of Nx run: the executor `nx:run-commands`, scripts of packages, and what comes before.

Follows https://nx.dev/docs/reference/project-configuration ("Task definitions", "dependsOn"), https://nx.dev/docs/reference/nx-json
("targetDefaults") and https://nx.dev/docs/guides/tasks--caching/run-commands-executor. Other executors are programs of
plugins: what they run, and with which flags, no file of the tree says.
"""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from flagguard.command import Reading, Script
from flagguard.hosts import Setting, jsonc_text, yaml_text
from flagguard.hosts.nx import NAME, CommandLine
from flagguard.hosts.task_tables import Tasks, filled, inner, is_string, texts
from flagguard.hosts.tox_words import quoted
from flagguard.hosts.tree import Document, Items, Node, Scalar, Table, text_of
from flagguard.hosts.workspace import manager, package, starts_script
from flagguard.paths import resolved
from flagguard.patterns import expression
from flagguard.text import EMPTY, Hole, Shape, SourceText, Span, Traced, hole, join, literal
from flagguard.values import dataclass

_COMMANDS = ("nx:run-commands", "@nx/workspace:run-commands", "@nrwl/workspace:run-commands")
_SCRIPT = ("nx:run-script", "@nx/workspace:run-script", "@nrwl/workspace:run-script")
_TOKEN = expression(r"\{(?:projectRoot|projectName|workspaceRoot)\}")
_ARGUMENT = expression(r"\{args\.([\w-]+)\}")
_NOTHING = Span("", 0, 0)


@dataclass(frozen=True)
class Project:
    name: str
    folder: str
    source: SourceText
    targets: Mapping[str, Table]
    scripts: Mapping[str, tuple[Span, ...]]
    """Those of its package.json, with their places."""
    needs: frozenset[str]
    """The projects that it needs, by name."""


def read(source: SourceText, setting: Setting) -> Reading:
    """The targets of one project, each by itself."""
    reader = _Reader(_workspace(posixpath.dirname(source.path), setting), setting, {}, source)
    made = reader.project(source)
    if made is None:
        return reader.reading()
    for name, target in made.targets.items():
        for configuration in ("", *(n for n, _ in reader.entries(target.get("configurations"), "configurations"))):
            reader.target(made, name, configuration, (), (), whole=False)
    return reader.reading()


def knows(folder: str, setting: Setting, line: CommandLine) -> bool:
    """Whether there is such a target."""
    reader = _Reader(folder, setting, {}, None)
    return any(name in p.targets or name in p.scripts for p in reader.chosen(line) for name in line.targets)


def call(folder: str, setting: Setting, line: CommandLine, env: Mapping[str, Traced]) -> Reading:
    """The targets that a command line names, with what comes before each."""
    reader = _Reader(folder, setting, env, None)
    for name in line.targets:
        for project in reader.chosen(line):
            reader.target(project, name, line.configuration, line.words, (), whole=True)
    return reader.reading()


def _workspace(folder: str, setting: Setting) -> str:
    while folder and setting.files.read(posixpath.join(folder, "nx.json")) is None:
        folder = posixpath.dirname(folder)
    return folder


@lru_cache(maxsize=512)
def _document(source: SourceText) -> Document:
    return yaml_text.read_json(jsonc_text.plain(source))


def _targets(source: SourceText) -> Node | None:
    root = _document(source).root
    return inner(root, "targets") if source.path.endswith("project.json") else inner(root, "nx", "targets")


@lru_cache(maxsize=1024)
def _project(source: SourceText, beside: SourceText) -> Project | None:
    """A project, of its file and the package.json beside it; one tree asks for all of them with every call."""
    root = _document(source).root
    if not isinstance(root, Table):
        return None
    folder = posixpath.dirname(source.path)
    targets = _targets(source)
    found = (
        {e.name: e.value for e in targets.entries if isinstance(e.value, Table)} if isinstance(targets, Table) else {}
    )
    table = root if source.path.endswith("project.json") else root.get("nx")
    name = text_of(inner(table, "name")).text or text_of(root.get("name")).text or posixpath.basename(folder)
    needs = {t.text for t in texts(inner(table, "implicitDependencies"))}
    scripts: dict[str, tuple[Span, ...]] = {}
    if beside.path.endswith("package.json"):
        needs |= package(beside).needs
        listed = inner(_document(beside).root, "scripts")
        scripts = {e.name: (e.key,) for e in listed.entries} if isinstance(listed, Table) else {}
    return Project(name, folder, source, found, scripts, frozenset(needs))


class _Reader(Tasks):
    def __init__(self, top: str, setting: Setting, env: Mapping[str, Traced], source: SourceText | None) -> None:
        own = setting.files.read(posixpath.join(top, "nx.json"))
        super().__init__(NAME, source or own or SourceText(posixpath.join(top, "nx.json"), ""), setting, env)
        self.top = top
        self.program = manager(top, setting)
        self.defaults = inner(_document(own).root, "targetDefaults") if own is not None else None
        self._projects: list[Project] | None = None
        self._ran: set[object] = set()

    # -- projects

    def project(self, source: SourceText) -> Project | None:
        """What a `project.json` or a package.json says."""
        beside = source
        if not source.path.endswith("package.json"):
            found = self.setting.files.read(posixpath.join(posixpath.dirname(source.path), "package.json"))
            beside = found or source
        if source.path == self.source.path:
            self.told.update(dict.fromkeys(_document(source).problems))
            for name, node in self.entries(_targets(source), "targets"):
                if not isinstance(node, Table):
                    self.wrong(node, "a table", f"targets.{name}")
        return _project(source, beside)

    def projects(self) -> list[Project]:
        if self._projects is None:
            found: dict[str, Project] = {}
            begin = f"{self.top}/" if self.top else ""
            ends = ("project.json", "package.json")
            paths = [p for p in self.setting.files.paths() if p.endswith(ends) and p.startswith(begin)]
            for path in sorted(paths, key=lambda p: not p.endswith("project.json")):
                folder, name = posixpath.split(path)
                if name not in ends or folder in found or "node_modules/" in path:
                    continue
                source = self.setting.files.read(path)
                made = self.project(source) if source is not None else None
                if made is not None:
                    self.looked_at.append(path)
                    found[folder] = made
            self._projects = list(found.values())
        return self._projects

    def chosen(self, line: CommandLine) -> list[Project]:
        if line.projects is None:
            return self.projects()
        short = [p for p in self.projects() if p.name in line.projects or p.folder in line.projects]
        return short or [p for p in self.projects() if p.name.rpartition("/")[2] in line.projects]

    # -- targets

    def target(
        self,
        project: Project,
        name: str,
        configuration: str,
        words: tuple[Traced, ...],
        via: tuple[Span, ...],
        whole: bool,
    ) -> None:
        """A target; ``whole``: with those that come before it, which else are read by themselves."""
        same = (project.folder, name, configuration, whole)
        if same in self._ran or not self.entering(same):
            return
        self._ran.add(same)
        self.looked_at.append(project.source.path)
        target = project.targets.get(name)
        layers = self._layers(target, name)
        if whole:
            self._before(project, layers, configuration, via)
        self.left()
        executor = next((t.text for layer in layers if (t := text_of(layer.get("executor"))).text), "")
        short = next((node for layer in layers if is_string(node := layer.get("command"))), None)
        if target is None and name not in project.scripts:
            return
        if executor in _SCRIPT or (not executor and short is None and name in project.scripts):
            place = project.scripts.get(name) or project.source.traced(0, 1).route
            said = next((t for layer in layers if (t := text_of(inner(layer, "options", "script"))).text), None)
            said = said or literal(name).grounded(place)
            script = self.script(name, directory=project.folder, via=via)
            self.add(starts_script(script, self.program, said, words))
            return
        if executor in _COMMANDS or (not executor and short is not None):
            options = self._options(layers, configuration)
            self._commands(project, name, options, text_of(short), words, via)

    def _layers(self, target: Table | None, name: str) -> list[Table]:
        """What says something of a target, the nearest first."""
        executor = text_of(target.get("executor")).text if target is not None else ""
        found = [target] if target is not None else []
        for key in (executor, name):
            default = inner(self.defaults, key) if key else None
            if isinstance(default, Table):
                found.append(default)
                break
        return found

    def _options(self, layers: Sequence[Table], configuration: str) -> dict[str, Node]:
        found: dict[str, Node] = {}
        chosen = configuration or next(
            (t.text for layer in layers if (t := text_of(layer.get("defaultConfiguration"))).text), ""
        )
        for layer in reversed(layers):
            for part in (layer.get("options"), inner(layer, "configurations", chosen) if chosen else None):
                if isinstance(part, Table):
                    found.update((e.name, e.value) for e in part.entries)
        return found

    def _commands(
        self,
        project: Project,
        name: str,
        options: Mapping[str, Node],
        short: Traced,
        words: tuple[Traced, ...],
        via: tuple[Span, ...],
    ) -> None:
        key = f"targets.{name}"
        env = {**self.given, **self.variables(options.get("env"), f"{key}.options.env")}
        file = text_of(options.get("envFile"))
        if file.text:
            env = {**self.from_file(file, self.top, env), **env}
        folder: str | None = self.top
        cwd = text_of(options.get("cwd"))
        if cwd.text:
            folder = resolved(self._tokens(cwd, project), self.top)
        script = self.script(name, env, directory=folder, via=via)
        given = {e: v for e, v in options.items() if isinstance(v, Scalar)}
        extra = self._extra(options.get("args"), words, project)
        single = options.get("command")
        several = options.get("commands")
        lines: list[Node] = list(several.items) if isinstance(several, Items) else []
        if single is not None:
            lines = [single]
        if not lines and short.text:
            self._one(script, self._tokens(short, project), extra, given, words)
            return
        if not lines:
            self.tell(options.get("command") or _place(project, name), "holds no `command` and no `commands`", key)
        for line in lines:
            node = line.get("command") if isinstance(line, Table) else line
            parts = texts(node)
            if not parts:
                self.wrong(line, "a string, or a table with a `command`", f"{key}.options.commands")
                continue
            forwards = line.get("forwardAllArgs") if isinstance(line, Table) else options.get("forwardAllArgs")
            takes = not (isinstance(forwards, Scalar) and forwards.value is False)
            text = join([p for i, t in enumerate(parts) for p in ((literal(" "), t) if i else (t,))])
            self._one(script, self._tokens(text, project), extra if takes else EMPTY, given, words)

    def _one(
        self, script: Script, text: Traced, extra: Traced, given: Mapping[str, Scalar], words: Sequence[Traced]
    ) -> None:
        """A command, with its arguments in it, or behind it."""
        if "{args." in text.text:
            said = _named(words)

            def value(written: Traced) -> Traced:
                name = written.text[6:-1]
                if name in said:
                    return said[name]
                return given[name].text.through(written.route) if name in given else Traced()

            self.add_text(script, filled(text, _ARGUMENT, value))
        else:
            self.add_text(script, join([text, literal(" "), extra]) if extra else text)

    def _extra(self, args: Node | None, words: Sequence[Traced], project: Project) -> Traced:
        said = [self._tokens(t, project) for t in texts(args)]
        parts = [*said, *([quoted(_joined(words))] if words else [])]
        return join([p for i, t in enumerate(parts) for p in ((literal(" "), t) if i else (t,))])

    def _tokens(self, text: Traced, project: Project) -> Traced:
        def value(written: Traced) -> Traced:
            name = written.text[1:-1]
            if name == "workspaceRoot":
                known = Hole(written.shown, "where the tree is", shape=Shape.PATH, path=self.top)
                return hole(known, written.route)
            said = project.name if name == "projectName" else posixpath.relpath(project.folder or ".", self.top or ".")
            return literal(said).grounded(written.route)

        return filled(text, _TOKEN, value)

    # -- what comes before

    def _before(self, project: Project, layers: Sequence[Table], configuration: str, via: tuple[Span, ...]) -> None:
        depends = next((d for layer in layers if (d := layer.get("dependsOn")) is not None), None)
        for item in depends.items if isinstance(depends, Items) else ():
            for other, name in self._meant(project, item):
                self.target(other, name, configuration, (), (*via, item.span), whole=True)

    def _meant(self, project: Project, item: Node) -> Iterator[tuple[Project, str]]:
        text = text_of(item.get("target") if isinstance(item, Table) else item).text
        named = item.get("projects") if isinstance(item, Table) else None
        if isinstance(item, Table) and inner(item, "dependencies") is not None:
            text = f"^{text}"
        if named is not None and [t.text for t in texts(named)] not in (["self"], ["{self}"]):
            names = {t.text for t in texts(named)}
            yield from ((p, text) for p in self.projects() if p.name in names)
        elif text.startswith("^"):
            seen: set[str] = set()
            waiting = sorted(project.needs)
            while waiting:
                name = waiting.pop(0)
                if name not in seen:
                    seen.add(name)
                    for one in (p for p in self.projects() if p.name == name):
                        yield one, text[1:]
                        waiting += sorted(one.needs)
        elif ":" in text and text not in project.targets and text not in project.scripts:
            name, _, target = text.partition(":")
            yield from ((p, target) for p in self.projects() if p.name == name)
        elif text:
            yield project, text


def _place(project: Project, name: str) -> Node:
    return project.targets[name]


def _named(words: Sequence[Traced]) -> dict[str, Traced]:
    """`--NAME=VALUE` and `--NAME VALUE` by their names."""
    found: dict[str, Traced] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, _ = word.text.partition("=")
        if name.startswith("--"):
            value = word.cut(len(name) + 1, len(word))
            if not equals:
                value = rest.pop(0) if rest and not rest[0].text.startswith("-") else literal("true")
            found[name[2:]] = value
    return found


def _joined(words: Sequence[Traced]) -> list[Traced]:
    """Options as Nx hands them on: `--y z` as `--y=z`."""
    found: list[Traced] = []
    for word in words:
        last = found[-1].text if found else ""
        if not word.text.startswith("-") and last.startswith("--") and "=" not in last:
            found[-1] = join([found[-1], literal("="), word])
        else:
            found.append(word)
    return found
