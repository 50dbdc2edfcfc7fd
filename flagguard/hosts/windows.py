"""Windows scripts: `*.ps1` and `*.psm1` for PowerShell, `*.bat` and `*.cmd` for cmd.exe.

Which files they are, and how a command starts one. The texts themselves are the shell's part.
"""

import posixpath

from flagguard.command import Command, Dialect, Place, Reading, Script, Variable
from flagguard.hosts import Entered, Setting
from flagguard.paths import resolved
from flagguard.text import SourceText, Traced
from flagguard.values import replace

NAME = "windows"

_EXTENSIONS = {
    ".ps1": Dialect.POWERSHELL,
    ".psm1": Dialect.POWERSHELL,
    ".bat": Dialect.CMD,
    ".cmd": Dialect.CMD,
}
_ANY = frozenset({"windows-x86_64"})


def claims(path: str, head: bytes) -> bool:
    return posixpath.splitext(path)[1].lower() in _EXTENSIONS


def read(source: SourceText, setting: Setting) -> Reading:
    dialect = _EXTENSIONS[posixpath.splitext(source.path)[1].lower()]
    platforms = None
    if dialect is Dialect.CMD:
        platforms = frozenset(p for p in setting.platforms if p.startswith("windows-")) or _ANY
    return Reading((Script(Place(NAME), dialect, source.traced(), platforms=platforms),))


def enter(command: Command, setting: Setting) -> Entered | None:
    """A script of the repository, called by its path or as ``pwsh [-File] PATH``."""
    words = list(command.argv)
    if not claims(words[0].text, b""):
        words = words[1:]
        while words and words[0].text[:1] in ("-", "/") and words[0].text.lower() not in ("-file", "-f"):
            takes = words[0].text.lower() in ("-executionpolicy", "-ep", "-ex", "-workingdirectory", "-wd")
            words = words[2 if takes else 1 :]
        if words and words[0].text.lower() in ("-file", "-f"):
            words = words[1:]
    if not words or not claims(words[0].text, b""):
        return None
    path = resolved(
        Traced(tuple(replace(p, text=p.text.replace("\\", "/")) for p in words[0].pieces)), command.directory
    )
    source = setting.files.read(path) if path is not None else None
    if path is None or source is None:
        return None

    def started(inner: Setting) -> Reading:
        reading = read(source, inner)
        env = tuple(Variable(name, value) for name, value in command.env.items())
        scripts = tuple(
            replace(
                script,
                arguments=tuple(words[1:]),
                knows_arguments=True,
                env=env,
                directory=command.directory,
                platforms=None,
            )
            for script in reading.scripts
        )
        return replace(reading, scripts=scripts)

    values = tuple((name, value.pieces) for name, value in sorted(command.env.items()))
    passed = tuple(word.pieces for word in words)
    return Entered(path, ("windows", path, passed, values, command.directory), started)
