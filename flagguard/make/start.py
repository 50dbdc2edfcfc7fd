"""What make knows before it reads a makefile: its own variables, those of its command line and of the environment.

Manual: "Variables Used by Implicit Rules", "Other Special Variables", "Overriding Variables", "Variables from the
Environment".
"""

from collections.abc import Mapping

from flagguard.make import defaults
from flagguard.make.command_line import CommandLine, assignment
from flagguard.make.interpret import Interpreter
from flagguard.make.variables import Definition, Flavor, Origin
from flagguard.text import EMPTY, Hole, Traced, hole, join, literal

_OVERRIDES = "-*-command-variables-*-"


def own_variables(interpreter: Interpreter, options: CommandLine) -> None:
    """make's defaults."""
    known = interpreter.run.variables.globals
    for name, text in defaults.VARIABLES.items():
        if "R" not in options.switches or name.startswith((".", "MAKE")):
            known[name] = Definition(literal(text), Flavor.RECURSIVE, Origin.DEFAULT)
    for name, text in defaults.SIMPLE.items():
        known[name] = Definition(literal(text), Flavor.SIMPLE, Origin.DEFAULT)
    known["SUFFIXES"] = Definition(literal(" ".join(defaults.SUFFIXES)), Flavor.SIMPLE, Origin.DEFAULT)
    known[".SHELLSTATUS"] = Definition(hole(Hole("$(.SHELLSTATUS)", "the exit status of a command")))
    if options.switches & {"r", "R"}:
        known["SUFFIXES"] = Definition(EMPTY, Flavor.SIMPLE, Origin.DEFAULT)
        interpreter.database.built_in = False
        interpreter.database.suffixes = []


OVERRIDING = "override "
"""Before the name of a variable of the command line, where it is told from one of the environment."""


def from_environment(
    interpreter: Interpreter, options: CommandLine, given: Mapping[str, Traced], perhaps: frozenset[str] = frozenset()
) -> None:
    """``perhaps``: those that may as well not be given."""
    origin = Origin.ENVIRONMENT_FIRST if options.environment_wins else Origin.ENVIRONMENT
    for name, value in given.items():
        if name == "SHELL":  # make does not take it from there (manual 5.3.2)
            continue
        definition = Definition(value, Flavor.RECURSIVE, origin, perhaps=name in perhaps)
        interpreter.run.variables.globals[name] = definition
        interpreter.exported[name] = True


def from_command_line(
    interpreter: Interpreter,
    options: CommandLine,
    overrides: Mapping[str, Traced],
    perhaps: frozenset[str] = frozenset(),
) -> None:
    """The variables, and what MAKEFLAGS and its like say of the whole line."""
    known = interpreter.run.variables.globals
    for name, value in overrides.items():
        known[name] = Definition(value, Flavor.RECURSIVE, Origin.COMMAND, perhaps=OVERRIDING + name in perhaps)
        interpreter.exported[name] = True
    parts: list[Traced] = []
    for name, value in reversed(list(overrides.items())):
        parts += [literal(" ")] if parts else []
        parts.append(assignment(name, value))
    known[_OVERRIDES] = Definition(join(tuple(parts)), Flavor.SIMPLE, Origin.COMMAND)
    if overrides:
        known["MAKEOVERRIDES"] = Definition(literal(f"${{{_OVERRIDES}}}"), Flavor.RECURSIVE, Origin.ENVIRONMENT)
    interpreter.options = options
    interpreter.database.ignores_all = options.ignores
    interpreter.set_flags(options)


def settle_flags(interpreter: Interpreter) -> None:
    """What the makefiles have made of MAKEFLAGS, as make reads it when it has read them all (manual 5.7.3)."""
    run = interpreter.run
    changed = run.variables.globals.get("MAKEFLAGS")
    if changed is None or changed is interpreter.given_flags:
        return
    value = run.value("MAKEFLAGS")
    if not value.known:
        return
    options = interpreter.with_own_flags(value)
    if options.switches & {"r", "R"}:
        interpreter.database.built_in = False
    if "R" in options.switches:
        known = run.variables.globals
        for name in defaults.VARIABLES:
            if name in known and known[name].origin is Origin.DEFAULT and not name.startswith((".", "MAKE")):
                del known[name]
    interpreter.set_flags(options)
