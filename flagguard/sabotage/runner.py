"""The runner: a clean baseline, the planned edits, each made in memory and judged again, one after the other.

The order is that of the files, lines, operators and rules; two runs say the same. Nothing is written and nothing is
run.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from flagguard.checking import Check, check
from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.engine import FileCommands
from flagguard.exempting import Comment, comments
from flagguard.judging import Clause
from flagguard.sabotage.again import Again
from flagguard.sabotage.difference import difference
from flagguard.sabotage.ground import Ground
from flagguard.sabotage.harmless import Harmless, mattering
from flagguard.sabotage.needs import needs
from flagguard.sabotage.plan import Kind, Operator, Plan, Target
from flagguard.sabotage.presence import absences, prohibitions
from flagguard.sabotage.result import Proof, Result
from flagguard.sabotage.unsafe import Unsafe
from flagguard.sabotage.verdicts import After, Outcome, judged
from flagguard.text import Edit
from flagguard.values import replace

Progress = Callable[[int, int], None]
"""Told after each edit: how many are done, and of how many."""

_COMMENTS = frozenset({Operator.COMMENT_FLAG, Operator.COMMENT_LINE, Operator.COMMENT_TAIL})
_ORDER = {operator: number for number, operator in enumerate(Operator)}


def run(
    tree: Tree,
    config: Config,
    *,
    asked: Callable[[str], bool] | None = None,
    progress: Progress | None = None,
    strict: bool = False,
) -> Proof:
    """Prove the rules of the configuration on the tree; with ``asked``, only by edits of such files."""
    clean = check(tree, config, strict=strict)
    if clean.report.status:
        return Proof(clean.report, first=_first(tree, config, clean))
    plans = planned(tree, config, clean, asked)
    bench = Bench(tree, config, clean, strict)
    results: list[Result] = []
    for number, plan in enumerate(plans, 1):
        results.append(bench.result(plan))
        if progress is not None:
            progress(number, len(plans))
    sites = {(t.rule, t.span, t.place.task, t.place.target, t.place.job) for p in plans for t in p.targets}
    return Proof(clean.report, tuple(results), len(sites))


def _first(tree: Tree, config: Config, clean: Check) -> str:
    """The first finding that fails, else the first problem, with its place."""
    for finding in clean.report.findings:
        if finding.fails:
            source = tree.read(finding.span.path)
            line = source.position(finding.span.start)[0] if source is not None else config.position(finding.span)[1]
            return f"{finding.span.path}:{line}: {finding.rule}: {finding.message}"
    return next((f"{p.path}:{p.line}: {p.message}" for p in clean.report.problems if p.fatal), "")


# -- planning ---------------------------------------------------------------------------------------------------------


def planned(tree: Tree, config: Config, clean: Check, asked: Callable[[str], bool] | None = None) -> tuple[Plan, ...]:
    """The edits to make, each once, in order; with ``asked``, only those of such files."""
    ground = Ground(tree.read)
    found = list(needs(clean.files, config, lambda f: _spoken(f, tree), tree.read))
    plans: list[Plan] = []
    for need in found:
        if need.clause is not Clause.EXISTS:
            plans += Unsafe(need, ground, config.baseline).plans()
            plans += Harmless(need, ground, config.baseline).plans()
    asked_for = sorted((n for n in found if n.clause is Clause.EXISTS), key=lambda n: n.rule.id)
    for rule, group in groupby(asked_for, key=lambda n: n.rule.id):
        plans += absences(list(group), clean.report.matched.get(rule, 0))
    plans += prohibitions(config)
    matters = mattering(found, ground)
    ordered = sorted(_once(p for p in plans if not matters(p)), key=_order)
    return tuple(p for p in ordered if asked is None or all(asked(e.span.path) for e in p.edits))


def _spoken(found: FileCommands, tree: Tree) -> Sequence[Comment]:
    paths = sorted({found.path, *(command.span.path for command in found.commands)})
    return [c for path in paths if (source := tree.read(path)) is not None for c in comments(source)]


def _once(plans: Iterable[Plan]) -> Iterator[Plan]:
    """Each edit once for each rule, with all the places that it must be noticed at; a harmless edit once."""
    found: dict[tuple[object, ...], Plan] = {}
    for plan in plans:
        edits = tuple(sorted(plan.edits, key=lambda e: e.span))
        key = (plan.kind, None if plan.kind is Kind.HARMLESS else plan.rule, edits, plan.why_not)
        same = found.get(key)
        if same is None:
            found[key] = Plan(plan.operator, plan.rule, edits, plan.targets, plan.why_not, plan.too_few)
        elif plan.targets:
            targets = _merged((*same.targets, *plan.targets))
            found[key] = Plan(same.operator, same.rule, edits, targets, same.why_not, same.too_few)
    return iter(found.values())


def _merged(targets: Iterable[Target]) -> tuple[Target, ...]:
    """One target for each requirement at each place."""
    found: dict[tuple[object, ...], Target] = {}
    for target in targets:
        key = (target.rule, target.span, target.place, target.requirement, target.words, target.name, target.warns)
        same = found.get(key)
        found[key] = target if same is None else replace(target, platforms=same.platforms | target.platforms)
    return tuple(found.values())


def _order(plan: Plan) -> tuple[object, ...]:
    first = min(edit.span for edit in plan.edits)
    texts = tuple(edit.text for edit in plan.edits)
    return first.path, first.start, _ORDER[plan.operator], plan.rule, first.end, texts, plan.why_not or ""


# -- running ----------------------------------------------------------------------------------------------------------


class Bench:
    """The clean tree, and one edit after the other on it."""

    def __init__(self, tree: Tree, config: Config, clean: Check, strict: bool = False) -> None:
        self._tree = tree
        self._config = config
        self._again = Again(tree, config, clean, strict)
        self._last: tuple[tuple[Edit, ...], After] | None = None

    def result(self, plan: Plan) -> Result:
        """Make the edit, judge it, and say what came of it."""
        first = min(edit.span for edit in plan.edits)
        source = self._tree.read(first.path)
        line = source.position(first.start)[0] if source is not None else self._config.position(first)[1]
        if plan.why_not is not None or source is None:
            why = plan.why_not if plan.why_not is not None else "the file has no text"
            return Result(plan.operator, plan.rule, first.path, line, Outcome.SKIPPED, why)
        after = self._after(plan.edits)
        verdict = judged(plan, after, self._config)
        if verdict.lost:  # what an edit changes nothing of was not read again
            verdict = judged(plan, self._again.whole(plan.edits), self._config)
        diff = "".join(self._difference(path, after) for path in sorted(after.texts))
        return Result(plan.operator, plan.rule, first.path, line, verdict.outcome, verdict.detail, diff)

    def _difference(self, path: str, after: After) -> str:
        before = self._tree.read(path)
        return difference(before, after.texts[path]) if before is not None else ""

    def _after(self, edits: tuple[Edit, ...]) -> After:
        """The same edit for another rule is made once."""
        if self._last is None or self._last[0] != edits:
            self._last = (edits, self._again.after(edits))
        return self._last[1]
