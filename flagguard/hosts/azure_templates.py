"""Azure Pipelines: what can be named at a place, `${{ if }}` and `${{ each }}` in lists and tables, and template files.

Follows https://learn.microsoft.com/azure/devops/pipelines/process/template-expressions, template-parameters and
templates: they are worked off before anything runs. A condition that nobody knows forks: what stands under it has it as
its assumption. What jobs and steps are is not known here.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from posixpath import dirname

from flagguard.hosts.azure_expressions import evaluate, overridable, pair, step_into, text_of_value, truth
from flagguard.hosts.github_values import Unknown, Value, constant, string
from flagguard.hosts.pipelines import Frame, Notes, Values, fill, open_hole, outside, text
from flagguard.hosts.tree import Entry, Items, Kind, Node, Scalar, Table
from flagguard.paths import inside
from flagguard.patterns import expression
from flagguard.text import EMPTY, Decider, Shape, Span, Traced, literal
from flagguard.values import dataclass, field, replace

USE = expression(r"\$\{\{((?:'(?:[^']|'')*'|[^'])*?)\}\}", re.DOTALL)
MACRO = expression(r"\$\(([A-Za-z_][\w.\-]*)\)")
RUNTIME = expression(r"\$\[((?:[^\[\]]|\[[^\[\]]*\])*)\]", re.DOTALL)
_KEY = expression(r"(if|elseif|each|else|insert)\b\s*(.*)", re.DOTALL)
_EACH = expression(r"([A-Za-z_][\w-]*)\s+in\s+(.*)", re.DOTALL)
DEEPEST = 20
"""Template files in each other; Azure's limit is 100."""

_GIVEN = ("agent.", "build.", "checks.", "common.", "environment.", "pipeline.", "release.", "resources.", "strategy.",
          "system.", "tf_build")  # fmt: skip
"""https://learn.microsoft.com/azure/devops/pipelines/build/variables: what these begin is Azure's."""
CHECKOUT = frozenset("build.sourcesdirectory build.repository.localpath system.defaultworkingdirectory".split())
_PATHS = frozenset(
    "agent.builddirectory agent.homedirectory agent.tempdirectory agent.toolsdirectory agent.workfolder "
    "pipeline.workspace build.artifactstagingdirectory build.binariesdirectory build.stagingdirectory "
    "build.sourceversion build.buildnumber common.testresultsdirectory build.sourcebranchname "
    "build.sourcebranch".split()
)
_NUMBERS = frozenset("build.buildid agent.id system.jobattempt system.stageattempt system.totaljobsinphase".split())
_SYSTEMS = {"linux": "Linux", "macos": "Darwin", "windows": "Windows_NT"}
_ARCHITECTURES = {"x86_64": "X64", "aarch64": "ARM64", "arm64": "ARM64", "armv7l": "ARM", "i686": "X86"}


