"""The values that a build script in Python computes with, as far as they can be known without running it.

A string is a :class:`Traced`; the rest is here. Follows the Python Language Reference, 3 "Data model". What statements
and calls do with them is not known here.
"""

import ast
from collections.abc import Iterable

from flagguard.text import Decider, Hole, Piece, Span, Traced, hole
from flagguard.values import dataclass, field

Value = object
"""A :class:`Traced` or one of the classes below."""


@dataclass(frozen=True)
class Plain:
    """None, a truth value, a number."""

    value: object
    span: Span | None = None
    soft: bool = False
    """A default that somebody outside may replace."""


@dataclass(eq=False)
class Items:
    """A list, a tuple or a set; two names may have the same one."""

    items: list[Value] = field(default_factory=list)
    kind: str = "list"


@dataclass(eq=False)
class Mapping:
    """A dictionary, by the keys' own values."""

    entries: dict[object, Value] = field(default_factory=dict)
    rest: Hole | None = None
    """What else may be in it."""
    environ: bool = False
    """It begins as the environment of the process."""


@dataclass(frozen=True)
class Unknown:
    """What cannot be known here."""

    hole: Hole
    variable: str | None = None
    """The environment's variable that it is; None where that is not set."""
    span: Span | None = None


@dataclass(frozen=True)
class Named:
    """Something of a module that is not read, by its dotted name: `subprocess.run`."""

    name: str
    span: Span | None = None


@dataclass(eq=False)
class Scope:
    """Names of a module, a function or a class."""

    names: dict[str, Value] = field(default_factory=dict)
    outer: "Scope | None" = None
    shared: set[str] = field(default_factory=set)
    """Names declared `global` or `nonlocal`."""


@dataclass(eq=False)
class Function:
    node: "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"
    scope: Scope
    defaults: dict[str, Value] = field(default_factory=dict)
    owner: "Class | None" = None
    decorators: tuple[Value, ...] = ()

    @property
    def name(self) -> str:
        return "<lambda>" if isinstance(self.node, ast.Lambda) else self.node.name


@dataclass(eq=False)
class Class:
    name: str
    bases: tuple[Value, ...]
    scope: Scope

    def find(self, name: str) -> Value:
        """An attribute of the class or of the classes that it comes of; None where there is none."""
        if name in self.scope.names:
            return self.scope.names[name]
        for base in self.bases:
            found = base.find(name) if isinstance(base, Class) else None
            if found is not None:
                return found
        return None

    @property
    def foreign(self) -> tuple[str, ...]:
        """The names of the classes of other modules that it comes of."""
        out: list[str] = []
        for base in self.bases:
            out += base.foreign if isinstance(base, Class) else [base.name] if isinstance(base, Named) else []
        return tuple(out)


@dataclass(eq=False)
class Instance:
    """An object of a class of the file."""

    of: Class
    attributes: dict[str, Value] = field(default_factory=dict)
    made: "Made | None" = None
    """What its foreign base was made with."""


@dataclass(eq=False)
class Made:
    """What a call of a function that is not read gives: `Extension(…)`."""

    name: str
    span: Span
    arguments: list[Value] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    place: str | None = None
    instance: Instance | None = None
    """The object of a class of the file that it is part of."""


@dataclass(frozen=True)
class Bound:
    """A method of a value."""

    receiver: Value
    name: str
    span: Span | None = None


def gap(text: str, reason: str, span: Span | None, decider: Decider = Decider.REPOSITORY, **more: object) -> Unknown:
    """An unknown value as its source writes it."""
    return Unknown(Hole(text, reason, decider, **more), span=span)  # type: ignore[arg-type]


def text_of(value: Value) -> Traced:
    """The value as `str()` gives it, with a hole for what is not known."""
    if isinstance(value, Traced):
        return value
    if isinstance(value, Plain):
        return Traced((Piece(str(value.value), (value.span,) if value.span else (), overridable=value.soft),))
    if isinstance(value, Unknown):
        return hole(value.hole, (value.span,) if value.span else ())
    span, name = getattr(value, "span", None), getattr(value, "name", "…")
    return hole(Hole(f"{{{name}}}", "it is no text that is known here", Decider.REPOSITORY), (span,) if span else ())


def key_of(value: Value) -> object:
    """The value as a key of a dictionary; raises KeyError where it is not known."""
    if isinstance(value, Traced) and value.known:
        return value.text
    if isinstance(value, Plain):
        return value.value
    if isinstance(value, Items):
        return tuple(key_of(item) for item in value.items)
    raise KeyError


def truth(value: Value) -> bool | None:
    """Whether the value counts as true; None where that is not known."""
    match value:
        case Traced():
            return bool(value.text) if value.known or any(p.hole is None and p.text for p in value.pieces) else None
        case Plain():
            return bool(value.value)
        case Items():
            if any(not several(item) for item in value.items):
                return True
            return None if value.items else False
        case Mapping():
            return True if value.entries or value.environ else None if value.rest else False
        case Unknown():
            return None
        case Named() | Bound():
            return None
    return True


def several(value: Value) -> bool:
    """Whether an item of a list stands for a number of items that nobody knows."""
    return isinstance(value, Unknown) and value.hole.several


def soft(value: Value) -> bool:
    """Whether somebody outside may replace the value."""
    if isinstance(value, Traced):
        return any(piece.overridable for piece in value.pieces)
    if isinstance(value, Items):
        return any(soft(item) for item in value.items)
    return isinstance(value, Plain) and value.soft


def strings(values: Iterable[Value]) -> list[Traced]:
    return [value for value in values if isinstance(value, Traced)]
