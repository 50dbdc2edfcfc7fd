"""The calls in a build script: what begins, changes and runs a builder, and methods of texts and lists."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from flagguard.command import Word
from flagguard.hosts.build_rs_builders import ADDS, AT_ONCE, METHODS, RUNS, STARTS, Builder, command
from flagguard.hosts.build_rs_outline import Function, Outline
from flagguard.hosts.build_rs_texts import Texts, Value
from flagguard.hosts.pipelines import LONGEST
from flagguard.text import EMPTY, Decider, Hole, Traced, hole, join, literal, too_long
from flagguard.values import dataclass

if TYPE_CHECKING:
    from tree_sitter import Node

_SAME = frozenset(
    "to_string to_owned as_str into clone unwrap expect ok as_ref as_mut trim to_lowercase to_str to_string_lossy iter "
    "into_iter as_deref as_path unwrap_or unwrap_or_default unwrap_or_else borrow cloned copied as_bytes into_owned "
    "as_os_str to_path_buf display to_ascii_lowercase into_boxed_str".split()
)
"""Methods that say what the value says that they are called on."""
_GROWS = frozenset("push extend extend_from_slice append insert push_back push_front".split())
"""Methods that put what they are given last into a list."""
_CHOOSES = frozenset("find first last next min max nth".split())
"""Methods that choose one of a list,"""
_DEFAULTS = frozenset("unwrap_or unwrap_or_else map_or map_or_else".split())
"""and those that say what is where a variable is not set."""
_WRAPS = frozenset(
    "String::from Some Ok Box::new PathBuf::from Path::new std::path::Path::new std::path::PathBuf::from OsString::from"
    " Cow::from Cow::Borrowed".split()
)
_TESTS = {"contains": str.__contains__, "starts_with": str.startswith, "ends_with": str.endswith, "eq": str.__eq__}
_VARIABLES = frozenset({"env::var", "std::env::var", "env::var_os", "std::env::var_os"})
_SETS = frozenset({"env::set_var", "std::env::set_var"})


_MOST_ITEMS = 10_000


class Stuck(Exception):
    """The script goes on for too long to be followed."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


class Left(Exception):
    """A function is left, or (``whole``) the script."""

    def __init__(self, value: Value = None, whole: bool = False) -> None:
        super().__init__()
        self.value = value
        self.whole = whole


@dataclass(frozen=True)
class Made:
    """One command, or one declaration of flags."""

    words: tuple[Word, ...]
    env: tuple[tuple[str, Traced], ...] = ()
    folder: Traced = EMPTY
    target: str = ""
    when: tuple[tuple[str, bool], ...] = ()
    """The open conditions before it, and their answers."""
    declared: bool = True


