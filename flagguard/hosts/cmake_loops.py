"""`foreach` and `while`, and what a function's parameters are bound to (cmake-commands(7))."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from flagguard.command import Word
from flagguard.hosts.cmake_lexer import Block, Invocation
from flagguard.hosts.cmake_references import items, listed
from flagguard.hosts.cmake_state import Definition
from flagguard.text import EMPTY, Decider, Hole, Traced, hole, literal

if TYPE_CHECKING:
    from flagguard.hosts.cmake_run import Flow, Run

MOST_ITEMS = 200
MOST_TURNS = 30


def bound(parameters: Sequence[str], given: Sequence[Word]) -> dict[str, Definition]:
    """The parameters, `ARGC`, `ARGV`, `ARGN` and `ARGV0`…"""
    values = [Traced(word.pieces) for word in given]
    if any(word.several for word in given):
        # how many words there are is not known: from the first such word on, any may stand anywhere
        first = next(i for i, word in enumerate(given) if word.several)
        rest = hole(Hole("${ARGN}", "how many arguments there are is not known", Decider.OUTSIDE, several=True))
        names = {name: Definition(values[i] if i < first else rest) for i, name in enumerate(parameters)}
        left = values[max(first, len(parameters)) :] if len(parameters) <= first else [rest, *values[first:]]
        spread = values[len(parameters) :] if len(parameters) <= first else left
        return {**names, "ARGN": Definition(listed(spread)), "ARGV": Definition(listed(values)),
                "ARGC": Definition(rest)}  # fmt: skip
    names = {name: Definition(values[i] if i < len(values) else EMPTY) for i, name in enumerate(parameters)}
    names |= {f"ARGV{i}": Definition(value) for i, value in enumerate(values[:30])}
    return {
        **names,
        "ARGC": Definition(literal(str(len(values)))),
        "ARGV": Definition(listed(values)),
        "ARGN": Definition(listed(values[len(parameters) :])),
    }


def loop(run: "Run", block: Block) -> "Flow":
    return _while(run, block) if block.kind == "while" else _foreach(run, block)


def _while(run: "Run", block: Block) -> "Flow":
    from flagguard.hosts.cmake_run import Flow

    for _ in range(MOST_TURNS):
        truth, _way = run.decide(block.head)
        if truth is False:
            return Flow.NEXT
        flow = run.body(block.body)
        if flow in (Flow.RETURN, Flow.STOP):
            return flow
        if flow is Flow.BREAK or truth is None:
            return Flow.NEXT
    _forget(run, block)
    return Flow.NEXT


def _forget(run: "Run", block: Block) -> None:
    """What a loop sets whose end nobody knows."""
    for node in block.body:
        if isinstance(node, Invocation) and node.name in ("set", "math", "string", "list") and node.arguments:
            for argument in node.arguments[:3]:
                if run.state.normal(argument.text) is not None:
                    run.gap(argument.text, node, "how often the loop runs is not known")


def _foreach(run: "Run", block: Block) -> "Flow":
    from flagguard.hosts.cmake_run import Flow

    found = run.words(block.head.arguments)
    if not found or not found[0].known:
        return Flow.NEXT
    names, rounds = _rounds(run, found, block)
    kept = {name: run.state.scopes[-1].get(name) for name in names}
    ended = Flow.NEXT
    for values in rounds[:MOST_ITEMS]:
        for name, value in zip(names, values, strict=True):
            run.state.set(name, Definition(value))
        flow = run.body(block.body)
        if flow in (Flow.RETURN, Flow.STOP):
            ended = flow
            break
        if flow is Flow.BREAK:
            break
    for name, old in kept.items():
        if old is None:
            run.state.scopes[-1].pop(name, None)
        else:
            run.state.scopes[-1][name] = old
    return ended


def _rounds(run: "Run", found: list[Word], block: Block) -> tuple[list[str], list[list[Traced]]]:
    """The loop's variables, and what they are in each round."""
    name, rest = found[0].text, found[1:]
    if rest and rest[0].text == "RANGE":
        return [name], [[value] for value in _range(rest[1:], block)]
    if not any(word.text == "IN" for word in rest):
        return [name], [[_one(word)] for word in rest]
    at = next(i for i, word in enumerate(found) if word.text == "IN")
    names = [word.text for word in found[:at]]
    kind = "ITEMS"
    values: list[Traced] = []
    lists: list[list[Traced]] = []
    for word in found[at + 1 :]:
        if word.text in ("LISTS", "ITEMS", "ZIP_LISTS"):
            kind = word.text
        elif kind == "ITEMS":
            values.append(_one(word))
        else:
            value = run.variable(word.text, counts=False) if word.known else word
            parts = [_one(part) for part in items(value) if part.text] if value is not None else []
            lists.append(parts)
            values += parts if kind == "LISTS" else []
    if kind != "ZIP_LISTS":
        return names[:1], [[value] for value in values]
    if len(names) == 1 and len(lists) > 1:
        names = [f"{names[0]}_{i}" for i in range(len(lists))]
    lists = lists[: len(names)] + [[] for _ in range(len(names) - len(lists))]
    return names, [list(row) for row in zip_longest(*lists, fillvalue=EMPTY)]


def _one(text: Traced) -> Traced:
    return Traced(text.pieces).one()


def _range(numbers: list[Word], block: Block) -> list[Traced]:
    try:
        said = [int(word.text) for word in numbers if word.known]
    except ValueError:
        said = []
    if len(said) != len(numbers) or not said:
        unknown = Hole("${" + block.head.arguments[0].text + "}", "how far the loop counts is not known")
        return [hole(unknown)]
    start, stop, step = (0, said[0], 1) if len(said) == 1 else (said[0], said[1], said[2] if len(said) > 2 else 1)
    counted = range(start, stop + 1, abs(step) or 1) if start <= stop else range(start, stop - 1, -(abs(step) or 1))
    return [literal(str(number)) for number in counted[:MOST_ITEMS]]
