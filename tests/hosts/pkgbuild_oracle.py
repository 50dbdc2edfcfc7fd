"""What makepkg runs; kept in pkgbuild_recorded.json. Run as a program, not as root, to print them."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .pkgbuild_cases import CASES

RECORDED = Path(__file__).with_name("pkgbuild_recorded.json")
CFLAGS = "-O9 -pipe"
_STUB = """#!/usr/bin/env python3
import json, os, sys
with open(os.environ["RECORD"], "a") as out:
    out.write(json.dumps(sys.argv[1:]) + "\\n")
"""


def found() -> bool:
    """makepkg refuses to run as root."""
    return shutil.which("makepkg") is not None and os.geteuid() != 0


def runs(text: str) -> "list[list[str]]":
    """The words of each run of the program `rec`, in order."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "bin").mkdir()
        stub = root / "bin" / "rec"
        stub.write_text(_STUB)
        stub.chmod(0o755)
        (root / "PKGBUILD").write_text(text)
        config = (
            f'CARCH="x86_64"\nCHOST="x86_64-pc-linux-gnu"\nCFLAGS="{CFLAGS}"\nBUILDENV=(!fakeroot !color check)\n'
            f'OPTIONS=(!strip)\nPKGEXT=".pkg.tar"\nSRCEXT=".src.tar"\nPACKAGER="x <x@x>"\nINTEGRITY_CHECK=(md5)\n'
            "DLAGENTS=()\nVCSCLIENTS=()\nDBGSRCDIR=/x\nPURGE_TARGETS=()\nSTRIP_BINARIES=''\nCOMPRESSGZ=(gzip)\n"
        )
        (root / "makepkg.conf").write_text(config)
        env = {"PATH": f"{root}/bin:{os.environ['PATH']}", "HOME": folder, "RECORD": f"{root}/record", "LC_ALL": "C"}
        words = ["makepkg", "--config", str(root / "makepkg.conf"), "--nodeps", "--skipinteg", "--noarchive", "--force"]
        subprocess.run(words, cwd=root, env=env, capture_output=True, timeout=60, check=False)
        record = root / "record"
        return [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []


def recorded() -> "list[list[list[str]]]":
    return json.loads(RECORDED.read_text())  # type: ignore[no-any-return]


def main() -> int:
    if not found():
        print("needs makepkg, and not to be root")
        return 1
    json.dump([runs(text) for text in CASES], sys.stdout, indent=None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
