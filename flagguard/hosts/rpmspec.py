"""RPM spec files: the build and the runtime scriptlets as scripts.

Follows rpm-spec(5) and "Fedora Packaging Guidelines: RPM macros"; `rpm_macros` is the macro processor, `rpm_lines`
reads a file in one world. Its shell is bash on the distributions that use rpm. What a distribution decides is followed
both ways; what `--with` and `--without` ask for is opt-in.
"""

import posixpath
from collections.abc import Iterator, Mapping
from posixpath import dirname

from flagguard.command import Dialect, Reading, Script
from flagguard.hosts import Setting
from flagguard.hosts.packaging import merged
from flagguard.hosts.pipelines import Frame, Notes, Shell, guarded, of_systems, outside
from flagguard.hosts.rpm_lines import BUILDS, Reader, Section, World
from flagguard.hosts.rpm_macros import Macro, TooMuch, known
from flagguard.hosts.shells import SHELLS
from flagguard.patterns import expression
from flagguard.text import EMPTY, Shape, SourceText, Traced, literal
from flagguard.values import replace

NAME = "rpmspec"

_MOST_WORLDS = 24
_FLAGS = {
    # redhat-rpm-config, "Using RPM build flags": these are set while the package is built
    "CFLAGS": "build_cflags",
    "CXXFLAGS": "build_cxxflags",
    "FFLAGS": "build_fflags",
    "FCFLAGS": "build_fflags",
    "LDFLAGS": "build_ldflags",
    "RPM_OPT_FLAGS": "optflags",
    "RPM_LD_FLAGS": "build_ldflags",
}
_SHELL = Shell(Dialect.BASH)
_PROGRAM = expression(r"(?:^|\s)-p[ \t]*(<lua>|\S+)")
_SUBPACKAGE = expression(r"(?:^|\s)-n[ \t]+(\S+)|(?:^|\s)(?!-)(\S+)")


def read(source: SourceText, setting: Setting) -> Reading:
    if not _is_spec(source.text):
        return Reading()  # RSpec, PyInstaller and others have files of that name
    notes = Notes(setting)
    notes.keep(source)
    found = guarded(notes, source.path, lambda: merged(_scripts(source, notes)))
    return Reading(found, problems=notes.all())


_MARK = expression(r"(?mi)^(?:Name[ \t]*:|Version[ \t]*:|Summary[ \t]*:|%(?:build|install|prep|package|description)\b)")


def _is_spec(text: str) -> bool:
    return len({found[0].lower() for found in _MARK.finditer(text)}) > 1


def _scripts(source: SourceText, notes: Notes) -> Iterator[Script]:
    doubtful: set[int] = set()
    arrived: set[int] = set()
    cut = False
    for platform in sorted(of_systems(notes.setting, "linux")):
        macros = dict(known(platform))
        macros |= {name: Macro(literal(value)) for name, value in notes.setting.assume.items()}
        waiting: list[tuple[bool, ...]] = [()]
        for _ in range(_MOST_WORLDS):
            if not waiting:
                break
            world = World(waiting.pop(0))
            runs: list[tuple[str, Traced]] = []
            reader = _reader(source, macros, platform, world, runs, notes)
            try:
                sections = [*reader.sections()]
            except TooMuch:
                notes.tell(source.traced(0, 1).route[0], "its macros come to more than is followed", fatal=True)
                return
            answers = list(world.answers.values())
            for index in range(len(world.forced), len(answers)):
                waiting.append((*answers[:index], not answers[index]))
            arrived |= reader.arrived
            doubtful |= reader.doubtful
            if reader.fits:
                yield from _of_world(sections, runs, reader, platform)
        cut = cut or bool(waiting)
    if cut:
        for at in sorted(doubtful - arrived):
            told = "too many conditions of the distribution's: this arm was followed in no combination of them"
            notes.tell(source.traced(at, at + 1).route[0], told, fatal=True)


