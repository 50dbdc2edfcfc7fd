"""mise's tasks, as scripts: templates, environment, arguments, and what a task waits for.

Follows https://mise.jdx.dev/tasks/toml-tasks.html, https://mise.jdx.dev/tasks/task-configuration.html,
https://mise.jdx.dev/environments/ and https://mise.jdx.dev/templates.html, as of 2026.9. A text goes to
`sh -c -o errexit`, on Windows to cmd.exe; one that begins with `#!` is a file of its own.
"""

import posixpath
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from flagguard.command import Dialect, Reading, Script, Word
from flagguard.hosts import Setting, mise_usage
from flagguard.hosts.mise import FOLDERS, NAME, CommandLine, home
from flagguard.hosts.shells import SHELLS, options, program
from flagguard.hosts.shellscript import interpreter
from flagguard.hosts.task_tables import (
    TasksByPlatform,
    behind,
    filled,
    is_string,
    pieces,
    plain,
    shell_words,
    texts,
    toml,
    unknown,
)
from flagguard.hosts.tree import Items, Kind, Node, Scalar, Table, text_of
from flagguard.paths import inside, resolved
from flagguard.patterns import expression
from flagguard.text import Decider, Hole, Shape, SourceText, Span, Traced, hole, join, literal
from flagguard.values import dataclass, replace

_TAG = expression(r"\{\{-?\s*(.*?)\s*-?\}\}")
_HEADER = expression(r"(?m)^(?:#|//|::)[ ]?(?:MISE|\[MISE\])[ \t]+(.+)$")
_USAGE = expression(r"(?m)^(?:#|//|::)[ ]?(?:USAGE|\[USAGE\])[ \t]+.+$")
_NAME = expression(r"[\w.]+")
_STRING = expression(r"\"([^\"]*)\"|'([^']*)'")
_GET_ENV = expression(r"get_env\(name=[\"'](\w+)[\"'](?:,\s*default=[\"']([^\"']*)[\"'])?\)")


def read(source: SourceText, setting: Setting) -> Reading:
    """The tasks of a configuration, each as it stands."""
    reader = _Reader([source], setting, None, home(source.path))
    for name in (*reader.own, *reader.by_file):  # a file's environment is the configuration's too
        for platform in setting.platforms:
            reader.run(name, _Run(platform), whole=False)
    for platform in setting.platforms:
        reader.hooks(platform)
    return reader.reading()


def knows(sources: Sequence[SourceText], folder: str, setting: Setting, names: Sequence[str]) -> bool:
    """Whether one of the names is a task's."""
    reader = _Reader(sources, setting, {}, folder)
    return any(list(reader.meant(name)) for name in names)


def call(
    sources: Sequence[SourceText],
    setting: Setting,
    line: CommandLine,
    env: Mapping[str, Traced],
    directory: str | None,
) -> Reading:
    """What a command line runs."""
    reader = _Reader(sources, setting, env, directory or "")
    for platform in setting.platforms:
        for name, words in line.tasks:
            for one in reader.meant(name):
                reader.run(one, _Run(platform, words), whole=True)
        script = replace(reader.script("exec", reader.environment(platform), directory=directory), unit=NAME)
        script = replace(script, platforms=frozenset({platform}))
        if line.text is not None:
            reader.put(replace(script, text=line.text, dialect=Dialect.SH))
        elif line.program:
            reader.put(replace(script, argv=line.program, dialect=Dialect.ARGV))
    return reader.reading()


@dataclass(frozen=True)
class _Run:
    """How a task is run."""

    platform: str
    words: tuple[Traced, ...] | None = None
    """None: nobody knows."""
    env: tuple[tuple[str, Traced], ...] = ()
    via: tuple[Span, ...] = ()


