"""What the expressions of a build script come to in one run (Python Language Reference, 6 "Expressions").

What cannot be known is a hole that says why; what a condition needs to know and cannot is decided by the run.
"""

import ast
from collections.abc import Callable, Iterable

from flagguard.hosts.python_compare import compared
from flagguard.hosts.python_operators import binary, field, formatted, subscript
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
    key_of,
    soft,
    truth,
)
from flagguard.hosts.python_world import World
from flagguard.text import EMPTY, Decider, Shape, Traced, hole, join, literal
from flagguard.values import replace

MAX_ITEMS = 500
OF_EXTENSIONS = ("extra_", "define_", "undef_", "librar", "include_")
"""Attributes of an extension that a build may change."""


def evaluate(world: World, node: ast.expr) -> Value:
    world.step()
    alone, world.alone = world.alone, False
    match node:
        case ast.Constant():
            if isinstance(node.value, str):
                return world.parsed.string(node)
            return Plain(node.value, world.parsed.span(node))
        case ast.Name():
            return _name(world, node)
        case ast.JoinedStr():
            return _format_string(world, node)
        case ast.List() | ast.Tuple() | ast.Set():
            kind = {ast.List: "list", ast.Tuple: "tuple", ast.Set: "set"}[type(node)]
            return Items(list(spread(world, node.elts)), kind)
        case ast.Dict():
            return _dict(world, node)
        case ast.Call():
            from flagguard.hosts.python_calls import call

            world.alone = alone
            return call(world, node)
        case ast.Attribute():
            return attribute(world, evaluate(world, node.value), node.attr, node)
        case ast.Subscript():
            return _subscript(world, node)
        case ast.BinOp():
            return _binary(world, node)
        case ast.BoolOp():
            return _either(world, node)
        case ast.UnaryOp():
            return _unary(world, node)
        case ast.Compare():
            return _compare(world, node)
        case ast.IfExp():
            return evaluate(world, node.body if outcome(world, node.test) else node.orelse)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            return _comprehension(world, node)
        case ast.Lambda():
            from flagguard.hosts.python_statements import defaults

            return Function(node, world.scope, defaults(world, node.args))
        case ast.NamedExpr():
            value = evaluate(world, node.value)
            from flagguard.hosts.python_targets import store

            store(world, node.target, value)
            return value
        case ast.Await() | ast.Starred():
            return evaluate(world, node.value)
        case ast.Yield() | ast.YieldFrom():
            if node.value is not None:
                value = evaluate(world, node.value)
                many = isinstance(node, ast.YieldFrom) and isinstance(value, Items)
                world.yielded += value.items if many and isinstance(value, Items) else [value]
            return Plain(None)
    return unknown(world, node, "it is not computed here")


def unknown(world: World, node: ast.AST, reason: str, **more: object) -> Unknown:
    return gap(world.parsed.written(node), reason, world.parsed.span(node), **more)  # type: ignore[arg-type]


def spread(world: World, nodes: Iterable[ast.expr]) -> Iterable[Value]:
    """The items of a display, or the arguments of a call."""
    for node in nodes:
        if not isinstance(node, ast.Starred):
            yield evaluate(world, node)
            continue
        value = evaluate(world, node.value)
        if isinstance(value, Items):
            yield from value.items
        elif isinstance(value, Mapping) and value.rest is None:
            yield from (literal(k) if isinstance(k, str) else Plain(k) for k in value.entries)
        else:
            reason = value.hole.reason if isinstance(value, Unknown) else "what it holds is not known"
            decider = value.hole.decider if isinstance(value, Unknown) else Decider.REPOSITORY
            yield unknown(world, node, reason, several=True, decider=decider)


def _name(world: World, node: ast.Name) -> Value:
    found = lookup(world.scope, node.id)
    if found is None:
        if node.id == "__name__":
            return literal("__main__")
        if node.id == "__file__":
            return unknown(world, node, "where the tree is", decider=Decider.OUTSIDE, shape=Shape.PATH, path=world.path)
        return Named(f"builtins.{node.id}", world.parsed.span(node))
    if isinstance(found, Traced):
        return found.through((world.parsed.span(node),)) if len(found.route) < 6 else found
    if isinstance(found, Named):
        return world.attribute(found.name) or special(world, found.name, node) or replace(
            found, span=world.parsed.span(node))  # fmt: skip
    return found


def lookup(scope: Scope | None, name: str) -> Value | None:
    while scope is not None:
        if name in scope.names:
            return scope.names[name]
        scope = scope.outer
    return None


