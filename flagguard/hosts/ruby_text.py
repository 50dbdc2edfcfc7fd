"""As much of Ruby's syntax as a formula's calls need: values that are written out, with what is put into them.

Follows Ruby's documentation, "Literals" (strings, percent literals, arrays, heredocs). What an expression comes to is
not worked out here: it is handed to the caller as text.
"""

from collections.abc import Callable, Iterator

from flagguard.patterns import expression
from flagguard.text import EMPTY, SourceText, Span, Traced, join

Inner = Callable[[Traced], Traced]
"""What `#{…}` comes to."""
_CLOSES = {"(": ")", "[": "]", "{": "}", "<": ">"}
_ESCAPES = {"n": "\n", "t": "\t", "e": "\x1b", "0": "\0"}
_HEREDOC = expression(r"<<[~-]?([\"'`]?)([A-Z_]\w*)\1")
_BLANK = expression(r"\s+")


class Unreadable(Exception):
    """Not a value that is read here."""


def end_of_string(raw: str, at: int) -> int:
    """Where the string, the regular expression in `%r`, or the percent literal that begins at ``at`` ends."""
    opens, closes, start, interpolates = _delimiters(raw, at)
    level, at = 1, start
    while at < len(raw):
        char = raw[at]
        if char == "\\":
            at += 2
            continue
        if interpolates and raw.startswith("#{", at):
            at = end_of_braces(raw, at + 1)
            continue
        if char == closes:
            level -= 1
            if not level:
                return at + 1
        elif char == opens and opens != closes:
            level += 1
        at += 1
    raise Unreadable


def _delimiters(raw: str, at: int) -> tuple[str, str, int, bool]:
    if raw[at] == "%":
        kind = raw[at + 1 : at + 2]
        start = at + (2 if kind.isalpha() else 1)
        opens = raw[start : start + 1]
        if not opens or opens.isalnum() or opens.isspace():
            raise Unreadable
        return opens, _CLOSES.get(opens, opens), start + 1, kind not in ("w", "q", "i", "s")
    return raw[at], raw[at], at + 1, raw[at] != "'"


def end_of_braces(raw: str, at: int) -> int:
    """Where the brace at ``at`` is closed; strings inside are skipped."""
    level = 0
    while at < len(raw):
        if raw[at] in "\"'`":
            at = end_of_string(raw, at)
            continue
        if raw[at] in "{[(":
            level += 1
        elif raw[at] in "}])":
            level -= 1
            if not level:
                return at + 1
        at += 1
    raise Unreadable


def string(text: Traced, inner: Inner) -> Traced:
    """What a string says."""
    raw = text.text
    _, _, start, interpolates = _delimiters(raw, 0)
    return _said(text.cut(start, len(raw) - 1), interpolates, inner)


def _said(text: Traced, interpolates: bool, inner: Inner) -> Traced:
    raw, at, begin = text.text, 0, 0
    parts: list[Traced] = []
    while at < len(raw):
        if raw[at] == "\\" and at + 1 < len(raw):
            following = raw[at + 1]
            if interpolates or following in "\\'":
                parts.append(text.cut(begin, at))
                if interpolates and following in _ESCAPES:
                    from flagguard.text import literal

                    parts.append(literal(_ESCAPES[following]).grounded(text.cut(at, at + 2).route))
                elif following != "\n":
                    parts.append(text.cut(at + 1, at + 2))
                begin = at + 2
            at += 2
        elif interpolates and raw.startswith("#{", at):
            end = end_of_braces(raw, at + 1)
            parts += [text.cut(begin, at), inner(text.cut(at, end))]
            at = begin = end
        else:
            at += 1
    return join([*parts, text.cut(begin, len(raw))])


def words(text: Traced, inner: Inner) -> list[Traced]:
    """The words of `%w[…]` and `%W[…]`."""
    raw = text.text
    _, _, start, interpolates = _delimiters(raw, 0)
    body = text.cut(start, len(raw) - 1)
    said, at, begin = body.text, 0, 0
    found: list[Traced] = []
    while at <= len(said):
        if at == len(said) or said[at].isspace():
            if at > begin:
                found.append(_said(body.cut(begin, at), interpolates, inner))
            at = begin = at + 1
        elif interpolates and said.startswith("#{", at):
            at = end_of_braces(said, at + 1)
        else:
            at += 2 if said[at] == "\\" else 1
    return found


