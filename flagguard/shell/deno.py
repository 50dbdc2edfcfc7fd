"""deno_task_shell, the shell of `deno task` and `pixi run`: its text as the nodes that the evaluation walks.

Follows the grammar of https://github.com/denoland/deno_task_shell (src/parser.rs, version 0.33): no compound commands
but `( … )`, no `${…}`, no functions; a backslash quotes only a few characters, and a variable is split at blanks. What
it refuses is refused here, and then nothing of the text runs.
"""

import re
from itertools import product

from flagguard.command import Command, Dialect, Script
from flagguard.hosts import Setting
from flagguard.patterns import expression
from flagguard.shell.cursor import Cursor
from flagguard.shell.parser import Parsed
from flagguard.shell.syntax import (
    AndOr,
    Assign,
    CommandSub,
    Item,
    ListNode,
    Lit,
    Node,
    Param,
    Part,
    Pipeline,
    Redirect,
    Redirected,
    ShellSyntaxError,
    Simple,
    Subshell,
    WordNode,
)
from flagguard.text import Problem, Traced
from flagguard.values import replace

_RESERVED = frozenset("if then else elif fi do done case esac while until for in".split())
_NAME = expression(r"[A-Za-z0-9_]+")
_ASSIGNED = expression(r"([A-Za-z0-9_]+)=")
_REDIRECT = expression(r"(\d+|&)?(>>|>\||>|<)(?:&(\d+))?[ \t]*")
_PLAIN = expression(r"[^\s~()<>|&;\"'\\$`{]+")
_QUOTED_PLAIN = expression(r'[^"\\$`~]+')
_RANGE = expression(r"(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?|([!-~])\.\.([!-~])")
_MAX_WORDS = 1000
_ENDS = " \t\r\n;&|()"


def evaluate_deno(script: Script, setting: Setting, platforms: list[str]) -> tuple[list[Command], list[Problem]]:
    """The commands of a task's text on each platform. Nothing is run."""
    from flagguard.shell.evaluation import evaluate

    found = evaluate(replace(script, dialect=Dialect.DENO), replace(setting, platforms=tuple(platforms)))
    return list(found.commands), list(found.problems)


def parse_deno(source: Traced) -> Parsed:
    """Read a text; where it cannot be read nothing of it is kept, since nothing of it would run."""
    reader = _Reader(source)
    try:
        body = reader.items()
        if reader.at < len(reader.text):
            raise reader.fail("unexpected character")
        return Parsed(body, None, tuple(reader.found))
    except ShellSyntaxError as error:
        return Parsed(ListNode(()), error)
    except RecursionError:
        return Parsed(ListNode(()), ShellSyntaxError("it is nested too deeply", 0))


