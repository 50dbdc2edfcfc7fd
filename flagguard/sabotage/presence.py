"""Rules about the command itself: that it is there (DESIGN 5.1, 8), or that it is not (`never`)."""

from collections.abc import Iterator, Sequence

from flagguard.config import Config
from flagguard.judge import PlaceKey, place_key
from flagguard.sabotage.ground import disjoint
from flagguard.sabotage.needs import Need
from flagguard.sabotage.plan import Operator, Plan
from flagguard.sabotage.spelling import declared
from flagguard.sabotage.unsafe import target
from flagguard.text import Edit, Span


def absences(needs: Sequence[Need], matched: int) -> Iterator[Plan]:
    """The edits for one rule. ``needs``: its commands; ``matched``: how many places it counts, exempt ones too."""
    rule = needs[0].rule
    places: dict[PlaceKey, Need] = {}
    for need in needs:
        places.setdefault(place_key(need.command), need)
    spare = matched - rule.at_least
    places = {key: need for key, need in places.items() if not declared(need)} or places
    if any(declared(need) for need in places.values()):
        first = next(iter(places.values())).command.span
        why = "it is no command line: a step cannot be taken away without breaking its file"
        yield Plan(Operator.DROP_COMMAND, rule.id, (Edit(first, ""),), (), why, too_few=True)
        return
    gone = list(places.values())[: spare + 1]
    targets = tuple(target(need) for need in gone)
    if len(gone) <= spare:
        first = gone[0].command.span
        why = f"{matched} places count and {rule.at_least} are asked for: the others are exempt, and stay"
        yield Plan(Operator.DROP_COMMAND, rule.id, (Edit(first, ""),), targets, why, too_few=True)
        return
    taken = tuple({need.command.extent: Edit(need.command.extent, "true") for need in gone}.values())
    said = tuple(
        {
            need.command.extent: Edit(Span(need.command.extent.path, *[need.command.extent.start] * 2), "echo ")
            for need in gone
        }.values()
    )
    if disjoint(taken):
        yield Plan(Operator.DROP_COMMAND, rule.id, taken, targets, too_few=True)
    yield Plan(Operator.ECHO_COMMAND, rule.id, said, targets, too_few=True)


def prohibitions(config: Config) -> Iterator[Plan]:
    """What cannot be proved of rules with `never`: where one holds there is no command to start from."""
    for rule in config.rules:
        if rule.never:
            at = rule.span or Span(config.path or "", 0, 0)
            why = "the command must never run and does not; to add one is not tried"
            yield Plan(Operator.ADD_COMMAND, rule.id, (Edit(Span(at.path, at.start, at.start), ""),), (), why)