@dataclass(frozen=True)
class Scope:
    """What can be named at a place."""

    parameters: Mapping[str, Value] = field(default_factory=dict)
    loops: Mapping[str, Value] = field(default_factory=dict)
    variables: Values = field(default_factory=dict)
    """As they are written; a later one of the same name, in any case of letters, wins."""
    open: bool = False
    """A variable group, or a template that is not read, may set others."""
    platform: str | None = None
    assume: Mapping[str, str] = field(default_factory=dict)
    alone: bool = False
    """Of a template that is read by itself: whoever uses it gives its parameters."""

    # -- expressions

    def get(self, parts: tuple[str, ...]) -> Value:
        head, rest = parts[0].lower(), parts[1:]
        if parts[0] in self.loops:
            return _walk(self.loops[parts[0]], rest)
        if head == "parameters" and rest:
            name = rest[0].lower()
            found = next((v for n, v in self.parameters.items() if n.lower() == name), None)
            if found is not None:
                return _walk(found, rest[1:])
            return Unknown("a parameter that whoever uses the template gives") if self.alone else constant(None)
        if head == "variables" and len(rest) >= 1:
            return self._variable(".".join(rest))
        if head == "parameters":
            own = [Entry(n, Span("", 0, 0), v) for n, v in self.parameters.items() if not isinstance(v, Unknown)]
            return Table(Span("", 0, 0), tuple(own))
        return Unknown("Azure gives it when the pipeline runs")

    def _variable(self, name: str) -> Value:
        found = self.variable(name, f"variables.{name}")
        if found is None:
            return Unknown("the pipeline's settings may set it") if self.open else constant(None)
        if len(found.pieces) == 1 and found.pieces[0].hole is not None:
            hole = found.pieces[0].hole
            return Unknown(hole.reason, hole.decider, hole.shape)
        return string(found)

    def value(self, node: Node) -> Value:
        """A value with its expressions replaced, as deep as they are known."""
        if isinstance(node, Items):
            return Items(node.span, tuple(self._known(item) for item, *_ in self.items(node)))
        if isinstance(node, Table):
            return Table(node.span, tuple(replace(e, value=self._known(e.value)) for e, _, _ in self.entries(node)))
        if "${{" not in node.text.text:
            return node
        whole = USE.fullmatch(node.text.text.strip())
        if whole is None:
            return string(self.text(node.text))
        start = node.text.text.index("${{")
        found = evaluate(node.text.cut(start + 3, start + 3 + len(whole[1])), self.get)
        if isinstance(found, Scalar):
            return replace(found, text=found.text.through(node.text.route), span=node.span)
        return found

    def _known(self, node: Node) -> Node:
        found = self.value(node)
        if not isinstance(found, Unknown):
            return found
        return string(self.text(text(node)))

    def text(self, whole: Traced) -> Traced:
        """A text with its `${{ }}` replaced."""
        if "${{" not in whole.text:
            return whole

        def put(match: "re.Match[str]", written: Traced) -> Traced:
            found = evaluate(written.cut(3, len(written) - 2), self.get)
            said = text_of_value(found)
            if said is not None:
                return said
            shown = match[0]
            if isinstance(found, Unknown) and found.decider is Decider.OUTSIDE:
                return outside(shown, shown, found.reason, found.shape)
            return open_hole(shown, found.reason if isinstance(found, Unknown) else "a list or a table")

        return fill(whole, USE, put)

    # -- variables at run time

    def variable(self, name: str, written: str, seen: tuple[str, ...] = ()) -> Traced | None:
        """The value of a variable; None where nobody here sets it."""
        low = name.lower()
        found = next((v for n, v in self.variables.items() if n.lower() == low), None)
        if found is not None:
            if low in seen or len(seen) > 20:
                return open_hole(written, "a variable that refers to itself", name)
            return self.expanded(found, (*seen, low))
        if name in self.assume:
            return literal(self.assume[name])
        if low.startswith(_GIVEN):
            return self._given(low, name, written)
        return None

    def _given(self, low: str, name: str, written: str) -> Traced:
        if self.platform is not None and low == "agent.os":
            return literal(_SYSTEMS.get(self.platform.partition("-")[0], "Linux"))
        if self.platform is not None and low == "agent.osarchitecture":
            return literal(_ARCHITECTURES.get(self.platform.partition("-")[2], "X64"))
        path = "" if low in CHECKOUT else None
        shape = Shape.PATH if path is not None or low in _PATHS else Shape.NUMBER if low in _NUMBERS else Shape.ANY
        return outside(name, written, "Azure gives it", shape, path)

    def expanded(self, whole: Traced, seen: tuple[str, ...] = ()) -> Traced:
        """A text with its `$( )` and, where it is nothing else, its `$[ ]` replaced; what nobody sets stays."""
        raw = whole.text
        if "$[" in raw and (found := RUNTIME.fullmatch(raw.strip())) is not None:
            start = raw.index("$[")
            value = evaluate(whole.cut(start + 2, start + 2 + len(found[1])), self.get)
            said = text_of_value(value)
            said = said if said is not None else open_hole(raw.strip(), "Azure computes it")
            return said.through(whole.route)
        if "$(" not in raw:
            return whole
        return fill(whole, MACRO, lambda m, _: self._macro(m[1], m[0], seen))

    def _macro(self, name: str, written: str, seen: tuple[str, ...]) -> Traced | None:
        found = self.variable(name, written, seen)
        if found is None and ("." in name or (self.open and name != name.lower()) or name.isupper()):
            return outside(name, written, "the pipeline's settings may set it")
        return found

    def rendered(self, node: Node | None) -> Traced:
        """A scalar as what runs sees it."""
        if not isinstance(node, Scalar):
            return EMPTY
        found = self.value(node)
        said = text_of_value(found) if not isinstance(found, Unknown) else None
        return self.expanded(said if said is not None else self.text(text(node)))

    # -- lists and tables

    def items(self, node: Node) -> Iterator[tuple[Node, "Scope", tuple[str, ...], bool]]:
        """The items of a list, with what each sees, what it assumes, and whether somebody has to ask for it."""
        chain = _Chain()
        for item in node.items if isinstance(node, Items) else (node,):
            directive = _directive(item)
            if directive is None:
                chain = _Chain()
                yield from self._item(item)
                continue
            kind, said, value = directive
            if kind == "each":
                chain = _Chain()
                for scope, assumed in self._each(said):
                    for inner, own, when, asked in scope.items(value):
                        yield inner, own, (*assumed, *when), asked
                continue
            if kind == "insert":
                yield from self.items(value)
                continue
            for assumed, asked in self._taken(kind, said, chain):
                for inner, own, when, opt_in in self.items(value):
                    yield inner, own, (*assumed, *when), asked or opt_in

    def _item(self, item: Node) -> Iterator[tuple[Node, "Scope", tuple[str, ...], bool]]:
        """An item that may be an expression for a whole list."""
        if isinstance(item, Scalar) and "${{" in item.text.text:
            found = self.value(item)
            if isinstance(found, Items):
                yield from ((one, self, (), False) for one in found.items)
                return
            item = found if not isinstance(found, Unknown) else item
        yield item, self, (), False

    def entries(self, table: Table) -> Iterator[tuple[Entry, "Scope", bool]]:
        """The entries of a table, with what each sees, and whether it is surely there."""
        chain = _Chain()
        for entry in table.entries:
            directive = _of_key(entry.name)
            if directive is None:
                chain = _Chain()
                name = self.text(literal(entry.name)).shown if "${{" in entry.name else entry.name
                yield replace(entry, name=name), self, True
                continue
            kind, said = directive
            if kind == "each":
                for scope, assumed in self._each(said):
                    for inner, own, sure in scope._inner(entry.value):
                        yield inner, own, sure and not assumed
                continue
            if kind == "insert":
                yield from self._inner(entry.value)
                continue
            for assumed, asked in self._taken(kind, said, chain):
                if not asked:
                    for inner, own, sure in self._inner(entry.value):
                        yield inner, own, sure and not assumed

    def _inner(self, value: Node) -> Iterator[tuple[Entry, "Scope", bool]]:
        found = self.value(value) if isinstance(value, Scalar) else value
        if isinstance(found, Table):
            yield from self.entries(found)

    def _taken(self, kind: str, said: str, chain: "_Chain") -> Iterator[tuple[tuple[str, ...], bool]]:
        """Whether the branch of an `if` is taken: nothing, or what it assumes and whether it has to be asked for."""
        if kind == "if":
            chain.start()
        if chain.done:
            return
        value = evaluate(literal(said), self.get) if kind != "else" else constant(True)
        held = truth(value)
        shown = f"if: {' '.join(said.split())}" if kind != "else" else ""
        before = tuple(f"if: not({s})" for s in chain.open)
        if held is None:
            chain.open.append(" ".join(said.split()))
            yield (*before, shown), False
        elif held:
            chain.done = True
            yield (before if before else ()), False
        elif self._asked(said):
            yield (shown,), True

    def _asked(self, said: str) -> bool:
        """Whether a condition depends on what somebody outside may choose."""
        for name in re.findall(r"parameters\.([\w-]+)", said):
            value = self.get(("parameters", name))
            if not isinstance(value, Unknown) and overridable(value):
                return True
        return False

    def _each(self, said: str) -> Iterator[tuple["Scope", tuple[str, ...]]]:
        found = _EACH.fullmatch(said.strip())
        if found is None:
            return
        name, over = found[1], evaluate(literal(found[2]), self.get)
        if isinstance(over, Unknown):
            unknown = Unknown(f"an item of {found[2].strip()}", over.decider)
            yield replace(self, loops={**self.loops, name: unknown}), (f"each {said.strip()}",)
            return
        values: Sequence[Node] = over.items if isinstance(over, Items) else ()
        if isinstance(over, Table):
            values = tuple(map(pair, over.entries))
        for value in values:
            yield replace(self, loops={**self.loops, name: value}), ()


