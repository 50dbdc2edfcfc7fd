"""poethepoet's tasks: `[tool.poe]` in pyproject.toml, and poe_tasks.toml, .yaml, .yml, .json.

Which files they are; what they say is read in ``poe_tasks``.
"""

from flagguard.command import Command, Reading, Variable
from flagguard.hosts import Entered, Setting
from flagguard.paths import resolved
from flagguard.text import SourceText

NAME = "poe"

FILES = ("pyproject.toml", "poe_tasks.toml", "poe_tasks.yaml", "poe_tasks.yml", "poe_tasks.json")


def claims(path: str, head: bytes) -> bool:
    del head
    return path.rpartition("/")[2] in FILES


def read(source: SourceText, setting: Setting) -> Reading:
    from flagguard.hosts import poe_tasks  # only where there is such a file

    return poe_tasks.read(source, setting)


def enter(command: Command, setting: Setting) -> Entered | None:
    """``poe NAME …``: the task, with the arguments and the environment of the call."""
    from flagguard.hosts import poe_call, poe_tasks

    line = poe_call.read(command.argv[1:])
    if line is None:
        return None
    directory = command.directory if line.folder is None else resolved(line.folder, command.directory)
    source = _project(directory, setting) if directory is not None else None
    if source is None:
        return None
    variables = tuple(Variable(name, value) for name, value in command.env.items())
    # a reference has no word for `poe`
    within = command.place.host == NAME and command.argv[0].written is None
    called = poe_call.Called(line.task, line.words, variables, within)
    values = tuple((v.name, v.value.pieces) for v in sorted(variables, key=lambda v: v.name))
    key = ("poe", source.path, line.task, within, tuple(w.pieces for w in line.words), values)
    return Entered(source.path, key, lambda inner: poe_tasks.read(source, inner, called))


def _project(directory: str, setting: Setting) -> SourceText | None:
    """The file with the tasks, in the folder or the nearest one above."""
    while True:
        for name in FILES:
            source = setting.files.read(f"{directory}/{name}".lstrip("/"))
            if source is not None and (name != "pyproject.toml" or "tool.poe" in source.text):
                return source
        if not directory:
            return None
        directory = directory.rpartition("/")[0]
