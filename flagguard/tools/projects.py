"""Projects that compile for the build machine when they are told nothing, told by what is built (data/projects.toml).

Must not know of rules; asks nothing of the project's own files, which may be elsewhere.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flagguard import globs, tables
from flagguard.text import Traced
from flagguard.values import dataclass

if TYPE_CHECKING:
    from flagguard.tools.grammar import Option

_FOLDERS = ("-C", "-S", "--directory")


Has = Callable[[str], Sequence["Option"]]
"""The options that answer to a flag."""


@dataclass(frozen=True)
class Project:
    """A project that a command builds, and what keeps it from tuning itself to the build machine."""

    name: str
    unless: tuple[str, ...]
    """Flags and, written `NAME=`, variables."""
    still: tuple[str, ...] = ()
    """Values of the variables with which it is tuned all the same, `ARCH=native`."""

    def given(self, has: Has, environment: Mapping[str, Traced]) -> bool:
        """Whether the command, or its environment, keeps it from that."""
        return any(self._keeps(flag, has, environment) for flag in self.unless)

    def _keeps(self, flag: str, has: Has, environment: Mapping[str, Traced]) -> bool:
        said = has(flag)
        value = said[-1].value if said else environment.get(flag.removesuffix("="))
        if value is None:
            return bool(said)
        variable = flag.endswith("=") and not flag.startswith("-")
        return not value.known or (f"{flag}{value.text}" not in self.still and not (variable and not value.text))


def projects(program: str, folder: str | None, operands: Sequence[str], has: Has) -> tuple[Project, ...]:
    """The projects that the command may build, as far as its words and the ``folder`` that it runs in tell."""
    names: list[str] | None = None
    found = []
    for name, own in tables.table("data/projects.toml").items():
        if program not in own["programs"].split():
            continue
        if names is None:
            names = _folders(program, folder, operands, has)
        if _speaks_of(own, names, operands):
            found.append(Project(name, tuple(own["unless"]), tuple(own.get("still", ()))))
    return tuple(found)


def _folders(program: str, folder: str | None, operands: Sequence[str], has: Has) -> list[str]:
    """The last names of the folders that may be the project's."""
    found = [folder or "", *(operands if program == "cmake" else ())]
    for flag in _FOLDERS:
        found += [o.value.text for o in has(flag) if o.value is not None and o.value.known]
    parts = [path.rstrip("/").split("/") for path in found]
    return [name for p in parts for name in p[-2:] if name not in ("", ".", "..")]


def _speaks_of(own: Mapping[str, Any], folders: Sequence[str], operands: Sequence[str]) -> bool:
    if "folder" in own:
        return any(globs.matches(own["folder"], name) for name in folders)
    return any(globs.matches(own["operand"], operand.lower()) for operand in operands)
