"""What flagguard shows of a script against what was recorded when it ran: counted, told and written down.

Knows neither where the scripts come from nor what ran them.
"""

import collections
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agreement import matches
from oracle import Toolbox

from flagguard.command import Command


@dataclass(frozen=True)
class Verdict:
    """One script."""

    script: str
    agreed: int
    """Commands without a hole that ran so."""
    wrong: tuple[str, ...]
    """Commands without a hole and without an assumption that did not run so."""
    stopped: tuple[str, ...]
    """The same, where the run stopped with an error: they may stand behind it."""
    lost: tuple[str, ...]
    """What ran and flagguard shows in no way."""
    doubtful: int
    """Commands with a hole."""
    supposed: int
    """Commands that are shown under an assumption and did not run."""
    problems: tuple[str, ...]
    ran: tuple[str, ...]
    status: int | None
    category: str = ""

    @property
    def differs(self) -> bool:
        return bool(self.wrong or self.lost or self.stopped)


def weigh(
    script: str,
    commands: Iterable[Command],
    records: Sequence[tuple[str, ...]],
    might: Sequence[tuple[str, ...]] = (),
    *,
    problems: tuple[str, ...] = (),
    status: int | None = 0,
    category: str = "",
    stops: bool = False,
) -> Verdict:
    """``records``: what ran; ``might``: what would run if nothing were up to date; ``stops``: an error ended it."""
    shown = list(commands)
    exact = [c for c in shown if all(w.known for w in c.argv)]
    fits = [any(matches(c.argv, r) for r in (*records, *might)) for c in exact]
    wrong = tuple(str(c.shown) for c, fit in zip(exact, fits, strict=True) if not fit and not c.when and not c.opt_in)
    return Verdict(
        script,
        sum(fits),
        () if stops else wrong,
        wrong if stops else (),
        tuple(str(list(r)) for r in records if not any(matches(c.argv, r) for c in shown)),
        len(shown) - len(exact),
        sum(not fit and bool(c.when or c.opt_in) for c, fit in zip(exact, fits, strict=True)),
        problems,
        tuple(str(list(r)) for r in records),
        status,
        category,
    )


def add_working(toolbox: Toolbox, names: Iterable[str]) -> None:
    """Programs that are recorded and then do their work."""
    record = toolbox.root / "record"
    record.mkdir(exist_ok=True)
    for name in names:
        recorder, entry = record / name, toolbox.bin / name
        recorder.symlink_to(toolbox.stub)
        entry.unlink(missing_ok=True)
        entry.write_text(f'#!/bin/sh\n{recorder} "$@"\nexec /usr/bin/{name} "$@"\n')
        entry.chmod(0o755)


def recorded_name(program: str) -> str:
    """The program's name as the script wrote it, not the recorder's path."""
    return program.rpartition("/")[2] if "/record/" in program else program


def report(verdicts: Sequence[Verdict], runner: str, answer: Path) -> None:
    """The counts on standard output, what differs in the file ``answer``, the shortest script first."""
    agreed, wrong = sum(v.agreed for v in verdicts), sum(len(v.wrong) for v in verdicts)
    lost, ran = sum(len(v.lost) for v in verdicts), sum(len(v.ran) for v in verdicts)
    print(f"scripts: {len(verdicts)}; with a problem: {sum(bool(v.problems) for v in verdicts)}")
    print(f"over the time limit: {sum(v.status is None for v in verdicts)}")
    share = 100 * agreed / max(1, agreed + wrong)
    untold = sum(len(v.lost) for v in verdicts if not v.problems)
    print(f"commands without a hole: {agreed + wrong}, as {runner} ran them: {agreed} ({share:.2f} %)")
    print(
        f"with a hole: {sum(v.doubtful for v in verdicts)}; supposed and not run: {sum(v.supposed for v in verdicts)}; "
        f"not run, but the run stopped with an error: {sum(len(v.stopped) for v in verdicts)}"
    )
    print(f"{runner} ran {ran}; not shown: {lost} ({untold} with no problem told)")
    counted = collections.Counter(p.partition(" (line")[0][:70] for v in verdicts for p in v.problems)
    for message, count in counted.most_common(20):
        print(f"  {count:4} {message}")
    with answer.open("w", encoding="utf-8", errors="backslashreplace") as file:
        differing = [v for v in verdicts if v.differs]
        for v in sorted(differing, key=lambda v: (not (v.wrong or v.lost), bool(v.problems), len(v.script))):
            print("=" * 20, v.category, file=file)
            print("\n".join(f"| {line}" for line in v.script.split("\n")), file=file)
            for name in ("wrong", "stopped", "lost", "problems", "ran"):
                for line in getattr(v, name):
                    print(f"  {name}: {line[:200]}", file=file)
