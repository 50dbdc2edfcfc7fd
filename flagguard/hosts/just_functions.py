"""just's functions that compute a value from values and nothing else.

Follows "Functions" in just's README. What is not known stays a hole; what is only passed on keeps its place.
"""

import hashlib
import posixpath
import re
from collections.abc import Callable, Sequence
from urllib.parse import quote as percent

from flagguard.make.holes import unknown
from flagguard.patterns import expression
from flagguard.text import EMPTY, HOLE_MARK, Piece, Traced, join, literal, shared_route

CONSTANTS: dict[str, str] = {
    # https://just.systems/man/en/constants.html
    "HEX": "0123456789abcdef",
    "HEXLOWER": "0123456789abcdef",
    "HEXUPPER": "0123456789ABCDEF",
    "CLEAR": "\x1bc",
    **{
        name: f"\x1b[{code}m"
        for name, code in (
            *zip("NORMAL BOLD ITALIC UNDERLINE INVERT HIDE STRIKETHROUGH".split(), (0, 1, 3, 4, 7, 8, 9), strict=True),
            *zip("BLACK RED GREEN YELLOW BLUE MAGENTA CYAN WHITE".split(), range(30, 38), strict=True),
            *((f"BG_{c}", 40 + i) for i, c in enumerate("BLACK RED GREEN YELLOW BLUE MAGENTA CYAN WHITE".split())),
        )
    },
}
SEPARATORS = {"PATH_SEP": ("/", "\\"), "PATH_VAR_SEP": (":", ";")}
"""On Unix and on Windows."""

