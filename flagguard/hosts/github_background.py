"""Steps of GitHub Actions that run beside others: `background`, `wait`, `wait-all`, `cancel`, `parallel`.

Follows "jobs.<job_id>.steps[*].background" and the four sections behind it in
https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax, as of 2026-11: what a background
step writes for others is there once somebody waits for it; `parallel` is a group of them with a `wait` behind it; at
the end of the job all are waited for.
"""

from collections.abc import Sequence

from flagguard.command import BESIDE
from flagguard.hosts.github_context import Record
from flagguard.hosts.tree import Items, Node, Scalar, Table, text_of
from flagguard.values import dataclass

_ALONE = ("wait", "wait-all", "cancel", "parallel")
"""What a step may have in place of `run` and `uses`."""


def asked(step: Table) -> bool:
    """Whether a step runs beside others, or has to do with such."""
    return in_background(step) or any(key in step.by_name for key in _ALONE)


def in_background(step: Table) -> bool:
    said = step.get("background")
    return isinstance(said, Scalar) and said.value is True


class Beside:
    """What the background steps of one job hand on, while nobody has waited for them."""

    def __init__(self, records: list[Record]) -> None:
        self.records = records
        """What is seen of all steps."""
        self.waiting: list[tuple[str, list[Record]]] = []

    def keep(self, ident: str, before: int) -> None:
        """Everything but the first ``before`` records is of the background step with that id."""
        self.waiting.append((ident, self.records[before:]))
        del self.records[before:]

    def ended(self, idents: frozenset[str] | None) -> None:
        """The steps with these ids have ended; None: all have."""
        for ident, records in self.waiting:
            if idents is None or ident in idents:
                self.records += records
        self.waiting = [one for one in self.waiting if idents is not None and one[0] not in idents]


@dataclass(frozen=True, slots=True)
class End:
    """Where a background step has surely ended."""

    at: int
    """The number of the step that waits for it; the number of steps: the end of the job."""
    ignored: bool = False
    """Nobody hears of its failure: it is cancelled, or the step that waits goes on."""


def waits_for(step: Table) -> frozenset[str] | None:
    """The ids of the steps that a step waits for, in small letters; None: all that run."""
    if "wait-all" in step.by_name:
        return None
    asked = step.get("wait")
    parts = asked.items if isinstance(asked, Items) else [asked] if asked is not None else []
    return frozenset(text_of(part).text.lower() for part in parts)


def end_of(steps: Sequence[Node], number: int) -> End:
    """Where the background step with that number ends."""
    step = steps[number]
    ident = text_of(step.get("id")).text.lower() if isinstance(step, Table) else ""
    for at in range(number + 1, len(steps)):
        later = steps[at]
        if not isinstance(later, Table):
            continue
        if ident and text_of(later.get("cancel")).text.lower() == ident:
            return End(at, ignored=True)
        asked = waits_for(later)
        if asked is None or ident in asked:
            goes_on = later.get("continue-on-error")
            return End(at, ignored=isinstance(goes_on, Scalar) and goes_on.value is True)
    return End(len(steps))


def order_of(end: int, begun: int, member: int = 0) -> tuple[int, ...]:
    """The place of a step that runs beside others, among the steps of its job."""
    return end, BESIDE, begun, member
