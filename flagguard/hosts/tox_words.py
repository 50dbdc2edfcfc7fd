"""How tox cuts a command line into words: Python's shlex, with its own rule for Windows.

Follows https://docs.python.org/3/library/shlex.html ("Parsing Rules", POSIX mode, split at blanks alone) and tox's
https://tox.wiki/en/latest/reference/config.html ("commands"). No shell: there are no patterns and no variables.
"""

import re

from flagguard.command import Word, word
from flagguard.hosts.poe_cmd import written_at
from flagguard.patterns import expression
from flagguard.text import EMPTY, Traced, compact, join, literal

_BLANKS = " \t\r\n"
_QUOTES = "'\""
_UNSAFE = expression(r"[^\w@%+=:,./-]", re.ASCII)


def split(text: Traced, windows: bool) -> list[Word]:
    """The words of a command line. What stands behind an open quote is one word with it, as tox has it."""
    words: list[Word] = []
    raw, at = text.text, 0
    while True:
        while at < len(raw) and raw[at] in _BLANKS:
            at += 1
        if at >= len(raw):
            return words
        found = _word(text, at, windows)
        if found is None:
            words.append(word(text.cut(at, len(raw)), written_at(text.cut(at, len(raw)))))
            return words
        value, end = found
        words.append(word(Traced(compact(value.pieces)), written_at(text.cut(at, end))))
        at = end


def _word(text: Traced, at: int, windows: bool) -> tuple[Traced, int] | None:
    """The word that begins there, and where it ends; None where a quote or an escape is left open."""
    raw = text.text
    parts: list[Traced] = []
    quote = ""
    start = at
    while at < len(raw):
        char = raw[at]
        if quote:
            if char == quote:
                parts.append(text.cut(start, at))
                quote, start = "", at + 1
            elif char == "\\" and quote == '"' and raw[at + 1 : at + 2] in ('"', "\\") and at + 1 < len(raw):
                parts.append(text.cut(start, at))
                start = at + 1
                at += 1
            at += 1
        elif char in _BLANKS:
            break
        elif char in _QUOTES:
            parts.append(text.cut(start, at))
            quote, start = char, at + 1
            at += 1
        elif char == "\\":
            if windows and raw[at + 1 : at + 2] not in ("\\", "'", '"'):
                at += 1
                continue
            if at + 1 >= len(raw):
                return None
            parts.append(text.cut(start, at))
            start = at + 1
            at += 2
        else:
            at += 1
    if quote:
        return None
    parts.append(text.cut(start, at))
    return join(p for p in parts if p) if any(parts) else EMPTY, at


def quoted(words: "list[Traced]") -> Traced:
    """Words as a command line that comes to them again (shlex.join)."""
    return join([part for value in words for part in (literal(" "), _quoted(value))][1:])


def _quoted(value: Traced) -> Traced:
    if value.text and not _UNSAFE.search(value.text):
        return value
    parts: list[Traced] = [literal("'")]
    at = 0
    for i, char in enumerate(value.text):
        if char == "'":
            parts += [value.cut(at, i), literal("'\"'\"'")]
            at = i + 1
    return join([*parts, value.cut(at, len(value)), literal("'")])
