"""Asks cargo itself: which flags it hands to rustc for the package of a tree."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from .cargo_cases import CASES

# cargo asks rustc for its version and its targets; the compilation itself is written down and fails
_STUB = """#!/bin/sh
case " $* " in *" -vV "*|*" --print"*) exec "$REAL_RUSTC" "$@";; esac
for a in "$@"; do printf '%s\\n' "$a"; done >"$RECORD.$$"
exit 1
"""
PACKAGE = {"Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\n', "src/main.rs": "fn main() {}\n"}


def handed(files: Mapping[str, str], script: str) -> list[list[str]]:
    """The names of `--cfg` in each compilation, sorted."""
    rustc = shutil.which("rustc")
    assert rustc is not None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in {**PACKAGE, **files}.items():
            (folder / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / "tree" / path).write_text(text)
        stub, record = folder / "rustc", folder / "record"
        stub.write_text(_STUB)
        stub.chmod(0o755)
        given = {n: os.environ[n] for n in ("PATH", "HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN") if n in os.environ}
        given |= {
            "CARGO_HOME": f"{name}/home",
            "CARGO_NET_OFFLINE": "true",
            "CARGO_INCREMENTAL": "0",
            "CARGO_BUILD_JOBS": "4",
        }
        given |= {"RUSTC": str(stub), "REAL_RUSTC": rustc, "RECORD": str(record)}
        (folder / "tree/build.sh").write_text(script)
        subprocess.run(["sh", "build.sh"], cwd=folder / "tree", env=given, capture_output=True, check=False, timeout=60)
        records = sorted(folder.glob("record.*"))  # one each: cargo compiles several at once
        if not records:
            raise ValueError(f"cargo has compiled nothing: {script}")
        found = []
        for one in records:
            words = one.read_text().splitlines()
            pairs = zip(words, [*words[1:], ""], strict=True)
            found.append([n for w, n in pairs if w == "--cfg"] + [w[6:] for w in words if w.startswith("--cfg=")])
        return sorted({tuple(f) for f in found})  # type: ignore[arg-type, return-value]


if __name__ == "__main__":
    # `python -m tests.hosts.cargo_oracle` writes down what cargo says
    answers = {name: handed(*case) for name, case in CASES.items()}
    lines = [f"{json.dumps(name)}: {json.dumps(answer)}" for name, answer in answers.items()]
    Path(__file__).with_name("cargo_recorded.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    sys.stdout.write(f"{len(answers)} cases\n")
