"""Reading words: quotes, expansions, here-document bodies (POSIX.1-2024 XCU 2.2, 2.3, 2.6; bash manual 3.1.2, 3.5).

Quote removal happens here, from the source, so that every literal keeps the place of each of its characters. The
grammar of commands is in ``parser``; expansions are only read, not made.
"""

import re
from collections.abc import Callable

from flagguard.shell.syntax import (
    ArithmeticSub,
    CommandSub,
    ListNode,
    Lit,
    Param,
    Part,
    ProcessSub,
    ShellSyntaxError,
    WordNode,
)
from flagguard.text import EMPTY, HOLE_MARK, Piece, Route, Traced, join, literal

MAX_DEPTH = 60
"""Nested constructs; no build script needs more, and the interpreter's stack is finite."""

_PLAIN = re.compile(r"[^\s'\"\\$`|&;()<>?*+@!]+")
_NOT_BLANK_OR_META = re.compile(r"[^ \t\n|&;()<>]")
_DQ_PLAIN = re.compile(r'[^"\\$`]+')
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SPECIAL = re.compile(r"[0-9]|[@*#?$!_-]")
_PARAM_OP = re.compile(r":?[-=?+]|##?|%%?|//?|\^\^?|,,?|@|:")
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
_ANSI_CODE = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.))", re.DOTALL
)


