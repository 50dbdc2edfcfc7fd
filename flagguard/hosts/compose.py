"""Compose files: the images that services build, and what their containers run.

Follows https://docs.docker.com/reference/compose-file/services/, build and interpolation. The environment of a
service is what its container sees; of the build only `args` are. A service with a bind mount sees the files of the
tree there.
"""

from collections.abc import Iterator, Mapping
from posixpath import dirname, normpath

from flagguard.command import Command, Dialect, Reading, Script
from flagguard.hosts import Entered, Setting, image_builds, just_dotenv
from flagguard.hosts import dockerfile_platforms as platforms_
from flagguard.hosts.gitlab_config import merged
from flagguard.hosts.image_builds import Build
from flagguard.hosts.pipelines import Frame, Notes, Shell, fill, guarded, text, texts, unset
from flagguard.hosts.tree import Items, Kind, Node, Scalar, Table
from flagguard.paths import IN_CONTAINER, Layout, inside
from flagguard.patterns import expression
from flagguard.text import EMPTY, SourceText, Span, Traced, join, literal
from flagguard.values import dataclass, field, replace

NAME = "compose"

_USE = expression(r"\$\$|\$\{([A-Za-z_]\w*)(?:(:?[-?+])((?:[^{}]|\$\{[^{}]*\})*))?\}|\$([A-Za-z_]\w*)")
_WORD = expression(r"'([^']*)'|\"((?:\\.|[^\"\\])*)\"|\\(.)|([^\s'\"\\]+)|(\s+)")
_DEEPEST = 10


def read(source: SourceText, setting: Setting) -> Reading:
    notes = Notes(setting)

    def scripts() -> Iterator[Script]:
        for root in notes.documents(source)[:1]:
            table = notes.table(root, "the file")
            if table is not None:
                yield from Project(table, source.path, notes, setting).scripts()

    return Reading(guarded(notes, source.path, scripts), problems=notes.all())


def enter(command: Command, setting: Setting) -> Entered | None:
    """``docker compose build`` and its like: the services, with the build arguments and the environment of the call."""
    from flagguard.hosts import compose_call

    return compose_call.enter(command, setting)


@dataclass(frozen=True)
class Given:
    """What a call of compose gives."""

    services: tuple[str, ...] = ()
    """None: all of them."""
    starts: bool = False
    """The containers are started too."""
    args: Mapping[str, Traced] = field(default_factory=dict)
    environment: Mapping[str, Traced] = field(default_factory=dict)


