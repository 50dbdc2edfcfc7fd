"""poethepoet's tasks, as scripts.

Follows poethepoet 0.49 (https://poethepoet.natn.io/). A `cmd` is no shell: it is split here, as poe does it, into a
ready argv. A `shell` body goes to `sh` on standard input. A reference to another task is the command `poe NAME`. Python
(`script`, `expr`) holds no commands.
"""

import posixpath
import re

from flagguard.command import PLATFORMS, Dialect, Place, Reading, Script, Word, word
from flagguard.hosts import Setting, poe_call, poe_cmd, poe_env, poe_switch, toml_text
from flagguard.hosts.poe import FILES, NAME
from flagguard.hosts.poe_call import Called
from flagguard.hosts.poe_env import Environment
from flagguard.hosts.tree import Document, Items, Kind, Node, Scalar, Table, text_of
from flagguard.paths import resolved
from flagguard.patterns import expression
from flagguard.text import Decider, Hole, Piece, Problem, SourceText, Span, Traced, hole, join, literal
from flagguard.values import dataclass, replace

_TYPES = ("cmd", "shell", "script", "expr", "sequence", "parallel", "switch", "ref")
_SHELLS = {
    # https://poethepoet.natn.io/tasks/task_types/shell.html
    "posix": Dialect.SH,
    "sh": Dialect.SH,
    "bash": Dialect.BASH,
    "zsh": Dialect.BASH,
    "fish": Dialect.UNREAD,
    "pwsh": Dialect.POWERSHELL,
    "powershell": Dialect.POWERSHELL,
    "python": Dialect.UNREAD,
}


def read(source: SourceText, setting: Setting, called: Called | None = None) -> Reading:
    """The tasks of a file; ``called``: one of them, as somebody calls it."""
    try:
        return _read(source, setting, called)
    except RecursionError:
        return Reading(problems=(Problem(source.path, 1, "nested too deeply to be read"),))


def _is_part(source: SourceText, setting: Setting) -> bool:
    """Whether a file of tasks alone is included by the file of a folder above: it is read with that one."""
    folder, name = posixpath.split(source.path)
    while folder and name != "pyproject.toml":
        folder = posixpath.dirname(folder)
        for one in FILES:
            above = setting.files.read(posixpath.join(folder, one))
            if above is not None and name in above.text and "include" in above.text:
                parts = _Reader(above, setting).included(())
                if any(part.source.path == source.path for part in parts):
                    return True
    return False


def _read(source: SourceText, setting: Setting, called: Called | None) -> Reading:
    if called is None and _is_part(source, setting):
        return Reading()
    project = _Reader(source, setting)
    project.called = called
    project.defaults()
    parts = [project, *project.included(())]
    given = called.variables if called is not None else ()
    within = called is not None and called.within
    env = Environment(setting.assume, () if within else given)
    for part in (*parts[1:], project):
        env = part.common(env)
    for variable in given if within else ():
        env = env.with_value(variable.name, variable.value)
    names: set[str] = set()
    for part in parts:
        if part is project or posixpath.basename(part.source.path) != "pyproject.toml":
            part.defined(env, names)
    scripts = [s for part in parts for s in part.scripts]
    problems = sorted({p for part in parts for p in part.problems})
    depends = dict.fromkeys(d for part in parts for d in part.depends)
    return Reading(tuple(scripts), (), tuple(problems), tuple(depends))


@dataclass(frozen=True)
class _Around:
    """What a task has from where it stands."""

    task: str
    key: str
    env: Environment
    when: tuple[str, ...] = ()
    platforms: frozenset[str] | None = None
    ignored: bool = False
    words: tuple[Word, ...] | None = None
    """What the caller passes; None: nobody knows."""
    extra: tuple[Word, ...] = ()
    """What of it goes to the command."""
    directory: str | None = ""


@dataclass(frozen=True)
class _Defaults:
    """What the project's file says about all tasks, those of included files too."""

    string: str = "cmd"
    array: str = "sequence"
    item: str = "ref"
    interpreter: str = "posix"
    home: str = ""
    """The project's folder."""