class WordReader:
    """A cursor over traced text that reads words. ``bash`` off: only what POSIX sh knows is special."""

    def __init__(self, source: Traced, bash: bool, depth: int = 0) -> None:
        self.source = source
        self.text = source.text
        self.at = 0
        self.bash = bash
        self.depth = depth
        only = source.pieces[0] if len(source.pieces) == 1 else None
        self._whole = only if only is not None and only.verbatim and only.hole is None else None

    # -- places

    def cut(self, start: int, end: int) -> Traced:
        if self._whole is not None:
            if start >= end:
                return EMPTY
            return Traced((self._whole.cut(start, end),))
        return self.source.cut(start, end)

    def route(self, start: int, end: int) -> Route:
        if self._whole is not None:
            own = self._whole.route
            return (*own[:-1], own[-1].cut(start, end))
        return self.source.cut(start, end).route

    def show(self, start: int, end: int) -> str:
        return self.text[start:end] if self._whole is not None else self.source.cut(start, end).shown

    def fail(self, message: str, offset: int | None = None) -> ShellSyntaxError:
        return ShellSyntaxError(message, self.at if offset is None else offset)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.fail(f"constructs are nested more than {MAX_DEPTH} deep")

    def command_list(self, closing: str) -> ListNode:
        """The commands up to ``closing``; the grammar's part."""
        raise NotImplementedError

    def parse_nested(self, source: Traced) -> ListNode:
        """The commands of a text of their own (backquotes); the grammar's part."""
        raise NotImplementedError

    # -- words

    def word(self) -> WordNode | None:
        """The word at the cursor; None where there is none."""
        start = self.at
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
            if c not in "\\'\"$`<>" and not (c in "?*+@!" and self.bash and text.startswith("(", self.at + 1)):
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
                parts.append(self._backquoted(quoted=False))
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
            parts.append(Lit(self._stands_for(following, self.at, self.at + 2), quoted=True))
            self.at += 2

    def _stands_for(self, text: str, start: int, end: int) -> Traced:
        """``text`` as what characters ``start`` to ``end`` stand for."""
        if text == HOLE_MARK:
            return self.cut(end - 1, end)
        return Traced((Piece(text, self.route(start, end)),)) if text else EMPTY

    def _single(self) -> Lit:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise self.fail("a single quote is not closed")
        lit = Lit(self.cut(self.at + 1, end), quoted=True)
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
        return parts or [Lit(EMPTY, quoted=True)]

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
            elif c == "\\":
                following = text[self.at + 1 : self.at + 2]
                if following == "\n":
                    self.at += 2
                elif following and following in escapable:
                    parts.append(Lit(self._stands_for(following, self.at, self.at + 2), quoted=True))
                    self.at += 2
                else:
                    parts.append(Lit(self.cut(self.at, self.at + 1), quoted=True))
                    self.at += 1
            elif c == "$":
                parts.extend(self.dollar(quoted=True))
            elif c == "`":
                parts.append(self._backquoted(quoted=True))
            else:
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

    # -- $ and backquotes

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
            end = self._closing("]", start + 2)
            if end is not None:
                return [self._expression(start, start + 2, end, end + 1, quoted)]
        name = _NAME.match(text, start + 1) or _SPECIAL.match(text, start + 1)
        if name is None:
            self.at += 1
            return [Lit(self.cut(start, start + 1), quoted=quoted)]
        self.at = name.end()
        return [Param(name.group(), name.group(0) and f"${name.group()}", self.route(start, self.at), quoted)]

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
                    value = chr(number) if number < 0x110000 else ""
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
                out.append(self._stands_for(value, here, self.at))
            run = self.at
        if self.at >= len(text):
            raise self.fail("a $' string is not closed", start)
        out.append(self.cut(run, self.at))
        self.at += 1
        return Lit(join(out), quoted=True)

    def _closing(self, closing: str, at: int) -> int | None:
        """Where ``closing`` stands that answers an opening before ``at``; quotes and parentheses are balanced."""
        text, depth = self.text, 0
        opening = {")": "(", "]": "[", "}": "{"}[closing]
        while at < len(text):
            c = text[at]
            if c == "\\":
                at += 1
            elif c == "'" and closing == "}":
                end = text.find("'", at + 1)
                at = end if end > 0 else at
            elif c == opening:
                depth += 1
            elif c == closing:
                if depth == 0:
                    return at
                depth -= 1
            at += 1
        return None

    def arithmetic_end(self, at: int) -> int | None:
        """Where the ``))`` stands that ends the expression from ``at`` on; None where it is no expression."""
        end = self._closing(")", at)
        if end is None or not self.text.startswith("))", end):
            return None
        return end

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

    def nested(self, source: Traced) -> "WordReader":
        """A reader of the same kind over another text."""
        return type(self)(source, self.bash, self.depth)

    def _braced(self, start: int, quoted: bool) -> Param:
        """``${…}``, the cursor behind the brace."""
        text = self.text
        self.deeper()
        length = indirect = False
        if text.startswith("#", self.at) and not re.match(r"#(?:\}|:?[-=?+]|[#%/])", text[self.at : self.at + 3]):
            length = True
            self.at += 1
        elif self.bash and text.startswith("!", self.at) and re.match(r"[A-Za-z_0-9]|[#@*]\}", text[self.at + 1 :]):
            indirect = True
            self.at += 1
        name = _NAME.match(text, self.at) or re.compile(r"[0-9]+|[@*#?$!_-]").match(text, self.at)
        if name is None:
            raise self.fail("bad substitution", start)
        self.at = name.end()
        index = None
        if text.startswith("[", self.at) and self.bash:
            close = self._closing("]", self.at + 1)
            if close is None:
                raise self.fail("bad substitution", start)
            index = self._index(self.at + 1, close)
            self.at = close + 1
        op, argument, second = "", None, None
        if indirect and text[self.at : self.at + 2] in ("*}", "@}"):
            op = "prefix"
            self.at += 1
        elif not text.startswith("}", self.at):
            found = _PARAM_OP.match(text, self.at)
            if found is None or length:
                raise self.fail("bad substitution", start)
            op = found.group()
            self.at = found.end()
            argument, second = self._arguments(op, quoted, start)
        if not text.startswith("}", self.at):
            raise self.fail("bad substitution", start)
        self.at += 1
        self.depth -= 1
        return Param(
            name.group(),
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

    def _index(self, start: int, end: int) -> WordNode:
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

    def _quoted_run(self, closing: str) -> list[Part]:
        """Double-quote rules up to one of ``closing`` or a double quote."""
        text, parts = self.text, list[Part]()
        while self.at < len(text) and text[self.at] not in closing and text[self.at] != '"':
            c = text[self.at]
            if c == "\\":
                following = text[self.at + 1 : self.at + 2]
                if following == "\n":
                    self.at += 2
                elif following and following in '$`"\\}':
                    parts.append(Lit(self._stands_for(following, self.at, self.at + 2), quoted=True))
                    self.at += 2
                else:
                    parts.append(Lit(self.cut(self.at, self.at + 1), quoted=True))
                    self.at += 1
            elif c == "$":
                parts.extend(self.dollar(quoted=True))
            elif c == "`":
                parts.append(self._backquoted(quoted=True))
            else:
                end = self.at + 1
                while end < len(text) and text[end] not in closing and text[end] not in '"\\$`':
                    end += 1
                parts.append(Lit(self.cut(self.at, end), quoted=True))
                self.at = end
        return parts

    def _backquoted(self, quoted: bool) -> CommandSub:
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


def plain_word(text: str) -> WordNode:
    """A literal word that no file says."""
    return WordNode((Lit(literal(text), quoted=True),), (), text)
