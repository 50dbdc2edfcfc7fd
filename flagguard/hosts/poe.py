"""poethepoet's tasks: `[tool.poe]` in pyproject.toml, and poe_tasks.toml, .yaml, .yml, .json.

Which files they are; what they say is read in ``poe_tasks``.
"""

from flagguard.command import Reading
from flagguard.hosts import Setting
from flagguard.text import SourceText

NAME = "poe"

_FILES = ("pyproject.toml", "poe_tasks.toml", "poe_tasks.yaml", "poe_tasks.yml", "poe_tasks.json")


def claims(path: str, head: bytes) -> bool:
    del head
    return path.rpartition("/")[2] in _FILES


def read(source: SourceText, setting: Setting) -> Reading:
    from flagguard.hosts import poe_tasks  # only where there is such a file

    return poe_tasks.read(source, setting)
