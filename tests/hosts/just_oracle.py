"""Runs the real just with a program that records how it is called. `python -m tests.hosts.just_oracle` writes anew
what just says to the calls of `just_cases`."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

JUST = shutil.which("just", path=f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}")
RECORDED = Path(__file__).with_name("just_recorded.json")
GENERATED = Path(__file__).with_name("just_generated.json")
"""Calls of justfiles that a program made up, with what just runs."""
GIVEN = {"GIVEN": "from outside"}
"""What is set in just's environment."""
_STUB = """#!/bin/sh
for word in "$@"; do printf '%s\\037' "$word"; done >>"$RECORD"
printf '\\036' >>"$RECORD"
"""


def runs(files: "dict[str, str]", words: str) -> "list[list[str]] | None":
    """The argument lists of `rec`, in order; None where just ends with an error."""
    assert JUST is not None
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "bin").mkdir()
        stub = root / "bin" / "rec"
        stub.write_text(_STUB)
        stub.chmod(0o755)
        for path, text in files.items():
            target = root / "tree" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
        record = root / "record"
        env = {"PATH": f"{root}/bin:/usr/bin:/bin", "HOME": folder, "RECORD": str(record), "XDG_RUNTIME_DIR": folder}
        done = subprocess.run(
            [JUST, "--unstable", "--yes", *shlex.split(words)],
            cwd=root / "tree",
            env=env | GIVEN,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=20,
        )
        if done.returncode:
            return None
        told = record.read_text() if record.exists() else ""
        return [line.split("\x1f")[:-1] for line in told.split("\x1e")[:-1]]


def recorded(path: Path = RECORDED) -> "dict[str, list[list[str]] | None]":
    found: dict[str, list[list[str]] | None] = json.loads(path.read_text())
    return found


def name(files: "dict[str, str]", words: str) -> str:
    return json.dumps([files, words])


if __name__ == "__main__":
    from tests.hosts.just_cases import CASES

    answers = {name(*case): runs(*case) for case in CASES}
    RECORDED.write_text(json.dumps(answers, indent=0) + "\n")
    print(len(answers), "calls;", sum(a is None for a in answers.values()), "of them just refuses")
