"""PowerShell's syntax, as far as commands need it (about_Parsing, about_Quoting_Rules, about_Special_Characters).

Reads statements and words; values are `powershell`'s business. What is an expression and no command is kept as words.
"""

import re
from dataclasses import dataclass

from flagguard.shell.syntax import ShellSyntaxError
from flagguard.text import EMPTY, Route, Traced, literal

_VARIABLE = re.compile(r"\$(?:\{([^}]*)\}|((?:env|global|script|local|private|using):)?([A-Za-z_]\w*)|([?$^_]))", re.IGNORECASE)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}
_MAX_DEPTH = 60


@dataclass(frozen=True, slots=True)
class Text:
    """Text; ``quoted``: as a string says it."""

    value: Traced
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Variable:
    """``$name``, ``$env:NAME``; ``splat``: ``@name``; ``quoted``: inside a string."""

    name: str
    environment: bool
    shown: str
    route: Route
    quoted: bool = False
    splat: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """``$( … )``, ``( … )`` or ``@( … )``: statements whose output is the value."""

    body: tuple["Statement", ...]
    items: tuple["PsWord", ...]
    """The elements, where it is a list of plain values."""
    shown: str
    route: Route
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Other:
    """Something whose value is not read: a member, an index, a hash table, a type."""

    shown: str
    route: Route
    body: tuple["Statement", ...] = ()


Piece = Text | Variable | Group | Other


@dataclass(frozen=True, slots=True)
class PsWord:
    parts: tuple[Piece, ...]
    route: Route
    shown: str
    comma: bool = False
    """A comma follows: the next word is the next element of a list."""


@dataclass(frozen=True, slots=True)
class Run:
    """One command of a pipeline; ``called``: behind ``&`` or ``.``."""

    words: tuple[PsWord, ...]
    called: str
    route: Route
    shown: str


@dataclass(frozen=True, slots=True)
class Assign:
    variable: Variable
    op: str
    words: tuple[PsWord, ...]
    run: Run | None


@dataclass(frozen=True, slots=True)
class Branch:
    arms: tuple[tuple[tuple[PsWord, ...], str, tuple["Statement", ...]], ...]
    """(condition, as written, body); an empty condition: else."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A loop; ``name`` and ``items`` of `foreach`."""

    name: str | None
    items: tuple[PsWord, ...]
    body: tuple["Statement", ...]
    shown: str


@dataclass(frozen=True, slots=True)
class Block:
    """Bodies that run one after another (`try`, `catch`), each with what has to happen for it."""

    bodies: tuple[tuple[str | None, tuple["Statement", ...]], ...]


@dataclass(frozen=True, slots=True)
class Define:
    name: str
    body: tuple["Statement", ...]


@dataclass(frozen=True, slots=True)
class Leave:
    word: str


@dataclass(frozen=True, slots=True)
class Chain:
    """``a | b``, ``a && b``, ``a || b``: the commands with the operator before each."""

    runs: tuple[tuple[str, Run], ...]


Statement = Chain | Assign | Branch | Repeat | Block | Define | Leave


