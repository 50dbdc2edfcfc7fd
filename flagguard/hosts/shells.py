"""Which shells are read as which dialect, and what their command lines turn on.

Shared by hosts; the shell's language is not known here. Follows the manuals sh(1), bash(1), zsh(1), ksh(1).
"""

import re
from collections.abc import Iterable

from flagguard.command import Dialect

SHELLS = {
    **dict.fromkeys(("sh", "dash", "ash"), Dialect.SH),
    **dict.fromkeys(("bash", "ksh", "ksh93", "mksh", "zsh"), Dialect.BASH),
    **dict.fromkeys(("fish", "csh", "tcsh", "elvish", "nu"), Dialect.UNREAD),
    **dict.fromkeys(("pwsh", "powershell"), Dialect.POWERSHELL),
}
READ_AS_BASH = ("ksh", "ksh93", "mksh", "zsh")


def program(word: str) -> str:
    """The name of a program without its folder."""
    return re.split(r"[/\\]", word)[-1].removesuffix(".exe")


def options(words: Iterable[str]) -> tuple[bool, bool]:
    """Whether a shell's command line turns on ``errexit`` and ``pipefail`` (sh(1), bash(1): invocation)."""
    errexit = pipefail = named = False
    for word in words:
        if named:
            errexit, pipefail, named = errexit or word == "errexit", pipefail or word == "pipefail", False
        elif re.fullmatch(r"-[A-Za-z]+", word):
            errexit = errexit or "e" in word
            named = "o" in word
        elif not word.startswith("--"):
            break
    return errexit, pipefail
