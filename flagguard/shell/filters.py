"""Filters over text that is known: what they print, and whether they succeed (POSIX.1-2024 XCU; the manuals of GNU).

Only where every implementation does the same, on ASCII text; nothing is decided by what somebody outside may replace.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from flagguard.command import Word
from flagguard.patterns import expression
from flagguard.shell.posix_regex import python
from flagguard.text import EMPTY, HOLE_MARK, Piece, Traced, join, literal
from flagguard.values import dataclass

_MOST = 20_000
"""Characters of input that are looked through."""
_NEWLINE = literal("\n")


@dataclass(frozen=True, slots=True)
class Filtered:
    """What a filter comes to; None where that is not known."""

    text: Traced | None
    succeeds: bool | None = True


_UNKNOWN = Filtered(None, None)
_QUIET = Filtered(EMPTY, None)
_GREPS = frozenset({"grep", "egrep", "fgrep"})
_ASKS_FOR_SILENCE = expression(r"-[acEFGhHilLnorRsvwx]*q[acEFGhHilLnorRsvwx]*|--quiet|--silent")


def filtered(name: str, operands: Sequence[Word], stdin: Traced | None) -> Filtered:
    """What the filter of that name prints of its input; with its last newline."""
    run = _FILTERS.get(name)
    if run is None:
        return _UNKNOWN
    words = [w.text for w in operands]
    unknown = _QUIET if name in _GREPS and any(map(_ASKS_FOR_SILENCE.fullmatch, words)) else _UNKNOWN
    if stdin is None or len(stdin) > _MOST or not stdin.text.replace(HOLE_MARK, "").isascii():
        return unknown
    found = run(words, stdin) if all(word.isascii() for word in words) else unknown
    return unknown if found is _UNKNOWN else found


def _lines(text: Traced) -> list[Traced]:
    """Its lines, without their ends."""
    out, at = [], 0
    for line in text.text.split("\n"):
        out.append(text.cut(at, at + len(line)))
        at += len(line) + 1
    return out if out[-1].text else out[:-1]


def _text(lines: Sequence[Traced]) -> Traced:
    return join([part for line in lines for part in (line, _NEWLINE)])


def _each(stdin: Traced, change: Callable[[Traced], Traced]) -> Filtered:
    return Filtered(_text([change(line) for line in _lines(stdin)])) if stdin.known else _UNKNOWN


# -- grep -------------------------------------------------------------------------------------------------------------

_GREP_LONG = {
    "--quiet": "q",
    "--silent": "q",
    "--no-messages": "s",
    "--ignore-case": "i",
    "--invert-match": "v",
    "--word-regexp": "w",
    "--line-regexp": "x",
    "--extended-regexp": "E",
    "--fixed-strings": "F",
    "--basic-regexp": "G",
    "--count": "c",
    "--text": "a",
    "--no-filename": "h",
}
_GREP_FLAGS = frozenset("qsivwxEFGcah")


def _grep_options(words: Sequence[str]) -> tuple[set[str], list[str]] | None:
    """The options and the patterns; None where it asks for something else, files among them."""
    flags: set[str] = set()
    patterns: list[str] = []
    operands: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            operands += rest
        elif word.startswith("--regexp="):
            patterns.append(word.partition("=")[2])
        elif word.startswith("--"):
            if word not in _GREP_LONG and not word.startswith("--color"):
                return None
            flags.add(_GREP_LONG.get(word, "s"))
        elif word.startswith("-") and word != "-":
            letters, e, value = word[1:].partition("e")
            flags.update(letters)
            if e:
                patterns.append(value or next(rest, ""))
        else:
            operands.append(word)
    if not patterns and operands:
        patterns.append(operands.pop(0))
    return None if operands not in ([], ["-"]) or not patterns or flags - _GREP_FLAGS else (flags, patterns)


def _grep(words: Sequence[str], stdin: Traced) -> Filtered:
    asked = _grep_options(words)
    if asked is None:
        return _UNKNOWN
    flags, patterns = asked
    quiet = EMPTY if "q" in flags else None
    made = [
        re.escape(part) if "F" in flags else python(part, "E" in flags)
        for pattern in patterns
        for part in pattern.split("\n")
    ]
    known = [part for part in made if part is not None]
    open_input = any(p.overridable or p.unset for p in stdin.pieces)
    if len(known) < len(made) or len(flags & {"E", "F", "G"}) > 1 or open_input:
        return Filtered(quiet, None)
    whole = "|".join(f"(?:{part})" for part in known)
    if "x" in flags:
        whole = rf"^(?:{whole})$"
    elif "w" in flags:
        whole = rf"(?<!\w)(?:{whole})(?!\w)"
    seek = re.compile(whole, re.ASCII | (re.IGNORECASE if "i" in flags else 0)).search
    lines = _lines(stdin)
    if not stdin.known:
        sure = "v" not in flags and any(_surely(seek, line.text, "w" in flags) for line in lines)
        return Filtered(quiet, True if sure else None)
    found = [line for line in lines if (seek(line.text) is None) is ("v" in flags)]
    counted = literal(f"{len(found)}\n") if "c" in flags else _text(found)
    return Filtered(counted if quiet is None else quiet, bool(found))


def _surely(seek: Callable[[str], "re.Match[str] | None"], line: str, words: bool) -> bool:
    """Whether a match stands in the part of a line that is known."""
    found = seek(line)
    if found is None:
        return False
    start, end = found.span()
    around = line[max(start - 1, 0) : end + 1] if words else line[start:end]
    at_holes = line[:1] == HOLE_MARK or line[-1:] == HOLE_MARK
    return HOLE_MARK not in around and not (at_holes and start == end)


def _egrep(words: Sequence[str], stdin: Traced) -> Filtered:
    return _grep(["-E", *words], stdin)


def _fgrep(words: Sequence[str], stdin: Traced) -> Filtered:
    return _grep(["-F", *words], stdin)


# -- sed --------------------------------------------------------------------------------------------------------------

_SUBSTITUTE = expression(r"\s*s([/,|#:@!%~])((?:\\.|(?!\1)[^\\])*)\1((?:\\.|(?!\1)[^\\])*)\1([gpI]*)\s*")
_REPLACED = expression(r"\\([0-9&\\/,|#:@!%~.-])|(&)|([^\\&]+)")


def _sed(words: Sequence[str], stdin: Traced) -> Filtered:
    """Substitutions, one after the other, each on every line."""
    extended = silent = False
    scripts: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in ("-E", "-r", "--regexp-extended"):
            extended = True
        elif word in ("-n", "--quiet", "--silent"):
            silent = True
        elif word in ("-e", "--expression"):
            scripts.append(next(rest, ""))
        elif word.startswith("-") or scripts:
            return _UNKNOWN
        else:
            scripts.append(word)
    steps = [step for script in scripts for step in _steps(script, extended)]
    printing = [step for step in steps if step is not None and "p" in step.flags]
    prints_at_end = not silent or (bool(steps) and printing == steps[-1:])
    if not stdin.known or not steps or None in steps or (printing and not silent) or not prints_at_end:
        return _UNKNOWN
    out, shown = [], False
    for line in _lines(stdin):
        made, shown = line, not silent
        for step in steps:
            assert step is not None
            made, changed = step.on(made)
            shown = shown or (changed and "p" in step.flags)
        out += [made] if shown else []
    return Filtered(_ended(out, stdin, shown))


@dataclass(frozen=True, slots=True)
class _Substitution:
    seek: "re.Pattern[str]"
    replacement: tuple[tuple[str, int | None], ...]
    """Texts, and numbers of groups."""
    flags: str

    def on(self, line: Traced) -> tuple[Traced, bool]:
        out, at, changed = [], 0, False
        for found in self.seek.finditer(line.text):
            changed = True
            out.append(line.cut(at, found.start()))
            for text, group in self.replacement:
                out.append(_put_in(text, line) if group is None else line.cut(*found.span(group)))
            at = found.end()
            if "g" not in self.flags:
                break
        return (join([*out, line.cut(at, len(line))]) if changed else line), changed


def _put_in(text: str, line: Traced) -> Traced:
    """What the expression puts in; it came to be where the line did."""
    return Traced((Piece(text, line.route, overridable=any([p.overridable for p in line.pieces])),))  # noqa: C419


def _steps(script: str, extended: bool) -> Iterator[_Substitution | None]:
    """The substitutions of a script; None where something else is asked for."""
    at = 0
    while at < len(script):
        found = _SUBSTITUTE.match(script, at)
        made = python(found.group(2), extended) if found is not None else None
        after = found.end() if found is not None else 0
        if found is None or not made or script[after : after + 1] not in ("", ";", "\n") or _meant_twice(found):
            yield None
            return
        texts = list(_REPLACED.finditer(found.group(3)))
        # which of several matches is taken, and an empty one beside another, are not followed
        if (
            "|" in made
            or ("g" in found.group(4) and re.match(made, ""))
            or sum(len(t.group()) for t in texts) < len(found.group(3))
        ):
            yield None
            return
        seek = re.compile(made, re.ASCII | (re.IGNORECASE if "I" in found.group(4) else 0))
        replacement = tuple(_replacement(text) for text in texts)
        if any(group is not None and group > seek.groups for _, group in replacement):
            yield None
            return
        yield _Substitution(seek, replacement, found.group(4))
        at = after + 1


def _meant_twice(found: "re.Match[str]") -> bool:
    """Whether the delimiter stands escaped where it may mean something itself, or a line ends in the replacement."""
    delimiter = found.group(1)
    return (delimiter != "/" and f"\\{delimiter}" in found.group(2)) or "\n" in found.group(3)


def _replacement(found: "re.Match[str]") -> tuple[str, int | None]:
    escaped, whole, plain = found.groups()
    if whole:
        return "", 0
    if escaped and escaped.isdigit():
        return "", int(escaped)
    return escaped or plain, None


# -- parts of lines, and some of the lines ----------------------------------------------------------------------------

_RANGE = expression(r"([0-9]+)?(-)?([0-9]+)?")
_COUNT = expression(r"[0-9]{1,5}")


def _cut(words: Sequence[str], stdin: Traced) -> Filtered:
    given = _values(words, {"d": "--delimiter", "f": "--fields", "c": "--characters"}, "s")
    if given is None or ("f" in given) is ("c" in given):
        return _UNKNOWN
    delimiter = given.get("d", "\t")
    ranges = [_RANGE.fullmatch(part) for part in given.get("f", given.get("c", "")).split(",")]
    if len(delimiter) != 1 or any(found is None or found.group() in ("", "-") for found in ranges):
        return _UNKNOWN

    def chosen(number: int) -> bool:
        for found in ranges:
            assert found is not None
            first, dash, last = found.groups()
            if int(first or 1) <= number and (number <= int(last) if last else dash or number == int(first)):
                return True
        return False

    if "c" in given:
        if "d" in given or "s" in given:
            return _UNKNOWN
        return _each(stdin, lambda line: join([line.cut(i, i + 1) for i in range(len(line)) if chosen(i + 1)]))
    if not stdin.known:
        return _UNKNOWN
    out = []
    for line in _lines(stdin):
        fields = _split(line, delimiter)
        if len(fields) == 1:
            out += [] if "s" in given else [line]
            continue
        kept = [field for number, field in enumerate(fields, 1) if chosen(number)]
        between = literal(delimiter)
        out.append(join([part for field in kept for part in (between, field)][1:]))
    return Filtered(_text(out))


def _split(line: Traced, delimiter: str) -> list[Traced]:
    out, at = [], 0
    for field in line.text.split(delimiter):
        out.append(line.cut(at, at + len(field)))
        at += len(field) + 1
    return out


def _values(words: Sequence[str], valued: dict[str, str], flags: str) -> dict[str, str] | None:
    """Options by their letters, with their values; None where there is anything else."""
    long = {name: letter for letter, name in valued.items()}
    out: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name in long:
            out[long[name]] = value if equals else next(rest, "")
        elif len(word) > 1 and word[0] == "-" and word[1] in valued:
            out[word[1]] = word[2:] or next(rest, "")
        elif len(word) == 2 and word[0] == "-" and word[1] in flags:
            out[word[1]] = ""
        else:
            return None
    return out


def _head(words: Sequence[str], stdin: Traced) -> Filtered:
    count = _count(words)
    if count is None or count.startswith("+"):
        return _UNKNOWN
    if not stdin.known:
        return _UNKNOWN
    lines = _lines(stdin)
    return Filtered(_ended(lines[: int(count)], stdin, int(count) >= len(lines)))


def _tail(words: Sequence[str], stdin: Traced) -> Filtered:
    count = _count(words)
    if count is None or not stdin.known:
        return _UNKNOWN
    lines = _lines(stdin)
    start = max(int(count) - 1, 0) if count.startswith("+") else max(len(lines) - int(count), 0)
    return Filtered(_ended(lines[start:], stdin, True))


def _ended(lines: Sequence[Traced], stdin: Traced, to_the_last: bool) -> Traced:
    """The lines; the last of the input may have no end, and gets none."""
    text = _text(lines)
    open_end = bool(lines) and to_the_last and not stdin.text.endswith("\n")
    return text.cut(0, len(text) - 1) if open_end else text


def _count(words: Sequence[str]) -> str | None:
    """How many lines are asked for."""
    if len(words) == 1 and _COUNT.fullmatch(words[0][1:]) and words[0][0] == "-":
        return words[0][1:]
    given = _values(words, {"n": "--lines"}, "")
    count = given.get("n", "10") if given is not None else ""
    return count if _COUNT.fullmatch(count.removeprefix("+")) else None


_PRINTS = expression(r"\s*\{\s*print\s*(?:\$([0-9]|NF)\s*)?;?\s*\}\s*")


def _awk(words: Sequence[str], stdin: Traced) -> Filtered:
    """`{ print $N }`."""
    separator = " "
    if words[:1] == ["-F"] and len(words) > 1:
        separator, words = words[1], words[2:]
    elif words and words[0].startswith("-F"):
        separator, words = words[0][2:], words[1:]
    found = _PRINTS.fullmatch(words[0]) if len(words) == 1 else None
    if found is None or len(separator) != 1 or separator in "\\t":
        return _UNKNOWN
    number = found.group(1) or "0"

    def field(line: Traced) -> Traced:
        if number == "0":
            return line
        if separator == " ":
            fields = [line.cut(*part.span()) for part in re.finditer(r"[^ \t]+", line.text)]
        else:
            fields = _split(line, separator) if line.text else []
        if number == "NF":
            return fields[-1] if fields else line
        return fields[int(number) - 1] if int(number) <= len(fields) else EMPTY

    return _each(stdin, field)


# -- tr ---------------------------------------------------------------------------------------------------------------

_SETS = {
    "[:upper:]": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "[:lower:]": "abcdefghijklmnopqrstuvwxyz",
    "[:digit:]": "0123456789",
    "[:space:]": " \t\n\r\f\v",
}


def _tr(words: Sequence[str], stdin: Traced) -> Filtered:
    delete = list(words[:1]) in (["-d"], ["--delete"])
    sets = [_set(word) for word in (words[1:] if delete else words)]
    if not stdin.known or None in sets or len(sets) != (1 if delete else 2) or sets[-1] == "":
        return _UNKNOWN
    source, target = sets[0] or "", "" if delete else sets[1] or ""
    # of a character that comes twice the first place counts
    pairs = reversed([(ord(c), "" if delete else target[min(i, len(target) - 1)]) for i, c in enumerate(source)])
    table = dict(pairs)
    pieces = [Piece(p.text.translate(table), p.route, overridable=p.overridable) for p in stdin.pieces]
    return Filtered(Traced(tuple(pieces)))


def _set(text: str) -> str | None:
    """The characters that an operand of tr stands for."""
    if text in _SETS:
        return _SETS[text]
    text = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\")
    if text.startswith("-") or ("[" in text and ":" in text):
        return None

    def spread(found: "re.Match[str]") -> str:
        return "".join(map(chr, range(ord(found.group(1)), ord(found.group(2)) + 1)))

    return re.sub(r"(.)-(.)", spread, text, flags=re.DOTALL)


_FILTERS: dict[str, Callable[[Sequence[str], Traced], Filtered]] = {
    "grep": _grep,
    "egrep": _egrep,
    "fgrep": _fgrep,
    "sed": _sed,
    "gsed": _sed,
    "cut": _cut,
    "head": _head,
    "tail": _tail,
    "tr": _tr,
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
}
