"""The values of MiniJinja's expressions, its filters and its tests.

Follows https://docs.rs/minijinja/latest/minijinja/filters/ and …/tests/. Texts are traced; how a template is read is
not known here.
"""

from collections.abc import Callable
from typing import Any

from flagguard.patterns import expression
from flagguard.text import EMPTY, Piece, Traced, join, literal

Value = Any
"""A :class:`Traced`, a bool, an int, None, a list, a dict of names, or :data:`UNDEFINED`."""


class _Undefined:
    """A name that has no value."""


UNDEFINED = _Undefined()
_BLANKS = expression(r"\s+")


class Unknown(Exception):
    """It hangs on something that is not known: what, as half a sentence."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


def text_of(value: Value) -> Traced:
    """What a value is printed as."""
    if isinstance(value, Traced):
        return value
    if value is UNDEFINED:
        return EMPTY
    if isinstance(value, bool) or value is None:
        return literal(str(value).lower())
    if isinstance(value, int):
        return literal(str(value))
    raise Unknown("how a list is printed")


def _known(value: Value) -> str:
    text = text_of(value)
    if not text.known:
        raise Unknown(text.holes[0].reason)
    return text.text


def truth(value: Value) -> bool:
    if isinstance(value, Traced):
        if value.text and not value.known and not any(p.text for p in value.pieces if p.hole is None):
            raise Unknown("whether it is empty")
        return bool(value.text)
    return bool(value) and value is not UNDEFINED


def equal(one: Value, other: Value) -> bool:
    if isinstance(one, Traced) and isinstance(other, Traced):
        if one.known and other.known:
            return one.text == other.text
        raise Unknown("whether they are equal")
    if isinstance(one, Traced) or isinstance(other, Traced):
        return False
    return bool(one == other)


def _mapped(change: Callable[[str], str]) -> Callable[..., Value]:
    def filtered(value: Value, *given: Value) -> Value:
        del given
        text = text_of(value)
        said = change(_known(text))
        return text if said == text.text else Traced((Piece(said, text.route),)) if said else EMPTY

    return filtered


def _trim(value: Value, *given: Value) -> Value:
    text, chars = text_of(value), _known(given[0]) if given else None
    said = _known(text)
    start = len(said) - len(said.lstrip(chars))
    return text.cut(start, start + len(said.strip(chars)))


def _default(value: Value, *given: Value) -> Value:
    other = given[0] if given else EMPTY
    if value is UNDEFINED or (len(given) > 1 and given[1] is True and not truth(value)):
        return other.overridable() if isinstance(other, Traced) else other
    return value


def _replace(value: Value, *given: Value) -> Value:
    text = text_of(value)
    if len(given) < 2:
        raise Unknown("what is replaced")
    old, new, said = _known(given[0]), text_of(given[1]), _known(text)
    if not old:
        raise Unknown("what is replaced")
    parts, at = [], 0
    while (found := said.find(old, at)) >= 0:
        parts += [text.cut(at, found), new]
        at = found + len(old)
    return join([*parts, text.cut(at, len(said))])


def _split(value: Value, *given: Value) -> Value:
    text = text_of(value)
    said = _known(text)
    separator = None if not given or given[0] is None else _known(given[0])
    if separator == "":
        raise Unknown("what is split")
    found, at = [], 0
    if separator is None:
        for blank in _BLANKS.finditer(said):
            found.append(text.cut(at, blank.start()))
            at = blank.end()
        return [part for part in (*found, text.cut(at, len(said))) if part.text]
    while (stop := said.find(separator, at)) >= 0:
        found.append(text.cut(at, stop))
        at = stop + len(separator)
    return [*found, text.cut(at, len(said))]


def _join(value: Value, *given: Value) -> Value:
    if not isinstance(value, list):
        raise Unknown("what is joined")
    between = text_of(given[0]) if given else EMPTY
    return join([part for item in value for part in (between, text_of(item))][1:])


def _item(index: int) -> Callable[..., Value]:
    def filtered(value: Value, *given: Value) -> Value:
        del given
        if isinstance(value, list):
            return value[index] if value else UNDEFINED
        raise Unknown("which is the first")

    return filtered


def _length(value: Value, *given: Value) -> Value:
    del given
    return len(value) if isinstance(value, list | dict) else len(_known(value))


def _int(value: Value, *given: Value) -> Value:
    del given
    try:
        return int(_known(value))
    except ValueError:
        raise Unknown("which number it is") from None


def _sort(value: Value, *given: Value) -> Value:
    del given
    if not isinstance(value, list):
        raise Unknown("what is sorted")
    return sorted(value, key=lambda item: _known(item).lower())


def _unique(value: Value, *given: Value) -> Value:
    del given
    if not isinstance(value, list):
        raise Unknown("what is unique")
    found: dict[str, Value] = {}
    for item in value:
        found.setdefault(_known(item), item)
    return list(found.values())


def _reverse(value: Value, *given: Value) -> Value:
    return value[::-1] if isinstance(value, list) else _mapped(lambda s: s[::-1])(value, *given)


def _same(value: Value, *given: Value) -> Value:
    del given
    return value


FILTERS: dict[str, Callable[..., Value]] = {
    "upper": _mapped(str.upper),
    "lower": _mapped(str.lower),
    "title": _mapped(str.title),
    "capitalize": _mapped(str.capitalize),
    "trim": _trim,
    "default": _default,
    "d": _default,
    "replace": _replace,
    "split": _split,
    "join": _join,
    "first": _item(0),
    "last": _item(-1),
    "length": _length,
    "count": _length,
    "int": _int,
    "sort": _sort,
    "unique": _unique,
    "reverse": _reverse,
    "string": lambda value, *given: text_of(value),
    "bool": lambda value, *given: truth(value),
    "safe": _same,
    "list": lambda value, *given: list(value) if isinstance(value, list | dict) else _split(value),
    "lines": lambda value, *given: _split(value, literal("\n")),
}


def _starts(value: Value, *given: Value) -> bool:
    return _known(value).startswith(_known(given[0]))


def _ends(value: Value, *given: Value) -> bool:
    return _known(value).endswith(_known(given[0]))


METHODS: dict[str, Callable[..., Value]] = {
    "split": _split,
    "replace": _replace,
    "strip": _trim,
    "upper": _mapped(str.upper),
    "lower": _mapped(str.lower),
    "title": _mapped(str.title),
    "capitalize": _mapped(str.capitalize),
    "join": lambda value, *given: _join(given[0], value),
    "startswith": _starts,
    "endswith": _ends,
}
"""Python's methods of texts, which Jinja has. MiniJinja refuses them, so no template of its own has one."""

TESTS: dict[str, Callable[..., bool]] = {
    "defined": lambda value, *given: value is not UNDEFINED,
    "undefined": lambda value, *given: value is UNDEFINED,
    "none": lambda value, *given: value is None,
    "string": lambda value, *given: isinstance(value, Traced),
    "number": lambda value, *given: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value, *given: isinstance(value, bool),
    "true": lambda value, *given: value is True,
    "false": lambda value, *given: value is False,
    "sequence": lambda value, *given: isinstance(value, list),
    "mapping": lambda value, *given: isinstance(value, dict),
    "startingwith": _starts,
    "endingwith": _ends,
    "eq": lambda value, *given: equal(value, given[0]),
    "equalto": lambda value, *given: equal(value, given[0]),
    "ne": lambda value, *given: not equal(value, given[0]),
    "in": lambda value, *given: isinstance(given[0], list) and any(equal(value, item) for item in given[0]),
}
