"""What conda's build tools know of a platform and set for a build: the names of selectors, the environment.

Follows conda-build's documentation, "Defining metadata (meta.yaml)" (Preprocessing selectors), "Environment variables"
and "Anaconda compiler tools"; rattler-build's "Selectors" and "Build scripts" name the same. Compilers and their flags
come from packages (ctng- and clang-compiler-activation): the names are those packages', the flags holes.
"""

from collections.abc import Mapping, Sequence

from flagguard.hosts.pipelines import outside
from flagguard.hosts.pixi_manifest import platform_of
from flagguard.patterns import expression
from flagguard.text import Shape, Traced, join, literal

_NEVER = "emscripten wasi wasm32 freebsd zos armv6l linux32 win32 py2k nomkl".split()
_ARCHITECTURES = "aarch64 armv7l ppc64le riscv64 s390x".split()
_PATHS = "PREFIX BUILD_PREFIX SP_DIR STDLIB_DIR CONDA_BUILD_SYSROOT".split()
_WINDOWS_PATHS = "LIBRARY_PREFIX LIBRARY_BIN LIBRARY_INC LIBRARY_LIB SCRIPTS CYGWIN_PREFIX".split()
_OTHERS = (
    "SUBDIR HOST BUILD PY3K PKG_BUILDNUM SYS_PREFIX ROOT PY_VER NPY_VER CONDA_PY CONDA_NPY PKG_HASH PKG_BUILD_STRING "
    "R_VER LUA_VER PERL_VER CMAKE_GENERATOR build_platform CONDA_BUILD_CROSS_COMPILATION CMAKE_ARGS MESON_ARGS LANG "
    "HTTP_PROXY HTTPS_PROXY MACOSX_DEPLOYMENT_TARGET VS_MAJOR VS_VERSION VS_YEAR"
).split()
_LANGUAGES: Mapping[str, Sequence[tuple[str, str, str]]] = {
    # variable, its program on Linux, on macOS
    "c": (("CC", "cc", "clang"), ("AR", "ar", "ar"), ("LD", "ld", "ld")),
    "cxx": (("CC", "cc", "clang"), ("CXX", "c++", "clang++")),
    "fortran": (("FC", "gfortran", "gfortran"), ("F77", "gfortran", "gfortran")),
}
_FLAGS = "CFLAGS CXXFLAGS CPPFLAGS FFLAGS FORTRANFLAGS LDFLAGS DEBUG_CFLAGS DEBUG_CXXFLAGS".split()
_COMPILER = expression(r"""compiler\(\s*["'](\w+)["']""")


def subdir(platform: str) -> str:
    """What conda calls it: `linux-64`."""
    return platform_of(platform).subdir


def facts(platform: str) -> dict[str, bool | str]:
    """The names that a selector may use."""
    name = subdir(platform)
    system, _, arch = name.partition("-")
    found: dict[str, bool | str] = dict.fromkeys(_NEVER, False)
    found |= {n: system == n for n in ("linux", "osx", "win")}
    found |= {n: system == "linux" and arch == n for n in _ARCHITECTURES}
    found |= {
        "unix": system in ("linux", "osx"),
        "x86": arch in ("32", "64"),
        "x86_64": arch == "64",
        "linux64": name == "linux-64",
        "win64": name == "win-64",
        "arm64": arch == "arm64",
        "arm": name.startswith("linux-arm"),
        "py3k": True,
        "target_platform": name,
        "host_platform": name,
    }
    return found


def languages(text: str) -> frozenset[str]:
    """The languages whose compilers a recipe asks for."""
    return frozenset(found[1] for found in _COMPILER.finditer(text))


def environment(platform: str, state: str, used: frozenset[str], folder: str, tree: str | None) -> dict[str, Traced]:
    """What is set while a script runs; ``state``: `BUILD` or `TEST`; ``tree``: the folder that is the source."""
    name = subdir(platform)
    system, _, arch = name.partition("-")
    windows = system == "win"
    said = {
        "CONDA_BUILD": "1",
        "CONDA_BUILD_STATE": state,
        "ARCH": arch,
        "target_platform": name,
        "SHLIB_EXT": {"win": ".dll", "osx": ".dylib"}.get(system, ".so"),
        **({"OSX_ARCH": platform.partition("-")[2]} if system == "osx" else {}),
    }
    found = {n: literal(value) for n, value in said.items()}
    for n in _PATHS + (_WINDOWS_PATHS if windows else []):
        found[n] = _given(n, windows, Shape.PATH)
    recipe, source = _written("RECIPE_DIR", windows), _written("SRC_DIR", windows)
    found["RECIPE_DIR"] = outside("RECIPE_DIR", recipe, "where the recipe is", Shape.PATH, folder)
    found["SRC_DIR"] = outside("SRC_DIR", source, "where the source is", Shape.PATH, tree)
    found["CPU_COUNT"] = _given("CPU_COUNT", windows, Shape.NUMBER)
    found["PYTHON"] = python(platform)
    if windows:
        if used & set(_LANGUAGES):
            found["CC"] = found["CXX"] = literal("cl.exe").overridable()
        return found
    prefix = f"{platform.partition('-')[2]}-{'apple-darwin' if system == 'osx' else 'conda-linux-gnu'}"
    for language in sorted(used & set(_LANGUAGES)):
        for variable, linux, mac in _LANGUAGES[language]:
            found[variable] = literal(f"{prefix}-{mac if system == 'osx' else linux}").overridable()
    return found


def also_set(used: frozenset[str]) -> tuple[str, ...]:
    """The variables that are set too, to values that nobody knows here."""
    return (*_OTHERS, *(_FLAGS if used & set(_LANGUAGES) else ()))


def python(platform: str) -> Traced:
    """The interpreter in the host's prefix."""
    windows = platform.startswith("windows")
    return join([_given("PREFIX", windows, Shape.PATH), literal(r"\python.exe" if windows else "/bin/python")])


def _written(name: str, windows: bool) -> str:
    return f"%{name}%" if windows else f"${name}"


def _given(name: str, windows: bool, shape: Shape = Shape.ANY) -> Traced:
    return outside(name, _written(name, windows), "conda's build tool sets it", shape)
