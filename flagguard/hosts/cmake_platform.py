"""What CMake itself says of the platform that it configures for.

Follows cmake-variables(7), "Variables that Describe the System". A compiler's
variables stay open: nobody in the repository decides which one is there.
"""

from flagguard.patterns import expression
from flagguard.text import EMPTY, Decider, Hole, Shape, Traced, hole, literal

_SYSTEMS = {"linux": "Linux", "macos": "Darwin", "windows": "Windows", "freebsd": "FreeBSD"}
_MACHINES = {("windows", "x86_64"): "AMD64", ("windows", "arm64"): "ARM64", ("windows", "aarch64"): "ARM64"}

LANGUAGES = "C|CXX|CUDA|OBJC|OBJCXX|Fortran|ASM|ASM_NASM|ASM_MASM|HIP|ISPC|Swift|CSharp"
COMPILERS = {
    "CMAKE_C_COMPILER": "CC", "CMAKE_CXX_COMPILER": "CXX", "CMAKE_Fortran_COMPILER": "FC",
    "CMAKE_LINKER": "LD", "CMAKE_AR": "AR",
}  # fmt: skip
"""Programs that CMake finds, and what make calls them."""
_FLAGS = expression(rf"CMAKE_(?:{LANGUAGES})_FLAGS(?:_INIT)?|CMAKE_(?:EXE|SHARED|MODULE|STATIC)_LINKER_FLAGS(?:_\w+)?")
_CONFIGURED = expression(rf"CMAKE_(?:{LANGUAGES})_FLAGS_([A-Z]+)")
_UNKNOWN = expression(
    rf"CMAKE_(?:{LANGUAGES})_(?:COMPILER\w*|SIMULATE_ID|PLATFORM_ID|STANDARD_LIBRARIES|COMPILE_FEATURES|IMPLICIT_\w+|"
    r"BYTE_ORDER|SIZEOF_DATA_PTR|LIBRARY_ARCHITECTURE)|"
    r"CMAKE_(?:SOURCE_DIR|BINARY_DIR|CURRENT_\w+|PARENT_LIST_FILE|COMMAND|CTEST_COMMAND|CPACK_COMMAND|ROOT|GENERATOR\w*|"
    r"MAKE_PROGRAM|HOST_SYSTEM_VERSION|SYSTEM_VERSION|SYSTEM|HOST_SYSTEM|CFG_INTDIR|LIBRARY_ARCHITECTURE|"
    r"INSTALL_\w+|PROJECT_\w+|DL_LIBS|RANLIB|NM|OBJCOPY|OBJDUMP|STRIP|SYSTEM_PREFIX_PATH|FIND_PACKAGE_NAME|"
    r"MATCH_\w+|SIZEOF_VOID_P|EXECUTABLE_SUFFIX|\w+_(?:PREFIX|SUFFIX)|VERSION|\w+_VERSION|CONFIGURATION_TYPES|"
    r"THREAD_LIBS_INIT|OSX_SYSROOT|VS_\w+)|"
    r"(?:PROJECT|CPACK|CTEST)_\w+|\w+_(?:SOURCE_DIR|BINARY_DIR|FOUND|VERSION|INCLUDE_DIRS?|LIBRAR(?:Y|IES))|"
    r"MSVC_\w+|MSVC|CMAKE_BUILD_TYPE|EXECUTABLE_OUTPUT_PATH|LIBRARY_OUTPUT_PATH|GIT_\w+|\w+_EXECUTABLE"
)
_OPEN = frozenset({"MSVC", "MINGW", "MSYS", "CYGWIN", "XCODE", "CMAKE_COMPILER_IS_GNUCC", "CMAKE_COMPILER_IS_GNUCXX"})
_WINDOWS_ONLY = frozenset({"MSVC", "MINGW", "MSYS", "CYGWIN"})


class Platform:
    """The variables that CMake sets before the first command is run."""

    def __init__(self, name: str) -> None:
        self.name = name
        system, _, machine = name.partition("-")
        self.system = system
        self.known = {
            "CMAKE_SYSTEM_NAME": _SYSTEMS.get(system, system.capitalize()),
            "CMAKE_SYSTEM_PROCESSOR": _MACHINES.get((system, machine), machine),
            "CMAKE_COMMAND": "cmake",
            "CMAKE_CTEST_COMMAND": "ctest",
            "CMAKE_CPACK_COMMAND": "cpack",
        }
        self.known["CMAKE_HOST_SYSTEM_NAME"] = self.known["CMAKE_SYSTEM_NAME"]
        self.known["CMAKE_HOST_SYSTEM_PROCESSOR"] = self.known["CMAKE_SYSTEM_PROCESSOR"]
        true = {
            "linux": ("UNIX", "LINUX"),
            "macos": ("UNIX", "APPLE"),
            "windows": ("WIN32",),
            "freebsd": ("UNIX", "BSD"),
        }.get(system, ("UNIX",))
        self.known |= dict.fromkeys(true, "1")
        self.known |= {f"CMAKE_HOST_{name}": "1" for name in true}
        if machine not in ("i686", "armv7l"):
            self.known["CMAKE_SIZEOF_VOID_P"] = "8"

    def asked(self, name: str) -> bool:
        """Whether the variable may differ between platforms."""
        return name in _OPEN or name in (
            "WIN32", "UNIX", "APPLE", "LINUX", "BSD", "IOS", "ANDROID", "CMAKE_SIZEOF_VOID_P", "CMAKE_HOST_WIN32",
            "CMAKE_HOST_UNIX", "CMAKE_HOST_APPLE", "CMAKE_HOST_LINUX",
        ) or name.startswith(("CMAKE_SYSTEM", "CMAKE_HOST_SYSTEM")) or bool(_CONFIGURED.fullmatch(name))  # fmt: skip

    def value(self, name: str) -> "tuple[Traced | None, bool]":
        """What CMake says, None for nothing; and whether somebody outside may say something else."""
        known = self.known.get(name)
        if known is not None:
            return literal(known), False
        if name in _OPEN:
            return (_open(name), False) if self.system == "windows" or name not in _WINDOWS_ONLY else (None, False)
        if name in COMPILERS:
            return hole(Hole(f"${{{name}}}", "the program that CMake finds", name=COMPILERS[name])), False
        if _FLAGS.fullmatch(name):
            return EMPTY, True
        configured = _CONFIGURED.fullmatch(name)
        if configured is not None:
            return self._of_configuration(configured[1]), True
        if _UNKNOWN.fullmatch(name):
            return _open(name), False
        return None, False

    def _of_configuration(self, configuration: str) -> Traced:
        """`Modules/Compiler/GNU.cmake`, what gcc and clang get."""
        flags = {"DEBUG": "-g", "RELEASE": "-O3 -DNDEBUG", "RELWITHDEBINFO": "-O2 -g -DNDEBUG",
                 "MINSIZEREL": "-Os -DNDEBUG"}  # fmt: skip
        return literal(flags.get(configuration, "")) if self.system != "windows" else EMPTY


def _open(name: str) -> Traced:
    path = name.endswith(("_DIR", "_PATH", "_PREFIX", "_FILE", "_EXECUTABLE"))
    shape = Shape.PATH if path else Shape.ANY
    return hole(Hole(f"${{{name}}}", "CMake finds it out when it configures", Decider.OUTSIDE, shape, name=name))
