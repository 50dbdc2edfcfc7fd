"""Calls of functions that are not read and that carry flags, as commands: `python:Extension` (DESIGN 4.5).

A list's items are words; a keyword argument with one value is the word `NAME=VALUE`. Follows setuptools ("Building
Extension Modules"), scikit-build, pybind11, llvmlite (`Target.create_target_machine`), SCons (construction variables)
and waf (`append_value`).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flagguard.command import Call, Place, Variable, Word, word
from flagguard.hosts.python_expressions import unknown
from flagguard.hosts.python_programs import NAME, only_span, variables
from flagguard.hosts.python_values import Bound, Items, Made, Mapping, Named, Plain, Unknown, Value, several, text_of
from flagguard.hosts.python_world import Decision, World
from flagguard.patterns import expression
from flagguard.text import Piece, Shape, Span, Traced, join, literal
from flagguard.tools.streams import cut_blank
from flagguard.values import replace

if TYPE_CHECKING:
    from flagguard.hosts.python_calls import Arguments

_ALWAYS = expression(r"setup|\w*Extension|create_target_machine|CMakeBuild|add_library_flags")
_KEYWORDS = expression(
    r"extra_(?:compile|link|f77_compile|f90_compile|objc_compile)_args|define_macros|(?:c|cxx|cpp|nvcc|cuda|ld|rust|f)flags|"
    r"extra_(?:cflags|cuda_cflags|ldflags)|(?:cmake|compiler?|compile|linker|link|build|config)_(?:args|flags|options|opts)|"
    r"(?:SH)?(?:C|CC|CXX|CPP|LINK|AS|FORTRAN|F90)FLAGS|CPPDEFINES|"
    r"reloc|relocation_model|codemodel|code_model|target_cpu|target_features|rustc_flags|compiler_flags"
)
_FLAG = expression(r"-{1,2}[A-Za-z][\w.+-]*(?:[=:,].*)?|/(?:arch|fp|O[12xdst]|openmp|std|GS|EH|guard)\b.*")
_TEXTS = expression(r".*(?:_args|flags|FLAGS|_options|_opts)")
"""Keywords whose value may be one text of several flags."""
_PATHS = frozenset(
    {"include_dirs", "library_dirs", "runtime_library_dirs", "libraries", "sources", "depends", "extra_objects"}
)
"""Keywords whose items are files, folders or names of libraries (setuptools, Extension API Reference)."""
_TALKING = expression(
    r"add_argument|add_option|add_parser|has_flag\w*|check_\w+|try_\w+|test_\w+|(?:debug|info|warning|error|log|write|print)\w*|"
    r"startswith|append|remove|compile|sub|match|search|findall|option|parametrize|echo|secho|\w+Error|\w+Exception|field"
)
"""Functions that only speak of flags, or try them."""
MAX_WORDS = 400


def carry(world: World, name: str, given: "Arguments") -> Value:
    """What a foreign function gives; noted where it carries flags."""
    span = world.parsed.span(given.node.func)
    made = Made(name, span, list(given.values), dict(given.keywords), world.task)
    if given.rest is not None:
        made.arguments.append(given.rest)
    if _ALWAYS.fullmatch(name) or (not _TALKING.fullmatch(name) and _carries(made)):
        world.made.append(made)
        return made
    return unknown(world, given.node, f"{name}() is not read")


def _carries(made: Made) -> bool:
    if any(_KEYWORDS.fullmatch(key) for key in made.keywords):
        return True
    listed = [
        v for value in (*made.arguments, *made.keywords.values()) if isinstance(value, Items) for v in value.items
    ]
    return any(isinstance(v, Traced) and _FLAG.fullmatch(v.text) for v in listed)


def finish(world: World) -> None:
    """Notes what was made, with the values that it has in the end."""
    world.settle()
    for made in world.made:
        words = list(_words(made))[:MAX_WORDS]
        program = Word((Piece(f"python:{made.name}", (made.span,)),), made.span)
        env: tuple[Variable, ...] = variables(world, None)
        call = Call(
            (program, *words),
            Place(NAME, task=made.place),
            made.span,
            env=env,
            platforms=frozenset({world.platform}),
            unit=made.place or "",
        )
        world.found.calls.append((call, world.decisions))


def _words(made: Made) -> Iterator[Word]:
    for value in made.arguments:
        for text in _listed(value, ""):
            yield _word(text, made.span)
    for name, value in made.keywords.items():
        for text in _keyword(name, value, made.span):
            yield _word(_path(text) if name in _PATHS else text, made.span)


def _path(text: Traced) -> Traced:
    """The text as a path: whatever its holes are, no option is among them."""
    if text.known:
        return text
    return Traced(
        tuple(replace(p, hole=replace(p.hole, shape=Shape.PATH)) if p.hole is not None else p for p in text.pieces)
    )


def _word(text: Traced, span: Span) -> Word:
    return word(text.grounded((span,)), only_span(text))


def _listed(value: Value, name: str) -> Iterator[Traced]:
    """The words of one argument."""
    match value:
        case Items():
            for item in value.items:
                yield from _listed(item, name)
        case Mapping():
            for key, item in value.entries.items():
                if isinstance(item, (Items, Mapping)):
                    yield from _listed(item, name)
                elif isinstance(item, (Traced, Plain)):
                    yield _named(str(key), item)
            if value.rest is not None:
                yield text_of(Unknown(replace(value.rest, several=True)))
        case Traced():
            yield value.one()
        case Unknown() | Named() | Bound():
            yield text_of(value)
        case Plain() if value.value is not None and name != "ext_modules":
            yield text_of(value)


def _keyword(name: str, value: Value, span: Span) -> Iterator[Traced]:
    if name == "define_macros" and isinstance(value, Items):
        yield from map(_macro, value.items)
    elif isinstance(value, (Items, Mapping)):
        yield from _listed(value, name)
    elif isinstance(value, (Named, Bound)) and _TEXTS.fullmatch(name):
        # a list of something that is not read: any flags
        of = text_of(value).pieces[0].hole
        yield text_of(Unknown(replace(of, several=True), None, value.span or span)) if of else text_of(value)
    elif isinstance(value, Unknown) and (_TEXTS.fullmatch(name) or several(value)):
        yield text_of(Unknown(replace(value.hole, several=True), None, value.span or span))
    elif isinstance(value, Traced) and _TEXTS.fullmatch(name):
        yield from cut_blank(value)
    elif isinstance(value, (Traced, Unknown, Named, Bound)) or (isinstance(value, Plain) and value.value is not None):
        yield _named(name, value)


def _named(name: str, value: Value) -> Traced:
    text = text_of(value).one()
    return join([Traced((Piece(f"{name}=", text.route),)), text])


def _macro(value: Value) -> Traced:
    """`("NAME", "1")` as the compiler gets it."""
    if not isinstance(value, Items) or len(value.items) != 2:
        return text_of(value)
    name, what = (text_of(item).one() for item in value.items)
    define = Traced((Piece("-D", name.route[-1:]),))
    if isinstance(value.items[1], Plain) and value.items[1].value is None:
        return join([define, name])
    return join([define, name, literal("="), what])


__all__ = ["Decision", "carry", "finish"]
