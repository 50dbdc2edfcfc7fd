"""poethepoet's tasks: `[tool.poe]` in pyproject.toml, and poe_tasks.toml, .yaml, .yml, .json.

Follows poethepoet 0.49 (https://poethepoet.natn.io/). A `cmd` is no shell: it is split here, as poe does it, into a
ready argv. A `shell` body goes to `sh` on standard input. A reference to another task is the command `poe NAME`. Python
(`script`, `expr`) holds no commands.
"""

import posixpath
import re
import shlex
from dataclasses import dataclass, replace

from flagguard.command import PLATFORMS, Dialect, Place, Reading, Script, Word, word
from flagguard.hosts import Setting, poe_cmd, poe_env, toml_text, yaml_text
from flagguard.hosts.poe_env import Environment
from flagguard.hosts.tree import Document, Entry, Items, Kind, Node, Scalar, Table, text_of
from flagguard.text import Decider, Hole, Piece, Problem, SourceText, Traced, hole, join

NAME = "poe"

_FILES = ("pyproject.toml", "poe_tasks.toml", "poe_tasks.yaml", "poe_tasks.yml", "poe_tasks.json")
_TYPES = ("cmd", "shell", "script", "expr", "sequence", "parallel", "switch", "ref")
_SHELLS = {
    # https://poethepoet.natn.io/tasks/task_types/shell.html
    "posix": Dialect.SH,
    "sh": Dialect.SH,
    "bash": Dialect.BASH,
    "zsh": Dialect.BASH,
    "fish": Dialect.UNREAD,
    "pwsh": Dialect.UNREAD,
    "powershell": Dialect.UNREAD,
    "python": Dialect.UNREAD,
}
_SYSTEMS = {"linux": "linux-", "darwin": "macos-", "win32": "windows-"}
"""Python's sys.platform: https://docs.python.org/3/library/sys.html#sys.platform"""


def claims(path: str, head: bytes) -> bool:
    del head
    return posixpath.basename(path) in _FILES


def read(source: SourceText, setting: Setting) -> Reading:
    reader = _Reader(source, setting)
    reader.file()
    return Reading(tuple(reader.scripts), (), tuple(sorted(set(reader.problems))), tuple(dict.fromkeys(reader.depends)))


@dataclass(frozen=True)
class _Around:
    """What a task has from where it stands."""

    task: str
    key: str
    env: Environment
    when: tuple[str, ...] = ()
    platforms: frozenset[str] | None = None
    ignored: bool = False