class _Reader(Cursor):
    def __init__(self, source: Traced, depth: int = 0, found: list[Simple] | None = None) -> None:
        super().__init__(source, False, depth, found)

    def inline(self) -> None:
        """Blanks and continued lines, then a comment."""
        while self.at < len(self.text):
            if self.text.startswith(("\\\n", "\\\r\n"), self.at):
                self.at = self.text.index("\n", self.at) + 1
            elif self.text[self.at] not in "\r\n" and self.text[self.at].isspace():
                self.at += 1
            else:
                break
        if self.text.startswith("#", self.at):
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end

    def lines(self) -> None:
        """Blanks, line ends and comments."""
        while True:
            before = self.at
            self.inline()
            while self.at < len(self.text) and self.text[self.at] in "\r\n":
                self.at += 1
            if self.at == before:
                return

    # -- lists

    def items(self) -> ListNode:
        self.deeper()
        self.lines()
        out: list[Item] = []
        while self.at < len(self.text) and self.text[self.at] != ")":
            start = self.at
            node = self.sequence()
            if node is None:
                break
            end = self.at
            self.inline()
            background = separated = False
            if self.text.startswith("&", self.at) and self.text[self.at + 1 : self.at + 2] not in ("&", "|"):
                background = separated = True
                self.at += 1
            elif self.text.startswith(";", self.at):
                separated = True
                self.at += 1
            self.inline()
            if self.text.startswith(("\n", "\r\n"), self.at):
                separated = True
                self.lines()
            out.append(Item(node, background, self.show(start, end)))
            if not separated:
                break
        self.depth -= 1
        return ListNode(tuple(out))

    def sequence(self) -> Node | None:
        first = self.pipeline()
        if first is None:
            return None
        rest: list[tuple[str, Node]] = []
        while True:
            self.inline()
            op = self.text[self.at : self.at + 2]
            if op not in ("&&", "||") or self.text[self.at + 2 : self.at + 3] in tuple("|&"):
                break
            self.at += 2
            self.lines()
            node = self.pipeline()
            if node is None:
                raise self.fail("a command is missing behind a boolean operator")
            rest.append((op, node))
        return AndOr(first, tuple(rest)) if rest else first

    def pipeline(self) -> Node | None:
        negated = self.text.startswith("!", self.at) and self.text[self.at + 1 : self.at + 2].isspace()
        if negated:
            self.at += 1
            self.inline()
        commands: list[Node] = []
        while True:
            node = self.command()
            if node is None:
                if commands or negated:
                    raise self.fail("a command is missing behind a pipe")
                return None
            commands.append(node)
            self.inline()
            if not self.text.startswith("|", self.at) or self.text.startswith("||", self.at):
                break
            self.at += 2 if self.text.startswith("|&", self.at) else 1
            self.lines()
        return commands[0] if len(commands) == 1 and not negated else Pipeline(tuple(commands), negated)

    def command(self) -> Node | None:
        if self.text.startswith("(", self.at):
            self.at += 1
            body = self.items()
            self.lines()
            if not self.text.startswith(")", self.at):
                raise self.fail("the parenthesis of a subshell is not closed")
            self.at += 1
            self.inline()
            redirects = self.redirects()
            return Redirected(Subshell(body), redirects) if redirects else Subshell(body)
        return self.simple()

    def simple(self) -> Node | None:
        start = self.at
        assigns: list[Assign] = []
        while (found := _ASSIGNED.match(self.text, self.at)) is not None:
            begin, self.at = self.at, found.end()
            value = self.word() or WordNode((Lit(Traced(), quoted=True),))
            self.ends()
            assigns.append(Assign(found.group(1), value, route=self.route(begin, self.at)))
            self.inline()
        words: list[WordNode] = []
        end = self.at
        while self.at < len(self.text) and self.text[self.at] not in "\r\n;&|()":
            if _REDIRECT.match(self.text, self.at):
                break
            made = self.braced()
            if not made:
                break
            if not words and made[0].literal in _RESERVED and not made[0].quoted:
                raise self.fail("a reserved word, which this shell does not have")
            self.ends()
            end = self.at
            words += made
            self.inline()
        redirects = self.redirects()
        if not words and not assigns:
            if redirects:
                raise self.fail("a command is missing before a redirection")
            return None
        if not words and len(assigns) > 1:
            raise self.fail("several variables are set without a command")
        end = max(end, self.at if redirects else end)
        node = Simple(tuple(assigns), tuple(words), redirects, self.route(start, end), self.show(start, end))
        self.found.append(node)
        return node

    def ends(self) -> None:
        if self.at < len(self.text) and self.text[self.at] not in _ENDS and not self.text[self.at].isspace():
            raise self.fail(f"unexpected {self.text[self.at]!r}")

    def redirects(self) -> tuple[Redirect, ...]:
        out: list[Redirect] = []
        while (found := _REDIRECT.match(self.text, self.at)) is not None:
            self.at = found.end()
            fd, op = found.group(1) or "", found.group(2)
            if found.group(3) is not None:
                target = WordNode((Lit(self.cut(*found.span(3)), quoted=True),))
                out.append(Redirect(f"{op[0]}&", fd, target))
            else:
                word = self.word()
                if word is None:
                    raise self.fail("the path of a redirection is missing")
                out.append(Redirect("&>" if fd == "&" else op, "" if fd == "&" else fd, word))
            self.inline()
        if len(out) > 1:
            raise self.fail("several redirections of one command, which this shell does not have")
        return tuple(out)

    # -- words

    def word(self) -> WordNode | None:
        made = self.braced()
        return made[0] if made else None

    def braced(self) -> list[WordNode]:
        """The words that one written word is: braces make several."""
        start = self.at
        parts = self.parts()
        if self.at == start:
            return []
        return self.multiplied(parts, start)

    def multiplied(self, parts: "list[Part | list[list[Part]]]", start: int) -> list[WordNode]:
        route, shown = self.route(start, self.at), self.show(start, self.at)
        choices = [part if isinstance(part, list) else [[part]] for part in parts]
        size = 1
        for choice in choices:
            size *= len(choice)
        if size > _MAX_WORDS:
            raise self.fail("braces make too many words")
        return [WordNode(tuple(p for part in one for p in part), route, shown) for one in product(*choices)]

    def parts(self) -> "list[Part | list[list[Part]]]":
        """The parts of an unquoted word; braces are lists of alternatives."""
        out: list[Part | list[list[Part]]] = []
        start = self.at
        while self.at < len(self.text):
            c = self.text[self.at]
            plain = _PLAIN.match(self.text, self.at)
            if plain is not None:
                out.append(Lit(self.cut(self.at, plain.end()), quoted=False))
                self.at = plain.end()
            elif c == "'":
                out.append(self.single())
            elif c == '"':
                out += self.double()
            elif c == "{":
                found = self.brace()
                out.append(found if found is not None else self.one(quoted=True))
            elif c == "~":
                out.append(self.tilde(self.at == start, self.text[self.at + 1 : self.at + 2]))
            elif c in "$`\\":
                part = self.special(quoted=False)
                if part is not None:
                    out.append(part)
            else:
                break
        return out

    def one(self, quoted: bool) -> Lit:
        self.at += 1
        return Lit(self.cut(self.at - 1, self.at), quoted)

    def tilde(self, first: bool, following: str) -> Part:
        if not first:
            return self.one(quoted=True)
        if following and following not in '/ \t\r\n;&|()"':
            raise self.fail("a user's home folder, which this shell does not have")
        self.at += 1
        return Param("HOME", "~", self.route(self.at - 1, self.at), quoted=True)

    def special(self, quoted: bool) -> Part | None:
        """What begins with a dollar, a backslash or a backquote; None for a continued line."""
        text, start = self.text, self.at
        if text.startswith(("\\\n", "\\\r\n"), start):
            self.at = text.index("\n", start) + 1
            return None
        c, following = text[start], text[start + 1 : start + 2]
        if c == "\\":
            taken = '$~`"()' + ("'" if quoted else " ")
            if following and following in taken:
                self.at += 2
                return Lit(self.cut(start + 1, start + 2), quoted=True)
            return self.one(quoted=True)
        if c == "`":
            return self.backquoted(quoted)
        if following and following in "$#*":
            raise self.fail(f"${following}, which this shell does not have")
        if following == "?":
            self.at += 2
            return Param("?", "$?", self.route(start, self.at), quoted)
        if following == "(":
            self.at += 2
            body = self.items()
            self.lines()
            if not text.startswith(")", self.at):
                raise self.fail("the parenthesis of a command substitution is not closed")
            self.at += 1
            return CommandSub(body, self.show(start, self.at), self.route(start, self.at), quoted)
        name = _NAME.match(text, start + 1)
        if name is None:
            return self.one(quoted=True)
        self.at = name.end()
        return Param(name.group(), self.show(start, self.at), self.route(start, self.at), quoted)

    def backquoted(self, quoted: bool) -> Part:
        start = self.at
        end = start + 1
        while end < len(self.text) and (self.text[end] != "`" or self.text[end - 1] == "\\"):
            end += 1
        if end >= len(self.text):
            raise self.fail("a backquote is not closed")
        inner = _Reader(self.cut(start + 1, end), self.depth, self.found)
        body = inner.items()
        if inner.at < len(inner.text):
            raise self.fail("what stands in backquotes cannot be read")
        self.at = end + 1
        return CommandSub(body, self.show(start, self.at), self.route(start, self.at), quoted)

    def single(self) -> Lit:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise self.fail("a single quote is not closed")
        lit = Lit(self.cut(self.at + 1, end), quoted=True)
        self.at = end + 1
        return lit

    def double(self) -> list[Part]:
        opening = self.at
        self.at += 1
        out: list[Part] = []
        first = self.at
        while self.at < len(self.text):
            c = self.text[self.at]
            plain = _QUOTED_PLAIN.match(self.text, self.at)
            if plain is not None:
                out.append(Lit(self.cut(self.at, plain.end()), quoted=True))
                self.at = plain.end()
            elif c == '"':
                if self.at > first and self.text[self.at - 1] == "\\":
                    out.append(self.one(quoted=True))
                    continue
                self.at += 1
                return out or [Lit(Traced(), quoted=True)]
            elif c == "~":
                out.append(self.tilde(self.at == first, self.text[self.at + 1 : self.at + 2]))
            else:
                part = self.special(quoted=True)
                if part is not None:
                    out.append(part)
        self.at = opening
        raise self.fail("a double quote is not closed")

    def brace(self) -> "list[list[Part]] | None":
        """`{a,b}` or `{1..3}` as alternatives; None: the brace is a character."""
        start = self.at
        body = self._closing(start + 1)
        if body is None:
            return None
        end, commas = body
        if not commas:
            found = _RANGE.fullmatch(self.text, start + 1, end)
            made = _series(found) if found is not None else None
            if made is None:
                return None
            self.at = end + 1
            return [[Lit(self.stands_for(text, start, end + 1), quoted=True)] for text in made]
        out: list[list[Part]] = []
        for begin, stop in zip([start + 1, *(c + 1 for c in commas)], [*commas, end], strict=True):
            inner = _Reader(self.cut(begin, stop), self.depth + 1, self.found)
            inner.deeper()
            parts = inner.parts()
            if inner.at < len(inner.text):
                return None
            out += [list(word.parts) for word in inner.multiplied(parts, 0)]
        self.at = end + 1
        return out

    def _closing(self, at: int) -> tuple[int, list[int]] | None:
        """Where a brace closes, and the commas at its own depth."""
        text, depth = self.text, 0
        commas: list[int] = []
        while at < len(text):
            c = text[at]
            if c == "\\":
                at += 1
            elif c in "'\"":
                at += 1
                while at < len(text) and text[at] != c:
                    at += 2 if c == '"' and text[at] == "\\" else 1
            elif c == "{":
                depth += 1
            elif c == "}":
                if depth == 0:
                    return at, commas
                depth -= 1
            elif c == "," and depth == 0:
                commas.append(at)
            elif c.isspace():
                return None
            at += 1
        return None


def _series(found: "re.Match[str]") -> list[str] | None:
    first, last, step, low, high = found.groups()
    if low is not None:
        a, b = ord(low), ord(high)
        return [chr(n) for n in (range(a, b + 1) if a <= b else range(a, b - 1, -1))]
    by = abs(int(step)) if step is not None else 1
    one, other = int(first), int(last)
    if by == 0 or abs(one - other) // by > _MAX_WORDS:
        return None
    return [str(n) for n in (range(one, other + 1, by) if one <= other else range(one, other - 1, -by))]
