"""What tasks of moon run: commands that a shell reads unless they say no, and scripts.

Follows https://moonrepo.dev/docs/config/project#tasks, https://moonrepo.dev/docs/concepts/task-inheritance and
https://moonrepo.dev/docs/concepts/token. A project's tasks stand over those that `.moon/tasks.yml` gives to all.
"""

import posixpath
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache

from flagguard.command import Reading, Script, Word
from flagguard.hosts import Setting, yaml_text
from flagguard.hosts.moon import NAME, CommandLine
from flagguard.hosts.task_tables import (
    Tasks,
    behind,
    filled,
    inner,
    is_string,
    is_true,
    on_system,
    shell_words,
    texts,
    unknown,
)
from flagguard.hosts.tox_words import quoted
from flagguard.hosts.tree import Document, Entry, Items, Kind, Node, Scalar, Table, text_of
from flagguard.hosts.workspace import package
from flagguard.patterns import expression
from flagguard.text import Hole, Shape, SourceText, Span, Traced, hole, join, literal
from flagguard.values import dataclass, replace

_TOKEN = expression(r"\$(projectRoot|projectSource|projectName|project|workspaceRoot|taskName|task|target)\b")
_BELOW = "<inherited>"
_VARIABLE = expression(r"\$\{([A-Za-z_]\w*)\}")


@dataclass(frozen=True)
class Project:
    name: str
    folder: str
    source: SourceText | None
    """Its `moon.yml`."""
    needs: frozenset[str]


def read(source: SourceText, setting: Setting) -> Reading:
    """The tasks of one file, each by itself."""
    folder = posixpath.dirname(source.path)
    while folder and setting.files.read(posixpath.join(folder, ".moon/workspace.yml")) is None:
        folder = posixpath.dirname(folder)
    reader = _Reader(folder, setting, {}, source)
    shared = "/.moon/" in f"/{source.path}"
    home = posixpath.dirname(source.path)
    project = next((p for p in reader.projects() if p.folder == home), None) if not shared else None
    if project is None:
        project = Project(posixpath.basename(home), home, source, frozenset())
    for name, node in reader.entries(inner(_document(source).root, "tasks"), "tasks"):
        reader.one(project, name, node if shared else reader.task(project, name) or node, (), (), {}, shared)
    return reader.reading()


def knows(folder: str, setting: Setting, line: CommandLine, directory: str) -> bool:
    """Whether there is such a task."""
    reader = _Reader(folder, setting, {}, None)
    return any(reader.task(p, n) is not None for said in line.targets for p, n in reader.meant(said, directory))


def call(folder: str, setting: Setting, line: CommandLine, env: Mapping[str, Traced], directory: str) -> Reading:
    """The tasks that a command line names, with what they wait for."""
    reader = _Reader(folder, setting, env, None)
    for said in line.targets:
        for project, name in reader.meant(said, directory):
            reader.run(project, name, line.words, (), {})
    return reader.reading()


@lru_cache(maxsize=64)
def _document(source: SourceText) -> Document:
    return yaml_text.read(source)