class Calls(Texts):
    """What a walk does at a call."""

    def __init__(self, outline: Outline, triple: str, assume: Mapping[str, str]) -> None:
        super().__init__(outline.rust, triple, assume)
        self.outline = outline
        self.when: list[tuple[str, bool]] = []
        self.made: list[Made] = []
        self._maybe = 0
        """How many open conditions are taken and not taken at once here."""
        self._builders: list[Builder] = []
        self._guessed: set[int] = set()
        """The functions that were entered since they may be meant."""
        self._env: dict[str, Traced] = {}
        """The variables that the script has set for itself."""

    def _enter(self, function: Function, given: "Sequence[Value]", receiver: Value = None) -> Value:
        raise NotImplementedError

    def _call(self, node: "Node") -> Value:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        given = list(arguments.named_children) if arguments is not None else []
        if function is None:
            return None
        if function.type == "field_expression":
            return self._chain(node)
        if function.type not in ("identifier", "scoped_identifier", "generic_function"):
            self._value(function)
        name = self.outline.whole(re.sub(r"::<.*>|\s", "", self.rust.written(function)))
        if name in _WRAPS and given:
            return self._value(given[0])
        if name in _VARIABLES:
            return self._variable(node, self._value(given[0]) if given else None)
        if name in ("std::process::exit", "process::exit", "exit"):
            raise Left(whole=True)
        if name in _SETS and len(given) > 1:
            variable, said = self._value(given[0]), self._traced(given[1])
            if isinstance(variable, Traced) and variable.known:
                self._env[variable.text] = said
            return None
        kind = self._kind(name)
        if kind is not None:
            values = [self._value(one) for one in given]
            first = (
                values[0] if values and isinstance(values[0], Traced) else self._traced(given[0]) if given else EMPTY
            )
            builder = Builder(kind, self.rust.span(function), first)
            self._builders.append(builder)
            if name in AT_ONCE:
                self._finish(builder)
            return builder
        values = [self._value(one) for one in given]
        return self._enter_each(self.outline.meant(name), values) if name.isidentifier() or "::" in name else None

    def _enter_each(self, functions: Sequence[Function], given: "Sequence[Value]", receiver: Value = None) -> Value:
        """The function that is meant; of several, any may be it."""
        if len(functions) == 1:
            return self._enter(functions[0], given, receiver)
        value: Value = None
        new = [one for one in functions if one.node.id not in self._guessed]
        self._guessed.update(one.node.id for one in new)
        self._maybe += 1
        self.when.append(("one of several functions of the name is meant", True))
        for one in new:
            value = self._enter(one, given, receiver) or value
        self.when.pop()
        self._maybe -= 1
        return value

    def _kind(self, name: str) -> str | None:
        if name in ("Config::new", "Config::default"):
            return "autotools" if any("autotools" in used for used in self.outline.used.values()) else "cmake"
        return STARTS.get(name)

    def _unknown(self, name: str, at: "Node", receiver: "Node | None", values: "Sequence[Value]") -> Builder | None:
        """What takes a flag, where nobody knows what it is; None where that says nothing."""
        kind = ADDS.get(name)
        said = values[0] if values else None
        listed = said if isinstance(said, list) else [said]
        texts = [one.text for one in listed if isinstance(one, Traced) and one.known]
        if kind is None or not (any(text.startswith("-") for text in texts) or (kind != "command" and not texts)):
            return None
        builder = Builder(kind, self.rust.span(at), self._said(None, receiver))
        builder.unknown = True
        builder.words.append(self._said(None, receiver, several=True))
        self._builders.append(builder)
        if receiver is not None and receiver.type == "identifier":
            self._names[self.rust.written(receiver)] = builder
        return builder

    def _chain(self, node: "Node") -> Value:
        """Methods called on what others give, from the first to the last."""
        calls: list[Node] = []
        one: Node | None = node
        while one is not None and one.type in ("call_expression", "try_expression"):
            function = one.child_by_field_name("function") if one.type == "call_expression" else None
            if one.type == "call_expression" and (function is None or function.type != "field_expression"):
                break
            if function is not None:
                calls.append(one)
                one = function.child_by_field_name("value")
            else:
                one = one.named_children[0] if one.named_children else None
        value = self._value(one)
        for call in reversed(calls):
            value = self._method(call, value)
        return value

    def _method(self, node: "Node", value: Value) -> Value:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        assert function is not None
        given = list(arguments.named_children) if arguments is not None else []
        receiver = function.child_by_field_name("value")
        name = self.rust.field(function, "field")
        if isinstance(value, Builder):
            return self._built(value, name, given)
        if isinstance(value, list) and name in _GROWS and given:
            added = self._value(given[-1])
            value += added if isinstance(added, list) else [added]
            if len(value) > _MOST_ITEMS:
                raise Stuck(f"a list comes to more than {_MOST_ITEMS} items", self.rust.line(node))
            return None
        if isinstance(value, Traced) and name in ("push_str", "push") and given and receiver is not None:
            self._names[self.rust.written(receiver)] = self._joined([value, self._traced(given[0])], node)
            return None
        if isinstance(value, Traced) and value.known and name in _TESTS and given:
            other = self._value(given[0])
            if isinstance(other, Traced) and other.known:
                return bool(_TESTS[name](value.text, other.text))
        if isinstance(value, Traced) and value.known and name in ("is_ok", "is_some", "is_err", "is_none"):
            return name in ("is_ok", "is_some")
        if isinstance(value, list) and name in _CHOOSES and all(isinstance(one, Traced) for one in value):
            among = tuple(one for one in value if isinstance(one, Traced))
            told = "which of several texts it is, is not known"
            return hole(Hole(self.rust.written(node), told, Decider.OUTSIDE, among=among), self._at(node))
        values = [self._value(one) for one in given]
        methods = [one for one in self.outline.meant(name) if one.method]
        if methods and (value is None or isinstance(value, dict)):
            return self._enter_each(methods, values, value)
        if value is None and receiver is not None:
            builder = self._unknown(name, function, receiver, values)
            if builder is not None:
                return self._built(builder, name, given, values)
        unset = isinstance(value, Traced) and value.pieces[:1] and value.pieces[0].hole is not None
        if name in _DEFAULTS and unset and values and isinstance(values[0], Traced):
            return values[0].overridable()
        return value if name in _SAME else None

    def _built(self, builder: Builder, name: str, given: "Sequence[Node]", known: "list[Value] | None" = None) -> Value:
        """A method of a builder; ``known``: the values of its arguments, where they are known already."""
        values = known if known is not None else [self._value(one) for one in given]
        if name in RUNS[builder.kind]:
            if builder.kind == "cc" and values and isinstance(values[0], Traced):
                builder.target = values[0].text
            self._finish(builder)
            return None
        if name in ("get_compiler", "try_get_compiler"):  # of cc: a Tool, whose `to_command` has the options
            tool = Builder("command", builder.at, literal("cc", builder.at))
            tool.words += builder.words
            return tool
        method = METHODS[builder.kind].get(name)
        if method is None:
            return builder if name != "get_program" else None
        if method.act is not None:
            pairs = zip(values, given, strict=True)
            filled = [v if isinstance(v, Traced | list) else self._said(v, n) for v, n in pairs]
            method.act(builder, filled)  # type: ignore[arg-type]
        if method.only and values and values[0] is False:
            return builder
        items = values[0] if values and isinstance(values[0], list) else None
        for one in items if items is not None else [values[0] if values else None]:
            first = self._said(one, given[0] if given else None, method.behind, name.endswith("s"))
            if method.flags and self._maybe:
                first = self._may_be(first)
            if method.flags:
                builder.flags.setdefault(method.flags, []).append(first)
            for written in method.words:
                word = self._filled(written, first, given)
                word = self._may_be(word) if self._maybe else word
                (builder.behind if method.behind else builder.words).append(word)
        return builder

    def _joined(self, parts: Sequence[Traced], node: "Node") -> Traced:
        """Texts as one; where that is too long to be followed, a hole."""
        whole = join(parts) if sum(len(part.text) for part in parts) <= LONGEST else None
        return whole if whole is not None and not too_long(whole) else self._said(None, node, several=True)

    def _may_be(self, word: Traced) -> Traced:
        reason = f"it is there only where {self.when[-1][0]}"
        return hole(Hole(word.shown, reason, Decider.OUTSIDE, among=(word,), several=True), word.route)

    def _filled(self, written: str, first: Traced, given: "Sequence[Node]") -> Traced:
        before, mark, rest = written.partition("{0}")
        if not mark:
            return literal(written, self.rust.span(given[0])) if given else literal(written)
        parts = [literal(before), first]
        second = given[1] if len(given) > 1 else None
        if rest and second is not None and self.rust.written(second) != "None":
            parts += [literal(rest.partition("{1}")[0]), self._traced(second)]
        return join(parts)

    def _finish(self, builder: Builder) -> None:
        builder.ran += 1
        builder.env = {**self._env, **builder.env}
        words, env, declared = command(builder)
        if len(words) < 2 and declared:
            return
        made = Made(words, tuple(env.items()), builder.folder, builder.target, tuple(self.when), declared)
        self.made.append(made)
