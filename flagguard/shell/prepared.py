"""What of a simple command is the same each time that it runs, worked out once: most commands are run many times, in
several worlds, in loops, on several platforms. Nothing here changes what a command means.
"""

from flagguard.command import Word
from flagguard.shell.descriptors import may_choose
from flagguard.shell.expand import fixed_word
from flagguard.shell.kept import Kept
from flagguard.shell.syntax import ArithmeticSub, ArrayNode, Assign, CommandSub, Lit, Param, Part, Simple, WordNode
from flagguard.shell.written import prints_text
from flagguard.text import Hole, Span, literal
from flagguard.values import dataclass


@dataclass(slots=True)
class Prepared:
    node: Simple
    """Held here, so that nothing else has its identity."""
    fixed: tuple[Word | None, ...]
    """For each word: what it is in every world, if it is that."""
    words: tuple[Word, ...] | None
    """All words, where all are fixed."""
    operands: tuple[Assign | None, ...]
    forks: bool
    """Whether the expansion of the words may make a choice."""
    assigns_fork: bool
    redirects_fork: bool
    prints: bool
    kept: "Kept[Expanded]"
    """What the words have come to."""


@dataclass(frozen=True, slots=True)
class Expanded:
    """The words of a command after expansion."""

    words: tuple[Word, ...]
    vanished: tuple[tuple[int, Hole], ...]
    operands: tuple[Assign | None, ...]
    """For each word: the assignment that it was, if it is a declaration's."""
    substituted: bool
    """A command substitution ran, so that the status is its."""


def prepare(node: Simple) -> Prepared:
    fixed = tuple([_named(item) if isinstance(item, Assign) else fixed_word(item) for item in node.words])
    whole = None if None in fixed else fixed
    return Prepared(
        node,
        fixed,
        whole,  # type: ignore[arg-type]
        tuple([item if isinstance(item, Assign) else None for item in node.words]),
        whole is None and any(isinstance(item, WordNode) and may_fork(item) for item in node.words),
        any(_assignment_forks(item) for item in node.assigns),
        any(may_fork(item.target) or may_choose(item) for item in node.redirects),
        prints_text(node),
        Kept([item for item in node.words if isinstance(item, WordNode)]),
    )


def _named(node: Assign) -> Word:
    """An operand of a declaration utility that is an assignment stands for its name."""
    span: Span | None = node.route[-1] if node.route else None
    return Word(literal(node.name, span.cut(0, len(node.name)) if span else None).pieces, span)


def may_fork(node: WordNode) -> bool:
    """Whether its expansion may have to choose between several values."""
    return any([_part_forks(part) for part in node.parts])  # noqa: C419  (a list is faster than a generator)


def _part_forks(part: Part) -> bool:
    if isinstance(part, Lit):
        return False
    if isinstance(part, Param):
        if part.op in ("+", ":+"):
            return True
        return any(inner is not None and may_fork(inner) for inner in (part.argument, part.second, part.index))
    if isinstance(part, ArithmeticSub):
        return may_fork(part.expression)
    return isinstance(part, CommandSub)


def _assignment_forks(node: Assign) -> bool:
    if node.index is not None and may_fork(node.index):
        return True
    if isinstance(node.value, ArrayNode):
        return any((key is not None and may_fork(key)) or may_fork(value) for key, value in node.value.items)
    return may_fork(node.value)