class Reader:
    """A cursor over a script."""

    def __init__(self, source: Traced) -> None:
        self.source = source
        self.text = source.text
        self.at = 0
        self.depth = 0

    def fail(self, message: str) -> ShellSyntaxError:
        return ShellSyntaxError(message, self.at)

    def route(self, start: int) -> Route:
        return self.source.cut(start, self.at).route

    def shown(self, start: int) -> str:
        return self.source.cut(start, self.at).shown

    # -- blanks

    def blanks(self, newlines: bool = False) -> None:
        text = self.text
        while self.at < len(text):
            c = text[self.at]
            if c in " \t\r\ufeff" or (newlines and c in "\n;"):
                self.at += 1
            elif c == "`" and re.match(r"`[ \t]*\r?\n", text[self.at : self.at + 40]):
                self.at = text.index("\n", self.at) + 1
            elif text.startswith("<#", self.at):
                end = text.find("#>", self.at)
                self.at = len(text) if end < 0 else end + 2
            elif c == "#":
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            else:
                return

    # -- statements

    def statements(self, closing: str = "") -> tuple[Statement, ...]:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise self.fail("blocks are nested too deeply")
        out: list[Statement] = []
        while True:
            self.blanks(newlines=True)
            if self.at >= len(self.text):
                if closing:
                    raise self.fail(f"{closing!r} is missing")
                break
            if closing and self.text[self.at] == closing:
                self.at += 1
                break
            before = self.at
            found = self.statement()
            if found is not None:
                out.append(found)
            if self.at == before:
                raise self.fail(f"unexpected {self.text[self.at]!r}")
        self.depth -= 1
        return tuple(out)

    def statement(self) -> Statement | None:
        keyword = re.compile(r"[A-Za-z]+(?![\w.:\\/-])").match(self.text, self.at)
        word = keyword.group().lower() if keyword is not None else ""
        if word in _KEYWORDS and keyword is not None:
            self.at = keyword.end()
            return getattr(self, f"_{_KEYWORDS[word]}")(word)  # type: ignore[no-any-return]
        assign = self._assign()
        return assign if assign is not None else self._chain()

    def _block(self) -> tuple[Statement, ...]:
        self.blanks(newlines=True)
        if not self.text.startswith("{", self.at):
            raise self.fail("'{' is missing")
        self.at += 1
        return self.statements("}")

    def _condition(self) -> tuple[tuple[PsWord, ...], str]:
        self.blanks(newlines=True)
        if not self.text.startswith("(", self.at):
            raise self.fail("'(' is missing")
        start = self.at
        self.at += 1
        words = self.words(")")
        self.at += 1
        return words, self.shown(start)

    def _if(self, word: str) -> Statement:
        arms = []
        condition, shown = self._condition()
        arms.append((condition, shown, self._block()))
        while True:
            here = self.at
            self.blanks(newlines=True)
            found = re.compile(r"(elseif|else)\b", re.IGNORECASE).match(self.text, self.at)
            if found is None:
                self.at = here
                return Branch(tuple(arms))
            self.at = found.end()
            if found.group().lower() == "else":
                arms.append(((), "", self._block()))
                return Branch(tuple(arms))
            condition, shown = self._condition()
            arms.append((condition, shown, self._block()))

    def _foreach(self, word: str) -> Statement:
        self.blanks(newlines=True)
        found = re.compile(r"\(\s*\$(\w+)\s+in\s+", re.IGNORECASE).match(self.text, self.at)
        if found is None:
            return self._chain_from(word)
        start = self.at
        self.at = found.end()
        items = self.words(")")
        self.at += 1
        shown = self.shown(start)
        return Repeat(found.group(1), items, self._block(), shown)

    def _chain_from(self, word: str) -> Statement:
        self.at -= len(word)
        found = self._chain()
        if found is None:
            raise self.fail("a command is missing")
        return found

    def _while(self, word: str) -> Statement:
        _, shown = self._condition()
        return Repeat(None, (), self._block(), f"{word} {shown}")

    def _do(self, word: str) -> Statement:
        body = self._block()
        self.blanks(newlines=True)
        found = re.compile(r"(while|until)\b", re.IGNORECASE).match(self.text, self.at)
        if found is not None:
            self.at = found.end()
            self._condition()
        return Block(((None, body),))

    def _switch(self, word: str) -> Statement:
        _, shown = self._condition()
        self.blanks(newlines=True)
        if not self.text.startswith("{", self.at):
            raise self.fail("'{' is missing")
        self.at += 1
        bodies: list[tuple[str | None, tuple[Statement, ...]]] = []
        while True:
            self.blanks(newlines=True)
            if self.text.startswith("}", self.at):
                self.at += 1
                return Block(tuple(bodies))
            start = self.at
            if self.word() is None:
                raise self.fail("a pattern is missing in switch")
            pattern = self.shown(start)
            bodies.append((f"{shown} is {pattern}", self._block()))

    def _try(self, word: str) -> Statement:
        bodies: list[tuple[str | None, tuple[Statement, ...]]] = [(None, self._block())]
        while True:
            here = self.at
            self.blanks(newlines=True)
            found = re.compile(r"(catch|finally)\b[^{]*", re.IGNORECASE).match(self.text, self.at)
            if found is None:
                self.at = here
                return Block(tuple(bodies))
            self.at = found.end()
            failing = found.group(1).lower() == "catch"
            bodies.append(("the block before fails" if failing else None, self._block()))

    def _function(self, word: str) -> Statement:
        self.blanks()
        found = re.compile(r"[\w:.-]+").match(self.text, self.at)
        if found is None:
            raise self.fail("a name is missing after function")
        self.at = found.end()
        self.blanks(newlines=True)
        if self.text.startswith("(", self.at):
            self.at += 1
            self.words(")")
            self.at += 1
        return Define(found.group().rsplit(":", 1)[-1], self._block())

    def _param(self, word: str) -> Statement | None:
        self.blanks(newlines=True)
        if self.text.startswith("(", self.at):
            self.at += 1
            self.words(")")
            self.at += 1
        return None

    def _part(self, word: str) -> Statement:
        return Block(((None, self._block()),))

    def _leave(self, word: str) -> Statement:
        self.blanks()
        while self.at < len(self.text) and self.text[self.at] not in "\n;}":
            if self.word() is None:
                self.at += 1
            self.blanks()
        return Leave(word)

    def _assign(self) -> Statement | None:
        found = re.compile(r"(?:\[[\w.\[\]]+\]\s*)?(\$[\w:{}]+)\s*(\+?=)(?!=)").match(self.text, self.at)
        if found is None:
            return None
        variable = _VARIABLE.fullmatch(found.group(1))
        if variable is None:
            return None
        start = self.at
        self.at = found.end()
        target = self._variable(variable, start, False)
        self.blanks()
        here = self.at
        if re.match(r"[\w./\\&]", self.text[self.at : self.at + 1]) and not self.text[self.at].isdigit():
            run = self._run()
            self._rest()
            return Assign(target, found.group(2), (), run)
        self.at = here
        words = self.words("")
        self._rest()
        return Assign(target, found.group(2), words, None)

    def _rest(self) -> None:
        """Skip what stands behind an expression: a pipe into cmdlets."""
        while True:
            self.blanks()
            if not self.text.startswith("|", self.at):
                return
            self.at += 1
            self._run()

    def _chain(self) -> Statement | None:
        runs: list[tuple[str, Run]] = []
        op = ""
        while True:
            run = self._run()
            if run is not None:
                runs.append((op, run))
            self.blanks()
            found = re.compile(r"&&|\|\||\||&").match(self.text, self.at)
            if found is None:
                break
            self.at = found.end()
            op = found.group()
            if op == "&":
                break
            self.blanks(newlines=True)
        return Chain(tuple(runs)) if runs else None

    def _run(self) -> Run | None:
        self.blanks()
        start, called = self.at, ""
        found = re.compile(r"[&.](?=[ \t'\"$({])").match(self.text, self.at)
        if found is not None:
            called = found.group()
            self.at += 1
        words = self.words("")
        if not words:
            return None
        return Run(words, called, self.route(start), self.shown(start).strip())

    # -- words

    def words(self, closing: str) -> tuple[PsWord, ...]:
        """The words up to ``closing``, or to the end of the command where that is empty."""
        out: list[PsWord] = []
        while True:
            self.blanks(newlines=bool(closing))
            if self.at >= len(self.text):
                if closing:
                    raise self.fail(f"{closing!r} is missing")
                return tuple(out)
            c = self.text[self.at]
            if closing and c == closing:
                return tuple(out)
            if not closing and c in "\n;|})&" and not self.text.startswith("&1", self.at):
                return tuple(out)
            redirect = re.compile(r"[0-9*]?>{1,2}(?:&[0-9])?[ \t]*").match(self.text, self.at)
            if redirect is not None:
                self.at = redirect.end()
                if "&" not in redirect.group():
                    self.word()
                continue
            if c == ",":
                self.at += 1
                if out:
                    last = out[-1]
                    out[-1] = PsWord(last.parts, last.route, last.shown, comma=True)
                self.blanks(newlines=True)
                continue
            word = self.word()
            if word is None:
                self.at += 1
            else:
                out.append(word)

    def word(self) -> PsWord | None:
        start = self.at
        parts: list[Piece] = []
        while self.at < len(self.text):
            c = self.text[self.at]
            if c in " \t\r\n;|&)}," or (c in "<>" and self.at > start):
                break
            if c == "#" and self.at == start:
                break
            if c == "`":
                if re.match(r"`\r?\n", self.text[self.at : self.at + 3]):
                    break
                parts.append(Text(self._escape(), quoted=True))
            elif c in "'\u2018\u2019":
                parts.append(self._single())
            elif c in '"\u201c\u201d':
                parts.extend(self._double())
            elif self.text.startswith(('@"', "@'"), self.at) and self.at == start:
                parts.extend(self._here_string())
            elif c == "$" or (c == "@" and self.at == start):
                parts.append(self._dollar(c))
            elif c == "(":
                parts.append(self._group(self.at, self.at + 1))
            elif c == "{":
                here = self.at
                self.at += 1
                body = self.statements("}")
                parts.append(Other(self.shown(here), self.route(here), body))
            elif c == "[" and parts and isinstance(parts[-1], (Variable, Other, Group)):
                parts[-1] = self._member(parts[-1], "]")
            else:
                run = re.compile(r"[^\s;|&)},<>`'\"$({\[\u2018\u2019\u201c\u201d]+|\[").match(self.text, self.at)
                end = run.end() if run is not None else self.at + 1
                value = self.source.cut(self.at, end)
                if value.text.startswith(".") and parts and isinstance(parts[-1], Variable) and not parts[-1].quoted:
                    self.at = end
                    parts[-1] = Other(self.shown(start), self.route(start))
                    continue
                parts.append(Text(value))
                self.at = end
        if self.at == start:
            return None
        return PsWord(tuple(parts), self.route(start), self.shown(start))

    def _member(self, part: Piece, closing: str) -> Piece:
        start = self.at
        self.at += 1
        self.words(closing)
        self.at += 1
        shown = getattr(part, "shown", "") + self.shown(start)
        return Other(shown, getattr(part, "route", ()))

    def _escape(self) -> Traced:
        start = self.at
        letter = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        value = _ESCAPES.get(letter)
        if value is None:
            return self.source.cut(start + 1, start + 2)
        return literal(value).through(self.source.cut(start, start + 2).route)

    def _single(self) -> Text:
        out, self.at = EMPTY, self.at + 1
        start = self.at
        while True:
            if self.at >= len(self.text):
                raise self.fail("a single quote is not closed")
            if self.text[self.at] in "'\u2018\u2019":
                out += self.source.cut(start, self.at)
                self.at += 1
                if not self.text.startswith("'", self.at):
                    return Text(out, quoted=True)
                start = self.at
            self.at += 1

    def _double(self) -> list[Piece]:
        self.at += 1
        parts = self._expandable(lambda: self.text[self.at] in '"\u201c\u201d')
        if self.at >= len(self.text):
            raise self.fail("a double quote is not closed")
        self.at += 1
        return parts or [Text(EMPTY, quoted=True)]

    def _expandable(self, ends: "object") -> list[Piece]:
        assert callable(ends)
        parts: list[Piece] = []
        start = self.at
        while self.at < len(self.text):
            if ends():
                if self.text[self.at : self.at + 2] == '""':
                    parts.append(Text(self.source.cut(start, self.at + 1), quoted=True))
                    self.at += 2
                    start = self.at
                    continue
                break
            c = self.text[self.at]
            if c == "`":
                parts.append(Text(self.source.cut(start, self.at), quoted=True))
                parts.append(Text(self._escape(), quoted=True))
                start = self.at
            elif c == "$" and (self.text.startswith("$(", self.at) or _VARIABLE.match(self.text, self.at)):
                parts.append(Text(self.source.cut(start, self.at), quoted=True))
                parts.append(self._dollar("$", quoted=True))
                start = self.at
            else:
                self.at += 1
        parts.append(Text(self.source.cut(start, self.at), quoted=True))
        return [p for p in parts if not isinstance(p, Text) or p.value]

    def _here_string(self) -> list[Piece]:
        quote = self.text[self.at + 1]
        begin = self.text.find("\n", self.at)
        end = re.compile(rf"^{quote}@", re.MULTILINE).search(self.text, begin if begin >= 0 else self.at)
        if begin < 0 or end is None:
            raise self.fail("a here-string is not closed")
        stop = end.start() - 1
        self.at = begin + 1
        if quote == "'":
            parts: list[Piece] = [Text(self.source.cut(self.at, stop), quoted=True)]
        else:
            parts = self._expandable(lambda: self.at >= stop)
        self.at = end.end()
        return parts

    def _dollar(self, sign: str, quoted: bool = False) -> Piece:
        start = self.at
        text = self.text
        if text.startswith(("$(", "@("), start):
            return self._group(start, start + 2, quoted)
        if text.startswith("@{", start):
            self.at += 1
            self.at += 1
            self.statements("}")
            return Other(self.shown(start), self.route(start))
        found = _VARIABLE.match(text, start) if sign == "$" else re.compile(r"@(\w+)").match(text, start)
        if found is None:
            self.at += 1
            return Text(self.source.cut(start, self.at), quoted)
        self.at = found.end()
        if sign == "@":
            return Variable(found.group(1).lower(), False, self.shown(start), self.route(start), splat=True)
        return self._variable(found, start, quoted)

    def _variable(self, found: "re.Match[str]", start: int, quoted: bool) -> Variable:
        braced, scope, plain, special = found.groups()
        name = braced or plain or special or ""
        environment = (scope or "").lower() == "env:"
        if braced and braced.lower().startswith("env:"):
            environment, name = True, braced[4:]
        shown = found.group()
        route = self.source.cut(start, start + len(shown)).route
        return Variable(name if environment else name.lower(), environment, shown, route, quoted)

    def _group(self, start: int, inner: int, quoted: bool = False) -> Group:
        self.at = inner
        self.blanks(newlines=True)
        here = self.at
        items: tuple[PsWord, ...] = ()
        if self.text[here : here + 1] in ("'", '"', "$", "@"):
            items = self.words(")")
            self.at += 1
            body: tuple[Statement, ...] = ()
        else:
            body = self.statements(")")
        return Group(body, items, self.shown(start), self.route(start), quoted)


_KEYWORDS = {
    "if": "if",
    "foreach": "foreach",
    "for": "while",
    "while": "while",
    "do": "do",
    "switch": "switch",
    "try": "try",
    "function": "function",
    "filter": "function",
    "param": "param",
    "begin": "part",
    "process": "part",
    "end": "part",
    "return": "leave",
    "exit": "leave",
    "throw": "leave",
    "break": "leave",
    "continue": "leave",
}
