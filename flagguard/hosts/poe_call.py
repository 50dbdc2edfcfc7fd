"""How a task of poethepoet is called: the words of `poe NAME …`, and what a task's `args` make of them.

Follows https://poethepoet.natn.io/guides/args_guide.html and poe's own command line (`poe --help`), as of 0.49.
"""

from collections.abc import Sequence

from flagguard.command import Variable, Word
from flagguard.hosts.tree import Items, Node, Scalar, Table, text_of
from flagguard.text import EMPTY, Traced, join, literal
from flagguard.values import dataclass, field

_WITH_VALUE = ("-e", "--executor", "-X", "--executor-opt")
_FOLDER = ("-C", "--directory", "--root")
_NO_RUN = ("-h", "--help", "--version", "-d", "--dry-run")


@dataclass(frozen=True)
class CommandLine:
    """One call of poe."""

    task: str
    words: tuple[Word, ...]
    """What follows the task's name."""
    folder: Traced | None = None


def read(words: Sequence[Word]) -> CommandLine | None:
    """The words behind the program; None where no task is run, or nobody knows which."""
    folder: Traced | None = None
    at = 0
    while at < len(words):
        word = words[at]
        name, equals, _ = word.text.partition("=")
        at += 1
        if not word.text.startswith("-"):
            return CommandLine(word.text, tuple(words[at:]), folder) if word.known else None
        if name in _NO_RUN:
            return None
        if name in _FOLDER or name in _WITH_VALUE:
            value: Traced = word.cut(len(name) + 1, len(word))
            if not equals:
                value = words[at] if at < len(words) else EMPTY
                at += 1
            folder = value if name in _FOLDER else folder
    return None


@dataclass(frozen=True)
class Called:
    """How a task is called."""

    task: str
    words: tuple[Word, ...]
    variables: tuple[Variable, ...]
    within: bool = False
    """By a task of the same run, where what the file says for all tasks is there already."""


@dataclass(frozen=True)
class Given:
    """What a task's arguments are."""

    values: dict[str, Traced] = field(default_factory=dict)
    switches: frozenset[str] = frozenset()
    """The boolean arguments that are given."""
    extra: tuple[Word, ...] = ()
    """Words for the command itself."""
    unsure: bool = False
    """A word that is not known may stand for any argument."""


@dataclass(frozen=True)
class _Argument:
    name: str
    options: tuple[str, ...]
    positional: bool
    multiple: bool
    boolean: bool


def given(args: Node | None, words: Sequence[Word]) -> Given:
    """The words of a call, by the task's `args`. Without `args` every word is for the command."""
    if args is None:
        return Given(extra=tuple(words))
    declared = [_argument(name, node) for name, node in arguments(args)]
    options = {option: a for a in declared if not a.positional for option in a.options}
    waiting = [a for a in declared if a.positional]
    values: dict[str, list[Traced]] = {}
    switches: set[str] = set()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, _ = word.text.partition("=")
        if word.text == "--":
            break
        found = options.get(name)
        if found is not None and found.boolean:
            switches.add(found.name)
        elif found is not None:
            first = word.cut(len(name) + 1, len(word)) if equals else rest.pop(0) if rest else EMPTY
            values.setdefault(found.name, []).append(first)
            while found.multiple and rest and not rest[0].text.startswith("-"):
                values[found.name].append(rest.pop(0))
        elif waiting and not word.text.startswith("-"):
            values.setdefault(waiting[0].name, []).append(word)
            if not waiting[0].multiple:
                waiting.pop(0)
        elif not word.known:
            return Given(unsure=True)
    return Given({name: _together(found) for name, found in values.items()}, frozenset(switches), tuple(rest))


def arguments(args: Node) -> list[tuple[str, Node]]:
    """The names of `args`, with what is said of each."""
    if isinstance(args, Table):
        return [(e.name, e.value) for e in args.entries]
    found = []
    for item in args.items if isinstance(args, Items) else ():
        written = item.get("name") if isinstance(item, Table) else item
        if text_of(written).text:
            found.append((text_of(written).text, item))
    return found


def _argument(name: str, node: Node) -> _Argument:
    def says(key: str) -> object:
        value = node.get(key) if isinstance(node, Table) else None
        return value.value if isinstance(value, Scalar) else None

    spelled = node.get("options") if isinstance(node, Table) else None
    options = tuple(text_of(o).text for o in spelled.items) if isinstance(spelled, Items) else ()
    return _Argument(
        name,
        options or (f"--{name.lstrip('_')}",),
        bool(says("positional")),
        bool(says("multiple")),
        says("type") == "boolean",
    )


def _together(values: Sequence[Traced]) -> Traced:
    return join([part for i, value in enumerate(values) for part in ((literal(" "), value) if i else (value,))])
