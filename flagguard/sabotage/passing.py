"""How a flag comes from where it is written to its command: through which variables, and what comes with it."""

from collections.abc import Iterator

from flagguard.rules import Constraint, Subject
from flagguard.sabotage.ground import inside
from flagguard.sabotage.needs import Need
from flagguard.text import Piece, Span, Traced


def uses(value: Traced) -> Iterator[Span]:
    """Where the value is taken from one variable after the other, but for the place where it is written."""
    depth = min((len(piece.route) for piece in value.pieces), default=0)
    for step in range(depth - 1):
        spans = {piece.route[step] for piece in value.pieces}
        if len(spans) == 1:
            yield spans.pop()


def only_this(need: Need, constraint: Constraint, value: Traced, assignment: Span) -> bool:
    """Whether the rule looks at nothing but the value of what comes to the command through the assignment.

    What is written in it besides is taken away with it: the program, the flag that makes the rule look at a command.
    """
    if any(inside(piece.route[-1], assignment) for piece in value.pieces):
        return False
    argv, env = need.invocation.argv, need.command.env.values()
    rule = need.rule
    if constraint.subject is not Subject.EFFECTIVE and not rule.with_ and not rule.without:
        return not any(_through(piece, assignment) for piece in argv[0].pieces)
    others = (piece for text in (*argv, *env) for piece in text.pieces if piece not in value.pieces)
    return not any(_through(piece, assignment) for piece in others)


def _through(piece: Piece, assignment: Span) -> bool:
    return any(inside(span, assignment) for span in piece.route)
