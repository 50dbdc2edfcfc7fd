"""Build scripts in Python: setup.py, noxfile.py, tasks.py, fabfile.py, dodo.py, those of SCons and waf, and scripts
that start programs.

What they say is read in `python_reading`.
"""

from typing import TYPE_CHECKING

from flagguard.command import Reading
from flagguard.hosts import Setting
from flagguard.patterns import expression
from flagguard.text import SourceText

if TYPE_CHECKING:
    from flagguard.hosts.python_world import Called

NAME = "python"

_READ = frozenset("dodo.py SConstruct SConscript SCsub wscript".split())
"""Names of scripts that are read whatever they speak of."""
_NAMES = _READ | frozenset("setup.py noxfile.py tasks.py fabfile.py".split())
_FOLDERS = expression(r"(?:[^/]+|(?:.*/)?(?:scripts?|tools?|ci|\.ci|build[^/]*|_?build_?support|tasks|dev)/[^/]+)\.py")
_HEAD = expression(rb"llvmlite|create_target_machine|\b(?:setuptools|distutils)\b")
"""What the first bytes of any other file must speak of."""
_SPEAKS = expression(
    r"\b(?:setuptools|distutils|skbuild|invoke|fabric|nox|subprocess|llvmlite)\b|\bos\.(?:system|popen|exec|spawn)|"
    r"create_target_machine|extra_compile_args|create_subprocess_|FLAGS\b|\b(?:c|cxx|link)flags\b|exec_command|Execute\("
)


_CARRIES = expression(r"create_target_machine|\bExtension\(|extra_compile_args|extra_link_args")
"""What any other file is read for."""


def claims(path: str, head: bytes) -> bool:
    if path.rpartition("/")[2] in _NAMES:
        return True
    if not path.endswith(".py"):
        return False
    if _FOLDERS.fullmatch(path) is not None:
        return True
    return _HEAD.search(head) is not None


def read(source: SourceText, setting: Setting, called: "Called | None" = None) -> Reading:
    script = source.path.rpartition("/")[2] in _NAMES or _FOLDERS.fullmatch(source.path) is not None
    read_anyway = source.path.rpartition("/")[2] in _READ
    if not read_anyway and (_SPEAKS if script else _CARRIES).search(source.text) is None:
        return Reading()
    from flagguard.hosts import python_reading  # only where there is such a file

    found: Reading = python_reading.read(source, setting, called)
    return found
