"""What a script or a command says, but for where it stands: equal fingerprints come to the same.

Evaluation and judging look at texts and facts, never at offsets, so a script that an edit only moves need not be read
again. Knows nothing of edits.
"""

from flagguard.command import Call, Command, Script, Variable
from flagguard.text import Span, Traced
from flagguard.values import entries

Fingerprint = tuple[object, ...]


def fingerprint(place: Script | Call, platforms: tuple[str, ...]) -> Fingerprint:
    """All that evaluation and judging look at, but for where it stands."""
    said = [_plain(value) for name, value in entries(place).items() if name not in ("span", "platforms", "alike")]
    return (*said, place.platforms or platforms)


def of_command(command: Command) -> Fingerprint:
    """All that judging looks at."""
    return (command.span.path, *[_plain(value) for value in entries(command).values()])


def _plain(value: object) -> object:
    """The value without the places in it."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return tuple([_plain(item) for item in value])
    if isinstance(value, Traced):
        return _content(value)
    if isinstance(value, Span):
        return value.path
    if isinstance(value, Variable):
        return value.name, _content(value.value)
    if isinstance(value, dict):
        return tuple([(name, _plain(value[name])) for name in sorted(value)])
    return value


def _content(text: Traced) -> object:
    pieces = text.pieces
    if len(pieces) == 1:
        piece = pieces[0]
        if piece.hole is None and piece.unset is None and not piece.overridable:
            return piece.text
    return tuple([(p.text, p.hole, p.overridable, p.unset) for p in pieces])
