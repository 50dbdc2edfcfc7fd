"""Cirrus CI: the tasks of a configuration as scripts.

Follows https://cirrus-ci.org/guide/writing-tasks/ and https://cirrus-ci.org/guide/writing-tasks/#matrix-modification:
`task` may stand several times, `x_script` is a step, a `matrix` anywhere in a task makes a task of each of its items.
A script goes to `sh -e` or, where there is one, bash; on Windows to cmd.exe. What is written to `$CIRRUS_ENV` is there
for the steps behind.
"""

from collections.abc import Iterator, Mapping

from flagguard.command import Dialect, Reading, Script
from flagguard.hosts import Setting
from flagguard.hosts.pipelines import (
    Frame,
    Notes,
    Shell,
    TooLarge,
    fill,
    guarded,
    is_true,
    lines,
    never,
    open_hole,
    outside,
    pairs,
    reached,
    shell_of,
    text,
    texts,
    unset,
    variables,
    written,
)
from flagguard.hosts.tree import Entry, Items, Node, Scalar, Table
from flagguard.patterns import expression
from flagguard.text import SourceText, Traced
from flagguard.values import replace

NAME = "cirrus"

CIRRUS_ENV = "$CIRRUS_ENV"
_BASH = Shell(Dialect.BASH, errexit=True)
_USE = expression(r"\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)|%([A-Za-z_]\w*)%")
_NAMED = expression(r"\b([A-Za-z_]\w*)=")
_MOST_TASKS = 500
_MACHINES = {
    "container": "linux-x86_64",
    "arm_container": "linux-aarch64",
    "docker_builder": "linux-x86_64",
    "gce_instance": "linux-x86_64",
    "compute_engine_instance": "linux-x86_64",
    "windows_container": "windows-x86_64",
    "freebsd_instance": "freebsd-x86_64",
    "osx_instance": "macos-x86_64",
    "macos_instance": "macos-arm64",
    "persistent_worker": "",
}


def read(source: SourceText, setting: Setting) -> Reading:
    notes = Notes(setting)

    def scripts() -> Iterator[Script]:
        for root in notes.documents(source, repeats=True)[:1]:
            table = notes.table(root, "the configuration")
            if table is not None:
                yield from _Tasks(table, notes, setting).scripts()

    return Reading(guarded(notes, source.path, scripts), problems=notes.all())


class _Tasks:
    def __init__(self, root: Table, notes: Notes, setting: Setting) -> None:
        self.root = root
        self.notes = notes
        self.setting = setting
        self.count = 0

    def scripts(self) -> Iterator[Script]:
        defaults: list[Entry] = []
        tasks: list[tuple[str, Table]] = []
        for entry in self.root.entries:
            key = entry.name.partition("\0")[0]
            if key in _MACHINES and key != "docker_builder":
                defaults = [replace(entry, name=key)]  # the last one before a task counts
            if (
                key in ("task", "docker_builder") or key.endswith(("_task", "_docker_builder", "_pipe"))
            ) and isinstance(entry.value, Table):
                own = key.removesuffix("task").strip("_")
                if key.endswith("docker_builder"):
                    own = key
                for task in self._expanded(entry.value, own):
                    whole = Table(task.span, (*_machine(defaults, task), *task.entries))
                    tasks.append((text(task.get("name")).shown or text(task.get("alias")).shown or own, whole))
        needs = {name: tuple(t.text for t in texts(task.get("depends_on"))) for name, task in tasks}
        for name, task in tasks:
            yield from self._task(name, task, reached(name, needs))

    def _expanded(self, task: Table, name: str) -> Iterator[Table]:
        """The tasks that a `matrix` makes of one."""
        self.count += 1
        if self.count > _MOST_TASKS:
            raise TooLarge(f"its matrices come to more than {_MOST_TASKS} tasks")
        found = _first_matrix(task)
        if found is None:
            yield task
            return
        path, matrix = found
        for item in matrix.items if isinstance(matrix, Items) else (matrix,):
            yield from self._expanded(_put(task, path, item), name)

    def _task(self, name: str, task: Table, needs: tuple[str, ...]) -> Iterator[Script]:
        raw: dict[str, Traced] = {}
        for part in (self.root, task):
            for key in ("env", "environment"):
                raw.update(_env(part.get(key), self.notes, key))
        machine = next((e.name for e in reversed(task.entries) if e.name in _MACHINES), "")
        values = {n: self._value(v, raw, (n,)) for n, v in raw.items()}
        said = task.get(machine) if machine else None
        image = text(said.get("image")).shown if isinstance(said, Table) else ""
        platform = _MACHINES.get(machine, "linux-x86_64")
        if isinstance(said, Table) and text(said.get("platform")).text.lower() == "windows":
            platform = "windows-x86_64"
        arch = text(said.get("architecture")).text if isinstance(said, Table) else ""
        if arch in ("arm64", "aarch64") and platform.startswith("linux"):
            platform = "linux-aarch64"
        shell = Shell(Dialect.CMD) if platform.startswith("windows") else _BASH
        wanted = values.get("CIRRUS_SHELL")
        if wanted:
            shell = shell_of(wanted.text.split()) if wanted.text != "direct" else shell
        if never(task.get("only_if")) or text(task.get("skip")).text.strip().lower() == "true":
            return
        condition = text(task.get("only_if"))
        frame = Frame(
            NAME,
            job=name or None,
            runner=image or machine or None,
            platforms=frozenset({platform}) if platform else None,
            values=values,
            shell=replace(shell, errexit=True) if shell.dialect in (Dialect.BASH, Dialect.SH) else shell,
            ignored=is_true(task.get("allow_failures")),
            needs=needs,
        ).assuming(f"only_if: {' '.join(condition.shown.split())}"[:200] if condition else "")
        yield from self._steps(task, frame)

    def _steps(self, table: Table, frame: Frame, when: tuple[str, ...] = ()) -> Iterator[Script]:
        for number, entry in enumerate(table.entries):
            key = entry.name.partition("\0")[0]
            here = replace(frame.assuming(*when), order=(*frame.order, number))
            if key in ("always", "on_failure", "on_success", "on_timeout") and isinstance(entry.value, Table):
                yield from self._steps(entry.value, here, (key,) if key != "always" else ())
            elif key.endswith("_cache") and isinstance(entry.value, Table):
                yield from self._steps(entry.value, here)
            elif (key == "script" or key.endswith("_script")) and texts(entry.value):
                body = lines(texts(entry.value))
                here = replace(here, ignored=here.ignored or key.endswith("background_script"))
                named = [n for n in _GIVEN.findall(body.text) if n not in here.values]
                script = replace(here, outside=tuple(dict.fromkeys(named))).script(key, body)
                frame = frame.with_values(self._handed(script))
                yield script

    def _handed(self, script: Script) -> Mapping[str, Traced]:
        """What a step writes for those behind it."""
        if "CIRRUS_ENV" not in script.text.text:
            return {}
        found = written(script, self.setting, CIRRUS_ENV)
        held = found.get(CIRRUS_ENV, ()) if found is not None else ()
        if len(held) == 1 and held[0].text:
            return dict(pairs(held[0]))
        said = " ".join(line for line in script.text.text.splitlines() if "CIRRUS_ENV" in line)
        return {n: open_hole(f"${n}", "an earlier step writes it", n) for n in _NAMED.findall(said)}

    def _value(self, whole: Traced, raw: Mapping[str, Traced], inside: tuple[str, ...]) -> Traced:
        """A variable's value with those that it names."""

        def put(name: str, shown: str) -> Traced:
            if name in raw and name not in inside and len(inside) < 20:
                return self._value(raw[name], raw, (*inside, name))
            if name in raw:
                return open_hole(shown, "a variable that refers to itself", name)
            if name in self.setting.assume:
                return outside(name, shown, "it comes from outside")
            if name.startswith("CIRRUS_") or name in ("CI", "HOME", "PATH", "PWD", "USER"):
                return outside(name, shown, "Cirrus gives it")
            return unset(name)

        return fill(whole, _USE, lambda m, _: put(m[1] or m[2] or m[3], m[0]))