def parts(text: Traced) -> list[Traced]:
    """The arguments that stand between commas."""
    raw, at, begin = text.text, 0, 0
    found: list[Traced] = []
    while at < len(raw):
        char = raw[at]
        if char in "\"'`" or (char == "%" and _starts_literal(raw, at)):
            at = end_of_string(raw, at)
        elif char in "([{":
            at = end_of_braces(raw, at)
        elif char == ",":
            found.append(_trimmed(text.cut(begin, at)))
            at = begin = at + 1
        else:
            at += 1
    last = _trimmed(text.cut(begin, len(raw)))
    return [*found, last] if last else found


def _starts_literal(raw: str, at: int) -> bool:
    before = raw[:at].rstrip()[-1:]
    return raw[at + 1 : at + 2] in ("w", "W", "q", "Q") and (not before or before in "=(,[*+<|:")


def _trimmed(text: Traced) -> Traced:
    raw = text.text
    start = len(raw) - len(raw.lstrip())
    return text.cut(start, len(raw.rstrip())) if raw.strip() else EMPTY


def statements(source: SourceText) -> Iterator[Traced]:
    """The lines of the file, each with those that it goes on in; comments and the texts of heredocs left out."""
    raw, at = source.text, 0
    while at < len(raw):
        begin, end, heredocs = at, at, list[str]()
        cut = kept = at
        segments: list[Traced] = []
        level = 0
        while end < len(raw):
            char = raw[end]
            if char in "\"'`" or (char == "%" and _starts_literal(raw[begin : end + 2], end - begin)):
                try:
                    end = cut = end_of_string(raw, end)
                except Unreadable:
                    end = cut = len(raw)
                continue
            if char == "#":
                stop = raw.find("\n", end)
                segments.append(source.traced(kept, end))
                end = kept = len(raw) if stop < 0 else stop
                continue
            heredoc = _HEREDOC.match(raw, end) if char == "<" else None
            if heredoc is not None:
                heredocs.append(heredoc[2])
                end = cut = heredoc.end()
                continue
            if char == "\n":
                last = raw[begin:cut].rstrip()
                following = raw[end + 1 : end + 200].lstrip(" \t")
                goes_on = (
                    level > 0
                    or last.endswith((",", "\\", "&&", "||", "+", "<<", "=", " ?"))
                    or (following.startswith((".", "&.")) and not following.startswith(".."))
                )
                if not goes_on or heredocs:
                    break
            elif not char.isspace():
                level += (char in "([{") - (char in ")]}")
                cut = end + 1
            end += 1
        yield join([*segments, source.traced(kept, max(cut, kept))])
        at = end + 1
        for word in heredocs:
            closing = expression(rf"(?m)^[ \t]*{word}[ \t]*$").search(raw, at)
            at = closing.end() + 1 if closing is not None else len(raw)


def strings(source: SourceText) -> Iterator[tuple[int, int, str, bool]]:
    """The texts of the file without their quotes: from, to, the sign that opens it, and whether it is one of a list."""
    raw, at = source.text, 0
    waiting: list[str] = []
    while at < len(raw):
        char = raw[at]
        if char in "\"'`" or (char == "%" and _starts_literal(raw, at)):
            try:
                end = end_of_string(raw, at)
            except Unreadable:
                return
            start = _delimiters(raw, at)[2]
            around = raw[:at].rstrip()[-1:], raw[end:].lstrip()[:1]
            yield start, end - 1, raw[at : start - 1] or char, around[0] in (",", "[", "*") or around[1] in (",", "]")
            at = end
        elif char == "#":
            at = raw.find("\n", at)
            if at < 0:
                return
        elif char == "<" and (heredoc := _HEREDOC.match(raw, at)) is not None:
            waiting.append(heredoc[2])
            at = heredoc.end()
        elif char == "\n" and waiting:
            closing = expression(rf"(?m)^[ \t]*{waiting.pop(0)}[ \t]*$").search(raw, at)
            at = closing.end() if closing is not None else len(raw)
        else:
            at += 1


def encode(source: SourceText, span: Span, text: str) -> str | None:
    """What to write in place of ``span``, in a text of the file, so that Ruby reads ``text`` there."""
    if "\n" in text:
        return None
    for start, end, opens, _ in strings(source):
        if start <= span.start and span.end <= end:
            if opens.startswith("%"):
                return text if not set(text) & set("\\#[](){}<>|\"'") else None
            escaped = text.replace("\\", "\\\\").replace(opens, f"\\{opens}")
            return escaped if opens == "'" else escaped.replace("#", "\\#")
    return text
