"""just's expressions evaluated, in one world and on one platform.

Follows "Expressions" in just's README and its evaluator (https://github.com/casey/just/blob/1.58.0/src/evaluator.rs).
A value is a list of texts: one text, unless `set lists` is on. What only the machine or the caller knows is a hole.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from flagguard.command import Variable
from flagguard.hosts import just_conditions as conditions
from flagguard.hosts.just_conditions import Default
from flagguard.hosts.just_functions import CONSTANTS, SEPARATORS, FunctionError
from flagguard.hosts.just_modules import Module
from flagguard.hosts.just_strings import unindented
from flagguard.hosts.just_syntax import (
    Assert,
    Backtick,
    Binary,
    Call,
    Format,
    If,
    Listed,
    Name,
    Node,
    Not,
    Recipe,
    Text,
)
from flagguard.make.worlds import Assumption, Kind, World
from flagguard.patterns import expression
from flagguard.text import EMPTY, Decider, Hole, Shape, Span, Traced, hole, join, literal
from flagguard.values import dataclass, field

Value = tuple[Traced, ...]

_MOST_DEEP = 64
_MOST_CALLS = 1000
"""Calls of user-defined functions in one world."""
_LONGEST = 2000
"""Pieces of a value."""
_VARIABLE = expression(r"\$(?:\$|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::-([^}]*))?\})")


class Stop(Exception):
    """just stops with an error (`error(…)`, an assertion): nothing runs in this world."""

    def __init__(self, span: Span, message: str) -> None:
        super().__init__(message)
        self.span, self.message = span, message


@dataclass
class Frame:
    """Where an expression is evaluated."""

    module: Module
    recipe: Recipe | None = None
    arguments: dict[str, Value] = field(default_factory=dict)
    """What the recipe's parameters are, or a function's."""
    own: frozenset[str] = frozenset()
    """Parameters that no caller gives: their values stand where they are used."""
    defaults: dict[str, Default] = field(default_factory=dict)
    """Those of them that somebody outside may give."""
    dependency: bool = False
    """The recipe runs since another one depends on it."""
    exports: tuple[tuple[str, Traced], ...] = ()
    """What the recipe itself exports."""
    environment: tuple[Variable, ...] | None = None
    """All that it finds in its environment, once that is known."""
    depth: int = 0


@dataclass
class Notes:
    """What was met on the way to a value."""

    alternatives: dict[World, None] = field(default_factory=dict)
    defaults: dict[str, Default] = field(default_factory=dict)
    """Values from outside whose defaults were used."""
    asked_system: bool = False
    asked_machine: bool = False

    def add(self, more: "Notes") -> None:
        self.alternatives.update(more.alternatives)
        self.defaults.update(more.defaults)
        self.asked_system = self.asked_system or more.asked_system
        self.asked_machine = self.asked_machine or more.asked_machine


@dataclass(frozen=True)
class _Known:
    value: Value | None
    notes: Notes
    stop: Stop | None = None


class Functions(Protocol):
    """What functions and backticks come to: `just_builtins`."""

    def call(self, node: Call, arguments: Sequence[Value], frame: Frame) -> Value: ...

    def backtick(self, node: Backtick, frame: Frame) -> Traced: ...


class Reporter(Protocol):
    def __call__(self, span: Span, message: str, fatal: bool = True) -> None: ...


class Evaluator:
    """Evaluates in one world; module variables once."""

    def __init__(
        self,
        platform: str,
        world: World,
        overrides: Mapping[tuple[str, ...], Traced],
        environment: Mapping[str, Traced],
        report: Reporter,
    ) -> None:
        self.platform = platform
        self.world = world
        self.overrides = overrides
        self.environment = environment
        """What is set outside for sure."""
        self.report = report
        self.notes = Notes()
        self.functions: Functions
        self._assumed = {a.key: a for a in world}
        self._known: dict[tuple[str, ...], _Known] = {}
        self._evaluating: set[tuple[str, ...]] = set()
        self._calls = 0

    # -- assumptions

    def assumed(self, key: str) -> Assumption | None:
        return self._assumed.get(key)

    def assume_open(self, *assumptions: Assumption) -> None:
        self.notes.alternatives.setdefault(assumptions)

    @property
    def defaults(self) -> Mapping[str, Default]:
        return self.notes.defaults

    def from_outside(self, key: str, label: str, default: Traced, gap: Hole, span: Span) -> Traced:
        """A value that somebody outside may give: its default, or what this world assumes."""
        assumption = self._assumed.get(key)
        if assumption is not None and assumption.kind is Kind.VALUE and assumption.value is not None:
            return assumption.value
        if assumption is not None:
            return hole(gap, (span,))
        self.notes.defaults[key] = Default(key, label, default)
        return default

    # -- variables

    def variable(self, module: Module, name: str) -> Value | None:
        """The value of a module's variable; None where there is no such variable."""
        found = module.assignments.get(name)
        if found is None:
            return None
        key = (*module.names, name)
        known = self._known.get(key)
        if known is None:
            if key in self._evaluating or len(self._evaluating) > _MOST_DEEP:
                self.report(found[0].span, f"the variable `{name}` is defined in terms of itself")
                return (hole(Hole(name, "it is defined in terms of itself", Decider.REPOSITORY)),)
            known = self._evaluated(key, module, found[0].value)
        self.notes.add(known.notes)
        if known.stop is not None:
            raise known.stop
        return known.value

    def _evaluated(self, key: tuple[str, ...], module: Module, node: Node) -> _Known:
        outer, self.notes = self.notes, Notes()
        self._evaluating.add(key)
        try:
            override = self.overrides.get(key)
            value = (override,) if override is not None else self.value(node, Frame(module))
            known = _Known(value, self.notes)
        except Stop as stop:
            known = _Known(None, self.notes, stop)
        finally:
            self._evaluating.discard(key)
            self.notes = outer
        self._known[key] = known
        return known

    # -- expressions

    def text(self, node: Node, frame: Frame) -> Traced:
        """The value as one text."""
        return together(self.value(node, frame))

    def value(self, node: Node, frame: Frame) -> Value:
        match node:
            case Text():
                return (self._expanded(node) if node.expands else node.value,)
            case Name():
                return self._named(node, frame)
            case Binary():
                return _bounded(self._binary(node, frame), node)
            case If():
                if self.holds(node.condition, frame):
                    return self.value(node.then, frame)
                return self.value(node.otherwise, frame) if node.otherwise is not None else ()
            case Call():
                return _bounded(self._call(node, frame), node)
            case Backtick():
                return (self.functions.backtick(node, frame),)
            case Format():
                parts = [p if isinstance(p, Traced) else self.through(p, frame) for p in node.parts]
                made = join(parts)
                return _bounded((unindented(made) if node.indented else made,), node)
            case Not():
                return _boolean(not self.value(node.operand, frame))
            case Assert():
                if self.holds(node.condition, frame, likely=True):
                    return (EMPTY,)
                said = self.text(node.message, frame).shown if node.message is not None else "it does not hold"
                raise Stop(node.span, f"the assertion fails: {said}")
            case Listed():
                return tuple(text for item in node.items for text in self.value(item, frame))

    def through(self, node: Node, frame: Frame) -> Traced:
        """The value as one text, seen from where the expression stands."""
        found = self.text(node, frame)
        return found if isinstance(node, Name) else found.grounded((node.span,))

    def _named(self, node: Name, frame: Frame) -> Value:
        given = frame.arguments.get(node.name)
        if given is not None and node.name not in frame.own:
            return given
        if given is not None:
            default = frame.defaults.get(node.name)
            if default is not None:
                self.notes.defaults[default.key] = default
            return tuple(text.through((node.span,)) for text in given)
        found = self.variable(frame.module, node.name)
        if found is not None:
            return tuple(text.through((node.span,)) for text in found)
        if node.name in CONSTANTS:
            return (literal(CONSTANTS[node.name]).grounded((node.span,)),)
        if node.name in SEPARATORS:
            return (literal(SEPARATORS[node.name][self.on_windows]).grounded((node.span,)),)
        self.undefined(node, frame)
        return (hole(Hole(node.name, "nothing in the file sets it", Decider.REPOSITORY), (node.span,)),)

    def undefined(self, node: Name, frame: Frame) -> None:
        """A variable that the file does not define; a file of recipes for others to import need not."""
        if not frame.module.source.path.lower().endswith(".just"):
            self.report(node.span, f"the variable `{node.name}` is not defined")

    @property
    def on_windows(self) -> bool:
        self.notes.asked_system = True
        return self.platform.startswith("windows-")

    def _binary(self, node: Binary, frame: Frame) -> Value:
        if node.operator in ("&&", "||"):
            left = self.value(node.left, frame) if node.left is not None else ()
            if self._true(left, frame.module) is (node.operator == "||"):
                return left
            return self.value(node.right, frame)
        if node.operator in ("==", "!=", "=~", "!~"):
            return _boolean(self.holds(node, frame))
        left = self.value(node.left, frame) if node.left is not None else (EMPTY,)
        right = self.value(node.right, frame)
        if node.operator == "++":
            return (*left, *right)
        between = literal("/") if node.operator == "/" else EMPTY
        if len(left) != 1 and len(right) != 1 and len(left) != len(right):
            raise Stop(node.span, f"`{node.operator}` needs lists of the same length")
        size = max(len(left), len(right)) if left and right else 0
        pairs = ((left[i % len(left)], right[i % len(right)]) for i in range(size))
        return tuple(join((one, between, other)) for one, other in pairs)

    def _true(self, value: Value, module: Module) -> bool:
        """`[]` is false; without lists, as in just before 1.53, the empty text is."""
        if module.on("lists"):
            return bool(value)
        return not conditions.equal(self, together(value), EMPTY)

    def holds(self, node: Node, frame: Frame, likely: bool = False) -> bool:
        """Whether a condition holds. ``likely``: it does where nobody can know, since just stops otherwise."""
        if not (isinstance(node, Binary) and node.operator in ("==", "!=", "=~", "!~")):
            return self._true(self.value(node, frame), frame.module)
        outer, self.notes = self.notes, Notes()
        try:
            left = self.value(node.left, frame) if node.left is not None else (EMPTY,)
            right = self.value(node.right, frame)
            if likely and not all(text.known for text in (*left, *right)):
                return True
            if node.operator in ("==", "!="):
                same = len(left) == len(right) and all(
                    conditions.equal(self, a, b) for a, b in zip(left, right, strict=True)
                )
                return same is (node.operator == "==")
            fit = any(conditions.fits(self, a, b) for a in left for b in right)
            return fit is (node.operator == "=~")
        finally:
            outer.add(self.notes)
            self.notes = outer

    def _call(self, node: Call, frame: Frame) -> Value:
        own = frame.module.functions.get(node.name)
        arguments = [self.value(a, frame) for a in node.arguments]
        if own is None:
            try:
                return self.functions.call(node, arguments, frame)
            except FunctionError as error:
                raise Stop(node.span, str(error)) from None
        self._calls += 1
        if frame.depth >= _MOST_DEEP or self._calls > _MOST_CALLS:
            gap = Hole(f"{node.name}(…)", "functions call each other too deeply to follow", Decider.REPOSITORY)
            return (hole(gap, (node.span,)),)
        inner = Frame(frame.module, frame.recipe, dict(zip(own.parameters, arguments, strict=False)))
        inner.dependency, inner.exports, inner.depth = frame.dependency, frame.exports, frame.depth + 1
        return tuple(text.through((node.span,)) for text in self.value(own.body, inner))

    def _expanded(self, node: Text) -> Traced:
        """`x'…'`: variables of the environment, and `~`."""
        raw = node.value.text
        parts: list[Traced] = []
        at = 0
        if raw.startswith("~"):
            at = min((i for i in (raw.find("/"), len(raw)) if i >= 0), default=len(raw))
            home = Hole(raw[:at], "the home directory of the user", Decider.OUTSIDE, Shape.PATH)
            parts.append(hole(home, node.value.cut(0, at).route))
        for found in _VARIABLE.finditer(raw, at):
            parts.append(node.value.cut(at, found.start()))
            at = found.end()
            name = found[1] or found[2]
            if name is None:
                parts.append(literal("$"))
                continue
            default = node.value.cut(*found.span(3)) if found[3] is not None else None
            parts.append(self.environment_value(name, default, found[0], node.span))
        return join([*parts, node.value.cut(at, len(raw))])

    def environment_value(self, name: str, default: Traced | None, shown: str, span: Span) -> Traced:
        """A variable of just's own environment."""
        given = self.environment.get(name)
        if given is not None:
            return given
        gap = Hole(shown, "it is set outside of the repository", Decider.OUTSIDE, name=name)
        if default is None:
            assumption = self._assumed.get(name)
            said = assumption.value if assumption is not None else None
            return said if said is not None else hole(gap, (span,))
        return self.from_outside(name, name, default.overridable(), gap, span)


def _bounded(value: Value, node: Node) -> Value:
    """The value; a hole where it is longer than anybody writes."""
    if sum(len(text.pieces) for text in value) < _LONGEST and sum(len(text) for text in value) < 50 * _LONGEST:
        return value
    return (hole(Hole("…", "the value is too long to follow", Decider.REPOSITORY), (node.span,)),)


def together(value: Value) -> Traced:
    """A list as one text."""
    if len(value) == 1:
        return value[0]
    return join(part for i, text in enumerate(value) for part in ((literal(" "), text) if i else (text,)))


def _boolean(holds: bool) -> Value:
    return (literal("true"),) if holds else ()
