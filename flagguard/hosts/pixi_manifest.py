"""What a manifest of pixi holds: features with their targets, environments, platforms, tasks.

Follows https://pixi.sh/latest/reference/pixi_manifest/ and what pixi 0.60 does: of the targets that match a platform
the one declared last wins, then the table without a target; of the features of an environment the first wins, and the
default one comes last. What a task runs is not known here.
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache

from flagguard.hosts import toml_text
from flagguard.hosts.tree import Entry, Items, Node, Scalar, Table, text_of
from flagguard.text import Problem, SourceText
from flagguard.values import dataclass, field

SUBDIRS = {
    # https://docs.conda.io/projects/conda-build/en/stable/resources/define-metadata.html: the names of platforms
    "linux-64": "linux-x86_64",
    "linux-32": "linux-i686",
    "linux-aarch64": "linux-aarch64",
    "linux-armv7l": "linux-armv7l",
    "linux-ppc64le": "linux-ppc64le",
    "linux-riscv64": "linux-riscv64",
    "linux-s390x": "linux-s390x",
    "osx-64": "macos-x86_64",
    "osx-arm64": "macos-arm64",
    "win-64": "windows-x86_64",
    "win-arm64": "windows-arm64",
}
_OF_OURS = {ours: subdir for subdir, ours in SUBDIRS.items()}
DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Platform:
    """One of the workspace's: a name, and the conda platform that it is."""

    name: str
    subdir: str

    @property
    def ours(self) -> str | None:
        return SUBDIRS.get(self.subdir)

    def matches(self, selector: str) -> bool:
        system = self.subdir.partition("-")[0]
        if selector == "unix":
            return system in ("linux", "osx")
        return selector in (system, self.name, self.subdir) or ("*" in selector and fnmatchcase(self.name, selector))


def platform_of(ours: str) -> Platform:
    """A platform of ours, as pixi calls it."""
    subdir = _OF_OURS.get(ours, ours)
    return Platform(subdir, subdir)


@dataclass(frozen=True)
class Feature:
    table: Table

    def targets(self, platform: Platform) -> Iterator[Table]:
        """The tables that count on a platform, the one that wins first."""
        target = self.table.get("target")
        for entry in reversed(target.entries if isinstance(target, Table) else ()):
            if isinstance(entry.value, Table) and platform.matches(entry.name):
                yield entry.value
        yield self.table

    def platforms(self) -> frozenset[str] | None:
        named = self.table.get("platforms")
        return frozenset(text_of(n).text for n in named.items) if isinstance(named, Items) else None


@dataclass(frozen=True)
class Environment:
    name: str
    features: tuple[Feature, ...]

    def has(self, platform: Platform) -> bool:
        limits = [f.platforms() for f in self.features]
        return all(limit is None or platform.name in limit or platform.subdir in limit for limit in limits)

    def tasks(self, platform: Platform) -> dict[str, Entry]:
        found: dict[str, Entry] = {}
        for feature in self.features:
            for target in feature.targets(platform):
                tasks = target.get("tasks")
                for entry in tasks.entries if isinstance(tasks, Table) else ():
                    found.setdefault(entry.name, entry)
        return found

    def activation(self, platform: Platform) -> tuple[dict[str, Scalar], list[Scalar]]:
        """The variables, and the scripts of each feature's winning table, as they run."""
        values: dict[str, Scalar] = {}
        scripts: list[Scalar] = []
        for feature in self.features:
            chosen: list[Scalar] | None = None
            for target in feature.targets(platform):
                activation = target.get("activation")
                if not isinstance(activation, Table):
                    continue
                env, named = activation.get("env"), activation.get("scripts")
                for entry in env.entries if isinstance(env, Table) else ():
                    if isinstance(entry.value, Scalar):
                        values.setdefault(entry.name, entry.value)
                if chosen is None and isinstance(named, Items):
                    chosen = [n for n in named.items if isinstance(n, Scalar)]
            scripts += chosen or []
        return values, scripts


@dataclass(frozen=True)
class Manifest:
    source: SourceText
    key: str = ""
    platforms: tuple[Platform, ...] = ()
    environments: tuple[Environment, ...] = ()
    unused: tuple[Environment, ...] = ()
    """Features that no environment has, each as if one had it."""
    tasks: tuple[tuple[str, Entry], ...] = ()
    """Every task with the key of its table, as they stand in the file."""
    names: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = field(default=(), compare=False)

    def environment(self, name: str) -> Environment | None:
        return next((e for e in self.environments if e.name == name), None)


@lru_cache(maxsize=16)
def read(source: SourceText) -> Manifest:
    """The manifest, and what is wrong with it."""
    masked = _relaxed(source) if not source.path.endswith("pyproject.toml") else source
    values, problems = toml_text.load(masked)
    if values is None:
        return Manifest(source, problems=problems)
    root: Node | None = toml_text.read(masked, values).root
    key = ""
    if source.path.endswith("pyproject.toml"):
        tool = root.get("tool") if isinstance(root, Table) else None
        root, key = tool.get("pixi") if isinstance(tool, Table) else None, "tool.pixi"
    if not isinstance(root, Table):
        return Manifest(source, problems=problems)
    return _Reader(source, root, key, list(problems)).manifest()


