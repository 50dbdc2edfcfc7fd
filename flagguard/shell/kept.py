"""What words came to, kept for the next time: most are expanded many times, in several worlds, in loops, in functions.

A word is the same again where all that it depends on is the same, the very values: those are held beside what is kept,
so that nothing else has their identity. Only of words that consist of text and of plain variables and arguments; the
others may change the world, or depend on more.
"""

from collections.abc import Sequence
from typing import Generic, TypeVar

from flagguard.shell.outside import ALWAYS_SET
from flagguard.shell.state import World
from flagguard.shell.syntax import Lit, Param, WordNode

T = TypeVar("T")

_MOST = 64
"""Values of one word that are kept."""
_FEW = 8
"""Arguments that are compared one by one; more are the same only all together."""

Key = tuple[object, ...]


class Kept(Generic[T]):
    """What some words come to. ``None`` where nothing is kept."""

    __slots__ = ("_known", "names", "nodes", "positional")

    def __init__(self, nodes: Sequence[WordNode]) -> None:
        self.nodes = nodes
        self.names, self.positional = _depends(nodes)
        """All variables that they depend on, None where they depend on more; and whether on arguments."""
        self._known: dict[Key, tuple[T, object]] = {}

    def key(self, world: World, bash: bool) -> Key | None:
        """All that the words depend on; None where that is more than values."""
        names = self.names
        if names is None or "nounset" in world.options:
            return None
        out: list[object] = [bash, world.options, world.sourced, id(world.outside)]
        if self.positional:
            args = world.args
            out += (world.args_known, id(world.name), world.file)
            out += [id(arg.pieces) for arg in args] if len(args) <= _FEW else (id(args),)
        get = world.vars.get
        for name in names:
            var = get(name)
            if var is None:
                out.append(None)
            elif var.reference is not None:
                return None
            elif not var.given:
                out.append(False)
            else:
                out.append(id(var.value.pieces if var.items is None else var))
        return tuple(out)

    def get(self, key: Key) -> T | None:
        known = self._known.get(key)
        return known[0] if known is not None else None

    def keep(self, key: Key, value: T, world: World) -> None:
        """``key`` was taken before the expansion; one that fails is not kept."""
        if world.flow is None and len(self._known) < _MOST:
            seen = [world.vars.get(name) for name in self.names or ()]
            self._known[key] = value, (seen, world.args, world.name, world.outside)


def _depends(nodes: Sequence[WordNode]) -> tuple[tuple[str, ...] | None, bool]:
    names, positional = {"IFS": None}, False
    for node in nodes:
        for part in node.parts:
            if isinstance(part, Lit):
                if "~" in part.value.text and not part.quoted:
                    return None, False
            elif not isinstance(part, Param) or part.op or part.index or part.length or part.indirect:
                return None, False
            elif part.name.isidentifier() and part.name not in ALWAYS_SET:
                names[part.name] = None
            elif part.name.isdigit() or part.name in "@*#":
                positional = True
            else:
                return None, False
    return tuple(names), positional
