"""``for``, ``select``, ``while``, ``until`` (POSIX.1-2024 XCU 2.9.4; bash manual 3.2.5.1).

A loop whose course is known is followed turn by turn, up to a bound. Where nobody knows how often it runs, it is
followed twice, and what it changes is a hole from then on.
"""

from collections.abc import Callable

from flagguard.patterns import expression
from flagguard.shell.arithmetic import assigned
from flagguard.shell.branches import by_status, conditions
from flagguard.shell.conditions import Outcome
from flagguard.shell.machine import Context, Machine
from flagguard.shell.state import Flow, Var, World, merge
from flagguard.shell.syntax import CFor, For, ListNode, Loop, WordNode
from flagguard.shell.table import Table
from flagguard.text import Decider, Hole, Traced, hole
from flagguard.values import replace

_MANY = expression(r'"\$(?:@|\{@[^}]*\}|\{\w+\[@\][^}]*\})"')
"""Quoted words that become any number of words all the same."""


def follow_for(machine: Machine, node: For, world: World, context: Context) -> list[World]:
    """``for NAME in WORDS`` and ``select``."""

    def words(trial: World) -> list[Traced]:
        if node.words is None:
            if trial.args_known:
                return list(trial.args)
            return [hole(Hole("$@", "the script's arguments", Decider.OUTSIDE))]
        return [w for n in node.words for w in machine.expander.words(n, trial)[0]]

    out: list[World] = []
    for trial, values in machine.branch(world, words):
        bounded = _bounded(node, values, machine.turns)
        if not node.select and values and all(v.pieces[:1] and _several(node, i, v) for i, v in enumerate(values)):
            out += _any_number(machine, node, bounded, trial, context)
        else:
            out += _turns(machine, node, bounded, trial, context)
    return out


def _several(node: For, index: int, value: Traced) -> bool:
    """Whether a word may in truth be any number of words, or none."""
    if len(value.pieces) != 1 or value.pieces[0].hole is None:
        return False
    if node.words is None:
        return True
    shown = value.pieces[0].hole.text
    places = [w for w in node.words if shown in w.shown] or node.words
    return all(_MANY.fullmatch(w.shown) or not any(getattr(p, "quoted", False) for p in w.parts) for w in places)


def _any_number(machine: Machine, node: For, values: list[Traced], world: World, context: Context) -> list[World]:
    """A loop over words of which nobody knows how many there are: none, one, or a second turn that sees the first."""
    before, idle = world.vars.copy(), world.copy()
    ends = _turns(machine, node, values, world, context)
    changed = [w for w in ends if w.flow is None and _changes(node, w, before)]
    if changed:
        again = [w.copy() for w in changed]
        ends = [*ends, *(w for one in again for w in _turns(machine, node, values, one, context))]
    if changed or any(w.flow is not None for w in ends) or not ends:
        over = " ".join(w.shown for w in node.words) if node.words is not None else "$@"
        idle.succeed()
        idle.assume(f"the loop over `{over}` finds nothing")
        ends = [*ends, idle]
    return merge(ends, machine.limit)


def _changes(node: For, world: World, before: Table[Var]) -> bool:
    """Whether a turn has set more than the loop's own variable."""
    names = (n for n in world.vars.differing(before) if n != node.name)
    return any(world.vars.get(n) != before.get(n) for n in names)


def _bounded(node: For, values: list[Traced], most: int) -> list[Traced]:
    if node.select and values:
        reason = "what the user selects"
        return [hole(Hole(f"${node.name}", reason, Decider.OUTSIDE, name=node.name))]
    if len(values) > most:
        return [hole(Hole(f"${node.name}", f"one of {len(values)} words", Decider.REPOSITORY, name=node.name))]
    return values


def _turns(machine: Machine, node: For, values: list[Traced], world: World, context: Context) -> list[World]:
    worlds, out = [world], list[World]()
    if not values:
        world.succeed()
    inner = replace(context, last=False, loops=context.loops + 1)
    for value in values:
        text = Traced(value.pieces)
        for one in worlds:
            one.assign(node.name, text)
        worlds, left = _turn(machine, node.body, worlds, inner)
        out += left
        if not worlds:
            break
    return out + worlds


def _turn(machine: Machine, body: ListNode, worlds: list[World], context: Context) -> tuple[list[World], list[World]]:
    """One iteration: the worlds that go on with the loop, and those that have left it."""
    going: list[World] = []
    left: list[World] = []
    for end in machine.run_list(body, worlds, context):
        if end.flow is Flow.CONTINUE or end.flow is Flow.BREAK:
            again = end.flow is Flow.CONTINUE
            end.levels -= 1
            if end.levels <= 0:
                end.flow = None
            (going if again and end.flow is None else left).append(end)
        else:
            (going if end.flow is None else left).append(end)
    return merge(going, machine.limit), merge(left, machine.limit)


