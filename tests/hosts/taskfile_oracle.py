"""What the real Task runs; its answers are kept in taskfile_recorded.json. Run as a program to write them anew."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

RECORDED = Path(__file__).with_name("taskfile_recorded.json")
_STUB = """#!/usr/bin/env python3
import json, os, sys
with open(os.environ["RECORD"], "a") as out:
    out.write(json.dumps(sys.argv[1:]) + "\\n")
"""


def found() -> "str | None":
    """Task's program; another one of that name manages lists of things to do."""
    for name in ("go-task", "task"):
        path = shutil.which(name)
        if path is None:
            continue
        told = subprocess.run([path, "--help"], capture_output=True, text=True, check=False)
        if "Taskfile" in told.stdout + told.stderr:
            return path
    return None


def runs(files: "dict[str, str]", line: str, program: str) -> "list[list[str]]":
    """The words of each run of the program `rec`, in order."""
    with tempfile.TemporaryDirectory() as folder:
        root, programs, home = (Path(folder) / name for name in ("tree", "bin", "home"))
        for path in (root, programs, home):
            path.mkdir()
        stub = programs / "rec"
        stub.write_text(_STUB)
        stub.chmod(0o755)
        (programs / "task").symlink_to(program)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        record = root.parent / "record"
        record.touch()
        env = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(home), "RECORD": str(record)}
        subprocess.run(["sh", "-c", line], cwd=root, env=env, capture_output=True, timeout=60, check=False)
        return [json.loads(one) for one in record.read_text().splitlines()]


def key(files: "dict[str, str]", line: str) -> str:
    return json.dumps([files, line], sort_keys=True)


def recorded() -> "dict[str, list[list[str]]]":
    return json.loads(RECORDED.read_text()) if RECORDED.exists() else {}  # type: ignore[no-any-return]


def main() -> int:
    sys.path.insert(0, str(Path(__file__).parent))
    from taskfile_cases import CASES  # type: ignore[import-not-found]

    program = found()
    assert program is not None, "Task is not installed (pip install go-task-bin)"
    answers = {key(*case): runs(*case, program) for case in CASES}
    RECORDED.write_text(json.dumps(answers, indent=1, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
