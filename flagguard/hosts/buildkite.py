"""Buildkite: the steps of a pipeline as scripts.

Follows https://buildkite.com/docs/pipelines/configure/step-types/command-step, build-matrix and
https://buildkite.com/docs/pipelines/configure/environment-variables ("Variable interpolation"): when a pipeline is
uploaded, `$NAME` is replaced by what the pipeline's `env` and the uploading agent give it, and `$$` is what the shell
sees as `$`. A command goes to `/bin/bash -e -c`.
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
    reached,
    rows_of,
    speaking,
    text,
    texts,
    unset,
    values_of,
)
from flagguard.hosts.tree import Items, Node, Scalar, Table
from flagguard.patterns import expression
from flagguard.text import EMPTY, SourceText, Traced, literal
from flagguard.values import dataclass, replace

NAME = "buildkite"

_BASH = Shell(Dialect.BASH, errexit=True)
_UPLOAD = expression(r"\$\$|\\\$|\$\{([A-Za-z_]\w*)(:?-([^{}]*)|[^{}]*)\}|\$([A-Za-z_]\w*)")
_ASSIGNED = expression(r"\b(?:for|read|local|export|declare)?\s*\b([A-Za-z_]\w*)(?==|\s+in\b|\s*;\s*do\b|\s*$)")
_MATRIX = expression(r"\{\{\s*matrix(?:\.([\w-]+))?\s*\}\}")
_MOST_ROWS = 100
_NO_COMMANDS = frozenset(("block", "input", "wait", "waiter", "trigger", "manual"))


def read(source: SourceText, setting: Setting) -> Reading:
    notes = Notes(setting)

    def scripts() -> Iterator[Script]:
        for root in notes.documents(source):
            yield from _Pipeline(root, notes, setting).scripts()

    return Reading(guarded(notes, source.path, scripts), problems=notes.all())


@dataclass(frozen=True)
class _Step:
    table: Table
    name: str
    number: tuple[int, ...]
    when: tuple[str, ...]
    needs: tuple[str, ...]


class _Pipeline:
    def __init__(self, root: Node, notes: Notes, setting: Setting) -> None:
        self.root = root
        self.notes = notes
        self.setting = setting
        table = root if isinstance(root, Table) else None
        self.env = assignments(table.get("env"), notes, "env") if table is not None else {}
        self.agents = table.get("agents") if table is not None else None

    def scripts(self) -> Iterator[Script]:
        node = self.root.get("steps") if isinstance(self.root, Table) else self.root
        steps = list(self._steps(node, (), ()))
        needs = {step.name: step.needs for step in steps}
        for step in steps:
            for label, row in self._rows(step):
                yield from self._script(step, label, row, reached(step.name, needs))

    def _steps(self, node: Node | None, number: tuple[int, ...], when: tuple[str, ...]) -> Iterator[_Step]:
        before: list[str] = []
        waited: tuple[str, ...] = ()
        for i, item in enumerate(node.items if isinstance(node, Items) else ()):
            here = (*number, i)
            if isinstance(item, Scalar):
                if item.text.text in ("wait", "waiter"):
                    waited = tuple(before)
                continue
            if not isinstance(item, Table):
                self.notes.wrong(item, "a step", "steps")
                continue
            nested = next(
                (item.get(k) for k in ("command", "commands", "script") if isinstance(item.get(k), Table)), None
            )
            table = nested if isinstance(nested, Table) else item
            asked = text(table.get("if"))
            own = (*when, f"if: {' '.join(asked.shown.split())}"[:200]) if asked else when
            if "wait" in table.by_name or "waiter" in table.by_name:
                waited = tuple(before)
            if _skipped(table) or never(table.get("if")):
                continue
            if table.get("group") is not None or "group" in table.by_name:
                for step in self._steps(table.get("steps"), here, own):
                    before.append(step.name)
                    yield replace(step, needs=tuple(dict.fromkeys((*waited, *step.needs))))
                continue
            if any(key in table.by_name for key in _NO_COMMANDS):
                continue
            name = (
                text(table.get("key") or table.get("id")).shown or text(table.get("label") or table.get("name")).shown
            )
            name = name or ".".join(str(n + 1) for n in here)
            given = table.get("depends_on")
            named = (
                [i.get("step") if isinstance(i, Table) else i for i in given.items]
                if isinstance(given, Items)
                else [given]
            )
            yield _Step(
                table, name, here, own, tuple(dict.fromkeys((*waited, *(text(n).text for n in named if text(n)))))
            )
            before.append(name)

    # -- matrix

    def _rows(self, step: _Step) -> Sequence[tuple[str, Mapping[str, Traced]]]:
        matrix = step.table.get("matrix")
        if matrix is None:
            return (("", {}),)
        setup = matrix.get("setup") if isinstance(matrix, Table) else matrix
        pairs = (
            [(e.name, values_of(e.value)) for e in setup.entries]
            if isinstance(setup, Table)
            else [("", values_of(setup))]
        )
        rows = rows_of(pairs, _MOST_ROWS)
        if rows is None:
            self.notes.tell(
                matrix.span, f"more than {_MOST_ROWS} rows; they are not judged", f"{step.name}.matrix", True
            )
            return ()
        found = list(rows)
        adjustments = matrix.get("adjustments") if isinstance(matrix, Table) else None
        for one in adjustments.items if isinstance(adjustments, Items) else ():
            having = one.get("with") if isinstance(one, Table) else None
            row = ({e.name: text(e.value) for e in having.entries} if isinstance(having, Table)
                   else {"": text(having)})  # fmt: skip
            held = {name: value.text for name, value in row.items()}
            others = [r for r in found if {n: v.text for n, v in r.items()} != held]
            found = others if isinstance(one, Table) and _skipped(one) else [*others, row]
        return [(", ".join(v.shown for v in row.values()), row) for row in found]

    # -- one step

    def _script(self, step: _Step, label: str, row: Mapping[str, Traced], needs: tuple[str, ...]) -> Iterator[Script]:
        table = step.table
        body = lines(self._said(one, row) for key in ("command", "commands", "script") for one in texts(table.get(key)))
        if not body:
            return
        agents = [self._said(one, row) for one in _labels(table.get("agents") or self.agents)]
        platforms = speaking([a.text for a in agents], self.setting)
        own = {n: self._said(v, row) for n, v in assignments(table.get("env"), self.notes, f"{step.name}.env").items()}
        windows = platforms is not None and all(p.startswith("windows-") for p in platforms)
        soft = table.get("soft_fail")
        frame = Frame(
            NAME,
            job=f"{step.name} ({label})" if label else step.name,
            runner=", ".join(a.shown for a in agents) or None,
            platforms=platforms,
            values={**self.env, **own},
            outside=tuple(n for n in _given(body) if n not in self.env and n not in own),
            shell=Shell(Dialect.CMD) if windows else _BASH,
            when=step.when,
            ignored=is_true(soft),
            order=step.number,
            needs=needs,
        )
        for plugin in _plugins(table.get("plugins")):
            if plugin.text.partition("#")[0].rpartition("/")[2] in ("docker", "docker-compose", "singularity"):
                frame = replace(frame, values=_inside(table.get("plugins"), frame.values))
        title = text(table.get("label") or table.get("name"))
        yield frame.script(self._said(title, row).shown or None, body)

    def _said(self, whole: Traced, row: Mapping[str, Traced]) -> Traced:
        """A text after the matrix and the upload have replaced what is theirs."""
        whole = fill(whole, _MATRIX, lambda m, _: row.get(m[1] or ""))
        raw = whole.text
        return fill(whole, _UPLOAD, lambda m, written: self._put(m[1] or m[4], m[2] or "", m[3], written, raw))

    def _put(self, name: str | None, operator: str, default: str | None, written: Traced, raw: str) -> Traced | None:
        if name is None:
            return literal("$")
        if (
            name in self.env
            or name in self.setting.assume
            or name.startswith("BUILDKITE")
            or name in ("CI", "HOME", "PATH")
        ):
            return None  # the shell sees the same
        if name in _ASSIGNED.findall(raw):
            return None  # uploaded without interpolation, or the script could not work
        if default is not None and operator.lstrip(":").startswith("-"):
            at = written.text.index(operator) + len(operator) - len(default)
            return written.cut(at, at + len(default)).overridable() if default else EMPTY
        return unset(name)


def _skipped(table: Table) -> bool:
    """`skip` with true, or with a reason."""
    return text(table.get("skip")).text not in ("", "false")


def _given(body: Traced) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_GIVEN.findall(body.text)))


_GIVEN = expression(r"\bBUILDKITE(?:_\w+)?\b")


def _labels(node: Node | None) -> list[Traced]:
    if isinstance(node, Table):
        return [literal(f"{e.name}=") + text(e.value) if e.name != "queue" else text(e.value) for e in node.entries]
    return [one.cut(6, len(one)) if one.text.startswith("queue=") else one for one in texts(node)]


def _plugins(node: Node | None) -> Iterator[Traced]:
    for item in node.items if isinstance(node, Items) else (node,) if node is not None else ():
        if isinstance(item, Table):
            yield from (literal(e.name) for e in item.entries)
        else:
            yield from texts(item)


def _inside(node: Node | None, values: Mapping[str, Traced]) -> Mapping[str, Traced]:
    """What a container sees of the environment: what its plugin passes."""
    passed: dict[str, Traced] = {}
    for item in node.items if isinstance(node, Items) else (node,):
        for entry in item.entries if isinstance(item, Table) else ():
            given = entry.value
            if not isinstance(given, Table):
                continue
            if is_true(given.get("propagate-environment")):
                return values
            for one in texts(given.get("environment") or given.get("env")):
                name, equals, _ = one.text.partition("=")
                if equals:
                    passed[name] = one.cut(len(name) + 1, len(one))
                elif name in values:
                    passed[name] = values[name]
    return passed
