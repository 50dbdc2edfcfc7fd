"""Build logs: the commands that a build printed, as it ran them.

A log is no language. What is known of each tool that prints one is in ``log_lines``: what it puts before a command, how
it quotes. A line counts where a program that is asked for stands where a command begins; prose is passed over. Lines
in which a build says that it compiles something, without how, are told: what is hidden cannot be judged.
"""

from collections.abc import Callable, Iterator

from flagguard.command import Dialect, Place, Reading, Script, Word, word
from flagguard.hosts import Setting
from flagguard.hosts.compile_commands import unescaped, windows_words
from flagguard.hosts.log_lines import Line, lines
from flagguard.patterns import expression
from flagguard.shell import cmd_words
from flagguard.text import SourceText, Traced, literal
from flagguard.tools.catalogue import basename, program_name, tool_for
from flagguard.tools.streams import cut_blank
from flagguard.values import dataclass

NAME = "log"

Known = Callable[[str], bool]
"""Whether a word is a program that is looked for, or one that runs others."""

_SPECIAL = expression(r"[$`;&|()<>*?\[\]{}!#~^\n\r]")
"""Without these a line is one command, and nothing in it is expanded (POSIX.1-2024 XCU 2.2, 2.6)."""
_OPERATOR = expression(r"[;&|(){}`\n]")
_TOKEN = expression(r"[^\s\"'`;&|(){}<>=,]+")
_NAME = expression(r"\$\{?([A-Za-z_]\w*)")
_DRIVE = expression(r'\s*(?:"([A-Za-z]:[\\/][^"]*\.(?:exe|EXE))"|([A-Za-z]:[\\/].*?\.(?:exe|EXE)))(?=\s|$)')
_MICROSOFT = frozenset({"cl", "link", "lib", "ml64", "clang-cl", "lld-link", "nmake", "msbuild"})
_TLOG = expression(r"(?i)(?:.*[/.])?(\w[\w-]*?)(?:-\w+)?\.command\.\d+\.tlog")
_PYTHON_LIST = expression(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")


@dataclass(frozen=True, slots=True)
class Hidden:
    """A line that says that something is compiled or linked, without the command."""

    line: int
    shown: str
    name: str
    """The file that is made."""


def read(source: SourceText, setting: Setting) -> Reading:
    del setting
    return Reading(tuple(scripts(source, is_tool)[0]))


def is_tool(text: str) -> bool:
    """Whether the catalogue knows the program."""
    return tool_for(program_name(text).bare) is not None


def scripts(source: SourceText, known: Known) -> tuple[list[Script], list[Hidden]]:
    """What the log ran, line by line, and what it hides."""
    tracked = _TLOG.fullmatch(source.path)
    if tracked is not None:
        return list(_tracked(source, tracked[1].lower())), []
    found: list[Script] = []
    hidden: list[Hidden] = []
    spoken = "libtool: compile:" in source.text or "libtool: link:" in source.text
    for line in lines(source):
        if line.hides:
            hidden.append(Hidden(line.number, line.text.text.strip(), line.hides))
            continue
        script = _script(line, known)
        if script is not None and not (spoken and _by_libtool(line)):
            found.append(script)
    return found, hidden


def _by_libtool(line: Line) -> bool:
    """The words that libtool gets; what it makes of them is printed after them."""
    text = line.text.text
    return "--mode=" in text and any(basename(t) in ("libtool", "glibtool") for t in _TOKEN.findall(text))


def _script(line: Line, known: Known) -> Script | None:
    text = line.text
    tokens = _TOKEN.findall(text.text)
    drive = _DRIVE.match(text.text)
    if drive is None and not any(map(known, tokens)):
        return None
    if line.listed:
        return _ready(list(_python_words(text)))
    if drive is not None or _is_microsoft(tokens[0]):
        return _ready(_windows(text, drive.end() if drive is not None else 0), known)
    if not line.script and _SPECIAL.search(text.text) is None and "=" not in text.text.split(maxsplit=1)[0]:
        first = text.text.split(maxsplit=1)[0].strip("\"'")
        if not known(first):
            return None
        if text.text.count('"') % 2 == 0 and text.text.count("'") % 2 == 0:
            return _ready(cut_blank(text))
    if not line.script and not _OPERATOR.search(text.text):
        first = text.text.split(maxsplit=1)[0]
        if "=" not in first and first != "!" and not known(first.strip("\"'")):
            return None
    outside = tuple(dict.fromkeys(_NAME.findall(text.text)))
    return Script(Place(NAME), Dialect.BASH, text, directory=None, outside=outside)


def _is_microsoft(token: str) -> bool:
    name = basename(token).lower()
    return name.removesuffix(".exe") in _MICROSOFT


def _windows(text: Traced, end: int) -> list[Word]:
    """A command line of Windows; tools print the program's place without quotes, blanks and all."""
    if not end:
        return windows_words(text)
    start = len(text.text) - len(text.text.lstrip())
    program = text.cut(start, end)
    if program.text.startswith('"'):
        program = program.cut(1, len(program) - 1)
    return [word(program), *cmd_words.arguments(text, end)]


def _ready(words: list[Word], known: Known | None = None) -> Script | None:
    if not words or (known is not None and not known(words[0].text)):
        return None
    return Script(Place(NAME), Dialect.ARGV, argv=tuple(words), directory=None)


def _python_words(text: Traced) -> Iterator[Word]:
    """`['gcc', '-O2']`, as waf prints what it runs."""
    for found in _PYTHON_LIST.finditer(text.text):
        yield word(unescaped(text.cut(*found.span(found.lastindex or 0))))


def _tracked(source: SourceText, tool: str) -> Iterator[Script]:
    """MSBuild's `CL.command.1.tlog`: after each line of sources (`^`) one with the arguments."""
    at = 0
    for text in source.text.split("\n"):
        line = text.rstrip("\r")
        if line.strip("\ufeff\x00 \t") and not line.lstrip("\ufeff").startswith("^"):
            start = at + len(line) - len(line.lstrip("\ufeff \t"))
            span = source.traced(start, start + 1).route
            arguments = cmd_words.arguments(source.traced(start, at + len(line)), 0)
            argv = (word(literal(tool, span[0])), *arguments)
            yield Script(Place(NAME, task=tool), Dialect.ARGV, argv=argv, directory=None)
        at += len(text) + 1
