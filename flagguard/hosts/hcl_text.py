"""HCL as a tree of blocks and expressions, and the values of the expressions as far as they are known.

Follows https://github.com/hashicorp/hcl/blob/main/hclsyntax/spec.md. What the blocks mean is not known here; neither
are most functions (:mod:`flagguard.hosts.hcl_functions`).
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from flagguard.hosts.github_values import Unknown, Value, constant, number, string
from flagguard.hosts.hcl_functions import COMPUTED, apply, combined, said_of
from flagguard.hosts.tree import Entry, Items, Kind, Node, Scalar, Table
from flagguard.patterns import expression
from flagguard.text import Decider, Hole, Piece, SourceText, Span, Traced, hole, join, literal, too_long
from flagguard.values import dataclass

_TOKEN = expression(
    r"(?P<blank>[ \t\r\ufeff]+)|(?P<line>\n)|(?P<comment>(?:\#|//)[^\n]*|/\*[\s\S]*?(?:\*/|\Z))"
    r"|(?P<heredoc><<-?([A-Za-z_]\w*)[ \t]*\r?\n)|(?P<name>[A-Za-z_][\w-]*)|(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"|(?P<mark>&&|\|\||[=!<>]=|=>|\.\.\.|[-+*/%!<>=?:.,(){}\[\]])"
)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_DEEPEST = 100
_PRECEDENCE: tuple[tuple[str, ...], ...] = (
    ("||",), ("&&",), ("==", "!="), ("<", ">", "<=", ">="), ("+", "-"), ("*", "/", "%"),
)  # fmt: skip


class Broken(Exception):
    """Not HCL; where that shows."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Attribute:
    name: str
    key: Span
    tokens: tuple[Token, ...]


@dataclass(frozen=True)
class Block:
    kind: str
    labels: tuple[str, ...]
    at: Span
    attributes: Mapping[str, Attribute]
    blocks: tuple["Block", ...] = ()


def read(source: SourceText) -> Block:
    """The file as one block. Raises Broken."""
    tokens = list(_tokens(source))
    reader = _Blocks(source, tokens)
    return reader.body("", (), Span(source.path, 0, 0), "end")


def _tokens(source: SourceText) -> Iterator[Token]:
    text, at = source.text, 0
    while at < len(text):
        if text[at] == '"':
            end = _string_end(text, at + 1)
            if end is None:
                raise Broken("a string that does not end", at)
            yield Token("string", text[at:end], at, end)
            at = end
            continue
        found = _TOKEN.match(text, at)
        if found is None:
            raise Broken(f"cannot be read at “{text[at]}”", at)
        kind = found.lastgroup or ""
        if found["heredoc"] is not None:
            close = re.compile(rf"^[ \t]*{found[5]}[ \t]*\r?$", re.MULTILINE).search(text, found.end())
            if close is None:
                raise Broken("a text that does not end", at)
            yield Token("heredoc", text[at : close.end()], at, close.end())
            at = close.end()
            continue
        if kind in ("line", "name", "number", "mark"):
            yield Token(kind, found[0], at, found.end())
        at = found.end()
    yield Token("end", "", len(text), len(text))


def _string_end(text: str, at: int) -> int | None:
    depth = 0
    while at < len(text):
        char = text[at]
        if char == "\\" and not depth:
            at += 2
            continue
        if text.startswith(("$${", "%%{"), at):
            at += 3
            continue
        if text.startswith(("${", "%{"), at):
            depth += 1
            at += 2
            continue
        if depth and char == '"':
            inner = _string_end(text, at + 1)
            if inner is None:
                return None
            at = inner
            continue
        if depth:
            depth += (char == "{") - (char == "}")
        elif char == '"':
            return at + 1
        elif char == "\n":
            return None
        at += 1
    return None


class _Blocks:
    def __init__(self, source: SourceText, tokens: Sequence[Token]) -> None:
        self.source, self.tokens, self.at = source, tokens, 0
        self.depth = 0

    def body(self, kind: str, labels: tuple[str, ...], at: Span, until: str) -> Block:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Broken("blocks are nested too deeply", at.start)
        attributes: dict[str, Attribute] = {}
        blocks: list[Block] = []
        while True:
            token = self.tokens[self.at]
            if token.kind == "line":
                self.at += 1
            elif token.text == until or (token.kind == "end" and until == "end"):
                self.at += 1
                self.depth -= 1
                return Block(kind, labels, at, attributes, tuple(blocks))
            elif token.kind in ("name", "string"):
                self._item(token, attributes, blocks)
            else:
                raise Broken(f"cannot be read at “{token.text or 'the end'}”", token.start)

    def _item(self, token: Token, attributes: dict[str, Attribute], blocks: list[Block]) -> None:
        key = Span(self.source.path, token.start, token.end)
        self.at += 1
        if self.tokens[self.at].text == "=":
            self.at += 1
            name = token.text.strip('"')
            attributes[name] = Attribute(name, key, tuple(self._expression()))
            return
        labels: list[str] = []
        while self.tokens[self.at].kind in ("name", "string"):
            labels.append(self.tokens[self.at].text.strip('"'))
            self.at += 1
        opened = self.tokens[self.at]
        if opened.text != "{":
            raise Broken(f"cannot be read at “{opened.text.strip() or 'the end of the line'}”", opened.start)
        self.at += 1
        blocks.append(self.body(token.text, tuple(labels), key, "}"))

    def _expression(self) -> Iterator[Token]:
        depth = 0
        while True:
            token = self.tokens[self.at]
            if token.kind == "end" or (token.kind == "line" and not depth):
                if depth:
                    raise Broken("a bracket that does not end", token.start)
                return
            if token.kind == "mark" and token.text in ("(", "[", "{"):
                depth += 1
            elif token.kind == "mark" and token.text in (")", "]", "}"):
                if not depth:
                    return
                depth -= 1
            if token.kind != "line" or depth:
                yield token
            self.at += 1