class _Reader(TasksByPlatform):
    def __init__(
        self, sources: Sequence[SourceText], setting: Setting, env: Mapping[str, Traced] | None, folder: str
    ) -> None:
        super().__init__(NAME, sources[0] if sources else SourceText("", ""), setting, env)
        self.own: dict[str, Node] = {}
        self.roots: dict[str, str] = {}
        """The folder of each task's configuration."""
        self.aliases: dict[str, str] = {}
        self.tops: list[tuple[SourceText, Table]] = []
        self.by_file: dict[str, SourceText] = {}
        self._ran: set[object] = set()
        self._worked: dict[str, Traced] = {}
        """The variables of the template that is being worked out."""
        for source in sources:
            document = toml(source)
            self.told.update(dict.fromkeys(document.problems))
            if isinstance(document.root, Table):
                self.tops.append((source, document.root))
                for name, node in self.entries(document.root.get("tasks"), "tasks"):
                    self.own.setdefault(name, node)
                    self.roots.setdefault(name, home(source.path))
                    for alias in texts(node.get("alias") or node.get("aliases")) if isinstance(node, Table) else ():
                        self.aliases.setdefault(alias.text, name)
        self._files(folder, upwards=env is not None)

    def _files(self, folder: str, upwards: bool) -> None:
        """The tasks that are files, in a folder; ``upwards``: and in those above it."""
        here: str | None = folder
        while here is not None:
            for name in FOLDERS:
                there = posixpath.join(here, name) + "/"
                for path in self.setting.files.paths():
                    if path.startswith(there):
                        task = posixpath.splitext(path[len(there) :])[0].replace("/", ":")
                        source = self.setting.files.read(path)
                        if source is not None and task not in self.own:
                            self.by_file.setdefault(task, source)
                            self.roots.setdefault(task, here)
            here = posixpath.dirname(here) if here and upwards else None

    def meant(self, name: str) -> Iterator[str]:
        """The tasks that a name or a pattern means."""
        name = self.aliases.get(name, name)
        names = list(dict.fromkeys((*self.own, *self.by_file)))
        if name in names:
            yield name
        elif "*" in name:
            yield from (one for one in names if fnmatchcase(one, name))
        elif f"{name}:default" in names or f"{name}:_default" in names:
            yield from (one for one in (f"{name}:default", f"{name}:_default") if one in names)

    # -- values

    def environment(self, platform: str) -> dict[str, Traced]:
        """What the configurations set, over what the caller does."""
        env = dict(self.given)
        for source, top in reversed(self.tops):
            tables = top.get("env")
            for table in tables.items if isinstance(tables, Items) else (tables,) if tables is not None else ():
                self._into(env, table, "env", home(source.path), platform, {})
        return env

    def _into(
        self, env: dict[str, Traced], table: Node, key: str, folder: str, platform: str, usage: Mapping[str, Traced]
    ) -> None:
        for name, node in self.entries(table, key):
            if name == "_":
                self._directives(env, node, f"{key}._", folder)
                continue
            value = (
                node.get(
                    "value",
                )
                if isinstance(node, Table)
                else node
            )
            default = node.get("default") if isinstance(node, Table) else None
            if default is not None and name not in env and is_string(default):
                env[name] = self._filled(text_of(default), env, folder, platform, usage).overridable()
            elif isinstance(value, Scalar) and value.kind is Kind.BOOLEAN and value.value is False:
                env.pop(name, None)
            elif isinstance(value, Scalar):
                env[name] = self._filled(value.text, env, folder, platform, usage)
            elif not isinstance(node, Table):
                self.wrong(node, "a string", f"{key}.{name}")

    def _directives(self, env: dict[str, Traced], node: Node, key: str, folder: str) -> None:
        for name, value in self.entries(node, key):
            if name not in ("file", "source"):
                continue
            entries = value.items if isinstance(value, Items) else (value,)
            for entry in entries:
                said = text_of(entry.get("path") if isinstance(entry, Table) else entry)
                if name == "file":
                    env.update(self.from_file(self._filled(said, env, folder, "", {}), folder, env))
                elif said.text:
                    self.tell(entry, "a script that sets variables is not followed here", f"{key}.source", fatal=False)

    def _filled(
        self, text: Traced, env: Mapping[str, Traced], folder: str, platform: str, usage: Mapping[str, Traced]
    ) -> Traced:
        """The text with its templates worked out; what is not known is a hole."""
        if "{{" not in text.text or "}}" not in text.text:
            return text
        outermost = not self._worked
        try:
            return filled(text, _TAG, lambda tag: self._tag(tag, env, folder, platform, usage))
        finally:
            if outermost:
                self._worked.clear()

    def _tag(
        self, tag: Traced, env: Mapping[str, Traced], folder: str, platform: str, usage: Mapping[str, Traced]
    ) -> Traced:
        said = tag.text[2:-2].strip().strip("-").strip()
        route = tag.route
        place = {"config_root": folder, "cwd": folder}.get(said)
        if place is not None:
            return hole(Hole(tag.shown, "where the tree is", shape=Shape.PATH, path=place), route)
        if (known := mise_usage.of_platform(said, platform)) is not None:
            return literal(known).grounded(route)
        function = mise_usage.FUNCTION.fullmatch(said)
        if function is not None:
            found = mise_usage.in_text(tag)
            return usage.get(found[0].name, Traced()).through(route) if found else Traced()
        got = _GET_ENV.fullmatch(said)
        if got is not None or said.startswith("env."):
            name = got[1] if got is not None else said[4:]
            found_value = env.get(name)
            if found_value is None and name in self.setting.assume:
                found_value = literal(self.setting.assume[name])
            if found_value is not None:
                return found_value.through(route)
            if got is not None and got[2] is not None:
                return literal(got[2]).grounded(route).overridable()
            return hole(Hole(tag.shown, "the caller's environment says it", name=name), route)
        if said.startswith("usage.") and _NAME.fullmatch(said):
            return usage.get(said[6:], Traced()).through(route)
        if said.startswith("vars.") and _NAME.fullmatch(said):
            for source, top in self.tops:
                table = top.get("vars")
                value = table.get(said[5:]) if isinstance(table, Table) else None
                if isinstance(value, Scalar):
                    if said not in self._worked:
                        self._worked[said] = unknown(tag, "it names itself", decider=Decider.REPOSITORY)
                        self._worked[said] = self._filled(value.text, env, home(source.path), platform, usage)
                    return self._worked[said].through(route)
        string = _STRING.fullmatch(said)
        if string is not None:
            at = tag.text.index(said)
            return tag.cut(at + 1, at + len(said) - 1)
        if mise_usage.SIMPLE.fullmatch(said):
            worked = mise_usage.worked_out(tag, self._names(env, folder, platform, usage))
            if worked is not None:
                return worked.through(route)
        return hole(Hole(tag.shown, "a template that is not worked out here", Decider.REPOSITORY), route)

    def _names(
        self, env: Mapping[str, Traced], folder: str, platform: str, usage: Mapping[str, Traced]
    ) -> dict[str, Mapping[str, Traced]]:
        """What expressions and blocks may name."""
        tables = [table for _, top in self.tops if isinstance(table := top.get("vars"), Table)]
        names = dict.fromkeys(e.name for table in tables for e in table.entries)
        found = {
            name: self._tag(literal(f"{{{{vars.{name}}}}}"), env, folder, platform, usage)
            for name in names
            if _NAME.fullmatch(f"vars.{name}")
        }
        return {"env": dict(env), "usage": dict(usage), "vars": found}

    # -- tasks

    def hooks(self, platform: str) -> None:
        """What mise runs besides tasks: `[hooks]`, behind the installation of a tool, where a watched file changes
        (https://mise.jdx.dev/hooks.html), and `[prepare]`, with its newer name `[deps]` (…/dev-tools/prepare.html)."""
        for source, top in self.tops:
            hooks, tools = top.get("hooks"), top.get("tools")
            found = [(f"hooks.{name}", node) for name, node in self.entries(hooks, "hooks")]
            watched = top.get("watch_files")
            found += [("watch_files", one) for one in (watched.items if isinstance(watched, Items) else ())]
            for kind in ("prepare", "deps"):
                found += [(f"{kind}.{n}", v) for n, v in self.entries(top.get(kind), kind) if isinstance(v, Table)]
            for name, node in self.entries(tools, "tools"):
                for one in node.items if isinstance(node, Items) else (node,):
                    after = one.get("postinstall") if isinstance(one, Table) else None
                    found += [(f"tools.{name}.postinstall", after)] if after is not None else []
            for key, node in found:
                for said in node.items if isinstance(node, Items) else (node,):
                    table = said if isinstance(said, Table) else None
                    content = (table.get("script") or table.get("run")) if table is not None else said
                    if is_string(content) and (table is None or table.get("shell") is None):
                        self._hook(key, text_of(content), table, home(source.path), platform)

    def _hook(self, key: str, said: Traced, table: Table | None, root: str, platform: str) -> None:
        env = self.environment(platform)
        if table is not None and table.get("env") is not None:
            env = {**env, **self.variables(table.get("env"), f"{key}.env")}
        folder = (
            resolved(text_of(table.get("dir")), root) if table is not None and table.get("dir") is not None else root
        )
        script = self.script(key, env, directory=folder)
        text = self._filled(said, env, root, platform, {})
        dialect = Dialect.CMD if platform.startswith("windows") else Dialect.SH
        self.put(replace(script, text=text, dialect=dialect, platforms=frozenset({platform})))

    def run(self, name: str, how: _Run, whole: bool) -> None:
        """A task; ``whole``: with the tasks that it waits for, which else are read by themselves."""
        same = (name, how.platform, None if how.words is None else pieces(how.words), pieces(v for _, v in how.env))
        if same in self._ran or not self.entering((name, how.platform)):
            return
        self._ran.add(same)
        if name in self.own:
            self._run(name, self.own[name], how, whole)
        elif name in self.by_file:
            self._file(name, self.by_file[name], how, whole)
        self.left()

    def _run(self, name: str, node: Node, how: _Run, whole: bool) -> None:
        key = f"tasks.{name}"
        table = node if isinstance(node, Table) else Table(node.span)
        root = self.roots.get(name, self.folder)
        content = node if table is not node else table.get("run")
        if how.platform.startswith("windows") and table.get("run_windows") is not None:
            content = table.get("run_windows")
        lines = list(content.items) if isinstance(content, Items) else [content] if content is not None else []
        asked = mise_usage.declared(text_of(table.get("usage")))
        for line in lines:
            asked += [a for a in mise_usage.in_text(text_of(line)) if a.name not in {b.name for b in asked}]
        usage = mise_usage.values(asked, how.words)
        env = self.environment(how.platform)
        if table.get("env") is not None:
            self._into(env, table.get("env") or table, f"{key}.env", root, how.platform, usage)
        env.update(how.env)
        env.update(mise_usage.as_variables(usage) if table.get("usage") is not None else {})
        for kind in ("depends", "depends_post"):
            self._waits(table.get(kind), f"{key}.{kind}", env, root, how, usage, whole)
        folder: str | None = root
        if table.get("dir") is not None:
            folder = resolved(self._filled(text_of(table.get("dir")), env, root, how.platform, usage), root)
        script = self.script(name, env, directory=folder, via=how.via, platforms=frozenset({how.platform}))
        words = () if asked else (how.words or ())
        file = text_of(table.get("file"))
        if file.text:
            self._program(self._filled(file, env, root, how.platform, usage), root, words, script)
        last = max((i for i, line in enumerate(lines) if is_string(line)), default=-1)
        for index, line in enumerate(lines):
            if isinstance(line, Table):
                self._waits(line.get("task") and line, f"{key}.run", env, root, how, usage, whole)
                self._waits(line.get("tasks"), f"{key}.run", env, root, how, usage, whole)
            elif is_string(line):
                self._text(text_of(line), words if index == last else (), script, table, key, env, root, usage)
            else:
                self.wrong(line, "a string, a list, or a table that names a task", f"{key}.run")
        if content is not None and not lines and not isinstance(content, Items):
            self.wrong(content, "a string or a list", f"{key}.run")

    def _text(
        self,
        written: Traced,
        words: Sequence[Traced],
        script: Script,
        table: Table,
        key: str,
        env: Mapping[str, Traced],
        root: str,
        usage: Mapping[str, Traced],
    ) -> None:
        (platform,) = script.platforms or ("",)
        for text, when in self._rendered(written, key, env, root, platform, usage):
            ready = replace(script, when=when)
            if not text.text.strip():
                continue
            first = text.text.lstrip().split("\n", 1)[0]
            if first.startswith("#!"):
                shell, given = interpreter(first)
                dialect = SHELLS.get(shell, Dialect.UNREAD)
                errexit, pipefail = options(given)
                ready = replace(ready, errexit=errexit, pipefail=pipefail, knows_arguments=True)
                ready = replace(ready, arguments=tuple(Word(w.pieces) for w in words), text=text, dialect=dialect)
                self.put(replace(ready, language=shell if dialect is Dialect.UNREAD else ""))
                continue
            said = text_of(table.get("shell")).text.split() or self._shell(platform)
            dialect = Dialect.CMD if program(said[0]) == "cmd" else SHELLS.get(program(said[0]), Dialect.UNREAD)
            errexit, pipefail = options(w for w in said[1:] if w != "-c")
            ready = replace(ready, text=behind(text, words), dialect=dialect, errexit=errexit, pipefail=pipefail)
            self.put(replace(ready, language=program(said[0]) if dialect is Dialect.UNREAD else ""))

    def _shell(self, platform: str) -> list[str]:
        """What runs a line: the settings' `unix_default_inline_shell_args` and their like."""
        windows = platform.startswith("windows")
        key = f"{'windows' if windows else 'unix'}_default_inline_shell_args"
        for _, top in self.tops:
            settings = top.get("settings")
            said = settings.get(key) if isinstance(settings, Table) else None
            if said is not None:
                return [word for text in texts(said) for word in text.text.split()]
        return ["cmd", "/c"] if windows else ["sh", "-c", "-o", "errexit"]

    def _rendered(
        self,
        text: Traced,
        key: str,
        env: Mapping[str, Traced],
        root: str,
        platform: str,
        usage: Mapping[str, Traced],
    ) -> Iterator[tuple[Traced, tuple[str, ...]]]:
        """What a text comes to; each arm of a condition that nobody can decide."""
        ready = self._filled(text, env, root, platform, usage)
        if "{%" not in ready.text and "{#" not in ready.text:
            yield ready, ()
            return
        from flagguard.hosts.minijinja import renderings  # few write loops and conditions
        from flagguard.hosts.minijinja_expressions import TemplateError

        try:
            for one in renderings(ready, self._names(env, root, platform, usage)):
                yield one.text, one.when
        except TemplateError as error:
            self.tell(text, f"this template is not read, so what it runs is not judged: {error.message}", f"{key}.run")

    def _program(self, file: Traced, root: str, words: Sequence[Traced], script: Script) -> None:
        """A task that is a file: the command that starts it."""
        path = resolved(file, root)
        first = join([literal("./").grounded(file.route), file]) if "/" not in file.text else file
        if path is not None and script.directory is not None:
            first = literal(_relative(path, script.directory)).grounded(file.route)
        self.put(replace(script, dialect=Dialect.ARGV, argv=(Word(first.pieces), *(Word(w.pieces) for w in words))))

    def _file(self, name: str, source: SourceText, how: _Run, whole: bool) -> None:
        """A task in a file of its own, whose first comments say more."""
        said: dict[str, object] = {}
        for match in _HEADER.finditer(source.text):
            try:
                said |= tomllib.loads(match[1])
            except tomllib.TOMLDecodeError:
                line = Span(source.path, match.start(), match.end())
                self.tell(line, "is no TOML, so mise does not read it", f"tasks.{name}", fatal=False)
        root = self.roots[name]
        env = self.environment(how.platform)
        own = said.get("env")
        place = source.traced(0, source.text.find("\n") if "\n" in source.text else len(source.text))
        for key, value in own.items() if isinstance(own, dict) else ():
            env[str(key)] = literal(str(value)).grounded(place.route)
        asked = [a for m in _USAGE.finditer(source.text) for a in mise_usage.declared(source.traced(*m.span()))]
        env.update(mise_usage.as_variables(mise_usage.values(asked, how.words)))
        waits = said.get("depends", ())
        for one in waits if isinstance(waits, list) else [waits] if isinstance(waits, str) else ():
            named = shlex.split(str(one))
            for other in self.meant(named[0]) if named and whole else ():
                passed = tuple(literal(w).grounded(place.route) for w in named[1:])
                self.run(other, _Run(how.platform, passed, via=(*how.via, *place.route)), whole=True)
        folder = inside(root, str(said["dir"])) if isinstance(said.get("dir"), str) else root
        script = self.script(name, {**env, **dict(how.env)}, directory=folder, via=how.via)
        first = literal(_relative(source.path, folder or "")).grounded(place.route)
        given = tuple(Word(w.pieces) for w in (how.words or ()))
        script = replace(script, platforms=frozenset({how.platform}), unit=f"{NAME}:{name}")
        self.put(replace(script, dialect=Dialect.ARGV, argv=(Word(first.pieces), *given)))

    def _waits(
        self,
        node: Node | None,
        key: str,
        env: Mapping[str, Traced],
        root: str,
        how: _Run,
        usage: Mapping[str, Traced],
        whole: bool,
    ) -> None:
        """The tasks that a list names; without ``whole``, those that get something from it."""
        for item in node.items if isinstance(node, Items) else (node,) if node is not None else ():
            text = text_of(item.get("task") if isinstance(item, Table) else item)
            given: tuple[Traced, ...] = ()
            passed: dict[str, Traced] = {}
            ready = self._filled(text, env, root, how.platform, usage)
            try:
                words = shell_words(ready)
            except ValueError as error:
                self.tell(item, f"mise cannot cut this into words: {error}", key)
                continue
            if not words:
                self.tell(item, "has to name a task", key)
                continue
            given = plain(words[1:])
            if isinstance(item, Table):
                args = item.get("args")
                given = (*given, *(self._filled(t, env, root, how.platform, usage) for t in texts(args)))
                self._into(passed, item.get("env") or Table(item.span), f"{key}.env", root, how.platform, usage)
            if not words[0].known or not (whole or given or passed):
                continue
            run = _Run(how.platform, given, tuple(passed.items()), (*how.via, item.span))
            for name in self.meant(words[0].text):
                self.run(name, run, whole)


def _relative(path: str, folder: str) -> str:
    found = posixpath.relpath(path, folder or ".")
    return found if found.startswith(".") else f"./{found}"
