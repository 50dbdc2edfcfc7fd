"""xargs(1) on an input that is known: the argument lists that it makes."""

import re
from collections.abc import Sequence

from flagguard.command import Word, word
from flagguard.patterns import expression
from flagguard.shell.machine import Machine
from flagguard.shell.state import World
from flagguard.shell.written import tree_file, written
from flagguard.text import Decider, Hole, Traced, hole, join
from flagguard.values import dataclass

_ITEM = expression(r"(?:'[^'\n]*'|\"[^\"\n]*\"|\\.|[^\s'\"\\])+", re.DOTALL)
_QUOTED = expression(r"'([^'\n]*)'|\"([^\"\n]*)\"|\\(.)|([^\s'\"\\]+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Options:
    most: int | None = None
    most_lines: int | None = None
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
    if options.most_lines is not None and not options.lines and not options.null and options.delimiter is None:
        rows = _of_lines(stdin, options.most_lines)
        return options, rows if rows or options.skips_empty else [[]]
    items = _items(stdin, options)
    if options.replaces is not None:
        return options, [[item] for item in items]
    if not items:
        return options, [] if options.skips_empty else [[]]
    most = options.most or len(items)
    return options, [items[i : i + most] for i in range(0, len(items), most)]


_LONG = {
    # long options by their letters (xargs(1), GNU findutils); "": without a meaning for the lists
    "--null": "0", "--no-run-if-empty": "r", "--verbose": "t", "--interactive": "p", "--exit": "x", "--open-tty": "o",
    "--arg-file": "a", "--delimiter": "d", "--max-args": "n", "--max-lines": "L", "--replace": "I", "--max-procs": "P",
    "--max-chars": "s", "--eof": "E", "--process-slot-var": "",
}  # fmt: skip
_TAKES_VALUE = frozenset("adEILnPs")
_JOINED = frozenset("eil")
"""Options with a value only when it is joined; the same as E, I and L."""


def _split(words: Sequence[str]) -> list[tuple[str, str | None, int, int]] | None:
    """Each option as its letter and value, and which words it is; None where one is not known."""
    found: list[tuple[str, str | None, int, int]] = []
    i = 0
    while i < len(words):
        text, start = words[i], i
        i += 1
        if text == "--":
            continue
        if text.startswith("--"):
            name, equals, value = text.partition("=")
            fits = {letter for long, letter in _LONG.items() if long.startswith(name)}
            letter = _LONG[name] if name in _LONG else fits.pop() if len(fits) == 1 else None
            if letter is None:
                return None
            given: str | None = value if equals else None
            if given is None and letter in _TAKES_VALUE and letter not in "LIE":
                given = words[i] if i < len(words) else ""
                i += 1
            found.append((letter, given, start, i))
            continue
        if not re.fullmatch("-[^-].*", text, re.DOTALL):
            return None
        at = 1
        while at < len(text):
            letter, rest = text[at], text[at + 1 :]
            at += 1
            if letter in _TAKES_VALUE or letter in _JOINED:
                value = rest
                if letter in _TAKES_VALUE and not rest:
                    value = words[i] if i < len(words) else ""
                    i += 1
                found.append((letter.upper() if letter in _JOINED else letter, value or None, start, i))
                break
            if letter not in "0rtpxoR":
                return None
            found.append((letter, None, start, i))
    return found


def from_file(machine: Machine, wrapper: Sequence[Word], world: World) -> tuple[Traced | None, Sequence[Word]]:
    """What `xargs -a FILE` reads, and the words without that option; nothing where it reads standard input."""
    taken = next((o for o in _split([w.text for w in wrapper[1:]]) or () if o[0] == "a"), None)
    if taken is None:
        return None, wrapper
    first, last = taken[2] + 1, taken[3] + 1
    own = (*wrapper[:first], *wrapper[last:])
    file = wrapper[last - 1]
    if last - first == 1:
        file = word(file.cut(len(file) - len(taken[1] or ""), len(file)))
    texts = written(world, file)
    path = tree_file(machine, file, world)
    gap = Hole(file.shown, "the contents of a file", Decider.REPOSITORY, file=path)
    return texts[0] if len(texts) == 1 else hole(gap), own


def _options(words: list[str]) -> Options | None:
    options: dict[str, object] = {}
    split = _split(words)
    if split is None:
        return None
    for letter, value, _, _ in split:
        match letter:
            case "0":
                options["null"] = True
            case "r":
                options["skips_empty"] = True
            case "n":
                if value is None or not value.isdigit():
                    return None
                options["most"], options["most_lines"] = int(value), None
            case "L":
                if value is not None and not value.isdigit():
                    return None
                options["most"], options["most_lines"] = None, int(value or 1)
            case "I":
                options["replaces"], options["lines"] = value or "{}", True
            case "d":
                options["delimiter"] = {"\\n": "\n", "\\t": "\t", "\\0": "\0"}.get(value or "", value)
            case "E" | "a":
                return None
            case _:
                pass
    return Options(**options)  # type: ignore[arg-type]


def _of_lines(stdin: Traced, most: int) -> list[list[Traced]]:
    """The items of so many lines each: empty lines do not count, and one that ends with a blank goes on in the next."""
    rows: list[list[Traced]] = []
    at, count, open_ = 0, most, False
    for line in stdin.text.split("\n"):
        found = [_unquoted(stdin, at + m.start(), at + m.end()) for m in _ITEM.finditer(line)]
        at += len(line) + 1
        if not found:
            continue
        if not open_ and count >= most:
            rows.append([])
            count = 0
        rows[-1] += found
        open_ = line[-1] in " \t"
        count += not open_
    return rows


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
