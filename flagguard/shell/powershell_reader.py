"""PowerShell's statements and pipelines (the language's specification, chapters 2, 7 and 8; about_Language_Keywords).

Reads a whole script into `powershell_syntax`'s nodes; words and expressions are `powershell_words`' part.
"""

import re
from collections.abc import Callable

from flagguard.patterns import expression
from flagguard.shell.powershell_definitions import Definitions
from flagguard.shell.powershell_strings import QUOTES
from flagguard.shell.powershell_syntax import (
    Arg,
    Assign,
    Block,
    Branch,
    Chain,
    Compute,
    Expr,
    Invoke,
    Leave,
    Loop,
    Params,
    ScriptBlock,
    Statement,
    Switch,
    Text,
    Try,
)
from flagguard.shell.powershell_words import ASSIGNS, DASH, DASHED, NUMBER, UNARY
from flagguard.text import Traced

_WORD = expression(r"[A-Za-z]+(?![\w.:\\/-])")
_LABEL = expression(r":\w+\s+(?=(?:foreach|for|while|do|switch)\b)")
_CALLED = expression(r"&(?!&)|\.(?=[\s'\"$({\u2018\u201c])")
_REDIRECT = expression(r"(?:[1-6*]?>>?(?:&[12])?|<)[ \t]*")
_CHAINED = expression(r"&&|\|\||\||&")
_LED = expression(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)+[ \t]*(?=\|(?!\|))")
_ARM = expression(r"(?:elseif|else)(?![\w-])", 2)
_IN = expression(r"\(\s*\$(?:\{([^}]+)\}|(\w+))\s+in\b", 2)
_UNTIL = expression(r"(?:while|until)(?![\w-])", 2)
_CAUGHT = expression(r"(?:catch|finally)(?![\w-])", 2)
_VERBATIM = expression(r"--%(?=[ \t\r\n]|$)")
_VERBATIM_WORD = expression(r'(?:"[^"\n]*"|[^\s"|])+')
_DATA = expression(r"(?:\s+\w+)?(?:\s+-[A-Za-z]+\s+[^{\n]*)?\s*\{")
_OPTION = expression(r"-[A-Za-z]+")


