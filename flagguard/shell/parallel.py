"""GNU parallel: the texts that it builds from its words and its inputs (parallel(1))."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from posixpath import basename, dirname, splitext

from flagguard.command import Word, word
from flagguard.patterns import expression
from flagguard.shell.peeled import Peeled
from flagguard.shell.wrapper_forms import BLANK, command_text
from flagguard.text import Hole, Traced, hole, join, literal
from flagguard.values import replace

SOURCES = (":::", ":::+", "::::", "::::+")
MOST_INPUTS = 64

_PLACEHOLDERS = expression(r"\{(?:[#%]|([1-9]\d?)?(//?|\.|/\.)?)\}", re.ASCII)
"""``{}``, and what makes something else of an input: ``{.}``, ``{/}``, ``{//}``, ``{/.}``, ``{#}``, ``{2}``."""
_CHANGES: Mapping[str, Callable[[str], str]] = {
    ".": lambda text: splitext(text)[0],
    "/": basename,
    "//": lambda text: dirname(text) or ".",
    "/.": lambda text: splitext(basename(text))[0],
}
_OTHERWISE = expression(
    r"-[XmnNCILl]|--(?:colsep|max-args|max-replace-args|xargs|rpl|pipe|pipepart|plus|tmux|cat|fifo)\b"
)
"""Options after which inputs are put together otherwise than one at a time."""
_NEEDS_NO_QUOTES = expression(r"[\w@%+=:,./-]+", re.ASCII)
_INPUT = Hole("{}", "an input of parallel")


def with_inputs(text: Traced, item: Hole, known: Sequence[Traced] | None = None) -> Traced:
    """``text`` with the input in its places: ``known``, one of each source, or holes like ``item``."""
    parts: list[Traced] = []
    at = 0
    for match in _PLACEHOLDERS.finditer(text.text):
        parts.append(text.cut(at, match.start()))
        value = _value(match, known) if known is not None else None
        if value is None:
            value = hole(replace(item, text=match.group()), text.cut(match.start(), match.end()).route)
        parts.append(value)
        at = match.end()
    return join([*parts, text.cut(at, len(text))]) if parts else text


def _value(match: "re.Match[str]", known: Sequence[Traced]) -> Traced | None:
    """What one place stands for; None where that is not known."""
    number, change = match.group(1), match.group(2)
    if match.group() in ("{#}", "{%}") or (number and int(number) > len(known)):
        return None
    chosen = known[int(number) - 1 :][:1] if number else known
    if change and (change not in _CHANGES or not all(item.known for item in chosen)):
        return None
    items = [_changed(item, _CHANGES[change]) if change else item for item in chosen]
    return command_text([_quoted(item) for item in items])


def _changed(item: Traced, change: Callable[[str], str]) -> Traced:
    text = change(item.text)
    at = item.text.find(text)
    return item.cut(at, at + len(text)) if at >= 0 and text else literal(text)


def peel_parallel(argv: Sequence[Word], start: int, quoted: bool, doubt: Word | None) -> tuple[Peeled, ...]:
    """The text that parallel builds from its words and its inputs; once for each input where the words name them."""
    first = next((i for i in range(start, len(argv)) if argv[i].text in SOURCES), len(argv))
    command, wrapper = tuple(argv[start:first]), tuple(argv[:start])
    options = [w.text for w in wrapper[1:]]
    rows = _rows(argv[first:], "--link" in options or "--xapply" in options)
    if any(map(_OTHERWISE.match, options)):
        rows = None
    if not command:
        return tuple(Peeled(wrapper, script=command_text(row), doubt=doubt) for row in rows or ())
    if quoted:
        inner = tuple(word(with_inputs(w, _INPUT), w.written) for w in command)
        return (Peeled(wrapper, inner, start, appended=_INPUT if inner == command else None, doubt=doubt),)
    text = command_text(command)
    if "--pipe" in options or "--pipepart" in options:
        return (Peeled(wrapper, script=with_inputs(text, _INPUT), doubt=doubt),)
    return tuple(Peeled(wrapper, script=_filled(text, row), doubt=doubt) for row in rows or (None,))


def _rows(words: Sequence[Word], linked: bool) -> list[Sequence[Word]] | None:
    """One input of each source, in every way that they come together; None where they are not known, or too many."""
    sources: list[list[list[Word]]] = []
    for item in words:
        if item.text in ("::::", "::::+"):
            return None
        if item.text == ":::+" and sources:
            sources[-1].append([])
        elif item.text in SOURCES:
            sources.append([[]])
        else:
            sources[-1][-1].append(item)
    if linked:
        sources = [[column for source in sources for column in source]] if sources else []
    groups = [_linked(source) for source in sources]
    size = 1
    for group in groups:
        size *= len(group)
    if not groups or size > MOST_INPUTS:
        return None
    return [[item for part in row for item in part] for row in product(*groups)]


def _linked(columns: Sequence[Sequence[Word]]) -> list[Sequence[Word]]:
    """Sources that are read side by side; a shorter one begins anew (``--link``, ``:::+``)."""
    most = max(map(len, columns))
    if not all(columns):
        return []
    return [[column[i % len(column)] for column in columns] for i in range(most)]


def _filled(text: Traced, row: Sequence[Word] | None) -> Traced:
    """``text`` with the input in its places, or behind it where it has none."""
    filled = with_inputs(text, _INPUT, row)
    if filled is not text:
        return filled
    return join([text, BLANK, hole(_INPUT) if row is None else command_text([_quoted(item) for item in row])])


def _quoted(item: Traced) -> Traced:
    """The input as parallel writes it into the text: quoted where a shell would read it otherwise."""
    if _NEEDS_NO_QUOTES.fullmatch(item.text):
        return item
    if "'" not in item.text:
        return join([literal("'"), item, literal("'")])
    parts: list[Traced] = []
    at = 0
    for piece in item.text.split("'"):
        parts += [literal('"\'"')] if at else []
        parts += [literal("'"), item.cut(at, at + len(piece)), literal("'")]
        at += len(piece) + 1
    return join(parts)
