"""What all walks through one build script know of it: its files, functions, constants, macros, and imported names.

Follows The Rust Reference, "Modules" (where the file of a `mod` stands) and "Use declarations".
"""

import posixpath
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from flagguard.hosts.rust_text import Rust, walk
from flagguard.patterns import expression
from flagguard.text import Problem
from flagguard.values import dataclass

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_FILES = 30
_PATH = expression(r"#\[\s*path\s*=\s*\"([^\"]+)\"\s*\]")
_USED = expression(r"(?:(\w+(?:::\w+)*)::)?(\w+)(?:\s+as\s+(\w+))?")
_RUNS = r"\bcxx_build::bridge|\b(?:cmake|autotools)::build\b|cargo::?rustc-(?:link-arg|flags)|\bset_var\b|\bcmd!"
_BUILDERS = frozenset({"cc::Build", "cmake::Config", "autotools::Config", "process::Command", "std::process::Command"})
_KINDS = frozenset({"Build", "Config", "Command"})


@dataclass(frozen=True)
class Function:
    """A function, and the file in which it stands."""

    rust: Rust
    node: "Node"
    method: bool
    """It has a `self`."""


class Outline:
    def __init__(self, rust: Rust, read: Callable[[str], Rust | None]) -> None:
        self.rust = rust
        self._read = read
        self.problems: dict[Problem, None] = {}
        self.files: list[Rust] = []
        self.functions: dict[str, list[Function]] = {}
        """By the name alone, and by `TYPE::NAME`."""
        self.constants: list[tuple[Rust, Node]] = []
        self.macros: dict[str, str] = {}
        """The text of those of the script."""
        self.used: dict[str, str] = {}
        """What an imported name stands for."""
        self._add(rust, posixpath.dirname(rust.source.path))
        kinds = _KINDS | {name for name, whole in self.used.items() if whole in _BUILDERS}
        begun = "|".join(sorted(kinds))
        self.runs = re.compile(rf"\b(?:{begun})::(?:new|default)\b|{_RUNS}")
        """What runs something, or begins what does."""
        self.builder = re.compile(rf"\b(?:{begun})\b")
        self.relevant = self._reaching()

    def _add(self, rust: Rust, folder: str) -> None:
        """A file, and those of its modules."""
        self.files.append(rust)
        for node in walk(rust.root):
            if node.type == "function_item":
                self._add_function(rust, node)
            elif node.type in ("const_item", "static_item"):
                self.constants.append((rust, node))
            elif node.type == "macro_definition":
                self.macros[rust.field(node, "name")] = rust.written(node)
            elif node.type == "use_declaration":
                self._add_used(rust.field(node, "argument"), "")
            elif node.type == "mod_item" and node.child_by_field_name("body") is None:
                self._add_module(rust, node, folder)

    def _add_function(self, rust: Rust, node: "Node") -> None:
        name = rust.field(node, "name")
        parameters = node.child_by_field_name("parameters")
        method = parameters is not None and any(n.type == "self_parameter" for n in parameters.named_children)
        found = Function(rust, node, method)
        self.functions.setdefault(name, []).append(found)
        owner = node.parent.parent if node.parent is not None else None
        if owner is not None and owner.type == "impl_item":
            kind = rust.field(owner, "type").partition("<")[0]
            self.functions.setdefault(f"{kind}::{name}", []).append(found)

    def _add_used(self, written: str, before: str) -> None:
        """The names that a `use` brings: `a::{self, b as c}`."""
        written = " ".join(written.split())
        if written.endswith("}"):
            start, _, rest = written[:-1].partition("{")
            for one in _parts(rest):
                self._add_used(one, before + start.replace(" ", ""))
            return
        found = _USED.fullmatch((before + written).removeprefix("crate::"))
        if found is not None and found[2] == "self" and found[1]:
            whole = found[1]
            self.used[found[3] or whole.rpartition("::")[2]] = whole
        elif found is not None:
            whole = f"{found[1]}::{found[2]}" if found[1] else found[2]
            self.used[found[3] or found[2]] = whole

    def _add_module(self, rust: Rust, node: "Node", folder: str) -> None:
        name = rust.field(node, "name")
        before = node.prev_named_sibling
        said = _PATH.fullmatch(rust.written(before)) if before is not None and before.type == "attribute_item" else None
        own = posixpath.dirname(rust.source.path)
        names = [f"{folder}/{name}.rs", f"{folder}/{name}/mod.rs"] if said is None else [f"{own}/{said[1]}"]
        for path in (posixpath.normpath(one.lstrip("/")) for one in names):
            if any(path == known.source.path for known in self.files) or len(self.files) >= _MOST_FILES:
                return
            found = self._read(path)
            if found is not None:
                below = posixpath.dirname(path) if path.endswith("/mod.rs") or said else path.removesuffix(".rs")
                self._add(found, below)
                return

    def included(self, path: str) -> Rust | None:
        """A file that an `include!` puts in, relative to the one that says so."""
        known = next((one for one in self.files if one.source.path == path), None)
        if known is None and len(self.files) < _MOST_FILES:
            known = self._read(path)
            if known is not None:
                self._add(known, posixpath.dirname(path))
        return known

    def whole(self, name: str) -> str:
        """A path with what its first name was imported as."""
        first, mark, rest = name.partition("::")
        return self.used.get(first, first) + mark + rest

    def meant(self, name: str) -> list[Function]:
        """The functions that a path may name."""
        parts = name.split("::")
        return self.functions.get("::".join(parts[-2:])) or self.functions.get(parts[-1], [])

    def _reaching(self) -> frozenset[str]:
        """The functions that run something, or get what will."""
        bodies = {
            name: "\n".join(one.rust.written(one.node) for one in found)
            for name, found in self.functions.items()
            if "::" not in name
        }
        heads = {
            name: [one.rust.written(one.node).partition("{")[0] for one in self.functions[name]] for name in bodies
        }
        found = {n for n, text in bodies.items() if self.runs.search(text) or any(map(self.builder.search, heads[n]))}
        calls = {n: set(re.findall(r"\b(\w+)\s*\(", text)) for n, text in bodies.items()}
        more = True
        while more:
            before = len(found)
            found |= {name for name, called in calls.items() if called & found}
            more = len(found) > before
        return frozenset(found)


def _parts(listed: str) -> list[str]:
    """The parts of a list in braces, lists in lists kept whole."""
    out, depth, at = [], 0, 0
    for end, char in enumerate(listed):
        depth += (char == "{") - (char == "}")
        if char == "," and not depth:
            out.append(listed[at:end].strip())
            at = end + 1
    return [one for one in (*out, listed[at:].strip()) if one]
