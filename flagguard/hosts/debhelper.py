"""debhelper: what `dh` and `dh_auto_configure`, `_build`, `_test`, `_install` run for a package's build system.

Follows debhelper(7) (Build system options), dh(1) (Override targets), dh_auto_configure(1) and its kin, and
dpkg-buildflags(1) for the flags that they set, `DEB_CFLAGS_MAINT_APPEND` and the like among them. The command lines of
the build systems are as `dh_auto_configure --no-act --verbose` says them (debhelper 13). `debian/rules` itself is a
makefile (Debian Policy 4.9).
"""

from collections.abc import Iterator, Sequence
from posixpath import join as joined

from flagguard.command import Command, Dialect, Reading, Script, Variable, Word
from flagguard.dpkg import NAMES, flags
from flagguard.hosts import Entered, Files, Setting
from flagguard.paths import resolved
from flagguard.patterns import expression
from flagguard.text import EMPTY, Decider, Hole, Shape, Traced, hole, join, literal
from flagguard.values import dataclass

NAME = "debhelper"

_OF_DH = ("configure", "build")
"""What `dh` is followed into: the steps that compile. The goals of its other steps are read for themselves."""
_VALUED = {
    **dict.fromkeys(("-S", "--buildsystem", "--build-system"), "system"),
    **dict.fromkeys(("-D", "--sourcedirectory", "--sourcedir"), "source"),
    **dict.fromkeys(("-B", "--builddirectory", "--builddir"), "build"),
}
_FOUND = (
    ("configure", "autoconf"),
    ("configure.ac", "autoconf"),
    ("configure.in", "autoconf"),
    ("CMakeLists.txt", "cmake"),
    ("meson.build", "meson"),
    ("Makefile", "makefile"),
    ("makefile", "makefile"),
    ("GNUmakefile", "makefile"),
)
"""By which file a build system is known; the others that there are (perl, python, qmake, ant) are not followed."""
_TRIPLES = {
    "linux-x86_64": "x86_64-linux-gnu",
    "linux-i686": "i386-linux-gnu",
    "linux-aarch64": "aarch64-linux-gnu",
    "linux-armv7l": "arm-linux-gnueabihf",
    "linux-ppc64le": "powerpc64le-linux-gnu",
    "linux-riscv64": "riscv64-linux-gnu",
    "linux-s390x": "s390x-linux-gnu",
}
_CONFIGURE = (
    "--prefix=/usr --includedir=${prefix}/include --mandir=${prefix}/share/man --infodir=${prefix}/share/info "
    "--sysconfdir=/etc --localstatedir=/var --disable-option-checking --disable-silent-rules"
).split()
_CONFIGURE_MORE = "--runstatedir=/run --disable-maintainer-mode --disable-dependency-tracking".split()
_CMAKE = (
    "-DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_BUILD_TYPE=None -DCMAKE_INSTALL_SYSCONFDIR=/etc "
    "-DCMAKE_INSTALL_LOCALSTATEDIR=/var -DCMAKE_EXPORT_NO_PACKAGE_REGISTRY=ON -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF "
    "-DCMAKE_FIND_PACKAGE_NO_PACKAGE_REGISTRY=ON -DFETCHCONTENT_FULLY_DISCONNECTED=ON "
    "-DCMAKE_INSTALL_RUNSTATEDIR=/run -DCMAKE_SKIP_INSTALL_ALL_DEPENDENCY=ON"
).split()
_MESON = "--wrap-mode=nodownload --buildtype=plain --prefix=/usr --sysconfdir=/etc --localstatedir=/var".split()
_DH = expression(r"(?m)^\t[-@+]*dh[ \t][^\n]*?(?:--buildsystem[= ]|--build-system[= ]|-S ?)([\w+]+)")
_SYSTEMS = {name: name for name in ("autoconf", "cmake", "meson", "makefile")}
_OVERRIDDEN = expression(r"(?m)^override_dh_auto_(configure|build|test|install)(?:-arch|-indep)?\b[^:=\n]*:")


