"""Looks for scripts on which flagguard and the real shells differ: `python tests/shell/fuzz.py --seconds 60`."""

import argparse
import random
import signal
import tempfile
import time
import traceback
from pathlib import Path
from types import FrameType

from agreement import Disagreement, disagreements
from generate import scripts
from hypothesis import HealthCheck, Phase, given, seed, settings
from oracle import Toolbox
from written_cases import Case


class Found(Exception):
    """Carries the first disagreement of a script."""

    def __init__(self, disagreement: Disagreement) -> None:
        super().__init__(disagreement.kind)
        self.disagreement = disagreement


def check(case: Case, toolbox: Toolbox, limit: int = 5) -> None:
    """Raise :class:`Found` where the two differ, or flagguard fails or is slow."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, late)
    signal.alarm(limit)
    try:
        found = disagreements(case, toolbox)
    except Exception:
        where = traceback.format_exc().strip().split("\n")
        found = [Disagreement("crash", case, case.shells[0], case.platforms[0], "", " / ".join(where[-3:]))]
    finally:
        signal.alarm(0)
    if found:
        raise Found(found[0])


def search(
    toolbox: Toolbox, number: int, examples: int, depth: int, shells: tuple[str, ...], certain: bool | None
) -> Disagreement | None:
    """The smallest disagreement that one round finds."""

    @seed(number)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
        report_multiple_bugs=False,
    )
    @given(scripts(depth=depth, shells=shells, certain=certain))
    def round_(case: Case) -> None:
        check(case, toolbox)

    try:
        round_()
    except Found as found:
        return found.disagreement
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--examples", type=int, default=200)
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--shell", action="append")
    parser.add_argument("--certain", action="store_true", help="only scripts that read nothing from outside")
    options = parser.parse_args()
    number = random.randrange(10**6) if options.seed is None else options.seed
    end = time.monotonic() + options.seconds
    seen: set[bytes] = set()
    shells = tuple(options.shell or ("bash", "dash"))
    rounds = 0
    with tempfile.TemporaryDirectory() as folder:
        toolbox = Toolbox(Path(folder))
        while time.monotonic() < end:
            found = search(toolbox, number + rounds, options.examples, options.depth, shells, options.certain or None)
            rounds += 1
            if found is not None and found.case.script not in seen:
                seen.add(found.case.script)
                print(f"seed {number + rounds - 1}\n{found}\n    arguments: {list(found.case.arguments)}\n", flush=True)
    print(f"{rounds} rounds of up to {options.examples} scripts, {len(seen)} disagreements, first seed {number}")
    raise SystemExit(1 if seen else 0)


if __name__ == "__main__":
    main()
