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
from pathlib import Path

BUDGETS = {"flagguard --version": 0.080, "check, one file": 0.150}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--files", type=int, default=1000, help="files of the large tree (default: 1000)")
    options.add_argument("--runs", type=int, default=7, help="runs of each small measurement (default: 7)")
    asked = options.parse_args()
    tool = [sys.executable, "-m", "flagguard"]
    with tempfile.TemporaryDirectory(prefix="flagguard-bench-") as scratch:
        one, many = Path(scratch, "one"), Path(scratch, "many")
        lay(one, 1)
        size = lay(many, asked.files)
        print(f"{'measurement':32} {'best':>9} {'median':>9}  budget")
        tell("python -c pass", [sys.executable, "-c", "pass"], one, asked.runs)
        tell("flagguard --version", [*tool, "--version"], one, asked.runs)
        tell("check, one file", [*tool, "check"], one, asked.runs)
        tell("commands, one file", [*tool, "commands"], one, asked.runs)
        tell(f"check, {asked.files} files, {size / 1e6:.1f} MB", [*tool, "check"], many, 1)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"largest process: {peak:.0f} MB (budget 150 MB)")
    return 0


def tell(name: str, words: list[str], folder: Path, runs: int) -> None:
    times = [measure(words, folder) for _ in range(runs)]
    budget = BUDGETS.get(name)
    told = f"{budget * 1000:.0f} ms" if budget else ""
    print(f"{name:32} {min(times) * 1000:6.0f} ms {statistics.median(times) * 1000:6.0f} ms  {told}")


def measure(words: list[str], folder: Path) -> float:
    # a warm start has its byte code; the first run of a changed module writes it
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    start = time.perf_counter()
    ran = subprocess.run(
        words,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        check=False,
        env=environment,
    )
    taken = time.perf_counter() - start
    if ran.stderr:
        print(ran.stderr.decode(errors="replace"), file=sys.stderr)
    return taken


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
