"""Shell scripts: `*.sh`, `*.bash`, and files that begin with a shell's `#!`.

Follows execve(2) and env(1) for the first line. The text itself is the shell's part.
"""

import posixpath
import re

from flagguard.command import Dialect, Place, Reading, Script
from flagguard.hosts import Setting
from flagguard.hosts.shells import READ_AS_BASH, SHELLS, options, program
from flagguard.patterns import expression
from flagguard.text import Problem, SourceText

NAME = "shellscript"

_EXTENSIONS = {".sh": "bash", ".bash": "bash", ".zsh": "zsh", ".ksh": "ksh"}
"""The shell where no first line says it: such a file is sourced, mostly by bash."""
_PLAIN = expression(r"[\w.+-]+")


def claims(path: str, head: bytes) -> bool:
    named = posixpath.splitext(path)[1] in _EXTENSIONS
    if not head.removeprefix(b"\xef\xbb\xbf").startswith(b"#!"):
        return named
    shell = _interpreter(head.split(b"\n", 1)[0].decode("utf-8", "replace"))[0]
    return shell in SHELLS or (named and not _PLAIN.fullmatch(shell))


def read(source: SourceText, setting: Setting) -> Reading:
    del setting
    shell, words = _interpreter(source.text.split("\n", 1)[0])
    if shell not in SHELLS:
        shell, words = _EXTENSIONS.get(posixpath.splitext(source.path)[1], "bash"), []
    errexit, pipefail = options(words)
    script = Script(Place(NAME), SHELLS[shell], source.traced(), errexit=errexit, pipefail=pipefail)
    told = "is read as bash" if shell in READ_AS_BASH else ""
    if script.dialect is Dialect.UNREAD:
        told = "is not read, so its commands are not judged"
    problems = (Problem(source.path, 1, f"{shell} {told}", fatal=False),) if told else ()
    return Reading((script,), problems=problems)


def _interpreter(line: str) -> tuple[str, list[str]]:
    """The program that a `#!` line starts, and the words behind it; through `env` and `busybox`."""
    line = line.removeprefix("\ufeff")
    words = line[2:].split() if line.startswith("#!") else []
    while words and program(words[0]) in ("env", "busybox"):
        words = words[1:]
        while words and (words[0].startswith("-") or re.match(r"[A-Za-z_]\w*=", words[0])):
            takes = words[0] in ("-u", "-C", "--unset", "--chdir")
            glued = words[0].removeprefix("-S") if words[0].startswith("-S") and words[0] != "-S" else ""
            words = [glued, *words[1:]] if glued else words[2 if takes else 1 :]
    return (program(words[0]), words[1:]) if words else ("", [])
