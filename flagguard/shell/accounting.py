"""No command may be lost: which commands of a script an evaluation does not account for, by a second reader's count."""

from flagguard.shell.evaluation import Evaluation
from flagguard.shell.second import Found, commands
from flagguard.text import Span, Traced


def lost(source: Traced, evaluation: Evaluation) -> tuple[Found, ...]:
    """The commands of a script that are neither evaluated, nor known to be unreached, nor behind a syntax error.

    ``source``: the script's text, from its first character on.
    """
    spans = sorted(evaluation.parsed)
    reported = evaluation.unread_from
    out = []
    for found in commands(source.text):
        route = source.cut(found.start, found.start + 1).route
        if not route or (reported is not None and found.start >= reported):
            continue
        if not any(_holds(span, route[-1]) for span in spans):
            out.append(found)
    return tuple(out)


def _holds(span: Span, place: Span) -> bool:
    return span.path == place.path and span.start <= place.start < span.end
