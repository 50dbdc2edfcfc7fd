"""CCC_OVERRIDE_OPTIONS: edits that clang makes to its command line before it reads it.

Follows clang/tools/driver/driver.cpp, ApplyOneQAOverride: `^OPTION` puts an option in front, `+OPTION` at the end,
`xOPTION` and `XOPTION` take one away (the latter with the word after it), `O…` replaces the level of optimisation,
`s/REGEX/TEXT/` rewrites words, `#` keeps clang from telling.
"""

import re
from collections.abc import Sequence

from flagguard.command import Word
from flagguard.text import Decider, Hole, Piece, Traced, literal
from flagguard.tools.grammar import Item
from flagguard.tools.streams import cut_plain

_LEVEL = re.compile(r"-O[0-4sz]?|-Ofast|-Og")


def edited(items: Sequence[Item], edits: Traced) -> list[Item]:
    """The words as the edits leave them; an edit that cannot be followed is a hole at the end."""
    out = list(items)
    for number, edit in enumerate(cut_plain(edits)):
        text = edit.text
        if text.startswith("#") and number == 0:
            continue
        if not edit.known:
            out.append(_unread(edit))
        elif text[0] in "^+":
            out.insert(0 if text[0] == "^" else len(out), Item(Word(edit.cut(1, len(text)).pieces)))
        elif text[0] in "xX":
            out = _without(out, text[1:], text[0] == "X")
        elif text[0] == "O":
            out = [i for i in out if not _LEVEL.fullmatch(i.word.text)]
            out.append(Item(Word((*literal("-").pieces, *edit.pieces))))
        else:
            out.append(_unread(edit))
    return out


def _without(items: Sequence[Item], text: str, following: bool) -> list[Item]:
    out: list[Item] = []
    skipped = False
    for item in items:
        if skipped:
            skipped = False
        elif item.word.text == text:
            skipped = following
        else:
            out.append(item)
    return out


def _unread(edit: Traced) -> Item:
    reason = "an edit of the command line that is not followed"
    return Item(Word((Piece(edit.shown, edit.route, hole=Hole(edit.shown, reason, Decider.REPOSITORY)),)))
