"""Turborepo: `turbo run TASK …` starts the scripts of that name in the packages of the workspace.

Follows https://turborepo.com/docs/reference/run, https://turborepo.com/docs/reference/configuration ("Defining tasks")
and https://turborepo.com/docs/crafting-your-repository/using-environment-variables ("Strict Mode"). A turbo.json has no
commands: it says what runs first, and which variables reach a script.
"""

import posixpath
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from flagguard.command import Command, Reading, Word
from flagguard.hosts import Entered, Setting, jsonc_text, yaml_text
from flagguard.hosts.task_tables import Tasks, called_key, inner, options_and_names, pieces, plain, texts
from flagguard.hosts.tree import Node, Table
from flagguard.hosts.workspace import Package, is_named, manager, needed, package, packages, starts_script, top
from flagguard.text import SourceText, Traced
from flagguard.values import dataclass

NAME = "turbo"

_FILES = ("turbo.json", "turbo.jsonc")
_VALUED = (
    *(
        "-F",
        "--filter",
        "--cwd",
        "--concurrency",
        "--env-mode",
        "--cache-dir",
        "--output-logs",
        "--log-order",
        "--token",
    ),
    *("--team", "--api", "--log-prefix", "--ui", "--cache", "--cache-workers", "--global-deps", "--scope", "--ignore"),
    *("--since", "--profile", "--anon-profile", "--remote-cache-timeout", "--verbosity"),
)
_STOPS = ("-h", "--help", "--version", "--dry-run", "--dry", "--graph")
_OWN = frozenset(
    "bin boundaries completion daemon devtools docs gen generate info link login logout ls prune query scan telemetry "
    "unlink watch config".split()
)
_ALWAYS = (
    # https://turborepo.com/docs/reference/system-environment-variables and "Strict Mode": what reaches every script
    *("CI", "PATH", "HOME", "SHELL", "LANG", "TZ", "PWD", "USER", "TMP", "TEMP", "TURBO_*", "VERCEL*", "GITHUB_*"),
    *("NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "APPDATA", "PROGRAMDATA", "SYSTEMROOT", "SYSTEMDRIVE", "USERPROFILE"),
    *("DOCKER_*", "XDG_RUNTIME_DIR", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "COREPACK_HOME", "JB_*", "VSCODE_*"),
    *("npm_config_*", "NPM_CONFIG_STORE_DIR", "COLORTERM", "TERM", "TERM_PROGRAM", "DISPLAY", "ELECTRON_RUN_AS_NODE"),
)


@dataclass(frozen=True)
class CommandLine:
    tasks: tuple[Word, ...]
    words: tuple[Traced, ...]
    filters: tuple[str, ...]
    loose: bool
    only: bool


def command_line(words: Sequence[Word]) -> CommandLine | None:
    """The words behind the program; None where no task is run, or nobody knows which."""
    end = next((i for i, word in enumerate(words) if word.text == "--"), len(words))
    said = options_and_names(words[:end], _VALUED, _STOPS)
    if said is None:
        return None
    options, tasks = said
    filters: list[str] = []
    loose = only = False
    for name, value in options:
        if name == "--cwd" or (name in ("-F", "--filter", "--scope") and not value.known):
            return None
        if name in ("-F", "--filter", "--scope"):
            filters.append(value.text)
        loose = loose or (name == "--env-mode" and value.text == "loose")
        only = only or name == "--only"
    if tasks and tasks[0].text == "run":
        tasks.pop(0)
    elif tasks and tasks[0].text in _OWN:
        return None
    if not tasks or not all(task.known for task in tasks):
        return None
    return CommandLine(tuple(tasks), plain(words[end + 1 :]), tuple(filters), loose, only)


def enter(command: Command, setting: Setting) -> Entered | None:
    """``turbo run NAME … -- …``: the scripts, with those that have to run before."""
    line = command_line(command.argv[1:])
    folder = top(command.directory, setting, *_FILES) if line is not None and command.directory is not None else None
    if line is None or folder is None:
        return None
    sources = [s for name in _FILES if (s := setting.files.read(posixpath.join(folder, name))) is not None]
    source, env, where = sources[0], dict(command.env), folder

    def reading(setting: Setting) -> Reading:
        return _Reader(source, setting, env, line, where).all()

    key = called_key(
        env, NAME, source.path, pieces(line.tasks), pieces(line.words), line.filters, line.loose, line.only
    )
    return Entered(source.path, key, reading)


class _Reader(Tasks):
    def __init__(
        self, source: SourceText, setting: Setting, env: Mapping[str, Traced], line: CommandLine, folder: str
    ) -> None:
        super().__init__(NAME, source, setting, env)
        document = yaml_text.read_json(jsonc_text.plain(source))
        self.told.update(dict.fromkeys(document.problems))
        self.root = document.root
        self.line = line
        self.members = packages(folder, setting)
        self.program = manager(folder, setting)
        own = setting.files.read(posixpath.join(folder, "package.json"))
        self.own = package(own) if own is not None else None
        self._ran: set[object] = set()

    def all(self) -> Reading:
        chosen = self.members
        if self.line.filters:
            plus = [f.strip(".").removesuffix("...").removeprefix("...") for f in self.line.filters if f[:1] != "!"]
            chosen = [m for m in self.members if not plus or any(is_named(m, f) for f in plus)]
            if any(f.endswith("...") for f in self.line.filters):
                chosen = list(dict.fromkeys((*chosen, *needed(chosen, self.members))))
        for task in self.line.tasks:
            name, sharp, _ = task.text.partition("#")
            if sharp:
                named = [self.own] if name == "//" else [m for m in self.members if m.name == name]
                for one in named:
                    if one is not None:
                        self._run(one, Word(task.cut(len(name) + 1, len(task)).pieces), self.line.words)
                continue
            for member in chosen:
                self._run(member, task, self.line.words)
        return self.reading()

    def _table(self, one: Package, task: str) -> Table | None:
        tasks = inner(self.root, "tasks") or inner(self.root, "pipeline")
        found = inner(tasks, f"{one.name}#{task}") or inner(tasks, task)
        return found if isinstance(found, Table) else None

    def _run(self, one: Package, task: Traced, words: tuple[Traced, ...]) -> None:
        name = task.text
        if (one.folder, name) in self._ran or not self.entering((one.folder, name)):
            return
        self._ran.add((one.folder, name))
        said = self._table(one, name)
        for before in texts(said.get("dependsOn")) if said is not None and not self.line.only else ():
            self._before(one, before)
        self.left()
        if name not in one.scripts:
            return
        script = self.script(name, self._environment(said), directory=one.folder)
        self.add(starts_script(script, self.program, task, words))

    def _before(self, one: Package, before: Traced) -> None:
        text = before.text
        if text.startswith("^"):
            for other in needed([one], self.members):
                self._run(other, before.cut(1, len(before)), ())
        elif "#" in text:
            name = text.partition("#")[0]
            named = [self.own] if name == "//" else [m for m in self.members if m.name == name]
            for member in named:
                if member is not None:
                    self._run(member, before.cut(len(name) + 1, len(before)), ())
        elif not text.startswith("$"):
            self._run(one, before, ())

    def _environment(self, said: Table | None) -> dict[str, Traced]:
        """What of the caller's environment reaches a script."""
        mode = inner(self.root, "envMode")
        if self.line.loose or any(t.text == "loose" for t in texts(mode)):
            return self.given
        keys: list[Node | None] = [inner(self.root, k) for k in ("globalEnv", "globalPassThroughEnv")]
        keys += [said.get(k) for k in ("env", "passThroughEnv")] if said is not None else []
        passed = [*_ALWAYS, *(t.text for node in keys for t in texts(node))]

        def reaches(name: str) -> bool:
            allowed = [p for p in passed if fnmatchcase(name, p.removeprefix("!"))]
            return bool(allowed) and not any(p.startswith("!") for p in allowed)

        return {name: value for name, value in self.given.items() if reaches(name)}
