"""xargs(1) on an input that is known: the argument lists that it makes."""

import re
from collections.abc import Sequence

from flagguard.command import Word
from flagguard.patterns import expression
from flagguard.text import Traced, join
from flagguard.values import dataclass

_ITEM = expression(r"(?:'[^'\n]*'|\"[^\"\n]*\"|\\.|[^\s'\"\\])+", re.DOTALL)
_QUOTED = expression(r"'([^'\n]*)'|\"([^\"\n]*)\"|\\(.)|([^\s'\"\\]+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Options:
    most: int | None = None
    lines: bool = False
    """Each line is one item (``-I``, ``-L 1``, ``-d '\\n'``)."""
    null: bool = False
    delimiter: str | None = None
    replaces: str | None = None
    skips_empty: bool = False


def argument_lists(wrapper: Sequence[Word], stdin: Traced) -> tuple[Options, list[list[Traced]]] | None:
    """The options, and the items of each run; None where the options are not all understood or the input has holes."""
    options = _options([w.text for w in wrapper[1:]])
    if options is None or not stdin.known:
        return None
    items = _items(stdin, options)
    if options.replaces is not None:
        return options, [[item] for item in items]
    if not items:
        return options, [] if options.skips_empty else [[]]
    most = options.most or len(items)
    return options, [items[i : i + most] for i in range(0, len(items), most)]


def _options(words: list[str]) -> Options | None:
    options: dict[str, object] = {}
    i = 0
    while i < len(words):
        text = words[i]
        i += 1
        found = re.fullmatch(r"-([nLIdPsE])(.*)", text, re.DOTALL)
        if found is None:
            if text in ("-0", "--null"):
                options["null"] = True
            elif text in ("-r", "--no-run-if-empty"):
                options["skips_empty"] = True
            elif text not in ("-t", "--verbose", "--"):
                return None
            continue
        value = found.group(2)
        if not value:
            value = words[i] if i < len(words) else ""
            i += 1
        match found.group(1):
            case "n":
                if not value.isdigit():
                    return None
                options["most"] = int(value)
            case "L" if value == "1":
                return None
            case "I":
                options["replaces"], options["lines"] = value, True
            case "d":
                options["delimiter"] = {"\\n": "\n", "\\t": "\t"}.get(value, value)
            case "P" | "s":
                pass
            case _:
                return None
    return Options(**options)  # type: ignore[arg-type]


def _items(stdin: Traced, options: Options) -> list[Traced]:
    text = stdin.text
    separator = "\0" if options.null else options.delimiter
    if separator is not None:
        out, at = [], 0
        for part in text.removesuffix(separator).split(separator):
            out.append(stdin.cut(at, at + len(part)))
            at += len(part) + 1
        return out if text else []
    if options.lines:
        out, at = [], 0
        for line in text.split("\n"):
            stripped = line.lstrip(" \t")
            if stripped:
                start = at + len(line) - len(stripped)
                out.append(_unquoted(stdin, start, start + len(stripped), blanks=True))
            at += len(line) + 1
        return out
    return [_unquoted(stdin, m.start(), m.end()) for m in _ITEM.finditer(text)]


def _unquoted(stdin: Traced, start: int, end: int, blanks: bool = False) -> Traced:
    text = stdin.text[start:end]
    if not re.search(r"['\"\\]", text):
        return stdin.cut(start, end)
    parts, at = [], 0
    for found in _QUOTED.finditer(text):
        if blanks and found.start() > at:
            parts.append(stdin.cut(start + at, start + found.start()))
        group = next(i for i in range(1, 5) if found.group(i) is not None)
        parts.append(stdin.cut(start + found.start(group), start + found.end(group)))
        at = found.end()
    return join(parts)
