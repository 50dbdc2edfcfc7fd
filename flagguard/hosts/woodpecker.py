"""Woodpecker CI and Drone: the steps of a workflow as scripts.

Follows https://woodpecker-ci.org/docs/usage/workflow-syntax, matrix-workflows, environment, and
https://docs.drone.io/pipeline/docker/syntax/: `${NAME}` is replaced before anything runs, by the row of the matrix
and by what the server gives; `$${NAME}` is what the shell sees as `${NAME}`. Each step is a container of its own, in
which `/bin/sh -e` reads the commands. Of a plugin there are only settings.
"""

from collections.abc import Iterator, Mapping, Sequence

from flagguard.command import Dialect, Reading, Script
from flagguard.hosts import Setting
from flagguard.hosts.pipelines import (
    Frame,
    Notes,
    Shell,
    assignments,
    fill,
    guarded,
    is_true,
    lines,
    never,
    outside,
    reached,
    rows_of,
    speaking,
    text,
    texts,
    values_of,
)
from flagguard.hosts.tree import Items, Node, Scalar, Table
from flagguard.patterns import expression
from flagguard.text import SourceText, Traced, literal
from flagguard.values import replace

NAME = "woodpecker"

_SH = Shell(Dialect.SH, errexit=True)
_USE = expression(r"\$\$|\$\{([A-Za-z_]\w*)(?:[^{}]*)\}")
_GIVEN = expression(r"\b(?:CI|DRONE|PLUGIN)(?:_\w+)?\b")
_SERVER = ("CI_", "DRONE_", "WOODPECKER_")
_MOST_ROWS = 100


def read(source: SourceText, setting: Setting) -> Reading:
    notes = Notes(setting)

    def scripts() -> Iterator[Script]:
        for root in notes.documents(source, lists=True):
            table = notes.table(root, "the workflow")
            if table is not None:
                yield from _workflow(table, notes, setting)

    return Reading(guarded(notes, source.path, scripts), problems=notes.all())


def _workflow(root: Table, notes: Notes, setting: Setting) -> Iterator[Script]:
    kind = text(root.get("kind")).text
    if kind and kind != "pipeline":
        return  # secrets, signatures
    node = root.get("steps") or root.get("pipeline")
    steps = list(_steps(node, notes))
    given = {name: step.get("depends_on") for name, step in steps}
    names = [name for name, _ in steps]
    needs = {
        name: tuple(t.text for t in texts(node)) if (node := given[name]) is not None else tuple(names[:i])
        for i, name in enumerate(names)
    }
    for label, row in _rows(root.get("matrix"), notes):
        platforms = _platforms(root, row, setting)
        title = text(root.get("name")).shown or _stem(root.span.path)
        job = f"{title} ({label})" if label else title
        for number, (name, step) in enumerate(steps):
            frame = Frame(
                NAME,
                job=job,
                runner=_said(text(step.get("image")), row).shown or None,
                platforms=platforms,
                shell=_SH,
                order=(number,),
                needs=reached(name, needs),
            )
            yield from _step(name, step, root, row, frame, notes)


def _stem(path: str) -> str:
    """What a workflow without a name is called: as its file."""
    return path.rpartition("/")[2].lstrip(".").partition(".")[0]


def _steps(node: Node | None, notes: Notes) -> Iterator[tuple[str, Table]]:
    if isinstance(node, Table):
        for entry in node.entries:
            step = notes.table(entry.value, f"steps.{entry.name}")
            if step is not None:
                yield entry.name, step
        return
    for number, item in enumerate(notes.items(node, "steps"), 1):
        step = notes.table(item, "steps")
        if step is not None:
            yield text(step.get("name")).shown or str(number), step


def _step(
    name: str, step: Table, root: Table, row: Mapping[str, Traced], frame: Frame, notes: Notes
) -> Iterator[Script]:
    commands = [one for key in ("commands", "script") for one in texts(step.get(key))]
    if not commands:
        return
    values: dict[str, Traced] = dict(row)
    for part in (root, step):
        node = part.get("environment")
        if isinstance(node, Table):  # a secret is a table: `from_secret`
            plain = tuple(e for e in node.entries if isinstance(e.value, Scalar))
            node = Table(node.span, plain)
        values.update(assignments(node, notes, f"{name}.environment"))
    values = {key: _said(value, row) for key, value in values.items()}
    body = _said(lines(commands), row)
    secrets = _secrets(step)
    outer = [n for n in (*_GIVEN.findall(body.text), *secrets) if n not in values]
    ignored = text(step.get("failure")).text == "ignore" or is_true(step.get("detach"))
    conditions = root.get("when"), step.get("when"), root.get("trigger")
    frame = replace(frame, values=values, outside=tuple(dict.fromkeys(outer)), ignored=ignored)
    shell = frame.shell
    if frame.platforms and all(p.startswith("windows-") for p in frame.platforms):
        shell = Shell(Dialect.POWERSHELL)
    if any(isinstance(node, Table) and never(node.get("evaluate")) for node in conditions):
        return
    for node in conditions:
        said = _shown(node, notes)
        frame = frame.assuming(f"when: {said}"[:200] if said else "")
    yield frame.script(name, body, shell)


def _shown(node: Node | None, notes: Notes) -> str:
    source = notes.source(node.span.path) if node is not None else None
    if node is None or source is None or (isinstance(node, Scalar) and not node.text):
        return ""
    return " ".join(source.text[node.span.start : node.span.end].split())


def _secrets(step: Table) -> Sequence[str]:
    found = [e.name for e in node.entries if isinstance(e.value, Table)] if isinstance(
        node := step.get("environment"), Table) else []  # fmt: skip
    listed = step.get("secrets")
    for item in listed.items if isinstance(listed, Items) else ():
        found.append(text(item.get("target") if isinstance(item, Table) else item).text.upper())
    return found


def _said(whole: Traced, row: Mapping[str, Traced]) -> Traced:
    def put(name: str | None, written: str) -> Traced | None:
        if name is None:
            return literal("$")
        if name in row:
            return row[name]
        if name.startswith(_SERVER):
            return outside(name, written, "the server gives it")
        return None

    return fill(whole, _USE, lambda m, _: put(m[1], m[0]))


def _rows(node: Node | None, notes: Notes) -> Iterator[tuple[str, Mapping[str, Traced]]]:
    if not isinstance(node, Table) or not node.entries:
        yield "", {}
        return
    include = node.get("include")
    if isinstance(include, Items):
        for item in include.items:
            if isinstance(item, Table):
                row = {e.name: text(e.value) for e in item.entries}
                yield ", ".join(v.shown for v in row.values()), row
        return
    rows = rows_of([(e.name, values_of(e.value)) for e in node.entries], _MOST_ROWS)
    if rows is None:
        notes.tell(node.span, f"more than {_MOST_ROWS} rows; they are not judged", "matrix", fatal=True)
        return
    for row in rows:
        yield ", ".join(v.shown for v in row.values()), row


def _platforms(root: Table, row: Mapping[str, Traced], setting: Setting) -> frozenset[str] | None:
    labels = root.get("labels")
    said = [_said(text(e.value), row).text for e in labels.entries] if isinstance(labels, Table) else []
    platform = root.get("platform")
    if isinstance(platform, Table):
        said += [text(platform.get("os")).text or "linux", text(platform.get("arch")).text or "amd64"]
    elif platform is not None:
        said.append(_said(text(platform), row).text)
    return speaking(said, setting, "linux") if said else frozenset({"linux-x86_64"})
