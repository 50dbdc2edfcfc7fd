"""The lines of a Dockerfile: parser directives, continued lines, comments, here-documents, and the parts of each line.

Follows "Format", "Parser directives" and "Here-Documents" in https://docs.docker.com/reference/dockerfile/ and, where
that is silent, buildkit's frontend/dockerfile/parser. What an instruction means is not known here.
"""

import json
import re
from collections.abc import Iterator, Sequence

from flagguard.command import Word
from flagguard.hosts.dockerfile_words import WordError, split
from flagguard.patterns import expression
from flagguard.text import EMPTY, Piece, Problem, SourceText, Span, Traced, compact, join
from flagguard.values import dataclass, replace

INSTRUCTIONS = frozenset(
    "ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL STOPSIGNAL USER VOLUME "
    "WORKDIR".split()
)
_WITH_HEREDOCS = frozenset({"ADD", "COPY", "RUN"})

_DIRECTIVE = expression(r"#\s*([a-zA-Z][a-zA-Z0-9]*)\s*=\s*(.+?)\s*")
_BLANKS = expression(r"[\t\v\f\r ]+")
_HEREDOC = expression(r"(\d*)<<(-?)\s*([^<]*)")
_STRING = expression(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_JSON_ESCAPE = expression(r"(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.)")


class LineError(ValueError):
    """An instruction that the builder refuses, and why."""


@dataclass(frozen=True)
class Heredoc:
    """A here-document behind an instruction."""

    name: str
    text: Traced
    expands: bool
    """Its delimiter is not quoted."""
    chomps: bool
    """Tabs at the beginning of its lines do not count (`<<-`)."""

    @property
    def content(self) -> Traced:
        """What the file or script that it stands for holds."""
        if not self.chomps or "\t" not in self.text.text:
            return self.text
        parts, at, text = [], 0, self.text.text
        while at < len(text):
            start = at
            while text[start : start + 1] == "\t":
                start += 1
            end = text.find("\n", start) + 1 or len(text)
            parts.append(self.text.cut(start, end))
            at = end
        return join(parts)


@dataclass(frozen=True)
class Instruction:
    """One instruction, its lines joined."""

    keyword: str
    """In capitals."""
    key: Span
    """Where the keyword is written."""
    flags: tuple[Traced, ...] = ()
    """The words with `--` before all others, without quotes."""
    rest: Traced = EMPTY
    """What follows them."""
    heredocs: tuple[Heredoc, ...] = ()
    inner: "Instruction | None" = None
    """The instruction behind ONBUILD."""


@dataclass(frozen=True)
class Lines:
    """What one file holds."""

    instructions: tuple[Instruction, ...]
    problems: tuple[Problem, ...]
    escape: str = "\\"


class _Reader:
    """Goes through a file line by line."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.text = source.text
        self.at = 1 if source.text.startswith("\ufeff") else 0
        self.escape = "\\"
        self.directives: set[str] | None = set()
        self.found: list[Instruction] = []
        self.problems: list[Problem] = []

    def problem(self, offset: int, message: str, fatal: bool = True) -> None:
        line = self.source.position(min(offset, max(len(self.text) - 1, 0)))[0]
        self.problems.append(Problem(self.source.path, line, message, fatal=fatal))

    def next_line(self) -> tuple[int, int]:
        """The next line without its end."""
        start = self.at
        end = self.text.find("\n", start)
        self.at = len(self.text) if end < 0 else end + 1
        end = self.at
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return start, end

    def read(self) -> Lines:
        size = len(self.text)
        while self.at < size:
            start, end = self.next_line()
            while start < end and self.text[start].isspace():
                start += 1
            if start == end:
                self.directives = None
                continue
            if self.text[start] == "#":
                self._directive(start, end)
                continue
            self.directives = None
            self._instruction(start, end)
        if not self.found and not self.problems:
            self.problem(0, "the Dockerfile has no instructions")
        return Lines(tuple(self.found), tuple(self.problems), self.escape)

    def _directive(self, start: int, end: int) -> None:
        """`# name=value` above everything else."""
        if self.directives is None:
            return
        match = _DIRECTIVE.fullmatch(self.text, start, end)
        name = match[1].lower() if match else ""
        if match is None or name not in ("syntax", "escape", "check"):
            self.directives = None
            return
        if name in self.directives:
            self.problem(start, f"the parser directive {name} stands here twice")
        self.directives.add(name)
        if name == "escape":
            if match[2] in ("\\", "`"):
                self.escape = match[2]
            else:
                self.problem(start, f"the parser directive escape is \\ or `, and not {match[2]}")

    def _instruction(self, start: int, end: int) -> None:
        parts: list[Traced] = []
        first = start
        while True:
            kept, ends = self._continued(start, end)
            parts.append(self.source.traced(start, kept))
            if ends or self.at >= len(self.text):
                break
            while self.at < len(self.text):
                start, end = self.next_line()
                inside = self.text[start:end].lstrip()
                if inside and not inside.startswith("#"):
                    break
            else:
                break
        line = join(parts)
        if not line.text.strip():
            return
        try:
            instruction = self._parsed(line, first)
        except (LineError, WordError) as error:
            self.problem(first, str(error))
            return
        instruction = self._with_heredocs(instruction, line, first)
        self.found.append(instruction)

    def _continued(self, start: int, end: int) -> tuple[int, bool]:
        """Where the line's text ends, and whether the instruction ends with it."""
        at = end
        while at > start and self.text[at - 1] in " \t":
            at -= 1
        if at > start and self.text[at - 1] == self.escape and self.text[max(at - 2, start) : at - 1] != self.escape:
            return at - 1, False
        return end, True

    def _parsed(self, line: Traced, first: int, nested: bool = False) -> Instruction:
        line = strip(line)
        blank = _BLANKS.search(line.text)
        size = blank.start() if blank else len(line.text)
        written = line.cut(0, size).text
        route = line.cut(0, size).route
        key = route[-1] if route else Span(self.source.path, first, first)
        keyword = written.upper()
        if keyword not in INSTRUCTIONS:
            raise LineError(f"{written} is no instruction of a Dockerfile; the line is not judged")
        flags, rest = _flags(line.cut(blank.end() if blank else size, len(line.text)), self.escape)
        inner = None
        if keyword == "ONBUILD":
            if nested or not rest.text:
                raise LineError("ONBUILD needs an instruction behind it, and not another ONBUILD")
            inner = self._parsed(rest, first, nested=True)
            if inner.keyword in ("FROM", "MAINTAINER"):
                raise LineError(f"{inner.keyword} cannot stand behind ONBUILD")
        return Instruction(keyword, key, tuple(flags), rest, inner=inner)

    def _with_heredocs(self, instruction: Instruction, line: Traced, first: int) -> Instruction:
        bearer = instruction.inner or instruction
        if bearer.keyword not in _WITH_HEREDOCS or "<<" not in line.text or json_words(bearer.rest) is not None:
            return instruction
        try:
            words = split(line, lambda name: None, raw=True, raw_escapes=True, keeps_unset=True)
        except WordError:
            return instruction
        docs = [found for word in words if (found := heredoc(word)) is not None]
        read = tuple(self._heredoc_text(doc, first) for doc in docs)
        if not read:
            return instruction
        made = replace(bearer, heredocs=read)
        return made if instruction.inner is None else replace(instruction, inner=made)

    def _heredoc_text(self, doc: Heredoc, first: int) -> Heredoc:
        begin = self.at
        while self.at < len(self.text):
            start, end = self.next_line()
            line = self.text[start:end]
            if (line.lstrip("\t") if doc.chomps else line) == doc.name:
                return Heredoc(doc.name, self.source.traced(begin, start), doc.expands, doc.chomps)
        self.problem(first, f"the here-document {doc.name} has no end")
        return Heredoc(doc.name, self.source.traced(begin, self.at), doc.expands, doc.chomps)


def read_lines(source: SourceText) -> Lines:
    """The instructions of the file, and what the builder would refuse in it."""
    return _Reader(source).read()


# -- parts of a line --------------------------------------------------------------------------------------------------


def strip(text: Traced) -> Traced:
    """Without blanks at both ends."""
    inside = text.text.lstrip()
    start = len(text.text) - len(inside)
    return text.cut(start, start + len(inside.rstrip()))


def _flags(text: Traced, escape: str) -> tuple[list[Traced], Traced]:
    """The words that begin with `--`, and the rest."""
    flags: list[Traced] = []
    at, size = 0, len(text.text)
    while at < size:
        while at < size and text.text[at].isspace():
            at += 1
        if text.text[at : at + 2] != "--":
            return flags, strip(text.cut(at, size))
        parts: list[Traced] = []
        quote = ""
        while at < size:
            char = text.text[at]
            if not quote and char.isspace():
                break
            if char in "'\"" and quote in ("", char):
                quote = "" if quote else char
                at += 1
                continue
            if char == escape:
                at += 1
            parts.append(text.cut(at, at + 1))
            at += 1
        flag = _joined(parts)
        if flag.text == "--":
            return flags, strip(text.cut(at, size))
        flags.append(flag)
    return flags, EMPTY


def _joined(parts: Sequence[Traced]) -> Traced:
    return Traced(compact(piece for part in parts for piece in part.pieces))


def heredoc(word: Traced) -> Heredoc | None:
    """The here-document that a word announces, without its text."""
    match = _HEREDOC.fullmatch(word.text)
    if match is None or not match[3]:
        return None
    rest = word.cut(match.start(3), match.end(3))
    plain = split(rest, lambda name: None, keeps_unset=True)
    raw = split(rest, lambda name: None, raw=True, keeps_unset=True)
    if len(plain) != 1 or len(raw) != 1:
        return None
    quotes = sum(raw[0].text.count(q) - plain[0].text.count(q) for q in "'\"")
    return Heredoc(plain[0].text, EMPTY, not quotes, bool(match[2]))


def words(text: Traced, escape: str) -> list[Traced]:
    """Words as ENV, ARG and LABEL part them: quotes and escapes stay in them."""
    return [text.cut(start, end) for start, end in _word_places(text.text, escape)]


def _word_places(text: str, escape: str) -> Iterator[tuple[int, int]]:
    at, size = 0, len(text)
    while True:
        while at < size and text[at].isspace():
            at += 1
        if at >= size:
            return
        start, quote = at, ""
        while at < size:
            char = text[at]
            if quote:
                if char == quote:
                    quote = ""
                elif char == escape and quote == '"':
                    at += 1
            elif char.isspace():
                break
            elif char in "'\"":
                quote = char
            elif char == escape:
                at += 1
            at += 1
        end = min(at, size)
        if text[end - 1] == escape and at > size:
            end -= 1  # an escape at the end of the line is skipped
        if end > start:
            yield start, end


def items(text: Traced) -> list[Traced]:
    """Words between blanks, whatever stands in them."""
    out, at = [], 0
    for blank in _BLANKS.finditer(text.text):
        out.append(text.cut(at, blank.start()))
        at = blank.end()
    return [*out, text.cut(at, len(text.text))] if text.text else []


def pairs(text: Traced, escape: str) -> list[tuple[Traced, Traced]]:
    """The names and values of ENV and LABEL, both forms."""
    parts = words(text, escape)
    if not parts:
        raise LineError("it needs a name and a value")
    if "=" not in parts[0].text:
        blank = _BLANKS.search(text.text)
        if blank is None:
            raise LineError("it needs a name and a value")
        return [(text.cut(0, blank.start()), text.cut(blank.end(), len(text.text)))]
    found = []
    for part in parts:
        at = part.text.find("=")
        if at < 0:
            raise LineError(f"{part.text} has no =, and each part is name=value")
        if at == 0:
            raise LineError("a name is empty")
        found.append((part.cut(0, at), part.cut(at + 1, len(part.text))))
    return found


def json_words(text: Traced) -> list[Word] | None:
    """The words of the exec form; None where the text is no list of strings.

    Raises :class:`LineError` for a list that holds something else.
    """
    if not text.text.lstrip().startswith("["):
        return None
    try:
        value = json.loads(text.text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, list):
        return None
    if not all(isinstance(item, str) for item in value):
        raise LineError("a list in brackets holds strings in double quotes and nothing else")
    found = [_string(text.cut(match.start() + 1, match.end() - 1)) for match in _STRING.finditer(text.text)]
    return found if [word.text for word in found] == value else None


def _string(inside: Traced) -> Word:
    """One string of JSON, without its quotes."""
    parts: list[Piece] = []
    at = 0
    for escape in _JSON_ESCAPE.finditer(inside.text) if "\\" in inside.text else ():
        parts += inside.cut(at, escape.start()).pieces
        said = json.loads(f'"{escape[0]}"')
        parts.append(Piece(said, inside.cut(escape.start(), escape.end()).route))
        at = escape.end()
    parts += inside.cut(at, len(inside.text)).pieces
    route = inside.route
    written = route[-1] if len(inside.pieces) == 1 and route else None
    return Word(tuple(parts), written)
