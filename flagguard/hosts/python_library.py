"""Functions of Python and of its library that are computed ("Built-in Functions", os.path, shlex)."""

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from flagguard.hosts.python_expressions import unknown, variable
from flagguard.hosts.python_values import (
    Instance,
    Items,
    Made,
    Mapping,
    Named,
    Plain,
    Unknown,
    Value,
    key_of,
    several,
    soft,
    text_of,
    truth,
)
from flagguard.hosts.python_world import Stopped, World
from flagguard.text import Decider, Hole, Shape, Traced, compact, hole, join, literal
from flagguard.tools.streams import cut_blank
from flagguard.values import replace

if TYPE_CHECKING:
    from flagguard.hosts.python_calls import Arguments

Function = Callable[[World, "Arguments"], Value | None]


def library(world: World, name: str, given: "Arguments") -> Value | None:
    """What the function gives; None where it is not one of those that are computed."""
    found = _FUNCTIONS.get(name.removeprefix("builtins."))
    return found(world, given) if found is not None else None


def _first(given: "Arguments") -> Value | None:
    return given.values[0] if given.values else None


def parent(world: World, value: Unknown, node: ast.expr) -> Value:
    """The folder of a path of the tree."""
    path = value.hole.path
    if path is None:
        return unknown(world, node, "a path", shape=Shape.PATH)
    return unknown(world, node, "where the tree is", decider=Decider.OUTSIDE, shape=Shape.PATH,
                   path=path.rpartition("/")[0])  # fmt: skip


def _dirname(world: World, given: "Arguments") -> Value | None:
    first = _first(given)
    if isinstance(first, Unknown) and first.hole.path is not None:
        return parent(world, first, given.node)
    if isinstance(first, Traced) and first.known:
        return first.cut(0, max(first.text.rfind("/"), 0))
    return unknown(world, given.node, "a path", shape=Shape.PATH)


def _same_path(world: World, given: "Arguments") -> Value | None:
    first = _first(given)
    if isinstance(first, Unknown) and first.hole.path is not None:
        return first
    if isinstance(first, Traced) and first.text not in ("", "."):
        return first
    if isinstance(first, Unknown):
        return unknown(world, given.node, first.hole.reason, decider=first.hole.decider, shape=Shape.PATH)
    named = first is not None and not isinstance(first, Traced)
    return unknown(world, given.node, "a path", shape=Shape.PATH) if named else unknown(
        world, given.node, "where it runs", decider=Decider.OUTSIDE, shape=Shape.PATH, path="")  # fmt: skip


def _joined(world: World, given: "Arguments") -> Value | None:
    parts: list[Traced] = []
    for value in given.values:
        text = text_of(value).one()
        if text.known and text.text.startswith("/"):
            parts = []
        if parts and text.text:
            parts += [literal("/"), text]
        elif text.text:
            parts.append(text)
    return join(parts)


def _getenv(world: World, given: "Arguments") -> Value | None:
    first = _first(given)
    if not isinstance(first, Traced) or not first.known:
        return None
    return variable(world, first.text, given.node, world.environ, given.get("default", 1))


def _shlex_split(world: World, given: "Arguments") -> Value | None:
    first = _first(given)
    if isinstance(first, Unknown) or (isinstance(first, Traced) and not first.known and "'" in first.text):
        reason = first.hole.reason if isinstance(first, Unknown) else "its quotes are not followed"
        return Items([unknown(world, given.node, reason, several=True)])
    if not isinstance(first, Traced):
        return None
    return Items([Traced(compact(word.pieces)) for word in cut_blank(first)])


def _str(world: World, given: "Arguments") -> Value | None:
    first = _first(given)
    if first is None:
        return Traced()
    return first if isinstance(first, (Traced, Unknown)) else text_of(first) if isinstance(first, Plain) else None


def _int(world: World, given: "Arguments") -> Value | None:
    first = _first(given)
    if isinstance(first, Traced) and first.known:
        try:
            return Plain(int(first.text), soft=soft(first))
        except ValueError:
            raise Stopped from None
    return first if isinstance(first, (Plain, Unknown)) else None


