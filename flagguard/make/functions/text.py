"""Functions on text and words. Manual: "Functions for String Substitution and Analysis".

Pure: arguments are expanded already; text with holes gives what holds for every content of the holes, else a hole.
"""

from functools import cmp_to_key

from flagguard.make.holes import Fit, could_be, fits, many, unknown
from flagguard.make.lines import WORD, spaced, strip, strip_left, unquote, words
from flagguard.text import EMPTY, HOLE_MARK, Traced, join, literal

_LOST = "a word that is not known"


def subst(written: Traced, old: Traced, new: Traced, text: Traced) -> Traced:
    if not text.text:
        return text if old.text else join((text, new))
    if not old.text:
        return join((text, new))
    if not old.known:
        return unknown(written, _LOST, old, text)
    wanted, source = old.text, text.text
    if HOLE_MARK in source and _spans_hole(wanted, source):
        return _by_word(written, old, new, text)
    parts: list[Traced] = []
    at = 0
    while True:
        found = source.find(wanted, at)
        if found < 0:
            break
        parts.append(text.cut(at, found))
        parts.append(new)
        at = found + len(wanted)
    if not parts:
        return text
    parts.append(text.cut(at, len(source)))
    return join(parts)


def _spans_hole(wanted: str, source: str) -> bool:
    """Whether an occurrence of ``wanted`` could lie partly in a hole and partly in known text."""
    parts = source.split(HOLE_MARK)
    for left in parts[:-1]:
        if any(left.endswith(wanted[:size]) for size in range(1, len(wanted))):
            return True
    for right in parts[1:]:
        if any(right.startswith(wanted[size:]) for size in range(1, len(wanted))):
            return True
    return any(part and part in wanted for part in parts[1:-1])


def _by_word(written: Traced, old: Traced, new: Traced, text: Traced) -> Traced:
    if any(c.isspace() for c in old.text):
        return unknown(written, _LOST, text)
    return spaced(
        [
            unknown(written, _LOST, word)
            if HOLE_MARK in word.text and _spans_hole(old.text, word.text)
            else subst(written, old, new, word)
            for word in words(text)
        ]
    )


class Pattern:
    """A word with at most one ``%``; ``\\%`` is a percent sign."""

    __slots__ = ("known", "prefix", "suffix", "text")

    def __init__(self, text: Traced) -> None:
        at = find_percent(text.text)
        self.known = text.known
        self.text = text if at >= 0 else unquote(text, "%")
        self.prefix: str = _before_percent(text, at).text if at >= 0 else self.text.text
        self.suffix: str | None = text.text[at + 1 :] if at >= 0 else None

    def fits(self, word: str) -> Fit:
        return fits(self.prefix, self.suffix, word)

    def stem(self, word: Traced) -> Traced:
        return word.cut(len(self.prefix), len(word.text) - len(self.suffix or ""))


