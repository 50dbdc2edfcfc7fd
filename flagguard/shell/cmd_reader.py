"""The syntax of cmd.exe: commands, operators, blocks, `if`, `for` (Microsoft's pages for `cmd`, `if`, `for`, `rem`).

A command is read line by line, and each line has its percent signs replaced when it is read: all of a block is read
before any of it runs. What a line means is `cmd`'s part.
"""

from collections.abc import Callable

from flagguard.patterns import expression
from flagguard.shell.cmd_words import keep
from flagguard.shell.syntax import ShellSyntaxError
from flagguard.text import Hole, Traced, hole, join
from flagguard.values import dataclass

_SPECIAL = expression(r'["^&|<>()\r\n]')
_PLAIN_SPECIAL = expression(r'["^&|<>\r\n]')
_REDIRECT = expression(r"(?:>>?|<)(?:&[0-9])?")
_WORD = expression(r"@*([A-Za-z]+)(?![\w$.\\-])")
_NOT = expression(r"not(?=\s)", 2)
_TEST = expression(r"(exist|defined|errorlevel|cmdextversion)(?=[\s\"])", 2)
_COMPARE = expression(r"\s*(==)\s*|\s*(equ|neq|lss|leq|gtr|geq)\s+", 2)
_OPERAND = expression(r'(?:"[^"]*"?|\^.|[^\s"=,;()&|<>])+')
_ELSE = expression(r"else(?=[\s(]|$)", 2)
_FOR = expression(r"for\s+((?:/[A-Za-z]\s*)*)((?:\"[^\"]*\"|[^\s%\"(]+)\s+)?%+(\S)\s+in\s*\(", 2)
_DO = expression(r"\s*do(?=[\s(@])", 2)
_MAX_DEPTH = 80


@dataclass(frozen=True)
class Simple:
    """One command line, with carets and redirections taken away."""

    text: Traced
    whole: Traced


@dataclass(frozen=True)
class Sequence:
    """Commands with the operator before each: ``&``, ``&&``, ``||``, ``|``."""

    items: tuple[tuple[str, "Node"], ...]


@dataclass(frozen=True)
class Group:
    """``( … )``."""

    body: tuple["Node", ...]


@dataclass(frozen=True)
class If:
    """``test``: the word of the test (`exist`, `==`, `equ`); ``left`` is empty where it has one operand."""

    negated: bool
    folded: bool
    test: str
    left: Traced
    right: Traced
    shown: str
    then: "Node | None"
    orelse: "Node | None"


@dataclass(frozen=True)
class For:
    """``kind``: the letter of the option, or empty; ``options``: the text of `/f`."""

    kind: str
    options: str
    name: str
    items: Traced
    body: "Node | None"
    shown: str


Node = Simple | Sequence | Group | If | For


