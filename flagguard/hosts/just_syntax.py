"""What a justfile says, as a tree: items, recipes, expressions (just's GRAMMAR.md).

Every node knows its place. Nothing is evaluated here.
"""

from collections.abc import Mapping

from flagguard.text import Span, Traced
from flagguard.values import dataclass, field

# -- expressions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Text:
    """A string; ``expands``: `x'…'`, in which variables of the environment are expanded."""

    span: Span
    value: Traced
    expands: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """`f'…{{…}}…'`: texts and expressions in turn."""

    span: Span
    parts: "tuple[Traced | Node, ...]"
    indented: bool


@dataclass(frozen=True, slots=True)
class Backtick:
    span: Span
    command: Traced


@dataclass(frozen=True, slots=True)
class Name:
    span: Span
    name: str


@dataclass(frozen=True, slots=True)
class Call:
    span: Span
    name: str
    arguments: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Binary:
    """``left`` is None in `/ 'x'`."""

    span: Span
    operator: str
    left: "Node | None"
    right: "Node"


@dataclass(frozen=True, slots=True)
class Not:
    span: Span
    operand: "Node"


@dataclass(frozen=True, slots=True)
class If:
    span: Span
    condition: "Node"
    then: "Node"
    otherwise: "Node | None"


@dataclass(frozen=True, slots=True)
class Assert:
    span: Span
    condition: "Node"
    message: "Node | None"


@dataclass(frozen=True, slots=True)
class Listed:
    span: Span
    items: "tuple[Node, ...]"


Node = Text | Format | Backtick | Name | Call | Binary | Not | If | Assert | Listed

# -- items ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Attribute:
    name: str
    span: Span
    arguments: tuple[Node, ...] = ()
    keys: Mapping[str, Node | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Assignment:
    name: str
    span: Span
    value: Node
    export: bool = False
    eager: bool = False
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Alias:
    name: str
    span: Span
    target: tuple[str, ...]
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Import:
    span: Span
    path: Text
    optional: bool
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Mod:
    name: str
    span: Span
    path: Text | None
    optional: bool
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Setting:
    """``value``: True and False, or what is behind `:=`."""

    name: str
    span: Span
    value: bool | Node
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Unexport:
    name: str
    span: Span
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    span: Span
    parameters: tuple[str, ...]
    body: Node
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    span: Span
    many: str = ""
    """`+` or `*` for one that takes all the rest."""
    export: bool = False
    default: Node | None = None

    flag: bool = False
    """`[arg('name', long, flag)]`: an option without a value, off where it is not given."""

    @property
    def required(self) -> bool:
        return self.default is None and self.many != "*" and not self.flag


@dataclass(frozen=True, slots=True)
class Argument:
    value: Node
    starred: bool = False


@dataclass(frozen=True, slots=True)
class Dependency:
    span: Span
    target: tuple[str, ...]
    arguments: tuple[Argument, ...] = ()
    mapped: bool = False
    """`*(recipe *list)`: once for each item."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a recipe: texts and interpolations in turn, without its end."""

    span: Span
    parts: tuple[Traced | Node, ...]

    @property
    def first(self) -> str:
        """The text that it begins with."""
        return self.parts[0].text if self.parts and isinstance(self.parts[0], Traced) else ""

    @property
    def continues(self) -> bool:
        return bool(self.parts) and isinstance(self.parts[-1], Traced) and self.parts[-1].text.endswith("\\")


@dataclass(frozen=True)
class Recipe:
    name: str
    span: Span
    parameters: tuple[Parameter, ...]
    before: tuple[Dependency, ...]
    after: tuple[Dependency, ...]
    body: tuple[Line, ...]
    attributes: tuple[Attribute, ...] = ()

    def attribute(self, name: str) -> Attribute | None:
        return next((a for a in self.attributes if a.name == name), None)

    @property
    def shebang(self) -> bool:
        return bool(self.body) and self.body[0].first.startswith("#!")

    @property
    def private(self) -> bool:
        return self.name.startswith("_") or self.attribute("private") is not None


Item = Assignment | Alias | Import | Mod | Setting | Unexport | Function | Recipe


@dataclass(frozen=True, slots=True)
class Justfile:
    """One file."""

    path: str
    items: tuple[Item, ...] = ()