def follow_c_for(machine: Machine, node: CFor, world: World, context: Context) -> list[World]:
    """``for (( ; ; ))``."""
    machine.expander.number(node.start, world)

    def test(one: World) -> list[Outcome]:
        value = machine.expander.number(node.test, one) if node.test.shown.strip() else 1
        if value is None:
            return by_status(_open(one), node.test.shown)
        return [(one, value != 0)]

    def step(one: World) -> None:
        if machine.expander.number(node.step, one) is None:
            forget_assigned(node.step, one)

    return _while(machine, test, node.body, world, context, step)


def _open(world: World) -> World:
    world.succeed(None)
    return world


def forget_assigned(expression: WordNode, world: World) -> None:
    """What an expression of unknown value may assign to is not known from here on."""
    for name in assigned(expression.shown):
        world.assign(name, hole(Hole(f"${name}", "a number that is not known", Decider.OUTSIDE, name=name)))


def follow_while(machine: Machine, node: Loop, world: World, context: Context) -> list[World]:
    """``while`` and ``until``."""

    def test(one: World) -> list[Outcome]:
        inner = replace(context, loops=context.loops + 1)
        mark = len(machine.recorder.journal)
        found = conditions(machine, node.test, [one], inner, told=False)
        for record in machine.recorder.journal[mark:]:
            # That it fails only ends the loop, or begins another turn.
            record.ignored = True
        return [(w, truth is not node.until) for w, truth in found]

    return _while(machine, test, node.body, world, context)


def _while(
    machine: Machine,
    test: Callable[[World], list[Outcome]],
    body: ListNode,
    world: World,
    context: Context,
    step: Callable[[World], None] = lambda one: None,
) -> list[World]:
    inner = replace(context, last=False, loops=context.loops + 1)
    worlds, out = [world], list[World]()
    open_turns = 0
    most = machine.turns
    for turn in range(most + 1):
        before = [w.vars.copy() for w in worlds]
        tested = [outcome for one in worlds for outcome in test(one)]
        out += [_left(w) for w, truth in tested if not truth]
        yes = [w for w, truth in tested if truth]
        if not yes:
            break
        if len(yes) < len(tested) or turn >= most:
            open_turns += 1
        worlds, left = _turn(machine, body, merge(yes, machine.limit), inner)
        out += left
        if worlds and any(w.flow is not Flow.EXIT for w in left):
            open_turns += 1
        for one in worlds:
            step(one)
        if not worlds:
            break
        if open_turns >= 2:
            # Nobody knows how often it runs: what it changes is not known from here on.
            out += _any_turn(machine, body, worlds, before, inner)
            break
        if turn >= most - 1:
            open_turns = 1
    return merge(out, machine.limit)


def _left(world: World) -> World:
    """The world after the loop's test has failed; a `break` in the test itself leaves the loop too."""
    if world.flow is Flow.BREAK or world.flow is Flow.CONTINUE:
        world.levels -= 1
        if world.levels <= 0:
            world.flow = None
    elif world.flow is None:
        world.succeed()
    return world


def _longer(var: Var, before: list[Var | None]) -> Var | None:
    """The array, if all that the turns of a loop did to it is to add words that the caller decides."""
    old = next((b.items for b in before if b is not None), None)
    if old is None or var.items is None or any(var.items.get(k) != v for k, v in old.items()):
        return None
    added = [v for k, v in var.items.items() if k not in old]
    if not added or not all(len(v.pieces) == 1 and v.holes and v.holes[0].decider is Decider.OUTSIDE for v in added):
        return None
    gap = Hole(added[-1].shown, "a loop adds arguments of the script", Decider.OUTSIDE)
    return replace(
        var, items={**old, max((k for k in var.items if isinstance(k, int)), default=0): hole(gap)}, open=True
    )


def _any_turn(
    machine: Machine, body: ListNode, worlds: list[World], before: list[Table[Var]], context: Context
) -> list[World]:
    for one in worlds:
        for name in sorted({n for b in before for n in one.vars.differing(b)}):
            var = one.vars.get(name)
            if var is not None and any(b.get(name) != var for b in before):
                gap = Hole(f"${name}", "a loop changes it", Decider.REPOSITORY, name=name)
                forgotten = replace(var, value=hole(gap)) if var.items is None else var.opened(hole(gap))
                one.put(name, _longer(var, [b.get(name) for b in before]) or forgotten)
    going, left = _turn(machine, body, worlds, context)
    return going + left