def _before_percent(text: Traced, at: int) -> Traced:
    """What stands before the sign: the backslashes before it are halved, they do not quote it."""
    head = unquote(text.cut(0, at), "%")
    slashes = len(head.text) - len(head.text.rstrip("\\"))
    return head.cut(0, len(head.text) - slashes // 2) if slashes else head


def find_percent(text: str) -> int:
    at = text.find("%")
    while at > 0:
        slashes = len(text[:at]) - len(text[:at].rstrip("\\"))
        if slashes % 2 == 0:
            return at
        at = text.find("%", at + 1)
    return at


def patsubst(written: Traced, pattern: Traced, replacement: Traced, text: Traced) -> Traced:
    if not pattern.known:
        return unknown(written, _LOST, pattern, text) if text.text else EMPTY
    compiled = Pattern(strip_left(pattern))
    if compiled.suffix is None:
        return _replaced(written, compiled, replacement, text)
    percent = find_percent(replacement.text)
    head = _before_percent(replacement, percent) if percent >= 0 else unquote(replacement, "%")
    tail = replacement.cut(percent + 1, len(replacement)) if percent >= 0 else EMPTY
    out: list[Traced] = []
    for word in words(text):
        fit = compiled.fits(word.text)
        if fit is Fit.MAYBE:
            out.append(unknown(written, _LOST, word))
        elif fit is Fit.NO:
            out.append(word)
        elif percent < 0:
            out.append(head)
        else:
            out.append(join((head, compiled.stem(word), tail)))
    return spaced([w for w in out if w.text])


def _replaced(written: Traced, pattern: Pattern, replacement: Traced, text: Traced) -> Traced:
    """``patsubst`` without a percent sign: whole words, the blanks between them stay."""
    parts, at = [], 0
    for match in WORD.finditer(text.text):
        fit = pattern.fits(match[0])
        if fit is Fit.NO:
            continue
        parts.append(text.cut(at, match.start()))
        whole = text.cut(match.start(), match.end())
        parts.append(replacement if fit is Fit.YES else unknown(written, _LOST, whole))
        at = match.end()
    return join((*parts, text.cut(at, len(text.text)))) if parts else text


def filter_words(written: Traced, patterns: Traced, text: Traced, keep: bool) -> Traced:
    """``filter`` and ``filter-out``."""
    wanted = [Pattern(p) for p in words(patterns)]
    literals = {p.text.text for p in wanted if p.suffix is None and p.known}
    moving = [p for p in wanted if p.suffix is not None or not p.known]
    out: list[Traced] = []
    for word in words(text):
        known = HOLE_MARK not in word.text
        if known and word.text in literals:
            if keep:
                out.append(word)
            continue
        found = [_fit(p, word.text) for p in moving]
        if not known and word.text not in literals:
            found += [Fit.MAYBE for one in literals if could_be(word.text, one)]
        if Fit.YES in found:
            if keep:
                out.append(word)
        elif Fit.MAYBE in found:
            out.append(unknown(written, _LOST, word if not known else patterns))
        elif not keep:
            out.append(word)
    return spaced(out)


def _fit(pattern: Pattern, word: str) -> Fit:
    if pattern.known:
        return pattern.fits(word)
    text = pattern.text.text
    if HOLE_MARK in word or pattern.suffix is not None:
        return Fit.MAYBE
    return Fit.MAYBE if could_be(text, word) else Fit.NO


def findstring(written: Traced, wanted: Traced, text: Traced) -> Traced:
    if wanted.known and (not text.text or any(wanted.text in part for part in text.text.split(HOLE_MARK))):
        return wanted if wanted.text in text.text else EMPTY
    if wanted.known and text.known:
        return EMPTY
    if text.known and not text.text:
        return EMPTY if wanted.known else unknown(written, _LOST, wanted)
    if wanted.known and not many_holes(text) and not _spans_hole(wanted.text, text.text) and " " in wanted.text:
        return EMPTY
    return unknown(written, _LOST, wanted, text)


def many_holes(text: Traced) -> bool:
    return any(many(word) for word in words(text))


def strip_words(text: Traced) -> Traced:
    """``strip``; where nothing is left, the variables that nobody sets are still known by name."""
    found = words(text)
    return spaced(found) if found else Traced(tuple(p for p in text.pieces if p.unset is not None))


def sort(written: Traced, text: Traced) -> Traced:
    found = words(text)
    if len(found) < 2:
        return spaced(found)
    if not text.known and (len({_holes_of(w) for w in found}) > 1 or many_holes(text)):
        return unknown(written, "the order of words that are not known", text)
    by_text: dict[str, Traced] = {}
    for word in found:
        by_text.setdefault(word.text, word)
    ordered = sorted(by_text, key=cmp_to_key(_byte_order))
    return spaced([by_text[t] for t in ordered])


def _holes_of(word: Traced) -> tuple[str, ...]:
    return (word.text.split(HOLE_MARK)[0], *(h.text for h in word.holes))


def _byte_order(left: str, right: str) -> int:
    a, b = left.encode("utf-8", "surrogateescape"), right.encode("utf-8", "surrogateescape")
    return (a > b) - (a < b)


def number(text: Traced) -> int | None:
    plain = strip(text).text
    return int(plain) if plain.isascii() and plain.isdigit() else None


def countable(found: list[Traced], until: int | None = None) -> bool:
    """Whether the first ``until`` of the words are surely as many words."""
    return not any(many(w) for w in found[:until])


def word(written: Traced, index: Traced, text: Traced) -> Traced:
    at = number(index)
    if at is None or at < 1:
        return unknown(written, "the number of the word is not known", index)
    found = words(text)
    if not countable(found, at):
        return unknown(written, _LOST, text)
    return found[at - 1] if at <= len(found) else EMPTY


def word_list(written: Traced, start: Traced, end: Traced, text: Traced) -> Traced:
    first, last = number(start), number(end)
    if first is None or last is None or first < 1:
        return unknown(written, "the number of the word is not known", start, end)
    found = words(text)
    if not countable(found, last):
        return unknown(written, _LOST, text)
    return spaced(found[first - 1 : last])


def count(written: Traced, text: Traced) -> Traced:
    found = words(text)
    return literal(str(len(found))) if countable(found) else unknown(written, _LOST, text)


def first_word(written: Traced, text: Traced) -> Traced:
    found = words(text)
    if not found:
        return EMPTY
    return found[0] if len(found) == 1 and not many(found[0]) else word(written, literal("1"), text)


def last_word(written: Traced, text: Traced) -> Traced:
    found = words(text)
    if not found:
        return EMPTY
    return unknown(written, _LOST, text) if many(found[-1]) else found[-1]


def add_affix(written: Traced, affix: Traced, text: Traced, before: bool) -> Traced:
    """``addprefix`` and ``addsuffix``."""
    out = []
    for one in words(text):
        if many(one):
            out.append(unknown(written, "the number of words is not known", one))
        else:
            out.append(join((affix, one) if before else (one, affix)))
    return spaced(out)


def join_words(written: Traced, left: Traced, right: Traced) -> Traced:
    first, second = words(left), words(right)
    if not (countable(first) and countable(second)):
        return unknown(written, _LOST, left, right)
    size = max(len(first), len(second))
    return spaced(
        [join((first[i] if i < len(first) else EMPTY, second[i] if i < len(second) else EMPTY)) for i in range(size)]
    )
