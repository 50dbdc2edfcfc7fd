"""The tasks of a `Makefile.toml`: commands without a shell, scripts, and what runs before them.

Follows https://sagiegurari.github.io/cargo-make/ ("Commands, Script and Sub Tasks", "Extending External Makefiles",
"Ignoring Errors", "Platform Override", "Environment Variables", "Conditions"). A `command` is no shell: cargo-make
expands `${NAME}` in its words. A `script` goes to `sh`, on Windows to cmd.exe, and ends at the first error.
"""

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from flagguard.command import Dialect, Reading, Script, Word
from flagguard.hosts import Setting
from flagguard.hosts.cargo_make import NAME
from flagguard.hosts.shells import SHELLS, options, program
from flagguard.hosts.shellscript import interpreter
from flagguard.hosts.task_tables import TasksByPlatform, filled, is_string, is_true, on_system, texts, toml, unknown
from flagguard.hosts.tree import Entry, Items, Kind, Node, Scalar, Table, text_of
from flagguard.paths import resolved
from flagguard.patterns import expression
from flagguard.text import Decider, Hole, Shape, SourceText, Span, Traced, hole, join, literal
from flagguard.values import dataclass, replace

_VARIABLE = expression(r"\$\{([A-Za-z_]\w*)\}")
_FUNCTION = expression(r"@@[\w-]+\([^()]*\)")
_SYSTEMS = {"linux": "linux", "macos": "mac", "windows": "windows"}
_OF_CARGO = frozenset(
    "build build-release build-verbose test test-verbose check clean bench docs package publish".split()
)
"""Tasks that cargo-make has itself, whose `command` is cargo (https://github.com/sagiegurari/cargo-make/tree/master/src/lib/descriptor/makefiles)."""
_MOST_FILES = 12


@dataclass(frozen=True)
class Called:
    """How a task is called."""

    task: str
    words: tuple[Traced, ...]
    env: Mapping[str, Traced]
    directory: str
    profile: str = ""


def read(source: SourceText, setting: Setting, called: Called | None = None) -> Reading:
    """The tasks of a file; ``called``: one, with those that it waits for."""
    reader = _Reader(source, setting, called)
    for platform in setting.platforms:
        reader.beginning(platform)
        if called is not None:
            reader.run(called.task, platform, called.words, (), whole=True)
            continue
        for name, (path, _) in reader.tasks.items():
            if path == source.path:
                reader.run(name, platform, None, (), whole=False)
    return reader.reading()


def knows(source: SourceText, setting: Setting, name: str) -> bool:
    return name in _Reader(source, setting, None).tasks


