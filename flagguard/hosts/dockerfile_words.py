"""How a Dockerfile's builder reads words: quotes, escapes and the variables that it replaces itself.

Follows "Environment replacement" in https://docs.docker.com/reference/dockerfile/ and, where that is silent, buildkit's
frontend/dockerfile/shell/lex.go. Which instruction expands what is not known here.
"""

import re
from collections.abc import Callable
from functools import cache

from flagguard.text import EMPTY, Hole, Piece, Traced, hole, join

Lookup = Callable[[str], Traced | None]
"""The value of a variable; None where it is not set."""


_MOST_PIECES = 2000
_LONGEST = 100_000
"""What a value may come to: `ENV A=$A$A` doubles it."""


class WordError(ValueError):
    """A text that the builder refuses, and why."""


def expand(text: Traced, lookup: Lookup, escape: str = "\\", quotes: bool = True) -> Traced:
    """The text with its variables replaced and, with ``quotes``, its quotes and escapes removed."""
    if not (set(text.text) & {"$", "'", '"', escape}):
        return text
    found = _Lexer(text, lookup, escape, removes_quotes=True, sees_quotes=quotes).run()[0]
    if len(found.pieces) > _MOST_PIECES or len(found.text) > _LONGEST:
        raise WordError("its value is too long to be followed")
    return found


def split(
    text: Traced,
    lookup: Lookup,
    escape: str = "\\",
    raw: bool = False,
    raw_escapes: bool = False,
    keeps_unset: bool = False,
) -> list[Traced]:
    """The words of the text after replacement. ``raw``: quotes stay in them."""
    return _Lexer(text, lookup, escape, not raw, keeps_unset=keeps_unset, raw_escapes=raw_escapes).run()[1]


class _Words:
    """Collects words as the text goes by."""

    def __init__(self) -> None:
        self.done: list[Traced] = []
        self._parts: list[Traced] = []
        self._inside = False

    def plain(self, text: Traced) -> None:
        """Text whose blanks part words."""
        run = 0
        for at, char in enumerate(text.text):
            if char.isspace():
                if self._inside or at > run:
                    self.quoted(text.cut(run, at))
                    if any(part.text for part in self._parts):
                        self.done.append(join(self._parts))
                        self._parts, self._inside = [], False
                run = at + 1
        if run < len(text.text):
            self.quoted(text.cut(run, len(text.text)))

    def quoted(self, text: Traced) -> None:
        self._parts.append(text)
        self._inside = True

    def finish(self) -> list[Traced]:
        if any(part.text for part in self._parts):
            self.done.append(join(self._parts))
        return self.done


