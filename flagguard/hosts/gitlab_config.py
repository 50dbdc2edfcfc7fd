"""GitLab CI/CD: one configuration out of a file and all that it includes.

Follows https://docs.gitlab.com/ci/yaml/ ("include", "extends", "spec:inputs", "!reference") and
https://docs.gitlab.com/ci/yaml/yaml_optimization/: what a file says goes over what it includes, tables go into tables,
and everything else replaces. What the keywords of a job mean is not known here.
"""

from collections.abc import Callable, Iterator, Mapping

from flagguard import globs
from flagguard.hosts.gitlab_rules import Variables, outcomes
from flagguard.hosts.pipelines import Notes, TooLarge, fill, open_hole, outside, texts
from flagguard.hosts.tree import Entry, Items, Kind, Node, Scalar, Table, text_of
from flagguard.patterns import expression
from flagguard.text import SourceText, Span, Traced
from flagguard.values import replace

DEEPEST = 11
"""How far `extends` may go,"""
_NESTED = 10
"""and `!reference`: GitLab's own limits."""
_MOST_FILES = 150
"""Files that one configuration may include: GitLab's own limit."""
_INPUT = expression(r"\$\[\[\s*inputs\.([\w-]+)\s*((?:\|[^\]]*)?)\]\]")
_ELSEWHERE = ("project", "remote", "template", "component", "artifact")

Inputs = Mapping[str, Node]


def merged(under: Table, over: Table) -> Table:
    """Both tables as one: `over` counts, and what is a table in both goes together."""
    entries = {entry.name: entry for entry in under.entries}
    for entry in over.entries:
        old = entries.get(entry.name)
        below, own = old.value if old is not None else None, entry.value
        if isinstance(below, Table) and isinstance(own, Table):
            own = merged(below, own)
        entries[entry.name] = replace(entry, value=own)
    return Table(over.span, tuple(entries.values()))


