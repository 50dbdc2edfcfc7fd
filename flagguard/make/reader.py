"""Text to statements: directives, assignments, rules, recipe lines, conditionals as a tree.

Expands nothing; whether a line is a rule is known only after expansion, so rule lines stay whole. Manual: "How `make`
Reads a Makefile", "What Makefiles Contain", "Conditional Parts", "Defining Multi-Line Variables".
"""

import re

from flagguard.make.lines import (
    BLANK,
    closing,
    collapse,
    find_outside,
    logical_lines,
    strip,
    strip_left,
    unquote_outside,
    without_comment,
)
from flagguard.make.syntax import (
    Arm,
    Assignment,
    Conditional,
    Export,
    Fault,
    Include,
    Makefile,
    Modifier,
    Modifiers,
    Operator,
    RecipeLine,
    RuleLine,
    SearchPath,
    Statement,
    Test,
    Undefine,
)
from flagguard.patterns import expression
from flagguard.text import EMPTY, Traced
from flagguard.values import dataclass, field

_FIRST_WORD = expression(r"[ \t]*([^ \t\n]+)[ \t]*")
_MODIFIERS = {m.value: m for m in Modifier}
_TESTS = {"ifeq": Operator.IFEQ, "ifneq": Operator.IFNEQ, "ifdef": Operator.IFDEF, "ifndef": Operator.IFNDEF}
_AUTOMAKE_TEST = expression(r"if[ \t]+!?[A-Za-z_]\w*[ \t]*$")
# bsd make(1) and NMAKE: directives that GNU make does not have.
_BSD = expression(r"\.(if|ifdef|ifndef|elif|else|endif|for|endfor|include|sinclude|error|undef|export)\b(?![ \t]*:)")
_NMAKE = expression(r"!(IF|IFDEF|IFNDEF|ELSE|ELSEIF|ENDIF|INCLUDE|ERROR|MESSAGE|CMDSWITCHES|UNDEF)\b", re.I)
FOREIGN = "a directive of BSD make or NMAKE: not read"
_DEFINING = frozenset((*_MODIFIERS, "define", "undefine"))
_KEYWORDS = frozenset(
    (*_TESTS, "else", "endif", "if", "include", "-include", "sinclude", "export", "unexport", "vpath", "load", "-load")
)


@dataclass(slots=True)
class _Open:
    """A conditional that is being read."""

    line: Traced
    arms: list[Arm] = field(default_factory=list)
    test: Test | None = None
    body: list[Statement] = field(default_factory=list)
    nested: int = 0
    """How many conditionals an ``else ifeq`` … chain has opened; they share one ``endif``."""

    def next_arm(self, test: Test | None) -> None:
        self.arms.append(Arm(self.test, tuple(self.body)))
        self.test, self.body = test, []


def find_operator(text: str) -> tuple[int, str, int] | None:
    """End of the name, operator, start of the value, where ``text`` is an assignment."""
    at, size = 0, len(text)
    while at < size and text[at] in BLANK:
        at += 1
    end: int | None = None
    while at < size:
        character = text[at]
        if character in BLANK:
            end = at if end is None else end
            at += 1
            continue
        if character == "#":
            return None
        for operator in ("=", ":=", "::=", ":::=", "+=", "?=", "!="):
            if text.startswith(operator, at):
                start = at + len(operator)
                while start < size and text[start] in BLANK:
                    start += 1
                return at if end is None else end, operator, start
        if character == ":" or end is not None:
            return None
        if character == "$" and text[at + 1 : at + 2] in ("(", "{"):
            close = closing(text, at + 1)
            if close < 0:
                return None
            at = close
        elif character == "$":
            at += 1
        at += 1
    return None


def assignment(line: Traced, modifiers_allowed: bool = True) -> Assignment | None:
    """The assignment that a collapsed line without comment is, modifiers included; None if it is none."""
    modifiers: set[Modifier] = set()
    rest = strip_left(line, BLANK)
    while True:
        text = rest.text
        found = find_operator(text)
        if found is not None and found[0] > 0:
            name_end, operator, start = found
            value = rest.cut(start, len(text))
            return Assignment(rest.cut(0, name_end), operator, value, frozenset(modifiers), line)
        match = _FIRST_WORD.match(text)
        if not match or match[1] not in _MODIFIERS or not modifiers_allowed:
            return None
        modifiers.add(_MODIFIERS[match[1]])
        rest = rest.cut(match.end(), len(text))
        if not rest:
            return None


