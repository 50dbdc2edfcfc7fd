"""Bazel's BUILD files: the compiler options that targets have, as commands `bazel:RULE`.

Follows https://bazel.build/reference/be/c-cpp (`copts`, `conlyopts`, `cxxopts`, `linkopts`), rules_rust
(`rustc_flags`), rules_go (`gc_goopts`, `copts` of cgo) and https://bazel.build/docs/configurable-attributes (`select`).
Starlark is read as the Python that it is a part of, never run; lists are followed through names of the same file.
"""

import ast
import warnings
from collections.abc import Iterator, Mapping

from flagguard.command import Call, Place, Reading, Word, word
from flagguard.hosts import Files, Setting
from flagguard.hosts.gyp import Places
from flagguard.patterns import expression
from flagguard.text import Decider, Hole, Piece, Problem, SourceText, Traced, hole
from flagguard.tools.platforms import architecture, split
from flagguard.tools.streams import cut_blank

NAME = "bazel"

_KEYS = frozenset("copts conlyopts cxxopts linkopts rustc_flags additional_copts nvcc_copts".split())
_SYSTEM = expression(r"(?i)(?:^|[/:_\-@])(linux|macos|osx|darwin|windows|freebsd)(?:$|[_\-])")
_MACHINE = expression(r"(?i)(?:^|[/:_\-@])(x86_64|k8|amd64|aarch64|arm64|ppc64le|s390x|riscv64)(?:$|[_\-])")
_NAMED = {"osx": "macos", "darwin": "macos", "k8": "x86_64"}
_DEEPEST = 40
_MOST_LOADS = 5
_MOST_STEPS = 10_000
"""Of one value, names followed."""


def read(source: SourceText, setting: Setting) -> Reading:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source.text.lstrip("\ufeff"))
        loaded = _Names(setting.files)
        names = loaded.of(source.path, tree, 0)
        calls = [call for platform in setting.platforms for call in _Reader(source, platform, names).calls(tree)]
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        return Reading(problems=(Problem(source.path, line, "not a BUILD file that can be read", fatal=False),))
    merged: dict[tuple[object, ...], Call] = {}
    for call in calls:
        key = (call.span, tuple(w.text for w in call.argv))
        platforms = (call.platforms or frozenset()) | (merged[key].platforms or frozenset() if key in merged else set())
        merged[key] = Call(call.argv, call.place, call.span, platforms=frozenset(platforms), unit=call.unit)
    return Reading(calls=tuple(merged.values()), depends=tuple(loaded.depends))


Named = tuple[SourceText, ast.expr]
"""A value, and the file that it is written in."""


