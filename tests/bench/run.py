"""Measure whole processes of flagguard on trees that this script makes. Run by hand; pytest does not collect it."""

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

BUDGETS = {"flagguard --version": 0.080, "check, one file that changed": 0.150, "check again": 1.5}
"""Seconds on the wall of a machine with nothing else to do."""

Before = Callable[[], object]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--files", type=int, default=1000, help="files of the large tree (default: 1000)")
    options.add_argument("--runs", type=int, default=7, help="runs of each small measurement (default: 7)")
    asked = options.parse_args()
    tool = [sys.executable, "-m", "flagguard"]
    with tempfile.TemporaryDirectory(prefix="flagguard-bench-") as scratch:
        os.environ["FLAGGUARD_CACHE"] = str(Path(scratch, "kept"))
        one, many = Path(scratch, "one"), Path(scratch, "many")
        lay(one, 1)
        size = lay(many, asked.files)
        (script,) = one.glob("scripts/*/*.sh")

        def change() -> None:
            script.write_text(script.read_text() + "true\n")

        print(f"{'measurement':40} {'best':>9} {'median':>9} {'processor':>10}  budget")
        tell("python -c pass", [sys.executable, "-c", "pass"], one, asked.runs)
        tell("flagguard --version", [*tool, "--version"], one, asked.runs)
        tell("check, one file", [*tool, "check", "--no-cache"], one, asked.runs)
        tell("check, one file that changed", [*tool, "check"], one, asked.runs, change)
        tell("check, one file that did not", [*tool, "check"], one, asked.runs)
        tell("commands, one file", [*tool, "commands"], one, asked.runs)
        tell(f"check, {asked.files} files, {size / 1e6:.1f} MB", [*tool, "check"], many, 1)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        tell("check again", [*tool, "check"], many, asked.runs)
        print(f"largest process: {peak:.0f} MB (budget 150 MB)")
    return 0


def tell(name: str, words: list[str], folder: Path, runs: int, before: Before | None = None) -> None:
    times = []
    for _ in range(runs):
        if before is not None:
            before()
        times.append(measure(words, folder))
    walls, processor = [wall for wall, _ in times], statistics.median(used for _, used in times)
    told = [f"{seconds * 1000:6.0f} ms" for seconds in (min(walls), statistics.median(walls), processor)]
    budget = f"{BUDGETS[name] * 1000:.0f} ms" if name in BUDGETS else ""
    print(f"{name:40} {told[0]:>9} {told[1]:>9} {told[2]:>10}  {budget}")


def measure(words: list[str], folder: Path) -> tuple[float, float]:
    """Seconds on the wall, and seconds of the processor."""
    # a warm start has its byte code; the first run of a changed module writes it
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    start, used = time.perf_counter(), spent()
    ran = subprocess.run(
        words,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        check=False,
        env=environment,
    )
    taken = time.perf_counter() - start, spent() - used
    if ran.stderr:
        print(ran.stderr.decode(errors="replace"), file=sys.stderr)
    return taken


def spent() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def lay(root: Path, count: int) -> int:
    """A tree of ``count`` build files of the usual kinds, the same ones every time; its bytes."""
    rng = random.Random(7)
    size = 0
    root.mkdir()
    (root / "flagguard.toml").write_text('packs = ["cpu-baseline"]\n[baseline]\nlinux-x86_64 = "x86-64-v2"\n')
    for number in range(count):
        name, text = rng.choice(KINDS)(number, rng) if count > 1 else shell(number, rng)
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        size += len(text)
    return size


def shell(number: int, rng: random.Random) -> tuple[str, str]:
    lines = ["#!/bin/bash", "set -eu", f"out=build/{number}"]
    for _ in range(rng.randint(10, 60)):
        lines += rng.choice(SHELL)
    return f"scripts/{number % 97}/step{number}.sh", "\n".join(lines) + "\n"


def makefile(number: int, rng: random.Random) -> tuple[str, str]:
    lines = ["CC ?= gcc", "CFLAGS := -O2 -g", "ifeq ($(DEBUG),1)", "CFLAGS += -O0", "endif", "all: main", ""]
    for target in range(rng.randint(5, 40)):
        lines += [f"obj{target}.o: src/{target}.c", "\t$(CC) $(CFLAGS) -c $< -o $@", ""]
    return f"lib/{number}/Makefile", "\n".join(lines) + "\n"


def workflow(number: int, rng: random.Random) -> tuple[str, str]:
    lines = [
        "on: push",
        "jobs:",
        "  build:",
        "    runs-on: ubuntu-24.04",
        "    steps:",
        "      - uses: actions/checkout@v4",
    ]
    for step in range(rng.randint(3, 25)):
        lines += [f"      - name: step {step}", "        run: |"]
        lines += ["          " + line for line in rng.choice(SHELL)]
    return f".github/workflows/w{number}.yml", "\n".join(lines) + "\n"


def poe(number: int, rng: random.Random) -> tuple[str, str]:
    lines = ["[project]", f'name = "p{number}"', ""]
    for task in range(rng.randint(2, 10)):
        lines += [f"[tool.poe.tasks.t{task}]", f'shell = """\n{chr(10).join(rng.choice(SHELL))}\n"""', ""]
    return f"packages/{number}/pyproject.toml", "\n".join(lines) + "\n"


SHELL = [
    ["mkdir -p build", 'gcc -O2 -c src/main.c -o "build/main.o"'],
    ['case "$(uname)-$(uname -m)" in', "  Darwin-arm64) cpu=apple-m1 ;;", "  *) cpu=x86-64-v2 ;;", "esac"],
    ['mojo build --target-cpu "${cpu:-x86-64-v2}" src/cli.mojo -o build/cli'],
    ["for f in a b c; do", '  cc -march=x86-64-v2 -c "$f.c"', "done"],
    ["if [ -d vendor ]; then", "  cargo build --release --locked", "fi"],
    ["cmake -S . -B build -DCMAKE_BUILD_TYPE=Release", "cmake --build build -j 4"],
    ["# -march=native is for benchmarks only", 'echo "not -march=native" >&2'],
    ["uv run pytest -q || exit 1", "python -m build --wheel"],
]
KINDS = [shell, shell, makefile, workflow, poe]


if __name__ == "__main__":
    sys.exit(main())
