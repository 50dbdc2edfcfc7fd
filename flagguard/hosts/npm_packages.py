"""Which package.json a call means: the nearest one, one that an option names, or members of a workspace.

Follows https://docs.npmjs.com/cli/using-npm/workspaces, https://pnpm.io/filtering and https://yarnpkg.com/features/workspaces.
What a package's scripts run is not known here.
"""

import posixpath
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache

from flagguard.globs import matches
from flagguard.hosts import Setting
from flagguard.hosts.npm_call import Line
from flagguard.hosts.tree import Document, Items, Table, text_of
from flagguard.paths import resolved
from flagguard.text import SourceText

FILE = "package.json"


@lru_cache(maxsize=64)
def document(source: SourceText) -> Document:
    from flagguard.hosts import yaml_text

    return yaml_text.read_json(source)


def table(source: SourceText) -> Table | None:
    root = document(source).root
    return root if isinstance(root, Table) else None


def nearest(directory: str, setting: Setting) -> SourceText | None:
    """The package.json of the folder or of the nearest one above."""
    while True:
        source = setting.files.read(f"{directory}/{FILE}".lstrip("/"))
        if source is not None or not directory:
            return source
        directory = directory.rpartition("/")[0]


def meant(line: Line, directory: str, setting: Setting) -> list[SourceText]:
    """The packages that a call runs scripts of."""
    start: str | None = directory
    if line.folder is not None:
        start = resolved(line.folder, directory)
    if start is None:
        return []
    source = nearest(start, setting)
    if source is None:
        return []
    if not line.members and not line.all_members:
        return [source]
    found = list(_members(_root(source, setting), setting))
    if line.members:
        found = [p for p in found if any(_is(p, name) for name in line.members)]
    return found


def _root(source: SourceText, setting: Setting) -> SourceText:
    """The workspace that a package is a member of, or the package itself."""
    folder = posixpath.dirname(source.path)
    above: SourceText | None = source
    while above is not None:
        if _patterns(above, setting):
            return above
        folder = posixpath.dirname(above.path)
        above = nearest(folder.rpartition("/")[0], setting) if folder else None
    return source


def _patterns(source: SourceText, setting: Setting) -> list[str]:
    root = table(source)
    said = root.get("workspaces") if root is not None else None
    if isinstance(said, Table):
        said = said.get("packages")
    found = [text_of(n).text for n in said.items] if isinstance(said, Items) else []
    name = posixpath.join(posixpath.dirname(source.path), "pnpm-workspace.yaml")
    other = setting.files.read(name) if not found else None
    if other is not None:
        from flagguard.hosts import yaml_text

        top = yaml_text.read(other).root
        listed = top.get("packages") if isinstance(top, Table) else None
        found = [text_of(n).text for n in listed.items] if isinstance(listed, Items) else []
    return [pattern for pattern in found if pattern]


def _members(root: SourceText, setting: Setting) -> Iterator[SourceText]:
    folder = posixpath.dirname(root.path)
    patterns = [posixpath.normpath(posixpath.join(folder, p.removeprefix("!"))) for p in _patterns(root, setting)]
    refused = [p.startswith("!") for p in _patterns(root, setting)]
    for path in setting.files.paths():
        there, name = posixpath.split(path)
        if name != FILE or "node_modules/" in path or path == root.path:
            continue
        chosen = False
        for pattern, without in zip(patterns, refused, strict=True):
            if matches(pattern, there, path=True):
                chosen = not without
        source = setting.files.read(path) if chosen else None
        if source is not None:
            yield source


def _is(source: SourceText, name: str) -> bool:
    """Whether a package is the one that is named, by its name or its folder."""
    root = table(source)
    own = text_of(root.get("name")).text if root is not None else ""
    folder = posixpath.dirname(source.path)
    wanted = name.removesuffix("...").removeprefix("...")
    path = wanted.strip("{}").removeprefix("./").rstrip("/")
    short = own.rpartition("/")[2]
    return (
        fnmatchcase(own, wanted)
        or (wanted == short and not wanted.startswith("@"))
        or folder == path
        or folder.endswith(f"/{path}")
        or fnmatchcase(folder, path)
    )
