"""What something outside calls in a build script: sessions of nox, tasks of Invoke and doit, steps of a build.

Follows nox ("Configuration & API": `session`, `parametrize`, `options.sessions`, `notify`; "Command-line usage"),
Invoke ("Invoking tasks": arguments, pre- and post-tasks) and doit ("Tasks"). What the functions do is not known here.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence

from flagguard.command import Word
from flagguard.hosts.python_expressions import evaluate
from flagguard.hosts.python_programs import actions
from flagguard.hosts.python_statements import start
from flagguard.hosts.python_values import Class, Function, Instance, Items, Named, Plain, Value, gap
from flagguard.hosts.python_values import Mapping as Dict
from flagguard.hosts.python_world import INVOKE, NOX, Stopped, World
from flagguard.text import Decider, Traced, literal
from flagguard.values import replace

DOIT = "doit"
_MAX = 32
"""Ways in which one session is called."""


def receiver(world: World, function: Function) -> str:
    """What nox, Invoke or doit give the function; empty where none of them calls it."""
    node = function.node
    if isinstance(node, ast.Lambda) or function.owner is not None:
        return ""
    said = [ast.unparse(d).partition("(")[0].rpartition(".")[2] for d in node.decorator_list]
    if "session" in said:
        return NOX
    if "task" in said:
        return INVOKE
    doit = world.path.rpartition("/")[2] == "dodo.py" and node.name.startswith("task_")
    return DOIT if doit else ""


def guarded(world: World, function: Function, values: list[Value]) -> Value:
    """A call from outside; a script that ends in it has no result."""
    try:
        return start(world, function, values)
    except Stopped:
        return Plain(None)


def enter(world: World, function: Function) -> None:
    """Calls a session, a task, or a function that others may call."""
    node = function.node
    of = receiver(world, function)
    if isinstance(node, ast.Lambda):
        return
    if of == DOIT:
        _begin(world, node.name.removeprefix("task_"))
        actions(world, guarded(world, function, []), node)
        return
    if not of:
        if function.owner is None:
            guarded(world, function, [])
        for value in world.classes if function.owner is not None else ():
            # a method is called on what comes of its class as well
            if isinstance(value, Class) and value.find(function.name) is function:
                guarded(world, function, [Instance(value)])
        return
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    rows = _ways(world, function, names[1:]) if of == INVOKE else _parameters(world, node)
    for python in _pythons(world, function) if of == NOX else (None,):
        for values in rows:
            _begin(world, _name(world, function))
            rest = [_argument(function, name, values) for name in names[1:]]
            if of == NOX:
                world.session = Dict(dict(world.environ.entries), environ=True)
                world.python = python
            guarded(world, function, [Named(of), *rest][: len(names)])


def _begin(world: World, name: str | None) -> None:
    world.task = name
    world.session = None
    world.python = None
    world.folder = ""


def _argument(function: Function, name: str, given: Mapping[str, Value]) -> Value:
    default = function.defaults.get(name)
    if name in given:
        return given[name]
    if isinstance(default, Traced):
        return default.overridable()
    if isinstance(default, Plain):
        return replace(default, soft=True)
    return default if default is not None else gap(name, "an argument of the task", None, Decider.OUTSIDE, name=name)


# -- decorators -------------------------------------------------------------------------------------------------------


def _said(world: World, function: Function, *keys: str) -> Value | None:
    """What the decorators say by a keyword."""
    node = function.node
    for decorator in node.decorator_list if not isinstance(node, ast.Lambda) else ():
        for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if keyword.arg in keys:
                return evaluate(world, keyword.value)
    return None


def _name(world: World, function: Function) -> str:
    found = _said(world, function, "name")
    return found.text if isinstance(found, Traced) and found.known else function.name


def _pythons(world: World, function: Function) -> Sequence[Value | None]:
    """The interpreters of a session, one call each, where it looks at them."""
    span = world.parsed.span(function.node)
    if ".python" not in world.parsed.source.text[span.start : span.end]:
        return (None,)
    found = _said(world, function, "python", "py")
    if not isinstance(found, Items):
        return (found,)
    called = world.called_by.units if world.called_by is not None else None
    name = _name(world, function)
    wanted = [v for v in found.items if isinstance(v, Traced) and called and f"{name}-{v.text}" in called]
    return (wanted or found.items)[:16] or (None,)


def _parameters(world: World, node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[dict[str, Value]]:
    """What `@nox.parametrize` gives, one call after the other."""
    rows: list[dict[str, Value]] = [{}]
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Call) or not ast.unparse(decorator.func).endswith("parametrize"):
            continue
        found = [evaluate(world, part) for part in decorator.args[:1]]
        found += [_values(world, part) for part in decorator.args[1:2]]
        if len(found) < 2 or not isinstance(found[1], Items) or not found[1].items:
            continue
        said = found[0].items if isinstance(found[0], Items) else []
        names = [n.text for n in said if isinstance(n, Traced)] or (
            [n.strip() for n in found[0].text.split(",")] if isinstance(found[0], Traced) else [])  # fmt: skip
        made: list[dict[str, Value]] = []
        for row in rows:
            for value in found[1].items[:16]:
                values = value.items if len(names) > 1 and isinstance(value, Items) else [value]
                made.append({**row, **dict(zip(names, values, strict=False))})
        rows = made[:_MAX] or rows
    return rows


def _values(world: World, node: ast.expr) -> Value:
    """The values of a parameter; `nox.param(value, id=…)` is its value."""
    if not isinstance(node, (ast.List, ast.Tuple)):
        return evaluate(world, node)
    out: list[Value] = []
    for part in node.elts:
        if isinstance(part, ast.Call) and ast.unparse(part.func).rpartition(".")[2] == "param" and part.args:
            inner = [evaluate(world, one) for one in part.args]
            out.append(inner[0] if len(inner) == 1 else Items(inner, "tuple"))
        else:
            out.append(evaluate(world, part))
    return Items(out)


# -- which are called -------------------------------------------------------------------------------------------------


def chosen(world: World, names: "frozenset[str] | None" = None) -> list[int] | None:
    """The lines of the functions that a call of nox or Invoke runs, each behind those that it asks for; None: any.

    ``names``: as the call names them; None: as the script is called.
    """
    called = world.called_by
    if called is None or called.runner not in (NOX, INVOKE):
        return None
    names = names if names is not None else called.units
    functions = {f.node.lineno: f for f in world.functions if receiver(world, f) == called.runner}
    if names is None:
        return _by_default(world, functions) if called.runner == NOX else None
    found: list[int] = []
    seen: set[int] = set()

    def visit(function: Function) -> None:
        if function.node.lineno in seen:
            return
        seen.add(function.node.lineno)
        for value in _asked_for(world, function):
            if isinstance(value, Function):
                visit(value)
            elif isinstance(value, Traced):
                for one in [f for f in functions.values() if _answers(world, f, frozenset({value.text}))]:
                    visit(one)
        found.append(function.node.lineno)

    for function in [f for f in functions.values() if _answers(world, f, names)]:
        visit(function)
    return found


def _by_default(world: World, functions: Mapping[int, Function]) -> list[int] | None:
    """The sessions of a call of nox that names none."""
    if world.sessions is not None:
        listed = [s.text for s in world.sessions.items if isinstance(s, Traced) and s.known]
        return chosen(world, frozenset(listed)) if len(listed) == len(world.sessions.items) else None
    off = (Plain, False)
    return [n for n, f in functions.items() if _constant(_said(world, f, "default")) != off]


def _constant(value: Value | None) -> object:
    return (Plain, value.value) if isinstance(value, Plain) else None


def _answers(world: World, function: Function, names: Iterable[str]) -> bool:
    """Whether a name of the command line means this function."""
    own = {_name(world, function)}
    aliases = _said(world, function, "aliases")
    own |= {a.text for a in aliases.items if isinstance(a, Traced)} if isinstance(aliases, Items) else set()
    if receiver(world, function) == INVOKE:
        own = {name.replace("_", "-") for name in own}
        return any(name.replace("_", "-").rpartition(".")[2] in own for name in names)
    plain = {name.partition("(")[0] for name in names}
    return any(name in own or name.rpartition("-")[0] in own for name in plain)


def _asked_for(world: World, function: Function) -> list[Value]:
    """What runs before or after it: `pre`, `post` and the positional arguments of `task`, nox's `requires`."""
    return _listed(world, function) + [task for task, _ in _calls(world, function)]


