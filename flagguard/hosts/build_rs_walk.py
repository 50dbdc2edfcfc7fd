"""A walk through a build script: one platform, one answer to each condition that nobody knows.

The Rust Reference says what the statements and expressions do; only what decides builders and texts is followed. What
is not has no value here, and a word made of it is a hole.
"""

import posixpath
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from flagguard.command import Word
from flagguard.hosts.build_rs_builders import ADDS, Builder
from flagguard.hosts.build_rs_calls import Calls, Left, Made, Stuck
from flagguard.hosts.build_rs_outline import Function, Outline
from flagguard.hosts.build_rs_texts import Value
from flagguard.hosts.rust_text import walk
from flagguard.paths import inside
from flagguard.patterns import expression
from flagguard.text import EMPTY, Problem, Traced, join, literal
from flagguard.tools.rust_targets import HOSTS, fits
from flagguard.tools.streams import cut_blank

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_ASKED = 4
"""Conditions that are followed both ways; behind them what is conditional is a hole."""
_MOST_STEPS = 20_000
_DEEPEST = 40
_LEAVES = expression(r"\breturn\b|\bexit\s*\(|\bpanic!|\?\s*;")
_OUTPUT = expression(r"cargo::?(rustc-(?:link-arg(?:-[a-z]+)?|cdylib-link-arg|flags))=", re.DOTALL)