def special(world: World, name: str, node: ast.expr) -> Value | None:
    """Values of the library that are no answers of the platform."""
    match name:
        case "os.environ" | "os.environb":
            return world.environ
        case "sys.executable":
            return literal("python", world.parsed.span(node))
        case "nox.Session.env":
            return world.session
        case "nox.Session.posargs":
            if world.called_by is not None:
                return Items([Traced(w.pieces) if w.pieces else literal("") for w in world.called_by.words])
            return unknown(world, node, "the arguments of whoever calls", decider=Decider.OUTSIDE)
        case "nox.Session.python" if world.python is not None:
            return world.python
        case "nox.Session.python" | "nox.Session.bin" | "nox.Session.name":
            return unknown(world, node, "it is known when the session runs", decider=Decider.OUTSIDE, shape=Shape.PATH)
        case "sys.argv":
            if world.called_by is not None and not world.called_by.runner:
                return Items([literal(world.path), *(Traced(w.pieces) for w in world.called_by.words)])
            return unknown(world, node, "the arguments of the script", decider=Decider.OUTSIDE)
        case "os.curdir":
            return literal(".")
        case "os.devnull":
            return literal("/dev/null")
    return None


def attribute(world: World, value: Value, name: str, node: ast.expr) -> Value:
    span = world.parsed.span(node)
    match value:
        case Named():
            dotted = f"{value.name}.{name}"
            found = world.attribute(dotted) or special(world, dotted, node)
            if found is not None:
                return found
            if dotted in ("sys.version_info.major", "sys.version_info.minor") and name == "major":
                return Plain(3)
            if name == "compiler_type":
                world.asked = True
                return literal("msvc" if world.windows else "unix")
            return Named(dotted, span)
        case Instance():
            return _of_instance(world, value, name, node)
        case Class():
            found = value.find(name)
            return found if found is not None else Named(f"{value.name}.{name}", span)
        case Made():
            if name in value.keywords:
                return value.keywords[name]
            if name == "name" and value.arguments:
                return value.arguments[0]
            if name.startswith(OF_EXTENSIONS):
                return value.keywords.setdefault(name, Items())
            return Bound(value, name, span)
        case Items() if value.kind == "uname" and name in ("system", "sysname", "node", "nodename", "machine"):
            return value.items[{"system": 0, "sysname": 0, "machine": 4}.get(name, 1)]
        case Mapping() if value.entries.get("__namespace__") is not None and name in value.entries:
            return value.entries[name]
        case Unknown() if value.hole.path is not None and name in ("parent", "name"):
            from flagguard.hosts.python_library import parent

            return parent(world, value, node)
    found = world.part(value, name, span)
    return found if found is not None else Bound(value, name, span)


def _of_instance(world: World, value: Instance, name: str, node: ast.expr) -> Value:
    if name in value.attributes:
        return value.attributes[name]
    found = value.of.find(name)
    if isinstance(found, Function):
        if not any(isinstance(d, Named) and d.name.endswith("property") for d in found.decorators):
            return Bound(value, name, world.parsed.span(node))
        from flagguard.hosts.python_calls import call_function

        return call_function(world, found, [value], {})
    if found is not None:
        return found
    if value.made is not None and name in value.made.keywords:
        return value.made.keywords[name]
    if name == "extensions":
        return Items([m.instance or m for m in world.made if m.name.endswith("Extension")])
    if name in ("spawn", "announce", "compiler", "distribution", "get_finalized_command", "copy_file", "mkpath"):
        return Named(f"self.{name}", world.parsed.span(node))
    return Named(f"{value.of.name}.{name}", world.parsed.span(node)) if value.of.foreign else unknown(
        world, node, "nothing that is read sets it")  # fmt: skip


