"""The classes of commands that a rule may name, `@c-compiler` and the like, with the programs of each (DESIGN 4.4).

Reads the whole catalogue: only for those who ask for it.
"""

from functools import cache

from flagguard import tables
from flagguard.naming import Vocabulary

_ABOUT = {
    "@c-compiler": "compiles C",
    "@cxx-compiler": "compiles C++",
    "@rust-compiler": "compiles Rust, by itself or through cargo and what builds with cargo",
    "@cuda-compiler": "compiles CUDA",
    "@fortran-compiler": "compiles Fortran",
    "@go-compiler": "compiles Go",
    "@mojo-compiler": "compiles Mojo",
    "@swift-compiler": "compiles Swift",
    "@zig-compiler": "compiles Zig",
    "@other-compiler": "compiles another language: Chapel, Crystal, D, Haskell, ISPC, Julia, Nim, OCaml, Pony, V…",
    "@build-tool": "builds with compilers that it starts itself: cmake, configure, meson, bazel, pip, cabal…",
    "@build-file": "flags that a build file declares: binding.gyp, meson.build, BUILD.bazel, SConstruct, wscript",
    "@tuned-project": "builds by make a project that is tuned to the build machine unless it is told otherwise",
    "@cmake-options": "a call in CMake's language that sets compile options",
    "@python-extension": "a call in a setup script that declares an extension module",
}


def about(name: str) -> str:
    """What the class is, in a few words."""
    return _ABOUT.get(name, "")


@cache
def programs() -> dict[str, tuple[str, ...]]:
    """Each class and its programs, subcommands with them; none for a class of which the catalogue has no tool yet."""
    found: dict[str, set[str]] = {name: set() for name in Vocabulary().classes}
    for file, tools in tables.table("tools/programs.toml").items():
        table = tables.table(f"tools/{file}.toml")
        for tool, entry in tools.items():
            own = table.get("tool", {}).get(tool, {})
            names = list(entry["names"])
            for name in own.get("classes", table.get("classes", ())):
                found.setdefault(name, set()).update(names)
            for command, said in (table.get("commands", {}) | own.get("commands", {})).items():
                for name in said.get("classes", ()):
                    found.setdefault(name, set()).add(f"{names[0]} {command}")
    return {name: tuple(sorted(members)) for name, members in sorted(found.items())}
