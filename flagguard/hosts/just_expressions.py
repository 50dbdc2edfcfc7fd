"""just's expressions, read from tokens ("grammar" in GRAMMAR.md, from `expression` to `sequence`)."""

from flagguard.hosts.just_lexer import JustError, Kind, Token
from flagguard.hosts.just_strings import content, format_part, quotes_of
from flagguard.hosts.just_syntax import (
    Assert,
    Backtick,
    Binary,
    Call,
    Format,
    If,
    Listed,
    Name,
    Node,
    Not,
    Text,
)
from flagguard.text import SourceText, Span, Traced

MOST_DEEP = 256
"""How deep just lets expressions stand in each other."""


class Expressions:
    """Reads tokens one after another."""

    def __init__(self, source: SourceText, tokens: list[Token]) -> None:
        self.source = source
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    # -- tokens

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def peek(self, ahead: int) -> Token:
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def advance(self) -> Token:
        token = self.tokens[self.at]
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def accept(self, kind: Kind) -> Token | None:
        return self.advance() if self.next.kind is kind else None

    def expect(self, kind: Kind) -> Token:
        found = self.accept(kind)
        if found is None:
            raise self.unexpected(kind.value)
        return found

    def is_sign(self, text: str) -> bool:
        return self.next.kind is Kind.SIGN and self.next.text == text

    def sign(self, text: str) -> bool:
        if self.is_sign(text):
            self.advance()
            return True
        return False

    def expect_sign(self, text: str) -> Token:
        if not self.is_sign(text):
            raise self.unexpected(f"`{text}`")
        return self.advance()

    def name(self) -> Token:
        return self.expect(Kind.NAME)

    def word(self, text: str) -> bool:
        return self.next.kind is Kind.NAME and self.next.text == text

    def unexpected(self, wanted: str = "") -> JustError:
        token = self.next
        shown = f"`{token.text}`" if token.kind in (Kind.NAME, Kind.SIGN) else token.kind.value
        return JustError(
            token.start, f"{wanted} has to stand here, not {shown}" if wanted else f"{shown} cannot stand here"
        )

    def span(self, start: int, end: int) -> Span:
        return Span(self.source.path, start, end)

    def since(self, start: int) -> Span:
        """From ``start`` to the end of the last token."""
        return self.span(start, max(self.tokens[self.at - 1].end, start))

    # -- expressions

    def expression(self) -> Node:
        if self.depth >= MOST_DEEP:
            raise JustError(self.next.start, "the expression is nested too deeply")
        self.depth += 1
        start = self.next.start
        found = self._disjunct()
        if self.sign("||"):
            found = Binary(self.since(start), "||", found, self.expression())
        self.depth -= 1
        return found

    def _disjunct(self) -> Node:
        start = self.next.start
        found = self._comparison()
        if self.sign("&&"):
            return Binary(self.since(start), "&&", found, self._disjunct())
        return found

    def _comparison(self) -> Node:
        start = self.next.start
        left = self._conjunct()
        for operator in ("==", "!=", "=~", "!~"):
            if self.sign(operator):
                right = self._conjunct()
                return Binary(self.since(start), operator, left, right)
        return left

    def _conjunct(self) -> Node:
        start = self.next.start
        if self.word("if"):
            return self._conditional()
        left = None if self.is_sign("/") else self.value()
        for operator in ("/", "++", "+"):
            if self.sign(operator):
                self.depth += 1
                if self.depth > MOST_DEEP:
                    raise JustError(self.next.start, "the expression is nested too deeply")
                right = self._conjunct()
                self.depth -= 1
                return Binary(self.since(start), operator, left, right)
        assert left is not None
        return left

    def _conditional(self) -> If:
        start = self.advance().start
        condition = self.expression()
        self.expect_sign("{")
        then = self.expression()
        self.expect_sign("}")
        otherwise: Node | None = None
        if self.word("else"):
            self.advance()
            if self.word("if"):
                otherwise = self._conditional()
            else:
                self.expect_sign("{")
                otherwise = self.expression()
                self.expect_sign("}")
        return If(self.since(start), condition, then, otherwise)

    def value(self) -> Node:
        token = self.next
        start = token.start
        if self.sign("!"):
            return Not(self.since(start), self.value())
        following = self.peek(1)
        adjacent = token.kind is Kind.NAME and following.start == token.end
        if token.kind is Kind.STRING or (adjacent and token.text == "x" and following.kind is Kind.STRING):
            return self.string()
        if adjacent and token.text == "f" and following.kind in (Kind.STRING, Kind.FORMAT_START):
            return self._format()
        if token.kind is Kind.BACKTICK:
            self.advance()
            command = content(self.source, token)
            if command.text.startswith("#!"):
                raise JustError(start, "a backtick may not begin with `#!`")
            return Backtick(self.since(start), command)
        if token.kind is Kind.NAME:
            return self._named()
        if self.sign("("):
            found = self.expression()
            self.expect_sign(")")
            return found
        if self.sign("["):
            return Listed(*self._sequence(start, "]"))
        raise self.unexpected()

    def string(self) -> Text:
        start = self.next.start
        expands = self.word("x")
        if expands:
            self.advance()
        token = self.expect(Kind.STRING)
        return Text(self.since(start), content(self.source, token), expands)

    def _format(self) -> Format:
        start = self.advance().start
        token = self.advance()
        quotes = quotes_of(token.text)
        parts: list[Traced | Node] = [format_part(self.source, token, quotes)]
        while token.kind in (Kind.FORMAT_START, Kind.FORMAT_MIDDLE):
            parts.append(self.expression())
            if self.next.kind not in (Kind.FORMAT_MIDDLE, Kind.FORMAT_END):
                raise self.unexpected("`}}`")
            token = self.advance()
            parts.append(format_part(self.source, token, quotes))
        return Format(self.since(start), tuple(parts), len(quotes) == 3)

    def _named(self) -> Node:
        name = self.advance()
        if name.text == "assert" and self.is_sign("("):
            self.advance()
            condition = self.expression()
            message = self.expression() if self.sign(",") else None
            self.expect_sign(")")
            return Assert(self.since(name.start), condition, message)
        if self.sign("("):
            span, arguments = self._sequence(name.start, ")")
            return Call(span, name.text, arguments)
        return Name(self.since(name.start), name.text)

    def _sequence(self, start: int, closing: str) -> tuple[Span, tuple[Node, ...]]:
        items: list[Node] = []
        while not self.is_sign(closing):
            items.append(self.expression())
            if not self.sign(","):
                break
        self.expect_sign(closing)
        return self.since(start), tuple(items)
