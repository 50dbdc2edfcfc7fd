"""The environments of Hatch: what they inherit, their matrices and overrides, and the scripts that run in them.

Follows https://hatch.pypa.io/latest/config/environment/overview/ and https://hatch.pypa.io/latest/config/environment/advanced/
("Inheritance", "Matrix", "Option overrides"), as of 1.18. A command is a text for the system's shell.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from itertools import islice, product

from flagguard.command import Reading, Script
from flagguard.hosts import Setting
from flagguard.hosts.hatch import NAME, CommandLine
from flagguard.hosts.hatch_format import Fields, FormatError, expanded, parsed
from flagguard.hosts.task_tables import Tasks, inner, is_string, is_true, on_system, plain, texts, toml
from flagguard.hosts.tox_source import World
from flagguard.hosts.tox_words import quoted
from flagguard.hosts.tree import Items, Node, Scalar, Table, text_of
from flagguard.text import SourceText, Traced, literal
from flagguard.values import dataclass, field, replace

_MOST_ROWS = 64
_MOST_WORLDS = 8
_LISTS = ("pre-install-commands", "post-install-commands", "env-include", "env-exclude")
_TABLES = ("env-vars", "scripts")
_SYSTEM = "system"


@dataclass
class Environment:
    """One environment, or one row of its matrix."""

    name: str
    group: str
    kind: str = "virtual"
    matrix: dict[str, Traced] = field(default_factory=dict)
    tables: dict[str, dict[str, Node | Traced]] = field(default_factory=dict)
    lists: dict[str, list[Traced]] = field(default_factory=dict)


def read(
    source: SourceText,
    setting: Setting,
    line: CommandLine | None = None,
    env: Mapping[str, Traced] | None = None,
    directory: str | None = None,
) -> Reading:
    """The scripts of all environments; ``line``: what a call runs, from the folder ``directory``."""
    reader = _Reader(source, setting, env)
    reader.here = reader.folder if line is None else directory
    try:
        if line is None:
            reader.all()
        else:
            reader.call(line)
    except RecursionError:
        reader.tell(source.traced(0, 1), "nested too deeply to be read", "envs")
    return reader.reading()


def has_part(source: SourceText, setting: Setting, line: CommandLine) -> bool:
    """Whether the file says something of what a call runs."""
    reader = _Reader(source, setting, None)
    name = line.environment or "default"
    group = next((g for g in reader.groups if g == name or name.startswith(f"{g}.")), None)
    if name == _SYSTEM:
        return bool(line.words) and inner(reader.top, "scripts", line.words[0].text) is not None
    settings = reader.settings(name if name in reader.groups else group or name)
    if not settings and name != "default":
        return False
    scripts = settings.get("scripts")
    if not line.words:
        return any(key in settings for key in _LISTS[:2])
    known = isinstance(scripts, dict) and line.words[0].text in scripts
    said = any(key in settings for key in ("env-vars", "overrides", *_LISTS))
    return known or said or bool(line.included or line.excluded)


class _Reader(Tasks):
    def __init__(self, source: SourceText, setting: Setting, env: Mapping[str, Traced] | None) -> None:
        super().__init__(NAME, source, setting, env)
        document = toml(source)
        self.told.update(dict.fromkeys(document.problems))
        whole = posixpath.basename(source.path) != "pyproject.toml"
        self.key = "" if whole else "tool.hatch."
        self.top = document.root if whole else inner(document.root, "tool", "hatch")
        self.groups = dict(self.entries(self._envs(whole), f"{self.key}envs"))
        self.here: str | None = self.folder
        """Where Hatch is started, and so where the commands run."""
        self._known: dict[object, Script] = {}
        self._settings: dict[str, dict[str, Node | dict[str, Node]]] = {}
        self._inheriting: list[str] = []

    def _envs(self, whole: bool) -> Node | None:
        own = inner(self.top, "envs")
        other = "pyproject.toml" if whole else "hatch.toml"
        path = posixpath.join(self.folder, other)
        self.looked_at.append(path)
        if own is not None and whole:
            return own
        source = self.setting.files.read(path)
        if source is None or not (whole or inner(toml(source).root, "envs") is not None):
            return own
        if not whole:
            return None  # `hatch.toml` says it instead
        found = inner(toml(source).root, "tool", "hatch", "envs")
        return found if source.path == self.source.path else None

    # -- what an environment is

    def settings(self, name: str) -> dict[str, "Node | dict[str, Node]"]:
        """The options of an environment, with those of its template."""
        if name in self._settings:
            return self._settings[name]
        table = self.groups.get(name)
        if table is None and name != "default":
            return {}
        found: dict[str, Node | dict[str, Node]] = {}
        for key, value in self.entries(table, f"{self.key}envs.{name}"):
            if key == "scripts":
                found[key] = dict(self.entries(value, f"{self.key}envs.{name}.scripts"))
            elif key != "template":
                found[key] = value
        template = text_of(inner(table, "template")).text or "default"
        if template != name:
            if name in self._inheriting:
                node = table if table is not None else Table(self.source.traced().route[-1])
                self.tell(node, "its templates go round in a circle", f"{self.key}envs.{name}.template")
                return found
            self._inheriting.append(name)
            if template not in self.groups and template != "default" and table is not None:
                self.tell(table, f"there is no environment {template}", f"{self.key}envs.{name}.template")
            for key, inherited in self.settings(template).items():
                own = found.get(key)
                if key == "scripts" and isinstance(inherited, dict):
                    found[key] = {**inherited, **(own if isinstance(own, dict) else {})}
                elif key != "matrix":
                    found.setdefault(key, inherited)
            self._inheriting.pop()
        self._settings[name] = found
        return found

    def environments(self, name: str, world: World) -> Iterator[Environment]:
        """The environment, or the rows of its matrix."""
        settings = self.settings(name)
        kind = settings.get("type")
        base = Environment(name, name, text_of(kind if not isinstance(kind, dict) else None).text or "virtual")
        for key in _TABLES:
            value = settings.get(key)
            if isinstance(value, dict):
                base.tables[key] = dict(value)
            elif value is not None:
                base.tables[key] = dict(self.entries(value, f"{self.key}envs.{name}.{key}"))
        for key in _LISTS:
            value = settings.get(key)
            if isinstance(value, Items):
                base.lists[key] = texts(value)
            elif value is not None and not isinstance(value, dict):
                self.wrong(value, "a list", f"{self.key}envs.{name}.{key}")
        overrides = settings.get("overrides")
        overrides = overrides if isinstance(overrides, Table) else None
        key = f"{self.key}envs.{name}.overrides"
        for system, options in self.entries(inner(overrides, "platform"), f"{key}.platform"):
            if world.platform in on_system(system):
                self._override(base, options, literal(system), world)
        for variable, options in self.entries(inner(overrides, "env"), f"{key}.env"):
            said = self.given.get(variable)
            if said is not None or variable in world.assume or world.holds(f"${variable} is set"):
                self._override(base, options, said or literal(world.assume.get(variable, "")), world)
        matrices = settings.get("matrix")
        if not isinstance(matrices, Items):
            yield base
            return
        for row in islice(_rows(matrices), _MOST_ROWS):
            made = Environment(
                name, name, base.kind, row, {k: dict(v) for k, v in base.tables.items()},
                {k: list(v) for k, v in base.lists.items()},
            )  # fmt: skip
            for variable, options in self.entries(inner(overrides, "matrix"), f"{key}.matrix"):
                if variable in row:
                    self._override(made, options, row[variable], world)
            written = settings.get("matrix-name-format")
            form = text_of(written if not isinstance(written, dict) else None).text or "{value}"
            short = _row_name(row, form)
            made.name = short if name == "default" else f"{name}.{short}"
            for pattern, options in self.entries(inner(overrides, "name"), f"{key}.name"):
                if _found(pattern, short):
                    self._override(made, options, literal(short), world)
            yield made

    def _override(self, made: Environment, options: Node, value: Traced, world: World) -> None:
        for raw, data in self.entries(options, f"{self.key}envs.{made.group}.overrides"):
            overwrite, option = raw.startswith("set-"), raw.removeprefix("set-")
            entries = data.items if isinstance(data, Items) else (data,)
            if option in _TABLES:
                kept = {} if overwrite else made.tables.get(option, {})
                made.tables[option] = kept | {n: v for e in entries for n, v in _pair(e, value, world, self.given)}
            elif option in _LISTS:
                more = [t for e in entries for t in _item(e, value, world, self.given)]
                made.lists[option] = [*([] if overwrite else made.lists.get(option, [])), *more]

    # -- what runs

    def all(self) -> None:
        names = list(dict.fromkeys(("default", *self.groups)))
        for name in names:
            for platform in self.setting.platforms:
                for made, world in self._worlds(name, platform):
                    self._install(made, world)
                    scripts = self._scripts(made)
                    for script in scripts:
                        self._run(made, world, script, None, False, scripts)
        for script, _ in self.entries(inner(self.top, "scripts"), f"{self.key}scripts"):
            for platform in self.setting.platforms:
                made = Environment(_SYSTEM, _SYSTEM, _SYSTEM, tables={"scripts": self._of_system()})
                self._run(made, World(platform, (), self.setting.assume, self.given), script, None, False)
        self._settle()

    def _of_system(self) -> dict[str, Node | Traced]:
        return dict(self.entries(inner(self.top, "scripts"), f"{self.key}scripts"))

    def call(self, line: CommandLine) -> None:
        chosen = self.given.get("HATCH_ENV")
        name = line.environment or (chosen.text if chosen is not None and chosen.known else "default")
        group = name if name in self.groups else next((g for g in self.groups if name.startswith(f"{g}.")), name)
        for platform in self.setting.platforms:
            if name == _SYSTEM:
                made = Environment(_SYSTEM, _SYSTEM, _SYSTEM, tables={"scripts": self._of_system()})
                self._command(made, World(platform, (), self.setting.assume, self.given), line)
                continue
            for made, world in self._worlds(group, platform):
                if name not in (made.name, made.group) or not _selected(made, line):
                    continue
                self._install(made, world)
                if line.words:
                    self._command(made, world, line)
        self._settle()

    def _worlds(self, name: str, platform: str) -> Iterator[tuple[Environment, World]]:
        waiting: list[tuple[bool, ...]] = [()]
        count = 0
        while waiting and count < _MOST_WORLDS:
            world = World(platform, waiting.pop(0), self.setting.assume, self.given)
            count += 1
            made = list(self.environments(name, world))
            forced = len(world.forced)
            waiting += [(*world.taken[:i], not world.taken[i]) for i in range(forced, len(world.taken))]
            yield from ((one, world) for one in made)

    def _command(self, made: Environment, world: World, line: CommandLine) -> None:
        """A command line: the words as one text, of which the first may name a script."""
        given = list(plain(line.words))
        text = quoted(given)
        name, args, _ = parsed(text)
        if name in made.tables.get("scripts", {}):
            self._run(made, world, name, args or None, line.force)
            return
        self._add(made, world, NAME, [text], None, line.force)

    def _install(self, made: Environment, world: World) -> None:
        """What runs around the installation of the project, where there is one."""
        skips = self.settings(made.group).get("skip-install")
        if isinstance(skips, Scalar) and is_true(skips):
            return
        for key in _LISTS[:2]:
            commands = made.lists.get(key, ())
            scripts = self._scripts(made)
            for command in commands:
                name, args, _ = parsed(command)
                if name in scripts:
                    self._run(made, world, name, args or None, False)
                else:
                    self._add(made, world, key, [command])

    def _scripts(self, made: Environment) -> dict[str, list[Traced]]:
        found: dict[str, list[Traced]] = {}
        for name, node in made.tables.get("scripts", {}).items():
            if isinstance(node, Traced):
                found[name] = [node]
            elif is_string(node) or isinstance(node, Items):
                found[name] = texts(node)
            else:
                self.wrong(node, "a string or a list", f"{self.key}envs.{made.group}.scripts.{name}")
        return found

    def _run(
        self,
        made: Environment,
        world: World,
        name: str,
        args: Traced | None,
        force: bool,
        scripts: dict[str, list[Traced]] | None = None,
    ) -> None:
        scripts = self._scripts(made) if scripts is None else scripts
        if name not in scripts:
            return
        try:
            commands = expanded(name, scripts)
        except FormatError as error:
            self.tell(error.at, error.message, f"{self.key}envs.{made.group}.scripts.{name}")
            return
        self._add(made, world, name, commands, args, force)

    def _add(
        self,
        made: Environment,
        world: World,
        name: str,
        commands: Sequence[Traced],
        args: Traced | None = None,
        force: bool = False,
    ) -> None:
        """Commands that run in an environment, one after another."""
        env = {n: v for n, v in self.given.items() if _crosses(n, made)}
        key = f"{self.key}envs.{made.group}"

        def lookup(variable: str) -> Traced | None:
            if variable in env:
                return env[variable]
            return literal(world.assume[variable]) if variable in world.assume else None

        fields = Fields(made.name, made.kind, self.folder, world.windows, made.matrix, lookup)
        try:
            values = {
                n: fields.fill(v if isinstance(v, Traced) else text_of(v))
                for n, v in made.tables.get("env-vars", {}).items()
            }
            env = {**env, **values}
            args = fields.fill(args) if args is not None else None
        except FormatError as error:
            self.tell(error.at, error.message, f"{key}.env-vars")
        task = name if made.group == "default" else f"{made.group}:{name}"
        for command in commands:
            try:
                text = replace(fields, args=args).fill(command)
            except FormatError as error:
                self.tell(error.at, error.message, f"{key}.scripts.{name}")
                continue
            raw = text.text
            start, end = len(raw) - len(raw.lstrip()), len(raw.rstrip())
            ignored = force or raw[start:].startswith("- ")
            text = text.cut(start + (2 if raw[start:].startswith("- ") else 0), end)
            if "HATCH_ENV_ACTIVE" in text.text:
                env["HATCH_ENV_ACTIVE"] = literal(made.name)
            script = self.script(task, env, directory=self.here, ignored=ignored, when=tuple(world.assumed))
            before = len(self.found)
            self.add_text(replace(script, platforms=frozenset({world.platform})), text)
            for one in self.found[before:]:
                self._merge(one, world.platform)
            del self.found[before:]

    def _merge(self, script: Script, platform: str) -> None:
        """What is the same on several platforms, or in several environments, is one script."""
        key = (script.text.text, script.env, script.dialect, script.when, script.ignored, script.directory, script.text)
        known = self._known.get(key)
        if known is None:
            self._known[key] = script
        else:
            self._known[key] = replace(known, platforms=(known.platforms or frozenset()) | {platform})

    def _settle(self) -> None:
        asked = frozenset(self.setting.platforms)
        sure = {(k[0], k[1], k[2]) for k, s in self._known.items() if isinstance(k, tuple) and not s.when}
        for key, script in self._known.items():
            certain = isinstance(key, tuple) and (key[0], key[1], key[2]) in sure
            platforms = None if script.platforms == asked else script.platforms
            self.found.append(replace(script, when=() if certain else script.when, platforms=platforms))


# -- matrices and overrides ------------------------------------------------------------------------------------------


def _rows(matrices: Items) -> Iterator[dict[str, Traced]]:
    for node in matrices.items:
        if not isinstance(node, Table):
            continue
        named = {e.name: texts(e.value) for e in node.entries}
        first = [n for n in ("py", "python") if n in named]
        names = [*first, *(n for n in named if n not in first)]
        for values in product(*(named[n] for n in names)):
            yield dict(zip(names, values, strict=True))


def _row_name(row: Mapping[str, Traced], form: str) -> str:
    parts: list[str] = []
    for variable, value in row.items():
        if variable in ("py", "python") and not parts:
            parts.append(value.text if value.text.startswith("py") else f"py{value.text}")
        else:
            parts.append(form.replace("{value}", value.text).replace("{variable}", variable))
    return "-".join(parts)


def _found(pattern: str, name: str) -> bool:
    try:
        return re.search(pattern, name) is not None
    except re.error:
        return False


def _selected(made: Environment, line: CommandLine) -> bool:
    """Whether the selection of a call (`+py=3.12`, `-version`) takes a row of a matrix."""
    if not made.matrix:
        return True

    def matches(said: str) -> bool:
        name, equals, values = said.partition("=")
        name = "python" if name == "py" and "python" in made.matrix else name
        name = "py" if name == "python" and "py" in made.matrix else name
        return name in made.matrix and (not equals or made.matrix[name].text in values.split(","))

    return all(map(matches, line.included)) and not any(map(matches, line.excluded))


def _crosses(name: str, made: Environment) -> bool:
    """Whether a variable of the caller reaches the environment."""
    include, exclude = made.lists.get("env-include", ()), made.lists.get("env-exclude", ())
    if include and not any(fnmatch(name, p.text) for p in include) and not name.startswith("HATCH_BUILD_"):
        return False
    return not any(fnmatch(name, p.text) for p in exclude)


def _holds(entry: Table, value: Traced, world: World, given: Mapping[str, Traced]) -> bool:
    """Whether the conditions of an override hold: `if`, `platform`, `env`."""
    allowed = entry.get("if")
    if isinstance(allowed, Items) and value.known and value.text not in {t.text for t in texts(allowed)}:
        return False
    systems = entry.get("platform")
    if isinstance(systems, Items) and not any(world.platform in on_system(t.text) for t in texts(systems)):
        return False
    for said in texts(entry.get("env")):
        name, equals, wanted = said.text.partition("=")
        known = given.get(name) or (literal(world.assume[name]) if name in world.assume else None)
        if known is not None and known.known:
            if equals and known.text != wanted:
                return False
        elif not world.holds(f"${name} is {wanted}" if equals else f"${name} is set"):
            return False
    return True


def _pair(entry: Node, value: Traced, world: World, given: Mapping[str, Traced]) -> Iterator[tuple[str, Node | Traced]]:
    if isinstance(entry, Table):
        if text_of(entry.get("key")).text and _holds(entry, value, world, given):
            said = entry.get("value")
            yield text_of(entry.get("key")).text, said if said is not None else value
        return
    text = text_of(entry)
    name, equals, _ = text.text.partition("=")
    if name:
        yield name, text.cut(len(name) + 1, len(text)) if equals else value


def _item(entry: Node, value: Traced, world: World, given: Mapping[str, Traced]) -> Iterator[Traced]:
    if isinstance(entry, Table):
        if _holds(entry, value, world, given) and is_string(entry.get("value")):
            yield text_of(entry.get("value"))
    elif is_string(entry):
        yield text_of(entry)