class _Reader(Tasks):
    def __init__(self, top: str, setting: Setting, env: Mapping[str, Traced], source: SourceText | None) -> None:
        own = setting.files.read(posixpath.join(top, ".moon/workspace.yml"))
        super().__init__(NAME, source or own or SourceText(".moon/workspace.yml", ""), setting, env)
        self.top = top
        self.workspace = _document(own).root if own is not None else None
        self.told.update(dict.fromkeys(_document(source).problems if source is not None else ()))
        self._projects: list[Project] | None = None
        self._ran: set[object] = set()
        self.shared: list[SourceText] = []
        begin = posixpath.join(top, ".moon/tasks")
        for path in setting.files.paths():
            if path.startswith(begin) and path.endswith((".yml", ".yaml")):
                found = setting.files.read(path)
                self.shared += [found] if found is not None else []

    # -- projects

    def projects(self) -> list[Project]:
        if self._projects is None:
            said = inner(self.workspace, "projects")
            listed = said.items if isinstance(said, Items) else ()
            globs = [
                t.text
                for t in (*texts(Items(said.span, tuple(listed)) if said else None), *texts(inner(said, "globs")))
            ]
            sources = inner(said, "sources") or (said if isinstance(said, Table) else None)
            named = {n: t.text for n, v in self.entries(sources, "projects") if (t := text_of(v)).text}
            folders = {posixpath.normpath(posixpath.join(self.top, f)): n for n, f in named.items()}
            for path in self.setting.files.paths():
                folder = posixpath.dirname(path)
                at = posixpath.relpath(folder or ".", self.top or ".")
                if folder not in folders and any(fnmatchcase(at, g.removeprefix("./").rstrip("/")) for g in globs):
                    folders[folder] = posixpath.basename(folder)
            self._projects = [self._project("" if f == "." else f, n) for f, n in sorted(folders.items())]
        return self._projects

    def _project(self, folder: str, name: str) -> Project:
        found = (self.setting.files.read(posixpath.join(folder, f"moon.{end}")) for end in ("yml", "yaml"))
        source = next((s for s in found if s is not None), None)
        root = _document(source).root if source is not None else None
        said = inner(root, "dependsOn")
        needs = (
            {text_of(i.get("id") if isinstance(i, Table) else i).text for i in said.items}
            if isinstance(said, Items)
            else set()
        )
        own = self.setting.files.read(posixpath.join(folder, "package.json"))
        if own is not None:
            needs |= package(own).needs
        return Project(text_of(inner(root, "id")).text or name, folder, source, frozenset(needs))

    def meant(self, said: str, directory: str | None) -> Iterator[tuple[Project, str]]:
        """The projects and tasks that a target names."""
        scope, colon, name = said.rpartition(":")
        if not colon or scope == "~":
            at = directory or ""
            nearest = [p for p in self.projects() if p.folder == at or at.startswith(f"{p.folder}/") or not p.folder]
            yield from ((p, name) for p in sorted(nearest, key=lambda p: -len(p.folder))[:1])
            return
        yield from ((p, name) for p in self.projects() if not scope or p.name == scope)

    def task(self, project: Project, name: str) -> Node | None:
        """A task with what it inherits."""
        found: Node | None = None
        for source in (*self.shared, *((project.source,) if project.source is not None else ())):
            node = inner(_document(source).root, "tasks", name)
            if node is not None:
                self.looked_at.append(source.path)
                found = _over(found, node)
        base = text_of(inner(found, "extends")).text
        if base and base != name and self.entering(("extends", project.folder, name)):
            found = _over(self.task(project, base), found) if found is not None else None
            self.left()
        return found

    # -- tasks

    def run(
        self,
        project: Project,
        name: str,
        words: tuple[Traced, ...],
        via: tuple[Span, ...],
        passed: Mapping[str, Traced],
    ) -> None:
        node = self.task(project, name)
        if node is None or (project.folder, name) in self._ran or not self.entering((project.folder, name)):
            return
        self._ran.add((project.folder, name))
        depends = inner(node, "deps")
        for item in depends.items if isinstance(depends, Items) else ():
            said = text_of(item.get("target") if isinstance(item, Table) else item).text
            args = inner(item, "args")
            given = [w for t in texts(args) for w in (shell_words(t) if is_string(args) else [Word(t.pieces)])]
            env = self.variables(inner(item, "env"), f"tasks.{name}.deps.env")
            for other, task in self._needed(project, said):
                self.run(other, task, tuple(Traced(w.pieces) for w in given), (*via, item.span), env)
        self.left()
        self.one(project, name, node, words, via, passed, False)

    def _needed(self, project: Project, said: str) -> Iterator[tuple[Project, str]]:
        if said.startswith("^:"):
            yield from ((p, said[2:]) for p in self.projects() if p.name in project.needs)
        elif ":" in said and not said.startswith("~:"):
            yield from self.meant(said, project.folder)
        elif said:
            yield project, said.removeprefix("~:")

    def one(
        self,
        project: Project,
        name: str,
        node: Node,
        words: tuple[Traced, ...],
        via: tuple[Span, ...],
        passed: Mapping[str, Traced],
        shared: bool,
    ) -> None:
        """What a task itself runs; ``shared``: in nobody knows which project."""
        key = f"tasks.{name}"
        table = node if isinstance(node, Table) else Table(node.span, (Entry("command", node.span, node),))
        options = table.get("options")
        env = dict(self.given)
        own = _document(project.source).root if project.source is not None else None
        for part in (inner(own, "env") if not shared else None, table.get("env")):
            kept = part
            if isinstance(part, Table):  # a variable that is nothing is taken away
                gone = {e.name for e in part.entries if isinstance(e.value, Scalar) and e.value.kind is Kind.NULL}
                env = {name: value for name, value in env.items() if name not in gone}
                kept = Table(part.span, tuple(e for e in part.entries if e.name not in gone))
            for one, value in self.variables(kept, f"{key}.env").items():
                env[one] = self._expanded(self._tokens(value, project, name), env)
        env.update(passed)
        file = inner(options, "envFile")
        if is_string(file) or is_true(file):
            said = text_of(file) if is_string(file) else literal(".env")
            for one, value in self.from_file(said, project.folder, env).items():
                env.setdefault(one, value)
        folder: str | None = (
            self.top if is_true(inner(options, "runFromWorkspaceRoot")) else None if shared else project.folder
        )
        systems = texts(inner(options, "os"))
        allowed = frozenset[str]().union(*(on_system(s.text) for s in systems)) if systems else None
        if allowed is not None:
            allowed &= frozenset(self.setting.platforms)
        script = self.script(name, env, directory=folder, via=via, platforms=allowed)
        content = table.get("script")
        if is_string(content):
            self.add_text(script, behind(self._tokens(text_of(content), project, name), words), None)
            return
        self._command(project, name, table, script, words, key)

    def _command(
        self, project: Project, name: str, table: Table, script: Script, words: tuple[Traced, ...], key: str
    ) -> None:
        command, args, options = table.get("command"), table.get("args"), table.get("options")
        if command is None or (not is_string(command) and not isinstance(command, Items)):
            if command is not None:
                self.wrong(command, "a string or a list", f"{key}.command")
            return
        shell = inner(options, "shell")
        env = {v.name: v.value for v in script.env}
        first, rest = self._split(command, project, name)
        parts = [first, *self._inherited(table, project, name), rest]
        parts += [self._as_text(args, project, name)] if args is not None else []
        text = behind(join([p for i, t in enumerate([t for t in parts if t]) for p in _spaced(i, t)]), words)
        if isinstance(shell, Scalar) and shell.value is False:
            try:
                said = shell_words(text)
            except ValueError as error:
                self.tell(command, f"moon cannot cut this into words: {error}", f"{key}.command")
                return
            self.add_words(script, [Word(self._expanded(w, env).pieces, w.written) for w in said])
            return
        self.add_text(script, text, None)

    def _split(self, command: Node, project: Project, name: str) -> tuple[Traced, Traced]:
        """A command as its program and what follows: a task that extends another takes the program only."""
        text = self._as_text(command, project, name)
        at = len(text.text) - len(text.text.lstrip())
        end = at + len(text.text[at:].partition(" ")[0])
        return text.cut(at, end), text.cut(end + 1, len(text))

    def _inherited(self, table: Table, project: Project, name: str) -> Iterator[Traced]:
        """The arguments of the tasks that a task stands over, the furthest first."""
        below = table.get(_BELOW)
        if isinstance(below, Table):
            yield from self._inherited(below, project, name)
            command, args = below.get("command"), below.get("args")
            if command is not None:
                yield self._split(command, project, name)[1]
            if args is not None:
                yield self._as_text(args, project, name)

    def _as_text(self, node: Node, project: Project, name: str) -> Traced:
        """A command or its arguments as the shell sees them; of a list, each is one word."""
        if isinstance(node, Items):
            return quoted_words([self._tokens(t, project, name) for t in texts(node)])
        return self._tokens(text_of(node), project, name)

    def _tokens(self, text: Traced, project: Project, name: str) -> Traced:
        def value(written: Traced) -> Traced | None:
            said = written.text[1:]
            if said in ("projectRoot", "workspaceRoot"):
                path = project.folder if said == "projectRoot" else self.top
                return hole(Hole(written.shown, "where the tree is", shape=Shape.PATH, path=path), written.route)
            known = {
                "project": project.name,
                "projectName": project.name,
                "projectSource": project.folder,
                "task": name,
                "taskName": name,
                "target": f"{project.name}:{name}",
            }
            return literal(known[said]).grounded(written.route)

        return filled(text, _TOKEN, value)

    def _expanded(self, text: Traced, env: Mapping[str, Traced]) -> Traced:
        def value(written: Traced) -> Traced:
            name = written.text[2:-1]
            return (
                env[name].through(written.route)
                if name in env
                else unknown(written, "the caller's environment says it", name)
            )

        return filled(text, _VARIABLE, value)


