"""Declaration utilities: ``export``, ``readonly``, ``local``, ``declare``, ``typeset`` (bash manual 4.1, 4.2)."""

from flagguard.patterns import expression
from flagguard.shell.loading import load_name
from flagguard.shell.machine import Call, Machine
from flagguard.shell.state import Var, World
from flagguard.shell.syntax import WordNode
from flagguard.text import Traced, literal
from flagguard.values import replace

_REFERENCE = expression(r"[A-Za-z_]\w*(?:\[.+\])?")


def declare(machine: Machine, call: Call, world: World) -> list[World]:
    utility = call.words[0].text
    if utility == "local" and machine.bash and not world.frames:
        world.succeed(False)  # outside of a function it is an error, and sets nothing
        return [world]
    operands = call.operands or (None,) * len(call.words)
    letters: set[str] = set()
    off: set[str] = set()
    found: bool | None = True
    for word, operand in list(zip(call.words, operands, strict=False))[1:]:
        assign = operand
        text = word.text
        if assign is None and text.startswith(("-", "+")) and len(text) > 1:
            (letters if text[0] == "-" else off).update(text[1:])
            continue
        if "f" in letters and (utility == "export" or "x" in letters):
            world.shared = world.shared - {text} if "n" in letters else world.shared | {text}
        if "f" in letters or "F" in letters or "p" in letters:
            there = text in world.vars if "p" in letters else text in world.functions
            found = found and (there or (False if world.sourced is None else None))
            continue
        if assign is None and load_name(world, word, call.node.shown):
            continue
        name = assign.name if assign is not None else text.partition("=")[0]
        given = assign is not None or "=" in text
        if world.fixed(name) and (given or (machine.bash and _changes(utility, letters | off))):
            found = False
            world.succeed(False)
            var = world.vars.get(world.target(name))
            if machine.bash and var is not None and (utility == "export" or "x" in letters):
                world.put(world.target(name), replace(var, exported=True))
            if not machine.bash:
                world.code = 2
                if not call.wrappers:
                    world.fail(bash=False)
                return [world]
            continue
        if "n" in off and (reference := world.vars.get(name)) is not None and reference.reference is not None:
            world.put(name, Var(literal(reference.reference), given=bool(reference.reference)))
            continue
        if assign is not None and "n" not in letters and utility != "local" and name != world.target(name):
            name = world.target(name)
            assign = replace(assign, name=name)
        _scope(machine, utility, name, letters, world)
        declared = _attributes(machine, utility, name, letters, off, world)
        if assign is not None and "n" in letters and utility != "export" and isinstance(assign.value, WordNode):
            target = machine.expander.single(assign.value, world)
            if target.known and not _REFERENCE.fullmatch(target.text):
                found = False
            elif target.text != name:
                world.refer(name, target)
        elif assign is not None:
            machine.assign(assign, world, declared)
            if world.flow is not None:
                return [world]
        elif "=" in text and text.partition("=")[0].isidentifier():
            cut = text.index("=") + 1
            world.put(name, replace(declared, value=Traced(word.cut(cut, len(text)).pieces), given=True))
        elif "n" in letters and utility != "export" and not declared.given:
            world.put(name, Var(reference="", given=False))
        elif name.isidentifier():
            world.put(name, declared)
    world.succeed(found)
    return [world]


def _changes(utility: str, letters: set[str]) -> bool:
    """Whether a declaration of a readonly variable is an error without a value: it hides it, or makes it another."""
    return utility == "local" or bool(letters & set("aAiul"))


def _scope(machine: Machine, utility: str, name: str, letters: set[str], world: World) -> None:
    declares = utility in ("declare", "typeset") and "g" not in letters
    if utility == "local" or (declares and _in_function(machine, world)):
        world.localise(name)


def _in_function(machine: Machine, world: World) -> bool:
    return bool(world.frames) and machine.depth > 0


def _attributes(machine: Machine, utility: str, name: str, letters: set[str], off: set[str], world: World) -> Var:
    hidden = world.frames[-1].get(name) if world.frames and name in world.frames[-1] else None
    fresh = utility in ("local", "declare", "typeset") and world.frames and name in world.frames[-1]
    old = world.vars.get(name)
    var = old or Var(given=False)
    if fresh and old is hidden:
        # A local starts without a value in bash; dash and POSIX leave the outer one.
        var = Var(given=False) if machine.bash else (old or Var(given=False))
    if utility == "export" or "x" in letters:
        var = replace(var, exported="n" not in letters)
        if old is None and not var.given:
            # `export X` of a variable that comes from outside, if it does, changes nothing here.
            return var
    if "x" in off:
        var = replace(var, exported=False)
    if "A" in letters and not var.associative:
        var = replace(var, associative=True, items=dict(var.items or {}), given=var.given)
    elif "a" in letters and var.items is None:
        var = replace(var, items={0: var.value} if var.given and var.value else {})
    if utility == "readonly" or "r" in letters:
        var = replace(var, readonly=True)
    if "i" in letters:
        var = replace(var, integer=True)
    if "u" in letters or "l" in letters:
        var = replace(var, fold="upper" if "u" in letters else "lower")
    return var
