"""What counts for the whole tree (places that a rule matches, exemptions that are needed), and the same without some
files: so that one edited file is concluded with all the others at little cost.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from flagguard.judge import Judged

Item = tuple[str, object, object]
"""One thing that counts for the whole tree: its kind, the rule (or nothing), the place (or what it is)."""


def counted(judged: Judged) -> Iterator[Item]:
    for kind, table in (("matched", judged.matched), ("perhaps", judged.perhaps)):
        for rule, keys in table.items():
            yield from ((kind, rule, key) for key in keys)
    yield from (("exemptions", None, number) for number in judged.exemptions)
    yield from (("tools", None, name) for name in judged.tools)
    yield from (("wrappers", None, name) for name in judged.wrappers)


def gathered(items: Iterable[Item]) -> dict[tuple[str, object], frozenset[object]]:
    found: dict[tuple[str, object], set[object]] = {}
    for kind, rule, thing in items:
        found.setdefault((kind, rule), set()).add(thing)
    return {key: frozenset(things) for key, things in found.items()}


def lessened(whole: dict[tuple[str, object], frozenset[object]], gone: Iterable[Item]) -> Judged:
    """The whole without what is gone, as a judged file."""
    less = gathered(gone)
    left: dict[tuple[str, object], Any] = {key: things - less.get(key, frozenset()) for key, things in whole.items()}
    return Judged(
        "",
        matched={str(rule): things for (kind, rule), things in left.items() if kind == "matched"},
        perhaps={str(rule): things for (kind, rule), things in left.items() if kind == "perhaps"},
        exemptions=left.get(("exemptions", None), frozenset()),
        tools=left.get(("tools", None), frozenset()),
        wrappers=left.get(("wrappers", None), frozenset()),
    )
