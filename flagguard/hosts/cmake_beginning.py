"""What a project and its toolchain file have set when the first `project()` looks for it.

`CMAKE_OSX_DEPLOYMENT_TARGET` counts as it is then (cmake-variables(7)): a command that configures is given it by the
files of the tree as well as by `-D`; so it is with the flags of a toolchain file, `CMAKE_<LANG>_FLAGS_INIT` and its kin
(cmake-toolchains(7)). What `project()` itself sets, CMAKE_SYSTEM_NAME and its kin, is not there before.
"""

from collections.abc import Iterator

from flagguard.command import Command, Word
from flagguard.hosts import Folded, Setting
from flagguard.hosts.cmake_call import called, line_of
from flagguard.hosts.cmake_lexer import Invocation
from flagguard.hosts.cmake_platform import LANGUAGES
from flagguard.hosts.cmake_run import Flow, Run
from flagguard.patterns import expression
from flagguard.text import Traced, join, literal
from flagguard.values import replace

_TARGET = "CMAKE_OSX_DEPLOYMENT_TARGET"
_TOOLCHAIN = "CMAKE_TOOLCHAIN_FILE"
_FLAGS = expression(rf"CMAKE_(?:{LANGUAGES})_FLAGS(?:_[A-Z]+)?(?:_INIT)?")
_LATER = frozenset({"CMAKE_SYSTEM_NAME", "CMAKE_SYSTEM_PROCESSOR"})


def completed(command: Command, setting: Setting, folded: Folded | None) -> Folded | None:
    """The command, or what presets made of it, with what the project's files and its toolchain file say."""
    if ":" in command.argv[0].text:
        return folded
    found: list[Command] = []
    for one in folded.commands if folded is not None else (command,):
        by_words: dict[tuple[Traced, ...], list[str]] = {}
        for platform in one.platforms or setting.platforms:
            words = tuple(_words(one, replace(setting, platforms=(platform,))))
            by_words.setdefault(words, []).append(platform)
        for words, platforms in by_words.items():
            more = [Word(word.pieces) for word in words]
            found.append(replace(one, brought=(*one.brought, *more), platforms=tuple(platforms)))
    if not any(one.brought for one in found):
        return folded
    return Folded(tuple(found), folded.parts if folded is not None else ())


def _words(command: Command, setting: Setting) -> Iterator[Traced]:
    """What the files add to the command line, on one platform."""
    line = line_of(command.argv[1:])
    given = {name for name, _ in line.definitions}
    if setting.platforms[0].startswith("macos-") and _TARGET not in given:
        value = _value(command, setting)
        if value is not None:
            yield join([literal(f"-D{_TARGET}="), value])
    asked = line.toolchain is not None or line.preset is not None or _TOOLCHAIN in given or _TOOLCHAIN in command.env
    for name, value in _of_toolchain(command, setting) if asked else ():
        if name not in given:
            yield join([literal(f"-D{name}="), value])


def _of_toolchain(command: Command, setting: Setting) -> Iterator[tuple[str, Traced]]:
    """The flags that the toolchain file sets."""
    how = called(command, setting, absent=True)
    if how is None or how.toolchain is None:
        return
    from flagguard.hosts.cmake_reading import configured

    run = Run(setting.files, setting.platforms[0], setting.assume, whole=True)
    run.closed = not how.unsure
    before = dict(how.definitions)
    configured(run, how)
    for name in sorted({*run.state.cache, *(name for scope in run.state.scopes for name in scope)}):
        held = (run.state.normal(name) or run.state.cache.get(name)) if _FLAGS.fullmatch(name) else None
        if held is not None and held.text is not None and name not in before:
            yield name, held.text


def _value(command: Command, setting: Setting) -> Traced | None:
    """What the files set it to; None: they leave it as it was."""
    how = called(command, setting, absent=True)
    spoken = [p for p in setting.files.paths() if p.endswith((".cmake", "CMakeLists.txt"))]
    if how is None or not any(_TARGET in s.text for p in spoken if (s := setting.files.read(p)) is not None):
        return None
    from flagguard.hosts.cmake_reading import configured

    run = _Beginning(setting.files, setting.platforms[0], setting.assume, whole=True)
    run.closed = not how.unsure
    configured(run, how)
    source = setting.files.read(how.path)
    if source is None:
        run.begin()
    else:
        run.directory(source)
    given = dict(how.definitions).get(_TARGET)
    return None if run.target is None or (given is not None and run.target.pieces == given.pieces) else run.target


class _Beginning(Run):
    """A run that ends at the first `project()`."""

    target: Traced | None = None

    def lookup(self, name: str) -> tuple[Traced | None, bool]:
        if name in _LATER and self.state.get(name) is None and name not in self.assume:
            return None, False
        return super().lookup(name)

    def _command(self, invocation: Invocation) -> Flow:
        if invocation.name != "project":
            return super()._command(invocation)
        self.begin()
        return Flow.STOP

    def begin(self) -> None:
        held = self.state.get(_TARGET)
        if held is not None and held.text is not None and held.text.text:
            self.target = held.text
