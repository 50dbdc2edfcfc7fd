"""Arch Linux's `PKGBUILD`: its functions, as makepkg runs them.

Follows PKGBUILD(5) (Options and Directives, Packaging Functions, Package Splitting) and makepkg.conf(5). `prepare`,
`pkgver`, `build` and `check` run one after another, the `package` functions in another process; bash stops where a
command fails. The flags are those of Arch's own makepkg.conf, as defaults that the builder may replace.
"""

from collections.abc import Mapping
from posixpath import dirname

from flagguard.command import Dialect, Reading
from flagguard.hosts import Setting
from flagguard.hosts.packaging import architectures, calls, functions
from flagguard.hosts.pipelines import Frame, Notes, Shell, guarded, of_systems, outside
from flagguard.patterns import expression
from flagguard.text import EMPTY, Shape, SourceText, Traced, join, literal
from flagguard.values import replace

NAME = "pkgbuild"

_SHELL = Shell(Dialect.BASH, errexit=True)
_ARCHITECTURES = {
    "x86_64": "linux-x86_64",
    "i686": "linux-i686",
    "pentium4": "linux-i686",
    "aarch64": "linux-aarch64",
    "armv7h": "linux-armv7l",
    "riscv64": "linux-riscv64",
    "powerpc64le": "linux-ppc64le",
}
"""What Arch Linux and its ports call their machines."""
_ARCH = expression(r"(?m)^[ \t]*arch=\(([^)]*)\)")
_OPTIONS = expression(r"(?m)^[ \t]*options\+?=\(([^)]*)\)")
_NAME = expression(r"""(?m)^[ \t]*pkg(?:base|name)=\(?[ \t]*["']?([\w@.+-]+)""")
_LOCAL = expression(r"[\s;{(&|]([A-Za-z_]\w*)\+?=")
_TOP = expression(r"(?m)^([A-Za-z_]\w*)\+?=")
_EXPORTED = expression(r"(?m)\b(?:export|declare -x)\b([^;\n]*)")
_NAMES = expression(r"[A-Za-z_]\w*")
_WORD = expression(r"[!\w]+")
_WARNED = "-O2 -pipe -fno-plt -fexceptions -Wp,-D_FORTIFY_SOURCE=3 -Wformat -Werror=format-security"
_GUARDED = "-fstack-clash-protection -fcf-protection -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer"
_FLAGS: Mapping[str, Mapping[str, str]] = {
    # /etc/makepkg.conf of Arch Linux (2025) and of Arch Linux ARM
    "linux-x86_64": {"CFLAGS": f"-march=x86-64 -mtune=generic {_WARNED} {_GUARDED}"},
    "linux-i686": {"CFLAGS": "-march=i686 -mtune=generic -O2 -pipe -fno-plt"},
    "linux-aarch64": {"CFLAGS": f"-march=armv8-a {_WARNED} -fstack-clash-protection"},
    "linux-armv7l": {"CFLAGS": f"-march=armv7-a -mfloat-abi=hard -mfpu=neon {_WARNED} -fstack-clash-protection"},
    "linux-riscv64": {"CFLAGS": f"-march=rv64gc -mabi=lp64d {_WARNED}"},
    "linux-ppc64le": {"CFLAGS": f"-mcpu=power8 {_WARNED}"},
}
_LDFLAGS = "-Wl,-O1 -Wl,--sort-common -Wl,--as-needed -Wl,-z,relro -Wl,-z,now -Wl,-z,pack-relative-relocs"
_BUILD_FLAGS = ("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS")
"""What `options=(!buildflags)` clears."""
_OUTSIDE = (
    "CHOST",
    "RUSTFLAGS",
    "LTOFLAGS",
    "DEBUG_CFLAGS",
    "DEBUG_CXXFLAGS",
    "DEBUG_RUSTFLAGS",
    "PACKAGER",
    "MAKEFLAGS",
)


def read(source: SourceText, setting: Setting) -> Reading:
    notes = Notes(setting)
    notes.keep(source)
    defined = functions(source)
    packages = [name for name in defined if name == "package" or name.startswith("package_")]
    options = {word for found in _OPTIONS.finditer(source.text) for word in _WORD.findall(found[1])}
    name = _NAME.search(source.text)
    scripts = []
    for platform in sorted(_platforms(source, setting)):
        values = _environment(platform, options, dirname(source.path))
        text = join(
            [
                source.traced(),
                literal("\npkgbase=${pkgbase:-$pkgname}\n"),
                calls(defined, ("prepare", "pkgver", "build", "check")),
                _anew(source, values) if packages else EMPTY,
                calls(defined, packages),
            ]
        )
        frame = Frame(
            NAME,
            job=name[1] if name is not None else None,
            platforms=frozenset({platform}),
            values=values,
            outside=tuple(n for n in _OUTSIDE if not (n == "MAKEFLAGS" and "!makeflags" in options)),
            shell=_SHELL,
            directory=None,
        )
        scripts.append(replace(frame.script(None, text), file=source.path))
    return Reading(guarded(notes, source.path, lambda: scripts), problems=notes.all())


def _anew(source: SourceText, values: Mapping[str, Traced]) -> Traced:
    """What the process of the packages has not from the one before it: variables that are not exported.

    makepkg reads the file and its own configuration again there.
    """
    local = {name for name in _LOCAL.findall(source.text) if name not in _TOP.findall(source.text)}
    local -= {word for found in _EXPORTED.findall(source.text) for word in _NAMES.findall(found)}
    parts = [literal(f"unset -v {' '.join(sorted(local))}\n") if local else EMPTY]
    for name in _BUILD_FLAGS:
        if name in values:
            parts += [literal(f"{name}='"), values[name], literal("'\n")]
    return join(parts)


def _platforms(source: SourceText, setting: Setting) -> frozenset[str]:
    found = _ARCH.search(source.text)
    words = _WORD.findall(found[1]) if found is not None else []
    if not words or "any" in words:
        return of_systems(setting, "linux")
    return architectures(words, _ARCHITECTURES, setting) or of_systems(setting, "linux")


def _environment(platform: str, options: set[str], folder: str) -> dict[str, Traced]:
    arch = next((arch for arch, ours in _ARCHITECTURES.items() if ours == platform), platform.partition("-")[2])
    found = {
        "CARCH": literal(arch),
        "startdir": outside("startdir", "$startdir", "where the PKGBUILD is", Shape.PATH, folder),
        "srcdir": outside("srcdir", "$srcdir", "makepkg makes it", Shape.PATH),
        "pkgdir": outside("pkgdir", "$pkgdir", "makepkg makes it", Shape.PATH),
    }
    if "!buildflags" not in options:
        flags = _FLAGS.get(platform, {}).get("CFLAGS", "-O2 -pipe")
        said = (flags, f"{flags} -Wp,-D_GLIBCXX_ASSERTIONS", "", _LDFLAGS)
        found |= {n: literal(text).overridable() if text else EMPTY for n, text in zip(_BUILD_FLAGS, said, strict=True)}
    return {n: text for n, text in found.items() if text}
