"""The calls in a build script: what begins, changes and runs a builder, and methods of texts and lists."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from flagguard.command import Word
from flagguard.hosts.build_rs_builders import AT_ONCE, METHODS, RUNS, STARTS, Builder, command
from flagguard.hosts.build_rs_texts import Texts, Value
from flagguard.hosts.rust_text import Rust
from flagguard.text import EMPTY, Decider, Hole, Traced, hole, join, literal
from flagguard.values import dataclass

if TYPE_CHECKING:
    from tree_sitter import Node

_SAME = frozenset(
    "to_string to_owned as_str into clone unwrap expect ok as_ref as_mut trim to_lowercase to_str to_string_lossy iter "
    "into_iter as_deref as_path unwrap_or unwrap_or_default unwrap_or_else borrow cloned copied as_bytes into_owned "
    "as_os_str to_path_buf display to_ascii_lowercase into_boxed_str".split()
)
"""Methods that say what the value says that they are called on."""
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

    def __init__(self, rust: Rust, triple: str, assume: Mapping[str, str]) -> None:
        super().__init__(rust, triple, assume)
        self.when: list[tuple[str, bool]] = []
        self.made: list[Made] = []
        self._maybe = 0
        """How many open conditions are taken and not taken at once here."""
        self._builders: list[Builder] = []
        self._functions: dict[str, Node] = {}
        self._begun: frozenset[str] = frozenset()

    def _enter(self, function: "Node", given: "Sequence[Node]") -> Value:
        raise NotImplementedError

    def _call(self, node: "Node") -> Value:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        given = list(arguments.named_children) if arguments is not None else []
        if function is None:
            return None
        if function.type == "field_expression":
            return self._method(node, function, given)
        name = re.sub(r"::<.*>|\s", "", self.rust.written(function))
        if name in _WRAPS and given:
            return self._value(given[0])
        if name in _VARIABLES:
            return self._variable(node, self._value(given[0]) if given else None)
        if name in ("std::process::exit", "process::exit", "exit"):
            raise Left(whole=True)
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
        if name in self._functions:
            return self._enter(self._functions[name], given)
        for one in given:
            self._value(one)
        return None

    def _kind(self, name: str) -> str | None:
        if name == "Config::new":
            return "autotools" if any("autotools" in used for used in self._begun) else "cmake"
        return STARTS.get(name)

    def _method(self, node: "Node", function: "Node", given: "Sequence[Node]") -> Value:
        receiver = function.child_by_field_name("value")
        name = self.rust.field(function, "field")
        value = self._value(receiver)
        if isinstance(value, Builder):
            return self._built(value, name, given)
        if isinstance(value, list) and name in ("push", "extend", "extend_from_slice", "append") and given:
            added = self._value(given[0])
            value += added if isinstance(added, list) else [added]
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
        unset = isinstance(value, Traced) and value.pieces[:1] and value.pieces[0].hole is not None
        if name in _DEFAULTS and unset and values and isinstance(values[0], Traced):
            return values[0].overridable()
        return value if name in _SAME else None

    def _built(self, builder: Builder, name: str, given: "Sequence[Node]") -> Value:
        values = [self._value(one) for one in given]
        if name in RUNS[builder.kind]:
            if builder.kind == "cc" and values and isinstance(values[0], Traced):
                builder.target = values[0].text
            self._finish(builder)
            return None
        method = METHODS[builder.kind].get(name)
        if method is None:
            return builder if name not in ("get_compiler", "try_get_compiler", "get_program") else None
        if method.act is not None:
            filled = [v if isinstance(v, Traced) else self._traced(n) for v, n in zip(values, given, strict=True)]
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
        words, env, declared = command(builder)
        if len(words) < 2 and declared:
            return
        made = Made(words, tuple(env.items()), builder.folder, builder.target, tuple(self.when), declared)
        self.made.append(made)