def _reader(
    source: SourceText,
    macros: Mapping[str, Macro],
    platform: str,
    world: World,
    runs: list[tuple[str, Traced]],
    notes: Notes,
) -> Reader:
    names = {macros[name].body.text for name in ("_target_cpu", "_arch") if name in macros}
    names |= {platform.partition("-")[2]}
    return Reader(
        source,
        macros,
        frozenset(names),
        world,
        lambda language, text: runs.append((language, text)),
        notes.source,
        lambda text, told: notes.tell(text.route[0] if text.route else source.traced(0, 1).route[0], told, fatal=True),
    )


def _of_world(
    sections: list[Section], runs: list[tuple[str, Traced]], reader: Reader, platform: str
) -> Iterator[Script]:
    expand = reader.expander.expand
    name = reader.expander.macros.get("name", Macro(EMPTY)).body
    package = expand(name).shown
    frame = Frame(
        NAME,
        job=package or None,
        platforms=frozenset({platform}),
        shell=_SHELL,
        when=reader.world.when,
        opt_in=reader.world.opt_in,
        directory=None,
    )
    for section in sections:
        if section.name in BUILDS:
            given = _environment(reader, platform)
            body = section.body
            shell = replace(_SHELL, errexit=True)
            if body.text.strip():
                yield (
                    replace(frame, order=(BUILDS.index(section.name),))
                    .with_values(given)
                    .script(f"%{section.name}", body, shell)
                )
        elif section.name not in ("", "package", "description", "files", "changelog", "sourcelist", "patchlist"):
            yield from _scriptlet(section, frame, package)
    seen: set[object] = set()
    for language, text in runs:
        if text.pieces in seen or not text.route:
            continue
        seen.add(text.pieces)
        if language == "sh":
            yield frame.script("%( )", text, Shell(Dialect.SH))
        else:
            yield frame.script("%{lua: }", text, Shell(Dialect.UNREAD, language="lua"))


def _scriptlet(section: Section, frame: Frame, package: str) -> Iterator[Script]:
    """A scriptlet of the installed package: by `/bin/sh`, or the program that `-p` names."""
    said = section.arguments.text
    program = _PROGRAM.search(said)
    rest = said[: program.start()] + said[program.end() :] if program is not None else said
    sub = _SUBPACKAGE.search(rest.partition(" -- ")[0])
    if sub is not None:
        frame = replace(frame, job=sub[1] or f"{package}-{sub[2]}")
    body, shell = section.body, _SHELL
    if program is not None:
        interpreter = section.arguments.cut(*program.span(1))
        word = posixpath.basename(interpreter.text)
        if word in SHELLS:
            shell = Shell(SHELLS[word], language=word)
        elif not body.text.strip():
            body = interpreter  # `%post -p /sbin/ldconfig`
        else:
            shell = Shell(Dialect.UNREAD, language=word.strip("<>"))
    if body.text.strip():
        yield frame.script(f"%{section.name}", body, shell)


def _environment(reader: Reader, platform: str) -> dict[str, Traced]:
    expand = reader.expander.expand
    macros = reader.expander.macros

    def of(name: str) -> Traced:
        return expand(macros[name].body) if name in macros else EMPTY

    folder = dirname(reader.source.path)
    found = {variable: of(name).overridable() for variable, name in _FLAGS.items()}
    found |= {
        "RPM_ARCH": of("_arch"),
        "RPM_OS": literal("linux"),
        "RPM_PACKAGE_NAME": of("name"),
        "RPM_PACKAGE_VERSION": of("version"),
        "RPM_PACKAGE_RELEASE": of("release"),
        "RPM_BUILD_NCPUS": outside(
            "RPM_BUILD_NCPUS", "$RPM_BUILD_NCPUS", "the builder's machine decides it", Shape.NUMBER
        ),
        "RPM_BUILD_ROOT": outside("RPM_BUILD_ROOT", "$RPM_BUILD_ROOT", "rpmbuild makes it", Shape.PATH),
        "RPM_BUILD_DIR": outside("RPM_BUILD_DIR", "$RPM_BUILD_DIR", "rpmbuild makes it", Shape.PATH),
        "RPM_SOURCE_DIR": outside("RPM_SOURCE_DIR", "$RPM_SOURCE_DIR", "where the sources are", Shape.PATH, folder),
    }
    return {name: text for name, text in found.items() if text}
