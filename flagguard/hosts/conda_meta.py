"""`meta.yaml`, the recipe of conda-build: its scripts and tests on each platform.

Follows conda-build's documentation, "Defining metadata (meta.yaml)" (Build section: Script, Skipping builds,
script_env; Outputs section; Test section) and "Build scripts (build.sh, bld.bat)".
"""

import posixpath
from collections.abc import Iterator

from flagguard.command import Reading, Script
from flagguard.hosts import Setting, conda_text
from flagguard.hosts.conda_platform import facts, languages, python
from flagguard.hosts.conda_scripts import (
    Here,
    Line,
    bodies,
    denied,
    named_files,
    platforms,
    shell_named,
    span_line,
)
from flagguard.hosts.conda_text import View, entries, plain, value
from flagguard.hosts.conda_variants import for_selectors, one_of, variants
from flagguard.hosts.packaging import merged
from flagguard.hosts.pipelines import Notes, guarded, outside
from flagguard.hosts.tree import Entry, Items, Node, Scalar, Table
from flagguard.paths import inside
from flagguard.text import Problem, SourceText, Traced, literal
from flagguard.values import replace

_FILES = ("bld.bat", "run_test.bat")
_SECTIONS = frozenset({"package", "outputs"})


def read(source: SourceText, setting: Setting) -> Reading:
    told: dict[Problem, None] = {}
    if not any(line.startswith(("package:", "outputs:")) for line in source.text.splitlines()):
        return Reading()  # another tool's

    def scripts() -> Iterator[Script]:
        for platform in platforms(source, setting, (*_FILES, *named_files(source.text))):
            yield from _on(platform, source, setting, told)

    notes = Notes(setting)
    found = guarded(notes, source.path, lambda: merged(scripts()))
    return Reading(found, problems=tuple(sorted({*told, *notes.problems})))


def _on(platform: str, source: SourceText, setting: Setting, told: dict[Problem, None]) -> Iterator[Script]:
    given, problems = variants(source, setting, platform)
    told.update(dict.fromkeys(problems))
    known = facts(platform)
    windows = platform.startswith("windows")
    names = {name: one_of(name, texts) for name, texts in given.items()}
    values = {**for_selectors(given), **{name: (fact,) for name, fact in known.items()}}
    spoken = {name: literal(fact) if isinstance(fact, str) else fact for name, fact in known.items()}
    templates = {**names, **spoken, "PYTHON": python(platform), "PREFIX": _outside("PREFIX", windows)}
    views, wrong = conda_text.views(source, values, templates)
    told.update(dict.fromkeys(wrong))
    used = languages(source.text)
    for view in views:
        if isinstance(view.root, Table) and _SECTIONS & view.root.by_name.keys():
            tree = _tree(view, source)
            here = Here(source, setting, platform, used, tree, values=names, when=view.when, told=told)
            yield from _Recipe(view, here).scripts()


def _outside(name: str, windows: bool) -> Traced:
    return outside(name, f"%{name}%" if windows else f"${name}", "conda-build sets it")


def _tree(view: View, source: SourceText) -> str | None:
    """The folder of the repository that `source/path` takes, where it is the one source."""
    node = value(view.root, "source")
    sources = node.items if isinstance(node, Items) else (node,) if node is not None else ()
    if len(sources) != 1:
        return None
    path = plain(value(sources[0], "path"))
    if not path or not path.known or value(sources[0], "folder") is not None:
        return None
    return inside(posixpath.dirname(source.path), path.text.rstrip("/"))


