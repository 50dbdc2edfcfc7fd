"""``if`` and ``case`` (POSIX.1-2024 XCU 2.9.4.3, 2.9.4.5; bash manual 3.2.5.2): each arm in the worlds that take it."""

from flagguard.shell.conditions import Outcome, any_case, equals
from flagguard.shell.machine import Context, Machine
from flagguard.shell.state import World
from flagguard.shell.syntax import (
    After,
    AndOr,
    Arithmetic,
    Case,
    Cond,
    If,
    ListNode,
    Node,
    Pipeline,
    Redirected,
    Simple,
)
from flagguard.text import Traced
from flagguard.values import replace

_ARM = 40
"""What an arm that may be taken costs, in pieces of text."""
_MANY_NAMES = 3
"""Commands of a list that an assumption names; of more, some."""
_MANY_ENDS = 256
"""Worlds after the arms of one command that are not merged before its end."""


def follow_if(machine: Machine, node: If, world: World, context: Context) -> list[World]:
    out: list[World] = []
    waiting = [world]
    for i, (test, body) in enumerate(node.arms):
        mark = len(machine.recorder.journal)
        before, last = [w.when for w in waiting], test.items[-1].node
        tested = conditions(machine, test, waiting, context)
        noted = machine.recorder.journal[mark:]
        yes = [w for w, truth in tested if truth]
        no = [w for w, truth in tested if not truth and w.flow is None]
        waiting = _joined(machine, no, before, _outcome(last, False))
        out += [w for w, truth in tested if not truth and w.flow is not None]
        ends = machine.run_list(body, _joined(machine, yes, before, _outcome(last, True)), context)
        out += ends
        # A command that `if` tests is noticed when its failing leads out of the script.
        if _is_negated(test):
            machine.settle(noted, ends, context)
        elif i == len(node.arms) - 1:
            waiting = _else(machine, node, waiting, context)
            machine.settle(noted, waiting, context)
            return out + waiting
        else:
            machine.settle(noted, waiting, context)
    return out + _else(machine, node, waiting, context)


def _else(machine: Machine, node: If, waiting: list[World], context: Context) -> list[World]:
    if node.orelse is not None:
        return machine.run_list(node.orelse, waiting, context)
    for one in waiting:
        one.succeed()
    return waiting


def conditions(
    machine: Machine, test: ListNode, worlds: list[World], context: Context, told: bool = True
) -> list[Outcome]:
    """The outcomes of a list that is a condition; ``told``: what it assumes is worth saying."""
    ends = machine.run_list(test, worlds, replace(context, tested=True, last=False))
    names = shown(test.items[-1].node) if test.items else "the condition"
    out: list[Outcome] = []
    for end in ends:
        if end.flow is not None:
            out.append((end, False))
        else:
            out += by_status(end, names, told, _is_negated(test))
    return out


def ended(
    machine: Machine,
    worlds: list[World],
    before: list[tuple[str, ...]],
    node: AndOr,
    count: int,
    statuses: bool = False,
) -> list[World]:
    """The worlds after the first commands of a list, ``count`` behind its first, merged: where it fails in one way or
    another, that is what they assume."""
    for truth in (False, True):
        alike = [w for w in worlds if w.status is truth and w.flow is None]
        if len(alike) > 1:
            told = f"`{_list(node, count)}` {'succeeds' if truth else 'fails'}"
            gone = set(map(id, alike)) - set(map(id, _joined(machine, alike, before, told, True)))
            worlds = [w for w in worlds if id(w) not in gone]
    return machine.merged(worlds, statuses)


def _joined(
    machine: Machine, worlds: list[World], before: list[tuple[str, ...]], told: str, statuses: bool = False
) -> list[World]:
    """The worlds, those that are alike as one. ``told``: what is true in all of them; where each has come to it in a
    way of its own, and assumes that, nothing of it would be left. ``before``: what was assumed where they parted."""
    if len(worlds) < 2:
        return worlds
    known = frozenset(what for when in before for what in when)
    assumed = not any([known.issuperset(w.when) for w in worlds])  # noqa: C419
    merged = machine.merged(worlds, statuses)
    if assumed and len(merged) < len(worlds):
        for one in merged:
            if known.issuperset(one.when):
                one.assume(told)
    return merged


def _outcome(node: Node, truth: bool) -> str:
    """What a world assumes in which a command, a list of commands, or a test has come to this."""
    names = shown(node)
    if isinstance(node, Pipeline) and node.negated:
        names, truth = names.removeprefix("! "), not truth
    if names.startswith("[") and not isinstance(node, AndOr):
        return f"`{names}` is {'true' if truth else 'false'}"
    return f"`{names}` {'succeeds' if truth else 'fails'}"


