"""pixi's tasks, as scripts of deno_task_shell.

Follows https://pixi.sh/latest/workspace/advanced_tasks/ and https://pixi.sh/latest/reference/environment_variables/
("Environment Variable Priority"). A task is read in the environment that `pixi run` takes for it, on each platform of
the workspace; what it waits for runs before it, with the arguments that it passes.
"""

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence

from flagguard.command import Dialect, Place, Reading, Script, Variable
from flagguard.hosts import Setting
from flagguard.hosts.minijinja import Rendered, renderings
from flagguard.hosts.minijinja_expressions import TemplateError
from flagguard.hosts.minijinja_values import Value
from flagguard.hosts.pixi import NAME, CommandLine
from flagguard.hosts.pixi_activation import Activated, activated
from flagguard.hosts.pixi_manifest import DEFAULT, Environment, Manifest, Platform, platform_of
from flagguard.hosts.pixi_manifest import read as read_manifest
from flagguard.hosts.tree import Entry, Items, Kind, Node, Scalar, Table, text_of
from flagguard.paths import resolved
from flagguard.text import Decider, Hole, Problem, Shape, SourceText, Span, Traced, hole, join, literal
from flagguard.values import dataclass, field, replace

_MOST = 400
"""Tasks that one call may run."""
_QUOTED = frozenset("\t\r\n []")


@dataclass(frozen=True)
class Called:
    """How a task is called."""

    line: CommandLine
    env: Mapping[str, Traced]
    directory: str | None

    @property
    def key(self) -> tuple[object, ...]:
        line = self.line
        values = tuple((n, v.pieces) for n, v in sorted(self.env.items()))
        words = tuple(w.pieces for w in line.words)
        return (line.task, words, line.environment, line.skips, line.clean, values, self.directory)


def read(source: SourceText, setting: Setting, called: Called | None = None) -> Reading:
    """The tasks of a manifest; ``called``: one of them with those that it waits for, as somebody calls it."""
    manifest = read_manifest(source)
    reader = _Reader(manifest, setting, called)
    try:
        reader.run()
    except RecursionError:
        reader.told.setdefault(Problem(source.path, 1, "nested too deeply to be read"))
    return Reading(
        tuple(reader.scripts()),
        problems=tuple(sorted({*manifest.problems, *reader.told})),
        depends=tuple(dict.fromkeys(reader.looked_at)),
    )


@dataclass(frozen=True)
class _Argument:
    name: str
    default: Traced | None
    choices: tuple[Traced, ...]


@dataclass(frozen=True)
class _Given:
    """What a task is started with; ``None`` as a value: nobody knows."""

    positional: tuple[Traced, ...] = ()
    named: Mapping[str, Traced] = field(default_factory=dict)
    extra: tuple[Traced, ...] = ()
    unknown: bool = False
    """Nobody says what: it is started by hand."""

    @property
    def key(self) -> tuple[object, ...]:
        return (
            tuple(t.pieces for t in self.positional),
            tuple((n, t.pieces) for n, t in self.named.items()),
            tuple(t.pieces for t in self.extra),
        )


@dataclass(frozen=True)
class _Where:
    """An environment on a platform."""

    environment: Environment
    platform: Platform