class Configuration:
    """A configuration, its files put together."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.open = False
        """It includes what is not in the repository, so that its jobs and variables may be more than one sees."""
        self._files = 0

    def load(self, source: SourceText, inputs: Inputs | None = None, via: tuple[str, ...] = ()) -> Table | None:
        """A file with what it includes. ``inputs``: what the one who includes it gives; None: nobody does."""
        roots = list(self.notes.documents(source))
        header = roots.pop(0) if len(roots) > 1 and isinstance(roots[0], Table) and roots[0].get("spec") else None
        if not roots:
            return None
        declared = _declared(header)
        root = roots[0]
        if "$[[" in source.text:
            root = _interpolated(root, lambda name: _given(name, declared, inputs))
        if len(roots) > 1:
            self.notes.tell(roots[1].span, "a second document: GitLab reads only the first one", fatal=True)
        table = self.notes.table(root, "the configuration")
        if table is None:
            return None
        out = Table(table.span)
        for included in self._included(table.get("include"), (*via, source.path)):
            out = merged(out, included)
        return merged(out, table)

    def load_all(self, include: Node) -> Table:
        """What an `include` alone comes to: the pipeline that a job triggers."""
        out = Table(include.span)
        for included in self._included(include, ()):
            out = merged(out, included)
        return out

    # -- include

    def _included(self, node: Node | None, via: tuple[str, ...]) -> Iterator[Table]:
        for one in node.items if isinstance(node, Items) else (node,) if node is not None else ():
            if isinstance(one, Scalar):
                name = one.text
                yield from () if one.kind is Kind.NULL else self._named(one, name, {}, via, "://" in name.text)
            elif isinstance(one, Table):
                yield from self._one(one, via)
            else:
                self.notes.wrong(one, "a file or a table", "include")

    def _one(self, table: Table, via: tuple[str, ...]) -> Iterator[Table]:
        rules = table.get("rules")
        if rules is not None and not outcomes(rules, Variables({}, {}), self.notes, "include.rules"):
            return
        kind = next((k for k in _ELSEWHERE if table.get(k) is not None), None)
        inputs = table.get("inputs")
        given = {e.name: e.value for e in inputs.entries} if isinstance(inputs, Table) else {}
        if kind is not None:
            self._unread(table.by_name[kind].key, kind)
            return
        for node in (table.get("local"), table.get("file") if table.get("project") is None else None):
            for name in texts(node):
                at = node or table
                yield from self._named(at, name, given, via, False)

    def _unread(self, at: Span, kind: str) -> None:
        self.open = True
        told = f"what a {kind} brings is not in the repository, so its jobs are not judged"
        self.notes.tell(at, told, "include")

    def _named(self, at: Node, name: Traced, inputs: Inputs, via: tuple[str, ...], far: bool) -> Iterator[Table]:
        if far:
            self._unread(at.span, "remote file")
            return
        if not name.known or "$" in name.text:
            self.open = True
            self.notes.tell(at.span, f"{name.shown}: which file this is, is not known; it is not judged", "include")
            return
        for path in self._paths(name.text):
            if path in via:
                continue
            self._files += 1
            if self._files > _MOST_FILES:
                raise TooLarge(f"it includes more than {_MOST_FILES} files")
            source = self.notes.source(path)
            if source is None:
                self.open = True
                told = f"{name.text} is not in the repository, so its jobs are not judged"
                self.notes.tell(at.span, told, "include")
                continue
            table = self.load(source, inputs, via)
            if table is not None:
                yield table

    def _paths(self, name: str) -> list[str]:
        path = name.lstrip("/")
        if "*" not in path:
            return [path]
        pattern = path.replace("**", "**/*").replace("**/*/", "**/")
        return sorted(p for p in self.notes.setting.files.paths() if globs.matches(pattern, p, path=True))

    # -- extends

    def extended(self, root: Table, name: str, table: Table, over: tuple[str, ...] = ()) -> Table:
        """A job with what it extends."""
        wanted = table.get("extends")
        if wanted is None:
            return table
        out = Table(table.span)
        for parent in texts(wanted):
            node = root.get(parent.text)
            if parent.text in over or parent.text == name:
                self.notes.tell(wanted.span, f"{parent.text} extends itself", f"{name}.extends", fatal=True)
            elif len(over) >= DEEPEST:
                self.notes.tell(wanted.span, "extends goes too deep", f"{name}.extends", fatal=True)
            elif not isinstance(node, Table):
                told = f"{parent.shown} is in no file of the repository, so what it gives to the job is not known"
                self.notes.tell(wanted.span, told, f"{name}.extends")
            else:
                out = merged(out, self.extended(root, parent.text, node, (*over, name)))
        return merged(out, table)

    # -- !reference

    def referenced(self, root: Table) -> Table:
        """The configuration with what its `!reference`s name."""
        known: dict[int, Node] = {}

        def of(node: Node, depth: int) -> Node:
            found = known.get(id(node))
            if found is None or isinstance(node, Scalar):
                found = self._referenced(node, root, of, depth)
                if depth == 0:
                    known[id(node)] = found
            return found

        out = of(root, 0)
        assert isinstance(out, Table)
        return out

    def _referenced(self, node: Node, root: Table, of: Callable[[Node, int], Node], depth: int) -> Node:
        if isinstance(node, Scalar):
            return node
        if isinstance(node, Table):
            return Table(node.span, tuple(replace(e, value=of(e.value, depth)) for e in node.entries))
        if node.tag != "!reference":
            return Items(node.span, tuple(of(item, depth) for item in node.items), node.tag)
        path = [text_of(item).text for item in node.items]
        found: Node | None = root
        for i, part in enumerate(path):
            if i == 1 and isinstance(found, Table):
                found = self.extended(root, path[0], found)
            found = found.get(part) if isinstance(found, Table) else None
        if found is None or depth >= _NESTED:
            told = "names nothing that the repository defines" if found is None else "goes too deep"
            self.notes.tell(node.span, f"[{', '.join(path)}] {told}", "!reference", fatal=not self.open)
            return Items(node.span)
        return of(found, depth + 1)


# -- inputs -----------------------------------------------------------------------------------------------------------


def _declared(header: Node | None) -> Table | None:
    spec = header.get("spec") if isinstance(header, Table) else None
    inputs = spec.get("inputs") if isinstance(spec, Table) else None
    return inputs if isinstance(inputs, Table) else None


def _given(name: str, declared: Table | None, inputs: Inputs | None) -> Node | None:
    """The value of an input; None where nobody here knows it."""
    if inputs is not None and name in inputs:
        return inputs[name]
    own = declared.get(name) if declared is not None else None
    default = own.get("default") if isinstance(own, Table) else None
    if isinstance(default, Scalar) and inputs is None:
        return replace(default, text=default.text.overridable())
    return default


def _interpolated(node: Node, given: Callable[[str], Node | None]) -> Node:
    known: dict[int, Node] = {}

    def of(node: Node) -> Node:
        found = known.get(id(node))
        if found is None:
            found = known[id(node)] = into(node)
        return found

    def into(node: Node) -> Node:
        if isinstance(node, Items):
            return Items(node.span, tuple(map(of, node.items)), node.tag)
        if isinstance(node, Table):
            return Table(node.span, tuple(Entry(_name(e.name, given), e.key, of(e.value)) for e in node.entries))
        if "$[[" not in node.text.text:
            return node
        whole = _INPUT.fullmatch(node.text.text.strip())
        value = given(whole[1]) if whole is not None and not whole[2] else None
        if value is not None:
            if isinstance(value, Scalar):
                return replace(value, text=value.text.through(node.text.route), span=node.span)
            return value
        return replace(node, text=fill(node.text, _INPUT, lambda m, _: _text(m[1], m[2], m[0], given)))

    return of(node)


def _text(name: str, function: str, written: str, given: Callable[[str], Node | None]) -> Traced:
    value = given(name)
    if value is None:
        return outside(f"inputs.{name}", written, "an input that whoever includes the file gives")
    if not isinstance(value, Scalar) or (function and function.strip("| \t") != "expand_vars"):
        return open_hole(written, "an input that is computed")
    return value.text


def _name(name: str, given: Callable[[str], Node | None]) -> str:
    """A key with its inputs: a job's name."""
    if "$[[" not in name:
        return name
    return _INPUT.sub(lambda m: value.text.shown if isinstance(value := given(m[1]), Scalar) else m[0], name)
