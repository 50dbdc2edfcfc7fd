"""CMake's presets: what `cmake --preset NAME` adds to the command, and presets that nobody calls.

Follows cmake-presets(7), versions 1 to 10: `include`, `inherits`, `condition`, `cacheVariables`, `environment`,
`toolchainFile` and macros. Workflow presets name the configure preset of their first step.
"""

from collections.abc import Iterable, Mapping
from posixpath import basename, dirname

from flagguard.command import Call, Command, Place, Reading, Word
from flagguard.hosts import Files, Folded, Setting
from flagguard.hosts.cmake_call import Line, line_of, source_folder
from flagguard.hosts.cmake_conditions import translated
from flagguard.hosts.tree import Entry, Items, Kind, Node, Scalar, Table, text_of
from flagguard.hosts.yaml_text import read_json
from flagguard.paths import inside
from flagguard.patterns import expression
from flagguard.reaching import Part
from flagguard.text import (
    EMPTY,
    Decider,
    Hole,
    Piece,
    Problem,
    Shape,
    SourceText,
    Span,
    Traced,
    hole,
    join,
    literal,
    too_long,
)
from flagguard.values import dataclass, field, replace

_NAMES = ("CMakeUserPresets.json", "CMakePresets.json")
_SYSTEMS = {"linux": "Linux", "macos": "Darwin", "windows": "Windows"}
_MACRO = expression(r"\$(env|penv|vendor)?\{([^}]*)\}")
_OPTIONS = (
    ("-G", "generator"),
    ("-B", "binaryDir"),
    ("--toolchain=", "toolchainFile"),
    ("--install-prefix=", "installDir"),
    ("-A", "architecture"),
    ("-T", "toolset"),
)
"""What a preset's fields are on the command line."""
_MOST_FILES = 100
_MOST_DEEP = 100


@dataclass(frozen=True)
class Preset:
    """A configure preset, with what it inherits."""

    name: str
    words: tuple[Word, ...] = ()
    cache: tuple[tuple[str, Traced], ...] = ()
    environment: tuple[tuple[str, Traced], ...] = ()
    toolchain: Traced | None = None
    parts: tuple[Part, ...] = ()
    enabled: bool = True


