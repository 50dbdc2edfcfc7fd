"""JSON with comments, as editors keep their settings: the comments become blanks, so that every place stays.

Follows https://jsonc.org; a comma behind the last item is allowed, as YAML allows it.
"""

from flagguard.patterns import expression
from flagguard.text import SourceText

_PART = expression(r"\"(?:\\.|[^\"\\\n])*\"|//[^\n]*|/\*[\s\S]*?\*/")
_KEPT = expression(r"[^\n]")


def plain(source: SourceText) -> SourceText:
    """The same file without comments and tabs; every character stands where it stood."""
    text = _PART.sub(lambda m: m[0] if m[0][0] == '"' else _KEPT.sub(" ", m[0]), source.text)
    return SourceText(source.path, text.replace("\t", " "))
