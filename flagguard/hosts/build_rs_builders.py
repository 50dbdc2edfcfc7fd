"""What a build script builds up before it runs: `cc::Build`, `cmake::Config`, `autotools::Config`, `Command`.

Follows docs.rs: cc 1.2, cmake 0.1, autotools 0.2 and std::process::Command. A method is a row of a table.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from flagguard.command import Word
from flagguard.text import EMPTY, Span, Traced, join, literal
from flagguard.tools.streams import cut_blank
from flagguard.values import dataclass, field

if TYPE_CHECKING:
    from flagguard.hosts.build_rs_texts import Value


class Builder:
    """One of them, while methods are called on it."""

    def __init__(self, kind: str, at: Span, first: Traced) -> None:
        self.kind = kind
        self.at = at
        self.first = first
        """What `new` was given: a program, a folder,"""
        self.words: list[Traced] = []
        self.behind: list[Traced] = []
        """operands,"""
        self.flags: dict[str, list[Traced]] = {}
        """options of compilers, by the variable that hands them on,"""
        self.env: dict[str, Traced] = {}
        self.folder: Traced = EMPTY
        self.target = ""
        self.ran = 0
        self.unknown = False
        """What it is, and what it was given before, nobody knows."""


@dataclass(frozen=True)
class Method:
    """What a method adds: ``words`` with `{0}`, `{1}` for its arguments, once for each item of a list."""

    words: tuple[str, ...] = ()
    behind: bool = False
    flags: str = ""
    """The variable of compiler options to which the argument goes."""
    only: bool = False
    """Only where the argument is not surely false."""
    act: Callable[[Builder, "list[Value]"], None] | None = field(default=None)


def _set_env(builder: Builder, given: "list[Value]") -> None:
    if len(given) > 1 and isinstance(given[0], Traced) and isinstance(given[1], Traced):
        builder.env[given[0].text] = given[1]


def _set_envs(builder: Builder, given: "list[Value]") -> None:
    for pair in given[0] if given and isinstance(given[0], list) else ():
        if isinstance(pair, dict):
            _set_env(builder, [pair.get("0"), pair.get("1")])


def _set_folder(builder: Builder, given: "list[Value]") -> None:
    if given and isinstance(given[0], Traced):
        builder.folder = given[0]


_ENV = Method(act=_set_env)
METHODS: Mapping[str, Mapping[str, Method]] = {
    "cc": {
        **dict.fromkeys(("flag", "flag_if_supported", "asm_flag", "flags", "flags_if_supported"), Method(("{0}",))),
        "define": Method(("-D{0}={1}",)),
        **dict.fromkeys(("include", "includes"), Method(("-I{0}",))),
        **dict.fromkeys(("file", "files", "object", "objects"), Method(("{0}",), behind=True)),
        **dict.fromkeys(("opt_level", "opt_level_str"), Method(("-O{0}",))),
        "std": Method(("-std={0}",)),
        "pic": Method(("-fPIC",), only=True),
        "debug": Method(("-g",), only=True),
        "static_flag": Method(("-static",), only=True),
        "shared_flag": Method(("-shared",), only=True),
        "warnings": Method(("-Wall",), only=True),
        "extra_warnings": Method(("-Wextra",), only=True),
        "warnings_into_errors": Method(("-Werror",), only=True),
        "env": _ENV,
    },
    "cmake": {
        "define": Method(("-D{0}={1}",)),
        "configure_arg": Method(("{0}",)),
        "profile": Method(("-DCMAKE_BUILD_TYPE={0}",)),
        "generator": Method(("-G", "{0}")),
        "cflag": Method(flags="CMAKE_C_FLAGS"),
        "cxxflag": Method(flags="CMAKE_CXX_FLAGS"),
        "asmflag": Method(flags="CMAKE_ASM_FLAGS"),
        "env": _ENV,
    },
    "autotools": {
        "enable": Method(("--enable-{0}={1}",)),
        "disable": Method(("--disable-{0}={1}",)),
        "with": Method(("--with-{0}={1}",)),
        "without": Method(("--without-{0}={1}",)),
        "config_option": Method(("--{0}={1}",)),
        "cflag": Method(flags="CFLAGS"),
        "cxxflag": Method(flags="CXXFLAGS"),
        "ldflag": Method(flags="LDFLAGS"),
        "env": _ENV,
    },
    "command": {
        **dict.fromkeys(("arg", "args", "raw_arg"), Method(("{0}",))),
        "env": _ENV,
        "envs": Method(act=_set_envs),
        "current_dir": Method(act=_set_folder),
    },
}
RUNS: Mapping[str, frozenset[str]] = {
    "cc": frozenset("compile try_compile compile_intermediates try_compile_intermediates expand try_expand".split()),
    "cmake": frozenset({"build"}),
    "autotools": frozenset({"build", "try_build"}),
    "command": frozenset("status output spawn exec".split()),
}
"""The methods that run what was built up."""
STARTS: Mapping[str, str] = {
    **dict.fromkeys(("cc::Build::new", "Build::new", "cxx_build::bridge", "cxx_build::bridges"), "cc"),
    **dict.fromkeys(("cc::Build::default", "Build::default"), "cc"),
    **dict.fromkeys(("cmake::Config::new", "cmake::build"), "cmake"),
    **dict.fromkeys(("autotools::Config::new", "autotools::build"), "autotools"),
    **dict.fromkeys(("Command::new", "process::Command::new", "std::process::Command::new"), "command"),
}
"""The functions that begin one, and what it is; `Config::new` is of the crate that the file names."""
AT_ONCE = frozenset({"cmake::build", "autotools::build"})
ADDS: Mapping[str, str] = {
    **dict.fromkeys("flag flag_if_supported flags flags_if_supported asm_flag".split(), "cc"),
    **dict.fromkeys("cflag cxxflag asmflag configure_arg".split(), "cmake"),
    **dict.fromkeys(("arg", "args"), "command"),
}
"""The methods that say by their name alone what they are called on."""
_FLAGS = ("CFLAGS", "CXXFLAGS", "TARGET_CFLAGS", "HOST_CFLAGS", "TARGET_CXXFLAGS", "HOST_CXXFLAGS")
"""Variables from which the crate cc takes options."""


def command(builder: Builder) -> tuple[tuple[Word, ...], dict[str, Traced], bool]:
    """The words, the variables, and whether it is a declaration and no command line."""
    words, env = list(builder.words), dict(builder.env)
    if builder.kind == "cc":
        first = Word(literal("rust:cc::Build", builder.at).pieces, builder.at)
        given = [word for name in _FLAGS if name in env for word in cut_blank(env[name])]
        return (first, *given, *_words((*words, *builder.behind))), env, True
    if builder.kind == "command":
        return _words((builder.first, *words)), env, False
    flags = {name: join([p for one in given for p in (literal(" "), one)][1:]) for name, given in builder.flags.items()}
    if builder.kind == "cmake":
        words = [*words, *(join([literal(f"-D{name}="), said]) for name, said in flags.items())]
        return _words((literal("cmake", builder.at), builder.first, *words)), env, False
    program = join([builder.first, literal("/configure")])
    return _words((program, *words)), {**env, **flags}, False


def _words(parts: tuple[Traced, ...]) -> tuple[Word, ...]:
    return tuple(Word(p.pieces, p.route[-1] if len(p.pieces) == 1 and p.route else None) for p in parts)
