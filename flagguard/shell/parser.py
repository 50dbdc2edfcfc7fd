"""The grammar of commands (POSIX.1-2024 XCU 2.10; bash manual 3.2): from traced text to a :class:`ListNode`."""

import re
from dataclasses import dataclass

from flagguard.shell.syntax import (
    After,
    AndOr,
    Arithmetic,
    Arm,
    ArrayNode,
    Assign,
    Binary,
    Both,
    Case,
    CFor,
    Cond,
    Either,
    For,
    Function,
    Group,
    If,
    Item,
    ListNode,
    Lit,
    Loop,
    Node,
    Not,
    Part,
    Pipeline,
    Redirect,
    Redirected,
    ShellSyntaxError,
    Simple,
    Subshell,
    Test,
    Unary,
    WordNode,
)
from flagguard.shell.words import WordReader
from flagguard.text import Traced, join

DECLARES = frozenset({"export", "readonly", "local", "declare", "typeset"})
"""Declaration utilities: `NAME=value` operands of theirs are assignments (POSIX.1-2024 XCU 2.9.1.1)."""

_PREFIXES = frozenset({"command", "builtin"})
_BLANK = re.compile(r"(?:[ \t]|\\\n)+")
_RESERVED = re.compile(
    r"(if|then|else|elif|fi|do|done|case|esac|while|until|for|select|function|in|time|coproc|\[\[|[{}!])(?=[\s;&|()<>]|$)"
)
_BASH_ONLY = frozenset({"select", "function", "time", "coproc", "[["})
_ASSIGN = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[|\+?=)")
_REDIRECT = re.compile(r"([0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})?(<<<|<<-|<<|<>|<&|>>|>&|>\||&>>|&>|<|>)")
_FUNCTION = re.compile(r"([^\s'\"\\$`|&;()<>=]+)[ \t]*\([ \t]*\)")
_UNARY = frozenset("-a -b -c -d -e -f -g -h -k -n -o -p -r -s -t -u -v -w -x -z -G -L -N -O -R -S".split())
_BINARY = frozenset("= == != =~ < > -eq -ne -lt -le -gt -ge -nt -ot -ef".split())


@dataclass(frozen=True, slots=True)
class Parsed:
    """A script as far as it could be read. ``error``: why and where (an offset into the text) the rest could not."""

    body: ListNode
    error: ShellSyntaxError | None = None


def parse(source: Traced, bash: bool = True) -> Parsed:
    """Read a script. What stands before a syntax error is read all the same, as the shell would have run it."""
    parser = Parser(source, bash)
    items: list[Item] = []
    while True:
        try:
            parser.skip_newlines()
            if parser.at >= len(parser.text):
                return Parsed(ListNode(tuple(items)))
            before = parser.at
            items.extend(parser.line())
            if parser.at == before:
                return Parsed(ListNode(tuple(items)), parser.fail(f"unexpected {parser.text[before]!r}"))
        except ShellSyntaxError as error:
            return Parsed(ListNode(tuple(items)), error)