class Reader:
    """Reads one command, with as many lines as it needs. ``more``: the next line, already replaced; None: the end."""

    def __init__(self, line: Traced, more: Callable[[], Traced | None]) -> None:
        self.line = line
        self.text = line.text
        self.at = 0
        self.more = more
        self.depth = 0
        self.nested = 0

    def fail(self, message: str) -> ShellSyntaxError:
        return ShellSyntaxError(message, self.at)

    def next_line(self) -> bool:
        line = self.more()
        if line is None:
            return False
        self.line, self.text, self.at = line, line.text, 0
        return True

    def _join_next(self, upto: int) -> bool:
        """A caret at the end of the line: the next line goes on behind it."""
        line = self.more()
        self.line = join([self.line.cut(0, upto), line] if line is not None else [self.line.cut(0, upto)])
        self.text, self.at = self.line.text, upto
        return line is not None

    def blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \t\r\n,;=\ufeff\x1a":
            self.at += 1

    # -- commands

    def command(self) -> Node | None:
        """What stands on one line (and the lines of its blocks)."""
        return self._sequence()

    def _sequence(self) -> Node | None:
        items: list[tuple[str, Node]] = []
        op = ""
        while True:
            node = self._one()
            if node is not None:
                items.append((op, node))
            self._spaces()
            rest = self.text[self.at : self.at + 2]
            if rest in ("&&", "||"):
                op = rest
            elif rest[:1] in ("&", "|") and rest:
                op = rest[0]
            else:
                break
            self.at += len(op)
        if not items:
            return None
        return items[0][1] if len(items) == 1 else Sequence(tuple(items))

    def _spaces(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \t\r\n":
            self.at += 1

    def _one(self) -> Node | None:
        first = self.at
        self.blanks()
        while self.text.startswith("@", self.at):
            self.at += 1
            self.blanks()
        if self.at < len(self.text) and self.text[self.at] in "<>":
            self._redirect()
            return self._one()
        c = self.text[self.at : self.at + 1]
        if c == "^" and not self.text[self.at + 1 :].strip("\r\n"):
            if not self._join_next(self.at):
                return None
            return self._one()
        if c == "(":
            return self._group()
        if c == ":":
            self.at = len(self.text)
            return None
        found = _WORD.match(self.text, self.at)
        word = found.group(1).lower() if found is not None else ""
        if word == "rem":
            self.at = len(self.text)
            return None
        if word == "if" and found is not None:
            self.nested += 1
            if self.nested > _MAX_DEPTH:
                raise self.fail("conditions are nested too deeply")
            node = self._if(found.end())
            self.nested -= 1
            return node
        if word == "for":
            made = self._for()
            if made is not None:
                return made
        return self._simple(first)

    def _group(self) -> Node:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise self.fail("blocks are nested too deeply")
        self.at += 1
        body: list[Node] = []
        while True:
            self.blanks()
            if self.at >= len(self.text):
                if not self.next_line():
                    raise self.fail("')' is missing")
                continue
            if self.text[self.at] == ")":
                self.at += 1
                break
            before = self.at, self.text
            node = self._sequence()
            if node is not None:
                body.append(node)
            if (self.at, self.text) == before:
                raise self.fail(f"unexpected {self.text[self.at]!r}")
        self.depth -= 1
        self._spaces()
        while self.at < len(self.text) and (
            self.text[self.at] in "<>"
            or (self.text[self.at].isdigit() and self.text[self.at + 1 : self.at + 2] in ("<", ">"))
        ):
            self.at += self.text[self.at].isdigit()
            self._redirect()
            self._spaces()
        return Group(tuple(body))

    def _redirect(self) -> None:
        found = _REDIRECT.match(self.text, self.at)
        if found is None:
            raise self.fail("a redirection is not complete")
        self.at = found.end()
        if "&" not in found.group():
            self._spaces()
            target = _OPERAND.match(self.text, self.at)
            self.at = target.end() if target is not None else self.at

    def _simple(self, first: int) -> Node | None:
        """A command line up to an operator; ``first``: where the blanks before it begin."""
        parts: list[Traced] = []
        start, begin = self.at, first
        quoted = False
        while self.at < len(self.text):
            pattern = _SPECIAL if self.depth else _PLAIN_SPECIAL
            found = pattern.search(self.text, self.at)
            if found is None:
                self.at = len(self.text)
                break
            self.at = found.start()
            c = found.group()
            if c == '"':
                quoted = not quoted
                self.at += 1
            elif c in "\r\n":
                if not self.text[self.at :].strip("\r\n"):
                    break
                self.at += 1
            elif quoted or c == "(":
                self.at += 1
            elif c == "^":
                parts.append(keep(self.line, begin, self.at))
                if not self.text[self.at + 1 :].strip("\r\n"):
                    here = self.at
                    if not self._join_next(here):
                        begin = here
                        break
                    begin = here
                    self.at = here + 1
                else:
                    begin = self.at + 1
                    self.at += 2
            elif c in "<>":
                end = self.at
                if end > begin and self.text[end - 1].isdigit() and (end - 1 == begin or self.text[end - 2] in " \t"):
                    end -= 1
                parts.append(keep(self.line, begin, end))
                self._redirect()
                begin = self.at
            else:
                break
        parts.append(keep(self.line, begin, self.at))
        text = join(parts)
        stripped = text.text.rstrip("\r\n")
        text = keep(text, 0, len(stripped)) if len(stripped) < len(text) else text
        return (
            Simple(text, self.line.cut(start, self.at))
            if text.pieces and (text.text.strip() or text.pieces[0].unset)
            else None
        )

    # -- if and for

    def _if(self, end: int) -> Node:
        start, self.at = self.at, end
        negated = folded = False
        self.blanks()
        if self.text[self.at : self.at + 2].lower() == "/i":
            folded = True
            self.at += 2
            self.blanks()
        if (word := _NOT.match(self.text, self.at)) is not None:
            negated, self.at = True, word.end()
            self.blanks()
        test = _TEST.match(self.text, self.at)
        left = Traced()
        if test is not None:
            name, self.at = test.group(1).lower(), test.end()
            self.blanks()
            right = self._operand()
        else:
            here = self.at
            left = self._operand()
            if left.text.lower() in ("==", "equ", "neq", "lss", "leq", "gtr", "geq"):
                self.at, left = here, hole(Hole("", "nothing in the repository sets it"))
            compared = _COMPARE.match(self.text, self.at)
            if compared is None:
                raise self.fail("a comparison is missing in if")
            name, self.at = (compared.group(1) or compared.group(2)).lower(), compared.end()
            right = self._operand()
        shown = self.line.cut(start, self.at).shown
        then = self._sequence()
        here = self.at
        self._spaces()
        orelse = None
        if (word := _ELSE.match(self.text, self.at)) is not None and isinstance(then, Group):
            self.at = word.end()
            orelse = self._sequence()
        else:
            self.at = here
        return If(negated, folded, name, left, right, shown, then, orelse)

    def _operand(self) -> Traced:
        found = _OPERAND.match(self.text, self.at)
        if found is None:
            return Traced()
        self.at = found.end()
        return self.line.cut(*found.span())

    def _for(self) -> Node | None:
        found = _FOR.match(self.text, self.at)
        if found is None:
            return None
        start, begin = self.at, found.end()
        end = self._closing(begin)
        items = self.line.cut(begin, end)
        self.at = end + 1
        do = _DO.match(self.text, self.at)
        if do is None:
            raise self.fail("`do` is missing in for")
        self.at = do.end()
        shown = self.line.cut(start, end + 1).shown
        kinds = found.group(1).replace("/", "").lower().split()
        options = (found.group(2) or "").strip().strip('"')
        self.nested += 1
        if self.nested > _MAX_DEPTH:
            raise self.fail("loops are nested too deeply")
        body = self._sequence()
        self.nested -= 1
        return For(kinds[0] if kinds else "", options, found.group(3), items, body, shown)

    def _closing(self, at: int) -> int:
        """Where the parenthesis of a set closes, perhaps on a later line."""
        quoted = ""
        while True:
            while at < len(self.text):
                c = self.text[at]
                if quoted:
                    quoted = "" if c == quoted else quoted
                elif c in "\"'`":
                    quoted = c if c == '"' or self.text.find(c, at + 1) >= 0 else ""
                elif c == "^":
                    at += 1
                elif c == ")":
                    return at
                at += 1
            line = self.more()
            if line is None:
                raise self.fail("')' is missing in for")
            self.line = join([self.line, line])
            self.text, quoted = self.line.text, ""