_GIVEN = expression(r"\bCIRRUS_\w+|\bCI\b")


def _env(node: Node | None, notes: Notes, key: str) -> dict[str, Traced]:
    if not isinstance(node, Table):
        return {}
    kept = Table(node.span, tuple(e for e in node.entries if isinstance(e.value, Scalar)))
    return variables(kept, notes, key)


def _machine(usual: list[Entry], task: Table) -> list[Entry]:
    """The file's machine, for a task that names none."""
    return [] if any(k in _MACHINES for k in task.by_name) else usual


def _first_matrix(node: Node, path: tuple[str, ...] = ()) -> tuple[tuple[str, ...], Node] | None:
    """The first `matrix` of a task, and the keys that lead to it."""
    for entry in node.entries if isinstance(node, Table) else ():
        if entry.name == "matrix" and isinstance(entry.value, Items | Table):
            return (*path, entry.name), entry.value
        found = _first_matrix(entry.value, (*path, entry.name))
        if found is not None:
            return found
    return None


def _put(task: Table, path: tuple[str, ...], item: Node) -> Table:
    """The task with one item in the place of its matrix."""
    if len(path) == 1:
        kept = [e for e in task.entries if e.name != path[0]]
        if isinstance(item, Table):
            return Table(task.span, tuple(_merged(kept, item)))
        return Table(task.span, tuple(kept))
    entries = []
    for entry in task.entries:
        if entry.name == path[0] and isinstance(entry.value, Table):
            if len(path) == 2 and not isinstance(item, Table):
                entries.append(replace(entry, value=item))
                continue
            entries.append(replace(entry, value=_put(entry.value, path[1:], item)))
        else:
            entries.append(entry)
    return Table(task.span, tuple(entries))


def _merged(kept: list[Entry], item: Table) -> Iterator[Entry]:
    """The entries of a task with those of an item: tables go together, the rest is replaced."""
    names = item.by_name
    held = {e.name for e in kept}
    for entry in kept:
        over = names.get(entry.name)
        if over is None:
            yield entry
        elif isinstance(entry.value, Table) and isinstance(over.value, Table):
            own = over.value.by_name
            inner = (*(e for e in entry.value.entries if e.name not in own), *over.value.entries)
            yield replace(entry, value=Table(entry.value.span, inner))
        else:
            yield over
    yield from (entry for entry in item.entries if entry.name not in held)
