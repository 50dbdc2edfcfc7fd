"""Flags as rules write them: `-C target-cpu`, `--build-arg NAME`, `-n`, `PORTABLE=` (DESIGN 5).

A flag is read with the same grammar as the command line, so that every spelling that the tool accepts is the same flag.
"""

from collections.abc import Sequence
from functools import cache

from flagguard.command import Word
from flagguard.text import literal
from flagguard.tools.grammar import Hider, Item, Node, Option, parse
from flagguard.tools.streams import cut
from flagguard.values import dataclass, replace


@dataclass(frozen=True)
class Query:
    """A flag as a rule writes it, read with one grammar."""

    names: frozenset[str]
    forms: frozenset[str]
    """How a word that is the flag would begin."""
    value: str | None = None
    key: str | None = None
    against: frozenset[str] = frozenset()
    """Names of options that take it back."""
    carries: str | None = None
    carried: tuple[str, ...] = ()

    def collect(self, options: Sequence[Option], before: list[Option]) -> list[Option]:
        """Those of the options that are the flag, after those that were `before`."""
        out = list(before)
        for option in options:
            if self.against & set(option.names) or self._undone(option):
                out = []
            if not self.names & set(option.names):
                continue
            asked = option
            if self.key is None and option.whole is not None:
                asked = replace(option, value=option.whole, accumulates=True)
            if self.value is None or (asked.value is not None and asked.value.text == self.value):
                out.append(asked)
            elif not asked.accumulates:
                out = []
        return out

    def _undone(self, option: Option) -> bool:
        """`-UNAME` takes `-DNAME` back."""
        return self.key is not None and option.spec is not None and option.spec.undefines and option.key == self.key

    def may_be(self, hider: Hider) -> bool:
        return not hider.prefix or any(form.startswith(hider.prefix) for form in self.forms)


@cache
def query(node: Node, flag: str) -> Query:
    """Read a flag as the grammar reads a command line."""
    if flag.endswith("=") and not flag.startswith("-"):
        return Query(frozenset({flag}), frozenset({flag}))
    if not flag.startswith(("-", "/", "+")):
        names = frozenset({flag, f"--{flag}"}) if node.inputs else frozenset({flag})
        return Query(names, names)
    read = parse(node, [Item(Word(literal(w).pieces)) for w in flag.split()])
    if not read.options:
        return Query(frozenset({flag}), frozenset({flag}))
    option = read.options[0]
    spec = option.spec
    value = None if option.value is None else option.value.text
    if option.key is not None and spec is not None:
        names = frozenset(n for n in option.names if n not in spec.spellings)
        forms = names | {s + option.key for s in spec.spellings}
        return Query(names, forms, value, option.key)
    names = frozenset(option.names)
    against = frozenset(n for name in names for n in _negations(name)) if node.negations else frozenset()
    for group in node.exclusive:
        if names & group:
            against |= group - names
    carries: str | None = None
    carried: tuple[str, ...] = ()
    if spec is not None and spec.carries and option.value is not None:
        carries = spec.carries
        carried = tuple(w.text for w in cut(option.value, spec.split))
    return Query(names, names, value, None, against - names, carries, carried)


def _negations(name: str) -> tuple[str, ...]:
    for start in ("--", "-f", "-m", "-W"):
        if name.startswith(start) and len(name) > len(start):
            rest = name[len(start) :]
            return (start + rest[3:],) if rest.startswith("no-") else (f"{start}no-{rest}",)
    return ()