def contradicts(frame: Frame, when: Sequence[str]) -> bool:
    """Whether conditions cannot hold where a frame stands."""
    return any(_denied(said) in frame.when for said in when if said)


def split(frame: Frame, when: Sequence[str]) -> list[tuple[Frame, bool]]:
    """The worlds that conditions make of one, and whether they all hold there."""
    worlds: list[tuple[Frame, bool]] = []
    for said in (w for w in when if w and w not in frame.when):
        if contradicts(frame, (said,)):
            return [*worlds, (frame, False)]
        worlds.append((frame.assuming(_denied(said)), False))
        frame = frame.assuming(said)
    return [*worlds, (frame, True)]


def _denied(said: str) -> str:
    inner = said.removeprefix("if: not(")
    return f"if: {inner.removesuffix(')')}" if inner != said else f"if: not({said.removeprefix('if: ')})"


class _Chain:
    """An `if` with its `elseif` and `else`."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        self.done = False
        self.open: list[str] = []


def _of_key(name: str) -> tuple[str, str] | None:
    if not name.startswith("${{"):
        return None
    found = _KEY.fullmatch(name.removeprefix("${{").removesuffix("}}").strip())
    return (found[1], found[2]) if found is not None else None


def _directive(item: Node) -> tuple[str, str, Node] | None:
    """An item of a list that is one `${{ if }}`, `${{ each }}` …"""
    if not isinstance(item, Table) or len(item.entries) != 1:
        return None
    found = _of_key(item.entries[0].name)
    return (*found, item.entries[0].value) if found is not None else None


def _walk(value: Value, parts: Sequence[str]) -> Value:
    for part in parts:
        value = step_into(value, string(literal(part)))
    return value


# -- parameters -------------------------------------------------------------------------------------------------------


def parameters_of(root: Table, given: Mapping[str, Value] | None, scope: Scope, top: bool = False) -> dict[str, Value]:
    """The parameters of a file: what is given, else their defaults. ``top``: whoever starts the pipeline may choose."""
    node = root.get("parameters")
    found: dict[str, Value] = {}
    for item in node.items if isinstance(node, Items) else ():
        if isinstance(item, Table):
            name = text(item.get("name")).text
            default = item.get("default")
            if default is not None:
                default = _typed(default, text(item.get("type")).text)
                if top and isinstance(default, Scalar):
                    default = replace(default, text=default.text.overridable())
                found[name] = default
            else:
                found[name] = Unknown("a parameter that whoever uses the template gives")
    if isinstance(node, Table):  # the old form, a table of defaults
        found.update((e.name, e.value) for e in node.entries)
    types = {text(i.get("name")).text.lower(): text(i.get("type")).text for i in node.items
             if isinstance(i, Table)} if isinstance(node, Items) else {}  # fmt: skip
    for name, value in (given or {}).items():
        own = next((n for n in found if n.lower() == name.lower()), name)
        found[own] = value if isinstance(value, Unknown) else _typed(value, types.get(own.lower(), ""))
    return found


def _typed(value: Node, kind: str) -> Node:
    if not isinstance(value, Scalar):
        return value
    said = value.text.text
    if kind == "boolean" and value.kind is not Kind.BOOLEAN and said.lower() in ("true", "false"):
        return Scalar(value.span, value.text, Kind.BOOLEAN, said.lower() == "true")
    if kind == "string" and value.kind is not Kind.STRING:
        return Scalar(value.span, text_of_value(value) or EMPTY, Kind.STRING, said)
    return value


# -- files ------------------------------------------------------------------------------------------------------------


class Templates:
    """The template files that one pipeline uses, each read once."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self._roots: dict[str, Table | None] = {}

    def find(self, name: Traced, at: Node) -> Table | None:
        """A template's file, as it is called in the file that ``at`` stands in; None is told."""
        told = None
        path = None
        if not name.known:
            told = f"{name.shown}: which file this is, is not known; it is not judged"
        elif "@" in name.text and not name.text.endswith("@self"):
            told = f"{name.text} is in another repository, so what it runs is not judged"
        else:
            said = name.text.removesuffix("@self")
            path = inside("" if said.startswith("/") else dirname(at.span.path), said.lstrip("/"))
            if path is None or self.notes.source(path) is None:
                told = f"{name.text} is not in the repository, so what it runs is not judged"
        if told is not None or path is None:
            self.notes.tell(at.span, told or "", "template")
            return None
        if path not in self._roots:
            source = self.notes.source(path)
            roots = self.notes.documents(source) if source is not None else ()
            self._roots[path] = roots[0] if roots and isinstance(roots[0], Table) else None
        return self._roots[path]
