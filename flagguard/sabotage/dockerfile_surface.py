"""The text of a Dockerfile as one edits it: which parts a shell reads, which are lists of words, which neither.

Knows nothing of flags, rules or verdicts.
"""

import json
from collections.abc import Iterator

from flagguard.hosts.dockerfile_lines import Instruction, LineError, json_words, read_lines, words
from flagguard.text import SourceText, Traced

SHELL, EXEC, WORDS = "shell", "exec", "words"
"""A text for a shell; a list in brackets; what the builder itself reads."""
_RUNS = ("RUN", "CMD", "ENTRYPOINT", "HEALTHCHECK")


def parts(source: SourceText) -> Iterator[tuple[int, int, str]]:
    """The parts of the file with their kinds."""
    for instruction in read_lines(source).instructions:
        yield from _of(instruction.inner or instruction)


def _of(instruction: Instruction) -> Iterator[tuple[int, int, str]]:
    place = _place(instruction.rest)
    if place is None:
        return
    try:
        listed = json_words(instruction.rest) is not None
    except LineError:
        return
    health = instruction.keyword == "HEALTHCHECK" and "[" in instruction.rest.text
    shell = instruction.keyword in _RUNS
    yield (*place, EXEC if (listed and shell) or health else SHELL if shell else WORDS)
    for doc in instruction.heredocs:
        inside = _place(doc.text)
        if inside is not None:
            yield (*inside, SHELL if instruction.keyword == "RUN" or not doc.expands else WORDS)


def _place(text: Traced) -> tuple[int, int] | None:
    spans = [piece.route[-1] for piece in text.pieces if piece.route]
    return (min(s.start for s in spans), max(s.end for s in spans)) if spans else None


def assignment(source: SourceText, start: int, end: int) -> tuple[int, int, str] | None:
    """What to put where, to take away the pair of ENV or ARG that holds the place, or all of the instruction."""
    lines = read_lines(source)
    for instruction in lines.instructions:
        place = _place(instruction.rest)
        if place is None or instruction.keyword not in ("ENV", "ARG") or not place[0] <= start <= end <= place[1]:
            continue
        pairs = [found for word in words(instruction.rest, lines.escape) if (found := _place(word)) is not None]
        own = next((p for p in pairs if p[0] <= start and end <= p[1]), None)
        legacy = instruction.keyword == "ENV" and "=" not in source.text[pairs[0][0] : pairs[0][1]]
        if len(pairs) == 1 or legacy:
            last = source.text.find("\n", place[1])
            first = source.text.rfind("\n", 0, instruction.key.start) + 1
            return first, len(source.text) if last < 0 else last + 1, ""
        if own is None:
            return None
        after = source.text[own[1] : own[1] + 1]
        return (own[0], own[1] + 1, "") if after in (" ", "\t") else (own[0] - 1, own[1], "")
    return None


def listed(text: str) -> str:
    """How words are put in beside a word of a list in brackets: a blank before or behind them parts them from it."""
    said = [json.dumps(word)[1:-1] for word in text.split()]
    between = '", "'
    before = between if text[:1] == " " else ""
    return before + between.join(said) + (between if text[-1:] == " " else "")
