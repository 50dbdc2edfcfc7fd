"""Alpine Linux's `APKBUILD`: its functions, as abuild runs them.

Follows APKBUILD(5) (Variables, Functions, Subpackage functions) and abuild.conf of Alpine. busybox's shell runs each
function of its own and stops where a command fails. The flags are those of Alpine's abuild.conf, as defaults that the
builder may replace.
"""

from posixpath import dirname

from flagguard.command import Dialect, Reading
from flagguard.hosts import Setting
from flagguard.hosts.packaging import architectures, calls, functions
from flagguard.hosts.pipelines import Frame, Notes, Shell, guarded, of_systems, outside
from flagguard.patterns import expression
from flagguard.text import Shape, SourceText, Traced, join, literal
from flagguard.values import replace

NAME = "apkbuild"

_SHELL = Shell(Dialect.SH, errexit=True)
_PHASES = ("fetch", "unpack", "prepare", "build", "check", "package")
_ARCHITECTURES = {
    "x86_64": "linux-x86_64",
    "x86": "linux-i686",
    "aarch64": "linux-aarch64",
    "armv7": "linux-armv7l",
    "armhf": "linux-armv7l",
    "ppc64le": "linux-ppc64le",
    "s390x": "linux-s390x",
    "riscv64": "linux-riscv64",
}
_ARCH = expression(r"""(?m)^arch=(?:"([^"]*)"|'([^']*)'|(\S*))""")
_NAME = expression(r"""(?m)^pkgname=["']?([\w.+-]+)""")
_CFLAGS = "-Os -fstack-clash-protection -Wformat -Werror=format-security -fno-plt"
# abuild.conf of Alpine 3.22
_FLAGS = {
    "CFLAGS": _CFLAGS,
    "CXXFLAGS": f"{_CFLAGS} -D_GLIBCXX_ASSERTIONS=1 -D_LIBCPP_ENABLE_THREAD_SAFETY_ANNOTATIONS=1",
    "CPPFLAGS": _CFLAGS,
    "LDFLAGS": "-Wl,--as-needed,-O1,--sort-common",
    "GOFLAGS": "-buildmode=pie -modcacherw -trimpath -buildvcs=false",
}
_PATHS = {
    "srcdir": "abuild makes it",
    "pkgdir": "abuild makes it",
    "pkgbasedir": "abuild makes it",
    "subpkgdir": "abuild makes it",
}
_OUTSIDE = ("JOBS", "MAKEFLAGS", "RUSTFLAGS", "CARGO_PROFILE_RELEASE_OPT_LEVEL", "DFLAGS", "SAMUFLAGS", "CBUILDROOT")


def read(source: SourceText, setting: Setting) -> Reading:
    notes = Notes(setting)
    notes.keep(source)
    defined = functions(source)
    text = join([source.traced(), literal("\n"), calls(defined, _PHASES, apart=True)])
    name = _NAME.search(source.text)
    scripts = []
    for platform in sorted(_platforms(source, setting)):
        frame = Frame(
            NAME,
            job=name[1] if name is not None else None,
            platforms=frozenset({platform}),
            values=_environment(platform, dirname(source.path)),
            outside=_OUTSIDE,
            shell=_SHELL,
            directory=None,
        )
        scripts.append(replace(frame.script(None, text), file=source.path))
    return Reading(guarded(notes, source.path, lambda: scripts), problems=notes.all())


def _platforms(source: SourceText, setting: Setting) -> frozenset[str]:
    """`arch="all !s390x"`."""
    found = _ARCH.search(source.text)
    words = (found[1] or found[2] or found[3] or "").split() if found is not None else []
    denied = {_ARCHITECTURES[word[1:]] for word in words if word[:1] == "!" and word[1:] in _ARCHITECTURES}
    if not words or any(word in ("all", "noarch") or "$" in word for word in words):
        return of_systems(setting, "linux") - denied
    return architectures((word for word in words if word[0] != "!"), _ARCHITECTURES, setting) - denied


def _environment(platform: str, folder: str) -> dict[str, Traced]:
    arch = next((arch for arch, ours in _ARCHITECTURES.items() if ours == platform), platform.partition("-")[2])
    triple = f"{'i586' if arch == 'x86' else arch}-alpine-linux-musl{'eabihf' if arch.startswith('arm') else ''}"
    found = {"CARCH": literal(arch), "CTARGET_ARCH": literal(arch)}
    found |= {name: literal(triple) for name in ("CHOST", "CTARGET", "CBUILD")}
    found |= {name: outside(name, f"${name}", reason, Shape.PATH) for name, reason in _PATHS.items()}
    found["startdir"] = outside("startdir", "$startdir", "where the APKBUILD is", Shape.PATH, folder)
    found["builddir"] = join([found["srcdir"], literal("/"), outside("builddir", "$pkgname-$pkgver", "the package's")])
    found |= {name: literal(text).overridable() for name, text in _FLAGS.items()}
    return found
