"""uv: what `[tool.uv]` of `pyproject.toml`, or `uv.toml`, adds to `uv sync`, `uv build`, `uv pip install`, `uv lock`.

Follows https://docs.astral.sh/uv/reference/settings/ and https://docs.astral.sh/uv/concepts/configuration-files/: only
what decides how packages are built. Settings are the options that they stand for; that no command reaches them, they
are the command `uv:settings`. The variables that a package is built with are `uv:extra-build-variables PACKAGE`.
"""

from collections.abc import Iterator, Sequence

from flagguard.command import Call, Command, Place, Reading, Variable, Word
from flagguard.hosts import Folded, Setting
from flagguard.hosts.task_tables import above, inner, is_true, toml
from flagguard.hosts.tree import Entry, Items, Node, Scalar, Table, text_of
from flagguard.text import Piece, Problem, SourceText, Span, Traced, join, literal
from flagguard.values import dataclass, replace

NAME = "uv"
_SWITCHES = ("no-build-isolation", "no-build", "no-binary")
_LISTS = ("no-build-isolation-package", "no-build-package", "no-binary-package")
_TABLES = (("config-settings", 1, True), ("config-settings-package", 2, True), ("extra-build-variables", 2, False))
"""Tables, how deep texts stand in them, and whether there may be lists of them."""
_OF_PIP = ("require-hashes",)
_COMMANDS = frozenset({"sync", "build", "pip", "add", "remove", "run", "lock", "tool", "export", "tree"})


@dataclass(frozen=True)
class _Setting:
    """One setting, as the words that it stands for."""

    key: Span
    words: tuple[Word, ...]
    unit: str


def read(source: SourceText, setting: Setting) -> Reading:
    del setting
    document = toml(source)
    calls: list[Call] = []
    problems: dict[Problem, None] = dict.fromkeys(document.problems)
    own = inner(document.root, "tool", NAME)
    if own is not None and not isinstance(own, Table):
        line = source.position(own.span.start)[0]
        problems[Problem(source.path, line, f"tool.uv: has to be a table, and is {own.named}", key="tool.uv")] = None
    for root, unit in _roots(source):
        for one in _settings(root, unit):
            program = Word((Piece("uv:settings", (one.key,)),), one.key)
            calls.append(Call((program, *one.words), Place(NAME, target=unit), one.key, unit=unit))
        for entry in _entries(root.get("extra-build-variables")):
            program = Word((Piece("uv:extra-build-variables", (entry.key,)),), entry.key)
            env = tuple(Variable(e.name, text_of(e.value)) for e in _entries(entry.value))
            package = Word((Piece(entry.name, (entry.key,)),), entry.key)
            calls.append(
                Call((program, package), Place(NAME, target=unit), entry.key, env=env, unit=f"{unit}:variables")
            )
        problems.update(dict.fromkeys(_odd(source, root)))
    return Reading(calls=tuple(calls), problems=tuple(problems))


def fold(command: Command, setting: Setting) -> Folded | None:
    """The command with the options that the settings of its project stand for."""
    texts = [word.text for word in command.argv[1:]]
    name = next((text for text in texts if not text.startswith("-")), "")
    if name not in _COMMANDS or command.directory is None or "--no-config" in texts or "--config-file" in texts:
        return None
    source = above(command.directory, ("uv.toml", "pyproject.toml"), setting, lambda s: bool(_roots(s)))
    if source is None:
        return None
    settings = [one for root, unit in _roots(source) if unit == NAME or name == "pip" for one in _settings(root, unit)]
    if not settings:
        return None
    brought = tuple(word for one in settings for word in one.words)
    parts = dict.fromkeys((source.path, one.unit) for one in settings)
    return Folded((replace(command, brought=(*command.brought, *brought)),), tuple(parts))


def _roots(source: SourceText) -> list[tuple[Table, str]]:
    """The table of the settings, and that of those for `uv pip` alone."""
    document = toml(source)
    root = document.root if source.path.endswith("uv.toml") else inner(document.root, "tool", NAME)
    found = [(root, NAME), (inner(root, "pip"), "uv pip")]
    return [(node, unit) for node, unit in found if isinstance(node, Table)]


def _entries(node: Node | None) -> Sequence[Entry]:
    return node.entries if isinstance(node, Table) else ()


def _odd(source: SourceText, root: Table) -> Iterator[Problem]:
    """Settings of another kind than uv has there, which it refuses."""

    def wrong(node: Node, key: str, wanted: str) -> Problem:
        line = source.position(node.span.start)[0]
        return Problem(source.path, line, f"{key}: has to be {wanted}, and is {node.named}", key=key)

    for name, deep, listed in _TABLES:
        waiting = [(root.get(name), name, deep)]
        while waiting:
            node, key, below = waiting.pop()
            if node is None:
                continue
            if below and isinstance(node, Table):
                waiting += [(e.value, f"{key}.{e.name}", below - 1) for e in reversed(node.entries)]
            elif below:
                yield wrong(node, key, "a table")
            elif isinstance(node, Table) or (isinstance(node, Items) and not listed):
                yield wrong(node, key, "a text or a list of texts" if listed else "a text")
    for name in _LISTS:
        node = root.get(name)
        if node is not None and not isinstance(node, Items):
            yield wrong(node, name, "a list")


def _settings(root: Table, unit: str) -> Iterator[_Setting]:
    for name in (*_SWITCHES, *_OF_PIP):
        entry = root.by_name.get(name)
        if entry is not None and is_true(entry.value):
            yield _Setting(entry.key, (_word(literal(f"--{name}", entry.key)),), unit)
        elif entry is not None and isinstance(entry.value, Items):  # `uv pip`: packages, `:all:`
            yield _Setting(entry.key, tuple(_valued(f"--{name}", entry.key, entry.value)), unit)
    for name in _LISTS:
        entry = root.by_name.get(name)
        if entry is not None and isinstance(entry.value, Items):
            yield _Setting(entry.key, tuple(_valued(f"--{name}", entry.key, entry.value)), unit)
    for entry in _entries(root.get("config-settings")):
        yield _Setting(entry.key, tuple(_pairs("--config-setting", entry, literal(""))), unit)
    for package in _entries(root.get("config-settings-package")):
        for entry in _entries(package.value):
            before = literal(f"{package.name}:", package.key)
            yield _Setting(entry.key, tuple(_pairs("--config-settings-package", entry, before)), unit)


def _valued(option: str, key: Span, node: Items) -> Iterator[Word]:
    for item in node.items:
        yield _word(literal(option, key))
        yield _word(text_of(item))


def _pairs(option: str, entry: Entry, before: Traced) -> Iterator[Word]:
    for value in entry.value.items if isinstance(entry.value, Items) else (entry.value,):
        if isinstance(value, Scalar):
            yield _word(literal(option, entry.key))
            yield _word(join([before, literal(entry.name, entry.key), literal("="), text_of(value)]))


def _word(text: Traced) -> Word:
    return Word(text.pieces)
