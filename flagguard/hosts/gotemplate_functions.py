"""The functions of a Taskfile's templates, on traced texts.

Follows https://taskfile.dev/docs/reference/templating, https://pkg.go.dev/text/template#hdr-Functions and
https://go-task.github.io/slim-sprig/. Each takes the platform first. How a template is read is not known here.
"""

import json
import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Any

from flagguard.hosts.pipelines import unset
from flagguard.hosts.tox_words import quoted
from flagguard.patterns import expression
from flagguard.text import EMPTY, Piece, Traced, join, literal
from flagguard.values import dataclass

Value = Any
"""A :class:`Traced`, a bool, an int, None, a list, a mapping, or :class:`Missing`."""
_BLANKS = expression(r"\s+")
_VERB = expression(r"%(?:%|[-+# 0]*\d*(?:\.\d+)?[svdqt])")
_ARCH = {"x86_64": "amd64", "aarch64": "arm64", "armv7l": "arm", "i686": "386"}


@dataclass(frozen=True, slots=True)
class Missing:
    """A variable that has no value."""

    name: str


class Unknown(Exception):
    """It hangs on something that is not known: what, as half a sentence."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


def text_of(value: Value) -> Traced:
    """What a value is printed as."""
    if isinstance(value, Traced):
        return value
    if isinstance(value, Missing):
        return unset(value.name)
    if value is None:
        return EMPTY
    if isinstance(value, bool):
        return literal(str(value).lower())
    if isinstance(value, int):
        return literal(str(value))
    if isinstance(value, list):
        between = [part for item in value for part in (literal(" "), text_of(item))][1:]
        return join([literal("["), *between, literal("]")])
    raise Unknown("how a map is printed")


def known(value: Value) -> str:
    text = text_of(value)
    if not text.known:
        raise Unknown(text.holes[0].reason)
    return text.text


def truth(value: Value) -> bool:
    if isinstance(value, Traced):
        if value.text and not value.known and not any(p.text for p in value.pieces if p.hole is None):
            raise Unknown("whether it is empty")
        return bool(value.text)
    return not isinstance(value, Missing) and bool(value)


def equal(one: Value, other: Value) -> bool:
    if isinstance(one, Missing | None) or isinstance(other, Missing | None):
        return isinstance(one, Missing | None) and isinstance(other, Missing | None)
    if isinstance(one, list | Mapping) or isinstance(other, list | Mapping):
        raise Unknown("whether they are equal")
    return known(one) == known(other)


def system(platform: str) -> str:
    """Go's GOOS."""
    name = platform.partition("-")[0]
    return {"macos": "darwin"}.get(name, name)


def machine(platform: str) -> str:
    """Go's GOARCH."""
    name = platform.partition("-")[2]
    return _ARCH.get(name, name)


def _mapped(change: Callable[[str], str]) -> Callable[..., Value]:
    def function(platform: str, *values: Value) -> Value:
        del platform
        text = text_of(values[-1])
        said = change(known(text))
        return text if said == text.text else Traced((Piece(said, text.route),)) if said else EMPTY

    return function


def _cut(part: Callable[[str, str], tuple[int, int]]) -> Callable[..., Value]:
    """A function that leaves a part of its last value, by what comes before it."""

    def function(platform: str, *values: Value) -> Value:
        del platform
        text = text_of(values[-1])
        return text.cut(*part(known(values[0]) if len(values) > 1 else "", known(text)))

    return function


def _trimmed(chars: str, said: str) -> tuple[int, int]:
    start = len(said) - len(said.lstrip(chars or None))
    return start, start + len(said.strip(chars or None))


def _default(platform: str, *values: Value) -> Value:
    other, value = (values[0], values[-1]) if len(values) > 1 else (values[0], Missing(""))
    if isinstance(value, Traced) and not value.known:
        return value
    if truth(value):
        return value
    return other.overridable() if isinstance(other, Traced) else other


def _coalesce(platform: str, *values: Value) -> Value:
    return next((value for value in values if truth(value)), Missing(""))


def _ternary(platform: str, *values: Value) -> Value:
    return values[0] if truth(values[2]) else values[1]


