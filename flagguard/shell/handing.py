"""A text for a shell that is none of POSIX's kin, met by one that is: `pwsh -c '…'`, `cmd /c …` in a shell script."""

from flagguard.command import Dialect, Script, Status, Variable
from flagguard.shell.machine import Call, Machine
from flagguard.shell.noting import environment, note
from flagguard.shell.record import Record
from flagguard.shell.state import World
from flagguard.text import Traced
from flagguard.values import replace


def handed_over(machine: Machine, dialect: Dialect, text: Traced, call: Call, world: World) -> list[World]:
    """The commands of the text, noted where the caller stands."""
    from flagguard.shell.cmd import evaluate_cmd
    from flagguard.shell.powershell import evaluate_powershell

    evaluated = evaluate_cmd if dialect is Dialect.CMD else evaluate_powershell
    env = tuple(Variable(name, value) for name, value in environment(call, world).items())
    script: Script = replace(
        machine.script,
        dialect=dialect,
        text=text,
        argv=(),
        arguments=(),
        knows_arguments=True,
        env=env,
        when=world.when,
        opt_in=world.opt_in,
        via=world.via,
        ignored=False,
    )
    found, problems = evaluated(script, machine.setting, [machine.platform], 1)
    for problem in problems:
        machine.problem(text, problem.message, problem.fatal)
    machine.asked_platform = True  # it was evaluated for this one alone
    if not found:
        return note(machine, call, world)
    context = call.context
    noticed = context.last or context.tested or "errexit" in world.options
    for command in found:
        record = Record(
            argv=command.argv,
            wrappers=(*machine.wrapped, *call.wrappers, *command.wrappers),
            env=command.env,
            span=command.span,
            extent=command.extent,
            via=command.via,
            vanished=command.vanished,
            when=command.when,
            opt_in=command.opt_in,
            reading=command.reading,
            ignored=context.swallowed or not noticed or command.status is Status.IGNORED,
            directory=command.directory,
        )
        machine.recorder.note(record, machine.platform)
    world.succeed(None)
    return [world]
