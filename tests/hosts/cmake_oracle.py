"""Asks CMake itself: what each command of a project is called with, and what generator expressions come to."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

HEAD = "cmake_minimum_required(VERSION 3.25)\nproject(x NONE)\n"
SKIPPED = frozenset(
    "if elseif else endif foreach endforeach while endwhile function endfunction macro endmacro block endblock return "
    "cmake_language "
    "break continue cmake_minimum_required project include".split()
)
"""Commands that are not compared: what they do shows in the others."""


def traced(cases: Mapping[str, str]) -> dict[str, list[list[str]]]:
    """The commands of each case, expanded, in the order in which CMake runs them."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        lines = [HEAD]
        for number, text in enumerate(cases.values()):
            folder = root / f"c{number}"
            folder.mkdir()
            (folder / "CMakeLists.txt").write_text(text)
            lines.append(f"add_subdirectory(c{number})\n")
        (root / "CMakeLists.txt").write_text("".join(lines))
        trace = root / "trace.json"
        options = ["--trace-expand", "--trace-format=json-v1", f"--trace-redirect={trace}", "-Wno-dev"]
        words = ["cmake", *options, "-S", str(root), "-B", str(root / "out")]
        subprocess.run(words, capture_output=True, check=False, timeout=60)
        out: dict[str, list[list[str]]] = {case: [] for case in cases}
        names = {str(root / f"c{number}" / "CMakeLists.txt"): case for number, case in enumerate(cases)}
        for line in trace.read_text().splitlines()[1:]:
            entry = json.loads(line)
            case = names.get(entry["file"])
            if case is not None and entry["cmd"].lower() not in SKIPPED:
                here = shutil.which("cmake")
                out[case].append([entry["cmd"].lower(), *("cmake" if a == here else a for a in entry["args"])])
        return out


def generated(expressions: Mapping[str, str]) -> dict[str, str]:
    """What each expression comes to in a release build."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        lines = [HEAD]
        for case, text in expressions.items():
            lines.append(f'file(GENERATE OUTPUT "{root}/{case}.out" CONTENT "{text}")\n')
        (root / "CMakeLists.txt").write_text("".join(lines))
        words = ["cmake", "-DCMAKE_BUILD_TYPE=Release", "-S", str(root), "-B", str(root / "out")]
        subprocess.run(words, capture_output=True, check=True, timeout=60)
        return {case: (root / f"{case}.out").read_text() for case in expressions}


if __name__ == "__main__":
    # `python -m tests.hosts.cmake_oracle` writes down what CMake says
    from tests.hosts.cmake_cases import CASES, GENERATOR

    said = {"commands": traced(CASES), "expressions": generated(GENERATOR)}
    Path(__file__).with_name("cmake_recorded.json").write_text(json.dumps(said, indent=1) + "\n")
    sys.stdout.write(f"{len(CASES)} projects, {len(GENERATOR)} expressions\n")
