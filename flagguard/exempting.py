"""Exempting comments: ``# flagguard: exempt RULE - reason`` on a command's line or the line above (DESIGN 5).

Only real comments count: the ``#`` stands at the beginning of its line or after a blank, and outside of quotes as far
as its own line tells. What they exempt is decided in ``judge``.
"""

from collections.abc import Iterator

from flagguard.command import Command
from flagguard.patterns import expression
from flagguard.text import SourceText, Span
from flagguard.values import dataclass

_SPOKEN = expression(
    r"#\s*flagguard(?P<colon>:?)\s*(?P<verb>exempt|ignore|disable|allow|skip|suppress|noqa|off)\b(?P<rest>[^\r\n]*)"
)
"""The words that other linters have are told; without a colon only what has the shape of an exemption is one."""
_RULE_AND_REASON = expression(r"\s+(?P<rule>[^\s:]+)(?:\s*(?::|--?|–|—)\s*(?P<reason>\S.*)|.*)")


@dataclass(frozen=True, slots=True)
class Comment:
    """One exempting comment."""

    span: Span
    rule: str | None
    reason: str | None
    reach: Span
    """The lines whose commands it exempts."""
    alone: bool
    """Nothing else stands on its line: it speaks of the line below."""
    written: str | None = None
    """Its first words, where they are not the ones that exempt."""

    def covers(self, command: Command) -> bool:
        """Whether it stands on the command's line, or on the line above."""
        if self._holds(command.span):
            return True
        extent = command.extent
        if self.alone:
            return self._holds(extent)
        return extent.path == self.reach.path and extent.start < self.reach.end and self.reach.start < extent.end

    def _holds(self, span: Span) -> bool:
        return span.path == self.reach.path and self.reach.start <= span.start < self.reach.end


def comments(source: SourceText) -> tuple[Comment, ...]:
    """The exempting comments of one file, in order."""
    if "flagguard" not in source.text:
        return ()
    return tuple(_comments(source))


def _comments(source: SourceText) -> Iterator[Comment]:
    for found in _SPOKEN.finditer(source.text):
        line, column = source.position(found.start())
        text = source.line(line)
        if not _is_comment(text, column - 1):
            continue
        alone = not text[: column - 1].strip()
        parts = _RULE_AND_REASON.fullmatch(found["rest"].rstrip())
        other = not found["colon"] or found["verb"] != "exempt"
        if not found["colon"] and (parts is None or not parts["reason"]):
            continue  # a sentence that begins with the product's name
        start = source.offset(line)
        end = _line_end(source, _last_line(source, line) if alone else line)
        yield Comment(
            span=Span(source.path, found.start(), found.start() + len(found.group().rstrip())),
            rule=parts["rule"] if parts else None,
            reason=(parts["reason"] or "").strip() or None if parts else None,
            reach=Span(source.path, start, end),
            alone=alone,
            written=f"# flagguard{found['colon']} {found['verb']}" if other else None,
        )


def _last_line(source: SourceText, line: int) -> int:
    """The line below; exempting comments one below the other all speak of the first line after them."""
    count = source.position(len(source.text))[0]
    below = line + 1
    while below < count and _SPOKEN.match(source.line(below).strip()):
        below += 1
    return min(below, count)


def _line_end(source: SourceText, line: int) -> int:
    end = source.text.find("\n", source.offset(line))
    return len(source.text) if end < 0 else end + 1


def _is_comment(line: str, at: int) -> bool:
    """Whether the ``#`` at ``at`` begins a comment of this line."""
    if at > 0 and line[at - 1] not in " \t;":
        return False
    quote = ""
    i = 0
    while i < at:
        char = line[i]
        if char == "\\" and quote != "'":
            i += 2
            continue
        if line[i : i + 3] in ('"""', "'''"):
            i += 3
            continue
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == "#" and (i == 0 or line[i - 1] in " \t"):
            return False
        i += 1
    return not quote
