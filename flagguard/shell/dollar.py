"""Reading expansions: ``$V``, ``${…}``, ``$(…)``, ``$((…))``, ``$'…'``, backquotes (POSIX.1-2024 XCU 2.2.4, 2.6).

They are only read, not made. Words are read in ``words``, which this is the lower half of.
"""

import re
from collections.abc import Callable
from typing import Self

from flagguard.patterns import expression
from flagguard.shell.cursor import Cursor
from flagguard.shell.syntax import (
    BAD,
    ArithmeticSub,
    CommandSub,
    ListNode,
    Lit,
    Param,
    Part,
    ShellSyntaxError,
    WordNode,
)
from flagguard.text import Traced, join, literal

_NAME = expression(r"[A-Za-z_](?:[A-Za-z0-9_]|(?:\\\n)+(?=[A-Za-z0-9_]))*")
"""A name; a joined line inside it is not part of it."""
_SPECIAL = expression(r"[0-9]|[@*#?$!_-]")
_BRACED_NAME = expression(r"[A-Za-z_](?:[A-Za-z0-9_]|(?:\\\n)+(?=[A-Za-z0-9_]))*|[0-9]+|[@*#?$!_-]")
_NO_LENGTH = expression(r"#(?:\}|:?[-=?+]|[#%/])")
_INDIRECT = expression(r"![A-Za-z_0-9]|![#@*]\}")
_PARAM_OP = expression(r":?[-=?+]|##?|%%?|//?|\^\^?|,,?|@|:")
_REFUSED = "bad substitution"
_ANSI = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}
_ANSI_CODE = expression(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.))", re.DOTALL
)


