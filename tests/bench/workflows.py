"""Measure `flagguard check` on 1,000 workflow files of checkouts, cold and on one core. Run by hand.

    .venv/bin/python tests/bench/workflows.py [--files 1000] CHECKOUT...

The files are copied to a folder of their own, each checkout's below a folder of its name; where there are too few,
again under another name. The budget is that of issue 6: 5 s on one core.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from run import measure


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--files", type=int, default=1000)
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("folders", nargs="+", type=Path)
    asked = options.parse_args()
    found = [(folder, path) for folder in asked.folders for path in sorted(folder.glob(".github/workflows/*.y*ml"))]
    tool = [sys.executable, "-m", "flagguard"]
    with tempfile.TemporaryDirectory(prefix="flagguard-workflows-") as scratch:
        size = 0
        for number in range(asked.files):
            folder, path = found[number % len(found)]
            target = Path(scratch, f"{folder.name}-{number // len(found)}", path.relative_to(folder))
            target.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_bytes()
            target.write_bytes(text)
            size += len(text)
        os.environ["FLAGGUARD_CACHE"] = str(Path(scratch, "kept"))
        print(f"{asked.files} files of {len(found)} different ones, {size / 1e6:.1f} MB")
        for name, words in (("check", [*tool, "check", "--no-cache"]), ("commands", [*tool, "commands"])):
            walls, used = zip(*(measure(words, Path(scratch)) for _ in range(asked.runs)), strict=True)
            print(
                f"{name:10} {min(walls):6.2f} s on the wall, {min(used):6.2f} s of the processor (best of {asked.runs})"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