def _bool(world: World, given: "Arguments") -> Value | None:
    first = _first(given)
    if first is None:
        return Plain(False)
    found = truth(first)
    return first if found is None else Plain(found, soft=soft(first))


def _list(kind: str) -> Function:
    def made(world: World, given: "Arguments") -> Value | None:
        from flagguard.hosts.python_statements import items_of

        first = _first(given)
        if first is None:
            return Items([], kind)
        if isinstance(first, Items):
            items = list(first.items)
        else:
            known = items_of(world, first)
            if known is None:
                reason = first.hole.reason if isinstance(first, Unknown) else "what it holds is not known"
                known = [unknown(world, given.node, reason, several=True)]
            items = known
        if kind == "sorted":
            items.sort(key=lambda item: text_of(item).text)
        if kind == "reversed":
            items.reverse()
        if kind == "set":
            unique: dict[object, Value] = {}
            for item in items:
                unique.setdefault(item.text if isinstance(item, Traced) and item.known else id(item), item)
            items = list(unique.values())
        return Items(items, kind if kind in ("tuple", "set") else "list")

    return made


def _dict(world: World, given: "Arguments") -> Value | None:
    first = _first(given)
    made = Mapping()
    if isinstance(first, Mapping):
        made = Mapping(dict(first.entries), first.rest, first.environ)
    elif isinstance(first, Items):
        for item in first.items:
            if isinstance(item, Items) and len(item.items) == 2:
                try:
                    made.entries[key_of(item.items[0])] = item.items[1]
                except (KeyError, TypeError):
                    made.rest = Hole("…", "the key is not known", Decider.REPOSITORY)
    elif first is not None:
        made.rest = Hole("…", "what it holds is not known", Decider.REPOSITORY)
    made.entries.update(given.keywords)
    return made


def _len(world: World, given: "Arguments") -> Value | None:
    first = _first(given)
    if isinstance(first, Items) and not any(several(i) for i in first.items):
        return Plain(len(first.items))
    if isinstance(first, Traced) and first.known:
        return Plain(len(first), soft=soft(first))
    return Plain(len(first.entries)) if isinstance(first, Mapping) and not first.rest else unknown(
        world, given.node, "its length is not known", shape=Shape.NUMBER)  # fmt: skip


def _all(wanted: bool) -> Function:
    def made(world: World, given: "Arguments") -> Value | None:
        first = _first(given)
        if not isinstance(first, Items):
            return None
        found = [truth(item) for item in first.items]
        if (not wanted) in found:
            return Plain(not wanted)
        return unknown(world, given.node, "what it holds is not known") if None in found else Plain(wanted)

    return made


def _range(world: World, given: "Arguments") -> Value | None:
    numbers = [v.value for v in given.values if isinstance(v, Plain) and isinstance(v.value, int)]
    if len(numbers) != len(given.values) or not numbers or (len(numbers) == 3 and not numbers[2]):
        return None
    return Items([Plain(n) for n in range(*numbers)[:200]])


def _enumerate(world: World, given: "Arguments") -> Value | None:
    first = _first(given)
    if not isinstance(first, Items):
        return None
    return Items([Items([Plain(i), item], "tuple") for i, item in enumerate(first.items)])


def _zip(world: World, given: "Arguments") -> Value | None:
    lists = [v.items for v in given.values if isinstance(v, Items)]
    if len(lists) != len(given.values):
        return None
    return Items([Items(list(row), "tuple") for row in zip(*lists, strict=False)])


def _map(world: World, given: "Arguments") -> Value | None:
    from flagguard.hosts.python_calls import Arguments, apply

    if len(given.values) != 2 or not isinstance(given.values[1], Items):
        return None
    function, items = given.values[0], given.values[1].items
    return Items([apply(world, function, Arguments(given.node, [item], {})) for item in items[:200]])


