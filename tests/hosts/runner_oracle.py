"""What real task runners run; their answers are kept in runner_recorded.json. Run as a program to write them anew.

Only what has no answer yet is asked; `runner_oracle.py hatch pdm` asks these two anew. Programs that are not installed
keep the answers that they gave before.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).with_name("runner_recorded.json")
_STUB = """#!/usr/bin/env python3
import json, os, sys
env = {{n: v for n, v in sorted(os.environ.items()) if n.startswith("V_")}}
folder = os.path.relpath(os.getcwd(), {tree!r})
with open({record!r}, "a") as out:
    out.write(json.dumps({{"argv": sys.argv[1:], "env": env, "folder": "" if folder == "." else folder}}) + "\\n")
"""

_SHARED = ("TOX_WORK_DIR", "HATCH_ENV_TYPE_VIRTUAL_PATH", "PDM_USE_VENV", "PDM_PYTHON")
"""Variables that spare the making of environments, where whoever asks sets them."""

Case = "tuple[str, dict[str, str], str]"


def runs(files: "dict[str, str]", line: str) -> "list[dict[str, Any]]":
    """Each run of the program `rec`, in order: its words, the variables `V_…`, its folder."""
    with tempfile.TemporaryDirectory() as folder:
        root, programs, home = (Path(folder).resolve() / name for name in ("tree", "bin", "home"))
        for path in (root, programs, home):
            path.mkdir()
        stub = programs / "rec"
        record = root.parent / "record"
        stub.write_text(_STUB.format(tree=str(root), record=str(record)))
        stub.chmod(0o755)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            if text.startswith("#!"):
                path.chmod(0o755)
        modules = os.environ.get("NODE_PATH", "")
        if modules and (root / "package.json").exists():
            (root / "node_modules").symlink_to(modules)
        record.touch()
        env = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(home)}
        env |= {"PDM_CHECK_UPDATE": "0", "MISE_YES": "1", "MISE_TRUSTED_CONFIG_PATHS": str(root), "MISE_OFFLINE": "1"}
        env |= {"NX_DAEMON": "false", "NX_SKIP_NX_CACHE": "true", "CI": "true"}
        env |= {"TURBO_TELEMETRY_DISABLED": "1", "WIREIT_CACHE": "none", "WIREIT_PARALLEL": "1", "NO_COLOR": "1"}
        env |= {name: os.environ[name] for name in ("NODE_PATH", *_SHARED) if name in os.environ}
        done = subprocess.run(["sh", "-c", line], cwd=root, env=env, capture_output=True, timeout=120, check=False)
        if "-v" in sys.argv[1:]:
            print(line, done.stdout.decode()[-2000:], done.stderr.decode()[-2000:], sep="\n", file=sys.stderr)
        return [json.loads(one.replace(str(root), "/tree")) for one in record.read_text().splitlines()]


def key(tool: str, files: "dict[str, str]", line: str) -> str:
    return json.dumps([tool, files, line], sort_keys=True)


def recorded() -> "dict[str, list[dict[str, Any]]]":
    return json.loads(RECORDED.read_text()) if RECORDED.exists() else {}


def main() -> int:
    sys.path.insert(0, str(Path(__file__).parent))
    from runner_cases import CASES, PROGRAMS  # type: ignore[import-not-found]

    asked = [name for name in sys.argv[1:] if name != "-v"]
    old, new = recorded(), {}
    for case in CASES:
        program = PROGRAMS[case[0]]
        wanted = case[0] in asked or key(*case) not in old
        if wanted and shutil.which(program) is not None:
            new[key(*case)] = runs(case[1], case[2])
        elif key(*case) in old:
            new[key(*case)] = old[key(*case)]
        else:
            print(f"no answer of {program} to {case[2]!r}", file=sys.stderr)
    RECORDED.write_text(json.dumps(new, indent=1, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
