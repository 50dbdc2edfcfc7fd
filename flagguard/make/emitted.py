"""What a target's recipe came to in an earlier run of the same makefile, for the runs in which nothing of it differs.

A makefile is run again for each world and platform, and most of its targets see nothing of what makes these differ.
Knows nothing of how a recipe is expanded.
"""

from collections.abc import Callable

from flagguard.command import Script, Variable
from flagguard.make.automatic import Automatic
from flagguard.make.expand import AUTOMATIC, Expander
from flagguard.make.memory import Memory
from flagguard.make.rules import Recipe
from flagguard.text import EMPTY, Traced
from flagguard.values import dataclass, replace

KEPT = 8
"""How many outcomes of one recipe for one target are kept."""


@dataclass(frozen=True, slots=True)
class Emitted:
    """The scripts of one recipe for one target, and all that they hang on."""

    recipe: Recipe
    names: Automatic
    facts: tuple[object, ...]
    """What the recipes of a run share besides variables."""
    memory: Memory
    scripts: tuple[Script, ...]
    env: tuple[Variable, ...] | None
    """The environment, where it is that of all targets."""

    def fits(self, recipe: Recipe, names: Automatic, facts: tuple[object, ...]) -> bool:
        """Whether the same recipe is to be read for the same names."""
        old = self.names
        return (
            len(recipe) == len(self.recipe)
            and all(one is other for one, other in zip(recipe, self.recipe, strict=True))
            and (facts is self.facts or facts == self.facts)
            and old.target == names.target
            and old.stem == names.stem
            and old.names == names.names
            and old.order_only == names.order_only
        )

    def with_env(self, env: tuple[Variable, ...]) -> "Emitted":
        """The same in another environment."""
        if self.env is None or env is self.env or env == self.env:
            return self
        size = len(self.env)
        scripts = tuple(
            replace(script, env=(*env, *script.env[size:])) if script.env[:size] == self.env else script
            for script in self.scripts
        )
        return replace(self, scripts=scripts, env=env)


def recorded(run: Expander, work: Callable[[], tuple[Script, ...]]) -> tuple[tuple[Script, ...], Memory | None]:
    """The scripts, and what they hang on; None where they must be made again each time."""
    made: list[tuple[Script, ...]] = []

    def expand() -> Traced:
        made.append(work())
        return EMPTY

    _, memory = run.recorded(expand, AUTOMATIC)
    return made[0], memory