class _Reader(TasksByPlatform):
    def __init__(self, source: SourceText, setting: Setting, called: Called | None) -> None:
        super().__init__(NAME, source, setting, called.env if called is not None else None)
        self.called = called
        self.here: str | None = called.directory if called is not None else self.folder
        """Where cargo-make is started."""
        self.tasks: dict[str, tuple[str, Table]] = {}
        """Each with the file that says it."""
        self.environments: list[tuple[str, Node]] = []
        self.scripts: list[Traced] = []
        """Those of the whole file, which may set variables."""
        self._ran: set[object] = set()
        self._load(source, set())

    def _load(self, source: SourceText, seen: set[str]) -> None:
        """The file, on top of those that it extends."""
        document = toml(source)
        if source.path == self.source.path or document.root is not None:
            self.told.update(dict.fromkeys(document.problems))
        root = document.root
        if not isinstance(root, Table) or len(seen) > _MOST_FILES:
            return
        seen.add(source.path)
        extends = root.get("extend")
        for node in extends.items if isinstance(extends, Items) else (extends,) if extends is not None else ():
            said = text_of(node.get("path") if isinstance(node, Table) else node)
            path = resolved(said, posixpath.dirname(source.path))
            if path in seen or path is None:
                continue
            self.looked_at.append(path)
            other = self.setting.files.read(path)
            if other is not None:
                self._load(other, seen)
            elif not (isinstance(node, Table) and is_true(node.get("optional"))):
                self.tell(node, "is not in the tree, so its tasks are not read", "extend", fatal=False)
        self.scripts += [text for text in texts(root.get("env_scripts")) if text.text.strip()]
        env = root.get("env")
        if env is not None:
            self.environments.append((source.path, env))
        for name, node in self.entries(root.get("tasks"), "tasks"):
            if not isinstance(node, Table):
                self.wrong(node, "a table", f"tasks.{name}")
                continue
            below = self.tasks.get(name)
            if below is not None and not is_true(node.get("clear")):
                self.tasks[name] = (source.path, _over(below[1], node))
            else:
                self.tasks[name] = (source.path, node)

    # -- the environment

    def beginning(self, platform: str) -> None:
        """`env_scripts`, which run before any task ("Environment Variables", "Env File")."""
        script = replace(self.script("env_scripts", self.environment(platform), directory=self.here), unit=NAME)
        for text in self.scripts:
            self._text(replace(script, platforms=frozenset({platform})), text, "env_scripts", platform, ())

    def environment(self, platform: str) -> dict[str, Traced]:
        env = dict(self.given)
        for path, node in self.environments:
            own = (
                [e for e in node.entries if not isinstance(e.value, Table) or not _is_profile(e.value)]
                if isinstance(node, Table)
                else []
            )
            self._into(env, Table(node.span, tuple(own)), "env", platform, posixpath.dirname(path))
            profile = self.called.profile if self.called is not None else ""
            more = node.get(profile or "development") if isinstance(node, Table) else None
            if isinstance(more, Table) and _is_profile(more):
                self._into(env, more, f"env.{profile}", platform, posixpath.dirname(path))
        return env

    def _into(self, env: dict[str, Traced], table: Node, key: str, platform: str, folder: str) -> None:
        for name, node in self.entries(table, key):
            if not isinstance(node, Table):
                if isinstance(node, Items):
                    env[name] = join([p for i, t in enumerate(texts(node)) for p in ((literal(";"), t) if i else (t,))])
                elif isinstance(node, Scalar) and node.kind is not Kind.NULL:
                    env[name] = self._expanded(node.text, env)
                continue
            if is_true(node.get("unset")):
                env.pop(name, None)
                continue
            condition = node.get("condition")
            if isinstance(condition, Table) and not self._fits(condition, platform):
                continue
            value = node.get("value")
            script = node.get("script")
            if isinstance(value, Scalar):
                env[name] = self._expanded(value.text, env)
            elif script is not None:
                lines = texts(script)
                shown = lines[0].shown if lines else name
                env[name] = hole(Hole(shown, "the output of a command", Decider.REPOSITORY, name=name), (node.span,))
                self._text(self.script("env", env, directory=self.here), _lines(lines), "env", platform, ())
            elif node.get("source") is not None or node.get("default_value") is not None:
                default = node.get("default_value")
                env[name] = (
                    default.text
                    if isinstance(default, Scalar)
                    else unknown(text_of(node.get("source")), "a mapping says it", name)
                )

    def _expanded(self, text: Traced, env: Mapping[str, Traced]) -> Traced:
        def value(written: Traced) -> Traced:
            name = written.text[2:-1]
            if name in env:
                return env[name].through(written.route)
            if name in self.setting.assume:
                return literal(self.setting.assume[name]).grounded(written.route)
            if name in ("CARGO_MAKE_WORKING_DIRECTORY", "CARGO_MAKE_WORKSPACE_WORKING_DIRECTORY"):
                return hole(Hole(written.shown, "where the tree is", shape=Shape.PATH, path=self.folder), written.route)
            return unknown(written, "the caller's environment says it, or nobody", name)

        return filled(text, _VARIABLE, value)

    def _fits(self, condition: Table, platform: str) -> bool:
        """Whether a condition may hold on the platform; what else it asks of nobody knows."""
        platforms = condition.get("platforms")
        if isinstance(platforms, Items):
            return any(platform in on_system(t.text) for t in texts(platforms))
        return True

    # -- tasks

    def run(
        self, name: str, platform: str, words: tuple[Traced, ...] | None, via: tuple[Span, ...], whole: bool
    ) -> None:
        found = self.tasks.get(name)
        if found is None or (name, platform, whole) in self._ran or not self.entering((name, platform)):
            return
        self._ran.add((name, platform, whole))
        self._run(name, found[0], self._of(found[1], platform), platform, words, via, whole)
        self.left()

    def _of(self, table: Table, platform: str) -> Table:
        """The task as it is on a platform, on top of the one that it extends."""
        base = text_of(table.get("extend")).text
        if base in self.tasks and self.entering(("extend", base)):
            table = _over(self._of(self.tasks[base][1], platform), table)
            self.left()
        system = _SYSTEMS.get(platform.partition("-")[0], "")
        own = table.get(system)
        if isinstance(own, Table):
            rest = Table(table.span, tuple(e for e in table.entries if e.name not in _SYSTEMS.values()))
            return Table(own.span, own.entries) if is_true(own.get("clear")) else _over(rest, own)
        return table

    def _run(
        self,
        name: str,
        path: str,
        table: Table,
        platform: str,
        words: tuple[Traced, ...] | None,
        via: tuple[Span, ...],
        whole: bool,
    ) -> None:
        key = f"tasks.{name}"
        system = _SYSTEMS.get(platform.partition("-")[0], "")
        condition = table.get("condition")
        if is_true(table.get("disabled")) or (isinstance(condition, Table) and not self._fits(condition, platform)):
            return
        alias = text_of(table.get(f"{system}_alias")) or text_of(table.get("alias"))
        if alias.text:
            if whole:
                self.run(alias.text, platform, words, (*via, *alias.route[-1:]), whole)
            return
        if whole:
            for one in _named(table.get("dependencies")):
                self.run(one.text, platform, words, (*via, *one.route[-1:]), whole)
        env = self.environment(platform)
        files = table.get("env_files")
        for file in texts(files):
            env.update(self.from_file(file, self.here, env))
        if table.get("env") is not None:
            self._into(env, table.get("env") or table, f"{key}.env", platform, posixpath.dirname(path))
        folder = self.here
        if table.get("cwd") is not None:
            folder = resolved(self._expanded(text_of(table.get("cwd")), env), self.here)
        ignored = is_true(table.get("ignore_errors")) or is_true(table.get("force"))
        when = _when(condition, table)
        script = self.script(name, env, directory=folder, via=via, when=when, ignored=ignored)
        script = replace(script, platforms=frozenset({platform}))
        condition_script = table.get("condition_script")
        if condition_script is not None:
            self._text(replace(script, ignored=True, when=()), _lines(texts(condition_script)), key, platform, ())
        installs = table.get("install_script")
        if installs is not None:
            self._text(script, _lines(texts(installs)), key, platform, ())
        self._content(table, script, env, key, platform, words)
        runs = table.get("run_task")
        if runs is not None and whole:
            for one in _named(runs):
                self.run(one.text, platform, words, (*via, *one.route[-1:]), whole)

    def _content(
        self,
        table: Table,
        script: Script,
        env: Mapping[str, Traced],
        key: str,
        platform: str,
        words: tuple[Traced, ...] | None,
    ) -> None:
        name = key.removeprefix("tasks.")
        command, args, content = table.get("command"), table.get("args"), table.get("script")
        if content is not None:
            runner = text_of(table.get("script_runner")).text
            if isinstance(content, Table) and content.get("file") is not None:
                self.tell(
                    content, "a script in a file of its own is read where it stands", f"{key}.script", fatal=False
                )
                return
            parts = [content.get(k) for k in ("pre", "main", "post")] if isinstance(content, Table) else [content]
            lines = [t for part in parts for t in texts(part)]
            if not lines and not isinstance(content, Items | Table):
                self.wrong(content, "a string or a list", f"{key}.script")
            self._text(script, _lines(lines), key, platform, words or (), runner, words is not None)
            return
        if command is None and not (isinstance(args, Items) and name in _OF_CARGO):
            return
        if command is not None and not is_string(command):
            self.wrong(command, "a string", f"{key}.command")
            return
        first = (
            self._expanded(text_of(command), env)
            if command is not None
            else literal("cargo").grounded((args.span,) if args is not None else ())
        )
        argv = [
            Word(first.pieces, text_of(command).route[-1] if command is not None and text_of(command).route else None)
        ]
        if args is not None and not isinstance(args, Items):
            self.wrong(args, "a list", f"{key}.args")
        for text in texts(args) if isinstance(args, Items) else ():
            argv += self._argument(text, env, words)
        toolchain = table.get("toolchain")
        named = text_of(toolchain.get("channel") if isinstance(toolchain, Table) else toolchain)
        if named.text:
            argv = [
                *(Word(literal(w).grounded(named.route).pieces) for w in ("rustup", "run")),
                Word(named.pieces),
                *argv,
            ]
        self.put(replace(script, dialect=Dialect.ARGV, argv=tuple(argv)))

    def _argument(self, text: Traced, env: Mapping[str, Traced], words: tuple[Traced, ...] | None) -> Iterator[Word]:
        raw = text.text
        if raw == "${@}":
            if words is None:
                several = Hole("${@}", "the caller gives them", several=True)
                yield Word(hole(several, text.route).pieces)
            yield from (Word(w.pieces) for w in words or ())
            return
        if _FUNCTION.fullmatch(raw):
            gap = Hole(raw, "a function of cargo-make's that is not worked out here", Decider.OUTSIDE, several=True)
            yield Word(hole(gap, text.route).pieces)
            return
        yield Word(self._expanded(text, env).pieces, text.route[-1] if text.route else None)

    def _text(
        self,
        script: Script,
        text: Traced,
        key: str,
        platform: str,
        words: Sequence[Traced],
        runner: str = "",
        known: bool = False,
    ) -> None:
        if not text.text.strip():
            return
        first = text.text.lstrip().split("\n", 1)[0]
        windows = platform.startswith("windows")
        if not runner and first.startswith("#!"):
            runner, given = interpreter(first)
            errexit, pipefail = options(given)
        else:
            errexit, pipefail = True, False
        if runner == "@shell":
            runner, windows = "sh", False  # translated for cmd.exe
        name = program(runner.split()[0]) if runner.strip() else "cmd" if windows else "sh"
        dialect = Dialect.CMD if name == "cmd" else SHELLS.get(name, Dialect.UNREAD)
        ready = replace(script, text=text, dialect=dialect, language=name if dialect is Dialect.UNREAD else "")
        arguments = tuple(Word(w.pieces) for w in words)
        self.put(replace(ready, errexit=errexit, pipefail=pipefail, arguments=arguments, knows_arguments=known))
        if dialect is Dialect.UNREAD:
            self.tell(text, f"{name} is not read, so its commands are not judged", f"{key}.script", fatal=False)


