"""Regular expressions that are compiled when they are first used.

A module names its expressions at its top, and a run uses a few of them; to compile them all took a fifth of the time of
one `flagguard check` on one file (measured, `tests/bench/`). To type checkers a pattern is one of ``re``; it is no
argument for the functions of ``re``. Knows nothing of what is searched.
"""

import re
from typing import TYPE_CHECKING, Any

__all__ = ["expression"]

if TYPE_CHECKING:
    from re import compile as expression
else:

    def expression(said, flags=0):
        """As ``re.compile``; a fault in the expression shows when it is first used."""
        return _Pattern(said, flags)


class _Pattern:
    """The methods of a compiled expression, each there once the first was asked for."""

    _METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")
    _FACTS = ("flags", "groupindex", "groups", "pattern")
    __slots__ = ("_said", *_METHODS, *_FACTS)

    def __init__(self, said: str, flags: int) -> None:
        self._said = said, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        compiled = re.compile(*self._said)
        for own in (*self._METHODS, *self._FACTS):
            setattr(self, own, getattr(compiled, own))
        return getattr(compiled, name)