_WORD = expression(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[0-9]+")
_NOT_SAME = expression(r"\[\[:|\\[pPzhHRx]|&&|--|~~|\(\?<|\(\?P?<|\\b\{")
"""What means something else to Rust's regex crate than to Python's re, or is not there."""


_REPEATS = expression(r"[)+*?}][+*{]|[+*][^()]*[+*][^()]*[+*]")
_SHORT = 40


class FunctionError(Exception):
    """just stops: the function refuses its arguments."""


def regex(pattern: str, text: str) -> "re.Pattern[str] | None":
    """A regular expression of Rust's crate for a text, where Python's says the same, and in reasonable time."""
    if _NOT_SAME.search(pattern) or (len(text) > _SHORT and _REPEATS.search(pattern)) or len(text) > _SHORT**2:
        return None
    try:
        return re.compile(pattern.replace("$", "\\Z") if "\\$" not in pattern and "[" not in pattern else pattern)
    except (re.error, RecursionError, OverflowError):
        return None


# -- one value from texts that are known ------------------------------------------------------------------------------


def _words(text: str) -> list[str]:
    return [w for part in re.split(r"[^A-Za-z0-9]+", text) for w in _WORD.findall(part)]


def _camel(text: str) -> str:
    return "".join(w.capitalize() for w in _words(text))


def _lower_camel(text: str) -> str:
    found = _camel(text)
    return found[:1].lower() + found[1:]


def _clean(path: str) -> str:
    found = posixpath.normpath(path) if path else "."
    return found[1:] if found.startswith("//") else found


def _trimmed(text: str, part: str, start: bool, once: bool) -> str:
    while part and (text.startswith(part) if start else text.endswith(part)):
        text = text[len(part) :] if start else text[: -len(part)]
        if once:
            break
    return text


def _replaced_regex(text: str, pattern: str, by: str) -> str | None:
    found = regex(pattern, text)
    if found is None or re.search(r"\$\{|\$\w*[A-Za-z_]\w*", by):
        return None
    return found.sub(lambda m: re.sub(r"\$(\d+)", lambda d: m[int(d[1])] or "", by), text)


def _last(path: str) -> tuple[int, int]:
    """Where the last part of a path stands."""
    end = len(path.rstrip("/"))
    start = path.rfind("/", 0, end) + 1
    if path[start:end] in ("", "..") or (path[start:end] == "." and start == 0):
        raise FunctionError(f"`{path}` names no file")
    return start, end


def _dot(path: str) -> int:
    start, end = _last(path)
    dot = path.rfind(".", start, end)
    return dot if dot > start else end


def _extension(path: str) -> str:
    dot, (_, end) = _dot(path), _last(path)
    if dot == end:
        raise FunctionError(f"`{path}` has no extension")
    return path[dot + 1 : end]


def _parent(path: str) -> str:
    if not path.strip("/"):
        raise FunctionError(f"`{path}` has no parent")
    start = path.rfind("/", 0, len(path.rstrip("/"))) + 1
    return path[:start].rstrip("/") or ("/" if start else ".")


def _without_extension(path: str) -> str:
    return path[: _dot(path)]


_TEXT: dict[str, Callable[..., str | None]] = {
    "capitalize": lambda s: s[:1].upper() + s[1:].lower(),
    "clean": _clean,
    "encode_uri_component": lambda s: percent(s, safe="-_.!~*'()"),
    "kebabcase": lambda s: "-".join(_words(s)).lower(),
    "lowercamelcase": _lower_camel,
    "lowercase": str.lower,
    "replace": lambda s, old, new: s.replace(old, new),
    "replace_regex": _replaced_regex,
    "sha256": lambda s: hashlib.sha256(s.encode("utf-8", "surrogateescape")).hexdigest(),
    "shoutykebabcase": lambda s: "-".join(_words(s)).upper(),
    "shoutysnakecase": lambda s: "_".join(_words(s)).upper(),
    "snakecase": lambda s: "_".join(_words(s)).lower(),
    "titlecase": lambda s: " ".join(w.capitalize() for w in _words(s)),
    "uppercamelcase": _camel,
    "uppercase": str.upper,
    "trim_end_match": lambda s, p: _trimmed(s, p, start=False, once=True),
    "trim_end_matches": lambda s, p: _trimmed(s, p, start=False, once=False),
    "trim_start_match": lambda s, p: _trimmed(s, p, start=True, once=True),
    "trim_start_matches": lambda s, p: _trimmed(s, p, start=True, once=False),
}
_TRIMS: dict[str, Callable[[str], str]] = {"trim": str.strip, "trim_end": str.rstrip, "trim_start": str.lstrip}
"""Functions that leave the inside of a text alone: a hole in it stays."""
_PATHS: dict[str, Callable[[str], str]] = {
    "extension": _extension,
    "file_name": lambda p: p[slice(*_last(p))],
    "file_stem": lambda p: p[_last(p)[0] : _dot(p)],
    "parent_directory": _parent,
    "without_extension": _without_extension,
}
"""Functions on the last part of a path: what stands before it may be a hole."""


def compute(name: str, arguments: Sequence[Traced], written: Traced) -> Traced | None:
    """What a pure function gives; None where there is no such function."""
    if name in _TEXT:
        texts = [a.text for a in arguments]
        if not all(a.known for a in arguments):
            return _hole(written, arguments)
        try:
            found = _TEXT[name](*texts)
        except TypeError:
            raise FunctionError(f"`{name}` does not take {len(texts)} arguments") from None
        if name == "replace":
            return _replaced(*arguments)
        return _hole(written, arguments) if found is None else _derived(found, arguments)
    if len(arguments) == 1 and name in _TRIMS:
        return _derived(_TRIMS[name](arguments[0].text), arguments)
    if len(arguments) == 1 and name in _PATHS:
        text = arguments[0].text
        if HOLE_MARK in text[text.rfind("/") + 1 :] or text.endswith("/" + HOLE_MARK):
            return _hole(written, arguments)
        return _derived(_PATHS[name](text), arguments)
    return None


def _hole(written: Traced, causes: Sequence[Traced]) -> Traced:
    return unknown(written, "just computes it from something that is not known", *causes)


def _derived(result: str, arguments: Sequence[Traced]) -> Traced:
    """A result with the place of the argument that it is a part of, or that it was made from."""
    first = arguments[0]
    at = first.text.find(result) if result else -1
    if at >= 0:
        return first.cut(at, at + len(result))
    if not result:
        return EMPTY
    return Traced((Piece(result, shared_route(p for a in arguments for p in a.pieces)),))


def _replaced(text: Traced, old: Traced, new: Traced) -> Traced:
    """`replace(…)`: what is not replaced keeps its place."""
    if not old.text:
        return _derived(text.text.replace("", new.text), (text, new))
    parts, at = [], 0
    while (found := text.text.find(old.text, at)) >= 0:
        parts += [text.cut(at, found), new]
        at = found + len(old.text)
    return join([*parts, text.cut(at, len(text))])


def quoted(text: Traced) -> Traced:
    """`quote(…)`: in single quotes, for a shell."""
    parts, at = [literal("'")], 0
    while (found := text.text.find("'", at)) >= 0:
        parts += [text.cut(at, found), Traced((Piece("'\\''", text.cut(found, found + 1).route),))]
        at = found + 1
    return join([*parts, text.cut(at, len(text)), literal("'")])


def joined(parts: Sequence[Traced], windows: bool) -> Traced:
    """`join(…)`: Rust's Path::join."""
    sign = "\\" if windows else "/"
    found = parts[0]
    for part in parts[1:]:
        if part.text.startswith("/"):
            found = part
        elif found.text and not found.text.endswith(("/", sign)):
            found = join((found, literal(sign), part))
        else:
            found = join((found, part))
    return found


def affixed(affix: Traced, text: Traced, before: bool) -> Traced | None:
    """`prepend(…)` and `append(…)`: around each word; None where the words are not known."""
    if any(h.shape.value == "any" for h in text.holes):
        return None
    parts: list[Traced] = []
    for found in re.finditer(r"\S+", text.text):
        word = text.cut(*found.span())
        parts += [literal(" ")] if parts else []
        parts += [affix, word] if before else [word, affix]
    return join(parts)
