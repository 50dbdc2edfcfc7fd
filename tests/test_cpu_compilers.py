"""The tables of CPU names against the compilers themselves; skipped where they are not installed."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import pytest

from flagguard import cpu

GCC = "12"
LLVM = "22"
X86 = "linux-x86_64"
ARM = "linux-aarch64"


def output(*argv: str) -> str:
    # RUSTC_BOOTSTRAP: rustc names the features that have no stable name yet, too
    environment = {**os.environ, "LC_ALL": "C", "RUSTC_BOOTSTRAP": "1"}
    done = subprocess.run(argv, capture_output=True, text=True, env=environment, check=False)
    return done.stdout + done.stderr


def outputs(commands: Iterable[tuple[str, ...]]) -> list[str]:
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda argv: output(*argv), commands))


@pytest.fixture(scope="module")
def gcc() -> str:
    for program in (f"x86_64-linux-gnu-gcc-{GCC}", f"gcc-{GCC}", "gcc"):
        if (
            shutil.which(program)
            and output(program, "-dumpversion").strip().split(".")[0] == GCC
            and output(program, "-dumpmachine").startswith("x86_64")
        ):
            return program
    pytest.skip(f"gcc {GCC} for x86-64 is not installed")


@pytest.fixture(scope="module")
def rustc() -> str:
    program = shutil.which("rustc")
    if program is None:
        pytest.skip("rustc is not installed")
    if not re.search(rf"LLVM version: {LLVM}\.", output(program, "--version", "--verbose")):
        pytest.skip(f"this rustc is not one with LLVM {LLVM}")
    return program


def spelled(platform: str, words: Iterable[str]) -> set[str]:
    """What a compiler lists, in the table's spelling, without what the table leaves out."""
    table = cpu._table_of(platform)
    assert table is not None
    out = table._data.get("left-out", ())
    version = re.compile(r"v\d(\.\d)?a")
    return {f.feature for word in words if word not in out and not version.fullmatch(word) for f in table.changes(word)}


def bounds(name: str, platform: str) -> tuple[frozenset[str], frozenset[str]]:
    table = cpu._table_of(platform)
    assert table is not None
    known = table.read(name, platform)
    assert known is not None, f"{name} is not in the table"
    return known.least, known.most


def enabled(text: str) -> set[str]:
    return {line.split()[0].removeprefix("-m") for line in text.splitlines() if line.endswith("[enabled]")}


# switches of gcc on x86 that choose how to write code, not which instructions
TUNING = {
    "128bit-long-double",
    "64",
    "80387",
    "accumulate-outgoing-args",
    "align-stringops",
    "avx256-split-unaligned-load",
    "avx256-split-unaligned-store",
    "direct-extern-access",
    "fancy-math-387",
    "fp-ret-in-387",
    "glibc",
    "hard-float",
    "ieee-fp",
    "long-double-80",
    "no-sse4",
    "push-args",
    "red-zone",
    "stv",
    "tls-direct-seg-refs",
    "vzeroupper",
}
IN_EVERY_64_BIT_CPU = {"cmov", "cx8", "xadd"}


def test_gcc_takes_each_x86_name_for_what_the_table_says(gcc: str) -> None:
    listed = re.search(
        r"valid arguments to .-march=. switch are: (.*)", output(gcc, "-march=?", "-E", "-xc", os.devnull)
    )
    assert listed
    names = [name for name in listed[1].split() if name != "native"]
    texts = outputs((gcc, f"-march={name}", "-Q", "--help=target") for name in names)
    wrong = {}
    for name, text in zip(names, texts, strict=True):
        here = spelled(X86, enabled(text) - TUNING) | IN_EVERY_64_BIT_CPU
        least, most = bounds(name, X86)
        if not least <= here <= most:
            wrong[name] = sorted(least - here), sorted(here - most)
    assert len(names) > 50
    assert not wrong


def test_a_gcc_switch_brings_what_the_table_says(gcc: str) -> None:
    base = enabled(output(gcc, "-march=x86-64", "-Q", "--help=target"))
    words = sorted(cpu._table("x86")._implies)
    texts = outputs((gcc, "-march=x86-64", f"-m{word}", "-Q", "--help=target") for word in words)
    wrong = {}
    for word, text in zip(words, texts, strict=True):
        if "unrecognized" in text:
            continue  # newer than this gcc
        new = spelled(X86, enabled(text) - base - TUNING)
        if new != cpu._table("x86")._closed(word):
            wrong[word] = sorted(new)
    assert not wrong


@pytest.mark.parametrize(
    ("triple", "platform", "fewest"),
    [
        ("x86_64-unknown-linux-gnu", X86, 80),
        ("aarch64-unknown-linux-gnu", ARM, 60),
        ("aarch64-apple-darwin", "macos-arm64", 60),
    ],
)
def test_rustc_takes_each_name_for_what_the_table_says(rustc: str, triple: str, platform: str, fewest: int) -> None:
    listing = output(rustc, "--print", "target-cpus", "--target", triple)
    names = [n for n in re.findall(r"(?m)^    (\S+)", listing) if n not in ("native", "generic")]
    if platform == "macos-arm64":
        names = [n for n in names if n.startswith("apple-")]
        fewest = 5
    names = [n for n in names if cpu.at_most(n, (), "generic", platform).verdict is not cpu.Verdict.OTHER_ARCHITECTURE]
    texts = outputs((rustc, "--print", "cfg", "--target", triple, "-C", f"target-cpu={name}") for name in names)
    here = {n: spelled(platform, re.findall(r'target_feature="([^"]+)"', t)) for n, t in zip(names, texts, strict=True)}
    vocabulary = set().union(*here.values())
    wrong = {}
    for name, found in here.items():
        least, most = bounds(name, platform)
        if not (least & vocabulary) <= found <= most:
            wrong[name] = sorted((least & vocabulary) - found), sorted(found - most)
    assert len(names) >= fewest
    assert not wrong
