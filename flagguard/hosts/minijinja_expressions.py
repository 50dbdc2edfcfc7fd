"""The expressions of MiniJinja's templates, read and worked out at once.

Follows https://docs.rs/minijinja/latest/minijinja/syntax/ ("Expressions"). Blocks are not known here.
"""

from collections.abc import Mapping

from flagguard.hosts.minijinja_values import FILTERS, METHODS, TESTS, UNDEFINED, Unknown, Value, equal, text_of, truth
from flagguard.patterns import expression
from flagguard.text import EMPTY, Traced, join, literal, too_long
from flagguard.values import dataclass, field

STRING = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
_TOKEN = expression(
    rf"\s*(?:(?P<string>{STRING})|(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<op>==|!=|<=|>=|//|\*\*|[-+*/%~|.,:()\[\]<>=]))"
)
_ESCAPE = expression(r"\\(.)")
_COMPARED = ("==", "!=", "<", ">", "<=", ">=")


class TemplateError(Exception):
    """MiniJinja would refuse the template: why, and where in it."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


@dataclass(slots=True)
class Expression:
    """Reads one expression and works it out at once."""

    template: Traced
    names: Mapping[str, Value]
    end: int
    at: int = 0
    idle: int = 0
    """Above 0 in an arm that is not taken: what is unknown there does not count."""
    tokens: list[tuple[str, str, int, int]] = field(default_factory=list)

    def value(self, start: int) -> Value:
        raw, at = self.template.text, start
        while at < self.end and raw[at : self.end].strip():
            found = _TOKEN.match(raw, at, self.end)
            if found is None:
                raise TemplateError("the expression cannot be read", at)
            kind = found.lastgroup or ""
            self.tokens.append((kind, found[kind], found.start(kind), found.end(kind)))
            at = found.end()
        value = self._ternary()
        if self.at < len(self.tokens):
            raise TemplateError("the expression cannot be read", self.tokens[self.at][2])
        return value

    def _peek(self, *said: str) -> bool:
        return self.at < len(self.tokens) and self.tokens[self.at][1] in said and self.tokens[self.at][0] != "string"

    def _take(self, *said: str) -> bool:
        if self._peek(*said):
            self.at += 1
            return True
        return False

    def _need(self, said: str) -> None:
        if not self._take(said):
            raise TemplateError(f"`{said}` is missing", self.end)

    def _ternary(self) -> Value:
        start = self.at
        self.idle += 1
        value = self._or()
        self.idle -= 1
        if not self._peek("if"):
            self.at = start
            return self._or()
        self.at += 1
        chosen = truth(self._or())
        after = self.at
        if not chosen:
            return self._ternary() if self._take("else") else EMPTY
        self.at = start
        value = self._or()
        self.at = after
        if self._take("else"):
            self.idle += 1
            self._ternary()
            self.idle -= 1
        return value

    def _or(self) -> Value:
        value = self._and()
        while self._take("or"):
            decided = not self.idle and truth(value)
            other = self._skipped(self._and) if decided else self._and()
            value = value if decided else other
        return value

    def _and(self) -> Value:
        value = self._not()
        while self._take("and"):
            decided = not self.idle and not truth(value)
            other = self._skipped(self._not) if decided else self._not()
            value = value if decided else other
        return value

    def _skipped(self, read: "object") -> Value:
        self.idle += 1
        value: Value = read()  # type: ignore[operator]
        self.idle -= 1
        return value

    def _not(self) -> Value:
        if self._take("not"):
            value = self._not()
            return value if self.idle else not truth(value)
        return self._compared()

    def _compared(self) -> Value:
        value = self._joined()
        while True:
            negated = self._peek("not") and self.at + 1 < len(self.tokens) and self.tokens[self.at + 1][1] == "in"
            if negated:
                self.at += 1
            if self._take("in"):
                other = self._joined()
                value = False if self.idle else (_within(value, other) is not negated)
                continue
            sign = next((s for s in _COMPARED if self._take(s)), None)
            if sign is None:
                return value
            other = self._joined()
            value = False if self.idle else _compare(sign, value, other)

    def _joined(self) -> Value:
        value = self._sum()
        while self._take("~"):
            value = _bounded(join([text_of(value), text_of(self._sum())]))
        return value

    def _sum(self) -> Value:
        value = self._product()
        while self._peek("+", "-"):
            sign = self.tokens[self.at][1]
            self.at += 1
            value = self._arithmetic(sign, value, self._product())
        return value

    def _product(self) -> Value:
        value = self._postfix()
        while self._peek("*", "/", "//", "%"):
            sign = self.tokens[self.at][1]
            self.at += 1
            value = self._arithmetic(sign, value, self._postfix())
        return value

    def _arithmetic(self, sign: str, one: Value, other: Value) -> Value:
        if self.idle:
            return one
        if sign == "+" and isinstance(one, Traced) and isinstance(other, Traced):
            return _bounded(one + other)
        if isinstance(one, int) and isinstance(other, int) and not isinstance(one, bool):
            if sign in ("//", "%") and other:
                return one // other if sign == "//" else one % other
            if sign in ("+", "-", "*"):
                return one + other if sign == "+" else one - other if sign == "-" else one * other
        raise Unknown(f"what `{sign}` comes to")

    def _postfix(self) -> Value:
        value = self._primary()
        while True:
            if self._take("."):
                name = self._name()
                if name in METHODS and isinstance(value, Traced) and not self.idle and self._take("("):
                    value = METHODS[name](value, *self._arguments())
                else:
                    value = value if self.idle else _member(value, name)
            elif self._take("["):
                key = None if self._peek(":") else self._ternary()
                if self._take(":"):
                    end = None if self._peek("]") else self._ternary()
                    self._need("]")
                    value = value if self.idle else _slice(value, key, end)
                    continue
                self._need("]")
                value = value if self.idle else _member(value, text_of(key).text if not isinstance(key, int) else key)
            elif self._take("|"):
                name = self._name()
                given = self._arguments() if self._take("(") else ()
                if not self.idle:
                    if name not in FILTERS:
                        raise Unknown(f"what the filter {name} makes of it")
                    value = FILTERS[name](value, *given)
            elif self._take("is"):
                negated = self._take("not")
                name = self._name()
                given = self._arguments() if self._take("(") else ()
                if not self.idle:
                    if name not in TESTS:
                        raise Unknown(f"whether it is {name}")
                    value = TESTS[name](value, *given) is not negated
            elif self._take("("):
                self._arguments()
                if not self.idle:
                    raise Unknown("what a function gives")
            else:
                if value is UNDEFINED and not self.idle and not self._peek("|", "is"):
                    raise TemplateError("nothing gives this name a value", self.tokens[max(self.at - 1, 0)][2])
                return value

    def _name(self) -> str:
        if self.at >= len(self.tokens):
            raise TemplateError("a name is missing", self.end)
        self.at += 1
        return self.tokens[self.at - 1][1]

    def _arguments(self) -> tuple[Value, ...]:
        found: list[Value] = []
        while not self._take(")"):
            if self.at + 1 < len(self.tokens) and self.tokens[self.at + 1][1] == "=":
                self.at += 2  # the name of an argument
            found.append(self._ternary())
            if not self._take(","):
                self._need(")")
                break
        return tuple(found)

    def _primary(self) -> Value:
        if self.at >= len(self.tokens):
            raise TemplateError("a value is missing", self.end)
        kind, said, start, end = self.tokens[self.at]
        self.at += 1
        if kind == "string":
            inner = self.template.cut(start + 1, end - 1)
            return inner if "\\" not in said else literal(_ESCAPE.sub(r"\1", said[1:-1])).grounded(inner.route)
        if kind == "number":
            return int(said) if "." not in said else self.template.cut(start, end)
        if said in ("true", "True", "false", "False"):
            return said.lower() == "true"
        if said in ("none", "None"):
            return None
        if said == "(":
            value = self._ternary()
            self._need(")")
            return value
        if said == "[":
            items: list[Value] = []
            while not self._take("]"):
                items.append(self._ternary())
                if not self._take(","):
                    self._need("]")
                    break
            return items
        if said == "-":
            value = self._postfix()
            return -value if isinstance(value, int) else value
        if kind != "name":
            raise TemplateError("the expression cannot be read", start)
        found = self.names.get(said, UNDEFINED)
        return found.through(self.template.cut(start, end).route) if isinstance(found, Traced) else found


def _bounded(value: Traced) -> Traced:
    """Values that are made of values double with each."""
    if too_long(value):
        raise Unknown("a value that is too long to follow")
    return value


def _within(one: Value, other: Value) -> bool:
    if isinstance(other, list):
        return any(equal(one, item) for item in other)
    if isinstance(one, Traced) and isinstance(other, Traced):
        if one.known and other.known:
            return one.text in other.text
        raise Unknown("whether it holds that")
    return isinstance(other, dict) and isinstance(one, Traced) and one.text in other


def _compare(sign: str, one: Value, other: Value) -> bool:
    if sign in ("==", "!="):
        return equal(one, other) is (sign == "==")
    if isinstance(one, int) and isinstance(other, int):
        return {"<": one < other, ">": one > other, "<=": one <= other, ">=": one >= other}[sign]
    raise Unknown("which is greater")


def _slice(value: Value, start: Value, end: Value) -> Value:
    if isinstance(value, Traced) and not value.known:
        raise Unknown(value.holes[0].reason)
    if not isinstance(value, Traced | list) or not all(isinstance(at, int) or at is None for at in (start, end)):
        raise Unknown("what a part of it is")
    first, last, _ = slice(start, end).indices(len(value))
    return value.cut(first, last) if isinstance(value, Traced) else value[first:last]


def _member(value: Value, name: "str | int") -> Value:
    if isinstance(value, dict):
        return value.get(str(name), UNDEFINED)
    if isinstance(value, list) and isinstance(name, int):
        return value[name] if -len(value) <= name < len(value) else UNDEFINED
    raise Unknown("what a part of it is")
