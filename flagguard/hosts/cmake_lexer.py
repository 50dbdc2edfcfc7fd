"""CMake's files cut into commands, their arguments and the blocks that they make.

Follows cmake-language(7), "Source Files" and "Control Structures", and CMake's own scanner where that says less
(`Source/LexerParser/cmListFileLexer.in.l`). Nothing is evaluated here.
"""

from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache

from flagguard.patterns import expression
from flagguard.text import SourceText
from flagguard.values import dataclass, field


class Kind(Enum):
    UNQUOTED = "unquoted"
    QUOTED = "quoted"
    BRACKET = "bracket"


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument as it is written; ``start`` and ``end`` are what stands between its quotes or brackets."""

    kind: Kind
    text: str
    start: int
    end: int
    first: int
    last: int
    """Quotes and brackets included."""


@dataclass(frozen=True, slots=True)
class Invocation:
    name: str
    """In lower case."""
    arguments: tuple[Argument, ...]
    start: int
    end: int
    """Behind the closing parenthesis."""


@dataclass(frozen=True)
class Block:
    """`if`, `foreach`, `while`, `function`, `macro` or `block`, with what stands in it."""

    kind: str
    head: Invocation
    body: "tuple[Node, ...]"
    others: "tuple[tuple[Invocation, tuple[Node, ...]], ...]" = ()
    """Of an `if`: each `elseif` and `else`."""


Node = Invocation | Block


class BrokenFile(Exception):
    """Not CMake's language; ``at``: where."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at, self.message = at, message


_BLANK = expression(r"(?:[ \t\r\n]+|#(?!\[=*\[)[^\n]*)+")
_NAME = expression(r"[A-Za-z_][A-Za-z0-9_]*")
_OPENS = expression(r"[ \t\r\n]*\(")
_BRACKET = expression(r"\[(=*)\[")
_QUOTED = expression(r'"((?:[^"\\]|\\[\s\S])*)"')
_MAKE = r"\$\([A-Za-z0-9_]*\)"
_PLAIN = r'[^ \t\r\n\0()#"\\]|\\[^\n\0]'
_UNQUOTED = expression(rf'(?:{_MAKE}|{_PLAIN})(?:{_MAKE}|{_PLAIN}|"(?:{_MAKE}|{_PLAIN}|[ \t])*")*')


@lru_cache(maxsize=1024)
def parsed(path: str, text: str) -> "tuple[Node, ...] | BrokenFile":
    """The commands of a file in their blocks, or what is wrong with it."""
    del path
    try:
        return _Blocks(list(invocations(text))).all()
    except BrokenFile as broken:
        return broken


def nodes(source: SourceText) -> "tuple[Node, ...] | BrokenFile":
    return parsed(source.path, source.text)


# -- arguments --------------------------------------------------------------------------------------------------------


def invocations(text: str) -> Iterator[Invocation]:
    """Every command in the order of the file. Raises BrokenFile."""
    at = _skipped(text, 1 if text.startswith("\ufeff") else 0)
    while at < len(text):
        name = _NAME.match(text, at)
        opens = _OPENS.match(text, name.end()) if name is not None else None
        if name is None:
            raise BrokenFile(at, f"a command was expected at “{_said(text, at)}”")
        if opens is None:
            raise BrokenFile(at, f"“(” was expected after “{name[0]}”")
        arguments, end = _arguments(text, opens.end(), at)
        yield Invocation(name[0].lower(), tuple(arguments), at, end)
        at = _skipped(text, end)


def _said(text: str, at: int) -> str:
    return text[at : at + 40].split("\n", maxsplit=1)[0]


def _skipped(text: str, at: int) -> int:
    """Behind blanks and comments."""
    while True:
        found = _BLANK.match(text, at)
        at = found.end() if found is not None else at
        if not text.startswith("#[", at):
            return at
        at = _bracket_end(text, at + 1)[1]


