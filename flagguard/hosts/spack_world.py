"""What the names of Spack's packaging API mean in one run of a recipe: specs, variants, programs, the environment.

Follows Spack's "Packaging Guide: customizing the build" (environment, compiler flags, spec objects) and "Spec Syntax".
A variant has its default, which a user may replace; a version, a compiler or a dependency is open; the platform and
the processor's family are those that are read for. What the recipe's classes run is not known here.
"""

import ast
from collections.abc import Callable, Sequence
from collections.abc import Mapping as MappingType
from typing import TYPE_CHECKING

from flagguard.command import Dialect, Place, Script, Word, word
from flagguard.hosts.python_library import library
from flagguard.hosts.python_programs import only_span, variables
from flagguard.hosts.python_text import Parsed
from flagguard.hosts.python_values import (
    Instance,
    Items,
    Mapping,
    Named,
    Plain,
    Scope,
    Unknown,
    Value,
    several,
    text_of,
    truth,
)
from flagguard.hosts.python_world import Key, World
from flagguard.patterns import expression
from flagguard.text import Decider, Hole, Piece, Shape, Span, Traced, join, literal
from flagguard.tools.streams import cut_blank
from flagguard.values import dataclass, replace

if TYPE_CHECKING:
    from re import Match

    from flagguard.hosts.python_calls import Arguments

NAME = "spack"
_PROGRAMS = frozenset(
    "make gmake ninja nmake msbuild configure cmake ctest cpack meson scons waf qmake autoreconf autoconf automake"
    " aclocal libtoolize autopoint bash sh csh tcsh python python3 pip perl R Rscript octave ruby gem lua luarocks go"
    " cargo rustc npm node yarn mvn ant gradle java javac raco bazel git tar patch patchelf install_name_tool gcc g++"
    " gfortran cc".split()
)
"""Programs that a recipe calls by their names: those that Spack itself and the packages of its repository put there."""
_PATHS = expression(r"prefix|bin|lib\w*|include|share|etc|man\d?|path|source_path|directory|\w*_(?:path|dir|directory)")
_PIC = expression(r"(?:cc|cxx|f77|fc)?_?pic_flag")
_STANDARD = expression(r"cxx(98|11|14|17|20|23)_flag")
_FAMILIES = {"amd64": "x86_64", "arm64": "aarch64"}
_USUAL = expression(r"@[^:]*:$|%gcc|\^|build_system=|generator=")
"""What holds where nobody asks for something else: a new version, gcc, a dependency."""
_TERM = expression(r"\s*([+~]|-(?=\w))\s*([\w.-]+)|\s*([\w-]+)=\s*([^\s+~]+)|\s*([@%^][^\s+~]*|\S+)")


@dataclass(frozen=True)
class Concrete(Unknown):
    """A value that Spack knows when it builds: a spec, a version, a compiler, and what hangs on one."""


@dataclass(frozen=True)
class Program(Named):
    """A program that can be called."""

    words: tuple[Traced, ...] = ()


def concrete(text: str, span: Span | None, shape: Shape = Shape.ANY) -> Concrete:
    return Concrete(Hole(text, "Spack knows it when it builds", Decider.OUTSIDE, shape), span=span)