class _Reader:
    def __init__(self, source: SourceText, setting: Setting) -> None:
        self.source = source
        self.setting = setting
        self.scripts: list[Script] = []
        self.problems: list[Problem] = []
        self.depends: list[str] = []
        self.default_type = "cmd"
        self.array_type = "sequence"
        self.item_type = "ref"
        self.interpreter = "posix"

    def problem(self, node: Node, message: str, key: str, fatal: bool = True) -> None:
        line = self.source.position(node.span.start)[0]
        self.problems.append(Problem(self.source.path, line, f"{key}: {message}", key=key, fatal=fatal))

    # -- the file -----------------------------------------------------------------------------------------------------

    def file(self, env: Environment | None = None) -> None:
        top, key = self._configuration()
        if top is None:
            return
        if not isinstance(top, Table):
            self.problem(top, f"has to be a table, and is {top.named}", key)
            return
        self._defaults(top, key)
        around = self._environment(_Around("", key, env or Environment(self.setting.assume)), top, key)
        self._tasks(top.get("tasks"), f"{key}.tasks".lstrip("."), around)
        groups = top.get("groups")
        for group in groups.entries if isinstance(groups, Table) else ():
            if isinstance(group.value, Table):
                self._tasks(group.value.get("tasks"), f"{key}.groups.{group.name}.tasks".lstrip("."), around)
        self._includes(top, key, around.env)

    def _configuration(self) -> tuple[Node | None, str]:
        """The table that poe reads, and the key that it stands at."""
        name = posixpath.basename(self.source.path)
        if name.endswith(".toml"):
            values, problems = toml_text.load(self.source)
            self.problems += problems
            tool = values.get("tool") if values else None
            poe = isinstance(tool, dict) and bool(tool.get("poe"))
            if values is None or (name == "pyproject.toml" and not poe):
                return None, ""
            document = toml_text.read(self.source, values)
        else:
            document = self._other(name)
            self.problems += document.problems
        root = document.root
        if isinstance(root, Table):
            tool_node = root.get("tool")
            inner = tool_node.get("poe") if isinstance(tool_node, Table) else root.get("tool.poe")
            if inner is not None:
                return inner, "tool.poe"
        return root, ""

    def _other(self, name: str) -> Document:
        return yaml_text.read_json(self.source) if name.endswith(".json") else yaml_text.read(self.source)

    def _defaults(self, top: Table, key: str) -> None:
        def choice(name: str, given: str, allowed: tuple[str, ...]) -> str:
            node = top.get(name)
            if isinstance(node, Items) and name == "shell_interpreter" and node.items:
                node = node.items[0]
            if node is None:
                return given
            if text_of(node).text in allowed:
                return text_of(node).text
            self.problem(node, f"has to be one of {', '.join(allowed)}", f"{key}.{name}".lstrip("."))
            return given

        strings = ("cmd", "shell", "script", "expr", "ref")
        self.default_type = choice("default_task_type", self.default_type, strings)
        self.array_type = choice("default_array_task_type", self.array_type, ("sequence", "parallel"))
        self.item_type = choice("default_array_item_task_type", self.item_type, strings)
        self.interpreter = choice("shell_interpreter", self.interpreter, tuple(_SHELLS))

    def _environment(self, around: _Around, table: Table, key: str) -> _Around:
        def report(node: Node, message: str, name: str) -> None:
            self.problem(node, message, f"{key}.{name}".lstrip("."))

        files = table.get("envfile")
        if files is not None:
            for node in poe_env.files(files, lambda *_: None):
                path = poe_env.envfile_path(node, around.env, self.source)
                self.depends += [path] if path else []
        env = poe_env.with_tables(around.env, table, self.source, self.setting, report)
        return replace(around, env=env)

    def _includes(self, top: Table, key: str, env: Environment) -> None:
        key = f"{key}.include".lstrip(".")
        include = top.get("include")
        for node in include.items if isinstance(include, Items) else [include] if include is not None else []:
            name = node.get("path") if isinstance(node, Table) else node
            text = text_of(name)
            if not text.text:
                self.problem(node, f"has to name a file, and is {node.named}", key)
                continue
            path = posixpath.normpath(posixpath.join(posixpath.dirname(self.source.path), text.text))
            if claims(path, b"") or path == self.source.path or path in self.depends:
                continue
            self.depends.append(path)
            found = None if path.startswith(("..", "/")) else self.setting.files.read(path)
            if found is None:
                self.problem(node, f"{text.text} is not in the repository, so its tasks are not read", key, fatal=False)
                continue
            inner = _Reader(found, self.setting)
            inner.depends = self.depends
            inner.default_type, inner.array_type = self.default_type, self.array_type
            inner.item_type, inner.interpreter = self.item_type, self.interpreter
            inner.file(env)
            self.scripts += inner.scripts
            self.problems += inner.problems
        made = top.get("include_script")
        if made is not None:
            self.problem(made, "tasks that a program makes are not read", f"{key}_script", fatal=False)

    # -- tasks --------------------------------------------------------------------------------------------------------

    def _tasks(self, tasks: Node | None, key: str, around: _Around) -> None:
        if tasks is None:
            return
        if not isinstance(tasks, Table):
            self.problem(tasks, f"has to be a table, and is {tasks.named}", key)
            return
        for entry in tasks.entries:
            own = replace(around, task=entry.name, key=f"{key}.{entry.name}")
            self.task(entry.value, own, self.default_type)

    def task(self, node: Node, around: _Around, default: str) -> None:
        """One definition: a string, a list, or a table with one key that says its type."""
        if isinstance(node, Items):
            self._sequence(node, Table(node.span), around)
            return
        if isinstance(node, Scalar):
            if node.kind is not Kind.STRING:
                self.problem(node, f"a task has to be a string, a list or a table, and is {node.named}", around.key)
                return
            self._content(default, node, Table(node.span), around)
            return
        types = [t for t in _TYPES if node.get(t) is not None]
        if len(types) != 1:
            said = " and ".join(types) if types else "none of them"
            self.problem(node, f"a task has exactly one of {', '.join(_TYPES)}; this has {said}", around.key)
            return
        around = self._options(node, around)
        content = node.get(types[0])
        if content is not None:
            self._content(types[0], content, node, around)

    def _options(self, table: Table, around: _Around) -> _Around:
        """What a task's table says besides its content; the tasks that it waits for are calls."""
        deps = table.get("deps")
        for node in deps.items if isinstance(deps, Items) else ():
            self._reference(node, around, f"{around.key}.deps")
        if deps is not None and not isinstance(deps, Items):
            self.problem(deps, f"has to be a list, and is {deps.named}", f"{around.key}.deps")
        uses = table.get("uses")
        env = around.env
        for entry in uses.entries if isinstance(uses, Table) else ():
            self._reference(entry.value, around, f"{around.key}.uses.{entry.name}")
            text = text_of(entry.value)
            found = Hole(f"${entry.name}", f"the output of the task {text.text}", Decider.REPOSITORY, name=entry.name)
            env = env.with_value(entry.name, hole(found, text.route))
        more = table.get("uses_env")
        for node in more.items if isinstance(more, Items) else [more] if more is not None else []:
            self._reference(node, around, f"{around.key}.uses_env")
            reason = f"the output of the task {text_of(node).text} may set it"
            env = replace(env, unread=Hole("", reason, Decider.REPOSITORY))
        around = self._environment(replace(around, env=env), table, around.key)

        def report(node: Node, message: str, name: str) -> None:
            self.problem(node, message, f"{around.key}.{name}")

        around = replace(around, env=poe_env.with_arguments(around.env, table, report))
        fails = table.get("ignore_fail")
        if isinstance(fails, Items) or (isinstance(fails, Scalar) and fails.value not in (False, "return_non_zero")):
            around = replace(around, ignored=True)
        return around

    def _content(self, kind: str, content: Node, table: Table, around: _Around) -> None:
        key = f"{around.key}.{kind}" if table.entries else around.key
        if kind in ("sequence", "parallel", "switch"):
            if not isinstance(content, Items):
                self.problem(content, f"has to be a list, and is {content.named}", key)
            elif kind == "switch":
                self._switch(content, table, around)
            else:
                self._sequence(content, table, around)
            return
        if not isinstance(content, Scalar) or content.kind is not Kind.STRING:
            self.problem(content, f"has to be a string, and is {content.named}", key)
        elif kind == "cmd":
            self._cmd(content, around, key)
        elif kind == "shell":
            self._shell(content, table, around, key)
        elif kind == "ref":
            self._reference(content, around, key)

    def _script(self, around: _Around, dialect: Dialect, text: Traced, argv: tuple[Word, ...] = ()) -> Script:
        ready = dialect is Dialect.ARGV
        return Script(
            Place(NAME, task=around.task),
            dialect,
            Traced() if ready else text,
            argv,
            around.env.variables,
            platforms=around.platforms,
            when=around.when,
            ignored=around.ignored,
            outside=around.env.outside_of(text.text),
        )

    def _cmd(self, content: Scalar, around: _Around, key: str) -> None:
        try:
            found = poe_cmd.split(content.text, around.env.lookup)
        except poe_cmd.CommandError as error:
            self._refused(content, error, key)
            return
        if not found.words:
            self.problem(content, "holds no command", key)
            return
        script = self._script(around, Dialect.ARGV, content.text, found.words)
        self.scripts.append(replace(script, vanished=tuple((u.index, u.hole) for u in found.unset)))

    def _refused(self, content: Scalar, error: poe_cmd.CommandError, key: str) -> None:
        route = content.text.cut(error.at, error.at + 1).route
        span = route[-1] if route else content.span
        self.problem(replace(content, span=span), error.message, key)

    def _shell(self, content: Scalar, table: Table, around: _Around, key: str) -> None:
        interpreter = table.get("interpreter")
        name = self.interpreter
        if interpreter is not None:
            first = interpreter.items[0] if isinstance(interpreter, Items) and interpreter.items else interpreter
            name = text_of(first).text
        if name not in _SHELLS:
            self.problem(interpreter or content, f"has to be one of {', '.join(_SHELLS)}", f"{around.key}.interpreter")
            return
        if name == "zsh":
            self.problem(content, "zsh is read as bash", key, fatal=False)
        self.scripts.append(self._script(around, _SHELLS[name], _unindented(content.text)))

    def _reference(self, node: Node, around: _Around, key: str) -> None:
        """A call of another task: the command `poe NAME…`, which is no second site for what the task runs."""
        text = text_of(node)
        if not text.text.strip():
            self.problem(node, f"has to name a task, and is {node.named}", key)
            return
        try:
            words = _shell_words(poe_cmd.fill(text, around.env.lookup))
        except (poe_cmd.CommandError, ValueError) as error:
            self.problem(node, str(error), key)
            return
        program = Word((Piece("poe", text.route),))
        self.scripts.append(self._script(around, Dialect.ARGV, text, (program, *words)))

    def _sequence(self, content: Items, table: Table, around: _Around) -> None:
        default = table.get("default_item_type")
        kind = text_of(default).text if default is not None else self.item_type
        if kind not in _TYPES:
            self.problem(default or content, f"has to be one of {', '.join(_TYPES)}", f"{around.key}.default_item_type")
            return
        for number, item in enumerate(content.items):
            self.task(item, replace(around, key=f"{around.key}[{number}]"), kind)

    def _switch(self, content: Items, table: Table, around: _Around) -> None:
        control = table.get("control")
        if control is None:
            self.problem(table, "a switch needs a `control`", around.key)
            return
        self.task(control, replace(around, key=f"{around.key}.control"), self.default_type)
        shown, by_system = _control(control)
        taken: set[str] = set()
        for number, item in enumerate(content.items):
            key = f"{around.key}.switch[{number}]"
            if not isinstance(item, Table):
                self.problem(item, f"has to be a table, and is {item.named}", key)
                continue
            case = item.get("case")
            values = [c.text.text for c in _scalars(case)]
            when = f"{shown} is {' or '.join(values)}" if case is not None else f"{shown} is none of the other cases"
            own = replace(around, key=key, when=(*around.when, when))
            if by_system:
                allowed = _on_systems(values) if case is not None else frozenset(PLATFORMS) - taken
                taken |= allowed
                kept = allowed if around.platforms is None else allowed & around.platforms
                own = replace(around, key=key, platforms=kept)
                if not kept:
                    continue
            self.task(Table(item.span, tuple(e for e in item.entries if e.name != "case")), own, self.default_type)


