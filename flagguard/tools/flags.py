"""Flags as rules write them: `-C target-cpu`, `--build-arg NAME`, `-n`, `PORTABLE=` (DESIGN 5).

A flag is read with the same grammar as the command line, so that every spelling that the tool accepts is the same flag.
"""

from collections.abc import Iterable, Sequence
from functools import cache

from flagguard.command import Word
from flagguard.text import Piece, literal
from flagguard.tools.grammar import Hider, Item, Node, Option, parse
from flagguard.tools.streams import cut, cut_at
from flagguard.values import dataclass, replace
from flagguard.variants import could_hold


@dataclass(frozen=True)
class Found:
    """The occurrences of a flag that stand, and the last one that does not."""

    options: tuple[Option, ...] = ()
    undone: Option | None = None
    by: Option | None = None
    """What took ``undone`` back."""


@dataclass(frozen=True)
class Query:
    """A flag as a rule writes it, read with one grammar."""

    names: frozenset[str]
    forms: frozenset[str]
    """How a word that is the flag would begin."""
    value: str | None = None
    key: str | None = None
    against: frozenset[str] = frozenset()
    """Options that take it back: their names, or a name and a value (`-z lazy`)."""
    carries: str | None = None
    carried: tuple[str, ...] = ()

    def collect(self, options: Sequence[Option], before: Found) -> Found:
        """Those of the options that are the flag, after those that were `before`."""
        out = list(before.options)
        undone, by = before.undone, before.by
        for option in options:
            if out and self._against(option):
                last, out = out[-1], self._left(out, option)
                if not out:
                    undone, by = last, option
            if not self.names & set(option.names):
                continue
            asked = option
            if self.key is None and option.whole is not None:
                asked = replace(option, value=option.whole, accumulates=True)
            if self.value is None or (asked.value is not None and asked.value.text == self.value):
                out.append(asked)
            elif not asked.accumulates:
                undone, by = (out[-1], option) if out else (undone, by)
                out = []
        return Found(tuple(out), undone, by)

    def _against(self, option: Option) -> bool:
        if self.key is not None and option.spec is not None and option.spec.undefines and option.key == self.key:
            return True  # `-UNAME` takes `-DNAME` back
        return bool(self.against) and any(name in self.against for name in spoken(option))

    def _left(self, out: Sequence[Option], by: Option) -> list[Option]:
        """What still stands after a `-fno-x` or a `-fno-x=ITEM`, which takes single items of a list back."""
        if not any(name in self.against for name in by.names) or (by.value is None and self.key is not None):
            return []
        if by.value is None:  # measured: `-Wno-error` leaves `-Werror=x`
            return [o for o in out if o.accumulates and o.value is not None]
        gone = {w.text for w in cut_at(by.value, ",")}
        return [left for o in out if (left := _without(o, gone)) is not None]

    def may_be(self, hider: Hider) -> bool:
        begins = not hider.prefix or any(form.startswith(hider.prefix) for form in self.forms)
        return begins and could_hold(hider.word, self.forms)


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
    own = {*names, *(f"{name} {value}" for name in names)}
    for group in node.exclusive:
        if own & group:
            against |= group - own
    against |= {name for name, taken in node.undo.items() if not names.isdisjoint(taken)}
    carries: str | None = None
    carried: tuple[str, ...] = ()
    if spec is not None and spec.carries and option.value is not None:
        carries = spec.carries
        carried = tuple(w.text for w in cut(option.value, spec.split))
        if spec.split == "named":
            carried = (spec.spellings[0], *carried)
    return Query(names, names, value, None, against - names, carries, carried)


def spoken(option: Option) -> Iterable[str]:
    """The names of an option, and each with its value."""
    yield from option.names
    if option.value is not None and option.value.known:
        yield from (f"{name} {option.value.text}" for name in option.names)


def _without(option: Option, gone: set[str]) -> Option | None:
    """The option without the items that are taken back; None where none is left."""
    if option.value is None or not option.accumulates:
        return option if option.value is None or option.value.text not in gone else None
    kept = [w for w in cut_at(option.value, ",") if w.text not in gone and "all" not in gone]
    if not kept:
        return None
    pieces = [piece for w in kept for piece in (Piece(","), *w.pieces)][1:]
    return replace(option, value=Word(tuple(pieces), option.value.written))


_OPPOSITES = (("--enable-", "--disable-"), ("--with-", "--without-"))
"""Of configure (Autoconf manual, "Site Configuration")."""


def _negations(name: str) -> tuple[str, ...]:
    for on, off in _OPPOSITES:
        for start, other in ((on, off), (off, on)):
            if name.startswith(start) and len(name) > len(start):
                return (other + name[len(start) :], f"--no-{name[2:]}")
    for start in ("--", "-f", "-m", "-W"):
        if name.startswith(start) and len(name) > len(start):
            rest = name[len(start) :]
            return (start + rest[3:],) if rest.startswith("no-") else (f"{start}no-{rest}",)
    return ()
