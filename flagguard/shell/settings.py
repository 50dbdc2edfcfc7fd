"""Builtins that change the shell itself: ``set``, ``shopt``, ``shift``, ``unset``, ``trap``, ``alias`` (XCU 2.15)."""

import re
from collections.abc import Sequence

from flagguard.command import Word, word
from flagguard.shell.machine import Call, Machine
from flagguard.shell.state import UNSET, Alias, Flow, World
from flagguard.shell.syntax import Lit, WordNode
from flagguard.text import Decider, Hole, Traced, hole, literal
from flagguard.values import replace

_MOST_ARGUMENTS = 1000
_OPTIONS = {
    "e": "errexit",
    "u": "nounset",
    "f": "noglob",
    "a": "allexport",
    "x": "xtrace",
    "v": "verbose",
    "n": "noexec",
    "C": "noclobber",
    "m": "monitor",
    "b": "notify",
    "h": "hashall",
    "E": "errtrace",
    "T": "functrace",
}


def shift(machine: Machine, call: Call, world: World) -> list[World]:
    by = 1
    if len(call.words) > 1:
        if not call.words[1].text.isdigit():
            world.succeed(None)
            return [world]
        by = int(call.words[1].text)
    if not world.args_known:
        world.succeed(None)
        return [world]
    first = next((i for i, a in enumerate(world.args) if a.several), len(world.args))
    if by > first and first < len(world.args):
        # How many are gone of those that nobody can count, or of those behind them, is not known.
        world.args = (world.args[first], *world.args[by + 1 :])
        world.succeed(None)
        return [world]
    world.succeed(by <= len(world.args))
    if by <= len(world.args):
        world.args = world.args[by:]
    elif not machine.bash:
        world.fail(bash=False)
    return [world]


def set_options(machine: Machine, call: Call, world: World) -> list[World]:
    words = list(call.words[1:])
    world.succeed()
    while words:
        text = words[0].text
        if text == "--":
            _positional(world, words[1:])
            return [world]
        if text in ("-", "+"):
            if text == "-":
                world.options -= {"xtrace", "verbose"}
            if len(words) > 1:
                _positional(world, words[1:])
            return [world]
        if text in ("-o", "+o") and len(words) > 1:
            _option(world, words[1].text, text == "-o")
            words = words[2:]
            continue
        if re.fullmatch(r"[-+][A-Za-z]+", text):
            words = words[1:]
            for letter in text[1:]:
                if letter == "o" and words:
                    _option(world, words.pop(0).text, text[0] == "-")
                else:
                    _option(world, _OPTIONS.get(letter, letter), text[0] == "-")
            continue
        _positional(world, words)
        return [world]
    return [world]


def _positional(world: World, words: Sequence[Word]) -> None:
    world.reset_args = True
    known = len(words) <= _MOST_ARGUMENTS
    world.args, world.args_known = tuple(Traced(w.pieces) for w in words) if known else (), known


def _option(world: World, name: str, on: bool) -> None:
    world.options = world.options | {name} if on else world.options - {name}
    if name == "noexec" and on:
        # Nothing is run from here on, the trap on EXIT neither.
        world.flow, world.on_exit = Flow.EXIT, None


def shopt(machine: Machine, call: Call, world: World) -> list[World]:
    words = [w.text for w in call.words[1:]]
    letters = "".join(w[1:] for w in words if w.startswith("-"))
    world.succeed()
    if "s" in letters or "u" in letters:
        for name in words:
            if not name.startswith("-"):
                _option(world, name, "s" in letters)
    return [world]


def unset(machine: Machine, call: Call, world: World) -> list[World]:
    functions, nameref = False, False
    world.succeed()
    for argument in call.words[1:]:
        # `unset A[1]`: it is taken as it stands, unless a file A1 exists.
        item = argument if argument.text.isascii() else word(literal(argument.shown))
        name = item.text
        if name.startswith("-"):
            functions, nameref = "f" in name, "n" in name
        elif functions:
            world.functions.drop(name)
        elif "[" in name and name.endswith("]"):
            _unset_element(machine, item, world)
        elif name in world.vars or name not in world.functions:
            target = name if nameref else world.target(name)
            var = world.vars.get(target)
            if var is not None and var.readonly:
                world.succeed(False)
                if not machine.bash:
                    world.fail(bash=False)
                    return [world]
            elif target:
                world.put(target, UNSET)
        else:
            world.functions.drop(name)
    return [world]


def _unset_element(machine: Machine, item: Word, world: World) -> None:
    """One element; its subscript is arithmetic (bash manual 6.7)."""
    name = item.text
    base, key = name[:-1].split("[", 1)
    base = world.target(base)
    var = world.vars.get(base)
    if var is None:
        return
    if key in ("@", "*") and not var.associative:
        world.put(base, UNSET)
        return
    wanted: int | str | None = key.strip("'\"")
    if not var.associative:
        cut = name.index("[") + 1
        node = WordNode((Lit(item.cut(cut, len(item) - 1), quoted=False),), (), key)
        wanted = machine.expander.parameters.key(node, var, world) if "$" not in key else None
    elif not item.known or "$" in key:
        wanted = None
    if var.items is None:
        if wanted == 0:
            world.put(base, UNSET)
    elif wanted is None:
        gap = Hole(f"${base}", "which element is unset is not known", Decider.REPOSITORY, name=base)
        world.put(base, var.opened(hole(gap)))
    else:
        world.put(base, replace(var, items={k: v for k, v in var.items.items() if k != wanted}))


_OWN_SIGNALS = frozenset({"ERR", "DEBUG", "RETURN"})
"""What bash signals itself (bash manual, trap)."""


def trap(machine: Machine, call: Call, world: World) -> list[World]:
    words = call.words[1:]
    if words and words[0].text == "--":
        words = words[1:]
    world.succeed()
    if len(words) < 2 or words[0].text in ("-l", "-p"):
        if len(words) == 1 and words[0].text in ("EXIT", "0"):
            world.on_exit = None
        return [world]
    text = Traced(words[0].pieces).grounded(call.node.route)
    signals = [w.text for w in words[1:]]
    if {"EXIT", "0"} & set(signals):
        world.on_exit = None if text.text in ("-", "") else text
    others = [s for s in signals if s not in ("EXIT", "0")]
    if others and text.text not in ("-", ""):
        inner = machine.subshell(world)
        inner.out = None
        # a failure, or any command, sets these off by itself: nobody outside has to ask for it
        own = machine.bash and not _OWN_SIGNALS.isdisjoint(s.upper() for s in others)
        inner.assume(f"{' or '.join(others)} is signalled", opt_in=not own)
        machine.run_text(text, [inner], replace(call.context, swallowed=True))
    return [world]


def alias(machine: Machine, call: Call, world: World) -> list[World]:
    place = call.node.route[-1] if call.node.route else None
    for item in call.words[1:]:
        name, equals, _ = item.text.partition("=")
        if equals:
            value = Traced(item.cut(len(name) + 1, len(item)).pieces)
            world.aliases = {**world.aliases, name: Alias(value, place)}
    world.succeed()
    return [world]


def unalias(machine: Machine, call: Call, world: World) -> list[World]:
    names = {w.text for w in call.words[1:]}
    world.aliases = {} if "-a" in names else {n: a for n, a in world.aliases.items() if n not in names}
    world.succeed()
    return [world]
