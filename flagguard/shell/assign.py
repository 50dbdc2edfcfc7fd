"""Assignments: ``V=x``, ``V+=x``, ``A=(…)``, ``A[i]=x`` (POSIX.1-2024 XCU 2.9.1.1; bash manual 6.7)."""

from flagguard.shell.expand import Expander
from flagguard.shell.state import UNSET, Var, World
from flagguard.shell.syntax import ArrayNode, Assign, Lit, Param, ProcessSub, Simple, WordNode
from flagguard.text import Decider, Hole, Traced, compact, hole, literal
from flagguard.values import replace

_MOST_PIECES = 2000
"""Of so many parts a value may consist: one that is doubled again and again has to end somewhere."""


class Assigner:
    """Makes assignments in a world."""

    def __init__(self, expander: Expander) -> None:
        self.expander = expander

    def assign(self, node: Assign, world: World, declared: Var | None = None) -> None:
        """An assignment to the shell's own variable. ``declared``: attributes that it gets on the way."""
        old = world.vars.get(node.name)
        if old is not None and old.reference and declared is None:
            target = world.target(node.name)
            if target:
                self.assign(replace(node, name=target), world)
            return
        if isinstance(node.value, ArrayNode):
            self._assign_array(node, node.value, world, declared)
            return
        value = _bounded(self.expander.single(node.value, world, assignment=True), node)
        associative = (declared or old or UNSET).associative
        if node.index is not None or (old is not None and old.items is not None and not node.append and associative):
            self._assign_element(node, value, world, declared)
            return
        if (declared or old or UNSET).integer:
            number = self.expander.number(node.value, world)
            value = literal(str(number)) if number is not None else value
        if node.append and old is not None and old.scalar is not None:
            longer = _bounded(Traced((*old.scalar.pieces, *value.pieces)), node)
            value = self._sum(old.scalar, value) if old.integer else longer
        if declared is not None:
            world.put(node.name, replace(declared, given=True))
        world.assign(node.name, value)

    def _sum(self, one: Traced, other: Traced) -> Traced:
        try:
            return literal(str(int(one.text) + int(other.text)))
        except ValueError:
            return hole(Hole(f"{one.shown}+{other.shown}", "a number that is not known"))

    def _assign_array(self, node: Assign, array: ArrayNode, world: World, declared: Var | None) -> None:
        old = world.vars.get(node.name)
        template = declared or old or Var()
        items: dict[int | str, Traced] = {}
        if node.append and old is not None and old.given:
            items = dict(old.items) if old.items is not None else {0: old.value}
        at = max((k for k in items if isinstance(k, int)), default=-1) + 1
        several = node.append and old is not None and old.open
        for index, value_node in array.items:
            if index is None:
                words, _ = self.expander.words(value_node, world)
                several = several or (_may_be_several(value_node) and not all(w.known for w in words))
                for made in words:
                    items[str(at) if template.associative else at] = Traced(made.pieces)
                    at += 1
                continue
            key = self.expander.parameters.key(index, template, world)
            value = self.expander.single(value_node, world)
            if key is None:
                key = f"?{len(items)}"
            items[key] = value
            if isinstance(key, int):
                at = key + 1
        world.put(node.name, replace(template, items=items, open=several, given=True, assumed=False))

    def _assign_element(self, node: Assign, value: Traced, world: World, declared: Var | None) -> None:
        old = declared or world.vars.get(node.name) or Var()
        items: dict[int | str, Traced] = dict(old.items or {})
        if old.items is None and old.given and old.value:
            items[0] = old.value
        index = node.index or WordNode(())
        key = self.expander.parameters.key(index, old, world) if node.index is not None else 0
        if key is None:
            gap = Hole(f"${node.name}", "which element is set is not known", Decider.REPOSITORY, name=node.name)
            items = {k: hole(gap) for k in items} or {0: hole(gap)}
        elif node.append and key in items:
            items[key] = Traced((*items[key].pieces, *value.pieces))
        else:
            items[key] = value
        world.put(node.name, replace(old, items=items, given=True, assumed=False))

    def environment(self, node: Simple, world: World) -> dict[str, Traced]:
        """Assignments before a command: they are its environment."""
        out: dict[str, Traced] = {}
        scratch = world.copy()
        for assignment in node.assigns:
            self.assign(assignment, scratch)
            var = scratch.vars.get(assignment.name)
            value = var.scalar if var is not None else None
            if value is not None:
                out[assignment.name] = value
        return out


def _may_be_several(node: WordNode) -> bool:
    """Whether what is not known in a word may be several words, or none."""
    for part in node.parts:
        if isinstance(part, Param) and part.quoted:
            index = part.index.literal if part.index is not None else part.name
            if index in ("@", "*"):
                return True
        elif isinstance(part, Lit):
            if not part.quoted and any(c in "*?[{" for c in part.value.text):
                return True
        elif not isinstance(part, ProcessSub) and not part.quoted:
            return True
    return False


def _bounded(value: Traced, node: Assign) -> Traced:
    if len(value.pieces) <= _MOST_PIECES:
        return value
    pieces = compact(value.pieces)
    if len(pieces) <= _MOST_PIECES:
        return Traced(pieces)
    return hole(
        Hole(f"${node.name}", "the value is too long to follow", Decider.REPOSITORY, name=node.name), node.route
    )
