"""Rust's targets: the triple of a platform, and what `cfg(…)` asks of a triple.

Follows `rustc --print cfg --target TRIPLE` and The Cargo Book, "Configuration", `target.<cfg>`: `feature` is never set
there. A question that hangs on other flags (`target_feature`) has no answer.
"""

import re
from functools import cache

from flagguard.tools.platforms import from_triple

HOSTS = {
    "linux-x86_64": "x86_64-unknown-linux-gnu",
    "linux-aarch64": "aarch64-unknown-linux-gnu",
    "linux-ppc64le": "powerpc64le-unknown-linux-gnu",
    "linux-riscv64": "riscv64gc-unknown-linux-gnu",
    "linux-s390x": "s390x-unknown-linux-gnu",
    "linux-armv7l": "armv7-unknown-linux-gnueabihf",
    "linux-i686": "i686-unknown-linux-gnu",
    "macos-arm64": "aarch64-apple-darwin",
    "macos-x86_64": "x86_64-apple-darwin",
    "windows-x86_64": "x86_64-pc-windows-msvc",
    "windows-arm64": "aarch64-pc-windows-msvc",
    "freebsd-x86_64": "x86_64-unknown-freebsd",
}
"""The toolchain that rustup installs on each platform (rustup, "Other installation methods", default host triples)."""

_ARCHITECTURES = (
    # the first that a triple begins with
    ("x86_64", "x86_64"),
    ("aarch64", "aarch64"),
    ("arm64", "aarch64"),
    ("arm", "arm"),
    ("thumb", "arm"),
    ("i386", "x86"),
    ("i486", "x86"),
    ("i586", "x86"),
    ("i686", "x86"),
    ("powerpc64", "powerpc64"),
    ("powerpc", "powerpc"),
    ("riscv32", "riscv32"),
    ("riscv64", "riscv64"),
    ("sparc64", "sparc64"),
    ("mips64", "mips64"),
    ("mips", "mips"),
)
_SYSTEMS = (
    # a part of the triple, `target_os`
    ("darwin", "macos"),
    ("ios", "ios"),
    ("android", "android"),
    ("linux", "linux"),
    ("windows", "windows"),
    ("uwp", "windows"),
    ("freebsd", "freebsd"),
    ("netbsd", "netbsd"),
    ("openbsd", "openbsd"),
    ("dragonfly", "dragonfly"),
    ("illumos", "illumos"),
    ("solaris", "solaris"),
    ("fuchsia", "fuchsia"),
    ("emscripten", "emscripten"),
    ("wasip", "wasi"),
    ("wasi", "wasi"),
    ("none", "none"),
    ("uefi", "uefi"),
)
_BIG = ("s390x", "powerpc-", "powerpc64-", "sparc", "mips-", "mips64-", "armeb", "aarch64_be")
_NO_UNIX = frozenset({"windows", "none", "uefi", "unknown", "wasi"})

Fact = tuple[str, str]


@cache
def facts(triple: str) -> frozenset[Fact]:
    """What `cfg` is true of a target: names (with an empty value), and names with a value."""
    parts = triple.split("-")
    machine = next((name for begin, name in _ARCHITECTURES if triple.startswith(begin)), parts[0])
    system = next((name for mark, name in _SYSTEMS if any(p.startswith(mark) for p in parts[1:])), "unknown")
    if any(p.startswith("android") for p in parts):
        system = "android"
    last = parts[-1]
    environment = next((e for e in ("gnu", "musl", "msvc", "uclibc", "ohos", "sgx") if last.startswith(e)), "")
    if last.startswith("wasip"):
        environment = last[4:]
    vendor = parts[1] if len(parts) > 3 or (len(parts) == 3 and system not in ("android", "none")) else "unknown"
    wide = machine in (
        "x86_64",
        "aarch64",
        "powerpc64",
        "riscv64",
        "s390x",
        "sparc64",
        "mips64",
        "loongarch64",
        "wasm64",
    )
    narrow = last.endswith(("x32", "ilp32"))
    out = {
        ("target_arch", machine),
        ("target_os", system),
        ("target_env", environment),
        ("target_vendor", vendor),
        ("target_pointer_width", "64" if wide and not narrow else "32"),
        ("target_endian", "big" if triple.startswith(_BIG) else "little"),
        ("debug_assertions", ""),
    }
    if machine.startswith("wasm"):
        out.add(("target_family", "wasm"))
    family = "windows" if system == "windows" else "unix" if system not in _NO_UNIX else ""
    if family:
        out |= {("target_family", family), (family, "")}
    stops = machine.startswith("wasm") or system in ("none", "uefi")
    out.add(("panic", "abort" if stops else "unwind"))
    return frozenset(out)


_FEATURES = {"x86_64": ("fxsr", "sse", "sse2")}
_OPEN = frozenset({"target_feature", "target_abi", "target_has_atomic", "panic", "relocation_model"})
"""What other flags and the target's own details decide."""


def fits(name: str, triple: str) -> bool | None:
    """Whether a key of `target`, a triple or a `cfg(…)`, speaks of the triple; None where that is not known."""
    found = re.fullmatch(r"cfg\((.*)\)", name.strip(), re.DOTALL)
    if found is None:
        return name == triple
    tokens = re.findall(r'[\w.-]+|"[^"]*"|[(),=]', found[1])
    return _cfg(tokens, [0], triple, 0) if tokens else None


def fits_platform(name: str, platform: str) -> bool:
    """Whether it speaks of a target of the platform, as far as that is known."""
    if name.strip().startswith("cfg("):
        return fits(name, HOSTS.get(platform, platform)) is not False
    return from_triple(name, platform) == platform


def _cfg(tokens: list[str], at: list[int], triple: str, depth: int) -> bool | None:
    """One predicate; `at` is where to read on."""
    name = tokens[at[0]] if at[0] < len(tokens) else ""
    at[0] += 1
    following = tokens[at[0]] if at[0] < len(tokens) else ""
    if following == "(" and depth < 50:
        at[0] += 1
        inner: list[bool | None] = []
        while at[0] < len(tokens) and tokens[at[0]] != ")":
            if tokens[at[0]] == ",":
                at[0] += 1
                continue
            inner.append(_cfg(tokens, at, triple, depth + 1))
        at[0] += 1
        if name == "not":
            return None if len(inner) != 1 or inner[0] is None else not inner[0]
        if name not in ("all", "any"):
            return None
        decided = name == "any"
        return decided if decided in inner else None if None in inner else not decided
    if following == "=":
        value = tokens[at[0] + 1].strip('"') if at[0] + 1 < len(tokens) else ""
        at[0] += 2
        known = facts(triple)
        if (name, value) in known:
            return True
        if name in _OPEN:
            return True if value in _FEATURES.get(triple.partition("-")[0], ()) else None
        return False
    return name == "true" or (name, "") in facts(triple)
