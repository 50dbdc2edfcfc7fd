"""cibuildwheel: the commands around the build of a wheel, and the environment in which they and the build run.

Follows https://cibuildwheel.pypa.io/en/stable/options/ and "Configuration" there: `[tool.cibuildwheel]` with a table a
platform and `[[tool.cibuildwheel.overrides]]`, in pyproject.toml or the file that `--config-file` names. A list of
commands is joined with `&&`; `sh -c` runs it, on Windows cmd. The environment is written in the syntax of bash.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import chain
from posixpath import dirname

from flagguard.command import Command, Dialect, Reading, Script
from flagguard.hosts import Entered, Setting, image_builds, toml_text
from flagguard.hosts.pipelines import Frame, Notes, Shell, fill, guarded, open_hole, outside, text
from flagguard.hosts.tree import Items, Kind, Node, Scalar, Table
from flagguard.paths import resolved
from flagguard.patterns import expression
from flagguard.text import EMPTY, Shape, SourceText, Span, Traced, join, literal
from flagguard.values import dataclass, field, replace

NAME = "cibuildwheel"

_STEPS = ("before-all", "before-build", "build", "repair-wheel-command", "before-test", "test-command")
"""What runs, in its order."""
_ELSEWHERE = ("pyodide", "ios", "android")
"""Tables of platforms that flagguard has no name for."""
_PYTHONS = (
    *(f"cp3{n}" for n in range(6, 16)),
    *(f"cp3{n}t" for n in range(13, 16)),
    *(f"pp3{n}" for n in range(6, 12)),
)
_SYSTEMS: Mapping[str, tuple[str, ...]] = {
    "linux": ("manylinux_{}", "musllinux_{}"),
    "macos": ("macosx_{}", "macosx_universal2"),
    "windows": ("win_{}",),
}
_WINDOWS_ARCHS = {"x86_64": "amd64"}
"""What build identifiers and `archs` call an architecture there."""
_ANY_ARCHS = frozenset({"auto", "native", "all", "auto64", "universal2"})
_FIELD = expression(r"#?\{(project|package|wheel|dest_dir|delocate_archs|python|pip)\}")
_PATHS = {"wheel": "the wheel that is built", "dest_dir": "a folder that cibuildwheel makes"}
_BRACES = expression(r"\{([^{}]*)\}")
_MOST_PATTERNS = 1_000
_SUBSTITUTION = expression(r"\$\(|`")
_EXPANDS = expression(r"[$`*?\[\]{}~;&|<>()#!\n]")
_LINE = expression(r"""(?s)(?:[^\n'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")*""")
_VALUED = frozenset("--platform --archs --only --output-dir --config-file --enable".split())
_FOR_ALL = frozenset({"build", "skip", "test-skip", "build-frontend"})
"""Options whose variables know no platform."""
_PROBE = "cibuildwheel-environment"


def read(source: SourceText, setting: Setting, called: "_Called | None" = None) -> Reading:
    """What the file says; ``called``: as a command line starts it, even where the file has no such table."""
    if "cibuildwheel" not in source.text and called is None:
        return Reading()
    notes = Notes(setting)
    notes.keep(source)
    root, at = Table(Span(source.path, 0, 0)), called.at if called is not None else Span(source.path, 0, 0)
    if source.path.endswith(".toml"):
        document = toml_text.read(source)
        notes.problems.update(dict.fromkeys(document.problems))
        tool = document.root.get("tool") if isinstance(document.root, Table) else None
        entry = tool.by_name.get(NAME) if isinstance(tool, Table) else None
        found = notes.table(entry.value, "tool.cibuildwheel") if entry is not None else None
        if entry is not None and found is not None:
            root, at = found, entry.key
        elif called is None or document.root is None:
            return Reading(problems=notes.all())
    folder = dirname(source.path)
    reader = _Reader(root, at, called or _Called(at, folder, folder), notes)
    return Reading(guarded(notes, source.path, reader.scripts), problems=notes.all())


@dataclass(frozen=True)
class _Called:
    """A command line, as far as it matters here."""

    at: Span
    folder: str
    """Where it runs: the project,"""
    package: str
    """and the folder of the package."""
    given: Mapping[str, Traced] = field(default_factory=dict)
    """The environment."""
    options: Mapping[str, Traced] = field(default_factory=dict)


def enter(command: Command, setting: Setting) -> Entered | None:
    """``cibuildwheel [FOLDER]``: the options of its file, over them the variables `CIBW_*` of the call."""
    options, words, rest = dict[str, Traced](), list[Traced](), list(command.argv[1:])
    while rest:
        one = rest.pop(0)
        name, equals, _ = one.text.partition("=")
        if name in _VALUED and (equals or rest):
            options[name] = one.cut(len(name) + 1, len(one)) if equals else rest.pop(0)
        elif not one.text.startswith("-"):
            words.append(one)
    folder = command.directory
    package = resolved(words[0], folder) if words else folder
    if folder is None or package is None or any(o in options for o in ("--help", "-h")):
        return None
    config = options.get("--config-file")
    if config:
        config = fill(config, _FIELD, lambda m, said: literal(package or ".") if m[1] == "package" else None)
        path = resolved(config, folder)
        source = setting.files.read(path) if path is not None else None
    else:
        paths = (f"{package}/{name}".lstrip("/") for name in ("pyproject.toml", "setup.py", "setup.cfg"))
        source = next((found for found in map(setting.files.read, paths) if found is not None), None)
    if source is None:
        return None
    called = _Called(command.span, folder, package, dict(command.env), options)
    values = tuple(sorted((name, value.pieces) for name, value in (*command.env.items(), *options.items())))
    return Entered(source.path, (NAME, source.path, folder, package, values), lambda s: read(source, s, called))


@dataclass(frozen=True, slots=True)
class _Override:
    """One of `[[tool.cibuildwheel.overrides]]`."""

    patterns: tuple[str, ...]
    table: Table
    selects: str


@dataclass(frozen=True, slots=True)
class _Variant:
    """Builds of a platform that have their options in common."""

    platform: str
    overrides: tuple[_Override, ...]
    tested: bool = True


class _Reader:
    def __init__(self, root: Table, at: Span, called: _Called, notes: Notes) -> None:
        self._root = root
        self._at = at
        self._called = called
        self._notes = notes
        self._overrides = tuple(self._selecting())

    def scripts(self) -> Iterator[Script]:
        for name in _ELSEWHERE:
            table = self._root.get(name)
            if isinstance(table, Table) and any(step in table.by_name for step in _STEPS):
                told = "is not read: flagguard knows no such platform"
                self._notes.tell(self._root.by_name[name].key, told, f"tool.cibuildwheel.{name}")
        seen: dict[tuple[object, ...], tuple[Script, set[str]]] = {}
        for variant in chain.from_iterable(map(self._variants, self._notes.setting.platforms)):
            for script in self._of(variant):
                kept, platforms = seen.setdefault((replace(script, platforms=None),), (script, set()))
                del kept
                platforms.add(variant.platform)
        for script, platforms in seen.values():
            yield replace(script, platforms=frozenset(platforms))

    # -- which builds there are ----------------------------------------------------------------------------------------

    def _selecting(self) -> Iterator[_Override]:
        for node in self._notes.items(self._root.get("overrides"), "tool.cibuildwheel.overrides"):
            table = self._notes.table(node, "tool.cibuildwheel.overrides")
            if table is None:
                continue
            select = self._plain(table.get("select"))
            if not select:
                self._notes.tell(table.span, "needs `select`: cibuildwheel stops here", "tool.cibuildwheel.overrides")
            yield _Override(tuple(_patterns(select)), table, select)

    def _variants(self, platform: str) -> list[_Variant]:
        """The platform's builds, parted by the overrides that they have."""
        system, arch = platform.split("-", 1)
        wanted = self._called.options.get("--platform")
        if system not in _SYSTEMS or (wanted and wanted.known and wanted.text not in ("auto", system)):
            return []
        said = _WINDOWS_ARCHS.get(arch, arch) if system == "windows" else arch
        archs = {one.lower() for one in self._plain(self._said("archs", system)).replace(",", " ").split()}
        if archs and not archs & _ANY_ARCHS and said not in archs:
            return []
        build = tuple(_patterns(self._plain(self._said("build", system)) or "*"))
        skip = tuple(_patterns(self._plain(self._said("skip", system))))
        untested = tuple(_patterns(self._plain(self._said("test-skip", system))))
        found: dict[tuple[object, ...], _Variant] = {}
        for tag in _SYSTEMS[system]:
            if tag.endswith("universal2") and not archs & {"universal2", "all"}:
                continue
            for python in _PYTHONS:
                name = f"{python}-{tag.format(said)}"
                if not _matches(name, build) or _matches(name, skip):
                    continue
                overrides = tuple(one for one in self._overrides if _matches(name, one.patterns))
                tested = not _matches(name, untested)
                key = (tested, *(id(one) for one in overrides))
                found.setdefault(key, _Variant(platform, overrides, tested))
        return list(found.values())

    def _said(self, name: str, system: str) -> Node | None:
        table = self._root.get(system)
        inner = table.get(name) if isinstance(table, Table) else None
        for given in self._given(name, system):
            inner = given
        return inner if inner is not None else self._root.get(name)

    def _given(self, name: str, system: str) -> Iterator[Node]:
        """What the caller says of an option: `CIBW_NAME`, `CIBW_NAME_LINUX`, an option of the command line."""
        variable = f"CIBW_{name.upper().replace('-', '_')}"
        for one in (variable, f"{variable}_{system.upper()}"):
            value = self._called.given.get(one)
            if value is not None and not (one != variable and name in _FOR_ALL):
                yield Scalar(self._at, value, Kind.STRING)
        only = self._called.options.get("--only")
        value = self._called.options.get("--archs") if name == "archs" else None
        if only:
            value = {"build": only, "skip": EMPTY, "archs": literal("all")}.get(name, value)
        if value is not None:
            yield Scalar(self._at, value if value.known else EMPTY, Kind.STRING)

    @staticmethod
    def _plain(node: Node | None) -> str:
        """A text, or the words of a list."""
        if isinstance(node, Items):
            return " ".join(text(one).text for one in node.items)
        return text(node).text

    # -- the options of a build ----------------------------------------------------------------------------------------

    def _layers(self, name: str, variant: _Variant) -> Iterator[tuple[Node, str]]:
        """The values of an option, each with how it takes the ones before it."""
        table = self._root.get(variant.platform.partition("-")[0])
        for one in (self._root, table):
            node = one.get(name) if isinstance(one, Table) else None
            if node is not None:
                yield node, "none"
        for override in variant.overrides:
            node = override.table.get(name)
            rules = override.table.get("inherit")
            if node is not None:
                yield node, self._plain(rules.get(name)) if isinstance(rules, Table) else "none"
        for given in self._given(name, variant.platform.partition("-")[0]):
            yield given, "none"

    def _option(self, name: str, variant: _Variant, separator: str) -> Traced:
        """What an option comes to, as one text."""
        whole = EMPTY
        for node, rule in self._layers(name, variant):
            value = self._text(node, name, separator)
            if rule in ("append", "prepend") and whole and value:
                pair = (whole, value) if rule == "append" else (value, whole)
                whole = join([pair[0], literal(separator), pair[1]])
            elif value or rule not in ("append", "prepend"):
                whole = value
        return whole

    def _text(self, node: Node, name: str, separator: str) -> Traced:
        if isinstance(node, Scalar):
            return text(node)
        if isinstance(node, Items):
            if name.endswith("environment"):
                self._notes.wrong(node, "a text or a table", name)
                return EMPTY
            parts = [part for one in node.items for part in (literal(separator), text(one))]
            return join(parts[1:])
        if not name.endswith("environment"):
            self._notes.wrong(node, "a text or a list", name)
            return EMPTY
        for entry in node.entries:
            if not isinstance(entry.value, Scalar):
                self._notes.wrong(entry.value, "a text", f"{name}.{entry.name}")
        return join(
            part
            for at, entry in enumerate(node.entries)
            for part in (literal(f'{" " * bool(at)}{entry.name}="', entry.key), _value(entry.value), literal('"'))
        )

    # -- what runs -----------------------------------------------------------------------------------------------------

    def _of(self, variant: _Variant) -> Iterator[Script]:
        system = variant.platform.partition("-")[0]
        when = tuple(dict.fromkeys(f"`{one.selects}` selects the build" for one in variant.overrides))
        frame = Frame(
            NAME, platforms=frozenset({variant.platform}), when=when, directory=self._called.folder, unit=NAME
        )
        frame = replace(frame, values=self._passed(variant, system))
        frame = yield from self._with("environment", variant, frame)
        testing = yield from self._with("test-environment", variant, frame)
        shell = Shell(Dialect.CMD if system == "windows" else Dialect.SH)
        for number, step in enumerate(_STEPS):
            of_test = step in ("before-test", "test-command")
            if of_test and not variant.tested:
                continue
            here = replace(testing if of_test else frame, order=(number,))
            if step == "build":
                yield image_builds.argv(list(self._build(variant)), here, step)
                continue
            body = self._option(step, variant, " && ")
            if system == "windows" and "\n" in body.text:
                body = body.cut(0, body.text.index("\n"))  # `cmd /c` ends there
            if step == "test-command":
                here = replace(here, directory=None)  # a folder for the moment
            if body:
                yield here.script(step, fill(body, _FIELD, lambda m, said: self._field(m[1], said)), shell)

    def _with(self, name: str, variant: _Variant, frame: Frame) -> Generator[Script, None, Frame]:
        """The frame with the variables of an option; what their values run, as a script."""
        whole = self._option(name, variant, " ")
        written = _first_line(whole)
        if len(written) < len(whole.text.strip()):
            self._notes.tell(self._at, "only its first line is read: put the variables on one line", name)
        if not written:
            return frame
        if _SUBSTITUTION.search(written.text):
            yield frame.script(name, written, Shell(Dialect.SH))
        return frame.with_values(self._environment(written, frame, name))

    def _passed(self, variant: _Variant, system: str) -> Mapping[str, Traced]:
        """The caller's variables: of those a container gets only what `environment-pass` names."""
        given = self._called.given
        if system != "linux":
            return given
        names = self._option("environment-pass", variant, " ").text.split()
        return {name: given[name] for name in names if name in given}

    def _field(self, name: str, written: Traced) -> Traced:
        if written.text.startswith("#"):
            return written.cut(1, len(written))
        if name in ("python", "pip"):
            return literal(name)
        if name in ("project", "package"):
            path = self._called.folder if name == "project" else self._called.package
            return outside(name, written.text, "where cibuildwheel puts the tree", Shape.PATH, path)
        return outside(
            name, written.text, _PATHS.get(name, "cibuildwheel decides it"), Shape.PATH if name in _PATHS else Shape.ANY
        )

    def _environment(self, written: Traced, frame: Frame, name: str) -> Mapping[str, Traced]:
        """The variables, as bash has them after the assignments."""
        from flagguard.shell import evaluate  # the shell takes long to import

        script = frame.script(name, join([written, literal(f" {_PROBE}", self._at)]), Shell(Dialect.BASH))
        made = evaluate(script, self._notes.setting)
        found: dict[str, Traced] = {}
        commands = [one for one in made.commands if one.argv[0].text == _PROBE and len(one.argv) == 1]
        if not commands:
            told = "not assignments in the syntax of bash" if written.known else f"not known: {written.shown}"
            self._notes.tell(self._at, told, name, fatal=written.known)
        for command in commands:
            for key, value in command.env.items():
                several = key in found and found[key].shown != value.shown
                found[key] = open_hole(f"${key}", "it has several values", key) if several else value
        return found

    def _build(self, variant: _Variant) -> Iterator[Traced]:
        """The command that builds the wheel."""
        node = next((node for node, _ in reversed([*self._layers("build-frontend", variant)])), None)
        said = text(node.get("name") if isinstance(node, Table) else node)
        named, _, rest = said.text.partition(";")
        program, out = _FRONTENDS.get(named.strip(), _FRONTENDS["build"])
        yield from (literal(word, self._at) for word in program)
        yield outside("package", "{package}", "where cibuildwheel puts the tree", Shape.PATH, self._called.package)
        yield from (literal(word, self._at) for word in out[:-1])
        yield literal(out[-1], self._at) + outside("dest_dir", "{dest_dir}", _PATHS["dest_dir"], Shape.PATH)
        args = node.get("args") if isinstance(node, Table) else None
        yield from (text(one) for one in (args.items if isinstance(args, Items) else ()))
        start = said.text.find("args:", len(named))
        if rest and start >= 0:
            yield from self._words(said.cut(start + len("args:"), len(said)))
        yield from self._settings(variant)

    def _settings(self, variant: _Variant) -> Iterator[Traced]:
        """`config-settings`, as the options of the frontend."""
        found: dict[str, list[Traced]] = {}
        for node, rule in self._layers("config-settings", variant):
            made: dict[str, list[Traced]] = {}
            if isinstance(node, Table):
                for entry in node.entries:
                    values = entry.value.items if isinstance(entry.value, Items) else (entry.value,)
                    start = literal(f"-C{entry.name}=", entry.key)
                    made[entry.name] = [start + _value(one) for one in values]
            else:
                for word in self._words(text(node)):
                    made.setdefault(word.text.partition("=")[0], []).append(literal("-C", self._at) + word)
            found = {**found, **made} if rule == "append" else {**made, **found} if rule == "prepend" else made
        yield from chain.from_iterable(found.values())

    def _words(self, written: Traced) -> Sequence[Traced]:
        """The words of a text, as shlex parts them."""
        from flagguard.shell import evaluate

        if not written:
            return ()
        if _EXPANDS.search(written.text):
            return (open_hole(written.shown, "words that are not parted here"),)
        script = Frame(NAME).script(None, join([literal(f"{_PROBE} ", self._at), written]), Shell(Dialect.SH))
        made = evaluate(script, self._notes.setting).commands
        return made[0].argv[1:] if len(made) == 1 else (open_hole(written.shown, "words that are not parted here"),)


_FRONTENDS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "build": (("python", "-m", "build"), ("--wheel", "--outdir=")),
    "build[uv]": (("python", "-m", "build"), ("--wheel", "--installer=uv", "--outdir=")),
    "uv": (("uv", "build"), ("--wheel", "--out-dir=")),
    "pip": (("python", "-m", "pip", "wheel"), ("--no-deps", "--wheel-dir=")),
}
"""What builds a wheel: the words before the package, and those behind it."""


def _value(node: Node) -> Traced:
    """A value, as Python shows it."""
    if isinstance(node, Scalar) and isinstance(node.value, bool):
        return literal(str(node.value), node.span)
    return text(node)


def _first_line(written: Traced) -> Traced:
    """What the parser of the environment reads: as far as the first end of a line that is not quoted."""
    start = len(written.text) - len(written.text.lstrip())
    found = _LINE.match(written.text, start)
    return written.cut(start, found.end()) if found is not None else written


def _patterns(said: str) -> Iterator[str]:
    """The patterns of a selector: parted by spaces, `{a,b}` each of them."""
    waiting, made = said.split()[::-1], 0
    while waiting and made < _MOST_PATTERNS:
        one = waiting.pop()
        made += 1
        found = _BRACES.search(one)
        if found is None:
            yield one
        else:
            waiting += [one[: found.start()] + part + one[found.end() :] for part in found[1].split(",")]


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