class Reader(Definitions):
    """Reads a script's statements."""

    # -- statements

    def statements(self, closing: str = "") -> tuple[Statement, ...]:
        self.deeper()
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
        c = self.text[self.at : self.at + 1]
        if c == ":":
            label = _LABEL.match(self.text, self.at)
            self.at = label.end() if label is not None else self.at
        elif c == "[":
            self._attributes()
        found = _WORD.match(self.text, self.at)
        if found is not None:
            word = found.group().lower()
            reader = _KEYWORDS.get(word)
            if reader is not None and self._opens(word, found.end()):
                start, self.at = self.at, found.end()
                return reader(self, word, start)
        return self.chain()

    def _attributes(self) -> None:
        """Attributes of a script's `param` or of a class; anything else in brackets stays to be read."""
        here = self.at
        while self.text.startswith("[", self.at):
            self.bracketed()
            self.blanks(newlines=True)
        found = _WORD.match(self.text, self.at)
        if found is None or found.group().lower() not in ("param", "class", "enum", "function", "filter"):
            self.at = here

    def _opens(self, word: str, end: int) -> bool:
        """Whether a keyword is one here: some words are programs too."""
        if word == "data":
            return _DATA.match(self.text, end) is not None
        opener = _OPENERS.get(word)
        if opener is None:
            return True
        here, self.at = self.at, end
        self.blanks(newlines=word not in ("using", "class", "enum"))
        rest = self.text[self.at : self.at + 1]
        self.at = here
        named = opener.endswith("name") and (rest.isalpha() or rest == "_")
        return bool(rest) and (named or rest in opener.removesuffix("name"))

    def condition(self) -> tuple[tuple[Statement, ...], tuple[int, int]]:
        self.blanks(newlines=True)
        if not self.text.startswith("(", self.at):
            raise self.fail("'(' is missing")
        start = self.at
        self.at += 1
        body = self.statements(")")
        return body, (start, self.at)

    def _next(self, pattern: "re.Pattern[str]") -> str:
        """The keyword that goes on with a statement, perhaps on a later line; else the cursor stays."""
        here = self.at
        self.blanks(newlines=True)
        found = pattern.match(self.text, self.at)
        if found is None:
            self.at = here
            return ""
        self.at = found.end()
        return found.group().lower()

    def read_if(self, word: str, start: int) -> Statement:
        condition, where = self.condition()
        arms = [(condition, where, self.body())]
        while keyword := self._next(_ARM):
            if keyword == "else":
                arms.append(((), (self.at, self.at), self.body()))
                break
            condition, where = self.condition()
            arms.append((condition, where, self.body()))
        return Branch(tuple(arms))

    def read_foreach(self, word: str, start: int) -> Statement:
        self.blanks(newlines=True)
        while (option := _OPTION.match(self.text, self.at)) is not None:
            self.at = option.end()
            self.blanks(newlines=True)
        found = _IN.match(self.text, self.at)
        if found is None:
            raise self.fail("foreach needs a variable and a collection")
        self.at = found.end()
        items = self.statements(")")
        end = self.at
        name = (found.group(1) or found.group(2)).lower()
        return Loop(name, items, (), self.body(), start, end)

    def read_while(self, word: str, start: int) -> Statement:
        before, _ = self.condition()
        end = self.at
        return Loop(None, (), before, self.body(), start, end)

    def read_do(self, word: str, start: int) -> Statement:
        body = self.body()
        before: tuple[Statement, ...] = ()
        if self._next(_UNTIL):
            before, _ = self.condition()
        return Loop(None, (), before, body, start, self.at, once=True)

    def read_switch(self, word: str, start: int) -> Statement:
        options: list[str] = []
        subject: tuple[Statement, ...] = ()
        where = (start, start)
        self.blanks(newlines=True)
        while (option := _OPTION.match(self.text, self.at)) is not None:
            options.append(option.group().lower())
            self.at = option.end()
            self.blanks()
            if options[-1] == "-file":
                begin = self.at
                subject = (Chain((("", Compute(self.argument().value, begin, self.at)),)),)
                where = (begin, self.at)
            self.blanks(newlines=True)
        if not subject:
            subject, where = self.condition()
        self.blanks(newlines=True)
        self.close("{")
        self.deeper()
        cases: list[tuple[Expr | None, tuple[int, int], tuple[Statement, ...]]] = []
        while True:
            self.blanks(newlines=True)
            if self.text.startswith("}", self.at):
                self.at += 1
                break
            if self.at >= len(self.text):
                raise self.fail("'}' is missing")
            begin = self.at
            pattern: Expr | None = self.bare()
            end = self.at
            if self.text[begin:end].lower() == "default":
                pattern = None
            cases.append((pattern, (begin, end), self.body()))
        self.depth -= 1
        return Switch(subject, where, tuple(options), tuple(cases))

    def read_try(self, word: str, start: int) -> Statement:
        body = self.body()
        catches: list[tuple[Statement, ...]] = []
        after: tuple[Statement, ...] = ()
        while keyword := self._next(_CAUGHT):
            self.types()
            if keyword == "finally":
                after = self.body()
                break
            catches.append(self.body())
        return Try(body, tuple(catches), after)

    def read_part(self, word: str, start: int) -> Statement:
        return Block(self.body())

    def read_data(self, word: str, start: int) -> Statement:
        found = _DATA.match(self.text, self.at)
        if found is not None:
            self.at = found.end() - 1
        return Block(self.body())

    def read_using(self, word: str, start: int) -> Statement | None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end
        return None

    def read_leave(self, word: str, start: int) -> Statement:
        self.blanks()
        value = None
        if self.text[self.at : self.at + 1] not in ("", "\n", ";", "}", ")", "|", "&"):
            if word in ("break", "continue"):
                self.argument()
            else:
                value = self.statement()
        return Leave(word, value, start, self.at)

    def script_block(self, start: int) -> ScriptBlock:
        body = self.statements("}")
        params = next((s.params for s in body if isinstance(s, Params)), ())
        return ScriptBlock(params, body, start, self.at)

    # -- pipelines

    def chain(self) -> Statement | None:
        items: list[tuple[str, Invoke | Compute]] = []
        op, background = "", False
        while True:
            self.blanks(newlines=bool(op))
            start = self.at
            if self._computes():
                value = self.expression()
                if not items:
                    assigned = self._assigned(value, start)
                    if assigned is not None:
                        return assigned
                items.append((op, Compute(value, start, self.at)))
                self._redirects()
            else:
                found = self._invoke()
                if found is None:
                    if op:
                        raise self.fail(f"a command is missing after {op!r}")
                    return None
                items.append((op, found))
            self.blanks()
            led = _LED.match(self.text, self.at)
            if led is not None:
                self.at = led.end()
            chained = _CHAINED.match(self.text, self.at)
            if chained is None:
                break
            op, self.at = chained.group(), chained.end()
            if op == "&":
                background = True
                break
        return Chain(tuple(items), background)

    def _computes(self) -> bool:
        """Whether an expression begins here, and no command."""
        text, at = self.text, self.at
        c = text[at : at + 1]
        if not c:
            return False
        if c in "$([!,{" or c in QUOTES:
            return True
        if c == "@":
            return text[at + 1 : at + 2] in tuple("({" + QUOTES)
        if c.isdigit():
            number = NUMBER.match(text, at)
            return number is not None and text[number.end() : number.end() + 1] in (*" \t\r\n;|&)},+-*/%.", "")
        if c in DASH:
            dashed = DASHED.match(text, at)
            return dashed is None or "-" + dashed.group()[1:].lower() in UNARY
        if c == "+":
            return True
        return c == "<" and not text.startswith("<#", at)

    def _assigned(self, target: Expr, start: int) -> Statement | None:
        here = self.at
        self.blanks()
        found = ASSIGNS.match(self.text, self.at)
        if found is None:
            self.at = here
            return None
        self.at = found.end()
        self.blanks(newlines=True)
        return Assign(target, found.group(), self.statement(), start, self.at)

    def _redirects(self) -> None:
        while True:
            here = self.at
            self.blanks()
            if not self._redirect():
                self.at = here
                return

    def _redirect(self) -> bool:
        found = _REDIRECT.match(self.text, self.at)
        if found is None:
            return False
        self.at = found.end()
        if "&" not in found.group():
            if self.at >= len(self.text) or self.text[self.at] in "\r\n;|)}":
                raise self.fail("a file is missing after a redirection")
            self.argument()
        return True

    def _invoke(self) -> Invoke | None:
        start, called = self.at, ""
        found = _CALLED.match(self.text, start)
        if found is not None:
            called, self.at = found.group(), found.end()
            self.blanks(newlines=True)
        words: list[Arg] = []
        end = self.at
        while True:
            before = self.at
            self.blanks()
            c = self.text[self.at : self.at + 1]
            if not c or c in "\n;|)}&" or (c == "`" and self.at + 1 >= len(self.text)):
                break
            if self._redirect():
                continue
            if _VERBATIM.match(self.text, self.at) and words:
                words += self._verbatim()
                end = self.at
                continue
            if c == ",":
                raise self.fail("unexpected ','")
            glued = self.at == before and bool(words) and self.text[before - 1] == ":"
            if words:
                word = self.argument()
            else:
                begin = self.at
                value = self.bare() if called or c in "$@({" or c in QUOTES else self.generic(begin, [])
                word = Arg(value, begin, self.at)
            words.append(Arg(word.value, word.start, word.end, glued))
            end = self.at
        if not words:
            if called:
                raise self.fail(f"a command is missing after {called!r}")
            return None
        return Invoke(tuple(words), called, start, end)

    def _verbatim(self) -> list[Arg]:
        """What stands behind ``--%``: as it is, up to the end of the line or a pipe."""
        self.at += 3
        out: list[Arg] = []
        while True:
            while self.text[self.at : self.at + 1] in (" ", "\t", "\r"):
                self.at += 1
            found = _VERBATIM_WORD.match(self.text, self.at)
            if found is None:
                return out
            self.at = found.end()
            parts = [self.source.cut(*m.span()) for m in _UNQUOTED.finditer(self.text, found.start(), found.end())]
            whole = Text(Traced(tuple(p for part in parts for p in part.pieces)), quoted=True)
            out.append(Arg(whole, found.start(), found.end()))


