"""The packages of a JavaScript workspace as turbo, lerna and Nx see them: names, scripts, and which need which.

Follows https://docs.npmjs.com/cli/using-npm/workspaces and https://pnpm.io/workspaces. Which of them run is not
known here.
"""

import posixpath
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from flagguard.command import Dialect, Script, Word
from flagguard.hosts import Setting
from flagguard.hosts.npm_call import Line
from flagguard.hosts.npm_packages import meant, nearest, table
from flagguard.hosts.tree import Table, text_of
from flagguard.patterns import expression
from flagguard.text import EMPTY, SourceText, Traced, literal
from flagguard.values import dataclass, replace

_MANAGER = expression(r"(npm|pnpm|yarn|bun)@")
_NEEDS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")


@dataclass(frozen=True)
class Package:
    name: str
    folder: str
    source: SourceText
    scripts: frozenset[str]
    needs: frozenset[str]
    """The names of all packages that it needs."""


def package(source: SourceText) -> Package:
    root = table(source)
    scripts = root.get("scripts") if root is not None else None
    names = frozenset(e.name for e in scripts.entries) if isinstance(scripts, Table) else frozenset[str]()
    needs: set[str] = set()
    for key in _NEEDS:
        said = root.get(key) if root is not None else None
        needs.update(e.name for e in said.entries) if isinstance(said, Table) else None
    folder = posixpath.dirname(source.path)
    name = text_of(root.get("name")).text if root is not None else ""
    return Package(name or posixpath.basename(folder), folder, source, names, frozenset(needs))


def top(directory: str, setting: Setting, *names: str) -> str | None:
    """The folder that holds one of the files, or the nearest one above."""
    while True:
        if any(setting.files.read(posixpath.join(directory, name)) is not None for name in names):
            return directory
        if not directory:
            return None
        directory = posixpath.dirname(directory)


def packages(folder: str, setting: Setting) -> list[Package]:
    """The members of the workspace at the folder; in one without members, its own package."""
    found = [package(source) for source in meant(Line("npm", all_members=True), folder, setting)]
    own = nearest(folder, setting)
    return found or ([package(own)] if own is not None else [])


def needed(chosen: Iterable[Package], everything: Iterable[Package]) -> Iterator[Package]:
    """The packages of the workspace that the chosen ones need, by way of others too."""
    by_name = {one.name: one for one in everything}
    waiting = [one for p in chosen for one in p.needs]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop(0)
        if name in seen or name not in by_name:
            continue
        seen.add(name)
        yield by_name[name]
        waiting += by_name[name].needs


def is_named(one: Package, pattern: str) -> bool:
    """Whether a filter means a package: by its name, or by its folder."""
    said = pattern.strip("{}").removeprefix("./").rstrip("/")
    return fnmatchcase(one.name, pattern) or one.name.rpartition("/")[2] == pattern or fnmatchcase(one.folder, said)


def manager(folder: str, setting: Setting) -> str:
    """The program that runs the scripts of the workspace."""
    source = setting.files.read(posixpath.join(folder, "package.json"))
    root = table(source) if source is not None else None
    found = _MANAGER.match(text_of(root.get("packageManager")).text) if root is not None else None
    if found is not None:
        return found[1]
    locks = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun"}
    return next((m for lock, m in locks.items() if setting.files.read(posixpath.join(folder, lock)) is not None), "npm")


def starts_script(script: Script, program: str, name: Traced, words: Iterable[Traced]) -> Script:
    """The command `npm run NAME -- WORD…`, as such a tool starts it."""
    behind = tuple(words)
    dashes = (literal("--"),) if behind and program == "npm" else ()
    said = (literal(program), literal("run"), name or EMPTY, *dashes, *behind)
    argv = tuple(Word(w.grounded(name.route).pieces) for w in said)
    return replace(script, dialect=Dialect.ARGV, argv=argv, text=EMPTY)