def _replace(platform: str, *values: Value) -> Value:
    old, new, text = known(values[0]), text_of(values[1]), text_of(values[2])
    said = known(text)
    if not old:
        return text
    parts, at = [], 0
    while (found := said.find(old, at)) >= 0:
        parts += [text.cut(at, found), new]
        at = found + len(old)
    return join([*parts, text.cut(at, len(said))])


def _split_at(separator: str, text: Traced) -> list[Value]:
    said, found, at = known(text), [], 0
    if not separator:
        return [text.cut(i, i + 1) for i in range(len(said))]
    while (stop := said.find(separator, at)) >= 0:
        found.append(text.cut(at, stop))
        at = stop + len(separator)
    return [*found, text.cut(at, len(said))]


def _split(platform: str, *values: Value) -> Value:
    return {f"_{i}": part for i, part in enumerate(_split_at(known(values[0]), text_of(values[1])))}


def fields(text: Traced) -> list[Value]:
    """The words between blanks."""
    said, found, at = known(text), [], 0
    for blank in _BLANKS.finditer(said):
        found.append(text.cut(at, blank.start()))
        at = blank.end()
    return [part for part in (*found, text.cut(at, len(said))) if part.text]


def _split_args(platform: str, *values: Value) -> Value:
    from flagguard.hosts.tox_words import split

    text = text_of(values[0])
    if not text.known or re.search(r"[$`*?{]", text.text):
        raise Unknown("which words it is")
    return [Traced(w.pieces) for w in split(text, False)]


def _lines(platform: str, *values: Value) -> Value:
    return _split_at("\n", text_of(values[0]))


def _joined(between: Traced, values: "list[Value]") -> Traced:
    return join([part for value in values for part in (between, text_of(value))][1:])


def _join(platform: str, *values: Value) -> Value:
    items = values[1] if isinstance(values[1], list) else [values[1]]
    return _joined(text_of(values[0]), items)


def _join_path(platform: str, *values: Value) -> Value:
    """filepath.Join, for texts; what is not known is left as it is."""
    parts = [text for text in map(text_of, values) if text.text]
    joined = _joined(literal("/"), list(parts))
    if not joined.known:
        return joined
    cleaned = posixpath.normpath(joined.text) if joined.text else ""
    return joined if cleaned == joined.text else Traced((Piece(cleaned, joined.route),)) if cleaned else EMPTY


def _printf(platform: str, *values: Value) -> Value:
    form, rest = text_of(values[0]), list(values[1:])
    said = known(form)
    parts, at = [], 0
    for found in _VERB.finditer(said):
        parts.append(form.cut(at, found.start()))
        at = found.end()
        if found[0] == "%%":
            parts.append(form.cut(found.start(), found.start() + 1))
            continue
        value = rest.pop(0) if rest else Missing("")
        if found[0] in ("%s", "%v", "%d", "%t"):
            parts.append(text_of(value))
        elif found[0] == "%q":
            parts += [literal('"'), text_of(value), literal('"')]
        else:
            number = int(known(value)) if found[0][-1] == "d" else known(value)
            parts.append(literal(found[0].replace("v", "s") % number).grounded(form.route))
    return join([*parts, form.cut(at, len(said))])


def _print(platform: str, *values: Value) -> Value:
    return join(map(text_of, values))


def _cat(platform: str, *values: Value) -> Value:
    return _joined(literal(" "), list(values))


def _index(platform: str, *values: Value) -> Value:
    value = values[0]
    for key in values[1:]:
        if isinstance(value, list):
            number = int(known(key))
            value = value[number]
        elif isinstance(value, Mapping):
            value = value.get(known(key), Missing(known(key)))
        else:
            raise Unknown("what a part of it is")
    return value


def _slice(platform: str, *values: Value) -> Value:
    start, end = (int(known(v)) for v in (*values[1:3], *(() if len(values) > 2 else (len(values[0]),))))
    return values[0].cut(start, end) if isinstance(values[0], Traced) else values[0][start:end]


