"""The shell's own commands (POSIX.1-2024 XCU 2.15 and 1.6; bash manual 4): the table of them, and the short ones."""

import re
from collections.abc import Callable

from flagguard.command import word
from flagguard.shell.assign import named
from flagguard.shell.conditions import bracket, malformed
from flagguard.shell.declare import declare
from flagguard.shell.folders import cd, dirs, popd, pushd, pwd
from flagguard.shell.loading import load_name
from flagguard.shell.machine import Call, Machine
from flagguard.shell.printing import Printed, escaped
from flagguard.shell.printing import printf as formatted
from flagguard.shell.reading import getopts, mapfile, read
from flagguard.shell.settings import alias, set_options, shift, shopt, trap, unalias, unset
from flagguard.shell.state import Flow, World
from flagguard.shell.syntax import WordNode
from flagguard.text import Decider, Hole, Piece, Shape, Traced, hole, join, literal
from flagguard.values import replace


def nothing(machine: Machine, call: Call, world: World) -> list[World]:
    world.succeed()
    return [world]


def unknown(machine: Machine, call: Call, world: World) -> list[World]:
    world.succeed(None)
    return [world]


def false(machine: Machine, call: Call, world: World) -> list[World]:
    world.succeed(False)
    return [world]


def echo(machine: Machine, call: Call, world: World) -> list[World]:
    if world.out is None:
        world.succeed()
        return [world]
    words = list(call.words[1:])
    newline, escapes = True, not machine.bash or "xpg_echo" in world.options
    if machine.bash:
        while words and re.fullmatch("-[neE]+", words[0].text):
            for letter in words.pop(0).text[1:]:
                newline = newline and letter != "n"
                escapes = {"e": True, "E": False}.get(letter, escapes)
    elif words and words[0].text == "-n":
        words.pop(0)
        newline = False
    text = join([t for i, w in enumerate(words) for t in ((literal(" "), w) if i else (w,))])
    if escapes:
        printed = escaped(text, machine.bash)
        text, newline = printed.text, newline and not printed.stops
    world.emit(Traced(text.pieces) + literal("\n") if newline else Traced(text.pieces))
    world.succeed()
    return [world]


def printf(machine: Machine, call: Call, world: World) -> list[World]:
    words = list(call.words[1:])
    target = None
    if machine.bash and words and words[0].text.startswith("-v") and len(words) > 1:
        item = words.pop(0)
        target = word(item.cut(2, len(item)), item.written) if len(item) > 2 else words.pop(0)
    if words and words[0].text == "--":
        words = words[1:]
    if not words:
        world.succeed(False)
        world.code = 2
        return [world]
    printed = Printed(hole(Hole("$(printf)", "an unknown format")))
    if words[0].known:
        printed = formatted(words[0], words[1:], machine.bash)
    world.succeed(printed.succeeds)
    if target is not None and not load_name(world, target, call.node.shown, given=True):
        ends = printed.text.text.find("\0")
        assign = named(target.text, printed.text if ends < 0 else printed.text.cut(0, ends))
        if world.fixed(assign.name):
            world.succeed(False)
        else:
            machine.assign(assign, world)
    elif target is None:
        world.emit(printed.text)
    return [world]


def leave_shell(machine: Machine, call: Call, world: World) -> list[World]:
    return _leave(call, world, Flow.EXIT)


def leave_function(machine: Machine, call: Call, world: World) -> list[World]:
    return _leave(call, world, Flow.RETURN)


def _leave(call: Call, world: World, flow: Flow) -> list[World]:
    if len(call.words) > 1:
        text = call.words[1].text
        if text.isdigit():
            world.code = int(text) & 255
            world.status = world.code == 0
        else:
            world.succeed(None)
    world.flow = flow
    return [world]


def break_loop(machine: Machine, call: Call, world: World) -> list[World]:
    return _jump(call, world, Flow.BREAK)


def continue_loop(machine: Machine, call: Call, world: World) -> list[World]:
    return _jump(call, world, Flow.CONTINUE)


