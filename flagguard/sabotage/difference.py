"""One edit as a unified diff (POSIX diff, "Diff -u Output Format")."""

from difflib import unified_diff

from flagguard.text import SourceText

_CONTEXT = 2


def difference(before: SourceText, after: SourceText) -> str:
    """The diff; only the lines around the change are compared, so that a long file costs little."""
    if before.text == after.text:
        return ""
    old, new = before.text.splitlines(keepends=True), after.text.splitlines(keepends=True)
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    first = max(head - _CONTEXT, 0)
    keep = max(tail - _CONTEXT, 0)
    a, b = old[first : len(old) - keep], new[first : len(new) - keep]
    lines = list(unified_diff(a, b, f"a/{before.path}", f"b/{after.path}", n=_CONTEXT))
    return "".join(_shifted(line, first) if line.startswith("@@") else _ended(line) for line in lines)


def _ended(line: str) -> str:
    return line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"


def _shifted(header: str, by: int) -> str:
    """The line numbers of a hunk's header, counted from the beginning of the file."""
    out = []
    for part in header.split(" "):
        if part[:1] in "-+" and part[1:2].isdigit():
            start, comma, count = part[1:].partition(",")
            out.append(f"{part[0]}{int(start) + by}{comma}{count}")
        else:
            out.append(part)
    return " ".join(out)