class _Reader:
    """One file: the project's own, or one that it includes."""

    def __init__(self, source: SourceText, setting: Setting, chosen: _Defaults | None = None) -> None:
        self.source = source
        self.setting = setting
        self.chosen = chosen or _Defaults()
        self.scripts: list[Script] = []
        self.problems: list[Problem] = []
        self.depends: list[str] = []
        self.called: Called | None = None
        self.top, self.key = self._table()

    def problem(self, node: Node, message: str, key: str, fatal: bool = True) -> None:
        line = self.source.position(node.span.start)[0]
        self.problems.append(Problem(self.source.path, line, f"{key}: {message}", key=key, fatal=fatal))

    def at(self, key: str) -> str:
        return f"{self.key}.{key}".lstrip(".")

    # -- the file -----------------------------------------------------------------------------------------------------

    def _table(self) -> tuple[Table, str]:
        """The table that poe reads, and the key that it stands at."""
        nothing = Table(Span(self.source.path, 0, 0))
        document = self._document()
        self.problems += document.problems
        root, key = document.root, ""
        if isinstance(root, Table):
            tool = root.get("tool")
            inner = tool.get("poe") if isinstance(tool, Table) else root.get("tool.poe")
            if inner is not None or posixpath.basename(self.source.path) == "pyproject.toml":
                root, key = inner, "tool.poe"
        if root is not None and not isinstance(root, Table):
            self.problem(root, f"has to be a table, and is {root.named}", key or "the file")
        return (root, key) if isinstance(root, Table) else (nothing, key)

    def _document(self) -> Document:
        name = posixpath.basename(self.source.path)
        if not name.endswith(".toml"):
            return self._by_yaml(name)
        values, problems = toml_text.load(self.source)
        tool = values.get("tool") if values else None
        if values is None or (name == "pyproject.toml" and not (isinstance(tool, dict) and tool.get("poe"))):
            return Document(None, problems)
        return replace(toml_text.read(self.source, values), problems=problems)

    def _by_yaml(self, name: str) -> Document:
        from flagguard.hosts import yaml_text  # few write their tasks so

        return yaml_text.read_json(self.source) if name.endswith(".json") else yaml_text.read(self.source)

    def defaults(self) -> None:
        def choice(name: str, given: str, allowed: tuple[str, ...]) -> str:
            node = self.top.get(name)
            if isinstance(node, Items) and name == "shell_interpreter" and node.items:
                node = node.items[0]
            if node is None:
                return given
            if text_of(node).text in allowed:
                return text_of(node).text
            self.problem(node, f"has to be one of {', '.join(allowed)}", self.at(name))
            return given

        strings = ("cmd", "shell", "script", "expr", "ref")
        self.chosen = _Defaults(
            choice("default_task_type", "cmd", strings),
            choice("default_array_task_type", "sequence", ("sequence", "parallel")),
            choice("default_array_item_task_type", "ref", strings),
            choice("shell_interpreter", "posix", tuple(_SHELLS)),
            posixpath.dirname(self.source.path),
        )

    def common(self, env: Environment) -> Environment:
        """``env`` with what the file says for all tasks."""
        return self._environment(_Around("", self.key, env), self.top, self.key).env

    def defined(self, env: Environment, names: set[str]) -> None:
        """The file's tasks, but for those whose names are taken: poe takes the first."""
        around = _Around("", self.key, env, directory=self.chosen.home)
        self._tasks(self.top.get("tasks"), self.at("tasks"), around, names)
        groups = self.top.get("groups")
        for group in groups.entries if isinstance(groups, Table) else ():
            if isinstance(group.value, Table):
                self._tasks(group.value.get("tasks"), self.at(f"groups.{group.name}.tasks"), around, names)

    def included(self, above: tuple[str, ...]) -> "list[_Reader]":
        """The files that this one includes, with those that they include in turn, depth first."""
        found: list[_Reader] = []
        include = self.top.get("include")
        for node in include.items if isinstance(include, Items) else [include] if include is not None else []:
            text = text_of(node.get("path") if isinstance(node, Table) else node).text
            if not text:
                self.problem(node, f"has to name a file, and is {node.named}", self.at("include"))
                continue
            path = posixpath.normpath(posixpath.join(posixpath.dirname(self.source.path), text))
            if path in (*above, self.source.path):
                continue
            self.depends.append(path)
            source = None if path.startswith(("..", "/")) else self.setting.files.read(path)
            if source is None:
                said = f"{text} is not in the repository, so its tasks are not read"
                self.problem(node, said, self.at("include"), fatal=False)
                continue
            inner = _Reader(source, self.setting, self.chosen)
            inner.called = self.called
            found.append(inner)
            again = node.get("recursive") if isinstance(node, Table) else None
            if not (isinstance(again, Scalar) and again.value is False):
                found += inner.included((*above, self.source.path))
        made = self.top.get("include_script")
        if made is not None:
            self.problem(made, "tasks that a program makes are not read", self.at("include_script"), fatal=False)
        return found

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

    # -- tasks --------------------------------------------------------------------------------------------------------

    def _tasks(self, tasks: Node | None, key: str, around: _Around, names: set[str]) -> None:
        if tasks is None:
            return
        if not isinstance(tasks, Table):
            self.problem(tasks, f"has to be a table, and is {tasks.named}", key)
            return
        for entry in tasks.entries:
            if entry.name not in names:
                names.add(entry.name)
                if self.called is not None and self.called.task != entry.name:
                    continue
                words = self.called.words if self.called is not None else None
                own = replace(around, task=entry.name, key=f"{key}.{entry.name}", words=words)
                if not isinstance(entry.value, Table):
                    own = replace(own, words=(), extra=words or ())
                self.task(entry.value, own, self.chosen.string)

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

        given = poe_call.given(table.get("args"), around.words) if around.words is not None else None
        around = replace(around, env=poe_env.with_arguments(around.env, table, report, given), words=())
        around = replace(around, extra=given.extra if given is not None else ())
        if table.get("cwd") is not None:
            around = replace(around, directory=self._directory(text_of(table.get("cwd")), around))
        fails = table.get("ignore_fail")
        if isinstance(fails, Items) or (isinstance(fails, Scalar) and fails.value not in (False, "return_non_zero")):
            around = replace(around, ignored=True)
        return around

    def _directory(self, written: Traced, around: _Around) -> str | None:
        try:
            return resolved(poe_cmd.fill(written, around.env.lookup, braces=True), self.chosen.home)
        except poe_cmd.CommandError:
            return None

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
            tuple(v for v in around.env.variables if not poe_env.is_private(v.name)),
            platforms=around.platforms,
            when=around.when,
            ignored=around.ignored,
            outside=around.env.outside_of(text.text),
            directory=around.directory,
            unit=around.task,
        )

    def _cmd(self, content: Scalar, around: _Around, key: str) -> None:
        try:
            env = _with_extra(around)
            found = poe_cmd.split(content.text, env.lookup)
        except poe_cmd.CommandError as error:
            self._refused(content, error, key)
            return
        if not found.words:
            self.problem(content, "holds no command", key)
            return
        words = found.words if "POE_EXTRA_ARGS" in content.text.text else (*found.words, *around.extra)
        script = self._script(around, Dialect.ARGV, content.text, words)
        self.scripts.append(replace(script, vanished=tuple((u.index, u.hole) for u in found.unset)))

    def _refused(self, content: Scalar, error: poe_cmd.CommandError, key: str) -> None:
        route = content.text.cut(error.at, error.at + 1).route
        span = route[-1] if route else content.span
        self.problem(replace(content, span=span), error.message, key)

    def _shell(self, content: Scalar, table: Table, around: _Around, key: str) -> None:
        interpreter = table.get("interpreter")
        name = self.chosen.interpreter
        if interpreter is not None:
            first = interpreter.items[0] if isinstance(interpreter, Items) and interpreter.items else interpreter
            name = text_of(first).text
        if name not in _SHELLS:
            self.problem(interpreter or content, f"has to be one of {', '.join(_SHELLS)}", f"{around.key}.interpreter")
            return
        if name == "zsh":
            self.problem(content, "zsh is read as bash", key, fatal=False)
        if _SHELLS[name] is Dialect.UNREAD:
            self.problem(content, f"{name} is not read, so its commands are not judged", key, fatal=False)
        script = self._script(around, _SHELLS[name], _unindented(content.text))
        self.scripts.append(replace(script, language=name if script.dialect is Dialect.UNREAD else ""))

    def _reference(self, node: Node, around: _Around, key: str) -> None:
        """A call of another task: the command `poe NAME…`, which is no second site for what the task runs."""
        text = text_of(node)
        if not text.text.strip():
            self.problem(node, f"has to name a task, and is {node.named}", key)
            return
        try:
            words = _shell_words(poe_cmd.fill(text, _with_extra(around).lookup))
            words += [] if "POE_EXTRA_ARGS" in text.text else around.extra
        except (poe_cmd.CommandError, ValueError) as error:
            self.problem(node, str(error), key)
            return
        program = Word((Piece("poe", text.route),))
        script = self._script(around, Dialect.ARGV, text, (program, *words))
        self.scripts.append(replace(script, directory=self.chosen.home))

    def _sequence(self, content: Items, table: Table, around: _Around) -> None:
        default = table.get("default_item_type")
        kind = text_of(default).text if default is not None else self.chosen.item
        if kind not in _TYPES:
            self.problem(default or content, f"has to be one of {', '.join(_TYPES)}", f"{around.key}.default_item_type")
            return
        for number, item in enumerate(content.items):
            self.task(item, replace(around, key=f"{around.key}[{number}]", extra=()), kind)

    def _switch(self, content: Items, table: Table, around: _Around) -> None:
        control = table.get("control")
        if control is None:
            self.problem(table, "a switch needs a `control`", around.key)
            return
        self.task(control, replace(around, key=f"{around.key}.control"), self.chosen.string)
        shown, answers = poe_switch.control(control, _TYPES)
        left = frozenset(PLATFORMS)
        for number, item in enumerate(content.items):
            key = f"{around.key}.switch[{number}]"
            if not isinstance(item, Table):
                self.problem(item, f"has to be a table, and is {item.named}", key)
                continue
            case = item.get("case")
            values = [c.text.text for c in _scalars(case)]
            when = f"{shown} is {' or '.join(values)}" if case is not None else f"{shown} is none of the other cases"
            own = replace(around, key=key, when=(*around.when, when))
            if answers:
                allowed = frozenset(p for p in left if answers[p] in values) if case is not None else left
                left -= allowed
                kept = allowed if around.platforms is None else allowed & around.platforms
                own = replace(around, key=key, platforms=kept)
                if not kept:
                    continue
            self.task(Table(item.span, tuple(e for e in item.entries if e.name != "case")), own, self.chosen.string)


def _with_extra(around: _Around) -> Environment:
    """What a template may use besides the environment: `$POE_EXTRA_ARGS`."""
    if not around.extra:
        return around.env
    parts = [part for i, w in enumerate(around.extra) for part in ((literal(" "), w) if i else (w,))]
    return around.env.with_value("POE_EXTRA_ARGS", join(parts))


def _scalars(node: Node | None) -> list[Scalar]:
    if isinstance(node, Items):
        return [n for n in node.items if isinstance(n, Scalar)]
    return [node] if isinstance(node, Scalar) else []


_BREAK = expression(r"\r\n|\r|\n")


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


_PLAIN_WORD = expression(r"[^\s'\"\\]+")


def _shell_words(text: Traced) -> list[Word]:
    """A task and its arguments, cut by Python's shlex."""
    raw = text.text
    if not re.search(r"['\"\\]", raw):
        cuts = [text.cut(*m.span()) for m in _PLAIN_WORD.finditer(raw)]
        return [word(c, c.pieces[0].route[0] if len(c.pieces) == 1 and c.pieces[0].route else None) for c in cuts]
    import shlex  # only for what has quotes

    return [Word((Piece(w, text.route),)) for w in shlex.split(raw)]