def by_status(world: World, shown: str, told: bool = False, negated: bool = False) -> list[Outcome]:
    """The world by its exit status; unknown: both. That a command succeeds is no assumption worth telling, unless
    ``told``: then it is a condition's. ``negated``: the command stands behind ``!``."""
    if world.status is not None:
        return [(world, world.status)]
    yes, no = world.copy(), world
    yes.succeed(True)
    no.succeed(False)
    if not negated:
        # A program that fails gives any number but 0.
        no.code = None
    if negated:
        yes.assume(f"`{shown.removeprefix('! ')}` fails")
        return [(yes, True), (no, False)]
    if told:
        yes.assume(f"`{shown}` succeeds")
    no.assume(f"`{shown}` fails")
    return [(yes, True), (no, False)]


def shown(node: Node) -> str:
    """A command as an assumption names it."""
    match node:
        case Simple():
            return " ".join(node.shown.split())
        case Redirected(inner, _):
            return shown(inner)
        case Cond(_, text, _) | Arithmetic(_, text):
            return text
        case Pipeline(commands, negated):
            text = " | ".join(shown(c) for c in commands)
            return f"! {text}" if negated else text
        case AndOr():
            return _list(node, len(node.rest))
    return "the command before"


def _list(node: AndOr, count: int) -> str:
    """The first commands of a list, ``count`` behind its first, as an assumption names them."""
    named = [shown(node.first)]
    named += [f"{op} {shown(following)}" for op, following in node.rest[: min(count, _MANY_NAMES)]]
    if count > _MANY_NAMES:
        op, last = node.rest[count - 1]
        named[2:] = [f"{node.rest[1][0]} …", f"{op} {shown(last)}"]
    return " ".join(named)


def _is_negated(test: ListNode) -> bool:
    last = test.items[-1].node if test.items else None
    return isinstance(last, Pipeline) and last.negated


def follow_case(machine: Machine, node: Case, world: World, context: Context) -> list[World]:
    out: list[World] = []
    for trial, text in machine.branch(world, lambda w: machine.expander.single(node.word, w)):
        out += [trial] if trial.flow is not None else _arms(machine, node, 0, text, trial, context)
    return out


def _arms(machine: Machine, node: Case, start: int, text: Traced, world: World, context: Context) -> list[World]:
    waiting = [world]
    out: list[World] = []
    for i in range(start, len(node.arms)):
        taken: list[World] = []
        several = len(node.arms[i].patterns) > 1
        known = {what for one in waiting for what in one.when} if several else set()
        for pattern_node in node.arms[i].patterns:
            following: list[World] = []
            for one in waiting:
                pattern = machine.expander.pattern(pattern_node, one)
                assumed = f"{node.word.shown} is {pattern_node.shown}"
                for end, truth in equals(*any_case(text, pattern, one), False, one, assumed):
                    (taken if truth else following).append(end)
            waiting = following
        if several:
            _name_all([p.shown for p in node.arms[i].patterns], taken, known)
        if taken:
            machine.weigh(_ARM)
            out += _arm(machine, node, i, text, machine.merged(taken), context)
        if len(out) > _MANY_ENDS:
            out = machine.merged(out, statuses=True)
        if not waiting:
            return out
    for one in waiting:
        one.succeed()
    return out + waiting


def _name_all(patterns: list[str], taken: list[World], known: set[str]) -> None:
    """An arm with several patterns: what each of its worlds assumes is that one of them matches."""
    for end in taken:
        new = [what for what in end.when if what not in known]
        subject, found, _ = new[-1].partition(" is ") if new else ("", "", "")
        if found:
            kept = tuple(what for what in end.when if what in known)
            end.when = (*kept, f"{subject} is {' or '.join(patterns)}")


def _arm(machine: Machine, node: Case, i: int, text: Traced, worlds: list[World], context: Context) -> list[World]:
    ends = machine.run_list(node.arms[i].body, worlds, context)
    after = node.arms[i].after
    if not node.arms[i].body.items:
        for end in ends:
            end.succeed()
    if after is After.STOP or i + 1 >= len(node.arms):
        return ends
    out = [w for w in ends if w.flow is not None]
    going = [w for w in ends if w.flow is None]
    if after is After.FALL:
        return out + _arm(machine, node, i + 1, text, going, context)
    return out + [w for one in going for w in _arms(machine, node, i + 1, text, one, context)]