class _Names:
    """What the names of a file stand for, with those that it loads from other files of the tree."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.depends: dict[str, None] = {}
        """The other files that were looked for."""
        self._known: dict[str, dict[str, Named | None]] = {}

    def of(self, path: str, tree: ast.Module, depth: int) -> dict[str, Named | None]:
        """None: loaded from a file of the tree that cannot be read."""
        source = self.files.read(path)
        found: dict[str, Named | None] = {}
        self._known[path] = found
        for statement in tree.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name) and source is not None:
                found[statement.targets[0].id] = (source, statement.value)
            elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                found.update(self._loaded(path, statement.value, depth))
        return found

    def _loaded(self, path: str, call: ast.Call, depth: int) -> dict[str, Named | None]:
        """`load("//tools:flags.bzl", "COPTS", own = "NAME")`"""
        texts = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        if getattr(call.func, "id", "") != "load" or not texts or texts[0].startswith("@") or depth > _MOST_LOADS:
            return {}
        folder, _, name = texts[0].rpartition(":")
        folder = folder.removeprefix("//") if folder.startswith("//") else path.rpartition("/")[0]
        other = f"{folder}/{name}" if folder else name
        source = self.files.read(other)
        self.depends[other] = None
        theirs: dict[str, Named | None] = self._known.get(other, {})
        if source is not None and other not in self._known:
            theirs = self.of(other, ast.parse(source.text), depth + 1)
        wanted = {t: t for t in texts[1:]}
        wanted |= {k.arg: str(k.value.value) for k in call.keywords if k.arg and isinstance(k.value, ast.Constant)}
        return {own: theirs.get(name) for own, name in wanted.items()}


class _Reader(Places):
    def __init__(self, source: SourceText, platform: str, names: Mapping[str, Named | None]) -> None:
        super().__init__(source)
        self.platform = platform
        self.names = names
        self.steps = [0]
        """Those of the value that is followed."""

    def calls(self, tree: ast.Module) -> Iterator[Call]:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
                keywords = {k.arg: k.value for k in node.keywords if k.arg}
                self.steps[0] = 0
                words = [w for key in keywords if key in _KEYS for w in self._words(keywords[key], 0)]
                if words:
                    yield self._call(node.func, words, keywords)

    def _call(self, function: ast.expr, words: list[Word], keywords: Mapping[str, ast.expr]) -> Call:
        span = self.span(function)
        rule = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        name = keywords.get("name")
        target = str(name.value) if isinstance(name, ast.Constant) else None
        program = Word((Piece(f"bazel:{rule}", (span,)),), span)
        place = Place(NAME, target=target)
        return Call((program, *words), place, span, platforms=frozenset({self.platform}), unit=target or "")

    def _words(self, node: ast.expr, depth: int) -> Iterator[Word]:
        """The texts of a value, as far as they are written in this file."""
        self.steps[0] += 1
        if depth > _DEEPEST or self.steps[0] > _MOST_STEPS:
            if self.steps[0] <= _MOST_STEPS + 1:
                span = self.span(node)
                gap = Hole("…", "the value is too long to follow", Decider.REPOSITORY, several=True)
                yield word(hole(gap, (span,)))
            self.steps[0] = max(self.steps[0], _MOST_STEPS + 1)
            return
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            span = self.span(node)
            if self.source.text[span.start + 1 : span.end - 1] == node.value:
                yield from cut_blank(self.source.traced(span.start + 1, span.end - 1))
            else:
                yield word(Traced((Piece(node.value, (span,)),)))
        elif isinstance(node, (ast.List, ast.Tuple)):
            for item in node.elts:
                yield from self._words(item, depth + 1)
        elif isinstance(node, ast.BinOp):
            yield from self._words(node.left, depth + 1)
            yield from self._words(node.right, depth + 1)
        elif isinstance(node, ast.IfExp):
            yield from self._words(node.body, depth + 1)
            yield from self._words(node.orelse, depth + 1)
        elif isinstance(node, ast.Name) and (named := self.names.get(node.id)) is not None:
            source, value = named
            yield from self._in(source, self.names)._words(value, depth + 1)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "select" and node.args:
            yield from self._selected(node.args[0], depth + 1)
        elif not isinstance(node, ast.Constant):
            yield self._unknown(node)

    def _in(self, source: SourceText, names: Mapping[str, Named | None]) -> "_Reader":
        """The reader of a value that stands in another file, or in this one."""
        other = _Reader(source, self.platform, names)
        other.steps = self.steps
        return other

    def _unknown(self, node: ast.expr) -> Word:
        """Any options: a macro's parameter, a function's result; the repository decides what it loads from a file."""
        span = self.span(node)
        here = isinstance(node, ast.Name) and node.id in self.names
        decider = Decider.REPOSITORY if here else Decider.OUTSIDE
        text = self.source.text[span.start : span.end]
        return word(hole(Hole(text, "the value is not written as a list", decider, several=True), (span,)))

    def _selected(self, node: ast.expr, depth: int) -> Iterator[Word]:
        """The arms whose condition does not name another platform."""
        if isinstance(node, ast.Name) and (named := self.names.get(node.id)) is not None:
            source, value = named
            yield from self._in(source, {})._selected(value, depth)
            return
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if not isinstance(key, ast.Constant) or self._may_hold(str(key.value)):
                    yield from self._words(value, depth)

    def _may_hold(self, condition: str) -> bool:
        system, machine = split(self.platform)
        asked = _SYSTEM.search(condition)
        if asked and _NAMED.get(asked[1].lower(), asked[1].lower()) != system:
            return False
        cpu = _MACHINE.search(condition)
        return not cpu or architecture(_NAMED.get(cpu[1].lower(), cpu[1])) == machine
