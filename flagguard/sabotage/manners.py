"""How a shell writes what edits put into its texts: a comment, a second command, a variable, quotes, a joined line.

POSIX shell 2.2 and 2.3; about_Comments, about_Quoting_Rules, about_Parsing, about_Environment_Variables of PowerShell;
for cmd.exe `help rem`, `help set`, `help cmd` (https://ss64.com/nt/syntax-esc.html). Knows nothing of flags or files.
"""

import re

from flagguard.command import Command, Dialect
from flagguard.hosts.shells import program
from flagguard.patterns import expression
from flagguard.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class Manner:
    """One shell's way of writing; ``{}`` stands for what is put in."""

    tail: str
    """A comment behind a command,"""
    line: str
    """and one on a line of its own."""
    echo: str
    """A command that prints, before another one."""
    variable: str
    """A variable of the environment for the command behind it: its name, its value."""
    quotes: str
    mark: str
    """Joins a line with the next one, at its end."""
    listed: bool = False
    """Words may be items of a list: `-ArgumentList "-O2", "-c"`."""
    nested: bool = False
    """The text is a word of another command: it has no lines of its own."""
    assigned: re.Pattern[str] | None = None
    """A line that sets a variable; None: the shell's grammar is read."""


POSIX = Manner("  # {}", "# {}", "echo {}; ", "env {}={} ", "\"'", "\\")
_POWERSHELL = Manner(
    *("  # {}", "# {}", "echo {}; ", "$env:{}='{}'; ", "\"'", "`"),
    listed=True,
    assigned=re.compile(r"[ \t]*\$(?:env:)?\w+[ \t]*\+?=(?!=)[^\n]*"),
)
_CMD = Manner(
    *(" & rem {}", "rem {}", "echo {} & ", "set {}={}& ", '"', "^"),
    assigned=re.compile(r"[ \t]*@?set[ \t]+\"?\w+=[^\n&|]*", re.IGNORECASE),
)


_SHELLS = frozenset({"cmd", "powershell", "pwsh"})


def manner_of(command: Command) -> Manner:
    """The manner of the shell that reads a command."""
    if command.dialect is None:
        return POSIX
    own = _POWERSHELL if command.dialect is Dialect.POWERSHELL else _CMD
    # in the words of `cmd /c` the lines belong to the shell outside
    return replace(own, tail="", line="", mark="", nested=True) if _nested(command) else own


def _nested(command: Command) -> bool:
    extent = command.extent
    for wrapper in command.wrappers:
        place = wrapper[0].written
        if place is not None and program(wrapper[0].text) in _SHELLS:
            return place.path == extent.path and place.start < command.span.start
    return False


def quote_around(text: str, at: int, manner: Manner) -> str:
    """The quote that is open at ``at`` of a text, as far as its line tells."""
    found = ""
    for char in text[text.rfind("\n", 0, at) + 1 : at]:
        if not found and char in manner.quotes:
            found = char
        elif char == found:
            found = ""
    return found


def assignment(text: str, at: int, manner: Manner) -> tuple[int, int] | None:
    """The line, without what joins it to others, that sets the variable in whose value ``at`` is."""
    if manner.assigned is None or manner.nested:
        return None
    start = text.rfind("\n", 0, at) + 1
    found = manner.assigned.match(text, start)
    if found is None or at > found.end() or found[0].rstrip().endswith(manner.mark):
        return None
    end = text.find("\n", found.end())
    rest = text[found.end() : len(text) if end < 0 else end]
    return None if rest.strip() or end < 0 else (start, end + 1)


WITHOUT_COMMENTS = frozenset({"pdm", "rye", "cargo_make"})
"""Hosts that cut some texts into words themselves, and know no comments in them; poe does."""


_GIVE_ARGUMENTS = frozenset({"github", "azure"})
"""Hosts in which some keys give words of a command that no shell reads: inputs of actions and tasks."""
_ARGUMENTS = expression(r"(?:uses|task|\w*[aA]rg(?:ument)?s)[\"']?:[ \t]*[\"']?$")


def shell_task(host: str, text: str, start: int) -> bool:
    """Whether the host hands the string that begins at ``start`` to a shell.

    poe and PDM do where the key is `shell`, cargo-make where it is not `command`, Rye never; all others do.
    """
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if host in _GIVE_ARGUMENTS:
        return _ARGUMENTS.search(line) is None
    if host != "poe" and host not in WITHOUT_COMMENTS:
        return True
    key = line.rstrip("\"'").rstrip().removesuffix("=").rstrip()
    return not key.endswith("command") if host == "cargo_make" else host != "rye" and key.endswith("shell")
