"""binding.gyp and other files of GYP: the flags that targets give to compilers, as commands `gyp:cflags`, and what
their actions, rules and postbuilds run.

Follows https://gyp.gsrc.io/docs/InputFormatReference.md (a Python literal with comments, `conditions`, keys that end in
`+`, `=`, `?`, `!`, `/`) and pylib/gyp/generator/make.py for the keys. The text is parsed, never evaluated.
"""

import ast
import re
import warnings
from collections.abc import Iterator, Sequence

from flagguard.command import Call, Dialect, Place, Reading, Script, Word, word
from flagguard.hosts import Setting
from flagguard.hosts.pipelines import fill, outside
from flagguard.patterns import expression
from flagguard.text import Decider, Hole, Piece, Problem, SourceText, Span, Traced, hole
from flagguard.tools.streams import cut_blank
from flagguard.values import cached_property

NAME = "gyp"

_KEYS = expression(
    r"(cflags(?:_c|_cc|_cxx|_objc|_objcc)?|OTHER_CFLAGS|OTHER_CPLUSPLUSFLAGS|AdditionalOptions|ldflags)[+=?]?"
)
_LISTS = expression(r".*[!/]$")
"""Lists that take away."""
_OS = expression(r"""\s*OS\s*(==|!=)\s*["'](\w+)["']\s*""")
_ARCH = expression(r"""\s*(?:target|host)_arch\s*(==|!=)\s*["'](\w+)["']\s*""")
_SYSTEMS = {"linux": "linux", "mac": "macos", "win": "windows", "freebsd": "freebsd"}
_MACHINES = {
    "x64": ("x86_64",),
    "arm64": ("aarch64", "arm64"),
    "ia32": ("i686",),
    "ppc64": ("ppc64le",),
    "s390x": ("s390x",),
}
_USE = re.compile(r"[<>^][!|]?@?\(")
_USED = expression(r"[<>^]@?\([^()]*\)")
_LINE_END = expression(r"\r\n?|\n")
_DEEPEST = 60


def read(source: SourceText, setting: Setting) -> Reading:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source.text.lstrip("\ufeff"), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        return Reading(problems=(Problem(source.path, line, "not a GYP file that can be read"),))
    reader = _Reader(source)
    calls = tuple(reader.walk(tree.body, frozenset(setting.platforms), "", 0))
    return Reading(tuple(reader.scripts), calls)


class Places:
    """Where the nodes of a parsed text stand: `ast` counts bytes."""

    def __init__(self, source: SourceText) -> None:
        self.source = source

    def span(self, node: ast.expr) -> Span:
        start = self._offset(node.lineno, node.col_offset)
        end = self._offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
        return Span(self.source.path, start, end)

    def _offset(self, line: int, column: int) -> int:
        start, end = self._starts[line - 1], (*self._starts[line : line + 1], len(self.source.text))[0]
        text = self.source.text[start:end]
        return start + len(text.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))

    @cached_property
    def _starts(self) -> list[int]:
        """Where lines begin for `ast`, which ends them at a lone CR too."""
        begun = 1 if self.source.text.startswith("\ufeff") else 0
        return [begun, *(found.end() for found in _LINE_END.finditer(self.source.text))]


