"""The texts of a build script: what macros format, what the environment says, and holes for what is not known.

Follows The Cargo Book, "Environment variables Cargo sets for build scripts", and std::fmt.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Union

from flagguard.hosts.build_rs_builders import Builder
from flagguard.hosts.pipelines import fill
from flagguard.hosts.rust_text import Rust
from flagguard.patterns import expression
from flagguard.text import Decider, Hole, Shape, Span, Traced, hole, literal
from flagguard.tools.rust_targets import facts

if TYPE_CHECKING:
    from tree_sitter import Node

Value = Union[Traced, bool, "list[Value]", "dict[str, Value]", Builder, None]
"""A `dict`: a struct by its fields, a tuple by its numbers."""

_FIELD = expression(r"\{\{|\}\}|\{(\w*)(?::[^{}]*)?\}")


class Texts:
    """What a walk knows of texts; ``_value`` is the walk's."""

    def __init__(self, rust: Rust, triple: str, assume: Mapping[str, str]) -> None:
        self.rust = rust
        self.assume = assume
        self._triple = triple
        self._names: dict[str, Value] = {}

    def _value(self, node: "Node | None") -> Value:
        raise NotImplementedError

    def _format(self, given: "Sequence[Node]") -> Traced:
        """std::fmt: what stands for each `{}`."""
        first = self._value(given[0])
        if not isinstance(first, Traced):
            return self._traced(given[0])
        assigned = (n for n in given if n.type == "assignment_expression")
        named = {self.rust.field(n, "left"): n.child_by_field_name("right") for n in assigned}
        rest = [n for n in given[1:] if n.type != "assignment_expression"]
        count = 0

        def put(found: "re.Match[str]", written: Traced) -> Traced | None:
            nonlocal count
            name = found[1]
            if name is None:
                return written.cut(0, 1)
            if not name or name.isdigit():
                number = int(name) if name else count
                count += not name
                node = rest[number] if number < len(rest) else None
            else:
                node = named.get(name)
            if node is not None:
                return self._traced(node)
            value = self._names.get(name)
            return value if isinstance(value, Traced) else _open(written.text if name else "{}")

        return fill(first, _FIELD, put)

    def _variable(self, node: "Node", name: Value) -> Value:
        """A variable of the environment: Cargo's own are known, others come from outside."""
        if not isinstance(name, Traced) or not name.known:
            return None
        said = name.text
        at = (self.rust.span(node),)
        if said in self.assume:
            return literal(self.assume[said], at[0])
        if said in ("TARGET", "HOST"):
            return literal(self._triple, at[0])
        if said.startswith("CARGO_CFG_"):
            fact = said.removeprefix("CARGO_CFG_").lower()
            held = next((value for key, value in facts(self._triple) if key == fact), None)
            return literal(held, at[0]) if held else None if held is None else literal("1", at[0])
        if said == "CARGO_MANIFEST_DIR":
            return literal(".", at[0])
        if said.startswith("CARGO_FEATURE_"):
            return None
        shape = Shape.PATH if said == "OUT_DIR" else Shape.NUMBER if said in ("NUM_JOBS", "OPT_LEVEL") else Shape.ANY
        told = f"the environment of the build gives {said}"
        return hole(Hole(self.rust.written(node), told, Decider.OUTSIDE, shape, said), at)

    def _traced(self, node: "Node") -> Traced:
        return self._said(self._value(node), node)

    def _said(self, value: Value, node: "Node | None", path: bool = False, several: bool = False) -> Traced:
        """The text of a value; a hole where there is none: a ``path``, ``several`` words."""
        if isinstance(value, Traced):
            return value
        if isinstance(value, bool):
            return literal(str(value).lower())
        return _open(self.rust.written(node) if node is not None else "", self._at(node), path, several)

    def _at(self, node: "Node | None") -> tuple[Span, ...]:
        return (self.rust.span(node),) if node is not None else ()


def _open(written: str, route: "Iterable[Span]" = (), path: bool = False, several: bool = False) -> Traced:
    reason = "what the build script puts there is not known"
    shape = Shape.PATH if path else Shape.ANY
    return hole(Hole(written, reason, Decider.REPOSITORY, shape, several=several), tuple(route))
