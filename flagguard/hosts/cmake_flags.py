"""The commands that carry flags: options of directories and targets, properties, and variables that CMake itself reads.

Each is the call `cmake:NAME` with its arguments as words (DESIGN 4.5): a text of flags is cut into them, a property or
a variable that is no text of flags is a word `NAME=VALUE`. Follows cmake-commands(7), cmake-properties(7) and
cmake-variables(7).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from flagguard.command import Word
from flagguard.hosts.cmake_genex import Build, answers
from flagguard.hosts.cmake_lexer import Invocation
from flagguard.hosts.cmake_platform import LANGUAGES
from flagguard.hosts.cmake_references import items, listed
from flagguard.hosts.cmake_run import Run
from flagguard.hosts.cmake_state import Definition
from flagguard.patterns import expression
from flagguard.text import Piece, Route, Shape, Traced, join, literal
from flagguard.tools.streams import cut_blank
from flagguard.values import replace

_TEXTS = expression(
    rf"CMAKE_(?:{LANGUAGES})_FLAGS(?:_\w+)?|CMAKE_(?:EXE|SHARED|MODULE)_LINKER_FLAGS(?:_\w+)?|"
    r"VCPKG_(?:C|CXX|LINKER)_FLAGS(?:_\w+)?|CMAKE_(?:REQUIRED_FLAGS_NEVER)|"
    r"ENV\{(?:C|CXX|CPP|F|FC|LD|CUDA|OBJC|RUST)FLAGS\}|CUDA_NVCC_FLAGS(?:_\w+)?"
)
"""Variables that hold a text of flags,"""
_VALUES = expression(
    rf"CMAKE_POSITION_INDEPENDENT_CODE|CMAKE_INTERPROCEDURAL_OPTIMIZATION(?:_\w+)?|CMAKE_OSX_DEPLOYMENT_TARGET|"
    rf"CMAKE_OSX_ARCHITECTURES|CMAKE_CUDA_ARCHITECTURES|CMAKE_HIP_ARCHITECTURES|CMAKE_(?:{LANGUAGES})_STANDARD|"
    rf"CMAKE_(?:{LANGUAGES})_COMPILER_TARGET|CMAKE_BUILD_TYPE|CMAKE_MSVC_RUNTIME_LIBRARY|CMAKE_BUILD_RPATH|"
    r"CMAKE_INSTALL_RPATH|CMAKE_SKIP_RPATH|CMAKE_EXPORT_COMPILE_COMMANDS|ENV\{MACOSX_DEPLOYMENT_TARGET\}"
)
"""those that hold something else that decides how the compiler is called."""
_TEXT_PROPERTIES = expression(r"COMPILE_FLAGS|LINK_FLAGS(?:_\w+)?")
_LIST_PROPERTIES = expression(r"COMPILE_OPTIONS|LINK_OPTIONS|COMPILE_DEFINITIONS(?:_\w+)?")
_VALUE_PROPERTIES = expression(
    rf"POSITION_INDEPENDENT_CODE|INTERPROCEDURAL_OPTIMIZATION(?:_\w+)?|(?:{LANGUAGES})_(?:STANDARD|EXTENSIONS)\w*|"
    r"CUDA_ARCHITECTURES|HIP_ARCHITECTURES|OSX_ARCHITECTURES|MSVC_RUNTIME_LIBRARY|MACOSX_DEPLOYMENT_TARGET|"
    rf"(?:{LANGUAGES})_COMPILER_TARGET|SKIP_BUILD_RPATH|XCODE_ATTRIBUTE_\w+"
)


def build(run: Run) -> Build:
    """What generator expressions are answered by."""
    value = run.lookup("CMAKE_BUILD_TYPE")[0]
    known = value.text if value is not None and value.known and value.text else None
    system = run.platform.known["CMAKE_SYSTEM_NAME"]
    return Build(system, known, run.targets.get)


def emitted(run: Run, name: str, found: Sequence[Traced], invocation: Invocation, target: str | None = None) -> None:
    """The call once for each thing that its generator expressions may come to."""
    together = listed(found)
    if "$<" not in together.text:
        run.emit(name, [w if isinstance(w, Word) else Word(w.pieces) for w in _shell_words(found)], invocation, target)
        return
    if run.platform.system and "PLATFORM_ID" in together.text:
        run.notes.asked_platform = True
    for answer in answers(together, build(run)):
        parts = [Traced(item.pieces) for item in items(answer.text) if item.text]
        whole = [Word(w.pieces) for w in _shell_words(parts)]
        run.assuming(answer.when, lambda w=whole: run.emit(name, w, invocation, target))  # type: ignore[misc]


def _shell_words(found: Iterable[Traced]) -> list[Traced]:
    """`SHELL:-arch x86_64` is a text of several words."""
    out: list[Traced] = []
    for word in found:
        if word.text.startswith("SHELL:"):
            out += cut_blank(word.cut(6, len(word)))
        elif word.text.startswith("LINKER:"):
            out.append(join([literal("-Wl,"), word.cut(7, len(word))]))
        else:
            out.append(word)
    return out


# -- variables --------------------------------------------------------------------------------------------------------


def assigned(run: Run, invocation: Invocation, name: Traced, value: Traced, *, replaces: bool = True) -> None:
    """A variable gets a value: what it had before is no flag of this command."""
    if not name.known:
        return
    own = Traced(tuple(piece for piece in value.pieces if not _own(run, name.text, piece.route)))
    added(run, invocation, name, own, replaces=replaces)


def _own(run: Run, name: str, route: Route) -> bool:
    """Whether a piece comes of the variable itself."""
    if not route or route[0].path != run.source.path:
        return False
    written = run.source.text[route[0].start : route[0].end]
    kind = "ENV{" if name.startswith("ENV{") else "{"
    return written == (f"$ENV{{{name[4:-1]}}}" if kind == "ENV{" else f"${{{name}}}")


def added(run: Run, invocation: Invocation, name: Traced, value: Traced, *, replaces: bool = True) -> None:
    """Flags come to a variable that CMake reads; unless it ``replaces`` what is there, none are no command."""
    if not name.known:
        return
    if _TEXTS.fullmatch(name.text):
        flags = [w for part in items(value) for w in cut_blank(part)]
        if flags or replaces:
            emitted(run, invocation.name, [Traced(name.pieces), *flags], invocation)
    elif value.text and _VALUES.fullmatch(name.text):
        emitted(run, invocation.name, [_named(name, value)], invocation)


def _named(name: Traced, value: Traced) -> Traced:
    return join([name, Traced((Piece("=", name.route),)), value])


# -- directories and targets ------------------------------------------------------------------------------------------


def _options(run: Run, invocation: Invocation) -> None:
    """`add_compile_options`, `add_link_options`, `add_definitions`, `add_compile_definitions`"""
    emitted(run, invocation.name, run.words(invocation.arguments), invocation)


def _target_options(run: Run, invocation: Invocation) -> None:
    found = run.words(invocation.arguments)
    if found:
        target = found[0].text if found[0].known else None
        emitted(run, invocation.name, [*_named_things(found[:1]), *found[1:]], invocation, target)


def _named_things(found: Iterable[Traced]) -> Iterator[Traced]:
    """Targets and files: whatever their holes are, no option is among them."""
    for word in found:
        pieces = [replace(p, hole=replace(p.hole, shape=Shape.PATH, among=())) if p.hole else p for p in word.pieces]
        yield Traced(tuple(pieces))


def _pairs(found: Sequence[Word]) -> list[Traced] | None:
    """Properties and their values as words; None where none of them concerns a compiler."""
    out: list[Traced] = []
    concerned = False
    for name, value in zip(found[::2], found[1::2], strict=False):
        words = _property(name, [value])
        concerned = concerned or words is not None
        out += words if words is not None else [_named(name, value)]
    return out if concerned else None


def _property(name: Traced, values: Sequence[Traced]) -> list[Traced] | None:
    if not name.known:
        return None
    if _TEXT_PROPERTIES.fullmatch(name.text):
        return [name, *(w for value in values for w in cut_blank(value))]
    if _LIST_PROPERTIES.fullmatch(name.text):
        return [name, *(item for value in values for item in items(value) if item.text)]
    if _VALUE_PROPERTIES.fullmatch(name.text):
        return [_named(name, listed(values))]
    return None


def _set_properties(run: Run, invocation: Invocation) -> None:
    """`set_target_properties(t PROPERTIES name value …)` and its kin"""
    found = run.words(invocation.arguments)
    at = next((i for i, word in enumerate(found) if word.text == "PROPERTIES"), None)
    if at is None:
        return
    words = _pairs(found[at + 1 :])
    if words is not None:
        target = found[0].text if at and found[0].known and invocation.name == "set_target_properties" else None
        emitted(run, invocation.name, [*_named_things(found[:at]), found[at], *words], invocation, target)
    for name, value in zip(found[at + 1 :: 2], found[at + 2 :: 2], strict=False):
        if name.text in ("OUTPUT_NAME", "RUNTIME_OUTPUT_NAME") and found[0].known and found[0].text in run.targets:
            run.targets[found[0].text] = Traced(value.pieces)


def _set_property(run: Run, invocation: Invocation) -> None:
    """`set_property(TARGET t APPEND PROPERTY name value …)`"""
    found = run.words(invocation.arguments)
    at = next((i for i, word in enumerate(found) if word.text == "PROPERTY"), None)
    if at is None or len(found) < at + 3:
        return
    name, values = found[at + 1], found[at + 2 :]
    scope = found[0].text
    if scope == "CACHE" and name.text == "VALUE" and len(found) > 1 and found[1].known:
        run.state.cache[found[1].text] = Definition(listed(values))
        assigned(run, invocation, found[1], listed(values))
        return
    words = _property(name, values)
    if words is not None:
        target = found[1].text if scope == "TARGET" and len(found) > 1 and found[1].known else None
        emitted(run, invocation.name, [*_named_things(found[:at]), found[at], *words], invocation, target)


def _target(run: Run, invocation: Invocation) -> None:
    """`add_executable` and `add_library`: their names stand for what they build."""
    found = run.words(invocation.arguments)
    if not found or not found[0].known:
        return
    rest = [word.text for word in found[1:2]]
    imported = rest in (["IMPORTED"], ["ALIAS"])
    run.targets.setdefault(found[0].text, None if imported else Traced(found[0].pieces))


COMMANDS: dict[str, Callable[[Run, Invocation], None]] = {
    "add_executable": _target,
    "add_library": _target,
    "set_property": _set_property,
    **dict.fromkeys(
        "set_target_properties set_source_files_properties set_directory_properties".split(), _set_properties
    ),
    **dict.fromkeys("add_compile_options add_link_options add_definitions add_compile_definitions".split(), _options),
    **dict.fromkeys(
        "target_compile_options target_link_options target_compile_definitions target_compile_features".split(),
        _target_options,
    ),
}