def _isinstance(world: World, given: "Arguments") -> Value | None:
    if len(given.values) != 2:
        return None
    value, kinds = given.values
    names = {
        k.name.rpartition(".")[2]
        for k in (kinds.items if isinstance(kinds, Items) else [kinds])
        if isinstance(k, Named)
    }
    if isinstance(value, (Unknown, Named, Made, Instance)):
        return unknown(world, given.node, "what it is is not known")
    kind = value.kind if isinstance(value, Items) else {Traced: "str", Mapping: "dict"}.get(type(value), "")
    if isinstance(value, Plain):
        kind = type(value.value).__name__
    return Plain(kind in names)


def _stop(world: World, given: "Arguments") -> Value | None:
    raise Stopped


def _nothing(world: World, given: "Arguments") -> Value | None:
    return Plain(None)


def _open(world: World, given: "Arguments") -> Value | None:
    return unknown(world, given.node, "what a file holds, or whether it is there")


def _path(world: World, given: "Arguments") -> Value | None:
    first = _first(given)
    if first is None:
        return literal(".")
    return _joined(world, given) if len(given.values) > 1 else first


def _super(world: World, given: "Arguments") -> Value | None:
    return Named("super", world.parsed.span(given.node))


def _namespace(world: World, given: "Arguments") -> Value | None:
    made: dict[object, Value] = {"__namespace__": Plain(True)}
    made.update(given.keywords)
    return Mapping(made)


def _getattr(world: World, given: "Arguments") -> Value | None:
    from flagguard.hosts.python_expressions import attribute

    if len(given.values) < 2 or not isinstance(given.values[1], Traced) or not given.values[1].known:
        return None
    return attribute(world, given.values[0], given.values[1].text, given.node)


def _cpu_count(world: World, given: "Arguments") -> Value | None:
    return replace(unknown(world, given.node, "a number of the machine", decider=Decider.OUTSIDE, shape=Shape.NUMBER))


def _which(world: World, given: "Arguments") -> Value | None:
    first = _first(given)
    shown = f"$(which {first.text})" if isinstance(first, Traced) and first.known else None
    made = unknown(world, given.node, "where a program is installed", decider=Decider.OUTSIDE, shape=Shape.PATH)
    return hole(replace(made.hole, text=shown), (world.parsed.span(given.node),)) if shown else made


_FUNCTIONS: dict[str, Function] = {
    "os.path.join": _joined,
    "os.path.dirname": _dirname,
    **dict.fromkeys(("os.path.abspath", "os.path.realpath", "os.path.normpath", "os.path.expanduser"), _same_path),
    **dict.fromkeys(("os.fspath", "os.getcwd", "pathlib.Path.cwd"), _same_path),
    **dict.fromkeys(("pathlib.Path", "pathlib.PurePath", "pathlib.PurePosixPath"), _path),
    **dict.fromkeys(("os.path.exists", "os.path.isfile", "os.path.isdir", "open", "glob.glob", "os.listdir"), _open),
    "os.getenv": _getenv,
    "os.environ.get": _getenv,
    "shlex.split": _shlex_split,
    "str": _str,
    "int": _int,
    "bool": _bool,
    "repr": _open,
    **{kind: _list(kind) for kind in ("list", "tuple", "set", "sorted", "reversed")},
    "frozenset": _list("set"),
    "dict": _dict,
    "collections.OrderedDict": _dict,
    "len": _len,
    "any": _all(False),
    "all": _all(True),
    "range": _range,
    "enumerate": _enumerate,
    "zip": _zip,
    "map": _map,
    "isinstance": _isinstance,
    "getattr": _getattr,
    "super": _super,
    "types.SimpleNamespace": _namespace,
    **dict.fromkeys(("os.cpu_count", "multiprocessing.cpu_count", "os.getpid"), _cpu_count),
    **dict.fromkeys(("shutil.which", "distutils.spawn.find_executable"), _which),
    **dict.fromkeys(("sys.exit", "exit", "quit", "os._exit", "nox.Session.error", "nox.Session.skip"), _stop),
    **dict.fromkeys(
        ("print", "warnings.warn", "os.makedirs", "os.mkdir", "os.remove", "shutil.rmtree", "shutil.copy", "os.chmod",
         "nox.Session.log", "nox.Session.warn", "nox.Session.debug", "shutil.copyfile", "input"),
        _nothing,
    ),
}  # fmt: skip
