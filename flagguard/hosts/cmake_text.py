"""Writing into CMake's files: what an argument says, in the quotes or brackets that it has (cmake-language(7))."""

from flagguard.hosts.cmake_lexer import Argument, BrokenFile, Kind, invocations
from flagguard.patterns import expression
from flagguard.text import SourceText, Span

_SPECIAL = expression(r'[ \t()#"\\$;]')


def argument_at(source: SourceText, start: int, end: int) -> Argument | None:
    """The argument that holds the place."""
    try:
        for invocation in invocations(source.text):
            if invocation.start <= start and end <= invocation.end:
                return next((a for a in invocation.arguments if a.first <= start and end <= a.last), None)
    except BrokenFile:
        pass
    return None


def encode(source: SourceText, span: Span, text: str) -> str | None:
    """What to write in place of ``span`` so that the argument says ``text`` there; None where it cannot."""
    argument = argument_at(source, span.start, span.end)
    if argument is None:
        return None
    if argument.kind is Kind.BRACKET:
        return None if "]" in text or not argument.start <= span.start <= argument.end else text
    if argument.kind is Kind.QUOTED:
        if not (argument.start <= span.start and span.end <= argument.end):
            return None
        return text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    if "\n" in text:
        return None
    return _SPECIAL.sub(lambda m: "\\" + m[0], text)
