"""What the statements of a build script do in one run (Python Language Reference, 7 and 8).

What a call comes to is not known here.
"""

import ast
from collections.abc import Sequence
from enum import Enum

from flagguard.hosts.python_calls import call_function
from flagguard.hosts.python_compare import compared
from flagguard.hosts.python_expressions import evaluate, outcome
from flagguard.hosts.python_targets import store
from flagguard.hosts.python_values import (
    Class,
    Function,
    Instance,
    Items,
    Mapping,
    Named,
    Plain,
    Scope,
    Unknown,
    Value,
    gap,
    several,
)
from flagguard.hosts.python_world import Stopped, World
from flagguard.text import Traced, literal


class Flow(Enum):
    NEXT = "next"
    BREAK = "break"
    CONTINUE = "continue"
    RETURN = "return"


MAX_TURNS = 200
"""Turns of one loop."""


class Returned:
    """What a function gives back."""

    def __init__(self) -> None:
        self.value: Value = Plain(None)


def run(world: World, body: Sequence[ast.stmt], back: Returned) -> Flow:
    for statement in body:
        flow = _run(world, statement, back)
        if flow is not Flow.NEXT:
            return flow
    return Flow.NEXT


def _run(world: World, node: ast.stmt, back: Returned) -> Flow:
    world.step()
    match node:
        case ast.Expr():
            world.alone = True
            evaluate(world, node.value)
            world.alone = False
        case ast.Assign():
            value = evaluate(world, node.value)
            for target in node.targets:
                store(world, target, value)
        case ast.AnnAssign():
            if node.value is not None:
                store(world, node.target, evaluate(world, node.value))
        case ast.AugAssign():
            _augmented(world, node)
        case ast.If():
            return _if(world, node, back)
        case ast.For() | ast.AsyncFor():
            return _for(world, node, back)
        case ast.While():
            return _while(world, node, back)
        case ast.Try():
            return _try(world, node, back)
        case ast.With() | ast.AsyncWith():
            return _with(world, node, back)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            _define(world, node)
        case ast.ClassDef():
            _class(world, node)
        case ast.Import() | ast.ImportFrom():
            _import(world, node)
        case ast.Return():
            back.value = evaluate(world, node.value) if node.value is not None else Plain(None)
            return Flow.RETURN
        case ast.Break():
            return Flow.BREAK
        case ast.Continue():
            return Flow.CONTINUE
        case ast.Raise():
            raise Stopped
        case ast.Assert():
            if not outcome(world, node.test, only=True):
                raise Stopped
        case ast.Match():
            return _match(world, node, back)
        case ast.Global() | ast.Nonlocal():
            world.scope.shared.update(node.names)
        case ast.Delete():
            for target in node.targets:
                _delete(world, target)
    return Flow.NEXT


def _if(world: World, node: ast.If, back: Returned) -> Flow:
    if not node.orelse and all(_speaks(statement) for statement in node.body):
        # it only says something, or ends the script: nothing is made where it does
        world.wanted = False
        try:
            taken = outcome(world, node.test)
        finally:
            world.wanted = None
    else:
        taken = outcome(world, node.test)
    return run(world, node.body if taken else node.orelse, back)


_SAYING = frozenset({"print", "exit", "_exit", "warn", "error", "info", "debug", "warning", "write", "skip", "log"})


def _speaks(node: ast.stmt) -> bool:
    """Whether a statement only talks, or raises."""
    if isinstance(node, (ast.Raise, ast.Pass)):
        return True
    if not isinstance(node, ast.Expr):
        return False
    value = node.value
    return isinstance(value, ast.Constant) or (
        isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] in _SAYING
    )


def _augmented(world: World, node: ast.AugAssign) -> None:
    load = ast.copy_location(_loaded(node.target), node.target)
    old = evaluate(world, load)
    if isinstance(node.op, ast.Add) and isinstance(old, Items) and old.kind == "list":
        # the list itself grows, under all its names
        new = evaluate(world, node.value)
        old.items += new.items if isinstance(new, Items) else [_spread(world, new, node.value)]
        store(world, node.target, old)
        return
    operation = ast.copy_location(ast.BinOp(load, node.op, node.value), node)
    store(world, node.target, evaluate(world, operation))


def _spread(world: World, value: Value, node: ast.expr) -> Value:
    reason = value.hole.reason if isinstance(value, Unknown) else "what it holds is not known"
    return gap(world.parsed.written(node), reason, world.parsed.span(node), several=True)


def _loaded(target: ast.expr) -> ast.expr:
    match target:
        case ast.Name():
            return ast.Name(target.id, ast.Load())
        case ast.Attribute():
            return ast.Attribute(target.value, target.attr, ast.Load())
        case ast.Subscript():
            return ast.Subscript(target.value, target.slice, ast.Load())
    return target