def _listed(world: World, function: Function) -> list[Value]:
    found = [_said(world, function, key) for key in ("pre", "post", "requires")]
    listed: list[Value] = [item for value in found if isinstance(value, Items) for item in value.items]
    node = function.node
    for decorator in node.decorator_list if not isinstance(node, ast.Lambda) else ():
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).rpartition(".")[2] == "task":
            listed += [evaluate(world, part) for part in decorator.args]
    return listed


def _calls(world: World, function: Function) -> "list[tuple[Value, dict[str, Value]]]":
    """What the decorators' `call(task, …)` call, and with which arguments."""
    node = function.node
    decorators = node.decorator_list if not isinstance(node, ast.Lambda) else ()
    calls = [
        inner
        for decorator in decorators
        for inner in ast.walk(decorator)
        if isinstance(inner, ast.Call) and ast.unparse(inner.func).rpartition(".")[2] == "call" and inner.args
    ]
    return [(evaluate(world, c.args[0]), {k.arg: evaluate(world, k.value) for k in c.keywords if k.arg}) for c in calls]


def _ways(world: World, function: Function, names: Sequence[str]) -> list[dict[str, Value]]:
    """What Invoke gives to the arguments of a task, once for each way in which a command line runs it."""
    called = world.called_by
    if called is None or called.units is None:
        return [{}]
    lines = chosen(world) or []
    running = [f for f in world.functions if f.node.lineno in lines]
    calls = [given for other in running for task, given in _calls(world, other) if task is function]
    named = _answers(world, function, called.units) or any(
        value is function for other in running for value in _listed(world, other)
    )
    return [*([_given(world, function, names)] if named or not calls else []), *calls]