class Recipe(World):
    """One run of a recipe on one platform."""

    def __init__(
        self,
        parsed: Parsed,
        platform: str,
        assume: MappingType[str, str],
        given: MappingType[Key, bool],
        base: "Recipe | None" = None,
    ) -> None:
        """``base``: a run of the module, of which this one has the definitions."""
        super().__init__(parsed, platform, assume, given)
        self.job = (parsed.source.path.split("/")[-2:-1] or ["package"])[0]
        self.variants: dict[str, list[Value]] = {}
        self.defaults: dict[str, list[Value]] = {}
        """Arguments that a program gets at each call,"""
        self.default_env: dict[str, dict[object, Value]] = {}
        """and variables."""
        self.goes_above: Callable[[str, Arguments], Value | None] = lambda name, given: None
        if base is not None:
            self.scope = self.module = Scope(dict(base.module.names))
            self.functions, self.classes, self.variants = base.functions, base.classes, base.variants
            return
        for name in ("spec", "prefix", "stage_path", "spack_cc", "spack_cxx", "spack_f77", "spack_fc", "dso_suffix"):
            self.module.names[name] = Named(f"spack.{name}")
        self.module.names |= {"env": Named("os.environ"), "std_cmake_args": Items(), "std_meson_args": Items()}

    def decide(self, key: Key, text: str, *, opt_in: bool | None = None, first: bool = True) -> bool:
        # a recipe that raises where a variant is off says something for where it is on
        kept, self.wanted = self.wanted, None
        try:
            return super().decide(key, text, opt_in=opt_in, first=first)
        finally:
            self.wanted = kept

    # -- names ---------------------------------------------------------------------------------------------------------

    def attribute(self, name: str) -> Value | None:
        if not name.startswith("spack."):
            return super().attribute(name)
        last = name.removeprefix("spack.")
        if last == "dso_suffix":
            self.asked = True
            return literal("dylib" if self.system == "Darwin" else "so")
        return concrete(last, None, Shape.PATH if last != "spec" else Shape.ANY) if "." not in last and last in (
            "spec", "prefix", "stage_path", "spack_cc", "spack_cxx", "spack_f77", "spack_fc") else None  # fmt: skip

    def receiver(self, instance: Instance, span: Span) -> None:
        """What every package and builder has."""
        for name in ("spec", "compiler", "version", "stage", "run_tests", "url", "test_suite"):
            instance.attributes.setdefault(name, concrete(f"self.{name}", span))
        instance.attributes.setdefault("prefix", concrete("prefix", span, Shape.PATH))
        instance.attributes.setdefault("name", literal(self.job, span))
        instance.attributes.setdefault("module", Named("builtins", span))

    def part(self, value: Value, name: str, span: Span) -> Value | None:
        if not isinstance(value, Concrete):
            return None
        text = f"{value.hole.text}{name}" if name.startswith("[") else f"{value.hole.text}.{name}"
        if name in ("satisfies", "intersects"):
            return Named("spack.satisfies", span)
        if name == "variants":
            return Mapping(
                {variant: self._variant(variant) for variant in self.variants}, rest=concrete(text, span).hole
            )
        if name == "command":
            return Program("spack.program", span, (text_of(concrete(text, span, Shape.PATH)),))
        if name == "family" or (name == "machine" and "target" not in text):
            self.asked = True
            return literal(_FAMILIES.get(self.machine, self.machine), span)
        if name == "platform":
            self.asked = True
            return literal(self.python_system.lower(), span)
        if _PIC.fullmatch(name):
            return literal("-fPIC", span).overridable()
        if name == "openmp_flag":
            return literal("-fopenmp", span).overridable()
        standard = _STANDARD.fullmatch(name)
        if standard is not None:
            return literal(f"-std=c++{standard[1]}", span).overridable()
        return concrete(text, span, Shape.PATH if _PATHS.fullmatch(name) else Shape.ANY)

    def compares(self, operator: ast.cmpop, left: Value, right: Value, text: str) -> bool | None:
        if isinstance(operator, (ast.In, ast.NotIn)) and isinstance(right, Concrete):
            asked = left.text if isinstance(left, Traced) and left.known else text
            found = self.satisfied(asked)
            return found is isinstance(operator, ast.In)
        if isinstance(left, Concrete) or isinstance(right, Concrete):
            return self.decide(("compare", text), text, first=isinstance(operator, (ast.NotEq, ast.NotIn)))
        return None

    def above(self, name: str, given: "Arguments") -> Value | None:
        return self.goes_above(name, given)

    # -- specs ---------------------------------------------------------------------------------------------------------

    def satisfied(self, spec: str) -> bool:
        """Whether what is built satisfies the spec, as this run has it."""
        return all(self._term(term) for term in _TERM.finditer(spec))

    def _term(self, term: "Match[str]") -> bool:
        if term[1]:
            return self._switched(term[2]) is (term[1] == "+")
        if term[3]:
            found = self._valued(term[3], term[4])
            if found is not None:
                return found
        text = term[0].strip()
        return self.decide(("spec", text), text, first=_USUAL.match(text) is not None)

    def _switched(self, name: str) -> bool:
        values = self.variants.get(name, [])
        defaults = {truth(value) for value in values}
        if len(defaults) == 1 and None not in defaults:
            usual = next(iter(defaults)) is True
            return self.decide(("variant", name), f"+{name}", opt_in=not usual, first=usual)
        return self.decide(("variant", name), f"+{name}")

    def _valued(self, name: str, wanted: str) -> bool | None:
        if name == "platform":
            self.asked = True
            return wanted == self.python_system.lower()
        if name in ("target", "arch"):
            self.asked = True
            family = wanted.rpartition("-")[2].strip(":")
            own = _FAMILIES.get(self.machine, self.machine)
            return family == own if family in ("x86_64", "aarch64", "ppc64le", "riscv64", "s390x") else None
        values = self.variants.get(name, [])
        if len(values) == 1 and isinstance(values[0], Traced) and values[0].known:
            usual = wanted in values[0].text.split(",")
            text = f"{name}={wanted}"
            return self.decide(("variant", name, wanted), text, opt_in=not usual, first=usual)
        return None

    def _variant(self, name: str) -> Value:
        values = self.variants[name]
        usual = values[0] if len(values) == 1 else None
        if isinstance(usual, Traced):
            usual = usual.overridable()
        elif isinstance(usual, Plain):
            usual = replace(usual, soft=True)
        value = usual if usual is not None else concrete(f"the variant {name}", None)
        return Mapping({"__namespace__": Plain(True), "value": value, "name": literal(name)})

    # -- calls ---------------------------------------------------------------------------------------------------------

    def foreign(self, function: Named, given: "Arguments") -> Value | None:
        last = function.name.rpartition(".")[2]
        span = self.parsed.span(given.node.func)
        if last in _DEFAULTS:
            said = given.node.func.value if isinstance(given.node.func, ast.Attribute) else None
            held = self.scope.names.get(said.id) if isinstance(said, ast.Name) else None
            words = held.words if isinstance(held, Program) else ()
            return self._default(last, words[0].text if words else function.name.split(".")[-2], given)
        if isinstance(function, Program):
            return self._run([Word(w.through((span,)).grounded((span,)).pieces, span) for w in function.words], given)
        if function.name.startswith("spack.env."):
            return self._environment(last, given)
        if last in _PROGRAMS and function.name.endswith((f"builtins.{last}", f"build_systems.{last}")):
            name = "./configure" if last == "configure" else last
            return self._run([Word((Piece(name, (span,)),), span)], given)
        known = _CALLS.get(last)
        return known(self, given, span) if known is not None else None

    def _run(self, program: Sequence[Word], given: "Arguments") -> Value:
        span = self.parsed.span(given.node.func)
        words = [*program]
        name = program[0].text.removeprefix("./")
        words += [as_word(value, span) for value in self.defaults.get(name, ())]
        for value in given.values:
            items = value.items if isinstance(value, Items) else [value]
            words += [as_word(item, span) for item in items]
        if given.rest is not None:
            words.append(as_word(given.rest, span))
        fails = given.get("fail_on_error")
        env = given.get("env") or given.get("extra_env")
        held = self.default_env.get(name)
        if held is not None and (env is None or isinstance(env, Mapping)):
            env = Mapping({**held, **(env.entries if isinstance(env, Mapping) else {})})
        self.emit(words, ignored=fails is not None and truth(fails) is False, env=env)
        return concrete("the output of a command", span)

    def _default(self, last: str, program: str, given: "Arguments") -> Value:
        """`Executable.add_default_arg` and `add_default_env`: what each call of the program has from now on."""
        if last == "add_default_env":
            name, value = given.get("key", 0), given.get("value", 1)
            if isinstance(name, Traced) and name.known and value is not None:
                self.default_env.setdefault(program, {})[name.text] = value
        else:
            self.defaults.setdefault(program, []).extend(given.values)
        return Plain(None)

    def emit(self, words: Sequence[Word], *, ignored: bool = False, env: Value | None = None) -> None:
        """Notes a command."""
        added = variables(self, None)
        if isinstance(env, Mapping):
            added = variables(self, Mapping(dict(env.entries), environ=True))
        script = Script(
            Place(NAME, job=self.job, step=self.task),
            Dialect.ARGV,
            argv=tuple(words),
            env=added,
            platforms=frozenset({self.platform}),
            ignored=ignored or self.caught > 0,
            directory=None,
            knows_arguments=True,
            unit=self.job,
        )
        self.found.scripts.append((script, self.decisions))

    def _environment(self, last: str, given: "Arguments") -> Value:
        name = given.get("name", 0)
        value = text_of(given.get("value", 1) or given.get("path", 1) or Traced()).one()
        if not isinstance(name, Traced) or not name.known:
            return Plain(None)
        entries = self.environ.entries
        old = entries.get(name.text)
        between = literal(" " if "flags" in last else ":")
        if last == "unset":
            entries.pop(name.text, None)
        elif last in ("set", "set_path") or not isinstance(old, Traced):
            entries[name.text] = value
        elif last.startswith("append"):
            entries[name.text] = join([old, between, value])
        elif last.startswith("prepend"):
            entries[name.text] = join([value, between, old])
        return Plain(None)

    # -- functions of the API ------------------------------------------------------------------------------------------

    def _executable(self, given: "Arguments", span: Span) -> Value:
        first = given.values[0] if given.values else given.get("name")
        return Program("spack.program", span, (text_of(first).one(),)) if first is not None else Plain(None)

    def _join_path(self, given: "Arguments", span: Span) -> Value | None:
        found = library(self, "os.path.join", given)
        if isinstance(found, Traced) and not found.known:
            return Traced(
                tuple(replace(p, hole=replace(p.hole, shape=Shape.PATH)) if p.hole else p for p in found.pieces)
            )
        return found

    def _define(self, given: "Arguments", span: Span) -> Value | None:
        name, value = given.get("cmake_var", 0), given.get("value", 1)
        return _defined(text_of(name), value) if name is not None and value is not None else None

    def _from_variant(self, given: "Arguments", span: Span) -> Value | None:
        name, variant = given.get("cmake_var", 0), given.get("variant", 1)
        if not isinstance(name, Traced):
            return None
        said = variant if isinstance(variant, Traced) else replace_text(name, name.text.lower())
        if said.text not in self.variants:
            return _defined(name, concrete(f"the variant {said.text}", span))
        chosen = self._variant(said.text)
        assert isinstance(chosen, Mapping)
        value = chosen.entries["value"]
        if isinstance(value, Plain) and isinstance(value.value, bool):
            value = replace(value, value=self._switched(said.text), soft=True)
        return _defined(name, value)

    def _switch(self, prefixes: tuple[str, str], given: "Arguments", span: Span) -> Value:
        """`--enable-x` or `--disable-x`, as the variant says."""
        name = given.get("name", 0)
        variant = given.get("variant")
        said = variant if isinstance(variant, Traced) else name
        values = self.variants.get(said.text, []) if isinstance(said, Traced) else []
        if not isinstance(name, Traced) or not isinstance(said, Traced) or not name.known or (
            values and not all(isinstance(v, Plain) for v in values)
        ):  # fmt: skip
            return Items([_open(self.parsed.written(given.node), span)])
        on = self._switched(said.text)
        made = [literal(prefixes[0 if on else 1], span), name]
        if on and given.get("activation_value", 1) is not None:
            made += [literal("="), text_of(concrete(f"the value of {name.text}", span, Shape.PATH))]
        return Items([join(made)])

    def _cache_entry(self, given: "Arguments", span: Span) -> Value | None:
        """An entry of the cache file that CMake is started with: to CMake the same as `-D`."""
        if len(given.values) < 2:
            return None
        return _defined(text_of(given.values[0]), given.values[1])

    def _satisfies(self, given: "Arguments", span: Span) -> Value:
        first = given.values[0] if given.values else None
        text = first.text if isinstance(first, Traced) and first.known else self.parsed.written(given.node)
        return Plain(self.satisfied(text), span)

    def _variant_directive(self, given: "Arguments", span: Span) -> Value:
        name, default = given.get("name", 0), given.get("default", 1)
        if isinstance(name, Traced) and name.known:
            self.variants.setdefault(name.text, []).append(default if default is not None else Plain(False))
        return Plain(None)

    def _when(self, given: "Arguments", span: Span) -> Value:
        first = given.values[0] if given.values else None
        text = first.text if isinstance(first, Traced) and first.known else self.parsed.written(given.node)
        if isinstance(first, Plain):
            text = "" if first.value else "@never"
        return Named(f"spack.when:{text}", span)

    def _module(self, given: "Arguments", span: Span) -> Value:
        return Named("builtins", span)

    def _nothing(self, given: "Arguments", span: Span) -> Value:
        return Plain(None)