def _delete(world: World, target: ast.expr) -> None:
    from flagguard.hosts.python_values import key_of

    if isinstance(target, ast.Subscript):
        holder, key = evaluate(world, target.value), evaluate(world, target.slice)
        try:
            if isinstance(holder, Mapping):
                holder.entries.pop(key_of(key), None)
            elif isinstance(holder, Items):
                del holder.items[key_of(key)]  # type: ignore[arg-type]
        except (KeyError, TypeError, IndexError):
            pass


# -- loops ------------------------------------------------------------------------------------------------------------


def items_of(world: World, value: Value) -> list[Value] | None:
    """The items that a loop goes through; None where they are not known."""
    if isinstance(value, Items):
        return None if any(several(item) for item in value.items) else list(value.items)
    if isinstance(value, Mapping) and value.rest is None and not value.environ:
        return [literal(k) if isinstance(k, str) else Plain(k) for k in value.entries]
    if isinstance(value, Traced) and value.known:
        return [value.cut(i, i + 1) for i in range(len(value))]
    return None


def _for(world: World, node: ast.For | ast.AsyncFor, back: Returned) -> Flow:
    value = evaluate(world, node.iter)
    known = items_of(world, value)
    if known is None:
        known = [item for item in value.items if not several(item)] if isinstance(value, Items) else []
        text = world.parsed.written(node.iter)
        if world.decide(("loop", node.lineno, node.col_offset), f"{text} has items"):
            known.append(gap(text, "an item of what is not known", world.parsed.span(node.iter)))
    for item in known[:MAX_TURNS]:
        store(world, node.target, item)
        flow = run(world, node.body, back)
        if flow is Flow.BREAK:
            return Flow.NEXT
        if flow is Flow.RETURN:
            return flow
    return run(world, node.orelse, back)


def _while(world: World, node: ast.While, back: Returned) -> Flow:
    for _ in range(MAX_TURNS):
        before = len(world.trail)
        if not outcome(world, node.test):
            return run(world, node.orelse, back)
        flow = run(world, node.body, back)
        if flow is Flow.BREAK:
            return Flow.NEXT
        if flow is Flow.RETURN:
            return flow
        if len(world.trail) > before:  # what nobody knows: once stands for any number of turns
            return Flow.NEXT
    return Flow.NEXT


# -- try, with, match -------------------------------------------------------------------------------------------------

_FAILING = frozenset(
    {"CalledProcessError", "SubprocessError", "Exception", "BaseException", "Failure", "CommandFailed"}
)