# -- Invoke's arguments -----------------------------------------------------------------------------------------------


def _given(world: World, function: Function, names: Sequence[str]) -> dict[str, Value]:
    """What the words behind the task's name give its arguments."""
    called = world.called_by
    if called is None or called.units is None or not _answers(world, function, called.units):
        return {}
    words = list(called.words)
    while words and not _answers(world, function, {words.pop(0).text}):
        pass
    others = [f for f in world.functions if f is not function and receiver(world, f) == INVOKE]
    options = {f"--{name.replace('_', '-')}": name for name in names}
    for name in names:
        letter = next((c for c in name if c.isalpha() and f"-{c}" not in options), None)
        options |= {f"-{letter}": name} if letter else {}
    waiting = [name for name in names if name not in function.defaults]
    found: dict[str, Value] = {}
    while words:
        word = words.pop(0)
        said, equals, _ = word.text.partition("=")
        if said in options:
            name = options[said]
            default = function.defaults.get(name)
            if isinstance(default, Plain) and isinstance(default.value, bool):
                found[name] = Plain(True)
            elif equals or words:
                value = Traced(word.cut(len(said) + 1, len(word)).pieces) if equals else _plain(words.pop(0))
                number = isinstance(default, Plain) and isinstance(default.value, int) and value.text.isdigit()
                found[name] = Plain(int(value.text)) if number else value
            waiting = [one for one in waiting if one != name]
        elif said.startswith("--no-") and f"--{said[5:]}" in options:
            found[options[f"--{said[5:]}"]] = Plain(False)
        elif not word.known:
            return {}  # it may give any of them
        elif not said.startswith("-") and waiting:
            found[waiting.pop(0)] = _plain(word)
        elif any(_answers(world, other, {word.text}) for other in others):
            break
    return found


def _plain(word: Word) -> Traced:
    return Traced(word.pieces) if word.pieces else literal("")
