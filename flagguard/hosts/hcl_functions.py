"""The functions of HCL files that work on texts, lists and tables, as far as their arguments are known.

Follows https://docs.docker.com/build/bake/funcs/ and https://github.com/zclconf/go-cty (its `function/stdlib`).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from flagguard.hosts.github_values import Unknown, Value, constant, string
from flagguard.hosts.tree import Items, Kind, Node, Scalar, Table
from flagguard.text import EMPTY, Decider, Piece, Span, Traced, join

COMPUTED = Unknown("the file computes it", Decider.REPOSITORY)
_NOWHERE = Span("", 0, 0)


def apply(name: str, arguments: Sequence[Value]) -> Value | None:
    """What a function comes to; None: there is none of that name here."""
    function = _functions().get(name)
    return function(arguments) if function is not None else None


def said_of(value: Value) -> Traced | None:
    """A value as a text."""
    if not isinstance(value, Scalar):
        return None
    if value.kind is Kind.BOOLEAN:
        return Traced((Piece("true" if value.value else "false", value.text.route),))
    return value.text


def combined(operator: str, one: Value, other: Value) -> Value:
    """What an operator between two values comes to."""
    if not (isinstance(one, Scalar) and isinstance(other, Scalar) and one.text.known and other.text.known):
        return COMPUTED
    if operator in ("==", "!="):
        same = one.value == other.value if one.kind is other.kind else one.text.text == other.text.text
        return constant(same is (operator == "=="))
    if operator in ("&&", "||"):
        left, right = one.text.text == "true", other.text.text == "true"
        return constant((left and right) if operator == "&&" else (left or right))
    return COMPUTED


@cache
def _functions() -> Mapping[str, Callable[[Sequence[Value]], Value]]:
    return {
        "lower": _of_texts(lambda text: text.lower(), 1),
        "upper": _of_texts(lambda text: text.upper(), 1),
        "trimspace": _of_texts(lambda text: text.strip(), 1),
        "trimprefix": _of_texts(lambda text, cut: text.removeprefix(cut), 2),
        "trimsuffix": _of_texts(lambda text, cut: text.removesuffix(cut), 2),
        "replace": _of_texts(_replaced, 3),
        "concat": _flat,
        "flatten": _flat,
        "split": _split,
        "join": _joined,
        "format": _formatted,
        "merge": _merged,
        "contains": _contains,
        "length": _length,
        "coalesce": _first,
        "try": _first,
        "equal": lambda given: combined("==", *given) if len(given) == 2 else COMPUTED,
        "notequal": lambda given: combined("!=", *given) if len(given) == 2 else COMPUTED,
        "and": lambda given: combined("&&", *given) if len(given) == 2 else COMPUTED,
        "or": lambda given: combined("||", *given) if len(given) == 2 else COMPUTED,
        "not": lambda given: combined("==", given[0], constant(False)) if len(given) == 1 else COMPUTED,
    }


def _of_texts(by: Callable[..., str | None], count: int) -> Callable[[Sequence[Value]], Value]:
    """A function of texts, of which all have to be known; it changes the first."""

    def of(arguments: Sequence[Value]) -> Value:
        texts = [said_of(a) for a in arguments]
        known = [t.text for t in texts if t is not None and t.known]
        changed = by(*known) if len(known) == len(texts) == count else None
        if changed is None or texts[0] is None:
            return COMPUTED
        return string(Traced((Piece(changed, texts[0].route),)) if changed else EMPTY)

    return of


def _replaced(text: str, old: str, new: str) -> str | None:
    """A text between two slashes is a regular expression."""
    return None if old.startswith("/") and old.endswith("/") and len(old) > 1 else text.replace(old, new)


def _flat(arguments: Sequence[Value]) -> Value:
    if not all(isinstance(a, Items) for a in arguments):
        return COMPUTED
    found: list[Node] = []
    for one in arguments:
        for item in one.items if isinstance(one, Items) else ():
            found += item.items if isinstance(item, Items) else (item,)
    return Items(_NOWHERE, tuple(found))


def _split(arguments: Sequence[Value]) -> Value:
    texts = [said_of(a) for a in arguments]
    if len(texts) != 2 or not all(t is not None and t.known for t in texts):
        return COMPUTED
    by, whole = (t or EMPTY for t in texts)
    if not by:
        return COMPUTED
    found, at = [], 0
    for part in whole.text.split(by.text):
        found.append(string(whole.cut(at, at + len(part))))
        at += len(part) + len(by.text)
    return Items(_NOWHERE, tuple(found))


def _joined(arguments: Sequence[Value]) -> Value:
    by = said_of(arguments[0]) if len(arguments) == 2 else None
    if by is None or not isinstance(arguments[1], Items):
        return COMPUTED
    out: list[Traced] = []
    for item in arguments[1].items:
        out += [by] if out else []
        out.append(said_of(item) or EMPTY)
    return string(join(out))


def _formatted(arguments: Sequence[Value]) -> Value:
    """`format` with `%s`, `%d`, `%v` and `%%` only."""
    texts = [said_of(a) for a in arguments]
    whole = texts[0] if texts else None
    if whole is None or not whole.known or any(t is None for t in texts):
        return COMPUTED
    parts: list[Traced] = []
    given, at = iter(texts[1:]), 0
    while (found := whole.text.find("%", at)) >= 0:
        verb = whole.text[found + 1 : found + 2]
        put = whole.cut(found, found + 1) if verb == "%" else next(given, None) if verb in ("s", "d", "v") else None
        if put is None:
            return COMPUTED
        parts += [whole.cut(at, found), put]
        at = found + 2
    return string(join([*parts, whole.cut(at, len(whole))]))


def _merged(arguments: Sequence[Value]) -> Value:
    if not all(isinstance(a, Table) for a in arguments):
        return COMPUTED
    return Table(_NOWHERE, tuple({e.name: e for a in arguments if isinstance(a, Table) for e in a.entries}.values()))


def _contains(arguments: Sequence[Value]) -> Value:
    if len(arguments) != 2 or not isinstance(arguments[0], Items):
        return COMPUTED
    same = [combined("==", item, arguments[1]) for item in arguments[0].items]
    if any(isinstance(one, Scalar) and one.value is True for one in same):
        return constant(True)
    return COMPUTED if any(isinstance(one, Unknown) for one in same) else constant(False)


def _length(arguments: Sequence[Value]) -> Value:
    one = arguments[0] if len(arguments) == 1 else COMPUTED
    if isinstance(one, Items):
        return constant(len(one.items))
    return constant(len(one.entries)) if isinstance(one, Table) else COMPUTED


def _first(arguments: Sequence[Value]) -> Value:
    return next((a for a in arguments if said_of(a)), COMPUTED)