def _spaced(index: int, text: Traced) -> tuple[Traced, ...]:
    return (literal(" "), text) if index else (text,)


_SAFE = expression(r"[^\s'\"\\;&|<>()`#]*")


def quoted_words(words: "list[Traced]") -> Traced:
    """Words of a list as a text: those with blanks are quoted, variables are not."""
    parts = [w if w.text and _SAFE.fullmatch(w.text) else quoted([w]) for w in words]
    return join([p for i, t in enumerate(parts) for p in ((literal(" "), t) if i else (t,))])


def _first(node: Node, only: Traced) -> Node:
    """A command without what follows the program, which is among what it hands down."""
    if isinstance(node, Items):
        return replace(node, items=node.items[:1])
    return replace(node, text=only) if isinstance(node, Scalar) else node


def _over(below: Node | None, node: Node) -> Node:
    """A task over the one that it inherits: its keys win, arguments and dependencies come behind."""
    if not isinstance(below, Table) or not isinstance(node, Table):
        return node
    names = {e.name for e in node.entries}
    kept: list[Entry] = []
    if below.get("command") is not None or below.get("args") is not None:
        kept.append(Entry(_BELOW, below.span, below))
    for entry in below.entries:
        own = node.get(entry.name)
        if entry.name in (_BELOW, "args"):
            continue
        if entry.name == "command" and own is None and node.get("script") is None:
            first = text_of(entry.value)
            only = first.cut(0, len(first.text.partition(" ")[0]))
            kept.append(Entry("command", entry.key, _first(entry.value, only)))
        elif own is None:
            kept.append(entry)
        elif entry.name == "deps" and isinstance(own, Items) and isinstance(entry.value, Items):
            kept.append(Entry(entry.name, entry.key, replace(own, items=(*entry.value.items, *own.items))))
        elif entry.name in ("env", "options"):
            kept.append(Entry(entry.name, entry.key, _over(entry.value, own)))
    taken = {e.name for e in kept} & names
    return Table(node.span, (*kept, *(e for e in node.entries if e.name not in taken)))