class Reader:
    """Reads one text; use :func:`read`."""

    def __init__(self, text: Traced, automake: bool) -> None:
        self.whole = text
        self.text = text.text
        self.automake = automake
        self.prefix = "\t"
        self.open_rule = False
        self.top: list[Statement] = []
        self.stack: list[_Open] = []
        self.faults: list[Fault] = []
        self.foreign = False
        self.posix = False
        """``.POSIX:`` was read: blanks around a joined line end stay (manual 3.1.1)."""
        self.lines = logical_lines(self.text)

    def read(self) -> Makefile:
        for start, end in self.lines:
            if self.text[start : start + 1] == self.prefix and self.open_rule:
                self.recipe_line(start, end)
            else:
                self.line(self.whole.cut(start, end))
        while self.stack:
            unclosed = self.stack[-1]
            self.faults.append(Fault(unclosed.line, "missing endif"))
            self.close(unclosed.line)
        return Makefile(tuple(self.top), tuple(self.faults))

    def collapsed(self, line: Traced) -> Traced:
        return collapse(line, keeps_blanks=self.posix)

    def add(self, statement: Statement) -> None:
        (self.stack[-1].body if self.stack else self.top).append(statement)

    def recipe_line(self, start: int, end: int) -> None:
        line = self.whole.cut(start, end)
        self.add(RecipeLine(without_prefix(line.cut(1, len(line)), self.prefix), line))

    def line(self, raw: Traced) -> None:
        if not raw:
            return
        if self.posix is False and raw.text.startswith(".POSIX"):
            self.posix = True
        plain = without_comment(self.collapsed(raw))
        match = _FIRST_WORD.match(plain.text)
        if match is None:
            return
        word = match[1]
        if word in _DEFINING and self.definition(plain, raw):
            return
        assigned = assignment(plain)
        if assigned is not None:
            self.open_rule = False
            if assigned.name.text == ".RECIPEPREFIX" and "$" not in assigned.value.text:
                self.prefix = assigned.value.text[:1] or "\t"
            self.add(assigned)
            return
        rest = plain.cut(match.end(), len(plain))
        if word in _KEYWORDS and self.directive(word, rest, plain, raw):
            return
        if word[0] in ".!" and (_BSD.match(word) or _NMAKE.match(plain.text)):
            self.unread_directive(plain)
            return
        self.rule_line(raw)

    def unread_directive(self, line: Traced) -> None:
        if not self.foreign:
            self.foreign = True
            self.faults.append(Fault(line, FOREIGN, fatal=False))

    def rule_line(self, raw: Traced) -> None:
        at = find_outside(raw.text, ";#")
        recipe: Traced | None = None
        head = raw
        if at >= 0:
            head = raw.cut(0, at)
            if raw.text[at] == ";":
                recipe = without_prefix(raw.cut(at + 1, len(raw)), self.prefix)
        head = self.collapsed(head)
        if "\\#" in head.text:
            head = unquote_outside(head, "#")
        self.open_rule = True
        self.add(RuleLine(head, recipe, raw))

    def definition(self, plain: Traced, raw: Traced) -> bool:
        """``define`` and ``undefine``, with modifiers before them."""
        modifiers: set[Modifier] = set()
        rest = plain
        while True:
            match = _FIRST_WORD.match(rest.text)
            if match is None:
                return False
            word = match[1]
            rest = rest.cut(match.end(), len(rest))
            if word in _MODIFIERS:
                modifiers.add(_MODIFIERS[word])
                continue
            break
        if word == "undefine" and rest and rest.text[0] not in "=:+?!":
            self.open_rule = False
            self.add(Undefine(strip(rest), frozenset(modifiers), raw))
            return True
        if word == "define" and rest and rest.text[0] not in "=:+?!":
            self.open_rule = False
            self.define(rest, frozenset(modifiers), raw)
            return True
        return False

    def define(self, rest: Traced, modifiers: Modifiers, raw: Traced) -> None:
        found = find_operator(rest.text)
        name = strip(rest.cut(0, found[0]) if found else rest)
        operator = found[1] if found else "="
        level = 1
        first: int | None = None
        body: list[Traced] = []
        for start, end in self.lines:
            line = self.text[start:end]
            if line[:1] != self.prefix:
                match = _FIRST_WORD.match(line)
                word = match[1].split("#")[0] if match else ""
                if word == "define":
                    level += 1
                elif word == "endef":
                    level -= 1
                    if not level:
                        break
            first = start if first is None else first
            body.append(self.whole.cut(start, end + 1))
        else:
            self.faults.append(Fault(raw, "missing endef: unterminated define"))
        value = Traced(tuple(p for line in body for p in collapse(line).pieces))
        if value.text.endswith("\n"):
            value = value.cut(0, len(value) - 1)
        self.add(Assignment(name, operator, value, modifiers, raw))

    def directive(self, word: str, rest: Traced, plain: Traced, raw: Traced) -> bool:
        if word in _TESTS:
            self.stack.append(_Open(plain, test=self.test(_TESTS[word], rest, plain)))
            return True
        if word == "if":
            if not (self.automake and _AUTOMAKE_TEST.match(plain.text)):
                return False
            self.stack.append(_Open(plain, test=Test(Operator.AUTOMAKE, rest, EMPTY, plain)))
            return True
        if word == "else":
            return self.other_arm(rest, plain)
        if word == "endif":
            if not self.stack:
                self.faults.append(Fault(plain, "extraneous endif"))
            else:
                self.close(plain)
            return True
        if rest.text[:1] == ":" and word not in ("export", "unexport"):
            return False
        self.open_rule = False
        if word in ("include", "-include", "sinclude"):
            self.add(Include(rest, word != "include", plain))
        elif word in ("export", "unexport"):
            self.add(Export(rest, word == "export", plain))
        elif word == "vpath":
            self.add(SearchPath(rest, plain))
        else:
            self.faults.append(Fault(plain, "a loaded object: not read, what it defines is not known", fatal=False))
        return True

    def other_arm(self, rest: Traced, plain: Traced) -> bool:
        if not self.stack:
            self.faults.append(Fault(plain, "extraneous else"))
            return True
        current = self.stack[-1]
        match = _FIRST_WORD.match(rest.text)
        if current.test is None:
            self.faults.append(Fault(plain, "only one else per conditional"))
            return True
        if match and match[1] in _TESTS:
            current.next_arm(self.test(_TESTS[match[1]], rest.cut(match.end(), len(rest)), plain))
        else:
            current.next_arm(None)
        return True

    def close(self, _line: Traced) -> None:
        done = self.stack.pop()
        done.next_arm(None)
        self.add(Conditional(tuple(done.arms), done.line))

    def test(self, operator: Operator, rest: Traced, line: Traced) -> Test:
        if operator in (Operator.IFDEF, Operator.IFNDEF):
            return Test(operator, strip(rest), EMPTY, line)
        sides = _sides(rest)
        if sides is None:
            self.faults.append(Fault(line, "invalid syntax in conditional"))
            return Test(operator, EMPTY, EMPTY, line)
        return Test(operator, *sides, line)


