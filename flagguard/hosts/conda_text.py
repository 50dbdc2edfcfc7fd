"""A recipe's text as conda-build makes YAML of it: selectors first, then Jinja; and the way back to the file.

Follows conda-build's documentation, "Defining metadata (meta.yaml)" (Templating with Jinja, Preprocessing selectors).
What nobody knows here (a function, a variant, the environment) is a hole in the YAML. What a key means is not known.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from flagguard.hosts import yaml_text
from flagguard.hosts.conda_selectors import Values, decided, split
from flagguard.hosts.minijinja import Rendered, renderings
from flagguard.hosts.minijinja_expressions import TemplateError
from flagguard.hosts.minijinja_values import UNDEFINED, Value
from flagguard.hosts.pipelines import MOST_VALUES
from flagguard.hosts.tree import Entry, Items, Node, Scalar, Table, weight
from flagguard.patterns import expression
from flagguard.text import EMPTY, HOLE_MARK, Decider, Hole, Piece, Problem, SourceText, Traced, hole, join
from flagguard.values import dataclass, replace

_GAP = "\uf8e0"
"""Stands for a hole in the text that the reader of YAML gets."""
_TAG = expression(r"(?s)\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}")
_NAME = expression(r"(?<![.\w\"'])[A-Za-z_]\w*")
_WORDS = frozenset(
    "set if elif else endif for endfor in not and or is true false none True False None macro endmacro raw endraw "
    "import include with endwith loop defined undefined".split()
)
_MACRO = expression(r"(?s)\{%-?\s*macro\b.*?\{%-?\s*endmacro\s*-?%\}")
_DEFAULT = expression(r"\s*\|\s*(?:default|d)\b")
_OPEN = expression(r"#[^\n]*\[([^\[\]]+)\][^()\n]*$")


@dataclass(frozen=True)
class View:
    """A file as it may be on a platform: a tree, and what was assumed for it."""

    root: Node
    when: tuple[str, ...]
    rendered: Traced

    def condition(self, node: Node | None, entry: Entry | None = None) -> str:
        """The open selector of the line that a value, or an entry, begins in; ``""`` where there is none."""
        start = entry.key.start if entry is not None else node.span.start if node is not None else 0
        text = self.rendered.text
        begin, end = text.rfind("\n", 0, start) + 1, text.find("\n", start)
        end = len(text) if end < 0 else end
        if text.find("#", begin, end) < 0:
            return ""
        found = _OPEN.search(text[begin:end])
        return found[1].strip() if found is not None else ""


def views(
    source: SourceText, values: Values, names: Mapping[str, Value]
) -> tuple[tuple[View, ...], tuple[Problem, ...]]:
    """The trees that the file may be, and what is wrong with it.

    ``values``: for selectors; ``names``: for templates.
    """
    chosen = _chosen(source, values)
    problems: dict[Problem, None] = {}
    try:
        found: Sequence[Rendered] = renderings(chosen, {**_gaps(chosen), **names})
    except TemplateError as error:
        at = _line(chosen, min(error.at, max(len(chosen) - 1, 0)), source)
        told = f"this template is not followed ({error.message}): each of its arms is read, its values are not known"
        problems[Problem(source.path, at, told, fatal=_MACRO.search(chosen.text) is not None)] = None
        found = (Rendered(_flattened(chosen)),)
    made: list[View] = []
    for one in found:
        text = SourceText(source.path, one.text.text.replace(HOLE_MARK, _GAP))
        parts, wrong = yaml_text.documents(text, repeats=True)
        for problem in wrong:
            line = _line(one.text, text.offset(min(problem.line, text.text.count("\n") + 1)), source)
            problems[replace(problem, line=line)] = None
        for part in parts[:1]:
            if not _fits(part.root):
                problems[Problem(source.path, 1, "its aliases come to too much; nothing of the file is judged")] = None
                continue
            made.append(View(_restored(part.root, one.text), one.when, one.text))
    return tuple(made), tuple(problems)


def _fits(root: Node) -> bool:
    try:
        return weight(root, MOST_VALUES) <= MOST_VALUES
    except RecursionError:
        return False


def _chosen(source: SourceText, values: Values) -> Traced:
    """The lines that count; one with an open selector keeps it, as the comment that it is."""
    parts: list[Traced] = []
    bounds = [source.offset(n) for n in range(1, source.text.count("\n") + 2)] + [len(source.text)]
    for start, end in pairwise(bounds):
        line = source.text[start:end]
        bare = line.rstrip("\r\n")
        if "[" in bare:
            kept, selector = split(bare, values)
            holds = decided(selector, values) if selector else None
            if selector and holds is False:
                continue
            if selector and holds:
                quote = 1 if bare.rstrip()[-1:] in "'\"" else 0  # the whole line may be quoted
                close = start + len(bare.rstrip()) - quote
                parts += [source.traced(start, start + len(kept)), source.traced(close, end)]
                continue
        parts.append(source.traced(start, end))
    return join(parts)


def _gaps(template: Traced) -> dict[str, Value]:
    found: dict[str, Value] = {}
    closed = max(template.text.rfind(end) for end in ("}}", "%}"))
    for tag in _TAG.finditer(template.text, 0, closed + 2):
        found = {**gaps(tag[0]), **found}
    return found


def gaps(written: str) -> dict[str, Value]:
    """Every name in an expression as a hole, for those that nothing else gives a value.

    One that has a default there is not defined: then the default counts, as one that may be replaced.
    """
    found: dict[str, Value] = {}
    for match in _NAME.finditer(written):
        name = match[0]
        if _DEFAULT.match(written, match.end()):
            found[name] = UNDEFINED
        elif name not in found and name not in _WORDS:
            found[name] = hole(Hole(name, "a variant, or the one who builds, decides it", Decider.OUTSIDE, name=name))
    return found


def _flattened(template: Traced) -> Traced:
    """The template with holes for what it puts in, and without what it decides."""
    parts, at = [], 0
    macros = [found.span() for found in _MACRO.finditer(template.text)]
    for start, end in reversed(macros):
        template = template.cut(0, start) + template.cut(end, len(template))
    for tag in _TAG.finditer(template.text):
        written = template.cut(*tag.span())
        parts.append(template.cut(at, tag.start()))
        if tag[0].startswith("{{"):
            parts.append(hole(Hole(written.shown, "its template is not followed", Decider.REPOSITORY), written.route))
        at = tag.end()
    return join([*parts, template.cut(at, len(template))])


def _line(text: Traced, at: int, source: SourceText) -> int:
    """The line of the file that character ``at`` comes from."""
    for start in range(at, max(at - 200, -1), -1):
        route = text.cut(start, start + 1).route
        if route and route[0].path == source.path:
            return source.position(route[0].start)[0]
    return 1


# -- the way back -----------------------------------------------------------------------------------------------------


def _restored(node: Node, rendered: Traced) -> Node:
    """The tree with the texts as the file says them."""
    if isinstance(node, Scalar):
        return replace(node, text=Traced(tuple(_pieces(node.text, rendered))))
    if isinstance(node, Items):
        return replace(node, items=tuple(_restored(item, rendered) for item in node.items))
    assert isinstance(node, Table)
    entries = (
        replace(e, name=e.name.replace(_GAP, HOLE_MARK), value=_restored(e.value, rendered)) for e in node.entries
    )
    return Table(node.span, tuple(entries))


def _pieces(text: Traced, rendered: Traced) -> Iterator[Piece]:
    for piece in text.pieces:
        if not piece.route:
            yield piece
            continue
        span = piece.route[-1]
        said = rendered.cut(span.start, span.end)
        if piece.verbatim:
            yield from said.pieces
        elif _GAP in piece.text:
            yield from hole(replace(said.holes[0], text=said.shown), said.route).pieces
        else:
            yield replace(piece, route=said.route, verbatim=False)


def entries(table: Node | None, name: str) -> Iterator[Entry]:
    """The entries of a name, which may stand several times."""
    for entry in table.entries if isinstance(table, Table) else ():
        if entry.name.partition("\0")[0] == name:
            yield entry


def value(table: Node | None, name: str) -> Node | None:
    return next((entry.value for entry in entries(table, name)), None)


def plain(node: Node | None) -> Traced:
    return node.text if isinstance(node, Scalar) else EMPTY