def _leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether a handler lets nothing pass: it raises, or ends the script."""
    return any(
        isinstance(node, ast.Raise)
        or (isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ("exit", "_exit", "error"))
        for statement in body
        for node in ast.walk(statement)
    )


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = {ast.unparse(part).rpartition(".")[2] for part in getattr(handler.type, "elts", [handler.type])}
    return bool(names & _FAILING)


def _changes(body: Sequence[ast.stmt]) -> bool:
    """Whether it makes a difference that a handler ran."""
    kinds = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Import, ast.ImportFrom, ast.FunctionDef)
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, (*kinds, ast.ClassDef, ast.Continue, ast.Break)):
                return True
            if isinstance(node, ast.Call) and ast.unparse(node.func) not in ("print", "warnings.warn"):
                return True
    return False


def _try(world: World, node: ast.Try, back: Returned) -> Flow:
    open_handlers = [h for h in node.handlers if not _leaves(h.body) and _changes(h.body)]
    passing = any(_catches(h) and not _leaves(h.body) for h in node.handlers)
    flow = Flow.NEXT
    try:
        for handler in open_handlers:
            said = ast.unparse(handler.type) if handler.type is not None else "an exception"
            if world.decide(("except", handler.lineno), f"{said} is raised", first=False):
                if handler.name:
                    store(world, ast.Name(handler.name, ast.Store()), gap(said, "an exception", None))
                flow = run(world, handler.body, back)
                break
        else:
            world.caught += passing
            try:
                flow = run(world, node.body, back)
            finally:
                world.caught -= passing
            if flow is Flow.NEXT:
                flow = run(world, node.orelse, back)
    except Stopped:
        if not node.handlers:
            raise
        # its own `raise` is caught
        caught = next((h for h in node.handlers if _catches(h)), node.handlers[0])
        flow = run(world, caught.body, back)
    final = run(world, node.finalbody, back)
    return flow if final is Flow.NEXT else final


def _with(world: World, node: ast.With | ast.AsyncWith, back: Returned) -> Flow:
    from flagguard.hosts.python_programs import folder_of

    folder, prefixes = world.folder, list(world.prefixes)
    for item in node.items:
        moved = folder_of(world, item.context_expr)
        value = evaluate(world, item.context_expr)
        if moved is not None:
            world.folder = moved[0]
        if item.optional_vars is not None:
            store(world, item.optional_vars, value)
    try:
        return run(world, node.body, back)
    finally:
        world.folder, world.prefixes = folder, prefixes


def _match(world: World, node: ast.Match, back: Returned) -> Flow:
    subject = evaluate(world, node.subject)
    for case in node.cases:
        written = f"{world.parsed.written(node.subject)} matches {ast.unparse(case.pattern)}"
        found = matches(world, case.pattern, subject)
        if found is None:
            found = world.decide(("case", case.pattern.lineno, case.pattern.col_offset), written)
        if found and (case.guard is None or outcome(world, case.guard)):
            return run(world, case.body, back)
    return Flow.NEXT


def matches(world: World, pattern: ast.pattern, subject: Value) -> bool | None:
    """Whether a case of `match` fits; None where that is open."""
    match pattern:
        case ast.MatchValue():
            return compared(world, ast.Eq(), subject, evaluate(world, pattern.value), ast.unparse(pattern))
        case ast.MatchSingleton():
            return compared(world, ast.Is(), subject, Plain(pattern.value), ast.unparse(pattern))
        case ast.MatchOr():
            found = [matches(world, p, subject) for p in pattern.patterns]
            return True if True in found else None if None in found else False
        case ast.MatchAs():
            inner = True if pattern.pattern is None else matches(world, pattern.pattern, subject)
            if pattern.name is not None and inner is not False:
                world.scope.names[pattern.name] = subject
            return inner
        case ast.MatchSequence() if isinstance(subject, Items) and not any(map(several, subject.items)):
            if len(pattern.patterns) != len(subject.items):
                return None if any(isinstance(p, ast.MatchStar) for p in pattern.patterns) else False
            found = [matches(world, p, s) for p, s in zip(pattern.patterns, subject.items, strict=True)]
            return False if False in found else None if None in found else True
    return None


# -- definitions ------------------------------------------------------------------------------------------------------


def _define(world: World, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    decorators = tuple(evaluate(world, d) for d in node.decorator_list)
    made = Function(node, world.scope, defaults(world, node.args), None, decorators)
    world.functions.append(made)
    store(world, ast.Name(node.name, ast.Store()), made)


def defaults(world: World, arguments: ast.arguments) -> dict[str, Value]:
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    found = dict(zip(names[::-1], arguments.defaults[::-1], strict=False))
    found |= {a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None}
    return {name: evaluate(world, value) for name, value in found.items()}


def _class(world: World, node: ast.ClassDef) -> None:
    bases = tuple(evaluate(world, base) for base in node.bases)
    made = Class(node.name, bases, Scope(outer=world.scope))
    outer, world.scope = world.scope, made.scope
    try:
        run(world, node.body, Returned())
    finally:
        world.scope = outer
    for value in made.scope.names.values():
        if isinstance(value, Function) and value.scope is made.scope:
            value.owner = made
            value.scope = outer
    world.classes.append(made)
    store(world, ast.Name(node.name, ast.Store()), made)


def _import(world: World, node: ast.Import | ast.ImportFrom) -> None:
    for alias in node.names:
        if isinstance(node, ast.Import):
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            world.scope.names[alias.asname or name] = Named(name)
        elif alias.name != "*":
            module = "." * node.level + (node.module or "")
            world.scope.names[alias.asname or alias.name] = Named(f"{module}.{alias.name}")


def called(world: World, function: Function, scope: Scope) -> Value:
    """The body of a function in its own scope."""
    node = function.node
    if isinstance(node, ast.Lambda):
        outer, world.scope = world.scope, scope
        try:
            return evaluate(world, node.body)
        finally:
            world.scope = outer
    back = Returned()
    outer, world.scope = world.scope, scope
    kept, world.yielded = world.yielded, []
    try:
        run(world, node.body, back)
        return Items(world.yielded) if world.yielded else back.value
    finally:
        world.scope, world.yielded = outer, kept


def start(world: World, function: Function, arguments: Sequence[Value], receiver: Value | None = None) -> Value:
    """A function that something outside calls: a session, a task, a step of the build."""
    given = [receiver, *arguments] if receiver is not None else list(arguments)
    return call_function(world, function, [v for v in given if v is not None], {})


__all__ = ["Flow", "Instance", "Returned", "called", "items_of", "run", "start"]
