"""From the tokens of a justfile to its items.

Follows just's GRAMMAR.md and its parser (https://github.com/casey/just/blob/1.58.0/src/parser.rs). Names are not
resolved here; attributes and settings that just does not know are kept.
"""

from functools import lru_cache

from flagguard.hosts.just_expressions import Expressions
from flagguard.hosts.just_lexer import JustError, Kind, lex
from flagguard.hosts.just_strings import unescaped
from flagguard.hosts.just_syntax import (
    Alias,
    Argument,
    Assignment,
    Attribute,
    Dependency,
    Function,
    Import,
    Item,
    Justfile,
    Line,
    Mod,
    Node,
    Parameter,
    Recipe,
    Setting,
    Text,
    Unexport,
)
from flagguard.text import SourceText, Traced
from flagguard.values import replace

_KEYED = frozenset({"arg", "cache"})
"""Attributes with `key=value` arguments."""
_LINE_ENDS = frozenset({Kind.EOL, Kind.DEDENT})


@lru_cache(maxsize=256)
def parse(source: SourceText) -> Justfile:
    """The file's items; :class:`JustError` where it is not what just can read."""
    try:
        return _Parser(source, lex(source.text)).justfile()
    except RecursionError:
        raise JustError(0, "nested too deeply to be read") from None


