"""Assignments: ``V=x``, ``V+=x``, ``A=(…)``, ``A[i]=x`` (POSIX.1-2024 XCU 2.9.1.1; bash manual 6.7)."""

from flagguard.shell.expand import Expander
from flagguard.shell.state import UNSET, Var, World
from flagguard.shell.syntax import ArrayNode, Assign, Lit, Simple, WordNode
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
            self._assign_target(node, world.target(node.name), world)
            return
        if old is not None and old.readonly:
            world.fail(self.expander.substitutions.bash, leaves="errexit" in world.options)
            return
        if isinstance(node.value, ArrayNode):
            self._assign_array(node, node.value, world, declared)
            return
        value = _bounded(self.expander.single(node.value, world, assignment=True), node)
        if world.flow is not None:
            return
        associative = (declared or old or UNSET).associative
        if node.index is not None or (old is not None and old.items is not None and not node.append and associative):
            self._assign_element(node, value, world, declared)
            return
        if (declared or old or UNSET).integer:
            number = self.expander.number(node.value, world)
            gap = Hole(node.value.shown or f"${node.name}", "a number that is not known", name=node.name)
            value = literal(str(number)) if number is not None else hole(gap, node.value.route)
            if world.flow is not None:
                return
        if node.append and old is not None and old.scalar is not None:
            longer = _bounded(Traced((*old.scalar.pieces, *value.pieces)), node)
            value = self._sum(old.scalar, value) if old.integer else longer
        if declared is not None:
            world.put(node.name, replace(declared, given=True, readonly=False))
        world.assign(node.name, value)
        var = world.vars.get(node.name)
        if declared is not None and declared.readonly and var is not None:
            world.put(node.name, replace(var, readonly=True))

    def _assign_target(self, node: Assign, target: str, world: World) -> None:
        """An assignment through `declare -n`."""
        name, bracket, key = target.partition("[")
        if not bracket:
            if name:
                self.assign(replace(node, name=name), world)
            return
        index = WordNode((Lit(literal(key[:-1]), quoted=False),), (), key[:-1])
        self.assign(replace(node, name=name, index=index), world)

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
                several = several or any(w.several for w in words)
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
        if world.flow is None:
            world.put(node.name, replace(template, items=items, open=several, given=True, assumed=False))

    def _assign_element(self, node: Assign, value: Traced, world: World, declared: Var | None) -> None:
        old = declared or world.vars.get(node.name) or Var()
        items: dict[int | str, Traced] = dict(old.items or {})
        if old.items is None and old.given and old.value:
            items[0] = old.value
        index = node.index or WordNode(())
        key = self.expander.parameters.key(index, old, world) if node.index is not None else 0
        if world.flow is not None:
            return
        if isinstance(key, int) and (key < 0 or "'" in index.shown):
            world.fail(self.expander.substitutions.bash)
            return
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
            name = world.target(assignment.name) or assignment.name
            if self.expander.substitutions.bash and world.fixed(name):
                continue  # bash complains, and runs the command without it
            self.assign(assignment, scratch)
            var = scratch.vars.get(name)
            value = var.scalar if var is not None else None
            if value is not None:
                out[name] = value
        world.flow, world.status, world.code = scratch.flow, scratch.status, scratch.code
        world.when, world.opt_in = scratch.when, scratch.opt_in
        return out


def named(name: str, value: Traced) -> Assign:
    """The assignment to a variable that a builtin names, which may be an element of an array."""
    base, bracket, key = name.partition("[")
    index = WordNode((Lit(literal(key[:-1]), quoted=False),), (), key[:-1]) if bracket else None
    return Assign(base, WordNode((Lit(value, quoted=True),), value.route, value.shown), False, index, value.route)


def _bounded(value: Traced, node: Assign) -> Traced:
    if len(value.pieces) <= _MOST_PIECES:
        return value
    pieces = compact(value.pieces)
    if len(pieces) <= _MOST_PIECES:
        return Traced(pieces)
    return hole(
        Hole(f"${node.name}", "the value is too long to follow", Decider.REPOSITORY, name=node.name), node.route
    )
