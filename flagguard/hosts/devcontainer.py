"""Development containers: the image that is built, and the commands of its life cycle.

Follows https://containers.dev/implementors/json_reference/: a text goes to `/bin/sh`, a list is words, a table has
several that run side by side. `initializeCommand` runs on the developer's machine, the others in the container.
"""

from collections.abc import Iterator
from posixpath import dirname

from flagguard.command import Dialect, Reading, Script
from flagguard.hosts import Setting, image_builds, jsonc_text
from flagguard.hosts import dockerfile_platforms as platforms_
from flagguard.hosts.image_builds import Build
from flagguard.hosts.pipelines import Frame, Notes, Shell, fill, guarded, outside, text, texts
from flagguard.hosts.tree import Items, Node, Scalar, Table
from flagguard.patterns import expression
from flagguard.text import EMPTY, Shape, SourceText, Span, Traced, literal
from flagguard.values import replace

NAME = "devcontainer"

_COMMANDS = (
    "initializeCommand", "onCreateCommand", "updateContentCommand", "postCreateCommand", "postStartCommand",
    "postAttachCommand",
)  # fmt: skip
_USE = expression(
    r"\$\{(localEnv|containerEnv|localWorkspaceFolder|containerWorkspaceFolder|devcontainerId)"
    r"(?::([^}:]*))?(?::([^}]*))?\}"
    r"|\$\{(localWorkspaceFolderBasename|containerWorkspaceFolderBasename)\}"
)
_SH = Shell(Dialect.SH)


def read(source: SourceText, setting: Setting) -> Reading:
    notes = Notes(setting)

    def scripts() -> Iterator[Script]:
        for root in notes.documents(jsonc_text.plain(source))[:1]:
            table = notes.table(root, "the file")
            if table is not None:
                yield from _scripts(table, source.path, setting)

    return Reading(guarded(notes, source.path, scripts), problems=notes.all())


def _scripts(root: Table, path: str, setting: Setting) -> Iterator[Script]:
    folder = dirname(path)
    outer = path.rpartition(".devcontainer")[0].partition(".devcontainer")[0].rstrip("/")
    build = root.get("build")
    frame = Frame(NAME, directory=folder)
    if isinstance(build, Table):
        entry = root.by_name["build"]
        file = build.get("dockerfile") or build.get("dockerFile")
        if file is not None:
            context = _said(text(build.get("context"))) or literal(".", entry.key)
            args: dict[str, tuple[Span, Traced | None]] = {}
            given = build.get("args")
            for one in given.entries if isinstance(given, Table) else ():
                at = Span(one.key.path, one.key.start, max(one.key.end, one.value.span.end))
                args[one.name] = (at, _said(text(one.value)))
            found = Build(entry.key, context, _said(text(file)), _said(text(build.get("target"))), args)
            yield image_builds.script(found, frame, "build")
    elif text(root.get("dockerFile")):
        context = _said(text(root.get("context"))) or EMPTY
        found = Build(root.by_name["dockerFile"].key, context or None, _said(text(root.get("dockerFile"))))
        yield image_builds.script(found, frame, "build")
    values: dict[str, Traced] = {}
    for key in ("containerEnv", "remoteEnv"):
        node = root.get(key)
        for one in node.entries if isinstance(node, Table) else ():
            if isinstance(one.value, Scalar):
                values[one.name] = _said(text(one.value))
    inner = replace(frame, directory=outer, values=values, platforms=frozenset(platforms_.linux(setting.platforms)))
    for number, key in enumerate(_COMMANDS):
        here = replace(frame, directory=outer) if key == "initializeCommand" else inner
        yield from _command(root.get(key), replace(here, order=(number,)), key)


def _command(node: Node | None, frame: Frame, key: str) -> Iterator[Script]:
    if isinstance(node, Table):
        for entry in node.entries:
            yield from _command(entry.value, frame, f"{key}: {entry.name}")
    elif isinstance(node, Items):
        words = [_said(one) for one in texts(node)]
        if words:
            yield image_builds.argv(words, frame, key)
    elif text(node):
        yield frame.script(key, _said(text(node)), _SH)


def _said(whole: Traced) -> Traced:
    """A text with its variables replaced."""

    def put(kind: str, name: str | None, default: str | None, written: Traced) -> Traced | None:
        if kind in ("localEnv", "containerEnv"):
            if default:
                at = written.text.rindex(default)
                return written.cut(at, at + len(default)).overridable()
            return outside(name or kind, written.text, "the developer's machine sets it")
        path = "" if kind.endswith("WorkspaceFolder") else None
        return outside(kind, written.text, "the developer's machine decides it", Shape.PATH, path)

    return fill(whole, _USE, lambda m, written: put(m[1] or m[4], m[2], m[3], written))
