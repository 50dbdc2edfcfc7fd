"""What PowerShell's expressions come to, where that is known (about_Operators, about_Arrays, about_Variables).

Strings and arrays of them; numbers, objects and hash tables are holes, since no flag is made of them. Commands inside
of an expression are the evaluation's part.
"""

import re
from abc import abstractmethod
from posixpath import dirname

from flagguard.command import Script, Word
from flagguard.shell.courses import same
from flagguard.shell.foreign import Noting
from flagguard.shell.outside import CHECKOUTS
from flagguard.shell.powershell_syntax import (
    Array,
    Binary,
    Chain,
    Compute,
    Expr,
    Hash,
    Other,
    ScriptBlock,
    Statement,
    Str,
    Sub,
    Text,
    Unary,
    Variable,
)
from flagguard.text import EMPTY, Decider, Hole, Piece, Route, Shape, Traced, hole, join, literal
from flagguard.values import dataclass, field, replace

Value = list[Traced]
"""What a variable holds: one string, or the elements of an array."""


class Several(list[Traced]):
    """The elements of what is an array for sure, even if it has only one."""


class Table(list[Traced]):
    """A hash table: the hole that it is as a word, and its entries, which splatting makes named arguments."""

    def __init__(self, word: Value, entries: list[tuple[str, Value]]) -> None:
        super().__init__(word)
        self.entries = entries


OS = {"iswindows": "windows-", "islinux": "linux-", "ismacos": "macos-"}
_SURE = {
    **dict.fromkeys(("home", "pwd", "psscriptroot", "pscommandpath", "pshome", "profile", "psedition"), Shape.PATH),
    **dict.fromkeys(("lastexitcode", "pid", "?"), Shape.NUMBER),
    **dict.fromkeys(
        ("args", "_", "psitem", "input", "matches", "psversiontable", "error", "host", "this", "myinvocation",
         "foreach", "psboundparameters", "pscmdlet", "executioncontext", "switch", "sender", "event", "$", "^"),
        Shape.ANY,
    ),
}  # fmt: skip
"""about_Automatic_Variables: what PowerShell sets, and what the values look like."""
_MACHINE = frozenset(
    "PATH TEMP TMP USERPROFILE APPDATA LOCALAPPDATA PROGRAMFILES PROGRAMFILES(X86) PROGRAMDATA SYSTEMROOT WINDIR "
    "COMSPEC SYSTEMDRIVE HOMEDRIVE HOMEPATH USERNAME COMPUTERNAME NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE OS HOME "
    "PWD USER PSMODULEPATH ALLUSERSPROFILE PUBLIC PATHEXT".split()
)
"""What every machine sets."""
_FORMAT = re.compile(r"\{(\d+)\}|\{\{|\}\}|\{[^}]*\}")
_MAX_RANGE = 64
_COMPARISONS = re.compile(r"-[ic]?(eq|ne|like|notlike|match|notmatch|in|notin|contains|notcontains)")


@dataclass
class State:
    """What a script remembers on its way."""

    variables: dict[str, Value] = field(default_factory=dict)
    environment: dict[str, Traced] = field(default_factory=dict)
    functions: dict[str, "Body"] = field(default_factory=dict)
    blocks: dict[str, "Body"] = field(default_factory=dict)
    when: tuple[str, ...] = ()
    opt_in: bool = False
    left: str = ""
    """The word that ended the course: `exit`, `return`, `throw`, `break`, `continue`."""
    escaped: frozenset[str] = frozenset()
    """The words with which branches left that may have been taken."""
    world: tuple[str, ...] = ()
    """What was assumed of branches that are over: their commands ran for sure, in this course."""
    answers: dict[str, bool] = field(default_factory=dict)
    """Conditions that this course has decided, until a variable of theirs is set again."""

    @property
    def assumed(self) -> tuple[str, ...]:
        return (*self.world, *self.when)

    def forget_answers(self, name: str) -> None:
        """A variable is set: what was known of conditions that name it holds no longer."""
        self.answers = {k: v for k, v in self.answers.items() if name.lower() not in k}

    def copy(self) -> "State":
        return State(
            dict(self.variables),
            dict(self.environment),
            dict(self.functions),
            dict(self.blocks),
            self.when,
            self.opt_in,
            self.left,
            self.escaped,
            self.world,
            dict(self.answers),
        )