def _subscript(world: World, node: ast.Subscript) -> Value:
    value = evaluate(world, node.value)
    if isinstance(node.slice, ast.Slice):
        parts = [evaluate(world, p) if p is not None else Plain(None) for p in
                 (node.slice.lower, node.slice.upper, node.slice.step)]  # fmt: skip
        found = subscript(value, slice(*[p.value if isinstance(p, Plain) else "?" for p in parts]))
    else:
        index = evaluate(world, node.slice)
        if isinstance(value, Mapping) and value.environ and isinstance(index, Traced) and index.known:
            return variable(world, index.text, node, value)
        if (
            isinstance(value, Named)
            and value.name == "sys.version_info"
            and isinstance(index, Plain)
            and index.value == 0
        ):
            return Plain(3)
        try:
            found = subscript(value, key_of(index))
        except KeyError:
            found = world.part(value, f"[{world.parsed.written(node.slice)}]", world.parsed.span(node))
            if found is None and isinstance(value, (Mapping, Items)):
                return _one_of(world, value, node)
    if found is None:
        found = world.part(value, f"[{world.parsed.written(node.slice)}]", world.parsed.span(node))
    if found is None:
        whole = value.hole.decider if isinstance(value, Unknown) else Decider.REPOSITORY
        return unknown(world, node, "which item it is, or what it holds, is not known", decider=whole)
    return found.through((world.parsed.span(node),)) if isinstance(found, Traced) else found


def _one_of(world: World, value: Mapping | Items, node: ast.expr) -> Value:
    """An entry of a table whose key is open: each in turn, as the run decides."""
    entries: list[tuple[object, Value]] = (
        list(value.entries.items()) if isinstance(value, Mapping) else list(enumerate(value.items))
    )
    for key, entry in entries[:16]:
        text = f"{world.parsed.written(node)} is that of {key!r}"
        if world.decide(("entry", node.lineno, node.col_offset, key), text):
            return entry
    return unknown(world, node, "which entry it is is not known")


def variable(world: World, name: str, node: ast.expr, environ: Mapping, default: Value | None = None) -> Value:
    """A variable of the environment: what the script or the configuration gives it, else the default, else a hole."""
    if name in environ.entries:
        return environ.entries[name]
    if name in world.assume:
        return literal(world.assume[name])
    if isinstance(default, Traced):
        return default.overridable() if default.text else Traced((replace(_EMPTY, overridable=True),))
    if isinstance(default, Plain):
        known = world.decided(("set", name))
        if default.value is not None and known is not True:
            return replace(default, soft=True)
        if known is False:
            return default
    elif default is not None:
        return default
    more = {"decider": Decider.OUTSIDE, "name": name}
    return replace(unknown(world, node, "nothing in the repository sets it", **more), variable=name)


_EMPTY = literal("x").cut(0, 1).pieces[0].cut(0, 0)


def _dict(world: World, node: ast.Dict) -> Mapping:
    made = Mapping()
    for key, value_node in zip(node.keys, node.values, strict=True):
        value = evaluate(world, value_node)
        if key is None:
            if isinstance(value, Mapping):
                made.entries |= value.entries
                made.rest = made.rest or value.rest
                made.environ = made.environ or value.environ
            else:
                made.rest = unknown(world, value_node, "what it holds is not known").hole
            continue
        try:
            made.entries[key_of(evaluate(world, key))] = value
        except (KeyError, TypeError):
            made.rest = unknown(world, key, "the key is not known").hole
    return made


def _format_string(world: World, node: ast.JoinedStr) -> Value:
    parts: list[Traced] = []
    at = 0
    for part in node.values:
        if isinstance(part, ast.Constant):
            text, at = world.parsed.in_format(node, str(part.value), at)
            parts.append(text)
        elif isinstance(part, ast.FormattedValue):
            value = evaluate(world, part.value)
            written = "{" + ast.unparse(part.value) + "}"
            route = (world.parsed.span(node),)
            made = field(part, value)
            if made is not None:
                parts.append(made.through(route) if made.pieces else EMPTY)
            else:
                of = value.hole if isinstance(value, Unknown) else gap("", "it is no text", None).hole
                parts.append(hole(replace(of, text=written, several=False), route))
    return join(parts)


def _binary(world: World, node: ast.BinOp) -> Value:
    left = evaluate(world, node.left)
    right = evaluate(world, node.right)
    if isinstance(node.op, ast.Mod) and isinstance(left, Traced):
        made = formatted(left, right)
        return made if made is not None else unknown(world, node, "its format is not followed")
    found = binary(node.op, left, right)
    return found if found is not None else unknown(world, node, "its parts are not known")


