"""Somebody else's guard, proved by the same edits: `flagguard sabotage --guard 'CMD'` (DESIGN 2).

The one place that runs a command, and that command is the one its user typed. Each edit is made in a copy of the tree
of its own, which is thrown away. Only edits of which flagguard's own check is sure are tried: those that it catches,
and harmless ones on which it stays clean.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from flagguard.checking import check
from flagguard.config import Config
from flagguard.discover import Tree
from flagguard.sabotage.plan import Kind, Plan
from flagguard.sabotage.result import Proof, Result
from flagguard.sabotage.runner import Bench, Progress, planned
from flagguard.sabotage.runner import run as prove
from flagguard.sabotage.verdicts import Outcome
from flagguard.text import Edit, apply
from flagguard.values import dataclass, replace

_SURE = {Outcome.CAUGHT: Kind.SABOTAGE, Outcome.STAYED_CLEAN: Kind.HARMLESS}


@dataclass(frozen=True)
class Guard:
    """A command for the shell; it is content where it ends with 0."""

    command: str
    folder: str = ""
    """Where it runs, relative to the root."""
    patience: float = 60
    """Seconds that it may take."""


@dataclass(frozen=True)
class Ended:
    """How the guard ended; the status is None where it had to be stopped."""

    status: int | None
    told: str


def prove_guard(
    tree: Tree,
    config: Config,
    guard: Guard,
    *,
    asked: Callable[[str], bool] | None = None,
    progress: Progress | None = None,
    strict: bool = False,
) -> Proof:
    """Prove the guard by the edits that prove the rules; with ``asked``, only by edits of such files."""
    clean = check(tree, config, strict=strict)
    if clean.report.status:
        return prove(tree, config, strict=strict)
    ended = _try(guard, tree, ())
    if ended.status != 0:
        how = "does not end" if ended.status is None else f"ends with status {ended.status}"
        told = f"the guard {how} on the tree as it is, so nothing can be proved{ended.told}"
        return Proof(clean.report, guard=told)
    plans = planned(tree, config, clean, asked)
    bench = Bench(tree, config, clean, strict)
    known: dict[tuple[Edit, ...], Ended] = {}
    results: list[Result] = []
    for number, plan in enumerate(plans, 1):
        own = bench.result(plan)
        results.append(_judged(plan, own, guard, tree, known, config))
        if progress is not None:
            progress(number, len(plans))
    sites = {(t.rule, t.span, t.place.task, t.place.target, t.place.job) for p in plans for t in p.targets}
    return Proof(clean.report, tuple(results), len(sites))


def _judged(
    plan: Plan, own: Result, guard: Guard, tree: Tree, known: dict[tuple[Edit, ...], Ended], config: Config
) -> Result:
    if own.outcome not in _SURE:
        # what flagguard misses itself says nothing of the guard
        missed = own.outcome in (Outcome.MISSED, Outcome.WRONG_REASON, Outcome.FALSE_ALARM)
        why = f"flagguard's own check is not sure of it: {own.outcome.value}"
        return replace(own, outcome=Outcome.SKIPPED, detail=why) if missed else own
    if config.path is not None and any(edit.span.path == config.path for edit in plan.edits):
        return replace(own, outcome=Outcome.SKIPPED, detail="it changes flagguard's configuration, not a build file")
    if plan.edits not in known:
        known[plan.edits] = _try(guard, tree, plan.edits)
    ended = known[plan.edits]
    if ended.status is None:
        return replace(own, outcome=Outcome.TIMEOUT, detail=f"the guard did not end within {guard.patience:g} seconds")
    if plan.kind is Kind.SABOTAGE:
        outcome = Outcome.CAUGHT if ended.status else Outcome.MISSED
        detail = "" if ended.status else "the guard ends with status 0"
    else:
        outcome = Outcome.FALSE_ALARM if ended.status else Outcome.STAYED_CLEAN
        detail = f"the guard ends with status {ended.status}{ended.told}" if ended.status else ""
    return replace(own, outcome=outcome, detail=detail)


def _try(guard: Guard, tree: Tree, edits: tuple[Edit, ...]) -> Ended:
    with _copy(tree, edits) as root:
        return run_in(guard, root)


@contextmanager
def _copy(tree: Tree, edits: tuple[Edit, ...]) -> Iterator[Path]:
    """The files of the tree in a folder of their own, with the edits made."""
    with tempfile.TemporaryDirectory(prefix="flagguard-", ignore_cleanup_errors=True) as name:
        root = Path(name).resolve() / "tree"
        root.mkdir()
        for path in tree.paths():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            with suppress(OSError):
                shutil.copy2(tree.root / path, target, follow_symlinks=False)
        for path in sorted({edit.span.path for edit in edits}):
            source = tree.read(path)
            if source is not None:
                text = apply(source.text, [edit for edit in edits if edit.span.path == path])
                (root / path).write_bytes(text.encode("utf-8", "surrogateescape"))
        yield root


def run_in(guard: Guard, root: Path) -> Ended:
    """Run the guard; what it leaves running is stopped with it."""
    windows = sys.platform == "win32"
    process = subprocess.Popen(
        guard.command,
        shell=True,
        cwd=root / guard.folder if guard.folder not in ("", ".") else root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=not windows,
    )
    try:
        out, _ = process.communicate(timeout=guard.patience)
        return Ended(process.returncode, _last(out))
    except subprocess.TimeoutExpired:
        return Ended(None, "")
    finally:
        if not windows:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()


def _last(out: bytes) -> str:
    lines = [line for line in out.decode("utf-8", "replace").splitlines() if line.strip()]
    return f": {lines[-1].strip()[:200]}" if lines else ""
