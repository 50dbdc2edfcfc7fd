"""What `rpmspec --parse` makes of a spec file; kept in rpm_recorded.json. Run as a program to write it anew."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from .rpm_cases import CASES, HEAD

RECORDED = Path(__file__).with_name("rpm_recorded.json")


def spec(preamble: str, build: str) -> str:
    return f"{HEAD}{preamble}%description\nx\n%build\n{build}\n%install\ntrue\n"


def parsed(text: str) -> str:
    """The %build section of a spec file, expanded."""
    with tempfile.NamedTemporaryFile("w", suffix=".spec") as file:
        file.write(text)
        file.flush()
        words = ["rpmspec", "--parse", "--target=x86_64-linux", file.name]
        answer = subprocess.run(words, capture_output=True, text=True, check=False)
        if answer.returncode:
            raise ValueError(answer.stderr)
        return answer.stdout.split("\n%build\n", 1)[1].split("\n%install\n", 1)[0]


def recorded() -> "list[str]":
    return json.loads(RECORDED.read_text())  # type: ignore[no-any-return]


def main() -> int:
    RECORDED.write_text(json.dumps([parsed(spec(*case)) for case in CASES], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