class _Reader:
    def __init__(self, manifest: Manifest, setting: Setting, called: Called | None) -> None:
        self.manifest = manifest
        self.source = manifest.source
        self.setting = setting
        self.called = called
        self.told: dict[Problem, None] = {}
        self.looked_at: list[str] = []
        self.folder = posixpath.dirname(self.source.path)
        self._found: list[tuple[Script, set[str]]] = []
        self._alike: dict[object, list[tuple[Script, set[str]]]] = {}
        self._activated: dict[tuple[str, str], Activated] = {}
        self._tasks: dict[tuple[int, str], dict[str, Entry]] = {}

    def problem(self, span: Span, message: str, key: str, fatal: bool = True) -> None:
        line = self.source.position(span.start)[0]
        self.told.setdefault(Problem(self.source.path, line, f"{key}: {message}", key=key, fatal=fatal))

    def scripts(self) -> Iterator[Script]:
        for script, platforms in self._found:
            everywhere = platforms == set(self.setting.platforms)
            yield script if everywhere else replace(script, platforms=frozenset(platforms))

    # -- which tasks, where -------------------------------------------------------------------------------------------

    def run(self) -> None:
        if self.called is not None:
            self._call(self.called)
            return
        handed = {text_of(n.get("task")).text for n in self._dependencies() if isinstance(n, Table) and _hands(n)}
        for key, entry in self.manifest.tasks:
            needs = any(a.default is None for a in _arguments(entry.value))
            if entry.name in handed and (needs or entry.name.startswith("_")):
                continue
            given = _Given(unknown=True)
            for number, wheres in enumerate(list(self._of(entry))):
                for where in wheres:
                    when = (f"in the environment {where.environment.name}",) if number else ()
                    self._task(entry, key, given, where, None, (), when, set(), whole=False)

    def _dependencies(self) -> Iterator[Node]:
        for _, entry in self.manifest.tasks:
            yield from _waits_for(entry.value)

    def tasks(self, where: _Where) -> dict[str, Entry]:
        key = (id(where.environment), where.platform.name)
        if key not in self._tasks:
            self._tasks[key] = where.environment.tasks(where.platform)
        return self._tasks[key]

    def _platforms(self) -> tuple[Platform, ...]:
        asked = tuple(map(platform_of, self.setting.platforms))
        if self.called is not None:
            return tuple(next((p for p in self.manifest.platforms if p.subdir == a.subdir), a) for a in asked)
        return self.manifest.platforms or asked

    def _of(self, entry: Entry) -> Iterator[list[_Where]]:
        """Where a task is what its name means: in the environment that is taken, and in others that differ."""
        seen: list[_Where] = []
        manifest = self.manifest
        for environment in (*manifest.environments, *manifest.unused):
            for platform in self._platforms():
                where = _Where(environment, platform)
                if environment.has(platform) and self.tasks(where).get(entry.name) is entry:
                    seen.append(where)
        asked = [w for w in seen if w.platform.ours in self.setting.platforms]
        seen = asked or seen
        primary = DEFAULT
        if isinstance(entry.value, Table) and (named := text_of(entry.value.get("default-environment")).text):
            primary = named if any(w.environment.name == named for w in seen) else primary
        first = [w for w in seen if w.environment.name == primary] or [
            w for w in seen if w.environment is seen[0].environment
        ]
        if not first:
            return
        yield first
        for where in seen:
            same = next((w for w in first if w.platform == where.platform), None)
            if where not in first and (same is None or self.activated(where) != self.activated(same)):
                yield [where]

    def activated(self, where: _Where) -> Activated:
        key = (where.environment.name, where.platform.name)
        if key not in self._activated:
            given = self.called.env if self.called is not None and not self.called.line.clean else {}
            found = activated(where.environment, where.platform, self.folder, given, self.setting)
            self.looked_at += found.looked_at
            self._activated[key] = found
        return self._activated[key]

    def _call(self, called: Called) -> None:
        words = [Traced(w.pieces) for w in called.line.words]
        for platform in self._platforms():
            ran: set[object] = set()
            for where, entry in self._named(called.line.task, called.line.environment, platform):
                given = _given(words, bool(_arguments(entry.value)))
                key = self._key(entry)
                self._task(entry, key, given, where, called.line.environment, (), (), ran, whole=not called.line.skips)

    def _named(self, name: str, explicit: str | None, platform: Platform) -> Iterator[tuple[_Where, Entry]]:
        """What the name of a task means: in the environment that is said, else in the default one, else in any."""
        environments = self.manifest.environments
        if explicit is not None:
            environments = tuple(e for e in environments if e.name == explicit)
        for environment in environments:
            where = _Where(environment, platform)
            entry = self.tasks(where).get(name)
            if entry is None:
                continue
            if explicit is None and environment.name == DEFAULT:
                named = text_of(entry.value.get("default-environment")).text if isinstance(entry.value, Table) else ""
                other = self.manifest.environment(named)
                if other is not None and (own := self.tasks(_Where(other, platform)).get(name)) is not None:
                    yield _Where(other, platform), own
                    return
            yield where, entry
            if environment.name == DEFAULT:
                return

    def _key(self, entry: Entry) -> str:
        return next((key for key, other in self.manifest.tasks if other is entry), entry.name)

    # -- one task -----------------------------------------------------------------------------------------------------

    def _task(
        self,
        entry: Entry,
        key: str,
        given: _Given,
        where: _Where,
        explicit: str | None,
        via: tuple[Span, ...],
        when: tuple[str, ...],
        ran: set[object],
        whole: bool,
    ) -> None:
        """A task and what it waits for; ``whole``: all of that, not only what gets arguments from it."""
        same = (id(entry), given.key, where.environment.name)
        if same in ran or len(ran) >= _MOST:
            return
        ran.add(same)
        node = entry.value
        if self._lists_words(node):
            told = "a list holds tasks to wait for; read as the words of a command, which `cmd` takes"
            self.problem(node.span, told, key, fatal=False)
            node = Table(node.span, (Entry("cmd", node.span, node),))
        arguments = _arguments(node)
        if not arguments:
            pairs = [join([literal(f"{name}="), value]) for name, value in given.named.items()]
            given = replace(given, positional=(), named={}, extra=(*given.positional, *pairs, *given.extra))
        names = self._names(arguments, given, where, node, key)
        for item in _waits_for(node):
            self._waited(item, key, names, where, explicit, via, when, ran, whole)
        text = self._text(node, names, key)
        for rendered in text:
            extra = [part for word in given.extra for part in (literal(" '"), word, literal("'"))]
            whole_text = join([rendered.text, *extra]) if extra else rendered.text
            if whole_text.text.strip():
                self._add(self._script(entry, node, whole_text, where, via, (*when, *rendered.when)), where)

    def _lists_words(self, node: Node) -> bool:
        """Whether a list holds texts of which not all are tasks."""
        names = [text_of(item).text for item in node.items] if isinstance(node, Items) else []
        return bool(names) and all(names) and any(name not in self.manifest.names for name in names)

    def _waited(
        self,
        item: Node,
        key: str,
        names: Mapping[str, Value],
        where: _Where,
        explicit: str | None,
        via: tuple[Span, ...],
        when: tuple[str, ...],
        ran: set[object],
        whole: bool,
    ) -> None:
        name = text_of(item.get("task") if isinstance(item, Table) else item).text
        if not name:
            self.problem(item.span, f"has to name a task, and is {item.named}", f"{key}.depends-on")
            return
        if name not in self.manifest.names:
            self.problem(item.span, f"there is no task {name}", f"{key}.depends-on")
            return
        environment = (text_of(item.get("environment")).text if isinstance(item, Table) else "") or explicit
        if not whole and not (isinstance(item, Table) and (_hands(item) or self._differs(environment, where))):
            return
        given = self._handed(item, names, key)
        for there, entry in self._named(name, environment, where.platform):
            way = (*via, item.span)
            self._task(entry, self._key(entry), given, there, explicit, way, when, ran, whole)

    def _differs(self, name: str | None, where: _Where) -> bool:
        """Whether an environment puts other things into the environment of a task than the default one."""
        there, default = self.manifest.environment(name or DEFAULT), self.manifest.environment(DEFAULT)
        if there is None or default is None:
            return False
        return self.activated(_Where(there, where.platform)) != self.activated(_Where(default, where.platform))

    def _handed(self, item: Node, names: Mapping[str, Value], key: str) -> _Given:
        args = item.get("args") if isinstance(item, Table) else None
        positional: list[Traced] = []
        named: dict[str, Traced] = {}
        for node in args.items if isinstance(args, Items) else ():
            if isinstance(node, Table):
                named.update((e.name, self._filled(e.value, names, key)) for e in node.entries)
            else:
                positional.append(self._filled(node, names, key))
        return _Given(tuple(positional), named, ())

    def _filled(self, node: Node, names: Mapping[str, Value], key: str) -> Traced:
        found = self._rendered(text_of(node), names, key)
        if len(found) == 1:
            return found[0].text
        text = text_of(node)
        among = tuple(r.text for r in found)
        return hole(Hole(text.shown, "a condition decides it", Decider.REPOSITORY, among=among), text.route)

    def _names(
        self, arguments: Sequence[_Argument], given: _Given, where: _Where, node: Node, key: str
    ) -> dict[str, Value]:
        """What a template may name: the task's arguments, and what pixi says of itself."""
        system = where.platform.subdir.partition("-")[0]
        home = hole(Hole("{{ pixi.manifest_path }}", "where the tree is", shape=Shape.PATH, path=self.source.path))
        pixi: dict[str, Value] = {
            "platform": literal(where.platform.name),
            "environment": {"name": literal(where.environment.name)},
            "manifest_path": home,
            "version": hole(Hole("{{ pixi.version }}", "the version of pixi")),
            "init_cwd": hole(Hole("{{ pixi.init_cwd }}", "where pixi is started", shape=Shape.PATH)),
            "is_win": system == "win",
            "is_unix": system in ("linux", "osx"),
            "is_linux": system == "linux",
            "is_osx": system == "osx",
        }
        names: dict[str, Value] = {"pixi": pixi}
        for number, argument in enumerate(arguments):
            value = given.named.get(argument.name)
            if value is None and number < len(given.positional):
                value = given.positional[number]
            if value is None and argument.default is not None:
                value = argument.default.overridable() if given.unknown else argument.default
            if value is None:
                if not given.unknown and self.called is None:
                    self.problem(node.span, f"nobody gives the argument {argument.name}", key, fatal=False)
                shown = f"{{{{ {argument.name} }}}}"
                value = hole(Hole(shown, "the caller gives it", name=argument.name, among=argument.choices))
            names[argument.name] = value
        return names

    def _rendered(self, text: Traced, names: Mapping[str, Value], key: str) -> tuple[Rendered, ...]:
        try:
            return renderings(text, names)
        except TemplateError as error:
            route = text.cut(error.at, error.at + 1).route or text.route
            span = route[-1] if route else Span(self.source.path, 0, 0)
            self.problem(span, f"pixi would not run this: {error.message}", key)
            return (Rendered(text),)

    def _text(self, node: Node, names: Mapping[str, Value], key: str) -> tuple[Rendered, ...]:
        """What deno_task_shell gets."""
        table = node if isinstance(node, Table) else None
        cmd = table.get("cmd") if table is not None else node
        if isinstance(node, Items) or (table is not None and cmd is None):
            return ()
        if isinstance(cmd, Scalar) and cmd.kind is Kind.STRING:
            found = self._rendered(cmd.text, names, f"{key}.cmd" if table is not None else key)
        elif isinstance(cmd, Items):
            parts: list[Traced] = []
            for item in cmd.items:
                if text_of(item).text or (isinstance(item, Scalar) and item.kind is Kind.STRING):
                    parts += [literal(" ")] if parts else []
                    parts.append(_quoted(self._filled(item, names, f"{key}.cmd")))
                else:
                    self.problem(item.span, f"has to be a string, and is {item.named}", f"{key}.cmd")
            found = (Rendered(join(parts)),)
        else:
            wrong = cmd if cmd is not None else node
            self.problem(wrong.span, f"has to be a string, a list or a table, and is {wrong.named}", key)
            return ()
        env = table.get("env") if table is not None else None
        if env is not None and not isinstance(env, Table):
            self.problem(env.span, f"has to be a table, and is {env.named}", f"{key}.env")
        exports: list[Traced] = []
        for entry in env.entries if isinstance(env, Table) else ():
            value = _escaped(self._filled(entry.value, names, f"{key}.env.{entry.name}"), '"')
            exports += [literal(f'export "{entry.name}='), value, literal('";\n')]
        return tuple(replace(r, text=join([*exports, r.text])) for r in found) if exports else found

    def _script(
        self, entry: Entry, node: Node, text: Traced, where: _Where, via: tuple[Span, ...], when: tuple[str, ...]
    ) -> Script:
        active = self.activated(where)
        directory: str | None = self.folder
        if isinstance(node, Table) and node.get("cwd") is not None:
            directory = resolved(text_of(node.get("cwd")), self.folder)
        clean = isinstance(node, Table) and isinstance(c := node.get("clean-env"), Scalar) and c.value is True
        given = self.called.env if self.called is not None and not (clean or self.called.line.clean) else {}
        variables = [Variable(name, value) for name, value in given.items()]
        variables += [Variable(name, value) for name, value in active.values.items()]
        raw = text.text
        for name, path in (("PIXI_PROJECT_ROOT", self.folder), ("PIXI_PROJECT_MANIFEST", self.source.path)):
            if name in raw:
                found = Hole(f"${name}", "where the tree is", shape=Shape.PATH, name=name, path=path)
                variables.append(Variable(name, hole(found)))
        if "PIXI_ENVIRONMENT_NAME" in raw:
            variables.append(Variable("PIXI_ENVIRONMENT_NAME", literal(where.environment.name)))
        return Script(
            Place(NAME, task=entry.name),
            Dialect.DENO,
            text,
            env=tuple(variables),
            when=when,
            via=via,
            directory=directory,
            outside=active.outside,
            unit=entry.name,
        )

    def _add(self, script: Script, where: _Where) -> None:
        ours = where.platform.ours or where.platform.name
        alike = self._alike.setdefault((script.unit, script.via, script.when, script.text.text), [])
        known = next((platforms for other, platforms in alike if other == script), None)
        if known is None:
            alike.append((script, {ours}))
            self._found.append(alike[-1])
        else:
            known.add(ours)