@dataclass(frozen=True)
class Body:
    """Statements with the text that they stand in: a function, a block that a variable holds."""

    source: Traced
    params: tuple[tuple[str, Expr | None], ...]
    body: tuple[Statement, ...]
    name: str = ""


def differing(ends: list[State]) -> tuple[set[str], set[str]]:
    """The names of variables, and of the environment, that courses do not agree on."""
    first, *rest = ends
    names = {n for e in ends for n in e.variables}
    outer = {n for e in ends for n in e.environment}
    return (
        {n for n in names if any(not _same(e.variables.get(n), first.variables.get(n)) for e in rest)},
        {n for n in outer if any(not same(e.environment.get(n), first.environment.get(n)) for e in rest)},
    )


def _same(one: Value | None, other: Value | None) -> bool:
    if one is None or other is None:
        return one is other
    return len(one) == len(other) and all(map(same, one, other))


class Values:
    """Evaluates expressions on one platform."""

    script: Script
    noting: Noting
    platform: str
    source: Traced

    def route(self, start: int, end: int) -> Route:
        return self.source.cut(start, end).route

    def shown(self, start: int, end: int) -> str:
        return self.source.cut(start, end).shown

    @abstractmethod
    def output(self, body: tuple[Statement, ...], state: State) -> Value | None:
        """What statements print, their commands noted; None where that is not known."""

    def unread(self, expr: Expr, reason: str = "an expression that is not evaluated") -> Value:
        start, end = getattr(expr, "start", 0), getattr(expr, "end", 0)
        return [hole(Hole(self.shown(start, end), reason, Decider.REPOSITORY), self.route(start, end))]

    def value(self, expr: Expr, state: State) -> Value:
        """The elements that an expression comes to; none where it is `$null`."""
        match expr:
            case Text(value, _):
                return [value]
            case Variable():
                return self.variable(expr, state)
            case Str(parts, _):
                return [join(self.part(p, state) for p in parts)]
            case Sub(body, _, start, end):
                found = self.output(body, state)
                if found is None:
                    text = self.shown(start, end)
                    return [hole(Hole(text, "the output of a command"), self.route(start, end))]
                return found
            case Array(items):
                return [v for item in items for v in self.value(item, state)]
            case Hash(entries):
                word, made = self.unread(expr, "a hash table"), list[tuple[str, Value]]()
                for key, body in entries:
                    found = self.output(body, state)
                    made.append((joined(self.value(key, state)).text, self.unread(expr) if found is None else found))
                return Table(word, made)
            case ScriptBlock():
                return self.unread(expr, "a script block")
            case Binary():
                return self.binary(expr, state)
            case Unary(op, operand):
                return self.unary(expr, op, operand, state)
            case Other(inner):
                for each in inner:
                    self.value(each, state)
                    if isinstance(each, ScriptBlock):
                        self.output(each.body, state.copy())
                return self.unread(expr)

    def part(self, expr: Expr, state: State) -> Traced:
        """An expression inside a string: the elements with blanks between them ($OFS)."""
        found = self.value(expr, state)
        if not found and isinstance(expr, Variable):
            shown = self.route(expr.start, expr.end)
            return Traced((Piece("", shown, unset=f"env:{expr.name}" if expr.environment else expr.name),))
        return joined(found)

    def variable(self, part: Variable, state: State) -> Value:
        route = self.route(part.start, part.end)
        if part.environment:
            value = state.environment.get(part.name)
            if value is None:
                folded = part.name.upper()
                value = next((v for n, v in state.environment.items() if n.upper() == folded), None)
            if value is not None:
                return [value.through(route)]
            if part.name.upper() in CHECKOUTS:
                reason = "where the repository is checked out"
                return [hole(Hole(f"$env:{part.name}", reason, shape=Shape.PATH, name=part.name, path=""), route)]
            if part.name in self.script.outside or part.name.upper() in _MACHINE:
                said = self.noting.announced(part.name.upper())
                if said is not None:
                    return [literal(said).through(route)]
                gap = Hole(f"$env:{part.name}", "it is set outside of the repository", name=part.name)
                return [hole(gap, route)]
            return []
        if part.name in ("true", "false"):
            return [literal(part.name.capitalize()).through(route)]
        if part.name == "null":
            return []
        if part.name in state.variables:
            return [v.through(route) for v in state.variables[part.name]]
        if part.name in OS:
            self.noting.asked_platform = True
            return [literal(str(self.platform.startswith(OS[part.name]))).through(route)]
        if part.name in _SURE:
            gap = Hole(f"${part.name}", "PowerShell sets it", Decider.OUTSIDE, _SURE[part.name], part.name)
            return [hole(replace(gap, path=self._folder(part.name)), route)]
        return []

    def _folder(self, name: str) -> str | None:
        """The folder of the tree that a variable names."""
        if name == "pwd":
            return self.noting.directory
        own = self.script.place.host == "windows" and self.script.text.route
        if name == "psscriptroot" and own:
            return dirname(own[0].path)
        return None

    def unary(self, expr: Expr, op: str, operand: Expr, state: State) -> Value:
        found = self.value(operand, state)
        if op in ("[]", "+"):
            return found
        if op == "-join":
            return [join(found)]
        if op == "-split":
            return [t for v in found for t in _fields(v)] if all(v.known for v in found) else self.unread(expr)
        if op == "-" and len(found) == 1 and found[0].known and found[0].text.isdigit():
            return [literal("-") + found[0]]
        return self.unread(expr)

    def binary(self, expr: Binary, state: State) -> Value:
        left, right = self.value(expr.left, state), self.value(expr.right, state)
        known = all(v.known for v in (*left, *right))
        match expr.op:
            case "+":
                if len(left) > 1 or (isinstance(expr.left, Sub) and expr.left.opening == "@("):
                    return [*left, *right]
                if isinstance(expr.left, Array):
                    return [*left, *right]
                one = joined(left) + joined(right)
                numbers = all(v.text.isdigit() for v in (*left, *right)) and known and left
                return self.unread(expr) if numbers else [one]
            case "-f" if left and left[0].known:
                return self._formatted(expr, left[0], right)
            case "-join":
                parts: list[Traced] = []
                for i, each in enumerate(left):
                    parts += [*right, each] if i else [each]
                return [join(parts)]
            case ".." if known and len(left) == len(right) == 1 and left[0].text.isdigit() and right[0].text.isdigit():
                first, last = int(left[0].text), int(right[0].text)
                if abs(first - last) < _MAX_RANGE:
                    step = 1 if last >= first else -1
                    return [literal(str(n)) for n in range(first, last + step, step)]
            case "??":
                return left or right
            case "-split" if known and len(left) == len(right) == 1 and re.fullmatch(r"[\w ,;:-]", right[0].text):
                return _split(left[0], right[0].text)
        return self.unread(expr)

    def _formatted(self, expr: Binary, text: Traced, given: Value) -> Value:
        parts: list[Traced] = []
        at = 0
        for found in _FORMAT.finditer(text.text):
            parts.append(text.cut(at, found.start()))
            at = found.end()
            if found.group() in ("{{", "}}"):
                parts.append(text.cut(found.start(), found.start() + 1))
            elif found.group(1) is not None and int(found.group(1)) < len(given):
                parts.append(given[int(found.group(1))])
            else:
                return self.unread(expr)
        return [join([*parts, text.cut(at, len(text))])]

    # -- conditions

    def truth(self, body: tuple[Statement, ...], state: State) -> bool | None:
        """The truth of a condition, its commands noted; None where it is not known."""
        only = body[0] if len(body) == 1 else None
        if isinstance(only, Chain) and len(only.items) == 1 and isinstance(only.items[0][1], Compute):
            return self.true(only.items[0][1].value, state)
        self.output(body, state)
        return None

    def true(self, expr: Expr, state: State) -> bool | None:
        match expr:
            case Unary("!" | "-not", operand):
                inner = self.true(operand, state)
                return None if inner is None else not inner
            case Binary("-and" | "-or" as op, left, right):
                first, second = self.true(left, state), self.true(right, state)
                if op == "-and":
                    return False if False in (first, second) else True if first and second else None
                return True if True in (first, second) else False if (first, second) == (False, False) else None
            case Sub(body, "(", _, _):
                return self.truth(body, state)
            case Binary(op, left, right) if found := _COMPARISONS.fullmatch(op):
                return self._compared(found.group(1), self.value(left, state), self.value(right, state), op[1] == "c")
            case Variable(name, environment):
                values = self.value(expr, state)
                if not environment and name in ("true", "false"):
                    return name == "true"
                if environment or len(values) != 1 or not values[0].known or values[0].pieces[-1:] == ():
                    return None
                if any(p.overridable or p.unset for p in values[0].pieces):
                    return None
                return {"True": True, "False": False}.get(values[0].text)
        self.value(expr, state)
        return None

    def _compared(self, op: str, left: Value, right: Value, case: bool) -> bool | None:
        if not all(v.known and not any(p.unset or p.overridable for p in v.pieces) for v in (*left, *right)):
            return None
        if not left or not right or (len(left) != 1 and "contains" not in op) or (len(right) != 1 and op[-2:] != "in"):
            return None
        lefts = [v.text if case else v.text.lower() for v in left]
        rights = [v.text if case else v.text.lower() for v in right]
        negated = op.startswith("not") or op == "ne"
        match op.removeprefix("not"):
            case "eq" | "ne":
                same = lefts[0] == rights[0]
            case "like":
                pattern = re.escape(rights[0]).replace(r"\*", ".*").replace(r"\?", ".")
                same = re.fullmatch(pattern, lefts[0], re.DOTALL) is not None
            case "match" if re.fullmatch(r"\^?[\w ./-]*\$?", rights[0]):
                same = re.search(rights[0].replace(".", "."), lefts[0]) is not None
            case "in":
                same = lefts[0] in rights
            case "contains":
                same = rights[0] in lefts
            case _:
                return None
        return same is not negated


def joined(values: Value) -> Traced:
    if len(values) == 1:
        return values[0]
    out: list[Traced] = []
    for i, value in enumerate(values):
        out += [literal(" "), value] if i else [value]
    return join(out) if out else EMPTY


def is_array(value: Statement | None, state: State) -> bool:
    """Whether a value is an array by how it is written: one of a single element grows by elements (about_Arrays)."""
    if not (isinstance(value, Chain) and len(value.items) == 1 and isinstance(value.items[0][1], Compute)):
        return False
    match value.items[0][1].value:
        case Array():
            return True
        case Sub(_, opening, _, _):
            return opening == "@("
        case Variable(name, False):
            return isinstance(state.variables.get(name), Several)
    return False


def words_of(values: Value, route: Route) -> list[Word]:
    written = route[-1] if route else None
    return [Word(v.pieces, written) for v in values]


def _fields(text: Traced) -> list[Traced]:
    return [text.cut(*m.span()) for m in re.finditer(r"\S+", text.text)]


def _split(text: Traced, by: str) -> list[Traced]:
    out, at = [], 0
    while (found := text.text.find(by, at)) >= 0:
        out.append(text.cut(at, found))
        at = found + len(by)
    return [*out, text.cut(at, len(text))]