class Expansions(Cursor):
    """Reads what begins with a dollar or a backquote."""

    def command_list(self, closing: str) -> ListNode:
        """The commands up to ``closing``; the grammar's part."""
        raise NotImplementedError

    def parse_nested(self, source: Traced) -> ListNode:
        """The commands of a text of their own (backquotes); the grammar's part."""
        raise NotImplementedError

    def parts_until(self, ends: Callable[[], bool]) -> tuple[Part, ...]:
        """The parts of a word up to where ``ends`` holds; the words' part."""
        raise NotImplementedError

    def double(self) -> list[Part]:
        """A double-quoted string; the words' part."""
        raise NotImplementedError

    def quoted_until(self, closing: str, escapable: str = '$`"\\') -> list[Part]:
        """Text under double-quote rules up to ``closing``; the words' part."""
        raise NotImplementedError

    def nested(self, source: Traced) -> Self:
        """A reader of the same kind over another text."""
        return type(self)(source, self.bash, self.depth, self.found)

    def dollar(self, quoted: bool) -> list[Part]:
        text, start = self.text, self.at
        following = text[start + 1 : start + 2]
        if following == "(":
            if text.startswith("((", start + 1):
                arithmetic = self._arithmetic(start, quoted)
                if arithmetic is not None:
                    return [arithmetic]
            self.at = start + 2
            body = self.command_list(")")
            return [CommandSub(body, self.show(start, self.at), self.route(start, self.at), quoted)]
        if following == "{":
            self.at = start + 2
            return [self._braced(start, quoted)]
        if following == "'" and not quoted and self.bash:
            return [self._ansi()]
        if following == '"' and not quoted and self.bash:
            self.at += 1
            return self.double()
        if following == "[" and self.bash:
            end = self.closing("]", start + 2)
            if end is not None:
                return [self._expression(start, start + 2, end, end + 1, quoted)]
        name = _NAME.match(text, start + 1) or _SPECIAL.match(text, start + 1)
        if name is None:
            self.at += 1
            return [Lit(self.cut(start, start + 1), quoted=quoted)]
        self.at = name.end()
        joined = _joined(name)
        return [Param(joined, f"${joined}", self.route(start, self.at), quoted)]

    def _ansi(self) -> Lit:
        """``$'…'`` (bash manual 3.1.2.4)."""
        text, start = self.text, self.at
        self.at += 2
        out = []
        run = self.at
        while self.at < len(text) and text[self.at] != "'":
            if text[self.at] != "\\":
                self.at += 1
                continue
            out.append(self.cut(run, self.at))
            here = self.at
            code = _ANSI_CODE.match(text, here)
            if code is not None:
                x, u, wide, octal, control = code.groups()
                if control is not None:
                    value = chr(ord(control) & 31)
                else:
                    number = int(octal, 8) & 255 if octal else int(x or u or wide, 16)
                    value = literal(chr(number)).text if number < 0x110000 else ""
                    if (x or octal) and number > 127:
                        value = chr(0xDC00 + number)
                self.at = code.end()
            else:
                letter = text[here + 1 : here + 2]
                value = _ANSI.get(letter, "\\" + letter)
                self.at = here + 2
            if value == "\0":
                end = text.find("'", self.at)
                while end > 0 and text[end - 1] == "\\":
                    end = text.find("'", end + 1)
                self.at = end if end >= 0 else len(text)
            else:
                out.append(self.stands_for(value, here, self.at))
            run = self.at
        if self.at >= len(text):
            raise self.fail("a $' string is not closed", start)
        out.append(self.cut(run, self.at))
        self.at += 1
        return Lit(join(out), quoted=True)

    def _arithmetic(self, start: int, quoted: bool) -> ArithmeticSub | None:
        end = self.arithmetic_end(start + 3)
        if end is None:
            return None
        return self._expression(start, start + 3, end, end + 2, quoted)

    def _expression(self, start: int, inner: int, inner_end: int, end: int, quoted: bool) -> ArithmeticSub:
        node = self.expression(inner, inner_end)
        self.at = end
        return ArithmeticSub(node, self.show(start, end), self.route(start, end), quoted)

    def expression(self, start: int, end: int) -> WordNode:
        """The expansions of an arithmetic expression, which are those of a double-quoted string."""
        self.deeper()
        reader = self.nested(self.cut(start, end))
        parts = tuple(reader.quoted_until(""))
        self.depth -= 1
        return WordNode(parts, self.route(start, end), self.show(start, end))

    def _braced(self, start: int, quoted: bool) -> Param:
        """``${…}``, the cursor behind the brace; one that is no expansion is only refused where it is to be made."""
        begun, depth = self.at, self.depth
        try:
            return self._expansion(start, quoted)
        except ShellSyntaxError as error:
            if error.message != _REFUSED:
                raise
        self.at, self.depth = begun, depth
        self.deeper()
        self._argument("}", quoted)
        if not self.text.startswith("}", self.at):
            raise self.fail(f"{_REFUSED}: the brace is not closed", start)
        self.at += 1
        self.depth -= 1
        if not self.cut(start, self.at).known:
            raise self.fail(_REFUSED, start)
        return Param("", self.show(start, self.at), self.route(start, self.at), quoted, BAD)

    def _expansion(self, start: int, quoted: bool) -> Param:
        """As bash has it: many an sh is one, and dash refuses what it does not know only where it meets it."""
        text = self.text
        self.deeper()
        length = indirect = False
        if text.startswith("#", self.at) and not _NO_LENGTH.match(text, self.at):
            length = True
            self.at += 1
        elif _INDIRECT.match(text, self.at):
            indirect = True
            self.at += 1
        name = _BRACED_NAME.match(text, self.at)
        if name is None:
            raise self.fail(_REFUSED, start)
        self.at = name.end()
        index = None
        if text.startswith("[", self.at):
            close = self.closing("]", self.at + 1)
            if close is None:
                raise self.fail(_REFUSED, start)
            index = self.index(self.at + 1, close)
            self.at = close + 1
        op, argument, second = "", None, None
        if indirect and text[self.at : self.at + 2] in ("*}", "@}"):
            op = "prefix"
            self.at += 1
        elif not text.startswith("}", self.at):
            found = _PARAM_OP.match(text, self.at)
            if found is None or length:
                raise self.fail(_REFUSED, start)
            op = found.group()
            self.at = found.end()
            argument, second = self._arguments(op, quoted, start)
        if not text.startswith("}", self.at):
            raise self.fail(_REFUSED, start)
        self.at += 1
        self.depth -= 1
        return Param(
            _joined(name),
            self.show(start, self.at),
            self.route(start, self.at),
            quoted,
            op,
            argument,
            second,
            index,
            length,
            indirect,
        )

    def index(self, start: int, end: int) -> WordNode:
        reader = self.nested(self.cut(start, end))
        parts = reader.parts_until(lambda: False)
        return WordNode(parts, self.route(start, end), self.show(start, end))

    def _arguments(self, op: str, quoted: bool, start: int) -> tuple[WordNode | None, WordNode | None]:
        if op in ("/", "//"):
            first = self._argument("/}", False, op == "//" and self.text.startswith("/", self.at))
            second = None
            if self.text.startswith("/", self.at):
                self.at += 1
                second = self._argument("}", False)
            return first, second
        if op == ":":
            first = self._argument(":}", True)
            second = None
            if self.text.startswith(":", self.at):
                self.at += 1
                second = self._argument("}", True)
            return first, second
        return self._argument("}", quoted and op[-1] in "-=?+"), None

    def _argument(self, closing: str, quoted: bool, slash: bool = False) -> WordNode:
        """``slash``: the pattern begins with one."""
        start = self.at
        if quoted:
            parts = list[Part]()
            while self.at < len(self.text) and self.text[self.at] not in closing:
                if self.text[self.at] == '"':
                    # Quotes inside "${…}" quote again (bash) or end the quoting (dash): nothing splits either way.
                    parts.extend(self.double())
                else:
                    before = self.at
                    parts.extend(self._quoted_run(closing))
                    if self.at == before:
                        break
            return WordNode(tuple(parts), self.route(start, self.at), self.show(start, self.at))
        first: tuple[Part, ...] = ()
        if slash:
            first = (Lit(self.cut(start, start + 1), quoted=False),)
            self.at += 1
        rest = self.parts_until(lambda: self.text[self.at] in closing)
        if self.at >= len(self.text):
            raise self.fail("bad substitution: the brace is not closed", start)
        return WordNode((*first, *rest), self.route(start, self.at), self.show(start, self.at))

    def quoted_special(self, parts: list[Part], escapable: str) -> bool:
        """A backslash, ``$`` or backquote under double-quote rules (XCU 2.2.3); False where none is at the cursor."""
        c = self.text[self.at]
        if c == "$":
            parts.extend(self.dollar(quoted=True))
        elif c == "`":
            parts.append(self.backquoted(quoted=True))
        elif c == "\\":
            following = self.text[self.at + 1 : self.at + 2]
            if following == "\n":
                self.at += 2
            elif following and following in escapable:
                parts.append(Lit(self.stands_for(following, self.at, self.at + 2), quoted=True))
                self.at += 2
            else:
                parts.append(Lit(self.cut(self.at, self.at + 1), quoted=True))
                self.at += 1
        else:
            return False
        return True

    def _quoted_run(self, closing: str) -> list[Part]:
        """Double-quote rules up to one of ``closing`` or a double quote."""
        text, parts = self.text, list[Part]()
        while self.at < len(text) and text[self.at] not in closing and text[self.at] != '"':
            if not self.quoted_special(parts, '$`"\\}'):
                end = self.at + 1
                while end < len(text) and text[end] not in closing and text[end] not in '"\\$`':
                    end += 1
                parts.append(Lit(self.cut(self.at, end), quoted=True))
                self.at = end
        return parts

    def backquoted(self, quoted: bool) -> CommandSub:
        r"""`…`: ``\$``, ``\\`` and ``\``` lose their backslash, inside double quotes ``\"`` too (XCU 2.6.3)."""
        text, start = self.text, self.at
        self.at += 1
        out, run = [], self.at
        drops = '$`\\"' if quoted else "$`\\"
        while self.at < len(text) and text[self.at] != "`":
            if text[self.at] == "\\" and text[self.at + 1 : self.at + 2] and text[self.at + 1] in drops:
                out.append(self.cut(run, self.at))
                run = self.at + 1
                self.at += 2
            else:
                self.at += 1
        if self.at >= len(text):
            raise self.fail("a backquote is not closed", start)
        out.append(self.cut(run, self.at))
        self.at += 1
        self.deeper()
        body = self.parse_nested(join(out))
        self.depth -= 1
        return CommandSub(body, self.show(start, self.at), self.route(start, self.at), quoted)


def _joined(name: "re.Match[str]") -> str:
    return name.group().replace("\\\n", "")
