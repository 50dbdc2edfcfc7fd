"""CMake's files: `CMakeLists.txt`, `*.cmake` and presets; and how a command configures with them.

What they say is read in `cmake_reading` and `cmake_presets`.
"""

from flagguard.command import Command, Reading
from flagguard.hosts import Entered, Folded, Setting
from flagguard.text import SourceText

NAME = "cmake"

_PRESETS = ("CMakePresets.json", "CMakeUserPresets.json")
# Made by CMake itself when it configures.
_MADE = ("cmake_install.cmake", "CTestTestfile.cmake", "CPackConfig.cmake", "CPackSourceConfig.cmake")


def claims(path: str, head: bytes) -> bool:
    del head
    name = path.rpartition("/")[2]
    return name == "CMakeLists.txt" or name in _PRESETS or (name.endswith(".cmake") and name not in _MADE)


def read(source: SourceText, setting: Setting) -> Reading:
    if source.path.endswith(".json"):
        from flagguard.hosts import cmake_presets

        return cmake_presets.read(source, setting)
    from flagguard.hosts import cmake_reading  # only where there is such a file

    return cmake_reading.read(source, setting)


def fold(command: Command, setting: Setting) -> "Folded | None":
    """What presets add to the words of a call of cmake and to its environment, and what the project's files set."""
    from flagguard.hosts import cmake_beginning, cmake_presets

    return cmake_beginning.completed(command, setting, cmake_presets.fold(command, setting))


def enter(command: Command, setting: Setting) -> Entered | None:
    """``cmake -S … -B …``: the `CMakeLists.txt` of the source folder, with the values of the command line."""
    from flagguard.hosts import cmake_call, cmake_reading

    if ":" in command.argv[0].text.rpartition("/")[2]:  # a call of CMake's own language
        return None
    called = cmake_call.called(command, setting)
    if called is None:
        return None
    return Entered(called.path, called.key, lambda inner: cmake_reading.evaluate(called.path, inner, called))
