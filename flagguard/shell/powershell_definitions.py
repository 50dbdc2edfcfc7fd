"""PowerShell's definitions: functions, their parameters, classes, traps (about_Functions, about_Classes, about_Trap).

Types and attributes are only skipped: no command stands in them.
"""

from flagguard.patterns import expression
from flagguard.shell.powershell_syntax import Block, Define, Expr, Params, Statement, Text, Unary
from flagguard.shell.powershell_words import Words
from flagguard.shell.syntax import ShellSyntaxError
from flagguard.text import Traced

SWITCH = "[switch]"
"""The operator of the default of a switch parameter."""
_NAMED = expression(r"[^\s({;|&]+")
_CLASS = expression(r"\s+\w+[^{]*")
_MEMBER_WORD = expression(r"[\w$:.,-]+")


class Definitions(Words):
    """Reads definitions."""

    def body(self) -> tuple[Statement, ...]:
        self.blanks(newlines=True)
        if not self.text.startswith("{", self.at):
            raise self.fail("'{' is missing")
        self.at += 1
        return self.statements("}")

    def types(self) -> None:
        while True:
            self.blanks(newlines=True)
            if self.text.startswith("[", self.at):
                self.bracketed()
            elif self.text.startswith(",", self.at):
                self.at += 1
            else:
                return

    def read_trap(self, word: str, start: int) -> Statement:
        self.types()
        return Define("", (), self.body(), "an error is trapped")

    def read_function(self, word: str, start: int) -> Statement:
        self.blanks()
        found = _NAMED.match(self.text, self.at)
        if found is None:
            raise self.fail(f"a name is missing after {word}")
        self.at = found.end()
        self.blanks(newlines=True)
        params: tuple[tuple[str, Expr | None], ...] = ()
        if self.text.startswith("(", self.at):
            self.at += 1
            params = self.params()
        body = self.body()
        own = next((s.params for s in body if isinstance(s, Params)), ())
        return Define(found.group().rsplit(":", 1)[-1], params or own, body)

    def params(self) -> tuple[tuple[str, Expr | None], ...]:
        """Parameters behind the parenthesis: each name with its default."""
        out: list[tuple[str, Expr | None]] = []
        switch: Expr | None = None
        self.deeper()
        while True:
            self.blanks(newlines=True)
            start = self.at
            c = self.text[start : start + 1]
            if c == ")":
                self.at += 1
                self.depth -= 1
                return tuple(out)
            if c == ",":
                self.at += 1
            elif c == "[":
                self.bracketed()
                if self.text[start : self.at].lower() == "[switch]":
                    switch = Unary(SWITCH, Text(Traced()), start, self.at)
            elif c == "$":
                variable = self.dollar()
                self.blanks(newlines=True)
                default, switch = switch, None
                if self.text.startswith("=", self.at):
                    self.at += 1
                    self.blanks(newlines=True)
                    default = self.expression(commas=False)
                out.append((getattr(variable, "name", ""), default))
            else:
                raise self.fail(f"unexpected {c!r} among parameters" if c else "')' is missing")

    def read_param(self, word: str, start: int) -> Statement:
        self.close("(")
        return Params(self.params())

    def read_class(self, word: str, start: int) -> Statement | None:
        """A class or an enumeration: its methods are functions that somebody may call."""
        head = _CLASS.match(self.text, self.at)
        if head is None:
            raise self.fail(f"a name is missing after {word}")
        name = head.group().split()[0]
        self.at = head.end()
        self.close("{")
        methods: list[Statement] = []
        params: tuple[tuple[str, Expr | None], ...] = ()
        self.deeper()
        while True:
            self.blanks(newlines=True)
            c = self.text[self.at : self.at + 1]
            if not c:
                raise self.fail("'}' is missing")
            if c == "}":
                self.at += 1
                break
            if c == "{":
                methods.append(Define("", params, self.body(), f"a method of {name} is called"))
                params = ()
            elif c == "(":
                self.at += 1
                params = self._method_head() or params
            elif c == "[":
                self.bracketed()
            elif c == "=" and word == "class":
                self.at += 1
                self.blanks(newlines=True)
                self.statement()
            else:
                found = _MEMBER_WORD.match(self.text, self.at)
                self.at = found.end() if found is not None else self.at + 1
        self.depth -= 1
        return Block(tuple(methods)) if methods else None

    def _method_head(self) -> tuple[tuple[str, Expr | None], ...]:
        """Parameters of a method, or what it gives to `base`."""
        here = self.at
        try:
            return self.params()
        except ShellSyntaxError:
            self.at = here
            self.depth -= 1
            self.arguments()
            return ()
