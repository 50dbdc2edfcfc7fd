"""Platforms of products: machine names, target triples, and what each tool calls them.

Follows config.sub (GNU), "Cross-compilation using Clang" (LLVM), the platform specifiers of OCI images, `go tool dist
list`.
"""

import re
from functools import cache

from flagguard.patterns import expression

_ARCHITECTURES = {
    "x86_64": "x86_64",
    "x86-64": "x86_64",
    "amd64": "x86_64",
    "x64": "x86_64",
    "x86_64h": "x86_64",
    "aarch64": "aarch64",
    "arm64": "aarch64",
    "arm64e": "aarch64",
    "i386": "i686",
    "i486": "i686",
    "i586": "i686",
    "i686": "i686",
    "x86": "i686",
    "386": "i686",
    "win32": "i686",
    "ppc64le": "ppc64le",
    "powerpc64le": "ppc64le",
    "ppc64": "ppc64",
    "powerpc64": "ppc64",
    "powerpc": "ppc",
    "riscv64": "riscv64",
    "riscv64gc": "riscv64",
    "riscv32": "riscv32",
    "s390x": "s390x",
    "arm": "armv7l",
    "armhf": "armv7l",
    "armv5te": "armv7l",
    "armv6": "armv7l",
    "armv6l": "armv7l",
    "armv7": "armv7l",
    "armv7a": "armv7l",
    "armv7l": "armv7l",
    "armv7hl": "armv7l",
    "thumbv7em": "armv7l",
    "thumbv7neon": "armv7l",
    "mips": "mips",
    "mipsel": "mipsel",
    "mips64el": "mips64el",
    "loongarch64": "loongarch64",
    "loong64": "loongarch64",
    "sparc64": "sparc64",
    "wasm32": "wasm32",
    "wasm64": "wasm64",
    "wasm": "wasm32",
    "armeb": "armv7l",
    "armv7m": "armv7l",
    "powerpcle": "ppc",
    "sh": "sh4",
}
# machines of config.sub by the name that is theirs there: GCC's back ends, most of them for boards
_ARCHITECTURES |= {
    name: name
    for name in (
        "alpha amdgcn arc arceb avr avr32 bfin bpf cris csky ft32 h8300 hppa hppa64 ia64 lm32 loongarch32 m32r m68k "
        "microblaze microblazeel mips64 mips64r6el mipsisa32r6 mipsisa32r6el mipsisa64r6el moxie msp430 nds32le nios2 "
        "nvptx or1k pru riscv rl78 rx s390 sh4 sparc tricore v850 vax xtensa z80"
    ).split()
}

_SYSTEMS = (
    ("macos", expression(r"(?i)^(darwin|macosx?|apple|osx|ios)")),
    ("windows", expression(r"(?i)^(windows|win32|win64|mingw|msvc|w64|cygwin|msys)")),
    ("freebsd", expression(r"(?i)^freebsd")),
    ("linux", expression(r"(?i)^(linux|gnu|musl|android)")),
    ("none", expression(r"(?i)^(none|elf|unknown|wasi|emscripten|freestanding)")),
)


def architecture(name: str) -> str | None:
    """The machine that `name` says, by the name that `uname -m` has on Linux."""
    return _ARCHITECTURES.get(name.lower())


def split(platform: str) -> tuple[str, str]:
    """`linux-aarch64` → system and architecture, the latter as on Linux."""
    system, _, machine = platform.partition("-")
    return system, architecture(machine) or machine


def platform_of(system: str, machine: str) -> str:
    """The name of a platform as DESIGN 3 has it."""
    if machine == "aarch64" and system in ("macos", "windows"):
        machine = "arm64"
    return f"{system}-{machine}"


@cache
def from_triple(triple: str, platform: str) -> str:
    """The platform of a target triple, a cross prefix, or a bare architecture; `platform` where it does not say."""
    parts = [p for p in re.split(r"[-/_](?!64)", triple.replace("x86-64", "x86_64")) if p]
    if not parts:
        return platform
    system, machine = split(platform)
    found = next((architecture(p) for p in parts if architecture(p)), None)
    named = next((name for part in parts[1:] or parts for name, pattern in _SYSTEMS if pattern.match(part)), None)
    specific = [name for part in parts for name, pattern in _SYSTEMS[:-1] if pattern.match(part)]
    if specific:
        named = specific[0]
    if found is None and named is None:
        return platform
    return platform_of(named or system, found or machine)