class Walk(Calls):
    """One way through the script; ``given`` are the answers to its first open conditions, the others are true."""

    def __init__(self, outline: Outline, platform: str, assume: Mapping[str, str], given: tuple[bool, ...]) -> None:
        super().__init__(outline, HOSTS.get(platform, ""), assume)
        self.given = given
        self.answers: list[bool] = []
        self._known: dict[str, bool] = {}
        self._steps = 0
        self._depth = 0
        self._quiet = False
        """In a function that runs nothing: no condition is asked there."""

    def run(self) -> list[Made]:
        """What runs, in its order. Raises Stuck."""
        for rust, node in self.outline.constants:
            self.rust = rust
            self._names[self.rust.field(node, "name")] = self._value(node.child_by_field_name("value"))
        self.rust = self.outline.rust
        main = next((one for one in self.outline.meant("main") if one.rust is self.rust), None)
        if main is not None:
            with suppress(Left):
                self._block(main.node.child_by_field_name("body"))
        for builder in self._builders:
            counts = builder.kind != "command" or builder.unknown
            if not builder.ran and counts and (builder.words or builder.flags):
                self._finish(builder)
        return self.made

    # -- statements

    def _block(self, node: "Node | None") -> Value:
        value: Value = None
        asked: list[str] = []
        for one in node.named_children if node is not None else ():
            if one.type == "attribute_item":
                found = re.fullmatch(r"#\[\s*cfg\s*\((.*)\)\s*\]", self.rust.written(one), re.DOTALL)
                asked += [found[1]] if found is not None else []
                continue
            answer, told = _all([self._cfg(inner) for inner in asked]), f"cfg({', '.join(asked)})"
            if asked and answer is None and not self._matters(one):
                self._forget(one)
            elif asked and self._too_many(answer, told):
                self._perhaps(told, [one])
            elif not asked or self._asked(answer, told):
                value = self._statement(one)
            asked = []
        return value

    def _statement(self, node: "Node") -> Value:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise Stuck("it goes on for too long to be followed; the rest is not judged", self.rust.line(node))
        if node.type == "let_declaration":
            return self._let(node)
        if node.type == "expression_statement":
            self._value(node.named_children[0] if node.named_children else None)
            return None
        if node.type in ("const_item", "static_item"):
            self._names[self.rust.field(node, "name")] = self._value(node.child_by_field_name("value"))
            return None
        if node.type.endswith("_item"):
            return None
        return self._value(node)

    def _let(self, node: "Node") -> Value:
        value = self._value(node.child_by_field_name("value"))
        other = node.child_by_field_name("alternative")
        pattern = node.child_by_field_name("pattern")
        if other is not None and value is None and self._matters(other):
            written = self.rust.written(node).partition(" else")[0]
            if self._too_many(None, written):
                self._perhaps(written, [other])
            elif not self._asked(None, written):
                return self._block(other)
        self._bind(pattern, value)
        return None

    def _bind(self, pattern: "Node | None", value: Value) -> None:
        """The names of a pattern; only a single one gets the value."""
        if pattern is None:
            return
        if pattern.type == "tuple_pattern" and isinstance(value, dict):
            for number, one in enumerate(pattern.named_children):
                self._bind(one, value.get(str(number)))
            return
        names = [n for n in walk(pattern) if n.type == "identifier"]
        if pattern.type == "tuple_struct_pattern":
            names = names[1:]
        for name in names:
            self._names[self.rust.written(name)] = value if len(names) == 1 else None

    # -- conditions

    def _asked(self, answer: bool | None, written: str) -> bool:
        """The answer, or the one that this walk takes where nobody knows it."""
        if answer is not None:
            return answer
        if self._quiet:
            raise Left
        written = " ".join(written.split())
        if written not in self._known:
            taken = self.given[len(self.answers)] if len(self.answers) < len(self.given) else True
            self.answers.append(taken)
            self._known[written] = taken
            self.when.append((written, taken))
        return self._known[written]

    def _if(self, node: "Node") -> Value:
        condition, then = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        other = node.child_by_field_name("alternative")
        answer = self._truth(condition)
        if answer is None and not self._matters(node):
            self._forget(node)
            return None
        written = self.rust.written(condition) if condition is not None else ""
        inner = other.named_children[0] if other is not None and other.named_children else None
        if self._too_many(answer, written):
            self._perhaps(written, [then, inner])
            return None
        return self._block(then) if self._asked(answer, written) else self._value(inner)

    def _too_many(self, answer: bool | None, written: str) -> bool:
        """Whether a condition is open and as many were followed both ways as can be."""
        written = " ".join(written.split())
        return answer is None and not self._quiet and written not in self._known and len(self.answers) >= _MOST_ASKED

    def _perhaps(self, written: str, parts: "Sequence[Node | None]") -> None:
        """All of the parts, each of which may run or not: what they add to a command may be there."""
        self.when.append((" ".join(written.split()), True))
        self._maybe += 1
        for part in parts:
            with suppress(Left):
                self._statement(part) if part is not None else None
        self._maybe -= 1
        self.when.pop()

    def _matters(self, node: "Node") -> bool:
        """Whether it may change what runs."""
        text = self.rust.written(node)
        if self.outline.runs.search(text) or (not self._quiet and _LEAVES.search(text)):
            return True
        builders = {name for name, value in self._names.items() if isinstance(value, Builder)}
        return bool((builders | self.outline.relevant) & set(re.findall(r"\w+", text)))

    def _forget(self, node: "Node") -> None:
        for one in walk(node):
            if one.type in ("assignment_expression", "compound_assignment_expr"):
                self._names[self.rust.field(one, "left")] = None

    def _truth(self, node: "Node | None") -> bool | None:
        if node is None:
            return None
        if node.type == "let_condition":
            value = self._value(node.child_by_field_name("value"))
            self._bind(node.child_by_field_name("pattern"), value)
            return True if isinstance(value, Traced) and value.known and value else None
        if node.type == "let_chain":
            return _all([self._truth(n) for n in node.named_children])
        value = self._value(node)
        return value if isinstance(value, bool) else None

    def _match(self, node: "Node") -> Value:
        said = node.child_by_field_name("value")
        value = self._value(said)
        body = node.child_by_field_name("body")
        arms = [n for n in body.named_children if n.type == "match_arm"] if body is not None else []
        if not self._matters(node) and not (isinstance(value, Traced) and value.known):
            self._forget(node)
            return None
        if arms and self._too_many(self._fits(arms[0].child_by_field_name("pattern"), value), self.rust.written(node)):
            self._perhaps(self.rust.field(node, "value"), [arm.child_by_field_name("value") for arm in arms])
            return None
        for number, arm in enumerate(arms):
            pattern = arm.child_by_field_name("pattern")
            answer = self._fits(pattern, value) if number < len(arms) - 1 or pattern is None else True
            if answer is not False:
                self._bind_arm(pattern, value)
            written = f"{self.rust.written(said)} is {self.rust.written(pattern)}" if said and pattern else ""
            if self._too_many(answer, written):
                self._perhaps(written, [one.child_by_field_name("value") for one in arms[number:]])
                return None
            if self._asked(answer, written):
                return self._value(arm.child_by_field_name("value"))
        return None

    def _bind_arm(self, pattern: "Node | None", value: Value) -> None:
        inner = pattern.named_children[0] if pattern is not None and pattern.named_children else None
        if inner is not None and inner.type in ("identifier", "tuple_struct_pattern"):
            self._bind(inner, value)

    def _fits(self, pattern: "Node | None", value: Value) -> bool | None:
        if pattern is None or pattern.child_by_field_name("condition") is not None:
            return None
        if self.rust.written(pattern) == "_":
            return True
        strings = [n for n in walk(pattern) if n.type in ("string_literal", "raw_string_literal")]
        if strings and isinstance(value, Traced) and value.known:
            return any(self.rust.string(n).text == value.text for n in strings)
        if isinstance(value, bool) and self.rust.written(pattern) in ("true", "false"):
            return value == (self.rust.written(pattern) == "true")
        return None

    def _cfg(self, inner: str) -> bool | None:
        if re.search(r"\b(?:feature|debug_assertions|test|target_feature|panic)\b", inner):
            return None
        return fits(f"cfg({inner})", self._triple)

    # -- values

    def _value(self, node: "Node | None") -> Value:
        if node is None:
            return None
        self._depth += 1
        try:
            if self._depth > 4 * _DEEPEST:
                raise Stuck("nested too deeply to be followed", self.rust.line(node))
            return self._of(node)
        finally:
            self._depth -= 1

    def _of(self, node: "Node") -> Value:
        kind = node.type
        inner = node.named_children
        if kind in ("string_literal", "raw_string_literal"):
            return self.rust.string(node)
        if kind == "integer_literal":
            return literal(self.rust.written(node), self.rust.span(node))
        if kind == "boolean_literal":
            return self.rust.written(node) == "true"
        if kind in ("identifier", "self", "scoped_identifier"):
            return self._named(node)
        if kind == "field_expression":
            value = self._value(node.child_by_field_name("value"))
            return value.get(self.rust.field(node, "field")) if isinstance(value, dict) else None
        if kind == "index_expression":
            return self._item(node)
        if kind == "tuple_expression":
            return {str(number): self._value(one) for number, one in enumerate(inner)}
        if kind == "struct_expression":
            return self._struct(node)
        if kind in ("reference_expression", "type_cast_expression"):
            return self._value(node.child_by_field_name("value"))
        if kind in ("parenthesized_expression", "try_expression", "await_expression", "expression_statement"):
            return self._value(inner[0] if inner else None)
        if kind == "array_expression":
            return [self._value(one) for one in inner]
        if kind in ("block", "unsafe_block", "async_block"):
            return self._block(node if kind == "block" else inner[-1] if inner else None)
        if kind == "if_expression":
            return self._if(node)
        if kind == "match_expression":
            return self._match(node)
        if kind in ("for_expression", "while_expression", "loop_expression"):
            self._loop(node)
            return None
        if kind == "binary_expression":
            return self._binary(node)
        if kind == "unary_expression":
            value = self._truth(inner[0]) if self.rust.written(node).startswith("!") and inner else None
            return None if value is None else not value
        if kind in ("assignment_expression", "compound_assignment_expr"):
            self._assign(node)
        elif kind == "return_expression":
            raise Left(self._value(inner[0] if inner else None))
        elif kind == "closure_expression":
            return self._value(node.child_by_field_name("body"))
        elif kind == "macro_invocation":
            return self._macro(node)
        elif kind == "call_expression":
            return self._call(node)
        else:
            for one in inner:
                self._value(one)
        return None

    def _named(self, node: "Node") -> Value:
        """A name; that of a function may be called by whoever gets it."""
        written = self.rust.written(node)
        name = written.rpartition("::")[2]
        if written in self._names or node.type == "self":
            return self._names.get(written)
        if name in self._names and name.isupper():
            return self._names[name]
        kind = self._kind(self.outline.whole(re.sub(r"\s", "", written)))
        if kind is not None:
            builder = Builder(kind, self.rust.span(node), EMPTY)
            self._builders.append(builder)
            return builder
        if name in self.outline.relevant and name != "main":
            self._enter_each(self.outline.meant(written), ())
        return None

    def _item(self, node: "Node") -> Value:
        listed, number = (self._value(one) for one in node.named_children[:2])
        if isinstance(listed, list) and isinstance(number, Traced) and number.text.isdecimal():
            return listed[int(number.text)] if int(number.text) < len(listed) else None
        return None

    def _struct(self, node: "Node") -> "dict[str, Value]":
        body = node.child_by_field_name("body")
        fields: dict[str, Value] = {}
        for one in body.named_children if body is not None else ():
            if one.type == "field_initializer":
                fields[self.rust.field(one, "field")] = self._value(one.child_by_field_name("value"))
            elif one.type == "shorthand_field_initializer":
                fields[self.rust.written(one)] = self._names.get(self.rust.written(one))
            else:
                for inner in one.named_children:
                    self._value(inner)
        return fields

    def _assign(self, node: "Node") -> None:
        left = node.child_by_field_name("left")
        value = self._value(node.child_by_field_name("right"))
        if left is None:
            return
        if node.type == "compound_assignment_expr":
            before = self._value(left)
            both = isinstance(before, Traced) and isinstance(value, Traced)
            adds = self.rust.field(node, "operator") == "+="
            value = self._joined([before, value], node) if both and adds else None  # type: ignore[list-item]
        if left.type == "field_expression":
            owner = self._value(left.child_by_field_name("value"))
            if isinstance(owner, dict):
                owner[self.rust.field(left, "field")] = value
        self._names[self.rust.written(left)] = value

    def _binary(self, node: "Node") -> Value:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = self.rust.field(node, "operator")
        if operator in ("&&", "||"):
            answers = [self._truth(left), self._truth(right)]
            if operator == "&&":
                return _all(answers)
            return True if True in answers else None if None in answers else False
        if operator in ("==", "!="):
            one, other = self._value(left), self._value(right)
            if isinstance(one, Traced) and isinstance(other, Traced) and one.known and other.known:
                return (one.text == other.text) == (operator == "==")
            return None
        first, second = self._value(left), self._value(right)
        if operator == "+" and isinstance(first, Traced) and isinstance(second, Traced):
            return self._joined([first, second], node)
        return None

    def _loop(self, node: "Node") -> None:
        body = node.child_by_field_name("body")
        value = self._value(node.child_by_field_name("value")) if node.type == "for_expression" else None
        for one in value if isinstance(value, list) else [None]:
            self._bind(node.child_by_field_name("pattern"), one)
            self._block(body)

    def _macro(self, node: "Node") -> Value:
        name = self.rust.field(node, "macro").rpartition("::")[2]
        if name == "cfg":
            return self._cfg(self.rust.written(node).partition("(")[2].rstrip().removesuffix(")"))
        if name in ("panic", "unreachable", "todo", "unimplemented", "compile_error"):
            raise Left(whole=True)
        known = name in ("vec", "format", "println", "print", "concat", "env", "include", "cmd")
        given = self.rust.arguments(node) if known or self._matters(node) else []
        if name == "vec":
            return [self._value(one) for one in given]
        if name == "concat":
            return join([self._traced(one) for one in given])
        if name == "env":
            return self._variable(node, self._value(given[0]) if given else None)
        if name in ("format", "println", "print") and given:
            said = self._format(given)
            if name == "format":
                return said
            self._printed(node, said)
            return None
        if name == "include" and given:
            return self._include(given[0])
        if name == "cmd":
            return self._shell_words(node, given)
        own = self.outline.macros.get(name, "")
        if self.outline.runs.search(own) or re.search(rf"\.\s*(?:{'|'.join(ADDS)})\b", own):
            told = f"what the macro {name} adds is not followed, so it is not judged"
            self.outline.problems[Problem(self.rust.source.path, self.rust.line(node), told)] = None
        for one in given:
            self._value(one)
        return None

    def _include(self, named: "Node") -> Value:
        """A file whose text is put in."""
        name = self._value(named)
        folder = posixpath.dirname(self.rust.source.path)
        path = inside(folder, name.text) if isinstance(name, Traced) and name.known else None
        found = self.outline.included(path) if path is not None else None
        if found is None or self._depth > _DEEPEST:
            return None
        outer, self.rust = self.rust, found
        try:
            return self._block(found.root)
        finally:
            self.rust = outer

    def _shell_words(self, node: "Node", given: "Sequence[Node]") -> Builder:
        """`cmd!` of xshell, which cuts its text itself, or of duct, which is given words."""
        words = [self._traced(one) for one in given if one.type != "identifier" or len(given) == 1]
        if given and (given[0].type == "identifier" or len(words) == 1) and words:
            words = [Traced(word.pieces) for word in cut_blank(words[0])]
        builder = Builder("command", self.rust.span(node), words[0] if words else EMPTY)
        builder.words += words[1:]
        self._builders.append(builder)
        self._finish(builder)
        return builder

    def _printed(self, node: "Node", said: Traced) -> None:
        found = _OUTPUT.match(said.text)
        if found is not None:
            at = self.rust.span(node)
            rest = said.cut(found.end(), len(said.text))
            first = Word(literal(f"rust:{found[1]}", at).pieces, at)
            words = rest.text.split() if found[1] == "rustc-flags" and rest.known else []
            parts = [literal(one, at) for one in words] or [rest]
            self.made.append(Made((first, *(Word(p.pieces) for p in parts)), when=tuple(self.when)))

    def _enter(self, function: Function, given: "Sequence[Value]", receiver: Value = None) -> Value:
        """A function of the script, with its arguments."""
        node = function.node
        if self._depth > _DEEPEST:
            return None
        self._depth += 1
        parameters = node.child_by_field_name("parameters")
        outer, self._names, quiet, rust = self._names, dict(self._names), self._quiet, self.rust
        self.rust = function.rust
        self._quiet = quiet or self.rust.field(node, "name") not in self.outline.relevant
        named = [p for p in parameters.named_children if p.type == "parameter"] if parameters is not None else []
        self._names["self"] = receiver
        for number, parameter in enumerate(named):
            self._bind(parameter.child_by_field_name("pattern"), given[number] if number < len(given) else None)
        try:
            return self._block(node.child_by_field_name("body"))
        except Left as left:
            if left.whole:
                raise
            return left.value
        finally:
            self._names, self._quiet, self.rust = outer, quiet, rust
            self._depth -= 1


def _all(answers: Sequence[bool | None]) -> bool | None:
    return False if False in answers else None if None in answers else True