class _Recipe:
    def __init__(self, view: View, here: Here) -> None:
        self._view = view
        self._here = here

    def scripts(self) -> Iterator[Script]:
        root = self._view.root
        package = value(root, "package")
        here = self._named(self._here, package)
        skipped = self._skipped(value(root, "build"), here)
        if skipped is None:
            return
        yield from self._section(root, skipped, "build.sh", "bld.bat")
        for listed in entries(root, "outputs"):
            for node in self._items(listed.value):
                inner = self._skipped(value(node, "build"), self._named(skipped, node))
                if inner is not None:
                    yield from self._section(node, inner, "", "")

    def _named(self, here: Here, node: Node | None) -> Here:
        name, version = plain(value(node, "name")), plain(value(node, "version"))
        own = {**here.values, **({"PKG_NAME": name} if name else {}), **({"PKG_VERSION": version} if version else {})}
        return replace(here, package=name.shown or here.package, values=own)

    def _skipped(self, build: Node | None, here: Here) -> Here | None:
        """The recipe where it is not skipped; None where it surely is."""
        for entry in entries(build, "skip"):
            node = entry.value
            if isinstance(node, Scalar) and (node.value is True or node.text.text.lower() in ("true", "1")):
                condition = self._view.condition(node, entry)
                if not condition:
                    return None
                here = here.assuming(denied(condition))
        return here

    @staticmethod
    def _items(node: Node) -> tuple[Node, ...]:
        return node.items if isinstance(node, Items) else (node,) if isinstance(node, Table) else ()

    def _section(self, node: Node, here: Here, unix: str, windows: str) -> Iterator[Script]:
        """The build and the tests of a package."""
        build, listed = value(node, "build"), [*entries(node, "script")]
        own = self._environment(build, here)
        interpreter = plain(value(node, "script_interpreter"))
        scripts = [*entries(build, "script")]
        for entry in listed:
            yield from self._files(entry, here, own, "build", interpreter.text)
        if scripts:
            yield from self._texts(scripts, here, own, "build")
        elif not listed and unix:
            yield from here.file("build", windows if here.windows else unix, own)
        for tests in entries(node, "test"):
            if value(tests.value, "files") is not None:
                here = replace(here, tests=here.folder)
            yield from self._texts([*entries(tests.value, "commands")], here, {}, "test")
            for entry in entries(tests.value, "script"):
                yield from self._files(entry, here, {}, "test", "")
        if unix:
            yield from here.file("test", "run_test.bat" if here.windows else "run_test.sh", {})

    def _environment(self, build: Node | None, here: Here) -> dict[str, Traced]:
        """`script_env`: `NAME=VALUE`, or the name of a variable that is passed through."""
        found: dict[str, Traced] = {}
        for entry in entries(build, "script_env"):
            for node in entry.value.items if isinstance(entry.value, Items) else (entry.value,):
                said = plain(node)
                name, equals, _ = said.text.partition("=")
                name = name.strip()
                passed = outside(name, f"${name}", "it is passed through from the one who builds")
                found[name] = said.cut(said.text.index("=") + 1, len(said)) if equals else passed
        return {name: text for name, text in found.items() if name}

    def _texts(self, listed: list[Entry], here: Here, own: dict[str, Traced], step: str) -> Iterator[Script]:
        """Scripts that are written in the recipe."""
        for entry in listed:
            node = entry.value
            if isinstance(node, Table):
                line = span_line(here.source, Traced(), entry.key)
                here.tell(line, "has to be a text or a list of texts; it is not judged", step, fatal=True)
                continue
            where = here.assuming(self._view.condition(node, entry))
            parts = [Line(plain(item), self._view.condition(item)) for item in self._lines(node)]
            for body, when in bodies([part for part in parts if part.text]):
                yield where.assuming(*when).script(step, body, own)

    @staticmethod
    def _lines(node: Node) -> Iterator[Node]:
        for item in node.items if isinstance(node, Items) else (node,):
            if isinstance(item, Items):
                yield from item.items
            else:
                yield item

    def _files(self, entry: Entry, here: Here, own: dict[str, Traced], step: str, interpreter: str) -> Iterator[Script]:
        """`script` of an output: the name of a file beside the recipe."""
        for node in self._lines(entry.value):
            name = plain(node)
            where = here.assuming(self._view.condition(node, entry))
            if not name:
                continue
            if name.known and here.exists(name.text) is not None:
                yield from where.file(step, name.text, own, shell_named(interpreter))
                continue
            told = "is not in the tree" if name.known else "is not known"
            here.tell(
                span_line(here.source, name, entry.key), f"the script {name.shown} {told}; it is not judged", "script"
            )