# -- values -----------------------------------------------------------------------------------------------------------

Lookup = Callable[[tuple[str, ...]], Value]
"""The value of a name with its properties; of a function's name with `CALLED`, what the file defines it as."""
CALLED = "()"


@dataclass(frozen=True)
class Defined(Unknown):
    """A function that the file defines."""

    call: Callable[[Sequence[Value]], Value] = lambda _: COMPUTED


def evaluate(source: SourceText, tokens: Sequence[Token], lookup: Lookup) -> Value:
    try:
        parser = _Values(source, tokens, lookup)
        value = parser.conditional()
        return value if parser.peek() is None else COMPUTED
    except (Broken, RecursionError, IndexError):
        return COMPUTED


def template(source: SourceText, start: int, end: int, lookup: Lookup, escapes: bool = True) -> Traced:
    """A text with `${ }` in it."""
    text = source.text
    parts: list[Traced] = []
    at = begin = start
    while at < end:
        if text.startswith(("$${", "%%{"), at):
            parts += [source.traced(begin, at + 1)]
            at += 2
            begin = at
        elif text.startswith("${", at):
            stop = _hole_end(text, at + 2, end)
            parts.append(source.traced(begin, at))
            tokens = [t for t in _after(text, at + 2, stop - 1, source.path) if t.kind not in ("line", "end")]
            value = evaluate(source, tokens, lookup)
            said = said_of(value)
            written = source.traced(at, stop)
            parts.append(said.through(written.route) if said is not None else gap(value, written))
            at = begin = stop
        elif text.startswith("%{", at):
            stop = _hole_end(text, at + 2, end)
            parts += [source.traced(begin, at), gap(COMPUTED, source.traced(at, stop))]
            at = begin = stop
        elif escapes and text[at] == "\\" and at + 1 < end:
            parts.append(source.traced(begin, at))
            said_text = _ESCAPES.get(text[at + 1], text[at + 1])
            parts.append(Traced((Piece(said_text, (Span(source.path, at, at + 2),)),)))
            at += 2
            begin = at
        else:
            at += 1
    whole = join([*parts, source.traced(begin, end)])
    if too_long(whole):
        return gap(Unknown("the value is too long to follow", Decider.REPOSITORY), source.traced(start, end))
    return whole


def _after(text: str, start: int, end: int, path: str) -> Iterator[Token]:
    for token in _tokens(SourceText(path, text[start:end])):
        yield Token(token.kind, token.text, token.start + start, token.end + start)


def _hole_end(text: str, at: int, end: int) -> int:
    depth = 1
    while at < end and depth:
        if text[at] == '"':
            at = _string_end(text, at + 1) or end
            continue
        depth += (text[at] == "{") - (text[at] == "}")
        at += 1
    return at


def gap(value: Value, written: Traced) -> Traced:
    """The hole that stands for a value in a text."""
    reason, decider = (value.reason, value.decider) if isinstance(value, Unknown) else ("no text", Decider.REPOSITORY)
    return hole(Hole(written.shown, reason, decider)).through(written.route)