_DEFAULTS = frozenset({"add_default_arg", "add_default_env"})
_ENABLE, _WITH = ("--enable-", "--disable-"), ("--with-", "--without-")
_CALLS = {
    "Executable": Recipe._executable,
    "which": Recipe._executable,
    "which_string": Recipe._executable,
    "join_path": Recipe._join_path,
    "define": Recipe._define,
    "define_from_variant": Recipe._from_variant,
    "enable_or_disable": lambda world, given, span: world._switch(_ENABLE, given, span),
    "with_or_without": lambda world, given, span: world._switch(_WITH, given, span),
    **dict.fromkeys(("cmake_cache_string", "cmake_cache_path", "cmake_cache_filepath", "cmake_cache_option"),
                    Recipe._cache_entry),
    "inject_flags": lambda world, given, span: _handed(0, given),
    "env_flags": lambda world, given, span: _handed(1, given),
    "build_system_flags": lambda world, given, span: _handed(2, given),
    "satisfies": Recipe._satisfies,
    "variant": Recipe._variant_directive,
    "when": Recipe._when,
    "getmodule": Recipe._module,
    **dict.fromkeys(
        "version depends_on conflicts requires patch resource provides extends license maintainers build_system"
        " filter_file install install_tree copy copy_tree mkdirp symlink touch force_remove set_executable".split(),
        Recipe._nothing,
    ),
}  # fmt: skip


