"""Reading ``[[ … ]]`` (bash manual 3.2.5.2). What the test comes to is the business of ``conditions``."""

from flagguard.patterns import expression
from flagguard.shell.simple_reader import SimpleReader
from flagguard.shell.syntax import Binary, Both, Cond, Either, Lit, Node, Not, Part, Test, Unary, WordNode

_UNARY = frozenset("-a -b -c -d -e -f -g -h -k -n -o -p -r -s -t -u -v -w -x -z -G -L -N -O -R -S".split())
_BINARY = frozenset("= == != =~ < > -eq -ne -lt -le -gt -ge -nt -ot -ef".split())
_TEST_WORD = expression(r"[<>]|[^\s()|&;]+")


class ConditionReader(SimpleReader):
    """Reads conditional commands."""

    def conditional(self) -> Node:
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
        found = _TEST_WORD.match(self.text, self.at)
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
