"""Functions on file names. Manual: "Functions for File Names".

Files are those of the tree; what is outside of it is a hole.
"""

from collections.abc import Callable
from posixpath import normpath

from flagguard.make.answers import CURDIR
from flagguard.make.folder import Folder
from flagguard.make.holes import many, unknown
from flagguard.make.lines import spaced, words
from flagguard.text import EMPTY, HOLE_MARK, Decider, Hole, Shape, Traced, hole, join, literal
from flagguard.values import replace

_LOST = "a file name that is not known"


def each(written: Traced, text: Traced, part: Callable[[Traced], Traced | None], keep_empty: bool = True) -> Traced:
    """``part`` of every word; None where it cannot be told."""
    out = []
    for word in words(text):
        value = part(word) if not many(word) else None
        if value is None:
            value = hole(Hole(written.shown, _LOST, _decider(word), Shape.PATH if not many(word) else Shape.ANY))
        if value.text or keep_empty:
            out.append(value)
    return spaced(out)


def _decider(word: Traced) -> Decider:
    outside = all(h.decider is Decider.OUTSIDE for h in word.holes)
    return Decider.OUTSIDE if outside else Decider.REPOSITORY


def _after_hole(text: str, found: int) -> bool:
    return found > text.rfind(HOLE_MARK)


def folder_part(word: Traced) -> Traced | None:
    slash = word.text.rfind("/")
    if not _after_hole(word.text, slash) and HOLE_MARK in word.text:
        return None
    return word.cut(0, slash + 1) if slash >= 0 else literal("./")


def name_part(word: Traced) -> Traced | None:
    slash = word.text.rfind("/")
    if not _after_hole(word.text, slash) and HOLE_MARK in word.text:
        return None
    return word.cut(slash + 1, len(word))


def _dot(text: str) -> int | None:
    """Where the suffix starts; -1: no suffix; None: not known."""
    slash, dot = text.rfind("/"), text.rfind(".")
    if HOLE_MARK in text and not _after_hole(text, max(slash, dot)):
        return None
    return dot if dot > slash else -1


def suffix(word: Traced) -> Traced | None:
    dot = _dot(word.text)
    return None if dot is None else word.cut(dot, len(word)) if dot >= 0 else EMPTY


def base(word: Traced) -> Traced | None:
    dot = _dot(word.text)
    return None if dot is None else word.cut(0, dot) if dot >= 0 else word


def absolute(word: Traced, folder: Folder) -> Traced | None:
    """``abspath``: the make folder is a hole, so that a relative name stands behind it."""
    text, here = word.text, replace(CURDIR, path=folder.path)
    if word.known:
        if text.startswith("/"):
            return literal(normpath(text)) if normpath(text) != text else word
        tidy = normpath(text)
        if tidy == ".":
            return hole(here)
        if tidy.startswith(".."):
            return _above(tidy, folder)
        return join((hole(here), literal("/"), word if tidy == text else literal(tidy)))
    rest = below_curdir(word)
    if rest is None or HOLE_MARK in rest:
        return None
    tidy = normpath("./" + rest)
    if tidy == ".":
        return hole(here)
    return _above(tidy, folder) if tidy.startswith("..") else join((word.cut(0, 1), literal("/" + tidy)))


def _above(tidy: str, folder: Folder) -> Traced:
    """A folder or file beside or above the make folder."""
    named = Hole(f"$(abspath {tidy})", CURDIR.reason, Decider.OUTSIDE, Shape.PATH, path=folder.rooted(tidy))
    return hole(named)


def below_curdir(word: Traced) -> str | None:
    """What stands behind the make folder, where the word starts with it."""
    first = word.pieces[0].hole
    if first is None or first.name != CURDIR.name:
        return None
    rest = word.text[1:]
    return rest.lstrip("/") if rest == "" or rest.startswith("/") else None


def wildcard(written: Traced, patterns: Traced, folder: Folder) -> Traced:
    out: list[Traced] = []
    outside = hole(Hole(written.shown, "files outside of the repository"))
    for pattern in words(patterns):
        name, prefix = pattern.text, EMPTY
        if not pattern.known:
            rest = below_curdir(pattern)
            if rest is None or HOLE_MARK in rest:
                out.append(unknown(written, _LOST, pattern))
                continue
            name, prefix = rest, join((pattern.cut(0, 1), literal("/")))
        if folder.rooted(name.split("*")[0] or ".") is None or name.split("/")[0] == ".git":
            if out[-1:] != [outside]:  # one for several: without any there is no blank either
                out.append(outside)
            continue
        out.extend(join((prefix, literal(found))) for found in folder.matching(name))
    return spaced(out)