def replace_text(text: Traced, said: str) -> Traced:
    return Traced((Piece(said, text.route[:1]),))


def _handed(at: int, given: "Arguments") -> Items:
    """What the ready-made flag handlers give."""
    parts: list[Value] = [Plain(None)] * 3
    parts[at] = given.values[-1] if given.values else Items()
    return Items(parts, "tuple")


def _open(text: str, span: Span) -> Unknown:
    of = Hole(text, "a variant of several values decides it", Decider.OUTSIDE, several=True)
    return Unknown(of, span=span)


def as_word(value: Value, span: Span) -> Word:
    text = text_of(value)
    made = text if several(value) else text.one()
    return word(made.grounded((span,)), only_span(made)) if made.pieces else Word((Piece("", (span,)),))


def _defined(name: Traced, value: Value) -> Traced:
    """`-DNAME:TYPE=VALUE` (`CMakeBuilder.define`)."""
    kind, said = "STRING", text_of(value).one()
    if isinstance(value, Plain) and isinstance(value.value, bool):
        kind = "BOOL"
        said = Traced(
            (Piece("ON" if value.value else "OFF", (value.span,) if value.span else (), overridable=value.soft),)
        )
    elif isinstance(value, Items):
        parts: list[Traced] = []
        for item in value.items:
            parts += [literal(";"), text_of(item).one()] if parts else [text_of(item).one()]
        said = join(parts)
    return join([literal("-D"), name, literal(f":{kind}="), said])


def flags(value: Value | None) -> list[Traced]:
    """The flags of one part of what `flag_handler` gives."""
    if isinstance(value, Items):
        return [part for item in value.items if not several(item) for part in cut_blank(text_of(item))]
    return []
