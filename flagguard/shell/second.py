"""A second reader for whole scripts: tree-sitter-bash, which survives broken input (DESIGN 4.1).

Our own parser decides what a script means. Where it stops at a syntax error, the commands behind it are counted here,
so that none is lost silently. Imported only where it is needed.
"""

from collections.abc import Iterator
from functools import lru_cache

from tree_sitter import Language, Node, Parser
from tree_sitter_bash import language

from flagguard.text import Traced
from flagguard.values import dataclass

_COMMANDS = frozenset({"command", "declaration_command", "unset_command"})
_MOST_NAMED = 3
_MOST_COUNTED = 20_000
"""Characters behind an error in which commands are counted: tree-sitter takes long over text that is no shell."""
_OPAQUE = frozenset({"heredoc_body", "comment"})


@dataclass(frozen=True, slots=True)
class Found:
    """A command that tree-sitter finds: where it begins in the text, and its first line."""

    start: int
    shown: str


@lru_cache(maxsize=1)
def _parser() -> Parser:
    return Parser(Language(language()))


def commands(text: str) -> tuple[Found, ...]:
    """The commands of a script outside here-documents, in order, those in substitutions too."""
    data = text.encode("utf-8", "surrogatepass")
    offsets = _Offsets(text, data)
    found = []
    for node in _walk(_parser().parse(data).root_node):
        start = offsets.character(node.start_byte)
        shown = text[start : offsets.character(node.end_byte)].split("\n", 1)[0]
        found.append(Found(start, shown))
    return tuple(sorted(found, key=lambda f: f.start))


class _Offsets:
    """From bytes to characters."""

    def __init__(self, text: str, data: bytes) -> None:
        self._plain = len(data) == len(text)
        self._data = data
        self._at = [0, 0]

    def character(self, byte: int) -> int:
        if self._plain:
            return byte
        known_byte, known = self._at
        if byte < known_byte:
            known_byte = known = 0
        known += len(self._data[known_byte:byte].decode("utf-8", "surrogatepass"))
        self._at = [byte, known]
        return known


def _walk(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type in _OPAQUE:
            continue
        if node.type in _COMMANDS:
            yield node
        waiting.extend(reversed(node.children))


def hidden(text: Traced, offset: int) -> str:
    """Which commands a syntax error hides that begin at ``offset`` or later, as the end of a sentence."""
    cut = offset + _MOST_COUNTED < len(text)
    behind = commands(text.text[offset : offset + _MOST_COUNTED])
    if not behind:
        return ""
    named = [
        f"`{f.shown.split(maxsplit=1)[0]}` in line {_line(text, offset + f.start)}"
        for f in behind[:_MOST_NAMED]
        if f.shown
    ]
    more = ", …" if len(behind) > _MOST_NAMED else ""
    least = "at least " if cut else ""
    return f": {least}{len(behind)} {'commands' if len(behind) > 1 else 'command'} ({', '.join(named)}{more})"


def _line(text: Traced, offset: int) -> int:
    """The line of the script, counted from its first."""
    return text.text.count("\n", 0, offset) + 1
