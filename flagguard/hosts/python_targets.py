"""What the targets of assignments are set to (Python Language Reference, 7.2 "Assignment statements")."""

import ast

from flagguard.hosts.python_expressions import OF_EXTENSIONS, evaluate, unknown
from flagguard.hosts.python_values import (
    Class,
    Instance,
    Items,
    Made,
    Mapping,
    Named,
    Scope,
    Value,
    gap,
    key_of,
    several,
    text_of,
)
from flagguard.hosts.python_world import World


def store(world: World, target: ast.expr, value: Value) -> None:
    match target:
        case ast.Name():
            scope = world.scope
            if target.id in scope.shared:
                holder: Scope | None = scope.outer
                while holder is not None and target.id not in holder.names and holder.outer is not None:
                    holder = holder.outer
                scope = holder or world.module
            scope.names[target.id] = value
        case ast.Tuple() | ast.List():
            _unpack(world, target.elts, value)
        case ast.Starred():
            store(world, target.value, value)
        case ast.Attribute():
            holder_value = evaluate(world, target.value)
            if isinstance(holder_value, Instance):
                holder_value.attributes[target.attr] = value
                if holder_value.made is not None and target.attr.startswith(OF_EXTENSIONS):
                    holder_value.made.keywords[target.attr] = value
            elif isinstance(holder_value, Made):
                holder_value.keywords[target.attr] = value
            elif world.store_on(holder_value, target.attr, value):
                pass
            elif isinstance(holder_value, Class):
                holder_value.scope.names[target.attr] = value
            elif isinstance(holder_value, Named) and f"{holder_value.name}.{target.attr}" == "nox.options.sessions":
                world.sessions = value if isinstance(value, Items) else None
        case ast.Subscript():
            _store_item(world, target, value)


def _unpack(world: World, targets: list[ast.expr], value: Value) -> None:
    items = value.items if isinstance(value, Items) else None
    star = next((i for i, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
    if items is not None and any(several(i) for i in items):
        items = None
    if items is not None and star is not None and len(items) >= len(targets) - 1:
        tail = len(targets) - star - 1
        middle = Items(items[star : len(items) - tail])
        items = [*items[:star], middle, *items[len(items) - tail :]]
    if items is None or len(items) != len(targets):
        items = [gap(ast.unparse(t), "what it is unpacked from is not known", None) for t in targets]
    for target, item in zip(targets, items, strict=True):
        store(world, target, item)


def _store_item(world: World, target: ast.Subscript, value: Value) -> None:
    holder = evaluate(world, target.value)
    if isinstance(target.slice, ast.Slice):
        if isinstance(holder, Items) and target.slice.lower is None and target.slice.upper is None:
            holder.items[:] = value.items if isinstance(value, Items) else [text_of(value)]
        return
    try:
        key = key_of(evaluate(world, target.slice))
        if isinstance(holder, Mapping):
            holder.entries[key] = value
        elif isinstance(holder, Items) and isinstance(key, int):
            holder.items[key] = value
    except (KeyError, IndexError, TypeError):
        if isinstance(holder, Mapping):
            holder.rest = unknown(world, target, "the key is not known").hole
