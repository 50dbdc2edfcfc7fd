"""The scripts of a package.json, as shell texts.

Follows https://docs.npmjs.com/cli/using-npm/scripts: a script goes to `sh -c`, on Windows to cmd.exe, with the words of
the call behind it; `preNAME` and `postNAME` run around NAME. pnpm, Yarn and Bun differ where their manuals say so.
"""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from re import Pattern, escape

from flagguard.command import PLATFORMS, Dialect, Place, Reading, Script, Variable
from flagguard.hosts import Setting
from flagguard.hosts.npm import NAME
from flagguard.hosts.npm_call import Line
from flagguard.hosts.npm_packages import document, nearest, table
from flagguard.hosts.shells import SHELLS, program
from flagguard.hosts.tox_words import quoted
from flagguard.hosts.tree import Entry, Kind, Node, Scalar, Table, text_of
from flagguard.patterns import expression
from flagguard.text import Hole, Problem, Shape, SourceText, Traced, hole, join, literal
from flagguard.values import dataclass, replace

_SETS = (
    # https://docs.npmjs.com/cli/using-npm/scripts#environment
    "INIT_CWD npm_command npm_config_user_agent npm_execpath npm_node_execpath npm_package_json npm_lifecycle_script "
    "npm_config_local_prefix npm_config_prefix NODE PATH HOME"
).split()
_NPMRC = expression(r"(?m)^\s*(script-shell|shell-emulator|enable-pre-post-scripts)\s*=\s*(.*?)\s*$")
_VERSION = expression(r"(npm|pnpm|yarn|bun)@(\d+)")
_USED = expression(r"npm_package_(\w+)")
_WINDOWS = frozenset(p for p in PLATFORMS if p.startswith("windows"))


@dataclass(frozen=True)
class Called:
    """How scripts are called."""

    line: Line
    env: Mapping[str, Traced]

    @property
    def key(self) -> tuple[object, ...]:
        line = self.line
        words = tuple(w.pieces for w in line.words)
        each = tuple(tuple(w.pieces for w in words) for words in line.each)
        env = tuple((n, v.pieces) for n, v in sorted(self.env.items()))
        config = tuple((n, v.pieces) for n, v in line.config)
        return (line.manager, line.scripts, words, each, line.cycle, line.alone, line.shell, config, env)


def read(source: SourceText, setting: Setting, called: Called | None = None) -> Reading:
    """The scripts of a package; ``called``: those that a call runs."""
    found = document(source)
    reader = _Reader(source, setting, called)
    try:
        scripts = tuple(reader.scripts())
    except RecursionError:
        return Reading(problems=(Problem(source.path, 1, "nested too deeply to be read"),))
    return Reading(scripts, problems=tuple(sorted({*found.problems, *reader.told})), depends=tuple(reader.looked_at))


def chosen(source: SourceText, line: Line) -> list[tuple[str, tuple[Traced, ...]]]:
    """The scripts that a call runs, without those around them, and their words."""
    root = table(source)
    scripts = root.get("scripts") if root is not None else None
    names = [e.name for e in scripts.entries] if isinstance(scripts, Table) else []
    if line.patterns:
        each = line.each or tuple(line.words for _ in line.scripts)
        pairs = zip(line.scripts, each, strict=True)
        return [(name, words) for pattern, words in pairs for name in _matching(pattern, names)]
    found = [(name, line.words) for name in line.scripts if name in names]
    if line.scripts == ("restart",) and not found:
        return [(name, ()) for name in ("stop", "start") if name in names]
    return found


def _matching(pattern: str, names: Sequence[str]) -> list[str]:
    """The names that a pattern of npm-run-all means: `*` is a part between colons, `**` any number of them."""
    if "*" not in pattern:
        return [name for name in names if name == pattern]
    parts = [None if part == "**" else _part(part) for part in pattern.split(":")]
    return [name for name in names if _fits(name.split(":"), parts)]


def _part(written: str) -> Pattern[str]:
    """One part of a pattern; what a `*` has taken it does not give back, so that no name takes long."""
    first, *more = map(escape, written.split("*"))
    inner = "".join(f"(?>.*?{text})" for text in more[:-1])
    return expression(first + inner + (f".*{more[-1]}" if more else ""))


def _fits(name: Sequence[str], parts: Sequence[Pattern[str] | None]) -> bool:
    ends = {0}
    for part in parts:
        if part is None:
            ends = set(range(min(ends, default=len(name)) + 1, len(name) + 1))
        else:
            ends = {at + 1 for at in ends if at < len(name) and part.fullmatch(name[at])}
    return len(name) in ends


@dataclass(frozen=True)
class _Shell:
    """Who reads the scripts."""

    posix: Dialect = Dialect.SH
    windows: Dialect = Dialect.CMD
    around: bool = True
    """Scripts before and after another run with it."""