def _compared(fits: Callable[[int], bool]) -> Callable[..., Value]:
    def function(platform: str, *values: Value) -> Value:
        one, other = (known(v) for v in values[:2])
        if isinstance(values[0], int) and isinstance(values[1], int):
            return fits(values[0] - values[1])
        return fits((one > other) - (one < other))

    return function


def _number(of: Callable[[list[int]], int]) -> Callable[..., Value]:
    return lambda platform, *values: of([int(known(v)) for v in values])


def _tested(test: Callable[[str, str], bool]) -> Callable[..., Value]:
    """`contains "a" .X`: what is looked for comes first."""
    return lambda platform, *values: test(known(values[0]), known(values[1]))


def _listed(of: "Callable[[list[Value]], Value]") -> Callable[..., Value]:
    def function(platform: str, *values: Value) -> Value:
        if not isinstance(values[-1], list):
            raise Unknown("which values it has")
        return of(values[-1])

    return function


def _has(platform: str, *values: Value) -> Value:
    if not isinstance(values[1], list):
        raise Unknown("which values it has")
    return any(equal(values[0], item) for item in values[1])


def _unique(values: "list[Value]") -> Value:
    found: dict[str, Value] = {}
    for value in values:
        found.setdefault(known(value), value)
    return list(found.values())


def _and(platform: str, *values: Value) -> Value:
    return next((value for value in values if not truth(value)), values[-1])


def _or(platform: str, *values: Value) -> Value:
    return next((value for value in values if truth(value)), values[-1])


def _dict(platform: str, *values: Value) -> Value:
    return {known(values[i]): values[i + 1] for i in range(0, len(values) - 1, 2)}


def _merge(platform: str, *values: Value) -> Value:
    return {name: value for one in values for name, value in one.items()}


def _quoted(platform: str, *values: Value) -> Value:
    return quoted([text_of(values[0])])


def _double(platform: str, *values: Value) -> Value:
    return _joined(literal(" "), [join([literal('"'), text_of(v), literal('"')]) for v in values])


def _single(platform: str, *values: Value) -> Value:
    return _joined(literal(" "), [join([literal("'"), text_of(v), literal("'")]) for v in values])


