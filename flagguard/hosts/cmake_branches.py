"""`if`: one way where it is decided, else each way from the same state, and what differs afterwards is a choice."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flagguard.hosts.cmake_lexer import Block, Invocation, Node
from flagguard.hosts.cmake_state import Definition, State, joined
from flagguard.patterns import expression
from flagguard.text import literal
from flagguard.values import replace

if TYPE_CHECKING:
    from flagguard.hosts.cmake_run import Flow, Run, Way


def branch(run: "Run", block: Block) -> "Flow":
    """`if` with all that belongs to it."""
    from flagguard.hosts.cmake_run import Flow, Way

    arms: list[tuple[State, Flow]] = []
    before, assumed = run.when, dict(run.assumed)
    state = run.state
    ended = Flow.NEXT
    opted = run.opt_in
    for head, body in ((block.head, block.body), *block.others):
        truth, way = (True, Way.FIXED) if head.name == "else" else run.decide(head)
        written = run.written(head)
        if way is Way.OPT_IN or (way is Way.OPEN and truth is not None):
            # the arm that is not taken unless somebody outside sees to it
            _other(run, head, written, body if not truth else (), block, way)
        if truth is None:
            arms.append(_arm(run, body, written))
            run.when = (*run.when, f"not ({written})")
            run.assumed[written] = False
        elif truth:
            if way is Way.OPEN:
                run.when = (*run.when, written)
            ended = run.body(body)
            break
        elif way is Way.OPEN:
            run.when = (*run.when, f"not ({written})")
    run.opt_in = opted
    run.assumed = assumed
    if not arms:
        run.when = before
        return ended
    left = [*arms, (run.state, ended)]
    going = [one for one, flow in left if flow in (Flow.NEXT,)]
    if not going:
        run.when = before
        flows = {flow for _, flow in left}
        return flows.pop() if len(flows) == 1 else Flow.RETURN
    merged = joined(going, run.unset) if len(going) > 1 else going[0]
    if merged is not state:
        state.become(merged.copy())
    run.state = state
    gone = any(flow is Flow.RETURN for _, flow in left)
    run.when = run.when if gone and ended is Flow.NEXT and len(going) == 1 else before
    return Flow.NEXT


def _follows(state: State, other: State) -> None:
    """What comes out otherwise in the other way hangs on whoever configures as well."""
    for mine, theirs in ((state.cache, other.cache), *zip(state.scopes, other.scopes, strict=True)):
        for name, definition in theirs.items():
            held = mine.get(name)
            if held is not None and held is not definition and held != definition and not held.outside:
                mine[name] = replace(held, outside=held.text is not None)


_PLAIN = expression(r"(NOT )?([A-Za-z_]\w*)")
_EQUAL = expression(r"\"?(?:\$\{)?([A-Za-z_]\w*)\}?\"? STREQUAL \"?([\w.+-]*)\"?")


def _given(run: "Run", written: str, holds: bool) -> None:
    """The value that whoever configures must give, where the condition names one variable."""
    plain, equal = _PLAIN.fullmatch(written), _EQUAL.fullmatch(written)
    if plain is not None:
        text = "ON" if holds is (plain[1] is None) else "OFF"
        run.state.set(plain[2], Definition(literal(text)))
    elif equal is not None and holds:
        run.state.set(equal[1], Definition(literal(equal[2])))


def _arm(run: "Run", body: Sequence[Node], written: str) -> "tuple[State, Flow]":
    """One way of an open condition, from the state that there is."""
    state, when, assumed = run.state, run.when, run.assumed
    run.state, run.when = state.copy(), (*when, written)
    run.assumed = {**assumed, written: True}
    try:
        flow = run.body(body)
        return run.state, flow
    finally:
        run.state, run.when, run.assumed = state, when, assumed


def _other(run: "Run", head: Invocation, written: str, body: Sequence[Node], block: Block, way: "Way") -> None:
    """What runs if the condition comes out otherwise; it leaves nothing behind."""
    from flagguard.hosts.cmake_run import Way

    told = f"not ({written})" if not body else written
    rest = list(body)
    if not body:
        after = [one for one in ((block.head, block.body), *block.others) if one[0].start > head.start]
        rest = list(after[0][1]) if after and after[0][0].name == "else" else []
        if after and not rest:
            rest = [Block("if", after[0][0], after[0][1], tuple(after[1:]))]
    if not rest:
        return
    state, when, opted, assumed = run.state, run.when, run.opt_in, run.assumed
    run.state, run.when = state.copy(), (*when, told)
    run.assumed = {**assumed, written: bool(body)}
    run.opt_in = opted or way is Way.OPT_IN
    _given(run, written, bool(body))
    functions = dict(run.functions)
    try:
        run.body(rest)
        if way is Way.OPT_IN:
            _follows(state, run.state)
    finally:
        run.state, run.when, run.opt_in, run.assumed = state, when, opted, assumed
        run.functions = functions