class Project:
    def __init__(self, root: Table, path: str, notes: Notes, setting: Setting, given: Given | None = None) -> None:
        self.given = given or Given()
        self.root = root
        self.folder = dirname(path)
        self.notes = notes
        self.setting = setting
        found = notes.source(inside(self.folder, ".env") or ".env")
        self.env = dict(just_dotenv.variables(found, {})) if found is not None else {}
        self.env.update(self.given.environment)

    def scripts(self) -> Iterator[Script]:
        services = self.notes.table(self.root.get("services"), "services")
        for entry in services.entries if services is not None else ():
            service = self.notes.table(entry.value, f"services.{entry.name}")
            if service is not None:
                yield from self._service(entry.name, self._extended(service, 0))

    def called(self) -> Iterator[Script]:
        """The services that the call names, with those that they wait for where containers are started."""
        services = self.notes.table(self.root.get("services"), "services")
        if services is None:
            return
        wanted = list(self.given.services) or [entry.name for entry in services.entries]
        seen: set[str] = set()
        while wanted:
            name = wanted.pop(0)
            service = services.get(name)
            if name in seen or not isinstance(service, Table):
                continue
            seen.add(name)
            whole = self._extended(service, 0)
            if self.given.starts:
                needs = whole.get("depends_on")
                wanted += [e.name for e in needs.entries] if isinstance(needs, Table) else [
                    one.text for one in texts(needs)]  # fmt: skip
            yield from (s for s in self._service(name, whole) if self.given.starts or s.unit == f"{name}:build")

    def _extended(self, service: Table, depth: int) -> Table:
        """A service with the one that it extends."""
        given = service.get("extends")
        name = text(given.get("service") if isinstance(given, Table) else given).text
        file = text(given.get("file")) if isinstance(given, Table) else EMPTY
        if not name or depth > _DEEPEST:
            return service
        root: Node | None = self.root
        if file:
            path = inside(self.folder, file.text) if file.known else None
            source = self.notes.source(path) if path is not None else None
            roots = self.notes.documents(source) if source is not None else ()
            root = roots[0] if roots else None
        services = root.get("services") if isinstance(root, Table) else None
        below = services.get(name) if isinstance(services, Table) else None
        if not isinstance(below, Table):
            at = given.span if given is not None else service.span
            self.notes.tell(at, f"{name} is not in the repository, so what it gives is not known", "extends")
            return service
        return merged(self._extended(below, depth + 1), service)

    # -- texts

    def said(self, whole: Traced) -> Traced:
        """A text with its variables replaced."""
        return fill(whole, _USE, lambda m, written: self._put(m[1] or m[4], m[2] or "", m[3] or "", written))

    def _put(self, name: str | None, operator: str, word: str, written: Traced) -> Traced:
        if name is None:
            return literal("$")
        found = self.env.get(name)
        if found is None and name in self.setting.assume:
            found = literal(self.setting.assume[name])
        if operator.endswith("+"):
            return self._word(word, written) if found else EMPTY
        if found is not None and (found or not operator.startswith(":")):
            return found.overridable()
        if operator.endswith("-"):
            return self._word(word, written).overridable()
        return unset(name)

    def _word(self, word: str, written: Traced) -> Traced:
        if not word:
            return EMPTY
        at = written.text.rindex(word)
        return self.said(written.cut(at, at + len(word)))

    def _table(self, node: Node | None) -> dict[str, tuple[Span, Traced | None]]:
        """`args` and `environment`: a table, or a list of `NAME=VALUE`."""
        found: dict[str, tuple[Span, Traced | None]] = {}
        if isinstance(node, Table):
            for entry in node.entries:
                if isinstance(entry.value, Scalar):
                    at = Span(entry.key.path, entry.key.start, max(entry.key.end, entry.value.span.end))
                    none = entry.value.kind is Kind.NULL
                    found[entry.name] = (at, None if none else self.said(text(entry.value)))
        for item in node.items if isinstance(node, Items) else ():
            whole = self.said(text(item))
            name, equals, _ = whole.text.partition("=")
            if name:
                found[name] = (item.span, whole.cut(len(name) + 1, len(whole)) if equals else None)
        return found

    # -- services

    def _service(self, name: str, service: Table) -> Iterator[Script]:
        platform = self.said(text(service.get("platform")))
        frame = Frame(NAME, job=name, directory=self.folder, unit=f"{name}:build")
        build = service.get("build")
        if build is not None and not (isinstance(build, Scalar) and not build.text):
            yield from self._build(name, build, service, platform, frame)
        yield from self._container(name, service, platform, replace(frame, unit=f"{name}:run"))

    def _build(self, name: str, node: Node, service: Table, platform: Traced, frame: Frame) -> Iterator[Script]:
        entry = service.by_name.get("build")
        at = entry.key if entry is not None else node.span
        if isinstance(node, Scalar):
            yield image_builds.script(
                Build(at, self.said(text(node)), platforms=[platform] if platform else ()), frame, "build"
            )
            return
        table = self.notes.table(node, f"services.{name}.build")
        if table is None:
            return
        inline = table.get("dockerfile_inline")
        if inline is not None:
            yield from self._inline(name, inline, table, platform, frame)
            return
        listed = [self.said(one) for one in texts(table.get("platforms"))] or ([platform] if platform else [])
        build = Build(
            at,
            self.said(text(table.get("context"))) or None,
            self._dockerfile(table),
            self.said(text(table.get("target"))),
            self._args(table),
            listed,
        )
        yield image_builds.script(build, frame, "build")

    def _inline(self, name: str, node: Node, table: Table, platform: Traced, frame: Frame) -> Iterator[Script]:
        """A Dockerfile that stands in the file: read where it stands, all around it blank."""
        from flagguard.hosts.dockerfile_evaluate import evaluate  # seldom needed
        from flagguard.hosts.dockerfile_runs import Called

        said, source = text(node), self.notes.source(node.span.path)
        key = f"services.{name}.build"
        if source is None or "$" in said.text or any(not p.verbatim or len(p.route) != 1 for p in said.pieces):
            told = "a Dockerfile inside of the file is not read where it is no block of lines, or has a `$` in it"
            self.notes.tell(table.span, told, key)
            return
        around = ["\n" if char == "\n" else " " for char in source.text]
        for piece in said.pieces:
            start = piece.route[0].start
            around[start : piece.route[0].end] = piece.text
            if around[start - 1] == " ":  # a line of it begins here: the word that ends a here-document stands alone
                around[start - 1] = "\n"
        args = {key: value for key, (_, value) in self._args(table).items() if value is not None}
        named = [platforms_.parse(p.text) for p in (*map(self.said, texts(table.get("platforms"))), platform) if p]
        wanted = tuple(dict.fromkeys(p for p in named if p is not None))
        setting = replace(self.setting, platforms=wanted or platforms_.linux(self.setting.platforms))
        target = self.said(text(table.get("target")))
        context = self.said(text(table.get("context")))
        folder = inside(self.folder, context.text or ".") if context.known else None
        called = Called(args, target.text if target else None, folder)
        reading = evaluate(SourceText(source.path, "".join(around)), setting, called)
        for problem in reading.problems:
            self.notes.problems[problem] = None
        for script in reading.scripts:
            yield replace(script, place=replace(script.place, job=name), unit=frame.unit)

    def _args(self, table: Table) -> dict[str, tuple[Span, Traced | None]]:
        """The build arguments, those of the call over those of the file."""
        found = self._table(table.get("args"))
        for name, value in self.given.args.items():
            at = found[name][0] if name in found else value.route[-1] if value.route else table.span
            found[name] = (at, value)
        return found

    def _dockerfile(self, table: Table) -> Traced | None:
        """The Dockerfile, which compose looks for in the context and docker in the folder."""
        file = self.said(text(table.get("dockerfile")))
        context = self.said(text(table.get("context")))
        if not file or not context or context.text in (".", "./") or file.text.startswith("/") or "://" in context.text:
            return file or None
        return join((context, literal("" if context.text.endswith("/") else "/"), file))

    def _container(self, name: str, service: Table, platform: Traced, frame: Frame) -> Iterator[Script]:
        values: dict[str, Traced] = {}
        for file in self._env_files(service.get("env_file")):
            source = self.notes.source(inside(self.folder, file.text) or "") if file.known else None
            values.update(just_dotenv.variables(source, self.env) if source is not None else {})
        for key, (_, value) in self._table(service.get("environment")).items():
            found = value if value is not None else self.env.get(key)
            if found is not None:
                values[key] = found
        layout, directory = self._seen(service)
        built_for = platforms_.parse(platform.text) if platform and platform.known else None
        frame = replace(
            frame,
            values=values,
            platforms=frozenset({built_for} if built_for else platforms_.linux(self.setting.platforms)),
            runner=self.said(text(service.get("image"))).shown or None,
            directory=directory,
        )
        entrypoint, command = (self._words(service.get(key)) for key in ("entrypoint", "command"))
        if entrypoint or command:
            yield replace(image_builds.argv([*entrypoint, *command], frame, "command"), layout=layout)
        check = service.get("healthcheck")
        yield from self._check(check.get("test") if isinstance(check, Table) else None, frame, layout)
        for key in ("post_start", "pre_stop"):
            hooks = service.get(key)
            for hook in hooks.items if isinstance(hooks, Items) else ():
                words = self._words(hook.get("command")) if isinstance(hook, Table) else []
                if words:
                    yield replace(image_builds.argv(words, frame, key), layout=layout)

    def _check(self, node: Node | None, frame: Frame, layout: Layout | None) -> Iterator[Script]:
        if isinstance(node, Scalar) and text(node):
            yield replace(frame.script("healthcheck", self.said(text(node)), Shell(Dialect.SH)), layout=layout)
        elif isinstance(node, Items) and node.items:
            words = [self.said(t) for t in texts(node)]
            if words[0].text == "CMD-SHELL" and len(words) > 1:
                yield replace(frame.script("healthcheck", words[1], Shell(Dialect.SH)), layout=layout)
            elif words[0].text == "CMD" and len(words) > 1:
                yield replace(image_builds.argv(words[1:], frame, "healthcheck"), layout=layout)

    def _words(self, node: Node | None) -> list[Traced]:
        """A command: a list of words, or a text that is split as a shell would, and nothing else."""
        if isinstance(node, Items):
            return [self.said(one) for one in texts(node)]
        return split(self.said(text(node))) if isinstance(node, Scalar) else []

    def _env_files(self, node: Node | None) -> Iterator[Traced]:
        for item in node.items if isinstance(node, Items) else (node,):
            yield from texts(item.get("path") if isinstance(item, Table) else item)

    def _seen(self, service: Table) -> tuple[Layout | None, str | None]:
        """Which files of the tree the container has, and the folder that it runs in."""
        copies: list[tuple[str, tuple[str, ...]]] = []
        volumes = service.get("volumes")
        for item in volumes.items if isinstance(volumes, Items) else ():
            if isinstance(item, Table):
                source, target = self.said(text(item.get("source"))), self.said(text(item.get("target")))
            else:
                whole = self.said(text(item))
                parts = whole.text.split(":")
                source = whole.cut(0, len(parts[0]))
                target = literal(parts[1]) if len(parts) > 1 else EMPTY
            if source.known and target.known and source.text.startswith(".") and target.text.startswith("/"):
                there = inside(self.folder, source.text)
                if there is not None:
                    copies.append((normpath(target.text), (there,)))
        folder = self.said(text(service.get("working_dir")))
        if not copies:
            return Layout(), None
        directory = folder.text if folder.known and folder.text.startswith("/") else None
        if directory is None and not folder and len(copies) == 1:
            directory = copies[0][0]  # the image's own folder is as a rule the one that is mounted
        return Layout(tuple(copies)), IN_CONTAINER + normpath(directory) if directory is not None else None


def split(whole: Traced) -> list[Traced]:
    """The words of a text, quotes taken off."""
    out: list[Traced] = []
    current: list[Traced] | None = None
    for found in _WORD.finditer(whole.text):
        if found[5] is not None:
            if current is not None:
                out.append(join(current))
            current = None
            continue
        group = next(i for i in (1, 2, 3, 4) if found[i] is not None)
        current = [*(current or ()), whole.cut(*found.span(group))]
    return [*out, join(current)] if current is not None else out
