"""``for``, ``select``, ``while``, ``until`` (POSIX.1-2024 XCU 2.9.4; bash manual 3.2.5.1).

A loop whose course is known is followed turn by turn, up to a bound. Where nobody knows how often it runs, it is
followed twice, and what it changes is a hole from then on.
"""

from collections.abc import Callable, Sequence

from flagguard.shell.branches import by_status, conditions
from flagguard.shell.conditions import Outcome
from flagguard.shell.machine import Context, Machine
from flagguard.shell.state import Flow, Var, World, unknown
from flagguard.shell.syntax import CFor, For, ListNode, Loop
from flagguard.shell.table import Table
from flagguard.text import EMPTY, Decider, Hole, Traced, hole
from flagguard.values import replace


def follow_for(machine: Machine, node: For, world: World, context: Context) -> list[World]:
    """``for NAME in WORDS`` and ``select``."""

    def words(trial: World) -> list[Traced]:
        if node.words is None:
            if trial.args_known:
                return list(trial.args)
            return [hole(Hole("$@", "the script's arguments", Decider.OUTSIDE, several=True))]
        return [w for n in node.words for w in machine.expander.words(n, trial)[0]]

    out: list[World] = []
    for trial, values in machine.branch(world, words):
        if trial.flow is not None:
            out.append(trial)
        elif node.select:
            out += _select(machine, node, values, trial, context)
        else:
            out += _turns(machine, node, _bounded(node, values, machine.turns), trial, context)
    return out


def _bounded(node: For, values: list[Traced], most: int) -> list[Traced]:
    if len(values) <= most:
        return values
    reason = f"one of {len(values)} words"
    return [hole(Hole(f"${node.name}", reason, Decider.REPOSITORY, name=node.name, several=True))]


def _turns(machine: Machine, node: For, values: list[Traced], world: World, context: Context) -> list[World]:
    worlds, out = [world], list[World]()
    if not values:
        world.succeed()
    inner = replace(context, last=False, loops=context.loops + 1)
    for value in values:
        text = Traced(value.pieces)
        if text.several and len(text.pieces) == 1:
            ends = [end for one in worlds for end in _any_number(machine, node, text.one(), one, inner)]
            worlds, left = machine.merged([w for w in ends if w.flow is None]), [w for w in ends if w.flow]
        else:
            worlds, left = _with_value(machine, node, text.one(), worlds, inner)
        out += left
        if not worlds:
            break
    return out + worlds


def _with_value(
    machine: Machine, node: For, value: Traced, worlds: list[World], context: Context
) -> tuple[list[World], list[World]]:
    """The turn of one word: the worlds that go on with the loop, and those that have left it."""
    going, left = list[World](), list[World]()
    for one in worlds:
        var = one.vars.get(node.name)
        if var is not None and var.reference is not None:
            one.refer(node.name, value)
            going.append(one)
        elif one.assign(node.name, value):
            going.append(one)
        else:
            one.succeed(False)
            if not machine.bash:
                one.fail(bash=False)
            left.append(one)
    ends, gone = _turn(machine, node.body, going, context)
    return ends, left + gone


def _any_number(machine: Machine, node: For, value: Traced, world: World, context: Context) -> list[World]:
    """Words of which nobody knows how many there are: none, one, or further turns that see what the first has set."""
    before, idle = world.vars.copy(), world.copy()
    going, out = _with_value(machine, node, value, [world], context)
    left = bool(out)
    changed = [w.copy() for w in going if _changes(node, w, before)]
    out += going
    if changed:
        starts = [w.vars.copy() for w in changed]
        again, gone = _with_value(machine, node, value, changed, context)
        out += gone
        growing: list[World] = []
        for one in again:
            names = sorted(_growing(node, one, starts, going, idle))
            (growing if names else out).append(_forget(one, names, [before]))
        if growing:
            ends, gone = _with_value(machine, node, value, growing, context)
            for one in ends:
                _forget(one, sorted({n for s in starts for n in one.vars.differing(s)} - {node.name}), [before])
            out += ends + gone
    if changed or left or not out:
        over = " ".join(w.shown for w in node.words) if node.words is not None else "$@"
        idle.succeed()
        idle.assume(f"the loop over `{over}` finds nothing")
        out.append(idle)
    return out


def _changes(node: For, world: World, before: Table[Var]) -> bool:
    """Whether a turn has set more than the loop's own variable."""
    names = (n for n in world.vars.differing(before) if n != node.name)
    return any(world.vars.get(n) != before.get(n) for n in names)


