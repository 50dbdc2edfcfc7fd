"""What a project and its toolchain file have set when the first `project()` looks for it.

`CMAKE_OSX_DEPLOYMENT_TARGET` counts as it is then (cmake-variables(7)): a command that configures is given it by the
files of the tree as well as by `-D`. What `project()` itself sets, CMAKE_SYSTEM_NAME and its kin, is not there before.
"""

from flagguard.command import Command, Word
from flagguard.hosts import Folded, Setting
from flagguard.hosts.cmake_call import called, line_of
from flagguard.hosts.cmake_lexer import Invocation
from flagguard.hosts.cmake_run import Flow, Run
from flagguard.text import Traced, join, literal
from flagguard.values import replace

_TARGET = "CMAKE_OSX_DEPLOYMENT_TARGET"
_LATER = frozenset({"CMAKE_SYSTEM_NAME", "CMAKE_SYSTEM_PROCESSOR"})


def completed(command: Command, setting: Setting, folded: Folded | None) -> Folded | None:
    """The command, or what presets made of it, with the deployment target that the project's files say on macOS."""
    if not any(p.startswith("macos-") for p in command.platforms or setting.platforms):
        return folded
    if ":" in command.argv[0].text or any(name == _TARGET for name, _ in line_of(command.argv[1:]).definitions):
        return folded
    found: list[Command] = []
    for one in folded.commands if folded is not None else (command,):
        by_value: dict[Traced | None, list[str]] = {}
        for platform in one.platforms or setting.platforms:
            value = _value(one, replace(setting, platforms=(platform,))) if platform.startswith("macos-") else None
            by_value.setdefault(value, []).append(platform)
        for value, platforms in by_value.items():
            more = () if value is None else (Word(join([literal(f"-D{_TARGET}="), value]).pieces),)
            found.append(replace(one, brought=(*one.brought, *more), platforms=tuple(platforms)))
    if not any(one.brought for one in found):
        return folded
    return Folded(tuple(found), folded.parts if folded is not None else ())


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
