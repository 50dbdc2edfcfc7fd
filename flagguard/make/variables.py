"""Variables: definitions, their flavours and origins, and the frames in which a name is looked up.

Expands nothing. Manual: "The Two Flavors of Variables", "Appending More Text to Variables", "The origin Function",
"Target-specific Variable Values".
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum, IntEnum

from flagguard.text import Traced
from flagguard.values import dataclass, field, replace


class Flavor(Enum):
    RECURSIVE = "recursive"
    SIMPLE = "simple"


class Origin(IntEnum):
    """In make's order: a definition of a lower origin does not replace one of a higher."""

    DEFAULT = 0
    ENVIRONMENT = 1
    FILE = 2
    ENVIRONMENT_FIRST = 3
    """-e; no makefile has tried to set it,"""
    ENVIRONMENT_OVERRIDE = 4
    """or one has."""
    COMMAND = 5
    OVERRIDE = 6
    AUTOMATIC = 7


ORIGIN_WORDS: dict[Origin, str] = {
    Origin.DEFAULT: "default",
    Origin.ENVIRONMENT: "environment",
    Origin.FILE: "file",
    Origin.ENVIRONMENT_FIRST: "environment",
    Origin.ENVIRONMENT_OVERRIDE: "environment override",
    Origin.COMMAND: "command line",
    Origin.OVERRIDE: "override",
    Origin.AUTOMATIC: "automatic",
}


@dataclass(frozen=True, slots=True)
class Definition:
    value: Traced
    flavor: Flavor = Flavor.SIMPLE
    origin: Origin = Origin.FILE
    appends: bool = False
    """A target-specific ``+=``: it adds to what the name is outside of the target."""
    private: bool = False
    conditional: bool = False
    """A ``?=`` default."""
    exported: bool = False
    """A target-specific one that says so itself."""
    perhaps: bool = False
    """It may as well be undefined."""
    chosen: bool = False
    """Of the texts that a hole in the value may be, none is expanded yet."""

    @property
    def recursive(self) -> bool:
        return self.flavor is Flavor.RECURSIVE


Frame = Mapping[str, Definition]


@dataclass(slots=True)
class Variables:
    """All variables in one run: the global ones, and frames in front of them (a target's, a call's arguments)."""

    globals: dict[str, Definition] = field(default_factory=dict)
    frames: list[Frame] = field(default_factory=list)
    """The innermost last."""
    exported_empty: set[str] = field(default_factory=set)
    """Names that `export` met before anybody set them: they are defined and empty then, ``?=`` does nothing."""

    def find(self, name: str) -> Definition | None:
        for frame in reversed(self.frames):
            if name in frame:
                return frame[name]
        return self.globals.get(name)

    def chain(self, name: str) -> list[Definition]:
        """The definition that counts, outermost first: more than one where a target's ``+=`` adds to it."""
        found: list[Definition] = []
        for frame in reversed(self.frames):
            definition = frame.get(name)
            if definition is not None:
                found.append(definition)
                if not definition.appends:
                    break
        else:
            definition = self.globals.get(name)
            if definition is not None:
                if found and definition.origin is Origin.COMMAND and found[-1].origin is not Origin.OVERRIDE:
                    return [definition]
                found.append(definition)
        found.reverse()
        return found

    @contextmanager
    def within(self, *frames: Frame) -> Iterator[None]:
        """``frames`` in front, the innermost last."""
        depth = len(self.frames)
        self.frames.extend(frames)
        try:
            yield
        finally:
            del self.frames[depth:]

    def define(self, name: str, definition: Definition) -> None:
        old = self.globals.get(name)
        if old is None or definition.origin >= old.origin:
            self.globals[name] = definition
        elif old.origin is Origin.ENVIRONMENT_FIRST:
            self.globals[name] = replace(old, origin=Origin.ENVIRONMENT_OVERRIDE)
