"""Taskfiles with those that they include, as one list of tasks and variables.

Follows https://taskfile.dev/docs/reference/schema and https://taskfile.dev/docs/guide ("Including other Taskfiles").
The variables of an included file join those of the main one. What a task runs is not known here.
"""

import posixpath
from collections.abc import Iterator

from flagguard.hosts import Setting
from flagguard.hosts.gotemplate import Surroundings, TemplateError, fill
from flagguard.hosts.gotemplate_functions import Unknown
from flagguard.hosts.taskfile import in_path
from flagguard.hosts.tree import Items, Kind, Node, Scalar, Table, text_of
from flagguard.paths import inside
from flagguard.text import Problem, SourceText, Traced
from flagguard.values import dataclass, field, replace

_MOST = 100
"""Files that may be included."""


@dataclass(frozen=True)
class Variable:
    """As it is declared."""

    name: str
    node: Node
    folder: str | None = None
    """Where its command runs, if that is not the main file's folder."""


@dataclass(frozen=True)
class Task:
    name: str
    node: Node
    source: SourceText
    namespace: str = ""
    aliases: tuple[str, ...] = ()
    internal: bool = False
    folders: tuple[Traced | str, ...] = ()
    """The folders that the includes put in front of its own."""
    include_vars: tuple[Variable, ...] = ()
    file_vars: tuple[Variable, ...] = ()

    def get(self, key: str) -> Node | None:
        return self.node.get(key) if isinstance(self.node, Table) else None

    def items(self, key: str) -> tuple[Node, ...]:
        found = self.get(key)
        return found.items if isinstance(found, Items) else (found,) if found is not None else ()


@dataclass
class Taskfile:
    source: SourceText
    tasks: dict[str, Task] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    environment: list[Variable] = field(default_factory=list)
    dotenv: list[Node] = field(default_factory=list)
    options: tuple[str, ...] = ()
    """Of `set`."""
    partial: bool = False
    """It includes files that are not read."""

    def find(self, name: str) -> "tuple[Task, tuple[str, ...]] | None":
        """A task by its name or an alias, or by a pattern, with what its stars stand for."""
        task = self.tasks.get(name)
        if task is not None:
            return task, ()
        for task in self.tasks.values():
            if name in task.aliases:
                return task, ()
        for task in self.tasks.values():
            for pattern in (task.name, *task.aliases):
                found = _stars(pattern, name) if "*" in pattern else None
                if found is not None:
                    return task, found
        return None


def _stars(pattern: str, name: str) -> tuple[str, ...] | None:
    """What each `*` of the pattern stands for, the first as long as may be."""
    import re

    found = re.fullmatch("(.*)".join(map(re.escape, pattern.split("*"))), name)
    return found.groups() if found is not None else None


