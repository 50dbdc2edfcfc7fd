"""vcpkg's ports: what the functions of a `portfile.cmake` run.

Follows https://learn.microsoft.com/vcpkg/maintainers/functions/ (vcpkg_cmake_configure, vcpkg_configure_make,
vcpkg_configure_meson, vcpkg_execute_required_process…) and "Variables" for what a triplet sets. A port is configured
for release and for debug.
"""

from collections.abc import Callable, Sequence

from flagguard.command import Dialect, Script, Word
from flagguard.hosts.cmake_lexer import Argument, Invocation
from flagguard.hosts.cmake_programs import sections
from flagguard.hosts.cmake_run import Run
from flagguard.hosts.cmake_state import Definition
from flagguard.text import Decider, Hole, Piece, Shape, Span, Traced, hole, literal

_KEYWORDS = frozenset(
    "SOURCE_PATH OPTIONS OPTIONS_RELEASE OPTIONS_DEBUG GENERATOR LOGFILE_BASE MAYBE_UNUSED_VARIABLES COMMAND "
    "WORKING_DIRECTORY LOGNAME TIMEOUT OUTPUT_VARIABLE SAVE_LOG_FILES PROJECT_SUBPATH TARGET TARGETS LANGUAGES "
    "CONFIGURE_ENVIRONMENT_VARIABLES ADDITIONAL_BINARIES MAKE_OPTIONS BUILD_TARGET INSTALL_TARGET "
    "OUT_SOURCE_PATH OUT_FEATURE_OPTIONS FEATURES INVERTED_FEATURES REPO REF SHA512 HEAD_REF PATCHES".split()
)
_SWITCHES = frozenset(
    "PREFER_NINJA DISABLE_PARALLEL_CONFIGURE NO_CHARSET_FLAG WINDOWS_USE_MSBUILD AUTOCONFIG COPY_SOURCE "
    "NO_ADDITIONAL_PATHS DETERMINE_BUILD_TRIPLET USE_WRAPPERS ALLOW_IN_DOWNLOAD_MODE NO_PARALLEL_CONFIGURE".split()
)
_ARCHITECTURES = {"x86_64": "x64", "i686": "x86", "aarch64": "arm64", "arm64": "arm64", "armv7l": "arm"}
_SYSTEMS = {"linux": "LINUX", "macos": "OSX", "windows": "WINDOWS", "freebsd": "FREEBSD"}
_TARGETS = "WINDOWS UWP MINGW XBOX LINUX OSX IOS ANDROID FREEBSD OPENBSD SOLARIS EMSCRIPTEN".split()
_OPEN = (
    "VCPKG_LIBRARY_LINKAGE",
    "VCPKG_CRT_LINKAGE",
    "VCPKG_BUILD_TYPE",
    "FEATURES",
    "VCPKG_DETECTED_CMAKE_C_COMPILER",
)
_PATHS = (
    *("CURRENT_BUILDTREES_DIR", "CURRENT_PACKAGES_DIR", "CURRENT_INSTALLED_DIR", "CURRENT_HOST_INSTALLED_DIR"),
    *("VCPKG_ROOT_DIR", "DOWNLOADS", "SOURCE_PATH"),
)


def begin(run: Run) -> None:
    """What is set when a port is built (Variables)."""
    system, _, machine = run.platform.name.partition("-")
    run.notes.asked_platform = True
    said = {f"VCPKG_TARGET_IS_{name}": "" for name in _TARGETS}
    said[f"VCPKG_TARGET_IS_{_SYSTEMS.get(system, 'LINUX')}"] = "1"
    said["VCPKG_TARGET_ARCHITECTURE"] = _ARCHITECTURES.get(machine, machine)
    said |= {name.replace("TARGET", "HOST", 1): value for name, value in said.items()}
    for name, value in said.items():
        run.state.set(name, Definition(literal(value)))
    for name in (*_OPEN, *_PATHS):
        shape = Shape.PATH if name in _PATHS else Shape.ANY
        gap = Hole(f"${{{name}}}", "vcpkg sets it", Decider.OUTSIDE, shape, name=name)
        run.state.set(name, Definition(hole(gap)))


def _words(run: Run, invocation: Invocation, *keywords: str) -> list[Word]:
    """The words behind the keywords, in the order of the file."""
    found: list[Word] = []
    for section in sections(invocation.arguments, _KEYWORDS | _SWITCHES):
        if section.keyword in keywords:
            found += run.words([*section])
    return found


def _emit(run: Run, words: Sequence[Word], invocation: Invocation) -> None:
    span = Span(run.source.path, invocation.start, invocation.start + len(invocation.name))
    placed = [w if w.written is not None else Word(w.grounded((span,)).pieces, span) for w in words]
    script = Script(
        run.place(None),
        Dialect.ARGV,
        argv=tuple(placed),
        when=tuple(dict.fromkeys(run.when)),
        opt_in=run.opt_in,
        unit=run.unit,
        directory=None,
        knows_arguments=True,
    )
    run.notes.scripts.append(script)


def _said(text: str) -> Word:
    return Word((Piece(text),))