def _over(below: Table, table: Table) -> Table:
    """A table on top of another: its keys win; what runs replaces what ran."""
    names = {e.name for e in table.entries}
    runs = {"command", "script", "run_task"}
    gone = runs if names & runs else set()
    kept: list[Entry] = []
    for entry in below.entries:
        if entry.name == "env" and isinstance(entry.value, Table) and isinstance(own := table.get("env"), Table):
            kept.append(Entry("env", entry.key, _over(entry.value, own)))
        elif entry.name not in names and entry.name not in gone:
            kept.append(entry)
    taken = {e.name for e in kept}
    return Table(table.span, (*kept, *(e for e in table.entries if e.name not in taken)))


def _is_profile(table: Table) -> bool:
    """Whether a table in `env` is a profile's variables, and no variable."""
    return not {e.name for e in table.entries} & {
        "value",
        "script",
        "unset",
        "source",
        "default_value",
        "path",
        "decode",
    }


def _named(node: Node | None) -> Iterator[Traced]:
    """The tasks that a value names: a string, a list, tables with a `name`."""
    for item in node.items if isinstance(node, Items) else (node,) if node is not None else ():
        yield from texts(item.get("name")) if isinstance(item, Table) else texts(item)


def _lines(lines: Sequence[Traced]) -> Traced:
    return join([part for i, line in enumerate(lines) for part in ((literal("\n"), line) if i else (line,))])


def _when(condition: Node | None, table: Table) -> tuple[str, ...]:
    asked = [e.name for e in condition.entries if e.name != "platforms"] if isinstance(condition, Table) else []
    asked += ["condition_script"] if table.get("condition_script") is not None else []
    return (f"the condition on {' and '.join(asked)} holds",) if asked else ()
