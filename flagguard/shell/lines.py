"""Reading lines: blanks, comments, newlines, reserved words, here-documents (POSIX.1-2024 XCU 2.3, 2.4, 2.7.4)."""

from flagguard.patterns import expression
from flagguard.shell.syntax import Lit, Part, Redirect, Simple, WordNode
from flagguard.shell.words import WordReader
from flagguard.text import Traced, compact, join

_BLANK = expression(r"(?:[ \t]|\\\n)+")
_RESERVED = expression(
    r"(if|then|else|elif|fi|do|done|case|esac|while|until|for|select|function|in|time|coproc|\[\[|[{}!])(?=[\s;&|()<>]|$)"
)
_SKIPPED = frozenset(" \t\\#")
_BEGINS = frozenset("itefdcwusn[{!}")
"""What a reserved word begins with."""
_BASH_ONLY = frozenset({"select", "function", "time", "coproc", "[["})


class LineReader(WordReader):
    """Reads what stands between words."""

    def __init__(self, source: Traced, bash: bool, depth: int = 0, found: list[Simple] | None = None) -> None:
        super().__init__(source, bash, depth, found)
        self._pending: list[Redirect] = []

    def expects(self, redirect: Redirect) -> None:
        """A here-document whose body begins at the next line."""
        self._pending.append(redirect)

    def blanks(self) -> None:
        """Skip blanks, joined lines and a comment."""
        if self.text[self.at : self.at + 1] not in _SKIPPED:
            return
        found = _BLANK.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        if self.text.startswith("#", self.at):
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end

    def newline(self) -> None:
        self.at += 1
        if self._pending:
            waiting, self._pending = self._pending, []
            for redirect in waiting:
                self._here_document(redirect)

    def skip_newlines(self) -> None:
        while True:
            self.blanks()
            if not self.text.startswith("\n", self.at):
                return
            self.newline()

    def reserved(self) -> str | None:
        if self.text[self.at : self.at + 1] not in _BEGINS:
            return None
        found = _RESERVED.match(self.text, self.at)
        if found is None or (not self.bash and found.group(1) in _BASH_ONLY):
            return None
        return found.group(1)

    def expect(self, word: str) -> None:
        self.skip_newlines()
        if self.reserved() != word:
            raise self.fail(f"{word!r} is missing")
        self.at += len(word)

    def _here_document(self, redirect: Redirect) -> None:
        """XCU 2.7.4. The body ends at the delimiter's line, or at the end of the text."""
        text, strip = self.text, redirect.op == "<<-"
        lines: list[Traced] = []
        while self.at < len(text):
            end = text.find("\n", self.at)
            stop = len(text) if end < 0 else end
            start = self.at
            if strip:
                while text.startswith("\t", start):
                    start += 1
            line = text[start:stop]
            # A line joined to the one before it cannot be the delimiter.
            joined = bool(lines) and not redirect.raw and _joins(lines[-1].text)
            self.at = min(stop + 1, len(text))
            if line == redirect.delimiter and not joined:
                break
            lines.append(self.cut(start, self.at))
        body = Traced(compact(join(lines).pieces))
        if redirect.raw:
            parts: tuple[Part, ...] = (Lit(body, quoted=True),)
        else:
            parts = tuple(self.nested(body).quoted_until("", "$`\\"))
        redirect.target = WordNode(parts, body.route, body.shown)


def _joins(line: str) -> bool:
    body = line.rstrip("\n")
    return (len(body) - len(body.rstrip("\\"))) % 2 == 1
