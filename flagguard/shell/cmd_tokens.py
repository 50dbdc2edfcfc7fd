"""`for /f`: the parts of a line that its variables stand for (Microsoft's page for `for`)."""

import re

from flagguard.text import EMPTY, Traced


def tokens(line: Traced, options: str) -> list[Traced] | None:
    """What each of the variables is, in their order; None where the options, or the line, are not all known."""
    given = re.fullmatch(r"\s*\"?(.*?)\"?\s*", options, re.DOTALL)
    text = given.group(1) if given is not None else ""
    delimiters = re.search(r"(?i)delims=(\S*(?: $)?)", text)
    apart = delimiters.group(1) if delimiters is not None else " \t"
    chosen = re.search(r"(?i)tokens=([\d,*-]+)", text)
    if not line.known or re.search(r"(?i)\b(?:skip|eol)=", text):
        return None
    parts = [m.span() for m in re.finditer(f"[^{re.escape(apart)}]+", line.text)] if apart else [(0, len(line))]
    out: list[Traced] = []
    for item in (chosen.group(1) if chosen is not None else "1").replace("*", ",*").split(","):
        first, dash, last = item.partition("-")
        if item == "*":
            behind = max(map(int, re.findall(r"\d+", chosen.group(1) if chosen is not None else "")), default=0)
            out.append(line.cut(parts[behind][0], len(line)) if behind < len(parts) else EMPTY)
        elif first.isdigit():
            for number in range(int(first), int(last if dash and last.isdigit() else first) + 1):
                out.append(line.cut(*parts[number - 1]) if 0 < number <= len(parts) else EMPTY)
        elif item:
            return None
    return out
