"""taskipy: `[tool.taskipy]` of `pyproject.toml`, and `task NAME` that runs it.

Follows https://github.com/taskipy/taskipy#readme ("Adding Tasks", "Pre and Post Task Hooks", "Using
Variables", "Task Runner"): a task is a text for the system's shell, with the words of the call behind it.
"""

from collections.abc import Mapping

from flagguard.command import Command, Reading
from flagguard.hosts import Entered, Setting
from flagguard.hosts.task_tables import (
    ToolTasks,
    above,
    behind,
    called_key,
    filled,
    inner,
    is_string,
    is_true,
    pieces,
    plain,
    toml,
)
from flagguard.hosts.tree import Node, Table, text_of
from flagguard.paths import inside
from flagguard.patterns import expression
from flagguard.text import SourceText, Traced, join, literal

NAME = "taskipy"
_KEY = "tool.taskipy"
_FIELD = expression(r"\{\{|\}\}|\{\w+\}")


def read(source: SourceText, setting: Setting) -> Reading:
    reader = _Reader(NAME, source, setting)
    for name in reader.tasks:
        reader.run(name, ())
    return reader.reading()


def enter(command: Command, setting: Setting) -> Entered | None:
    """``task NAME …``: the task, with those that run before and after it."""
    words = command.argv[1:]
    if not words or not words[0].known or command.directory is None:
        return None
    source = above(command.directory, ("pyproject.toml",), setting, lambda s: True)
    if source is None or "taskipy" not in source.text:
        return None
    name, given, env = words[0].text, plain(words[1:]), dict(command.env)
    if inner(toml(source).root, "tool", NAME, "tasks", name) is None:
        return None
    directory = command.directory

    def reading(setting: Setting) -> Reading:
        reader = _Reader(NAME, source, setting, env)
        reader.here = directory
        for one, passed in ((f"pre_{name}", ()), (name, given), (f"post_{name}", ())):
            reader.run(one, passed, first=name)
        return reader.reading()

    return Entered(source.path, called_key(env, NAME, source.path, name, pieces(given), directory), reading)


class _Reader(ToolTasks):
    def __init__(
        self, host: str, source: SourceText, setting: Setting, env: Mapping[str, Traced] | None = None
    ) -> None:
        super().__init__(host, source, setting, env)
        self.tasks = dict(self.entries(inner(self.root, "tasks"), f"{_KEY}.tasks"))
        self.settings = inner(self.root, "settings")
        self.here = self.folder
        """Where taskipy is started."""
        self._values: dict[str, Traced] | None = None

    def run(self, name: str, words: tuple[Traced, ...], first: str | None = None) -> None:
        """A task; ``first``: the one whose folder counts."""
        node = self.tasks.get(name)
        if node is None:
            return
        key = f"{_KEY}.tasks.{name}"
        content = node.get("cmd") if isinstance(node, Table) else node
        if not is_string(content):
            self.wrong(content or node, "a string, or a table with a `cmd`", key)
            return
        text = text_of(content)
        uses = node.get("use_vars") if isinstance(node, Table) else None
        if is_true(uses if uses is not None else inner(self.settings, "use_vars")):
            text = self._formatted(text, key)
        runner = text_of(inner(self.settings, "runner"))
        if runner.text.strip():
            start = len(runner.text) - len(runner.text.lstrip())
            text = join([runner.cut(start, len(runner.text.rstrip())), literal(" "), text])
        script = self.script(name, directory=self._folder(self.tasks.get(first or name)))
        self.add_text(script, behind(text, words))

    def _folder(self, node: Node | None) -> str | None:
        """Where a task runs: its `cwd`, or that of the settings."""
        said = text_of(node.get("cwd") if isinstance(node, Table) else None) or text_of(inner(self.settings, "cwd"))
        return inside(self.folder, said.text) if said.text else self.here

    def _formatted(self, text: Traced, key: str) -> Traced:
        """The text with `{NAME}` replaced, as str.format does."""
        values = self._variables()

        def value(written: Traced) -> Traced | None:
            said = written.text
            if said in ("{{", "}}"):
                return written.cut(0, 1)
            found = values.get(said[1:-1])
            if found is None:
                self.tell(written, f"`{said[1:-1]}` is none of the variables, so taskipy refuses the task", key)
                return None
            return found.through(written.route)

        return filled(text, _FIELD, value)

    def _variables(self) -> dict[str, Traced]:
        if self._values is None:
            values: dict[str, Traced] = {}
            waiting: dict[str, Traced] = {}
            key = f"{_KEY}.variables"
            for name, node in self.entries(inner(self.root, "variables"), key):
                content = node.get("var") if isinstance(node, Table) else node
                if not is_string(content):
                    self.wrong(node, "a string, or a table with a `var`", f"{key}.{name}")
                    continue
                recursive = isinstance(node, Table) and is_true(node.get("recursive"))
                (waiting if recursive else values)[name] = text_of(content)
            self._values = values
            while waiting:
                ready = [n for n, t in waiting.items() if not _names(t) - values.keys()]
                for name in ready:
                    values[name] = self._formatted(waiting.pop(name), f"{key}.{name}")
                if not ready:
                    for name, text in waiting.items():
                        self.tell(text, "names itself, or what there is not", f"{key}.{name}")
                    break
        return self._values


def _names(text: Traced) -> set[str]:
    return {found[1:-1] for found in _FIELD.findall(text.text) if len(found) > 2}
