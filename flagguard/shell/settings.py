"""Builtins that change the shell itself: ``set``, ``shopt``, ``shift``, ``unset``, ``trap``, ``alias`` (XCU 2.15)."""

import re
from collections.abc import Sequence

from flagguard.command import Word
from flagguard.shell.machine import Call, Machine
from flagguard.shell.state import UNSET, World
from flagguard.text import Traced
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
    world.succeed(by <= len(world.args))
    if by <= len(world.args):
        world.args = world.args[by:]
    return [world]


def set_options(machine: Machine, call: Call, world: World) -> list[World]:
    words = list(call.words[1:])
    world.succeed()
    while words:
        text = words[0].text
        if text == "--":
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
    known = len(words) <= _MOST_ARGUMENTS
    world.args, world.args_known = tuple(Traced(w.pieces) for w in words) if known else (), known


def _option(world: World, name: str, on: bool) -> None:
    world.options = world.options | {name} if on else world.options - {name}


def shopt(machine: Machine, call: Call, world: World) -> list[World]:
    words = [w.text for w in call.words[1:]]
    if words[:1] in (["-s"], ["-u"]):
        for name in words[1:]:
            _option(world, name, words[0] == "-s")
    world.succeed()
    return [world]


def unset(machine: Machine, call: Call, world: World) -> list[World]:
    functions = False
    for item in call.words[1:]:
        name = item.text
        if name.startswith("-"):
            functions = "f" in name
        elif functions:
            world.functions.drop(name)
        elif "[" in name and name.endswith("]"):
            _unset_element(name, world)
        elif name in world.vars or name not in world.functions:
            world.put(name, UNSET)
        else:
            world.functions.drop(name)
    world.succeed()
    return [world]


def _unset_element(name: str, world: World) -> None:
    base, key = name[:-1].split("[", 1)
    var = world.vars.get(base)
    if var is None or var.items is None:
        return
    wanted: int | str = int(key) if key.isdigit() and not var.associative else key.strip("'\"")
    world.put(base, replace(var, items={k: v for k, v in var.items.items() if k != wanted}))


def trap(machine: Machine, call: Call, world: World) -> list[World]:
    words = call.words[1:]
    if words and words[0].text == "--":
        words = words[1:]
    world.succeed()
    if len(words) < 2 or words[0].text in ("-l", "-p"):
        if len(words) == 1 and words[0].text in ("EXIT", "0"):
            world.on_exit = None
        return [world]
    text = Traced(words[0].pieces)
    signals = [w.text for w in words[1:]]
    if {"EXIT", "0"} & set(signals):
        world.on_exit = None if text.text in ("-", "") else text
    others = [s for s in signals if s not in ("EXIT", "0")]
    if others and text.text not in ("-", ""):
        inner = machine.subshell(world)
        inner.out = None
        inner.assume(f"{' or '.join(others)} is signalled", opt_in=True)
        machine.run_text(text, [inner], replace(call.context, swallowed=True))
    return [world]


def alias(machine: Machine, call: Call, world: World) -> list[World]:
    names = {w.text.partition("=")[0] for w in call.words[1:] if "=" in w.text}
    world.aliases |= names
    world.succeed()
    return [world]
