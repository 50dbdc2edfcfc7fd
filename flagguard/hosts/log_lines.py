"""The lines of a build log without what runners and build tools put around a command.

Each kind of mark has its source beside it. Knows nothing of programs.
"""

from collections.abc import Iterator

from flagguard.patterns import expression
from flagguard.text import SourceText, Traced, join, literal
from flagguard.values import dataclass

_COLOUR = expression(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\([A-Z0-9]|\][^\x07\x1b]*(?:\x07|\x1b\\)|_[^\x07\x1b]*(?:\x07|\x1b\\))|\x0f"
)
"""ECMA-48 control sequences, and the strings by which terminals and Buildkite are told more."""
_MARK = expression(
    r"\ufeff"
    # `gh run view --log`: job and step before GitHub's own lines
    r"|[^\t\n]{1,120}\t[^\t\n]{1,120}\t(?=\ufeff?\d{4}-\d\d-\d\dT)"
    # GitHub, GitLab, Jenkins' Timestamper, `ts`: dates and times
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?[ \t]+(?:\d\d[OE][+ ]?)?"
    r"|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?[ \t]+"
    # BuildKit's plain progress, and the older builder's
    r"|\#\d+ \d+\.\d+ (?:\| )?"
    r"|\#\d+ \[[^\]\n]*\] RUN (?:--\S+ )*"
    r"|Step \d+/\d+ : RUN (?:--\S+ )*"
    # ninja's default status, CMake's makefiles, Bazel's
    r"|\[[ ]*\d[\d,]*(?:%|[ ]?/[ ]?\d[\d,]*)(?:[ ][\d.]+s)?\][ ]"
    # `set -x`, a prompt, MSBuild's node number
    r"|\++ |\$ |\d+>[ \t]*"
    # Azure Pipelines' and GitHub's logging commands
    r"|(?:\#\#)?\[(?:command|debug)\]|::debug::"
    # libtool, "Invoking libtool": what it runs itself
    r"|libtool: (?:compile|link|relink|install): +"
    # cargo -vv: the output of build scripts, and what the cc crate prints there
    r"|\[[\w.-]+ \d+\.\d+\.\d[^\]\s]*\] (?:cargo:warning=)?|running: (?:cd \"[^\"]*\" && )?"
    # GitLab's sections
    r"|section_(?:start|end):\d+:[\w.-]+(?:\[[^\]]*\])?"
)
_CARGO = expression(r"(?:Running|process didn't exit successfully:) `(.+)`(?: \(.*\))?$")
"""cargo's `-v` (core/compiler/job_queue: `Running`)."""
_WAF = expression(r"(?:.*\b)?runner(?:_env)?\s*(?:=+>\s*)?(?=\[['\"])")
"""waf's zones of `-v` (wafbook, "Logging")."""
_SKIPPED = expression(
    r"\#\#\[(?:group|endgroup|section|warning|error|notice)\]|::(?:group|endgroup|warning|error|notice|add-)"
)
_SCRIPT = "\x1b[36;1m"
"""GitHub writes the text of a step's script in this colour, before it runs."""
_HIDES = (
    # Kbuild and Automake's silent rules ("AM_SILENT_RULES"): `  CC      foo.o`, `  CC [M]  x.o`
    expression(
        r"[ \t]+(?:HOST|T_)?(?:CC|CXX|CCLD|CXXLD|LD|FC|FCLD|F77|F77LD|OBJC|NVCC|RUSTC|LINK)(?: \[M\])?[ \t]+(\S+)$"
    ),
    # CMake's makefiles and ninja files; meson
    expression(
        r"\s*(?:Building|Compiling) "
        r"(?:C|CXX|CUDA|Fortran|HIP|OBJC|OBJCXX|ISPC|Swift|C\+\+|Rust|Objective-C)(?: object| source)? (\S+)$"
    ),
    expression(r"\s*Linking (?:C|CXX|CUDA|Fortran|HIP|Swift) (?:executable|shared library|shared module) (\S+)$"),
    expression(r"\s*Linking target (\S+)$"),
    # the same without the indentation, and what makefiles and xcpretty say in their own words: `compiling src/x.c`
    expression(r"\s*(?:CCLD|CXXLD|C\+\+LD)[ \t]+(\S+)$"),
    expression(
        r"\s*(?:▸ )?\[?(?:[Cc]ompiling|[Cc]ompile|CC|CXX|C\+\+)\]?:?\s+"
        r"(\S+\.(?:c|cc|cpp|cxx|C|m|mm|f90|f|cu|o|lo|obj))(?:\s*\.\.\.)?$"
    ),
    expression(r"\s*[Bb]uilding (?:program|shared library) (\S+)$"),
    # waf's tasks; cargo, which names the crate
    expression(r"\s*c(?:xx)?: \S+(?: \S+)* -> (\S+)$"),
    expression(r"\s*Compiling ([\w-]+) v\d[\w.+-]*(?: \(.*\))?$"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the log, with those that continue it."""

    number: int
    text: Traced
    script: bool = False
    """Text of a script, of which nobody has expanded anything yet."""
    listed: bool = False
    """A list of words as Python writes it."""
    hides: str = ""
    """The file that it says is made, without the command."""


def lines(source: SourceText) -> Iterator[Line]:
    """Each line that may hold a command, or hides one."""
    kept: list[Traced] = []
    first, script = 0, False
    for number, start, end in _raw(source):
        in_script = _SCRIPT in source.text[start : min(end, start + 80)]
        if script and (not in_script or not kept):
            if kept:
                yield Line(first, join(kept), script=True)
            kept, script = [], False
        text = _plain(source, start, end)
        text, marked = _without_marks(text)
        if in_script:
            first = first if kept else number
            kept += [literal("\n")] if kept else []
            kept.append(text)
            script = True
            continue
        if not kept:
            first = number
            if _SKIPPED.match(text.text):
                continue
            indented = marked or source.text[start] in " \t"
            hides = _hides(f"\t{text.text}" if indented else text.text)
            if hides:
                yield Line(number, text, hides=hides)
                continue
        if _continues(text.text):
            kept.append(text.cut(0, len(text) - 1))
            continue
        kept.append(text)
        yield _line(first, join(kept) if len(kept) > 1 else text)
        kept = []
    if kept:
        yield Line(first, join(kept), script=script)


def _line(number: int, text: Traced) -> Line:
    found = _CARGO.match(text.text)
    if found is not None:
        return Line(number, text.cut(*found.span(1)))
    found = _WAF.match(text.text)
    if found is not None:
        return Line(number, text.cut(found.end(), len(text)), listed=True)
    return Line(number, text)


def _raw(source: SourceText) -> Iterator[tuple[int, int, int]]:
    """Number, start and end of each line; of one that was written over, what stands at last."""
    at, size, number = 0, len(source.text), 0
    while at < size:
        number += 1
        end = source.text.find("\n", at)
        end = size if end < 0 else end
        stop = end
        while stop > at and source.text[stop - 1] == "\r":
            stop -= 1
        start = source.text.rfind("\r", at, stop) + 1
        if stop > at:
            yield number, max(start, at), stop
        at = end + 1


def _plain(source: SourceText, start: int, end: int) -> Traced:
    """The line without colours."""
    text = source.text
    if not any(mark in text[start:end] for mark in "\x1b\x0f"):
        return source.traced(start, end)
    parts, at = [], start
    for found in _COLOUR.finditer(text, start, end):
        if found.start() > at:
            parts.append(source.traced(at, found.start()))
        at = found.end()
    return join([*parts, source.traced(at, end)] if at < end else parts)


def _without_marks(text: Traced) -> tuple[Traced, bool]:
    """The line from where a command may begin, and whether marks stood before that."""
    raw, at, marked = text.text, 0, False
    while True:
        start = at
        while raw[start : start + 1] in (" ", "\t"):
            start += 1
        found = _MARK.match(raw, start)
        if found is None or found.end() == start:
            break
        at, marked = found.end(), True
    return text.cut(start, len(raw)) if start else text, marked


def _continues(text: str) -> bool:
    return text.endswith("\\") and (len(text) - len(text.rstrip("\\"))) % 2 == 1


def _hides(text: str) -> str:
    for pattern in _HIDES:
        found = pattern.match(text)
        if found is not None:
            return found[1]
    return ""
