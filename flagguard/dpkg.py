"""The makefiles of dpkg that `debian/rules` includes: what they set, as text of make's language.

Follows dpkg's `buildflags.mk`, `architecture.mk`, `buildtools.mk` and `default.mk` (dpkg 1.21), dpkg-buildflags(1) and
dpkg-architecture(1). The package is built for the machine that it is built on; what the changelog says is not known.
"""

from collections.abc import Container

ARCHITECTURES = {
    # platform: Debian's name, the GNU triple, the multiarch triple, bits
    "linux-x86_64": ("amd64", "x86_64-linux-gnu", "x86_64-linux-gnu", "64"),
    "linux-i686": ("i386", "i686-linux-gnu", "i386-linux-gnu", "32"),
    "linux-aarch64": ("arm64", "aarch64-linux-gnu", "aarch64-linux-gnu", "64"),
    "linux-armv7l": ("armhf", "arm-linux-gnueabihf", "arm-linux-gnueabihf", "32"),
    "linux-ppc64le": ("ppc64el", "powerpc64le-linux-gnu", "powerpc64le-linux-gnu", "64"),
    "linux-riscv64": ("riscv64", "riscv64-linux-gnu", "riscv64-linux-gnu", "64"),
    "linux-s390x": ("s390x", "s390x-linux-gnu", "s390x-linux-gnu", "64"),
}
_FEATURES = {
    # area: what is on by default, what can be turned on
    "hardening": ("stackprotector stackprotectorstrong format fortify relro pie", "bindnow"),
    "reproducible": ("timeless fixfilepath fixdebugpath", ""),
    "optimize": ("", "lto"),
    "sanitize": ("", "address thread leak undefined"),
    "qa": ("", "bug canary"),
}
"""The feature areas of `DEB_BUILD_MAINT_OPTIONS` (dpkg-buildflags(1), "FEATURE AREAS"; dpkg 1.21)."""
NAMES = ("CFLAGS", "CXXFLAGS", "OBJCFLAGS", "FFLAGS", "FCFLAGS", "CPPFLAGS", "LDFLAGS")
_BUGS = "-Werror=array-bounds -Werror=clobbered -Werror=volatile-register-var"
_SPECS = "-specs=/usr/share/dpkg/no-pie-"
_TOOLS = {"CC": "gcc", "CXX": "g++", "LD": "ld", "AR": "ar", "AS": "as", "RANLIB": "ranlib", "PKG_CONFIG": "pkg-config"}
_VERSION = "DEB_SOURCE DEB_VERSION DEB_VERSION_UPSTREAM DEB_VERSION_UPSTREAM_REVISION DEB_DISTRIBUTION"
_FOLDER = "/usr/share/dpkg/"


def flags(options: str) -> dict[str, str]:
    """What dpkg-buildflags says. ``options``: `DEB_BUILD_MAINT_OPTIONS`."""
    on = _features(options)
    protector = "-fstack-protector-strong" if "stackprotectorstrong" in on else ""
    weak = "-fstack-protector --param=ssp-buffer-size=4" if "stackprotector" in on else ""
    sanitized = [kind for kind in ("address", "thread", "leak", "undefined") if kind in on]
    prefix = (
        "-ffile-prefix-map=.=." if "fixfilepath" in on else "-fdebug-prefix-map=.=." if "fixdebugpath" in on else ""
    )
    shared = [
        prefix,
        "-flto=auto -ffat-lto-objects" if "lto" in on else "",
        "" if "pie" in on else f"{_SPECS}compile.specs",
        (protector or weak) if "stackprotector" in on else "",
    ]
    sanitizers = " ".join(f"-fsanitize={k}" + " -fno-omit-frame-pointer" * (k == "address") for k in sanitized)
    warned = "-Wformat -Werror=format-security" if "format" in on else ""
    bugs = _BUGS if "bug" in on else ""
    implicit = "-Werror=implicit-function-declaration" if "bug" in on else ""
    compiled = [bugs, shared[0], sanitizers, *shared[1:], warned]
    linked = [
        "-flto=auto -ffat-lto-objects" if "lto" in on else "",
        "" if "pie" in on else f"{_SPECS}link.specs",
        *(f"-fsanitize={kind}" for kind in sanitized),
        "-Wl,-z,relro" if "relro" in on else "",
        "-Wl,-z,now" if {"bindnow", "relro"} <= on else "",
    ]
    prepared = ["-Wdate-time" if "timeless" in on else "", "-D_FORTIFY_SOURCE=2" if "fortify" in on else ""]
    return {
        "CFLAGS": _text("-g -O2", implicit, *compiled),
        **dict.fromkeys(("CXXFLAGS", "OBJCFLAGS"), _text("-g -O2", *compiled)),
        **dict.fromkeys(("FFLAGS", "FCFLAGS"), _text("-g -O2", *shared)),
        "CPPFLAGS": _text(*prepared),
        "LDFLAGS": _text(*linked),
    }


