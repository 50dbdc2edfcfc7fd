"""PowerShell's syntax as values: what the reader makes and the evaluation walks.

After the language's specification, chapters 7 and 8 (expressions, statements). Nodes hold where they stand in the
script (``start``, ``end``), so that a place is only worked out for what is shown. Nothing here evaluates anything.
"""

from flagguard.text import Traced
from flagguard.values import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """Text; ``quoted``: as a string says it."""

    value: Traced
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Variable:
    """``$name``, ``$env:NAME``; ``splat``: ``@name``; ``name`` in small letters, but for the environment."""

    name: str
    environment: bool
    start: int
    end: int
    splat: bool = False


@dataclass(frozen=True, slots=True)
class Str:
    """A string in double quotes, or a bare word: what stands in it becomes text."""

    parts: tuple["Expr", ...]
    quoted: bool = True


@dataclass(frozen=True, slots=True)
class Sub:
    """``$( … )``, ``( … )`` or ``@( … )``: statements whose output is the value."""

    body: tuple["Statement", ...]
    opening: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Array:
    """``a, b``."""

    items: tuple["Expr", ...]
    start: int
    end: int
    spans: tuple[tuple[int, int], ...] = ()
    """Where each item stands."""


@dataclass(frozen=True, slots=True)
class Hash:
    """``@{ key = value … }``."""

    entries: tuple[tuple["Expr", tuple["Statement", ...]], ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ScriptBlock:
    """``{ … }`` as a value."""

    params: tuple[tuple[str, "Expr | None"], ...]
    body: tuple["Statement", ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Binary:
    op: str
    left: "Expr"
    right: "Expr"
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Unary:
    """``-not``, ``!``, ``-``, a cast ``[type]``."""

    op: str
    operand: "Expr"
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Other:
    """Something whose value is not read: a member, an index, a type; ``inner``: what is computed for it."""

    inner: tuple["Expr", ...]
    start: int
    end: int


Expr = Text | Variable | Str | Sub | Array | Hash | ScriptBlock | Binary | Unary | Other


@dataclass(frozen=True, slots=True)
class Arg:
    """One argument as it is written. ``glued``: it stands right behind the one before (``-foo:`` ``$x``)."""

    value: Expr
    start: int
    end: int
    glued: bool = False


@dataclass(frozen=True, slots=True)
class Invoke:
    """One command of a pipeline; ``called``: behind ``&`` or ``.``."""

    words: tuple[Arg, ...]
    called: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Compute:
    """An expression as an element of a pipeline."""

    value: Expr
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chain:
    """``a | b && c || d``: the elements of the pipelines with the operator before each."""

    items: tuple[tuple[str, Invoke | Compute], ...]
    background: bool = False


@dataclass(frozen=True, slots=True)
class Assign:
    target: Expr
    op: str
    value: "Statement | None"
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Branch:
    """``if``: (condition, where it stands, body); no condition: else."""

    arms: tuple[tuple[tuple["Statement", ...], tuple[int, int], tuple["Statement", ...]], ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """``name`` and ``items`` of `foreach`; ``once``: the body runs at least once (`do`)."""

    name: str | None
    items: tuple["Statement", ...]
    before: tuple["Statement", ...]
    body: tuple["Statement", ...]
    start: int
    end: int
    once: bool = False


@dataclass(frozen=True, slots=True)
class Switch:
    """(pattern, where it stands, body); no pattern: default."""

    subject: tuple["Statement", ...]
    where: tuple[int, int]
    options: tuple[str, ...]
    cases: tuple[tuple[Expr | None, tuple[int, int], tuple["Statement", ...]], ...]


@dataclass(frozen=True, slots=True)
class Try:
    body: tuple["Statement", ...]
    catches: tuple[tuple["Statement", ...], ...]
    after: tuple["Statement", ...]


@dataclass(frozen=True, slots=True)
class Define:
    """A function; ``called``: somebody outside calls it (a method, a trap), as ``what`` says."""

    name: str
    params: tuple[tuple[str, Expr | None], ...]
    body: tuple["Statement", ...]
    what: str = ""


@dataclass(frozen=True, slots=True)
class Params:
    """The script's own ``param( … )``."""

    params: tuple[tuple[str, Expr | None], ...]


@dataclass(frozen=True, slots=True)
class Leave:
    word: str
    value: "Statement | None"
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """Statements that run one after another (`begin`, `process`)."""

    body: tuple["Statement", ...]


Statement = Chain | Assign | Branch | Loop | Switch | Try | Define | Params | Leave | Block
