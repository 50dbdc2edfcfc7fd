"""Small trees on the disk, and what a sabotage run says of them."""

from pathlib import Path

from flagguard.config import Config, load
from flagguard.discover import Tree
from flagguard.sabotage import Proof, Result, run
from flagguard.text import SourceText

MOJO = """
packs = []
[baseline]
linux-x86_64  = "x86-64-v2"
linux-aarch64 = "generic"
macos-arm64   = "apple-m1"
[[rule]]
id      = "pinned"
command = ["mojo build", "mojo run"]
require = [{ flag = ["--target-cpu", "--mcpu"], at-most = "baseline" }]
"""


def config(text: str) -> Config:
    loaded = load(SourceText("flagguard.toml", text))
    assert loaded.problems == ()
    return loaded.config


def tree(folder: Path, files: dict[str, str]) -> Tree:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return Tree(folder)


def prove(folder: Path, rules: str, files: dict[str, str]) -> Proof:
    return run(tree(folder, files), config(rules), strict=True)


def changed(result: Result) -> tuple[str, ...]:
    """The lines that the edit takes away and puts in."""
    lines = result.diff.splitlines()
    return tuple(line for line in lines if line[:1] in "+-" and line[:3] not in ("---", "+++"))


def edits(proof: Proof) -> dict[str, list[tuple[str, ...]]]:
    """The changed lines, by operator."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for result in proof.results:
        found.setdefault(result.operator.value, []).append(changed(result))
    return found


def verdicts(proof: Proof) -> set[tuple[str, str]]:
    return {(result.operator.value, result.outcome.value) for result in proof.results}
