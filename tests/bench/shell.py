"""Measure the shell on every shell script of given trees, and on scripts made to cost much. Run by hand, not by pytest.

.venv/bin/python tests/bench/shell.py FOLDER…      each folder is one corpus
.venv/bin/python tests/bench/shell.py --bombs       the scripts of tests/shell/test_costs.py and of bombs.py
"""

import argparse
import gc
import os
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

PROJECT = Path(__file__).parents[2]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests" / "shell")]

from flagguard.hosts import Setting, shellscript  # noqa: E402
from flagguard.shell import Evaluation, evaluate  # noqa: E402
from flagguard.text import SourceText  # noqa: E402

ONE = ("linux-x86_64",)
TWO = ("linux-x86_64", "macos-arm64")
_MOST = 1_000_000
"""Bytes of a file that discovery still reads."""


class Folder:
    """The files of a folder as hosts see them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._known: dict[str, SourceText | None] = {}
        walked = ((folder, name) for folder, _, names in os.walk(root) for name in names)
        self._paths = sorted(os.path.relpath(os.path.join(folder, name), root) for folder, name in walked)

    def paths(self) -> Iterable[str]:
        return self._paths

    def read(self, path: str) -> SourceText | None:
        if path not in self._known:
            self._known[path] = self._read(path)
        return self._known[path]

    def _read(self, path: str) -> SourceText | None:
        file = self.root / path
        if not file.is_file() or file.stat().st_size > _MOST:
            return None
        data = file.read_bytes()
        return None if b"\0" in data else SourceText(path, data.decode("utf-8", "surrogateescape"))

    def scripts(self) -> Iterator[SourceText]:
        for path in self._paths:
            file = self.root / path
            if file.is_symlink() or not file.is_file():
                continue
            with file.open("rb") as opened:
                head = opened.read(256)
            source = self.read(path) if shellscript.claims(path, head) else None
            if source is not None:
                yield source


def evaluated(source: SourceText, files: Folder, platforms: tuple[str, ...]) -> Evaluation:
    setting = Setting(files, platforms)
    (script,) = shellscript.read(source, setting).scripts
    return evaluate(script, setting)


def timed(source: SourceText, files: Folder, platforms: tuple[str, ...]) -> float:
    begun = time.process_time()
    evaluated(source, files, platforms)
    return time.process_time() - begun


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folders", nargs="*", type=Path)
    options.add_argument("--slowest", type=int, default=10, help="files to name (default: 10)")
    options.add_argument("--bombs", nargs="*", metavar="NAME")
    asked = options.parse_args()
    gc.set_threshold(20_000, 50, 100)  # as the command line does
    if asked.bombs is not None:
        return bombs(asked.bombs)
    print(f"{'seconds of the processor':28}{'files':>6}{'kB':>8}{'one':>8}{'two':>8}{'s/MB one':>10}{'s/MB two':>10}")
    every: list[tuple[float, float, str]] = []
    sums = [0, 0.0, 0.0, 0.0]
    for root in asked.folders:
        files = Folder(root)
        own = [0, 0.0, 0.0, 0.0]
        for source in files.scripts():
            one, two = timed(source, files, ONE), timed(source, files, TWO)
            every.append((one, two, f"{root.name}/{source.path}"))
            own = [a + b for a, b in zip(own, (1, len(source.text) / 1e3, one, two), strict=True)]
        row(root.name, own)
        sums = [a + b for a, b in zip(sums, own, strict=True)]
    row("together", sums)
    for one, two, name in sorted(every, reverse=True)[: asked.slowest]:
        print(f"{one:8.3f}{two:8.3f}  {name}")
    return 0


def row(name: str, found: list[float]) -> None:
    count, size, one, two = found
    each = size / 1e3 or 1
    print(f"{name:28}{count:6}{size:8.0f}{one:8.2f}{two:8.2f}{one / each:10.2f}{two / each:10.2f}", flush=True)


def bombs(names: list[str]) -> int:
    from bombs import BOMBS as GREATER
    from running import run
    from test_costs import BOMBS

    for name, text in (BOMBS | GREATER).items():
        if names and name not in names:
            continue
        begun = time.process_time()
        found = run(text)
        spent = time.process_time() - begun
        told = found.problems[0].message if found.problems else ""
        print(f"{spent:7.3f}  {name:28}{len(text):9} bytes {len(found.commands):6} commands  {told[:70]}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
