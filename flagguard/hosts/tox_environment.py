"""tox's environments, as scripts: ready argument vectors with their environment.

Follows https://tox.wiki/en/latest/reference/config.html. Each environment of the file is read on each platform; what
several come to alike stands under the first of them. There is no shell.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from flagguard.command import Dialect, Place, Reading, Script, Variable, Word
from flagguard.hosts import Setting, toml_text
from flagguard.hosts.tox import NAME
from flagguard.hosts.tox_ini import Broken, parse
from flagguard.hosts.tox_source import Ini, Settings, Toml, World
from flagguard.hosts.tox_values import Environment, Unsure
from flagguard.hosts.tree import Table, text_of
from flagguard.paths import resolved
from flagguard.text import Problem, SourceText, Traced, literal
from flagguard.values import dataclass, replace

_MOST = 400
"""Environments that are read."""
_MOST_WORLDS = 8
_COMMANDS = ("recreate_commands", "extra_setup_commands", "commands_pre", "commands", "commands_post")
_PASSED = (
    # https://tox.wiki/en/latest/reference/config.html#pass_env
    "https_proxy http_proxy no_proxy LANG LANGUAGE CURL_CA_BUNDLE SSL_CERT_FILE CC CFLAGS CCSHARED CXX CPPFLAGS "
    "LD_LIBRARY_PATH LDFLAGS HOME FORCE_COLOR NO_COLOR NETRC NETRC_* PYTHON_GIL TMPDIR PKG_CONFIG PKG_CONFIG_PATH "
    "PKG_CONFIG_SYSROOT_DIR REQUESTS_CA_BUNDLE PIP_* VIRTUALENV_* UV_*"
).split()
_SETS = ("TOX_ENV_NAME", "TOX_WORK_DIR", "TOX_ENV_DIR", "VIRTUAL_ENV", "PATH", "PYTHONHASHSEED", "HOME")
_SYSTEMS = {"linux": "linux-x86_64", "darwin": "macos-arm64", "win32": "windows-x86_64"}


@dataclass(frozen=True)
class Called:
    """How tox is called."""

    environments: tuple[str, ...] | None
    words: tuple[Word, ...] | None
    env: Mapping[str, Traced]

    @property
    def key(self) -> tuple[object, ...]:
        words = None if self.words is None else tuple(w.pieces for w in self.words)
        return (self.environments, words, tuple((n, v.pieces) for n, v in sorted(self.env.items())))


def read(source: SourceText, setting: Setting, called: Called | None = None) -> Reading:
    """The environments of a file; ``called``: those that a call runs."""
    problems: list[Problem] = []
    settings = _settings(source, problems)
    if settings is None:
        return Reading(problems=tuple(problems))
    reader = _Reader(source, settings, setting, called)
    try:
        reader.run()
    except RecursionError:
        reader.told.setdefault(Problem(source.path, 1, "nested too deeply to be read"))
    return Reading(
        tuple(reader.scripts()),
        problems=tuple(sorted({*problems, *reader.told})),
        depends=tuple(dict.fromkeys(reader.looked_at)),
    )


def _settings(source: SourceText, problems: list[Problem]) -> Settings | None:
    name = posixpath.basename(source.path)
    if not name.endswith(".toml"):
        return _ini(source, source.traced(), "tox:tox" if name == "setup.cfg" else "tox", problems)
    values, wrong = toml_text.load(source)
    problems += wrong
    if values is None:
        return None
    root = toml_text.read(source, values).root
    if name == "pyproject.toml":
        tool = root.get("tool") if isinstance(root, Table) else None
        root = tool.get("tox") if isinstance(tool, Table) else None
    if not isinstance(root, Table):
        return None
    if {entry.name for entry in root.entries} == {"legacy_tox_ini"}:
        return _ini(source, text_of(root.get("legacy_tox_ini")), "tox", problems)
    return Toml(root)


def _ini(source: SourceText, text: Traced, core: str, problems: list[Problem]) -> Settings | None:
    found = parse(text)
    if isinstance(found, Broken):
        route = text.cut(found.at, found.at + 1).route
        line = source.position(route[-1].start if route else 0)[0]
        problems.append(Problem(source.path, line, f"tox cannot read this: {found.message}"))
        return None
    return Ini(found, core)


class _Reader:
    def __init__(self, source: SourceText, settings: Settings, setting: Setting, called: Called | None) -> None:
        self.source = source
        self.settings = settings
        self.setting = setting
        self.called = called
        self.told: dict[Problem, None] = {}
        self.looked_at: list[str] = []
        self.folder = posixpath.dirname(source.path)
        self._found: list[tuple[Script, set[str]]] = []
        self._places: dict[object, set[str]] = {}
        """Where commands begin; with the platforms that were asked for on account of them alone."""
        self._alike: dict[object, list[tuple[Script, set[str]]]] = {}

    def scripts(self) -> Iterator[Script]:
        for script, platforms in self._found:
            everywhere = platforms == set(self.setting.platforms)
            yield script if everywhere else replace(script, platforms=frozenset(platforms))

    def run(self) -> None:
        names = self.settings.environments()
        if self.called is not None and self.called.environments is not None:
            names = [name for name in self.called.environments if name.startswith("py") or self.settings.knows(name)]
        elif self.called is not None:
            names = self.settings.listed() or ["py"]
        for name in names[:_MOST]:
            for platform in self.setting.platforms:
                self._environment(name, platform)
        if self.called is None:
            asked = {_system(platform) for platform in self.setting.platforms}
            others = [p for system, p in _SYSTEMS.items() if system not in asked and system in self.source.text]
            for name in names[:_MOST]:
                for platform in others:
                    self._environment(name, platform, only_new=True)
            for platform in self.setting.platforms if self.settings.knows("py") else ():
                self._environment("py", platform, only_new=True)  # what no environment of the list inherits

    def _environment(self, name: str, platform: str, only_new: bool = False) -> None:
        waiting: list[tuple[bool, ...]] = [()]
        count = 0
        while waiting and count < _MOST_WORLDS:
            forced = waiting.pop(0)
            count += 1
            world = World(platform, forced, self.setting.assume, self.called.env if self.called is not None else {})
            words = self.called.words if self.called is not None else None
            given = None if words is None else [Traced(w.pieces) for w in words]
            environment = Environment(self.settings, name, self.folder, world, given, self._file)
            for script in self._scripts(environment, platform):
                self._add(script, platform, only_new)
            for unsure in environment.unsure:
                self._tell(unsure)
            waiting += [(*world.taken[:i], not world.taken[i]) for i in range(len(forced), len(world.taken))]

    def _file(self, path: str) -> SourceText | None:
        self.looked_at.append(path)
        return self.setting.files.read(path)

    def _tell(self, unsure: Unsure) -> None:
        route = unsure.text.route
        line = self.source.position(route[-1].start if route else 0)[0]
        self.told.setdefault(Problem(self.source.path, line, unsure.message, fatal=unsure.fatal))

    def _scripts(self, environment: Environment, platform: str) -> Iterator[Script]:
        wanted = environment.text("platform")
        if wanted.text.strip() and wanted.known:
            try:
                if not re.match(wanted.text.strip(), _system(platform)):
                    return
            except re.error:
                pass
        variables = self._variables(environment)
        moved = environment.text("change_dir", "changedir")
        directory: str | None = resolved(moved, self.folder) if moved.text else self.folder
        ignored = environment.text("ignore_outcome").text.strip().lower() in ("true", "1", "yes", "on")

        def script(words: Sequence[Word], swallowed: bool = False) -> Script:
            return Script(
                Place(NAME, task=environment.name),
                Dialect.ARGV,
                argv=tuple(words),
                env=variables,
                when=tuple(environment.world.assumed),
                ignored=ignored or swallowed,
                directory=directory,
                outside=_SETS,
                unit=environment.name,
            )

        for words in environment.installs():
            yield replace(script(words), directory=self.folder)
        for key in _COMMANDS:
            for words in environment.commands(key):
                marked = bool(words) and words[0].text in ("-", "!")
                if words[marked:]:
                    yield script(words[marked:], marked)

    def _variables(self, environment: Environment) -> tuple[Variable, ...]:
        given: dict[str, Traced] = {}
        if self.called is not None:
            patterns = [p.lower() for p in (*_PASSED, *environment.names("pass_env", "passenv"))]
            for name, value in self.called.env.items():
                if any(fnmatchcase(name.lower(), pattern) for pattern in patterns):
                    given[name] = value
        given.update(environment.set_env())
        given.setdefault("TOX_ENV_NAME", literal(environment.name))
        return tuple(Variable(name, value) for name, value in given.items() if name != "TOX_ENV_NAME")

    def _add(self, script: Script, platform: str, only_new: bool) -> None:
        bare = replace(script, place=Place(NAME), unit="")
        first = next((p.route[-1] for w in script.argv for p in w.pieces if p.route), None)
        if only_new and first in self._places and platform not in self._places[first]:
            return
        self._places.setdefault(first, {platform} if only_new else set())
        key = tuple(w.text for w in script.argv)
        alike = self._alike.setdefault(key, [])
        known = next((found for found in alike if replace(found[0], place=Place(NAME), unit="") == bare), None)
        if known is None:
            alike.append((script, {platform}))
            self._found.append(alike[-1])
        else:
            known[1].add(platform)


def _system(platform: str) -> str:
    """Python's sys.platform."""
    system = platform.partition("-")[0]
    return {"macos": "darwin", "windows": "win32"}.get(system, system)
