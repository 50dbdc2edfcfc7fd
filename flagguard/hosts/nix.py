"""Nix expressions: the phases of `stdenv.mkDerivation` and the flags that they hand to build systems.

Follows the Nixpkgs manual, "The Standard Environment" (Phases, `cmakeFlags`, `configureFlags`, `makeFlags`…), "Meson",
"CMake", and the Nix manual, "String literals". Nix itself is not followed: texts and lists that are written out are
read, `optional`, `optionals`, `optionalString` and `if` where they stand among them; anything else is a hole. Bash runs
the phases.
"""

from collections.abc import Iterator, Sequence

from flagguard.command import Call, Dialect, Place, Reading, Script, Word
from flagguard.hosts import Setting
from flagguard.hosts.nix_text import Binding, Reader, Term
from flagguard.hosts.packaging import merged
from flagguard.hosts.pipelines import Frame, Notes, Shell, guarded, lines, outside
from flagguard.patterns import expression
from flagguard.text import EMPTY, Shape, SourceText, Span, Traced, literal
from flagguard.tools.streams import cut_blank
from flagguard.values import replace

NAME = "nix"

_SHELL = Shell(Dialect.BASH, errexit=True)
_STEPS = "unpack patch configure build check install fixup installCheck dist".split()
_PHASE = expression(
    rf"(?:{'|'.join(_STEPS)})Phase|(?:pre|post)(?:{'|'.join(s.capitalize() for s in _STEPS[:7])}|InstallCheck|Dist)"
    r"|shellHook|buildCommand"
)
_PROGRAMS: dict[str, tuple[str, ...]] = {
    "cmakeFlags": ("cmake",),
    "configureFlags": ("./configure",),
    "mesonFlags": ("meson", "setup"),
    "makeFlags": ("make",),
    "buildFlags": ("make",),
    "installFlags": ("make",),
    "checkFlags": ("make",),
    "ninjaFlags": ("ninja",),
    "cargoBuildFlags": ("cargo", "build"),
    "qmakeFlags": ("qmake",),
    "zigBuildFlags": ("zig", "build"),
}
"""The programs that the flags are for."""
_DECLARED = expression(r"NIX_(?:CFLAGS_COMPILE|CFLAGS_LINK|LDFLAGS|CXXSTDLIB_COMPILE)(?:_\w+)?")
"""Flags that the wrapped compilers add to every call of theirs."""
_VARIABLES = expression(
    r"(?:C|CXX|CPP|F|FC|LD|RUST|GO|ZIG)FLAGS|CC|CXX|GOAMD64|CGO_CFLAGS|CARGO_BUILD_TARGET|CGO_ENABLED"
)
_PNAME = expression(r"\b(?:pname|name)\s*=\s*\"([\w.+-]+)\"")
_MOST_CHOICES = 3
"""Open conditions that a value is parted by; past that each of its parts counts."""
_PATHS = ("out", "src", "TMPDIR", "NIX_BUILD_TOP")


def read(source: SourceText, setting: Setting) -> Reading:
    notes = Notes(setting)
    notes.keep(source)
    reader = Reader(source)
    bindings = [b for b in reader.bindings() if _wanted(b.name)]
    platforms = [p for p in setting.platforms if p.startswith(("linux-", "macos-"))] or ["linux-x86_64"]
    calls: dict[Call, set[str]] = {}

    def scripts() -> Iterator[Script]:
        for platform in platforms:
            frame = _frame(source, platform, bindings)
            for binding in bindings:
                if _PHASE.fullmatch(binding.name):
                    yield from _phase(binding, frame, platform)
                elif binding.name in _PROGRAMS:
                    yield from _flags(binding, frame, platform)
                elif _DECLARED.fullmatch(binding.name):
                    for call in _declared(binding, platform, source):
                        calls.setdefault(call, set()).add(platform)

    found = guarded(notes, source.path, lambda: merged(scripts()))
    for at in reader.unread:
        notes.tell(
            Span(source.path, at, at + 1), "cannot be read from here on: a text or a bracket is not closed", fatal=True
        )
    declared = tuple(replace(call, platforms=frozenset(on)) for call, on in calls.items())
    return Reading(found, declared, notes.all())