def enter(command: Command, setting: Setting) -> Entered | None:
    """A call of dh or of one of its steps; None where the build system is none of those that are followed."""
    name = command.argv[0].text.rpartition("/")[2]
    line = _line(command.argv[1:])
    source = resolved(line.source, command.directory) if line.source is not None else command.directory
    if source is None:
        return None
    system = line.system or _told_dh(command, setting.files) or _system(source, setting.files)
    steps = (name.removeprefix("dh_auto_"),) if name != "dh" else _sequence(line, command, setting.files)
    if system is None or not steps:
        return None

    def read(inner: Setting) -> Reading:
        return Reading(tuple(_scripts(command, line, system, steps, source, inner)))

    words = tuple(word.pieces for word in command.argv)
    env = tuple((n, v.pieces) for n, v in sorted(command.env.items()))
    return Entered(command.span.path, (NAME, command.span, words, env, source, steps), read)


@dataclass(frozen=True)
class _Line:
    system: str | None = None
    source: Traced | None = None
    build: Traced | None = None
    operands: tuple[Word, ...] = ()
    rest: tuple[Word, ...] = ()
    """What stands behind `--`: it goes on to the build system."""


def _line(argv: Sequence[Word]) -> _Line:
    given: dict[str, Traced] = {}
    operands: list[Word] = []
    rest = list(argv)
    while rest:
        one = rest.pop(0)
        if one.text == "--":
            break
        name, equals, _ = one.text.partition("=")
        short = one.text[:2]
        if equals and name in _VALUED:
            given[_VALUED[name]] = one.cut(len(name) + 1, len(one))
        elif one.text in _VALUED and rest:
            given[_VALUED[one.text]] = rest.pop(0)
        elif short in _VALUED and len(one.text) > 2:
            given[_VALUED[short]] = one.cut(2, len(one))
        elif not one.text.startswith("-"):
            operands.append(one)
    system = given.get("system")
    named = system.text.partition("+")[0] if system is not None and system.known else None
    if system is not None and named not in _SYSTEMS:
        named = ""
    return _Line(named, given.get("source"), given.get("build"), tuple(operands), tuple(rest))


def _told_dh(command: Command, files: Files) -> str | None:
    """The build system that the makefile's `dh` is told: it hands its options to the steps (DH_INTERNAL_OPTIONS)."""
    source = files.read(command.span.path) if command.span.path.endswith("debian/rules") else None
    found = _DH.search(source.text) if source is not None else None
    return _SYSTEMS.get(found[1].partition("+")[0], "") if found is not None else None


def _system(folder: str, files: Files) -> str | None:
    return next((system for name, system in _FOUND if files.read(joined(folder, name)) is not None), None)


def _sequence(line: _Line, command: Command, files: Files) -> tuple[str, ...]:
    """The steps of a call of `dh` that no target of the makefile overrides."""
    if line.system == "":
        return ()
    if line.operands and line.operands[0].text == "clean":
        return ()
    source = files.read(command.span.path)
    overridden = set(_OVERRIDDEN.findall(source.text)) if source is not None else set()
    return tuple(step for step in _OF_DH if step not in overridden)


def _scripts(
    command: Command, line: _Line, system: str, steps: Sequence[str], source: str, setting: Setting
) -> Iterator[Script]:
    for platform in setting.platforms:
        triple = _TRIPLES.get(platform, "x86_64-linux-gnu")
        usual = joined(source, f"obj-{triple}") if system in ("cmake", "meson") else source
        where = (resolved(line.build, command.directory) if line.build is not None else None) or usual
        env = _environment(command)
        for step in steps:
            for words in _commands(system, step, triple, where, source):
                argv = _placed(words, line.rest, command)
                yield Script(
                    command.place,
                    Dialect.ARGV,
                    argv=argv,
                    env=env,
                    platforms=frozenset({platform}),
                    directory=where,
                )


