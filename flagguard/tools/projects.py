"""Projects that compile for the build machine when they are told nothing, told by what is built (data/projects.toml).

Must not know of rules; asks nothing of the project's own files, which may be elsewhere.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flagguard import globs, tables

if TYPE_CHECKING:
    from flagguard.tools.grammar import Option

_FOLDERS = ("-C", "-S", "--directory")


def tuned_to_the_host(
    program: str,
    folder: str | None,
    operands: Sequence[str],
    has: Callable[[str], Sequence["Option"]],
    environment: Mapping[str, object],
) -> str | None:
    """The project that the command builds and that nothing keeps from tuning it to the build machine.

    ``folder``: where it runs; ``has``: the options that answer to a flag.
    """
    names: list[str] | None = None
    for name, own in tables.table("data/projects.toml").items():
        if program not in own["programs"].split():
            continue
        if names is None:
            names = _folders(program, folder, operands, has)
        if not _speaks_of(own, names, operands):
            continue
        if not any(_given(flag, own.get("still", ()), has, environment) for flag in own["unless"]):
            return name
    return None


def _given(
    flag: str, still: Sequence[str], has: Callable[[str], Sequence["Option"]], environment: Mapping[str, object]
) -> bool:
    """Whether a flag is there, with a value that keeps the project from tuning."""
    said = has(flag)
    if not said:
        return flag.removesuffix("=") in environment
    value = said[-1].value
    return value is None or not value.known or f"{flag}{value.text}" not in still


def _folders(
    program: str, folder: str | None, operands: Sequence[str], has: Callable[[str], Sequence["Option"]]
) -> list[str]:
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
