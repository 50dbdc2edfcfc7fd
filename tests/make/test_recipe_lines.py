"""Recipe lines as they are handed to the shell: what stands before the command."""

import pytest

from flagguard.make.recipe_lines import commands
from flagguard.text import Decider, Hole, hole, join, literal


@pytest.mark.parametrize(
    ("among", "expected"),
    [
        (("@", ""), ("if x; then y; fi", False)),
        (("-@", "@"), ("if x; then y; fi", True)),
        (("@", "@#"), ("$(Q)if x; then y; fi", False)),
        ((), ("$(Q)if x; then y; fi", False)),
    ],
)
def test_a_prefix_that_may_be_one_of_several(among: tuple[str, ...], expected: tuple[str, bool]) -> None:
    gap = hole(Hole("$(Q)", "of many conditions", Decider.REPOSITORY, among=tuple(map(literal, among))))
    found = [(text.shown, ignored) for text, ignored in commands(join((gap, literal("if x; then y; fi"))))]
    assert found == [expected]
