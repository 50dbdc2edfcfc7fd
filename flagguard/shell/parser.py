"""The grammar of commands (POSIX.1-2024 XCU 2.10; bash manual 3.2): from traced text to a :class:`ListNode`."""

import re
from functools import lru_cache

from flagguard.patterns import expression
from flagguard.shell.double_bracket import ConditionReader
from flagguard.shell.syntax import (
    After,
    AndOr,
    Arithmetic,
    Arm,
    Case,
    CFor,
    For,
    Function,
    Group,
    If,
    Item,
    ListNode,
    Loop,
    Node,
    Pipeline,
    Redirected,
    ShellSyntaxError,
    Simple,
    Subshell,
    WordNode,
)
from flagguard.text import Traced, compact, join
from flagguard.values import dataclass

_NAME = expression(r"[A-Za-z_]\w*")
_FUNCTION = expression(r"([^\s'\"\\$`|&;()<>=]++)[ \t]*+\([ \t]*\)")
_FUNCTION_NAME = expression(r"([^\s'\"\\$`|&;()<>]+)(?:[ \t]*\([ \t]*\))?")
_SAMPLE = 80
"""What bash looks at of a file, to tell text from binary (general.c, check_binary_file)."""
_COPROC_NAME = expression(r"[A-Za-z_]\w*[ \t]+(?=[{(])")
_SPLIT_OPERATOR = expression(r"(?<=[&|;<>])\\\n(?=[&|;<>(])")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A script as far as it could be read. ``error``: why and where (an offset into the text) the rest could not."""

    body: ListNode
    error: ShellSyntaxError | None = None
    commands: tuple[Simple, ...] = ()
    """Every simple command in it, those of substitutions and functions too."""
    unread: int = 0
    """With an error: where the command begins that holds it, which is not read either."""


@lru_cache(maxsize=1024)  # rows of a matrix, courses and calls bring the same text again
def parse(source: Traced, bash: bool = True) -> Parsed:
    """Read a script. What stands before a syntax error is read all the same, as the shell would have run it."""
    parsed = _parsed(source, bash)
    if parsed.error is not None and _SPLIT_OPERATOR.search(source.text):
        again = _parsed(_without(source, _SPLIT_OPERATOR), bash)
        return again if again.error is None else parsed
    return parsed


def _parsed(source: Traced, bash: bool) -> Parsed:
    parser = Parser(source, bash)
    items: list[Item] = []
    whole = before = 0
    error: ShellSyntaxError | None = None
    try:
        if bash and "\0" in source.text[:_SAMPLE].partition("\n")[0]:
            raise parser.fail("bash takes a file with a NUL byte in its first line for a binary")
        while True:
            parser.skip_newlines()
            whole, before = len(parser.found), parser.at
            if parser.at >= len(parser.text):
                break
            items.extend(parser.line())
    except ShellSyntaxError as found:
        error = found
    except RecursionError:
        error = ShellSyntaxError("constructs are nested too deeply", parser.at)
    return Parsed(ListNode(tuple(items)), error, tuple(parser.found[:whole]), before)


def _without(source: Traced, pattern: "re.Pattern[str]") -> Traced:
    parts, at = [], 0
    for match in pattern.finditer(source.text):
        parts.append(source.cut(at, match.start()))
        at = match.end()
    return Traced(compact(join([*parts, source.cut(at, len(source))]).pieces))


class Parser(ConditionReader):
    """A recursive descent over the shell grammar."""

    def parse_nested(self, source: Traced) -> ListNode:
        inner = self.nested(source)
        body = inner.commands(frozenset())
        if inner.at < len(inner.text):
            raise self.fail(f"unexpected {inner.text[inner.at]!r} in a command substitution")
        return body

    def command_list(self, closing: str) -> ListNode:
        self.deeper()
        body = self.commands(frozenset())
        if not self.text.startswith(closing, self.at):
            raise self.fail(f"{closing!r} is missing")
        self.at += len(closing)
        self.depth -= 1
        return body

    # -- lists

    def line(self) -> tuple[Item, ...]:
        """The commands of the logical line at the cursor, up to its newline."""
        items: list[Item] = []
        while True:
            item = self._item()
            if item is None:
                raise self.fail(f"unexpected {self.text[self.at]!r}")
            items.append(item)
            self.blanks()
            if self.at >= len(self.text) or self.text[self.at] == "\n":
                items[-1] = Item(item.node, item.background, item.shown, closes=True)
                if self.at < len(self.text):
                    self.newline()
                return tuple(items)

    def commands(self, ending: frozenset[str]) -> ListNode:
        """Commands up to a reserved word of ``ending``, ``)``, ``;;`` or the end of the text."""
        items: list[Item] = []
        while True:
            self.skip_newlines()
            if self.at >= len(self.text) or self.text[self.at] == ")" or self.text.startswith((";;", ";&"), self.at):
                return ListNode(tuple(items))
            word = self.reserved()
            if word is not None and word in ending:
                return ListNode(tuple(items))
            item = self._item()
            if item is None:
                raise self.fail(f"unexpected {self.text[self.at]!r}")
            items.append(item)

    def _item(self) -> Item | None:
        self.blanks()
        start = self.at
        node = self._and_or()
        if node is None:
            return None
        shown = self.show(start, self.at).strip()
        self.blanks()
        background = False
        if self.text.startswith("&", self.at) and not self.text.startswith("&&", self.at):
            self.at += 1
            background = True
        elif self.text.startswith(";", self.at) and not self.text.startswith((";;", ";&"), self.at):
            self.at += 1
        return Item(node, background, shown)

    def _and_or(self) -> Node | None:
        first = self._pipeline()
        if first is None:
            return None
        rest: list[tuple[str, Node]] = []
        while True:
            self.blanks()
            op = self.text[self.at : self.at + 2]
            if op not in ("&&", "||"):
                return AndOr(first, tuple(rest)) if rest else first
            self.at += 2
            self.skip_newlines()
            following = self._pipeline()
            if following is None:
                raise self.fail(f"a command is missing after {op}")
            rest.append((op, following))

    def _pipeline(self) -> Node | None:
        self.blanks()
        negated = timed = False
        while True:
            word = self.reserved() if self.text[self.at : self.at + 1] in ("!", "t") else None
            if word == "!":
                negated = not negated
                self.at += 1
                self.blanks()
            elif word == "time":
                self.at += 4
                timed = self.bash
                self.blanks()
                if self.text.startswith("-p", self.at) and self.text[self.at + 2 : self.at + 3] in (" ", "\t"):
                    self.at += 2
                    self.blanks()
            else:
                break
        first = self._command()
        if first is None:
            return Pipeline((), negated) if negated or timed else None
        commands = [first]
        while True:
            self.blanks()
            if not self.text.startswith("|", self.at) or self.text.startswith("||", self.at):
                break
            self.at += 2 if self.text.startswith("|&", self.at) else 1
            self.skip_newlines()
            following = self._command()
            if following is None:
                raise self.fail("a command is missing after |")
            commands.append(following)
        if len(commands) == 1 and not negated:
            return first
        return Pipeline(tuple(commands), negated)

    # -- commands

    def _command(self) -> Node | None:
        self.blanks()
        if self.at >= len(self.text) or self.text[self.at] in "\n;&|)":
            return None
        compound = self._compound()
        if compound is None:
            return self._function_or_simple()
        if isinstance(compound, Function):
            return compound
        redirects = self.redirects()
        return Redirected(compound, redirects) if redirects else compound

    def _compound(self) -> Node | None:
        text = self.text
        if text[self.at] == "(":
            if self.bash and text.startswith("((", self.at):
                end = self.arithmetic_end(self.at + 2)
                if end is not None:
                    start = self.at
                    expression = self.expression(start + 2, end)
                    self.at = end + 2
                    return Arithmetic(expression, self.show(start, self.at))
            self.at += 1
            return Subshell(self.command_list(")"))
        word = self.reserved()
        if word is None:
            return None
        reader = {
            "{": self._group,
            "if": self._if,
            "case": self._case,
            "for": self._for,
            "select": self._for,
            "while": self._loop,
            "until": self._loop,
            "function": self._keyword_function,
            "[[": self.conditional,
            "coproc": self._coproc,
        }.get(word)
        if reader is None:
            if word in ("then", "else", "elif", "fi", "do", "done", "esac", "}"):
                raise self.fail(f"{word!r} is not expected here")
            return None
        self.deeper()
        node = reader()
        self.depth -= 1
        return node

    def _body(self, *ending: str) -> ListNode:
        start = self.at
        body = self.commands(frozenset(ending))
        if not body.items:
            raise self.fail("a command is missing", start)
        return body

    def _group(self) -> Node:
        self.at += 1
        body = self._body("}")
        self.expect("}")
        return Group(body)

    def _coproc(self) -> Node:
        self.at += len("coproc")
        self.blanks()
        named = _COPROC_NAME.match(self.text, self.at)
        if named is not None:
            self.at = named.end()
        inner = self._command()
        if inner is None:
            raise self.fail("a command is missing after coproc")
        return Subshell(ListNode((Item(inner, True, ""),)))

    def _if(self) -> Node:
        arms: list[tuple[ListNode, ListNode]] = []
        orelse = None
        self.at += 2
        while True:
            test = self._body("then")
            self.expect("then")
            arms.append((test, self._body("elif", "else", "fi")))
            ended = self.reserved()
            if ended == "elif":
                self.at += 4
                continue
            if ended == "else":
                self.at += 4
                orelse = self._body("fi")
            self.expect("fi")
            return If(tuple(arms), orelse)

    def _case(self) -> Node:
        self.at += 4
        self.blanks()
        word = self.word()
        if word is None:
            raise self.fail("a word is missing after case")
        self.expect("in")
        arms: list[Arm] = []
        while True:
            self.skip_newlines()
            if self.reserved() == "esac":
                self.at += 4
                return Case(word, tuple(arms))
            arms.append(self._arm())

    def _arm(self) -> Arm:
        if self.text.startswith("(", self.at):
            self.at += 1
        patterns = []
        while True:
            self.blanks()
            pattern = self.word()
            if pattern is None:
                raise self.fail("a pattern is missing")
            patterns.append(pattern)
            self.blanks()
            if self.text.startswith("|", self.at):
                self.at += 1
                continue
            break
        if not self.text.startswith(")", self.at):
            raise self.fail("')' is missing after a pattern")
        self.at += 1
        body = self.commands(frozenset({"esac"}))
        for after in (After.TEST, After.FALL, After.STOP):
            if self.text.startswith(after.value, self.at) and (self.bash or after is not After.TEST):
                self.at += len(after.value)
                return Arm(tuple(patterns), body, after)
        return Arm(tuple(patterns), body, After.STOP)

    def _do_group(self) -> ListNode:
        self.skip_newlines()
        if self.reserved() == "{":
            self.at += 1
            body = self._body("}")
            self.expect("}")
            return body
        self.expect("do")
        body = self._body("done")
        self.expect("done")
        return body

    def _for(self) -> Node:
        select = self.reserved() == "select"
        self.at += len("select") if select else len("for")
        self.blanks()
        if self.bash and self.text.startswith("((", self.at):
            return self._c_for()
        name = _NAME.match(self.text, self.at)
        if name is None:
            raise self.fail("a name is missing after for")
        self.at = name.end()
        self.skip_newlines()
        words: tuple[WordNode, ...] | None = None
        if self.reserved() == "in":
            self.at += 2
            found: list[WordNode] = []
            while True:
                self.blanks()
                word = self.word()
                if word is None:
                    break
                found.append(word)
            words = tuple(found)
        self.blanks()
        if self.text.startswith(";", self.at):
            self.at += 1
        return For(name.group(), words, self._do_group(), select)

    def _c_for(self) -> Node:
        end = self.arithmetic_end(self.at + 2)
        if end is None:
            raise self.fail("'))' is missing")
        start = self.at + 2
        cuts = [i for i in range(start, end) if self.text[i] == ";"]
        if len(cuts) != 2:
            raise self.fail("for (( needs two semicolons")
        a, b = cuts
        nodes = [self.expression(*part) for part in ((start, a), (a + 1, b), (b + 1, end))]
        self.at = end + 2
        self.blanks()
        if self.text.startswith(";", self.at):
            self.at += 1
        return CFor(nodes[0], nodes[1], nodes[2], self._do_group())

    def _loop(self) -> Node:
        until = self.reserved() == "until"
        self.at += 5
        test = self._body("do")
        return Loop(test, self._do_group(), until)

    def _keyword_function(self) -> Node:
        self.at += len("function")
        self.blanks()
        name = _FUNCTION_NAME.match(self.text, self.at)
        if name is None:
            raise self.fail("a name is missing after function")
        self.at = name.end()
        return self._function_body(name.group(1))

    def _function_body(self, name: str) -> Node:
        self.skip_newlines()
        body = self._command()
        if body is None or isinstance(body, Simple):
            raise self.fail(f"the body of function {name} is missing")
        return Function(name, body)

    def _function_or_simple(self) -> Node | None:
        found = _FUNCTION.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
            return self._function_body(found.group(1))
        return self.simple()
