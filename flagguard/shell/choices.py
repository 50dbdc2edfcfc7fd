"""Choices inside an expansion: nobody can know which value it has, so it is made once for each, in worlds of their own.

An expansion is made from its beginning for each course of choices; what runs inside it runs once. Knows nothing of
what is expanded.
"""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from flagguard.shell.state import World

T = TypeVar("T")
R = TypeVar("R")


class Fork(Exception):
    """An expansion cannot go on without a choice between so many options."""

    def __init__(self, options: int) -> None:
        super().__init__()
        self.options = options


class _Attempt(Generic[R]):
    """An expansion that is being made: the choices that have been made for it, and how far it has come."""

    def __init__(self, plan: list[int] | None, results: dict[tuple[int, ...], R]) -> None:
        self.plan = plan
        self.next = 0
        self.count = 0
        """How many things it has run so far."""
        self.results = results
        """What they came to, by the choices before each and its number."""


class Choices:
    """Makes expansions that choose."""

    def __init__(self) -> None:
        self._attempt: _Attempt[object] = _Attempt(None, {})

    @property
    def limit(self) -> int:
        """How many worlds may go on side by side."""
        raise NotImplementedError

    def choose(self, world: World, options: Sequence[tuple[str | None, bool]]) -> int:
        """Fork: one course for each option (what it assumes, whether it is opt-in)."""
        attempt = self._attempt
        if attempt.plan is None:
            return 0
        if attempt.next >= len(attempt.plan):
            raise Fork(len(options))
        # The same expansion may find fewer options when it is made again: a bound on the worlds has been reached.
        taken = min(attempt.plan[attempt.next], len(options) - 1)
        attempt.next += 1
        what, opt_in = options[taken]
        if what is not None:
            world.assume(what, opt_in)
        return taken

    def branch(self, world: World, compute: Callable[[World], T]) -> list[tuple[World, T]]:
        """``compute`` in every world that its choices make; it is run again for each."""
        out: list[tuple[World, T]] = []
        plans: list[list[int]] = [[]]
        outer = self._attempt
        results: dict[tuple[int, ...], object] = {}
        try:
            while plans:
                plan = plans.pop()
                trial = world.copy()
                self._attempt = _Attempt(plan, results)
                try:
                    out.append((trial, compute(trial)))
                except Fork as fork:
                    if len(out) + len(plans) < self.limit:
                        plans.extend([*plan, i] for i in reversed(range(fork.options)))
                    else:
                        plans.append([*plan, 0])
        finally:
            self._attempt = outer
        return out

    def once(self, run: Callable[[], R]) -> R:
        """What ``run`` comes to, which is not run again where the expansion is made anew with another choice behind."""
        attempt = self._attempt
        attempt.count += 1
        if attempt.plan is None:
            return run()
        before = attempt.next
        key = (*attempt.plan[:before], -attempt.count)
        if key in attempt.results:
            return attempt.results[key]  # type: ignore[return-value]
        number, results = attempt.count, attempt.results
        attempt.results = {}
        try:
            found = run()
        finally:
            attempt.results, attempt.count = results, number
        if attempt.next == before:
            results[key] = found
        return found