def _jump(call: Call, world: World, flow: Flow) -> list[World]:
    text = call.words[1].text if len(call.words) > 1 else "1"
    world.succeed()
    if call.context.loops:
        world.flow = flow
        world.levels = min(int(text) if text.isdigit() and text != "0" else 1, call.context.loops)
    return [world]


def test(machine: Machine, call: Call, world: World) -> list[World]:
    words = call.words[1:]
    shown = " ".join(call.node.shown.split())
    if call.words[0].text == "[":
        if not words or words[-1].text != "]":
            world.succeed(None)
            return [world]
        words = words[:-1]
    vanished = [(i - 1, h) for i, h in call.vanished if i >= 1]
    out = []
    wrong = malformed(words)
    for one, truth in bracket(words, vanished, world, shown):
        one.succeed(truth)
        if wrong and not truth:
            one.code = None if len(words) > 3 or vanished else 2
        out.append(one)
    return out


def let(machine: Machine, call: Call, world: World) -> list[World]:
    value: int | None = 0
    for item in call.node.words[1:]:
        if isinstance(item, WordNode):
            value = machine.expander.number(item, world)
        else:
            value = None
            gap = Hole(f"${item.name}", "a number that is not known", Decider.OUTSIDE, Shape.NUMBER, item.name)
            world.assign(item.name, hole(gap))
        if world.recover() or world.flow is not None:
            return [world]
    world.succeed(None if value is None else value != 0)
    return [world]


def command_v(machine: Machine, call: Call, world: World) -> list[World]:
    world.succeed(None)
    if world.out is not None:
        asked = [w.text for w in call.words[1:] if w.known and not w.text.startswith("-")]
        shown = f"$(command -v {asked[-1]})" if asked else "$(command -v)"
        gap = Hole(shown, "where a program is installed", Decider.OUTSIDE, Shape.PATH)
        world.emit(Traced((Piece(gap.text, hole=gap),)))
    return [world]


def command(machine: Machine, call: Call, world: World) -> list[World]:
    """`command` and `builtin`: functions are passed over."""
    words = list(call.words)
    taken = 1
    while taken < len(words) and re.fullmatch("-[pvV]+", words[taken].text):
        if set("vV") & set(words[taken].text):
            return command_v(machine, call, world)
        taken += 1
    if taken < len(words) and words[taken].text == "--":
        taken += 1
    if taken >= len(words):
        return nothing(machine, call, world)
    inner = replace(
        call,
        words=tuple(words[taken:]),
        operands=call.operands[taken:],
        vanished=tuple((i - taken, h) for i, h in call.vanished if i >= taken),
        wrappers=(*call.wrappers, tuple(words[:taken])),
    )
    return machine.dispatch(inner, world)


Builtin = Callable[[Machine, Call, World], list[World]]

BUILTINS: dict[str, Builtin] = {
    ":": nothing,
    "true": nothing,
    "false": false,
    "echo": echo,
    "printf": printf,
    "cd": cd,
    "pushd": pushd,
    "popd": popd,
    "pwd": pwd,
    "export": declare,
    "readonly": declare,
    "local": declare,
    "declare": declare,
    "typeset": declare,
    "shift": shift,
    "set": set_options,
    "shopt": shopt,
    "exit": leave_shell,
    "return": leave_function,
    "break": break_loop,
    "continue": continue_loop,
    "test": test,
    "[": test,
    "let": let,
    "unset": unset,
    "read": read,
    "mapfile": mapfile,
    "readarray": mapfile,
    "getopts": getopts,
    "trap": trap,
    "command": command,
    "builtin": command,
    "type": command_v,
    "hash": unknown,
    "wait": unknown,
    "kill": unknown,
    "jobs": nothing,
    "bg": nothing,
    "fg": unknown,
    "disown": nothing,
    "alias": alias,
    "unalias": unalias,
    "umask": nothing,
    "ulimit": unknown,
    "times": nothing,
    "history": nothing,
    "bind": nothing,
    "complete": nothing,
    "enable": nothing,
    "dirs": dirs,
    "logout": leave_shell,
}
