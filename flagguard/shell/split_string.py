"""``env -S``: cutting a string into words (GNU coreutils manual, "env invocation", -S/--split-string syntax)."""

from flagguard.command import Word, word
from flagguard.text import HOLE_MARK, Hole, Piece, Traced, hole, join, literal

_ESCAPES = {"f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "#": "#", "$": "$", '"': '"', "'": "'", "\\": "\\"}
_BLANKS = " \t\n\r\v\f"


def split_string(text: Traced) -> tuple[Word, ...] | None:
    """The words of an ``env -S`` string; None where env would refuse it.

    ``${NAME}`` becomes a hole: env takes it from its own environment.
    """
    raw = text.text
    words: list[Word] = []
    parts: list[Traced] | None = None
    quote = ""
    at = 0
    while at < len(raw):
        char = raw[at]
        if not quote and char in _BLANKS:
            if parts is not None:
                words.append(word(join(parts)))
            parts = None
            at += 1
            continue
        if not quote and char == "#" and parts is None:
            break
        parts = [] if parts is None else parts
        if char in "'\"" and quote in ("", char):
            quote = "" if quote else char
            at += 1
        elif char == "\\" and not (quote == "'" and raw[at + 1 : at + 2] not in ("'", "\\")):
            escape = raw[at + 1 : at + 2]
            if escape == "c" and not quote:
                break
            if escape == "_" and not quote:
                words.append(word(join(parts)))
                parts = None
            elif escape == "_" and quote == '"':
                parts.append(_same(text, at, " "))
            elif escape in _ESCAPES:
                parts.append(_same(text, at, _ESCAPES[escape]))
            else:
                return None
            at += 2
        elif char == "$" and quote != "'":
            end = raw.find("}", at)
            name = raw[at + 2 : end] if raw[at + 1 : at + 2] == "{" and end > 0 else ""
            if not name.isidentifier() or HOLE_MARK in name:
                return None
            variable = Hole(f"${{{name}}}", "taken from the environment of env", name=name)
            parts.append(hole(variable, text.cut(at, end + 1).route))
            at = end + 1
        else:
            parts.append(text.cut(at, at + 1))
            at += 1
    if quote:
        return None
    if parts is not None:
        words.append(word(join(parts)))
    return tuple(words)


def _same(text: Traced, at: int, char: str) -> Traced:
    """An escape sequence's character, at the place of the sequence."""
    route = text.cut(at, at + 2).route
    return Traced((Piece(char, route),)) if route else literal(char)
