"""What the catalogue says of mojo, against the compiler itself: `mojo` on PATH, or at FLAGGUARD_MOJO."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from .support import LINUX, invocation, shown

MOJO = os.environ.get("FLAGGUARD_MOJO") or shutil.which("mojo")
pytestmark = pytest.mark.skipif(
    MOJO is None, reason="mojo is neither on PATH nor at FLAGGUARD_MOJO (`pip install mojo`)"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mojo")
    (path / "a.mojo").write_text("def main():\n    pass\n")
    (path / "p.mojo").write_text(
        "from std.sys import CompilationTarget\n\n\ndef main():\n    print(CompilationTarget.has_avx2())\n"
    )
    return path


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    assert MOJO is not None
    return subprocess.run([MOJO, *shlex.split(line)], cwd=folder, capture_output=True, text=True, check=False)


def target(line: str, folder: Path) -> Mapping[str, str]:
    """What `mojo build` would build for; empty where it refuses."""
    ran = run(f"build --print-effective-target {line}", folder)
    return dict(re.findall(r"^\s+(--target-\S+) ?(.*)$", ran.stdout, re.MULTILINE)) if ran.returncode == 0 else {}


@pytest.fixture(scope="module")
def host(folder: Path) -> str:
    cpu = target("a.mojo", folder)["--target-cpu"]
    if not run("--version", folder).stdout or not target("a.mojo", folder)["--target-triple"].startswith("x86_64"):
        pytest.skip("mojo is not for x86-64 here")
    return cpu


LINES = [
    "a.mojo",
    "--target-cpu x86-64-v2 a.mojo",
    "--target-cpu=x86-64-v2 a.mojo",
    "a.mojo --target-cpu x86-64-v2",
    "--mcpu x86-64-v2 a.mojo",
    "--mcpu=x86-64-v2 a.mojo",
    "--march x86-64-v2 a.mojo",
    "--mcpu x86-64-v2 --march x86-64-v3 a.mojo",
    "--march x86-64-v3 --mcpu x86-64-v2 a.mojo",
    "--mtune x86-64-v2 a.mojo",
    "-target-cpu x86-64-v2 a.mojo",
    "--target-cpu '' a.mojo",
    "--target-cpu= a.mojo",
    "--mcpu '' a.mojo",
    "--target-cpu '' --mcpu x86-64-v3 a.mojo",
    "a.mojo --target-cpu",
    "-I lib -D X=1 -O2 --target-cpu x86-64-v2 a.mojo",
    "-Ilib -DX=1 -O 2 --target-cpu x86-64-v2 a.mojo",
    "--target-cpu x86-64-v2 --target-features +avx2 a.mojo",
    "--target-triple aarch64-unknown-linux-gnu a.mojo",
    "--target-triple aarch64-unknown-linux-gnu --target-cpu neoverse-n1 a.mojo",
    "--march native a.mojo",
]


@pytest.mark.parametrize("line", LINES)
def test_the_cpu_that_is_built_for(line: str, folder: Path, host: str) -> None:
    found = invocation(f"mojo build {line}").effective("cpu", LINUX)
    said = shown(found.value) or found.default
    expected = {"host": host, "native": host, "generic": ""}.get(said or "", said)
    assert target(line, folder)["--target-cpu"] == expected


@pytest.mark.usefixtures("host")
def test_features_on_top_of_a_cpu(folder: Path) -> None:
    plain = set(target("--target-cpu x86-64-v2 a.mojo", folder)["--target-features"].split(","))
    more = set(target("--target-cpu x86-64-v2 --target-features +avx2 a.mojo", folder)["--target-features"].split(","))
    assert more - plain == {"+avx2"}


@pytest.mark.usefixtures("host")
@pytest.mark.parametrize(
    "line",
    [
        "--target-cpu native a.mojo",
        "--mcpu native a.mojo",
        "--target-cpu x86-64-v2 --target-cpu x86-64-v3 a.mojo",
        "--mcpu x86-64-v2 --mcpu x86-64-v3 a.mojo",
        "--target-cpu x86-64-v2 --mcpu x86-64-v2 a.mojo",
        "--target-features +avx2 --target-features +fma a.mojo",
        "--target-c x86-64-v2 a.mojo",
        "-- a.mojo",
        "'--target-cpu x86-64-v2' a.mojo",
    ],
)
def test_what_it_refuses(line: str, folder: Path) -> None:
    assert target(line, folder) == {}


@pytest.mark.usefixtures("host")
@pytest.mark.parametrize(
    "line",
    [
        "run --target-cpu x86-64-v2 p.mojo",
        "run p.mojo --target-cpu x86-64-v2",
        "--target-cpu x86-64-v2 p.mojo",
        "p.mojo --target-cpu x86-64-v2",
    ],
)
def test_options_of_run_stand_before_the_source(line: str, folder: Path) -> None:
    if run("run p.mojo", folder).stdout.strip() != "True":
        pytest.skip("the host has no AVX2: nothing to tell apart")
    compiled_for_v2 = run(line, folder).stdout.strip() == "False"
    assert bool(invocation(f"mojo {line}").occurrences("--target-cpu")) == compiled_for_v2


def test_the_help_lists_no_target_option_that_the_catalogue_lacks(folder: Path) -> None:
    listed = set(re.findall(r"^ {8}(--[a-z-]+)", run("build --help", folder).stdout, re.MULTILINE))
    known = set(invocation("mojo build a.mojo").streams[0].parse.node.spellings)
    assert listed <= known
