"""The shell's syntax as values: what the parser makes and the evaluation walks.

After the grammar of POSIX.1-2024 XCU 2.10 and the bash manual, chapter 3. Literals carry their traced text, so that a
node means the same wherever it came from; nothing here expands or runs anything.
"""

from enum import Enum

from flagguard.text import Route, Span, Traced
from flagguard.values import dataclass


@dataclass(frozen=True, slots=True)
class Lit:
    """Text after quote removal; unquoted text may still be a pattern, a tilde or a brace expansion."""

    value: Traced
    quoted: bool


BAD = "bad"
"""The operator of a ``${…}`` that no shell takes."""


@dataclass(frozen=True, slots=True)
class Param:
    """``$name`` or ``${…}``. ``op``: the operator as written (``:-``, ``##``, ``/``, ``:``, ``^^``, ``@``) or empty."""

    name: str
    shown: str
    route: Route
    quoted: bool
    op: str = ""
    argument: "WordNode | None" = None
    second: "WordNode | None" = None
    index: "WordNode | None" = None
    length: bool = False
    indirect: bool = False


@dataclass(frozen=True, slots=True)
class CommandSub:
    body: "ListNode"
    shown: str
    route: Route
    quoted: bool


@dataclass(frozen=True, slots=True)
class ProcessSub:
    body: "ListNode"
    shown: str
    route: Route


@dataclass(frozen=True, slots=True)
class ArithmeticSub:
    expression: "WordNode"
    shown: str
    route: Route
    quoted: bool


Part = Lit | Param | CommandSub | ProcessSub | ArithmeticSub


@dataclass(frozen=True, slots=True)
class WordNode:
    parts: tuple[Part, ...]
    route: Route = ()
    """The written word, quotes and all."""
    shown: str = ""

    @property
    def written(self) -> Span | None:
        return self.route[-1] if self.route else None

    @property
    def literal(self) -> str | None:
        """The word's text where nothing in it expands; None otherwise."""
        parts = self.parts
        if len(parts) == 1 and isinstance(parts[0], Lit):
            return parts[0].value.text if parts[0].value.known else None
        out = []
        for part in parts:
            if not isinstance(part, Lit) or not part.value.known:
                return None
            out.append(part.value.text)
        return "".join(out)

    @property
    def quoted(self) -> bool:
        """Whether any part of it is quoted (a here-document's delimiter, a reserved word)."""
        return any(p.quoted for p in self.parts if isinstance(p, Lit))


@dataclass(frozen=True, slots=True)
class ArrayNode:
    """``( [index]=value … )`` of an array assignment."""

    items: tuple[tuple["WordNode | None", WordNode], ...]


@dataclass(frozen=True, slots=True)
class Assign:
    name: str
    value: WordNode | ArrayNode
    append: bool = False
    index: WordNode | None = None
    route: Route = ()
    bare: bool = False
    """A name without ``=`` among the operands of `export`, `local` and their like."""


@dataclass(slots=True)
class Redirect:
    """``fd op target``; for a here-document ``target`` is its body, filled in when the parser reaches it."""

    op: str
    fd: str
    target: WordNode
    delimiter: str = ""
    raw: bool = False
    """A here-document whose delimiter is quoted: its body is literal."""


@dataclass(frozen=True, slots=True)
class Simple:
    assigns: tuple[Assign, ...]
    words: tuple["WordNode | Assign", ...]
    redirects: tuple[Redirect, ...]
    route: Route = ()
    shown: str = ""
    text: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    """Where the words stand in ``text``: assignments, words, targets of redirections."""


@dataclass(frozen=True, slots=True)
class Group:
    body: "ListNode"


@dataclass(frozen=True, slots=True)
class Subshell:
    body: "ListNode"


@dataclass(frozen=True, slots=True)
class If:
    arms: tuple[tuple["ListNode", "ListNode"], ...]
    orelse: "ListNode | None"


class After(Enum):
    """What ends a case arm."""

    STOP = ";;"
    FALL = ";&"
    TEST = ";;&"


@dataclass(frozen=True, slots=True)
class Arm:
    patterns: tuple[WordNode, ...]
    body: "ListNode"
    after: After


@dataclass(frozen=True, slots=True)
class Case:
    word: WordNode
    arms: tuple[Arm, ...]


@dataclass(frozen=True, slots=True)
class For:
    name: str
    words: tuple[WordNode, ...] | None
    """None: over the positional parameters."""
    body: "ListNode"
    select: bool = False


@dataclass(frozen=True, slots=True)
class CFor:
    start: WordNode
    test: WordNode
    step: WordNode
    body: "ListNode"


@dataclass(frozen=True, slots=True)
class Loop:
    """``while`` and ``until``."""

    test: "ListNode"
    body: "ListNode"
    until: bool


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    body: "Node"


@dataclass(frozen=True, slots=True)
class Unary:
    op: str
    operand: WordNode


@dataclass(frozen=True, slots=True)
class Binary:
    op: str
    left: WordNode
    right: WordNode


@dataclass(frozen=True, slots=True)
class Not:
    inner: "Test"


@dataclass(frozen=True, slots=True)
class Both:
    left: "Test"
    right: "Test"


@dataclass(frozen=True, slots=True)
class Either:
    left: "Test"
    right: "Test"


Test = Unary | Binary | Not | Both | Either


@dataclass(frozen=True, slots=True)
class Cond:
    """``[[ … ]]``."""

    test: Test
    shown: str
    route: Route


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``(( … ))``."""

    expression: WordNode
    shown: str


@dataclass(frozen=True, slots=True)
class Redirected:
    """A compound command with redirections."""

    inner: "Node"
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, slots=True)
class Pipeline:
    commands: tuple["Node", ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class AndOr:
    first: "Node"
    rest: tuple[tuple[str, "Node"], ...]


@dataclass(frozen=True, slots=True)
class Item:
    node: "Node"
    background: bool
    shown: str
    closes: bool = False
    """It is the last of a line that the shell reads, at the top of a text."""

    @property
    def tests(self) -> bool:
        """Whether errexit does not look at it: `&&` and `||` decide that themselves, `!` turns it off (XCU set -e)."""
        return isinstance(self.node, AndOr) or (isinstance(self.node, Pipeline) and self.node.negated)


@dataclass(frozen=True, slots=True)
class ListNode:
    items: tuple[Item, ...]


Node = (
    Simple
    | Group
    | Subshell
    | If
    | Case
    | For
    | CFor
    | Loop
    | Function
    | Cond
    | Arithmetic
    | Redirected
    | Pipeline
    | AndOr
    | ListNode
)


class ShellSyntaxError(Exception):
    """The text is no shell script from ``offset`` on."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
