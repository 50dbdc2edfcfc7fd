"""Calls of a build script: of its own functions and classes, of methods, of the library, and of what is not read.

Follows the Python Language Reference, 6.3.4 "Calls". What a call of something foreign carries is in `python_carriers`,
what runs a program in `python_programs`.
"""

import ast
from collections.abc import Mapping as MappingType
from collections.abc import Sequence

from flagguard.hosts.python_expressions import evaluate, lookup, spread, unknown
from flagguard.hosts.python_values import (
    Bound,
    Class,
    Function,
    Instance,
    Items,
    Made,
    Mapping,
    Named,
    Plain,
    Scope,
    Unknown,
    Value,
    gap,
)
from flagguard.hosts.python_world import MAX_DEPTH, World
from flagguard.text import Decider, Traced
from flagguard.values import dataclass


@dataclass(frozen=True)
class Arguments:
    """What is given to a call."""

    node: ast.Call
    values: list[Value]
    keywords: dict[str, Value]
    rest: Unknown | None = None
    """A `**x` that is not known."""

    def get(self, name: str, at: int | None = None) -> Value | None:
        if name in self.keywords:
            return self.keywords[name]
        return self.values[at] if at is not None and at < len(self.values) else None


def arguments(world: World, node: ast.Call) -> Arguments:
    values = list(spread(world, node.args))
    keywords: dict[str, Value] = {}
    rest: Unknown | None = None
    for keyword in node.keywords:
        value = evaluate(world, keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(value, Mapping):
            keywords |= {key: v for key, v in value.entries.items() if isinstance(key, str)}
            if value.rest is not None:
                rest = Unknown(value.rest)
        else:
            rest = unknown(world, keyword.value, "what it holds is not known", several=True)
    return Arguments(node, values, keywords, rest)


def call(world: World, node: ast.Call) -> Value:
    alone, world.alone = world.alone, False
    above = _above(world, node)
    if above is not None:
        return above
    function = evaluate(world, node.func)
    given = arguments(world, node)
    world.alone = alone
    try:
        return apply(world, function, given)
    finally:
        world.alone = False


def apply(world: World, function: Value, given: Arguments) -> Value:
    match function:
        case Function():
            return call_function(world, function, given.values, given.keywords)
        case Class():
            return _instance(world, function, given)
        case Bound():
            return _method(world, function, given)
        case Named():
            return _named(world, function, given)
    decider = function.hole.decider if isinstance(function, Unknown) else Decider.REPOSITORY
    return unknown(world, given.node, "what is called is not known", decider=decider)


def call_function(
    world: World, function: Function, values: Sequence[Value], keywords: MappingType[str, Value]
) -> Value:
    from flagguard.hosts.python_statements import called

    world.called.add(id(function.node))
    world.step()
    if world.depth >= MAX_DEPTH:
        return gap(function.name, "calls nest too deeply", world.parsed.span(function.node))
    scope = Scope(outer=function.scope)
    _bind(world, function, scope, list(values), dict(keywords))
    world.depth += 1
    wanted, world.wanted = world.wanted, None
    try:
        return called(world, function, scope)
    finally:
        world.depth -= 1
        world.wanted = wanted


def _bind(world: World, function: Function, scope: Scope, values: list[Value], keywords: dict[str, Value]) -> None:
    node = function.node.args
    names = [a.arg for a in (*node.posonlyargs, *node.args)]
    for name in (*names, *(a.arg for a in node.kwonlyargs)):
        if values and name in names:
            scope.names[name] = values.pop(0)
            continue
        found = keywords.pop(name, function.defaults.get(name))
        scope.names[name] = found if found is not None else _argument(world, name, node)
    if node.vararg is not None:
        scope.names[node.vararg.arg] = Items(values, "tuple")
    if node.kwarg is not None:
        scope.names[node.kwarg.arg] = _mapping(keywords)


def _mapping(keywords: MappingType[str, Value]) -> Mapping:
    made = Mapping()
    made.entries.update(keywords)
    return made


def _argument(world: World, name: str, node: ast.arguments) -> Unknown:
    found = next((a for a in (*node.posonlyargs, *node.args, *node.kwonlyargs) if a.arg == name), None)
    span = world.parsed.span(found) if found is not None else None
    return gap(name, "an argument that nothing in the file gives", span, Decider.OUTSIDE, name=name)


_KNOWN = frozenset({"Pybind11Extension", "CppExtension", "CUDAExtension", "CMakeExtension"})


def _instance(world: World, of: Class, given: Arguments) -> Value:
    instance = Instance(of)
    foreign = of.foreign
    bases = [name.rpartition(".")[2] for name in foreign if name.endswith("Extension")]
    if bases:
        span = world.parsed.span(given.node.func)
        # a class of the file's own is known by what it comes of
        instance.made = Made(
            of.name if of.name in _KNOWN else bases[0],
            span,
            list(given.values),
            dict(given.keywords),
            world.task,
            instance,
        )
        world.made.append(instance.made)
    first = of.find("__init__")
    if isinstance(first, Function):
        call_function(world, first, [instance, *given.values], given.keywords)
    elif any(name.rpartition(".")[2] in ("NamedTuple", "object") for name in foreign) or not foreign:
        fields = [name for name in of.scope.names if not name.startswith("_")]
        instance.attributes |= dict(zip(fields, given.values, strict=False)) | given.keywords
    return instance


def _above(world: World, node: ast.Call) -> Value | None:
    """`super().method(…)` and `Base.__init__(self, …)`: a method of the class that this one comes of."""
    if not isinstance(node.func, ast.Attribute):
        return None
    inner, name = node.func.value, node.func.attr
    by_super = isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == "super"
    if not by_super and name != "__init__":
        return None
    this = lookup(world.scope, "self")
    given = arguments(world, node)
    if not isinstance(this, Instance):
        return Plain(None)
    for base in this.of.bases if by_super else [evaluate(world, inner)]:
        found = base.find(name) if isinstance(base, Class) else None
        if isinstance(found, Function):
            return call_function(world, found, [this, *given.values] if by_super else given.values, given.keywords)
    if name == "__init__" and this.made is not None:
        this.made.keywords |= {
            key: v
            for key, v in given.keywords.items()
            if key not in ("name", "sources") and isinstance(v, (Items, Mapping))
        }
    found = world.above(name, given)
    return found if found is not None else unknown(world, node, "a method of a class that is not read")


def _method(world: World, function: Bound, given: Arguments) -> Value:
    receiver = function.receiver
    own = world.called_on(receiver, function.name, given)
    if own is not None:
        return own
    if isinstance(receiver, Instance):
        found = receiver.of.find(function.name)
        if isinstance(found, Function):
            static = any(isinstance(d, Named) and d.name.endswith("staticmethod") for d in found.decorators)
            values = given.values if static else [receiver, *given.values]
            return call_function(world, found, values, given.keywords)
    from flagguard.hosts.python_methods import method

    found_value = method(world, receiver, function.name, given)
    if found_value is not None:
        return found_value
    if isinstance(receiver, (Traced, Items, Mapping)):
        return unknown(world, given.node, f"{function.name}() is not computed here")
    from flagguard.hosts.python_carriers import carry

    return carry(world, function.name, given)


def _named(world: World, function: Named, given: Arguments) -> Value:
    from flagguard.hosts.python_carriers import carry
    from flagguard.hosts.python_library import library
    from flagguard.hosts.python_programs import program

    found = world.foreign(function, given)
    if found is None:
        found = world.answer(function.name)
    if found is None:
        found = library(world, function.name, given)
    if found is None:
        found = program(world, function.name, given)
    return carry(world, function.name.rpartition(".")[2], given) if found is None else found
