"""`recipe.yaml`, the recipe of rattler-build: its scripts and tests on each platform.

Follows https://rattler-build.prefix.dev/latest/reference/recipe_file/ (build, outputs, cache, tests, context),
"Selectors" (`if`, `then`, `else`; `skip`) and "Build scripts" (`script` as a text, a list, or a table of `content`,
`file`, `interpreter`, `env`, `cwd`). Expressions are MiniJinja's.
"""

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from flagguard.command import Reading, Script
from flagguard.hosts import Setting
from flagguard.hosts.conda_platform import facts, languages, python
from flagguard.hosts.conda_scripts import Here, Line, bodies, denied, named_files, platforms, shell_named
from flagguard.hosts.conda_text import gaps
from flagguard.hosts.conda_variants import one_of, variants
from flagguard.hosts.minijinja_expressions import Expression, TemplateError
from flagguard.hosts.minijinja_values import Unknown, Value, text_of, truth
from flagguard.hosts.packaging import merged
from flagguard.hosts.pipelines import Notes, fill, guarded
from flagguard.hosts.tree import Items, Kind, Node, Scalar, Table
from flagguard.paths import inside
from flagguard.patterns import expression
from flagguard.text import EMPTY, Decider, Hole, Problem, SourceText, Traced, hole, literal
from flagguard.values import dataclass, replace

_TEMPLATE = expression(r"\$\{\{(.*?)\}\}")
_SECTIONS = frozenset({"package", "outputs", "recipe"})
_MOST_OPEN = 200


def read(source: SourceText, setting: Setting) -> Reading:
    notes = Notes(setting)
    if not any(line.startswith(("package:", "outputs:", "recipe:")) for line in source.text.splitlines()):
        return Reading()  # another tool's
    told: dict[Problem, None] = {}

    def scripts() -> Iterator[Script]:
        for root in notes.documents(source)[:1]:
            if isinstance(root, Table) and _SECTIONS & root.by_name.keys():
                for platform in platforms(source, setting, ("build.bat", *_batches(source.text))):
                    yield from _on(platform, root, source, setting, told)

    found = guarded(notes, source.path, lambda: merged(scripts()))
    return Reading(found, problems=tuple(sorted({*told, *notes.problems})))


def _batches(text: str) -> list[str]:
    """The batch files that the recipe may name, the extension often left out."""
    words = (word.strip("\"'") for word in text.split() if "build" in word or "install" in word)
    return [*named_files(text), *(f"{word}.bat" for word in words if word.isidentifier() or "-" in word)][:_MOST_OPEN]


def _on(
    platform: str, root: Table, source: SourceText, setting: Setting, told: dict[Problem, None]
) -> Iterator[Script]:
    given, problems = variants(source, setting, platform)
    told.update(dict.fromkeys(problems))
    variables = {name: one_of(name, texts) for name, texts in given.items()}
    names: dict[str, Value] = {**variables, "PYTHON": python(platform)}
    for name, fact in facts(platform).items():
        names[name] = literal(fact) if isinstance(fact, str) else fact
    here = Here(source, setting, platform, languages(source.text), values=variables, told=told)
    reader = _Recipe(here, names)
    yield from reader.scripts(root)


@dataclass(frozen=True)
class _Item:
    """One value of a list whose conditions are worked out, and the condition that is left."""

    node: Node
    condition: str = ""


