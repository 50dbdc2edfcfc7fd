"""The automatic variables of one target. Manual: "Automatic Variables"."""

from flagguard.make.lines import spaced
from flagguard.make.prerequisites import MEMBER
from flagguard.make.variables import Definition, Flavor, Frame, Origin
from flagguard.text import EMPTY, Traced, literal
from flagguard.values import cached_property, dataclass


def _derived(text: str) -> Definition:
    return Definition(literal(text), Flavor.RECURSIVE, Origin.AUTOMATIC)


# $(@D) and $(@F) and their like. Manual: "Automatic Variables".
_PARTS: dict[str, Definition] = {
    name: definition
    for one in "@*<%^+?"
    for name, definition in (
        (f"{one}D", _derived(f"$(patsubst %/,%,$(dir ${one}))")),
        (f"{one}F", _derived(f"$(notdir ${one})")),
    )
}


@dataclass
class Automatic:
    """The automatic variables of one target."""

    target: Traced
    names: list[Traced]
    """The prerequisites, where they are found."""
    order_only: list[Traced]
    stem: Traced
    first: Traced | None = None
    """``$<`` where it is no prerequisite: in ``.DEFAULT`` it is the target."""

    def words(self, name: str) -> tuple[Traced, ...]:
        """The words of an automatic variable, none of $(@D) and its like."""
        match name:
            case "@":
                return (self._file,)
            case "<":
                return (self.first,) if self.first is not None else tuple(self.names[:1])
            case "+":
                return tuple(self.names)
            case "^" | "?":
                return self.unique
            case "|":
                return self.ordered
            case "*":
                return (self.stem,) if self.stem.pieces else ()
            case "%":
                return (self._member,) if self._member else ()
        return ()

    @cached_property
    def unique(self) -> tuple[Traced, ...]:
        """Each prerequisite once, where it first stands."""
        seen: dict[str, Traced] = {}
        for name in self.names:
            seen.setdefault(name.shown, name)
        return tuple(seen.values())

    @cached_property
    def ordered(self) -> tuple[Traced, ...]:
        """The order-only prerequisites that are no normal ones."""
        if not self.order_only:
            return ()
        normal = {name.shown for name in self.names}
        return tuple({n.shown: n for n in self.order_only if n.shown not in normal}.values())

    @cached_property
    def _file(self) -> Traced:
        """The target; of a member of an archive, the archive."""
        archive = MEMBER.match(self.target.text)
        return self.target if archive is None else self.target.cut(*archive.span(1))

    @cached_property
    def _member(self) -> Traced:
        archive = MEMBER.match(self.target.text)
        return EMPTY if archive is None else self.target.cut(*archive.span(2))

    @cached_property
    def frame(self) -> Frame:
        """As definitions."""
        once = _fixed(spaced(list(self.unique)))
        return {
            "@": _fixed(self._file),
            "<": _fixed(self.first or (self.names[0] if self.names else EMPTY)),
            "^": once,
            "+": _fixed(spaced(self.names)),
            "?": once,
            "|": _fixed(spaced(list(self.ordered))),
            "*": _fixed(self.stem),
            "%": _fixed(self._member),
            **_PARTS,
        }


def _fixed(value: Traced) -> Definition:
    return Definition(value, origin=Origin.AUTOMATIC)


def stem_of(name: Traced, suffixes: list[str]) -> Traced:
    """``$*`` in an explicit rule: the target without a suffix that make knows."""
    for suffix in suffixes:
        if name.text.endswith(suffix) and len(name.text) > len(suffix):
            return name.cut(0, len(name.text) - len(suffix))
    return EMPTY