class _Parser(Expressions):
    """Items; expressions are read by the base."""

    def justfile(self) -> Justfile:
        items: list[Item] = []
        while self.next.kind is not Kind.END:
            attributes = self.attributes()
            item = self.item(attributes)
            if item is None and attributes:
                raise JustError(attributes[0].span.start, "an attribute with nothing behind it")
            if item is not None:
                items.append(item)
            if not (isinstance(item, Recipe) and item.body):
                self.line_end()
        return Justfile(self.source.path, tuple(items))

    def line_end(self) -> None:
        self.accept(Kind.COMMENT)
        if self.next.kind is not Kind.END:
            self.expect(Kind.EOL)

    def item(self, attributes: tuple[Attribute, ...]) -> Item | None:
        token = self.next
        if token.kind in (Kind.EOL, Kind.COMMENT):
            return None
        if self.sign("@"):
            return self.recipe(attributes)
        if token.kind is not Kind.NAME:
            raise self.unexpected()
        following, third = self.peek(1), self.peek(2)
        named = following.kind is Kind.NAME
        assigned = third.text == ":=" and third.kind is Kind.SIGN
        match token.text:
            case "alias" if named and assigned:
                return self.alias(attributes)
            case "export" if named and assigned:
                self.advance()
                return self.assignment(attributes, export=True)
            case "eager" if named and assigned:
                self.advance()
                return self.assignment(attributes, eager=True)
            case "unexport" if named and self.line_ends(2):
                self.advance()
                name = self.name()
                return Unexport(name.text, self.span(name.start, name.end), attributes)
            case "import" if following.text == "?" or self.string_at(1):
                return self.imported(attributes)
            case "mod" if following.text == "?" or (named and (self.line_ends(2) or self.string_at(2))):
                return self.module(attributes)
            case "set" if named and (assigned or self.line_ends(2)):
                return self.setting(attributes)
        if following.kind is Kind.SIGN and following.text == "(":
            return self.function(attributes)
        if following.kind is Kind.SIGN and following.text == ":=":
            return self.assignment(attributes)
        return self.recipe(attributes)

    def line_ends(self, ahead: int) -> bool:
        return self.peek(ahead).kind in (Kind.COMMENT, Kind.EOL, Kind.END)

    def string_at(self, ahead: int) -> bool:
        token, following = self.peek(ahead), self.peek(ahead + 1)
        return token.kind is Kind.STRING or (token.text == "x" and following.kind is Kind.STRING)

    def alias(self, attributes: tuple[Attribute, ...]) -> Alias:
        self.advance()
        name = self.name()
        self.advance()
        return Alias(name.text, self.span(name.start, name.end), self.path(), attributes)

    def assignment(self, attributes: tuple[Attribute, ...], export: bool = False, eager: bool = False) -> Assignment:
        name = self.name()
        self.expect_sign(":=")
        span = self.span(name.start, name.end)
        return Assignment(name.text, span, self.expression(), export, eager, attributes)

    def imported(self, attributes: tuple[Attribute, ...]) -> Import:
        self.advance()
        optional = self.sign("?")
        path = self.string()
        return Import(path.span, path, optional, attributes)

    def module(self, attributes: tuple[Attribute, ...]) -> Mod:
        self.advance()
        optional = self.sign("?")
        name = self.name()
        path = self.string() if self.string_at(0) else None
        return Mod(name.text, self.span(name.start, name.end), path, optional, attributes)

    def function(self, attributes: tuple[Attribute, ...]) -> Function:
        name = self.name()
        self.expect_sign("(")
        parameters = []
        while not self.is_sign(")"):
            parameters.append(self.name().text)
            if not self.sign(","):
                break
        self.expect_sign(")")
        self.expect_sign(":=")
        return Function(name.text, self.span(name.start, name.end), tuple(parameters), self.expression(), attributes)

    def setting(self, attributes: tuple[Attribute, ...]) -> Setting:
        self.advance()
        name = self.name()
        span = self.span(name.start, name.end)
        if not self.sign(":="):
            return Setting(name.text, span, True, attributes)
        if self.next.text in ("true", "false") and self.line_ends(1):
            return Setting(name.text, span, self.advance().text == "true", attributes)
        return Setting(name.text, span, self.expression(), attributes)

    # -- attributes

    def attributes(self) -> tuple[Attribute, ...]:
        found: list[Attribute] = []
        while self.sign("["):
            while True:
                found.append(self.attribute())
                if not self.sign(","):
                    break
            self.expect_sign("]")
            self.line_end()
        return tuple(found)

    def attribute(self) -> Attribute:
        name = self.name()
        span = self.span(name.start, name.end)
        arguments: list[Node] = []
        keys: dict[str, Node | None] = {}
        if self.sign(":"):
            arguments.append(self.expression())
        elif self.sign("("):
            while not self.is_sign(")"):
                if name.text in _KEYED and self.next.kind is Kind.NAME and not self.string_at(0):
                    key = self.name().text
                    keys[key] = self.expression() if self.sign("=") else None
                else:
                    arguments.append(self.expression())
                if not self.sign(","):
                    break
            self.expect_sign(")")
        return Attribute(name.text, span, tuple(arguments), keys)

    # -- recipes

    def recipe(self, attributes: tuple[Attribute, ...]) -> Recipe:
        name = self.name()
        parameters: list[Parameter] = []
        while self.is_sign("$") or self.next.kind is Kind.NAME:
            parameters.append(self.parameter(""))
        if self.is_sign("*") or self.is_sign("+"):
            parameters.append(self.parameter(self.advance().text))
        self.expect_sign(":")
        before = self.dependencies()
        after: tuple[Dependency, ...] = ()
        if self.sign("&&"):
            after = self.dependencies()
            if not after:
                raise self.unexpected()
        ahead = 1 if self.next.kind is Kind.COMMENT else 0
        if self.peek(ahead).kind is Kind.EOL and self.peek(ahead + 1).kind is Kind.INDENT:
            self.line_end()
        span = self.span(name.start, name.end)
        flags = {
            a.arguments[0].value.text
            for a in attributes
            if "flag" in a.keys and a.arguments and isinstance(a.arguments[0], Text)
        }
        parameters = [replace(p, flag=True) if p.name in flags else p for p in parameters]
        return Recipe(name.text, span, tuple(parameters), before, after, self.body(), attributes)

    def parameter(self, many: str) -> Parameter:
        export = self.sign("$")
        name = self.name()
        default = self.value() if self.sign("=") else None
        return Parameter(name.text, self.span(name.start, name.end), many, export, default)

    def dependencies(self) -> tuple[Dependency, ...]:
        found: list[Dependency] = []
        while True:
            start = self.next.start
            if self.next.kind is Kind.NAME:
                found.append(Dependency(self.span(start, self.next.end), self.path()))
                continue
            if not self.is_sign("*") and not self.is_sign("("):
                return tuple(found)
            mapped = self.sign("*")
            self.expect_sign("(")
            target = self.path()
            arguments = []
            while not self.is_sign(")"):
                starred = self.sign("*")
                arguments.append(Argument(self.value() if starred else self.expression(), starred))
            end = self.expect_sign(")").end
            found.append(Dependency(self.span(start, end), target, tuple(arguments), mapped))

    def path(self) -> tuple[str, ...]:
        names = [self.name().text]
        while self.sign("::"):
            names.append(self.name().text)
        return tuple(names)

    def body(self) -> tuple[Line, ...]:
        lines: list[Line] = []
        if not self.accept(Kind.INDENT):
            return ()
        while not self.accept(Kind.DEDENT):
            start = self.next.start
            parts: list[Traced | Node] = []
            while self.next.kind not in _LINE_ENDS:
                if self.next.kind is Kind.TEXT:
                    token = self.advance()
                    parts.append(unescaped(self.source.traced(token.start, token.end)))
                    continue
                self.expect(Kind.OPEN)
                parts.append(self.expression())
                self.expect(Kind.CLOSE)
            lines.append(Line(self.span(start, self.next.start), tuple(parts)))
            self.accept(Kind.EOL)
        while lines and not lines[-1].parts:
            lines.pop()
        return tuple(lines)