class _Recipe:
    def __init__(self, here: Here, names: dict[str, Value]) -> None:
        self._here = here
        self._names = names

    def scripts(self, root: Table) -> Iterator[Script]:
        context = root.get("context")
        for entry in context.entries if isinstance(context, Table) else ():
            if isinstance(entry.value, Scalar):
                self._names[entry.name] = self._value_of(entry.value)
        here = replace(self._named(self._here, root.get("package") or root.get("recipe")), tree=self._tree(root))
        skipped = self._skipped(root.get("build"), here)
        if skipped is None:
            return
        outputs = root.get("outputs")
        cache = root.get("cache")
        if isinstance(cache, Table):
            yield from self._build(cache, replace(skipped, package="cache"), default=False)
        yield from self._build(root, skipped, default=True)
        yield from self._tests(root, skipped)
        for item in self._items(outputs):
            if not isinstance(item.node, Table):
                continue
            named = self._named(skipped, item.node.get("package") or item.node.get("staging")).assuming(item.condition)
            inner = self._skipped(item.node.get("build"), named)
            if inner is not None:
                yield from self._build(item.node, inner, default=False)
                yield from self._tests(item.node, inner)

    def _named(self, here: Here, node: Node | None) -> Here:
        if not isinstance(node, Table):
            return here
        name, version = self._text(node.get("name")), self._text(node.get("version"))
        own = {**here.values, **({"PKG_NAME": name} if name else {}), **({"PKG_VERSION": version} if version else {})}
        return replace(here, package=name.shown or here.package, values=own)

    def _tree(self, root: Table) -> str | None:
        """The folder of the repository that `source.path` takes, where it is the one source."""
        sources = self._items(root.get("source"))
        node = sources[0].node if len(sources) == 1 else None
        path = self._text(node.get("path")) if isinstance(node, Table) else EMPTY
        if not path or not path.known or (isinstance(node, Table) and node.get("target_directory") is not None):
            return None
        return inside(self._here.folder, path.text.rstrip("/"))

    def _skipped(self, build: Node | None, here: Here) -> Here | None:
        """The recipe where it is not skipped; None where it surely is."""
        for item in self._items(build.get("skip") if isinstance(build, Table) else None):
            node = item.node
            if not isinstance(node, Scalar):
                continue
            holds = node.value if isinstance(node.value, bool) else self._holds(node.text)
            if holds is False:
                continue
            if holds and not item.condition:
                return None
            here = here.assuming(denied(item.condition or node.text.shown.strip()))
        return here

    # -- conditions and templates --------------------------------------------------------------------------------------

    def _items(self, node: Node | None) -> list[_Item]:
        """The values of a list, or the one value; `if` decided where it can be."""
        found: list[_Item] = []
        waiting: list[tuple[Node | None, tuple[str, ...]]] = [(node, ())]
        while waiting:
            one, conditions = waiting.pop()
            if isinstance(one, Items):
                waiting += [(item, conditions) for item in reversed(one.items)]
            elif isinstance(one, Table) and "if" in one.by_name and "then" in one.by_name:
                said = self._plain(one.get("if"))
                holds = self._holds(said)
                if holds is not True:
                    waiting.append(
                        (one.get("else"), conditions if holds is False else (*conditions, denied(said.text.strip())))
                    )
                if holds is not False:
                    waiting.append((one.get("then"), conditions if holds else (*conditions, said.text.strip())))
            elif one is not None and not (isinstance(one, Scalar) and one.kind is Kind.NULL):
                found.append(_Item(one, " and ".join(conditions)))
        return found

    @staticmethod
    def _plain(node: Node | None) -> Traced:
        return node.text if isinstance(node, Scalar) else EMPTY

    def _holds(self, condition: Traced) -> bool | None:
        """Whether a condition holds; None where nobody knows."""
        try:
            return truth(self._evaluated(condition))
        except (TemplateError, Unknown, RecursionError):
            return None

    def _evaluated(self, written: Traced) -> Value:
        names = {**gaps(written.text), **self._names}
        return Expression(written, names, len(written)).value(0)

    def _value_of(self, node: Scalar) -> Value:
        found = _TEMPLATE.fullmatch(node.text.text)
        if found is None:
            return node.value if node.kind in (Kind.BOOLEAN, Kind.NUMBER) else self._filled(node.text)
        written = node.text.cut(*found.span(1))
        try:
            return self._evaluated(written)
        except (TemplateError, Unknown, RecursionError):
            return self._gap(node.text)

    def _filled(self, text: Traced) -> Traced:
        def put(found: "object", written: Traced) -> Traced:
            inner = written.cut(3, len(written) - 2)
            try:
                return text_of(self._evaluated(inner))
            except (TemplateError, Unknown, RecursionError):
                return self._gap(written)

        return fill(text, _TEMPLATE, put) if "${{" in text.text else text

    @staticmethod
    def _gap(written: Traced) -> Traced:
        return hole(Hole(written.shown, "what its expression comes to is not known", Decider.REPOSITORY), written.route)

    def _text(self, node: Node | None) -> Traced:
        return self._filled(self._plain(node))

    # -- what runs -----------------------------------------------------------------------------------------------------

    def _build(self, node: Table, here: Here, default: bool) -> Iterator[Script]:
        build = node.get("build")
        script = build.get("script") if isinstance(build, Table) else None
        if script is not None:
            yield from self._script(script, here, "build")
        elif default:
            yield from here.file("build", "build.bat" if here.windows else "build.sh", {})

    def _tests(self, node: Table, here: Here) -> Iterator[Script]:
        for item in self._items(node.get("tests")):
            script = item.node.get("script") if isinstance(item.node, Table) else None
            if script is not None and isinstance(item.node, Table):
                where = here.assuming(item.condition)
                if item.node.get("files") is not None:
                    where = replace(where, tests=here.folder)
                yield from self._script(script, where, "test")

    def _script(self, node: Node, here: Here, step: str) -> Iterator[Script]:
        """A script: lines, a file, or a table that says which, by whom and with what."""
        items = self._items(node)
        tables = [item for item in items if isinstance(item.node, Table)]
        for item in tables:
            assert isinstance(item.node, Table)
            yield from self._table(item.node, here.assuming(item.condition), step)
        lines = [Line(self._text(item.node), item.condition) for item in items if isinstance(item.node, Scalar)]
        if len(lines) == 1 and not tables:
            scripts = [*self._file(lines[0].text, here.assuming(lines[0].condition), step, {}, "")]
            if scripts:
                yield from scripts
                return
        yield from self._lines(lines, here, step, {}, "")

    def _table(self, node: Table, here: Here, step: str) -> Iterator[Script]:
        env = node.get("env")
        own = {e.name: self._text(e.value) for e in env.entries} if isinstance(env, Table) else {}
        interpreter = self._text(node.get("interpreter")).text
        file, content = self._text(node.get("file")), node.get("content")
        if file:
            scripts = [*self._file(file, here, step, own, interpreter)]
            if not scripts and not self._exists(file, here):
                line = here.source.position(node.span.start)[0]
                told = "is not in the tree" if file.known else "is not known"
                here.tell(line, f"the script {file.shown} {told}; it is not judged", "script")
            yield from scripts
        lines = [Line(self._text(item.node), item.condition) for item in self._items(content)]
        yield from self._lines(lines, here, step, own, interpreter)

    def _lines(
        self, listed: Sequence[Line], here: Here, step: str, own: Mapping[str, Traced], interpreter: str
    ) -> Iterator[Script]:
        for body, when in bodies([line for line in listed if line.text]):
            yield here.assuming(*when).script(step, body, own, shell_named(interpreter))

    @staticmethod
    def _exists(name: Traced, here: Here) -> bool:
        return any(here.exists(name.text + end) is not None for end in ("", ".sh", ".bat"))

    def _file(
        self, name: Traced, here: Here, step: str, own: Mapping[str, Traced], interpreter: str
    ) -> Iterator[Script]:
        """A file beside the recipe; without an extension, the one of the platform's shell."""
        text = name.text.strip()
        if not name.known or not text or len(text.split()) > 1:
            return
        if not posixpath.splitext(text)[1]:
            text += ".bat" if here.windows else ".sh"
        yield from here.file(step, text, own, shell_named(interpreter))
