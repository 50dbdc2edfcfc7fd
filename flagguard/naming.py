"""Names that a configuration may use, and which one was meant (DESIGN 5).

Only text: what a wrong name is told with. The names of tools come from their tables, those of hosts from the registry.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from flagguard import tables
from flagguard.command import PLATFORMS
from flagguard.globs import matches

_MEANT = {
    # keys that other tools have for the same
    "level": "severity",
    "name": "id",
    "file": "path",
    "files": "path",
    "workflow": "path",
    "directory": "path",
    "os": "platform",
    "arch": "platform",
    "platforms": "platform",
    "runs-on": "runner",
    "description": "why",
    "message": "why",
    "flags": "require",
    "min": "at-least",
    "expires": "until",
    "ignore": "exclude",
}
_SYSTEMS = {"darwin": "macos", "osx": "macos", "mac": "macos", "apple": "macos", "win": "windows", "win64": "windows",
            "ubuntu": "linux"}  # fmt: skip
_MACHINES = {"amd64": "x86_64", "x64": "x86_64", "x86-64": "x86_64", "64": "x86_64", "x86": "i686", "i386": "i686",
             "arm": "armv7l", "armv7": "armv7l", "ppc64el": "ppc64le"}  # fmt: skip
"""What Go, Docker, Debian, npm and the runners of GitHub call a system and a machine."""


def near(name: str, names: Iterable[str]) -> str | None:
    """The one of the names that looks most like ``name``, if one does."""
    import difflib  # only where something is wrong

    found = difflib.get_close_matches(name, list(names), n=1, cutoff=0.66)
    return found[0] if found else None


def nearest(name: str, names: Iterable[str]) -> str:
    """``; did you mean `x`?`` where one of the names is near, else nothing."""
    found = near(name, names)
    return f"; did you mean `{found}`?" if found else ""


def meant(name: str, names: Sequence[str], what: str) -> str:
    """The name that was meant, else all that there are: ``; the hosts are `a`, `b` ``."""
    if _MEANT.get(name) in names:
        return f"; did you mean `{_MEANT[name]}`?"
    return nearest(name, names) or f"; the {what} are {', '.join(f'`{n}`' for n in names)}"


def platform(name: str) -> str | None:
    """The platform that a name of another tool means: ``linux-amd64``, ``darwin/arm64``."""
    system, _, machine = name.lower().replace("/", "-").partition("-")
    system = _SYSTEMS.get(system, system)
    machine = _MACHINES.get(machine, machine)
    for spelled in (machine, {"aarch64": "arm64", "arm64": "aarch64"}.get(machine, machine)):
        if f"{system}-{spelled}" in PLATFORMS:
            return f"{system}-{spelled}"
    return None


def meant_platform(name: str) -> str:
    """Which platform was meant, else all of them."""
    found = platform(name)
    return f"; did you mean `{found}`?" if found else meant(name, tuple(PLATFORMS), "platforms")


_VALUES = {
    **dict.fromkeys(("fast-math", "exceptions", "lto"), ("on", "off")),
    "debug": ("0", "1", "2", "3"),
    "pic": ("none", "-fpic", "-fPIC", "-fpie", "-fPIE"),
    "stack-protector": ("none", "explicit", "basic", "strong", "all"),
}
"""The properties that have a few values, and which."""


class Vocabulary:
    """The names that the tool catalogue gives; it is read when a configuration names one."""

    # the words of DESIGN 4.5 and 5 are known before the catalogue has a tool for each
    _CLASSES = (
        "@c-compiler",
        "@cxx-compiler",
        "@rust-compiler",
        "@cuda-compiler",
        "@cmake-options",
        "@python-extension",
    )
    _EFFECTIVE = ("cpu", "pic", "fast-math", "optimisation", "fortify", "deployment-target")

    def no_value(self, effective: str, said: str) -> str | None:
        """What is wrong with a glob that no value of the property is like."""
        values = _VALUES.get(effective)
        if values is None or any(matches(said, value) for value in values):
            return None
        return f"`{effective}` is never `{said}`: it is {', '.join(f'`{v}`' for v in values[:-1])} or `{values[-1]}`"

    @cached_property
    def classes(self) -> frozenset[str]:
        return frozenset(self._CLASSES).union(re.findall(r'"(@[a-z-]+)"', self._catalogue))

    @cached_property
    def effective(self) -> frozenset[str]:
        found = re.findall(r"(?m)^\[(?:tool\.[^].]+\.)?effective\.([a-z-]+)\]", self._catalogue)
        return frozenset(self._EFFECTIVE).union(found) - {"platform"}

    @cached_property
    def _carriers(self) -> tuple[str, ...]:
        found: list[str] = []
        for file in tables.table("tools/programs.toml"):
            table = tables.table(f"tools/{file}.toml")
            for part in (table, *table.get("tool", {}).values()):
                found += [entry["name"] for entry in part.get("environment", ())]
        return tuple(found)

    def holds_flags(self, variable: str) -> bool:
        """Whether the variable holds words for a tool: ``RUSTFLAGS``."""
        return any(re.fullmatch(pattern, variable) for pattern in self._carriers)

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        from flagguard.hosts import names

        return names()

    def is_tool(self, name: str) -> bool:
        from flagguard.tools.catalogue import tool_for

        return tool_for(name.split(maxsplit=1)[0]) is not None if name.split() else False

    def may_have(self, command: str, effective: str) -> bool:
        """Whether what a rule's ``command`` names can have the property; a tool that hands words on may."""
        from flagguard.tools.catalogue import grammar, tool_for

        program, *words = command.split()
        tool = tool_for(program)
        if command.startswith("@") or program == "uses":
            return True
        if tool is None:
            return ":" in command
        if tool.environment or tool.carry or tool.hands_over or effective in tool.effective:
            return True
        nodes = [tool.root, *(node for word in words[:1] if (node := tool.root.commands.get(word)) is not None)]
        carried = {s.spec.carries for node in nodes for s in node.spellings.values() if s.spec.carries}
        return any(node.switch_to for node in nodes) or any(effective in grammar(c).effective for c in carried)

    @cached_property
    def _catalogue(self) -> str:
        return "\n".join(tables.texts("tools"))
