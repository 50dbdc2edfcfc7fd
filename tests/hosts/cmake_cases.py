"""CMakeLists and generator expressions that CMake itself was asked about (`cmake_recorded.json`).

`cmake_cases.txt` follows cmake-language(7) and cmake-commands(7), section by section; each case is a project,
of which the commands are those that CMake's `--trace-expand` names. In `cmake_expressions.txt`, after
cmake-generator-expressions(7), `CMAKE_BUILD_TYPE` is Release.
"""

import re
from pathlib import Path

_HERE = Path(__file__).parent


def _cases() -> dict[str, str]:
    _, *parts = re.split(r"(?m)^#### (.*)\n", (_HERE / "cmake_cases.txt").read_text())
    return dict(zip(parts[::2], parts[1::2], strict=True))


CASES = _cases()
GENERATOR = dict(line.split(": ", 1) for line in (_HERE / "cmake_expressions.txt").read_text().splitlines())
