"""compile_commands.json: the compilations of a configured build, each as the compiler gets it.

Follows https://clang.llvm.org/docs/JSONCompilationDatabase.html: `arguments` are words; `command` is one text in which
only quotes and backslashes are special, split as the platform's compilers split theirs, and in which a shell expands
nothing. Which of the two platforms that is, the entry's `directory` says.
"""

import json
import re
from collections.abc import Iterator
from posixpath import dirname, join, normpath

from flagguard.command import Dialect, Place, Reading, Script, Word, word
from flagguard.hosts import Setting, yaml_scalars
from flagguard.patterns import expression
from flagguard.shell import cmd_words
from flagguard.text import Problem, SourceText, Span, Traced
from flagguard.text import join as joined
from flagguard.values import dataclass, field

NAME = "compile_commands"

_TOKEN = expression(r'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+')
_WINDOWS = expression(r"[A-Za-z]:[\\/]|\\\\")
_ESCAPED = expression(r"\\(.)", re.DOTALL)
_WORD = expression(r"""(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*(?:"|\Z)|'[^']*(?:'|\Z))+""", re.DOTALL)
_PART = expression(r"""\\(.)|"((?:[^"\\]|\\.)*)(?:"|\Z)|'([^']*)(?:'|\Z)|([^\s"'\\]+)""", re.DOTALL)
_QUOTED = 2
"""The group of `_PART` in which a backslash escapes."""


@dataclass
class _Entry:
    """One object of the list, as far as it is strings."""

    at: int
    texts: dict[str, Span] = field(default_factory=dict)
    lists: dict[str, list[Span]] = field(default_factory=dict)


def is_database(text: str) -> bool:
    """Whether a text looks like a compilation database: a list of objects that name a directory."""
    return text.lstrip("\ufeff \t\r\n").startswith("[") and '"directory"' in text


def read(source: SourceText, setting: Setting) -> Reading:
    del setting
    try:
        data = json.loads(source.text.removeprefix("\ufeff"), parse_int=float)
    except RecursionError:
        return Reading(problems=(Problem(source.path, 1, "not JSON that can be read: nested too deeply"),))
    except json.JSONDecodeError as error:
        return Reading(problems=(Problem(source.path, error.lineno, f"not JSON: {error.msg}"),))
    if not isinstance(data, list):
        return Reading(problems=(Problem(source.path, 1, "must be a list of compilations, in `[ ]`"),))
    scripts: list[Script] = []
    problems: list[Problem] = []
    for number, entry in enumerate(_entries(source)):
        told = _fault(data[number])
        found = None if told is not None else _script(source, entry)
        if found is None:
            line = source.position(entry.at)[0]
            problems.append(Problem(source.path, line, told or "the entry's command is empty", key=f"{number}"))
        else:
            scripts.append(found)
    return Reading(tuple(scripts), problems=tuple(problems))


def _fault(entry: object) -> str | None:
    """What an entry lacks, or has wrong."""
    if not isinstance(entry, dict):
        return "the entry must be an object, in `{ }`"
    arguments, command = entry.get("arguments"), entry.get("command")
    if arguments is None and command is None:
        return "the entry has neither `arguments` nor `command`"
    if arguments is not None and not (isinstance(arguments, list) and all(isinstance(a, str) for a in arguments)):
        return "`arguments` must be a list of strings"
    if arguments is None and not isinstance(command, str):
        return "`command` must be a string"
    return None


def _entries(source: SourceText) -> Iterator[_Entry]:
    """The items of the list; of what is nested deeper than the format knows, nothing."""
    depth, key, entry = 0, None, None
    expects_key = False
    for found in _TOKEN.finditer(source.text):
        token, span = found.group(), Span(source.path, *found.span())
        if token in "[{":
            depth += 1
            if depth == 2:
                entry, key, expects_key = _Entry(span.start), None, token == "{"
            elif depth == 3 and entry is not None and key is not None and token == "[":
                entry.lists[key] = []
        elif token in "]}":
            depth -= 1
            if depth == 1 and entry is not None:
                yield entry
                entry = None
        elif depth == 1 and token not in ":,":
            yield _Entry(span.start)
        elif depth == 2 and entry is not None:
            if token in ":,":
                expects_key = token == ","
            elif token[0] == '"':
                inner = Span(span.path, span.start + 1, span.end - 1)
                if expects_key:
                    key = source.text[inner.start : inner.end]
                elif key is not None:
                    entry.texts[key] = inner
        elif depth == 3 and entry is not None and key in entry.lists and token[0] == '"':
            entry.lists[key].append(Span(span.path, span.start + 1, span.end - 1))


def _script(source: SourceText, entry: _Entry) -> Script | None:
    def said(name: str) -> str:
        span = entry.texts.get(name)
        return yaml_scalars.double_quoted(source, span).text if span is not None else ""

    words: list[Word] = []
    if "arguments" in entry.lists:
        words = [word(yaml_scalars.double_quoted(source, span), span) for span in entry.lists["arguments"]]
    elif "command" in entry.texts:
        text = yaml_scalars.double_quoted(source, entry.texts["command"])
        words = windows_words(text) if _WINDOWS.match(said("directory")) else gnu_words(text)
    if not words or not words[0].text:
        return None
    directory = said("directory")
    place = Place(NAME, target=said("output") or said("file") or None)
    relative = None if directory.startswith("/") or _WINDOWS.match(directory) else directory
    folder = None if relative is None else normpath(join(dirname(source.path), relative))
    if folder is not None and (folder == ".." or folder.startswith(("../", "/"))):
        folder = None
    return Script(place, Dialect.ARGV, argv=tuple(words), directory="" if folder == "." else folder)


def windows_words(text: Traced) -> list[Word]:
    """As the C runtime of Windows splits a command line (Microsoft, "Parsing C command-line arguments")."""
    return cmd_words.words(text)[0]


def gnu_words(text: Traced) -> list[Word]:
    """At blanks; quotes and backslashes as in a shell, and nothing else is special."""
    out = []
    for whole in _WORD.finditer(text.text):
        parts: list[Traced] = []
        for part in _PART.finditer(text.text, *whole.span()):
            number = part.lastindex or 0
            inner = text.cut(*part.span(number))
            parts.append(unescaped(inner) if number == _QUOTED else inner)
        out.append(word(joined(parts)))
    return out


def unescaped(text: Traced) -> Traced:
    """The text with a backslash and a character as that character."""
    parts, at = [], 0
    for found in _ESCAPED.finditer(text.text):
        parts += [text.cut(at, found.start()), text.cut(found.start() + 1, found.end())]
        at = found.end()
    return joined([*parts, text.cut(at, len(text))])