def _sides(rest: Traced) -> tuple[Traced, Traced] | None:
    """Both sides of ``(a,b)``, ``"a" "b"``, ``'a' 'b'``."""
    text = rest.text
    quote = text[:1]
    if quote == "(":
        comma = _level_end(text, 1, ",")
        if comma < 0:
            return None
        left = strip_right(rest.cut(1, comma))
        start = comma + 1
        while start < len(text) and text[start] in BLANK:
            start += 1
        end = _level_end(text, start, ")")
        return None if end < 0 else (left, rest.cut(start, end))
    if quote not in ("'", '"'):
        return None
    end = text.find(quote, 1)
    second = end + 1
    while 0 < second < len(text) and text[second] in BLANK:
        second += 1
    quote = text[second : second + 1]
    if end < 0 or quote not in ("'", '"'):
        return None
    last = text.find(quote, second + 1)
    return None if last < 0 else (rest.cut(1, end), rest.cut(second + 1, last))


def _level_end(text: str, start: int, wanted: str) -> int:
    depth = 0
    for at in range(start, len(text)):
        character = text[at]
        if character == wanted and depth <= 0:
            return at
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
    return -1


def strip_right(traced: Traced) -> Traced:
    end = len(traced.text)
    while end and traced.text[end - 1] in BLANK:
        end -= 1
    return traced.cut(0, end)


def without_prefix(line: Traced, prefix: str) -> Traced:
    """A recipe line of which each continued line has lost its recipe prefix (manual: "Splitting Recipe Lines")."""
    text = line.text
    mark = "\n" + prefix
    if mark not in text:
        return line
    pieces: list[Traced] = []
    at = 0
    while True:
        found = text.find(mark, at)
        if found < 0:
            break
        pieces.append(line.cut(at, found + 1))
        at = found + 2
    pieces.append(line.cut(at, len(text)))
    return Traced(tuple(p for part in pieces for p in part.pieces))


def read(text: Traced, automake: bool = False) -> Makefile:
    """The statements of ``text``; what is no makefile as faults, the rest is read all the same."""
    return Reader(text, automake).read()
