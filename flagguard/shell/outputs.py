"""What a script prints, where its evaluation knows: for values of justfiles and makefiles (`$(shell …)`)."""

from flagguard.command import Script
from flagguard.hosts import Setting
from flagguard.shell.evaluation import Evaluation, evaluate
from flagguard.text import Span, Traced, join, literal
from flagguard.values import replace

_PRINTS = "_"
_NOWHERE = Span("", 0, 0)
"""A command is heard where it has a place."""


def outputs(script: Script, setting: Setting) -> tuple[tuple[Traced, ...], Evaluation]:
    """The texts that it may print, without their last newlines, and what it came to in all."""
    asking = join((literal(f'{_PRINTS} "$('), script.text, literal('\n)"')))
    found = evaluate(replace(script, text=asking.grounded((_NOWHERE,))), setting)
    texts: dict[str, Traced] = {}
    for command in found.commands:
        if command.argv[0].text == _PRINTS and len(command.argv) == 2:
            texts.setdefault(command.argv[1].shown, Traced(command.argv[1].pieces))
    return tuple(texts.values()), found
