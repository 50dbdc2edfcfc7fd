"""Methods of strings, lists and dictionaries (Python Library Reference, "Built-in Types")."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from flagguard.hosts.python_expressions import unknown, variable
from flagguard.hosts.python_operators import format_call
from flagguard.hosts.python_values import (
    Bound,
    Items,
    Made,
    Mapping,
    Plain,
    Unknown,
    Value,
    key_of,
    several,
    soft,
    text_of,
)
from flagguard.hosts.python_world import World
from flagguard.patterns import expression
from flagguard.text import Piece, Traced, join, literal
from flagguard.values import replace

if TYPE_CHECKING:
    from flagguard.hosts.python_calls import Arguments


def method(world: World, receiver: Value, name: str, given: "Arguments") -> Value | None:
    """What the method gives; None where it is not one of those that are computed."""
    match receiver:
        case Traced():
            return _of_text(world, receiver, name, given)
        case Items():
            return _of_list(world, receiver, name, given)
        case Mapping():
            return _of_mapping(world, receiver, name, given)
        case Unknown():
            return _of_unknown(world, receiver, name, given)
        case Made() | Bound():
            return None
    return None


def _of_unknown(world: World, value: Unknown, name: str, given: "Arguments") -> Value | None:
    if name in ("strip", "rstrip", "lstrip", "lower", "upper", "decode", "encode", "resolve", "absolute", "as_posix"):
        return value
    if name in ("split", "splitlines", "copy"):
        return Items([unknown(world, given.node, value.hole.reason, several=True, decider=value.hole.decider)])
    if name in ("startswith", "endswith"):
        return unknown(world, given.node, value.hole.reason, decider=value.hole.decider)
    return unknown(world, given.node, value.hole.reason, decider=value.hole.decider) if name in (
        "get", "replace", "format", "pop", "items", "keys", "values", "join", "exists", "is_file", "is_dir", "append",
        "extend", "insert", "read", "read_text", "readlines", "glob", "rglob", "group", "match", "search", "wait",
        "communicate", "poll", "check_returncode", "write", "close",
    ) else None  # fmt: skip


# -- strings ----------------------------------------------------------------------------------------------------------

_CASES: dict[str, Callable[[str], str]] = {
    "lower": str.lower, "upper": str.upper, "title": str.title, "capitalize": str.capitalize, "casefold": str.casefold,
}  # fmt: skip
_COMMAS = expression(r"[^,]+")


def _of_text(world: World, text: Traced, name: str, given: "Arguments") -> Value | None:
    first = given.values[0] if given.values else None
    if name in _CASES:
        mapped = [p if p.hole else replace(p, text=_CASES[name](p.text), verbatim=False) for p in text.pieces]
        return Traced(tuple(mapped)) if _CASES[name](text.text) != text.text else text
    if name in ("strip", "lstrip", "rstrip"):
        chars = first.text if isinstance(first, Traced) else None
        said = text.text
        start = len(said) - len(said.lstrip(chars)) if name != "rstrip" else 0
        end = len(said.rstrip(chars)) if name != "lstrip" else len(said)
        return text.cut(start, max(end, start))
    if name in ("startswith", "endswith") and first is not None:
        return _begins(text, first, name)
    if name in ("split", "rsplit", "splitlines"):
        return _split(world, text, name, given)
    if name == "join":
        return _joined(text, first)
    if name == "format":
        return format_call(text, given.values, given.keywords)
    if name == "replace" and len(given.values) > 1:
        return _replaced(text, first, given.values[1])
    if name in ("removeprefix", "removesuffix") and isinstance(first, Traced) and first.known:
        if name == "removeprefix":
            return text.cut(len(first), len(text)) if text.text.startswith(first.text) else text
        return text.cut(0, len(text) - len(first)) if text.text.endswith(first.text) else text
    if name in ("encode", "decode", "resolve", "absolute", "as_posix", "expandtabs", "__str__"):
        return text
    if name in ("isdigit", "isalpha", "isalnum", "isspace", "isidentifier") and text.known:
        return Plain(bool(getattr(text.text, name)()), soft=soft(text))
    if name in ("find", "count", "index") and isinstance(first, Traced) and text.known and first.known:
        return Plain(text.text.count(first.text) if name == "count" else text.text.find(first.text))
    if name in ("partition", "rpartition") and isinstance(first, Traced) and first.text:
        at = text.text.find(first.text) if name == "partition" else text.text.rfind(first.text)
        if at >= 0:
            end = at + len(first)
            return Items([text.cut(0, at), text.cut(at, end), text.cut(end, len(text))], "tuple")
        return Items([text, Traced(), Traced()] if name == "partition" else [Traced(), Traced(), text], "tuple")
    return None


def _begins(text: Traced, what: Value, name: str) -> Value | None:
    options = what.items if isinstance(what, Items) else [what]
    if not all(isinstance(o, Traced) and o.known for o in options):
        return None
    words = tuple(o.text for o in options if isinstance(o, Traced))
    edge = text.pieces[0 if name == "startswith" else -1].text if text.pieces else ""
    found = text.text.startswith(words) if name == "startswith" else text.text.endswith(words)
    if not text.known and not found and (not text.pieces or len(edge) < max(map(len, words), default=0)):
        return None
    return Plain(found, soft=soft(text))


def _split(world: World, text: Traced, name: str, given: "Arguments") -> Value | None:
    first = given.get("sep", 0)
    limit = given.get("maxsplit", 1)
    if limit is not None and not isinstance(limit, Plain):
        return None
    if any(p.hole is not None for p in text.pieces) and text.pieces and all(p.hole for p in text.pieces):
        of = text.pieces[0].hole
        assert of is not None
        return Items([unknown(world, given.node, of.reason, several=True, decider=of.decider)])
    if name == "splitlines" or first is None or (isinstance(first, Plain) and first.value is None):
        if name == "splitlines":
            return Items([text.cut(s, e) for s, e in _lines(text.text)])
        return Items(list(_blank(text))) if limit is None else None
    if not isinstance(first, Traced) or not first.known or not first.text:
        return None
    count = limit.value if isinstance(limit, Plain) and isinstance(limit.value, int) else -1
    parts = text.text.split(first.text, count) if name == "split" else text.text.rsplit(first.text, count)
    out: list[Value] = []
    at = 0
    for part in parts:
        out.append(text.cut(at, at + len(part)))
        at += len(part) + len(first)
    return Items(out)


def _blank(text: Traced) -> Iterator[Value]:
    """The words between blanks; what is not known may be any number of them. Quotes mean nothing here."""
    for found in expression(r"\S+").finditer(text.text):
        part = text.cut(found.start(), found.end())
        if part.known:
            yield part
        elif len(part.pieces) == 1 and part.pieces[0].hole is not None:
            yield Unknown(replace(part.pieces[0].hole, several=True), span=(*part.pieces[0].route, None)[0])
        else:
            yield Traced(
                tuple(p if p.hole is None else replace(p, hole=replace(p.hole, several=True)) for p in part.pieces)
            )


def _lines(text: str) -> list[tuple[int, int]]:
    out, at = [], 0
    for line in text.splitlines(keepends=True):
        out.append((at, at + len(line.rstrip("\r\n"))))
        at += len(line)
    return out


def _joined(by: Traced, what: Value | None) -> Value | None:
    if not isinstance(what, Items):
        return None
    parts: list[Traced] = []
    for i, item in enumerate(what.items):
        # how often it stands there, and with what between, nobody knows: inside one text it is one hole
        parts += [by, text_of(item)] if i else [text_of(item)]
    made = join(parts)
    return made if not any(several(item) for item in what.items) else made.one()


def _replaced(text: Traced, old: Value | None, new: Value) -> Value | None:
    if not isinstance(old, Traced) or not old.known or not old.text or not isinstance(new, Traced):
        return None
    parts: list[Traced] = []
    at = 0
    while (found := text.text.find(old.text, at)) >= 0:
        parts += [text.cut(at, found), new]
        at = found + len(old)
    return join([*parts, text.cut(at, len(text))])


# -- lists ------------------------------------------------------------------------------------------------------------


def _of_list(world: World, value: Items, name: str, given: "Arguments") -> Value | None:
    first = given.values[0] if given.values else None
    match name:
        case "append" | "add" if first is not None:
            if name == "append" or not any(first is item for item in value.items):
                value.items.append(first)
        case "extend" | "update" if first is not None:
            value.items += _many(world, first, given)
        case "insert" if len(given.values) > 1:
            at = first.value if isinstance(first, Plain) and isinstance(first.value, int) else len(value.items)
            value.items.insert(at, given.values[1])
        case "remove" | "discard" if isinstance(first, Traced) and first.known:
            at = next(
                (i for i, item in enumerate(value.items) if isinstance(item, Traced) and item.text == first.text), -1
            )
            if at >= 0:
                del value.items[at]
        case "pop":
            index = first.value if isinstance(first, Plain) and isinstance(first.value, int) else -1
            return value.items.pop(index) if -len(value.items) <= index < len(value.items) else None
        case "clear":
            value.items.clear()
        case "copy":
            return Items(list(value.items), value.kind)
        case "reverse":
            value.items.reverse()
        case "sort":
            value.items.sort(key=lambda item: text_of(item).text)
        case "count" | "index" if isinstance(first, Traced) and first.known:
            same = [i for i, item in enumerate(value.items) if isinstance(item, Traced) and item.text == first.text]
            return Plain(len(same)) if name == "count" else Plain(same[0]) if same else None
        case "union":
            return Items([*value.items, *(_many(world, first, given) if first is not None else [])], value.kind)
        case _:
            return None
    return Plain(None)


def _many(world: World, value: Value, given: "Arguments") -> list[Value]:
    if isinstance(value, Items):
        return list(value.items)
    if isinstance(value, Traced) and value.known:  # as Python does it
        return [value.cut(i, i + 1) for i in range(len(value))]
    reason = value.hole.reason if isinstance(value, Unknown) else "what it holds is not known"
    node = given.node.args[0] if given.node.args else given.node
    return [unknown(world, node, reason, several=True)]


# -- dictionaries -----------------------------------------------------------------------------------------------------


def _of_mapping(world: World, value: Mapping, name: str, given: "Arguments") -> Value | None:
    first = given.values[0] if given.values else None
    default = given.get("default", 1)
    match name:
        case "get" | "pop" | "setdefault" if first is not None:
            return _entry(world, value, name, first, default, given)
        case "update":
            if isinstance(first, Mapping):
                value.entries |= first.entries
                value.rest = value.rest or first.rest
            elif first is not None:
                value.rest = unknown(world, given.node, "what it is updated with is not known").hole
            value.entries.update(given.keywords)
            return Plain(None)
        case "copy":
            return Mapping(dict(value.entries), value.rest, value.environ)
        case "keys" | "items" | "values" if value.rest is None and not value.environ:
            keys = [literal(k) if isinstance(k, str) else Plain(k) for k in value.entries]
            if name == "items":
                pairs = zip(keys, value.entries.values(), strict=True)
                return Items([Items([k, v], "tuple") for k, v in pairs])
            return Items(list(keys) if name == "keys" else list(value.entries.values()))
    return None


def _entry(
    world: World, value: Mapping, name: str, key: Value, default: Value | None, given: "Arguments"
) -> Value | None:
    try:
        known = key_of(key)
    except KeyError:
        from flagguard.hosts.python_expressions import _one_of

        return _one_of(world, value, given.node) if not value.environ else None
    if known in value.entries:
        return value.entries.pop(known) if name == "pop" else value.entries[known]
    if value.environ and isinstance(known, str):
        found = variable(world, known, given.node, value, default or Plain(None) if default is not None else None)
        if name == "setdefault":
            value.entries[known] = found
        return found
    if value.rest is not None:
        return None
    if name == "setdefault":
        value.entries[known] = default or Plain(None)
    return default if default is not None else Plain(None)


__all__ = ["Piece", "method"]
