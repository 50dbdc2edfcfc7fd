"""Cargo's configuration: the files that a command finds from its folder upwards, merged.

Follows The Cargo Book, "Configuration": deeper files come before those above them; a list is joined, the one of higher
precedence last; a text replaces. `include` (1.94) comes before the file that names it. Only what decides flags is kept.
"""

from collections.abc import Iterable, Sequence

from flagguard.hosts import Files, toml_text
from flagguard.hosts.tree import Items, Kind, Node, Scalar, Table, text_of
from flagguard.paths import IN_CONTAINER, inside
from flagguard.patterns import expression
from flagguard.reaching import Part
from flagguard.text import Decider, Hole, Problem, Traced, hole, literal
from flagguard.values import dataclass, field

_MOST_FILES = 50
_WORD = expression(r"\S+")
ANY = "*"
"""The key for what may be set under any other: an include that is not read."""


@dataclass(frozen=True)
class Value:
    """A text or a list of texts in one file."""

    words: tuple[Traced, ...]
    listed: bool
    part: Part
    """The file that cargo finds, and the key."""
    node: Node


@dataclass
class Configuration:
    """What the files come to."""

    files: Files
    rustflags: dict[str, list[Value]] = field(default_factory=dict)
    """By `build`, or the key of the table in `target`."""
    targets: list[Value] = field(default_factory=list)
    aliases: dict[str, list[Value]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    _read: set[tuple[str, str]] = field(default_factory=set)

    def load(self, folder: str) -> bool:
        """The configuration of one folder, if it has one."""
        for name in ("config", "config.toml"):  # cargo takes the one without an ending where there are both
            path = f"{folder}/{name}" if folder else name
            if self.files.read(path) is not None:
                self.load_file(path, path)
                return True
        return False

    def load_file(self, path: str, top: str) -> bool:
        """One file, and before it those that it includes; whether it is there."""
        source = self.files.read(path)
        if source is None:
            return False
        if (path, top) in self._read or len(self._read) > _MOST_FILES:
            return True
        self._read.add((path, top))
        document = toml_text.read(source)
        self.problems += document.problems
        root = document.root
        if not isinstance(root, Table):
            return True
        self._includes(root, path, top)
        at = source.path if path == top else top
        _put(self.rustflags.setdefault("build", []), _of(root, "build", "rustflags"), (at, "build.rustflags"))
        _put(self.targets, _of(root, "build", "target"), (at, "build.target"))
        targets = root.get("target")
        for entry in targets.entries if isinstance(targets, Table) else ():
            own = entry.value.get("rustflags") if isinstance(entry.value, Table) else None
            _put(self.rustflags.setdefault(entry.name, []), own, (at, f"target.{entry.name}.rustflags"))
        aliases = root.get("alias")
        for entry in aliases.entries if isinstance(aliases, Table) else ():
            _put(self.aliases.setdefault(entry.name, []), entry.value, (at, f"alias.{entry.name}"))
        return True

    def _includes(self, root: Table, path: str, top: str) -> None:
        listed = root.get("include")
        for item in listed.items if isinstance(listed, Items) else (listed,) if listed is not None else ():
            name = text_of(item.get("path") if isinstance(item, Table) else item)
            optional = isinstance(item, Table) and isinstance(o := item.get("optional"), Scalar) and o.value is True
            folder = path.rpartition("/")[0]
            there = inside(folder, name.text) if name.text and name.text[0] not in "/~" else None
            if there is not None and self.load_file(there, top):
                continue
            if not optional or there is None:
                missing = Hole(
                    name.text, "the configuration that is included is not in the repository", Decider.REPOSITORY
                )
                unread = Value((hole(missing, name.route),), True, (top, "include"), item)
                self.rustflags.setdefault(ANY, []).append(unread)


def configuration(files: Files, folders: Iterable[str]) -> Configuration:
    """The configuration of the folders, the last of which comes before the others."""
    out = Configuration(files)
    for folder in folders:
        out.load(folder)
    return out


def folders_above(directory: str, home: Sequence[str] = ()) -> list[str]:
    """The `.cargo` folders that cargo looks into, those of lowest precedence first."""
    mark = IN_CONTAINER if directory.startswith(IN_CONTAINER) else ""
    parts = [p for p in directory.removeprefix(mark).split("/") if p]
    root = mark + "/" if mark else ""
    here = [root + "/".join(parts[:count]) for count in range(len(parts) + 1)]
    return [*home, *(f"{folder.rstrip('/')}/.cargo" if folder else ".cargo" for folder in here)]


def _of(root: Table, table: str, key: str) -> Node | None:
    found = root.get(table)
    return found.get(key) if isinstance(found, Table) else None


def _put(values: list[Value], node: Node | None, part: Part) -> None:
    """Merges a value of higher precedence."""
    if node is None:
        return
    listed = isinstance(node, Items)
    if isinstance(node, Items):
        words = tuple(text_of(item) for item in node.items if _is_text(item))
    elif _is_text(node):
        words = words_of(text_of(node))
    else:
        return
    if not listed:
        values[:] = [value for value in values if value.listed]
    values.append(Value(words, listed, part, node))


def _is_text(node: Node) -> bool:
    return isinstance(node, Scalar) and node.kind is Kind.STRING


def words_of(text: Traced) -> tuple[Traced, ...]:
    """The words of a text between blanks; quotes are nothing special."""
    return tuple(text.cut(*found.span()) for found in _WORD.finditer(text.text))


UNIT = "\x1f"
"""What stands between the words of a list that is one text."""


def one_text(words: Iterable[Traced]) -> Traced:
    pieces = [piece for word in words if word.pieces for piece in (*literal(UNIT).pieces, *word.pieces)]
    return Traced(tuple(pieces[1:]))