_REST = "\0rest"
"""Where the words behind `--` go."""
_JOBS = "\0jobs"


def _commands(system: str, step: str, triple: str, where: str, source: str) -> Iterator[list[str]]:
    up = "." if where == source else ".."
    if system == "cmake":
        if step == "configure":
            library = f"-DCMAKE_INSTALL_LIBDIR=lib/{triple}"
            yield ["cmake", *_CMAKE, "-GUnix Makefiles", "-DCMAKE_VERBOSE_MAKEFILE=ON", library, _REST, up]
        elif step == "build":
            yield ["make", _JOBS, "INSTALL=install --strip-program=true", "VERBOSE=1", _REST]
        elif step == "test":
            yield ["make", _JOBS, "test", "ARGS+=--verbose", _REST]
        else:
            yield ["make", _JOBS, "install", "DESTDIR=debian/tmp", "AM_UPDATE_INFO_DIR=no", _REST]
    elif system == "meson":
        if step == "configure":
            yield ["meson", "setup", up, *_MESON, f"--libdir=lib/{triple}", _REST]
        elif step == "build":
            yield ["ninja", _JOBS, "-v", _REST]
        elif step == "test":
            yield ["meson", "test", "--verbose", _REST]
        else:
            yield ["ninja", "install", _REST]
    elif step == "configure":
        if system == "autoconf":
            library = f"--libdir=${{prefix}}/lib/{triple}"
            yield ["./configure", f"--build={triple}", *_CONFIGURE, library, *_CONFIGURE_MORE, _REST]
    elif step == "build":
        tools = [] if system == "autoconf" else ["INSTALL=install --strip-program=true"]
        yield ["make", _JOBS, *tools, _REST]
    elif step == "test":
        yield ["make", _JOBS, "check" if system == "autoconf" else "test", _REST]
    else:
        yield ["make", _JOBS, "install", "DESTDIR=debian/tmp", "AM_UPDATE_INFO_DIR=no", _REST]


def _placed(words: Sequence[str], rest: Sequence[Word], command: Command) -> tuple[Word, ...]:
    """The words, those that no file says where the call of debhelper stands."""
    from flagguard.hosts.pipelines import outside

    argv: list[Word] = []
    for said in words:
        if said == _REST:
            argv += rest
            continue
        text = literal(said, command.span)
        if said == _JOBS:
            jobs = outside("jobs", "N", "the builder's machine decides it", Shape.NUMBER)
            text = literal("-j", command.span) + jobs
        argv.append(Word(text.grounded((command.span,)).pieces, command.span))
    return tuple(argv)


def _environment(command: Command) -> tuple[Variable, ...]:
    """The flags of dpkg-buildflags, with what the maintainer adds; what is set already stays (debhelper(7))."""
    values = dict(command.env)
    options = values.get("DEB_BUILD_MAINT_OPTIONS", EMPTY)
    known = flags(options.text) if options.known else {}
    for name in NAMES:
        if name in values:
            continue
        open_ends = hole(Hole(f"${name}", "DEB_BUILD_MAINT_OPTIONS decides it", Decider.REPOSITORY, several=True))
        parts = [literal(known[name]).overridable() if known else open_ends]
        if f"DEB_{name}_MAINT_SET" in values:
            parts = [values[f"DEB_{name}_MAINT_SET"]]
        strip = values.get(f"DEB_{name}_MAINT_STRIP", EMPTY).text.split()
        if strip:
            parts = [literal(" ".join(w for w in parts[0].text.split() if w not in strip)).overridable()]
        before, after = values.get(f"DEB_{name}_MAINT_PREPEND"), values.get(f"DEB_{name}_MAINT_APPEND")
        parts = [*([before, literal(" ")] if before else []), *parts, *([literal(" "), after] if after else [])]
        values[name] = join(parts)
    return tuple(Variable(name, value) for name, value in values.items())
