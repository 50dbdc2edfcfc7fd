"""Scripts of several worlds and platforms put together: each once, with where it is found."""

from dataclasses import dataclass, field

from flagguard.command import Script


@dataclass(slots=True)
class Entry:
    """One script and the numbers of the worlds, or of the platforms, in which it is found."""

    script: Script
    indexes: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Distinct:
    """Scripts without doubles, in the order in which they came."""

    entries: list[Entry] = field(default_factory=list)
    _by_text: dict[object, list[Entry]] = field(default_factory=dict)

    def has(self, script: Script) -> bool:
        alike = self._by_text.get((script.place.target, script.text.text, script.when), ())
        return any(same(entry.script, script) for entry in alike)

    def add(self, script: Script, index: int) -> None:
        # The text stands for the pieces here: their comparison is dear and seldom needed.
        key = (script.place.target, script.text.text, script.when)
        alike = self._by_text.setdefault(key, [])
        for entry in alike:
            if same(entry.script, script):
                if entry.indexes[-1] != index:
                    entry.indexes.append(index)
                return
        entry = Entry(script, [index])
        alike.append(entry)
        self.entries.append(entry)


def same(one: Script, other: Script) -> bool:
    """Whether two scripts differ in nothing but the world and the platform."""
    return one is other or (
        (one.text is other.text or one.text.pieces == other.text.pieces)
        and (one.env is other.env or one.env == other.env)
        and one.place == other.place
        and (one.ignored, one.dialect, one.when, one.opt_in, one.errexit, one.pipefail)
        == (other.ignored, other.dialect, other.when, other.opt_in, other.errexit, other.pipefail)
    )
