"""Recipe lines cut into the texts that make hands to the shell.

Expands nothing. Manual: "Recipe Syntax", "Splitting Recipe Lines", "Errors in Recipes".
"""

from collections.abc import Iterator

from flagguard.make.lines import closing, collapse, odd_backslashes
from flagguard.patterns import expression
from flagguard.text import HOLE_MARK, Traced, join

_PREFIX = expression(r"[ \t@+-]*")


def commands(expanded: Traced) -> Iterator[tuple[Traced, bool]]:
    """The texts for the shell of an expanded line, and whether their failure is ignored."""
    for part in split_lines(expanded):
        end, dashed = prefix_end(part.text), False
        while part.text[end : end + 1] == HOLE_MARK and (prefixes := _prefixes(part.cut(end, end + 1))):
            dashed = dashed or any("-" in prefix for prefix in prefixes)
            end += 1 + prefix_end(part.text[end + 1 :])
        command = part.cut(end, len(part))
        if command.text.strip():
            yield command, dashed or "-" in part.text[:end]


def _prefixes(gap: Traced) -> list[str]:
    """What a hole may be, where it is a prefix or nothing (`$(Q)`) whatever nobody decides; else nothing."""
    among = [text.text for hole in gap.holes for text in hole.among]
    return among if all(prefix_end(text) == len(text) for text in among) else []


def prefix_end(text: str) -> int:
    """Where a line's command begins, behind ``@``, ``-`` and ``+``."""
    match = _PREFIX.match(text)
    return match.end() if match else 0


def physical_lines(line: Traced) -> list[Traced]:
    """The lines of a recipe that a variable holds, as make cuts them before expansion."""
    return [line] if "\n" not in line.text else split_lines(line)


def split_lines(text: Traced) -> list[Traced]:
    """At each newline that no backslash quotes."""
    source = text.text
    if "\n" not in source:
        return [text]
    parts, at, search = [], 0, 0
    while True:
        found = source.find("\n", search)
        if found < 0:
            break
        search = found + 1
        if odd_backslashes(source, found):
            continue
        parts.append(text.cut(at, found))
        at = search
    parts.append(text.cut(at, len(source)))
    return parts


def collapse_in_references(line: Traced) -> Traced:
    """Backslash-newlines inside references become one space; those outside are the shell's."""
    text = line.text
    if "\\\n" not in text or "$" not in text:
        return line
    parts: list[Traced] = []
    at = 0
    dollar = text.find("$")
    while dollar >= 0:
        following = text[dollar + 1 : dollar + 2]
        if following in ("(", "{"):
            end = closing(text, dollar + 1)
            if end < 0:
                break
            if "\n" in text[dollar:end]:
                parts += [line.cut(at, dollar), collapse(line.cut(dollar, end + 1))]
                at = end + 1
            dollar = text.find("$", end + 1)
        else:
            dollar = text.find("$", dollar + 2)
    parts.append(line.cut(at, len(text)))
    return join(parts)