class Parser(WordReader):
    """A recursive descent over the shell grammar."""

    def __init__(self, source: Traced, bash: bool, depth: int = 0) -> None:
        super().__init__(source, bash, depth)
        self._pending: list[Redirect] = []
        self._target_size = 0

    def parse_nested(self, source: Traced) -> ListNode:
        inner = Parser(source, self.bash, self.depth)
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

    # -- blanks, newlines, reserved words

    def blanks(self) -> None:
        """Skip blanks, joined lines and a comment."""
        found = _BLANK.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        if self.text.startswith("#", self.at):
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end

    def _newline(self) -> None:
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
            self._newline()

    def reserved(self) -> str | None:
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
        body = join(lines)
        if redirect.raw:
            parts: tuple[Part, ...] = (Lit(body, quoted=True),)
        else:
            reader = Parser(body, self.bash, self.depth)
            parts = tuple(reader.quoted_until("", "$`\\"))
        redirect.target = WordNode(parts, body.route, body.shown)

    # -- lists

    def line(self) -> tuple[Item, ...]:
        """The commands of the logical line at the cursor, up to its newline."""
        items: list[Item] = []
        while True:
            item = self._item()
            if item is None:
                return tuple(items)
            items.append(item)
            self.blanks()
            if self.at >= len(self.text):
                return tuple(items)
            if self.text[self.at] == "\n":
                self._newline()
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
        negated = False
        while True:
            word = self.reserved()
            if word == "!":
                negated = not negated
                self.at += 1
                self.blanks()
            elif word == "time":
                self.at += 4
                self.blanks()
                if self.text.startswith("-p", self.at) and self.text[self.at + 2 : self.at + 3] in (" ", "\t"):
                    self.at += 2
                    self.blanks()
            else:
                break
        first = self._command()
        if first is None:
            return Pipeline((), negated) if negated else None
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
        redirects = self._redirects()
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
            "[[": self._cond,
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
        named = re.compile(r"[A-Za-z_]\w*[ \t]+(?=[{(])").match(self.text, self.at)
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
        name = re.compile(r"[A-Za-z_]\w*").match(self.text, self.at)
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
        name = re.compile(r"[^\s'\"\\$`|&;()<>]+").match(self.text, self.at)
        if name is None:
            raise self.fail("a name is missing after function")
        self.at = name.end()
        parens = re.compile(r"[ \t]*\([ \t]*\)").match(self.text, self.at)
        if parens is not None:
            self.at = parens.end()
        return self._function_body(name.group())

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
        return self._simple()

    # -- simple commands

    def _redirects(self) -> tuple[Redirect, ...]:
        out: list[Redirect] = []
        while True:
            self.blanks()
            redirect = self._redirect()
            if redirect is None:
                return tuple(out)
            out.append(redirect)

    def _redirect(self) -> Redirect | None:
        found = _REDIRECT.match(self.text, self.at)
        if found is None:
            return None
        fd, op = found.group(1) or "", found.group(2)
        if op in ("<", ">") and not fd and self.bash and self.text.startswith("(", found.end()):
            return None
        if not self.bash and op in ("<<<", "&>>", "&>"):
            if op == "<<<":
                op = "<<"
            else:
                return None
        self.at = found.start() + len(fd) + len(op)
        self.blanks()
        begun = self.at
        target = self.word()
        if target is None:
            raise self.fail(f"a word is missing after {op}")
        self._target_size = self.at - begun
        redirect = Redirect(op, fd, target)
        if op in ("<<", "<<-"):
            redirect.raw = target.quoted or "\\" in target.shown
            redirect.delimiter = _delimiter(target)
            self._pending.append(redirect)
        return redirect

    def _simple(self) -> Node | None:
        start = self.at
        assigns: list[Assign] = []
        words: list[WordNode | Assign] = []
        redirects: list[Redirect] = []
        spans: list[tuple[int, int]] = []
        declares = False
        end = start
        while True:
            self.blanks()
            redirect = self._redirect()
            if redirect is not None:
                redirects.append(redirect)
                end = self.at
                spans.append((end - self._target_size - start, end - start))
                continue
            begun = self.at
            assign = self._assign() if not words or declares else None
            if assign is not None:
                (words if words else assigns).append(assign)
                end = self.at
                spans.append((begun - start, end - start))
                continue
            word = self.word()
            if word is None:
                break
            end = self.at
            spans.append((begun - start, end - start))
            if not words or (len(words) == 1 and isinstance(words[0], WordNode) and words[0].literal in _PREFIXES):
                declares = word.literal in DECLARES
            words.append(word)
        if not assigns and not words and not redirects:
            return None
        return Simple(
            tuple(assigns),
            tuple(words),
            tuple(redirects),
            self.route(start, end),
            self.show(start, end),
            self.text[start:end],
            tuple(spans),
        )

    def _assign(self) -> Assign | None:
        text, start = self.text, self.at
        found = _ASSIGN.match(text, start)
        if found is None:
            return None
        at, index = found.end(1), None
        if text[at] == "[":
            if not self.bash:
                return None
            close = self._closing("]", at + 1)
            if close is None or not re.match(r"\+?=", text[close + 1 : close + 3]):
                return None
            index = self._index(at + 1, close)
            at = close + 1
        append = text.startswith("+=", at)
        if append and not self.bash:
            return None
        self.at = at + (2 if append else 1)
        if self.bash and text.startswith("(", self.at):
            value: WordNode | ArrayNode = self._array()
        else:
            value = self.word() or WordNode((), self.route(start, self.at), "")
        return Assign(found.group(1), value, append, index, self.route(start, self.at))

    def _array(self) -> ArrayNode:
        self.at += 1
        items: list[tuple[WordNode | None, WordNode]] = []
        while True:
            self.skip_newlines()
            if self.text.startswith(")", self.at):
                self.at += 1
                return ArrayNode(tuple(items))
            key = None
            if self.text.startswith("[", self.at):
                close = self._closing("]", self.at + 1)
                if close is not None and self.text.startswith("=", close + 1):
                    key = self._index(self.at + 1, close)
                    self.at = close + 2
            word = self.word()
            if word is None:
                if key is None:
                    raise self.fail("an array is not closed")
                word = WordNode((), (), "")
            items.append((key, word))

    # -- [[ ]]

    def _cond(self) -> Node:
        start = self.at
        self.at += 2
        test = self._either()
        self.skip_newlines()
        if not self.text.startswith("]]", self.at):
            raise self.fail("']]' is missing")
        self.at += 2
        return Cond(test, self.show(start, self.at), self.route(start, self.at))

    def _either(self) -> Test:
        left = self._both()
        while True:
            self.skip_newlines()
            if not self.text.startswith("||", self.at):
                return left
            self.at += 2
            left = Either(left, self._both())

    def _both(self) -> Test:
        left = self._negated()
        while True:
            self.skip_newlines()
            if not self.text.startswith("&&", self.at):
                return left
            self.at += 2
            left = Both(left, self._negated())

    def _negated(self) -> Test:
        self.skip_newlines()
        if self.text.startswith("!", self.at) and self.text[self.at + 1 : self.at + 2] in (" ", "\t", "\n", "("):
            self.at += 1
            return Not(self._negated())
        if self.text.startswith("(", self.at):
            self.deeper()
            self.at += 1
            inner = self._either()
            self.skip_newlines()
            if not self.text.startswith(")", self.at):
                raise self.fail("')' is missing")
            self.at += 1
            self.depth -= 1
            return inner
        left = self._test_word()
        if left.literal in _UNARY:
            self.blanks()
            here = self.at
            ahead = self._peek_test_word()
            if ahead is not None and ahead not in _BINARY:
                self.at = here
                return Unary(left.literal or "", self._test_word())
            self.at = here
        self.blanks()
        op = self._peek_test_word()
        if op not in _BINARY:
            return Unary("-n", left)
        self.at += len(op or "")
        self.blanks()
        right = self._regex() if op == "=~" else self._test_word()
        return Binary(op or "", left, right)

    def _peek_test_word(self) -> str | None:
        found = re.compile(r"[<>]|[^\s()|&;]+").match(self.text, self.at)
        if found is None or found.group() == "]]":
            return None
        return found.group()

    def _test_word(self) -> WordNode:
        self.blanks()
        word = self.word()
        if word is None or word.literal == "]]":
            raise self.fail("an operand is missing in [[ ]]")
        return word

    def _regex(self) -> WordNode:
        """The right side of ``=~``: parentheses and bars are text (bash manual 3.2.5.2)."""
        start = self.at
        parts = self._regex_parts()
        if self.at == start:
            raise self.fail("an operand is missing in [[ ]]")
        return WordNode(parts, self.route(start, self.at), self.show(start, self.at))

    def _regex_parts(self) -> tuple[Part, ...]:
        parts: list[Part] = []
        depth = 0
        while self.at < len(self.text):
            c = self.text[self.at]
            if c in " \t\n" and depth == 0:
                break
            if c == ")" and depth == 0:
                break
            if c in "()":
                depth += 1 if c == "(" else -1
            if c in "()|&;<> \t?*+@!":
                parts.append(Lit(self.cut(self.at, self.at + 1), quoted=False))
                self.at += 1
                continue
            before = self.at
            parts.extend(self.parts_until(lambda: self.text[self.at] in " \t\n()|&;<>?*+@!"))
            if self.at == before:
                break
        return tuple(parts)


def _joins(line: str) -> bool:
    body = line.rstrip("\n")
    return (len(body) - len(body.rstrip("\\"))) % 2 == 1


def _delimiter(word: WordNode) -> str:
    """Quote removal only: expansions in a delimiter are text (XCU 2.7.4)."""
    out = []
    for part in word.parts:
        out.append(part.value.text if isinstance(part, Lit) else part.shown)
    return "".join(out)