_UNQUOTED = expression(r'[^"]+')
_OPENERS = {
    "trap": "{[",
    "param": "(",
    **dict.fromkeys(("begin", "process", "end", "clean", "dynamicparam", "parallel", "sequence", "inlinescript"), "{"),
    **dict.fromkeys(("class", "enum", "using"), "name"),
    **dict.fromkeys(("function", "filter", "workflow", "configuration"), "name"),
}
_KEYWORDS: dict[str, Callable[[Reader, str, int], Statement | None]] = {
    "if": Reader.read_if,
    "foreach": Reader.read_foreach,
    "for": Reader.read_while,
    "while": Reader.read_while,
    "do": Reader.read_do,
    "switch": Reader.read_switch,
    "try": Reader.read_try,
    "trap": Reader.read_trap,
    "data": Reader.read_data,
    "using": Reader.read_using,
    **dict.fromkeys(("function", "filter", "workflow", "configuration"), Reader.read_function),
    **dict.fromkeys(("class", "enum"), Reader.read_class),
    "param": Reader.read_param,
    **dict.fromkeys(
        ("begin", "process", "end", "clean", "dynamicparam", "parallel", "sequence", "inlinescript"), Reader.read_part
    ),
    **dict.fromkeys(("return", "exit", "throw", "break", "continue"), Reader.read_leave),
}