class _Lexer:
    """One text on its way."""

    def __init__(
        self,
        text: Traced,
        lookup: Lookup,
        escape: str,
        removes_quotes: bool,
        sees_quotes: bool = True,
        keeps_unset: bool = False,
        raw_escapes: bool = False,
    ) -> None:
        self.traced = text
        self.text = text.text
        self.lookup = lookup
        self.escape = escape
        self.removes_quotes = removes_quotes
        self.sees_quotes = sees_quotes
        self.keeps_unset = keeps_unset
        self.raw_escapes = raw_escapes
        self.at = 0
        self.depth = 0

    def run(self) -> tuple[Traced, list[Traced]]:
        return self._until(None, self.raw_escapes)

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def take(self) -> Traced:
        self.at += 1
        return self.traced.cut(self.at - 1, self.at)

    def _until(self, stop: str | None, raw_escapes: bool) -> tuple[Traced, list[Traced]]:
        before, self.raw_escapes = self.raw_escapes, raw_escapes
        self.depth += 1
        if self.depth > 40:
            raise WordError("its substitutions are nested too deeply")
        out: list[Traced] = []
        words = _Words()
        size = len(self.text)
        while self.at < size:
            char = self.text[self.at]
            if char == stop:
                self.at += 1
                break
            if char == "$":
                part = self._dollar()
                out.append(part)
                words.plain(part)
            elif char == "<":
                part = self._heredoc()
                out.append(part)
                words.quoted(part)
            elif self.sees_quotes and char in "'\"":
                part = self._single() if char == "'" else self._double()
                out.append(part)
                words.quoted(part)
            elif char == self.escape:
                mark = self.take()
                if self.raw_escapes:
                    words.quoted(mark)
                    out.append(mark)
                if self.at < size:
                    part = self.take()
                    words.quoted(part)
                    out.append(part)
            else:
                run = self.at
                while self.at < size and self.text[self.at] not in ("$", "<", "'", '"', self.escape, stop):
                    self.at += 1
                if self.at == run:
                    self.at += 1
                part = self.traced.cut(run, self.at)
                out.append(part)
                words.plain(part)
        else:
            if stop is not None:
                raise WordError(f"{stop} is missing")
        self.raw_escapes = before
        self.depth -= 1
        return join(out), words.finish()

    def _heredoc(self) -> Traced:
        run = self.at
        self.at += 1
        if self.peek() == "<":
            self.at += 1
            while self.peek() in ("\t", "\r", " "):
                self.at += 1
        return self.traced.cut(run, self.at)

    def _single(self) -> Traced:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise WordError("a single quote is not closed")
        start, self.at = self.at, end + 1
        return self.traced.cut(start + 1, end) if self.removes_quotes else self.traced.cut(start, end + 1)

    def _double(self) -> Traced:
        out: list[Traced] = []
        mark = self.take()
        if not self.removes_quotes:
            out.append(mark)
        while True:
            char = self.peek()
            if not char:
                raise WordError("a double quote is not closed")
            if char == '"':
                mark = self.take()
                return join([*out, mark] if not self.removes_quotes else out)
            if char == "$":
                out.append(self._dollar())
                continue
            part = self.take()
            if char == self.escape:
                if self.raw_escapes:
                    out.append(part)
                if not self.peek():
                    continue
                if self.peek() in ('"', "$", self.escape):
                    part = self.take()
            out.append(part)

    # -- variables ----------------------------------------------------------------------------------------------------

    def _dollar(self) -> Traced:
        start = self.at
        self.at += 1
        if self.peek() != "{":
            name = self._name()
            if not name:
                return self.traced.cut(start, self.at)
            return self._value(name, start)
        self.at += 1
        if self.peek() in ("", "{", "}", ":"):
            raise WordError("a substitution names no variable" if self.peek() else "} is missing")
        name = self._name()
        sign = self.peek()
        self.at += 1
        if sign == "}":
            return self._value(name, start)
        if sign == "/":
            return self._replaced(name, start)
        orless = sign == ":"
        if orless:
            sign = self.peek()
            self.at += 1
        if not sign or sign not in "+-?#%" or (orless and sign in "#%"):
            raise WordError(f"it has a substitution that is unknown: {self.text[start : self.at]}")
        inner = self._until("}", sign in "#%")[0]
        value = self.lookup(name)
        if value is None and self.keeps_unset:
            return self.traced.cut(start, self.at)
        empty = value is None or (orless and not value.text)
        if sign == "-":
            if value is not None and not empty:
                return self._through(value, start)
            return (inner or _vanished(name)).overridable()
        if sign == "+":
            return EMPTY if empty else inner
        if sign == "?":
            if value is None or empty:
                raise WordError(f"{name}: {inner.shown or ('is empty' if value is not None else 'is not set')}")
            return self._through(value, start)
        return self._through(self._trimmed(value or EMPTY, inner.text, sign, start), start)

    def _name(self) -> str:
        start = self.at
        first = self.peek()
        if first.isdigit():
            while self.peek().isdigit():
                self.at += 1
        elif first and first in "@*#?-$!0":
            self.at += 1
        else:
            while (char := self.peek()) and (char.isalpha() or char.isdigit() or char == "_"):
                self.at += 1
        return self.text[start : self.at]

    def _value(self, name: str, start: int) -> Traced:
        value = self.lookup(name)
        if value is None:
            return self.traced.cut(start, self.at) if self.keeps_unset else self._through(_vanished(name), start)
        return self._through(value, start)

    def _through(self, value: Traced, start: int) -> Traced:
        return value.through(self.traced.cut(start, self.at).route)

    def _gap(self, start: int) -> Traced:
        shown = self.text[start : self.at]
        return hole(Hole(shown, "it is cut from a value that is not known"))

    def _trimmed(self, value: Traced, pattern: str, sign: str, start: int) -> Traced:
        greedy = pattern.startswith(sign)
        pattern = pattern[1:] if greedy else pattern
        if not value.known:
            return self._gap(start)
        text = value.text
        if sign == "#":
            found = _regex(pattern, greedy, True).search(text)
            return value.cut(found.end(), len(text)) if found else value
        found = _regex(_reversed(pattern), greedy, True).search(text[::-1])
        return value.cut(0, len(text) - found.end()) if found else value

    def _replaced(self, name: str, start: int) -> Traced:
        every = self.peek() == "/"
        if every:
            self.at += 1
        pattern = self._until("/", True)[0].text
        replacement = self._until("}", True)[0]
        value = self.lookup(name)
        if value is None and self.keeps_unset:
            return self.traced.cut(start, self.at)
        regex = _regex(pattern, True, False)
        if value is None:
            return self._through(_vanished(name), start)
        if not value.known:
            return self._through(self._gap(start), start)
        parts, at = [], 0
        for found in regex.finditer(value.text):
            parts += [value.cut(at, found.start()), replacement]
            at = found.end()
            if not every:
                break
        return self._through(join([*parts, value.cut(at, len(value.text))]), start)


def _vanished(name: str) -> Traced:
    return Traced((Piece("", unset=name),))


@cache
def _regex(pattern: str, greedy: bool, anchored: bool) -> re.Pattern[str]:
    """A pattern of `*` and `?` as an expression."""
    out = ["^"] if anchored else []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if char == "*":
            out.append(".*" if greedy else ".*?")
        elif char == "?":
            out.append(".")
        elif char == "\\":
            following = pattern[at : at + 1]
            if following and following in "}/":
                continue  # escaped for the substitution, not for the pattern
            at += 1
            if not following or following not in "*?\\":
                raise WordError(f"the pattern {pattern} has an escape that is unknown")
            out.append(re.escape(following))
        else:
            out.append(re.escape(char))
    return re.compile("".join(out))


def _reversed(pattern: str) -> str:
    """The pattern read backwards, its escapes kept together."""
    return "".join(reversed(re.findall(r"\\.|.", pattern, re.DOTALL)))