class _Reader(Places):
    def __init__(self, source: SourceText) -> None:
        super().__init__(source)
        self.scripts: list[Script] = []

    def walk(self, node: ast.expr, platforms: frozenset[str], target: str, depth: int) -> Iterator[Call]:
        """The calls below a value."""
        if depth > _DEEPEST or not platforms:
            return
        if isinstance(node, ast.List):
            for item in node.elts:
                yield from self.walk(item, platforms, target, depth + 1)
        if not isinstance(node, ast.Dict):
            return
        pairs = [(k, v) for k, v in zip(node.keys, node.values, strict=True) if isinstance(k, ast.Constant)]
        for key, value in pairs:
            if key.value == "target_name" and isinstance(value, ast.Constant):
                target = str(value.value)
        for key, value in pairs:
            name = str(key.value)
            if name.rstrip("+=?") in ("conditions", "target_conditions") and isinstance(value, ast.List):
                for condition in value.elts:
                    yield from self._condition(condition, platforms, target, depth + 1)
            elif found := _KEYS.fullmatch(name):
                yield from self._call(key, found[1], value, platforms, target)
            elif name in ("action", "action+") and isinstance(value, ast.List):
                self._action(value, pairs, platforms, target)
            elif not _LISTS.fullmatch(name):
                yield from self.walk(value, platforms, target, depth + 1)

    def _action(
        self, value: ast.List, pairs: Sequence[tuple[ast.Constant, ast.expr]], platforms: frozenset[str], target: str
    ) -> None:
        """The words of an action, a rule or a postbuild: no shell reads them."""
        names = {str(key.value): one.value for key, one in pairs if isinstance(one, ast.Constant)}
        step = next((str(names[k]) for k in ("action_name", "rule_name", "postbuild_name") if k in names), "action")
        words = [word(self._one(item)) for item in value.elts]
        if words:
            place = Place(NAME, target=target or None, step=step)
            folder = self.source.path.rpartition("/")[0]
            self.scripts.append(
                Script(place, Dialect.ARGV, argv=tuple(words), platforms=platforms, directory=folder, unit=target)
            )

    def _one(self, node: ast.expr) -> Traced:
        """A word, with gaps for what GYP or the build puts in."""
        span = self.span(node)
        written = self.source.text[span.start : span.end]
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            return hole(Hole(written, "it is no text", Decider.REPOSITORY), (span,))
        listed = node.value.startswith(("<@(", ">@(", "^@("))
        if _USE.match(node.value) and node.value.endswith(")"):
            return hole(
                Hole(node.value, "what GYP puts in there is not known", Decider.OUTSIDE, several=listed), (span,)
            )
        exact = written[1:-1] == node.value
        whole = self.source.traced(span.start + 1, span.end - 1) if exact else Traced((Piece(node.value, (span,)),))
        return fill(whole, _USED, lambda m, one: outside(m[0], m[0], "what GYP puts in there is not known"))

    def _condition(self, node: ast.expr, platforms: frozenset[str], target: str, depth: int) -> Iterator[Call]:
        """`[CONDITION, THEN, CONDITION, THEN, …, ELSE]`"""
        if not isinstance(node, ast.List):
            return
        left = platforms
        items = list(node.elts)
        while items:
            first = items.pop(0)
            if isinstance(first, ast.Dict):
                yield from self.walk(first, left, target, depth)
            elif isinstance(first, ast.Constant) and items:
                held = frozenset(p for p in left if holds(str(first.value), p) is not False)
                yield from self.walk(items.pop(0), held, target, depth)
                left = frozenset(p for p in left if holds(str(first.value), p) is not True)

    def _call(
        self, key: ast.expr, name: str, value: ast.expr, platforms: frozenset[str], target: str
    ) -> Iterator[Call]:
        values = value.elts if isinstance(value, ast.List) else [value]
        words = [w for one in values for w in self._words(one)]
        span = self.span(key)
        if words:
            program = Word((Piece(f"gyp:{name}", (span,)),), span)
            yield Call((program, *words), Place(NAME, target=target or None), span, platforms=platforms, unit=target)

    def _words(self, node: ast.expr) -> Iterator[Word]:
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            return
        span = self.span(node)
        written = self.source.text[span.start : span.end]
        if _USE.search(node.value):
            reason = "what GYP puts in there is not known"
            yield word(hole(Hole(node.value, reason, Decider.OUTSIDE), (span,)))
        elif written[1:-1] == node.value:
            yield from cut_blank(self.source.traced(span.start + 1, span.end - 1))
        else:
            yield from cut_blank(Traced((Piece(node.value, (span,)),)))


def holds(condition: str, platform: str) -> bool | None:
    """Whether a condition on the system or the architecture is true; None where it asks for something else."""
    system, _, machine = platform.partition("-")
    parts = re.split(r"\band\b", condition)
    answers: list[bool | None] = []
    for part in parts:
        if found := _OS.fullmatch(part):
            answers.append((_SYSTEMS.get(found[2], found[2]) == system) == (found[1] == "=="))
        elif found := _ARCH.fullmatch(part):
            answers.append((machine in _MACHINES.get(found[2], (found[2],))) == (found[1] == "=="))
        else:
            answers.append(None)
    return False if False in answers else None if None in answers else True