@dataclass
class _Files:
    """The presets of a folder, by kind and name."""

    files: Files
    found: dict[tuple[str, str], tuple[Table, SourceText]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def load(self, path: str) -> None:
        source = self.files.read(path) if path not in self.seen and len(self.seen) < _MOST_FILES else None
        self.seen.add(path)
        if source is None:
            return
        document = read_json(source)
        self.problems += document.problems
        root = document.root
        if not isinstance(root, Table):
            return
        included = root.get("include")
        for item in included.items if isinstance(included, Items) else ():
            name = text_of(item).text.replace("${fileDir}/", "").replace("${fileDir}", ".")
            inner = inside(dirname(path), name) if name and not name.startswith("/") else None
            if inner is not None:
                self.load(inner)
        for kind in ("configurePresets", "workflowPresets"):
            listed = root.get(kind)
            for preset in listed.items if isinstance(listed, Items) else ():
                name = text_of(preset.get("name")).text if isinstance(preset, Table) else ""
                if name and isinstance(preset, Table):
                    self.found.setdefault((kind, name), (preset, source))


def read(source: SourceText, setting: Setting) -> Reading:
    """Each preset that is not hidden, as the command `cmake-preset:NAME`."""
    files = _Files(setting.files)
    files.load(source.path)
    calls: list[Call] = []
    mine = [(name, table) for (kind, name), (table, at) in files.found.items()
            if kind == "configurePresets" and at.path == source.path]  # fmt: skip
    for name, table in mine:
        if _flag(table.get("hidden")):
            continue
        entry = table.by_name["name"].value
        span = entry.span
        by_words: dict[tuple[Word, ...], list[str]] = {}
        for platform in setting.platforms or ("linux-x86_64",):
            preset = _Resolution(files, platform, dirname(source.path), {}).preset(name)
            if preset is not None and preset.enabled:
                by_words.setdefault(preset.words, []).append(platform)
        for words, platforms in by_words.items():
            program = Word((Piece(f"cmake-preset:{name}", (span,)),), span)
            place = Place("cmake", target=name)
            calls.append(Call((program, *words), place, span, platforms=frozenset(platforms), unit=name))
    own = tuple(p for p in files.problems if p.path == source.path)
    return Reading(calls=tuple(calls), problems=own)


def fold(command: Command, setting: Setting) -> Folded | None:
    """The command with what its preset adds, on each of its platforms."""
    line = line_of(command.argv[1:])
    if line.preset is None:
        return None
    if not line.preset.known:
        unknown = replace(command, brought=(_unknown(line.preset),))
        return Folded((unknown,), ()) if line.configures or line.workflow else None
    by_preset: dict[Preset, list[str]] = {}
    parts: dict[Part, None] = {}
    for platform in command.platforms or setting.platforms:
        preset = chosen(line, command, replace(setting, platforms=(platform,)))
        if preset is None:
            return None
        by_preset.setdefault(preset, []).append(platform)
        parts.update(dict.fromkeys(preset.parts))
    commands = []
    for preset, platforms in by_preset.items():
        environment = {**dict(preset.environment), **command.env}
        words = preset.words if preset.enabled and (line.configures or line.workflow) else ()
        commands.append(replace(command, brought=words, env=environment, platforms=tuple(platforms)))
    return Folded(tuple(commands), tuple(parts))


def _unknown(preset: Traced) -> Word:
    """What a preset brings of which nobody knows the name: any options."""
    gap = next(piece.hole for piece in preset.pieces if piece.hole is not None)
    reason = f"which preset it is is not known: {gap.reason}"
    unknown = replace(gap, text=preset.shown, reason=reason, shape=Shape.ANY, path=None, among=(), several=True)
    return Word(hole(unknown, preset.route).pieces)


def chosen(line: Line, command: Command, setting: Setting) -> Preset | None:
    """The preset that a call names, on the first platform."""
    if line.preset is None or not line.preset.known or command.directory is None:
        return None
    folder = source_folder(line, command)
    if folder is None:
        return None
    files = _Files(setting.files)
    for name in _NAMES:
        files.load(f"{folder}/{name}".lstrip("/"))
    wanted = line.preset.text
    if line.workflow:
        found = files.found.get(("workflowPresets", wanted))
        steps = found[0].get("steps") if found is not None else None
        first = steps.items[0] if isinstance(steps, Items) and steps.items else None
        if not isinstance(first, Table):
            return None
        wanted = text_of(first.get("name")).text
    elif not line.configures:
        return None
    platform = (setting.platforms or ("linux-x86_64",))[0]
    return _Resolution(files, platform, folder, command.env).preset(wanted)


_Merged = tuple[dict[str, Entry], dict[str, Entry], dict[str, Entry], SourceText]
"""Of a preset, with what it inherits: its fields, its cache variables, its environment, and its file."""


@dataclass
class _Resolution:
    """One preset with what it inherits, on one platform."""

    files: _Files
    platform: str
    folder: str
    outer: Mapping[str, Traced]
    """The environment of the call: `$penv{}`."""
    _inherited: "dict[str, _Merged]" = field(default_factory=dict)

    def preset(self, name: str) -> Preset | None:
        merged = self._merged(name, ())
        if merged is None:
            return None
        fields, cache, environment, source = merged
        values = {"presetName": literal(name), "generator": text_of(_value(fields.get("generator")))}
        expand = _Expand(self, values, source, environment)
        env = [(key, expand.text(text_of(entry.value))) for key, entry in environment.items() if _given(entry)]
        known = [(key, self._cache(entry, expand)) for key, entry in cache.items() if _given(entry)]
        toolchain = expand.text(text_of(_value(fields.get("toolchainFile")))) if "toolchainFile" in fields else None
        words: list[Word] = []
        for option, key in _OPTIONS:
            if key in fields:
                value = fields[key].value
                text = text_of(value.get("value")) if isinstance(value, Table) else text_of(value)
                if text.text:
                    words.append(_word([literal(option), expand.text(text)]))
        for key, entry in cache.items():
            if _given(entry):
                inner = Span(entry.key.path, entry.key.start, entry.key.end)
                kind = text_of(entry.value.get("type")) if isinstance(entry.value, Table) else EMPTY
                typed = [literal(":"), kind] if kind.text else []
                value_text = dict(known)[key]
                words.append(_word([literal("-D"), _key(key, inner), *typed, literal("="), value_text]))
        enabled = self._enabled(fields.get("condition"), expand)
        mine = self.files.found[("configurePresets", name)]
        return Preset(name, tuple(words), tuple(known), tuple(env), toolchain, ((mine[1].path, name),), enabled)

    def _merged(self, name: str, above: tuple[str, ...]) -> "_Merged | None":
        found = self.files.found.get(("configurePresets", name))
        if found is None or name in above or len(above) > _MOST_DEEP:
            return None
        if name in self._inherited:
            return self._inherited[name]
        table, source = found
        fields = {entry.name: entry for entry in table.entries if _given(entry)}
        cache, environment = _table(table, "cacheVariables"), _table(table, "environment")
        parents = table.get("inherits")
        for parent in (parents.items if isinstance(parents, Items) else (parents,)) if parents is not None else ():
            inherited = self._merged(text_of(parent).text, (*above, name))
            if inherited is not None:
                for key, entry in inherited[0].items():
                    if key not in ("name", "hidden", "inherits", "description", "displayName"):
                        fields.setdefault(key, entry)
                for mine, theirs in ((cache, inherited[1]), (environment, inherited[2])):
                    for key, entry in theirs.items():
                        mine.setdefault(key, entry)
        self._inherited[name] = fields, cache, environment, source
        return self._inherited[name]

    def _cache(self, entry: Entry, expand: "_Expand") -> Traced:
        value = entry.value
        if isinstance(value, Table):
            value = value.get("value") or value
        if isinstance(value, Scalar) and value.kind is Kind.BOOLEAN:
            return Traced((Piece("TRUE" if value.value else "FALSE", (value.span,)),))
        return expand.text(text_of(value))

    def _enabled(self, entry: "Entry | None", expand: "_Expand") -> bool:
        """A condition that is not known is taken for met."""
        return True if entry is None else self._condition(entry.value, expand) is not False

    def _condition(self, node: Node, expand: "_Expand") -> bool | None:
        if isinstance(node, Scalar):
            return bool(node.value) if node.kind is Kind.BOOLEAN else True
        if not isinstance(node, Table):
            return None
        kind = text_of(node.get("type")).text
        inner = node.get("conditions")
        each = [self._condition(one, expand) for one in inner.items] if isinstance(inner, Items) else []
        if kind in ("anyOf", "allOf"):
            decided = kind == "anyOf"
            return decided if decided in each else None if None in each else not decided
        if kind == "not":
            found = node.get("condition")
            truth = self._condition(found, expand) if found is not None else None
            return None if truth is None else not truth
        if kind == "const":
            return _flag(node.get("value"))
        left = expand.text(text_of(node.get("lhs") or node.get("string")))
        if kind in ("equals", "notEquals"):
            right = expand.text(text_of(node.get("rhs")))
            return None if not (left.known and right.known) else (left.text == right.text) == (kind == "equals")
        if kind in ("inList", "notInList"):
            listed = node.get("list")
            texts = [expand.text(text_of(item)) for item in listed.items] if isinstance(listed, Items) else []
            known = left.known and all(text.known for text in texts)
            return (any(text.text == left.text for text in texts)) == (kind == "inList") if known else None
        pattern = translated(text_of(node.get("regex")).text)
        if pattern is None or not left.known or kind not in ("matches", "notMatches"):
            return None
        return bool(pattern.search(left.text)) == (kind == "matches")


@dataclass
class _Expand:
    """Macros in a preset's texts (cmake-presets(7), "Macro Expansion")."""

    resolution: _Resolution
    values: Mapping[str, Traced]
    source: SourceText
    environment: Mapping[str, Entry]
    _open: set[str] = field(default_factory=set)
    _worked: dict[str, Traced] = field(default_factory=dict)

    def text(self, text: Traced) -> Traced:
        if "$" not in text.text:
            return text
        parts: list[Traced] = []
        at = 0
        for found in _MACRO.finditer(text.text):
            parts += [text.cut(at, found.start()), self._macro(found[1] or "", found[2], text, found.span())]
            at = found.end()
        return join([*parts, text.cut(at, len(text))])

    def _macro(self, kind: str, name: str, text: Traced, at: tuple[int, int]) -> Traced:
        route = text.cut(*at).route
        if kind in ("env", "penv"):
            return self._variable(kind, name, route)
        if not kind and name in self.values:
            return self.values[name].through(route)
        folder = self.resolution.folder
        known = {
            "dollar": "$",
            "hostSystemName": _SYSTEMS.get(self.resolution.platform.partition("-")[0], "Linux"),
            "sourceDirName": basename(folder),
        }
        if not kind and known.get(name):
            return Traced((Piece(known[name], route),))
        paths = {"sourceDir": folder, "sourceParentDir": dirname(folder), "fileDir": dirname(self.source.path)}
        reason = "it hangs on where the tree is" if name in paths else "nobody knows it before cmake runs"
        shape = Shape.PATH if name in paths else Shape.ANY
        return hole(Hole(text.cut(*at).text, reason, shape=shape, path=paths.get(name)), route)

    def _variable(self, kind: str, name: str, route: tuple[Span, ...]) -> Traced:
        own = self.environment.get(name) if kind == "env" else None
        if name in self._worked and name not in self._open:
            return self._worked[name].through(route)
        if own is not None and _given(own) and name not in self._open:
            self._open.add(name)
            try:
                value = self.text(text_of(own.value))
            finally:
                self._open.discard(name)
            if too_long(value):
                value = hole(Hole(f"$env{{{name}}}", "the value is too long to follow", Decider.REPOSITORY, name=name))
            self._worked[name] = value
            return value.through(route)
        outer = self.resolution.outer.get(name)
        if outer is not None:
            return outer.through(route)
        return Traced((Piece("", route, unset=name),))


def _value(entry: "Entry | None") -> Node | None:
    return entry.value if entry is not None else None


def _given(entry: Entry) -> bool:
    """`null` takes away what is inherited."""
    return not (isinstance(entry.value, Scalar) and entry.value.kind is Kind.NULL)


def _flag(node: Node | None) -> bool:
    return isinstance(node, Scalar) and node.value is True


def _table(table: Table, name: str) -> dict[str, Entry]:
    found = table.get(name)
    return dict(found.by_name) if isinstance(found, Table) else {}


def _key(name: str, span: Span) -> Traced:
    quoted = span.end - span.start == len(name) + 2
    return literal(name, span.cut(1, span.end - span.start - 1) if quoted else span)


def _word(parts: Iterable[Traced]) -> Word:
    return Word(join(parts).pieces)
