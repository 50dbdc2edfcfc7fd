"""An editor's tasks for one system: what the file says of all tasks and of the system is put in its place.

Follows https://code.visualstudio.com/docs/debugtest/tasks and its appendix. A shell task gets its `line`: the command
with its arguments, quoted as the editor quotes them; a process has words.
"""

from collections.abc import Iterator, Sequence

from flagguard.hosts.gitlab_config import merged
from flagguard.hosts.listed_ways import called
from flagguard.hosts.pipelines import is_true, text
from flagguard.hosts.tree import Entry, Items, Kind, Node, Scalar, Table
from flagguard.text import EMPTY, Traced, join, literal

_SYSTEMS = {"linux": "linux", "osx": "macos", "windows": "windows"}
_ESCAPED = " \"'"


def systems(root: Table) -> list[str]:
    """The systems that the file has words for."""
    tasks = [item for item in _items(root.get("tasks")) if isinstance(item, Table)]
    return [system for key, system in _SYSTEMS.items() if any(one.get(key) is not None for one in (root, *tasks))]


def prepared(root: Table, system: str) -> Table:
    """The file as the editor reads it on a system."""
    key = next((key for key, name in _SYSTEMS.items() if name == system), "")
    own = root.get(key)
    every = _over(_without(root, "tasks"), own, key)
    listed = root.get("tasks")
    if listed is not None and not isinstance(listed, Items):
        return root
    items = [*_items(listed), *_items(own.get("tasks") if isinstance(own, Table) else None)]
    tasks = [_task(item, every, key) for item in items] or [_line(every, key)]
    at = listed.span if listed is not None else root.span
    return Table(root.span, (Entry("tasks", at, Items(at, tuple(tasks))),))


def _items(node: Node | None) -> Sequence[Node]:
    return node.items if isinstance(node, Items) else ()


def _without(table: Table, *names: str) -> Table:
    return Table(table.span, tuple(e for e in table.entries if e.name not in names))


def _over(table: Table, own: Node | None, key: str) -> Table:
    return merged(_without(table, key), _without(own, "tasks")) if isinstance(own, Table) else table


def _task(item: Node, every: Table, key: str) -> Node:
    if not isinstance(item, Table):
        return item
    task = _over(item, item.get(key), key)
    if task.get("command") is None and task.get("dependsOn") is None and every.get("command") is not None:
        suppressed = is_true(task.get("suppressTaskName")) or is_true(every.get("suppressTaskName"))
        name = literal(called(task), item.span)
        selector = text(every.get("taskSelector"))
        label = () if suppressed else (Scalar(item.span, join([selector, name]), Kind.STRING),)
        words = (*_items(every.get("args")), *label, *_items(task.get("args")))
        task = merged(
            Table(every.span, tuple(e for e in every.entries if e.name in ("command", "type", "isShellCommand"))), task
        )
        task = Table(task.span, (*_without(task, "args").entries, Entry("args", task.span, Items(task.span, words))))
    options = every.get("options")
    if isinstance(options, Table):
        task = merged(Table(options.span, (Entry("options", options.span, options),)), task)
    return _line(task, key)


def _line(task: Table, key: str) -> Table:
    """The task with its line, and plain words."""
    command, args = task.get("command"), task.get("args")
    if command is None or isinstance(args, Table):
        return task
    windows = key == "windows"
    given = (args,) if isinstance(args, Scalar) else _items(args)
    words = [Scalar(one.span, _plain(one), Kind.STRING) if _said(one) else one for one in given]
    entries = [*_without(task, "args").entries, Entry("args", task.span, Items(task.span, tuple(words)))]
    if _said(command):
        first = _plain(command) if not isinstance(command, Table) else _quoted(command, windows)
        line = join([first, *(part for one in given for part in (literal(" "), _quoted(one, windows)))])
        entries = [e for e in entries if e.name != "command"]
        entries.append(Entry("command", command.span, Scalar(command.span, _plain(command), Kind.STRING)))
        entries.append(Entry("line", command.span, Scalar(command.span, line, Kind.STRING)))
    if is_true(task.get("isShellCommand")) or isinstance(task.get("isShellCommand"), Table):
        entries = [e for e in entries if e.name != "type"]
    return Table(task.span, tuple(entries))


def _said(node: Node) -> bool:
    """Whether it is a text, in one of the shapes that the editor takes."""
    value = node.get("value") if isinstance(node, Table) else node
    if isinstance(value, Items):
        return all(isinstance(one, Scalar) for one in value.items)
    return isinstance(value, Scalar) and value.kind is Kind.STRING


def _plain(node: Node | None) -> Traced:
    """Its text; a list of texts is one, with blanks between."""
    if isinstance(node, Table):
        return _plain(node.get("value"))
    if isinstance(node, Items):
        return join(list(_spaced([text(one) for one in node.items])))
    return text(node)


def _spaced(parts: Sequence[Traced]) -> Iterator[Traced]:
    for number, part in enumerate(parts):
        yield literal(" ") if number else EMPTY
        yield part


def _quoted(node: Node, windows: bool) -> Traced:
    """A word of a line: quoted as it asks for, else where a blank would cut it."""
    said = _plain(node)
    how = text(node.get("quoting")).text if isinstance(node, Table) else ""
    escape = "`" if windows else "\\"
    if how == "escape":
        return _marked(said, _ESCAPED, escape)
    if how == "weak":
        return join([literal('"'), _marked(said, '"', escape), literal('"')])
    if how == "strong" or _cut(said.text, escape):
        return join([literal("'"), _doubled(said, "''" if windows else "'\\''"), literal("'")])
    return said


def _marked(said: Traced, marks: str, escape: str) -> Traced:
    parts: list[Traced] = []
    at = 0
    for end, char in enumerate(said.text):
        if char in marks:
            parts += [said.cut(at, end), literal(escape)]
            at = end
    return join([*parts, said.cut(at, len(said.text))])


def _doubled(said: Traced, instead: str) -> Traced:
    parts: list[Traced] = []
    at = 0
    for end, char in enumerate(said.text):
        if char == "'":
            parts += [said.cut(at, end), literal(instead)]
            at = end + 1
    return join([*parts, said.cut(at, len(said.text))])


def _cut(word: str, escape: str) -> bool:
    """Whether a blank in it is neither quoted nor escaped."""
    if len(word) > 1 and word[0] in "'\"" and word[-1] == word[0]:
        return False
    quote, at = "", 0
    while at < len(word):
        char = word[at]
        if quote:
            quote = "" if char == quote else quote
        elif char == escape:
            at += 1
        elif char in "'\"":
            quote = char
        elif char == " ":
            return True
        at += 1
    return False