def _scalars(node: Node | None) -> list[Scalar]:
    if isinstance(node, Items):
        return [n for n in node.items if isinstance(n, Scalar)]
    return [node] if isinstance(node, Scalar) else []


def _control(node: Node) -> tuple[str, bool]:
    """How to speak of a switch's control, and whether it is Python's sys.platform."""
    entry: Entry | None = None
    if isinstance(node, Table):
        entry = next((e for e in node.entries if e.name in _TYPES), None)
    text = text_of(entry.value if entry else node).shown.strip()
    return text, entry is not None and entry.name == "expr" and text == "sys.platform"


def _on_systems(values: list[str]) -> frozenset[str]:
    begins = tuple(_SYSTEMS[v] for v in values if v in _SYSTEMS)
    return frozenset(p for p in PLATFORMS if begins and p.startswith(begins))


_BREAK = re.compile(r"\r\n|\r|\n")


def _unindented(text: Traced) -> Traced:
    """What poe gives the shell: each line without the blanks that the first one begins with."""
    raw = text.text
    width = len(raw) - len(raw.lstrip(" "))
    if not width:
        return text
    parts, at = [], 0
    for found in [*_BREAK.finditer(raw), None]:
        end = found.end() if found else len(raw)
        parts.append(text.cut(at + width if raw.startswith(" " * width, at) else at, end))
        at = end
    return join(parts)


_PLAIN_WORD = re.compile(r"[^\s'\"\\]+")


def _shell_words(text: Traced) -> list[Word]:
    """A task and its arguments, cut by Python's shlex."""
    raw = text.text
    if not re.search(r"['\"\\]", raw):
        cuts = [text.cut(*m.span()) for m in _PLAIN_WORD.finditer(raw)]
        return [word(c, c.pieces[0].route[0] if len(c.pieces) == 1 and c.pieces[0].route else None) for c in cuts]
    return [Word((Piece(w, text.route),)) for w in shlex.split(raw)]
