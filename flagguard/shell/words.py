"""Reading words: quotes, extended patterns, process substitutions (POSIX.1-2024 XCU 2.2, 2.3; bash manual 3.1.2).

Quote removal happens here, from the source, so that every literal keeps the place of each of its characters. The
grammar of commands is in ``parser``.
"""

from collections.abc import Callable

from flagguard.patterns import expression
from flagguard.shell.dollar import Expansions
from flagguard.shell.syntax import Lit, Part, ProcessSub, WordNode
from flagguard.text import Traced

_PLAIN = expression(r"[^\s'\"\\$`|&;()<>?*+@!]+")
_WHOLE = expression(r"[^\s'\"\\$`|&;()<>]++(?=[ \t\n;])")
"""A word in which nothing is quoted or expanded, as far as a blank or the end of the command."""
_DQ_PLAIN = expression(r'[^"\\$`]+')


class WordReader(Expansions):
    """Reads words."""

    def word(self) -> WordNode | None:
        """The word at the cursor; None where there is none."""
        start = self.at
        found = _WHOLE.match(self.text, start)
        if found is not None:
            whole = self.plain(start, found.end())
            if whole is not None:
                piece, route = whole
                self.at = found.end()
                return WordNode((Lit(Traced((piece,)), quoted=False),), route, piece.text)
        parts = self.parts_until(self._ends_word)
        if self.at == start:
            return None
        return WordNode(parts, self.route(start, self.at), self.show(start, self.at))

    def _ends_word(self) -> bool:
        c = self.text[self.at]
        if c in " \t\n|&;()":
            return True
        return c in "<>" and not (self.bash and self.text.startswith("(", self.at + 1))

    def parts_until(self, ends: Callable[[], bool]) -> tuple[Part, ...]:
        text, parts = self.text, list[Part]()
        size = len(text)
        run = self.at
        while self.at < size and not ends():
            c = text[self.at]
            plain = _PLAIN.match(text, self.at)
            if plain is not None:
                self.at = plain.end() if ends == self._ends_word else self._first_end(ends, plain.end())
                continue
            if c not in "\\'\"$`" and not (c in "<>?*+@!" and self.bash and text.startswith("(", self.at + 1)):
                self.at += 1
                continue
            if self.at > run:
                parts.append(Lit(self.cut(run, self.at), quoted=False))
            if c == "\\":
                self._escape(parts)
            elif c == "'":
                parts.append(self._single())
            elif c == '"':
                parts.extend(self.double())
            elif c == "$":
                parts.extend(self.dollar(quoted=False))
            elif c == "`":
                parts.append(self.backquoted(quoted=False))
            elif c in "<>":
                parts.append(self._process())
            else:
                self._extglob(parts)
            run = self.at
        if self.at > run:
            parts.append(Lit(self.cut(run, self.at), quoted=False))
        return tuple(parts)

    def _first_end(self, ends: Callable[[], bool], limit: int) -> int:
        """The first place from the cursor on, before ``limit``, where ``ends`` holds."""
        here = self.at
        for i in range(here + 1, limit):
            self.at = i
            if ends():
                limit = i
                break
        self.at = here
        return limit

    def _escape(self, parts: list[Part]) -> None:
        following = self.text[self.at + 1 : self.at + 2]
        if following == "\n":
            self.at += 2
        elif not following:
            if not self.bash:
                parts.append(Lit(self.cut(self.at, self.at + 1), quoted=True))
            self.at += 1
        else:
            parts.append(Lit(self.stands_for(following, self.at, self.at + 2), quoted=True))
            self.at += 2

    def _single(self) -> Lit:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise self.fail("a single quote is not closed")
        inner = self.cut(self.at + 1, end) or self.source.marks(end)
        lit = Lit(inner, quoted=True)
        self.at = end + 1
        return lit

    def double(self) -> list[Part]:
        """A double-quoted string; at least one part, so that ``""`` is a word."""
        start = self.at
        self.at += 1
        parts = self.quoted_until('"')
        if self.at >= len(self.text):
            raise self.fail("a double quote is not closed", start)
        self.at += 1
        return parts or [Lit(self.source.marks(start + 1), quoted=True)]

    def quoted_until(self, closing: str, escapable: str = '$`"\\') -> list[Part]:
        """Text under double-quote rules up to ``closing`` (or the end, where ``closing`` is empty)."""
        text, parts, size = self.text, list[Part](), len(self.text)
        while self.at < size:
            c = text[self.at]
            if closing and c == closing:
                break
            plain = _DQ_PLAIN.match(text, self.at)
            if plain is not None and not (closing and closing not in '"' and closing in plain.group()):
                parts.append(Lit(self.cut(self.at, plain.end()), quoted=True))
                self.at = plain.end()
            elif not self.quoted_special(parts, escapable):
                parts.append(Lit(self.cut(self.at, self.at + 1), quoted=True))
                self.at += 1
        return parts

    def _extglob(self, parts: list[Part]) -> None:
        """``@(a|b)``: the pattern stays text, what is quoted in it stays quoted."""
        start = self.at
        self.deeper()
        parts.append(Lit(self.cut(start, start + 2), quoted=False))
        self.at += 2

        def ends() -> bool:
            return self.text[self.at] == ")"

        while True:
            parts.extend(self.parts_until(ends))
            if self.at >= len(self.text):
                raise self.fail("an extended pattern is not closed", start)
            break
        parts.append(Lit(self.cut(self.at, self.at + 1), quoted=False))
        self.at += 1
        self.depth -= 1

    def _process(self) -> ProcessSub:
        start = self.at
        self.at += 2
        body = self.command_list(")")
        return ProcessSub(body, self.show(start, self.at), self.route(start, self.at))