def _text(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _features(options: str) -> set[str]:
    on = {feature for usual, _ in _FEATURES.values() for feature in usual.split()}
    for word in options.split():
        area, _, said = word.partition("=")
        known = " ".join(_FEATURES.get(area, ())).split()
        for change in said.split(","):
            meant = known if change[1:] == "all" else [name for name in known if name == change[1:]]
            on = on | set(meant) if change.startswith("+") else on - set(meant) if change.startswith("-") else on
    return on


def included(name: str, platform: str, defined: Container[str], options: str | None) -> str | None:
    """The text of one of dpkg's makefiles; None where it is none of them.

    ``options``: `DEB_BUILD_MAINT_OPTIONS`; None: not known.
    ``defined``: the variables that there are. Others of dpkg's nobody sets: packages are built in a clean environment.
    """
    if not name.startswith(_FOLDER):
        return None
    match name.removeprefix(_FOLDER):
        case "buildflags.mk":
            return _flags(defined, options)
        case "architecture.mk":
            return _architecture(platform, defined)
        case "buildtools.mk":
            return _architecture(platform, defined) + _tools()
        case "pkg-info.mk":
            return _version(defined)
        case "default.mk":
            return _architecture(platform, defined) + _tools() + _flags(defined, options) + _version(defined)
        case "vendor.mk" | "buildapi.mk" | "buildopts.mk":
            return ""
    return None


def _flags(defined: Container[str], options: str | None) -> str:
    lines = []
    for name in NAMES:
        usual = f"$(shell dpkg-buildflags --get {name})" if options is None else flags(options)[name]
        said = {
            k: f"$({v})" for k in ("SET", "STRIP", "PREPEND", "APPEND") if (v := f"DEB_{name}_MAINT_{k}") in defined
        }
        kept = said.get("SET", usual)
        kept = f"$(filter-out {said['STRIP']},{kept})" if "STRIP" in said else kept
        lines.append(f"{name} := {said.get('PREPEND', '')} {kept} {said.get('APPEND', '')}".rstrip() + "\n")
    exported = f"export {' '.join(NAMES)}\n" if "DPKG_EXPORT_BUILDFLAGS" in defined else ""
    return "".join(lines) + exported


def _architecture(platform: str, defined: Container[str]) -> str:
    found = ARCHITECTURES.get(platform)
    if found is None:
        return ""
    architecture, triple, multiarch, bits = found
    endian = "big" if architecture == "s390x" else "little"
    values = {
        "ARCH": architecture,
        "ARCH_CPU": architecture.removesuffix("hf"),
        "ARCH_OS": "linux",
        "ARCH_BITS": bits,
        "ARCH_ENDIAN": endian,
        "GNU_TYPE": triple,
        "GNU_CPU": triple.partition("-")[0],
        "GNU_SYSTEM": triple.partition("-")[2],
        "MULTIARCH": multiarch,
    }
    named = {f"DEB_{kind}_{k}": v for kind in ("HOST", "BUILD", "TARGET") for k, v in values.items()}
    return "".join(f"{name} := {value}\n" for name, value in named.items() if name not in defined)


def _tools() -> str:
    return "".join(
        f"ifneq ($(filter default undefined,$(origin {name})),)\n{name} = $(DEB_HOST_GNU_TYPE)-{program}\nendif\n"
        for name, program in _TOOLS.items()
    )


def _version(defined: Container[str]) -> str:
    names = [name for name in _VERSION.split() if name not in defined]
    return "".join(f"{name} = $(shell dpkg-parsechangelog -S {name})\n" for name in names)
