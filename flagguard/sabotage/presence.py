"""Rules that only ask for their command: the command is taken away, so that too few are left (DESIGN 5.1, 8)."""

from collections.abc import Iterator, Sequence

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
