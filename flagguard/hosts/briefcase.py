"""Briefcase: what `[tool.briefcase]` of `pyproject.toml` has pip install for each app; `briefcase build` and its kin.

Follows https://briefcase.beeware.org/en/stable/reference/configuration/: settings of the project, of the app, of its
platform and of the output format; `requires` and `test_requires` add up, of all others the innermost counts. Text for
a Dockerfile or for Gradle is not read, and told.
"""

from collections.abc import Iterator, Sequence

from flagguard.command import Command, Reading, Word
from flagguard.hosts import Entered, Setting
from flagguard.hosts.task_tables import ToolTasks, above, called_key, options_and_names, texts
from flagguard.hosts.tree import Items, Node, Table
from flagguard.text import SourceText, Span, Traced, literal
from flagguard.values import dataclass, replace

NAME = "briefcase"
_KEY = "tool.briefcase"
_PLATFORMS = {"macOS": "macos-", "linux": "linux-", "windows": "windows-"}
"""The tables of platforms that are built for on themselves,"""
_ELSEWHERE = ("iOS", "android", "web", "tvOS", "watchOS", "wearos")
"""and of those that are not."""
_FORMATS = frozenset("app Xcode appimage flatpak snap system gradle static VisualStudio".split())
_UNREAD = {"dockerfile_extra_content": "a Dockerfile", "build_gradle_extra_content": "Gradle"}
_OWN = ("requires", "test_requires", "requirement_installer_args", *_UNREAD)
"""The settings that decide what is installed, and how."""
_INSTALL = "python -m pip install --disable-pip-version-check --no-user --upgrade"
_STARTS = frozenset({"create", "update", "build", "run", "dev", "package", "publish"})
_VALUED = ("-a", "--app", "-r", "--requirement", "-C", "--config", "-d", "--device", "--target", "-i", "--identity")


@dataclass(frozen=True)
class _Level:
    """The settings of one app on one platform, in one format."""

    app: str
    platform: str
    form: str
    tables: tuple[Table, ...]
    """From the outermost to the innermost."""

    @property
    def step(self) -> str:
        return f"{self.platform} {self.form}".strip()


def read(source: SourceText, setting: Setting) -> Reading:
    reader = _Reader(NAME, source, setting)
    for level in reader.levels():
        reader.install(level)
    return reader.reading()


def enter(command: Command, setting: Setting) -> Entered | None:
    """``briefcase build [PLATFORM [FORMAT]] [-a APP]``: what it installs for the apps."""
    found = options_and_names(command.argv[1:], _VALUED, ("-h", "--help", "-V", "--version"))
    if found is None or command.directory is None:
        return None
    options, names = found
    if not names or names[0].text not in _STARTS:
        return None
    source = above(command.directory, ("pyproject.toml",), setting, lambda s: NAME in s.text)
    if source is None:
        return None
    asked = {value.text for name, value in options if name in ("-a", "--app")}
    said = [word.text.lower() for word in names[1:3]]
    env = dict(command.env)

    def reading(setting: Setting) -> Reading:
        reader = _Reader(NAME, source, setting, env)
        for level in reader.levels():
            if (not asked or level.app in asked) and [level.platform.lower(), level.form.lower()][: len(said)] == said:
                reader.install(level)
        return reader.reading()

    return Entered(source.path, called_key(env, NAME, source.path, tuple(sorted(asked)), tuple(said)), reading)


def _of_vendors(level: _Level, deep: int) -> Iterator[_Level]:
    """The vendors of Linux that have settings of their own, and the versions of one: `linux.system.ubuntu.jammy`."""
    for entry in level.tables[-1].entries if deep else ():
        if isinstance(entry.value, Table):
            below = replace(level, form=f"{level.form} {entry.name}", tables=(*level.tables, entry.value))
            if any(name in entry.value.by_name for name in _OWN):
                yield below
            yield from _of_vendors(below, deep - 1)


class _Reader(ToolTasks):
    def levels(self) -> Iterator[_Level]:
        """Every app on each platform, and in each format that has settings of its own."""
        if not isinstance(self.root, Table):
            return
        for app, node in self.entries(self.root.get("app"), f"{_KEY}.app"):
            if not isinstance(node, Table):
                self.wrong(node, "a table", f"{_KEY}.app.{app}")
                continue
            for platform in (*_PLATFORMS, *_ELSEWHERE):
                below = node.get(platform)
                if not isinstance(below, Table):
                    if platform in _PLATFORMS:
                        yield _Level(app, platform, "", (self.root, node))
                    continue
                tables = (self.root, node, below)
                forms = [e for e in below.entries if e.name in _FORMATS and isinstance(e.value, Table)]
                yield _Level(app, platform, "", tables)
                for entry in forms:
                    assert isinstance(entry.value, Table)
                    yield _Level(app, platform, entry.name, (*tables, entry.value))
                    if entry.name == "system":
                        yield from _of_vendors(_Level(app, platform, entry.name, (*tables, entry.value)), 2)

    def install(self, level: _Level) -> None:
        key = f"{_KEY}.app.{level.app}"
        for table in level.tables:
            for name, language in _UNREAD.items():
                node = table.get(name)
                if node is not None:
                    self.tell(
                        node, f"text for {language} is not read, so its commands are not judged", key, fatal=False
                    )
        requires = [t for table in level.tables for t in self._listed(table.get("requires"), f"{key}.requires")]
        tests = [t for table in level.tables for t in self._listed(table.get("test_requires"), f"{key}.test_requires")]
        if not requires and not tests:
            return
        arguments = next((n for t in reversed(level.tables) if (n := t.get("requirement_installer_args"))), None)
        given = self._listed(arguments, f"{key}.requirement_installer_args")
        at = self._place(level)
        words = [Word(literal(said, at).pieces) for said in _INSTALL.split()]
        if level.platform in ("iOS", "tvOS", "watchOS"):
            words += [Word(literal(said, at).pieces) for said in ("--only-binary", ":all:")]
        words += [Word(text.pieces, text.route[-1] if text.route else None) for text in (*given, *requires, *tests)]
        prefix = _PLATFORMS.get(level.platform, "macos-" if level.platform.endswith("OS") else "")
        named = frozenset(p for p in self.setting.platforms if p.startswith(prefix))
        script = self.script(level.app, directory=self.folder, platforms=named if prefix else None)
        self.add_words(replace(script, place=replace(script.place, step=level.step)), words)

    def _place(self, level: _Level) -> Span:
        """The key that the innermost of the requirements stand behind."""
        for table in reversed(level.tables):
            for name in ("requires", "test_requires"):
                entry = table.by_name.get(name)
                if entry is not None:
                    return entry.key
        return level.tables[-1].span

    def _listed(self, node: Node | None, key: str) -> Sequence[Traced]:
        if node is not None and not isinstance(node, Items):
            self.wrong(node, "a list", key)
            return ()
        return texts(node)