def _growing(node: For, world: World, starts: list[Table[Var]], first: list[World], idle: World) -> set[str]:
    """The variables that a second turn gives values which one turn alone does not give: they change with each."""
    names = set.intersection(*[set(world.vars.differing(start)) for start in starts]) - {node.name}
    out = set()
    for name in names:
        var = world.vars.get(name)
        if var is not None and all(w.vars.get(name) != var for w in (*first, idle)):
            out.add(name)
    return out


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
    return machine.merged(going), machine.merged(left)


def _select(machine: Machine, node: For, values: list[Traced], world: World, context: Context) -> list[World]:
    """``select``: each turn reads a line, and its number chooses a word (bash manual 3.2.5.2)."""
    if not values:
        world.succeed()
        return [world]
    if world.stdin is None or not world.stdin.known or any(v.several for v in values):
        gap = Hole(f"${node.name}", "what the user selects", Decider.OUTSIDE, name=node.name)
        world.assign("REPLY", hole(Hole("$REPLY", "what the user types", Decider.OUTSIDE, name="REPLY")))
        return _any_number(machine, node, hole(gap), world, replace(context, last=False, loops=context.loops + 1))
    inner = replace(context, last=False, loops=context.loops + 1)
    worlds, out = [world], list[World]()
    while worlds:
        going: list[World] = []
        for one in worlds:
            answer = _answer(one)
            if answer is None:
                one.succeed(False)
                out.append(one)
                continue
            number = int(answer) if answer.strip().isdigit() else 0
            chosen = values[number - 1] if 0 < number <= len(values) else EMPTY
            ends, left = _with_value(machine, node, Traced(chosen.pieces), [one], inner)
            going += ends
            out += left
        worlds = machine.merged(going)
    return out


def _answer(world: World) -> str | None:
    """The next line of the input that is not empty, in REPLY; None at its end."""
    while world.stdin:
        heard = world.stdin
        end = heard.text.find("\n")
        line, world.stdin = heard.cut(0, end), heard.cut(end + 1, len(heard)) if end >= 0 else EMPTY
        if line:
            world.assign("REPLY", line)
            return line.text
    world.assign("REPLY", EMPTY)
    return None


def follow_c_for(machine: Machine, node: CFor, world: World, context: Context) -> list[World]:
    """``for (( ; ; ))``. An expression that is wrong ends it, as one that fails."""
    machine.expander.number(node.start, world)
    if world.flow is not None:
        world.recover()
        return [world]

    def test(one: World) -> list[Outcome]:
        value = machine.expander.number(node.test, one) if node.test.shown.strip() else 1
        if one.flow is not None:
            return [(_refused(one), False)]
        if value is None:
            return by_status(_open(one), node.test.shown)
        return [(one, value != 0)]

    def step(one: World) -> None:
        machine.expander.number(node.step, one)
        _refused(one)

    return _while(machine, test, node.body, world, context, step)


def _open(world: World) -> World:
    world.succeed(None)
    return world


def _refused(world: World) -> World:
    """After a wrong expression: the loop is left."""
    if world.recover():
        world.flow, world.levels = Flow.BREAK, 1
    return world


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
        worlds, left = _turn(machine, body, machine.merged(yes), inner)
        out += left
        if worlds and any(w.flow is not Flow.EXIT for w in left):
            open_turns += 1
        for one in worlds:
            step(one)
        ended = [w for w in worlds if w.flow is not None]
        worlds = [w for w in worlds if w.flow is None]
        out += map(_left, ended)
        if not worlds:
            break
        if open_turns >= 2:
            # Nobody knows how often it runs: what it changes is not known from here on.
            out += _any_turn(machine, body, worlds, before, inner)
            break
        if turn >= most - 1:
            open_turns = 1
    return machine.merged(out)


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


def _forget(world: World, names: Sequence[str], before: list[Table[Var]]) -> World:
    """The world in which a loop may have given these variables any value."""
    for name in names:
        var = world.vars.get(name)
        if var is not None and any(b.get(name) != var for b in before):
            gap = unknown(name, "a loop changes it")
            forgotten = replace(var, value=gap) if var.items is None else var.opened(gap)
            world.put(name, _longer(var, [b.get(name) for b in before]) or forgotten)
    return world


def _any_turn(
    machine: Machine, body: ListNode, worlds: list[World], before: list[Table[Var]], context: Context
) -> list[World]:
    for one in worlds:
        _forget(one, sorted({n for b in before for n in one.vars.differing(b)}), before)
    going, left = _turn(machine, body, worlds, context)
    return going + left