def _configured(program: Sequence[str], source_first: bool) -> Callable[[Run, Invocation], None]:
    """A function that configures: its program, the source and the options, for release and for debug."""

    def configure(run: Run, invocation: Invocation) -> None:
        source = _words(run, invocation, "SOURCE_PATH")[:1]
        made: list[list[Word]] = []
        for kind in ("OPTIONS_RELEASE", "OPTIONS_DEBUG"):
            options = [*_words(run, invocation, "OPTIONS"), *_words(run, invocation, kind)]
            words = [*map(_said, program), *source, *options] if source_first else [
                *map(_said, program), *options, *source]  # fmt: skip
            if [w.text for w in words] not in [[w.text for w in other] for other in made]:
                made.append(words)
        for words in made:
            _emit(run, words, invocation)

    return configure


def _autotools(run: Run, invocation: Invocation) -> None:
    source = _words(run, invocation, "SOURCE_PATH")[:1]
    start = Traced(source[0].pieces) + literal("/configure") if source else literal("configure")
    for variable in _words(run, invocation, "CONFIGURE_ENVIRONMENT_VARIABLES"):
        del variable  # names of variables that are passed on
    for kind in ("OPTIONS_RELEASE", "OPTIONS_DEBUG"):
        options = [*_words(run, invocation, "OPTIONS"), *_words(run, invocation, kind)]
        _emit(run, [Word(start.pieces), *options], invocation)


def _process(run: Run, invocation: Invocation) -> None:
    words = _words(run, invocation, "COMMAND")
    if words:
        _emit(run, words, invocation)
    _outputs(run, invocation)


def _plain(*program: str) -> Callable[[Run, Invocation], None]:
    def call(run: Run, invocation: Invocation) -> None:
        targets = _words(run, invocation, "TARGET", "TARGETS", "BUILD_TARGET", "OPTIONS", "MAKE_OPTIONS")
        _emit(run, [*map(_said, program), *targets], invocation)

    return call


def _outputs(run: Run, invocation: Invocation) -> None:
    """A variable that the function gives a value."""
    reasons = {
        "OUT_SOURCE_PATH": ("where vcpkg puts the source", Shape.PATH),
        "OUT_FEATURE_OPTIONS": ("the features that are asked for decide it", Shape.ANY),
        "OUTPUT_VARIABLE": ("the output of a command", Shape.ANY),
    }
    for section in sections(invocation.arguments, _KEYWORDS):
        reason = reasons.get(section.keyword)
        for argument in section[:1] if reason is not None else ():
            name = run.text(argument)
            if name.known and reason is not None:
                run.gap(name.text, invocation, *reason)


def _extracted(run: Run, invocation: Invocation) -> None:
    """`vcpkg_extract_source_archive(SOURCE_PATH …)`: the variable may stand first."""
    _outputs(run, invocation)
    arguments: Sequence[Argument] = invocation.arguments[:1]
    for word in run.words(arguments):
        if word.known and word.text not in _KEYWORDS:
            run.gap(word.text, invocation, "where vcpkg puts the source", Shape.PATH)


_CMAKE = _configured(("cmake", "-G", "Ninja"), True)
_MESON = _configured(("meson", "setup"), False)
COMMANDS = {
    "vcpkg_cmake_configure": _CMAKE,
    "vcpkg_configure_cmake": _CMAKE,
    "vcpkg_configure_meson": _MESON,
    "vcpkg_configure_make": _autotools,
    "vcpkg_make_configure": _autotools,
    "vcpkg_configure_qmake": _configured(("qmake",), False),
    "vcpkg_qmake_configure": _configured(("qmake",), False),
    "vcpkg_cmake_build": _plain("cmake", "--build", ".", "--target"),
    "vcpkg_cmake_install": _plain("cmake", "--build", ".", "--target", "install"),
    "vcpkg_install_cmake": _plain("cmake", "--build", ".", "--target", "install"),
    "vcpkg_build_make": _plain("make"),
    "vcpkg_install_make": _plain("make", "install"),
    "vcpkg_make_install": _plain("make", "install"),
    "vcpkg_install_meson": _plain("ninja", "install"),
    "vcpkg_msbuild_install": _plain("msbuild"),
    "vcpkg_install_msbuild": _plain("msbuild"),
    "vcpkg_build_nmake": _plain("nmake"),
    "vcpkg_install_nmake": _plain("nmake", "install"),
    "vcpkg_nmake_install": _plain("nmake", "install"),
    "vcpkg_execute_required_process": _process,
    "vcpkg_execute_build_process": _process,
    "vcpkg_execute_in_download_mode": _process,
    "vcpkg_extract_source_archive": _extracted,
    "vcpkg_extract_source_archive_ex": _outputs,
    "vcpkg_check_features": _outputs,
    "vcpkg_find_acquire_program": _extracted,
    **dict.fromkeys(
        "vcpkg_from_github vcpkg_from_gitlab vcpkg_from_bitbucket vcpkg_from_git vcpkg_from_sourceforge".split(),
        _outputs,
    ),
}
