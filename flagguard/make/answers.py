"""What commands inside ``$(shell …)`` print where that is known: the machine's name, literal text, the make folder.

Knows no makefile; no command is ever run. uname(1), arch(1), pwd(1), echo(1) in POSIX; more, such as
`uname -m | sed s/aarch64/arm64/`, is what the shell's own evaluation knows.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from posixpath import dirname

from flagguard.command import PLATFORMS, Dialect, Place, Script
from flagguard.hosts import Setting
from flagguard.paths import resolved
from flagguard.patterns import expression
from flagguard.text import EMPTY, Decider, Hole, Shape, SourceText, Traced, hole, join, literal

CURDIR = Hole("$(CURDIR)", "where the repository is checked out", Decider.OUTSIDE, Shape.PATH, "CURDIR")

_QUIET = expression(r"\s*(?:2>\s*/dev/null|2>\s*&1|</dev/null)\s*")
_OR_ELSE = expression(r"^(?P<first>[^|&;]*)\|\|(?P<rest>.*)$")
_META = expression(r"[|&;<>()$`\\\"'*?\[\]#~\n{}!]")
_WHICH = expression(r"(?:which|command\s+-v|type\s+-[pP])\s+(?P<name>[\w.+-]+)$")
_DUMPMACHINE = expression(r"\S*(?:gcc|cc|clang|g\+\+|c\+\+|clang\+\+)\S*\s+(?:-dumpmachine|--dump-machine)$")
_ECHO = expression(r"""echo(?P<words>(?:\s+(?:[\w@%+=:,./^-]+|'[^'\n]*'|"[^"$`\\\n]*"))*)$""")
_QUOTE = expression(r"""'([^']*)'|"([^"]*)\"""")


def machine_name(option: str, platform: str) -> Traced | None:
    """What ``uname`` with one option prints."""
    system, machine, _ = PLATFORMS[platform]
    if option in ("", "-s"):
        return starred(system)
    if option == "-m":
        return literal(machine)
    if option == "-o":
        name = {"Linux": "GNU/Linux", "Darwin": "Darwin", "FreeBSD": "FreeBSD"}.get(system)
        return literal(name or "Msys")
    if option == "-p" and system == "Darwin":
        return literal("arm" if machine == "arm64" else "i386")
    if option in ("-sm", "-ms"):
        return join((starred(system), literal(" " + machine)))
    return None


def starred(name: str) -> Traced:
    """``name``, with a hole for the version that its ``*`` stands for."""
    if not name.endswith("*"):
        return literal(name)
    return join((literal(name[:-1]), hole(Hole(name, "the version of the system"))))


def answer(command: Traced, platform: str) -> tuple[Traced | None, bool]:
    """What the command prints, and whether that hangs on the platform; None: not known."""
    if command.text.strip() == "":
        return EMPTY, False
    if not command.known:
        return None, False
    text = _QUIET.sub(" ", command.text.strip()).strip()
    fallback = _OR_ELSE.match(text)
    if fallback:
        text = fallback["first"].strip()
    found, on_platform = _simple(text, platform)
    if fallback and not on_platform:
        return None, False
    return (found, on_platform) if found is not None else _printed(command, platform)


class _NoFiles:
    """What a folder holds when make runs, nobody knows here."""

    def paths(self) -> Iterable[str]:
        return ()

    def read(self, path: str) -> SourceText | None:
        return None


_SPEAKS = expression(r"\b(?:uname|arch|dpkg|apk|getconf|echo|printf)\b")
_ASKS = expression(r"""\$(?!\()|`|\b(?:test|cat|source)\b|[<\[]""")
"""Variables and files, outside of what is in single quotes."""


@lru_cache(1_000)
def _printed(command: Traced, platform: str) -> tuple[Traced | None, bool]:
    """As the shell's evaluation has it, where the text asks for nothing around it."""
    if not _SPEAKS.search(command.text) or _ASKS.search(re.sub("'[^']*'", "", command.text)):
        return None, False
    from flagguard.shell.outputs import outputs  # most makefiles do without

    script = Script(Place("makefile"), Dialect.SH, command)
    texts, found = outputs(script, Setting(_NoFiles(), (platform,)))
    if len(texts) != 1 or not texts[0].known:
        return None, False
    return literal(output(texts[0].text)), not found.everywhere


_ONE = r"""(?P<one>"[^"'\s]+"|[^\s;&|"'$`]+)"""
_SILENT = r"(?:\s*[12]?>\s*/dev/null|\s*2>&1)*"
_HERE = expression(rf"^\s*pwd(?:\s+-[PL])?{_SILENT}\s*$")
_THERE = expression(rf"^\s*cd\s+(?:--\s+)?{_ONE}{_SILENT}\s*(?:&&|;)\s*pwd(?:\s+-[PL])?{_SILENT}\s*$")
_TOP = expression(rf"^\s*git\s+rev-parse\s+--show-toplevel{_SILENT}\s*$")
_NAMED = expression(rf"^\s*(?P<program>dirname|realpath|readlink\s+-[fem])\s+(?:--\s+)?{_ONE}{_SILENT}\s*$")


def path_named(command: Traced, folder: str) -> str | None:
    """The file or folder of the tree whose name the command prints, run in ``folder``; None: not known."""
    text = command.text
    if _HERE.match(text):
        return folder
    if _TOP.match(text):
        return ""
    found = _THERE.match(text) or _NAMED.match(text)
    if found is None:
        return None
    quoted = found["one"].startswith('"')
    path = resolved(command.cut(found.start("one") + quoted, found.end("one") - quoted), folder)
    if path and found.groupdict().get("program") == "dirname":
        return dirname(path)
    return path


def _simple(text: str, platform: str) -> tuple[Traced | None, bool]:
    words = text.split()
    program = words[0] if words else ""
    if program in ("uname", "/bin/uname", "/usr/bin/uname") and len(words) <= 2 and not _META.search(text):
        return machine_name(words[1] if len(words) == 2 else "", platform), True
    if text == "arch":
        return machine_name("-m", platform), True
    if text in ("pwd", "pwd -P", "pwd -L"):
        return hole(CURDIR), False
    if text == "nproc" or text.startswith("nproc "):
        return hole(Hole("$(shell nproc)", "the number of processors", shape=Shape.NUMBER)), False
    if text in ("true", ":"):
        return EMPTY, False
    found = _WHICH.match(text)
    if found:
        folder = Hole(f"$(dir $(shell {text}))", "where the program is installed", shape=Shape.PATH)
        return join((hole(folder), literal("/" + found["name"]))), False
    if _DUMPMACHINE.match(text):
        machine = PLATFORMS[platform][1]
        rest = Hole(f"$(shell {text})", "the rest of the compiler's triple")
        return join((literal(machine + "-"), hole(rest))), True
    echoed = _ECHO.match(text)
    if echoed and not re.match(r"\s+-[neE]", echoed["words"]):
        return literal(_echo(echoed["words"])), False
    return None, False


def _echo(words: str) -> str:
    plain = []
    for match in re.finditer(r"""(?:[^\s'"]|'[^']*'|"[^"]*")+""", words):
        plain.append(_QUOTE.sub(lambda q: q[1] if q[1] is not None else q[2], match[0]))
    return " ".join(plain)


def output(text: str) -> str:
    """Command output as make stores it: line ends as spaces, those at the end dropped."""
    return text.rstrip("\n").replace("\n", " ")