def _from_json(platform: str, *values: Value) -> Value:
    """A text of JSON as what it says; every part of it stands where the text does."""
    text = text_of(values[0])
    try:
        found = json.loads(known(text))
    except (ValueError, RecursionError):
        return Missing("")

    def of(value: Any) -> Value:
        if isinstance(value, dict):
            return {name: of(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [of(inner) for inner in value]
        if isinstance(value, bool) or value is None:
            return value
        return Traced((Piece(str(value), text.route),)) if value != "" else EMPTY

    return of(found)


def _size(platform: str, *values: Value) -> Value:
    return len(values[0]) if isinstance(values[0], list | Mapping) else len(known(values[0]))


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "OS": lambda platform: literal(system(platform)),
    "ARCH": lambda platform: literal(machine(platform)),
    "exeExt": lambda platform: literal(".exe" if platform.startswith("windows") else ""),
    "eq": lambda platform, *v: any(equal(v[0], other) for other in v[1:]),
    "ne": lambda platform, *v: not equal(v[0], v[1]),
    "lt": _compared(lambda n: n < 0),
    "le": _compared(lambda n: n <= 0),
    "gt": _compared(lambda n: n > 0),
    "ge": _compared(lambda n: n >= 0),
    "and": _and,
    "or": _or,
    "not": lambda platform, *v: not truth(v[0]),
    "len": _size,
    "index": _index,
    "slice": _slice,
    "print": _print,
    "printf": _printf,
    "default": _default,
    "empty": lambda platform, *v: not truth(v[0]),
    "coalesce": _coalesce,
    "ternary": _ternary,
    "upper": _mapped(str.upper),
    "lower": _mapped(str.lower),
    "title": _mapped(str.title),
    "toString": lambda platform, *v: text_of(v[0]),
    "catLines": _mapped(lambda s: s.replace("\r\n", " ").replace("\n", " ")),
    "splitLines": _lines,
    "splitArgs": _split_args,
    "fromSlash": lambda platform, *v: (
        _replace(platform, literal("/"), literal("\\"), v[0]) if platform.startswith("windows") else text_of(v[0])
    ),
    "toSlash": lambda platform, *v: (
        _replace(platform, literal("\\"), literal("/"), v[0]) if platform.startswith("windows") else text_of(v[0])
    ),
    "joinPath": _join_path,
    "joinEnv": lambda platform, *v: _joined(literal(";" if platform.startswith("windows") else ":"), list(v)),
    "trim": _cut(_trimmed),
    "trimAll": _cut(_trimmed),
    "trimPrefix": _cut(lambda p, s: (len(p) if s.startswith(p) else 0, len(s))),
    "trimSuffix": _cut(lambda p, s: (0, len(s) - len(p) if p and s.endswith(p) else len(s))),
    "trunc": lambda platform, *v: text_of(v[1]).cut(0, int(known(v[0]))) if int(known(v[0])) >= 0 else text_of(v[1]),
    "replace": _replace,
    "contains": _tested(lambda part, s: part in s),
    "hasPrefix": _tested(lambda part, s: s.startswith(part)),
    "hasSuffix": _tested(lambda part, s: s.endswith(part)),
    "split": _split,
    "splitList": lambda platform, *v: _split_at(known(v[0]), text_of(v[1])),
    "join": _join,
    "list": lambda platform, *v: list(v),
    "first": _listed(lambda items: items[0] if items else Missing("")),
    "last": _listed(lambda items: items[-1] if items else Missing("")),
    "rest": _listed(lambda items: items[1:]),
    "initial": _listed(lambda items: items[:-1]),
    "reverse": _listed(lambda items: items[::-1]),
    "uniq": _listed(_unique),
    "compact": _listed(lambda items: [item for item in items if truth(item)]),
    "sortAlpha": _listed(lambda items: sorted(items, key=known)),
    "append": lambda platform, *v: [*v[0], v[1]],
    "concat": lambda platform, *v: [item for items in v for item in items],
    "without": lambda platform, *v: [item for item in v[0] if not any(equal(item, other) for other in v[1:])],
    "has": _has,
    "dict": _dict,
    "get": lambda platform, *v: v[0].get(known(v[1]), EMPTY),
    "keys": lambda platform, *v: [literal(name) for name in v[0]],
    "values": lambda platform, *v: list(v[0].values()),
    "hasKey": lambda platform, *v: known(v[1]) in v[0],
    "merge": _merge,
    "add": _number(sum),
    "add1": _number(lambda n: n[0] + 1),
    "sub": _number(lambda n: n[0] - n[1]),
    "mul": _number(lambda n: n[0] * n[1]),
    "div": _number(lambda n: n[0] // n[1]),
    "mod": _number(lambda n: n[0] % n[1]),
    "max": _number(max),
    "min": _number(min),
    "int": _number(lambda n: n[0]),
    "atoi": _number(lambda n: n[0]),
    "until": lambda platform, *v: list(range(min(int(known(v[0])), 200))),
    "quote": _double,
    "squote": _single,
    "cat": _cat,
    "shellQuote": _quoted,
    "q": _quoted,
    "base": _mapped(posixpath.basename),
    "osBase": _mapped(posixpath.basename),
    "dir": _mapped(lambda s: posixpath.dirname(s) or "."),
    "osDir": _mapped(lambda s: posixpath.dirname(s) or "."),
    "ext": _mapped(lambda s: posixpath.splitext(s)[1]),
    "osExt": _mapped(lambda s: posixpath.splitext(s)[1]),
    "clean": _mapped(posixpath.normpath),
    "repeat": lambda platform, *v: text_of(v[1]) if known(v[0]) == "1" else literal(known(v[1]) * int(known(v[0]))),
    "substr": lambda platform, *v: text_of(v[2]).cut(int(known(v[0])), int(known(v[1]))),
    "toStrings": _listed(lambda items: [text_of(item) for item in items]),
    "fromJson": _from_json,
    "mustFromJson": _from_json,
    "IsSH": lambda platform: True,
}