# -- values -----------------------------------------------------------------------------------------------------------


def _given(words: Sequence[Traced], typed: bool) -> _Given:
    """The words of a call: for the task's arguments, or for its command."""
    if not typed:
        return _Given(extra=tuple(words[1:] if words and words[0].text == "--" else words))
    at = next((i for i, word in enumerate(words) if word.text == "--"), len(words))
    return _Given(tuple(words[:at]), {}, tuple(words[at + 1 :]))


def _arguments(node: Node) -> list[_Argument]:
    args = node.get("args") if isinstance(node, Table) else None
    found = []
    for item in args.items if isinstance(args, Items) else ():
        if isinstance(item, Table):
            default, choices = item.get("default"), item.get("choices")
            texts = tuple(text_of(c) for c in choices.items) if isinstance(choices, Items) else ()
            said = default.text if isinstance(default, Scalar) else None
            found.append(_Argument(text_of(item.get("arg")).text, said, texts))
        else:
            found.append(_Argument(text_of(item).text, None, ()))
    return [a for a in found if a.name]


def _waits_for(node: Node) -> Iterable[Node]:
    if isinstance(node, Items):
        return node.items
    waits = (node.get("depends-on") or node.get("depends_on")) if isinstance(node, Table) else None
    return waits.items if isinstance(waits, Items) else (waits,) if waits is not None else ()


def _hands(item: Table) -> bool:
    args = item.get("args")
    return isinstance(args, Items) and bool(args.items)


def _quoted(text: Traced) -> Traced:
    """A word of a list, as pixi writes it for the shell."""
    raw = text.text
    if not raw:
        return literal('""')
    if not _QUOTED & set(raw):
        return text
    return join([literal('"'), _escaped(text, '"\\'), literal('"')])


def _escaped(text: Traced, chars: str) -> Traced:
    parts, at = [], 0
    for i, char in enumerate(text.text):
        if char in chars:
            parts += [text.cut(at, i), literal("\\")]
            at = i
    return join([*parts, text.cut(at, len(text))]) if at or parts else text
