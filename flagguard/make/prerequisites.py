"""Lists of file names in rules: quoted blanks, members of archives, shell patterns, the bar, and second expansion.

Manual: "Rule Syntax", "Types of Prerequisites", "Wildcards", "Archive Members as Targets", "Secondary Expansion".
"""

from collections.abc import Callable

from flagguard.make.folder import Folder
from flagguard.make.lines import closing, unquote, words
from flagguard.patterns import expression
from flagguard.text import Decider, Hole, Piece, Shape, Traced, hole, join

_WORD = expression(r"(?:\\[ \t]|[^ \t\n\r\v\f])+")
_GROUP = expression(r"(?<![^ \t])([^ \t()$][^ \t()]*)\(([^()]*)\)")
_PATTERN_SIGN = expression(r"[*?\[]")
MEMBER = expression(r"([^(].*)\((.*)\)$")
"""``ARCHIVE(MEMBER)``."""


def names(
    text: Traced, folder: Folder, quoted: str = ":", split: Callable[[Traced], list[Traced]] = words
) -> list[Traced]:
    """The files that a list names; ``split`` cuts one that is written without quotes."""
    source = text.text
    if "\\" in source or "(" in source:
        if "(" in source and ")" in source:
            text = _ungrouped(text)
        found = [text.cut(*match.span()) for match in _WORD.finditer(text.text)]
        found = [unquote(word, quoted + " \t") for word in found]
    else:
        found = split(text)
    return [name for word in found for name in matched(word, folder)]


def _ungrouped(text: Traced) -> Traced:
    """``lib(a b)`` as ``lib(a) lib(b)``."""
    parts: list[Traced] = []
    at = 0
    for match in _GROUP.finditer(text.text):
        members = words(text.cut(*match.span(2)))
        parts.append(text.cut(at, match.start()))
        archive, close = text.cut(match.start(1), match.end(1) + 1), text.cut(match.end() - 1, match.end())
        for index, member in enumerate(members):
            parts += [Traced((Piece(" "),))] if index else []
            parts += [archive, member, close]
        at = match.end()
    return join((*parts, text.cut(at, len(text)))) if parts else text


def matched(word: Traced, folder: Folder) -> list[Traced]:
    """The file, or the files that its shell pattern names."""
    text = word.text
    if text == "." or not _PATTERN_SIGN.search(text):
        return [word.cut(2, len(word)) if text.startswith("./") and len(text) > 2 else word]
    member = MEMBER.match(text)
    if member is not None:  # which members the archive has is known when it is there
        reason = Hole(member[2], "the members of an archive", Decider.OUTSIDE, Shape.PATH)
        return [join((word.cut(0, member.start(2)), hole(reason, word.route), word.cut(len(word) - 1, len(word))))]
    found = folder.matching(text) if word.known else []
    return [Traced((Piece(name, word.route),)) for name in found] or [word]


def listed(
    text: Traced, folder: Folder, split: Callable[[Traced], list[Traced]] = words
) -> tuple[list[Traced], list[Traced]]:
    """Prerequisites of expanded text: normal ones and order-only ones."""
    at = text.text.find("|")
    if at < 0:
        return names(text, folder, split=split), []
    return names(text.cut(0, at), folder), names(text.cut(at + 1, len(text)), folder)


def references_kept(text: str) -> list[tuple[int, int]]:
    """The words, where blanks inside references do not separate."""
    found: list[tuple[int, int]] = []
    at, size = 0, len(text)
    while at < size:
        if text[at] in " \t\n":
            at += 1
            continue
        start = at
        while at < size and text[at] not in " \t\n":
            if text[at] == "$" and text[at + 1 : at + 2] in ("(", "{"):
                close = closing(text, at + 1)
                at = size if close < 0 else close + 1
            else:
                at += 1
        found.append((start, at))
    return found