class _Reader:
    def __init__(self, source: SourceText, setting: Setting, called: Called | None) -> None:
        self.source = source
        self.setting = setting
        self.called = called
        self.told: list[Problem] = []
        self.looked_at: list[str] = []
        self.folder = posixpath.dirname(source.path)
        self.root = table(source)

    def problem(self, node: Node, message: str, key: str) -> None:
        line = self.source.position(node.span.start)[0]
        self.told.append(Problem(self.source.path, line, f"{key}: {message}", key=key))

    def scripts(self) -> Iterator[Script]:
        if self.root is None:
            return
        table = self.root.get("scripts")
        if not isinstance(table, Table):
            if table is not None:
                self.problem(table, f"has to be a table, and is {table.named}", "scripts")
            return
        entries: dict[str, Entry] = {}
        for entry in table.entries:
            if isinstance(entry.value, Scalar) and entry.value.kind is Kind.STRING:
                entries[entry.name] = entry
            else:
                self.problem(entry.value, f"has to be a string, and is {entry.value.named}", f"scripts.{entry.name}")
        shell = self._shell()
        if self.called is None:
            for entry in entries.values():
                yield from self._script(entry, (), shell)
            return
        line = self.called.line
        for name, words in chosen(self.source, line):
            around = shell.around and not line.cycle and not line.alone
            for one, given in ((f"pre{name}", ()), (name, words), (f"post{name}", ())):
                if one in entries and (one == name or around):
                    yield from self._script(entries[one], given, shell)

    # -- the shell

    def _manager(self) -> tuple[str, int]:
        """Who runs the scripts, and the first number of its version."""
        said = text_of(self.root.get("packageManager")).text if self.root is not None else ""
        top = nearest("", self.setting) if not said else None
        if top is not None and top.path != self.source.path and (root := table(top)) is not None:
            said = text_of(root.get("packageManager")).text
        found = _VERSION.match(said)
        if self.called is not None:
            name = self.called.line.manager
            return name, int(found[2]) if found is not None and found[1] == name else 0
        return (found[1], int(found[2])) if found is not None else ("npm", 0)

    def _shell(self) -> _Shell:
        name, version = self._manager()
        shell = _Shell()
        if name == "bun":
            shell = _Shell(windows=Dialect.SH)
        if name == "yarn" and (version >= 2 or self._reads(".yarnrc.yml")):
            shell = _Shell(windows=Dialect.SH, around=False)
        for key, value in self._npmrc() if name in ("npm", "pnpm") else ():
            if key == "script-shell":
                shell = _said(value, shell)
            elif key == "shell-emulator" and value == "true" and name == "pnpm":
                shell = replace(shell, windows=Dialect.SH)
            elif key == "enable-pre-post-scripts" and value == "false" and name == "pnpm":
                shell = replace(shell, around=False)
        if self.called is not None and self.called.line.shell:
            shell = _said(self.called.line.shell, shell)
        return shell

    def _reads(self, name: str) -> bool:
        return self._file("", name) is not None or self._file(self.folder, name) is not None

    def _file(self, folder: str, name: str) -> SourceText | None:
        path = posixpath.join(folder, name)
        self.looked_at.append(path)
        return self.setting.files.read(path)

    def _npmrc(self) -> Iterator[tuple[str, str]]:
        for folder in dict.fromkeys(("", self.folder)):
            found = self._file(folder, ".npmrc")
            for key, value in _NPMRC.findall(found.text) if found is not None else ():
                yield key, value.strip("\"'")

    # -- a script

    def _script(self, entry: Entry, words: Sequence[Traced], shell: _Shell) -> Iterator[Script]:
        text = text_of(entry.value)
        if not text.text.strip():
            return
        asked = frozenset(self.setting.platforms)
        for dialect, platforms in ((shell.posix, asked - _WINDOWS), (shell.windows, asked & _WINDOWS)):
            if not platforms:
                continue
            ready = join([text, literal(" "), _handed(words, dialect)]) if words else text
            same = shell.posix is shell.windows
            yield Script(
                Place(NAME, task=entry.name),
                dialect,
                ready,
                env=self._environment(entry, text.text),
                knows_arguments=True,
                platforms=None if same or platforms == asked else platforms,
                directory=self.folder,
                outside=tuple(_SETS),
                unit=entry.name,
                language="the script shell" if dialect is Dialect.UNREAD else "",
            )
            if same:
                return

    def _environment(self, entry: Entry, text: str) -> tuple[Variable, ...]:
        found: dict[str, Traced] = dict(self.called.env) if self.called is not None else {}
        for name, value in self.called.line.config if self.called is not None else ():
            found[f"npm_config_{name}"] = value or literal("true")
        if "npm_lifecycle_event" in text:
            found["npm_lifecycle_event"] = literal(entry.name)
        for name in dict.fromkeys(_USED.findall(text)):
            said = self._of_package(name)
            if said is not None:
                found[f"npm_package_{name}"] = said
        if "INIT_CWD" in text:
            known = Hole("$INIT_CWD", "where the manager is started", shape=Shape.PATH, name="INIT_CWD")
            found["INIT_CWD"] = hole(known)
        return tuple(Variable(name, value) for name, value in found.items())

    def _of_package(self, name: str) -> Traced | None:
        """A field of the package as a variable: `config_port` is `config.port`."""
        node: Node | None = self.root
        rest = name
        while isinstance(node, Table) and rest:
            match = next((e for e in node.entries if rest == e.name or rest.startswith(f"{e.name}_")), None)
            if match is None:
                return None
            node, rest = match.value, rest[len(match.name) + 1 :]
        if not isinstance(node, Scalar) or name.partition("_")[0] not in (
            "name",
            "version",
            "config",
            "engines",
            "bin",
        ):
            return None
        return node.text


def _said(value: str, shell: _Shell) -> _Shell:
    """The shell that a configuration names."""
    name = program(value).lower()
    dialect = Dialect.CMD if name == "cmd" else SHELLS.get(name, Dialect.UNREAD)
    return replace(shell, posix=dialect, windows=dialect)


def _handed(words: Sequence[Traced], dialect: Dialect) -> Traced:
    if dialect is not Dialect.CMD:
        return quoted(list(words))
    parts = [join([literal('"'), w, literal('"')]) if not w.text or " " in w.text else w for w in words]
    return join([part for word in parts for part in (literal(" "), word)][1:])
