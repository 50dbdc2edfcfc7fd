"""Docker's bake files: the images that targets build.

Follows https://docs.docker.com/build/bake/reference/, inheritance, matrices and
https://docs.docker.com/build/bake/variables/: a variable has its default, which the environment may replace. A target
that only others inherit from builds nothing by itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import product
from posixpath import dirname

from flagguard.command import Command, Reading, Script
from flagguard.hosts import Entered, Setting, hcl_text, image_builds
from flagguard.hosts.github_values import Unknown, Value, string
from flagguard.hosts.hcl_functions import COMPUTED, said_of
from flagguard.hosts.hcl_text import CALLED, Block, Defined, Lookup
from flagguard.hosts.image_builds import Build
from flagguard.hosts.pipelines import Frame, Notes, guarded
from flagguard.hosts.tree import Items, Kind, Node, Scalar, Table
from flagguard.paths import inside
from flagguard.text import Problem, SourceText, Span, Traced, join, literal
from flagguard.values import dataclass, field, replace

NAME = "bake"

_DEEPEST = 20
_MOST_ROWS = 100
_MOST_CALLS = 2_000
"""Calls of functions that the file defines."""


def read(source: SourceText, setting: Setting) -> Reading:
    notes = Notes(setting)
    notes.keep(source)

    def scripts() -> Iterator[Script]:
        base = inside("", source.path.replace(".override.", "."))
        if base != source.path and base is not None and notes.source(base) is not None:
            return  # it is read with the file that it goes over
        name, _, end = source.path.rpartition(".")
        over = notes.source(f"{name}.override.{end}")
        files = [found for one in (source, over) if one is not None and (found := BakeFile.of(one, notes)) is not None]
        if files:
            yield from Bake(files, notes, setting, dirname(source.path)).scripts()

    return Reading(guarded(notes, source.path, scripts), problems=notes.all())


def enter(command: Command, setting: Setting) -> Entered | None:
    """``docker buildx bake``: the targets that it builds, with what the call and the environment put over them."""
    from flagguard.hosts import bake_call

    return bake_call.enter(command, setting)


@dataclass(frozen=True)
class Override:
    """`--set TARGET.KEY=VALUE`; ``pattern`` is of targets."""

    pattern: str
    key: str
    name: str
    """Which of the arguments."""
    value: Traced


@dataclass(frozen=True)
class Given:
    """What a call of bake gives."""

    targets: tuple[Traced, ...] = ()
    overrides: tuple[Override, ...] = ()
    environment: Mapping[str, Traced] = field(default_factory=dict)


@dataclass(frozen=True)
class _Target:
    name: str
    at: Span
    values: Mapping[str, "_Said"]


@dataclass(frozen=True)
class _Said:
    """An attribute: where it stands, and how its value is found."""

    key: Span
    value: "Node | Block | tuple[SourceText, Sequence[hcl_text.Token]]"

    def get(self, lookup: Lookup, source: SourceText) -> Value:
        if isinstance(self.value, tuple):
            return hcl_text.evaluate(self.value[0], self.value[1], lookup)
        return _deep(self.value, lookup, source) if not isinstance(self.value, Block) else COMPUTED


def _deep(node: Node, lookup: Lookup, source: SourceText) -> Node:
    """A value of a JSON file, whose texts may hold `${ }`."""
    if isinstance(node, Items):
        return Items(node.span, tuple(_deep(item, lookup, source) for item in node.items))
    if isinstance(node, Table):
        return Table(node.span, tuple(replace(e, value=_deep(e.value, lookup, source)) for e in node.entries))
    if node.kind is not Kind.STRING or "${" not in node.text.text:
        return node
    return string(hcl_text.template(source, node.span.start + 1, node.span.end - 1, lookup))


@dataclass(frozen=True)
class _Function:
    """A function that the file defines."""

    parameters: tuple[str, ...]
    result: _Said


@dataclass(frozen=True)
class BakeFile:
    source: SourceText
    variables: Mapping[str, _Said]
    declared: frozenset[str]
    """The variables without a default too."""
    groups: Mapping[str, _Said]
    targets: Sequence[_Target]
    functions: Mapping[str, _Function] = field(default_factory=dict)

    @classmethod
    def of(cls, source: SourceText, notes: Notes) -> "BakeFile | None":
        if source.path.endswith(".json"):
            return _from_json(source, notes)
        try:
            block = hcl_text.read(source)
        except hcl_text.Broken as error:
            line = source.position(min(error.offset, len(source.text)))[0]
            notes.problems[Problem(source.path, line, f"not HCL: {error}")] = None
            return None
        variables, groups, functions = {}, {}, {}
        targets = list[_Target]()
        for one in block.blocks:
            label = one.labels[0] if one.labels else ""
            held = {a.name: _Said(a.key, (source, a.tokens)) for a in one.attributes.values()}
            if one.kind == "variable" and "default" in held:
                variables[label] = held["default"]
            elif one.kind == "group" and "targets" in held:
                groups[label] = held["targets"]
            elif one.kind == "target":
                targets.append(_Target(label, one.at, held))
            elif one.kind == "function" and {"params", "result"} <= held.keys():
                names = tuple(token.text for token in one.attributes["params"].tokens if token.kind == "name")
                functions[label] = _Function(names, held["result"])
        shared = {a.name: _Said(a.key, (source, a.tokens)) for a in block.attributes.values()}
        declared = frozenset(one.labels[0] for one in block.blocks if one.kind == "variable" and one.labels)
        return cls(source, {**shared, **variables}, declared, groups, targets, functions)


def _from_json(source: SourceText, notes: Notes) -> BakeFile | None:
    from flagguard.hosts import yaml_text

    document = yaml_text.read_json(source)
    notes.problems.update(dict.fromkeys(document.problems))
    root = document.root
    if not isinstance(root, Table) or not notes.fits(root):
        return None

    def entries(key: str) -> Sequence[tuple[str, Span, Table]]:
        node = root.get(key)
        return (
            [(e.name, e.key, e.value) for e in node.entries if isinstance(e.value, Table)]
            if isinstance(node, Table)
            else []
        )

    variables = {n: _Said(e.key, e.value) for n, _, t in entries("variable") if (e := t.by_name.get("default"))}
    groups = {n: _Said(e.key, e.value) for n, _, t in entries("group") if (e := t.by_name.get("targets"))}
    targets = [_Target(n, at, {e.name: _Said(e.key, e.value) for e in t.entries}) for n, at, t in entries("target")]
    return BakeFile(source, variables, frozenset(n for n, _, _ in entries("variable")), groups, targets)


class Bake:
    def __init__(
        self, files: Sequence[BakeFile], notes: Notes, setting: Setting, folder: str, given: Given | None = None
    ) -> None:
        self.given = given or Given()
        self.notes = notes
        self.setting = setting
        self.folder = folder
        self.variables: dict[str, tuple[SourceText, _Said]] = {}
        self.declared = frozenset[str]().union(*(file.declared for file in files))
        self.groups: dict[str, tuple[SourceText, _Said]] = {}
        self.targets: dict[str, tuple[SourceText, _Target]] = {}
        self.functions = {n: (file.source, f) for file in files for n, f in file.functions.items()}
        for file in files:
            self.variables.update({n: (file.source, s) for n, s in file.variables.items()})
            self.groups.update({n: (file.source, s) for n, s in file.groups.items()})
            for target in file.targets:
                before = self.targets.get(target.name)
                values = {**before[1].values, **target.values} if before is not None else target.values
                self.targets[target.name] = (file.source, replace(target, values=values))
        self._inside: tuple[str, ...] = ()
        self._calls = 0
        self._worked: dict[str, Value] = {}
        self._resolved: dict[str, dict[str, tuple[SourceText, list[_Said]]]] = {}

    def scripts(self) -> Iterator[Script]:
        named = {t.text for s, said in self.groups.values() for t in _texts(said.get(self.lookup({}), s))}
        inherited = {
            t.text
            for s, target in self.targets.values()
            if "inherits" in target.values
            for t in _texts(target.values["inherits"].get(self.lookup({}), s))
        }
        for name in self.targets:
            if name in named or not (name in inherited or name.startswith("_")):
                yield from self._target(name)

    def called(self) -> Iterator[Script]:
        """The targets that the call names, those of groups once each."""
        wanted = [target.text for target in self.given.targets] or ["default"]
        seen: set[str] = set()
        while wanted:
            name = wanted.pop(0)
            if name in seen:
                continue
            seen.add(name)
            group = self.groups.get(name)
            if group is not None:
                wanted = [t.text for t in _texts(group[1].get(self.lookup({}), group[0]))] + wanted
            elif name in self.targets:
                yield from self._target(name)
            else:
                yield from self._row(name)

    def _row(self, wanted: str) -> Iterator[Script]:
        """The one row of a matrix that has the name."""
        for name, (source, target) in self.targets.items():
            said = target.values.get("name")
            if said is None:
                continue
            for row in self._rows(self._values(name), source):
                found = said_of(value) if not isinstance(value := said.get(self.lookup(row), source), Unknown) else None
                if found is not None and found.text == wanted:
                    yield from self._target(name, (row,))

    def lookup(self, row: Mapping[str, Value]) -> Lookup:
        def of(names: tuple[str, ...]) -> Value:
            first = names[0]
            if first in row:
                return row[first] if len(names) == 1 else _walk(row[first], names[1:])
            if first == "target" and len(names) == 3:
                found = self.targets.get(names[1])
                said = found[1].values.get(names[2]) if found is not None else None
                return said.get(self.lookup(row), found[0]) if said is not None and found is not None else COMPUTED
            if len(names) > 1:
                return self._function(first) if names[1] == CALLED else COMPUTED
            return self._variable(first)

        return of

    def _function(self, name: str) -> Value:
        found = self.functions.get(name)
        if found is None:
            return COMPUTED
        source, function = found

        def call(arguments: Sequence[Value]) -> Value:
            self._calls += 1
            own = f"{name}{CALLED}"
            if self._calls > _MOST_CALLS or own in self._inside or len(arguments) != len(function.parameters):
                return COMPUTED
            before, self._inside = self._inside, (*self._inside, own)
            try:
                return function.result.get(self.lookup(dict(zip(function.parameters, arguments, strict=True))), source)
            finally:
                self._inside = before

        return Defined("a function of the file", call=call)

    def _variable(self, name: str) -> Value:
        if name in self.setting.assume:
            return string(literal(self.setting.assume[name]))
        found = self.variables.get(name)
        if name in self.given.environment and (found is not None or name in self.declared):
            return string(self.given.environment[name])
        if found is None or name in self._inside:
            return Unknown("nothing in the file sets it") if found is None else COMPUTED
        if name in self._worked:
            return self._worked[name]
        before, self._inside = self._inside, (*self._inside, name)
        try:
            value = found[1].get(self.lookup({}), found[0])
        finally:
            self._inside = before
        if isinstance(value, Scalar):
            value = replace(value, text=value.text.overridable())
        self._worked[name] = value
        return value

    # -- one target

    def _values(self, name: str, above: tuple[str, ...] = ()) -> dict[str, tuple[SourceText, list[_Said]]]:
        """The attributes of a target, each with those below that it goes over; tables go together."""
        found = self.targets.get(name)
        if found is None or name in above or len(above) > _DEEPEST:
            return {}
        if name in self._resolved:
            return self._resolved[name]
        source, target = found
        out: dict[str, tuple[SourceText, list[_Said]]] = {}
        given = target.values.get("inherits")
        for parent in _texts(given.get(self.lookup({}), source)) if given is not None else []:
            for key, (where, several) in self._values(parent.text, (*above, name)).items():
                if key not in ("matrix", "name"):
                    kept = out.get(key, (where, []))[1] if key in ("args", "contexts", "labels") else []
                    again = set(map(id, several))
                    out[key] = (where, [*(one for one in kept if id(one) not in again), *several])
        for key, said in target.values.items():
            kept = out.get(key, (source, []))[1] if key in ("args", "contexts", "labels") else []
            out[key] = (source, [*kept, said])
        self._resolved[name] = out
        return out

    def _target(self, name: str, rows: Sequence[dict[str, Value]] | None = None) -> Iterator[Script]:
        source, target = self.targets[name]
        values = self._values(name)
        if "dockerfile-inline" in values:
            self.notes.tell(target.at, "a Dockerfile inside of the file is not read", f"target {name}")
            return
        over = {(one.key, one.name): one.value for one in self.given.overrides if fnmatchcase(name, one.pattern)}
        for row in self._rows(values, source) if rows is None else rows:
            lookup = self.lookup(row)

            def of(key: str, seen: Lookup = lookup) -> Traced | None:
                if (key, "") in over:
                    return over[key, ""]
                found = values.get(key)
                value = found[1][-1].get(seen, found[0]) if found is not None else None
                return said_of(value) if value is not None and not isinstance(value, Unknown) else None

            args: dict[str, tuple[Span, Traced | None]] = {}
            for said in values.get("args", (source, []))[1]:
                table = said.get(lookup, source)
                for entry in table.entries if isinstance(table, Table) else ():
                    at = Span(entry.key.path, entry.key.start, max(entry.key.end, entry.value.span.end))
                    if isinstance(entry.value, Scalar) and entry.value.kind is Kind.NULL:
                        args.pop(entry.name, None)
                    else:
                        args[entry.name] = (at, said_of(entry.value) or Traced())
            for (key, one), text in over.items():
                if key == "args" and one:
                    args[one] = (text.route[-1] if text.route else target.at, text)
            platforms = values.get("platforms")
            listed = _texts(platforms[1][-1].get(lookup, platforms[0])) if platforms is not None else []
            listed = [over["platform", ""]] if ("platform", "") in over else listed
            context = of("context")
            file = of("dockerfile")
            if file is not None and context is not None and context.text not in ("", "."):
                file = join((context, literal("/"), file))
            label = ", ".join(t.shown for v in row.values() if (t := said_of(v)) is not None)
            job = f"{name} ({label})" if label else name
            frame = Frame(NAME, job=job, directory=self.folder, unit=name)
            yield image_builds.script(Build(target.at, context, file, of("target"), args, listed), frame, "build")

    def _rows(self, values: Mapping[str, tuple[SourceText, list[_Said]]], source: SourceText) -> list[dict[str, Value]]:
        given = values.get("matrix")
        table = given[1][-1].get(self.lookup({}), source) if given is not None else None
        if not isinstance(table, Table):
            return [{}]
        axes = [(e.name, e.value.items) for e in table.entries if isinstance(e.value, Items)]
        size = 1
        for _, items in axes:
            size *= max(len(items), 1)
        if size > _MOST_ROWS:
            self.notes.tell(table.span, f"more than {_MOST_ROWS} rows; they are not judged", "matrix", fatal=True)
            return []
        names = [name for name, _ in axes]
        return [dict(zip(names, row, strict=True)) for row in product(*(items for _, items in axes))]


def _walk(value: Value, names: Sequence[str]) -> Value:
    for name in names:
        value = (value.get(name) or COMPUTED) if isinstance(value, Table) else COMPUTED
    return value


def _texts(value: Value) -> list[Traced]:
    found = [said_of(item) for item in value.items] if isinstance(value, Items) else []
    return [t for t in found if t is not None]