def _unary(world: World, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        return Plain(not outcome(world, node.operand))
    value = evaluate(world, node.operand)
    if isinstance(value, Plain) and isinstance(value.value, (int, float)):
        if isinstance(node.op, ast.USub):
            return replace(value, value=-value.value)
        if isinstance(node.op, ast.UAdd):
            return value
    return unknown(world, node, "it is not computed here")


def _either(world: World, node: ast.BoolOp) -> Value:
    value: Value = Plain(None)
    for i, part in enumerate(node.values):
        if isinstance(part, (ast.Compare, ast.BoolOp)) or (
            isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not)
        ):
            value = Plain(outcome(world, part))
        else:
            value = evaluate(world, part)
            if (
                isinstance(node.op, ast.Or)
                and isinstance(value, Unknown)
                and (isinstance(part, ast.Attribute) and part.attr == "posargs")
            ):
                continue  # nox: what nobody passes has its default, as `${1:-default}`
        if i == len(node.values) - 1:
            return value
        if holds(world, value, part) is isinstance(node.op, ast.Or):
            return value
    return value


# -- conditions -------------------------------------------------------------------------------------------------------


def outcome(world: World, node: ast.expr, *, only: bool = False) -> bool:
    """Which way a condition goes. ``only``: the other way ends the script."""
    if isinstance(node, ast.BoolOp):
        wanted = isinstance(node.op, ast.Or)
        return wanted if any(outcome(world, part, only=only) is wanted for part in node.values) else not wanted
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        world.wanted = None if world.wanted is None else not world.wanted
        try:
            return not outcome(world, node.operand)
        finally:
            world.wanted = None if world.wanted is None else not world.wanted
    if isinstance(node, ast.Compare):
        value: Value = _compare(world, node)
    else:
        value = evaluate(world, node)
    if only and truth(value) is None:
        return True
    return holds(world, value, node)


def holds(world: World, value: Value, node: ast.expr) -> bool:
    """Whether the value counts as true in this run."""
    found, text = truth(value), world.parsed.written(node)
    if found is None:
        of = value.hole.text if isinstance(value, Unknown) else text
        if isinstance(value, Unknown) and value.variable is not None:
            return world.decide(("set", value.variable), text)
        return world.decide(("true", of, text), text)
    if soft(value):
        return world.decide(("soft", text), text, opt_in=not found, first=found)
    return found


def _compare(world: World, node: ast.Compare) -> Value:
    left = evaluate(world, node.left)
    made: Value = Plain(True)
    for operator, right_node in zip(node.ops, node.comparators, strict=True):
        right = evaluate(world, right_node)
        text = world.parsed.written(node)
        found = compared(world, operator, left, right, text)
        if found is None:
            opt_in = None
            sides = [s for s in (left, right) if isinstance(s, Unknown)]
            if any(s.hole.decider is Decider.OUTSIDE for s in sides) and isinstance(operator, (ast.Eq, ast.In)):
                opt_in = True
            elif any(s.hole.decider is Decider.OUTSIDE for s in sides) and isinstance(operator, (ast.NotEq, ast.NotIn)):
                opt_in = False
            found = world.decide(("compare", text), text, opt_in=opt_in, first=opt_in is not True)
            made = Plain(found)
        else:
            made = Plain(found, soft=soft(left) or soft(right))
        if not found:
            return made
        left = right
    return made


# -- comprehensions, targets ------------------------------------------------------------------------------------------


def _comprehension(world: World, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
    outer, world.scope = world.scope, Scope(outer=world.scope)
    listed = Items([], "set" if isinstance(node, ast.SetComp) else "list")
    made = Mapping() if isinstance(node, ast.DictComp) else listed

    def add() -> None:
        if isinstance(node, ast.DictComp):
            assert isinstance(made, Mapping)
            try:
                made.entries[key_of(evaluate(world, node.key))] = evaluate(world, node.value)
            except (KeyError, TypeError):
                made.rest = unknown(world, node.key, "the key is not known").hole
        else:
            assert isinstance(made, Items)
            made.items.append(evaluate(world, node.elt))

    try:
        known = _turns(world, node.generators, add)
    finally:
        world.scope = outer
    if not known:
        if isinstance(made, Mapping):
            made.rest = unknown(world, node, "what it goes through is not known").hole
        else:
            return Items([unknown(world, node, "what it goes through is not known", several=True)], made.kind)
    return made


def _turns(world: World, generators: list[ast.comprehension], add: Callable[[], None]) -> bool:
    if not generators:
        add()
        return True
    from flagguard.hosts.python_statements import items_of
    from flagguard.hosts.python_targets import store

    first, *rest = generators
    items = items_of(world, evaluate(world, first.iter))
    for item in (items or ())[:MAX_ITEMS]:
        store(world, first.target, item)
        if all(outcome(world, test) for test in first.ifs) and not _turns(world, rest, add):
            return False
    return items is not None
