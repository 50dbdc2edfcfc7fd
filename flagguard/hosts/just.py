"""just's files: `justfile`, `.justfile` in any case, and `*.just`; and how a command starts their recipes.

What they say is read in ``just_reading``. https://just.systems/man/en/
"""

from typing import TYPE_CHECKING

from flagguard.command import Command, Reading
from flagguard.hosts import Entered, Setting
from flagguard.paths import resolved
from flagguard.text import SourceText

if TYPE_CHECKING:
    from flagguard.hosts.just_call import CommandLine

NAME = "just"


def claims(path: str, head: bytes) -> bool:
    del head
    name = path.rpartition("/")[2].lower()
    return name in ("justfile", ".justfile") or name.endswith(".just")


def read(source: SourceText, setting: Setting) -> Reading:
    from flagguard.hosts import just_reading  # only where there is such a file

    return just_reading.read(source, setting)


def enter(command: Command, setting: Setting) -> Entered | None:
    """``just RECIPE ARGUMENTS``: the recipes with what they depend on, as called."""
    from flagguard.hosts import just_call, just_reading

    line = just_call.read(command.argv[1:])
    if line is None or command.directory is None:
        return None
    directory: str | None = command.directory
    source = None
    if line.justfile is not None:
        path = resolved(line.justfile, directory)
        source = setting.files.read(path) if path is not None else None
    else:
        start = resolved(line.search, directory) if line.search is not None else directory
        source = _found(start, line, setting) if start is not None else None
    if source is None or source.path.lower().endswith(".md"):
        return None
    folder = resolved(line.working_directory, directory) if line.working_directory is not None else None
    called = just_call.Called(line, dict(command.env), directory, folder)
    key = ("just", source.path, called.values)
    found = source
    return Entered(source.path, key, lambda inner: just_reading.read(found, inner, called))


def _found(directory: str, line: "CommandLine", setting: Setting) -> SourceText | None:
    """The justfile of the folder or of the nearest one above; further up where it says `set fallback`."""
    from flagguard.hosts.just_invocation import invocations
    from flagguard.hosts.just_modules import Loader, justfile_in

    while True:
        source = justfile_in(directory, setting.files)
        if source is not None:
            loader = Loader(setting.files, (setting.platforms or ("linux-x86_64",))[0])
            root = loader.root(source)
            if root is None or line.command or not root.on("fallback") or invocations(root, line.words) is not None:
                return source
        if not directory:
            return None
        directory = directory.rpartition("/")[0]