class Loader:
    """Reads files for one platform."""

    def __init__(self, setting: Setting, platform: str) -> None:
        self.setting = setting
        self.platform = platform
        self.problems: list[Problem] = []
        self.looked_at: list[str] = []
        self.asked_platform = False

    def load(self, source: SourceText, above: tuple[str, ...] = ()) -> Taskfile | None:
        from flagguard.hosts import yaml_text

        document = yaml_text.read(source)
        self.problems += document.problems
        root = document.root
        if isinstance(root, Scalar) and root.kind is Kind.NULL:
            return Taskfile(source)
        if not isinstance(root, Table):
            if root is not None:
                self.wrong(source, root, "a mapping", "the file")
            return None
        own = Taskfile(source)
        own.variables = variables(root.get("vars"))
        own.environment = variables(root.get("env"))
        own.dotenv = list(_items(root.get("dotenv")))
        own.options = tuple(text_of(n).text for n in _items(root.get("set")))
        tasks = root.get("tasks")
        if tasks is not None and not isinstance(tasks, Table) and not _nothing(tasks):
            self.wrong(source, tasks, "a mapping", "tasks")
        for entry in tasks.entries if isinstance(tasks, Table) else ():
            if isinstance(entry.value, Scalar) and entry.value.kind is not Kind.STRING:
                if not _nothing(entry.value):
                    self.wrong(source, entry.value, "a text, a list or a mapping", f"tasks.{entry.name}")
                continue
            self._checked(source, entry.value, f"tasks.{entry.name}")
            node = entry.value
            aliases = tuple(text_of(n).text for n in _items(node.get("aliases"))) if isinstance(node, Table) else ()
            internal = _true(node.get("internal")) if isinstance(node, Table) else False
            own.tasks[entry.name] = Task(entry.name, node, source, aliases=aliases, internal=internal)
        includes = root.get("includes")
        for entry in includes.entries if isinstance(includes, Table) else ():
            self._include(own, entry.name, entry.value, above)
        return own

    def _checked(self, source: SourceText, node: Node, key: str) -> None:
        if not isinstance(node, Table):
            return
        for name in ("cmds", "deps"):
            found = node.get(name)
            if found is not None and not isinstance(found, Items) and not _nothing(found):
                self.wrong(source, found, "a list", f"{key}.{name}")

    def wrong(self, source: SourceText, node: Node, wanted: str, key: str) -> None:
        line = source.position(node.span.start)[0]
        said = f"{key}: has to be {wanted}, and is {node.named}"
        self.problems.append(Problem(source.path, line, said, key=key))

    def _include(self, own: Taskfile, name: str, node: Node, above: tuple[str, ...]) -> None:
        table = node if isinstance(node, Table) else None
        said = text_of(node if table is None else table.get("taskfile"))
        folder = text_of(table.get("dir")) if table is not None else Traced()
        here = posixpath.dirname(own.source.path)
        optional = table is not None and _true(table.get("optional"))
        written = self._filled(own, said or folder)
        if written.text.startswith(("http://", "https://", "git@", "ssh://")) or ".git" in written.text:
            self._told(own, node, f"includes.{name}: a file of another place is not read")
            return
        path = inside(here, written.text) if written.known and written.text else None
        source = in_path(path, self.setting) if path is not None else None
        if path is not None:
            self.looked_at.append(path)
        if source is None:
            if not optional:
                told = f"includes.{name}: {written.shown or 'it'} is not in the repository, so its tasks are not read"
                self._told(own, node, told)
            return
        if source.path in (*above, own.source.path) or len(above) >= _MOST:
            return
        self.looked_at.append(source.path)
        other = self.load(source, (*above, own.source.path))
        if other is not None:
            self._merge(own, other, name, table, folder)

    def _told(self, own: Taskfile, node: Node, message: str) -> None:
        own.partial = True
        line = own.source.position(node.span.start)[0]
        self.problems.append(Problem(own.source.path, line, message, fatal=False))

    def _filled(self, own: Taskfile, text: Traced) -> Traced:
        if "{{" in text.text:
            self.asked_platform = True
        static = {
            v.name: text_of(v.node) for v in own.variables if text_of(v.node).text and "{{" not in text_of(v.node).text
        }
        try:
            return fill(text, Surroundings(static, self.platform, lambda _: False))
        except (TemplateError, Unknown):
            return text

    def _merge(self, own: Taskfile, other: Taskfile, name: str, table: Table | None, folder: Traced) -> None:
        here = posixpath.dirname(own.source.path)
        moved: str | None = None
        if folder.text:
            found = self._filled(own, folder)
            moved = inside(here, found.text) if found.known else None
        flatten = table is not None and _true(table.get("flatten"))
        hidden = table is not None and _true(table.get("internal"))
        without = {text_of(n).text for n in _items(table.get("excludes"))} if table is not None else set()
        namespaces = [name, *(text_of(n).text for n in _items(table.get("aliases") if table is not None else None))]
        given = tuple(variables(table.get("vars"))) if table is not None else ()
        for task in other.tasks.values():
            if task.name in without:
                continue
            aliases = task.aliases
            if not flatten:
                names = (task.name, *task.aliases)
                aliases = tuple(f"{space}:{n}" for space in namespaces for n in names)[1:]
                if task.name == "default" and name not in own.tasks:
                    aliases = (*aliases, *namespaces)
            full = task.name if flatten else f"{name}:{task.name}"
            joined = replace(
                task,
                name=full,
                aliases=aliases,
                namespace=task.namespace if flatten else f"{name}:{task.namespace}".rstrip(":"),
                internal=task.internal or hidden,
                folders=((moved, *task.folders) if moved is not None else task.folders),
                include_vars=(*given, *task.include_vars),
                file_vars=tuple(other.variables) if table is not None else task.file_vars,
            )
            own.tasks.setdefault(full, joined)
        own.partial = own.partial or other.partial
        where = moved if moved is not None else None
        own.variables += [replace(v, folder=v.folder or where) for v in other.variables]
        own.environment += [replace(v, folder=v.folder or where) for v in other.environment]


def variables(node: Node | None) -> list[Variable]:
    return [Variable(entry.name, entry.value) for entry in node.entries] if isinstance(node, Table) else []


def _items(node: Node | None) -> Iterator[Node]:
    if isinstance(node, Items):
        yield from node.items
    elif node is not None:
        yield node


def _true(node: Node | None) -> bool:
    return isinstance(node, Scalar) and node.value is True


def _nothing(node: Node) -> bool:
    return isinstance(node, Scalar) and node.kind is Kind.NULL
