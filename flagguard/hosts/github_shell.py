"""The shell that a `run:` of GitHub Actions goes to.

Follows "jobs.<job_id>.steps[*].shell" in
https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax, as of 2026-11.
"""

from flagguard.command import Dialect
from flagguard.hosts.shells import SHELLS, options, program
from flagguard.patterns import expression
from flagguard.text import Traced
from flagguard.values import dataclass


@dataclass(frozen=True, slots=True)
class Shell:
    dialect: Dialect
    errexit: bool = False
    pipefail: bool = False


_KEYWORDS = {
    "bash": Shell(Dialect.BASH, errexit=True, pipefail=True),  # bash --noprofile --norc -eo pipefail {0}
    "sh": Shell(Dialect.SH, errexit=True),  # sh -e {0}
    "pwsh": Shell(Dialect.POWERSHELL),  # pwsh -command ". '{0}'"
    "powershell": Shell(Dialect.POWERSHELL),
    "cmd": Shell(Dialect.CMD),  # %ComSpec% /D /E:ON /V:OFF /S /C "CALL "{0}""
}
_MSYS2 = Shell(Dialect.BASH, errexit=True, pipefail=True)
"""What `msys2 {0}` starts (https://github.com/msys2/setup-msys2, its wrapper msys2.cmd): bash -leo pipefail {0}"""
_DEFAULT = Shell(Dialect.BASH, errexit=True)  # bash -e {0}
_IN_CONTAINER = Shell(Dialect.SH, errexit=True)  # sh -e {0}
_UNREAD = Shell(Dialect.UNREAD)  # python, and templates of unknown programs


def shell_of(template: Traced | None, platforms: frozenset[str] | None, container: bool) -> Shell:
    """The shell by the `shell:` that counts (None: there is none) and the runner."""
    if template is None:
        if platforms and all(p.startswith("windows-") for p in platforms):
            return _KEYWORDS["pwsh"]
        return _IN_CONTAINER if container else _DEFAULT
    text = template.text.strip()
    if text in _KEYWORDS:
        return _KEYWORDS[text]
    if "{0}" not in text or not template.known:
        return _UNREAD
    # quotes part words in no other way here: `script -q -e -c "bash -e {0}"` hands the same words to a shell
    words = text[: text.index("{0}")].replace('"', " ").replace("'", " ").split()
    if words and program(words[0]).removesuffix(".cmd") == "msys2":
        return _MSYS2
    if words and program(words[0]).lower() in ("pwsh", "powershell", "cmd"):
        return _KEYWORDS[program(words[0]).lower()]
    last = max((i for i, w in enumerate(words) if program(w) in SHELLS), default=None)
    if last is None:
        return _UNREAD
    errexit, pipefail = options(words[last + 1 :])
    return Shell(SHELLS[program(words[last])], errexit, pipefail)


_NAME = r"([A-Za-z_]\w*)"
_SAID = expression(rf"""(?:echo|printf|Write-Output)\s+(?:-\w+\s+)*["']?{_NAME}(?:=|<<)|["']{_NAME}=""")
_LINE = expression(rf"""^\s*(?:(?:echo|printf)\s+(?:-\w+\s+)*)?["']?{_NAME}(?:=|<<)""")


def exported(text: str) -> tuple[str, ...]:
    """The variables that a script writes to ``$GITHUB_ENV``, by name, as far as one can see them."""
    if "GITHUB_ENV" not in text:
        return ()
    names: list[str] = []
    lines = text.splitlines()
    for line in lines:
        if "GITHUB_ENV" in line:
            found = [a or b for a, b in _SAID.findall(line)]
            if not found:
                # A group or a here-document: any of its lines.
                found = [m[1] for m in map(_LINE.match, lines) if m]
            names += found
    return tuple(dict.fromkeys(names))