class _Reader:
    def __init__(self, source: SourceText, root: Table, key: str, problems: list[Problem]) -> None:
        self.source, self.root, self.key, self.problems = source, root, key, problems

    def wrong(self, node: Node, wanted: str, key: str) -> None:
        line = self.source.position(node.span.start)[0]
        at = f"{self.key}.{key}".lstrip(".")
        self.problems.append(Problem(self.source.path, line, f"{at}: has to be {wanted}, and is {node.named}", key=at))

    def table(self, table: Table, name: str, key: str) -> Table:
        found = table.get(name)
        if found is not None and not isinstance(found, Table):
            self.wrong(found, "a table", f"{key}.{name}".lstrip("."))
        return found if isinstance(found, Table) else Table(table.span)

    def manifest(self) -> Manifest:
        root = self.root
        features = {DEFAULT: Feature(root)}
        for entry in self.table(root, "feature", "").entries:
            if isinstance(entry.value, Table):
                features[entry.name] = Feature(entry.value)
            else:
                self.wrong(entry.value, "a table", f"feature.{entry.name}")
        environments = list(self._environments(features))
        if all(e.name != DEFAULT for e in environments):
            environments.insert(0, Environment(DEFAULT, (features[DEFAULT],)))
        used = {id(f.table) for e in environments for f in e.features}
        lone = [(name, f) for name, f in features.items() if id(f.table) not in used]
        unused = tuple(Environment(name, (f, features[DEFAULT])) for name, f in lone)
        places = [("", root), *((f"feature.{n}.", f.table) for n, f in features.items() if n != DEFAULT)]
        own = [(e.name, e.features[0].table) for e in environments]
        places += [(f"environments.{name}.", table) for name, table in own if table is not root]
        tasks: dict[int, tuple[str, Entry]] = {}
        for key, table in places:
            for at, entry in self._tasks(table, key):
                tasks.setdefault(id(entry), (at, entry))
        return Manifest(
            self.source,
            self.key,
            self._platforms(),
            tuple(environments),
            unused,
            tuple(tasks.values()),
            frozenset(entry.name for _, entry in tasks.values()),
            tuple(self.problems),
        )

    def _tasks(self, table: Table, key: str) -> Iterator[tuple[str, Entry]]:
        for entry in self.table(table, "tasks", key).entries:
            yield f"{self.key}.{key}tasks.{entry.name}".lstrip("."), entry
        for target in self.table(table, "target", key).entries:
            if isinstance(target.value, Table):
                yield from self._tasks(target.value, f"{key}target.{target.name}.")

    def _platforms(self) -> tuple[Platform, ...]:
        workspace = self.root.get("workspace") or self.root.get("project")
        named = workspace.get("platforms") if isinstance(workspace, Table) else None
        if named is not None and not isinstance(named, Items):
            self.wrong(named, "a list", "workspace.platforms")
        found = []
        for node in named.items if isinstance(named, Items) else ():
            if isinstance(node, Table):
                subdir = text_of(node.get("platform")).text
                found.append(Platform(text_of(node.get("name")).text or subdir, subdir))
            else:
                found.append(Platform(text_of(node).text, text_of(node).text))
        return tuple(p for p in found if p.ours is not None)

    def _environments(self, features: dict[str, Feature]) -> Iterator[Environment]:
        for entry in self.table(self.root, "environments", "").entries:
            node = entry.value
            own: tuple[Feature, ...] = ()
            names = node if isinstance(node, Items) else node.get("features") if isinstance(node, Table) else None
            with_default = True
            if isinstance(node, Table):
                without = node.get("no-default-feature")
                with_default = not (isinstance(without, Scalar) and without.value is True)
                own = (Feature(Table(node.span, tuple(e for e in node.entries if e.name != "features"))),)
            elif not isinstance(node, Items):
                self.wrong(node, "a list or a table", f"environments.{entry.name}")
                continue
            chosen: list[Feature] = list(own)
            for name in names.items if isinstance(names, Items) else ():
                feature = features.get(text_of(name).text)
                if feature is None:
                    line = self.source.position(name.span.start)[0]
                    at = f"{self.key}.environments.{entry.name}".lstrip(".")
                    told = f"{at}: there is no feature {text_of(name).text}"
                    self.problems.append(Problem(self.source.path, line, told, key=at))
                elif feature.table is not self.root:
                    chosen.append(feature)
            yield Environment(entry.name, (*chosen, *((features[DEFAULT],) if with_default else ())))


def _relaxed(source: SourceText) -> SourceText:
    """The text without what pixi takes and TOML 1.0 does not: lines, comments and a last comma in inline tables.

    It is as long as before.
    """
    text = source.text
    if "{" not in text:
        return source
    out = list(text)
    open_: list[str] = []
    comma = -1
    at = 0
    while at < len(text):
        char = text[at]
        if char in "\"'":
            quotes = char * 3 if text.startswith(char * 3, at) else char
            end = at + len(quotes)
            while end < len(text) and not text.startswith(quotes, end):
                if len(quotes) == 1 and text[end] == "\n":
                    break
                end += 2 if char == '"' and text[end] == "\\" else 1
            at, comma = end + len(quotes), -1
            while len(quotes) == 3 and text[at : at + 1] == char:
                at += 1
            continue
        inline = bool(open_) and open_[-1] == "{"
        if char == "#":
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            if inline:
                out[at:end] = " " * (end - at)
            at = end
            continue
        if char in "[{":
            # a `[` at the beginning of a line is a header
            if char == "{" or open_ or text[text.rfind("\n", 0, at) + 1 : at].strip():
                open_.append(char)
        elif char in "]}" and open_:
            if char == "}" and open_[-1] == "{" and comma >= 0:
                out[comma] = " "
            open_.pop()
        elif char in "\r\n" and inline:
            out[at] = " "
        if char == ",":
            comma = at
        elif not char.isspace():
            comma = -1
        at += 1
    masked = "".join(out)
    return source if masked == text else SourceText(source.path, masked)