class _Values:
    """Recursive descent, evaluating as it goes."""

    def __init__(self, source: SourceText, tokens: Sequence[Token], lookup: Lookup) -> None:
        self.source, self.lookup = source, lookup
        self.tokens = [t for t in tokens if t.kind != "line"]
        self.at = 0

    def peek(self) -> str | None:
        return self.tokens[self.at].text if self.at < len(self.tokens) else None

    def accept(self, *marks: str) -> str | None:
        if self.at < len(self.tokens) and self.tokens[self.at].kind == "mark" and self.tokens[self.at].text in marks:
            self.at += 1
            return self.tokens[self.at - 1].text
        return None

    def expect(self, mark: str) -> None:
        if self.accept(mark) is None:
            raise Broken("no expression", self.tokens[min(self.at, len(self.tokens) - 1)].start)

    def conditional(self) -> Value:
        value = self.binary(0)
        if self.accept("?"):
            yes = self.conditional()
            self.expect(":")
            no = self.conditional()
            if isinstance(value, Scalar) and value.text.known:
                return yes if value.value is True or value.text.text == "true" else no
            return COMPUTED
        return value

    def binary(self, level: int) -> Value:
        if level == len(_PRECEDENCE):
            return self.unary()
        value = self.binary(level + 1)
        while operator := self.accept(*_PRECEDENCE[level]):
            value = combined(operator, value, self.binary(level + 1))
        return value

    def unary(self) -> Value:
        if self.accept("!"):
            value = self.unary()
            return constant(value.value is not True) if isinstance(value, Scalar) and value.text.known else COMPUTED
        if self.accept("-"):
            value = self.unary()
            return constant(-number(value)) if isinstance(value, Scalar) and value.text.known else COMPUTED
        return self.indexed(self.primary())

    def indexed(self, value: Value) -> Value:
        while True:
            if self.accept("["):
                index = self.conditional()
                self.expect("]")
                value = _into(value, index)
            elif self.accept("."):
                token = self.tokens[self.at]
                self.at += 1
                value = _into(value, string(literal(token.text)))
            else:
                return value

    def primary(self) -> Value:
        token = self.tokens[self.at]
        self.at += 1
        if token.kind == "string":
            return string(template(self.source, token.start + 1, token.end - 1, self.lookup))
        if token.kind == "heredoc":
            first = self.source.text.index("\n", token.start) + 1
            last = self.source.text.rfind("\n", first, token.end) + 1
            return string(template(self.source, first, max(last, first), self.lookup, escapes=False))
        if token.kind == "number":
            at = Span(self.source.path, token.start, token.end)
            read = float(token.text)
            whole = "." not in token.text and read.is_integer()  # `1e999` is no integer
            return Scalar(at, literal(token.text, at), Kind.NUMBER, int(read) if whole else read)
        if token.text == "(":
            value = self.conditional()
            self.expect(")")
            return value
        if token.text == "[":
            return self._list(token)
        if token.text == "{":
            return self._table(token)
        if token.kind != "name":
            raise Broken("no expression", token.start)
        if token.text in ("true", "false"):
            at = Span(self.source.path, token.start, token.end)
            return Scalar(at, literal(token.text, at), Kind.BOOLEAN, token.text == "true")
        if token.text == "null":
            return constant(None)
        if self.accept("("):
            return self._call(token.text)
        names = [token.text]
        while self.accept("."):
            names.append(self.tokens[self.at].text)
            self.at += 1
        return self.lookup(tuple(names))

    def _list(self, opened: Token) -> Value:
        if self.peek() == "for":
            self._skip("]")
            return COMPUTED
        found: list[Node] = []
        while self.accept("]") is None:
            found.append(self._node())
            self.accept(",")
        return Items(Span(self.source.path, opened.start, self.tokens[self.at - 1].end), tuple(found))

    def _node(self) -> Node:
        """An expression as a value; one that is not known is a hole in a text."""
        start = self.tokens[self.at].start
        value = self.conditional()
        if not isinstance(value, Unknown):
            return value
        return string(gap(value, self.source.traced(start, self.tokens[self.at - 1].end)))

    def _table(self, opened: Token) -> Value:
        if self.peek() == "for":
            self._skip("}")
            return COMPUTED
        entries: list[Entry] = []
        while self.accept("}") is None:
            token = self.tokens[self.at]
            if token.kind == "name":
                self.at += 1
                name = token.text
            else:
                key = said_of(self.conditional())
                name = key.shown if key is not None else "…"
            if self.accept("=", ":") is None:
                raise Broken("no expression", token.start)
            entries.append(Entry(name, Span(self.source.path, token.start, token.end), self._node()))
            self.accept(",")
        return Table(Span(self.source.path, opened.start, self.tokens[self.at - 1].end), tuple(entries))

    def _skip(self, until: str) -> None:
        depth = 0
        while depth or self.peek() != until:
            text = self.peek()
            if text is None:
                raise Broken("a bracket that does not end", 0)
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            self.at += 1
        self.at += 1

    def _call(self, name: str) -> Value:
        arguments: list[Value] = []
        while self.accept(")") is None:
            arguments.append(self.conditional())
            self.accept(",", "...")
        found = apply(name, arguments)
        if found is None:
            own = self.lookup((name, CALLED))
            found = own.call(arguments) if isinstance(own, Defined) else COMPUTED
        return found


def _into(value: Value, index: Value) -> Value:
    if isinstance(index, Scalar) and index.text.known:
        if isinstance(value, Table):
            return value.get(index.text.text) or COMPUTED
        if isinstance(value, Items):
            at = number(index)
            return value.items[int(at)] if 0 <= at < len(value.items) else COMPUTED
    return COMPUTED


def encode(source: SourceText, span: Span, text: str) -> str | None:
    """What to write in place of ``span``, inside of a string, so that it says ``text`` there."""
    try:
        inside = any(t.kind == "string" and t.start < span.start and span.end < t.end for t in _tokens(source))
    except Broken:
        return None
    if not inside:
        return None
    out = text.replace("\\", "\\\\").replace('"', '\\"').replace("${", "$${").replace("%{", "%%{")
    return out.replace("\n", "\\n").replace("\t", "\\t")
