"""What a sabotage run comes to: each edit with its verdict, the counts, the exit status (DESIGN 6)."""

from flagguard.findings import Report
from flagguard.sabotage.plan import Kind, Operator
from flagguard.sabotage.verdicts import Outcome
from flagguard.values import dataclass


@dataclass(frozen=True, slots=True)
class Result:
    """One edit, and what came of it."""

    operator: Operator
    rule: str
    path: str
    line: int
    """The first line that the edit changes."""
    outcome: Outcome
    detail: str = ""
    diff: str = ""

    @property
    def kind(self) -> Kind:
        return self.operator.kind

    @property
    def fails(self) -> bool:
        """Whether it shows a defect of the check: then the exit status is 1."""
        if self.outcome is Outcome.SKIPPED:
            return not self.detail
        return self.outcome in (Outcome.MISSED, Outcome.WRONG_REASON, Outcome.FALSE_ALARM, Outcome.TIMEOUT)


@dataclass(frozen=True)
class Proof:
    """All edits of one run, on a tree that was ``clean`` before (else there are none)."""

    clean: Report
    results: tuple[Result, ...] = ()
    sites: int = 0
    first: str = ""
    """What the check says first, where the tree was not clean."""
    guard: str = ""
    """Why a guard of somebody else's cannot be proved."""

    def count(self, outcome: Outcome) -> int:
        return sum(result.outcome is outcome for result in self.results)

    @property
    def sabotages(self) -> int:
        return sum(result.kind is Kind.SABOTAGE for result in self.results)

    @property
    def harmless(self) -> int:
        return sum(result.kind is Kind.HARMLESS for result in self.results)

    @property
    def tried(self) -> int:
        """The sabotages that the score counts."""
        return sum(self.count(o) for o in (Outcome.CAUGHT, Outcome.MISSED, Outcome.WRONG_REASON))

    @property
    def score(self) -> float:
        """Caught of those that should have been caught, in percent."""
        return round(100 * self.count(Outcome.CAUGHT) / self.tried, 1) if self.tried else 0.0

    @property
    def refusal(self) -> str | None:
        """Why nothing could be proved."""
        if self.guard:
            return self.guard
        if self.clean.status:
            return f"check is not clean, so nothing can be proved; the first that it says: {self.first}"
        if not self.tried and self.count(Outcome.TIMEOUT):
            return "nothing was proved: the guard did not end after any sabotage"
        if not self.tried:
            return "nothing to prove: no rule asks for anything that a command could lose"
        return None

    @property
    def status(self) -> int:
        """0 all caught, 1 something missed, 2 nothing to prove or not clean before."""
        if any(result.fails for result in self.results):
            return 1
        return 2 if self.refusal is not None else 0

    def summary(self) -> dict[str, int | float]:
        return {
            "sites": self.sites,
            "sabotages": self.sabotages,
            "caught": self.count(Outcome.CAUGHT),
            "missed": self.count(Outcome.MISSED),
            "wrong_reason": self.count(Outcome.WRONG_REASON),
            "not_applicable": self.count(Outcome.NOT_APPLICABLE),
            "harmless": self.harmless,
            "false_alarms": self.count(Outcome.FALSE_ALARM),
            "invalid": self.count(Outcome.INVALID),
            "skipped": self.count(Outcome.SKIPPED),
            "score": self.score,
        }