def _bracket_end(text: str, at: int) -> tuple[int, int]:
    """Where what stands in the brackets ends, and where they do."""
    opening = _BRACKET.match(text, at)
    assert opening is not None
    closing = f"]{opening[1]}]"
    end = text.find(closing, opening.end())
    if end < 0:
        raise BrokenFile(at, f"“{opening[0]}” is not closed")
    return end, end + len(closing)


def _arguments(text: str, at: int, command: int) -> tuple[list[Argument], int]:
    """The arguments from behind the opening parenthesis, and where the command ends."""
    found: list[Argument] = []
    depth = 0
    while True:
        at = _skipped(text, at)
        if at >= len(text):
            raise BrokenFile(command, f"the parenthesis of “{_said(text, command)}” is not closed")
        char = text[at]
        if char == ")":
            if not depth:
                return found, at + 1
            depth -= 1
        elif char == "(":
            depth += 1
        if char in "()":
            found.append(Argument(Kind.UNQUOTED, char, at, at + 1, at, at + 1))
            at += 1
            continue
        found.append(_argument(text, at))
        at = found[-1].last


def _argument(text: str, at: int) -> Argument:
    bracket = _BRACKET.match(text, at) if text[at] == "[" else None
    if bracket is not None:
        end, last = _bracket_end(text, at)
        start = bracket.end()
        if text.startswith("\r\n", start):
            start += 2
        elif text.startswith("\n", start):
            start += 1
        return Argument(Kind.BRACKET, text[start:end] if end > start else "", start, max(end, start), at, last)
    if text[at] == '"':
        quoted = _QUOTED.match(text, at)
        if quoted is None:
            raise BrokenFile(at, "a string is not closed")
        return Argument(Kind.QUOTED, quoted[1], at + 1, quoted.end() - 1, at, quoted.end())
    plain = _UNQUOTED.match(text, at)
    if plain is None:
        raise BrokenFile(at, f"“{_said(text, at)}” cannot be read")
    return Argument(Kind.UNQUOTED, plain[0], at, plain.end(), at, plain.end())


# -- blocks -----------------------------------------------------------------------------------------------------------

_ENDS = {
    "if": "endif", "foreach": "endforeach", "while": "endwhile",
    "function": "endfunction", "macro": "endmacro", "block": "endblock",
}  # fmt: skip
_DEEPEST = 60
_CLOSING = frozenset(_ENDS.values()) | {"else", "elseif"}


@dataclass
class _Blocks:
    commands: Sequence[Invocation]
    at: int = field(default=0)
    depth: int = field(default=0)

    def all(self) -> tuple[Node, ...]:
        found = self._body(None)
        if self.at < len(self.commands):
            left = self.commands[self.at]
            raise BrokenFile(left.start, f"“{left.name}” closes nothing that is open")
        return found

    def _body(self, opener: Invocation | None) -> tuple[Node, ...]:
        """Up to what closes the block that ``opener`` opens."""
        found: list[Node] = []
        while self.at < len(self.commands):
            command = self.commands[self.at]
            if command.name in _CLOSING:
                return tuple(found)
            self.at += 1
            found.append(self._block(command) if command.name in _ENDS else command)
        if opener is not None:
            raise BrokenFile(opener.start, f"“{opener.name}” has no “{_ENDS[opener.name]}”")
        return tuple(found)

    def _block(self, head: Invocation) -> Block:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise BrokenFile(head.start, "blocks nest too deeply to be read")
        body = self._body(head)
        others: list[tuple[Invocation, tuple[Node, ...]]] = []
        while self.at < len(self.commands):
            closing = self.commands[self.at]
            self.at += 1
            if closing.name == _ENDS[head.name]:
                self.depth -= 1
                return Block(head.name, head, body, tuple(others))
            if head.name != "if" or closing.name not in ("elseif", "else"):
                raise BrokenFile(closing.start, f"“{closing.name}” does not close “{head.name}”")
            others.append((closing, self._body(head)))
        raise BrokenFile(head.start, f"“{head.name}” has no “{_ENDS[head.name]}”")