def _wanted(name: str) -> bool:
    return name in _PROGRAMS or any(p.fullmatch(name) is not None for p in (_PHASE, _DECLARED, _VARIABLES))


def _frame(source: SourceText, platform: str, bindings: Sequence[Binding]) -> Frame:
    named = _PNAME.search(source.text)
    values = {n: outside(n, f"${n}", "Nix makes it", Shape.PATH) for n in _PATHS}
    values["NIX_BUILD_CORES"] = outside("NIX_BUILD_CORES", "$NIX_BUILD_CORES", "the builder decides it", Shape.NUMBER)
    for binding in bindings:
        if _VARIABLES.fullmatch(binding.name) or _DECLARED.fullmatch(binding.name):
            parts = [term.text for term in binding.terms(platform) if not term.condition]
            values[binding.name] = _joined(parts)
    return Frame(
        NAME,
        job=named[1] if named is not None else None,
        platforms=frozenset({platform}),
        values={name: value for name, value in values.items() if value},
        outside=("makeFlags", "cmakeFlags", "configureFlags", "prefix", "system", "pname", "version", "doCheck"),
        shell=_SHELL,
        directory=None,
    )


def _joined(parts: Sequence[Traced]) -> Traced:
    whole = EMPTY
    for part in parts:
        whole = whole + literal(" ") + part if whole else part
    return whole


def _phase(binding: Binding, frame: Frame, platform: str) -> Iterator[Script]:
    for kept, when in _variants(binding.terms(platform)):
        if kept:
            yield frame.assuming(*when).script(binding.name, lines(kept))


def _variants(terms: Sequence[Term]) -> Iterator[tuple[list[Traced], tuple[str, ...]]]:
    """The texts with each answer to the open conditions."""
    open_ = list(dict.fromkeys(_positive(term.condition)[0] for term in terms if term.condition))[:_MOST_CHOICES]
    for number in range(1 << len(open_)):
        holds = {condition: not number >> i & 1 for i, condition in enumerate(open_)}

        def counts(term: Term, holds: dict[str, bool] = holds) -> bool:
            condition, said = _positive(term.condition)
            return holds.get(condition, said) is said

        kept = [term.text for term in terms if term.text and counts(term)]
        yield kept, tuple(c if held else f"not ({c})" for c, held in holds.items())


def _positive(condition: str) -> tuple[str, bool]:
    """The condition without `not (…)` around it, and whether that is away."""
    if condition.startswith("not (") and condition.endswith(")"):
        return condition[len("not (") : -1], False
    return condition, True


def _flags(binding: Binding, frame: Frame, platform: str) -> Iterator[Script]:
    """The program with the flags that it gets, where the list stands."""
    at = binding.key
    for kept, when in _variants(binding.terms(platform)):
        words = [part for text in kept for part in (cut_blank(text) if binding.splits else (text,))]
        if not words:
            continue
        program = [Word(literal(said, at).pieces, at) for said in _PROGRAMS[binding.name]]
        argv = (*program, *(Word(word.grounded((at,)).pieces) for word in words))
        made = frame.assuming(*when).script(binding.name, EMPTY)
        yield replace(made, dialect=Dialect.ARGV, argv=argv, errexit=False)


def _declared(binding: Binding, platform: str, source: SourceText) -> Iterator[Call]:
    for kept, when in _variants(binding.terms(platform)):
        words = [Word(part.pieces) for text in kept for part in cut_blank(text)]
        if words:
            program = Word(literal(f"nix:{binding.name}", binding.key).pieces, binding.key)
            yield Call((program, *words), Place(NAME), binding.key, when=when)
